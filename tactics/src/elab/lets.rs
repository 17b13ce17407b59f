//! `let`, `have`, `show`, `suffices`, `if`, `h ▸ e`.

use logic::{BinderInfo, Expr, Name, Node};

use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{self, BinderName, LetDecl, LetLhs, LetValue, Span, Term, TermKind};

impl<'b> Elab<'b> {
    /// The type and value of a `let` or `have` with a name; `None` for the value if it is missing.
    pub fn elab_let_value(&mut self, d: &LetDecl) -> Result<(Expr, Option<Expr>)> {
        let binders: &[ast::FunBinder] = match &d.lhs {
            LetLhs::Name { binders, .. } => binders,
            _ => &[],
        };
        if binders.is_empty() {
            return self.elab_typed_value(d.ty.as_ref(), d.value.as_ref(), d.span);
        }
        let mut plain = Vec::new();
        for b in binders {
            match b {
                ast::FunBinder::Binder(b) => plain.push(b.clone()),
                ast::FunBinder::Pattern { pat, .. } => {
                    return Err(ElabError::new(pat.span, "a pattern cannot stand here"));
                }
            }
        }
        self.with_lctx_saved(|el| {
            let xs = el.elab_binders(&plain)?;
            let (ty, v) = el.elab_typed_value(d.ty.as_ref(), d.value.as_ref(), d.span)?;
            let ty = el.mk_pi(&xs, ty);
            let v = v.map(|v| el.mk_lambda(&xs, v));
            Ok((ty, v))
        })
    }

    fn elab_typed_value(
        &mut self,
        ty: Option<&Term>,
        value: Option<&LetValue>,
        span: Span,
    ) -> Result<(Expr, Option<Expr>)> {
        let ty = match ty {
            Some(t) => {
                let t = self.elab_type(t)?;
                self.synthesize_light()?;
                Some(self.instantiate_mvars(t))
            }
            None => None,
        };
        let v = match value {
            Some(LetValue::Term(t)) => Some(self.elab_term_ensuring(t, ty)?),
            Some(LetValue::Alts(alts)) => Some(self.elab_fun_match(alts, ty, span)?),
            None => None,
        };
        self.synthesize_light()?;
        let ty = match (ty, v) {
            (Some(t), _) => t,
            (None, Some(v)) => self.infer_type(v)?,
            (None, None) => {
                return Err(ElabError::new(span, "neither a type nor a value is given"));
            }
        };
        Ok((
            self.instantiate_mvars(ty),
            v.map(|v| self.instantiate_mvars(v)),
        ))
    }

    pub(crate) fn let_name(&self, lhs: &LetLhs) -> Name {
        match lhs {
            LetLhs::Name { name, .. } => self.binder_name(name),
            _ => self.name("this"),
        }
    }

    pub(crate) fn elab_let(
        &mut self,
        d: &LetDecl,
        body: &Term,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        if let LetLhs::Pattern(p) = &d.lhs {
            return self.elab_let_pattern(p, d, body, expected, span);
        }
        let (ty, v) = self.elab_let_value(d)?;
        let Some(v) = v else {
            return Err(ElabError::new(d.span, "`let` needs a value"));
        };
        let n = self.let_name(&d.lhs);
        self.with_lctx_saved(|el| {
            let x = el.push_let(n, ty, v);
            let b = el.elab_term_ensuring(body, expected)?;
            Ok(el.mk_lambda(&[x], b))
        })
    }

    fn elab_let_pattern(
        &mut self,
        p: &ast::Pattern,
        d: &LetDecl,
        body: &Term,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let Some(LetValue::Term(v)) = &d.value else {
            return Err(ElabError::new(d.span, "a pattern needs a value"));
        };
        let value = match &d.ty {
            Some(t) => Term {
                kind: TermKind::Ascribe(Box::new(v.clone()), Box::new(t.clone())),
                span: v.span,
            },
            None => v.clone(),
        };
        let alt = ast::MatchAlt {
            rows: vec![vec![p.clone()]],
            rhs: body.clone(),
            span: p.span.to(body.span),
        };
        let discr = ast::Discr {
            hyp: None,
            e: value,
        };
        self.elab_match(None, &[discr], &[alt], expected, span)
    }

