//! Type-checking of terms that may contain metavariables: for terms in which subterms were replaced.

use logic::subst::with_stack;
use logic::{Expr, Name, Node};
use rustc_hash::FxHashSet;

use crate::meta::{Elab, Result};

/// The innermost application whose argument does not have the type that the function asks for.
pub(crate) struct IllTyped {
    /// The function.
    pub fun: Expr,
    /// The argument.
    pub arg: Expr,
    /// The type asked for.
    pub expected: Expr,
    /// The argument's type.
    pub found: Expr,
    /// The binders around it inside of the term, but the outermost, with the words for them.
    pub under: Vec<(&'static str, Name)>,
}

/// Looks for an ill-typed application in a term without loose bound variables.
pub(crate) fn ill_typed<'b>(el: &mut Elab<'b>, e: Expr) -> Result<Option<IllTyped>> {
    let mut seen = FxHashSet::default();
    let found = el.with_lctx_saved(|el| go(el, e, &mut seen))?;
    Ok(found.map(|mut bad| {
        bad.under.pop();
        bad.under.reverse();
        bad
    }))
}

fn go<'b>(el: &mut Elab<'b>, e: Expr, seen: &mut FxHashSet<Expr>) -> Result<Option<IllTyped>> {
    if !seen.insert(e) {
        return Ok(None);
    }
    let st = el.st;
    with_stack(|| match st.node(e) {
        Node::App(f, a) => {
            if let Some(bad) = go(el, f, seen)? {
                return Ok(Some(bad));
            }
            if let Some(bad) = go(el, a, seen)? {
                return Ok(Some(bad));
            }
            let f_ty = el.infer_type(f)?;
            let f_ty = el.instantiate_mvars(f_ty);
            let f_ty = if matches!(st.node(f_ty), Node::Pi(..)) {
                f_ty
            } else {
                el.whnf(f_ty)
            };
            let Node::Pi(_, expected, _, _) = st.node(f_ty) else {
                return Ok(None);
            };
            let found = el.infer_type(a)?;
            if expected == found || el.is_defeq(expected, found) {
                return Ok(None);
            }
            Ok(Some(IllTyped {
                fun: f,
                arg: a,
                expected,
                found,
                under: Vec::new(),
            }))
        }
        Node::Lam(n, t, b, bi) | Node::Pi(n, t, b, bi) => {
            if let Some(bad) = go(el, t, seen)? {
                return Ok(Some(bad));
            }
            let word = match st.node(e) {
                Node::Pi(..) => "∀",
                _ => "fun",
            };
            let x = el.push_local(n, t, bi);
            let b = st.instantiate1(b, x);
            Ok(go(el, b, seen)?.map(|mut bad| {
                bad.under.push((word, n));
                bad
            }))
        }
        Node::Let(n, t, v, b) => {
            if let Some(bad) = go(el, t, seen)? {
                return Ok(Some(bad));
            }
            if let Some(bad) = go(el, v, seen)? {
                return Ok(Some(bad));
            }
            let x = el.push_let(n, t, v);
            let b = st.instantiate1(b, x);
            go(el, b, seen)
        }
        Node::Proj(_, _, x) => go(el, x, seen),
        _ => Ok(None),
    })
}
