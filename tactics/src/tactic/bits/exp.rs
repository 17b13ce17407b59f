//! Terms over numbered unknowns, as `Bits.Exp` of `proofs/lib/bits_check.ptxp` has them.
//!
//! Terms live in a table in which equal terms are one, so a term that occurs often is worked on once.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

/// A term of the table.
pub type Id = u32;

/// The head of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// An unknown.
    Atom(usize),
    /// A literal.
    Lit(BigUint),
    /// `e + f`
    Add(Id, Id),
    /// `k * e`
    Scale(BigUint, Id),
    /// `e * k`
    Scaled(Id, BigUint),
    /// `d - e`
    Sub(BigUint, Id),
    /// `e ^^^ f`
    Xor(Id, Id),
    /// `e &&& f`
    And(Id, Id),
    /// `e ||| f`
    Or(Id, Id),
    /// `e <<< k`
    Shl(Id, u32),
    /// `e >>> k`
    Shr(Id, u32),
    /// `e / d`
    Div(Id, BigUint),
    /// `e % d`
    Mod(Id, BigUint),
    /// `e * f`
    Mul(Id, Id),
    /// `e - f`
    Minus(Id, Id),
}

impl Node {
    /// The terms below the head.
    pub fn children(&self) -> impl Iterator<Item = Id> {
        use Node::*;
        let (a, b) = match self {
            Atom(_) | Lit(_) => (None, None),
            Scale(_, e)
            | Scaled(e, _)
            | Sub(_, e)
            | Shl(e, _)
            | Shr(e, _)
            | Div(e, _)
            | Mod(e, _) => (Some(*e), None),
            Add(e, f) | Xor(e, f) | And(e, f) | Or(e, f) | Mul(e, f) | Minus(e, f) => {
                (Some(*e), Some(*f))
            }
        };
        a.into_iter().chain(b)
    }

    /// The same head over other terms.
    pub fn map(&self, mut f: impl FnMut(Id) -> Id) -> Node {
        use Node::*;
        match self {
            Atom(a) => Atom(*a),
            Lit(n) => Lit(n.clone()),
            Add(a, b) => Add(f(*a), f(*b)),
            Scale(k, e) => Scale(k.clone(), f(*e)),
            Scaled(e, k) => Scaled(f(*e), k.clone()),
            Sub(d, e) => Sub(d.clone(), f(*e)),
            Xor(a, b) => Xor(f(*a), f(*b)),
            And(a, b) => And(f(*a), f(*b)),
            Or(a, b) => Or(f(*a), f(*b)),
            Shl(e, k) => Shl(f(*e), *k),
            Shr(e, k) => Shr(f(*e), *k),
            Div(e, d) => Div(f(*e), d.clone()),
            Mod(e, d) => Mod(f(*e), d.clone()),
            Mul(a, b) => Mul(f(*a), f(*b)),
            Minus(a, b) => Minus(f(*a), f(*b)),
        }
    }

    /// What it computes from the values of the terms below, of which the first is `a` and the second `b`.
    pub fn compute(&self, x: &[BigUint], a: &BigUint, b: &BigUint) -> BigUint {
        use Node::*;
        let minus = |a: &BigUint, b: &BigUint| if a > b { a - b } else { BigUint::zero() };
        match self {
            Atom(i) => x.get(*i).cloned().unwrap_or_default(),
            Lit(n) => n.clone(),
            Add(..) => a + b,
            Scale(k, _) | Scaled(_, k) => a * k,
            Sub(d, _) => minus(d, a),
            Xor(..) => a ^ b,
            And(..) => a & b,
            Or(..) => a | b,
            Shl(_, k) => a << *k,
            Shr(_, k) => a >> *k,
            Div(_, d) if d.is_zero() => BigUint::zero(),
            Div(_, d) => a / d,
            Mod(_, d) if d.is_zero() => a.clone(),
            Mod(_, d) => a % d,
            Mul(..) => a * b,
            Minus(..) => minus(a, b),
        }
    }
}

/// The exponent, if it is a power of two.
pub fn log2(d: &BigUint) -> Option<u32> {
    let k = d.trailing_zeros()?;
    (d.bits() == k + 1).then(|| u32::try_from(k).ok()).flatten()
}

/// `2 ^ k`.
pub fn two(k: u32) -> BigUint {
    BigUint::one() << k
}

/// As many ones as the number has bits, at least one.
pub fn top(n: &BigUint) -> BigUint {
    two(n.bits().max(1).to_u32().unwrap_or(u32::MAX)) - 1u32
}

/// A table of terms, with the bounds of the unknowns.
#[derive(Default)]
pub struct Terms {
    nodes: Vec<Node>,
    index: FxHashMap<Node, Id>,
    /// What each unknown is below.
    pub bounds: Vec<BigUint>,
    max: Vec<BigUint>,
}

