//! The mbarrier object (ISA §9.7.15.16, layout v0): its counts, its phases, and what misuses it.

use std::fmt;

/// The largest count of arrivals, and the largest transaction count either way.
pub const MAX_COUNT: u32 = (1 << 20) - 1;

/// An mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// How many phases are complete.
    phase: u64,
    /// Arrivals that the next phase will need.
    expected: u32,
    /// Arrivals that the current phase still needs.
    pending: u32,
    /// Transactions that the current phase still needs.
    tx: i32,
    /// Whether somebody has seen that the phase before the current one is complete.
    seen: bool,
}

/// What the manual calls undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// An initial or arrival count that is not 1 to [`MAX_COUNT`].
    Count(u32),
    /// More arrivals than the phase needs: how many arrive, how many are needed.
    OverArrival(u32, u32),
    /// The transaction count would leave its range: what it would be.
    TxRange(i64),
    /// `arrive_drop` of all expected arrivals.
    DropsAll,
    /// `.noComplete` would complete the phase.
    Completes,
    /// Arrivals at a phase before anybody saw the one before complete.
    MissingWait,
    /// A state of a phase that is neither the current one nor the one before: its number, and the current one's.
    OldState(u64, u64),
    /// `cp.async.mbarrier.arrive` would raise the pending count above [`MAX_COUNT`].
    PendingRange,
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misuse::Count(n) => write!(f, "a count of {n} arrivals; 1 to {MAX_COUNT} are possible"),
            Misuse::OverArrival(n, needed) => {
                write!(f, "{n} arrivals where the phase needs {needed} more")
            }
            Misuse::TxRange(n) => write!(
                f,
                "the transaction count would be {n}; it must stay between -{MAX_COUNT} and {MAX_COUNT}"
            ),
            Misuse::DropsAll => write!(f, "arrive_drop leaves no expected arrival"),
            Misuse::Completes => write!(f, "an arrival with .noComplete completes the phase"),
            Misuse::MissingWait => write!(
                f,
                "an arrival at a phase before any wait has seen the phase before it complete"
            ),
            Misuse::OldState(state, now) => write!(
                f,
                "a wait for phase {state} while phase {now} is the current one: only it and the one before can be waited for"
            ),
            Misuse::PendingRange => write!(f, "more than {MAX_COUNT} pending arrivals"),
        }
    }
}

/// What an arrival does beside arriving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Arrival {
    /// How many arrivals.
    pub count: u32,
    /// Transactions that are expected first.
    pub expect_tx: Option<u32>,
    /// Whether later phases expect so many arrivals less.
    pub drop: bool,
    /// Whether the phase must not complete.
    pub no_complete: bool,
}

impl Object {
    /// `mbarrier.init`
    pub fn new(count: u32) -> Result<Object, Misuse> {
        in_range(count)?;
        Ok(Object {
            phase: 0,
            expected: count,
            pending: count,
            tx: 0,
            seen: true,
        })
    }

    /// How many phases are complete.
    pub fn phase(&self) -> u64 {
        self.phase
    }

    /// What an arrival returns: the phase above the pending count.
    pub fn state(&self) -> u64 {
        self.phase << 20 | u64::from(self.pending)
    }

    /// `mbarrier.pending_count`
    pub fn pending_count(state: u64) -> u32 {
        state as u32 & MAX_COUNT
    }

    /// Adds to the transactions that the phase needs.
    pub fn expect_tx(&mut self, count: u32) -> Result<(), Misuse> {
        self.add_tx(i64::from(count))
    }

    /// Takes from the transactions that the phase needs; whether that completes it.
    pub fn complete_tx(&mut self, count: u32) -> Result<bool, Misuse> {
        self.add_tx(-i64::from(count))?;
        Ok(self.test())
    }

    /// Arrives; the state before the arrival, and whether it completes the phase.
    pub fn arrive(&mut self, arrival: Arrival) -> Result<(u64, bool), Misuse> {
        in_range(arrival.count)?;
        if !self.seen {
            return Err(Misuse::MissingWait);
        }
        if let Some(count) = arrival.expect_tx {
            self.expect_tx(count)?;
        }
        let state = self.state();
        if arrival.drop {
            if arrival.count >= self.expected {
                return Err(Misuse::DropsAll);
            }
            self.expected -= arrival.count;
        }
        self.pending = self
            .pending
            .checked_sub(arrival.count)
            .ok_or(Misuse::OverArrival(arrival.count, self.pending))?;
        let completed = self.test();
        if completed && arrival.no_complete {
            return Err(Misuse::Completes);
        }
        Ok((state, completed))
    }

    /// One more arrival is needed: of a `cp.async.mbarrier.arrive` without `.noinc`.
    pub fn increment(&mut self) -> Result<(), Misuse> {
        if self.pending == MAX_COUNT {
            return Err(Misuse::PendingRange);
        }
        self.pending += 1;
        Ok(())
    }

    /// Whether the phase of a state is complete.
    pub fn test_state(&mut self, state: u64) -> Result<bool, Misuse> {
        let phase = state >> 20;
        match self.phase.checked_sub(phase) {
            Some(0) => Ok(false),
            Some(1) => {
                self.seen = true;
                Ok(true)
            }
            _ => Err(Misuse::OldState(phase, self.phase)),
        }
    }

    /// Whether the phase of a parity, the current one or the one before, is complete. On a fresh object the phase before
    /// the first counts as complete and odd.
    pub fn test_parity(&mut self, parity: u32) -> bool {
        let complete = u64::from(parity & 1) != self.phase & 1;
        self.seen |= complete;
        complete
    }

    fn add_tx(&mut self, count: i64) -> Result<(), Misuse> {
        let tx = i64::from(self.tx) + count;
        if tx.unsigned_abs() > u64::from(MAX_COUNT) {
            return Err(Misuse::TxRange(tx));
        }
        self.tx = tx as i32;
        Ok(())
    }

    fn test(&mut self) -> bool {
        let complete = self.pending == 0 && self.tx == 0;
        if complete {
            self.phase += 1;
            self.pending = self.expected;
            self.seen = false;
        }
        complete
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "phase {}, {} of {} arrivals and {} transactions missing",
            self.phase, self.pending, self.expected, self.tx
        )
    }
}

fn in_range(count: u32) -> Result<(), Misuse> {
    match count {
        1..=MAX_COUNT => Ok(()),
        n => Err(Misuse::Count(n)),
    }
}
