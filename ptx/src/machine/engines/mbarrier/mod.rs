//! mbarrier objects in shared memory (ISA §9.7.15.16).

pub mod object;

use rustc_hash::FxHashMap;

use crate::machine::code::decode::Decoder;
use crate::machine::code::operand::Refusal;
use crate::machine::code::{Addr, Dst, Src};
use crate::machine::engine::{Action, Reason, Step, ThreadId, Wait, Wake};
use crate::machine::fault::FaultKind;
use crate::machine::machine::{Machine, Place, gone};
use crate::machine::memory::{SHARED_BASE, Space};
use crate::module::Instr;
use object::{Arrival, Misuse, Object};

/// The objects of a CTA, by their offset in its shared memory.
#[derive(Clone, Debug, Default)]
pub struct Mbarriers {
    objects: FxHashMap<usize, Entry>,
}

/// An object, and the threads of its CTA that wait for its phase.
#[derive(Clone, Debug)]
struct Entry {
    object: Object,
    waiting: Vec<u32>,
}

/// Where an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The CTA, by its index in the grid.
    pub cta: u32,
    /// The offset in its shared memory.
    pub offset: usize,
}

impl Target {
    /// Where an address of a thread says that an object is.
    pub fn locate(
        m: &Machine<'_>,
        t: ThreadId,
        space: Space,
        address: u64,
    ) -> Result<Target, FaultKind> {
        match m.locate_object(t, space, address)? {
            Place::Shared(cta, offset) => Ok(Target { cta, offset }),
            _ => Err(FaultKind::Mbarrier(format!(
                "the address {address:#x} of an mbarrier object is not in shared memory"
            ))),
        }
    }

    fn describe(self, object: Option<&Object>) -> String {
        let at = SHARED_BASE + self.offset as u64;
        match object {
            Some(o) => format!("the mbarrier at {at:#x} ({o})"),
            None => format!("the mbarrier at {at:#x}"),
        }
    }

    fn entry<'m>(self, m: &'m mut Machine<'_>) -> Result<&'m mut Entry, FaultKind> {
        let cta = m.cta_mut(self.cta).ok_or_else(|| {
            FaultKind::Mbarrier(format!("{}: its CTA has ended", self.describe(None)))
        })?;
        let found = cta.engines.mbarriers.objects.get_mut(&self.offset);
        found.ok_or_else(|| {
            FaultKind::Mbarrier(format!(
                "{}: there is no object, it was never initialised or is invalidated",
                self.describe(None)
            ))
        })
    }

    /// Does something to the object; if that completes its phase, those who wait for it go on.
    fn update<T>(
        self,
        m: &mut Machine<'_>,
        change: impl FnOnce(&mut Object) -> Result<T, Misuse>,
    ) -> Result<T, FaultKind> {
        let entry = self.entry(m)?;
        let before = entry.object;
        let result = change(&mut entry.object).map_err(|misuse| {
            FaultKind::Mbarrier(format!("{}: {misuse}", self.describe(Some(&before))))
        })?;
        if entry.object.phase() != before.phase() {
            for index in std::mem::take(&mut entry.waiting) {
                let t = ThreadId {
                    cta: self.cta,
                    index,
                };
                m.wake(t, Wake::Retry);
            }
        }
        Ok(result)
    }

    /// Transactions are complete.
    pub fn complete_tx(self, m: &mut Machine<'_>, count: u32) -> Result<(), FaultKind> {
        self.update(m, |o| o.complete_tx(count)).map(|_| ())
    }

    /// One arrival more is needed.
    pub fn increment(self, m: &mut Machine<'_>) -> Result<(), FaultKind> {
        self.update(m, Object::increment)
    }

    /// One arrival.
    pub fn arrive(self, m: &mut Machine<'_>) -> Result<(), FaultKind> {
        let one = Arrival {
            count: 1,
            ..Arrival::default()
        };
        self.update(m, |o| o.arrive(one)).map(|_| ())
    }

    /// Whether there is an object; a fault if not.
    pub fn check(self, m: &mut Machine<'_>) -> Result<(), FaultKind> {
        self.entry(m).map(|_| ())
    }
}

/// What an instruction does to an object.
#[derive(Clone, Copy, Debug)]
enum Op {
    Init,
    Inval,
    ExpectTx,
    CompleteTx,
    Arrive {
        expect_tx: bool,
        drop: bool,
        no_complete: bool,
    },
    Wait {
        parity: bool,
        may_block: bool,
    },
}

#[derive(Debug)]
struct Mbarrier {
    op: Op,
    space: Space,
    addr: Addr,
    /// The state of an arrival, the predicate of a wait.
    result: Option<Dst>,
    /// The count, the state, the parity.
    value: Option<Src>,
}

#[derive(Debug)]
struct PendingCount {
    result: Dst,
    state: Src,
}

