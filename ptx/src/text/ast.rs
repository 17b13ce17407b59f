//! The syntax tree of a PTX module.
//!
//! It is generic on purpose: a directive is a list of dotted words, an instruction is an opcode, its modifiers in the
//! order of the text, and operands. What the words mean is decided elsewhere ([`crate::isa`]), so whatever a compiler
//! emits can be read and written back.

use super::lexer::Trivia;
use super::span::Span;

/// A whole PTX file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Module {
    /// Everything in the file, in order.
    pub items: Vec<Item>,
    /// The comments and white space between the tokens.
    pub trivia: Trivia,
}

/// Something at the top of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `.version 9.5` (ISA §11.1.1). The text is kept: `9.10` is not `9.1`.
    Version(Word),
    /// `.target sm_90a, debug` (ISA §11.1.2).
    Target(Vec<Word>),
    /// `.address_size 64` (ISA §11.1.3).
    AddressSize(Int),
    /// `.file 1 "a.cu", 0, 0` (ISA §11.5.3): index, quoted name, timestamp and size.
    File(Int, Word, Option<(Int, Int)>),
    /// `.section .debug_info { … }` (ISA §11.5.2).
    Section(Word, Vec<SectionLine>),
    /// A module-level variable.
    Variable(Decl),
    /// A kernel or a device function.
    Function(Function),
    /// `.alias a, b;` (ISA §11.2.3).
    Alias(Vec<Word>),
    /// `.pragma "…";`
    Pragma(Vec<Word>),
}

/// A word of the text: a name, a string with its quotes, or a version number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text itself.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A non-negative integer literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Int {
    /// Its value.
    pub value: u64,
    /// How it was written.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A floating-point literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Float {
    /// `(width, bits)` of the exact forms `0f…` and `0d…`; `None` for decimal notation.
    pub bits: Option<(u32, u64)>,
    /// How it was written.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A line of a `.section`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionLine {
    /// `label:`
    Label(Word),
    /// `.b8 1,2,3`
    Data(Word, Vec<SectionValue>),
}

/// A value in a `.section`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionValue {
    /// `12` or `-12`.
    Int(Sign, Int),
    /// A label or another section, with an offset: `.debug_loc+12`.
    Symbol(Word, Option<(Sign, Int)>),
}

/// A sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// None, or `+`.
    Plus,
    /// `-`.
    Minus,
}

/// A dotted word with what belongs to it: `.visible`, `.align 4`, `.reqntid 128, 1, 1`, `.attribute(.managed)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attr {
    /// The word, with its dot.
    pub word: Word,
    /// The numbers after it.
    pub numbers: Vec<Int>,
    /// What stands in parentheses after it.
    pub arguments: Option<Vec<AttrArgument>>,
}

/// Something in an attribute's parentheses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttrArgument {
    /// `.managed`
    Attr(Attr),
    /// A number.
    Int(Int),
}

/// A declaration of variables or registers: `.reg .b32 %r<12>;`, `.shared .align 4 .b8 buf[1024];`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decl {
    /// Linkage, state space, alignment, vector size and type, in the order of the text.
    pub attrs: Vec<Attr>,
    /// What is declared.
    pub vars: Vec<Declarator>,
    /// The whole declaration.
    pub span: Span,
}

/// One declared name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarator {
    /// The name; `_` in a prototype.
    pub name: Word,
    /// `<12>`: the names `name0` … `name11` (ISA §5.4.6).
    pub range: Option<Int>,
    /// Array dimensions; `None` for `[]`.
    pub dims: Vec<Option<Int>>,
    /// The initial value.
    pub init: Option<Init>,
}

/// An initial value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Init {
    /// A constant or an address.
    Value(Operand),
    /// `generic(x)+4`, or a byte of an address, `0xFF(x)` (ISA §5.4.4).
    Apply(Operand, Operand, Option<Offset>),
    /// `{ …, … }`
    List(Vec<Init>),
}

