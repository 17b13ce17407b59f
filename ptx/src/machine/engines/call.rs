//! Calls and returns (ISA §9.7.14.5 `call`, §9.7.14.6 `ret`), and the functions of the system.

use crate::machine::code::decode::Decoder;
use crate::machine::code::layout::function_at;
use crate::machine::code::operand::{Refusal, kind};
use crate::machine::code::{Dst, Slot, Src};
use crate::machine::engine::{Action, Step, ThreadId};
use crate::machine::fault::FaultKind;
use crate::machine::machine::{Machine, gone};
use crate::machine::memory::Space;
use crate::machine::thread::Frame;
use crate::module::{Formal, FuncId, Instr, Module, Operand, Symbol, Table};

/// An argument or a place for a result.
#[derive(Clone, Copy, Debug)]
enum Actual {
    /// A variable in `.param`: the slot of its address, and its size.
    Variable(Slot, u64),
    /// A word.
    Word(Src),
    /// A register that takes a result.
    Register(Dst),
}

#[derive(Clone, Debug)]
enum Target {
    Function(FuncId),
    /// The address, and the sizes of results and parameters.
    Address(Src, Option<(Vec<u64>, Vec<u64>)>),
}

#[derive(Debug)]
struct Call {
    target: Target,
    results: Vec<Actual>,
    args: Vec<Actual>,
}

/// The action of `call`.
pub fn decode(d: &mut Decoder<'_>, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let mut lists = Vec::new();
    let mut callee = None;
    let mut table = None;
    let mut before = 0;
    for operand in &instr.operands {
        match operand {
            Operand::List(list) => lists.push(&list[..]),
            Operand::Table(id) => table = d.function.tables.get(id.index()),
            other if callee.is_none() => {
                callee = Some(other);
                before = lists.len();
            }
            other => return Err(format!("{} after the arguments", kind(other))),
        }
    }
    let target = match callee {
        Some(Operand::Symbol(Symbol::Function(f), 0)) => Target::Function(*f),
        Some(Operand::Reg(_)) => {
            let prototype = match table {
                Some(Table::Prototype { returns, params }) => {
                    Some((returns.clone(), params.clone()))
                }
                _ => None,
            };
            let Some(callee) = callee else {
                return Err("the function is missing".to_owned());
            };
            Target::Address(d.source(callee, 64)?, prototype)
        }
        _ => return Err("the function is missing".to_owned()),
    };
    let (results, args) = match (before, &lists[..]) {
        (0, []) => (&[][..], &[][..]),
        (0, [args]) => (&[][..], *args),
        (1, [results]) => (*results, &[][..]),
        (1, [results, args]) => (*results, *args),
        _ => return Err("too many lists of arguments".to_owned()),
    };
    Ok(Box::new(Call {
        target,
        results: actuals(d, results, true)?,
        args: actuals(d, args, false)?,
    }))
}

fn actuals(
    d: &mut Decoder<'_>,
    operands: &[Operand],
    results: bool,
) -> Result<Vec<Actual>, Refusal> {
    let mut list = Vec::new();
    for operand in operands {
        list.push(match operand {
            Operand::Symbol(Symbol::Variable(v), 0) => {
                let fill = d.symbol(Symbol::Variable(*v), 0)?;
                let bytes = d.module.variables.get(v.index()).map_or(0, |x| x.bytes);
                Actual::Variable(d.slots.fill(fill), bytes)
            }
            Operand::Reg(_) if results => Actual::Register(d.destination(operand)?),
            Operand::Reg(r) => {
                let width = d.register(*r)?.width;
                Actual::Word(d.source(operand, width)?)
            }
            Operand::Imm(_) if !results => Actual::Word(d.source(operand, 32)?),
            other => return Err(format!("{} as an argument", kind(other))),
        });
    }
    Ok(list)
}

