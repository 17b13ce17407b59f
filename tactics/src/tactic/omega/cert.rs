//! Certificates: a refutation as the checker of `proofs/lib/omega.ptxp` reads it.
//!
//! A fact is `low ≤ high` between two forms whose coefficients and variables are natural numbers, so no integers are
//! needed: where the oracle has an integer variable `x`, the certificate has a natural variable of the same number from
//! which a *shift* is subtracted (see [`Differences`]). The
//! checker keeps a list of facts, newest first, and follows a [`Cert`]. [`check`] is that checker again in Rust; it
//! guards against handing the kernel a certificate that cannot work.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::form::{Form, Var};
use super::solve::{NodeId, Origin, Proof, Tree, reach};

/// `Σ mᵢ·factᵢ`: multipliers with positions in the list of facts (0 is the newest).
pub type Combo = Vec<(BigUint, usize)>;

/// A refutation of a list of facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cert {
    /// In the sum no coefficient on the right exceeds the one on the left, and the left constant is larger.
    Done(Combo),
    /// The sum, plus `extra` on its right side, with common terms cancelled and both sides divided by `by` (which
    /// divides all coefficients; the constants round to the stronger side), becomes the newest fact.
    Cut {
        /// The sum.
        sum: Combo,
        /// Natural multiples of variables that are added to the right side.
        extra: Form,
        /// The divisor, at least 1.
        by: BigUint,
        /// The refutation with the new fact.
        rest: Box<Cert>,
    },
    /// Two cases: `low ≤ high`, or `high + 1 ≤ low`.
    Split {
        /// Left side.
        low: Form,
        /// Right side.
        high: Form,
        /// The case `low ≤ high`.
        when: Box<Cert>,
        /// The case `high + 1 ≤ low`.
        otherwise: Box<Cert>,
    },
}

/// Where a fact of the initial list comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Premise {
    /// The given constraint with this number.
    Given(usize),
    /// A fact about the added quotient with this number: `m·σ ≤ l`, or `l + 1 ≤ m·σ + m` if `upper`.
    Quotient {
        /// Its number.
        index: usize,
        /// Which of the two.
        upper: bool,
    },
}

/// The natural variables of the checker: an integer variable `x` of the oracle is `x - shifts[x]` here, a natural one is
/// itself.
#[derive(Clone, Debug, Default)]
pub struct Differences {
    /// What is subtracted from the integer variables: forms with natural coefficients.
    pub shifts: BTreeMap<Var, Form>,
    /// The numerators of the added quotients. For integers `⌊l / m⌋ = l' / m - s`, where `l' = l + m·s` and `s` is the
    /// sum of the shifts of the variables of `l`, so that `l'` has natural coefficients.
    pub numerators: Vec<Form>,
}

impl Differences {
    /// With the shifts of the variables that are not quotients.
    pub fn new(mut shifts: BTreeMap<Var, Form>, proof: &Proof) -> Differences {
        let mut numerators = Vec::new();
        for q in &proof.quotients {
            let shift = q.numerator.terms.iter().fold(Form::default(), |s, (x, _)| {
                shifts
                    .get(x)
                    .map_or(s.clone(), |t| s.plus(&BigInt::one(), t))
            });
            numerators.push(q.numerator.shifted(&shifts).plus(&q.divisor, &shift));
            if shift != Form::default() {
                shifts.insert(q.var, shift);
            }
        }
        Differences { shifts, numerators }
    }
}

/// A certificate with the premises that it uses, in the order of the initial list of facts.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The initial facts.
    pub premises: Vec<Premise>,
    /// What the checker follows.
    pub cert: Cert,
}

/// The certificate of a refutation.
pub fn certificate(proof: &Proof, differences: &Differences) -> Certificate {
    let mut seen = BTreeSet::new();
    proof
        .tree
        .leaves(&mut |n| reach(&proof.nodes, n, &mut seen));
    let premises: BTreeSet<Premise> = seen
        .iter()
        .filter_map(|n| premise(&proof.nodes[*n].origin))
        .collect();
    let premises: Vec<Premise> = premises.into_iter().collect();
    let scope = Scope {
        proof,
        differences,
        place: BTreeMap::new(),
        count: premises.len(),
        initial: premises.iter().enumerate().map(|(i, p)| (*p, i)).collect(),
    };
    Certificate {
        cert: scope.tree(&proof.tree),
        premises,
    }
}

fn premise(o: &Origin) -> Option<Premise> {
    match o {
        Origin::Given(i) => Some(Premise::Given(*i)),
        Origin::Quotient { index, upper } => Some(Premise::Quotient {
            index: *index,
            upper: *upper,
        }),
        _ => None,
    }
}

/// The facts on the way to a leaf.
#[derive(Clone)]
struct Scope<'a> {
    proof: &'a Proof,
    differences: &'a Differences,
    /// Added facts by node: how many facts there were before.
    place: BTreeMap<NodeId, usize>,
    count: usize,
    initial: BTreeMap<Premise, usize>,
}

/// A sum of facts (by node) and variables.
#[derive(Default)]
struct Linear {
    nodes: BTreeMap<NodeId, BigInt>,
    extra: BTreeMap<Var, BigInt>,
}

