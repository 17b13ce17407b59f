//! Combinators: tactics that see all goals, and tactics made of tactics.

use logic::Name;
use num_traits::ToPrimitive;

use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{
    CaseTag, Discr, Ident, MatchAlt, SimpArgKind, Span, Tactic, TacticArg, TacticArgKind,
    TacticBlock, TacticKind, TacticMatchAlt, Term, TermKind,
};

use super::basic;
use super::util::{ident_name, nearest, on_goal, run_closed, strictly};

/// How often `repeat` runs its tactic at most.
const MAX_REPEAT: u32 = 1000;

/// Runs a combinator. `false` if the tactic is none.
pub(crate) fn run<'b>(el: &mut Elab<'b>, goals: &mut Vec<MVarId>, t: &Tactic) -> Result<bool> {
    goals.retain(|g| !el.is_assigned(*g));
    match &t.kind {
        TacticKind::Skip => {}
        TacticKind::Done => {
            if !goals.is_empty() {
                return Err(el.unsolved_goals(goals, t.span));
            }
        }
        TacticKind::First(blocks) => first(el, goals, blocks, t.span)?,
        TacticKind::Try(b) => {
            attempt(el, goals, b);
        }
        TacticKind::Repeat(b) => repeat(el, goals, b, t.span)?,
        TacticKind::AllGoals(b) => {
            let mut out = Vec::new();
            for g in std::mem::take(goals) {
                if !el.is_assigned(g) {
                    out.extend(el.run_block(vec![g], b)?);
                }
            }
            *goals = out;
        }
        TacticKind::AnyGoals(b) => any_goals(el, goals, b)?,
        TacticKind::AndThen(a, b) => {
            let rest = split_first(el, goals, t.span)?;
            let mut now = vec![goals[0]];
            super::run(el, &mut now, a)?;
            let mut out = Vec::new();
            for g in now {
                if el.is_assigned(g) {
                    continue;
                }
                let mut one = vec![g];
                super::run(el, &mut one, b)?;
                out.extend(one);
            }
            out.extend(rest);
            *goals = out;
        }
        TacticKind::Focus(b) => {
            let rest = split_first(el, goals, t.span)?;
            run_closed(el, goals[0], b)?;
            *goals = rest;
        }
        TacticKind::Paren(b) => {
            *goals = el.run_block(std::mem::take(goals), b)?;
        }
        TacticKind::Case { tags, body } => {
            for tag in tags {
                let k = find_case(el, goals, tag)?;
                let g = goals.remove(k);
                let g = basic::rename_i(el, g, &tag.vars).map_err(|e| e.at(tag.tag.span))?;
                run_closed(el, g, body)?;
            }
        }
        TacticKind::Next { names, body } => {
            let rest = split_first(el, goals, t.span)?;
            let g = basic::rename_i(el, goals[0], names).map_err(|e| e.at(t.span))?;
            run_closed(el, g, body)?;
            *goals = rest;
        }
        TacticKind::Named { name, args } => return named(el, goals, name, args, t.span),
        _ => return Ok(false),
    }
    goals.retain(|g| !el.is_assigned(*g));
    Ok(true)
}

