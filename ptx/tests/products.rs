//! Matrix products in kernels of the corpus: `wmma`, `mma.sync` with `ldmatrix`, and `wgmma` on tiles that tensor copies
//! bring.

mod run;

use ptx::alg::float_op::{Format, Round};
use ptx::alg::ieee::{round_f64, to_f64};
use ptx::layout::swizzle::Swizzle;
use ptx::layout::tensormap::{Element, Fill, L2Promotion, TensorMap};
use ptx::machine::Fault;
use run::{Bench, address};

/// A matrix of small integers, whose products and sums are exact.
fn matrix(rows: usize, cols: usize, salt: usize) -> Vec<f64> {
    let x = |i: usize| ((i * 7 + i / cols * 3 + salt) % 9) as f64 - 4.0;
    (0..rows * cols).map(x).collect()
}

/// Its words.
fn stored(format: Format, values: &[f64]) -> Vec<u8> {
    let word = |x: &f64| round_f64(format, Round::Nearest, *x).to_le_bytes();
    let bytes = format.width() as usize / 8;
    values
        .iter()
        .flat_map(|x| word(x)[..bytes].to_vec())
        .collect()
}

/// The values of words.
fn values(format: Format, bytes: &[u8]) -> Vec<f64> {
    let value = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        to_f64(format, u64::from_le_bytes(word))
    };
    bytes
        .chunks(format.width() as usize / 8)
        .map(value)
        .collect()
}

/// The product of an m×k and a k×n matrix.
fn product(a: &[f64], b: &[f64], [m, n, k]: [usize; 3]) -> Vec<f64> {
    let mut c = vec![0.0; m * n];
    for i in 0..m {
        for j in 0..n {
            c[i * n + j] = (0..k).map(|x| a[i * k + x] * b[x * n + j]).sum();
        }
    }
    c
}

fn transposed(a: &[f64], rows: usize, cols: usize) -> Vec<f64> {
    (0..rows * cols)
        .map(|i| a[i % rows * cols + i / rows])
        .collect()
}

fn int(x: usize) -> Vec<u8> {
    (x as u32).to_le_bytes().to_vec()
}

/// A map of a matrix of 16-bit elements, row-major, with boxes of 64 × `box_rows`.
fn map(
    at: &[u8],
    element: Element,
    [rows, cols]: [usize; 2],
    boxes: [u32; 2],
    swizzle: Swizzle,
) -> Vec<u8> {
    let map = TensorMap {
        element,
        address: address(at),
        dims: vec![cols as u64, rows as u64],
        strides: vec![2 * cols as u64],
        box_dims: boxes.to_vec(),
        element_strides: vec![1, 1],
        swizzle,
        fill: Fill::Zero,
        l2: L2Promotion::None,
    };
    map.encode().expect("a map").to_vec()
}

#[test]
fn gemm_wmma() {
    let module = run::corpus("cuda/wmma_gemm.sm_90a.ptx");
    let [m, n, k] = [48, 32, 64];
    let (a, b) = (matrix(m, k, 1), matrix(k, n, 2));
    for seed in 0..2 {
        let mut d = Bench::new(&module, seed);
        let pa = d.give(&stored(Format::F16, &a));
        let pb = d.give(&stored(Format::F16, &transposed(&b, k, n)));
        let pc = d.room(4 * m * n);
        d.run(
            "gemm_wmma",
            [2, 2, 1],
            [64, 1, 1],
            &[&pa, &pb, &pc, &int(m), &int(n), &int(k)],
        )
        .expect("runs");
        let c: Vec<f64> = d.floats(&pc, m * n).into_iter().map(f64::from).collect();
        assert_eq!(c, product(&a, &b, [m, n, k]));
    }
}

#[test]
fn gemm_mma_sync() {
    let module = run::corpus("cuda/mma_sync.sm_90a.ptx");
    let [m, n, k] = [64, 128, 96];
    let (a, b) = (matrix(m, k, 1), matrix(k, n, 2));
    for seed in 0..2 {
        let mut d = Bench::new(&module, seed);
        let pa = d.give(&stored(Format::Bf16, &a));
        let pb = d.give(&stored(Format::Bf16, &b));
        let pc = d.room(4 * m * n);
        d.run(
            "gemm_mma_sync",
            [2, 1, 1],
            [128, 1, 1],
            &[&pa, &pb, &pc, &int(m), &int(n), &int(k)],
        )
        .expect("runs");
        let c: Vec<f64> = d.floats(&pc, m * n).into_iter().map(f64::from).collect();
        assert_eq!(c, product(&a, &b, [m, n, k]));
    }
}

