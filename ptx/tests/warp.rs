//! Warp collectives in the machine: on small texts with their broken twins, and on kernels of the corpus.

mod run;

use ptx::machine::Fault;
use run::{Bench, f32s, words};

/// A kernel of one parameter, the address of a word for each thread, that leaves its result in `%r0`. In the body `%r1` is
/// the thread's number and `%p0` whether it is odd.
fn text(body: &str) -> String {
    format!(
        ".version 8.8\n.target sm_90a\n.address_size 64\n\
         .visible .entry k(.param .u64 out) {{\n\
         .reg .b32 %r<20>; .reg .b64 %rd<4>; .reg .pred %p<10>;\n\
         ld.param.u64 %rd0, [out];\n\
         mov.u32 %r1, %tid.x;\n\
         and.b32 %r2, %r1, 1;\n\
         setp.ne.u32 %p0, %r2, 0;\n\
         {body}\n\
         END:\n\
         mul.wide.u32 %rd1, %r1, 4;\n\
         add.s64 %rd2, %rd0, %rd1;\n\
         st.global.u32 [%rd2], %r0;\n\
         ret;\n}}\n"
    )
}

/// Runs it with so many threads; the results.
fn results(body: &str, threads: u32, seed: u64) -> Result<Vec<u32>, Box<Fault>> {
    let module = run::module(&text(body));
    let mut d = Bench::new(&module, seed);
    let out = d.give(&words(&vec![0; threads as usize]));
    d.run("k", [1, 1, 1], [threads, 1, 1], &[&out])?;
    Ok(d.words(&out, threads as usize))
}

/// Runs it with several seeds, which must agree on the right results.
fn check(body: &str, threads: u32, want: impl Fn(u32) -> u32) {
    let want: Vec<u32> = (0..threads).map(want).collect();
    for seed in 0..6 {
        assert_eq!(
            results(body, threads, seed).expect("runs"),
            want,
            "seed {seed}"
        );
    }
}

/// Runs it with several seeds: every run must end in this fault, for this reason.
fn refused(body: &str, threads: u32, kind: &str, reason: &str) {
    for seed in 0..6 {
        let fault = results(body, threads, seed).expect_err(body);
        let says = fault.to_string();
        assert_eq!(fault.kind.name(), kind, "{says}");
        assert!(says.contains(reason), "{says}");
    }
}

#[test]
fn shuffles() {
    check("shfl.sync.down.b32 %r0, %r1, 3, 31, -1;", 64, |i| {
        if i % 32 + 3 < 32 { i + 3 } else { i }
    });
    check(
        "shfl.sync.up.b32 %r0|%p1, %r1, 4, 0, -1; @!%p1 mov.u32 %r0, 1000;",
        32,
        |i| if i >= 4 { i - 4 } else { 1000 },
    );
    check("shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1;", 32, |i| i ^ 16);
    // Segments of 8 lanes: c = 0x1807 has the segment mask 24 and the clamp 7.
    check("shfl.sync.idx.b32 %r0, %r1, 5, 0x1807, -1;", 32, |i| {
        i / 8 * 8 + 5
    });
    check("shfl.sync.down.b32 %r0, %r1, 5, 0x1807, -1;", 32, |i| {
        if i % 8 + 5 < 8 { i + 5 } else { i }
    });
    // From a register: lane i takes from lane 31 - i.
    check(
        "sub.u32 %r3, 31, %r1; shfl.sync.idx.b32 %r0, %r1, %r3, 31, -1;",
        32,
        |i| 31 - i,
    );
}

/// Odd and even lanes are at different instructions with different masks, and at different ones with the same mask.
#[test]
fn shuffles_of_some_lanes() {
    check(
        "@%p0 bra ODD;\n\
         shfl.sync.bfly.b32 %r0, %r1, 2, 31, 0x55555555;\n\
         bra END;\n\
         ODD: shfl.sync.bfly.b32 %r0, %r1, 4, 31, 0xAAAAAAAA;",
        32,
        |i| if i % 2 == 1 { i ^ 4 } else { i ^ 2 },
    );
    check(
        "@%p0 bra ODD;\n\
         shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1;\n\
         bra END;\n\
         ODD: shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1;",
        32,
        |i| i ^ 1,
    );
}

