//! Meanings on concrete words, against results computed in other ways: by hand, and by Rust's own integers.

use ptx::alg::bits::{Bits, BitsAlg, Ieee};
use ptx::isa::{OperandMismatch, alu_forms, forms_of, forms_of_row, table};

/// Runs an opcode on words of the widths that it takes.
fn run(opcode: &str, args: &[u128]) -> u128 {
    let form = forms_of(opcode)
        .into_iter()
        .find(|f| f.signature().is_some())
        .unwrap_or_else(|| panic!("no {opcode}"));
    let (ins, out) = form.signature().expect("a function of words");
    let words: Vec<Bits> = ins
        .iter()
        .zip(args)
        .map(|(w, v)| Bits::new(*w, *v))
        .collect();
    let result = form
        .apply(&mut BitsAlg(Ieee), &words)
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(result.width(), out, "{opcode}");
    result.value()
}

/// Vectors worked out by hand.
#[test]
fn by_hand() {
    let m32 = 0xFFFF_FFFF;
    let m64 = 0xFFFF_FFFF_FFFF_FFFF;
    for (opcode, args, result) in [
        ("add.s32", &[0x7FFF_FFFF, 1][..], 0x8000_0000),
        ("add.u16", &[0xFFFF, 2], 1),
        ("add.s64", &[m64, 1], 0),
        ("sub.s32", &[0, 1], m32),
        ("mul.lo.s32", &[0x10001, 0x10001], 0x20001),
        ("mul.hi.u32", &[m32, m32], 0xFFFF_FFFE),
        ("mul.hi.s32", &[m32, m32], 0),
        ("mul.hi.s32", &[0x8000_0000, 2], m32),
        ("mul.hi.u64", &[m64, m64], 0xFFFF_FFFF_FFFF_FFFE),
        ("mul.wide.s32", &[m32, 4], 0xFFFF_FFFF_FFFF_FFFC),
        ("mul.wide.u32", &[m32, 4], 0x3_FFFF_FFFC),
        ("mul.wide.s16", &[0x8000, 0x8000], 0x4000_0000),
        ("mul.wide.u16", &[0xFFFF, 0xFFFF], 0xFFFE_0001),
        ("mad.lo.s32", &[0x8000_0000, 3, 5], 0x8000_0005),
        ("mad.hi.u32", &[m32, m32, 3], 1),
        ("mad.wide.s32", &[m32, 1, 1], 0),
        ("mad.wide.u32", &[m32, m32, m64], 0xFFFF_FFFE_0000_0000),
        ("abs.s32", &[0x8000_0000], 0x8000_0000),
        ("abs.s16", &[0xFFFE], 2),
        ("neg.s64", &[1], m64),
        ("min.s32", &[m32, 0], m32),
        ("min.u32", &[m32, 0], 0),
        ("max.s32", &[m32, 0], 0),
        ("max.u64", &[m64, 0], m64),
        ("and.b32", &[0xF0F0_F0F0, 0x00FF_00FF], 0x00F0_00F0),
        ("or.b16", &[0xF000, 0x000F], 0xF00F),
        ("xor.b64", &[m64, 1], 0xFFFF_FFFF_FFFF_FFFE),
        ("xor.pred", &[1, 1], 0),
        ("not.pred", &[0], 1),
        ("not.b32", &[0], m32),
        ("shl.b32", &[1, 31], 0x8000_0000),
        ("shl.b32", &[1, 32], 0),
        ("shl.b32", &[1, m32], 0),
        ("shl.b64", &[0x8000_0000_0000_0001, 2], 4),
        ("shl.b64", &[1, 63], 0x8000_0000_0000_0000),
        ("shl.b64", &[m64, 64], 0),
        ("shl.b16", &[1, 16], 0),
        ("shr.u32", &[0x8000_0000, 31], 1),
        ("shr.u32", &[0x8000_0000, 32], 0),
        ("shr.s32", &[0x8000_0000, 31], m32),
        ("shr.s32", &[0x8000_0000, 1000], m32),
        ("shr.s32", &[0x7FFF_FFFF, 1000], 0),
        (
            "shr.s64",
            &[0x8000_0000_0000_0000, 4],
            0xF800_0000_0000_0000,
        ),
        ("shr.b64", &[m64, 60], 0xF),
        ("shr.s16", &[0x8000, 15], 0xFFFF),
        ("setp.ge.s32", &[m32, 0], 0),
        ("setp.ge.s32", &[5, 5], 1),
        ("setp.ge.u32", &[m32, 0], 1),
        ("setp.gt.s32", &[5, 5], 0),
        ("setp.lt.s64", &[0x8000_0000_0000_0000, 0], 1),
        ("setp.lt.u64", &[0x8000_0000_0000_0000, 0], 0),
        ("setp.le.s16", &[0x7FFF, 0x8000], 0),
        ("setp.lo.u32", &[0, m32], 1),
        ("setp.hs.u32", &[7, 7], 1),
        ("setp.hi.u32", &[7, 7], 0),
        ("setp.ls.u32", &[8, 7], 0),
        ("setp.eq.b32", &[7, 7], 1),
        ("setp.ne.s64", &[7, 7], 0),
        ("selp.b32", &[1, 2, 1], 1),
        ("selp.f32", &[1, 2, 0], 2),
        ("mov.b32", &[9], 9),
        ("mov.pred", &[1], 1),
        ("cvta.to.global.u64", &[0x7F00_0000_0010], 0x7F00_0000_0010),
        ("cvt.u64.u32", &[m32], m32),
        ("cvt.s64.s32", &[m32], m64),
        ("cvt.u64.s32", &[m32], m64),
        ("cvt.s64.u32", &[m32], m32),
        ("cvt.u32.u64", &[0x1_0000_0002], 2),
        ("cvt.s16.u64", &[0x1_8000], 0x8000),
        ("cvt.u32.s32", &[m32], m32),
        ("add.f32", &[0x3F80_0000, 0x4000_0000], 0x4040_0000),
        ("add.rn.f32", &[0x4B80_0000, 0x3F80_0000], 0x4B80_0000),
        ("sub.f32", &[0x3F80_0000, 0x3F80_0000], 0),
        ("mul.rn.f32", &[0x7F7F_FFFF, 0x4000_0000], 0x7F80_0000),
        (
            "fma.rn.f32",
            &[0x3F80_0001, 0x3F80_0001, 0xBF80_0002],
            0x2880_0000,
        ),
        ("max.f32", &[0x7FC0_0000, 0xBF80_0000], 0xBF80_0000),
        ("max.f32", &[0x8000_0000, 0], 0),
        ("min.f32", &[0, 0x8000_0000], 0x8000_0000),
        ("max.f32", &[0x7FC0_0000, 0xFFC0_0000], 0x7FFF_FFFF),
    ] {
        assert_eq!(run(opcode, args), result, "{opcode} {args:x?}");
    }
}

