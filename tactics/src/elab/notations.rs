//! Notations mean what they meant where they were declared: their names are looked up there, and a use where one of them
//! means something else is refused, since it would be read wrongly.

use std::sync::Arc;

use logic::Name;

use crate::elab::scope::Resolved;
use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{Ident, NotationDecl, NotationItem, Span, Term, TermKind};

impl<'b> Elab<'b> {
    /// Looks up the names of a new notation.
    pub(super) fn notation_command(&mut self, d: &Arc<NotationDecl>) -> Result<()> {
        let mut ids = Vec::new();
        names(&d.rhs, &mut ids);
        let places: Vec<&str> = d
            .items
            .iter()
            .filter_map(|i| match i {
                NotationItem::Place { name, .. } => Some(&**name),
                NotationItem::Word(_) => None,
            })
            .collect();
        let mut found: Vec<(Ident, Name)> = Vec::new();
        for id in ids {
            if places.contains(&&*id.name) {
                continue;
            }
            match self.head_constant(&id) {
                Some(c) => found.push((id, c)),
                None => return Err(self.unknown_name(&id)),
            }
        }
        self.scope.notations.push((d.clone(), found));
        Ok(())
    }

    /// The constant at the head of a name that may go on with fields, if no local variable is meant.
    fn head_constant(&self, id: &Ident) -> Option<Name> {
        match self.resolve(id)? {
            Resolved::Local(..) => None,
            Resolved::Consts(cs) => cs.first().map(|(c, _)| *c),
        }
    }

    /// An error where a name of a notation has another meaning than at its declaration.
    pub(super) fn check_notation(&self, d: &Arc<NotationDecl>, span: Span) -> Result<()> {
        let known = self.scope.notations.iter().find(|(k, _)| Arc::ptr_eq(k, d));
        let Some((_, names)) = known else {
            return Ok(());
        };
        for (id, c) in names {
            if self.head_constant(id) != Some(*c) {
                let word = d.items.iter().find_map(|i| match i {
                    NotationItem::Word(w) => Some(&**w),
                    NotationItem::Place { .. } => None,
                });
                return Err(ElabError::new(
                    span,
                    format!(
                        "the notation `{}` speaks of `{}`, but here `{}` means something else",
                        word.unwrap_or_default(),
                        self.st.name_to_string(*c),
                        id.name
                    ),
                )
                .code("elab.notation")
                .help("rename what hides it, or write the name in full in the notation"));
            }
        }
        Ok(())
    }
}

/// The names in a term without binders, but those in notations that it uses.
fn names(t: &Term, out: &mut Vec<Ident>) {
    match &t.kind {
        TermKind::Ident { id, .. } => out.push(id.clone()),
        TermKind::App { fun, args } => {
            names(fun, out);
            args.iter().for_each(|a| names(&a.value, out));
        }
        TermKind::Proj { e, .. } | TermKind::Field { e, .. } | TermKind::Unop { e, .. } => {
            names(e, out);
        }
        TermKind::Arrow(a, b) | TermKind::Ascribe(a, b) => {
            names(a, out);
            names(b, out);
        }
        TermKind::Binop { lhs, rhs, .. } => {
            names(lhs, out);
            names(rhs, out);
        }
        TermKind::AnonCtor(ts) | TermKind::Tuple(ts) | TermKind::List(ts) => {
            ts.iter().for_each(|t| names(t, out));
        }
        TermKind::UserOp { expansion, .. } => names(expansion, out),
        _ => {}
    }
}
