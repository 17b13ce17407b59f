//! Copies by threads, bulk copies and reductions, groups, clusters: with what they need right for every seed, without it
//! wrong for some seed or a fault.

#[path = "common/machine.rs"]
mod machine;

use machine::{Run, kernel, to_u32s, u32s};

const S: &str = ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar;";

fn numbers(n: u32) -> Vec<u8> {
    u32s((0..n).map(|i| i.wrapping_mul(0x9E37_79B9) ^ 0x55))
}

/// Each of 32 threads copies 16 bytes, waits as told, and writes what another thread's copy brought.
fn copies(copy: &str, wait: &str, sync: &str) -> Run {
    let body = format!(
        "mov.u32 %r1, s; shl.b32 %r2, %r0, 4; add.u32 %r3, %r1, %r2;
        cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd0, %rd2;
        mov.u32 %r9, 8; setp.lt.u32 %p1, %r0, 16;
        {copy}
        {wait}
        {sync}
        xor.b32 %r4, %r2, 496; add.u32 %r4, %r1, %r4;
        ld.shared.v4.u32 {{%r5, %r6, %r7, %r8}}, [%r4];
        add.u64 %rd4, %rd1, %rd2;
        st.global.v4.u32 [%rd4], {{%r5, %r6, %r7, %r8}};"
    );
    Run::new(kernel(2, S, &body), 32, vec![numbers(128), vec![0; 512]])
}

const WAIT: &str = "cp.async.commit_group; cp.async.wait_group 0;";
const COPY: &str = "cp.async.cg.shared.global [%r3], [%rd3], 16;";
const SYNC: &str = "bar.sync 0;";

/// The result of [`copies`] when of each 16 bytes those that `keep` wants are copied and the others are zero.
fn swapped(keep: impl Fn(usize, usize) -> bool) -> Vec<u8> {
    let from = numbers(128);
    (0..512)
        .map(|i| {
            let (thread, byte) = (31 - i / 16, i % 16);
            if keep(thread, byte) {
                from[16 * thread + byte]
            } else {
                0
            }
        })
        .collect()
}

#[test]
fn copies_and_groups() {
    let all = swapped(|_, _| true);
    for (copy, wait, right) in [
        (COPY, WAIT, all.clone()),
        (COPY, "cp.async.wait_all;", all.clone()),
        ("cp.async.ca.shared::cta.global.L2::128B [%r3], [%rd3], 16;", WAIT, all.clone()),
        (
            "cp.async.ca.shared.global [%r3], [%rd3], 4; cp.async.ca.shared.global [%r3+4], [%rd3+4], 4;
             cp.async.commit_group; cp.async.ca.shared.global [%r3+8], [%rd3+8], 8;",
            WAIT,
            all.clone(),
        ),
        // The rest is filled with zeros, the source need not be there.
        ("cp.async.cg.shared.global [%r3], [%rd3], 16, 5;", WAIT, swapped(|_, b| b < 5)),
        ("cp.async.cg.shared.global [%r3], [%rd3], 16, %r9;", WAIT, swapped(|_, b| b < 8)),
        ("cp.async.cg.shared.global [%r3], [%rd3+99999], 16, 0;", WAIT, swapped(|_, _| false)),
        ("cp.async.cg.shared.global [%r3], [%rd3], 16, %p1;", WAIT, swapped(|t, _| t >= 16)),
        (
            "cp.async.ca.shared.global.L2::cache_hint [%r3], [%rd3], 16, %r9, %rd9;",
            WAIT,
            swapped(|_, b| b < 8),
        ),
        ("cp.async.ca.shared.global.L2::cache_hint [%r3], [%rd3], 16, %rd9;", WAIT, all.clone()),
    ] {
        let run = copies(copy, wait, SYNC);
        assert_eq!(run.always()[1], right, "{copy}");
    }
    let right = [numbers(128), all];
    for (copy, wait, sync) in [
        (COPY, "", SYNC),
        (COPY, "cp.async.commit_group;", SYNC),
        // What is in no group is not waited for; nor is the latest group.
        (COPY, "cp.async.wait_group 0;", SYNC),
        (COPY, "cp.async.commit_group; cp.async.wait_group 1;", SYNC),
        // The wait is for the own copies alone.
        (COPY, WAIT, ""),
    ] {
        assert!(
            copies(copy, wait, sync).breaks(&right),
            "{copy} {wait} {sync}"
        );
    }
}

