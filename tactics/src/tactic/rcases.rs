//! Patterns: `rcases`, `obtain`, `rintro`, and the patterns of `intro` and `have`.

use logic::{BinderInfo, ConstantInfo, Expr, Name};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};
use crate::syntax::ast::{self, Discr, RPattern, RPatternKind, Span, Term};

use super::cases::{CaseGoal, cases_core, generalize_term};
use super::subst::subst_eq;
use super::util::{
    FVarSubst, as_fvar, binder_name, elab_type, elab_type_like, ident_name, on_goal, stated_type,
    term_local, try_clear,
};

/// What a pattern calls its value.
pub(crate) fn pattern_name(st: &logic::Store<'_>, p: &RPattern) -> Option<Name> {
    match &p.kind {
        RPatternKind::Name(i) => Some(ident_name(st, i)),
        RPatternKind::Typed(p, _) => pattern_name(st, p),
        _ => None,
    }
}

fn wild(span: Span) -> RPattern {
    RPattern {
        kind: RPatternKind::Wild,
        span,
    }
}

/// Matches several values, from the left, and gives the goals that remain.
pub(crate) fn match_all<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    items: &[(Expr, RPattern)],
) -> Result<Vec<MVarId>> {
    let Some(((value, pat), rest)) = items.split_first() else {
        return Ok(vec![m]);
    };
    let st = el.st;
    let mut out = Vec::new();
    for (goal, subst, more) in match_one(el, m, *value, pat)? {
        let mut next: Vec<(Expr, RPattern)> = more;
        next.extend(rest.iter().map(|(e, p)| (subst.apply(st, *e), p.clone())));
        out.extend(match_all(el, goal, &next)?);
    }
    Ok(out)
}

/// A goal, what became of older variables, and the parts that are still to be matched.
type Step = (MVarId, FVarSubst, Vec<(Expr, RPattern)>);

fn match_one<'b>(el: &mut Elab<'b>, m: MVarId, value: Expr, pat: &RPattern) -> Result<Vec<Step>> {
    let st = el.st;
    let none = FVarSubst::default;
    let at = |e: ElabError| e.at(pat.span);
    match &pat.kind {
        RPatternKind::Wild | RPatternKind::Name(_) => Ok(vec![(m, none(), Vec::new())]),
        RPatternKind::Clear => {
            let g = match as_fvar(st, value) {
                Some(x) => try_clear(el, m, x),
                None => m,
            };
            Ok(vec![(g, none(), Vec::new())])
        }
        RPatternKind::Rfl => {
            let Some(x) = as_fvar(st, value) else {
                return Ok(vec![(m, none(), Vec::new())]);
            };
            let (subst, g) = by_rfl(el, m, x).map_err(at)?;
            Ok(g.into_iter()
                .map(|g| (g, subst.clone(), Vec::new()))
                .collect())
        }
        RPatternKind::Typed(inner, ty) => {
            let Some(x) = as_fvar(st, value) else {
                return Ok(vec![(m, none(), vec![(value, (**inner).clone())])]);
            };
            let old = el.local(x).ty;
            let ty_e = elab_type_like(el, m, ty, old)?;
            if !el.with_goal(m, |el| el.is_defeq(old, ty_e)) {
                let (a, b) = (el.pp(old), el.pp(ty_e));
                return Err(ElabError::new(
                    ty.span,
                    format!("this value has type `{a}`, not `{b}`"),
                ));
            }
            let ty_e = el.instantiate_mvars(ty_e);
            let proof = el.mk_fvar(x);
            let (y, g) = el.replace_local(m, x, ty_e, proof)?;
            let mut s = none();
            let y_e = el.mk_fvar(y);
            if x != y {
                s.insert(st, x, y_e);
            }
            Ok(vec![(g, s, vec![(y_e, (**inner).clone())])])
        }
        RPatternKind::Tuple(ps) => split(el, m, value, pat, &[tuple_alt(ps)]).map_err(at),
        RPatternKind::Alts(ps) => {
            let alts: Vec<Alt<'_>> = ps
                .iter()
                .map(|p| match &p.kind {
                    RPatternKind::Tuple(qs) => tuple_alt(qs),
                    _ => Alt::One(p),
                })
                .collect();
            split(el, m, value, pat, &alts).map_err(at)
        }
    }
}

