//! `Nat` literals and accelerated arithmetic.
//!
//! A literal `n` is notation for `succ (… zero)`. A function in the table below computes on literals directly, but only
//! once the environment has established that the constant of that name is that function (`env::accel`); Lean's kernel goes
//! by the name alone.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

use super::{Checker, Res};
use crate::env::KernelError;
use crate::expr::{Expr, Node};
use crate::name::Name;

/// A function on numbers that the checker computes directly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum NatOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Gcd,
    Beq,
    Ble,
    Land,
    Lor,
    Xor,
    ShiftLeft,
    ShiftRight,
    Pow,
    Log2,
}

impl NatOp {
    /// All of them, with the last component of their names.
    pub(crate) const ALL: [(NatOp, &'static str); 15] = [
        (NatOp::Add, "add"),
        (NatOp::Sub, "sub"),
        (NatOp::Mul, "mul"),
        (NatOp::Div, "div"),
        (NatOp::Mod, "mod"),
        (NatOp::Gcd, "gcd"),
        (NatOp::Beq, "beq"),
        (NatOp::Ble, "ble"),
        (NatOp::Land, "land"),
        (NatOp::Lor, "lor"),
        (NatOp::Xor, "xor"),
        (NatOp::ShiftLeft, "shiftLeft"),
        (NatOp::ShiftRight, "shiftRight"),
        (NatOp::Pow, "pow"),
        (NatOp::Log2, "log2"),
    ];
}

/// The result of an accelerated function.
enum Value {
    Nat(BigUint),
    Bool(bool),
}

impl<'e, 'b> Checker<'e, 'b> {
    /// `Nat`, if it exists and is Lean's.
    pub(super) fn nat_literal_type(&self) -> Res<Expr> {
        match self.env.nat_is_leans() {
            true => Ok(self.st.constant(self.env.known().nat, &[])),
            false => Err(KernelError::NatLiteral),
        }
    }

    /// `0 ⟶ Nat.zero`, `n+1 ⟶ Nat.succ n`.
    pub(super) fn nat_to_constructor(&self, n: &BigUint) -> Expr {
        let (st, k) = (self.st, self.env.known());
        match n.is_zero() {
            true => st.constant(k.nat_zero, &[]),
            false => st.app(st.constant(k.nat_succ, &[]), st.nat(&(n - 1u32))),
        }
    }