#[test]
fn faults_of_copies() {
    for (copy, wanted) in [
        (
            "cp.async.cg.shared.global [%r3], [%rd3], 16, 17;",
            "src-size 17",
        ),
        (
            "cp.async.cg.shared.global [%r3+8], [%rd3], 16;",
            "multiple of 16",
        ),
        (
            "cp.async.cg.shared.global [%r3], [%rd3+4], 16;",
            "multiple of 16",
        ),
        (
            "cp.async.ca.shared.global [%r3+4096], [%rd3], 16;",
            "out of bounds",
        ),
        (
            "cp.async.ca.shared.global [%r3], [%rd3+4096], 16;",
            "out of bounds",
        ),
    ] {
        let (_, text) = copies(copy, WAIT, SYNC).faults();
        assert!(text.contains(wanted), "{copy}: {text}");
    }
}

/// An mbarrier tracks the copies of all threads.
#[test]
fn copies_arrive() {
    let with = |count: u32, arrive: &str| {
        let wait = format!(
            "{arrive}
            mbarrier.arrive.shared.b64 %rd9, [bar];
            W: mbarrier.try_wait.shared::cta.b64 %p2, [bar], %rd9; @!%p2 bra W;"
        );
        let copy = format!(
            "setp.ne.u32 %p3, %r0, 0; @!%p3 mbarrier.init.shared.b64 [bar], {count}; bar.sync 0; {COPY}"
        );
        copies(&copy, &wait, "")
    };
    let right = [numbers(128), swapped(|_, _| true)];
    assert_eq!(
        with(32, "cp.async.mbarrier.arrive.shared.b64 [bar];").always(),
        right
    );
    assert_eq!(
        with(64, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];").always(),
        right
    );
    assert!(with(32, "").breaks(&right));
    // `.noinc` must be counted; without it, it must not.
    assert_eq!(
        with(64, "cp.async.mbarrier.arrive.shared.b64 [bar];")
            .faults()
            .0,
        "stuck"
    );
    let (name, _) = with(64, "").faults();
    assert_eq!(name, "stuck");
}

/// One thread brings 512 bytes by a bulk copy, all threads double them, one thread sends them back.
struct Bulk {
    bytes: &'static str,
    expect: &'static str,
    wait: &'static str,
    store: &'static str,
    end: &'static str,
}

const BULK: Bulk = Bulk {
    bytes: "512",
    expect: "512",
    wait: "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra W;",
    store: "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512;",
    end: "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
};

impl Bulk {
    fn run(&self) -> Run {
        let Bulk {
            bytes,
            expect,
            wait,
            store,
            end,
        } = self;
        let body = format!(
            "setp.ne.u32 %p0, %r0, 0;
            @%p0 bra A;
            mbarrier.init.shared::cta.b64 [bar], 1; fence.proxy.async.shared::cta;
            A: bar.sync 0;
            @%p0 bra W;
            mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {expect};
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd0], {bytes}, [bar];
            {wait}
            {w}
            mov.u32 %r1, s; shl.b32 %r2, %r0, 2; add.u32 %r1, %r1, %r2;
            ld.shared.u32 %r3, [%r1]; add.u32 %r3, %r3, %r3; st.shared.u32 [%r1], %r3;
            fence.proxy.async.shared::cta;
            bar.sync 0;
            @%p0 bra E;
            {store}
            {end}
            E:",
            w = if wait.is_empty() { "W:" } else { "" }
        );
        Run::new(kernel(2, S, &body), 128, vec![numbers(128), numbers(128)])
    }
}

