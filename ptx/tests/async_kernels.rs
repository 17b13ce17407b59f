//! Kernels of the corpus that copy asynchronously, against what they should compute.

mod run;

use ptx::layout::swizzle::Swizzle;
use ptx::layout::tensormap::{Element, Fill, L2Promotion, TensorMap};
use ptx::machine::{Fault, Launch, Silent};
use ptx::module::Module;
use run::{Bench, address, f32s, words};

/// Launches a kernel in clusters.
fn in_clusters(
    d: &mut Bench<'_>,
    entry: &str,
    [grid, cluster, block]: [u32; 3],
    params: &[&[u8]],
) -> Result<(), Box<Fault>> {
    let launch = Launch {
        entry: entry.to_owned(),
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        cluster: [cluster, 1, 1],
        dynamic_shared: 0,
        params: params.iter().map(|p| p.to_vec()).collect(),
        programmatic: false,
    };
    d.device.launch(&launch, &mut Silent).map(|_| ())
}

#[test]
fn bulk_scale() {
    let module = run::corpus("cuda/hopper_tma_wgmma.sm_90a.ptx");
    let a: Vec<f32> = (0..2048).map(|i| i as f32 * 0.25 - 7.0).collect();
    let want: Vec<f32> = a.iter().map(|x| 2.0 * x).collect();
    for seed in 0..8 {
        let mut d = Bench::new(&module, seed);
        let (g, o) = (d.give(&f32s(&a)), d.room(8192));
        let n = 2048u32.to_le_bytes();
        d.run("bulk_scale", [2, 1, 1], [128, 1, 1], &[&g, &o, &n])
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(d.floats(&o, 2048), want);
    }
}

#[test]
fn barrier_pipe() {
    let module = run::corpus("cuda/sync_flag.sm_90a.ptx");
    let g: Vec<f32> = (0..1280).map(|i| ((i * 7) % 19) as f32 - 9.0).collect();
    let sum = |i: usize| -> f32 {
        let tile = |t: usize| g[256 * t + i] * g[256 * t + (i + 1) % 256];
        (0..5).map(tile).sum()
    };
    let want: Vec<f32> = (0..256).map(sum).collect();
    for seed in 0..8 {
        let mut d = Bench::new(&module, seed);
        let (g, o) = (d.give(&f32s(&g)), d.room(1024));
        let n = 1280u32.to_le_bytes();
        d.run("barrier_pipe", [1, 1, 1], [256, 1, 1], &[&g, &o, &n])
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(d.floats(&o, 256), want);
    }
}

#[test]
fn pipeline_copy() {
    let module = run::corpus("cuda/sync_flag.sm_90a.ptx");
    let tiles = 7;
    let g: Vec<u32> = (0..tiles * 128 * 4).map(|i| i * 3 + 1).collect();
    let want: Vec<u32> = (0..tiles * 128 * 4)
        .map(|i| {
            let (tile, thread, lane) = (i / 512, i / 4 % 128, i % 4);
            let from = g[(tile * 512 + (thread + 1) % 128 * 4 + lane) as usize];
            if lane == 0 { from + 1 } else { from }
        })
        .collect();
    for seed in 0..8 {
        let mut d = Bench::new(&module, seed);
        let (g, o) = (d.give(&words(&g)), d.room(want.len() * 4));
        let n = tiles.to_le_bytes();
        d.run("pipeline_copy", [1, 1, 1], [128, 1, 1], &[&g, &o, &n])
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(d.words(&o, want.len()), want);
    }
}

#[test]
fn cluster_dsmem() {
    let module = run::corpus("cuda/sync_flag.sm_90a.ptx");
    let x: Vec<u32> = (0..1024).map(|i| i * i).collect();
    let want: Vec<u32> = (0..1024)
        .map(|i: u32| x[(((i / 256) ^ 1) * 256 + 255 - i % 256) as usize])
        .collect();
    for seed in 0..8 {
        let mut d = Bench::new(&module, seed);
        let (x, y) = (d.give(&words(&x)), d.room(4096));
        in_clusters(&mut d, "cluster_dsmem", [4, 2, 256], &[&x, &y])
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(d.words(&y, 1024), want);
    }
}

/// The map of a row-major matrix of 16-bit floats, as hosts make it.
fn matrix_map(
    at: &[u8],
    element: Element,
    [rows, columns]: [u64; 2],
    tile: [u32; 2],
    swizzle: Swizzle,
) -> Vec<u8> {
    let map = TensorMap {
        element,
        address: address(at),
        dims: vec![columns, rows],
        strides: vec![2 * columns],
        box_dims: vec![tile[1], tile[0]],
        element_strides: vec![1, 1],
        swizzle,
        fill: Fill::Zero,
        l2: L2Promotion::None,
    };
    map.encode().expect("a tensor map").to_vec()
}

