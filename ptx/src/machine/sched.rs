//! The schedule: which thread has its turn, for how long, and when asynchronous operations get on. All by the seed.
//!
//! The scheduler stays with a CTA for some turns, then goes to another one that is there or lets one begin. CTAs begin late,
//! so that a grid of many needs little memory; but every CTA begins at last, whatever the others do, so all CTAs of a grid
//! run together for those that wait for each other.

use super::code::layout::align_up;
use super::engine::{Gather, Progress, Reason, ThreadId};
use super::engines::{ClusterState, CtaState};
use super::fault::{Fault, FaultKind, Waiting};
use super::guard::Guard;
use super::machine::{Cluster, Machine, Origin, PLACES, Slot, gone};
use super::memory::SHARED_BASE;
use super::observe::Stats;
use super::rng;
use super::thread::{Cta, Place, State, Thread, unravel, volume};

/// A timed wait ends so often in a row while nothing else happens; then the launch is stuck.
const PATIENCE: u64 = 64;
/// Asynchronous operations get on once in so many turns: sometimes at once, sometimes hardly before all threads wait.
const LAZINESS: [u64; 4] = [1, 4, 64, 1 << 20];
/// So many CTAs begin soon.
const FEW: u64 = 4;
/// After so many turns in a row in which no thread has ended or begun to wait, another CTA begins.
const QUIET: u64 = 256;
/// Turns between two reports of progress.
const REPORT: u64 = 1 << 12;
/// What a thread takes besides its frames.
const THREAD: u64 = size_of::<Thread>() as u64;

