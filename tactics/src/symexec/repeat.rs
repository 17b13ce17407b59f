//! Loops, by induction on the turn: registers that do not change and counters are found, others are said by the user.

use std::collections::{BTreeMap, BTreeSet};

use logic::{BinderInfo, Expr, Node};

use super::code::{Reg, Shape, Source, SourceKind};
use super::count::Turns;
use super::file::File;
use super::flow::Loop;
use super::run::{Done, Frame};
use super::{Exec, State};
use crate::meta::Result;

/// What a register holds before turn `k`.
#[derive(Clone, Copy, Debug)]
enum Content {
    /// It does not change.
    Fixed,
    /// `Word.ofNat w (first + k * step)`.
    Counter { first: Expr, step: Expr },
    /// As the user says.
    Said,
}

/// A turn of a loop that is being followed.
pub(super) struct Turn {
    head: usize,
    /// The line after the loop, if it is left at its end.
    out: Option<usize>,
    /// The condition at the end of the turn.
    pub condition: Expr,
    /// The number of the turn, of turns, and the proof of `k < n`.
    k: Expr,
    n: Expr,
    below: Expr,
    /// The registers: what they hold as a function of the turn.
    content: BTreeMap<Reg, (Content, Expr)>,
    /// Those that are read after the loop.
    after: BTreeSet<Reg>,
    /// Of `q < n ↔ p q`.
    turns: Option<Turns>,
    /// In the last turn, or not: the proof.
    last: Option<(bool, Expr)>,
    /// What follows the turn in the given trace.
    mark: Option<Expr>,
}

impl Turn {
    /// Whether the turn ends at a line.
    pub fn ends_at(&self, ex: &Exec<'_, '_>, pc: usize) -> bool {
        pc == self.head
            || ex
                .flow
                .loop_at(self.head)
                .is_none_or(|l| !l.body.contains(&pc))
    }
}

impl<'a, 'b> Exec<'a, 'b> {
    /// `f x`, computed.
    fn at(&self, f: Expr, x: Expr) -> Expr {
        self.el.beta(f, &[x])
    }

    fn add(&self, a: Expr, b: Expr) -> Expr {
        self.el.st.apps(self.el.st.const0("Nat.add"), &[a, b])
    }

    fn succ(&self, a: Expr) -> Expr {
        self.add(a, self.num(1))
    }

    fn lt(&self, a: Expr, b: Expr) -> Expr {
        self.el.st.apps(self.el.st.const0("Nat.lt"), &[a, b])
    }

    /// The value of a register in a state, known or not.
    pub(super) fn value_in(&self, s: &State, r: Reg) -> Expr {
        match s.file.values.get(&r) {
            Some(v) => *v,
            None => self
                .el
                .st
                .apps(s.file.base, &[self.num(u64::from(r.0)), self.num(r.1)]),
        }
    }

    /// A term that mentions only variables of the present context.
    pub(super) fn closed_here(&self, e: Expr) -> bool {
        self.el
            .collect_fvars(e)
            .iter()
            .all(|x| self.el.lctx.contains(*x))
    }

    /// The registers where two sides of an alternative meet.
    #[allow(clippy::type_complexity)]
    pub(super) fn merge(
        &mut self,
        at: usize,
        b: Expr,
        ends: &[super::run::End],
    ) -> Result<(Vec<(Reg, Expr, bool)>, File)> {
        let st = self.el.st;
        let rho = st.const0("Ptx.Regs");
        let mut file = self.files.empty(rho);
        let mut values = Vec::new();
        for r in self.flow.live[at].clone() {
            let (x, y) = (
                self.value_in(&ends[0].state, r),
                self.value_in(&ends[1].state, r),
            );
            if !self.closed_here(x) || !self.closed_here(y) {
                continue;
            }
            let same = x == y;
            let v = if same {
                x
            } else {
                let one = st.level_nat(1);
                st.apps(
                    st.constant(st.name("cond"), &[one]),
                    &[self.word_type(r.0), b, x, y],
                )
            };
            values.push((r, v, !same));
            let s = State { pc: at, file };
            file = self.put(&s, r, v)?;
        }
        Ok((values, file))
    }