/// What is said about one constructor.
enum Alt<'p> {
    /// A pattern for each argument.
    Fields(&'p [RPattern]),
    /// A pattern for the first argument.
    One(&'p RPattern),
    /// Alternatives for the last constructor's argument: the rest of `a | b | c` at a binary `∨`.
    Rest(&'p [Alt<'p>], Span),
}

fn tuple_alt(ps: &[RPattern]) -> Alt<'_> {
    Alt::Fields(ps)
}

impl Alt<'_> {
    fn pattern(&self) -> RPattern {
        match self {
            Alt::One(p) => (*p).clone(),
            Alt::Fields(ps) => {
                let span = match (ps.first(), ps.last()) {
                    (Some(a), Some(b)) => a.span.to(b.span),
                    _ => Span::default(),
                };
                RPattern {
                    kind: RPatternKind::Tuple(ps.to_vec()),
                    span,
                }
            }
            Alt::Rest(alts, span) => RPattern {
                kind: RPatternKind::Alts(alts.iter().map(Alt::pattern).collect()),
                span: *span,
            },
        }
    }

    /// Patterns for the arguments of a constructor, of which `infos` tells the explicit ones.
    fn fields(&self, infos: &[BinderInfo], span: Span) -> Result<Vec<RPattern>> {
        let explicit: Vec<usize> = (0..infos.len())
            .filter(|k| infos[*k] == BinderInfo::Default)
            .collect();
        let mut out = vec![wild(span); infos.len()];
        let given: Vec<RPattern> = match self {
            Alt::Fields(ps) => ps.to_vec(),
            other => vec![other.pattern()],
        };
        let places = if explicit.is_empty() && !given.is_empty() {
            (0..infos.len()).collect()
        } else {
            explicit
        };
        if places.is_empty() {
            if let Some(p) = given.iter().find(|p| {
                !matches!(
                    p.kind,
                    RPatternKind::Wild
                        | RPatternKind::Clear
                        | RPatternKind::Rfl
                        | RPatternKind::Name(_)
                )
            }) {
                return Err(ElabError::new(p.span, "there is nothing to match here"));
            }
            return Ok(out);
        }
        let n = places.len();
        for (k, p) in given.iter().enumerate() {
            if k + 1 == n && given.len() > n {
                // `⟨a, b, c⟩` at a pair of a pair: the rest belongs to the last argument.
                let rest = given[k..].to_vec();
                let span = p.span.to(given[given.len() - 1].span);
                out[places[k]] = RPattern {
                    kind: RPatternKind::Tuple(rest),
                    span,
                };
                break;
            }
            out[places[k]] = p.clone();
        }
        Ok(out)
    }
}

