//! A thread's turn: instructions one after the other until it waits, ends, or its turn is over.

use super::code::{Access, Act, Code, NO_GUARD};
use super::engine::{Step, ThreadId};
use super::engines;
use super::fault::FaultKind;
use super::guard::Guard;
use super::machine::{Machine, Slot, gone};
use super::memory::{Global, LOCAL_BASE, RANK_SHIFT, SHARED_BASE, Space};
use super::observe::StepInfo;
use super::thread::{State, unravel};

/// Why the fast loop stopped.
enum Stop {
    /// The turn is over.
    Turn,
    /// An action.
    Action(u32),
    /// A load or store that the fast loop leaves to the slow one.
    Access(u32, bool),
    /// A return.
    Return,
    /// An exit.
    Exit,
    /// A register that is in flight.
    InFlight(u32),
}

impl Machine<'_> {
    /// Lets a thread do up to `turn` instructions.
    pub(super) fn turn(&mut self, t: ThreadId, turn: u64) -> Result<(), FaultKind> {
        let mut left = turn;
        loop {
            let program = self.program;
            let func = self.thread(t)?.func;
            let code = program.code(func).ok_or_else(gone)?;
            let stop = if self.traced {
                self.careful(t, code, &mut left)?
            } else {
                self.burst(t, code, &mut left)?
            };
            let pc = self.thread(t)?.pc;
            let step = match stop {
                Stop::Turn => Step::Yield,
                Stop::Action(i) => {
                    let action = code.actions.get(i as usize).ok_or_else(gone)?;
                    let step = action.step(self, t)?;
                    if self.steps > self.options.step_limit {
                        return Err(FaultKind::StepLimit(self.options.step_limit));
                    }
                    if self.traced {
                        self.trace(t, code, pc, true, step != Step::Stay)?;
                    }
                    if step == Step::Yield {
                        self.thread_mut(t)?.pc += 1;
                    }
                    step
                }
                Stop::Access(i, load) => {
                    let access = code.accesses.get(i as usize).ok_or_else(gone)?;
                    self.access(t, access, load)?;
                    if self.traced {
                        self.trace(t, code, pc, true, true)?;
                    }
                    Step::Next
                }
                Stop::Return => engines::call::ret(self, t)?,
                Stop::Exit => Step::Exit,
                Stop::InFlight(slot) => {
                    let name = self.register_name(code.func.0, slot);
                    return Err(FaultKind::InFlight(format!(
                        "register {name} is touched while an asynchronous operation works on it"
                    )));
                }
            };
            match step {
                Step::Next => {
                    let thread = self.thread_mut(t)?;
                    thread.pc += 1;
                    thread.timed_out = false;
                }
                Step::Jump(pc) => self.thread_mut(t)?.pc = pc,
                Step::Stay => {}
                Step::Yield => {
                    self.quiet += 1;
                    self.home_mut(t)?.ready.push(t.index);
                    return Ok(());
                }
                Step::Block(wait) => {
                    self.quiet = 0;
                    self.thread_mut(t)?.state = State::Blocked(wait);
                    return Ok(());
                }
                Step::Exit => {
                    self.quiet = 0;
                    return self.exit(t);
                }
            }
        }
    }

    /// The fast loop.
    fn burst(&mut self, t: ThreadId, code: &Code, left: &mut u64) -> Result<Stop, FaultKind> {
        let Some(Slot::Live(cta)) = self.ctas.get_mut(t.cta as usize) else {
            return Err(gone());
        };
        let cta = &mut **cta;
        let thread = cta.threads.get_mut(t.index as usize).ok_or_else(gone)?;
        let rank = cta.place.rank;
        let base = thread.base as usize;
        let count = code.slots.count as usize;
        let slots = thread.slots.get_mut(base..base + count).ok_or_else(gone)?;
        let counts = &mut self.counts[code.func.index()][..];
        let mut pc = thread.pc as usize;
        let begin = *left;
        let stop = loop {
            if *left == 0 {
                break Ok(Stop::Turn);
            }
            let (Some(ins), Some(count)) = (code.ins.get(pc), counts.get_mut(pc)) else {
                break Ok(Stop::Return);
            };
            *left -= 1;
            if ins.guard != NO_GUARD && slots[ins.guard as usize] != ins.when {
                count.1 += 1;
                pc += 1;
                continue;
            }
            count.0 += 1;
            let mut act = &ins.act;
            if let Act::Watched(i) = act {
                let watched = &code.watched[*i as usize];
                if let Some(slot) = thread.engines.wgmma.touch(thread.base, &watched.slots) {
                    break Ok(Stop::InFlight(slot));
                }
                act = &watched.act;
            }
            match act {
                Act::One(op) => op.run(slots, &mut self.alg),
                Act::Pure(start, end) => {
                    for op in &code.ops[*start as usize..*end as usize] {
                        op.run(slots, &mut self.alg);
                    }
                }
                Act::Load(i) => {
                    let a = &code.accesses[*i as usize];
                    let at = slots[a.addr.slot as usize].wrapping_add(a.addr.offset) & a.addr.mask;
                    let memory = (&*self.global, &cta.shared[..], &thread.local[..]);
                    match fast_read(a, at, memory, rank, &cta.guard) {
                        Some(bytes) => load_values(a, bytes, slots),
                        None => break Ok(Stop::Access(*i, true)),
                    }
                }
                Act::Store(i) => {
                    let a = &code.accesses[*i as usize];
                    let at = slots[a.addr.slot as usize].wrapping_add(a.addr.offset) & a.addr.mask;
                    let memory = (
                        &mut *self.global,
                        &mut cta.shared[..],
                        &mut thread.local[..],
                    );
                    match fast_write(a, at, memory, rank, &cta.guard) {
                        Some(bytes) => store_values(a, bytes, slots),
                        None => break Ok(Stop::Access(*i, false)),
                    }
                }
                Act::Bra(to) => {
                    pc = *to as usize;
                    continue;
                }
                Act::Nop => {}
                Act::Ret => break Ok(Stop::Return),
                Act::Exit => break Ok(Stop::Exit),
                Act::Action(i) => break Ok(Stop::Action(*i)),
                Act::Watched(_) => {}
            }
            pc += 1;
        };
        thread.pc = pc as u32;
        let done = begin - *left;
        thread.steps += done;
        self.steps += done;
        stop
    }

    /// The loop that looks at every instruction: for traces.
    fn careful(&mut self, t: ThreadId, code: &Code, left: &mut u64) -> Result<Stop, FaultKind> {
        loop {
            if *left == 0 {
                return Ok(Stop::Turn);
            }
            let pc = self.thread(t)?.pc;
            let ins = code.ins.get(pc as usize).ok_or_else(gone)?;
            let active = ins.guard == NO_GUARD || self.thread(t)?.slot(ins.guard) == ins.when;
            let mut one = 1;
            let stop = self.burst(t, code, &mut one)?;
            *left -= 1;
            let later = matches!(stop, Stop::Action(_) | Stop::Access(..));
            if !later {
                self.trace(t, code, pc, active, true)?;
            }
            if !matches!(stop, Stop::Turn) {
                return Ok(stop);
            }
        }
    }

    /// Tells the observer what a thread has done: the registers that the instruction names, as they are now. Where a thread
    /// waits they are those from before.
    fn trace(
        &mut self,
        t: ThreadId,
        code: &Code,
        pc: u32,
        active: bool,
        in_frame: bool,
    ) -> Result<(), FaultKind> {
        let Some(site) = self.site(code.func.0, pc) else {
            return Ok(());
        };
        let thread = self.thread(t)?;
        let (start, end) = match in_frame {
            true => code.touch[pc as usize],
            false => (0, 0),
        };
        let mut registers = Vec::new();
        for slot in &code.touched[start as usize..end as usize] {
            let value = u128::from(thread.slot(*slot));
            let entry = (self.register_name(code.func.0, *slot), value);
            if !registers.contains(&entry) {
                registers.push(entry);
            }
        }
        let place = self.home(t)?.place;
        let info = StepInfo {
            cta: place.cta,
            thread: unravel(t.index, place.block),
            site: &site,
            active,
            registers,
        };
        self.observer.step(&info);
        Ok(())
    }

    /// A load or store, with everything that may go wrong.
    fn access(&mut self, t: ThreadId, a: &Access, load: bool) -> Result<(), FaultKind> {
        let at = self.address(t, a.addr)?;
        let bytes = a.bytes();
        let place = self.locate(t, a.space, at, bytes, bytes.next_power_of_two())?;
        let mut buffer = [0; 64];
        let buffer = buffer
            .get_mut(..bytes as usize)
            .ok_or_else(|| FaultKind::Unsupported(format!("an access to {bytes} bytes")))?;
        if load {
            buffer.copy_from_slice(self.bytes(t, place, bytes as usize)?);
        }
        let thread = self.thread_mut(t)?;
        let base = thread.base as usize;
        if load {
            load_values(a, buffer, &mut thread.slots[base..]);
        } else {
            store_values(a, buffer, &thread.slots[base..]);
            self.bytes_mut(t, place, bytes as usize)?
                .copy_from_slice(buffer);
        }
        Ok(())
    }

    /// A thread ends.
    pub(super) fn exit(&mut self, t: ThreadId) -> Result<(), FaultKind> {
        self.events += 1;
        let bytes = self.thread(t)?.bytes();
        self.give_back(bytes);
        let thread = self.thread_mut(t)?;
        thread.state = State::Exited;
        thread.frames = Vec::new();
        thread.slots = Vec::new();
        thread.local = Vec::new();
        thread.params = Vec::new();
        self.home_mut(t)?.live -= 1;
        self.try_gathers(t, None)?;
        engines::exited(self, t)?;
        self.retire(t.cta)
    }
}

