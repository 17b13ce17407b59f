//! What a file says of derived constants, against what the kernel derived.

use logic::{
    Checker, ConstantInfo, ConstructorInfo, Environment, Expr, InductiveInfo, Level, Name, Node,
    QuotKind, RecursorInfo, RecursorRule, Signature, Store,
};
use rustc_hash::FxHashSet;

use super::Difference;
use super::format::Inductive;
use super::tables::Tables;

/// What an `inductive` line says, in our own terms.
pub(super) struct Claims {
    types: Vec<InductiveInfo>,
    ctors: Vec<ConstructorInfo>,
    recs: Vec<RecursorInfo>,
}

/// Reads the claims of an `inductive` line.
pub(super) fn claims(t: &Tables<'_>, x: &Inductive) -> Result<Claims, String> {
    let sig = |name: u64, params: &[u64], ty: u64| -> Result<Signature, String> {
        Ok(Signature {
            name: t.name(name)?,
            univ_params: t.all_names(params)?,
            ty: t.term(ty)?,
        })
    };
    let mut types = Vec::new();
    for v in &x.types {
        types.push(InductiveInfo {
            sig: sig(v.name, &v.level_params, v.ty)?,
            num_params: v.num_params,
            num_indices: v.num_indices,
            all: t.all_names(&v.all)?,
            ctors: t.all_names(&v.ctors)?,
            is_recursive: v.is_rec,
            is_reflexive: v.is_reflexive,
            num_nested: v.num_nested,
        });
    }
    let mut ctors = Vec::new();
    for v in &x.ctors {
        ctors.push(ConstructorInfo {
            sig: sig(v.name, &v.level_params, v.ty)?,
            inductive: t.name(v.induct)?,
            cidx: v.cidx,
            num_params: v.num_params,
            num_fields: v.num_fields,
        });
    }
    let mut recs = Vec::new();
    for v in &x.recs {
        let sig = sig(v.name, &v.level_params, v.ty)?;
        let mut rules = Vec::new();
        for r in &v.rules {
            rules.push(RecursorRule {
                ctor: t.name(r.ctor)?,
                num_fields: r.nfields,
                rhs: t.term(r.rhs)?,
            });
        }
        recs.push(RecursorInfo {
            inductive: t.st.name_prefix(sig.name),
            sig,
            all: t.all_names(&v.all)?,
            num_params: v.num_params,
            num_indices: v.num_indices,
            num_motives: v.num_motives,
            num_minors: v.num_minors,
            rules,
            k: v.k,
        });
    }
    Ok(Claims { types, ctors, recs })
}

/// Compares the claims with what the environment now holds.
pub(super) fn inductive(env: &Environment<'_>, claims: &Claims) -> Result<(), (Name, Difference)> {
    for t in &claims.types {
        type_former(env, t).map_err(|d| (t.sig.name, d))?;
    }
    for c in &claims.ctors {
        constructor(env, c).map_err(|d| (c.sig.name, d))?;
    }
    let mut named = FxHashSet::default();
    let (of, all) = match claims.types.first() {
        Some(t) => (t.sig.name, &t.all),
        None => return Ok(()),
    };
    for r in &claims.recs {
        recursor(env, r, all).map_err(|d| (r.sig.name, d))?;
        named.insert(r.sig.name);
    }
    // Nothing but the constructors, and one recursor a type and a nested occurrence, each once.
    let recs = claims.types.len() + claims.types[0].num_nested as usize;
    let ctors: usize = claims.types.iter().map(|t| t.ctors.len()).sum();
    let complete = named.len() == recs && claims.recs.len() == recs && claims.ctors.len() == ctors;
    demand(complete, Difference::Missing).map_err(|d| (of, d))
}

fn demand(ok: bool, otherwise: Difference) -> Result<(), Difference> {
    if ok { Ok(()) } else { Err(otherwise) }
}

fn type_former(env: &Environment<'_>, t: &InductiveInfo) -> Result<(), Difference> {
    let Some(ConstantInfo::Inductive(d)) = env.get(t.sig.name) else {
        return Err(Difference::NoSuchConstant);
    };
    same_parameters(&t.sig, &d.sig)?;
    signature(env, &t.sig, &d.sig)?;
    let counts = |i: &InductiveInfo| (i.num_params, i.num_indices, i.num_nested);
    demand(counts(t) == counts(d), Difference::Count)?;
    demand(t.all == d.all && t.ctors == d.ctors, Difference::Missing)?;
    let flags = |i: &InductiveInfo| (i.is_recursive, i.is_reflexive);
    demand(flags(t) == flags(d), Difference::Flag)
}

