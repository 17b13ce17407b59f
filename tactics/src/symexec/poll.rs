//! Wait loops: a load that is repeated until its answer says otherwise.
//!
//! The loop makes one request in a turn, and what it changes is not read by the next turn. So after a failing turn the thread
//! is back at the same request, with the same registers as far as they matter: the states of D10 in `determinacy.md`.

use std::collections::BTreeSet;

use logic::{BinderInfo, Expr};

use super::code::{Line, Reg, Shape};
use super::flow::Loop;
use super::run::{Done, Frame};
use super::silent::Halt;
use super::{Exec, State};
use crate::meta::Result;

impl<'a, 'b> Exec<'a, 'b> {
    /// The line of the only request of a wait loop.
    pub(super) fn awaits(&self, l: &Loop) -> Option<usize> {
        let label = self.label_of(l.head);
        if self.clauses.iter().any(|c| c.label == label) {
            return None;
        }
        let mut request = None;
        for i in &l.body {
            match &self.code.lines.get(*i)?.shape {
                Shape::Load { .. } if request.is_none() => request = Some(*i),
                Shape::Load { .. }
                | Shape::Store { .. }
                | Shape::Sync { .. }
                | Shape::Atomic { .. }
                | Shape::Call { .. } => return None,
                _ => {}
            }
        }
        let at = request?;
        let written = self.written(l);
        let kept = |i: usize| self.flow.live[i].iter().all(|r| !written.contains(r));
        (kept(l.head) && kept(at)).then_some(at)
    }

    /// The wait loop of which this line is the request.
    pub(super) fn polled(&self, line: usize) -> Option<Loop> {
        self.flow
            .loops
            .iter()
            .find(|l| l.body.contains(&line) && self.awaits(l) == Some(line))
            .cloned()
    }

    /// The registers that a loop writes.
    pub(super) fn written(&self, l: &Loop) -> BTreeSet<Reg> {
        l.body
            .iter()
            .filter_map(|i| self.code.lines.get(*i))
            .flat_map(|line| line.uses().1)
            .collect()
    }

