//! `ring`: equations that hold in every commutative semiring, or ring.
//!
//! Both sides are multiplied out, products and sums are sorted, and in a ring a summand and its negation cancel; equal
//! sides close the goal. On `Nat` and `Int` what is left is linear in its products, so `omega` collects equal ones.

use logic::{Expr, Name};

use crate::meta::{Elab, ElabError, MVarId, Result};

use super::simp::engine::Simp;
use super::simp::result::{Simplified, trans};
use super::simp::rules::RuleSet;
use super::util::{goal_in, on_goal, tag};

const NAT: &[&str] = &[
    "Nat.mul_add",
    "Nat.add_mul",
    "Nat.mul_assoc",
    "Nat.mul_comm",
    "Nat.mul_left_comm",
    "Nat.pow_succ",
    "Nat.pow_zero",
    "Nat.mul_one",
    "Nat.one_mul",
    "Nat.mul_zero",
    "Nat.zero_mul",
    "Nat.add_zero",
    "Nat.zero_add",
];

const INT: &[&str] = &[
    "Int.sub_eq_add_neg",
    "Int.mul_add",
    "Int.add_mul",
    "Int.neg_mul",
    "Int.mul_neg",
    "Int.neg_neg",
    "Int.neg_add",
    "Int.mul_assoc",
    "Int.mul_comm",
    "Int.mul_left_comm",
    "Int.pow_succ",
    "Int.pow_zero",
    "Int.mul_one",
    "Int.one_mul",
    "Int.mul_zero",
    "Int.zero_mul",
    "Int.add_zero",
    "Int.zero_add",
];

const SEMIRING: &[&str] = &[
    "CommSemiring.mul_add",
    "CommSemiring.add_mul",
    "CommSemiring.add_assoc",
    "CommSemiring.add_comm",
    "CommSemiring.add_left_comm",
    "CommSemiring.mul_assoc",
    "CommSemiring.mul_comm",
    "CommSemiring.mul_left_comm",
    "CommSemiring.zero_add",
    "CommSemiring.add_zero",
    "CommSemiring.one_mul",
    "CommSemiring.mul_one",
    "CommSemiring.zero_mul",
    "CommSemiring.mul_zero",
    "CommSemiring.pow_succ",
    "CommSemiring.pow_zero",
];

const RING: &[&str] = &[
    "CommRing.sub_eq_add_neg",
    "CommRing.neg_add",
    "CommRing.neg_mul",
    "CommRing.mul_neg",
    "CommRing.neg_neg",
    "CommRing.neg_zero",
    "CommRing.neg_add_cancel",
    "CommRing.add_neg_cancel",
    "CommRing.neg_add_cancel_left",
    "CommRing.add_neg_cancel_left",
];

/// `ring`.
pub(crate) fn ring<'b>(el: &mut Elab<'b>, m: MVarId) -> Result<Vec<MVarId>> {
    let st = el.st;
    let target = el.mvar_type(m);
    let Some((ty, a, b)) = el.match_eq(target) else {
        let err = ElabError::msg("`ring` proves equations; this goal is none");
        return Err(on_goal(el, err, m));
    };
    let (nat, int) = (ty == st.const0("Nat"), ty == st.const0("Int"));
    let lists: &[&[&str]] = match (nat, int) {
        (true, _) => &[NAT],
        (_, true) => &[INT, SEMIRING, RING],
        _ => &[SEMIRING, RING],
    };
    let mut rules = RuleSet::default();
    let mut found = false;
    for n in lists.iter().flat_map(|l| l.iter()) {
        let n: Name = el.name(n);
        found |= el.with_goal(m, |el| rules.add_const(el, n, false, 0))?;
    }
    if !found {
        let (laws, import) = match (nat, int) {
            (true, _) => ("of `Nat`", "lib.nat"),
            (_, true) => ("of `Int`", "lib.int"),
            _ => ("of `CommSemiring` and `CommRing`", "lib.algebra"),
        };
        let err = ElabError::msg(format!("`ring` needs the laws {laws}"))
            .help(format!("`import {import}` at the beginning of the file"));
        return Err(on_goal(el, err, m));
    }
    let mut s = Simp::new(rules, false);
    let sides: Result<_> = el.with_goal(m, |el| Ok((s.simplify(el, a)?, s.simplify(el, b)?)));
    let (ra, rb) = match sides {
        Ok(sides) => sides,
        Err(e) if e.has_code("tactic.simp.loop") => {
            let err = ElabError::msg("`ring`: the polynomial is too large, multiplied out")
                .note(format!("given up after {} steps of rewriting", s.steps()))
                .help("set parts of it apart (`generalize a + b = c`), or prove smaller equations and rewrite with them");
            return Err(on_goal(el, err, m));
        }
        Err(e) => return Err(e),
    };
    if ra.expr == rb.expr {
        let e = el.with_goal(m, |el| joined(el, a, b, ra, rb))?;
        el.assign(m, e);
        return Ok(Vec::new());
    }
    if nat || int {
        let lctx = el.mvar_lctx(m);
        let eq = el.with_goal(m, |el| el.mk_eq(ra.expr, rb.expr))?;
        let g = goal_in(el, lctx, eq, tag(el, m));
        let saved = el.save();
        if super::omega::omega(el, g).is_ok_and(|gs| gs.is_empty()) {
            let h = el.mk_mvar(g);
            let middle = Simplified {
                expr: rb.expr,
                proof: Some(h),
            };
            let e = el.with_goal(m, |el| {
                let left = trans(el, a, ra, middle)?;
                joined(el, a, b, left, rb)
            })?;
            el.assign(m, e);
            return Ok(Vec::new());
        }
        el.restore(&saved);
    }
    let (x, y) = el.with_goal(m, |el| (el.pp(ra.expr), el.pp(rb.expr)));
    let err = ElabError::msg("`ring`: the two sides are not the same polynomial")
        .note(format!("left, multiplied out:  {x}"))
        .note(format!("right, multiplied out: {y}"))
        .help("a hypothesis about the variables has to be used before (`rw`, `simp`), or after `have`");
    Err(on_goal(el, err, m))
}

/// `a = b` from `a = c` and `b = c`.
fn joined<'b>(
    el: &mut Elab<'b>,
    a: Expr,
    b: Expr,
    left: Simplified,
    right: Simplified,
) -> Result<Expr> {
    let back = match right.proof {
        None => None,
        Some(h) => Some(el.mk_eq_symm(h)?),
    };
    let back = Simplified {
        expr: b,
        proof: back,
    };
    let whole = trans(el, a, left, back)?;
    match whole.proof {
        Some(h) => Ok(h),
        None => el.mk_eq_refl(a),
    }
}
