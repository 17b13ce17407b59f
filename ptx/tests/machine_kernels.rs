//! The simple kernels of the corpus on small shapes, each with several seeds; and wrong ones that show it.

mod run;

use ptx::machine::{FaultKind, Launch, Options, Silent};
use run::{Bench, corpus, f32s, words};

const SEEDS: std::ops::Range<u64> = 0..4;

fn u(n: u32) -> [u8; 4] {
    n.to_le_bytes()
}

/// Small integers as floats: their sums are exact in any order.
fn floats(n: usize) -> Vec<f32> {
    (0..n)
        .map(|i| ((i * 37 + 11) % 101) as f32 - 50.0)
        .collect()
}

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32)
        .map(|i| i.wrapping_mul(2654435761) >> 7)
        .collect()
}

#[test]
fn saxpy_vadd4_relu() {
    let module = corpus("cuda/vadd.sm_90a.ptx");
    for seed in SEEDS {
        let n = 100;
        let mut d = Bench::new(&module, seed);
        let (x, y) = (floats(n), floats(n + 3)[3..].to_vec());
        let (px, py) = (d.give(&f32s(&x)), d.give(&f32s(&y)));
        let alpha = 3f32.to_le_bytes();
        d.run(
            "saxpy",
            [2, 1, 1],
            [16, 1, 1],
            &[&u(n as u32), &alpha, &px, &py],
        )
        .expect("runs");
        let sum: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 3.0 * x + y).collect();
        assert_eq!(d.floats(&py, n), sum);
        let pc = d.room(4 * n);
        d.run(
            "vadd4",
            [1, 1, 1],
            [32, 1, 1],
            &[&px, &py, &pc, &u(n as u32 / 4)],
        )
        .expect("runs");
        let both: Vec<f32> = x.iter().zip(&sum).map(|(x, y)| x + y).collect();
        assert_eq!(d.floats(&pc, n), both);
        let count = (n as u64).to_le_bytes();
        d.run("relu_inplace", [4, 1, 1], [32, 1, 1], &[&px, &count])
            .expect("runs");
        let relu: Vec<f32> = x.iter().map(|x| x.max(0.0)).collect();
        assert_eq!(d.floats(&px, n), relu);
    }
}

#[test]
fn matrix_products() {
    let module = corpus("cuda/matmul_tiled.sm_90a.ptx");
    for seed in SEEDS {
        let size = [19, 35, 21];
        assert_eq!(
            run::matmul(&module, "matmul_naive", seed, size, [8, 4]),
            run::matmul_reference(size)
        );
        let size = [64, 128, 16];
        let mut d = Bench::new(&module, seed);
        let [m, n, k] = size;
        let (a, b) = run::matrices(size);
        let (a, b, c) = (d.give(&a), d.give(&b), d.room(4 * m * n));
        let sizes = [m, n, k].map(|x| u(x as u32));
        d.run(
            "matmul_regblock",
            [2, 1, 1],
            [256, 1, 1],
            &[&a, &b, &c, &sizes[0], &sizes[1], &sizes[2]],
        )
        .expect("runs");
        assert_eq!(d.floats(&c, m * n), run::matmul_reference(size));
    }
}

#[test]
fn transpose_stencil_bitonic_embedding() {
    let module = corpus("cuda/transpose_stencil.sm_90a.ptx");
    for seed in SEEDS {
        let (w, h) = (45, 37);
        let mut d = Bench::new(&module, seed);
        let x = floats(w * h);
        let (input, output) = (d.give(&f32s(&x)), d.room(4 * w * h));
        let (pw, ph) = (u(w as u32), u(h as u32));
        d.run(
            "transpose",
            [2, 2, 1],
            [32, 8, 1],
            &[&input, &output, &pw, &ph],
        )
        .expect("runs");
        let want: Vec<f32> = (0..w * h).map(|i| x[i % h * w + i / h]).collect();
        assert_eq!(d.floats(&output, w * h), want);
        let mut sorted = numbers(64);
        let data = d.give(&words(&sorted));
        for k in [2u32, 4, 8, 16, 32, 64] {
            let mut j = k / 2;
            while j > 0 {
                d.run("bitonic", [2, 1, 1], [32, 1, 1], &[&data, &u(j), &u(k)])
                    .expect("runs");
                j /= 2;
            }
        }
        sorted.sort_unstable();
        assert_eq!(d.words(&data, 64), sorted);
        let ids = d.give(&words(&[3, 0, 99, 1]));
        let table = d.give(&f32s(&floats(4 * 4 * 4)));
        let rows = d.give(&f32s(&[0.5; 4 * 16]));
        d.run(
            "embedding",
            [4, 1, 1],
            [2, 1, 1],
            &[&ids, &table, &rows, &u(4), &u(4)],
        )
        .expect("runs");
        let got = d.floats(&rows, 64);
        assert_eq!(got[..16], floats(64)[48..]);
        assert_eq!(got[16..32], floats(64)[..16]);
        assert_eq!(got[32..48], [0.5; 16]);
        assert_eq!(got[48..], floats(64)[16..32]);
    }
}