impl Machine<'_> {
    /// Runs all threads to their end.
    pub(super) fn run(&mut self) -> Result<(), Box<Fault>> {
        let (mut cta, mut idle, mut seen) = (None, 0, u64::MAX);
        let mut laziness = *self.rng.pick(&LAZINESS);
        loop {
            self.stats.turns += 1;
            if self.stats.turns.is_multiple_of(REPORT) {
                let all = self.ctas.len() as u64;
                self.observer.progress(self.finished, all, self.steps);
            }
            if self.rng.one_in(64) {
                laziness = *self.rng.pick(&LAZINESS);
            }
            if !self.agents.is_empty() && self.rng.one_in(laziness) && self.agent()? {
                continue;
            }
            cta = self.next_cta(cta)?;
            let Some(index) = cta else {
                if !self.agents.is_empty() && self.agent()? {
                    continue;
                }
                if self.finished == self.ctas.len() as u64 {
                    // What is still under way ends with the grid.
                    while !self.agents.is_empty() {
                        if !self.agent()? {
                            break;
                        }
                    }
                    return Ok(());
                }
                idle = if seen == self.events { idle + 1 } else { 0 };
                if idle >= PATIENCE || !self.time_out() {
                    return Err(self.fault(FaultKind::Stuck(self.waiting_list()), None));
                }
                seen = self.events;
                continue;
            };
            let Some(Slot::Live(live)) = self.ctas.get_mut(index as usize) else {
                continue;
            };
            let pick = self.rng.below(live.ready.len() as u64) as usize;
            let thread = live.ready.swap_remove(pick);
            let t = ThreadId {
                cta: index,
                index: thread,
            };
            let turn = self.quantum();
            self.turn(t, turn).map_err(|k| self.fault(k, Some(t)))?;
            if self.steps > self.options.step_limit {
                let kind = FaultKind::StepLimit(self.options.step_limit);
                return Err(self.fault(kind, Some(t)));
            }
        }
    }

    /// The length of a turn: mostly long, sometimes short, so that every place can be the last of one.
    fn quantum(&mut self) -> u64 {
        match self.rng.below(4) {
            0 => 1 + self.rng.below(8),
            1 => 1 + self.rng.below(64),
            _ => 64 + self.rng.below(448),
        }
    }

    /// The CTA that has the next turn, with a ready thread; none if no thread is ready and none can begin.
    fn next_cta(&mut self, last: Option<u32>) -> Result<Option<u32>, Box<Fault>> {
        if let Some(index) = last
            && self.cta(index).is_some_and(|c| !c.ready.is_empty())
            && !self.rng.one_in(16)
        {
            return Ok(last);
        }
        let chance = self.chance();
        if !self.waiting.is_empty() && self.rng.one_in(chance) {
            self.begin()?;
        }
        loop {
            if self.runnable.is_empty() {
                if self.waiting.is_empty() {
                    return Ok(None);
                }
                self.begin()?;
                continue;
            }
            let pick = self.rng.below(self.runnable.len() as u64) as usize;
            let index = self.runnable[pick];
            match self.cta_mut(index) {
                Some(cta) if !cta.ready.is_empty() => return Ok(Some(index)),
                Some(cta) => cta.listed = false,
                None => {}
            }
            self.runnable.swap_remove(pick);
        }
    }

    /// A cluster begins once in so many times that the scheduler looks for another CTA.
    ///
    /// Few CTAs at once fit the caches of the host, so others begin seldom as long as these get on. If threads
    /// only run and run, they may well wait for others.
    fn chance(&mut self) -> u64 {
        let quiet = self.quiet > QUIET;
        if quiet {
            self.quiet = 0;
        }
        let crowded = self.resident >= self.options.crowded;
        match self.live_ctas {
            _ if quiet => 1,
            _ if crowded => 4096,
            ..FEW => 2,
            _ => 1024,
        }
    }

    /// Lets an asynchronous operation get on; false if none can.
    fn agent(&mut self) -> Result<bool, Box<Fault>> {
        let n = self.agents.len();
        let from = self.rng.below(n as u64) as usize;
        for i in 0..n {
            let at = (from + i) % n;
            if !self.agents[at].agent.ready(self) {
                continue;
            }
            let mut running = self.agents.swap_remove(at);
            match running.agent.advance(self) {
                Ok(Progress::Done) => {}
                Ok(Progress::More) => self.agents.push(running),
                Err(kind) => return Err(self.fault_at(kind, running.origin)),
            }
            self.events += 1;
            return Ok(true);
        }
        Ok(false)
    }

    /// Lets a cluster begin.
    fn begin(&mut self) -> Result<(), Box<Fault>> {
        let pick = self.rng.below(self.waiting.len() as u64) as usize;
        let cluster = self.waiting.swap_remove(pick);
        let ctas = self.clusters[cluster as usize].ctas.clone();
        for (rank, index) in ctas.iter().enumerate() {
            self.begin_cta(*index, cluster, rank as u32)
                .map_err(|k| self.fault(k, None))?;
        }
        Ok(())
    }

    fn begin_cta(&mut self, index: u32, cluster: u32, rank: u32) -> Result<(), FaultKind> {
        let (launch, program) = (self.launch, self.program);
        let code = program.code(program.entry.0).ok_or_else(gone)?;
        let shared = program.places.dynamic_shared + u64::from(launch.dynamic_shared);
        let place = Place {
            block: launch.block,
            grid: launch.grid,
            cluster: launch.cluster,
            explicit_cluster: volume(launch.cluster) > 1,
            cta: unravel(index, launch.grid),
            rank,
            dynamic_shared: launch.dynamic_shared,
            total_shared: align_up(shared + SHARED_BASE, 128) as u32,
            grid_id: self.options.launches,
            workspace: self.workspace,
        };
        let seed = rng::mix(self.options.seed ^ rng::mix(u64::from(index)));
        let count = volume(launch.block) as u32;
        let thread = code.frame_bytes().saturating_add(THREAD);
        let threads = thread.saturating_mul(u64::from(count));
        self.take(threads.saturating_add(shared))?;
        let mut threads = Vec::with_capacity(count as usize);
        for i in 0..count {
            let mut thread = Thread::new(rng::mix(seed ^ u64::from(i)));
            thread.enter(code, &place, i)?;
            threads.push(thread);
        }
        let mut memory = vec![0; shared as usize];
        rng::garbage(&mut memory, seed);
        let cta = Cta {
            place,
            index,
            cluster,
            shared: memory,
            threads,
            ready: (0..count).collect(),
            listed: true,
            live: count,
            gathers: Vec::new(),
            guard: Guard::default(),
            engines: CtaState::default(),
        };
        self.ctas[index as usize] = Slot::Live(Box::new(cta));
        self.runnable.push(index);
        self.live_ctas += 1;
        self.stats.live_ctas = self.stats.live_ctas.max(self.live_ctas);
        Ok(())
    }

    /// Counts bytes that CTAs take, and that are filled with garbage.
    pub(super) fn take(&mut self, bytes: u64) -> Result<(), FaultKind> {
        self.filled = self.filled.saturating_add(bytes);
        let most = (self.options.step_limit.saturating_mul(8)).saturating_add(1 << 30);
        if self.filled > most {
            return Err(FaultKind::Limit(format!(
                "CTAs and calls began with more than {most} bytes of memory, one after the other; the limit is 2^30 and \
                 8 for each of the {} instructions that the launch may do",
                self.options.step_limit
            )));
        }
        self.resident = self.resident.saturating_add(bytes);
        if self.resident > self.options.memory_limit {
            return Err(FaultKind::Limit(format!(
                "the CTAs that are there need more than {} bytes",
                self.options.memory_limit
            )));
        }
        Ok(())
    }

    /// Counts bytes that are free again.
    pub(super) fn give_back(&mut self, bytes: u64) {
        self.resident = self.resident.saturating_sub(bytes);
    }

    /// Frees a CTA whose threads have all ended.
    pub(super) fn retire(&mut self, index: u32) -> Result<(), FaultKind> {
        let Some(cta) = self.cta(index) else {
            return Ok(());
        };
        if cta.live > 0 {
            return Ok(());
        }
        let cluster = cta.cluster;
        let bytes = cta.shared.len() as u64 + THREAD * cta.threads.len() as u64;
        self.give_back(bytes);
        self.ctas[index as usize] = Slot::Done;
        self.finished += 1;
        self.live_ctas -= 1;
        if let Some(cluster) = self.clusters.get_mut(cluster as usize) {
            cluster.live -= 1;
        }
        Ok(())
    }

    /// Ends all timed waits; false if there are none.
    fn time_out(&mut self) -> bool {
        let mut any = false;
        for index in 0..self.ctas.len() as u32 {
            let Some(cta) = self.cta_mut(index) else {
                continue;
            };
            for (i, thread) in cta.threads.iter_mut().enumerate() {
                if matches!(&thread.state, State::Blocked(wait) if wait.timed) {
                    thread.state = State::Ready;
                    thread.timed_out = true;
                    cta.ready.push(i as u32);
                }
            }
            if !cta.ready.is_empty() && !cta.listed {
                cta.listed = true;
                self.runnable.push(index);
            }
            any |= self.cta(index).is_some_and(|c| !c.ready.is_empty());
        }
        any
    }

    /// Who waits where, for a report.
    fn waiting_list(&self) -> Vec<Waiting> {
        let mut list: Vec<(Waiting, (u32, u32))> = Vec::new();
        for slot in &self.ctas {
            let Slot::Live(cta) = slot else { continue };
            let from = list.len();
            for (i, thread) in cta.threads.iter().enumerate() {
                let State::Blocked(wait) = &thread.state else {
                    continue;
                };
                let what = reason_now(cta, i as u32, &wait.reason).to_string();
                let at = (thread.func, thread.pc);
                let same = |(w, a): &&mut (Waiting, (u32, u32))| *a == at && w.what == what;
                if let Some((known, _)) = list[from..].iter_mut().find(same) {
                    known.threads += 1;
                    continue;
                }
                let waiting = Waiting {
                    cta: cta.place.cta,
                    thread: unravel(i as u32, cta.place.block),
                    threads: 1,
                    place: self.site(at.0, at.1),
                    what,
                };
                list.push((waiting, at));
            }
        }
        list.into_iter().map(|(w, _)| w).collect()
    }

    /// A fault with its place.
    pub(super) fn fault(&self, kind: FaultKind, t: Option<ThreadId>) -> Box<Fault> {
        self.fault_at(kind, t.and_then(|t| self.origin(t)))
    }

    fn fault_at(&self, kind: FaultKind, origin: Option<Origin>) -> Box<Fault> {
        let program = self.program;
        let entry = program.module.functions.get(program.entry.index());
        Box::new(Fault {
            kind,
            entry: entry.map(|f| f.name.clone()).unwrap_or_default(),
            thread: origin.map(|o| (o.cta, o.thread)),
            place: origin.and_then(|o| self.site(o.site.0, o.site.1)),
        })
    }

    /// The numbers at the end.
    pub(super) fn finish_stats(&mut self) -> Stats {
        let mut stats = std::mem::take(&mut self.stats);
        stats.instructions = self.steps;
        stats.ctas = self.ctas.len() as u64;
        stats.threads = stats.ctas * volume(self.launch.block);
        for (i, name) in PLACES.iter().enumerate() {
            let (r, w) = self.moved[i];
            if r + w > 0 {
                stats.bytes.insert(name, (r, w));
            }
        }
        for (func, counts) in self.counts.iter().enumerate() {
            for (pc, (done, skipped)) in counts.iter().enumerate() {
                let Some(instr) = self.program.instr(func as u32, pc as u32) else {
                    continue;
                };
                if done + skipped > 0 {
                    let base = instr.base().to_owned();
                    *stats.by_opcode.entry(base).or_default() += done + skipped;
                }
                self.count_access(&mut stats, func as u32, pc, *done);
            }
        }
        stats
    }

    fn count_access(&self, stats: &mut Stats, func: u32, pc: usize, times: u64) {
        use super::code::Act;
        let Some(code) = self.program.code(func) else {
            return;
        };
        let (i, load) = match code.act(pc) {
            Some(Act::Load(i)) => (*i, true),
            Some(Act::Store(i)) => (*i, false),
            _ => return,
        };
        let Some(access) = code.accesses.get(i as usize).filter(|_| times > 0) else {
            return;
        };
        let entry = stats.bytes.entry(access.space.name()).or_default();
        let bytes = times * access.bytes();
        if load {
            entry.0 += bytes;
        } else {
            entry.1 += bytes;
        }
    }
}

