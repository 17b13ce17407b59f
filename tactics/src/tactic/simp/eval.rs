//! What `simp` knows without rules: computation, numbers, and equations between constructors.

use logic::{BinderInfo, ConstantInfo, Expr, Level, Node};

use crate::meta::{Elab, Result, Transparency};

use super::super::util::{ATTEMPT, with_budget};
use super::result::{Simplified, eq_false, eq_true};
use super::rules::RuleSet;

/// One step of computation at the head: beta, `let`, projections and matches of constructors, numbers, and definitions
/// that the call unfolds. `None` if there is none.
pub(crate) fn reduce<'b>(el: &mut Elab<'b>, rules: &RuleSet, e: Expr) -> Option<Expr> {
    let st = el.st;
    match st.node(e) {
        Node::Let(_, _, v, b) => return Some(st.instantiate1(b, v)),
        Node::Proj(s, i, x) => {
            return if super::super::ext::is_ctor_app(el, x) {
                el.reduce_proj(s, i, x)
            } else {
                None
            };
        }
        Node::App(..) | Node::Const(..) => {}
        _ => return None,
    }
    let (f, args) = st.unfold_app(e);
    match st.node(f) {
        Node::Lam(..) if !args.is_empty() => return Some(el.beta(f, &args)),
        Node::Let(_, _, v, b) => return Some(st.apps(st.instantiate1(b, v), &args)),
        _ => {}
    }
    let Node::Const(n, ls) = st.node(f) else {
        return None;
    };
    if let Some((_, np, _)) = el.ext.projections.get(&n).copied() {
        if let Some(x) = args.get(np)
            && super::super::ext::is_ctor_app(el, *x)
        {
            return el.unfold_smart(n, ls, &args);
        }
        if !rules.unfold.contains(&n) {
            return None;
        }
    }
    if let Some(info) = el.cases_on_info(n) {
        let major = *args.get(info.major())?;
        if is_value(el, major) {
            let r = el.with_transparency(Transparency::Reducible, |el| el.whnf_core(e));
            return (r != e).then_some(r);
        }
        return None;
    }
    if matches!(el.env.get(n), Some(ConstantInfo::Recursor(_))) {
        let r = el.with_transparency(Transparency::None, |el| el.whnf_core(e));
        return (r != e).then_some(r);
    }
    if let Some(r) = arithmetic(el, e, &args) {
        return Some(r);
    }
    if let Some(r) = closed_condition(el, n, &args) {
        return Some(r);
    }
    if rules.unfold.contains(&n)
        && let Some(r) = el.unfold_smart(n, ls, &args)
    {
        let r = el.head_beta(r);
        return (r != e).then_some(r);
    }
    None
}

/// Whether a term is a literal or a constructor's.
pub(super) fn is_value<'b>(el: &Elab<'b>, e: Expr) -> bool {
    matches!(el.st.node(e), Node::Nat(_)) || super::super::ext::is_ctor_app(el, e)
}

/// `if c then a else b` with a condition without variables, computed: it is equal to a branch by computation, so no proof
/// is needed.
fn closed_condition<'b>(el: &mut Elab<'b>, head: logic::Name, args: &[Expr]) -> Option<Expr> {
    let st = el.st;
    let dependent = match &*st.name_to_string(head) {
        "ite" => false,
        "dite" => true,
        _ => return None,
    };
    let (c, inst) = (*args.get(1)?, *args.get(2)?);
    let (a, b) = (*args.get(3)?, *args.get(4)?);
    if [c, inst].iter().any(|e| st.has_fvar(*e) || st.has_mvar(*e)) {
        return None;
    }
    let decision = with_budget(el, ATTEMPT, |el| el.whnf(inst));
    let (d, dargs) = st.unfold_app(decision);
    let Node::Const(d, _) = st.node(d) else {
        return None;
    };
    let branch = match &*st.name_to_string(d) {
        "Decidable.isTrue" => a,
        "Decidable.isFalse" => b,
        _ => return None,
    };
    let taken = if dependent {
        st.app(branch, *dargs.get(1)?)
    } else {
        branch
    };
    Some(el.head_beta(st.apps(taken, &args[5..])))
}

