//! Explanations of the e-graph as kernel terms.
//!
//! egg explains why two nodes are in one class by a chain of terms, in which each comes from the one before by a union
//! (whose proof is in the side table) or by such chains for its arguments. A chain becomes transitivity, a step below an
//! operation becomes congruence; parts that occur again are built once.

use std::rc::Rc;

use egg::{Id, TreeTerm};
use logic::Expr;
use rustc_hash::FxHashMap;

use super::engine::Engine;
use super::language::Node;

/// Two terms and the proof that they are equal, if they are not the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    /// Where it begins.
    pub from: Expr,
    /// Where it ends.
    pub to: Expr,
    /// The proof.
    pub proof: Option<Expr>,
}

impl Chain {
    /// A term is itself.
    pub fn same(x: Expr) -> Self {
        Chain {
            from: x,
            to: x,
            proof: None,
        }
    }

    /// Two terms with a proof.
    pub fn step(from: Expr, to: Expr, proof: Expr) -> Self {
        Chain {
            from,
            to,
            proof: Some(proof),
        }
    }
}

impl Engine<'_, '_> {
    /// A proof that two nodes of one class stand for equal terms; `None` inside if they are the same term. `None` if they
    /// are not in one class.
    pub fn equal(&mut self, a: Id, b: Id) -> Option<Chain> {
        let (from, to) = (self.term(a), self.term(b));
        if from == to {
            return Some(Chain::same(from));
        }
        if self.g.find(a) != self.g.find(b) {
            return None;
        }
        if let Some(c) = self.chains.get(&(a, b)) {
            return Some(*c);
        }
        let explanation = self.g.explain_id_equivalence(a, b);
        let mut done = FxHashMap::default();
        let chain = self.chain(&explanation.explanation_trees, &mut done)?;
        if chain.from != from || chain.to != to {
            return None;
        }
        self.chains.insert((a, b), chain);
        Some(chain)
    }

    fn chain(
        &mut self,
        steps: &[Rc<TreeTerm<Node>>],
        done: &mut FxHashMap<*const TreeTerm<Node>, Chain>,
    ) -> Option<Chain> {
        let (first, rest) = steps.split_first()?;
        let mut all = self.inside(first, done)?;
        for step in rest {
            if let Some((rule, forward)) = step
                .forward_rule
                .map(|r| (r, true))
                .or(step.backward_rule.map(|r| (r, false)))
            {
                let number: usize = rule.as_str().rsplit_once('#')?.1.parse().ok()?;
                let j = *self.table.get(number)?;
                let next = if forward {
                    Chain::step(j.left, j.right, j.proof)
                } else {
                    let proof = self.symm(j.left, j.right, j.proof);
                    Chain::step(j.right, j.left, proof)
                };
                all = self.then(all, next)?;
            }
            let next = self.inside(step, done)?;
            all = self.then(all, next)?;
        }
        Some(all)
    }

    /// What happens below the operation of a step.
    fn inside(
        &mut self,
        step: &Rc<TreeTerm<Node>>,
        done: &mut FxHashMap<*const TreeTerm<Node>, Chain>,
    ) -> Option<Chain> {
        if let Some(c) = done.get(&Rc::as_ptr(step)) {
            return Some(*c);
        }
        let head = self.g.analysis.ops.get(step.node.op).head;
        let mut parts = Vec::new();
        for child in &step.child_proofs {
            parts.push(logic::subst::with_stack(|| self.chain(child, done))?);
        }
        let c = self.congruent(head, &parts)?;
        done.insert(Rc::as_ptr(step), c);
        Some(c)
    }

    /// `f a₁ … = f b₁ …` from equations of the arguments.
    pub fn congruent(&mut self, head: Expr, parts: &[Chain]) -> Option<Chain> {
        let st = self.el.st;
        let from: Vec<Expr> = parts.iter().map(|p| p.from).collect();
        let to: Vec<Expr> = parts.iter().map(|p| p.to).collect();
        let mut whole = Chain {
            from: st.apps(head, &from),
            to: st.apps(head, &to),
            proof: None,
        };
        let proof = |p: &Chain| p.proof.unwrap_or_else(|| self.refl(p.from));
        if parts.iter().any(|p| p.proof.is_some()) {
            whole.proof = Some(match parts {
                [a] => self.call("Index.congr₁", &[head, a.from, a.to, proof(a)]),
                [a, b] => self.call(
                    "Index.congr₂",
                    &[head, a.from, a.to, b.from, b.to, proof(a), proof(b)],
                ),
                // functions of more arguments are atoms
                _ => return None,
            });
        }
        Some(whole)
    }

    /// `b = a` from `a = b`.
    pub fn symm(&self, a: Expr, b: Expr, proof: Expr) -> Expr {
        self.call("Index.symm", &[a, b, proof])
    }

    /// First one, then the other.
    pub fn then(&self, a: Chain, b: Chain) -> Option<Chain> {
        if a.to != b.from {
            return None;
        }
        Some(Chain {
            from: a.from,
            to: b.to,
            proof: match (a.proof, b.proof) {
                (Some(p), Some(q)) => Some(self.call("Index.trans", &[a.from, a.to, b.to, p, q])),
                (p, q) => p.or(q),
            },
        })
    }

    /// `left = right`, by a proof of the equation of a term that `left` is equal to and of one that `right` is.
    pub fn carried(
        &mut self,
        (left, a): (Id, Id),
        (b, right): (Id, Id),
        proof: Expr,
    ) -> Option<Expr> {
        let (first, last) = (self.equal(left, a)?, self.equal(b, right)?);
        let all = self.then(first, Chain::step(first.to, last.from, proof))?;
        self.then(all, last)?.proof
    }

    /// The other way round.
    pub fn back(&self, c: Chain) -> Chain {
        Chain {
            from: c.to,
            to: c.from,
            proof: c.proof.map(|p| self.symm(c.from, c.to, p)),
        }
    }
}
