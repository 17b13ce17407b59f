//! Conversions (§9.7.10.24).

use super::round::{layout, pack, round_f64, to_f64};
use super::{clamped, flush, with_format};
use crate::alg::float_op::{Clamp, Format, Int, Round};

/// A number in another format. Words of `f32` are flushed if asked for, on both sides.
pub(super) fn format(
    to: Format,
    from: Format,
    round: Option<Round>,
    ftz: bool,
    clamp: Clamp,
    word: u64,
) -> u64 {
    let ftz_of = |ty| ftz && ty == Format::F32;
    let x = with_format!(from => to_f64(from, flush(from, ftz_of(from), word)));
    let y = round_f64(to, round.unwrap_or(Round::Nearest), x);
    if clamp == Clamp::Unclamped && !ftz {
        return y;
    }
    let l = layout(to);
    let y = match clamp {
        // Beyond the largest number: e4m3 has no infinity that would tell, so the value is asked.
        Clamp::SatFinite | Clamp::ReluSatFinite if !x.is_nan() && y & !l.sign >= l.infinity => {
            y & l.sign | l.largest
        }
        _ => y,
    };
    clamped(to, clamp, flush(to, ftz_of(to), y))
}

/// An integral number near `x`, with the sign of `x` if it is 0.
pub(super) fn integral(round: Round, x: f64) -> f64 {
    match round {
        Round::Nearest => x.round_ties_even(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
        Round::Away => x.round(),
    }
}

/// An integer as a number.
pub(super) fn from_int(to: Format, from: Int, round: Round, word: u64) -> u64 {
    let value = if from.signed {
        signed(from.width, word)
    } else {
        i128::from(word)
    };
    let (negative, magnitude) = (value < 0, value.unsigned_abs() as u64);
    with_format!(to => pack(&layout(to), round, negative, magnitude, 0))
}

fn signed(width: u32, word: u64) -> i128 {
    let unused = 64 - width;
    i128::from((word << unused) as i64 >> unused)
}

/// A number as an integer, clamped to its range. A NaN gives 0, but from `f64` or to 64 bits a word with the highest bit set.
pub(super) fn to_int(to: Int, from: Format, round: Round, word: u64) -> u64 {
    let x = to_f64(from, word);
    if x.is_nan() {
        let highest = from == Format::F64 || to.width == 64;
        return if highest { 1 << (to.width - 1) } else { 0 };
    }
    let x = integral(round, x);
    let mask = u64::MAX >> (64 - to.width);
    if to.signed {
        let (least, most) = (i64::MIN >> (64 - to.width), i64::MAX >> (64 - to.width));
        (x as i64).clamp(least, most) as u64 & mask
    } else {
        (x as u64).min(mask)
    }
}
