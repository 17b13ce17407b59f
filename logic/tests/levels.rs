//! Universe levels against their meaning: equality and `≤` as the checker decides them, compared with the values of the
//! levels for all small values of the parameters.

use bumpalo::Bump;
use logic::*;

/// A small generator of pseudo-random numbers (splitmix64), so that the test is the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}

fn random_level(st: &Store<'_>, params: &[Name], depth: u32, r: &mut Random) -> Level {
    if depth == 0 {
        return match r.below(4) {
            0 => Level::ZERO,
            _ => st.level_param(params[r.below(params.len() as u64) as usize]),
        };
    }
    let a = random_level(st, params, depth - 1, r);
    match r.below(4) {
        0 => st.level_succ(a),
        1 => st.level_max(a, random_level(st, params, depth - 1, r)),
        2 => st.level_imax(a, random_level(st, params, depth - 1, r)),
        _ => a,
    }
}

fn value(st: &Store<'_>, l: Level, params: &[Name], at: &[u32]) -> u32 {
    match st.level_node(l) {
        LevelNode::Zero | LevelNode::MVar(_) => 0,
        LevelNode::Succ(a) => value(st, a, params, at) + 1,
        LevelNode::Max(a, b) => value(st, a, params, at).max(value(st, b, params, at)),
        LevelNode::IMax(a, b) => match value(st, b, params, at) {
            0 => 0,
            b => b.max(value(st, a, params, at)),
        },
        LevelNode::Param(p) => at[params.iter().position(|q| *q == p).expect("a parameter")],
    }
}

#[test]
fn levels_mean_what_they_say() {
    let bump = Bump::new();
    let st = &Store::new(&bump);
    let env = Environment::new(st);
    let params: Vec<Name> = ["u", "v", "w"].iter().map(|n| st.name(n)).collect();
    let mut checker = Checker::new(&env, &params);
    let mut r = Random(1);
    // A level of depth 4 adds at most 4 to a parameter, so a difference shows for values up to 6.
    let values: Vec<[u32; 3]> = (0..7 * 7 * 7).map(|i| [i % 7, i / 7 % 7, i / 49]).collect();
    let (mut equal, mut below) = (0, 0);
    for _ in 0..4000 {
        let depth = r.below(5) as u32;
        let a = random_level(st, &params, depth, &mut r);
        let b = random_level(st, &params, depth, &mut r);
        let at = |l, v: &[u32; 3]| value(st, l, &params, v);
        let mut ask = |a, b| checker.is_defeq(st.sort(a), st.sort(b)).expect("decided");
        let same = values.iter().all(|v| at(a, v) == at(b, v));
        let leq = values.iter().all(|v| at(a, v) <= at(b, v));
        assert_eq!(
            ask(a, b),
            same,
            "{} = {}",
            st.show_level(a),
            st.show_level(b)
        );
        // a ≤ b iff max a b = b.
        assert_eq!(
            ask(st.level_max(a, b), b),
            leq,
            "{} ≤ {}",
            st.show_level(a),
            st.show_level(b)
        );
        equal += u32::from(same);
        below += u32::from(leq);
    }
    assert!(
        equal > 200 && below > 1000,
        "the sample has both verdicts: {equal} {below}"
    );
}
