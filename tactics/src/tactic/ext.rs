//! `funext`, `ext`, `congr`, `injection`.

use logic::{ConstantInfo, Expr, Name, Node};
use num_traits::ToPrimitive;

use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{BinderName, Ident, NumLit, RPattern, RPatternKind};

use super::basic;
use super::rcases::{match_all, pattern_name};
use super::unify::no_confusion;
use super::util::{binder_name, hypothesis, on_goal};

/// Applies `funext` once: `f = g` from `f x = g x`.
fn funext_once<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Option<MVarId>> {
    let target = el.mvar_type(m);
    let target = if el.match_eq(target).is_some() {
        target
    } else {
        el.with_goal(m, |el| el.whnf(target))
    };
    let Some((ty, ..)) = el.match_eq(target) else {
        return Ok(None);
    };
    let ty = el.with_goal(m, |el| el.whnf(ty));
    if !matches!(el.st.node(ty), Node::Pi(..)) {
        return Ok(None);
    }
    let c = el.mk_const(el.name("funext"))?;
    let gs = el.apply_term(m, c)?;
    Ok(gs.into_iter().find(|g| !el.is_assigned(*g)))
}

/// `funext x y`; without names, once.
pub(crate) fn funext<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    names: &[BinderName],
) -> Result<Vec<MVarId>> {
    let mut goal = m;
    let count = names.len().max(1);
    for k in 0..count {
        let Some(g) = funext_once(el, goal)? else {
            let err = ElabError::msg("`funext` needs an equation between functions");
            return Err(on_goal(el, err, goal));
        };
        let name = names.get(k).and_then(|b| binder_name(el.st, b));
        let (_, g) = el.intro(g, name)?;
        goal = beta_goal(el, g)?;
    }
    Ok(vec![goal])
}

/// The goal with redexes reduced that `funext` leaves at the heads of both sides.
fn beta_goal<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<MVarId> {
    let target = el.mvar_type(m);
    let new = el.beta_everywhere(target);
    if new == target {
        Ok(m)
    } else {
        el.change_goal(m, new)
    }
}

/// `ext x ⟨a, b⟩`: theorems marked `@[ext]`, `funext` and `propext`, as long as they apply.
pub(crate) fn ext<'b>(el: &mut Elab<'b>, m: MVarId, pats: &[RPattern]) -> Result<Vec<MVarId>> {
    let mut out = Vec::new();
    if !ext_go(el, m, pats, 0, &mut out)? {
        let err = ElabError::msg("no extensionality theorem applies to this goal").help(
            "theorems marked `@[ext]` that end in `a = b` are tried, and `funext`, `propext`",
        );
        return Err(on_goal(el, err, m));
    }
    Ok(out)
}

fn ext_go<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    pats: &[RPattern],
    depth: u32,
    out: &mut Vec<MVarId>,
) -> Result<bool> {
    if depth > 32 {
        out.push(m);
        return Ok(false);
    }
    let st = el.st;
    let target = el.mvar_type(m);
    if el.match_eq(target).is_none() {
        out.push(m);
        return Ok(false);
    }
    let lemmas: Vec<Name> = el
        .ext
        .ext
        .iter()
        .copied()
        .chain(["funext", "propext"].map(|s| st.name(s)))
        .filter(|n| el.env.get(*n).is_some())
        .collect();
    for n in lemmas {
        let saved = el.save();
        let applied = el.mk_const(n).and_then(|c| el.apply_term(m, c));
        let goals = match applied {
            Ok(gs) => gs,
            Err(_) => {
                el.restore(&saved);
                continue;
            }
        };
        for g in goals {
            if el.is_assigned(g) {
                continue;
            }
            ext_intro(el, g, pats, depth, out)?;
        }
        return Ok(true);
    }
    out.push(m);
    Ok(false)
}

