//! Goals of an inductive type: `constructor`, `left`, `right`, `exists`, `use`, `and_intros`.

use logic::{ConstantInfo, Expr, InductiveInfo, Level};

use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{Term, TermKind};

use super::basic;
use super::util::on_goal;

/// An inductive type applied to arguments.
struct Target<'b> {
    info: InductiveInfo,
    levels: &'b [Level],
    params: Vec<Expr>,
}

/// The goal as an inductive type.
fn target<'b>(el: &mut Elab<'b>, m: MVarId, tactic: &str) -> Result<Target<'b>> {
    let ty = el.mvar_type(m);
    match el.with_goal(m, |el| el.get_inductive_app(ty)) {
        Some((info, levels, params, _)) => Ok(Target {
            info,
            levels,
            params,
        }),
        None => {
            let err = ElabError::msg(format!(
                "`{tactic}` needs a goal of an inductive type (such as `∧`, `∃`, `↔`, or a structure)"
            ));
            Err(on_goal(el, err, m))
        }
    }
}

/// Applies constructor number `k`.
fn apply_ctor<'b>(el: &mut Elab<'b>, m: MVarId, a: &Target<'b>, k: usize) -> Result<Vec<MVarId>> {
    let st = el.st;
    let c = st.constant(a.info.ctors[k], a.levels);
    let c = st.apps(c, &a.params);
    el.apply_term(m, c)
}

/// `constructor`: the first constructor that fits.
pub(crate) fn constructor<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Vec<MVarId>> {
    let a = target(el, m, "constructor")?;
    let mut first: Option<ElabError> = None;
    for k in 0..a.info.ctors.len() {
        let saved = el.save();
        match apply_ctor(el, m, &a, k) {
            Ok(gs) => return Ok(gs),
            Err(e) => {
                el.restore(&saved);
                first.get_or_insert(e);
            }
        }
    }
    let name = el.st.name_to_string(a.info.sig.name);
    let err = match first {
        Some(e) => {
            let m = e.message().to_owned();
            ElabError::msg(format!("no constructor of `{name}` fits this goal")).note(m)
        }
        None => ElabError::msg(format!("`{name}` has no constructors")),
    };
    Err(on_goal(el, err, m))
}

/// `left` and `right`: one of two constructors.
pub(crate) fn choose<'b>(el: &mut Elab<'b>, m: MVarId, right: bool) -> Result<Vec<MVarId>> {
    let word = if right { "right" } else { "left" };
    let a = target(el, m, word)?;
    let n = a.info.ctors.len();
    if n != 2 {
        let name = el.st.name_to_string(a.info.sig.name);
        let err = ElabError::msg(format!(
            "`{word}` chooses between two constructors, but `{name}` has {n}"
        ));
        return Err(on_goal(el, err, m));
    }
    apply_ctor(el, m, &a, usize::from(right))
}

/// `exists a, b` and `use a, b`: `refine ⟨a, b, ?_⟩`, then what is simple is closed.
pub(crate) fn exists<'b>(el: &mut Elab<'b>, m: MVarId, terms: &[Term]) -> Result<Vec<MVarId>> {
    let mut goals = vec![m];
    for t in terms {
        let Some(g) = goals.first().copied() else {
            return Err(ElabError::new(
                t.span,
                "there is no goal left for this value",
            ));
        };
        let a = target(el, g, "exists")?;
        if a.info.ctors.len() != 1 {
            let name = el.st.name_to_string(a.info.sig.name);
            let err = ElabError::new(
                t.span,
                format!("a value is given, but `{name}` does not have exactly one constructor"),
            );
            return Err(on_goal(el, err, g));
        }
        let hole = Term {
            kind: TermKind::SynthHole(None),
            span: t.span,
        };
        let fields = explicit_fields(el, a.info.ctors[0]);
        let mut parts = vec![t.clone()];
        parts.resize(fields.max(1), hole);
        let term = Term {
            kind: TermKind::AnonCtor(parts),
            span: t.span,
        };
        let mut new = basic::refine(el, g, &term)?;
        new.extend(goals.into_iter().skip(1));
        goals = new;
    }
    let mut out = Vec::new();
    for g in goals {
        if el.is_assigned(g) || basic::try_rfl_cheap(el, g) || basic::try_assumption(el, g) {
            continue;
        }
        out.push(g);
    }
    Ok(out)
}

/// The number of explicit arguments of a constructor after the parameters.
fn explicit_fields<'b>(el: &Elab<'b>, ctor: logic::Name) -> usize {
    match el.env.get(ctor) {
        Some(ConstantInfo::Constructor(c)) => {
            super::rcases::field_infos(el.st, c.sig.ty, c.num_params as usize)
                .iter()
                .filter(|b| **b == logic::BinderInfo::Default)
                .count()
        }
        _ => 0,
    }
}

/// `and_intros`: one goal for each part of a conjunction.
pub(crate) fn and_intros<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Vec<MVarId>> {
    let ty = el.mvar_type(m);
    if el.match_app(ty, "And", 2).is_none() {
        return Ok(vec![m]);
    }
    let mut out = Vec::new();
    for g in constructor(el, m)? {
        out.extend(and_intros(el, g)?);
    }
    Ok(out)
}
