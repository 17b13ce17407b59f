//! What instructions name, and the functions that control can come to.

use std::collections::BTreeSet;

use super::data::*;

/// Every symbol that an instruction names, in order.
pub fn symbols(instr: &Instr, see: &mut impl FnMut(Symbol)) {
    fn go(operand: &Operand, see: &mut impl FnMut(Symbol)) {
        match operand {
            Operand::Symbol(s, _) => see(*s),
            Operand::Address(a) | Operand::Tensor(a, _) => {
                if let Base::Symbol(s) = a.base {
                    see(s);
                }
                if let Operand::Tensor(_, rest) = operand {
                    rest.iter().for_each(|o| go(o, see));
                }
            }
            Operand::Vector(list) | Operand::List(list) => list.iter().for_each(|o| go(o, see)),
            Operand::Pair(a, b) => {
                go(a, see);
                go(b, see);
            }
            Operand::Not(a) => go(a, see),
            _ => {}
        }
    }
    instr.operands.iter().for_each(|o| go(o, see));
}

/// The functions that an entry may come to: itself, and those that it names, directly or not; with an indirect call, all.
pub fn reachable(module: &Module, entry: FuncId) -> BTreeSet<FuncId> {
    let mut seen = BTreeSet::from([entry]);
    let mut todo = vec![entry];
    while let Some(id) = todo.pop() {
        let Some(function) = module.functions.get(id.index()) else {
            continue;
        };
        let mut found = Vec::new();
        for instr in &function.code {
            let direct = |o: &Operand| matches!(o, Operand::Symbol(Symbol::Function(_), _));
            if instr.base() == "call" && !instr.operands.iter().any(direct) {
                found.extend((0..module.functions.len() as u32).map(FuncId));
            }
            symbols(instr, &mut |s| {
                if let Symbol::Function(f) = s {
                    found.push(f);
                }
            });
        }
        for table in &function.tables {
            if let Table::Calls(fs) = table {
                found.extend(fs);
            }
        }
        for f in found {
            let callable = module.functions.get(f.index()).is_some_and(|x| !x.is_entry);
            if callable && seen.insert(f) {
                todo.push(f);
            }
        }
    }
    seen
}
