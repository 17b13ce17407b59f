//! Terms of type `Nat` as linear terms over numbered atoms, and the facts that come with the atoms.
//!
//! A [`Linear`] term mirrors `Omega.Term` of `proofs/lib/omega.ptxp`: its evaluation is definitionally the term that
//! was read. What is not linear becomes an atom. Differences, quotients, remainders, minima, maxima, powers of literals
//! and products bring facts about their atoms, each with its proof.

use std::collections::BTreeMap;

use logic::{Expr, Node};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use super::form::{Form, Var};
use super::int::Difference;
use super::prop::{Known, Prop};
use super::solve::Range;
use crate::meta::Elab;
use crate::tactic::util::sees;

/// A linear term over atoms.
#[derive(Clone, Debug)]
pub(super) enum Linear {
    /// An atom.
    Atom(Var),
    /// A literal.
    Lit(BigUint),
    /// `a + b`
    Add(Box<Linear>, Box<Linear>),
    /// `k * a`
    Scale(BigUint, Box<Linear>),
    /// `a * k`
    Scaled(Box<Linear>, BigUint),
}

impl Linear {
    /// The form that it stands for.
    pub fn form(&self) -> Form {
        match self {
            Linear::Atom(x) => Form::var(*x),
            Linear::Lit(n) => Form::constant(n.clone()),
            Linear::Add(a, b) => a.form().plus(&BigInt::one(), &b.form()),
            Linear::Scale(k, a) | Linear::Scaled(a, k) => a.form().times(&k.clone().into()),
        }
    }

    /// The term with this sum of atoms, the constant last; coefficients must be natural numbers.
    pub fn of_form(form: &Form) -> Linear {
        let mut parts: Vec<Linear> = form
            .terms
            .iter()
            .map(|(x, a)| match a.magnitude() {
                k if k.is_one() => Linear::Atom(*x),
                k => Linear::Scale(k.clone(), Box::new(Linear::Atom(*x))),
            })
            .collect();
        if parts.is_empty() || !form.constant.is_zero() {
            parts.push(Linear::Lit(form.constant.magnitude().clone()));
        }
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or(Linear::Lit(BigUint::zero()));
        parts.fold(first, |a, b| Linear::Add(Box::new(a), Box::new(b)))
    }

    /// The literal, if it is one.
    pub fn literal(&self) -> Option<&BigUint> {
        match self {
            Linear::Lit(n) => Some(n),
            _ => None,
        }
    }

    /// The value, if there are no atoms in it.
    pub fn closed(&self) -> Option<BigUint> {
        Some(match self {
            Linear::Atom(_) => return None,
            Linear::Lit(n) => n.clone(),
            Linear::Add(a, b) => a.closed()? + b.closed()?,
            Linear::Scale(k, a) | Linear::Scaled(a, k) => k * a.closed()?,
        })
    }

    /// `self + 1`.
    pub fn succ(self) -> Linear {
        Linear::Add(Box::new(self), Box::new(Linear::Lit(BigUint::one())))
    }
}

/// A proved inequality `low ≤ high`.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// Left side.
    pub low: Linear,
    /// Right side.
    pub high: Linear,
    /// Its proof.
    pub proof: Expr,
}

impl Fact {
    /// `high - low`, which is nonnegative.
    pub fn form(&self) -> Form {
        self.high.form().plus(&-BigInt::one(), &self.low.form())
    }
}

/// A proved disjunction that waits to be split.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// First alternative, and whether it is asserted or negated.
    pub left: (Prop, bool),
    /// Second alternative.
    pub right: (Prop, bool),
    /// Its proof.
    pub proof: Expr,
}

/// The atoms met so far and what is known of them.
pub(super) struct Reader<'a, 'b> {
    /// The elaborator.
    pub el: &'a mut Elab<'b>,
    /// The atoms by number.
    pub atoms: Vec<Expr>,
    /// Facts about atoms.
    pub facts: Vec<Fact>,
    /// Case splits about atoms.
    pub choices: Vec<Choice>,
    /// The unknown integers by the number of their positive part in `atoms`; the negative part is the next one.
    pub integers: BTreeMap<Var, Expr>,
    /// Were there integers, but not the lemmas about them?
    pub integers_missed: bool,
    /// How many products of integers were rewritten.
    pub rewritings: usize,
    /// The terms of type `Int` that were read.
    pub differences: BTreeMap<Expr, Difference>,
    terms: BTreeMap<Expr, Linear>,
}

