//! A thread is followed line by line: silent steps are gathered, an access becomes an event of the tree, a branch is decided
//! by what is known or taken both ways.

use logic::{BinderInfo, Expr};

use super::code::{Line, Reg, Shape, Source, SourceKind};
use super::file::File;
use super::value::Known;
use super::{Exec, State};
use crate::meta::{ElabError, MVarId, Result};

/// Where a part of the thread ends.
pub(super) enum Frame {
    /// With the end of the thread.
    Whole,
    /// At the line where alternatives meet.
    Meet {
        /// The line.
        at: usize,
        /// Ends that were reached: the state, and the goals that say so.
        ends: Vec<End>,
        /// The registers there, unknown so far.
        trie: Expr,
    },
    /// With the end of a turn of a loop.
    Turn(super::repeat::Turn),
}

/// An end of a side of an alternative.
#[derive(Clone)]
pub(super) struct End {
    pub state: State,
    /// The goal that says so.
    goal: MVarId,
    /// What is known there.
    pub facts: Known,
}

/// The tree of a part, and the proof that the thread does it.
pub(super) struct Done {
    pub tree: Expr,
    pub proof: Expr,
}

/// Silent steps.
struct Silent {
    from: Expr,
    to: Expr,
    proof: Expr,
}

/// What a guard says.
enum Guarded {
    /// It holds (the proof of `Passes`), or not (the proof that it does not).
    Known(bool, Expr),
    /// That depends: the truth value of the predicate.
    Open(Expr),
}

impl<'a, 'b> Exec<'a, 'b> {
    /// The condition at the end of a part.
    pub(super) fn ends_with(&mut self, frame: &Frame) -> Result<Expr> {
        let st = self.el.st;
        Ok(match frame {
            Frame::Whole => {
                let act = st.apps(st.const0("Ptx.TState.act"), &[self.common, st.bvar(0)]);
                let exit = st.app(st.const0("Ptx.Act.exit"), self.state_type);
                let body = self.eq(self.act_type, act, exit);
                st.lam(st.name("s"), self.state_type, body, BinderInfo::Default)
            }
            Frame::Meet { at, trie, .. } => self.stop(*at, *trie),
            Frame::Turn(t) => t.condition,
        })
    }

    /// `Stop cta tid pc t`.
    pub(super) fn stop(&self, pc: usize, trie: Expr) -> Expr {
        let st = self.el.st;
        let pc = st.nat_u64(pc as u64);
        st.apps(st.const0("Ptx.Stop"), &[self.cta, self.tid, pc, trie])
    }

    /// The state at a line with given registers.
    pub(super) fn state_at(&self, pc: usize, regs: Expr) -> Expr {
        let st = self.el.st;
        let pc = st.nat_u64(pc as u64);
        st.apps(st.const0("Ptx.TState.mk"), &[self.cta, self.tid, pc, regs])
    }

    /// The state as a term.
    pub(super) fn state(&self, s: &State) -> Expr {
        self.state_at(s.pc, self.files.regs(&s.file))
    }