/// A 16-bit float format.
#[derive(Clone, Copy)]
enum Half {
    F16,
    Bf16,
}

impl Half {
    /// Rounds to nearest even; the values here are no subnormals.
    fn bits(self, x: f32) -> u16 {
        let bits = x.to_bits();
        match self {
            Half::Bf16 => ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) as u16,
            Half::F16 if x == 0.0 => (bits >> 16) as u16 & 0x8000,
            Half::F16 => {
                let rounded = (bits & 0x7FFF_FFFF) + 0xFFF + (bits >> 13 & 1);
                (bits >> 16 & 0x8000) as u16 | ((rounded >> 13) - (112 << 10)) as u16
            }
        }
    }

    fn bytes(self, values: &[f32]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|x| self.bits(*x).to_le_bytes())
            .collect()
    }
}

/// Small integers: their products and the sums of them are exact in single precision.
fn integers(n: u64, salt: u64) -> Vec<f32> {
    (0..n)
        .map(|i| ((i * 7 + i / 11 + salt) % 9) as f32 - 4.0)
        .collect()
}

/// `A·Bᵀ` of an m×k and an n×k matrix.
fn product(a: &[f32], b: &[f32], [m, n, k]: [u64; 3]) -> Vec<f32> {
    let [m, n, k] = [m, n, k].map(|x| x as usize);
    let mut c = vec![0.0; m * n];
    for i in 0..m {
        for j in 0..n {
            c[i * n + j] = (0..k).map(|x| a[i * k + x] * b[j * k + x]).sum();
        }
    }
    c
}

/// The 16-bit words of a buffer.
fn halves(d: &Bench<'_>, at: &[u8], n: usize) -> Vec<u16> {
    let bytes = d.device.read(address(at), 2 * n as u64).expect("there");
    bytes
        .chunks(2)
        .map(|b| u16::from_le_bytes([b[0], b[1]]))
        .collect()
}

/// Where two matrices differ first, for a message.
fn compare(got: &[u16], want: &[f32], columns: usize, format: Half) {
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let w = format.bits(*w);
        assert_eq!(*g, w, "row {} column {}", i / columns, i % columns);
    }
}

/// The GEMM with a producer warp, a ring of stages and a consumer warpgroup: the product that it computes and the right
/// one.
fn gemm_tma_wgmma(
    text: &Module,
    [m, n, k]: [u64; 3],
    seed: u64,
    swizzle: Swizzle,
) -> Result<(Vec<u16>, Vec<f32>), Box<Fault>> {
    let (a, b) = (integers(m * k, 1), integers(n * k, 5));
    let mut d = Bench::new(text, seed);
    let (pa, pb) = (d.give(&Half::Bf16.bytes(&a)), d.give(&Half::Bf16.bytes(&b)));
    let pc = d.room(2 * (m * n) as usize);
    let maps = [
        matrix_map(&pa, Element::Bf16, [m, k], [64, 64], swizzle),
        matrix_map(&pb, Element::Bf16, [n, k], [64, 64], swizzle),
        matrix_map(&pc, Element::Bf16, [m, n], [64, 64], Swizzle::None),
    ];
    let size = (k as u32).to_le_bytes();
    let grid = [n as u32 / 64, m as u32 / 64, 1];
    let params: [&[u8]; 4] = [&maps[0], &maps[1], &maps[2], &size];
    d.launch("gemm_tma_wgmma", grid, [256, 1, 1], 57344, &params)?;
    let got = halves(&d, &pc, (m * n) as usize);
    Ok((got, product(&a, &b, [m, n, k])))
}

/// Whether the words are these numbers.
fn same(got: &[u16], want: &[f32]) -> bool {
    got.iter().zip(want).all(|(g, w)| *g == Half::Bf16.bits(*w))
}

#[test]
fn gemm_by_tma_and_wgmma() {
    let module = run::corpus("cuda/hopper_tma_wgmma.sm_90a.ptx");
    for (shape, seeds) in [([64, 64, 64], 4), ([64, 128, 320], 2), ([128, 64, 256], 2)] {
        for seed in 0..seeds {
            let (got, want) = gemm_tma_wgmma(&module, shape, seed, Swizzle::B128)
                .unwrap_or_else(|e| panic!("{e}"));
            compare(&got, &want, shape[1] as usize, Half::Bf16);
        }
    }
    let (got, want) = gemm_tma_wgmma(&module, [64, 64, 64], 0, Swizzle::B128Atom32)
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(!same(&got, &want), "a wrong swizzle shows");
}

