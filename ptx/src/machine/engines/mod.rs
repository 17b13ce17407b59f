//! The engines, and which instruction belongs to which.

pub mod atomic;
pub mod barrier;
pub mod bulk;
pub mod call;
pub mod cluster;
pub mod collective;
pub mod copy;
pub mod groups;
pub mod matrix;
pub mod mbarrier;
mod multiply;
pub mod print;
pub mod reduce;
pub mod registers;
pub mod special;
mod spread;
pub mod system;
pub mod tensor;
pub mod transfer;
pub mod wgmma;
pub mod window;

use std::collections::BTreeMap;

use super::code::Act;
use super::code::decode::Decoder;
use super::code::operand::Refusal;
use super::engine::{Action, Step, ThreadId};
use super::fault::FaultKind;
use super::machine::Machine;
use crate::module::Instr;

/// What engines keep for a thread.
#[derive(Clone, Debug, Default)]
pub struct ThreadState {
    /// Copies by the thread.
    pub copies: copy::Copies,
    /// Groups of bulk operations.
    pub bulk: groups::Groups,
    /// The phase of the cluster's barrier in which the thread has arrived and not waited.
    pub cluster_phase: Option<u64>,
    /// Matrix products of its warpgroup.
    pub wgmma: wgmma::ThreadPart,
}

/// What engines keep for a CTA.
#[derive(Clone, Debug, Default)]
pub struct CtaState {
    /// The sixteen barriers.
    pub barriers: barrier::Barriers,
    /// The mbarrier objects.
    pub mbarriers: mbarrier::Mbarriers,
    /// Lanes that wait at `activemask`.
    pub together: Vec<collective::Together>,
    /// Matrix products of its warpgroups, by their number.
    pub warpgroups: BTreeMap<u32, wgmma::Warpgroup>,
    /// How many registers its threads have.
    pub registers: registers::Registers,
}

/// What engines keep for a cluster.
#[derive(Clone, Debug, Default)]
pub struct ClusterState {
    /// Its barrier.
    pub barrier: cluster::ClusterBarrier,
}

/// What an instruction does, found by the base of its opcode or by the shape of its row; `None` if it is a function of words.
pub fn decode(d: &mut Decoder<'_>, base: &str, instr: &Instr) -> Result<Option<Act>, Refusal> {
    let shape = instr.form.as_ref().map_or("", |f| f.shape());
    let action = match (base, shape) {
        ("bar" | "barrier", _) => barrier::decode(d, instr)?,
        ("call", _) => call::decode(d, instr)?,
        ("atom" | "red", _) if !instr.opcode.starts_with("red.async") => atomic::decode(d, instr)?,
        ("trap" | "brkpt" | "nanosleep" | "brx", _) => special::decode(d, base, instr)?,
        ("shfl" | "vote" | "match" | "redux" | "elect" | "activemask", _) => {
            collective::decode(d, base, instr)?
        }
        ("ldmatrix" | "stmatrix" | "movmatrix" | "mma" | "wmma", _) => {
            matrix::decode(d, base, instr)?
        }
        ("wgmma", _) => wgmma::decode(d, instr)?,
        // In one interleaving of threads every fence is there already, and launches run one after the other.
        (_, "fence" | "fenceProxy" | "hint" | "griddepcontrol") => return Ok(Some(Act::Nop)),
        (_, "sreg") => return special::decode_mov(d, instr).map(Some),
        (_, "setmaxnreg") => registers::decode(instr)?,
        (_, "mbar") => mbarrier::decode(d, instr)?,
        (_, "cpAsync" | "cpAsyncGroup" | "cpAsyncArrive") => copy::decode(d, instr)?,
        (_, "bulk" | "bulkReduce" | "bulkGroup" | "tensor" | "tensorReduce") => {
            bulk::decode(d, instr)?
        }
        (_, "tensormapReplace" | "tensormapCopy") => tensor::decode_map(d, instr)?,
        (_, "window") => window::decode(d, instr)?,
        _ => return Ok(None),
    };
    Ok(Some(d.action(action)))
}

/// A thread has exited.
pub fn exited(m: &mut Machine<'_>, t: ThreadId) -> Result<(), FaultKind> {
    barrier::exited(m, t)?;
    let cluster = m.home(t)?.cluster;
    cluster::complete(m, cluster);
    Ok(())
}

/// An instruction that cannot be decoded: a fault where it is reached.
#[derive(Debug)]
pub struct Unsupported(pub String);

impl Action for Unsupported {
    fn step(&self, _m: &mut Machine<'_>, _t: ThreadId) -> Result<Step, FaultKind> {
        Err(FaultKind::Unsupported(self.0.clone()))
    }
}