    /// Follows the thread from a state to the end of its part. `enter`: the state may be at the end itself.
    pub(super) fn follow(
        &mut self,
        mut s: State,
        frame: &mut Frame,
        hint: Option<Expr>,
        enter: bool,
    ) -> Result<Done> {
        let mut silent: Vec<Silent> = Vec::new();
        let mut first = enter;
        let done = loop {
            self.count()?;
            if !first && let Some(done) = self.arrive(&s, frame, hint)? {
                break done;
            }
            if !(first && matches!(frame, Frame::Turn(_)))
                && self.leaving != Some(s.pc)
                && let Some(l) = self.flow.loop_at(s.pc)
            {
                let l = l.clone();
                break logic::subst::with_stack(|| self.repeat(&s, &l, frame, hint))?;
            }
            first = false;
            let Some(line) = self.code.lines.get(s.pc).cloned() else {
                return Err(
                    self.fails(s.pc.saturating_sub(1), "the thread runs past the last line")
                );
            };
            let passes = match self.guard(&s, &line)? {
                Guarded::Known(true, p) => p,
                Guarded::Known(false, p) => {
                    let regs = self.files.regs(&s.file);
                    let Some((_, _, g)) = line.guard else {
                        return Err(self.broken());
                    };
                    let proof = self.step(
                        "Leads.skips",
                        &s,
                        &line,
                        &[("R", regs), ("g", g), ("i", line.instr), ("no", p)],
                    )?;
                    s = self.advance(s, &mut silent, proof, None);
                    continue;
                }
                Guarded::Open(b) => {
                    break logic::subst::with_stack(|| self.either_way(&s, b, frame, hint))?;
                }
            };
            match &line.shape {
                Shape::Alu { out, f, dst, srcs } => {
                    let (proof, file) = self.compute(&s, &line, passes, (*out, *dst), *f, srcs)?;
                    s = self.advance(s, &mut silent, proof, Some(file));
                }
                Shape::Special { dst, which } => {
                    let v = self.special(*which)?;
                    let file = self.put(&s, (32, *dst), v)?;
                    let word = self.word_type(32);
                    let value = self.refl(word, v);
                    let put = self.put_proof(&file);
                    let args = [
                        ("g", passes),
                        ("r", *which),
                        ("v", v),
                        ("value", value),
                        ("put", put),
                        ("t'", file.trie),
                        ("dst", self.num(*dst)),
                    ];
                    let proof = self.step("Leads.sreg", &s, &line, &args)?;
                    s = self.advance(s, &mut silent, proof, Some(file));
                }
                Shape::Param { .. } => {
                    let (proof, file) = self.parameter(&s, &line, passes)?;
                    s = self.advance(s, &mut silent, proof, Some(file));
                }
                Shape::Branch { target, label, to } => {
                    let st = self.el.st;
                    let regs = self.files.regs(&s.file);
                    let pair = self.label_pair(label, *to);
                    let has = self.refl(pair.1, pair.0);
                    let args = [
                        ("R", regs),
                        ("g", passes),
                        ("target", self.num(*target)),
                        ("label", st.string(label)),
                        ("to", self.num(*to as u64)),
                        ("has", has),
                    ];
                    let proof = self.step("Leads.jumps", &s, &line, &args)?;
                    let from = self.state(&s);
                    s.pc = *to;
                    silent.push(Silent {
                        from,
                        to: self.state(&s),
                        proof,
                    });
                }
                Shape::Ret | Shape::Exit => {
                    if !matches!(frame, Frame::Whole) {
                        return Err(self.fails(s.pc, "a thread ends here inside of a loop or of an alternative that goes on: `symexec` cannot follow that"));
                    }
                    self.nothing_left(s.pc, hint)?;
                    let regs = self.files.regs(&s.file);
                    let name = if matches!(line.shape, Shape::Ret) {
                        "Does.ret"
                    } else {
                        "Does.exits"
                    };
                    let proof = self.step(name, &s, &line, &[("R", regs), ("g", passes)])?;
                    break Done {
                        tree: self.el.st.const0("Ptx.Tree.skip"),
                        proof,
                    };
                }
                Shape::Load { .. } => {
                    break logic::subst::with_stack(|| self.load(&s, &line, passes, frame, hint))?;
                }
                Shape::Store { .. } => {
                    break logic::subst::with_stack(|| self.store(&s, &line, passes, frame, hint))?;
                }
            }
        };
        self.after(silent, frame, done)
    }

    /// Takes the state one line further.
    fn advance(
        &mut self,
        mut s: State,
        silent: &mut Vec<Silent>,
        proof: Expr,
        file: Option<File>,
    ) -> State {
        let from = self.state(&s);
        s.pc += 1;
        if let Some(f) = file {
            s.file = f;
        }
        let to = self.state(&s);
        silent.push(Silent { from, to, proof });
        s
    }