/// The reason of a wait with the numbers of this moment, not of that when it began.
fn reason_now(cta: &Cta, index: u32, reason: &Reason) -> Reason {
    let mut now = reason.clone();
    match &mut now {
        Reason::Barrier { id, arrived, .. } => {
            let barrier = cta.engines.barriers.get(id);
            *arrived = barrier.map_or(0, |b| b.arrived());
        }
        Reason::Lanes { first, missing } => {
            let mine =
                |g: &&Gather| g.first == *first && g.lanes.iter().any(|l| l.thread.index == index);
            if let Some(g) = cta.gathers.iter().find(mine) {
                *missing = g.mask & !g.present;
            }
        }
        _ => {}
    }
    now
}

/// The clusters of a grid: in each, its CTAs by rank.
pub(super) fn clusters(grid: [u32; 3], cluster: [u32; 3]) -> Vec<Cluster> {
    let count = [0, 1, 2].map(|i| grid[i] / cluster[i].max(1));
    let mut all = Vec::new();
    for c in 0..volume(count) as u32 {
        let at = unravel(c, count);
        let mut ctas = Vec::new();
        for r in 0..volume(cluster) as u32 {
            let within = unravel(r, cluster);
            let [x, y, z] = [0, 1, 2].map(|i| at[i] * cluster[i] + within[i]);
            ctas.push(x + grid[0] * (y + grid[1] * z));
        }
        all.push(Cluster {
            live: ctas.len() as u32,
            ctas,
            engines: ClusterState::default(),
        });
    }
    all
}