impl Terms {
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A new unknown below a bound.
    pub fn atom(&mut self, bound: BigUint) -> usize {
        self.bounds.push(bound);
        self.bounds.len() - 1
    }

    /// The term with this head.
    pub fn add(&mut self, n: Node) -> Id {
        if let Some(i) = self.index.get(&n) {
            return *i;
        }
        let max = self.max_of(&n);
        let id = self.nodes.len() as Id;
        self.nodes.push(n.clone());
        self.max.push(max);
        self.index.insert(n, id);
        id
    }

    /// A literal.
    pub fn lit(&mut self, n: BigUint) -> Id {
        self.add(Node::Lit(n))
    }

    /// The head of a term.
    pub fn node(&self, e: Id) -> &Node {
        &self.nodes[e as usize]
    }

    /// A number that the term does not exceed (`Bits.Exp.max`).
    pub fn max(&self, e: Id) -> &BigUint {
        &self.max[e as usize]
    }

    fn max_of(&self, n: &Node) -> BigUint {
        use Node::*;
        match n {
            Atom(a) => &self.bounds[*a] - self.bounds[*a].clone().min(BigUint::one()),
            Sub(d, _) => d.clone(),
            Xor(a, b) | Or(a, b) => top(self.max(*a)) | top(self.max(*b)),
            And(a, b) => self.max(*a).min(self.max(*b)).clone(),
            Mod(e, d) if !d.is_zero() => self.max(*e).clone().min(d - 1u32),
            Minus(a, _) => self.max(*a).clone(),
            _ => {
                let mut c = n.children();
                let zero = BigUint::zero();
                let (a, b) = (c.next(), c.next());
                let value = |e: Option<Id>| e.map_or(&zero, |e| self.max(e));
                n.compute(&[], value(a), value(b))
            }
        }
    }

    /// The terms below `roots` and themselves, each after those that it is made of.
    pub fn below(&self, roots: &[Id]) -> Vec<Id> {
        let mut seen = vec![false; self.nodes.len()];
        for r in roots {
            seen[*r as usize] = true;
        }
        // A term is made of older ones.
        for i in (0..self.nodes.len()).rev() {
            if seen[i] {
                for c in self.nodes[i].children() {
                    seen[c as usize] = true;
                }
            }
        }
        (0..self.nodes.len() as Id)
            .filter(|i| seen[*i as usize])
            .collect()
    }

    /// The values of terms, each after those that it is made of, when the unknowns have these.
    pub fn eval(&self, order: &[Id], x: &[BigUint]) -> FxHashMap<Id, BigUint> {
        let mut values: FxHashMap<Id, BigUint> = FxHashMap::default();
        let zero = BigUint::zero();
        for i in order {
            let n = self.node(*i);
            let mut c = n.children();
            let (a, b) = (c.next(), c.next());
            let value = |e: Option<Id>| e.and_then(|e| values.get(&e)).unwrap_or(&zero);
            let v = n.compute(x, value(a), value(b));
            values.insert(*i, v);
        }
        values
    }

    /// The unknowns of some terms, in order.
    pub fn atoms(&self, roots: &[Id]) -> Vec<usize> {
        let mut atoms: Vec<usize> = self
            .below(roots)
            .into_iter()
            .filter_map(|i| match self.node(i) {
                Node::Atom(a) => Some(*a),
                _ => None,
            })
            .collect();
        atoms.sort_unstable();
        atoms
    }

    /// The least and greatest shift to the right of any unknown inside of the terms.
    pub fn rows(&self, roots: &[Id]) -> (i64, i64) {
        use Node::*;
        let mut range: FxHashMap<Id, (i64, i64)> = FxHashMap::default();
        let (mut low, mut high) = (0, 0);
        for i in self.below(roots) {
            let n = self.node(i);
            let below = n.children().filter_map(|c| range.get(&c)).copied();
            let (a, b) = below.fold((0, 0), |(a, b), (c, d)| (a.min(c), b.max(d)));
            let by = match n {
                Scale(k, _) | Scaled(_, k) => -(k.bits().saturating_sub(1) as i64),
                Shl(_, k) => -i64::from(*k),
                Shr(_, k) => i64::from(*k),
                Div(_, d) => i64::from(log2(d).unwrap_or(0)),
                _ => 0,
            };
            let r = ((a + by).min(a), (b + by).max(b));
            low = low.min(r.0);
            high = high.max(r.1);
            range.insert(i, r);
        }
        (low, high)
    }

    /// Does `d` divide `c * d'` for the modulus `2 ^ w`? Then a remainder by `d` makes no difference to `c` times a term.
    pub fn vanishes(c: &BigUint, d: &BigUint, w: u32) -> bool {
        (c * d).is_multiple_of(&two(w))
    }
}
