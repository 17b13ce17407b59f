//! Kernels go round: text, data, term, text. Tampered terms are caught.

use bumpalo::Bump;
use logic::{Expr, Store};
use ptx::module::{self, Resolved};
use ptx::program::{
    Malformed, Reason, RenderMismatch, Translation, Unsupported, check_render, kernel_of_term,
    kernel_term, module_declarations, normal_text, render, translate,
};
use ptx::summary::summary;
use ptx::text::ast::{Function, Module};
use ptx::text::parse;

const VADD: &str = include_str!("../../tests/kernels/cuda/vadd.sm_90a.ptx");

fn vadd() -> Module {
    parse(VADD).expect("parses")
}

fn entry<'m>(m: &'m Module, name: &str) -> &'m Function {
    m.entries()
        .find(|f| f.name.text == name)
        .expect("the entry")
}

/// The data of an entry of a module.
fn data(m: &Module, name: &str) -> Result<Translation, Unsupported> {
    translate(&Resolved::new(m), entry(m, name))
}

const VADD_TEXT: &str = "\
.entry vadd(.param .u64 vadd_param_0, .param .u64 vadd_param_1, .param .u64 vadd_param_2, .param .u32 vadd_param_3)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<11>;
    ld.param.u64 %rd1, [vadd_param_0];
    ld.param.u64 %rd2, [vadd_param_1];
    ld.param.u64 %rd3, [vadd_param_2];
    ld.param.u32 %r2, [vadd_param_3];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r3, %r4, %r5;
    setp.ge.s32 %p1, %r1, %r2;
    @%p1 bra $L__BB0_2;
    cvta.to.global.u64 %rd4, %rd1;
    mul.wide.s32 %rd5, %r1, 4;
    add.s64 %rd6, %rd4, %rd5;
    cvta.to.global.u64 %rd7, %rd2;
    add.s64 %rd8, %rd7, %rd5;
    ld.global.nc.f32 %f1, [%rd8];
    ld.global.nc.f32 %f2, [%rd6];
    add.f32 %f3, %f2, %f1;
    cvta.to.global.u64 %rd9, %rd3;
    add.s64 %rd10, %rd9, %rd5;
    st.global.f32 [%rd10], %f3;
    $L__BB0_2:
    ret;
}
";

#[test]
fn the_four_kernels_of_vadd() {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let all = module_declarations(&store, &vadd(), store.name("m")).expect("rendered as read");
    assert_eq!(all.unsupported, []);
    let names: Vec<String> = all
        .kernels
        .iter()
        .map(|k| store.name_to_string(k.definition.name))
        .collect();
    assert_eq!(names, ["m.vadd", "m.saxpy", "m.vadd4", "m.relu_inplace"]);
    let k = &all.kernels[0];
    assert_eq!(render(&store, k.definition.value).as_deref(), Ok(VADD_TEXT));
    assert_eq!(
        kernel_of_term(&store, k.definition.value).as_ref(),
        Ok(&k.translation.kernel)
    );
    assert_eq!(
        &VADD[k.translation.spans[7].range()],
        "mad.lo.s32 \t%r1, %r3, %r4, %r5;"
    );
    assert!(!store.has_loose_bvars(k.definition.value));
}

