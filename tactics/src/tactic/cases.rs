//! Case distinction on a value of an inductive type, indices included.

use logic::{BinderInfo, Expr, Level, Name, Node};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};

use super::unify::unify_equations;
use super::util::{FVarSubst, as_fvar, dependents, goal_in, mentions, try_clear};

/// One case that is possible.
#[derive(Clone, Debug)]
pub(crate) struct CaseGoal {
    /// The constructor.
    pub ctor: Name,
    /// What is to be shown in this case.
    pub goal: MVarId,
    /// The constructor's arguments, as they are after substitution.
    pub fields: Vec<Expr>,
    /// What became of the variables that were there before.
    pub subst: FVarSubst,
}

/// Names for the fields of a constructor; `None` leaves a name that scripts cannot write.
pub(crate) type FieldNames<'n> = &'n dyn Fn(Name, &[BinderInfo]) -> Vec<Option<Name>>;

/// No names at all.
pub(crate) fn no_names(_: Name, _: &[BinderInfo]) -> Vec<Option<Name>> {
    Vec::new()
}

struct Major {
    name: Name,
    levels: Vec<Level>,
    ctors: Vec<Name>,
    params: Vec<Expr>,
    indices: Vec<Expr>,
    large: bool,
}

fn major<'b>(el: &mut Elab<'b>, h: FVarId) -> Result<Major> {
    let st = el.st;
    let d = el.local(h);
    let ty = el.instantiate_mvars(d.ty);
    let Some((info, levels, params, indices)) = el.get_inductive_app(ty) else {
        let (n, t) = (st.name_to_string(d.user_name), el.pp(ty));
        let mut err = ElabError::msg(format!(
            "cannot distinguish cases of `{n} : {t}`: its type is not inductive"
        ));
        if matches!(st.node(ty), Node::Pi(..)) {
            err = err.help("it is a function: apply it to arguments first (`specialize`, `have`)");
        }
        return Err(err);
    };
    let name = info.sig.name;
    let cases_on = st.name_str(name, "casesOn");
    let Some(c) = el.env.get(cases_on) else {
        let n = st.name_to_string(name);
        return Err(ElabError::msg(format!(
            "`{n}` has no `{n}.casesOn`: case distinction on mutual or nested types is not available"
        )));
    };
    let large = c.univ_params().len() > info.sig.univ_params.len();
    Ok(Major {
        name,
        levels: levels.to_vec(),
        ctors: info.ctors.clone(),
        params: params.to_vec(),
        indices: indices.to_vec(),
        large,
    })
}

/// Distinguishes the cases of the variable `h`. Cases whose indices cannot be those of `h` are closed.
pub(crate) fn cases_core<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    h: FVarId,
    names: FieldNames<'_>,
) -> Result<Vec<CaseGoal>> {
    let mj = major(el, h)?;
    let lctx = el.mvar_lctx(m);
    let target = el.mvar_type(m);
    let small_goal = el.with_goal(m, |el| el.is_prop(target));
    if !mj.large && !small_goal {
        let d = el.local(h);
        let (n, t) = (el.st.name_to_string(d.user_name), el.pp(d.ty));
        return Err(ElabError::msg(format!(
            "`{n} : {t}` is a proof, and the goal is no proposition: a proof's cases cannot choose data"
        ))
        .help("`Classical.choice`, or a decidable condition (`if h : p then … else …`), can"));
    }
    let simple = {
        let vars: Option<Vec<FVarId>> = mj.indices.iter().map(|i| as_fvar(el.st, *i)).collect();
        vars.filter(|vars| {
            vars.iter().enumerate().all(|(k, v)| {
                !vars[..k].contains(v)
                    && lctx.contains(*v)
                    && el.local(*v).value.is_none()
                    && !mj.params.iter().any(|p| mentions(el.st, *p, &[*v]))
            })
        })
    };
    let simple = simple.filter(|_| el.local(h).value.is_none());
    match simple {
        Some(vars) => by_variables(el, m, h, &mj, &vars, names),
        None => by_equations(el, m, h, &mj, names),
    }
}

/// `casesOn` with motive and minor premises, applied to the major premise.
fn cases_on_app<'b>(
    el: &Elab<'b>,
    mj: &Major,
    u: Level,
    motive: Expr,
    major: Expr,
    minors: &[Expr],
) -> Expr {
    let st = el.st;
    let mut ls = mj.levels.clone();
    if mj.large {
        ls.insert(0, u);
    }
    let c = st.constant(st.name_str(mj.name, "casesOn"), &ls);
    let c = st.apps(c, &mj.params);
    let c = st.apps(st.app(c, motive), &mj.indices);
    st.apps(st.app(c, major), minors)
}

