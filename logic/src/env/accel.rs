//! Which functions on `Nat` may be computed directly on literals.
//!
//! Lean's kernel computes `Nat.add 2 3` because of the name `Nat.add`. Here a function is accelerated only once its
//! defining equations are known to hold, so that a literal computation never says more than the constant itself does:
//!
//! * functions by structural recursion (`add sub mul pow beq ble shiftLeft shiftRight`): when the definition is added, its
//!   equations must hold by definitional equality for variables `x`, `y`;
//! * the others (`div mod gcd log2 land lor xor`, which Lean defines by well-founded or fuelled recursion): when a theorem
//!   `Nat.f.computes` is added that states the equation below. It determines the function by induction.
//!
//! A function that does not qualify is an ordinary definition.

use std::rc::Rc;

use super::{ConstantInfo, Environment};
use crate::check::{Checker, NatOp, Res};
use crate::expr::{BinderInfo, Expr};
use crate::level::Level;
use crate::name::{Name, NameNode};
use crate::store::Store;

/// The name, below that of the function, of the theorem that accelerates it.
const THEOREM: &str = "computes";

/// Builds terms over `Nat`.
struct Terms<'b> {
    st: &'b Store<'b>,
    nat: Expr,
}

impl<'b> Terms<'b> {
    fn call(&self, f: &str, args: &[Expr]) -> Expr {
        let head = self.st.constant(self.st.name(&format!("Nat.{f}")), &[]);
        self.st.apps(head, args)
    }

    fn num(&self, n: u64) -> Expr {
        self.st.nat_u64(n)
    }

    fn succ(&self, x: Expr) -> Expr {
        self.call("succ", &[x])
    }

    fn bool_(&self, b: bool) -> Expr {
        self.st.const0(if b { "Bool.true" } else { "Bool.false" })
    }

    /// `if b then t else e`, by the recursor.
    fn cond(&self, b: Expr, t: Expr, e: Expr) -> Expr {
        let st = self.st;
        let one = st.level_succ(Level::ZERO);
        let bool_ = st.const0("Bool");
        let motive = st.lam(Name::ANON, bool_, self.nat, BinderInfo::Default);
        let rec = st.constant(st.name("Bool.rec"), &[one]);
        st.apps(rec, &[motive, e, t, b])
    }
}

impl<'b> Environment<'b> {
    /// The accelerated function of this name.
    pub(crate) fn nat_op(&self, n: Name) -> Option<NatOp> {
        self.primitives.ops.get(&n).copied()
    }

    fn op_named(&self, n: Name) -> Option<NatOp> {
        let last = self.st.name_last(n)?;
        let (op, _) = NatOp::ALL.iter().find(|(_, s)| *s == last)?;
        (self.st.name_prefix(n) == self.known.nat).then_some(*op)
    }

    /// Whether all these functions are accelerated.
    fn have(&self, ops: &[NatOp]) -> bool {
        ops.iter()
            .all(|op| self.primitives.ops.values().any(|o| o == op))
    }

