//! Types, expressions, comparisons and `.npy` files.

use launch::compare::{Part, Tolerance, compare};
use launch::dtype::{ALL, DType, Value};
use launch::expr::{Data, Scope, evaluate, parse};
use launch::npy;

/// Every bit pattern of the small types comes back from its value, NaN as a NaN.
#[test]
fn small_types() {
    for d in [DType::F16, DType::Bf16, DType::E4m3, DType::E5m2] {
        for bits in 0..1u64 << (8 * d.bytes()) {
            let value = d.decode(bits);
            if value.real().is_nan() {
                assert!(d.decode(d.encode(value)).real().is_nan(), "{d} {bits:#x}");
            } else {
                assert_eq!(d.encode(value), bits, "{d} {bits:#x}");
            }
        }
    }
}

/// Rounding to nearest, ties to even, and what is too large.
#[test]
fn rounding() {
    let cases = [
        (DType::F16, 2049.0, 2048.0),
        (DType::F16, 2051.0, 2052.0),
        (DType::F16, 65520.0, f64::INFINITY),
        (DType::F16, 65519.0, 65504.0),
        (DType::F16, 2f64.powi(-25), 0.0),
        (DType::F16, 1.5 * 2f64.powi(-24), 2f64.powi(-23)),
        (DType::Bf16, 257.0, 256.0),
        (DType::Bf16, 259.0, 260.0),
        (DType::E5m2, 9.0, 8.0),
        (DType::E4m3, 17.0, 16.0),
        (DType::E4m3, 464.0, 448.0),
        (DType::F32, 16_777_217.0, 16_777_216.0),
    ];
    for (d, x, wanted) in cases {
        assert_eq!(
            d.decode(d.encode(Value::Real(x))),
            Value::Real(wanted),
            "{d} {x}"
        );
    }
    assert_eq!(
        DType::S8.decode(DType::S8.encode(Value::Int(200))),
        Value::Int(-56)
    );
    assert_eq!(DType::U16.encode(Value::Int(-1)), 0xffff);
}

fn data() -> Vec<Data> {
    let ints = (0..6).map(|n| Value::Int(10 * n));
    let reals = [0.5, 1.0, 2.0].map(Value::Real);
    vec![
        Data {
            name: "a".to_owned(),
            shape: vec![2, 3],
            dtype: DType::S64,
            bytes: launch::fill::bytes(DType::S64, ints),
        },
        Data {
            name: "x".to_owned(),
            shape: vec![3],
            dtype: DType::F64,
            bytes: launch::fill::bytes(DType::F64, reals.into_iter()),
        },
    ]
}

fn value(text: &str) -> Result<Value, String> {
    let buffers = [("a".to_owned(), 2), ("x".to_owned(), 1)];
    let scope = Scope {
        dimensions: 2,
        buffers: &buffers,
    };
    let e = parse(text, &scope).map_err(|e| e.to_string())?;
    evaluate(&e, &[3, 5], &data(), &mut 0).map_err(|e| e.to_string())
}

