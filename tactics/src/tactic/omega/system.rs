//! The constraints of a branch of the oracle's search, and the choice of what to eliminate next.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::form::{Form, Var};
use super::solve::NodeId;

/// The constraints of a branch: for each list of coprime coefficients the tightest constant, and its node.
#[derive(Clone, Default)]
pub(super) struct System {
    pub rows: BTreeMap<Vec<(Var, BigInt)>, (BigInt, NodeId)>,
}

/// How an eliminated variable gets its value back.
#[derive(Clone)]
pub(super) enum Eliminated {
    /// `x` is this form of the others.
    Equal(Var, Form),
    /// `x` lies between the bounds that these forms (each nonnegative, each with `x`) give.
    Bounded(Var, Vec<Form>),
}

/// The values of the eliminated variables, last eliminated first.
pub(super) fn point(gone: &[Eliminated], vars: usize) -> Vec<BigInt> {
    let mut p = vec![BigInt::zero(); vars];
    for g in gone.iter().rev() {
        match g {
            Eliminated::Equal(x, form) => p[*x as usize] = form.eval(&p),
            Eliminated::Bounded(x, forms) => {
                let (mut low, mut high) = (None, None);
                for f in forms {
                    let a = f.coeff(*x);
                    let rest = f.plus(&-&a, &Form::var(*x)).eval(&p);
                    if a.is_positive() {
                        let b = -(rest.div_floor(&a));
                        low = low.max(Some(b));
                    } else {
                        let b = rest.div_floor(&-a);
                        high = Some(high.map_or(b.clone(), |h: BigInt| h.min(b)));
                    }
                }
                p[*x as usize] = low.or(high).unwrap_or_else(BigInt::zero);
            }
        }
    }
    p
}

impl System {
    /// An equation, as the nodes of its two inequalities: one with a unit coefficient if there is one, else with
    /// the smallest coefficient.
    pub fn equation(&self) -> Option<(NodeId, NodeId)> {
        let mut best: Option<(BigInt, usize, NodeId, NodeId)> = None;
        for (terms, (c, n)) in &self.rows {
            if terms[0].1.is_negative() {
                continue;
            }
            let opposite: Vec<_> = terms.iter().map(|(x, a)| (*x, -a)).collect();
            let Some((d, m)) = self.rows.get(&opposite) else {
                continue;
            };
            if !(c + d).is_zero() {
                continue;
            }
            let least = terms.iter().map(|t| t.1.abs()).min().unwrap_or_default();
            if best
                .as_ref()
                .is_none_or(|(l, k, ..)| (&least, terms.len()) < (l, *k))
            {
                best = Some((least, terms.len(), *n, *m));
            }
        }
        best.map(|(_, _, n, m)| (n, m))
    }

    /// The variable whose elimination costs least, exact ones first; and whether it is exact.
    pub fn choose(&self) -> Option<(Var, bool)> {
        #[derive(Default)]
        struct Stat {
            lower: usize,
            upper: usize,
            big_lower: bool,
            big_upper: bool,
        }
        let mut stats: BTreeMap<Var, Stat> = BTreeMap::new();
        for (x, a) in self.rows.keys().flatten() {
            let s = stats.entry(*x).or_default();
            if a.is_positive() {
                s.lower += 1;
                s.big_lower |= !a.is_one();
            } else {
                s.upper += 1;
                s.big_upper |= !a.abs().is_one();
            }
        }
        stats
            .into_iter()
            .map(|(x, s)| {
                let exact = s.lower == 0 || s.upper == 0 || !s.big_lower || !s.big_upper;
                let cost = (s.lower * s.upper) as i64 - (s.lower + s.upper) as i64;
                (!exact, cost, x)
            })
            .min()
            .map(|(inexact, _, x)| (x, !inexact))
    }
}