    fn terms(&self) -> Terms<'b> {
        Terms {
            st: self.st,
            nat: self.st.constant(self.known.nat, &[]),
        }
    }

    /// After the definition of `name`: accelerates it if it is one of the structurally recursive functions.
    pub(super) fn accelerate_definition(&mut self, name: Name) {
        let (Some(op), true) = (self.op_named(name), self.primitives.nat) else {
            return;
        };
        let Some(info) = self.get(name) else { return };
        let (st, t) = (self.st, self.terms());
        let boolean = matches!(op, NatOp::Beq | NatOp::Ble);
        let result = if boolean { st.const0("Bool") } else { t.nat };
        let unary = |b| st.pi(Name::ANON, t.nat, b, BinderInfo::Default);
        let expected = unary(unary(result));
        if st.canon(info.ty()) != expected || !info.univ_params().is_empty() {
            return;
        }
        let needs_met = match op {
            NatOp::Add | NatOp::Sub => true,
            NatOp::Mul => self.have(&[NatOp::Add]),
            NatOp::Pow | NatOp::ShiftLeft => self.have(&[NatOp::Mul]),
            NatOp::ShiftRight => self.have(&[NatOp::Div]),
            NatOp::Beq | NatOp::Ble => self.primitives.bool_,
            _ => false,
        };
        if !needs_met {
            return;
        }
        let mut c = Checker::new_canonical(self, &[]);
        let holds = all_hold(&mut c, op, &t);
        let steps = c.steps();
        self.count_steps(steps);
        if holds == Ok(true) {
            self.accelerate(name, op);
        }
    }

    /// After the theorem `name`: accelerates `f` if this is `Nat.f.computes`, or that with a number behind it, and has the
    /// right statement.
    pub(super) fn accelerate_theorem(&mut self, name: Name) {
        let st = self.st;
        let plain = match st.name_node(name) {
            NameNode::Num(plain, _) => plain,
            _ => name,
        };
        let f = st.name_prefix(plain);
        let (Some(op), Some(THEOREM)) = (self.op_named(f), st.name_last(plain)) else {
            return;
        };
        let needs: &[NatOp] = match op {
            NatOp::Div | NatOp::Mod => &[NatOp::Sub, NatOp::Ble],
            NatOp::Gcd => &[NatOp::Mod, NatOp::Beq],
            NatOp::Log2 => &[NatOp::Div, NatOp::Ble],
            NatOp::Land => &[NatOp::Add, NatOp::Mul, NatOp::Div, NatOp::Mod, NatOp::Beq],
            NatOp::Lor => &[
                NatOp::Add,
                NatOp::Sub,
                NatOp::Mul,
                NatOp::Div,
                NatOp::Mod,
                NatOp::Beq,
            ],
            NatOp::Xor => &[NatOp::Add, NatOp::Mul, NatOp::Div, NatOp::Mod, NatOp::Beq],
            _ => return,
        };
        if !self.primitives.nat
            || !self.primitives.bool_
            || !self.eq_is_leans()
            || !self.have(needs)
        {
            return;
        }
        let Some(ConstantInfo::Theorem { sig, .. }) = self.get(name) else {
            return;
        };
        let (ty, univ_free) = (st.canon(sig.ty), sig.univ_params.is_empty());
        let t = self.terms();
        let mut c = Checker::new_canonical(self, &[]);
        let statement = statement(op, &t);
        let same = c.check(statement).and_then(|_| c.is_defeq(ty, statement));
        let steps = c.steps();
        self.count_steps(steps);
        if univ_free && same == Ok(true) {
            self.accelerate(f, op);
        }
    }

    /// Accelerates a function, and those defined from it that waited for it.
    fn accelerate(&mut self, name: Name, op: NatOp) {
        Rc::make_mut(&mut self.primitives.ops).insert(name, op);
        for (waiting, last) in NatOp::ALL {
            if !self.have(&[waiting]) {
                self.accelerate_definition(self.st.name_str(self.known.nat, last));
            }
        }
    }
}

