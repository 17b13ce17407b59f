//! `cases` and `induction` with named alternatives.

use logic::{BinderInfo, ConstantInfo, Expr, Level, Name, Node};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};
use crate::syntax::ast::{self, Discr, Ident, InductionAlt, InductionAltHead};

use super::cases::{as_number, cases_core, ctor_type_at, generalize_term, intro_fields};
use super::util::{
    as_fvar, binder_name, dependents, goal_in, hypothesis, mentions, nearest, run_closed,
    term_local,
};

/// A goal that an alternative of a `with` clause may close.
struct Branch {
    /// What the alternative is called: a constructor, or a minor premise of a custom principle.
    name: Name,
    goal: MVarId,
    /// How many variables the alternative may name, in order of introduction, and which of them are implicit.
    infos: Vec<BinderInfo>,
    /// Variables to introduce after the named ones.
    rest: Vec<Name>,
    /// Whether the goal still has its variables in front.
    closed: bool,
}

/// The tactic `cases e, … with | c x y => …`.
pub(crate) fn cases<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    targets: &[Discr],
    using: Option<&ast::Term>,
    alts: Option<&[InductionAlt]>,
) -> Result<Vec<MVarId>> {
    if let Some(u) = using {
        return induction(el, m, targets, Some(u), &[], alts);
    }
    let [target] = targets else {
        if alts.is_some() {
            return Err(ElabError::msg(
                "`cases` with alternatives takes one value; use `rcases` or nested `cases` for several",
            ));
        }
        let mut goals = vec![m];
        for t in targets {
            let mut next = Vec::new();
            for g in goals {
                next.extend(cases(el, g, std::slice::from_ref(t), None, None)?);
            }
            goals = next;
        }
        return Ok(goals);
    };
    let (h, goal) = target_variable(el, m, target)?;
    let st = el.st;
    let heads: Vec<&InductionAltHead> = alts
        .unwrap_or_default()
        .iter()
        .flat_map(|a| &a.heads)
        .collect();
    let names = |ctor: Name, infos: &[BinderInfo]| -> Vec<Option<Name>> {
        match heads.iter().find(|hd| head_matches(st, hd, ctor)) {
            Some(hd) => spread_names(st, hd, infos),
            None => Vec::new(),
        }
    };
    if alts.is_some() {
        let ctors = constructors_of(el, h)?;
        check_heads(el, &heads, &ctors)?;
        for hd in &heads {
            check_count(el, hd, &ctors)?;
        }
    }
    let done = cases_core(el, goal, h, &names)?;
    let branches = done
        .into_iter()
        .map(|c| Branch {
            name: c.ctor,
            goal: c.goal,
            infos: Vec::new(),
            rest: Vec::new(),
            closed: false,
        })
        .collect();
    finish(el, branches, alts)
}

/// An error if a case names more variables than its constructor has.
fn check_count<'b>(el: &Elab<'b>, head: &InductionAltHead, ctors: &[Name]) -> Result<()> {
    let st = el.st;
    let Some(ctor) = ctors.iter().find(|c| head_matches(st, head, **c)) else {
        return Ok(());
    };
    let Some(ConstantInfo::Constructor(c)) = el.env.get(*ctor) else {
        return Ok(());
    };
    let infos = super::rcases::field_infos(st, c.sig.ty, c.num_params as usize);
    let n = count_named(head, &infos);
    if head.vars.len() > n {
        return Err(too_many(head, n));
    }
    Ok(())
}

fn too_many(head: &InductionAltHead, n: usize) -> ElabError {
    let given = head.vars.len();
    let vars = if n == 1 { "variable" } else { "variables" };
    ElabError::new(
        head.span,
        format!("this case has {n} {vars} to name, but {given} names are given"),
    )
}

fn constructors_of<'b>(el: &mut Elab<'b>, h: FVarId) -> Result<Vec<Name>> {
    let ty = el.local(h).ty;
    let ty = el.instantiate_mvars(ty);
    Ok(el
        .get_inductive_app(ty)
        .map(|(i, ..)| i.ctors.clone())
        .unwrap_or_default())
}

/// The variable to distinguish: a hypothesis itself, or a new one that stands for a term.
fn target_variable<'b>(el: &mut Elab<'b>, m: MVarId, d: &Discr) -> Result<(FVarId, MVarId)> {
    if d.hyp.is_none()
        && let Some(x) = term_local(el, m, &d.e)
        && el.local(x).value.is_none()
    {
        return Ok((x, m));
    }
    let (e, new) = el.with_goal(m, |el| el.elab_for_tactic(&d.e, None, false))?;
    if !new.is_empty() {
        return Err(ElabError::new(d.e.span, "this value is not determined completely"));
    }
    let e = el.instantiate_mvars(e);
    if d.hyp.is_none()
        && let Some(x) = as_fvar(el.st, e)
        && el.local(x).value.is_none()
    {
        return Ok((x, m));
    }
    let eq = d.hyp.as_ref().map(|b| binder_name(el.st, b));
    let (x, _, goal) = generalize_term(el, m, e, None, eq)?;
    Ok((x, goal))
}

fn head_matches(st: &logic::Store<'_>, head: &InductionAltHead, ctor: Name) -> bool {
    head.ctor.as_ref().is_some_and(|c| name_matches(st, c, ctor))
}

/// `c` names `T.c`, by its last component or by a longer suffix.
fn name_matches(st: &logic::Store<'_>, id: &Ident, full: Name) -> bool {
    let spelled = st.name_to_string(full);
    let wanted = id.parts().join(".");
    spelled == wanted || spelled.ends_with(&format!(".{wanted}"))
}

