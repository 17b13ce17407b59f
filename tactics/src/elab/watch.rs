//! The goals at a place of a script, for `ptxprove goal`: while a declaration is elaborated, what stands at the place is
//! written down each time that elaboration comes past it. The last time counts.

use logic::{Expr, Name};

use crate::meta::{Elab, MVarId};
use crate::syntax::ast::{Span, Term, TermKind};

/// Which goals they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Those before the tactic at the place.
    Before,
    /// Those after the tactic before the place.
    After,
    /// What is expected of the term at the place, which is in no tactic.
    Term,
}

/// The goals at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goals {
    /// Which goals they are.
    pub when: When,
    /// The tactic or term.
    pub span: Span,
    /// The goals: hypotheses, then `⊢`, printed.
    pub goals: Vec<String>,
}

/// A place whose goals are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// The place, as an offset in bytes.
    pub at: u32,
    /// What was found there.
    pub found: Option<Goals>,
    /// How many times something was found.
    seen: usize,
}

impl Watch {
    pub(crate) fn new(at: u32) -> Self {
        Watch {
            at,
            found: None,
            seen: 0,
        }
    }
}

impl Elab<'_> {
    /// The place lies in `t`: the goals before it. Returns how often something had been found before.
    pub(crate) fn watch_before(&mut self, t: Span, goals: &[MVarId]) -> usize {
        let Some(w) = &self.watch else { return 0 };
        let (at, seen) = (w.at, w.seen);
        if t.start <= at && at < t.end {
            self.watch_found(When::Before, t, goals);
        }
        seen
    }

    /// The place lies behind `t` and before `next`: the goals after it, unless a tactic inside of `t` ends at the place
    /// too and has said more.
    pub(crate) fn watch_after(
        &mut self,
        t: Span,
        next: Option<u32>,
        seen: usize,
        goals: &[MVarId],
    ) {
        let Some(w) = &self.watch else { return };
        let inner = w.seen > seen && w.at == t.end;
        let behind = t.end <= w.at && next.map_or(w.at == t.end, |n| w.at < n);
        if behind && !inner {
            let open: Vec<MVarId> = goals
                .iter()
                .copied()
                .filter(|g| !self.is_assigned(*g))
                .collect();
            self.watch_found(When::After, t, &open);
        }
    }

    /// The place lies in a term: what is expected of it, unless a tactic was found at the place.
    pub(crate) fn watch_term(&mut self, term: &Term, expected: Option<Expr>) {
        let Some(w) = &self.watch else { return };
        let mut t = term.span;
        if matches!(term.kind, TermKind::By(_)) {
            // The word; what follows it are tactics.
            t.end = t.end.min(t.start + 2);
        }
        let in_tactic = w.found.as_ref().is_some_and(|g| g.when != When::Term);
        if let Some(ty) = expected
            && !in_tactic
            && t.start <= w.at
            && w.at < t.end
        {
            let goal = self.mk_goal(ty, Name::ANON);
            self.watch_found(When::Term, t, &[goal]);
        }
    }

    fn watch_found(&mut self, when: When, span: Span, goals: &[MVarId]) {
        let goals = goals.iter().map(|g| self.pp_goal(*g)).collect();
        if let Some(w) = &mut self.watch {
            w.seen += 1;
            w.found = Some(Goals { when, span, goals });
        }
    }
}
