//! What the checker is asked: which parts of two terms become unknowns, and modulo what they are compared.
//!
//! Digits of a sum with carries are not polynomials that one would want to write down. A sum whose digits are taken
//! becomes an unknown; sums that are equal modulo what is taken of them become the same one.

use std::collections::{BTreeMap, BTreeSet};

use logic::Expr;
use num_bigint::BigUint;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

use super::exp::{Id, Node, Terms, log2, two};
use super::form::{Form, Sum, TooLarge};

/// What makes two generalised terms the same unknown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// The value of a sum.
    Sum(Sum),
    /// An operation of which only the size is known, with its constant and the forms of its arguments.
    Parts(&'static str, BigUint, Vec<Form>),
}

/// An unknown that stands for a term.
#[derive(Clone, Copy, Debug)]
pub struct Generalised {
    /// The term, in terms of the unknowns that were read.
    pub raw: Id,
    /// A term that is the same, if this unknown is not needed after all.
    pub same_as: Option<Id>,
    /// Why it is the same.
    pub why: Why,
}

/// Why an unknown is the same as a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// They are equal as sums.
    Sums,
    /// They are the same operation of equal arguments.
    Parts,
    /// A mask looks at the low digits only, this many.
    Mask(u32),
    /// By a lemma that was found when the term was read.
    Read(Expr),
}

/// What to ask the checker about two terms.
#[derive(Clone, Debug)]
pub struct Question {
    /// The first term, with unknowns for some of its parts.
    pub left: Id,
    /// The second.
    pub right: Id,
    /// How to compare them.
    pub how: How,
}

/// A way to compare.
#[derive(Clone, Debug)]
pub enum How {
    /// By their forms.
    Forms,
    /// By their difference modulo `2 ^ w`, with multiples of the equations of unknowns that stand for terms.
    Sums {
        /// The exponent.
        w: u32,
        /// Factor, unknown, and what it stands for.
        uses: Vec<(BigUint, usize, Id)>,
    },
}

/// Why two terms are not seen to be equal.
#[derive(Clone, Debug)]
pub enum Differ {
    /// Too much work.
    TooLarge,
    /// Nothing is left that could be generalised: the difference, as a form.
    Form {
        /// The terms as they were compared.
        left: Form,
        /// The second.
        right: Form,
    },
    /// The same, as sums.
    Sum {
        /// The terms as they were compared.
        left: Sum,
        /// The second.
        right: Sum,
        /// Their difference.
        difference: Sum,
    },
}

impl From<TooLarge> for Differ {
    fn from(_: TooLarge) -> Differ {
        Differ::TooLarge
    }
}

/// The terms and what was generalised in them.
pub struct Plan<'t> {
    /// The table.
    pub terms: &'t mut Terms,
    /// The unknowns that stand for terms, by number.
    pub generalised: BTreeMap<usize, Generalised>,
    pub(super) canonical: FxHashMap<Id, Id>,
    pub(super) keys: BTreeMap<Key, usize>,
    pub(super) sums: Vec<(Sum, usize)>,
    pub(super) by_raw: FxHashMap<Id, usize>,
    prepared: FxHashMap<Id, Id>,
    summands: FxHashMap<(Id, BigUint, u32), Id>,
    forms: FxHashMap<Id, Option<Form>>,
}

impl<'t> Plan<'t> {
    /// Nothing generalised yet but the unknowns that were read as other terms, each with its proof.
    pub fn new(terms: &'t mut Terms, read: &[(usize, Id, Expr)]) -> Self {
        let generalised = read
            .iter()
            .map(|(a, e, proof)| {
                let g = Generalised {
                    raw: *e,
                    same_as: Some(*e),
                    why: Why::Read(*proof),
                };
                (*a, g)
            })
            .collect();
        Plan {
            terms,
            generalised,
            canonical: FxHashMap::default(),
            keys: BTreeMap::new(),
            sums: Vec::new(),
            by_raw: FxHashMap::default(),
            prepared: FxHashMap::default(),
            summands: FxHashMap::default(),
            forms: FxHashMap::default(),
        }
    }

