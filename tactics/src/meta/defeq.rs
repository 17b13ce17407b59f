//! Definitional equality with assignment of metavariables.

use logic::subst::with_stack;
use logic::{BinderInfo, ConstantInfo, Expr, Hint, Level, Name, Node};
use num_traits::Zero;

use super::{Elab, MVarId, Transparency};

/// What unfolding the head of a term would cost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Height {
    Regular(u32),
    Abbrev,
}

impl<'b> Elab<'b> {
    /// Whether two terms are definitionally equal; assigns metavariables to make them so. Nothing is assigned if not.
    pub fn is_defeq(&mut self, a: Expr, b: Expr) -> bool {
        let mark = self.mctx.trail.len();
        let constraints = self.level_constraints.len();
        self.defeq_depth += 1;
        let mut ok = self.defeq(a, b);
        self.defeq_depth -= 1;
        if ok && self.defeq_depth == 0 && self.level_constraints.len() > constraints {
            let saved = self.level_constraints.clone();
            ok = self.solve_level_constraints(false);
            if !ok {
                self.level_constraints = saved;
            }
        }
        if !ok {
            self.undo_to(mark);
            self.level_constraints.truncate(constraints);
        }
        ok
    }

    /// As [`Elab::is_defeq`], unfolding only reducible definitions.
    pub fn is_defeq_reducible(&mut self, a: Expr, b: Expr) -> bool {
        self.with_transparency(Transparency::Reducible, |el| el.is_defeq(a, b))
    }

    pub(crate) fn defeq(&mut self, a: Expr, b: Expr) -> bool {
        if a == b {
            return true;
        }
        if !self.tick() {
            return false;
        }
        with_stack(|| self.defeq_go(a, b))
    }

    fn defeq_undo(&mut self, f: impl FnOnce(&mut Self) -> bool) -> bool {
        let mark = self.mctx.trail.len();
        let constraints = self.level_constraints.len();
        let ok = f(self);
        if !ok {
            self.undo_to(mark);
            self.level_constraints.truncate(constraints);
        }
        ok
    }

    fn quick(&mut self, a: Expr, b: Expr) -> Option<bool> {
        let st = self.st;
        match (st.node(a), st.node(b)) {
            (Node::Sort(l), Node::Sort(m)) => Some(self.level_defeq(l, m)),
            (Node::Lam(n, t, x, bi), Node::Lam(_, u, y, _))
            | (Node::Pi(n, t, x, bi), Node::Pi(_, u, y, _))
                if std::mem::discriminant(&st.node(a)) == std::mem::discriminant(&st.node(b)) =>
            {
                Some(self.defeq_binding(n, bi, (t, x), (u, y)))
            }
            (Node::Nat(m), Node::Nat(n)) => Some(m == n),
            (Node::Str(m), Node::Str(n)) => Some(m == n),
            _ => None,
        }
    }

    fn defeq_binding(
        &mut self,
        n: Name,
        bi: BinderInfo,
        (t, x): (Expr, Expr),
        (u, y): (Expr, Expr),
    ) -> bool {
        let st = self.st;
        if !self.defeq(t, u) {
            return false;
        }
        if !st.has_loose_bvars(x) && !st.has_loose_bvars(y) {
            return self.defeq(x, y);
        }
        self.with_lctx_saved(|el| {
            let v = el.push_local(n, t, bi);
            el.defeq(st.instantiate1(x, v), st.instantiate1(y, v))
        })
    }

    fn defeq_go(&mut self, a: Expr, b: Expr) -> bool {
        let st = self.st;
        if let Some(r) = self.quick(a, b) {
            return r;
        }
        let (ha, hb) = (self.flex_head(a), self.flex_head(b));
        if ha.is_some() {
            return self.unify_flex(a, b);
        }
        if hb.is_some() {
            return self.unify_flex(b, a);
        }
        let closed =
            !st.has_mvar(a) && !st.has_mvar(b) && !st.has_level_mvar(a) && !st.has_level_mvar(b);
        let key = if a < b { (a, b) } else { (b, a) };
        let key = (key.0, key.1, self.transparency);
        if closed && let Some(r) = self.cache.defeq.get(&key) {
            return *r;
        }
        let r = self.defeq_slow(a, b);
        if closed && !self.exhausted() {
            self.cache.defeq.insert(key, r);
        }
        r
    }

