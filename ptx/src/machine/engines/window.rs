//! Addresses from window to window (ISA §6.4.1.1): `cvta`, `isspacep`, `mapa`, `getctarank`.

use crate::machine::code::decode::{Decoder, form_of, space_word};
use crate::machine::code::operand::Refusal;
use crate::machine::code::{Dst, Src};
use crate::machine::engine::{Action, Step, ThreadId};
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;
use crate::machine::memory::{RANK_SHIFT, SHARED_WINDOW, Space};
use crate::module::Instr;

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// From the space to generic.
    ToGeneric(Space),
    /// From generic to the space.
    FromGeneric(Space),
    /// Whether a generic address is in the space.
    Is(Space),
    /// The address of another CTA's shared memory; whether addresses are generic.
    Map(bool),
    /// The rank of the CTA; whether the address is generic.
    Rank(bool),
}

#[derive(Debug)]
struct Window {
    kind: Kind,
    sources: Vec<Src>,
    dst: Dst,
}

/// The action of a row of shape `Window`.
pub fn decode(d: &mut Decoder<'_>, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let form = form_of(instr)?;
    let words = d.words(form, &instr.operands)?;
    let names: Vec<&str> = form.opcode.split('.').collect();
    let space = space_word(&names);
    let generic = !names.contains(&"shared::cluster");
    let kind = match names[0] {
        "cvta" if names.contains(&"to") => Kind::FromGeneric(space),
        "cvta" => Kind::ToGeneric(space),
        "isspacep" => Kind::Is(space),
        "mapa" => Kind::Map(generic),
        "getctarank" => Kind::Rank(generic),
        other => return Err(format!("`{other}` is no operation on addresses")),
    };
    let (dst, _) = *words.dests.first().ok_or("a result is wanted")?;
    let wanted = if matches!(kind, Kind::Map(_)) { 2 } else { 1 };
    if words.sources.len() != wanted {
        return Err(format!("{wanted} sources are wanted"));
    }
    Ok(Box::new(Window {
        kind,
        sources: words.sources,
        dst,
    }))
}

impl Action for Window {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let at = m.get(t, self.sources[0])?;
        let value = match self.kind {
            Kind::ToGeneric(space) => space.window().wrapping_add(at),
            Kind::FromGeneric(space) => at.wrapping_sub(space.window()),
            Kind::Is(space) => {
                let (found, offset) = Space::of_generic(at);
                let own = || {
                    let rank = u64::from(m.home(t)?.place.rank);
                    Ok(offset >> RANK_SHIFT == rank)
                };
                u64::from(match space {
                    Space::Shared => found == Space::Cluster && own()?,
                    space => found == space,
                })
            }
            Kind::Map(generic) => {
                let rank = m.get(t, self.sources[1])?;
                let cluster = m.home(t)?.cluster;
                let ctas = m.clusters.get(cluster as usize).map_or(0, |c| c.ctas.len());
                if rank >= ctas as u64 {
                    return Err(FaultKind::Undefined(format!(
                        "`mapa` to rank {rank} of a cluster of {ctas} CTAs"
                    )));
                }
                let window = if generic { SHARED_WINDOW } else { 0 };
                let offset = at.wrapping_sub(window) & ((1 << RANK_SHIFT) - 1);
                window + (rank << RANK_SHIFT | offset)
            }
            Kind::Rank(generic) => {
                let window = if generic { SHARED_WINDOW } else { 0 };
                at.wrapping_sub(window) >> RANK_SHIFT & 0xFF
            }
        };
        m.set(t, self.dst, u128::from(value))?;
        Ok(Step::Next)
    }
}
