//! Why a declaration is refused: one variant for each rule that can be broken.

use std::fmt;

use crate::expr::Expr;
use crate::level::Level;
use crate::name::Name;
use crate::store::Store;

/// The rule that a declaration (or a term given to a checker) breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KernelError {
    /// A constant of this name exists already, or would be made twice.
    AlreadyDeclared(Name),
    /// A universe parameter is listed twice.
    DuplicateUnivParam(Name),
    /// A universe parameter is used that the declaration does not list.
    UndeclaredUnivParam(Name),
    /// No constant of this name exists.
    UnknownConstant(Name),
    /// A constant is given the wrong number of universe arguments.
    UnivArgCount {
        /// The constant.
        name: Name,
        /// How many parameters it has.
        expected: usize,
        /// How many arguments were given.
        found: usize,
    },
    /// A bound variable that no binder binds.
    LooseBVar(Expr),
    /// A free variable that the local context does not know (a declaration may contain none).
    FreeVariable(Expr),
    /// A term metavariable in a term to be checked.
    MetaVariable(Expr),
    /// A universe metavariable in a term to be checked.
    LevelMetaVariable(Expr),
    /// A type was needed (its type is a sort) and this is none.
    TypeExpected {
        /// The term in the place of a type.
        term: Expr,
        /// Its type, which is no sort.
        ty: Expr,
    },
    /// A function was needed and this is none.
    FunctionExpected {
        /// The term that is applied.
        term: Expr,
        /// Its type, which is no Π type.
        ty: Expr,
    },
    /// An argument does not have the type that the function asks for.
    ArgumentMismatch {
        /// The function, with the arguments before this one.
        fun: Expr,
        /// The argument.
        arg: Expr,
        /// The type asked for.
        expected: Expr,
        /// The type of the argument.
        found: Expr,
    },
    /// The value of a `let` does not have the declared type.
    LetMismatch {
        /// The value.
        value: Expr,
        /// The declared type.
        expected: Expr,
        /// The type of the value.
        found: Expr,
    },
    /// The value of a definition, theorem or opaque constant does not have the declared type.
    DeclarationMismatch {
        /// The declaration.
        name: Name,
        /// The declared type.
        expected: Expr,
        /// The type of the value.
        found: Expr,
    },
    /// The type of a theorem is no proposition.
    TheoremNotProp {
        /// The theorem.
        name: Name,
        /// Its type.
        ty: Expr,
    },
    /// A projection from a term whose type is no inductive type with a single constructor.
    ProjNotStructure {
        /// The term.
        term: Expr,
        /// Its type.
        ty: Expr,
    },
    /// A projection names another structure than the one its term belongs to.
    ProjWrongStructure {
        /// The structure named.
        named: Name,
        /// The structure of the term.
        found: Name,
    },
    /// A projection to a field that does not exist.
    ProjIndex {
        /// The structure.
        structure: Name,
        /// The index.
        index: u32,
    },
    /// A projection takes data out of a proof (or depends on data in it).
    ProjFromProp {
        /// The structure, a proposition.
        structure: Name,
        /// The index of the field.
        index: u32,
    },
    /// A `Nat` literal, but no `Nat` with Lean's constructors exists.
    NatLiteral,
    /// A `String` literal, but no `String.ofList`, `List`, `Char.ofNat` with Lean's types exists.
    StringLiteral,
    /// An inductive declaration without types.
    EmptyInductive,
    /// A constructor mentions a type of its declaration with other parameters or universes than those of the declaration.
    NonUniform(Name),
    /// A nested occurrence of a type, within parameters of an earlier inductive type that mention local variables too.
    NestedLocal {
        /// The constructor.
        ctor: Name,
        /// The inductive type around the occurrence.
        within: Name,
    },
    /// An inductive type has fewer arguments than the declaration has parameters.
    ParamCount(Name),
    /// The parameters of a type or constructor differ from those of the declaration.
    ParamMismatch {
        /// The type or constructor.
        name: Name,
        /// The parameter's position.
        index: u32,
    },
    /// The types of one declaration live in different universes.
    MutualUniverse(Name),
    /// A constructor does not end in its type applied to the parameters and as many indices as it has.
    CtorResult {
        /// The constructor.
        ctor: Name,
        /// What it ends in.
        result: Expr,
    },
    /// A field of a constructor lives in a larger universe than the inductive type.
    CtorUniverse {
        /// The constructor.
        ctor: Name,
        /// The position of the field among all arguments of the constructor.
        index: u32,
        /// The universe of the field.
        field: Level,
        /// The universe of the inductive type.
        inductive: Level,
    },
    /// The inductive type occurs to the left of an arrow in a field of a constructor.
    NonPositive {
        /// The constructor.
        ctor: Name,
        /// The position of the field among all arguments of the constructor.
        index: u32,
    },
    /// The inductive type occurs in a field in a place where it may not (in an argument of something else, in an
    /// index, with other parameters).
    InvalidOccurrence {
        /// The constructor.
        ctor: Name,
        /// The position of the field among all arguments of the constructor.
        index: u32,
    },
    /// Quotients need an `Eq` that is Lean's.
    QuotNeedsEq,
    /// `max_steps` of the limits was passed.
    OutOfSteps,
    /// `max_depth` of the limits was passed.
    TooDeep,
    /// `max_nat_bits` of the limits was passed.
    NatTooBig,
    /// `max_terms` of the limits was passed.
    TooManyTerms,
}

