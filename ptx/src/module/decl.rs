//! Declarations: state space, type, alignment, size.

use super::data::Space;
use super::error::{Error, Reason};
use crate::isa::types;
use crate::text::ast::{Attr, Declarator};
use crate::text::span::Span;

/// The largest size of a variable: 2^40 bytes.
pub const MAX_BYTES: u64 = 1 << 40;

/// Where something is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Registers.
    Reg,
    /// Memory.
    Memory(Space),
}

/// What the words before the names say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub place: Place,
    /// The type without its dot.
    pub ty: String,
    /// Its width in bits.
    pub bits: u32,
    /// Elements of a vector; 1 without `.v2` and the like.
    pub vector: u64,
    /// `.align`, or the natural alignment.
    pub align: u64,
    pub external: bool,
}

/// The width of a fundamental type (ISA §5.2.1).
pub(super) fn bits(ty: &str) -> Option<u32> {
    match ty {
        "f16x2" => Some(32),
        "f8" | "f128" => None,
        ty => types::width(ty),
    }
}

fn place_of(word: &str) -> Option<Place> {
    Some(match word {
        ".reg" => Place::Reg,
        ".const" => Place::Memory(Space::Const),
        ".global" => Place::Memory(Space::Global),
        ".local" => Place::Memory(Space::Local),
        ".param" => Place::Memory(Space::Param),
        ".shared" => Place::Memory(Space::Shared),
        _ => return None,
    })
}

/// Reads the words of a declaration.
pub(super) fn head(attrs: &[Attr], span: Span) -> Result<Head, Error> {
    let (mut place, mut ty, mut vector, mut align, mut external) = (None, None, 1, None, false);
    for a in attrs {
        let word = a.word.text.as_str();
        if let Some(p) = place_of(word) {
            if place.replace(p).is_some() {
                return Err(Error::new(Reason::Space(word.into()), a.word.span));
            }
            continue;
        }
        match word {
            ".sreg" | ".tex" => return Err(Error::new(Reason::Space(word.into()), a.word.span)),
            ".v2" | ".v4" | ".v8" => vector = u64::from(word.as_bytes()[2] - b'0'),
            ".align" => match a.numbers.first() {
                Some(n) if n.value.is_power_of_two() && n.value <= MAX_BYTES => {
                    align = Some(n.value)
                }
                Some(n) => return Err(Error::new(Reason::Alignment(n.value), n.span)),
                None => return Err(Error::new(Reason::Wanted("a number of bytes"), a.word.span)),
            },
            ".extern" => external = true,
            ".visible" | ".weak" | ".common" | ".attribute" => {}
            // What follows is about the memory that the parameter points to (ISA §5.1.6.2).
            ".ptr" => break,
            _ => match word.strip_prefix('.').and_then(|t| Some((t, bits(t)?))) {
                Some(found) if ty.is_none() => ty = Some(found),
                _ => return Err(Error::new(Reason::Type(word.into()), a.word.span)),
            },
        }
    }
    let incomplete = |what| Error::new(Reason::Incomplete(what), span);
    let place = place.ok_or_else(|| incomplete("a state space"))?;
    let (ty, bits) = ty.ok_or_else(|| incomplete("a type"))?;
    if bits < 8 && place != Place::Reg {
        return Err(Error::new(Reason::Type(format!(".{ty}")), span));
    }
    Ok(Head {
        place,
        ty: ty.to_owned(),
        bits,
        vector,
        align: align.unwrap_or(u64::from(bits / 8) * vector).max(1),
        external,
    })
}

impl Head {
    /// The size in bytes of one element, which is a vector if the declaration says so.
    pub fn element_bytes(&self) -> u64 {
        u64::from(self.bits / 8) * self.vector
    }

    /// The size in bytes of what is declared; `None` for an array without a first dimension.
    pub fn bytes(&self, v: &Declarator) -> Result<Option<u64>, Error> {
        let mut total = self.element_bytes();
        let mut sized = true;
        for (i, dim) in v.dims.iter().enumerate() {
            match dim {
                Some(n) => {
                    total = total
                        .checked_mul(n.value)
                        .filter(|t| *t <= MAX_BYTES)
                        .ok_or_else(|| Error::new(Reason::TooLarge, n.span))?;
                }
                None if i == 0 => sized = false,
                None => return Err(Error::new(Reason::Unsized, v.name.span)),
            }
        }
        Ok(sized.then_some(total))
    }
}
