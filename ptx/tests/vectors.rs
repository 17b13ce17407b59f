//! The vectors of `vectors/*.txt`: each line an instruction, its sources, and its result. Every row with a meaning has one.

use std::collections::{BTreeMap, BTreeSet};

use ptx::alg::DotKind;
use ptx::alg::bits::{Bits, BitsAlg, Floats, Ieee};
use ptx::alg::float_op::{Clamp, FloatOp, Format, Round};
use ptx::isa::{Form, alu_forms, forms_of};

const INTEGER: &str = include_str!("vectors/integer.txt");
const FLOAT: [&str; 4] = [
    include_str!("vectors/float.txt"),
    include_str!("vectors/half.txt"),
    include_str!("vectors/compare.txt"),
    include_str!("vectors/convert.txt"),
];

/// `1.5`, `2^-149`, `-1.5*2^-126`, `inf`: a number.
fn real(text: &str) -> Option<f64> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(t) => (-1.0, t),
        None => (1.0, text),
    };
    let power = |e: &str| e.parse().ok().map(|e: i32| 2f64.powi(e));
    let magnitude = match text.split_once("2^") {
        // The lowest powers are products of two numbers.
        Some((m, e)) => {
            let e: i32 = e.parse().ok()?;
            let m = m.strip_suffix('*').map_or(Some(1.0), |m| m.parse().ok())?;
            m * power(&(e / 2).to_string())? * power(&(e - e / 2).to_string())?
        }
        None if text == "inf" => f64::INFINITY,
        None if text.contains('.') => text.parse().ok()?,
        None => return None,
    };
    Some(sign * magnitude)
}

/// A word of a type, from its bits or its number.
fn word(text: &str, ty: &str) -> u128 {
    if let Some(digits) = text.strip_prefix("0x") {
        return u128::from_str_radix(digits, 16).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    let real = match (text, real(text)) {
        ("nan", _) => f64::NAN,
        (_, Some(x)) => x,
        _ => return text.parse().unwrap_or_else(|e| panic!("{text}: {e}")),
    };
    // Other crates' conversions: not those that are tested.
    let (bits, value): (u64, f64) = match ty {
        "f64" => (real.to_bits(), real),
        "f32" => ((real as f32).to_bits().into(), (real as f32).into()),
        "f16" => {
            let h = half::f16::from_f64(real);
            (h.to_bits().into(), h.to_f64())
        }
        "bf16" => {
            let h = half::bf16::from_f64(real);
            (h.to_bits().into(), h.to_f64())
        }
        _ => panic!("{text} is no word of {ty}"),
    };
    if real.is_nan() {
        return match ty {
            "f32" => 0x7FFF_FFFF,
            "f64" => 0x7FF8_0000_0000_0000,
            _ => 0x7FFF,
        };
    }
    assert_eq!(value.to_bits(), real.to_bits(), "{text} is no {ty}");
    bits.into()
}

/// The form named `opcode` or `opcode/variant`.
fn form(name: &str) -> Form {
    let (opcode, variant) = name.split_once('/').unwrap_or((name, ""));
    forms_of(opcode)
        .into_iter()
        .find(|f| f.signature().is_some() && f.variant().unwrap_or_default() == variant)
        .unwrap_or_else(|| panic!("no {name}"))
}

/// What came of the vectors of a text.
#[derive(Default)]
struct Report {
    count: usize,
    wrong: Vec<String>,
    rows: BTreeSet<usize>,
}

fn run(text: &str, floats: &mut impl Floats) -> Report {
    let mut report = Report::default();
    let lines = text.lines();
    for line in lines.filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (left, result) = line.split_once(" = ").expect("a result");
        let mut words = left.split(' ');
        let form = form(words.next().expect("an opcode"));
        let out = form.signature().expect("a function of words").1;
        let given: Vec<&str> = words.collect();
        assert_eq!(given.len(), form.sources().len(), "{line}");
        let args: Vec<Bits> = form
            .sources()
            .iter()
            .zip(given)
            .map(|(ty, text)| {
                let v = word(text, ty.name);
                assert_eq!(
                    Bits::new(ty.bits, v).value(),
                    v,
                    "{line}: a source does not fit"
                );
                Bits::new(ty.bits, v)
            })
            .collect();
        let got = form
            .apply(&mut BitsAlg(&mut *floats), &args)
            .expect("its widths");
        assert_eq!(got.width(), out, "{line}");
        if got.value() != word(result, form.dests()[0].name) {
            report.wrong.push(format!("{line}, not {:#x}", got.value()));
        }
        report.rows.insert(form.row);
        report.count += 1;
    }
    report
}

