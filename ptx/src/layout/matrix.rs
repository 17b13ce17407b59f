//! The 8×8 matrices of `ldmatrix`, `stmatrix` and `movmatrix` (ISA §9.7.16.5.15–17), whose elements have 16 bits.
//!
//! The shapes `m16n16`, `m8n16` and `m16n8` with elements of 8 bits and less need sm_100 and are not here.

/// Row and column of half `half` (0 is the low one) of a lane's register in an 8×8 matrix: four lanes hold a row, two
/// elements each; with `.trans` they hold a column.
pub fn place(lane: u32, half: u32, transposed: bool) -> (u32, u32) {
    let (major, minor) = (lane / 4, lane % 4 * 2 + half);
    if transposed {
        (minor, major)
    } else {
        (major, minor)
    }
}

/// The lane whose address is that of a row of matrix number `matrix`.
pub fn address_lane(matrix: u32, row: u32) -> u32 {
    matrix * 8 + row
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figure of §9.7.16.5.15, a line a row: which lane holds columns 0-1, 2-3, 4-5 and 6-7.
    const FIGURE: [[u32; 4]; 8] = [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
        [12, 13, 14, 15],
        [16, 17, 18, 19],
        [20, 21, 22, 23],
        [24, 25, 26, 27],
        [28, 29, 30, 31],
    ];

    #[test]
    fn places_are_the_figures() {
        for (row, lanes) in FIGURE.iter().enumerate() {
            for (pair, &lane) in lanes.iter().enumerate() {
                for half in 0..2 {
                    let at = (row as u32, pair as u32 * 2 + half);
                    assert_eq!(place(lane, half, false), at);
                    assert_eq!(place(lane, half, true), (at.1, at.0));
                }
            }
        }
    }

    /// The table of addresses: threads 0–7 have those of the first matrix, threads 8–15 those of the second, …
    #[test]
    fn addresses_are_the_tables() {
        for (matrix, lanes) in [0..8, 8..16, 16..24, 24..32].into_iter().enumerate() {
            for (row, lane) in lanes.enumerate() {
                assert_eq!(address_lane(matrix as u32, row as u32), lane);
            }
        }
    }

    /// A multiplicand A of `mma.m16n8k16` is four 8×8 matrices as `ldmatrix.x4` loads them: rows 0–7 and 8–15 of
    /// columns 0–7, then of columns 8–15; a B by columns is two loaded with `.trans` from its rows.
    #[test]
    fn matrices_make_fragments() {
        use crate::layout::fragment::{Role, Shape};
        let shape = Shape { m: 16, n: 8, k: 16 };
        let (a, b) = (shape.mma(Role::A, 16), shape.mma(Role::B, 16));
        for lane in 0..32 {
            for i in 0..8 {
                let (row, col) = place(lane, i % 2, false);
                let matrix = i / 2;
                let at = (row + matrix % 2 * 8, col + matrix / 2 * 8);
                assert_eq!(a.place(lane, i), at);
            }
            for i in 0..4 {
                let (row, col) = place(lane, i % 2, true);
                assert_eq!(b.place(lane, i), (row + i / 2 * 8, col));
            }
        }
    }
}