#[test]
fn reductions_in_a_tree() {
    let module = corpus("cuda/reduce.sm_90a.ptx");
    let (n, block) = (1000, 128u32);
    let x = floats(n);
    let run = |entry: &str, seed| {
        let mut d = Bench::new(&module, seed);
        let (input, output) = (d.give(&f32s(&x)), d.room(16));
        d.launch(
            entry,
            [4, 1, 1],
            [block, 1, 1],
            4 * block,
            &[&input, &output, &u(n as u32)],
        )
        .expect("runs");
        d.floats(&output, 4)
    };
    let want: Vec<f32> = x.chunks(256).map(|c| c.iter().sum()).collect();
    for seed in SEEDS {
        assert_eq!(run("reduce_tree", seed), want);
    }
    assert!((0..8).any(|seed| run("reduce_tree_racy", seed) != want));
}

#[test]
fn scan_and_histograms() {
    let module = corpus("cuda/scan_hist.sm_90a.ptx");
    for seed in SEEDS {
        let mut d = Bench::new(&module, seed);
        let n = 128;
        let x = floats(n);
        let data = d.give(&f32s(&x));
        d.launch(
            "scan_blelloch",
            [1, 1, 1],
            [64, 1, 1],
            4 * 128,
            &[&data, &u(n as u32)],
        )
        .expect("runs");
        let before: Vec<f32> = (0..n).map(|i| x[..i].iter().sum()).collect();
        assert_eq!(d.floats(&data, n), before);
        let bytes: Vec<u8> = numbers(1000).iter().map(|x| (x % 256) as u8).collect();
        let (input, counts) = (d.give(&bytes), d.give(&words(&[0; 256])));
        d.run(
            "hist_shared",
            [3, 1, 1],
            [64, 1, 1],
            &[&input, &counts, &u(1000)],
        )
        .expect("runs");
        let count = |v: u32| bytes.iter().filter(|b| u32::from(**b) == v).count() as u32;
        let want: Vec<u32> = (0..256).map(count).collect();
        assert_eq!(d.words(&counts, 256), want);
        let values: Vec<u32> = bytes.iter().map(|b| u32::from(*b)).collect();
        let (input, counts) = (d.give(&words(&values)), d.give(&words(&[0; 256])));
        d.run(
            "hist_global",
            [8, 1, 1],
            [128, 1, 1],
            &[&input, &counts, &u(1000), &u(256)],
        )
        .expect("runs");
        assert_eq!(d.words(&counts, 256), want);
    }
}

#[test]
fn flags_locks_grids() {
    let module = corpus("cuda/sync_flag.sm_90a.ptx");
    for seed in SEEDS {
        let mut d = Bench::new(&module, seed);
        for entry in ["mp_relacq", "mp_fence"] {
            let (data, flag, out) = (d.give(&u(0)), d.give(&u(0)), d.give(&u(0)));
            d.run(entry, [2, 1, 1], [32, 1, 1], &[&data, &flag, &out])
                .expect("runs");
            assert_eq!(d.words(&out, 1), [42]);
        }
        let (lock, counter) = (d.give(&u(0)), d.give(&u(0)));
        d.run("spinlock", [24, 1, 1], [32, 1, 1], &[&lock, &counter])
            .expect("runs");
        assert_eq!(d.words(&counter, 1), [24]);
        let y = d.room(4 * 128);
        let x = d.give(&f32s(&floats(128)));
        d.run("named_barriers", [1, 1, 1], [256, 1, 1], &[&x, &y])
            .expect("runs");
        let reversed: Vec<f32> = floats(128).into_iter().rev().collect();
        assert_eq!(d.floats(&y, 128), reversed);
    }
}

