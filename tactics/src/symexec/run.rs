//! A thread is followed line by line: silent steps are gathered, an access becomes an event of the tree, a branch is decided
//! by what is known or taken both ways.

use logic::{BinderInfo, Expr};

use super::code::{Line, Shape};
use super::silent::{Halt, Silent};
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
        /// How many calls it is in.
        depth: usize,
        /// Ends that were reached: the state, and the goals that say so.
        ends: Vec<End>,
        /// The condition there.
        stop: Expr,
    },
    /// With the end of a turn of a loop.
    Turn(super::repeat::Turn),
    /// With the end of a turn that is run to see what it does: nothing is proved.
    Trial {
        /// The head of the loop.
        head: usize,
        /// How many calls it is in.
        depth: usize,
        /// The states at the ends.
        ends: Vec<State>,
    },
}

/// An end of a side of an alternative.
#[derive(Clone)]
pub(super) struct End {
    pub state: State,
    /// The calls there.
    pub calls: super::calls::Calls,
    /// The goal that says so.
    goal: MVarId,
    /// What is known there.
    pub facts: Known,
}

impl Frame {
    /// Whether the part ends in the function of which the thread follows the lines, and not in one that called it.
    pub(super) fn here(&self, ex: &Exec<'_, '_>) -> bool {
        let depth = match self {
            Frame::Whole => 0,
            Frame::Meet { depth, .. } | Frame::Trial { depth, .. } => *depth,
            Frame::Turn(t) => t.depth,
        };
        depth == ex.callers.len()
    }

    /// Whether the part ends at a line.
    fn ends_at(&self, ex: &Exec<'_, '_>, pc: usize) -> bool {
        self.here(ex)
            && match self {
                Frame::Whole => false,
                Frame::Meet { at, .. } => pc == *at,
                Frame::Turn(t) => t.ends_at(ex, pc),
                Frame::Trial { head, .. } => super::repeat::ends_turn(ex, *head, pc),
            }
    }
}

/// The tree of a part, and the proof that the thread does it.
pub(super) struct Done {
    pub tree: Expr,
    pub proof: Expr,
}

impl<'a, 'b> Exec<'a, 'b> {
    /// Follows the thread from a state to the end of its part. `enter`: the state may be at the end itself.
    pub(super) fn follow(
        &mut self,
        s: State,
        frame: &mut Frame,
        hint: Option<Expr>,
        enter: bool,
    ) -> Result<Done> {
        let saved = self.inside.take();
        if let (true, Frame::Turn(_) | Frame::Trial { .. }) = (enter, &*frame) {
            self.inside = Some(s.pc);
        }
        let ends = self.silently(s, enter, &|ex, pc| frame.ends_at(ex, pc));
        self.inside = saved;
        let (silent, s, halt) = ends?;
        let done = logic::subst::with_stack(|| match halt {
            Halt::Arrived => self.arrive(&s, frame, hint),
            Halt::Loop(l) => self.repeat(&s, &l, frame, hint),
            Halt::Open(b) => self.either_way(&s, b, frame, hint),
            Halt::Event(line, passes) => match &line.shape {
                Shape::Sync { .. } => self.synchronise(&s, &line, passes, frame, hint),
                Shape::Load { .. } => match self.polled(s.pc) {
                    Some(l) => self.poll(&s, &line, &l, frame, hint),
                    None => self.load(&s, &line, passes, frame, hint),
                },
                Shape::Store { .. } => self.store(&s, &line, passes, frame, hint),
                Shape::Atomic { .. } => self.atomic(&s, &line, passes, frame, hint),
                Shape::Call { .. } => self.enter(&s, &line, passes, frame, hint),
                _ => self.end(&s, &line, passes, frame, hint),
            },
        })?;
        self.after(silent, frame, done)
    }

