//! Universe levels: the order `≤` and equality, decided completely.
//!
//! A level is a function of its parameters. Without `imax` it is a maximum of constants and of terms `p + k`, which has
//! an evident normal form. `imax a b` is `0` where `b = 0` and `max a b` elsewhere; where that depends on a parameter `p`,
//! both cases `p = 0` and `p ≥ 1` are looked at. (Carneiro 2019, §2.1 "universe levels": `ℓ ≤ ℓ'` iff it holds for all
//! values of the parameters.)

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checker, Res};
use crate::env::KernelError;
use crate::expr::{Expr, Node};
use crate::level::{Level, LevelNode};
use crate::name::Name;
use crate::store::Store;
use crate::subst::with_stack;

/// `max(base, p₁ + k₁, …)`, where `base` is the value at `p = 0` (so `base ≥ kᵢ`), sorted by parameter.
#[derive(Clone, Default)]
struct Normal {
    base: u64,
    atoms: Vec<(Name, u64)>,
}

impl Normal {
    fn succ(mut self, by: u64) -> Normal {
        self.base += by;
        for a in &mut self.atoms {
            a.1 += by;
        }
        self
    }

    fn max(&self, o: &Normal) -> Normal {
        let mut atoms = self.atoms.clone();
        for (p, k) in &o.atoms {
            match atoms.binary_search_by_key(p, |a| a.0) {
                Ok(i) => atoms[i].1 = atoms[i].1.max(*k),
                Err(i) => atoms.insert(i, (*p, *k)),
            }
        }
        Normal {
            base: self.base.max(o.base),
            atoms,
        }
    }

    /// `≤` for all values of the parameters: at `0`, and as each parameter alone grows.
    fn leq(&self, o: &Normal) -> bool {
        self.base <= o.base
            && self.atoms.iter().all(|(p, k)| {
                o.atoms
                    .binary_search_by_key(p, |a| a.0)
                    .is_ok_and(|i| *k <= o.atoms[i].1)
            })
    }
}

/// Why a normal form was not reached.
enum Stop {
    /// It depends on whether this parameter is `0`.
    Split(Name),
    Error(KernelError),
}

/// What is assumed of parameters: `true` for `p ≥ 1`, `false` for `p = 0`.
type Cases = Vec<(Name, bool)>;

impl Checker<'_, '_> {
    /// `a ≤ b` for all values of the parameters.
    pub(crate) fn level_leq(&mut self, a: Level, b: Level) -> Res<bool> {
        Ok(a == b || self.leq_cases(a, b, &mut Vec::new())?)
    }

    /// `a = b` for all values of the parameters.
    pub(crate) fn level_eq(&mut self, a: Level, b: Level) -> Res<bool> {
        Ok(a == b || (self.level_leq(a, b)? && self.level_leq(b, a)?))
    }

