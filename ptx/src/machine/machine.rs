//! A launch while it runs: everything that engines may use.

use super::code::{Addr, Dst, Program, Src};
use super::engine::{Action, Agent, Gather, Lane, Reason, Step, ThreadId, Wake};
use super::engines::ClusterState;
use super::fault::{FaultKind, Site};
use super::memory::{CALL_PARAMS, Global, LOCAL_BASE, RANK_SHIFT, SHARED_BASE, Space};
use super::observe::{Observer, Stats};
use super::rng::Rng;
use super::thread::{Cta, State, Thread, unravel};
use super::{Launch, Options};
use crate::alg::bits::{BitsAlg, Ieee};

/// The float operations of this machine.
pub type Alg = BitsAlg<Ieee>;

/// A CTA of the grid.
#[derive(Debug)]
pub enum Slot {
    /// Not begun.
    Waiting,
    /// There.
    Live(Box<Cta>),
    /// Finished.
    Done,
}

/// A cluster of the grid; without clusters every CTA is one.
#[derive(Debug, Default)]
pub struct Cluster {
    /// The indices of its CTAs in the grid, by rank.
    pub ctas: Vec<u32>,
    /// Its CTAs that are not finished.
    pub live: u32,
    /// What engines keep.
    pub engines: ClusterState,
}

/// An asynchronous operation under way.
#[derive(Debug)]
pub struct Running {
    /// What it does.
    pub agent: Box<dyn Agent>,
    /// Where it was begun, for faults.
    pub origin: Option<Origin>,
}

/// What a thread was at.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The CTA.
    pub cta: [u32; 3],
    /// The thread.
    pub thread: [u32; 3],
    /// The function and instruction.
    pub site: (u32, u32),
}

/// A launch while it runs.
pub struct Machine<'p> {
    /// The decoded functions.
    pub program: &'p Program<'p>,
    /// The launch.
    pub launch: &'p Launch,
    /// The options of the device.
    pub options: &'p Options,
    /// Global memory.
    pub global: &'p mut Global,
    /// Constant memory.
    pub constant: &'p [u8],
    /// The kernel's parameters.
    pub params: Vec<u8>,
    /// CTAs by their index in the grid.
    pub ctas: Vec<Slot>,
    /// Clusters.
    pub clusters: Vec<Cluster>,
    /// Asynchronous operations that are not finished.
    pub agents: Vec<Running>,
    /// Decides what is left open.
    pub rng: Rng,
    /// The algebra of concrete words.
    pub alg: Alg,
    /// Told what happens.
    pub observer: &'p mut dyn Observer,
    /// What was done; instructions are in `counts`.
    pub stats: Stats,
    /// Bytes that actions read and wrote, by space: loads and stores are counted elsewhere.
    pub moved: [(u64, u64); 6],
    /// For each function and instruction: how often it happened, and how often its guard was false.
    pub counts: Vec<Vec<(u64, u64)>>,
    /// Instructions done.
    pub steps: u64,
    /// Memory by which a cooperative grid synchronises.
    pub workspace: u64,
    /// CTAs that may have ready threads.
    pub(super) runnable: Vec<u32>,
    /// Clusters that have not begun.
    pub(super) waiting: Vec<u32>,
    /// Grows whenever something let a thread go on.
    pub(super) events: u64,
    /// Turns in a row in which no thread has ended or begun to wait.
    pub(super) quiet: u64,
    /// Bytes that the CTAs that are there take.
    pub(super) resident: u64,
    /// Bytes that CTAs and calls have begun with so far.
    pub(super) filled: u64,
    /// Bytes that were read and written for printing.
    pub(super) printed: u64,
    /// CTAs that are finished, and that are there.
    pub(super) finished: u64,
    pub(super) live_ctas: u64,
    pub(super) traced: bool,
}

/// The bytes that an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Global memory, by address.
    Global(u64),
    /// Shared memory of a CTA of the grid, at an offset.
    Shared(u32, usize),
    /// Local memory of the thread, at an offset.
    Local(usize),
    /// Constant memory, at an offset.
    Const(usize),
    /// The kernel's parameters, at an offset.
    Kernel(usize),
    /// Parameter variables of the thread's calls, at an offset.
    Params(usize),
}