/// Whether a function can be launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// `.entry`: a kernel.
    Entry,
    /// `.func`: a device function.
    Func,
}

/// A kernel or a device function, or its prototype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Linkage and attributes before `.entry` or `.func`.
    pub attrs: Vec<Attr>,
    /// Which of the two.
    pub kind: FunctionKind,
    /// Return parameters, if there is a list of them.
    pub returns: Option<Vec<Param>>,
    /// Its name.
    pub name: Word,
    /// Parameters, if there is a list of them.
    pub params: Option<Vec<Param>>,
    /// Performance directives: `.maxntid 128, 1, 1`, `.noreturn`.
    pub tuning: Vec<Tuning>,
    /// The body; `None` for a prototype.
    pub body: Option<Block>,
    /// From the first attribute to the end of the parameters.
    pub head: Span,
}

/// A directive between a function's parameters and its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tuning {
    /// `.maxntid 128, 1, 1`
    Attr(Attr),
    /// `.pragma "…";`
    Pragma(Vec<Word>),
}

/// A formal parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Space, alignment, type, pointer attributes, in the order of the text.
    pub attrs: Vec<Attr>,
    /// The name (with array dimensions).
    pub var: Declarator,
}

/// Statements in braces: a function body or a scope of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement of a function body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A declaration of registers or variables.
    Decl(Decl),
    /// A scope of its own.
    Block(Block),
    /// `name:`
    Label(Word),
    /// An instruction.
    Instr(Instr),
    /// A source position.
    Loc(Loc),
    /// `.pragma "nounroll";`
    Pragma(Vec<Word>),
    /// `.branchtargets a, b;` or `.calltargets f, g;`, with its keyword; a label stands before it.
    Targets(Word, Vec<Word>),
    /// `.callprototype (…) _ (…) .noreturn;`; a label stands before it.
    Prototype(Box<Prototype>),
}

/// A call prototype (ISA §11.3.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// Return parameters, if there is a list of them.
    pub returns: Option<Vec<Param>>,
    /// Its placeholder name.
    pub name: Word,
    /// Parameters, if there is a list of them.
    pub params: Option<Vec<Param>>,
    /// `.noreturn` and the like.
    pub attrs: Vec<Attr>,
}

/// File, line, column.
pub type Position = [Int; 3];

/// `.loc 1 270 14, function_name $L__info_string0+3, inlined_at 1 244 21` (ISA §11.5.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loc {
    /// File, line, column.
    pub at: Position,
    /// The inlined function's name (label and offset) and the place of the call.
    pub inlined: Option<(Word, Option<Int>, Position)>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instr {
    /// `@%p` or `@!%p`.
    pub guard: Option<Guard>,
    /// The opcode with all its modifiers, as written: `ld.global.nc.f32`.
    pub opcode: Word,
    /// The operands.
    pub operands: Vec<Operand>,
    /// From guard to semicolon.
    pub span: Span,
}

/// The predicate that decides whether an instruction is executed (ISA §9.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Whether it is negated.
    pub negated: bool,
    /// The predicate register.
    pub pred: Word,
    /// From `@` to the register.
    pub span: Span,
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register, special register, variable, function or label: which of them, the declarations say.
    Name(Word),
    /// `_`: a result that is thrown away.
    Sink(Span),
    /// An integer constant.
    Int(Sign, Int),
    /// A floating-point constant.
    Float(Sign, Float),
    /// `base+offset`, in an address or as a constant address.
    Offset(Box<Operand>, Offset),
    /// `[ … ]`: an address, for tensor copies with its coordinates.
    Address(Vec<Operand>, Span),
    /// `{ …, … }`: a vector.
    Vector(Vec<Operand>, Span),
    /// `( …, … )`: arguments or results of a call.
    List(Vec<Operand>, Span),
    /// `a|b`: a pair of results.
    Pair(Box<Operand>, Box<Operand>),
    /// `!p`.
    Not(Box<Operand>, Span),
}

