//! The syntax tree of the `.ptxp` script language: shared pieces and terms.
//!
//! Every node carries the byte range it was read from. The tree is what the parser saw, with a few forms
//! removed that have one obvious meaning:
//!
//! * parentheses leave no node (their term's span is widened to include them);
//! * `f <| x`, `x |> f`, `x |>.f a` become applications;
//! * `(· + 1)` becomes a `fun` whose bound names cannot be written by a user (`·1`, `·2`, …);
//! * bounded quantifiers: `∀ x < n, p` becomes `∀ x, x < n → p`, `∃ x < n, p` becomes `∃ x, x < n ∧ p`;
//! * a user notation carries its expansion ([`TermKind::UserOp`]).
//!
//! Names are *not* resolved here: `x.f.g` is one [`Ident`], and whether `x` is a local with a field `f` or a
//! namespace is for the elaborator to decide. Patterns are in [`pattern`],
//! commands in [`command`], tactics in [`tactic`].

use std::sync::Arc;

use num_bigint::BigUint;

pub mod command;
pub mod pattern;
pub mod tactic;

pub use command::*;
pub use pattern::*;
pub use tactic::*;

/// A byte range `start..end` of the source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest range that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// As a `usize` range, for slicing the source.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Length in bytes.
    pub fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// True when the range is empty.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

/// A possibly dotted name as written: `n`, `Nat.succ`, `«odd name».x`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ident {
    /// The text, with dots, and with `«…»` kept around parts that need it.
    pub name: Arc<str>,
    /// Where it stands. For names read from source the text is exactly `source[span]`.
    pub span: Span,
}

impl Ident {
    /// The dot-separated parts, without `«»`.
    pub fn parts(&self) -> Vec<&str> {
        let mut parts = Vec::new();
        let mut rest: &str = &self.name;
        loop {
            if let Some(quoted) = rest.strip_prefix('«')
                && let Some(close) = quoted.find('»')
            {
                parts.push(&quoted[..close]);
                match quoted[close + '»'.len_utf8()..].strip_prefix('.') {
                    Some(more) => rest = more,
                    None => return parts,
                }
            } else if let Some(dot) = rest.find('.') {
                parts.push(&rest[..dot]);
                rest = &rest[dot + 1..];
            } else {
                parts.push(rest);
                return parts;
            }
        }
    }

    /// True for a name without dots (one part).
    pub fn is_atomic(&self) -> bool {
        self.parts().len() == 1
    }
}

/// A string literal with its escapes resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrLit {
    /// The value.
    pub value: String,
    /// The literal, quotes included.
    pub span: Span,
}

/// A natural number literal (decimal, `0x`, `0b`, `0o`; `_` between digits is allowed).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumLit {
    /// The value.
    pub value: BigUint,
    /// The literal.
    pub span: Span,
}

/// A binder's name: an atomic identifier, or `_` (`None`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinderName {
    /// The name; `None` for `_`.
    pub name: Option<Ident>,
    /// Where the name or the `_` stands.
    pub span: Span,
}

/// A universe level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// What it is.
    pub kind: LevelKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a universe level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelKind {
    /// `0`, `1`, …
    Num(u32),
    /// `u`
    Param(Ident),
    /// `_`
    Hole,
    /// `u + n`
    Add(Box<Level>, u32),
    /// `max u v …` (two or more)
    Max(Vec<Level>),
    /// `imax u v …` (two or more)
    IMax(Vec<Level>),
}

/// Which brackets a binder was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinderKind {
    /// `(x : T)` or a bare `x`
    Explicit,
    /// `{x : T}`
    Implicit,
    /// `⦃x : T⦄` (ASCII `{{x : T}}`)
    StrictImplicit,
    /// `[x : T]`, `[T]` (then the name is `_`)
    InstImplicit,
}

/// A group of binders that share brackets and a type: `(x y : T := d)`, `{x : T}`, `x`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binder {
    /// The names, at least one.
    pub names: Vec<BinderName>,
    /// The type, if written.
    pub ty: Option<Box<Term>>,
    /// A default value `(x : T := d)`.
    pub default: Option<Box<Term>>,
    /// The brackets.
    pub kind: BinderKind,
    /// The group, brackets included.
    pub span: Span,
}

/// A binder of `fun` (and of `intro`): a usual binder, or a pattern that is matched at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunBinder {
    /// `x`, `(x y : T)`, `{x}`
    Binder(Binder),
    /// `⟨a, b⟩`, `(a, b)`, `(⟨a, b⟩ : T)`
    Pattern {
        /// The pattern.
        pat: Pattern,
        /// Its type, if written.
        ty: Option<Box<Term>>,
    },
}

/// A term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Where it stands (enclosing parentheses included).
    pub span: Span,
}