impl Machine<'_> {
    /// A CTA that is there.
    pub fn cta(&self, index: u32) -> Option<&Cta> {
        match self.ctas.get(index as usize) {
            Some(Slot::Live(cta)) => Some(cta),
            _ => None,
        }
    }

    /// A CTA that is there.
    pub fn cta_mut(&mut self, index: u32) -> Option<&mut Cta> {
        match self.ctas.get_mut(index as usize) {
            Some(Slot::Live(cta)) => Some(cta),
            _ => None,
        }
    }

    /// The CTA of a thread that runs.
    pub fn home(&self, t: ThreadId) -> Result<&Cta, FaultKind> {
        self.cta(t.cta).ok_or_else(gone)
    }

    /// The CTA of a thread that runs.
    pub fn home_mut(&mut self, t: ThreadId) -> Result<&mut Cta, FaultKind> {
        self.cta_mut(t.cta).ok_or_else(gone)
    }

    /// A thread.
    pub fn thread(&self, t: ThreadId) -> Result<&Thread, FaultKind> {
        self.home(t)?.threads.get(t.index as usize).ok_or_else(gone)
    }

    /// A thread.
    pub fn thread_mut(&mut self, t: ThreadId) -> Result<&mut Thread, FaultKind> {
        self.home_mut(t)?
            .threads
            .get_mut(t.index as usize)
            .ok_or_else(gone)
    }

    /// The word of a source.
    pub fn get_wide(&self, t: ThreadId, src: Src) -> Result<u128, FaultKind> {
        let thread = self.thread(t)?;
        let low = u128::from(thread.slot(src.slot));
        let word = match src.register > 64 {
            true => low | u128::from(thread.slot(src.slot + 1)) << 64,
            false => low,
        };
        let word = match src.width {
            0 => 0,
            w => word & (u128::MAX >> (128 - w.min(128))),
        };
        Ok(if src.negated { word ^ 1 } else { word })
    }

    /// The word of a source of at most 64 bits.
    pub fn get(&self, t: ThreadId, src: Src) -> Result<u64, FaultKind> {
        Ok(self.get_wide(t, src)? as u64)
    }

    /// Writes a destination.
    pub fn set(&mut self, t: ThreadId, dst: Dst, value: u128) -> Result<(), FaultKind> {
        self.thread_mut(t)?.set(dst, value);
        Ok(())
    }

    /// The address that an address operand has for a thread.
    pub fn address(&self, t: ThreadId, addr: Addr) -> Result<u64, FaultKind> {
        Ok(self.thread(t)?.slot(addr.slot).wrapping_add(addr.offset) & addr.mask)
    }

    /// Where an mbarrier object of an address is, or shall be.
    pub fn locate_object(
        &self,
        t: ThreadId,
        space: Space,
        address: u64,
    ) -> Result<Place, FaultKind> {
        self.locate_any(t, space, address, 8, 8)
    }

    /// The bytes that an access of a thread goes to, if they exist, are no mbarrier object, and the address is a multiple
    /// of `align`.
    pub fn locate(
        &self,
        t: ThreadId,
        space: Space,
        address: u64,
        bytes: u64,
        align: u64,
    ) -> Result<Place, FaultKind> {
        let place = self.locate_any(t, space, address, bytes, align)?;
        if let Place::Shared(cta, offset) = place
            && let Some(cta) = self.cta(cta)
        {
            cta.guard.check(offset, bytes as usize)?;
        }
        Ok(place)
    }

    fn locate_any(
        &self,
        t: ThreadId,
        space: Space,
        address: u64,
        bytes: u64,
        align: u64,
    ) -> Result<Place, FaultKind> {
        let (space, at) = match space {
            Space::Generic => Space::of_generic(address),
            space => (space, address),
        };
        if align > 1 && !at.is_multiple_of(align) {
            return Err(FaultKind::Misaligned {
                space: space.name(),
                address: at,
                align,
            });
        }
        let outside = |near: String| FaultKind::OutOfBounds {
            space: space.name(),
            address: at,
            bytes,
            near,
        };
        let within = |base: u64, len: usize| {
            let offset = at.checked_sub(base)?;
            (offset.checked_add(bytes)? <= len as u64).then_some(offset as usize)
        };
        match space {
            Space::Generic | Space::Global => match self.global.find(at, bytes) {
                Some(_) => Ok(Place::Global(at)),
                None => Err(outside(self.global.near(at))),
            },
            Space::Shared | Space::Cluster => self.locate_shared(t, space, at, bytes),
            Space::Local => {
                let len = self.thread(t)?.local.len();
                within(LOCAL_BASE, len)
                    .map(Place::Local)
                    .ok_or_else(|| outside(format!("the thread has {len} bytes there")))
            }
            Space::Const => within(0, self.constant.len())
                .map(Place::Const)
                .ok_or_else(|| outside(format!("there are {} bytes", self.constant.len()))),
            Space::Param if at < CALL_PARAMS => within(0, self.params.len())
                .map(Place::Kernel)
                .ok_or_else(|| outside(format!("the kernel has {} bytes", self.params.len()))),
            Space::Param => {
                let len = self.thread(t)?.params.len();
                within(CALL_PARAMS, len)
                    .map(Place::Params)
                    .ok_or_else(|| outside(format!("calls have {len} bytes")))
            }
        }
    }

    fn locate_shared(
        &self,
        t: ThreadId,
        space: Space,
        at: u64,
        bytes: u64,
    ) -> Result<Place, FaultKind> {
        let outside = |near: String| FaultKind::OutOfBounds {
            space: space.name(),
            address: at,
            bytes,
            near,
        };
        let home = self.home(t)?;
        let rank = at >> RANK_SHIFT;
        let offset = at & ((1 << RANK_SHIFT) - 1);
        let owner = if rank == u64::from(home.place.rank) {
            home
        } else if space == Space::Shared {
            return Err(outside("it is in another CTA's memory".to_owned()));
        } else {
            let cluster = self.clusters.get(home.cluster as usize);
            let index = cluster.and_then(|c| c.ctas.get(rank as usize));
            let Some(index) = index else {
                return Err(outside(format!("the cluster has no CTA of rank {rank}")));
            };
            self.cta(*index)
                .ok_or_else(|| outside(format!("the CTA of rank {rank} does not run")))?
        };
        let within = offset
            .checked_sub(SHARED_BASE)
            .filter(|o| o + bytes <= owner.shared.len() as u64);
        match within {
            Some(o) => Ok(Place::Shared(owner.index, o as usize)),
            None => Err(outside(format!(
                "the CTA's shared memory goes from {SHARED_BASE:#x} to {:#x}",
                SHARED_BASE + owner.shared.len() as u64
            ))),
        }
    }

    /// Bytes at a place that [`Machine::locate`] found.
    pub fn bytes(&self, t: ThreadId, place: Place, bytes: usize) -> Result<&[u8], FaultKind> {
        let found = match place {
            Place::Global(at) => self.global.bytes(at, bytes as u64),
            Place::Shared(cta, at) => self.cta(cta).and_then(|c| c.shared.get(at..at + bytes)),
            Place::Local(at) => self.thread(t)?.local.get(at..at + bytes),
            Place::Const(at) => self.constant.get(at..at + bytes),
            Place::Kernel(at) => self.params.get(at..at + bytes),
            Place::Params(at) => self.thread(t)?.params.get(at..at + bytes),
        };
        found.ok_or_else(gone)
    }

    /// Bytes at a place, to be written.
    pub fn bytes_mut(
        &mut self,
        t: ThreadId,
        place: Place,
        bytes: usize,
    ) -> Result<&mut [u8], FaultKind> {
        let found = match place {
            Place::Global(at) => self.global.bytes_mut(at, bytes as u64),
            Place::Shared(cta, at) => self
                .cta_mut(cta)
                .and_then(|c| c.shared.get_mut(at..at + bytes)),
            Place::Local(at) => self.thread_mut(t)?.local.get_mut(at..at + bytes),
            Place::Params(at) => self.thread_mut(t)?.params.get_mut(at..at + bytes),
            Place::Const(at) => return Err(read_only("const", at)),
            Place::Kernel(at) => return Err(read_only("param", at)),
        };
        found.ok_or_else(gone)
    }

    /// Reads for a thread: bounds and alignment are checked.
    pub fn load(
        &mut self,
        t: ThreadId,
        space: Space,
        address: u64,
        align: u64,
        to: &mut [u8],
    ) -> Result<(), FaultKind> {
        let place = self.locate(t, space, address, to.len() as u64, align)?;
        to.copy_from_slice(self.bytes(t, place, to.len())?);
        self.moved[place.index()].0 += to.len() as u64;
        Ok(())
    }

    /// Writes for a thread: bounds and alignment are checked.
    pub fn store(
        &mut self,
        t: ThreadId,
        space: Space,
        address: u64,
        align: u64,
        from: &[u8],
    ) -> Result<(), FaultKind> {
        let place = self.locate(t, space, address, from.len() as u64, align)?;
        self.bytes_mut(t, place, from.len())?.copy_from_slice(from);
        self.moved[place.index()].1 += from.len() as u64;
        Ok(())
    }

    /// Lets a blocked thread go on.
    pub fn wake(&mut self, t: ThreadId, how: Wake) {
        self.events += 1;
        let Some(Slot::Live(cta)) = self.ctas.get_mut(t.cta as usize) else {
            return;
        };
        let Some(thread) = cta.threads.get_mut(t.index as usize) else {
            return;
        };
        if !matches!(thread.state, State::Blocked(_)) {
            return;
        }
        thread.state = State::Ready;
        thread.timed_out = false;
        if how == Wake::Done {
            thread.pc += 1;
        }
        cta.ready.push(t.index);
        if !cta.listed {
            cta.listed = true;
            self.runnable.push(t.cta);
        }
    }

    /// Begins an asynchronous operation: the seed decides when it gets on.
    pub fn spawn(&mut self, agent: Box<dyn Agent>) {
        self.stats.agents += 1;
        let origin = agent.issuer().and_then(|t| self.origin(t));
        self.agents.push(Running { agent, origin });
    }

    /// Where a thread is.
    pub(super) fn origin(&self, t: ThreadId) -> Option<Origin> {
        let (cta, thread) = (self.cta(t.cta)?, self.thread(t).ok()?);
        Some(Origin {
            cta: cta.place.cta,
            thread: unravel(t.index, cta.place.block),
            site: (thread.func, thread.pc),
        })
    }

    /// Brings a thread together with the other threads of `mask` (bit 0 is thread `first` of the CTA) that have not
    /// exited and come with the same key. Until the last comes the threads are blocked; then [`Action::finish`] is
    /// called for each, and all go on with the next instruction.
    pub fn gather(
        &mut self,
        t: ThreadId,
        key: u64,
        first: u32,
        mask: u128,
        words: Vec<u64>,
    ) -> Result<Step, FaultKind> {
        let (func, pc) = {
            let thread = self.thread(t)?;
            (thread.func, thread.pc)
        };
        let bit = t.index.checked_sub(first).filter(|b| *b < 128);
        if bit.is_none_or(|b| mask >> b & 1 != 1) {
            return Err(FaultKind::Divergent(
                "the member mask does not name the thread that executes it".to_owned(),
            ));
        }
        let lane = Lane {
            thread: t,
            site: (func, pc),
            words,
        };
        let cta = self.home_mut(t)?;
        let same = |g: &Gather| g.first == first && g.key == key && g.mask == mask;
        let at = match cta.gathers.iter().position(same) {
            Some(at) => at,
            None => {
                cta.gathers.push(Gather {
                    key,
                    first,
                    mask,
                    present: 0,
                    lanes: Vec::new(),
                });
                cta.gathers.len() - 1
            }
        };
        cta.gathers[at].present |= 1 << (t.index - first);
        cta.gathers[at].lanes.push(lane);
        // Lanes in two gathers of which each waits for one of the other would wait for ever.
        let present = cta.gathers[at].present;
        let mut others = cta.gathers.iter().enumerate();
        if others.any(|(i, g)| {
            i != at && g.first == first && g.mask & present != 0 && mask & g.present != 0
        }) {
            return Err(FaultKind::Divergent(
                "other lanes of the mask are at another collective instruction, or have another mask"
                    .to_owned(),
            ));
        }
        if self.try_gathers(t, Some(t))? {
            return Ok(Step::Next);
        }
        let present = self
            .home(t)?
            .gathers
            .iter()
            .find(|g| g.first == first && g.key == key && g.mask == mask)
            .map_or(0, |g| g.present);
        Ok(Step::Block(
            Reason::Lanes {
                first,
                missing: mask & !present,
            }
            .wait(),
        ))
    }

    /// Completes what no lane is missing from any more. Whether `current`, which is not blocked, was part of it.
    pub(super) fn try_gathers(
        &mut self,
        t: ThreadId,
        current: Option<ThreadId>,
    ) -> Result<bool, FaultKind> {
        let mut released = false;
        while let Some(mut g) = self.complete_gather(t)? {
            g.lanes.sort_by_key(|l| l.thread.index);
            for lane in &g.lanes {
                let action: &dyn Action = self
                    .program
                    .action(lane.site.0, lane.site.1)
                    .ok_or_else(gone)?;
                action.finish(self, lane.thread, &g)?;
            }
            for lane in &g.lanes {
                if Some(lane.thread) == current {
                    released = true;
                } else {
                    self.wake(lane.thread, Wake::Done);
                }
            }
        }
        Ok(released)
    }

    fn complete_gather(&mut self, t: ThreadId) -> Result<Option<Gather>, FaultKind> {
        let Some(cta) = self.cta_mut(t.cta) else {
            return Ok(None);
        };
        let threads = &cta.threads;
        let complete = |g: &Gather| {
            let mut missing = g.mask & !g.present;
            while missing != 0 {
                let index = g.first + missing.trailing_zeros();
                let thread = threads.get(index as usize);
                if thread.is_some_and(|x| x.state != State::Exited) {
                    return false;
                }
                missing &= missing - 1;
            }
            true
        };
        let found = cta.gathers.iter().position(complete);
        Ok(found.map(|i| cta.gathers.swap_remove(i)))
    }

    /// A key for [`Machine::gather`] that only threads at the same instruction have.
    pub fn site_key(&self, t: ThreadId) -> Result<u64, FaultKind> {
        let thread = self.thread(t)?;
        Ok(u64::from(thread.func) << 32 | u64::from(thread.pc))
    }

    /// The name of the register in a slot of a function's frames.
    pub fn register_name(&self, func: u32, slot: u32) -> String {
        let code = self.program.code(func);
        let index = code.and_then(|c| c.slots.registers.iter().position(|r| r.slot == slot));
        let function = self.program.module.functions.get(func as usize);
        let found = function.zip(index).and_then(|(f, i)| f.registers.get(i));
        found.map_or_else(|| format!("slot {slot}"), |r| r.name.clone())
    }

    /// A place in the program, for people.
    pub fn site(&self, func: u32, pc: u32) -> Option<Site> {
        self.program.site(func, pc)
    }
}

impl Place {
    /// A position in tables by space.
    pub fn index(self) -> usize {
        match self {
            Place::Global(_) => 0,
            Place::Shared(..) => 1,
            Place::Local(_) => 2,
            Place::Const(_) => 3,
            Place::Kernel(_) | Place::Params(_) => 4,
        }
    }
}

/// The names of the positions of [`Place::index`].
pub const PLACES: [&str; 6] = ["global", "shared", "local", "const", "param", "other"];

/// A thread or CTA that does not exist any more was asked for.
pub(super) fn gone() -> FaultKind {
    FaultKind::Undefined("the CTA or thread does not run any more".to_owned())
}

fn read_only(space: &'static str, at: usize) -> FaultKind {
    FaultKind::ReadOnly {
        space,
        address: at as u64,
    }
}