/// `gemm_tma_wgmma` of a file, with a seed; what it should give.
fn tma_wgmma(file: &str, seed: u64) -> (Result<Vec<f64>, Box<Fault>>, Vec<f64>) {
    let module = run::corpus(&format!("cuda/hopper_tma_wgmma.{file}.ptx"));
    let [m, n, k] = [64, 128, 256];
    // B has a row for each column of the product.
    let (a, b) = (matrix(m, k, 1), matrix(n, k, 2));
    let want = product(&a, &transposed(&b, n, k), [m, n, k]);
    let mut d = Bench::new(&module, seed);
    let pa = d.give(&stored(Format::Bf16, &a));
    let pb = d.give(&stored(Format::Bf16, &b));
    let pc = d.room(2 * m * n);
    let load = |at: &[u8], rows| map(at, Element::Bf16, [rows, k], [64, 64], Swizzle::B128);
    let (ta, tb) = (load(&pa, m), load(&pb, n));
    let tc = map(&pc, Element::Bf16, [m, n], [64, 64], Swizzle::None);
    let shared = 3 * 2 * 64 * 64 * 2 + 64 * 64 * 2;
    let params: [&[u8]; 4] = [&ta, &tb, &tc, &int(k)];
    let run = d.launch("gemm_tma_wgmma", [2, 1, 1], [256, 1, 1], shared, &params);
    let c = run.map(|_| {
        let bytes = d.device.read(address(&pc), 2 * (m * n) as u64);
        values(Format::Bf16, bytes.expect("there"))
    });
    let rounded = values(Format::Bf16, &stored(Format::Bf16, &want));
    (c, rounded)
}

#[test]
fn gemm_tma_wgmma() {
    for file in ["sm_90a", "lineinfo"] {
        for seed in 0..4 {
            let (got, want) = tma_wgmma(file, seed);
            let got = got.unwrap_or_else(|f| panic!("{file}: {f}"));
            assert_eq!(got, want, "{file}");
        }
    }
}

/// The debug build moves the accumulators between a fence and a product, which the manual leaves undefined (an assembler
/// may repair it).
#[test]
fn gemm_tma_wgmma_of_the_debug_build_is_undefined() {
    let fault = tma_wgmma("G", 0).0.expect_err("a fault");
    assert_eq!(fault.kind.name(), "undefined");
    assert!(fault.to_string().contains("after the last `wgmma.fence`"));
}

/// A matrix of 0, 1 and 2.
fn counts(rows: usize, cols: usize, salt: usize) -> Vec<f64> {
    let x = |i: usize| ((i * 7 + i / cols * 3 + salt) % 3) as f64;
    (0..rows * cols).map(x).collect()
}