/// What a Triton kernel is given for a tensor descriptor.
fn descriptor(params: &mut Vec<Vec<u8>>, at: &[u8], shape: [u64; 2], rows: u32) {
    params.push(matrix_map(
        at,
        Element::F16,
        shape,
        [rows, 64],
        Swizzle::B128,
    ));
    params.extend(shape.map(|n| (n as u32).to_le_bytes().to_vec()));
    params.push(shape[1].to_le_bytes().to_vec());
    params.push(1u64.to_le_bytes().to_vec());
}

/// A Triton matrix product; `given` makes the parameters of A, B and C.
fn triton_matmul(
    file: &str,
    entry: &str,
    [m, n, k]: [u64; 3],
    (grid, block): ([u32; 3], u32),
    given: impl Fn(&mut Vec<Vec<u8>>, [(&[u8], [u64; 2]); 3]),
    seed: u64,
) {
    let module = run::corpus(&format!("triton/{file}.sm_90.ptx"));
    let (a, b) = (integers(m * k, 1), integers(n * k, 5));
    let mut d = Bench::new(&module, seed);
    let (pa, pb) = (d.give(&Half::F16.bytes(&a)), d.give(&Half::F16.bytes(&b)));
    let pc = d.room(2 * (m * n) as usize);
    let scratch = d.room(1 << 16);
    let mut params = Vec::new();
    given(&mut params, [(&pa, [m, k]), (&pb, [n, k]), (&pc, [m, n])]);
    params.extend([m, n, k].map(|x| (x as u32).to_le_bytes().to_vec()));
    params.extend([scratch.clone(), scratch]);
    let params: Vec<&[u8]> = params.iter().map(|p| &p[..]).collect();
    d.launch(entry, grid, [block, 1, 1], 227 << 10, &params)
        .unwrap_or_else(|e| panic!("{e}"));
    let got = halves(&d, &pc, (m * n) as usize);
    compare(&got, &product(&a, &b, [m, n, k]), n as usize, Half::F16);
}

#[test]
fn triton_matmul_by_descriptors_of_the_host() {
    let given = |params: &mut Vec<Vec<u8>>, all: [(&[u8], [u64; 2]); 3]| {
        for (at, shape) in all {
            descriptor(params, at, shape, 128);
        }
    };
    // Sizes that the tiles do not divide: what is outside is zero, and not written.
    for (seed, shape) in [(0, [128u64, 128, 128]), (1, [96, 136, 200])] {
        let grid = [
            shape[0].div_ceil(128) as u32,
            shape[1].div_ceil(128) as u32,
            1,
        ];
        let launch = (grid, 128);
        triton_matmul(
            "triton_matmul_tma_hostdesc",
            "matmul_hosttma",
            shape,
            launch,
            given,
            seed,
        );
    }
}

#[test]
fn triton_matmul_by_descriptors_of_the_kernel() {
    let given = |params: &mut Vec<Vec<u8>>, all: [(&[u8], [u64; 2]); 3]| {
        params.extend(all.map(|(at, _)| at.to_vec()));
    };
    for (seed, shape) in [(0, [128u64, 128, 128]), (1, [96, 136, 200])] {
        let grid = [
            shape[0].div_ceil(128) as u32,
            shape[1].div_ceil(128) as u32,
            1,
        ];
        let launch = (grid, 128);
        triton_matmul(
            "triton_matmul_tma_devdesc",
            "matmul_tma",
            shape,
            launch,
            given,
            seed,
        );
    }
}

#[test]
fn triton_matmul_persistent() {
    let given = |params: &mut Vec<Vec<u8>>, all: [(&[u8], [u64; 2]); 3]| {
        for ((at, shape), rows) in all.into_iter().zip([128, 256, 128]) {
            descriptor(params, at, shape, rows);
        }
    };
    // Fewer CTAs than tiles would need a grid of 132; with one tile and two CTAs the second has nothing to do.
    let shape = [128, 256, 128];
    for file in [
        "triton_matmul_persistent_tma",
        "triton_matmul_persistent_tma_sub",
    ] {
        triton_matmul(
            file,
            "matmul_persistent_tma",
            shape,
            ([2, 1, 1], 256),
            given,
            0,
        );
    }
}

/// Attention of one head in double precision.
fn attention(
    q: &[f32],
    k: &[f32],
    v: &[f32],
    [rows, width]: [usize; 2],
    scale: f64,
    causal: bool,
) -> Vec<f64> {
    let mut out = vec![0.0; rows * width];
    for i in 0..rows {
        let keys = if causal { i + 1 } else { rows };
        let dot = |j: usize| -> f64 {
            let terms =
                (0..width).map(|x| f64::from(q[i * width + x]) * f64::from(k[j * width + x]));
            scale * terms.sum::<f64>()
        };
        let scores: Vec<f64> = (0..keys).map(dot).collect();
        let most = scores.iter().copied().fold(f64::MIN, f64::max);
        let weights: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        for x in 0..width {
            let terms = (0..keys).map(|j| weights[j] * f64::from(v[j * width + x]));
            out[i * width + x] = terms.sum::<f64>() / sum;
        }
    }
    out
}

