//! What is said of a search: its figures, and why it failed.

use egg::{AstSize, Extractor, Id, RecExpr};
use logic::Expr;

use super::engine::Engine;
use super::language::Node;
use super::refute::Claim;
use super::saturate::Stop;
use crate::meta::ElabError;

impl Engine<'_, '_> {
    /// Records what a hypothesis says of the e-graph: bounds, and equations.
    pub fn note(&mut self, claim: &Claim, ty: Expr, h: Expr) {
        match claim {
            Claim::Lt(a, _) => {
                if let Some(ab) = self.el.match_app(ty, "Nat.lt", 2) {
                    self.below(*a, ab[1], h);
                }
            }
            Claim::Le(a, b) => {
                if let (Some(n), Some(ab)) = (self.value(*b), self.el.match_app(ty, "Nat.le", 2)) {
                    let (a_term, c) = (self.term(*a), self.computed());
                    let top = self.el.st.nat(&n);
                    let proof = match ab[1] == top {
                        true => h,
                        false => {
                            let refl = self.call("Nat.le_of_ble_eq_true", &[ab[1], top, c]);
                            self.call("Nat.le_trans", &[a_term, ab[1], top, h, refl])
                        }
                    };
                    self.at_most(*a, n, proof);
                }
            }
            Claim::Eq(a, b) => {
                self.join("hypothesis", *a, *b, h);
            }
            _ => {}
        }
    }

    /// The figures of a search that succeeded.
    pub fn report(&mut self, proof: Expr) {
        let _ = proof;
    }

    /// The error for a goal that fails at a point.
    pub fn refuted(&mut self, point: usize, left: Id, right: Id) -> ElabError {
        let (at, values) = self.shown(point, left, right);
        let mut err = ElabError::msg("`index`: the goal is false").note(format!("at: {at}"));
        if let Some((a, b)) = values {
            err = err.note(format!("there the left side is {a}, the right side {b}"));
        }
        err
    }

    /// The error for a search that found nothing.
    pub fn failed(&mut self, stop: Stop, left: Id, right: Id) -> ElabError {
        let (a, b) = (self.shortest(left), self.shortest(right));
        let (a, b) = (self.el.pp(a), self.el.pp(b));
        let what = match stop {
            Stop::Limit => "`index` gave up: the e-graph grows too large",
            _ => "`index` could not prove the goal",
        };
        ElabError::msg(what)
            .note(format!("left, as far as it got:  {a}"))
            .note(format!("right, as far as it got: {b}"))
            .note("no counterexample was found by evaluation")
    }

    /// The smallest term of a class.
    pub fn shortest(&mut self, id: Id) -> Expr {
        let (_, best) = Extractor::new(&self.g, AstSize).find_best(id);
        self.of_tree(&best)
    }

    fn of_tree(&self, t: &RecExpr<Node>) -> Expr {
        let mut out: Vec<Expr> = Vec::new();
        for (_, node) in t.items() {
            let args: Vec<Expr> = node.kids.iter().map(|k| out[usize::from(*k)]).collect();
            let head = self.g.analysis.ops.get(node.op).head;
            out.push(self.el.st.apps(head, &args));
        }
        out.pop().unwrap_or_else(|| self.el.mk_nat(0))
    }
}
