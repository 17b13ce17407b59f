//! `simp`, `simp only`, `simp_all`, `dsimp`, `simpa`: rewriting with many rules until nothing changes.

mod congruence;
pub(crate) mod engine;
mod eval;
pub(crate) mod result;
pub(crate) mod rules;
mod trace;

use logic::{ConstantInfo, Expr};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};
use crate::syntax::ast::{Location, SimpArg, SimpArgKind, SimpFlavour, Term};

use super::location::{at_places, places};
use super::util::{context, on_goal, term_ident, term_local};
use super::{basic, contradiction};
use engine::Simp;
use result::Simplified;
use rules::RuleSet;

/// Priority of rules given in brackets, above all marked `@[simp]`.
const GIVEN: u32 = 1_000_000;

/// Theorems that `simp` and `simp only` use on their own, where they exist.
const ALWAYS: &[&str] = &["eq_self", "iff_self", "ne_eq", "heq_eq_eq"];

/// The rules of a call: the default set unless `only`, then those in brackets.
struct Call {
    rules: RuleSet,
    /// All hypotheses (`*`).
    star: bool,
    /// What an implication assumes is used in what it concludes.
    contextual: bool,
}

fn collect<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    (only, contextual): (bool, bool),
    args: &[SimpArg],
) -> Result<Call> {
    let mut rules = RuleSet::default();
    for n in ALWAYS {
        let n = el.name(n);
        rules.add_const(el, n, false, 0)?;
    }
    if !only {
        let entries: Vec<_> = el.ext.simp.clone();
        for e in entries {
            rules.add_const(el, e.name, e.rev, e.prio)?;
        }
    }
    let mut star = false;
    for (k, a) in args.iter().enumerate() {
        let prio = GIVEN.saturating_sub(k as u32);
        match &a.kind {
            SimpArgKind::Star => star = true,
            SimpArgKind::Minus(id) => {
                let n = el.resolve_const(id)?;
                rules.remove(n);
            }
            SimpArgKind::Rule { rev, term } => {
                add_rule(el, m, &mut rules, term, *rev, prio).map_err(|e| e.at(a.span))?;
            }
        }
    }
    Ok(Call {
        rules,
        star,
        contextual,
    })
}

fn add_rule<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    rules: &mut RuleSet,
    term: &Term,
    rev: bool,
    prio: u32,
) -> Result<()> {
    let local = term_local(el, m, term);
    if local.is_none()
        && let Some(id) = term_ident(term)
        && let Ok(n) = el.resolve_const(id)
        && el.env.get(n).is_some()
        && !is_local_path(el, m, id)
    {
        if rev && matches!(el.env.get(n), Some(ConstantInfo::Definition { .. })) {
            return fold_rule(el, rules, n, prio);
        }
        if rules.add_const(el, n, rev, prio)? {
            return Ok(());
        }
        return Err(no_rule(el, n));
    }
    let e = el.with_goal(m, |el| el.elab_term_synth(term, None))?;
    let e = el.instantiate_mvars(e);
    if let Some(x) = super::util::as_fvar(el.st, e)
        && let Some(_) = el.local(x).value
    {
        // A `let` variable is unfolded by computation.
        return Ok(());
    }
    let open: Vec<Expr> = el
        .collect_mvars(e)
        .into_iter()
        .map(|m| el.mk_mvar(m))
        .collect();
    let proof = el.mk_lambda(&open, e);
    let ty = el.with_goal(m, |el| el.infer_type(proof))?;
    if !el.with_goal(m, |el| el.is_prop(ty)) {
        let (e, t) = (el.pp(e), el.pp(ty));
        return Err(ElabError::new(
            term.span,
            format!("`{e} : {t}` is neither a fact nor a definition, so `simp` cannot use it"),
        ));
    }
    if !el.with_goal(m, |el| rules.add_proof(el, proof, rev, prio))? {
        let t = el.pp(ty);
        return Err(ElabError::new(
            term.span,
            format!(
                "`{t}` gives no rule to rewrite with: its left side is a variable, or both sides are the same"
            ),
        ));
    }
    Ok(())
}

