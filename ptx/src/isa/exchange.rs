//! What warp collectives compute (ISA §9.7.10.6, §9.7.15.9–15): functions of the words that the lanes bring.

use super::Form;
use super::words::{bitwise, larger, smaller};
use crate::alg::WordAlg;
use crate::alg::float_op::{FloatOp, Format};

/// The lanes of a warp, each with the word it brings; `None` for a lane that takes no part.
pub type Lanes<W> = [Option<W>; 32];

/// Where `shfl.sync` takes its word from (ISA §9.7.10.6).
pub struct Source<W> {
    /// The lane, a word of 5 bits.
    pub lane: W,
    /// Whether it is in range, a word of 1 bit: the optional destination predicate.
    pub in_range: W,
}

/// The source lane of a lane in `shfl.sync` by mode, with operands `b` and `c` of 32 bits.
pub fn shuffle<A: WordAlg>(
    w: &mut A,
    mode: &str,
    lane: u32,
    b: &A::Word,
    c: &A::Word,
) -> Source<A::Word> {
    let lane = w.lit(5, lane.into());
    let (bval, cval, segment) = (w.extract(b, 0, 5), w.extract(c, 0, 5), w.extract(c, 8, 5));
    let outside = w.not(&segment);
    let least = w.and(&lane, &segment);
    let clamp = w.and(&cval, &outside);
    let most = w.or(&least, &clamp);
    // Sums and differences of lanes have a sign and a carry: 7 bits, compared as signed numbers.
    let (lane7, bval7, most7) = (w.zext(&lane, 7), w.zext(&bval, 7), w.zext(&most, 7));
    let (j, in_range) = match mode {
        "up" => {
            let j = w.sub(&lane7, &bval7);
            let ok = w.sle(&most7, &j);
            (j, ok)
        }
        "down" => {
            let j = w.add(&lane7, &bval7);
            let ok = w.sle(&j, &most7);
            (j, ok)
        }
        "bfly" => {
            let j = w.xor(&lane7, &bval7);
            let ok = w.sle(&j, &most7);
            (j, ok)
        }
        _ => {
            let inside = w.and(&bval, &outside);
            let j = w.or(&least, &inside);
            let j = w.zext(&j, 7);
            let ok = w.sle(&j, &most7);
            (j, ok)
        }
    };
    let j = w.trunc(&j, 5);
    Source {
        lane: w.ite(&in_range, &j, &lane),
        in_range: w.of_bool(&in_range),
    }
}

/// The mask with a bit for each lane whose word of 1 bit is set (`vote.sync.ballot`, ISA §9.7.15.10).
pub fn ballot<A: WordAlg>(w: &mut A, lanes: &Lanes<A::Word>) -> A::Word {
    let zero = w.lit(1, 0);
    lanes.iter().skip(1).fold(
        lanes[0].clone().unwrap_or_else(|| zero.clone()),
        |low, lane| w.concat(lane.as_ref().unwrap_or(&zero), &low),
    )
}

/// What `vote.sync` of mode `all`, `any` or `uni` says, a word of 1 bit.
pub fn vote<A: WordAlg>(w: &mut A, mode: &str, lanes: &Lanes<A::Word>) -> A::Word {
    let present: Vec<&A::Word> = lanes.iter().flatten().collect();
    let all = present
        .iter()
        .fold(w.lit(1, 1), |sum, word| w.and(&sum, word));
    let any = present
        .iter()
        .fold(w.lit(1, 0), |sum, word| w.or(&sum, word));
    match mode {
        "all" => all,
        "any" => any,
        _ => {
            let none = w.not(&any);
            w.or(&all, &none)
        }
    }
}

/// The lanes whose word equals that of `lane`, a mask of 32 bits (`match.any.sync`, ISA §9.7.15.11).
pub fn match_any<A: WordAlg>(w: &mut A, lane: usize, lanes: &Lanes<A::Word>) -> A::Word {
    let Some(own) = lanes.get(lane).and_then(Option::as_ref) else {
        return w.lit(32, 0);
    };
    let same = lanes.each_ref().map(|other| {
        let equal = w.eq(own, other.as_ref()?);
        Some(w.of_bool(&equal))
    });
    ballot(w, &same)
}

