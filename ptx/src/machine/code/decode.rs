//! From the module's instructions to code.

use std::collections::BTreeSet;

use super::frame::Slots;
use super::layout::Places;
use super::op::{Op, Sized};
use super::operand::{Refusal, kind};
use super::tape::{self, TapeAlg, Word};
use super::{Access, Act, Code, Dst, Ins, NO_GUARD, Program, Slot, Src, Value, Watched};
use crate::alg::WordAlg;
use crate::alg::bits::Bits;
use crate::isa::{Form, Group, Spec, Ty};
use crate::machine::engine::Action;
use crate::machine::engines;
use crate::machine::fault::FaultKind;
use crate::machine::memory::Space;
use crate::machine::slots::SlotSet;
use crate::module::uses::reachable;
use crate::module::{FuncId, Function, Instr, LabelId, Module, Operand};

/// The operands of a form that are words.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Sources.
    pub sources: Vec<Src>,
    /// Destinations with the types of what goes there.
    pub dests: Vec<(Dst, Ty)>,
}

/// Decodes one function.
pub struct Decoder<'a> {
    /// The module.
    pub module: &'a Module,
    /// The function.
    pub function: &'a Function,
    /// Where variables are.
    pub places: &'a Places,
    /// The slots of its frames.
    pub slots: Slots,
    ops: Vec<Op>,
    accesses: Vec<Access>,
    actions: Vec<Box<dyn Action>>,
}

impl<'m> Program<'m> {
    /// Decodes a kernel and all that it may come to.
    pub fn decode(module: &'m Module, entry: FuncId, common: &Places) -> Result<Self, FaultKind> {
        let functions: BTreeSet<FuncId> = reachable(module, entry);
        let places = common.for_entry(module, entry, &functions)?;
        let mut codes = Vec::new();
        for (i, function) in module.functions.iter().enumerate() {
            let id = FuncId(i as u32);
            let wanted = function.has_body && functions.contains(&id);
            codes.push(wanted.then(|| decode(module, id, function, &places)));
        }
        Ok(Program {
            module,
            entry,
            codes,
            places,
        })
    }
}

/// Decodes a function.
fn decode(module: &Module, id: FuncId, function: &Function, places: &Places) -> Code {
    let mut d = Decoder {
        module,
        function,
        places,
        slots: Slots::new(function),
        ops: Vec::new(),
        accesses: Vec::new(),
        actions: Vec::new(),
    };
    let mut ins = Vec::new();
    let (mut touch, mut touched, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for instr in &function.code {
        d.slots.next_instruction();
        let (guard, when) = d.guard(instr);
        let act = d.act(instr).unwrap_or_else(|why| {
            let why = format!("`{}`: {why}", instr.opcode);
            refused.push((ins.len() as u32, why.clone()));
            d.action(Box::new(engines::Unsupported(why)))
        });
        ins.push(Ins { guard, when, act });
        let start = touched.len() as u32;
        instr.operands.iter().for_each(|o| d.touch(o, &mut touched));
        touch.push((start, touched.len() as u32));
    }
    ins.push(Ins {
        guard: NO_GUARD,
        when: 0,
        act: Act::Ret,
    });
    touch.push((0, 0));
    let watched = watch(&d, function, &mut ins, |pc| {
        let (start, end): (u32, u32) = touch[pc];
        &touched[start as usize..end as usize]
    });
    let (local_bytes, param_bytes) = places.frame_bytes(module, id);
    Code {
        func: id,
        ins,
        ops: d.ops,
        accesses: d.accesses,
        actions: d.actions,
        watched,
        slots: d.slots,
        local_bytes,
        param_bytes,
        touch,
        touched,
        refused,
    }
}

/// Watches the instructions that touch registers of asynchronous matrix products; they check their own themselves.
fn watch<'t>(
    d: &Decoder<'_>,
    function: &Function,
    ins: &mut [Ins],
    touched: impl Fn(usize) -> &'t [Slot],
) -> Vec<Watched> {
    let mut of_products = SlotSet::default();
    for operand in function.code.iter().flat_map(engines::wgmma::in_flight) {
        let mut slots = Vec::new();
        d.touch(operand, &mut slots);
        slots.into_iter().for_each(|s| of_products.insert(s));
    }
    let mut watched = Vec::new();
    if of_products.is_empty() {
        return watched;
    }
    for (pc, (ins, instr)) in ins.iter_mut().zip(&function.code).enumerate() {
        let mut slots = touched(pc).to_vec();
        slots.retain(|s| of_products.contains(*s));
        if slots.is_empty() || engines::wgmma::in_flight(instr).next().is_some() {
            continue;
        }
        let act = std::mem::replace(&mut ins.act, Act::Watched(watched.len() as u32));
        watched.push(Watched { act, slots });
    }
    watched
}