    pub(crate) fn elab_have(
        &mut self,
        d: &LetDecl,
        body: &Term,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        if let LetLhs::Pattern(p) = &d.lhs {
            return self.elab_let_pattern(p, d, body, expected, span);
        }
        let (ty, v) = self.elab_let_value(d)?;
        let Some(v) = v else {
            return Err(ElabError::new(d.span, "`have` needs a proof here"));
        };
        let n = self.let_name(&d.lhs);
        self.with_lctx_saved(|el| {
            let x = el.push_local(n, ty, BinderInfo::Default);
            let b = el.elab_term_ensuring(body, expected)?;
            let f = el.mk_lambda(&[x], b);
            Ok(el.st.app(f, v))
        })
    }

    pub(crate) fn elab_suffices(
        &mut self,
        name: Option<&BinderName>,
        ty: &Term,
        proof: &Term,
        body: &Term,
        expected: Option<Expr>,
    ) -> Result<Expr> {
        let ty = self.elab_type(ty)?;
        let n = match name {
            Some(b) => self.binder_name(b),
            None => self.name("this"),
        };
        let f = self.with_lctx_saved(|el| {
            let x = el.push_local(n, ty, BinderInfo::Default);
            let p = el.elab_term_ensuring(proof, expected)?;
            Ok(el.mk_lambda(&[x], p))
        })?;
        let b = self.elab_term_ensuring(body, Some(ty))?;
        Ok(self.st.app(f, b))
    }

    pub(crate) fn elab_if(
        &mut self,
        hyp: Option<&BinderName>,
        cond: &Term,
        then: &Term,
        els: &Term,
        expected: Option<Expr>,
    ) -> Result<Expr> {
        let st = self.st;
        let p = st.prop();
        let c = self.elab_term_ensuring(cond, Some(p))?;
        let ty = match expected {
            Some(t) => {
                let t = self.instantiate_mvars(t);
                if matches!(st.node(t), Node::MVar(_)) && self.may_postpone {
                    // The branches decide.
                    None
                } else {
                    Some(t)
                }
            }
            None => None,
        };
        let head = if hyp.is_some() { "dite" } else { "ite" };
        let branch =
            |el: &mut Self, t: &Term, neg: bool, ty: Option<Expr>| -> Result<(Expr, Expr)> {
                match hyp {
                    None => {
                        let e = el.elab_term_ensuring(t, ty)?;
                        let et = el.infer_type(e)?;
                        Ok((e, et))
                    }
                    Some(h) => el.with_lctx_saved(|el| {
                        let n = el.binder_name(h);
                        let hc = if neg { el.mk_not(c) } else { c };
                        let x = el.push_local(n, hc, BinderInfo::Default);
                        let e = el.elab_term_ensuring(t, ty)?;
                        let et = el.infer_type(e)?;
                        Ok((el.mk_lambda(&[x], e), et))
                    }),
                }
            };
        let (a, b, rty) = match ty {
            Some(ty) => {
                let (a, _) = branch(self, then, false, Some(ty))?;
                let (b, _) = branch(self, els, true, Some(ty))?;
                (a, b, ty)
            }
            None => {
                let rty = self.expected_or_fresh(expected);
                let (a, at) = branch(self, then, false, expected)?;
                self.is_defeq(rty, at);
                let (b, _) = branch(self, els, true, Some(rty))?;
                (a, b, rty)
            }
        };
        let l = self.level_of(rty)?;
        let dec_ty = st.app(st.const0("Decidable"), c);
        let inst = self.mk_fresh_mvar(dec_ty);
        self.instance_arg(inst, cond.span)?;
        let f = st.constant(st.name(head), &[l]);
        Ok(st.apps(f, &[rty, c, inst, a, b]))
    }