fn split<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    value: Expr,
    pat: &RPattern,
    alts: &[Alt<'_>],
) -> Result<Vec<Step>> {
    let st = el.st;
    let mut goal = m;
    let x = match as_fvar(st, value) {
        Some(x) if el.local(x).value.is_none() => x,
        _ => {
            let (x, _, g) = generalize_term(el, m, value, None, None)?;
            goal = g;
            x
        }
    };
    let ty = el.local(x).ty;
    let ty = el.instantiate_mvars(ty);
    let Some((info, ..)) = el.get_inductive_app(ty) else {
        let t = el.pp(ty);
        return Err(on_goal(
            el,
            ElabError::msg(format!(
                "this pattern takes a value apart, but its type `{t}` is not inductive"
            )),
            goal,
        ));
    };
    let ctors = info.ctors.clone();
    let n = ctors.len();
    if n > 1 && alts.len() > n {
        // The alternatives beyond the last constructor belong to its argument.
    } else if n == 1 && alts.len() > 1 {
        let t = el.pp(ty);
        return Err(ElabError::msg(format!(
            "{} alternatives, but `{t}` has one constructor only",
            alts.len()
        )));
    }
    // The patterns of each constructor's fields.
    let mut table: Vec<(Name, Vec<RPattern>)> = Vec::new();
    for (k, c) in ctors.iter().enumerate() {
        let Some(ConstantInfo::Constructor(ci)) = el.env.get(*c).map(|c| (*c).clone()) else {
            continue;
        };
        let infos = field_infos(st, ci.sig.ty, ci.num_params as usize);
        let rest;
        let alt = if k + 1 == n && n > 1 && alts.len() > n {
            rest = Alt::Rest(&alts[k..], pat.span);
            Some(&rest)
        } else {
            alts.get(k)
        };
        let fields = match alt {
            Some(a) => a.fields(&infos, pat.span)?,
            None => vec![wild(pat.span); infos.len()],
        };
        table.push((*c, fields));
    }
    let names = |ctor: Name, _: &[BinderInfo]| -> Vec<Option<Name>> {
        table
            .iter()
            .find(|(c, _)| *c == ctor)
            .map(|(_, ps)| ps.iter().map(|p| pattern_name(st, p)).collect())
            .unwrap_or_default()
    };
    let cases: Vec<CaseGoal> = cases_core(el, goal, x, &names)?;
    let mut out = Vec::with_capacity(cases.len());
    for c in cases {
        let pats = table
            .iter()
            .find(|(n, _)| *n == c.ctor)
            .map(|(_, ps)| ps.clone())
            .unwrap_or_default();
        let parts = c.fields.iter().copied().zip(pats).collect();
        out.push((c.goal, c.subst, parts));
    }
    Ok(out)
}

/// The binders of a constructor's fields.
pub(crate) fn field_infos(st: &logic::Store<'_>, mut ty: Expr, params: usize) -> Vec<BinderInfo> {
    let mut out = Vec::new();
    let mut k = 0;
    while let logic::Node::Pi(_, _, b, bi) = st.node(ty) {
        if k >= params {
            out.push(bi);
        }
        k += 1;
        ty = b;
    }
    out
}

/// The pattern `rfl`: substitutes an equation, whatever form it has.
fn by_rfl<'b>(el: &mut Elab<'b>, m: MVarId, x: FVarId) -> Result<(FVarSubst, Option<MVarId>)> {
    let saved = el.save();
    let ty = el.local(x).ty;
    let ty = el.instantiate_mvars(ty);
    if el.match_eq(ty).is_some() {
        match subst_eq(el, m, x) {
            Ok((s, g)) => return Ok((s, Some(g))),
            Err(_) => el.restore(&saved),
        }
    }
    let mut cases = cases_core(el, m, x, &super::cases::no_names)?;
    match cases.len() {
        0 => Ok((FVarSubst::default(), None)),
        1 => {
            let c = cases.remove(0);
            Ok((c.subst, Some(c.goal)))
        }
        _ => {
            let t = el.pp(ty);
            Err(ElabError::msg(format!(
                "the pattern `rfl` needs an equation, but this is `{t}`"
            )))
        }
    }
}