/// The value of a half-precision word.
fn half_value(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        e => sign * (1.0 + fraction / 1024.0) * 2f64.powi(e - 15),
    }
}

#[test]
fn triton_attention() {
    for (file, width, causal) in [
        ("triton_attn_fwd_tma_noncausal", 64, false),
        ("triton_attn_fwd_tma_ws", 64, false),
        ("triton_attn_fwd_tma_causal", 128, true),
    ] {
        let module = run::corpus(&format!("triton/{file}.sm_90.ptx"));
        let (heads, rows) = (2u64, 128u64);
        let count = heads * rows * width;
        let [q, k, v] = [1, 3, 7]
            .map(|salt| -> Vec<f32> { integers(count, salt).iter().map(|x| x / 8.0).collect() });
        let mut d = Bench::new(&module, 0);
        let [pq, pk, pv] = [&q, &k, &v].map(|x| d.give(&Half::F16.bytes(x)));
        let (po, pl) = (
            d.room(2 * count as usize),
            d.room(4 * (heads * rows) as usize),
        );
        let scratch = d.room(1 << 16);
        let mut params = vec![
            0.25f32.to_le_bytes().to_vec(),
            pl,
            1u32.to_le_bytes().to_vec(),
            (heads as u32).to_le_bytes().to_vec(),
        ];
        for (at, tile) in [(&pq, 128), (&pk, 64), (&pv, 64), (&po, 128)] {
            descriptor(&mut params, at, [heads * rows, width], tile);
        }
        params.push((rows as u32).to_le_bytes().to_vec());
        params.extend([scratch.clone(), scratch]);
        let params: Vec<&[u8]> = params.iter().map(|p| &p[..]).collect();
        d.launch(
            "attn_fwd_tma",
            [1, heads as u32, 1],
            [256, 1, 1],
            227 << 10,
            &params,
        )
        .unwrap_or_else(|e| panic!("{file}: {e}"));
        let got = halves(&d, &po, count as usize);
        for head in 0..heads as usize {
            let (rows, width) = (rows as usize, width as usize);
            let part = head * rows * width..(head + 1) * rows * width;
            let parts = [&q, &k, &v].map(|x| &x[part.clone()]);
            let want = attention(parts[0], parts[1], parts[2], [rows, width], 0.25, causal);
            for (i, (g, w)) in got[part].iter().zip(want).enumerate() {
                let error = (half_value(*g) - w).abs();
                assert!(
                    error < 4e-3,
                    "{file}: head {head} element {i}: {} for {w}",
                    half_value(*g)
                );
            }
        }
    }
}

/// Broken twins of the GEMM: what is left out shows as wrong values or a fault, for some seed.
#[test]
fn twins_of_the_gemm() {
    let text = run::text("cuda/hopper_tma_wgmma.sm_90a.ptx");
    let wait = "L: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64";
    let without = |marks: &[&str], instead: &str| {
        let mut count = 0;
        let lines: Vec<&str> = text
            .lines()
            .map(|line| {
                let hit = marks.iter().all(|m| line.contains(m));
                count += usize::from(hit);
                if hit { instead } else { line }
            })
            .collect();
        assert!(count > 0, "{marks:?}");
        run::module(&lines.join("\n"))
    };
    let breaks = |module: &Module, k: u64| {
        let shape = [64, 64, k];
        (0..40).find_map(
            |seed| match gemm_tma_wgmma(module, shape, seed, Swizzle::B128) {
                Ok((got, want)) if same(&got, &want) => None,
                Ok(_) => Some("wrong values"),
                Err(fault) => Some(fault.kind.name()),
            },
        )
    };
    let done = "L: setp.eq.u32 p, 0, 0;";
    // The consumer does not wait for a full stage.
    let early = without(&[wait, "[%r87]"], done);
    assert_eq!(breaks(&early, 64), Some("wrong values"));
    // A stage is never given back, or taken without asking.
    let kept = without(&["mbarrier.arrive.release.cta.shared::cta.b64"], "");
    assert_eq!(breaks(&kept, 320), Some("stuck"));
    let taken = without(&["mbarrier.try_wait", "[%r144]"], done);
    assert!(breaks(&taken, 64 * 9).is_some());
    // The bytes of a load do not come; more are expected than come.
    let missing = without(&["cp.async.bulk.tensor.2d.shared::cluster", "%rd61"], "");
    assert_eq!(breaks(&missing, 64), Some("stuck"));
    // The tile is sent before all threads have written it.
    let sent = without(&["bar.sync 1,128;"], "");
    assert_eq!(breaks(&sent, 64), Some("wrong values"));
}
