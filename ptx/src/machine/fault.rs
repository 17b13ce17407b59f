//! What ends a launch before its threads do.

use std::fmt;

use crate::text::span::Span;

/// Why a launch was ended, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The kernel.
    pub entry: String,
    /// The CTA and thread that did it, if one did.
    pub thread: Option<([u32; 3], [u32; 3])>,
    /// The function and instruction, if one did.
    pub place: Option<Site>,
}

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The function.
    pub function: String,
    /// The opcode.
    pub opcode: String,
    /// The instruction's span in the PTX text.
    pub span: Span,
    /// The source position of its `.loc`: file name (or number), line, column.
    pub loc: Option<(String, u64, u64)>,
}

/// A thread that waits, in a report of a stuck launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// The CTA.
    pub cta: [u32; 3],
    /// The first thread that waits there for that.
    pub thread: [u32; 3],
    /// How many threads of the CTA wait in the same place for the same thing.
    pub threads: usize,
    /// Where.
    pub place: Option<Site>,
    /// For what.
    pub what: String,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The launch does not fit the kernel or this machine.
    Launch(String),
    /// The instruction is not known, or not in this form.
    Unsupported(String),
    /// An access outside every allocation.
    OutOfBounds {
        /// The state space.
        space: &'static str,
        /// The address.
        address: u64,
        /// How many bytes.
        bytes: u64,
        /// What is near: the name of an allocation or variable, and what is wrong.
        near: String,
    },
    /// An address that is no multiple of what the access asks for.
    Misaligned {
        /// The state space.
        space: &'static str,
        /// The address.
        address: u64,
        /// What it should be a multiple of.
        align: u64,
    },
    /// A write where writing is not allowed.
    ReadOnly {
        /// The state space.
        space: &'static str,
        /// The address.
        address: u64,
    },
    /// Nothing can go on: who waits where.
    Stuck(Vec<Waiting>),
    /// More instructions than allowed.
    StepLimit(u64),
    /// More of something than this machine has: call depth, local memory, …
    Limit(String),
    /// `trap`, or an indirect branch or call to nowhere.
    Trap(String),
    /// `__assertfail`: message, file, line, function.
    Assertion {
        /// The condition.
        message: String,
        /// The file.
        file: String,
        /// The line.
        line: u32,
        /// The function.
        function: String,
    },
    /// A register that an asynchronous operation still works on was touched.
    InFlight(String),
    /// Threads meet at an aligned barrier in different instructions.
    DivergentBarrier(String),
    /// Misuse of a barrier: the number, the thread count.
    Barrier(String),
    /// Lanes of a warp do not do the same collective operation.
    Divergent(String),
    /// Misuse of an mbarrier object.
    Mbarrier(String),
    /// Misuse of an asynchronous copy or a tensor map.
    Async(String),
    /// Something else that the manual calls undefined.
    Undefined(String),
}

impl FaultKind {
    /// A short name for tests and machine-readable reports.
    pub fn name(&self) -> &'static str {
        match self {
            FaultKind::Launch(_) => "launch",
            FaultKind::Unsupported(_) => "unsupported",
            FaultKind::OutOfBounds { .. } => "out-of-bounds",
            FaultKind::Misaligned { .. } => "misaligned",
            FaultKind::ReadOnly { .. } => "read-only",
            FaultKind::Stuck(_) => "stuck",
            FaultKind::StepLimit(_) => "step-limit",
            FaultKind::Limit(_) => "limit",
            FaultKind::Trap(_) => "trap",
            FaultKind::Assertion { .. } => "assertion",
            FaultKind::InFlight(_) => "in-flight",
            FaultKind::DivergentBarrier(_) => "divergent-barrier",
            FaultKind::Barrier(_) => "barrier",
            FaultKind::Divergent(_) => "divergent",
            FaultKind::Mbarrier(_) => "mbarrier",
            FaultKind::Async(_) => "async",
            FaultKind::Undefined(_) => "undefined",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Launch(what) => write!(f, "{what}"),
            FaultKind::Unsupported(what) => write!(f, "unsupported: {what}"),
            FaultKind::OutOfBounds {
                space,
                address,
                bytes,
                near,
            } => write!(
                f,
                "{bytes} bytes at {space} address {address:#x} are out of bounds: {near}"
            ),
            FaultKind::Misaligned {
                space,
                address,
                align,
            } => write!(f, "{space} address {address:#x} is no multiple of {align}"),
            FaultKind::ReadOnly { space, address } => {
                write!(f, "{space} memory at {address:#x} cannot be written")
            }
            FaultKind::Stuck(waiting) => {
                write!(f, "stuck: nothing can go on")?;
                waiting.iter().try_for_each(|w| write!(f, "\n  {w}"))
            }
            FaultKind::StepLimit(n) => write!(f, "not finished after {n} instructions"),
            FaultKind::Limit(what) => write!(f, "{what}"),
            FaultKind::Trap(what) => write!(f, "trap: {what}"),
            FaultKind::Assertion {
                message,
                file,
                line,
                function,
            } => write!(
                f,
                "assertion `{message}` failed at {file}:{line} in {function}"
            ),
            FaultKind::InFlight(what)
            | FaultKind::DivergentBarrier(what)
            | FaultKind::Barrier(what)
            | FaultKind::Divergent(what)
            | FaultKind::Mbarrier(what)
            | FaultKind::Async(what)
            | FaultKind::Undefined(what) => write!(f, "{what}"),
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in {}", self.opcode, self.function)?;
        match &self.loc {
            Some((file, line, column)) => write!(f, " ({file}:{line}:{column})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.cta;
        let [tx, ty, tz] = self.thread;
        write!(f, "cta ({x},{y},{z}) thread ({tx},{ty},{tz})")?;
        if self.threads > 1 {
            write!(f, " and {} more", self.threads - 1)?;
        }
        match &self.place {
            Some(site) => write!(f, " at {site}: {}", self.what),
            None => write!(f, ": {}", self.what),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.entry, self.kind)?;
        if let Some(([x, y, z], [tx, ty, tz])) = self.thread {
            write!(f, "\n  in cta ({x},{y},{z}) thread ({tx},{ty},{tz})")?;
        }
        match &self.place {
            Some(site) => write!(f, "\n  at {site}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}