    /// How to see that the terms are equal.
    pub fn question(&mut self, e: Id, f: Id) -> Result<Question, Differ> {
        let forms = match self.by_forms(e, f) {
            Ok(q) => return Ok(q),
            Err(d) => d,
        };
        self.by_sums(e, f).map_err(|d| match d {
            Differ::TooLarge => forms,
            d => d,
        })
    }

    fn by_forms(&mut self, e: Id, f: Id) -> Result<Question, Differ> {
        let (left, right) = (self.digits(e)?, self.digits(f)?);
        let (l, r) = (self.canonical(left), self.canonical(right));
        let how = How::Forms;
        match (self.form(l)?, self.form(r)?) {
            (Some(a), Some(b)) if a == b => Ok(Question { left, right, how }),
            (Some(left), Some(right)) => Err(Differ::Form { left, right }),
            _ => Err(Differ::TooLarge),
        }
    }

    /// How to see that the terms are equal as sums.
    pub fn by_sums(&mut self, e: Id, f: Id) -> Result<Question, Differ> {
        let max = self.terms.max(e).max(self.terms.max(f)).clone();
        let w = u32::try_from(max.bits().max(1)).map_err(|_| Differ::TooLarge)?;
        let one = BigUint::one();
        let (left, right) = (self.summand(e, &one, w)?, self.summand(f, &one, w)?);
        let (l, r) = (self.canonical(left), self.canonical(right));
        let minus = two(w) - 1u32;
        let mut difference = Sum::new(w);
        self.sum(l, &one, &mut difference)?;
        self.sum(r, &minus, &mut difference)?;
        let first = difference.clone();
        let uses = self.unfold(&mut difference)?;
        if difference.is_zero() {
            let how = How::Sums { w, uses };
            return Ok(Question { left, right, how });
        }
        let (mut a, mut b) = (Sum::new(w), Sum::new(w));
        self.sum(l, &one, &mut a)?;
        self.sum(r, &one, &mut b)?;
        Err(Differ::Sum {
            left: a,
            right: b,
            difference: first,
        })
    }

    /// Puts the terms in place of unknowns that stand for them where these occur by themselves.
    fn unfold(&mut self, difference: &mut Sum) -> Result<Vec<(BigUint, usize, Id)>, TooLarge> {
        let w = difference.width();
        let mut uses: Vec<(BigUint, usize, Id)> = Vec::new();
        let mut seen = BTreeSet::new();
        loop {
            // the newest first: what it stands for has older ones, or new ones
            let next = self.generalised.iter().rev().find_map(|(a, g)| {
                let c = difference.coefficient(*a)?;
                let fresh = g.same_as.is_none() && !seen.contains(a);
                fresh.then(|| (*a, g.raw, c.clone()))
            });
            let Some((a, raw, c)) = next else {
                return Ok(uses);
            };
            seen.insert(a);
            let def = self.summand(raw, &c, w)?;
            let canonical = self.canonical(def);
            if *self.terms.node(canonical) == Node::Atom(a) {
                continue;
            }
            // c·a + (-c)·(a - e) = c·e
            let minus_c = two(w) - &c;
            let atom = self.terms.add(Node::Atom(a));
            self.sum(atom, &minus_c, difference)?;
            self.sum(canonical, &c, difference)?;
            uses.push((minus_c, a, def));
        }
    }

    /// The form of a prepared term; `None` if it has none.
    pub(super) fn form(&mut self, e: Id) -> Result<Option<Form>, TooLarge> {
        if let Some(f) = self.forms.get(&e) {
            return Ok(f.clone());
        }
        let f = logic::subst::with_stack(|| self.form_of(e))?;
        self.forms.insert(e, f.clone());
        Ok(f)
    }