/// Every entry of the corpus is either understood, and then rendered as it was read, or refused with a place and a reason: which,
/// `translated.txt` says. `UPDATE_TRANSLATED=1` writes it anew.
#[test]
fn corpus() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.join("../tests/kernels");
    let (mut outcomes, mut understood) = (String::new(), 0);
    for folder in ["cuda", "library", "triton"] {
        let mut files: Vec<_> = std::fs::read_dir(root.join(folder))
            .expect("there")
            .map(|e| e.expect("readable").path())
            .collect();
        files.sort();
        for path in files
            .iter()
            .filter(|p| p.extension().is_some_and(|e| e == "ptx"))
        {
            let text = std::fs::read_to_string(path).expect("UTF-8");
            let module = parse(&text).expect("parses");
            let bump = Bump::new();
            let store = Store::new(&bump);
            let all = module_declarations(&store, &module, store.name("m"))
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let file = path.file_name().and_then(|n| n.to_str()).expect("a name");
            outcomes.push_str(&format!("{folder}/{file}\n"));
            let outline = summary(&module);
            assert_eq!(outline.entries.len(), module.entries().count());
            for e in &outline.entries {
                let known = (all.kernels.iter()).find(|k| k.translation.kernel.name == e.name);
                let refused = all.unsupported.iter().find(|(n, _)| *n == e.name);
                assert_eq!(refused.map(|(_, why)| why), e.unsupported.as_ref());
                let outcome = match (known, refused) {
                    (Some(k), None) => {
                        understood += 1;
                        assert_eq!(e.supported(), e.instructions.len(), "{}", e.name);
                        assert_eq!(k.translation.spans.len(), k.translation.kernel.body.len());
                        format!("{} lines", k.translation.kernel.body.len())
                    }
                    (None, Some((_, why))) => {
                        assert!(!text[why.span.range()].is_empty());
                        let line = text[..why.span.start as usize].matches('\n').count() + 1;
                        format!("line {line}: {why}")
                    }
                    both => panic!("{}: {both:?}", e.name),
                };
                let mark = if known.is_some() { "✓" } else { "✗" };
                outcomes.push_str(&format!("  {mark} {}: {outcome}\n", e.name));
            }
        }
    }
    let recorded = here.join("tests/translated.txt");
    if std::env::var_os("UPDATE_TRANSLATED").is_some() {
        std::fs::write(&recorded, &outcomes).expect("written");
    }
    let read = std::fs::read_to_string(&recorded).expect("there");
    for (a, b) in read.lines().zip(outcomes.lines()) {
        assert_eq!(a, b, "read the difference, then UPDATE_TRANSLATED=1");
    }
    assert_eq!(read.len(), outcomes.len());
    assert!(understood > 40, "{understood}");
}

