//! Asynchronous matrix products of a warpgroup (ISA §9.7.17): `wgmma.fence`, `mma_async`, `commit_group`, `wait_group`.
//!
//! A product is issued when all 128 threads of its warpgroup are at it, with the same descriptors. It happens at a time of
//! the seed's choice after that: then it reads A and B, adds to the accumulators, and writes them; products of one warpgroup
//! happen in the order of their issue. From the issue to a `wait_group` that covers it, the accumulators and the registers of
//! A are in flight: whoever touches them makes a fault, as does another product, unless it adds to the same accumulators in
//! the same shape.
//!
//! A thread that has not executed `wgmma.fence` since it touched one of these registers, or never, makes a fault at the
//! product. Fence, commit and wait act on the thread that executes them: what they would wait for in its warp and warpgroup
//! comes about at the next product.

use std::collections::VecDeque;
use std::rc::Rc;

use super::matrix::{destinations, sources};
use super::multiply::{Signs, multiply};
use super::spread::Spread;
use crate::layout::descriptor::{Descriptor, Major};
use crate::layout::fragment::Role;
use crate::layout::op::MatrixOp;
use crate::machine::code::decode::Decoder;
use crate::machine::code::operand::{Refusal, literal_bits};
use crate::machine::code::{Dst, Slot, Src};
use crate::machine::engine::{Action, Agent, Gather, Progress, Reason, Step, ThreadId, Wake};
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;
use crate::machine::memory::SHARED_BASE;
use crate::machine::slots::SlotSet;
use crate::module::{Instr, Operand};

/// What a thread keeps.
#[derive(Clone, Debug, Default)]
pub struct ThreadPart {
    /// Whether it has executed a fence.
    fenced: bool,
    /// Slots (of all frames) that it has touched since its last fence, of those that products use.
    touched: SlotSet,
    /// Slots that products under way work on: what `pending` adds up to.
    flight: SlotSet,
    /// How many products it has issued.
    issued: u64,
    /// For each group that it has not waited for: how many products it had issued at the commit.
    groups: VecDeque<u64>,
    /// Products that it has not waited for: their number from 1 on, and the frame they were issued in.
    pending: Vec<(u64, u32, Rc<Product>)>,
}

impl ThreadPart {
    /// The thread touches registers that products use: the first of them that is in flight.
    pub fn touch(&mut self, base: u32, slots: &[Slot]) -> Option<Slot> {
        slots.iter().for_each(|s| self.touched.insert(base + s));
        slots
            .iter()
            .copied()
            .find(|s| self.flight.contains(base + s))
    }
}

/// What a CTA keeps for a warpgroup.
#[derive(Clone, Debug, Default)]
pub struct Warpgroup {
    /// How many products are issued, and how many have happened.
    issued: u64,
    done: u64,
    /// Threads that wait until so many have happened.
    waiting: Vec<(ThreadId, u64)>,
}

/// A product as it is decoded.
#[derive(Debug)]
pub struct Product {
    op: MatrixOp,
    a: Factor,
    b: Src,
    major: (Major, Major),
    signs: Signs,
    scale_d: Src,
    /// How a warp holds its 16 rows of the accumulator, and where.
    spread: Spread,
    acc: Vec<Src>,
    dests: Vec<Dst>,
}

/// Where A comes from.
#[derive(Debug)]
enum Factor {
    Registers(Spread, Vec<Src>),
    Descriptor(Src),
}

/// Threads of a warpgroup.
const WARPGROUP: u32 = 128;

/// The action of an instruction.
pub fn decode(d: &mut Decoder<'_>, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let kind = instr.words().nth(1).unwrap_or_default();
    Ok(match (kind, &instr.operands[..]) {
        ("fence", []) => Box::new(Fence),
        ("commit_group", []) => Box::new(Commit),
        ("wait_group", [Operand::Imm(n)]) => Box::new(WaitGroup {
            most: literal_bits(*n, 32)? as usize,
        }),
        ("mma_async", [dst, a, b, rest @ ..]) => {
            let product = product(d, &instr.opcode, [dst, a, b], rest)?;
            Box::new(Issue(Rc::new(product)))
        }
        (_, ops) => return Err(format!("{} operands", ops.len())),
    })
}

