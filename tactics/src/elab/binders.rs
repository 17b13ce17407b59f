//! `fun`, `∀`, `→`, `∃` and binder groups.

use logic::{BinderInfo, Expr, Name, Node};

use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{self, Binder, BinderKind, BinderName, FunBinder, Span, Term};

impl<'b> Elab<'b> {
    /// The name a binder writes; `_` is inaccessible.
    pub fn binder_name(&self, b: &BinderName) -> Name {
        match &b.name {
            Some(id) => self.ident_name(id),
            None => self.name("x✝"),
        }
    }

    pub(crate) fn binder_info(&mut self, b: &Binder) -> BinderInfo {
        match b.kind {
            BinderKind::Explicit => BinderInfo::Default,
            BinderKind::Implicit => BinderInfo::Implicit,
            BinderKind::StrictImplicit => BinderInfo::StrictImplicit,
            BinderKind::InstImplicit => BinderInfo::InstImplicit,
        }
    }

    /// Elaborates binder groups into variables of the current context.
    pub fn elab_binders(&mut self, binders: &[Binder]) -> Result<Vec<Expr>> {
        let mut xs = Vec::new();
        for b in binders {
            let bi = self.binder_info(b);
            for n in &b.names {
                let ty = match &b.ty {
                    Some(t) => self.elab_type(t)?,
                    None => {
                        let s = self.mk_fresh_sort();
                        let ty = self.mk_fresh_mvar(s);
                        self.binder_types.push((ty, n.span));
                        ty
                    }
                };
                let name = self.binder_name(n);
                let x = self.push_local(name, ty, bi);
                xs.push(x);
            }
        }
        Ok(xs)
    }

    pub(crate) fn elab_pi(&mut self, binders: &[Binder], body: &Term) -> Result<Expr> {
        self.with_lctx_saved(|el| {
            let xs = el.elab_binders(binders)?;
            let b = el.elab_type(body)?;
            Ok(el.mk_pi(&xs, b))
        })
    }

    pub(crate) fn elab_arrow(&mut self, a: &Term, b: &Term) -> Result<Expr> {
        let a = self.elab_type(a)?;
        // The name of an arrow's binder cannot be written.
        self.with_lctx_saved(|el| {
            let n = el.name("a✝");
            let x = el.push_local(n, a, BinderInfo::Default);
            let b = el.elab_type(b)?;
            Ok(el.mk_pi(&[x], b))
        })
    }

    /// `Exists`, `Sigma`, …: a function of a `fun` for each variable.
    pub(crate) fn elab_binder_notation(
        &mut self,
        head: &str,
        binders: &[Binder],
        body: &Term,
    ) -> Result<Expr> {
        self.with_lctx_saved(|el| {
            let xs = el.elab_binders(binders)?;
            let mut e = if head == "Exists" {
                let p = el.st.prop();
                el.elab_term_ensuring(body, Some(p))?
            } else {
                el.elab_type(body)?
            };
            for x in xs.iter().rev() {
                let f = el.mk_lambda_explicit(&[*x], e);
                e = el.mk_app(head, &[f])?;
            }
            Ok(e)
        })
    }

    pub(crate) fn elab_subtype(
        &mut self,
        name: &BinderName,
        ty: Option<&Term>,
        pred: &Term,
    ) -> Result<Expr> {
        self.with_lctx_saved(|el| {
            let ty = match ty {
                Some(t) => el.elab_type(t)?,
                None => {
                    let s = el.mk_fresh_sort();
                    el.mk_fresh_mvar(s)
                }
            };
            let n = el.binder_name(name);
            let x = el.push_local(n, ty, BinderInfo::Default);
            let p = el.st.prop();
            let e = el.elab_term_ensuring(pred, Some(p))?;
            let f = el.mk_lambda(&[x], e);
            el.mk_app("Subtype", &[f])
        })
    }

    /// `fun binders => body`.
    pub(crate) fn elab_lambda(
        &mut self,
        binders: &[FunBinder],
        body: &Term,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        self.with_lctx_saved(|el| el.elab_lambda_go(binders, body, expected, span, &mut Vec::new()))
    }

