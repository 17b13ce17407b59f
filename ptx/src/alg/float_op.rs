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

const INTS: [Int; 8] = [
    Int::u(8),
    Int::u(16),
    Int::u(32),
    Int::u(64),
    Int::s(8),
    Int::s(16),
    Int::s(32),
    Int::s(64),
];

/// The directed roundings and to nearest even.
const ROUNDS: [Round; 4] = [Nearest, Zero, Down, Up];

/// Formats with their `.ftz` variants, where the manual has those.
const WITH_FTZ: [(Format, bool); 6] = [
    (F16, false),
    (F16, true),
    (Bf16, false),
    (F32, false),
    (F32, true),
    (F64, false),
];

/// The list of fields.
fn list() -> Vec<FloatOp> {
    let mut all = Vec::new();
    arithmetic(&mut all);
    approximate(&mut all);
    for max in [false, true] {
        for (ty, ftz) in WITH_FTZ {
            let nans: &[bool] = if ty == F64 { &[false] } else { &[false, true] };
            all.extend(
                nans.iter()
                    .map(|&nan| FloatOp::Extreme { max, ty, ftz, nan }),
            );
        }
    }
    for cmp in [Cmp::Eq, Cmp::Lt, Cmp::Le, Cmp::Unordered] {
        all.extend(WITH_FTZ.map(|(ty, ftz)| FloatOp::Compare { cmp, ty, ftz }));
    }
    for (ty, ftz) in WITH_FTZ.into_iter().filter(|x| *x != (F16, true)) {
        all.extend(ROUNDS.map(|round| FloatOp::Integral { ty, round, ftz }));
    }
    integers(&mut all);
    formats(&mut all);
    let divided = INTS.into_iter().filter(|i| i.width > 8);
    all.extend(divided.clone().map(FloatOp::DivZero));
    all.extend(divided.map(FloatOp::RemZero));
    all
}

/// `add`, `sub`, `mul`, `fma`, `div`, `rcp`, `sqrt`.
fn arithmetic(all: &mut Vec<FloatOp>) {
    use Arith::{Add, Div, Fma, Mul, Rcp, Sqrt, Sub};
    let mut push = |op, ty, round, ftz, clamp| {
        all.push(FloatOp::Rounded {
            op,
            ty,
            round,
            ftz,
            clamp,
        });
    };
    for op in [Add, Sub, Mul, Fma] {
        for round in ROUNDS {
            for (ftz, clamp) in [
                (false, Unclamped),
                (true, Unclamped),
                (false, Sat),
                (true, Sat),
            ] {
                push(op, F32, round, ftz, clamp);
            }
            push(op, F64, round, false, Unclamped);
        }
        for (ftz, clamp) in [
            (false, Unclamped),
            (true, Unclamped),
            (false, Sat),
            (true, Sat),
        ] {
            push(op, F16, Nearest, ftz, clamp);
        }
        push(op, Bf16, Nearest, false, Unclamped);
    }
    push(Fma, F16, Nearest, false, Relu);
    push(Fma, F16, Nearest, true, Relu);
    push(Fma, Bf16, Nearest, false, Relu);
    for op in [Div, Rcp, Sqrt] {
        for round in ROUNDS {
            push(op, F32, round, false, Unclamped);
            push(op, F32, round, true, Unclamped);
            push(op, F64, round, false, Unclamped);
        }
    }
}

/// The approximate functions.
fn approximate(all: &mut Vec<FloatOp>) {
    use Approx::{Cos, Div, DivFull, Ex2, Lg2, Rcp, Rsqrt, Sin, Sqrt, Tanh};
    let mut push = |op, ty, ftz| all.push(FloatOp::Approx { op, ty, ftz });
    for op in [Div, DivFull, Rcp, Sqrt, Rsqrt, Ex2, Lg2, Sin, Cos] {
        push(op, F32, false);
        push(op, F32, true);
    }
    push(Rcp, F64, true);
    push(Rsqrt, F64, false);
    push(Rsqrt, F64, true);
    push(Tanh, F32, false);
    push(Tanh, F16, false);
    push(Tanh, Bf16, false);
    push(Ex2, F16, false);
    push(Ex2, Bf16, true);
}

/// Conversions between integers and floating-point numbers.
fn integers(all: &mut Vec<FloatOp>) {
    // A narrower integer converts as the wider one of the same value.
    let wide = INTS.into_iter().filter(|i| i.width >= 32);
    for to in [F16, Bf16, F32, F64] {
        for from in wide.clone() {
            all.extend(ROUNDS.map(|round| FloatOp::FromInt { to, from, round }));
        }
    }
    for (from, ftz) in WITH_FTZ.into_iter().filter(|x| *x != (F16, true)) {
        for to in INTS {
            all.extend(ROUNDS.map(|round| FloatOp::ToInt {
                to,
                from,
                round,
                ftz,
            }));
        }
    }
}

/// Conversions between formats.
fn formats(all: &mut Vec<FloatOp>) {
    let mut push = |to, from, round: Option<Round>, ftz, clamp| {
        all.push(FloatOp::Convert {
            to,
            from,
            round,
            ftz,
            clamp,
        });
    };
    // To a format that has every number of the other.
    for (to, from) in [(F32, F16), (F32, Bf16), (F64, F32)] {
        push(to, from, None, false, Unclamped);
        push(to, from, None, true, Unclamped);
    }
    push(F64, F16, None, false, Unclamped);
    push(F64, Bf16, None, false, Unclamped);
    // Within `f32`: what the modifiers do alone.
    for (ftz, clamp) in [(true, Unclamped), (false, Sat), (true, Sat)] {
        push(F32, F32, None, ftz, clamp);
    }
    for round in ROUNDS {
        for (to, from) in [(F16, F32), (F32, F64)] {
            for (ftz, clamp) in [
                (false, Unclamped),
                (true, Unclamped),
                (false, Sat),
                (true, Sat),
            ] {
                push(to, from, Some(round), ftz, clamp);
            }
        }
        for (to, from) in [
            (Bf16, F32),
            (F16, F64),
            (Bf16, F64),
            (F16, Bf16),
            (Bf16, F16),
        ] {
            push(to, from, Some(round), false, Unclamped);
        }
    }
    for to in [F16, Bf16] {
        for round in [Nearest, Zero] {
            for clamp in [Relu, SatFinite, ReluSatFinite] {
                push(to, F32, Some(round), false, clamp);
            }
        }
    }
    push(Tf32, F32, Some(Away), false, Unclamped);
    push(Tf32, F32, Some(Away), false, SatFinite);
    for round in [Nearest, Zero] {
        for clamp in [Unclamped, Relu, SatFinite, ReluSatFinite] {
            push(Tf32, F32, Some(round), false, clamp);
        }
    }
    for eight in [E4m3, E5m2] {
        for clamp in [SatFinite, ReluSatFinite] {
            push(eight, F32, Some(Nearest), false, clamp);
            push(eight, F16, Some(Nearest), false, clamp);
        }
        push(F16, eight, Some(Nearest), false, Unclamped);
        push(F16, eight, Some(Nearest), false, Relu);
    }
}
