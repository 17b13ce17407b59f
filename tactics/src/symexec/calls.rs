//! Calls: a function is followed line by line where it is called, with registers of its own, and then the caller goes on.

use std::rc::Rc;

use logic::{BinderInfo, Expr, Level};

use super::code::{self, Code, Line, Reg, Shape};
use super::file::File;
use super::flow::Flow;
use super::run::{Done, Frame};
use super::silent::Silent;
use super::{Exec, PtxLines, State, goal};
use crate::meta::Result;

/// A function, read.
#[derive(Clone)]
pub(super) struct Unit {
    code: Rc<Code>,
    flow: Rc<Flow>,
    body: Expr,
    registers: Vec<(u32, u64, u64, String, bool)>,
    place: Option<Rc<PtxLines>>,
    before: usize,
    /// Its parameters and results.
    params: Vec<Reg>,
    results: Vec<Reg>,
}

/// Where the thread is: in a function of which it follows the lines.
struct Within {
    unit: Unit,
    rests: Vec<Expr>,
    calls: Expr,
    leaving: Option<usize>,
}

/// A call that has not returned.
pub(super) struct Caller {
    within: Within,
    /// How it goes on, but for the results.
    state: State,
    outs: Vec<Reg>,
    outs_term: Expr,
    /// The results of the function that is called.
    results: Vec<Reg>,
    /// The calls that the thread is in then: the function, how many were made, and those that have not returned.
    of: Expr,
    made: Expr,
    stack: Expr,
    /// The function that is called, `some f`.
    func: Expr,
}

impl<'a, 'b> Exec<'a, 'b> {
    /// Goes to another function; what it comes from.
    fn go_to(&mut self, to: Within) -> Within {
        let unit = Unit {
            code: std::mem::replace(&mut self.code, to.unit.code),
            flow: std::mem::replace(&mut self.flow, to.unit.flow),
            body: std::mem::replace(&mut self.body, to.unit.body),
            registers: std::mem::replace(&mut self.registers, to.unit.registers),
            place: std::mem::replace(&mut self.place, to.unit.place),
            before: std::mem::replace(&mut self.before, to.unit.before),
            params: Vec::new(),
            results: Vec::new(),
        };
        Within {
            unit,
            rests: std::mem::replace(&mut self.rests, to.rests),
            calls: std::mem::replace(&mut self.calls, to.calls),
            leaving: std::mem::replace(&mut self.leaving, to.leaving),
        }
    }

    /// A function by number.
    fn unit(&mut self, pc: usize, func: u64) -> Result<Unit> {
        if let Some(u) = self.units.get(&func) {
            return Ok(u.clone());
        }
        let st = self.el.st;
        let index = usize::try_from(func).unwrap_or(usize::MAX);
        let term = self.functions.get(index).copied();
        let Some((_, fields)) = term.and_then(|t| code::constructor(self.el, t)) else {
            return Err(self.fails(pc, "the function that is called here is not known as data"));
        };
        let code = Rc::new(code::lines(self.el, fields[4], fields[5])?);
        let regs = |ex: &mut Self, slots: Expr| {
            let all = st.app(st.const0("Ptx.slotRegs"), slots);
            code::registers(ex.el, all)
        };
        let (Some(params), Some(results)) = (regs(self, fields[2]), regs(self, fields[1])) else {
            return Err(self.broken());
        };
        let kernel = self.kernel;
        let place = self
            .el
            .head_const(kernel)
            .and_then(|n| self.el.ext.ptx_lines.get(&n)?.get(index + 1).cloned());
        let mut before = 0;
        let entry = match self.callers.first() {
            Some(c) => &c.within.unit.code,
            None => &self.code,
        };
        before += entry.lines.len();
        for f in self.functions[..index].to_vec() {
            let body = code::constructor(self.el, f).map(|(_, a)| a[5]);
            before += body
                .and_then(|b| code::list(self.el, b))
                .map_or(0, |(items, _)| items.len());
        }
        let id = self.some_nat(func);
        let unit = Unit {
            flow: Rc::new(Flow::new(&code)),
            code,
            body: st.apps(st.const0("Ptx.Kernel.linesOf"), &[self.kernel, id]),
            registers: goal::registers(self.el, fields[3]),
            place,
            before,
            params,
            results,
        };
        self.units.insert(func, unit.clone());
        Ok(unit)
    }

