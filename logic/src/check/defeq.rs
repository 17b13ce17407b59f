//! Definitional equality of two terms of the same type.
//!
//! Structure first, reduction late: identical terms, binders, proof irrelevance, lazy unfolding, congruence, η. The rules
//! are those of Carneiro 2019, §2.2–2.7, the order is Lean's. Results, positive and negative, are memoised by the ordered
//! pair of terms; no equality is derived from other cached ones.

use super::whnf::Mode;
use super::{Checker, Res, delta::Step};
use crate::expr::{Expr, Node};

impl<'e, 'b> Checker<'e, 'b> {
    /// Whether `t` and `s` are definitionally equal.
    pub(crate) fn defeq(&mut self, t: Expr, s: Expr) -> Res<bool> {
        if let Some(r) = self.quick(t, s)? {
            return Ok(r);
        }
        let key = (self.st.canon(t), self.st.canon(s));
        if let Some(r) = self.defeq_cache.get(&key) {
            return Ok(*r);
        }
        self.bound_depth(t)?;
        self.bound_depth(s)?;
        let r = self.enter(|c| c.defeq_core(t, s))?;
        self.defeq_cache.insert(key, r);
        Ok(r)
    }

    /// Pairwise equality of lists of the same length.
    pub(super) fn defeq_all(&mut self, ts: &[Expr], ss: &[Expr]) -> Res<bool> {
        for (t, s) in ts.iter().zip(ss) {
            if !self.defeq(*t, *s)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What needs no work: the same term, two sorts, two literals.
    fn quick(&mut self, t: Expr, s: Expr) -> Res<Option<bool>> {
        let st = self.st;
        if t == s || st.canon(t) == st.canon(s) {
            return Ok(Some(true));
        }
        match (st.node(t), st.node(s)) {
            (Node::Sort(a), Node::Sort(b)) => self.level_eq(a, b).map(Some),
            (Node::Nat(a), Node::Nat(b)) => Ok(Some(a == b)),
            (Node::Str(a), Node::Str(b)) => Ok(Some(a == b)),
            _ => Ok(None),
        }
    }

    /// `quick`, or two binders of the same kind, which are compared part by part.
    fn structural(&mut self, t: Expr, s: Expr) -> Res<Option<bool>> {
        let st = self.st;
        match (st.node(t), st.node(s)) {
            (Node::Lam(..), Node::Lam(..)) | (Node::Pi(..), Node::Pi(..)) => {
                self.binders(t, s).map(Some)
            }
            _ => self.quick(t, s),
        }
    }

    /// Congruence for λ and Π.
    fn binders(&mut self, mut t: Expr, mut s: Expr) -> Res<bool> {
        let st = self.st;
        let mut xs = Vec::new();
        loop {
            let (dom_t, body_t, dom_s, body_s) = match (st.node(t), st.node(s)) {
                (Node::Lam(_, a, b, _), Node::Lam(_, c, d, _)) => (a, b, c, d),
                (Node::Pi(_, a, b, _), Node::Pi(_, c, d, _)) => (a, b, c, d),
                _ => break,
            };
            let ty = st.instantiate_rev(dom_t, &xs);
            if dom_t != dom_s && {
                let ty_s = st.instantiate_rev(dom_s, &xs);
                !self.defeq(ty, ty_s)?
            } {
                self.close(xs.len());
                return Ok(false);
            }
            xs.push(self.open(ty)?);
            (t, s) = (body_t, body_s);
        }
        let r = self.defeq(st.instantiate_rev(t, &xs), st.instantiate_rev(s, &xs))?;
        self.close(xs.len());
        Ok(r)
    }

    fn defeq_core(&mut self, t: Expr, s: Expr) -> Res<bool> {
        let st = self.st;
        if let Some(r) = self.structural(t, s)? {
            return Ok(r);
        }
        // A closed decision procedure against `true`: run it.
        let bool_true = st.constant(self.env.known().bool_true, &[]);
        for (a, b) in [(t, s), (s, t)] {
            if b == bool_true && !st.has_fvar(a) && self.reduce_full(a)? == bool_true {
                return Ok(true);
            }
        }
        let (t1, s1) = (self.reduce(t, Mode::Cheap)?, self.reduce(s, Mode::Cheap)?);
        if (t1 != t || s1 != s)
            && let Some(r) = self.structural(t1, s1)?
        {
            return Ok(r);
        }
        if let Some(r) = self.proof_irrelevance(t1, s1)? {
            return Ok(r);
        }
        let (t, s) = match self.lazy_delta(t1, s1)? {
            Ok(r) => return Ok(r),
            Err(stuck) => stuck,
        };
        if self.congruent_head(t, s)? {
            return Ok(true);
        }
        let (t1, s1) = (self.reduce(t, Mode::Core)?, self.reduce(s, Mode::Core)?);
        if t1 != t || s1 != s {
            return self.defeq(t1, s1);
        }
        if self.congruent_app(t, s)? || self.eta_fun(t, s)? || self.eta_fun(s, t)? {
            return Ok(true);
        }
        if self.eta_struct(t, s)? || self.eta_struct(s, t)? {
            return Ok(true);
        }
        if let Some(r) = self.string_defeq(t, s)? {
            return Ok(r);
        }
        self.unit_like(t, s)
    }

    /// Proof irrelevance: two proofs of one proposition are equal (Carneiro 2019, §2.2).
    fn proof_irrelevance(&mut self, t: Expr, s: Expr) -> Res<Option<bool>> {
        let ty = self.type_of(t)?;
        if !self.is_proposition(ty)? {
            return Ok(None);
        }
        let ty_s = self.type_of(s)?;
        self.defeq(ty, ty_s).map(Some)
    }

    /// Unfolds definitions on both sides, little by little, until the question is decided (`Ok`) or nothing unfolds.
    fn lazy_delta(&mut self, mut t: Expr, mut s: Expr) -> Res<Result<bool, (Expr, Expr)>> {
        let st = self.st;
        loop {
            self.tick(1)?;
            if let Some((t, s)) = self.strip_succ(t, s) {
                return self.defeq(t, s).map(Ok);
            }
            if !st.has_fvar(t) && !st.has_fvar(s) {
                if let Some(t) = self.reduce_nat_term(t)? {
                    return self.defeq(t, s).map(Ok);
                }
                if let Some(s) = self.reduce_nat_term(s)? {
                    return self.defeq(t, s).map(Ok);
                }
            }
            match self.lazy_step(t, s)? {
                Step::Done(r) => return Ok(Ok(r)),
                Step::Stuck => return Ok(Err((t, s))),
                Step::Next(t1, s1) => (t, s) = (t1, s1),
            }
            if let Some(r) = self.structural(t, s)? {
                return Ok(Ok(r));
            }
        }
    }

    /// The same constant, variable or projection at both heads without arguments.
    fn congruent_head(&mut self, t: Expr, s: Expr) -> Res<bool> {
        match (self.st.node(t), self.st.node(s)) {
            (Node::Const(n, ls), Node::Const(m, ms)) => Ok(n == m && self.levels_eq(ls, ms)?),
            (Node::FVar(a), Node::FVar(b)) => Ok(a == b),
            (Node::Proj(a, i, x), Node::Proj(b, j, y)) if a == b && i == j => {
                self.lazy_proj(i, x, y)
            }
            _ => Ok(false),
        }
    }

    /// `x.i` against `y.i`: unfolds `x` and `y` side by side; as soon as both are stuck or constructors, compares the fields
    /// if they show, and else `x` with `y`.
    fn lazy_proj(&mut self, i: u32, mut x: Expr, mut y: Expr) -> Res<bool> {
        loop {
            if let Some(true) = self.quick(x, y)? {
                return Ok(true);
            }
            match self.lazy_step(x, y)? {
                Step::Done(true) => return Ok(true),
                Step::Next(x1, y1) => (x, y) = (x1, y1),
                Step::Done(false) | Step::Stuck => break,
            }
        }
        let fields = (self.ctor_field(i, x), self.ctor_field(i, y));
        match fields {
            (Some(a), Some(b)) => self.defeq(a, b),
            _ => self.defeq(x, y),
        }
    }

    /// Congruence for application.
    fn congruent_app(&mut self, t: Expr, s: Expr) -> Res<bool> {
        let st = self.st;
        if !matches!((st.node(t), st.node(s)), (Node::App(..), Node::App(..))) {
            return Ok(false);
        }
        let (f, xs) = st.unfold_app(t);
        let (g, ys) = st.unfold_app(s);
        Ok(xs.len() == ys.len() && self.defeq(f, g)? && self.defeq_all(&xs, &ys)?)
    }
}