/// The type of a constructor at the given parameters.
pub(crate) fn ctor_type_at<'b>(
    el: &mut Elab<'b>,
    ctor: Name,
    levels: &[Level],
    params: &[Expr],
) -> Result<Expr> {
    let st = el.st;
    let Some(info) = el.env.get(ctor) else {
        return Err(ElabError::msg(
            "a constructor is missing from the environment",
        ));
    };
    let ty = st.instantiate_level_params(info.ty(), info.univ_params(), levels);
    let mut ty = ty;
    for p in params {
        if !matches!(st.node(ty), Node::Pi(..)) {
            ty = el.whnf(ty);
        }
        let Node::Pi(_, _, b, _) = st.node(ty) else {
            return Err(ElabError::msg("a constructor has too few parameters"));
        };
        ty = st.instantiate1(b, *p);
    }
    // `p w` with a `fun` for `p` (the predicate of an `∃`, say) is what it says.
    if params.iter().any(|p| matches!(st.node(*p), Node::Lam(..))) {
        ty = el.beta_everywhere(ty);
    }
    Ok(ty)
}

/// What a case has to show, given the constructor's result indices and its application to the fields.
type CaseBody<'f, 'b> = &'f mut dyn FnMut(&mut Elab<'b>, &[Expr], Expr) -> Result<Expr>;

/// For one constructor: the goal `∀ fields, body fields (result indices) (c fields)` and the fields' binders.
fn minor_goal<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    mj: &Major,
    ctor: Name,
    lctx: crate::meta::LCtx,
    body: CaseBody<'_, 'b>,
) -> Result<(MVarId, Vec<BinderInfo>)> {
    let st = el.st;
    let ty = ctor_type_at(el, ctor, &mj.levels, &mj.params)?;
    let np = mj.params.len();
    let c = st.apps(st.constant(ctor, &mj.levels), &mj.params);
    let mut infos = Vec::new();
    let minor = el.with_goal(m, |el| {
        el.forall_telescope(ty, |el, xs, res| {
            for x in xs {
                if let Some(x) = as_fvar(el.st, *x) {
                    infos.push(el.local(x).bi);
                }
            }
            let (_, args) = el.st.unfold_app(res);
            let idx: Vec<Expr> = args.into_iter().skip(np).collect();
            let b = body(el, &idx, st.apps(c, xs))?;
            Ok(el.mk_pi(xs, b))
        })
    })?;
    let tag = case_tag(el, ctor);
    Ok((goal_in(el, lctx, minor, tag), infos))
}

/// The tag of a case: the last component of the constructor's name.
pub(crate) fn case_tag<'b>(el: &Elab<'b>, ctor: Name) -> Name {
    let st = el.st;
    st.name_last(ctor)
        .map_or(Name::ANON, |s| st.name_str(Name::ANON, s))
}

/// The indices are different variables: they and `h` are replaced in the goal and in what depends on them.
fn by_variables<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    h: FVarId,
    mj: &Major,
    vars: &[FVarId],
    names: FieldNames<'_>,
) -> Result<Vec<CaseGoal>> {
    let st = el.st;
    let mut gone = vars.to_vec();
    gone.push(h);
    let lctx = el.mvar_lctx(m);
    let deps = dependents(el, &lctx, &gone);
    let (reverted, m1) = el.revert(m, &deps)?;
    let rev_names: Vec<Name> = reverted.iter().map(|d| el.local(*d).user_name).collect();
    let target = el.mvar_type(m1);
    let u = el.with_goal(m1, |el| el.level_of(target))?;
    let gone_exprs: Vec<Expr> = gone.iter().map(|x| st.fvar(x.0)).collect();
    let motive = el.mk_lambda(&gone_exprs, target);
    let abs = st.abstract_fvars(target, &gone_exprs);
    // The old variables leave the context where nothing else needs them.
    let lctx = el.mvar_lctx(m1);
    let lctx = remove_unused(el, lctx, &gone, mj);
    let mut minors = Vec::new();
    let mut pending = Vec::new();
    for c in &mj.ctors {
        let (g, infos) = minor_goal(el, m1, mj, *c, lctx.clone(), &mut |el, idx, value| {
            let mut args = idx.to_vec();
            args.push(as_number(el, value));
            let body = st.instantiate_rev(abs, &args);
            Ok(if mj.ctors.len() == 1 {
                reduce_projections(el, body)
            } else {
                body
            })
        })?;
        minors.push(el.mk_mvar(g));
        pending.push((*c, g, infos));
    }
    let h_e = st.fvar(h.0);
    let e = cases_on_app(el, mj, u, motive, h_e, &minors);
    el.assign(m1, e);
    let mut out = Vec::new();
    for (ctor, g, infos) in pending {
        let (fields, g) = intro_fields(el, g, &infos, &names(ctor, &infos))?;
        let (fresh, g) = el.intro_n(g, reverted.len(), &rev_names)?;
        let mut subst = FVarSubst::default();
        let field_exprs: Vec<Expr> = fields.iter().map(|f| st.fvar(f.0)).collect();
        let ty = ctor_type_at(el, ctor, &mj.levels, &mj.params)?;
        let res = instantiate_all(el, ty, &field_exprs);
        let (_, args) = st.unfold_app(res);
        for (v, i) in vars.iter().zip(args.into_iter().skip(mj.params.len())) {
            subst.insert(st, *v, i);
        }
        let value = st.apps(st.constant(ctor, &mj.levels), &mj.params);
        let value = as_number(el, st.apps(value, &field_exprs));
        subst.insert(st, h, value);
        for (old, new) in reverted.iter().zip(&fresh) {
            subst.insert(st, *old, st.fvar(new.0));
        }
        out.push(CaseGoal {
            ctor,
            goal: g,
            fields: field_exprs,
            subst,
        });
    }
    Ok(out)
}