/// Introduces the variables of a goal that an extensionality theorem has made, then goes on with `ext`.
fn ext_intro<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    pats: &[RPattern],
    depth: u32,
    out: &mut Vec<MVarId>,
) -> Result<()> {
    let st = el.st;
    let target = el.mvar_type(m);
    let is_binder = matches!(st.node(target), Node::Pi(..));
    if is_binder {
        let pat = pats.first();
        let rest = pats.get(1..).unwrap_or_default();
        let name = pat.and_then(|p| pattern_name(st, p));
        let (x, g) = el.intro(m, name)?;
        let goals = match pat {
            Some(p) if !matches!(p.kind, RPatternKind::Name(_) | RPatternKind::Wild) => {
                let x = el.mk_fvar(x);
                match_all(el, g, &[(x, p.clone())])?
            }
            _ => vec![g],
        };
        for g in goals {
            ext_intro(el, g, rest, depth, out)?;
        }
        return Ok(());
    }
    let g = beta_goal(el, m)?;
    if basic::try_rfl_cheap(el, g) {
        return Ok(());
    }
    ext_go(el, g, pats, depth + 1, out)?;
    Ok(())
}

/// `congr`, `congr n`: from `f a b = f c d` to `a = c` and `b = d`.
pub(crate) fn congr<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    depth: Option<&NumLit>,
) -> Result<Vec<MVarId>> {
    let depth = depth.map_or(1024, |n| n.value.to_u32().unwrap_or(1024));
    let mut out = Vec::new();
    if !congr_go(el, m, depth, &mut out)? {
        let err = ElabError::msg(
            "`congr` needs an equation `f a … = f b …` between applications of one function",
        );
        return Err(on_goal(el, err, m));
    }
    Ok(out)
}

fn congr_go<'b>(el: &mut Elab<'b>, m: MVarId, depth: u32, out: &mut Vec<MVarId>) -> Result<bool> {
    let st = el.st;
    if basic::try_rfl_cheap(el, m) || basic::try_assumption(el, m) {
        return Ok(true);
    }
    let mut goal = m;
    let target = el.mvar_type(goal);
    if el.match_app(target, "Iff", 2).is_some() {
        let c = el.mk_const(el.name("Iff.of_eq"));
        let applied = c.and_then(|c| el.apply_term(goal, c));
        match applied {
            Ok(gs) if gs.len() == 1 => goal = gs[0],
            _ => {
                out.push(m);
                return Ok(false);
            }
        }
    }
    let target = el.mvar_type(goal);
    let Some((_, a, b)) = el.match_eq(target) else {
        out.push(m);
        return Ok(false);
    };
    if depth == 0 {
        out.push(goal);
        return Ok(false);
    }
    let (fa, aa) = st.unfold_app(a);
    let (fb, ba) = st.unfold_app(b);
    let same = aa.len() == ba.len()
        && !aa.is_empty()
        && el.with_goal(goal, |el| {
            el.with_no_assign(|el| el.is_defeq_reducible(fa, fb))
        });
    if !same {
        out.push(goal);
        return Ok(false);
    }
    // The longest prefix on which both sides agree needs no proof; after it, one equation an argument.
    let mut k = 0;
    let mut head = fa;
    while k < aa.len()
        && (aa[k] == ba[k]
            || el.with_goal(goal, |el| {
                el.with_no_assign(|el| el.is_defeq_reducible(aa[k], ba[k]))
            }))
    {
        head = st.app(head, aa[k]);
        k += 1;
    }
    let mut proof = el.with_goal(goal, |el| el.mk_eq_refl(head))?;
    let mut proof_is_refl = true;
    let mut subgoals = Vec::new();
    let lctx = el.mvar_lctx(goal);
    for i in k..aa.len() {
        let ty = el.with_goal(goal, |el| el.infer_type(proof))?;
        let ty = el.instantiate_mvars(ty);
        let Some((fty, f, _)) = el.match_eq(ty) else {
            return Err(ElabError::msg("`congr`: an equation was lost"));
        };
        let fty = el.with_goal(goal, |el| el.whnf(fty));
        let dependent = match st.node(fty) {
            Node::Pi(_, _, body, _) => el.bvar_occurs(body, 0),
            _ => true,
        };
        let equal = aa[i] == ba[i]
            || el.with_goal(goal, |el| {
                el.with_no_assign(|el| {
                    let (ta, tb) = (el.infer_type(aa[i]).ok(), el.infer_type(ba[i]).ok());
                    match (ta, tb) {
                        (Some(ta), Some(tb)) => {
                            el.is_defeq(ta, tb)
                                && (el.is_prop(ta) || el.is_defeq_reducible(aa[i], ba[i]))
                        }
                        _ => false,
                    }
                })
            });
        if equal && proof_is_refl {
            let fa = st.app(f, aa[i]);
            proof = el.with_goal(goal, |el| el.mk_eq_refl(fa))?;
            continue;
        }
        if equal {
            proof = el.with_goal(goal, |el| el.mk_congr_fun(proof, aa[i]))?;
            continue;
        }
        if dependent {
            out.push(goal);
            return Ok(false);
        }
        let eq = el.with_goal(goal, |el| el.mk_eq(aa[i], ba[i]))?;
        let g = super::util::goal_in(el, lctx.clone(), eq, Name::ANON);
        let g_e = el.mk_mvar(g);
        proof = el.with_goal(goal, |el| {
            if proof_is_refl {
                el.mk_congr_arg(f, g_e)
            } else {
                el.mk_congr(proof, g_e)
            }
        })?;
        proof_is_refl = false;
        subgoals.push(g);
    }
    el.assign_checked(goal, proof)?;
    for g in subgoals {
        congr_go(el, g, depth - 1, out)?;
    }
    Ok(true)
}

