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
mod hypotheses;
mod inverse;
mod language;
mod pinned;
mod poly;
mod products;
mod quotients;
mod rare;
mod refute;
mod reify;
mod replay;
mod report;
mod rules;
mod saturate;
mod similar;
mod simplest;
mod split;
mod sums;
mod words;
mod zeros;

use std::rc::Rc;

use egg::Id;
use logic::{Expr, Store};

use crate::diagnostic::Diagnostic;
use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{SimpArg, SimpArgKind, Span};
use engine::Engine;
use figures::Figures;
pub(crate) use rules::{Rule, unusable};
use saturate::Stop;

use super::util::{close, intro_all, needs, term_ident, term_local};

/// The file of the lemmas.
const LIBRARY: &str = "lib/index.ptxp";

/// `index [rules]`; with `report`, the figures of the search are shown.
pub(crate) fn index<'b>(
    el: &mut Elab<'b>,
    goal: MVarId,
    extra: &[SimpArg],
    report: Option<Span>,
) -> Result<Vec<MVarId>> {
    available(el)?;
    let m = intro_all(el, goal)?;
    el.with_goal(m, |el| {
        let rules = collect(el, m, extra)?;
        let target = el.mvar_type(m);
        let target = el.instantiate_mvars(target);
        let proof = claim(el, &rules, target, split::MAX_SPLITS).map(|(p, figures)| {
            if let Some(span) = report {
                el.messages
                    .push(Diagnostic::info(span, figures.to_string()));
            }
            p
        });
        close(el, m, proof.map_err(|e| e.code("tactic.index")))
    })
}

/// A proof of a side condition, an equation, `a < b` or `a ≤ b`, in the context of the goal, for other tactics.
pub(crate) fn discharge(el: &mut Elab<'_>, p: Expr) -> Option<Expr> {
    available(el).ok()?;
    let rules = tagged(el).ok()?;
    claim(el, &rules, p, 0).ok().map(|(proof, _)| proof)
}

/// `a = b`, of natural numbers.
fn equation(st: &Store<'_>, a: Expr, b: Expr) -> Expr {
    let eq = st.constant(st.name("Eq"), &[st.level_nat(1)]);
    st.apps(eq, &[st.const0("Nat"), a, b])
}

/// What is to be proved, about natural numbers.
#[derive(Clone, Copy)]
enum Goal {
    /// Two terms are equal.
    Equal(Expr, Expr),
    /// A relation, and its sides.
    Order(Expr, Expr, Expr),
}

impl Goal {
    /// The proposition.
    fn statement(&self, el: &Elab<'_>) -> Expr {
        match *self {
            Goal::Equal(a, b) => equation(el.st, a, b),
            Goal::Order(p, ..) => p,
        }
    }

    fn sides(&self) -> (Expr, Expr) {
        match *self {
            Goal::Equal(a, b) | Goal::Order(_, a, b) => (a, b),
        }
    }
}

/// What came of a search.
enum Answer {
    /// A proof, with figures if they are those of one search.
    Proved(Expr, Option<Figures>),
    /// The goal fails at a point at which all hypotheses hold.
    False(ElabError),
    /// Neither.
    Open(ElabError),
}

/// A proof of an equation or inequality, with at most so many case distinctions.
fn claim(el: &mut Elab<'_>, rules: &[Rule], p: Expr, mut splits: usize) -> Result<(Expr, Figures)> {
    let (goal, words) = read_goal(el, p)?;
    match prove(el, rules, &goal, &mut splits) {
        Answer::Proved(proof, figures) => {
            let figures = figures.unwrap_or_else(|| Figures::of_cases(el.st, proof));
            let proof = match words {
                None => proof,
                Some((w, a, b)) => {
                    let st = el.st;
                    st.apps(st.const0("Word.ext"), &[w, a, b, proof])
                }
            };
            Ok((proof, figures))
        }
        Answer::False(e) | Answer::Open(e) => Err(e),
    }
}

