//! Exchanges between the lanes of a warp: `shfl`, `vote`, `match`, `redux`, `elect`, `activemask` (ISA §9.7.10.6,
//! §9.7.15.10–15).
//!
//! A lane waits until every lane of its member mask that has not exited is at a collective with the same opcode and the same
//! mask, wherever in the program. A mask that does not name the executing lane is a fault, and so are two lanes that wait at
//! different collectives, or with different masks, each for the other: they would wait for ever. What `shfl` takes from a lane that
//! is not there is unspecified and depends on the seed.
//!
//! `activemask` is the one operation whose result depends on how lanes run together. Here lanes run apart, so they are
//! brought together: a lane that comes to `activemask` waits there for a while (the seed says how long), and all lanes of
//! its warp that have come to the same instruction by then go on with the mask of them all.

use crate::alg::bits::Bits;
use crate::isa::Form;
use crate::isa::exchange::{self, Lanes};
use crate::machine::code::decode::{Decoder, form_of};
use crate::machine::code::operand::Refusal;
use crate::machine::code::{Dst, Src};
use crate::machine::engine::{Action, Agent, Gather, Progress, Reason, Step, ThreadId, Wake};
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;
use crate::machine::thread::State;
use crate::module::{Instr, Operand};

/// A collective that all lanes of a mask execute.
#[derive(Debug)]
struct Exchange {
    what: What,
    key: u64,
    a: Option<Src>,
    mask: Src,
    dst: Dst,
    pred: Dst,
}

#[derive(Debug)]
enum What {
    Shuffle { mode: String, b: Src, c: Src },
    Vote(String),
    Ballot,
    MatchAny,
    MatchAll,
    Redux(Form),
    Elect,
}

/// The key of an opcode among the gathers of a warp: no place in the program has it.
pub(super) fn opcode_key(opcode: &str) -> u64 {
    let fnv = opcode.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x100_0000_01B3)
    });
    fnv | 1 << 63
}

/// A destination that nothing is written to.
const NOWHERE: Dst = Dst {
    slot: None,
    width: 128,
};

/// The action of an instruction.
pub fn decode(d: &mut Decoder<'_>, base: &str, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let form = form_of(instr)?;
    let ops = &instr.operands[..];
    let Some((dst, sources)) = ops.split_first() else {
        return Err("operands are missing".to_owned());
    };
    let (dst, pred) = match dst {
        Operand::Pair(dst, pred) => (d.destination(dst)?, d.destination(pred)?),
        dst => (d.destination(dst)?, NOWHERE),
    };
    if base == "activemask" {
        return Ok(Box::new(ActiveMask { dst }));
    }
    let word = |word: &str| form.opcode.split('.').any(|w| w == word);
    let width = match () {
        () if word("b64") => 64,
        () if base == "vote" => 1,
        () => 32,
    };
    let (what, a, mask) = match (base, sources) {
        ("elect", [mask]) => (What::Elect, None, mask),
        ("shfl", [a, b, c, mask]) => {
            let what = What::Shuffle {
                mode: form.word("mode").to_owned(),
                b: d.source(b, 32)?,
                c: d.source(c, 32)?,
            };
            (what, Some(a), mask)
        }
        ("vote", [a, mask]) if word("ballot") => (What::Ballot, Some(a), mask),
        ("vote", [a, mask]) => (What::Vote(form.word("mode").to_owned()), Some(a), mask),
        ("match", [a, mask]) if word("any") => (What::MatchAny, Some(a), mask),
        ("match", [a, mask]) => (What::MatchAll, Some(a), mask),
        ("redux", [a, mask]) => (What::Redux(form.clone()), Some(a), mask),
        _ => return Err(format!("{} operands", ops.len())),
    };
    Ok(Box::new(Exchange {
        what,
        key: opcode_key(&form.opcode),
        a: a.map(|a| d.source(a, width)).transpose()?,
        mask: d.source(mask, 32)?,
        dst,
        pred,
    }))
}

