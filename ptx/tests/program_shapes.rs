//! Kernels with more shapes go round: several results, variables, barriers, atomics, scopes, calls. What is changed is seen; what
//! has no meaning is refused.

use bumpalo::Bump;
use logic::{Expr, Store};
use ptx::module::Resolved;
use ptx::program::{
    Malformed, Reason, RenderMismatch, Translation, Unsupported, check_render, kernel_meanings,
    kernel_of_term, kernel_term, render, translate,
};
use ptx::text::ast::{Function, Module};
use ptx::text::parse;

fn entry<'m>(m: &'m Module, name: &str) -> &'m Function {
    m.entries()
        .find(|f| f.name.text == name)
        .expect("the entry")
}

/// The data of an entry of a module.
fn data(m: &Module, name: &str) -> Result<Translation, Unsupported> {
    translate(&Resolved::new(m), entry(m, name))
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
    // Through what may give a thread its own word.
    fuses(
        "mul.f32 %f1, %f2, %f3; shfl.sync.idx.b32 %f4, %f1, 0, 31, -1; add.f32 %f4, %f4, %f5;",
        "add.f32 %f4, %f4, %f5;",
    );
    fuses(
        "mul.f32 %f1, %f2, %f3; mov.b32 %r1, %f1; redux.sync.min.u32 %r2, %r1, 1; mov.b32 %f4, %r2; add.f32 %f4, %f4, %f5;",
        "add.f32 %f4, %f4, %f5;",
    );
    fuses(
        "mul.f32 %f1, %f2, %f3; mov.b32 %r1, %f1; div.u32 %r2, %r1, 1; mov.b32 %f4, %r2; add.f32 %f4, %f4, %f5;",
        "add.f32 %f4, %f4, %f5;",
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
