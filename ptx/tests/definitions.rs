//! Instructions on bits and fields against the manual's definitions, bit by bit, on many words.

use ptx::alg::bits::{Bits, BitsAlg, Ieee};
use ptx::isa::{Form, forms_of};

/// An opcode, found once.
struct Op(Form);

impl Op {
    fn new(opcode: &str) -> Op {
        let form = forms_of(opcode).into_iter().find(|f| f.variant().is_none());
        Op(form.unwrap_or_else(|| panic!("no {opcode}")))
    }

    fn run(&self, args: &[u64]) -> u64 {
        let word = |(t, v): (&ptx::isa::Ty, &u64)| Bits::new(t.bits, u128::from(*v));
        let args: Vec<Bits> = self.0.sources().iter().zip(args).map(word).collect();
        let result = self.0.apply(&mut BitsAlg(Ieee), &args);
        result.unwrap_or_else(|e| panic!("{e}")).value() as u64
    }
}

/// A fixed sequence of words, many of them near an edge.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        match self.0 % 4 {
            0 => [
                0,
                1,
                31,
                32,
                33,
                63,
                64,
                255,
                0x7FFF_FFFF,
                0x8000_0000,
                u64::MAX,
                1 << 63,
            ][(self.0 >> 8) as usize % 12],
            1 => u64::MAX << ((self.0 >> 8) % 64),
            _ => self.0,
        }
    }

    fn amount(&mut self) -> u64 {
        let t = self.next();
        if t.is_multiple_of(3) {
            t & 0xFFFF_FFFF
        } else {
            t % 80
        }
    }
}

const ROUNDS: usize = 3000;

fn bit(a: u64, i: u64) -> u64 {
    a >> i & 1
}

/// §9.7.1.20, §9.7.1.21
#[test]
fn fields() {
    let mut words = Words(0x9E37_79B9_7F4A_7C15);
    for (ty, msb) in [("u32", 31u64), ("s32", 31), ("u64", 63), ("s64", 63)] {
        let bfe = Op::new(&format!("bfe.{ty}"));
        let bfi = Op::new(&format!("bfi.b{}", msb + 1));
        for _ in 0..ROUNDS {
            let mask = u64::MAX >> (63 - msb);
            let (a, b) = (words.next() & mask, words.next() & mask);
            let (c, d) = (words.amount(), words.amount());
            let (pos, len) = (c & 0xFF, d & 0xFF);
            let sign = match ty.starts_with('u') || len == 0 {
                true => 0,
                false => bit(a, (pos + len - 1).min(msb)),
            };
            let extracted = (0..=msb).fold(0, |r, i| {
                let inside = i < len && pos + i <= msb;
                r | if inside { bit(a, pos + i) } else { sign } << i
            });
            assert_eq!(bfe.run(&[a, c, d]), extracted, "bfe.{ty} {a:x} {c} {d}");
            let inserted = (0..=msb).fold(0, |r, i| {
                let inside = i >= pos && i - pos < len;
                r | if inside { bit(a, i - pos) } else { bit(b, i) } << i
            });
            assert_eq!(bfi.run(&[a, b, c, d]), inserted, "bfi {a:x} {b:x} {c} {d}");
        }
    }
}

/// §9.7.1.15–19
#[test]
fn counting_and_finding() {
    let mut words = Words(0xD1B5_4A32_D192_ED03);
    for (ty, msb) in [("u32", 31u64), ("s32", 31), ("u64", 63), ("s64", 63)] {
        let (find, shift) = (
            Op::new(&format!("bfind.{ty}")),
            Op::new(&format!("bfind.shiftamt.{ty}")),
        );
        let bits = |op: &str| Op::new(&format!("{op}.b{}", msb + 1));
        let (popc, clz, brev) = (bits("popc"), bits("clz"), bits("brev"));
        for _ in 0..ROUNDS {
            let mask = u64::MAX >> (63 - msb);
            let a = words.next() & mask;
            let flipped = ty.starts_with('s') && bit(a, msb) == 1;
            let b = if flipped { !a & mask } else { a };
            let found = (0..=msb).rev().find(|i| bit(b, *i) == 1);
            let none = u64::from(u32::MAX);
            assert_eq!(find.run(&[a]), found.unwrap_or(none), "bfind.{ty} {a:x}");
            let amount = found.map_or(none, |i| msb - i);
            assert_eq!(shift.run(&[a]), amount, "bfind.shiftamt.{ty} {a:x}");
            let count = (0..=msb).map(|i| bit(a, i)).sum::<u64>();
            assert_eq!(popc.run(&[a]), count, "popc {a:x}");
            let zeros = (0..=msb).rev().take_while(|i| bit(a, *i) == 0).count();
            assert_eq!(clz.run(&[a]), zeros as u64, "clz {a:x}");
            let reversed = (0..=msb).fold(0, |r, i| r | bit(a, i) << (msb - i));
            assert_eq!(brev.run(&[a]), reversed, "brev {a:x}");
        }
    }
    let fns = Op::new("fns.b32");
    for _ in 0..4 * ROUNDS {
        let (mask, base) = (words.next() & 0xFFFF_FFFF, words.next() % 32);
        let offset = match words.next() % 5 {
            0 => words.next() as i32,
            _ => (words.next() % 70) as i32 - 35,
        };
        let mut found = u64::from(u32::MAX);
        if offset == 0 {
            if bit(mask, base) == 1 {
                found = base;
            }
        } else {
            let (mut at, mut count) = (base as i64, i64::from(offset).abs() - 1);
            while (0..32).contains(&at) {
                if bit(mask, at as u64) == 1 {
                    if count == 0 {
                        found = at as u64;
                        break;
                    }
                    count -= 1;
                }
                at += i64::from(offset.signum());
            }
        }
        let args = [mask, base, u64::from(offset as u32)];
        assert_eq!(fns.run(&args), found, "fns {mask:x} {base} {offset}");
    }
}

