//! The form of an inductive declaration: its types, and its constructors with their universes.

use super::positivity::{self, Mentions};
use super::{Family, Var, check_closed_type, open, open_params, terms};
use crate::check::{Checker, Res, Telescope};
use crate::env::{
    ConstantInfo, ConstructorInfo, Environment, InductiveDecl, InductiveInfo, InductiveType,
    KernelError, Signature,
};
use crate::expr::{Expr, Node};
use crate::level::Level;

/// Checks the types of a declaration: each is `(params) → (indices) → Sort u`, with the same parameters and the same `u`.
/// The last ones stand for `aux`.
pub(super) fn types<'d>(
    c: &mut Checker<'_, '_>,
    decl: &'d InductiveDecl,
    aux: &[Expr],
) -> Res<Family<'d>> {
    let st = c.env().store();
    let levels: Vec<Level> = decl
        .univ_params
        .iter()
        .map(|n| st.level_param(*n))
        .collect();
    let mut params: Vec<Var> = Vec::new();
    let mut num_indices = Vec::new();
    let mut universe = None;
    for (d, t) in decl.types.iter().enumerate() {
        check_closed_type(c, t.ty)?;
        let mut tele = Telescope::new(st, t.ty);
        for i in 0..decl.num_params {
            let (n, dom, bi) = tele.binder().ok_or(KernelError::ParamCount(t.name))?;
            if d == 0 {
                let v = open(c, n, dom, bi)?;
                params.push(v);
            } else if !c.defeq(dom, params[i as usize].ty)? {
                return Err(KernelError::ParamMismatch {
                    name: t.name,
                    index: i,
                });
            }
            tele.apply(params[i as usize].x);
        }
        let mut indices = 0u32;
        while let Some((_, dom, _)) = tele.reduced_binder(c)? {
            tele.apply(c.open(dom)?);
            indices += 1;
        }
        let sort = tele.ty();
        c.close(indices as usize);
        let Node::Sort(l) = st.node(sort) else {
            return Err(KernelError::TypeExpected {
                term: st.constant(t.name, &levels),
                ty: sort,
            });
        };
        match universe {
            None => universe = Some(l),
            Some(u) if c.level_eq(u, l)? => {}
            Some(_) => return Err(KernelError::MutualUniverse(t.name)),
        }
        num_indices.push(indices);
    }
    let universe = universe.ok_or(KernelError::EmptyInductive)?;
    let consts: Vec<Expr> = decl
        .types
        .iter()
        .map(|t| st.constant(t.name, &levels))
        .collect();
    let declared = consts.len() - aux.len();
    let apply = |k: &Expr| st.apps(*k, &terms(&params));
    let applied: Vec<Expr> = consts.iter().map(apply).collect();
    Ok(Family {
        decl,
        mentions: Mentions::new(&decl.types, &[]),
        levels,
        real: [&applied[..declared], aux].concat(),
        applied,
        declared,
        params,
        consts,
        num_indices,
        universe,
        is_prop: c.level_is_zero(universe)?,
        never_prop: c.level_never_zero(universe)?,
    })
}

/// The types as constants of the environment, as `decl` declares them.
pub(super) fn type_infos(
    env: &Environment<'_>,
    f: &Family<'_>,
    decl: &InductiveDecl,
) -> Vec<ConstantInfo> {
    let ctors = || f.decl.types.iter().flat_map(|t| &t.ctors);
    let kinds: Vec<_> = ctors()
        .map(|(_, ty)| positivity::field_kinds(env.store(), f, *ty))
        .collect();
    let info = |(t, num_indices): (&InductiveType, &u32)| {
        ConstantInfo::Inductive(InductiveInfo {
            sig: Signature {
                name: t.name,
                univ_params: decl.univ_params.clone(),
                ty: t.ty,
            },
            num_params: decl.num_params,
            num_indices: *num_indices,
            all: decl.types.iter().map(|t| t.name).collect(),
            ctors: t.ctors.iter().map(|(n, _)| *n).collect(),
            is_recursive: kinds.iter().any(|k| k.recursive),
            is_reflexive: kinds.iter().any(|k| k.reflexive),
            num_nested: (f.real.len() - f.declared) as u32,
        })
    };
    decl.types.iter().zip(&f.num_indices).map(info).collect()
}