/// Whether the equations hold for variables.
fn all_hold(c: &mut Checker<'_, '_>, op: NatOp, t: &Terms<'_>) -> Res<bool> {
    let (x, y) = (c.open(t.nat)?, c.open(t.nat)?);
    for (l, r) in equations(op, t, x, y) {
        c.check_type_of(l)?;
        c.check_type_of(r)?;
        if !c.defeq(l, r)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The equations that make a structurally recursive function what its name says.
fn equations(op: NatOp, t: &Terms<'_>, x: Expr, y: Expr) -> Vec<(Expr, Expr)> {
    let (zero, sx, sy) = (t.num(0), t.succ(x), t.succ(y));
    let (tt, ff) = (t.bool_(true), t.bool_(false));
    match op {
        NatOp::Add => {
            let f = |a, b| t.call("add", &[a, b]);
            vec![(f(x, zero), x), (f(x, sy), t.succ(f(x, y)))]
        }
        NatOp::Sub => {
            let f = |a, b| t.call("sub", &[a, b]);
            let pred = |a| t.call("pred", &[a]);
            vec![
                (pred(zero), zero),
                (pred(sx), x),
                (f(x, zero), x),
                (f(x, sy), pred(f(x, y))),
            ]
        }
        NatOp::Mul => {
            let f = |a, b| t.call("mul", &[a, b]);
            vec![(f(x, zero), zero), (f(x, sy), t.call("add", &[f(x, y), x]))]
        }
        NatOp::Pow => {
            let f = |a, b| t.call("pow", &[a, b]);
            vec![
                (f(x, zero), t.num(1)),
                (f(x, sy), t.call("mul", &[f(x, y), x])),
            ]
        }
        NatOp::ShiftLeft => {
            let f = |a, b| t.call("shiftLeft", &[a, b]);
            vec![
                (f(x, zero), x),
                (f(x, sy), f(t.call("mul", &[t.num(2), x]), y)),
            ]
        }
        NatOp::ShiftRight => {
            let f = |a, b| t.call("shiftRight", &[a, b]);
            vec![
                (f(x, zero), x),
                (f(x, sy), t.call("div", &[f(x, y), t.num(2)])),
            ]
        }
        NatOp::Beq | NatOp::Ble => {
            let name = if op == NatOp::Beq { "beq" } else { "ble" };
            let f = |a, b| t.call(name, &[a, b]);
            vec![
                (f(zero, zero), tt),
                (f(zero, sy), if op == NatOp::Ble { tt } else { ff }),
                (f(sx, zero), ff),
                (f(sx, sy), f(x, y)),
            ]
        }
        _ => vec![(tt, ff)],
    }
}

/// The statement of `Nat.f.computes`, `∀ x y, f x y = …` (`∀ x, …` for `log2`).
fn statement(op: NatOp, t: &Terms<'_>) -> Expr {
    let st = t.st;
    let two = t.num(2);
    let (x, y) = match op {
        NatOp::Log2 => (st.bvar(0), st.bvar(0)),
        _ => (st.bvar(1), st.bvar(0)),
    };
    let half = |a| t.call("div", &[a, two]);
    let bit = |a| t.call("mod", &[a, two]);
    let add = |a, b| t.call("add", &[a, b]);
    let mul = |a, b| t.call("mul", &[a, b]);
    let is_zero = |a| t.call("beq", &[a, t.num(0)]);
    let divides = |small: Expr, big: Expr| t.call("ble", &[small, big]);
    // 2 · f (x/2) (y/2) + b
    let double = |f: &str, b| add(mul(two, t.call(f, &[half(x), half(y)])), b);
    let (lhs, rhs) = match op {
        NatOp::Div => {
            let f = |a, b| t.call("div", &[a, b]);
            let step = t.succ(f(t.call("sub", &[x, y]), y));
            let inner = t.cond(divides(y, x), step, t.num(0));
            (f(x, y), t.cond(divides(t.num(1), y), inner, t.num(0)))
        }
        NatOp::Mod => {
            let f = |a, b| t.call("mod", &[a, b]);
            let inner = t.cond(divides(y, x), f(t.call("sub", &[x, y]), y), x);
            (f(x, y), t.cond(divides(t.num(1), y), inner, x))
        }
        NatOp::Gcd => {
            let f = |a, b| t.call("gcd", &[a, b]);
            let step = f(t.call("mod", &[y, x]), x);
            (f(x, y), t.cond(is_zero(x), y, step))
        }
        NatOp::Log2 => {
            let f = |a| t.call("log2", &[a]);
            let step = t.succ(f(half(x)));
            (f(x), t.cond(divides(two, x), step, t.num(0)))
        }
        NatOp::Land => {
            let step = double("land", mul(bit(x), bit(y)));
            (t.call("land", &[x, y]), t.cond(is_zero(x), t.num(0), step))
        }
        NatOp::Lor => {
            let both = mul(bit(x), bit(y));
            let step = double("lor", t.call("sub", &[add(bit(x), bit(y)), both]));
            (t.call("lor", &[x, y]), t.cond(is_zero(x), y, step))
        }
        _ => {
            let step = double("xor", bit(add(bit(x), bit(y))));
            (t.call("xor", &[x, y]), t.cond(is_zero(x), y, step))
        }
    };
    let one = st.level_succ(Level::ZERO);
    let eq = st.apps(st.constant(st.name("Eq"), &[one]), &[t.nat, lhs, rhs]);
    let all = |b| st.pi(Name::ANON, t.nat, b, BinderInfo::Default);
    match op {
        NatOp::Log2 => all(eq),
        _ => all(all(eq)),
    }
}