/// `0` for `Nat.zero` and `n + 1` for `Nat.succ n`, the forms in which people read and write numbers.
pub(crate) fn as_number<'b>(el: &Elab<'b>, e: Expr) -> Expr {
    let st = el.st;
    match st.node(e) {
        Node::Const(..) if e == st.const0("Nat.zero") => st.nat_u64(0),
        Node::App(f, n) if f == st.const0("Nat.succ") => {
            let (base, k) = el.nat_offset(n);
            if el.env.get(st.name("Nat.add")).is_some() {
                el.mk_nat_offset(base, &(k + 1u32))
            } else {
                e
            }
        }
        _ => e,
    }
}

/// Replaces projections of constructor applications by the fields: after `x` became `⟨a, b⟩`, `x.fst` is `a`.
pub(crate) fn reduce_projections<'b>(el: &mut Elab<'b>, e: Expr) -> Expr {
    let mut memo = rustc_hash::FxHashMap::default();
    reduce_projections_go(el, e, &mut memo)
}

fn reduce_projections_go<'b>(
    el: &mut Elab<'b>,
    e: Expr,
    memo: &mut rustc_hash::FxHashMap<Expr, Expr>,
) -> Expr {
    if let Some(r) = memo.get(&e) {
        return *r;
    }
    let st = el.st;
    let r = logic::subst::with_stack(|| match st.node(e) {
        Node::App(..) => {
            let (f, args) = st.unfold_app(e);
            let f = reduce_projections_go(el, f, memo);
            let args: Vec<Expr> = args
                .iter()
                .map(|a| reduce_projections_go(el, *a, memo))
                .collect();
            if let Node::Const(n, _) = st.node(f)
                && let Some((s, np, i)) = el.ext.projections.get(&n).copied()
                && let Some(x) = args.get(np)
                && let Some(field) = field_of_ctor(el, s, i, *x)
            {
                return el.beta(field, &args[np + 1..]);
            }
            el.beta(f, &args)
        }
        Node::Proj(s, i, x) => {
            let x = reduce_projections_go(el, x, memo);
            field_of_ctor(el, s, i, x).unwrap_or_else(|| st.proj(s, i, x))
        }
        Node::Lam(n, t, b, bi) => {
            let t = reduce_projections_go(el, t, memo);
            let b = reduce_projections_go(el, b, memo);
            st.lam(n, t, b, bi)
        }
        Node::Pi(n, t, b, bi) => {
            let t = reduce_projections_go(el, t, memo);
            let b = reduce_projections_go(el, b, memo);
            st.pi(n, t, b, bi)
        }
        Node::Let(n, t, v, b) => {
            let t = reduce_projections_go(el, t, memo);
            let v = reduce_projections_go(el, v, memo);
            let b = reduce_projections_go(el, b, memo);
            st.let_(n, t, v, b)
        }
        _ => e,
    });
    memo.insert(e, r);
    r
}

/// Field `i` of a constructor application of structure `s`.
fn field_of_ctor<'b>(el: &Elab<'b>, s: Name, i: u32, x: Expr) -> Option<Expr> {
    let (f, args) = el.st.unfold_app(x);
    let Node::Const(c, _) = el.st.node(f) else {
        return None;
    };
    match el.env.get(c) {
        Some(logic::ConstantInfo::Constructor(k)) if k.inductive == s => {
            args.get(k.num_params as usize + i as usize).copied()
        }
        _ => None,
    }
}

