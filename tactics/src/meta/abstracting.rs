//! From open terms to binders: `fun xs => e`, `∀ xs, e`, and abstraction of instances of a pattern.
//!
//! An unsolved metavariable whose context contains some `x` that is abstracted is replaced by `?d x` first: a natural one is
//! assigned, a goal becomes delayed.

use logic::{BinderInfo, Expr, Node};
use rustc_hash::FxHashMap;

use super::{Elab, FVarId, LCtx, MVarId, MVarKind};

impl<'b> Elab<'b> {
    fn fvar_ids(&self, xs: &[Expr]) -> Vec<FVarId> {
        xs.iter()
            .filter_map(|x| match self.st.node(*x) {
                Node::FVar(i) => Some(FVarId(i)),
                _ => None,
            })
            .collect()
    }

    /// Replaces metavariables of `e` that may depend on `xs`, see the module's text. `e` is instantiated.
    pub fn elim_mvar_deps(&mut self, e: Expr, xs: &[Expr]) -> Expr {
        let st = self.st;
        if !st.has_mvar(e) {
            return e;
        }
        let ids = self.fvar_ids(xs);
        let found = self.written_mvars(e);
        let mut map: FxHashMap<Expr, Expr> = FxHashMap::default();
        for m in found {
            let lctx = self.mvar_lctx(m);
            if ids.iter().any(|i| lctx.contains(*i)) {
                let r = self.lift_mvar(m, &ids);
                map.insert(st.mvar(m.0), r);
            }
        }
        if map.is_empty() {
            return e;
        }
        let r = st.replace(e, |x, _| {
            if !st.has_mvar(x) {
                return Some(x);
            }
            map.get(&x).copied()
        });
        self.instantiate_mvars(r)
    }

    /// `?m` becomes `?m' ys` with `?m'` outside of `ids`; the result mentions `ids` only as arguments.
    fn lift_mvar(&mut self, m: MVarId, ids: &[FVarId]) -> Expr {
        let st = self.st;
        let decl = self.mvar_decl(m).clone();
        // Everything in the context that depends on `ids` goes too.
        let mut revert: Vec<FVarId> = Vec::new();
        for i in decl.lctx.iter() {
            let d = self.local(i);
            if d.aux && !ids.contains(&i) {
                continue;
            }
            let ty = self.instantiate_mvars(d.ty);
            let dep = ids.contains(&i)
                || self.occurs_fvar(ty, &revert)
                || d.value.is_some_and(|v| {
                    let v = self.instantiate_mvars(v);
                    self.occurs_fvar(v, &revert)
                });
            if dep {
                revert.push(i);
            }
        }
        let lctx = decl.lctx.without(&revert);
        let xs: Vec<Expr> = revert
            .iter()
            .filter(|i| self.local(**i).value.is_none())
            .map(|i| self.mk_fvar(*i))
            .collect();
        let ty = self.instantiate_mvars(decl.ty);
        let ty = self.zeta_locals(ty, &revert);
        let ty = self.mk_pi(&xs, ty);
        let n = self.new_mvar(lctx, ty, decl.user_name, decl.kind);
        let r = st.apps(st.mvar(n.0), &xs);
        match decl.kind {
            MVarKind::Natural => self.assign(m, r),
            MVarKind::Opaque => {
                let lets = revert
                    .iter()
                    .copied()
                    .filter(|i| self.local(*i).value.is_some())
                    .collect();
                self.assign_delayed(n, xs, lets, m);
            }
        }
        r
    }

    /// Replaces `let` variables among `ids` by their values.
    pub fn zeta_locals(&mut self, e: Expr, ids: &[FVarId]) -> Expr {
        let st = self.st;
        let mut e = self.instantiate_mvars(e);
        for i in ids.iter().rev() {
            if let Some(v) = self.local(*i).value {
                let x = st.fvar(i.0);
                if self.occurs_fvar(e, &[*i]) {
                    let v = self.instantiate_mvars(v);
                    e = st.replace(e, |y, _| {
                        if !st.has_fvar(y) {
                            return Some(y);
                        }
                        (y == x).then_some(v)
                    });
                }
            }
        }
        e
    }

