//! Why a text has no meaning here, or a term no text.

use std::fmt;

use crate::module;
use crate::text::span::Span;

/// A construct that is read and written back, but that the logic has no meaning for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What is missing.
    pub reason: Reason,
    /// Where it stands.
    pub span: Span,
}

/// What is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The file does not resolve here: something that stands for nothing, or for two things.
    Unresolved(module::Reason),
    /// No row of the opcode table with a constructor in the logic matches.
    Opcode(String),
    /// A product that may be fused with a sum: the opcodes of both, and where the sum stands.
    MayFuse(String, String, Span),
    /// A vector of another size: how many elements the access moves, and how many there are.
    OperandCount(String, usize, usize),
    /// An operand of another kind than the instruction takes here; what it takes.
    OperandKind(&'static str),
    /// A register of another width: what the place takes, and what the register has.
    Width(u32, u32),
    /// A literal that cannot stand for a value of this type.
    Literal(&'static str),
    /// An offset or address that an instruction cannot hold; which ones it can.
    Offset(&'static str),
    /// Addresses of another size than 64 bits (`.address_size`; without it they have 32).
    AddressSize(u64),
    /// More values than one access can move: 16 bytes.
    AccessTooWide,
    /// A declaration that is no register declaration, by its first word.
    Declaration(String),
    /// A register type without words, by name.
    RegisterType(String),
    /// A parameter that is not a plain value of a fundamental type.
    Parameter(String),
    /// A directive that is part of the meaning, by name.
    Directive(String),
    /// Something said around the instructions under which they may mean something else.
    Setting(String),
    /// A scope without instructions.
    Scope,
    /// Something that a scope declares is read and may not have been written since the scope was entered.
    Unwritten,
    /// A function that another module or the system has.
    NoBody(String),
    /// A function that may be called while it is executed.
    Recursion(String),
    /// A variable in local memory of a function: each call has its own.
    LocalOfFunction(String),
    /// The condition code register in a function with calls, which do not keep it.
    CarryAndCalls,
    /// `.uni` with a guard: that all threads of the warp agree is not known.
    Uniform(String),
    /// Return parameters of a kernel, or other things that no kernel has.
    NoKernel,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Unresolved(r) => module::Error::new(r.clone(), self.span).fmt(f),
            Reason::Opcode(o) => write!(f, "`{o}` has no meaning in the logic yet"),
            Reason::MayFuse(product, sum, _) => write!(
                f,
                "`{product}` may be fused with the `{sum}` that its result can come to: then the product is not rounded; with a \
                 rounding modifier on either they may not"
            ),
            Reason::OperandCount(o, wanted, given) => {
                write!(f, "`{o}` takes {wanted} operands, not {given}")
            }
            Reason::OperandKind(wanted) => write!(f, "only {wanted} is understood here"),
            Reason::Width(wanted, given) => write!(
                f,
                "a register of {wanted} bits is wanted here, this one has {given}"
            ),
            Reason::Literal(ty) => write!(f, "this literal is no value of type `.{ty}`"),
            Reason::Offset(wanted) => write!(f, "this must be {wanted}"),
            Reason::AddressSize(n) => {
                write!(
                    f,
                    "addresses of {n} bits have no meaning yet: `.address_size 64` is wanted"
                )
            }
            Reason::AccessTooWide => f.write_str("one access moves at most 16 bytes"),
            Reason::Declaration(d) => {
                write!(f, "a declaration of `{d}` variables has no meaning yet")
            }
            Reason::RegisterType(t) => write!(f, "registers of type `{t}` have no meaning yet"),
            Reason::Parameter(p) => write!(
                f,
                "parameter `{p}` is not a plain value of a fundamental type"
            ),
            Reason::Directive(d) => write!(f, "directive `{d}` has no meaning yet"),
            Reason::Setting(d) => write!(
                f,
                "under `{d}` the instructions may do something else than is known here"
            ),
            Reason::Scope => f.write_str("a scope without instructions has no meaning"),
            Reason::Unwritten => f.write_str(
                "this reads what the scope around it declares and may not have written: that has no value",
            ),
            Reason::NoBody(name) => write!(
                f,
                "`{name}` is a function of the system or of another module: what it does is not known here"
            ),
            Reason::Recursion(name) => {
                write!(
                    f,
                    "`{name}` may be called while it is executed: recursion has no meaning yet"
                )
            }
            Reason::LocalOfFunction(name) => write!(
                f,
                "`{name}` is local memory of a function, of which each call has its own: that has no meaning yet"
            ),
            Reason::CarryAndCalls => f.write_str(
                "the condition code register is not kept across calls, and this function has both",
            ),
            Reason::Uniform(o) => write!(
                f,
                "`{o}` with a guard asks that all threads of the warp agree, which has no meaning yet"
            ),
            Reason::NoKernel => f.write_str("a kernel returns nothing"),
        }
    }
}

impl std::error::Error for Unsupported {}

impl Unsupported {
    /// Another place in the text that this is about, and what stands there.
    pub fn other_place(&self) -> Option<(&'static str, Span)> {
        match &self.reason {
            Reason::MayFuse(_, _, sum) => Some(("the sum", *sum)),
            _ => None,
        }
    }

    /// What the reader can do about it, where there is something.
    pub fn help(&self) -> Option<String> {
        match &self.reason {
            Reason::Unresolved(r) => Some(module::Error::new(r.clone(), self.span).help()),
            _ => None,
        }
    }
}

/// A term that is no closed value of type `Ptx.Kernel` in the shape that a module load builds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// What was looked for where the term differs.
    pub wanted: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the term does not render as PTX: expected {}",
            self.wanted
        )
    }
}

impl std::error::Error for Malformed {}

/// The text rendered from a kernel term is not the text that was read. A module load stops here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenderMismatch {
    /// The term cannot be rendered.
    Malformed(Malformed),
    /// A line differs (counted from 1 in the canonical text of the entry).
    Line {
        /// The entry.
        entry: String,
        /// The line's number.
        line: usize,
        /// What was read, in canonical form; empty if the text ends before.
        read: String,
        /// What the term says; empty if it ends before.
        rendered: String,
    },
}

impl fmt::Display for RenderMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RenderMismatch::Malformed(m) => m.fmt(f),
            RenderMismatch::Line {
                entry,
                line,
                read,
                rendered,
            } => write!(
                f,
                "the kernel term of `{entry}` is not the text that was read: line {line} of its canonical form is `{}`, \
                 the term says `{}`",
                read.trim(),
                rendered.trim()
            ),
        }
    }
}

impl std::error::Error for RenderMismatch {}
