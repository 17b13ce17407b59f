//! `rw`: replaces instances of one side of an equation by the other.

use logic::{BinderInfo, ConstantInfo, Expr, Name, Node};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result, Transparency};
use crate::syntax::ast::{Location, RwFlavour, RwRule};

use super::basic;
use super::below_binders::bound_instance;
use super::check::ill_typed;
use super::location::{at_places, places};
use super::unfold::eq_def;
use super::util::{ATTEMPT, context, goal_in, mentions, on_goal, tag, term_ident, with_budget};

/// An equation ready for use: `proof : lhs = rhs` in a type of universe `level`.
#[derive(Clone, Debug)]
pub(crate) struct Equation {
    /// The type of both sides.
    pub ty: Expr,
    /// What is looked for.
    pub lhs: Expr,
    /// What takes its place.
    pub rhs: Expr,
    /// The proof of `lhs = rhs`.
    pub proof: Expr,
    /// The arguments of the rule that unification has to find.
    pub open: Vec<MVarId>,
}

/// The equation that a proof gives, with its variables open. `p ↔ q` is read as `p = q`, a negation `¬p` as
/// `p = False`.
pub(crate) fn equation_of<'b>(
    el: &mut Elab<'b>,
    proof: Expr,
    rev: bool,
) -> Result<Option<Equation>> {
    let st = el.st;
    let ty = el.infer_type(proof)?;
    let ty = el.instantiate_mvars(ty);
    let ty = el.beta_everywhere(ty);
    let mut open = Vec::new();
    let mut cur = ty;
    let mut proof = proof;
    loop {
        cur = el.instantiate_mvars(cur);
        if let Some((t, a, b)) = el.match_eq(cur) {
            return Ok(Some(directed(el, t, a, b, proof, open, rev)?));
        }
        if let Some(args) = el.match_app(cur, "Iff", 2) {
            let p = st.apps(st.const0("propext"), &[args[0], args[1], proof]);
            return Ok(Some(directed(
                el,
                st.prop(),
                args[0],
                args[1],
                p,
                open,
                rev,
            )?));
        }
        if let Some(args) = el.match_app(cur, "Not", 1) {
            if el.env.get(st.name("eq_false")).is_none() {
                return Ok(None);
            }
            let p = st.apps(st.const0("eq_false"), &[args[0], proof]);
            let f = st.const0("False");
            return Ok(Some(directed(el, st.prop(), args[0], f, p, open, rev)?));
        }
        let w = if matches!(st.node(cur), Node::Pi(..)) {
            cur
        } else {
            el.with_transparency(Transparency::Reducible, |el| el.whnf(cur))
        };
        match st.node(w) {
            Node::Pi(..) => {
                let (ms, _, body) = el.forall_mvar_telescope(w, Some(1));
                for m in &ms {
                    open.push(*m);
                    proof = st.app(proof, st.mvar(m.0));
                }
                cur = body;
            }
            _ if w != cur => cur = w,
            _ => {
                let full = el.whnf(cur);
                if full == cur {
                    return Ok(None);
                }
                cur = full;
            }
        }
    }
}

fn directed<'b>(
    el: &mut Elab<'b>,
    ty: Expr,
    a: Expr,
    b: Expr,
    proof: Expr,
    open: Vec<MVarId>,
    rev: bool,
) -> Result<Equation> {
    let (lhs, rhs, proof) = if rev {
        let st = el.st;
        let l = el.level_of(ty)?;
        let s = st.constant(st.name("Eq.symm"), &[l]);
        (b, a, st.apps(s, &[ty, a, b, proof]))
    } else {
        (a, b, proof)
    };
    Ok(Equation {
        ty,
        lhs,
        rhs,
        proof,
        open,
    })
}

