//! Numerals, strings, characters and small numbers.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::{PResult, Parser};
use crate::syntax::ast::{NumLit, Span, StrLit};
use crate::syntax::error::{SyntaxError, SyntaxErrorKind};
use crate::syntax::token::Tok;

/// The most digits of a numeral: reading one takes time quadratic in its length.
const MAX_DIGITS: usize = 20_000;

impl Parser<'_> {
    /// The numeral that comes next (the caller saw that it is one).
    pub(super) fn num(&mut self) -> PResult<NumLit> {
        let span = self.expect(Tok::Num, "a numeral", "")?;
        let text = self.slice(span);
        let lower = text.to_ascii_lowercase();
        let (digits, radix) = match lower.get(..2) {
            Some("0x") => (&lower[2..], 16),
            Some("0b") => (&lower[2..], 2),
            Some("0o") => (&lower[2..], 8),
            _ => (&lower[..], 10),
        };
        let digits: Vec<u8> = digits.bytes().filter(|&b| b != b'_').collect();
        if digits.len() > MAX_DIGITS {
            let why = format!("more than {MAX_DIGITS} digits");
            return Err(self.err_at(SyntaxErrorKind::BadNumber(why), span));
        }
        match BigUint::parse_bytes(&digits, radix) {
            Some(value) => Ok(NumLit { value, span }),
            None => {
                let why = format!("`{text}` has no digits of base {radix}");
                Err(self.err_at(SyntaxErrorKind::BadNumber(why), span))
            }
        }
    }

    /// A numeral that fits 31 bits; `what` names it in the error.
    pub(super) fn small_num(&mut self, what: &str) -> PResult<(u32, Span)> {
        let num = self.num()?;
        match num.value.to_u32().filter(|&n| n < 1 << 31) {
            Some(n) => Ok((n, num.span)),
            None => Err(self.err_at(SyntaxErrorKind::NumberTooLarge(what.to_string()), num.span)),
        }
    }

    /// The string that comes next.
    pub(super) fn string(&mut self, context: &'static str) -> PResult<StrLit> {
        let span = self.expect(Tok::Str, "a string", context)?;
        let value = self.unescape(Span::new(span.start + 1, span.end - 1))?;
        Ok(StrLit { value, span })
    }

    /// The character literal that comes next.
    pub(super) fn char_lit(&mut self) -> PResult<(char, Span)> {
        let span = self.expect(Tok::Char, "a character", "")?;
        let value = self.unescape(Span::new(span.start + 1, span.end - 1))?;
        match value.chars().next() {
            Some(c) => Ok((c, span)),
            None => Err(self.err_at(
                SyntaxErrorKind::BadEscape(self.slice(span).to_string()),
                span,
            )),
        }
    }

    /// Resolves the escapes in the text of `span`.
    fn unescape(&self, span: Span) -> PResult<String> {
        let text = self.slice(span);
        let mut out = String::with_capacity(text.len());
        let mut chars = text.char_indices();
        while let Some((at, c)) = chars.next() {
            if c != '\\' {
                out.push(c);
                continue;
            }
            let rest = &text[at + 1..];
            let (value, len) = match rest.chars().next() {
                Some('n') => (Some('\n'), 1),
                Some('t') => (Some('\t'), 1),
                Some('r') => (Some('\r'), 1),
                Some('0') => (Some('\0'), 1),
                Some(c @ ('\\' | '"' | '\'')) => (Some(c), 1),
                Some('x') => (hex(rest.get(1..3)), 3),
                Some('u') => (hex(rest.get(1..5)), 5),
                // A line break in the source that is none in the string: it goes with the blanks after it.
                Some('\n') => {
                    let blanks = rest.len() - rest.trim_start().len();
                    for _ in rest[..blanks].chars() {
                        chars.next();
                    }
                    continue;
                }
                Some(c) => (None, c.len_utf8()),
                None => (None, 0),
            };
            let Some(value) = value else {
                let mut end = (at + 1 + len).min(text.len());
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                let bad = Span::new(span.start + at as u32, span.start + end as u32);
                let e =
                    SyntaxError::new(SyntaxErrorKind::BadEscape(text[at..end].to_string()), bad);
                return Err(Box::new(
                    e.hint(r#"escapes are \n \t \r \0 \\ \" \' \x41 \u03b1"#),
                ));
            };
            out.push(value);
            for _ in 0..len {
                chars.next();
            }
        }
        Ok(out)
    }
}

fn hex(digits: Option<&str>) -> Option<char> {
    let digits = digits?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}