impl Action for Call {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let f = self.callee(m, t)?;
        let mut args = Vec::new();
        for arg in &self.args {
            args.push(match *arg {
                Actual::Variable(slot, bytes) => {
                    let at = m.thread(t)?.slot(slot);
                    let mut content = vec![0; bytes as usize];
                    m.load(t, Space::Param, at, 1, &mut content)?;
                    content
                }
                Actual::Word(src) => {
                    let bytes = src.width.div_ceil(8) as usize;
                    m.get_wide(t, src)?.to_le_bytes()[..bytes.min(16)].to_vec()
                }
                Actual::Register(_) => Vec::new(),
            });
        }
        let module = m.program.module;
        let function = module.functions.get(f.index()).ok_or_else(gone)?;
        if !function.has_body {
            let results = super::system::call(m, t, &function.name, &args)?;
            self.returned(m, t, &results)?;
            return Ok(Step::Next);
        }
        let code = m.program.code(f.0).ok_or_else(gone)?;
        check(module, &function.params, &args, &function.name)?;
        m.take(code.frame_bytes().saturating_add(size_of::<Frame>() as u64))?;
        let cta = m.home_mut(t)?;
        let place = cta.place;
        let thread = cta.threads.get_mut(t.index as usize).ok_or_else(gone)?;
        thread.call(code, &place, t.index)?;
        for (formal, arg) in function.params.iter().zip(&args) {
            write_formal(m, t, *formal, arg)?;
        }
        Ok(Step::Stay)
    }

    fn returned(
        &self,
        m: &mut Machine<'_>,
        t: ThreadId,
        results: &[Vec<u8>],
    ) -> Result<(), FaultKind> {
        if results.len() < self.results.len() {
            return Err(FaultKind::Undefined(
                "the function has fewer results than the call asks for".to_owned(),
            ));
        }
        for (actual, bytes) in self.results.iter().zip(results) {
            match *actual {
                Actual::Variable(slot, size) => {
                    let at = m.thread(t)?.slot(slot);
                    if size != bytes.len() as u64 {
                        return Err(FaultKind::Undefined(format!(
                            "a result of {} bytes for a variable of {size}",
                            bytes.len()
                        )));
                    }
                    m.store(t, Space::Param, at, 1, bytes)?;
                }
                Actual::Register(dst) => m.set(t, dst, word(bytes))?,
                Actual::Word(_) => {}
            }
        }
        Ok(())
    }
}

impl Call {
    /// The function that is called.
    fn callee(&self, m: &Machine<'_>, t: ThreadId) -> Result<FuncId, FaultKind> {
        let (src, prototype) = match &self.target {
            Target::Function(f) => return Ok(*f),
            Target::Address(src, prototype) => (*src, prototype),
        };
        let address = m.get(t, src)?;
        let found = function_at(address);
        let module = m.program.module;
        let function = found.and_then(|f| Some((f, module.functions.get(f.index())?)));
        let Some((f, function)) = function.filter(|(_, x)| !x.is_entry) else {
            return Err(FaultKind::Trap(format!(
                "an indirect call to {address:#x}, which is no function"
            )));
        };
        let Some((returns, params)) = prototype else {
            return Ok(f);
        };
        let sizes = |formals: &[Formal]| -> Vec<u64> {
            formals.iter().map(|x| size(module, f, *x)).collect()
        };
        if sizes(&function.returns) != *returns || sizes(&function.params) != *params {
            return Err(FaultKind::Undefined(format!(
                "the prototype of the call does not fit `{}`",
                function.name
            )));
        }
        Ok(f)
    }
}

/// The bytes of a formal parameter.
fn size(module: &Module, f: FuncId, formal: Formal) -> u64 {
    match formal {
        Formal::Param(v) => module.variables.get(v.index()).map_or(0, |x| x.bytes),
        Formal::Reg(r) => module
            .functions
            .get(f.index())
            .and_then(|x| x.registers.get(r.index()))
            .map_or(0, |r| u64::from(r.bits.div_ceil(8))),
    }
}

