//! Products of matrices of words: all dot products of [`DotKind::sum`] at once, each element decoded once.

use crate::alg::dot::{Acc, Elem};
use crate::layout::op::MatrixOp;

/// A factor in row-major order, decoded.
fn decode(elem: Elem, words: &[u64], negated: bool) -> Vec<f64> {
    let value = |w: &u64| {
        let x = elem.to_f64(*w);
        if negated { -x } else { x }
    };
    words.iter().map(value).collect()
}

/// Which factors are negated: `imm-scale-a`, `imm-scale-b` of `wgmma`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// A.
    pub a: bool,
    /// B.
    pub b: bool,
}

/// `A * B + C` in row-major order: A has `m` rows and `k` columns, B `k` rows and `n` columns.
pub fn multiply(op: &MatrixOp, signs: Signs, a: &[u64], b: &[u64], c: &[u64]) -> Vec<u64> {
    let [n, k] = [op.shape.n, op.shape.k].map(|x| x as usize);
    let a = decode(op.kind.a, a, signs.a);
    let b = decode(op.kind.b, b, signs.b);
    let fused = op.kind.a == Elem::F64;
    let mut sums = vec![0.0; n];
    let mut d = Vec::with_capacity(c.len());
    for (row, c) in a.chunks_exact(k).zip(c.chunks_exact(n)) {
        for (sum, c) in sums.iter_mut().zip(c) {
            *sum = op.c.to_f64(*c);
        }
        for (x, b) in row.iter().zip(b.chunks_exact(n)) {
            if fused {
                sums.iter_mut()
                    .zip(b)
                    .for_each(|(s, y)| *s = x.mul_add(*y, *s));
            } else {
                // These products are exact, so this is fused as well.
                sums.iter_mut().zip(b).for_each(|(s, y)| *s += x * y);
            }
        }
        d.extend(sums.iter().map(|sum| narrow(op, op.kind.acc.round(*sum))));
    }
    d
}

/// A sum in the type of D.
fn narrow(op: &MatrixOp, sum: u64) -> u64 {
    if op.d == op.kind.acc {
        sum
    } else {
        op.d.round(Acc::F32.to_f64(sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::rng::Rng;

    /// Every type, on random words (NaNs, infinities and subnormal numbers among them), against single dot products.
    #[test]
    fn products_are_dot_products() {
        let mut rng = Rng::new(7);
        for opcode in [
            "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
            "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",
            "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16",
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32",
            "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32",
        ] {
            let op = MatrixOp::parse(opcode).unwrap();
            let [m, n, k] = [op.shape.m, op.shape.n, op.shape.k].map(|x| x as usize);
            let mut words = |count: usize, bits: u32| -> Vec<u64> {
                (0..count).map(|_| rng.next_u64() >> (64 - bits)).collect()
            };
            for _ in 0..20 {
                let a = words(m * k, op.kind.a.width());
                let b = words(k * n, op.kind.b.width());
                let c = words(m * n, op.c.width());
                let d = multiply(&op, Signs::default(), &a, &b, &c);
                for i in 0..m {
                    for j in 0..n {
                        let pairs = (0..k).map(|x| (a[i * k + x], b[x * n + j]));
                        assert_eq!(d[i * n + j], op.kind.sum(pairs, c[i * n + j]), "{opcode}");
                    }
                }
            }
        }
    }

    #[test]
    fn signs_turn_the_sign_bits() {
        let op = MatrixOp::parse("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16").unwrap();
        let mut rng = Rng::new(8);
        let mut words = |n: u64| -> Vec<u64> { (0..n).map(|_| rng.below(0x7C00)).collect() };
        let (a, b, c) = (words(64 * 16), words(16 * 8), vec![0; 64 * 8]);
        let turned = |x: &[u64]| -> Vec<u64> { x.iter().map(|w| w ^ 0x8000).collect() };
        let both = |a, b| Signs { a, b };
        let of = |s, a: &[u64], b: &[u64]| multiply(&op, s, a, b, &c);
        assert_eq!(
            of(both(true, false), &a, &b),
            of(both(false, false), &turned(&a), &b)
        );
        assert_eq!(
            of(both(false, true), &a, &b),
            of(both(false, false), &a, &turned(&b))
        );
        assert_ne!(
            of(both(true, false), &a, &b),
            of(both(false, false), &a, &b)
        );
    }

    /// With accumulators of two types the sum is taken in f32 and rounded again at the end.
    #[test]
    fn two_types_of_accumulators() {
        let op = MatrixOp::parse("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32").unwrap();
        let one = 0x3C00;
        let (a, b) = (vec![one; 256], vec![one; 256]);
        let c = vec![u64::from(0.25f32.to_bits()); 256];
        let d = multiply(&op, Signs::default(), &a, &b, &c);
        assert!(
            d.iter().all(|w| *w == 0x4C10),
            "16.25 is 0x4C10, not {:#x}",
            d[0]
        );
    }
}
