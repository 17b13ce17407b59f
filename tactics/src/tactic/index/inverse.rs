//! What equations of sums say of their parts: quotients and remainders of both sides, as far as these are known.
//!
//! From `i * n + j = i' * n + j'` with `j < n` and `j' < n` follows `i = i'`, since both sides have one quotient by `n`. The
//! quotients are found before the sides are joined: a class has one form.

use std::collections::BTreeSet;

use egg::Id;
use logic::Expr;

use super::engine::Engine;
use super::language::{Kind, Node};
use super::sums::{Form, Sums};

/// At most so many divisors of one equation are tried.
const MAX_DIVISORS: usize = 4;

impl Engine<'_, '_> {
    /// Whether there is something to be known of the parts of an equation.
    pub fn has_parts(&self, a: Id, b: Id) -> bool {
        let kind = |x: Id| self.kind(self.g.id_to_node(x));
        let sum = |k| matches!(k, Kind::Add | Kind::Mul | Kind::Xor);
        !self.is_known(a) && !self.is_known(b) && (sum(kind(a)) || sum(kind(b)))
    }

    /// Joins the sides of an equation, and what its sides are made of.
    pub fn join_parts(&mut self, a: Id, b: Id, h: Expr) {
        self.g.rebuild();
        let mut sums = Sums::default();
        let mut divisors: BTreeSet<Id> = BTreeSet::new();
        for form in [sums.form(self, a), sums.form(self, b)] {
            divisors.extend(self.candidates(&form));
        }
        let mut nodes: Vec<Node> = Vec::new();
        for k in divisors.into_iter().take(MAX_DIVISORS) {
            for kind in [Kind::Div, Kind::Mod] {
                for x in [a, b] {
                    let id = self.apply(kind, &[x, k]);
                    let op = self.g.id_to_node(id).op;
                    let kids = [self.g.find(x), self.g.find(k)];
                    nodes.push(Node {
                        op,
                        kids: Box::new(kids),
                    });
                }
            }
        }
        self.g.rebuild();
        let mut sums = Sums::default();
        for node in nodes {
            sums.divide(self, &node);
        }
        for x in [a, b] {
            let node = self.g.id_to_node(x).clone();
            if self.kind(&node) == Kind::Xor {
                for k in &*node.kids {
                    self.apply(Kind::Xor, &[x, *k]);
                    self.apply(Kind::Xor, &[*k, x]);
                }
            }
        }
        self.join("hypothesis", a, b, h);
        self.g.rebuild();
    }

    /// What a sum may be divided by: factors of its products.
    fn candidates(&mut self, form: &Form) -> Vec<Id> {
        let mut out = Vec::new();
        for (m, c) in form {
            if m.is_empty() {
                continue;
            }
            if m.len() > 1 {
                out.extend(m);
            }
            if c.magnitude().bits() > 1 {
                out.push(self.literal(c.magnitude()));
            }
        }
        out
    }
}
