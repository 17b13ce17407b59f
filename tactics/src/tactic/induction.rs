//! `induction`: by the recursor of a type, or by a principle that the script names.

use logic::{BinderInfo, ConstantInfo, Expr, Level, Name, Node};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};
use crate::syntax::ast::{self, Discr, Ident, InductionAlt, InductionAltHead};

use super::alternatives::{Branch, check_heads, finish, target_variable};
use super::cases::{as_number, case_tag, ctor_type_at};
use super::util::{as_fvar, dependents, goal_in, hypothesis, mentions};

/// The tactic `induction x using r generalizing y with | …`.
pub(crate) fn induction<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    targets: &[Discr],
    using: Option<&ast::Term>,
    generalizing: &[Ident],
    alts: Option<&[InductionAlt]>,
) -> Result<Vec<MVarId>> {
    let mut goal = m;
    let mut vars = Vec::new();
    for t in targets {
        let (x, g) = target_variable(el, goal, t)?;
        vars.push(x);
        goal = g;
    }
    let mut gens = Vec::new();
    for id in generalizing {
        let x = hypothesis(el, goal, id)?;
        if vars.contains(&x) {
            return Err(ElabError::new(
                id.span,
                format!("`{}` is the variable of the induction itself", id.name),
            ));
        }
        gens.push(x);
    }
    match using {
        Some(r) => by_principle(el, goal, &vars, r, &gens, alts),
        None => match vars[..] {
            [x] => by_recursor(el, goal, x, &gens, alts),
            _ => Err(ElabError::msg(
                "induction on several variables at once needs a principle: `induction x, y using …`",
            )),
        },
    }
}

/// Puts the generalized variables, and all that depends on `gone`, back into the goal.
fn revert_all<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    gone: &[FVarId],
    gens: &[FVarId],
) -> Result<(Vec<Name>, MVarId)> {
    let lctx = el.mvar_lctx(m);
    let mut deps = dependents(el, &lctx, gone);
    for g in gens {
        if !deps.contains(g) {
            deps.push(*g);
        }
    }
    for d in dependents(el, &lctx, &deps) {
        if !deps.contains(&d) && !gone.contains(&d) {
            deps.push(d);
        }
    }
    let order: Vec<FVarId> = lctx.iter().filter(|x| deps.contains(x)).collect();
    let (reverted, m1) = el.revert(m, &order)?;
    if let Some(x) = gone.iter().find(|x| reverted.contains(x)) {
        let n = el.st.name_to_string(el.local(*x).user_name);
        return Err(ElabError::msg(format!(
            "`{n}` depends on a variable that should be generalized"
        )));
    }
    let names = reverted.iter().map(|d| el.local(*d).user_name).collect();
    Ok((names, m1))
}

fn by_recursor<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    x: FVarId,
    gens: &[FVarId],
    alts: Option<&[InductionAlt]>,
) -> Result<Vec<MVarId>> {
    let st = el.st;
    let d = el.local(x);
    let x_ty = el.instantiate_mvars(d.ty);
    let Some((info, levels, params, indices)) = el.get_inductive_app(x_ty) else {
        let (n, t) = (st.name_to_string(d.user_name), el.pp(x_ty));
        return Err(ElabError::msg(format!(
            "cannot do induction on `{n} : {t}`: its type is not inductive"
        )));
    };
    let name = info.sig.name;
    let Some(ConstantInfo::Recursor(rec)) =
        el.env.get(st.name_str(name, "rec")).map(|c| (*c).clone())
    else {
        return Err(ElabError::msg("the recursor of this type is missing"));
    };
    if rec.num_motives != 1 {
        let n = st.name_to_string(name);
        return Err(ElabError::msg(format!(
            "`{n}` is mutual or nested, and `induction` handles one type at a time; use its recursor by `refine`"
        )));
    }
    if let Some(alts) = alts {
        let heads: Vec<&InductionAltHead> = alts.iter().flat_map(|a| &a.heads).collect();
        check_heads(el, &heads, &info.ctors)?;
    }
    let mut gone = Vec::new();
    for i in &indices {
        let bad = |el: &mut Elab<'b>, why: &str| {
            let (i, t) = (el.pp(*i), el.pp(x_ty));
            ElabError::msg(format!(
                "cannot do induction on a value of `{t}`: its index `{i}` {why}"
            ))
            .help(format!(
                "`generalize h : {i} = k` first, or use `cases`, which works off such equations"
            ))
        };
        let Some(v) = as_fvar(st, *i) else {
            return Err(bad(el, "is not a variable"));
        };
        if gone.contains(&v) {
            return Err(bad(el, "occurs twice"));
        }
        if params.iter().any(|p| mentions(st, *p, &[v])) {
            return Err(bad(el, "occurs in a parameter"));
        }
        gone.push(v);
    }
    gone.push(x);
    let (rest, m1) = revert_all(el, m, &gone, gens)?;
    let target = el.mvar_type(m1);
    let u = el.with_goal(m1, |el| el.level_of(target))?;
    let large = rec.sig.univ_params.len() > info.sig.univ_params.len();
    if !large && !el.with_goal(m1, |el| el.is_prop(target)) {
        return Err(ElabError::msg(
            "induction on a proof can show propositions only, and this goal is none",
        ));
    }
    let mut ls: Vec<Level> = levels.to_vec();
    if large {
        ls.insert(0, u);
    }
    let gone_exprs: Vec<Expr> = gone.iter().map(|x| st.fvar(x.0)).collect();
    let motive = el.mk_lambda(&gone_exprs, target);
    let head = st.constant(rec.sig.name, &ls);
    let head = st.app(st.apps(head, &params), motive);
    // The recursor's type at these arguments, its motive not reduced where it is applied.
    let mut ty = st.instantiate_level_params(rec.sig.ty, &rec.sig.univ_params, &ls);
    for a in params.iter().chain([&motive]) {
        let Node::Pi(_, _, body, _) = st.node(ty) else {
            return Err(ElabError::msg(
                "the recursor of this type has an unexpected shape",
            ));
        };
        ty = st.instantiate1(body, *a);
    }
    let mut lctx = el.mvar_lctx(m1);
    for g in gone.iter().rev() {
        let unused = dependents(el, &lctx, &[*g]).is_empty()
            && !params.iter().any(|p| mentions(st, *p, &[*g]));
        if unused {
            lctx = lctx.without(&[*g]);
        }
    }
    let mut minors = Vec::new();
    let mut branches = Vec::new();
    for ctor in &info.ctors {
        let Node::Pi(_, dom, body, _) = st.node(ty) else {
            return Err(ElabError::msg(
                "the recursor of this type has an unexpected shape",
            ));
        };
        let (dom, infos) = beta_motive(el, dom, motive, *ctor, levels, &params)?;
        let g = goal_in(el, lctx.clone(), dom, case_tag(el, *ctor));
        let e = el.mk_mvar(g);
        minors.push(e);
        ty = st.instantiate1(body, e);
        branches.push(Branch {
            name: *ctor,
            goal: g,
            infos,
            rest: rest.clone(),
            closed: true,
        });
    }
    let e = st.apps(st.apps(st.apps(head, &minors), &indices), &[st.fvar(x.0)]);
    el.assign(m1, e);
    finish(el, branches, alts)
}

