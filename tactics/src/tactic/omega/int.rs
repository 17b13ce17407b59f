//! Terms of type `Int` as differences of two natural linear terms.
//!
//! A [`Difference`] comes with a proof of `Omega.Rep x p n`, which says that the integer `x` is `p - n`; the lemmas are
//! those of `proofs/lib/omega_int.ptxp`. An unknown `x` is `toNat x - toNat (-x)`: two columns of the certificate, but
//! for the oracle one integer variable. Quotients, remainders, minima, maxima and powers bring facts, which are stated
//! as propositions over `Int` and read like hypotheses.

use logic::Expr;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{Signed, Zero};

use super::form::Var;
use super::reify::{Linear, Reader};

/// How many products of unknowns are distributed or ordered; further ones are unknowns as they are.
const MAX_REWRITINGS: usize = 200;

/// An integer as `p - n`.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    /// `p`, read.
    pub pos: Linear,
    /// `n`, read.
    pub neg: Linear,
    /// `p`
    pub p: Expr,
    /// `n`
    pub n: Expr,
    /// A proof of `Omega.Rep x p n`.
    pub proof: Expr,
}

/// A constant with a proof of `c = ofNat k` or `c = -ofNat k`.
struct Constant {
    value: BigInt,
    proof: Expr,
}

impl Constant {
    /// The lemma for this sign.
    fn pick<'a>(&self, positive: &'a str, negative: &'a str) -> &'a str {
        if self.value.is_negative() {
            negative
        } else {
            positive
        }
    }
}

impl Reader<'_, '_> {
    /// Are the lemmas about integers there? If not, this is remembered for the message.
    pub fn knows_integers(&mut self) -> bool {
        let known = self.available("Omega.rep_atom");
        self.integers_missed |= !known;
        known
    }

    /// Reads a term of type `Int`.
    pub fn int(&mut self, e: Expr) -> Difference {
        if let Some(d) = self.differences.get(&e) {
            return d.clone();
        }
        let d = logic::subst::with_stack(|| self.read_int(e));
        self.differences.insert(e, d.clone());
        d
    }

    fn read_int(&mut self, e: Expr) -> Difference {
        if let Some((name, args)) = self.head(e)
            && let Some(d) = self.known_int(e, &name, &args)
        {
            return d;
        }
        let w = self.el.whnf_reducible(e);
        let w = self.el.instantiate_mvars(w);
        if w != e {
            self.int(w)
        } else {
            self.int_atom(e)
        }
    }

    fn known_int(&mut self, e: Expr, name: &str, args: &[Expr]) -> Option<Difference> {
        let zero = self.el.mk_nat(0);
        Some(match (name, args) {
            ("Int.ofNat", [n]) => self.natural(*n),
            ("Int.negSucc", [n]) => {
                let next = self.plus(*n, self.el.mk_nat(1));
                let proof = self.call("Omega.rep_negSucc", &[*n]);
                self.parts(zero, next, proof)
            }
            ("Int.negOfNat", [n]) => {
                let proof = self.call("Omega.rep_negOfNat", &[*n]);
                self.parts(zero, *n, proof)
            }
            ("Int.subNatNat", [m, n]) => {
                let proof = self.call("Omega.rep_subNatNat", &[*m, *n]);
                self.parts(*m, *n, proof)
            }
            ("Int.add", [a, b]) => {
                let (x, y) = (self.int(*a), self.int(*b));
                let proof = self.both("Omega.rep_add", (*a, &x), (*b, &y));
                self.sum(
                    (&x.pos, x.p),
                    (&y.pos, y.p),
                    (&x.neg, x.n),
                    (&y.neg, y.n),
                    proof,
                )
            }
            ("Int.sub", [a, b]) => {
                let (x, y) = (self.int(*a), self.int(*b));
                let proof = self.both("Omega.rep_sub", (*a, &x), (*b, &y));
                self.sum(
                    (&x.pos, x.p),
                    (&y.neg, y.n),
                    (&x.neg, x.n),
                    (&y.pos, y.p),
                    proof,
                )
            }
            ("Int.neg", [a]) => {
                let x = self.int(*a);
                Difference {
                    proof: self.call("Omega.rep_neg", &[*a, x.p, x.n, x.proof]),
                    pos: x.neg,
                    neg: x.pos,
                    p: x.n,
                    n: x.p,
                }
            }
            ("Int.mul", [a, b]) => self.int_product(e, *a, *b),
            ("Int.pow", [a, k]) => self.int_power(e, *a, *k)?,
            ("Int.ediv", [a, b]) => self.int(self.call("Int.div", &[*a, *b])),
            ("Int.div", [a, b]) => self.int_quotient(e, *a, *b),
            ("Int.mod" | "Int.emod", [a, b]) => self.int_remainder(e, *a, *b),
            ("Int.min", [a, b]) => self.int_extremum(e, *a, *b, false),
            ("Int.max", [a, b]) => self.int_extremum(e, *a, *b, true),
            ("cond" | "ite", [ty, ..]) if self.head(*ty)?.0 == "Int" => {
                let d = self.int_atom(e);
                self.differences.insert(e, d.clone());
                self.alternatives(e)?;
                d
            }
            _ => return None,
        })
    }

