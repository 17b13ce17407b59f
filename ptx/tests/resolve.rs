//! What names stand for, in small modules; and each way in which they can stand for nothing, with its place.

use ptx::module::*;
use ptx::text::parse;

const HEAD: &str = ".version 9.5\n.target sm_90a\n.address_size 64\n";

fn module(text: &str) -> Module {
    let text = format!("{HEAD}{text}");
    resolve(&parse(&text).expect("parses")).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// The function of a body that has some registers of each width.
fn body(text: &str) -> Function {
    let text = format!(".entry k(.param .u64 p) {{ {REGISTERS} {text} }}");
    module(&text).functions.remove(0)
}

const REGISTERS: &str =
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .f32 %f<4>;";

/// The operands of the only instruction of a body, and the function.
fn operands(text: &str) -> (Vec<Operand>, Function) {
    let f = body(text);
    assert_eq!(f.code.len(), 1);
    (f.code[0].operands.clone(), f)
}

fn name(f: &Function, r: RegId) -> &str {
    &f.registers[r.index()].name
}

#[test]
fn registers() {
    let f = body(
        ".reg .b64 %SP; mov.b64 %SP, %rd3; mov.b64 %rd3, %SP; { .reg .b32 %r<2>; mov.b32 %r1, 5; } mov.b32 %r1, 6;",
    );
    // Each that occurs, once, in the order in which they first do.
    let all: Vec<(&str, u32, u64, u32)> = f
        .registers
        .iter()
        .map(|r| {
            (
                r.name.as_str(),
                r.bits,
                r.index,
                f.declarations[r.declaration].depth,
            )
        })
        .collect();
    assert_eq!(
        all,
        [
            ("%SP", 64, 0, 0),
            ("%rd3", 64, 3, 0),
            ("%r1", 32, 1, 1),
            ("%r1", 32, 1, 0)
        ]
    );
    assert_eq!(f.code[2].operands[0], Operand::Reg(RegId(2)));
    assert_eq!(f.code[3].operands[0], Operand::Reg(RegId(3)));
    // A range of any size costs nothing, and zeros in front make another name.
    let f = body(".reg .b32 %z<18446744073709551615>; mov.b32 %z18446744073709551614, 1;");
    assert_eq!(f.registers[0].index, u64::MAX - 1);
    let f = body(".reg .b32 %z<5>, %z03; mov.b32 %z3, %z03;");
    assert_ne!(f.code[0].operands[0], f.code[0].operands[1]);
    let f = body("@!%p1 mov.b32 %r1, 1;");
    let g = f.code[0].guard.expect("a guard");
    assert_eq!((name(&f, g.pred), g.negated), ("%p1", true));
}

#[test]
fn scopes_and_labels() {
    let wait = "{ .reg .pred %q; L: setp.eq.u32 %q, %r1, 0; @%q bra L; bra DONE; }";
    let f = body(&format!("{wait} {wait} DONE: ret;"));
    let labels: Vec<(&str, usize)> = f.labels.iter().map(|l| (l.name.as_str(), l.at)).collect();
    assert_eq!(labels, [("DONE", 6), ("L", 0), ("L", 3)]);
    let target = |i: usize| match f.code[i].operands[..] {
        [Operand::Label(l)] => f.labels[l.index()].at,
        _ => panic!("{:?}", f.code[i]),
    };
    assert_eq!([target(1), target(2), target(4), target(5)], [0, 6, 3, 6]);
    // A label and its instruction on one line, forward references out of a scope, a label at the end.
    let f = body("{ @%p1 bra $L__E; } $L__A: add.s32 %r1, %r2, 1; $L__E:");
    assert_eq!(f.labels.iter().map(|l| l.at).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn literals() {
    let f = body("mov.u32 %r1, -1; mov.b32 %r1, 0xFFFFFFFF; mov.f32 %f1, 0f3f800000; mov.f32 %f1, 1.5; mov.f32 %f1, -0f3F800000;
                  mov.u64 %rd1, 18446744073709551615; mov.u32 %r1, WARP_SZ; mov.u32 %r1, 0x10+4;");
    let got: Vec<Literal> = f
        .code
        .iter()
        .map(|i| match i.operands[1] {
            Operand::Imm(l) => l,
            _ => panic!("{i:?}"),
        })
        .collect();
    let double = Literal::F64(1.5f64.to_bits());
    let max = Literal::Int(i128::from(u64::MAX));
    let one = 0x3F80_0000;
    assert_eq!(
        got,
        [
            Literal::Int(-1),
            Literal::Int(0xFFFF_FFFF),
            Literal::F32(one),
            double,
            Literal::F32(one | 1 << 31),
            max,
            Literal::Int(32),
            Literal::Int(20)
        ]
    );
}

#[test]
fn addresses() {
    let at = |text: &str| {
        let (all, f) = operands(text);
        match all[1] {
            Operand::Address(a) => (a, f),
            _ => panic!("{all:?}"),
        }
    };
    let (a, f) = at("ld.global.u32 %r1, [%rd1+-4];");
    let Base::Reg(r) = a.base else {
        panic!("{a:?}")
    };
    assert_eq!((name(&f, r), a.offset), ("%rd1", -4));
    let (a, _) = at("ld.global.u32 %r1, [16+4];");
    assert_eq!(
        a,
        Address {
            base: Base::Zero,
            offset: 20
        }
    );
    let (a, _) = at("ld.param.u32 %r1, [p + 4];");
    assert_eq!(a.offset, 4);
    assert!(matches!(a.base, Base::Symbol(Symbol::Variable(_))));
    let (all, f) = operands("cp.async.bulk.tensor.2d.x [%r1], [%rd1, {%r2, 7}], [%r3];");
    let Operand::Tensor(map, coordinates) = &all[1] else {
        panic!("{all:?}")
    };
    assert!(matches!(map.base, Base::Reg(r) if name(&f, r) == "%rd1"));
    assert_eq!(coordinates[1], Operand::Imm(Literal::Int(7)));
}

#[test]
fn other_operands() {
    let (all, _) = operands("elect.sync _|%p1, -1;");
    assert!(
        matches!(&all[0], Operand::Pair(a, b) if **a == Operand::Sink && matches!(**b, Operand::Reg(_)))
    );
    let (all, _) = operands("mov.b64 {%r1, _}, %rd1;");
    assert!(matches!(&all[0], Operand::Vector(v) if v[1] == Operand::Sink));
    let (all, _) = operands("setp.lt.and.s32 %p1, %r1, 1, !%p2;");
    assert!(matches!(&all[3], Operand::Not(p) if matches!(**p, Operand::Reg(_))));
    for s in [
        "tid.x",
        "laneid",
        "clusterid.y",
        "cluster_ctarank",
        "globaltimer",
        "clock64",
        "lanemask_lt",
        "envreg31",
        "dynamic_smem_size",
        "pm3_64",
        "is_explicit_cluster",
    ] {
        let (all, _) = operands(&format!("mov.u32 %r1, %{s};"));
        assert_eq!(all[1], Operand::Special(s.to_owned()));
    }
    for s in [
        "tid", "tid.q", "envreg32", "envreg01", "pm8", "pm", "clock128", "laneid.x",
    ] {
        assert_eq!(special_bits(s), None, "{s}");
    }
    assert_eq!(special_bits("globaltimer"), Some(64));
    // An opcode that nobody knows resolves, and has no form.
    let f = body("frobnicate.sync.b32 %r1, {%r2, 3}, [%rd1];");
    assert!(f.code[0].form.is_none() && f.code[0].operands.len() == 3);
    assert!(body("add.s32 %r1, %r2, 1;").code[0].form.is_some());
}

#[test]
fn variables() {
    let m = module(
        ".global .align 8 .u64 table[2] = {f, g};
         .global .u32 x = 5; .global .s16 m[2][3] = {{1, -1}, {2}}; .const .f32 c[] = {0f3F800000, 2.0};
         .global .u64 a[3] = {x, x+8, generic(x)+4}; .global .u8 b[2] = {0xFF(x), 0xFF00(x)};
         .global .v4 .f32 v = {1.0, 2.0}; .extern .shared .align 16 .b8 s[]; .extern .global .b32 e[4];
         .func f() { ret; } .func g() { .local .align 16 .b8 depot[16]; ret; }",
    );
    let v = |name: &str| {
        m.variables
            .iter()
            .find(|v| v.name == name)
            .expect("declared")
    };
    let x = Symbol::Variable(VarId(1));
    assert_eq!(
        (
            v("table").bytes,
            v("table").relocations.len(),
            v("table").relocations[1].at
        ),
        (16, 2, 8)
    );
    assert_eq!(v("x").init, [5, 0, 0, 0]);
    assert_eq!(
        (&v("m").init[..], v("m").bytes),
        (&[1, 0, 255, 255, 0, 0, 2, 0][..], 12)
    );
    assert_eq!(
        (&v("c").init[..], v("c").bytes),
        (&[0, 0, 128, 63, 0, 0, 0, 64][..], 8)
    );
    let plain = Relocation {
        at: 0,
        bytes: 8,
        symbol: x,
        generic: false,
        addend: 0,
        shift: 0,
    };
    assert_eq!(
        v("a").relocations,
        [
            plain.clone(),
            Relocation {
                at: 8,
                addend: 8,
                ..plain.clone()
            },
            Relocation {
                at: 16,
                generic: true,
                addend: 4,
                ..plain.clone()
            }
        ]
    );
    let byte = Relocation { bytes: 1, ..plain };
    assert_eq!(
        v("b").relocations,
        [
            byte.clone(),
            Relocation {
                at: 1,
                shift: 8,
                ..byte
            }
        ]
    );
    assert_eq!((v("v").bytes, v("v").align, v("v").init.len()), (16, 16, 8));
    assert!(v("s").dynamic && !v("s").external && v("s").align == 16);
    assert!(!v("e").dynamic && v("e").external && v("e").bytes == 16);
    assert_eq!(
        (v("depot").space, v("depot").owner),
        (Space::Local, Some(FuncId(1)))
    );
}

#[test]
fn functions() {
    let m = module(
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
         .func (.reg .u32 r) twice(.reg .u32 a);
         .func old(.param .b32 q) { ret; } .func new(.param .b32 q); .alias new, old;
         .visible .entry k(.param .u64 .ptr .global .align 1 q, .param .align 64 .b8 map[128]) .reqntid 128
             .reqnctapercluster 2, 1, 1 .maxntid 32, 4 .minnctapersm 1 .pragma \"x\";
         { .reg .b32 %r<3>; call (%r1), twice, (%r2); call new, (%r1); { .param .b32 param0; call old, (param0); } ret; }
         .func (.reg .u32 r) twice(.reg .u32 a) { add.u32 r, a, a; bra.uni E; E: ret; }",
    );
    let names: Vec<(&str, bool)> = m
        .functions
        .iter()
        .map(|f| (f.name.as_str(), f.has_body))
        .collect();
    assert_eq!(
        names,
        [
            ("vprintf", false),
            ("twice", true),
            ("old", true),
            ("new", false),
            ("k", true)
        ]
    );
    assert_eq!(m.functions[1].params, [Formal::Reg(RegId(1))]);
    let k = &m.functions[4];
    assert_eq!(k.required_block, Some([128, 1, 1]));
    assert_eq!(k.max_block, Some([32, 4, 1]));
    assert_eq!(k.required_cluster, Some([2, 1, 1]));
    let all: Vec<&str> = k.directives.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(
        all,
        [
            ".reqntid",
            ".reqnctapercluster",
            ".maxntid",
            ".minnctapersm"
        ]
    );
    let Formal::Param(map) = k.params[1] else {
        panic!()
    };
    let map = &m.variables[map.index()];
    assert_eq!((map.bytes, map.align, map.space), (128, 64, Space::Param));
    let callee = |i: usize| {
        k.code[i].operands.iter().find_map(|x| match x {
            Operand::Symbol(Symbol::Function(f), _) => Some(f.index()),
            _ => None,
        })
    };
    // An alias is the function that it stands for.
    assert_eq!(
        [callee(0), callee(1), callee(2)],
        [Some(1), Some(2), Some(2)]
    );
}

#[test]
fn tables() {
    let m = module(
        ".func f(.param .b32 a) { ret; } .func g(.param .b32 a) { ret; }
         .entry k() { .reg .b32 %r1; .reg .b64 %rd1; ts: .branchtargets A, B; brx.idx %r1, ts; A: ret; B: ret;
         { P: .callprototype (.param .align 8 .b8 _[16]) _ (.param .b32 _, .reg .f64 _); C: .calltargets f, g; call %rd1, (%r1), C; } }",
    );
    let k = &m.functions[2];
    let at = |l: LabelId| k.labels[l.index()].at;
    assert!(
        matches!(&k.tables[0], Table::Branches(all) if all.iter().map(|l| at(*l)).collect::<Vec<_>>() == [1, 2])
    );
    assert_eq!(
        k.tables[1],
        Table::Prototype {
            returns: vec![16],
            params: vec![4, 8]
        }
    );
    assert_eq!(k.tables[2], Table::Calls(vec![FuncId(0), FuncId(1)]));
    assert_eq!(k.code[0].operands[1], Operand::Table(TableId(0)));
    assert_eq!(k.code[3].operands[2], Operand::Table(TableId(2)));
}

/// The only error of a module, the text under its span, and what is said.
fn refused(text: &str) -> (Reason, String, String) {
    let text = format!("{HEAD}{text}");
    let all = resolve(&parse(&text).expect("parses")).expect_err("refused");
    assert_eq!(all.len(), 1, "{all:?}");
    let e = &all[0];
    assert!(!e.to_string().is_empty() && !e.help().is_empty());
    (
        e.reason.clone(),
        text[e.span.range()].to_owned(),
        format!("{e}; {}", e.help()),
    )
}

fn refused_body(text: &str) -> (Reason, String, String) {
    refused(&format!(".entry k(.param .u64 p) {{ {REGISTERS} {text} }}"))
}

#[test]
fn unknown_names() {
    let (r, at, says) = refused_body("mov.b32 %r1, %r99;");
    assert_eq!(r, Reason::OutsideRange("%r99".into(), "%r".into(), 12));
    assert_eq!(
        (at.as_str(), says.contains("`%r0` to `%r11`")),
        ("%r99", true)
    );
    let (r, at, says) = refused_body("$L__BB0_2: bra $L__BB0_3;");
    assert_eq!(
        r,
        Reason::Unknown("$L__BB0_3".into(), Some("$L__BB0_2".into()))
    );
    assert_eq!(
        (at.as_str(), says.contains("did you mean `$L__BB0_2`")),
        ("$L__BB0_3", true)
    );
    let unknown = |n: &str| Reason::Unknown(n.into(), None);
    assert_eq!(
        refused_body("{ INNER: ret; } bra INNER;").0,
        unknown("INNER")
    );
    assert_eq!(
        refused_body("{ .reg .b32 mine; } mov.b32 mine, 1;").0,
        unknown("mine")
    );
    assert_eq!(
        refused_body("mov.b32 late, 1; .reg .b32 late;").0,
        unknown("late")
    );
    assert_eq!(refused_body("@%nope ret;").0, unknown("%nope"));
    assert_eq!(
        refused(".global .u64 t[1] = {nobody};").0,
        unknown("nobody")
    );
    assert_eq!(
        refused_body("T: .branchtargets A; A: ret; U: .calltargets nobody;").0,
        unknown("nobody")
    );
}

#[test]
fn names_with_two_meanings() {
    let duplicate = |text: &str, n: &str| {
        let (r, at, _) = refused_body(text);
        assert!(matches!(&r, Reason::Duplicate(m, _) if m == n), "{r:?}");
        assert_eq!(at, n);
    };
    duplicate("L: L: ret;", "L");
    duplicate(".reg .b32 x; .reg .b64 x;", "x");
    duplicate(".reg .b32 %r<3>;", "%r");
    duplicate(".reg .b32 p;", "p");
    duplicate(".reg .b32 x; x: ret;", "x");
    assert_eq!(
        refused_body(".reg .b32 %r1<5>; mov.b32 %r11, 1;").0,
        Reason::Ambiguous("%r11".into())
    );
    assert_eq!(
        refused_body(".reg .b32 %r3; mov.b32 %r3, 1;").0,
        Reason::Ambiguous("%r3".into())
    );
    for text in [
        ".func f() { ret; } .func f() { ret; }",
        ".global .u32 f; .func f() { ret; }",
        ".func f() { ret; } .global .u32 f;",
        ".global .u32 f; .global .u32 f;",
        ".extern .global .u32 f; .global .u64 f;",
    ] {
        assert!(
            matches!(refused(text), (Reason::Duplicate(n, _), at, _) if n == "f" && at == "f"),
            "{text}"
        );
    }
    module(".extern .global .u32 f; .global .u32 f = 1; .extern .global .u32 f;");
    for text in [
        ".func f(.param .b32 a); .func f(.param .b64 a) { ret; }",
        ".func f(); .func (.param .b32 r) f() { ret; }",
        ".func f(); .entry f() { ret; }",
    ] {
        assert!(
            matches!(refused(text).0, Reason::Prototype(n, _) if n == "f"),
            "{text}"
        );
    }
    assert_eq!(
        refused(".func f(); .func g(); .alias f, g;").0,
        Reason::Alias("g".into())
    );
    assert_eq!(
        refused(".func f() { ret; } .func g() { ret; } .alias f, g;").0,
        Reason::Alias("f".into())
    );
}

#[test]
fn things_of_another_kind() {
    let kind = |text: &str, name: &str, is: &str, wanted: &str| {
        let (r, at, _) = refused_body(text);
        assert!(
            matches!(&r, Reason::Kind(n, i, w) if (n.as_str(), *i, *w) == (name, is, wanted)),
            "{r:?}"
        );
        assert_eq!(at, name);
    };
    kind("@%r1 ret;", "%r1", "a register", "a predicate");
    kind("@p ret;", "p", "a variable", "a predicate");
    kind(
        "L: ld.global.u32 %r1, [L];",
        "L",
        "a label",
        "a register, a variable or a number",
    );
    kind("T: .branchtargets p;", "p", "a variable", "a label");
    kind("T: .calltargets p;", "p", "a variable", "a function");
    let wanted = |text: &str, wanted: &'static str, under: &str| {
        let (r, at, _) = refused_body(text);
        assert_eq!((r, at.as_str()), (Reason::Wanted(wanted), under));
    };
    wanted("selp.b32 %r1, 1, 0, !%r2;", "a predicate", "%r2");
    wanted(
        "mov.b32 %r1, %r2+4;",
        "an operand without an offset",
        "%r2+4",
    );
    wanted(
        "ld.global.u32 %r1, [-4, %r1];",
        "a vector of coordinates",
        "[-4, %r1]",
    );
    wanted(
        "ld.global.u32 %r1, [0f00000000];",
        "a register, a variable or a number",
        "0f00000000",
    );
    let (r, at, says) = refused_body("add.s32 %r1, %r2;");
    assert!(
        matches!(&r, Reason::Operands(o, _) if o == "add.s32"),
        "{r:?}"
    );
    assert_eq!(at, "add.s32 %r1, %r2;");
    assert!(says.contains("d:type, a:type, b:type"), "{says}");
    assert!(matches!(
        refused_body("ld.global.u32 %r1, [p+18446744073709551615];").0,
        Reason::Number(_)
    ));
    assert!(matches!(
        refused_body("ld.global.u32 %r1, [18446744073709551615];").0,
        Reason::Number(_)
    ));
}

#[test]
fn declarations_that_say_nothing() {
    let reason = |text: &str, wanted: Reason, under: &str| {
        let (r, at, _) = refused(text);
        assert_eq!((r, at.as_str()), (wanted, under), "{text}");
    };
    reason(".global .q32 x;", Reason::Type(".q32".into()), ".q32");
    reason(
        ".global .pred x;",
        Reason::Type(".pred".into()),
        ".global .pred x;",
    );
    reason(".global .b32 .f32 x;", Reason::Type(".f32".into()), ".f32");
    reason(".global x;", Reason::Incomplete("a type"), ".global x;");
    reason(".u32 x;", Reason::Incomplete("a state space"), ".u32 x;");
    reason(".reg .u32 x;", Reason::Space(".reg".into()), ".reg .u32 x;");
    reason(
        ".global .shared .u32 x;",
        Reason::Space(".shared".into()),
        ".shared",
    );
    reason(".global .align 12 .u32 x;", Reason::Alignment(12), "12");
    reason(".global .u32 x[];", Reason::Unsized, "x");
    reason(".global .u32 x[2][];", Reason::Unsized, "x");
    reason(
        ".global .u32 x[999999999999];",
        Reason::TooLarge,
        "999999999999",
    );
    reason(
        ".global .u32 x[4294967296][4294967296];",
        Reason::TooLarge,
        "4294967296",
    );
    reason(
        ".global .b32 x<4>;",
        Reason::Unsupported("ranges of variables"),
        "4",
    );
    reason(
        ".func f(.global .u32 x);",
        Reason::Space(".global".into()),
        "x",
    );
    reason(
        ".entry f() .reqntid 0 { ret; }",
        Reason::Number("one to three positive numbers of 32 bits"),
        ".reqntid",
    );
    reason(
        ".func f() { .reg .v4 .f32 x; }",
        Reason::Unsupported("vectors as registers"),
        "x",
    );
    reason(
        ".func f() { .reg .f32 x[4]; }",
        Reason::Unsupported("arrays and initial values of registers"),
        "x",
    );
}

#[test]
fn initial_values_that_do_not_fit() {
    let initial = |text: &str, under: &str| {
        let (r, at, _) = refused(text);
        assert!(matches!(r, Reason::Initial(_)), "{r:?}");
        assert_eq!(at, under, "{text}");
    };
    initial(".global .u8 x = 256;", "256");
    initial(".global .s8 x = -129;", "129");
    initial(".global .u32 x = 0f3F800000;", "0f3F800000");
    initial(".global .f32 x = 1;", "1");
    initial(".global .f32 x = 0d3FF0000000000000;", "0d3FF0000000000000");
    initial(".global .u32 x = {1};", "1");
    initial(".global .u32 x[2] = 1;", "1");
    initial(".global .u8 y; .global .u8 x = y;", "y");
    initial(".global .u8 y; .global .u16 x = 0xFF(y);", "0xFF");
    initial(".global .u8 y; .global .u8 x = 0x7F(y);", "0x7F");
    initial(".global .u8 y; .global .u64 x = specific(y);", "specific");
    initial(".global .u8 y; .global .u8 x = generic(y);", "generic");
    let (r, at, _) = refused(".global .u8 x[2] = {1, 2, 3};");
    assert_eq!((r, at.as_str()), (Reason::TooManyInitials(2), "1, 2, 3"));
    let (r, at, _) = refused(".global .u8 x[2][99999999999] = {{1}, {2}};");
    assert_eq!((r, at.as_str()), (Reason::TooLarge, "2"));
    // The value's extremes do.
    let m = module(
        ".global .u8 x = 255; .global .b8 y = -128; .global .s64 z = -9223372036854775808; .global .b64 w = 0d3FF0000000000000;",
    );
    assert_eq!(m.variables[2].init, [0, 0, 0, 0, 0, 0, 0, 128]);
}

/// All errors are told, in the order of the text.
#[test]
fn many_errors() {
    let text = format!(
        "{HEAD}.entry k() {{ mov.b32 %a, %b; L: L: @%c ret; }} .global .q1 x; .entry k() {{ }}"
    );
    let all = resolve(&parse(&text).expect("parses")).expect_err("refused");
    let under: Vec<&str> = all.iter().map(|e| &text[e.span.range()]).collect();
    assert_eq!(under, ["%a", "L", "%c", ".q1", "k"]);
}

/// Registers have the widths of their operands, and literals are of their types.
#[test]
fn types_of_operands() {
    let width = |text: &str, name: &str, bits, wanted| {
        let (r, at, says) = refused_body(text);
        assert_eq!(
            (r, at.as_str()),
            (Reason::Width(name.into(), bits, wanted), name),
            "{text}"
        );
        assert!(says.contains(&format!("a register of {wanted} bits")));
    };
    width("add.s32 %r1, %r2, %rd1;", "%rd1", 64, 32);
    width("add.s64 %r1, %rd2, %rd1;", "%r1", 32, 64);
    width("mul.wide.s32 %r1, %r2, %r3;", "%r1", 32, 64);
    width("selp.b32 %r1, %r2, %r3, %r4;", "%r4", 32, 1);
    width("mov.b64 {%r1, %rd1}, %rd2;", "%rd1", 64, 32);
    width("setp.lt.s32 %p1|%r1, %r2, %r3;", "%r1", 32, 1);
    width("cvt.s64.s32 %r1, %r2;", "%r1", 32, 64);
    // In a conversion a register may be wider, and a shift's count has 32 bits whatever is shifted.
    body("cvt.u32.u8 %r1, %r2; cvt.s16.s8 %r1, %rd1; shl.b64 %rd1, %rd1, %r1;");
    let literal = |text: &str, ty: &str, under: &str| {
        let (r, at, _) = refused_body(text);
        assert_eq!(
            (r, at.as_str()),
            (Reason::Literal(ty.into()), under),
            "{text}"
        );
    };
    literal("add.s32 %r1, %r2, 0f3F800000;", "s32", "0f3F800000");
    literal("add.f32 %f1, %f2, 1;", "f32", "1");
    literal(
        "add.f32 %f1, %f2, 0d3FF0000000000000;",
        "f32",
        "0d3FF0000000000000",
    );
    literal("mov.b64 %rd1, 0f3F800000;", "b64", "0f3F800000");
    literal("mov.b32 %r1, 1.5;", "b32", "1.5");
    body(
        "add.f32 %f1, %f2, 1.5; mov.b32 %r1, 0f3F800000; mov.b64 %rd1, 0d3FF0000000000000; mov.u32 %r1, -1;",
    );
}

/// Calls fit what they call.
#[test]
fn calls() {
    let text = |call: &str| {
        format!(
            ".func (.param .b32 r) f(.param .b64 a, .param .align 8 .b8 b[16]) {{ ret; }} .func g() {{ ret; }}
             .func h(.reg .u32 x) {{ ret; }}
             .entry k() {{ .reg .b32 %r<3>; .reg .b64 %rd<3>; .param .b32 r; .param .b64 a; .param .align 8 .b8 b[16];
             P: .callprototype (.param .b32 _) _ (.param .b64 _); C: .calltargets g; B: .branchtargets C2; C2: {call} }}"
        )
    };
    for call in [
        "call.uni (r), f, (a, b);",
        "call g;",
        "call h, (%r1);",
        "call h, (5);",
        "call (r), %rd1, (a), P;",
        "call %rd1, C;",
    ] {
        module(&text(call));
    }
    let reason = |call: &str, wanted: Reason| {
        let (r, at, _) = refused(&text(call));
        assert_eq!((r, at.as_str()), (wanted, call));
    };
    reason(
        "call (r), f, (a);",
        Reason::Arguments("f".into(), "arguments", 2, 1),
    );
    reason(
        "call f, (a, b);",
        Reason::Arguments("f".into(), "results", 1, 0),
    );
    reason(
        "call (r), f, (a, a);",
        Reason::ArgumentSize("f".into(), "arguments", 1, 16, 8),
    );
    reason(
        "call h, (%rd1);",
        Reason::ArgumentSize("h".into(), "arguments", 0, 4, 8),
    );
    reason(
        "call (r), %rd1, (b), P;",
        Reason::ArgumentSize("the prototype".into(), "arguments", 0, 8, 16),
    );
    reason(
        "call %rd1;",
        Reason::Wanted("a prototype or a list of functions at the end"),
    );
    reason(
        "call %rd1, B;",
        Reason::Wanted("a prototype or a list of functions"),
    );
    reason(
        "call r;",
        Reason::Wanted("a function or the register with its address"),
    );
}
