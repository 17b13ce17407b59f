//! What a statement says at given values: an evaluator of its own, for which nothing of the project is used.

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

use crate::syntax::{Goal, Op, Relation, Term};
use crate::words::instruction;

/// A value: a number, or a word with its width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Nat(BigUint),
    Word(u32, u64),
}

/// Values of the variables, in the order of the statement.
pub type Point = Vec<u128>;

/// Shifts go no farther.
const FARTHEST: u32 = 4096;

/// An operation on numbers: division by 0 gives 0, the remainder of division by 0 is the dividend, subtraction stops at 0.
/// `None` is a shift too far.
fn apply(op: Op, a: &BigUint, b: &BigUint) -> Option<BigUint> {
    let amount = || b.to_u32().filter(|n| *n <= FARTHEST);
    Some(match op {
        Op::Add => a + b,
        Op::Sub if a < b => BigUint::zero(),
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div if b.is_zero() => BigUint::zero(),
        Op::Div => a / b,
        Op::Mod if b.is_zero() => a.clone(),
        Op::Mod => a % b,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => a << amount()?,
        Op::Shr => a >> amount()?,
    })
}

/// The value of a term.
pub fn term(goal: &Goal, at: &Point, t: &Term) -> Option<Value> {
    let number = |t| match term(goal, at, t)? {
        Value::Nat(n) => Some(n),
        Value::Word(..) => None,
    };
    match t {
        Term::Num(n) => Some(Value::Nat((*n).into())),
        Term::Var(x) => {
            let i = goal.variables.iter().position(|(y, _)| x == y)?;
            match goal.variables[i].1 {
                None => Some(Value::Nat(at[i].into())),
                Some(w) => Some(Value::Word(w, at[i] as u64)),
            }
        }
        Term::Val(a) => match term(goal, at, a)? {
            Value::Word(_, n) => Some(Value::Nat(n.into())),
            Value::Nat(_) => None,
        },
        Term::Op(op, a, b) => apply(*op, &number(a)?, &number(b)?).map(Value::Nat),
        Term::Call(f, arguments) if f == "ofNat" => {
            let [Term::Num(w @ 1..=64), n] = &arguments[..] else {
                return None;
            };
            let cut = number(n)? % (BigUint::from(1u8) << *w);
            Some(Value::Word(*w as u32, cut.to_u64()?))
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
