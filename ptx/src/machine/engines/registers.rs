//! `setmaxnreg` (ISA §9.7.21): how many registers a thread may have.
//!
//! The manual leaves open how many a CTA begins with. Here it has [`FILE`] registers; a thread begins with what `.maxnreg`
//! says, or with its share rounded down to a multiple of eight. `.dec` gives registers back, `.inc` waits until the other
//! warpgroups leave enough. Registers keep their words: that new ones are undefined cannot show, since PTX does not say which
//! registers they are.

use crate::machine::code::operand::Refusal;
use crate::machine::engine::{Action, Gather, Reason, Step, ThreadId, Wake};
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;
use crate::module::{Instr, Literal, Operand};

/// The registers of a CTA.
const FILE: u32 = 64 << 10;
/// The threads of a warpgroup.
const GROUP: u32 = 128;

/// Registers of a CTA's threads.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    /// For each warpgroup, registers of a thread; empty as long as nobody has asked.
    held: Vec<u32>,
    /// Threads that wait for registers.
    waiting: Vec<ThreadId>,
}

#[derive(Debug)]
struct SetMax {
    grow: bool,
    count: u32,
}

/// The action of `setmaxnreg`.
pub fn decode(instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let [Operand::Imm(Literal::Int(count))] = instr.operands[..] else {
        return Err("a number is wanted".to_owned());
    };
    let count = u32::try_from(count).unwrap_or(0);
    if !(24..=256).contains(&count) || count % 8 != 0 {
        return Err(format!("{count} is no multiple of 8 from 24 to 256"));
    }
    let grow = instr.words().any(|w| w == "inc");
    Ok(Box::new(SetMax { grow, count }))
}

impl Action for SetMax {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        self.begin(m, t)?;
        let group = (t.index / GROUP) as usize;
        let registers = &m.home(t)?.engines.registers;
        let sum = |held: &[u32]| held.iter().sum::<u32>() * GROUP;
        let others = sum(&registers.held) - registers.held[group] * GROUP;
        if self.grow && others + self.count * GROUP > FILE {
            m.home_mut(t)?.engines.registers.waiting.push(t);
            return Ok(Step::Block(Reason::Registers { wanted: self.count }.wait()));
        }
        let first = group as u32 * GROUP;
        let key = m.site_key(t)?;
        m.gather(t, key, first, u128::MAX, Vec::new())
    }

    fn finish(&self, m: &mut Machine<'_>, t: ThreadId, g: &Gather) -> Result<(), FaultKind> {
        if !g.leads(t) {
            return Ok(());
        }
        let registers = &mut m.home_mut(t)?.engines.registers;
        if let Some(held) = registers.held.get_mut((t.index / GROUP) as usize) {
            *held = self.count;
        }
        for waiting in std::mem::take(&mut registers.waiting) {
            m.wake(waiting, Wake::Retry);
        }
        Ok(())
    }
}

impl SetMax {
    /// Counts the registers that the threads begin with.
    fn begin(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<(), FaultKind> {
        let entry = &m.program.module.functions[m.program.entry.index()];
        let bound = entry.directives.iter().find(|d| d.name == ".maxnreg");
        let bound = bound.and_then(|d| d.numbers.first()).copied();
        let cta = m.home_mut(t)?;
        if !cta.engines.registers.held.is_empty() {
            return Ok(());
        }
        let groups = (cta.threads.len() as u32).div_ceil(GROUP);
        let share = (FILE / (groups * GROUP)).min(255);
        let share = bound.map_or(share, |b| share.min(b as u32)) / 8 * 8;
        cta.engines.registers.held = vec![share; groups as usize];
        Ok(())
    }
}
