//! `index`: equations of tile indices, with `/`, `%`, shifts, masks and swizzles, in natural numbers.
//!
//! The goal is evaluated first ([`refute`]): a false one is refused with a counterexample. What cheap means do not close goes
//! into an e-graph ([`engine`], [`language`]) with bounds of all its terms ([`analysis`]). It is saturated ([`saturate`]) with
//! the theorems marked `@[index]` ([`rules`]), whose conditions are proved before they are used ([`conditions`]), with
//! equations of sums ([`sums`], [`poly`]) and with quotients of sums ([`quotients`]). The explanation why both sides are in
//! one class is replayed as a kernel term ([`replay`]).

mod analysis;
mod bounds;
mod conditions;
mod engine;
mod figures;
mod language;
mod poly;
mod quotients;
mod refute;
mod reify;
mod replay;
mod report;
mod rules;
mod saturate;
mod similar;
mod simplest;
mod sums;
mod words;

use std::rc::Rc;

use logic::{Expr, Node as Term};

use crate::diagnostic::Diagnostic;
use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{SimpArg, SimpArgKind, Span};
use engine::Engine;
use figures::Figures;
use rules::Rule;
use saturate::Stop;

use super::util::{on_goal, term_ident, term_local};

/// The file of the lemmas.
const LIBRARY: &str = "lib/index_words.ptxp";

/// `index [rules]`; with `report`, the figures of the search are shown.
pub(crate) fn index<'b>(
    el: &mut Elab<'b>,
    goal: MVarId,
    extra: &[SimpArg],
    report: Option<Span>,
) -> Result<Vec<MVarId>> {
    available(el)?;
    let mut m = goal;
    loop {
        let ty = el.mvar_type(m);
        let ty = el.instantiate_mvars(ty);
        match el.st.node(ty) {
            Term::Pi(..) | Term::Let(..) => m = el.intro(m, None)?.1,
            _ => break,
        }
    }
    el.with_goal(m, |el| {
        let rules = collect(el, m, extra)?;
        let target = el.mvar_type(m);
        let target = el.instantiate_mvars(target);
        let equation = el.match_eq(target);
        let Some((ty, left, right)) = equation else {
            let err = ElabError::msg("`index` proves equations; this goal is none")
                .code("tactic.index")
                .help("inequalities are for `omega`");
            return Err(on_goal(el, err, m));
        };
        match between(el, &rules, ty, left, right) {
            Ok((p, figures)) => {
                if let Some(span) = report {
                    el.messages
                        .push(Diagnostic::info(span, figures.to_string()));
                }
                el.assign(m, p);
                Ok(Vec::new())
            }
            Err(e) => Err(on_goal(el, e.code("tactic.index"), m)),
        }
    })
}

/// A proof of `left = right`, two natural numbers or two words, in the context of the goal, for other tactics.
#[allow(dead_code)]
pub(crate) fn prove(el: &mut Elab<'_>, left: Expr, right: Expr) -> Result<Expr> {
    available(el)?;
    let rules = tagged(el)?;
    let ty = el.infer_type(left)?;
    Ok(between(el, &rules, ty, left, right)?.0)
}

/// A proof of `left = right` in a type.
fn between(
    el: &mut Elab<'_>,
    rules: &[Rule],
    ty: Expr,
    left: Expr,
    right: Expr,
) -> Result<(Expr, Figures)> {
    let st = el.st;
    let ty = el.whnf_reducible(ty);
    let ty = el.instantiate_mvars(ty);
    if let Some(args) = el.match_app(ty, "Word", 1) {
        let value = |x: Expr| st.apps(st.const0("Word.val"), &[args[0], x]);
        let (proof, figures) = search(el, rules, value(left), value(right))?;
        let proof = st.apps(st.const0("Word.ext"), &[args[0], left, right, proof]);
        return Ok((proof, figures));
    }
    if ty != st.const0("Nat") {
        let ty = el.pp(ty);
        return Err(ElabError::msg(format!(
            "`index` does not know equations of `{ty}`"
        )));
    }
    search(el, rules, left, right)
}