/// Of an equation of words: the width and both sides.
type OfWords = Option<(Expr, Expr, Expr)>;

/// Reads a goal.
fn read_goal(el: &mut Elab<'_>, p: Expr) -> Result<(Goal, OfWords)> {
    let st = el.st;
    let mut p = el.instantiate_mvars(p);
    loop {
        if let Some((ty, a, b)) = el.match_eq(p) {
            let ty = el.whnf_reducible(ty);
            let ty = el.instantiate_mvars(ty);
            if let Some(args) = el.match_app(ty, "Word", 1) {
                let value = |x: Expr| st.apps(st.const0("Word.val"), &[args[0], x]);
                return Ok((Goal::Equal(value(a), value(b)), Some((args[0], a, b))));
            }
            if ty == st.const0("Nat") {
                return Ok((Goal::Equal(a, b), None));
            }
            let ty = el.pp(ty);
            return Err(ElabError::msg(format!(
                "`index` does not know equations of `{ty}`"
            )));
        }
        for relation in ["Nat.lt", "Nat.le"] {
            if let Some(ab) = el.match_app(p, relation, 2) {
                return Ok((Goal::Order(p, ab[0], ab[1]), None));
            }
        }
        let w = el.whnf_reducible(p);
        let w = el.instantiate_mvars(w);
        if w == p {
            return Err(ElabError::msg(
                "`index` proves equations and inequalities of numbers and words; this goal is none",
            ));
        }
        p = w;
    }
}

/// Searches, and then by cases.
fn prove(el: &mut Elab<'_>, rules: &[Rule], goal: &Goal, splits: &mut usize) -> Answer {
    let (answer, questions) = search(el, rules, goal, *splits > 0);
    if !matches!(answer, Answer::Open(_)) {
        return answer;
    }
    split::by_cases(el, rules, goal, &questions, splits).unwrap_or(answer)
}

/// One search; if it comes to nothing, what it would have liked to know, if that is wanted.
fn search(
    el: &mut Elab<'_>,
    rules: &[Rule],
    goal: &Goal,
    wanted: bool,
) -> (Answer, Vec<split::Question>) {
    let mut e = Engine::new(el);
    let (left, right) = goal.sides();
    let (l, r) = e.begin(rules, left, right);
    let statement = match goal {
        Goal::Equal(..) => refute::Claim::Eq(l, r),
        Goal::Order(p, ..) => e.claim(*p),
    };
    let mut point = e.fails_at(&statement);
    if let Some(point) = point
        && e.certain(point)
    {
        return (Answer::False(e.refuted(point, l, r)), Vec::new());
    }
    if let Some(done) = e.contradiction(goal) {
        return (done, Vec::new());
    }
    let (found, stop) = match goal {
        Goal::Equal(..) => e.equation_of(rules, (left, l), (right, r)),
        Goal::Order(p, ..) => e.order_of(rules, *p, l, r),
    };
    // what follows from a contradiction may rest on two values of one term
    if e.g.analysis.conflict.is_some()
        && let Some(done) = e.contradiction(goal)
    {
        return (done, Vec::new());
    }
    if let Some((proof, by)) = found {
        let figures = e.figures(by, proof);
        return (Answer::Proved(proof, Some(figures)), Vec::new());
    }
    if wanted {
        if point.is_none() {
            point = e.fails_rarely(&statement);
        }
        if let Some(point) = point
            && e.certain(point)
        {
            return (Answer::False(e.refuted(point, l, r)), Vec::new());
        }
    }
    e.patient = true;
    let error = e.failed(stop, point, l, r);
    let questions = match wanted && point.is_none() {
        true => e.questions(l, r),
        false => Vec::new(),
    };
    (Answer::Open(error), questions)
}

