//! Which universes a recursor may eliminate into.

use rustc_hash::FxHashSet;

use super::{Family, terms};
use crate::check::{Checker, Res, Telescope};
use crate::expr::Expr;

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
    let mut tele = Telescope::new(st, st.instantiate_pis(ctor, &terms(&f.params)));
    let mut opened = 0;
    while let Some((_, dom, _)) = tele.binder() {
        let universe = c.universe_of(dom, false)?;
        let x = c.open(dom)?;
        opened += 1;
        if !c.level_is_zero(universe)? {
            data.push(x);
        }
        tele.apply(x);
    }
    c.close(opened);
    let (_, result_args) = st.unfold_app(tele.ty());
    let given: FxHashSet<Expr> = result_args.into_iter().collect();
    Ok(!data.iter().all(|x| given.contains(x)))
}
