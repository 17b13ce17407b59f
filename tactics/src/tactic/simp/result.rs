//! What simplifying a term gives, and the proofs of equality that it is made of.

use logic::{BinderInfo, Expr, Level};

use crate::meta::{Elab, Result};

/// A simplified term. Without a proof the two are equal by computation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simplified {
    /// The new term.
    pub expr: Expr,
    /// `old = new`.
    pub proof: Option<Expr>,
}

impl Simplified {
    /// Nothing changed.
    pub fn same(expr: Expr) -> Self {
        Simplified { expr, proof: None }
    }
}

/// The universe of the type of a term, and the type.
pub(crate) fn type_and_level<'b>(el: &mut Elab<'b>, e: Expr) -> Result<(Expr, Level)> {
    let ty = el.infer_type(e)?;
    let ty = el.instantiate_mvars(ty);
    let l = el.level_of(ty)?;
    Ok((ty, l))
}

/// `a = b` then `b = c`.
pub(crate) fn trans<'b>(
    el: &mut Elab<'b>,
    a: Expr,
    first: Simplified,
    second: Simplified,
) -> Result<Simplified> {
    let proof = match (first.proof, second.proof) {
        (None, p) | (p, None) => p,
        (Some(p), Some(q)) => {
            let st = el.st;
            let (ty, l) = type_and_level(el, a)?;
            let c = st.constant(st.name("Eq.trans"), &[l]);
            Some(st.apps(c, &[ty, a, first.expr, second.expr, p, q]))
        }
    };
    Ok(Simplified {
        expr: second.expr,
        proof,
    })
}

/// The proof, or `Eq.refl` where none was needed.
pub(crate) fn proof_or_refl<'b>(el: &mut Elab<'b>, s: &Simplified) -> Result<Expr> {
    match s.proof {
        Some(p) => Ok(p),
        None => el.mk_eq_refl(s.expr),
    }
}

/// `f a = f b` from `a = b`, for a function whose type does not depend on its argument.
pub(crate) fn congr_arg<'b>(
    el: &mut Elab<'b>,
    f: Expr,
    a: Expr,
    b: Expr,
    proof: Expr,
) -> Result<Expr> {
    let st = el.st;
    let (ta, la) = type_and_level(el, a)?;
    let fa = el.head_beta(st.app(f, a));
    let (tb, lb) = type_and_level(el, fa)?;
    let c = st.constant(st.name("congrArg"), &[la, lb]);
    Ok(st.apps(c, &[ta, tb, a, b, f, proof]))
}

/// `f a = g a` from `f = g`.
pub(crate) fn congr_fun<'b>(
    el: &mut Elab<'b>,
    f: Expr,
    g: Expr,
    a: Expr,
    proof: Expr,
) -> Result<Expr> {
    let st = el.st;
    let (ta, la) = type_and_level(el, a)?;
    let fty = el.infer_type(f)?;
    let fty = el.whnf(fty);
    let logic::Node::Pi(n, dom, body, _) = st.node(fty) else {
        return el.mk_congr_fun(proof, a);
    };
    let fa = st.app(f, a);
    let (_, lb) = type_and_level(el, fa)?;
    let family = st.lam(n, dom, body, BinderInfo::Default);
    let c = st.constant(st.name("congrFun"), &[la, lb]);
    Ok(st.apps(c, &[ta, family, f, g, proof, a]))
}

/// `f a = g b` from `f = g` and `a = b`, for functions whose type does not depend on the argument.
pub(crate) fn congr<'b>(
    el: &mut Elab<'b>,
    (f, g, hf): (Expr, Expr, Expr),
    (a, b, ha): (Expr, Expr, Expr),
) -> Result<Expr> {
    let st = el.st;
    let (ta, la) = type_and_level(el, a)?;
    let fa = st.app(f, a);
    let (tb, lb) = type_and_level(el, fa)?;
    let c = st.constant(st.name("congr"), &[la, lb]);
    Ok(st.apps(c, &[ta, tb, f, g, a, b, hf, ha]))
}

/// `p = True` from a proof of `p`.
pub(crate) fn eq_true<'b>(el: &Elab<'b>, p: Expr, proof: Expr) -> Simplified {
    let st = el.st;
    Simplified {
        expr: st.const0("True"),
        proof: Some(st.apps(st.const0("eq_true"), &[p, proof])),
    }
}

/// `p = False` from a proof of `¬p`.
pub(crate) fn eq_false<'b>(el: &Elab<'b>, p: Expr, proof: Expr) -> Simplified {
    let st = el.st;
    Simplified {
        expr: st.const0("False"),
        proof: Some(st.apps(st.const0("eq_false"), &[p, proof])),
    }
}

/// A proof of `p` from `p = True`.
pub(crate) fn of_eq_true<'b>(el: &Elab<'b>, p: Expr, proof: Option<Expr>) -> Expr {
    let st = el.st;
    match proof {
        None => st.const0("True.intro"),
        Some(h) => match el.match_app(h, "eq_true", 2) {
            Some(args) => args[1],
            None => st.apps(st.const0("of_eq_true"), &[p, h]),
        },
    }
}

/// A proof of `¬p` from `p = False`.
pub(crate) fn of_eq_false<'b>(el: &Elab<'b>, p: Expr, proof: Option<Expr>) -> Expr {
    let st = el.st;
    match proof {
        None => {
            let f = st.const0("False");
            st.lam(st.name("h"), f, st.bvar(0), BinderInfo::Default)
        }
        Some(h) => match el.match_app(h, "eq_false", 2) {
            Some(args) => args[1],
            None => st.apps(st.const0("not_of_eq_false"), &[p, h]),
        },
    }
}