/// The 32-bit forms against Rust's integers, on all pairs of awkward numbers.
#[test]
fn by_rust_integers() {
    let edge = [
        0u32,
        1,
        2,
        3,
        31,
        32,
        33,
        0x7FFF,
        0x8000,
        0xFFFF,
        0x10000,
        0x7FFF_FFFF,
        0x8000_0000,
        0x8000_0001,
        0xFFFF_FFFE,
        0xFFFF_FFFF,
        0xDEAD_BEEF,
    ];
    for a in edge {
        for b in edge {
            let (s, t) = (a as i32, b as i32);
            let r = |opcode: &str| run(opcode, &[u128::from(a), u128::from(b)]);
            assert_eq!(r("add.u32") as u32, a.wrapping_add(b));
            assert_eq!(r("sub.u32") as u32, a.wrapping_sub(b));
            assert_eq!(r("mul.lo.u32") as u32, a.wrapping_mul(b));
            assert_eq!(
                r("mul.hi.u32") as u32,
                ((u64::from(a) * u64::from(b)) >> 32) as u32
            );
            assert_eq!(
                r("mul.hi.s32") as u32,
                ((i64::from(s) * i64::from(t)) >> 32) as u32
            );
            assert_eq!(
                r("mul.wide.s32") as u64,
                (i64::from(s) * i64::from(t)) as u64
            );
            assert_eq!(r("mul.wide.u32") as u64, u64::from(a) * u64::from(b));
            assert_eq!(r("setp.lt.s32"), u128::from(s < t));
            assert_eq!(r("setp.le.s32"), u128::from(s <= t));
            assert_eq!(r("setp.gt.u32"), u128::from(a > b));
            assert_eq!(r("setp.ge.u32"), u128::from(a >= b));
            assert_eq!(r("min.s32") as u32, s.min(t) as u32);
            assert_eq!(r("max.s32") as u32, s.max(t) as u32);
            assert_eq!(r("max.u32") as u32, a.max(b));
            assert_eq!(r("shl.b32") as u32, a.checked_shl(b).unwrap_or(0));
            assert_eq!(r("shr.u32") as u32, a.checked_shr(b).unwrap_or(0));
            assert_eq!(r("shr.s32") as u32, (s >> b.min(31)) as u32);
        }
    }
}

