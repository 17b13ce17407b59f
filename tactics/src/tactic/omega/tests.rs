//! Tests of the oracle and its certificates: known cases, and small random systems against brute force.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::Signed;

use super::cert::{Differences, Fact, Premise, certificate, check};
use super::form::{Form, Var};
use super::solve::{Budget, GaveUp, Outcome, Proof, Range, solve};

fn form(c: &[i64], constant: i64) -> Form {
    Form::new(
        c.iter()
            .enumerate()
            .map(|(i, a)| (i as Var, BigInt::from(*a))),
        constant.into(),
    )
}

/// The initial facts of a certificate, oldest last as the checker wants them.
fn premises(given: &[Form], proof: &Proof, d: &Differences, used: &[Premise]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = used
        .iter()
        .map(|p| match p {
            Premise::Given(i) => given[*i].shifted(&d.shifts).sides(),
            Premise::Quotient { index, upper } => {
                let q = &proof.quotients[*index];
                let numerator = d.numerators[*index].clone();
                let natural = |(_, a): &(Var, BigInt)| !a.is_negative();
                assert!(numerator.terms.iter().all(natural), "{numerator:?}");
                let scaled = Form::var(q.var).times(&q.divisor);
                if *upper {
                    let high = scaled.plus(&1.into(), &Form::constant(q.divisor.clone()));
                    (numerator.plus(&1.into(), &Form::constant(1)), high)
                } else {
                    (scaled, numerator)
                }
            }
        })
        .collect();
    facts.reverse();
    facts
}

/// Solves, and checks the answer: the certificate, or the point.
fn verdict(vars: Var, given: &[Form]) -> Result<bool, GaveUp> {
    verdict_over(&vec![Range::Natural; vars as usize], given)
}

/// The same over integers. In a certificate the negative part of `x` is variable `100 + x`.
fn integers(vars: Var, given: &[Form]) -> Result<bool, GaveUp> {
    verdict_over(&vec![Range::Integer; vars as usize], given)
}

fn verdict_over(ranges: &[Range], given: &[Form]) -> Result<bool, GaveUp> {
    match solve(ranges, given, Budget::default())? {
        Outcome::Sat(p) => {
            for (v, r) in p.iter().zip(ranges) {
                assert!(*r != Range::Natural || !v.is_negative(), "{p:?} {ranges:?}");
            }
            for g in given {
                assert!(!g.eval(&p).is_negative(), "{g:?} fails at {p:?}");
            }
            Ok(true)
        }
        Outcome::Unsat(proof) => {
            let integers = (0..).zip(ranges).filter(|(_, r)| **r == Range::Integer);
            let shifts: BTreeMap<Var, Form> =
                integers.map(|(x, _)| (x, Form::var(100 + x))).collect();
            let d = Differences::new(shifts, &proof);
            let c = certificate(&proof, &d);
            let mut facts = premises(given, &proof, &d, &c.premises);
            assert!(
                check(&mut facts, &c.cert),
                "certificate fails for {given:?}: {c:?}"
            );
            Ok(false)
        }
    }
}

#[test]
fn transitivity() {
    // x ≤ y, y ≤ z, z + 1 ≤ x
    let g = [
        form(&[-1, 1, 0], 0),
        form(&[0, -1, 1], 0),
        form(&[1, 0, -1], -1),
    ];
    assert_eq!(verdict(3, &g), Ok(false));
}

#[test]
fn parity() {
    // 2x = 2y + 1
    let g = [form(&[2, -2], -1), form(&[-2, 2], 1)];
    assert_eq!(verdict(2, &g), Ok(false));
}

#[test]
fn equation_without_unit_coefficient() {
    // 7x + 12y = 31z + 17 and 3x + 5y = 14z + 7: the integer solutions are (13t - 1, 2 - 5t, t), none natural
    let g = [
        form(&[7, 12, -31], -17),
        form(&[-7, -12, 31], 17),
        form(&[3, 5, -14], -7),
        form(&[-3, -5, 14], 7),
    ];
    assert_eq!(verdict(3, &g), Ok(false));
    let g = [
        form(&[6, 10, -15], -1),
        form(&[-6, -10, 15], 1),
        form(&[-1, 0, 0], 0),
    ];
    assert_eq!(verdict(3, &g), Ok(false));
    assert_eq!(verdict(3, &g[..2]), Ok(true));
    let g = [form(&[6, 10], -7), form(&[-6, -10], 7)];
    assert_eq!(verdict(2, &g), Ok(false));
    assert_eq!(integers(2, &g), Ok(false));
}

#[test]
fn integers_may_be_negative() {
    // x ≤ -1
    let g = [form(&[-1], -1)];
    assert_eq!(verdict(1, &g), Ok(false));
    assert_eq!(integers(1, &g), Ok(true));
    // 7x + 12y = 31z + 17 and 3x + 5y = 14z + 7, as above; z = t
    let g = [
        form(&[7, 12, -31], -17),
        form(&[-7, -12, 31], 17),
        form(&[3, 5, -14], -7),
        form(&[-3, -5, 14], 7),
    ];
    assert_eq!(integers(3, &g), Ok(true));
    // x ≤ y - 1, y ≤ x
    let g = [form(&[-1, 1], -1), form(&[1, -1], 0)];
    assert_eq!(integers(2, &g), Ok(false));
}