fn instantiate_all<'b>(el: &mut Elab<'b>, mut ty: Expr, args: &[Expr]) -> Expr {
    for a in args {
        if !matches!(el.st.node(ty), Node::Pi(..)) {
            ty = el.whnf(ty);
        }
        if let Node::Pi(_, _, b, _) = el.st.node(ty) {
            ty = el.st.instantiate1(b, *a);
        }
    }
    ty
}

/// Drops `gone` from a context, except what its remaining variables (or the parameters) need.
fn remove_unused<'b>(
    el: &mut Elab<'b>,
    lctx: crate::meta::LCtx,
    gone: &[FVarId],
    mj: &Major,
) -> crate::meta::LCtx {
    let st = el.st;
    let mut out = lctx;
    for x in gone.iter().rev() {
        let used = dependents(el, &out, &[*x]);
        let in_params = mj.params.iter().any(|p| mentions(st, *p, &[*x]));
        if used.is_empty() && !in_params {
            out = out.without(&[*x]);
        }
    }
    out
}

/// The indices are terms: the case goals get equations between them and the constructor's, which are worked off.
fn by_equations<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    h: FVarId,
    mj: &Major,
    names: FieldNames<'_>,
) -> Result<Vec<CaseGoal>> {
    let st = el.st;
    let lctx = el.mvar_lctx(m);
    let target = el.mvar_type(m);
    let u = el.with_goal(m, |el| el.level_of(target))?;
    let h_decl = el.local(h);
    let h_ty = el.instantiate_mvars(h_decl.ty);
    let h_e = st.fvar(h.0);
    let is_proof = el.with_goal(m, |el| el.is_prop(h_ty));
    let needed = mentions(st, target, &[h]) || !dependents(el, &lctx, &[h]).is_empty();
    let link_value = !is_proof && needed;

    // The motive: `fun j₁ … (x : T j) => j₁ = i₁ → … → (HEq x h →) target`.
    let family = st.apps(st.constant(mj.name, &mj.levels), &mj.params);
    let family_ty = el.infer_type(family)?;
    let mut refls = Vec::new();
    let motive = el.with_goal(m, |el| {
        el.forall_telescope_reducing(family_ty, Some(mj.indices.len()), |el, js, _| {
            let x_ty = st.apps(family, js);
            let (eqs, rs) = index_equations(el, js, &mj.indices)?;
            refls = rs;
            let pi = st.pi(st.name("x"), x_ty, st.prop(), BinderInfo::Default);
            el.forall_telescope_reducing(pi, Some(1), |el, xs, _| {
                let mut all = eqs.clone();
                if link_value {
                    let l = el.level_of(x_ty)?;
                    let heq = st.constant(st.name("HEq"), &[l]);
                    all.push(st.apps(heq, &[x_ty, xs[0], h_ty, h_e]));
                    let refl = st.constant(st.name("HEq.refl"), &[el.level_of(h_ty)?]);
                    refls.push(st.apps(refl, &[h_ty, h_e]));
                }
                let body = arrows(st, &all, target);
                let vars = [js, xs].concat();
                Ok(el.mk_lambda(&vars, body))
            })
        })
    })?;
    let goal_lctx = if link_value || needed {
        lctx
    } else {
        lctx.without(&[h])
    };
    let count = refls.len();
    let mut minors = Vec::new();
    let mut pending = Vec::new();
    for c in &mj.ctors {
        let (g, infos) = minor_goal(el, m, mj, *c, goal_lctx.clone(), &mut |el, idx, value| {
            let mut args = idx.to_vec();
            args.push(value);
            Ok(el.head_beta(st.apps(motive, &args)))
        })?;
        minors.push(el.mk_mvar(g));
        pending.push((*c, g, infos));
    }
    let motive_level = {
        // Equations are propositions, so an implication from them lives where its conclusion does.
        u
    };
    let e = cases_on_app(el, mj, motive_level, motive, h_e, &minors);
    el.assign(m, st.apps(e, &refls));
    let mut out = Vec::new();
    for (ctor, g, infos) in pending {
        let (fields, g) = intro_fields(el, g, &infos, &names(ctor, &infos))?;
        let Some((subst, g)) = unify_equations(el, g, count)? else {
            continue;
        };
        let g = match subst.fvar(st, h) {
            Some(h) if is_proof || subst.fvar(st, h) == Some(h) => {
                if mentions_goal(el, g, h) {
                    g
                } else {
                    try_clear(el, g, h)
                }
            }
            _ => g,
        };
        let fields = fields
            .iter()
            .map(|f| subst.apply(st, st.fvar(f.0)))
            .collect();
        out.push(CaseGoal {
            ctor,
            goal: g,
            fields,
            subst,
        });
    }
    Ok(out)
}

