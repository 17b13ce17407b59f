//! Evaluation: values of the atoms for which the hypotheses hold, and an equation that fails at one of them.
//!
//! A goal that fails is refused before anything is searched. A condition that fails somewhere is not worth a search either.
//! The values are corners (0, 1, bounds, powers of two, what the terms mention and its neighbours) and pseudo-random ones
//! from a fixed seed, so the answer depends on the goal alone.

use egg::Id;
use logic::{Expr, Node as Term};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

use super::engine::Engine;
use super::language::{Kind, compute};

/// How many points are looked for.
const POINTS: usize = 160;
/// How many are tried for each one that is found.
const TRIES: usize = 12;
/// How often a point is changed so that a hypothesis holds.
const REPAIRS: usize = 8;

/// A proposition that can be evaluated.
#[derive(Clone, Debug)]
pub(super) enum Claim {
    /// `a ≤ b`
    Le(Id, Id),
    /// `a < b`
    Lt(Id, Id),
    /// `a = b`
    Eq(Id, Id),
    /// `¬ p`
    Not(Box<Claim>),
    /// `p ∧ q`
    And(Box<Claim>, Box<Claim>),
    /// `p ∨ q`
    Or(Box<Claim>, Box<Claim>),
    /// `p → q`
    Imp(Box<Claim>, Box<Claim>),
    /// Nothing that is understood.
    Opaque,
}

/// Values of the atoms by the number of the operation.
pub(super) type Point = FxHashMap<u32, BigUint>;

/// The points that were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    pub points: Vec<Point>,
    /// The values of nodes at each of them.
    pub values: Vec<Vec<Option<BigUint>>>,
    /// The atoms, in the order in which they were met.
    pub atoms: Vec<(u32, Id)>,
    /// What each atom is below.
    pub limits: Vec<BigUint>,
    /// The literals of the goal and its hypotheses.
    pub literals: Vec<BigUint>,
    /// The hypotheses.
    pub claims: Vec<Claim>,
}

/// A pseudo-random sequence (xorshift).
pub(super) struct Random(u64);

impl Random {
    /// From a fixed seed.
    pub fn new() -> Self {
        Random(0x9e37_79b9_7f4a_7c15)
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `n`.
    pub fn below(&mut self, n: &BigUint) -> BigUint {
        if n.is_zero() {
            return BigUint::zero();
        }
        let words = n.bits() / 64 + 2;
        let mut all = BigUint::zero();
        for _ in 0..words {
            all = (all << 64u32) + self.next();
        }
        all % n
    }
}

impl Samples {
    /// Whether no point was found.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

impl Engine<'_, '_> {
    /// The values of a node at all points.
    pub fn values_of(&mut self, id: Id) -> Option<Vec<BigUint>> {
        let mut samples = std::mem::take(&mut self.samples);
        let points = samples.points.iter().zip(&mut samples.values);
        let all = points.map(|(p, memo)| self.at(id, p, memo)).collect();
        self.samples = samples;
        all
    }

    /// Reads a proposition for evaluation.
    pub fn claim(&mut self, p: Expr) -> Claim {
        let both = |e: &mut Self, a: Expr, b: Expr| (Box::new(e.claim(a)), Box::new(e.claim(b)));
        let nat = self.el.st.const0("Nat");
        if let Some((ty, a, b)) = self.el.match_eq(p) {
            if ty == nat {
                return Claim::Eq(self.reify(a), self.reify(b));
            }
            return Claim::Opaque;
        }
        if let Term::Pi(_, a, b, _) = self.el.st.node(p) {
            if self.el.st.has_loose_bvars(b) {
                return Claim::Opaque;
            }
            let (a, b) = both(self, a, b);
            return Claim::Imp(a, b);
        }
        let (f, args) = self.el.st.unfold_app(p);
        let name = match self.el.st.node(f) {
            Term::Const(n, _) => self.el.st.name_to_string(n),
            _ => String::new(),
        };
        match (&*name, &args[..]) {
            ("Nat.le", [a, b]) => Claim::Le(self.reify(*a), self.reify(*b)),
            ("Nat.lt", [a, b]) => Claim::Lt(self.reify(*a), self.reify(*b)),
            ("Not", [a]) => Claim::Not(Box::new(self.claim(*a))),
            ("Ne", [ty, a, b]) if *ty == nat => {
                Claim::Not(Box::new(Claim::Eq(self.reify(*a), self.reify(*b))))
            }
            ("And", [a, b]) => {
                let (a, b) = both(self, *a, *b);
                Claim::And(a, b)
            }
            ("Or", [a, b]) => {
                let (a, b) = both(self, *a, *b);
                Claim::Or(a, b)
            }
            ("True", []) => {
                let zero = self.literal(&BigUint::zero());
                Claim::Eq(zero, zero)
            }
            _ => {
                let w = self.el.whnf_reducible(p);
                let w = self.el.instantiate_mvars(w);
                if w == p { Claim::Opaque } else { self.claim(w) }
            }
        }
    }

