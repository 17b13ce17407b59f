//! The meaning that runs and the meaning that is proved about are one: for every form of the opcode table, random words are
//! computed with by the algebra that runs, and by the kernel, which reduces the constant `ptx.<opcode>` applied to them.
//!
//! Float operations are unknown functions in the logic: the run records what it asked of them and what it was told, and the
//! kernel gets an `F : FloatOps` that answers just that. So a reduction that asked anything else would not agree.
//!
//! `PTX_WORDS=100000` for more words than the usual 1,000 a row of the table.

mod logic_side;
mod threads;
mod words;

use logic::{Expr, Name, Store};
use ptx::isa::{Form, alu_forms};

use logic_side::{Batch, Definitions};
use words::{Recorder, Words};

/// How many sources and results share an `F`.
const BATCH: usize = 16;

/// How many words a row of the table is tried on.
fn words_per_row() -> usize {
    let given = std::env::var("PTX_WORDS").ok();
    given.map_or(1000, |n| n.parse().expect("a number"))
}

/// The forms of the rows that use floats, or of those that do not, with how often each is tried.
fn forms(floats: bool) -> Vec<(Form, usize)> {
    let all: Vec<Form> = alu_forms()
        .into_iter()
        .filter(|f| f.uses_floats() == floats)
        .collect();
    let count = |f: &Form| all.iter().filter(|g| g.row == f.row).count();
    let tries = |f: &Form| words_per_row().div_ceil(count(f));
    all.iter().map(|f| (f.clone(), tries(f))).collect()
}

/// Tries a definition on random words; the first that disagree, if any.
fn disagreement(
    defs: &Definitions<'_>,
    form: &Form,
    meaning: Expr,
    tries: usize,
    words: &mut Words,
) -> Option<String> {
    let mut left = tries;
    while left > 0 {
        let n = left.min(BATCH);
        left -= n;
        let mut recorder = Recorder::default();
        let runs: Vec<_> = (0..n)
            .map(|_| recorder.run(form, words.sources(form)))
            .collect();
        let batch = Batch::new(defs, form, meaning, &recorder.calls);
        for (args, result) in runs {
            let got = batch.reduce(&args);
            if got.as_ref() != Ok(&result.value().into()) {
                let args: Vec<String> = args.iter().map(|a| format!("{:#x}", a.value())).collect();
                return Some(format!(
                    "{} {}: {:#x} by the run, {got:?} in the logic",
                    form.opcode,
                    args.join(" "),
                    result.value()
                ));
            }
        }
    }
    None
}

/// How many terms a store may grow to before the next one is begun.
const TERMS: usize = 4_000_000;

fn all_agree(floats: bool) {
    let mut words = Words::new(if floats { 7 } else { 3 });
    let (mut wrong, mut tried) = (Vec::new(), 0);
    let all = forms(floats);
    let mut left = all.as_slice();
    while !left.is_empty() {
        let bump = bumpalo::Bump::new();
        let store = Store::new(&bump);
        let mut defs = Definitions::new(&store);
        while let Some(((form, tries), rest)) = left.split_first() {
            let constant = defs.declare(form);
            wrong.extend(disagreement(&defs, form, constant, *tries, &mut words));
            tried += tries;
            left = rest;
            if store.term_count() > TERMS {
                break;
            }
        }
    }
    println!("{} forms, {tried} words", all.len());
    assert!(all.len() >= 18 && tried >= words_per_row());
    assert!(
        wrong.is_empty(),
        "{} forms:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn forms_on_bits_agree() {
    all_agree(false);
}

#[test]
fn forms_with_floats_agree() {
    all_agree(true);
}

/// A definition with one operation in place of another is told from the true one.
#[test]
fn broken_twins_disagree() {
    let bump = bumpalo::Bump::new();
    let store = Store::new(&bump);
    let defs = Definitions::new(&store);
    let mut words = Words::new(11);
    for (opcode, from, to) in [
        ("add.u32", "add", "sub"),
        ("add.s64", "add", "xor"),
        ("sub.s16", "sub", "add"),
        ("mul.wide.s32", "sext", "zext"),
        ("mul.hi.u64", "zext", "sext"),
        ("mad.lo.s32", "mul", "add"),
        ("sad.s32", "slt", "ult"),
        ("min.u32", "ult", "slt"),
        ("setp.lt.s32", "slt", "sle"),
        ("setp.ge.u16", "ule", "ult"),
        ("shr.s32", "ashr", "lshr"),
        ("shl.b64", "shl", "lshr"),
        ("bfe.u32", "lshr", "ashr"),
        ("bfe.s64", "ashr", "lshr"),
        ("bfi.b32", "and", "or"),
        ("prmt.b32", "ashr", "lshr"),
        ("lop3.b32", "xor", "or"),
        ("popc.b32", "and", "or"),
        ("brev.b64", "or", "and"),
        ("bfind.s32", "not", "neg"),
        ("szext.clamp.s32", "ashr", "lshr"),
        ("addc.cc.u32", "add", "sub"),
        ("cvt.sat.u8.s32", "slt", "ult"),
        ("cvt.s64.s32", "sext", "zext"),
        ("dp4a.s32.u32", "sext", "zext"),
        ("fns.b32", "neg", "not"),
        ("div.s32", "udiv", "urem"),
        ("rem.s16", "neg", "not"),
    ] {
        let form = ptx::isa::forms_of(opcode)
            .into_iter()
            .find(|f| f.variant().is_none() && f.signature().is_some())
            .unwrap_or_else(|| panic!("no {opcode}"));
        let value = defs.value(&form);
        let [from, to] = [from, to].map(|n| store.name(&format!("Word.{n}")));
        let twin = replaced(&store, value, from, to);
        assert_ne!(value, twin, "{opcode}: nothing to replace");
        assert_eq!(disagreement(&defs, &form, value, 100, &mut words), None);
        let found = disagreement(&defs, &form, twin, 1000, &mut words);
        assert!(found.is_some(), "{opcode}: the twin passes");
    }
    // And so is one that asks another float operation.
    let form = ptx::isa::forms_of("add.rn.f32").remove(0);
    let [from, to] = ["add_rn_f32", "sub_rn_f32"].map(|n| store.name(&format!("FloatOps.{n}")));
    let twin = replaced(&store, defs.value(&form), from, to);
    assert!(disagreement(&defs, &form, twin, 100, &mut words).is_some());
}

/// The term with one constant in place of another.
fn replaced<'b>(store: &Store<'b>, e: Expr, from: Name, to: Name) -> Expr {
    let (from, to) = (store.constant(from, &[]), store.constant(to, &[]));
    store.replace(e, |e, _| (e == from).then_some(to))
}
