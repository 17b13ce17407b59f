//! `subst`: replaces a variable by what an equation says it is.

use logic::{BinderInfo, Expr};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};
use crate::syntax::ast;

use super::util::{
    FVarSubst, as_fvar, context, dependents, goal_in, hypothesis, mentions, on_goal, tag,
    term_ident,
};

/// Substitutes by the equation `h`. With `right`, `h : a = x` and `x` becomes `a`; otherwise `h : x = a`.
/// Hypotheses that mention `x` are rewritten; `x` and `h` leave the context.
pub(crate) fn subst_core<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    h: FVarId,
    right: bool,
) -> Result<(FVarSubst, MVarId)> {
    let st = el.st;
    let h_ty = el.local(h).ty;
    let h_ty = el.instantiate_mvars(h_ty);
    let Some((ty, lhs, rhs)) = as_equation(el, h_ty) else {
        return Err(not_an_equation(el, h));
    };
    let (var, other) = if right { (rhs, lhs) } else { (lhs, rhs) };
    let Some(x) = as_fvar(st, var) else {
        let p = el.pp(var);
        return Err(ElabError::msg(format!("`{p}` is not a variable")));
    };
    let lctx = el.mvar_lctx(m);
    let mut deps = dependents(el, &lctx, &[x]);
    for d in dependents(el, &lctx, &[x, h]) {
        if d != h && !deps.contains(&d) {
            deps.push(d);
        }
    }
    deps.retain(|d| *d != h);
    if mentions(st, other, &[x]) || mentions(st, other, &deps) {
        let (v, o) = (el.pp(var), el.pp(other));
        return Err(ElabError::msg(format!(
            "cannot replace `{v}` by `{o}`: the one depends on the other"
        )));
    }
    if el.local(x).value.is_some() {
        let v = el.pp(var);
        return Err(ElabError::msg(format!(
            "`{v}` has a value of its own (`let`), so it cannot be replaced"
        )));
    }
    let order: Vec<FVarId> = context(&lctx)
        .into_iter()
        .filter(|d| deps.contains(d))
        .collect();
    let (reverted, m1) = el.revert(m, &order)?;
    let target = el.mvar_type(m1);
    let lctx = el.mvar_lctx(m1).without(&[x, h]);
    let tag = tag(el, m1);
    let mut out = FVarSubst::default();
    let new = if !mentions(st, target, &[x, h]) {
        let new = goal_in(el, lctx, target, tag);
        let e = el.mk_mvar(new);
        el.assign(m1, e);
        new
    } else {
        let u = el.level_of(target)?;
        let v = el.level_of(ty)?;
        let eq = st.constant(st.name("Eq"), &[v]);
        let refl = st.apps(st.constant(st.name("Eq.refl"), &[v]), &[ty, other]);
        let symm = |a: Expr, b: Expr, p: Expr| {
            st.apps(st.constant(st.name("Eq.symm"), &[v]), &[ty, a, b, p])
        };
        let h_fvar = st.fvar(h.0);
        // `fun x (h : other = x) => target`, where an `h` of the other direction is `symm h`.
        let under_h = if right {
            st.abstract_fvars(target, &[h_fvar])
        } else {
            let s = symm(other, var, st.bvar(0));
            st.replace(target, |e, depth| {
                if !st.has_fvar(e) {
                    return Some(e);
                }
                (e == h_fvar).then(|| st.lift(s, 0, depth))
            })
        };
        let h_decl = el.local(h);
        let x_decl = el.local(x);
        let eq_ty = st.apps(eq, &[ty, other, var]);
        let inner = st.lam(h_decl.user_name, eq_ty, under_h, BinderInfo::Default);
        let inner = st.abstract_fvars(inner, &[var]);
        let motive = st.lam(x_decl.user_name, ty, inner, BinderInfo::Default);
        let new_ty = el.head_beta(st.apps(motive, &[other, refl]));
        let new = goal_in(el, lctx, new_ty, tag);
        let proof = if right {
            h_fvar
        } else {
            symm(lhs, rhs, h_fvar)
        };
        let rec = st.constant(st.name("Eq.rec"), &[u, v]);
        let new_e = el.mk_mvar(new);
        let e = st.apps(rec, &[ty, other, motive, new_e, var, proof]);
        el.assign(m1, e);
        out.insert(
            st,
            h,
            if right {
                refl
            } else {
                symm(other, other, refl)
            },
        );
        new
    };
    out.insert(st, x, other);
    let names: Vec<_> = reverted.iter().map(|d| el.local(*d).user_name).collect();
    let (fresh, new) = el.intro_n(new, reverted.len(), &names)?;
    for (old, fresh) in reverted.iter().zip(&fresh) {
        let e = el.mk_fvar(*fresh);
        out.insert(st, *old, e);
    }
    Ok((out, new))
}

