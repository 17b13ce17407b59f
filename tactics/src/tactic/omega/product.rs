//! Products and powers of natural numbers: what is not linear is brought into an order, so that equal products become
//! equal unknowns.

use logic::Expr;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

use super::reify::{Linear, Reader};

/// No power with more bits than this is computed.
const MAX_POWER_BITS: u64 = 1 << 14;

impl Reader<'_, '_> {
    /// Powers: those of literals are computed, and positive.
    pub fn power(&mut self, e: Expr, a: Expr, b: Expr) -> Linear {
        let (ta, tb) = (self.term(a), self.term(b));
        if let (Some(m), Some(n)) = (ta.literal(), tb.literal())
            && let Some(n) = n.to_u32()
            && m.bits().saturating_mul(n.into()) <= MAX_POWER_BITS
        {
            return Linear::Lit(m.pow(n));
        }
        let t = self.atom(e);
        if let Some(m) = ta.literal()
            && !m.is_zero()
        {
            // b ^ (n + k) = b ^ n * b ^ k
            let one = self.el.mk_nat(1);
            let exponents = match self.head(b) {
                Some((n, args)) if n == "Nat.add" && args.len() == 2 => Some((args[0], args[1])),
                Some((n, args)) if n == "Nat.succ" && args.len() == 1 => Some((args[0], one)),
                _ => None,
            };
            if let Some((x, y)) = exponents {
                let other =
                    self.times(self.call("Nat.pow", &[a, x]), self.call("Nat.pow", &[a, y]));
                let proof = self.call("Nat.pow_add", &[a, x, y]);
                self.keep(e, &t);
                self.equation(&t, e, other, proof);
            }
            let proof = self.call("Omega.pow_pos", &[a, b, self.positive(m)]);
            self.fact(Linear::Lit(BigUint::one()), t.clone(), proof);
        }
        t
    }

    /// Products: by a literal they are linear; others are distributed over sums and brought into an order.
    pub fn product(&mut self, e: Expr, a: Expr, b: Expr) -> Linear {
        let (ta, tb) = (self.term(a), self.term(b));
        match (ta.literal(), tb.literal()) {
            (Some(m), Some(n)) => return Linear::Lit(m * n),
            (Some(k), None) => return Linear::Scale(k.clone(), Box::new(tb)),
            (None, Some(k)) => return Linear::Scaled(Box::new(ta), k.clone()),
            (None, None) => {}
        }
        let t = self.atom(e);
        self.keep(e, &t);
        if let Some((other, proof)) = self.distributed(a, b, &ta, &tb) {
            self.equation(&t, e, other, proof);
        }
        t
    }

    /// The product in a form nearer to a sum of ordered products, with a proof that it is equal.
    fn distributed(&mut self, a: Expr, b: Expr, ta: &Linear, tb: &Linear) -> Option<(Expr, Expr)> {
        let one = self.el.mk_nat(1);
        let sum = |h: Option<(String, Vec<Expr>)>| match h {
            Some((n, args)) if n == "Nat.add" && args.len() == 2 => Some((args[0], args[1])),
            Some((n, args)) if n == "Nat.succ" && args.len() == 1 => Some((args[0], one)),
            _ => None,
        };
        let factors = |h: Option<(String, Vec<Expr>)>| match h {
            Some((n, args)) if n == "Nat.mul" && args.len() == 2 => Some((args[0], args[1])),
            _ => None,
        };
        let (ha, hb) = (self.head(a), self.head(b));
        if let Some((x, y)) = sum(hb.clone()) {
            let other = self.plus(self.times(a, x), self.times(a, y));
            return Some((other, self.call("Nat.mul_add", &[a, x, y])));
        }
        if let Some((x, y)) = sum(ha.clone()) {
            let other = self.plus(self.times(x, b), self.times(y, b));
            return Some((other, self.call("Nat.add_mul", &[x, y, b])));
        }
        if let Some((x, y)) = factors(hb) {
            if self.term(x).literal().is_some() {
                let other = self.times(x, self.times(a, y));
                return Some((other, self.call("Nat.mul_left_comm", &[a, x, y])));
            }
            let other = self.times(self.times(a, x), y);
            return Some((other, self.call("Omega.mul_assoc_rev", &[a, x, y])));
        }
        if let Some((x, y)) = factors(ha) {
            if self.term(x).literal().is_some() {
                let other = self.times(x, self.times(y, b));
                return Some((other, self.call("Nat.mul_assoc", &[x, y, b])));
            }
            let ty = self.term(y);
            if ty.literal().is_some() || after(&ty, tb) {
                let other = self.times(self.times(x, b), y);
                return Some((other, self.call("Nat.mul_right_comm", &[x, y, b])));
            }
            return None;
        }
        if after(ta, tb) {
            return Some((self.times(b, a), self.call("Nat.mul_comm", &[a, b])));
        }
        None
    }
}

/// Are both atoms, the first with the larger number?
fn after(a: &Linear, b: &Linear) -> bool {
    matches!((a, b), (Linear::Atom(x), Linear::Atom(y)) if x > y)
}
