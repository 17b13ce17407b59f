//! The vectors of `vectors/integer.txt`: each line an instruction, its sources, and its result.

use std::collections::BTreeSet;

use ptx::alg::bits::{Bits, BitsAlg, Ieee};
use ptx::isa::{Form, alu_forms, forms_of};

const VECTORS: &str = include_str!("vectors/integer.txt");

/// Float rows have their own tests.
fn is_integer(f: &Form) -> bool {
    let float = |name: &str| ptx::isa::types::is_float(name);
    let moves = ["mov", "selp", "slct", "set"];
    let base = f.opcode.split('.').next().unwrap_or_default();
    !f.sources().iter().chain(f.dests()).any(|t| float(t.name)) || moves.contains(&base)
}

fn number(text: &str) -> u128 {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The form named `opcode` or `opcode/variant`.
fn form(name: &str) -> Form {
    let (opcode, variant) = name.split_once('/').unwrap_or((name, ""));
    forms_of(opcode)
        .into_iter()
        .find(|f| f.signature().is_some() && f.variant().unwrap_or_default() == variant)
        .unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn vectors() {
    let (mut count, mut wrong, mut seen) = (0, Vec::new(), BTreeSet::new());
    for line in VECTORS
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        let (left, result) = line.split_once(" = ").expect("a result");
        let mut words = left.split(' ');
        let form = form(words.next().expect("an opcode"));
        let (ins, out) = form.signature().expect("a function of words");
        let args: Vec<u128> = words.map(number).collect();
        assert_eq!(args.len(), ins.len(), "{line}");
        let args: Vec<Bits> = ins
            .iter()
            .zip(args)
            .map(|(w, v)| {
                assert_eq!(Bits::new(*w, v).value(), v, "{line}: a source does not fit");
                Bits::new(*w, v)
            })
            .collect();
        let got = form.apply(&mut BitsAlg(Ieee), &args).expect("its widths");
        assert_eq!(got.width(), out, "{line}");
        if got.value() != number(result) {
            wrong.push(format!("{line}, not {:#x}", got.value()));
        }
        seen.insert(form.row);
        count += 1;
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 400, "only {count}");
    let missing: BTreeSet<&str> = alu_forms()
        .iter()
        .filter(|f| is_integer(f) && !seen.contains(&f.row))
        .map(Form::syntax)
        .collect();
    assert!(missing.is_empty(), "rows without a vector: {missing:#?}");
}
