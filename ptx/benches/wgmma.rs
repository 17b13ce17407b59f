//! How long products of 128×128×128 bf16 matrices take: through tensor copies, mbarriers and `wgmma`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ptx::layout::swizzle::Swizzle;
use ptx::layout::tensormap::{Element, Fill, L2Promotion, TensorMap};
use ptx::machine::{Device, Launch, Options, Silent, Stats};
use ptx::module::{Module, resolve};

const SIZE: u32 = 128;

fn map(address: u64, swizzle: Swizzle) -> Vec<u8> {
    let map = TensorMap {
        element: Element::Bf16,
        address,
        dims: vec![SIZE.into(), SIZE.into()],
        strides: vec![2 * u64::from(SIZE)],
        box_dims: vec![64, 64],
        element_strides: vec![1, 1],
        swizzle,
        fill: Fill::Zero,
        l2: L2Promotion::None,
    };
    map.encode().expect("a map").to_vec()
}

/// A product by four CTAs of a producer and a consumer warpgroup.
fn gemm(module: &Module) -> Stats {
    let mut device = Device::new(module, Options::default()).expect("fits");
    let ones = 0x3F80u16.to_le_bytes().repeat((SIZE * SIZE) as usize);
    let mut buffer = |name: &str| {
        let at = device.allocate(name, ones.len() as u64, 256).expect("fits");
        device.write(at, &ones).expect("fits");
        at
    };
    let [a, b, c] = ["a", "b", "c"].map(&mut buffer);
    let launch = Launch {
        entry: "gemm_tma_wgmma".to_owned(),
        grid: [SIZE / 64, SIZE / 64, 1],
        block: [256, 1, 1],
        cluster: [1, 1, 1],
        dynamic_shared: 7 * 64 * 64 * 2,
        params: vec![
            map(a, Swizzle::B128),
            map(b, Swizzle::B128),
            map(c, Swizzle::None),
            SIZE.to_le_bytes().to_vec(),
        ],
        programmatic: false,
    };
    device.launch(&launch, &mut Silent).expect("runs")
}

fn products(c: &mut Criterion) {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    let path = root.join("cuda/hopper_tma_wgmma.sm_90a.ptx");
    let text = std::fs::read_to_string(path).expect("the corpus is in the repository");
    let module = resolve(&ptx::text::parse(&text).expect("parses")).expect("resolves");
    let mut group = c.benchmark_group("products");
    group.sample_size(10);
    group.throughput(Throughput::Elements(u64::from(SIZE).pow(3)));
    group.bench_function("gemm_tma_wgmma 128×128×128 bf16", |b| {
        b.iter(|| black_box(gemm(&module)));
    });
    group.finish();
}

criterion_group!(benches, products);
criterion_main!(benches);