    /// `ofNat n`
    fn natural(&mut self, n: Expr) -> Difference {
        let zero = self.el.mk_nat(0);
        let proof = self.call("Omega.rep_ofNat", &[n]);
        self.parts(n, zero, proof)
    }

    fn parts(&mut self, p: Expr, n: Expr, proof: Expr) -> Difference {
        Difference {
            pos: self.term(p),
            neg: self.term(n),
            p,
            n,
            proof,
        }
    }

    fn sum(
        &self,
        p: (&Linear, Expr),
        q: (&Linear, Expr),
        n: (&Linear, Expr),
        m: (&Linear, Expr),
        proof: Expr,
    ) -> Difference {
        let add = |a: &Linear, b: &Linear| Linear::Add(Box::new(a.clone()), Box::new(b.clone()));
        Difference {
            pos: add(p.0, q.0),
            neg: add(n.0, m.0),
            p: self.plus(p.1, q.1),
            n: self.plus(n.1, m.1),
            proof,
        }
    }

    /// A lemma about the representations of two integers.
    pub fn both(
        &self,
        lemma: &str,
        (a, x): (Expr, &Difference),
        (b, y): (Expr, &Difference),
    ) -> Expr {
        self.call(lemma, &[a, b, x.p, x.n, y.p, y.n, x.proof, y.proof])
    }

    /// `e` where `e = other`, by this proof.
    fn rewritten(&mut self, e: Expr, other: Expr, eq: Expr) -> Difference {
        let d = self.int(other);
        let proof = self.call("Omega.rep_of_eq", &[e, other, d.p, d.n, eq, d.proof]);
        Difference { proof, ..d }
    }

    /// A new unknown, or the one that is the same term.
    fn int_atom(&mut self, e: Expr) -> Difference {
        let known: Vec<(Var, Expr)> = self.integers.iter().map(|(x, a)| (*x, *a)).collect();
        let same = known.into_iter().find(|(_, a)| self.same(*a, e));
        let (x, a) = same.unwrap_or_else(|| {
            let x = self.atoms.len() as Var;
            let minus = self.call("Int.neg", &[e]);
            for a in [e, minus] {
                let part = self.call("Int.toNat", &[a]);
                self.atoms.push(part);
            }
            self.integers.insert(x, e);
            (x, e)
        });
        Difference {
            pos: Linear::Atom(x),
            neg: Linear::Atom(x + 1),
            p: self.atoms[x as usize],
            n: self.atoms[x as usize + 1],
            proof: self.call("Omega.rep_atom", &[a]),
        }
    }

    /// The value of a term without unknowns.
    fn constant(&self, c: Expr, d: &Difference) -> Option<Constant> {
        let value = BigInt::from(d.pos.closed()?) - BigInt::from(d.neg.closed()?);
        let k = self.el.st.nat(value.magnitude());
        let (lemma, larger) = if value.is_negative() {
            ("Omega.const_neg", d.n)
        } else {
            ("Omega.const_ofNat", d.p)
        };
        let refl = self.refl("Nat", larger);
        let proof = self.call(lemma, &[c, d.p, d.n, k, d.proof, refl]);
        Some(Constant { value, proof })
    }

    fn refl(&self, ty: &str, e: Expr) -> Expr {
        let st = self.el.st;
        let refl = st.constant(st.name("Eq.refl"), &[st.level_nat(1)]);
        st.apps(refl, &[st.const0(ty), e])
    }

    /// A numeral.
    fn numeral(&self, v: &BigInt) -> Expr {
        let n = self.call("Int.ofNat", &[self.el.st.nat(v.magnitude())]);
        if v.is_negative() {
            self.call("Int.neg", &[n])
        } else {
            n
        }
    }

