//! Where the elements of a matrix live in the registers of a warp or a warpgroup.
//!
//! All fragments of `mma` (ISA §9.7.16.5; without `m8n8k4` of f16) and of `wgmma` (§9.7.17.5.1.1) are one pattern. A
//! lane has a group (`laneid / 4`) and a place in it (`laneid % 4`); with `e` elements in a 32-bit register,
//! - a multiplicand A gives a group a row of 8, and a place the `e` elements from column `place * e`; registers go through
//!   the two halves of 16 rows first, then through the columns in steps of `4 * e`;
//! - a multiplicand B is an A turned over: a group has a column, registers go through the rows, then through 8 columns;
//! - an accumulator gives a place the two columns from `place * 2`; elements go through the two, then through the halves
//!   of 16 rows, then through the columns in steps of 8.
//!
//! More than 16 rows are blocks of 16: of `wgmma` each of the four warps has one. Fragments of `wmma` are unspecified
//! (§9.7.16.4.1); they follow the same pattern here, blocks of 16 rows after each other, and where the manual gives a
//! fragment more registers than its elements need (f16), the elements come again in the same order.

/// Which matrix of `D = A * B + C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The left multiplicand, rows × k.
    A,
    /// The right multiplicand, k × columns.
    B,
    /// The accumulator, C or D.
    C,
}

/// How a matrix is spread over the registers of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fragment {
    /// Which matrix.
    pub role: Role,
    /// Its rows.
    pub rows: u32,
    /// Its columns.
    pub cols: u32,
    /// The width of an element in bits.
    pub bits: u32,
    /// How often a warp holds each element.
    pub copies: u32,
}

impl Fragment {
    /// A fragment that holds every element once.
    pub const fn new(role: Role, rows: u32, cols: u32, bits: u32) -> Self {
        Fragment {
            role,
            rows,
            cols,
            bits,
            copies: 1,
        }
    }

    /// How many elements a lane holds, copies counted.
    pub fn elements(&self) -> u32 {
        self.rows * self.cols / 32 * self.copies
    }

    /// Whether the pattern fits the matrix; otherwise nothing has a place.
    pub fn fits(&self) -> bool {
        let wide = 4 * self.per_register();
        let (rows, cols) = (self.rows, self.cols);
        let blocks = |n: u32| n == 8 || n.is_multiple_of(16);
        let fits = match self.role {
            Role::A => blocks(rows) && cols.is_multiple_of(wide),
            Role::B => rows.is_multiple_of(wide) && cols.is_multiple_of(8),
            Role::C => blocks(rows) && cols.is_multiple_of(8),
        };
        fits && rows > 0 && cols > 0
    }

    /// How many elements lie in a register.
    pub fn per_register(&self) -> u32 {
        (32 / self.bits).max(1)
    }

    /// The width of the registers.
    pub fn register_bits(&self) -> u32 {
        self.bits.max(32)
    }

    /// How many registers a lane has.
    pub fn registers(&self) -> u32 {
        self.elements() / self.per_register()
    }

    /// Row and column of element `i` (from the low end of the first register on) of a lane.
    pub fn place(&self, lane: u32, i: u32) -> (u32, u32) {
        let i = i % (self.rows * self.cols / 32);
        match self.role {
            Role::A => multiplicand(self.rows, self.cols, self.per_register(), lane, i),
            Role::B => {
                let e = self.per_register();
                let (group, place) = (lane >> 2, lane & 3);
                let chunks = self.rows / (4 * e);
                let (register, element) = (i / e, i % e);
                let row = register % chunks * 4 * e + place * e + element;
                (row, register / chunks * 8 + group)
            }
            Role::C => {
                let (group, place) = (lane >> 2, lane & 3);
                let halves = (self.rows / 8).min(2);
                let (pair, element) = (i >> 1, i & 1);
                let (half, rest) = (pair % halves, pair / halves);
                let (column, block) = (rest % (self.cols / 8), rest / (self.cols / 8));
                (
                    16 * block + 8 * half + group,
                    8 * column + 2 * place + element,
                )
            }
        }
    }
}

/// The pattern of a multiplicand A.
fn multiplicand(rows: u32, cols: u32, e: u32, lane: u32, i: u32) -> (u32, u32) {
    let (group, place) = (lane >> 2, lane & 3);
    let halves = (rows / 8).min(2);
    let (register, element) = (i / e, i % e);
    let (half, rest) = (register % halves, register / halves);
    let chunks = cols / (4 * e);
    let (chunk, block) = (rest % chunks, rest / chunks);
    (
        16 * block + 8 * half + group,
        chunk * 4 * e + place * e + element,
    )
}

