//! Dot products: what a kind is, and what the instance that runs gives.

use ptx::alg::bits::{Bits, BitsAlg, Ieee};
use ptx::alg::dot::{Acc, DotKind, Elem};
use ptx::alg::{DotKind as Kind, WordAlg};

/// The dot product of words, by the algebra of concrete words.
fn dot(name: &str, pairs: &[(u64, u64)], acc: u64) -> u64 {
    let kind = Kind::ALL
        .into_iter()
        .find(|k| k.to_string() == name)
        .unwrap_or_else(|| panic!("no {name}"));
    let word = |width: u32, x: u64| Bits::new(width, x.into());
    let pairs: Vec<(Bits, Bits)> = pairs
        .iter()
        .map(|(a, b)| (word(kind.a.width(), *a), word(kind.b.width(), *b)))
        .collect();
    let got = BitsAlg(Ieee).dot(kind, &pairs, &word(kind.acc.width(), acc));
    assert_eq!(got.width(), kind.acc.width());
    got.value() as u64
}

#[test]
fn by_hand() {
    let f32 = |x: f32| u64::from(x.to_bits());
    let (one, two, three) = (0x3C00, 0x4000, 0x4200);
    // 1·2 + 2·3 + 10
    assert_eq!(
        dot("f32_f16_f16", &[(one, two), (two, three)], f32(10.0)),
        f32(18.0)
    );
    assert_eq!(
        dot("f16_f16_f16", &[(one, two), (two, three)], 0x4900),
        0x4C80
    );
    assert_eq!(dot("f32_f16_f16", &[], f32(0.1)), f32(0.1));
    // One rounding at the end: 2048 + 1 + 1 is even, step by step it would stay 2048.
    assert_eq!(
        dot("f16_f16_f16", &[(one, one), (one, one)], 0x6800),
        0x6801
    );
    // 2^24 + 1 + 1 in f32.
    assert_eq!(
        dot(
            "f32_bf16_bf16",
            &[(0x3F80, 0x3F80), (0x3F80, 0x3F80)],
            f32(16_777_216.0)
        ),
        f32(16_777_218.0)
    );
    // The low bits of a tf32 word are ignored.
    assert_eq!(
        dot(
            "f32_tf32_tf32",
            &[(f32(1.0) | 0x1FFF, f32(2.0) | 0x1000)],
            f32(0.0)
        ),
        f32(2.0)
    );
    // e4m3: 1 is 0x38, 448 is 0x7E; e5m2: 1 is 0x3C.
    assert_eq!(
        dot("f32_e4m3_e4m3", &[(0x7E, 0x7E)], f32(0.0)),
        f32(448.0 * 448.0)
    );
    assert_eq!(
        dot("f32_e4m3_e5m2", &[(0x38, 0x3C), (0xB8, 0x40)], f32(0.0)),
        f32(-1.0)
    );
    assert_eq!(dot("f16_e5m2_e4m3", &[(0x3C, 0x7E)], 0), 0x5F00);
    // Infinities and NaN.
    assert_eq!(
        dot("f32_f16_f16", &[(0x7C00, one)], f32(0.0)),
        f32(f32::INFINITY)
    );
    assert_eq!(dot("f32_f16_f16", &[(0x7C00, 0)], f32(0.0)), 0x7FFF_FFFF);
    assert_eq!(dot("f32_e4m3_e4m3", &[(0x7F, 0x38)], f32(0.0)), 0x7FFF_FFFF);
    assert_eq!(dot("f16_f16_f16", &[(0x7BFF, two)], 0), 0x7C00);
    let f64 = |x: f64| x.to_bits();
    // Products of f64 are fused.
    let x = 1.0 + 2f64.powi(-30);
    assert_eq!(
        dot("f64_f64_f64", &[(f64(x), f64(x))], f64(-1.0)),
        f64(x.mul_add(x, -1.0))
    );
}

#[test]
fn integers() {
    assert_eq!(dot("s32_s8_s8", &[(0xFF, 5), (0x80, 0x80)], 7), 16_386);
    assert_eq!(dot("s32_u8_s8", &[(0xFF, 0xFF)], 0), 0xFFFF_FF01);
    assert_eq!(dot("s32_s8_u8", &[(0xFF, 0xFF)], 0), 0xFFFF_FF01);
    assert_eq!(dot("s32_u8_u8", &[(0xFF, 0xFF)], 0), 65_025);
    // Modulo 2^32, or clamped at the end.
    assert_eq!(dot("s32_s8_s8", &[(1, 1)], 0x7FFF_FFFF), 0x8000_0000);
    assert_eq!(
        dot("s32_satfinite_s8_s8", &[(1, 1)], 0x7FFF_FFFF),
        0x7FFF_FFFF
    );
    assert_eq!(
        dot("s32_satfinite_s8_s8", &[(0xFF, 2), (1, 1)], 0x8000_0000),
        0x8000_0000
    );
    assert_eq!(
        dot("s32_satfinite_s8_s8", &[(2, 1), (0xFF, 3)], 0x7FFF_FFFF),
        0x7FFF_FFFE
    );
}

/// Against sums of integers, where those are exact.
#[test]
fn exact_sums() {
    let mut x = 1u64;
    let mut next = || {
        x = x
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        x >> 33
    };
    for _ in 0..1_000 {
        let ints: Vec<(i64, i64)> = (0..32)
            .map(|_| (next() as i64 % 256 - 128, next() as i64 % 256 - 128))
            .collect();
        let c = next() as i64 % 1000;
        let sum: i64 = c + ints.iter().map(|(a, b)| a * b).sum::<i64>();
        let bytes: Vec<(u64, u64)> = ints
            .iter()
            .map(|(a, b)| (*a as u8 as u64, *b as u8 as u64))
            .collect();
        assert_eq!(dot("s32_s8_s8", &bytes, c as u64), u64::from(sum as u32));
        let half = |x: i64| u64::from(half::f16::from_f32(x as f32).to_bits());
        let halves: Vec<(u64, u64)> = ints.iter().map(|(a, b)| (half(*a), half(*b))).collect();
        let wanted = u64::from((sum as f32).to_bits());
        assert_eq!(
            dot("f32_f16_f16", &halves, (c as f32).to_bits().into()),
            wanted
        );
    }
}

/// Every kind computes on words of its widths, and the names of types lead back to them.
#[test]
fn kinds() {
    for kind in DotKind::ALL {
        assert_eq!(Elem::from_name(kind.a.name()), Some(kind.a));
        assert_eq!(dot(&kind.to_string(), &[(0, 0)], 0), 0, "{kind}");
        let max = u64::MAX >> (64 - kind.acc.width());
        assert!(dot(&kind.to_string(), &[(1, 1)], 1) <= max);
    }
    assert_eq!(Acc::S32.round(-1.0), 0xFFFF_FFFF);
}
