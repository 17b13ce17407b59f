//! Asynchronous copies by threads, and their groups (ISA §9.7.10.28.3, §9.7.15.16.18).

use super::groups::{Groups, Kind, WaitGroup};
use super::mbarrier::Target;
use crate::machine::code::decode::Decoder;
use crate::machine::code::operand::Refusal;
use crate::machine::code::{Addr, Src};
use crate::machine::engine::{Action, Agent, Progress, Step, ThreadId};
use crate::machine::fault::FaultKind;
use crate::machine::machine::{Machine, Place, gone};
use crate::machine::memory::Space;
use crate::module::{Instr, Literal, Operand};

/// The copies of a thread.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// Their groups.
    pub groups: Groups,
    /// How many were begun.
    begun: u64,
    /// The numbers of those that are not complete.
    running: Vec<u64>,
}

#[derive(Debug)]
struct CpAsync {
    dst: Addr,
    dst_space: Space,
    src: Addr,
    size: usize,
    /// How many bytes are read, or whether none are.
    limit: Limit,
}

#[derive(Debug)]
enum Limit {
    All,
    Bytes(Src),
    Ignore(Src),
}

#[derive(Debug)]
struct Commit;

#[derive(Debug)]
struct WaitAll;

#[derive(Debug)]
struct Arrive {
    addr: Addr,
    space: Space,
    noinc: bool,
}

/// The action of an instruction that begins with `cp.async` and is no bulk copy.
pub fn decode(d: &mut Decoder<'_>, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let words: Vec<&str> = instr.words().collect();
    match words.get(2).copied().unwrap_or_default() {
        "commit_group" => Ok(Box::new(Commit)),
        "wait_all" => Ok(Box::new(WaitAll)),
        "wait_group" => Ok(Box::new(WaitGroup {
            kind: Kind::Copy,
            latest: literal(instr.operands.first())?,
            read: false,
        })),
        "mbarrier" => {
            let [address] = &instr.operands[..] else {
                return Err("one operand is needed".to_owned());
            };
            let (addr, space) = d.address_in(address, &words)?;
            Ok(Box::new(Arrive {
                addr,
                space,
                noinc: words.contains(&"noinc"),
            }))
        }
        _ => copy(d, instr, &words),
    }
}

fn copy(d: &mut Decoder<'_>, instr: &Instr, words: &[&str]) -> Result<Box<dyn Action>, Refusal> {
    let [dst, src, size, rest @ ..] = &instr.operands[..] else {
        return Err("three operands are needed".to_owned());
    };
    let size = literal(Some(size))?;
    match (size, words.contains(&"cg")) {
        (16, _) | (4 | 8, false) => {}
        _ => return Err(format!("copies of {size} bytes do not exist")),
    }
    let hint = words.contains(&"L2::cache_hint");
    let rest = match rest {
        [rest @ .., _policy] if hint => rest,
        rest => rest,
    };
    let limit = match rest {
        [] => Limit::All,
        [m] if is_predicate(d, m) => Limit::Ignore(d.source(m, 1)?),
        [m] => Limit::Bytes(d.source(m, 32)?),
        _ => return Err("too many operands".to_owned()),
    };
    let (dst, dst_space) = d.address_in(dst, words)?;
    let (src, _) = d.address(src)?;
    Ok(Box::new(CpAsync {
        dst,
        dst_space,
        src,
        size: size as usize,
        limit,
    }))
}

fn is_predicate(d: &Decoder<'_>, operand: &Operand) -> bool {
    match operand {
        Operand::Reg(r) => d.register(*r).is_ok_and(|r| r.width == 1),
        Operand::Not(_) => true,
        _ => false,
    }
}

/// An integer literal.
pub fn literal(operand: Option<&Operand>) -> Result<u64, Refusal> {
    match operand {
        Some(Operand::Imm(Literal::Int(n))) => {
            u64::try_from(*n).map_err(|_| format!("the number {n} is negative"))
        }
        _ => Err("an integer literal is needed".to_owned()),
    }
}