/// The line where the text of a changed term differs: what was read and what the term says.
fn tampered(change: impl Fn(&Store<'_>, Expr) -> Option<Expr>) -> (String, String) {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let module = vadd();
    let f = entry(&module, "vadd");
    let term = kernel_term(&store, &data(&module, "vadd").expect("understood").kernel);
    assert_eq!(check_render(&store, term, &module, f), Ok(()));
    let changed = store.replace(term, |e, _| change(&store, e));
    assert_ne!(changed, term, "nothing changed");
    match check_render(&store, changed, &module, f) {
        Err(RenderMismatch::Line {
            entry,
            read,
            rendered,
            ..
        }) => {
            assert_eq!(entry, "vadd");
            (read.trim().to_owned(), rendered.trim().to_owned())
        }
        other => panic!("{other:?}"),
    }
}

fn differs(change: impl Fn(&Store<'_>, Expr) -> Option<Expr>, read: &str, rendered: &str) {
    assert_eq!(tampered(change), (read.to_owned(), rendered.to_owned()));
}

/// Changes the argument of a constructor application that says the given thing.
fn swap(from: &str, to: &str) -> impl Fn(&Store<'_>, Expr) -> Option<Expr> {
    move |s, e| (e == s.const0(from)).then(|| s.const0(to))
}

#[test]
fn tampered_terms_are_caught() {
    differs(
        swap("ptx.add.s64", "ptx.sub.s64"),
        "add.s64 %rd6, %rd4, %rd5;",
        "sub.s64 %rd6, %rd4, %rd5;",
    );
    differs(
        swap("ptx.add.f32", "ptx.sub.f32"),
        "add.f32 %f3, %f2, %f1;",
        "sub.f32 %f3, %f2, %f1;",
    );
    differs(
        swap("ptx.setp.ge.s32", "ptx.setp.gt.s32"),
        "setp.ge.s32 %p1, %r1, %r2;",
        "setp.gt.s32 %p1, %r1, %r2;",
    );
    differs(
        swap("Ptx.Special.tid", "Ptx.Special.ntid"),
        "mov.u32 %r5, %tid.x;",
        "mov.u32 %r5, %ntid.x;",
    );
    differs(
        swap("Ptx.Dim.x", "Ptx.Dim.y"),
        "mov.u32 %r3, %ctaid.x;",
        "mov.u32 %r3, %ctaid.y;",
    );
    differs(
        swap("Ptx.MemTy.f32", "Ptx.MemTy.u32"),
        "ld.global.nc.f32 %f1, [%rd8];",
        "ld.global.nc.u32 %f1, [%rd8];",
    );
    differs(
        swap("Ptx.RegTy.b64", "Ptx.RegTy.u64"),
        ".reg .b64 %rd<11>;",
        ".reg .u64 %rd<11>;",
    );
    // Another label name; another place of the label; another register; another immediate; `.nc` dropped.
    differs(
        |s, e| (e == s.string("$L__BB0_2")).then(|| s.string("L")),
        "@%p1 bra $L__BB0_2;",
        "@%p1 bra L;",
    );
    let pair = |s: &Store<'_>, at| {
        let levels = [logic::Level::ZERO; 2];
        let args = [
            s.const0("String"),
            s.const0("Nat"),
            s.string("$L__BB0_2"),
            s.nat_u64(at),
        ];
        s.apps(s.constant(s.name("Prod.mk"), &levels), &args)
    };
    differs(
        |s, e| (e == pair(s, 21)).then(|| pair(s, 20)),
        "st.global.f32 [%rd10], %f3;",
        "$L__BB0_2:",
    );
    let reg =
        |s: &Store<'_>, w, n| s.apps(s.const0("Ptx.Operand.reg"), &[s.nat_u64(w), s.nat_u64(n)]);
    differs(
        |s, e| (e == reg(s, 64, 8)).then(|| reg(s, 64, 6)),
        "ld.global.nc.f32 %f1, [%rd8];",
        "ld.global.nc.f32 %f1, [%rd6];",
    );
    let four = |s: &Store<'_>, n| {
        s.apps(
            s.const0("Ptx.Lit.int"),
            &[s.const0("Bool.false"), s.nat_u64(n)],
        )
    };
    differs(
        |s, e| (e == four(s, 4)).then(|| four(s, 8)),
        "mul.wide.s32 %rd5, %r1, 4;",
        "mul.wide.s32 %rd5, %r1, 8;",
    );
    let access = |s: &Store<'_>, nc| {
        s.apps(
            s.const0("Ptx.Access.mk"),
            &[
                s.const0("Ptx.StateSpace.global"),
                s.const0(nc),
                s.const0("Ptx.Sem.weak"),
            ],
        )
    };
    differs(
        |s, e| (e == access(s, "Bool.true")).then(|| access(s, "Bool.false")),
        "ld.global.nc.f32 %f1, [%rd8];",
        "ld.global.f32 %f1, [%rd8];",
    );
    let guard =
        |s: &Store<'_>, neg| s.apps(s.const0("Ptx.Guard.mk"), &[s.nat_u64(1), s.const0(neg)]);
    differs(
        |s, e| (e == guard(s, "Bool.false")).then(|| guard(s, "Bool.true")),
        "@%p1 bra $L__BB0_2;",
        "@!%p1 bra $L__BB0_2;",
    );
}

/// Instructions moved, dropped or doubled.
#[test]
fn moved_lines_are_caught() {
    let module = vadd();
    let f = entry(&module, "vadd");
    let bump = Bump::new();
    let store = Store::new(&bump);
    let kernel = data(&module, "vadd").expect("understood").kernel;
    let check = |k| check_render(&store, kernel_term(&store, k), &module, f);
    assert_eq!(check(&kernel), Ok(()));
    let expect = |k, read: &str, rendered: &str| match check(k) {
        Err(RenderMismatch::Line {
            read: a,
            rendered: b,
            ..
        }) => assert_eq!((a.trim(), b.trim()), (read, rendered)),
        other => panic!("{other:?}"),
    };
    let mut k = kernel.clone();
    let st = k.body.remove(20);
    k.body.insert(9, st);
    expect(&k, "@%p1 bra $L__BB0_2;", "st.global.f32 [%rd10], %f3;");
    let mut k = kernel.clone();
    k.body.remove(8);
    expect(&k, "setp.ge.s32 %p1, %r1, %r2;", "@%p1 bra $L__BB0_2;");
    let mut k = kernel.clone();
    k.body.push(kernel.body[21].clone());
    expect(&k, "}", "ret;");
    let mut k = kernel.clone();
    k.params.swap(0, 1);
    let (read, rendered) = match check(&k) {
        Err(RenderMismatch::Line {
            read,
            rendered,
            line: 1,
            ..
        }) => (read, rendered),
        other => panic!("{other:?}"),
    };
    assert!(
        read.contains("vadd_param_0, .param .u64 vadd_param_1")
            && rendered.contains("vadd_param_1, .param .u64 vadd_param_0")
    );
}