    /// `some n`.
    fn some_nat(&self, n: u64) -> Expr {
        let st = self.el.st;
        let some = st.constant(st.name("Option.some"), &[Level::ZERO]);
        st.apps(some, &[st.const0("Nat"), self.num(n)])
    }

    /// A list of registers as a term.
    fn reg_list(&self, regs: &[Reg]) -> Expr {
        let st = self.el.st;
        let items: Vec<Expr> = regs
            .iter()
            .map(|(w, i)| {
                let parts = [self.num(u64::from(*w)), self.num(*i)];
                st.apps(st.const0("Ptx.Reg.mk"), &parts)
            })
            .collect();
        self.list_of(st.const0("Ptx.Reg"), &items)
    }

    /// Words are handed over from the registers `from` of a state to those of another file: the file after that, and the proof of
    /// `pass R from to R' = …`.
    fn pass(&mut self, s: &State, from: &[Reg], to: &[Reg], file: File) -> Result<(File, Expr)> {
        if from.len() != to.len() || from.iter().zip(to).any(|(a, b)| a.0 != b.0) {
            return Err(self.broken());
        }
        let mut files = vec![file];
        let mut read = Vec::new();
        for (i, (r, t)) in from.iter().zip(to).enumerate() {
            let (v, reads) = self.read(s, *r)?;
            let here = State {
                pc: s.pc,
                file: files[i].clone(),
            };
            // `put` names the line in its error
            files.push(self.put(&here, *t, v)?);
            read.push((v, reads));
        }
        let source = self.files.regs(&s.file);
        let end = files[from.len()].clone();
        let last = self.files.regs(&end);
        let mut proof = self.call("pass_nil", &[("R", source), ("R'", last)])?;
        for i in (0..from.len()).rev() {
            let put = self.put_proof(&files[i + 1]);
            let args = [
                ("σ", self.place_of),
                ("R", source),
                ("R'", last),
                ("rs", self.reg_list(&from[i + 1..])),
                ("ts", self.reg_list(&to[i + 1..])),
                ("w", self.num(u64::from(from[i].0))),
                ("i", self.num(from[i].1)),
                ("j", self.num(to[i].1)),
                ("ρ", end.base),
                ("t", files[i].trie),
                ("t'", files[i + 1].trie),
                ("v", read[i].0),
                ("r", read[i].1),
                ("k", self.yes),
                ("put", put),
                ("rest", proof),
            ];
            proof = self.call("pass_cons", &args)?;
        }
        Ok((end, proof))
    }