/// Enters the types, for the time being, without constructors and so without structure η.
pub(super) fn enter_types(env: &mut Environment<'_>, f: &Family<'_>) -> Res<()> {
    for (t, num_indices) in f.decl.types.iter().zip(&f.num_indices) {
        env.insert(ConstantInfo::Inductive(InductiveInfo {
            sig: Signature {
                name: t.name,
                univ_params: f.decl.univ_params.clone(),
                ty: t.ty,
            },
            num_params: f.decl.num_params,
            num_indices: *num_indices,
            all: Vec::new(),
            ctors: Vec::new(),
            is_recursive: true,
            is_reflexive: false,
            num_nested: 0,
        }))?;
    }
    Ok(())
}

/// Checks that constructors have types, begin with the parameters, and apply the types of the declaration to nothing but
/// these, everywhere: a parameter of a nested occurrence vanishes in the auxiliary type, so nothing else would look at it.
pub(super) fn typed_constructors(c: &mut Checker<'_, '_>, f: &Family<'_>) -> Res<()> {
    let st = c.env().store();
    open_params(c, f)?;
    let outside = Mentions::new(&f.decl.types, &f.applied);
    for (name, ty) in f.decl.types.iter().flat_map(|t| &t.ctors) {
        check_closed_type(c, *ty)?;
        let uniform = |e, m: &Mentions| match m.occur(st, e) {
            true => Err(KernelError::NonUniform(*name)),
            false => Ok(()),
        };
        let mut tele = Telescope::new(st, *ty);
        for (p, index) in f.params.iter().zip(0..) {
            let (_, dom, _) = tele.binder().ok_or(KernelError::ParamCount(*name))?;
            uniform(dom, &f.mentions)?;
            if !c.defeq(dom, p.ty)? {
                return Err(KernelError::ParamMismatch { name: *name, index });
            }
            tele.apply(p.x);
        }
        uniform(tele.ty(), &outside)?;
    }
    Ok(())
}

/// Checks the constructors: each is `(params) → (fields) → T params indices`; the universe of every field is at most that
/// of the type, unless that is `Prop`; every field is strictly positive. Those of auxiliary types, and those that mention
/// them, must have types too.
pub(super) fn constructors(c: &mut Checker<'_, '_>, f: &Family<'_>) -> Res<()> {
    let st = c.env().store();
    open_params(c, f)?;
    for (d, t) in f.decl.types.iter().enumerate() {
        for (name, ty) in &t.ctors {
            if f.real.len() > f.declared {
                check_closed_type(c, *ty)?;
            }
            let mut tele = Telescope::new(st, st.instantiate_pis(*ty, &terms(&f.params)));
            let mut index = f.decl.num_params;
            while let Some((_, dom, _)) = tele.binder() {
                let field = c.universe_of(dom, false)?;
                if !f.is_prop && !c.level_leq(field, f.universe)? {
                    return Err(KernelError::CtorUniverse {
                        ctor: *name,
                        index,
                        field,
                        inductive: f.universe,
                    });
                }
                positivity::check(c, f, *name, index, dom)?;
                tele.apply(c.open(dom)?);
                index += 1;
            }
            let result = tele.ty();
            if positivity::valid_application(st, f, result) != Some(d) {
                return Err(KernelError::CtorResult {
                    ctor: *name,
                    result,
                });
            }
            c.close((index - f.decl.num_params) as usize);
        }
    }
    Ok(())
}

/// The constructors as constants of the environment.
pub(super) fn ctor_infos(env: &Environment<'_>, decl: &InductiveDecl) -> Vec<ConstantInfo> {
    let st = env.store();
    let mut out = Vec::new();
    for t in &decl.types {
        for ((name, ty), cidx) in t.ctors.iter().zip(0..) {
            let (mut arity, mut cur) = (0u32, *ty);
            while let Node::Pi(_, _, body, _) = st.node(cur) {
                arity += 1;
                cur = body;
            }
            out.push(ConstantInfo::Constructor(ConstructorInfo {
                sig: Signature {
                    name: *name,
                    univ_params: decl.univ_params.clone(),
                    ty: *ty,
                },
                inductive: t.name,
                cidx,
                num_params: decl.num_params,
                num_fields: arity - decl.num_params,
            }));
        }
    }
    out
}
