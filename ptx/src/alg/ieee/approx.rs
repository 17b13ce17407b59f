//! The functions of which the manual bounds the error and lists the special values: one choice that meets both.

use crate::alg::float_op::{Approx, Format};

/// The value, to be rounded to the format of the operands.
pub(super) fn value(op: Approx, ty: Format, ftz: bool, [a, b, _]: [f64; 3]) -> f64 {
    let _ = (ty, ftz);
    match op {
        Approx::Div => {
            // §9.7.3.8: above 2^126 the reciprocal of the divisor counts as 0.
            let huge = b.abs() > 2f64.powi(126) && b.is_finite();
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
