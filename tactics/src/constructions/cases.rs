//! `T.recOn` and `T.casesOn`: the recursor with its major premise first, and without induction hypotheses. The motive is
//! supplied as the recursor asks for it: explicitly where the type has no constructors.

use logic::{Declaration, Environment, Hint, Signature};

use super::Family;
use super::scope::{Local, Scope, fvars};

/// The arguments of a recursor, opened.
struct Opened {
    params: Vec<Local>,
    motives: Vec<Local>,
    minors: Vec<Local>,
    indices: Vec<Local>,
    major: Local,
    result: logic::Expr,
}

fn open(scope: &mut Scope<'_, '_>, f: &Family<'_>) -> Option<Opened> {
    let r = &f.rec;
    let (params, ty) = scope.open_pis(r.sig.ty, r.num_params as usize)?;
    let (motives, ty) = scope.open_pis(ty, r.num_motives as usize)?;
    let (minors, ty) = scope.open_pis(ty, r.num_minors as usize)?;
    let (indices, ty) = scope.open_pis(ty, r.num_indices as usize)?;
    let (major, result) = scope.open_pis(ty, 1)?;
    Some(Opened {
        params: params.into_iter().map(Local::implicit).collect(),
        motives,
        minors: minors.into_iter().map(Local::explicit).collect(),
        indices: indices.into_iter().map(Local::implicit).collect(),
        major: major[0].explicit(),
        result,
    })
}

/// `T.recOn : {params} → {motives} → {indices} → (t : T …) → minors → motive … t`.
pub(super) fn rec_on(env: &Environment<'_>, f: &Family<'_>) -> Option<Declaration> {
    let mut scope = Scope::new(env, &f.rec.sig.univ_params);
    let o = open(&mut scope, f)?;
    let st = f.st;
    let rec = st.constant(f.rec.sig.name, &f.rec_levels(f.motive_level()));
    let mut value = rec;
    for group in [&o.params, &o.motives, &o.minors, &o.indices] {
        value = st.apps(value, &fvars(group));
    }
    value = st.app(value, o.major.fvar);
    let order = [o.params, o.motives, o.indices, vec![o.major], o.minors].concat();
    Some(Declaration::Definition {
        sig: Signature {
            name: f.sub("recOn"),
            univ_params: f.rec.sig.univ_params.clone(),
            ty: scope.pis(&order, o.result),
        },
        value: scope.lams(&order, value),
        hint: Hint::Abbrev,
    })
}

/// `T.casesOn : {params} → {motive} → {indices} → (t : T …) → minors without hypotheses → motive … t`.
/// Left out for a type that shares its recursor with others (mutual or nested).
pub(super) fn cases_on(env: &Environment<'_>, f: &Family<'_>) -> Option<Declaration> {
    if f.rec.num_motives != 1 || f.rec.num_minors as usize != f.ctors.len() {
        return None;
    }
    let mut scope = Scope::new(env, &f.rec.sig.univ_params);
    let o = open(&mut scope, f)?;
    let st = f.st;
    let mut minors = Vec::with_capacity(o.minors.len());
    let mut rec_minors = Vec::with_capacity(o.minors.len());
    for (old, c) in o.minors.iter().zip(&f.ctors) {
        let (fields, rest) = scope.open_pis(old.ty, c.num_fields as usize)?;
        let (hyps, result) = scope.open_all(rest);
        let minor = scope.local(old.name, scope.pis(&fields, result), old.info);
        let applied = st.apps(minor.fvar, &fvars(&fields));
        rec_minors.push(scope.lams(&[fields, hyps].concat(), applied));
        minors.push(minor);
    }
    let rec = st.constant(f.rec.sig.name, &f.rec_levels(f.motive_level()));
    let mut value = st.apps(rec, &fvars(&o.params));
    value = st.apps(value, &fvars(&o.motives));
    value = st.apps(value, &rec_minors);
    value = st.apps(value, &fvars(&o.indices));
    value = st.app(value, o.major.fvar);
    let order = [o.params, o.motives, o.indices, vec![o.major], minors].concat();
    Some(Declaration::Definition {
        sig: Signature {
            name: f.sub("casesOn"),
            univ_params: f.rec.sig.univ_params.clone(),
            ty: scope.pis(&order, o.result),
        },
        value: scope.lams(&order, value),
        hint: Hint::Abbrev,
    })
}
