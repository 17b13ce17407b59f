//! Equations between indices: what is left of a case distinction after its equations are used.
//!
//! A goal `a₁ = b₁ → … → T` is worked off from the left: equal sides say nothing, a variable is substituted,
//! equal constructors give equations between their fields, different constructors close the goal. An equation that
//! says something else stays as a hypothesis.

use logic::{ConstantInfo, Expr, Level, Node};
use num_bigint::BigUint;
use num_traits::Zero;

use crate::meta::{Elab, FVarId, MVarId, Result};

use super::subst::subst_core;
use super::util::{FVarSubst, as_fvar, context, goal_in, mentions, tag, try_clear};

/// What an equation between two terms in constructor form says.
enum Clash {
    /// Not in constructor form on both sides.
    Unknown,
    /// `noConfusion` of this type applies.
    Constructors,
    /// Two different `Nat` literals.
    Literals(Expr, Expr),
}

/// Largest `Nat` literal that is taken apart successor by successor.
const SMALL_LITERAL: u32 = 64;

/// Works off `n` equations at the front of the goal. `None` if one of them is absurd, which closes the goal.
pub(crate) fn unify_equations<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    n: usize,
) -> Result<Option<(FVarSubst, MVarId)>> {
    let st = el.st;
    let mut subst = FVarSubst::default();
    let mut goal = m;
    let mut left = n;
    while left > 0 {
        left -= 1;
        el.tick();
        let (h, g) = el.intro(goal, None)?;
        goal = g;
        let ty = el.local(h).ty;
        let ty = el.instantiate_mvars(ty);
        if let Some(args) = el.match_app(ty, "HEq", 4) {
            match heq_to_eq(el, goal, h, &args)? {
                Some(g) => {
                    goal = g;
                    left += 1;
                }
                None => continue,
            }
            continue;
        }
        let Some((eq_ty, a, b)) = el.match_eq(ty) else {
            continue;
        };
        if a == b {
            goal = drop_refl(el, goal, h, eq_ty, a)?;
            continue;
        }
        if eq_ty == st.const0("Nat")
            && let Some(step) = number_equation(el, goal, h, a, b)?
        {
            match step {
                Some(g) => {
                    goal = g;
                    left += 1;
                }
                None => return Ok(None),
            }
            continue;
        }
        if let Some((s, g)) = try_subst(el, goal, h, a, b) {
            subst.then(st, &s);
            goal = g;
            continue;
        }
        match clash(el, eq_ty, a, b)? {
            Clash::Literals(x, y) => {
                close_by_literals(el, goal, h, x, y)?;
                return Ok(None);
            }
            Clash::Constructors => {
                let [va, vb] = number_views(el, eq_ty, a, b);
                match no_confusion(el, goal, h, eq_ty, va, vb)? {
                    None => return Ok(None),
                    Some((g, k)) => {
                        goal = g;
                        left += k;
                    }
                }
            }
            Clash::Unknown => {
                if el.with_goal(goal, |el| el.with_no_assign(|el| el.is_defeq(a, b))) {
                    goal = drop_refl(el, goal, h, eq_ty, a)?;
                }
            }
        }
    }
    Ok(Some((subst, goal)))
}