impl Action for CpAsync {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let size = self.size as u64;
        let read = match self.limit {
            Limit::All => size,
            Limit::Bytes(src) => m.get(t, src)?,
            Limit::Ignore(src) if m.get(t, src)? != 0 => 0,
            Limit::Ignore(_) => size,
        };
        if read > size {
            return Err(FaultKind::Async(format!(
                "src-size {read} is more than the {size} bytes of the copy"
            )));
        }
        let dst = m.address(t, self.dst)?;
        let Place::Shared(cta, offset) = m.locate(t, self.dst_space, dst, size, size)? else {
            return Err(FaultKind::Async(format!(
                "the destination {dst:#x} is not in shared memory"
            )));
        };
        let src = m.address(t, self.src)?;
        if read > 0 {
            m.locate(t, Space::Global, src, read, size)?;
        }
        let copies = &mut m.thread_mut(t)?.engines.copies;
        let number = copies.begun;
        copies.begun += 1;
        copies.running.push(number);
        let group = copies.groups.begin();
        m.spawn(Box::new(Copy {
            issuer: t,
            number,
            group,
            src,
            read: read as usize,
            to: (cta, offset),
            size: self.size,
            content: None,
        }));
        Ok(Step::Next)
    }
}

/// A copy under way.
#[derive(Debug)]
struct Copy {
    issuer: ThreadId,
    number: u64,
    group: u64,
    src: u64,
    read: usize,
    to: (u32, usize),
    size: usize,
    content: Option<[u8; 16]>,
}

impl Agent for Copy {
    fn advance(&mut self, m: &mut Machine<'_>) -> Result<Progress, FaultKind> {
        let Some(content) = self.content else {
            let mut content = [0; 16];
            let bytes = m.global.bytes(self.src, self.read as u64);
            if self.read > 0 {
                content[..self.read].copy_from_slice(bytes.ok_or_else(gone)?);
            }
            self.content = Some(content);
            return Ok(Progress::More);
        };
        // Nobody can see what it would write when its CTA has ended.
        let (cta, offset) = self.to;
        let Some(home) = m.cta_mut(cta) else {
            return Ok(Progress::Done);
        };
        let to = home.shared.get_mut(offset..offset + self.size);
        to.ok_or_else(gone)?.copy_from_slice(&content[..self.size]);
        m.stats.async_bytes += self.size as u64;
        let copies = &mut m.thread_mut(self.issuer)?.engines.copies;
        copies.running.retain(|n| *n != self.number);
        copies.groups.read(self.group);
        copies.groups.complete(self.group);
        WaitGroup::wake(m, self.issuer, Kind::Copy)?;
        Ok(Progress::Done)
    }

    fn issuer(&self) -> Option<ThreadId> {
        Some(self.issuer)
    }
}

impl Action for Commit {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        m.thread_mut(t)?.engines.copies.groups.commit();
        Ok(Step::Next)
    }
}

impl Action for WaitAll {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        m.thread_mut(t)?.engines.copies.groups.commit();
        let wait = WaitGroup {
            kind: Kind::Copy,
            latest: 0,
            read: false,
        };
        wait.step(m, t)
    }
}

impl Action for Arrive {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let address = m.address(t, self.addr)?;
        let at = Target::locate(m, t, self.space, address)?;
        if at.cta != t.cta {
            return Err(FaultKind::Mbarrier(format!(
                "the mbarrier at {address:#x} is in another CTA: copies cannot arrive there"
            )));
        }
        at.check(m)?;
        if !self.noinc {
            at.increment(m)?;
        }
        let before = m.thread(t)?.engines.copies.begun;
        m.spawn(Box::new(Arrival {
            issuer: t,
            before,
            at,
        }));
        Ok(Step::Next)
    }
}

/// An arrival that comes when the copies begun before it are complete.
#[derive(Debug)]
struct Arrival {
    issuer: ThreadId,
    before: u64,
    at: Target,
}

impl Agent for Arrival {
    fn advance(&mut self, m: &mut Machine<'_>) -> Result<Progress, FaultKind> {
        if m.cta(self.at.cta).is_some() {
            self.at.arrive(m)?;
        }
        Ok(Progress::Done)
    }

    fn issuer(&self) -> Option<ThreadId> {
        Some(self.issuer)
    }

    fn ready(&self, m: &Machine<'_>) -> bool {
        let copies = m.thread(self.issuer).map(|t| &t.engines.copies);
        copies.map_or(true, |c| c.running.iter().all(|n| *n >= self.before))
    }
}
