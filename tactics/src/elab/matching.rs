//! `match`, `fun | …`, definitions by equations: pattern matching compiled to `casesOn`.
//!
//! The scrutinees become variables. The first row of patterns says which of them to split next; the other rows
//! follow. A right-hand side is elaborated at each leaf it is reached from, in the leaf's own refined context.

use logic::{BinderInfo, ConstantInfo, Expr, Name, Node};

use crate::elab::patterns::{Pat, PatView};
use crate::meta::{Elab, ElabError, FVarId, MVarId, MVarKind, Result};
use crate::syntax::ast::{BinderName, Discr, MatchAlt, Span, Term};
use crate::tactic::cases::{cases_core, generalize_term};
use crate::tactic::util::{FVarSubst, dependents, goal_in};

/// One row of patterns.
#[derive(Clone)]
pub(super) struct Row {
    pub cols: Vec<(Expr, Pat)>,
    pub binds: Vec<(Name, Expr)>,
    pub alt: usize,
}

/// A compilation under way.
pub(super) struct Compile<'t> {
    pub alts: &'t [MatchAlt],
    pub used: Vec<bool>,
    /// The scrutinees, to describe missing cases.
    discrs: Vec<Expr>,
    /// Variables of the outer context, for which names stay usable.
    pub outer: Vec<FVarId>,
    span: Span,
    missing: Vec<String>,
}

impl<'b> Elab<'b> {
    pub(crate) fn elab_match(
        &mut self,
        motive: Option<&Term>,
        discrs: &[Discr],
        alts: &[MatchAlt],
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let mut es = Vec::new();
        for d in discrs {
            es.push(self.elab_term(&d.e, None)?);
        }
        self.synthesize_light()?;
        for (e, d) in es.iter_mut().zip(discrs) {
            *e = self.instantiate_mvars(*e);
            let ty = self.infer_type(*e)?;
            if self.is_mvar_headed(ty) && !alts.is_empty() {
                if self.may_postpone {
                    return Err(ElabError::Postpone);
                }
                // A numeral is a `Nat`.
                self.synthesize(false)?;
                *e = self.instantiate_mvars(*e);
                let ty = self.infer_type(*e)?;
                if self.is_mvar_headed(ty) {
                    return Err(ElabError::new(
                        d.e.span,
                        "the type of this scrutinee is not known",
                    ));
                }
            }
            if self.st.has_mvar(*e) && self.may_postpone {
                return Err(ElabError::Postpone);
            }
        }
        let target = match (motive, expected) {
            (Some(m), _) => {
                let m = self.elab_term(m, None)?;
                self.beta(m, &es)
            }
            (None, Some(x)) => {
                let x = self.instantiate_mvars(x);
                if self.is_mvar_headed(x) && self.may_postpone {
                    return Err(ElabError::Postpone);
                }
                x
            }
            (None, None) => {
                let s = self.mk_fresh_sort();
                self.mk_fresh_mvar(s)
            }
        };
        let hyps: Vec<Option<&BinderName>> = discrs.iter().map(|d| d.hyp.as_ref()).collect();
        self.compile_match(&es, &hyps, alts, target, span)
    }

    /// `fun | p, q => e | …`.
    pub(crate) fn elab_fun_match(
        &mut self,
        alts: &[MatchAlt],
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let n = alts
            .first()
            .and_then(|a| a.rows.first())
            .map_or(1, Vec::len);
        let Some(ty) = expected else {
            return self
                .need_more(|_| ElabError::new(span, "the type of this function is not known"));
        };
        let ty = self.instantiate_mvars(ty);
        self.elab_equations(alts, ty, n, false, span)
    }

    /// A function of type `ty` by equations; with `all_binders`, implicit arguments have patterns too.
    pub(crate) fn elab_equations(
        &mut self,
        alts: &[MatchAlt],
        ty: Expr,
        n: usize,
        all_binders: bool,
        span: Span,
    ) -> Result<Expr> {
        self.with_lctx_saved(|el| {
            let (all, body) = el.open_explicit(ty, n, all_binders);
            let xs = all.1;
            if xs.len() < n {
                if el.is_mvar_headed(body) {
                    return el.need_more(|_| {
                        ElabError::new(span, "the type of this function is not known")
                    });
                }
                let t = el.pp(ty);
                return Err(ElabError::new(
                    span,
                    format!("{n} patterns are given, but the type has fewer arguments:\n    {t}"),
                )
                .code("elab.match"));
            }
            for x in &xs {
                let t = el.infer_type(*x)?;
                if el.may_postpone && el.is_mvar_headed(t) {
                    return Err(ElabError::Postpone);
                }
            }
            let hyps = vec![None; n];
            let e = el.compile_match(&xs, &hyps, alts, body, span)?;
            Ok(el.mk_lambda(&all.0, e))
        })
    }

