//! Initial values of variables (ISA §5.4.4): bytes, and addresses to be filled in when the module is loaded.

use super::data::{Relocation, Symbol};
use super::decl::Head;
use super::error::{Error, Reason};
use super::literal;
use crate::text::ast::{Declarator, Init, Operand, Sign};
use crate::text::span::Span;

/// The most bytes that an initial value may reach: 2^26.
pub const MAX_INIT: u64 = 1 << 26;

/// What a name at the top of the module stands for.
pub(super) type Find<'f> = dyn Fn(&str, Span) -> Result<Symbol, Error> + 'f;

/// The initial value of a variable.
pub(super) struct Value {
    /// The bytes up to the last one that is given.
    pub bytes: Vec<u8>,
    pub relocations: Vec<Relocation>,
    /// How many elements the outermost list has.
    pub elements: u64,
}

struct Filler<'f> {
    head: &'f Head,
    find: &'f Find<'f>,
    value: Value,
}

/// Evaluates an initial value.
pub(super) fn value(
    head: &Head,
    v: &Declarator,
    init: &Init,
    find: &Find<'_>,
) -> Result<Value, Error> {
    let mut dims: Vec<Option<u64>> = v.dims.iter().map(|d| d.as_ref().map(|n| n.value)).collect();
    if head.vector > 1 {
        dims.push(Some(head.vector));
    }
    let mut filler = Filler {
        head,
        find,
        value: Value {
            bytes: Vec::new(),
            relocations: Vec::new(),
            elements: 1,
        },
    };
    if let Init::List(all) = init {
        filler.value.elements = all.len() as u64;
    }
    filler.fill(init, &dims, 0, v.name.span)?;
    Ok(filler.value)
}

impl Filler<'_> {
    /// Puts a value with these dimensions at an offset. Lists nest at most as deep as there are dimensions.
    fn fill(
        &mut self,
        init: &Init,
        dims: &[Option<u64>],
        at: u64,
        name: Span,
    ) -> Result<(), Error> {
        match (init, dims.split_first()) {
            (Init::List(all), Some((count, inner))) => {
                if let Some(n) = count
                    && all.len() as u64 > *n
                {
                    return Err(Error::new(Reason::TooManyInitials(*n), span(init, name)));
                }
                let bytes = inner
                    .iter()
                    .flatten()
                    .fold(u64::from(self.head.bits / 8), |a, n| a.saturating_mul(*n));
                for (i, x) in all.iter().enumerate() {
                    let at = at.saturating_add(bytes.saturating_mul(i as u64));
                    self.fill(x, inner, at, name)?;
                }
                Ok(())
            }
            (Init::Value(x), None) => self.scalar(x, at),
            (Init::Apply(head, argument, offset), None) => {
                let extra = offset.as_ref().map_or(0, |o| o.value());
                self.apply(head, argument, extra, at)
            }
            _ => Err(Error::new(
                Reason::Initial(self.head.ty.clone()),
                span(init, name),
            )),
        }
    }

    fn refuse<T>(&self, span: Span) -> Result<T, Error> {
        Err(Error::new(Reason::Initial(self.head.ty.clone()), span))
    }

    fn scalar(&mut self, x: &Operand, at: u64) -> Result<(), Error> {
        let width = self.head.bits;
        let integer = !self.head.ty.starts_with('f');
        match x {
            Operand::Int(s, n) if integer => {
                let v = literal::signed(*s, n.value);
                if width < 64 && (v >= 1 << width || v < -(1 << (width - 1))) {
                    return self.refuse(n.span);
                }
                self.put(v as u128, at, n.span)
            }
            Operand::Float(s, f) => {
                let bits = match (literal::float(*s, f), width) {
                    (Some((32, bits)), 32) | (Some((64, bits)), 64) => bits,
                    // Decimal notation is a double, rounded to the type.
                    (Some((64, bits)), 32) if f.bits.is_none() && !integer => {
                        u64::from((f64::from_bits(bits) as f32).to_bits())
                    }
                    _ => return self.refuse(f.span),
                };
                if integer && !self.head.ty.starts_with('b') {
                    return self.refuse(f.span);
                }
                self.put(u128::from(bits), at, f.span)
            }
            Operand::Name(_) | Operand::Offset(..) if width >= 32 => {
                self.address(x, false, 0, 0, at)
            }
            other => self.refuse(other.span()),
        }
    }

    /// `generic(x)+4`, or `0xFF00(x)`: some bytes of an address.
    fn apply(
        &mut self,
        head: &Operand,
        argument: &Operand,
        extra: i128,
        at: u64,
    ) -> Result<(), Error> {
        match head {
            Operand::Name(w) if w.text == "generic" && self.head.bits >= 32 => {
                self.address(argument, true, extra, 0, at)
            }
            Operand::Int(Sign::Plus, mask) => {
                let shift = mask.value.trailing_zeros();
                let ones = u64::MAX >> (64 - self.head.bits.min(64));
                if shift % 8 != 0 || mask.value >> shift.min(63) != ones {
                    return self.refuse(mask.span);
                }
                self.address(argument, false, extra, shift, at)
            }
            other => self.refuse(other.span()),
        }
    }

    fn address(
        &mut self,
        x: &Operand,
        generic: bool,
        extra: i128,
        shift: u32,
        at: u64,
    ) -> Result<(), Error> {
        let (base, offset) = match x {
            Operand::Offset(base, o) => (base.as_ref(), o.value()),
            x => (x, 0),
        };
        let Operand::Name(name) = base else {
            return self.refuse(x.span());
        };
        if self.head.ty.starts_with('f') || self.head.bits > 64 {
            return self.refuse(x.span());
        }
        let symbol = (self.find)(&name.text, name.span)?;
        let addend = offset
            .checked_add(extra)
            .and_then(|v| i64::try_from(v).ok())
            .ok_or_else(|| Error::new(Reason::Number("an offset of 64 bits"), x.span()))?;
        self.value.relocations.push(Relocation {
            at,
            bytes: u64::from(self.head.bits / 8),
            symbol,
            generic,
            addend,
            shift,
        });
        self.put(0, at, x.span())
    }

    /// Writes the low bytes of a value.
    fn put(&mut self, v: u128, at: u64, span: Span) -> Result<(), Error> {
        let bytes = self.head.bits as usize / 8;
        if at.saturating_add(bytes as u64) > MAX_INIT {
            return Err(Error::new(Reason::TooLarge, span));
        }
        let at = at as usize;
        if self.value.bytes.len() < at + bytes {
            self.value.bytes.resize(at + bytes, 0);
        }
        for (i, b) in v.to_le_bytes().iter().take(bytes).enumerate() {
            self.value.bytes[at + i] = *b;
        }
        Ok(())
    }
}

/// Where an initial value stands.
fn span(init: &Init, name: Span) -> Span {
    match init {
        Init::Value(x) => x.span(),
        Init::Apply(head, argument, _) => Span::new(head.span().start, argument.span().end),
        Init::List(all) => match (all.first(), all.last()) {
            (Some(a), Some(b)) => Span::new(span(a, name).start, span(b, name).end),
            _ => name,
        },
    }
}
