//! Telescopes over a kernel checker: open binders as free variables, and close them again.

use logic::{BinderInfo, Checker, Environment, Expr, Level, Name, Node, Store};

/// An opened binder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    /// The free variable that stands for it.
    pub fvar: Expr,
    /// Its name.
    pub name: Name,
    /// Its type; earlier locals may occur in it.
    pub ty: Expr,
    /// How it is supplied when it is closed again.
    pub info: BinderInfo,
}

impl Local {
    /// The same variable, supplied implicitly.
    pub fn implicit(self) -> Local {
        Local {
            info: BinderInfo::Implicit,
            ..self
        }
    }

    /// The same variable, supplied explicitly.
    pub fn explicit(self) -> Local {
        Local {
            info: BinderInfo::Default,
            ..self
        }
    }
}

/// The free variables of some locals, in order.
pub(crate) fn fvars(locals: &[Local]) -> Vec<Expr> {
    locals.iter().map(|l| l.fvar).collect()
}

/// A checker and the variables opened in it.
pub(crate) struct Scope<'e, 'b> {
    /// The store of all terms.
    pub st: &'b Store<'b>,
    /// The checker that knows the opened variables.
    pub checker: Checker<'e, 'b>,
}

impl<'e, 'b> Scope<'e, 'b> {
    /// An empty scope in which the given universe parameters may occur.
    pub fn new(env: &'e Environment<'b>, univ_params: &[Name]) -> Self {
        Scope {
            st: env.store(),
            checker: Checker::new(env, univ_params),
        }
    }

    /// A new variable.
    pub fn local(&mut self, name: Name, ty: Expr, info: BinderInfo) -> Local {
        Local {
            fvar: self.checker.fresh_fvar(ty, None),
            name,
            ty,
            info,
        }
    }

    /// Opens the first `n` binders of a Π-type, which is unfolded where it has to be. `None` if there are fewer.
    pub fn open_pis(&mut self, mut ty: Expr, n: usize) -> Option<(Vec<Local>, Expr)> {
        let mut locals = Vec::with_capacity(n);
        while locals.len() < n {
            if !matches!(self.st.node(ty), Node::Pi(..)) {
                ty = self.checker.whnf(ty).ok()?;
            }
            let Node::Pi(name, dom, body, info) = self.st.node(ty) else {
                return None;
            };
            let l = self.local(name, dom, info);
            ty = self.st.instantiate1(body, l.fvar);
            locals.push(l);
        }
        Some((locals, ty))
    }

    /// Opens all binders that a Π-type shows without being unfolded.
    pub fn open_all(&mut self, mut ty: Expr) -> (Vec<Local>, Expr) {
        let mut locals = Vec::new();
        while let Node::Pi(name, dom, body, info) = self.st.node(ty) {
            let l = self.local(name, dom, info);
            ty = self.st.instantiate1(body, l.fvar);
            locals.push(l);
        }
        (locals, ty)
    }

    /// `ty` with its first binders replaced by the given terms.
    pub fn instantiate_pis(&mut self, mut ty: Expr, args: &[Expr]) -> Option<Expr> {
        for a in args {
            if !matches!(self.st.node(ty), Node::Pi(..)) {
                ty = self.checker.whnf(ty).ok()?;
            }
            let Node::Pi(_, _, body, _) = self.st.node(ty) else {
                return None;
            };
            ty = self.st.instantiate1(body, *a);
        }
        Some(ty)
    }

    /// `(x₀ : A₀) → … → body`.
    pub fn pis(&self, locals: &[Local], body: Expr) -> Expr {
        self.close(locals, body, |n, t, b, i| self.st.pi(n, t, b, i))
    }

    /// `fun (x₀ : A₀) … => body`.
    pub fn lams(&self, locals: &[Local], body: Expr) -> Expr {
        self.close(locals, body, |n, t, b, i| self.st.lam(n, t, b, i))
    }

    fn close(
        &self,
        locals: &[Local],
        body: Expr,
        mk: impl Fn(Name, Expr, Expr, BinderInfo) -> Expr,
    ) -> Expr {
        let vars = fvars(locals);
        let body = self.st.abstract_fvars(body, &vars);
        locals.iter().enumerate().rev().fold(body, |b, (i, l)| {
            mk(l.name, self.st.abstract_fvars(l.ty, &vars[..i]), b, l.info)
        })
    }

    /// The universe of a type: `u` where `ty : Sort u`.
    pub fn sort_of(&mut self, ty: Expr) -> Option<Level> {
        let s = self.checker.infer(ty).ok()?;
        let s = self.checker.whnf(s).ok()?;
        match self.st.node(s) {
            Node::Sort(l) => Some(l),
            _ => None,
        }
    }

    /// Whether a level is `0`, whatever its parameters are.
    pub fn is_zero(&mut self, l: Level) -> bool {
        let s = self.st.sort(l);
        self.checker.is_defeq(s, self.st.prop()).unwrap_or(false)
    }

    /// Whether `ty` is a proposition.
    pub fn is_prop(&mut self, ty: Expr) -> bool {
        self.sort_of(ty).is_some_and(|l| self.is_zero(l))
    }
}

/// Whether a free variable occurs in a term.
pub(crate) fn occurs(st: &Store<'_>, fvar: Expr, e: Expr) -> bool {
    st.has_fvar(e) && st.abstract_fvars(e, &[fvar]) != e
}