impl Decoder<'_> {
    fn guard(&self, instr: &Instr) -> (Slot, u64) {
        let Some(guard) = instr.guard else {
            return (NO_GUARD, 0);
        };
        let slot = self.slots.registers.get(guard.pred.index());
        (slot.map_or(NO_GUARD, |s| s.slot), u64::from(!guard.negated))
    }

    /// Keeps an action.
    pub fn action(&mut self, action: Box<dyn Action>) -> Act {
        self.actions.push(action);
        Act::Action(self.actions.len() as u32 - 1)
    }

    fn act(&mut self, instr: &Instr) -> Result<Act, Refusal> {
        let base = instr.base();
        match base {
            "ld" | "ldu" => return self.access(instr, true),
            "st" if !instr.opcode.starts_with("st.async") => return self.access(instr, false),
            "bra" => {
                let Some(Operand::Label(label)) = instr.operands.last() else {
                    return Err("the target is no label".to_owned());
                };
                return Ok(Act::Bra(self.target(*label)?));
            }
            "ret" => return Ok(Act::Ret),
            "exit" => return Ok(Act::Exit),
            _ => {}
        }
        if let Some(action) = engines::decode(self, base, instr)? {
            return Ok(action);
        }
        self.alu(instr)
    }

    /// The index of the instruction that a label stands before.
    pub fn target(&self, label: LabelId) -> Result<u32, Refusal> {
        let at = self.function.labels.get(label.index()).map(|l| l.at);
        at.filter(|at| *at <= self.function.code.len())
            .map(|at| at as u32)
            .ok_or_else(|| "a label without a place".to_owned())
    }

    /// Loads and stores of one value or a vector. In one interleaving of threads `.volatile`, `.relaxed`, `.acquire`,
    /// `.release` and `.mmio` are plain accesses; hints to caches mean nothing.
    fn access(&mut self, instr: &Instr, load: bool) -> Result<Act, Refusal> {
        let form = form_of(instr)?;
        let words: Vec<&str> = form.opcode.split('.').collect();
        let ty = form.ty();
        let [first, second, ..] = &instr.operands[..] else {
            return Err("two operands are wanted".to_owned());
        };
        let (place, value) = if load {
            (second, first)
        } else {
            (first, second)
        };
        let (addr, space) = self.address_in(place, &words)?;
        let elements = self.elements(value);
        let count = ["v2", "v4", "v8"].iter().position(|v| words.contains(v));
        if elements.len() != count.map_or(1, |i| 2 << i) {
            return Err(format!("{} registers do not fit", elements.len()));
        }
        let mut values = Vec::new();
        for element in elements {
            values.push(self.value(element, ty.bits, load)?);
        }
        self.accesses.push(Access {
            space,
            addr,
            size: ty.bits.div_ceil(8),
            signed: ty.signed,
            values,
        });
        let index = self.accesses.len() as u32 - 1;
        Ok(if load {
            Act::Load(index)
        } else {
            Act::Store(index)
        })
    }

    fn value(&mut self, element: &Operand, bits: u32, load: bool) -> Result<Value, Refusal> {
        if !load {
            let src = self.source(element, bits)?;
            return Ok(Value {
                slot: src.slot,
                width: bits,
            });
        }
        let dst = self.destination(element)?;
        if dst.width < bits {
            return Err(format!("{bits} bits for a register of {}", dst.width));
        }
        Ok(Value {
            slot: dst.slot.unwrap_or(NO_GUARD),
            width: dst.width,
        })
    }

    /// A function of words: recorded.
    fn alu(&mut self, instr: &Instr) -> Result<Act, Refusal> {
        let form = form_of(instr)?;
        let operands = self.words(form, &instr.operands)?;
        if form.shape() != "alu" {
            return Err("it has no meaning here".to_owned());
        }
        let ops = self.record(form, &operands)?;
        Ok(self.pure(ops))
    }

    /// The operands of a form that are words: sources and destinations, each in the order of the line.
    pub fn words(&mut self, form: &Form, operands: &[Operand]) -> Result<Words, Refusal> {
        let mut words = Words::default();
        let mut given = operands.iter();
        for group in &form.operands {
            if let Group::Implicit(spec) = group {
                self.carry(spec, &mut words);
                continue;
            }
            let Some(operand) = given.next() else {
                let mut needed = false;
                group.each(|s| needed |= !s.optional);
                if needed {
                    return Err("an operand is missing".to_owned());
                }
                continue;
            };
            match (group, operand) {
                (Group::Pair(a, b), Operand::Pair(x, y)) => {
                    self.word(a, x, &mut words)?;
                    self.word(b, y, &mut words)?;
                }
                (Group::Pair(a, b), one) => {
                    self.word(a, one, &mut words)?;
                    if !b.optional {
                        return Err("two results are wanted".to_owned());
                    }
                }
                (Group::Vector(specs), Operand::Vector(list)) if specs.len() == list.len() => {
                    for (spec, operand) in specs.iter().zip(list) {
                        self.word(spec, operand, &mut words)?;
                    }
                }
                (Group::One(spec), one) => self.word(spec, one, &mut words)?,
                (_, other) => return Err(format!("{} does not fit", kind(other))),
            }
        }
        Ok(words)
    }

    fn word(&mut self, spec: &Spec, operand: &Operand, words: &mut Words) -> Result<(), Refusal> {
        if spec.ty.bits == 0 {
            return Ok(());
        }
        if spec.dest {
            let dst = self.destination(operand)?;
            if dst.slot.is_some() && dst.width < spec.ty.bits {
                return Err(format!(
                    "a result of {} bits for a register of {}",
                    spec.ty.bits, dst.width
                ));
            }
            words.dests.push((dst, spec.ty));
        } else {
            words.sources.push(self.source(operand, spec.ty.bits)?);
        }
        Ok(())
    }

    fn carry(&self, spec: &Spec, words: &mut Words) {
        let slot = self.slots.carry;
        if spec.dest {
            let dst = Dst {
                slot: Some(slot),
                width: 1,
            };
            words.dests.push((dst, spec.ty));
        } else {
            words.sources.push(Src {
                slot,
                width: 1,
                register: 1,
                negated: false,
            });
        }
    }

    /// Keeps micro-operations.
    fn pure(&mut self, mut ops: Vec<Op>) -> Act {
        match ops.len() {
            0 => Act::Nop,
            1 => Act::One(ops.remove(0)),
            n => {
                let start = self.ops.len() as u32;
                self.ops.append(&mut ops);
                Act::Pure(start, start + n as u32)
            }
        }
    }

    /// Records the meaning of a form, and what brings its result to the destinations, lowest bits first. A register wider than its
    /// part of the result is filled with the sign of the type, or with zeros (ISA §9.4.1).
    fn record(&mut self, form: &Form, operands: &Words) -> Result<Vec<Op>, Refusal> {
        let registers = self.slots.register_slots;
        let meaning = form.meaning().ok_or("it has no meaning here")?;
        let mut tape = TapeAlg::new(&mut self.slots);
        let words: Vec<Word> = operands.sources.iter().map(|s| tape.read(s)).collect();
        let result = meaning(&mut tape, form, &words);
        let total: u32 = operands.dests.iter().map(|d| d.1.bits).sum();
        if tape.width(&result) != total {
            return Err(format!(
                "a result of {} bits for {total}",
                tape.width(&result)
            ));
        }
        let mut at = 0;
        let mut parts = Vec::new();
        for (dst, ty) in &operands.dests {
            let part = tape.extract(&result, at, ty.bits);
            at += ty.bits;
            let Some(slot) = dst.slot else { continue };
            let part = match (dst.width > ty.bits, ty.signed) {
                (true, true) => tape.sext(&part, dst.width),
                (true, false) => tape.zext(&part, dst.width),
                (false, _) => part,
            };
            parts.push((slot, tape.place(&part)));
        }
        let ops = tape.finish();
        Ok(self.deliver(ops, &parts, registers))
    }

    /// Brings the word in a slot to a destination.
    pub fn copy(&mut self, slot: Slot, width: u32, dst: Dst) -> Act {
        let Some(to) = dst.slot else { return Act::Nop };
        let ops = vec![mov(to, Sized { slot, width })];
        self.pure(ops)
    }

    /// Moves results to where they belong: the last operation writes there at once if it can.
    fn deliver(&mut self, ops: Vec<Op>, parts: &[(Slot, Sized)], registers: u32) -> Vec<Op> {
        let mut ops = tape::prune(ops, parts.iter().map(|p| p.1.slot));
        if let [(slot, from)] = parts
            && let Some(last) = ops.last_mut()
            && last.slots().0 == from.slot
        {
            last.set_result(*slot);
            return ops;
        }
        let mut moves = Vec::new();
        for (slot, from) in parts {
            // A register that another move may overwrite is copied first.
            let mut source = *from;
            if parts.len() > 1 && from.slot < registers {
                source.slot = self.slots.temp(from.width);
                ops.push(mov(source.slot, *from));
            }
            moves.push(mov(*slot, source));
        }
        ops.extend(moves);
        ops
    }

    /// The registers that an operand names.
    fn touch(&self, operand: &Operand, out: &mut Vec<Slot>) {
        let mut reg = |r: crate::module::RegId| {
            out.extend(self.slots.registers.get(r.index()).map(|s| s.slot));
        };
        match operand {
            Operand::Reg(r) => reg(*r),
            Operand::Address(a) | Operand::Tensor(a, _) => {
                if let crate::module::Base::Reg(r) = a.base {
                    reg(r);
                }
                if let Operand::Tensor(_, rest) = operand {
                    rest.iter().for_each(|o| self.touch(o, out));
                }
            }
            Operand::Vector(list) | Operand::List(list) => {
                list.iter().for_each(|o| self.touch(o, out));
            }
            Operand::Pair(a, b) => {
                self.touch(a, out);
                self.touch(b, out);
            }
            Operand::Not(a) => self.touch(a, out),
            _ => {}
        }
    }
}