/// What rewriting a term gives.
pub(crate) struct Rewritten {
    /// The term with the right side in place of the left.
    pub new: Expr,
    /// `fun x => e[x]`.
    pub motive: Expr,
    /// The equation used, its variables found.
    pub eq: Equation,
    /// Arguments of the rule that remain to be given, as goals.
    pub goals: Vec<MVarId>,
}

/// Rewrites all instances of `eq.lhs` in `e`; the first instance decides what the rule's variables are. `None` if there
/// is no instance.
pub(crate) fn rewrite_term<'b>(
    el: &mut Elab<'b>,
    e: Expr,
    eq: &Equation,
) -> Result<Option<Rewritten>> {
    let st = el.st;
    let e = el.instantiate_mvars(e);
    let lhs = el.instantiate_mvars(eq.lhs);
    if let Node::MVar(_) = st.node(st.app_fn(lhs)) {
        return Err(ElabError::msg(
            "the left side of this rule is a variable, so it would match every term",
        )
        .help("give its arguments: `rw [rule a]`, or rewrite from right to left"));
    }
    let mut abs = el.with_transparency(Transparency::Reducible, |el| el.kabstract(e, lhs));
    if !st.has_loose_bvars(abs) {
        abs = with_budget(el, ATTEMPT, |el| el.kabstract(e, lhs));
    }
    if !st.has_loose_bvars(abs) {
        return Ok(None);
    }
    let ty = el.instantiate_mvars(eq.ty);
    let (lhs, rhs) = (el.instantiate_mvars(eq.lhs), el.instantiate_mvars(eq.rhs));
    let proof = el.instantiate_mvars(eq.proof);
    let motive = st.lam(st.name("x"), ty, abs, BinderInfo::Default);
    if let Some(bad) = ill_typed(el, motive)? {
        return Err(motive_error(el, lhs, bad));
    }
    let new = st.instantiate1(abs, rhs);
    let new = el.instantiate_mvars(new);
    let mut goals = Vec::new();
    let open: Vec<MVarId> = eq.open.clone();
    for m in open {
        if el.is_assigned(m) {
            continue;
        }
        let t = el.mvar_type(m);
        let is_class = el
            .head_const(t)
            .is_some_and(|n| el.ext.classes.contains(&n));
        if is_class && let Ok(inst) = el.synth_instance(t) {
            el.assign(m, inst);
            continue;
        }
        goals.push(m);
    }
    let goals = el.order_new_goals(&goals);
    Ok(Some(Rewritten {
        new,
        motive,
        eq: Equation {
            ty,
            lhs,
            rhs,
            proof,
            open: Vec::new(),
        },
        goals,
    }))
}

/// ` (below `fun i`)`.
fn below<'b>(el: &Elab<'b>, under: &[(&'static str, Name)]) -> String {
    let list: Vec<String> = under
        .iter()
        .map(|(w, n)| format!("`{w} {}`", el.st.name_to_string(*n)))
        .collect();
    match list.is_empty() {
        true => String::new(),
        false => format!(" (below {})", list.join(", ")),
    }
}

fn motive_error<'b>(el: &mut Elab<'b>, lhs: Expr, bad: super::check::IllTyped) -> ElabError {
    let (l, f, a) = (el.pp(lhs), el.pp(bad.fun), el.pp(bad.arg));
    let (x, y) = (el.pp(bad.expected), el.pp(bad.found));
    ElabError::msg(format!(
        "cannot rewrite `{l}` here: the motive is not type correct"
    ))
    .note(format!(
        "with `x` in its place, `{f}` would be given `{a}` of type `{y}`, but needs `{x}`{}",
        below(el, &bad.under)
    ))
    .help("a type in the goal depends on the term: `subst` or `cases` the equation, `simp` (which rewrites the proofs too), or `generalize` the dependent part first")
}

