//! Copies and reductions of boxes of tensors (ISA §9.7.10.28.5), and changes of tensor maps in memory (§9.7.10.29,
//! §9.7.15.17).

use super::bulk::destinations;
use super::copy::literal;
use super::transfer::{Combine, Shared, Sink, Source, Tile, Transfer};
use crate::layout::tensormap::{BYTES, Field};
use crate::machine::code::decode::Decoder;
use crate::machine::code::operand::Refusal;
use crate::machine::code::{Addr, Src};
use crate::machine::engine::{Action, Gather, Step, ThreadId};
use crate::machine::fault::FaultKind;
use crate::machine::machine::{Machine, Place};
use crate::machine::memory::Space;
use crate::module::{Instr, Operand};

#[derive(Debug)]
struct Tensor {
    map: Addr,
    map_space: Space,
    coordinates: Vec<Src>,
    shared: Addr,
    shared_space: Space,
    /// Of a load: the mbarrier, and the mask of a multicast.
    load: Option<(Addr, Option<Src>)>,
    reduce: Option<&'static str>,
}

/// The operations of reductions of tensors.
const OPS: [&str; 8] = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];

/// The action of `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`.
pub fn decode(
    d: &mut Decoder<'_>,
    instr: &Instr,
    words: &[&str],
) -> Result<Box<dyn Action>, Refusal> {
    let has = |w: &str| words.contains(&w);
    if let Some(mode) = words
        .iter()
        .find(|w| w.starts_with("im2col") || w.starts_with("tile::"))
    {
        return Err(format!("only the mode .tile is known, not .{mode}"));
    }
    let is_load = has("mbarrier::complete_tx::bytes");
    let mut rest = &instr.operands[..];
    let mut next = || {
        let (first, others) = rest.split_first().ok_or("an operand is missing")?;
        rest = others;
        Ok::<_, Refusal>(first)
    };
    let (shared, tensor) = if is_load {
        (next()?, next()?)
    } else {
        let tensor = next()?;
        (next()?, tensor)
    };
    let Operand::Tensor(map, coordinates) = tensor else {
        return Err("a tensor map and coordinates are needed".to_owned());
    };
    let load = match is_load {
        true => {
            let mbar = d.address(next()?)?.0;
            let mask = match has("multicast::cluster") {
                true => Some(d.source(next()?, 16)?),
                false => None,
            };
            Some((mbar, mask))
        }
        false => None,
    };
    let dims = ["1d", "2d", "3d", "4d", "5d"];
    let dim = words.iter().find_map(|w| dims.iter().position(|d| d == w));
    if dim.map(|d| d + 1) != Some(coordinates.len()) {
        return Err(format!("{} coordinates", coordinates.len()));
    }
    let mut sources = Vec::new();
    for x in coordinates {
        sources.push(d.source(x, 32)?);
    }
    let (map, of_symbol) = d.address_of(map)?;
    let (shared, _) = d.address(shared)?;
    let reduce = match words.get(1) {
        Some(&"reduce") => OPS.into_iter().find(|op| has(op)),
        _ => None,
    };
    Ok(Box::new(Tensor {
        map,
        map_space: of_symbol.unwrap_or(Space::Generic),
        coordinates: sources,
        shared,
        shared_space: match has("shared::cluster") {
            true => Space::Cluster,
            false => Space::Shared,
        },
        load,
        reduce,
    }))
}

impl Action for Tensor {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let address = m.address(t, self.map)?;
        let map = m.locate(t, self.map_space, address, BYTES as u64, 64)?;
        if !matches!(map, Place::Global(_) | Place::Const(_) | Place::Kernel(_)) {
            return Err(FaultKind::Async(format!(
                "the tensor map at {address:#x} is not in .param, .const or .global"
            )));
        }
        let mut at = Vec::with_capacity(self.coordinates.len());
        for x in &self.coordinates {
            at.push(m.get(t, *x)? as u32 as i32);
        }
        let tile = Tile { map, at };
        let address = m.address(t, self.shared)?;
        // Alignment: CUDA C++ programming guide, tensor memory access, requirements of compute capability 9.0.
        let Place::Shared(cta, offset) = m.locate(t, self.shared_space, address, 16, 128)? else {
            return Err(FaultKind::Async(format!(
                "the box at {address:#x} is not in shared memory"
            )));
        };
        let shared = Shared { cta, offset };
        match self.load {
            Some((mbar, mask)) => {
                let mask = match mask {
                    Some(src) => Some(m.get(t, src)?),
                    None => None,
                };
                let to = destinations(m, t, self.shared_space, shared, 16, mbar, mask)?;
                let source = Source::Tile(tile);
                Transfer::begin(m, t, source, Sink::Shared(to), Combine::Replace, false)?;
            }
            None => {
                let combine = self
                    .reduce
                    .map_or(Combine::Replace, Combine::ReduceElements);
                let source = Source::Words(Vec::new());
                Transfer::begin(m, t, source, Sink::Tile(tile, shared), combine, true)?;
            }
        }
        Ok(Step::Next)
    }
}

#[derive(Debug)]
struct Replace {
    field: Field,
    addr: Addr,
    space: Space,
    ordinal: u64,
    value: Src,
}

#[derive(Debug)]
struct CopyFence {
    dst: Addr,
    src: Addr,
}

/// The action of `tensormap.replace` and `tensormap.cp_fenceproxy`.
pub fn decode_map(d: &mut Decoder<'_>, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let words: Vec<&str> = instr.words().collect();
    if words.get(1) == Some(&"cp_fenceproxy") {
        let [dst, src, size] = &instr.operands[..] else {
            return Err("three operands are needed".to_owned());
        };
        if literal(Some(size))? != BYTES as u64 {
            return Err(format!("the size must be {BYTES}"));
        }
        return Ok(Box::new(CopyFence {
            dst: d.address(dst)?.0,
            src: d.address(src)?.0,
        }));
    }
    let field = words.get(3).and_then(|w| Field::from_name(w));
    let field = field.ok_or("the field is not known")?;
    let (address, ordinal, value) = match &instr.operands[..] {
        [address, value] if !field.has_ordinal() => (address, 0, value),
        [address, ordinal, value] if field.has_ordinal() => {
            (address, literal(Some(ordinal))?, value)
        }
        _ => return Err("other operands are needed".to_owned()),
    };
    let wide = matches!(field, Field::GlobalAddress | Field::GlobalStride);
    let (addr, space) = d.address_in(address, &words)?;
    Ok(Box::new(Replace {
        field,
        addr,
        space,
        ordinal,
        value: d.source(value, if wide { 64 } else { 32 })?,
    }))
}

impl Action for Replace {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let address = m.address(t, self.addr)?;
        let value = m.get(t, self.value)?;
        let mut object = [0; BYTES];
        m.load(t, self.space, address, 64, &mut object)?;
        self.field
            .replace(&mut object, self.ordinal, value)
            .map_err(|e| FaultKind::Async(e.to_string()))?;
        m.store(t, self.space, address, 64, &object)?;
        Ok(Step::Next)
    }
}

impl Action for CopyFence {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let key = m.site_key(t)?;
        let first = t.index - t.lane();
        m.gather(t, key, first, 0xFFFF_FFFF, Vec::new())
    }

    fn finish(&self, m: &mut Machine<'_>, t: ThreadId, _g: &Gather) -> Result<(), FaultKind> {
        let mut object = [0; BYTES];
        let from = m.address(t, self.src)?;
        m.load(t, Space::Shared, from, 64, &mut object)?;
        let to = m.address(t, self.dst)?;
        m.store(t, Space::Global, to, 64, &object)
    }
}
