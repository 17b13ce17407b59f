//! The recursors of inductive types: their types and their computation rules, derived from the declaration alone
//! (Carneiro 2019, §2.6.2 and §2.6.4).

use super::{Family, Var, elim, lams, open, open_params, pis, positivity, terms};
use crate::check::{Checker, Res, Telescope};
use crate::env::{ConstantInfo, RecursorInfo, RecursorRule, Signature};
use crate::expr::{BinderInfo, Expr, Node};

use crate::level::Level;
use crate::name::{Name, NameNode};
use crate::store::Store;
use rustc_hash::FxHashSet;

/// A field of a constructor whose type ends in a type of the declaration: `(xs) → T_d params indices`.
struct Recursive {
    field: Var,
    xs: Vec<Var>,
    target: usize,
    indices: Vec<Expr>,
}

/// A constructor with its fields opened.
struct Opened {
    type_at: usize,
    name: Name,
    fields: Vec<Var>,
    recursive: Vec<Recursive>,
    /// The indices of the result.
    indices: Vec<Expr>,
}

/// The recursors of all types of a declaration.
pub(super) fn recursors(c: &mut Checker<'_, '_>, f: &Family<'_>) -> Res<Vec<ConstantInfo>> {
    let st = c.env().store();
    open_params(c, f)?;
    let prop_only = elim::only_to_prop(c, f)?;
    let mut univ_params = f.decl.univ_params.clone();
    let elim_level = match prop_only {
        true => Level::ZERO,
        false => {
            let u = fresh_level_name(st, &univ_params);
            univ_params.insert(0, u);
            st.level_param(u)
        }
    };
    let rec_levels: Vec<Level> = univ_params.iter().map(|n| st.level_param(*n)).collect();

    // (C_d : (indices) → T_d params indices → Sort u)
    let mut indices: Vec<Vec<Var>> = Vec::new();
    let mut majors: Vec<Var> = Vec::new();
    let mut motives: Vec<Var> = Vec::new();
    for (d, t) in f.decl.types.iter().enumerate() {
        let (is, _) = open_pis(c, f, st.instantiate_pis(t.ty, &terms(&f.params)))?;
        let major_ty = st.apps(f.applied[d], &terms(&is));
        let major = open_real(c, f, st.name("t"), major_ty, BinderInfo::Default)?;
        let mut vars = is.clone();
        vars.push(major);
        let motive_ty = pis(st, &vars, st.sort(elim_level));
        let name = match f.decl.types.len() {
            1 => st.name("motive"),
            _ => st.name(&format!("motive_{}", d + 1)),
        };
        motives.push(open(c, name, motive_ty, BinderInfo::Implicit)?);
        indices.push(is);
        majors.push(major);
    }

    let mut ctors: Vec<Opened> = Vec::new();
    let mut minors: Vec<Var> = Vec::new();
    for (d, t) in f.decl.types.iter().enumerate() {
        for (name, ty) in &t.ctors {
            let ctor = open_ctor(c, f, d, *name, *ty)?;
            let ty = minor_type(st, f, &motives, &ctor);
            let short = strip_prefix(st, *name, owner(st, f, d));
            minors.push(open(c, short, ty, BinderInfo::Default)?);
            ctors.push(ctor);
        }
    }

    let k = f.is_prop
        && f.decl.types.len() == 1
        && ctors.len() == 1
        && ctors.iter().all(|c| c.fields.is_empty());
    // `T.rec` for each declared type; `T.rec_1`, …, by the first of them, for the auxiliary ones.
    let rec_name = |d: usize| match f.declared.checked_sub(d + 1) {
        Some(_) => st.name_str(f.decl.types[d].name, "rec"),
        None => st.name_str(f.decl.types[0].name, &format!("rec_{}", d + 1 - f.declared)),
    };
    let recs: Vec<Name> = (0..f.real.len()).map(rec_name).collect();
    let rec_consts: Vec<Expr> = recs.iter().map(|n| st.constant(*n, &rec_levels)).collect();
    let implicit = |vs: &[Var]| -> Vec<Var> {
        let bi = BinderInfo::Implicit;
        vs.iter().map(|v| Var { bi, ..*v }).collect()
    };
    let mut shared = implicit(&f.params);
    // As in Lean, a motive that no minor premise mentions is explicit.
    let targets = |c: &Opened| {
        c.recursive
            .iter()
            .map(|r| r.target)
            .chain([c.type_at])
            .collect::<Vec<_>>()
    };
    let named: FxHashSet<usize> = ctors.iter().flat_map(targets).collect();
    for (d, m) in motives.iter_mut().enumerate() {
        if !named.contains(&d) {
            m.bi = BinderInfo::Default;
        }
    }
    shared.extend(&motives);
    shared.extend(&minors);
    let mut out = Vec::new();
    for d in 0..f.real.len() {
        c.tick(1)?;
        let mut vars = shared.clone();
        vars.extend(implicit(&indices[d]));
        vars.push(majors[d]);
        let target = st.apps(motives[d].x, &terms(&indices[d]));
        let ty = pis(st, &vars, st.app(target, majors[d].x));
        let mut rules = Vec::new();
        for (ctor, minor) in ctors.iter().zip(&minors).filter(|(k, _)| k.type_at == d) {
            c.tick(1)?;
            rules.push(RecursorRule {
                ctor: ctor.name,
                num_fields: ctor.fields.len() as u32,
                rhs: rule(st, &rec_consts, &shared, ctor, minor.x),
            });
        }
        out.push(ConstantInfo::Recursor(RecursorInfo {
            sig: Signature {
                name: recs[d],
                univ_params: univ_params.clone(),
                ty,
            },
            all: f.decl.types[..f.declared].iter().map(|t| t.name).collect(),
            inductive: owner(st, f, d),
            num_params: f.decl.num_params,
            num_indices: f.num_indices[d],
            num_motives: motives.len() as u32,
            num_minors: minors.len() as u32,
            rules,
            k,
        }));
    }
    Ok(out)
}