    /// Silent steps before a part.
    fn after(&mut self, silent: Vec<Silent>, frame: &Frame, done: Done) -> Result<Done> {
        let Some(all) = self.chain(&silent)? else {
            return Ok(done);
        };
        let q = self.ends_with(frame)?;
        let args = [
            ("S", self.threads),
            ("s", all.from),
            ("t", all.to),
            ("T", done.tree),
            ("Q", q),
            ("h", all.proof),
            ("p", done.proof),
        ];
        let proof = self.call("Does.after", &args)?;
        Ok(Done {
            tree: done.tree,
            proof,
        })
    }

    /// Silent steps as one, put together in halves so that the proof is not deep.
    fn chain(&mut self, all: &[Silent]) -> Result<Option<Silent>> {
        Ok(match all {
            [] => None,
            [one] => Some(Silent {
                from: one.from,
                to: one.to,
                proof: one.proof,
            }),
            _ => {
                let (a, b) = all.split_at(all.len() / 2);
                let (Some(a), Some(b)) = (self.chain(a)?, self.chain(b)?) else {
                    return Ok(None);
                };
                let args = [
                    ("S", self.threads),
                    ("s", a.from),
                    ("t", a.to),
                    ("u", b.to),
                    ("h", a.proof),
                    ("h'", b.proof),
                ];
                let proof = self.call("Leads.trans", &args)?;
                Some(Silent {
                    from: a.from,
                    to: b.to,
                    proof,
                })
            }
        })
    }

    /// A lemma about the line, with the arguments that all of them have.
    pub(super) fn step(
        &mut self,
        name: &'static str,
        s: &State,
        line: &Line,
        more: &[(&str, Expr)],
    ) -> Result<Expr> {
        let code = self.rest(s.pc);
        let next = match self.code.lines.get(s.pc + 1) {
            Some(l) => l.rest,
            None => self.code.end.unwrap_or(line.rest),
        };
        let mut args: Vec<(&str, Expr)> = more.to_vec();
        args.extend([
            ("c", self.common),
            ("cta", self.cta),
            ("tid", self.tid),
            ("pc", self.num(s.pc as u64)),
            ("lines", next),
            ("guard", line.guard_term),
            ("ρ", s.file.base),
            ("t", s.file.trie),
            ("code", code),
        ]);
        self.call(name, &args)
    }

    /// The proof of `Rest` for a line.
    fn rest(&mut self, pc: usize) -> Expr {
        let st = self.el.st;
        if self.rests.is_empty() {
            let start = st.app(st.const0("Ptx.Rest.start"), self.body);
            self.rests.push(start);
        }
        while self.rests.len() <= pc {
            let k = self.rests.len() - 1;
            let line = &self.code.lines[k];
            let next = match self.code.lines.get(k + 1) {
                Some(l) => l.rest,
                None => self.code.end.unwrap_or(line.rest),
            };
            let h = self.rests[k];
            let tail = st.apps(
                st.const0("Ptx.Rest.tail"),
                &[self.body, st.nat_u64(k as u64), line.term, next, h],
            );
            self.rests.push(tail);
        }
        self.rests[pc]
    }

    /// A register's value and the proof of `Reads`.
    pub(super) fn read(&mut self, s: &State, r: Reg) -> Result<(Expr, Expr)> {
        let st = self.el.st;
        let (w, i) = (self.num(u64::from(r.0)), self.num(r.1));
        match s.file.values.get(&r) {
            Some(v) => {
                let h = self.refl(self.files.option_type(), self.files.some(r.0, *v));
                let args = [
                    ("ρ", s.file.base),
                    ("t", s.file.trie),
                    ("w", w),
                    ("i", i),
                    ("v", *v),
                    ("k", self.yes),
                    ("h", h),
                ];
                Ok((*v, self.call("Reads.reg", &args)?))
            }
            None => {
                let v = st.apps(s.file.base, &[w, i]);
                let h = self.refl(self.files.option_type(), self.files.none());
                let args = [
                    ("ρ", s.file.base),
                    ("t", s.file.trie),
                    ("w", w),
                    ("i", i),
                    ("h", h),
                ];
                Ok((v, self.call("Reads.base", &args)?))
            }
        }
    }