impl<'a, 'b> Reader<'a, 'b> {
    /// Nothing read yet.
    pub fn new(el: &'a mut Elab<'b>) -> Self {
        Reader {
            el,
            atoms: Vec::new(),
            facts: Vec::new(),
            choices: Vec::new(),
            integers: BTreeMap::new(),
            integers_missed: false,
            rewritings: 0,
            differences: BTreeMap::new(),
            terms: BTreeMap::new(),
        }
    }

    /// Does the script see a declaration with this name?
    pub fn available(&self, name: &str) -> bool {
        sees(self.el, name)
    }

    /// What each atom is for the oracle.
    pub fn ranges(&self) -> Vec<Range> {
        let mut ranges = vec![Range::Natural; self.atoms.len()];
        for x in self.integers.keys() {
            ranges[*x as usize] = Range::Integer;
            ranges[*x as usize + 1] = Range::Unused;
        }
        ranges
    }

    /// What has to be subtracted from the positive part of each unknown integer.
    pub fn shifts(&self) -> BTreeMap<Var, Form> {
        self.integers
            .keys()
            .map(|x| (*x, Form::var(x + 1)))
            .collect()
    }

    /// A form over atoms as one for the oracle: without the negative parts of integers.
    pub fn oracle(&self, mut form: Form) -> Form {
        form.terms
            .retain(|(x, _)| *x == 0 || !self.integers.contains_key(&(x - 1)));
        form
    }

    /// `name args`.
    pub fn call(&self, name: &str, args: &[Expr]) -> Expr {
        self.el.st.apps(self.el.st.const0(name), args)
    }

    /// The constant at the head of a term with its arguments, as text.
    pub fn head(&self, e: Expr) -> Option<(String, Vec<Expr>)> {
        let (f, args) = self.el.st.unfold_app(e);
        match self.el.st.node(f) {
            Node::Const(n, _) => Some((self.el.st.name_to_string(n), args)),
            _ => None,
        }
    }

    /// Reads a term of type `Nat`.
    pub fn term(&mut self, e: Expr) -> Linear {
        if let Some(t) = self.terms.get(&e) {
            return t.clone();
        }
        let t = logic::subst::with_stack(|| self.read(e));
        self.terms.insert(e, t.clone());
        t
    }

    fn read(&mut self, e: Expr) -> Linear {
        if let Some(n) = self.el.nat_lit(e) {
            return Linear::Lit(n);
        }
        if let Some((name, args)) = self.head(e)
            && let Some(t) = self.known(e, &name, &args)
        {
            return t;
        }
        let w = self.el.whnf_reducible(e);
        let w = self.el.instantiate_mvars(w);
        if w != e { self.term(w) } else { self.atom(e) }
    }