#[test]
fn a_mask_must_name_those_who_come() {
    refused(
        "shfl.sync.bfly.b32 %r0, %r1, 1, 31, 0x7FFFFFFF;",
        32,
        "divergent",
        "does not name the thread",
    );
    refused(
        "@%p0 bra ODD;\n\
         shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1;\n\
         bra END;\n\
         ODD: shfl.sync.down.b32 %r0, %r1, 1, 31, -1;",
        32,
        "divergent",
        "another collective",
    );
    refused(
        "@%p0 bra ODD;\n\
         shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1;\n\
         bra END;\n\
         ODD: shfl.sync.bfly.b32 %r0, %r1, 1, 31, 0xAAAAAAAB;",
        32,
        "divergent",
        "another mask",
    );
    refused(
        "@%p0 bra ODD;\n\
         shfl.sync.bfly.b32 %r0, %r1, 2, 31, -1;\n\
         ODD: bar.sync 0;",
        32,
        "stuck",
        "barrier 0",
    );
}

/// What comes from a lane that is not there depends on the seed.
#[test]
fn nothing_comes_from_lanes_that_are_not_there() {
    let body =
        "setp.ge.u32 %p1, %r1, 20; @%p1 bra END; shfl.sync.down.b32 %r0, %r1, 4, 31, 0xFFFFF;";
    let runs: Vec<Vec<u32>> = (0..3)
        .map(|seed| results(body, 32, seed).expect("runs"))
        .collect();
    assert_eq!(runs[0][..16], (4..20).collect::<Vec<u32>>());
    assert_ne!(runs[0][16..20], runs[1][16..20]);
}

#[test]
fn votes() {
    check("vote.sync.ballot.b32 %r0, %p0, -1;", 64, |_| 0xAAAA_AAAA);
    check("vote.sync.ballot.b32 %r0, !%p0, -1;", 32, |_| 0x5555_5555);
    let pred = |op: &str| format!("{op}; selp.u32 %r0, 1, 0, %p1;");
    check(&pred("vote.sync.all.pred %p1, %p0, -1"), 32, |_| 0);
    check(&pred("vote.sync.any.pred %p1, %p0, -1"), 32, |_| 1);
    check(&pred("vote.sync.uni.pred %p1, %p0, -1"), 32, |_| 0);
    let odd = "@!%p0 bra END;";
    check(
        &pred(&format!(
            "mov.u32 %r0, 7; {odd} vote.sync.all.pred %p1, %p0, 0xAAAAAAAA"
        )),
        32,
        |i| if i % 2 == 1 { 1 } else { 7 },
    );
    check(
        &pred(&format!(
            "mov.u32 %r0, 7; {odd} vote.sync.uni.pred %p1, !%p0, 0xAAAAAAAA"
        )),
        32,
        |i| if i % 2 == 1 { 1 } else { 7 },
    );
    // Lanes that have exited are not missed, and count as not there.
    check(
        "mov.u32 %r0, 0; setp.lt.u32 %p2, %r1, 8; @%p2 bra GO; exit; GO: vote.sync.ballot.b32 %r0, %p0, -1;",
        32,
        |i| if i < 8 { 0xAA } else { 0 },
    );
}

#[test]
fn matches() {
    check(
        "rem.u32 %r3, %r1, 3; match.any.sync.b32 %r0, %r3, -1;",
        32,
        |i| {
            (0..32)
                .filter(|j| j % 3 == i % 3)
                .fold(0, |m, j| m | 1 << j)
        },
    );
    check(
        "shr.u32 %r3, %r1, 2; cvt.u64.u32 %rd3, %r3; shl.b64 %rd3, %rd3, 40; match.any.sync.b64 %r0, %rd3, -1;",
        32,
        |i| 0xF << (i / 4 * 4),
    );
    check(
        "match.all.sync.b32 %r0|%p1, 5, -1; @!%p1 mov.u32 %r0, 1;",
        32,
        |_| u32::MAX,
    );
    check(
        "match.all.sync.b32 %r0|%p1, %r2, -1; @%p1 mov.u32 %r0, 1;",
        32,
        |_| 0,
    );
}

#[test]
fn reductions() {
    check("redux.sync.add.s32 %r0, %r1, -1;", 32, |_| 31 * 32 / 2);
    check(
        "neg.s32 %r3, %r1; redux.sync.min.s32 %r0, %r3, -1;",
        32,
        |_| (-31i32) as u32,
    );
    check(
        "neg.s32 %r3, %r1; redux.sync.max.s32 %r0, %r3, -1;",
        32,
        |_| 0,
    );
    check(
        "neg.s32 %r3, %r1; redux.sync.max.u32 %r0, %r3, -1;",
        32,
        |_| u32::MAX,
    );
    check("redux.sync.xor.b32 %r0, %r1, -1;", 32, |_| 0);
    check(
        "@%p0 bra ODD; redux.sync.or.b32 %r0, %r1, 0x55555555; bra END; ODD: redux.sync.and.b32 %r0, %r1, 0xAAAAAAAA;",
        32,
        |i| if i % 2 == 1 { 1 } else { 30 },
    );
}

