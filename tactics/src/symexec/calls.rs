//! Calls: a function is followed line by line where it is called, with registers of its own, and then the caller goes on.

use std::rc::Rc;

use logic::{Expr, Level, Store};

use super::code::{self, Code, Line, Reg, Shape};
use super::flow::Flow;
use super::run::{Done, Frame};
use super::silent::Silent;
use super::{Exec, PtxLines, State, goal};
use crate::meta::{Elab, Result};

/// The calls that the thread is in.
#[derive(Clone, Copy)]
pub(super) struct Calls {
    /// The function of which it follows the lines, `Option Nat`.
    pub of: Expr,
    /// How many calls were made so far.
    pub made: Expr,
    /// Those that have not returned.
    pub stack: Expr,
    /// `Calls.mk of made stack`.
    pub term: Expr,
}

impl Calls {
    fn new(st: &Store<'_>, of: Expr, made: Expr, stack: Expr) -> Calls {
        let term = st.apps(st.const0("Ptx.Calls.mk"), &[of, made, stack]);
        Calls {
            of,
            made,
            stack,
            term,
        }
    }

    /// Reads a term.
    pub fn read(el: &mut Elab<'_>, e: Expr) -> Option<Calls> {
        let (_, parts) = code::constructor(el, e)?;
        let [of, made, stack] = parts[..] else {
            return None;
        };
        Some(Calls::new(el.st, of, made, stack))
    }

    /// The same with another number of calls that were made.
    pub fn with(self, st: &Store<'_>, made: Expr) -> Calls {
        Calls::new(st, self.of, made, self.stack)
    }
}

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
    calls: Calls,
    leaving: Option<usize>,
}

/// A call that has not returned.
pub(super) struct Caller {
    within: Within,
    call: Rc<Call>,
}

