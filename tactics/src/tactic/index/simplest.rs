//! The simplest term of each class: what arithmetic is done on, and what messages show.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use egg::Id;
use rustc_hash::FxHashMap;

use super::engine::Engine;
use super::language::{Kind, Node};

/// The cheapest node of each class, at one time.
#[derive(Clone, Debug, Default)]
pub(super) struct Best {
    nodes: FxHashMap<Id, (u64, Node)>,
    /// For how many unions this was found.
    unions: Option<usize>,
}

/// How hard an operation is to reason about.
fn cost(kind: Kind) -> u64 {
    match kind {
        Kind::Lit | Kind::Atom => 1,
        Kind::Add | Kind::Mul => 2,
        Kind::Sub => 3,
        Kind::Div | Kind::Mod => 4,
        Kind::Min | Kind::Max => 6,
        Kind::Alias => 1_000,
        _ => 20,
    }
}

impl Engine<'_, '_> {
    /// A node for the simplest term of a class.
    pub fn simplest(&mut self, id: Id) -> Id {
        if let Some(n) = self.value(id) {
            return self.literal(&n);
        }
        if self.best.unions != Some(self.table.len()) {
            self.find_best();
        }
        self.simplest_of(id).unwrap_or(id)
    }

    /// How hard the simplest term of a class is to reason about.
    pub fn price(&mut self, id: Id) -> u64 {
        if self.best.unions != Some(self.table.len()) {
            self.find_best();
        }
        let c = self.g.find(id);
        self.best
            .nodes
            .get(&c)
            .map_or(u64::MAX, |(price, _)| *price)
    }

    fn simplest_of(&mut self, id: Id) -> Option<Id> {
        let (_, node) = self.best.nodes.get(&self.g.find(id))?.clone();
        let mut kids = Vec::new();
        for k in &*node.kids {
            kids.push(logic::subst::with_stack(|| self.simplest_of(*k))?);
        }
        Some(self.node(node.op, &kids))
    }

    /// Costs from the leaves up: a node is settled when all its arguments are, the cheapest first.
    fn find_best(&mut self) {
        if !self.g.clean {
            self.g.rebuild();
        }
        let mut parents: FxHashMap<Id, Vec<(Id, Node)>> = FxHashMap::default();
        let mut queue: BinaryHeap<Reverse<(u64, Id, Node)>> = BinaryHeap::new();
        let mut all: Vec<_> = self.g.classes().map(|c| c.id).collect();
        all.sort_unstable();
        for c in all {
            for node in &self.g[c].nodes {
                if node.kids.is_empty() {
                    queue.push(Reverse((cost(self.kind(node)), c, node.clone())));
                }
                for k in &*node.kids {
                    parents.entry(*k).or_default().push((c, node.clone()));
                }
            }
        }
        let mut best: FxHashMap<Id, (u64, Node)> = FxHashMap::default();
        while let Some(Reverse((price, c, node))) = queue.pop() {
            if best.contains_key(&c) {
                continue;
            }
            best.insert(c, (price, node));
            for (p, n) in parents.get(&c).into_iter().flatten() {
                let kids: Option<u64> = n.kids.iter().map(|k| best.get(k).map(|(x, _)| *x)).sum();
                if let Some(kids) = kids
                    && !best.contains_key(p)
                {
                    let price = kids.saturating_add(cost(self.kind(n)));
                    queue.push(Reverse((price, *p, n.clone())));
                }
            }
        }
        self.best = Best {
            nodes: best,
            unions: Some(self.table.len()),
        };
    }
}
