//! Strict positivity: where the types of a declaration may occur in the fields of its constructors.

use super::{Family, terms};
use crate::check::{Checker, Res, Telescope};
use crate::env::{InductiveType, KernelError};
use crate::expr::{Expr, Node};
use crate::name::Name;
use crate::store::Store;
use rustc_hash::FxHashSet;

/// Whether one of the types occurs in `e`.
pub(super) fn occurs(st: &Store<'_>, types: &[InductiveType], e: Expr) -> bool {
    occurs_outside(st, types, &[], e)
}

/// Whether one of the types occurs in `e`, outside of the terms `allowed`.
pub(super) fn occurs_outside(
    st: &Store<'_>,
    types: &[InductiveType],
    allowed: &[Expr],
    e: Expr,
) -> bool {
    let mut seen: FxHashSet<Expr> = allowed.iter().copied().collect();
    let mut todo = vec![e];
    while let Some(e) = todo.pop() {
        if !seen.insert(e) {
            continue;
        }
        match st.node(e) {
            Node::Const(n, _) if types.iter().any(|t| t.name == n) => return true,
            Node::App(g, a) => todo.extend([g, a]),
            Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => todo.extend([t, b]),
            Node::Let(_, t, v, b) => todo.extend([t, v, b]),
            Node::Proj(_, _, x) => todo.push(x),
            _ => {}
        }
    }
    false
}

/// The type of the declaration that `e` is, applied to the parameters themselves and to as many indices as it has, none
/// of which mentions a type of the declaration.
pub(super) fn valid_application(st: &Store<'_>, f: &Family<'_>, e: Expr) -> Option<usize> {
    let (head, args) = st.unfold_app(e);
    let d = f.consts.iter().position(|k| *k == head)?;
    let (params, indices) = args.split_at_checked(f.params.len())?;
    (params == terms(&f.params)
        && indices.len() == f.num_indices[d] as usize
        && !indices.iter().any(|i| occurs(st, &f.decl.types, *i)))
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
        if !tele.mentions(|e| occurs(st, &f.decl.types, e)) {
            break Ok(());
        }
        let Some((_, dom, _)) = tele.reduced_binder(c)? else {
            let ty = tele.ty();
            break match valid_application(st, f, ty) {
                None if occurs(st, &f.decl.types, ty) => {
                    Err(KernelError::InvalidOccurrence { ctor, index })
                }
                _ => Ok(()),
            };
        };
        if occurs(st, &f.decl.types, dom) {
            break Err(KernelError::NonPositive { ctor, index });
        }
        tele.apply(c.open(dom));
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
        if occurs(st, &f.decl.types, dom) {
            kinds.recursive = true;
            kinds.reflexive |= matches!(st.node(dom), Node::Pi(..));
        }
        cur = body;
    }
    kinds
}