/// `← f` for a definition: its value is folded.
fn fold_rule<'b>(el: &mut Elab<'b>, rules: &mut RuleSet, n: logic::Name, prio: u32) -> Result<()> {
    let st = el.st;
    let c = el.mk_const(n)?;
    let Some(value) = el.unfold_const_raw(c) else {
        return Err(no_rule(el, n));
    };
    let proof = el.lambda_telescope(value, |el, xs, _| {
        let lhs = st.apps(c, xs);
        let p = el.mk_eq_refl(lhs)?;
        let (t, l) = result::type_and_level(el, lhs)?;
        let body = el.beta(value, xs);
        let eq = st.apps(st.constant(st.name("Eq"), &[l]), &[t, lhs, body]);
        let id = st.constant(st.name("id"), &[logic::Level::ZERO]);
        let p = st.apps(id, &[eq, p]);
        Ok(el.mk_lambda(xs, p))
    })?;
    rules.add_proof(el, proof, true, prio)?;
    Ok(())
}

fn is_local_path<'b>(el: &mut Elab<'b>, m: MVarId, id: &crate::syntax::ast::Ident) -> bool {
    let lctx = el.mvar_lctx(m);
    let first = id.parts().first().map(|s| el.name(s));
    first.is_some_and(|n| el.find_local(&lctx, n).is_some())
}

fn no_rule<'b>(el: &Elab<'b>, n: logic::Name) -> ElabError {
    ElabError::msg(format!(
        "`{}` gives no rule to rewrite with",
        el.st.name_to_string(n)
    ))
    .help("a rule is a fact `a = b`, `p ↔ q`, `¬p` or `p`, or a definition to unfold")
}

/// The tactics `simp`, `simp_all`, `dsimp`, `simpa`; `options` are `only` and `+contextual`.
pub(crate) fn simp<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    flavour: SimpFlavour,
    options: (bool, bool),
    args: &[SimpArg],
    using: Option<&Term>,
    loc: Option<&Location>,
) -> Result<Vec<MVarId>> {
    let call = collect(el, m, options, args)?;
    match flavour {
        SimpFlavour::SimpAll => simp_all(el, m, call),
        SimpFlavour::Simpa => simpa(el, m, call, using),
        SimpFlavour::Simp | SimpFlavour::Dsimp => {
            let definitional = flavour == SimpFlavour::Dsimp;
            let places = places(el, m, loc)?;
            let word = if definitional { "dsimp" } else { "simp" };
            let single = places.hyps.len() + usize::from(places.goal) == 1;
            let mut worked = false;
            let mut goals = at_places(el, m, &places, &mut |el, g, place| {
                let r = at_place(el, g, place, &call, definitional)?;
                match r {
                    Some(gs) => {
                        worked = true;
                        Ok(gs)
                    }
                    None if single => Err(no_progress(el, g, place, word)),
                    None => Ok(vec![g]),
                }
            })?;
            if !worked && !single {
                return Err(no_progress(el, m, None, word));
            }
            goals.retain(|g| !el.is_assigned(*g));
            Ok(goals)
        }
    }
}

fn no_progress<'b>(el: &mut Elab<'b>, g: MVarId, place: Option<FVarId>, word: &str) -> ElabError {
    let what = match place {
        Some(h) => {
            let d = el.local(h);
            let (n, t) = (el.st.name_to_string(d.user_name), el.pp(d.ty));
            format!("`{n} : {t}`")
        }
        None => "the goal".to_owned(),
    };
    let err = ElabError::msg(format!(
        "`{word}` makes no progress: no rule applies to {what}"
    ))
    .code("tactic.simp.no_progress");
    on_goal(el, err, g)
}

/// A simplifier for one place: with `*`, all other hypotheses are rules.
fn simplifier<'b>(
    el: &mut Elab<'b>,
    g: MVarId,
    place: Option<FVarId>,
    call: &Call,
    definitional: bool,
) -> Result<Simp> {
    let mut rules = call.rules.clone();
    if call.star {
        let lctx = el.mvar_lctx(g);
        for h in context(&lctx) {
            if Some(h) == place {
                continue;
            }
            add_hypothesis(el, g, &mut rules, h)?;
        }
    }
    let mut s = Simp::new(rules, definitional);
    s.contextual = call.contextual && !definitional;
    Ok(s)
}