/// `injection h with a b`: equal values of a constructor have equal fields. The goal is closed if it is one of the new
/// equations.
pub(crate) fn injection<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    id: &Ident,
    names: &[RPattern],
) -> Result<Vec<MVarId>> {
    let st = el.st;
    let h = hypothesis(el, m, id)?;
    let ty = el.local(h).ty;
    let ty = el.instantiate_mvars(ty);
    let Some((t, a, b)) = el.match_eq(ty) else {
        let p = el.pp(ty);
        return Err(ElabError::new(
            id.span,
            format!(
                "`injection` takes an equation between constructors; `{}` is `{p}`",
                id.name
            ),
        ));
    };
    let (wa, wb) = el.with_goal(m, |el| (el.whnf(a), el.whnf(b)));
    for s in [wa, wb] {
        let ctor = match st.node(st.app_fn(s)) {
            Node::Const(n, _) => matches!(el.env.get(n), Some(ConstantInfo::Constructor(_))),
            Node::Nat(_) => true,
            _ => false,
        };
        if !ctor {
            let p = el.pp(s);
            return Err(ElabError::new(
                id.span,
                format!("`{p}` is no constructor applied to arguments"),
            ));
        }
    }
    let Some((mut goal, n)) = no_confusion(el, m, h, t, a, b)? else {
        return Ok(Vec::new());
    };
    for k in 0..n {
        let name = names.get(k).and_then(|p| pattern_name(st, p));
        let name = match name {
            Some(n) => Some(n),
            None if n == 1 && names.is_empty() => Some(el.local(h).user_name),
            None => None,
        };
        let (_, g) = el.intro(goal, name)?;
        goal = g;
    }
    let goal = super::util::try_clear(el, goal, h);
    if basic::try_assumption(el, goal) {
        return Ok(Vec::new());
    }
    Ok(vec![goal])
}

/// Whether a term is a constructor applied to arguments.
pub(crate) fn is_ctor_app<'b>(el: &Elab<'b>, e: Expr) -> bool {
    match el.st.node(el.st.app_fn(e)) {
        Node::Const(n, _) => matches!(el.env.get(n), Some(ConstantInfo::Constructor(_))),
        _ => false,
    }
}