    /// Looks for points at which the hypotheses hold.
    pub fn sample(&mut self, claims: Vec<Claim>) {
        let nodes = self.g.nodes().to_vec();
        let mut literals = vec![BigUint::zero(), BigUint::one()];
        let mut atoms: Vec<(u32, Id)> = Vec::new();
        for (i, n) in nodes.iter().enumerate() {
            let op = self.g.analysis.ops.get(n.op);
            match (&op.kind, &op.value) {
                (_, Some(v)) if v.bits() <= 256 => literals.push(v.clone()),
                (Kind::Atom, _) if !atoms.iter().any(|(o, _)| *o == n.op) => {
                    atoms.push((n.op, Id::from(i)));
                }
                _ => {}
            }
        }
        literals.sort();
        literals.dedup();
        let limits: Vec<BigUint> = atoms
            .iter()
            .map(|(_, id)| match &self.g[*id].data.max {
                Some((m, _)) => m + 1u32,
                None => BigUint::one() << 40u32,
            })
            .collect();
        let mut found = Samples {
            atoms,
            limits,
            literals,
            claims,
            ..Samples::default()
        };
        let mut random = Random::new();
        self.samples = Samples::default();
        for round in 0..POINTS * TRIES {
            if found.points.len() >= POINTS {
                break;
            }
            let mut point = Point::default();
            for (k, (op, _)) in found.atoms.iter().enumerate() {
                let v = corner(&mut random, round, &found.limits[k], &found.literals);
                point.insert(*op, v);
            }
            if self.repaired(&mut point, &found, &mut random) {
                found.points.push(point);
            }
        }
        found.values = vec![Vec::new(); found.points.len()];
        self.samples = found;
    }