impl TapeAlg<'_> {
    /// A source as a word.
    pub fn read(&mut self, src: &Src) -> Word {
        let word = match self.known(src.slot) {
            Some(value) => Word::Const(Bits::new(src.width, value)),
            None => {
                let whole = Word::In(Sized {
                    slot: src.slot,
                    width: src.register,
                });
                self.extract(&whole, 0, src.width)
            }
        };
        if src.negated { self.not(&word) } else { word }
    }
}

/// A move of a word of any width.
fn mov(to: Slot, from: Sized) -> Op {
    use super::op::{Wide, WideOp};
    if from.width <= 64 {
        return Op::Mov {
            d: to,
            a: from.slot,
        };
    }
    Op::Wide(Box::new(Wide {
        op: WideOp::Mov,
        d: Sized {
            slot: to,
            width: from.width,
        },
        args: vec![from],
    }))
}

/// The row's form of an instruction.
///
/// Errors: the table does not know the opcode.
pub fn form_of(instr: &Instr) -> Result<&Form, Refusal> {
    let form = instr.form.as_ref();
    form.ok_or_else(|| "the opcode is not known".to_owned())
}

/// The state space among the words of an opcode.
pub fn space_word(words: &[&str]) -> Space {
    for word in words {
        return match *word {
            "global" => Space::Global,
            "shared" | "shared::cta" => Space::Shared,
            "shared::cluster" => Space::Cluster,
            "local" => Space::Local,
            "param" | "param::entry" | "param::func" => Space::Param,
            "const" => Space::Const,
            _ => continue,
        };
    }
    Space::Generic
}