#[test]
fn clusters_read_each_others_memory() {
    let module = corpus("cuda/sync_flag.sm_90a.ptx");
    for seed in SEEDS {
        let mut d = Bench::new(&module, seed);
        let x = numbers(1024);
        let (input, output) = (d.give(&words(&x)), d.room(4096));
        let mut launch = Launch {
            entry: "cluster_dsmem".to_owned(),
            grid: [4, 1, 1],
            block: [256, 1, 1],
            cluster: [2, 1, 1],
            dynamic_shared: 0,
            params: vec![input.clone(), output.clone()],
            programmatic: false,
        };
        d.device.launch(&launch, &mut Silent).expect("runs");
        let want: Vec<u32> = (0..1024)
            .map(|i| x[((i / 256) ^ 1) * 256 + 255 - i % 256])
            .collect();
        assert_eq!(d.words(&output, 1024), want);
        launch.cluster = [1, 1, 1];
        let fault = d
            .device
            .launch(&launch, &mut Silent)
            .expect_err("no cluster");
        assert_eq!(fault.kind.name(), "launch");
    }
}

#[test]
fn routing() {
    let module = corpus("cuda/moe_small.sm_90a.ptx");
    for seed in SEEDS {
        let mut d = Bench::new(&module, seed);
        let (n, e, b) = (40usize, 5u32, 4usize);
        let ids: Vec<u32> = numbers(n).iter().map(|x| x % e).collect();
        let (pi, sorted) = (d.give(&words(&ids)), d.give(&words(&[u32::MAX; 80])));
        let (experts, total) = (d.give(&words(&[u32::MAX; 20])), d.room(4));
        d.launch(
            "align_block",
            [1, 1, 1],
            [32, 1, 1],
            8 * e,
            &[
                &pi,
                &sorted,
                &experts,
                &total,
                &u(n as u32),
                &u(e),
                &u(b as u32),
            ],
        )
        .expect("runs");
        let rows = d.words(&total, 1)[0] as usize;
        assert_eq!(rows % b, 0);
        let (sorted, experts) = (d.words(&sorted, rows), d.words(&experts, rows / b));
        let mut seen: Vec<u32> = sorted.iter().copied().filter(|x| *x != u32::MAX).collect();
        for (i, s) in sorted.iter().enumerate().filter(|(_, s)| **s != u32::MAX) {
            assert_eq!(ids[*s as usize], experts[i / b]);
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..n as u32).collect::<Vec<_>>());
    }
}

#[test]
fn what_a_wrong_kernel_does() {
    let module = corpus("cuda/neg.sm_90a.ptx");
    let run = |entry: &str, grid: u32, seed| {
        let mut d = Bench::new(&module, seed);
        let x = d.give(&words(&numbers(64)));
        let run = d.run(entry, [grid, 1, 1], [32, 1, 1], &[&x]);
        run.map(|_| d.words(&x, 64))
    };
    let distinct = |entry: &str, grid| {
        let mut all: Vec<_> = (0..12)
            .map(|s| run(entry, grid, s).expect("runs"))
            .collect();
        all.sort();
        all.dedup();
        all.len()
    };
    assert!(distinct("cross_cta", 4) > 1);
    assert!(distinct("uninit_smem", 1) > 1);
    assert!(distinct("warp_race", 1) > 1);
    assert_eq!(distinct("warp_sync", 1), 1);
    assert_eq!(distinct("same_value", 4), 1);
    let fault = run("oob_smem", 1, 0).expect_err("out of bounds");
    assert!(
        matches!(
            fault.kind,
            FaultKind::OutOfBounds {
                space: "shared",
                ..
            }
        ),
        "{fault}"
    );
}

#[test]
fn barriers_in_a_loop_and_counters() {
    let module = corpus("cuda/neg.sm_90a.ptx");
    for seed in SEEDS {
        let mut d = Bench::new(&module, seed);
        let x = numbers(64 * 5);
        let px = d.give(&words(&x));
        d.run("nested_bar", [1, 1, 1], [64, 1, 1], &[&px, &u(5)])
            .expect("runs");
        let want: Vec<u32> = x.chunks(64).flat_map(|c| c.iter().rev().copied()).collect();
        assert_eq!(d.words(&px, 64 * 5), want);
        let (counter, out) = (d.give(&u(0)), d.give(&words(&[9; 64])));
        d.run("atomic_ctr", [2, 1, 1], [32, 1, 1], &[&counter, &out])
            .expect("runs");
        assert_eq!(d.words(&out, 64), (0..64).collect::<Vec<_>>());
    }
}

