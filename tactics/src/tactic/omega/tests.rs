//! Tests of the oracle and its certificates: known cases, and small random systems against brute force.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::cert::{Fact, Premise, certificate, check};
use super::form::{Form, Var};
use super::solve::{Budget, GaveUp, Outcome, Proof, solve};

fn form(c: &[i64], constant: i64) -> Form {
    Form::new(
        c.iter()
            .enumerate()
            .map(|(i, a)| (i as Var, BigInt::from(*a))),
        constant.into(),
    )
}

/// The initial facts of a certificate, oldest last as the checker wants them.
fn premises(given: &[Form], proof: &Proof, used: &[Premise]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = used
        .iter()
        .map(|p| match p {
            Premise::Given(i) => given[*i].sides(),
            Premise::Quotient { index, upper } => {
                let q = &proof.quotients[*index];
                let scaled = Form::var(q.var).times(&q.divisor);
                if *upper {
                    let high = scaled.plus(&1.into(), &Form::constant(q.divisor.clone()));
                    (q.numerator.plus(&1.into(), &Form::constant(1)), high)
                } else {
                    (scaled, q.numerator.clone())
                }
            }
        })
        .collect();
    facts.reverse();
    facts
}

/// Solves, and checks the answer: the certificate, or the point.
fn verdict(vars: Var, given: &[Form]) -> Result<bool, GaveUp> {
    match solve(vars, given, Budget::default())? {
        Outcome::Sat(p) => {
            assert!(p.iter().all(|v| !v.is_negative()), "{p:?} is not natural");
            for g in given {
                assert!(!g.eval(&p).is_negative(), "{g:?} fails at {p:?}");
            }
            Ok(true)
        }
        Outcome::Unsat(proof) => {
            let c = certificate(&proof);
            let mut facts = premises(given, &proof, &c.premises);
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
    assert_eq!(solve(2, &g, tiny).map(|_| ()), Err(GaveUp::Nodes));
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

#[test]
fn agrees_with_brute_force() {
    let mut r = Random(2026);
    let (mut sat, mut unsat) = (0, 0);
    for round in 0..3000 {
        let vars = 1 + (round % 3) as usize;
        let bound = 5i64;
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
        }
        let found = brute(vars, bound, &given);
        let got = verdict(vars as Var, &given);
        assert_eq!(got, Ok(found), "{given:?}");
        if found { sat += 1 } else { unsat += 1 }
    }
    assert!(sat > 500 && unsat > 500, "{sat} {unsat}");
}

fn brute(vars: usize, bound: i64, given: &[Form]) -> bool {
    let mut p = vec![BigInt::zero(); vars];
    loop {
        if given.iter().all(|g| !g.eval(&p).is_negative()) {
            return true;
        }
        let mut i = 0;
        while i < vars {
            p[i] += 1;
            if p[i] <= bound.into() {
                break;
            }
            p[i] = BigInt::zero();
            i += 1;
        }
        if i == vars {
            return false;
        }
    }
}
