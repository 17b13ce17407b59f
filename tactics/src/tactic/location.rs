//! `at h ⊢`: where a tactic works.

use crate::meta::{Elab, ElabError, FVarId, MVarId, Result};
use crate::syntax::ast::Location;

use super::util::{context, hypothesis};

/// The places a tactic works at.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Hypotheses, in the order named (for `at *`, in the order of the context).
    pub hyps: Vec<FVarId>,
    /// The goal too.
    pub goal: bool,
    /// `at *`: it is enough if the tactic does something in one place.
    pub everywhere: bool,
}

/// The places of a location; without one, the goal.
pub(crate) fn places<'b>(el: &mut Elab<'b>, m: MVarId, loc: Option<&Location>) -> Result<Places> {
    let Some(loc) = loc else {
        return Ok(Places {
            hyps: Vec::new(),
            goal: true,
            everywhere: false,
        });
    };
    if loc.everywhere {
        let lctx = el.mvar_lctx(m);
        let hyps = context(&lctx)
            .into_iter()
            .filter(|x| {
                let d = el.local(*x);
                !d.aux && d.value.is_none()
            })
            .collect();
        return Ok(Places {
            hyps,
            goal: true,
            everywhere: true,
        });
    }
    let mut hyps = Vec::new();
    for id in &loc.hyps {
        hyps.push(hypothesis(el, m, id)?);
    }
    Ok(Places {
        hyps,
        goal: loc.goal,
        everywhere: false,
    })
}

/// A step at one place: from a goal, and a hypothesis of it or `None` for the goal itself, to the goals that are left.
pub(crate) type Step<'f, 'b> =
    &'f mut dyn FnMut(&mut Elab<'b>, MVarId, Option<FVarId>) -> Result<Vec<MVarId>>;

/// Runs a step at every place. At `*` a place where it fails is left as it is.
pub(crate) fn at_places<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    places: &Places,
    step: Step<'_, 'b>,
) -> Result<Vec<MVarId>> {
    let mut goals = vec![m];
    let mut worked = false;
    let mut first_error: Option<ElabError> = None;
    let mut todo: Vec<Option<logic::Name>> = places
        .hyps
        .iter()
        .map(|x| Some(el.local(*x).user_name))
        .collect();
    let ids: Vec<Option<FVarId>> = places
        .hyps
        .iter()
        .map(|x| Some(*x))
        .chain(places.goal.then_some(None))
        .collect();
    if places.goal {
        todo.push(None);
    }
    for (id, name) in ids.into_iter().zip(todo) {
        let mut next = Vec::new();
        let mut extra = Vec::new();
        for (k, g) in goals.iter().copied().enumerate() {
            if k > 0 || el.is_assigned(g) {
                extra.push(g);
                continue;
            }
            let lctx = el.mvar_lctx(g);
            // A hypothesis may have been replaced by one of the same name in an earlier step.
            let place = match (id, name) {
                (Some(x), _) if lctx.contains(x) => Some(x),
                (Some(_), Some(n)) => match el.find_local(&lctx, n) {
                    Some(x) => Some(x),
                    None => {
                        extra.push(g);
                        continue;
                    }
                },
                _ => None,
            };
            let saved = el.save();
            match step(el, g, place) {
                Ok(gs) => {
                    worked = true;
                    next.extend(gs);
                }
                Err(e) if places.everywhere => {
                    el.restore(&saved);
                    first_error.get_or_insert(e);
                    next.push(g);
                }
                Err(e) => return Err(e),
            }
        }
        next.extend(extra);
        goals = next;
    }
    match first_error {
        Some(e) if !worked => Err(e),
        _ => Ok(goals),
    }
}
