//! Bulk operations under way (ISA §9.7.10.28.4–5): each reads its source, later writes its destinations, and tells an
//! mbarrier or a group.
//!
//! The source is read as a whole and each destination is written as a whole, at times that the seed decides. So who reads a
//! destination too early, or changes a source too early, sees it for some seed. What would be written to the shared
//! memory of a CTA that has ended is dropped and counted ([`crate::machine::Stats::abandoned`]); reading there is a fault.

use super::groups::{Kind, WaitGroup};
use super::mbarrier::Target;
use super::reduce::Reduction;
use crate::layout::swizzle::Swizzle;
use crate::layout::tensormap::TensorMap;
use crate::machine::engine::{Agent, Progress, ThreadId};
use crate::machine::fault::FaultKind;
use crate::machine::machine::{Machine, Place, gone};
use crate::machine::memory::SHARED_BASE;

/// Bytes of the shared memory of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The CTA, by its index in the grid.
    pub cta: u32,
    /// The offset of the first byte.
    pub offset: usize,
}

/// A box of a tensor: where the tensor map is, and where the box begins.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The place of the 128 bytes.
    pub map: Place,
    /// The coordinates of the first element.
    pub at: Vec<i32>,
}

/// Where the bytes come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Global memory: address and length.
    Global(u64, usize),
    /// Shared memory: place and length.
    Shared(Shared, usize),
    /// A box of a tensor.
    Tile(Tile),
    /// Nowhere: they are known.
    Words(Vec<u8>),
}

/// Where they go.
#[derive(Clone, Debug)]
pub enum Sink {
    /// Global memory.
    Global(u64),
    /// Shared memory of one or several CTAs, each with the mbarrier that is told.
    Shared(Vec<(Shared, Target)>),
    /// A box of a tensor, from this place in shared memory.
    Tile(Tile, Shared),
}

/// What is done to an element at the destination.
#[derive(Clone, Debug)]
pub enum Combine {
    /// It is replaced.
    Replace,
    /// It is replaced where the byte of each 16 has its bit in the mask.
    Masked(u16),
    /// It is reduced.
    Reduce(Reduction),
    /// It is reduced by an operation on the elements of the tensor.
    ReduceElements(&'static str),
}

/// A bulk operation under way.
#[derive(Debug)]
pub struct Transfer {
    issuer: ThreadId,
    source: Source,
    sink: Sink,
    combine: Combine,
    /// The group of the issuing thread's bulk operations.
    group: Option<u64>,
    /// What was read.
    image: Option<Image>,
}

/// What was read: the bytes without swizzling, and what the tensor map said.
#[derive(Debug)]
struct Image {
    bytes: Vec<u8>,
    map: Option<TensorMap>,
}

impl Transfer {
    /// Begins an operation; with `grouped`, it belongs to the thread's bulk groups.
    pub fn begin(
        m: &mut Machine<'_>,
        t: ThreadId,
        source: Source,
        sink: Sink,
        combine: Combine,
        grouped: bool,
    ) -> Result<(), FaultKind> {
        let group = match grouped {
            true => Some(m.thread_mut(t)?.engines.bulk.begin()),
            false => None,
        };
        m.spawn(Box::new(Transfer {
            issuer: t,
            source,
            sink,
            combine,
            group,
            image: None,
        }));
        Ok(())
    }

    fn read(&self, m: &mut Machine<'_>) -> Result<Image, FaultKind> {
        let mut map = None;
        let bytes = match (&self.source, &self.sink) {
            (_, Sink::Tile(tile, from)) => {
                let read = tensor_map(m, tile)?;
                if tile.at.iter().any(|x| *x < 0) {
                    return Err(FaultKind::Async(format!(
                        "a box is written at coordinates {:?}: none may be negative",
                        tile.at
                    )));
                }
                let mut bytes = vec![0; read.box_bytes() as usize];
                for (at, range) in pieces(read.swizzle, *from, bytes.len()) {
                    let len = range.len();
                    bytes[range].copy_from_slice(shared(m, from.cta, at, len)?);
                }
                map = Some(read);
                bytes
            }
            (Source::Global(address, len), _) => {
                let bytes = m.global.bytes(*address, *len as u64);
                bytes.ok_or_else(gone)?.to_vec()
            }
            (Source::Shared(from, len), _) => shared(m, from.cta, from.offset, *len)?.to_vec(),
            (Source::Tile(tile), _) => {
                let read = tensor_map(m, tile)?;
                let bytes = load(m, &read, &tile.at)?;
                map = Some(read);
                bytes
            }
            (Source::Words(bytes), _) => bytes.clone(),
        };
        Ok(Image { bytes, map })
    }

