//! Commands in the syntax tree: what stands at the top level of a script.

use std::sync::Arc;

use super::{Binder, BinderName, Ident, MatchAlt, NumLit, Span, StrLit, TacticBlock, Term};

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// What it is.
    pub kind: CommandKind,
    /// The whole command, modifiers and doc comment included.
    pub span: Span,
    /// The keyword (`def`, `theorem`, …), for errors that concern the whole command.
    pub keyword: Span,
}

/// The forms of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandKind {
    /// `import "path"`, `import lib.nat`
    Import(Import),
    /// `namespace N`
    Namespace(Ident),
    /// `section`, `section S`
    Section(Option<Ident>),
    /// `end`, `end N`
    End(Option<Ident>),
    /// `variable (x : T) {y}`
    Variable(Vec<Binder>),
    /// `universe u v`
    Universe(Vec<Ident>),
    /// `init_quot`: declares `Quot`, `Quot.mk`, `Quot.lift` and `Quot.ind`
    InitQuot,
    /// `open A B`, `open A (x y)`
    Open(Vec<OpenDecl>),
    /// `def`, `theorem`, `lemma`, `example`, `abbrev`, `axiom`, `opaque`
    Decl(Box<Decl>),
    /// `inductive`
    Inductive(Box<InductiveDecl>),
    /// `structure`
    Structure(Box<StructureDecl>),
    /// `mutual … end`
    Mutual(Vec<Command>),
    /// `infixl:65 " op " => f`, `notation "‖" x "‖" => norm x`. The parser honours it from here on; the elaborator
    /// may want to check that the right-hand side makes sense.
    Notation(Arc<NotationDecl>),
    /// `#check e`
    Check(Term),
    /// `#eval e`
    Eval(Term),
    /// `#print f`
    Print(Ident),
    /// `#axioms f`, `#print axioms f`
    Axioms(Ident),
    /// `#search t`: a term with holes (`_ + 0 = _`), names, or a string
    Search(Vec<Term>),
    /// `attribute [simp, -simp] foo bar`
    Attribute {
        /// What to set or remove.
        attrs: Vec<Attr>,
        /// Of what.
        names: Vec<Ident>,
    },
    /// `set_option name value`
    SetOption {
        /// The option.
        name: Ident,
        /// Its value.
        value: OptionValue,
    },
    /// `ptx_isa`, and whatever follows on the command
    PtxIsa(Vec<PtxArg>),
    /// `ptx_module m from "file.ptx" entries a b`
    PtxModule(PtxModule),
    /// Any other command that begins with `ptx_`
    PtxOther {
        /// The word.
        word: Ident,
        /// What follows.
        args: Vec<PtxArg>,
    },
    /// A command that did not parse; errors were reported for it
    Error {
        /// The name it would have declared, if that much was read.
        name: Option<Ident>,
    },
}

/// `import …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Import {
    /// `import "dir/file.ptxp"`, relative to the importing file
    Path(StrLit),
    /// `import lib.nat`
    Module(Ident),
}

/// A namespace in `open`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDecl {
    /// The namespace.
    pub namespace: Ident,
    /// `(x y)`: only these names.
    pub only: Option<Vec<Ident>>,
}

/// What may precede a declaration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Modifiers {
    /// `/-- … -/`, without the delimiters and surrounding blanks.
    pub doc: Option<DocComment>,
    /// `@[…]`
    pub attrs: Vec<Attr>,
    /// `private`
    pub private: Option<Span>,
}

/// A documentation comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocComment {
    /// The text between the delimiters, trimmed.
    pub text: String,
    /// The comment, delimiters included.
    pub span: Span,
}

/// An attribute `simp`, `-simp`, `elab_as simple 3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attr {
    /// Its name.
    pub name: Ident,
    /// `-name`: remove it.
    pub remove: bool,
    /// Its arguments.
    pub args: Vec<AttrArg>,
    /// Where it stands.
    pub span: Span,
}

/// An argument of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttrArg {
    /// `foo`
    Ident(Ident),
    /// `900`
    Num(NumLit),
    /// `"text"`
    Str(StrLit),
    /// `←`
    Rev(Span),
    /// `(x := e)`
    Assign(Ident, Term),
    /// `(e)`
    Term(Term),
}

/// The kinds of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeclKind {
    /// `def`
    Def,
    /// `theorem`
    Theorem,
    /// `lemma`: a theorem
    Lemma,
    /// `example`: checked, then forgotten
    Example,
    /// `abbrev`: a reducible definition
    Abbrev,
    /// `axiom`
    Axiom,
    /// `opaque`
    Opaque,
}

/// `def`, `theorem`, `lemma`, `example`, `abbrev`, `axiom`, `opaque`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decl {
    /// Which of them.
    pub kind: DeclKind,
    /// What precedes it.
    pub modifiers: Modifiers,
    /// The name; `None` only for `example`.
    pub name: Option<Ident>,
    /// `.{u, v}`
    pub levels: Option<Vec<Ident>>,
    /// The parameters.
    pub binders: Vec<Binder>,
    /// The type after `:`.
    pub ty: Option<Term>,
    /// The value.
    pub value: DeclValue,
    /// `termination_by`
    pub termination: Option<Termination>,
}

