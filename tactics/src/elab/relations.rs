//! Relations: both operands are brought to one type, whose head names the relation.

use logic::{Expr, Node};

use crate::elab::app::{ArgVal, Args};
use crate::elab::ops::{Tree, has_ops, op_function};
use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{BinOp, Span, Term};

impl<'b> Elab<'b> {
    pub(super) fn elab_relation(
        &mut self,
        op: BinOp,
        lhs: &Term,
        rhs: &Term,
        span: Span,
    ) -> Result<Expr> {
        let (a, b, ty) = self.elab_operands(lhs, rhs, true)?;
        let (f, sign) = op_function(op).unwrap_or(("lt", "<"));
        let args = match op {
            BinOp::Gt | BinOp::Ge => [b, a],
            _ => [a, b],
        };
        let args: Vec<ArgVal> = args.iter().map(|e| ArgVal::Expr(*e, span)).collect();
        self.apply_op(f, sign, ty, &args, span)
    }

    /// Both operands at one type.
    fn elab_operands(
        &mut self,
        lhs: &Term,
        rhs: &Term,
        need_type: bool,
    ) -> Result<(Expr, Expr, Expr)> {
        let l = self.tree(lhs)?;
        let r = self.tree(rhs)?;
        let mut types = Vec::new();
        let (mut unknown, mut neg) = (false, false);
        self.survey(&l, &mut types, &mut unknown, &mut neg)?;
        self.survey(&r, &mut types, &mut unknown, &mut neg)?;
        let ty = match self.join_types(&types) {
            Some(t) => t,
            None => {
                if unknown
                    && self.may_postpone
                    && !self.force_ops
                    && (need_type || has_ops(&l) || has_ops(&r))
                {
                    self.synthesize_light()?;
                    let (mut t2, mut u2, mut n2) = (Vec::new(), false, false);
                    self.survey(&l, &mut t2, &mut u2, &mut n2)?;
                    self.survey(&r, &mut t2, &mut u2, &mut n2)?;
                    match self.join_types(&t2) {
                        Some(t) => t,
                        None => return Err(ElabError::Postpone),
                    }
                } else if unknown && !need_type && !has_ops(&l) && !has_ops(&r) {
                    match (&l, &r) {
                        (Tree::Leaf(e, _), _) | (_, Tree::Leaf(e, _)) => self.infer_type(*e)?,
                        _ => self.default_num_type(neg),
                    }
                } else {
                    self.default_num_type(neg)
                }
            }
        };
        let a = self.build(&l, ty)?;
        let b = self.build(&r, ty)?;
        Ok((a, b, ty))
    }

    pub(super) fn elab_equality(
        &mut self,
        op: BinOp,
        lhs: &Term,
        rhs: &Term,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let st = self.st;
        let (a, b, ty) = self.elab_operands(lhs, rhs, false)?;
        let l = self.level_of(ty)?;
        let as_prop = match op {
            BinOp::Eq | BinOp::Ne => true,
            BinOp::BNe => match expected {
                Some(x) => {
                    let w = self.whnf_core(x);
                    matches!(st.node(w), Node::Sort(_))
                }
                None => false,
            },
            _ => false,
        };
        if as_prop {
            let head = if op == BinOp::Eq {
                self.known.eq
            } else {
                st.name("Ne")
            };
            return Ok(st.apps(st.constant(head, &[l]), &[ty, a, b]));
        }
        let r = match self.find_op("beq", ty) {
            Some(_) => self.apply_op(
                "beq",
                "==",
                ty,
                &[ArgVal::Expr(a, span), ArgVal::Expr(b, span)],
                span,
            )?,
            None => {
                let eq = st.apps(st.constant(self.known.eq, &[l]), &[ty, a, b]);
                self.elab_fn_args_named("Decidable.decide", &[eq], span)?
            }
        };
        if op == BinOp::BNe {
            self.mk_app("Bool.not", &[r])
        } else {
            Ok(r)
        }
    }

    pub(crate) fn elab_fn_args_named(
        &mut self,
        f: &str,
        args: &[Expr],
        span: Span,
    ) -> Result<Expr> {
        let c = self.mk_const(self.st.name(f))?;
        let a = Args {
            positional: args.iter().map(|e| ArgVal::Expr(*e, span)).collect(),
            ..Args::default()
        };
        self.elab_fn_args(c, a, None, span)
    }

    pub(super) fn elab_mem(&mut self, a: &Term, s: &Term, span: Span) -> Result<Expr> {
        let e = self.elab_term(s, None)?;
        let ty = self.infer_type(e)?;
        let mut ty = self.instantiate_mvars(ty);
        if self.is_mvar_headed(ty) {
            self.synthesize_light()?;
            ty = self.instantiate_mvars(ty);
            if self.is_mvar_headed(ty) {
                return self.need_more(|_| {
                    ElabError::new(span, "the type of the right side of `∈` is not known")
                });
            }
        }
        let f = if self.find_op("Mem", ty).is_some() {
            "Mem"
        } else {
            "mem"
        };
        self.apply_op(
            f,
            "∈",
            ty,
            &[ArgVal::Ast(a.clone()), ArgVal::Expr(e, s.span)],
            span,
        )
    }
}
