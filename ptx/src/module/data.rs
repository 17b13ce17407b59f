//! The types of a resolved module: every name stands for one thing, every opcode for one form of the table.
//!
//! A scope of its own (braces inside a body, as inline assembly opens it) leaves no trace but distinct ids: two
//! registers or labels of one name in two scopes are two registers or labels here.

use crate::isa::Form;
use crate::text::span::Span;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A register: a position in [`Function::registers`].
    RegId
    /// A variable: a position in [`Module::variables`].
    VarId
    /// A function: a position in [`Module::functions`].
    FuncId
    /// A label: a position in [`Function::labels`].
    LabelId
    /// A list of branch targets or a call prototype: a position in [`Function::tables`].
    TableId
}

/// A resolved PTX file.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Module {
    /// `.version`, as written.
    pub version: String,
    /// `.target`: `sm_90a`, `debug`.
    pub target: Vec<String>,
    /// The size of an address in bits.
    pub address_size: u64,
    /// Kernels and device functions, in the order of the text; a prototype and its definition are one.
    pub functions: Vec<Function>,
    /// Every variable of the module: those at the top, those of functions, and parameters.
    pub variables: Vec<Variable>,
    /// The names of `.file` directives, by index.
    pub files: Vec<(u64, String)>,
}

/// A state space that variables live in (ISA §5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the PTX names say it
pub enum Space {
    Const,
    Global,
    Local,
    Param,
    Shared,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it lives.
    pub space: Space,
    /// Its alignment in bytes.
    pub align: u64,
    /// The type of its elements, without the dot: `b8`, `f32`.
    pub element: String,
    /// Its size in bytes; 0 for `[]`.
    pub bytes: u64,
    /// Whether its size comes with the launch: `.extern .shared … name[]`.
    pub dynamic: bool,
    /// Whether it is declared `.extern` and no more: another module has it. Dynamic shared memory is not meant.
    pub external: bool,
    /// The function that it belongs to, if it is no variable of the module.
    pub owner: Option<FuncId>,
    /// Its first bytes; the rest is zero in `.global` and `.const`, and unknown elsewhere.
    pub init: Vec<u8>,
    /// Addresses within `init`.
    pub relocations: Vec<Relocation>,
    /// Where it is declared.
    pub span: Span,
}

/// An address in an initial value (ISA §5.4.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The first byte.
    pub at: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What the address is of.
    pub symbol: Symbol,
    /// Whether it is a generic address: `generic(x)`.
    pub generic: bool,
    /// What is added.
    pub addend: i64,
    /// How far the sum is shifted right before its low bytes are taken: `0xFF00(x)` is one byte with shift 8.
    pub shift: u32,
}

/// Something that has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A variable.
    Variable(VarId),
    /// A function.
    Function(FuncId),
}

/// A kernel or a device function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it is an `.entry`.
    pub is_entry: bool,
    /// Whether there is a body; without one it is a function of the system, like `vprintf`.
    pub has_body: bool,
    /// Return parameters.
    pub returns: Vec<Formal>,
    /// Parameters.
    pub params: Vec<Formal>,
    /// `.reqntid`, if there is one: threads of a CTA.
    pub required_block: Option<[u32; 3]>,
    /// `.maxntid`, if there is one.
    pub max_block: Option<[u32; 3]>,
    /// `.reqnctapercluster`, if there is one: CTAs of a cluster.
    pub required_cluster: Option<[u32; 3]>,
    /// All directives between parameters and body, the three above among them.
    pub directives: Vec<Directive>,
    /// The declarations of registers, in the order of the text.
    pub declarations: Vec<RegisterDecl>,
    /// The registers that occur, in the order in which they first do.
    pub registers: Vec<Register>,
    /// Labels.
    pub labels: Vec<Label>,
    /// `.branchtargets`, `.calltargets`, `.callprototype`.
    pub tables: Vec<Table>,
    /// The instructions; control goes from each to the next.
    pub code: Vec<Instr>,
    /// Where its head stands.
    pub span: Span,
}

