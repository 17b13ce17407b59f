//! The functions of which the manual bounds the error and lists the special values: one choice that meets both.
//!
//! The value is computed in binary64, by `libm` where IEEE 754 does not define it (software, so the same on every machine), and
//! rounded once to the format. Its error is far below the manual's bounds, and the tables' special values (zeros,
//! infinities, NaN, negative numbers) are those of the functions themselves, but for `div.approx` by large numbers.

use crate::alg::float_op::Approx;

/// The value, to be rounded to the format of the operands.
pub(super) fn value(op: Approx, [a, b, _]: [f64; 3]) -> f64 {
    match op {
        Approx::Div => {
            // §9.7.3.8: for |b| between 2^126 and 2^128 the reciprocal counts as 0.
            let huge = b.abs() > f64::from_bits((1023 + 126) << 52);
            if huge { a * 0f64.copysign(b) } else { a / b }
        }
        Approx::DivFull => a / b,
        Approx::Rcp => 1.0 / a,
        Approx::Sqrt => a.sqrt(),
        Approx::Rsqrt => 1.0 / a.sqrt(),
        Approx::Ex2 => libm::exp2(a),
        Approx::Lg2 => libm::log2(a),
        Approx::Sin => libm::sin(a),
        Approx::Cos => libm::cos(a),
        Approx::Tanh => libm::tanh(a),
    }
}