/// Terms whose text could be read in two ways, or that are no kernels, do not render.
#[test]
fn malformed_terms_are_caught() {
    let module = vadd();
    let f = entry(&module, "vadd");
    let bump = Bump::new();
    let store = Store::new(&bump);
    let kernel = data(&module, "vadd").expect("understood").kernel;
    let wanted = |k| match check_render(&store, kernel_term(&store, k), &module, f) {
        Err(RenderMismatch::Malformed(Malformed { wanted })) => wanted,
        other => panic!("{other:?}"),
    };
    let mut k = kernel.clone();
    k.labels[0].0 = "L:\n    ret;\n    M".into();
    assert_eq!(wanted(&k), "identifiers as names");
    let mut k = kernel.clone();
    k.labels.push(k.labels[0].clone());
    assert_eq!(wanted(&k), "labels with different names");
    let mut k = kernel.clone();
    k.regs[2].first = 3;
    assert_eq!(
        wanted(&k),
        "register numbers in the order of the declarations"
    );
    let mut k = kernel.clone();
    k.regs[2].count = 3;
    k.regs[1].count = 2;
    assert_eq!(
        wanted(&k),
        "register numbers in the order of the declarations"
    );
    let mut k = kernel.clone();
    k.params[1].name = k.params[0].name.clone();
    assert_eq!(wanted(&k), "parameters with different names");
    let mut k = kernel.clone();
    k.labels[0].1 = 23;
    assert_eq!(wanted(&k), "a label or scope inside the body");
    let term = kernel_term(&store, &kernel);
    let wanted = |from: &str, to: &str| {
        let (from, to) = (store.const0(from), store.const0(to));
        match render(
            &store,
            store.replace(term, |e, _| (e == from).then_some(to)),
        ) {
            Err(Malformed { wanted }) => wanted,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        wanted("ptx.add.s64", "ptx.add.s32"),
        "the operand widths of the opcode"
    );
    assert_eq!(wanted("ptx.add.s64", "evil"), "the meaning of an opcode");
    assert_eq!(
        wanted("ptx.add.f32", "ptx.add.s32"),
        "the meaning of an opcode"
    );
    assert_eq!(
        wanted("ptx.add.s64", "ptx.add.f32"),
        "the meaning of an opcode"
    );
    assert_eq!(
        wanted("Ptx.Kernel.mk", "Ptx.Kernel.other"),
        "`Ptx.Kernel.mk`"
    );
    assert_eq!(wanted("Ptx.Instr.ret", "Ptx.Instr.trap"), "an instruction");
    assert_eq!(
        wanted("Ptx.StateSpace.global", "Ptx.StateSpace.const"),
        "a state space"
    );
    assert_eq!(
        wanted("Ptx.StateSpace.global", "Ptx.StateSpace.shared"),
        "a weak load of global memory by `.nc`"
    );
    assert_eq!(
        render(&store, store.nat_u64(3)),
        Err(Malformed {
            wanted: "a constructor"
        })
    );
}

/// What has no meaning is refused, with the reason and the place.
#[test]
fn refusals() {
    let refuse = |body: &str, reason: Reason, under: &str| {
        let text = format!(
            ".address_size 64\n.entry k(.param .u64 p, .param .align 8 .b8 q[16]) {{ {body} }}"
        )
        .replace(
            ", .param .align 8 .b8 q[16]",
            if body.contains("[q") {
                ", .param .align 8 .b8 q[16]"
            } else {
                ""
            },
        );
        let m = parse(&text).expect("parses");
        let e = data(&m, "k").expect_err(body);
        assert_eq!((e.reason, &text[e.span.range()]), (reason, under), "{body}");
    };
    let regs =
        ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>; .reg .f32 %f<3>; .reg .b16 %rs<3>;";
    let unknown = |n: &str| Reason::Unresolved(module::Reason::Unknown(n.into(), None));
    let outside =
        |n: &str| Reason::Unresolved(module::Reason::OutsideRange(n.into(), "%r".into(), 4));
    let width =
        |n: &str, is, wanted| Reason::Unresolved(module::Reason::Width(n.into(), is, wanted));
    let literal = |ty: &str| Reason::Unresolved(module::Reason::Literal(ty.into()));
    let operands = |o: &str, syntax: &str| {
        Reason::Unresolved(module::Reason::Operands(o.into(), vec![syntax.into()]))
    };
    let with = |body: &str, reason, under: &str| refuse(&format!("{regs} {body}"), reason, under);
    with(
        "fence.proxy.async;",
        Reason::Opcode("fence.proxy.async".into()),
        "fence.proxy.async",
    );
    with(
        "fence.mbarrier_init.release.cluster;",
        Reason::Opcode("fence.mbarrier_init.release.cluster".into()),
        "fence.mbarrier_init.release.cluster",
    );
    with(
        "ld.acquire.gpu.global.L1::no_allocate.u32 %r1, [%rd1];",
        Reason::Opcode("ld.acquire.gpu.global.L1::no_allocate.u32".into()),
        "ld.acquire.gpu.global.L1::no_allocate.u32",
    );
    with(
        "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];",
        Reason::Opcode("ld.mmio.relaxed.sys.global.u32".into()),
        "ld.mmio.relaxed.sys.global.u32",
    );
    with(
        "cvta.to.const.u64 %rd1, %rd2;",
        Reason::Opcode("cvta.to.const.u64".into()),
        "cvta.to.const.u64",
    );
    with(
        "atom.global.add.L2::cache_hint.u32 %r1, [%rd1], %r2, %rd2;",
        Reason::Opcode("atom.global.add.L2::cache_hint.u32".into()),
        "atom.global.add.L2::cache_hint.u32",
    );
    // two halves, each atomic for itself
    for op in [
        "atom.global.add.noftz.f16x2",
        "atom.global.add.noftz.bf16x2",
    ] {
        with(
            &format!("{op} %r1, [%rd1], %r2;"),
            Reason::Opcode(op.into()),
            op,
        );
    }
    let red = "red.global.add.noftz.bf16x2";
    with(
        &format!("{red} [%rd1], %r1;"),
        Reason::Opcode(red.into()),
        red,
    );
    with("ld.u32 %r1, [%r2];", Reason::Width(64, 32), "%r2");
    let symbol = Reason::OperandKind("a variable of the state space, or a register");
    with(
        ".shared .b32 x; ld.global.u32 %r1, [x];",
        symbol.clone(),
        "x",
    );
    with(".local .b32 x; ld.u32 %r1, [x];", symbol.clone(), "x");
    with("mov.u64 %rd1, k;", symbol.clone(), "k");
    with("mov.u64 %rd1, p;", symbol, "p");
    with(
        ".shared .b32 x[2]; st.shared.u32 [x+-4], %r1;",
        Reason::Offset("an address from the variable on"),
        "x",
    );
    with(
        ".shared .b32 x; add.s32 %r1, %r2, x;",
        Reason::OperandKind("a register"),
        "x",
    );
    with(
        "add.s32 %r1, %r2;",
        operands("add.s32", "add.type d:type, a:type, b:type"),
        "add.s32 %r1, %r2;",
    );
    with("add.s32 %r1, %r2, %rd3;", width("%rd3", 64, 32), "%rd3");
    with("add.s32 %r1, %r2, %r4;", outside("%r4"), "%r4");
    with("add.s32 %r1, %r2, %r03;", unknown("%r03"), "%r03");
    with(
        "add.s32 %r1, %r2, 0f3F800000;",
        literal("s32"),
        "0f3F800000",
    );
    with("add.f32 %f1, %f2, 1;", literal("f32"), "1");
    with("add.f32 %f1, %f2, 1.5;", Reason::Literal("f32"), "1.5");
    with("mov.pred %p1, 2;", Reason::Literal("pred"), "2");
    with("bra L;", unknown("L"), "L");
    with(
        "bra [%rd1];",
        operands("bra", "bra{.uni} l:label"),
        "bra [%rd1];",
    );
    let second = |text: &str, name: &str| {
        let m =
            parse(&format!(".address_size 64\n.entry k() {{ {regs} {text} }}")).expect("parses");
        let e = data(&m, "k").expect_err(text);
        let is = |r: &Reason| matches!(r, Reason::Unresolved(module::Reason::Duplicate(n, _)) if n == name);
        assert!(is(&e.reason) && e.help().is_some(), "{e:?}");
    };
    second("L: ret; L: ret;", "L");
    with(
        "@%r1 ret;",
        Reason::Unresolved(module::Reason::Kind(
            "%r1".into(),
            "a register",
            "a predicate",
        )),
        "%r1",
    );
    with("ret %r1;", operands("ret", "ret{.uni}"), "ret %r1;");
    with(
        "mov.u32 %r1, %laneid;",
        Reason::OperandKind("%tid, %ntid, %ctaid or %nctaid"),
        "%laneid",
    );
    with("mov.u32 %rd1, %tid.x;", width("%rd1", 64, 32), "%rd1");
    with("ld.global.u32 %r1, [%r2];", Reason::Width(64, 32), "%r2");
    with("ld.global.u32 %rs1, [%rd2];", Reason::Width(32, 16), "%rs1");
    with(
        "ld.global.v2.u32 %r1, [%rd2];",
        Reason::OperandCount("ld.global.v2.u32".into(), 2, 1),
        "%r1",
    );
    with(
        "ld.global.v2.u32 {%r1, %rd1}, [%rd2];",
        Reason::Width(32, 64),
        "%rd1",
    );
    with(
        "ld.global.v4.u64 {%rd1, %rd1, %rd2, %rd3}, [%rd2];",
        Reason::AccessTooWide,
        "ld.global.v4.u64",
    );
    with("ld.global.u32 %r1, [sym];", unknown("sym"), "sym");
    with(
        "ld.param.u64 %rd1, [p+-8];",
        Reason::OperandKind("a parameter with a constant offset"),
        "[p+-8]",
    );
    with(
        "ld.param.u32 %r1, [p+2];",
        Reason::Offset("a multiple of the size of the type"),
        "[p+2]",
    );
    // -4, to whoever reads 32 bits.
    with(
        "ld.global.u32 %r1, [%rd1+4294967292];",
        Reason::Offset("a signed number of 32 bits"),
        "4294967292",
    );
    with(
        "st.global.u32 [-8], %r1;",
        Reason::Offset("an unsigned number of 32 bits"),
        "8",
    );
    with("{ }", Reason::Scope, "{ }");
    with(
        "@%p1 bra.uni L; L: ret;",
        Reason::Uniform("bra.uni".into()),
        "bra.uni",
    );
    with("add.cc.u32 %r1, %r2, %r3; call f;", unknown("f"), "f");
    with(
        ".shared .b32 x[2][2];",
        Reason::Declaration(".shared .b32".into()),
        "x",
    );
    with(
        ".const .b32 x;",
        Reason::Declaration(".const .b32".into()),
        "x",
    );
    with(
        ".shared .v2 .b32 x;",
        Reason::Declaration(".shared .v2 .b32".into()),
        "x",
    );
    second(".reg .b32 %r<9>;", "%r");
    with(
        ".reg .b32 %r1; mov.b32 %r1, 0;",
        Reason::Unresolved(module::Reason::Ambiguous("%r1".into())),
        "%r1",
    );
    with(
        ".reg .f16x2 %h;",
        Reason::RegisterType(".f16x2".into()),
        ".f16x2",
    );
    refuse(
        ".reg .b32 %r<4>; ld.param.u32 %r1, [q];",
        Reason::Parameter("q".into()),
        "q",
    );
    let m = parse(".address_size 64\n.entry k() .reqntid 128 { ret; }").expect("parses");
    assert_eq!(
        data(&m, "k").map_err(|e| e.reason),
        Err(Reason::Directive(".reqntid".into()))
    );
}

/// Without `.address_size 64` an address has 32 bits.
#[test]
fn address_sizes() {
    let sizes = [
        ("", Some(32)),
        (".address_size 32\n", Some(32)),
        (".address_size 64\n.address_size 32\n", Some(32)),
        (".address_size 64\n", None),
    ];
    for (directive, refused) in sizes {
        let m = parse(&format!(
            ".version 9.0\n.target sm_90\n{directive}.entry k() {{ ret; }}"
        ))
        .expect("parses");
        let bump = Bump::new();
        let store = Store::new(&bump);
        let all = module_declarations(&store, &m, store.name("m")).expect("rendered as read");
        let reasons: Vec<_> = all
            .unsupported
            .iter()
            .map(|(_, e)| e.reason.clone())
            .collect();
        let expected: Vec<_> = refused.map(Reason::AddressSize).into_iter().collect();
        assert_eq!(reasons, expected);
        assert_eq!(all.kernels.len() + reasons.len(), 1);
        assert_eq!(
            summary(&m).entries[0].unsupported.is_some(),
            refused.is_some()
        );
    }
}

/// Forms that vadd does not have go round too, and normal forms are as documented.
#[test]
fn other_forms_go_round() {
    let text = "\
.address_size 64
.visible .entry k(.param .u64 p, .param .s16 q) .pragma \"nounroll\"; { .loc 1 2 3
 .reg .b32 %r<4>, %x; .reg .b64 %rd<4>; .reg .pred %p<2>; .reg .f32 %f<5>; .reg .f64 %d; .reg .b16 %rs<3>;
 A: B: ld.param.s16 %r1, [q]; ld.param.b8 %rs1, [p+0x7]; ld.param.u32 %x, [p + 0];
 @!%p1 ld.global.u32 { %r1 }, [ %rd1 + 0 ]; ld.global.v2.s8 {%r1, %r2}, [%rd1-4]; ld.global.nc.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1+-8];
 st.global.b8 [%rd1+4], %r1; st.global.u16 [%rd2], 0xFFFF; st.global.v2.f32 [%rd1], {%f1, 0f3f800000}; st.global.f64 [16], 0d3FF0000000000000;
 .reg .b32 late; mov.u32 late, %nctaid.z; mov.b32 late, 0f3F800000; selp.b32 late, -1, 0x10, %p1; mov.pred %p0, -1;
 setp.lo.u32 %p0, %r1, 5U; shl.b64 %rd1, %rd2, %x; cvt.s64.s32 %rd3, %x; mov.f64 %d, %d; exit; C: }";
    let m = parse(text).expect("parses");
    let f = entry(&m, "k");
    let bump = Bump::new();
    let store = Store::new(&bump);
    let kernel = data(&m, "k").expect("understood").kernel;
    let term = kernel_term(&store, &kernel);
    assert_eq!(kernel_of_term(&store, term).as_ref(), Ok(&kernel));
    assert_eq!(check_render(&store, term, &m, f), Ok(()));
    let normal = normal_text(&m, f, &[], &[]);
    for line in [
        "ld.global.u32 %r1, [%rd1];",
        "{%r1, %r2}, [%rd1+-4];",
        "[16], 0d3FF0000000000000;",
        "[%rd2], 65535;",
        "A:\n    B:\n",
        "exit;\n    C:\n}",
        "ld.param.u32 %x, [p];",
        "    .reg .b32 late;\n    A:",
    ] {
        assert!(normal.contains(line), "{line}\n{normal}");
    }
    assert_eq!(
        kernel.labels,
        [
            ("A".to_owned(), 0),
            ("B".to_owned(), 0),
            ("C".to_owned(), kernel.body.len())
        ]
    );
}