    /// A call, and everything after it.
    pub(super) fn enter(
        &mut self,
        s: &State,
        line: &Line,
        g: Expr,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        let Shape::Call {
            func,
            args,
            outs,
            args_term,
            outs_term,
        } = &line.shape
        else {
            return Err(self.broken());
        };
        if !matches!(frame, Frame::Whole) {
            let what = "a function is called here inside of a loop or of an alternative that goes on: `symexec` cannot follow that";
            return Err(self.fails(s.pc, what));
        }
        let st = self.el.st;
        let field = st.app(st.const0("Ptx.Layout.fresh"), self.layout);
        let fresh = match code::constructor(self.el, field) {
            Some((c, a)) if c == "some" => a[1],
            _ => {
                return Err(self
                    .fails(s.pc, "a function is called here, and the layout of the launch does not say what registers hold when a call begins")
                    .help("the layout has to be `Layout.mk … (some fresh)`, as `Launch.Placed` says"));
            }
        };
        let Some((_, parts)) = code::constructor(self.el, self.calls) else {
            return Err(self.fails(s.pc, "the calls that the thread is in are not known"));
        };
        let [of, made, stack] = parts[..] else {
            return Err(self.broken());
        };
        let unit = self.unit(s.pc, *func)?;
        let agent = st.apps(st.const0("Ptx.Agent.thread"), &[self.cta, self.tid]);
        let base = st.apps(fresh, &[agent, made]);
        let empty = self.files.empty(base);
        let (file, passed) = self.pass(s, args, &unit.params, empty)?;
        let start = State { pc: 0, file };
        let (regs, after) = (self.files.regs(&s.file), self.files.regs(&start.file));
        let option = self.func_option();
        let some = st.constant(st.name("Option.some"), &[Level::ZERO]);
        let term = self.functions[usize::try_from(*func).unwrap_or_default()];
        let has = self.refl(option, st.apps(some, &[st.const0("Ptx.Func"), term]));
        let (fresh_ty, fresh_option) = self.fresh_types();
        let layout = self.refl(fresh_option, st.apps(some, &[fresh_ty, fresh]));
        let given = [
            ("f", self.num(*func)),
            ("n", made),
            ("args", *args_term),
            ("outs", *outs_term),
            ("fn", term),
            ("fresh", fresh),
            ("of", of),
            ("stack", stack),
            ("R", regs),
            ("R'", after),
            ("g", g),
            ("has", has),
            ("layout", layout),
            ("passed", passed),
        ];
        let proof = self.step("Leads.call", s, line, &given)?;
        let from = self.state(s);
        let id = self.some_nat(*func);
        let count = match code::number(self.el, made) {
            Some(n) => self.num(n + 1),
            None => st.apps(st.const0("Nat.add"), &[made, self.num(1)]),
        };
        let back = self.num(s.pc as u64 + 1);
        let (frame_ty, _) = self.frames();
        let top = st.apps(st.const0("Ptx.Frame.mk"), &[of, back, regs, *outs_term]);
        let cons = st.constant(st.name("List.cons"), &[Level::ZERO]);
        let inner = st.apps(cons, &[frame_ty, top, stack]);
        let calls = st.apps(st.const0("Ptx.Calls.mk"), &[id, count, inner]);
        let results = unit.results.clone();
        let number = self.num((self.before + s.pc) as u64);
        let within = self.go_to(Within {
            unit,
            rests: Vec::new(),
            calls,
            leaving: None,
        });
        self.turns.push(number);
        self.callers.push(Caller {
            within,
            state: State {
                pc: s.pc + 1,
                file: s.file.clone(),
            },
            outs: outs.clone(),
            outs_term: *outs_term,
            results,
            of,
            made: count,
            stack,
            func: id,
        });
        let to = self.state(&start);
        let done = self.follow(start, frame, hint, false)?;
        self.turns.pop();
        let Some(caller) = self.callers.pop() else {
            return Err(self.broken());
        };
        self.go_to(caller.within);
        self.after(vec![Silent { from, to, proof }], frame, done)
    }

    /// The end of a call, and everything after it.
    pub(super) fn leave(
        &mut self,
        s: &State,
        line: &Line,
        g: Expr,
        hint: Option<Expr>,
    ) -> Result<Done> {
        let Some(caller) = self.callers.pop() else {
            return Err(self.broken());
        };
        let below = caller.state.file.clone();
        let before = self.files.regs(&below);
        let (file, passed) = self.pass(s, &caller.results, &caller.outs, below)?;
        let next = State {
            pc: caller.state.pc,
            file,
        };
        let (regs, after) = (self.files.regs(&s.file), self.files.regs(&next.file));
        // calls that were made in it count
        let made = match code::constructor(self.el, self.calls) {
            Some((_, parts)) => parts[1],
            None => caller.made,
        };
        let st = self.el.st;
        let given = [
            ("n", made),
            ("to", self.num(next.pc as u64)),
            ("outs", caller.outs_term),
            ("of", caller.of),
            ("f", caller.func),
            ("stack", caller.stack),
            ("R", regs),
            ("R0", before),
            ("R'", after),
            ("g", g),
            ("passed", passed),
        ];
        let proof = self.step("Leads.returns", s, line, &given)?;
        let from = self.state(s);
        let calls = st.apps(st.const0("Ptx.Calls.mk"), &[caller.of, made, caller.stack]);
        let Caller {
            within,
            state,
            outs,
            outs_term,
            results,
            of,
            made: count,
            stack,
            func,
        } = caller;
        let old = within.calls;
        let callee = self.go_to(Within { calls, ..within });
        let turn = self.turns.pop();
        let to = self.state(&next);
        let done = self.follow(next, &mut Frame::Whole, hint, false)?;
        self.turns.extend(turn);
        let within = self.go_to(callee);
        self.callers.push(Caller {
            within: Within {
                calls: old,
                ..within
            },
            state,
            outs,
            outs_term,
            results,
            of,
            made: count,
            stack,
            func,
        });
        self.after(vec![Silent { from, to, proof }], &Frame::Whole, done)
    }

