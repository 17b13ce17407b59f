//! The sixteen barriers of a CTA (ISA §9.7.15.1 `bar`, `barrier`; §9.7.15.2 `bar.warp.sync`).
//!
//! A warp arrives as a whole: when all its threads that have not exited are there, it counts as 32 threads. Without a thread
//! count the barrier is complete when every thread that has not exited is there.

use std::collections::BTreeMap;

use crate::machine::code::decode::Decoder;
use crate::machine::code::operand::Refusal;
use crate::machine::code::{Dst, Src};
use crate::machine::engine::{Action, Reason, Step, ThreadId, Wake};
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;
use crate::machine::thread::State;
use crate::module::Instr;

/// The barriers of a CTA by their number.
pub type Barriers = BTreeMap<u32, Barrier>;

/// A barrier on which someone has arrived.
#[derive(Clone, Debug, Default)]
pub struct Barrier {
    /// The thread count that was asked for; `None` for all threads.
    expected: Option<u32>,
    /// How many threads have arrived.
    count: u32,
    /// The threads that have arrived, by warp.
    arrived: Vec<u32>,
    /// Those of them that wait, with where the result of a reduction goes.
    waiting: Vec<(u32, Option<Dst>)>,
    /// Where an aligned `arrive` was executed, and an aligned `sync` or `red`: by warp, or for all in the first place.
    sites: Vec<[Option<(u32, u32)>; 2]>,
    /// The reduction that all do, if one does.
    reduction: Option<Reduction>,
    /// The predicates: how many are true, how many there are.
    votes: (u32, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reduction {
    Popc,
    And,
    Or,
}

/// What an instruction does at a barrier.
#[derive(Debug)]
struct Arrive {
    id: Src,
    count: Option<Src>,
    waits: bool,
    aligned: bool,
    reduction: Option<(Reduction, Dst, Src)>,
}

/// The action of `bar…` and `barrier…`.
pub fn decode(d: &mut Decoder<'_>, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let words: Vec<&str> = instr.words().collect();
    if words.contains(&"warp") {
        let [mask] = &instr.operands[..] else {
            return Err("a member mask is wanted".to_owned());
        };
        let mask = d.source(mask, 32)?;
        return Ok(Box::new(SyncWarp { mask }));
    }
    if words.contains(&"cluster") {
        return super::cluster::decode_barrier(&words);
    }
    let aligned = words[0] == "bar" || words.contains(&"aligned");
    let waits = !words.contains(&"arrive");
    let ops = &instr.operands[..];
    if !words.contains(&"red") {
        let (id, count) = match ops {
            [id] => (id, None),
            [id, count] => (id, Some(count)),
            _ => return Err("a barrier and perhaps a thread count are wanted".to_owned()),
        };
        if !waits && count.is_none() {
            return Err("`arrive` needs a thread count".to_owned());
        }
        return Ok(Box::new(Arrive {
            id: d.source(id, 32)?,
            count: count.map(|c| d.source(c, 32)).transpose()?,
            waits,
            aligned,
            reduction: None,
        }));
    }
    let reduction = match words.iter().find(|w| ["popc", "and", "or"].contains(w)) {
        Some(&"popc") => Reduction::Popc,
        Some(&"and") => Reduction::And,
        Some(_) => Reduction::Or,
        None => return Err("the reduction is missing".to_owned()),
    };
    let (dst, id, count, pred) = match ops {
        [dst, id, pred] => (dst, id, None, pred),
        [dst, id, count, pred] => (dst, id, Some(count), pred),
        _ => return Err("a result, a barrier, a count and a predicate are wanted".to_owned()),
    };
    let dst = d.destination(dst)?;
    let pred = d.source(pred, 1)?;
    Ok(Box::new(Arrive {
        id: d.source(id, 32)?,
        count: count.map(|c| d.source(c, 32)).transpose()?,
        waits,
        aligned,
        reduction: Some((reduction, dst, pred)),
    }))
}

impl Action for Arrive {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let id = m.get(t, self.id)? as u32;
        let count = self
            .count
            .map(|c| m.get(t, c))
            .transpose()?
            .map(|c| c as u32);
        let thread = m.thread(t)?;
        let site = (thread.func, thread.pc);
        let vote = match &self.reduction {
            Some((_, _, pred)) => Some(m.get(t, *pred)? != 0),
            None => None,
        };
        let per_warp = m.options.aligned_per_warp;
        let cta = m.home_mut(t)?;
        let threads = cta.threads.len() as u32;
        if id >= 16 {
            return Err(FaultKind::Barrier(format!(
                "there is no barrier {id}: 0 to 15"
            )));
        }
        if let Some(count) = count
            && (count == 0 || count % 32 != 0 || count > threads.next_multiple_of(32))
        {
            return Err(FaultKind::Barrier(format!(
                "a thread count of {count}: it must be a multiple of 32, and the CTA has {threads} threads"
            )));
        }
        let barrier = cta.engines.barriers.entry(id).or_default();
        if barrier.count == 0 {
            let warps = threads.div_ceil(32) as usize;
            barrier.arrived.resize(warps, 0);
            barrier.sites.resize(warps, [None; 2]);
            barrier.expected = count;
            barrier.reduction = self.reduction.as_ref().map(|r| r.0);
        }
        let (warp, bit) = (t.warp() as usize, 1 << t.lane());
        if barrier.arrived[warp] & bit != 0 {
            return Err(FaultKind::Barrier(format!(
                "the thread arrives at barrier {id} for the second time before it is complete"
            )));
        }
        barrier.check(self, t, site, count, per_warp)?;
        barrier.arrived[warp] |= bit;
        barrier.count += 1;
        if self.waits {
            let dst = self.reduction.as_ref().map(|r| r.1);
            barrier.waiting.push((t.index, dst));
        }
        if let Some(vote) = vote {
            barrier.votes.0 += u32::from(vote);
            barrier.votes.1 += 1;
        }
        if !self.waits {
            complete(m, t, id, None)?;
            return Ok(Step::Next);
        }
        if complete(m, t, id, Some(t.index))? {
            return Ok(Step::Next);
        }
        let of = count.unwrap_or(threads);
        let reason = Reason::Barrier { id, arrived: 0, of };
        Ok(Step::Block(reason.wait()))
    }
}

impl Barrier {
    /// How many threads have arrived.
    pub fn arrived(&self) -> u32 {
        self.count
    }

