//! Every function of words, recorded by the machine and run, gives what its meaning gives at once on concrete words.

use ptx::alg::bits::{Bits, BitsAlg};
use ptx::alg::ieee::Ieee;
use ptx::isa::{Form, Group, Spec, alu_forms};
use ptx::machine::code::{Act, Fill, Places, Program};
use ptx::machine::rng::Rng;
use ptx::module::{FuncId, Function, Instr, Module, Operand, RegId, Register};
use ptx::text::span::Span;

/// A function of one instruction, with a register for each operand.
struct Builder {
    registers: Vec<Register>,
    sources: Vec<RegId>,
    dests: Vec<RegId>,
}

impl Builder {
    fn register(&mut self, spec: &Spec) -> Operand {
        let id = RegId(self.registers.len() as u32);
        self.registers.push(Register {
            name: format!("%{}", self.registers.len()),
            ty: spec.ty.name.to_owned(),
            bits: spec.ty.bits,
            declaration: 0,
            index: 0,
        });
        if spec.dest {
            self.dests.push(id);
        } else {
            self.sources.push(id);
        }
        Operand::Reg(id)
    }

    fn operand(&mut self, group: &Group) -> Option<Operand> {
        match group {
            Group::One(s) => Some(self.register(s)),
            Group::Pair(a, b) => {
                let (a, b) = (self.register(a), self.register(b));
                Some(Operand::Pair(Box::new(a), Box::new(b)))
            }
            Group::Vector(specs) => Some(Operand::Vector(
                specs.iter().map(|s| self.register(s)).collect(),
            )),
            Group::Implicit(_) | Group::Rest => None,
        }
    }
}

fn module(form: &Form) -> (Module, Vec<RegId>, Vec<RegId>) {
    let mut b = Builder {
        registers: Vec::new(),
        sources: Vec::new(),
        dests: Vec::new(),
    };
    let operands = form.operands.iter().filter_map(|g| b.operand(g)).collect();
    let function = Function {
        name: "f".to_owned(),
        is_entry: true,
        has_body: true,
        returns: Vec::new(),
        params: Vec::new(),
        required_block: None,
        max_block: None,
        required_cluster: None,
        directives: Vec::new(),
        declarations: Vec::new(),
        registers: b.registers,
        labels: Vec::new(),
        tables: Vec::new(),
        code: vec![Instr {
            guard: None,
            opcode: form.opcode.clone(),
            form: Some(form.clone()),
            operands,
            span: Span::default(),
            loc: None,
        }],
        span: Span::default(),
    };
    let module = Module {
        functions: vec![function],
        ..Module::default()
    };
    (module, b.sources, b.dests)
}

/// A word: often an edge.
fn word(rng: &mut Rng, bits: u32) -> u128 {
    let all = if bits >= 128 {
        u128::MAX
    } else {
        (1 << bits) - 1
    };
    let random = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
    all & match rng.below(8) {
        0 => 0,
        1 => all,
        2 => 1 << (bits - 1),
        3 => (1 << (bits - 1)) - 1,
        4 => u128::from(rng.below(70)),
        5 => 1,
        _ => random,
    }
}

fn check(form: &Form, rng: &mut Rng, times: usize) -> Result<(), String> {
    let (module, sources, dests) = module(form);
    let program =
        Program::decode(&module, FuncId(0), &Places::default()).map_err(|e| e.to_string())?;
    let code = program.code(0).ok_or("no code")?;
    if let Some((_, why)) = code.refused.first() {
        return Err(why.clone());
    }
    let ops = match &code.ins[0].act {
        Act::One(op) => std::slice::from_ref(op),
        Act::Pure(start, end) => &code.ops[*start as usize..*end as usize],
        Act::Nop => &[],
        other => return Err(format!("{other:?}")),
    };
    let mut alg = BitsAlg(Ieee);
    for _ in 0..times {
        let mut slots = vec![0x5A5A_5A5A_5A5A_5A5A; code.slots.count as usize];
        for (slot, fill) in &code.slots.fills {
            let Fill::Word(w) = fill else {
                return Err(format!("{fill:?}"));
            };
            slots[*slot as usize] = *w;
        }
        let mut args = Vec::new();
        let mut regs = sources.iter();
        for ty in form.sources() {
            let value = word(rng, ty.bits);
            args.push(Bits::new(ty.bits, value));
            // The carry is the only source that is no register.
            let slot = regs
                .next()
                .map_or(code.slots.carry, |r| code.slots.registers[r.index()].slot)
                as usize;
            slots[slot] = value as u64;
            if ty.bits > 64 {
                slots[slot + 1] = (value >> 64) as u64;
            }
        }
        let want = form.apply(&mut alg, &args).map_err(|e| e.to_string())?;
        for op in ops {
            op.run(&mut slots, &mut alg);
        }
        let mut regs = dests.iter();
        let mut at = 0;
        for ty in form.dests() {
            let slot = regs
                .next()
                .map_or(code.slots.carry, |r| code.slots.registers[r.index()].slot)
                as usize;
            let high = if ty.bits > 64 { slots[slot + 1] } else { 0 };
            let got = u128::from(high) << 64 | u128::from(slots[slot]);
            let part = Bits::new(ty.bits, want.value() >> at).value();
            if got != part {
                return Err(format!(
                    "of {args:x?} the result is {got:#x}, not {part:#x}"
                ));
            }
            at += ty.bits;
        }
    }
    Ok(())
}

#[test]
fn recorded_meanings_are_the_meanings() {
    let mut rng = Rng::new(7);
    let forms = alu_forms();
    assert!(forms.len() > 200, "{} forms", forms.len());
    let wrong: Vec<String> = forms
        .iter()
        .filter_map(|f| Some(format!("{}: {}", f.opcode, check(f, &mut rng, 40).err()?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
