//! The last steps of a call of `simp`, to explain why it does not come to an end.

use std::collections::VecDeque;

use logic::Expr;

use crate::meta::{Elab, ElabError};

use super::rules::RuleSet;

/// How many steps are remembered.
const KEPT: usize = 64;
/// How long a cycle of rules is looked for where no term comes back.
const LONGEST: usize = 16;
/// How many steps of a cycle are shown.
const SHOWN: usize = 4;

/// A step from one term to the next, by a rule or by computation.
#[derive(Clone, Copy)]
struct Step {
    rule: Option<usize>,
    from: Expr,
    to: Expr,
}

/// The last steps.
#[derive(Default)]
pub(super) struct Trace(VecDeque<Step>);

impl Trace {
    /// Remembers a step.
    pub fn push(&mut self, rule: Option<usize>, from: Expr, to: Expr) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(Step { rule, from, to });
    }

    /// The steps that lead from `at` back to `at`; if it does not come back, those whose rules repeat.
    fn cycle(&self, at: Expr) -> (Vec<Step>, bool) {
        let steps: Vec<Step> = self.0.iter().copied().collect();
        if let Some(i) = steps.iter().rposition(|s| s.from == at) {
            return (steps[i..].to_vec(), true);
        }
        let n = steps.len();
        let repeats = |p: &usize| {
            let p = *p;
            3 * p <= n && (n - 2 * p..n).all(|i| steps[i].rule == steps[i - p].rule)
        };
        let p = (1..=LONGEST).find(repeats).unwrap_or(SHOWN.min(n));
        (steps[n - p..].to_vec(), false)
    }

    /// The error for a call that has come back to `at`, or has taken too many steps and is at `at`.
    pub fn endless<'b>(
        &self,
        el: &mut Elab<'b>,
        rules: &RuleSet,
        at: Expr,
        steps: u32,
    ) -> ElabError {
        let (cycle, back) = self.cycle(at);
        let mut names: Vec<String> = Vec::new();
        for k in cycle.iter().filter_map(|s| s.rule) {
            let name = format!("`{}`", rules.rule(k).clone().describe(el));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let list = names.join(", ");
        let what = match (names.len(), back) {
            (0, _) => format!("it has taken {steps} steps"),
            (1, true) => format!("the result of {list} is an instance of it again"),
            (_, true) => format!("{list} lead back to where they started"),
            (1, false) => format!("after {steps} steps {list} still applies"),
            (_, false) => format!("after {steps} steps {list} still apply"),
        };
        let mut err = ElabError::msg(format!("`simp` does not come to an end: {what}"))
            .code("tactic.simp.loop");
        let by_rule: Vec<&Step> = cycle.iter().filter(|s| s.rule.is_some()).collect();
        for s in by_rule.iter().take(SHOWN) {
            let Some(k) = s.rule else { continue };
            let name = rules.rule(k).clone().describe(el);
            let (a, b) = (el.pp_short(s.from), el.pp_short(s.to));
            err = err.note(format!("`{a}` becomes `{b}` by `{name}`"));
        }
        if by_rule.len() > SHOWN {
            err = err.note(format!("and {} steps more", by_rule.len() - SHOWN));
        }
        let one = match names.len() {
            0 | 1 => "the rule",
            _ => "one of these rules",
        };
        err.help(format!(
            "leave out {one} (`-rule` for a marked one), turn it round (`← rule`), or rewrite with it once (`rw [rule]`)"
        ))
    }
}
