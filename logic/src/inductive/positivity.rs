//! Strict positivity: where the types of a declaration may occur in the fields of its constructors.

use super::Family;
use crate::check::{Checker, Res, Telescope};
use crate::env::{ConstantInfo, KernelError};
use crate::expr::{Expr, Node};
use crate::name::Name;
use crate::store::Store;
use rustc_hash::FxHashSet;

/// Whether a type of the declaration occurs in `e`.
pub(super) fn occurs(st: &Store<'_>, f: &Family<'_>, e: Expr) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = vec![e];
    while let Some(e) = todo.pop() {
        if !seen.insert(e) {
            continue;
        }
        match st.node(e) {
            Node::Const(n, _) if f.decl.types.iter().any(|t| t.name == n) => return true,
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
pub(super) fn valid_application(
    c: &mut Checker<'_, '_>,
    f: &Family<'_>,
    e: Expr,
) -> Res<Option<usize>> {
    let st = c.env().store();
    let (head, args) = st.unfold_app(e);
    let Some(d) = f.consts.iter().position(|k| *k == head) else {
        return Ok(None);
    };
    if args.len() != f.params.len() + f.num_indices[d] as usize {
        return Ok(None);
    }
    let (params, indices) = args.split_at(f.params.len());
    for (a, p) in params.iter().zip(&f.params) {
        if *a != p.x && !c.defeq(*a, p.x)? {
            return Ok(None);
        }
    }
    Ok((!indices.iter().any(|i| occurs(st, f, *i))).then_some(d))
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
        if !tele.mentions(|e| occurs(st, f, e)) {
            break Ok(());
        }
        let Some((_, dom, _)) = tele.reduced_binder(c)? else {
            let ty = tele.ty();
            break match valid_application(c, f, ty)? {
                None if occurs(st, f, ty) => Err(invalid(c, f, ctor, index, ty)),
                _ => Ok(()),
            };
        };
        if occurs(st, f, dom) {
            break Err(KernelError::NonPositive { ctor, index });
        }
        tele.apply(c.open(dom));
        opened += 1;
    };
    c.close(opened);
    r
}

/// The error for an occurrence that is not valid: within another inductive type it is a nested one.
fn invalid(c: &Checker<'_, '_>, f: &Family<'_>, ctor: Name, index: u32, ty: Expr) -> KernelError {
    let st = c.env().store();
    match st.node(st.app_fn(ty)) {
        Node::Const(within, _)
            if !f.decl.types.iter().any(|t| t.name == within)
                && matches!(c.env().get(within), Some(ConstantInfo::Inductive(_))) =>
        {
            KernelError::UnsupportedNested { ctor, within }
        }
        _ => KernelError::InvalidOccurrence { ctor, index },
    }
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
        if occurs(st, f, dom) {
            kinds.recursive = true;
            kinds.reflexive |= matches!(st.node(dom), Node::Pi(..));
        }
        cur = body;
    }
    kinds
}