fn doubled() -> Vec<Vec<u8>> {
    let all = to_u32s(&numbers(128));
    vec![numbers(128), u32s(all.iter().map(|x| x.wrapping_mul(2)))]
}

#[test]
fn bulk_copies() {
    assert_eq!(BULK.run().always(), doubled());
    let whole = Bulk {
        end: "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        ..BULK
    };
    assert_eq!(whole.run().always(), doubled());
    let masked = Bulk {
        store: "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [s], 512, 0xFFF0;",
        ..BULK
    };
    let mut right = doubled();
    for i in (0..512).filter(|i| i % 16 < 4) {
        right[1][i] = right[0][i];
    }
    assert_eq!(masked.run().always(), right);
    // Nobody waits: old bytes.
    assert!(Bulk { wait: "", ..BULK }.run().breaks(&doubled()));
    // The CTA ends before its memory was read.
    let broken = Bulk { end: "", ..BULK };
    let faults = (0..40).filter_map(|seed| broken.run().seed(seed).err());
    let texts: Vec<String> = faults.map(|f| f.kind.to_string()).collect();
    assert!(
        !texts.is_empty() && texts.iter().all(|t| t.contains("has ended")),
        "{texts:?}"
    );
    // The source is changed before it was read: wrong for some seed, though with `.read` it is right.
    let reuse = |end| Bulk { end, ..BULK }.run();
    let changed =
        "cp.async.bulk.commit_group; st.shared.u32 [s], 0; cp.async.bulk.wait_group.read 0;";
    assert!(reuse(changed).breaks(&doubled()));
    let after =
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; st.shared.u32 [s], 0;";
    assert_eq!(reuse(after).always(), doubled());
    // `.read` does not say that the bytes are there.
    let look = |end: &str| {
        let end = format!(
            "cp.async.bulk.commit_group; {end} ld.global.u32 %r5, [%rd1+4]; st.global.u32 [%rd1], %r5;"
        );
        let end: &'static str = end.leak();
        reuse(end)
    };
    let mut right = doubled();
    right[1].copy_within(4..8, 0);
    assert_eq!(look("cp.async.bulk.wait_group 0;").always(), right);
    assert!(look("cp.async.bulk.wait_group.read 0;").breaks(&right));
}

#[test]
fn transaction_counts() {
    let more = Bulk {
        expect: "528",
        ..BULK
    };
    assert_eq!(more.run().faults().0, "stuck");
    // Too few bytes expected: the count goes below zero and the phase never ends, or a wait ends early.
    let less = Bulk {
        expect: "496",
        ..BULK
    };
    assert_eq!(less.run().faults().0, "stuck");
    let half = Bulk {
        bytes: "256",
        ..BULK
    };
    assert_eq!(half.run().faults().0, "stuck");
}

#[test]
fn faults_of_bulk_copies() {
    for (bulk, wanted) in [
        (
            Bulk {
                bytes: "24",
                ..BULK
            },
            "multiple of 16",
        ),
        (
            Bulk {
                bytes: "528",
                ..BULK
            },
            "out of bounds",
        ),
        (
            Bulk {
                store: "cp.async.bulk.global.shared::cta.bulk_group [%rd1+8], [s], 496;",
                ..BULK
            },
            "multiple of 16",
        ),
        (
            Bulk {
                store: "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s+4], 496;",
                ..BULK
            },
            "multiple of 16",
        ),
        (
            Bulk {
                store: "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 1040;",
                ..BULK
            },
            "out of bounds",
        ),
        (
            Bulk {
                store: "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s+512], 528;",
                ..BULK
            },
            "out of bounds",
        ),
    ] {
        let (_, text) = bulk.run().faults();
        assert!(text.contains(wanted), "{text}");
    }
}