/// An equation between sums `x + k` and `y + l` or literals, made simpler: `Some(Some(goal))` has the simpler equation in
/// front, `Some(None)` is closed, `None` says that there is nothing to do.
fn number_equation<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    h: FVarId,
    a: Expr,
    b: Expr,
) -> Result<Option<Option<MVarId>>> {
    let st = el.st;
    let ((x, k), (y, l)) = (el.nat_offset(a), el.nat_offset(b));
    if x.is_none() && y.is_none() && k != l {
        let (k, l) = (st.nat(&k), st.nat(&l));
        close_by_literals(el, m, h, k, l)?;
        return Ok(Some(None));
    }
    let common = (&k).min(&l).clone();
    let (k, l) = (k - &common, l - &common);
    let (na, nb) = (el.mk_nat_offset(x, &k), el.mk_nat_offset(y, &l));
    if common.is_zero() || (na, nb) == (a, b) {
        return Ok(None);
    }
    // `x + k + c = y + l + c` gives `x + k = y + l`: by `c` predecessors, or by cancellation.
    let h_e = el.mk_fvar(h);
    let nat = st.const0("Nat");
    let one = st.level_nat(1);
    let proof =
        if common <= BigUint::from(SMALL_LITERAL) && el.env.get(st.name("Nat.pred")).is_some() {
            let pred = st.const0("Nat.pred");
            let steps = common.iter_u32_digits().next().unwrap_or(0);
            let mut f = st.bvar(0);
            for _ in 0..steps {
                f = st.app(pred, f);
            }
            let f = st.lam(st.name("n"), nat, f, logic::BinderInfo::Default);
            let c = st.constant(st.name("congrArg"), &[one, one]);
            st.apps(c, &[nat, nat, a, b, f, h_e])
        } else if el.env.get(st.name("Nat.add_right_cancel")).is_some() {
            let c = st.nat(&common);
            let add = st.const0("Nat.add");
            let (sa, sb) = (st.apps(add, &[na, c]), st.apps(add, &[nb, c]));
            let restated = el.with_goal(m, |el| el.mk_eq(sa, sb))?;
            let id = st.constant(st.name("id"), &[logic::Level::ZERO]);
            let h_e = st.apps(id, &[restated, h_e]);
            el.with_goal(m, |el| el.mk_app("Nat.add_right_cancel", &[h_e]))?
        } else {
            return Ok(None);
        };
    let eq = st.apps(st.constant(st.name("Eq"), &[one]), &[nat, na, nb]);
    let target = el.mvar_type(m);
    if mentions(st, target, &[h]) {
        return Ok(None);
    }
    let tag = tag(el, m);
    let lctx = el.mvar_lctx(m).without(&[h]);
    let name = el.local(h).user_name;
    let new_ty = st.pi(name, eq, target, logic::BinderInfo::Default);
    let new = goal_in(el, lctx, new_ty, tag);
    let new_e = el.mk_mvar(new);
    el.assign(m, st.app(new_e, proof));
    Ok(Some(Some(new)))
}

/// Forgets an equation whose sides are equal. A goal that mentions the proof sees `rfl` instead.
fn drop_refl<'b>(el: &mut Elab<'b>, m: MVarId, h: FVarId, ty: Expr, a: Expr) -> Result<MVarId> {
    let st = el.st;
    let target = el.mvar_type(m);
    if !mentions(st, target, &[h]) {
        return Ok(try_clear(el, m, h));
    }
    let l = el.level_of(ty)?;
    let refl = st.apps(st.constant(st.name("Eq.refl"), &[l]), &[ty, a]);
    let new_ty = super::util::replace_fvar(st, target, h, refl);
    let lctx = el.mvar_lctx(m).without(&[h]);
    let tag = tag(el, m);
    let new = goal_in(el, lctx, new_ty, tag);
    let e = el.mk_mvar(new);
    el.assign(m, e);
    Ok(new)
}

/// Turns `HEq a b` between values of one type into `a = b`, put back in front of the goal.
fn heq_to_eq<'b>(el: &mut Elab<'b>, m: MVarId, h: FVarId, args: &[Expr]) -> Result<Option<MVarId>> {
    let (ta, a, tb, b) = (args[0], args[1], args[2], args[3]);
    if el.env.get(el.st.name("eq_of_heq")).is_none() {
        return Ok(None);
    }
    if !el.with_goal(m, |el| el.with_no_assign(|el| el.is_defeq(ta, tb))) {
        return Ok(None);
    }
    let st = el.st;
    let l = el.level_of(ta)?;
    let eq = st.apps(st.constant(st.name("Eq"), &[l]), &[ta, a, b]);
    let target = el.mvar_type(m);
    let tag = tag(el, m);
    let lctx = el.mvar_lctx(m).without(&[h]);
    if mentions(st, target, &[h]) {
        return Ok(None);
    }
    let name = el.local(h).user_name;
    let new_ty = st.pi(name, eq, target, logic::BinderInfo::Default);
    let new = goal_in(el, lctx, new_ty, tag);
    let h_e = el.mk_fvar(h);
    let proof = st.apps(st.constant(st.name("eq_of_heq"), &[l]), &[ta, a, b, h_e]);
    let new_e = el.mk_mvar(new);
    el.assign(m, st.app(new_e, proof));
    Ok(Some(new))
}