/// The type of a minor premise with the motive's applications reduced, and the binders of its fields and hypotheses.
fn beta_motive<'b>(
    el: &mut Elab<'b>,
    minor: Expr,
    motive: Expr,
    ctor: Name,
    levels: &[Level],
    params: &[Expr],
) -> Result<(Expr, Vec<BinderInfo>)> {
    let st = el.st;
    let ctor_ty = ctor_type_at(el, ctor, levels, params)?;
    let mut infos = Vec::new();
    let mut t = ctor_ty;
    while let Node::Pi(_, _, b, bi) = st.node(t) {
        infos.push(bi);
        t = b;
    }
    let mut reduced = beta_head(st, el, minor, motive);
    if params.iter().any(|p| matches!(st.node(*p), Node::Lam(..))) {
        reduced = el.beta_everywhere(reduced);
    }
    let mut n = 0;
    let mut t = minor;
    while let Node::Pi(_, _, b, _) = st.node(t) {
        n += 1;
        t = b;
    }
    infos.resize(n, BinderInfo::Default);
    Ok((reduced, infos))
}

/// Reduces every application of `motive` in a term.
fn beta_head<'b>(st: &'b logic::Store<'b>, el: &Elab<'b>, e: Expr, motive: Expr) -> Expr {
    st.replace(e, |x, _| {
        if !matches!(st.node(x), Node::App(..)) {
            return None;
        }
        let (f, mut args) = st.unfold_app(x);
        if f != motive {
            return None;
        }
        if let Some(last) = args.last_mut() {
            *last = as_number(el, *last);
        }
        Some(el.beta(motive, &args))
    })
}

