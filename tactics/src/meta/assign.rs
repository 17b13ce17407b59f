//! Unification of `?m a₁ … aₙ` with a term.

use logic::{Expr, Node};
use rustc_hash::FxHashMap;

use super::{Elab, FVarId, LCtx, MVarId, MVarKind, Transparency};

impl<'b> Elab<'b> {
    /// The metavariable at the head of a term, if the unifier may assign it.
    pub(crate) fn flex_head(&self, e: Expr) -> Option<MVarId> {
        match self.st.node(self.st.app_fn(e)) {
            Node::MVar(i) => {
                let m = MVarId(i);
                (i >= self.floor
                    && self.mvar_decl(m).kind == MVarKind::Natural
                    && !self.is_assigned(m))
                .then_some(m)
            }
            _ => None,
        }
    }

    /// `?m args =?= v`, where `?m` may be assigned.
    pub(crate) fn unify_flex(&mut self, lhs: Expr, v: Expr) -> bool {
        let st = self.st;
        let v = self.instantiate_mvars(v);
        let lhs = self.instantiate_mvars(lhs);
        if lhs == v {
            return true;
        }
        let Some(m) = self.flex_head(lhs) else {
            return self.defeq(lhs, v);
        };
        let (_, args) = st.unfold_app(lhs);
        let (vf, vargs) = st.unfold_app(v);
        if vf == st.mvar(m.0) {
            // Same metavariable: compare arguments.
            return args.len() == vargs.len()
                && args.iter().zip(&vargs).all(|(a, b)| self.defeq(*a, *b));
        }
        // Both flexible: prefer to assign the one without arguments, then the one with the larger context.
        if let Some(n) = self.flex_head(v) {
            let swap = vargs.len() < args.len()
                || (vargs.len() == args.len()
                    && self.mvar_decl(n).lctx.len() > self.mvar_decl(m).lctx.len());
            let mark = self.mctx.trail.len();
            let (x, xa, y, z, za, w) = if swap {
                (n, &vargs, lhs, m, &args, v)
            } else {
                (m, &args, v, n, &vargs, lhs)
            };
            if self.assign_pattern(x, xa, y) {
                return true;
            }
            self.undo_to(mark);
            if self.assign_pattern(z, za, w) {
                return true;
            }
            self.undo_to(mark);
            return self.first_order(lhs, v);
        }
        let mark = self.mctx.trail.len();
        if self.assign_pattern(m, &args, v) {
            return true;
        }
        self.undo_to(mark);
        if !args.is_empty() && self.first_order(lhs, v) {
            return true;
        }
        self.undo_to(mark);
        // The value may have a form that fits after reduction.
        let w = self.whnf_core(v);
        if w != v {
            return self.unify_flex(lhs, w);
        }
        if (!args.is_empty() || st.has_fvar(v))
            && let Some(w) = self.unfold_definition(v)
        {
            return self.unify_flex(lhs, w);
        }
        false
    }

    /// `?m a b =?= f c d`: `?m =?= f c`… argument by argument from the right.
    fn first_order(&mut self, lhs: Expr, v: Expr) -> bool {
        let st = self.st;
        match (st.node(lhs), st.node(v)) {
            (Node::App(f, a), Node::App(g, b)) => {
                if self.flex_head(f).is_some() && matches!(st.node(f), Node::MVar(_)) {
                    return self.unify_flex(f, g) && self.defeq(a, b);
                }
                self.first_order(f, g) && self.defeq(a, b)
            }
            (Node::MVar(_), _) => self.unify_flex(lhs, v),
            _ => false,
        }
    }