/// Opens a binder. In its type, auxiliary types become what they stand for: it will be closed again with that type.
fn open_real(
    c: &mut Checker<'_, '_>,
    f: &Family<'_>,
    n: Name,
    ty: Expr,
    bi: BinderInfo,
) -> Res<Var> {
    let st = c.env().store();
    let aux = |x, _| f.applied.iter().position(|a| *a == x).map(|d| f.real[d]);
    let real = match f.real.len() > f.declared {
        true => st.replace(ty, aux),
        false => ty,
    };
    Ok(Var {
        ty: real,
        ..open(c, n, ty, bi)?
    })
}

/// Opens all Π binders, reducing where needed to find them; also returns what is left.
fn open_pis(c: &mut Checker<'_, '_>, f: &Family<'_>, ty: Expr) -> Res<(Vec<Var>, Expr)> {
    let mut vars = Vec::new();
    let mut tele = Telescope::new(c.env().store(), ty);
    while let Some((n, dom, bi)) = tele.reduced_binder(c)? {
        let v = open_real(c, f, n, dom, bi)?;
        vars.push(v);
        tele.apply(v.x);
    }
    Ok((vars, tele.ty()))
}

/// The inductive type that type `d` is, without parameters.
fn owner(st: &Store<'_>, f: &Family<'_>, d: usize) -> Name {
    match st.node(st.app_fn(f.real[d])) {
        Node::Const(n, _) => n,
        _ => f.decl.types[d].name,
    }
}

/// `u`, or the first of `u_1`, `u_2`, … that is no parameter of the declaration.
fn fresh_level_name(st: &Store<'_>, taken: &[Name]) -> Name {
    let mut name = st.name("u");
    let mut i = 1;
    while taken.contains(&name) {
        name = st.name(&format!("u_{i}"));
        i += 1;
    }
    name
}

