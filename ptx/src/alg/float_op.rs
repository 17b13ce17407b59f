//! Float operations, and the few others of whose result the manual says nothing: the fields of `FloatOps` in the logic.
//!
//! An operation is described by what the opcode says: what it computes, in which format, how it rounds, whether it
//! flushes subnormal numbers, to what it clamps. Its name is the opcode with underscores, `add_rn_ftz_f32`,
//! `cvt_rzi_s32_f32`: so the list of them is made from tables, not written by hand. What can be said with bits alone
//! (negation, absolute value, the sign of a copy, the class of a number) is no operation but is written with the bits.

use std::fmt::Write as _;
use std::sync::LazyLock;

use self::Clamp::{Relu, ReluSatFinite, Sat, SatFinite, Unclamped};
use self::Format::{Bf16, E4m3, E5m2, F16, F32, F64, Tf32};
use self::Round::{Away, Down, Nearest, Up, Zero};
use super::float_list::list;

/// A floating-point format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Format {
    /// IEEE 754 binary16.
    F16,
    /// The upper half of binary32: 8 bits of exponent, 7 of fraction.
    Bf16,
    /// The upper 19 bits of binary32, in a word of 32 bits.
    Tf32,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// 4 bits of exponent, 3 of fraction; no infinity, and one NaN of each sign.
    E4m3,
    /// 5 bits of exponent, 2 of fraction.
    E5m2,
}

impl Format {
    /// The width of its words.
    pub const fn width(self) -> u32 {
        match self {
            E4m3 | E5m2 => 8,
            F16 | Bf16 => 16,
            Tf32 | F32 => 32,
            F64 => 64,
        }
    }

    /// The bits of the fraction.
    pub const fn fraction(self) -> u32 {
        match self {
            E5m2 => 2,
            E4m3 => 3,
            Bf16 => 7,
            F16 | Tf32 => 10,
            F32 => 23,
            F64 => 52,
        }
    }

    /// The name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            F16 => "f16",
            Bf16 => "bf16",
            Tf32 => "tf32",
            F32 => "f32",
            F64 => "f64",
            E4m3 => "e4m3",
            E5m2 => "e5m2",
        }
    }

    /// The format with this name: `"f16"`, also that of the halves of `"f16x2"`.
    pub fn from_name(name: &str) -> Option<Format> {
        let name = name.strip_suffix("x2").unwrap_or(name);
        [F16, Bf16, Tf32, F32, F64, E4m3, E5m2]
            .into_iter()
            .find(|f| f.name() == name)
    }
}

/// How a result is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Round {
    /// `.rn`, `.rni`: to nearest, ties to even.
    Nearest,
    /// `.rz`, `.rzi`: towards zero.
    Zero,
    /// `.rm`, `.rmi`: towards negative infinity.
    Down,
    /// `.rp`, `.rpi`: towards positive infinity.
    Up,
    /// `.rna`: to nearest, ties away from zero.
    Away,
}

impl Round {
    /// The modifier, `"rn"`; followed by an `i` where the result is an integer.
    pub const fn name(self) -> &'static str {
        match self {
            Nearest => "rn",
            Zero => "rz",
            Down => "rm",
            Up => "rp",
            Away => "rna",
        }
    }

    /// The rounding with this name, with or without the `i`.
    pub fn from_name(name: &str) -> Option<Round> {
        let name = name.strip_suffix('i').unwrap_or(name);
        [Nearest, Zero, Down, Up, Away]
            .into_iter()
            .find(|r| r.name() == name)
    }
}

/// The integer types.
pub(super) const INTS: [Int; 8] = [
    Int::u(8),
    Int::u(16),
    Int::u(32),
    Int::u(64),
    Int::s(8),
    Int::s(16),
    Int::s(32),
    Int::s(64),
];

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub struct Int {
    /// Whether it is signed.
    pub signed: bool,
    /// The width of its words.
    pub width: u32,
}