    fn defeq_slow(&mut self, a: Expr, b: Expr) -> bool {
        let wa = self.whnf_core(a);
        let wb = self.whnf_core(b);
        if wa != a || wb != b {
            return self.defeq(wa, wb);
        }
        // Same head: the arguments usually decide.
        if self.proof_irrelevant(a, b) {
            return true;
        }
        if let Some(r) = self.eta(a, b) {
            return r;
        }
        self.lazy_delta(a, b)
    }

    fn proof_irrelevant(&mut self, a: Expr, b: Expr) -> bool {
        let st = self.st;
        // Only heads that can be proofs.
        if matches!(st.node(a), Node::Sort(_) | Node::Pi(..) | Node::Nat(_)) {
            return false;
        }
        let Ok(ta) = self.infer_type(a) else {
            return false;
        };
        if !self.is_prop(ta) {
            return false;
        }
        let Ok(tb) = self.infer_type(b) else {
            return false;
        };
        let t = self.transparency.max(Transparency::Default);
        self.defeq_undo(|el| el.with_transparency(t, |el| el.defeq(ta, tb)))
    }

    fn eta(&mut self, a: Expr, b: Expr) -> Option<bool> {
        let st = self.st;
        match (st.node(a), st.node(b)) {
            (Node::Lam(n, t, x, bi), _) => Some(self.eta_lam(n, t, x, bi, b)),
            (_, Node::Lam(n, t, x, bi)) => Some(self.eta_lam(n, t, x, bi, a)),
            _ => None,
        }
    }

    fn eta_lam(&mut self, n: Name, t: Expr, x: Expr, bi: BinderInfo, f: Expr) -> bool {
        let st = self.st;
        let Ok(ft) = self.infer_type(f) else {
            return false;
        };
        let ft = self.whnf(ft);
        if !matches!(st.node(ft), Node::Pi(..)) {
            // The type may still be open: then comparing bodies decides.
            if self.flex_head(ft).is_none() {
                return false;
            }
        }
        self.with_lctx_saved(|el| {
            let v = el.push_local(n, t, bi);
            let app = st.app(f, v);
            el.defeq(st.instantiate1(x, v), app)
        })
    }

    fn height(&self, e: Expr) -> Option<(Name, Height)> {
        let Node::Const(n, _) = self.st.node(self.st.app_fn(e)) else {
            return None;
        };
        if !self.can_unfold(n) || self.cases_on_info(n).is_some() {
            return None;
        }
        match self.env.get(n) {
            Some(ConstantInfo::Definition { hint, .. }) => Some((
                n,
                match hint {
                    Hint::Abbrev => Height::Abbrev,
                    Hint::Regular(h) => Height::Regular(*h),
                    Hint::Opaque => Height::Regular(0),
                },
            )),
            _ => None,
        }
    }

