//! The rules: theorems marked `@[index]`, read as equations from left to right.
//!
//! The variables of a rule are natural numbers; its hypotheses are conditions. A variable that the left side does not have
//! is found by a hypothesis `e = v` in which all of `e` is known to be a literal.

use egg::{ENodeOrVar, Id, Pattern, PatternAst, RecExpr, Searcher, Subst, Var};
use logic::{Expr, Name, Node as Term};

use super::engine::Engine;
use super::language::Node;
use crate::meta::{Elab, Result};

/// A theorem `∀ x₁ …, h₁ → … → left = right`.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// Its name, for messages.
    pub name: String,
    proof: Expr,
    /// The types of its variables and conditions.
    binders: Vec<(Expr, bool)>,
    left: Expr,
    right: Expr,
    /// Read from right to left.
    reversed: bool,
}

/// An instance of a rule that holds.
pub(super) struct Instance {
    /// Its left side.
    pub left: Expr,
    /// Its right side.
    pub right: Expr,
    /// The proof that they are equal.
    pub proof: Expr,
}

/// The attribute of theorems that are rules.
pub(super) const ATTRIBUTE: &str = "index";

/// Reads a proof as a rule. `None` if it is no equation of natural numbers.
pub(super) fn read(
    el: &mut Elab<'_>,
    name: String,
    proof: Expr,
    reversed: bool,
) -> Result<Option<Rule>> {
    let st = el.st;
    let ty = el.infer_type(proof)?;
    let mut ty = el.instantiate_mvars(ty);
    let nat = st.const0("Nat");
    let mut binders = Vec::new();
    while let Term::Pi(_, t, body, _) = st.node(ty) {
        binders.push((t, t == nat));
        ty = body;
    }
    let Some((kind, a, b)) = el.match_eq(ty) else {
        return Ok(None);
    };
    if kind != nat {
        return Ok(None);
    }
    let (left, right) = if reversed { (b, a) } else { (a, b) };
    if matches!(st.node(left), Term::BVar(_)) {
        return Ok(None);
    }
    Ok(Some(Rule {
        name,
        proof,
        binders,
        left,
        right,
        reversed,
    }))
}

/// Reads a theorem.
pub(super) fn of_theorem(el: &mut Elab<'_>, n: Name, reversed: bool) -> Result<Option<Rule>> {
    let proof = el.mk_const(n)?;
    let name = el.st.name_last(n).unwrap_or("rule").to_owned();
    read(el, name, proof, reversed)
}

impl Engine<'_, '_> {
    /// The pattern of a rule's left side.
    pub fn pattern(&mut self, rule: &Rule) -> Option<Pattern<Node>> {
        let mut ast: PatternAst<Node> = RecExpr::default();
        self.pattern_of(rule.left, rule.binders.len() as u32, &mut ast)?;
        Some(Pattern::new(ast))
    }

    fn pattern_of(&mut self, e: Expr, count: u32, ast: &mut PatternAst<Node>) -> Option<Id> {
        let st = self.el.st;
        if let Term::BVar(i) = st.node(e) {
            return Some(ast.add(ENodeOrVar::Var(Var::from_u32(count.checked_sub(i + 1)?))));
        }
        if !st.has_loose_bvars(e) {
            let node = match self.el.nat_lit(e) {
                Some(n) => self.g.analysis.ops.literal(st, &n),
                None => self.g.analysis.ops.atom(e),
            };
            let kids = Box::new([]);
            return Some(ast.add(ENodeOrVar::ENode(Node { op: node, kids })));
        }
        let (f, args) = st.unfold_app(e);
        if args.is_empty() || st.has_loose_bvars(f) {
            return None;
        }
        let mut kids = Vec::new();
        for a in &args {
            kids.push(self.pattern_of(*a, count, ast)?);
        }
        let op = self.g.analysis.ops.function(st, f, args.len());
        Some(ast.add(ENodeOrVar::ENode(Node {
            op,
            kids: kids.into(),
        })))
    }

    /// Where a rule's left side occurs, in an order that depends on nothing but the e-graph.
    pub fn matches(&self, pattern: &Pattern<Node>, limit: usize) -> Vec<(Id, Subst)> {
        let mut found = Vec::new();
        for m in pattern.search_with_limit(&self.g, limit) {
            for s in m.substs {
                found.push((m.eclass, s));
            }
        }
        found
    }

    /// The instance of a rule at a place, if its conditions hold.
    pub fn instance(&mut self, rule: &Rule, subst: &Subst) -> Option<Instance> {
        let st = self.el.st;
        let mut args: Vec<Option<Expr>> = Vec::new();
        for i in 0..rule.binders.len() {
            let id = subst.get(Var::from_u32(i as u32)).copied();
            args.push(match id {
                None => None,
                Some(id) => {
                    let id = match self.value(id) {
                        Some(n) => self.literal(&n),
                        None => self.g.find(id),
                    };
                    Some(self.term(id))
                }
            });
        }
        for (i, (ty, variable)) in rule.binders.iter().enumerate() {
            if *variable {
                continue;
            }
            // `e = v` finds `v`
            if let Some((_, e, v)) = self.el.match_eq(*ty)
                && let Term::BVar(k) = st.node(v)
                && let Some(at) = i.checked_sub(k as usize + 1)
                && args[at].is_none()
            {
                let e = self.filled(e, &args[..i])?;
                let n = self.evaluated(e)?;
                let n = st.nat(&n);
                args[at] = Some(n);
                args[i] = Some(self.refl(n));
                continue;
            }
            let condition = self.filled(*ty, &args[..i])?;
            args[i] = Some(self.discharge(condition)?);
        }
        let left = self.filled(rule.left, &args)?;
        let right = self.filled(rule.right, &args)?;
        let args: Option<Vec<Expr>> = args.into_iter().collect();
        let proof = st.apps(rule.proof, &args?);
        let proof = match rule.reversed {
            false => proof,
            true => self.symm(right, left, proof),
        };
        Some(Instance { left, right, proof })
    }

    /// A part of a rule with its variables filled in. `None` if one is not known that occurs.
    fn filled(&self, e: Expr, args: &[Option<Expr>]) -> Option<Expr> {
        let st = self.el.st;
        let missing = st.const0("False");
        let all: Vec<Expr> = args.iter().map(|a| a.unwrap_or(missing)).collect();
        let n = args.len() as u32;
        let unknown =
            (0..n).any(|k| args[(n - 1 - k) as usize].is_none() && st.has_loose_bvar(e, k));
        (!unknown).then(|| st.instantiate_rev(e, &all))
    }
}
