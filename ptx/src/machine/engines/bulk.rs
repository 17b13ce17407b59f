//! Bulk copies, reductions and their groups (ISA §9.7.10.28.4, §9.7.10.28.6), and asynchronous stores and reductions of
//! a word (§9.7.10.12, §9.7.15.7).

use super::copy::literal;
use super::groups::{Kind, WaitGroup};
use super::mbarrier::Target;
use super::reduce::Reduction;
use super::tensor;
use super::transfer::{Combine, Shared, Sink, Source, Transfer};
use crate::machine::code::decode::Decoder;
use crate::machine::code::operand::Refusal;
use crate::machine::code::{Addr, Src};
use crate::machine::engine::{Action, Step, ThreadId};
use crate::machine::fault::FaultKind;
use crate::machine::machine::{Machine, Place};
use crate::machine::memory::Space;
use crate::module::Instr;

#[derive(Debug)]
struct Bulk {
    dst: Addr,
    dst_space: Space,
    src: Addr,
    src_space: Space,
    size: Src,
    mbar: Option<Addr>,
    cta_mask: Option<Src>,
    byte_mask: Option<Src>,
    reduction: Option<Reduction>,
}

#[derive(Debug)]
struct Commit;

#[derive(Debug)]
struct Word {
    dst: Addr,
    space: Space,
    values: Vec<(Src, usize)>,
    mbar: Addr,
    reduction: Option<Reduction>,
}

/// The action of `cp.async.bulk…`, `cp.reduce.async.bulk…`, `st.async` and `red.async`.
pub fn decode(d: &mut Decoder<'_>, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let words: Vec<&str> = instr.words().collect();
    let has = |w: &str| words.contains(&w);
    if words[0] != "cp" {
        return decode_word(d, instr, &words);
    }
    Ok(if has("commit_group") {
        Box::new(Commit)
    } else if has("wait_group") {
        Box::new(WaitGroup {
            kind: Kind::Bulk,
            latest: literal(instr.operands.first())?,
            read: has("read"),
        })
    } else if has("tensor") {
        tensor::decode(d, instr, &words)?
    } else {
        Box::new(bulk(d, instr, &words)?)
    })
}

/// The destination and source spaces that an opcode names, in this order.
fn spaces(words: &[&str]) -> Result<(Space, Space), Refusal> {
    let named = words.iter().filter_map(|w| match *w {
        "global" => Some(Space::Global),
        "shared::cta" => Some(Space::Shared),
        "shared::cluster" => Some(Space::Cluster),
        _ => None,
    });
    match named.collect::<Vec<_>>()[..] {
        [dst, src] => Ok((dst, src)),
        _ => Err("two state spaces are needed".to_owned()),
    }
}

fn bulk(d: &mut Decoder<'_>, instr: &Instr, words: &[&str]) -> Result<Bulk, Refusal> {
    let has = |w: &str| words.contains(&w);
    let (dst_space, src_space) = spaces(words)?;
    let grouped = dst_space == Space::Global;
    let mut rest = &instr.operands[..];
    let mut next = || {
        let (first, others) = rest.split_first().ok_or("an operand is missing")?;
        rest = others;
        Ok::<_, Refusal>(first)
    };
    let (dst, _) = d.address(next()?)?;
    let (src, _) = d.address(next()?)?;
    let size = d.source(next()?, 32)?;
    let mbar = match grouped {
        true => None,
        false => Some(d.address(next()?)?.0),
    };
    let cta_mask = match has("multicast::cluster") {
        true => Some(d.source(next()?, 16)?),
        false => None,
    };
    if has("L2::cache_hint") {
        next()?;
    }
    let byte_mask = match has("cp_mask") {
        true => Some(d.source(next()?, 16)?),
        false => None,
    };
    let reduction = match (words.get(1), words) {
        (Some(&"reduce"), [.., op, "noftz", ty] | [.., op, ty]) => {
            Some(Reduction::new(op, ty).ok_or_else(|| format!("a reduction `{op}` of type {ty}"))?)
        }
        _ => None,
    };
    Ok(Bulk {
        dst,
        dst_space,
        src,
        src_space,
        size,
        mbar,
        cta_mask,
        byte_mask,
        reduction,
    })
}

impl Action for Commit {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        m.thread_mut(t)?.engines.bulk.commit();
        Ok(Step::Next)
    }
}

