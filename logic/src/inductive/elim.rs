//! Which universes a recursor may eliminate into.

use super::Family;
use crate::check::{Checker, Res};
use crate::expr::{Expr, Node};

/// Whether the recursor eliminates into propositions only.
///
/// A type that is never a proposition eliminates into every universe. One that is, or may be for some universes, does so
/// only if its values carry no information: there is one type without constructors, or with one constructor each of
/// whose fields is a proof or is given by the indices of the result (Carneiro 2019, §2.6.3, "large eliminating").
pub(super) fn only_to_prop(c: &mut Checker<'_, '_>, f: &Family<'_>) -> Res<bool> {
    if f.never_prop {
        return Ok(false);
    }
    let [t] = &f.decl.types[..] else {
        return Ok(true);
    };
    let ctor = match t.ctors[..] {
        [] => return Ok(false),
        [(_, ty)] => ty,
        _ => return Ok(true),
    };
    let st = c.env().store();
    let mut data: Vec<Expr> = Vec::new();
    let (mut cur, mut opened) = (ctor, 0);
    let mut params = f.params.iter();
    while let Node::Pi(_, dom, body, _) = st.node(cur) {
        if let Some(p) = params.next() {
            cur = st.instantiate1(body, p.x);
            continue;
        }
        let universe = c.universe_of(dom, false)?;
        let x = c.open(dom);
        opened += 1;
        if !c.level_is_zero(universe)? {
            data.push(x);
        }
        cur = st.instantiate1(body, x);
    }
    c.close(opened);
    let (_, result_args) = st.unfold_app(cur);
    Ok(!data.iter().all(|x| result_args.contains(x)))
}
