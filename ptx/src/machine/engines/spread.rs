//! A matrix to and from the registers of a warp.

use crate::layout::fragment::Fragment;
use crate::machine::code::operand::Refusal;
use crate::machine::code::{Dst, Src};
use crate::machine::engine::ThreadId;
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;

/// A fragment with its places looked up.
#[derive(Debug)]
pub(super) struct Spread {
    bits: u32,
    per_register: usize,
    /// How many registers hold each element once.
    registers: usize,
    /// For each lane and each of its elements the index in the matrix, row-major.
    at: Vec<u32>,
    /// How many elements the matrix has.
    pub size: usize,
}

impl Spread {
    /// The places of a fragment, for an instruction that names so many registers.
    pub fn new(fragment: &Fragment, registers: usize) -> Result<Spread, Refusal> {
        if !fragment.fits() {
            return Err("a matrix of this shape with these types".to_owned());
        }
        if fragment.registers() as usize != registers || registers == 0 {
            return Err(format!(
                "{registers} registers for a matrix that has {}",
                fragment.registers()
            ));
        }
        let once = fragment.elements() / fragment.copies;
        let mut at = Vec::new();
        for lane in 0..32 {
            for i in 0..once {
                let (row, col) = fragment.place(lane, i);
                at.push(row * fragment.cols + col);
            }
        }
        Ok(Spread {
            bits: fragment.bits,
            per_register: fragment.per_register() as usize,
            registers: registers / fragment.copies as usize,
            at,
            size: (fragment.rows * fragment.cols) as usize,
        })
    }

    fn mask(&self) -> u64 {
        crate::machine::code::mask(self.bits.min(64) as u8)
    }

    /// Reads the matrix from registers of the warp: from those of a frame that begins at slot `base`.
    pub fn read(
        &self,
        m: &Machine<'_>,
        (first, base): (ThreadId, u32),
        registers: &[Src],
        matrix: &mut [u64],
    ) -> Result<(), FaultKind> {
        let per_lane = self.registers * self.per_register;
        for (lane, places) in self.at.chunks_exact(per_lane).enumerate() {
            let thread = m.thread(ThreadId {
                cta: first.cta,
                index: first.index + lane as u32,
            })?;
            for (src, places) in registers.iter().zip(places.chunks_exact(self.per_register)) {
                let slot = thread.slots.get((base + src.slot) as usize);
                let word = slot.copied().unwrap_or(0);
                for (i, place) in places.iter().enumerate() {
                    if let Some(to) = matrix.get_mut(*place as usize) {
                        *to = word >> (i as u32 * self.bits) & self.mask();
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the matrix to registers, all copies of it.
    pub fn write(
        &self,
        m: &mut Machine<'_>,
        (first, base): (ThreadId, u32),
        registers: &[Dst],
        matrix: &[u64],
    ) -> Result<(), FaultKind> {
        let per_lane = self.registers * self.per_register;
        for (lane, places) in self.at.chunks_exact(per_lane).enumerate() {
            let t = ThreadId {
                cta: first.cta,
                index: first.index + lane as u32,
            };
            let thread = m.thread_mut(t)?;
            let again = places.chunks_exact(self.per_register).cycle();
            for (dst, places) in registers.iter().zip(again) {
                let element = |(i, place): (usize, &u32)| {
                    let word = matrix.get(*place as usize).copied().unwrap_or(0);
                    (word & self.mask()) << (i as u32 * self.bits)
                };
                let word = places.iter().enumerate().map(element).fold(0, |a, b| a | b);
                let slot = dst.slot.map(|s| (base + s) as usize);
                if let Some(to) = slot.and_then(|s| thread.slots.get_mut(s)) {
                    *to = word & crate::machine::code::mask(dst.width.min(64) as u8);
                }
            }
        }
        Ok(())
    }
}
