//! `printf` as kernels have it: C's formats, with the arguments one after the other in memory.
//!
//! An argument of four bytes is at a multiple of four, one of eight at a multiple of eight; floats come as doubles.

use std::fmt::Write;

use super::system::{printed, string};
use crate::machine::engine::ThreadId;
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;
use crate::machine::memory::Space;

/// Fields are at most this wide and precise.
const MAX_WIDTH: usize = 4096;

/// The flags, width and precision of a conversion.
#[derive(Clone, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// The arguments, in memory.
struct Args<'a, 'p> {
    m: &'a mut Machine<'p>,
    t: ThreadId,
    at: u64,
}

impl Args<'_, '_> {
    fn word(&mut self) -> Result<u32, FaultKind> {
        let mut bytes = [0; 4];
        self.at = self.at.wrapping_add(3) & !3;
        self.m
            .load(self.t, Space::Generic, self.at, 4, &mut bytes)?;
        self.at = self.at.wrapping_add(4);
        Ok(u32::from_le_bytes(bytes))
    }

    fn long(&mut self) -> Result<u64, FaultKind> {
        let mut bytes = [0; 8];
        self.at = self.at.wrapping_add(7) & !7;
        self.m
            .load(self.t, Space::Generic, self.at, 8, &mut bytes)?;
        self.at = self.at.wrapping_add(8);
        Ok(u64::from_le_bytes(bytes))
    }
}

/// The text of a format and its arguments.
pub fn format(
    m: &mut Machine<'_>,
    t: ThreadId,
    format: &[u8],
    at: u64,
) -> Result<String, FaultKind> {
    let mut args = Args { m, t, at };
    let mut out = Vec::new();
    let mut rest = format;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        let before = out.len();
        rest = conversion(&mut args, rest, &mut out)?;
        printed(args.m, out.len() - before)?;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// One conversion, after its `%`; what follows it.
fn conversion<'f>(
    args: &mut Args<'_, '_>,
    mut rest: &'f [u8],
    out: &mut Vec<u8>,
) -> Result<&'f [u8], FaultKind> {
    let mut spec = Spec::default();
    let whole = rest;
    while let Some((flag, after)) = rest.split_first() {
        match flag {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        rest = after;
    }
    let (width, after) = number(args, rest)?;
    rest = after;
    if let Some(width) = width {
        spec.left |= width < 0;
        spec.width = (width.unsigned_abs() as usize).min(MAX_WIDTH);
    }
    if let Some(after) = rest.strip_prefix(b".") {
        let (precision, after) = number(args, after)?;
        rest = after;
        // A negative precision counts as none; none after the dot is 0.
        let precision = precision.unwrap_or(0);
        spec.precision = usize::try_from(precision).ok().map(|p| p.min(MAX_WIDTH));
    }
    let mut size = Vec::new();
    while let Some((c @ (b'l' | b'h' | b'z' | b'j' | b't' | b'L'), after)) = rest.split_first() {
        size.push(*c);
        rest = after;
    }
    let Some((kind, after)) = rest.split_first() else {
        // An unfinished conversion is printed as it is.
        out.push(b'%');
        out.extend_from_slice(whole);
        return Ok(rest);
    };
    let text = match kind {
        b'%' => {
            out.push(b'%');
            return Ok(after);
        }
        b'd' | b'i' => integer(&spec, signed(args, &size)?),
        b'u' | b'x' | b'X' | b'o' => natural(&spec, *kind, unsigned(args, &size)?),
        b'p' => pad(&spec, "", &format!("0x{:x}", args.long()?), false),
        b'c' => {
            let byte = args.word()? as u8;
            let fill = spec.width.saturating_sub(1);
            if !spec.left {
                out.extend(std::iter::repeat_n(b' ', fill));
            }
            out.push(byte);
            if spec.left {
                out.extend(std::iter::repeat_n(b' ', fill));
            }
            return Ok(after);
        }
        b's' => {
            let address = args.long()?;
            let mut text = string(args.m, args.t, address)?;
            text.truncate(spec.precision.unwrap_or(usize::MAX));
            pad(&spec, "", &String::from_utf8_lossy(&text), false)
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            float(&spec, *kind, f64::from_bits(args.long()?))
        }
        b'n' => return Ok(after),
        _ => {
            out.push(b'%');
            out.extend_from_slice(&whole[..whole.len() - after.len()]);
            return Ok(after);
        }
    };
    out.extend_from_slice(text.as_bytes());
    Ok(after)
}

/// A width or precision: digits, or `*` for an argument.
fn number<'f>(
    args: &mut Args<'_, '_>,
    rest: &'f [u8],
) -> Result<(Option<i64>, &'f [u8]), FaultKind> {
    if let Some(after) = rest.strip_prefix(b"*") {
        return Ok((Some(i64::from(args.word()? as i32)), after));
    }
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let value = rest[..digits].iter().fold(0i64, |n, d| {
        n.saturating_mul(10).saturating_add(i64::from(d - b'0'))
    });
    Ok(((digits > 0).then_some(value), &rest[digits..]))
}

fn is_long(size: &[u8]) -> bool {
    size.iter().any(|c| matches!(c, b'l' | b'z' | b'j' | b't'))
}

fn halves(size: &[u8]) -> usize {
    size.iter().filter(|c| **c == b'h').count()
}