    /// Writes one destination; whether it was the last.
    fn write(&mut self, m: &mut Machine<'_>, image: &Image) -> Result<bool, FaultKind> {
        match &mut self.sink {
            Sink::Global(address) => {
                let to = m.global.bytes_mut(*address, image.bytes.len() as u64);
                self.combine
                    .put(&mut m.alg, to.ok_or_else(gone)?, &image.bytes)?;
                m.stats.async_bytes += image.bytes.len() as u64;
                Ok(true)
            }
            Sink::Tile(tile, _) => {
                let map = image.map.as_ref().ok_or_else(gone)?;
                let combine = self.combine.on(map)?;
                for run in map.tile(&tile.at) {
                    let Some(address) = run.global else { continue };
                    let from = run.offset as usize..(run.offset + run.bytes) as usize;
                    let Some(to) = m.global.bytes_mut(address, run.bytes) else {
                        return Err(outside(m, address, run.bytes));
                    };
                    combine.put(&mut m.alg, to, &image.bytes[from])?;
                    m.stats.async_bytes += run.bytes;
                }
                Ok(true)
            }
            Sink::Shared(destinations) => {
                let pick = m.rng.below(destinations.len() as u64) as usize;
                let (to, bar) = destinations.swap_remove(pick);
                if m.cta(to.cta).is_none() {
                    // Nobody waited for the bytes, and nobody can see them any more.
                    m.stats.abandoned += 1;
                    return Ok(destinations.is_empty());
                }
                let swizzle = image.map.as_ref().map_or(Swizzle::None, |m| m.swizzle);
                for (at, range) in pieces(swizzle, to, image.bytes.len()) {
                    let from = &image.bytes[range];
                    let (bytes, alg) = shared_mut(m, to.cta, at, from.len())?;
                    self.combine.put(alg, bytes, from)?;
                }
                m.stats.async_bytes += image.bytes.len() as u64;
                bar.complete_tx(m, image.bytes.len() as u32)?;
                Ok(destinations.is_empty())
            }
        }
    }
}

impl Agent for Transfer {
    fn advance(&mut self, m: &mut Machine<'_>) -> Result<Progress, FaultKind> {
        let Some(image) = self.image.take() else {
            self.image = Some(self.read(m)?);
            if let Some(group) = self.group
                && let Ok(thread) = m.thread_mut(self.issuer)
            {
                thread.engines.bulk.read(group);
                WaitGroup::wake(m, self.issuer, Kind::Bulk)?;
            }
            return Ok(Progress::More);
        };
        if !self.write(m, &image)? {
            self.image = Some(image);
            return Ok(Progress::More);
        }
        if let Some(group) = self.group
            && let Ok(thread) = m.thread_mut(self.issuer)
        {
            thread.engines.bulk.complete(group);
            WaitGroup::wake(m, self.issuer, Kind::Bulk)?;
        }
        Ok(Progress::Done)
    }

    fn issuer(&self) -> Option<ThreadId> {
        Some(self.issuer)
    }
}

impl Combine {
    /// The same for the elements of a tensor.
    fn on(&self, map: &TensorMap) -> Result<Combine, FaultKind> {
        let Combine::ReduceElements(op) = self else {
            return Ok(self.clone());
        };
        let element = map.element.name();
        match Reduction::new(op, element) {
            Some(reduction) => Ok(Combine::Reduce(reduction)),
            None => Err(FaultKind::Async(format!(
                "elements of type {element} have no reduction `{op}`"
            ))),
        }
    }