    /// A quotient or a remainder of constants.
    fn evaluated(
        &mut self,
        lemma: &str,
        e: Expr,
        (a, n): (Expr, &Constant),
        (b, k): (Expr, &Constant),
        value: &BigInt,
    ) -> Difference {
        let (m, d, other) = (
            self.numeral(&n.value),
            self.numeral(&k.value),
            self.numeral(value),
        );
        let eq = self.refl("Int", other);
        let eq = self.call(lemma, &[a, b, m, d, other, n.proof, k.proof, eq]);
        self.rewritten(e, other, eq)
    }

    /// Products by a constant are linear; others are distributed over sums.
    fn int_product(&mut self, e: Expr, a: Expr, b: Expr) -> Difference {
        let (x, y) = (self.int(a), self.int(b));
        if let Some(c) = self.constant(a, &x) {
            let lemma = c.pick("Omega.rep_mul", "Omega.rep_mul_neg");
            return self.multiple(lemma, &c, (a, b), &y);
        }
        if let Some(c) = self.constant(b, &y) {
            let lemma = c.pick("Omega.rep_mul_right", "Omega.rep_mul_right_neg");
            return self.multiple(lemma, &c, (b, a), &x);
        }
        if self.rewritings < MAX_REWRITINGS
            && let Some((other, eq)) = self.int_distributed(a, b)
        {
            self.rewritings += 1;
            return self.rewritten(e, other, eq);
        }
        self.int_atom(e)
    }

    fn multiple(
        &self,
        lemma: &str,
        c: &Constant,
        (k, a): (Expr, Expr),
        x: &Difference,
    ) -> Difference {
        let m = c.value.magnitude();
        let size = self.el.st.nat(m);
        let scaled = |t: &Linear, e: Expr| {
            let t = Linear::Scale(m.clone(), Box::new(t.clone()));
            (t, self.times(size, e))
        };
        let (mut first, mut second) = (scaled(&x.pos, x.p), scaled(&x.neg, x.n));
        if c.value.is_negative() {
            std::mem::swap(&mut first, &mut second);
        }
        Difference {
            pos: first.0,
            neg: second.0,
            p: first.1,
            n: second.1,
            proof: self.call(lemma, &[k, a, x.p, x.n, size, c.proof, x.proof]),
        }
    }

    /// The function and the arguments, where the cast of a sum is the sum of the casts (by evaluation).
    fn summands(&self, e: Expr) -> Option<(String, Vec<Expr>)> {
        let (name, args) = self.head(e)?;
        if name == "Int.ofNat"
            && let Some((sum, parts)) = self.head(args[0])
            && sum == "Nat.add"
        {
            let casts = parts.iter().map(|n| self.call("Int.ofNat", &[*n]));
            return Some(("Int.add".to_owned(), casts.collect()));
        }
        Some((name, args))
    }

