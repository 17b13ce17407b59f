//! What is said of a search: its figures, and why it failed.

use egg::Id;
use logic::Expr;
use num_bigint::BigUint;
use num_traits::Zero;

use super::engine::Engine;
use super::language::Kind;
use super::refute::Claim;
use super::saturate::Stop;
use crate::meta::ElabError;

impl Engine<'_, '_> {
    /// Records what a hypothesis says of the e-graph: bounds, and equations.
    pub fn note(&mut self, claim: &Claim, ty: Expr, h: Expr) {
        match claim {
            Claim::Lt(a, b) => {
                if let Some(ab) = self.el.match_app(ty, "Nat.lt", 2) {
                    self.below(*a, ab[1], h);
                    self.below_unknown(*a, *b, ab[0], ab[1], h);
                    if let Some(n) = self.value(*a) {
                        self.at_least(*b, n + 1u32, "Index.lower_of_lt", (ab[0], ab[1]), h);
                    }
                }
            }
            Claim::Le(a, b) => {
                if let Some(ab) = self.el.match_app(ty, "Nat.le", 2) {
                    if let Some(n) = self.value(*a) {
                        self.at_least(*b, n, "Index.lower_of_le", (ab[0], ab[1]), h);
                    }
                    if let Some(n) = self.value(*b)
                        && let Some(e) = self.is_literal(*b, ab[1], &n)
                    {
                        let (term, top) = (self.term(*a), self.el.st.nat(&n));
                        let proof = match ab[1] == top {
                            true => h,
                            false => self.call("Index.le_of_le_lit", &[term, ab[1], top, h, e]),
                        };
                        self.at_most(*a, n, proof);
                    }
                }
            }
            Claim::Eq(a, b) => {
                self.join("hypothesis", *a, *b, h);
            }
            _ => {}
        }
    }

    /// Records of the parts of a sum what is known of the sum.
    pub fn note_parts(&mut self, id: Id) {
        let node = self.g.id_to_node(id).clone();
        if self.kind(&node) != Kind::Add {
            return;
        }
        let Some((n, h)) = self.max(id) else {
            return;
        };
        let (x, y) = (self.term(node.kids[0]), self.term(node.kids[1]));
        let top = self.el.st.nat(&n);
        for (i, lemma) in ["Index.le_left", "Index.le_right"].into_iter().enumerate() {
            let proof = self.call(lemma, &[x, y, top, h]);
            self.at_most(node.kids[i], n.clone(), proof);
            self.note_parts(node.kids[i]);
        }
    }

    /// Records a bound by an unknown of which something was found out later.
    pub fn note_again(&mut self, claim: &Claim, ty: Expr, h: Expr) {
        if let Claim::Lt(a, _) | Claim::Le(a, _) = claim {
            self.note_parts(*a);
        }
        if let Claim::Lt(a, b) = claim
            && let Some(ab) = self.el.match_app(ty, "Nat.lt", 2)
        {
            self.below_unknown(*a, *b, ab[0], ab[1], h);
        }
    }

    /// Records `h`, a lower bound of a node by a literal that may be computed first.
    fn at_least(&mut self, b: Id, n: BigUint, lemma: &str, (x, y): (Expr, Expr), h: Expr) {
        if n.is_zero() || self.el.st.has_fvar(x) {
            return;
        }
        let proof = self.call(lemma, &[x, y, self.el.st.nat(&n), h, self.computed()]);
        self.lowest.push((b, n, proof));
    }

    /// From `h : a < b`, a bound of `a` by one of `b`.
    fn below_unknown(&mut self, a: Id, b: Id, x: Expr, y: Expr, h: Expr) {
        if self.is_known(b) {
            return;
        }
        self.g.rebuild();
        let Some((m, le)) = self.max(b) else {
            return;
        };
        if m.is_zero() {
            return;
        }
        let (top, c) = (self.el.st.nat(&m), self.computed());
        let lt = self.call("Nat.lt_of_lt_of_le", &[x, y, top, h, le]);
        let n = m - 1u32;
        let term = self.term(a);
        let least = self.el.st.nat(&n);
        let proof = self.call("Index.le_pred_of_lt", &[term, top, least, lt, c]);
        self.at_most(a, n, proof);
    }

    /// The error for a goal that fails at a point.
    pub fn refuted(&mut self, point: usize, left: Id, right: Id) -> ElabError {
        let err = ElabError::msg("`index`: the goal is false");
        self.at_point(err, point, left, right)
    }

    fn at_point(&mut self, err: ElabError, point: usize, left: Id, right: Id) -> ElabError {
        let (at, values) = self.shown(point, left, right);
        let err = match at.is_empty() {
            true => err.note("there is nothing unknown in it"),
            false => err.note(format!("at: {at}")),
        };
        match values {
            Some((a, b)) => err.note(format!("there the left side is {a}, the right side {b}")),
            None => err,
        }
    }

    /// The error for a search that found nothing.
    pub fn failed(&mut self, stop: Stop, point: Option<usize>, left: Id, right: Id) -> ElabError {
        let (a, b) = (self.simplest(left), self.simplest(right));
        let (a, b) = (self.term(a), self.term(b));
        let (a, b) = (self.el.pp(a), self.el.pp(b));
        let what = match stop {
            Stop::Limit => "`index` gave up: the e-graph grows too large",
            _ => "`index` could not prove the goal",
        };
        let err = ElabError::msg(what)
            .note(format!("left, as far as it got:  {a}"))
            .note(format!("right, as far as it got: {b}"));
        match point {
            None => err.note("no counterexample was found by evaluation"),
            Some(p) => {
                let err =
                    err.note("the sides differ where the hypotheses hold that are understood");
                self.at_point(err, p, left, right)
            }
        }
    }
}