impl Int {
    /// Signed, of this width.
    pub const fn s(width: u32) -> Int {
        let signed = true;
        Int { signed, width }
    }

    /// Unsigned, of this width.
    pub const fn u(width: u32) -> Int {
        let signed = false;
        Int { signed, width }
    }

    /// The type with this name, `"s32"`.
    pub fn from_name(name: &str) -> Option<Int> {
        INTS.into_iter().find(|i| i.to_string() == name)
    }
}

impl std::fmt::Display for Int {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.signed { 's' } else { 'u' }, self.width)
    }
}

/// What happens to a result after rounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Clamp {
    /// Nothing.
    Unclamped,
    /// `.sat`: clamped to [0, 1]; a NaN becomes +0.
    Sat,
    /// `.relu`: 0 if negative; a NaN becomes the canonical one.
    Relu,
    /// `.satfinite`: the largest finite number of its sign instead of what is larger.
    SatFinite,
    /// `.relu.satfinite`.
    ReluSatFinite,
}

impl Clamp {
    /// The clamp of modifiers that are there or not; `.sat` excludes the others.
    pub fn new(sat: bool, relu: bool, satfinite: bool) -> Clamp {
        match (sat, relu, satfinite) {
            (true, ..) => Sat,
            (_, false, false) => Unclamped,
            (_, true, false) => Relu,
            (_, false, true) => SatFinite,
            (_, true, true) => ReluSatFinite,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Unclamped => "",
            Sat => "_sat",
            Relu => "_relu",
            SatFinite => "_satfinite",
            ReluSatFinite => "_relu_satfinite",
        }
    }
}

/// Operations that IEEE 754 defines, with one rounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Arith {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a * b + c`
    Fma,
    /// `a / b`
    Div,
    /// `1 / a`
    Rcp,
    /// The square root.
    Sqrt,
}

/// Operations of which the manual bounds the error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Approx {
    /// `div.approx`
    Div,
    /// `div.full`
    DivFull,
    /// `rcp.approx`
    Rcp,
    /// `sqrt.approx`
    Sqrt,
    /// `rsqrt.approx`
    Rsqrt,
    /// `ex2.approx`
    Ex2,
    /// `lg2.approx`
    Lg2,
    /// `sin.approx`
    Sin,
    /// `cos.approx`
    Cos,
    /// `tanh.approx`
    Tanh,
}

/// Comparisons, from which all others are made. All are false of a NaN but [`Cmp::Unordered`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Cmp {
    /// `a == b`
    Eq,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// One of them is a NaN.
    Unordered,
}

/// An operation on words of which nothing is assumed but that it is a function of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum FloatOp {
    /// Correctly rounded.
    Rounded {
        /// What.
        op: Arith,
        /// The format of operands and result.
        ty: Format,
        /// The rounding.
        round: Round,
        /// Subnormal operands and results are zeros of their sign.
        ftz: bool,
        /// The clamp.
        clamp: Clamp,
    },
    /// Approximate.
    Approx {
        /// What.
        op: Approx,
        /// The format of operands and result.
        ty: Format,
        /// Subnormal operands and results are zeros of their sign.
        ftz: bool,
    },
    /// `min`, `max`.
    Extreme {
        /// Whether it is the larger one.
        max: bool,
        /// The format of operands and result.
        ty: Format,
        /// Subnormal operands and results are zeros of their sign.
        ftz: bool,
        /// `.NaN`: the result is a NaN if an operand is one.
        nan: bool,
    },
    /// A comparison: the word 1 of width 1 if it holds.
    Compare {
        /// Which.
        cmp: Cmp,
        /// The format of the operands.
        ty: Format,
        /// Subnormal operands are zeros.
        ftz: bool,
    },
    /// `cvt` between formats.
    Convert {
        /// The format of the result.
        to: Format,
        /// The format of the operand.
        from: Format,
        /// The rounding; none where every number is one of the format of the result.
        round: Option<Round>,
        /// Subnormal operands and results of `f32` are zeros of their sign.
        ftz: bool,
        /// The clamp.
        clamp: Clamp,
    },
    /// `cvt` to an integral number of the same format.
    Integral {
        /// The format.
        ty: Format,
        /// The rounding.
        round: Round,
        /// Subnormal operands are zeros.
        ftz: bool,
    },
    /// `cvt` from an integer.
    FromInt {
        /// The format of the result.
        to: Format,
        /// The type of the operand.
        from: Int,
        /// The rounding.
        round: Round,
    },
    /// `cvt` to an integer, clamped to its range.
    ToInt {
        /// The type of the result.
        to: Int,
        /// The format of the operand.
        from: Format,
        /// The rounding.
        round: Round,
        /// Subnormal operands are zeros.
        ftz: bool,
    },
    /// The unspecified result of `div` by zero, a function of the dividend.
    DivZero(Int),
    /// The unspecified result of `rem` by zero, a function of the dividend.
    RemZero(Int),
}

