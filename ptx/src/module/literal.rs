//! Literals as numbers and bits (ISA §4.5).

use super::data::Literal;
use crate::text::ast::{Float, Int, Sign};

/// An integer with its sign.
pub(super) fn signed(sign: Sign, value: u64) -> i128 {
    match sign {
        Sign::Plus => i128::from(value),
        Sign::Minus => -i128::from(value),
    }
}

/// The width and bits of a floating-point literal: decimal notation is a double (ISA §4.5.2), rounded to nearest even.
pub(super) fn float(sign: Sign, x: &Float) -> Option<(u32, u64)> {
    let (width, bits) = match x.bits {
        Some(exact) => exact,
        None => (64, x.text.parse::<f64>().ok()?.to_bits()),
    };
    let flip = match sign {
        Sign::Plus => 0,
        Sign::Minus => 1 << (width - 1),
    };
    Some((width, bits ^ flip))
}

/// The literal of an integer constant.
pub(super) fn int_literal(sign: Sign, n: &Int) -> Literal {
    Literal::Int(signed(sign, n.value))
}

/// The literal of a floating-point constant.
pub(super) fn float_literal(sign: Sign, x: &Float) -> Option<Literal> {
    float(sign, x).map(|(width, bits)| match width {
        32 => Literal::F32(bits as u32),
        _ => Literal::F64(bits),
    })
}