/// `Eq.rec` along `eq`: from a proof of `motive lhs` (of universe `Sort 0` upwards) one of `motive rhs`.
pub(crate) fn transport<'b>(
    el: &mut Elab<'b>,
    eq: &Equation,
    motive: Expr,
    value: Expr,
    backwards: bool,
) -> Result<Expr> {
    let st = el.st;
    let v = el.level_of(eq.ty)?;
    let (from, to, proof) = if backwards {
        let symm = st.constant(st.name("Eq.symm"), &[v]);
        let p = match un_symm(el, eq.proof) {
            Some(p) => p,
            None => st.apps(symm, &[eq.ty, eq.lhs, eq.rhs, eq.proof]),
        };
        (eq.rhs, eq.lhs, p)
    } else {
        (eq.lhs, eq.rhs, eq.proof)
    };
    let at = el.head_beta(st.app(motive, from));
    let u = el.level_of(at)?;
    // The motive of `Eq.rec` also takes the equation.
    let Node::Lam(n, t, body, bi) = st.node(motive) else {
        return Err(ElabError::msg("a motive is a function"));
    };
    let eq_const = st.constant(st.name("Eq"), &[v]);
    let h_ty = st.apps(eq_const, &[eq.ty, from, st.bvar(0)]);
    let inner = st.lam(st.name("h"), h_ty, st.lift(body, 0, 1), BinderInfo::Default);
    let motive2 = st.lam(n, t, inner, bi);
    let rec = st.constant(st.name("Eq.rec"), &[u, v]);
    Ok(st.apps(rec, &[eq.ty, from, motive2, value, to, proof]))
}

/// `p` of `Eq.symm p`.
fn un_symm<'b>(el: &Elab<'b>, proof: Expr) -> Option<Expr> {
    el.match_app(proof, "Eq.symm", 4).map(|a| a[3])
}

/// Rewrites the goal. The new goal comes first, then what the rule still asks for.
pub(crate) fn rewrite_goal<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    eq: &Equation,
) -> Result<Option<Vec<MVarId>>> {
    let target = el.mvar_type(m);
    let lctx = el.mvar_lctx(m);
    let Some(r) = el.with_goal(m, |el| rewrite_term(el, target, eq))? else {
        return Ok(None);
    };
    let tag = tag(el, m);
    let new = goal_in(el, lctx, r.new, tag);
    let new_e = el.mk_mvar(new);
    let e = el.with_goal(m, |el| transport(el, &r.eq, r.motive, new_e, true))?;
    el.assign(m, e);
    let mut out = vec![new];
    out.extend(r.goals);
    Ok(Some(out))
}

/// Rewrites a hypothesis.
pub(crate) fn rewrite_hyp<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    h: FVarId,
    eq: &Equation,
) -> Result<Option<Vec<MVarId>>> {
    let ty = el.local(h).ty;
    let Some(r) = el.with_goal(m, |el| rewrite_term(el, ty, eq))? else {
        return Ok(None);
    };
    let h_e = el.mk_fvar(h);
    let proof = el.with_goal(m, |el| transport(el, &r.eq, r.motive, h_e, false))?;
    let (_, g) = el.replace_local(m, h, r.new, proof)?;
    let mut out = vec![g];
    out.extend(r.goals);
    Ok(Some(out))
}

/// The candidates for a rule: the equation it states, or, for a definition, its unfolding.
fn candidates<'b>(el: &mut Elab<'b>, m: MVarId, rule: &RwRule) -> Result<Vec<Candidate>> {
    if let Some(id) = term_ident(&rule.term)
        && !is_local(el, m, id)
        && let Ok(name) = el.resolve_const(id)
        && let Some(ConstantInfo::Definition { sig, .. }) = el.const_info(name)
    {
        let is_prop = el.is_prop(sig.ty);
        if el.ext.well_founded.contains_key(&name) {
            let mut eqs = el.equations_of(name)?;
            eqs.extend(eq_def(el, name)?);
            return Ok(eqs.into_iter().map(Candidate::Equation).collect());
        }
        if !is_prop {
            return Ok(vec![Candidate::Unfold(name)]);
        }
    }
    Ok(vec![Candidate::Term])
}

