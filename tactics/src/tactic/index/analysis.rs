//! What is known of each class: its value if it is a literal, an upper bound, and a power of two that divides it.
//!
//! Every fact is recorded with what it was derived from, so that it can be proved where it is used (see [`super::bounds`]).
//! The facts that one rests on were known before it, so proofs of them come to an end.

use std::cmp::Reverse;

use egg::{Analysis, DidMerge, EGraph, Id};
use logic::Expr;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

use super::language::{Kind, Node, Ops};

/// The number of a fact.
pub(super) type FactId = usize;

/// Where a fact comes from.
#[derive(Clone, Debug)]
pub(super) enum Why {
    /// A proof is given.
    Given(Expr),
    /// It is a literal.
    Literal,
    /// From facts about the arguments; where there is none, the argument does not matter or is a literal.
    Args(Vec<Option<FactId>>),
}

/// What a fact says of a term.
#[derive(Clone, Debug)]
pub(super) enum Says {
    /// It is at most this.
    Max(BigUint),
    /// This power of two divides it.
    Aligned(u32),
}

/// A fact about the term of a node.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// The node.
    pub id: Id,
    /// What is said of it.
    pub says: Says,
    /// Where it comes from.
    pub why: Why,
}

/// What is known of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Data {
    /// Its value.
    pub value: Option<BigUint>,
    /// The least upper bound that is known.
    pub max: Option<(BigUint, FactId)>,
    /// The highest power of two that is known to divide it.
    pub aligned: Option<(u32, FactId)>,
}

/// The largest exponent of a power of two that is looked at.
const MAX_ALIGNED: u32 = 1024;

/// The analysis of one e-graph: its operations, and the facts so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The operations.
    pub ops: Ops,
    /// The facts in the order in which they were found.
    pub facts: Vec<Fact>,
    /// Two literals that were found equal: the hypotheses contradict each other.
    pub conflict: Option<(BigUint, BigUint)>,
    ids: FxHashMap<Node, Id>,
}

impl Known {
    /// Records a fact.
    pub fn record(&mut self, id: Id, says: Says, why: Why) -> FactId {
        self.facts.push(Fact { id, says, why });
        self.facts.len() - 1
    }
}

type Graph = EGraph<Node, Known>;

fn literal(g: &Graph, id: Id) -> Option<&BigUint> {
    g[id].data.value.as_ref()
}

fn max(g: &Graph, id: Id) -> Option<&(BigUint, FactId)> {
    g[id].data.max.as_ref()
}

/// The largest number with as many bits.
fn ones(n: &BigUint) -> BigUint {
    (BigUint::one() << n.bits()) - 1u32
}

/// An upper bound of an operation, with the facts that it rests on.
fn upper(g: &Graph, kind: Kind, kids: &[Id]) -> Option<(BigUint, Vec<Option<FactId>>)> {
    let max = |i: usize| kids.get(i).and_then(|k| max(g, *k));
    let value = |i: usize| kids.get(i).and_then(|k| literal(g, *k));
    let first = |n: BigUint| Some((n, vec![Some(max(0)?.1), None]));
    let both = |n: BigUint| Some((n, vec![Some(max(0)?.1), Some(max(1)?.1)]));
    match kind {
        Kind::Add => both(&max(0)?.0 + &max(1)?.0),
        Kind::Mul => both(&max(0)?.0 * &max(1)?.0),
        Kind::Sub => first(max(0)?.0.clone()),
        Kind::Div => match value(1) {
            Some(k) if !k.is_zero() => first(&max(0)?.0 / k),
            _ => first(max(0)?.0.clone()),
        },
        Kind::Mod => match (value(1), max(0)) {
            (Some(k), Some((m, _))) if !k.is_zero() && m < k => first(m.clone()),
            (Some(k), _) if !k.is_zero() => Some((k - 1u32, vec![None, None])),
            _ => first(max(0)?.0.clone()),
        },
        Kind::Land => match (max(0), max(1)) {
            (Some((a, f)), Some((b, _))) if a <= b => Some((a.clone(), vec![Some(*f), None])),
            (Some((a, f)), None) => Some((a.clone(), vec![Some(*f), None])),
            (_, Some((b, f))) => Some((b.clone(), vec![None, Some(*f)])),
            _ => None,
        },
        Kind::Lor | Kind::Xor => {
            let n = ones((&max(0)?.0).max(&max(1)?.0));
            both(n)
        }
        Kind::Max => {
            let n = (&max(0)?.0).max(&max(1)?.0).clone();
            both(n)
        }
        Kind::Min => match (max(0), max(1)) {
            (Some((a, f)), Some((b, _))) if a <= b => Some((a.clone(), vec![Some(*f), None])),
            (Some((a, f)), None) => Some((a.clone(), vec![Some(*f), None])),
            (_, Some((b, f))) => Some((b.clone(), vec![None, Some(*f)])),
            _ => None,
        },
        Kind::Pow => {
            let base = value(0).filter(|n| !n.is_zero())?;
            let top = max(1)?.0.to_u32().filter(|k| *k <= MAX_ALIGNED)?;
            let small = base.bits() * u64::from(top) < 1 << 12;
            small.then_some((base.pow(top), vec![None, Some(max(1)?.1)]))
        }
        Kind::Shl => first(&max(0)?.0 << value(1)?.to_u64().filter(|k| *k < 1 << 12)?),
        Kind::Shr => first(&max(0)?.0 >> value(1)?.to_u64().filter(|k| *k < 1 << 12)?),
        _ => None,
    }
}

