//! `contradiction`: hypotheses that cannot hold, or not together.

use logic::{Expr, Node};
use num_bigint::BigUint;

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result, Transparency};

use super::basic::try_rfl_cheap;
use super::cases::{cases_core, no_names};
use super::util::{ATTEMPT, context, goal_in, on_goal, with_budget};

/// `contradiction`: a hypothesis that is false by its form, or two that contradict each other.
pub(crate) fn contradiction<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Vec<MVarId>> {
    if try_contradiction(el, m) {
        return Ok(Vec::new());
    }
    let err = ElabError::msg("no contradiction among the hypotheses")
        .note("looked for: `False`, an empty type, `p` and `¬p`, `a ≠ a`, an equation between different constructors, `n < n`, `n < 0`, and what is without variables and decided to be false");
    Err(on_goal(el, err, m))
}

/// As [`contradiction`]; the goal is as before if there is none.
pub(crate) fn try_contradiction<'b>(el: &mut Elab<'b>, m: MVarId) -> bool {
    let st = el.st;
    let lctx = el.mvar_lctx(m);
    let target = el.mvar_type(m);
    let hyps: Vec<FVarId> = context(&lctx)
        .into_iter()
        .rev()
        .filter(|x| !el.local(*x).aux)
        .collect();
    for h in &hyps {
        let ty = el.local(*h).ty;
        let ty = el.instantiate_mvars(ty);
        let h_e = el.mk_fvar(*h);
        if ty == st.const0("False")
            && let Ok(e) = el.with_goal(m, |el| el.mk_false_elim(target, h_e))
        {
            el.assign(m, e);
            return true;
        }
        if let Some(p) = el.with_goal(m, |el| refuted(el, ty, h_e))
            && let Ok(e) = el.with_goal(m, |el| el.mk_false_elim(target, p))
        {
            el.assign(m, e);
            return true;
        }
        if let Some(p) = negated(el, ty) {
            // `¬p` with `p` among the hypotheses, or `p` true by `rfl`.
            for g in &hyps {
                let p2 = el.local(*g).ty;
                let saved = el.save();
                let same = el.with_goal(m, |el| {
                    el.with_transparency(Transparency::Reducible, |el| el.is_defeq(p2, p))
                });
                if same {
                    let g_e = el.mk_fvar(*g);
                    if let Ok(e) = el.with_goal(m, |el| el.mk_absurd(target, g_e, h_e)) {
                        el.assign(m, e);
                        return true;
                    }
                }
                el.restore(&saved);
            }
            let saved = el.save();
            let pm = goal_in(el, lctx.clone(), p, logic::Name::ANON);
            if try_rfl_cheap(el, pm) {
                let pe = el.mk_mvar(pm);
                let pe = el.instantiate_mvars(pe);
                if let Ok(e) = el.with_goal(m, |el| el.mk_absurd(target, pe, h_e)) {
                    el.assign(m, e);
                    return true;
                }
            }
            el.restore(&saved);
            continue;
        }
        if impossible_shape(el, ty) {
            let saved = el.save();
            if let Ok(cases) = cases_core(el, m, *h, &no_names)
                && cases.is_empty()
            {
                return true;
            }
            el.restore(&saved);
        }
    }
    false
}

/// `p` of `¬p` or `p → False`, and `a = b` of `a ≠ b`.
pub(crate) fn negated<'b>(el: &mut Elab<'b>, ty: Expr) -> Option<Expr> {
    let st = el.st;
    if let Some(args) = el.match_app(ty, "Not", 1) {
        return Some(args[0]);
    }
    if let Some(args) = el.match_app(ty, "Ne", 3) {
        let Node::Const(_, ls) = st.node(st.app_fn(ty)) else {
            return None;
        };
        return Some(st.apps(st.constant(st.name("Eq"), ls), &args));
    }
    match st.node(ty) {
        Node::Pi(_, p, b, _) if b == st.const0("False") => Some(p),
        _ => None,
    }
}

/// Whether a term is `0`, `[]`, or another constructor without fields, by its form.
fn first_ctor<'b>(el: &mut Elab<'b>, e: Expr) -> bool {
    let st = el.st;
    let e = el.whnf_reducible(e);
    if let Node::Nat(n) = st.node(e) {
        return *n == BigUint::ZERO;
    }
    let Node::Const(c, _) = st.node(st.app_fn(e)) else {
        return false;
    };
    matches!(el.env.get(c), Some(logic::ConstantInfo::Constructor(k)) if k.num_fields == 0)
}

/// A proof of `False` from `h : ty`, where that is `n < n`, or a proposition without variables that is decided to be false.
fn refuted<'b>(el: &mut Elab<'b>, ty: Expr, h: Expr) -> Option<Expr> {
    let st = el.st;
    for order in ["Nat", "Int"] {
        let irrefl = st.name(&format!("{order}.lt_irrefl"));
        if let Some(a) = el.match_app(ty, &format!("{order}.lt"), 2)
            && a[0] == a[1]
            && el.env.get(irrefl).is_some()
        {
            return Some(st.apps(st.constant(irrefl, &[]), &[a[0], h]));
        }
    }
    let open = st.has_fvar(ty) || st.has_mvar(ty) || st.has_level_mvar(ty);
    if open || !matches!(st.node(ty), Node::App(..)) || !el.is_prop(ty) {
        return None;
    }
    let of_false = st.name("of_decide_eq_false");
    el.env.get(of_false)?;
    let decidable = st.app(st.const0("Decidable"), ty);
    let inst = el.try_or_restore(|el| el.synth_instance(decidable)).ok()?;
    let inst = el.instantiate_mvars(inst);
    let value = st.apps(st.const0("Decidable.decide"), &[ty, inst]);
    let falsity = st.const0("Bool.false");
    if with_budget(el, ATTEMPT, |el| el.whnf_all(value)) != falsity {
        return None;
    }
    let refl = st.constant(st.name("Eq.refl"), &[st.level_nat(1)]);
    let refl = st.apps(refl, &[st.const0("Bool"), falsity]);
    Some(st.apps(st.constant(of_false, &[]), &[ty, inst, refl, h]))
}

/// Whether case distinction may show at once that a hypothesis cannot hold: an empty type, or an equation.
fn impossible_shape<'b>(el: &mut Elab<'b>, ty: Expr) -> bool {
    let st = el.st;
    if let Some((t, a, b)) = el.match_eq(ty) {
        if a == b || el.get_inductive_app(t).is_none() {
            return false;
        }
        // Only what shows: unfolding definitions to look for constructors may take long.
        return [a, b].iter().all(|s| {
            let w = el.whnf_reducible(*s);
            matches!(st.node(w), Node::Nat(_) | Node::Str(_))
                || super::ext::is_ctor_app(el, w)
                || super::unify::predecessor(el, w).is_some()
        });
    }
    if matches!(st.node(ty), Node::Pi(..) | Node::Sort(_)) {
        return false;
    }
    let Some(app) = el.get_inductive_app(ty) else {
        return false;
    };
    let (info, _, _, indices) = app;
    // Of a recursive family no constructor may fit `0` or `[]`.
    info.ctors.is_empty()
        || (!indices.is_empty() && !info.is_recursive)
        || indices.iter().any(|i| first_ctor(el, *i))
}
