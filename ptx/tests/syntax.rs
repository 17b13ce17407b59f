//! Forms that the corpus lacks or has only once: they are read into the right tree and printed back.

use ptx::text::ast::{Init, Item, Operand, Sign, Statement};
use ptx::text::parse;

fn same(text: &str) -> ptx::text::ast::Module {
    let m = parse(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(m.print(), text);
    m
}

fn statements(body: &str) -> Vec<Statement> {
    let m = same(&format!(".entry k() {{ {body} }}"));
    let f = m.entries().next().expect("one entry");
    f.body.as_ref().expect("a body").statements.clone()
}

fn instr(text: &str) -> ptx::text::ast::Instr {
    match statements(text).remove(0) {
        Statement::Instr(i) => i,
        other => panic!("{other:?}"),
    }
}

#[test]
fn guards_pairs_sinks_and_offsets() {
    let i = instr("@!%p3 shfl.sync.up.b32 %r1|%p1, %r2, 0x1, -1, _;");
    assert!(
        i.guard
            .as_ref()
            .is_some_and(|g| g.negated && g.pred.text == "%p3")
    );
    assert_eq!(i.words().collect::<Vec<_>>(), ["shfl", "sync", "up", "b32"]);
    assert!(
        matches!(&i.operands[0], Operand::Pair(a, b) if matches!((&**a, &**b), (Operand::Name(a), Operand::Name(b)) if a.text == "%r1" && b.text == "%p1"))
    );
    assert!(matches!(&i.operands[2], Operand::Int(Sign::Plus, n) if n.value == 1));
    assert!(matches!(&i.operands[3], Operand::Int(Sign::Minus, n) if n.value == 1));
    assert!(matches!(i.operands[4], Operand::Sink(_)));
    for (text, value) in [
        ("[%r1+-4]", -4),
        ("[%r1-4]", -4),
        ("[%r1 + 0x10]", 16),
        ("[buf+010]", 8),
        ("[%r1--4]", 4),
    ] {
        let i = instr(&format!("ld.shared.u32 %r2, {text};"));
        let Operand::Address(inside, _) = &i.operands[1] else {
            panic!("{i:?}")
        };
        assert!(
            matches!(&inside[0], Operand::Offset(_, o) if o.value() == value),
            "{text}"
        );
    }
}

#[test]
fn floats_keep_their_bits() {
    let i = instr("fma.rn.f32 %f1, 0f3F800000, 0F7f800001, 0d3FF0000000000000;");
    let bits = i.operands[1..].iter().map(|o| match o {
        Operand::Float(Sign::Plus, f) => f.bits,
        other => panic!("{other:?}"),
    });
    assert_eq!(
        bits.collect::<Vec<_>>(),
        [
            Some((32, 0x3F80_0000)),
            Some((32, 0x7F80_0001)),
            Some((64, 0x3FF0_0000_0000_0000))
        ]
    );
    instr("mov.f32 %f1, 1.5e-3;");
}

/// Labels may repeat in scopes of their own, stand before an instruction on one line, and before directives.
#[test]
fn scopes_and_labels() {
    let s = statements(
        "{ .reg .pred p; L: bra L; } { L: @p bra.uni L; } ts: .branchtargets A, B; $x: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;",
    );
    assert_eq!(s.len(), 6);
    let Statement::Block(b) = &s[0] else {
        panic!("{s:?}")
    };
    assert!(matches!(&b.statements[1], Statement::Label(l) if l.text == "L"));
    assert!(
        matches!(&s[3], Statement::Targets(k, names) if k.text == ".branchtargets" && names.len() == 2)
    );
    assert!(
        matches!(&s[5], Statement::Prototype(p) if p.params.as_ref().is_some_and(|p| p.len() == 2) && p.attrs.len() == 1)
    );
}

#[test]
fn module_level_forms() {
    let m = same(
        ".version 9.10\n.target sm_90a, debug\n.address_size 64\n.visible .global .align 8 .u64 p[2] = {generic(q)+8, 0xFF(q)};\n\
         .extern .shared .align 16 .b8 smem[];\n.const .attribute(.managed, .unified(19, 95)) .v4 .f32 c = {0f00000000, -1.5, 2, x+4};\n\
         .extern .func (.param .b32 r) f (.param .b64 a) .noreturn;\n.weak .func g() { ret; }\n.alias g, h;\n.pragma \"a\", \"b\";\n\
         .visible .entry k(.param .u64 .ptr .global .align 1 a) .maxntid 128, 1, 1 .minnctapersm 2 .pragma \"x\"; { ret; }\n\
         .section .debug_x { l: .b8 1, -2, 3 .b64 l+4 .b32 .debug_y }\n.file 1 \"a b.cu\", 0, 12\n",
    );
    let Item::Variable(d) = &m.items[3] else {
        panic!("{:?}", m.items[3])
    };
    assert_eq!(ptx::text::ast::space(&d.attrs), Some("global"));
    assert_eq!(ptx::text::ast::type_name(&d.attrs), Some("u64"));
    assert_eq!(
        ptx::text::ast::attribute_number(&d.attrs, ".align"),
        Some(8)
    );
    assert!(
        matches!(&d.vars[0].init, Some(Init::List(l)) if matches!(&l[0], Init::Apply(_, _, Some(o)) if o.value() == 8))
    );
    let Item::Function(k) = &m.items[10] else {
        panic!("{:?}", m.items[10])
    };
    assert_eq!(k.tuning.len(), 3);
    let params = k.params.as_ref().expect("parameters");
    assert_eq!(ptx::text::ast::type_name(&params[0].attrs), Some("u64"));
}

#[test]
fn canonical_is_normal() {
    let m = same(
        ".entry  k(.param .u64 a,/*c*/.param .u32 b)\n.reqntid 0x80\n{ .reg .b32 %r<0x3>; // hi\n@%p1\tst.global.v2.b32 [ %rd1 +  0x4 ],{%r1,%r2}; L:ret ; }",
    );
    assert_eq!(
        m.canonical(),
        ".entry k(.param .u64 a, .param .u32 b)\n.reqntid 128\n{\n    .reg .b32 %r<3>;\n    @%p1 st.global.v2.b32 [%rd1+4], {%r1, %r2};\n    L:\n    ret;\n}\n"
    );
}