fn is_local<'b>(el: &mut Elab<'b>, m: MVarId, id: &crate::syntax::ast::Ident) -> bool {
    let lctx = el.mvar_lctx(m);
    let first = id.parts().first().map(|s| el.st.name_str(Name::ANON, s));
    first.is_some_and(|n| el.find_local(&lctx, n).is_some())
}

enum Candidate {
    /// The rule as written.
    Term,
    /// The definition itself.
    Unfold(Name),
    /// An equation of a function by a measure.
    Equation(Name),
}

fn elaborate<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    rule: &RwRule,
    c: &Candidate,
    whole: Expr,
) -> Result<Option<Equation>> {
    el.with_goal(m, |el| match c {
        Candidate::Term => {
            let e = el.elab_term_synth(&rule.term, None)?;
            let e = el.instantiate_mvars(e);
            let eq = equation_of(el, e, rule.rev)?;
            match eq {
                Some(mut eq) => {
                    for x in el.collect_mvars(e) {
                        if !eq.open.contains(&x) {
                            eq.open.push(x);
                        }
                    }
                    Ok(Some(eq))
                }
                None => {
                    let ty = el.infer_type(e)?;
                    let (e, t) = (el.pp(e), el.pp(ty));
                    Err(ElabError::new(
                        rule.span,
                        format!("`{e}` is no rule to rewrite with: it states neither `a = b` nor `p ↔ q`"),
                    )
                    .note(format!("it has type `{t}`")))
                }
            }
        }
        Candidate::Equation(n) => {
            let c = el.mk_const(*n)?;
            equation_of(el, c, rule.rev)
        }
        Candidate::Unfold(n) if rule.rev => unfold_equation(el, *n, true),
        Candidate::Unfold(n) => unfolding_in(el, whole, *n),
    })
}

/// The first occurrence of a definition in a term that unfolds, as an equation true by `rfl`.
fn unfolding_in<'b>(el: &mut Elab<'b>, whole: Expr, n: Name) -> Result<Option<Equation>> {
    let st = el.st;
    let whole = el.instantiate_mvars(whole);
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![whole];
    while let Some(e) = stack.pop() {
        if !seen.insert(e) {
            continue;
        }
        let (f, args) = st.unfold_app(e);
        if let Node::Const(c, ls) = st.node(f) {
            if c == n
                && !st.has_loose_bvars(e)
                && let Some(rhs) = el.unfold_smart(c, ls, &args)
                && rhs != e
            {
                let ty = el.infer_type(e)?;
                let rhs = el.head_beta(rhs);
                let proof = el.mk_eq_refl(e)?;
                return Ok(Some(directed(el, ty, e, rhs, proof, Vec::new(), false)?));
            }
            stack.extend(args.iter().rev());
            continue;
        }
        match st.node(e) {
            Node::App(..) => {
                stack.extend(args.iter().rev());
                stack.push(f);
            }
            Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => stack.extend([b, t]),
            Node::Let(_, t, v, b) => stack.extend([b, v, t]),
            Node::Proj(_, _, x) => stack.push(x),
            _ => {}
        }
    }
    Ok(None)
}

/// `f x₁ … xₙ = value`, true by `rfl`, for a definition that is a function of `n` arguments by its value.
fn unfold_equation<'b>(el: &mut Elab<'b>, n: Name, rev: bool) -> Result<Option<Equation>> {
    let st = el.st;
    let c = el.mk_const(n)?;
    let Some(value) = el.unfold_const_raw(c) else {
        return Ok(None);
    };
    let mut arity = 0;
    let mut v = value;
    while let Node::Lam(_, _, b, _) = st.node(v) {
        arity += 1;
        v = b;
    }
    let ty = el.infer_type(c)?;
    let (ms, _, _) = el.forall_mvar_telescope(ty, Some(arity));
    let args: Vec<Expr> = ms.iter().map(|m| st.mvar(m.0)).collect();
    let lhs = st.apps(c, &args);
    let rhs = el.beta(value, &args);
    let t = el.infer_type(lhs)?;
    let proof = el.mk_eq_refl(lhs)?;
    Ok(Some(directed(el, t, lhs, rhs, proof, ms, rev)?))
}

