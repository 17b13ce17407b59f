//! Operands as slots.

use super::Slot;
use super::decode::{Decoder, space_word};
use super::frame::{Fill, Special};
use super::layout::function_address;
use super::op::Sized;
use crate::machine::memory::Space;
use crate::module::{self, Address, Base, Literal, Operand, Symbol, VarId};

/// A word to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Src {
    /// The slot, or the first of two.
    pub slot: Slot,
    /// The bits that are wanted: at most those of the register.
    pub width: u32,
    /// The width of the register.
    pub register: u32,
    /// Whether a predicate is negated.
    pub negated: bool,
}

/// A word to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dst {
    /// The slot, or the first of two; `None` for `_`.
    pub slot: Option<Slot>,
    /// The width of the register.
    pub width: u32,
}

/// An address to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addr {
    /// The slot that it starts from.
    pub slot: Slot,
    /// What is added.
    pub offset: u64,
    /// The bits that an address has: 32 or 64.
    pub mask: u64,
}

/// Why an instruction cannot be decoded: it is unsupported where it is reached.
pub type Refusal = String;

impl Decoder<'_> {
    /// A source of so many bits; a wider register gives its low bits (ISA §9.4.1).
    pub fn source(&mut self, operand: &Operand, width: u32) -> Result<Src, Refusal> {
        let src = |slot, register| Src {
            slot,
            width,
            register,
            negated: false,
        };
        match operand {
            Operand::Reg(r) => {
                let reg = self.register(*r)?;
                if reg.width < width {
                    return Err(format!(
                        "register {} has {} bits, {width} are wanted",
                        self.register_name(*r),
                        reg.width
                    ));
                }
                Ok(src(reg.slot, reg.width))
            }
            Operand::Imm(literal) => {
                let value = literal_bits(*literal, width)?;
                Ok(src(self.slots.constant(width, value), width))
            }
            Operand::Special(_) | Operand::Symbol(..) if width > 64 => {
                Err(format!("{} as {width} bits", kind(operand)))
            }
            Operand::Special(name) => Ok(src(self.special(name)?, width)),
            Operand::Symbol(symbol, offset) => {
                let fill = self.symbol(*symbol, *offset)?;
                if let Fill::Word(value) = fill
                    && value & !super::mask(width.min(64) as u8) != 0
                {
                    return Err(format!("an address that does not fit {width} bits"));
                }
                Ok(src(self.slots.fill(fill), width))
            }
            Operand::Not(inner) => {
                let inner = self.source(inner, width)?;
                Ok(Src {
                    negated: !inner.negated,
                    ..inner
                })
            }
            other => Err(format!("an operand like {} is not known here", kind(other))),
        }
    }

    /// A destination.
    pub fn destination(&mut self, operand: &Operand) -> Result<Dst, Refusal> {
        match operand {
            Operand::Reg(r) => {
                let reg = self.register(*r)?;
                Ok(Dst {
                    slot: Some(reg.slot),
                    width: reg.width,
                })
            }
            Operand::Sink => Ok(Dst {
                slot: None,
                width: 128,
            }),
            other => Err(format!("{} is no destination", kind(other))),
        }
    }

    /// The operands of `{…}`, or the one that stands for itself.
    pub fn elements<'o>(&self, operand: &'o Operand) -> &'o [Operand] {
        match operand {
            Operand::Vector(list) => list,
            one => std::slice::from_ref(one),
        }
    }

    /// An address, and the space it is in if the instruction leaves it open and the base is a variable.
    pub fn address(&mut self, operand: &Operand) -> Result<(Addr, Option<Space>), Refusal> {
        let Operand::Address(address) = operand else {
            return Err(format!("{} is no address", kind(operand)));
        };
        self.address_of(address)
    }

    /// An address, and the first space among the words of the opcode; without one that of the base, or generic.
    pub fn address_in(
        &mut self,
        operand: &Operand,
        words: &[&str],
    ) -> Result<(Addr, Space), Refusal> {
        let (addr, of_base) = self.address(operand)?;
        let space = match space_word(words) {
            Space::Generic => of_base.unwrap_or(Space::Generic),
            space => space,
        };
        Ok((addr, space))
    }

    /// As [`Decoder::address`].
    pub fn address_of(&mut self, address: &Address) -> Result<(Addr, Option<Space>), Refusal> {
        let (slot, width, space) = match address.base {
            Base::Reg(r) => {
                let reg = self.register(r)?;
                (reg.slot, reg.width, None)
            }
            Base::Zero => (self.slots.constant(64, 0), 64, None),
            Base::Symbol(symbol) => {
                let fill = self.symbol(symbol, 0)?;
                (self.slots.fill(fill), 64, self.space_of(symbol))
            }
        };
        let addr = Addr {
            slot,
            offset: address.offset as u64,
            mask: super::mask(width.min(64) as u8),
        };
        Ok((addr, space))
    }

    /// The space that a variable is in.
    pub fn space_of(&self, symbol: Symbol) -> Option<Space> {
        let Symbol::Variable(v) = symbol else {
            return None;
        };
        Some(match self.module.variables.get(v.index())?.space {
            module::Space::Const => Space::Const,
            module::Space::Global => Space::Global,
            module::Space::Local => Space::Local,
            module::Space::Param => Space::Param,
            module::Space::Shared => Space::Shared,
        })
    }

    /// The slot and width of a register.
    pub fn register(&self, r: module::RegId) -> Result<Sized, Refusal> {
        let found = self.slots.registers.get(r.index()).copied();
        found.ok_or_else(|| format!("register {} does not exist", r.0))
    }

    fn register_name(&self, r: module::RegId) -> &str {
        self.function
            .registers
            .get(r.index())
            .map_or("?", |r| &r.name)
    }

    /// The address of a variable or function in its own space, plus an offset.
    pub fn symbol(&self, symbol: Symbol, offset: i64) -> Result<Fill, Refusal> {
        let offset = offset as u64;
        let v = match symbol {
            Symbol::Function(f) => {
                return Ok(Fill::Word(function_address(f).wrapping_add(offset)));
            }
            Symbol::Variable(v) => v,
        };
        let places = self.places;
        let kernel = places.kernel_params.iter().find(|p| p.0 == v);
        let found = None
            .or_else(|| Some(Fill::Word(places.global.get(&v)?.wrapping_add(offset))))
            .or_else(|| Some(Fill::Word(places.constant.get(&v)?.wrapping_add(offset))))
            .or_else(|| Some(Fill::Shared(places.shared.get(&v)?.wrapping_add(offset))))
            .or_else(|| Some(Fill::Word(kernel?.1.wrapping_add(offset))))
            .or_else(|| self.in_frame(v, offset));
        found.ok_or_else(|| "a variable that has no place".to_owned())
    }

    fn in_frame(&self, v: VarId, offset: u64) -> Option<Fill> {
        let at = self.places.frame.get(&v)?.wrapping_add(offset);
        let variable = self.module.variables.get(v.index())?;
        Some(match variable.space {
            module::Space::Local => Fill::Local(at),
            _ => Fill::Param(at),
        })
    }

    /// The slot of a special register.
    pub fn special(&mut self, name: &str) -> Result<Slot, Refusal> {
        let special = Special::by_name(name).ok_or_else(|| format!("special register %{name}"))?;
        Ok(self.slots.fill(Fill::Special(special)))
    }
}

