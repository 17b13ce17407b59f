//! Tactics of one step: `exact`, `apply`, `refine`, `assumption`, `rfl`, `trivial` and their like.

use logic::{Expr, Node};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result, Transparency};
use crate::syntax::ast::{self, Ident, Term};

use super::contradiction::try_contradiction;
use super::util::{
    ATTEMPT, context, goal_in, hypothesis, on_goal, stated_type, tag, term_local, with_budget,
};

/// `intros x y`: those names, or as many as the goal shows.
pub(crate) fn intros<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    names: &[ast::BinderName],
) -> Result<Vec<MVarId>> {
    let mut goal = m;
    for n in names {
        let name = super::util::binder_name(el.st, n);
        let (_, g) = el.intro(goal, name).map_err(|e| e.at(n.span))?;
        goal = g;
    }
    while names.is_empty() {
        let target = el.mvar_type(goal);
        let shown = el.with_goal(goal, |el| el.whnf_core(target));
        if !matches!(el.st.node(shown), Node::Pi(..) | Node::Let(..)) {
            break;
        }
        let (_, g) = el.intro(goal, None)?;
        goal = g;
    }
    Ok(vec![goal])
}

/// `exact e`.
pub(crate) fn exact<'b>(el: &mut Elab<'b>, m: MVarId, t: &Term) -> Result<Vec<MVarId>> {
    let ty = el.mvar_type(m);
    let (e, new) = el.with_goal(m, |el| el.elab_for_tactic(t, Some(ty), false))?;
    if !new.is_empty() {
        return Err(ElabError::new(
            t.span,
            "this term leaves arguments open; `refine` makes goals of them",
        ));
    }
    el.assign_checked(m, e).map_err(|e| e.at(t.span))?;
    Ok(Vec::new())
}

/// `refine e`: `?_` and `?x` become goals.
pub(crate) fn refine<'b>(el: &mut Elab<'b>, m: MVarId, t: &Term) -> Result<Vec<MVarId>> {
    let ty = el.mvar_type(m);
    let (e, new) = el.with_goal(m, |el| el.elab_for_tactic(t, Some(ty), true))?;
    el.assign_checked(m, e).map_err(|e| e.at(t.span))?;
    Ok(new)
}

/// `apply e`: arguments that unification leaves open become goals.
pub(crate) fn apply<'b>(el: &mut Elab<'b>, m: MVarId, t: &Term) -> Result<Vec<MVarId>> {
    let before = el.with_goal(m, |el| {
        let ty = el.st.prop();
        el.mk_goal(ty, logic::Name::ANON)
    });
    let e = el.with_goal(m, |el| el.elab_term_synth(t, None))?;
    let e = el.instantiate_mvars(e);
    let mut goals = el.apply_term(m, e).map_err(|e| e.at(t.span))?;
    // Holes of the term itself that the goal has not determined.
    let mut more = Vec::new();
    for x in el.collect_mvars(e) {
        if x > before && !goals.contains(&x) && !el.is_assigned(x) {
            more.push(x);
        }
    }
    goals.extend(more);
    Ok(goals)
}

/// `assumption`.
pub(crate) fn assumption<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Vec<MVarId>> {
    if try_assumption(el, m) {
        return Ok(Vec::new());
    }
    let err = ElabError::msg("no hypothesis is what the goal states");
    Err(on_goal(el, err, m))
}

/// Closes the goal by a hypothesis, the latest first; without unfolding before with it.
pub(crate) fn try_assumption<'b>(el: &mut Elab<'b>, m: MVarId) -> bool {
    let target = el.mvar_type(m);
    let lctx = el.mvar_lctx(m);
    let hyps: Vec<FVarId> = context(&lctx).into_iter().rev().collect();
    for t in [Transparency::Reducible, Transparency::Default] {
        for h in &hyps {
            let d = el.local(*h);
            if d.aux {
                continue;
            }
            let saved = el.save();
            let ok = with_budget(el, ATTEMPT, |el| {
                el.with_goal(m, |el| {
                    el.with_transparency(t, |el| el.is_defeq(d.ty, target))
                })
            });
            if ok {
                let e = el.mk_fvar(*h);
                el.assign(m, e);
                return true;
            }
            el.restore(&saved);
        }
    }
    false
}

/// Closes an equation or equivalence whose sides agree up to reducible definitions, and `True`.
pub(crate) fn try_rfl_cheap<'b>(el: &mut Elab<'b>, m: MVarId) -> bool {
    let saved = el.save();
    let ok = el
        .with_transparency(Transparency::Reducible, |el| rfl_core(el, m))
        .unwrap_or(false);
    if !ok {
        el.restore(&saved);
    }
    ok
}