    /// An operand's value and the proof of `Reads`.
    pub(super) fn operand(&mut self, s: &State, o: &Source) -> Result<(Expr, Expr)> {
        match o.kind {
            SourceKind::Reg(i) => self.read(s, (o.width, i)),
            SourceKind::Imm(l) => {
                let v = self.literal(o.width, l)?;
                let word = self.word_type(o.width);
                let h = self.refl(word, v);
                let args = [
                    ("R", self.files.regs(&s.file)),
                    ("w", self.num(u64::from(o.width))),
                    ("l", l),
                    ("v", v),
                    ("h", h),
                ];
                Ok((v, self.call("Reads.imm", &args)?))
            }
        }
    }

    /// A computation.
    fn compute(
        &mut self,
        s: &State,
        line: &Line,
        g: Expr,
        dst: Reg,
        f: Expr,
        srcs: &[Source],
    ) -> Result<(Expr, File)> {
        const NAMES: [(&str, &str, &str, &str); 4] = [
            ("w1", "o1", "v1", "r1"),
            ("w2", "o2", "v2", "r2"),
            ("w3", "o3", "v3", "r3"),
            ("w4", "o4", "v4", "r4"),
        ];
        let lemma = match srcs.len() {
            1 => "Leads.alu1",
            2 => "Leads.alu2",
            3 => "Leads.alu3",
            4 => "Leads.alu4",
            n => return Err(self.fails(s.pc, &format!("`symexec` has no lemma for {n} operands"))),
        };
        let mut args = vec![
            ("g", g),
            ("f", f),
            ("out", self.num(u64::from(dst.0))),
            ("dst", self.num(dst.1)),
            ("k", self.yes),
        ];
        let mut values = vec![self.floats];
        for (o, (w, t, v, r)) in srcs.iter().zip(NAMES) {
            let (value, reads) = self.operand(s, o)?;
            values.push(value);
            args.extend([
                (w, self.num(u64::from(o.width))),
                (t, o.term),
                (v, value),
                (r, reads),
            ]);
        }
        let value = self.el.beta(f, &values);
        let file = self.put(s, dst, value)?;
        args.extend([("put", self.put_proof(&file)), ("t'", file.trie)]);
        Ok((self.step(lemma, s, line, &args)?, file))
    }

    /// The registers after one is written.
    pub(super) fn put(&mut self, s: &State, r: Reg, v: Expr) -> Result<File> {
        match self.files.put(&s.file, r, v) {
            Some(f) => Ok(f),
            None => Err(self.fails(
                s.pc,
                &format!("`symexec` knows no registers of {} bits", r.0),
            )),
        }
    }

    /// `t.put k v = t'`, by evaluation.
    pub(super) fn put_proof(&self, f: &File) -> Expr {
        self.refl(self.files.trie_type(), f.trie)
    }

    /// What the guard of a line says.
    fn guard(&mut self, s: &State, line: &Line) -> Result<Guarded> {
        let st = self.el.st;
        let regs = self.files.regs(&s.file);
        let Some((p, neg, _)) = line.guard else {
            let h = st.app(st.const0("Ptx.Passes.always"), regs);
            return Ok(Guarded::Known(true, h));
        };
        let (v, reads) = self.read(s, (1, p))?;
        let to_bool = st.app(st.const0("Word.toBool"), v);
        let (b, eq) = self.normal(to_bool)?;
        let Some((value, known)) = self.truth_of(b)? else {
            return Ok(Guarded::Open(b));
        };
        let bool_ty = st.const0("Bool");
        let lit = st.const0(if value { "Bool.true" } else { "Bool.false" });
        let h = self
            .trans(bool_ty, (to_bool, b, lit), eq, Some(known))
            .unwrap_or(known);
        let name = if neg { "Guard.negated" } else { "Guard.pos" };
        let args = [
            ("R", regs),
            ("p", self.num(p)),
            ("v", v),
            ("b", lit),
            ("r", reads),
            ("h", h),
        ];
        let proof = self.call(name, &args)?;
        Ok(Guarded::Known(value != neg, proof))
    }