    /// Changes a point until the hypotheses hold.
    pub fn repaired(&self, point: &mut Point, samples: &Samples, random: &mut Random) -> bool {
        let (claims, limits, atoms) = (&samples.claims, &samples.limits, &samples.atoms);
        for _ in 0..REPAIRS {
            let mut memo = Vec::new();
            let failing = claims
                .iter()
                .find(|c| self.holds(c, point, &mut memo) == Some(false));
            let mut beyond = (0..atoms.len()).filter(|k| point[&atoms[*k].0] >= limits[*k]);
            let Some(failing) = failing else {
                let Some(k) = beyond.next() else {
                    return true;
                };
                point.insert(atoms[k].0, random.below(&limits[k]));
                continue;
            };
            let place = |id: Id| {
                let op = self.g.id_to_node(id).op;
                atoms.iter().position(|(o, _)| *o == op)
            };
            let (a, b, kind) = match failing {
                Claim::Lt(a, b) => (*a, *b, 0),
                Claim::Le(a, b) => (*a, *b, 1),
                Claim::Eq(a, b) => (*a, *b, 2),
                _ => return false,
            };
            let value = |e: &Self, id: Id, memo: &mut Vec<Option<BigUint>>| e.at(id, point, memo);
            let (Some(x), Some(y)) = (value(self, a, &mut memo), value(self, b, &mut memo)) else {
                return false;
            };
            let turn = random.next() & 1 == 0;
            match (place(a), place(b), kind) {
                (Some(k), _, 2) => {
                    point.insert(atoms[k].0, y);
                }
                (_, Some(k), 2) => {
                    point.insert(atoms[k].0, x);
                }
                (Some(k), other, _) if other.is_none() || turn => {
                    let v = random.below(&(y + u32::from(kind == 1)));
                    point.insert(atoms[k].0, v);
                }
                (_, Some(k), _) => {
                    let low = x + u32::from(kind == 0);
                    let room = if limits[k] > low {
                        &limits[k] - &low
                    } else {
                        BigUint::one()
                    };
                    let v = low + random.below(&room);
                    point.insert(atoms[k].0, v);
                }
                // `x % m = r`, and sums that are too large: everything smaller, or a multiple
                _ => {
                    let node = self.g.id_to_node(a).clone();
                    match (self.kind(&node), node.kids.first().and_then(|x| place(*x))) {
                        (Kind::Mod, Some(k)) if kind == 2 && x >= y => {
                            let v = point[&atoms[k].0].clone();
                            if v < &x - &y {
                                return false;
                            }
                            point.insert(atoms[k].0, v + y - x);
                        }
                        _ => {
                            for (op, _) in atoms {
                                let v = point[op].clone();
                                let v = random.below(&((v >> 1u32) + 1u32));
                                point.insert(*op, v);
                            }
                        }
                    }
                }
            }
        }
        let mut memo = Vec::new();
        claims
            .iter()
            .all(|c| self.holds(c, point, &mut memo) != Some(false))
            && atoms.iter().zip(limits).all(|((op, _), l)| point[op] < *l)
    }

    /// The value of a node at a point.
    fn at(&self, id: Id, point: &Point, memo: &mut Vec<Option<BigUint>>) -> Option<BigUint> {
        let k = usize::from(id);
        if let Some(Some(v)) = memo.get(k) {
            return Some(v.clone());
        }
        let node = self.g.id_to_node(id);
        let op = self.g.analysis.ops.get(node.op);
        let v = match op.kind {
            Kind::Lit => op.value.clone()?,
            Kind::Atom => point.get(&node.op)?.clone(),
            Kind::Other => return None,
            Kind::Alias => {
                let meaning = self.aliases.get(*self.names.get(&node.op)?)?.meaning?;
                logic::subst::with_stack(|| self.at(meaning, point, memo))?
            }
            kind => {
                let mut args = Vec::new();
                for kid in &*node.kids {
                    args.push(logic::subst::with_stack(|| self.at(*kid, point, memo))?);
                }
                compute(kind, &args.iter().collect::<Vec<_>>())?
            }
        };
        if memo.len() <= k {
            memo.resize(k + 1, None);
        }
        memo[k] = Some(v.clone());
        Some(v)
    }

    /// Whether a proposition holds at a point, if that can be evaluated.
    pub fn holds(&self, c: &Claim, point: &Point, memo: &mut Vec<Option<BigUint>>) -> Option<bool> {
        Some(match c {
            Claim::Le(a, b) => self.at(*a, point, memo)? <= self.at(*b, point, memo)?,
            Claim::Lt(a, b) => self.at(*a, point, memo)? < self.at(*b, point, memo)?,
            Claim::Eq(a, b) => self.at(*a, point, memo)? == self.at(*b, point, memo)?,
            Claim::Not(p) => !self.holds(p, point, memo)?,
            Claim::And(p, q) => match (self.holds(p, point, memo), self.holds(q, point, memo)) {
                (Some(false), _) | (_, Some(false)) => false,
                (Some(true), Some(true)) => true,
                _ => return None,
            },
            Claim::Or(p, q) => match (self.holds(p, point, memo), self.holds(q, point, memo)) {
                (Some(true), _) | (_, Some(true)) => true,
                (Some(false), Some(false)) => false,
                _ => return None,
            },
            Claim::Imp(p, q) => match (self.holds(p, point, memo), self.holds(q, point, memo)) {
                (Some(false), _) | (_, Some(true)) => true,
                (Some(true), Some(false)) => false,
                _ => return None,
            },
            Claim::Opaque => return None,
        })
    }

