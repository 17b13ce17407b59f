//! Universe levels for elaboration: simplification, a normal form, unification.

use std::collections::BTreeMap;

use logic::subst::with_stack;
use logic::{Level, LevelNode};

use super::Elab;

/// `max` of atoms with offsets; the atom `0` stands for the constant part.
type Normal = BTreeMap<Level, u32>;

impl<'b> Elab<'b> {
    /// `max a b`, simplified.
    pub fn level_max(&self, a: Level, b: Level) -> Level {
        if a == b || b == Level::ZERO {
            return a;
        }
        if a == Level::ZERO {
            return b;
        }
        if let (Some(x), Some(y)) = (self.level_lit(a), self.level_lit(b)) {
            return if x >= y { a } else { b };
        }
        let (xa, ka) = self.level_offset(a);
        let (xb, kb) = self.level_offset(b);
        if xa == xb {
            return if ka >= kb { a } else { b };
        }
        if xa == Level::ZERO && ka <= kb {
            return b;
        }
        if xb == Level::ZERO && kb <= ka {
            return a;
        }
        self.st.level_max(a, b)
    }

    /// `imax a b`, simplified.
    pub fn level_imax(&self, a: Level, b: Level) -> Level {
        if b == Level::ZERO {
            return b;
        }
        if self.level_is_positive(b) {
            return self.level_max(a, b);
        }
        if a == Level::ZERO || a == b || self.level_lit(a) == Some(1) {
            return b;
        }
        self.st.level_imax(a, b)
    }

    /// Whether a level is at least one whatever its parameters are.
    pub fn level_is_positive(&self, l: Level) -> bool {
        match self.st.level_node(l) {
            LevelNode::Zero | LevelNode::Param(_) | LevelNode::MVar(_) => false,
            LevelNode::Succ(_) => true,
            LevelNode::Max(a, b) => self.level_is_positive(a) || self.level_is_positive(b),
            LevelNode::IMax(_, b) => self.level_is_positive(b),
        }
    }

    fn level_offset(&self, l: Level) -> (Level, u32) {
        let mut cur = l;
        let mut k = 0;
        while let LevelNode::Succ(a) = self.st.level_node(cur) {
            cur = a;
            k += 1;
        }
        (cur, k)
    }

    fn level_lit(&self, l: Level) -> Option<u32> {
        let (x, k) = self.level_offset(l);
        (x == Level::ZERO).then_some(k)
    }

    fn level_add(&self, l: Level, k: u32) -> Level {
        (0..k).fold(l, |l, _| self.st.level_succ(l))
    }

    fn level_normal(&self, l: Level, k: u32, out: &mut Normal) {
        let st = self.st;
        with_stack(|| match st.level_node(l) {
            LevelNode::Succ(a) => self.level_normal(a, k + 1, out),
            LevelNode::Max(a, b) => {
                self.level_normal(a, k, out);
                self.level_normal(b, k, out);
            }
            LevelNode::Zero | LevelNode::Param(_) | LevelNode::MVar(_) => {
                let e = out.entry(l).or_insert(k);
                *e = (*e).max(k);
            }
            LevelNode::IMax(a, b) => {
                let b = self.level_simp(b);
                match st.level_node(b) {
                    _ if b == Level::ZERO => {
                        let e = out.entry(b).or_insert(k);
                        *e = (*e).max(k);
                    }
                    _ if self.level_is_positive(b) => {
                        self.level_normal(a, k, out);
                        self.level_normal(b, k, out);
                    }
                    LevelNode::Max(x, y) => {
                        self.level_normal(st.level_imax(a, x), k, out);
                        self.level_normal(st.level_imax(a, y), k, out);
                    }
                    LevelNode::IMax(x, y) => {
                        self.level_normal(st.level_imax(a, y), k, out);
                        self.level_normal(st.level_imax(x, y), k, out);
                    }
                    _ => {
                        let a = self.level_simp(a);
                        let r = self.level_imax(a, b);
                        if matches!(st.level_node(r), LevelNode::IMax(..)) {
                            let e = out.entry(r).or_insert(k);
                            *e = (*e).max(k);
                        } else {
                            self.level_normal(r, k, out);
                        }
                    }
                }
            }
        });
    }