    /// The end of the thread.
    fn end(
        &mut self,
        s: &State,
        line: &Line,
        passes: Expr,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        if matches!(line.shape, Shape::Ret) && !frame.here(self) {
            return self.leave(s, line, passes, frame, hint);
        }
        if !matches!(frame, Frame::Whole) {
            let what = "a thread ends here inside of a loop or of an alternative that goes on: `symexec` cannot follow that";
            return Err(self.fails(s.pc, what));
        }
        self.nothing_left(s.pc, hint)?;
        let regs = self.files.regs(&s.file);
        let name = if matches!(line.shape, Shape::Ret) {
            "Does.ret"
        } else {
            "Does.exits"
        };
        let (frame_ty, list_ty) = self.frames();
        let nil = self.list_of(frame_ty, &[]);
        let top = self.refl(list_ty, nil);
        let args = [("R", regs), ("g", passes), ("top", top)];
        let proof = self.step(name, s, line, &args)?;
        let tree = self.el.st.const0("Ptx.Tree.skip");
        Ok(Done { tree, proof })
    }

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
            Frame::Meet { stop, .. } => *stop,
            Frame::Turn(t) => t.condition,
            Frame::Trial { .. } => self.el.st.const0("True"),
        })
    }

    /// `Stop cta tid fn stack pc t`.
    pub(super) fn stop(&self, pc: usize, trie: Expr) -> Expr {
        let st = self.el.st;
        let pc = st.nat_u64(pc as u64);
        st.apps(
            st.const0("Ptx.Stop"),
            &[
                self.cta,
                self.tid,
                self.calls.of,
                self.calls.stack,
                pc,
                trie,
            ],
        )
    }

    /// The state at a line with given registers.
    pub(super) fn state_at(&self, pc: usize, regs: Expr) -> Expr {
        let st = self.el.st;
        let pc = st.nat_u64(pc as u64);
        st.apps(
            st.const0("Ptx.TState.full"),
            &[self.cta, self.tid, pc, regs, self.calls.term],
        )
    }

    /// The state as a term.
    pub(super) fn state(&self, s: &State) -> Expr {
        self.state_at(s.pc, self.files.regs(&s.file))
    }

    /// Silent steps before a part.
    pub(super) fn after(&mut self, silent: Vec<Silent>, frame: &Frame, done: Done) -> Result<Done> {
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

    /// Runs `f` where `b = value` is assumed; its result as a function of that.
    pub(super) fn assuming<T>(
        &mut self,
        b: Expr,
        value: bool,
        name: &str,
        f: impl FnOnce(&mut Self) -> Result<(T, Expr)>,
    ) -> Result<(T, Expr)> {
        let st = self.el.st;
        let ty = self.truth_is(b, value);
        // as it stands it has a name of its own, what it says has the name
        let own = self.fresh(&name.replacen("h_", "is_", 1));
        let name = self.fresh(name);
        self.under(&own, ty, |ex, h| {
            ex.assume(b, value, h)?;
            match ex.meaning_of(b, value, h)? {
                None => f(ex),
                Some((p, proof)) => {
                    let name = st.name(&name);
                    let x = ex.el.push_local(name, p, BinderInfo::Default);
                    let (r, e) = f(ex)?;
                    let fun = ex.el.mk_lambda(&[x], e);
                    Ok((r, st.app(fun, proof)))
                }
            }
        })
    }

    /// A name that no variable has: this one, or with a number.
    pub(super) fn fresh(&self, base: &str) -> String {
        let taken = |n: &str| {
            let name = self.el.st.name(n);
            self.el.find_local(&self.el.lctx, name).is_some()
        };
        if !taken(base) {
            return base.to_owned();
        }
        let mut numbered = (1u32..).map(|i| format!("{base}_{i}"));
        numbered
            .find(|n| !taken(n))
            .unwrap_or_else(|| base.to_owned())
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

    /// One way of a branch that may go either way.
    fn one_way(
        &mut self,
        s: &State,
        (b, value): (Expr, bool),
        name: &str,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<(Expr, Expr)> {
        let r = self.assuming(b, value, name, |ex| {
            ex.follow(s.clone(), frame, hint, false)
                .map(|d| (d.tree, d.proof))
        });
        r.map_err(|e| {
            let said = if value { "holds" } else { "does not hold" };
            let text = self.el.pp_short(b);
            let line = self.line_text(s.pc);
            e.note(format!(
                "on the way where {text} {said}, which nothing decides at {line}"
            ))
        })
    }

    /// A branch that may go either way.
    fn either_way(
        &mut self,
        s: &State,
        b: Expr,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        let here = frame.here(self);
        if let Frame::Trial { head, ends, .. } = frame
            && here
            && self.flow.next[s.pc]
                .iter()
                .any(|t| super::repeat::ends_turn(self, *head, *t))
        {
            ends.push(s.clone());
            let tree = self.el.st.const0("Ptx.Tree.skip");
            let proof = self.el.st.const0("True.intro");
            return Ok(Done { tree, proof });
        }
        if let Frame::Turn(_) = frame
            && here
            && let Some(done) = self.last_turn(s, b, frame, hint)?
        {
            return Ok(done);
        }
        let n = self.code.lines.len();
        match self.flow.meet[s.pc].filter(|m| *m < n) {
            Some(at) if hint.is_none() => {
                let trie = self.el.mk_fresh_mvar(self.files.trie_type());
                let stop = self.stop(at, trie);
                self.sides(s, b, (at, trie, stop), false, frame)
            }
            None if hint.is_none() && !here && !self.may_exit(frame) => {
                let trie = self.el.mk_fresh_mvar(self.files.trie_type());
                let (at, stop) = self.in_caller(|ex, call| {
                    let at = call.state.pc;
                    Ok((at, ex.stop(at, trie)))
                })?;
                self.sides(s, b, (at, trie, stop), true, frame)
            }
            _ => self.apart(s, b, frame, hint),
        }
    }

    /// Both ways to the end of the thread.
    fn apart(&mut self, s: &State, b: Expr, frame: &Frame, hint: Option<Expr>) -> Result<Done> {
        if !matches!(frame, Frame::Whole) {
            return Err(self.fails(s.pc, "both ways are possible here, and they do not meet again before the end of the loop or alternative"));
        }
        let name = format!("h_{}", self.number_of_line(s.pc));
        let (x, yes) = self.one_way(s, (b, true), &name, &mut Frame::Whole, hint)?;
        let (y, no) = self.one_way(s, (b, false), &name, &mut Frame::Whole, hint)?;
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
        let tree = self
            .el
            .st
            .apps(self.el.st.const0("Ptx.Tree.ite"), &[b, x, y]);
        Ok(Done { tree, proof })
    }

    /// Both ways to the line where they meet, which is where the function that called this one goes on if they `return`, and
    /// the thread from there.
    fn sides(
        &mut self,
        s: &State,
        b: Expr,
        (at, trie, stop): (usize, Expr, Expr),
        back: bool,
        frame: &mut Frame,
    ) -> Result<Done> {
        let st = self.el.st;
        let name = format!("h_{}", self.number_of_line(s.pc));
        let mut sides = Vec::new();
        let mut ends = Vec::new();
        for value in [true, false] {
            let mut f = Frame::Meet {
                at,
                depth: self.callers.len() - usize::from(back),
                ends: Vec::new(),
                stop,
            };
            let r = self.one_way(s, (b, value), &name, &mut f, None)?;
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
        let q = self.ends_with(frame)?;
        let (rest, next, trie, calls) = match back {
            false => self.joined(b, (at, trie), &ends, frame)?,
            true => self.in_caller(|ex, _| ex.joined(b, (at, trie), &ends, frame))?,
        };
        let args = [
            ("c", self.common),
            ("cta", self.cta),
            ("tid", self.tid),
            ("fn", calls.of),
            ("stack", calls.stack),
            ("pc", self.num(at as u64)),
            ("b", b),
            ("A", sides[0].0),
            ("B", sides[1].0),
            ("T", rest),
            ("s", self.state(s)),
            ("t", trie),
            ("Q", q),
            ("yes", sides[0].1),
            ("no", sides[1].1),
            ("next", next),
        ];
        let proof = self.call("Does.join", &args)?;
        let both = st.apps(st.const0("Ptx.Tree.ite"), &[b, sides[0].0, sides[1].0]);
        Ok(Done {
            tree: st.apps(st.const0("Ptx.Tree.seq"), &[both, rest]),
            proof,
        })
    }

    /// Where two ways meet: what registers hold there, which the ends of the ways are shown to satisfy, and the thread from there.
    /// Its tree, the proof, the trie and the calls there.
    fn joined(
        &mut self,
        b: Expr,
        (at, trie): (usize, Expr),
        ends: &[End],
        frame: &mut Frame,
    ) -> Result<(Expr, Expr, Expr, super::calls::Calls)> {
        let base = self.el.lctx.clone();
        let (values, file) = self.merge(at, b, ends)?;
        if !self.el.is_defeq(trie, file.trie) {
            return Err(self.broken());
        }
        for (i, end) in ends.iter().enumerate() {
            self.el.lctx = self.el.mvar_lctx(end.goal);
            let proof = self.meets(end, &values, b, i == 0)?;
            self.el.assign(end.goal, proof);
        }
        self.el.lctx = base;
        let trie = file.trie;
        let (rest, next) = self.afresh(|ex, rho| {
            let mut file = file.clone();
            file.base = rho;
            let s = State { pc: at, file };
            ex.follow(s, frame, None, false).map(|d| (d.tree, d.proof))
        })?;
        Ok((rest, next, trie, self.calls))
    }

    /// The state is at the end of its part.
    fn arrive(&mut self, s: &State, frame: &mut Frame, hint: Option<Expr>) -> Result<Done> {
        let st = self.el.st;
        let skip = st.const0("Ptx.Tree.skip");
        let proof = match frame {
            Frame::Whole => return Err(self.broken()),
            Frame::Meet { ends, stop, .. } => {
                let ty = st.app(*stop, self.state(s));
                let goal = self.el.mk_goal(ty, logic::Name::ANON);
                let facts = self.known.clone();
                ends.push(End {
                    state: s.clone(),
                    calls: self.calls,
                    goal,
                    facts,
                });
                self.el.mk_mvar(goal)
            }
            Frame::Turn(turn) => self.end_of_turn(s, turn, hint)?,
            Frame::Trial { ends, .. } => {
                ends.push(s.clone());
                st.const0("True.intro")
            }
        };
        let q = self.ends_with(frame)?;
        let args = [
            ("S", self.threads),
            ("s", self.state(s)),
            ("Q", q),
            ("h", proof),
        ];
        let proof = self.call("Does.done", &args)?;
        Ok(Done { tree: skip, proof })
    }

    /// An error in the tactic.
    pub(super) fn broken(&self) -> ElabError {
        ElabError::msg("`symexec` lost its way")
            .note("this is an error in `symexec` itself, not in the script")
    }
}
