//! Asynchronous matrix products of a warpgroup on a small text, right and broken.

mod run;

use ptx::alg::float_op::{Format, Round};
use ptx::alg::ieee::round_f64;
use ptx::layout::descriptor::{Descriptor, Major};
use ptx::machine::Fault;
use run::Bench;

const M: u32 = 64;
const N: u32 = 8;
const K: u32 = 16;

/// LBO 128, SBO 256, no swizzle.
const DESCRIPTOR: u64 = (128 >> 4) << 16 | (256 >> 4) << 32;

fn a(row: u32, k: u32) -> f64 {
    f64::from((row * 3 + k * 5) % 7) - 3.0
}

fn b(k: u32, col: u32) -> f64 {
    f64::from((k + col * col) % 5) - 2.0
}

fn half(x: f64) -> [u8; 2] {
    (round_f64(Format::F16, Round::Nearest, x) as u16).to_le_bytes()
}

/// A and B as they lie in shared memory, by the canonical layout.
fn image() -> Vec<u8> {
    let d = Descriptor::decode(DESCRIPTOR);
    let mut bytes = vec![0; 2048 + 256];
    for k in 0..K {
        for row in 0..M {
            let at = d.offset(Major::K, 2, row, k) as usize;
            bytes[at..at + 2].copy_from_slice(&half(a(row, k)));
        }
        for col in 0..N {
            let at = 2048 + d.offset(Major::K, 2, col, k) as usize;
            bytes[at..at + 2].copy_from_slice(&half(b(k, col)));
        }
    }
    bytes
}

/// What the accumulators of a thread should be: `times * A * B + start`.
fn want(thread: u32, times: f64, start: f64) -> [f32; 4] {
    let (warp, group, place) = (thread / 32, thread % 32 / 4, thread % 4);
    [0, 1, 2, 3].map(|i| {
        let (row, col) = (16 * warp + group + 8 * (i / 2), 2 * place + i % 2);
        let sum: f64 = (0..K).map(|k| a(row, k) * b(k, col)).sum();
        (times * sum + start) as f32
    })
}

/// A kernel that brings the matrices to shared memory and then does `body`, with the accumulators `%f0`–`%f3`, which begin
/// as 1, and the descriptors `%rd3` and `%rd4`; A of the thread is in `%r10`–`%r13` as well.
fn text(body: &str) -> String {
    format!(
        ".version 8.8\n.target sm_90a\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out) {{\n\
         .reg .b32 %r<20>; .reg .b64 %rd<10>; .reg .f32 %f<10>; .reg .pred %p<4>;\n\
         .shared .align 128 .b8 sa[2048]; .shared .align 128 .b8 sb[256];\n\
         ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n\
         mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 16;\n\
         add.s64 %rd0, %rd0, %rd2; add.s64 %rd1, %rd1, %rd2;\n\
         mov.u32 %r1, sa; mov.u32 %r2, sb; shl.b32 %r3, %r0, 4; add.u32 %r4, %r1, %r3; add.u32 %r5, %r2, %r3;\n\
         ld.global.v4.u32 {{%r6, %r7, %r8, %r9}}, [%rd0]; st.shared.v4.u32 [%r4], {{%r6, %r7, %r8, %r9}};\n\
         setp.lt.u32 %p0, %r0, 16;\n\
         @%p0 ld.global.v4.u32 {{%r6, %r7, %r8, %r9}}, [%rd0+2048];\n\
         @%p0 st.shared.v4.u32 [%r5], {{%r6, %r7, %r8, %r9}};\n\
         fence.proxy.async.shared::cta; bar.sync 0;\n\
         shr.u32 %r14, %r1, 4; cvt.u64.u32 %rd3, %r14; or.b64 %rd3, %rd3, {DESCRIPTOR};\n\
         shr.u32 %r14, %r2, 4; cvt.u64.u32 %rd4, %r14; or.b64 %rd4, %rd4, {DESCRIPTOR};\n\
         // A of the thread: rows group and group + 8 of its warp, columns 2 * place and 8 more.\n\
         shr.u32 %r15, %r0, 5; shl.b32 %r15, %r15, 9; bfe.u32 %r16, %r0, 2, 3; shl.b32 %r16, %r16, 4;\n\
         and.b32 %r17, %r0, 3; shl.b32 %r17, %r17, 2; add.u32 %r15, %r15, %r16; add.u32 %r15, %r15, %r17;\n\
         add.u32 %r15, %r15, %r1;\n\
         ld.shared.u32 %r10, [%r15]; ld.shared.u32 %r11, [%r15+256]; ld.shared.u32 %r12, [%r15+128];\n\
         ld.shared.u32 %r13, [%r15+384];\n\
         mov.f32 %f0, 0f3F800000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n\
         {body}\n\
         st.global.v4.f32 [%rd1], {{%f0, %f1, %f2, %f3}};\n\
         END: ret; }}"
    )
}