/// An operation on literals, computed.
fn arithmetic<'b>(el: &mut Elab<'b>, e: Expr, args: &[Expr]) -> Option<Expr> {
    let st = el.st;
    let head = el.head_const(e)?;
    if args.is_empty() || args.len() > 2 || st.name_to_string(st.name_prefix(head)) != "Nat" {
        return None;
    }
    if !args.iter().all(|a| is_literal(el, *a)) {
        return None;
    }
    if let Some(r) = el.reduce_nat(e) {
        return (r != e).then_some(r);
    }
    // Comparisons give a truth value.
    let last = st.name_last(head)?;
    if !matches!(last, "beq" | "ble" | "blt") {
        return None;
    }
    let r = el.whnf(e);
    (r == st.const0("Bool.true") || r == st.const0("Bool.false")).then_some(r)
}

fn is_literal<'b>(el: &Elab<'b>, e: Expr) -> bool {
    matches!(el.st.node(e), Node::Nat(_)) || e == el.st.const0("Nat.zero")
}

/// Whether a proposition is one that linear arithmetic may settle.
pub(crate) fn is_arithmetic<'b>(el: &mut Elab<'b>, p: Expr) -> bool {
    let st = el.st;
    let p = match el.match_app(p, "Not", 1) {
        Some(a) => a[0],
        None => p,
    };
    let number = |t: Expr| t == st.const0("Nat") || t == st.const0("Int");
    if let Some((t, ..)) = el.match_eq(p) {
        return number(t);
    }
    if let Some(a) = el.match_app(p, "Ne", 3) {
        return number(a[0]);
    }
    let Some(n) = el.head_const(p) else {
        return false;
    };
    match &*st.name_to_string(n) {
        "Nat.le" | "Nat.lt" | "Int.le" | "Int.lt" => true,
        "And" | "Or" => {
            let (_, args) = st.unfold_app(p);
            args.iter().all(|a| is_arithmetic(el, *a))
        }
        "LE.le" | "LT.lt" | "GE.ge" | "GT.gt" => {
            let (_, args) = st.unfold_app(p);
            args.first().is_some_and(|t| number(*t))
        }
        _ => false,
    }
}

/// Propositions that are settled at once: equal sides, comparisons of literals, constructors, connectives with `True`
/// and `False`.
pub(crate) fn evaluate<'b>(el: &mut Elab<'b>, e: Expr) -> Result<Option<Simplified>> {
    let st = el.st;
    if let Some((ty, a, b)) = el.match_eq(e) {
        return equation(el, e, ty, a, b);
    }
    let Some(head) = el.head_const(e) else {
        return Ok(None);
    };
    let (_, args) = st.unfold_app(e);
    let name = st.name_to_string(head);
    match (&*name, &args[..]) {
        ("Iff", [a, b]) if a == b => {
            let h = st.app(st.const0("Iff.refl"), *a);
            Ok(Some(eq_true(el, e, h)))
        }
        ("Ne", [_, _, _]) => {
            // `a ≠ b` is `¬(a = b)` by computation.
            let Node::Const(_, ls) = st.node(st.app_fn(e)) else {
                return Ok(None);
            };
            let eq = st.apps(st.constant(st.name("Eq"), ls), &args);
            Ok(Some(Simplified::same(el.mk_not(eq))))
        }
        ("And", [a, b]) => Ok(and(el, e, *a, *b)),
        ("Or", [a, b]) => Ok(or(el, e, *a, *b)),
        ("Not", [a]) => Ok(not(el, e, *a)),
        ("Iff", [a, b]) => Ok(iff(el, e, *a, *b)),
        ("Nat.le" | "Nat.lt", [a, b]) if is_literal(el, *a) && is_literal(el, *b) => {
            Ok(decide(el, e))
        }
        ("Exists", [ty, p]) => Ok(exists(el, e, *ty, *p)),
        _ => Ok(None),
    }
}

/// `p = q` by `propext` from the two implications.
fn propext<'b>(el: &Elab<'b>, p: Expr, q: Expr, to: Expr, from: Expr) -> Simplified {
    let st = el.st;
    let iff = st.apps(st.const0("Iff.intro"), &[p, q, to, from]);
    Simplified {
        expr: q,
        proof: Some(st.apps(st.const0("propext"), &[p, q, iff])),
    }
}

