//! Local contexts: free variables are global and immutable, a context is an ordered list of them.

use std::rc::Rc;

use logic::{BinderInfo, Expr, Name};

use super::Elab;

/// A free variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FVarId(pub u32);

/// What is known of a free variable.
#[derive(Clone, Copy, Debug)]
pub struct LocalDecl {
    /// Its id.
    pub id: FVarId,
    /// The name that scripts use.
    pub user_name: Name,
    /// Its type (may contain metavariables).
    pub ty: Expr,
    /// Its value, for `let`.
    pub value: Option<Expr>,
    /// How it was bound.
    pub bi: BinderInfo,
    /// Hidden from name resolution and from printed goals (the function itself inside its own recursion).
    pub aux: bool,
}

/// An ordered list of free variables, sorted by id (ids grow, so this is an order of dependency).
#[derive(Clone, Default, Debug)]
pub struct LCtx(Rc<Vec<FVarId>>);

impl LCtx {
    /// The variables from the outermost to the innermost.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = FVarId> + '_ {
        self.0.iter().copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a variable belongs to the context.
    pub fn contains(&self, id: FVarId) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    /// Adds a variable.
    pub fn push(&mut self, id: FVarId) {
        let v = Rc::make_mut(&mut self.0);
        match v.last() {
            Some(last) if *last >= id => {
                if let Err(i) = v.binary_search(&id) {
                    v.insert(i, id);
                }
            }
            _ => v.push(id),
        }
    }

    /// The context without some variables.
    pub fn without(&self, ids: &[FVarId]) -> LCtx {
        LCtx(Rc::new(
            self.0
                .iter()
                .copied()
                .filter(|i| !ids.contains(i))
                .collect(),
        ))
    }

    /// Those variables that satisfy `f`.
    pub fn filter(&self, mut f: impl FnMut(FVarId) -> bool) -> LCtx {
        LCtx(Rc::new(self.0.iter().copied().filter(|i| f(*i)).collect()))
    }

    /// Whether every variable of `self` is in `other`.
    pub fn subset_of(&self, other: &LCtx) -> bool {
        if Rc::ptr_eq(&self.0, &other.0) {
            return true;
        }
        if self.0.len() > other.0.len() {
            return false;
        }
        other.0[..self.0.len()] == self.0[..] || self.0.iter().all(|i| other.contains(*i))
    }
}

impl<'b> Elab<'b> {
    /// A new free variable; it is not put into the current context.
    pub fn new_local(
        &mut self,
        user_name: Name,
        ty: Expr,
        value: Option<Expr>,
        bi: BinderInfo,
    ) -> FVarId {
        let id = FVarId(self.locals.len() as u32);
        self.locals.push(LocalDecl {
            id,
            user_name,
            ty,
            value,
            bi,
            aux: false,
        });
        id
    }

    /// A new free variable, put into the current context; as a term.
    pub fn push_local(&mut self, user_name: Name, ty: Expr, bi: BinderInfo) -> Expr {
        let id = self.new_local(user_name, ty, None, bi);
        self.lctx.push(id);
        self.st.fvar(id.0)
    }

    /// A new `let` variable, put into the current context; as a term.
    pub fn push_let(&mut self, user_name: Name, ty: Expr, value: Expr) -> Expr {
        let id = self.new_local(user_name, ty, Some(value), BinderInfo::Default);
        self.lctx.push(id);
        self.st.fvar(id.0)
    }

    /// What is known of a free variable.
    pub fn local(&self, id: FVarId) -> LocalDecl {
        self.locals[id.0 as usize]
    }

    /// The free variable as a term.
    pub fn mk_fvar(&self, id: FVarId) -> Expr {
        self.st.fvar(id.0)
    }

    /// The innermost variable of a context with a user name.
    pub fn find_local(&self, lctx: &LCtx, name: Name) -> Option<FVarId> {
        lctx.iter().rev().find(|i| {
            let l = &self.locals[i.0 as usize];
            l.user_name == name && !l.aux
        })
    }

    /// Runs `f` and puts the current context back.
    pub fn with_lctx_saved<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let saved = self.lctx.clone();
        let r = f(self);
        self.lctx = saved;
        r
    }

    /// Runs `f` in another context.
    pub fn with_lctx<R>(&mut self, lctx: LCtx, f: impl FnOnce(&mut Self) -> R) -> R {
        let saved = std::mem::replace(&mut self.lctx, lctx);
        let r = f(self);
        self.lctx = saved;
        r
    }

    /// The free variables of a term, in order of id.
    pub fn collect_fvars(&self, e: Expr) -> Vec<FVarId> {
        let st = self.st;
        let mut out = std::collections::BTreeSet::new();
        st.replace(e, |x, _| {
            if !st.has_fvar(x) {
                return Some(x);
            }
            if let logic::Node::FVar(i) = st.node(x) {
                out.insert(FVarId(i));
            }
            None
        });
        out.into_iter().collect()
    }

    /// Whether one of the variables occurs in a term.
    pub fn occurs_fvar(&self, e: Expr, ids: &[FVarId]) -> bool {
        let st = self.st;
        if ids.is_empty() || !st.has_fvar(e) {
            return false;
        }
        let mut found = false;
        st.replace(e, |x, _| {
            if found || !st.has_fvar(x) {
                return Some(x);
            }
            if let logic::Node::FVar(i) = st.node(x) {
                found |= ids.contains(&FVarId(i));
                return Some(x);
            }
            None
        });
        found
    }
}