fn product(
    d: &mut Decoder<'_>,
    opcode: &str,
    [dst, a, b]: [&Operand; 3],
    rest: &[Operand],
) -> Result<Product, Refusal> {
    let op = MatrixOp::parse(opcode).ok_or("this shape with these types")?;
    let fragment = op.fragment(Role::C, op.d);
    let acc = sources(d, dst, fragment.register_bits())?;
    let dests = destinations(d, dst)?;
    let in_registers = matches!(a, Operand::Vector(_));
    let a = if in_registers {
        let registers = sources(d, a, 32)?;
        let spread = Spread::new(&op.fragment(Role::A, op.d), registers.len())?;
        Factor::Registers(spread, registers)
    } else {
        Factor::Descriptor(d.source(a, 64)?)
    };
    let Some((scale_d, immediates)) = rest.split_first() else {
        return Err("operand scale-d is missing".to_owned());
    };
    let mut numbers = Vec::new();
    for operand in immediates {
        let Operand::Imm(n) = operand else {
            return Err("an immediate is wanted".to_owned());
        };
        numbers.push(literal_bits(*n, 32)? as u32 as i32);
    }
    let sign = |i: usize| match numbers.get(i) {
        None | Some(1) => Ok(false),
        Some(-1) => Ok(true),
        Some(n) => Err(format!("a scale of {n}: 1 and -1 are possible")),
    };
    let major = |i: usize| match numbers.get(i) {
        None | Some(0) => Ok(Major::K),
        Some(1) => Ok(Major::MN),
        Some(n) => Err(format!("transpose {n}: 0 and 1 are possible")),
    };
    // With A in registers only B can be transposed.
    let major = match in_registers {
        true => (Major::K, major(2)?),
        false => (major(2)?, major(3)?),
    };
    if op.kind.b.width() != 16 && major != (Major::K, Major::K) {
        return Err("only matrices of 16-bit elements can be transposed".to_owned());
    }
    Ok(Product {
        op,
        a,
        b: d.source(b, 64)?,
        major,
        signs: Signs {
            a: sign(0)?,
            b: sign(1)?,
        },
        scale_d: d.source(scale_d, 1)?,
        spread: Spread::new(&fragment, dests.len())?,
        acc,
        dests,
    })
}

impl Product {
    fn a_slots(&self) -> impl Iterator<Item = Slot> {
        let registers = match &self.a {
            Factor::Registers(_, registers) => &registers[..],
            Factor::Descriptor(_) => &[],
        };
        registers.iter().map(|s| s.slot)
    }

    fn d_slots(&self) -> impl Iterator<Item = Slot> {
        self.acc.iter().map(|s| s.slot)
    }

    /// Whether two products may follow each other without a wait in between, both in one frame: the later one adds to the
    /// accumulators of the earlier one in the same shape, or they have nothing to do with each other.
    fn may_follow(&self, before: &Product) -> bool {
        let in_d = |s| before.acc.iter().any(|x| x.slot == s);
        let in_a = |s| before.a_slots().any(|x| x == s);
        let same = self.op == before.op && self.acc == before.acc;
        (same || !self.d_slots().any(in_d))
            && !self.a_slots().any(in_d)
            && !self.d_slots().any(in_a)
    }
}

/// The operands of an instruction whose registers are in flight after it.
pub fn in_flight(instr: &Instr) -> impl Iterator<Item = &Operand> {
    let product = instr.opcode.starts_with("wgmma.mma_async");
    let operands = instr.operands.iter().take(if product { 2 } else { 0 });
    operands.filter(|o| matches!(o, Operand::Vector(_)))
}

#[derive(Debug)]
struct Fence;

impl Action for Fence {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let part = &mut m.thread_mut(t)?.engines.wgmma;
        part.fenced = true;
        part.touched.clear();
        Ok(Step::Next)
    }
}

#[derive(Debug)]
struct Commit;

impl Action for Commit {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let part = &mut m.thread_mut(t)?.engines.wgmma;
        part.groups.push_back(part.issued);
        Ok(Step::Next)
    }
}

#[derive(Debug)]
struct WaitGroup {
    /// How many groups may be pending.
    most: usize,
}

impl Action for WaitGroup {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let part = &m.thread(t)?.engines.wgmma;
        let Some(last) = part.groups.len().checked_sub(self.most + 1) else {
            return Ok(Step::Next);
        };
        let until = part.groups[last];
        let pending = (part.groups.len() - self.most) as u32;
        let group = m.home_mut(t)?.engines.warpgroups.entry(t.index / WARPGROUP);
        let group = group.or_default();
        if group.done < until {
            group.waiting.push((t, until));
            let what = "wgmma groups";
            return Ok(Step::Block(Reason::Group { what, pending }.wait()));
        }
        let part = &mut m.thread_mut(t)?.engines.wgmma;
        part.groups.drain(..=last);
        part.pending.retain(|p| p.0 > until);
        part.flight.clear();
        for (_, base, product) in &part.pending {
            for slot in product.a_slots().chain(product.d_slots()) {
                part.flight.insert(base + slot);
            }
        }
        Ok(Step::Next)
    }
}

