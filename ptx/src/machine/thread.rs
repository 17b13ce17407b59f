//! Threads and CTAs.

use super::code::{Code, Dst, Fill, Special, mask};
use super::engine::{Gather, Wait};
use super::engines::{CtaState, ThreadState};
use super::fault::FaultKind;
use super::guard::Guard;
use super::memory::{
    CALL_PARAMS, LOCAL_BASE, LOCAL_WINDOW, PARAM_WINDOW, RANK_SHIFT, SHARED_BASE, SHARED_WINDOW,
};
use super::rng;

/// A thread has at most this much local memory (ISA §5.1.5 leaves it to the implementation; real devices have 512 KiB).
pub const MAX_LOCAL: u64 = 512 << 10;
/// At most so many calls are nested.
pub const MAX_DEPTH: usize = 4096;

/// What a thread does.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// It can go on.
    Ready,
    /// It waits.
    Blocked(Wait),
    /// It has ended.
    Exited,
}

/// A function that waits for the one it called.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The caller.
    pub func: u32,
    /// The call instruction.
    pub pc: u32,
    /// Where its slots begin.
    pub base: u32,
    /// Where its local variables begin.
    pub local: u64,
    /// Where its parameter variables begin.
    pub params: u64,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The function.
    pub func: u32,
    /// The instruction.
    pub pc: u32,
    /// The slots of all frames; the last frame's begin at `base`.
    pub slots: Vec<u64>,
    /// See `slots`.
    pub base: u32,
    /// Callers.
    pub frames: Vec<Frame>,
    /// Local memory.
    pub local: Vec<u8>,
    /// Where the last frame's local variables begin in `local`.
    pub local_at: u64,
    /// Parameter variables of calls.
    pub params: Vec<u8>,
    /// Where the last frame's begin in `params`.
    pub params_at: u64,
    /// What it does.
    pub state: State,
    /// Whether its wait was ended because nothing else could go on.
    pub timed_out: bool,
    /// Instructions done, for clocks.
    pub steps: u64,
    /// What engines keep.
    pub engines: ThreadState,
    seed: u64,
}

/// What is the same for all threads of a CTA, and what differs: the values of special registers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// Threads of a CTA.
    pub block: [u32; 3],
    /// CTAs of the grid.
    pub grid: [u32; 3],
    /// CTAs of a cluster.
    pub cluster: [u32; 3],
    /// Whether the launch asked for clusters.
    pub explicit_cluster: bool,
    /// The CTA.
    pub cta: [u32; 3],
    /// Its rank in the cluster.
    pub rank: u32,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Bytes of all shared memory.
    pub total_shared: u32,
    /// The number of the launch.
    pub grid_id: u64,
    /// The address of memory by which a cooperative grid synchronises: zero at the beginning of a launch.
    pub workspace: u64,
}

/// The coordinates of a linear index, x fastest.
pub fn unravel(index: u32, dims: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = dims.map(|d| d.max(1));
    [index % x, index / x % y, index / x / y]
}

/// The product of dimensions.
pub fn volume(dims: [u32; 3]) -> u64 {
    dims.iter()
        .map(|d| u64::from(*d))
        .fold(1, u64::saturating_mul)
}

impl Place {
    /// The value of a special register for a thread of the CTA.
    pub fn special(&self, special: Special, index: u32) -> u64 {
        let axis = |v: [u32; 3], a: u8| u64::from(v[usize::from(a).min(2)]);
        let lane = index % 32;
        let one = 1u64 << lane;
        let all = 0xFFFF_FFFFu64;
        let per = |a: [u32; 3], b: [u32; 3]| [0, 1, 2].map(|i: usize| a[i] / b[i].max(1));
        let within = |a: [u32; 3], b: [u32; 3]| [0, 1, 2].map(|i: usize| a[i] % b[i].max(1));
        match special {
            Special::Tid(a) => axis(unravel(index, self.block), a),
            Special::Ntid(a) => axis(self.block, a),
            Special::Ctaid(a) => axis(self.cta, a),
            Special::Nctaid(a) => axis(self.grid, a),
            Special::LaneId => u64::from(lane),
            Special::WarpId => u64::from(index / 32),
            Special::NWarpId => volume(self.block).div_ceil(32),
            Special::GridId => self.grid_id,
            Special::SmId => 0,
            Special::NSmId => 1,
            Special::LaneMaskEq => one,
            Special::LaneMaskLt => one - 1,
            Special::LaneMaskLe => (one << 1) - 1,
            Special::LaneMaskGe => all & !(one - 1),
            Special::LaneMaskGt => all & !((one << 1) - 1),
            Special::ClusterId(a) => axis(per(self.cta, self.cluster), a),
            Special::NClusterId(a) => axis(per(self.grid, self.cluster), a),
            Special::ClusterCtaId(a) => axis(within(self.cta, self.cluster), a),
            Special::ClusterNctaId(a) => axis(self.cluster, a),
            Special::ClusterCtaRank => u64::from(self.rank),
            Special::ClusterNctaRank => volume(self.cluster),
            Special::IsExplicitCluster => u64::from(self.explicit_cluster),
            Special::DynamicSmemSize => u64::from(self.dynamic_shared),
            Special::TotalSmemSize | Special::AggrSmemSize => u64::from(self.total_shared),
            Special::ReservedSmem(1 | 2) => SHARED_BASE,
            // Where compilers look for the memory by which a cooperative grid synchronises.
            Special::EnvReg(1) => self.workspace >> 32,
            Special::EnvReg(2) => self.workspace & all,
            Special::ReservedSmem(_) | Special::EnvReg(_) => 0,
        }
    }
}