#[test]
fn quotients_of_integers() {
    // 6x + 10y - 15z = 1, 4x + 6y - 9z = 2, z = 1: then 4x + 6y = 11
    let g = [
        form(&[6, 10, -15], -1),
        form(&[-6, -10, 15], 1),
        form(&[4, 6, -9], -2),
        form(&[-4, -6, 9], 2),
        form(&[0, 0, 1], -1),
        form(&[0, 0, -1], 1),
    ];
    assert_eq!(integers(3, &g), Ok(false));
    let g = [form(&[6, 10, -15], -1), form(&[-6, -10, 15], 1)];
    assert_eq!(integers(3, &g), Ok(true));
}

#[test]
fn dark_and_grey_shadow() {
    // 27 ≤ 11x + 13y ≤ 45, -10 ≤ 7x - 9y ≤ 4: no integer solution, but a rational one
    let g = [
        form(&[11, 13], -27),
        form(&[-11, -13], 45),
        form(&[7, -9], 10),
        form(&[-7, 9], 4),
    ];
    assert_eq!(verdict(2, &g), Ok(false));
    assert_eq!(integers(2, &g), Ok(false));
}

#[test]
fn nothing_to_refute() {
    assert_eq!(verdict(0, &[]), Ok(true));
    assert_eq!(verdict(0, &[form(&[], -1)]), Ok(false));
    assert_eq!(verdict(2, &[form(&[0, 1], 0)]), Ok(true));
}

#[test]
fn large_constants() {
    // i < n, n ≤ 2^31, 4i + 3 ≥ 2^33
    let n = BigInt::from(1u64 << 31);
    let g = [
        form(&[-1, 1], -1),
        Form::new([(1, (-1).into())], n.clone()),
        Form::new([(0, 4.into())], BigInt::from(3) - n * 4),
    ];
    assert_eq!(verdict(2, &g), Ok(false));
}

#[test]
fn budget_is_reported() {
    let g = [form(&[-1, 1], 0), form(&[1, -1], -1)];
    let tiny = Budget {
        nodes: 1,
        splits: 0,
    };
    let ranges = [Range::Natural; 2];
    assert_eq!(solve(&ranges, &g, tiny).map(|_| ()), Err(GaveUp::Nodes));
}

/// A small linear congruential generator: the same systems in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, bound: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % (2 * bound as u64 + 1)) as i64 - bound
    }
}

/// Small random systems, each variable between `low` and 5; some variables natural, some integers.
fn against_brute_force(seed: u64, rounds: usize, low: i64) {
    let mut r = Random(seed);
    let (mut sat, mut unsat) = (0, 0);
    for round in 0..rounds {
        let vars = 1 + round % 3;
        let bound = 5i64;
        let natural = |x: usize| low == 0 || (round / 3 + x).is_multiple_of(3);
        let range = |x: usize| match natural(x) {
            true => Range::Natural,
            false => Range::Integer,
        };
        let ranges: Vec<Range> = (0..vars).map(range).collect();
        let mut given = Vec::new();
        for _ in 0..1 + round % 4 {
            let c: Vec<i64> = (0..vars).map(|_| r.next(7)).collect();
            let k = r.next(12);
            given.push(form(&c, k));
            if r.next(2) == 0 {
                given.push(form(&c, k).negated());
            }
        }
        for x in 0..vars {
            given.push(Form::new([(x as Var, (-1).into())], bound.into()));
            if !natural(x) {
                given.push(Form::new([(x as Var, 1.into())], (-low).into()));
            }
        }
        let lows: Vec<i64> = (0..vars)
            .map(|x| if natural(x) { 0 } else { low })
            .collect();
        let found = brute(&lows, bound, &given);
        let got = verdict_over(&ranges, &given);
        assert_eq!(got, Ok(found), "{given:?}");
        if found { sat += 1 } else { unsat += 1 }
    }
    assert!(sat > rounds / 6 && unsat > rounds / 6, "{sat} {unsat}");
}

#[test]
fn agrees_with_brute_force() {
    against_brute_force(2026, 3000, 0);
}

#[test]
fn agrees_with_brute_force_on_integers() {
    against_brute_force(2027, 3000, -4);
}

fn brute(lows: &[i64], bound: i64, given: &[Form]) -> bool {
    let mut p: Vec<BigInt> = lows.iter().map(|l| BigInt::from(*l)).collect();
    loop {
        if given.iter().all(|g| !g.eval(&p).is_negative()) {
            return true;
        }
        let mut i = 0;
        while i < lows.len() {
            p[i] += 1;
            if p[i] <= bound.into() {
                break;
            }
            p[i] = lows[i].into();
            i += 1;
        }
        if i == lows.len() {
            return false;
        }
    }
}