/// An argument of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// `Some(x)` for a named argument `(x := e)`.
    pub name: Option<Ident>,
    /// The argument.
    pub value: Term,
    /// Where it stands, brackets included.
    pub span: Span,
}

/// The forms of a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermKind {
    /// `x`, `a.b.c`, `@f`, `f.{u, v}`, `@f.{u}`
    Ident {
        /// The name, possibly dotted: constant, local, or local with fields.
        id: Ident,
        /// Explicit universe arguments.
        levels: Option<Vec<Level>>,
        /// `@`: implicit arguments are given explicitly.
        explicit: bool,
    },
    /// `_`
    Hole,
    /// `?x`, or `?_` (`None`)
    SynthHole(Option<Ident>),
    /// `.succ`: a name in the namespace of the expected type's head
    DotIdent(Ident),
    /// A natural number literal
    Num(BigUint),
    /// A string literal
    Str(String),
    /// A character literal
    Char(char),
    /// `Prop` (`Sort 0`)
    Prop,
    /// `Type`, `Type u` (`Sort (u+1)`); without a level, `Type 0`
    Type(Option<Level>),
    /// `Sort`, `Sort u`; without a level, `Sort 0`
    Sort(Option<Level>),
    /// `f a (x := b) c`: at least one argument
    App {
        /// The function.
        fun: Box<Term>,
        /// The arguments.
        args: Vec<Arg>,
    },
    /// `e.1`: the first field is 1
    Proj {
        /// The structure.
        e: Box<Term>,
        /// The index as written, from 1.
        index: u32,
        /// Where the index stands.
        index_span: Span,
    },
    /// `(f x).g`, `e |>.g`; after an identifier the dot is part of the [`Ident`] instead
    Field {
        /// The structure.
        e: Box<Term>,
        /// The field, possibly dotted.
        field: Ident,
    },
    /// `fun x (y : T) ⟨a, b⟩ => e`
    Lam {
        /// At least one binder.
        binders: Vec<FunBinder>,
        /// The body.
        body: Box<Term>,
    },
    /// `fun | p, q => e | …`
    FunMatch(Vec<MatchAlt>),
    /// `∀ x (y : T), p`, `(x : T) → U`, `{x : T} → U`
    Pi {
        /// At least one binder.
        binders: Vec<Binder>,
        /// The body.
        body: Box<Term>,
    },
    /// `A → B`
    Arrow(Box<Term>, Box<Term>),
    /// `∃ x (y : T), p`
    Exists {
        /// At least one binder.
        binders: Vec<Binder>,
        /// The body.
        body: Box<Term>,
    },
    /// `Σ x : T, U` and `(x : T) × U` (`Sigma`); `Σ' x : T, U` (`PSigma`)
    Sigma {
        /// At least one binder.
        binders: Vec<Binder>,
        /// The body.
        body: Box<Term>,
        /// `Σ'`
        psigma: bool,
    },
    /// `{x : T // p}`
    Subtype {
        /// The bound name.
        name: BinderName,
        /// Its type, if written.
        ty: Option<Box<Term>>,
        /// The predicate.
        pred: Box<Term>,
    },
    /// `let x : T := e; b`
    Let(Box<LetDecl>, Box<Term>),
    /// `have h : T := e; b`
    Have(Box<LetDecl>, Box<Term>),
    /// `show T from e`, `show T by tacs` (the latter's proof is a [`TermKind::By`])
    Show {
        /// The stated type.
        ty: Box<Term>,
        /// The proof.
        proof: Box<Term>,
    },
    /// `suffices h : T from e; b`, `suffices h : T by tacs; b`: `e` proves the goal from `h`, `b` proves `T`
    Suffices {
        /// The name, `None` for `this`.
        name: Option<BinderName>,
        /// What suffices.
        ty: Box<Term>,
        /// The goal from it.
        proof: Box<Term>,
        /// The proof of `ty`.
        body: Box<Term>,
    },
    /// `match (motive := m) e, h : e2 with | p, q => t`
    Match {
        /// The explicit motive.
        motive: Option<Box<Term>>,
        /// The scrutinees, at least one.
        discrs: Vec<Discr>,
        /// The alternatives; may be empty.
        alts: Vec<MatchAlt>,
    },
    /// `if c then a else b`, `if h : c then a else b`
    If {
        /// The hypothesis' name in the dependent form.
        hyp: Option<BinderName>,
        /// The condition.
        cond: Box<Term>,
        /// The first branch.
        then: Box<Term>,
        /// The second branch.
        els: Box<Term>,
    },
    /// `(e : T)`
    Ascribe(Box<Term>, Box<Term>),
    /// `⟨a, b⟩`, ASCII `(| a, b |)`; may be empty
    AnonCtor(Vec<Term>),
    /// `(a, b, …)`, or `()` when empty; never one
    Tuple(Vec<Term>),
    /// `[a, b]`
    List(Vec<Term>),
    /// `{ s with a := 1, b }`, `{ a := 1 : T }`
    StructInst {
        /// Sources before `with`.
        sources: Vec<Term>,
        /// The fields.
        fields: Vec<FieldInit>,
        /// The type after `:`.
        ty: Option<Box<Term>>,
    },
    /// A built-in infix operator
    Binop {
        /// Which one.
        op: BinOp,
        /// Where the operator stands.
        op_span: Span,
        /// Left operand.
        lhs: Box<Term>,
        /// Right operand.
        rhs: Box<Term>,
    },
    /// `¬ p`, `!b`, `-e`
    Unop {
        /// Which one.
        op: UnOp,
        /// Where the operator stands.
        op_span: Span,
        /// The operand.
        e: Box<Term>,
    },
    /// A use of a notation declared in this file or imported
    UserOp {
        /// The declaration.
        notation: Arc<NotationDecl>,
        /// The term it stands for; elaborate this. Nodes from the declaration carry the span of the use.
        expansion: Box<Term>,
    },
    /// `h ▸ e`
    Subst {
        /// The equation.
        eq: Box<Term>,
        /// The term that is rewritten.
        e: Box<Term>,
    },
    /// `‹p›`: a hypothesis of that type
    TypeAssumption(Box<Term>),
    /// `by tacs`
    By(TacticBlock),
    /// `calc a = b := p; _ = c := q`
    Calc(Vec<CalcStep>),
    /// `sorry`
    Sorry,
    /// Something that did not parse; an error was reported for it
    Error,
}

