//! What a run tells its caller: each step, how far it is, what a kernel prints, and numbers at the end.

use std::collections::BTreeMap;

use super::fault::Site;

/// A step of a thread, for `--trace`.
#[derive(Clone, Debug)]
pub struct StepInfo<'a> {
    /// The CTA.
    pub cta: [u32; 3],
    /// The thread.
    pub thread: [u32; 3],
    /// Where.
    pub site: &'a Site,
    /// Whether the guard let it happen.
    pub active: bool,
    /// The registers that the instruction names, with their words afterwards; where it makes the thread wait, with those before.
    pub registers: Vec<(String, u128)>,
}

/// Receives what happens during a launch. All methods do nothing unless defined.
pub trait Observer {
    /// Whether [`Observer::step`] is wanted: it makes a run slow.
    fn wants_steps(&self) -> bool {
        false
    }
    /// A thread has done an instruction.
    fn step(&mut self, _step: &StepInfo<'_>) {}
    /// So many CTAs of all are finished, and so many instructions are done. Called now and then.
    fn progress(&mut self, _done: u64, _all: u64, _instructions: u64) {}
    /// A kernel prints (`vprintf`).
    fn print(&mut self, _text: &str) {}
}

/// An observer that looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// What a launch has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Instructions, those with a false guard included.
    pub instructions: u64,
    /// Instructions by the base of their opcode: `add`, `ld`.
    pub by_opcode: BTreeMap<String, u64>,
    /// Bytes read and written by loads, stores and atomics of threads, by state space.
    pub bytes: BTreeMap<&'static str, (u64, u64)>,
    /// Bytes moved by asynchronous operations.
    pub async_bytes: u64,
    /// Completed barriers: of CTAs and of clusters.
    pub barriers: u64,
    /// Turns of the scheduler.
    pub turns: u64,
    /// Asynchronous operations.
    pub agents: u64,
    /// Of these, writes to the shared memory of a CTA that had ended: they were dropped.
    pub abandoned: u64,
    /// CTAs.
    pub ctas: u64,
    /// Threads.
    pub threads: u64,
    /// The most CTAs that were there at once.
    pub live_ctas: u64,
}
