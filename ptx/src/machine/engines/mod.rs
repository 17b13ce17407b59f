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

/// The action of an instruction, found by the base of its opcode; `None` if it is a function of words.
pub fn decode(d: &mut Decoder<'_>, base: &str, instr: &Instr) -> Result<Option<Act>, Refusal> {
    let action = match base {
        "bar" | "barrier" => barrier::decode(d, instr)?,
        "call" => call::decode(d, instr)?,
        "atom" | "red" if !instr.opcode.starts_with("red.async") => atomic::decode(d, instr)?,
        "trap" | "brkpt" | "nanosleep" | "brx" => special::decode(d, base, instr)?,
        "shfl" | "vote" | "match" | "redux" | "elect" | "activemask" => {
            collective::decode(d, base, instr)?
        }
        "ldmatrix" | "stmatrix" | "movmatrix" | "mma" | "wmma" => matrix::decode(d, base, instr)?,
        "wgmma" => wgmma::decode(d, instr)?,
        _ => return decode_by_shape(d, instr),
    };
    Ok(Some(d.action(action)))
}

/// As [`decode`], by the shape of the row.
fn decode_by_shape(d: &mut Decoder<'_>, instr: &Instr) -> Result<Option<Act>, Refusal> {
    let Some(form) = &instr.form else {
        return Ok(None);
    };
    Ok(Some(match form.shape() {
        // In one interleaving of threads every fence is there already, and launches run one after the other.
        "fence" | "fenceProxy" | "hint" | "griddepcontrol" => Act::Nop,
        "setmaxnreg" => {
            let action = registers::decode(d, instr)?;
            d.action(action)
        }
        "sreg" => special::decode_mov(d, form, instr)?,
        "mbar" => {
            let action = mbarrier::decode(d, instr)?;
            d.action(action)
        }
        "cpAsync" | "cpAsyncGroup" | "cpAsyncArrive" => {
            let action = copy::decode(d, instr)?;
            d.action(action)
        }
        "bulk" | "bulkReduce" | "bulkGroup" | "tensor" | "tensorReduce" => {
            let action = bulk::decode(d, instr)?;
            d.action(action)
        }
        "tensormapReplace" | "tensormapCopy" => {
            let action = tensor::decode_map(d, instr)?;
            d.action(action)
        }
        "window" => {
            let action = window::decode(d, form, instr)?;
            d.action(action)
        }
        _ => return Ok(None),
    }))
}

/// A thread has exited.
pub fn exited(m: &mut Machine<'_>, t: ThreadId) -> Result<(), FaultKind> {
    barrier::exited(m, t)?;
    let cluster = m.home(t)?.cluster;
    cluster::complete(m, cluster);
    Ok(())
}

/// All threads of a CTA have exited.
pub fn retired(_m: &mut Machine<'_>, _cta: u32) -> Result<(), FaultKind> {
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