#[test]
fn vectors() {
    let mut rows = BTreeSet::new();
    for (text, least) in [(INTEGER, 400)]
        .into_iter()
        .chain(FLOAT.into_iter().zip([250, 100, 100, 150]))
    {
        let mut report = run(text, &mut Ieee);
        let (n, wrong) = (report.wrong.len(), report.wrong.join("\n"));
        assert!(n == 0, "{n} wrong:\n{wrong}");
        assert!(report.count >= least, "only {}", report.count);
        rows.append(&mut report.rows);
    }
    let missing: BTreeMap<usize, String> = alu_forms()
        .into_iter()
        .filter(|f| !rows.contains(&f.row))
        .map(|f| (f.row, f.opcode))
        .collect();
    assert!(missing.is_empty(), "rows without a vector: {missing:#?}");
}

/// Float operations with one mistake: before they are done, or in their result.
struct Twin(fn(&mut FloatOp, &mut [u64; 3]), fn(FloatOp, u64) -> u64);

impl Floats for Twin {
    fn float(&mut self, mut op: FloatOp, mut args: [u64; 3]) -> u64 {
        self.0(&mut op, &mut args);
        self.1(op, Ieee.float(op, args))
    }

    fn dot(&mut self, kind: DotKind, pairs: &[(u64, u64)], acc: u64) -> u64 {
        Ieee.dot(kind, pairs, acc)
    }
}

/// The vectors notice every one of these mistakes.
#[test]
fn mistakes_are_noticed() {
    type Before = fn(&mut FloatOp, &mut [u64; 3]);
    type After = fn(FloatOp, u64) -> u64;
    let same: Before = |_, _| ();
    let asis: After = |_, r| r;
    let twins: [(&str, Before, After); 13] = [
        (
            "subnormal numbers are flushed always",
            |op, _| {
                if let FloatOp::Rounded { ftz, .. } = op {
                    *ftz = true;
                }
            },
            asis,
        ),
        (
            "subnormal numbers are flushed never",
            |op, _| {
                if let FloatOp::Rounded { ftz, .. } = op {
                    *ftz = false;
                }
            },
            asis,
        ),
        (
            "ties away from zero",
            |op, _| {
                if let FloatOp::Convert { round, .. } = op
                    && *round == Some(Round::Nearest)
                {
                    *round = Some(Round::Away);
                }
            },
            asis,
        ),
        (
            "rounding to integers has ties away from zero",
            |op, _| {
                if let FloatOp::ToInt { round, .. } = op
                    && *round == Round::Nearest
                {
                    *round = Round::Away;
                }
            },
            asis,
        ),
        (
            "down is up",
            |op, _| {
                if let FloatOp::Rounded { round, .. } = op
                    && *round == Round::Down
                {
                    *round = Round::Up;
                }
            },
            asis,
        ),
        (
            ".sat does nothing",
            |op, _| {
                if let FloatOp::Rounded { clamp, .. } = op
                    && *clamp == Clamp::Sat
                {
                    *clamp = Clamp::Unclamped;
                }
            },
            asis,
        ),
        (
            ".satfinite does nothing",
            |op, _| {
                if let FloatOp::Convert { clamp, .. } = op
                    && *clamp == Clamp::SatFinite
                {
                    *clamp = Clamp::Unclamped;
                }
            },
            asis,
        ),
        (
            "a NaN wins against a number",
            |op, _| {
                if let FloatOp::Extreme { nan, .. } = op {
                    *nan = true;
                }
            },
            asis,
        ),
        ("another NaN", same, |op, r| match op {
            FloatOp::Rounded {
                ty: Format::F32, ..
            } if r == 0x7FFF_FFFF => 0x7FC0_0000,
            _ => r,
        }),
        ("no negative zero", same, |op, r| match op {
            FloatOp::Rounded {
                ty: Format::F32, ..
            } if r == 0x8000_0000 => 0,
            _ => r,
        }),
        ("operands change places", |_, x| x.swap(0, 1), asis),
        (
            "fused operations lose the third operand's subnormal numbers",
            |op, x| {
                if let FloatOp::Rounded {
                    ty: Format::F32, ..
                } = op
                    && x[2] >> 23 & 0xFF == 0
                {
                    x[2] = 0;
                }
            },
            asis,
        ),
        (
            "NaN to an integer is the lowest one always",
            same,
            |op, r| match op {
                FloatOp::ToInt { to, .. } if r == 0 => 1 << (to.width - 1),
                _ => r,
            },
        ),
    ];
    for (mistake, before, after) in twins {
        let wrong: usize = FLOAT
            .iter()
            .map(|text| run(text, &mut Twin(before, after)).wrong.len())
            .sum();
        assert!(wrong > 0, "not noticed: {mistake}");
    }
    // The frame itself makes no mistake.
    let none = Twin(same, asis);
    for text in FLOAT {
        assert!(run(text, &mut Twin(none.0, none.1)).wrong.is_empty());
    }
}