    /// Opens `∀`s until `n` explicit ones (or `n` of any kind) are open: all variables, and those that count.
    pub(crate) fn open_explicit(
        &mut self,
        ty: Expr,
        n: usize,
        all_binders: bool,
    ) -> ((Vec<Expr>, Vec<Expr>), Expr) {
        let st = self.st;
        let mut all = Vec::new();
        let mut xs = Vec::new();
        let mut cur = ty;
        while xs.len() < n {
            let w = match st.node(cur) {
                Node::Pi(..) => cur,
                _ => self.whnf(cur),
            };
            let Node::Pi(m, d, b, bi) = st.node(w) else {
                break;
            };
            let name = self.inaccessible(m);
            let name = if bi == BinderInfo::Default { name } else { m };
            let x = self.push_local(name, d, bi);
            all.push(x);
            if bi == BinderInfo::Default || all_binders {
                xs.push(x);
            }
            cur = st.instantiate1(b, x);
        }
        ((all, xs), cur)
    }

    /// Matches terms of the current context against rows of patterns.
    pub(crate) fn compile_match(
        &mut self,
        discrs: &[Expr],
        hyps: &[Option<&BinderName>],
        alts: &[MatchAlt],
        target: Expr,
        span: Span,
    ) -> Result<Expr> {
        let st = self.st;
        let discrs: Vec<Expr> = discrs.iter().map(|e| self.named_variable(*e)).collect();
        let vars: Vec<FVarId> = discrs
            .iter()
            .filter_map(|e| match st.node(*e) {
                Node::FVar(i) => Some(FVarId(i)),
                _ => None,
            })
            .collect();
        let target = self.restrict_mvars(target, &vars);
        for a in alts {
            for r in &a.rows {
                if r.len() != discrs.len() {
                    return Err(ElabError::new(
                        a.span,
                        format!(
                            "{} patterns are given for {} scrutinees",
                            r.len(),
                            discrs.len()
                        ),
                    )
                    .code("elab.match"));
                }
            }
        }
        let root = self.mk_goal(target, Name::ANON);
        let outer: Vec<FVarId> = self.lctx.iter().collect();
        let mut goal = self.drop_lets(root, &vars);
        let mut scrutinees = Vec::new();
        for (i, e) in discrs.iter().enumerate() {
            let hyp = hyps.get(i).copied().flatten();
            let fresh = match st.node(*e) {
                Node::FVar(x) => {
                    self.local(FVarId(x)).value.is_none()
                        && !discrs[..i].contains(e)
                        && self.mvar_lctx(goal).contains(FVarId(x))
                }
                _ => false,
            };
            if fresh && hyp.is_none() {
                scrutinees.push(*e);
                continue;
            }
            let name = self.inaccessible(self.name("x"));
            let eq = hyp.map(|h| Some(self.binder_name(h)));
            let (x, _, g) = generalize_term(self, goal, *e, Some(name), eq)?;
            goal = g;
            scrutinees.push(st.fvar(x.0));
        }
        let mut rows = Vec::new();
        for (k, a) in alts.iter().enumerate() {
            for r in &a.rows {
                rows.push(Row {
                    cols: scrutinees
                        .iter()
                        .zip(r)
                        .map(|(x, p)| (*x, Pat::Ast(p.clone())))
                        .collect(),
                    binds: Vec::new(),
                    alt: k,
                });
            }
        }
        let mut c = Compile {
            alts,
            used: vec![false; alts.len()],
            discrs: scrutinees.clone(),
            outer,
            span,
            missing: Vec::new(),
        };
        if alts.is_empty() {
            self.split_empty(goal, &scrutinees, span)?;
        } else {
            self.compile_rows(&mut c, goal, rows, FVarSubst::default())?;
        }
        if !c.missing.is_empty() {
            let mut e = ElabError::new(span, "missing cases").code("elab.missing_cases");
            for m in c.missing.iter().take(8) {
                e = e.note(format!("| {m} => …"));
            }
            return Err(e);
        }
        if let Some(k) = c.used.iter().position(|u| !u) {
            let mut d = crate::diagnostic::Diagnostic::error(
                "elab.redundant",
                "this alternative is never reached",
            );
            d.severity = crate::diagnostic::Severity::Warning;
            d.span = Some(alts[k].span);
            if !self.messages.contains(&d) {
                self.messages.push(d);
            }
        }
        let e = st.mvar(root.0);
        Ok(self.instantiate_mvars(e))
    }

    /// The variable that a `let` variable (of an enclosing pattern, say) is another name of; other terms as they are.
    fn named_variable(&mut self, e: Expr) -> Expr {
        let mut cur = self.instantiate_mvars(e);
        while let Node::FVar(i) = self.st.node(cur)
            && let Some(v) = self.local(FVarId(i)).value
            && let v = self.instantiate_mvars(v)
            && matches!(self.st.node(v), Node::FVar(_))
        {
            cur = v;
        }
        cur
    }

