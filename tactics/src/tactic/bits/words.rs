//! The operations of words: what they do to values.

use logic::Expr;
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

use super::exp::{self, Id, two};
use super::reify::{Atom, Reader};
use crate::tactic::util::sees;

impl Reader<'_, '_> {
    /// An operation of words with this result width.
    pub(super) fn word_operation(&mut self, w: u32, name: &str, args: &[Expr]) -> Option<Id> {
        use exp::Node::*;
        let modulus = two(w);
        let node = match (name.strip_prefix("Word.")?, args) {
            ("mk", [_, n, _]) => return Some(self.number(*n)),
            ("ofNat", [_, n]) => {
                let n = *n;
                Mod(self.number(n), modulus)
            }
            ("add", [_, a, b]) => {
                let sum = Add(self.word(*a), self.word(*b));
                Mod(self.add(sum), modulus)
            }
            ("sub", [_, a, b]) => {
                let minus = Sub(modulus.clone(), self.word(*b));
                let minus = self.add(minus);
                let sum = Add(self.word(*a), minus);
                Mod(self.add(sum), modulus)
            }
            ("mul", [_, a, b]) => {
                let (a, b) = (self.word(*a), self.word(*b));
                let lit = |r: &Self, e: Id| match r.terms.node(e) {
                    Lit(n) => Some(n.clone()),
                    _ => None,
                };
                let product = match (lit(self, a), lit(self, b)) {
                    (Some(k), _) => Scale(k, b),
                    (_, Some(k)) => Scaled(a, k),
                    _ => Mul(a, b),
                };
                Mod(self.add(product), modulus)
            }
            ("neg", [_, a]) => {
                let minus = Sub(modulus.clone(), self.word(*a));
                Mod(self.add(minus), modulus)
            }
            ("not", [_, a]) => {
                let minus = Sub(modulus.clone() - 1u32, self.word(*a));
                Mod(self.add(minus), modulus)
            }
            ("udiv" | "urem", [_, a, b]) => {
                let b = self.word(*b);
                let Lit(d) = self.terms.node(b).clone() else {
                    return None;
                };
                let a = self.word(*a);
                let part = if name == "Word.udiv" {
                    Div(a, d)
                } else {
                    Mod(a, d)
                };
                Mod(self.add(part), modulus)
            }
            ("and", [_, a, b]) => {
                let both = And(self.word(*a), self.word(*b));
                Mod(self.add(both), modulus)
            }
            ("or", [_, a, b]) => {
                let either = Or(self.word(*a), self.word(*b));
                Mod(self.add(either), modulus)
            }
            ("xor", [_, a, b]) => {
                let one = Xor(self.word(*a), self.word(*b));
                Mod(self.add(one), modulus)
            }
            ("shl", [_, a, k]) => {
                let k = self.count(*k)?;
                if k >= BigUint::from(w) {
                    return Some(self.terms.lit(BigUint::zero()));
                }
                let k = k.to_u32()?;
                let shifted = Scale(two(k), self.word(*a));
                Mod(self.add(shifted), modulus)
            }
            ("lshr", [_, a, k]) => {
                let k = self.count(*k)?;
                if k >= BigUint::from(w) {
                    return Some(self.terms.lit(BigUint::zero()));
                }
                let k = k.to_u32()?;
                let shifted = Div(self.word(*a), two(k));
                Mod(self.add(shifted), modulus)
            }
            ("sext", [v, to, a]) => return self.sext(*v, *to, *a),
            ("ashr", [v, a, k]) => return self.ashr(*v, *a, *k),
            ("zext" | "trunc", [_, _, a]) => Mod(self.word(*a), modulus),
            ("extract", [_, lo, _, a]) => {
                let lo = self.small(*lo)?;
                let high = Div(self.word(*a), two(lo));
                Mod(self.add(high), modulus)
            }
            ("concat", [_, v, hi, lo]) => {
                let v = self.small(*v)?;
                let high = Scale(two(v), self.word(*hi));
                let high = self.add(high);
                let both = Add(high, self.word(*lo));
                Mod(self.add(both), modulus)
            }
            ("byte", [_, a, k]) => {
                let k = self.small(*k)?.checked_mul(8)?;
                let high = Div(self.word(*a), two(k));
                Mod(self.add(high), modulus)
            }
            ("ofBytes", [_, f]) => {
                let f = *f;
                let n = self.bytes(f, w / 8);
                Mod(n, modulus)
            }
            _ => return None,
        };
        Some(self.add(node))
    }