    /// A wait loop, from its request on.
    pub(super) fn poll(
        &mut self,
        s: &State,
        line: &Line,
        l: &Loop,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        let Shape::Load {
            access,
            ty,
            width,
            dsts,
            lists,
            base,
            off,
        } = &line.shape
        else {
            return Err(self.broken());
        };
        let st = self.el.st;
        let access = &self.in_window(s, access, base)?;
        // the registers that matter at the request
        let said: Vec<(Reg, Expr)> = self.flow.live[s.pc]
            .iter()
            .map(|r| (*r, self.value_in(s, *r)))
            .filter(|(_, v)| self.closed_here(*v))
            .collect();
        let start = self.holds(s, &said, |_, _, _, _| Ok(None))?;
        let mut file = self.files.empty(s.file.base);
        for (r, v) in &said {
            let here = State { pc: s.pc, file };
            file = self.put(&here, *r, *v)?;
        }
        let size = self.bytes(*ty)? * dsts.len() as u64;
        let (n, w) = (self.num(size), self.num(u64::from(*width)));
        let ans_ty = st.const0("Ptx.Ans");
        // the request
        let mut place = None;
        let ((), act) = self.afresh(|ex, rho| {
            let mut here = State {
                pc: s.pc,
                file: file.clone(),
            };
            here.file.base = rho;
            let g = ex.passes(&here, line)?;
            let (a, mut args) = ex.address(&here, base, *off, size, None)?;
            let b = ex.location(access, a);
            place = Some((a, b));
            let regs = ex.files.regs(&here.file);
            let [_, loc, ..] = ex.placed(&here, access, a, b)?;
            args.extend([
                ("acc", access.term),
                ("ty", *ty),
                ("rw", w),
                ("dsts", lists[0]),
                ("R", regs),
                ("g", g),
                ("b", b),
                loc,
            ]);
            Ok(((), ex.step("act_load", &here, line, &args)?))
        })?;
        let Some((a, b)) = place else {
            return Err(self.broken());
        };
        if !self.closed_here(a) {
            return Err(self.fails(
                s.pc,
                "the address depends on a register of which nothing is known",
            ));
        }
        // what follows an answer `r`
        let bytes = |r: Expr| {
            let part = |f: &str| st.app(st.const0(&format!("Ptx.Loc.{f}")), b);
            let at = st.apps(
                st.const0("Ptx.Loc.mk"),
                &[part("space"), part("owner"), st.bvar(0)],
            );
            let byte = st.apps(st.const0("Ptx.Ans.bytes"), &[r, at]);
            st.lam(st.name("x"), st.const0("Nat"), byte, BinderInfo::Default)
        };
        // the state after it over registers `ρ`, its registers as the load leaves them, and the proof that they are these
        let answered = |ex: &mut Self, rho: Expr, r: Expr| {
            let mut here = State {
                pc: s.pc,
                file: file.clone(),
            };
            here.file.base = rho;
            let f = bytes(r);
            let addr = st.app(st.const0("Ptx.Loc.addr"), b);
            let at = ex.within(access, a);
            let (file, proof) = ex.loaded(&here, (*ty, *width), dsts, lists, f, at)?;
            let regs = ex.files.regs(&here.file);
            let args = [*ty, w, f, lists[0], addr, regs];
            let before = st.apps(st.const0("Ptx.loadRegs"), &args);
            Ok((State { pc: s.pc + 1, file }, before, proof))
        };
        // the branch that decides
        let mut test = None;
        self.afresh(|ex, rho| {
            ex.under("r", ans_ty, |ex, r| {
                let (after, ..) = answered(ex, rho, r)?;
                let (_, s, halt) = ex.silently(after, false, &|_, pc| pc == l.head)?;
                let Halt::Open(t) = halt else {
                    return Err(ex.fails(s.pc, "this wait loop does not decide by what it loads"));
                };
                test = Some((s.pc, ex.el.mk_lambda(&[r], t)));
                Ok(((), r))
            })
        })?;
        let Some((branch, test)) = test else {
            return Err(self.broken());
        };
        if !self.closed_here(test) {
            return Err(self.fails(
                branch,
                "this wait loop depends on a register of which nothing is known",
            ));
        }
        let leaves = |i: usize| !l.body.contains(&i);
        let (to, neg) = match self.code.lines.get(branch) {
            Some(Line {
                shape: Shape::Branch { to, .. },
                guard: Some((_, neg, _)),
                ..
            }) => (*to, *neg),
            _ => return Err(self.fails(branch, "this wait loop is not left by a branch")),
        };
        if leaves(to) == leaves(branch + 1) {
            return Err(self.fails(branch, "this wait loop is not left here, whatever it loads"));
        }
        let out = leaves(to) != neg;
        let says = |ex: &Self, r: Expr, value: bool| ex.truth_is(ex.el.beta(test, &[r]), value);
        let predicate = |ex: &Self, value: bool| {
            let body = says(ex, st.bvar(0), value);
            st.lam(st.name("r"), ans_ty, body, BinderInfo::Default)
        };
        let (ok, again) = (predicate(self, out), predicate(self, !out));
        let attr = st.app(st.const0("Ptx.Access.readAttr"), access.term);
        let range = st.apps(st.const0("Ptx.Loc.range"), &[b, n]);
        let req = st.apps(st.const0("Ptx.Req.read"), &[attr, range]);
        let event = st.apps(st.const0("Ptx.Event.mk"), &[req, ok, again]);
        let rest = match self.planned(s.pc, hint)? {
            None => None,
            Some((e, rest)) => {
                if !self.el.is_defeq(event, e) {
                    let u = self.el.pp_short(event);
                    let error = self.another(s.pc, "waits", e);
                    return Err(error.note(format!("the thread's: {u}")));
                }
                Some(rest)
            }
        };
        let name = format!("h_{}", self.number_of_line(branch));
        // it goes on
        let (tree, go) = self.afresh(|ex, rho| {
            ex.under("r", ans_ty, |ex, r| {
                let decides = ex.el.beta(test, &[r]);
                ex.assuming(decides, out, &name, |ex| {
                    let (next, before, regs) = answered(ex, rho, r)?;
                    let d = ex.follow(next.clone(), frame, rest, false)?;
                    let q = ex.ends_with(frame)?;
                    let args = [
                        ("R", before),
                        ("R'", ex.files.regs(&next.file)),
                        ("T", d.tree),
                        ("Q", q),
                        ("e", regs),
                        ("p", d.proof),
                    ];
                    Ok((d.tree, ex.step("Does.regs", &next, line, &args)?))
                })
            })
        })?;
        if !self.closed_here(tree) {
            return Err(self.fails(
                s.pc,
                "what follows this wait loop depends on what it loads at last",
            ));
        }
        // it comes back
        let ((), back) = self.afresh(|ex, rho| {
            ex.under("r", ans_ty, |ex, r| {
                let b_test = ex.el.beta(test, &[r]);
                ex.assuming(b_test, !out, &name, |ex| {
                    let (next, before, regs) = answered(ex, rho, r)?;
                    let (steps, last, halt) =
                        ex.silently(next.clone(), false, &|_, pc| pc == s.pc)?;
                    let (Halt::Arrived, Some(all)) = (halt, ex.chain(&steps)?) else {
                        return Err(ex.fails(
                            last.pc,
                            "a failing turn of this wait loop does not come back to its request",
                        ));
                    };
                    let holds = ex.holds(&last, &said, |ex, _, x, v| match x == v {
                        true => Ok(None),
                        false => Err(ex.fails(
                            last.pc,
                            "a failing turn of this wait loop changes a register that is read",
                        )),
                    })?;
                    let stop = ex.stops_here(&last, &said, holds)?;
                    let args = [
                        ("R", before),
                        ("R'", ex.files.regs(&next.file)),
                        ("u", all.to),
                        ("to", ex.num(s.pc as u64)),
                        ("fn", ex.calls.of),
                        ("stack", ex.calls.stack),
                        ("t", file.trie),
                        ("e", regs),
                        ("h", all.proof),
                        ("k", stop),
                    ];
                    Ok(((), ex.step("Does.back", &next, line, &args)?))
                })
            })
        })?;
        let q = self.ends_with(frame)?;
        let args = [
            ("acc", access.term),
            ("ty", *ty),
            ("rw", w),
            ("dsts", lists[0]),
            ("n", n),
            ("fn", self.calls.of),
            ("stack", self.calls.stack),
            ("m", self.calls.made),
            ("b", b),
            ("t", file.trie),
            ("R", self.files.regs(&s.file)),
            ("T", tree),
            ("Q", q),
            ("ok", ok),
            ("again", again),
            ("act", act),
            ("start", start),
            ("go", go),
            ("back", back),
        ];
        let proof = self.step("Does.poll", s, line, &args)?;
        Ok(self.then("await", event, tree, proof))
    }
}
