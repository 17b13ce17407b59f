//! Strict positivity: where the types of a declaration may occur in the fields of its constructors.

use super::{Family, terms};
use crate::check::{Checker, Res, Telescope};
use crate::env::{InductiveType, KernelError};
use crate::expr::{Expr, Node};
use crate::name::Name;
use crate::store::Store;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Where constants of some names occur. Every term is looked at once.
pub(super) struct Mentions {
    names: FxHashSet<Name>,
    known: RefCell<FxHashMap<Expr, bool>>,
}

impl Mentions {
    /// Of these types, outside of the terms `allowed`.
    pub fn new(types: &[InductiveType], allowed: &[Expr]) -> Self {
        Mentions {
            names: types.iter().map(|t| t.name).collect(),
            known: RefCell::new(allowed.iter().map(|e| (*e, false)).collect()),
        }
    }

    /// Whether one of them occurs in `e`.
    pub fn occur(&self, st: &Store<'_>, e: Expr) -> bool {
        let mut known = self.known.borrow_mut();
        let mut todo = vec![e];
        while let Some(top) = todo.last().copied() {
            let parts = match st.node(top) {
                Node::App(f, a) => vec![f, a],
                Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => vec![t, b],
                Node::Let(_, t, v, b) => vec![t, v, b],
                Node::Proj(_, _, x) => vec![x],
                _ => vec![],
            };
            let open = parts.iter().find(|p| !known.contains_key(p));
            if let (Some(p), false) = (open, known.contains_key(&top)) {
                todo.push(*p);
                continue;
            }
            let own = matches!(st.node(top), Node::Const(n, _) if self.names.contains(&n));
            let found = own || parts.iter().any(|p| known.get(p) == Some(&true));
            known.entry(top).or_insert(found);
            todo.pop();
        }
        known.get(&e) == Some(&true)
    }
}

/// The type of the declaration that `e` is, applied to the parameters themselves and to as many indices as it has, none
/// of which mentions a type of the declaration.
pub(super) fn valid_application(st: &Store<'_>, f: &Family<'_>, e: Expr) -> Option<usize> {
    let (head, args) = st.unfold_app(e);
    let d = f.consts.iter().position(|k| *k == head)?;
    let (params, indices) = args.split_at_checked(f.params.len())?;
    (params == terms(&f.params)
        && indices.len() == f.num_indices[d] as usize
        && !indices.iter().any(|i| f.mentions.occur(st, *i)))
    .then_some(d)
}

/// Checks the type of a field: it does not mention the types of the declaration, or is `(xs) → T params indices` where the
/// `xs` do not (Carneiro 2019, §2.6.1, strict positivity).
pub(super) fn check(
    c: &mut Checker<'_, '_>,
    f: &Family<'_>,
    ctor: Name,
    index: u32,
    field: Expr,
) -> Res<()> {
    let st = c.env().store();
    let mut opened = 0;
    let mut tele = Telescope::new(st, field);
    let r = loop {
        if !tele.mentions(|e| f.mentions.occur(st, e)) {
            break Ok(());
        }
        let Some((_, dom, _)) = tele.reduced_binder(c)? else {
            let ty = tele.ty();
            break match valid_application(st, f, ty) {
                None if f.mentions.occur(st, ty) => {
                    Err(KernelError::InvalidOccurrence { ctor, index })
                }
                _ => Ok(()),
            };
        };
        if f.mentions.occur(st, dom) {
            break Err(KernelError::NonPositive { ctor, index });
        }
        tele.apply(c.open(dom)?);
        opened += 1;
    };
    c.close(opened);
    r
}

/// What the fields of a constructor are like.
pub(super) struct FieldKinds {
    /// Some field mentions a type of the declaration.
    pub recursive: bool,
    /// Some such field is a function.
    pub reflexive: bool,
}

/// Looks at the argument types of a constructor as they are written.
pub(super) fn field_kinds(st: &Store<'_>, f: &Family<'_>, ctor: Expr) -> FieldKinds {
    let mut kinds = FieldKinds {
        recursive: false,
        reflexive: false,
    };
    let mut cur = ctor;
    while let Node::Pi(_, dom, body, _) = st.node(cur) {
        if f.mentions.occur(st, dom) {
            kinds.recursive = true;
            kinds.reflexive |= matches!(st.node(dom), Node::Pi(..));
        }
        cur = body;
    }
    kinds
}
