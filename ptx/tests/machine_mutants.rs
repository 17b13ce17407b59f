//! Damaged programs: whatever a module says, a launch ends with a result or a fault, never with a panic.

mod common;
mod run;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ptx::machine::rng::Rng;
use ptx::machine::{Device, Launch, Options, Silent};
use ptx::module::{
    Address, Base, Formal, Guard, Instr, LabelId, Literal, Module, Operand, RegId, Symbol, TableId,
    VarId,
};

fn pick<'a, T>(rng: &mut Rng, list: &'a [T]) -> Option<&'a T> {
    list.get(rng.below(list.len() as u64) as usize)
}

fn number(rng: &mut Rng) -> i128 {
    match rng.below(6) {
        0 => i128::MIN,
        1 => i128::MAX,
        2 => -1,
        3 => i128::from(rng.below(64)),
        4 => i128::from(rng.next_u64()),
        _ => 1 << rng.below(70),
    }
}

fn operand(rng: &mut Rng, module: &Module) -> Operand {
    let small = rng.below(40) as u32;
    match rng.below(12) {
        0 => Operand::Imm(Literal::Int(number(rng))),
        1 => Operand::Reg(RegId(small)),
        2 => Operand::Reg(RegId(rng.next_u64() as u32)),
        3 => Operand::Sink,
        4 => Operand::Label(LabelId(small)),
        5 => Operand::Table(TableId(small % 4)),
        6 => Operand::Symbol(
            Symbol::Variable(VarId(small % (module.variables.len() as u32 + 2))),
            number(rng) as i64,
        ),
        7 => Operand::Address(Address {
            base: Base::Reg(RegId(small)),
            offset: number(rng) as i64,
        }),
        8 => Operand::Address(Address {
            base: Base::Symbol(Symbol::Variable(VarId(
                small % (module.variables.len() as u32 + 2),
            ))),
            offset: number(rng) as i64,
        }),
        9 => Operand::Vector((0..small % 9).map(|i| Operand::Reg(RegId(i))).collect()),
        10 => Operand::Not(Box::new(Operand::Reg(RegId(small)))),
        _ => Operand::Special("laneid".to_owned()),
    }
}

/// Changes one thing.
fn damage(rng: &mut Rng, module: &mut Module, all: &[Instr]) {
    let with_body: Vec<usize> = (0..module.functions.len())
        .filter(|i| !module.functions[*i].code.is_empty())
        .collect();
    let Some(f) = pick(rng, &with_body).copied() else {
        return;
    };
    let at = rng.below(module.functions[f].code.len() as u64) as usize;
    let new = operand(rng, module);
    let function = &mut module.functions[f];
    match rng.below(8) {
        0..3 => {
            let instr = &mut function.code[at];
            let n = instr.operands.len() as u64;
            if let Some(o) = instr.operands.get_mut(rng.below(n) as usize) {
                *o = new;
            }
        }
        3 => {
            if let Some(other) = pick(rng, all) {
                function.code[at] = other.clone();
            }
        }
        4 => {
            function.code[at].guard = Some(Guard {
                pred: RegId(rng.below(60) as u32),
                negated: rng.one_in(2),
            });
        }
        5 => {
            function.code.remove(at);
        }
        6 => {
            let n = function.registers.len() as u64;
            if let Some(r) = function.registers.get_mut(rng.below(n) as usize) {
                r.bits = [0, 1, 8, 16, 32, 64, 128, 77][rng.below(8) as usize];
            }
        }
        _ => {
            let n = module.variables.len() as u64;
            if let Some(v) = module.variables.get_mut(rng.below(n) as usize) {
                match rng.below(3) {
                    0 => v.bytes = number(rng) as u64,
                    1 => v.align = 1 << rng.below(40),
                    _ => v.owner = None,
                }
            }
        }
    }
}

/// Runs every kernel of a module for a while.
fn run_all(module: &Module, rng: &mut Rng) {
    let options = Options {
        seed: rng.next_u64(),
        step_limit: 5_000,
        memory_limit: 64 << 20,
        ..Options::default()
    };
    let Ok(mut device) = Device::new(module, options) else {
        return;
    };
    let Ok(data) = device.allocate("data", 4096, 16) else {
        return;
    };
    for f in module.functions.iter().filter(|f| f.is_entry) {
        let params = f.params.iter().map(|p| {
            let bytes = match p {
                Formal::Param(v) => module.variables.get(v.index()).map_or(0, |x| x.bytes),
                Formal::Reg(_) => 0,
            };
            let value = if bytes == 8 { data } else { 64 };
            let mut word = value.to_le_bytes().to_vec();
            word.resize(bytes.min(1 << 16) as usize, 0);
            word
        });
        let launch = Launch {
            entry: f.name.clone(),
            grid: [2, 1, 1],
            block: f.required_block.unwrap_or([64, 1, 1]),
            cluster: f.required_cluster.unwrap_or([1, 1, 1]),
            dynamic_shared: 1024,
            params: params.collect(),
            programmatic: false,
        };
        let _ = device
            .launch(&launch, &mut Silent)
            .map_err(|f| f.to_string());
    }
}

#[test]
fn damaged_modules() {
    let rounds: u64 = std::env::var("MUTANTS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(6);
    let mut panics = Vec::new();
    for path in common::corpus() {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.contains(".G.") || name.starts_with("cub_") {
            continue;
        }
        let module = run::module(&std::fs::read_to_string(&path).expect("readable"));
        let all: Vec<Instr> = module
            .functions
            .iter()
            .flat_map(|f| f.code.iter().cloned())
            .collect();
        for round in 0..rounds {
            let mut rng = Rng::new(round);
            let mut damaged = module.clone();
            for _ in 0..=rng.below(12) {
                damage(&mut rng, &mut damaged, &all);
            }
            let run = catch_unwind(AssertUnwindSafe(|| run_all(&damaged, &mut rng)));
            if run.is_err() {
                panics.push(format!("{name}, round {round}"));
            }
        }
    }
    assert!(panics.is_empty(), "{panics:#?}");
}
