//! The language of expected values: expressions over the indices of an element and over what buffers held at first.
//!
//! Integers are exact, real numbers are doubles; an operation on both is one on doubles. `/` is division of real numbers,
//! `//` and `%` round down, as in Python. A comparison is 1 or 0. `f16(x)` and so on round to a type, `u32(x)` and so on wrap.
//! `sum(k = 0 .. n, e)` adds for every `k` from 0 up to, but not including, `n`; likewise `min` and `max`.

mod eval;
mod lexer;
mod resolve;

use lalrpop_util::lalrpop_mod;

pub use eval::{Data, Failure, LIMIT, evaluate};
pub use resolve::{INDICES, Scope, parse};

use crate::dtype::DType;

/// How many dimensions a buffer may have: each index has a name.
pub const MAX_DIMENSIONS: usize = INDICES.len();

lalrpop_mod!(
    #[allow(clippy::all, missing_docs, unused)]
    grammar,
    "/expr/grammar.rs"
);

/// An operation on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Unary {
    Minus,
    Invert,
    Not,
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it; `Over` is `/`, `Div` is `//`
pub enum Binary {
    Add,
    Sub,
    Mul,
    Over,
    Div,
    Rem,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Left,
    Right,
}

/// What the parser makes of a text: names are not looked up yet, and have their places.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the grammar is the documentation
pub enum Tree<'s> {
    Int(i128),
    Real(f64),
    Name(&'s str, usize),
    Element(&'s str, Vec<Tree<'s>>, usize),
    Call(&'s str, Vec<Tree<'s>>, usize),
    Unary(Unary, Box<Tree<'s>>),
    Binary(Binary, Box<(Tree<'s>, Tree<'s>)>),
    If(Box<(Tree<'s>, Tree<'s>, Tree<'s>)>),
    Fold(Box<Fold<'s>>),
}

/// `sum(k = 0 .. 4, e)`
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the grammar is the documentation
pub struct Fold<'s> {
    pub fold: &'s str,
    pub variable: &'s str,
    pub from: Tree<'s>,
    pub to: Tree<'s>,
    pub body: Tree<'s>,
    pub at: usize,
}

impl<'s> Tree<'s> {
    /// An operation on two.
    pub fn binary(op: Binary, a: Tree<'s>, b: Tree<'s>) -> Tree<'s> {
        Tree::Binary(op, Box::new((a, b)))
    }
}

/// A function of real numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Function {
    Abs,
    Ceil,
    Cos,
    Erf,
    Exp,
    Exp2,
    Floor,
    Fma,
    Log,
    Log2,
    Max,
    Min,
    Round,
    Rsqrt,
    Sin,
    Sqrt,
    Tanh,
    Trunc,
}

/// Functions by name, with the number of their arguments; 0 stands for one or more.
pub const FUNCTIONS: [(&str, Function, usize); 18] = [
    ("abs", Function::Abs, 1),
    ("ceil", Function::Ceil, 1),
    ("cos", Function::Cos, 1),
    ("erf", Function::Erf, 1),
    ("exp", Function::Exp, 1),
    ("exp2", Function::Exp2, 1),
    ("floor", Function::Floor, 1),
    ("fma", Function::Fma, 3),
    ("log", Function::Log, 1),
    ("log2", Function::Log2, 1),
    ("max", Function::Max, 0),
    ("min", Function::Min, 0),
    ("round", Function::Round, 1),
    ("rsqrt", Function::Rsqrt, 1),
    ("sin", Function::Sin, 1),
    ("sqrt", Function::Sqrt, 1),
    ("tanh", Function::Tanh, 1),
    ("trunc", Function::Trunc, 1),
];

/// How values of a range become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Folding {
    Sum,
    Min,
    Max,
}

/// An expression whose names stand for something.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// An integer.
    Int(i128),
    /// A real number.
    Real(f64),
    /// A variable: its slot.
    Variable(usize),
    /// What a buffer held at first: its number and the indices.
    Element(usize, Vec<Expr>),
    /// An operation on one.
    Unary(Unary, Box<Expr>),
    /// An operation on two.
    Binary(Binary, Box<(Expr, Expr)>),
    /// `if a then b else c`
    If(Box<(Expr, Expr, Expr)>),
    /// A function of real numbers.
    Call(Function, Vec<Expr>),
    /// The nearest value of a type.
    Cast(DType, Box<Expr>),
    /// A sum, minimum or maximum over a range: the slot of its variable, from, to, and of what.
    Fold(Folding, usize, Box<(Expr, Expr, Expr)>),
}
