//! The machine: it runs the kernels of a resolved module on the words of [`crate::alg::bits`].
//!
//! A [`Device`] has memory and keeps it from launch to launch. In a launch threads run one at a time, until they wait or
//! their turn is over; who comes next, how long a turn is and when asynchronous operations get on is decided by the seed, so
//! a run can be repeated, and a kernel that lacks a synchronisation shows it for some seed. No clock, no thread of the
//! host's and no order of hashing has a part in it.
//!
//! - [`code`]: functions decoded once. The meaning of an instruction, written over the algebra of words, is recorded as
//!   micro-operations on slots; there is no other copy of it.
//! - [`engine`]: how instructions that are no functions of words are made; [`engines`]: those that there are.
//! - [`memory`], [`thread`], [`machine`]: the state; `run` and `sched`: how it changes.

pub mod code;
mod device;
pub mod engine;
pub mod engines;
pub mod fault;
pub mod guard;
#[allow(clippy::module_inception)]
pub mod machine;
pub mod memory;
pub mod observe;
mod outline;
pub mod rng;
mod run;
mod sched;
pub mod slots;
pub mod thread;

pub use device::{Device, Launch, Options};
pub use fault::{Fault, FaultKind, Site, Waiting};
pub use observe::{Observer, Silent, Stats, StepInfo};
pub use outline::Outline;
