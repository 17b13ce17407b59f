//! Saturation: rules, sums, quotients of sums, until both sides are in one class or nothing is new.

use egg::{Id, Pattern};
use num_traits::Zero;
use rustc_hash::FxHashSet;

use super::engine::Engine;
use super::language::{Kind, Node};
use super::rules::Rule;
use super::sums::Sums;

/// How many rounds there may be.
const MAX_ROUNDS: usize = 24;
/// How many nodes the e-graph may have.
pub(super) const MAX_NODES: usize = 12_000;
/// From so many nodes on, what is expensive is tried although something is new; then at twice as many, and so on.
const CROWD: usize = 1_000;
/// How many matches of a rule one round looks at.
const MAX_MATCHES: usize = 400;

/// Why saturation stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// Both sides are in one class.
    Equal,
    /// Nothing is new.
    Saturated,
    /// Too many rounds or nodes.
    Limit,
}

impl Engine<'_, '_> {
    /// Saturates until the two nodes are in one class.
    pub fn saturate(&mut self, rules: &[Rule], left: Id, right: Id) -> Stop {
        let mut patterns: Vec<(usize, Pattern<Node>)> = Vec::new();
        for (i, r) in rules.iter().enumerate() {
            if let Some(p) = self.pattern(r) {
                patterns.push((i, p));
            }
        }
        let mut applied: FxHashSet<(usize, Vec<Id>)> = FxHashSet::default();
        let mut crowd = CROWD;
        for round in 0..MAX_ROUNDS {
            self.rounds = round + 1;
            if self.g.analysis.conflict.is_some() {
                return Stop::Limit;
            }
            let mut new = self.compute() + self.define_words();
            new += self.join_pinned() + self.join_zeros();
            new += self.compute();
            if self.g.find(left) == self.g.find(right) {
                return Stop::Equal;
            }
            new += self.apply_rules(rules, &patterns, &mut applied);
            new += self.compute();
            if self.g.find(left) == self.g.find(right) {
                return Stop::Equal;
            }
            let classes = self.classes();
            let mut sums = Sums::default();
            new += sums.join_equal(self, &classes);
            self.g.rebuild();
            if self.g.find(left) == self.g.find(right) {
                return Stop::Equal;
            }
            let classes = self.classes();
            let mut sums = Sums::default();
            for c in classes {
                if self.is_known(c) {
                    continue;
                }
                let quotient = |n: &&Node| matches!(self.kind(n), Kind::Div | Kind::Mod);
                let nodes: Vec<Node> = self.g[c].nodes.iter().filter(quotient).cloned().collect();
                for node in nodes {
                    new += sums.divide(self, &node).unwrap_or(0);
                }
            }
            self.g.rebuild();
            // cheap means first, then conditions that take a search, then guesses; sooner where there is more and more
            if self.patient {
                let joined = self.join_similar(left, right);
                if new + joined == 0 {
                    return Stop::Saturated;
                }
                self.patient = false;
            } else {
                let crowded = self.g.total_number_of_nodes() > crowd;
                crowd *= if crowded { 2 } else { 1 };
                self.patient = new == 0 || crowded;
            }
            if self.g.total_number_of_nodes() > MAX_NODES {
                return Stop::Limit;
            }
        }
        if self.g.find(left) == self.g.find(right) {
            return Stop::Equal;
        }
        Stop::Limit
    }

    /// The classes in the order of their numbers.
    pub fn classes(&self) -> Vec<Id> {
        let mut all: Vec<Id> = self.g.classes().map(|c| c.id).collect();
        all.sort_unstable();
        all
    }

    /// Gives operations on literals their values.
    fn compute(&mut self) -> usize {
        let mut all = 0;
        loop {
            self.g.rebuild();
            let mut new = 0;
            for c in self.classes() {
                if self.is_known(c) {
                    continue;
                }
                let closed =
                    |n: &&Node| !n.kids.is_empty() && n.kids.iter().all(|k| self.is_known(*k));
                let nodes: Vec<Node> = self.g[c].nodes.iter().filter(closed).cloned().collect();
                for node in nodes {
                    let id = self.node(node.op, &node.kids);
                    new += usize::from(self.fold(id));
                }
            }
            all += new;
            if new == 0 {
                return all;
            }
        }
    }

    fn apply_rules(
        &mut self,
        rules: &[Rule],
        patterns: &[(usize, Pattern<Node>)],
        applied: &mut FxHashSet<(usize, Vec<Id>)>,
    ) -> usize {
        let mut found = Vec::new();
        for (i, p) in patterns {
            for (c, s) in self.matches(p, MAX_MATCHES) {
                // of a literal there is nothing to be found out, but what a mask says that gives 0
                let known = self.value(c);
                let of_mask = || self.el.match_app(rules[*i].left, "Nat.land", 2).is_some();
                if known.is_none_or(|n| n.is_zero() && of_mask()) {
                    found.push((*i, s));
                }
            }
        }
        let mut new = 0;
        for (i, s) in found {
            if self.g.total_number_of_nodes() > MAX_NODES {
                break;
            }
            let at = self.arguments(&rules[i], &s);
            if applied.contains(&(i, at.clone())) {
                continue;
            }
            let Some(instance) = self.instance(&rules[i], &s) else {
                continue;
            };
            applied.insert((i, at));
            let (l, r) = (self.reify(instance.left), self.reify(instance.right));
            new += usize::from(self.join(&rules[i].name, l, r, instance.proof));
        }
        new
    }
}
