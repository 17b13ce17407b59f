//! The constants of quotient types (Carneiro 2019, §2.7.1). Their types are Lean's.

use super::known::Known;
use super::{ConstantInfo, QuotKind, Signature};
use crate::expr::{BinderInfo, Expr};
use crate::store::Store;

/// `Quot`, `Quot.mk`, `Quot.lift`, `Quot.ind`.
pub(super) fn constants(st: &Store<'_>, known: &Known) -> [ConstantInfo; 4] {
    let pi = |n: &str, ty: Expr, body: Expr| st.pi(st.name(n), ty, body, BinderInfo::Default);
    let imp = |n: &str, ty: Expr, body: Expr| st.pi(st.name(n), ty, body, BinderInfo::Implicit);
    let b = |i| st.bvar(i);
    let (u_name, v_name) = (st.name("u"), st.name("v"));
    let (u, v) = (st.level_param(u_name), st.level_param(v_name));
    let (sort_u, sort_v) = (st.sort(u), st.sort(v));
    let quot = |args: &[Expr]| st.apps(st.constant(st.name("Quot"), &[u]), args);
    let mk = |args: &[Expr]| st.apps(st.constant(st.name("Quot.mk"), &[u]), args);
    // α → α → Prop, where α is variable 0
    let relation = pi("a", b(0), pi("a", b(1), st.prop()));

    // {α : Sort u} → (α → α → Prop) → Sort u
    let quot_ty = imp("α", sort_u, pi("r", relation, sort_u));
    // {α : Sort u} → (r : α → α → Prop) → α → Quot r
    let mk_ty = imp(
        "α",
        sort_u,
        pi("r", relation, pi("a", b(1), quot(&[b(2), b(1)]))),
    );
    // {α} → {r} → {β : Sort v} → (f : α → β) → (∀ a b, r a b → f a = f b) → Quot r → β
    let eq = st.apps(
        st.constant(known.eq, &[v]),
        &[b(4), st.app(b(3), b(2)), st.app(b(3), b(1))],
    );
    let respects = pi(
        "a",
        b(3),
        pi("b", b(4), pi("a", st.apps(b(4), &[b(1), b(0)]), eq)),
    );
    let lift_ty = imp(
        "α",
        sort_u,
        imp(
            "r",
            relation,
            imp(
                "β",
                sort_v,
                pi(
                    "f",
                    pi("a", b(2), b(1)),
                    pi("a", respects, pi("a", quot(&[b(4), b(3)]), b(3))),
                ),
            ),
        ),
    );
    // {α} → {r} → {β : Quot r → Prop} → (∀ a, β (Quot.mk r a)) → (q : Quot r) → β q
    let on_mk = pi("a", b(2), st.app(b(1), mk(&[b(3), b(2), b(0)])));
    let ind_ty = imp(
        "α",
        sort_u,
        imp(
            "r",
            relation,
            imp(
                "β",
                pi("a", quot(&[b(1), b(0)]), st.prop()),
                pi(
                    "mk",
                    on_mk,
                    pi("q", quot(&[b(3), b(2)]), st.app(b(2), b(0))),
                ),
            ),
        ),
    );
    let constant = |name: &str, univ_params: Vec<_>, ty, kind| ConstantInfo::Quot {
        sig: Signature {
            name: st.name(name),
            univ_params,
            ty,
        },
        kind,
    };
    [
        constant("Quot", vec![u_name], quot_ty, QuotKind::Type),
        constant("Quot.mk", vec![u_name], mk_ty, QuotKind::Mk),
        constant("Quot.lift", vec![u_name, v_name], lift_ty, QuotKind::Lift),
        constant("Quot.ind", vec![u_name], ind_ty, QuotKind::Ind),
    ]
}
