//! What single float operations cost.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use ptx::alg::float_op::FloatOp;
use ptx::alg::ieee::evaluate;

/// Those that kernels use most, and one of each way to compute them.
const OPERATIONS: &[&str] = &[
    "add_rn_f32",
    "fma_rn_f32",
    "fma_rn_ftz_f32",
    "max_f32",
    "lt_f32",
    "div_rn_f32",
    "div_full_f32",
    "ex2_approx_ftz_f32",
    "add_rz_f32",
    "fma_rn_f64",
    "add_rz_f64",
    "fma_rn_f16",
    "cvt_f32_f16",
    "cvt_rn_f16_f32",
    "cvt_rn_satfinite_e4m3_f32",
    "cvt_rn_f32_s32",
    "cvt_rzi_s32_f32",
];

fn floats(c: &mut Criterion) {
    let mut group = c.benchmark_group("floats");
    for op in FloatOp::all() {
        let name = op.field();
        if !OPERATIONS.contains(&name.as_str()) {
            continue;
        }
        // A number between 1 and 2 of the format of the operands.
        let word = match op.operands()[0] {
            16 => 0x3C12,
            32 => 0x3F8C_3344,
            _ => 0x3FF1_2345_6789_1234,
        };
        group.bench_function(name, |b| {
            b.iter(|| evaluate(black_box(*op), black_box([word, word ^ 1, word ^ 2])));
        });
    }
    group.finish();
}

criterion_group!(benches, floats);
criterion_main!(benches);
