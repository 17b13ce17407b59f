//! Matrices of `wgmma` in shared memory: the matrix descriptor (ISA §9.7.17.5.1.2.2) and the address of an element by
//! the canonical layouts (§9.7.17.5.1.2.1.3).
//!
//! An element's address without swizzling is start plus offset; the swizzle then permutes bytes by the bits of that
//! address, as it does for the copy that wrote them. A base offset moves the start of the pattern: the line of 128 bytes
//! with `line mod 8 = base offset` counts as its first. (The manual says how the field is computed from where the pattern
//! starts, and this is our reading of it. No kernel of the corpus uses it.)

use super::swizzle::Swizzle;

/// Which dimension of a multiplicand is contiguous in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Major {
    /// Along K: A by rows, B by columns.
    K,
    /// Along M (of A) or N (of B); only for elements of 16 bits.
    MN,
}

/// A decoded matrix descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// The address where the matrix starts, in the shared window of the CTA.
    pub start: u32,
    /// The leading dimension byte offset.
    pub leading: u32,
    /// The stride dimension byte offset.
    pub stride: u32,
    /// The base offset: in which line of 128 bytes, of 8, the swizzling pattern starts.
    pub base: u32,
    /// The swizzling mode.
    pub swizzle: Swizzle,
}

/// `matrix-descriptor-encode`, turned over.
fn field(bits: u64, low: u32) -> u32 {
    ((bits >> low) as u32 & 0x3FFF) << 4
}

impl Descriptor {
    /// Reads the 64 bits of a descriptor.
    pub fn decode(bits: u64) -> Descriptor {
        Descriptor {
            start: field(bits, 0),
            leading: field(bits, 16),
            stride: field(bits, 32),
            base: (bits >> 49) as u32 & 7,
            swizzle: match bits >> 62 {
                0 => Swizzle::None,
                1 => Swizzle::B128,
                2 => Swizzle::B64,
                _ => Swizzle::B32,
            },
        }
    }

    /// The width in bytes of a row of the swizzling pattern.
    fn span(&self) -> u32 {
        match self.swizzle {
            Swizzle::None => 16,
            Swizzle::B32 => 32,
            Swizzle::B64 => 64,
            _ => 128,
        }
    }

    /// The offset of element (`mn`, `k`) from the start, without swizzling. An element has `bytes` bytes.
    pub fn offset(&self, major: Major, bytes: u32, mn: u32, k: u32) -> u32 {
        let plain = self.swizzle == Swizzle::None;
        let span = self.span();
        let per_row = span / bytes;
        match (major, plain) {
            (Major::K, true) => {
                mn % 8 * 16
                    + mn / 8 * self.stride
                    + k % per_row * bytes
                    + k / per_row * self.leading
            }
            (Major::K, false) => mn % 8 * span + mn / 8 * self.stride + k * bytes,
            (Major::MN, true) => {
                mn % per_row * bytes
                    + mn / per_row * self.stride
                    + k % 8 * 16
                    + k / 8 * self.leading
            }
            (Major::MN, false) => {
                mn % per_row * bytes
                    + mn / per_row * self.leading
                    + k % 8 * span
                    + k / 8 * self.stride
            }
        }
    }