fn outcome(body: &str, threads: u32, seed: u64) -> Result<Vec<f32>, Box<Fault>> {
    let module = run::module(&text(body));
    let mut d = Bench::new(&module, seed);
    let (input, out) = (d.give(&image()), d.room(128 * 16));
    d.run("k", [1, 1, 1], [threads, 1, 1], &[&input, &out])?;
    Ok(d.floats(&out, 512))
}

/// All seeds give `times * A * B + start`.
fn check(body: &str, times: f64, start: f64) {
    let want: Vec<f32> = (0..128).flat_map(|t| want(t, times, start)).collect();
    for seed in 0..6 {
        let got = outcome(body, 128, seed).unwrap_or_else(|f| panic!("{body}: {f}"));
        assert_eq!(got, want, "{body}");
    }
}

/// All seeds end in this fault.
fn refused(body: &str, kind: &str, reason: &str) {
    for seed in 0..6 {
        let fault = outcome(body, 128, seed).expect_err(body);
        let says = fault.to_string();
        assert_eq!(fault.kind.name(), kind, "{says}");
        assert!(says.contains(reason), "{says}");
    }
}

const FENCE: &str = "wgmma.fence.sync.aligned;";
const COMMIT: &str = "wgmma.commit_group.sync.aligned;";
const WAIT: &str = "wgmma.wait_group.sync.aligned 0;";

fn mma(rest: &str) -> String {
    format!("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, {rest};")
}

/// A and B by descriptors, added to the accumulators.
fn add() -> String {
    mma("%rd3, %rd4, 1, 1, 1, 0, 0")
}

#[test]
fn products() {
    check(&format!("{FENCE} {} {COMMIT} {WAIT}", add()), 1.0, 1.0);
    check(
        &format!("{FENCE} {} {} {COMMIT} {WAIT}", add(), add()),
        2.0,
        1.0,
    );
    let fresh = mma("%rd3, %rd4, 0, 1, 1, 0, 0");
    check(&format!("{FENCE} {fresh} {COMMIT} {WAIT}"), 1.0, 0.0);
    let by_pred = mma("%rd3, %rd4, %p1, 1, 1, 0, 0");
    check(
        &format!("setp.eq.u32 %p1, 0, 1; {FENCE} {by_pred} {COMMIT} {WAIT}"),
        1.0,
        0.0,
    );
    let negated = mma("%rd3, %rd4, 1, -1, 1, 0, 0");
    check(&format!("{FENCE} {negated} {COMMIT} {WAIT}"), -1.0, 1.0);
    let twice = mma("%rd3, %rd4, 1, -1, -1, 0, 0");
    check(&format!("{FENCE} {twice} {COMMIT} {WAIT}"), 1.0, 1.0);
    // Several groups; only the last wait covers the second one.
    let two = format!("{FENCE} {} {COMMIT} {} {COMMIT}", add(), add());
    check(
        &format!("{two} wgmma.wait_group.sync.aligned 1; {WAIT}"),
        2.0,
        1.0,
    );
}

#[test]
fn a_in_registers() {
    let add = mma("{%r10, %r11, %r12, %r13}, %rd4, 1, 1, 1, 0");
    check(&format!("{FENCE} {add} {COMMIT} {WAIT}"), 1.0, 1.0);
    // The same registers again, without a wait in between.
    check(&format!("{FENCE} {add} {add} {COMMIT} {WAIT}"), 2.0, 1.0);
    let broken = format!("{FENCE} {add} {COMMIT} mov.u32 %r12, 0; {WAIT}");
    refused(&broken, "in-flight", "%r12");
    let broken = format!("{FENCE} mov.u32 %r11, 5; {add} {COMMIT} {WAIT}");
    refused(&broken, "undefined", "%r11 was touched");
    // A is the accumulator of the product before.
    let chain = "mov.b32 %f4, %r10; mov.b32 %f5, %r11; mov.b32 %f6, %r12; mov.b32 %f7, %r13;";
    let of_floats = mma("{%f0, %f5, %f6, %f7}, %rd4, 1, 1, 1, 0");
    let broken = format!(
        "{chain} {FENCE} {} {of_floats} {COMMIT} {WAIT}",
        self::add()
    );
    refused(&broken, "in-flight", "in another way");
}

