//! The algebra of words: what the meaning of an instruction is written in.
//!
//! A meaning is a Rust function generic over [`WordAlg`]. With [`bits::Bits`] it runs on concrete words; with
//! [`term::TermAlg`] it builds the term that *is* the definition in the logic. So no meaning is written twice.

pub mod bits;
pub mod dot;
mod float_list;
pub mod float_op;
pub mod ieee;
pub mod term;

pub use dot::DotKind;
pub use float_op::FloatOp;

/// Words of fixed width with PTX's operations. Every word knows its width; predicates are words of width 1.
///
/// Where two operands have one type, they must have one width, which is the width of the result; the callers are the
/// rows of [`crate::isa`], whose operand widths are checked before ([`crate::isa::Form::apply`]).
pub trait WordAlg {
    /// A word.
    type Word: Clone;
    /// A truth value.
    type Bool: Clone;

    /// The width of a word.
    fn width(&self, a: &Self::Word) -> u32;
    /// The word of this width that `value` is modulo 2^width.
    fn lit(&mut self, width: u32, value: u128) -> Self::Word;

    /// Sum modulo 2^width.
    fn add(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Difference modulo 2^width.
    fn sub(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Product modulo 2^width.
    fn mul(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Unsigned quotient; 0 if `b` is 0.
    fn udiv(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Unsigned remainder; `a` if `b` is 0.
    fn urem(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Two's complement.
    fn neg(&mut self, a: &Self::Word) -> Self::Word;

    /// Bitwise conjunction.
    fn and(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Bitwise disjunction.
    fn or(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Bitwise exclusive or.
    fn xor(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Bitwise complement.
    fn not(&mut self, a: &Self::Word) -> Self::Word;
    /// Left shift by the unsigned value of `by` (a word of any width); 0 from the width of `a` on.
    fn shl(&mut self, a: &Self::Word, by: &Self::Word) -> Self::Word;
    /// Right shift with zeros; 0 from the width of `a` on.
    fn lshr(&mut self, a: &Self::Word, by: &Self::Word) -> Self::Word;
    /// Right shift with the sign; all sign from the width of `a` on.
    fn ashr(&mut self, a: &Self::Word, by: &Self::Word) -> Self::Word;

    /// Equality.
    fn eq(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bool;
    /// Unsigned `a < b`.
    fn ult(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bool;
    /// Unsigned `a ≤ b`.
    fn ule(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bool;
    /// Signed `a < b`.
    fn slt(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bool;
    /// Signed `a ≤ b`.
    fn sle(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bool;
    /// Negation of a truth value.
    fn bool_not(&mut self, a: &Self::Bool) -> Self::Bool;
    /// `a` if `c`, otherwise `b`.
    fn ite(&mut self, c: &Self::Bool, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// The word of width 1 for a truth value.
    fn of_bool(&mut self, a: &Self::Bool) -> Self::Word;
    /// The truth value of a word of width 1.
    fn to_bool(&mut self, a: &Self::Word) -> Self::Bool;

    /// The same unsigned value in `width` bits (`width` at least that of `a`).
    fn zext(&mut self, a: &Self::Word, width: u32) -> Self::Word;
    /// The same signed value in `width` bits (`width` at least that of `a`).
    fn sext(&mut self, a: &Self::Word, width: u32) -> Self::Word;
    /// The low `width` bits (`width` at most that of `a`).
    fn trunc(&mut self, a: &Self::Word, width: u32) -> Self::Word;
    /// Bits `lo` to `lo + len - 1`.
    fn extract(&mut self, a: &Self::Word, lo: u32, len: u32) -> Self::Word;
    /// `hi` above `lo`.
    fn concat(&mut self, hi: &Self::Word, lo: &Self::Word) -> Self::Word;

    /// A float operation.
    fn float(&mut self, op: FloatOp, args: &[&Self::Word]) -> Self::Word;
    /// A whole dot product, added to an accumulator.
    fn dot(
        &mut self,
        kind: DotKind,
        pairs: &[(Self::Word, Self::Word)],
        acc: &Self::Word,
    ) -> Self::Word;
}
