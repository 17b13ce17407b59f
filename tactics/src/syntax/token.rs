//! Tokens: the fixed ones are found by `logos`; keywords are told from names by their text; words of user notations
//! are put in by the [lexer](super::lexer).

use logos::Logos;

use super::ast::Span;

/// A token with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub tok: Tok,
    /// Its bytes.
    pub span: Span,
    /// Its line, from 0.
    pub line: u32,
    /// Its column in characters, from 0.
    pub col: u32,
    /// It is the first token of its line.
    pub first_of_line: bool,
    /// Blanks (or nothing at all) stand before it.
    pub space_before: bool,
    /// For an opening bracket, the index of the closing one that matches, if any.
    pub close: Option<u32>,
}

/// The kinds of a token.
///
/// An identifier follows Lean's rule: letters, Greek without `λ Π Σ`, letter-like symbols, `_`; then also digits,
/// `'`, `?` and subscripts. (`!` is left out, so that `a!=b` is read as people mean it.)
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\u{feff}]+")]
#[logos(skip(r"--[^\n]*", allow_greedy = true))]
#[logos(subpattern start = r"[A-Za-z_À-ÖØ-öø-ſα-κμ-ωΑ-ΟΡΤ-Ωϊ-ϻἀ-῾℀-⅏\u{1d49c}-\u{1d59f}]")]
#[logos(subpattern rest = r"[A-Za-z_À-ÖØ-öø-ſα-κμ-ωΑ-ΟΡΤ-Ωϊ-ϻἀ-῾℀-⅏\u{1d49c}-\u{1d59f}0-9'?₀-₉ₐ-ₜᵢ-ᵪⱼ]")]
#[logos(subpattern part = r"((?&start)(?&rest)*|«[^»\n]+»)")]
pub enum Tok {
    /// A name, dotted or not.
    #[regex(r"(?&part)(\.(?&part))*")]
    Ident,
    /// `?x`, `?_`
    #[regex(r"\?(?&start)(?&rest)*")]
    SynthHole,
    /// `0`, `0x1f`, `0b1`, `0o7`
    #[regex(r"[0-9][0-9_]*|0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+")]
    Num,
    /// `"text"`, on one line unless the line ends in `\`
    #[regex(r#""([^"\\\n]|\\(.|\n))*""#)]
    Str,
    /// `'c'`
    #[regex(
        r"'([^'\\\n]|\\[^xu\n]|\\x[0-9a-fA-F][0-9a-fA-F]|\\u[0-9a-fA-F]{4})'",
        priority = 20
    )]
    Char,
    /// `#check`
    #[regex(r"#[a-z_]+")]
    Hash,
    /// `/- … -/`; the lexer finds its end and drops it.
    #[token("/-")]
    #[token("/-!")]
    BlockComment,
    /// `/-- … -/`
    #[token("/--")]
    Doc,

    /// `(`
    #[token("(")]
    LParen,
    /// `)`
    #[token(")")]
    RParen,
    /// `[`
    #[token("[")]
    LBracket,
    /// `]`
    #[token("]")]
    RBracket,
    /// `{`
    #[token("{")]
    LBrace,
    /// `}`
    #[token("}")]
    RBrace,
    /// `⦃`
    #[token("⦃")]
    LStrict,
    /// `⦄`
    #[token("⦄")]
    RStrict,
    /// `⟨`, `(|`
    #[token("⟨")]
    #[token("(|")]
    LAngle,
    /// `⟩`, `|)`
    #[token("⟩")]
    #[token("|)")]
    RAngle,
    /// `‹`, `\<`
    #[token("‹")]
    #[token(r"\<")]
    LQuote,
    /// `›`, `\>`
    #[token("›")]
    #[token(r"\>")]
    RQuote,
    /// `,`
    #[token(",")]
    Comma,
    /// `;`
    #[token(";")]
    Semi,
    /// `:`
    #[token(":")]
    Colon,
    /// `:=`
    #[token(":=")]
    Assign,
    /// `.`
    #[token(".")]
    Dot,
    /// `.{`
    #[token(".{")]
    DotBrace,
    /// `→`, `->`
    #[token("→")]
    #[token("->")]
    Arrow,
    /// `←`, `<-`
    #[token("←")]
    #[token("<-")]
    LeftArrow,
    /// `=>`, `↦`
    #[token("=>")]
    #[token("↦")]
    FatArrow,
    /// `|`
    #[token("|")]
    Bar,
    /// `|>`
    #[token("|>")]
    PipeRight,
    /// `<|`
    #[token("<|")]
    PipeLeft,
    /// `<;>`
    #[token("<;>")]
    AndThen,
    /// `·`
    #[token("·")]
    CDot,
    /// `⊢`, `|-`
    #[token("⊢")]
    #[token("|-")]
    Turnstile,
    /// `@`
    #[token("@")]
    At,
    /// `@[`
    #[token("@[")]
    AtBracket,
    /// `//`
    #[token("//")]
    SlashSlash,
    /// `_`
    #[token("_", priority = 20)]
    Underscore,
    /// `∀`
    #[token("∀")]
    Forall,
    /// `∃`
    #[token("∃")]
    Exists,
    /// `λ`
    #[token("λ")]
    Lambda,
    /// `Σ`, `\Sigma`
    #[token("Σ")]
    #[token(r"\Sigma")]
    Sigma,
    /// `Σ'`, `\Sigma'`
    #[token("Σ'")]
    #[token(r"\Sigma'")]
    PSigma,
    /// `▸`, `\t`
    #[token("▸")]
    #[token(r"\t")]
    Triangle,

    /// `=`
    #[token("=")]
    Eq,
    /// `≠`, `/=`
    #[token("≠")]
    #[token("/=")]
    Ne,
    /// `≍`, `\heq`
    #[token("≍")]
    #[token(r"\heq")]
    HEq,
    /// `<`
    #[token("<")]
    Lt,
    /// `≤`, `<=`
    #[token("≤")]
    #[token("<=")]
    Le,
    /// `>`
    #[token(">")]
    Gt,
    /// `≥`, `>=`
    #[token("≥")]
    #[token(">=")]
    Ge,
    /// `==`
    #[token("==")]
    BEq,
    /// `!=`
    #[token("!=")]
    BNe,
    /// `∈`, `\in`
    #[token("∈")]
    #[token(r"\in")]
    Mem,
    /// `∉`, `\notin`
    #[token("∉")]
    #[token(r"\notin")]
    NotMem,
    /// `∣`, `\|`
    #[token("∣")]
    #[token(r"\|")]
    Dvd,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `*`
    #[token("*")]
    Star,
    /// `/`
    #[token("/")]
    Slash,
    /// `%`
    #[token("%")]
    Percent,
    /// `^`
    #[token("^")]
    Caret,
    /// `∧`, `/\`
    #[token("∧")]
    #[token(r"/\")]
    And,
    /// `∨`, `\/`
    #[token("∨")]
    #[token(r"\/")]
    Or,
    /// `¬`
    #[token("¬")]
    Not,
    /// `↔`, `<->`
    #[token("↔")]
    #[token("<->")]
    Iff,
    /// `&&`
    #[token("&&")]
    AmpAmp,
    /// `||`
    #[token("||")]
    BarBar,
    /// `^^`
    #[token("^^")]
    CaretCaret,
    /// `!`
    #[token("!")]
    Bang,
    /// `↑`
    #[token("↑")]
    UpArrow,
    /// `::`
    #[token("::")]
    ColonColon,
    /// `++`
    #[token("++")]
    PlusPlus,
    /// `&&&`
    #[token("&&&")]
    Amp3,
    /// `|||`
    #[token("|||")]
    Bar3,
    /// `^^^`
    #[token("^^^")]
    Caret3,
    /// `<<<`
    #[token("<<<")]
    Lt3,
    /// `>>>`
    #[token(">>>")]
    Gt3,
    /// `∘`, `\circ`
    #[token("∘")]
    #[token(r"\circ")]
    Circ,
    /// `×`, `><`, `\times`
    #[token("×")]
    #[token("><")]
    #[token(r"\times")]
    Times,
    /// `×'`, `><'`, `\times'`
    #[token("×'")]
    #[token("><'")]
    #[token(r"\times'")]
    PTimes,
    /// `•`, `\smul`
    #[token("•")]
    #[token(r"\smul")]
    Bullet,

    /// A character that begins no token; also a `"` or `/-` without its end.
    #[regex(r"[^\n]", priority = 0)]
    Unknown,

    /// A keyword.
    Kw(Kw),
    /// A word of a user notation, by its number in the table.
    User(u32),
    /// The end of the text.
    Eof,
}