/// One rule at one place.
fn step<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    place: Option<FVarId>,
    rule: &RwRule,
) -> Result<Vec<MVarId>> {
    let cands = candidates(el, m, rule)?;
    let mut error: Option<ElabError> = None;
    let mut looked_for = Vec::new();
    let whole = match place {
        None => el.mvar_type(m),
        Some(h) => el.local(h).ty,
    };
    for c in &cands {
        let saved = el.save();
        let r = elaborate(el, m, rule, c, whole).and_then(|eq| match eq {
            None => Ok(None),
            Some(eq) => {
                let lhs = el.instantiate_mvars(eq.lhs);
                looked_for.push(el.with_goal(m, |el| el.pp(lhs)));
                match place {
                    None => rewrite_goal(el, m, &eq),
                    Some(h) => rewrite_hyp(el, m, h, &eq),
                }
            }
        });
        match r {
            Ok(Some(goals)) => return Ok(goals),
            Ok(None) => el.restore(&saved),
            Err(e) => {
                el.restore(&saved);
                error.get_or_insert(e);
            }
        }
    }
    if let Some(e) = error {
        return Err(e.at(rule.span));
    }
    looked_for.dedup();
    let pattern = if looked_for.is_empty() {
        rule_text(rule)
    } else {
        looked_for.join("`, `")
    };
    let whole = el.with_goal(m, |el| el.pp(whole));
    let where_ = if place.is_some() {
        "hypothesis"
    } else {
        "goal"
    };
    let mut err = ElabError::new(
        rule.span,
        format!("found no instance of `{pattern}` in the {where_}"),
    )
    .note(format!("the {where_} is `{whole}`"));
    if let Some(h) = reverse_works(el, m, place, rule, &cands) {
        err = err.help(h);
    } else {
        err = bound_instances(el, m, place, rule, &cands, err);
    }
    Err(on_goal(el, err, m))
}

/// Says that there are instances which a binder keeps from being rewritten.
fn bound_instances<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    place: Option<FVarId>,
    rule: &RwRule,
    cands: &[Candidate],
    err: ElabError,
) -> ElabError {
    let saved = el.save();
    let whole = match place {
        None => el.mvar_type(m),
        Some(h) => el.local(h).ty,
    };
    let mut found = None;
    for c in cands {
        let eq = match c {
            Candidate::Unfold(n) => unfold_equation(el, *n, rule.rev),
            _ => elaborate(el, m, rule, c, whole),
        };
        if let Ok(Some(eq)) = eq {
            found = el.with_goal(m, |el| bound_instance(el, whole, eq.lhs));
        }
    }
    el.restore(&saved);
    let Some(b) = found else {
        return err;
    };
    let (x, word) = (&b.variable, b.binder);
    let first = match (word, b.outermost && place.is_none()) {
        ("∀", true) => format!(", or `intro {x}` first"),
        ("fun", true) => format!(", or `funext {x}` (`ext`, `congr`) first"),
        _ => String::new(),
    };
    err.note(format!(
        "`{}` is an instance, but `{x}` is bound by `{word} {x}`, and `rw` rewrites only what has a meaning outside",
        b.instance
    ))
    .help(format!(
        "`simp only [{}{}]` rewrites below binders{first}",
        if rule.rev { "← " } else { "" },
        term_ident(&rule.term).map_or("…", |i| &*i.name)
    ))
}

fn rule_text(rule: &RwRule) -> String {
    term_ident(&rule.term).map_or_else(|| "the rule".to_owned(), |i| i.name.to_string())
}