fn lam<'b>(el: &Elab<'b>, ty: Expr, body: Expr) -> Expr {
    el.st.lam(el.st.name("h"), ty, body, BinderInfo::Default)
}

fn and<'b>(el: &mut Elab<'b>, e: Expr, a: Expr, b: Expr) -> Option<Simplified> {
    let st = el.st;
    let (truth, falsity) = (st.const0("True"), st.const0("False"));
    let h = st.bvar(0);
    let and = st.name("And");
    let intro = |x: Expr, y: Expr| st.apps(st.const0("And.intro"), &[a, b, x, y]);
    let trivial = st.const0("True.intro");
    if a == truth {
        let to = lam(el, e, st.proj(and, 1, h));
        let from = lam(el, b, intro(trivial, h));
        return Some(propext(el, e, b, to, from));
    }
    if b == truth {
        let to = lam(el, e, st.proj(and, 0, h));
        let from = lam(el, a, intro(h, trivial));
        return Some(propext(el, e, a, to, from));
    }
    if a == falsity {
        return Some(eq_false(el, e, lam(el, e, st.proj(and, 0, h))));
    }
    if b == falsity {
        return Some(eq_false(el, e, lam(el, e, st.proj(and, 1, h))));
    }
    if a == b {
        let to = lam(el, e, st.proj(and, 0, h));
        let from = lam(el, a, intro(h, h));
        return Some(propext(el, e, a, to, from));
    }
    None
}

fn or<'b>(el: &mut Elab<'b>, e: Expr, a: Expr, b: Expr) -> Option<Simplified> {
    let st = el.st;
    let (truth, falsity) = (st.const0("True"), st.const0("False"));
    let h = st.bvar(0);
    let trivial = st.const0("True.intro");
    let inl = |x: Expr| st.apps(st.const0("Or.inl"), &[a, b, x]);
    let inr = |x: Expr| st.apps(st.const0("Or.inr"), &[a, b, x]);
    if a == truth {
        return Some(eq_true(el, e, inl(trivial)));
    }
    if b == truth {
        return Some(eq_true(el, e, inr(trivial)));
    }
    // `fun h : a ∨ b => Or.elim h left right`
    let elim = |goal: Expr, left: Expr, right: Expr| {
        lam(
            el,
            e,
            st.apps(st.const0("Or.elim"), &[a, b, goal, h, left, right]),
        )
    };
    let absurd = |goal: Expr| {
        let c = st.constant(st.name("False.elim"), &[Level::ZERO]);
        lam(el, falsity, st.apps(c, &[goal, h]))
    };
    if a == falsity {
        let to = elim(b, absurd(b), lam(el, b, h));
        let from = lam(el, b, inr(h));
        return Some(propext(el, e, b, to, from));
    }
    if b == falsity {
        let to = elim(a, lam(el, a, h), absurd(a));
        let from = lam(el, a, inl(h));
        return Some(propext(el, e, a, to, from));
    }
    if a == b {
        let to = elim(a, lam(el, a, h), lam(el, a, h));
        let from = lam(el, a, inl(h));
        return Some(propext(el, e, a, to, from));
    }
    None
}

fn not<'b>(el: &mut Elab<'b>, e: Expr, a: Expr) -> Option<Simplified> {
    let st = el.st;
    let (truth, falsity) = (st.const0("True"), st.const0("False"));
    if a == truth {
        let p = lam(el, e, st.app(st.bvar(0), st.const0("True.intro")));
        return Some(eq_false(el, e, p));
    }
    if a == falsity {
        return Some(eq_true(el, e, lam(el, falsity, st.bvar(0))));
    }
    None
}