    /// The address of element (`mn`, `k`): row `mn` of A or column `mn` of B.
    ///
    /// Within an aligned chunk of 16 bytes of the contiguous dimension elements lie side by side.
    pub fn address(&self, major: Major, bytes: u32, mn: u32, k: u32) -> u32 {
        let address = self.start.wrapping_add(self.offset(major, bytes, mn, k));
        let units = self.span() - 16;
        let moved = self
            .swizzle
            .apply(u64::from(address.wrapping_sub(self.base << 7))) as u32;
        address & !units | moved & units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layout `((a, b), (c, d)) : ((p, q), (r, s))` of the manual's notation, with three numbers in a mode where the
    /// manual has three: the offset of an element is found by counting digits through the shape.
    fn cute(shape: &[&[u32]], strides: &[&[u32]], at: [u32; 2]) -> u32 {
        let mut offset = 0;
        for mode in 0..2 {
            let mut rest = at[mode];
            for (digit, (size, stride)) in shape[mode].iter().zip(strides[mode]).enumerate() {
                let last = digit + 1 == shape[mode].len();
                let here = if last { rest } else { rest % size };
                rest /= size;
                offset += here * stride;
            }
        }
        offset
    }

    fn encode(start: u32, leading: u32, stride: u32, base: u32, mode: u64) -> u64 {
        let field = |x: u32| u64::from((x & 0x3FFFF) >> 4);
        field(start)
            | field(leading) << 16
            | field(stride) << 32
            | u64::from(base) << 49
            | mode << 62
    }

    /// `Swizzle<b, 4, 3>` of the table, on byte addresses: bits 7.. are xored into bits 4.., `b` of them.
    fn swizzle(b: u32, address: u32) -> u32 {
        let mask = ((1 << b) - 1) << 4;
        address ^ ((address >> 3) & mask)
    }

    /// The canonical layouts, in elements: T elements are 128 bits.
    #[test]
    fn addresses_follow_the_canonical_layouts() {
        let modes = [(0, 0, 1), (3, 1, 2), (2, 2, 4), (1, 3, 8)];
        for bytes in [1, 2, 4] {
            let t = 16 / bytes;
            for (encoding, bits, units) in modes {
                for (start, leading, stride) in [
                    (0x2000, 0x400, 0x800),
                    (0x400, 0x2000, 0x100),
                    (0x420, 0x80, 0x1000),
                ] {
                    let d = Descriptor::decode(encode(start, leading, stride, 0, encoding));
                    let (lbo, sbo) = (leading / bytes, stride / bytes);
                    for mn in 0..256 {
                        for k in 0..32 / bytes {
                            let by_k = if encoding == 0 {
                                // ((8,m),(T,2k)):((1T,SBO),(1,LBO))
                                cute(&[&[8, 99], &[t, 99]], &[&[t, sbo], &[1, lbo]], [mn, k])
                            } else {
                                // ((8,m),(T,2k)):((uT,SBO),(1,T))
                                cute(
                                    &[&[8, 99], &[t, 99]],
                                    &[&[units * t, sbo], &[1, t]],
                                    [mn, k],
                                )
                            };
                            let want = swizzle(bits, start + by_k * bytes);
                            assert_eq!(d.address(Major::K, bytes, mn, k), want);
                            if bytes != 2 {
                                continue;
                            }
                            let by_mn = if encoding == 0 {
                                // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
                                cute(
                                    &[&[t, 1, 99], &[8, 99]],
                                    &[&[1, t, sbo], &[t, lbo]],
                                    [mn, k],
                                )
                            } else {
                                // ((T,u,m),(8,k)):((1,T,LBO),(uT,SBO))
                                cute(
                                    &[&[t, units, 99], &[8, 99]],
                                    &[&[1, t, lbo], &[units * t, sbo]],
                                    [mn, k],
                                )
                            };
                            let want = swizzle(bits, start + by_mn * bytes);
                            assert_eq!(d.address(Major::MN, bytes, mn, k), want);
                        }
                    }
                }
            }
        }
    }

    /// The manual's worked examples: exact layouts beside the encodings of the offsets.
    #[test]
    fn worked_examples() {
        type Modes = &'static [&'static [u32]];
        /// Name, swizzling mode, major-ness, bytes, encodings of LBO and SBO, shape and strides of the exact layout.
        type Example = (&'static str, u64, Major, u32, u64, u64, Modes, Modes);
        let examples: [Example; 5] = [
            (
                "K, none, tf32",
                0,
                Major::K,
                4,
                16,
                8,
                &[&[8, 2], &[4, 4]],
                &[&[4, 32], &[1, 64]],
            ),
            (
                "K, 32B, tf32",
                3,
                Major::K,
                4,
                1,
                16,
                &[&[8, 2], &[4, 4]],
                &[&[8, 64], &[1, 4]],
            ),
            (
                "MN, none, bf16",
                0,
                Major::MN,
                2,
                16,
                8,
                &[&[8, 1, 2], &[8, 2]],
                &[&[1, 8, 64], &[8, 128]],
            ),
            (
                "MN, 32B, bf16",
                3,
                Major::MN,
                2,
                16,
                32,
                &[&[8, 2, 2], &[8, 2]],
                &[&[1, 8, 128], &[16, 256]],
            ),
            (
                "MN, 64B, bf16",
                2,
                Major::MN,
                2,
                32,
                64,
                &[&[8, 4, 2], &[8, 2]],
                &[&[1, 8, 256], &[32, 512]],
            ),
        ];
        for (says, mode, major, bytes, leading, stride, shape, strides) in examples {
            let d = Descriptor::decode(leading << 16 | stride << 32 | mode << 62);
            let size = |m: usize| shape[m].iter().product::<u32>();
            for mn in 0..size(0) {
                for k in 0..size(1) {
                    assert_eq!(
                        d.offset(major, bytes, mn, k),
                        cute(shape, strides, [mn, k]) * bytes,
                        "{says} ({mn}, {k})"
                    );
                }
            }
        }
    }

    /// Every element of a tile has bytes of its own, in every mode.
    #[test]
    fn elements_do_not_overlap() {
        for mode in 0..4 {
            let span = [16, 128, 64, 32][mode as usize];
            // K-major: 64 rows of 32 bytes, groups of 8 rows side by side.
            let d = Descriptor::decode(encode(0x400, span * 8 * 8, span * 8, 0, mode));
            let mut seen = std::collections::BTreeSet::new();
            for mn in 0..64 {
                for k in 0..16 {
                    assert!(seen.insert(d.address(Major::K, 2, mn, k)));
                }
            }
            // MN-major: 128 columns of 16 rows.
            let (leading, stride) = if mode == 0 {
                (128 * 16, 128)
            } else {
                (span * 16, span * 8)
            };
            let d = Descriptor::decode(encode(0x400, leading, stride, 0, mode));
            let mut seen = std::collections::BTreeSet::new();
            for mn in 0..128 {
                for k in 0..16 {
                    assert!(seen.insert(d.address(Major::MN, 2, mn, k)));
                }
            }
        }
    }

    /// Tiles as a tensor copy with the same swizzle writes them: row `r` of a box of 128-byte rows, whose 16-byte units
    /// are xored with the row, starting at a multiple of 1024.
    fn copied(start: u32, row: u32, byte: u32) -> u32 {
        start + row * 128 + ((byte / 16) ^ (row % 8)) * 16 + byte % 16
    }

    #[test]
    fn descriptors_of_real_kernels() {
        // hopper_tma_wgmma.cu: desc() with 128B swizzle, stride 1024, leading 1; a step of 16 in K adds 32 bytes.
        let start = 0x2800;
        let cuda = |a: u64| ((a & 0x3FFFF) >> 4) | 1 << 16 | (1024 >> 4) << 32 | 1 << 62;
        // Triton: `or.b64 %rd, %start, 4611686293305294848`.
        let triton = |a: u64| (a >> 4 & 0x3FFF) | 4_611_686_293_305_294_848;
        for step in 0..4 {
            for bits in [
                cuda(u64::from(start)) + step * 2,
                triton(u64::from(start)) + step * 2,
            ] {
                let d = Descriptor::decode(bits);
                for row in 0..64 {
                    for k in 0..16 {
                        let byte = (step as u32 * 16 + k) * 2;
                        assert_eq!(d.address(Major::K, 2, row, k), copied(start, row, byte));
                    }
                }
            }
        }
        // N-major B of 64 columns, as Triton's attention reads V: a row of K is a line of 128 bytes; a step of 16 in K
        // is 16 lines.
        for step in 0..4 {
            let d = Descriptor::decode(triton(u64::from(start + step * 16 * 128)));
            for n in 0..64 {
                for k in 0..16 {
                    let line = step * 16 + k;
                    assert_eq!(d.address(Major::MN, 2, n, k), copied(start, line, n * 2));
                }
            }
        }
        // 64B swizzle with rows of 64 bytes, the units xored with half the row: `9223372174293729280` in Triton's PTX.
        let d = Descriptor::decode(u64::from(start >> 4) | 0x8000_0020_0000_0000);
        for row in 0..64 {
            for k in 0..16 {
                let unit = (k / 8) ^ (row / 2 % 4);
                let want = start + row * 64 + unit * 16 + k % 8 * 2;
                assert_eq!(d.address(Major::K, 2, row, k), want);
            }
        }
    }

    /// A pattern that starts in another line: the same tile, moved.
    #[test]
    fn base_offset_moves_the_pattern() {
        let start = 0x2800 + 3 * 128;
        let base = (start >> 7) & 7;
        let d = Descriptor::decode(encode(start, 16, 1024, base, 1));
        for row in 0..64 {
            for k in 0..16 {
                assert_eq!(d.address(Major::K, 2, row, k), copied(start, row, k * 2));
            }
        }
    }
}
