//! Nested occurrences: `J Ds`, an earlier inductive type at parameters that mention the types being declared.
//!
//! As in Lean's kernel, each becomes an auxiliary type of a larger mutual declaration: a copy of `J` at `Ds`, with copies of
//! all types that were declared together with `J`. That declaration is checked by the rules for mutual ones (Carneiro
//! 2019, §2.6 knows no others), so positivity through `J` is the positivity of the copy, and its recursors become those of
//! the nested declaration when each auxiliary type is written `J Ds` again.

use super::{Family, pis, terms};
use crate::check::{Checker, Res};
use crate::env::{ConstantInfo, InductiveDecl, InductiveType, KernelError};
use crate::expr::{Expr, Node};
use crate::name::Name;

/// A declaration without nested occurrences.
pub(super) struct Unnested {
    /// The declared types, then the auxiliary ones. The constructors of an auxiliary type bear the names of those they copy.
    pub decl: InductiveDecl,
    /// What each auxiliary type stands for: `J Ds` over the parameters of the family.
    pub real: Vec<Expr>,
}

/// Replaces nested occurrences, as they are written, in constructors of declared and of auxiliary types. In the environment
/// the types of the declaration do not exist yet.
pub(super) fn eliminate(c: &mut Checker<'_, '_>, f: &Family<'_>) -> Res<Unnested> {
    let st = c.env().store();
    let mut out = Unnested {
        decl: f.decl.clone(),
        real: Vec::new(),
    };
    let (mut t, mut refused) = (0, None);
    while t < out.decl.types.len() {
        for k in 0..out.decl.types[t].ctors.len() {
            let (name, ty) = out.decl.types[t].ctors[k];
            let body = st.instantiate_pis(ty, &terms(&f.params));
            let body = st.replace(body, |e, _| {
                if refused.is_some() || !f.mentions.occur(st, e) {
                    return Some(e);
                }
                occurrence(c, f, &mut out, name, e).unwrap_or_else(|error| {
                    refused = Some(error);
                    Some(e)
                })
            });
            out.decl.types[t].ctors[k].1 = pis(st, &f.params, body);
        }
        t += 1;
    }
    refused.map_or(Ok(out), Err)
}

/// If `e` is `J Ds is`, a nested occurrence in a constructor: `A params is`, where `A` is the auxiliary type for `J Ds`, made if
/// it is new up to the names of bound variables. `Ds` may mention no variable but the parameters.
fn occurrence(
    c: &mut Checker<'_, '_>,
    f: &Family<'_>,
    out: &mut Unnested,
    ctor: Name,
    e: Expr,
) -> Res<Option<Expr>> {
    let (env, st) = (c.env(), c.env().store());
    let (head, args) = st.unfold_app(e);
    c.tick(1 + args.len() as u64)?;
    let Node::Const(j, levels) = st.node(head) else {
        return Ok(None);
    };
    let Some(ConstantInfo::Inductive(info)) = env.get(j) else {
        return Ok(None);
    };
    let Some(ds) = args.get(..info.num_params as usize) else {
        return Ok(None);
    };
    if !ds.iter().any(|d| f.mentions.occur(st, *d)) {
        return Ok(None);
    }
    if ds.iter().any(|d| st.has_loose_bvars(*d)) {
        return Err(KernelError::NestedLocal { ctor, within: j });
    }
    let (whole, declared) = (st.canon(st.apps(head, ds)), f.decl.types.len());
    c.tick(out.real.len() as u64)?;
    let known = |out: &Unnested| out.real.iter().position(|r| st.canon(*r) == whole);
    if known(out).is_none() {
        for member in &info.all {
            let Some(ConstantInfo::Inductive(m)) = env.get(*member) else {
                continue;
            };
            let copy = |ty| {
                let ty = st.instantiate_level_params(ty, &m.sig.univ_params, levels);
                pis(st, &f.params, st.instantiate_pis(ty, ds))
            };
            let ctors = m.ctors.iter().filter_map(|c| env.get(*c));
            out.real.push(st.apps(st.constant(*member, levels), ds));
            let base = st.name_str(f.decl.types[0].name, "_nested");
            out.decl.types.push(InductiveType {
                name: st.name_num(base, out.real.len() as u64),
                ty: copy(m.sig.ty),
                ctors: ctors.map(|c| (c.name(), copy(c.ty()))).collect(),
            });
        }
    }
    let at = known(out).unwrap_or(0);
    let name = out.decl.types[declared + at].name;
    let aux = st.apps(st.constant(name, &f.levels), &terms(&f.params));
    Ok(Some(st.apps(aux, &args[ds.len()..])))
}