impl Scope<'_> {
    fn tree(mut self, tree: &Tree) -> Cert {
        match tree {
            Tree::Contradiction(n) => {
                let mut cuts = Vec::new();
                self.cuts(self.needed(*n), &mut cuts);
                let sum = self.combo(&self.expand(*n, true));
                wrap(cuts, Cert::Done(sum))
            }
            Tree::Split {
                form,
                left,
                right,
                when,
                otherwise,
            } => {
                // cuts that both branches use are made before the split
                let side = |t: &Tree| {
                    let mut s = BTreeSet::new();
                    t.leaves(&mut |n| s.extend(self.needed(n)));
                    s
                };
                let shared: BTreeSet<NodeId> = side(when)
                    .intersection(&side(otherwise))
                    .copied()
                    .filter(|n| n < left)
                    .collect();
                let mut cuts = Vec::new();
                self.cuts(shared, &mut cuts);
                let branch = |node: NodeId, t: &Tree| {
                    let mut s = self.clone();
                    s.push(node);
                    Box::new(s.tree(t))
                };
                let (low, high) = form.shifted(&self.differences.shifts).sides();
                let split = Cert::Split {
                    low,
                    high,
                    when: branch(*left, when),
                    otherwise: branch(*right, otherwise),
                };
                wrap(cuts, split)
            }
        }
    }

    fn push(&mut self, node: NodeId) {
        self.place.insert(node, self.count);
        self.count += 1;
    }

    /// The divided sums from which `n` was derived, itself included if it is one.
    fn needed(&self, n: NodeId) -> BTreeSet<NodeId> {
        let mut seen = BTreeSet::new();
        reach(&self.proof.nodes, n, &mut seen);
        seen.retain(
            |n| matches!(&self.proof.nodes[*n].origin, Origin::Sum { div, .. } if !div.is_one()),
        );
        seen
    }

    fn cuts(&mut self, nodes: BTreeSet<NodeId>, out: &mut Vec<(Combo, Form, BigUint)>) {
        for n in nodes {
            if self.place.contains_key(&n) {
                continue;
            }
            let Origin::Sum { div, .. } = &self.proof.nodes[n].origin else {
                continue;
            };
            let linear = self.expand(n, true);
            let extra = Form::new(
                linear.extra.iter().map(|(x, m)| (*x, m.clone())),
                BigInt::zero(),
            );
            out.push((self.combo(&linear), extra, div.magnitude().clone()));
            self.push(n);
        }
    }

    /// The node as a sum of facts that are or will be in the list; with `open` its own division is ignored.
    fn expand(&self, n: NodeId, open: bool) -> Linear {
        let mut out = Linear::default();
        let mut todo = BTreeMap::from([(n, BigInt::one())]);
        let mut first = open;
        // children have smaller numbers than parents, so the largest open node is always complete
        while let Some((n, m)) = todo.pop_last() {
            match &self.proof.nodes[n].origin {
                Origin::Sum { parts, div } if div.is_one() || std::mem::take(&mut first) => {
                    for (k, p) in parts {
                        *todo.entry(*p).or_default() += &m * k;
                    }
                }
                Origin::Nonneg(x) => *out.extra.entry(*x).or_default() += m,
                _ => *out.nodes.entry(n).or_default() += m,
            }
            first = false;
        }
        out
    }

    fn combo(&self, l: &Linear) -> Combo {
        let added = self.count - self.initial.len();
        l.nodes
            .iter()
            .filter_map(|(n, m)| {
                let at = match self.place.get(n) {
                    Some(i) => self.count - 1 - i,
                    None => added + self.initial.get(&premise(&self.proof.nodes[*n].origin)?)?,
                };
                Some((m.magnitude().clone(), at))
            })
            .collect()
    }
}

fn wrap(cuts: Vec<(Combo, Form, BigUint)>, inner: Cert) -> Cert {
    cuts.into_iter()
        .rev()
        .fold(inner, |rest, (sum, extra, by)| Cert::Cut {
            sum,
            extra,
            by,
            rest: Box::new(rest),
        })
}

/// A fact `low ≤ high`.
pub type Fact = (Form, Form);

/// Does the certificate refute the facts? The same steps as `Omega.check`.
pub fn check(facts: &mut Vec<Fact>, cert: &Cert) -> bool {
    match cert {
        Cert::Done(sum) => total(facts, sum).is_some_and(|(low, high)| {
            low.constant > high.constant && high.terms.iter().all(|(x, a)| *a <= low.coeff(*x))
        }),
        Cert::Cut {
            sum,
            extra,
            by,
            rest,
        } => {
            let Some((low, high)) = total(facts, sum) else {
                return false;
            };
            let by = BigInt::from(by.clone());
            let form = high.plus(&BigInt::one(), extra).plus(&-BigInt::one(), &low);
            let natural =
                extra.terms.iter().all(|(_, a)| a.is_positive()) && extra.constant.is_zero();
            if !natural
                || !by.is_positive()
                || form.terms.iter().any(|(_, a)| !a.is_multiple_of(&by))
            {
                return false;
            }
            facts.push(form.tightened(&by).sides());
            let verdict = check(facts, rest);
            facts.pop();
            verdict
        }
        Cert::Split {
            low,
            high,
            when,
            otherwise,
        } => {
            facts.push((low.clone(), high.clone()));
            let first = check(facts, when);
            facts.pop();
            facts.push((high.plus(&BigInt::one(), &Form::constant(1)), low.clone()));
            let second = check(facts, otherwise);
            facts.pop();
            first && second
        }
    }
}

/// `Σ mᵢ·factᵢ`; `None` if there is no such fact. The last element of `facts` is the newest.
fn total(facts: &[Fact], sum: &Combo) -> Option<Fact> {
    let mut out = Fact::default();
    for (m, i) in sum {
        let (low, high) = facts.get(facts.len().checked_sub(i + 1)?)?;
        let m = BigInt::from(m.clone());
        out = (out.0.plus(&m, low), out.1.plus(&m, high));
    }
    Some(out)
}