    /// The number that a term in weak head normal form is, if it is a literal or `Nat.zero`.
    fn nat_value(&self, e: Expr) -> Option<&'b BigUint> {
        match self.st.node(e) {
            Node::Nat(n) => Some(n),
            Node::Const(z, _) if z == self.env.known().nat_zero && self.env.nat_is_leans() => {
                match self.st.node(self.st.nat_u64(0)) {
                    Node::Nat(n) => Some(n),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn nat_operand(&mut self, e: Expr) -> Res<Option<&'b BigUint>> {
        let e = self.reduce_full(e)?;
        Ok(self.nat_value(e))
    }

    /// Computes an accelerated function, or `Nat.succ`, on the argument stack `args` (first argument last). `None` if the head
    /// is no such function, or an argument contains free variables or is no number. Variables exclude acceleration even
    /// where the argument would reduce to a number: so does Lean's kernel, and what it would have to compute in unary should
    /// be slow here too, and not only when the proof is exported.
    pub(super) fn reduce_nat(&mut self, head: Name, args: &mut Vec<Expr>) -> Res<Option<Expr>> {
        let st = self.st;
        if head == self.env.known().nat_succ {
            let [a] = args[..] else { return Ok(None) };
            if st.has_fvar(a) || !self.env.nat_is_leans() {
                return Ok(None);
            }
            let (k, base) = self.offset(a).unwrap_or((BigUint::zero(), a));
            let Some(n) = self.nat_operand(base)? else {
                return Ok(None);
            };
            args.clear();
            return Ok(Some(st.nat(&(n + k + 1u32))));
        }
        let Some(op) = self.env.nat_op(head) else {
            return Ok(None);
        };
        if args.iter().any(|a| st.has_fvar(*a)) {
            return Ok(None);
        }
        let value = match (op, &args[..]) {
            (NatOp::Log2, [a]) => match self.nat_operand(*a)? {
                Some(a) => Value::Nat(BigUint::from(a.bits().saturating_sub(1))),
                None => return Ok(None),
            },
            (NatOp::Log2, _) => return Ok(None),
            (_, [b, a]) => {
                let Some(y) = self.nat_operand(*b)? else {
                    return Ok(None);
                };
                let Some(x) = self.nat_operand(*a)? else {
                    return Ok(None);
                };
                self.compute(op, x, y)?
            }
            _ => return Ok(None),
        };
        args.clear();
        let k = self.env.known();
        Ok(Some(match value {
            Value::Nat(n) => st.nat(&n),
            Value::Bool(true) => st.constant(k.bool_true, &[]),
            Value::Bool(false) => st.constant(k.bool_false, &[]),
        }))
    }

    /// As `reduce_nat`, on a whole term.
    pub(super) fn reduce_nat_term(&mut self, e: Expr) -> Res<Option<Expr>> {
        let st = self.st;
        let Node::App(f, b) = st.node(e) else {
            return Ok(None);
        };
        let (n, mut args) = match st.node(f) {
            Node::Const(n, _) => (n, vec![b]),
            Node::App(g, a) => match st.node(g) {
                Node::Const(n, _) => (n, vec![b, a]),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let head = self.reduce_nat(n, &mut args)?;
        Ok(head.map(|h| args.iter().rev().fold(h, |f, a| st.app(f, *a))))
    }

    /// The functions themselves. Sizes are checked, and work beyond a few words is counted, before anything is computed.
    fn compute(&mut self, op: NatOp, x: &BigUint, y: &BigUint) -> Res<Value> {
        let limit = self.env.limits().max_nat_bits;
        let fits = |bits: Option<u64>| match bits {
            Some(b) if b <= limit => Ok(()),
            _ => Err(KernelError::NatTooBig),
        };
        let (bx, by) = (x.bits(), y.bits());
        let product = (bx / 64).saturating_mul(by / 64);
        Ok(Value::Nat(match op {
            NatOp::Beq => return Ok(Value::Bool(x == y)),
            NatOp::Ble => return Ok(Value::Bool(x <= y)),
            NatOp::Add => {
                fits(Some(bx.max(by)))?;
                x + y
            }
            NatOp::Sub if x <= y => BigUint::zero(),
            NatOp::Sub => x - y,
            NatOp::Mul => {
                fits(bx.checked_add(by))?;
                self.tick(product / 64)?;
                x * y
            }
            NatOp::Div if y.is_zero() => BigUint::zero(),
            NatOp::Mod if y.is_zero() => x.clone(),
            NatOp::Div => {
                self.tick(product / 16)?;
                x / y
            }
            NatOp::Mod => {
                self.tick(product / 16)?;
                x % y
            }
            NatOp::Gcd => {
                self.tick(product.saturating_mul(4))?;
                x.gcd(y)
            }
            NatOp::Land => x & y,
            NatOp::Lor => x | y,
            NatOp::Xor => x ^ y,
            NatOp::ShiftLeft if x.is_zero() => BigUint::zero(),
            NatOp::ShiftLeft => {
                let by = y.to_u64();
                fits(by.and_then(|n| n.checked_add(bx)))?;
                x << by.unwrap_or(0)
            }
            NatOp::ShiftRight => match y.to_u64() {
                Some(n) if n < bx => x >> n,
                _ => BigUint::zero(),
            },
            NatOp::Pow if y.is_zero() => BigUint::one(),
            NatOp::Pow if bx <= 1 => x.clone(),
            NatOp::Pow => {
                let n = y.to_u32();
                let bits = n.and_then(|n| bx.checked_mul(u64::from(n)));
                fits(bits)?;
                let words = bits.unwrap_or(0) / 64;
                self.tick(words.saturating_mul(words) / 64)?;
                x.pow(n.unwrap_or(0))
            }
            NatOp::Log2 => return Err(KernelError::NatLiteral),
        }))
    }

    /// `succᵏ a` against `succˡ b` (a literal `n` counts as `succⁿ 0`): both less the smaller number of successors. `None` if
    /// that changes nothing.
    pub(super) fn strip_succ(&mut self, t: Expr, s: Expr) -> Option<(Expr, Expr)> {
        if !self.env.nat_is_leans() {
            return None;
        }
        let (k, a) = self.offset(t)?;
        let (l, b) = self.offset(s)?;
        let m = (&k).min(&l).clone();
        let both_zero = k.is_zero() && l.is_zero() && self.is_zero(a) && self.is_zero(b);
        if m.is_zero() && !both_zero {
            return None;
        }
        Some((self.with_offset(k - &m, a), self.with_offset(l - &m, b)))
    }

    fn is_zero(&self, e: Expr) -> bool {
        self.nat_value(e).is_some_and(Zero::is_zero)
    }

    /// A term as a number of successors of another; `None` if it is neither a number nor a successor.
    fn offset(&self, e: Expr) -> Option<(BigUint, Expr)> {
        let st = self.st;
        let succ = st.constant(self.env.known().nat_succ, &[]);
        let (mut k, mut cur) = (0u64, e);
        while let Node::App(f, a) = st.node(cur)
            && f == succ
        {
            k += 1;
            cur = a;
        }
        match self.nat_value(cur) {
            Some(n) => Some((n + k, st.nat_u64(0))),
            None if k > 0 => Some((BigUint::from(k), cur)),
            None => None,
        }
    }

    fn with_offset(&self, k: BigUint, base: Expr) -> Expr {
        let st = self.st;
        if self.is_zero(base) {
            return st.nat(&k);
        }
        let succ = st.constant(self.env.known().nat_succ, &[]);
        // `k` counts successors that were there before.
        (0..k.to_u64().unwrap_or(0)).fold(base, |e, _| st.app(succ, e))
    }
}