impl Action for Bulk {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let size = m.get(t, self.size)?;
        if !size.is_multiple_of(16) {
            return Err(FaultKind::Async(format!(
                "a bulk operation of {size} bytes: the size must be a multiple of 16"
            )));
        }
        let src = m.address(t, self.src)?;
        let source = match m.locate(t, self.src_space, src, size, 16)? {
            Place::Global(at) => Source::Global(at, size as usize),
            Place::Shared(cta, offset) => Source::Shared(Shared { cta, offset }, size as usize),
            _ => {
                return Err(FaultKind::Async(format!(
                    "a bulk operation cannot read {src:#x}"
                )));
            }
        };
        let dst = m.address(t, self.dst)?;
        let place = m.locate(t, self.dst_space, dst, size, 16)?;
        let sink = match (place, self.mbar) {
            (Place::Global(at), _) => Sink::Global(at),
            (Place::Shared(cta, offset), Some(mbar)) => {
                let to = Shared { cta, offset };
                let mask = match self.cta_mask {
                    Some(src) => Some(m.get(t, src)?),
                    None => None,
                };
                if self.src_space == Space::Shared && cta == t.cta {
                    return Err(FaultKind::Async(
                        "a bulk copy from shared::cta to shared::cluster must go to another CTA"
                            .to_owned(),
                    ));
                }
                Sink::Shared(destinations(m, t, self.dst_space, to, size, mbar, mask)?)
            }
            _ => {
                return Err(FaultKind::Async(format!(
                    "a bulk operation cannot write {dst:#x}"
                )));
            }
        };
        let combine = match (&self.reduction, self.byte_mask) {
            (Some(reduction), _) => Combine::Reduce(reduction.clone()),
            (None, Some(mask)) => Combine::Masked(m.get(t, mask)? as u16),
            (None, None) => Combine::Replace,
        };
        let grouped = self.mbar.is_none();
        Transfer::begin(m, t, source, sink, combine, grouped)?;
        Ok(Step::Next)
    }
}

/// The places in shared memory that an operation writes, each with the mbarrier that it tells: one, or with a mask the
/// same offsets in every CTA that the mask names.
pub fn destinations(
    m: &mut Machine<'_>,
    t: ThreadId,
    space: Space,
    to: Shared,
    size: u64,
    mbar: Addr,
    mask: Option<u64>,
) -> Result<Vec<(Shared, Target)>, FaultKind> {
    let address = m.address(t, mbar)?;
    let bar = Target::locate(m, t, space, address)?;
    let Some(mask) = mask else {
        if bar.cta != to.cta {
            return Err(FaultKind::Async(
                "the mbarrier of a copy is in another CTA than its destination".to_owned(),
            ));
        }
        bar.check(m)?;
        return Ok(vec![(to, bar)]);
    };
    let cluster = m.home(t)?.cluster as usize;
    let ctas = m.clusters.get(cluster).map(|c| c.ctas.clone());
    let ctas = ctas.unwrap_or_default();
    let mut all = Vec::new();
    for rank in (0..16).filter(|r| mask >> r & 1 == 1) {
        let Some(cta) = ctas.get(rank).copied() else {
            return Err(FaultKind::Async(format!(
                "the mask {mask:#x} of a multicast names rank {rank}, and the cluster has {} CTAs",
                ctas.len()
            )));
        };
        let fits = m
            .cta(cta)
            .is_some_and(|c| to.offset + size as usize <= c.shared.len());
        if !fits {
            return Err(FaultKind::Async(format!(
                "the CTA of rank {rank}, a destination of a multicast, has ended"
            )));
        }
        let bar = Target {
            cta,
            offset: bar.offset,
        };
        bar.check(m)?;
        let offset = to.offset;
        all.push((Shared { cta, offset }, bar));
    }
    if all.is_empty() {
        return Err(FaultKind::Async("a multicast to no CTA".to_owned()));
    }
    Ok(all)
}

/// The action of `st.async` and `red.async` to shared memory.
fn decode_word(
    d: &mut Decoder<'_>,
    instr: &Instr,
    words: &[&str],
) -> Result<Box<dyn Action>, Refusal> {
    let [dst, value, mbar] = &instr.operands[..] else {
        return Err("only stores and reductions that tell an mbarrier are known".to_owned());
    };
    let [.., op, ty] = *words else {
        return Err("a type is needed".to_owned());
    };
    let width = crate::isa::types::width(ty).ok_or_else(|| format!("the type {ty}"))?;
    let reduction = match words[0] {
        "red" => {
            Some(Reduction::new(op, ty).ok_or_else(|| format!("a reduction `{op}` of type {ty}"))?)
        }
        _ => None,
    };
    let elements = d.elements(value).to_vec();
    let mut values = Vec::new();
    for element in &elements {
        values.push((d.source(element, width)?, width as usize / 8));
    }
    let (dst, _) = d.address(dst)?;
    let (mbar, _) = d.address(mbar)?;
    let space = match words.contains(&"shared::cluster") {
        true => Space::Cluster,
        false => Space::Generic,
    };
    Ok(Box::new(Word {
        dst,
        space,
        values,
        mbar,
        reduction,
    }))
}

impl Action for Word {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let mut bytes = Vec::new();
        for (src, size) in &self.values {
            let value = m.get_wide(t, *src)?;
            bytes.extend_from_slice(&value.to_le_bytes()[..*size]);
        }
        let size = bytes.len() as u64;
        let dst = m.address(t, self.dst)?;
        let Place::Shared(cta, offset) = m.locate(t, self.space, dst, size, size)? else {
            return Err(FaultKind::Async(format!(
                "the destination {dst:#x} is not in shared memory"
            )));
        };
        if self.reduction.is_some() && cta == t.cta {
            return Err(FaultKind::Async(
                "red.async must go to another CTA of the cluster".to_owned(),
            ));
        }
        let to = Shared { cta, offset };
        let all = destinations(m, t, self.space, to, size, self.mbar, None)?;
        let combine = match &self.reduction {
            Some(reduction) => Combine::Reduce(reduction.clone()),
            None => Combine::Replace,
        };
        Transfer::begin(
            m,
            t,
            Source::Words(bytes),
            Sink::Shared(all),
            combine,
            false,
        )?;
        Ok(Step::Next)
    }
}