/// Substitutes if a side is a variable that does not occur in the other. Of two variables, the later goes.
fn try_subst<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    h: FVarId,
    a: Expr,
    b: Expr,
) -> Option<(FVarSubst, MVarId)> {
    let st = el.st;
    let directions: &[bool] = match (as_fvar(st, a), as_fvar(st, b)) {
        (Some(x), Some(y)) => {
            let order = context(&el.mvar_lctx(m));
            let at = |z: FVarId| order.iter().position(|w| *w == z);
            if at(x) > at(y) {
                &[false, true]
            } else {
                &[true, false]
            }
        }
        (Some(_), None) => &[false],
        (None, Some(_)) => &[true],
        (None, None) => return None,
    };
    for right in directions {
        let saved = el.save();
        match subst_core(el, m, h, *right) {
            Ok(r) => return Some(r),
            Err(_) => el.restore(&saved),
        }
    }
    None
}

/// The constructor at the head of a term, seen through literals.
fn head_ctor<'b>(el: &mut Elab<'b>, e: Expr) -> Option<logic::Name> {
    let st = el.st;
    match st.node(st.app_fn(e)) {
        Node::Const(n, _) => match el.env.get(n) {
            Some(ConstantInfo::Constructor(_)) => Some(n),
            _ => None,
        },
        Node::Nat(v) if v.is_zero() => Some(st.name("Nat.zero")),
        Node::Nat(v) if *v <= BigUint::from(SMALL_LITERAL) => Some(st.name("Nat.succ")),
        _ => None,
    }
}

/// Whether the head is an operation of `Nat`.
fn is_arithmetic<'b>(el: &Elab<'b>, e: Expr) -> bool {
    let st = el.st;
    el.head_const(e)
        .is_some_and(|n| st.name_prefix(n) == st.name("Nat"))
}

fn literal<'b>(el: &Elab<'b>, e: Expr) -> Option<&'b BigUint> {
    match el.st.node(e) {
        Node::Nat(n) => Some(n),
        _ => None,
    }
}

fn clash<'b>(el: &mut Elab<'b>, ty: Expr, a: Expr, b: Expr) -> Result<Clash> {
    if el.get_inductive_app(ty).is_none() {
        return Ok(Clash::Unknown);
    }
    let mut sides = number_views(el, ty, a, b);
    for s in &mut sides {
        // Arithmetic on variables does not compute to a constructor, and trying may take unary steps.
        if head_ctor(el, *s).is_none() && literal(el, *s).is_none() && !is_arithmetic(el, *s) {
            *s = el.whnf(*s);
        }
    }
    if let (Some(x), Some(y)) = (literal(el, sides[0]), literal(el, sides[1])) {
        return Ok(if x == y {
            Clash::Unknown
        } else {
            Clash::Literals(sides[0], sides[1])
        });
    }
    Ok(match (head_ctor(el, sides[0]), head_ctor(el, sides[1])) {
        (Some(_), Some(_)) => Clash::Constructors,
        _ => Clash::Unknown,
    })
}

/// Both sides of an equation, with `Nat.succ n` for a sum `n + k` with `k > 0`, and for any sum that is a successor if the
/// other side is zero (it ends there; other sums could be taken apart for long).
fn number_views<'b>(el: &Elab<'b>, ty: Expr, a: Expr, b: Expr) -> [Expr; 2] {
    let st = el.st;
    if ty != st.const0("Nat") {
        return [a, b];
    }
    let zero = |e: Expr| matches!(el.nat_offset(e), (None, k) if k.is_zero());
    [(a, b), (b, a)].map(|(e, other)| {
        let offset = matches!(el.nat_offset(e), (Some(_), k) if !k.is_zero());
        match predecessor(el, e) {
            Some(n) if offset || zero(other) => st.app(st.const0("Nat.succ"), n),
            _ => e,
        }
    })
}

/// `n` if a term is the successor of `n` as it is written: `x + 3`, `x + (y + 1)`. Literals are none.
pub(crate) fn predecessor<'b>(el: &Elab<'b>, e: Expr) -> Option<Expr> {
    match el.nat_offset(e) {
        (None, _) => None,
        (Some(x), k) if !k.is_zero() => Some(el.mk_nat_offset(Some(x), &(k - 1u32))),
        (Some(x), _) => {
            let [x, y] = el.match_app(x, "Nat.add", 2)?[..] else {
                return None;
            };
            let n = logic::subst::with_stack(|| predecessor(el, y))?;
            Some(el.st.apps(el.st.const0("Nat.add"), &[x, n]))
        }
    }
}

