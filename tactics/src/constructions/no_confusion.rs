//! `T.noConfusionType` and `T.noConfusion`: different constructors differ, equal ones have equal fields.

use logic::{
    BinderInfo, ConstantInfo, ConstructorInfo, Declaration, Environment, Expr, Hint, Level, Name,
    Signature,
};

use super::Family;
use super::scope::{Local, Scope, fvars};

/// How two values of one field are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FieldEq {
    /// A proof: any two are equal, nothing is said.
    Proof,
    /// `a = b`, in a type of the given universe.
    Eq(Level),
    /// `HEq a b`: the two types differ.
    HEq(Level),
}

/// How the fields of each constructor are compared.
pub(super) struct Plan {
    /// The universe of the type.
    pub level: Level,
    /// One list a constructor, one entry a field.
    pub fields: Vec<Vec<FieldEq>>,
}

fn is_inductive(env: &Environment<'_>, n: Name) -> bool {
    matches!(env.get(n), Some(ConstantInfo::Inductive(_)))
}

/// How the fields are compared, or `None` where `noConfusion` cannot exist.
pub(super) fn plan(env: &Environment<'_>, f: &Family<'_>) -> Option<Plan> {
    let st = f.st;
    let has_heq = is_inductive(env, st.name("HEq"));
    if !f.large || !is_inductive(env, st.name("Eq")) {
        return None;
    }
    let mut scope = Scope::new(env, &f.rec.sig.univ_params);
    let (_, sort) = scope.open_pis(
        f.info.sig.ty,
        (f.info.num_params + f.info.num_indices) as usize,
    )?;
    let sort = scope.checker.whnf(sort).ok()?;
    let logic::Node::Sort(level) = st.node(sort) else {
        return None;
    };
    if scope.is_zero(level) {
        return None;
    }
    let mut fields = Vec::with_capacity(f.ctors.len());
    for c in &f.ctors {
        let (params, rest) = scope.open_pis(c.sig.ty, c.num_params as usize)?;
        debug_assert_eq!(params.len(), c.num_params as usize);
        let (left, _) = scope.open_pis(rest, c.num_fields as usize)?;
        let (right, _) = scope.open_pis(rest, c.num_fields as usize)?;
        let mut kinds = Vec::with_capacity(left.len());
        for (a, b) in left.iter().zip(&right) {
            let l = scope.sort_of(a.ty)?;
            kinds.push(if scope.is_zero(l) {
                FieldEq::Proof
            } else if scope.checker.is_defeq(a.ty, b.ty).unwrap_or(false) {
                FieldEq::Eq(l)
            } else if has_heq {
                FieldEq::HEq(l)
            } else {
                return None;
            });
        }
        fields.push(kinds);
    }
    Some(Plan { level, fields })
}

/// The equations between two lists of fields, as locals named after the left fields. `None` in place of a proof.
pub(super) fn equations(
    scope: &mut Scope<'_, '_>,
    kinds: &[FieldEq],
    left: &[Local],
    right: &[Local],
) -> Vec<Option<Local>> {
    let st = scope.st;
    let mut out = Vec::with_capacity(kinds.len());
    for (kind, (a, b)) in kinds.iter().zip(left.iter().zip(right)) {
        let ty = match kind {
            FieldEq::Proof => {
                out.push(None);
                continue;
            }
            FieldEq::Eq(l) => {
                let eq = st.constant(st.name("Eq"), &[*l]);
                st.apps(eq, &[a.ty, a.fvar, b.fvar])
            }
            FieldEq::HEq(l) => {
                let heq = st.constant(st.name("HEq"), &[*l]);
                st.apps(heq, &[a.ty, a.fvar, b.ty, b.fvar])
            }
        };
        let name = st.name_str(
            Name::ANON,
            &format!("{}_eq", st.name_last(a.name).unwrap_or("field")),
        );
        out.push(Some(scope.local(name, ty, BinderInfo::Default)));
    }
    out
}

/// The proof that a field equals itself.
fn refl(scope: &Scope<'_, '_>, kind: FieldEq, field: &Local) -> Option<Expr> {
    let st = scope.st;
    let (name, l) = match kind {
        FieldEq::Proof => return None,
        FieldEq::Eq(l) => ("Eq.refl", l),
        FieldEq::HEq(l) => ("HEq.refl", l),
    };
    let r = st.constant(st.name(name), &[l]);
    Some(st.apps(r, &[field.ty, field.fvar]))
}

/// Opens the fields of a constructor under given parameters.
pub(super) fn open_fields(
    scope: &mut Scope<'_, '_>,
    c: &ConstructorInfo,
    params: &[Expr],
) -> Option<(Vec<Local>, Expr)> {
    let rest = scope.instantiate_pis(c.sig.ty, params)?;
    scope.open_pis(rest, c.num_fields as usize)
}

/// The index arguments in the result type of a constructor.
pub(super) fn result_indices(scope: &Scope<'_, '_>, f: &Family<'_>, result: Expr) -> Vec<Expr> {
    let (_, args) = scope.st.unfold_app(result);
    args.into_iter().skip(f.info.num_params as usize).collect()
}

