//! Steps forward: `have`, `let`, `suffices`, `show`, `change`, `generalize`.

use logic::Name;

use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{
    BinderName, FunBinder, GeneralizeArg, LetDecl, LetLhs, LetValue, Location, RPattern, Span,
    Term, TermKind,
};

use super::basic;
use super::intro::from_pattern;
use super::location::{at_places, places};
use super::rcases::obtain;
use super::util::{binder_name, elab_type, elab_type_like, goal_in, on_goal, stated_type, tag};

fn this<'b>(el: &Elab<'b>) -> Name {
    el.name("this")
}

/// `fun binders => value` and `∀ binders, ty`, where there are binders.
fn as_function(
    binders: &[FunBinder],
    ty: Option<&Term>,
    value: Option<&Term>,
) -> Result<(Option<Term>, Option<Term>)> {
    if binders.is_empty() {
        return Ok((ty.cloned(), value.cloned()));
    }
    let value = value.map(|v| Term {
        kind: TermKind::Lam {
            binders: binders.to_vec(),
            body: Box::new(v.clone()),
        },
        span: v.span,
    });
    let ty = match ty {
        None => None,
        Some(t) => {
            let mut plain = Vec::new();
            for b in binders {
                match b {
                    FunBinder::Binder(b) => plain.push(b.clone()),
                    FunBinder::Pattern { pat, .. } => {
                        return Err(ElabError::new(
                            pat.span,
                            "a pattern cannot be a parameter where the type is stated too",
                        ));
                    }
                }
            }
            Some(Term {
                kind: TermKind::Pi {
                    binders: plain,
                    body: Box::new(t.clone()),
                },
                span: t.span,
            })
        }
    };
    Ok((ty, value))
}

fn value_term(v: &LetValue, span: Span) -> Term {
    match v {
        LetValue::Term(t) => t.clone(),
        LetValue::Alts(alts) => Term {
            kind: TermKind::FunMatch(alts.clone()),
            span,
        },
    }
}

/// `have h : T := e` in all its forms. Without a value, the goal for `T` comes first.
pub(crate) fn have<'b>(el: &mut Elab<'b>, m: MVarId, d: &LetDecl) -> Result<Vec<MVarId>> {
    let value = d.value.as_ref().map(|v| value_term(v, d.span));
    let (name, binders): (Option<Name>, &[FunBinder]) = match &d.lhs {
        LetLhs::Pattern(p) => {
            let pat: RPattern = from_pattern(p)?;
            return obtain(el, m, Some(&pat), d.ty.as_ref(), value.as_ref(), d.span);
        }
        LetLhs::Anonymous => (Some(this(el)), &[]),
        LetLhs::Name { name, binders } => (binder_name(el.st, name), binders),
    };
    let (ty, value) = as_function(binders, d.ty.as_ref(), value.as_ref())?;
    let name = match name {
        Some(n) => n,
        None => el.inaccessible(el.name("this")),
    };
    let ty_e = match &ty {
        Some(t) => Some(elab_type(el, m, t)?),
        None => None,
    };
    match (ty_e, value) {
        (ty_e, Some(v)) => {
            let (e, new) = el.with_goal(m, |el| el.elab_for_tactic(&v, ty_e, true))?;
            let ty_e = match ty_e {
                Some(t) => t,
                None => stated_type(el, m, e)?,
            };
            let ty_e = el.instantiate_mvars(ty_e);
            let e = el.instantiate_mvars(e);
            let (_, g) = el.assert(m, name, ty_e, e)?;
            let mut out = new;
            out.push(g);
            Ok(out)
        }
        (Some(ty_e), None) => {
            let ty_e = el.instantiate_mvars(ty_e);
            let lctx = el.mvar_lctx(m);
            let proof = goal_in(el, lctx, ty_e, name);
            let proof_e = el.mk_mvar(proof);
            let (_, g) = el.assert(m, name, ty_e, proof_e)?;
            Ok(vec![proof, g])
        }
        (None, None) => Err(ElabError::new(d.span, "`have` needs a type or a value")),
    }
}

/// `let x : T := e`.
pub(crate) fn let_<'b>(el: &mut Elab<'b>, m: MVarId, d: &LetDecl) -> Result<Vec<MVarId>> {
    let Some(value) = d.value.as_ref().map(|v| value_term(v, d.span)) else {
        return Err(ElabError::new(d.span, "`let` needs a value: `let x := e`"));
    };
    let (name, binders): (Option<Name>, &[FunBinder]) = match &d.lhs {
        LetLhs::Pattern(p) => {
            let pat = from_pattern(p)?;
            return obtain(el, m, Some(&pat), d.ty.as_ref(), Some(&value), d.span);
        }
        LetLhs::Anonymous => (Some(this(el)), &[]),
        LetLhs::Name { name, binders } => (binder_name(el.st, name), binders),
    };
    let (ty, value) = as_function(binders, d.ty.as_ref(), Some(&value))?;
    let name = match name {
        Some(n) => n,
        None => el.inaccessible(el.name("x")),
    };
    let Some(value) = value else {
        return Err(ElabError::new(d.span, "`let` needs a value: `let x := e`"));
    };
    let ty_e = match &ty {
        Some(t) => Some(elab_type(el, m, t)?),
        None => None,
    };
    let (e, new) = el.with_goal(m, |el| el.elab_for_tactic(&value, ty_e, true))?;
    let ty_e = match ty_e {
        Some(t) => t,
        None => stated_type(el, m, e)?,
    };
    let (ty_e, e) = (el.instantiate_mvars(ty_e), el.instantiate_mvars(e));
    let (_, g) = el.define(m, name, ty_e, e)?;
    let mut out = new;
    out.push(g);
    Ok(out)
}