    fn form_of(&mut self, e: Id) -> Result<Option<Form>, TooLarge> {
        use Node::*;
        let node = self.terms.node(e).clone();
        let mut below = Vec::new();
        for c in node.children() {
            match self.form(c)? {
                Some(f) => below.push(f),
                None => return Ok(None),
            }
        }
        Ok(match (&node, &below[..]) {
            (Atom(a), _) => Some(Form::atom(*a, &self.terms.bounds[*a])),
            (Lit(n), _) => Some(Form::constant(n.clone())),
            (Add(..), [a, b]) if a.and(b)?.is_zero() => Some(a.xor(b)?),
            (Scale(k, _) | Scaled(_, k), [a]) => a.scale(k)?,
            (Sub(d, _), [a]) if a.within(d) => Some(a.xor(&Form::constant(d.clone()))?),
            (Xor(..), [a, b]) => Some(a.xor(b)?),
            (And(..), [a, b]) => Some(a.and(b)?),
            (Or(..), [a, b]) => Some(a.and(b)?.xor(&a.xor(b)?)?),
            (Shl(_, k), [a]) => Some(a.shl(*k)),
            (Shr(_, k), [a]) => Some(a.shr(*k)),
            (Div(_, d), [a]) => log2(d).map(|k| a.shr(k)),
            (Mod(_, d), [a]) => log2(d).map(|_| a.mask(&(d - 1u32))),
            _ => None,
        })
    }

    /// A term whose digits are wanted, with unknowns for what has no form.
    pub(super) fn digits(&mut self, e: Id) -> Result<Id, TooLarge> {
        if let Some(p) = self.prepared.get(&e) {
            return Ok(*p);
        }
        let p = logic::subst::with_stack(|| self.prepare_digits(e))?;
        self.prepared.insert(e, p);
        Ok(p)
    }

    fn prepare_digits(&mut self, e: Id) -> Result<Id, TooLarge> {
        use Node::*;
        let node = self.terms.node(e).clone();
        match &node {
            Atom(_) | Lit(_) => return Ok(e),
            Mul(..) | Minus(..) => return self.generalise(e),
            Div(_, d) | Mod(_, d) if log2(d).is_none() => return self.generalise(e),
            _ => {}
        }
        if let Some(p) = self.masked_sum(e)? {
            return Ok(p);
        }
        let mut parts = Vec::new();
        for c in node.children() {
            // the digits of a remainder of a sum are those of the remainder
            if let Mod(_, d) = &node
                && !d.is_one()
                && self.carries(c)?
            {
                return self.generalise(e);
            }
            parts.push(self.digits(c)?);
        }
        let mut parts = parts.into_iter();
        let new = node.map(|c| parts.next().unwrap_or(c));
        let new = self.terms.add(new);
        let canonical = self.canonical(new);
        if self.form(canonical)?.is_none() {
            return self.generalise(e);
        }
        Ok(new)
    }

    /// Is the term a sum with carries?
    fn carries(&mut self, e: Id) -> Result<bool, TooLarge> {
        let p = self.digits(e)?;
        let Node::Atom(a) = self.terms.node(p) else {
            return Ok(false);
        };
        Ok(p != e
            && self
                .generalised
                .get(a)
                .is_some_and(|g| matches!(g.why, Why::Sums)))
    }