    fn put(
        &self,
        alg: &mut crate::machine::machine::Alg,
        to: &mut [u8],
        from: &[u8],
    ) -> Result<(), FaultKind> {
        match self {
            Combine::Reduce(reduction) => reduction.combine(alg, to, from)?,
            Combine::Masked(mask) => {
                for (i, (to, from)) in to.iter_mut().zip(from).enumerate() {
                    if mask >> (i % 16) & 1 == 1 {
                        *to = *from;
                    }
                }
            }
            Combine::Replace | Combine::ReduceElements(_) => to.copy_from_slice(from),
        }
        Ok(())
    }
}

/// Where the pieces of a box are in shared memory: their offsets, and which of the box's bytes they are.
fn pieces(
    swizzle: Swizzle,
    at: Shared,
    bytes: usize,
) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
    let address = SHARED_BASE + at.offset as u64;
    let pieces = swizzle.pieces(address, bytes).into_iter();
    pieces.map(|(at, range)| (at.saturating_sub(SHARED_BASE) as usize, range))
}

/// Reads a box of a tensor: its bytes row by row, with the fill outside of the tensor.
fn load(m: &mut Machine<'_>, map: &TensorMap, at: &[i32]) -> Result<Vec<u8>, FaultKind> {
    let mut bytes = vec![map.fill_byte(); map.box_bytes() as usize];
    for run in map.tile(at) {
        let Some(address) = run.global else { continue };
        let Some(from) = m.global.bytes(address, run.bytes) else {
            return Err(outside(m, address, run.bytes));
        };
        let to = run.offset as usize..(run.offset + run.bytes) as usize;
        bytes[to].copy_from_slice(from);
    }
    Ok(bytes)
}

/// The tensor map that an operation uses, as it is now.
fn tensor_map(m: &Machine<'_>, tile: &Tile) -> Result<TensorMap, FaultKind> {
    let mut object = [0; crate::layout::tensormap::BYTES];
    let bytes = match tile.map {
        Place::Global(at) => m.global.bytes(at, object.len() as u64),
        Place::Const(at) => m.constant.get(at..at + object.len()),
        Place::Kernel(at) => m.params.get(at..at + object.len()),
        _ => {
            return Err(FaultKind::Async(
                "a tensor map is not in .param, .const or .global".to_owned(),
            ));
        }
    };
    object.copy_from_slice(bytes.ok_or_else(gone)?);
    let map = TensorMap::decode(&object)
        .map_err(|e| FaultKind::Async(format!("the tensor map is not valid: {e}")))?;
    if map.dims.len() != tile.at.len() {
        return Err(FaultKind::Async(format!(
            "the tensor map has {} dimensions, the instruction {}",
            map.dims.len(),
            tile.at.len()
        )));
    }
    Ok(map)
}

fn outside(m: &Machine<'_>, address: u64, bytes: u64) -> FaultKind {
    FaultKind::OutOfBounds {
        space: "global",
        address,
        bytes,
        near: m.global.near(address),
    }
}

/// What an operation reads of a CTA's shared memory.
fn shared<'m>(
    m: &'m Machine<'_>,
    cta: u32,
    offset: usize,
    bytes: usize,
) -> Result<&'m [u8], FaultKind> {
    let home = m.cta(cta).ok_or_else(ended)?;
    home.guard.check(offset, bytes)?;
    let found = home.shared.get(offset..offset + bytes);
    found.ok_or_else(|| beyond(offset, bytes))
}

/// What an operation writes of a CTA's shared memory.
fn shared_mut<'m>(
    m: &'m mut Machine<'_>,
    cta: u32,
    offset: usize,
    bytes: usize,
) -> Result<(&'m mut [u8], &'m mut crate::machine::machine::Alg), FaultKind> {
    let Some(crate::machine::machine::Slot::Live(home)) = m.ctas.get_mut(cta as usize) else {
        return Err(ended());
    };
    home.guard.check(offset, bytes)?;
    let found = home.shared.get_mut(offset..offset + bytes);
    Ok((found.ok_or_else(|| beyond(offset, bytes))?, &mut m.alg))
}

fn ended() -> FaultKind {
    FaultKind::Async(
        "a bulk operation works on the shared memory of a CTA that has ended: nobody waited for it"
            .to_owned(),
    )
}

fn beyond(offset: usize, bytes: usize) -> FaultKind {
    FaultKind::Async(format!(
        "a bulk operation goes past the end of shared memory: {bytes} bytes at {:#x}",
        SHARED_BASE + offset as u64
    ))
}
