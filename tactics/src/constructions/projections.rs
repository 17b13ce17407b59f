//! `S.field`: the projections of a structure as functions.

use logic::{BinderInfo, Declaration, Environment, Hint, Name, Signature};

use super::Family;
use super::scope::{Local, Scope, fvars};

/// The projection functions of the structure `name`, in the order of its fields and named after them:
/// `S.field : {params} → (self : S params) → type`. A field that is a proof gives a theorem. Of a proposition only the
/// fields that are proofs have projections. Empty if `name` has indices or not exactly one constructor.
pub fn structure_projections(env: &Environment<'_>, name: Name) -> Vec<Declaration> {
    Family::new(env, name)
        .and_then(|f| projections(env, &f))
        .unwrap_or_default()
}

fn projections(env: &Environment<'_>, f: &Family<'_>) -> Option<Vec<Declaration>> {
    let [ctor] = &f.ctors[..] else {
        return None;
    };
    if f.info.num_indices != 0 {
        return None;
    }
    let st = f.st;
    let mut scope = Scope::new(env, &f.info.sig.univ_params);
    let (params, mut rest) = scope.open_pis(ctor.sig.ty, ctor.num_params as usize)?;
    let params: Vec<Local> = params.into_iter().map(Local::implicit).collect();
    let self_ty = f.applied(&fvars(&params), &[]);
    let in_prop = scope.is_prop(self_ty);
    let this = scope.local(st.name("self"), self_ty, BinderInfo::Default);
    let order = [params, vec![this]].concat();
    let mut out = Vec::new();
    for i in 0..ctor.num_fields {
        let (field, body) = scope.open_pis(rest, 1)?;
        let field = field[0];
        // The body with its variable replaced: later types see the projection, by name where it exists.
        let proof = scope.is_prop(field.ty);
        let value = st.proj(f.info.sig.name, i, this.fvar);
        let fun = f.st.name_append(f.info.sig.name, field.name);
        let (seen, exists) = if in_prop && !proof {
            (value, false)
        } else {
            let c = st.constant(fun, &f.levels());
            (st.apps(c, &fvars(&order)), true)
        };
        if exists {
            let sig = Signature {
                name: fun,
                univ_params: f.info.sig.univ_params.clone(),
                ty: scope.pis(&order, field.ty),
            };
            let value = scope.lams(&order, value);
            out.push(if proof {
                Declaration::Theorem { sig, value }
            } else {
                Declaration::Definition {
                    sig,
                    value,
                    hint: Hint::Abbrev,
                }
            });
        }
        let closed = st.abstract_fvars(body, &[field.fvar]);
        rest = st.instantiate1(closed, seen);
    }
    Some(out)
}
