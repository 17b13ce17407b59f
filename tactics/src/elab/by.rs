//! Running tactic blocks.

use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{Span, TacticBlock};

impl<'b> Elab<'b> {
    /// Runs the tactics of a block one after the other, each on the goals that are left. Returns what is left at the end.
    pub fn run_block(&mut self, goals: Vec<MVarId>, block: &TacticBlock) -> Result<Vec<MVarId>> {
        let mut goals = goals;
        for (i, t) in block.tactics.iter().enumerate() {
            goals.retain(|g| !self.is_assigned(*g));
            if self.exhausted() {
                return Err(self.out_of_steps().at(t.span));
            }
            let seen = self.watch_before(t.span, &goals);
            let r = logic::subst::with_stack(|| crate::tactic::run(self, &mut goals, t));
            if self.exhausted() {
                return Err(self.out_of_steps().at(t.span));
            }
            r.map_err(|e| match e {
                ElabError::Postpone => ElabError::new(
                    t.span,
                    "not enough is known about the type of a term in this tactic",
                )
                .code("elab.stuck"),
                e => e.at(t.span),
            })?;
            let next = block.tactics.get(i + 1).map(|t| t.span.start);
            self.watch_after(t.span, next, seen, &goals);
        }
        goals.retain(|g| !self.is_assigned(*g));
        Ok(goals)
    }

    /// Runs a block on one goal that it has to close.
    pub fn run_block_closed(&mut self, m: MVarId, block: &TacticBlock) -> Result<()> {
        let left = self.run_block(vec![m], block)?;
        if left.is_empty() {
            return Ok(());
        }
        let end = Span::new(block.span.end.saturating_sub(1), block.span.end);
        Err(self.unsolved_goals(&left, end))
    }

    /// The error for goals left at the end of a block.
    pub fn unsolved_goals(&mut self, left: &[MVarId], span: Span) -> ElabError {
        let n = left.len();
        let mut e = ElabError::new(
            span,
            if n == 1 {
                "unsolved goal".to_owned()
            } else {
                format!("{n} unsolved goals")
            },
        )
        .code("tactic.unsolved");
        for g in left.iter().take(8) {
            let s = self.pp_goal(*g);
            e = e.goal_text(s);
        }
        e
    }
}
