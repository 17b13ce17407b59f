//! Classes that have the same value wherever the hypotheses hold, as far as that was evaluated: `bits` and `omega` are asked
//! whether they are equal.

use std::collections::BTreeMap;

use egg::Id;
use logic::{Expr, Node as Term};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;

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

    /// Joins classes with the same values that are proved equal: those of the goal first, and one at a time, since more may
    /// follow from it by cheaper means. The number of unions made.
    pub fn join_similar(&mut self, left: Id, right: Id) -> usize {
        if self.samples.is_empty() {
            return 0;
        }
        let mut groups: BTreeMap<Vec<BigUint>, Vec<Id>> = BTreeMap::new();
        for c in self.classes() {
            if let Some(values) = self.values_of(c) {
                groups.entry(values).or_default().push(c);
            }
        }
        let of_goal = self.parts_of_goal(left, right);
        let mut pairs: Vec<(bool, u64, Id, Id)> = Vec::new();
        for group in groups.into_values() {
            let mut group: Vec<(u64, Id)> = group.into_iter().map(|c| (self.price(c), c)).collect();
            group.sort_unstable();
            let Some(((least, first), others)) = group.split_first() else {
                continue;
            };
            for (price, other) in others {
                let known = of_goal.contains(first) || of_goal.contains(other);
                pairs.push((!known, least.saturating_add(*price), *first, *other));
            }
        }
        pairs.sort_unstable();
        for (_, _, a, b) in pairs {
            if self.join_by_bits(a, b) == Some(true) {
                self.g.rebuild();
                return 1;
            }
        }
        0
    }

    /// The classes of the simplest terms of both sides.
    fn parts_of_goal(&mut self, left: Id, right: Id) -> FxHashSet<Id> {
        let mut seen = FxHashSet::default();
        let mut todo = vec![self.simplest(left), self.simplest(right)];
        while let Some(id) = todo.pop() {
            if seen.insert(self.g.find(id)) {
                todo.extend(self.g.id_to_node(id).kids.iter());
            }
        }
        seen
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
