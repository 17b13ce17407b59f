//! Concrete words of up to 128 bits: the algebra that runs.

use super::dot::DotKind;
use super::{FloatOp, WordAlg};

pub use super::ieee::Ieee;

/// A concrete word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Bits {
    width: u32,
    value: u128,
}

impl Bits {
    /// The word of this width (at most 128; more counts as 128) that `value` is modulo 2^width.
    pub fn new(width: u32, value: u128) -> Self {
        let width = width.min(128);
        Bits {
            width,
            value: value & mask(width),
        }
    }

    /// The number of bits.
    pub fn width(self) -> u32 {
        self.width
    }

    /// The unsigned value.
    pub fn value(self) -> u128 {
        self.value
    }

    /// The signed value.
    pub fn signed(self) -> i128 {
        match self.width {
            0 => 0,
            w => (self.value << (128 - w)) as i128 >> (128 - w),
        }
    }
}

fn mask(width: u32) -> u128 {
    match width {
        0 => 0,
        w => u128::MAX >> (128 - w),
    }
}

/// A choice of the float operations.
pub trait Floats {
    /// The result of `op` on the bits of its operands; those that it does not have are ignored.
    fn float(&mut self, op: FloatOp, args: [u64; 3]) -> u64;
    /// A dot product added to an accumulator.
    fn dot(&mut self, kind: DotKind, pairs: &[(u64, u64)], acc: u64) -> u64;
}

impl<F: Floats> Floats for &mut F {
    fn float(&mut self, op: FloatOp, args: [u64; 3]) -> u64 {
        (**self).float(op, args)
    }
    fn dot(&mut self, kind: DotKind, pairs: &[(u64, u64)], acc: u64) -> u64 {
        (**self).dot(kind, pairs, acc)
    }
}

/// The algebra of concrete words, over a choice of the float operations.
#[derive(Clone, Copy, Debug, Default)]
pub struct BitsAlg<F>(pub F);

/// Both operands as unsigned numbers, the result modulo 2^width of the first.
fn unsigned(a: &Bits, b: &Bits, f: impl FnOnce(u128, u128) -> u128) -> Bits {
    Bits::new(a.width, f(a.value, b.value))
}

impl<F: Floats> WordAlg for BitsAlg<F> {
    type Word = Bits;
    type Bool = bool;

    fn width(&self, a: &Bits) -> u32 {
        a.width
    }
    fn lit(&mut self, width: u32, value: u128) -> Bits {
        Bits::new(width, value)
    }
    fn add(&mut self, a: &Bits, b: &Bits) -> Bits {
        unsigned(a, b, u128::wrapping_add)
    }
    fn sub(&mut self, a: &Bits, b: &Bits) -> Bits {
        unsigned(a, b, u128::wrapping_sub)
    }
    fn mul(&mut self, a: &Bits, b: &Bits) -> Bits {
        unsigned(a, b, u128::wrapping_mul)
    }
    fn udiv(&mut self, a: &Bits, b: &Bits) -> Bits {
        unsigned(a, b, |a, b| a.checked_div(b).unwrap_or(0))
    }
    fn urem(&mut self, a: &Bits, b: &Bits) -> Bits {
        unsigned(a, b, |a, b| a.checked_rem(b).unwrap_or(a))
    }
    fn neg(&mut self, a: &Bits) -> Bits {
        Bits::new(a.width, a.value.wrapping_neg())
    }
    fn and(&mut self, a: &Bits, b: &Bits) -> Bits {
        unsigned(a, b, |a, b| a & b)
    }
    fn or(&mut self, a: &Bits, b: &Bits) -> Bits {
        unsigned(a, b, |a, b| a | b)
    }
    fn xor(&mut self, a: &Bits, b: &Bits) -> Bits {
        unsigned(a, b, |a, b| a ^ b)
    }
    fn not(&mut self, a: &Bits) -> Bits {
        Bits::new(a.width, !a.value)
    }
    fn shl(&mut self, a: &Bits, by: &Bits) -> Bits {
        let by = if by.value >= u128::from(a.width) {
            return Bits::new(a.width, 0);
        } else {
            by.value as u32
        };
        Bits::new(a.width, a.value << by)
    }
    fn lshr(&mut self, a: &Bits, by: &Bits) -> Bits {
        let by = if by.value >= u128::from(a.width) {
            return Bits::new(a.width, 0);
        } else {
            by.value as u32
        };
        Bits::new(a.width, a.value >> by)
    }
    fn ashr(&mut self, a: &Bits, by: &Bits) -> Bits {
        let by = by.value.min(u128::from(a.width)).min(127) as u32;
        Bits::new(a.width, (a.signed() >> by) as u128)
    }
    fn eq(&mut self, a: &Bits, b: &Bits) -> bool {
        a.value == b.value
    }
    fn ult(&mut self, a: &Bits, b: &Bits) -> bool {
        a.value < b.value
    }
    fn ule(&mut self, a: &Bits, b: &Bits) -> bool {
        a.value <= b.value
    }
    fn slt(&mut self, a: &Bits, b: &Bits) -> bool {
        a.signed() < b.signed()
    }
    fn sle(&mut self, a: &Bits, b: &Bits) -> bool {
        a.signed() <= b.signed()
    }
    fn bool_not(&mut self, a: &bool) -> bool {
        !a
    }
    fn ite(&mut self, c: &bool, a: &Bits, b: &Bits) -> Bits {
        if *c { *a } else { *b }
    }
    fn of_bool(&mut self, a: &bool) -> Bits {
        Bits::new(1, u128::from(*a))
    }
    fn to_bool(&mut self, a: &Bits) -> bool {
        a.value == 1
    }
    fn zext(&mut self, a: &Bits, width: u32) -> Bits {
        Bits::new(width, a.value)
    }
    fn sext(&mut self, a: &Bits, width: u32) -> Bits {
        Bits::new(width, a.signed() as u128)
    }
    fn trunc(&mut self, a: &Bits, width: u32) -> Bits {
        Bits::new(width, a.value)
    }
    fn extract(&mut self, a: &Bits, lo: u32, len: u32) -> Bits {
        Bits::new(len, a.value.checked_shr(lo).unwrap_or(0))
    }
    fn concat(&mut self, hi: &Bits, lo: &Bits) -> Bits {
        Bits::new(
            hi.width + lo.width,
            hi.value.checked_shl(lo.width).unwrap_or(0) | lo.value,
        )
    }
    fn float(&mut self, op: FloatOp, args: &[&Bits]) -> Bits {
        let arg = |i: usize| args.get(i).map_or(0, |a| a.value as u64);
        let value = self.0.float(op, [arg(0), arg(1), arg(2)]);
        Bits::new(op.result(), u128::from(value))
    }
    fn dot(&mut self, kind: DotKind, pairs: &[(Bits, Bits)], acc: &Bits) -> Bits {
        let pairs: Vec<(u64, u64)> = pairs
            .iter()
            .map(|(a, b)| (a.value as u64, b.value as u64))
            .collect();
        let value = self.0.dot(kind, &pairs, acc.value as u64);
        Bits::new(kind.acc.width(), u128::from(value))
    }
}