    /// The normal form of a level: a right-nested `max` of atoms with offsets, in a fixed order.
    pub fn level_simp(&self, l: Level) -> Level {
        match self.st.level_node(l) {
            LevelNode::Zero | LevelNode::Param(_) | LevelNode::MVar(_) => return l,
            _ => {}
        }
        let mut n = Normal::new();
        self.level_normal(l, 0, &mut n);
        let max_off = n
            .iter()
            .filter(|(a, _)| **a != Level::ZERO)
            .map(|(_, k)| *k)
            .max();
        if let (Some(c), Some(m)) = (n.get(&Level::ZERO).copied(), max_off)
            && c <= m
        {
            n.remove(&Level::ZERO);
        }
        // `imax a b` is below `max a b`.
        let atoms: Vec<(Level, u32)> = n.iter().map(|(a, k)| (*a, *k)).collect();
        for (a, k) in &atoms {
            if let LevelNode::IMax(x, y) = self.st.level_node(*a) {
                let covered = |l: Level| {
                    let mut m = Normal::new();
                    self.level_normal(l, *k, &mut m);
                    m.iter().all(|(b, j)| {
                        (*b == Level::ZERO && *j <= *k)
                            || atoms.iter().any(|(c, i)| c == b && i >= j)
                    })
                };
                if covered(x) && covered(y) {
                    n.remove(a);
                }
            }
        }
        let mut parts: Vec<Level> = n.iter().map(|(a, k)| self.level_add(*a, *k)).collect();
        let Some(mut acc) = parts.pop() else {
            return Level::ZERO;
        };
        while let Some(p) = parts.pop() {
            acc = self.st.level_max(p, acc);
        }
        acc
    }

    fn level_occurs(&self, id: u32, l: Level) -> bool {
        if !self.st.level_has_mvar(l) {
            return false;
        }
        match self.st.level_node(l) {
            LevelNode::MVar(i) => i == id,
            LevelNode::Succ(a) => self.level_occurs(id, a),
            LevelNode::Max(a, b) | LevelNode::IMax(a, b) => {
                self.level_occurs(id, a) || self.level_occurs(id, b)
            }
            LevelNode::Zero | LevelNode::Param(_) => false,
        }
    }

    /// Makes two levels equal; constraints that cannot be decided yet are kept for later.
    pub fn level_defeq(&mut self, a: Level, b: Level) -> bool {
        match self.level_unify(a, b) {
            Some(r) => r,
            None => {
                self.level_constraints.push((a, b));
                true
            }
        }
    }

    fn level_try_assign(&mut self, a: Level, b: Level) -> Option<bool> {
        let LevelNode::MVar(i) = self.st.level_node(a) else {
            return None;
        };
        if i < self.level_floor {
            return None;
        }
        if !self.level_occurs(i, b) {
            self.assign_level(i, b);
            return Some(true);
        }
        // `?u = max ?u b`: only `b ≤ ?u`, left for later; `?u = ?u + 1` is impossible.
        let (x, k) = self.level_offset(b);
        if x == a && k > 0 {
            return Some(false);
        }
        None
    }

