//! Memory: windows of the address space, allocations, and what may be done where.
//!
//! A generic address says by its high bits which window it is in (ISA §6.4.1.1). Every allocation of global memory has
//! 2^36 bytes of addresses for itself, so whatever runs past its end or its beginning hits nothing.

use super::fault::FaultKind;
use super::rng;

/// Where the addresses of an allocation begin: `(index + 1) << SLOT`.
const SLOT: u32 = 36;
/// Global memory may have at most this many bytes, all allocations together.
pub const MAX_GLOBAL: u64 = 1 << 30;
/// The window of shared memory in generic addresses.
pub const SHARED_WINDOW: u64 = 0x00FF_0001_0000_0000;
/// The window of local memory in generic addresses.
pub const LOCAL_WINDOW: u64 = 0x00FF_0002_0000_0000;
/// The window of constant memory in generic addresses.
pub const CONST_WINDOW: u64 = 0x00FF_0003_0000_0000;
/// The window of parameters in generic addresses.
pub const PARAM_WINDOW: u64 = 0x00FF_0004_0000_0000;
/// Functions have addresses of their own.
pub const CODE_WINDOW: u64 = 0x00FF_0005_0000_0000;
/// How long a window is.
pub const WINDOW: u64 = 1 << 32;
/// The first bytes of shared memory belong to the system, as on real devices; null is among them.
pub const SHARED_BASE: u64 = 0x400;
/// Bit of a shared address from which on it is the CTA's rank in its cluster.
pub const RANK_SHIFT: u32 = 24;
/// Addresses in `.param` from here on are those of variables of calls; below are the kernel's parameters.
pub const CALL_PARAMS: u64 = 0x10_0000;
/// The first address of a thread's local memory.
pub const LOCAL_BASE: u64 = 0x100;

/// A state space, as an instruction names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// No space named: a generic address.
    Generic,
    /// `.global`
    Global,
    /// `.shared`, `.shared::cta`: of the executing CTA.
    Shared,
    /// `.shared::cluster`
    Cluster,
    /// `.local`
    Local,
    /// `.param`
    Param,
    /// `.const`
    Const,
}

impl Space {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Space::Generic => "generic",
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Cluster => "shared::cluster",
            Space::Local => "local",
            Space::Param => "param",
            Space::Const => "const",
        }
    }

    /// The window that a generic address is in, and the address in that space.
    pub fn of_generic(address: u64) -> (Space, u64) {
        let offset = address & (WINDOW - 1);
        match address & !(WINDOW - 1) {
            SHARED_WINDOW => (Space::Cluster, offset),
            LOCAL_WINDOW => (Space::Local, offset),
            CONST_WINDOW => (Space::Const, offset),
            PARAM_WINDOW => (Space::Param, offset),
            _ => (Space::Global, address),
        }
    }

    /// The window of the space in generic addresses; 0 for global memory.
    pub fn window(self) -> u64 {
        match self {
            Space::Generic | Space::Global => 0,
            Space::Shared | Space::Cluster => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
            Space::Param => PARAM_WINDOW,
            Space::Const => CONST_WINDOW,
        }
    }
}

/// An allocation of global memory.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Its name.
    pub name: String,
    /// The address of its first byte.
    pub base: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Global memory.
#[derive(Clone, Debug, Default)]
pub struct Global {
    allocations: Vec<Allocation>,
    total: u64,
}

impl Global {
    /// A new allocation, full of garbage that depends on the seed; its address is a multiple of `align` and, as far as
    /// that leaves it open, of nothing more than 256.
    pub fn allocate(
        &mut self,
        name: &str,
        bytes: u64,
        align: u64,
        seed: u64,
    ) -> Result<u64, FaultKind> {
        let align = align.max(256);
        let total = self.total.saturating_add(bytes);
        if total > MAX_GLOBAL || !align.is_power_of_two() || align > MAX_GLOBAL {
            return Err(FaultKind::Limit(format!(
                "`{name}` cannot have {bytes} bytes aligned to {align}: all of global memory has {MAX_GLOBAL} at most"
            )));
        }
        let index = self.allocations.len() as u64;
        if index >= 1 << 16 {
            return Err(FaultKind::Limit("more than 65536 allocations".to_owned()));
        }
        let base = ((index + 1) << SLOT) + align;
        let mut content = vec![0; bytes as usize];
        rng::garbage(&mut content, seed ^ base);
        self.total = total;
        self.allocations.push(Allocation {
            name: name.to_owned(),
            base,
            bytes: content,
        });
        Ok(base)
    }

    /// All allocations.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// The allocation and offset of some bytes.
    #[inline]
    pub fn find(&self, address: u64, bytes: u64) -> Option<(usize, usize)> {
        let index = (address >> SLOT).wrapping_sub(1) as usize;
        let a = self.allocations.get(index)?;
        let at = address.wrapping_sub(a.base);
        let end = at.checked_add(bytes)?;
        (end <= a.bytes.len() as u64).then_some((index, at as usize))
    }

    /// Some bytes.
    #[inline]
    pub fn bytes(&self, address: u64, bytes: u64) -> Option<&[u8]> {
        let (index, at) = self.find(address, bytes)?;
        self.allocations[index].bytes.get(at..at + bytes as usize)
    }

    /// Some bytes, to be written.
    #[inline]
    pub fn bytes_mut(&mut self, address: u64, bytes: u64) -> Option<&mut [u8]> {
        let (index, at) = self.find(address, bytes)?;
        self.allocations[index]
            .bytes
            .get_mut(at..at + bytes as usize)
    }

    /// What is near an address that is out of bounds.
    pub fn near(&self, address: u64) -> String {
        let index = (address >> SLOT).wrapping_sub(1) as usize;
        match self.allocations.get(index) {
            None if address < 1 << SLOT => "no allocation is there (a null pointer?)".to_owned(),
            None => "no allocation is there".to_owned(),
            Some(a) if address < a.base => {
                format!("{} bytes before `{}`", a.base - address, a.name)
            }
            Some(a) => format!(
                "at byte {} of `{}`, which has {}",
                address - a.base,
                a.name,
                a.bytes.len()
            ),
        }
    }
}