/// `Ok(true)` if closed, `Ok(false)` if the goal is no relation that `rfl` knows or its sides differ.
fn rfl_core<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<bool> {
    let st = el.st;
    let target = el.mvar_type(m);
    let mut t = target;
    if known_relation(el, t).is_none() {
        t = el.with_goal(m, |el| el.whnf(target));
    }
    el.with_goal(m, |el| {
        if let Some((ty, a, b)) = el.match_eq(t) {
            if !el.is_defeq(a, b) {
                return Ok(false);
            }
            let l = el.level_of(ty)?;
            let c = st.constant(st.name("Eq.refl"), &[l]);
            el.assign(m, st.apps(c, &[ty, a]));
            return Ok(true);
        }
        if let Some(args) = el.match_app(t, "HEq", 4) {
            if !el.is_defeq(args[0], args[2]) || !el.is_defeq(args[1], args[3]) {
                return Ok(false);
            }
            let l = el.level_of(args[0])?;
            let c = st.constant(st.name("HEq.refl"), &[l]);
            el.assign(m, st.apps(c, &[args[0], args[1]]));
            return Ok(true);
        }
        if let Some(args) = el.match_app(t, "Iff", 2) {
            if !el.is_defeq(args[0], args[1]) {
                return Ok(false);
            }
            let e = el.mk_app_opt("Iff.refl", &[Some(args[0])])?;
            el.assign(m, e);
            return Ok(true);
        }
        if t == st.const0("True") {
            el.assign(m, st.const0("True.intro"));
            return Ok(true);
        }
        // Relations with a theorem marked `@[refl]`.
        let lemmas = el.ext.other.get("refl").cloned().unwrap_or_default();
        for n in lemmas {
            let saved = el.save();
            let tried = el
                .mk_const(n)
                .and_then(|c| el.apply_term(m, c))
                .is_ok_and(|gs| gs.iter().all(|g| el.is_assigned(*g)));
            if tried {
                return Ok(true);
            }
            el.restore(&saved);
        }
        if let Some(args) = el.match_app(target, "Nat.le", 2)
            && el.is_defeq(args[0], args[1])
        {
            el.assign(m, st.app(st.const0("Nat.le.refl"), args[0]));
            return Ok(true);
        }
        Ok(false)
    })
}

fn known_relation<'b>(el: &Elab<'b>, t: Expr) -> Option<()> {
    let n = el.head_const(t)?;
    let s = el.st.name_to_string(n);
    matches!(&*s, "Eq" | "HEq" | "Iff" | "True" | "Nat.le").then_some(())
}

/// `rfl`.
pub(crate) fn rfl<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Vec<MVarId>> {
    if try_rfl_cheap(el, m) {
        return Ok(Vec::new());
    }
    let saved = el.save();
    if rfl_core(el, m)? {
        return Ok(Vec::new());
    }
    el.restore(&saved);
    let target = el.mvar_type(m);
    let t = if known_relation(el, target).is_some() {
        target
    } else {
        el.with_goal(m, |el| el.whnf(target))
    };
    let err = match el.match_eq(t) {
        Some((_, a, b)) => {
            let (wa, wb) = el.with_goal(m, |el| (el.whnf_core(a), el.whnf_core(b)));
            let (pa, pb) = el.with_goal(m, |el| (el.pp(a), el.pp(b)));
            let mut err = ElabError::msg(
                "`rfl` does not close this goal: the two sides are not equal by computation",
            );
            err = err
                .note(format!("left:  {pa}"))
                .note(format!("right: {pb}"));
            if (wa, wb) != (a, b) {
                let (ra, rb) = el.with_goal(m, |el| (el.pp(wa), el.pp(wb)));
                err = err.note(format!("they reduce to `{ra}` and `{rb}`"));
            }
            err
        }
        None => ElabError::msg(
            "`rfl` closes `a = b`, `p ↔ q`, `HEq a b` and relations with an `@[refl]` theorem; this goal is none of them",
        ),
    };
    Err(on_goal(el, err, m))
}

/// `exfalso`.
pub(crate) fn exfalso<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Vec<MVarId>> {
    let st = el.st;
    let target = el.mvar_type(m);
    let lctx = el.mvar_lctx(m);
    let new = goal_in(el, lctx, st.const0("False"), tag(el, m));
    let new_e = el.mk_mvar(new);
    let e = el.with_goal(m, |el| el.mk_false_elim(target, new_e))?;
    el.assign(m, e);
    Ok(vec![new])
}

