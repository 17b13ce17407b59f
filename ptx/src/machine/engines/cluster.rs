//! The barrier of a cluster (ISA §9.7.15.3 `barrier.cluster`).
//!
//! Every thread of the cluster arrives once in a phase and waits once; the phase is complete when all threads that have not
//! exited have arrived.

use std::collections::BTreeSet;

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
}

#[derive(Debug)]
struct Arrive;

#[derive(Debug)]
struct Wait;

/// The action of `barrier.cluster…`.
pub fn decode_barrier(words: &[&str]) -> Result<Box<dyn Action>, Refusal> {
    if words.contains(&"arrive") {
        return Ok(Box::new(Arrive));
    }
    if words.contains(&"wait") {
        return Ok(Box::new(Wait));
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
        let barrier = &mut m.clusters[cluster as usize].engines.barrier;
        if barrier.phase == phase {
            barrier.waiting.insert(t);
            return Ok(Step::Block(Reason::ClusterBarrier.wait()));
        }
        m.thread_mut(t)?.engines.cluster_phase = None;
        Ok(Step::Next)
    }
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
    let waiting = std::mem::take(&mut barrier.waiting);
    m.stats.barriers += 1;
    for t in waiting {
        m.wake(t, Wake::Retry);
    }
}
