//! The simplifier: subterms first, then rules at the term itself, until nothing changes.

use logic::{Expr, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::meta::{Elab, ElabError, MVarId, Result, Transparency};

use super::eval;
use super::result::{Simplified, trans};
use super::rules::{RuleSet, smaller};
use super::trace::Trace;

/// How many rewriting steps one call may take.
const MAX_STEPS: u32 = 20_000;
/// How often one rule may fire at one call before it is blamed for not coming to an end.
const MAX_PER_RULE: u32 = 4_000;
/// How deep simplifications may stand inside of each other.
const MAX_NESTING: u32 = 400;
/// How many of those around a term may have used a rule before the rules are blamed for going too deep.
const MAX_NESTED_STEPS: u32 = 200;
/// How deep conditions of rules may need conditions of rules.
const MAX_DISCHARGE: u32 = 4;

/// The state of one call of `simp`.
pub(crate) struct Simp {
    /// The rules in use.
    pub rules: RuleSet,
    /// Only steps that hold by computation.
    pub definitional: bool,
    /// What an implication assumes is used in what it concludes.
    pub contextual: bool,
    memo: FxHashMap<Expr, Simplified>,
    /// Conditions of rules that were not proved; the context does not change, so they need not be tried again.
    failed: FxHashSet<Expr>,
    fired: FxHashMap<usize, u32>,
    trace: Trace,
    /// The terms whose simplification has begun and not ended: one that contains itself has no end.
    active: FxHashSet<Expr>,
    steps: u32,
    depth: u32,
    nesting: u32,
    nested_steps: u32,
}

impl Simp {
    /// A simplifier with some rules.
    pub fn new(rules: RuleSet, definitional: bool) -> Self {
        Simp {
            rules,
            definitional,
            contextual: false,
            memo: FxHashMap::default(),
            failed: FxHashSet::default(),
            fired: FxHashMap::default(),
            trace: Trace::default(),
            active: FxHashSet::default(),
            steps: 0,
            depth: 0,
            nesting: 0,
            nested_steps: 0,
        }
    }

    /// How many steps have been taken.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Simplifies a term of the current context.
    pub fn simplify<'b>(&mut self, el: &mut Elab<'b>, e: Expr) -> Result<Simplified> {
        let e = el.instantiate_mvars(e);
        if let Some(r) = self.memo.get(&e) {
            return Ok(*r);
        }
        match el.st.node(e) {
            Node::Sort(_) | Node::BVar(_) | Node::Nat(_) | Node::Str(_) | Node::MVar(_) => {
                return Ok(Simplified::same(e));
            }
            _ => {}
        }
        if self.nesting > MAX_NESTING {
            if self.nested_steps > MAX_NESTED_STEPS {
                return Err(self.endless(el, e));
            }
            return Ok(Simplified::same(e));
        }
        if !self.active.insert(e) {
            return Err(self.endless(el, e));
        }
        self.nesting += 1;
        let outer = self.nested_steps;
        let r = logic::subst::with_stack(|| self.simplify_loop(el, e));
        self.nested_steps = outer;
        self.nesting -= 1;
        self.active.remove(&e);
        let r = r?;
        // Where conditions of rules are not tried any more, less is found than elsewhere.
        if self.depth < MAX_DISCHARGE {
            self.memo.insert(e, r);
            if r.expr != e {
                self.memo.entry(r.expr).or_insert(Simplified::same(r.expr));
            }
        }
        Ok(r)
    }

    /// Simplifies below a binder of `x`. If that is a proof, results found there may use it, so they are kept apart.
    pub(super) fn below_binder<'b>(
        &mut self,
        el: &mut Elab<'b>,
        (x, ty): (Expr, Expr),
        body: Expr,
    ) -> Result<Simplified> {
        if !el.is_prop(ty) {
            return self.simplify(el, body);
        }
        let rules = self.rules.len();
        if self.contextual {
            self.rules.add_proof(el, x, false, super::GIVEN / 2)?;
        }
        let memo = std::mem::take(&mut self.memo);
        let failed = std::mem::take(&mut self.failed);
        let active = std::mem::take(&mut self.active);
        let r = self.simplify(el, body);
        self.memo = memo;
        self.failed = failed;
        self.active = active;
        self.rules.retire(rules);
        r
    }

    fn simplify_loop<'b>(&mut self, el: &mut Elab<'b>, e: Expr) -> Result<Simplified> {
        let mut acc = Simplified::same(e);
        let mut rewritten: Vec<Expr> = Vec::new();
        loop {
            if el.exhausted() || !el.tick() {
                return Ok(acc);
            }
            if let Some(next) = eval::reduce(el, &self.rules, acc.expr) {
                self.count(el, None, acc.expr, next)?;
                acc = Simplified {
                    expr: next,
                    proof: acc.proof,
                };
                continue;
            }
            let sub = self.congruence(el, acc.expr)?;
            let changed = sub.expr != acc.expr;
            acc = trans(el, e, acc, sub)?;
            if changed && let Some(next) = eval::reduce(el, &self.rules, acc.expr) {
                acc = Simplified {
                    expr: next,
                    proof: acc.proof,
                };
                continue;
            }
            if rewritten.contains(&acc.expr) {
                return Err(self.endless(el, acc.expr));
            }
            match self.rewrite(el, acc.expr)? {
                Some(r) => {
                    if rewritten.is_empty() {
                        self.nested_steps += 1;
                    }
                    rewritten.push(acc.expr);
                    acc = trans(el, e, acc, r)?;
                }
                None => return Ok(acc),
            }
        }
    }

    /// Counts a step; blames a rule that fires without end.
    fn count<'b>(
        &mut self,
        el: &mut Elab<'b>,
        rule: Option<usize>,
        at: Expr,
        to: Expr,
    ) -> Result<()> {
        self.steps += 1;
        self.trace.push(rule, at, to);
        if let Some(k) = rule {
            let n = self.fired.entry(k).or_insert(0);
            *n += 1;
            if *n > MAX_PER_RULE {
                return Err(self.endless(el, to));
            }
        }
        if self.steps > MAX_STEPS {
            return Err(self.endless(el, to));
        }
        Ok(())
    }

    fn endless<'b>(&self, el: &mut Elab<'b>, at: Expr) -> ElabError {
        self.trace.endless(el, &self.rules, at, self.steps)
    }

    /// One rule at the term itself.
    fn rewrite<'b>(&mut self, el: &mut Elab<'b>, e: Expr) -> Result<Option<Simplified>> {
        if !self.definitional
            && let Some(r) = eval::evaluate(el, e)?
        {
            self.count(el, None, e, r.expr)?;
            return Ok(Some(r));
        }
        for k in self.rules.candidates(el.st, e) {
            let saved = el.save();
            match self.try_rule(el, k, e)? {
                Some(r) => {
                    self.count(el, Some(k), e, r.expr)?;
                    return Ok(Some(r));
                }
                None => el.restore(&saved),
            }
        }
        Ok(None)
    }

    fn try_rule<'b>(&mut self, el: &mut Elab<'b>, k: usize, e: Expr) -> Result<Option<Simplified>> {
        let rule = self.rules.rule(k).clone();
        // Metavariables of the goal are constants here; those of the rule are made inside.
        el.with_no_assign(|el| {
            let Some(o) = rule.open(el)? else {
                return Ok(None);
            };
            let fits = el.with_transparency(Transparency::Reducible, |el| el.is_defeq(o.lhs, e));
            if !fits {
                return Ok(None);
            }
            if !self.discharge_all(el, &o.vars)? {
                return Ok(None);
            }
            let rhs = el.instantiate_mvars(o.rhs);
            if rhs == e {
                return Ok(None);
            }
            if rule.permutes && !smaller(el.st, rhs, e) {
                return Ok(None);
            }
            let proof = el.instantiate_mvars(o.proof);
            if self.definitional {
                let by_computation = is_refl(el, &rule, proof);
                if !by_computation {
                    return Ok(None);
                }
                return Ok(Some(Simplified::same(rhs)));
            }
            Ok(Some(Simplified {
                expr: rhs,
                proof: Some(proof),
            }))
        })
    }

    /// Finds instances and proofs for the variables of a rule that matching has left open.
    fn discharge_all<'b>(&mut self, el: &mut Elab<'b>, vars: &[MVarId]) -> Result<bool> {
        for m in vars {
            if el.is_assigned(*m) {
                continue;
            }
            let ty = el.mvar_type(*m);
            let is_class = el
                .head_const(ty)
                .is_some_and(|n| el.ext.classes.contains(&n));
            if is_class {
                match el.synth_instance(ty) {
                    Ok(i) => el.assign(*m, i),
                    Err(_) => return Ok(false),
                }
                continue;
            }
            if !el.is_prop(ty) {
                return Ok(false);
            }
            match self.discharge(el, ty)? {
                Some(p) => {
                    if el.is_assigned(*m) {
                        continue;
                    }
                    el.assign(*m, p);
                }
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// A proof of a condition: a hypothesis, or what simplifies to `True`, or linear arithmetic.
    fn discharge<'b>(&mut self, el: &mut Elab<'b>, p: Expr) -> Result<Option<Expr>> {
        if self.depth >= MAX_DISCHARGE || self.definitional {
            return Ok(None);
        }
        if let Some(h) = hypothesis_for(el, p) {
            return Ok(Some(h));
        }
        if el.st.has_mvar(p) || self.failed.contains(&p) {
            return Ok(None);
        }
        self.depth += 1;
        // A condition may contain the term that it is a condition for.
        let active = std::mem::take(&mut self.active);
        let r = self.simplify(el, p);
        self.active = active;
        self.depth -= 1;
        let r = match r {
            Ok(r) => r,
            Err(_) => return Ok(None),
        };
        if r.expr == el.st.const0("True") {
            return Ok(Some(super::result::of_eq_true(el, p, r.proof)));
        }
        if eval::is_arithmetic(el, r.expr) {
            let saved = el.save();
            let g = el.mk_goal(p, logic::Name::ANON);
            let ok = crate::tactic::omega::omega(el, g).is_ok_and(|gs| gs.is_empty());
            if ok {
                let e = el.mk_mvar(g);
                return Ok(Some(el.instantiate_mvars(e)));
            }
            el.restore(&saved);
        }
        // At a greater depth less is tried, so only what fails at the outermost level is known to fail.
        if self.depth == 0 {
            self.failed.insert(p);
        }
        Ok(None)
    }
}

/// A hypothesis that states `p`. Variables that `p` leaves open are found by it.
fn hypothesis_for<'b>(el: &mut Elab<'b>, p: Expr) -> Option<Expr> {
    let hyps: Vec<crate::meta::FVarId> = el.lctx.iter().rev().collect();
    let head = el.head_const(p);
    for h in hyps {
        let d = el.local(h);
        if d.aux {
            continue;
        }
        let ty = el.instantiate_mvars(d.ty);
        if ty == p {
            return Some(el.mk_fvar(h));
        }
        if head.is_some() && el.head_const(ty) != head {
            continue;
        }
        if el.with_transparency(Transparency::Reducible, |el| el.is_defeq(ty, p)) {
            return Some(el.mk_fvar(h));
        }
    }
    None
}

/// Whether a rule holds by computation: its proof is `rfl`, or a theorem proved by `rfl`.
fn is_refl<'b>(el: &mut Elab<'b>, rule: &super::rules::Rule, proof: Expr) -> bool {
    let st = el.st;
    let is_rfl_head = |e: Expr| {
        matches!(st.node(st.app_fn(e)), Node::Const(n, _)
            if matches!(&*st.name_to_string(n), "rfl" | "Eq.refl"))
    };
    if is_rfl_head(proof) {
        return true;
    }
    let super::rules::Source::Const(n) = rule.source else {
        return false;
    };
    let Some(mut v) = el.env.get(n).and_then(|c| c.value()) else {
        return false;
    };
    while let Node::Lam(_, _, b, _) = st.node(v) {
        v = b;
    }
    is_rfl_head(v)
}
