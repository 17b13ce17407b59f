//! Tactics in the syntax tree.
//!
//! Tactics with a shape of their own have a variant; every other word at the head of a tactic becomes
//! [`TacticKind::Named`] with its arguments, so that an unknown tactic is found (with near matches) by the elaborator and
//! a new tactic needs no change of grammar.

use super::{
    BinderName, CalcStep, Discr, FunBinder, Ident, LetDecl, NumLit, Pattern, Span, StrLit, Term,
};

/// A sequence of tactics, run one after the other on the first goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TacticBlock {
    /// The tactics; empty only after an error, or for `by` before a command.
    pub tactics: Vec<Tactic>,
    /// From the introducing word (`by`, `·`, `=>`) to the end of the last tactic.
    pub span: Span,
}

/// A tactic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tactic {
    /// What it is.
    pub kind: TacticKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a tactic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TacticKind {
    /// `intro x ⟨a, b⟩ (y : T) _`; without arguments one anonymous name
    Intro(Vec<FunBinder>),
    /// `intros x y`; without names, as many as there are
    Intros(Vec<BinderName>),
    /// `rintro x ⟨a, b⟩ (c | d)`
    RIntro(Vec<RPattern>),
    /// `exact e`
    Exact(Term),
    /// `apply e`
    Apply(Term),
    /// `refine e`
    Refine(Term),
    /// `constructor`
    Constructor,
    /// `left`
    Left,
    /// `right`
    Right,
    /// `exfalso`
    Exfalso,
    /// `contradiction`
    Contradiction,
    /// `trivial`
    Trivial,
    /// `rfl`
    Rfl,
    /// `assumption`
    Assumption,
    /// `decide`
    Decide,
    /// `omega`
    Omega,
    /// `ring`
    Ring,
    /// `done`
    Done,
    /// `sorry`
    Sorry,
    /// `skip`
    Skip,
    /// `symm`, `symm at h`
    Symm(Option<Location>),
    /// `trans e`
    Trans(Option<Term>),
    /// `cases h`, `cases h : e with | c x y => tacs`
    Cases {
        /// What is taken apart.
        targets: Vec<Discr>,
        /// `using r`
        using: Option<Term>,
        /// The alternatives after `with`; `None` without `with`.
        alts: Option<Vec<InductionAlt>>,
    },
    /// `cases' h with x y`: names for all goals in turn
    CasesPrime {
        /// What is taken apart.
        target: Discr,
        /// The patterns after `with`.
        with: Vec<RPattern>,
    },
    /// `rcases h with pat`, `rcases h : e with pat`
    RCases {
        /// What is taken apart.
        targets: Vec<Discr>,
        /// The patterns after `with`, one a target.
        with: Option<RPattern>,
    },
    /// `obtain pat : T := e`; without `:= e` a goal for `T` is opened
    Obtain {
        /// The pattern.
        pat: Option<RPattern>,
        /// The type.
        ty: Option<Term>,
        /// The value.
        value: Option<Term>,
    },
    /// `induction x using r generalizing y with | …`
    Induction {
        /// The variables of the induction.
        targets: Vec<Discr>,
        /// `using r`
        using: Option<Term>,
        /// `generalizing y z`
        generalizing: Vec<Ident>,
        /// The alternatives after `with`.
        alts: Option<Vec<InductionAlt>>,
    },
    /// `rw [← h, foo a] at h ⊢`
    Rw {
        /// `rw`, `rewrite` (no closing `rfl`), `rwa` (closing `assumption`)
        flavour: RwFlavour,
        /// The rules.
        rules: Vec<RwRule>,
        /// Where.
        loc: Option<Location>,
    },
    /// `simp`, `simp only [..] at h`, `simp_all`, `dsimp`, `simpa using e`
    Simp {
        /// Which of them.
        flavour: SimpFlavour,
        /// `only`
        only: bool,
        /// `+contextual`
        contextual: bool,
        /// The list in brackets.
        args: Option<Vec<SimpArg>>,
        /// `using e` (only `simpa`)
        using: Option<Term>,
        /// Where.
        loc: Option<Location>,
    },
    /// `unfold f g at h`
    Unfold {
        /// The constants.
        names: Vec<Ident>,
        /// Where.
        loc: Option<Location>,
    },
    /// `exists a, b`
    Exists(Vec<Term>),
    /// `use a, b`
    Use(Vec<Term>),
    /// `have h : T := e` and all its forms
    Have(Box<LetDecl>),
    /// `let x : T := e`
    Let(Box<LetDecl>),
    /// `suffices h : T from e`, `suffices h : T by tacs`, `suffices h : T`
    Suffices {
        /// The name, `None` for `this`.
        name: Option<BinderName>,
        /// What suffices.
        ty: Term,
        /// The goal from it (a [`super::TermKind::By`] for `by`); `None` leaves that as the first goal.
        proof: Option<Term>,
    },
    /// `show T`, `show T from e`, `show T by tacs`
    Show {
        /// The goal as it should look.
        ty: Term,
        /// Its proof, if given at once.
        proof: Option<Term>,
    },
    /// `change T at h`
    Change {
        /// The new form.
        ty: Term,
        /// Where.
        loc: Option<Location>,
    },
    /// `subst h k`
    Subst(Vec<Term>),
    /// `ext x ⟨a, b⟩`
    Ext(Vec<RPattern>),
    /// `funext x y`
    Funext(Vec<BinderName>),
    /// `congr`, `congr 2`
    Congr(Option<NumLit>),
    /// `split`, `split at h`
    Split(Option<Location>),
    /// `split_ifs at h with a b`
    SplitIfs {
        /// Where.
        loc: Option<Location>,
        /// Names for the new hypotheses.
        names: Vec<BinderName>,
    },
    /// `by_cases h : p`, `by_cases p`
    ByCases {
        /// The name.
        hyp: Option<BinderName>,
        /// The proposition.
        prop: Term,
    },
    /// `specialize h a b`
    Specialize(Term),
    /// `generalize h : e = x, e2 = y at k`
    Generalize {
        /// The generalizations, at least one.
        args: Vec<GeneralizeArg>,
        /// Where.
        loc: Option<Location>,
    },
    /// `clear h k`
    Clear(Vec<Ident>),
    /// `revert h k`
    Revert(Vec<Ident>),
    /// `rename_i x _ y`
    RenameI(Vec<BinderName>),
    /// `first | t | t`
    First(Vec<TacticBlock>),
    /// `try t`
    Try(TacticBlock),
    /// `repeat t`
    Repeat(TacticBlock),
    /// `all_goals t`
    AllGoals(TacticBlock),
    /// `any_goals t`
    AnyGoals(TacticBlock),
    /// `t <;> t'`
    AndThen(Box<Tactic>, Box<Tactic>),
    /// `case c x y | d z => t`
    Case {
        /// The goals' names with names for their new hypotheses.
        tags: Vec<CaseTag>,
        /// The proof.
        body: TacticBlock,
    },
    /// `next x y => t`
    Next {
        /// Names for the new hypotheses.
        names: Vec<BinderName>,
        /// The proof.
        body: TacticBlock,
    },
    /// `· t` (ASCII `. t`)
    Focus(TacticBlock),
    /// `(t; t')`
    Paren(TacticBlock),
    /// `calc …`
    Calc(Vec<CalcStep>),
    /// `match e with | p => tacs`
    Match {
        /// The scrutinees.
        discrs: Vec<Discr>,
        /// The alternatives.
        alts: Vec<TacticMatchAlt>,
    },
    /// Any other tactic: a word and what follows it
    Named {
        /// The word.
        name: Ident,
        /// Its arguments in the order written.
        args: Vec<TacticArg>,
    },
    /// Something that did not parse; an error was reported for it
    Error,
}

