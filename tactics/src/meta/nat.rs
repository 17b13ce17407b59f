//! Arithmetic on `Nat` literals during elaboration: the same operations that the kernel accelerates.

use logic::{Expr, Name, Node, Store};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

use super::Elab;

/// An accelerated operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum NatOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Gcd,
    Pow,
    Log2,
    Beq,
    Ble,
    Land,
    Lor,
    Xor,
    Shl,
    Shr,
}

pub(crate) fn table(st: &Store<'_>) -> FxHashMap<Name, NatOp> {
    [
        ("add", NatOp::Add),
        ("sub", NatOp::Sub),
        ("mul", NatOp::Mul),
        ("div", NatOp::Div),
        ("mod", NatOp::Mod),
        ("gcd", NatOp::Gcd),
        ("pow", NatOp::Pow),
        ("log2", NatOp::Log2),
        ("beq", NatOp::Beq),
        ("ble", NatOp::Ble),
        ("land", NatOp::Land),
        ("lor", NatOp::Lor),
        ("xor", NatOp::Xor),
        ("shiftLeft", NatOp::Shl),
        ("shiftRight", NatOp::Shr),
    ]
    .into_iter()
    .map(|(s, op)| (st.name(&format!("Nat.{s}")), op))
    .collect()
}

/// No power or shift produces more bits than this.
const MAX_BITS: u64 = 1 << 20;

/// No product produces more bits than this, the kernel's own limit.
const MAX_PRODUCT_BITS: u64 = 1 << 24;

/// Operands of this many bits make an operation as dear as one step of work. Every result is kept for good.
const BITS_A_STEP: u64 = 512;

impl<'b> Elab<'b> {
    /// The value of a literal, `Nat.zero`, or `Nat.succ` of one (no reduction).
    pub fn nat_lit(&self, e: Expr) -> Option<BigUint> {
        let mut cur = e;
        let mut k = 0u32;
        loop {
            match self.st.node(cur) {
                Node::Nat(n) => return Some(n + k),
                Node::Const(c, _) if c == self.known.nat_zero => return Some(BigUint::from(k)),
                Node::App(f, a) if self.st.node(f) == Node::Const(self.known.nat_succ, &[]) => {
                    k += 1;
                    cur = a;
                }
                _ => return None,
            }
        }
    }

    /// Evaluates an accelerated operation on closed arguments.
    pub fn reduce_nat(&mut self, e: Expr) -> Option<Expr> {
        let st = self.st;
        if st.has_fvar(e) {
            return None;
        }
        // Only operations are worth instantiating.
        let Node::Const(head, _) = st.node(st.app_fn(e)) else {
            return None;
        };
        if head != self.known.nat_succ && !self.nat_ops.contains_key(&head) {
            return None;
        }
        let e = self.instantiate_mvars(e);
        if st.has_mvar(e) || st.has_fvar(e) {
            return None;
        }
        let Node::App(f, b) = st.node(e) else {
            return None;
        };
        match st.node(f) {
            Node::Const(c, _) if c == self.known.nat_succ => {
                let n = self.nat_arg(b)?;
                Some(st.nat(&(n + 1u32)))
            }
            Node::Const(c, _) if self.nat_ops.get(&c) == Some(&NatOp::Log2) => {
                let n = self.nat_arg(b)?;
                Some(st.nat_u64(n.bits().saturating_sub(1)))
            }
            Node::App(g, a) => {
                let Node::Const(c, _) = st.node(g) else {
                    return None;
                };
                let op = *self.nat_ops.get(&c)?;
                let x = self.nat_arg(a)?;
                let y = self.nat_arg(b)?;
                let size = x.bits().saturating_add(y.bits());
                self.steps = self.steps.saturating_add(size / BITS_A_STEP);
                if self.exhausted() {
                    return None;
                }
                self.nat_op(op, &x, &y)
            }
            _ => None,
        }
    }