    /// `x &&& m` for a sum with carries: as `x % 2 ^ k &&& m`.
    fn masked_sum(&mut self, e: Id) -> Result<Option<Id>, TooLarge> {
        let Node::And(a, b) = *self.terms.node(e) else {
            return Ok(None);
        };
        let (x, m, front) = match (self.terms.node(a), self.terms.node(b)) {
            (_, Node::Lit(m)) => (a, m.clone(), false),
            (Node::Lit(m), _) => (b, m.clone(), true),
            _ => return Ok(None),
        };
        let Ok(k) = u32::try_from(m.bits()) else {
            return Ok(None);
        };
        if k == 0 || *self.terms.max(x) < two(k) || !self.carries(x)? {
            return Ok(None);
        }
        let low = self.terms.add(Node::Mod(x, two(k)));
        let both = if front {
            Node::And(a, low)
        } else {
            Node::And(low, b)
        };
        let raw = self.terms.add(both);
        let same = self.digits(raw)?;
        let bound = self.terms.max(e) + 1u32;
        let a = self.terms.atom(bound);
        self.generalised.insert(
            a,
            Generalised {
                raw: e,
                same_as: Some(same),
                why: Why::Mask(k),
            },
        );
        Ok(Some(self.terms.add(Node::Atom(a))))
    }

    /// `c` times a term as a summand modulo `2 ^ w`, with unknowns for what is no sum.
    pub(super) fn summand(&mut self, e: Id, c: &BigUint, w: u32) -> Result<Id, TooLarge> {
        let key = (e, c.clone(), w);
        if let Some(p) = self.summands.get(&key) {
            return Ok(*p);
        }
        let p = logic::subst::with_stack(|| self.prepare_summand(e, c, w))?;
        self.summands.insert(key, p);
        Ok(p)
    }

    fn prepare_summand(&mut self, e: Id, c: &BigUint, w: u32) -> Result<Id, TooLarge> {
        use Node::*;
        let node = self.terms.node(e).clone();
        let modulus = two(w);
        let factor = match &node {
            Atom(_) | Lit(_) => return Ok(e),
            Add(..) => c.clone(),
            Scale(k, _) | Scaled(_, k) => (c * k) % &modulus,
            Shl(_, k) => (c << *k) % &modulus,
            Sub(d, f) if self.terms.max(*f) <= d => (c * (&modulus - 1u32)) % &modulus,
            Sub(..) => return self.generalise(e),
            Mod(f, d) if Terms::vanishes(c, d, w) || self.terms.max(*f) < d => c.clone(),
            _ => return self.digits(e),
        };
        let mut parts = Vec::new();
        for f in node.children() {
            parts.push(self.summand(f, &factor, w)?);
        }
        let mut parts = parts.into_iter();
        let new = node.map(|f| parts.next().unwrap_or(f));
        Ok(self.terms.add(new))
    }

    /// `c` times a prepared summand added to a sum.
    pub(super) fn sum(&mut self, e: Id, c: &BigUint, out: &mut Sum) -> Result<(), TooLarge> {
        use Node::*;
        let node = self.terms.node(e).clone();
        let modulus = two(out.width());
        let factor = match &node {
            Lit(n) => return out.constant(c, n),
            Add(..) => c.clone(),
            Scale(k, _) | Scaled(_, k) => (c * k) % &modulus,
            Shl(_, k) => (c << *k) % &modulus,
            Sub(d, f) if self.terms.max(*f) <= d => {
                out.constant(c, d)?;
                (c * (&modulus - 1u32)) % &modulus
            }
            Mod(f, d) if Terms::vanishes(c, d, out.width()) || self.terms.max(*f) < d => c.clone(),
            _ => {
                return match self.form(e)? {
                    Some(f) => out.form(c, &f),
                    None => Err(TooLarge),
                };
            }
        };
        for f in node.children() {
            logic::subst::with_stack(|| self.sum(f, &factor, out))?;
        }
        Ok(())
    }
}

/// Values of the unknowns that were read at which the terms differ, if the difference tells.
pub fn witness(d: &Differ, read: usize) -> Option<Vec<BigUint>> {
    let bits = match d {
        Differ::TooLarge => return None,
        Differ::Form { left, right } => left.xor(right).ok()?.witness()?,
        Differ::Sum { difference, .. } => difference.witness()?,
    };
    let mut x = vec![BigUint::zero(); read];
    for (a, i) in bits {
        x.get_mut(a)?.set_bit(i, true);
    }
    Some(x)
}