    /// The goal without the `let` variables that mention the scrutinees and that nothing else needs: the leaves get them
    /// again, with what the scrutinees are there.
    fn drop_lets(&mut self, goal: MVarId, vars: &[FVarId]) -> MVarId {
        let lctx = self.mvar_lctx(goal);
        let deps = dependents(self, &lctx, vars);
        let mut rest = lctx.clone();
        let mut lets = Vec::new();
        for x in deps.into_iter().rev() {
            if self.local(x).value.is_some() && dependents(self, &rest, &[x]).is_empty() {
                rest = rest.without(&[x]);
                lets.push(x);
            }
        }
        if lets.is_empty() {
            return goal;
        }
        lets.reverse();
        let target = self.mvar_type(goal);
        let target = self.zeta_locals(target, &lets);
        let new = goal_in(self, rest, target, Name::ANON);
        let e = self.mk_mvar(new);
        self.assign(goal, e);
        new
    }

    /// Metavariables in the type of a match must not depend on what is matched.
    fn restrict_mvars(&mut self, target: Expr, vars: &[FVarId]) -> Expr {
        let target = self.instantiate_mvars(target);
        if !self.st.has_mvar(target) || vars.is_empty() {
            return target;
        }
        for m in self.collect_mvars(target) {
            let d = self.mvar_decl(m).clone();
            if d.kind != MVarKind::Natural || !vars.iter().any(|v| d.lctx.contains(*v)) {
                continue;
            }
            let lctx = self.lctx_without_deps(&d.lctx, vars);
            let ty = self.instantiate_mvars(d.ty);
            let ty = self.restrict_mvars(ty, vars);
            if self.collect_fvars(ty).iter().any(|x| !lctx.contains(*x)) {
                continue;
            }
            if self.is_assigned(m) {
                continue;
            }
            let n = self.new_mvar(lctx, ty, d.user_name, MVarKind::Natural);
            let ne = self.mk_mvar(n);
            self.assign(m, ne);
        }
        self.instantiate_mvars(target)
    }

    /// A match without alternatives: some scrutinee has no cases.
    fn split_empty(&mut self, goal: MVarId, xs: &[Expr], span: Span) -> Result<()> {
        let st = self.st;
        for x in xs {
            let Node::FVar(i) = st.node(*x) else { continue };
            let s = self.save();
            if let Ok(goals) =
                cases_core(self, goal, FVarId(i), &|_, infos| vec![None; infos.len()])
                && goals.is_empty()
            {
                return Ok(());
            }
            self.restore(&s);
        }
        Err(ElabError::new(
            span,
            "no alternatives are given, but there are cases to consider",
        )
        .code("elab.missing_cases"))
    }

    pub(super) fn compile_rows(
        &mut self,
        c: &mut Compile<'_>,
        goal: MVarId,
        mut rows: Vec<Row>,
        subst: FVarSubst,
    ) -> Result<()> {
        if !self.tick() {
            return Err(self.out_of_steps().at(c.span));
        }
        let Some(first) = rows.first().cloned() else {
            if self.try_close_absurd(goal) {
                return Ok(());
            }
            let shown = self.with_goal(goal, |el| {
                let parts: Vec<String> = c
                    .discrs
                    .iter()
                    .map(|d| {
                        let e = subst.apply(el.st, *d);
                        el.pp(e)
                    })
                    .collect();
                parts.join(", ")
            });
            c.missing.push(shown.replace('✝', ""));
            return Ok(());
        };
        // Which column does the first row want to split?
        let mut row = first;
        let mut cols = Vec::new();
        let mut split: Option<(Expr, PatView)> = None;
        for (x, p) in row.cols.drain(..) {
            if split.is_some() {
                cols.push((x, p));
                continue;
            }
            let view = self.with_goal(goal, |el| el.view_pattern(&p, x, &mut row.binds))?;
            match view {
                PatView::Any => {}
                v => {
                    split = Some((x, v));
                    cols.push((x, p));
                }
            }
        }
        row.cols = cols;
        let Some((x, view)) = split else {
            return self.leaf_of(c, goal, &row, &subst);
        };
        rows[0] = row;
        let st = self.st;
        let var = match st.node(x) {
            Node::FVar(i) => Some(FVarId(i)),
            _ => None,
        };
        let Some(var) = var else {
            return self.match_known(c, goal, rows, x, subst);
        };
        match view {
            PatView::Big(lit, span) => self.split_literal(c, goal, rows, var, lit, span, subst),
            _ => self.split_ctor(c, goal, rows, var, subst),
        }
    }