/// Elaborates a value and makes it a variable to be matched.
pub(crate) fn value_variable<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    d: &Discr,
    expected: Option<Expr>,
    name: Option<Name>,
) -> Result<(Expr, MVarId, Vec<MVarId>)> {
    if d.hyp.is_none()
        && expected.is_none()
        && let Some(x) = term_local(el, m, &d.e)
        && el.local(x).value.is_none()
    {
        return Ok((el.mk_fvar(x), m, Vec::new()));
    }
    let (e, new) = el.with_goal(m, |el| el.elab_for_tactic(&d.e, expected, true))?;
    let e = el.instantiate_mvars(e);
    if d.hyp.is_none() {
        if let Some(x) = as_fvar(el.st, e)
            && el.local(x).value.is_none()
        {
            return Ok((e, m, new));
        }
        let ty = match expected {
            Some(t) => t,
            None => stated_type(el, m, e)?,
        };
        let ty = el.instantiate_mvars(ty);
        if el.with_goal(m, |el| el.is_prop(ty)) {
            let name = match name {
                Some(n) => n,
                None => el.fresh_user_name("this"),
            };
            let (x, g) = el.assert(m, name, ty, e)?;
            return Ok((el.mk_fvar(x), g, new));
        }
    }
    let eq = d.hyp.as_ref().map(|b| binder_name(el.st, b));
    let (x, _, g) = generalize_term(el, m, e, name, eq)?;
    Ok((el.mk_fvar(x), g, new))
}

/// The tactic `rcases e, … with pat`.
pub(crate) fn rcases<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    targets: &[Discr],
    with: Option<&RPattern>,
) -> Result<Vec<MVarId>> {
    let default = |t: &Discr| RPattern {
        kind: RPatternKind::Tuple(Vec::new()),
        span: t.e.span,
    };
    let pats: Vec<RPattern> = match (with, targets) {
        (None, ts) => ts.iter().map(default).collect(),
        (Some(p), [_]) => vec![p.clone()],
        (Some(p), ts) => match &p.kind {
            RPatternKind::Tuple(ps) if ps.len() <= ts.len() => {
                let mut ps = ps.clone();
                ps.extend(ts[ps.len()..].iter().map(default));
                ps
            }
            _ => {
                return Err(ElabError::new(
                    p.span,
                    format!(
                        "expected `⟨…⟩` with a pattern for each of the {} values",
                        ts.len()
                    ),
                ));
            }
        },
    };
    let mut goal = m;
    let mut items = Vec::new();
    let mut extra = Vec::new();
    for (t, p) in targets.iter().zip(&pats) {
        let name = pattern_name(el.st, p);
        let (x, g, new) = value_variable(el, goal, t, None, name)?;
        goal = g;
        items.push((x, p.clone()));
        extra.extend(new);
    }
    let mut out = match_all(el, goal, &items)?;
    out.extend(extra);
    Ok(out)
}

/// The tactic `obtain pat : T := e`.
pub(crate) fn obtain<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    pat: Option<&RPattern>,
    ty: Option<&Term>,
    value: Option<&Term>,
    span: Span,
) -> Result<Vec<MVarId>> {
    let st = el.st;
    let this = RPattern {
        kind: RPatternKind::Name(ast::Ident {
            name: "this".into(),
            span,
        }),
        span,
    };
    let pat = pat.unwrap_or(&this);
    let ty_e = match ty {
        Some(t) => Some(elab_type(el, m, t)?),
        None => None,
    };
    let name = pattern_name(st, pat);
    match (value, ty_e) {
        (Some(v), ty_e) => {
            let d = Discr {
                hyp: None,
                e: v.clone(),
            };
            let (x, goal, extra) = value_variable(el, m, &d, ty_e, name)?;
            let mut out = match_all(el, goal, &[(x, pat.clone())])?;
            out.extend(extra);
            Ok(out)
        }
        (None, Some(ty_e)) => {
            let ty_e = el.instantiate_mvars(ty_e);
            let proof = el.with_goal(m, |el| el.mk_goal(ty_e, logic::Name::ANON));
            let name = match name {
                Some(n) => n,
                None => el.fresh_user_name("this"),
            };
            let proof_e = el.mk_mvar(proof);
            let (x, goal) = el.assert(m, name, ty_e, proof_e)?;
            let x = el.mk_fvar(x);
            let rest = match_all(el, goal, &[(x, pat.clone())])?;
            let mut out = vec![proof];
            out.extend(rest);
            Ok(out)
        }
        (None, None) => Err(ElabError::new(
            pat.span,
            "`obtain` needs a value (`:= e`) or a type (`: T`)",
        )),
    }
}