/// The equation that a proposition is, perhaps after beta and reducible definitions.
fn as_equation<'b>(el: &mut Elab<'b>, ty: Expr) -> Option<(Expr, Expr, Expr)> {
    el.match_eq(ty).or_else(|| {
        let w = el.whnf_reducible(ty);
        el.match_eq(w)
    })
}

fn not_an_equation<'b>(el: &mut Elab<'b>, h: FVarId) -> ElabError {
    let d = el.local(h);
    let (n, t) = (el.st.name_to_string(d.user_name), el.pp(d.ty));
    ElabError::msg(format!("`{n} : {t}` is not an equation"))
        .help("`subst` needs a hypothesis `x = e` or `e = x` with a variable `x`")
}

/// Substitutes by the equation `h` in whichever direction works: the right side first, as `h : a = x` is read
/// "`x` is `a`"; of two variables the one declared later goes.
pub(crate) fn subst_eq<'b>(el: &mut Elab<'b>, m: MVarId, h: FVarId) -> Result<(FVarSubst, MVarId)> {
    let st = el.st;
    let ty = el.local(h).ty;
    let ty = el.instantiate_mvars(ty);
    let Some((_, a, b)) = as_equation(el, ty) else {
        return Err(not_an_equation(el, h));
    };
    let first_right = as_fvar(st, b).is_some();
    let saved = el.save();
    match subst_core(el, m, h, first_right) {
        Ok(r) => Ok(r),
        Err(first) => {
            el.restore(&saved);
            let other_side = if first_right { a } else { b };
            if as_fvar(st, other_side).is_none() {
                if first_right {
                    return Err(first);
                }
                let t = el.pp(ty);
                return Err(ElabError::msg(format!("neither side of `{t}` is a variable"))
                    .help("`rw` rewrites with an equation between terms; `generalize e = x` names a term"));
            }
            subst_core(el, m, h, !first_right).map_err(|_| first)
        }
    }
}

/// The tactic `subst h …`. A variable in place of an equation is replaced by the equation about it.
pub(crate) fn subst<'b>(el: &mut Elab<'b>, m: MVarId, args: &[ast::Term]) -> Result<Vec<MVarId>> {
    let mut goal = m;
    for a in args {
        let Some(id) = term_ident(a) else {
            return Err(ElabError::new(a.span, "`subst` takes names of hypotheses"));
        };
        let h = hypothesis(el, goal, id)?;
        let ty = el.local(h).ty;
        let ty = el.instantiate_mvars(ty);
        let (_, next) = if as_equation(el, ty).is_some() {
            subst_eq(el, goal, h)?
        } else {
            subst_by_variable(el, goal, h, a.span)?
        };
        goal = next;
    }
    Ok(vec![goal])
}

fn subst_by_variable<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    x: FVarId,
    span: ast::Span,
) -> Result<(FVarSubst, MVarId)> {
    let st = el.st;
    let lctx = el.mvar_lctx(m);
    for h in context(&lctx) {
        let ty = el.local(h).ty;
        let ty = el.instantiate_mvars(ty);
        let Some((_, a, b)) = el.match_eq(ty) else {
            continue;
        };
        for (side, right) in [(b, true), (a, false)] {
            if as_fvar(st, side) == Some(x) {
                let saved = el.save();
                match subst_core(el, m, h, right) {
                    Ok(r) => return Ok(r),
                    Err(_) => el.restore(&saved),
                }
            }
        }
    }
    let d = el.local(x);
    let (n, t) = (st.name_to_string(d.user_name), el.pp(d.ty));
    let err = ElabError::new(
        span,
        format!("`{n} : {t}` is not an equation, and no hypothesis says `{n} = …` or `… = {n}`"),
    );
    Err(on_goal(el, err, m))
}

/// `subst_vars`: every hypothesis `x = e` or `e = x` that can be used is.
pub(crate) fn subst_vars<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Vec<MVarId>> {
    let st = el.st;
    let mut goal = m;
    'again: loop {
        let lctx = el.mvar_lctx(goal);
        for h in context(&lctx) {
            let ty = el.local(h).ty;
            let ty = el.instantiate_mvars(ty);
            let Some((_, a, b)) = el.match_eq(ty) else {
                continue;
            };
            if as_fvar(st, a).is_none() && as_fvar(st, b).is_none() {
                continue;
            }
            let saved = el.save();
            match subst_eq(el, goal, h) {
                Ok((_, next)) => {
                    goal = next;
                    continue 'again;
                }
                Err(_) => el.restore(&saved),
            }
        }
        return Ok(vec![goal]);
    }
}