/// `suffices h : T from e`: the goal from `T`, then `T` remains.
pub(crate) fn suffices<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    name: Option<&BinderName>,
    ty: &Term,
    proof: Option<&Term>,
) -> Result<Vec<MVarId>> {
    let name = match name {
        None => this(el),
        Some(b) => match binder_name(el.st, b) {
            Some(n) => n,
            None => el.inaccessible(el.name("this")),
        },
    };
    let ty_e = elab_type(el, m, ty)?;
    let ty_e = el.instantiate_mvars(ty_e);
    let lctx = el.mvar_lctx(m);
    let rest = goal_in(el, lctx, ty_e, tag(el, m));
    let rest_e = el.mk_mvar(rest);
    let (_, g) = el.assert(m, name, ty_e, rest_e)?;
    match proof {
        Some(p) => {
            basic::exact(el, g, p)?;
            Ok(vec![rest])
        }
        None => Ok(vec![g, rest]),
    }
}

/// `show T`, `show T from e`, `show T by …`.
pub(crate) fn show<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    ty: &Term,
    proof: Option<&Term>,
) -> Result<Vec<MVarId>> {
    let g = restate(el, m, ty, "show")?;
    match proof {
        Some(p) => basic::exact(el, g, p),
        None => Ok(vec![g]),
    }
}

/// The goal in another form that is equal by computation.
fn restate<'b>(el: &mut Elab<'b>, m: MVarId, ty: &Term, word: &str) -> Result<MVarId> {
    let target = el.mvar_type(m);
    let new = elab_type_like(el, m, ty, target)?;
    if !el.with_goal(m, |el| el.is_defeq(new, target)) {
        let new = el.instantiate_mvars(new);
        let (a, b) = el.with_goal(m, |el| (el.pp(new), el.pp(target)));
        let err = ElabError::new(
            ty.span,
            format!("`{word}`: the goal is not equal to this by computation"),
        )
        .note(format!("stated: {a}"))
        .note(format!("goal:   {b}"));
        return Err(on_goal(el, err, m));
    }
    let new = el.instantiate_mvars(new);
    el.change_goal(m, new)
}

/// `change T at h`.
pub(crate) fn change<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    ty: &Term,
    loc: Option<&Location>,
) -> Result<Vec<MVarId>> {
    let places = places(el, m, loc)?;
    at_places(el, m, &places, &mut |el, g, place| match place {
        None => Ok(vec![restate(el, g, ty, "change")?]),
        Some(h) => {
            let old = el.local(h).ty;
            let new = elab_type_like(el, g, ty, old)?;
            if !el.with_goal(g, |el| el.is_defeq(new, old)) {
                let new = el.instantiate_mvars(new);
                let (a, b) = el.with_goal(g, |el| (el.pp(new), el.pp(old)));
                return Err(ElabError::new(
                    ty.span,
                    "`change`: the hypothesis is not equal to this by computation",
                )
                .note(format!("stated:     {a}"))
                .note(format!("hypothesis: {b}")));
            }
            let new = el.instantiate_mvars(new);
            let h_e = el.mk_fvar(h);
            let (_, g) = el.replace_local(g, h, new, h_e)?;
            Ok(vec![g])
        }
    })
}

/// `generalize h : e = x, … at k`.
pub(crate) fn generalize<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    args: &[GeneralizeArg],
    loc: Option<&Location>,
) -> Result<Vec<MVarId>> {
    let mut goal = m;
    // Hypotheses named after `at` go through the goal.
    let mut names = Vec::new();
    if loc.is_some() {
        let p = places(el, goal, loc)?;
        let (reverted, g) = el.revert(goal, &p.hyps)?;
        names = reverted.iter().map(|x| el.local(*x).user_name).collect();
        goal = g;
    }
    for a in args {
        let (e, _) = el.with_goal(goal, |el| el.elab_for_tactic(&a.e, None, false))?;
        let var = binder_name(el.st, &a.var);
        let eq = a.hyp.as_ref().map(|b| binder_name(el.st, b));
        let (_, _, g) =
            super::cases::generalize_term(el, goal, e, var, eq).map_err(|err| err.at(a.e.span))?;
        goal = g;
    }
    let (_, goal) = el.intro_n(goal, names.len(), &names)?;
    Ok(vec![goal])
}