fn add_hypothesis<'b>(el: &mut Elab<'b>, g: MVarId, rules: &mut RuleSet, h: FVarId) -> Result<()> {
    let d = el.local(h);
    if d.aux || d.value.is_some() {
        return Ok(());
    }
    let ty = el.instantiate_mvars(d.ty);
    if el.with_goal(g, |el| el.is_prop(ty)) {
        let e = el.mk_fvar(h);
        el.with_goal(g, |el| rules.add_proof(el, e, false, GIVEN / 2))?;
    }
    Ok(())
}

/// Simplifies at one place. `None` if nothing changes; otherwise the goals that replace the goal (none if it is closed).
fn at_place<'b>(
    el: &mut Elab<'b>,
    g: MVarId,
    place: Option<FVarId>,
    call: &Call,
    definitional: bool,
) -> Result<Option<Vec<MVarId>>> {
    let mut s = simplifier(el, g, place, call, definitional)?;
    match place {
        None => simp_goal(el, g, &mut s),
        Some(h) => Ok(simp_hyp(el, g, h, &mut s)?.map(|g| g.into_iter().collect())),
    }
}

fn simp_goal<'b>(el: &mut Elab<'b>, g: MVarId, s: &mut Simp) -> Result<Option<Vec<MVarId>>> {
    let target = el.mvar_type(g);
    if let Some(e) = el.with_goal(g, |el| sides_meet(el, target, s))? {
        el.assign(g, e);
        return Ok(Some(Vec::new()));
    }
    let r = el.with_goal(g, |el| s.simplify(el, target))?;
    if r.expr == el.st.const0("True") {
        let e = result::of_eq_true(el, target, r.proof);
        el.assign(g, e);
        return Ok(Some(Vec::new()));
    }
    if r.expr == target {
        return Ok(None);
    }
    let new = replace_goal(el, g, target, r)?;
    if basic::try_rfl_cheap(el, new) {
        return Ok(Some(Vec::new()));
    }
    Ok(Some(vec![new]))
}

/// A proof of `a = b` whose sides simplify to the same term: shorter than one through `(c = c) = True`, and without
/// `propext`.
fn sides_meet<'b>(el: &mut Elab<'b>, target: Expr, s: &mut Simp) -> Result<Option<Expr>> {
    let st = el.st;
    let Some((ty, a, b)) = el.match_eq(target) else {
        return Ok(None);
    };
    if ty == st.prop() {
        return Ok(None);
    }
    let ra = s.simplify(el, a)?;
    let rb = s.simplify(el, b)?;
    if ra.expr != rb.expr {
        return Ok(None);
    }
    let back = match rb.proof {
        None => None,
        Some(h) => Some(el.mk_eq_symm(h)?),
    };
    let back = Simplified {
        expr: b,
        proof: back,
    };
    let whole = result::trans(el, a, ra, back)?;
    let proof = match whole.proof {
        Some(h) => h,
        None => el.mk_eq_refl(a)?,
    };
    Ok(Some(proof))
}

fn replace_goal<'b>(el: &mut Elab<'b>, g: MVarId, _old: Expr, r: Simplified) -> Result<MVarId> {
    match r.proof {
        None => el.change_goal(g, r.expr),
        Some(h) => el.replace_goal_eq(g, r.expr, h),
    }
}

/// Simplifies a hypothesis: `Some(None)` if that closes the goal.
fn simp_hyp<'b>(
    el: &mut Elab<'b>,
    g: MVarId,
    h: FVarId,
    s: &mut Simp,
) -> Result<Option<Option<MVarId>>> {
    let st = el.st;
    let ty = el.local(h).ty;
    let ty = el.instantiate_mvars(ty);
    let r = el.with_goal(g, |el| s.simplify(el, ty))?;
    if r.expr == ty {
        return Ok(None);
    }
    let h_e = el.mk_fvar(h);
    let proof = match r.proof {
        None => h_e,
        Some(p) => el.with_goal(g, |el| el.mk_eq_mp(p, h_e))?,
    };
    if r.expr == st.const0("False") {
        let target = el.mvar_type(g);
        let e = el.with_goal(g, |el| el.mk_false_elim(target, proof))?;
        el.assign(g, e);
        return Ok(Some(None));
    }
    if r.expr == st.const0("True") {
        // Says nothing any more.
        return Ok(Some(Some(super::util::try_clear(el, g, h))));
    }
    let (_, g) = el.replace_local(g, h, r.expr, proof)?;
    Ok(Some(Some(g)))
}