/// All lanes if they bring one word, otherwise 0, and whether they do (`match.all.sync`).
pub fn match_all<A: WordAlg>(w: &mut A, lanes: &Lanes<A::Word>) -> (A::Word, A::Word) {
    let first = lanes.iter().position(Option::is_some).unwrap_or(0);
    let same = match_any(w, first, lanes);
    let one = w.lit(1, 1);
    let present = lanes.each_ref().map(|l| l.as_ref().map(|_| one.clone()));
    let everyone = ballot(w, &present);
    let alike = w.eq(&same, &everyone);
    let none = w.lit(32, 0);
    (w.ite(&alike, &everyone, &none), w.of_bool(&alike))
}

/// What `redux.sync` makes of the words of all lanes (ISA §9.7.15.13); `form` has slots `op` and `type`.
pub fn reduce<A: WordAlg>(w: &mut A, form: &Form, lanes: &Lanes<A::Word>) -> A::Word {
    let mut words: Vec<A::Word> = lanes.iter().flatten().cloned().collect();
    if form.word("abs") == "abs" {
        let magnitude = w.lit(32, 0x7FFF_FFFF);
        words = words.iter().map(|x| w.and(x, &magnitude)).collect();
    }
    let mut words = words.iter();
    let Some(first) = words.next() else {
        return w.lit(32, 0);
    };
    // A NaN alone is made the canonical one.
    let first = match form.word("type") {
        "f32" => combine(w, form, first, first),
        _ => first.clone(),
    };
    words.fold(first, |sum, x| combine(w, form, &sum, x))
}