fn iff<'b>(el: &mut Elab<'b>, e: Expr, a: Expr, b: Expr) -> Option<Simplified> {
    let st = el.st;
    let (truth, falsity) = (st.const0("True"), st.const0("False"));
    let h = st.bvar(0);
    let trivial = st.const0("True.intro");
    let side = |name: &str, p: Expr| st.apps(st.const0(name), &[a, b, h, p]);
    let intro = |to: Expr, from: Expr| st.apps(st.const0("Iff.intro"), &[a, b, to, from]);
    if b == truth {
        let to = lam(el, e, side("Iff.mpr", trivial));
        let from = lam(
            el,
            a,
            intro(lam(el, a, trivial), lam(el, truth, st.bvar(1))),
        );
        return Some(propext(el, e, a, to, from));
    }
    if a == truth {
        let to = lam(el, e, side("Iff.mp", trivial));
        let from = lam(
            el,
            b,
            intro(lam(el, truth, st.bvar(1)), lam(el, b, trivial)),
        );
        return Some(propext(el, e, b, to, from));
    }
    let absurd = |goal: Expr, proof: Expr| {
        let c = st.constant(st.name("False.elim"), &[Level::ZERO]);
        st.apps(c, &[goal, proof])
    };
    if b == falsity {
        let q = el.mk_not(a);
        let to = lam(el, e, st.apps(st.const0("Iff.mp"), &[a, b, h]));
        let from = lam(
            el,
            q,
            intro(
                lam(el, a, st.app(st.bvar(1), st.bvar(0))),
                lam(el, falsity, absurd(a, st.bvar(0))),
            ),
        );
        return Some(propext(el, e, q, to, from));
    }
    if a == falsity {
        let q = el.mk_not(b);
        let to = lam(el, e, st.apps(st.const0("Iff.mpr"), &[a, b, h]));
        let from = lam(
            el,
            q,
            intro(
                lam(el, falsity, absurd(b, st.bvar(0))),
                lam(el, b, st.app(st.bvar(1), st.bvar(0))),
            ),
        );
        return Some(propext(el, e, q, to, from));
    }
    None
}

/// `∃ x, False` is `False`; `∃ _ : p, q` and the like are left to rules.
fn exists<'b>(el: &mut Elab<'b>, e: Expr, ty: Expr, p: Expr) -> Option<Simplified> {
    let st = el.st;
    let Node::Lam(n, t, b, _) = st.node(p) else {
        return None;
    };
    if b != st.const0("False") {
        return None;
    }
    let Node::Const(_, ls) = st.node(st.app_fn(e)) else {
        return None;
    };
    let branch = st.lam(
        n,
        t,
        st.lam(st.name("h"), b, st.bvar(0), BinderInfo::Default),
        BinderInfo::Default,
    );
    let elim = st.constant(st.name("Exists.elim"), ls);
    let proof = lam(el, e, st.apps(elim, &[ty, p, b, st.bvar(0), branch]));
    el.env.get(st.name("Exists.elim"))?;
    Some(eq_false(el, e, proof))
}

/// A comparison of literals, decided by computation.
fn decide<'b>(el: &mut Elab<'b>, e: Expr) -> Option<Simplified> {
    let st = el.st;
    let dec = st.app(st.const0("Decidable"), e);
    let inst = el.synth_instance(dec).ok()?;
    let value = st.apps(st.const0("Decidable.decide"), &[e, inst]);
    let w = el.whnf(value);
    let one = st.level_nat(1);
    let refl = st.constant(st.name("Eq.refl"), &[one]);
    let refl = st.apps(refl, &[st.const0("Bool"), w]);
    if w == st.const0("Bool.true") {
        let p = st.apps(st.const0("of_decide_eq_true"), &[e, inst, refl]);
        Some(eq_true(el, e, p))
    } else if w == st.const0("Bool.false") {
        let p = st.apps(st.const0("of_decide_eq_false"), &[e, inst, refl]);
        Some(eq_false(el, e, p))
    } else {
        None
    }
}