    /// The scrutinee is already a value: rows either agree with its constructor or go.
    fn match_known(
        &mut self,
        c: &mut Compile<'_>,
        goal: MVarId,
        rows: Vec<Row>,
        x: Expr,
        subst: FVarSubst,
    ) -> Result<()> {
        let st = self.st;
        let w = self.with_goal(goal, |el| {
            let w = el.instantiate_mvars(x);
            let is_ctor = |el: &Self, e: Expr| match st.node(st.app_fn(e)) {
                Node::Const(n, _) => matches!(el.env.get(n), Some(ConstantInfo::Constructor(_))),
                Node::Nat(_) => true,
                _ => false,
            };
            if is_ctor(el, w) { w } else { el.whnf(w) }
        });
        let mut out = Vec::new();
        for mut r in rows {
            let Some(i) = r.cols.iter().position(|(y, _)| *y == x) else {
                out.push(r);
                continue;
            };
            let (_, p) = r.cols.remove(i);
            let subs = self.with_goal(goal, |el| {
                let view = el.view_pattern(&p, w, &mut r.binds)?;
                el.pattern_against_value(&view, w)
            })?;
            if let Some(subs) = subs {
                for (k, s) in subs.into_iter().enumerate() {
                    r.cols.insert(i + k, s);
                }
                out.push(r);
            }
        }
        self.compile_rows(c, goal, out, subst)
    }

    fn split_ctor(
        &mut self,
        c: &mut Compile<'_>,
        goal: MVarId,
        rows: Vec<Row>,
        var: FVarId,
        subst: FVarSubst,
    ) -> Result<()> {
        let st = self.st;
        let x = st.fvar(var.0);
        let first_pat = rows[0]
            .cols
            .iter()
            .find(|(y, _)| *y == x)
            .map(|(_, p)| p.clone());
        // Names for the fields come from the rows that have this constructor.
        let mut names: Vec<(Name, Vec<Option<Name>>)> = Vec::new();
        let mut named = rustc_hash::FxHashSet::default();
        // The constructor that a row asks for: elsewhere the row is gone at once.
        let mut asks: Vec<Option<Name>> = vec![None; rows.len()];
        let var_ty = self.infer_type(x)?;
        let ind = self.get_inductive_app(var_ty).map(|(i, ..)| i.sig.name);
        for (k, r) in rows.iter().enumerate() {
            let Some((_, p)) = r.cols.iter().find(|(y, _)| *y == x) else {
                continue;
            };
            let mut binds = Vec::new();
            let view = self.with_goal(goal, |el| el.view_pattern(p, x, &mut binds))?;
            if let PatView::Ctor { ctor, args, .. } = &view {
                let ns: Vec<Option<Name>> = args.iter().map(|a| self.pattern_var(a)).collect();
                if named.insert(*ctor) {
                    names.push((*ctor, ns));
                }
                if let Some(ConstantInfo::Constructor(info)) = self.env.get(*ctor)
                    && Some(info.inductive) == ind
                {
                    asks[k] = Some(*ctor);
                }
            }
        }
        let cases = cases_core(self, goal, var, &|ctor, infos| match names
            .iter()
            .find(|(k, _)| *k == ctor)
        {
            Some((_, ns)) => {
                let mut ns = ns.clone();
                ns.resize(infos.len(), None);
                ns
            }
            None => vec![None; infos.len()],
        })
        .map_err(|e| match first_pat.as_ref().and_then(Pat::span) {
            Some(s) => e.at(s),
            None => e.at(c.span),
        })?;
        for case in cases {
            let mut out = Vec::new();
            for (k, r) in rows.iter().enumerate() {
                if asks[k].is_some_and(|want| want != case.ctor) {
                    continue;
                }
                let mut r = r.clone();
                let col = r.cols.iter().position(|(y, _)| *y == x);
                let mut here = None;
                if let Some(i) = col {
                    here = Some((i, r.cols.remove(i).1));
                }
                for (y, _) in &mut r.cols {
                    *y = case.subst.apply(st, *y);
                }
                for (_, e) in &mut r.binds {
                    *e = case.subst.apply(st, *e);
                }
                let Some((i, p)) = here else {
                    out.push(r);
                    continue;
                };
                let value = case.subst.apply(st, x);
                let subs = self.with_goal(case.goal, |el| {
                    let view = el.view_pattern(&p, value, &mut r.binds)?;
                    el.pattern_against_ctor(&view, case.ctor, &case.fields)
                })?;
                if let Some(subs) = subs {
                    for (k, s) in subs.into_iter().enumerate() {
                        r.cols.insert(i + k, s);
                    }
                    out.push(r);
                }
            }
            let mut s = subst.clone();
            s.then(st, &case.subst);
            let goal = case.goal;
            logic::subst::with_stack(|| self.compile_rows(c, goal, out, s))?;
        }
        Ok(())
    }
}
