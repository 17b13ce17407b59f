//! The box of a tensor copy in tiled mode (ISA §5.5.3): which bytes of global memory go where.
//!
//! A box lies in shared memory row by row, dimension 0 innermost, without gaps, and then swizzled by absolute address.
//! Here is the part before swizzling; [`super::swizzle::Swizzle::pieces`] does the rest.

use super::tensormap::{Fill, TensorMap};

/// Consecutive bytes of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where they lie in global memory; `None` outside of the tensor.
    pub global: Option<u64>,
    /// Where they lie in the box.
    pub offset: u64,
    /// How many there are.
    pub bytes: u64,
}

impl TensorMap {
    /// The box whose first element is at the given coordinates, dimension 0 first; one coordinate for each dimension.
    ///
    /// The runs are in the order of their offsets and cover the box. The address of an element is computed modulo 2^64.
    pub fn tile(&self, coordinates: &[i32]) -> Vec<Run> {
        let rank = self.dims.len();
        let size = self.element.bytes();
        let row = self.row_bytes();
        let rows = self.box_bytes() / row;
        let mut runs = Vec::new();
        let mut index = [0u64; 5];
        for r in 0..rows {
            let mut base = Some(self.address);
            for i in 1..rank {
                let step = u64::from(self.element_strides[i]);
                let x = i64::from(coordinates[i]) + (index[i] * step) as i64;
                base = match (base, inside(x, self.dims[i])) {
                    (Some(b), Some(x)) => Some(b.wrapping_add(x.wrapping_mul(self.strides[i - 1]))),
                    _ => None,
                };
            }
            self.row(base, i64::from(coordinates[0]), size, r * row, &mut runs);
            for (i, n) in index.iter_mut().enumerate().take(rank).skip(1) {
                *n += 1;
                if *n < self.box_count(i) {
                    break;
                }
                *n = 0;
            }
        }
        runs
    }

    /// A row of the box, with the address of the row's element 0 of the tensor.
    fn row(&self, base: Option<u64>, start: i64, size: u64, offset: u64, runs: &mut Vec<Run>) {
        let count = self.box_count(0) as i64;
        let dim = self.dims[0] as i64;
        // Elements before the tensor, in it, and behind it.
        let (before, upto) = match base {
            None => (count, count),
            Some(_) => ((-start).clamp(0, count), (dim - start).clamp(0, count)),
        };
        let upto = upto.max(before);
        let mut push = |from: i64, to: i64, global: Option<u64>| {
            if from < to {
                runs.push(Run {
                    global,
                    offset: offset + from as u64 * size,
                    bytes: (to - from) as u64 * size,
                });
            }
        };
        push(0, before, None);
        let first = (start + before) as u64;
        push(
            before,
            upto,
            base.map(|b| b.wrapping_add(first.wrapping_mul(size))),
        );
        push(upto, count, None);
    }

    /// The byte that elements outside of the tensor are made of.
    pub fn fill_byte(&self) -> u8 {
        match self.fill {
            Fill::Zero => 0,
            Fill::Nan => 0xFF,
        }
    }
}

/// The coordinate, if it is one of a dimension of this size.
fn inside(x: i64, dim: u64) -> Option<u64> {
    u64::try_from(x).ok().filter(|x| *x < dim)
}