    /// `fun xs => e`; a `let` variable becomes a `let`.
    pub fn mk_lambda(&mut self, xs: &[Expr], e: Expr) -> Expr {
        self.mk_binding(xs, e, true, false)
    }

    /// `∀ xs, e`; a `let` variable becomes a `let`.
    pub fn mk_pi(&mut self, xs: &[Expr], e: Expr) -> Expr {
        self.mk_binding(xs, e, false, false)
    }

    /// `∀ xs, e` with a `let` for each `let` variable, also where it is not mentioned.
    pub fn mk_pi_keeping_lets(&mut self, xs: &[Expr], e: Expr) -> Expr {
        self.mk_binding(xs, e, false, true)
    }

    /// `fun xs => e` with all binders explicit.
    pub fn mk_lambda_explicit(&mut self, xs: &[Expr], e: Expr) -> Expr {
        let st = self.st;
        let mut r = self.mk_lambda(xs, e);
        let mut parts = Vec::new();
        for _ in xs {
            match st.node(r) {
                Node::Lam(n, t, b, _) => {
                    parts.push((n, t));
                    r = b;
                }
                _ => break,
            }
        }
        for (n, t) in parts.into_iter().rev() {
            r = st.lam(n, t, r, BinderInfo::Default);
        }
        r
    }

    fn mk_binding(&mut self, xs: &[Expr], e: Expr, lambda: bool, keep_lets: bool) -> Expr {
        let st = self.st;
        if xs.is_empty() {
            return self.instantiate_mvars(e);
        }
        let e = self.instantiate_mvars(e);
        let e = self.elim_mvar_deps(e, xs);
        let mut body = st.abstract_fvars(e, xs);
        for i in (0..xs.len()).rev() {
            let id = match st.node(xs[i]) {
                Node::FVar(id) => FVarId(id),
                Node::MVar(id) => {
                    let d = self.mvar_decl(MVarId(id)).clone();
                    let ty = self.instantiate_mvars(d.ty);
                    let ty = st.abstract_fvars(ty, &xs[..i]);
                    body = if lambda {
                        st.lam(d.user_name, ty, body, BinderInfo::Default)
                    } else {
                        st.pi(d.user_name, ty, body, BinderInfo::Default)
                    };
                    continue;
                }
                _ => continue,
            };
            let d = self.local(id);
            let ty = self.instantiate_mvars(d.ty);
            let ty = self.elim_mvar_deps(ty, &xs[..i]);
            let ty = st.abstract_fvars(ty, &xs[..i]);
            body = match d.value {
                Some(v) => {
                    let v = self.instantiate_mvars(v);
                    let v = self.elim_mvar_deps(v, &xs[..i]);
                    let v = st.abstract_fvars(v, &xs[..i]);
                    if keep_lets || self.bvar_occurs(body, 0) {
                        st.let_(d.user_name, ty, v, body)
                    } else {
                        st.instantiate1(body, v)
                    }
                }
                None if lambda => st.lam(d.user_name, ty, body, d.bi),
                None => st.pi(d.user_name, ty, body, d.bi),
            };
        }
        body
    }

    /// Whether loose bound variable `i` occurs.
    pub fn bvar_occurs(&self, e: Expr, i: u32) -> bool {
        let st = self.st;
        if st.loose_bvar_range(e) <= i {
            return false;
        }
        let mut found = false;
        st.replace(e, |x, depth| {
            if found || st.loose_bvar_range(x) <= i + depth {
                return Some(x);
            }
            if st.node(x) == Node::BVar(i + depth) {
                found = true;
            }
            None
        });
        found
    }