/// Few threads at once change nothing: all CTAs run at last.
#[test]
fn crowded() {
    let module = corpus("cuda/sync_flag.sm_90a.ptx");
    let options = Options {
        crowded: 1,
        ..Options::default()
    };
    let mut d = Bench::with(&module, options);
    let (data, flag, out) = (d.give(&u(0)), d.give(&u(0)), d.give(&u(0)));
    d.run("mp_relacq", [2, 1, 1], [32, 1, 1], &[&data, &flag, &out])
        .expect("runs");
    assert_eq!(d.words(&out, 1), [42]);
}
#[test]
fn a_grid_waits_for_itself() {
    let module = corpus("cuda/sync_flag.sm_90a.ptx");
    for seed in SEEDS {
        let n = 200;
        let mut d = Bench::new(&module, seed);
        let mut a: Vec<f32> = floats(n).iter().map(|x| x * 1024.0).collect();
        let (pa, pb) = (d.give(&f32s(&a)), d.give(&f32s(&a)));
        d.run(
            "grid_sync_jacobi",
            [5, 1, 1],
            [32, 1, 1],
            &[&pa, &pb, &u(n as u32), &u(4)],
        )
        .expect("runs");
        for _ in 0..4 {
            let at = |i: usize| a[i.min(n - 1)];
            a = (0..n)
                .map(|i| 0.5 * (at(i.saturating_sub(1)) + at(i + 1)))
                .collect();
        }
        assert_eq!(d.floats(&pa, n), a);
    }
}

#[test]
fn calls_and_tables() {
    let module = corpus("cuda/warp_ops.sm_90a.ptx");
    for seed in SEEDS {
        let mut d = Bench::new(&module, seed);
        let x = floats(32);
        let (px, n) = (d.give(&f32s(&x)), u(32));
        d.run("indirect", [1, 1, 1], [32, 1, 1], &[&px, &n])
            .expect("runs");
        let twice = |(i, x): (usize, &f32)| if i % 2 == 0 { x + 1.0 } else { x * 2.0 };
        let want: Vec<f32> = x.iter().enumerate().map(twice).collect();
        assert_eq!(d.floats(&px, 32), want);
        let index = numbers(32);
        let (ids, out) = (d.give(&words(&index)), d.room(128));
        d.run("local_array", [1, 1, 1], [32, 1, 1], &[&ids, &out, &n])
            .expect("runs");
        let want: Vec<u32> = (0..32).map(|i| (index[i as usize] & 63) * i).collect();
        assert_eq!(d.words(&out, 32), want);
        let (o, f) = (d.room(128), d.give(&f32s(&x)));
        d.run("calls", [1, 1, 1], [32, 1, 1], &[&o, &f, &n])
            .expect("runs");
        let mut fib = vec![0u32, 1];
        while fib.len() < 16 {
            fib.push(fib[fib.len() - 1] + fib[fib.len() - 2]);
        }
        let want: Vec<u32> = (0..32).map(|i| fib[i & 15]).collect();
        assert_eq!(d.words(&o, 32), want);
    }
}

#[test]
fn atomics() {
    let module = corpus("cuda/dynpar_clc.sm_90a.ptx");
    for seed in SEEDS {
        let mut d = Bench::new(&module, seed);
        let n = 40;
        let (q, f) = (d.give(&[0; 8]), d.give(&[0; 4]));
        let (g, h) = (d.give(&[0; 8]), d.give(&[1, 0]));
        let p = d.give(&words(&[0; 64]));
        let run = d.run(
            "atom_zoo",
            [2, 1, 1],
            [32, 1, 1],
            &[&p, &q, &f, &g, &h, &u(n)],
        );
        run.expect("runs");
        let got = d.words(&p, 16);
        assert_eq!(got[0], n * (n - 1) / 2);
        assert_eq!(got[1], n - 1);
        assert_eq!(d.words(&q, 1), [n * (n - 1) / 2]);
        assert_eq!(d.floats(&f, 1), [n as f32]);
        assert_eq!(d.device.read(run::address(&h), 2).expect("there"), [2, 0]);
        let sum = d.device.read(run::address(&g), 8).expect("there");
        assert_eq!(sum, f64::from(n).to_le_bytes());
    }
}