/// Whether the rule would work from right to left.
fn reverse_works<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    place: Option<FVarId>,
    rule: &RwRule,
    cands: &[Candidate],
) -> Option<String> {
    let [Candidate::Term] = cands else {
        return None;
    };
    let flipped = RwRule {
        rev: !rule.rev,
        ..rule.clone()
    };
    let saved = el.save();
    let target = match place {
        None => el.mvar_type(m),
        Some(h) => el.local(h).ty,
    };
    let found = elaborate(el, m, &flipped, &Candidate::Term, target)
        .ok()
        .flatten()
        .and_then(|eq| {
            el.with_goal(m, |el| rewrite_term(el, target, &eq))
                .ok()
                .flatten()
        })
        .is_some();
    el.restore(&saved);
    found.then(|| {
        if flipped.rev {
            "an instance of the right side occurs: `←` before the rule rewrites from right to left"
                .to_owned()
        } else {
            "an instance of the left side occurs: leave out the `←`".to_owned()
        }
    })
}

/// The hypotheses that the rules mention: `at *` leaves them as they are.
fn hypotheses_used<'b>(el: &mut Elab<'b>, m: MVarId, rules: &[RwRule]) -> Vec<FVarId> {
    let saved = el.save();
    let mut proofs = Vec::new();
    for r in rules {
        // What cannot be read is reported where it is used.
        if let Ok(e) = el.with_goal(m, |el| el.elab_term_synth(&r.term, None)) {
            proofs.push(el.instantiate_mvars(e));
        }
    }
    let hyps = context(&el.mvar_lctx(m));
    let used = hyps
        .into_iter()
        .filter(|h| proofs.iter().any(|p| mentions(el.st, *p, &[*h])))
        .collect();
    el.restore(&saved);
    used
}

/// The tactics `rw`, `rewrite`, `rwa`.
pub(crate) fn rw<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    flavour: RwFlavour,
    rules: &[RwRule],
    loc: Option<&Location>,
) -> Result<Vec<MVarId>> {
    let mut places = places(el, m, loc)?;
    if places.everywhere {
        let used = hypotheses_used(el, m, rules);
        places.hyps.retain(|h| !used.contains(h));
    }
    let goals = at_places(el, m, &places, &mut |el, g, place| {
        let mut current = g;
        let mut place = place;
        let mut side = Vec::new();
        for r in rules {
            let name = place.map(|h| el.local(h).user_name);
            let mut gs = step(el, current, place, r)?;
            current = gs.remove(0);
            side.extend(gs);
            if let Some(n) = name {
                let lctx = el.mvar_lctx(current);
                place = el.find_local(&lctx, n);
            }
        }
        let mut out = vec![current];
        out.extend(side);
        Ok(out)
    });
    let mut goals = match goals {
        Err(e) if places.everywhere => {
            let err = ElabError::msg(
                "`at *`: there is nothing to rewrite, neither in a hypothesis nor in the goal",
            )
            .note(format!("at the first place: {}", e.message()));
            return Err(on_goal(el, err, m));
        }
        goals => goals?,
    };
    match flavour {
        RwFlavour::Rewrite => {}
        RwFlavour::Rw => {
            if let Some(first) = goals.first().copied()
                && !el.is_assigned(first)
                && basic::try_rfl_cheap(el, first)
            {
                goals.remove(0);
            }
        }
        RwFlavour::Rwa => {
            if let Some(first) = goals.first().copied() {
                let closed = basic::try_rfl_cheap(el, first) || basic::try_assumption(el, first);
                if !closed {
                    let err = ElabError::msg("after rewriting, no hypothesis closes the goal");
                    return Err(on_goal(el, err, first));
                }
                goals.remove(0);
            }
        }
    }
    goals.retain(|g| !el.is_assigned(*g));
    Ok(goals)
}