    fn known(&mut self, e: Expr, name: &str, args: &[Expr]) -> Option<Linear> {
        Some(match (name, args) {
            ("Nat.zero", []) => Linear::Lit(BigUint::zero()),
            ("Nat.succ", [a]) => self.term(*a).succ(),
            ("Nat.add", [a, b]) => {
                let (a, b) = (self.term(*a), self.term(*b));
                Linear::Add(Box::new(a), Box::new(b))
            }
            ("Nat.mul", [a, b]) => self.product(e, *a, *b),
            ("Nat.pow", [a, b]) => self.power(e, *a, *b),
            ("Nat.sub", [a, b]) => self.difference(e, *a, *b),
            ("Nat.pred", [a]) => {
                let one = self.el.mk_nat(1);
                self.difference(e, *a, one)
            }
            ("Nat.div", [a, b]) => self.quotient(e, *a, *b),
            ("Nat.mod", [a, b]) => self.remainder(e, *a, *b),
            ("Nat.min", [a, b]) => self.extremum(e, *a, *b, false),
            ("Nat.max", [a, b]) => self.extremum(e, *a, *b, true),
            ("Nat.shiftLeft", [a, k]) => self.shift(e, *a, *k, true)?,
            ("Nat.shiftRight", [a, k]) => self.shift(e, *a, *k, false)?,
            ("cond" | "ite", [ty, ..]) if self.head(*ty)?.0 == "Nat" => {
                let t = self.atom(e);
                self.keep(e, &t);
                self.alternatives(e)?;
                t
            }
            ("Int.toNat", [x]) if self.knows_integers() => self.int_part(e, *x, false),
            ("Int.natAbs", [x]) if self.knows_integers() => self.int_part(e, *x, true),
            ("Fin.val", [n, x]) => {
                let w = self.el.whnf_reducible(e);
                if w != e {
                    return Some(self.term(w));
                }
                let t = self.atom(e);
                let size = self.term(*n);
                let proof = self.call("Fin.isLt", &[*n, *x]);
                self.fact(t.clone().succ(), size, proof);
                t
            }
            ("Word.val", [w, x]) => {
                let t = self.atom(e);
                let two = self.el.mk_nat(2);
                let size = self.call("Nat.pow", &[two, *w]);
                let size = self.term(size);
                let proof = self.call("Word.isLt", &[*w, *x]);
                self.fact(t.clone().succ(), size, proof);
                t
            }
            _ => return None,
        })
    }

    /// A new atom, or the one that is the same term.
    pub fn atom(&mut self, e: Expr) -> Linear {
        let ranges = self.ranges();
        for (i, a) in self.atoms.clone().into_iter().enumerate() {
            if ranges[i] == Range::Natural && self.same(a, e) {
                return Linear::Atom(i as Var);
            }
        }
        self.atoms.push(e);
        Linear::Atom((self.atoms.len() - 1) as Var)
    }

    /// Are the terms equal by unfolding abbreviations?
    pub fn same(&mut self, a: Expr, b: Expr) -> bool {
        a == b
            || (self.el.head_const(a) == self.el.head_const(b)
                && self.el.with_no_assign(|el| el.is_defeq_reducible(a, b)))
    }

    /// Remembers how a term was read before its facts are stated, in which it occurs.
    pub fn keep(&mut self, e: Expr, t: &Linear) {
        self.terms.insert(e, t.clone());
    }

    /// Records `low ≤ high`.
    pub fn fact(&mut self, low: Linear, high: Linear, proof: Expr) {
        self.facts.push(Fact { low, high, proof });
    }

    /// Records what follows from a proposition about atoms, of which this is a proof.
    pub fn given(&mut self, statement: Expr, proof: Expr) {
        let p = self.prop(statement);
        let mut known = Known::default();
        self.assert(&mut known, proof, &p, true);
        self.facts.append(&mut known.facts);
        self.choices.append(&mut known.choices);
    }

    /// Records `e = other`, an equation of an atom.
    pub fn equation(&mut self, t: &Linear, e: Expr, other: Expr, proof: Expr) {
        let o = self.term(other);
        let le = self.call("Nat.le_of_eq", &[e, other, proof]);
        let ge = self.call("Omega.ge_of_eq", &[e, other, proof]);
        self.fact(t.clone(), o.clone(), le);
        self.fact(o, t.clone(), ge);
    }

    /// Records a case split.
    pub fn choice(&mut self, left: Prop, right: Prop, proof: Expr) {
        self.choices.push(Choice {
            left: (left, true),
            right: (right, true),
            proof,
        });
    }

    pub fn plus(&self, a: Expr, b: Expr) -> Expr {
        self.call("Nat.add", &[a, b])
    }

    pub fn times(&self, a: Expr, b: Expr) -> Expr {
        self.call("Nat.mul", &[a, b])
    }

    /// A proof of `1 ≤ k` for a positive literal.
    pub fn positive(&self, k: &BigUint) -> Expr {
        let st = self.el.st;
        let refl = st.constant(st.name("Eq.refl"), &[st.level_nat(1)]);
        let refl = st.apps(refl, &[st.const0("Bool"), st.const0("Bool.true")]);
        self.call("Nat.le_of_ble_eq_true", &[st.nat_u64(1), st.nat(k), refl])
    }