impl Thread {
    /// A thread at the beginning of a kernel.
    pub fn new(seed: u64) -> Thread {
        Thread {
            func: 0,
            pc: 0,
            slots: Vec::new(),
            base: 0,
            frames: Vec::new(),
            local: Vec::new(),
            local_at: 0,
            params: Vec::new(),
            params_at: 0,
            state: State::Ready,
            timed_out: false,
            steps: 0,
            engines: ThreadState::default(),
            seed,
        }
    }

    /// Begins a frame above the current one: registers hold garbage, as do local and parameter variables.
    pub fn enter(&mut self, code: &Code, place: &Place, index: u32) -> Result<(), FaultKind> {
        if self.frames.len() > MAX_DEPTH {
            return Err(FaultKind::Limit(format!(
                "more than {MAX_DEPTH} nested calls"
            )));
        }
        let base = self.slots.len();
        self.base = base as u32;
        self.func = code.func.0;
        self.pc = 0;
        self.local_at = self.local.len() as u64;
        self.params_at = self.params.len() as u64;
        let locals = self.local_at.saturating_add(code.local_bytes);
        let params = self.params_at.saturating_add(code.param_bytes);
        if locals > MAX_LOCAL || params > MAX_LOCAL {
            return Err(FaultKind::Limit(format!(
                "more than {MAX_LOCAL} bytes of local memory"
            )));
        }
        let seed = rng::mix(self.seed ^ self.steps);
        self.local.resize(locals as usize, 0);
        rng::garbage(&mut self.local[self.local_at as usize..], seed ^ 1);
        self.params.resize(params as usize, 0);
        rng::garbage(&mut self.params[self.params_at as usize..], seed ^ 2);
        self.slots.resize(base + code.slots.count as usize, 0);
        let frame = &mut self.slots[base..];
        let mut word = seed;
        for (slot, mask) in frame.iter_mut().zip(&code.slots.masks) {
            word = word.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(1);
            *slot = (word ^ (word >> 32)) & mask;
        }
        let shared = (u64::from(place.rank) << RANK_SHIFT) + SHARED_BASE;
        let local = LOCAL_BASE + self.local_at;
        let param = CALL_PARAMS + self.params_at;
        for (slot, fill) in &code.slots.fills {
            frame[*slot as usize] = match *fill {
                Fill::Word(w) => w,
                Fill::Shared(o) => shared.wrapping_add(o),
                Fill::Local(o) => local.wrapping_add(o),
                Fill::Param(o) => param.wrapping_add(o),
                Fill::GenericShared(o) => (SHARED_WINDOW + shared).wrapping_add(o),
                Fill::GenericLocal(o) => (LOCAL_WINDOW + local).wrapping_add(o),
                Fill::GenericParam(o) => (PARAM_WINDOW + param).wrapping_add(o),
                Fill::Special(s) => place.special(s, index),
            };
        }
        Ok(())
    }

    /// Calls a function from the current instruction.
    pub fn call(&mut self, code: &Code, place: &Place, index: u32) -> Result<(), FaultKind> {
        self.frames.push(Frame {
            func: self.func,
            pc: self.pc,
            base: self.base,
            local: self.local_at,
            params: self.params_at,
        });
        self.enter(code, place, index)
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let frames = size_of::<Frame>() * self.frames.len();
        (8 * self.slots.len() + self.local.len() + self.params.len() + frames) as u64
    }

    /// Goes back to the caller, to its call instruction; false if there is none.
    pub fn leave(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else {
            return false;
        };
        self.slots.truncate(self.base as usize);
        self.local.truncate(self.local_at as usize);
        self.params.truncate(self.params_at as usize);
        self.func = frame.func;
        self.pc = frame.pc;
        self.base = frame.base;
        self.local_at = frame.local;
        self.params_at = frame.params;
        true
    }

    /// The word in a slot of the last frame.
    #[inline]
    pub fn slot(&self, slot: u32) -> u64 {
        let at = (self.base as usize).saturating_add(slot as usize);
        self.slots.get(at).copied().unwrap_or(0)
    }

    /// Writes a register: the low bits of `value`.
    #[inline]
    pub fn set(&mut self, dst: Dst, value: u128) {
        let Some(slot) = dst.slot else { return };
        let at = self.base as usize + slot as usize;
        if let Some(s) = self.slots.get_mut(at) {
            *s = value as u64 & mask(dst.width.min(64) as u8);
        }
        if dst.width > 64
            && let Some(s) = self.slots.get_mut(at + 1)
        {
            *s = (value >> 64) as u64 & mask((dst.width - 64).min(64) as u8);
        }
    }
}

/// A CTA that is there.
#[derive(Debug)]
pub struct Cta {
    /// Its place in the grid.
    pub place: Place,
    /// Its index in the grid.
    pub index: u32,
    /// The index of the first CTA of its cluster... those of a cluster are listed in the cluster.
    pub cluster: u32,
    /// Shared memory, without the system's part.
    pub shared: Vec<u8>,
    /// Its threads.
    pub threads: Vec<Thread>,
    /// The threads that can go on, in no order.
    pub ready: Vec<u32>,
    /// Whether the scheduler knows that it has ready threads.
    pub listed: bool,
    /// Threads that have not exited.
    pub live: u32,
    /// Lanes that wait for others.
    pub gathers: Vec<Gather>,
    /// Bytes of shared memory that are mbarrier objects.
    pub guard: Guard,
    /// What engines keep.
    pub engines: CtaState,
}
