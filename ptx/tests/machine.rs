//! The machine on kernels of the corpus that need no engine but barriers and atomics.

mod run;

use ptx::machine::Options;
use run::{Bench, f32s, words};

#[test]
fn vadd() {
    let module = run::corpus("cuda/vadd.sm_90a.ptx");
    for seed in 0..4 {
        let n = 1000;
        let a: Vec<f32> = (0..n).map(|i| i as f32 * 0.5).collect();
        let b: Vec<f32> = (0..n).map(|i| 1000.0 - i as f32).collect();
        let mut d = Bench::new(&module, seed);
        let (pa, pb, pc) = (d.give(&f32s(&a)), d.give(&f32s(&b)), d.room(4 * n));
        let stats = d
            .run(
                "vadd",
                [4, 1, 1],
                [256, 1, 1],
                &[&pa, &pb, &pc, &(n as u32).to_le_bytes()],
            )
            .expect("runs");
        let want: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert_eq!(d.floats(&pc, n), want);
        assert_eq!(stats.bytes["global"], (8000, 4000));
    }
}

#[test]
fn matmul_tiled() {
    let module = run::corpus("cuda/matmul_tiled.sm_90a.ptx");
    for seed in 0..3 {
        let got = run::matmul(&module, "matmul_tiled", seed, [40, 33, 50], [16, 16]);
        assert_eq!(got, run::matmul_reference([40, 33, 50]));
    }
}

#[test]
fn a_missing_barrier_shows() {
    let module = run::corpus("cuda/matmul_tiled.sm_90a.ptx");
    let wrong = (0..8).any(|seed| {
        run::matmul(&module, "matmul_tiled_racy", seed, [32, 32, 64], [16, 16])
            != run::matmul_reference([32, 32, 64])
    });
    assert!(wrong);
}

#[test]
fn the_seed_alone_decides() {
    let module = run::corpus("cuda/matmul_tiled.sm_90a.ptx");
    let run = |seed| {
        let mut d = Bench::new(&module, seed);
        let data = d.give(&words(&[1; 64]));
        let zero = 0u32.to_le_bytes();
        d.run(
            "matmul_tiled",
            [1, 1, 1],
            [16, 16, 1],
            &[&data, &data, &data, &zero, &zero, &zero],
        )
        .expect("runs")
    };
    assert_eq!(run(3), run(3));
    assert!(Options::default().step_limit > 0);
}
