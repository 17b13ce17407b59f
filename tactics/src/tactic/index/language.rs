//! The terms of the e-graph: operations on natural numbers, literals, and everything else as an atom.

use egg::{Id, Language};
use logic::{Expr, Node as Term, Store};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

/// What an operation computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub(super) enum Kind {
    Lit,
    Atom,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Land,
    Lor,
    Xor,
    Shl,
    Shr,
    Min,
    Max,
    Log2,
    Gcd,
    /// A function of natural numbers of which nothing is known.
    Other,
    /// The value of a word that an operation makes; what it is follows from a rule.
    Alias,
}

/// The operations with a meaning, by the constant.
const KNOWN: &[(&str, usize, Kind)] = &[
    ("Nat.add", 2, Kind::Add),
    ("Nat.sub", 2, Kind::Sub),
    ("Nat.mul", 2, Kind::Mul),
    ("Nat.div", 2, Kind::Div),
    ("Nat.mod", 2, Kind::Mod),
    ("Nat.pow", 2, Kind::Pow),
    ("Nat.land", 2, Kind::Land),
    ("Nat.lor", 2, Kind::Lor),
    ("Nat.xor", 2, Kind::Xor),
    ("Nat.shiftLeft", 2, Kind::Shl),
    ("Nat.shiftRight", 2, Kind::Shr),
    ("Nat.min", 2, Kind::Min),
    ("Nat.max", 2, Kind::Max),
    ("Nat.log2", 1, Kind::Log2),
    ("Nat.gcd", 2, Kind::Gcd),
];

/// No power or shift with more bits than this is computed.
const MAX_BITS: u64 = 4096;

/// An operation, literal or atom.
#[derive(Clone, Debug)]
pub(super) struct Op {
    /// What it computes.
    pub kind: Kind,
    /// The function, or the literal or atom itself.
    pub head: Expr,
    /// The value of a literal.
    pub value: Option<BigUint>,
}

/// The operations of one e-graph, numbered in the order in which they are met.
#[derive(Clone, Default, Debug)]
pub(super) struct Ops {
    ops: Vec<Op>,
    by_head: FxHashMap<Expr, u32>,
}

impl Ops {
    /// The operation with a number.
    pub fn get(&self, op: u32) -> &Op {
        &self.ops[op as usize]
    }

    fn intern(&mut self, op: Op) -> u32 {
        if let Some(k) = self.by_head.get(&op.head) {
            return *k;
        }
        let k = self.ops.len() as u32;
        self.by_head.insert(op.head, k);
        self.ops.push(op);
        k
    }

    /// A literal.
    pub fn literal(&mut self, st: &Store<'_>, n: &BigUint) -> u32 {
        self.intern(Op {
            kind: Kind::Lit,
            head: st.nat(n),
            value: Some(n.clone()),
        })
    }

    /// A term of which only the name counts.
    pub fn atom(&mut self, e: Expr) -> u32 {
        self.intern(Op {
            kind: Kind::Atom,
            head: e,
            value: None,
        })
    }

    /// The value of a word that an operation makes.
    pub fn alias(&mut self, e: Expr) -> u32 {
        self.intern(Op {
            kind: Kind::Alias,
            head: e,
            value: None,
        })
    }

    /// A known operation.
    pub fn known(&mut self, st: &Store<'_>, kind: Kind) -> u32 {
        let (name, ..) = KNOWN
            .iter()
            .find(|(_, _, k)| *k == kind)
            .unwrap_or(&KNOWN[0]);
        self.intern(Op {
            kind,
            head: st.const0(name),
            value: None,
        })
    }

    /// The operation of a function that is applied to so many natural numbers.
    pub fn function(&mut self, st: &Store<'_>, head: Expr, arity: usize) -> u32 {
        let kind = match st.node(head) {
            Term::Const(n, _) => {
                let n = st.name_to_string(n);
                KNOWN
                    .iter()
                    .find(|(name, k, _)| *name == n && *k == arity)
                    .map_or(Kind::Other, |(_, _, kind)| *kind)
            }
            _ => Kind::Other,
        };
        self.intern(Op {
            kind,
            head,
            value: None,
        })
    }
}

/// Whether a constant is one of the known operations with so many arguments.
pub(super) fn is_known(name: &str, arity: usize) -> bool {
    KNOWN.iter().any(|(n, k, _)| *n == name && *k == arity)
}

/// A node of the e-graph.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Node {
    /// The operation by number.
    pub op: u32,
    /// Its arguments.
    pub kids: Box<[Id]>,
}

impl Language for Node {
    type Discriminant = u32;

    fn discriminant(&self) -> u32 {
        self.op
    }

    fn matches(&self, other: &Self) -> bool {
        self.op == other.op && self.kids.len() == other.kids.len()
    }

    fn children(&self) -> &[Id] {
        &self.kids
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.kids
    }
}

/// The value of an operation on literals; `None` for what has none, or too large a one.
pub(super) fn compute(kind: Kind, args: &[&BigUint]) -> Option<BigUint> {
    Some(match (kind, args) {
        (Kind::Add, [x, y]) => *x + *y,
        (Kind::Sub, [x, y]) if x > y => *x - *y,
        (Kind::Sub, [_, _]) => BigUint::zero(),
        (Kind::Mul, [x, y]) if x.bits() + y.bits() <= MAX_BITS => *x * *y,
        (Kind::Div, [x, y]) if y.is_zero() => &BigUint::zero() * *x,
        (Kind::Div, [x, y]) => *x / *y,
        (Kind::Mod, [x, y]) if y.is_zero() => (*x).clone(),
        (Kind::Mod, [x, y]) => *x % *y,
        (Kind::Pow, [x, y]) => {
            let k = y.to_u32()?;
            if x.is_zero() || x.is_one() || x.bits().saturating_mul(k.into()) <= MAX_BITS {
                x.pow(k)
            } else {
                return None;
            }
        }
        (Kind::Land, [x, y]) => *x & *y,
        (Kind::Lor, [x, y]) => *x | *y,
        (Kind::Xor, [x, y]) => *x ^ *y,
        (Kind::Shl, [x, y]) => {
            let k = y.to_u64()?;
            if x.bits().saturating_add(k) > MAX_BITS {
                return None;
            }
            *x << k
        }
        (Kind::Shr, [x, y]) => match y.to_u64() {
            Some(k) => *x >> k,
            None => BigUint::zero(),
        },
        (Kind::Min, [x, y]) => (*x).min(*y).clone(),
        (Kind::Max, [x, y]) => (*x).max(*y).clone(),
        (Kind::Log2, [x]) => BigUint::from(x.bits().saturating_sub(1)),
        (Kind::Gcd, [x, y]) => num_integer::Integer::gcd(*x, *y),
        _ => return None,
    })
}
