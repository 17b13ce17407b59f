//! Where statements are tried: everywhere if the variables have few values, else at corners and at points drawn from a seed.

use crate::eval::{Point, admitted, equal};
use crate::syntax::{Goal, Relation, Term};

/// At most so many points are tried exhaustively, and so many drawn.
const EXHAUSTIVE: u128 = 1 << 13;
const DRAWN: usize = 6000;

/// A generator of numbers, the same on every machine (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    fn below(&mut self, n: u128) -> u128 {
        (u128::from(self.next()) << 64 | u128::from(self.next())) % n.max(1)
    }
}

/// What variable `i` is below.
fn bound(goal: &Goal, i: usize) -> u128 {
    let (x, width) = &goal.variables[i];
    let mut least = width.map_or(1 << 40, |w| 1 << w);
    for (_, relation, a, b) in &goal.hypotheses {
        let name = match a {
            Term::Val(a) => a,
            a => a,
        };
        if let (Term::Var(y), Term::Num(n)) = (name, b)
            && x == y
        {
            least = least.min(match relation {
                Relation::Lt => *n,
                Relation::Le | Relation::Eq => n + 1,
            });
        }
    }
    least
}

fn literals(t: &Term, into: &mut Vec<u128>) {
    match t {
        Term::Num(n) => into.push(*n),
        Term::Var(_) => {}
        Term::Val(a) => literals(a, into),
        Term::Op(_, a, b) => [a, b].into_iter().for_each(|a| literals(a, into)),
        Term::Call(_, arguments) => arguments.iter().for_each(|a| literals(a, into)),
    }
}

/// Values at which things change: around 0, the bound, powers of two and the literals of the statement.
fn corners(goal: &Goal, below: u128) -> Vec<u128> {
    let mut near: Vec<u128> = (0..64).map(|k| 1 << k).collect();
    literals(&goal.left, &mut near);
    literals(&goal.right, &mut near);
    near.push(below);
    let mut all: Vec<u128> = (0..4).collect();
    for n in near {
        all.extend([n.saturating_sub(2), n.saturating_sub(1), n, n + 1]);
    }
    all.retain(|n| *n < below);
    all.sort_unstable();
    all.dedup();
    all
}

/// What was found about a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// It is false at this point.
    False(Point),
    /// It holds at all points that were tried; whether these are all there are.
    Holds { everywhere: bool },
    /// No point that was tried satisfies the hypotheses, or numbers became too large.
    Unknown,
}

/// Tries a statement.
pub fn try_out(goal: &Goal, random: &mut Random) -> Finding {
    let bounds: Vec<u128> = (0..goal.variables.len()).map(|i| bound(goal, i)).collect();
    let points = bounds
        .iter()
        .try_fold(1u128, |n, b| n.checked_mul((*b).max(1)));
    let everywhere = points.filter(|n| *n <= EXHAUSTIVE);
    let corners: Vec<Vec<u128>> = bounds.iter().map(|b| corners(goal, *b)).collect();
    let (mut held, mut unknown) = (0, 0);
    for i in 0..everywhere.map_or(DRAWN, |n| n as usize) {
        let point: Point = match everywhere {
            Some(_) => {
                let mut rest = i as u128;
                let digit = |b: &u128| {
                    let digit = rest % b;
                    rest /= b;
                    digit
                };
                bounds.iter().map(digit).collect()
            }
            None => (0..bounds.len())
                .map(|v| draw(random, bounds[v], &corners[v]))
                .collect(),
        };
        match admitted(goal, &point) {
            Some(true) => match equal(goal, &point) {
                Some(true) => held += 1,
                Some(false) => return Finding::False(point),
                None => unknown += 1,
            },
            Some(false) => {}
            None => unknown += 1,
        }
    }
    match (held, unknown) {
        (1.., 0) => Finding::Holds {
            everywhere: everywhere.is_some(),
        },
        _ => Finding::Unknown,
    }
}

/// A value below a bound: a corner, any, one of few bits, or one with zeros at its end.
fn draw(random: &mut Random, below: u128, corners: &[u128]) -> u128 {
    let any = random.below(below);
    let bits = 128 - below.leading_zeros();
    match random.next() % 8 {
        0..=2 if !corners.is_empty() => corners[random.below(corners.len() as u128) as usize],
        3 => any >> random.below(bits.into()),
        4 => (any >> random.below(bits.into())) << random.below(bits.into()) & any,
        5 => any & !((1u128 << random.below(bits.into())) - 1),
        _ => any,
    }
}