    /// Whether an arrival fits those before it.
    fn check(
        &mut self,
        arrival: &Arrive,
        t: ThreadId,
        site: (u32, u32),
        count: Option<u32>,
        per_warp: bool,
    ) -> Result<(), FaultKind> {
        if self.expected != count {
            let text = |c: Option<u32>| c.map_or("all".to_owned(), |c| c.to_string());
            return Err(FaultKind::Barrier(format!(
                "one thread waits for {} threads, another one for {}",
                text(self.expected),
                text(count)
            )));
        }
        if self.reduction != arrival.reduction.as_ref().map(|r| r.0) {
            return Err(FaultKind::Barrier(
                "a reduction and something else at one barrier".to_owned(),
            ));
        }
        if !arrival.aligned {
            return Ok(());
        }
        let warp = if per_warp { t.warp() as usize } else { 0 };
        let known = &mut self.sites[warp][usize::from(arrival.waits)];
        if known.is_some_and(|s| s != site) {
            return Err(FaultKind::DivergentBarrier(
                "divergent aligned barrier: other threads have come to the same barrier in another instruction"
                    .to_owned(),
            ));
        }
        *known = Some(site);
        Ok(())
    }
}

/// Ends a barrier if it is complete: its waiting threads go on. `current` is not blocked yet.
fn complete(
    m: &mut Machine<'_>,
    t: ThreadId,
    id: u32,
    current: Option<u32>,
) -> Result<bool, FaultKind> {
    let cta = m.home_mut(t)?;
    let Some(barrier) = cta.engines.barriers.get(&id) else {
        return Ok(false);
    };
    // A warp with one thread left counts as 32.
    let enough = barrier.expected.map_or(cta.live, |count| count / 32);
    if barrier.count == 0 || barrier.count < enough {
        return Ok(false);
    }
    // Whether all threads of a warp are there that have not exited.
    let there = |warp: usize| {
        let missing = !barrier.arrived[warp];
        let threads = cta.threads.iter().skip(32 * warp).take(32);
        threads
            .enumerate()
            .all(|(lane, x)| missing >> lane & 1 == 0 || x.state == State::Exited)
    };
    let warps = 0..barrier.arrived.len();
    let done = match barrier.expected {
        None => warps.clone().all(there),
        Some(count) => {
            let arrived = warps.filter(|w| barrier.arrived[*w] != 0 && there(*w));
            arrived.count() as u32 * 32 >= count
        }
    };
    if !done {
        return Ok(false);
    }
    let Some(barrier) = cta.engines.barriers.remove(&id) else {
        return Ok(false);
    };
    m.stats.barriers += 1;
    let (yes, all) = barrier.votes;
    let result = match barrier.reduction {
        Some(Reduction::Popc) => yes,
        Some(Reduction::And) => u32::from(yes == all),
        Some(Reduction::Or) => u32::from(yes > 0),
        None => 0,
    };
    for (index, dst) in barrier.waiting {
        let thread = ThreadId { cta: t.cta, index };
        if let Some(dst) = dst {
            m.set(thread, dst, u128::from(result))?;
        }
        if Some(index) != current {
            m.wake(thread, Wake::Done);
        }
    }
    Ok(true)
}

/// A thread has exited: barriers that wait for all others may be complete.
pub fn exited(m: &mut Machine<'_>, t: ThreadId) -> Result<(), FaultKind> {
    let ids: Vec<u32> = m.home(t)?.engines.barriers.keys().copied().collect();
    for id in ids {
        complete(m, t, id, None)?;
    }
    Ok(())
}

/// `bar.warp.sync`: waits for the lanes of the mask.
#[derive(Debug)]
struct SyncWarp {
    mask: Src,
}

/// The key of `bar.warp.sync` among the gathers of a warp: it may be executed in different places.
const SYNC_WARP: u64 = u64::MAX;

impl Action for SyncWarp {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let mask = m.get(t, self.mask)?;
        m.gather(t, SYNC_WARP, t.warp() * 32, u128::from(mask), Vec::new())
    }
}
