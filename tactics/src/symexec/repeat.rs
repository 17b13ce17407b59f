//! Loops, by induction on the turn: registers that do not change and counters are found, others are said by the user.

use std::collections::{BTreeMap, BTreeSet};

use logic::{BinderInfo, Expr, Node};

use super::code::{self, Reg, Shape, Source, SourceKind};
use super::count::Turns;
use super::file::File;
use super::flow::Loop;
use super::run::{Done, Frame};
use super::{Exec, State};
use crate::meta::Result;

/// What a register holds before turn `k`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    /// It does not change.
    Fixed,
    /// `Word.ofNat w (first + k * step)`.
    Counter { first: Expr, step: Expr },
    /// As the user says.
    Said,
    /// What the turns before have made of it, one after the other.
    Folded,
}

/// A turn of a loop that is being followed.
pub(super) struct Turn {
    pub head: usize,
    /// How many calls it is in.
    pub depth: usize,
    /// The line after the loop, if it is left at its end.
    pub out: Option<usize>,
    /// The condition at the end of the turn.
    pub condition: Expr,
    /// The number of the turn, of turns, and the proof of `k < n`.
    pub k: Expr,
    pub n: Expr,
    pub below: Expr,
    /// The registers: what they hold as a function of the turn.
    pub content: BTreeMap<Reg, (Content, Expr)>,
    /// Those that are read after the loop.
    pub after: BTreeSet<Reg>,
    /// Of `q < n ↔ p q`.
    pub turns: Option<Turns>,
    /// In the last turn, or not: the proof.
    pub last: Option<(bool, Expr)>,
    /// What follows the turn in the given trace.
    pub mark: Option<Expr>,
}

/// Whether a turn of the loop with this head ends at a line.
pub(super) fn ends_turn(ex: &Exec<'_, '_>, head: usize, pc: usize) -> bool {
    pc == head || ex.flow.loop_at(head).is_none_or(|l| !l.body.contains(&pc))
}

impl Turn {
    /// Whether the turn ends at a line.
    pub fn ends_at(&self, ex: &Exec<'_, '_>, pc: usize) -> bool {
        ends_turn(ex, self.head, pc)
    }
}

impl<'a, 'b> Exec<'a, 'b> {
    /// `f x`, computed.
    pub(super) fn at(&self, f: Expr, x: Expr) -> Expr {
        self.el.beta(f, &[x])
    }

    pub(super) fn add(&self, a: Expr, b: Expr) -> Expr {
        self.el.st.apps(self.el.st.const0("Nat.add"), &[a, b])
    }

    pub(super) fn succ(&self, a: Expr) -> Expr {
        self.add(a, self.num(1))
    }

    pub(super) fn lt(&self, a: Expr, b: Expr) -> Expr {
        self.el.st.apps(self.el.st.const0("Nat.lt"), &[a, b])
    }

    /// The counter that a register is in a loop: its step is added to it once.
    fn counter(
        &mut self,
        s: &State,
        l: &Loop,
        r: Reg,
        written: &BTreeSet<Reg>,
    ) -> Result<Option<(Expr, Expr)>> {
        let mut found = None;
        for i in &l.body {
            let Some(line) = self.code.lines.get(*i) else {
                continue;
            };
            if !line.uses().1.contains(&r) {
                continue;
            }
            if found.is_some() || line.guard.is_some() {
                return Ok(None);
            }
            let Shape::Alu { f, srcs, .. } = &line.shape else {
                return Ok(None);
            };
            let [a, b] = &srcs[..] else {
                return Ok(None);
            };
            let op = code::operation(self.el, *f);
            if !matches!(
                op.as_str(),
                "ptx.add.s32" | "ptx.add.u32" | "ptx.add.s64" | "ptx.add.u64"
            ) {
                return Ok(None);
            }
            let is_r = |o: &Source| matches!(o.kind, SourceKind::Reg(j) if (o.width, j) == r);
            let by = match (is_r(a), is_r(b)) {
                (true, false) => *b,
                (false, true) => *a,
                _ => return Ok(None),
            };
            if let SourceKind::Reg(j) = by.kind
                && written.contains(&(by.width, j))
            {
                return Ok(None);
            }
            found = Some(by);
        }
        let Some(by) = found else {
            return Ok(None);
        };
        let (v, _) = self.operand(s, &by)?;
        let (step, _) = self.number(by.width, v)?;
        let first = self.value_in(s, r);
        let (first, _) = self.number(r.0, first)?;
        Ok(Some((first, step)))
    }

