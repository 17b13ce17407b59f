//! Classes that have the same value wherever the hypotheses hold, as far as that was evaluated: `bits` and `omega` are asked
//! whether they are equal.

use std::collections::BTreeMap;

use egg::Id;
use logic::{Expr, Node as Term};
use num_bigint::BigUint;

use super::engine::Engine;
use crate::tactic::bits;

/// How often one search may ask `bits` about classes.
const MAX_BITS: usize = 24;

impl Engine<'_, '_> {
    /// A proof of `a = b` digit by digit.
    pub fn by_bits(&mut self, a: Expr, b: Expr) -> Option<Expr> {
        let p = self.equation(a, b);
        if self.bits_calls >= MAX_BITS || !self.no_bits.insert(p) {
            return None;
        }
        self.bits_calls += 1;
        bits::attempt(self.el, a, b)
    }

    /// Whether a term has operations on digits.
    pub fn has_digits(&self, e: Expr) -> bool {
        let st = self.el.st;
        let mut found = false;
        st.replace(e, |x, _| {
            if let Term::Const(n, _) = st.node(x)
                && matches!(
                    st.name_last(n),
                    Some(
                        "land" | "lor" | "xor" | "and" | "or" | "not" | "shiftLeft" | "shiftRight"
                    )
                )
            {
                found = true;
            }
            found.then_some(x)
        });
        found
    }

    /// Joins classes with the same values that are proved equal; the number of unions made.
    pub fn join_similar(&mut self) -> usize {
        if self.samples.is_empty() {
            return 0;
        }
        let mut groups: BTreeMap<Vec<BigUint>, Vec<Id>> = BTreeMap::new();
        for c in self.classes() {
            if let Some(values) = self.values_of(c) {
                groups.entry(values).or_default().push(c);
            }
        }
        let mut groups: Vec<Vec<Id>> = groups.into_values().filter(|g| g.len() > 1).collect();
        groups.sort();
        let mut new = 0;
        for group in groups {
            let first = group[0];
            for other in &group[1..] {
                new += usize::from(self.join_by_bits(first, *other).unwrap_or(false));
            }
        }
        self.g.rebuild();
        new
    }

    fn join_by_bits(&mut self, a: Id, b: Id) -> Option<bool> {
        if self.g.find(a) == self.g.find(b) {
            return Some(false);
        }
        let (na, nb) = (self.simplest(a), self.simplest(b));
        let (x, y) = (self.term(na), self.term(nb));
        let digits = self.has_digits(x) || self.has_digits(y);
        let proof = match digits {
            true => self.by_bits(x, y)?,
            false => {
                let p = self.equation(x, y);
                self.by_omega(p)?
            }
        };
        let proof = self.carried((a, na), (nb, b), proof)?;
        let rule = if digits { "bits" } else { "omega" };
        Some(self.join(rule, a, b, proof))
    }
}
