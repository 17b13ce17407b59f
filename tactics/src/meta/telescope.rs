//! Opening binders.

use logic::{BinderInfo, Expr, Name, Node};

use super::{Elab, MVarId, MVarKind, Result};

impl<'b> Elab<'b> {
    /// Opens the leading `∀`s of `ty` (as they stand) as variables of the current context and runs `f`.
    pub fn forall_telescope<R>(
        &mut self,
        ty: Expr,
        f: impl FnOnce(&mut Self, &[Expr], Expr) -> Result<R>,
    ) -> Result<R> {
        self.with_lctx_saved(|el| {
            let (xs, body) = el.open_foralls(ty, None, false);
            f(el, &xs, body)
        })
    }

    /// As [`Elab::forall_telescope`], reducing to find more `∀`s, up to `max`.
    pub fn forall_telescope_reducing<R>(
        &mut self,
        ty: Expr,
        max: Option<usize>,
        f: impl FnOnce(&mut Self, &[Expr], Expr) -> Result<R>,
    ) -> Result<R> {
        self.with_lctx_saved(|el| {
            let (xs, body) = el.open_foralls(ty, max, true);
            f(el, &xs, body)
        })
    }

    /// Opens leading `∀`s as variables pushed onto the current context.
    pub fn open_foralls(
        &mut self,
        ty: Expr,
        max: Option<usize>,
        reduce: bool,
    ) -> (Vec<Expr>, Expr) {
        let st = self.st;
        let mut xs = Vec::new();
        let mut cur = ty;
        loop {
            if max.is_some_and(|m| xs.len() >= m) {
                return (xs, cur);
            }
            match st.node(cur) {
                Node::Pi(n, t, b, bi) => {
                    let x = self.push_local(n, t, bi);
                    xs.push(x);
                    cur = st.instantiate1(b, x);
                }
                _ if reduce => {
                    let w = self.whnf(cur);
                    if !matches!(st.node(w), Node::Pi(..)) {
                        return (xs, cur);
                    }
                    cur = w;
                }
                _ => return (xs, cur),
            }
        }
    }

    /// Opens the leading `fun`s of `e` as variables of the current context and runs `f`.
    pub fn lambda_telescope<R>(
        &mut self,
        e: Expr,
        f: impl FnOnce(&mut Self, &[Expr], Expr) -> Result<R>,
    ) -> Result<R> {
        let st = self.st;
        self.with_lctx_saved(|el| {
            let mut xs = Vec::new();
            let mut cur = e;
            while let Node::Lam(n, t, b, bi) = st.node(cur) {
                let x = el.push_local(n, t, bi);
                xs.push(x);
                cur = st.instantiate1(b, x);
            }
            f(el, &xs, cur)
        })
    }

    /// Opens `∀`s (reducing) as natural metavariables, up to `max`.
    pub fn forall_mvar_telescope(
        &mut self,
        ty: Expr,
        max: Option<usize>,
    ) -> (Vec<MVarId>, Vec<BinderInfo>, Expr) {
        let st = self.st;
        let mut ms = Vec::new();
        let mut bis = Vec::new();
        let mut cur = ty;
        loop {
            if max.is_some_and(|m| ms.len() >= m) {
                return (ms, bis, cur);
            }
            match st.node(cur) {
                Node::Pi(n, t, b, bi) => {
                    let m = self.new_mvar(self.lctx.clone(), t, n, MVarKind::Natural);
                    ms.push(m);
                    bis.push(bi);
                    cur = st.instantiate1(b, st.mvar(m.0));
                }
                _ => {
                    let w = self.whnf(cur);
                    if !matches!(st.node(w), Node::Pi(..)) {
                        return (ms, bis, cur);
                    }
                    cur = w;
                }
            }
        }
    }

    /// The number of leading `∀`s, as they stand.
    pub fn count_foralls(&self, ty: Expr) -> usize {
        let mut n = 0;
        let mut cur = ty;
        while let Node::Pi(_, _, b, _) = self.st.node(cur) {
            n += 1;
            cur = b;
        }
        n
    }

    /// A name that the user cannot write, made from a base: `x✝`.
    pub fn inaccessible(&self, base: Name) -> Name {
        let s = match self.st.name_last(base) {
            Some(s) => s.trim_end_matches('✝').to_owned(),
            None => "a".to_owned(),
        };
        self.st.name_str(Name::ANON, &format!("{s}✝"))
    }
}