    fn difference(&mut self, e: Expr, a: Expr, b: Expr) -> Linear {
        let (ta, tb) = (self.term(a), self.term(b));
        if let (Some(m), Some(n)) = (ta.literal(), tb.literal()) {
            return Linear::Lit(if m >= n { m - n } else { BigUint::zero() });
        }
        let t = self.atom(e);
        let (below, above) = (
            self.call("Nat.sub_le", &[a, b]),
            self.call("Nat.le_sub_add", &[a, b]),
        );
        let sum = Linear::Add(Box::new(t.clone()), Box::new(tb));
        self.fact(t.clone(), ta.clone(), below);
        self.fact(ta, sum, above);
        self.keep(e, &t);
        let zero = self.el.mk_nat(0);
        let (exact, none) = (self.le(self.plus(e, b), a), self.le(e, zero));
        let proof = self.call("Nat.sub_cases", &[a, b]);
        self.choice(exact, none, proof);
        t
    }

    fn quotient(&mut self, e: Expr, a: Expr, b: Expr) -> Linear {
        let (ta, tb) = (self.term(a), self.term(b));
        let Some(k) = tb.literal() else {
            let t = self.atom(e);
            let rest = self.call("Nat.mod", &[a, b]);
            self.term(rest);
            return t;
        };
        if let Some(n) = ta.literal() {
            return Linear::Lit(if k.is_zero() { BigUint::zero() } else { n / k });
        }
        if k.is_zero() {
            let proof = self.call("Omega.div_zero_le", &[a]);
            let t = self.atom(e);
            self.fact(t.clone(), Linear::Lit(BigUint::zero()), proof);
            return t;
        }
        let t = self.atom(e);
        let scaled = Linear::Scale(k.clone(), Box::new(t.clone()));
        let upper = Linear::Add(Box::new(scaled.clone()), Box::new(tb.clone()));
        let below = self.call("Nat.mul_div_le", &[a, b]);
        let above = self.call("Nat.lt_mul_div_succ", &[a, b, self.positive(k)]);
        self.fact(scaled, ta.clone(), below);
        self.fact(ta.succ(), upper, above);
        t
    }

    fn remainder(&mut self, e: Expr, a: Expr, b: Expr) -> Linear {
        let (ta, tb) = (self.term(a), self.term(b));
        if let (Some(n), Some(k)) = (ta.literal(), tb.literal()) {
            return Linear::Lit(if k.is_zero() { n.clone() } else { n % k });
        }
        let t = self.atom(e);
        let q = self.call("Nat.div", &[a, b]);
        // registered first, so that the atom of the quotient does not ask for this remainder again
        self.keep(e, &t);
        let bq = self.times(b, q);
        let sum = match tb.literal() {
            Some(k) => Linear::Scale(k.clone(), Box::new(self.term(q))),
            None => self.term(bq),
        };
        let sum = Linear::Add(Box::new(sum), Box::new(t.clone()));
        let (le, ge) = (
            self.call("Omega.mod_le", &[a, b]),
            self.call("Omega.le_mod", &[a, b]),
        );
        self.fact(ta.clone(), sum.clone(), le);
        self.fact(sum, ta, ge);
        match tb.literal() {
            Some(k) if k.is_zero() => {}
            Some(k) => {
                let proof = self.call("Nat.mod_lt", &[a, b, self.positive(k)]);
                self.fact(t.clone().succ(), tb.clone(), proof);
            }
            None => {
                let zero = self.el.mk_nat(0);
                let (none, small) = (self.le(b, zero), self.lt(e, b));
                let proof = self.call("Omega.mod_cases", &[a, b]);
                self.choice(none, small, proof);
            }
        }
        t
    }