    /// Pairwise equality of lists of the same length.
    pub(super) fn levels_eq(&mut self, a: &[Level], b: &[Level]) -> Res<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for (x, y) in a.iter().zip(b) {
            if !self.level_eq(*x, *y)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a level is `0` for all values of the parameters.
    pub(crate) fn level_is_zero(&mut self, l: Level) -> Res<bool> {
        match self.st.level_node(l) {
            LevelNode::Zero => Ok(true),
            LevelNode::Succ(_) | LevelNode::Param(_) | LevelNode::MVar(_) => Ok(false),
            _ => self.level_leq(l, Level::ZERO),
        }
    }

    /// Whether a level is `0` for no values of the parameters. Levels grow with their parameters, so that is: not `0`
    /// where all of them are `0`.
    pub(crate) fn level_never_zero(&mut self, l: Level) -> Res<bool> {
        let one = self.st.level_succ(Level::ZERO);
        self.level_leq(one, l)
    }

    fn leq_cases(&mut self, a: Level, b: Level, cases: &mut Cases) -> Res<bool> {
        let mut memo = FxHashMap::default();
        let p = match self.normal(a, cases, &mut memo) {
            Err(Stop::Error(e)) => return Err(e),
            Err(Stop::Split(p)) => p,
            Ok(na) => match self.normal(b, cases, &mut memo) {
                Err(Stop::Error(e)) => return Err(e),
                Err(Stop::Split(p)) => p,
                Ok(nb) => return Ok(na.leq(&nb)),
            },
        };
        for positive in [false, true] {
            cases.push((p, positive));
            let r = self.enter(|c| c.leq_cases(a, b, cases));
            cases.pop();
            if !r? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn normal(
        &mut self,
        l: Level,
        cases: &Cases,
        memo: &mut FxHashMap<Level, Normal>,
    ) -> Result<Normal, Stop> {
        let (mut base, mut by) = (l, 0);
        while let LevelNode::Succ(a) = self.st.level_node(base) {
            base = a;
            by += 1;
        }
        if let Some(n) = memo.get(&base) {
            return Ok(n.clone().succ(by));
        }
        self.tick(1).map_err(Stop::Error)?;
        let n = with_stack(|| self.normal_node(base, cases, memo))?;
        memo.insert(base, n.clone());
        Ok(n.succ(by))
    }

    fn normal_node(
        &mut self,
        l: Level,
        cases: &Cases,
        memo: &mut FxHashMap<Level, Normal>,
    ) -> Result<Normal, Stop> {
        Ok(match self.st.level_node(l) {
            LevelNode::Zero | LevelNode::Succ(_) => Normal::default(),
            LevelNode::MVar(_) => {
                let e = KernelError::LevelMetaVariable(self.st.sort(l));
                return Err(Stop::Error(e));
            }
            LevelNode::Param(p) => match cases.iter().find(|c| c.0 == p) {
                None => Normal {
                    base: 0,
                    atoms: vec![(p, 0)],
                },
                Some((_, false)) => Normal::default(),
                Some((_, true)) => Normal {
                    base: 1,
                    atoms: vec![(p, 1)],
                },
            },
            LevelNode::Max(a, b) => {
                let a = self.normal(a, cases, memo)?;
                a.max(&self.normal(b, cases, memo)?)
            }
            LevelNode::IMax(a, b) => {
                let b = self.normal(b, cases, memo)?;
                if b.base > 0 {
                    self.normal(a, cases, memo)?.max(&b)
                } else if let Some((p, _)) = b.atoms.first() {
                    return Err(Stop::Split(*p));
                } else {
                    Normal::default()
                }
            }
        })
    }

    /// Refuses universe parameters that are not declared.
    pub(super) fn scan_levels(&mut self, e: Expr) -> Res<()> {
        let st = self.st;
        let (mut seen, mut seen_levels) = (FxHashSet::default(), FxHashSet::default());
        let mut todo = vec![e];
        while let Some(e) = todo.pop() {
            if !st.has_level_param(e) || !seen.insert(e) {
                continue;
            }
            match st.node(e) {
                Node::Sort(l) => self.scan_level(l, &mut seen_levels)?,
                Node::Const(_, ls) => {
                    for l in ls {
                        self.scan_level(*l, &mut seen_levels)?;
                    }
                }
                Node::App(f, a) => todo.extend([f, a]),
                Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => todo.extend([t, b]),
                Node::Let(_, t, v, b) => todo.extend([t, v, b]),
                Node::Proj(_, _, x) => todo.push(x),
                _ => {}
            }
        }
        Ok(())
    }

    fn scan_level(&self, l: Level, seen: &mut FxHashSet<Level>) -> Res<()> {
        let mut todo = vec![l];
        while let Some(l) = todo.pop() {
            if !seen.insert(l) {
                continue;
            }
            match self.st.level_node(l) {
                LevelNode::Zero | LevelNode::MVar(_) => {}
                LevelNode::Succ(a) => todo.push(a),
                LevelNode::Max(a, b) | LevelNode::IMax(a, b) => todo.extend([a, b]),
                LevelNode::Param(n) if self.univ_params.contains(&n) => {}
                LevelNode::Param(n) => return Err(KernelError::UndeclaredUnivParam(n)),
            }
        }
        Ok(())
    }
}

/// `imax a b` where the case is evident without looking deep.
pub(super) fn imax(st: &Store<'_>, a: Level, b: Level) -> Level {
    if b == Level::ZERO || a == Level::ZERO || a == b {
        return b;
    }
    match st.level_node(b) {
        LevelNode::Succ(_) => max(st, a, b),
        _ => st.level_imax(a, b),
    }
}

/// `max a b` where the case is evident without looking deep.
fn max(st: &Store<'_>, a: Level, b: Level) -> Level {
    if a == b || a == Level::ZERO {
        return b;
    }
    if b == Level::ZERO {
        return a;
    }
    let ((a0, i), (b0, j)) = (offset(st, a), offset(st, b));
    if i <= j && (a0 == Level::ZERO || a0 == b0) {
        return b;
    }
    if b0 == Level::ZERO && j <= i || a0 == b0 {
        return a;
    }
    st.level_max(a, b)
}

fn offset(st: &Store<'_>, l: Level) -> (Level, u64) {
    let (mut l, mut n) = (l, 0);
    while let LevelNode::Succ(a) = st.level_node(l) {
        (l, n) = (a, n + 1);
    }
    (l, n)
}
