//! Linear forms with integer coefficients: `Σ aᵢ·xᵢ + c`, the data that the oracle computes with.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// A variable of a linear problem.
pub type Var = u32;

/// `Σ aᵢ·xᵢ + c`: no zero coefficients, variables ascending.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Form {
    /// The coefficients that are not zero, by ascending variable.
    pub terms: Vec<(Var, BigInt)>,
    /// The constant.
    pub constant: BigInt,
}

impl Form {
    /// The constant form `c`.
    pub fn constant(c: impl Into<BigInt>) -> Form {
        Form {
            terms: Vec::new(),
            constant: c.into(),
        }
    }

    /// The form `x`.
    pub fn var(x: Var) -> Form {
        Form {
            terms: vec![(x, BigInt::one())],
            constant: BigInt::zero(),
        }
    }

    /// The form with these terms, in any order and with repetitions.
    pub fn new(terms: impl IntoIterator<Item = (Var, BigInt)>, constant: BigInt) -> Form {
        terms
            .into_iter()
            .fold(Form::constant(constant), |f, (x, a)| {
                f.plus(&a, &Form::var(x))
            })
    }

    /// `self + m·other`.
    pub fn plus(&self, m: &BigInt, other: &Form) -> Form {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut i, mut j) = (0, 0);
        loop {
            match (self.terms.get(i), other.terms.get(j)) {
                (None, None) => break,
                (Some((x, a)), Some((y, b))) if x == y => {
                    let c = a + m * b;
                    if !c.is_zero() {
                        terms.push((*x, c));
                    }
                    i += 1;
                    j += 1;
                }
                (Some((x, a)), o) if o.is_none_or(|(y, _)| x < y) => {
                    terms.push((*x, a.clone()));
                    i += 1;
                }
                (_, Some((y, b))) => {
                    if !m.is_zero() {
                        terms.push((*y, m * b));
                    }
                    j += 1;
                }
                (Some(_), None) => unreachable!("the guard above covers an exhausted right side"),
            }
        }
        Form {
            terms,
            constant: &self.constant + m * &other.constant,
        }
    }

    /// `m·self`.
    pub fn times(&self, m: &BigInt) -> Form {
        Form::default().plus(m, self)
    }

    /// `-self`.
    pub fn negated(&self) -> Form {
        self.times(&-BigInt::one())
    }

    /// The form in which each variable `x` is replaced by `x - shift(x)`.
    pub fn shifted(&self, shifts: &BTreeMap<Var, Form>) -> Form {
        self.terms
            .iter()
            .fold(self.clone(), |f, (x, a)| match shifts.get(x) {
                Some(s) => f.plus(&-a, s),
                None => f,
            })
    }

    /// The coefficient of `x`.
    pub fn coeff(&self, x: Var) -> BigInt {
        match self.terms.binary_search_by_key(&x, |t| t.0) {
            Ok(i) => self.terms[i].1.clone(),
            Err(_) => BigInt::zero(),
        }
    }

    /// The greatest common divisor of the coefficients (without the constant); 0 for a constant form.
    pub fn content(&self) -> BigInt {
        self.terms.iter().fold(BigInt::zero(), |g, (_, a)| g.gcd(a))
    }

    /// `⌊self / g⌋` when `g > 0` divides every coefficient: the constant is rounded down.
    pub fn tightened(&self, g: &BigInt) -> Form {
        Form {
            terms: self.terms.iter().map(|(x, a)| (*x, a / g)).collect(),
            constant: self.constant.div_floor(g),
        }
    }

    /// The value at a point (variables beyond it count as 0).
    pub fn eval(&self, point: &[BigInt]) -> BigInt {
        self.terms.iter().fold(self.constant.clone(), |s, (x, a)| {
            match point.get(*x as usize) {
                Some(v) => s + a * v,
                None => s,
            }
        })
    }

    /// `(negative part, positive part)`, both with nonnegative coefficients and constants, so that
    /// `self ≥ 0 ↔ negative part ≤ positive part`.
    pub fn sides(&self) -> (Form, Form) {
        let part = |sign: fn(&BigInt) -> bool| Form {
            terms: self
                .terms
                .iter()
                .filter(|(_, a)| sign(a))
                .map(|(x, a)| (*x, a.abs()))
                .collect(),
            constant: if sign(&self.constant) {
                self.constant.abs()
            } else {
                BigInt::zero()
            },
        };
        (part(BigInt::is_negative), part(BigInt::is_positive))
    }
}
