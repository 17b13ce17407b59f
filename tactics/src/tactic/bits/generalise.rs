//! Unknowns that stand for terms: when two of them are the same, and which are not needed.

use num_bigint::BigUint;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

use super::exp::{Id, Node, log2, two};
use super::form::{Sum, TooLarge};
use super::plan::{Generalised, Key, Plan, Why};
use super::write::{bitwise, combination};

impl Plan<'_> {
    /// An unknown for a term.
    pub(super) fn generalise(&mut self, e: Id) -> Result<Id, TooLarge> {
        if let Some(a) = self.by_raw.get(&e) {
            return Ok(self.terms.add(Node::Atom(*a)));
        }
        let (key, why) = match self.key_sum(e)? {
            Some(s) => (Key::Sum(s), Why::Sums),
            None => (self.key_parts(e)?, Why::Parts),
        };
        let mut whole = false;
        let same_as = match (self.keys.get(&key), why) {
            (Some(b), _) => Some(self.terms.add(Node::Atom(*b))),
            (None, Why::Parts) => None,
            (None, _) => {
                let apart = match &key {
                    Key::Sum(s) => self.digits_apart(s)?,
                    Key::Parts(..) => None,
                };
                whole = apart.is_none();
                apart.or_else(|| self.wider(&key))
            }
        };
        let bound = self.terms.max(e) + 1u32;
        let a = self.terms.atom(bound);
        self.generalised.insert(
            a,
            Generalised {
                raw: e,
                same_as,
                why,
            },
        );
        self.by_raw.insert(e, a);
        // what is needed may have changed
        self.canonical.clear();
        if let Key::Sum(s) = &key
            && whole
        {
            self.narrower(s, a);
            self.sums.push((s.clone(), a));
        }
        if same_as.is_none() {
            self.keys.insert(key, a);
        }
        Ok(self.terms.add(Node::Atom(a)))
    }

    /// A sum whose last digits are those of single summands: these digits, and a multiple of a smaller sum.
    fn digits_apart(&mut self, s: &Sum) -> Result<Option<Id>, TooLarge> {
        let Some((k, low, high)) = s.split() else {
            return Ok(None);
        };
        let low = (!low.is_zero()).then(|| bitwise(self.terms, &low));
        if high.is_zero() {
            return Ok(Some(low.unwrap_or_else(|| self.terms.lit(BigUint::zero()))));
        }
        let Some(sum) = combination(self.terms, &high) else {
            return Ok(None);
        };
        let sum = self.terms.add(Node::Mod(sum, two(high.width())));
        let sum = self.raw(sum);
        let part = self.digits(sum)?;
        let part = self.terms.add(Node::Scale(two(k), part));
        Ok(Some(match low {
            Some(low) => self.terms.add(Node::Add(low, part)),
            None => part,
        }))
    }

    /// A remainder of the unknown that stands for the same sum with the most digits.
    fn wider(&mut self, key: &Key) -> Option<Id> {
        let Key::Sum(s) = key else {
            return None;
        };
        let wide = self
            .sums
            .iter()
            .filter(|(t, _)| t.width() > s.width() && t.reduced(s.width()) == *s);
        let (_, b) = wide.max_by_key(|(t, _)| t.width())?;
        Some(self.remainder(*b, s.width()))
    }

    fn remainder(&mut self, b: usize, w: u32) -> Id {
        let atom = self.terms.add(Node::Atom(b));
        self.terms.add(Node::Mod(atom, two(w)))
    }

    /// Makes unknowns that stand for fewer digits of the same sum remainders of this one.
    fn narrower(&mut self, s: &Sum, a: usize) {
        let narrow: Vec<(usize, u32)> = self
            .sums
            .iter()
            .filter(|(t, _)| t.width() < s.width() && s.reduced(t.width()) == *t)
            .map(|(t, b)| (*b, t.width()))
            .collect();
        for (b, w) in narrow {
            // what it is a remainder of now, if it has fewer digits
            let fewer = self.same_as(b).is_none_or(|r| match self.terms.node(r) {
                Node::Mod(e, _) => self.terms.max(*e).bits() < u64::from(s.width()),
                _ => false,
            });
            if fewer {
                let r = self.remainder(a, w);
                if let Some(g) = self.generalised.get_mut(&b) {
                    g.same_as = Some(r);
                }
            }
        }
    }

    /// The value as a sum, if it is one.
    fn key_sum(&mut self, e: Id) -> Result<Option<Sum>, TooLarge> {
        use Node::*;
        let node = self.terms.node(e).clone();
        let sum = match &node {
            Mul(..) | Minus(..) => false,
            Sub(d, f) => self.terms.max(*f) <= d,
            Div(_, d) | Mod(_, d) => log2(d).is_some(),
            _ => true,
        };
        if !sum {
            return Ok(None);
        }
        let w = u32::try_from(self.terms.max(e).bits().max(1)).map_err(|_| TooLarge)?;
        let one = BigUint::one();
        let def = match &node {
            Mod(f, d) if log2(d) == Some(w) => self.summand(*f, &one, w)?,
            _ => self.summand(e, &one, w)?,
        };
        let def = self.canonical(def);
        let mut s = Sum::new(w);
        self.sum(def, &one, &mut s)?;
        Ok(Some(s))
    }

    /// The operation, with the forms of its arguments.
    fn key_parts(&mut self, e: Id) -> Result<Key, TooLarge> {
        use Node::*;
        let node = self.terms.node(e).clone();
        let mut forms = Vec::new();
        for f in node.children() {
            let p = self.digits(f)?;
            let p = self.canonical(p);
            forms.push(self.form(p)?.ok_or(TooLarge)?);
        }
        Ok(match &node {
            Mul(..) => {
                forms.sort();
                Key::Parts("mul", BigUint::zero(), forms)
            }
            Minus(..) => Key::Parts("minus", BigUint::zero(), forms),
            Sub(d, _) => Key::Parts("sub", d.clone(), forms),
            Div(_, d) => Key::Parts("div", d.clone(), forms),
            Mod(_, d) => Key::Parts("mod", d.clone(), forms),
            _ => return Err(TooLarge),
        })
    }

    /// A term with what unknowns stand for in their place.
    pub fn raw(&mut self, e: Id) -> Id {
        let order = self.terms.below(&[e]);
        let mut new: FxHashMap<Id, Id> = FxHashMap::default();
        for i in order {
            let id = match self.terms.node(i).clone() {
                Node::Atom(a) => self.generalised.get(&a).map_or(i, |g| g.raw),
                n => self.terms.add(n.map(|c| new.get(&c).copied().unwrap_or(c))),
            };
            new.insert(i, id);
        }
        new.get(&e).copied().unwrap_or(e)
    }

    /// What an unknown is the same as.
    pub fn same_as(&self, a: usize) -> Option<Id> {
        self.generalised.get(&a).and_then(|g| g.same_as)
    }

    /// A term as it is meant: with the terms that unknowns were read as.
    pub fn expanded(&mut self, e: Id) -> Id {
        self.replaced(e, &|g| matches!(g.why, Why::Read(_)))
    }

    /// A term without the unknowns that are not needed.
    pub fn canonical(&mut self, e: Id) -> Id {
        if let Some(c) = self.canonical.get(&e) {
            return *c;
        }
        let c = logic::subst::with_stack(|| match self.terms.node(e).clone() {
            Node::Atom(a) => match self.same_as(a) {
                Some(b) => self.canonical(b),
                None => e,
            },
            n => {
                let n = n.map(|c| self.canonical(c));
                self.terms.add(n)
            }
        });
        self.canonical.insert(e, c);
        c
    }

    fn replaced(&mut self, e: Id, which: &dyn Fn(&Generalised) -> bool) -> Id {
        let order = self.terms.below(&[e]);
        let mut new: FxHashMap<Id, Id> = FxHashMap::default();
        for i in order {
            let id = match self.terms.node(i).clone() {
                Node::Atom(a) => match self.generalised.get(&a).copied() {
                    Some(g) if which(&g) => match g.same_as {
                        Some(b) => logic::subst::with_stack(|| self.replaced(b, which)),
                        None => i,
                    },
                    _ => i,
                },
                n => self.terms.add(n.map(|c| new.get(&c).copied().unwrap_or(c))),
            };
            new.insert(i, id);
        }
        new.get(&e).copied().unwrap_or(e)
    }
}