/// A constructor's name without that of its type in front.
fn strip_prefix(st: &Store<'_>, name: Name, prefix: Name) -> Name {
    let mut parts = Vec::new();
    let mut cur = name;
    while cur != prefix {
        match st.name_node(cur) {
            NameNode::Anon => break,
            node @ (NameNode::Str(p, _) | NameNode::Num(p, _)) => {
                parts.push(node);
                cur = p;
            }
        }
    }
    let join = |acc, node: &NameNode<'_>| match *node {
        NameNode::Str(_, s) => st.name_str(acc, s),
        NameNode::Num(_, i) => st.name_num(acc, i),
        NameNode::Anon => acc,
    };
    parts.iter().rev().fold(Name::ANON, join)
}

/// Opens the fields of a constructor and finds the recursive ones.
fn open_ctor(
    c: &mut Checker<'_, '_>,
    f: &Family<'_>,
    type_at: usize,
    name: Name,
    ty: Expr,
) -> Res<Opened> {
    let st = c.env().store();
    let mut fields = Vec::new();
    let mut recursive = Vec::new();
    let mut tele = Telescope::new(st, st.instantiate_pis(ty, &terms(&f.params)));
    while let Some((n, dom, bi)) = tele.binder() {
        let field = open_real(c, f, n, dom, bi)?;
        fields.push(field);
        tele.apply(field.x);
        if f.mentions.occur(st, dom) {
            // The `xs` stay open: every variable of the recursor is a different one.
            let (xs, end) = open_pis(c, f, dom)?;
            if let Some(target) = positivity::valid_application(st, f, end) {
                let (_, args) = st.unfold_app(end);
                recursive.push(Recursive {
                    field,
                    xs,
                    target,
                    indices: args[f.params.len()..].to_vec(),
                });
            }
        }
    }
    let (_, args) = st.unfold_app(tele.ty());
    Ok(Opened {
        type_at,
        name,
        fields,
        recursive,
        indices: args[f.params.len().min(args.len())..].to_vec(),
    })
}

/// The minor premise of a constructor:
/// `(fields) → (ihs) → C indices (c params fields)`, with an `ih : (xs) → C_d indices (u xs)` for each recursive `u`.
fn minor_type(st: &Store<'_>, f: &Family<'_>, motives: &[Var], ctor: &Opened) -> Expr {
    // With universes and parameters of the type itself: an auxiliary type has no constructors of its own.
    let (ind, params) = st.unfold_app(f.real[ctor.type_at]);
    let levels = match st.node(ind) {
        Node::Const(_, ls) => ls,
        _ => &f.levels,
    };
    let c = st.apps(st.constant(ctor.name, levels), &params);
    let value = st.apps(c, &terms(&ctor.fields));
    let target = st.apps(motives[ctor.type_at].x, &ctor.indices);
    let end = st.app(target, value);
    // No induction hypothesis occurs in what follows it.
    let with_ihs = ctor.recursive.iter().rev().fold(end, |body, r| {
        let motive = st.apps(motives[r.target].x, &r.indices);
        let ih = st.app(motive, st.apps(r.field.x, &terms(&r.xs)));
        let name = match st.name_node(r.field.name) {
            NameNode::Str(p, s) => st.name_str(p, &format!("{s}_ih")),
            _ => st.name_str(r.field.name, "_ih"),
        };
        st.pi(name, pis(st, &r.xs, ih), body, BinderInfo::Default)
    });
    pis(st, &ctor.fields, with_ihs)
}

/// The rule of a constructor: `fun params motives minors fields => minor fields (fun xs => rec … (u xs)) …`.
fn rule(st: &Store<'_>, recs: &[Expr], shared: &[Var], ctor: &Opened, minor: Expr) -> Expr {
    let values: Vec<Expr> = ctor
        .recursive
        .iter()
        .map(|r| {
            let rec = st.apps(st.apps(recs[r.target], &terms(shared)), &r.indices);
            let value = st.app(rec, st.apps(r.field.x, &terms(&r.xs)));
            lams(st, &r.xs, value)
        })
        .collect();
    let body = st.apps(st.apps(minor, &terms(&ctor.fields)), &values);
    let mut vars = shared.to_vec();
    vars.extend(&ctor.fields);
    lams(st, &vars, body)
}