    /// A product of unknowns in a form nearer to a sum of ordered products, with a proof that it is equal.
    fn int_distributed(&mut self, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
        let (ha, hb) = (self.summands(a), self.summands(b));
        let (na, aa) = ha
            .as_ref()
            .map_or(("", &[][..]), |(n, v)| (n.as_str(), &v[..]));
        let (nb, ab) = hb
            .as_ref()
            .map_or(("", &[][..]), |(n, v)| (n.as_str(), &v[..]));
        let mul = |x: Expr, y: Expr| self.call("Int.mul", &[x, y]);
        Some(match (na, aa, nb, ab) {
            // by evaluation
            ("Int.ofNat", [m], "Int.ofNat", [n]) => {
                let other = self.call("Int.ofNat", &[self.times(*m, *n)]);
                (other, self.refl("Int", other))
            }
            (_, _, "Int.add" | "Int.sub", [x, y]) => {
                let lemma = if nb == "Int.add" {
                    "Int.mul_add"
                } else {
                    "Int.mul_sub"
                };
                let other = self.call(nb, &[mul(a, *x), mul(a, *y)]);
                (other, self.call(lemma, &[a, *x, *y]))
            }
            ("Int.add" | "Int.sub", [x, y], _, _) => {
                let lemma = if na == "Int.add" {
                    "Int.add_mul"
                } else {
                    "Int.sub_mul"
                };
                let other = self.call(na, &[mul(*x, b), mul(*y, b)]);
                (other, self.call(lemma, &[*x, *y, b]))
            }
            (_, _, "Int.neg", [x]) => {
                let other = self.call("Int.neg", &[mul(a, *x)]);
                (other, self.call("Int.mul_neg", &[a, *x]))
            }
            ("Int.neg", [x], _, _) => {
                let other = self.call("Int.neg", &[mul(*x, b)]);
                (other, self.call("Int.neg_mul", &[*x, b]))
            }
            (_, _, "Int.mul", [x, y]) => {
                let d = self.int(*x);
                let constant = self.constant(*x, &d).is_some();
                let mul = |x: Expr, y: Expr| self.call("Int.mul", &[x, y]);
                match constant {
                    true => (
                        mul(*x, mul(a, *y)),
                        self.call("Int.mul_left_comm", &[a, *x, *y]),
                    ),
                    false => (
                        mul(mul(a, *x), *y),
                        self.call("Omega.int_mul_assoc_rev", &[a, *x, *y]),
                    ),
                }
            }
            ("Int.mul", [x, y], _, _) => {
                let (d, last) = (self.int(*x), self.int(*y));
                let constant = self.constant(*x, &d).is_some();
                let sorted = self.constant(*y, &last).is_none() && !self.later(*y, b);
                let mul = |x: Expr, y: Expr| self.call("Int.mul", &[x, y]);
                match (constant, sorted) {
                    (true, _) => (
                        mul(*x, mul(*y, b)),
                        self.call("Int.mul_assoc", &[*x, *y, b]),
                    ),
                    (false, false) => (
                        mul(mul(*x, b), *y),
                        self.call("Omega.int_mul_right_comm", &[*x, *y, b]),
                    ),
                    // the factors before the last one
                    (false, true) => {
                        let (before, eq) = self.int_distributed(*x, *y)?;
                        (
                            self.call("Int.mul", &[before, b]),
                            self.call("Omega.int_mul_congr", &[a, before, eq, b]),
                        )
                    }
                }
            }
            _ if self.later(a, b) => {
                let other = self.call("Int.mul", &[b, a]);
                (other, self.call("Int.mul_comm", &[a, b]))
            }
            _ => return None,
        })
    }

    /// Are both unknowns, the first with the larger number?
    fn later(&mut self, a: Expr, b: Expr) -> bool {
        match (self.int(a).pos, self.int(b).pos) {
            (Linear::Atom(x), Linear::Atom(y)) => x > y,
            _ => false,
        }
    }

    /// Powers of constants.
    fn int_power(&mut self, e: Expr, a: Expr, k: Expr) -> Option<Difference> {
        let x = self.int(a);
        let c = self.constant(a, &x)?;
        let base = self.el.st.nat(c.value.magnitude());
        let other = self.call("Int.ofNat", &[self.call("Nat.pow", &[base, k])]);
        if !c.value.is_negative() {
            let proof = self.call("Omega.pow_ofNat", &[a, base, c.proof, k]);
            return Some(self.rewritten(e, other, proof));
        }
        let exponent = self.term(k).closed()?;
        let half = self.el.st.nat(&(&exponent / 2u8));
        let (lemma, other) = if exponent.is_even() {
            ("Omega.pow_neg_even", other)
        } else {
            ("Omega.pow_neg_odd", self.call("Int.neg", &[other]))
        };
        let proof = self.call(lemma, &[a, base, c.proof, half]);
        Some(self.rewritten(e, other, proof))
    }

    /// Quotients: those by a constant are bounded.
    fn int_quotient(&mut self, e: Expr, a: Expr, b: Expr) -> Difference {
        let (x, y) = (self.int(a), self.int(b));
        let Some(c) = self.constant(b, &y) else {
            return self.int_atom(e);
        };
        if c.value.is_zero() {
            let zero = self.numeral(&BigInt::zero());
            let eq = self.call("Omega.ediv_const_zero", &[a, b, c.proof]);
            return self.rewritten(e, zero, eq);
        }
        if let Some(n) = self.constant(a, &x) {
            let value = euclid(&n.value, &c.value).0;
            return self.evaluated("Omega.ediv_const", e, (a, &n), (b, &c), &value);
        }
        let d = self.int_atom(e);
        self.differences.insert(e, d.clone());
        let k: &BigUint = c.value.magnitude();
        let size = self.el.st.nat(k);
        let lemma = c.pick("Omega.natAbs_of_ofNat", "Omega.natAbs_of_neg");
        let abs = self.call(lemma, &[b, size, c.proof]);
        let args = [a, b, size, abs, self.positive(k)];
        let be = self.call("Int.mul", &[b, e]);
        let low = self.call("Int.le", &[be, a]);
        let next = self.call("Int.add", &[be, self.call("Int.ofNat", &[size])]);
        let high = self.call("Int.lt", &[a, next]);
        self.given(low, self.call("Omega.ediv_low", &args));
        self.given(high, self.call("Omega.ediv_high", &args));
        d
    }

