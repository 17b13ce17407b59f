//! The value of an expression.

use std::fmt;

use super::{Binary, Expr, Folding, Function, Unary};
use crate::dtype::{DType, Value};

/// How many operations may be done for one expectation.
pub const LIMIT: u64 = 1 << 30;

/// The values of a buffer, row by row.
#[derive(Clone, Debug)]
pub struct Data {
    /// Its name, for messages.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// The type of its elements.
    pub dtype: DType,
    /// The bytes of its elements; fewer where they are not known before the run.
    pub bytes: Vec<u8>,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The value at some indices. `steps` counts operations, up to [`LIMIT`].
///
/// Errors: an index outside of a buffer, an integer too large, or too many operations.
pub fn evaluate(
    e: &Expr,
    indices: &[usize],
    data: &[Data],
    steps: &mut u64,
) -> Result<Value, Failure> {
    let mut machine = Machine {
        slots: indices.iter().map(|&i| i as i128).collect(),
        data,
        steps,
    };
    machine.value(e)
}

struct Machine<'a> {
    slots: Vec<i128>,
    data: &'a [Data],
    steps: &'a mut u64,
}

fn fail<T>(text: impl Into<String>) -> Result<T, Failure> {
    Err(Failure(text.into()))
}

impl Machine<'_> {
    fn value(&mut self, e: &Expr) -> Result<Value, Failure> {
        *self.steps += 1;
        if *self.steps > LIMIT {
            return fail(format!("it takes more than {LIMIT} operations"));
        }
        Ok(match e {
            Expr::Int(n) => Value::Int(*n),
            Expr::Real(x) => Value::Real(*x),
            Expr::Variable(slot) => Value::Int(self.slots.get(*slot).copied().unwrap_or(0)),
            Expr::Element(b, indices) => self.element(*b, indices)?,
            Expr::Unary(op, a) => {
                let a = self.value(a)?;
                unary(*op, a)?
            }
            Expr::Binary(Binary::And, ab) => match self.truth(&ab.0)? {
                true => truth(self.truth(&ab.1)?),
                false => truth(false),
            },
            Expr::Binary(Binary::Or, ab) => match self.truth(&ab.0)? {
                true => truth(true),
                false => truth(self.truth(&ab.1)?),
            },
            Expr::Binary(op, ab) => {
                let (a, b) = (self.value(&ab.0)?, self.value(&ab.1)?);
                binary(*op, a, b)?
            }
            Expr::If(abc) => match self.truth(&abc.0)? {
                true => self.value(&abc.1)?,
                false => self.value(&abc.2)?,
            },
            Expr::Call(f, args) => {
                let args: Result<Vec<Value>, Failure> =
                    args.iter().map(|a| self.value(a)).collect();
                call(*f, &args?)
            }
            Expr::Cast(d, a) => d.decode(d.encode(self.value(a)?)),
            Expr::Fold(f, slot, parts) => self.fold(*f, *slot, parts)?,
        })
    }

    fn truth(&mut self, e: &Expr) -> Result<bool, Failure> {
        Ok(match self.value(e)? {
            Value::Int(n) => n != 0,
            Value::Real(x) => x != 0.0,
        })
    }

    fn int(&mut self, e: &Expr) -> Result<i128, Failure> {
        match self.value(e)? {
            Value::Int(n) => Ok(n),
            Value::Real(x) if x.fract() == 0.0 && x.abs() < 1e18 => Ok(x as i128),
            Value::Real(x) => fail(format!("{x:?} is no integer")),
        }
    }

    fn element(&mut self, buffer: usize, indices: &[Expr]) -> Result<Value, Failure> {
        let data = self.data;
        let Some(b) = data.get(buffer) else {
            return fail("there is no such buffer");
        };
        let mut at = 0;
        for (e, &size) in indices.iter().zip(&b.shape) {
            let i = self.int(e)?;
            match usize::try_from(i) {
                Ok(i) if i < size => at = at * size + i,
                _ => {
                    return fail(format!("the index {i} of `{}` is not below {size}", b.name));
                }
            }
        }
        match (at + 1) * b.dtype.bytes() <= b.bytes.len() {
            true => Ok(b.dtype.decode(b.dtype.bits_at(&b.bytes, at))),
            false => fail(format!(
                "what `{}` holds at first is not known here",
                b.name
            )),
        }
    }

    fn fold(
        &mut self,
        folding: Folding,
        slot: usize,
        parts: &(Expr, Expr, Expr),
    ) -> Result<Value, Failure> {
        let (from, to) = (self.int(&parts.0)?, self.int(&parts.1)?);
        let mut all = match folding {
            Folding::Sum => Value::Int(0),
            Folding::Min => Value::Real(f64::INFINITY),
            Folding::Max => Value::Real(f64::NEG_INFINITY),
        };
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, 0);
        }
        let mut i = from;
        while i < to {
            self.slots[slot] = i;
            let v = self.value(&parts.2)?;
            all = match folding {
                Folding::Sum => binary(Binary::Add, all, v)?,
                Folding::Min => pick(all, v, false),
                Folding::Max => pick(all, v, true),
            };
            i += 1;
        }
        Ok(all)
    }
}