    fn extremum(&mut self, e: Expr, a: Expr, b: Expr, max: bool) -> Linear {
        let (ta, tb) = (self.term(a), self.term(b));
        if let (Some(m), Some(n)) = (ta.literal(), tb.literal()) {
            return Linear::Lit(if (m >= n) == max {
                m.clone()
            } else {
                n.clone()
            });
        }
        let t = self.atom(e);
        let names = if max {
            ["Nat.le_max_left", "Nat.le_max_right", "Omega.max_cases"]
        } else {
            ["Nat.min_le_left", "Nat.min_le_right", "Omega.min_cases"]
        };
        for (lemma, side) in [(names[0], ta), (names[1], tb)] {
            let (low, high) = if max {
                (side, t.clone())
            } else {
                (t.clone(), side)
            };
            let proof = self.call(lemma, &[a, b]);
            self.fact(low, high, proof);
        }
        self.keep(e, &t);
        let (left, right) = if max {
            (self.le(e, a), self.le(e, b))
        } else {
            (self.le(a, e), self.le(b, e))
        };
        let proof = self.call(names[2], &[a, b]);
        self.choice(left, right, proof);
        t
    }

    fn shift(&mut self, e: Expr, a: Expr, k: Expr, left: bool) -> Option<Linear> {
        let two = self.el.mk_nat(2);
        let size = self.call("Nat.pow", &[two, k]);
        let (lemma, other) = if left {
            ("Nat.shiftLeft_eq", self.times(a, size))
        } else {
            (
                "Nat.shiftRight_eq_div_pow",
                self.call("Nat.div", &[a, size]),
            )
        };
        self.el.env.get(self.el.name(lemma))?;
        let t = self.atom(e);
        let proof = self.call(lemma, &[a, k]);
        self.equation(&t, e, other, proof);
        Some(t)
    }

    /// `a = b` at a type in the first universe.
    pub fn equal(&self, ty: &str, a: Expr, b: Expr) -> Expr {
        let st = self.el.st;
        let eq = st.constant(st.name("Eq"), &[st.level_nat(1)]);
        st.apps(eq, &[st.const0(ty), a, b])
    }

    /// Of `if c then x else y`: it is `x` where `c` holds, and `y` where it does not.
    pub fn alternatives(&mut self, e: Expr) -> Option<()> {
        let (name, args) = self.head(e)?;
        let (lemma, holds, fails, ty, x, y) = match (name.as_str(), &args[..]) {
            ("cond", [ty, b, x, y]) => {
                let truth = |v: &str| self.equal("Bool", *b, self.el.st.const0(v));
                let (holds, fails) = (truth("Bool.true"), truth("Bool.false"));
                ("Omega.cond_cases", holds, fails, *ty, *x, *y)
            }
            ("ite", [ty, c, _, x, y]) => {
                let not = self.call("Not", &[*c]);
                ("Omega.ite_cases", *c, not, *ty, *x, *y)
            }
            _ => return None,
        };
        let ty = self.head(ty)?.0;
        let side = |c: Expr, x: Expr| self.call("And", &[c, self.equal(&ty, e, x)]);
        let (left, right) = (side(holds, x), side(fails, y));
        let proof = self.call(lemma, &args);
        let (left, right) = (self.prop(left), self.prop(right));
        self.choice(left, right, proof);
        Some(())
    }
}

impl Reader<'_, '_> {
    /// `m·σ ≤ l`, or `l + 1 ≤ m·σ + m`, for the added variable `σ = l / m`.
    pub fn quotient_fact(&self, l: &Form, m: &BigUint, sigma: Var, upper: bool) -> Fact {
        let numerator = Linear::of_form(l);
        let (a, k) = (self.denote(&numerator), self.el.st.nat(m));
        let scaled = Linear::Scale(m.clone(), Box::new(Linear::Atom(sigma)));
        if upper {
            Fact {
                low: numerator.succ(),
                high: Linear::Add(Box::new(scaled), Box::new(Linear::Lit(m.clone()))),
                proof: self.call("Nat.lt_mul_div_succ", &[a, k, self.positive(m)]),
            }
        } else {
            Fact {
                low: scaled,
                high: numerator,
                proof: self.call("Nat.mul_div_le", &[a, k]),
            }
        }
    }
}
