//! Eliminators (`T.rec`, `casesOn`, `@[elab_as_elim]`): the motive is the expected type, abstracted over the targets.

use logic::{BinderInfo, Expr, Node};

use crate::elab::app::{ArgVal, Args};
use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::Span;

impl<'b> Elab<'b> {
    /// Whether the motive of `f` is to be found by abstracting the expected type.
    pub(crate) fn is_eliminator(&self, f: Expr) -> bool {
        let Node::Const(n, _) = self.st.node(f) else {
            return false;
        };
        matches!(self.env.get(n), Some(logic::ConstantInfo::Recursor(_)))
            || (matches!(self.st.name_last(n), Some("casesOn" | "recOn" | "brecOn"))
                && self.ind_info(self.st.name_prefix(n)).is_some())
            || self.ext.has_attr(n, "elab_as_elim")
    }

    /// `T.rec minors… major : expected`: the motive is the expected type abstracted over indices and major premise.
    pub(crate) fn elab_eliminator(
        &mut self,
        f: Expr,
        args: Args,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        self.elab_eliminator_go(f, args, expected, span)
            .map_err(|e| match e {
                ElabError::Fail(mut d) if d.code == "elab.type_mismatch.arg" => {
                    d.code = "elab.type_mismatch";
                    ElabError::Fail(d)
                }
                e => e,
            })
    }

    fn elab_eliminator_go(
        &mut self,
        f: Expr,
        args: Args,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let st = self.st;
        let motive_name = st.name("motive");
        let goal = match expected {
            Some(g) => self.instantiate_mvars(g),
            None => st.prop(),
        };
        let motive_named = args.named.iter().any(|(n, _, _)| *n == motive_name);
        if st.has_mvar(goal) && self.may_postpone && !motive_named {
            return Err(ElabError::Postpone);
        }
        let fty = self.infer_type(f)?;
        let (ms, bis, res) = self.forall_mvar_telescope(fty, None);
        // The result is `motive idx… major`.
        let (mh, margs) = st.unfold_app(res);
        let Node::MVar(motive) = st.node(mh) else {
            return Err(ElabError::new(span, "an eliminator must end in its motive"));
        };
        let mut pos = args.positional.iter();
        let mut later: Vec<(MVarId, ArgVal)> = Vec::new();
        let mut named = args.named.clone();
        let mut motive_given = false;
        let mut the_motive: Option<(MVarId, ArgVal)> = None;
        let mut used = Vec::new();
        for (m, bi) in ms.iter().zip(&bis) {
            let n = self.mvar_decl(*m).user_name;
            let given = if let Some(i) = named.iter().position(|(x, _, _)| *x == n) {
                Some(named.remove(i).1)
            } else if *bi == BinderInfo::Default {
                pos.next().cloned()
            } else {
                None
            };
            let Some(v) = given else {
                if *bi == BinderInfo::Default {
                    used.push(*m);
                }
                continue;
            };
            if m.0 == motive {
                motive_given = true;
                the_motive = Some((*m, v));
                continue;
            }
            let me = st.mvar(m.0);
            if margs.contains(&me) {
                let ty = self.mvar_type(*m);
                let a = self.elab_arg(&v, ty)?;
                if !self.is_defeq(me, a) {
                    return Err(ElabError::new(
                        v.span(),
                        "this argument does not fit the others",
                    ));
                }
            } else {
                later.push((*m, v));
            }
        }
        if !used.is_empty() && used.iter().any(|m| margs.contains(&st.mvar(m.0))) {
            // Not fully applied: elaborate plainly.
            let plain = Args {
                explicit: false,
                ..args
            };
            return self.elab_plain_eliminator(f, plain, span);
        }
        self.synthesize_light()?;
        if let Some((m, v)) = the_motive {
            let ty = self.mvar_type(m);
            let a = self.elab_arg(&v, ty)?;
            let me = st.mvar(m.0);
            if !self.is_defeq(me, a) {
                return Err(ElabError::new(
                    v.span(),
                    "this motive does not fit the others",
                ));
            }
        }
        let rest: Vec<ArgVal> = pos.cloned().collect();
        if !motive_given {
            let mut goal_abs = goal;
            if !rest.is_empty() {
                return self.elab_plain_eliminator(f, args, span);
            }
            let mut xs: Vec<Expr> = Vec::new();
            for a in margs.iter().rev() {
                let a = self.instantiate_mvars(*a);
                let ty = self.infer_type(a)?;
                let abs = self.kabstract(goal_abs, a);
                let x = self.new_local(self.name("x"), ty, None, BinderInfo::Default);
                let xe = self.mk_fvar(x);
                goal_abs = st.instantiate1(abs, xe);
                xs.push(xe);
            }
            xs.reverse();
            // Types of later binders must mention the earlier variables.
            let mty = self.mvar_type(MVarId(motive));
            let lam = self.lambda_with_types(mty, &xs, goal_abs)?;
            if !self.is_defeq(st.mvar(motive), lam) {
                let g = self.pp(goal);
                return Err(ElabError::new(
                    span,
                    format!("no motive was found for the goal\n    {g}"),
                ));
            }
        }
        for (m, v) in later {
            let ty = self.mvar_type(m);
            let ty = self.beta_everywhere(ty);
            let a = self.elab_arg(&v, ty)?;
            let me = st.mvar(m.0);
            if !self.is_defeq(me, a) {
                return Err(ElabError::new(
                    v.span(),
                    "this argument does not fit the others",
                ));
            }
        }
        // Explicit arguments that were not given are bound.
        let all: Vec<Expr> = ms.iter().map(|m| st.mvar(m.0)).collect();
        let e = st.apps(f, &all);
        if !used.is_empty() {
            return self.elab_plain_eliminator(f, args, span);
        }
        let e = self.instantiate_mvars(e);
        if rest.is_empty() {
            return Ok(e);
        }
        let more = Args {
            positional: rest,
            ..Args::default()
        };
        self.elab_fn_args_once(e, more, expected, span, &mut false)
    }

    fn elab_plain_eliminator(&mut self, f: Expr, args: Args, span: Span) -> Result<Expr> {
        self.elab_fn_args_once(f, args, None, span, &mut false)
    }

    /// `fun xs => body` with the binder types of a Π-type.
    fn lambda_with_types(&mut self, pi: Expr, xs: &[Expr], body: Expr) -> Result<Expr> {
        let st = self.st;
        let mut binders = Vec::new();
        let mut cur = pi;
        for _ in xs {
            let mut w = cur;
            if !matches!(st.node(w), Node::Pi(..)) {
                w = self.whnf(w);
            }
            let Node::Pi(n, d, b, _) = st.node(w) else {
                return Err(ElabError::msg("the motive takes fewer arguments"));
            };
            binders.push((n, d));
            cur = b;
        }
        let mut r = st.abstract_fvars(body, xs);
        for (n, d) in binders.into_iter().rev() {
            r = st.lam(n, d, r, BinderInfo::Default);
        }
        Ok(r)
    }
}
