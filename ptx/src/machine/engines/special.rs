//! `trap`, `brkpt`, `nanosleep`, `brx.idx`, and special registers that change (ISA §9.7.21, §9.7.14.4, chapter 10).

use crate::machine::code::decode::{Decoder, form_of};
use crate::machine::code::operand::Refusal;
use crate::machine::code::{Act, Dst, Src};
use crate::machine::engine::{Action, Step, ThreadId};
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;
use crate::module::{Instr, Operand, Table};

#[derive(Debug)]
struct Trap(&'static str);

impl Action for Trap {
    fn step(&self, _m: &mut Machine<'_>, _t: ThreadId) -> Result<Step, FaultKind> {
        Err(FaultKind::Trap(self.0.to_owned()))
    }
}

#[derive(Debug)]
struct Sleep;

impl Action for Sleep {
    fn step(&self, _m: &mut Machine<'_>, _t: ThreadId) -> Result<Step, FaultKind> {
        Ok(Step::Yield)
    }
}

/// `brx.idx`: an index that the list does not have is undefined.
#[derive(Debug)]
struct Indexed {
    index: Src,
    targets: Vec<u32>,
}

impl Action for Indexed {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let index = m.get(t, self.index)?;
        match self.targets.get(index as usize) {
            Some(to) => Ok(Step::Jump(*to)),
            None => Err(FaultKind::Undefined(format!(
                "an indirect branch with index {index} of a list of {}",
                self.targets.len()
            ))),
        }
    }
}

/// A clock: how many instructions were done, by the thread or by all.
#[derive(Debug)]
struct Clock {
    global: bool,
    shift: u32,
    dst: Dst,
}

impl Action for Clock {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let ticks = match self.global {
            true => m.steps,
            false => m.thread(t)?.steps,
        };
        m.set(t, self.dst, u128::from(ticks >> self.shift))?;
        Ok(Step::Next)
    }
}

/// `trap`, `brkpt`, `nanosleep`, `brx`.
pub fn decode(d: &mut Decoder<'_>, base: &str, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    Ok(match base {
        "trap" => Box::new(Trap("the kernel executed `trap`")),
        "brkpt" => Box::new(Trap("the kernel executed `brkpt`")),
        "brx" => {
            let [index, Operand::Table(table)] = &instr.operands[..] else {
                return Err("an index and a list are wanted".to_owned());
            };
            let Some(Table::Branches(labels)) = d.function.tables.get(table.index()) else {
                return Err("the list is no list of branch targets".to_owned());
            };
            let targets: Result<Vec<u32>, Refusal> = labels.iter().map(|l| d.target(*l)).collect();
            Box::new(Indexed {
                index: d.source(index, 32)?,
                targets: targets?,
            })
        }
        _ => Box::new(Sleep),
    })
}

/// `mov` from a special register: those that never change are in slots.
pub fn decode_mov(d: &mut Decoder<'_>, instr: &Instr) -> Result<Act, Refusal> {
    let [to, Operand::Special(name)] = &instr.operands[..] else {
        return Err("a special register is wanted".to_owned());
    };
    let clock = match &name[..] {
        "clock" | "clock64" => Some((false, 0)),
        "clock_hi" => Some((false, 32)),
        "globaltimer" | "globaltimer_lo" => Some((true, 0)),
        "globaltimer_hi" => Some((true, 32)),
        _ => None,
    };
    let dst = d.destination(to)?;
    if let Some((global, shift)) = clock {
        return Ok(d.action(Box::new(Clock { global, shift, dst })));
    }
    let slot = d.special(name)?;
    let width = form_of(instr)?.width();
    Ok(d.copy(slot, width, dst))
}