#[test]
fn bulk_reductions() {
    let words = to_u32s(&numbers(128));
    let combine = |f: &dyn Fn(u32, u32) -> u32| {
        vec![
            numbers(128),
            u32s(words.iter().map(|x| f(*x, x.wrapping_mul(2)))),
        ]
    };
    type Op = fn(u32, u32) -> u32;
    let ops: [(&str, Op); 9] = [
        ("add.u32", u32::wrapping_add),
        ("min.u32", |a, b| a.min(b)),
        ("max.s32", |a, b| (a as i32).max(b as i32) as u32),
        ("min.s32", |a, b| (a as i32).min(b as i32) as u32),
        ("and.b32", |a, b| a & b),
        ("or.b32", |a, b| a | b),
        ("xor.b32", |a, b| a ^ b),
        ("inc.u32", |a, b| if a >= b { 0 } else { a + 1 }),
        ("dec.u32", |a, b| if a == 0 || a > b { b } else { a - 1 }),
    ];
    for (name, op) in ops {
        let store =
            format!("cp.reduce.async.bulk.global.shared::cta.bulk_group.{name} [%rd1], [s], 512;");
        let bulk = Bulk {
            store: store.leak(),
            end: "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
            ..BULK
        };
        assert_eq!(bulk.run().always(), combine(&op), "{name}");
    }
}

#[test]
fn groups_are_awaited_from_the_oldest() {
    // Three stores in three groups; after waiting for all but one, the first two are there.
    let body = |n: u32| {
        format!(
            "mov.u32 %r1, 11; st.shared.v4.u32 [s], {{%r1, %r1, %r1, %r1}};
            fence.proxy.async.shared::cta;
            cp.async.bulk.global.shared::cta.bulk_group [%rd0], [s], 16; cp.async.bulk.commit_group;
            cp.async.bulk.global.shared::cta.bulk_group [%rd0+16], [s], 16; cp.async.bulk.commit_group;
            cp.async.bulk.global.shared::cta.bulk_group [%rd0+32], [s], 16; cp.async.bulk.commit_group;
            cp.async.bulk.wait_group {n};
            ld.global.u32 %r2, [%rd0]; ld.global.u32 %r3, [%rd0+16]; ld.global.u32 %r4, [%rd0+32];
            cp.async.bulk.wait_group 0;
            st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r3; st.global.u32 [%rd1+8], %r4;"
        )
    };
    let run = |n| Run::new(kernel(2, S, &body(n)), 1, vec![vec![0; 48], vec![0; 12]]);
    let seen =
        |n: u32, i: usize| (0..60).any(|seed| to_u32s(&run(n).seed(seed).unwrap()[1])[i] == 0);
    assert_eq!([seen(0, 0), seen(0, 1), seen(0, 2)], [false, false, false]);
    assert_eq!([seen(1, 0), seen(1, 1), seen(1, 2)], [false, false, true]);
    assert_eq!([seen(2, 0), seen(2, 1), seen(2, 2)], [false, true, true]);
    assert_eq!([seen(3, 0), seen(3, 1), seen(3, 2)], [true, true, true]);
}

/// Two CTAs of a cluster: remote arrivals, copies, reductions and stores, each told to the other's mbarrier.
fn cluster(send: &str, expect: u32) -> Run {
    let body = format!(
        "mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1;
        setp.ne.u32 %p0, %r0, 0;
        shl.b32 %r3, %r0, 2; mov.u32 %r4, s; add.u32 %r5, %r4, %r3;
        mad.lo.u32 %r6, %r1, 100, %r0; st.shared.u32 [%r5], %r6;
        mov.u32 %r7, 5; st.shared.u32 [%r5+128], %r7;
        @%p0 bra A;
        mbarrier.init.shared::cta.b64 [bar], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {expect};
        fence.mbarrier_init.release.cluster;
        A: fence.proxy.async.shared::cta;
        barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
        mov.u32 %r8, bar;
        mapa.shared::cluster.u32 %r9, %r4, %r2;
        mapa.shared::cluster.u32 %r10, %r8, %r2;
        add.u32 %r11, %r9, 128;
        @%p0 bra W;
        {send}
        W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0; @!%p1 bra W;
        ld.shared.u32 %r12, [%r5+128];
        mad.lo.u32 %r13, %r1, 32, %r0; mul.wide.u32 %rd1, %r13, 4; add.u64 %rd1, %rd0, %rd1;
        st.global.u32 [%rd1], %r12;
        barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;"
    );
    Run {
        grid: 2,
        cluster: 2,
        ..Run::new(kernel(1, S, &body), 32, vec![vec![0; 256]])
    }
}

