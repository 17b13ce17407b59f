//! Universe levels: the order `≤` and equality, decided completely.
//!
//! A level is a function of its parameters, and `≤` holds iff it does for all their values (Carneiro 2019, §2.1). `imax a b` is
//! `0` where `b = 0` and `max a b` elsewhere. So a level is a maximum of parts, each of which is `k`, or `p + k`, where certain
//! parameters (`p` among them) are positive, and `0` elsewhere. One such maximum is at most another iff each part of it is
//! at most one part of the other.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::{Checker, Res};
use crate::env::KernelError;
use crate::expr::{Expr, Node};
use crate::level::{Level, LevelNode};
use crate::name::Name;
use crate::store::Store;
use crate::subst::with_stack;

/// Where all of `positive` are: `number`, or `param + number`. Elsewhere `0`.
#[derive(Clone)]
pub(super) struct Part {
    /// Sorted, `param` among them.
    positive: Vec<Name>,
    param: Option<Name>,
    number: u64,
}

impl Part {
    /// Whether this is at most `o` for all values of the parameters: also where no others than `positive` are, each of
    /// them is `1`, and `param` is large.
    fn covered_by(&self, o: &Part) -> bool {
        let bound = match (self.param, o.param) {
            (Some(p), Some(q)) if p == q => o.number,
            (None, None) => o.number,
            (None, Some(_)) => o.number.saturating_add(1),
            _ => return false,
        };
        let holds = |p| self.positive.binary_search(p).is_ok();
        self.number <= bound && o.positive.iter().all(holds)
    }

    /// This, where `o` is positive: that is where all of its parameters are.
    fn where_positive(&self, o: &Part) -> Part {
        let mut positive = [&self.positive[..], &o.positive].concat();
        positive.sort_unstable();
        positive.dedup();
        Part {
            positive,
            ..self.clone()
        }
    }
}

impl Checker<'_, '_> {
    /// `a ≤ b` for all values of the parameters.
    pub(crate) fn level_leq(&mut self, a: Level, b: Level) -> Res<bool> {
        if a == b {
            return Ok(true);
        }
        let (a, b) = (self.parts(a)?, self.parts(b)?);
        self.tick((a.len() * b.len()) as u64)?;
        Ok(a.iter().all(|x| b.iter().any(|y| x.covered_by(y))))
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

    /// The parts of a level, none of them at most another.
    fn parts(&mut self, l: Level) -> Res<Rc<Vec<Part>>> {
        if let Some(parts) = self.level_parts.get(&l) {
            return Ok(parts.clone());
        }
        self.tick(1)?;
        let (base, by) = offset(self.st, l);
        let mut out = Vec::new();
        with_stack(|| match self.st.level_node(base) {
            LevelNode::Zero | LevelNode::Succ(_) => Ok(()),
            LevelNode::MVar(_) => Err(KernelError::LevelMetaVariable(self.st.sort(l))),
            LevelNode::Param(p) => {
                let positive = vec![p];
                out.push(Part {
                    positive,
                    param: Some(p),
                    number: 0,
                });
                Ok(())
            }
            // All of a tree of maxima at once: its inner ones are not looked at, nor remembered, for themselves.
            LevelNode::Max(a, b) => {
                let (mut todo, mut seen) = (vec![a, b], FxHashSet::default());
                while let Some(l) = todo.pop() {
                    match self.st.level_node(l) {
                        _ if !seen.insert(l) => {}
                        LevelNode::Max(a, b) => {
                            self.tick(1)?;
                            todo.extend([a, b]);
                        }
                        _ => {
                            for x in self.parts(l)?.iter() {
                                self.add_part(&mut out, x.clone())?;
                            }
                        }
                    }
                }
                Ok(())
            }
            LevelNode::IMax(a, b) => {
                let (a, b) = (self.parts(a)?, self.parts(b)?);
                for y in b.iter() {
                    self.add_part(&mut out, y.clone())?;
                    for x in a.iter() {
                        self.add_part(&mut out, x.where_positive(y))?;
                    }
                }
                Ok(())
            }
        })?;
        for x in &mut out {
            x.number += by;
        }
        if by > 0 {
            self.add_part(
                &mut out,
                Part {
                    positive: vec![],
                    param: None,
                    number: by,
                },
            )?;
        }
        let words: usize = out.iter().map(|x| 9 + x.positive.len() / 2).sum();
        self.st.count_words(words);
        let out = Rc::new(out);
        self.level_parts.insert(l, out.clone());
        Ok(out)
    }

    fn add_part(&mut self, parts: &mut Vec<Part>, x: Part) -> Res<()> {
        self.tick(((1 + parts.len()) * (1 + x.positive.len() / 4)) as u64)?;
        if !parts.iter().any(|y| x.covered_by(y)) {
            parts.retain(|y| !y.covered_by(&x));
            parts.push(x);
        }
        Ok(())
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
