//! Functions in the form in which they run: decoded once, every operand a slot of the frame.

pub mod decode;
pub mod frame;
pub mod layout;
pub mod op;
pub mod operand;
pub mod tape;

use std::fmt;

use op::Op;

pub use frame::{Fill, Slots, Special};
pub use layout::Places;
pub use operand::{Addr, Dst, Src};

use super::engine::Action;
use super::fault::Site;
use super::memory::Space;
use crate::module::{FuncId, Instr, Module};

/// A position in the slots of a frame.
pub type Slot = u32;

/// The low `w` bits.
#[inline(always)]
pub fn mask(w: u8) -> u64 {
    match w {
        0 => 0,
        w => u64::MAX >> (64 - u32::from(w.min(64))),
    }
}

/// What runs in a launch: the entry and every function that it may come to.
#[derive(Debug)]
pub struct Program<'m> {
    /// The module.
    pub module: &'m Module,
    /// The kernel.
    pub entry: FuncId,
    /// By function; `None` for those that have no body or are not needed.
    pub codes: Vec<Option<Code>>,
    /// Where variables are.
    pub places: Places,
}

/// A decoded function.
#[derive(Debug)]
pub struct Code {
    /// The function.
    pub func: FuncId,
    /// For each instruction of the module's function what it does, and one more that returns.
    pub ins: Vec<Ins>,
    /// The micro-operations of [`Act::Pure`].
    pub ops: Vec<Op>,
    /// The accesses of [`Act::Load`] and [`Act::Store`].
    pub accesses: Vec<Access>,
    /// What [`Act::Action`] stands for.
    pub actions: Vec<Box<dyn Action>>,
    /// What [`Act::Watched`] stands for.
    pub watched: Vec<Watched>,
    /// The slots of a frame.
    pub slots: Slots,
    /// Bytes of local and parameter memory that a frame has.
    pub local_bytes: u64,
    /// Bytes of the frame's parameter variables.
    pub param_bytes: u64,
    /// For each instruction the slots of the registers that it names: a range of `touched`.
    pub touch: Vec<(u32, u32)>,
    /// See `touch`.
    pub touched: Vec<Slot>,
    /// The instructions that are unsupported, and why.
    pub refused: Vec<(u32, String)>,
}

/// A decoded instruction.
#[derive(Clone, Debug)]
pub struct Ins {
    /// The slot of the guard; [`NO_GUARD`] if there is none.
    pub guard: Slot,
    /// The guard's value for which the instruction happens.
    pub when: u64,
    /// What it does.
    pub act: Act,
}

/// Stands in [`Ins::guard`] for no guard.
pub const NO_GUARD: Slot = Slot::MAX;

/// What an instruction does.
#[derive(Clone, Debug)]
pub enum Act {
    /// One micro-operation.
    One(Op),
    /// Some micro-operations: a range of [`Code::ops`].
    Pure(u32, u32),
    /// A load.
    Load(u32),
    /// A store.
    Store(u32),
    /// Goes to an instruction.
    Bra(u32),
    /// Returns from the function.
    Ret,
    /// Ends the thread.
    Exit,
    /// Nothing: hints to caches.
    Nop,
    /// Everything else.
    Action(u32),
    /// One of the others, that touches registers of asynchronous matrix products: a position in [`Code::watched`].
    Watched(u32),
}

/// An instruction that touches registers of asynchronous matrix products.
#[derive(Clone, Debug)]
pub struct Watched {
    /// What it does.
    pub act: Act,
    /// These registers.
    pub slots: Vec<Slot>,
}

/// A load or store of one or several consecutive values.
#[derive(Clone, Debug)]
pub struct Access {
    /// The state space.
    pub space: Space,
    /// Where.
    pub addr: Addr,
    /// Bytes of a value.
    pub size: u32,
    /// Whether a loaded value keeps its sign in a wider register.
    pub signed: bool,
    /// The registers: sources of a store, destinations of a load.
    pub values: Vec<Value>,
}

/// A source or destination of an access.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The slot; [`NO_GUARD`] for `_`.
    pub slot: Slot,
    /// The width of the register.
    pub width: u32,
}

impl Code {
    /// The bytes of a frame.
    pub fn frame_bytes(&self) -> u64 {
        (8 * u64::from(self.slots.count))
            .saturating_add(self.local_bytes)
            .saturating_add(self.param_bytes)
    }
}

impl Access {
    /// All bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.size) * self.values.len() as u64
    }
}

impl Code {
    /// What an instruction does, watched or not.
    pub fn act(&self, pc: usize) -> Option<&Act> {
        match &self.ins.get(pc)?.act {
            Act::Watched(i) => self.watched.get(*i as usize).map(|w| &w.act),
            act => Some(act),
        }
    }
}

impl<'m> Program<'m> {
    /// The code of a function.
    pub fn code(&self, func: u32) -> Option<&Code> {
        self.codes.get(func as usize)?.as_ref()
    }

    /// An instruction of the module.
    pub fn instr(&self, func: u32, pc: u32) -> Option<&'m Instr> {
        self.module
            .functions
            .get(func as usize)?
            .code
            .get(pc as usize)
    }

    /// A place in the program, for people.
    pub fn site(&self, func: u32, pc: u32) -> Option<Site> {
        let instr = self.instr(func, pc)?;
        let function = &self.module.functions[func as usize];
        let loc = instr.loc.map(|(file, line, column)| {
            let name = self.module.files.iter().find(|f| f.0 == file);
            let name = name.map_or_else(|| format!("file {file}"), |f| f.1.clone());
            (name, line, column)
        });
        Some(Site {
            function: function.name.clone(),
            opcode: instr.opcode.clone(),
            span: instr.span,
            loc,
        })
    }

    /// The instructions that are unsupported, and why.
    pub fn refused(&self) -> Vec<(Site, String)> {
        let codes = self.codes.iter().flatten();
        codes
            .flat_map(|code| {
                let site =
                    |(pc, why): &(u32, String)| Some((self.site(code.func.0, *pc)?, why.clone()));
                code.refused.iter().filter_map(site)
            })
            .collect()
    }

    /// The action at a place, if there is one.
    pub fn action(&self, func: u32, pc: u32) -> Option<&dyn Action> {
        let code = self.code(func)?;
        match *code.act(pc as usize)? {
            Act::Action(i) => code.actions.get(i as usize).map(|a| &**a),
            _ => None,
        }
    }
}

impl fmt::Display for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} slots, {} of registers",
            self.count, self.register_slots
        )
    }
}