#[test]
fn clusters() {
    let result = |run: Run| to_u32s(&run.always()[0]);
    let of =
        |f: &dyn Fn(u32, u32) -> u32| -> Vec<u32> { (0..64).map(|i| f(i / 32, i % 32)).collect() };
    let copy = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r11], [s], 128, [%r10];";
    assert_eq!(result(cluster(copy, 128)), of(&|r, i| (1 - r) * 100 + i));
    let add = "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r11], [s], 128, [%r10];";
    assert_eq!(result(cluster(add, 128)), of(&|r, i| (1 - r) * 100 + i + 5));
    let store = "mov.u32 %r14, 77; st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r11], %r14, [%r10];";
    assert_eq!(
        result(cluster(store, 4)),
        of(&|_, i| if i == 0 { 77 } else { 5 })
    );
    let vector = "mov.u32 %r14, 77; st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r11], {%r14, %r1, %r2, %r14}, [%r10];";
    assert_eq!(
        result(cluster(vector, 16)),
        of(&|r, i| match i {
            0 | 3 => 77,
            1 => 1 - r,
            2 => r,
            _ => 5,
        })
    );
    let reduce = "mov.u32 %r14, 77; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%r11], %r14, [%r10];";
    assert_eq!(
        result(cluster(reduce, 4)),
        of(&|_, i| if i == 0 { 77 } else { 5 })
    );
    let arrive = "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r10], 64;";
    assert_eq!(result(cluster(arrive, 64)), of(&|_, _| 5));
    // The window `.shared` is that of the CTA's own memory, `.shared::cluster` that of all.
    let windows = "cvta.shared::cluster.u64 %rd2, %rd2; cvta.shared::cluster.u64 %rd3, %rd3;
        isspacep.shared %p4, %rd2; isspacep.shared %p5, %rd3; isspacep.shared::cluster %p6, %rd2;
        selp.u32 %r14, 1, 0, %p4; selp.u32 %r15, 10, 0, %p5; selp.u32 %r16, 100, 0, %p6;
        add.u32 %r14, %r14, %r15; add.u32 %r14, %r14, %r16; st.shared.u32 [s+128], %r14;
        mbarrier.complete_tx.shared.b64 [bar], 4;";
    let windows = format!(
        "cvt.u64.u32 %rd2, %r9; mov.u32 %r14, s; mapa.shared::cluster.u32 %r14, %r14, %r1; cvt.u64.u32 %rd3, %r14; {windows}"
    );
    assert_eq!(
        result(cluster(&windows, 4)),
        of(&|_, i| if i == 0 { 110 } else { 5 })
    );
    // Remote transactions expected and arrivals: the phase needs two more arrivals.
    assert_eq!(cluster("", 128).faults().0, "stuck");
    for (send, wanted) in [
        (
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [s+128], [s], 128, [bar];",
            "another CTA",
        ),
        (
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r11], [s], 128, [bar];",
            "another CTA than its destination",
        ),
        ("mbarrier.init.shared::cta.b64 [%r10], 1;", "another CTA"),
        (
            "Q: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r10], 0;",
            "another CTA",
        ),
        (
            "mbarrier.arrive.release.cluster.shared::cluster.b64 %rd9, [%r10];",
            "has no result",
        ),
        (
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [s], %r0, [bar];",
            "red.async must go to another CTA",
        ),
    ] {
        let (_, text) = cluster(send, 128).faults();
        assert!(text.contains(wanted), "{send}: {text}");
    }
}