fn available(el: &Elab<'_>) -> Result<()> {
    let probe = el.name("Index.val_add");
    if el.env.get(probe).is_none() || el.is_hidden(probe) {
        return Err(
            ElabError::msg(format!("`index` needs the library file `{LIBRARY}`"))
                .code("tactic.index")
                .help(format!("import \"{LIBRARY}\" (or a file that imports it)")),
        );
    }
    Ok(())
}

/// The theorems marked as rules.
fn tagged(el: &mut Elab<'_>) -> Result<Vec<Rule>> {
    let names = el
        .ext
        .other
        .get(rules::ATTRIBUTE)
        .cloned()
        .unwrap_or_default();
    let mut out = Vec::new();
    for n in names {
        if !el.is_hidden(n) {
            out.extend(rules::of_theorem(el, n, false)?);
        }
    }
    Ok(out)
}

/// The rules of a call.
fn collect(el: &mut Elab<'_>, m: MVarId, extra: &[SimpArg]) -> Result<Vec<Rule>> {
    let mut out = tagged(el)?;
    for a in extra {
        match &a.kind {
            SimpArgKind::Star => {
                return Err(ElabError::new(a.span, "`index` uses all hypotheses anyway"));
            }
            SimpArgKind::Minus(id) => {
                let n = el.resolve_const(id)?;
                let name = el.st.name_last(n).unwrap_or_default().to_owned();
                out.retain(|r| r.name != name);
            }
            SimpArgKind::Rule { rev, term } => {
                let constant = match (term_local(el, m, term), term_ident(term)) {
                    (None, Some(id)) => el
                        .resolve_const(id)
                        .ok()
                        .filter(|n| el.env.get(*n).is_some()),
                    _ => None,
                };
                let rule = match constant {
                    Some(n) => rules::of_theorem(el, n, *rev)?,
                    None => {
                        let e = el.elab_term_synth(term, None)?;
                        let e = el.instantiate_mvars(e);
                        rules::read(el, "given".to_owned(), e, *rev)?
                    }
                };
                let Some(rule) = rule else {
                    return Err(ElabError::new(
                        a.span,
                        "this is no rule for `index`: it is no equation of natural numbers, or its left side is a variable",
                    )
                    .code("tactic.index"));
                };
                out.push(rule);
            }
        }
    }
    Ok(out)
}

/// Searches a proof of `left = right`.
fn search(el: &mut Elab<'_>, rules: &[Rule], left: Expr, right: Expr) -> Result<(Expr, Figures)> {
    let hypotheses = hypotheses(el);
    let mut e = Engine::new(el);
    let about_words = |r: &&Rule| r.subject != rules::Subject::Number;
    e.word_rules = Rc::new(rules.iter().filter(about_words).cloned().collect());
    let mut claims = Vec::new();
    for (ty, h) in hypotheses {
        let claim = e.claim(ty);
        e.note(&claim, ty, h);
        claims.push(claim);
        e.hypotheses.push((ty, h));
    }
    let (l, r) = (e.reify(left), e.reify(right));
    e.g.rebuild();
    e.sample(claims);
    let goal = refute::Claim::Eq(l, r);
    let point = e.fails_at(&goal);
    if let Some(point) = point
        && e.certain(point)
    {
        return Err(e.refuted(point, l, r));
    }
    if (e.has_digits(left) || e.has_digits(right))
        && let Some(p) = e.by_bits(left, right)
    {
        return Ok((p, e.figures("`bits`", p)));
    }
    let stop = e.saturate(rules, l, r);
    if stop == Stop::Equal
        && let Some(c) = e.equal(l, r)
    {
        let proof = c.proof.unwrap_or_else(|| e.refl(c.from));
        return Ok((proof, e.figures("rules", proof)));
    }
    if let Some(p) = e.at_last(l, r) {
        return Ok((p, e.figures("`omega`", p)));
    }
    Err(e.failed(stop, point, l, r))
}

/// The hypotheses of the goal.
fn hypotheses(el: &mut Elab<'_>) -> Vec<(Expr, Expr)> {
    let locals: Vec<_> = el.lctx.iter().collect();
    let mut out = Vec::new();
    for id in locals {
        let decl = el.local(id);
        if decl.aux {
            continue;
        }
        let ty = el.instantiate_mvars(decl.ty);
        if el.is_prop(ty) {
            out.push((ty, el.mk_fvar(id)));
        }
    }
    out
}
