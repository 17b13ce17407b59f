//! What instructions compute, on words of this machine: from the PTX manual, once more.

/// A word: its width and its bits.
pub type Word = (u32, u64);

/// The low bits.
fn cut(w: u32, n: u128) -> Word {
    (w, (n & ((1 << w) - 1)) as u64)
}

/// The number in two's complement.
fn signed((w, n): Word) -> i128 {
    match n >> (w - 1) {
        0 => i128::from(n),
        _ => i128::from(n) - (1 << w),
    }
}

fn back(w: u32, n: i128) -> Word {
    cut(w, n as u128)
}

/// A shift amount: at most the width.
fn amount(w: u32, b: Word) -> u32 {
    u32::try_from(b.1).unwrap_or(w).min(w)
}

/// Position and length of a bit field: their low eight bits.
fn field(pos: Word, len: Word) -> (u32, u32) {
    ((pos.1 & 255) as u32, (len.1 & 255) as u32)
}

/// `len` bits of a long number from bit `pos`.
fn bits(n: u128, pos: u32, len: u32) -> u128 {
    let moved = n.checked_shr(pos).unwrap_or(0);
    match len {
        0 => 0,
        1..=127 => moved & ((1 << len) - 1),
        _ => moved,
    }
}

/// The result of an instruction; `None` for one that no goal uses.
pub fn instruction(name: &str, operands: &[Word]) -> Option<Word> {
    let u = |i: usize| operands.get(i).map(|a| u128::from(a.1));
    let s = |i: usize| operands.get(i).map(|a| signed(*a));
    let w = operands.first()?.0;
    let binary = || Some((u(0)?, u(1)?));
    Some(match name {
        "add.s32" | "add.s64" => cut(w, u(0)? + u(1)?),
        "sub.s32" => back(w, s(0)? - s(1)?),
        "neg.s32" => back(w, -s(0)?),
        "not.b32" => cut(w, !u(0)?),
        "and.b32" | "and.b64" => binary().map(|(a, b)| cut(w, a & b))?,
        "or.b32" | "or.b64" => binary().map(|(a, b)| cut(w, a | b))?,
        "xor.b32" => binary().map(|(a, b)| cut(w, a ^ b))?,
        "max.s32" => back(w, s(0)?.max(s(1)?)),
        "mul.lo.s32" | "mul.lo.s64" => cut(w, u(0)?.wrapping_mul(u(1)?)),
        "mad.lo.s32" => cut(w, u(0)? * u(1)? + u(2)?),
        "mul.wide.u32" => cut(64, u(0)? * u(1)?),
        "mul.wide.s32" => back(64, s(0)? * s(1)?),
        "mad.wide.s32" => back(64, s(0)? * s(1)? + s(2)?),
        "mul.hi.s32" => back(32, (s(0)? * s(1)?) >> 32),
        "mul.hi.u32" => cut(32, (u(0)? * u(1)?) >> 32),
        "shl.b32" | "shl.b64" => cut(w, u(0)? << amount(w, operands[1])),
        "shr.u32" | "shr.u64" => cut(w, u(0)? >> amount(w, operands[1])),
        "shr.s32" => back(w, s(0)? >> amount(w, *operands.get(1)?)),
        "cvt.u32.u64" => cut(32, u(0)?),
        "cvt.u64.u32" => cut(64, u(0)?),
        "cvt.s64.s32" => back(64, s(0)?),
        "bfe.u32" => {
            let (pos, len) = field(*operands.get(1)?, *operands.get(2)?);
            cut(w, bits(u(0)?, pos, len))
        }
        "bfe.s32" => {
            let (pos, len) = field(*operands.get(1)?, *operands.get(2)?);
            let filled = (s(0)? as u128) >> pos.min(64);
            match len {
                0 => (w, 0),
                1..=31 => back(w, signed(cut(len, filled))),
                _ => cut(w, filled),
            }
        }
        "bfi.b32" => {
            let (pos, len) = field(*operands.get(2)?, *operands.get(3)?);
            let mask = bits(u128::MAX, 0, len).checked_shl(pos).unwrap_or(0);
            let moved = u(0)?.checked_shl(pos).unwrap_or(0);
            cut(w, (moved & mask) | (u(1)? & !mask))
        }
        "prmt.b32" => {
            let (both, selector) = (u(0)? | (u(1)? << 32), u(2)?);
            let mut out = 0;
            for i in 0..4 {
                let nibble = bits(selector, 4 * i, 4) as u32;
                let byte = bits(both, 8 * (nibble & 7), 8);
                let replicated = if byte >= 128 { 255 } else { 0 };
                out |= if nibble < 8 { byte } else { replicated } << (8 * i);
            }
            cut(w, out)
        }
        _ => return None,
    })
}