/// The offset of an access in shared memory, if it is there.
#[inline(always)]
fn in_shared(at: u64, bytes: u64, rank: u32, len: usize) -> Option<usize> {
    let base = (u64::from(rank) << RANK_SHIFT) + SHARED_BASE;
    let offset = at.checked_sub(base)?;
    (offset + bytes <= len as u64).then_some(offset as usize)
}

/// The bytes of a load, if nothing is special about it; the rest is for [`Machine::locate`].
#[inline(always)]
fn fast_read<'a>(
    a: &Access,
    at: u64,
    (global, shared, local): (&'a Global, &'a [u8], &'a [u8]),
    rank: u32,
    guard: &Guard,
) -> Option<&'a [u8]> {
    let bytes = a.bytes();
    if !bytes.is_power_of_two() || at & (bytes - 1) != 0 {
        return None;
    }
    match a.space {
        Space::Global => global.bytes(at, bytes),
        Space::Shared => {
            let offset = in_shared(at, bytes, rank, shared.len())?;
            if guard.touched(offset, bytes as usize).is_some() {
                return None;
            }
            shared.get(offset..offset + bytes as usize)
        }
        Space::Local => {
            let offset = at.checked_sub(LOCAL_BASE)? as usize;
            local.get(offset..offset.checked_add(bytes as usize)?)
        }
        _ => None,
    }
}