    /// The registers of a state hold what is said of them: `RF.Holds R t`, where `prove` shows for each register that its value is
    /// equal to what is said.
    pub(super) fn holds(
        &mut self,
        s: &State,
        said: &[(Reg, Expr)],
        mut prove: impl FnMut(&mut Self, Reg, Expr, Expr) -> Result<Option<Expr>>,
    ) -> Result<Expr> {
        let st = self.el.st;
        let regs = self.files.regs(&s.file);
        let mut file = self.files.empty(s.file.base);
        let mut proof = st.app(st.const0("Ptx.RF.Holds.leaf"), regs);
        for (r, v) in said {
            let (x, reads) = self.read(s, *r)?;
            let (w, i) = (self.num(u64::from(r.0)), self.num(r.1));
            let value = match prove(self, *r, x, *v)? {
                None => reads,
                Some(h) => {
                    let parts = [
                        ("σ", self.place_of),
                        ("w", w),
                        ("R", regs),
                        ("o", self.register(*r)),
                        ("v", x),
                        ("u", *v),
                        ("r", reads),
                        ("h", h),
                    ];
                    self.call("Reads.to", &parts)?
                }
            };
            let here = State {
                pc: s.pc,
                file: file.clone(),
            };
            let next = self.put(&here, *r, *v)?;
            let parts = [
                ("R", regs),
                ("t", file.trie),
                ("t'", next.trie),
                ("w", w),
                ("i", i),
                ("v", *v),
                ("h", proof),
                ("k", self.yes),
                ("value", value),
                ("p", self.put_proof(&next)),
            ];
            proof = self.call("RF.Holds.put", &parts)?;
            file = next;
        }
        Ok(proof)
    }

    fn register(&self, r: Reg) -> Expr {
        let st = self.el.st;
        st.apps(
            st.const0("Ptx.Operand.reg"),
            &[self.num(u64::from(r.0)), self.num(r.1)],
        )
    }

    /// `Stop.here` for a state.
    pub(super) fn stops_here(
        &mut self,
        s: &State,
        said: &[(Reg, Expr)],
        proof: Expr,
    ) -> Result<Expr> {
        let mut file = self.files.empty(s.file.base);
        for (r, v) in said {
            let here = State { pc: s.pc, file };
            file = self.put(&here, *r, *v)?;
        }
        let parts = [
            ("cta", self.cta),
            ("tid", self.tid),
            ("cs", self.calls),
            ("pc", self.num(s.pc as u64)),
            ("R", self.files.regs(&s.file)),
            ("t", file.trie),
            ("h", proof),
        ];
        self.call("Stop.here", &parts)
    }

