//! Inference: the type of a term, and, when asked, the check that it has one.
//!
//! The typing rules of Carneiro 2019, §2.2–2.4 and §2.6 (Π, λ, let, application, constants). Inferring without checking is
//! the same computation less the comparisons, so both share one cache of types; which terms were checked is kept apart.

use super::{Checker, Res, level};
use crate::env::KernelError;
use crate::expr::{BinderInfo, Expr, Node};
use crate::level::Level;
use crate::name::Name;

impl<'e, 'b> Checker<'e, 'b> {
    /// The type of a term that is known to be well typed.
    pub(crate) fn type_of(&mut self, e: Expr) -> Res<Expr> {
        self.infer_core(e, false)
    }

    /// Checks a term and returns its type.
    pub(crate) fn check_type_of(&mut self, e: Expr) -> Res<Expr> {
        self.infer_core(e, true)
    }

    /// Whether `ty`, a type, is a proposition: its universe is `0`.
    pub(crate) fn is_proposition(&mut self, ty: Expr) -> Res<bool> {
        let s = self.type_of(ty)?;
        let s = self.reduce_full(s)?;
        match self.st.node(s) {
            Node::Sort(l) => self.level_is_zero(l),
            _ => Ok(false),
        }
    }

    fn infer_core(&mut self, e: Expr, check: bool) -> Res<Expr> {
        let st = self.st;
        match st.node(e) {
            Node::BVar(_) => return Err(KernelError::LooseBVar(e)),
            Node::MVar(_) => return Err(KernelError::MetaVariable(e)),
            Node::FVar(id) => return self.local_type(e, id),
            // `Sort u : Sort (u+1)`
            Node::Sort(l) => return Ok(st.sort(st.level_succ(l))),
            Node::Nat(_) => return self.nat_literal_type(),
            Node::Str(_) => return self.string_literal_type(),
            Node::Const(n, ls) => return self.infer_const(e, n, ls),
            _ => {}
        }
        if let Some(t) = self.types.get(&e)
            && (!check || self.checked.contains(&e))
        {
            return Ok(*t);
        }
        self.bound_depth(e)?;
        let t = self.enter(|c| match st.node(e) {
            Node::App(..) => c.infer_app(e, check),
            Node::Lam(..) => c.infer_lam(e, check),
            Node::Pi(..) => c.infer_pi(e, check),
            Node::Let(..) => c.infer_let(e, check),
            Node::Proj(s, i, x) => c.infer_proj(s, i, x, check),
            _ => Err(KernelError::LooseBVar(e)),
        })?;
        self.types.insert(e, t);
        if check {
            self.checked.insert(e);
        }
        Ok(t)
    }

    /// A constant: its type with the universe arguments in place of the parameters.
    fn infer_const(&mut self, e: Expr, n: Name, ls: &[Level]) -> Res<Expr> {
        if let Some(t) = self.const_types.get(&e) {
            return Ok(*t);
        }
        let info = self.constant(n)?;
        let params = info.univ_params();
        if params.len() != ls.len() {
            return Err(KernelError::UnivArgCount {
                name: n,
                expected: params.len(),
                found: ls.len(),
            });
        }
        let ty = self.import(info.ty());
        let t = self.st.instantiate_level_params(ty, params, ls);
        self.const_types.insert(e, t);
        Ok(t)
    }

    /// `f a₁ … aₙ`: each argument has the type that the Π type of the function before it asks for.
    fn infer_app(&mut self, e: Expr, check: bool) -> Res<Expr> {
        let st = self.st;
        let (f, args) = st.unfold_app(e);
        let mut ty = self.infer_core(f, check)?;
        let mut from = 0; // `ty` is yet to be instantiated with args[from..i]
        for i in 0..args.len() {
            if !matches!(st.node(ty), Node::Pi(..)) {
                let inst = st.instantiate_rev(ty, &args[from..i]);
                from = i;
                ty = self.reduce_full(inst)?;
            }
            let Node::Pi(_, dom, body, _) = st.node(ty) else {
                return Err(KernelError::FunctionExpected {
                    term: st.apps(f, &args[..i]),
                    ty,
                });
            };
            if check {
                let found = self.infer_core(args[i], true)?;
                let expected = st.instantiate_rev(dom, &args[from..i]);
                self.bound_terms()?;
                if !self.defeq(found, expected)? {
                    return Err(KernelError::ArgumentMismatch {
                        fun: st.apps(f, &args[..i]),
                        arg: args[i],
                        expected,
                        found,
                    });
                }
            }
            ty = body;
        }
        Ok(st.instantiate_rev(ty, &args[from..]))
    }

    /// `fun x : A => b` has type `(x : A) → B` if `A` is a type and `b : B` for a variable `x : A`.
    fn infer_lam(&mut self, e: Expr, check: bool) -> Res<Expr> {
        let st = self.st;
        let mut binders: Vec<(Name, Expr, BinderInfo)> = Vec::new();
        let mut xs = Vec::new();
        let mut cur = e;
        while let Node::Lam(n, dom, body, bi) = st.node(cur) {
            let ty = st.instantiate_rev(dom, &xs);
            if check {
                self.universe_of(ty, true)?;
            }
            xs.push(self.open(ty)?);
            binders.push((n, dom, bi));
            cur = body;
        }
        let body_ty = self.infer_core(st.instantiate_rev(cur, &xs), check)?;
        self.close(xs.len());
        let body_ty = st.abstract_fvars(body_ty, &xs);
        Ok(binders
            .iter()
            .rev()
            .fold(body_ty, |b, (n, dom, bi)| st.pi(*n, *dom, b, *bi)))
    }

    /// `(x : A) → B : Sort (imax u v)` if `A : Sort u` and `B : Sort v`.
    fn infer_pi(&mut self, e: Expr, check: bool) -> Res<Expr> {
        let st = self.st;
        let (mut xs, mut us) = (Vec::new(), Vec::new());
        let mut cur = e;
        while let Node::Pi(_, dom, body, _) = st.node(cur) {
            let ty = st.instantiate_rev(dom, &xs);
            us.push(self.universe_of(ty, check)?);
            xs.push(self.open(ty)?);
            cur = body;
        }
        let v = self.universe_of(st.instantiate_rev(cur, &xs), check)?;
        self.close(xs.len());
        Ok(st.sort(us.iter().rev().fold(v, |v, u| level::imax(st, *u, v))))
    }

    /// `let x : A := v; b` has the type of `b[v/x]`, if `v : A`.
    fn infer_let(&mut self, e: Expr, check: bool) -> Res<Expr> {
        let st = self.st;
        let mut values = Vec::new();
        let mut cur = e;
        while let Node::Let(_, ty, value, body) = st.node(cur) {
            let value = st.instantiate_rev(value, &values);
            if check {
                let expected = st.instantiate_rev(ty, &values);
                self.universe_of(expected, true)?;
                let found = self.infer_core(value, true)?;
                if !self.defeq(found, expected)? {
                    return Err(KernelError::LetMismatch {
                        value,
                        expected,
                        found,
                    });
                }
            }
            self.bound_terms()?;
            values.push(value);
            cur = body;
        }
        self.infer_core(st.instantiate_rev(cur, &values), check)
    }
}
