//! What a matrix instruction multiplies: the shape and the types that its opcode names (ISA §9.7.16.5.14, §9.7.16.4.5,
//! §9.7.17.5.2).

use super::fragment::{Fragment, Role, Shape};
use crate::alg::dot::{Acc, DotKind, Elem};

/// A family of matrix instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `mma`
    Mma,
    /// `wmma.mma`
    Wmma,
    /// `wgmma.mma_async`
    Wgmma,
}

/// The matrices `D = A * B + C` of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixOp {
    /// The instruction.
    pub family: Family,
    /// The sizes.
    pub shape: Shape,
    /// The types of A and B, and that in which the sum is taken.
    pub kind: DotKind,
    /// The type of C.
    pub c: Acc,
    /// The type of D.
    pub d: Acc,
}

impl MatrixOp {
    /// Reads an opcode like `mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32`; `None` if a type of it is not known
    /// here, or if it is `mma.m8n8k4` of f16, whose four products have a layout of their own.
    pub fn parse(opcode: &str) -> Option<MatrixOp> {
        let family = match opcode.split('.').next()? {
            "mma" => Family::Mma,
            "wmma" => Family::Wmma,
            "wgmma" => Family::Wgmma,
            _ => return None,
        };
        let shape = opcode.split('.').find_map(Shape::parse)?;
        let saturates = opcode.split('.').any(|w| w == "satfinite");
        let acc = |name: &str| match name {
            "f16" => Some(Acc::F16),
            "f32" => Some(Acc::F32),
            "f64" => Some(Acc::F64),
            "s32" if saturates => Some(Acc::S32Sat),
            "s32" => Some(Acc::S32),
            _ => None,
        };
        let types: Vec<&str> = opcode
            .split('.')
            .filter(|w| acc(w).is_some() || Elem::from_name(w).is_some())
            .collect();
        let (d, a, b, c) = match (family, types.as_slice()) {
            (Family::Wmma, [d, c]) => (*d, "f16", "f16", *c),
            (Family::Wgmma, [d, a, b]) => (*d, *a, *b, *d),
            (Family::Mma | Family::Wmma, [d, a, b, c]) => (*d, *a, *b, *c),
            _ => return None,
        };
        let (a, b) = (Elem::from_name(a)?, Elem::from_name(b)?);
        if family == Family::Mma && (shape.k, a) == (4, Elem::F16) {
            return None;
        }
        let Shape { m, n, k } = shape;
        // The bits of a row of A.
        let row = k * a.width();
        let known = match family {
            Family::Mma if a == Elem::F64 => {
                n == 8 && [4, 8, 16].contains(&k) && (m == 16 || (m, k) == (8, 4))
            }
            Family::Mma => {
                n == 8 && ((m == 16 && [128, 256].contains(&row)) || (m == 8 && row == 128))
            }
            Family::Wmma if a == Elem::F64 => (m, n, k) == (8, 8, 4),
            Family::Wmma => {
                let sixteen = [(16, 16), (8, 32), (32, 8)].contains(&(m, n)) && k == 16;
                if a == Elem::Tf32 {
                    (m, n, k) == (16, 16, 8)
                } else {
                    sixteen
                }
            }
            Family::Wgmma => m == 64 && n.is_multiple_of(8) && row == 256,
        };
        if !known || a.width() != b.width() {
            return None;
        }
        let (c, d) = (acc(c)?, acc(d)?);
        // With accumulators of two types the sum has the wider one.
        let sum = if c == Acc::F32 { c } else { d };
        Some(MatrixOp {
            family,
            shape,
            kind: DotKind { a, b, acc: sum },
            c,
            d,
        })
    }

    /// How A, B, or an accumulator of the given type lies in registers; of `wgmma`, in those of one of its four warps.
    pub fn fragment(&self, role: Role, acc: Acc) -> Fragment {
        let bits = match role {
            Role::A => self.kind.a.width(),
            Role::B => self.kind.b.width(),
            Role::C => acc.width(),
        };
        match self.family {
            Family::Mma => self.shape.mma(role, bits),
            Family::Wgmma => self.shape.wgmma(role, bits),
            Family::Wmma => self.shape.wmma(role, bits, self.kind.a == Elem::F16),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes() {
        let op = |s| MatrixOp::parse(s);
        let bf16 = op("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32").unwrap();
        assert_eq!(bf16.shape, Shape { m: 16, n: 8, k: 16 });
        assert_eq!(bf16.kind.to_string(), "f32_bf16_bf16");
        let wmma = op("wmma.mma.sync.aligned.row.col.m32n8k16.f32.f16").unwrap();
        assert_eq!(
            (wmma.kind.a, wmma.c, wmma.d),
            (Elem::F16, Acc::F16, Acc::F32)
        );
        assert_eq!(wmma.kind.acc, Acc::F32);
        let narrowed = op("wmma.mma.sync.aligned.row.col.m32n8k16.f16.f32").unwrap();
        assert_eq!((narrowed.kind.acc, narrowed.d), (Acc::F32, Acc::F16));
        let int = op("wgmma.mma_async.sync.aligned.m64n24k32.s32.u8.s8.satfinite").unwrap();
        assert_eq!(int.kind.to_string(), "s32_satfinite_u8_s8");
        assert_eq!(int.fragment(Role::C, int.d).registers(), 12);
        let fp8 = op("wgmma.mma_async.sync.aligned.m64n128k32.f16.e4m3.e5m2").unwrap();
        assert_eq!(fp8.fragment(Role::C, fp8.d).registers(), 32);
        for unknown in [
            "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
            "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32",
            "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc",
            "wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16",
            "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16",
            "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.f16",
            "mma.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32",
            "wmma.mma.sync.aligned.row.col.m16n16k8.f32.f32",
            "wgmma.fence.sync.aligned",
            "mma.sync",
        ] {
            assert_eq!(op(unknown), None, "{unknown}");
        }
    }
}