/// Every row can be read, and every opcode of those that compute is the row's own: its words are those of the slots, its
/// operands have widths, and the meaning takes and returns words of those.
#[test]
fn table_is_well_formed() {
    let mut names = Vec::new();
    for (i, row) in table::<BitsAlg<Ieee>>().enumerate() {
        assert!(
            !row.section.is_empty() && !row.says.is_empty(),
            "{}",
            row.syntax
        );
        if row.shape.name() != "alu" {
            continue;
        }
        for form in forms_of_row(i) {
            assert!(
                forms_of(&form.opcode).contains(&form),
                "{} does not match itself",
                form.opcode
            );
            let (ins, out) = form
                .signature()
                .unwrap_or_else(|| panic!("{}: no signature", form.opcode));
            assert!(
                out > 0
                    && form
                        .sources()
                        .iter()
                        .chain(form.dests())
                        .all(|t| t.bits > 0),
                "{}",
                form.opcode
            );
            let args: Vec<Bits> = ins.iter().map(|w| Bits::new(*w, 3)).collect();
            let result = form
                .apply(&mut BitsAlg(Ieee), &args)
                .unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(result.width(), out, "{}", form.opcode);
            names.push((form.opcode.clone(), form.variant()));
        }
    }
    let n = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), n, "an opcode has two meanings");
    assert_eq!(alu_forms().len(), n);
}

/// Operands of other widths are refused.
#[test]
fn widths_are_checked() {
    let form = forms_of("mul.wide.s32").remove(0);
    let e = form.apply(&mut BitsAlg(Ieee), &[Bits::new(32, 1), Bits::new(64, 1)]);
    assert_eq!(
        e,
        Err(OperandMismatch {
            opcode: "mul.wide.s32".into(),
            wanted: vec![32, 32],
            given: vec![32, 64]
        })
    );
    assert!(form.apply(&mut BitsAlg(Ieee), &[Bits::new(32, 1)]).is_err());
}

/// What the table does not know has no form; near misses are not taken for something else.
#[test]
fn unknown_opcodes() {
    for opcode in [
        "add.f32.rn",
        "add.ftz.f64",
        "add.rna.f32",
        "min.NaN.f64",
        "div.f32",
        "add",
        "add.s32.sat",
        "mul.s32",
        "setp.ltu.s32",
        "setp.lo.f32",
        "ld.global",
        "ld.global.u32.u32",
        "mma.sync.aligned.m16n8k8.col.f32.tf32.tf32.f32",
        "st.global.nc.u32",
        "shl.b8",
        "cvt.f32.s32",
        "cvt.rn.s32.f32",
        "cvt.rni.f32.f64",
        "cvt.f16.f32",
        "cvt.rn.e4m3x2.f32",
        "",
        ".",
        "mul.wide.s64",
        "setp.lo.s32",
    ] {
        assert!(forms_of(opcode).is_empty(), "{opcode}");
    }
}