/// The three fragments of one matrix operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of A and of the accumulator.
    pub m: u32,
    /// Columns of B and of the accumulator.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
}

impl Shape {
    /// Reads `m16n8k16`; no matrix of any instruction has more than 256 rows or columns.
    pub fn parse(word: &str) -> Option<Shape> {
        let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        let size = |s: &str| s.parse().ok().filter(|x| (1..=256).contains(x));
        Some(Shape {
            m: size(m)?,
            n: size(n)?,
            k: size(k)?,
        })
    }

    /// The fragment of a matrix of `mma` with elements of this width.
    pub fn mma(self, role: Role, bits: u32) -> Fragment {
        let (rows, cols) = self.size(role);
        Fragment::new(role, rows, cols, bits)
    }

    /// The fragment that a warp of the warpgroup has of A (in registers) or of the accumulator of `wgmma`: 16 of the 64
    /// rows, from row `16 * warp` on.
    pub fn wgmma(self, role: Role, bits: u32) -> Fragment {
        let (rows, cols) = self.size(role);
        Fragment::new(role, rows / 4, cols, bits)
    }

    /// The fragment of a matrix of `wmma`. Multiplicands of f16 (`halves`) have eight registers whatever the shape.
    pub fn wmma(self, role: Role, bits: u32, halves: bool) -> Fragment {
        let mut fragment = self.mma(role, bits);
        if halves && role != Role::C {
            fragment.copies = 8 / fragment.registers().clamp(1, 8);
        }
        fragment
    }

    /// Rows and columns of a matrix.
    pub fn size(self, role: Role) -> (u32, u32) {
        match role {
            Role::A => (self.m, self.k),
            Role::B => (self.k, self.n),
            Role::C => (self.m, self.n),
        }
    }
}

