//! The slots of a frame: registers, constants, temporaries.

use rustc_hash::FxHashMap;

use super::Slot;
use super::op::Sized;
use crate::module::Function;

/// A special register whose value a thread keeps (ISA chapter 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the PTX names say it
pub enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    NWarpId,
    GridId,
    SmId,
    NSmId,
    LaneMaskEq,
    LaneMaskLe,
    LaneMaskLt,
    LaneMaskGe,
    LaneMaskGt,
    ClusterId(u8),
    NClusterId(u8),
    ClusterCtaId(u8),
    ClusterNctaId(u8),
    ClusterCtaRank,
    ClusterNctaRank,
    IsExplicitCluster,
    DynamicSmemSize,
    TotalSmemSize,
    AggrSmemSize,
    ReservedSmem(u8),
    EnvReg(u8),
}

/// What a slot holds when a frame begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    /// A constant.
    Word(u64),
    /// The address in the shared window of the first byte of the CTA's shared memory, plus an offset.
    Shared(u64),
    /// The address of the frame's local variables, plus an offset.
    Local(u64),
    /// The address of the frame's parameter variables, plus an offset.
    Param(u64),
    /// As [`Fill::Shared`], as a generic address.
    GenericShared(u64),
    /// As [`Fill::Local`], as a generic address.
    GenericLocal(u64),
    /// As [`Fill::Param`], as a generic address.
    GenericParam(u64),
    /// A special register.
    Special(Special),
}

/// The slots of a function's frames, as they are decided while it is decoded.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// For each register: its first slot and its width.
    pub registers: Vec<Sized>,
    /// The number of slots that are registers: they come first.
    pub register_slots: u32,
    /// For each of these: the bits that the register has in it.
    pub masks: Vec<u64>,
    /// The slots with a value of their own.
    pub fills: Vec<(Slot, Fill)>,
    /// The carry flag `CC.CF`.
    pub carry: Slot,
    /// The number of all slots.
    pub count: u32,
    /// The slots that hold constants.
    pub known: FxHashMap<Slot, u128>,
    filled: FxHashMap<Fill, Slot>,
    wide: FxHashMap<u128, Slot>,
    temps: Vec<Slot>,
    wide_temps: Vec<Slot>,
    used: usize,
    wide_used: usize,
}

impl Slots {
    /// Slots for the registers of a function.
    pub fn new(function: &Function) -> Slots {
        let mut s = Slots::default();
        for r in &function.registers {
            s.registers.push(Sized {
                slot: s.count,
                width: r.bits,
            });
            let words = r.bits.div_ceil(64).max(1);
            for i in 0..words {
                s.masks
                    .push(super::mask((r.bits - (64 * i).min(r.bits)).min(64) as u8));
            }
            s.count += words;
        }
        // The carry flag is a register without a name; a slot more keeps one that is read as two inside the frame.
        s.carry = s.count;
        s.masks.push(1);
        s.count += 1;
        s.register_slots = s.count;
        s.count += 1;
        s
    }

    /// A slot with a value of its own.
    pub fn fill(&mut self, fill: Fill) -> Slot {
        if let Some(slot) = self.filled.get(&fill) {
            return *slot;
        }
        let slot = self.fresh(1);
        self.fills.push((slot, fill));
        self.filled.insert(fill, slot);
        if let Fill::Word(value) = fill {
            self.known.insert(slot, u128::from(value));
        }
        slot
    }

    /// A slot, or two, with a constant.
    pub fn constant(&mut self, width: u32, value: u128) -> Slot {
        if width <= 64 {
            return self.fill(Fill::Word(value as u64));
        }
        if let Some(slot) = self.wide.get(&value) {
            return *slot;
        }
        let slot = self.fresh(2);
        self.fills.push((slot, Fill::Word(value as u64)));
        self.fills
            .push((slot + 1, Fill::Word((value >> 64) as u64)));
        self.wide.insert(value, slot);
        self.known.insert(slot, value);
        slot
    }

    /// A slot, or two, for the rest of this instruction.
    pub fn temp(&mut self, width: u32) -> Slot {
        let words = if width > 64 { 2 } else { 1 };
        let (at, have) = match words {
            1 => (self.used, self.temps.len()),
            _ => (self.wide_used, self.wide_temps.len()),
        };
        let fresh = (at == have).then(|| self.fresh(words));
        let (list, used) = match words {
            1 => (&mut self.temps, &mut self.used),
            _ => (&mut self.wide_temps, &mut self.wide_used),
        };
        list.extend(fresh);
        *used += 1;
        list[at]
    }

    /// All temporaries are free again.
    pub fn next_instruction(&mut self) {
        self.used = 0;
        self.wide_used = 0;
    }

    fn fresh(&mut self, words: u32) -> Slot {
        let slot = self.count;
        self.count += words;
        slot
    }
}

impl Special {
    /// The special register of a name, if its value never changes while a thread lives.
    pub fn by_name(name: &str) -> Option<Special> {
        let (base, axis) = match name.rsplit_once('.') {
            Some((base, "x")) => (base, 0),
            Some((base, "y")) => (base, 1),
            Some((base, "z")) => (base, 2),
            Some(_) => return None,
            None => (name, 0),
        };
        let indexed = |prefix: &str| base.strip_prefix(prefix)?.parse::<u8>().ok();
        Some(match base {
            "tid" => Special::Tid(axis),
            "ntid" => Special::Ntid(axis),
            "ctaid" => Special::Ctaid(axis),
            "nctaid" => Special::Nctaid(axis),
            "laneid" => Special::LaneId,
            "warpid" => Special::WarpId,
            "nwarpid" => Special::NWarpId,
            "gridid" => Special::GridId,
            "smid" => Special::SmId,
            "nsmid" => Special::NSmId,
            "lanemask_eq" => Special::LaneMaskEq,
            "lanemask_le" => Special::LaneMaskLe,
            "lanemask_lt" => Special::LaneMaskLt,
            "lanemask_ge" => Special::LaneMaskGe,
            "lanemask_gt" => Special::LaneMaskGt,
            "clusterid" => Special::ClusterId(axis),
            "nclusterid" => Special::NClusterId(axis),
            "cluster_ctaid" => Special::ClusterCtaId(axis),
            "cluster_nctaid" => Special::ClusterNctaId(axis),
            "cluster_ctarank" => Special::ClusterCtaRank,
            "cluster_nctarank" => Special::ClusterNctaRank,
            "is_explicit_cluster" => Special::IsExplicitCluster,
            "dynamic_smem_size" => Special::DynamicSmemSize,
            "total_smem_size" => Special::TotalSmemSize,
            "aggr_smem_size" => Special::AggrSmemSize,
            _ => {
                if let Some(i) = indexed("envreg") {
                    Special::EnvReg(i)
                } else {
                    Special::ReservedSmem(match base {
                        "reserved_smem_offset_begin" => 0,
                        "reserved_smem_offset_end" => 1,
                        "reserved_smem_offset_cap" => 2,
                        _ => 3 + indexed("reserved_smem_offset_")?.min(1),
                    })
                }
            }
        })
    }
}