fn constructor(env: &Environment<'_>, c: &ConstructorInfo) -> Result<(), Difference> {
    let Some(ConstantInfo::Constructor(d)) = env.get(c.sig.name) else {
        return Err(Difference::NoSuchConstant);
    };
    same_parameters(&c.sig, &d.sig)?;
    signature(env, &c.sig, &d.sig)?;
    demand(c.inductive == d.inductive, Difference::NoSuchConstant)?;
    let counts = |i: &ConstructorInfo| (i.cidx, i.num_params, i.num_fields);
    demand(counts(c) == counts(d), Difference::Count)
}

fn recursor(env: &Environment<'_>, r: &RecursorInfo, all: &[Name]) -> Result<(), Difference> {
    let Some(ConstantInfo::Recursor(d)) = env.get(r.sig.name) else {
        return Err(Difference::NoSuchConstant);
    };
    signature(env, &r.sig, &d.sig)?;
    demand(r.all == d.all && d.all == all, Difference::Missing)?;
    let counts = |i: &RecursorInfo| (i.num_params, i.num_indices, i.num_motives, i.num_minors);
    demand(counts(r) == counts(d), Difference::Count)?;
    demand(r.k == d.k, Difference::Flag)?;
    let ctors = |i: &RecursorInfo| i.rules.iter().map(|x| x.ctor).collect::<Vec<_>>();
    demand(ctors(r) == ctors(d), Difference::Rules)?;
    for (mine, derived) in r.rules.iter().zip(&d.rules) {
        demand(mine.num_fields == derived.num_fields, Difference::Count)?;
        let rhs = renamed(
            env.store(),
            mine.rhs,
            &r.sig.univ_params,
            &d.sig.univ_params,
        );
        let same = equal(env, rhs, derived.rhs, &d.sig.univ_params);
        demand(same, Difference::Rule)?;
    }
    Ok(())
}

/// Compares a quotient constant.
pub(super) fn quot(
    env: &Environment<'_>,
    sig: &Signature,
    kind: QuotKind,
) -> Result<(), Difference> {
    match env.get(sig.name) {
        Some(ConstantInfo::Quot { sig: d, kind: k }) if *k == kind => signature(env, sig, d),
        _ => Err(Difference::NoSuchConstant),
    }
}

/// Types and constructors are given, not derived: the declaration has the names of the first type for all of them.
fn same_parameters(mine: &Signature, d: &Signature) -> Result<(), Difference> {
    let same = mine.univ_params == d.univ_params;
    demand(same, Difference::UniverseParameters)
}

fn signature(env: &Environment<'_>, mine: &Signature, d: &Signature) -> Result<(), Difference> {
    demand(
        mine.univ_params.len() == d.univ_params.len(),
        Difference::UniverseParameters,
    )?;
    let ty = renamed(env.store(), mine.ty, &mine.univ_params, &d.univ_params);
    demand(equal(env, ty, d.ty, &d.univ_params), Difference::Type)
}

fn renamed(st: &Store<'_>, e: Expr, from: &[Name], to: &[Name]) -> Expr {
    if from == to {
        return e;
    }
    let levels: Vec<Level> = to.iter().map(|n| st.level_param(*n)).collect();
    st.instantiate_level_params(e, from, &levels)
}

/// Definitional equality of two closed terms. A claimed term that is not even well-typed is different.
fn equal(env: &Environment<'_>, claimed: Expr, derived: Expr, univ_params: &[Name]) -> bool {
    if alpha_equal(env.store(), claimed, derived) {
        return true;
    }
    let mut checker = Checker::new(env, univ_params);
    checker.check(claimed).is_ok() && checker.is_defeq(claimed, derived).unwrap_or(false)
}

/// Equality up to binder names and annotations, each pair of subterms once.
fn alpha_equal(st: &Store<'_>, a: Expr, b: Expr) -> bool {
    let mut seen: FxHashSet<(Expr, Expr)> = FxHashSet::default();
    let mut todo = vec![(a, b)];
    while let Some((a, b)) = todo.pop() {
        if a == b || !seen.insert((a, b)) {
            continue;
        }
        match (st.node(a), st.node(b)) {
            (Node::App(f, x), Node::App(g, y)) => todo.extend([(f, g), (x, y)]),
            (Node::Lam(_, t, x, _), Node::Lam(_, s, y, _))
            | (Node::Pi(_, t, x, _), Node::Pi(_, s, y, _)) => todo.extend([(t, s), (x, y)]),
            (Node::Let(_, t, v, x), Node::Let(_, s, w, y)) => {
                todo.extend([(t, s), (v, w), (x, y)]);
            }
            (Node::Proj(n, i, x), Node::Proj(m, j, y)) if n == m && i == j => todo.push((x, y)),
            _ => return false,
        }
    }
    true
}