/// What is bound by `let` or `have`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LetDecl {
    /// The left-hand side.
    pub lhs: LetLhs,
    /// The type, if written.
    pub ty: Option<Term>,
    /// The value. `None` only in the tactic `have h : T`, which opens a goal.
    pub value: Option<LetValue>,
    /// The whole declaration, keyword excluded.
    pub span: Span,
}

/// The left-hand side of `let` or `have`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LetLhs {
    /// `x`, `f (a : A) b`, `_`
    Name {
        /// The name.
        name: BinderName,
        /// Parameters, if it is a function.
        binders: Vec<FunBinder>,
    },
    /// `have : T := …` (the name is `this`)
    Anonymous,
    /// `⟨a, b⟩`, `(a, b)`
    Pattern(Pattern),
}

/// The value in `let` or `have`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LetValue {
    /// `:= e`
    Term(Term),
    /// `| p => e | …`
    Alts(Vec<MatchAlt>),
}

/// A scrutinee `e` or `h : e`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discr {
    /// The name of the equation.
    pub hyp: Option<BinderName>,
    /// The scrutinee.
    pub e: Term,
}

/// `| p, q | p', q' => e`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchAlt {
    /// One row of patterns for each `|`; usually a single row.
    pub rows: Vec<Vec<Pattern>>,
    /// The right-hand side.
    pub rhs: Term,
    /// From the first `|` on.
    pub span: Span,
}

/// `a := e`, or `a` alone (`None`: the local of that name).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldInit {
    /// The field.
    pub field: Ident,
    /// Its value.
    pub value: Option<Term>,
}

/// A step `_ = b := proof` of `calc`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalcStep {
    /// The relation `a R b`.
    pub rel: Term,
    /// The proof; `None` only for a first step that merely states the left-hand side.
    pub proof: Option<Term>,
    /// The step.
    pub span: Span,
}

/// Built-in prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// `¬`, `not`
    Not,
    /// `!` on Booleans
    BoolNot,
    /// `-`
    Neg,
    /// `↑`: the coercion to the type that is expected
    Coe,
}

/// Built-in infix operators. Their meaning is found by the type of the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// `=`
    Eq,
    /// `≠`, ASCII `/=`
    Ne,
    /// `≍`, heterogeneous equality
    HEq,
    /// `<`
    Lt,
    /// `≤`
    Le,
    /// `>`
    Gt,
    /// `≥`
    Ge,
    /// `==` on types with decidable equality, a Boolean
    BEq,
    /// `!=`, a Boolean as in Lean; where a proposition is expected it may be read as `≠`
    BNe,
    /// `∈`
    Mem,
    /// `∉`
    NotMem,
    /// `∣`
    Dvd,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `^`
    Pow,
    /// `∧`
    And,
    /// `∨`
    Or,
    /// `↔`
    Iff,
    /// `&&`
    BoolAnd,
    /// `||`
    BoolOr,
    /// `^^`, Boolean exclusive or
    BoolXor,
    /// `::`
    Cons,
    /// `++`
    Append,
    /// `&&&`
    BitAnd,
    /// `|||`
    BitOr,
    /// `^^^`
    BitXor,
    /// `<<<`
    Shl,
    /// `>>>`
    Shr,
    /// `∘`
    Comp,
    /// `×`
    Prod,
    /// `×'`
    PProd,
    /// `•`
    SMul,
}