fn available(el: &Elab<'_>) -> Result<()> {
    needs(el, "tactic.index", "Index.val_add", LIBRARY)
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
            out.extend(rules::of_marked(el, n)?);
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

impl Engine<'_, '_> {
    /// A proof by hypotheses that contradict each other, if no point satisfies them.
    fn contradiction(&mut self, goal: &Goal) -> Option<Answer> {
        let statement = goal.statement(self.el);
        let proof = match self.g.analysis.conflict.clone() {
            Some((x, y)) => {
                let (a, b) = (self.literal(&x), self.literal(&y));
                let h = self.equal(a, b)?.proof?;
                let st = self.el.st;
                let refl = st.constant(st.name("Eq.refl"), &[st.level_nat(1)]);
                let differ = st.apps(refl, &[st.const0("Bool"), st.const0("Bool.false")]);
                let args = [st.nat(&x), st.nat(&y), statement, h, differ];
                self.call("Index.absurd_lit", &args)
            }
            None if self.samples.is_empty() => {
                let h = self.by_omega(self.el.st.const0("False"))?;
                self.call("Index.absurd", &[statement, h])
            }
            None => return None,
        };
        let figures = self.figures("contradictory hypotheses", proof);
        Some(Answer::Proved(proof, Some(figures)))
    }

    /// A proof of an equation, with what it is by.
    fn equation_of(
        &mut self,
        rules: &[Rule],
        (left, l): (Expr, Id),
        (right, r): (Expr, Id),
    ) -> (Option<(Expr, &'static str)>, Stop) {
        if (self.has_digits(left) || self.has_digits(right))
            && let Some(p) = self.by_bits(left, right)
        {
            return (Some((p, "`bits`")), Stop::Equal);
        }
        let stop = self.saturate(rules, l, r);
        if stop == Stop::Equal
            && let Some(c) = self.equal(l, r)
        {
            let proof = c.proof.unwrap_or_else(|| self.refl(c.from));
            return (Some((proof, "rules")), stop);
        }
        (self.at_last(l, r), stop)
    }

    /// A proof of `a < b` or `a ≤ b`: as a condition, before and after saturation.
    fn order_of(
        &mut self,
        rules: &[Rule],
        p: Expr,
        a: Id,
        b: Id,
    ) -> (Option<(Expr, &'static str)>, Stop) {
        self.patient = true;
        if let Some(proof) = self.discharge(p) {
            return (Some((proof, "bounds or `omega`")), Stop::Equal);
        }
        self.patient = false;
        let stop = self.saturate(rules, a, b);
        self.patient = true;
        if let Some(proof) = self.discharge(p) {
            return (Some((proof, "rules, and bounds or `omega`")), stop);
        }
        let strict = self.el.match_app(p, "Nat.lt", 2).is_some();
        let proof = self.by_products(a, b, strict);
        (proof.map(|p| (p, "products of inequalities")), stop)
    }

    /// Reads the hypotheses and both sides, and looks for points at which the hypotheses hold.
    fn begin(&mut self, rules: &[Rule], left: Expr, right: Expr) -> (Id, Id) {
        let about_words = |r: &&Rule| r.subject != rules::Subject::Number;
        self.word_rules = Rc::new(rules.iter().filter(about_words).cloned().collect());
        let (mut claims, mut later) = (Vec::new(), Vec::new());
        for (ty, h) in hypotheses::hypotheses(self.el) {
            let claim = self.claim(ty);
            match claim {
                refute::Claim::Eq(a, b) if self.has_parts(a, b) => later.push((a, b, h)),
                _ => self.note(&claim, ty, h),
            }
            claims.push(claim);
            self.hypotheses.push((ty, h));
        }
        self.g.rebuild();
        for (claim, (ty, h)) in claims.iter().zip(self.hypotheses.clone()) {
            self.note_again(claim, ty, h);
        }
        let sides = (self.reify(left), self.reify(right));
        self.g.rebuild();
        self.sample(claims);
        self.patient = true;
        for (a, b, h) in later {
            self.join_parts(a, b, h);
        }
        self.patient = false;
        sides
    }
}
