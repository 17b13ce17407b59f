//! Anonymous constructors, tuples, list literals.

use logic::{BinderInfo, ConstantInfo, Expr, Node};

use crate::elab::app::{ArgVal, Args};
use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{Span, Term, TermKind};

impl<'b> Elab<'b> {
    /// `⟨a, b, c⟩`: the constructor of the expected type; surplus arguments nest to the right.
    pub(crate) fn elab_anon_ctor(
        &mut self,
        args: &[Term],
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let st = self.st;
        let Some(ty) = expected else {
            return self.need_more(|_| {
                ElabError::new(span, "the type of this `⟨…⟩` is not known").code("elab.anon_ctor")
            });
        };
        let w = self.whnf(ty);
        let Node::Const(h, _) = st.node(st.app_fn(w)) else {
            if self.is_mvar_headed(w) {
                return self.need_more(|_| {
                    ElabError::new(span, "the type of this `⟨…⟩` is not known")
                        .code("elab.anon_ctor")
                });
            }
            let t = self.pp(w);
            return Err(ElabError::new(
                span,
                format!("`⟨…⟩` makes a value of a type with one constructor, but the expected type is\n    {t}"),
            )
            .code("elab.anon_ctor"));
        };
        let ctor = match self.env.get(h) {
            Some(ConstantInfo::Inductive(i)) if i.ctors.len() == 1 => i.ctors[0],
            _ => {
                let t = self.pp(w);
                return Err(ElabError::new(
                    span,
                    format!("`⟨…⟩` makes a value of a type with one constructor, but the expected type is\n    {t}"),
                )
                .code("elab.anon_ctor"));
            }
        };
        let f = self.mk_const(ctor)?;
        let fty = self.infer_type(f)?;
        let n = {
            let mut n = 0;
            let mut cur = fty;
            while let Node::Pi(_, _, b, bi) = st.node(cur) {
                if bi == BinderInfo::Default {
                    n += 1;
                }
                cur = b;
            }
            n
        };
        let mut positional: Vec<ArgVal> = args.iter().map(|t| ArgVal::Ast(t.clone())).collect();
        if args.len() > n && n > 0 {
            let rest: Vec<Term> = args[n - 1..].to_vec();
            let rspan = rest[0].span.to(span);
            positional.truncate(n - 1);
            positional.push(ArgVal::Ast(Term {
                kind: TermKind::AnonCtor(rest),
                span: rspan,
            }));
        } else if args.len() < n || n == 0 && !args.is_empty() {
            let c = st.name_to_string(ctor);
            return Err(ElabError::new(
                span,
                format!("`{c}` takes {n} arguments, {} are given", args.len()),
            )
            .code("elab.anon_ctor"));
        }
        let a = Args {
            positional,
            ..Args::default()
        };
        self.elab_fn_args(f, a, Some(w), span)
    }

    /// `(a, b, c)` is `Prod.mk a (Prod.mk b c)`; `()` is `Unit.unit`.
    pub(crate) fn elab_tuple(
        &mut self,
        args: &[Term],
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let st = self.st;
        match args {
            [] => {
                let unit = st.name("Unit.unit");
                if self.env.get(unit).is_some() {
                    self.mk_const(unit)
                } else {
                    self.mk_const(st.name("PUnit.unit"))
                }
            }
            [a] => self.elab_term(a, expected),
            [a, rest @ ..] => {
                let f = self.mk_const(st.name("Prod.mk"))?;
                let second = if rest.len() == 1 {
                    rest[0].clone()
                } else {
                    Term {
                        kind: TermKind::Tuple(rest.to_vec()),
                        span: rest[0].span.to(span),
                    }
                };
                let args = Args {
                    positional: vec![ArgVal::Ast(a.clone()), ArgVal::Ast(second)],
                    ..Args::default()
                };
                self.elab_fn_args(f, args, expected, span)
            }
        }
    }

    /// `[a, b]`.
    pub(crate) fn elab_list(&mut self, args: &[Term], expected: Option<Expr>) -> Result<Expr> {
        let st = self.st;
        let l = self.mk_fresh_level();
        let elem_sort = st.sort(st.level_succ(l));
        let elem = self.mk_fresh_mvar(elem_sort);
        let list = st.app(st.constant(st.name("List"), &[l]), elem);
        if let Some(x) = expected {
            self.is_defeq(x, list);
        }
        let mut out = Vec::new();
        for a in args {
            out.push(self.elab_term_ensuring(a, Some(elem))?);
        }
        let elem = self.instantiate_mvars(elem);
        let nil = st.app(st.constant(st.name("List.nil"), &[l]), elem);
        let cons = st.app(st.constant(st.name("List.cons"), &[l]), elem);
        Ok(out
            .into_iter()
            .rev()
            .fold(nil, |acc, x| st.apps(cons, &[x, acc])))
    }
}