/// A directive that stands between a function's parameters and its body (ISA §11.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// Its name, with the dot.
    pub name: String,
    /// The numbers after it.
    pub numbers: Vec<u64>,
    /// Where its name stands.
    pub span: Span,
}

/// A declaration of registers: `.reg .b32 %r<12>` or `.reg .pred p`, for each name one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterDecl {
    /// The name, or what the names of a range begin with.
    pub name: String,
    /// The type, without the dot.
    pub ty: String,
    /// The width in bits; predicates have 1.
    pub bits: u32,
    /// How many, if it is a range.
    pub count: Option<u64>,
    /// How many scopes it stands in, inside the body.
    pub depth: u32,
    /// Where the name stands.
    pub span: Span,
}

/// A formal parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formal {
    /// `.param`: a variable.
    Param(VarId),
    /// `.reg`: a register.
    Reg(RegId),
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name as instructions write it: `%r3`.
    pub name: String,
    /// Its type, without the dot.
    pub ty: String,
    /// Its width in bits; predicates have 1.
    pub bits: u32,
    /// Its declaration, a position in [`Function::declarations`].
    pub declaration: usize,
    /// Its number in the declaration's range; 0 without one.
    pub index: u64,
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// The index of the instruction it stands before; the number of instructions at the very end.
    pub at: usize,
}

/// What a label names that is no place in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Table {
    /// `.branchtargets` (ISA §11.3.1).
    Branches(Vec<LabelId>),
    /// `.calltargets` (ISA §11.3.2).
    Calls(Vec<FuncId>),
    /// `.callprototype` (ISA §11.3.3): sizes in bytes of results and parameters.
    Prototype {
        /// Sizes of the results.
        returns: Vec<u64>,
        /// Sizes of the parameters.
        params: Vec<u64>,
    },
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instr {
    /// Its guard.
    pub guard: Option<Guard>,
    /// The opcode as written.
    pub opcode: String,
    /// The form of the opcode table; `None` for an opcode that the table does not know: such a module resolves, and is
    /// unsupported where a meaning is needed.
    pub form: Option<Form>,
    /// The operands, in the order of the text.
    pub operands: Vec<Operand>,
    /// From guard to semicolon.
    pub span: Span,
    /// The source position of the last `.loc`: file, line, column.
    pub loc: Option<(u64, u64, u64)>,
}

impl Instr {
    /// The words of the opcode: the base, then the modifiers in order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.opcode.split('.')
    }

    /// The opcode without its modifiers.
    pub fn base(&self) -> &str {
        self.words().next().unwrap_or_default()
    }
}

/// `@%p` or `@!%p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub pred: RegId,
    /// Whether it is negated.
    pub negated: bool,
}

/// A literal as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// An integer.
    Int(i128),
    /// `0f…`
    F32(u32),
    /// `0d…`, or decimal notation.
    F64(u64),
}

/// A special register (ISA chapter 10), as written and without its `%`: `tid.x`, `laneid`.
pub type SpecialName = String;

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Reg(RegId),
    /// A literal.
    Imm(Literal),
    /// A special register.
    Special(SpecialName),
    /// `_`
    Sink,
    /// The address of a variable or function, with an offset: `mov.u64 %rd1, buf+4`.
    Symbol(Symbol, i64),
    /// A label.
    Label(LabelId),
    /// The label of a table.
    Table(TableId),
    /// `[base+offset]`
    Address(Address),
    /// `[tensor, {coordinates}]`: a tensor map's address and coordinates (ISA §9.7.9.27).
    Tensor(Address, Vec<Operand>),
    /// `{ …, … }`
    Vector(Vec<Operand>),
    /// `( …, … )`
    List(Vec<Operand>),
    /// `d|p`
    Pair(Box<Operand>, Box<Operand>),
    /// `!p`
    Not(Box<Operand>),
}

/// An address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Address {
    /// What it starts from.
    pub base: Base,
    /// What is added, in bytes.
    pub offset: i64,
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The contents of a register.
    Reg(RegId),
    /// The address of a variable or function.
    Symbol(Symbol),
    /// Zero: the offset is the address.
    Zero,
}