    /// A loop, from a state at its head.
    pub(super) fn repeat(
        &mut self,
        s: &State,
        l: &Loop,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        let st = self.el.st;
        let n_lines = self.code.lines.len();
        let mut exits = BTreeSet::new();
        let written = self.written(l);
        for i in &l.body {
            for t in &self.flow.next[*i] {
                if !l.body.contains(t) {
                    exits.insert((*i, *t));
                }
            }
        }
        let exits: Vec<(usize, usize)> = exits.into_iter().collect();
        let &[(exit, out)] = &exits[..] else {
            let what = if exits.is_empty() {
                "this loop has no way out"
            } else {
                "this loop can be left in more than one place: `symexec` cannot follow that"
            };
            return Err(self.fails(s.pc, what));
        };
        if out >= n_lines {
            return Err(self.fails(
                exit,
                "a thread ends inside of a loop here: `symexec` cannot follow that",
            ));
        }
        let at_end = self.flow.next[exit].contains(&l.head);
        let clause = self.clause(l.head);
        // the trip count in the given trace
        let (mut planned, mut rest_hint) = (None, hint);
        if let Some(h) = hint {
            let (n, body, rest) = self.planned_loop(s.pc, h)?;
            planned = Some((n, body));
            rest_hint = Some(rest);
        }
        // what registers hold before turn `k`
        let nat = st.const0("Nat");
        let mut content: BTreeMap<Reg, (Content, Expr)> = BTreeMap::new();
        let mut counters = Vec::new();
        let mut folded: Vec<Reg> = Vec::new();
        for r in self.flow.live[l.head].clone() {
            let x = self.value_in(s, r);
            let constant = |e: Expr| st.lam(st.name("k"), nat, e, BinderInfo::Default);
            if !written.contains(&r) {
                content.insert(r, (Content::Fixed, constant(x)));
                continue;
            }
            if let Some(f) = self.said(clause.as_ref(), r)? {
                content.insert(r, (Content::Said, f));
                continue;
            }
            match self.counter(s, l, r, &written)? {
                Some((first, step)) => {
                    let k = st.bvar(0);
                    let product = match st.node(step) {
                        Node::Nat(_) => st.apps(st.const0("Nat.mul"), &[step, k]),
                        _ => st.apps(st.const0("Nat.mul"), &[k, step]),
                    };
                    let e = self.add(first, product);
                    let v = st.apps(st.const0("Word.ofNat"), &[self.num(u64::from(r.0)), e]);
                    content.insert(r, (Content::Counter { first, step }, constant(v)));
                    counters.push((r, first, step));
                }
                None => folded.push(r),
            }
        }
        if let Some(c) = &clause {
            let kept: Vec<Reg> = self.flow.live[l.head]
                .iter()
                .copied()
                .filter(|r| written.contains(r))
                .collect();
            self.check_keep(l, c, &kept)?;
        }
        let stated = planned.map(|p| p.0);
        let (n, turns) = self.number_of_turns(s, clause.as_ref(), stated, |ex| {
            ex.found_count(s, l, exit, &counters, &written)
        })?;
        self.fold(s, l, (n, turns), &folded, &mut content)?;
        let zero = self.num(0);
        // before the first turn
        let said: Vec<(Reg, Expr)> = content
            .iter()
            .map(|(r, (_, f))| (*r, self.at(*f, zero)))
            .collect();
        let kinds = content.clone();
        let start = self.holds(s, &said, |ex, r, x, v| ex.first(s.pc, r, kinds[&r].0, x, v))?;
        // one turn
        let after: BTreeSet<Reg> = self.flow.live[out]
            .iter()
            .copied()
            .filter(|r| content.contains_key(r))
            .collect();
        let tries = |ex: &mut Self, k: Expr, only: Option<&BTreeSet<Reg>>| -> Result<File> {
            let mut file = ex.files.empty(k);
            for (r, (_, f)) in &content {
                if only.is_none_or(|o| o.contains(r)) {
                    let v = ex.at(*f, k);
                    let here = State { pc: 0, file };
                    file = ex.put(&here, *r, v)?;
                }
            }
            Ok(file)
        };
        let exit_trie = tries(self, n, at_end.then_some(&after))?;
        let mut trie_fn = None;
        let mut body_fn = None;
        let turn_name = match &clause {
            Some(c) => c.turn.clone(),
            None => self.fresh("k"),
        };
        let below_name = self.fresh("hk");
        let ((), turn) = self.under(&turn_name, nat, |ex, k| {
            let lt = ex.lt(k, n);
            let file = tries(ex, k, None)?;
            trie_fn = Some(ex.el.mk_lambda(&[k], file.trie));
            let tree = std::cell::Cell::new(None);
            let ((), e) = ex.under(&below_name, lt, |ex, below| {
                ex.knowing(turns, k, below, |ex| {
                    ex.afresh(|ex, rho| {
                        let mut file = file.clone();
                        file.base = rho;
                        let more = tries(ex, ex.succ(k), None)?;
                        let next = ex.stop(l.head, more.trie);
                        let condition = match at_end {
                            false => next,
                            true => ex.ends_of_turn(k, n, next, ex.stop(out, exit_trie.trie)),
                        };
                        let mark = planned.map(|_| {
                            let ev = st.const0("Ptx.Event");
                            let list = st.app(st.constant(st.name("List"), &[logic::Level::ZERO]), ev);
                            let l = ex.el.new_local(st.name("l"), list, None, BinderInfo::Default);
                            ex.el.mk_fvar(l)
                        });
                        let body_hint = planned.zip(mark).map(|((_, body), m)| {
                            st.apps(st.const0("Ptx.Tree.onto"), &[ex.at(body, k), m])
                        });
                        let t = Turn { head: l.head, depth: ex.callers.len(), out: at_end.then_some(out), condition, k, n, below, content: content.clone(), after: after.clone(), turns, last: None, mark };
                        let here = State { pc: l.head, file };
                        ex.turns.push(k);
                        let d = ex.follow(here, &mut Frame::Turn(t), body_hint, true);
                        ex.turns.pop();
                        let d = d?;
                        let unknown = [rho, ex.calls.made];
                        if ex.el.collect_fvars(d.tree).into_iter().any(|x| unknown.contains(&ex.el.mk_fvar(x))) {
                            return Err(ex.fails(l.head, "an event of this loop depends on a register of which nothing is known"));
                        }
                        tree.set(Some(d.tree));
                        Ok(((), d.proof))
                    })
                })
            })?;
            let t = tree.get().ok_or_else(|| ex.broken())?;
            body_fn = Some(ex.el.mk_lambda(&[k], t));
            Ok(((), e))
        })?;
        let (Some(trie_fn), Some(body_fn)) = (trie_fn, body_fn) else {
            return Err(self.broken());
        };
        // what follows the loop
        let (rest, next) = self.afresh(|ex, rho| {
            let mut file = exit_trie.clone();
            file.base = rho;
            ex.after_loop(turns, n, |ex| {
                let pc = if at_end { out } else { l.head };
                let s = State { pc, file };
                if at_end {
                    ex.follow(s, frame, rest_hint, false)
                } else {
                    ex.leave_head(s, l, frame, rest_hint)
                }
                .map(|d| (d.tree, d.proof))
            })
        })?;
        let q = self.ends_with(frame)?;
        let mut args = vec![
            ("c", self.common),
            ("cta", self.cta),
            ("tid", self.tid),
            ("fn", self.calls.of),
            ("stack", self.calls.stack),
            ("m", self.calls.made),
            ("pc", self.num(l.head as u64)),
            ("n", n),
            ("body", body_fn),
            ("T", rest),
            ("t", trie_fn),
            ("R", self.files.regs(&s.file)),
            ("Q", q),
            ("start", start),
            ("turn", turn),
            ("next", next),
        ];
        let name = if at_end {
            let pos = self.lt(zero, n);
            let pos = self.some_turn(s.pc, turns, pos)?;
            args.extend([
                ("out", self.num(out as u64)),
                ("t'", exit_trie.trie),
                ("pos", pos),
            ]);
            "Does.loop_end"
        } else {
            "Does.loop_top"
        };
        let proof = self.call(name, &args)?;
        let tree = st.apps(st.const0("Ptx.Tree.loop"), &[n, body_fn]);
        Ok(Done {
            tree: st.apps(st.const0("Ptx.Tree.seq"), &[tree, rest]),
            proof,
        })
    }

    /// After the last turn the thread goes on at the head of the loop, and leaves it.
    fn leave_head(
        &mut self,
        s: State,
        l: &Loop,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        let saved = self.leaving.replace(l.head);
        let r = self.follow(s, frame, hint, false);
        self.leaving = saved;
        r
    }
}