/// `a = b`: `True` if the sides are equal, otherwise what their constructors say.
fn equation<'b>(
    el: &mut Elab<'b>,
    e: Expr,
    ty: Expr,
    a: Expr,
    b: Expr,
) -> Result<Option<Simplified>> {
    let st = el.st;
    let l = el.level_of(ty)?;
    let equal = a == b
        || el.with_no_assign(|el| {
            el.with_transparency(Transparency::Reducible, |el| el.is_defeq(a, b))
        });
    if equal {
        let refl = st.apps(st.constant(st.name("Eq.refl"), &[l]), &[ty, a]);
        return Ok(Some(eq_true(el, e, refl)));
    }
    if ty == st.prop() {
        return Ok(prop_equation(el, e, a, b));
    }
    if let (Node::Nat(_), Node::Nat(_)) = (st.node(a), st.node(b)) {
        return Ok(decide(el, e));
    }
    let (ca, cb) = (ctor_view(el, a), ctor_view(el, b));
    let (Some(ca), Some(cb)) = (ca, cb) else {
        return Ok(None);
    };
    if st.app_fn(ca) == st.app_fn(cb) {
        return injectivity(el, a, b, ca);
    }
    let (Node::Const(na, _), Node::Const(nb, _)) = (st.node(st.app_fn(ca)), st.node(st.app_fn(cb)))
    else {
        return Ok(None);
    };
    if na == nb {
        return Ok(None);
    }
    // `fun h : a = b => T.noConfusion h`
    let Some((info, levels, params, indices)) = el.get_inductive_app(ty) else {
        return Ok(None);
    };
    let no_conf = st.name_str(info.sig.name, "noConfusion");
    if el.env.get(no_conf).is_none() {
        return Ok(None);
    }
    let mut ls = vec![Level::ZERO];
    ls.extend(levels.iter().copied());
    let c = st.apps(st.apps(st.constant(no_conf, &ls), &params), &indices);
    let body = st.apps(c, &[st.const0("False"), a, b, st.bvar(0)]);
    let p = lam(el, e, body);
    Ok(Some(eq_false(el, e, p)))
}

/// A term as a constructor application, if it is one as it stands or a literal.
fn ctor_view<'b>(el: &mut Elab<'b>, e: Expr) -> Option<Expr> {
    let st = el.st;
    if super::super::ext::is_ctor_app(el, e) {
        return Some(e);
    }
    if let Node::Nat(_) = st.node(e) {
        return Some(el.literal_to_ctor(e));
    }
    // `n + 1` is a successor.
    let args = el.match_app(e, "Nat.add", 2)?;
    match st.node(args[1]) {
        Node::Nat(k) if *k == num_bigint::BigUint::from(1u32) => {
            Some(st.app(st.const0("Nat.succ"), args[0]))
        }
        _ => None,
    }
}

/// `c a … = c b …` by the theorem `c.injEq`.
fn injectivity<'b>(el: &mut Elab<'b>, a: Expr, b: Expr, view: Expr) -> Result<Option<Simplified>> {
    let st = el.st;
    let Node::Const(ctor, _) = st.node(st.app_fn(view)) else {
        return Ok(None);
    };
    let name = st.name_str(ctor, "injEq");
    if el.env.get(name).is_none() {
        return Ok(None);
    }
    let goal = el.mk_eq(a, b)?;
    el.with_no_assign(|el| {
        let c = el.mk_const(name)?;
        let ty = el.infer_type(c)?;
        let (ms, _, body) = el.forall_mvar_telescope(ty, Some(el.count_foralls(ty)));
        let Some((_, lhs, rhs)) = el.match_eq(body) else {
            return Ok(None);
        };
        if !el.is_defeq(lhs, goal) {
            return Ok(None);
        }
        let args: Vec<Expr> = ms.iter().map(|m| st.mvar(m.0)).collect();
        let proof = el.instantiate_mvars(st.apps(c, &args));
        let rhs = el.instantiate_mvars(rhs);
        if st.has_mvar(proof) {
            return Ok(None);
        }
        Ok(Some(Simplified {
            expr: rhs,
            proof: Some(proof),
        }))
    })
}

/// `p = True`, `p = False` and their mirror images.
fn prop_equation<'b>(el: &mut Elab<'b>, e: Expr, a: Expr, b: Expr) -> Option<Simplified> {
    let st = el.st;
    let (truth, falsity) = (st.const0("True"), st.const0("False"));
    let h = st.bvar(0);
    if b == truth {
        let to = lam(el, e, st.apps(st.const0("of_eq_true"), &[a, h]));
        let from = lam(el, a, st.apps(st.const0("eq_true"), &[a, h]));
        return Some(propext(el, e, a, to, from));
    }
    if b == falsity {
        let q = el.mk_not(a);
        let to = lam(el, e, st.apps(st.const0("not_of_eq_false"), &[a, h]));
        let from = lam(el, q, st.apps(st.const0("eq_false"), &[a, h]));
        return Some(propext(el, e, q, to, from));
    }
    None
}
