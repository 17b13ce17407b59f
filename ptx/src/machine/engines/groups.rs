//! Groups of a thread's asynchronous operations (ISA §9.7.10.28.1.1): committed in order, awaited from the oldest on.

use std::collections::VecDeque;

use super::ThreadState;
use crate::machine::engine::{Action, Reason, Step, ThreadId, Wake};
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;

/// What of a group's operations is still to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Group {
    /// Operations that have not read their sources.
    reading: u32,
    /// Operations that are not complete.
    running: u32,
}

/// The groups of one kind of a thread; the last is the one that is not yet committed.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// How many groups are forgotten because they and all before them are complete.
    done: u64,
    groups: VecDeque<Group>,
    /// What the thread waits for: all groups but so many, and whether only for their reads.
    awaited: Option<(u64, bool)>,
}

impl Groups {
    /// An operation begins: it belongs to the group of the returned number.
    pub fn begin(&mut self) -> u64 {
        if self.groups.is_empty() {
            self.groups.push_back(Group::default());
        }
        if let Some(open) = self.groups.back_mut() {
            open.reading += 1;
            open.running += 1;
        }
        self.done + self.groups.len() as u64 - 1
    }

    /// The operations that are in no group become one.
    pub fn commit(&mut self) {
        if self.groups.is_empty() {
            self.groups.push_back(Group::default());
        }
        self.groups.push_back(Group::default());
        self.forget();
    }

    /// An operation of this group has read its sources.
    pub fn read(&mut self, group: u64) {
        if let Some(g) = self.group(group) {
            g.reading = g.reading.saturating_sub(1);
        }
    }

    /// An operation of this group is complete.
    pub fn complete(&mut self, group: u64) {
        if let Some(g) = self.group(group) {
            g.running = g.running.saturating_sub(1);
        }
        self.forget();
    }

    /// How many groups but the latest `n` committed ones are not complete, or with `read` have not read their sources.
    pub fn pending(&self, n: u64, read: bool) -> usize {
        let committed = self.groups.len().saturating_sub(1);
        let old = committed.saturating_sub(usize::try_from(n).unwrap_or(usize::MAX));
        let busy = |g: &&Group| if read { g.reading > 0 } else { g.running > 0 };
        self.groups.iter().take(old).filter(busy).count()
    }

    fn group(&mut self, group: u64) -> Option<&mut Group> {
        let at = group.checked_sub(self.done)?;
        self.groups.get_mut(usize::try_from(at).ok()?)
    }

    fn forget(&mut self) {
        while self.groups.len() > 1 && self.groups.front().is_some_and(|g| g.running == 0) {
            self.groups.pop_front();
            self.done += 1;
        }
    }
}

/// Which groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of `cp.async`.
    Copy,
    /// Of bulk operations.
    Bulk,
}

impl Kind {
    fn of(self, state: &mut ThreadState) -> &mut Groups {
        match self {
            Kind::Copy => &mut state.copies.groups,
            Kind::Bulk => &mut state.bulk,
        }
    }
}

/// Waits for groups.
#[derive(Clone, Copy, Debug)]
pub struct WaitGroup {
    /// Which.
    pub kind: Kind,
    /// How many of the latest may be pending.
    pub latest: u64,
    /// Whether it is enough that they have read their sources.
    pub read: bool,
}

impl WaitGroup {
    /// An operation of the thread has got on: if that ends its wait, it goes on.
    pub fn wake(m: &mut Machine<'_>, t: ThreadId, kind: Kind) -> Result<(), FaultKind> {
        let groups = kind.of(&mut m.thread_mut(t)?.engines);
        if let Some((n, read)) = groups.awaited
            && groups.pending(n, read) == 0
        {
            groups.awaited = None;
            m.wake(t, Wake::Retry);
        }
        Ok(())
    }
}

impl Action for WaitGroup {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let groups = self.kind.of(&mut m.thread_mut(t)?.engines);
        let pending = groups.pending(self.latest, self.read) as u32;
        if pending == 0 {
            groups.awaited = None;
            return Ok(Step::Next);
        }
        groups.awaited = Some((self.latest, self.read));
        let what = match self.kind {
            Kind::Copy => "groups of cp.async",
            Kind::Bulk => "groups of bulk operations",
        };
        Ok(Step::Block(Reason::Group { what, pending }.wait()))
    }
}
