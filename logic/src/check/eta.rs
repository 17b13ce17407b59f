//! η: functions, structures, and types with a single value.

use super::{Checker, Res};
use crate::env::ConstantInfo;
use crate::expr::{BinderInfo, Expr, Node};
use crate::name::Name;

impl<'e, 'b> Checker<'e, 'b> {
    /// Function η: `fun x => b` against `s`, no λ, of a Π type: compare with `fun x => s x` (Carneiro 2019, §2.2, rule η).
    pub(super) fn eta_fun(&mut self, t: Expr, s: Expr) -> Res<bool> {
        let st = self.st;
        if !matches!(st.node(t), Node::Lam(..)) || matches!(st.node(s), Node::Lam(..)) {
            return Ok(false);
        }
        let ty = self.type_of(s)?;
        let ty = self.reduce_full(ty)?;
        let Node::Pi(_, dom, _, _) = st.node(ty) else {
            return Ok(false);
        };
        let s = st.lam(Name::ANON, dom, st.app(s, st.bvar(0)), BinderInfo::Default);
        self.defeq(t, s)
    }

    /// Structure η: `t` equals `c p f₀ … fₙ` if both have the same type and `t.i` equals `fᵢ` for all `i`. Not asked of
    /// proofs, which proof irrelevance has compared before.
    pub(super) fn eta_struct(&mut self, t: Expr, s: Expr) -> Res<bool> {
        let st = self.st;
        let (head, args) = st.unfold_app(s);
        let Node::Const(n, _) = st.node(head) else {
            return Ok(false);
        };
        let Some(ConstantInfo::Constructor(ctor)) = self.env.get(n) else {
            return Ok(false);
        };
        let Some(ConstantInfo::Inductive(ind)) = self.env.get(ctor.inductive) else {
            return Ok(false);
        };
        let params = ctor.num_params as usize;
        if args.len() != params + ctor.num_fields as usize || self.structure_ctor(ind).is_none() {
            return Ok(false);
        }
        let (ty_t, ty_s) = (self.type_of(t)?, self.type_of(s)?);
        if !self.defeq(ty_t, ty_s)? {
            return Ok(false);
        }
        for (i, f) in args[params..].iter().enumerate() {
            let p = st.proj(ctor.inductive, i as u32, t);
            if !self.defeq(p, *f)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Two terms of one structure without fields are equal.
    pub(super) fn unit_like(&mut self, t: Expr, s: Expr) -> Res<bool> {
        let st = self.st;
        let ty = self.type_of(t)?;
        let ty = self.reduce_full(ty)?;
        let Node::Const(n, _) = st.node(st.app_fn(ty)) else {
            return Ok(false);
        };
        let Some(ConstantInfo::Inductive(ind)) = self.env.get(n) else {
            return Ok(false);
        };
        match self.structure_ctor(ind) {
            Some(c) if c.num_fields == 0 => {
                let ty_s = self.type_of(s)?;
                self.defeq(ty, ty_s)
            }
            _ => Ok(false),
        }
    }
}
