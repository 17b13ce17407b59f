//! Products that the assembler might fuse.
//!
//! A float product without a rounding modifier may be fused with a sum that has none either (ISA §9.7.3.5): what is rounded
//! once is not what is rounded twice. So such a product has its own meaning only where it cannot come to such a sum.
//!
//! Where it may come to is found from above: a value is handed on by whatever does not compute a new number from it (moves,
//! selections, packing, bits, signs, `min` and `max`, conversions), through every register that it is ever put in and
//! through memory that the thread alone sees (local memory, parameters of calls). The order of instructions does not count.

use rustc_hash::FxHashSet;

use crate::isa::Form;
use crate::isa::types::is_float;
use crate::module::{Address, Base, Formal, Function, Instr, Operand, RegId, Symbol, VarId};

/// Where a value can be.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Reg(RegId),
    Param(VarId),
    /// Local memory, all of it.
    Local,
}

/// The products of a function that might be fused, each with the first sum with which. What a function gets in a call or gives
/// back is not followed: there it might be summed. `local`: there is local memory.
pub(super) fn fused(f: &Function, local: bool) -> Vec<(&Instr, &Instr)> {
    let of = |i: &Instr, is: fn(&Form) -> bool| i.form.as_ref().is_some_and(is);
    let returned = |p: &Place| {
        f.returns.iter().any(|r| match (r, p) {
            (Formal::Param(v), Place::Param(w)) => v == w,
            (Formal::Reg(r), Place::Reg(s)) => r == s,
            _ => false,
        })
    };
    let mut all = Vec::new();
    for product in f.code.iter().filter(|i| of(i, Form::may_fuse)) {
        let reached = reach(f, product, local);
        let sums = |i: &&Instr| {
            (of(i, is_sum) || i.base() == "call")
                && sources(i, local).iter().any(|p| reached.contains(p))
                || dests(i, local)
                    .iter()
                    .any(|p| returned(p) && reached.contains(p))
        };
        all.extend(f.code.iter().find(sums).map(|sum| (product, sum)));
    }
    all
}

/// Every place that the result of an instruction may be handed on to.
fn reach(f: &Function, first: &Instr, local: bool) -> FxHashSet<Place> {
    let mut reached: FxHashSet<Place> = dests(first, local).into_iter().collect();
    loop {
        let before = reached.len();
        for i in &f.code {
            if hands_on(i) && sources(i, local).iter().any(|p| reached.contains(p)) {
                reached.extend(dests(i, local));
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}

fn base(form: &Form) -> &str {
    form.opcode.split('.').next().unwrap_or_default()
}

/// A float sum or difference without a rounding modifier.
fn is_sum(form: &Form) -> bool {
    matches!(base(form), "add" | "sub")
        && is_float(form.word("type"))
        && form.word("rnd").is_empty()
}

/// Whether what an instruction puts somewhere may be one of its operands. What the table does not know may.
fn hands_on(i: &Instr) -> bool {
    let Some(form) = &i.form else {
        return true;
    };
    match form.shape() {
        "alu" => {
            let computes = [
                "add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt", "rsqrt", "ex2", "lg2",
                "sin", "cos", "tanh",
            ];
            !(is_float(form.word("type")) && computes.contains(&base(form)))
        }
        // No thread's words. (`shfl` and `redux` may give a thread its own.)
        "vote" | "bar" | "match" | "sreg" => false,
        _ => true,
    }
}

/// What an instruction reads, but for addresses and guards: a product there is no summand.
fn sources(i: &Instr, local: bool) -> Vec<Place> {
    let (dest, mut rest) = (has_result(i), &i.operands[..]);
    let mut all = Vec::new();
    if dest && let Some((_, more)) = rest.split_first() {
        rest = more;
    }
    match i.base() {
        "st" => rest.iter().skip(1).for_each(|o| registers(o, &mut all)),
        "ld" => rest.iter().for_each(|o| memory(i, o, local, &mut all)),
        _ => rest.iter().for_each(|o| registers(o, &mut all)),
    }
    all
}

/// What an instruction writes.
fn dests(i: &Instr, local: bool) -> Vec<Place> {
    let mut all = Vec::new();
    match (has_result(i), i.operands.first()) {
        (true, Some(d)) => registers(d, &mut all),
        (false, Some(a)) if i.base() == "st" => memory(i, a, local, &mut all),
        _ => {}
    }
    all
}

/// Whether the first operand is a result.
fn has_result(i: &Instr) -> bool {
    !matches!(
        i.base(),
        "st" | "red" | "bra" | "bar" | "barrier" | "call" | "ret"
    )
}

/// The memory behind an address, if no other thread sees it: a generic address may be one of local memory.
fn memory(i: &Instr, o: &Operand, local: bool, all: &mut Vec<Place>) {
    let Operand::Address(Address { base, .. }) = o else {
        return;
    };
    let has = |w: &str| i.words().any(|x| x == w);
    match base {
        Base::Symbol(Symbol::Variable(v)) if i.words().any(|w| w.starts_with("param")) => {
            all.push(Place::Param(*v));
        }
        _ if local && !(has("global") || has("shared") || has("shared::cta") || has("const")) => {
            all.push(Place::Local);
        }
        _ => {}
    }
}

fn registers(o: &Operand, all: &mut Vec<Place>) {
    match o {
        Operand::Reg(r) => all.push(Place::Reg(*r)),
        Operand::Vector(v) | Operand::List(v) => v.iter().for_each(|o| registers(o, all)),
        Operand::Pair(a, b) => {
            registers(a, all);
            registers(b, all);
        }
        Operand::Not(a) => registers(a, all),
        Operand::Symbol(Symbol::Variable(v), _) => all.push(Place::Param(*v)),
        _ => {}
    }
}
