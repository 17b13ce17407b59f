//! What a statement says at given values: an evaluator of its own, for which nothing of the project is used.
//!
//! Numbers that do not fit in 128 bits are `None`, and so is anything made of them.

use crate::syntax::{Goal, Op, Relation, Term};
use crate::words::instruction;

/// A value: a number, or a word with its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Nat(u128),
    Word(u32, u64),
}

/// Values of the variables, in the order of the statement.
pub type Point = Vec<u128>;

/// An operation on numbers: division by 0 gives 0, the remainder of division by 0 is the dividend, subtraction stops at 0.
fn apply(op: Op, a: u128, b: u128) -> Option<u128> {
    match op {
        Op::Add => a.checked_add(b),
        Op::Sub => Some(a.saturating_sub(b)),
        Op::Mul => a.checked_mul(b),
        Op::Div => Some(a.checked_div(b).unwrap_or(0)),
        Op::Mod => Some(a.checked_rem(b).unwrap_or(a)),
        Op::And => Some(a & b),
        Op::Or => Some(a | b),
        Op::Xor => Some(a ^ b),
        Op::Shl if a == 0 => Some(0),
        Op::Shl if b > u128::from(a.leading_zeros()) => None,
        Op::Shl => Some(a << b),
        Op::Shr if b > 127 => Some(0),
        Op::Shr => Some(a >> b),
    }
}

/// The value of a term.
pub fn term(goal: &Goal, at: &Point, t: &Term) -> Option<Value> {
    let number = |t| match term(goal, at, t)? {
        Value::Nat(n) => Some(n),
        Value::Word(..) => None,
    };
    match t {
        Term::Num(n) => Some(Value::Nat(*n)),
        Term::Var(x) => {
            let i = goal.variables.iter().position(|(y, _)| x == y)?;
            match goal.variables[i].1 {
                None => Some(Value::Nat(at[i])),
                Some(w) => Some(Value::Word(w, at[i] as u64)),
            }
        }
        Term::Val(a) => match term(goal, at, a)? {
            Value::Word(_, n) => Some(Value::Nat(n.into())),
            Value::Nat(_) => None,
        },
        Term::Op(op, a, b) => apply(*op, number(a)?, number(b)?).map(Value::Nat),
        Term::Call(f, arguments) if f == "ofNat" => {
            let [Term::Num(w @ 1..=64), n] = &arguments[..] else {
                return None;
            };
            let (w, n) = (*w as u32, number(n)?);
            Some(Value::Word(w, (n & ((1 << w) - 1)) as u64))
        }
        Term::Call(f, arguments) => {
            let mut words = Vec::new();
            for a in arguments {
                match term(goal, at, a)? {
                    Value::Word(w, n) => words.push((w, n)),
                    Value::Nat(_) => return None,
                }
            }
            let (w, n) = instruction(f.strip_prefix("ptx.")?, &words)?;
            Some(Value::Word(w, n))
        }
    }
}

/// Whether the hypotheses hold.
pub fn admitted(goal: &Goal, at: &Point) -> Option<bool> {
    for (_, relation, a, b) in &goal.hypotheses {
        let (Value::Nat(a), Value::Nat(b)) = (term(goal, at, a)?, term(goal, at, b)?) else {
            return None;
        };
        let holds = match relation {
            Relation::Lt => a < b,
            Relation::Le => a <= b,
            Relation::Eq => a == b,
        };
        if !holds {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether both sides are the same.
pub fn equal(goal: &Goal, at: &Point) -> Option<bool> {
    Some(term(goal, at, &goal.left)? == term(goal, at, &goal.right)?)
}