/// `wgmma.mma_async`
#[derive(Debug)]
struct Issue(Rc<Product>);

impl Issue {
    /// Whether the thread may issue the product now.
    fn check(&self, m: &Machine<'_>, t: ThreadId) -> Result<(), FaultKind> {
        let thread = m.thread(t)?;
        let part = &thread.engines.wgmma;
        if !part.fenced {
            return Err(FaultKind::Undefined(
                "a product without `wgmma.fence` before it".to_owned(),
            ));
        }
        let mut slots = self.0.a_slots().chain(self.0.d_slots());
        if let Some(slot) = slots.find(|s| part.touched.contains(thread.base + s)) {
            return Err(FaultKind::Undefined(format!(
                "register {} was touched after the last `wgmma.fence`",
                m.register_name(thread.func, slot)
            )));
        }
        for (_, base, before) in &part.pending {
            if *base == thread.base && !self.0.may_follow(before) {
                return Err(FaultKind::InFlight(
                    "an earlier product that was not waited for works on the same registers in another way"
                        .to_owned(),
                ));
            }
        }
        Ok(())
    }
}

impl Action for Issue {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        self.check(m, t)?;
        let a = match self.0.a {
            Factor::Descriptor(a) => m.get(t, a)?,
            Factor::Registers(..) => 0,
        };
        let base = u64::from(m.thread(t)?.base);
        let words = vec![a, m.get(t, self.0.b)?, m.get(t, self.0.scale_d)?, base];
        let (key, first) = (m.site_key(t)?, t.index / WARPGROUP * WARPGROUP);
        m.gather(t, key, first, u128::MAX, words)
    }

    fn finish(&self, m: &mut Machine<'_>, t: ThreadId, g: &Gather) -> Result<(), FaultKind> {
        if g.lanes.len() != WARPGROUP as usize {
            return Err(FaultKind::Divergent(format!(
                "a product of a warpgroup of which only {} threads take part",
                g.lanes.len()
            )));
        }
        let thread = m.thread_mut(t)?;
        let part = &mut thread.engines.wgmma;
        part.issued += 1;
        part.pending
            .push((part.issued, thread.base, Rc::clone(&self.0)));
        for slot in self.0.a_slots().chain(self.0.d_slots()) {
            part.flight.insert(thread.base + slot);
        }
        if !g.leads(t) {
            return Ok(());
        }
        let [a, b, scale_d, base] = g.lanes[0].words[..] else {
            return Ok(());
        };
        if g.lanes.iter().any(|l| l.words != g.lanes[0].words) {
            return Err(FaultKind::Divergent(
                "the threads of a warpgroup have different descriptors or different scale-d"
                    .to_owned(),
            ));
        }
        let group = m.home_mut(t)?.engines.warpgroups.entry(t.index / WARPGROUP);
        let group = group.or_default();
        group.issued += 1;
        let number = group.issued;
        m.spawn(Box::new(Running {
            product: Rc::clone(&self.0),
            first: t,
            base: base as u32,
            number,
            a,
            b,
            accumulates: scale_d != 0,
        }));
        Ok(())
    }
}

/// A product under way.
#[derive(Debug)]
struct Running {
    product: Rc<Product>,
    /// The first thread of the warpgroup.
    first: ThreadId,
    /// Where the frame of the instruction begins in the threads' slots.
    base: u32,
    /// Its number among those of the warpgroup, from 1 on.
    number: u64,
    a: u64,
    b: u64,
    accumulates: bool,
}

impl Running {
    fn group<'m>(&self, m: &'m Machine<'_>) -> Option<&'m Warpgroup> {
        let cta = m.cta(self.first.cta)?;
        cta.engines.warpgroups.get(&(self.first.index / WARPGROUP))
    }

    /// The first thread of a warp, and the frame.
    fn warp(&self, warp: u32) -> (ThreadId, u32) {
        let first = ThreadId {
            cta: self.first.cta,
            index: self.first.index + 32 * warp,
        };
        (first, self.base)
    }

