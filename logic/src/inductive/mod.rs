//! Inductive types: the checks on a declaration, and what it generates (types, constructors, recursors).
//!
//! Carneiro 2019, §2.6 ("inductive types"): the form of the declaration and its universes (`check`), strict positivity
//! (`positivity`), which universes the recursor may eliminate into (`elim`), and the recursor with its computation rules
//! (`recursor`). Everything is written for several types defined together, to which `nested` reduces nested ones.

mod check;
mod elim;
mod nested;
mod positivity;
mod recursor;

use crate::check::{Checker, Res};
use crate::env::{Environment, InductiveDecl, KernelError, check_distinct};
use crate::expr::{BinderInfo, Expr};
use crate::level::Level;
use crate::name::Name;
use crate::store::Store;
use positivity::Mentions;

/// A variable that stands for an opened binder, with what is needed to close it again.
#[derive(Clone, Copy)]
struct Var {
    x: Expr,
    name: Name,
    ty: Expr,
    bi: BinderInfo,
}

/// What is known of a declaration while it is being added.
struct Family<'d> {
    /// With the auxiliary types for nested occurrences.
    decl: &'d InductiveDecl,
    /// The universe parameters as levels.
    levels: Vec<Level>,
    /// The parameters, opened once for all.
    params: Vec<Var>,
    /// Where the types occur.
    mentions: Mentions,
    /// The types, as constants.
    consts: Vec<Expr>,
    /// The types applied to the parameters.
    applied: Vec<Expr>,
    /// What that is: itself, or `J Ds` for an auxiliary one.
    real: Vec<Expr>,
    /// How many types are declared. The others are auxiliary.
    declared: usize,
    /// How many indices each type has.
    num_indices: Vec<u32>,
    /// The universe of the types.
    universe: Level,
    /// The universe is `0` for all values of its parameters.
    is_prop: bool,
    /// The universe is `0` for no values of its parameters.
    never_prop: bool,
}

/// Checks an inductive declaration and enters everything that it generates: first whether its types and constructors have
/// types, then, with nested occurrences replaced by auxiliary types, the rules of inductive types. Until then the
/// environment holds the types without their constructors.
pub(crate) fn add(env: &mut Environment<'_>, decl: &InductiveDecl) -> Result<(), KernelError> {
    check_distinct(&decl.univ_params)?;
    let mark = env.mark();
    let written = on(env, decl, |c| check::types(c, decl, &[]))?;
    check::enter_types(env, &written)?;
    on(env, decl, |c| check::typed_constructors(c, &written))?;
    env.truncate(mark);
    let full = on(env, decl, |c| nested::eliminate(c, &written))?;
    let family = on(env, decl, |c| check::types(c, &full.decl, &full.real))?;
    check::enter_types(env, &family)?;
    on(env, decl, |c| check::constructors(c, &family))?;
    let recursors = on(env, decl, |c| recursor::recursors(c, &family))?;
    env.truncate(mark);
    let (types, ctors) = (
        check::type_infos(env, &family, decl),
        check::ctor_infos(env, decl),
    );
    for info in types.into_iter().chain(ctors).chain(recursors) {
        env.insert(info)?;
    }
    Ok(())
}

/// Runs one phase with a checker of its own and counts its steps.
fn on<'b, R>(
    env: &mut Environment<'b>,
    decl: &InductiveDecl,
    f: impl FnOnce(&mut Checker<'_, 'b>) -> Res<R>,
) -> Res<R> {
    let mut c = Checker::new(env, &decl.univ_params);
    let r = f(&mut c);
    let steps = c.steps();
    env.count_steps(steps);
    r
}

/// A closed term without metavariables and undeclared universe parameters, with a type as its type.
fn check_closed_type(c: &mut Checker<'_, '_>, ty: Expr) -> Res<()> {
    c.scan(ty)?;
    if c.env().store().has_fvar(ty) {
        return Err(KernelError::FreeVariable(ty));
    }
    c.universe_of(ty, true)?;
    Ok(())
}

/// Opens a binder.
fn open(c: &mut Checker<'_, '_>, name: Name, ty: Expr, bi: BinderInfo) -> Res<Var> {
    let x = c.open(ty)?;
    Ok(Var { x, name, ty, bi })
}

/// Opens the parameters. They are the same variables in every checker.
fn open_params(c: &mut Checker<'_, '_>, f: &Family<'_>) -> Res<()> {
    f.params.iter().try_for_each(|p| c.open(p.ty).map(drop))
}

/// The variables as terms.
fn terms(vars: &[Var]) -> Vec<Expr> {
    vars.iter().map(|v| v.x).collect()
}

/// `(v₀) → … → (vₙ) → body`.
fn pis(st: &Store<'_>, vars: &[Var], body: Expr) -> Expr {
    let types: Vec<_> = vars.iter().map(|v| (v.x, v.ty)).collect();
    st.close_over(&types, body, |i, ty, b| {
        st.pi(vars[i].name, ty, b, vars[i].bi)
    })
}

/// `fun v₀ … vₙ => body`.
fn lams(st: &Store<'_>, vars: &[Var], body: Expr) -> Expr {
    let types: Vec<_> = vars.iter().map(|v| (v.x, v.ty)).collect();
    st.close_over(&types, body, |i, ty, b| {
        st.lam(vars[i].name, ty, b, vars[i].bi)
    })
}
