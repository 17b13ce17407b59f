//! The names that the type theory itself mentions, and whether the constants behind them are Lean's.

use crate::expr::{BinderInfo, Expr};
use crate::level::Level;
use crate::name::Name;
use crate::store::Store;

use super::{ConstantInfo, Environment, InductiveDecl};

/// Names with a meaning for the checker.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub nat: Name,
    pub nat_zero: Name,
    pub nat_succ: Name,
    pub bool_: Name,
    pub bool_true: Name,
    pub bool_false: Name,
    pub string: Name,
    pub string_of_list: Name,
    pub string_mk: Name,
    pub char: Name,
    pub char_of_nat: Name,
    pub list_nil: Name,
    pub list_cons: Name,
    pub eq: Name,
    pub eq_refl: Name,
}

impl Known {
    pub(super) fn new(st: &Store<'_>) -> Known {
        Known {
            nat: st.name("Nat"),
            nat_zero: st.name("Nat.zero"),
            nat_succ: st.name("Nat.succ"),
            bool_: st.name("Bool"),
            bool_true: st.name("Bool.true"),
            bool_false: st.name("Bool.false"),
            string: st.name("String"),
            string_of_list: st.name("String.ofList"),
            string_mk: st.name("String.mk"),
            char: st.name("Char"),
            char_of_nat: st.name("Char.ofNat"),
            list_nil: st.name("List.nil"),
            list_cons: st.name("List.cons"),
            eq: st.name("Eq"),
            eq_refl: st.name("Eq.refl"),
        }
    }
}

impl<'b> Environment<'b> {
    /// Whether a declaration of one type without parameters in `Type` has exactly these constructors.
    fn is_simple(&self, d: &InductiveDecl, name: Name, ctors: &[(Name, Expr)]) -> bool {
        let st = self.st;
        let ty = st.sort(st.level_succ(Level::ZERO));
        match &d.types[..] {
            [t] => {
                d.univ_params.is_empty()
                    && d.num_params == 0
                    && t.name == name
                    && t.ty == ty
                    && t.ctors.len() == ctors.len()
                    && t.ctors
                        .iter()
                        .zip(ctors)
                        .all(|(a, b)| a.0 == b.0 && st.canon(a.1) == st.canon(b.1))
            }
            _ => false,
        }
    }

    /// `inductive Nat : Type | zero : Nat | succ : Nat → Nat`.
    pub(super) fn declares_nat(&self, d: &InductiveDecl) -> bool {
        let (st, k) = (self.st, self.known);
        let nat = st.constant(k.nat, &[]);
        let succ = st.pi(Name::ANON, nat, nat, BinderInfo::Default);
        self.is_simple(d, k.nat, &[(k.nat_zero, nat), (k.nat_succ, succ)])
    }

    /// `inductive Bool : Type | false : Bool | true : Bool`.
    pub(super) fn declares_bool(&self, d: &InductiveDecl) -> bool {
        let k = self.known;
        let bool_ = self.st.constant(k.bool_, &[]);
        self.is_simple(d, k.bool_, &[(k.bool_false, bool_), (k.bool_true, bool_)])
    }

    /// Whether `Eq` is `inductive Eq.{u} {α : Sort u} (a : α) : α → Prop | refl : Eq a a`.
    pub fn eq_is_leans(&self) -> bool {
        let (st, k) = (self.st, self.known);
        let Some(ConstantInfo::Inductive(eq)) = self.get(k.eq) else {
            return false;
        };
        let Some(ConstantInfo::Constructor(refl)) = self.get(k.eq_refl) else {
            return false;
        };
        let (&[u], &[v]) = (&eq.sig.univ_params[..], &refl.sig.univ_params[..]) else {
            return false;
        };
        if u != v || eq.ctors != [k.eq_refl] || eq.num_params != 2 {
            return false;
        }
        let pi = |a, b| st.pi(Name::ANON, a, b, BinderInfo::Default);
        let u = st.level_param(u);
        let (sort, x0, x1) = (st.sort(u), st.bvar(0), st.bvar(1));
        let eq_ty = pi(sort, pi(x0, pi(x1, st.prop())));
        let refl_ty = pi(
            sort,
            pi(x0, st.apps(st.constant(k.eq, &[u]), &[x1, x0, x0])),
        );
        st.canon(eq.sig.ty) == eq_ty && st.canon(refl.sig.ty) == refl_ty
    }
}