    fn assign_pattern(&mut self, m: MVarId, args: &[Expr], v: Expr) -> bool {
        let st = self.st;
        let mut xs: Vec<Expr> = Vec::new();
        for a in args {
            let a = self.instantiate_mvars(*a);
            let a = self.eta_reduce(a);
            let a = match st.node(a) {
                Node::FVar(_) => a,
                _ => self.whnf_core(a),
            };
            match st.node(a) {
                Node::FVar(_) if !xs.contains(&a) => xs.push(a),
                _ => return false,
            }
        }
        let lctx = self.mvar_lctx(m);
        let Some(v) = self.check_assignment(m, &lctx, &xs, v) else {
            return false;
        };
        let ty = self.mvar_type(m);
        let value = if xs.is_empty() {
            v
        } else {
            let value = self.mk_lambda_explicit(&xs, v);
            // The types of the variables must not bring anything foreign in.
            match self.check_assignment(m, &lctx, &[], value) {
                Some(v) => v,
                None => return false,
            }
        };
        let Ok(vt) = self.infer_type(value) else {
            return false;
        };
        let t = self.transparency.max(Transparency::Default);
        if vt != ty && !self.with_transparency(t, |el| el.defeq(ty, vt)) {
            return false;
        }
        if self.is_assigned(m) {
            // Comparing the types assigned it.
            let mv = st.mvar(m.0);
            return self.defeq(mv, value);
        }
        self.assign(m, value);
        true
    }

    /// `v`, if it may be the value of `?m` (with `xs` about to be abstracted): no foreign variables, no `?m`.
    /// Metavariables with larger contexts are restricted.
    fn check_assignment(&mut self, m: MVarId, lctx: &LCtx, xs: &[Expr], v: Expr) -> Option<Expr> {
        let st = self.st;
        let mut cur = self.instantiate_mvars(v);
        if !st.has_fvar(cur) && !st.has_mvar(cur) {
            return Some(cur);
        }
        let xids: Vec<FVarId> = xs
            .iter()
            .filter_map(|x| match st.node(*x) {
                Node::FVar(i) => Some(FVarId(i)),
                _ => None,
            })
            .collect();
        // Foreign `let` variables are unfolded.
        for _ in 0..64 {
            let foreign: Vec<FVarId> = self
                .collect_fvars(cur)
                .into_iter()
                .filter(|i| !lctx.contains(*i) && !xids.contains(i))
                .collect();
            if foreign.is_empty() {
                break;
            }
            if foreign.iter().all(|i| self.local(*i).value.is_some()) {
                cur = self.zeta_locals(cur, &foreign);
            } else {
                let r = self.beta_everywhere(cur);
                if r == cur {
                    return None;
                }
                cur = r;
            }
        }
        if !st.has_mvar(cur) {
            return Some(cur);
        }
        let found = self.written_mvars(cur);
        let mut map: FxHashMap<Expr, Expr> = FxHashMap::default();
        for n in found {
            if n == m {
                return None;
            }
            let d = self.mvar_decl(n).clone();
            if d.lctx.iter().all(|i| lctx.contains(i) || xids.contains(&i)) {
                // It may still mention `?m` in its type, which is harmless.
                continue;
            }
            if self.mctx.delayed[n.0 as usize].is_some() {
                // Its goal's own context is larger, but its value will be abstracted.
                continue;
            }
            if d.kind == MVarKind::Opaque || n.0 < self.floor {
                return None;
            }
            // Restrict to the common variables.
            let common = d.lctx.filter(|i| lctx.contains(i) || xids.contains(&i));
            let ty = self.instantiate_mvars(d.ty);
            if self.collect_fvars(ty).iter().any(|i| !common.contains(*i)) {
                return None;
            }
            let r = self.new_mvar(common, ty, d.user_name, d.kind);
            let r = st.mvar(r.0);
            self.assign(n, r);
            map.insert(st.mvar(n.0), r);
        }
        if map.is_empty() {
            return Some(cur);
        }
        Some(self.instantiate_mvars(cur))
    }

    /// `f` for `fun x => f x`, also nested.
    pub fn eta_reduce(&self, e: Expr) -> Expr {
        let st = self.st;
        let Node::Lam(_, _, b, _) = st.node(e) else {
            return e;
        };
        let b2 = self.eta_reduce(b);
        if let Node::App(f, a) = st.node(b2)
            && st.node(a) == Node::BVar(0)
            && !self.bvar_occurs(f, 0)
        {
            return st.instantiate1(f, st.prop());
        }
        e
    }

    /// Beta-reduces every redex.
    pub fn beta_everywhere(&self, e: Expr) -> Expr {
        let st = self.st;
        st.replace(e, |x, _| {
            let r = self.head_beta(x);
            (r != x).then(|| self.beta_everywhere(r))
        })
    }
}