    /// Replaces instances of `pattern` in `e` by the loose bound variable 0 (other loose variables move up). Candidates have
    /// the same head and number of arguments; the first one that unifies fixes the pattern's metavariables. If nothing is
    /// found the result has no loose bound variable.
    pub fn kabstract(&mut self, e: Expr, pattern: Expr) -> Expr {
        let e = self.instantiate_mvars(e);
        let p = self.instantiate_mvars(pattern);
        let st = self.st;
        if let Node::FVar(_) = st.node(p) {
            return st.abstract_fvars(e, &[p]);
        }
        let (pf, pargs) = st.unfold_app(p);
        let key = (self.head_key(pf), pargs.len());
        let mut memo = FxHashMap::default();
        self.kabstract_go(e, p, &key, 0, &mut memo)
    }

    fn head_key(&self, f: Expr) -> Option<Expr> {
        match self.st.node(f) {
            Node::Const(n, _) => Some(self.st.constant(n, &[])),
            Node::FVar(_) => Some(f),
            Node::Proj(s, i, _) => Some(self.st.proj(s, i, self.st.bvar(0))),
            Node::Nat(_) | Node::Str(_) => Some(f),
            Node::Lam(..) => Some(self.st.bvar(1)),
            Node::Pi(..) => Some(self.st.bvar(2)),
            Node::Sort(_) => Some(self.st.bvar(3)),
            _ => None,
        }
    }

    fn kabstract_go(
        &mut self,
        e: Expr,
        p: Expr,
        key: &(Option<Expr>, usize),
        depth: u32,
        memo: &mut FxHashMap<(Expr, u32), Expr>,
    ) -> Expr {
        let st = self.st;
        if let Some(r) = memo.get(&(e, depth)) {
            return *r;
        }
        let r = logic::subst::with_stack(|| {
            let visit = |el: &mut Self, memo: &mut FxHashMap<(Expr, u32), Expr>| match st.node(e) {
                Node::App(f, a) => {
                    let f = el.kabstract_go(f, p, key, depth, memo);
                    let a = el.kabstract_go(a, p, key, depth, memo);
                    st.app(f, a)
                }
                Node::Lam(n, t, b, bi) => {
                    let t = el.kabstract_go(t, p, key, depth, memo);
                    let b = el.kabstract_go(b, p, key, depth + 1, memo);
                    st.lam(n, t, b, bi)
                }
                Node::Pi(n, t, b, bi) => {
                    let t = el.kabstract_go(t, p, key, depth, memo);
                    let b = el.kabstract_go(b, p, key, depth + 1, memo);
                    st.pi(n, t, b, bi)
                }
                Node::Let(n, t, v, b) => {
                    let t = el.kabstract_go(t, p, key, depth, memo);
                    let v = el.kabstract_go(v, p, key, depth, memo);
                    let b = el.kabstract_go(b, p, key, depth + 1, memo);
                    st.let_(n, t, v, b)
                }
                Node::Proj(s, i, x) => {
                    let x = el.kabstract_go(x, p, key, depth, memo);
                    st.proj(s, i, x)
                }
                Node::BVar(i) if i >= depth => st.bvar(i + 1),
                _ => e,
            };
            if !st.has_loose_bvars(e) {
                let (f, args) = st.unfold_app(e);
                let matches_key = args.len() == key.1
                    && match key.0 {
                        Some(k) => self.head_key(f) == Some(k),
                        None => true,
                    };
                if matches_key && self.is_defeq(e, p) {
                    return st.bvar(depth);
                }
            }
            visit(self, memo)
        });
        memo.insert((e, depth), r);
        r
    }

    /// A context without the variables `ids` and everything that depends on them.
    pub fn lctx_without_deps(&mut self, lctx: &LCtx, ids: &[FVarId]) -> LCtx {
        let mut gone: Vec<FVarId> = Vec::new();
        for i in lctx.iter() {
            let d = self.local(i);
            let ty = self.instantiate_mvars(d.ty);
            if ids.contains(&i) || self.occurs_fvar(ty, &gone) {
                gone.push(i);
            }
        }
        lctx.without(&gone)
    }
}
