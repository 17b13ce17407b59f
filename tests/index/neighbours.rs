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

/// All terms that differ from this one in one place.
fn terms(t: &Term) -> Vec<Term> {
    match t {
        Term::Num(n) => literals(*n).into_iter().map(Term::Num).collect(),
        Term::Var(_) | Term::Call(..) => Vec::new(),
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