    fn lazy_delta(&mut self, a: Expr, b: Expr) -> bool {
        let st = self.st;
        if let Some(r) = self.defeq_offset(a, b) {
            return r;
        }
        if self.transparency >= Transparency::Default {
            if let Some(a2) = self.reduce_nat(a) {
                return self.defeq(a2, b);
            }
            if let Some(b2) = self.reduce_nat(b) {
                return self.defeq(a, b2);
            }
        }
        let (ha, hb) = (self.height(a), self.height(b));
        match (ha, hb) {
            (None, None) => {}
            (Some(_), None) => {
                if let Some(a2) = self.unfold_definition(a) {
                    return self.defeq(a2, b);
                }
            }
            (None, Some(_)) => {
                if let Some(b2) = self.unfold_definition(b) {
                    return self.defeq(a, b2);
                }
            }
            (Some((na, x)), Some((nb, y))) => {
                if na == nb {
                    if self.defeq_undo(|el| el.defeq_app(a, b)) {
                        return true;
                    }
                    let a2 = self.unfold_definition(a);
                    let b2 = self.unfold_definition(b);
                    match (a2, b2) {
                        (Some(a2), Some(b2)) => return self.defeq(a2, b2),
                        (Some(a2), None) => return self.defeq(a2, b),
                        (None, Some(b2)) => return self.defeq(a, b2),
                        (None, None) => return self.last_resort(a, b),
                    }
                }
                if x >= y {
                    if let Some(a2) = self.unfold_definition(a) {
                        return self.defeq(a2, b);
                    }
                    if let Some(b2) = self.unfold_definition(b) {
                        return self.defeq(a, b2);
                    }
                } else {
                    if let Some(b2) = self.unfold_definition(b) {
                        return self.defeq(a, b2);
                    }
                    if let Some(a2) = self.unfold_definition(a) {
                        return self.defeq(a2, b);
                    }
                }
            }
        }
        if self.defeq_undo(|el| el.defeq_app(a, b)) {
            return true;
        }
        if let (Node::Proj(s, i, x), Node::Proj(t, j, y)) = (st.node(a), st.node(b))
            && s == t
            && i == j
            && self.defeq_undo(|el| el.defeq(x, y))
        {
            return true;
        }
        if self.struct_eta(a, b) || self.struct_eta(b, a) || self.unit_like(a, b) {
            return true;
        }
        self.last_resort(a, b)
    }

    /// `Nat.succ`, `_ + k` and literals against each other.
    fn defeq_offset(&mut self, a: Expr, b: Expr) -> Option<bool> {
        let (x, j) = self.nat_offset(a);
        let (y, k) = self.nat_offset(b);
        if j.is_zero() || k.is_zero() {
            return match (x, y) {
                (None, None) => Some(j == k),
                _ => None,
            };
        }
        let m = (&j).min(&k).clone();
        let (j2, k2) = (&j - &m, &k - &m);
        match (x, y) {
            (None, None) => Some(j == k),
            _ => {
                let a2 = self.mk_nat_offset(x, &j2);
                let b2 = self.mk_nat_offset(y, &k2);
                Some(self.defeq(a2, b2))
            }
        }
    }