/// The action of an instruction.
pub fn decode(d: &mut Decoder<'_>, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let words: Vec<&str> = instr.words().collect();
    let has = |w: &str| words.contains(&w);
    let op = match words.get(1).copied().unwrap_or_default() {
        "init" => Op::Init,
        "inval" => Op::Inval,
        "expect_tx" => Op::ExpectTx,
        "complete_tx" => Op::CompleteTx,
        name @ ("arrive" | "arrive_drop") => Op::Arrive {
            expect_tx: has("expect_tx"),
            drop: name == "arrive_drop",
            no_complete: has("noComplete"),
        },
        name @ ("test_wait" | "try_wait") => Op::Wait {
            parity: has("parity"),
            may_block: name == "try_wait",
        },
        "pending_count" => {
            let [result, state] = &instr.operands[..] else {
                return Err("two operands are needed".to_owned());
            };
            return Ok(Box::new(PendingCount {
                result: d.destination(result)?,
                state: d.source(state, 64)?,
            }));
        }
        other => return Err(format!("mbarrier.{other} is not known")),
    };
    let mut operands = &instr.operands[..];
    let mut result = None;
    if let (Op::Arrive { .. } | Op::Wait { .. }, [first, rest @ ..]) = (op, operands) {
        result = Some(d.destination(first)?);
        operands = rest;
    }
    let [address, rest @ ..] = operands else {
        return Err("an address is needed".to_owned());
    };
    let (addr, space) = d.address_in(address, &words)?;
    let width = match op {
        Op::Wait { parity: false, .. } => 64,
        _ => 32,
    };
    let value = match rest.first() {
        Some(operand) => Some(d.source(operand, width)?),
        None => None,
    };
    let needed = match op {
        Op::Inval => false,
        Op::Arrive {
            expect_tx,
            no_complete,
            ..
        } => expect_tx || no_complete,
        _ => true,
    };
    if needed && value.is_none() {
        return Err("an operand is missing".to_owned());
    }
    Ok(Box::new(Mbarrier {
        op,
        space,
        addr,
        result,
        value,
    }))
}

impl Action for PendingCount {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let state = m.get(t, self.state)?;
        m.set(t, self.result, Object::pending_count(state).into())?;
        Ok(Step::Next)
    }
}

impl Action for Mbarrier {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let address = m.address(t, self.addr)?;
        let at = Target::locate(m, t, self.space, address)?;
        let value = match self.value {
            Some(src) => Some(m.get(t, src)?),
            None => None,
        };
        let count = value.unwrap_or(1) as u32;
        let local = at.cta == t.cta;
        if !local && matches!(self.op, Op::Init | Op::Inval | Op::Wait { .. }) {
            return Err(FaultKind::Mbarrier(format!(
                "{} is in another CTA: only arrivals and transaction counts are possible from here",
                at.describe(None)
            )));
        }
        match self.op {
            Op::Init => init(m, at, count)?,
            Op::Inval => inval(m, at)?,
            Op::ExpectTx => at.update(m, |o| o.expect_tx(count))?,
            Op::CompleteTx => at.complete_tx(m, count)?,
            Op::Arrive {
                expect_tx,
                drop,
                no_complete,
            } => {
                let result = self.result.filter(|d| d.slot.is_some());
                if !local && result.is_some() {
                    return Err(FaultKind::Mbarrier(format!(
                        "{} is in another CTA: an arrival there has no result",
                        at.describe(None)
                    )));
                }
                let arrival = Arrival {
                    count: if expect_tx { 1 } else { count },
                    expect_tx: expect_tx.then_some(count),
                    drop,
                    no_complete,
                };
                let (state, _) = at.update(m, |o| o.arrive(arrival))?;
                if let Some(d) = result {
                    m.set(t, d, state.into())?;
                }
            }
            Op::Wait { parity, may_block } => {
                return self.wait(m, t, at, value.unwrap_or(0), parity, may_block);
            }
        }
        Ok(Step::Next)
    }
}

impl Mbarrier {
    /// A wait. `try_wait` may come back without success, and now and then does so at once.
    fn wait(
        &self,
        m: &mut Machine<'_>,
        t: ThreadId,
        at: Target,
        value: u64,
        parity: bool,
        may_block: bool,
    ) -> Result<Step, FaultKind> {
        let entry = at.entry(m)?;
        entry.waiting.retain(|i| *i != t.index);
        let complete = at.update(m, |o| match parity {
            true => Ok(o.test_parity(value as u32)),
            false => o.test_state(value),
        })?;
        let timed_out = std::mem::take(&mut m.thread_mut(t)?.timed_out);
        if !complete && may_block && !timed_out && !m.rng.one_in(16) {
            let entry = at.entry(m)?;
            entry.waiting.push(t.index);
            let reason = Reason::Mbarrier {
                address: SHARED_BASE + at.offset as u64,
                phase: entry.object.phase(),
            };
            return Ok(Step::Block(Wait {
                reason,
                timed: true,
            }));
        }
        if let Some(d) = self.result {
            m.set(t, d, complete.into())?;
        }
        Ok(if complete || may_block {
            Step::Next
        } else {
            Step::Yield
        })
    }
}

fn init(m: &mut Machine<'_>, at: Target, count: u32) -> Result<(), FaultKind> {
    let object = Object::new(count)
        .map_err(|misuse| FaultKind::Mbarrier(format!("{}: {misuse}", at.describe(None))))?;
    let cta = m.cta_mut(at.cta).ok_or_else(gone)?;
    if let Some(entry) = cta.engines.mbarriers.objects.get(&at.offset) {
        return Err(FaultKind::Mbarrier(format!(
            "{} is initialised again before it is invalidated",
            at.describe(Some(&entry.object))
        )));
    }
    let entry = Entry {
        object,
        waiting: Vec::new(),
    };
    cta.engines.mbarriers.objects.insert(at.offset, entry);
    cta.guard.set(at.offset, true);
    Ok(())
}

fn inval(m: &mut Machine<'_>, at: Target) -> Result<(), FaultKind> {
    let entry = at.entry(m)?;
    if let Some(index) = entry.waiting.first() {
        return Err(FaultKind::Mbarrier(format!(
            "{} is invalidated while thread {index} waits for it",
            at.describe(Some(&entry.object))
        )));
    }
    let cta = m.cta_mut(at.cta).ok_or_else(gone)?;
    cta.engines.mbarriers.objects.remove(&at.offset);
    cta.guard.set(at.offset, false);
    Ok(())
}