/// An argument of a tactic that has no grammar of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TacticArg {
    /// What it is.
    pub kind: TacticArgKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an argument of [`TacticKind::Named`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TacticArgKind {
    /// An atomic term: `h`, `5`, `(f x)`, `"text"`, `⟨a, b⟩`
    Term(Term),
    /// `(x := e)`
    Assign(Ident, Term),
    /// `[h, ← k, -l, *]`
    List(Vec<SimpArg>),
    /// `: e`
    Colon(Term),
    /// `at h ⊢`
    At(Location),
    /// `with x ⟨a, b⟩`
    With(Vec<RPattern>),
    /// `with | c x => tacs | …`
    Alts(Vec<InductionAlt>),
    /// `using e`
    Using(Term),
    /// `generalizing x y`
    Generalizing(Vec<Ident>),
    /// `from e`
    From(Term),
    /// `:= e`
    Value(Term),
    /// `=> tacs`
    Block(TacticBlock),
}

/// Where a tactic works: `at h k ⊢` or `at *`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The hypotheses; empty for `at *`.
    pub hyps: Vec<Ident>,
    /// `⊢` (ASCII `|-`) was listed.
    pub goal: bool,
    /// `at *`
    pub everywhere: bool,
    /// From `at` on.
    pub span: Span,
}