    /// Remainders: `a % b = a - b * (a / b)`.
    fn int_remainder(&mut self, e: Expr, a: Expr, b: Expr) -> Difference {
        let (x, y) = (self.int(a), self.int(b));
        let c = self.constant(b, &y);
        match &c {
            Some(c) if c.value.is_zero() => {
                let eq = self.call("Omega.emod_const_zero", &[a, b, c.proof]);
                return self.rewritten(e, a, eq);
            }
            Some(c) => {
                if let Some(n) = self.constant(a, &x) {
                    let value = euclid(&n.value, &c.value).1;
                    return self.evaluated("Omega.emod_const", e, (a, &n), (b, c), &value);
                }
            }
            None => {}
        }
        let q = self.call("Int.div", &[a, b]);
        let other = self.call("Int.sub", &[a, self.call("Int.mul", &[b, q])]);
        let eq = self.call("Int.emod_def", &[a, b]);
        let d = self.rewritten(e, other, eq);
        if c.is_none() {
            self.differences.insert(e, d.clone());
            let zero = self.numeral(&BigInt::zero());
            let none = self.equal("Int", b, zero);
            let size = self.call("Int.ofNat", &[self.call("Int.natAbs", &[b])]);
            let small = self.call(
                "And",
                &[
                    self.call("Int.le", &[zero, e]),
                    self.call("Int.lt", &[e, size]),
                ],
            );
            let (none, small) = (self.prop(none), self.prop(small));
            self.choice(none, small, self.call("Omega.emod_cases", &[a, b]));
        }
        d
    }

    fn int_extremum(&mut self, e: Expr, a: Expr, b: Expr, max: bool) -> Difference {
        let d = self.int_atom(e);
        self.differences.insert(e, d.clone());
        let names = if max {
            ["Int.le_max_left", "Int.le_max_right", "Omega.int_max_cases"]
        } else {
            ["Int.min_le_left", "Int.min_le_right", "Omega.int_min_cases"]
        };
        let le = |x: Expr, y: Expr| match max {
            true => self.call("Int.le", &[x, y]),
            false => self.call("Int.le", &[y, x]),
        };
        let (below, above) = ([le(a, e), le(b, e)], [le(e, a), le(e, b)]);
        for (statement, lemma) in below.into_iter().zip(names) {
            self.given(statement, self.call(lemma, &[a, b]));
        }
        let [left, right] = above.map(|s| self.prop(s));
        self.choice(left, right, self.call(names[2], &[a, b]));
        d
    }

    /// `toNat x` (or `natAbs x` if `abs`), a natural number.
    pub fn int_part(&mut self, e: Expr, x: Expr, abs: bool) -> Linear {
        // by evaluation
        if let Some((name, args)) = self.head(x)
            && name == "Int.ofNat"
            && let [n] = args[..]
        {
            return self.term(n);
        }
        let t = self.atom(e);
        self.keep(e, &t);
        let (own, zero) = (self.call("Int.ofNat", &[e]), self.el.mk_nat(0));
        let minus = self.call("Int.neg", &[x]);
        let le = |a: Expr, b: Expr| self.call("Int.le", &[a, b]);
        let bounds = [le(x, own), le(minus, own)];
        let cases = [le(own, x), le(own, minus)];
        let [left, right] = if abs {
            self.given(bounds[0], self.call("Omega.le_natAbs", &[x]));
            self.given(bounds[1], self.call("Omega.neg_le_natAbs", &[x]));
            cases.map(|s| self.prop(s))
        } else {
            self.given(bounds[0], self.call("Omega.le_toNat", &[x]));
            [self.prop(cases[0]), self.le(e, zero)]
        };
        let lemma = if abs {
            "Omega.natAbs_cases"
        } else {
            "Omega.toNat_cases"
        };
        self.choice(left, right, self.call(lemma, &[x]));
        t
    }
}

/// Quotient and remainder, the latter not negative.
fn euclid(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let r = a.mod_floor(&b.abs());
    ((a - &r) / b, r)
}