    /// `h ▸ e`: rewrites the expected type (or the type of `e`) with the equation.
    pub(crate) fn elab_subst(
        &mut self,
        eq: &Term,
        e: &Term,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let st = self.st;
        let Some(goal) = expected else {
            return self
                .need_more(|_| ElabError::new(span, "the expected type of `▸` is not known"));
        };
        let h = self.elab_term(eq, None)?;
        self.synthesize_light()?;
        let goal = self.instantiate_mvars(goal);
        if st.has_mvar(goal) && self.may_postpone {
            return Err(ElabError::Postpone);
        }
        let hty = self.infer_type(h)?;
        let hty = self.instantiate_mvars(hty);
        let mut eqp = self.match_eq(hty);
        let mut h = h;
        if eqp.is_none() {
            let w = self.whnf(hty);
            eqp = self.match_eq(w);
            if eqp.is_none()
                && let Some(a) = self.match_app(w, "Iff", 2)
            {
                h = self.mk_propext(h)?;
                eqp = Some((st.prop(), a[0], a[1]));
            }
        }
        let Some((_, a, b)) = eqp else {
            let t = self.pp(hty);
            return Err(ElabError::new(
                eq.span,
                format!("an equation was expected, but this has type `{t}`"),
            ));
        };
        // The goal with `b` replaced by `a`; if `b` does not occur, with `a` by `b`.
        for (from, to, flip) in [(b, a, false), (a, b, true)] {
            let abs = self.kabstract(goal, from);
            if !st.has_loose_bvars(abs) {
                continue;
            }
            let new_goal = st.instantiate1(abs, to);
            let s = self.save();
            let r = (|el: &mut Self| {
                let v = el.elab_term_ensuring(e, Some(new_goal))?;
                let ty = el.infer_type(from)?;
                let n = el.name("x");
                let motive = st.lam(n, ty, abs, BinderInfo::Default);
                let hh = if flip { el.mk_eq_symm(h)? } else { h };
                // hh : to = from
                el.mk_eq_subst(motive, to, from, hh, v)
            })(self);
            match r {
                Ok(r) => return Ok(r),
                Err(ElabError::Postpone) => return Err(ElabError::Postpone),
                Err(err) => {
                    self.restore(&s);
                    if flip {
                        return Err(err);
                    }
                }
            }
        }
        // Rewrite the type of `e` instead.
        let v = self.elab_term(e, None)?;
        self.synthesize_light()?;
        let vt = self.infer_type(v)?;
        let vt = self.instantiate_mvars(vt);
        for (from, to, flip) in [(a, b, false), (b, a, true)] {
            let abs = self.kabstract(vt, from);
            if !st.has_loose_bvars(abs) {
                continue;
            }
            let new_ty = st.instantiate1(abs, to);
            if !self.is_defeq(goal, new_ty) {
                continue;
            }
            let ty = self.infer_type(from)?;
            let n = self.name("x");
            let motive = st.lam(n, ty, abs, BinderInfo::Default);
            let hh = if flip { self.mk_eq_symm(h)? } else { h };
            return self.mk_eq_subst(motive, from, to, hh, v);
        }
        let g = self.pp(goal);
        Err(ElabError::new(
            span,
            format!("neither side of the equation occurs in the expected type\n    {g}"),
        ))
    }

    /// From `h : a = b` and `v : motive a`, `motive b`.
    pub fn mk_eq_subst(
        &mut self,
        motive: Expr,
        a: Expr,
        b: Expr,
        h: Expr,
        v: Expr,
    ) -> Result<Expr> {
        let st = self.st;
        let ty = self.infer_type(a)?;
        let l = self.level_of(ty)?;
        let mb = self.beta(motive, &[b]);
        let u = self.level_of(mb)?;
        // Eq.rec's motive also takes the proof.
        let Node::Lam(n, t, body, bi) = st.node(motive) else {
            return Err(ElabError::msg("the motive is no function"));
        };
        let eq = st.constant(self.known.eq, &[l]);
        let eq_ty = st.apps(eq, &[ty, a, st.bvar(0)]);
        let h_name = self.name("h");
        let inner = st.lam(h_name, eq_ty, st.lift(body, 0, 1), BinderInfo::Default);
        let m2 = st.lam(n, t, inner, bi);
        let rec = st.constant(st.name("Eq.rec"), &[u, l]);
        Ok(st.apps(rec, &[ty, a, m2, v, b, h]))
    }
}