/// One CTA loads for both; each expects its own bytes.
#[test]
fn multicast() {
    let with = |mask: u32, expect: u32| {
        let send = format!(
            "setp.ne.u32 %p4, %r1, 0; mov.b16 %h1, {mask};
            @!%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s+128], [%rd0+256], 128, [bar], %h1;"
        );
        let mut run = cluster(&send, expect);
        run.buffers = vec![numbers(96)];
        run
    };
    let words = to_u32s(&numbers(96));
    let right: Vec<u32> = (0..64).map(|i| words[64 + i % 32]).collect();
    assert_eq!(to_u32s(&with(3, 128).always()[0])[..64], right);
    assert_eq!(
        with(1, 128).faults().0,
        "stuck",
        "the other CTA gets nothing"
    );
    let (_, text) = with(5, 128).faults();
    assert!(text.contains("names rank 2"), "{text}");
}

/// Each CTA waits for an arrival of the other one.
#[test]
fn remote_arrivals() {
    let with = |send: &str| {
        let mut run = cluster(send, 0);
        run.text = run.text.replace(
            "mbarrier.init.shared::cta.b64 [bar], 1;",
            "mbarrier.init.shared::cta.b64 [bar], 2;",
        );
        run
    };
    for arrive in [
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];",
        "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r10], 0;",
        "cvt.u64.u32 %rd5, %r8; cvta.shared.u64 %rd5, %rd5; mapa.u64 %rd6, %rd5, %r2; mbarrier.arrive.release.cluster.b64 _, [%rd6];",
    ] {
        assert_eq!(to_u32s(&with(arrive).always()[0]), [5; 64], "{arrive}");
    }
    assert_eq!(with("").faults().0, "stuck");
    let (_, text) =
        with("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10], 2;").faults();
    assert!(text.contains("2 arrivals"), "{text}");
}

/// Sums of floats, rounded once each, subnormals kept.
#[test]
fn reductions_of_floats() {
    let run = |ty: &str, old: [u32; 4], new: [u32; 4]| {
        let body = format!(
            "mov.u32 %r1, {}; mov.u32 %r2, {}; mov.u32 %r3, {}; mov.u32 %r4, {};
            st.shared.v4.u32 [s], {{%r1, %r2, %r3, %r4}};
            cp.reduce.async.bulk.global.shared::cta.bulk_group.{ty} [%rd0], [s], 16;
            cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
            new[0], new[1], new[2], new[3]
        );
        to_u32s(&Run::new(kernel(1, S, &body), 1, vec![u32s(old)]).always()[0])
    };
    let single = [1.5f32, -2.0, 1.0e-40, 3.0e38];
    let other = [0.25f32, 2.0, 2.0e-40, 3.0e38];
    let bits = |x: [f32; 4]| x.map(f32::to_bits);
    let sums = [0, 1, 2, 3].map(|i: usize| single[i] + other[i]);
    assert_eq!(run("add.f32", bits(single), bits(other)), bits(sums));
    // 1 + 2 and 0.5 + 0.5; the smallest subnormal twice; the largest plus itself.
    let halves = run(
        "add.noftz.f16",
        [0x3800_3C00, 0x7BFF_0001, 0, 0],
        [0x3800_4000, 0x7BFF_0001, 0, 0],
    );
    assert_eq!(halves, [0x3C00_4200, 0x7C00_0002, 0, 0]);
    let brains = run(
        "add.noftz.bf16",
        [0x3F00_3F80, 0, 0, 0],
        [0x3F00_4000, 0, 0, 0],
    );
    assert_eq!(brains, [0x3F80_4040, 0, 0, 0]);
    let most = run("max.f16", [0x3800_3C00, 0, 0, 0], [0xB800_4000, 0, 0, 0]);
    assert_eq!(most, [0x3800_4000, 0, 0, 0]);
}
