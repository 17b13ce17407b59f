//! The grammar's actions that need more than a line.

use lalrpop_util::ParseError as Lalr;

use super::ast::{Attr, Float, Function, Guard, Instr, Int, Loc, Operand, Word};
use super::error::{ParseError, ParseErrorKind};
use super::lexer::Token;
use super::span::Span;

type Refusal<'s> = Lalr<u32, Token<'s>, ParseError>;

/// A word at a place.
pub fn word(text: &str, l: u32, r: u32) -> Word {
    Word {
        text: text.to_owned(),
        span: Span::new(l, r),
    }
}

/// An integer literal: decimal, `0x`, `0b` or octal, with an optional `U` (ISA §4.5.1).
pub fn int<'s>(text: &str, l: u32, r: u32) -> Result<Int, Refusal<'s>> {
    let span = Span::new(l, r);
    let digits = text.strip_suffix('U').unwrap_or(text);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    match u64::from_str_radix(digits, radix) {
        Ok(value) => Ok(Int {
            value,
            text: text.to_owned(),
            span,
        }),
        Err(_) => Err(Lalr::User {
            error: ParseError::new(ParseErrorKind::IntegerTooLarge, span),
        }),
    }
}

/// A floating-point literal; the exact forms keep their bits (ISA §4.5.2).
pub fn float(text: &str, l: u32, r: u32) -> Float {
    let exact = |width: u32| {
        u64::from_str_radix(&text[2..], 16)
            .ok()
            .map(|bits| (width, bits))
    };
    let bits = match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => exact(32),
        [b'0', b'd' | b'D', ..] => exact(64),
        _ => None,
    };
    Float {
        bits,
        text: text.to_owned(),
        span: Span::new(l, r),
    }
}

/// A non-empty list.
pub fn list<T>(first: T, rest: Vec<T>) -> Vec<T> {
    let mut all = Vec::with_capacity(rest.len() + 1);
    all.push(first);
    all.extend(rest);
    all
}

/// A function with what stands before its keyword.
pub fn function(l: u32, attrs: Vec<Attr>, rest: Function) -> Function {
    Function {
        attrs,
        head: Span::new(l, rest.head.end),
        ..rest
    }
}

/// An instruction, from its guard or opcode to its semicolon.
pub fn instr(guard: Option<Guard>, opcode: Word, operands: Vec<Operand>, r: u32) -> Instr {
    let start = guard.as_ref().map_or(opcode.span.start, |g| g.span.start);
    Instr {
        guard,
        opcode,
        operands,
        span: Span::new(start, r),
    }
}

/// A `.loc` of an inlined position; its two words must be the ISA's.
pub fn inlined<'s>(
    at: [Int; 3],
    function_name: Word,
    name: Word,
    offset: Option<Int>,
    inlined_at: Word,
    place: [Int; 3],
) -> Result<Loc, Refusal<'s>> {
    for (word, wanted) in [(function_name, "function_name"), (inlined_at, "inlined_at")] {
        if word.text != wanted {
            let kind = ParseErrorKind::UnknownLocAttribute(word.text);
            return Err(Lalr::User {
                error: ParseError::new(kind, word.span),
            });
        }
    }
    Ok(Loc {
        at,
        inlined: Some((name, offset, place)),
    })
}