    fn elab_lambda_go(
        &mut self,
        binders: &[FunBinder],
        body: &Term,
        expected: Option<Expr>,
        span: Span,
        xs: &mut Vec<Expr>,
    ) -> Result<Expr> {
        let st = self.st;
        let Some((first, rest)) = binders.split_first() else {
            let b = self.elab_term_ensuring(body, expected)?;
            return Ok(self.mk_lambda(xs, b));
        };
        match first {
            FunBinder::Binder(b) => {
                let bi = self.binder_info(b);
                let mut expected = expected;
                for n in &b.names {
                    let name = self.binder_name(n);
                    // The binder's type from the expected type, if it is a `∀`.
                    let mut exp_pi = match expected {
                        Some(x) => {
                            let w = self.whnf_core(x);
                            if matches!(st.node(w), Node::Pi(..)) {
                                Some(w)
                            } else {
                                let w = self.whnf(w);
                                Some(w)
                            }
                        }
                        None => None,
                    };
                    // Implicit binders of the expected type that the `fun` does not name.
                    while let Some(w) = exp_pi {
                        if let Node::Pi(m, d, bd, pbi) = st.node(w)
                            && matches!(pbi, BinderInfo::Implicit | BinderInfo::InstImplicit)
                            && bi == BinderInfo::Default
                        {
                            let hidden = self.inaccessible(m);
                            let x = self.push_local(hidden, d, pbi);
                            xs.push(x);
                            let next = st.instantiate1(bd, x);
                            exp_pi = Some(self.whnf(next));
                        } else {
                            break;
                        }
                    }
                    let pi = exp_pi.and_then(|w| match st.node(w) {
                        Node::Pi(_, d, bd, pbi) => Some((d, bd, pbi)),
                        _ => None,
                    });
                    if let (None, Some(w)) = (pi, exp_pi) {
                        let w = self.instantiate_mvars(w);
                        if !matches!(st.node(st.app_fn(w)), Node::MVar(_)) {
                            let t = self.pp(w);
                            return Err(ElabError::new(
                                n.span,
                                format!(
                                    "a function is not expected here, but a value of type\n    {t}"
                                ),
                            )
                            .code("elab.unexpected_fun"));
                        }
                    }
                    let ty = match (&b.ty, pi) {
                        (Some(t), pi) => {
                            let t = self.elab_type(t)?;
                            if let Some((d, _, _)) = pi
                                && !self.is_defeq(d, t)
                            {
                                let (dt, tt) = (self.pp(d), self.pp(t));
                                return Err(ElabError::new(
                                    b.span,
                                    format!("this binder has type `{tt}`, but the expected type has `{dt}` here"),
                                )
                                .code("elab.type_mismatch"));
                            }
                            t
                        }
                        (None, Some((d, _, _))) => d,
                        (None, None) => {
                            let s = self.mk_fresh_sort();
                            let ty = self.mk_fresh_mvar(s);
                            self.binder_types.push((ty, n.span));
                            ty
                        }
                    };
                    let bi = match pi {
                        Some((_, _, pbi)) if bi == BinderInfo::Default => {
                            if pbi == BinderInfo::StrictImplicit {
                                pbi
                            } else {
                                bi
                            }
                        }
                        _ => bi,
                    };
                    let x = self.push_local(name, ty, bi);
                    xs.push(x);
                    expected = match (pi, exp_pi) {
                        (Some((_, bd, _)), _) => Some(st.instantiate1(bd, x)),
                        (None, Some(w)) => {
                            // The expected type is a metavariable: it becomes a function type.
                            let s = self.mk_fresh_sort();
                            let cod = self.mk_fresh_mvar(s);
                            let pi = self.mk_pi(&[x], cod);
                            if self.is_defeq(w, pi) {
                                Some(cod)
                            } else {
                                None
                            }
                        }
                        (None, None) => None,
                    };
                }
                self.elab_lambda_go(rest, body, expected, span, xs)
            }
            FunBinder::Pattern { pat, ty } => {
                // `fun ⟨a, b⟩ => e` is `fun x => match x with | ⟨a, b⟩ => e`.
                let n = self.inaccessible(self.name("x"));
                let pi = match expected {
                    Some(x) => {
                        let w = self.whnf(x);
                        match st.node(w) {
                            Node::Pi(_, d, bd, _) => Some((d, bd)),
                            _ => None,
                        }
                    }
                    None => None,
                };
                let dom = match (ty, pi) {
                    (Some(t), pi) => {
                        let t = self.elab_type(t)?;
                        if let Some((d, _)) = pi {
                            self.is_defeq(d, t);
                        }
                        t
                    }
                    (None, Some((d, _))) => d,
                    (None, None) => {
                        return self.need_more(|_| {
                            ElabError::new(pat.span, "the type of this pattern is not known")
                        });
                    }
                };
                let x = self.push_local(n, dom, BinderInfo::Default);
                let xs_here = [x];
                let cod = match pi {
                    Some((_, bd)) => st.instantiate1(bd, x),
                    None => {
                        let s = self.mk_fresh_sort();
                        self.mk_fresh_mvar(s)
                    }
                };
                let rhs = if rest.is_empty() {
                    body.clone()
                } else {
                    Term {
                        kind: ast::TermKind::Lam {
                            binders: rest.to_vec(),
                            body: Box::new(body.clone()),
                        },
                        span,
                    }
                };
                let alt = ast::MatchAlt {
                    rows: vec![vec![pat.clone()]],
                    rhs,
                    span: pat.span.to(span),
                };
                let m = self.compile_match(&[x], &[None], std::slice::from_ref(&alt), cod, span)?;
                xs.extend(xs_here);
                Ok(self.mk_lambda(xs, m))
            }
        }
    }
}
