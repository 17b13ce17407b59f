//! Kernels go round: text, data, term, text. Tampered terms are caught.

use bumpalo::Bump;
use logic::{Expr, Store};
use ptx::module::{self, Resolved};
use ptx::program::{
    Malformed, Reason, RenderMismatch, Translation, Unsupported, check_render, kernel_meanings,
    kernel_of_term, kernel_term, module_declarations, normal_text, render, translate,
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
.visible .entry k(.param .u64 p, .param .s16 q) .pragma \"x\"; { .loc 1 2 3
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

/// Several results, sinks, packing, the carry, variables, strong accesses, barriers and exchanges go round.
#[test]
fn wide_forms_go_round() {
    let text = "\
.address_size 64
.global .align 4 .u32 unused;
.extern .shared .align 16 .b8 dyn[];
.visible .global .u32 count;
.visible .entry k() {
 .reg .b32 %r<9>; .shared .align 4 .b8 tile[132]; .reg .b64 %rd<4>; .reg .pred %p<4>; .local .align 8 .b8 depot[16];
 .reg .b16 %rs<5>; .reg .f32 %f<3>;
 setp.lt.s32 %p1|%p2, %r1, %r2; setp.lt.and.s32 %p1|_, %r1, 4, !%p3; add.s32 _, %r1, %r2;
 add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r4, %r5, 0; addc.u32 %r6, %r7, %r8;
 mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd1, {%r1, 7}; mov.b64 {%r1, _}, %rd1; mov.b32 {%rs1, %rs2}, %r1;
 mov.b64 {%rs1, %rs2, %rs3, _}, %rd1; cvt.u32.u16 %r1, %r2; cvt.s16.s8 %rs1, %rs2; cvt.u8.u32 %rs1, %r1;
 mov.u32 %r1, tile; mov.u64 %rd1, tile+4; mov.u64 %rd2, count; mov.u32 %r2, dyn; mov.u64 %rd3, depot;
 ld.shared.f32 %f1, [tile+128]; st.shared.v2.b32 [%r1+8], {%r2, %r3}; ld.shared.u32 %r1, [%rd1]; st.shared.u32 [dyn+0], %r1;
 ld.local.u32 %r1, [depot]; ld.u32 %r1, [%rd1]; st.u32 [%rd1], 3; ld.global.u32 %r1, [count];
 cvta.shared.u64 %rd1, %rd2; cvta.to.shared.u64 %rd1, %rd2; cvta.local.u64 %rd1, %rd2;
 ld.acquire.gpu.b32 %r1, [%rd1]; st.release.cta.global.b32 [%rd1], %r1; ld.relaxed.sys.shared.u32 %r1, [%r2];
 ld.volatile.global.u32 %r1, [%rd1]; st.volatile.shared.u32 [tile], %r1; st.relaxed.cluster.u32 [%rd1], 1;
 fence.acq_rel.gpu; fence.sc.cta; fence.gpu; membar.gl; membar.cta; fence.acquire.sys;
 bar.sync 0; bar.sync %r1, 64; barrier.sync.aligned 1, %r2; barrier.cta.sync 1; bar.arrive 1, 64; bar.warp.sync -1;
 bar.red.popc.u32 %r1, 0, %p1; bar.red.and.pred %p1, 0, 128, !%p2; barrier.red.or.aligned.pred %p1, %r1, %p2;
 shfl.sync.bfly.b32 %r1|%p1, %r2, %r3, 31, -1; shfl.sync.idx.b32 %r1, %r2, 0, 31, %r4; shfl.sync.up.b32 %r1|_, %r2, 1, 0, -1;
 atom.global.add.u32 %r1, [%rd1+4], 1; atom.add.f32 %f1, [%rd1], %f2; atom.shared.cas.b32 %r1, [%r2], 0, %r3; red.release.gpu.global.add.u32 [%rd1], %r1;
 atom.acq_rel.sys.global.exch.b64 _, [%rd1], %rd2; atom.shared.inc.u32 %r1, [tile+8], 7; atom.cas.b16 %rs1, [%rd1], %rs2, %rs3;
 red.global.gpu.relaxed.add.u32 [%rd1], %r1; match.any.sync.b32 %r1, %r2, -1; match.all.sync.b64 %r1|%p1, %rd1, %r2;
 redux.sync.max.s32 %r1, %r2, -1; elect.sync %r1|%p1, -1; elect.sync _|%p1, -1; activemask.b32 %r1;
 vote.sync.any.pred %p1, !%p2, -1; vote.sync.ballot.b32 %r1, %p2, %r2; @%p1 bar.sync 0; exit; }";
    let m = parse(text).expect("parses");
    let f = entry(&m, "k");
    let bump = Bump::new();
    let store = Store::new(&bump);
    let kernel = match data(&m, "k") {
        Ok(t) => t.kernel,
        Err(e) => panic!("{e}: {}", &text[e.span.range()]),
    };
    let term = kernel_term(&store, &kernel);
    assert_eq!(kernel_of_term(&store, term).as_ref(), Ok(&kernel));
    assert_eq!(check_render(&store, term, &m, f), Ok(()));
    assert_eq!(kernel.outer, 2);
    let rendered = render(&store, term).expect("renders");
    for line in [
        ".extern .shared .align 16 .b8 dyn[];\n.global .u32 count;\n.entry k()",
        "    .reg .f32 %f<3>;\n    .shared .align 4 .b8 tile[132];\n    .local .align 8 .b8 depot[16];\n    setp",
        "addc.cc.u32 %r4, %r5, 0;",
        "red.relaxed.gpu.global.add.u32 [%rd1], %r1;",
        "st.shared.u32 [dyn], %r1;",
        "shfl.sync.up.b32 %r1|_, %r2, 1, 0, -1;",
        "    fence.gpu;\n    membar.gl;\n",
    ] {
        assert!(rendered.contains(line), "{line}\n{rendered}");
    }
    // Each constant of a barrier or exchange has a kind.
    let names: Vec<String> = kernel_meanings(&store, &kernel)
        .iter()
        .map(|d| store.name_to_string(d.name))
        .collect();
    for name in [
        "ptx.atom.add.f32",
        "ptx.bar.red.popc.u32",
        "ptx.shfl.sync.up.b32",
        "ptx.setp.lt.s32.pair",
        "ptx.mov.b64.unpack4",
    ] {
        assert!(names.iter().any(|n| n == name), "{name}: {names:?}");
    }
}

/// A carry that is another predicate, results in another order or of another width, a variable of another name: all seen.
#[test]
fn tampered_wide_forms_are_caught() {
    let text = "\
.address_size 64
.entry k() { .reg .b32 %r<4>; .reg .pred %p<3>; .shared .b32 x[4]; .shared .b32 y[4]; .reg .b64 %rd<2>;
 add.cc.u32 %r1, %r2, %r3; setp.lt.s32 %p1|%p2, %r1, %r2; st.shared.u32 [x+4], %r1; cvt.u32.u16 %r1, %r2;
 shfl.sync.bfly.b32 %r1|%p1, %r2, %r3, 31, -1; ld.acquire.gpu.u32 %r1, [%rd1]; bar.sync 0; atom.cta.inc.u32 %r1, [%rd1], 3; }";
    let m = parse(text).expect("parses");
    let f = entry(&m, "k");
    let bump = Bump::new();
    let store = Store::new(&bump);
    let s = &store;
    let kernel = data(&m, "k").expect("understood").kernel;
    let term = kernel_term(s, &kernel);
    let outcome = |from: Expr, to: Expr| {
        let changed = s.replace(term, |e, _| (e == from).then_some(to));
        assert_ne!(changed, term, "nothing changed");
        match check_render(s, changed, &m, f) {
            Err(RenderMismatch::Malformed(Malformed { wanted })) => wanted.to_owned(),
            Err(RenderMismatch::Line { rendered, .. }) => rendered.trim().to_owned(),
            other => panic!("{other:?}"),
        }
    };
    let app = |c: &str, args: &[u64]| {
        let args: Vec<Expr> = args.iter().map(|n| s.nat_u64(*n)).collect();
        s.apps(s.const0(c), &args)
    };
    let dst = |w, n| app("Ptx.Dst.reg", &[w, n]);
    assert_eq!(outcome(dst(1, 3), dst(1, 2)), "the condition code register");
    assert_eq!(
        outcome(dst(1, 2), dst(1, 1)),
        "setp.lt.s32 %p1|%p1, %r1, %r2;"
    );
    assert_eq!(
        outcome(dst(1, 2), dst(32, 2)),
        "a result of the right width"
    );
    assert_eq!(
        outcome(dst(1, 2), app("Ptx.Dst.sink", &[1])),
        "setp.lt.s32 %p1|_, %r1, %r2;"
    );
    let sym = |v, off| app("Ptx.Operand.sym", &[64, v, off]);
    assert_eq!(outcome(sym(0, 4), sym(1, 4)), "st.shared.u32 [y+4], %r1;");
    assert_eq!(outcome(sym(0, 4), sym(0, 0)), "st.shared.u32 [x], %r1;");
    assert_eq!(
        outcome(sym(0, 4), sym(2, 4)),
        "the number of a variable of the right space"
    );
    let other = |v, n| app("Ptx.Operand.other", &[16, v, n]);
    assert_eq!(outcome(other(32, 2), other(32, 1)), "cvt.u32.u16 %r1, %r1;");
    let fixed = |from: &str, to: &str| outcome(s.const0(from), s.const0(to));
    assert_eq!(
        fixed("ptx.shfl.sync.bfly.b32", "ptx.shfl.sync.down.b32"),
        "shfl.sync.down.b32 %r1|%p1, %r2, %r3, 31, -1;"
    );
    assert_eq!(
        fixed("ptx.bar.sync", "ptx.barrier.sync.aligned"),
        "barrier.sync.aligned 0;"
    );
    assert_eq!(
        fixed("ptx.bar.sync", "ptx.bar.arrive"),
        "as many operands as the opcode takes"
    );
    assert_eq!(
        fixed("ptx.bar.sync", "ptx.not.pred"),
        "the meaning of an opcode"
    );
    assert_eq!(
        fixed("ptx.setp.lt.s32.pair", "ptx.setp.lt.s32"),
        "the operand widths of the opcode"
    );
    assert_eq!(
        fixed("ptx.atom.cta.inc.u32", "ptx.atom.cta.dec.u32"),
        "atom.cta.dec.u32 %r1, [%rd1], 3;"
    );
    assert_eq!(
        fixed("ptx.atom.cta.inc.u32", "ptx.red.cta.inc.u32"),
        "a result of the right width"
    );
    assert_eq!(
        fixed("Ptx.Scope.cta", "Ptx.Scope.gpu"),
        "the access and the operand widths of the opcode"
    );
    assert_eq!(
        fixed("ptx.atom.cta.inc.u32", "ptx.bar.sync"),
        "the access and the operand widths of the opcode"
    );
    assert_eq!(
        fixed("Ptx.Scope.gpu", "Ptx.Scope.sys"),
        "ld.acquire.sys.u32 %r1, [%rd1];"
    );
    assert_eq!(
        fixed("Ptx.StateSpace.generic", "Ptx.StateSpace.global"),
        "the access and the operand widths of the opcode"
    );
}

/// A product without a rounding modifier has a meaning where it comes to no sum without one, and only there.
#[test]
fn products_that_may_be_fused() {
    let regs = ".reg .f32 %f<9>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>; .reg .f64 %d<4>; .reg .b16 %h<4>;";
    let outcome = |body: &str| {
        let text = format!(".address_size 64\n.entry k(.param .f32 a) {{ {regs} {body} }}");
        let m = parse(&text).expect("parses");
        match data(&m, "k") {
            Ok(_) => None,
            Err(e) => match e.reason {
                Reason::MayFuse(ref product, _, sum) => {
                    assert_eq!(&text[e.span.range()], product, "{body}");
                    assert_eq!(e.other_place().map(|p| p.1), Some(sum));
                    Some(text[sum.range()].to_owned())
                }
                _ => panic!("{body}: {e}"),
            },
        }
    };
    let fuses = |body: &str, sum: &str| assert_eq!(outcome(body).as_deref(), Some(sum), "{body}");
    let stays = |body: &str| assert_eq!(outcome(body), None, "{body}");
    fuses(
        "mul.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f5;",
        "add.f32 %f4, %f1, %f5;",
    );
    fuses(
        "mul.f32 %f1, %f2, %f3; sub.ftz.f32 %f4, %f5, %f1;",
        "sub.ftz.f32 %f4, %f5, %f1;",
    );
    fuses(
        "mul.f64 %d1, %d2, %d3; add.sat.f32 %f1, %f1, %f2; add.f64 %d2, %d2, %d1;",
        "add.f64 %d2, %d2, %d1;",
    );
    fuses(
        "mul.f16 %h1, %h2, %h3; add.f16 %h2, %h1, %h3;",
        "add.f16 %h2, %h1, %h3;",
    );
    // Around a loop; through moves, selections, signs, halves, conversions, local memory.
    fuses(
        "L: add.f32 %f4, %f1, %f5; mul.f32 %f1, %f2, %f3; bra L;",
        "add.f32 %f4, %f1, %f5;",
    );
    fuses(
        "mul.f32 %f1, %f2, %f3; mov.b32 %r1, %f1; mov.b32 %f6, %r1; add.f32 %f4, %f6, %f5;",
        "add.f32 %f4, %f6, %f5;",
    );
    fuses(
        "mul.f32 %f1, %f2, %f3; selp.f32 %f6, %f1, %f2, %p1; neg.f32 %f7, %f6; abs.f32 %f7, %f7; max.f32 %f8, %f7, %f2; sub.f32 %f4, %f8, %f5;",
        "sub.f32 %f4, %f8, %f5;",
    );
    fuses(
        "mul.f32 %f1, %f2, %f3; mov.b64 %rd1, {%f1, %f2}; mov.b64 {%f4, %f5}, %rd1; add.f32 %f6, %f5, 0f00000000;",
        "add.f32 %f6, %f5, 0f00000000;",
    );
    fuses(
        "mul.f32 %f1, %f2, %f3; cvt.f64.f32 %d1, %f1; add.f64 %d2, %d1, %d3;",
        "add.f64 %d2, %d1, %d3;",
    );
    fuses(
        ".local .f32 x; mul.f32 %f1, %f2, %f3; st.local.f32 [x], %f1; ld.local.f32 %f4, [x]; add.f32 %f4, %f4, %f5;",
        "add.f32 %f4, %f4, %f5;",
    );
    fuses(
        ".local .f32 x; mul.f32 %f1, %f2, %f3; st.f32 [%rd1], %f1; ld.f32 %f4, [%rd2]; add.f32 %f4, %f4, %f5;",
        "add.f32 %f4, %f4, %f5;",
    );
    // A rounding modifier on either side; what computes a new number; what other threads see.
    stays("mul.rn.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f5;");
    stays("mul.f32 %f1, %f2, %f3; add.rn.f32 %f4, %f1, %f5; st.global.f32 [%rd1], %f1;");
    stays("mul.f32 %f1, %f2, %f3; ex2.approx.f32 %f4, %f1; add.f32 %f5, %f5, %f4;");
    stays("mul.f32 %f1, %f2, %f3; fma.rn.f32 %f4, %f1, %f1, %f1; add.f32 %f5, %f5, %f4;");
    stays(
        "mul.f32 %f1, %f2, %f3; mul.f32 %f4, %f1, %f1; setp.lt.f32 %p1, %f4, %f1; selp.f32 %f5, %f2, %f3, %p1; st.global.f32 [%rd1], %f4;",
    );
    stays("mul.f32 %f1, %f2, %f3; st.f32 [%rd1], %f1; ld.f32 %f4, [%rd2]; add.f32 %f4, %f4, %f5;");
    stays("mul.f32 %f1, %f2, %f3; shfl.sync.idx.b32 %f4, %f1, 0, 31, -1; add.f32 %f4, %f4, %f5;");
    stays("mul.lo.s32 %r1, %r2, %r3; add.s32 %r1, %r1, %r2;");
}

const CALLS: &str = "\
.address_size 64
.extern .shared .align 16 .b8 dyn[];
.func (.param .b32 system_result) system(.param .b32 system_0);
.func nothing() { ret; }
.func (.param .b32 r) twice(.param .b32 a, .param .align 8 .b8 pair[16]) {
 .reg .b32 %r<4>; .shared .b32 mine; .reg .b64 %rd<2>; .reg .f32 %f<2>;
 ld.param.u32 %r1, [a]; ld.param.u64 %rd1, [pair+8]; ld.param.s8 %r3, [pair+3];
 { .reg .b32 %r<2>; mov.b32 %r1, 3; L: st.shared.u32 [mine], %r1; }
 L: { .param .b32 p; .param .f32 q; st.param.b32 [p+0], %r1; call.uni (q), same, (p); ld.param.f32 %f1, [q+0]; }
 add.s32 %r2, %r1, %r1; st.param.b32 [r+0], %r2; bra.uni L; M: ret.uni; }
.func (.param .f32 r) same(.param .b32 a) { .reg .b32 %r<2>; ld.param.b32 %r1, [a]; st.param.b32 [r], %r1; ret; }
.visible .entry k(.param .u32 n) {
 .reg .b32 %r<3>; .reg .b64 %rd<2>; .shared .align 8 .b64 mine; .reg .pred %p<2>;
 ld.param.u32 %r1, [n]; st.shared.u64 [mine], 1;
 { .reg .b32 temp; .param .b32 p0; .param .align 8 .b8 p1[16]; .param .b32 r0;
  st.param.b32 [p0], %r1; st.param.b64 [p1+8], %rd1; st.param.b64 [p1], %rd1; st.param.u8 [p1+2], 7; call.uni (r0), twice, (p0, p1); ld.param.b32 %r2, [r0]; }
 @%p1 call nothing; call.uni nothing, (); st.shared.u32 [dyn+4], %r2; exit; }
.entry other() { .reg .b32 %r<2>; { .param .b32 p; .param .b32 q; call (q), system, (p); } ret; }
.entry last() { ret; }";

/// Calls, their variables and scopes go round, and what is changed is seen.
#[test]
fn calls_go_round() {
    let m = parse(CALLS).expect("parses");
    let f = entry(&m, "k");
    let bump = Bump::new();
    let s = &Store::new(&bump);
    let kernel = match data(&m, "k") {
        Ok(t) => t.kernel,
        Err(e) => panic!("{e}: {}", &CALLS[e.span.range()]),
    };
    let names: Vec<&str> = kernel.funcs.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["nothing", "twice", "same"]);
    let term = kernel_term(s, &kernel);
    assert_eq!(kernel_of_term(s, term).as_ref(), Ok(&kernel));
    assert_eq!(check_render(s, term, &m, f), Ok(()));
    let rendered = render(s, term).expect("renders");
    for line in [
        ".extern .shared .align 16 .b8 dyn[];\n.func nothing()\n{\n    ret;\n}\n.func (.param .b32 r) twice(.param .b32 a, .param .align 8 .b8 pair[16])\n{",
        "    {\n        .reg .b32 %r<2>;\n        mov.b32 %r1, 3;\n        L:\n        st.shared.u32 [mine], %r1;\n    }\n    L:\n    {\n",
        "        call (r0), twice, (p0, p1);\n        ld.param.b32 %r2, [r0];\n    }\n    @%p1 call nothing;\n    call nothing;\n",
    ] {
        assert!(rendered.contains(line), "{line}\n{rendered}");
    }
    let outcome = |change: &dyn Fn(&mut ptx::program::data::Kernel)| {
        let mut k = kernel.clone();
        change(&mut k);
        assert_ne!(k, kernel, "nothing changed");
        match check_render(s, kernel_term(s, &k), &m, f) {
            Err(RenderMismatch::Malformed(Malformed { wanted })) => wanted.to_owned(),
            Err(RenderMismatch::Line { rendered, .. }) => rendered.trim().to_owned(),
            other => panic!("{other:?}"),
        }
    };
    // Another callee; results that are arguments; a function of another name, or one that is not there.
    assert_eq!(
        outcome(&|k| k.funcs[1].name = "thrice".into()),
        ".func (.param .b32 r) thrice(.param .b32 a, .param .align 8 .b8 pair[16])"
    );
    assert_eq!(
        outcome(&|k| k.funcs.swap(0, 2)),
        "a call with the parameters of the function"
    );
    assert_eq!(
        outcome(&|k| {
            k.funcs.pop();
        }),
        "the number of a function"
    );
    assert_eq!(
        outcome(&|k| k.funcs[1].rets.clear()),
        "register numbers in the order of the declarations"
    );
    assert_eq!(
        outcome(&|k| k.funcs[1].body[1] = k.funcs[1].body[2].clone()),
        "ld.param.s8 %r3, [pair+3];"
    );
    // Scopes that are moved, nested otherwise, or hold other labels.
    assert_eq!(outcome(&|k| k.funcs[1].blocks[0].first = 2), "{");
    assert_eq!(
        outcome(&|k| k.funcs[1].blocks[0].last = 6),
        "scopes one within the other, with something in them"
    );
    assert_eq!(
        outcome(&|k| k.blocks[0].last = 2),
        "scopes one within the other, with something in them"
    );
    assert_eq!(
        outcome(&|k| k.funcs[1].blocks[0].labels.clear()),
        "labels with different names"
    );
    assert_eq!(
        outcome(&|k| k.funcs[1].blocks.swap(0, 1)),
        "a register that its name tells from the others"
    );
    assert_eq!(
        outcome(&|k| k.blocks[0].slots[1].num = 9),
        "register numbers in the order of the declarations"
    );
    assert_eq!(
        outcome(&|k| k.blocks[0].slots[1].count = Some(9)),
        "a variable of a call"
    );
    // Variables of another unit.
    assert_eq!(
        outcome(&|k| k.funcs[1].vars = 0),
        "a variable that its name tells from the others"
    );
    assert_eq!(
        outcome(&|k| k.outer = 3),
        "as many variables as are declared"
    );
    assert_eq!(
        outcome(&|k| k.outer = 0),
        ".extern .shared .align 16 .b8 dyn[];"
    );
    assert_eq!(
        outcome(&|k| k.vars[1].name = "dyn".into()),
        "a variable that its name tells from the others"
    );
    // Bytes beyond the variable.
    let beyond = |k: &mut ptx::program::data::Kernel| {
        for l in &mut k.body {
            if let ptx::program::data::Instr::PutParam { off: off @ 8, .. } = &mut l.instr {
                *off = 16;
            }
        }
    };
    assert_eq!(outcome(&beyond), "bytes inside the variable of a call");
    // What has no body, and what calls itself.
    let e = data(&m, "other").expect_err("the system's");
    assert_eq!(e.reason, Reason::NoBody("system".into()));
    assert_eq!(&CALLS[e.span.range()], "call (q), system, (p);");
    assert!(data(&m, "last").is_ok());
    for (text, reason) in [
        (
            ".func f() { call f; ret; } .entry k() { call f; ret; }",
            Reason::Recursion("f".into()),
        ),
        (
            ".func g(); .func f() { call g; ret; } .func g() { call f; ret; } .entry k() { call f; ret; }",
            Reason::Recursion("g".into()),
        ),
        (
            ".func f() { .local .b32 x; ret; } .entry k() { call f; ret; }",
            Reason::LocalOfFunction("x".into()),
        ),
        (
            ".func f() { ret; } .entry k() { .reg .b32 %r<3>; add.cc.u32 %r1, %r1, %r2; call f; addc.u32 %r1, %r1, 0; ret; }",
            Reason::CarryAndCalls,
        ),
        (
            ".func f(.reg .b32 %r1) { ret; } .entry k() { .reg .b32 %r<3>; call f, (%r1); ret; }",
            Reason::Parameter("%r1".into()),
        ),
        (
            ".func f() { .reg .b32 %r<2>; mov.u32 %r1, %laneid; ret; } .entry k() { call f; ret; }",
            Reason::OperandKind("%tid, %ntid, %ctaid or %nctaid"),
        ),
        (
            ".func (.param .f32 r) f(.param .f32 a) { .reg .f32 %f<3>; ld.param.f32 %f1, [a]; mul.f32 %f2, %f1, %f1; st.param.f32 [r], %f2; ret; } .entry k() { .reg .f32 %f<3>; { .param .f32 p; .param .f32 q; st.param.f32 [p], %f1; call (q), f, (p); ld.param.f32 %f1, [q]; } ret; }",
            Reason::MayFuse(
                "mul.f32".into(),
                "st.param.f32".into(),
                ptx::text::span::Span::default(),
            ),
        ),
        (
            ".func f(.param .f32 a) { ret; } .entry k() { .reg .f32 %f<3>; mul.f32 %f1, %f2, %f2; { .param .f32 p; st.param.f32 [p], %f1; call f, (p); } ret; }",
            Reason::MayFuse(
                "mul.f32".into(),
                "call".into(),
                ptx::text::span::Span::default(),
            ),
        ),
    ] {
        let text = format!(".address_size 64\n{text}");
        let m = parse(&text).expect("parses");
        let found = match data(&m, "k").expect_err(&text).reason {
            Reason::MayFuse(a, b, _) => Reason::MayFuse(a, b, ptx::text::span::Span::default()),
            other => other,
        };
        assert_eq!(found, reason, "{text}");
    }
}

