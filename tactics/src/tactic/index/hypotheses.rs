//! The hypotheses of a goal as statements about natural numbers: conjunctions are taken apart, equations of words become those
//! of their values, and a test that is true or false becomes the relation that it tests.

use logic::Expr;

use super::equation;
use crate::meta::Elab;
use crate::tactic::util::{ATTEMPT, with_budget};

/// No definition is unfolded deeper.
const MAX_UNFOLD: usize = 8;

/// A test, its value, the lemma, the relation that this is, and whether the sides change places.
type Reading = (&'static str, bool, &'static str, &'static str, bool);

/// What tests of two words say of their values.
const UNSIGNED: [Reading; 4] = [
    ("Word.ult", true, "Index.lt_of_ult", "Nat.lt", false),
    ("Word.ult", false, "Index.ge_of_ult", "Nat.le", true),
    ("Word.ule", true, "Index.le_of_ule", "Nat.le", false),
    ("Word.ule", false, "Index.gt_of_ule", "Nat.lt", true),
];

/// The same of the values with the sign bit turned.
const SIGNED: [Reading; 4] = [
    ("Word.slt", true, "Index.lt_of_slt", "Nat.lt", false),
    ("Word.slt", false, "Index.ge_of_slt", "Nat.le", true),
    ("Word.sle", true, "Index.le_of_sle", "Nat.le", false),
    ("Word.sle", false, "Index.gt_of_sle", "Nat.lt", true),
];

/// The hypotheses of the goal, with proofs.
pub(super) fn hypotheses(el: &mut Elab<'_>) -> Vec<(Expr, Expr)> {
    let locals: Vec<_> = el.lctx.iter().collect();
    let mut out = Vec::new();
    for id in locals {
        let decl = el.local(id);
        if decl.aux {
            continue;
        }
        let ty = el.instantiate_mvars(decl.ty);
        if el.is_prop(ty) {
            let h = el.mk_fvar(id);
            parts(el, ty, h, &mut out);
        }
    }
    out
}

fn call(el: &Elab<'_>, name: &str, args: &[Expr]) -> Expr {
    el.st.apps(el.st.const0(name), args)
}

fn parts(el: &mut Elab<'_>, ty: Expr, h: Expr, out: &mut Vec<(Expr, Expr)>) {
    if let Some(pq) = el.match_app(ty, "And", 2) {
        let (p, q) = (pq[0], pq[1]);
        let (left, right) = (
            call(el, "And.left", &[p, q, h]),
            call(el, "And.right", &[p, q, h]),
        );
        parts(el, p, left, out);
        parts(el, q, right, out);
        return;
    }
    if let Some((kind, a, b)) = el.match_eq(ty) {
        if let Some(w) = el.match_app(kind, "Word", 1) {
            let w = w[0];
            if el.nat_lit(w).is_some_and(|w| w == 1u32.into())
                && predicate(el, a, b, h, out).is_some()
            {
                return;
            }
            let value = |x: Expr| call(el, "Word.val", &[w, x]);
            let ty = equation(el.st, value(a), value(b));
            out.push((ty, call(el, "Index.val_eq", &[w, a, b, h])));
            return;
        }
        if let Some(value) = truth(el, b)
            && test(el, a, value, h, out).is_some()
        {
            return;
        }
    }
    out.push((ty, h));
}

fn truth(el: &Elab<'_>, b: Expr) -> Option<bool> {
    let st = el.st;
    let values = [("Bool.true", true), ("Bool.false", false)];
    let found = values.into_iter().find(|(n, _)| b == st.const0(n));
    found.map(|(_, v)| v)
}

/// The name of the function that a term applies.
fn head(el: &Elab<'_>, e: Expr) -> Option<String> {
    el.head_const(e).map(|n| el.st.name_to_string(n))
}

/// A term that applies one of the functions, by unfolding definitions.
fn unfolded(el: &mut Elab<'_>, mut e: Expr, until: &[&str]) -> Option<Expr> {
    for _ in 0..MAX_UNFOLD {
        if until.contains(&&*head(el, e)?) {
            return Some(e);
        }
        let next = el.unfold_definition(e)?;
        e = el.instantiate_mvars(next);
    }
    None
}

/// A predicate that is known to be 0 or 1.
fn predicate(
    el: &mut Elab<'_>,
    a: Expr,
    b: Expr,
    h: Expr,
    out: &mut Vec<(Expr, Expr)>,
) -> Option<()> {
    if el.st.has_fvar(b) || el.st.has_mvar(b) {
        return None;
    }
    let t = unfolded(el, a, &["Word.ofBool"])?;
    let t = el.match_app(t, "Word.ofBool", 1)?[0];
    let one = el.mk_nat(1);
    let number = call(el, "Word.val", &[one, b]);
    let number = with_budget(el, ATTEMPT, |el| el.whnf(number));
    let value = el.nat_lit(number)? == 1u32.into();
    let lemma = if value {
        "Index.of_one"
    } else {
        "Index.of_zero"
    };
    let proof = call(el, lemma, &[t, h]);
    test(el, t, value, proof, out)
}

/// A test with a known value.
fn test(
    el: &mut Elab<'_>,
    t: Expr,
    value: bool,
    h: Expr,
    out: &mut Vec<(Expr, Expr)>,
) -> Option<()> {
    let known = [
        "Word.ult",
        "Word.ule",
        "Word.slt",
        "Word.sle",
        "Word.beq",
        "Bool.not",
        "Word.toBool",
    ];
    let t = unfolded(el, t, &known)?;
    let st = el.st;
    if let Some(x) = el.match_app(t, "Bool.not", 1) {
        let lemma = if value {
            "Index.of_not_true"
        } else {
            "Index.of_not_false"
        };
        let proof = call(el, lemma, &[x[0], h]);
        return test(el, x[0], !value, proof, out);
    }
    if let Some(x) = el.match_app(t, "Word.toBool", 1) {
        let inner = unfolded(el, x[0], &["Word.ofBool"])?;
        let b = el.match_app(inner, "Word.ofBool", 1)?[0];
        let name = if value { "Bool.true" } else { "Bool.false" };
        let proof = call(el, "Index.of_toBool", &[b, st.const0(name), h]);
        return test(el, b, value, proof, out);
    }
    let (f, args) = st.unfold_app(t);
    let [w, x, y] = args[..] else {
        return None;
    };
    let name = head(el, f)?;
    let number = |x: Expr| call(el, "Word.val", &[w, x]);
    let (vx, vy) = (number(x), number(y));
    if name == "Word.beq" {
        let ty = equation(el.st, vx, vy);
        let (ty, lemma) = match value {
            true => (ty, "Index.eq_of_beq"),
            false => (call(el, "Not", &[ty]), "Index.ne_of_beq"),
        };
        out.push((ty, call(el, lemma, &[w, x, y, h])));
        return Some(());
    }
    let find = |table: &[Reading; 4]| {
        let found = table.iter().find(|r| r.0 == name && r.1 == value);
        found.copied()
    };
    let (reading, vx, vy) = match find(&UNSIGNED) {
        Some(r) => (r, vx, vy),
        None => {
            let two = el.mk_nat(2);
            let one = el.mk_nat(1);
            let below = call(el, "Nat.sub", &[w, one]);
            let sign = call(el, "Nat.pow", &[two, below]);
            let all = call(el, "Nat.pow", &[two, w]);
            let turned = |v: Expr| {
                let sum = call(el, "Nat.add", &[sign, v]);
                call(el, "Nat.mod", &[sum, all])
            };
            (find(&SIGNED)?, turned(vx), turned(vy))
        }
    };
    let (.., lemma, relation, swapped) = reading;
    let sides = if swapped { [vy, vx] } else { [vx, vy] };
    out.push((call(el, relation, &sides), call(el, lemma, &[w, x, y, h])));
    Some(())
}
