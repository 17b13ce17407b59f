//! Types of elements, and the values that they hold.

use std::fmt;

use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use serde::Deserialize;

/// A type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // the PTX names say it
pub enum DType {
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    B8,
    B16,
    B32,
    B64,
    F16,
    Bf16,
    E4m3,
    E5m2,
    F32,
    F64,
}

/// All of them, for messages and for conversions by name.
pub const ALL: [DType; 18] = [
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::S8,
    DType::S16,
    DType::S32,
    DType::S64,
    DType::B8,
    DType::B16,
    DType::B32,
    DType::B64,
    DType::F16,
    DType::Bf16,
    DType::E4m3,
    DType::E5m2,
    DType::F32,
    DType::F64,
];

/// A value: an integer, exactly, or a real number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// An integer.
    Int(i128),
    /// A double: every element of a float type is one.
    Real(f64),
}

impl Value {
    /// As a real number; large integers are rounded.
    pub fn real(self) -> f64 {
        match self {
            Value::Int(n) => n as f64,
            Value::Real(x) => x,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(n) => write!(f, "{n}"),
            Value::Real(x) => write!(f, "{x:?}"),
        }
    }
}

impl DType {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            DType::U8 => "u8",
            DType::U16 => "u16",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::S8 => "s8",
            DType::S16 => "s16",
            DType::S32 => "s32",
            DType::S64 => "s64",
            DType::B8 => "b8",
            DType::B16 => "b16",
            DType::B32 => "b32",
            DType::B64 => "b64",
            DType::F16 => "f16",
            DType::Bf16 => "bf16",
            DType::E4m3 => "e4m3",
            DType::E5m2 => "e5m2",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// The type of a name; `f16x2` and the like are no types of elements.
    pub fn of_name(name: &str) -> Option<DType> {
        ALL.into_iter().find(|d| d.name() == name)
    }

    /// Its size in bytes.
    pub fn bytes(self) -> usize {
        match self {
            DType::U8 | DType::S8 | DType::B8 | DType::E4m3 | DType::E5m2 => 1,
            DType::U16 | DType::S16 | DType::B16 | DType::F16 | DType::Bf16 => 2,
            DType::U32 | DType::S32 | DType::B32 | DType::F32 => 4,
            DType::U64 | DType::S64 | DType::B64 | DType::F64 => 8,
        }
    }

    /// Whether its elements are real numbers.
    pub fn is_float(self) -> bool {
        matches!(
            self,
            DType::F16 | DType::Bf16 | DType::E4m3 | DType::E5m2 | DType::F32 | DType::F64
        )
    }

    fn is_signed(self) -> bool {
        matches!(self, DType::S8 | DType::S16 | DType::S32 | DType::S64)
    }

    /// The least and the greatest integer that it holds.
    pub fn range(self) -> (i128, i128) {
        let bits = 8 * self.bytes() as u32;
        match self.is_signed() {
            true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            false => (0, (1 << bits) - 1),
        }
    }

    /// The value of some bits.
    pub fn decode(self, bits: u64) -> Value {
        let width = 8 * self.bytes() as u32;
        match self {
            DType::F64 => Value::Real(f64::from_bits(bits)),
            DType::F32 => Value::Real(f64::from(f32::from_bits(bits as u32))),
            DType::F16 => Value::Real(widen::<Half>(bits)),
            DType::Bf16 => Value::Real(widen::<BFloat>(bits)),
            DType::E4m3 => Value::Real(widen::<Float8E4M3FN>(bits)),
            DType::E5m2 => Value::Real(widen::<Float8E5M2>(bits)),
            _ if self.is_signed() => {
                Value::Int(i128::from(((bits << (64 - width)) as i64) >> (64 - width)))
            }
            _ => Value::Int(i128::from(bits)),
        }
    }

    /// The bits of a value: rounded to the nearest, ties to even, in a float type; in an integer type a real number is
    /// cut towards zero and an integer is taken modulo its width.
    pub fn encode(self, value: Value) -> u64 {
        let width = 8 * self.bytes() as u32;
        let mask = u64::MAX >> (64 - width);
        match (self, value) {
            (DType::F64, v) => v.real().to_bits(),
            (DType::F32, v) => u64::from(narrow_f32(v)),
            (DType::F16, v) => narrow::<Half>(v),
            (DType::Bf16, v) => narrow::<BFloat>(v),
            (DType::E4m3, v) => narrow::<Float8E4M3FN>(v),
            (DType::E5m2, v) => narrow::<Float8E5M2>(v),
            (_, Value::Int(n)) => n as u64 & mask,
            (_, Value::Real(x)) => x as i128 as u64 & mask,
        }
    }

    /// Reads the element at an index of some bytes.
    pub fn bits_at(self, bytes: &[u8], index: usize) -> u64 {
        let size = self.bytes();
        let mut word = [0; 8];
        if let Some(part) = bytes.get(index * size..(index + 1) * size) {
            word[..size].copy_from_slice(part);
        }
        u64::from_le_bytes(word)
    }

    /// How many values of a float type lie between two; of integers, their difference.
    pub fn steps_between(self, a: u64, b: u64) -> u128 {
        if !self.is_float() {
            let (Value::Int(a), Value::Int(b)) = (self.decode(a), self.decode(b)) else {
                return 0;
            };
            return a.abs_diff(b);
        }
        let sign = 1u64 << (8 * self.bytes() - 1);
        let place = |bits: u64| match bits & sign {
            0 => i128::from(bits),
            _ => -i128::from(bits & (sign - 1)),
        };
        place(a).abs_diff(place(b))
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn widen<F: Float + FloatConvert<Double>>(bits: u64) -> f64 {
    let mut lost = false;
    let x = F::from_bits(u128::from(bits));
    let wide: Double = x.convert(&mut lost).value;
    f64::from_bits(wide.to_bits() as u64)
}

fn narrow<F: Float>(value: Value) -> u64
where
    Double: FloatConvert<F>,
{
    match value {
        Value::Int(n) => F::from_i128_r(n, Round::NearestTiesToEven).value.to_bits() as u64,
        Value::Real(x) => {
            let mut lost = false;
            let x = Double::from_bits(u128::from(x.to_bits()));
            let y: F = x.convert_r(Round::NearestTiesToEven, &mut lost).value;
            y.to_bits() as u64
        }
    }
}

fn narrow_f32(value: Value) -> u32 {
    match value {
        Value::Int(n) => Single::from_i128_r(n, Round::NearestTiesToEven)
            .value
            .to_bits() as u32,
        Value::Real(x) => (x as f32).to_bits(),
    }
}