impl Int {
    /// The literal in the one canonical spelling: decimal.
    pub fn canonical(&self) -> String {
        self.value.to_string()
    }
}

impl Float {
    /// The literal in the one canonical spelling: `0f` or `0d` and capital hexadecimal digits; decimal notation stays.
    pub fn canonical(&self) -> String {
        match self.bits {
            Some((32, bits)) => format!("0f{bits:08X}"),
            Some((_, bits)) => format!("0d{bits:016X}"),
            None => self.text.clone(),
        }
    }
}

/// What is added to a base, keeping the spelling: `+4`, `-4`, `+-4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offset {
    /// The operator.
    pub operator: Sign,
    /// A sign of the number itself.
    pub sign: Sign,
    /// The number.
    pub int: Int,
}

impl Offset {
    /// The offset as a number.
    pub fn value(&self) -> i128 {
        let v = i128::from(self.int.value);
        if self.operator == self.sign { v } else { -v }
    }
}

impl Instr {
    /// The words of the opcode: the base, then the modifiers in order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.opcode.text.split('.')
    }

    /// The opcode without its modifiers.
    pub fn base(&self) -> &str {
        self.words().next().unwrap_or_default()
    }
}

impl Operand {
    /// Where the operand stands.
    pub fn span(&self) -> Span {
        match self {
            Operand::Name(w) => w.span,
            Operand::Int(_, i) => i.span,
            Operand::Float(_, x) => x.span,
            Operand::Offset(base, offset) => Span::new(base.span().start, offset.int.span.end),
            Operand::Pair(a, b) => Span::new(a.span().start, b.span().end),
            Operand::Sink(s)
            | Operand::Address(_, s)
            | Operand::Vector(_, s)
            | Operand::List(_, s)
            | Operand::Not(_, s) => *s,
        }
    }
}

/// The state spaces (ISA §5.1).
const SPACES: [&str; 8] = [
    ".reg", ".sreg", ".const", ".global", ".local", ".param", ".shared", ".tex",
];

/// Words of a declaration that are neither space nor type.
const OTHER: [&str; 11] = [
    ".align",
    ".visible",
    ".extern",
    ".weak",
    ".common",
    ".ptr",
    ".attribute",
    ".v2",
    ".v4",
    ".v8",
    ".surfref",
];

/// The state space among these attributes, without its dot.
pub fn space(attrs: &[Attr]) -> Option<&str> {
    attrs
        .iter()
        .map(|a| a.word.text.as_str())
        .find(|w| SPACES.contains(w))
        .map(|w| &w[1..])
}

/// The type among these attributes, without its dot: the first word that is neither a space nor an attribute.
pub fn type_name(attrs: &[Attr]) -> Option<&str> {
    let known = |w: &&str| !SPACES.contains(w) && !OTHER.contains(w);
    attrs
        .iter()
        .map(|a| a.word.text.as_str())
        .find(known)
        .and_then(|w| w.strip_prefix('.'))
}

/// The first number of attribute `word` (with its dot), for instance of `.align`.
pub fn attribute_number(attrs: &[Attr], word: &str) -> Option<u64> {
    attrs
        .iter()
        .find(|a| a.word.text == word)
        .and_then(|a| a.numbers.first())
        .map(|n| n.value)
}

impl Module {
    /// The size of an address in bits: that of `.address_size`, or 32 (ISA §11.1.3). A second directive that says otherwise
    /// counts too, so that a module has more than one size only if one of them is not 64.
    pub fn address_size(&self) -> u64 {
        let sizes = self.items.iter().filter_map(|item| match item {
            Item::AddressSize(n) => Some(n.value),
            _ => None,
        });
        let mut size = None;
        for n in sizes {
            size = match size {
                None | Some(64) => Some(n),
                other => other,
            };
        }
        size.unwrap_or(32)
    }

    /// The kernels that have a body, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(f) if f.kind == FunctionKind::Entry && f.body.is_some() => Some(f),
            _ => None,
        })
    }
}