/// Triton's matrix products by pointers: `cp.async` pipelines before `wgmma` (f16, fp8) and `mma` (tf32), with sizes that no
/// tile divides.
#[test]
fn triton_matmuls() {
    // File, formats of the factors and the product, tile, threads, whether B lies by columns.
    let kernels = [
        (
            "matmul_fp16",
            Format::F16,
            Format::F16,
            [128, 128],
            128,
            false,
        ),
        (
            "matmul_fp16_8w",
            Format::F16,
            Format::F16,
            [128, 256],
            256,
            false,
        ),
        (
            "matmul_fp8",
            Format::E4m3,
            Format::F16,
            [128, 128],
            256,
            true,
        ),
        (
            "matmul_tf32_small",
            Format::F32,
            Format::F32,
            [32, 32],
            64,
            false,
        ),
    ];
    for (name, of, to, tile, threads, by_columns) in kernels {
        let module = run::corpus(&format!("triton/triton_{name}.sm_90.ptx"));
        let [m, n, k] = if tile[0] == 32 {
            [48, 48, 80]
        } else {
            [144, 160, 208]
        };
        let (a, b) = (counts(m, k, 1), counts(k, n, 2));
        let want = product(&a, &b, [m, n, k]);
        let (b, ldb) = match by_columns {
            true => (transposed(&b, k, n), k),
            false => (b, n),
        };
        for seed in 0..2 {
            let mut d = Bench::new(&module, seed);
            let (pa, pb) = (d.give(&stored(of, &a)), d.give(&stored(of, &b)));
            let bytes = m * n * to.width() as usize / 8;
            let (pc, none) = (d.room(bytes), d.room(16));
            let grid = (m.div_ceil(tile[0]) * n.div_ceil(tile[1])) as u32;
            d.launch(
                "matmul_kernel",
                [grid, 1, 1],
                [threads, 1, 1],
                200 << 10,
                &[
                    &pa,
                    &pb,
                    &pc,
                    &int(m),
                    &int(n),
                    &int(k),
                    &int(k),
                    &int(ldb),
                    &int(n),
                    &none,
                    &none,
                ],
            )
            .unwrap_or_else(|f| panic!("{name}: {f}"));
            let c = d.device.read(address(&pc), bytes as u64).expect("there");
            assert_eq!(values(to, c), want, "{name}");
        }
    }
}

/// Triton's causal attention by pointers: the product of Q and K, its softmax from registers as A of the next product.
#[test]
fn triton_attention() {
    let module = run::corpus("triton/triton_attn_fwd_ptr_causal.sm_90.ptx");
    let (heads, n, dim) = (2, 100, 64);
    let value =
        |salt: usize| move |i: usize| ((i * 37 + i / 64 * 11 + salt) % 29) as f64 / 16.0 - 0.875;
    let [q, k, v] = [1, 5, 9].map(|s| (0..heads * n * dim).map(value(s)).collect::<Vec<f64>>());
    let scale = 0.125;
    let mut want = vec![0.0; heads * n * dim];
    let mut want_l = vec![0.0; heads * n];
    for h in 0..heads {
        let at = |x: &[f64], row: usize, d: usize| x[(h * n + row) * dim + d];
        for i in 0..n {
            let score = |j| scale * (0..dim).map(|d| at(&q, i, d) * at(&k, j, d)).sum::<f64>();
            let weights: Vec<f64> = (0..=i).map(|j| score(j).exp()).collect();
            let sum: f64 = weights.iter().sum();
            want_l[h * n + i] = sum.log2();
            for d in 0..dim {
                let row = weights.iter().enumerate().map(|(j, w)| w * at(&v, j, d));
                want[(h * n + i) * dim + d] = row.sum::<f64>() / sum;
            }
        }
    }
    for seed in 0..2 {
        let mut d = Bench::new(&module, seed);
        let [pq, pk, pv] = [&q, &k, &v].map(|x| d.give(&stored(Format::F16, x)));
        let (po, pl, none) = (
            d.room(2 * heads * n * dim),
            d.room(4 * heads * n),
            d.room(16),
        );
        let sc = (scale as f32).to_le_bytes();
        let (head, row) = (int(n * dim), int(dim));
        let params: [&[u8]; 11] = [
            &pq,
            &pk,
            &pv,
            &po,
            &pl,
            &sc,
            &head,
            &row,
            &int(n),
            &none,
            &none,
        ];
        d.launch(
            "attn_fwd_ptr",
            [2, heads as u32, 1],
            [128, 1, 1],
            200 << 10,
            &params,
        )
        .unwrap_or_else(|f| panic!("{f}"));
        let o = d.device.read(address(&po), (2 * heads * n * dim) as u64);
        let o = values(Format::F16, o.expect("there"));
        let l = d.floats(&pl, heads * n);
        for (i, (got, want)) in o.iter().zip(&want).enumerate() {
            assert!((got - want).abs() < 2e-3, "O[{i}]: {got}, not {want}");
        }
        for (i, (got, want)) in l.iter().zip(&want_l).enumerate() {
            assert!(
                (f64::from(*got) - want).abs() < 1e-3,
                "L[{i}]: {got}, not {want}"
            );
        }
    }
}
