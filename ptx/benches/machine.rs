//! How fast the machine is: scalar instructions per second in a tiled matrix product, and what further threads cost.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ptx::alg::bits::{Bits, BitsAlg};
use ptx::alg::ieee::Ieee;
use ptx::isa::forms_of;
use ptx::machine::{Device, Launch, Options, Silent, Stats};
use ptx::module::{Module, resolve};

fn corpus(path: &str) -> Module {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    let text = std::fs::read_to_string(root.join(path)).expect("the corpus is in the repository");
    resolve(&ptx::text::parse(&text).expect("parses")).expect("resolves")
}

/// A product of two square matrices by 16×16 tiles.
fn matmul(module: &Module, entry: &str, n: u32) -> Stats {
    let mut device = Device::new(module, Options::default()).expect("fits");
    let bytes = u64::from(4 * n * n);
    let ones = 1f32.to_le_bytes().repeat((n * n) as usize);
    let mut buffer = |name: &str| {
        let at = device.allocate(name, bytes, 256).expect("fits");
        device.write(at, &ones).expect("fits");
        at.to_le_bytes().to_vec()
    };
    let mut params = vec![buffer("a"), buffer("b"), buffer("c")];
    params.extend((0..3).map(|_| n.to_le_bytes().to_vec()));
    let launch = Launch {
        entry: entry.to_owned(),
        grid: [n / 16, n / 16, 1],
        block: [16, 16, 1],
        cluster: [1, 1, 1],
        dynamic_shared: 0,
        params,
        programmatic: false,
    };
    device.launch(&launch, &mut Silent).expect("runs")
}

fn tiled(c: &mut Criterion) {
    let module = corpus("cuda/matmul_tiled.sm_90a.ptx");
    let mut group = c.benchmark_group("instructions");
    group.sample_size(10);
    for n in [32, 64, 128, 256] {
        let stats = matmul(&module, "matmul_tiled", n);
        group.throughput(Throughput::Elements(stats.instructions));
        group.bench_function(BenchmarkId::new("matmul_tiled", n * n), |b| {
            b.iter(|| black_box(matmul(&module, "matmul_tiled", n)));
        });
    }
    let stats = matmul(&module, "matmul_naive", 128);
    group.throughput(Throughput::Elements(stats.instructions));
    group.bench_function(BenchmarkId::new("matmul_naive", 128 * 128), |b| {
        b.iter(|| black_box(matmul(&module, "matmul_naive", 128)));
    });
    group.finish();
}

/// A meaning called on concrete words, which is what a recorded one saves.
fn meanings(c: &mut Criterion) {
    let mut group = c.benchmark_group("meaning");
    for (opcode, count) in [("add.s32", 2), ("mad.wide.s32", 3), ("setp.lt.s32", 2)] {
        let form = &forms_of(opcode)[0];
        let meaning = form
            .meaning::<BitsAlg<Ieee>>()
            .expect("a function of words");
        let args: Vec<Bits> = (0..count)
            .map(|i| Bits::new(form.sources()[i].bits, 1000 + i as u128))
            .collect();
        let mut alg = BitsAlg(Ieee);
        group.bench_function(opcode, |b| {
            b.iter(|| meaning(&mut alg, form, black_box(&args)));
        });
    }
    group.finish();
}

criterion_group!(benches, tiled, meanings);
criterion_main!(benches);