/// As [`fast_read`], for a store.
#[inline(always)]
fn fast_write<'a>(
    a: &Access,
    at: u64,
    (global, shared, local): (&'a mut Global, &'a mut [u8], &'a mut [u8]),
    rank: u32,
    guard: &Guard,
) -> Option<&'a mut [u8]> {
    let bytes = a.bytes();
    if !bytes.is_power_of_two() || at & (bytes - 1) != 0 {
        return None;
    }
    match a.space {
        Space::Global => global.bytes_mut(at, bytes),
        Space::Shared => {
            let offset = in_shared(at, bytes, rank, shared.len())?;
            if guard.touched(offset, bytes as usize).is_some() {
                return None;
            }
            shared.get_mut(offset..offset + bytes as usize)
        }
        Space::Local => {
            let offset = at.checked_sub(LOCAL_BASE)? as usize;
            local.get_mut(offset..offset.checked_add(bytes as usize)?)
        }
        _ => None,
    }
}

/// The word of at most eight bytes.
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    match *bytes {
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        _ => 0,
    }
}

/// Puts loaded bytes into registers, each extended to its register's width.
#[inline(always)]
fn load_values(a: &Access, bytes: &[u8], slots: &mut [u64]) {
    let mut rest = bytes;
    for value in &a.values {
        let Some((bytes, after)) = rest.split_at_checked(a.size as usize) else {
            return;
        };
        rest = after;
        if value.slot == NO_GUARD {
            continue;
        }
        let at = value.slot as usize;
        if a.size > 8 {
            slots[at] = word(&bytes[..8]);
            slots[at + 1] = word(&bytes[8..]);
            continue;
        }
        let mut low = word(bytes);
        if a.signed {
            let by = 64 - 8 * a.size;
            low = ((low << by) as i64 >> by) as u64 & super::code::mask(value.width.min(64) as u8);
        }
        slots[at] = low;
        if value.width > 64 {
            slots[at + 1] = 0;
        }
    }
}

/// Puts registers into bytes to be stored.
#[inline(always)]
fn store_values(a: &Access, bytes: &mut [u8], slots: &[u64]) {
    let mut rest = bytes;
    for value in &a.values {
        let Some((bytes, after)) = rest.split_at_mut_checked(a.size as usize) else {
            return;
        };
        rest = after;
        let at = value.slot as usize;
        let low = slots[at].to_le_bytes();
        match bytes.len() {
            4 => bytes.copy_from_slice(&low[..4]),
            n @ ..=8 => bytes.copy_from_slice(&low[..n]),
            n => {
                bytes[..8].copy_from_slice(&low);
                bytes[8..].copy_from_slice(&slots[at + 1].to_le_bytes()[..n - 8]);
            }
        }
    }
}
