//! Which row an instruction is of: modifiers in other orders, and operands that tell rows with one opcode apart.

use ptx::isa::{Form, Given, NoForm, form_for, forms_of};

use Given::{
    Address, Immediate, Label, Not, Pair, Register, Sink, Special, Symbol, Tensor, Vector,
};

fn form(opcode: &str, given: &[Given]) -> Form {
    form_for(opcode, given).unwrap_or_else(|e| panic!("{opcode} {given:?}: {e}"))
}

/// The canonical opcode is the manual's order, whatever the text's.
#[test]
fn modifiers_in_any_order() {
    for (written, canonical) in [
        (
            "atom.global.gpu.acq_rel.add.u32",
            "atom.acq_rel.gpu.global.add.u32",
        ),
        (
            "atom.global.acq_rel.gpu.cas.b32",
            "atom.acq_rel.gpu.global.cas.b32",
        ),
        ("atom.add.acquire.cta.u32", "atom.acquire.cta.add.u32"),
        (
            "red.global.gpu.relaxed.add.u32",
            "red.relaxed.gpu.global.add.u32",
        ),
        ("ld.global.relaxed.gpu.u32", "ld.relaxed.gpu.global.u32"),
        ("ld.v4.global.f32", "ld.global.v4.f32"),
        ("mul.s32.lo", ""),
        ("fma.ftz.rn.s32", ""),
        ("cvt.s32.u8.rn", ""),
        ("setp.lt.f32.s32", ""),
    ] {
        let found: Vec<String> = forms_of(written).into_iter().map(|f| f.opcode).collect();
        match canonical {
            "" => assert!(found.is_empty(), "{written}: {found:?}"),
            c => assert_eq!(found, [c], "{written}"),
        }
    }
}

/// Types, state spaces and layouts mean their positions.
#[test]
fn positions_that_mean_something() {
    let words = |opcode: &str, slots: [&str; 2]| {
        let f = forms_of(opcode).remove(0);
        slots.map(|s| f.word(s))
    };
    assert_eq!(words("cvt.s64.s32", ["dtype", "atype"]), ["s64", "s32"]);
    assert_eq!(words("cvt.s32.s64", ["dtype", "atype"]), ["s32", "s64"]);
    let mma = |a, b| format!("mma.sync.aligned.m16n8k16.{a}.{b}.f32.bf16.bf16.f32");
    assert_eq!(
        words(&mma("row", "col"), ["alayout", "blayout"]),
        ["row", "col"]
    );
    assert_eq!(
        words(&mma("col", "row"), ["alayout", "blayout"]),
        ["col", "row"]
    );
    let bulk = |a, b| format!("cp.async.bulk.{a}.{b}.mbarrier::complete_tx::bytes");
    assert_eq!(
        words(&bulk("shared::cluster", "shared::cta"), ["dst", "src"]),
        ["shared::cluster", "shared::cta"]
    );
    assert!(forms_of(&bulk("global", "shared::cta")).is_empty());
    assert!(forms_of(&bulk("shared::cta", "shared::cluster")).is_empty());
}

/// Rows with one opcode are told apart by what is written at the operands.
#[test]
fn operands_choose() {
    let variant = |opcode: &str, given: &[Given]| {
        let f = form(opcode, given);
        (f.shape(), f.variant().unwrap_or_default())
    };
    let alu = |v: &str| ("alu", v.to_owned());
    assert_eq!(
        variant("mov.u32", &[Register, Special]),
        ("sreg", String::new())
    );
    assert_eq!(variant("mov.u32", &[Register, Register]), alu(""));
    assert_eq!(variant("mov.u32", &[Register, Symbol]), alu(""));
    assert_eq!(variant("mov.b64", &[Register, Vector(2)]), alu("pack2"));
    assert_eq!(variant("mov.b64", &[Register, Vector(4)]), alu("pack4"));
    assert_eq!(variant("mov.b64", &[Vector(2), Register]), alu("unpack2"));
    assert_eq!(variant("mov.b32", &[Vector(4), Register]), alu("unpack4"));
    for (opcode, given) in [
        ("bar.sync", &[Immediate][..]),
        ("bar.sync", &[Register, Immediate]),
        ("bar.red.popc.u32", &[Register, Immediate, Not]),
        (
            "bar.red.popc.u32",
            &[Register, Immediate, Register, Register],
        ),
        (
            "shfl.sync.up.b32",
            &[Pair, Register, Immediate, Immediate, Immediate],
        ),
        (
            "shfl.sync.up.b32",
            &[Register, Register, Immediate, Immediate, Immediate],
        ),
        ("elect.sync", &[Pair, Immediate]),
        ("mbarrier.arrive.shared::cta.b64", &[Sink, Address]),
        ("bra.uni", &[Label]),
        ("call.uni", &[Given::List, Symbol, Given::List]),
        ("call", &[Symbol]),
        (
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes",
            &[Address, Tensor, Address],
        ),
    ] {
        form(opcode, given);
    }
    let lines = |opcode: &str, given: &[Given]| match form_for(opcode, given) {
        Err(NoForm::Operands(lines)) => lines.len(),
        other => panic!("{opcode}: {other:?}"),
    };
    assert_eq!(lines("mov.b64", &[Register, Vector(3)]), 6);
    assert_eq!(lines("add.s32", &[Register, Register]), 1);
    assert_eq!(lines("add.s32", &[Register, Register, Not]), 1);
    assert_eq!(lines("elect.sync", &[Register, Immediate]), 1);
    assert_eq!(lines("bra", &[Register]), 1);
    assert_eq!(form_for("frobnicate.u32", &[]), Err(NoForm::Opcode));
}
