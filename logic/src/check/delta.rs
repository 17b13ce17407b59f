//! δ: unfolding of definitions and theorems, and the lazy order in which comparison unfolds two sides.

use super::whnf::Mode;
use super::{Checker, Res};
use crate::env::{ConstantInfo, Hint};
use crate::expr::{Expr, Node};
use crate::level::Level;

/// What one step of lazy unfolding found.
pub(super) enum Step {
    /// Decided.
    Done(bool),
    /// Something was unfolded; compare these.
    Next(Expr, Expr),
    /// Neither side unfolds.
    Stuck,
}

/// Which side to unfold.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
    Both,
}

/// A definition is unfolded before what it is defined from: the higher first, abbreviations before all, theorems last.
fn side(a: Hint, b: Hint) -> Side {
    match (a, b) {
        (Hint::Regular(i), Hint::Regular(j)) if i == j => Side::Both,
        (Hint::Regular(i), Hint::Regular(j)) if i > j => Side::Left,
        (Hint::Regular(_), Hint::Regular(_)) => Side::Right,
        (Hint::Opaque, Hint::Opaque) | (Hint::Abbrev, Hint::Abbrev) => Side::Both,
        (Hint::Opaque, _) | (_, Hint::Abbrev) => Side::Right,
        (_, Hint::Opaque) | (Hint::Abbrev, _) => Side::Left,
    }
}

impl<'e, 'b> Checker<'e, 'b> {
    /// The value of a definition or theorem with the universe arguments of `head`, a constant.
    pub(super) fn unfold_const(
        &mut self,
        head: Expr,
        info: &ConstantInfo,
        levels: &[Level],
    ) -> Option<Expr> {
        let value = info.value()?;
        if let Some(v) = self.unfolded.get(&head) {
            return Some(*v);
        }
        let params = info.univ_params();
        if params.len() != levels.len() {
            return None;
        }
        let value = self.import(value);
        let v = self.st.instantiate_level_params(value, params, levels);
        self.unfolded.insert(head, v);
        Some(v)
    }

    /// The definition or theorem at the head of `e`.
    fn delta(&self, e: Expr) -> Option<&'e ConstantInfo> {
        let Node::Const(n, _) = self.st.node(self.st.app_fn(e)) else {
            return None;
        };
        self.env.get(n).filter(|i| i.value().is_some())
    }

    /// Unfolds the head once and reduces cheaply.
    fn unfold_step(&mut self, e: Expr, info: &ConstantInfo) -> Res<Option<Expr>> {
        let st = self.st;
        let (head, args) = st.unfold_app(e);
        let Node::Const(_, ls) = st.node(head) else {
            return Ok(None);
        };
        let Some(v) = self.unfold_const(head, info, ls) else {
            return Ok(None);
        };
        let r = self.beta(v, &args);
        self.reduce(r, Mode::Cheap).map(Some)
    }

    /// `f a₁ … aₙ` with the leading λs of `f` contracted.
    pub(super) fn beta(&self, f: Expr, args: &[Expr]) -> Expr {
        let st = self.st;
        let (mut body, mut n) = (f, 0);
        while n < args.len()
            && let Node::Lam(_, _, b, _) = st.node(body)
        {
            body = b;
            n += 1;
        }
        st.apps(st.instantiate_rev(body, &args[..n]), &args[n..])
    }

    /// A projection at the head that gets further with unfolding below it.
    fn unfold_proj(&mut self, e: Expr) -> Res<Option<Expr>> {
        if !matches!(self.st.node(self.st.app_fn(e)), Node::Proj(..)) {
            return Ok(None);
        }
        let r = self.reduce(e, Mode::Core)?;
        Ok((r != e).then_some(r))
    }

    /// One step of lazy unfolding of the two sides of a comparison. With the same constant on both sides the arguments
    /// are compared before anything is unfolded.
    pub(super) fn lazy_step(&mut self, t: Expr, s: Expr) -> Res<Step> {
        let st = self.st;
        let (side, dt, ds) = match (self.delta(t), self.delta(s)) {
            (None, None) => return Ok(Step::Stuck),
            (Some(d), None) => match self.unfold_proj(s)? {
                Some(s) => return Ok(Step::Next(t, s)),
                None => (Side::Left, d, d),
            },
            (None, Some(d)) => match self.unfold_proj(t)? {
                Some(t) => return Ok(Step::Next(t, s)),
                None => (Side::Right, d, d),
            },
            (Some(dt), Some(ds)) => (side(dt.hint(), ds.hint()), dt, ds),
        };
        if matches!(side, Side::Both)
            && dt.name() == ds.name()
            && matches!(st.node(t), Node::App(..))
            && matches!(st.node(s), Node::App(..))
            && matches!(dt.hint(), Hint::Regular(_))
        {
            let key = (st.canon(t), st.canon(s));
            if !self.args_differ.contains(&key) {
                if self.same_head_and_args(t, s)? {
                    return Ok(Step::Done(true));
                }
                self.args_differ.insert(key);
            }
        }
        let left = matches!(side, Side::Left | Side::Both);
        let right = matches!(side, Side::Right | Side::Both);
        let t1 = match left {
            true => self.unfold_step(t, dt)?,
            false => None,
        };
        let s1 = match right {
            true => self.unfold_step(s, ds)?,
            false => None,
        };
        Ok(match (t1, s1) {
            (None, None) => Step::Stuck,
            (t1, s1) => Step::Next(t1.unwrap_or(t), s1.unwrap_or(s)),
        })
    }

    /// The same constant with equal universes, applied to equal arguments.
    fn same_head_and_args(&mut self, t: Expr, s: Expr) -> Res<bool> {
        let st = self.st;
        let (f, xs) = st.unfold_app(t);
        let (g, ys) = st.unfold_app(s);
        let (Node::Const(n, ls), Node::Const(m, ms)) = (st.node(f), st.node(g)) else {
            return Ok(false);
        };
        Ok(
            n == m
                && xs.len() == ys.len()
                && self.levels_eq(ls, ms)?
                && self.defeq_all(&xs, &ys)?,
        )
    }
}