    /// The number of a point at which a proposition fails.
    pub fn fails_at(&mut self, c: &Claim) -> Option<usize> {
        let mut samples = std::mem::take(&mut self.samples);
        let mut found = None;
        for k in 0..samples.points.len() {
            if self.holds(c, &samples.points[k], &mut samples.values[k]) == Some(false) {
                found = Some(k);
                break;
            }
        }
        self.samples = samples;
        found
    }

    /// Whether a point is one where all that is known of the atoms was evaluated.
    pub fn certain(&mut self, point: usize) -> bool {
        let samples = std::mem::take(&mut self.samples);
        let mut memo = Vec::new();
        let all = samples
            .claims
            .iter()
            .all(|c| self.holds(c, &samples.points[point], &mut memo) == Some(true));
        let variables = samples.atoms.iter().all(|(op, _)| {
            let e = self.g.analysis.ops.get(*op).head;
            let (f, args) = self.el.st.unfold_app(e);
            match (self.el.st.node(f), args.last()) {
                (Term::FVar(_), None) => true,
                (Term::Const(n, _), Some(x)) => {
                    let n = self.el.st.name_to_string(n);
                    matches!(&*n, "Word.val" | "Fin.val")
                        && matches!(self.el.st.node(*x), Term::FVar(_))
                }
                _ => false,
            }
        });
        self.samples = samples;
        all && variables
    }

    /// Whether nothing that was evaluated speaks against a condition.
    pub fn plausible(&mut self, p: Expr) -> bool {
        let c = self.claim(p);
        self.fails_at(&c).is_none()
    }

    /// The atoms with their values at a point, and both values there.
    pub fn shown(
        &mut self,
        point: usize,
        left: Id,
        right: Id,
    ) -> (String, Option<(BigUint, BigUint)>) {
        let samples = self.samples.clone();
        let mut parts = Vec::new();
        for (op, id) in &samples.atoms {
            let e = self.term(*id);
            if let Some(v) = samples.points[point].get(op) {
                parts.push(format!("{} = {v}", self.el.pp(e)));
            }
        }
        let mut memo = Vec::new();
        let p = &samples.points[point];
        let both = match (self.at(left, p, &mut memo), self.at(right, p, &mut memo)) {
            (Some(a), Some(b)) => Some((a, b)),
            _ => None,
        };
        (parts.join(", "), both)
    }
}

/// A value below `limit`.
fn corner(random: &mut Random, round: usize, limit: &BigUint, literals: &[BigUint]) -> BigUint {
    let v = match (round, random.next() % 10) {
        (0, _) => BigUint::zero(),
        (1, _) => BigUint::one(),
        (2, _) => limit - BigUint::one().min(limit.clone()),
        (_, 0) => BigUint::from(random.next() % 4),
        (_, 1) => limit - BigUint::from(1 + random.next() % 3).min(limit.clone()),
        (_, 2) => {
            let bits = limit.bits().to_u64().unwrap_or(1).max(1);
            let p = BigUint::one() << (random.next() % bits);
            match random.next() % 3 {
                0 => p,
                1 => p - 1u32,
                _ => p + 1u32,
            }
        }
        (_, 3) => {
            let n = literals[random.next() as usize % literals.len()].clone();
            match random.next() % 3 {
                0 => n,
                1 => n + 1u32,
                _ if n.is_zero() => n,
                _ => n - 1u32,
            }
        }
        (_, 4) => {
            let n = literals[random.next() as usize % literals.len()].clone();
            let v = random.below(limit);
            if n.is_zero() { v } else { &v - &v % n }
        }
        (_, 5) => BigUint::from(random.next() % 40),
        (_, 6) => limit - BigUint::from(1 + random.next() % 64).min(limit.clone()),
        _ => random.below(limit),
    };
    if limit.is_zero() { v } else { v % limit }
}
