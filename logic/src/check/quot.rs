//! The reduction of quotients: `Quot.lift f h (Quot.mk r a) ⟶ f a` and `Quot.ind h (Quot.mk r a) ⟶ h a`
//! (Carneiro 2019, §2.7.1).

use super::{Checker, Res};
use crate::env::{ConstantInfo, QuotKind};
use crate::expr::{Expr, Node};

impl<'e, 'b> Checker<'e, 'b> {
    /// Reduces `Quot.lift` or `Quot.ind` on the argument stack `args` (first argument last).
    pub(super) fn reduce_quot(
        &mut self,
        kind: QuotKind,
        args: &mut Vec<Expr>,
    ) -> Res<Option<Expr>> {
        let st = self.st;
        // The positions of the function and of the quotient among the arguments.
        let (f_at, q_at) = match kind {
            QuotKind::Lift => (3, 5),
            QuotKind::Ind => (3, 4),
            QuotKind::Type | QuotKind::Mk => return Ok(None),
        };
        let n = args.len();
        if n <= q_at {
            return Ok(None);
        }
        let q = self.reduce_full(args[n - 1 - q_at])?;
        let (head, q_args) = st.unfold_app(q);
        let Node::Const(mk, _) = st.node(head) else {
            return Ok(None);
        };
        let is_mk = matches!(
            self.env.get(mk),
            Some(ConstantInfo::Quot {
                kind: QuotKind::Mk,
                ..
            })
        );
        let (true, [_, _, a]) = (is_mk, &q_args[..]) else {
            return Ok(None);
        };
        let f = args[n - 1 - f_at];
        args.truncate(n - 1 - q_at);
        args.push(*a);
        Ok(Some(f))
    }
}