macro_rules! keywords {
    ($($variant:ident $text:literal,)*) => {
        /// The reserved words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Kw { $($variant,)* }

        impl Kw {
            /// The keyword with this text.
            pub fn from_text(text: &str) -> Option<Kw> {
                match text { $($text => Some(Kw::$variant),)* _ => None }
            }

            /// Its text.
            pub fn text(self) -> &'static str {
                match self { $(Kw::$variant => $text,)* }
            }

            /// All of them.
            pub const ALL: &'static [Kw] = &[$(Kw::$variant,)*];
        }
    };
}

keywords! {
    // Commands first: `Kw::is_command` relies on the order.
    Import "import",
    Namespace "namespace",
    Section "section",
    End "end",
    Variable "variable",
    Universe "universe",
    InitQuot "init_quot",
    Open "open",
    Private "private",
    Def "def",
    Theorem "theorem",
    Lemma "lemma",
    Example "example",
    Abbrev "abbrev",
    Axiom "axiom",
    Opaque "opaque",
    Inductive "inductive",
    Structure "structure",
    Mutual "mutual",
    Notation "notation",
    Infix "infix",
    Infixl "infixl",
    Infixr "infixr",
    Prefix "prefix",
    Postfix "postfix",
    Attribute "attribute",
    SetOption "set_option",
    // Terms and parts of commands.
    Fun "fun",
    Forall "forall",
    Exists "exists",
    Let "let",
    Have "have",
    Show "show",
    Suffices "suffices",
    From "from",
    Match "match",
    NoMatch "nomatch",
    With "with",
    If "if",
    Then "then",
    Else "else",
    By "by",
    At "at",
    Using "using",
    Generalizing "generalizing",
    Calc "calc",
    Sorry "sorry",
    Prop "Prop",
    Type "Type",
    Sort "Sort",
    Where "where",
    Extends "extends",
    Deriving "deriving",
    TerminationBy "termination_by",
    DecreasingBy "decreasing_by",
}

impl Kw {
    /// True for a word that begins a command (and can therefore stand nowhere else).
    pub fn is_command(self) -> bool {
        (self as u8) <= (Kw::SetOption as u8)
    }
}