impl FloatOp {
    /// A correctly rounded operation that neither flushes nor clamps.
    pub const fn rounded(op: Arith, ty: Format, round: Round) -> FloatOp {
        FloatOp::Rounded {
            op,
            ty,
            round,
            ftz: false,
            clamp: Unclamped,
        }
    }

    /// All that the opcode table uses, in the order of the fields of `FloatOps`.
    pub fn all() -> &'static [FloatOp] {
        static ALL: LazyLock<Vec<FloatOp>> = LazyLock::new(list);
        &ALL
    }

    /// The structure of the logic that it is a field of, `FloatOps.Rounded`, and what the operations there are. One structure
    /// for all would have more fields than Lean allows.
    pub fn group(self) -> (&'static str, &'static str) {
        match self {
            FloatOp::Rounded { .. } => ("Rounded", "Arithmetic, rounded once (9.7.3, 9.7.4)."),
            FloatOp::Approx { .. } => (
                "Approx",
                "Functions of which the manual bounds the error (9.7.3, 9.7.4).",
            ),
            FloatOp::Extreme { .. } => (
                "Extreme",
                "The smaller and the larger (9.7.3.11, 9.7.3.12, 9.7.4.7, 9.7.4.8).",
            ),
            FloatOp::Compare { .. } => {
                ("Compare", "Comparisons: the word 1 if it holds (9.3.1.2).")
            }
            FloatOp::Integral { .. } => (
                "Integral",
                "To an integral number of the same format (9.7.10.24).",
            ),
            FloatOp::FromInt { .. } => ("FromInt", "From integers (9.7.10.24)."),
            FloatOp::ToInt { .. } => ("ToInt", "To integers (9.7.10.24)."),
            FloatOp::Convert { .. } => ("Convert", "Between formats (9.7.10.24)."),
            FloatOp::DivZero(_) | FloatOp::RemZero(_) => (
                "ByZero",
                "Quotient and remainder of an integer division by zero, of the dividend (9.7.1.9, 9.7.1.10).",
            ),
        }
    }

    /// The name of the field.
    pub fn field(self) -> String {
        let ftz_of = |ftz: bool| if ftz { "_ftz" } else { "" };
        match self {
            FloatOp::Rounded {
                op,
                ty,
                round,
                ftz,
                clamp,
            } => {
                let op = match op {
                    Arith::Add => "add",
                    Arith::Sub => "sub",
                    Arith::Mul => "mul",
                    Arith::Fma => "fma",
                    Arith::Div => "div",
                    Arith::Rcp => "rcp",
                    Arith::Sqrt => "sqrt",
                };
                let (round, ftz, clamp, ty) = (round.name(), ftz_of(ftz), clamp.name(), ty.name());
                format!("{op}_{round}{ftz}{clamp}_{ty}")
            }
            FloatOp::Approx { op, ty, ftz } => {
                let op = match op {
                    Approx::Div => "div_approx",
                    Approx::DivFull => "div_full",
                    Approx::Rcp => "rcp_approx",
                    Approx::Sqrt => "sqrt_approx",
                    Approx::Rsqrt => "rsqrt_approx",
                    Approx::Ex2 => "ex2_approx",
                    Approx::Lg2 => "lg2_approx",
                    Approx::Sin => "sin_approx",
                    Approx::Cos => "cos_approx",
                    Approx::Tanh => "tanh_approx",
                };
                format!("{op}{}_{}", ftz_of(ftz), ty.name())
            }
            FloatOp::Extreme { max, ty, ftz, nan } => {
                let op = if max { "max" } else { "min" };
                let nan = if nan { "_nan" } else { "" };
                format!("{op}{}{nan}_{}", ftz_of(ftz), ty.name())
            }
            FloatOp::Compare { cmp, ty, ftz } => {
                let cmp = match cmp {
                    Cmp::Eq => "eq",
                    Cmp::Lt => "lt",
                    Cmp::Le => "le",
                    Cmp::Unordered => "unordered",
                };
                format!("{cmp}{}_{}", ftz_of(ftz), ty.name())
            }
            FloatOp::Convert {
                to,
                from,
                round,
                ftz,
                clamp,
            } => {
                let mut s = "cvt".to_owned();
                if let Some(r) = round {
                    let _ = write!(s, "_{}", r.name());
                }
                let (ftz, clamp) = (ftz_of(ftz), clamp.name());
                let _ = write!(s, "{ftz}{clamp}_{}_{}", to.name(), from.name());
                s
            }
            FloatOp::Integral { ty, round, ftz } => {
                let (round, ftz, ty) = (round.name(), ftz_of(ftz), ty.name());
                format!("cvt_{round}i{ftz}_{ty}_{ty}")
            }
            FloatOp::FromInt { to, from, round } => {
                format!("cvt_{}_{}_{from}", round.name(), to.name())
            }
            FloatOp::ToInt {
                to,
                from,
                round,
                ftz,
            } => format!("cvt_{}i{}_{to}_{}", round.name(), ftz_of(ftz), from.name()),
            FloatOp::DivZero(ty) => format!("div_zero_{ty}"),
            FloatOp::RemZero(ty) => format!("rem_zero_{ty}"),
        }
    }

    /// The widths of the operands.
    pub fn operands(self) -> Vec<u32> {
        match self {
            FloatOp::Rounded { op, ty, .. } => match op {
                Arith::Add | Arith::Sub | Arith::Mul | Arith::Div => vec![ty.width(); 2],
                Arith::Fma => vec![ty.width(); 3],
                Arith::Rcp | Arith::Sqrt => vec![ty.width()],
            },
            FloatOp::Approx { op, ty, .. } => match op {
                Approx::Div | Approx::DivFull => vec![ty.width(); 2],
                _ => vec![ty.width()],
            },
            FloatOp::Extreme { ty, .. } | FloatOp::Compare { ty, .. } => vec![ty.width(); 2],
            FloatOp::Convert { from, .. } | FloatOp::ToInt { from, .. } => vec![from.width()],
            FloatOp::Integral { ty, .. } => vec![ty.width()],
            FloatOp::FromInt { from, .. } => vec![from.width],
            FloatOp::DivZero(ty) | FloatOp::RemZero(ty) => vec![ty.width],
        }
    }

    /// The width of the result.
    pub fn result(self) -> u32 {
        match self {
            FloatOp::Rounded { ty, .. }
            | FloatOp::Approx { ty, .. }
            | FloatOp::Extreme { ty, .. }
            | FloatOp::Integral { ty, .. } => ty.width(),
            FloatOp::Compare { .. } => 1,
            FloatOp::Convert { to, .. } | FloatOp::FromInt { to, .. } => to.width(),
            FloatOp::ToInt { to, .. } => to.width,
            FloatOp::DivZero(ty) | FloatOp::RemZero(ty) => ty.width,
        }
    }
}