/// Runs a tactic without a grammar of its own, if it sees all goals.
fn named<'b>(
    el: &mut Elab<'b>,
    goals: &mut Vec<MVarId>,
    name: &Ident,
    args: &[TacticArg],
    span: Span,
) -> Result<bool> {
    let word = &*name.name;
    match (word, args) {
        ("rotate_left" | "rotate_right", _) if !goals.is_empty() => {
            let Some(turns) = turns(args, goals.len()) else {
                return Ok(false);
            };
            match word {
                "rotate_left" => goals.rotate_left(turns),
                _ => goals.rotate_right(turns),
            }
        }
        ("swap", []) if goals.len() > 1 => goals.swap(0, 1),
        ("swap", []) if !goals.is_empty() => {
            return Err(ElabError::new(
                span,
                "`swap` exchanges the first two goals, but there is only one",
            ));
        }
        ("exacts", [list]) => {
            let TacticArgKind::List(items) = &list.kind else {
                return Ok(false);
            };
            goals.retain(|g| !el.is_assigned(*g));
            if items.len() != goals.len() {
                let err = ElabError::new(
                    span,
                    format!(
                        "`exacts` needs a term for each goal, but there are {} and {}",
                        count(goals.len(), "goal"),
                        count(items.len(), "term")
                    ),
                );
                return Err(match goals.first() {
                    Some(g) => super::util::on_goal(el, err, *g),
                    None => err,
                });
            }
            for item in items {
                let SimpArgKind::Rule { rev: false, term } = &item.kind else {
                    return Ok(false);
                };
                let exact = Tactic {
                    kind: TacticKind::Exact(term.clone()),
                    span: item.span,
                };
                super::run(el, goals, &exact)?;
            }
            goals.retain(|g| !el.is_assigned(*g));
            if !goals.is_empty() {
                return Err(el.unsolved_goals(goals, span));
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// `1 goal`, `3 goals`.
fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// How far `rotate_left` and `rotate_right` turn a number of goals: by one, or as they are told.
fn turns(args: &[TacticArg], goals: usize) -> Option<usize> {
    let [arg] = args else {
        return args.is_empty().then_some(1 % goals);
    };
    let TacticArgKind::Term(Term {
        kind: TermKind::Num(n),
        ..
    }) = &arg.kind
    else {
        return None;
    };
    (n % goals).to_usize()
}

/// The goals after the first; an error if there is none.
fn split_first<'b>(_el: &mut Elab<'b>, goals: &[MVarId], span: Span) -> Result<Vec<MVarId>> {
    match goals.split_first() {
        Some((_, rest)) => Ok(rest.to_vec()),
        None => Err(
            ElabError::new(span, "there is no goal left for this tactic").code("tactic.no_goals"),
        ),
    }
}

/// Runs a block; on failure nothing has happened. Returns whether it succeeded.
fn attempt<'b>(el: &mut Elab<'b>, goals: &mut Vec<MVarId>, b: &TacticBlock) -> bool {
    let saved = el.save();
    match strictly(el, |el| el.run_block(goals.clone(), b)) {
        Ok(gs) => {
            *goals = gs;
            true
        }
        Err(_) => {
            el.restore(&saved);
            false
        }
    }
}

fn first<'b>(
    el: &mut Elab<'b>,
    goals: &mut Vec<MVarId>,
    blocks: &[TacticBlock],
    span: Span,
) -> Result<()> {
    let mut errors = Vec::new();
    for b in blocks {
        let saved = el.save();
        match strictly(el, |el| el.run_block(goals.clone(), b)) {
            Ok(gs) => {
                *goals = gs;
                return Ok(());
            }
            Err(e) => {
                el.restore(&saved);
                errors.push((b.span, e));
            }
        }
    }
    if errors.len() == 1
        && let Some((_, e)) = errors.pop()
    {
        return Err(e);
    }
    let mut err = ElabError::new(span, "`first`: every alternative fails");
    for (s, e) in errors {
        err = err.label(s, e.message().to_owned());
    }
    if let Some(g) = goals.first() {
        err = on_goal(el, err, *g);
    }
    Err(err)
}

fn repeat<'b>(
    el: &mut Elab<'b>,
    goals: &mut Vec<MVarId>,
    b: &TacticBlock,
    span: Span,
) -> Result<()> {
    let start = goals.first().copied();
    for _ in 0..MAX_REPEAT {
        if goals.is_empty() {
            return Ok(());
        }
        let before = goals.clone();
        if !attempt(el, goals, b) || *goals == before {
            // A tactic that runs out of steps fails like any other.
            return match el.exhausted() {
                true => Err(el.out_of_steps()),
                false => Ok(()),
            };
        }
    }
    let err = ElabError::new(
        span,
        format!("`repeat` does not come to an end: its tactic has succeeded {MAX_REPEAT} times"),
    )
    .code("tactic.repeat")
    .help("`repeat` is for a tactic that fails when there is nothing left for it to do");
    Err(match start {
        Some(g) => on_goal(el, err, g),
        None => err,
    })
}

fn any_goals<'b>(el: &mut Elab<'b>, goals: &mut Vec<MVarId>, b: &TacticBlock) -> Result<()> {
    let mut out = Vec::new();
    let mut error = None;
    let mut worked = false;
    for g in std::mem::take(goals) {
        if el.is_assigned(g) {
            continue;
        }
        let saved = el.save();
        match strictly(el, |el| el.run_block(vec![g], b)) {
            Ok(gs) => {
                worked = true;
                out.extend(gs);
            }
            Err(e) => {
                el.restore(&saved);
                error.get_or_insert(e);
                out.push(g);
            }
        }
    }
    *goals = out;
    match error {
        Some(e) if !worked => Err(e),
        _ => Ok(()),
    }
}

/// The goal with a tag: the tag itself, or a suffix of it.
fn find_case<'b>(el: &mut Elab<'b>, goals: &[MVarId], tag: &CaseTag) -> Result<usize> {
    let st = el.st;
    let Some(id) = &tag.tag.name else {
        return if goals.is_empty() {
            Err(ElabError::new(tag.tag.span, "there is no goal left"))
        } else {
            Ok(0)
        };
    };
    let wanted = st.name_to_string(ident_name(st, id));
    let tags: Vec<String> = goals
        .iter()
        .map(|g| {
            let n: Name = el.mvar_decl(*g).user_name;
            st.name_to_string(n)
        })
        .collect();
    let suffix = format!(".{wanted}");
    if let Some(k) = tags
        .iter()
        .position(|t| *t == wanted)
        .or_else(|| tags.iter().position(|t| t.ends_with(&suffix)))
    {
        return Ok(k);
    }
    let mut err = ElabError::new(tag.tag.span, format!("no goal has the tag `{wanted}`"));
    if let Some(n) = nearest(&wanted, &tags) {
        err = err.help(format!("did you mean `{n}`?"));
    }
    let known: Vec<&String> = tags.iter().filter(|t| !t.is_empty()).collect();
    if known.is_empty() {
        err = err.note("the goals have no tags; `·` and `next` take the first");
    } else {
        let list: Vec<String> = known.iter().map(|t| format!("`{t}`")).collect();
        err = err.note(format!("the tags are {}", list.join(", ")));
    }
    Err(err)
}

/// The tactic `match e with | p => tacs`: a term whose right-hand sides are tactic blocks.
pub(crate) fn match_<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    discrs: &[Discr],
    alts: &[TacticMatchAlt],
    span: Span,
) -> Result<Vec<MVarId>> {
    let alts = alts
        .iter()
        .map(|a| MatchAlt {
            rows: a.rows.clone(),
            rhs: Term {
                kind: TermKind::By(a.body.clone()),
                span: a.body.span,
            },
            span: a.span,
        })
        .collect();
    let term = Term {
        kind: TermKind::Match {
            motive: None,
            discrs: discrs.to_vec(),
            alts,
        },
        span,
    };
    basic::refine(el, m, &term)
}
