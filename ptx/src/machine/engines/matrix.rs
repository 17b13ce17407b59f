//! Matrices of a warp: `ldmatrix`, `stmatrix`, `movmatrix`, `mma`, `wmma` (ISA §9.7.16).
//!
//! All are `.aligned`: every thread of the warp executes the same instruction. That a thread has exited, or that the warp
//! has no 32 threads, is a fault.

use super::multiply::{Signs, multiply};
use super::spread::Spread;
use crate::layout::fragment::{Role, Shape};
use crate::layout::matrix::{address_lane, place};
use crate::layout::op::MatrixOp;
use crate::machine::code::decode::Decoder;
use crate::machine::code::operand::Refusal;
use crate::machine::code::{Addr, Dst, Src};
use crate::machine::engine::{Action, Gather, Step, ThreadId};
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;
use crate::machine::memory::Space;
use crate::module::{Instr, Operand};

/// The action of an instruction.
pub fn decode(d: &mut Decoder<'_>, base: &str, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let words: Vec<&str> = instr.words().collect();
    match (base, &instr.operands[..]) {
        ("ldmatrix", [regs, addr]) => move_matrix(d, &words, regs, addr, true),
        ("stmatrix", [addr, regs]) => move_matrix(d, &words, regs, addr, false),
        ("movmatrix", [dst, src]) => Ok(Box::new(Transpose {
            dst: d.destination(dst)?,
            src: d.source(src, 32)?,
        })),
        ("wmma", [regs, addr, stride @ ..]) if words.contains(&"load") => {
            fragment(d, &words, regs, addr, stride, true)
        }
        ("wmma", [addr, regs, stride @ ..]) if words.contains(&"store") => {
            fragment(d, &words, regs, addr, stride, false)
        }
        ("mma" | "wmma", [dst, a, b, c]) => product(d, &instr.opcode, [dst, a, b, c]),
        (_, ops) => Err(format!("{} operands", ops.len())),
    }
}

/// The registers that an operand names, read.
pub(super) fn sources(
    d: &mut Decoder<'_>,
    operand: &Operand,
    bits: u32,
) -> Result<Vec<Src>, Refusal> {
    let elements = d.elements(operand);
    elements.iter().map(|o| d.source(o, bits)).collect()
}

/// The registers that an operand names, written.
pub(super) fn destinations(d: &mut Decoder<'_>, operand: &Operand) -> Result<Vec<Dst>, Refusal> {
    let elements = d.elements(operand);
    elements.iter().map(|o| d.destination(o)).collect()
}

/// Brings the whole warp together.
fn warp(m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
    let key = m.site_key(t)?;
    m.gather(t, key, t.warp() * 32, u32::MAX.into(), Vec::new())
}

/// The first thread of the warp, if this is it and all 32 are there: it does the work of all.
fn leader(t: ThreadId, g: &Gather) -> Result<Option<ThreadId>, FaultKind> {
    if g.lanes.len() != 32 {
        return Err(FaultKind::Divergent(format!(
            "an aligned operation of a warp of which only {} threads take part",
            g.lanes.len()
        )));
    }
    Ok(g.leads(t).then_some(t))
}

/// A warp by its first thread, with the beginning of that thread's frame: all lanes are at one instruction.
fn frame(m: &Machine<'_>, first: ThreadId) -> Result<(ThreadId, u32), FaultKind> {
    Ok((first, m.thread(first)?.base))
}

/// The thread of a lane.
fn lane(first: ThreadId, lane: u32) -> ThreadId {
    ThreadId {
        cta: first.cta,
        index: first.index + lane,
    }
}

#[derive(Debug)]
struct MoveMatrix {
    load: bool,
    transposed: bool,
    space: Space,
    addr: Addr,
    sources: Vec<Src>,
    dests: Vec<Dst>,
}

fn move_matrix(
    d: &mut Decoder<'_>,
    words: &[&str],
    regs: &Operand,
    addr: &Operand,
    load: bool,
) -> Result<Box<dyn Action>, Refusal> {
    if !words.contains(&"m8n8") || !words.contains(&"b16") {
        return Err("only 8×8 matrices of 16 bits, the others need sm_100".to_owned());
    }
    let count = ["x1", "x2", "x4"].iter().position(|x| words.contains(x));
    let count = 1 << count.ok_or("the number of matrices is missing")?;
    let (addr, space) = d.address_in(addr, words)?;
    let action = MoveMatrix {
        load,
        transposed: words.contains(&"trans"),
        space,
        addr,
        sources: if load {
            Vec::new()
        } else {
            sources(d, regs, 32)?
        },
        dests: if load {
            destinations(d, regs)?
        } else {
            Vec::new()
        },
    };
    if action.sources.len() + action.dests.len() != count {
        return Err(format!("{count} registers are wanted"));
    }
    Ok(Box::new(action))
}

