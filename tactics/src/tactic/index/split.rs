//! Case distinctions: where a quotient, a difference or a choice hangs on a comparison that nothing decides, the goal is
//! proved for both answers.
//!
//! What may be asked about is read off the simplest terms of both sides once saturation has come to an end. A case is a search
//! of its own with one hypothesis more, so bounds, rules and evaluation see it; a case that fails at a point refutes the goal.

use egg::Id;
use logic::{BinderInfo, Expr};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashSet;

use super::engine::Engine;
use super::language::Kind;
use super::{Answer, Goal, prove};
use crate::meta::Elab;
use crate::tactic::index::rules::Rule;

/// How many distinctions one call may make.
pub(super) const MAX_SPLITS: usize = 6;
/// How many of those that one search finds are tried.
const MAX_TRIED: usize = 3;
/// A divisor or an unknown with at most so many values is taken apart.
const FEW: u32 = 4;

/// A question: is `a < b`, or `b ≤ a`?
pub(super) type Question = (Expr, Expr);

/// Proves a goal for both answers to one of the questions.
pub(super) fn by_cases(
    el: &mut Elab<'_>,
    rules: &[Rule],
    goal: &Goal,
    questions: &[Question],
    splits: &mut usize,
) -> Option<Answer> {
    for (a, b) in questions.iter().take(MAX_TRIED) {
        if *splits == 0 {
            return None;
        }
        *splits -= 1;
        let mut proofs = Vec::new();
        for (relation, x, y) in [("Nat.lt", a, b), ("Nat.le", b, a)] {
            let st = el.st;
            let p = st.apps(st.const0(relation), &[*x, *y]);
            let context = el.lctx.clone();
            let name = st.name("case");
            let h = el.push_local(name, p, BinderInfo::Default);
            let answer = prove(el, rules, goal, splits);
            el.lctx = context;
            match answer {
                Answer::Proved(proof, _) => proofs.push(el.mk_lambda(&[h], proof)),
                Answer::False(e) => return Some(Answer::False(e)),
                Answer::Open(_) => break,
            }
        }
        if let [first, second] = proofs[..] {
            let st = el.st;
            let target = goal.statement(el);
            let proof = st.apps(st.const0("Index.cases"), &[*a, *b, target, first, second]);
            return Some(Answer::Proved(proof, None));
        }
    }
    None
}

impl Engine<'_, '_> {
    /// What a search that came to nothing would have liked to know, the most promising question first.
    pub fn questions(&mut self, left: Id, right: Id) -> Vec<Question> {
        let mut found: Vec<(u32, Expr, Expr)> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut todo = vec![self.simplest(right), self.simplest(left)];
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = self.g.id_to_node(id).clone();
            todo.extend(node.kids.iter().rev());
            let kind = self.kind(&node);
            match (kind, &*node.kids) {
                (Kind::Div | Kind::Mod, [x, k]) => self.about_quotient(*x, *k, &mut found),
                (Kind::Sub, [x, y]) => {
                    let (x, y) = (self.term(*x), self.term(*y));
                    found.push((1, x, y));
                }
                (Kind::Min | Kind::Max, [x, y]) => {
                    let (x, y) = (self.term(*x), self.term(*y));
                    found.push((2, x, y));
                }
                (Kind::Alias, []) => self.about_choice(node.op, &mut found),
                (Kind::Atom, []) => {
                    if let Some((m, _)) = &self.g[id].data.max
                        && let Some(m) = m.to_u32().filter(|m| *m > 0 && *m < FEW)
                    {
                        let x = self.term(id);
                        let half = self.el.st.nat_u64(u64::from(m.div_ceil(2)));
                        found.push((5, x, half));
                    }
                }
                _ => {}
            }
        }
        found.sort_by_key(|(rank, ..)| *rank);
        let mut asked = FxHashSet::default();
        let mut out = Vec::new();
        for (_, a, b) in found {
            if asked.insert((a, b)) && self.open(a, b) {
                out.push((a, b));
            }
        }
        out
    }

    /// What is not known of `x / k` and `x % k`.
    fn about_quotient(&mut self, x: Id, k: Id, found: &mut Vec<(u32, Expr, Expr)>) {
        let (ex, ek) = (self.term(x), self.term(k));
        match (self.value(k), self.g[x].data.max.clone()) {
            // a quotient of 0, 1, …: from the largest downwards
            (Some(by), Some((m, _))) if !by.is_zero() => {
                let q = &m / &by;
                if !q.is_zero() && q < BigUint::from(FEW) {
                    let limit = self.el.st.nat(&(q * by));
                    found.push((0, ex, limit));
                }
            }
            (None, _) => {
                let one = self.el.st.nat(&BigUint::one());
                let few = |m: &BigUint| *m < BigUint::from(FEW) && !m.is_zero();
                match self.g[k].data.max.clone() {
                    Some((m, _)) if few(&m) => {
                        let half = self.el.st.nat(&((m + 1u32) >> 1u32));
                        found.push((0, ek, half));
                    }
                    _ => {
                        found.push((3, ek, one));
                        found.push((4, ex, ek));
                    }
                }
            }
            _ => {}
        }
    }

    /// What a choice between two words hangs on.
    fn about_choice(&mut self, op: u32, found: &mut Vec<(u32, Expr, Expr)>) {
        let Some(alias) = self.names.get(&op).map(|k| self.aliases[*k].value) else {
            return;
        };
        let Some(test) = self
            .el
            .match_app(alias, "Word.val", 2)
            .and_then(|v| self.el.match_app(v[1], "cond", 4))
            .map(|c| c[1])
        else {
            return;
        };
        for (name, signed) in [
            ("Word.slt", true),
            ("Word.sle", true),
            ("Word.ult", false),
            ("Word.ule", false),
        ] {
            if let Some(t) = self.el.match_app(test, name, 3) {
                let value = |x: Expr| self.call("Word.val", &[t[0], x]);
                let (a, b) = (value(t[1]), value(t[2]));
                if signed && let Some(w) = self.evaluated(t[0]).and_then(|w| w.to_u32()) {
                    let half = BigUint::one() << w.saturating_sub(1);
                    let half = self.el.st.nat(&half);
                    found.push((2, a, half));
                    found.push((2, b, half));
                }
                found.push((2, a, b));
            }
        }
    }

    /// Whether both answers are possible, as far as bounds and evaluation tell.
    fn open(&mut self, a: Expr, b: Expr) -> bool {
        let less = self.call("Nat.lt", &[a, b]);
        let more = self.call("Nat.le", &[b, a]);
        [less, more].into_iter().all(|p| {
            let not_known = !self.hypotheses.iter().any(|(ty, _)| *ty == p);
            not_known && self.discharge(p).is_none()
        })
    }
}
