//! `String` literals: `"ab"` is notation for `String.ofList [Char.ofNat 97, Char.ofNat 98]`. When the first literal is met, the
//! types of the four constants in it are compared with `Nat → Char`, `L`, `Char → L → L` and `L → String` for one type `L`;
//! none of them depends on a value, so the term behind every literal has type `String`, whatever these constants are. Lean
//! before 4.35 had `String.mk` in place of `String.ofList`; the environment remembers which of the two came first and never
//! changes its mind.

use super::{Checker, Res};
use crate::env::KernelError;
use crate::expr::{BinderInfo, Expr, Node};
use crate::level::Level;
use crate::name::Name;

impl<'e, 'b> Checker<'e, 'b> {
    /// `String`, if the terms that literals stand for have that type, which is checked on the first one.
    pub(super) fn string_literal_type(&mut self) -> Res<Expr> {
        if !self.string_ok {
            match self.string_parts_fit() {
                Ok(true) => self.string_ok = true,
                Err(e) if is_limit(&e) => return Err(e),
                _ => return Err(KernelError::StringLiteral),
            }
        }
        Ok(self.st.constant(self.env.known().string, &[]))
    }

    /// Whether `nil : L`, `Char.ofNat : Nat → Char`, `cons : Char → L → L` and `String.ofList : L → String`, for some `L`.
    fn string_parts_fit(&mut self) -> Res<bool> {
        let (st, k) = (self.st, self.env.known());
        let [of_nat, nil, cons, of_list] = self.string_parts();
        let (char, string) = (st.constant(k.char, &[]), st.constant(k.string, &[]));
        let (nat, list) = (self.nat_literal_type()?, self.check_type_of(nil)?);
        let to = |a, b| st.pi(Name::ANON, a, b, BinderInfo::Default);
        for (part, ty) in [
            (of_nat, to(nat, char)),
            (cons, to(char, to(list, list))),
            (of_list, to(list, string)),
        ] {
            self.check_type_of(ty)?;
            let found = self.check_type_of(part)?;
            if !self.defeq(found, ty)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `Char.ofNat`, `List.nil Char`, `List.cons Char` and `String.ofList`.
    fn string_parts(&self) -> [Expr; 4] {
        let (st, k) = (self.st, self.env.known());
        let char = st.constant(k.char, &[]);
        let of_char = |n| st.app(st.constant(n, &[Level::ZERO]), char);
        let of_nat = st.constant(k.char_of_nat, &[]);
        let of_list = st.constant(self.env.string_builder(), &[]);
        [of_nat, of_char(k.list_nil), of_char(k.list_cons), of_list]
    }

    /// The term that a literal stands for.
    pub(super) fn string_to_list(&self, s: &str) -> Expr {
        let st = self.st;
        let [of_nat, nil, cons, of_list] = self.string_parts();
        let list = s.chars().rev().fold(nil, |rest, c| {
            let c = st.app(of_nat, st.nat_u64(u64::from(u32::from(c))));
            st.app(st.app(cons, c), rest)
        });
        st.app(of_list, list)
    }

    /// A literal on one side and `String.ofList l` on the other: compare the lists.
    pub(super) fn string_defeq(&mut self, t: Expr, s: Expr) -> Res<Option<bool>> {
        let st = self.st;
        let of_list = st.constant(self.env.string_builder(), &[]);
        let is_of_list = |e| matches!(st.node(e), Node::App(f, _) if f == of_list);
        match (st.node(t), st.node(s)) {
            (Node::Str(x), _) if is_of_list(s) => {
                let t = self.string_to_list(x);
                self.defeq(t, s).map(Some)
            }
            (_, Node::Str(x)) if is_of_list(t) => {
                let s = self.string_to_list(x);
                self.defeq(t, s).map(Some)
            }
            _ => Ok(None),
        }
    }
}

fn is_limit(e: &KernelError) -> bool {
    use KernelError::*;
    matches!(e, OutOfSteps | TooDeep | NatTooBig | TooManyTerms)
}