    /// Reads a factor from shared memory: `mn` rows of A or columns of B. `put` gets an element's place and word.
    fn read(
        &self,
        m: &mut Machine<'_>,
        descriptor: u64,
        (major, bits, mn): (Major, u32, u32),
        mut put: impl FnMut(u32, u32, u64),
    ) -> Result<(), FaultKind> {
        let (bytes, k) = (bits / 8, self.product.op.shape.k);
        let descriptor = Descriptor::decode(descriptor);
        // 16 bytes of the contiguous dimension lie together.
        let unit = 16 / bytes;
        let (lines, units) = match major {
            Major::K => (mn, k / unit),
            Major::MN => (k, mn / unit),
        };
        m.moved[1].0 += u64::from(mn * k * bytes);
        let cta = m.home(self.first)?;
        for line in 0..lines {
            for u in 0..units {
                let at = |i| match major {
                    Major::K => (line, u * unit + i),
                    Major::MN => (u * unit + i, line),
                };
                let (x, y) = at(0);
                let address = u64::from(descriptor.address(major, bytes, x, y));
                let offset = address.wrapping_sub(SHARED_BASE) as usize;
                let end = offset.saturating_add(16);
                let found = cta.shared.get(offset..end);
                let found = found.ok_or_else(|| FaultKind::OutOfBounds {
                    space: "shared",
                    address,
                    bytes: 16,
                    near: format!(
                        "element ({x}, {y}) of a matrix of `wgmma.mma_async`; the CTA's shared memory goes from \
                         {SHARED_BASE:#x} to {:#x}",
                        SHARED_BASE + cta.shared.len() as u64
                    ),
                })?;
                for (i, element) in found.chunks_exact(bytes as usize).enumerate() {
                    let mut word = [0; 8];
                    word[..element.len()].copy_from_slice(element);
                    let (x, y) = at(i as u32);
                    put(x, y, u64::from_le_bytes(word));
                }
            }
        }
        Ok(())
    }
}

impl Agent for Running {
    fn ready(&self, m: &Machine<'_>) -> bool {
        self.group(m).is_none_or(|g| g.done + 1 == self.number)
    }

    fn issuer(&self) -> Option<ThreadId> {
        Some(self.first)
    }

    fn advance(&mut self, m: &mut Machine<'_>) -> Result<Progress, FaultKind> {
        if m.cta(self.first.cta).is_none() {
            return Ok(Progress::Done);
        }
        let product = &*self.product;
        let op = &product.op;
        let [rows, n, k] = [op.shape.m, op.shape.n, op.shape.k].map(|x| x as usize);
        let mut a = vec![0; rows * k];
        match &product.a {
            Factor::Registers(spread, registers) => {
                for (warp, rows) in (0..).zip(a.chunks_exact_mut(16 * k)) {
                    spread.read(m, self.warp(warp), registers, rows)?;
                }
            }
            Factor::Descriptor(_) => {
                let what = (product.major.0, op.kind.a.width(), op.shape.m);
                self.read(m, self.a, what, |row, at, word| {
                    a[row as usize * k + at as usize] = word;
                })?;
            }
        }
        let mut b = vec![0; k * n];
        let what = (product.major.1, op.kind.b.width(), op.shape.n);
        self.read(m, self.b, what, |col, at, word| {
            b[at as usize * n + col as usize] = word;
        })?;
        let mut c = vec![0; rows * n];
        if self.accumulates {
            for (warp, rows) in (0..).zip(c.chunks_exact_mut(16 * n)) {
                product
                    .spread
                    .read(m, self.warp(warp), &product.acc, rows)?;
            }
        }
        let d = multiply(op, product.signs, &a, &b, &c);
        for (warp, rows) in (0..).zip(d.chunks_exact(16 * n)) {
            product
                .spread
                .write(m, self.warp(warp), &product.dests, rows)?;
        }
        let group = m
            .home_mut(self.first)?
            .engines
            .warpgroups
            .entry(self.first.index / WARPGROUP);
        let group = group.or_default();
        group.done = self.number;
        let done = group.done;
        let (now, later) = std::mem::take(&mut group.waiting)
            .into_iter()
            .partition(|w: &(ThreadId, u64)| w.1 <= done);
        group.waiting = later;
        let now: Vec<(ThreadId, u64)> = now;
        for (t, _) in now {
            m.wake(t, Wake::Retry);
        }
        Ok(Progress::Done)
    }
}