fn mentions_goal<'b>(el: &mut Elab<'b>, g: MVarId, h: FVarId) -> bool {
    let t = el.mvar_type(g);
    mentions(el.st, t, &[h])
}

fn arrows(st: &logic::Store<'_>, hyps: &[Expr], body: Expr) -> Expr {
    let n = hyps.len() as u32;
    let mut out = st.lift(body, 0, n);
    for (k, h) in hyps.iter().enumerate().rev() {
        let h = st.lift(*h, 0, k as u32);
        out = st.pi(st.name("h"), h, out, BinderInfo::Default);
    }
    out
}

/// The equations `jₖ = iₖ` (or `HEq jₖ iₖ`), and the proofs that each index equals itself.
fn index_equations<'b>(
    el: &mut Elab<'b>,
    js: &[Expr],
    indices: &[Expr],
) -> Result<(Vec<Expr>, Vec<Expr>)> {
    let st = el.st;
    let (mut eqs, mut refls) = (Vec::new(), Vec::new());
    for (j, i) in js.iter().zip(indices) {
        let (tj, ti) = (el.infer_type(*j)?, el.infer_type(*i)?);
        let l = el.level_of(ti)?;
        if el.is_defeq(tj, ti) {
            let eq = st.constant(st.name("Eq"), &[l]);
            eqs.push(st.apps(eq, &[ti, *j, *i]));
            refls.push(st.apps(st.constant(st.name("Eq.refl"), &[l]), &[ti, *i]));
        } else {
            let lj = el.level_of(tj)?;
            let heq = st.constant(st.name("HEq"), &[lj]);
            eqs.push(st.apps(heq, &[tj, *j, ti, *i]));
            refls.push(st.apps(st.constant(st.name("HEq.refl"), &[l]), &[ti, *i]));
        }
    }
    Ok((eqs, refls))
}

/// Introduces the fields of a case. `names` counts explicit and implicit fields alike.
pub(crate) fn intro_fields<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    infos: &[BinderInfo],
    names: &[Option<Name>],
) -> Result<(Vec<FVarId>, MVarId)> {
    let mut goal = m;
    let mut out = Vec::with_capacity(infos.len());
    for k in 0..infos.len() {
        let (x, g) = el.intro(goal, names.get(k).copied().flatten())?;
        out.push(x);
        goal = g;
    }
    Ok((out, goal))
}

/// Makes a term a variable: the goal `T e` becomes `T x`, with `eq : e = x` if an equation is asked for.
pub(crate) fn generalize_term<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    e: Expr,
    var: Option<Name>,
    eq: Option<Option<Name>>,
) -> Result<(FVarId, Option<FVarId>, MVarId)> {
    let st = el.st;
    let e = el.instantiate_mvars(e);
    let ty = el.with_goal(m, |el| el.infer_type(e))?;
    let ty = el.instantiate_mvars(ty);
    let target = el.mvar_type(m);
    let mut abs = el.with_goal(m, |el| el.kabstract(target, e));
    let l = el.with_goal(m, |el| el.level_of(ty))?;
    let var_name = match var {
        Some(n) => n,
        None => el.fresh_user_name("x"),
    };
    let mut args = vec![e];
    if eq.is_some() {
        let c = st.constant(st.name("Eq"), &[l]);
        let eq_ty = st.apps(c, &[ty, e, st.bvar(0)]);
        let lifted = if st.has_loose_bvars(abs) {
            st.lift(abs, 0, 1)
        } else {
            abs
        };
        abs = st.pi(st.name("h"), eq_ty, lifted, BinderInfo::Default);
        args.push(st.apps(st.constant(st.name("Eq.refl"), &[l]), &[ty, e]));
    }
    let new_ty = st.pi(var_name, ty, abs, BinderInfo::Default);
    let lctx = el.mvar_lctx(m);
    let tag = super::util::tag(el, m);
    let new = goal_in(el, lctx, new_ty, tag);
    let new_e = el.mk_mvar(new);
    el.assign(m, st.apps(new_e, &args));
    let (x, mut goal) = el.intro(new, Some(var_name))?;
    let mut h = None;
    if let Some(name) = eq {
        let (id, g) = el.intro(goal, name)?;
        h = Some(id);
        goal = g;
    }
    Ok((x, h, goal))
}
