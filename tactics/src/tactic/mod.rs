//! Tactics: from a goal to the goals that are left.
//!
//! [`run`] dispatches on the syntax; each tactic is a function from a goal to the goals that replace it. Tactics build
//! terms and never decide what is true: the kernel judges the finished proof.

mod alternatives;
mod auto;
pub(crate) mod basic;
mod below_binders;
pub mod bits;
pub(crate) mod cases;
pub(crate) mod check;
mod combine;
pub(crate) mod cond;
pub(crate) mod contradiction;
mod ctor;
pub(crate) mod decide;
pub(crate) mod ext;
mod have;
pub(crate) mod index;
mod induction;
mod intro;
mod location;
mod named;
pub mod omega;
pub(crate) mod rcases;
pub(crate) mod rewrite;
mod ring;
pub(crate) mod simp;
pub(crate) mod subst;
pub(crate) mod unfold;
pub(crate) mod unify;
pub(crate) mod util;

pub use named::KNOWN;

use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{Tactic, TacticKind, Term, TermKind};

/// Runs one tactic on a list of goals, the first of which is the one it works on.
pub fn run<'b>(el: &mut Elab<'b>, goals: &mut Vec<MVarId>, t: &Tactic) -> Result<()> {
    if combine::run(el, goals, t)? {
        return Ok(());
    }
    goals.retain(|g| !el.is_assigned(*g));
    let Some(m) = goals.first().copied() else {
        return Err(
            ElabError::new(t.span, "there is no goal left for this tactic").code("tactic.no_goals"),
        );
    };
    let saved = el.lctx.clone();
    el.lctx = el.mvar_lctx(m);
    let r = run_on(el, m, t);
    el.lctx = saved;
    let mut new = r.map_err(|e| e.at(t.span))?;
    new.retain(|g| !el.is_assigned(*g));
    new.extend(goals[1..].iter().copied());
    *goals = new;
    Ok(())
}

/// Runs a tactic that works on one goal.
fn run_on<'b>(el: &mut Elab<'b>, m: MVarId, t: &Tactic) -> Result<Vec<MVarId>> {
    match &t.kind {
        TacticKind::Intro(bs) => intro::intro(el, m, bs),
        TacticKind::Intros(ns) => basic::intros(el, m, ns),
        TacticKind::RIntro(ps) => intro::rintro(el, m, ps),
        TacticKind::Exact(e) => basic::exact(el, m, e),
        TacticKind::Apply(e) => basic::apply(el, m, e),
        TacticKind::Refine(e) => basic::refine(el, m, e),
        TacticKind::Constructor => ctor::constructor(el, m),
        TacticKind::Left => ctor::choose(el, m, false),
        TacticKind::Right => ctor::choose(el, m, true),
        TacticKind::Exists(ts) | TacticKind::Use(ts) => ctor::exists(el, m, ts),
        TacticKind::Exfalso => basic::exfalso(el, m),
        TacticKind::Contradiction => contradiction::contradiction(el, m),
        TacticKind::Trivial => basic::trivial(el, m),
        TacticKind::Rfl => basic::rfl(el, m),
        TacticKind::Assumption => basic::assumption(el, m),
        TacticKind::Decide => decide::decide(el, m),
        TacticKind::Omega => omega::omega(el, m),
        TacticKind::Symm(loc) => basic::symm(el, m, loc.as_ref()),
        TacticKind::Trans(mid) => basic::trans(el, m, mid.as_ref()),
        TacticKind::Cases {
            targets,
            using,
            alts,
        } => alternatives::cases(el, m, targets, using.as_ref(), alts.as_deref()),
        TacticKind::CasesPrime { target, with } => intro::cases_prime(el, m, target, with),
        TacticKind::RCases { targets, with } => rcases::rcases(el, m, targets, with.as_ref()),
        TacticKind::Obtain { pat, ty, value } => {
            rcases::obtain(el, m, pat.as_ref(), ty.as_ref(), value.as_ref(), t.span)
        }
        TacticKind::Induction {
            targets,
            using,
            generalizing,
            alts,
        } => induction::induction(
            el,
            m,
            targets,
            using.as_ref(),
            generalizing,
            alts.as_deref(),
        ),
        TacticKind::Rw {
            flavour,
            rules,
            loc,
        } => rewrite::rw(el, m, *flavour, rules, loc.as_ref()),
        TacticKind::Simp {
            flavour,
            only,
            contextual,
            args,
            using,
            loc,
        } => simp::simp(
            el,
            m,
            *flavour,
            (*only, *contextual),
            args.as_deref().unwrap_or_default(),
            using.as_ref(),
            loc.as_ref(),
        ),
        TacticKind::Unfold { names, loc } => unfold::unfold(el, m, names, loc.as_ref()),
        TacticKind::Have(d) => have::have(el, m, d),
        TacticKind::Let(d) => have::let_(el, m, d),
        TacticKind::Suffices { name, ty, proof } => {
            have::suffices(el, m, name.as_ref(), ty, proof.as_ref())
        }
        TacticKind::Show { ty, proof } => have::show(el, m, ty, proof.as_ref()),
        TacticKind::Change { ty, loc } => have::change(el, m, ty, loc.as_ref()),
        TacticKind::Subst(ts) => subst::subst(el, m, ts),
        TacticKind::Ext(ps) => ext::ext(el, m, ps),
        TacticKind::Funext(ns) => ext::funext(el, m, ns),
        TacticKind::Congr(n) => ext::congr(el, m, n.as_ref()),
        TacticKind::Split(loc) => cond::split(el, m, loc.as_ref()),
        TacticKind::SplitIfs { loc, names } => cond::split_ifs(el, m, loc.as_ref(), names),
        TacticKind::ByCases { hyp, prop } => cond::by_cases(el, m, hyp.as_ref(), prop),
        TacticKind::Specialize(e) => basic::specialize(el, m, e),
        TacticKind::Generalize { args, loc } => have::generalize(el, m, args, loc.as_ref()),
        TacticKind::Clear(ids) => basic::clear(el, m, ids),
        TacticKind::Revert(ids) => basic::revert(el, m, ids),
        TacticKind::RenameI(ns) => Ok(vec![basic::rename_i(el, m, ns)?]),
        TacticKind::Calc(steps) => {
            let term = Term {
                kind: TermKind::Calc(steps.clone()),
                span: t.span,
            };
            basic::refine(el, m, &term)
        }
        TacticKind::Match { discrs, alts } => combine::match_(el, m, discrs, alts, t.span),
        TacticKind::Sorry => {
            let term = Term {
                kind: TermKind::Sorry,
                span: t.span,
            };
            basic::exact(el, m, &term)
        }
        TacticKind::Named { name, args } => named::run(el, m, name, args),
        TacticKind::Ring => ring::ring(el, m),
        TacticKind::Error => {
            Err(ElabError::new(t.span, "this tactic could not be read").code("reported"))
        }
        TacticKind::Done
        | TacticKind::Skip
        | TacticKind::First(_)
        | TacticKind::Try(_)
        | TacticKind::Repeat(_)
        | TacticKind::AllGoals(_)
        | TacticKind::AnyGoals(_)
        | TacticKind::AndThen(..)
        | TacticKind::Case { .. }
        | TacticKind::Next { .. }
        | TacticKind::Focus(_)
        | TacticKind::Paren(_) => Ok(vec![m]),
    }
}