impl KernelError {
    /// The message, with names and terms spelled out.
    pub fn display<'s, 'b>(&'s self, store: &'s Store<'b>) -> impl fmt::Display + use<'s, 'b> {
        Shown { error: self, store }
    }
}

struct Shown<'s, 'b> {
    error: &'s KernelError,
    store: &'s Store<'b>,
}

impl fmt::Display for Shown<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use KernelError::*;
        let n = |n: &Name| self.store.name_to_string(*n);
        let e = |e: &Expr| self.store.show(*e);
        let l = |l: &Level| self.store.show_level(*l);
        match self.error {
            AlreadyDeclared(x) => write!(f, "`{}` is declared already", n(x)),
            DuplicateUnivParam(x) => write!(f, "universe parameter `{}` is listed twice", n(x)),
            UndeclaredUnivParam(x) => write!(f, "universe parameter `{}` is not declared", n(x)),
            UnknownConstant(x) => write!(f, "unknown constant `{}`", n(x)),
            UnivArgCount {
                name,
                expected,
                found,
            } => write!(
                f,
                "`{}` takes {expected} universe arguments and is given {found}",
                n(name)
            ),
            LooseBVar(x) => write!(f, "a bound variable without binder in `{}`", e(x)),
            FreeVariable(x) => write!(f, "unknown free variable in `{}`", e(x)),
            MetaVariable(x) => write!(f, "a metavariable in `{}`", e(x)),
            LevelMetaVariable(x) => write!(f, "a universe metavariable in `{}`", e(x)),
            TypeExpected { term, ty } => {
                write!(
                    f,
                    "a type is expected, but `{}` has type `{}`",
                    e(term),
                    e(ty)
                )
            }
            FunctionExpected { term, ty } => write!(
                f,
                "a function is expected, but `{}` has type `{}`",
                e(term),
                e(ty)
            ),
            ArgumentMismatch {
                fun,
                arg,
                expected,
                found,
            } => write!(
                f,
                "in the application of `{}`, the argument `{}` has type `{}` but `{}` is expected",
                e(fun),
                e(arg),
                e(found),
                e(expected)
            ),
            LetMismatch {
                value,
                expected,
                found,
            } => write!(
                f,
                "the let value `{}` has type `{}` but `{}` is declared",
                e(value),
                e(found),
                e(expected)
            ),
            DeclarationMismatch {
                name,
                expected,
                found,
            } => write!(
                f,
                "the value of `{}` has type `{}` but `{}` is declared",
                n(name),
                e(found),
                e(expected)
            ),
            TheoremNotProp { name, ty } => write!(
                f,
                "the type of theorem `{}` is no proposition: `{}`",
                n(name),
                e(ty)
            ),
            ProjNotStructure { term, ty } => write!(
                f,
                "a projection of `{}`, whose type `{}` is no structure",
                e(term),
                e(ty)
            ),
            ProjWrongStructure { named, found } => write!(
                f,
                "a projection of `{}` applied to a value of `{}`",
                n(named),
                n(found)
            ),
            ProjIndex { structure, index } => {
                write!(f, "`{}` has no field number {index}", n(structure))
            }
            ProjFromProp { structure, index } => write!(
                f,
                "field {index} of `{}` is data, and the structure is a proposition",
                n(structure)
            ),
            NatLiteral => write!(f, "a `Nat` literal without Lean's `Nat`"),
            StringLiteral => write!(
                f,
                "a `String` literal without Lean's `String.ofList`, `List` and `Char.ofNat`"
            ),
            EmptyInductive => write!(f, "an inductive declaration without types"),
            NonUniform(x) => write!(
                f,
                "`{}` mentions a type of its declaration at other parameters or universes",
                n(x)
            ),
            NestedLocal { ctor, within } => write!(
                f,
                "`{}` nests its type within `{}` at parameters that mention local variables",
                n(ctor),
                n(within)
            ),
            ParamCount(x) => write!(f, "`{}` has fewer arguments than parameters", n(x)),
            ParamMismatch { name, index } => {
                write!(
                    f,
                    "parameter {index} of `{}` is not the declared one",
                    n(name)
                )
            }
            MutualUniverse(x) => write!(
                f,
                "`{}` lives in another universe than the first type of its declaration",
                n(x)
            ),
            CtorResult { ctor, result } => write!(
                f,
                "constructor `{}` ends in `{}`, which is not its type applied to its parameters and indices",
                n(ctor),
                e(result)
            ),
            CtorUniverse {
                ctor,
                index,
                field,
                inductive,
            } => write!(
                f,
                "argument {index} of constructor `{}` lives in universe {}, beyond that of its type, {}",
                n(ctor),
                l(field),
                l(inductive)
            ),
            NonPositive { ctor, index } => write!(
                f,
                "argument {index} of constructor `{}` has a non-positive occurrence of its type",
                n(ctor)
            ),
            InvalidOccurrence { ctor, index } => write!(
                f,
                "argument {index} of constructor `{}` has an invalid occurrence of its type",
                n(ctor)
            ),
            QuotNeedsEq => write!(f, "quotients need Lean's `Eq`"),
            OutOfSteps => write!(f, "out of steps (limit max_steps)"),
            TooDeep => write!(f, "too deep (limit max_depth)"),
            NatTooBig => write!(f, "number too big (limit max_nat_bits)"),
            TooManyTerms => write!(f, "too many terms (limit max_terms)"),
        }
    }
}
