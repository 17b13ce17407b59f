//! Tests of the oracle: random terms against their values at all points.

use num_bigint::BigUint;

use super::exp::{Id, Node, Terms, two};
use super::plan::{Differ, Plan, witness};

/// A small generator of numbers, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Bits of a word.
const W: u32 = 4;

/// A word: what a random operation makes of smaller ones.
fn word(t: &mut Terms, r: &mut Random, depth: u32) -> Id {
    if depth == 0 || r.below(8) == 0 {
        return match r.below(4) {
            0 => t.lit(BigUint::from(r.below(1 << W))),
            1 => t.add(Node::Atom(0)),
            _ => t.add(Node::Atom(1)),
        };
    }
    let a = word(t, r, depth - 1);
    let modulus = two(W);
    let k = r.below(u64::from(W)) as u32;
    let node = match r.below(13) {
        0 | 1 => Node::Add(a, word(t, r, depth - 1)),
        2 => Node::Xor(a, word(t, r, depth - 1)),
        3 => Node::And(a, word(t, r, depth - 1)),
        4 => Node::Or(a, word(t, r, depth - 1)),
        5 => Node::Scale(BigUint::from(r.below(6)), a),
        6 => Node::Scaled(a, two(k)),
        7 => Node::Sub(&modulus - r.below(2), a),
        8 => Node::Shl(a, k),
        9 => Node::Shr(a, k),
        10 => Node::Div(a, BigUint::from(r.below(5))),
        11 => Node::Mod(a, BigUint::from(r.below(9))),
        _ if r.below(2) == 0 => Node::Mul(a, word(t, r, depth - 1)),
        _ => Node::Minus(a, word(t, r, depth - 1)),
    };
    let e = t.add(node);
    t.add(Node::Mod(e, modulus))
}

/// A term that is equal to another by a law, or not at all.
fn variant(t: &mut Terms, r: &mut Random, e: Id) -> Id {
    let node = t.node(e).clone();
    let node = node.map(|c| variant(t, r, c));
    let node = match node {
        Node::Add(a, b) if r.below(2) == 0 => Node::Add(b, a),
        Node::Xor(a, b) | Node::And(a, b) | Node::Or(a, b) if r.below(9) == 0 => Node::Or(b, a),
        Node::Xor(a, b) if r.below(2) == 0 => Node::Xor(b, a),
        Node::And(a, b) if r.below(2) == 0 => Node::And(b, a),
        Node::Or(a, b) if r.below(3) == 0 => {
            let both = t.add(Node::And(a, b));
            let one = t.add(Node::Xor(a, b));
            Node::Add(both, one)
        }
        Node::Scale(k, a) => Node::Scaled(a, k),
        Node::Shl(a, k) => Node::Scale(two(k), a),
        Node::Shr(a, k) => Node::Div(a, two(k)),
        Node::Lit(n) if r.below(40) == 0 => Node::Lit(n + 1u32),
        n => n,
    };
    t.add(node)
}

/// A point at which the terms differ.
fn difference(t: &Terms, e: Id, f: Id) -> Option<Vec<BigUint>> {
    let order = t.below(&[e, f]);
    let points = 0..1u32 << (2 * W);
    points
        .map(|p| vec![BigUint::from(p % (1 << W)), BigUint::from(p >> W)])
        .find(|x| {
            let values = t.eval(&order, x);
            values[&e] != values[&f]
        })
}

/// A bound of a term holds at all points.
fn bounded(t: &Terms, e: Id) -> bool {
    let order = t.below(&[e]);
    (0..1u32 << (2 * W)).all(|p| {
        let x = [BigUint::from(p % (1 << W)), BigUint::from(p >> W)];
        t.eval(&order, &x)[&e] <= *t.max(e)
    })
}

fn terms() -> Terms {
    let mut t = Terms::default();
    t.atom(two(W));
    t.atom(two(W));
    t
}

#[test]
fn what_it_says_is_true_at_all_points() {
    let mut r = Random(1);
    let (mut equal, mut unequal, mut unseen) = (0, 0, 0);
    for round in 0..6000 {
        let mut t = terms();
        let e = word(&mut t, &mut r, 1 + round % 4);
        let f = match r.below(10) {
            0 => word(&mut t, &mut r, 1 + round % 3),
            _ => variant(&mut t, &mut r, e),
        };
        assert!(bounded(&t, e) && bounded(&t, f), "{e} {f}");
        let fact = difference(&t, e, f);
        let mut plan = Plan::new(&mut t, &[]);
        let answer = plan.question(e, f);
        let generalised = !plan.generalised.is_empty();
        match (answer, fact) {
            (Ok(_), None) => equal += 1,
            (Ok(q), Some(x)) => panic!("round {round}: {q:?} differ at {x:?}"),
            (Err(Differ::TooLarge), _) => {}
            (Err(d), Some(_)) => {
                unequal += 1;
                if !generalised {
                    let x = witness(&d, 2).expect("a difference without unknowns has a witness");
                    let order = t.below(&[e, f]);
                    let values = t.eval(&order, &x);
                    assert_ne!(
                        values[&e], values[&f],
                        "round {round}: no difference at {x:?}"
                    );
                }
            }
            (Err(d), None) => {
                unseen += 1;
                assert!(generalised, "round {round}: equal, but {d:?}");
            }
        }
    }
    // enough of each kind for the test to mean something
    assert!(equal > 2500 && unequal > 500, "{equal} {unequal} {unseen}");
    assert!(unseen < 600, "{unseen} equations were not seen");
}