impl MoveMatrix {
    /// The address of a row, which must be in shared memory.
    fn row(&self, m: &Machine<'_>, t: ThreadId) -> Result<(Space, u64), FaultKind> {
        let address = m.address(t, self.addr)?;
        match self.space {
            Space::Generic => match Space::of_generic(address) {
                (Space::Cluster, at) => Ok((Space::Shared, at)),
                (space, at) => Err(FaultKind::Undefined(format!(
                    "a matrix at {} address {at:#x}: it must be in shared memory",
                    space.name()
                ))),
            },
            space => Ok((space, address)),
        }
    }
}

impl Action for MoveMatrix {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        warp(m, t)
    }

    fn finish(&self, m: &mut Machine<'_>, t: ThreadId, g: &Gather) -> Result<(), FaultKind> {
        let Some(first) = leader(t, g)? else {
            return Ok(());
        };
        for matrix in 0..self.sources.len().max(self.dests.len()) {
            let mut rows = [[0u8; 16]; 8];
            if let Some(src) = self.sources.get(matrix) {
                for l in 0..32 {
                    let word = m.get(lane(first, l), *src)? as u32;
                    for half in 0..2 {
                        let (row, col) = place(l, half, self.transposed);
                        let element = (word >> (16 * half)) as u16;
                        rows[row as usize][2 * col as usize..][..2]
                            .copy_from_slice(&element.to_le_bytes());
                    }
                }
            }
            for (r, row) in rows.iter_mut().enumerate() {
                let owner = lane(first, address_lane(matrix as u32, r as u32));
                let (space, at) = self.row(m, owner)?;
                if self.load {
                    m.load(owner, space, at, 16, row)?;
                } else {
                    m.store(owner, space, at, 16, row)?;
                }
            }
            if let Some(dst) = self.dests.get(matrix) {
                for l in 0..32 {
                    let element = |half| {
                        let (row, col) = place(l, half, self.transposed);
                        let bytes = &rows[row as usize][2 * col as usize..][..2];
                        u32::from(u16::from_le_bytes([bytes[0], bytes[1]])) << (16 * half)
                    };
                    m.set(lane(first, l), *dst, (element(0) | element(1)).into())?;
                }
            }
        }
        Ok(())
    }
}

/// `movmatrix`
#[derive(Debug)]
struct Transpose {
    dst: Dst,
    src: Src,
}

impl Action for Transpose {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        warp(m, t)
    }

    fn finish(&self, m: &mut Machine<'_>, t: ThreadId, g: &Gather) -> Result<(), FaultKind> {
        let Some(first) = leader(t, g)? else {
            return Ok(());
        };
        let mut matrix = [[0u32; 8]; 8];
        for l in 0..32 {
            let word = m.get(lane(first, l), self.src)? as u32;
            for half in 0..2 {
                let (row, col) = place(l, half, false);
                matrix[row as usize][col as usize] = word >> (16 * half) & 0xFFFF;
            }
        }
        for l in 0..32 {
            let element = |half| {
                let (row, col) = place(l, half, true);
                matrix[row as usize][col as usize] << (16 * half)
            };
            m.set(lane(first, l), self.dst, (element(0) | element(1)).into())?;
        }
        Ok(())
    }
}

/// `mma`, `wmma.mma`
#[derive(Debug)]
struct Product {
    op: MatrixOp,
    a: (Spread, Vec<Src>),
    b: (Spread, Vec<Src>),
    c: (Spread, Vec<Src>),
    d: (Spread, Vec<Dst>),
}

fn product(
    d: &mut Decoder<'_>,
    opcode: &str,
    [dst, a, b, c]: [&Operand; 4],
) -> Result<Box<dyn Action>, Refusal> {
    let op = MatrixOp::parse(opcode).ok_or("this shape with these types")?;
    let mut factor = |role, acc, operand| -> Result<_, Refusal> {
        let fragment = op.fragment(role, acc);
        let registers = sources(d, operand, fragment.register_bits())?;
        Ok((Spread::new(&fragment, registers.len())?, registers))
    };
    let a = factor(Role::A, op.c, a)?;
    let b = factor(Role::B, op.c, b)?;
    let c = factor(Role::C, op.c, c)?;
    let dests = destinations(d, dst)?;
    let fragment = op.fragment(Role::C, op.d);
    Ok(Box::new(Product {
        op,
        a,
        b,
        c,
        d: (Spread::new(&fragment, dests.len())?, dests),
    }))
}