impl Action for Exchange {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let mask = m.get(t, self.mask)?;
        let words = self.a.map(|a| m.get(t, a)).transpose()?;
        let words = words.into_iter().collect();
        m.gather(t, self.key, t.warp() * 32, u128::from(mask), words)
    }

    fn finish(&self, m: &mut Machine<'_>, t: ThreadId, g: &Gather) -> Result<(), FaultKind> {
        let width = self.a.map_or(0, |a| a.width);
        let (d, p) = match &self.what {
            What::Elect => {
                let leader = g.lanes.first().map_or(0, |l| l.thread.lane());
                (u128::from(leader), u128::from(g.leads(t)))
            }
            What::Shuffle { mode, b, c } => {
                let (b, c) = (m.get(t, *b)?, m.get(t, *c)?);
                let [b, c] = [b, c].map(|x| Bits::new(32, x.into()));
                let source = exchange::shuffle(&mut m.alg, mode, t.lane(), &b, &c);
                let word = match g.lane(source.lane.value() as u32) {
                    Some(lane) => lane.words.first().copied().unwrap_or(0),
                    None => m.rng.below(1 << 32),
                };
                (u128::from(word), source.in_range.value())
            }
            What::Vote(mode) => (exchange::vote(&mut m.alg, mode, &lanes(g, 1)).value(), 0),
            What::Ballot => (exchange::ballot(&mut m.alg, &lanes(g, 1)).value(), 0),
            What::MatchAny => {
                let lane = t.lane() as usize;
                let same = exchange::match_any(&mut m.alg, lane, &lanes(g, width));
                (same.value(), 0)
            }
            What::MatchAll => {
                let (d, p) = exchange::match_all(&mut m.alg, &lanes(g, width));
                (d.value(), p.value())
            }
            What::Redux(form) => (
                exchange::reduce(&mut m.alg, form, &lanes(g, width)).value(),
                0,
            ),
        };
        m.set(t, self.dst, d)?;
        m.set(t, self.pred, p)
    }
}

/// The words that the lanes of a warp bring.
fn lanes(g: &Gather, width: u32) -> Lanes<Bits> {
    let mut lanes = [None; 32];
    for lane in &g.lanes {
        if let Some(to) = lanes.get_mut(lane.thread.lane() as usize) {
            let word = lane.words.first().copied().unwrap_or(0);
            *to = Some(Bits::new(width, word.into()));
        }
    }
    lanes
}

/// Lanes that have come to one `activemask`.
#[derive(Clone, Debug)]
pub struct Together {
    warp: u32,
    site: (u32, u32),
    lanes: Vec<(ThreadId, Dst)>,
}

#[derive(Debug)]
struct ActiveMask {
    dst: Dst,
}

/// Ends the wait at an `activemask`.
#[derive(Debug)]
struct Depart {
    cta: u32,
    warp: u32,
    site: (u32, u32),
    /// How often it is put off.
    patience: u64,
}

/// How often the end of the wait at an `activemask` is put off at most.
const PATIENCE: u64 = 64;

impl Action for ActiveMask {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let thread = m.thread(t)?;
        let site = (thread.func, thread.pc);
        let warp = t.warp();
        let sets = &mut m.home_mut(t)?.engines.together;
        match sets.iter_mut().find(|s| (s.warp, s.site) == (warp, site)) {
            Some(set) => set.lanes.push((t, self.dst)),
            None => {
                sets.push(Together {
                    warp,
                    site,
                    lanes: vec![(t, self.dst)],
                });
                let patience = m.rng.below(PATIENCE);
                m.spawn(Box::new(Depart {
                    cta: t.cta,
                    warp,
                    site,
                    patience,
                }));
            }
        }
        Ok(Step::Block(
            Reason::Other("lanes that come to `activemask`").wait(),
        ))
    }
}

impl Agent for Depart {
    fn advance(&mut self, m: &mut Machine<'_>) -> Result<Progress, FaultKind> {
        let Some(cta) = m.cta_mut(self.cta) else {
            return Ok(Progress::Done);
        };
        let mine = |s: &Together| (s.warp, s.site) == (self.warp, self.site);
        let Some(at) = cta.engines.together.iter().position(mine) else {
            return Ok(Progress::Done);
        };
        let warp = cta.threads.iter().skip(self.warp as usize * 32).take(32);
        let live = warp.filter(|x| x.state != State::Exited).count();
        if self.patience > 0 && cta.engines.together[at].lanes.len() < live {
            self.patience -= 1;
            return Ok(Progress::More);
        }
        let set = cta.engines.together.swap_remove(at);
        let mask = set.lanes.iter().fold(0, |m, (t, _)| m | 1u128 << t.lane());
        for (t, dst) in set.lanes {
            m.set(t, dst, mask)?;
            m.wake(t, Wake::Done);
        }
        Ok(Progress::Done)
    }
}
