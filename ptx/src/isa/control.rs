//! Control flow (ISA §9.7.14) and what else steers the threads themselves. Guards are not part of the opcode.

use std::marker::PhantomData;

use super::{Row, Shape};
use crate::alg::WordAlg;

/// The rows of this family.
pub(super) struct Rows<'r, A>(PhantomData<&'r A>);

impl<'r, A: WordAlg + 'r> Rows<'r, A> {
    pub(super) const ROWS: &'r [Row<A>] = &[
        Row {
            syntax: "bra{.uni} l:label",
            slots: &[],
            section: "9.7.14.3 bra",
            says: "goes to the label; .uni asks that all threads of the warp do",
            shape: Shape::Bra,
        },
        Row {
            syntax: "brx.idx{.uni} a:u32, t:table",
            slots: &[],
            section: "9.7.14.4 brx.idx",
            says: "goes to label number a of the list",
            shape: Shape::Brx,
        },
        Row {
            syntax: "call{.uni} ...",
            slots: &[],
            section: "9.7.14.5 call",
            says: "calls a function by name or by address: (results), function, (arguments), prototype or targets",
            shape: Shape::Call,
        },
        Row {
            syntax: "ret{.uni}",
            slots: &[],
            section: "9.7.14.6 ret",
            says: "returns: from a kernel, the thread ends",
            shape: Shape::Ret,
        },
        Row {
            syntax: "exit",
            slots: &[],
            section: "9.7.14.7 exit",
            says: "the thread ends",
            shape: Shape::Exit,
        },
        Row {
            syntax: "trap",
            slots: &[],
            section: "9.7.21.4 trap",
            says: "ends the launch with a fault",
            shape: Shape::Trap,
        },
        Row {
            syntax: "brkpt",
            slots: &[],
            section: "9.7.21.1 brkpt",
            says: "suspends the launch: here a fault",
            shape: Shape::Trap,
        },
        Row {
            syntax: "setmaxnreg.action.sync.aligned.u32 n:imm",
            slots: &[("action", &["inc", "dec"])],
            section: "9.7.21.5 setmaxnreg",
            says: "changes how many registers a thread of the warpgroup has",
            shape: Shape::Setmaxnreg,
        },
        Row {
            syntax: "griddepcontrol.action",
            slots: &[("action", &["launch_dependents", "wait"])],
            section: "9.7.15.14 griddepcontrol",
            says: "waits for the grids that this one depends on, or lets those that depend on it start",
            shape: Shape::Griddepcontrol,
        },
        Row {
            syntax: "nanosleep.u32 a:u32",
            slots: &[],
            section: "9.7.21.2 nanosleep",
            says: "waits a while",
            shape: Shape::Hint,
        },
        Row {
            syntax: "pmevent{.mask} n:imm",
            slots: &[],
            section: "9.7.21.3 pmevent",
            says: "triggers performance counters",
            shape: Shape::Hint,
        },
    ];
}
