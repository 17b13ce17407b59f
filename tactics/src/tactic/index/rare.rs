//! Counterexamples that are rare: looked for once a search has come to nothing.
//!
//! Unknowns with few values are tried everywhere. Others are drawn where goals change: beside multiples of the literals of the
//! goal, the largest ones first, beside each other, and where two of them add up to a literal.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

use super::engine::Engine;
use super::refute::{Claim, Point, Random, Samples};

/// So many points are tried everywhere.
const EVERYWHERE: u64 = 1 << 13;
/// So many are drawn otherwise.
const DRAWN: usize = 3000;

impl Engine<'_, '_> {
    /// The number of a point at which a proposition fails, and the hypotheses hold.
    pub fn fails_rarely(&mut self, goal: &Claim) -> Option<usize> {
        let samples = std::mem::take(&mut self.samples);
        let found = self.rare(&samples, goal);
        self.samples = samples;
        let point = found?;
        self.samples.points.push(point);
        self.samples.values.push(Vec::new());
        Some(self.samples.points.len() - 1)
    }

    fn rare(&mut self, samples: &Samples, goal: &Claim) -> Option<Point> {
        let refutes = |e: &Self, point: &Point| {
            let mut memo = Vec::new();
            e.holds(goal, point, &mut memo) == Some(false)
                && (samples.claims.iter()).all(|c| e.holds(c, point, &mut memo) != Some(false))
        };
        let limits: Vec<&BigUint> = samples.limits.iter().collect();
        let all = limits
            .iter()
            .try_fold(1u64, |n, l| n.checked_mul(l.to_u64()?.max(1)));
        if let Some(all) = all.filter(|n| *n <= EVERYWHERE) {
            return (0..all)
                .map(|i| {
                    let mut rest = BigUint::from(i);
                    let atoms = samples.atoms.iter().zip(&limits);
                    let digit = |((op, _), limit): (&(u32, _), &&BigUint)| {
                        let base = (*limit).max(&BigUint::one()).clone();
                        let digit = &rest % &base;
                        rest /= base;
                        (*op, digit)
                    };
                    atoms.map(digit).collect::<Point>()
                })
                .find(|point| refutes(self, point));
        }
        let mut random = Random::new();
        for round in 0..DRAWN {
            let mut point = Point::default();
            for (k, (op, _)) in samples.atoms.iter().enumerate() {
                let v = beside(&mut random, round, limits[k], &samples.literals);
                point.insert(*op, v);
            }
            if samples.atoms.len() > 1 && random.next() & 1 == 0 {
                related(&mut random, &mut point, samples);
            }
            if self.repaired(&mut point, samples, &mut random) && refutes(self, &point) {
                return Some(point);
            }
        }
        None
    }
}

/// A value below `limit`, beside a multiple of a literal, a power of two, or anywhere.
fn beside(random: &mut Random, round: usize, limit: &BigUint, literals: &[BigUint]) -> BigUint {
    if limit.is_zero() {
        return BigUint::zero();
    }
    let any = match random.next() % 4 {
        0 => limit - random.below(limit).min(BigUint::from(64 + round as u64)) - 1u32,
        1 => random.below(limit) >> (random.next() % limit.bits().max(1)),
        _ => random.below(limit),
    };
    let n = match random.next() % 4 {
        0 => BigUint::one() << (random.next() % limit.bits().max(1)),
        _ => literals[random.next() as usize % literals.len()].clone(),
    };
    if n.is_zero() {
        return any;
    }
    let multiple = match random.next() % 4 {
        // the largest multiple, and the first ones
        0 => limit - limit % &n,
        1 => n,
        _ => &any - &any % n,
    };
    let v = match random.next() % 4 {
        0 => multiple,
        1 => multiple + 1u32,
        2 if !multiple.is_zero() => multiple - 1u32,
        _ => any,
    };
    v % limit
}

/// Makes one unknown depend on another.
fn related(random: &mut Random, point: &mut Point, samples: &Samples) {
    let count = samples.atoms.len();
    let mut pick = || random.next() as usize % count;
    let (i, j) = (pick(), pick());
    if i == j {
        return;
    }
    let x = point[&samples.atoms[j].0].clone();
    let n = samples.literals[random.next() as usize % samples.literals.len()].clone();
    let v = match random.next() % 5 {
        0 => x,
        1 => x + 1u32,
        2 if !x.is_zero() => x - 1u32,
        3 if n >= x => n - x,
        _ => x + n,
    };
    if v < samples.limits[i] {
        point.insert(samples.atoms[i].0, v);
    }
}