/// The value of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclValue {
    /// `axiom`, or `opaque` without a value
    None,
    /// `:= e`
    Term(Term),
    /// `| p, q => e | …`
    Equations(Vec<MatchAlt>),
}

/// `termination_by structural x y => e`, `decreasing_by tacs`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Termination {
    /// `structural`
    pub structural: bool,
    /// Names before `=>`.
    pub vars: Vec<BinderName>,
    /// The measure; `None` if only `decreasing_by` was written.
    pub measure: Option<Term>,
    /// `decreasing_by tacs`
    pub decreasing_by: Option<TacticBlock>,
    /// Where it stands.
    pub span: Span,
}

/// `inductive T.{u} (params) : idx → Sort v where | c : … | d (x : A) : …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InductiveDecl {
    /// What precedes it.
    pub modifiers: Modifiers,
    /// The name.
    pub name: Ident,
    /// `.{u, v}`
    pub levels: Option<Vec<Ident>>,
    /// The parameters.
    pub params: Vec<Binder>,
    /// The type after `:`; without it `Type` is to be inferred.
    pub ty: Option<Term>,
    /// The constructors.
    pub ctors: Vec<Ctor>,
}

/// A constructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ctor {
    /// Its doc comment.
    pub doc: Option<DocComment>,
    /// Its name, without the type's.
    pub name: Ident,
    /// Binders before the colon.
    pub binders: Vec<Binder>,
    /// Its type after `:`; without it the inductive type applied to its parameters.
    pub ty: Option<Term>,
    /// From `|` on.
    pub span: Span,
}

/// `structure S (params) extends A, B : Sort u where mk :: fields`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureDecl {
    /// What precedes it.
    pub modifiers: Modifiers,
    /// The name.
    pub name: Ident,
    /// `.{u, v}`
    pub levels: Option<Vec<Ident>>,
    /// The parameters.
    pub params: Vec<Binder>,
    /// The parents.
    pub extends: Vec<Term>,
    /// The sort after `:`.
    pub ty: Option<Term>,
    /// The constructor's name if written (`mk ::`).
    pub ctor: Option<Ident>,
    /// The fields.
    pub fields: Vec<StructField>,
}

/// `x y : T := default`, `(x : T)`, `{x : T}`, `f (a : A) : B`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructField {
    /// Its doc comment.
    pub doc: Option<DocComment>,
    /// Names, binder brackets, type and default. A field's own parameters are in `binders`.
    pub field: Binder,
    /// Parameters between the name and the colon.
    pub binders: Vec<Binder>,
    /// Where it stands.
    pub span: Span,
}

/// How a notation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fixity {
    /// `infix`: does not associate
    Infix,
    /// `infixl`
    Infixl,
    /// `infixr`
    Infixr,
    /// `prefix`
    Prefix,
    /// `postfix`
    Postfix,
    /// `notation`
    Mixfix,
}

/// A notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotationDecl {
    /// How it is written.
    pub fixity: Fixity,
    /// Its precedence as a whole.
    pub prec: u32,
    /// Its words and places; for `infix` and the like: place, word, place.
    pub items: Vec<NotationItem>,
    /// What it means: for `infix` and the like a function of the operands; for `notation` a term in the places'
    /// names.
    pub rhs: Term,
    /// The declaration.
    pub span: Span,
}

/// A part of a notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotationItem {
    /// A word, without surrounding blanks.
    Word(Arc<str>),
    /// A place for a term of at least this precedence.
    Place {
        /// Its name (`·1`, `·2` in `infix` and the like).
        name: Arc<str>,
        /// The precedence.
        prec: u32,
    },
}

/// The value of `set_option`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// `true`, `false`, or another word
    Word(Ident),
    /// A number
    Num(NumLit),
    /// A string
    Str(StrLit),
}

/// `ptx_module m from "file.ptx" sha256 "…" entries a b`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxModule {
    /// The name of the constant to define.
    pub name: Ident,
    /// The file, relative to the script.
    pub path: StrLit,
    /// The hash that the file must have, in hexadecimal, if the script pins it.
    pub sha256: Option<StrLit>,
    /// Only these entry points and what they call; `None` for all. Names that are no identifiers are written as
    /// strings or in `«»`.
    pub entries: Option<Vec<StrLit>>,
}

/// An argument of a `ptx_*` command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PtxArg {
    /// A word (keywords of terms such as `from` and `with` included)
    Word(Ident),
    /// A string
    Str(StrLit),
    /// A number
    Num(NumLit),
    /// `(x := e)`
    Assign(Ident, Term),
    /// `(e)`, `[a, b]`, `⟨a, b⟩`
    Term(Term),
    /// `:= e`, last
    Value(Term),
}
