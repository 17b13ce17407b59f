//! Micro-operations: what the meanings of instructions are recorded as. Every slot holds a word, zero-extended to 64 bits;
//! a word of more than 64 bits has two slots, the low half first.

use super::{Slot, mask};
use crate::alg::FloatOp;
use crate::alg::WordAlg;
use crate::alg::bits::{Bits, BitsAlg, Floats};
use crate::alg::dot::DotKind;

/// A micro-operation: `d` is the slot of the result, `a`, `b`, `c` those of the operands, `w` the width of the operands in
/// bits (at most 64).
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the methods of `WordAlg` say what they are
pub enum Op {
    Mov {
        d: Slot,
        a: Slot,
    },
    Add {
        w: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Sub {
        w: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Mul {
        w: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Udiv {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Urem {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Neg {
        w: u8,
        d: Slot,
        a: Slot,
    },
    And {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Or {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Xor {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Not {
        w: u8,
        d: Slot,
        a: Slot,
    },
    Shl {
        w: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Lshr {
        w: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Ashr {
        w: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Eq {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Ult {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Ule {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Slt {
        w: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Sle {
        w: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    BoolNot {
        d: Slot,
        a: Slot,
    },
    Ite {
        d: Slot,
        c: Slot,
        a: Slot,
        b: Slot,
    },
    /// Sign extension from `w` to `to` bits.
    Sext {
        w: u8,
        to: u8,
        d: Slot,
        a: Slot,
    },
    /// `len` bits from bit `lo` on.
    Extract {
        lo: u8,
        len: u8,
        d: Slot,
        a: Slot,
    },
    /// `a` above the `w` bits of `b`.
    Concat {
        w: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// A float operation on up to three words; the first stands for those that there are not.
    Float {
        op: FloatOp,
        d: Slot,
        a: [Slot; 3],
    },
    /// Something with a word of more than 64 bits.
    Wide(Box<Wide>),
}

/// A slot, or two, and the width of the word in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sized {
    /// The first slot.
    pub slot: Slot,
    /// The width.
    pub width: u32,
}

/// A micro-operation in which a word has more than 64 bits: it is left to the algebra of concrete words.
#[derive(Clone, Debug, PartialEq)]
pub struct Wide {
    /// Which.
    pub op: WideOp,
    /// The result.
    pub d: Sized,
    /// The operands.
    pub args: Vec<Sized>,
}

/// Which method of `WordAlg` a wide micro-operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the methods of `WordAlg` say what they are
pub enum WideOp {
    Mov,
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Neg,
    And,
    Or,
    Xor,
    Not,
    Shl,
    Lshr,
    Ashr,
    Eq,
    Ult,
    Ule,
    Slt,
    Sle,
    Ite,
    Zext,
    Sext,
    Extract(u32),
    Concat,
    Float(FloatOp),
    /// The pairs one after the other, then the accumulator.
    Dot(DotKind),
}

impl Op {
    /// The result's first slot, and the operands' slots.
    pub fn slots(&self) -> (Slot, Vec<Slot>) {
        match self {
            Op::Mov { d, a }
            | Op::Neg { d, a, .. }
            | Op::Not { d, a, .. }
            | Op::BoolNot { d, a }
            | Op::Sext { d, a, .. }
            | Op::Extract { d, a, .. } => (*d, vec![*a]),
            Op::Add { d, a, b, .. }
            | Op::Sub { d, a, b, .. }
            | Op::Mul { d, a, b, .. }
            | Op::Udiv { d, a, b }
            | Op::Urem { d, a, b }
            | Op::And { d, a, b }
            | Op::Or { d, a, b }
            | Op::Xor { d, a, b }
            | Op::Shl { d, a, b, .. }
            | Op::Lshr { d, a, b, .. }
            | Op::Ashr { d, a, b, .. }
            | Op::Eq { d, a, b }
            | Op::Ult { d, a, b }
            | Op::Ule { d, a, b }
            | Op::Slt { d, a, b, .. }
            | Op::Sle { d, a, b, .. }
            | Op::Concat { d, a, b, .. } => (*d, vec![*a, *b]),
            Op::Ite { d, c, a, b } => (*d, vec![*c, *a, *b]),
            Op::Float { d, a, .. } => (*d, a.to_vec()),
            Op::Wide(wide) => (wide.d.slot, wide.args.iter().map(|a| a.slot).collect()),
        }
    }

    /// Lets the result go to another slot.
    pub fn set_result(&mut self, to: Slot) {
        match self {
            Op::Mov { d, .. }
            | Op::Neg { d, .. }
            | Op::Not { d, .. }
            | Op::BoolNot { d, .. }
            | Op::Sext { d, .. }
            | Op::Extract { d, .. }
            | Op::Add { d, .. }
            | Op::Sub { d, .. }
            | Op::Mul { d, .. }
            | Op::Udiv { d, .. }
            | Op::Urem { d, .. }
            | Op::And { d, .. }
            | Op::Or { d, .. }
            | Op::Xor { d, .. }
            | Op::Shl { d, .. }
            | Op::Lshr { d, .. }
            | Op::Ashr { d, .. }
            | Op::Eq { d, .. }
            | Op::Ult { d, .. }
            | Op::Ule { d, .. }
            | Op::Slt { d, .. }
            | Op::Sle { d, .. }
            | Op::Concat { d, .. }
            | Op::Ite { d, .. }
            | Op::Float { d, .. } => *d = to,
            Op::Wide(wide) => wide.d.slot = to,
        }
    }

    /// Runs it on the slots of a frame.
    #[inline(always)]
    pub fn run<F: Floats>(&self, s: &mut [u64], floats: &mut BitsAlg<F>) {
        macro_rules! get {
            ($x:expr) => {
                s[*$x as usize]
            };
        }
        let (d, value) = match self {
            Op::Mov { d, a } => (d, get!(a)),
            Op::Add { w, d, a, b } => (d, get!(a).wrapping_add(get!(b)) & mask(*w)),
            Op::Sub { w, d, a, b } => (d, get!(a).wrapping_sub(get!(b)) & mask(*w)),
            Op::Mul { w, d, a, b } => (d, get!(a).wrapping_mul(get!(b)) & mask(*w)),
            Op::Udiv { d, a, b } => (d, get!(a).checked_div(get!(b)).unwrap_or(0)),
            Op::Urem { d, a, b } => (d, get!(a).checked_rem(get!(b)).unwrap_or(get!(a))),
            Op::Neg { w, d, a } => (d, get!(a).wrapping_neg() & mask(*w)),
            Op::And { d, a, b } => (d, get!(a) & get!(b)),
            Op::Or { d, a, b } => (d, get!(a) | get!(b)),
            Op::Xor { d, a, b } => (d, get!(a) ^ get!(b)),
            Op::Not { w, d, a } => (d, !get!(a) & mask(*w)),
            Op::Shl { w, d, a, b } => (d, shift(*w, get!(b), |by| get!(a) << by) & mask(*w)),
            Op::Lshr { w, d, a, b } => (d, shift(*w, get!(b), |by| get!(a) >> by)),
            Op::Ashr { w, d, a, b } => {
                let by = get!(b).min(63) as u32;
                (d, (signed(*w, get!(a)) >> by) as u64 & mask(*w))
            }
            Op::Eq { d, a, b } => (d, u64::from(get!(a) == get!(b))),
            Op::Ult { d, a, b } => (d, u64::from(get!(a) < get!(b))),
            Op::Ule { d, a, b } => (d, u64::from(get!(a) <= get!(b))),
            Op::Slt { w, d, a, b } => (d, u64::from(signed(*w, get!(a)) < signed(*w, get!(b)))),
            Op::Sle { w, d, a, b } => (d, u64::from(signed(*w, get!(a)) <= signed(*w, get!(b)))),
            Op::BoolNot { d, a } => (d, get!(a) ^ 1),
            Op::Ite { d, c, a, b } => (d, if get!(c) != 0 { get!(a) } else { get!(b) }),
            Op::Sext { w, to, d, a } => (d, signed(*w, get!(a)) as u64 & mask(*to)),
            Op::Extract { lo, len, d, a } => (
                d,
                shift(64, u64::from(*lo), |by| get!(a) >> by) & mask(*len),
            ),
            Op::Concat { w, d, a, b } => {
                (d, shift(64, u64::from(*w), |by| get!(a) << by) | get!(b))
            }
            Op::Float { op, d, a } => {
                let args = [get!(&a[0]), get!(&a[1]), get!(&a[2])];
                (d, floats.0.float(*op, args))
            }
            Op::Wide(wide) => return wide.run(s, floats),
        };
        s[*d as usize] = value;
    }
}

/// A shift by less than `w`; 0 for more.
#[inline(always)]
fn shift(w: u8, by: u64, f: impl FnOnce(u32) -> u64) -> u64 {
    if by >= u64::from(w) { 0 } else { f(by as u32) }
}

/// The signed value of a word.
#[inline(always)]
fn signed(w: u8, a: u64) -> i64 {
    match w {
        0 => 0,
        w => {
            let by = 64 - u32::from(w.min(64));
            ((a << by) as i64) >> by
        }
    }
}

impl Wide {
    fn run<F: Floats>(&self, s: &mut [u64], w: &mut BitsAlg<F>) {
        let arg = |i: usize| self.args.get(i).map_or(Bits::new(0, 0), |a| read(s, *a));
        let (a, b) = (arg(0), arg(1));
        let flag = |x: bool| Bits::new(1, u128::from(x));
        let value = match self.op {
            WideOp::Mov => a,
            WideOp::Add => w.add(&a, &b),
            WideOp::Sub => w.sub(&a, &b),
            WideOp::Mul => w.mul(&a, &b),
            WideOp::Udiv => w.udiv(&a, &b),
            WideOp::Urem => w.urem(&a, &b),
            WideOp::Neg => w.neg(&a),
            WideOp::And => w.and(&a, &b),
            WideOp::Or => w.or(&a, &b),
            WideOp::Xor => w.xor(&a, &b),
            WideOp::Not => w.not(&a),
            WideOp::Shl => w.shl(&a, &b),
            WideOp::Lshr => w.lshr(&a, &b),
            WideOp::Ashr => w.ashr(&a, &b),
            WideOp::Eq => flag(w.eq(&a, &b)),
            WideOp::Ult => flag(w.ult(&a, &b)),
            WideOp::Ule => flag(w.ule(&a, &b)),
            WideOp::Slt => flag(w.slt(&a, &b)),
            WideOp::Sle => flag(w.sle(&a, &b)),
            WideOp::Ite => w.ite(&(a.value() != 0), &b, &arg(2)),
            WideOp::Zext => w.zext(&a, self.d.width),
            WideOp::Sext => w.sext(&a, self.d.width),
            WideOp::Extract(lo) => w.extract(&a, lo, self.d.width),
            WideOp::Concat => w.concat(&a, &b),
            WideOp::Float(op) => {
                let args: Vec<Bits> = (0..self.args.len()).map(arg).collect();
                w.float(op, &args.iter().collect::<Vec<_>>())
            }
            WideOp::Dot(kind) => {
                let pairs = self.args.len() / 2;
                let pairs: Vec<_> = (0..pairs).map(|i| (arg(2 * i), arg(2 * i + 1))).collect();
                w.dot(kind, &pairs, &arg(2 * pairs.len()))
            }
        };
        write(s, self.d, value.value());
    }
}

/// The word in a slot, or two.
pub fn read(s: &[u64], from: Sized) -> Bits {
    let low = u128::from(s[from.slot as usize]);
    let high = match from.width > 64 {
        true => u128::from(s[from.slot as usize + 1]) << 64,
        false => 0,
    };
    Bits::new(from.width, high | low)
}

/// Puts a word into a slot, or two.
pub fn write(s: &mut [u64], to: Sized, value: u128) {
    s[to.slot as usize] = value as u64;
    if to.width > 64 {
        s[to.slot as usize + 1] = (value >> 64) as u64;
    }
}
