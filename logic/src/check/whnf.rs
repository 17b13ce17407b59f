//! Weak head normal forms: β, ζ, δ, projections, recursors (ι), quotients and `Nat` arithmetic at the head of a term.
//!
//! The head is held apart from its arguments (a stack, innermost application on top), so that a chain of reductions
//! builds no intermediate applications. Carneiro 2019, §2.3 (definitional reduction) and §2.6.4 (ι).

use super::{Checker, Res};
use crate::env::ConstantInfo;
use crate::expr::{Expr, Node};

/// How far to reduce.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// No unfolding at the head nor below a projection at the head.
    Cheap,
    /// No unfolding at the head.
    Core,
    /// Everything.
    Full,
}

impl<'e, 'b> Checker<'e, 'b> {
    /// The weak head normal form.
    pub(crate) fn reduce_full(&mut self, e: Expr) -> Res<Expr> {
        self.reduce(e, Mode::Full)
    }

    /// Reduces the head of `e` as far as `mode` says.
    pub(super) fn reduce(&mut self, e: Expr, mode: Mode) -> Res<Expr> {
        match self.st.node(e) {
            Node::BVar(_)
            | Node::MVar(_)
            | Node::Sort(_)
            | Node::Lam(..)
            | Node::Pi(..)
            | Node::Nat(_)
            | Node::Str(_) => return Ok(e),
            Node::FVar(id) if self.local_value(id).is_none() => return Ok(e),
            Node::Const(..) if mode != Mode::Full => return Ok(e),
            _ => {}
        }
        if let Some(r) = self.whnf_cache[mode as usize].get(&e) {
            return Ok(*r);
        }
        let r = self.enter(|c| c.reduce_head(e, mode))?;
        self.whnf_cache[mode as usize].insert(e, r);
        Ok(r)
    }

    fn reduce_head(&mut self, e: Expr, mode: Mode) -> Res<Expr> {
        let st = self.st;
        let mut head = e;
        // The argument applied first is last.
        let mut args: Vec<Expr> = Vec::new();
        let mut changed = false;
        loop {
            let next = match st.node(head) {
                Node::App(f, a) => {
                    args.push(a);
                    head = f;
                    continue;
                }
                // β
                Node::Lam(..) if !args.is_empty() => {
                    let (mut body, mut n) = (head, 0);
                    while n < args.len()
                        && let Node::Lam(_, _, b, _) = st.node(body)
                    {
                        body = b;
                        n += 1;
                    }
                    let rest = args.len() - n;
                    let r = st.instantiate(body, &args[rest..]);
                    args.truncate(rest);
                    Some(r)
                }
                // ζ
                Node::Let(..) => {
                    let (mut body, mut values) = (head, Vec::new());
                    while let Node::Let(_, _, v, b) = st.node(body) {
                        values.push(st.instantiate_rev(v, &values));
                        self.bound_terms()?;
                        body = b;
                    }
                    Some(st.instantiate_rev(body, &values))
                }
                Node::FVar(id) => self.local_value(id),
                Node::Proj(_, i, x) => self.reduce_proj(i, x, mode)?,
                Node::Const(n, ls) => match self.env.get(n) {
                    Some(ConstantInfo::Recursor(r)) => self.reduce_rec(r, head, &mut args)?,
                    Some(ConstantInfo::Quot { kind, .. }) => self.reduce_quot(*kind, &mut args)?,
                    Some(info) if mode == Mode::Full => match self.reduce_nat(n, &mut args)? {
                        Some(r) => Some(r),
                        None => self.unfold_const(head, info, ls),
                    },
                    _ => None,
                },
                _ => None,
            };
            match next {
                Some(r) => {
                    self.tick(1)?;
                    self.bound_depth(r)?;
                    head = r;
                    changed = true;
                }
                None if !changed => return Ok(e),
                None => return Ok(args.iter().rev().fold(head, |f, a| st.app(f, *a))),
            }
        }
    }
}
