//! The neighbours of a statement: one literal or one operator changed.

use crate::syntax::{Goal, Op, Term};

/// Shifts go at most so far: numbers stay of a size with which one can compute.
const FARTHEST: u128 = 64;

/// What a literal may become.
fn literals(n: u128) -> Vec<u128> {
    let mut all = vec![n + 1, 2 * n];
    all.extend(n.checked_sub(1));
    if n > 1 {
        all.push(n / 2);
    }
    all.retain(|m| *m != n);
    all.sort_unstable();
    all.dedup();
    all
}

fn too_far(op: Op, b: &Term) -> bool {
    matches!(op, Op::Shl | Op::Shr) && !matches!(b, Term::Num(n) if *n <= FARTHEST)
}

/// Instructions that one takes for each other.
const CONFUSED: [(&str, &str); 12] = [
    ("and.b32", "or.b32"),
    ("and.b32", "xor.b32"),
    ("or.b32", "xor.b32"),
    ("or.b32", "add.s32"),
    ("or.b64", "and.b64"),
    ("or.b64", "add.s64"),
    ("add.s32", "sub.s32"),
    ("shr.u32", "shr.s32"),
    ("shr.u32", "shl.b32"),
    ("mul.wide.u32", "mul.wide.s32"),
    ("cvt.u64.u32", "cvt.s64.s32"),
    ("bfe.u32", "bfe.s32"),
];

/// What an instruction may become.
fn instructions(name: &str) -> Vec<String> {
    let name = name.trim_start_matches("ptx.");
    let pairs = CONFUSED.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    let others = pairs.filter(|(a, _)| *a == name);
    others.map(|(_, b)| format!("ptx.{b}")).collect()
}

/// All terms that differ from this one in one place.
fn terms(t: &Term) -> Vec<Term> {
    match t {
        Term::Num(n) => literals(*n).into_iter().map(Term::Num).collect(),
        Term::Var(_) => Vec::new(),
        Term::Call(f, arguments) => {
            let renamed = instructions(f).into_iter();
            let mut all: Vec<Term> = renamed.map(|g| Term::Call(g, arguments.clone())).collect();
            // The width of a literal stays.
            for i in usize::from(f == "ofNat")..arguments.len() {
                for changed in terms(&arguments[i]) {
                    let mut arguments = arguments.clone();
                    arguments[i] = changed;
                    all.push(Term::Call(f.clone(), arguments));
                }
            }
            all
        }
        Term::Val(a) => terms(a).into_iter().map(|a| Term::Val(a.into())).collect(),
        Term::Op(op, a, b) => {
            let mut all: Vec<Term> = Op::ALL
                .into_iter()
                .filter(|o| o != op)
                .map(|o| Term::Op(o, a.clone(), b.clone()))
                .collect();
            let left = terms(a).into_iter();
            all.extend(left.map(|a| Term::Op(*op, a.into(), b.clone())));
            let right = terms(b).into_iter();
            all.extend(right.map(|b| Term::Op(*op, a.clone(), b.into())));
            all.retain(|t| !matches!(t, Term::Op(op, _, b) if too_far(*op, b)));
            all
        }
    }
}

/// All neighbours of a statement, named after it and numbered.
pub fn of(goal: &Goal) -> Vec<Goal> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut Goal)| {
        let mut neighbour = goal.clone();
        change(&mut neighbour);
        neighbour.name = format!("{}_{}", goal.name, all.len());
        all.push(neighbour);
    };
    for t in terms(&goal.left) {
        add(&|g| g.left = t.clone());
    }
    for t in terms(&goal.right) {
        add(&|g| g.right = t.clone());
    }
    for (i, (.., b)) in goal.hypotheses.iter().enumerate() {
        for t in terms(b) {
            add(&|g| g.hypotheses[i].3 = t.clone());
        }
    }
    all
}
