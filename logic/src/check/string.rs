//! `String` literals: `"ab"` is notation for `String.ofList [Char.ofNat 97, Char.ofNat 98]`. Being notation for a term that
//! is checked when the first literal is met, they are sound whatever these constants are. Lean before 4.35 had `String.mk`
//! in place of `String.ofList`; the environment remembers which of the two came first and never changes its mind.

use super::{Checker, Res};
use crate::env::KernelError;
use crate::expr::{Expr, Node};
use crate::level::Level;

impl<'e, 'b> Checker<'e, 'b> {
    /// `String`, if the term that literals stand for has that type, which is checked on the first one.
    pub(super) fn string_literal_type(&mut self) -> Res<Expr> {
        let st = self.st;
        let string = st.constant(self.env.known().string, &[]);
        if !self.string_ok {
            let list = self.string_to_list("a");
            let ok = match self.check_type_of(list) {
                Ok(ty) => self.defeq(ty, string)?,
                Err(e) if is_limit(&e) => return Err(e),
                Err(_) => false,
            };
            if !ok {
                return Err(KernelError::StringLiteral);
            }
            self.string_ok = true;
        }
        Ok(string)
    }

    /// The term that a literal stands for.
    pub(super) fn string_to_list(&self, s: &str) -> Expr {
        let (st, k) = (self.st, self.env.known());
        let char = st.constant(k.char, &[]);
        let of_nat = st.constant(k.char_of_nat, &[]);
        let nil = st.app(st.constant(k.list_nil, &[Level::ZERO]), char);
        let cons = st.app(st.constant(k.list_cons, &[Level::ZERO]), char);
        let list = s.chars().rev().fold(nil, |rest, c| {
            let c = st.app(of_nat, st.nat_u64(u64::from(u32::from(c))));
            st.app(st.app(cons, c), rest)
        });
        st.app(st.constant(self.env.string_builder(), &[]), list)
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