/// What a scope declares is written before it is read, on every way.
#[test]
fn scopes_begin_anew() {
    let at = |body: &str| {
        let text = format!(
            ".address_size 64\n.func f(.param .b32 a) {{ ret; }}\n.entry k() {{ .reg .b32 %r<4>; .reg .pred %p<2>; {body} ret; }}"
        );
        let m = parse(&text).expect("parses");
        match data(&m, "k") {
            Ok(_) => None,
            Err(e) if e.reason == Reason::Unwritten => Some(text[e.span.range()].to_owned()),
            Err(e) => panic!("{body}: {e}"),
        }
    };
    let refused = |body: &str, line: &str| assert_eq!(at(body).as_deref(), Some(line), "{body}");
    let fine = |body: &str| assert_eq!(at(body), None, "{body}");
    refused("{ .reg .b32 x; mov.b32 %r1, x; }", "mov.b32 %r1, x;");
    fine("{ .reg .b32 x; mov.b32 x, %r1; mov.b32 %r1, x; }");
    fine("mov.b32 %r1, %r2; { .reg .b32 %x<2>; mov.b32 %x1, %r1; mov.b32 %r1, %x1; }");
    refused(
        "{ .reg .b32 x; @%p1 mov.b32 x, %r1; mov.b32 %r1, x; }",
        "mov.b32 %r1, x;",
    );
    refused(
        "{ .reg .pred q; @q mov.b32 %r1, %r2; }",
        "@q mov.b32 %r1, %r2;",
    );
    // Two ways to a label, of which one does not write; both do; one that goes back.
    refused(
        "{ .reg .b32 x; @%p1 bra L; mov.b32 x, %r1; L: mov.b32 %r1, x; }",
        "mov.b32 %r1, x;",
    );
    fine(
        "{ .reg .b32 x; @%p1 bra L; mov.b32 x, %r1; bra M; L: mov.b32 x, %r2; M: mov.b32 %r1, x; }",
    );
    fine("{ .reg .pred q; L: setp.eq.s32 q, %r1, %r2; @q bra M; bra L; M: }");
    refused(
        "{ .reg .b32 x; bra M; L: mov.b32 x, %r1; M: mov.b32 %r2, x; @%p1 bra L; }",
        "mov.b32 %r2, x;",
    );
    refused(
        "{ .reg .b32 x; @%p1 bra N; mov.b32 x, 1; L: mov.b32 %r1, x; bra M; N: bra L; M: }",
        "mov.b32 %r1, x;",
    );
    fine("{ .reg .b32 x; mov.b32 x, 1; L: add.s32 x, x, 1; @%p1 bra L; }");
    fine("{ .reg .b32 x; bra M; L: mov.b32 %r2, x; bra N; M: mov.b32 x, %r1; bra L; N: }");
    // A scope in a scope, and one after the other.
    refused(
        "{ .reg .b32 x; { .reg .b32 y; mov.b32 y, x; } }",
        "mov.b32 y, x;",
    );
    fine("{ .reg .b32 x; { .reg .b32 y; mov.b32 y, 1; mov.b32 x, y; } mov.b32 %r1, x; }");
    refused(
        "{ .reg .b32 x; mov.b32 x, 1; } { .reg .b32 x; mov.b32 %r1, x; }",
        "mov.b32 %r1, x;",
    );
    // Parameters of calls, byte by byte.
    refused(
        "{ .param .b32 p; st.param.b16 [p], 1; call f, (p); }",
        "call f, (p);",
    );
    fine("{ .param .b32 p; st.param.b16 [p+2], 1; st.param.b16 [p], 1; call f, (p); }");
    refused(
        "{ .param .b32 p; st.param.b16 [p], 1; ld.param.b32 %r1, [p]; }",
        "ld.param.b32 %r1, [p];",
    );
}