/// `simp_all`: hypotheses and goal with the help of each other, until nothing changes.
fn simp_all<'b>(el: &mut Elab<'b>, m: MVarId, call: Call) -> Result<Vec<MVarId>> {
    let call = Call { star: true, ..call };
    let mut goal = m;
    let mut worked = false;
    for _ in 0..64 {
        let mut changed = false;
        let names: Vec<FVarId> = context(&el.mvar_lctx(goal));
        for h in names {
            let lctx = el.mvar_lctx(goal);
            let d = el.local(h);
            if !lctx.contains(h) || d.aux || d.value.is_some() {
                continue;
            }
            let ty = el.instantiate_mvars(d.ty);
            if !el.with_goal(goal, |el| el.is_prop(ty)) {
                continue;
            }
            let mut s = simplifier(el, goal, Some(h), &call, false)?;
            match simp_hyp(el, goal, h, &mut s)? {
                None => {}
                Some(None) => return Ok(Vec::new()),
                Some(Some(g)) => {
                    // A hypothesis that another implies says nothing, but one that cannot be cleared stays as it is.
                    changed |= g != goal;
                    goal = g;
                }
            }
        }
        let mut s = simplifier(el, goal, None, &call, false)?;
        match simp_goal(el, goal, &mut s)? {
            None => {}
            Some(gs) => match gs.first() {
                None => return Ok(Vec::new()),
                Some(g) => {
                    goal = *g;
                    changed = true;
                }
            },
        }
        if !changed {
            break;
        }
        worked = true;
    }
    if !worked {
        return Err(no_progress(el, m, None, "simp_all"));
    }
    if basic::try_assumption(el, goal) || contradiction::try_contradiction(el, goal) {
        return Ok(Vec::new());
    }
    Ok(vec![goal])
}

/// `simpa using e`: goal and `e` are simplified to the same; without `using`, the goal is simplified and closed by a
/// hypothesis.
fn simpa<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    call: Call,
    using: Option<&Term>,
) -> Result<Vec<MVarId>> {
    let mut s = simplifier(el, m, None, &call, false)?;
    let goal = match simp_goal(el, m, &mut s)? {
        None => m,
        Some(gs) => match gs.first() {
            None => return Ok(Vec::new()),
            Some(g) => *g,
        },
    };
    let Some(t) = using else {
        if basic::try_assumption(el, goal) || contradiction::try_contradiction(el, goal) {
            return Ok(Vec::new());
        }
        let err = ElabError::msg("`simpa`: after simplification no hypothesis closes the goal");
        return Err(on_goal(el, err, goal));
    };
    let (e, new) = el.with_goal(goal, |el| el.elab_for_tactic(t, None, false))?;
    if !new.is_empty() {
        return Err(ElabError::new(t.span, "this term leaves arguments open"));
    }
    let ty = el.with_goal(goal, |el| el.infer_type(e))?;
    let ty = el.instantiate_mvars(ty);
    let r = el.with_goal(goal, |el| s.simplify(el, ty))?;
    let proof = match r.proof {
        None => e,
        Some(p) => el.with_goal(goal, |el| el.mk_eq_mp(p, e))?,
    };
    let target = el.mvar_type(goal);
    if r.expr == el.st.const0("False") {
        let e = el.with_goal(goal, |el| el.mk_false_elim(target, proof))?;
        el.assign(goal, e);
        return Ok(Vec::new());
    }
    if !el.with_goal(goal, |el| el.is_defeq(r.expr, target)) {
        let (a, b) = el.with_goal(goal, |el| (el.pp(r.expr), el.pp(target)));
        let err = ElabError::new(
            t.span,
            "`simpa`: the simplified term is not what is left of the goal",
        )
        .note(format!("the term states: {a}"))
        .note(format!("the goal states: {b}"));
        return Err(on_goal(el, err, goal));
    }
    el.assign(goal, proof);
    Ok(Vec::new())
}