    fn defeq_levels(&mut self, a: &[Level], b: &[Level]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| self.level_defeq(*x, *y))
    }

    /// Heads and arguments pairwise.
    fn defeq_app(&mut self, a: Expr, b: Expr) -> bool {
        let st = self.st;
        let (f, xs) = st.unfold_app(a);
        let (g, ys) = st.unfold_app(b);
        if xs.len() != ys.len() {
            return false;
        }
        let heads = match (st.node(f), st.node(g)) {
            (Node::Const(m, ls), Node::Const(n, ks)) => m == n && self.defeq_levels(ls, ks),
            (Node::FVar(i), Node::FVar(j)) => i == j,
            (Node::MVar(i), Node::MVar(j)) => i == j,
            _ if xs.is_empty() => false,
            _ => self.defeq(f, g),
        };
        if !heads {
            return false;
        }
        // Arguments that are metavariables or easy first would save work; left to right keeps types before values.
        let mut later = Vec::new();
        for (x, y) in xs.iter().zip(&ys) {
            // A redex with an unassigned scrutinee may become computable after the other arguments.
            if self.is_stuck_on_mvar(*x) || self.is_stuck_on_mvar(*y) {
                later.push((*x, *y));
            } else if !self.defeq(*x, *y) {
                return false;
            }
        }
        later.into_iter().all(|(x, y)| {
            let (x, y) = (self.instantiate_mvars(x), self.instantiate_mvars(y));
            self.defeq(x, y)
        })
    }

    fn is_stuck_on_mvar(&self, e: Expr) -> bool {
        let st = self.st;
        if !st.has_mvar(e) {
            return false;
        }
        match st.node(st.app_fn(e)) {
            Node::Proj(_, _, x) => matches!(st.node(st.app_fn(x)), Node::MVar(_)),
            Node::MVar(i) => {
                // `?f a` with arguments that are no variables: better after `?f` is known.
                let (_, args) = st.unfold_app(e);
                !args.is_empty()
                    && self.flex_head(e) == Some(MVarId(i))
                    && args.iter().any(|a| !matches!(st.node(*a), Node::FVar(_)))
            }
            _ => false,
        }
    }

    /// `C x₀ … xₙ =?= b` for the constructor `C` of a structure: compare fields.
    fn struct_eta(&mut self, a: Expr, b: Expr) -> bool {
        let st = self.st;
        let (f, args) = st.unfold_app(a);
        let Node::Const(c, _) = st.node(f) else {
            return false;
        };
        let (ind, np, nf) = match self.env.get(c) {
            Some(ConstantInfo::Constructor(k)) => {
                (k.inductive, k.num_params as usize, k.num_fields as usize)
            }
            _ => return false,
        };
        let single = match self.env.get(ind) {
            Some(ConstantInfo::Inductive(i)) => {
                i.ctors.len() == 1 && i.num_indices == 0 && !i.is_recursive
            }
            _ => false,
        };
        if !single || args.len() != np + nf || nf == 0 {
            return false;
        }
        if let Node::Const(c2, _) = st.node(st.app_fn(b))
            && c2 == c
        {
            return false;
        }
        let (Ok(ta), Ok(tb)) = (self.infer_type(a), self.infer_type(b)) else {
            return false;
        };
        self.defeq_undo(|el| {
            el.defeq(ta, tb)
                && (0..nf).all(|i| {
                    let p = st.proj(ind, i as u32, b);
                    el.defeq(args[np + i], p)
                })
        })
    }

    /// Two values of a structure without fields.
    fn unit_like(&mut self, a: Expr, b: Expr) -> bool {
        let st = self.st;
        let Ok(ta) = self.infer_type(a) else {
            return false;
        };
        let ta = self.whnf(ta);
        let Node::Const(n, _) = st.node(st.app_fn(ta)) else {
            return false;
        };
        let unit = match self.env.get(n) {
            Some(ConstantInfo::Inductive(i)) => {
                i.ctors.len() == 1
                    && i.num_indices == 0
                    && matches!(self.env.get(i.ctors[0]), Some(ConstantInfo::Constructor(c)) if c.num_fields == 0)
            }
            _ => false,
        };
        if !unit {
            return false;
        }
        match self.infer_type(b) {
            Ok(tb) => self.defeq_undo(|el| el.defeq(ta, tb)),
            Err(_) => false,
        }
    }

    /// Definitions that are stuck on a match are unfolded after all, recursive ones only to a match on a term; projections are
    /// compared as such.
    fn last_resort(&mut self, a: Expr, b: Expr) -> bool {
        if self.transparency < Transparency::Reducible {
            return false;
        }
        let a2 = self.unfold_stuck(a);
        let b2 = self.unfold_stuck(b);
        match (a2, b2) {
            (None, None) => false,
            (a2, b2) => {
                let (a2, b2) = (a2.unwrap_or(a), b2.unwrap_or(b));
                self.defeq_undo(|el| {
                    let (a3, b3) = (el.whnf_core(a2), el.whnf_core(b2));
                    el.quick(a3, b3).unwrap_or_else(|| el.defeq_stuck(a3, b3))
                })
            }
        }
    }

    fn defeq_stuck(&mut self, a: Expr, b: Expr) -> bool {
        if a == b {
            return true;
        }
        if let (Node::Proj(s, i, x), Node::Proj(t, j, y)) = (self.st.node(a), self.st.node(b)) {
            return s == t && i == j && self.defeq(x, y);
        }
        self.defeq(a, b)
    }

    fn unfold_stuck(&mut self, e: Expr) -> Option<Expr> {
        let st = self.st;
        let (f, args) = st.unfold_app(e);
        let Node::Const(n, ls) = st.node(f) else {
            return None;
        };
        if self.cases_on_info(n).is_some() || self.is_unary_trap(n, &args) {
            return None;
        }
        if self.ext.smart.contains_key(&n) {
            return match self.can_unfold(n) {
                true => self.unfold_to_match(n, ls, &args),
                false => None,
            };
        }
        if self.ext.projections.contains_key(&n) {
            let v = self.const_value(n, ls)?;
            return Some(self.beta(v, &args));
        }
        if !self.can_unfold(n) {
            return None;
        }
        let v = self.const_value(n, ls)?;
        Some(self.beta(v, &args))
    }
}