#[test]
fn expressions() {
    let ints = [
        ("i + 2 * j", 13),
        ("(i + 2) * j", 25),
        ("-7 // 2", -4),
        ("-7 % 3", 2),
        ("7 % -3", -2),
        ("1 << 4 | 3 & 2 ^ 1", 19),
        ("~0 & 0xff", 255),
        ("if i < j and not i == 4 then 1 else 2", 1),
        ("if i > j or j >= 6 then 1 else 2", 2),
        ("a[1, 2] - a[0, 1]", 40),
        ("sum(k = 0 .. i, k * k)", 5),
        ("sum(k = 0 .. 2, sum(k = 0 .. 3, a[1, k]) + k)", 241),
        ("max(k = 0 .. 3, a[0, k])", 20),
        ("min(k = 1 .. 3, a[0, k])", 10),
        ("max(3, 1, 2)", 3),
        ("min(3, 1, 2)", 1),
        ("u8(300)", 44),
        ("s8(200)", -56),
        ("sum(k = 3 .. 3, k)", 0),
        ("abs(-4)", 4),
    ];
    for (text, wanted) in ints {
        assert_eq!(value(text), Ok(Value::Int(wanted)), "{text}");
    }
    let reals = [
        ("1 / 4", 0.25),
        ("x[2] * a[0, 1]", 20.0),
        ("sqrt(i + 1)", 2.0),
        ("exp(0)", 1.0),
        ("exp2(3)", 8.0),
        ("log2(8)", 3.0),
        ("rsqrt(4)", 0.5),
        ("erf(0)", 0.0),
        ("tanh(0)", 0.0),
        ("floor(-1.5)", -2.0),
        ("ceil(-1.5)", -1.0),
        ("round(2.5)", 2.0),
        ("trunc(-1.5)", -1.0),
        ("fma(2, 3, 0.5)", 6.5),
        ("f16(2049)", 2048.0),
        ("bf16(257.0)", 256.0),
        ("cos(0) + sin(0) + log(1)", 1.0),
        ("1e-3 * 1e3", 1.0),
        ("min(inf, 2.0)", 2.0),
    ];
    for (text, wanted) in reals {
        assert_eq!(value(text), Ok(Value::Real(wanted)), "{text}");
    }
}

#[test]
fn expressions_that_make_no_sense() {
    let cases = [
        ("", "ends too early"),
        ("1 +", "ends too early"),
        ("1 $ 2", "makes no sense from `$ 2`"),
        ("1 2", "makes no sense from `2`"),
        ("q", "`q` stands for nothing here"),
        ("a", "`a` stands for nothing here"),
        ("b[0]", "there is no buffer `b`"),
        ("a[0]", "has 2 dimensions, and here is 1 index"),
        ("a[0, 3]", "the index 3 of `a` is not below 3"),
        ("a[-1, 0]", "the index -1 of `a`"),
        ("x[0.5]", "0.5 is no integer"),
        ("cosh(1)", "there is no function `cosh`"),
        ("exp(1, 2)", "`exp` takes 1 arguments, and here are 2"),
        ("prod(k = 0 .. 2, k)", "`prod` is not over a range"),
        ("1 // 0", "a divisor is zero"),
        ("1 << 65", "a shift is not between 0 and 64"),
        ("1.5 & 1", "operations on bits are for integers"),
        (
            "sum(k = 0 .. 1000000000000, 1)",
            "more than 1073741824 operations",
        ),
    ];
    for (text, wanted) in &cases[..cases.len() - 1] {
        let found = value(text).expect_err(text);
        assert!(found.contains(wanted), "{text}: {found}");
    }
    let (text, _) = cases[cases.len() - 1];
    let buffers = [];
    let scope = Scope {
        dimensions: 0,
        buffers: &buffers,
    };
    let e = parse(text, &scope).expect("it parses");
    let mut steps = launch::expr::LIMIT - 10;
    assert!(evaluate(&e, &[], &[], &mut steps).is_err());
    let deep = "(".repeat(3000);
    assert!(value(&deep).is_err());
}

fn bytes(d: DType, values: &[f64]) -> Vec<u8> {
    launch::fill::bytes(d, values.iter().map(|&x| Value::Real(x)))
}

fn part(region: [u64; 2], values: &[f64], tolerance: Tolerance, unordered: bool) -> Part {
    Part {
        region: vec![region],
        values: Some(values.iter().map(|&x| Value::Real(x)).collect()),
        unordered,
        tolerance,
    }
}