    fn level_unify(&mut self, a: Level, b: Level) -> Option<bool> {
        let st = self.st;
        let a = self.level_simp(self.instantiate_level(a));
        let b = self.level_simp(self.instantiate_level(b));
        if a == b {
            return Some(true);
        }
        if let Some(r) = self.level_try_assign(a, b) {
            return Some(r);
        }
        if let Some(r) = self.level_try_assign(b, a) {
            return Some(r);
        }
        if !st.level_has_mvar(a) && !st.level_has_mvar(b) {
            return Some(false);
        }
        match (st.level_node(a), st.level_node(b)) {
            (LevelNode::Succ(x), LevelNode::Succ(y)) => self.level_unify(x, y),
            (LevelNode::Zero, LevelNode::Succ(_)) | (LevelNode::Succ(_), LevelNode::Zero) => {
                Some(false)
            }
            (LevelNode::Zero, LevelNode::Max(x, y)) | (LevelNode::Max(x, y), LevelNode::Zero) => {
                match self.level_unify(x, Level::ZERO)? {
                    true => self.level_unify(y, Level::ZERO),
                    false => Some(false),
                }
            }
            (LevelNode::Zero, LevelNode::IMax(_, y)) | (LevelNode::IMax(_, y), LevelNode::Zero) => {
                self.level_unify(y, Level::ZERO)
            }
            (LevelNode::Succ(x), _) | (_, LevelNode::Succ(x)) => {
                // `x + 1 = max (y + 1) (z + 1)`: take one off everywhere.
                let other = if matches!(st.level_node(a), LevelNode::Succ(_)) {
                    b
                } else {
                    a
                };
                let d = self.level_pred(other)?;
                self.level_unify(x, d)
            }
            (LevelNode::Max(..), LevelNode::Max(..)) => {
                let (x, y) = (self.level_pred(a)?, self.level_pred(b)?);
                self.level_unify(x, y)
            }
            _ => None,
        }
    }

    fn level_pred(&self, l: Level) -> Option<Level> {
        match self.st.level_node(l) {
            LevelNode::Succ(a) => Some(a),
            LevelNode::Max(a, b) => Some(self.level_max(self.level_pred(a)?, self.level_pred(b)?)),
            _ => None,
        }
    }

    /// Tries the kept constraints again. With `force`, decides them by approximation.
    pub(crate) fn solve_level_constraints(&mut self, force: bool) -> bool {
        loop {
            let todo = std::mem::take(&mut self.level_constraints);
            if todo.is_empty() {
                return true;
            }
            let before = todo.len();
            let mut progress = false;
            for (a, b) in todo {
                match self.level_unify(a, b) {
                    Some(true) => progress = true,
                    Some(false) => return false,
                    None => self.level_constraints.push((a, b)),
                }
            }
            if self.level_constraints.is_empty() {
                return true;
            }
            if !progress || self.level_constraints.len() == before {
                if !force {
                    return true;
                }
                let (a, b) = self.level_constraints.remove(0);
                if !self.level_force(a, b) {
                    return false;
                }
            }
        }
    }

    fn level_force(&mut self, a: Level, b: Level) -> bool {
        let a = self.level_simp(self.instantiate_level(a));
        let b = self.level_simp(self.instantiate_level(b));
        if a == b {
            return true;
        }
        for (x, y) in [(a, b), (b, a)] {
            // `max … ?u … = y`: give `?u` the whole of `y` if it does not occur there, else what else is there.
            let mut n = Normal::new();
            self.level_normal(x, 0, &mut n);
            for (atom, k) in &n {
                if let LevelNode::MVar(i) = self.st.level_node(*atom)
                    && i >= self.level_floor
                {
                    if !self.level_occurs(i, y) {
                        let mut v = Some(y);
                        for _ in 0..*k {
                            v = v.and_then(|l| self.level_pred(l));
                        }
                        if let Some(v) = v {
                            self.assign_level(i, v);
                            return self.level_unify(a, b) != Some(false);
                        }
                    } else {
                        let rest = n
                            .iter()
                            .filter(|(c, _)| *c != atom)
                            .fold(Level::ZERO, |acc, (c, j)| {
                                self.level_max(acc, self.level_add(*c, *j))
                            });
                        if !self.level_occurs(i, rest) {
                            self.assign_level(i, rest);
                            return self.level_unify(a, b) != Some(false);
                        }
                    }
                }
            }
        }
        true
    }
}