/// The variants of `rw`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RwFlavour {
    /// `rw`: tries `rfl` afterwards
    Rw,
    /// `rewrite`
    Rewrite,
    /// `rwa`: then `assumption`
    Rwa,
}

/// A rule `← e` or `e` of `rw`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RwRule {
    /// `←`
    pub rev: bool,
    /// The equation.
    pub term: Term,
    /// The rule, arrow included.
    pub span: Span,
}

/// The variants of `simp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimpFlavour {
    /// `simp`
    Simp,
    /// `simp_all`
    SimpAll,
    /// `dsimp`
    Dsimp,
    /// `simpa`
    Simpa,
}

/// An item in the brackets of `simp`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpArg {
    /// What it is.
    pub kind: SimpArgKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an item in the brackets of `simp`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SimpArgKind {
    /// `*`: all hypotheses
    Star,
    /// `-foo`: without this rule
    Minus(Ident),
    /// `e`, `← e`
    Rule {
        /// `←`
        rev: bool,
        /// The equation, or a definition to unfold.
        term: Term,
    },
}

/// `| c x y => tacs` of `cases` and `induction`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InductionAlt {
    /// One entry for each `|` before the arrow; usually one.
    pub heads: Vec<InductionAltHead>,
    /// The proof.
    pub body: TacticBlock,
    /// From the first `|` on.
    pub span: Span,
}

/// `c x y`, `@c x y`, `_`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InductionAltHead {
    /// The constructor; `None` for `_`, which takes every case that is left.
    pub ctor: Option<Ident>,
    /// `@`: names for implicit arguments too
    pub explicit: bool,
    /// Names of the arguments, then of the induction hypotheses.
    pub vars: Vec<BinderName>,
    /// Where it stands.
    pub span: Span,
}

/// A goal's tag in `case`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseTag {
    /// The tag; `None` for `_`.
    pub tag: BinderName,
    /// Names for its new hypotheses.
    pub vars: Vec<BinderName>,
}

/// `h : e = x`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneralizeArg {
    /// The name of the equation.
    pub hyp: Option<BinderName>,
    /// What is generalized.
    pub e: Term,
    /// The new variable.
    pub var: BinderName,
}

/// `| p, q => tacs` of the tactic `match`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TacticMatchAlt {
    /// One row of patterns for each `|`.
    pub rows: Vec<Vec<Pattern>>,
    /// The proof.
    pub body: TacticBlock,
    /// From the first `|` on.
    pub span: Span,
}

/// A pattern of `rcases`, `obtain`, `rintro`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RPattern {
    /// What it is.
    pub kind: RPatternKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an `rcases` pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RPatternKind {
    /// `_`
    Wild,
    /// `x`
    Name(Ident),
    /// `rfl`: substitute
    Rfl,
    /// `-`: clear
    Clear,
    /// `⟨p, q⟩`
    Tuple(Vec<RPattern>),
    /// `p | q`, two or more
    Alts(Vec<RPattern>),
    /// `(p : T)`
    Typed(Box<RPattern>, Box<Term>),
}

impl TacticArg {
    /// The string of a string-literal argument.
    pub fn as_str(&self) -> Option<StrLit> {
        match &self.kind {
            TacticArgKind::Term(Term {
                kind: super::TermKind::Str(value),
                span,
            }) => Some(StrLit {
                value: value.clone(),
                span: *span,
            }),
            _ => None,
        }
    }
}
