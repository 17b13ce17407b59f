//! A `casesOn` opened, for the compilers of recursion, which give its motive and its branches a further argument.

use logic::{Expr, Level, Name, Node};

use crate::meta::whnf::CasesOnInfo;
use crate::meta::{Elab, ElabError, Result};

/// A branch at the fields of its constructor.
pub(super) struct Branch {
    /// The fields: local variables under the names of the branch's binders.
    pub fields: Vec<Expr>,
    /// The branch applied to them.
    pub body: Expr,
    /// What the motive is applied to in its type: the indices, then the constructor at its fields.
    pub at: Vec<Expr>,
}

impl<'b> Elab<'b> {
    /// A motive `fun indices value => T` opened: local variables for its arguments, and `T`.
    pub(super) fn open_motive(
        &mut self,
        motive: Expr,
        info: CasesOnInfo,
    ) -> Result<(Vec<Expr>, Expr)> {
        let st = self.st;
        let mut xs = Vec::new();
        let mut cur = motive;
        let mut ty = self.infer_type(motive)?;
        for _ in 0..=info.num_indices {
            let w = self.whnf(ty);
            let Node::Pi(n, d, b, _) = st.node(w) else {
                return Err(ElabError::msg("a motive takes too few arguments"));
            };
            let x = self.push_local(n, d, logic::BinderInfo::Default);
            ty = st.instantiate1(b, x);
            cur = self.beta(cur, &[x]);
            xs.push(x);
        }
        Ok((xs, cur))
    }

    /// The branch `minor` for a constructor of the type at these levels and parameters.
    pub(super) fn open_branch(
        &mut self,
        minor: Expr,
        ctor: Name,
        (levels, params): (&[Level], &[Expr]),
        info: CasesOnInfo,
    ) -> Result<Branch> {
        let st = self.st;
        let cty = self.const_type(ctor, levels)?;
        let cty = self.instantiate_forall(cty, params, cty)?;
        let (fields, res) = self.open_foralls(cty, None, true);
        let body = self.beta(minor, &fields);
        let mut cur = minor;
        for x in &fields {
            if let (Node::Lam(n, _, b, _), Node::FVar(i)) = (st.node(cur), st.node(*x)) {
                self.locals[i as usize].user_name = n;
                cur = b;
            }
        }
        let res = self.whnf(res);
        let (_, args) = st.unfold_app(res);
        let mut at: Vec<Expr> = args[info.num_params.min(args.len())..].to_vec();
        let value = st.apps(st.constant(ctor, levels), params);
        at.push(st.apps(value, &fields));
        Ok(Branch { fields, body, at })
    }
}