/// `trivial`: `True`, `rfl`, a hypothesis, a contradiction, a decidable proposition, or a conjunction of these.
pub(crate) fn trivial<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Vec<MVarId>> {
    if try_trivial(el, m) {
        return Ok(Vec::new());
    }
    let err = ElabError::msg("`trivial` does not close this goal")
        .note("tried: `rfl`, `assumption`, `contradiction`, `decide`, and `And.intro` with these");
    Err(on_goal(el, err, m))
}

/// As [`trivial`]; the goal is as before if it is not closed.
pub(crate) fn try_trivial<'b>(el: &mut Elab<'b>, m: MVarId) -> bool {
    let st = el.st;
    if try_rfl_cheap(el, m) || try_assumption(el, m) || try_contradiction(el, m) {
        return true;
    }
    let saved = el.save();
    if super::decide::decide(el, m).is_ok() {
        return true;
    }
    el.restore(&saved);
    let target = el.mvar_type(m);
    if let Some(args) = el.match_app(target, "And", 2) {
        let lctx = el.mvar_lctx(m);
        let a = goal_in(el, lctx.clone(), args[0], tag(el, m));
        let b = goal_in(el, lctx, args[1], tag(el, m));
        if try_trivial(el, a) && try_trivial(el, b) {
            let parts = [args[0], args[1], el.mk_mvar(a), el.mk_mvar(b)];
            el.assign(m, st.apps(st.const0("And.intro"), &parts));
            return true;
        }
        el.restore(&saved);
    }
    false
}

/// `symm`: the relation the other way round.
pub(crate) fn symm<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    loc: Option<&ast::Location>,
) -> Result<Vec<MVarId>> {
    let places = super::location::places(el, m, loc)?;
    super::location::at_places(el, m, &places, &mut |el, g, place| match place {
        Some(h) => {
            let ty = el.local(h).ty;
            let ty = el.instantiate_mvars(ty);
            let Some(lemma) = symm_lemma(el, ty) else {
                let err = ElabError::msg(
                    "`symm` turns `=`, `↔`, `≠` and `HEq` around; this is none of them",
                );
                return Err(on_goal(el, err, g));
            };
            let h_e = el.mk_fvar(h);
            let (proof, new) = el.with_goal(g, |el| {
                let p = el.mk_app(lemma, &[h_e])?;
                let t = el.infer_type(p)?;
                Ok((p, el.instantiate_mvars(t)))
            })?;
            let (_, g) = el.replace_local(g, h, new, proof)?;
            Ok(vec![g])
        }
        None => {
            let ty = el.mvar_type(g);
            let Some(lemma) = symm_lemma(el, ty) else {
                let err = ElabError::msg(
                    "`symm` turns `=`, `↔`, `≠` and `HEq` around; this goal is none of them",
                );
                return Err(on_goal(el, err, g));
            };
            let c = el.mk_const(el.name(lemma))?;
            el.apply_term(g, c)
        }
    })
}

fn symm_lemma<'b>(el: &Elab<'b>, ty: Expr) -> Option<&'static str> {
    // `¬ a = b` is `a ≠ b` written out.
    if let Some(args) = el.match_app(ty, "Not", 1) {
        return el.match_eq(args[0]).map(|_| "Ne.symm");
    }
    let n = el.head_const(ty)?;
    Some(match &*el.st.name_to_string(n) {
        "Eq" => "Eq.symm",
        "Iff" => "Iff.symm",
        "Ne" => "Ne.symm",
        "HEq" => "HEq.symm",
        _ => return None,
    })
}