/// Closes a goal from `h : x = y` between different literals: `Nat.beq x x` would equal `Nat.beq x y`.
fn close_by_literals<'b>(el: &mut Elab<'b>, m: MVarId, h: FVarId, x: Expr, y: Expr) -> Result<()> {
    let st = el.st;
    let target = el.mvar_type(m);
    let u = el.level_of(target)?;
    let one = st.level_nat(1);
    let (nat, bool_ty) = (st.const0("Nat"), st.const0("Bool"));
    let beq = st.app(st.const0("Nat.beq"), x);
    let (t, f) = (st.const0("Bool.true"), st.const0("Bool.false"));
    let h_e = el.mk_fvar(h);
    let cong = st.constant(st.name("congrArg"), &[one, one]);
    let cong = st.apps(cong, &[nat, bool_ty, x, y, beq, h_e]);
    let no_conf = st.constant(st.name("Bool.noConfusion"), &[u]);
    el.assign(m, st.apps(no_conf, &[target, t, f, cong]));
    Ok(())
}

/// Uses `h : c … = d …`. `None` if `c` and `d` differ; otherwise the goal with one more equation for each field that
/// is no proof, and the number of these.
pub(crate) fn no_confusion<'b>(
    el: &mut Elab<'b>,
    m: MVarId,
    h: FVarId,
    ty: Expr,
    a: Expr,
    b: Expr,
) -> Result<Option<(MVarId, usize)>> {
    let st = el.st;
    let Some((info, levels, params, indices)) = el.get_inductive_app(ty) else {
        let t = el.pp(ty);
        return Err(crate::meta::ElabError::msg(format!(
            "`{t}` is not an inductive type, so its values have no constructors to compare"
        )));
    };
    let name = info.sig.name;
    let no_conf_name = st.name_str(name, "noConfusion");
    if el.env.get(no_conf_name).is_none() {
        let n = st.name_to_string(name);
        return Err(crate::meta::ElabError::msg(format!(
            "`{n}` has no `{n}.noConfusion`: it is a proposition, or it was declared before `Eq`"
        )));
    }
    let target = el.mvar_type(m);
    let u = el.level_of(target)?;
    let mut ls: Vec<Level> = vec![u];
    ls.extend(levels.iter().copied());
    let nct = st.constant(st.name_str(name, "noConfusionType"), &ls);
    let nct = st.apps(st.apps(nct, &params), &indices);
    let nct = el.whnf(st.apps(nct, &[target, a, b]));
    let h_e = el.mk_fvar(h);
    let head = st.apps(st.apps(st.constant(no_conf_name, &ls), &params), &indices);
    let head = st.apps(head, &[target, a, b, h_e]);
    let Node::Pi(_, k_ty, _, _) = st.node(nct) else {
        // Different constructors: the type has reduced to the goal.
        el.assign(m, head);
        return Ok(None);
    };
    // A goal that is itself a Π-type also shows a binder; tell the two apart by the shape of the type.
    if nct == target || !ends_in(el, k_ty, target) {
        el.assign(m, head);
        return Ok(None);
    }
    let k = count_arrows(st, k_ty) - count_arrows(st, target);
    let lctx = el.mvar_lctx(m);
    let lctx = if mentions(st, k_ty, &[h]) {
        lctx
    } else {
        lctx.without(&[h])
    };
    let tag = tag(el, m);
    let new = goal_in(el, lctx, k_ty, tag);
    let new_e = el.mk_mvar(new);
    el.assign(m, st.app(head, new_e));
    Ok(Some((new, k)))
}

fn count_arrows(st: &logic::Store<'_>, mut e: Expr) -> usize {
    let mut n = 0;
    while let Node::Pi(_, _, b, _) = st.node(e) {
        n += 1;
        e = b;
    }
    n
}

/// Whether `e` is `target` behind some binders that it does not mention.
fn ends_in<'b>(el: &Elab<'b>, mut e: Expr, target: Expr) -> bool {
    loop {
        if e == target {
            return true;
        }
        match el.st.node(e) {
            Node::Pi(_, _, b, _) => e = b,
            _ => return false,
        }
    }
}
