//! Why a file that parses is no module: what, where, and a way out.

use std::fmt;

use crate::isa::types::is_float;
use crate::text::span::Span;

/// A construct that stands for nothing, or for two things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub reason: Reason,
    /// Where.
    pub span: Span,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A name that nothing declares here, and one that could be meant.
    Unknown(String, Option<String>),
    /// A register number outside the range that the declaration gives: name, prefix, count.
    OutsideRange(String, String, u64),
    /// A name that is declared a second time in its scope; where the first declaration stands.
    Duplicate(String, Span),
    /// A declaration of a name that PTX itself gives a meaning: `WARP_SZ`, `%laneid`.
    Predefined(String),
    /// A name that two declarations of one scope give: `%r12` with both `%r<20>` and `%r1<5>`.
    Ambiguous(String),
    /// A name that stands for another kind of thing than is needed here: the name, what it is, what is needed.
    Kind(String, &'static str, &'static str),
    /// Something else than is needed here.
    Wanted(&'static str),
    /// The operands are none that the opcode takes; the syntax of those that it takes.
    Operands(String, Vec<String>),
    /// A call with another number of results or arguments than the function has: the function, which of the two, how many
    /// it has, how many there are.
    Arguments(String, &'static str, usize, usize),
    /// A result or argument of another size: the function, which of the two, its position, the wanted size, the given one.
    ArgumentSize(String, &'static str, usize, u64, u64),
    /// A register of another width than its operand: its name, its width, the operand's.
    Width(String, u32, u32),
    /// A literal that is no value of this type.
    Literal(String),
    /// A type that declarations do not have here.
    Type(String),
    /// A state space that cannot stand here.
    Space(String),
    /// A declaration without a type or a state space.
    Incomplete(&'static str),
    /// A form of declaration that is read and has no meaning.
    Unsupported(&'static str),
    /// An alignment that is no power of two.
    Alignment(u64),
    /// An array without a size, where it must have one.
    Unsized,
    /// A size above [`super::MAX_BYTES`], or an initial value above [`super::MAX_INIT`].
    TooLarge,
    /// An initial value that is no value of this type.
    Initial(String),
    /// More initial values than elements.
    TooManyInitials(u64),
    /// A number that does not fit its place; what fits.
    Number(&'static str),
    /// A function that is declared in two ways that do not agree; where the other declaration stands.
    Prototype(String, Span),
    /// An alias of something that is no function of this module.
    Alias(String),
}

impl Error {
    /// An error at a place.
    pub fn new(reason: Reason, span: Span) -> Self {
        Error { reason, span }
    }

    /// What the reader can do about it, in one sentence.
    pub fn help(&self) -> String {
        match &self.reason {
            Reason::Unknown(_, Some(near)) => format!("did you mean `{near}`?"),
            Reason::Unknown(name, None) if name.starts_with('%') => {
                format!("declare it before: `.reg .b32 {name};` (with its type), or is the file cut short?")
            }
            Reason::Unknown(..) => {
                "declare it before it is used; a label must stand in this scope or in one around it".into()
            }
            Reason::OutsideRange(_, prefix, count) => {
                format!("`{prefix}<{count}>` declares `{prefix}0` to `{prefix}{}`", count.saturating_sub(1))
            }
            Reason::Duplicate(..) => "rename one of them, or give one a scope of its own with braces".into(),
            Reason::Predefined(_) => "choose another name".into(),
            Reason::Ambiguous(_) => "rename one of the declarations".into(),
            Reason::Kind(_, _, wanted) => format!("write {wanted} here"),
            Reason::Wanted(wanted) => format!("write {wanted} here"),
            Reason::Operands(_, syntax) => match &syntax[..] {
                [one] => format!("the form is `{one}`"),
                all => format!("the forms are {}", quoted(all)),
            },
            Reason::Arguments(..) | Reason::ArgumentSize(..) => {
                "write `call (results), function, (arguments);` as the function is declared".into()
            }
            Reason::Width(_, _, wanted) => format!("take a register of {wanted} bits, or convert with `cvt` or `mov`"),
            Reason::Literal(ty) if is_float(ty) => format!("write the bits of a `.{ty}`, like `0f3F800000`, or a decimal number"),
            Reason::Literal(ty) => format!("write an integer of type `.{ty}`"),
            Reason::Type(_) => {
                "the fundamental types are .b8 to .b128, .u8 to .u64, .s8 to .s64, .f16, .f16x2, .f32, .f64 and .pred"
                    .into()
            }
            Reason::Space(_) => {
                "variables live in .const, .global, .local, .param or .shared; registers in functions only".into()
            }
            Reason::Incomplete(what) => format!("add {what} before the name"),
            Reason::Unsupported(_) => "compilers write single variables instead".into(),
            Reason::Alignment(_) => "write a power of two after `.align`".into(),
            Reason::Unsized => "write the number of elements; only `.extern .shared` arrays get theirs at launch".into(),
            Reason::TooLarge => "no device has as much; is a digit too many in the size?".into(),
            Reason::Initial(ty) => format!("write a constant of type `.{ty}`, or an address in 32 or 64 bits"),
            Reason::TooManyInitials(n) => format!("there are {n} elements: remove the rest, or enlarge the array"),
            Reason::Number(what) => format!("write {what}"),
            Reason::Prototype(..) => "give prototype and definition the same kind and the same parameters".into(),
            Reason::Alias(_) => "`.alias new, old;` wants a function `old` with a body".into(),
        }
    }
}

fn quoted(all: &[String]) -> String {
    let all: Vec<String> = all.iter().map(|s| format!("`{s}`")).collect();
    all.join(", ")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Unknown(n, _) => write!(f, "nothing is called `{n}` here"),
            Reason::OutsideRange(n, prefix, count) => {
                write!(f, "`{n}` is outside the range `{prefix}<{count}>`")
            }
            Reason::Duplicate(n, _) => write!(f, "`{n}` is declared twice in one scope"),
            Reason::Predefined(n) => write!(f, "`{n}` is a name that PTX itself has"),
            Reason::Ambiguous(n) => write!(f, "two declarations give a register `{n}`"),
            Reason::Kind(n, is, wanted) => write!(f, "`{n}` is {is}, and {wanted} is needed here"),
            Reason::Wanted(wanted) => write!(f, "{wanted} is needed here"),
            Reason::Operands(o, _) => write!(f, "`{o}` does not take these operands"),
            Reason::Arguments(name, what, has, given) => {
                write!(f, "`{name}` has {has} {what}, and there are {given} here")
            }
            Reason::ArgumentSize(name, what, at, wanted, given) => write!(
                f,
                "number {at} of the {what} of `{name}` has {wanted} bytes, and there are {given} here"
            ),
            Reason::Width(n, bits, wanted) => {
                write!(f, "`{n}` has {bits} bits, and {wanted} are needed here")
            }
            Reason::Literal(ty) => write!(f, "this is no literal of type `.{ty}`"),
            Reason::Type(t) => write!(f, "`{t}` is no type of a variable here"),
            Reason::Space(s) => write!(f, "a declaration in `{s}` cannot stand here"),
            Reason::Incomplete(what) => write!(f, "this declaration lacks {what}"),
            Reason::Unsupported(what) => write!(f, "{what} have no meaning here yet"),
            Reason::Alignment(n) => write!(f, "an alignment of {n} bytes"),
            Reason::Unsized => f.write_str("an array without a size"),
            Reason::TooLarge => f.write_str("a variable this large"),
            Reason::Initial(ty) => write!(f, "this is no initial value of type `.{ty}`"),
            Reason::TooManyInitials(_) => f.write_str("more initial values than elements"),
            Reason::Number(_) => f.write_str("this number does not fit its place"),
            Reason::Prototype(n, _) => write!(f, "`{n}` is declared in two ways"),
            Reason::Alias(n) => write!(f, "`{n}` is no function that an alias can stand for"),
        }
    }
}

impl std::error::Error for Error {}
