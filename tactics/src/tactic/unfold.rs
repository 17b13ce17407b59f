//! `unfold f`: definitions are replaced by what they say.

use logic::{ConstantInfo, Declaration, Expr, Name, Node, Signature};

use crate::meta::{Elab, ElabError, FVarId, LCtx, MVarId, Result};
use crate::syntax::ast::{Ident, Location};

use super::cases::{cases_core, no_names};
use super::location::{at_places, places};
use super::rewrite::{Equation, equation_of, rewrite_goal, rewrite_hyp};
use super::util::{as_fvar, goal_in, on_goal};

/// `unfold f g at h`.
pub(crate) fn unfold<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    names: &[Ident],
    loc: Option<&Location>,
) -> Result<Vec<MVarId>> {
    let places = places(el, m, loc)?;
    let mut consts = Vec::new();
    for id in names {
        let n = el.resolve_const(id)?;
        if !matches!(el.env.get(n), Some(ConstantInfo::Definition { .. })) {
            let what = match el.env.get(n) {
                Some(ConstantInfo::Theorem { .. }) => "a theorem",
                Some(ConstantInfo::Axiom { .. }) => "an axiom",
                Some(ConstantInfo::Inductive(_)) => "an inductive type",
                Some(ConstantInfo::Constructor(_)) => "a constructor",
                _ => "no definition",
            };
            return Err(ElabError::new(
                id.span,
                format!("`{}` is {what}: there is nothing to unfold", id.name),
            ));
        }
        consts.push((n, id));
    }
    at_places(el, m, &places, &mut |el, g, place| {
        let mut goal = g;
        let mut place = place;
        for (n, id) in &consts {
            let ty = match place {
                None => el.mvar_type(goal),
                Some(h) => el.local(h).ty,
            };
            let ty = el.instantiate_mvars(ty);
            let by_measure = el.ext.well_founded.contains_key(n);
            let new = match by_measure {
                true => ty,
                false => el.with_goal(goal, |el| unfold_in(el, ty, *n)),
            };
            if new == ty
                && (by_measure || el.ext.rec_arg.contains_key(n))
                && let Some(eq) = equation(el, *n)?
            {
                let rewritten = match place {
                    None => rewrite_goal(el, goal, &eq)?,
                    Some(h) => rewrite_hyp(el, goal, h, &eq)?,
                };
                if let Some(gs) = rewritten
                    && let Some(g2) = gs.first()
                {
                    let name = place.map(|h| el.local(h).user_name);
                    goal = *g2;
                    let lctx = el.mvar_lctx(goal);
                    place = name.and_then(|n| el.find_local(&lctx, n));
                    continue;
                }
            }
            if new == ty {
                let err = ElabError::new(
                    id.span,
                    format!("`{}` does not occur here in a form that unfolds", id.name),
                );
                return Err(on_goal(el, err, goal));
            }
            match place {
                None => goal = el.change_goal(goal, new)?,
                Some(h) => {
                    let h_e = el.mk_fvar(h);
                    let (h2, g2) = el.replace_local(goal, h, new, h_e)?;
                    goal = g2;
                    place = Some(h2);
                }
            }
        }
        Ok(vec![goal])
    })
}

/// Unfolds the constant once at each of its occurrences. Recursive functions unfold where their argument shows a
/// constructor.
pub(crate) fn unfold_in<'b>(el: &mut Elab<'b>, e: Expr, n: Name) -> Expr {
    let st = el.st;
    let mut memo = rustc_hash::FxHashMap::default();
    go(el, e, n, &mut memo, st)
}

fn go<'b>(
    el: &mut Elab<'b>,
    e: Expr,
    n: Name,
    memo: &mut rustc_hash::FxHashMap<Expr, Expr>,
    st: &'b logic::Store<'b>,
) -> Expr {
    if let Some(r) = memo.get(&e) {
        return *r;
    }
    let r = logic::subst::with_stack(|| match st.node(e) {
        Node::App(..) | Node::Const(..) => {
            let (f, args) = st.unfold_app(e);
            let args: Vec<Expr> = args.iter().map(|a| go(el, *a, n, memo, st)).collect();
            let f2 = if matches!(st.node(f), Node::Const(..)) {
                f
            } else {
                go(el, f, n, memo, st)
            };
            let whole = st.apps(f2, &args);
            match st.node(f2) {
                Node::Const(c, ls) if c == n => {
                    let unfolded = match el.unfold_smart(c, ls, &args) {
                        Some(u) => Some(u),
                        // Stuck on a match: it shows, unless the function calls itself.
                        None if el.ext.rec_arg.contains_key(&c) => None,
                        None => el.unfold_const_raw(whole),
                    };
                    unfolded.map_or(whole, |u| el.head_beta(u))
                }
                _ => whole,
            }
        }
        Node::Lam(x, t, b, bi) => {
            let t = go(el, t, n, memo, st);
            let b = go(el, b, n, memo, st);
            st.lam(x, t, b, bi)
        }
        Node::Pi(x, t, b, bi) => {
            let t = go(el, t, n, memo, st);
            let b = go(el, b, n, memo, st);
            st.pi(x, t, b, bi)
        }
        Node::Let(x, t, v, b) => {
            let t = go(el, t, n, memo, st);
            let v = go(el, v, n, memo, st);
            let b = go(el, b, n, memo, st);
            st.let_(x, t, v, b)
        }
        Node::Proj(s, i, x) => {
            let x = go(el, x, n, memo, st);
            st.proj(s, i, x)
        }
        _ => e,
    });
    memo.insert(e, r);
    r
}

