//! Walking along the binders of a Π type without substituting into what is still ahead.

use super::{Checker, Res};
use crate::expr::{BinderInfo, Expr, Node};
use crate::name::Name;
use crate::store::Store;

/// A Π type whose first binders have been given values: `rest` under the binders of `values`.
pub(crate) struct Telescope<'b> {
    st: &'b Store<'b>,
    rest: Expr,
    values: Vec<Expr>,
}

impl<'b> Telescope<'b> {
    pub(crate) fn new(st: &'b Store<'b>, ty: Expr) -> Self {
        Telescope {
            st,
            rest: ty,
            values: Vec::new(),
        }
    }

    /// The next binder, if one is written there.
    pub(crate) fn binder(&self) -> Option<(Name, Expr, BinderInfo)> {
        match self.st.node(self.rest) {
            Node::Pi(n, dom, _, bi) => Some((n, self.st.instantiate_rev(dom, &self.values), bi)),
            _ => None,
        }
    }

    /// The next binder, found by reduction if none is written there.
    pub(crate) fn reduced_binder(
        &mut self,
        c: &mut Checker<'_, 'b>,
    ) -> Res<Option<(Name, Expr, BinderInfo)>> {
        if !matches!(self.st.node(self.rest), Node::Pi(..)) {
            self.rest = c.reduce_full(self.ty())?;
            self.values.clear();
        }
        Ok(self.binder())
    }

    /// Whether what follows the next binder depends on its variable.
    pub(crate) fn is_dependent(&self) -> bool {
        match self.st.node(self.rest) {
            Node::Pi(_, _, body, _) => self.st.has_loose_bvar(body, 0),
            _ => false,
        }
    }

    /// Whether `p` holds of what is left, as written, or of one of the values in it.
    pub(crate) fn mentions(&self, p: impl Fn(Expr) -> bool) -> bool {
        p(self.rest) || self.values.iter().any(|v| p(*v))
    }

    /// Gives the next binder a value.
    pub(crate) fn apply(&mut self, value: Expr) {
        if let Node::Pi(_, _, body, _) = self.st.node(self.rest) {
            self.rest = body;
            self.values.push(value);
        }
    }

    /// The type that is left.
    pub(crate) fn ty(&self) -> Expr {
        self.st.instantiate_rev(self.rest, &self.values)
    }
}