    /// The proof for an end of a side of an alternative.
    pub(super) fn meets(
        &mut self,
        end: &super::run::End,
        values: &[(Reg, Expr, bool)],
        b: Expr,
        first: bool,
    ) -> Result<Expr> {
        let st = self.el.st;
        let said: Vec<(Reg, Expr)> = values.iter().map(|(r, v, _)| (*r, *v)).collect();
        let holds = self.holds(&end.state, &said, |ex, r, x, v| {
            if x == v {
                return Ok(None);
            }
            let Some(args) = ex.el.match_app(v, "cond", 4) else {
                return Err(ex.broken());
            };
            let Some(h) = end.facts.truth(b) else {
                return Err(ex.broken());
            };
            let name = if first {
                "Ptx.cond_of_true"
            } else {
                "Ptx.cond_of_false"
            };
            let eq = st.apps(st.const0(name), &[args[0], args[1], args[2], args[3], h]);
            let one = st.level_nat(1);
            let symm = st.constant(st.name("Eq.symm"), &[one]);
            let word = ex.word_type(r.0);
            Ok(Some(st.apps(symm, &[word, v, x, eq])))
        })?;
        self.stops_here(&end.state, &said, holds)
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
            let mut body = *f;
            while let Node::Lam(_, _, b, _) = self.el.st.node(body) {
                body = b;
            }
            let op = self
                .el
                .head_const(body)
                .map(|n| self.el.st.name_to_string(n))
                .unwrap_or_default();
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
        let mut turns = None;
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
                None => {
                    let name = self.register_name(r);
                    return Err(self.fails(l.head, &format!("the register {name} changes in this loop, and is no counter")).help(format!(
                        "say what it holds before turn `k`: `symexec with | {} k => keep ({} := …)`",
                        self.label_of(l.head),
                        name.trim_start_matches('%')
                    )));
                }
            }
        }
        let n = match (&clause, planned) {
            (Some(c), _) if c.count.is_some() => {
                let (n, iff) = self.count_of(c)?;
                turns = iff;
                n
            }
            (_, Some((n, _))) => n,
            _ => {
                let (n, iff) = self.found_count(s, l, exit, &counters, &written)?;
                turns = Some(iff);
                n
            }
        };
        let turns = turns;
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
        let ((), turn) = self.under("k", nat, |ex, k| {
            let lt = ex.lt(k, n);
            let file = tries(ex, k, None)?;
            trie_fn = Some(ex.el.mk_lambda(&[k], file.trie));
            let tree = std::cell::Cell::new(None);
            let ((), e) = ex.under("hk", lt, |ex, below| {
                ex.knowing(turns, k, below, |ex| {
                    let rho_ty = st.const0("Ptx.Regs");
                    ex.under("ρ", rho_ty, |ex, rho| {
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
                        let t = Turn { head: l.head, out: at_end.then_some(out), condition, k, n, below, content: content.clone(), after: after.clone(), turns, last: None, mark };
                        let here = State { pc: l.head, file };
                        ex.turns.push(k);
                        let d = ex.follow(here, &mut Frame::Turn(t), body_hint, true);
                        ex.turns.pop();
                        let d = d?;
                        if let Some(x) = ex.el.collect_fvars(d.tree).into_iter().find(|x| ex.el.mk_fvar(*x) == rho) {
                            let _ = x;
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
        let rho_ty = st.const0("Ptx.Regs");
        let (rest, next) = self.under("ρ", rho_ty, |ex, rho| {
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
            ("cs", self.calls),
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

    /// Before the first turn: `x = f 0`.
    fn first(
        &mut self,
        pc: usize,
        r: Reg,
        kind: Content,
        x: Expr,
        v: Expr,
    ) -> Result<Option<Expr>> {
        match kind {
            Content::Fixed => Ok(None),
            Content::Said => self.equal("start", pc, r, x, v),
            Content::Counter { first, step } => {
                let (_, p) = self.number(r.0, x)?;
                let parts = [
                    ("w", self.num(u64::from(r.0))),
                    ("x", x),
                    ("e", first),
                    ("s", step),
                    ("h", p),
                ];
                let name = match self.el.st.node(step) {
                    Node::Nat(_) => "count_start_lit",
                    _ => "count_start",
                };
                Ok(Some(self.call(name, &parts)?))
            }
        }
    }

    /// `x = v`, by computation or left to the user.
    fn equal(&mut self, what: &str, pc: usize, r: Reg, x: Expr, v: Expr) -> Result<Option<Expr>> {
        let same = x == v
            || crate::tactic::util::with_budget(self.el, crate::tactic::util::ATTEMPT, |el| {
                el.is_defeq(x, v)
            });
        if same {
            return Ok(None);
        }
        let ty = self.word_type(r.0);
        let p = self.eq(ty, x, v);
        let name = self.register_name(r);
        Ok(Some(self.side(
            &format!("{what}_{}", name.trim_start_matches('%')),
            pc,
            p,
        )?))
    }

    /// After a turn: `x = f (k + 1)`.
    fn again(&mut self, pc: usize, t: &Turn, r: Reg, x: Expr, v: Expr) -> Result<Option<Expr>> {
        match t.content[&r].0 {
            Content::Fixed => Ok(None),
            Content::Said => self.equal("next", pc, r, x, v),
            Content::Counter { first, step } => {
                let st = self.el.st;
                let (e, p) = self.number(r.0, x)?;
                let literal = matches!(st.node(step), Node::Nat(_));
                let product = if literal { [step, t.k] } else { [t.k, step] };
                let old = self.add(first, st.apps(st.const0("Nat.mul"), &product));
                let sum = self.add(old, step);
                let nat = st.const0("Nat");
                let h = if e == sum {
                    self.refl(nat, e)
                } else {
                    let eq = self.eq(nat, e, sum);
                    self.side("counter", pc, eq)?
                };
                let parts = [
                    ("w", self.num(u64::from(r.0))),
                    ("x", x),
                    ("e", first),
                    ("s", step),
                    ("k", t.k),
                    ("e'", e),
                    ("h", p),
                    ("same", h),
                ];
                Ok(Some(self.call(
                    if literal {
                        "count_next_lit"
                    } else {
                        "count_next"
                    },
                    &parts,
                )?))
            }
        }
    }

    /// The state is at the end of a turn: the proof of the condition there.
    pub(super) fn end_of_turn(
        &mut self,
        s: &State,
        t: &mut Turn,
        hint: Option<Expr>,
    ) -> Result<Expr> {
        let st = self.el.st;
        let back = s.pc == t.head;
        if !back && t.out != Some(s.pc) {
            let what = "the loop is left here before its last turn, or so it seems";
            return Err(self.fails(s.pc, what));
        }
        if let (Some(h), Some(m)) = (hint, t.mark) {
            if self.el.whnf(h) != m {
                let text = self.el.pp_short(h);
                return Err(self
                    .fails(
                        s.pc,
                        "a turn of the loop ends here, and the trace's turn has more events",
                    )
                    .note(format!("left of the trace: {text}")));
            }
        }
        let one = self.succ(t.k);
        if t.out.is_none() {
            let said: Vec<(Reg, Expr)> = t
                .content
                .iter()
                .map(|(r, (_, f))| (*r, self.at(*f, one)))
                .collect();
            let holds = self.holds(s, &said, |ex, r, x, v| ex.again(s.pc, t, r, x, v))?;
            return self.stops_here(s, &said, holds);
        }
        let (last, h) = match t.last {
            Some(x) => x,
            None => {
                let more = self.lt(one, t.n);
                let end = self.eq(st.const0("Nat"), one, t.n);
                let p = if back { more } else { end };
                (!back, self.side("turn", s.pc, p)?)
            }
        };
        if last == back {
            let what = if back {
                "after the last turn the thread goes back to the head of the loop"
            } else {
                "the thread leaves the loop before the last turn"
            };
            return Err(self.fails(s.pc, what));
        }
        let more_stop = {
            let mut file = self.files.empty(one);
            for (r, (_, f)) in &t.content {
                let v = self.at(*f, one);
                let here = State { pc: 0, file };
                file = self.put(&here, *r, v)?;
            }
            st.app(self.stop(t.head, file.trie), self.state(s))
        };
        let out = t.out.unwrap_or(0);
        let mut file = self.files.empty(one);
        for (r, (_, f)) in t.content.iter().filter(|(r, _)| t.after.contains(r)) {
            let v = self.at(*f, t.n);
            let here = State { pc: 0, file };
            file = self.put(&here, *r, v)?;
        }
        let out_stop = st.app(self.stop(out, file.trie), self.state(s));
        let proof = if back {
            let said: Vec<(Reg, Expr)> = t
                .content
                .iter()
                .map(|(r, (_, f))| (*r, self.at(*f, one)))
                .collect();
            let holds = self.holds(s, &said, |ex, r, x, v| ex.again(s.pc, t, r, x, v))?;
            let a = self.stops_here(s, &said, holds)?;
            self.call(
                "Turn.more",
                &[
                    ("k", t.k),
                    ("n", t.n),
                    ("A", more_stop),
                    ("B", out_stop),
                    ("h", h),
                    ("a", a),
                ],
            )?
        } else {
            let said: Vec<(Reg, Expr)> = t
                .content
                .iter()
                .filter(|(r, _)| t.after.contains(r))
                .map(|(r, (_, f))| (*r, self.at(*f, t.n)))
                .collect();
            let holds = self.holds(s, &said, |ex, r, x, v| {
                let (kind, f) = t.content[&r];
                if matches!(kind, Content::Fixed) {
                    return Ok(None);
                }
                let mid = ex.at(f, one);
                let p = ex.again(s.pc, t, r, x, mid)?;
                let lv = st.level_nat(1);
                let word = ex.word_type(r.0);
                let congr = st.constant(st.name("congrArg"), &[lv, lv]);
                let q = st.apps(congr, &[st.const0("Nat"), word, one, t.n, f, h]);
                Ok(ex.trans(word, (x, mid, v), p, Some(q)))
            })?;
            let b = self.stops_here(s, &said, holds)?;
            self.call(
                "Turn.last",
                &[
                    ("k", t.k),
                    ("n", t.n),
                    ("A", more_stop),
                    ("B", out_stop),
                    ("h", h),
                    ("b", b),
                ],
            )?
        };
        Ok(proof)
    }

    /// The condition at the end of a turn of a loop that is left at its end.
    fn ends_of_turn(&self, k: Expr, n: Expr, next: Expr, out: Expr) -> Expr {
        let st = self.el.st;
        let one = self.succ(k);
        let u = st.bvar(0);
        let arrow =
            |p: Expr, q: Expr| st.pi(st.name("h"), p, st.lift(q, 0, 1), BinderInfo::Default);
        let a = arrow(self.lt(one, n), st.app(next, u));
        let b = arrow(self.eq(st.const0("Nat"), one, n), st.app(out, u));
        let body = st.apps(st.const0("And"), &[a, b]);
        st.lam(st.name("u"), self.state_type, body, BinderInfo::Default)
    }

    /// At the branch that ends a turn: once for the turns before the last, once for the last.
    pub(super) fn last_turn(
        &mut self,
        s: &State,
        b: Expr,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Option<Done>> {
        let st = self.el.st;
        let Frame::Turn(t) = frame else {
            return Ok(None);
        };
        let (Some(out), None) = (t.out, &t.last) else {
            return Ok(None);
        };
        let next = &self.flow.next[s.pc];
        if !(next.contains(&out) && next.contains(&t.head)) {
            return Ok(None);
        }
        let Some(line) = self.code.lines.get(s.pc).cloned() else {
            return Ok(None);
        };
        let (Shape::Branch { to, .. }, Some((_, neg, _))) = (&line.shape, line.guard) else {
            return Ok(None);
        };
        let jumps_back = *to == t.head;
        let (k, n, below, turns) = (t.k, t.n, t.below, t.turns);
        let mut steps: Vec<Expr> = Vec::new();
        for (kind, _) in t.content.values() {
            if let Content::Counter { step, .. } = kind
                && !matches!(st.node(*step), Node::Nat(_))
                && !steps.contains(step)
            {
                steps.push(*step);
            }
        }
        let one = self.succ(k);
        let mut parts = Vec::new();
        let mut tree = st.const0("Ptx.Tree.skip");
        for last in [false, true] {
            let p = if last {
                self.eq(st.const0("Nat"), one, n)
            } else {
                self.lt(one, n)
            };
            // the branch is taken if it leads where this turn goes
            let value = (jumps_back != last) != neg;
            let ((d, ()), e) = self.under("hk", p, |ex, h| {
                if let Frame::Turn(t) = frame {
                    t.last = Some((last, h));
                }
                ex.about_next(turns, &steps, (k, one), h, last, |ex| {
                    let lit = st.const0(if value { "Bool.true" } else { "Bool.false" });
                    match ex.truth_of(b)? {
                        Some((v, _)) if v == value => {}
                        Some(_) => {
                            let what = if last {
                                "after the last turn the thread goes back to the head of the loop"
                            } else {
                                "the loop is left before its last turn"
                            };
                            return Err(
                                ex.fails(s.pc, &format!("the number of turns is wrong: {what}"))
                            );
                        }
                        None => {
                            let eq = ex.eq(st.const0("Bool"), b, lit);
                            let proof = ex.open("turn", s.pc, eq);
                            ex.known.assume(b, value, proof);
                        }
                    }
                    let d = ex.follow(s.clone(), frame, hint, true)?;
                    Ok(((d.tree, ()), d.proof))
                })
            })?;
            tree = d;
            parts.push(e);
        }
        if let Frame::Turn(t) = frame {
            t.last = None;
        }
        let q = self.ends_with(frame)?;
        let args = [
            ("c", self.common),
            ("k", k),
            ("n", n),
            ("T", tree),
            ("s", self.state(s)),
            ("Q", q),
            ("lt", below),
            ("more", parts[0]),
            ("last", parts[1]),
        ];
        let proof = self.call("Does.last", &args)?;
        Ok(Some(Done { tree, proof }))
    }
}