#[test]
fn fences_are_missed() {
    let body = format!("{} {COMMIT} {WAIT}", add());
    refused(&body, "undefined", "without `wgmma.fence`");
    let body = format!("{FENCE} add.f32 %f2, %f2, %f2; {} {COMMIT} {WAIT}", add());
    refused(&body, "undefined", "%f2 was touched");
    // Reading counts as well, and a wait is no fence.
    let first = format!("{FENCE} {} {COMMIT} {WAIT} mov.f32 %f9, %f1;", add());
    refused(
        &format!("{first} {} {COMMIT} {WAIT}", add()),
        "undefined",
        "%f1 was touched",
    );
    check(
        &format!("{first} {FENCE} {} {COMMIT} {WAIT}", add()),
        2.0,
        1.0,
    );
}

#[test]
fn waits_are_missed() {
    refused(&format!("{FENCE} {} {COMMIT}", add()), "in-flight", "%f0");
    // A product that is in no group is not waited for.
    refused(
        &format!("{FENCE} {} {WAIT} {COMMIT}", add()),
        "in-flight",
        "%f0",
    );
    let two = format!("{FENCE} {} {COMMIT} {} {COMMIT}", add(), add());
    refused(
        &format!("{two} wgmma.wait_group.sync.aligned 1;"),
        "in-flight",
        "%f0",
    );
}

/// Shared memory may be overwritten only after the wait: before it, some seed shows wrong values.
#[test]
fn memory_is_read_at_any_time() {
    let clear = "bar.sync 0; mov.u32 %r6, 0; st.shared.v4.u32 [%r4], {%r6, %r6, %r6, %r6};";
    check(
        &format!("{FENCE} {} {COMMIT} {WAIT} {clear}", add()),
        1.0,
        1.0,
    );
    let want: Vec<f32> = (0..128).flat_map(|t| want(t, 1.0, 1.0)).collect();
    let broken = format!("{FENCE} {} {COMMIT} {clear} {WAIT}", add());
    let wrong = |seed| outcome(&broken, 128, seed).expect("runs") != want;
    assert!((0..12).any(wrong));
}

#[test]
fn a_warpgroup_acts_as_one() {
    // Warps with descriptors of their own.
    let other = "shr.u32 %r6, %r0, 5; cvt.u64.u32 %rd5, %r6; add.u64 %rd3, %rd3, %rd5;";
    refused(
        &format!("{other} {FENCE} {} {COMMIT} {WAIT}", add()),
        "divergent",
        "different descriptors",
    );
    // A warp that does not come.
    let leave = "setp.ge.u32 %p1, %r0, 96; @%p1 bra END;";
    refused(
        &format!("{leave} {FENCE} {} {COMMIT} {WAIT}", add()),
        "divergent",
        "only 96 threads",
    );
    // A warp at another product.
    let part = "setp.ge.u32 %p1, %r0, 96; @%p1 bra OTHER;";
    refused(
        &format!(
            "{part} {FENCE} {0} bra ON; OTHER: {FENCE} {0} ON: {COMMIT} {WAIT}",
            add()
        ),
        "divergent",
        "another collective",
    );
    // Too few threads.
    let body = format!("{FENCE} {} {COMMIT} {WAIT}", add());
    let fault = outcome(&body, 64, 0).expect_err("a fault");
    assert!(fault.to_string().contains("only 64 threads"), "{fault}");
}

#[test]
fn memory_ends_somewhere() {
    let far = "or.b64 %rd4, %rd4, 16383;";
    refused(
        &format!("{far} {FENCE} {} {COMMIT} {WAIT}", add()),
        "out-of-bounds",
        "wgmma.mma_async",
    );
}
