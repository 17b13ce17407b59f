//! `intro`, `rintro` and `cases'`: patterns for what a tactic introduces.

use logic::{BinderInfo, ConstantInfo, Expr, Name};

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};
use crate::syntax::ast::{Discr, FunBinder, Pattern, PatternKind, RPattern, RPatternKind};

use super::cases::cases_core;
use super::rcases::{field_infos, match_all, pattern_name, value_variable};
use super::util::{as_fvar, context};

/// A term pattern (`fun ⟨a, b⟩ => …`) as a pattern of `rcases`.
pub(crate) fn from_pattern(p: &Pattern) -> Result<RPattern> {
    let all = |ps: &[Pattern]| ps.iter().map(from_pattern).collect::<Result<Vec<_>>>();
    let kind = match &p.kind {
        PatternKind::Wild => RPatternKind::Wild,
        PatternKind::Name(i) if &*i.name == "rfl" => RPatternKind::Rfl,
        PatternKind::Name(i) => RPatternKind::Name(i.clone()),
        PatternKind::AnonCtor(ps) => RPatternKind::Tuple(all(ps)?),
        PatternKind::Tuple(ps) => RPatternKind::Tuple(all(ps)?),
        PatternKind::Ascribe(p, t) => RPatternKind::Typed(Box::new(from_pattern(p)?), t.clone()),
        _ => {
            return Err(ElabError::new(
                p.span,
                "only names, `_`, `rfl` and `⟨…⟩` can stand here; use `match` or `rcases` for other patterns",
            ));
        }
    };
    Ok(RPattern { kind, span: p.span })
}

/// The tactic `rintro p q …`.
pub(crate) fn rintro<'b>(el: &mut Elab<'b>, m: MVarId, pats: &[RPattern]) -> Result<Vec<MVarId>> {
    let Some((p, rest)) = pats.split_first() else {
        return Ok(vec![m]);
    };
    let (x, g) = el
        .intro(m, pattern_name(el.st, p))
        .map_err(|e| e.at(p.span))?;
    let x = el.mk_fvar(x);
    let mut out = Vec::new();
    for g in match_all(el, g, &[(x, p.clone())])? {
        out.extend(rintro(el, g, rest)?);
    }
    Ok(out)
}

/// The tactic `intro x (y : T) ⟨a, b⟩ …`.
pub(crate) fn intro<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    binders: &[FunBinder],
) -> Result<Vec<MVarId>> {
    if binders.is_empty() {
        let (_, g) = el.intro(m, None)?;
        return Ok(vec![g]);
    }
    let mut pats = Vec::new();
    for b in binders {
        match b {
            FunBinder::Binder(b) => {
                for n in &b.names {
                    let inner = RPattern {
                        kind: match &n.name {
                            None => RPatternKind::Wild,
                            Some(i) if &*i.name == "rfl" => RPatternKind::Rfl,
                            Some(i) => RPatternKind::Name(i.clone()),
                        },
                        span: n.span,
                    };
                    pats.push(match &b.ty {
                        None => inner,
                        Some(t) => RPattern {
                            kind: RPatternKind::Typed(Box::new(inner), t.clone()),
                            span: b.span,
                        },
                    });
                }
            }
            FunBinder::Pattern { pat, ty } => {
                let inner = from_pattern(pat)?;
                let span = inner.span;
                pats.push(match ty {
                    None => inner,
                    Some(t) => RPattern {
                        kind: RPatternKind::Typed(Box::new(inner), t.clone()),
                        span,
                    },
                });
            }
        }
    }
    rintro(el, m, &pats)
}

/// The tactic `cases' h with x y`: the names go to the new variables of all cases in turn.
pub(crate) fn cases_prime<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    target: &Discr,
    with: &[RPattern],
) -> Result<Vec<MVarId>> {
    let (x, goal, extra) = value_variable(el, m, target, None, None)?;
    let st = el.st;
    let Some(x) = as_fvar(st, x) else {
        return Ok(vec![goal]);
    };
    let ty = el.local(x).ty;
    let ty = el.instantiate_mvars(ty);
    let ctors = el
        .get_inductive_app(ty)
        .map(|(i, ..)| i.ctors.clone())
        .unwrap_or_default();
    // Where each constructor's names begin.
    let mut starts = Vec::new();
    let mut at = 0;
    for c in &ctors {
        starts.push((*c, at));
        if let Some(ConstantInfo::Constructor(ci)) = el.env.get(*c).map(|c| (*c).clone()) {
            let infos = field_infos(st, ci.sig.ty, ci.num_params as usize);
            at += infos.iter().filter(|b| **b == BinderInfo::Default).count();
        }
    }
    let place = |ctor: Name, infos: &[BinderInfo]| -> Vec<Option<RPattern>> {
        let start = starts
            .iter()
            .find(|(c, _)| *c == ctor)
            .map_or(0, |(_, s)| *s);
        let mut given = with.iter().skip(start);
        infos
            .iter()
            .map(|bi| {
                if *bi == BinderInfo::Default {
                    given.next().cloned()
                } else {
                    None
                }
            })
            .collect()
    };
    let names = |ctor: Name, infos: &[BinderInfo]| -> Vec<Option<Name>> {
        place(ctor, infos)
            .iter()
            .map(|p| p.as_ref().and_then(|p| pattern_name(st, p)))
            .collect()
    };
    let mut out = Vec::new();
    for c in cases_core(el, goal, x, &names)? {
        let infos = match el.env.get(c.ctor).map(|c| (*c).clone()) {
            Some(ConstantInfo::Constructor(ci)) => {
                field_infos(st, ci.sig.ty, ci.num_params as usize)
            }
            _ => Vec::new(),
        };
        let items: Vec<(Expr, RPattern)> = c
            .fields
            .iter()
            .zip(place(c.ctor, &infos))
            .filter_map(|(f, p)| p.map(|p| (*f, p)))
            .collect();
        out.extend(match_all(el, c.goal, &items)?);
    }
    out.extend(extra);
    Ok(out)
}

/// The variables of a goal that a script cannot name.
pub(crate) fn inaccessible<'b>(el: &Elab<'b>, m: MVarId) -> Vec<FVarId> {
    let st = el.st;
    context(&el.mvar_lctx(m))
        .into_iter()
        .filter(|x| st.name_to_string(el.local(*x).user_name).ends_with('✝'))
        .collect()
}