/// Row and column of element `i` of a lane in `mma.m8n8k4` of f16 (§9.7.16.5.1), whose four products are of the quads
/// `(lane & 15) / 4`. `row_major` is the layout of a multiplicand; accumulators differ by the width of their elements.
pub fn volta(role: Role, row_major: bool, bits: u32, lane: u32, i: u32) -> (u32, u32) {
    let (place, upper) = (lane & 3, (lane >> 4) * 4);
    match (role, row_major) {
        (Role::A, true) => (place + upper, i),
        (Role::A, false) => (i + upper, place),
        (Role::B, true) => (place, i + upper),
        (Role::B, false) => (i, place + upper),
        (Role::C, _) if bits == 16 => (place + upper, i),
        (Role::C, _) => ((lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::Role::{A, B, C};
    use super::*;

    /// The manual's formula for one fragment.
    struct Entry {
        says: &'static str,
        shape: &'static str,
        role: Role,
        bits: u32,
        /// How many elements a lane holds, by the manual's table.
        elements: u32,
        /// The manual's formula, of groupID, threadID_in_group and i.
        formula: fn(u32, u32, u32) -> (u32, u32),
    }

    const fn entry(
        says: &'static str,
        shape: &'static str,
        role: Role,
        bits: u32,
        elements: u32,
        formula: fn(u32, u32, u32) -> (u32, u32),
    ) -> Entry {
        Entry {
            says,
            shape,
            role,
            bits,
            elements,
            formula,
        }
    }

    /// Accumulators of 16 rows and 8 columns are given by one formula in every section.
    fn c16(g: u32, t: u32, i: u32) -> (u32, u32) {
        let row = if i < 2 { g } else { g + 8 };
        (row, t * 2 + (i & 1))
    }

    /// Transcribed from ISA §9.7.16.5.2 to §9.7.16.5.13, a line a formula.
    const MANUAL: &[Entry] = &[
        entry(".2 f64", "m8n8k4", A, 64, 1, |g, t, _| (g, t)),
        entry(".2 f64", "m8n8k4", B, 64, 1, |g, t, _| (t, g)),
        entry(".2 f64", "m8n8k4", C, 64, 2, |g, t, i| (g, t * 2 + (i & 1))),
        entry(".3 s8", "m8n8k16", A, 8, 4, |g, t, i| (g, t * 4 + i)),
        entry(".3 s8", "m8n8k16", B, 8, 4, |g, t, i| (t * 4 + i, g)),
        entry(".3 s8", "m8n8k16", C, 32, 2, |g, t, i| (g, t * 2 + i)),
        entry(".4 s4", "m8n8k32", A, 4, 8, |g, t, i| (g, t * 8 + i)),
        entry(".4 s4", "m8n8k32", B, 4, 8, |g, t, i| (t * 8 + i, g)),
        entry(".4 s4", "m8n8k32", C, 32, 2, |g, t, i| (g, t * 2 + i)),
        entry(".5 b1", "m8n8k128", A, 1, 32, |g, t, i| (g, t * 32 + i)),
        entry(".5 b1", "m8n8k128", B, 1, 32, |g, t, i| (t * 32 + i, g)),
        entry(".5 b1", "m8n8k128", C, 32, 2, |g, t, i| (g, t * 2 + i)),
        entry(".6 tf32", "m16n8k4", A, 32, 2, |g, t, i| match i {
            0 => (g, t),
            _ => (g + 8, t),
        }),
        entry(".6 tf32", "m16n8k4", B, 32, 1, |g, t, _| (t, g)),
        entry(".6 tf32", "m16n8k4", C, 32, 4, c16),
        entry(".6 f64", "m16n8k4", A, 64, 2, |g, t, i| match i {
            0 => (g, t),
            _ => (g + 8, t),
        }),
        entry(".6 f64", "m16n8k4", B, 64, 1, |g, t, _| (t, g)),
        entry(".6 f64", "m16n8k4", C, 64, 4, c16),
        entry(".7 f16", "m16n8k8", A, 16, 4, |g, t, i| {
            let row = if i == 0 || i == 1 { g } else { g + 8 };
            (row, t * 2 + (i & 1))
        }),
        entry(".7 tf32", "m16n8k8", A, 32, 4, |g, t, i| {
            let row = if i == 0 || i == 2 { g } else { g + 8 };
            let col = if i == 0 || i == 1 { t } else { t + 4 };
            (row, col)
        }),
        entry(".7 f64", "m16n8k8", A, 64, 4, |g, t, i| {
            let row = if i == 0 || i == 2 { g } else { g + 8 };
            let col = if i == 0 || i == 1 { t } else { t + 4 };
            (row, col)
        }),
        entry(".7 f16", "m16n8k8", B, 16, 2, |g, t, i| (t * 2 + i, g)),
        entry(".7 tf32", "m16n8k8", B, 32, 2, |g, t, i| match i {
            0 => (t, g),
            _ => (t + 4, g),
        }),
        entry(".7 f64", "m16n8k8", B, 64, 2, |g, t, i| match i {
            0 => (t, g),
            _ => (t + 4, g),
        }),
        entry(".7 f16", "m16n8k8", C, 16, 4, c16),
        entry(".7 f32", "m16n8k8", C, 32, 4, c16),
        entry(".7 f64", "m16n8k8", C, 64, 4, c16),
        entry(".8 f16", "m16n8k16", A, 16, 8, |g, t, i| {
            let row = if i < 2 || (4..6).contains(&i) {
                g
            } else {
                g + 8
            };
            let col = if i < 4 {
                t * 2 + (i & 1)
            } else {
                t * 2 + (i & 1) + 8
            };
            (row, col)
        }),
        entry(".8 f64", "m16n8k16", A, 64, 8, |g, t, i| {
            if i.is_multiple_of(2) {
                (g, i * 2 + t)
            } else {
                (g + 8, i * 2 - 2 + t)
            }
        }),
        entry(".8 f16", "m16n8k16", B, 16, 4, |g, t, i| {
            let row = if i < 2 {
                t * 2 + (i & 1)
            } else {
                t * 2 + (i & 1) + 8
            };
            (row, g)
        }),
        entry(".8 f64", "m16n8k16", B, 64, 4, |g, t, i| (t + i * 4, g)),
        entry(".8 f16", "m16n8k16", C, 16, 4, c16),
        entry(".8 f32", "m16n8k16", C, 32, 4, c16),
        entry(".8 f64", "m16n8k16", C, 64, 4, c16),
        entry(".9 s8", "m16n8k16", A, 8, 8, |g, t, i| {
            let row = if i < 4 { g } else { g + 8 };
            (row, t * 4 + (i & 3))
        }),
        entry(".9 s8", "m16n8k16", B, 8, 4, |g, t, i| (t * 4 + i, g)),
        entry(".9 s32", "m16n8k16", C, 32, 4, c16),
        entry(".10 s4", "m16n8k32", A, 4, 16, |g, t, i| {
            let row = if i < 8 { g } else { g + 8 };
            (row, t * 8 + (i & 7))
        }),
        entry(".10 s8", "m16n8k32", A, 8, 16, |g, t, i| {
            let row = if i < 4 || (8..12).contains(&i) {
                g
            } else {
                g + 8
            };
            let col = if i < 8 {
                t * 4 + (i & 3)
            } else {
                t * 4 + (i & 3) + 16
            };
            (row, col)
        }),
        entry(".10 s4", "m16n8k32", B, 4, 8, |g, t, i| {
            (t * 8 + (i & 7), g)
        }),
        entry(".10 s8", "m16n8k32", B, 8, 8, |g, t, i| {
            let row = if i < 4 {
                t * 4 + (i & 3)
            } else {
                t * 4 + (i & 3) + 16
            };
            (row, g)
        }),
        entry(".10 s32", "m16n8k32", C, 32, 4, c16),
        entry(".10 f16", "m16n8k32", C, 16, 4, c16),
        entry(".11 s4", "m16n8k64", A, 4, 32, |g, t, i| {
            let row = if i < 8 || (16..24).contains(&i) {
                g
            } else {
                g + 8
            };
            let col = if i < 16 {
                t * 8 + (i & 7)
            } else {
                t * 8 + (i & 7) + 32
            };
            (row, col)
        }),
        entry(".11 s4", "m16n8k64", B, 4, 16, |g, t, i| {
            let row = if i < 8 {
                t * 8 + (i & 7)
            } else {
                t * 8 + (i & 7) + 32
            };
            (row, g)
        }),
        entry(".11 s32", "m16n8k64", C, 32, 4, c16),
    ];

    /// Every element is held the given number of times.
    fn covers(f: &Fragment) {
        let mut held = vec![0; (f.rows * f.cols) as usize];
        for lane in 0..32 {
            for i in 0..f.elements() {
                let (row, col) = f.place(lane, i);
                assert!(row < f.rows && col < f.cols, "{f:?} lane {lane} i {i}");
                held[(row * f.cols + col) as usize] += 1;
            }
        }
        assert!(held.iter().all(|&n| n == f.copies), "{f:?}");
    }

    #[test]
    fn mma_fragments_are_the_manuals() {
        for e in MANUAL {
            let shape = Shape::parse(e.shape).unwrap();
            let f = shape.mma(e.role, e.bits);
            assert_eq!(f.elements(), e.elements, "{} {}", e.says, e.shape);
            for lane in 0..32 {
                for i in 0..f.elements() {
                    let want = (e.formula)(lane >> 2, lane % 4, i);
                    assert_eq!(
                        f.place(lane, i),
                        want,
                        "{} {} {:?} lane {lane} element {i}",
                        e.says,
                        e.shape,
                        e.role
                    );
                }
            }
            covers(&f);
        }
    }

    /// The figures of §9.7.17.5.1.1: a thread of the warpgroup, an element, and where the figure shows it.
    #[test]
    fn wgmma_fragments_are_the_figures() {
        for n in (8..=256).step_by(8) {
            for (k, a_bits) in [(16, 16), (8, 32), (32, 8), (256, 1)] {
                let shape = Shape { m: 64, n, k };
                let (a, d) = (shape.wgmma(A, a_bits), shape.wgmma(C, 32));
                assert_eq!(a.registers(), 4, "A has four registers");
                assert_eq!(d.registers(), n / 2, "D has N/2 registers");
                assert_eq!(shape.wgmma(C, 16).registers(), n / 4);
                covers(&a);
                covers(&d);
                let mut next = [0; 32];
                // D by its picture: row by row, each row of 8 columns is shared by four threads, two columns each; the
                // rows 0-7 have a thread's elements 0 and 1 of a block of 8 columns, the rows 8-15 the elements 2, 3.
                for block in 0..n / 8 {
                    for row in 0..16 {
                        for thread in 0..4 {
                            let lane = (row % 8) * 4 + thread;
                            for col in 0..2 {
                                let i = block * 4 + (row / 8) * 2 + col;
                                let at = (row, block * 8 + thread * 2 + col);
                                assert_eq!(d.place(lane, i), at);
                                next[lane as usize] += 1;
                            }
                        }
                    }
                }
                assert!(next.iter().all(|&x| x == n / 2));
                // A by its picture: four quadrants, rows 0-7 and 8-15 by the two halves of K; registers go down, then
                // right; a row of a quadrant is four threads' registers side by side.
                let e = k / 8;
                for row in 0..16 {
                    for col in 0..k {
                        let (down, right) = (row / 8, col / (k / 2));
                        let lane = row % 8 * 4 + col % (k / 2) / e;
                        let i = (right * 2 + down) * e + col % e;
                        assert_eq!(a.place(lane, i), (row, col));
                    }
                }
            }
        }
    }

    #[test]
    fn matrices_that_the_pattern_does_not_fit() {
        for (role, rows, cols, bits) in [
            (A, 8, 4, 8),
            (A, 12, 16, 16),
            (B, 4, 8, 16),
            (B, 16, 12, 16),
            (C, 8, 4, 32),
            (C, 24, 8, 32),
            (A, 0, 8, 32),
            (B, 8, 0, 32),
            (C, 0, 0, 32),
        ] {
            let f = Fragment::new(role, rows, cols, bits);
            assert!(!f.fits(), "{f:?}");
        }
        assert!(Fragment::new(B, 16, 8, 16).fits());
        assert!(!Fragment::new(B, 16, 8, 4).fits());
        assert_eq!(Shape::parse("m16n8k4000000000"), None);
        assert_eq!(Shape::parse("m0n8k8"), None);
    }

    #[test]
    fn wmma_fragments_have_the_manuals_registers() {
        // (shape, bits, f16?, registers of A, B, and of an accumulator of 32 bits), §9.7.16.4.1
        let table = [
            ("m16n16k16", 16, true, 8, 8, 8),
            ("m8n32k16", 16, true, 8, 8, 8),
            ("m32n8k16", 16, true, 8, 8, 8),
            ("m16n16k16", 16, false, 4, 4, 8),
            ("m8n32k16", 16, false, 2, 8, 8),
            ("m32n8k16", 16, false, 8, 2, 8),
            ("m16n16k16", 8, false, 2, 2, 8),
            ("m8n32k16", 8, false, 1, 4, 8),
            ("m32n8k16", 8, false, 4, 1, 8),
            ("m16n16k8", 32, false, 4, 4, 8),
        ];
        for (shape, bits, halves, a, b, c) in table {
            let s = Shape::parse(shape).unwrap();
            let fragments = [
                s.wmma(A, bits, halves),
                s.wmma(B, bits, halves),
                s.wmma(C, 32, false),
            ];
            assert_eq!(
                fragments.map(|f| f.registers()),
                [a, b, c],
                "{shape} {bits}"
            );
            fragments.iter().for_each(covers);
            if halves {
                assert_eq!(s.wmma(C, 16, true).registers(), 4);
            }
        }
    }

    #[test]
    fn volta_fragments_are_the_manuals() {
        for lane in 0..32 {
            let high = if lane < 16 { 0 } else { 4 };
            for i in 0..4 {
                assert_eq!(volta(A, true, 16, lane, i), (lane % 4 + high, i));
                assert_eq!(volta(A, false, 16, lane, i), (i % 4 + high, lane % 4));
                assert_eq!(volta(B, true, 16, lane, i), (lane % 4, i + high));
                assert_eq!(volta(B, false, 16, lane, i), (i, lane % 4 + high));
            }
            for i in 0..8 {
                assert_eq!(volta(C, true, 16, lane, i), (lane % 4 + high, i));
                let x = (lane & 0b1) + (i & 0b10);
                let col = (i & 0b100) + (lane & 0b10) + (i & 0b1);
                assert_eq!(volta(C, true, 32, lane, i), (x + high, col));
            }
        }
        // Each quad pair holds each element of each matrix once.
        for quad in 0..4 {
            for (role, row_major, bits, size) in [
                (A, true, 16, 4),
                (A, false, 16, 4),
                (B, true, 16, 4),
                (B, false, 16, 4),
                (C, true, 16, 8),
                (C, true, 32, 8),
            ] {
                let lanes = [quad * 4, quad * 4 + 16];
                let mut at: Vec<(u32, u32)> = lanes
                    .iter()
                    .flat_map(|l| (0..4).map(move |p| l + p))
                    .flat_map(|l| (0..size).map(move |i| volta(role, row_major, bits, l, i)))
                    .collect();
                at.sort_unstable();
                at.dedup();
                assert_eq!(at.len() as u32, 8 * size);
            }
        }
    }
}