/// A literal as a word of a type's width: integers wrap, floats are bits (ISA §4.5).
pub fn literal_bits(literal: Literal, width: u32) -> Result<u128, Refusal> {
    let value = match (literal, width) {
        (Literal::Int(i), _) => i as u128,
        (Literal::F32(bits), 32) => u128::from(bits),
        (Literal::F32(bits), 64) => u128::from(f64::from(f32::from_bits(bits)).to_bits()),
        (Literal::F64(bits), 64) => u128::from(bits),
        (Literal::F64(bits), 32) => u128::from((f64::from_bits(bits) as f32).to_bits()),
        (Literal::F32(_) | Literal::F64(_), _) => {
            return Err(format!("a float literal as {width} bits"));
        }
    };
    Ok(match width {
        0 => 0,
        w if w < 128 => value & ((1 << w) - 1),
        _ => value,
    })
}

/// What kind of operand it is, for messages.
pub fn kind(operand: &Operand) -> &'static str {
    match operand {
        Operand::Reg(_) => "a register",
        Operand::Imm(_) => "a literal",
        Operand::Special(_) => "a special register",
        Operand::Sink => "`_`",
        Operand::Symbol(..) => "the address of a symbol",
        Operand::Label(_) => "a label",
        Operand::Table(_) => "a table",
        Operand::Address(_) => "an address",
        Operand::Tensor(..) => "a tensor's address",
        Operand::Vector(_) => "a vector",
        Operand::List(_) => "a list",
        Operand::Pair(..) => "a pair",
        Operand::Not(_) => "a negated predicate",
    }
}