/// §9.7.1.22, §9.7.1.23
#[test]
fn masks_and_extensions() {
    let mut words = Words(0x2545_F491_4F6C_DD1D);
    for mode in ["clamp", "wrap"] {
        let bmsk = Op::new(&format!("bmsk.{mode}.b32"));
        for ty in ["u32", "s32"] {
            let szext = Op::new(&format!("szext.{mode}.{ty}"));
            for _ in 0..ROUNDS {
                let (a, b) = (words.next() as u32, words.amount() as u32);
                let b1 = b & 31;
                let too_large = b >= 32 && mode == "clamp";
                let mask = if too_large { 0 } else { u32::MAX << b1 };
                let plain = b1 == 0 || too_large || ty != "s32";
                let sign = !plain && a >> (b1.wrapping_sub(1) & 31) & 1 == 1;
                let d = (a & !mask) | if sign { mask } else { 0 };
                let got = szext.run(&[u64::from(a), u64::from(b)]);
                assert_eq!(got, u64::from(d), "szext.{mode}.{ty} {a:x} {b}");
            }
        }
        for _ in 0..ROUNDS {
            let (a, b) = (words.amount() as u32, words.amount() as u32);
            let (a1, b1) = (a & 31, b & 31);
            let clamp = mode == "clamp";
            let mask0 = if clamp && a >= 32 { 0 } else { u32::MAX << a1 };
            let overflow = a1 + b1 >= 32 || (clamp && (a >= 32 || b >= 32));
            let mask1 = match (overflow, b1) {
                (true, _) => 0,
                (_, 0) => u32::MAX,
                _ => u32::MAX << (a1 + b1),
            };
            let got = bmsk.run(&[u64::from(a), u64::from(b)]);
            assert_eq!(got, u64::from(mask0 & !mask1), "bmsk.{mode} {a} {b}");
        }
    }
}

/// §9.7.9.6: all 256 tables, at every combination of three bits and on words.
#[test]
fn lop3_tables() {
    let lop3 = Op::new("lop3.b32");
    let mut words = Words(0x1234_5678_9ABC_DEF1);
    for lut in 0..256u64 {
        assert_eq!(
            lop3.run(&[0xF0, 0xCC, 0xAA, lut]),
            lut | if lut & 1 == 1 { 0xFFFF_FF00 } else { 0 }
        );
        for _ in 0..20 {
            let [a, b, c] = [words.next(), words.next(), words.next()].map(|x| x & 0xFFFF_FFFF);
            let d = (0..32).fold(0, |r, i| {
                let row = bit(a, i) << 2 | bit(b, i) << 1 | bit(c, i);
                r | bit(lut, row) << i
            });
            assert_eq!(
                lop3.run(&[a, b, c, lut]),
                d,
                "lop3 {a:x} {b:x} {c:x} {lut:x}"
            );
        }
    }
}

/// §9.7.9.7, §9.7.10.7
#[test]
fn funnels_and_permutations() {
    let mut words = Words(0xA076_1D64_78BD_642F);
    for (left, mode) in [
        (true, "clamp"),
        (true, "wrap"),
        (false, "clamp"),
        (false, "wrap"),
    ] {
        let op = Op::new(&format!("shf.{}.{mode}.b32", if left { "l" } else { "r" }));
        for _ in 0..ROUNDS {
            let (a, b, c) = (
                words.next() as u32,
                words.next() as u32,
                words.amount() as u32,
            );
            let n = if mode == "clamp" { c.min(32) } else { c & 31 };
            let (a, b) = (u64::from(a), u64::from(b));
            let d = if left {
                b << n | a >> (32 - n)
            } else {
                b << (32 - n) | a >> n
            };
            let got = op.run(&[a, b, u64::from(c)]);
            assert_eq!(got, d & 0xFFFF_FFFF, "shf {left} {mode} {a:x} {b:x} {c}");
        }
    }
    let prmt = Op::new("prmt.b32");
    for _ in 0..4 * ROUNDS {
        let [a, b, c] = [words.next(), words.next(), words.next()].map(|x| x & 0xFFFF_FFFF);
        let both = (b << 32 | a).to_le_bytes();
        let d = [0, 1, 2, 3].map(|i| {
            let control = c >> (4 * i) & 15;
            let byte = both[control as usize & 7];
            match control & 8 {
                0 => byte,
                _ if byte & 0x80 == 0 => 0,
                _ => 0xFF,
            }
        });
        let d = u64::from(u32::from_le_bytes(d));
        assert_eq!(prmt.run(&[a, b, c]), d, "prmt {a:x} {b:x} {c:x}");
    }
}