/// `T.noConfusionType` and `T.noConfusion`.
pub(super) fn declarations(
    env: &Environment<'_>,
    f: &Family<'_>,
    plan: &Plan,
) -> Option<(Declaration, Declaration)> {
    let st = f.st;
    let mut scope = Scope::new(env, &f.rec.sig.univ_params);
    let u = f.motive_level();
    let sort_u = st.sort(u);

    let (params, rest) = scope.open_pis(f.info.sig.ty, f.info.num_params as usize)?;
    let (indices, _) = scope.open_pis(rest, f.info.num_indices as usize)?;
    let params: Vec<Local> = params.into_iter().map(Local::implicit).collect();
    let indices: Vec<Local> = indices.into_iter().map(Local::implicit).collect();
    let ps = fvars(&params);
    let name = |s: &str| st.name_str(Name::ANON, s);
    let self_ty = f.applied(&ps, &fvars(&indices));
    let p = scope.local(name("P"), sort_u, BinderInfo::Default);
    let v1 = scope.local(name("v1"), self_ty, BinderInfo::Default);
    let v2 = scope.local(name("v2"), self_ty, BinderInfo::Default);

    // The motive of both case distinctions: `fun indices _ => Sort u`.
    let x = scope.local(name("x"), self_ty, BinderInfo::Default);
    let motive_vars = [indices.clone(), vec![x]].concat();
    let motive_vars: Vec<Local> = motive_vars.into_iter().map(Local::explicit).collect();
    let motive = scope.lams(&motive_vars, sort_u);
    let cases_at = |level: Level| st.constant(f.sub("casesOn"), &f.rec_levels(level));
    let cases = |major: Expr, minors: &[Expr]| {
        let head = st.apps(cases_at(st.level_succ(u)), &ps);
        let head = st.apps(st.app(head, motive), &fvars(&indices));
        st.apps(st.app(head, major), minors)
    };

    let mut outer = Vec::with_capacity(f.ctors.len());
    for (i, c) in f.ctors.iter().enumerate() {
        let (left, _) = open_fields(&mut scope, c, &ps)?;
        let mut inner = Vec::with_capacity(f.ctors.len());
        for (j, d) in f.ctors.iter().enumerate() {
            let (right, _) = open_fields(&mut scope, d, &ps)?;
            let body = if i == j {
                let eqs = equations(&mut scope, &plan.fields[i], &left, &right);
                let eqs: Vec<Local> = eqs.into_iter().flatten().collect();
                let k = scope.pis(&eqs, p.fvar);
                st.pi(name("a"), k, p.fvar, BinderInfo::Default)
            } else {
                p.fvar
            };
            inner.push(scope.lams(&right, body));
        }
        let body = cases(v2.fvar, &inner);
        outer.push(scope.lams(&left, body));
    }
    let type_value = cases(v1.fvar, &outer);
    let type_order = [params.clone(), indices.clone(), vec![p, v1, v2]].concat();
    let type_name = f.sub("noConfusionType");
    let type_decl = Declaration::Definition {
        sig: Signature {
            name: type_name,
            univ_params: f.rec.sig.univ_params.clone(),
            ty: scope.pis(&type_order, sort_u),
        },
        value: scope.lams(&type_order, type_value),
        hint: Hint::Abbrev,
    };

    // noConfusion.
    let nct = st.apps(st.constant(type_name, &f.rec_levels(u)), &ps);
    let nct_at =
        |indices: &[Expr], a: Expr, b: Expr| st.apps(st.apps(nct, indices), &[p.fvar, a, b]);
    let eq_at = |a: Expr, b: Expr| {
        let eq = st.constant(st.name("Eq"), &[plan.level]);
        st.apps(eq, &[self_ty, a, b])
    };
    let diag_motive = {
        let idx = fvars(&motive_vars[..indices.len()]);
        scope.lams(&motive_vars, nct_at(&idx, x.fvar, x.fvar))
    };
    let mut minors = Vec::with_capacity(f.ctors.len());
    for (c, kinds) in f.ctors.iter().zip(&plan.fields) {
        let (fields, _) = open_fields(&mut scope, c, &ps)?;
        let eqs = equations(&mut scope, kinds, &fields, &fields);
        let eqs: Vec<Local> = eqs.into_iter().flatten().collect();
        let k = scope.local(name("a"), scope.pis(&eqs, p.fvar), BinderInfo::Default);
        let refls: Vec<Expr> = kinds
            .iter()
            .zip(&fields)
            .filter_map(|(kind, l)| refl(&scope, *kind, l))
            .collect();
        let body = st.apps(k.fvar, &refls);
        minors.push(scope.lams(&[fields, vec![k]].concat(), body));
    }
    let diag = {
        let head = st.apps(cases_at(u), &ps);
        let head = st.apps(st.app(head, diag_motive), &fvars(&indices));
        st.apps(st.app(head, v1.fvar), &minors)
    };
    let h12 = scope.local(name("h12"), eq_at(v1.fvar, v2.fvar), BinderInfo::Default);
    let eq_motive = {
        let w = scope.local(name("x"), self_ty, BinderInfo::Default);
        let h = scope.local(name("h"), eq_at(v1.fvar, w.fvar), BinderInfo::Default);
        let body = nct_at(&fvars(&indices), v1.fvar, w.fvar);
        scope.lams(&[w, h], body)
    };
    let eq_rec = st.constant(st.name("Eq.rec"), &[u, plan.level]);
    let value = st.apps(
        eq_rec,
        &[self_ty, v1.fvar, eq_motive, diag, v2.fvar, h12.fvar],
    );
    let order = [
        params,
        indices.clone(),
        vec![p.implicit(), v1.implicit(), v2.implicit(), h12],
    ]
    .concat();
    let result = nct_at(&fvars(&indices), v1.fvar, v2.fvar);
    let decl = Declaration::Definition {
        sig: Signature {
            name: f.sub("noConfusion"),
            univ_params: f.rec.sig.univ_params.clone(),
            ty: scope.pis(&order, result),
        },
        value: scope.lams(&order, value),
        hint: Hint::Abbrev,
    };
    Some((type_decl, decl))
}
