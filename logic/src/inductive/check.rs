//! The form of an inductive declaration: its types, and its constructors with their universes.

use super::{Family, Var, check_closed_type, open, positivity};
use crate::check::{Checker, Res, Telescope};
use crate::env::{
    ConstantInfo, ConstructorInfo, Environment, InductiveDecl, InductiveInfo, KernelError,
    Signature,
};
use crate::expr::{Expr, Node};
use crate::level::Level;

/// Checks the types of a declaration: each is `(params) → (indices) → Sort u`, with the same parameters and the same `u`.
pub(super) fn types<'d>(c: &mut Checker<'_, '_>, decl: &'d InductiveDecl) -> Res<Family<'d>> {
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
                let v = open(c, n, dom, bi);
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
        while let Some((_, dom, _)) = tele.binder() {
            tele.apply(c.open(dom));
            indices += 1;
        }
        let sort = c.reduce_full(tele.ty())?;
        c.close(indices as usize);
        let Node::Sort(l) = st.node(sort) else {
            return Err(KernelError::TypeExpected {
                term: t.ty,
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
    let consts = decl
        .types
        .iter()
        .map(|t| st.constant(t.name, &levels))
        .collect();
    Ok(Family {
        decl,
        levels,
        params,
        consts,
        num_indices,
        universe,
        is_prop: c.level_is_zero(universe)?,
        never_prop: c.level_never_zero(universe)?,
    })
}

/// The types as constants of the environment.
pub(super) fn type_infos(env: &Environment<'_>, f: &Family<'_>) -> Vec<ConstantInfo> {
    let fields = |ctor: Expr| positivity::field_kinds(env.store(), f, ctor);
    let all_fields: Vec<_> = f
        .decl
        .types
        .iter()
        .flat_map(|t| t.ctors.iter().map(|(_, ty)| fields(*ty)))
        .collect();
    let is_recursive = all_fields.iter().any(|k| k.recursive);
    let is_reflexive = all_fields.iter().any(|k| k.reflexive);
    let all: Vec<_> = f.decl.types.iter().map(|t| t.name).collect();
    f.decl
        .types
        .iter()
        .zip(&f.num_indices)
        .map(|(t, num_indices)| {
            ConstantInfo::Inductive(InductiveInfo {
                sig: Signature {
                    name: t.name,
                    univ_params: f.decl.univ_params.clone(),
                    ty: t.ty,
                },
                num_params: f.decl.num_params,
                num_indices: *num_indices,
                all: all.clone(),
                ctors: t.ctors.iter().map(|(n, _)| *n).collect(),
                is_recursive,
                is_reflexive,
                num_nested: 0,
            })
        })
        .collect()
}

/// Checks the constructors: each is `(params) → (fields) → T params indices`; the universe of every field is at most that
/// of the type, unless that is `Prop`; every field is strictly positive.
pub(super) fn constructors(c: &mut Checker<'_, '_>, f: &Family<'_>) -> Res<()> {
    let st = c.env().store();
    // The parameters are open in this checker as they were in that of the types.
    for p in &f.params {
        c.open(p.ty);
    }
    for (d, t) in f.decl.types.iter().enumerate() {
        for (i, (name, ty)) in t.ctors.iter().enumerate() {
            if t.ctors[..i].iter().any(|(n, _)| n == name) {
                return Err(KernelError::AlreadyDeclared(*name));
            }
            c.env().check_new_name(*name)?;
            check_closed_type(c, *ty)?;
            let mut tele = Telescope::new(st, *ty);
            let (mut index, mut fields) = (0, 0);
            while let Some((_, dom, _)) = tele.binder() {
                if let Some(p) = f.params.get(index as usize) {
                    if !c.defeq(dom, p.ty)? {
                        return Err(KernelError::ParamMismatch { name: *name, index });
                    }
                    tele.apply(p.x);
                } else {
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
                    tele.apply(c.open(dom));
                    fields += 1;
                }
                index += 1;
            }
            if (index as usize) < f.params.len() {
                return Err(KernelError::ParamCount(*name));
            }
            let result = tele.ty();
            if positivity::valid_application(c, f, result)? != Some(d) {
                return Err(KernelError::CtorResult {
                    ctor: *name,
                    result,
                });
            }
            c.close(fields);
        }
    }
    Ok(())
}

/// The constructors as constants of the environment.
pub(super) fn ctor_infos(env: &Environment<'_>, f: &Family<'_>) -> Vec<ConstantInfo> {
    let st = env.store();
    let mut out = Vec::new();
    for t in &f.decl.types {
        for (cidx, (name, ty)) in t.ctors.iter().enumerate() {
            let (mut arity, mut cur) = (0u32, *ty);
            while let Node::Pi(_, _, body, _) = st.node(cur) {
                arity += 1;
                cur = body;
            }
            out.push(ConstantInfo::Constructor(ConstructorInfo {
                sig: Signature {
                    name: *name,
                    univ_params: f.decl.univ_params.clone(),
                    ty: *ty,
                },
                inductive: t.name,
                cidx: cidx as u32,
                num_params: f.decl.num_params,
                num_fields: arity - f.decl.num_params,
            }));
        }
    }
    out
}