    /// Runs `f` where `b = value` is assumed; its result as a function of that.
    pub(super) fn assuming<T>(
        &mut self,
        b: Expr,
        value: bool,
        name: &str,
        f: impl FnOnce(&mut Self) -> Result<(T, Expr)>,
    ) -> Result<(T, Expr)> {
        let st = self.el.st;
        let lit = st.const0(if value { "Bool.true" } else { "Bool.false" });
        let ty = self.eq(st.const0("Bool"), b, lit);
        self.under(name, ty, |ex, h| {
            ex.known.assume(b, value, h);
            match ex.meaning_of(b, value, h)? {
                None => f(ex),
                Some((p, proof)) => {
                    let name = st.name(name);
                    let x = ex.el.push_local(name, p, BinderInfo::Default);
                    let (r, e) = f(ex)?;
                    let fun = ex.el.mk_lambda(&[x], e);
                    Ok((r, st.app(fun, proof)))
                }
            }
        })
    }

    /// Runs `f` with a new variable; its result as a function of that.
    pub(super) fn under<T>(
        &mut self,
        name: &str,
        ty: Expr,
        f: impl FnOnce(&mut Self, Expr) -> Result<(T, Expr)>,
    ) -> Result<(T, Expr)> {
        let saved = self.el.lctx.clone();
        let inside = self.known.inside();
        let outside = std::mem::replace(&mut self.known, inside);
        let name = self.el.st.name(name);
        let x = self.el.push_local(name, ty, BinderInfo::Default);
        let r = f(self, x).map(|(r, e)| (r, self.el.mk_lambda(&[x], e)));
        self.known = outside;
        self.el.lctx = saved;
        r
    }

