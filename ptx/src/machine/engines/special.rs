//! `trap`, `brkpt`, `nanosleep`, and special registers that change (ISA §9.7.21, chapter 10).

use crate::machine::code::decode::Decoder;
use crate::machine::code::operand::Refusal;
use crate::machine::engine::{Action, Step, ThreadId};
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;
use crate::module::Instr;

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

/// The action of an instruction.
pub fn decode(
    _d: &mut Decoder<'_>,
    base: &str,
    _instr: &Instr,
) -> Result<Box<dyn Action>, Refusal> {
    Ok(match base {
        "trap" => Box::new(Trap("the kernel executed `trap`")),
        "brkpt" => Box::new(Trap("the kernel executed `brkpt`")),
        _ => Box::new(Sleep),
    })
}