#[test]
fn comparisons() {
    let d = DType::F32;
    let exact = Tolerance::default();
    let wrong = |before: &[f64], after: &[f64], parts: &[Part]| {
        let shape = [after.len() as u64];
        let c = compare(d, &shape, &bytes(d, before), &bytes(d, after), parts);
        assert_eq!(c.compared, after.len() as u64);
        c.wrong
    };
    let zero = [0.0; 3];
    // Outside of parts everything is unchanged, and inside it is what is wanted.
    assert_eq!(
        wrong(
            &zero,
            &[1.0, 2.0, 0.0],
            &[part([0, 2], &[1.0, 2.0], exact, false)]
        ),
        0
    );
    assert_eq!(
        wrong(
            &zero,
            &[1.0, 2.0, 3.0],
            &[part([0, 2], &[1.0, 2.0], exact, false)]
        ),
        1
    );
    assert_eq!(
        wrong(
            &zero,
            &[2.0, 1.0, 0.0],
            &[part([0, 2], &[1.0, 2.0], exact, false)]
        ),
        2
    );
    assert_eq!(
        wrong(
            &zero,
            &[2.0, 1.0, 0.0],
            &[part([0, 2], &[1.0, 2.0], exact, true)]
        ),
        0
    );
    assert_eq!(
        wrong(
            &zero,
            &[2.0, 2.0, 0.0],
            &[part([0, 2], &[1.0, 2.0], exact, true)]
        ),
        1
    );
    // Without a tolerance zeros have signs, and NaN is NaN.
    assert_eq!(wrong(&zero, &[-0.0, 0.0, 0.0], &[]), 1);
    assert_eq!(
        wrong(
            &zero,
            &[f64::NAN, 0.0, 0.0],
            &[part([0, 1], &[-f64::NAN], exact, false)]
        ),
        0
    );
    assert_eq!(
        wrong(
            &zero,
            &[1.0, 0.0, 0.0],
            &[part([0, 1], &[f64::NAN], exact, false)]
        ),
        1
    );
    // Tolerances.
    let next = f64::from(f32::from_bits(1.0f32.to_bits() + 1));
    let loose = |abs, rel, ulp| Tolerance { abs, rel, ulp };
    let one = |x: f64, t| wrong(&zero, &[x, 0.0, 0.0], &[part([0, 1], &[1.0], t, false)]);
    assert_eq!(one(next, exact), 1);
    assert_eq!(one(next, loose(0.0, 0.0, 1)), 0);
    assert_eq!(one(next + 2e-7, loose(0.0, 0.0, 1)), 1);
    assert_eq!(one(1.25, loose(0.25, 0.0, 0)), 0);
    assert_eq!(one(1.25, loose(0.0, 0.25, 0)), 0);
    assert_eq!(one(1.5, loose(0.25, 0.0, 0)), 1);
    assert_eq!(one(f64::INFINITY, loose(1.0, 1.0, 0)), 1);
    assert_eq!(one(f64::NAN, loose(1.0, 1.0, 5)), 1);
}

/// What is written is read again, with the shape.
#[test]
fn npy_files() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    for d in ALL {
        let path = folder.join(format!("{d}.npy"));
        let bytes: Vec<u8> = (0..6 * d.bytes() as u8)
            .map(|n| n.wrapping_mul(37))
            .collect();
        npy::write(&path, d, &[2, 3], &bytes).expect("it is written");
        let array = npy::read(&path, 100).expect("it is read");
        assert_eq!(array.shape, [2, 3]);
        let words: Vec<u64> = (0..6).map(|i| d.bits_at(&bytes, i)).collect();
        assert_eq!(array.bits, words, "{d}");
        let again: Vec<u64> = array
            .values(d)
            .expect("it fits")
            .into_iter()
            .map(|v| d.encode(v))
            .collect();
        let nan = |b: &u64| d.decode(*b).real().is_nan();
        for (a, b) in again.iter().zip(&words) {
            assert!(a == b || nan(a) && nan(b), "{d} {a:#x} {b:#x}");
        }
    }
    let path = folder.join("broken.npy");
    std::fs::write(&path, b"\x93NUMPY").expect("it is written");
    assert!(npy::read(&path, 100).is_err());
    assert!(npy::read(&folder.join("missing.npy"), 100).is_err());
}
