//! Calls give what the function takes, and take what it gives (ISA §7.1, §9.7.14.5).

use super::data::*;
use super::error::{Error, Reason};

/// Sizes in bytes of results and parameters; 0 where any size will do.
type Signature = (Vec<u64>, Vec<u64>);

/// The errors in the calls of a module whose names are resolved.
pub(super) fn check(m: &Module) -> Vec<Error> {
    let mut errors = Vec::new();
    for f in &m.functions {
        let calls = f.code.iter().filter(|i| i.base() == "call");
        errors.extend(calls.filter_map(|i| call(m, f, i).err()));
    }
    errors
}

fn call(m: &Module, f: &Function, i: &Instr) -> Result<(), Error> {
    let wanted = |what| Err(Error::new(Reason::Wanted(what), i.span));
    let (results, rest) = match &i.operands[..] {
        [Operand::List(results), rest @ ..] => (&results[..], rest),
        rest => (&[][..], rest),
    };
    let [callee, rest @ ..] = rest else {
        return wanted("a function");
    };
    let (arguments, rest) = match rest {
        [Operand::List(arguments), rest @ ..] => (&arguments[..], rest),
        rest => (&[][..], rest),
    };
    let (name, signature) = match (callee, rest) {
        (Operand::Symbol(Symbol::Function(g), 0), []) => {
            let Some(g) = m.functions.get(g.index()) else {
                return Ok(());
            };
            (g.name.as_str(), declared(m, g))
        }
        (Operand::Reg(_), [Operand::Table(t)]) => match f.tables.get(t.index()) {
            Some(Table::Prototype { returns, params }) => {
                ("the prototype", (returns.clone(), params.clone()))
            }
            Some(Table::Calls(all)) => match all.first().and_then(|g| m.functions.get(g.index())) {
                Some(g) => (g.name.as_str(), declared(m, g)),
                None => return Ok(()),
            },
            _ => return wanted("a prototype or a list of functions"),
        },
        (Operand::Reg(_), _) => return wanted("a prototype or a list of functions at the end"),
        _ => return wanted("a function or the register with its address"),
    };
    let sizes = [
        ("results", results, signature.0),
        ("arguments", arguments, signature.1),
    ];
    for (what, given, taken) in sizes {
        if given.len() != taken.len() {
            let reason = Reason::Arguments(name.to_owned(), what, taken.len(), given.len());
            return Err(Error::new(reason, i.span));
        }
        for (n, (x, wanted)) in given.iter().zip(taken).enumerate() {
            let bytes = size(m, f, x);
            if wanted != 0 && bytes.is_some_and(|b| b != wanted) {
                let bytes = bytes.unwrap_or(0);
                let reason = Reason::ArgumentSize(name.to_owned(), what, n, wanted, bytes);
                return Err(Error::new(reason, i.span));
            }
        }
    }
    Ok(())
}

/// The sizes of a function's results and parameters.
fn declared(m: &Module, g: &Function) -> Signature {
    let size = |formal: &Formal| match formal {
        Formal::Param(v) => m.variables.get(v.index()).map_or(0, |v| v.bytes),
        Formal::Reg(r) => g
            .registers
            .get(r.index())
            .map_or(0, |r| u64::from(r.bits / 8)),
    };
    (
        g.returns.iter().map(size).collect(),
        g.params.iter().map(size).collect(),
    )
}

/// The size of what is given; none of a literal.
fn size(m: &Module, f: &Function, x: &Operand) -> Option<u64> {
    match x {
        Operand::Symbol(Symbol::Variable(v), 0) => m.variables.get(v.index()).map(|v| v.bytes),
        Operand::Reg(r) => f.registers.get(r.index()).map(|r| u64::from(r.bits / 8)),
        _ => None,
    }
}