impl Action for Product {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        warp(m, t)
    }

    fn finish(&self, m: &mut Machine<'_>, t: ThreadId, g: &Gather) -> Result<(), FaultKind> {
        let Some(first) = leader(t, g)? else {
            return Ok(());
        };
        let warp = frame(m, first)?;
        let read = |(spread, registers): &(Spread, Vec<Src>)| {
            let mut matrix = vec![0; spread.size];
            spread.read(m, warp, registers, &mut matrix)?;
            Ok::<_, FaultKind>(matrix)
        };
        let (a, b, c) = (read(&self.a)?, read(&self.b)?, read(&self.c)?);
        let d = multiply(&self.op, Signs::default(), &a, &b, &c);
        self.d.0.write(m, warp, &self.d.1, &d)
    }
}

/// `wmma.load`, `wmma.store`
#[derive(Debug)]
struct MoveFragment {
    load: bool,
    /// How many consecutive elements lie together, and how often: a row or a column.
    line: u32,
    lines: u32,
    /// Whether a line is a row.
    rows: bool,
    bytes: u32,
    align: u64,
    space: Space,
    addr: Addr,
    stride: Option<Src>,
    spread: Spread,
    sources: Vec<Src>,
    dests: Vec<Dst>,
}

fn fragment(
    d: &mut Decoder<'_>,
    words: &[&str],
    regs: &Operand,
    addr: &Operand,
    stride: &[Operand],
    load: bool,
) -> Result<Box<dyn Action>, Refusal> {
    let role = match words.get(2) {
        Some(&"a") => Role::A,
        Some(&"b") => Role::B,
        _ => Role::C,
    };
    let shape = words.iter().find_map(|w| Shape::parse(w));
    let shape = shape.ok_or("the shape is missing")?;
    let ty = words.last().copied().unwrap_or_default();
    let bits = match ty {
        "s8" | "u8" => 8,
        "f16" | "bf16" => 16,
        "tf32" | "f32" | "s32" => 32,
        "f64" => 64,
        _ => return Err(format!("elements of type .{ty}")),
    };
    let fragment = shape.wmma(role, bits, ty == "f16");
    let rows = words.contains(&"row");
    let (line, lines) = match rows {
        true => (fragment.cols, fragment.rows),
        false => (fragment.rows, fragment.cols),
    };
    let (addr, space) = d.address_in(addr, words)?;
    let registers = d.elements(regs).len();
    Ok(Box::new(MoveFragment {
        load,
        line,
        lines,
        rows,
        bytes: bits / 8,
        align: u64::from(fragment.registers() * fragment.register_bits() / 8),
        space,
        addr,
        stride: stride.first().map(|s| d.source(s, 32)).transpose()?,
        spread: Spread::new(&fragment, registers)?,
        sources: if load {
            Vec::new()
        } else {
            sources(d, regs, fragment.register_bits())?
        },
        dests: if load {
            destinations(d, regs)?
        } else {
            Vec::new()
        },
    }))
}

impl Action for MoveFragment {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let address = m.address(t, self.addr)?;
        let stride = self.stride.map(|s| m.get(t, s)).transpose()?;
        let key = m.site_key(t)?;
        let words = vec![address, stride.unwrap_or(self.line.into())];
        m.gather(t, key, t.warp() * 32, u32::MAX.into(), words)
    }

    fn finish(&self, m: &mut Machine<'_>, t: ThreadId, g: &Gather) -> Result<(), FaultKind> {
        let Some(first) = leader(t, g)? else {
            return Ok(());
        };
        let [address, stride] = g.lanes[0].words[..] else {
            return Ok(());
        };
        if g.lanes.iter().any(|l| l.words != g.lanes[0].words) {
            return Err(FaultKind::Divergent(
                "the lanes name different addresses or strides of one matrix".to_owned(),
            ));
        }
        if stride < self.line.into() {
            return Err(FaultKind::Undefined(format!(
                "a stride of {stride} elements, but {} lie together",
                self.line
            )));
        }
        let warp = frame(m, first)?;
        let mut matrix = vec![0; self.spread.size];
        self.spread.read(m, warp, &self.sources, &mut matrix)?;
        let bytes = self.bytes as usize;
        let mut line = vec![0; self.line as usize * bytes];
        for i in 0..self.lines {
            let at = address.wrapping_add(u64::from(i) * stride * u64::from(self.bytes));
            let index = |j: usize| match self.rows {
                true => i as usize * self.line as usize + j,
                false => j * self.lines as usize + i as usize,
            };
            if self.load {
                m.load(first, self.space, at, self.align, &mut line)?;
                for (j, element) in line.chunks_exact(bytes).enumerate() {
                    let mut word = [0; 8];
                    word[..bytes].copy_from_slice(element);
                    matrix[index(j)] = u64::from_le_bytes(word);
                }
            } else {
                for (j, element) in line.chunks_exact_mut(bytes).enumerate() {
                    element.copy_from_slice(&matrix[index(j)].to_le_bytes()[..bytes]);
                }
                m.store(first, self.space, at, self.align, &line)?;
            }
        }
        self.spread.write(m, warp, &self.dests, &matrix)
    }
}