    /// A variable of calls is read.
    pub(super) fn get_param(&mut self, s: &State, line: &Line, g: Expr) -> Result<(Expr, File)> {
        let Shape::GetParam {
            ty,
            width,
            dst,
            slot,
            off,
            whole,
        } = line.shape
        else {
            return Err(self.broken());
        };
        let st = self.el.st;
        let (x, reads) = self.read(s, slot)?;
        let (w, rw, n) = (
            self.num(u64::from(slot.0)),
            self.num(u64::from(width)),
            self.num(off),
        );
        let (v, value) = if whole {
            let h = self.refl(st.const0("Nat"), w);
            let args = [("ty", ty), ("w", w), ("width", h), ("a", x)];
            (x, self.call("read_arg", &args)?)
        } else {
            let index = st.apps(st.const0("Nat.add"), &[n, st.bvar(0)]);
            let byte = st.apps(st.const0("Word.byte"), &[w, x, index]);
            let f = st.lam(st.name("k"), st.const0("Nat"), byte, BinderInfo::Default);
            let v = st.apps(st.const0("Ptx.MemTy.read"), &[ty, rw, f]);
            (v, self.refl(self.word_type(width), v))
        };
        let file = self.put(s, (width, dst), v)?;
        let args = [
            ("g", g),
            ("ty", ty),
            ("rw", rw),
            ("dst", self.num(dst)),
            ("w", w),
            ("i", self.num(slot.1)),
            ("off", n),
            ("x", x),
            ("v", v),
            ("r", reads),
            ("value", value),
            ("k", self.yes),
            ("put", self.put_proof(&file)),
            ("t'", file.trie),
        ];
        Ok((self.step("Leads.getParam", s, line, &args)?, file))
    }

    /// A variable of calls is written.
    pub(super) fn put_param(&mut self, s: &State, line: &Line, g: Expr) -> Result<(Expr, File)> {
        let Shape::PutParam {
            ty,
            src,
            slot,
            off,
            whole,
        } = line.shape
        else {
            return Err(self.broken());
        };
        let st = self.el.st;
        let (x, reads) = self.read(s, slot)?;
        let (y, src_reads) = self.operand(s, &src)?;
        let (w, rw, n) = (
            self.num(u64::from(slot.0)),
            self.num(u64::from(src.width)),
            self.num(off),
        );
        let bytes = st.app(st.const0("Ptx.MemTy.bytes"), ty);
        let (v, value) = if whole {
            let h = self.refl(st.const0("Nat"), w);
            let args = [("w", w), ("n", bytes), ("width", h), ("b", y), ("a", x)];
            (y, self.call("put_whole", &args)?)
        } else {
            let v = st.apps(st.const0("Ptx.putBytes"), &[w, rw, n, bytes, y, x]);
            (v, self.refl(self.word_type(slot.0), v))
        };
        let file = self.put(s, slot, v)?;
        let args = [
            ("g", g),
            ("ty", ty),
            ("rw", rw),
            ("w", w),
            ("i", self.num(slot.1)),
            ("off", n),
            ("o", src.term),
            ("x", x),
            ("v", v),
            ("y", y),
            ("r", reads),
            ("src", src_reads),
            ("value", value),
            ("k", self.yes),
            ("put", self.put_proof(&file)),
            ("t'", file.trie),
        ];
        Ok((self.step("Leads.putParam", s, line, &args)?, file))
    }

    /// `Option Func`.
    fn func_option(&self) -> Expr {
        let st = self.el.st;
        let option = st.constant(st.name("Option"), &[Level::ZERO]);
        st.app(option, st.const0("Ptx.Func"))
    }

    /// `Agent → Nat → Regs`, and `Option` of it.
    fn fresh_types(&mut self) -> (Expr, Expr) {
        let st = self.el.st;
        let inner = self.el.mk_arrow(st.const0("Nat"), st.const0("Ptx.Regs"));
        let ty = self.el.mk_arrow(st.const0("Ptx.Agent"), inner);
        let option = st.constant(st.name("Option"), &[Level::ZERO]);
        (ty, st.app(option, ty))
    }
}