    /// Whether unfolding `n args` would count down a large literal one by one: an accelerated operation with one next to an
    /// open term. Such a term is stuck.
    pub(crate) fn is_unary_trap(&mut self, n: Name, args: &[Expr]) -> bool {
        if !self.nat_ops.contains_key(&n) {
            return false;
        }
        let st = self.st;
        let small = BigUint::from(64u32);
        args.iter().take(2).any(|a| {
            let v = match st.node(*a) {
                Node::Nat(v) => Some(v.clone()),
                _ if st.has_fvar(*a) || st.has_mvar(*a) => None,
                _ => self.nat_arg(*a),
            };
            v.is_some_and(|v| v > small)
        })
    }

    fn nat_arg(&mut self, e: Expr) -> Option<BigUint> {
        if let Some(n) = self.nat_lit(e) {
            return Some(n);
        }
        let w = self.whnf(e);
        match self.nat_lit(w) {
            Some(n) => Some(n),
            None => match self.st.node(w) {
                Node::App(f, a) if self.st.node(f) == Node::Const(self.known.nat_succ, &[]) => {
                    logic::subst::with_stack(|| self.nat_arg(a)).map(|n| n + 1u32)
                }
                _ => None,
            },
        }
    }

    fn nat_op(&self, op: NatOp, x: &BigUint, y: &BigUint) -> Option<Expr> {
        let st = self.st;
        let boolean = |b: bool| {
            let n = if b {
                self.known.bool_true
            } else {
                self.known.bool_false
            };
            Some(st.constant(n, &[]))
        };
        let r = match op {
            NatOp::Add => x + y,
            NatOp::Sub => {
                if x > y {
                    x - y
                } else {
                    BigUint::zero()
                }
            }
            NatOp::Mul => {
                if x.bits().saturating_add(y.bits()) > MAX_PRODUCT_BITS {
                    return None;
                }
                x * y
            }
            NatOp::Div => {
                if y.is_zero() {
                    BigUint::zero()
                } else {
                    x / y
                }
            }
            NatOp::Mod => {
                if y.is_zero() {
                    x.clone()
                } else {
                    x % y
                }
            }
            NatOp::Gcd => x.gcd(y),
            NatOp::Pow => {
                let k = y.to_u32()?;
                if !x.is_zero() && !x.is_one() && x.bits().saturating_mul(u64::from(k)) > MAX_BITS {
                    return None;
                }
                x.pow(k)
            }
            NatOp::Log2 => return None,
            NatOp::Beq => return boolean(x == y),
            NatOp::Ble => return boolean(x <= y),
            NatOp::Land => x & y,
            NatOp::Lor => x | y,
            NatOp::Xor => x ^ y,
            NatOp::Shl => {
                let k = y.to_u64()?;
                if x.bits().saturating_add(k) > MAX_BITS {
                    return None;
                }
                x << k
            }
            NatOp::Shr => match y.to_u64() {
                Some(k) => x >> k,
                None => BigUint::zero(),
            },
        };
        Some(st.nat(&r))
    }

    /// `(b, k)` with `e = b + k` by looking through `Nat.succ` and `Nat.add _ literal`; `b` is `None` for a literal.
    pub fn nat_offset(&self, e: Expr) -> (Option<Expr>, BigUint) {
        let st = self.st;
        let mut cur = e;
        let mut k = BigUint::zero();
        loop {
            match st.node(cur) {
                Node::Nat(n) => return (None, k + n),
                Node::Const(c, _) if c == self.known.nat_zero => return (None, k),
                Node::App(f, a) => match st.node(f) {
                    Node::Const(c, _) if c == self.known.nat_succ => {
                        k += 1u32;
                        cur = a;
                    }
                    Node::App(g, x) => match (st.node(g), st.node(a)) {
                        (Node::Const(c, _), Node::Nat(n)) if c == self.known.nat_add => {
                            k += n;
                            cur = x;
                        }
                        _ => return (Some(cur), k),
                    },
                    _ => return (Some(cur), k),
                },
                _ => return (Some(cur), k),
            }
        }
    }

    /// `b + k` in the form `Nat.add b k`, or the literal.
    pub fn mk_nat_offset(&self, b: Option<Expr>, k: &BigUint) -> Expr {
        let st = self.st;
        match b {
            None => st.nat(k),
            Some(b) if k.is_zero() => b,
            Some(b) => st.apps(st.constant(self.known.nat_add, &[]), &[b, st.nat(k)]),
        }
    }
}