/// The names that a pattern head gives to the variables: to explicit ones only, unless it begins with `@`.
fn spread_names(
    st: &logic::Store<'_>,
    head: &InductionAltHead,
    infos: &[BinderInfo],
) -> Vec<Option<Name>> {
    let mut given = head.vars.iter();
    let mut out = Vec::with_capacity(infos.len());
    for bi in infos {
        if head.explicit || *bi == BinderInfo::Default {
            out.push(given.next().and_then(|b| binder_name(st, b)));
        } else {
            out.push(None);
        }
    }
    out
}

fn check_heads<'b>(el: &Elab<'b>, heads: &[&InductionAltHead], known: &[Name]) -> Result<()> {
    let st = el.st;
    for (k, h) in heads.iter().enumerate() {
        let Some(id) = &h.ctor else { continue };
        if !known.iter().any(|c| name_matches(st, id, *c)) {
            let spelled: Vec<String> = known
                .iter()
                .map(|c| {
                    st.name_last(*c)
                        .map_or_else(|| st.name_to_string(*c), str::to_owned)
                })
                .collect();
            let mut err = ElabError::new(h.span, format!("there is no case `{}`", id.name));
            if let Some(n) = nearest(&id.name, &spelled) {
                err = err.help(format!("did you mean `{n}`?"));
            }
            let list = spelled.join("`, `");
            return Err(if known.is_empty() {
                err.note("the type has no constructors")
            } else {
                err.note(format!("the cases are `{list}`"))
            });
        }
        let twice = heads[..k]
            .iter()
            .any(|o| o.ctor.as_ref().is_some_and(|c| c.name == id.name));
        if twice {
            return Err(ElabError::new(
                h.span,
                format!("the case `{}` is treated twice", id.name),
            ));
        }
    }
    Ok(())
}

/// Introduces what is left in front of each branch and runs the alternatives. Without alternatives the goals remain.
fn finish<'b>(
    el: &mut Elab<'b>,
    branches: Vec<Branch>,
    alts: Option<&[InductionAlt]>,
) -> Result<Vec<MVarId>> {
    let st = el.st;
    let mut goals = Vec::new();
    let mut missing = Vec::new();
    for b in branches {
        let found = alts.and_then(|alts| {
            let exact = alts.iter().find_map(|a| {
                let h = a.heads.iter().find(|h| head_matches(st, h, b.name))?;
                Some((a, h))
            });
            exact.or_else(|| {
                alts.iter().find_map(|a| {
                    let h = a.heads.iter().find(|h| h.ctor.is_none())?;
                    Some((a, h))
                })
            })
        });
        let names = found
            .map(|(_, h)| spread_names(st, h, &b.infos))
            .unwrap_or_default();
        if let Some((_, h)) = found
            && b.closed
            && h.vars.len() > count_named(h, &b.infos)
        {
            return Err(too_many(h, count_named(h, &b.infos)));
        }
        let (_, goal) = intro_fields(el, b.goal, &b.infos, &names)?;
        let (_, goal) = el.intro_n(goal, b.rest.len(), &b.rest)?;
        match (alts, found) {
            (None, _) => goals.push(goal),
            (Some(_), Some((a, _))) => run_closed(el, goal, &a.body)?,
            (Some(_), None) => missing.push((b.name, goal)),
        }
    }
    if !missing.is_empty() {
        let list: Vec<String> = missing
            .iter()
            .map(|(n, _)| {
                let last = st.name_last(*n).unwrap_or("_");
                format!("`{last}`")
            })
            .collect();
        let mut err = ElabError::msg(format!("no alternative for the case {}", list.join(", ")))
            .help(format!(
                "add `| {} … => …`, or `| _ => …` for all that are left",
                list[0].trim_matches('`')
            ));
        for (_, g) in missing {
            err = super::util::on_goal(el, err, g);
        }
        return Err(err);
    }
    Ok(goals)
}

fn count_named(h: &InductionAltHead, infos: &[BinderInfo]) -> usize {
    if h.explicit {
        infos.len()
    } else {
        infos.iter().filter(|b| **b == BinderInfo::Default).count()
    }
}

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
    let Some(ConstantInfo::Recursor(rec)) = el.env.get(st.name_str(name, "rec")).map(|c| (*c).clone())
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
            ElabError::msg(format!("cannot do induction on a value of `{t}`: its index `{i}` {why}"))
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
    let mut ty = el.with_goal(m1, |el| el.infer_type(head))?;
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
            return Err(ElabError::msg("the recursor of this type has an unexpected shape"));
        };
        let (dom, infos) = beta_motive(el, dom, motive, *ctor, &levels, &params)?;
        let g = goal_in(el, lctx.clone(), dom, case_name(el, *ctor));
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

fn case_name<'b>(el: &Elab<'b>, ctor: Name) -> Name {
    let st = el.st;
    st.name_last(ctor)
        .map_or(ctor, |s| st.name_str(Name::ANON, s))
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
            return Err(ElabError::new(span, "this principle has an unexpected shape"));
        };
        let arg = if k == motive_at {
            let found = el.with_goal(m1, |el| el.infer_type(motive_value))?;
            if !el.with_goal(m1, |el| el.is_defeq(dom, found)) {
                let (a, b) = (el.pp(dom), el.pp(found));
                return Err(ElabError::new(
                    span,
                    format!("the motive of this principle has type `{a}`, but the goal gives one of type `{b}`"),
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
