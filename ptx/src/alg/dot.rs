//! Dot products with an accumulator: what `mma`, `wmma` and `wgmma` compute for one element of the result.
//!
//! The manual leaves the order and the rounding of the sum open, so a whole dot product is one operation of which nothing is
//! assumed, a field of `FloatOps`. The instance that runs: the accumulator and then the products, in the order of k, are
//! added in binary64 (products of all formats but `f64` are exact there; those of `f64` are fused), and the sum is rounded
//! once to the type of the accumulator, to nearest even. Integers wrap, or are clamped at the end.

use std::fmt;

use super::float_op::{Format, Round};
use super::ieee::{round_f64, to_f64};

/// The type of the elements of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Elem {
    /// `f16`
    F16,
    /// `bf16`
    Bf16,
    /// `tf32`, in words of 32 bits of which the low 13 are ignored.
    Tf32,
    /// `e4m3`
    E4m3,
    /// `e5m2`
    E5m2,
    /// `f64`
    F64,
    /// `s8`
    S8,
    /// `u8`
    U8,
}

impl Elem {
    /// The width of its words.
    pub const fn width(self) -> u32 {
        match self {
            Elem::E4m3 | Elem::E5m2 | Elem::S8 | Elem::U8 => 8,
            Elem::F16 | Elem::Bf16 => 16,
            Elem::Tf32 => 32,
            Elem::F64 => 64,
        }
    }

    /// The name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            Elem::F16 => "f16",
            Elem::Bf16 => "bf16",
            Elem::Tf32 => "tf32",
            Elem::E4m3 => "e4m3",
            Elem::E5m2 => "e5m2",
            Elem::F64 => "f64",
            Elem::S8 => "s8",
            Elem::U8 => "u8",
        }
    }

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<Elem> {
        use Elem::{Bf16, E4m3, E5m2, F16, F64, S8, Tf32, U8};
        [F16, Bf16, Tf32, E4m3, E5m2, F64, S8, U8]
            .into_iter()
            .find(|e| e.name() == name)
    }

    /// The value: every one of all these types is a binary64 number.
    pub fn to_f64(self, bits: u64) -> f64 {
        match self {
            Elem::F16 => to_f64(Format::F16, bits),
            Elem::Bf16 => to_f64(Format::Bf16, bits),
            Elem::Tf32 => to_f64(Format::Tf32, bits),
            Elem::E4m3 => to_f64(Format::E4m3, bits),
            Elem::E5m2 => to_f64(Format::E5m2, bits),
            Elem::F64 => f64::from_bits(bits),
            Elem::S8 => f64::from(bits as i8),
            Elem::U8 => f64::from(bits as u8),
        }
    }
}

/// The type of the accumulator and the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Acc {
    /// `f16`
    F16,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `s32`, modulo 2^32.
    S32,
    /// `s32` with `.satfinite`: clamped.
    S32Sat,
}

impl Acc {
    /// The width of its words.
    pub const fn width(self) -> u32 {
        match self {
            Acc::F16 => 16,
            Acc::F32 | Acc::S32 | Acc::S32Sat => 32,
            Acc::F64 => 64,
        }
    }

    /// The name of the type; with `_satfinite` where that is said.
    pub const fn name(self) -> &'static str {
        match self {
            Acc::F16 => "f16",
            Acc::F32 => "f32",
            Acc::F64 => "f64",
            Acc::S32 => "s32",
            Acc::S32Sat => "s32_satfinite",
        }
    }

    /// The value of an accumulator.
    pub fn to_f64(self, bits: u64) -> f64 {
        match self {
            Acc::F16 => to_f64(Format::F16, bits),
            Acc::F32 => to_f64(Format::F32, bits),
            Acc::F64 => f64::from_bits(bits),
            Acc::S32 | Acc::S32Sat => f64::from(bits as i32),
        }
    }

    /// A sum as a word of the result, rounded to nearest even. Sums of integers are exact below 2^53.
    pub fn round(self, sum: f64) -> u64 {
        match self {
            Acc::F16 => round_f64(Format::F16, Round::Nearest, sum),
            Acc::F32 => round_f64(Format::F32, Round::Nearest, sum),
            Acc::F64 => round_f64(Format::F64, Round::Nearest, sum),
            Acc::S32 => u64::from(sum as i64 as u32),
            Acc::S32Sat => u64::from(sum as i32 as u32),
        }
    }
}

/// The types of a dot product.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub struct DotKind {
    /// The first factors.
    pub a: Elem,
    /// The second factors.
    pub b: Elem,
    /// The accumulator and the result.
    pub acc: Acc,
}

impl DotKind {
    /// All that the matrix instructions use, in the order of the fields of `FloatOps`.
    pub const ALL: [DotKind; 21] = {
        use Acc::{F16 as H, F32 as S, F64 as D, S32, S32Sat};
        use Elem::{Bf16, E4m3, E5m2, F16, F64, S8, Tf32, U8};
        const fn kind(acc: Acc, a: Elem, b: Elem) -> DotKind {
            DotKind { a, b, acc }
        }
        [
            kind(H, F16, F16),
            kind(S, F16, F16),
            kind(S, Bf16, Bf16),
            kind(S, Tf32, Tf32),
            kind(D, F64, F64),
            kind(H, E4m3, E4m3),
            kind(H, E4m3, E5m2),
            kind(H, E5m2, E4m3),
            kind(H, E5m2, E5m2),
            kind(S, E4m3, E4m3),
            kind(S, E4m3, E5m2),
            kind(S, E5m2, E4m3),
            kind(S, E5m2, E5m2),
            kind(S32, S8, S8),
            kind(S32, S8, U8),
            kind(S32, U8, S8),
            kind(S32, U8, U8),
            kind(S32Sat, S8, S8),
            kind(S32Sat, S8, U8),
            kind(S32Sat, U8, S8),
            kind(S32Sat, U8, U8),
        ]
    };

    /// The name of the field: `dot_f32_bf16_bf16`.
    pub fn field(self) -> String {
        format!("dot_{self}")
    }

    /// The sum, on words of the types.
    pub fn sum(self, pairs: impl Iterator<Item = (u64, u64)>, acc: u64) -> u64 {
        let start = self.acc.to_f64(acc);
        let sum = pairs.fold(start, |sum, (a, b)| {
            self.a.to_f64(a).mul_add(self.b.to_f64(b), sum)
        });
        self.acc.round(sum)
    }
}

impl fmt::Display for DotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DotKind { a, b, acc } = self;
        write!(f, "{}_{}_{}", acc.name(), a.name(), b.name())
    }
}
