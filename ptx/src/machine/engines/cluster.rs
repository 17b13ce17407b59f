//! The barrier of a cluster (ISA §9.7.15.3 `barrier.cluster`).
//!
//! Every thread of the cluster arrives once in a phase and waits once; the phase is complete when all threads that have not
//! exited have arrived. With `.aligned` all threads of a warp execute the same instruction.

use std::collections::{BTreeMap, BTreeSet};

use crate::machine::code::operand::Refusal;
use crate::machine::engine::{Action, Reason, Step, ThreadId, Wake};
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;

/// The barrier of a cluster.
#[derive(Clone, Debug, Default)]
pub struct ClusterBarrier {
    /// The number of the phase.
    phase: u64,
    /// The threads that have arrived in it.
    arrived: BTreeSet<ThreadId>,
    /// Those of them that wait.
    waiting: BTreeSet<ThreadId>,
    /// Where warps have executed aligned instructions, in this phase and the one before.
    sites: BTreeMap<Aligned, (u32, u32)>,
}

/// An aligned instruction of a warp in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Aligned {
    phase: u64,
    cta: u32,
    warp: u32,
    waits: bool,
}

#[derive(Debug)]
struct Arrive {
    aligned: bool,
}

#[derive(Debug)]
struct Wait {
    aligned: bool,
}

/// The action of `barrier.cluster…`.
pub fn decode_barrier(words: &[&str]) -> Result<Box<dyn Action>, Refusal> {
    let aligned = words.contains(&"aligned");
    if words.contains(&"arrive") {
        return Ok(Box::new(Arrive { aligned }));
    }
    if words.contains(&"wait") {
        return Ok(Box::new(Wait { aligned }));
    }
    Err("`arrive` or `wait` is wanted".to_owned())
}

impl Action for Arrive {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let cluster = m.home(t)?.cluster;
        let pending = m.thread(t)?.engines.cluster_phase;
        let barrier = &mut m.clusters[cluster as usize].engines.barrier;
        if pending.is_some() || !barrier.arrived.insert(t) {
            return Err(FaultKind::Barrier(
                "the thread arrives at the cluster's barrier twice without a wait".to_owned(),
            ));
        }
        let phase = barrier.phase;
        if self.aligned {
            check(m, t, phase, false)?;
        }
        m.thread_mut(t)?.engines.cluster_phase = Some(phase);
        complete(m, cluster);
        Ok(Step::Next)
    }
}

impl Action for Wait {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let cluster = m.home(t)?.cluster;
        let Some(phase) = m.thread(t)?.engines.cluster_phase else {
            return Err(FaultKind::Barrier(
                "the thread waits at the cluster's barrier without having arrived".to_owned(),
            ));
        };
        if self.aligned {
            check(m, t, phase, true)?;
        }
        let barrier = &mut m.clusters[cluster as usize].engines.barrier;
        if barrier.phase == phase {
            barrier.waiting.insert(t);
            return Ok(Step::Block(Reason::ClusterBarrier.wait()));
        }
        m.thread_mut(t)?.engines.cluster_phase = None;
        Ok(Step::Next)
    }
}

/// Whether the other threads of the warp that have come to an aligned instruction in this phase came to the same one.
fn check(m: &mut Machine<'_>, t: ThreadId, phase: u64, waits: bool) -> Result<(), FaultKind> {
    let thread = m.thread(t)?;
    let site = (thread.func, thread.pc);
    let cluster = m.home(t)?.cluster;
    let barrier = &mut m.clusters[cluster as usize].engines.barrier;
    let aligned = Aligned {
        phase,
        cta: t.cta,
        warp: t.warp(),
        waits,
    };
    if *barrier.sites.entry(aligned).or_insert(site) != site {
        return Err(FaultKind::DivergentBarrier(
            "divergent aligned barrier: other threads of the warp have come to the cluster's barrier in another instruction"
                .to_owned(),
        ));
    }
    Ok(())
}

/// Ends the phase if every thread of the cluster that has not exited is there.
pub fn complete(m: &mut Machine<'_>, cluster: u32) {
    let Some(c) = m.clusters.get(cluster as usize) else {
        return;
    };
    let arrived = &c.engines.barrier.arrived;
    let alive: u32 = c
        .ctas
        .iter()
        .filter_map(|i| m.cta(*i))
        .map(|cta| cta.live)
        .sum();
    let exited = |t: &&ThreadId| {
        m.thread(**t)
            .is_ok_and(|x| x.state != crate::machine::thread::State::Exited)
    };
    let here = arrived.iter().filter(exited).count();
    if arrived.is_empty() || (here as u32) < alive {
        return;
    }
    let barrier = &mut m.clusters[cluster as usize].engines.barrier;
    barrier.phase += 1;
    barrier.arrived.clear();
    let phase = barrier.phase;
    barrier.sites.retain(|a, _| a.phase + 1 >= phase);
    let waiting = std::mem::take(&mut barrier.waiting);
    m.stats.barriers += 1;
    for t in waiting {
        m.wake(t, Wake::Retry);
    }
}