/// A call.
pub(super) struct Call {
    /// The function that is called.
    func: u64,
    /// How the caller goes on, but for the results.
    pub state: State,
    outs: Vec<Reg>,
    outs_term: Expr,
    /// The results of the function.
    results: Vec<Reg>,
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
        let entry = match self.callers.first() {
            Some(c) => &c.within.unit.code,
            None => &self.code,
        };
        let mut before = entry.lines.len();
        for f in self.functions.iter().take(index).copied() {
            let body = code::constructor(self.el, f).map(|(_, a)| a[5]);
            before += body
                .and_then(|b| code::list(self.el, b))
                .map_or(0, |(items, _)| items.len());
        }
        let id = self.some(st.const0("Nat"), self.num(func));
        let unit = Unit {
            flow: Rc::new(Flow::new(&code, &results)),
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
        if self.callers.iter().any(|c| c.call.func == *func) {
            return Err(self
                .fails(s.pc, "a function is called here that has not returned from a call before: `symexec` follows no recursion"));
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
        let Calls {
            of, made, stack, ..
        } = self.calls;
        let unit = self.unit(s.pc, *func)?;
        let agent = st.apps(st.const0("Ptx.Agent.thread"), &[self.cta, self.tid]);
        let base = st.apps(fresh, &[agent, made]);
        let empty = self.files.empty(base);
        let (file, passed) = self.pass(s, args, &unit.params, empty)?;
        let start = State { pc: 0, file };
        let (regs, after) = (self.files.regs(&s.file), self.files.regs(&start.file));
        let func_ty = st.const0("Ptx.Func");
        let term = self.functions[usize::try_from(*func).unwrap_or_default()];
        let has = self.refl(self.option(func_ty), self.some(func_ty, term));
        // `Agent → Nat → Regs`
        let inner = self.el.mk_arrow(st.const0("Nat"), st.const0("Ptx.Regs"));
        let fresh_ty = self.el.mk_arrow(st.const0("Ptx.Agent"), inner);
        let layout = self.refl(self.option(fresh_ty), self.some(fresh_ty, fresh));
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
        let id = self.some(st.const0("Nat"), self.num(*func));
        let count = match code::number(self.el, made) {
            Some(n) => self.num(n + 1),
            None => st.apps(st.const0("Nat.add"), &[made, self.num(1)]),
        };
        let back = self.num(s.pc as u64 + 1);
        let (frame_ty, _) = self.frames();
        let top = st.apps(st.const0("Ptx.Frame.mk"), &[of, back, regs, *outs_term]);
        let cons = st.constant(st.name("List.cons"), &[Level::ZERO]);
        let inner = st.apps(cons, &[frame_ty, top, stack]);
        let calls = Calls::new(st, id, count, inner);
        let call = Call {
            func: *func,
            state: State {
                pc: s.pc + 1,
                file: s.file.clone(),
            },
            outs: outs.clone(),
            outs_term: *outs_term,
            results: unit.results.clone(),
        };
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
            call: Rc::new(call),
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

    /// Runs `f` where the function that called this one goes on, but for the results.
    pub(super) fn in_caller<T>(
        &mut self,
        f: impl FnOnce(&mut Self, &Call) -> Result<T>,
    ) -> Result<T> {
        let Some(Caller { mut within, call }) = self.callers.pop() else {
            return Err(self.broken());
        };
        let before = within.calls;
        // calls that were made in it count
        within.calls = before.with(self.el.st, self.calls.made);
        let callee = self.go_to(within);
        let turn = self.turns.pop();
        let r = f(self, &call);
        self.turns.extend(turn);
        let mut within = self.go_to(callee);
        within.calls = before;
        self.callers.push(Caller { within, call });
        r
    }

    /// The end of a call, and everything after it.
    pub(super) fn leave(
        &mut self,
        s: &State,
        line: &Line,
        g: Expr,
        frame: &mut Frame,
        hint: Option<Expr>,
    ) -> Result<Done> {
        let (regs, f) = (self.files.regs(&s.file), self.calls.of);
        let from = self.state(s);
        let (given, to, done) = self.in_caller(|ex, call| {
            let below = call.state.file.clone();
            let before = ex.files.regs(&below);
            let (file, passed) = ex.pass(s, &call.results, &call.outs, below)?;
            let next = State {
                pc: call.state.pc,
                file,
            };
            let given = [
                ("n", ex.calls.made),
                ("to", ex.num(next.pc as u64)),
                ("outs", call.outs_term),
                ("of", ex.calls.of),
                ("f", f),
                ("stack", ex.calls.stack),
                ("R", regs),
                ("R0", before),
                ("R'", ex.files.regs(&next.file)),
                ("g", g),
                ("passed", passed),
            ];
            let to = ex.state(&next);
            let done = ex.follow(next, frame, hint, false)?;
            Ok((given, to, done))
        })?;
        let proof = self.step("Leads.returns", s, line, &given)?;
        self.after(vec![Silent { from, to, proof }], frame, done)
    }

    /// Runs `f` where the registers are other ones, of which nothing is known, and some number of calls was made; its result as a
    /// function of both.
    pub(super) fn afresh<T>(
        &mut self,
        f: impl FnOnce(&mut Self, Expr) -> Result<(T, Expr)>,
    ) -> Result<(T, Expr)> {
        let st = self.el.st;
        let before = self.calls;
        let (regs, made) = (self.fresh("ρ"), self.fresh("calls"));
        let r = self.under(&regs, st.const0("Ptx.Regs"), |ex, rho| {
            ex.under(&made, st.const0("Nat"), |ex, n| {
                ex.calls = before.with(st, n);
                f(ex, rho)
            })
        });
        self.calls = before;
        r
    }

    /// Whether the thread may end in this function, and its part is all that it does.
    pub(super) fn may_exit(&self, frame: &Frame) -> bool {
        let exits = |l: &Line| matches!(l.shape, Shape::Exit);
        matches!(frame, Frame::Whole) && self.code.lines.iter().any(exits)
    }

    /// The labels of the loops of the entry and of the functions that were called.
    pub(super) fn loop_labels(&self) -> Vec<String> {
        let labels = |code: &Code, flow: &Flow| -> Vec<String> {
            let heads = flow.loops.iter().map(|l| l.head);
            heads.map(|h| code.label_of(h)).collect()
        };
        let mut all = labels(&self.code, &self.flow);
        for u in self.units.values() {
            all.extend(labels(&u.code, &u.flow));
        }
        all
    }
}