/// A power of two that divides an operation, with the facts that it rests on.
fn aligned(g: &Graph, kind: Kind, kids: &[Id]) -> Option<(u32, Vec<Option<FactId>>)> {
    let get = |i: usize| {
        kids.get(i)
            .and_then(|k| g[*k].data.aligned)
            .filter(|(k, _)| *k > 0)
    };
    let both = |a: (u32, FactId), b: (u32, FactId), n: u32| Some((n, vec![Some(a.1), Some(b.1)]));
    match kind {
        Kind::Add | Kind::Lor | Kind::Xor => {
            let (a, b) = (get(0)?, get(1)?);
            both(a, b, a.0.min(b.0))
        }
        Kind::Mul => match (get(0), get(1)) {
            (Some(a), Some(b)) => both(a, b, (a.0 + b.0).min(MAX_ALIGNED)),
            (Some(a), None) => Some((a.0, vec![Some(a.1), None])),
            (None, Some(b)) => Some((b.0, vec![None, Some(b.1)])),
            (None, None) => None,
        },
        Kind::Land => match (get(0), get(1)) {
            (Some(a), Some(b)) if a.0 < b.0 => Some((b.0, vec![None, Some(b.1)])),
            (Some(a), _) => Some((a.0, vec![Some(a.1), None])),
            (None, Some(b)) => Some((b.0, vec![None, Some(b.1)])),
            (None, None) => None,
        },
        Kind::Shl => {
            let k = literal(g, *kids.get(1)?)?
                .to_u32()
                .filter(|k| *k < MAX_ALIGNED)?;
            let a = get(0);
            Some((
                a.map_or(k, |a| (a.0 + k).min(MAX_ALIGNED)),
                vec![a.map(|a| a.1), None],
            ))
        }
        _ => None,
    }
}

impl Analysis<Node> for Known {
    type Data = Data;

    fn make(g: &mut Graph, node: &Node, id: Id) -> Data {
        // `remake` is given the class, `make` the node itself
        let id = *g.analysis.ids.entry(node.clone()).or_insert(id);
        let op = g.analysis.ops.get(node.op).clone();
        let mut data = Data::default();
        if let Some(n) = op.value {
            let fact = g.analysis.record(id, Says::Max(n.clone()), Why::Literal);
            data.max = Some((n.clone(), fact));
            let zeros = n.trailing_zeros().map(|k| k as u32);
            if let Some(k) = zeros.filter(|k| *k > 0 && *k <= MAX_ALIGNED) {
                let fact = g.analysis.record(id, Says::Aligned(k), Why::Literal);
                data.aligned = Some((k, fact));
            }
            data.value = Some(n);
            return data;
        }
        if let Some((n, args)) = upper(g, op.kind, &node.kids) {
            let fact = g.analysis.record(id, Says::Max(n.clone()), Why::Args(args));
            data.max = Some((n, fact));
        }
        if let Some((k, args)) = aligned(g, op.kind, &node.kids) {
            let fact = g.analysis.record(id, Says::Aligned(k), Why::Args(args));
            data.aligned = Some((k, fact));
        }
        data
    }

    fn merge(&mut self, a: &mut Data, b: Data) -> DidMerge {
        let old = a.clone();
        if let (Some(x), Some(y)) = (&a.value, &b.value)
            && x != y
        {
            self.conflict.get_or_insert((x.clone(), y.clone()));
        }
        if a.value.is_none() {
            a.value = b.value.clone();
        }
        // the earlier fact of equally strong ones
        let key = |m: &Option<(BigUint, FactId)>| m.as_ref().map(|(n, f)| (n.clone(), *f));
        a.max = match (key(&a.max), key(&b.max)) {
            (Some(x), Some(y)) => Some(x.min(y)),
            (x, y) => x.or(y),
        };
        a.aligned = match (a.aligned, b.aligned) {
            (Some(x), Some(y)) => Some(if (Reverse(x.0), x.1) <= (Reverse(y.0), y.1) {
                x
            } else {
                y
            }),
            (x, y) => x.or(y),
        };
        DidMerge(*a != old, *a != b)
    }
}