fn truth(b: bool) -> Value {
    Value::Int(i128::from(b))
}

/// The greater one, or the smaller one; a number rather than NaN.
fn pick(a: Value, b: Value, greater: bool) -> Value {
    let b_wins = match (a, b) {
        (Value::Int(a), Value::Int(b)) => (b > a) == greater && a != b,
        _ => {
            let (a, b) = (a.real(), b.real());
            a.is_nan() || if greater { b > a } else { b < a }
        }
    };
    if b_wins { b } else { a }
}

fn unary(op: Unary, a: Value) -> Result<Value, Failure> {
    match (op, a) {
        (Unary::Minus, Value::Int(n)) => match n.checked_neg() {
            Some(n) => Ok(Value::Int(n)),
            None => fail("an integer is too large"),
        },
        (Unary::Minus, Value::Real(x)) => Ok(Value::Real(-x)),
        (Unary::Invert, Value::Int(n)) => Ok(Value::Int(!n)),
        (Unary::Invert, Value::Real(_)) => fail("`~` is for integers"),
        (Unary::Not, v) => Ok(truth(v.real() == 0.0)),
    }
}

fn binary(op: Binary, a: Value, b: Value) -> Result<Value, Failure> {
    use Binary as B;
    let exact = |n: Option<i128>| match n {
        Some(n) => Ok(Value::Int(n)),
        None => fail("an integer is too large, or a divisor is zero"),
    };
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        let amount = || match b {
            0..=64 => Ok(b as u32),
            _ => fail("a shift is not between 0 and 64"),
        };
        return match op {
            B::Add => exact(a.checked_add(b)),
            B::Sub => exact(a.checked_sub(b)),
            B::Mul => exact(a.checked_mul(b)),
            B::Over => Ok(Value::Real(a as f64 / b as f64)),
            B::Div => exact(floor_div(a, b)),
            B::Rem => exact(floor_div(a, b).and_then(|q| a.checked_sub(q.checked_mul(b)?))),
            B::Equal => Ok(truth(a == b)),
            B::NotEqual => Ok(truth(a != b)),
            B::Less => Ok(truth(a < b)),
            B::LessEqual => Ok(truth(a <= b)),
            B::Greater => Ok(truth(a > b)),
            B::GreaterEqual => Ok(truth(a >= b)),
            B::And => Ok(truth(a != 0 && b != 0)),
            B::Or => Ok(truth(a != 0 || b != 0)),
            B::BitAnd => Ok(Value::Int(a & b)),
            B::BitOr => Ok(Value::Int(a | b)),
            B::BitXor => Ok(Value::Int(a ^ b)),
            B::Left => exact(a.checked_mul(1 << amount()?)),
            B::Right => Ok(Value::Int(a >> amount()?)),
        };
    }
    let (a, b) = (a.real(), b.real());
    Ok(match op {
        B::Add => Value::Real(a + b),
        B::Sub => Value::Real(a - b),
        B::Mul => Value::Real(a * b),
        B::Over => Value::Real(a / b),
        B::Div => Value::Real((a / b).floor()),
        B::Rem => Value::Real(a - b * (a / b).floor()),
        B::Equal => truth(a == b),
        B::NotEqual => truth(a != b),
        B::Less => truth(a < b),
        B::LessEqual => truth(a <= b),
        B::Greater => truth(a > b),
        B::GreaterEqual => truth(a >= b),
        B::And => truth(a != 0.0 && b != 0.0),
        B::Or => truth(a != 0.0 || b != 0.0),
        B::BitAnd | B::BitOr | B::BitXor | B::Left | B::Right => {
            return fail("operations on bits are for integers");
        }
    })
}

fn floor_div(a: i128, b: i128) -> Option<i128> {
    let q = a.checked_div(b)?;
    let uneven = a.checked_rem(b)? != 0;
    Some(if uneven && (a < 0) != (b < 0) {
        q - 1
    } else {
        q
    })
}

fn call(f: Function, args: &[Value]) -> Value {
    let first = args.first().copied().unwrap_or(Value::Int(0));
    let x = first.real();
    let at = |i: usize| args.get(i).map_or(0.0, |v| v.real());
    let real = match f {
        Function::Abs => match first {
            Value::Int(n) => return Value::Int(n.saturating_abs()),
            Value::Real(x) => x.abs(),
        },
        Function::Min | Function::Max => {
            let others = args.iter().skip(1);
            return others.fold(first, |a, b| pick(a, *b, f == Function::Max));
        }
        Function::Ceil => x.ceil(),
        Function::Floor => x.floor(),
        Function::Trunc => x.trunc(),
        Function::Round => x.round_ties_even(),
        Function::Sqrt => x.sqrt(),
        Function::Rsqrt => 1.0 / x.sqrt(),
        Function::Fma => libm::fma(x, at(1), at(2)),
        // Not the platform's: everywhere the same.
        Function::Cos => libm::cos(x),
        Function::Sin => libm::sin(x),
        Function::Erf => libm::erf(x),
        Function::Exp => libm::exp(x),
        Function::Exp2 => libm::exp2(x),
        Function::Log => libm::log(x),
        Function::Log2 => libm::log2(x),
        Function::Tanh => libm::tanh(x),
    };
    Value::Real(real)
}
