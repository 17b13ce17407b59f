//! Swizzling modes against the tables of the manual (ISA §5.5.7), byte by byte.

use ptx::layout::swizzle::Swizzle;

/// The manual's tables: a line is 128 bytes of shared memory, a number is the 16 bytes that lie there.
fn table(mode: Swizzle) -> &'static [[u64; 8]] {
    const STRAIGHT: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    match mode {
        Swizzle::None => &[STRAIGHT, STRAIGHT],
        Swizzle::B32 => &[STRAIGHT, [1, 0, 3, 2, 5, 4, 7, 6]],
        Swizzle::B64 => &[
            STRAIGHT,
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
        ],
        Swizzle::B96 => &[STRAIGHT, [1, 0, 3, 2, 5, 4, 7, 6]],
        Swizzle::B128 => &[
            STRAIGHT,
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [5, 4, 7, 6, 1, 0, 3, 2],
            [6, 7, 4, 5, 2, 3, 0, 1],
            [7, 6, 5, 4, 3, 2, 1, 0],
        ],
        Swizzle::B128Atom32 | Swizzle::B128Atom32Flip8 => &[
            STRAIGHT,
            [2, 3, 0, 1, 6, 7, 4, 5],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [6, 7, 4, 5, 2, 3, 0, 1],
        ],
        Swizzle::B128Atom64 => &[STRAIGHT, [4, 5, 6, 7, 0, 1, 2, 3]],
    }
}

#[test]
fn every_byte_lies_where_the_tables_say() {
    for mode in Swizzle::ALL {
        let table = table(mode);
        // Two repetitions of the longest pattern, at two places.
        for base in [0, 0x12_3400] {
            let mut seen = vec![false; 2048];
            for line in 0..16 {
                for (column, unit) in table[line % table.len()].iter().enumerate() {
                    for byte in 0..16 {
                        let logical = base + 128 * line as u64 + 16 * unit + byte;
                        let flipped = mode == Swizzle::B128Atom32Flip8 && line % 2 == 1;
                        let byte = if flipped { (byte + 8) % 16 } else { byte };
                        let physical = base + 128 * line as u64 + 16 * column as u64 + byte;
                        assert_eq!(
                            mode.apply(logical),
                            physical,
                            "{} {logical:#x}",
                            mode.name()
                        );
                        assert_eq!(
                            mode.apply(physical),
                            logical,
                            "{} is its own inverse",
                            mode.name()
                        );
                        seen[(physical - base) as usize] = true;
                    }
                }
            }
            assert!(
                seen.iter().all(|s| *s),
                "{} leaves no byte out",
                mode.name()
            );
        }
    }
}

/// The manual gives the base offset of a box that starts anywhere as (dst / 128) mod n: the absolute address does it.
#[test]
fn base_offsets() {
    for (mode, lines) in [
        (Swizzle::B128, 8),
        (Swizzle::B96, 2),
        (Swizzle::B64, 4),
        (Swizzle::B32, 2),
    ] {
        for dst in (0..4096).step_by(128) {
            let offset = (dst / 128) % lines;
            for byte in 0..1024 {
                // The same byte of a box at a multiple of the pattern, `offset` lines further.
                let there = mode.apply(offset * 128 + byte) - offset * 128;
                assert_eq!(
                    mode.apply(dst + byte).wrapping_sub(dst),
                    there,
                    "{}",
                    mode.name()
                );
            }
        }
    }
}

#[test]
fn pieces_are_whole_and_moved_as_one() {
    for mode in Swizzle::ALL {
        for (address, bytes) in [(0, 1024), (384, 640), (1040, 48), (8, 40), (5, 300)] {
            let mut next = 0;
            for (at, range) in mode.pieces(address, bytes) {
                assert_eq!(range.start, next, "in order, without gaps");
                next = range.end;
                for (i, byte) in range.enumerate() {
                    assert_eq!(mode.apply(address + byte as u64), at + i as u64);
                }
            }
            assert_eq!(next, bytes);
        }
    }
}

#[test]
fn names() {
    for mode in Swizzle::ALL {
        assert_eq!(Swizzle::from_name(mode.name()), Some(mode));
    }
    assert_eq!(Swizzle::from_name("256B"), None);
}