    /// A branch that may go either way.
    fn either_way(
        &mut self,
        s: &State,
        b: Expr,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        if let Frame::Turn(_) = frame
            && let Some(done) = self.last_turn(s, b, frame, hint)?
        {
            return Ok(done);
        }
        let n = self.code.lines.len();
        let meet = self.flow.meet[s.pc].filter(|m| *m < n);
        let name = format!("h_{}", self.number_of_line(s.pc));
        let st = self.el.st;
        let tree = |a: Expr, c: Expr| st.apps(st.const0("Ptx.Tree.ite"), &[b, a, c]);
        let (Some(at), None) = (meet, hint) else {
            if !matches!(frame, Frame::Whole) {
                return Err(self.fails(s.pc, "both ways are possible here, and they do not meet again before the end of the loop or alternative"));
            }
            let (x, yes) = self.assuming(b, true, &name, |ex| {
                ex.follow(s.clone(), &mut Frame::Whole, hint, false)
                    .map(|d| (d.tree, d.proof))
            })?;
            let (y, no) = self.assuming(b, false, &name, |ex| {
                ex.follow(s.clone(), &mut Frame::Whole, hint, false)
                    .map(|d| (d.tree, d.proof))
            })?;
            let q = self.ends_with(frame)?;
            let args = [
                ("S", self.threads),
                ("s", self.state(s)),
                ("Q", q),
                ("c", b),
                ("A", x),
                ("B", y),
                ("a", yes),
                ("b", no),
            ];
            let proof = self.call("Does.ite", &args)?;
            return Ok(Done {
                tree: tree(x, y),
                proof,
            });
        };
        let trie = self.el.mk_fresh_mvar(self.files.trie_type());
        let mut sides = Vec::new();
        let mut ends = Vec::new();
        for value in [true, false] {
            let mut f = Frame::Meet {
                at,
                ends: Vec::new(),
                trie,
            };
            let r = self.assuming(b, value, &name, |ex| {
                ex.follow(s.clone(), &mut f, None, false)
                    .map(|d| (d.tree, d.proof))
            })?;
            if let Frame::Meet { ends: e, .. } = f {
                let [end] = &e[..] else {
                    return Err(
                        self.fails(s.pc, "a side of this branch ends in more than one place")
                    );
                };
                ends.push(end.clone());
            }
            sides.push(r);
        }
        let base = self.el.lctx.clone();
        let (values, file) = self.merge(at, b, &ends)?;
        if !self.el.is_defeq(trie, file.trie) {
            return Err(self.broken());
        }
        for (i, end) in ends.iter().enumerate() {
            self.el.lctx = self.el.mvar_lctx(end.goal);
            let proof = self.meets(end, &values, b, i == 0)?;
            self.el.assign(end.goal, proof);
        }
        self.el.lctx = base;
        let regs_type = st.const0("Ptx.Regs");
        let (rest, next) = self.under("ρ", regs_type, |ex, rho| {
            let mut file = file.clone();
            file.base = rho;
            let s = State { pc: at, file };
            ex.follow(s, frame, hint, false).map(|d| (d.tree, d.proof))
        })?;
        let q = self.ends_with(frame)?;
        let args = [
            ("c", self.common),
            ("cta", self.cta),
            ("tid", self.tid),
            ("pc", self.num(at as u64)),
            ("b", b),
            ("A", sides[0].0),
            ("B", sides[1].0),
            ("T", rest),
            ("s", self.state(s)),
            ("t", file.trie),
            ("Q", q),
            ("yes", sides[0].1),
            ("no", sides[1].1),
            ("next", next),
        ];
        let proof = self.call("Does.join", &args)?;
        let all = st.apps(
            st.const0("Ptx.Tree.seq"),
            &[tree(sides[0].0, sides[1].0), rest],
        );
        Ok(Done { tree: all, proof })
    }

    /// The state is at the end of its part.
    fn arrive(&mut self, s: &State, frame: &mut Frame, hint: Option<Expr>) -> Result<Option<Done>> {
        let st = self.el.st;
        let skip = st.const0("Ptx.Tree.skip");
        let proof = match frame {
            Frame::Whole => return Ok(None),
            Frame::Meet { at, ends, trie } => {
                if s.pc != *at {
                    return Ok(None);
                }
                let ty = st.app(self.stop(*at, *trie), self.state(s));
                let goal = self.el.mk_goal(ty, logic::Name::ANON);
                let facts = self.known.clone();
                ends.push(End {
                    state: s.clone(),
                    goal,
                    facts,
                });
                self.el.mk_mvar(goal)
            }
            Frame::Turn(turn) => match self.end_of_turn(s, turn, hint)? {
                None => return Ok(None),
                Some(p) => p,
            },
        };
        let q = self.ends_with(frame)?;
        let args = [
            ("S", self.threads),
            ("s", self.state(s)),
            ("Q", q),
            ("h", proof),
        ];
        let proof = self.call("Does.done", &args)?;
        Ok(Some(Done { tree: skip, proof }))
    }

    /// Nothing of the given trace is left.
    fn nothing_left(&mut self, pc: usize, hint: Option<Expr>) -> Result<()> {
        let Some(h) = hint else {
            return Ok(());
        };
        let w = self.el.whnf(h);
        if self.el.match_app(w, "List.nil", 1).is_some() {
            return Ok(());
        }
        let t = self.el.pp_short(h);
        Err(self
            .fails(pc, "the thread ends here, and the trace has more events")
            .note(format!("left of the trace: {t}")))
    }

    /// An error in the tactic.
    pub(super) fn broken(&self) -> ElabError {
        ElabError::msg("`symexec` lost its way")
            .note("this is an error in `symexec` itself, not in the script")
    }
}
