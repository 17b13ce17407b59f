//! Random words, and runs that remember what they asked of float operations.

use ptx::alg::bits::{Bits, BitsAlg, Floats};
use ptx::alg::ieee::Ieee;
use ptx::alg::{DotKind, FloatOp};
use ptx::isa::{Form, Ty};

/// A fixed sequence of words, many of them near an edge.
pub struct Words(u64);

impl Words {
    pub fn new(seed: u64) -> Self {
        Words(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Words for the sources of a form.
    pub fn sources(&mut self, form: &Form) -> Vec<Bits> {
        let mut all: Vec<Bits> = Vec::new();
        for ty in form.sources() {
            let same = all.iter().rev().find(|a| a.width() == ty.bits).copied();
            let word = match (same, self.next() % 8) {
                (Some(a), 0) => a,
                _ => self.word(*ty),
            };
            all.push(word);
        }
        all
    }

    fn word(&mut self, ty: Ty) -> Bits {
        let w = ty.bits;
        let (x, y) = (self.next(), self.next());
        let at = (x >> 8) as u32 % w;
        let value: u128 = match x % 8 {
            // Small numbers and amounts about the widths.
            0 => u128::from(y % 80),
            1 => u128::from(y % 4).wrapping_neg(),
            // One bit, and its neighbours.
            2 => (1 << at) + u128::from(y % 3) - 1,
            3 => u128::MAX << at,
            // Floats: zeros, infinities, NaNs, subnormal numbers, ones and the like, of the width.
            4 => {
                let (exponent, fraction) = match w {
                    16 => (5, 10),
                    64 => (11, 52),
                    _ => (8, 23),
                };
                let field = |bits: u32| (1u128 << bits) - 1;
                let e = [
                    0,
                    1,
                    field(exponent) / 2,
                    field(exponent) - 1,
                    field(exponent),
                ][(x >> 16) as usize % 5];
                let f = [0, 1, field(fraction), 1 << (fraction - 1)][(x >> 24) as usize % 4];
                u128::from(y & 1) << (exponent + fraction) | e << fraction | f
            }
            _ => u128::from(y) << 64 | u128::from(self.next()),
        };
        Bits::new(w, value)
    }
}

/// The float operations of this machine, with what was asked of them.
#[derive(Default)]
pub struct Recorder {
    /// Operation, operands, result; each question once.
    pub calls: Vec<(FloatOp, Vec<u64>, u64)>,
}

impl Recorder {
    /// Runs a form on words.
    pub fn run(&mut self, form: &Form, args: Vec<Bits>) -> (Vec<Bits>, Bits) {
        let result = form.apply(&mut BitsAlg(self), &args);
        let result = result.unwrap_or_else(|e| panic!("{e}"));
        (args, result)
    }
}

impl Floats for &mut Recorder {
    fn float(&mut self, op: FloatOp, args: [u64; 3]) -> u64 {
        let result = Ieee.float(op, args);
        let call = (op, args[..op.operands().len()].to_vec(), result);
        if !self.calls.contains(&call) {
            self.calls.push(call);
        }
        result
    }

    fn dot(&mut self, _: DotKind, _: &[(u64, u64)], _: u64) -> u64 {
        panic!("no form of the table is a dot product")
    }
}