/// Two words of `redux.sync` put together.
fn combine<A: WordAlg>(w: &mut A, form: &Form, a: &A::Word, b: &A::Word) -> A::Word {
    let (op, ty) = (form.word("op"), form.word("type"));
    let signed = ty == "s32";
    match op {
        _ if ty == "f32" => {
            let extreme = FloatOp::Extreme {
                max: op == "max",
                ty: Format::F32,
                ftz: false,
                nan: form.word("NaN") == "NaN",
            };
            w.float(extreme, &[a, b])
        }
        "add" => w.add(a, b),
        "min" => smaller(w, signed, a, b),
        "max" => larger(w, signed, a, b),
        op => bitwise(w, op, a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alg::bits::{Bits, BitsAlg, Ieee};

    fn word(width: u32, value: u32) -> Bits {
        Bits::new(width, value.into())
    }

    /// The manual's program for `shfl.sync`, in signed integers.
    fn manual(mode: &str, lane: i32, b: i32, c: i32) -> (i32, bool) {
        let bval = b & 31;
        let cval = c & 31;
        let segmask = (c >> 8) & 31;
        let max_lane = (lane & segmask) | (cval & !segmask);
        let min_lane = lane & segmask;
        let (j, pval) = match mode {
            "up" => (lane - bval, lane - bval >= max_lane),
            "down" => (lane + bval, lane + bval <= max_lane),
            "bfly" => (lane ^ bval, (lane ^ bval) <= max_lane),
            _ => {
                let j = min_lane | (bval & !segmask);
                (j, j <= max_lane)
            }
        };
        (if pval { j } else { lane }, pval)
    }

    #[test]
    fn shuffles_follow_the_manuals_program() {
        let w = &mut BitsAlg(Ieee);
        for mode in ["up", "down", "bfly", "idx"] {
            for c in (0..0x2000).filter(|c| c & 0xE0 == 0) {
                for b in [0, 1, 2, 3, 5, 8, 15, 16, 17, 30, 31, 32, 33, -1] {
                    for lane in 0..32 {
                        let s = shuffle(w, mode, lane, &word(32, b as u32), &word(32, c));
                        let (j, p) = manual(mode, lane as i32, b, c as i32);
                        assert_eq!(s.lane, word(5, j as u32), "{mode} {lane} {b} {c:#x}");
                        assert_eq!(s.in_range, word(1, p.into()), "{mode} {lane} {b} {c:#x}");
                    }
                }
            }
        }
    }

    /// Some lanes of a warp.
    fn some(mask: u32, width: u32, value: impl Fn(u32) -> u32) -> Lanes<Bits> {
        std::array::from_fn(|i| (mask >> i & 1 == 1).then(|| word(width, value(i as u32))))
    }

    #[test]
    fn votes() {
        let w = &mut BitsAlg(Ieee);
        for mask in [1, 0x8000_0000, 0xF0F0, u32::MAX] {
            for set in [0, mask, mask & 0x5555_5555, mask & mask.wrapping_neg()] {
                let lanes = some(mask, 1, |i| set >> i & 1);
                assert_eq!(ballot(w, &lanes), word(32, set));
                assert_eq!(vote(w, "all", &lanes), word(1, (set == mask).into()));
                assert_eq!(vote(w, "any", &lanes), word(1, (set != 0).into()));
                let uniform = set == 0 || set == mask;
                assert_eq!(vote(w, "uni", &lanes), word(1, uniform.into()));
            }
        }
    }

    #[test]
    fn reductions() {
        let w = &mut BitsAlg(Ieee);
        type Case = (&'static str, fn(u32, u32) -> u32);
        let cases: [Case; 9] = [
            ("add.s32", u32::wrapping_add),
            ("add.u32", u32::wrapping_add),
            ("min.u32", u32::min),
            ("max.u32", u32::max),
            ("min.s32", |a, b| (a as i32).min(b as i32) as u32),
            ("max.s32", |a, b| (a as i32).max(b as i32) as u32),
            ("and.b32", |a, b| a & b),
            ("or.b32", |a, b| a | b),
            ("xor.b32", |a, b| a ^ b),
        ];
        let words = [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x1234_5678];
        for (name, want) in cases {
            let forms = crate::isa::forms_of(&format!("redux.sync.{name}"));
            let [form] = &forms[..] else {
                panic!("one row for {name}");
            };
            for a in words {
                for b in words {
                    let mut lanes = [None; 32];
                    (lanes[3], lanes[30]) = (Some(word(32, a)), Some(word(32, b)));
                    let got = reduce(w, form, &lanes);
                    assert_eq!(got, word(32, want(a, b)), "{name} {a:#x} {b:#x}");
                }
            }
        }
    }

    /// The manual's rules for f32: -0 is less than +0, NaNs are left out unless `.NaN`, a NaN that results is canonical.
    #[test]
    fn reductions_of_floats() {
        let w = &mut BitsAlg(Ieee);
        let (one, two, zero, odd) = (0x3F80_0000, 0x4000_0000, 0x8000_0000, 0xFF80_0001);
        let canonical = 0x7FFF_FFFF;
        let cases: [(&str, &[u32], u32); 9] = [
            ("min", &[two, one, two], one),
            ("max", &[one, two, zero], two),
            ("min", &[0, zero, one], zero),
            ("max", &[zero, 0, zero], 0),
            ("min", &[odd, two, one], one),
            ("max", &[odd], canonical),
            ("min.NaN", &[one, odd, two], canonical),
            ("max.abs", &[one, two | zero], two),
            ("min.abs.NaN", &[one, two | zero], one),
        ];
        for (name, words, want) in cases {
            let forms = crate::isa::forms_of(&format!("redux.sync.{name}.f32"));
            let [form] = &forms[..] else {
                panic!("one row for {name}");
            };
            let mut lanes = [None; 32];
            for (lane, x) in lanes.iter_mut().skip(5).zip(words) {
                *lane = Some(word(32, *x));
            }
            assert_eq!(reduce(w, form, &lanes), word(32, want), "{name} {words:x?}");
        }
    }

    #[test]
    fn matches() {
        let w = &mut BitsAlg(Ieee);
        let mask = 0xFFFF_0FF1;
        let lanes = some(mask, 32, |i| i % 3);
        for lane in 0..32 {
            let same = (0..32).filter(|i| mask >> i & 1 == 1 && i % 3 == lane % 3);
            let want = same.fold(0, |m, i| m | 1 << i);
            let want = if mask >> lane & 1 == 1 { want } else { 0 };
            assert_eq!(match_any(w, lane as usize, &lanes), word(32, want));
        }
        assert_eq!(match_all(w, &lanes), (word(32, 0), word(1, 0)));
        let alike = some(mask, 32, |_| 7);
        assert_eq!(match_all(w, &alike), (word(32, mask), word(1, 1)));
        let alone = some(0x10, 32, |i| i);
        assert_eq!(match_all(w, &alone), (word(32, 0x10), word(1, 1)));
    }
}
