//! Patterns in the syntax tree.

use num_bigint::BigUint;

use super::{BinOp, Ident, Span, Term};

/// A pattern of `match`, `fun`, `let`, or an equation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternKind {
    /// `_`
    Wild,
    /// `x`, or a constructor without arguments: the elaborator decides by what the name resolves to
    Name(Ident),
    /// `c p q`, `@c p q`, `.c`, `.c p`
    Ctor {
        /// The constructor.
        name: Ident,
        /// `@`
        explicit: bool,
        /// `.c`: look in the namespace of the scrutinee's type
        dotted: bool,
        /// The arguments.
        args: Vec<PatternArg>,
    },
    /// A natural number literal
    Num(BigUint),
    /// A string literal
    Str(String),
    /// A character literal
    Char(char),
    /// `p + k` with a literal `k`
    Add(Box<Pattern>, BigUint),
    /// `p :: q` and other infix operators that name constructors
    Binop {
        /// Which one.
        op: BinOp,
        /// Left operand.
        lhs: Box<Pattern>,
        /// Right operand.
        rhs: Box<Pattern>,
    },
    /// `⟨p, q⟩`
    AnonCtor(Vec<Pattern>),
    /// `(p, q)`, or `()` when empty
    Tuple(Vec<Pattern>),
    /// `[p, q]`
    List(Vec<Pattern>),
    /// `x@p`
    As(Ident, Box<Pattern>),
    /// `(p : T)`
    Ascribe(Box<Pattern>, Box<Term>),
    /// `.(e)`: forced by the other patterns
    Inaccessible(Box<Term>),
}

/// An argument of a constructor pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternArg {
    /// `Some(x)` for `(x := p)`.
    pub name: Option<Ident>,
    /// The pattern.
    pub pat: Pattern,
}
