//! What a function uses: the functions that it can call, and the variables that it and they name or own.

use super::data::*;

/// The functions and variables that control can come to from one function on.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Uses {
    /// Functions, itself among them, in order.
    pub functions: Vec<FuncId>,
    /// Variables that are named in them, that are theirs, or whose addresses are in such variables, in order.
    pub variables: Vec<VarId>,
}

/// What a function uses.
pub fn uses(m: &Module, start: FuncId) -> Uses {
    let mut walk = Walk {
        module: m,
        functions: vec![false; m.functions.len()],
        variables: vec![false; m.variables.len()],
        open: Vec::new(),
    };
    walk.symbol(Symbol::Function(start));
    while let Some(s) = walk.open.pop() {
        match s {
            Symbol::Function(f) => walk.function(f),
            Symbol::Variable(v) => {
                let all = m.variables.get(v.index()).map(|v| &v.relocations[..]);
                all.unwrap_or_default()
                    .iter()
                    .for_each(|r| walk.symbol(r.symbol));
            }
        }
    }
    let marked = |all: &[bool]| {
        (0..all.len() as u32)
            .filter(|i| all[*i as usize])
            .collect::<Vec<u32>>()
    };
    Uses {
        functions: marked(&walk.functions).into_iter().map(FuncId).collect(),
        variables: marked(&walk.variables).into_iter().map(VarId).collect(),
    }
}

struct Walk<'m> {
    module: &'m Module,
    functions: Vec<bool>,
    variables: Vec<bool>,
    open: Vec<Symbol>,
}

impl Walk<'_> {
    fn symbol(&mut self, s: Symbol) {
        let seen = match s {
            Symbol::Function(f) => self.functions.get_mut(f.index()),
            Symbol::Variable(v) => self.variables.get_mut(v.index()),
        };
        if seen.is_some_and(|seen| !std::mem::replace(seen, true)) {
            self.open.push(s);
        }
    }

    fn function(&mut self, id: FuncId) {
        let m = self.module;
        let Some(f) = m.functions.get(id.index()) else {
            return;
        };
        for (i, v) in m.variables.iter().enumerate() {
            if v.owner == Some(id) {
                self.symbol(Symbol::Variable(VarId(i as u32)));
            }
        }
        for t in &f.tables {
            if let Table::Calls(all) = t {
                all.iter().for_each(|g| self.symbol(Symbol::Function(*g)));
            }
        }
        f.code
            .iter()
            .flat_map(|i| &i.operands)
            .for_each(|x| self.operand(x));
    }

    fn operand(&mut self, x: &Operand) {
        let address = |a: &Address| match a.base {
            Base::Symbol(s) => Some(s),
            _ => None,
        };
        match x {
            Operand::Symbol(s, _) => self.symbol(*s),
            Operand::Address(a) => address(a).into_iter().for_each(|s| self.symbol(s)),
            Operand::Tensor(a, all) => {
                address(a).into_iter().for_each(|s| self.symbol(s));
                all.iter().for_each(|x| self.operand(x));
            }
            Operand::Vector(all) | Operand::List(all) => all.iter().for_each(|x| self.operand(x)),
            Operand::Pair(a, b) => {
                self.operand(a);
                self.operand(b);
            }
            Operand::Not(x) => self.operand(x),
            _ => {}
        }
    }
}

/// The bytes that variables take in one space, each at its alignment, in order.
pub fn bytes<'v>(variables: impl Iterator<Item = &'v Variable>, space: Space) -> u64 {
    variables.filter(|v| v.space == space).fold(0, |at, v| {
        let aligned = at
            .checked_next_multiple_of(v.align.max(1))
            .unwrap_or(u64::MAX);
        aligned.saturating_add(v.bytes)
    })
}