fn signed(args: &mut Args<'_, '_>, size: &[u8]) -> Result<i64, FaultKind> {
    if is_long(size) {
        return Ok(args.long()? as i64);
    }
    let word = args.word()?;
    Ok(match halves(size) {
        0 => i64::from(word as i32),
        1 => i64::from(word as i16),
        _ => i64::from(word as i8),
    })
}

fn unsigned(args: &mut Args<'_, '_>, size: &[u8]) -> Result<u64, FaultKind> {
    if is_long(size) {
        return args.long();
    }
    let word = args.word()?;
    Ok(match halves(size) {
        0 => u64::from(word),
        1 => u64::from(word as u16),
        _ => u64::from(word as u8),
    })
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

/// A sign or prefix and a body, filled up to the width.
fn pad(spec: &Spec, head: &str, body: &str, zeros: bool) -> String {
    let fill = spec
        .width
        .saturating_sub(head.chars().count() + body.chars().count());
    if spec.left {
        format!("{head}{body}{:fill$}", "")
    } else if zeros {
        format!("{head}{}{body}", "0".repeat(fill))
    } else {
        format!("{:fill$}{head}{body}", "")
    }
}

fn integer(spec: &Spec, value: i64) -> String {
    digits(
        spec,
        sign(spec, value < 0),
        value.unsigned_abs().to_string(),
    )
}

fn natural(spec: &Spec, kind: u8, value: u64) -> String {
    let mut body = match kind {
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        b'o' => format!("{value:o}"),
        _ => value.to_string(),
    };
    if kind == b'o' && spec.alternate && !body.starts_with('0') {
        body.insert(0, '0');
    }
    let head = match kind {
        b'x' if spec.alternate && value != 0 => "0x",
        b'X' if spec.alternate && value != 0 => "0X",
        _ => "",
    };
    digits(spec, head, body)
}

/// The digits of an integer: the precision is the least number of them, and switches off zeros as filling.
fn digits(spec: &Spec, head: &str, mut body: String) -> String {
    if let Some(least) = spec.precision {
        if least == 0 && body == "0" {
            body.clear();
        }
        if body.len() < least {
            body.insert_str(0, &"0".repeat(least - body.len()));
        }
    }
    pad(spec, head, &body, spec.zero && spec.precision.is_none())
}

fn float(spec: &Spec, kind: u8, value: f64) -> String {
    let head = sign(spec, value.is_sign_negative());
    let magnitude = value.abs();
    if !value.is_finite() {
        let text = if value.is_nan() { "nan" } else { "inf" };
        return upper(kind, pad(spec, head, text, false));
    }
    let precision = spec.precision.unwrap_or(6);
    let body = match kind.to_ascii_lowercase() {
        b'f' => fixed(magnitude, precision, spec.alternate),
        b'e' => exponential(magnitude, precision, spec.alternate),
        b'g' => general(magnitude, precision.max(1), spec.alternate),
        _ => {
            let body = hexadecimal(magnitude, spec.precision, spec.alternate);
            return upper(kind, pad(spec, &format!("{head}0x"), &body, spec.zero));
        }
    };
    upper(kind, pad(spec, head, &body, spec.zero))
}

fn upper(kind: u8, text: String) -> String {
    if kind.is_ascii_uppercase() {
        text.to_uppercase()
    } else {
        text
    }
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{value:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

fn exponential(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if point && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

fn general(value: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{value:.*e}", precision - 1);
    let exponent: i32 = text
        .split_once('e')
        .and_then(|(_, e)| e.parse().ok())
        .unwrap_or(0);
    let scientific = exponent < -4 || exponent >= precision as i32;
    let body = if scientific {
        exponential(value, precision - 1, alternate)
    } else {
        let places = precision as i32 - 1 - exponent;
        fixed(value, places.max(0) as usize, alternate)
    };
    if alternate {
        return body;
    }
    let (mantissa, tail) = match body.find('e') {
        Some(at) => body.split_at(at),
        None => (&body[..], ""),
    };
    if !mantissa.contains('.') {
        return body;
    }
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    format!("{mantissa}{tail}")
}

/// Digits of C's `%a` after `0x`, the leading one being 1 or, for subnormals and zero, 0.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    let bits = value.to_bits();
    let mut fraction = bits & ((1 << 52) - 1);
    let raw = (bits >> 52) as i32;
    let (mut lead, exponent) = match (raw, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, raw - 1023),
    };
    let mut digits = 13;
    if let Some(p) = precision
        && p < 13
    {
        // Rounds to nearest, ties to even, in units of the last digit kept.
        let drop = 4 * (13 - p as u32);
        let whole = (lead << 52) | fraction;
        let (kept, rest, half) = (whole >> drop, whole & ((1 << drop) - 1), 1u64 << (drop - 1));
        let up = rest > half || (rest == half && kept & 1 == 1);
        let rounded = (kept + u64::from(up)) << drop;
        lead = rounded >> 52;
        fraction = rounded & ((1 << 52) - 1);
        digits = p;
    }
    let mut text = format!("{fraction:013x}");
    match precision {
        Some(p) => {
            text.truncate(digits);
            text.extend(std::iter::repeat_n('0', p.saturating_sub(13)));
        }
        None => text.truncate(text.trim_end_matches('0').len()),
    }
    let dot = if text.is_empty() && !point { "" } else { "." };
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(out, "{lead}{dot}{text}p{exponent:+}");
    out
}