#[test]
fn elections() {
    check(
        "elect.sync %r0|%p1, -1; @%p1 add.u32 %r0, %r0, 100;",
        64,
        |i| if i % 32 == 0 { 100 } else { 0 },
    );
    check(
        "mov.u32 %r0, 0; @!%p0 bra END; elect.sync _|%p1, 0xAAAAAAAA; selp.u32 %r0, 1, 0, %p1;",
        32,
        |i| u32::from(i == 1),
    );
}

/// The mask names the lane, and lanes that are named by another's mask have the same one.
#[test]
fn active_masks_agree() {
    let body = "@%p0 bra ODD;\n\
         activemask.b32 %r0;\n\
         bra END;\n\
         ODD: activemask.b32 %r0;";
    let mut sizes = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let masks = results(body, 32, seed).expect("runs");
        for (i, mask) in masks.iter().enumerate() {
            assert_eq!(mask >> i & 1, 1);
            let others = if i % 2 == 1 { 0xAAAA_AAAA } else { 0x5555_5555 };
            assert_eq!(mask & !others, 0);
            for (j, other) in masks.iter().enumerate() {
                assert!(mask >> j & 1 == 0 || mask == other);
            }
            sizes.insert(mask.count_ones());
        }
    }
    assert!(sizes.len() > 1 && sizes.contains(&16), "{sizes:?}");
}

/// Small integers, whose sums are exact in any order.
fn small(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * 5 % 17) as f32 - 8.0).collect()
}

#[test]
fn reductions_of_the_corpus() {
    let module = run::corpus("cuda/reduce.sm_90a.ptx");
    let input = small(1000);
    let ints: Vec<u32> = input.iter().map(|x| *x as i32 as u32).collect();
    let sum: f32 = input.iter().sum();
    let n = 1000u32.to_le_bytes();
    for seed in 0..4 {
        let mut d = Bench::new(&module, seed);
        let (x, out, part) = (d.give(&f32s(&input)), d.give(&words(&[0])), d.room(16));
        d.run("reduce_sum", [3, 1, 1], [128, 1, 1], &[&x, &out, &n])
            .expect("runs");
        assert_eq!(d.floats(&out, 1), [sum]);
        d.run(
            "reduce_lastblock",
            [4, 1, 1],
            [64, 1, 1],
            &[&x, &part, &out, &n],
        )
        .expect("runs");
        assert_eq!(d.floats(&out, 1), [sum]);
        let (x, out) = (d.give(&words(&ints)), d.give(&words(&[0])));
        d.run("reduce_int_redux", [8, 1, 1], [128, 1, 1], &[&x, &out, &n])
            .expect("runs");
        assert_eq!(d.words(&out, 1), [sum as i32 as u32]);
    }
}

#[test]
fn compaction_and_aggregation_of_the_corpus() {
    let module = run::corpus("cuda/warp_ops.sm_90a.ptx");
    let input: Vec<i32> = (0..200).map(|i| i * 37 % 101 - 40).collect();
    let x: Vec<u32> = input.iter().map(|x| *x as u32).collect();
    let n = 200u32.to_le_bytes();
    for seed in 0..6 {
        let mut d = Bench::new(&module, seed);
        let (xs, y, count) = (d.give(&words(&x)), d.room(800), d.give(&words(&[0])));
        d.run("compact", [4, 1, 1], [64, 1, 1], &[&xs, &y, &count, &n])
            .expect("runs");
        let mut want: Vec<u32> = x.iter().copied().filter(|x| (*x as i32) > 0).collect();
        let kept = d.words(&count, 1)[0] as usize;
        let mut got = d.words(&y, kept);
        got.sort_unstable();
        want.sort_unstable();
        assert_eq!(got, want);
        let keys: Vec<u32> = (0..200).map(|i| i * i % 10).collect();
        let (k, c) = (d.give(&words(&keys)), d.give(&words(&[0; 10])));
        d.run("warp_agg", [4, 1, 1], [64, 1, 1], &[&k, &c, &n])
            .expect("runs");
        let count = |key| keys.iter().filter(|k| **k == key).count() as u32;
        assert_eq!(d.words(&c, 10), (0..10).map(count).collect::<Vec<u32>>());
    }
}
