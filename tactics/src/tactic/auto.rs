//! `auto`: search for a proof by the rules of propositional logic, hypotheses and their implications.
//!
//! Conjunctions, existentials, equivalences and disjunctions among the hypotheses are taken apart, equations for variables
//! are substituted, the goal is introduced and split, and implications among the hypotheses are used backwards. The search is bounded in depth.

use logic::{Expr, Node};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};

use super::cases::{cases_core, no_names};
use super::subst::subst_vars;
use super::util::{context, on_goal};
use super::{basic, contradiction, ctor};

/// How many implications a branch of the search may use.
const DEPTH: u32 = 6;
/// How many goals one call may look at.
const GOALS: u32 = 4_000;

/// `auto`.
pub(crate) fn auto<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Vec<MVarId>> {
    let mut budget = GOALS;
    let saved = el.save();
    if search(el, m, DEPTH, &mut budget)? {
        return Ok(Vec::new());
    }
    el.restore(&saved);
    let why = if budget == 0 {
        format!("stopped after looking at {GOALS} goals")
    } else {
        format!("tried the rules of the connectives and chains of at most {DEPTH} implications")
    };
    let err = ElabError::msg("`auto` finds no proof").note(why);
    Err(on_goal(el, err, m))
}

fn search<'b>(el: &mut Elab<'b>, m: MVarId, depth: u32, budget: &mut u32) -> Result<bool> {
    if *budget == 0 || !el.tick() {
        *budget = 0;
        return Ok(false);
    }
    *budget -= 1;
    let st = el.st;
    let mut goal = m;
    // Introduce what the goal assumes.
    loop {
        let target = el.mvar_type(goal);
        let shown = el.with_goal(goal, |el| el.whnf_reducible(target));
        let assumes =
            matches!(st.node(shown), Node::Pi(..)) || contradiction::negated(el, shown).is_some();
        if !assumes {
            break;
        }
        let (_, g) = el.intro(goal, None)?;
        goal = g;
    }
    if let Some(g) = subst_vars(el, goal)?.first() {
        goal = *g;
    }
    if basic::try_assumption(el, goal)
        || basic::try_rfl_cheap(el, goal)
        || contradiction::try_contradiction(el, goal)
    {
        return Ok(true);
    }
    // Take a hypothesis apart; this loses nothing, so there is no way back.
    if let Some(h) = divisible(el, goal) {
        for c in cases_core(el, goal, h, &no_names)? {
            if !search(el, c.goal, depth, budget)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    if let Some((_, g)) = forward(el, goal)? {
        return search(el, g, depth, budget);
    }
    let target = el.mvar_type(goal);
    match connective(el, target).as_deref() {
        Some("And" | "Iff") => {
            for g in ctor::constructor(el, goal)? {
                if !search(el, g, depth, budget)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        Some("Or") => {
            for right in [false, true] {
                let saved = el.save();
                if let Ok(gs) = ctor::choose(el, goal, right)
                    && all(el, &gs, depth, budget)?
                {
                    return Ok(true);
                }
                el.restore(&saved);
            }
        }
        _ => {}
    }
    if depth == 0 {
        return Ok(false);
    }
    // Hypotheses that end in the goal (or in `False`), the latest first.
    let lctx = el.mvar_lctx(goal);
    for h in context(&lctx).into_iter().rev() {
        let d = el.local(h);
        if d.aux {
            continue;
        }
        let ty = el.instantiate_mvars(d.ty);
        let implication =
            matches!(st.node(ty), Node::Pi(..)) || contradiction::negated(el, ty).is_some();
        if !implication || !el.with_goal(goal, |el| el.is_prop(ty)) {
            continue;
        }
        let saved = el.save();
        let h_e = el.mk_fvar(h);
        let start = if contradiction::negated(el, ty).is_some() && target != st.const0("False") {
            basic::exfalso(el, goal)?.first().copied()
        } else {
            Some(goal)
        };
        if let Some(start) = start
            && let Ok(gs) = el.apply_term(start, h_e)
            && all(el, &gs, depth - 1, budget)?
        {
            return Ok(true);
        }
        el.restore(&saved);
    }
    Ok(false)
}

/// Proves all of some goals that are not assigned yet.
fn all<'b>(el: &mut Elab<'b>, goals: &[MVarId], depth: u32, budget: &mut u32) -> Result<bool> {
    for g in goals {
        if el.is_assigned(*g) {
            continue;
        }
        let ty = el.mvar_type(*g);
        if el.st.has_mvar(ty) || !el.with_goal(*g, |el| el.is_prop(ty)) {
            // An argument that nothing has determined: a hypothesis may.
            if basic::try_assumption(el, *g) {
                continue;
            }
            return Ok(false);
        }
        if !search(el, *g, depth, budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn connective<'b>(el: &Elab<'b>, ty: Expr) -> Option<String> {
    el.head_const(ty).map(|n| el.st.name_to_string(n))
}

/// A hypothesis that is a conjunction, an existential, an equivalence, a disjunction, or plainly true or false.
fn divisible<'b>(el: &mut Elab<'b>, m: MVarId) -> Option<FVarId> {
    let lctx = el.mvar_lctx(m);
    context(&lctx).into_iter().find(|h| {
        let d = el.local(*h);
        if d.aux || d.value.is_some() {
            return false;
        }
        let ty = el.instantiate_mvars(d.ty);
        matches!(
            connective(el, ty).as_deref(),
            Some("And" | "Exists" | "Iff" | "Or" | "False")
        )
    })
}

/// One step forward: `q` from hypotheses `p → q` and `p`, where `q` is not known yet. The implication is spent.
fn forward<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Option<(FVarId, MVarId)>> {
    let st = el.st;
    let lctx = el.mvar_lctx(m);
    let mut hyps: Vec<(FVarId, Expr)> = Vec::new();
    for h in context(&lctx) {
        let d = el.local(h);
        if !d.aux {
            hyps.push((h, el.instantiate_mvars(d.ty)));
        }
    }
    for (h, ty) in &hyps {
        let Node::Pi(_, p, q, _) = st.node(*ty) else {
            continue;
        };
        if st.has_loose_bvars(q) || !el.with_goal(m, |el| el.is_prop(p) && el.is_prop(*ty)) {
            continue;
        }
        let Some((g, _)) = hyps.iter().find(|(_, t)| *t == p) else {
            continue;
        };
        let proof = st.app(el.mk_fvar(*h), el.mk_fvar(*g));
        let name = el.inaccessible(el.name("h"));
        let (x, g2) = el.assert(m, name, q, proof)?;
        let g2 = super::util::try_clear(el, g2, *h);
        return Ok(Some((x, g2)));
    }
    Ok(None)
}
