//! What an engine is made of.
//!
//! An *engine* is a file in `engines/`. It says how its instructions are decoded (`decode`, found by the base of the opcode
//! in `engines/mod.rs`), and for each of them gives an [`Action`]: operands as slots, and what happens when a thread
//! comes to it. State that outlives an instruction is a field of the engines' state of its owner: a thread
//! ([`super::engines::ThreadState`]), a CTA ([`super::engines::CtaState`]) or a cluster.
//!
//! - To wait, an action answers [`Step::Block`]; whoever lets the thread go on calls [`Machine::wake`].
//! - To do something later, it gives an [`Agent`] to [`Machine::spawn`]; the seed decides when it gets on.
//! - To act with other lanes, it calls [`Machine::gather`]; when the last lane is there, [`Action::finish`] is called for each.

use std::fmt;

use super::fault::FaultKind;
use super::machine::Machine;

/// A thread: its CTA's index in the grid, and its index in the CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    /// The CTA.
    pub cta: u32,
    /// The thread in it.
    pub index: u32,
}

impl ThreadId {
    /// The lane of its warp.
    pub fn lane(self) -> u32 {
        self.index % 32
    }

    /// The warp of its CTA.
    pub fn warp(self) -> u32 {
        self.index / 32
    }
}

/// How a thread goes on after an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// With the next instruction.
    Next,
    /// With the next instruction, when others have had a turn.
    Yield,
    /// With another instruction of the function.
    Jump(u32),
    /// As the action has set it: calls and returns.
    Stay,
    /// Not before it is woken.
    Block(Wait),
    /// Not at all: the thread ends.
    Exit,
}

/// How a blocked thread is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Its instruction is done: it goes on with the next one.
    Done,
    /// It tries its instruction again.
    Retry,
}

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// What, for a report.
    pub reason: Reason,
    /// Whether the instruction may give up, like `mbarrier.try_wait`: if nothing else can go on, the thread tries again
    /// with [`super::thread::Thread::timed_out`] set.
    pub timed: bool,
}

/// The reason of a wait; a new engine adds its own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // their texts say it
pub enum Reason {
    Barrier { id: u32, arrived: u32, of: u32 },
    ClusterBarrier,
    Lanes { first: u32, missing: u128 },
    Mbarrier { address: u64, phase: u64 },
    Group { what: &'static str, pending: u32 },
    Registers { wanted: u32 },
    Other(&'static str),
}

impl Reason {
    /// A wait for this, until woken.
    pub fn wait(self) -> Wait {
        Wait {
            reason: self,
            timed: false,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Barrier { id, arrived, of } => {
                write!(f, "barrier {id}: {arrived} of {of} threads have arrived")
            }
            Reason::ClusterBarrier => write!(f, "the barrier of the cluster"),
            Reason::Lanes { first, missing } => {
                write!(f, "threads {missing:#x} from thread {first} on")
            }
            Reason::Mbarrier { address, phase } => {
                write!(f, "phase {phase} of the mbarrier at {address:#x}")
            }
            Reason::Group { what, pending } => write!(f, "{what}: {pending} pending"),
            Reason::Registers { wanted } => write!(f, "{wanted} registers a thread"),
            Reason::Other(what) => write!(f, "{what}"),
        }
    }
}

/// What an instruction does when a thread comes to it.
pub trait Action: fmt::Debug {
    /// Does it for a thread.
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind>;

    /// Does this lane's part when all lanes of a [`Machine::gather`] are there; called for each lane in order, on the
    /// action that the lane came to.
    fn finish(&self, _m: &mut Machine<'_>, _t: ThreadId, _g: &Gather) -> Result<(), FaultKind> {
        Ok(())
    }

    /// A function that this action called has returned with these results, each as bytes.
    fn returned(
        &self,
        _m: &mut Machine<'_>,
        _t: ThreadId,
        _results: &[Vec<u8>],
    ) -> Result<(), FaultKind> {
        Ok(())
    }
}

/// What an asynchronous operation has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to do, at another time.
    More,
    /// It is finished.
    Done,
}

/// An asynchronous operation. The seed decides when it is issued a piece of work: any time between its issue and the
/// moment when nothing else can go on.
pub trait Agent: fmt::Debug {
    /// Does a piece.
    fn advance(&mut self, m: &mut Machine<'_>) -> Result<Progress, FaultKind>;

    /// The thread that issued it, for faults.
    fn issuer(&self) -> Option<ThreadId> {
        None
    }

    /// Whether it cannot do anything now (it comes after another one): it is not asked before something else happened.
    fn ready(&self, _m: &Machine<'_>) -> bool {
        true
    }
}

/// Lanes that do something together.
#[derive(Clone, Debug)]
pub struct Gather {
    /// What they do: lanes with another key do not belong to it.
    pub key: u64,
    /// The thread of the CTA that is bit 0 of `mask`.
    pub first: u32,
    /// The threads that take part.
    pub mask: u128,
    /// Those of `mask` that have come.
    pub present: u128,
    /// They themselves, in the order of threads once it is complete.
    pub lanes: Vec<Lane>,
}

/// A lane that has come.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The thread.
    pub thread: ThreadId,
    /// The function and instruction where it is.
    pub site: (u32, u32),
    /// What it brings.
    pub words: Vec<u64>,
}

impl Gather {
    /// The lane of a thread, by its index in the CTA minus `first`, if it takes part and has not exited.
    pub fn lane(&self, offset: u32) -> Option<&Lane> {
        self.lanes
            .iter()
            .find(|l| l.thread.index == self.first + offset)
    }

    /// Whether this thread is the first of those that came.
    pub fn leads(&self, t: ThreadId) -> bool {
        self.lanes.first().is_some_and(|l| l.thread == t)
    }
}