/// Whether arguments fit formal parameters.
fn check(
    module: &Module,
    formals: &[Formal],
    args: &[Vec<u8>],
    name: &str,
) -> Result<(), FaultKind> {
    let fits = formals.len() == args.len()
        && formals.iter().zip(args).all(|(f, a)| match f {
            Formal::Param(v) => module
                .variables
                .get(v.index())
                .is_some_and(|x| x.bytes == a.len() as u64),
            Formal::Reg(_) => true,
        });
    if fits {
        return Ok(());
    }
    Err(FaultKind::Undefined(format!(
        "the arguments do not fit the parameters of `{name}`"
    )))
}

fn word(bytes: &[u8]) -> u128 {
    let mut word = [0; 16];
    let n = bytes.len().min(16);
    word[..n].copy_from_slice(&bytes[..n]);
    u128::from_le_bytes(word)
}

/// Gives a formal parameter of the frame its value.
fn write_formal(
    m: &mut Machine<'_>,
    t: ThreadId,
    formal: Formal,
    bytes: &[u8],
) -> Result<(), FaultKind> {
    match formal {
        Formal::Param(v) => {
            let offset = m.program.places.frame.get(&v).copied().unwrap_or(0);
            let thread = m.thread_mut(t)?;
            let at = (thread.params_at + offset) as usize;
            let to = thread.params.get_mut(at..at + bytes.len());
            to.ok_or_else(gone)?.copy_from_slice(bytes);
        }
        Formal::Reg(r) => {
            let func = m.thread(t)?.func;
            let code = m.program.code(func).ok_or_else(gone)?;
            let reg = code.slots.registers.get(r.index()).ok_or_else(gone)?;
            let dst = Dst {
                slot: Some(reg.slot),
                width: reg.width,
            };
            m.set(t, dst, word(bytes))?;
        }
    }
    Ok(())
}

/// The value of a formal result of the frame.
fn read_formal(m: &Machine<'_>, t: ThreadId, formal: Formal) -> Result<Vec<u8>, FaultKind> {
    let thread = m.thread(t)?;
    match formal {
        Formal::Param(v) => {
            let offset = m.program.places.frame.get(&v).copied().unwrap_or(0);
            let bytes = m
                .program
                .module
                .variables
                .get(v.index())
                .map_or(0, |x| x.bytes);
            let at = (thread.params_at + offset) as usize;
            let from = thread.params.get(at..at + bytes as usize);
            Ok(from.ok_or_else(gone)?.to_vec())
        }
        Formal::Reg(r) => {
            let code = m.program.code(thread.func).ok_or_else(gone)?;
            let reg = code.slots.registers.get(r.index()).ok_or_else(gone)?;
            let src = Src {
                slot: reg.slot,
                width: reg.width,
                register: reg.width,
                negated: false,
            };
            let bytes = reg.width.div_ceil(8).min(16) as usize;
            Ok(m.get_wide(t, src)?.to_le_bytes()[..bytes].to_vec())
        }
    }
}

/// Returns from a function; from a kernel, the thread ends.
pub fn ret(m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
    let thread = m.thread(t)?;
    if thread.frames.is_empty() {
        return Ok(Step::Exit);
    }
    let module = m.program.module;
    let function = module
        .functions
        .get(thread.func as usize)
        .ok_or_else(gone)?;
    let mut results = Vec::new();
    for formal in &function.returns {
        results.push(read_formal(m, t, *formal)?);
    }
    let before = thread.bytes();
    let thread = m.thread_mut(t)?;
    thread.leave();
    let freed = before.saturating_sub(thread.bytes());
    let (func, pc) = (thread.func, thread.pc);
    m.give_back(freed);
    let call = m.program.action(func, pc).ok_or_else(gone)?;
    call.returned(m, t, &results)?;
    Ok(Step::Next)
}