/// `trans b`: `a R c` from `a R b` and `b R c`.
pub(crate) fn trans<'b>(el: &mut Elab<'b>, m: MVarId, mid: Option<&Term>) -> Result<Vec<MVarId>> {
    let st = el.st;
    let ty = el.mvar_type(m);
    let lemma = el.head_const(ty).map(|n| st.name_to_string(n));
    let lemma = match lemma.as_deref() {
        Some("Eq") => "Eq.trans".to_owned(),
        Some("Iff") => "Iff.trans".to_owned(),
        Some("HEq") => "HEq.trans".to_owned(),
        Some("Nat.le") => "Nat.le_trans".to_owned(),
        Some("Nat.lt") => "Nat.lt_trans".to_owned(),
        Some(other) => {
            let name = el.name(&format!("{other}.trans"));
            if el.env.get(name).is_none() {
                let err = ElabError::msg(format!("there is no theorem `{other}.trans`"));
                return Err(on_goal(el, err, m));
            }
            format!("{other}.trans")
        }
        None => {
            let err = ElabError::msg("`trans` needs a goal `a R c`");
            return Err(on_goal(el, err, m));
        }
    };
    let (_, args) = st.unfold_app(ty);
    let c = el.mk_const(el.name(&lemma))?;
    let goals = el.apply_term(m, c)?;
    if let Some(t) = mid
        && let (Some(a), Some(b)) = (args.len().checked_sub(2), args.last())
    {
        let _ = b;
        let val = el.with_goal(m, |el| {
            let t_ty = el.infer_type(args[a])?;
            el.elab_term_synth(t, Some(t_ty))
        })?;
        // The middle is an argument of the first new goal.
        for g in &goals {
            if el.is_assigned(*g) {
                continue;
            }
            let gt = el.mvar_type(*g);
            let (_, ga) = st.unfold_app(gt);
            if let Some(last) = ga.last()
                && let Node::MVar(_) = st.node(*last)
                && el.with_goal(m, |el| el.is_defeq(*last, val))
            {
                break;
            }
        }
    }
    let mut out: Vec<MVarId> = goals;
    out.retain(|g| !el.is_assigned(*g));
    Ok(out)
}

/// `clear h k`: the last first.
pub(crate) fn clear<'b>(el: &mut Elab<'b>, m: MVarId, ids: &[Ident]) -> Result<Vec<MVarId>> {
    let mut goal = m;
    for id in ids.iter().rev() {
        let x = hypothesis(el, goal, id)?;
        goal = el.clear(goal, x).map_err(|e| e.at(id.span))?;
    }
    Ok(vec![goal])
}

/// `revert h k`.
pub(crate) fn revert<'b>(el: &mut Elab<'b>, m: MVarId, ids: &[Ident]) -> Result<Vec<MVarId>> {
    let mut xs = Vec::new();
    for id in ids {
        xs.push(hypothesis(el, m, id)?);
    }
    let (_, g) = el.revert(m, &xs)?;
    Ok(vec![g])
}

/// Gives variables of a goal new names.
pub(crate) fn rename<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    names: &[(FVarId, logic::Name)],
) -> Result<MVarId> {
    if names.is_empty() {
        return Ok(m);
    }
    let ids: Vec<FVarId> = names.iter().map(|(x, _)| *x).collect();
    let (reverted, g) = el.revert(m, &ids)?;
    let new: Vec<logic::Name> = reverted
        .iter()
        .map(|x| {
            names
                .iter()
                .find(|(y, _)| y == x)
                .map_or_else(|| el.local(*x).user_name, |(_, n)| *n)
        })
        .collect();
    let (_, g) = el.intro_n(g, reverted.len(), &new)?;
    Ok(g)
}

/// `rename_i x _ y`: names for the last variables that scripts cannot write.
pub(crate) fn rename_i<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    names: &[ast::BinderName],
) -> Result<MVarId> {
    let hidden = super::intro::inaccessible(el, m);
    if names.len() > hidden.len() {
        let (n, k) = (hidden.len(), names.len());
        let err = ElabError::msg(format!(
            "{k} names are given, but {n} hypotheses have no name that can be written"
        ));
        return Err(on_goal(el, err, m));
    }
    let start = hidden.len() - names.len();
    let mut pairs = Vec::new();
    for (x, n) in hidden[start..].iter().zip(names) {
        if let Some(n) = super::util::binder_name(el.st, n) {
            pairs.push((*x, n));
        }
    }
    rename(el, m, &pairs)
}

/// `specialize h a b`: `h` applied, in its place.
pub(crate) fn specialize<'b>(el: &mut Elab<'b>, m: MVarId, t: &Term) -> Result<Vec<MVarId>> {
    let head = match &t.kind {
        ast::TermKind::App { fun, .. } => fun,
        _ => {
            return Err(ElabError::new(
                t.span,
                "`specialize` takes a hypothesis applied to arguments: `specialize h a b`",
            ));
        }
    };
    let Some(h) = term_local(el, m, head) else {
        return Err(
            ElabError::new(head.span, "this is not a hypothesis of the goal")
                .help("`have h := …` names the result of applying anything else"),
        );
    };
    let (e, new) = el.with_goal(m, |el| el.elab_for_tactic(t, None, true))?;
    let ty = stated_type(el, m, e)?;
    let (_, g) = el.replace_local(m, h, ty, e)?;
    let mut out = vec![g];
    out.extend(new);
    Ok(out)
}