/// Induction by a principle of the user's: `… → (motive : …) → minors → ∀ targets, motive targets`.
fn by_principle<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    xs: &[FVarId],
    principle: &ast::Term,
    gens: &[FVarId],
    alts: Option<&[InductionAlt]>,
) -> Result<Vec<MVarId>> {
    let st = el.st;
    let span = principle.span;
    let (rest, m1) = revert_all(el, m, xs, gens)?;
    let target = el.mvar_type(m1);
    let mut head = el.with_goal(m1, |el| elab_principle(el, principle))?;
    let mut ty = el.with_goal(m1, |el| el.infer_type(head))?;
    // Open the type to see its arguments.
    let xs_exprs: Vec<Expr> = xs.iter().map(|x| st.fvar(x.0)).collect();
    let motive_value = el.mk_lambda(&xs_exprs, target);
    let shape = el.with_goal(m1, |el| {
        el.forall_telescope_reducing(ty, None, |el, args, result| {
            let (f, targets) = st.unfold_app(result);
            let pos = |e: Expr| args.iter().position(|a| *a == e);
            let Some(motive) = pos(f) else {
                return Ok(None);
            };
            let targets: Option<Vec<usize>> = targets.iter().map(|t| pos(*t)).collect();
            let Some(targets) = targets else {
                return Ok(None);
            };
            let mut minors = Vec::new();
            for (k, a) in args.iter().enumerate() {
                let t = el.infer_type(*a)?;
                let mut end = t;
                while let Node::Pi(_, _, b, _) = st.node(end) {
                    end = b;
                }
                if st.app_fn(end) == f && k != motive && !targets.contains(&k) {
                    minors.push(k);
                }
            }
            Ok(Some((motive, targets, minors, args.len())))
        })
    })?;
    let Some((motive_at, target_at, minor_at, count)) = shape else {
        return Err(ElabError::new(
            span,
            "an induction principle ends in `motive t₁ … tₙ` with variables `motive`, `t₁`, …, `tₙ`",
        ));
    };
    if target_at.len() != xs.len() {
        return Err(ElabError::new(
            span,
            format!(
                "this principle is about {} values, but {} are given",
                target_at.len(),
                xs.len()
            ),
        ));
    }
    let mut lctx = el.mvar_lctx(m1);
    for x in xs.iter().rev() {
        if dependents(el, &lctx, &[*x]).is_empty() {
            lctx = lctx.without(&[*x]);
        }
    }
    let full = el.mvar_lctx(m1);
    let mut branches = Vec::new();
    let mut late = Vec::new();
    for k in 0..count {
        if !matches!(st.node(ty), Node::Pi(..)) {
            ty = el.whnf(ty);
        }
        let Node::Pi(name, dom, body, _) = st.node(ty) else {
            return Err(ElabError::new(
                span,
                "this principle has an unexpected shape",
            ));
        };
        let arg = if k == motive_at {
            let found = el.with_goal(m1, |el| el.infer_type(motive_value))?;
            if !el.with_goal(m1, |el| el.is_defeq(dom, found)) {
                let (a, b) = (el.pp(dom), el.pp(found));
                return Err(ElabError::new(
                    span,
                    format!(
                        "the motive of this principle has type `{a}`, but the goal gives one of type `{b}`"
                    ),
                ));
            }
            motive_value
        } else if let Some(t) = target_at.iter().position(|i| *i == k) {
            let found = el.with_goal(m1, |el| el.infer_type(xs_exprs[t]))?;
            if !el.with_goal(m1, |el| el.is_defeq(dom, found)) {
                let (a, b) = (el.pp(dom), el.pp(found));
                return Err(ElabError::new(
                    span,
                    format!("this principle is about a value of type `{a}`, not of type `{b}`"),
                ));
            }
            xs_exprs[t]
        } else if minor_at.contains(&k) {
            let dom = el.instantiate_mvars(dom);
            let dom = beta_head(st, el, dom, motive_value);
            let mut infos = Vec::new();
            let mut t = dom;
            while let Node::Pi(_, _, b, bi) = st.node(t) {
                infos.push(bi);
                t = b;
            }
            // Only the binders of the premise itself: those of the goal are introduced by their own names.
            let all = infos.len().saturating_sub(rest.len());
            infos.truncate(premise_binders(st, st.node(ty)).unwrap_or(all));
            let g = goal_in(el, lctx.clone(), dom, name);
            branches.push(Branch {
                name,
                goal: g,
                infos,
                rest: rest.clone(),
                closed: true,
            });
            el.mk_mvar(g)
        } else {
            let e = el.with_lctx(full.clone(), |el| el.mk_fresh_mvar(dom));
            late.push((e, name));
            e
        };
        head = st.app(head, arg);
        ty = st.instantiate1(body, arg);
    }
    el.assign(m1, head);
    if let Some(alts) = alts {
        let heads: Vec<&InductionAltHead> = alts.iter().flat_map(|a| &a.heads).collect();
        let known: Vec<Name> = branches.iter().map(|b| b.name).collect();
        check_heads(el, &heads, &known)?;
    }
    let mut out = finish(el, branches, alts)?;
    for (e, _) in late {
        let e = el.instantiate_mvars(e);
        if let Node::MVar(id) = st.node(e) {
            out.push(MVarId(id));
        }
    }
    Ok(out)
}

/// The number of binders of a minor premise before its conclusion, as the principle itself states it.
fn premise_binders(st: &logic::Store<'_>, pi: Node<'_>) -> Option<usize> {
    let Node::Pi(_, dom, _, _) = pi else {
        return None;
    };
    let mut n = 0;
    let mut t = dom;
    while let Node::Pi(_, _, b, _) = st.node(t) {
        n += 1;
        t = b;
    }
    // After instantiation the conclusion is the motive applied, a redex whose head is a `fun`.
    matches!(st.node(st.app_fn(t)), Node::Lam(..)).then_some(n)
}

/// A principle as a function of all its arguments: a constant's implicit ones are not filled in.
fn elab_principle<'b>(el: &mut Elab<'b>, t: &ast::Term) -> Result<Expr> {
    let mut t = t.clone();
    if let ast::TermKind::Ident { explicit, .. } = &mut t.kind {
        *explicit = true;
    }
    let e = el.elab_term_synth(&t, None)?;
    Ok(el.instantiate_mvars(e))
}