    /// An unknown that a lemma says is equal to a term.
    fn equal(&mut self, word: Expr, width: u32, to: Id, proof: Expr) -> Id {
        let w = self.el.mk_nat(u64::from(width));
        let value = self.call("Word.val", &[w, word]);
        if let Some(a) = self.atoms.iter().position(|a| a.value == value) {
            return self.add(exp::Node::Atom(a));
        }
        let a = self.terms.atom(two(width));
        self.atoms.push(Atom {
            value,
            shown: word,
            bound: None,
            part: 0,
        });
        self.rewritten.push((a, to, proof));
        self.add(exp::Node::Atom(a))
    }

    /// `by * (a / 2 ^ (v - 1))`: a multiple of the sign.
    fn sign(&mut self, a: Id, v: u32, by: BigUint) -> Id {
        let sign = self.add(exp::Node::Div(a, two(v - 1)));
        self.add(exp::Node::Scale(by, sign))
    }

    fn sext(&mut self, v: Expr, to: Expr, a: Expr) -> Option<Id> {
        let (v_, to_) = (self.small(v)?, self.small(to)?);
        if !sees(self.el, "Bits.sext") || v_ == 0 || to_ < v_ {
            return None;
        }
        let x = self.word(a);
        let sign = self.sign(x, v_, two(to_) - two(v_));
        let sum = self.add(exp::Node::Add(x, sign));
        let sum = self.add(exp::Node::Mod(sum, two(to_)));
        let word = self.call("Word.sext", &[v, to, a]);
        let proof = self.call("Bits.sext", &[v, to, a, self.refl_true()]);
        Some(self.equal(word, to_, sum, proof))
    }

    fn ashr(&mut self, v: Expr, a: Expr, k: Expr) -> Option<Id> {
        let v_ = self.small(v)?;
        let n = self.count(k)?;
        if !sees(self.el, "Bits.ashr") || v_ == 0 {
            return None;
        }
        let x = self.word(a);
        let word = self.call("Word.ashr", &[v, a, k]);
        let truth = self.refl_true();
        let (sum, proof) = match n.to_u32().filter(|n| *n < v_) {
            Some(n) => {
                let sign = self.sign(x, v_, two(v_) - two(v_ - n));
                let shifted = self.add(exp::Node::Div(x, two(n)));
                let sum = self.add(exp::Node::Add(shifted, sign));
                (sum, self.call("Bits.ashr", &[v, a, k, truth]))
            }
            None => {
                let sign = self.sign(x, v_, two(v_) - 1u32);
                (sign, self.call("Bits.ashr_all", &[v, a, k, truth, truth]))
            }
        };
        let sum = self.add(exp::Node::Mod(sum, two(v_)));
        Some(self.equal(word, v_, sum, proof))
    }

    /// The value of a count that is closed, whatever it is.
    fn count(&mut self, k: Expr) -> Option<BigUint> {
        let i = self.number(k);
        match self.terms.node(i) {
            exp::Node::Lit(n) => Some(n.clone()),
            _ => None,
        }
    }

    /// `Word.bytesVal f n`.
    fn bytes(&mut self, f: Expr, n: u32) -> Id {
        let mut sum = self.terms.lit(BigUint::zero());
        for k in 0..n {
            let index = self.el.mk_nat(u64::from(k));
            let byte = self.el.beta(f, &[index]);
            let byte = self.word(byte);
            let shifted = self.add(exp::Node::Scale(two(8 * k), byte));
            sum = self.add(exp::Node::Add(sum, shifted));
        }
        sum
    }
}