/// The theorem `f.eq_def`: `f x₁ … xₙ` equals the body of `f`, matches and recursive calls as written. It is proved on
/// first use, by the cases that the matches distinguish.
pub(crate) fn eq_def<'b>(el: &mut Elab<'b>, f: Name) -> Result<Option<Name>> {
    let st = el.st;
    let name = st.name_str(f, "eq_def");
    if el.env.get(name).is_some() {
        return Ok(Some(name));
    }
    let by_measure = el.ext.well_founded.get(&f).copied();
    let Some(body) = by_measure.or(el.ext.smart.get(&f).copied()) else {
        return Ok(None);
    };
    let Some(info) = el.const_info(f) else {
        return Ok(None);
    };
    let params = info.univ_params().to_vec();
    let levels: Vec<_> = params.iter().map(|n| st.level_param(*n)).collect();
    let head = st.constant(f, &levels);
    let statement = el.with_lctx(LCtx::default(), |el| {
        el.lambda_telescope(body, |el, xs, rhs| {
            let lhs = st.apps(head, xs);
            let eq = el.mk_eq(lhs, rhs)?;
            Ok(el.mk_pi(xs, eq))
        })
    })?;
    let saved = el.save();
    let goal = goal_in(el, LCtx::default(), statement, Name::ANON);
    let n = el.count_foralls(statement);
    let (_, g) = el.intro_n(goal, n, &[])?;
    let proved = match by_measure {
        Some(_) => prove_by_fix(el, g, 0)?,
        None => prove_by_cases(el, g, 0)?,
    };
    if !proved {
        el.restore(&saved);
        return Ok(None);
    }
    let e = el.mk_mvar(goal);
    let value = el.instantiate_mvars(e);
    let d = Declaration::Theorem {
        sig: Signature {
            name,
            univ_params: params,
            ty: statement,
        },
        value,
    };
    if el.env.add(d).is_err() {
        return Ok(None);
    }
    el.register_name(name);
    Ok(Some(name))
}

/// Closes `lhs = match …` by `rfl` in each case of the variables that the right side matches on.
fn prove_by_cases<'b>(el: &mut Elab<'b>, m: MVarId, depth: u32) -> Result<bool> {
    if depth > 64 {
        return Ok(false);
    }
    let target = el.mvar_type(m);
    let Some((_, lhs, rhs)) = el.match_eq(target) else {
        return Ok(false);
    };
    let rhs = el.with_goal(m, |el| el.whnf_core(rhs));
    let (f, args) = el.st.unfold_app(rhs);
    if let Node::Const(c, _) = el.st.node(f)
        && let Some(info) = el.cases_on_info(c)
        && let Some(major) = args.get(info.major())
        && let Some(x) = as_fvar(el.st, *major)
    {
        for c in cases_core(el, m, x, &no_names)? {
            if !prove_by_cases(el, c.goal, depth + 1)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let refl = el.with_goal(m, |el| el.mk_eq_refl(lhs))?;
    el.assign(m, refl);
    Ok(true)
}

/// The same for a function by a measure: in each case of the variables that are matched anywhere, the equation is the one
/// of `WellFounded.fix`.
fn prove_by_fix<'b>(el: &mut Elab<'b>, m: MVarId, depth: u32) -> Result<bool> {
    if depth > 64 {
        return Ok(false);
    }
    let target = el.mvar_type(m);
    let Some((_, lhs, rhs)) = el.match_eq(target) else {
        return Ok(false);
    };
    let lctx = el.mvar_lctx(m);
    let matched = el.with_goal(m, |el| matched_variable(el, rhs));
    match matched.filter(|x| lctx.contains(*x)) {
        Some(x) => {
            for c in cases_core(el, m, x, &no_names)? {
                if !prove_by_fix(el, c.goal, depth + 1)? {
                    return Ok(false);
                }
            }
        }
        None => {
            let proof = el.with_goal(m, |el| el.fix_unfolding(lhs))?;
            el.assign(m, proof);
        }
    }
    Ok(true)
}

/// A variable on which a match in a term is stuck.
fn matched_variable<'b>(el: &mut Elab<'b>, e: Expr) -> Option<FVarId> {
    if !el.tick() {
        return None;
    }
    let st = el.st;
    let (f, args) = st.unfold_app(e);
    if let Node::Const(c, _) = st.node(f)
        && let Some(info) = el.cases_on_info(c)
        && let Some(major) = args.get(info.major())
    {
        if let Some(x) = as_fvar(st, *major) {
            return Some(x);
        }
        let reduced = match st.has_loose_bvars(e) {
            true => e,
            false => el.whnf_core(e),
        };
        if reduced != e {
            return matched_variable(el, reduced);
        }
    }
    logic::subst::with_stack(|| match st.node(e) {
        Node::App(f, a) => matched_variable(el, f).or_else(|| matched_variable(el, a)),
        Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => {
            matched_variable(el, t).or_else(|| matched_variable(el, b))
        }
        Node::Let(_, t, v, b) => matched_variable(el, t)
            .or_else(|| matched_variable(el, v))
            .or_else(|| matched_variable(el, b)),
        Node::Proj(_, _, x) => matched_variable(el, x),
        _ => None,
    })
}

/// `f x₁ … xₙ = body` with open variables.
fn equation<'b>(el: &mut Elab<'b>, f: Name) -> Result<Option<Equation>> {
    match eq_def(el, f)? {
        Some(n) => {
            let c = el.mk_const(n)?;
            equation_of(el, c, false)
        }
        None => Ok(None),
    }
}
