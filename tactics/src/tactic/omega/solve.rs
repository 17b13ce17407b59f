//! The oracle: is a system of linear inequalities without a solution? Each variable has a [`Range`]: natural numbers or
//! integers.
//!
//! It is the omega test (W. Pugh, *The Omega test*, 1991): constraints are divided by the greatest common
//! divisor of their coefficients and rounded; equations are solved and substituted (an equation without a unit
//! coefficient first gets a new variable, a quotient, which makes its coefficients smaller); the remaining
//! variables are eliminated by Fourier and Motzkin's method, exactly where a coefficient is one, otherwise first by
//! the real shadow (refutes), then by the dark shadow (finds solutions), at last by case splits (splinters).
//!
//! Every derived constraint is recorded with how it was derived, so that a refutation can be turned into a
//! certificate (see [`super::cert`]). Nothing here is trusted.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::form::{Form, Var};
use super::system::{Eliminated, System, point};

/// A derived constraint by its number in [`Proof::nodes`].
pub type NodeId = usize;

/// The values of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// Natural numbers.
    Natural,
    /// Integers.
    Integer,
    /// None: no constraint mentions it.
    Unused,
}

/// Where a constraint `form ≥ 0` comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The given constraint with this number.
    Given(usize),
    /// A variable is a natural number.
    Nonneg(Var),
    /// A quotient variable `σ = ⌊l/m⌋`: `l - m·σ ≥ 0` (`upper = false`) or `m·σ + m - 1 - l ≥ 0`.
    Quotient {
        /// Its number in [`Proof::quotients`].
        index: usize,
        /// Which of the two facts.
        upper: bool,
    },
    /// What is assumed in a branch of a split.
    Assumed,
    /// `⌊(Σ mᵢ·nodeᵢ) / div⌋` with every `mᵢ > 0`.
    Sum {
        /// The summands with their multipliers.
        parts: Vec<(BigInt, NodeId)>,
        /// By what the sum was divided, at least 1.
        div: BigInt,
    },
}

/// A constraint `form ≥ 0` with its origin.
#[derive(Clone, Debug)]
pub struct Node {
    /// The form that is nonnegative.
    pub form: Form,
    /// Where it comes from.
    pub origin: Origin,
}

/// A variable that the oracle added: `var = ⌊numerator / divisor⌋`.
#[derive(Clone, Debug)]
pub struct Quotient {
    /// The new variable.
    pub var: Var,
    /// A form with nonnegative coefficients and constant over earlier variables. If they are natural numbers, so is
    /// the quotient; otherwise it is an integer.
    pub numerator: Form,
    /// Greater than 1.
    pub divisor: BigInt,
}

/// The shape of a refutation.
#[derive(Clone, Debug)]
pub enum Tree {
    /// This node's form is a negative constant.
    Contradiction(NodeId),
    /// Either `form ≥ 0` (node `left`) or `-form - 1 ≥ 0` (node `right`).
    Split {
        /// What is split on.
        form: Form,
        /// The assumption of the first branch.
        left: NodeId,
        /// The assumption of the second branch.
        right: NodeId,
        /// The first branch.
        when: Box<Tree>,
        /// The second branch.
        otherwise: Box<Tree>,
    },
}

/// A refutation with all the constraints that it may use.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The derived constraints, premises before conclusions.
    pub nodes: Vec<Node>,
    /// The added variables.
    pub quotients: Vec<Quotient>,
    /// The refutation.
    pub tree: Tree,
}

/// What the oracle found.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// There is no solution.
    Unsat(Box<Proof>),
    /// A solution: a value for each variable.
    Sat(Vec<BigInt>),
}

/// The oracle gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// More constraints than [`Budget::nodes`] were derived.
    Nodes,
    /// More case splits than [`Budget::splits`] were needed.
    Splits,
}

/// How much the oracle may do. Counted in steps, so that a verdict does not depend on the machine.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// How many constraints may be derived.
    pub nodes: usize,
    /// How many integer case splits may be made.
    pub splits: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            nodes: 20_000,
            splits: 300,
        }
    }
}

/// Decides whether `given[i] ≥ 0` for all `i` has a solution; variable `x` ranges over `ranges[x]`.
pub fn solve(ranges: &[Range], given: &[Form], budget: Budget) -> Result<Outcome, GaveUp> {
    let mut solver = Solver {
        nodes: Vec::new(),
        quotients: Vec::new(),
        ranges: ranges.to_vec(),
        budget,
        splits: 0,
        inequalities: 0,
    };
    let mut sys = System::default();
    let mut start = || -> Result<(), Stop> {
        for (i, form) in given.iter().enumerate() {
            let node = solver.node(form.clone(), Origin::Given(i))?;
            solver.add(&mut sys, node)?;
        }
        for (x, _) in (0..).zip(ranges).filter(|(_, r)| **r == Range::Natural) {
            let node = solver.node(Form::var(x), Origin::Nonneg(x))?;
            solver.add(&mut sys, node)?;
        }
        Ok(())
    };
    let verdict = match start() {
        Ok(()) => solver.run(sys, Vec::new())?,
        Err(Stop::Refuted(n)) => Verdict::Refuted(Tree::Contradiction(n)),
        Err(Stop::GaveUp(g)) => return Err(g),
    };
    Ok(match verdict {
        Verdict::Refuted(tree) => Outcome::Unsat(Box::new(Proof {
            nodes: solver.nodes,
            quotients: solver.quotients,
            tree,
        })),
        Verdict::Solved(mut point) => {
            point.resize(ranges.len(), BigInt::zero());
            Outcome::Sat(point)
        }
    })
}

enum Verdict {
    Refuted(Tree),
    Solved(Vec<BigInt>),
}

enum Stop {
    Refuted(NodeId),
    GaveUp(GaveUp),
}

impl From<GaveUp> for Stop {
    fn from(g: GaveUp) -> Stop {
        Stop::GaveUp(g)
    }
}

struct Solver {
    nodes: Vec<Node>,
    quotients: Vec<Quotient>,
    ranges: Vec<Range>,
    budget: Budget,
    splits: usize,
    inequalities: usize,
}

impl Solver {
    fn node(&mut self, form: Form, origin: Origin) -> Result<NodeId, GaveUp> {
        if self.inequalities >= self.budget.nodes {
            return Err(GaveUp::Nodes);
        }
        self.inequalities += 1;
        self.nodes.push(Node { form, origin });
        Ok(self.nodes.len() - 1)
    }

    /// `Σ mᵢ·nodeᵢ`, not yet divided.
    fn sum(&mut self, parts: Vec<(BigInt, NodeId)>) -> Result<NodeId, GaveUp> {
        let form = parts
            .iter()
            .fold(Form::default(), |f, (m, n)| f.plus(m, &self.nodes[*n].form));
        let div = BigInt::one();
        self.node(form, Origin::Sum { parts, div })
    }

    /// Divides by the content, drops what is trivial or weaker, and notices contradictions.
    fn add(&mut self, sys: &mut System, mut node: NodeId) -> Result<(), Stop> {
        let g = self.nodes[node].form.content();
        if g.is_zero() {
            return if self.nodes[node].form.constant.is_negative() {
                Err(Stop::Refuted(node))
            } else {
                Ok(())
            };
        }
        if !g.is_one() {
            let form = self.nodes[node].form.tightened(&g);
            let parts = vec![(BigInt::one(), node)];
            node = self.node(form, Origin::Sum { parts, div: g })?;
        }
        let Form { terms, constant } = self.nodes[node].form.clone();
        if sys.rows.get(&terms).is_some_and(|(c, _)| *c <= constant) {
            return Ok(());
        }
        let opposite: Vec<_> = terms.iter().map(|(x, a)| (*x, -a)).collect();
        if let Some((c, n)) = sys.rows.get(&opposite)
            && (c + &constant).is_negative()
        {
            let n = *n;
            let clash = self.sum(vec![(BigInt::one(), node), (BigInt::one(), n)])?;
            return Err(Stop::Refuted(clash));
        }
        sys.rows.insert(terms, (constant, node));
        Ok(())
    }

    fn run(&mut self, sys: System, gone: Vec<Eliminated>) -> Result<Verdict, GaveUp> {
        match self.search(sys, gone) {
            Ok(v) => Ok(v),
            Err(Stop::Refuted(n)) => Ok(Verdict::Refuted(Tree::Contradiction(n))),
            Err(Stop::GaveUp(g)) => Err(g),
        }
    }

    fn search(&mut self, mut sys: System, mut gone: Vec<Eliminated>) -> Result<Verdict, Stop> {
        let mut inexact: Option<(System, Vec<Eliminated>, Var)> = None;
        loop {
            if let Some((pos, neg)) = sys.equation() {
                sys = self.use_equation(sys, pos, neg, &mut gone)?;
                continue;
            }
            let Some((x, exact)) = sys.choose() else {
                break;
            };
            if !exact && inexact.is_none() {
                inexact = Some((sys.clone(), gone.clone(), x));
            }
            sys = self.eliminate(sys, x, &mut gone)?;
        }
        match inexact {
            None => Ok(Verdict::Solved(point(&gone, self.ranges.len()))),
            Some((sys, gone, x)) => self.inexact(sys, gone, x),
        }
    }

    /// Removes a variable by an equation, given as its two inequalities.
    fn use_equation(
        &mut self,
        mut sys: System,
        pos: NodeId,
        neg: NodeId,
        gone: &mut Vec<Eliminated>,
    ) -> Result<System, Stop> {
        let eq = self.nodes[pos].form.clone();
        let Some((x, a)) = eq.terms.iter().min_by_key(|(_, a)| a.abs()).cloned() else {
            return Ok(sys);
        };
        if !a.abs().is_one() {
            self.quotient(&mut sys, &eq, x, pos, neg)?;
            return Ok(sys);
        }
        gone.push(Eliminated::Equal(x, Form::var(x).plus(&-&a, &eq)));
        let mut rest = System::default();
        for (_, n) in sys.rows.into_values() {
            let b = self.nodes[n].form.coeff(x);
            let node = if b.is_zero() {
                n
            } else {
                let t = -b * &a;
                let with = if t.is_positive() { pos } else { neg };
                self.sum(vec![(BigInt::one(), n), (t.abs(), with)])?
            };
            self.add(&mut rest, node)?;
        }
        Ok(rest)
    }

    /// Adds `σ = ⌊l/m⌋` where `m` is the least coefficient (of `x`) of the equation and `l` its remainders modulo
    /// `m`; the equation then implies one in which `x` has a unit coefficient.
    fn quotient(
        &mut self,
        sys: &mut System,
        eq: &Form,
        x: Var,
        pos: NodeId,
        neg: NodeId,
    ) -> Result<(), Stop> {
        let m = eq.coeff(x).abs();
        let numerator = Form::new(
            eq.terms.iter().map(|(y, a)| (*y, a.mod_floor(&m))),
            eq.constant.mod_floor(&m),
        );
        let sigma = self.ranges.len() as Var;
        let natural = |(y, _): &(Var, BigInt)| self.ranges[*y as usize] == Range::Natural;
        let range = match numerator.terms.iter().all(natural) {
            true => Range::Natural,
            false => Range::Integer,
        };
        self.ranges.push(range);
        let index = self.quotients.len();
        self.quotients.push(Quotient {
            var: sigma,
            numerator: numerator.clone(),
            divisor: m.clone(),
        });
        if range == Range::Natural {
            let nonneg = self.node(Form::var(sigma), Origin::Nonneg(sigma))?;
            self.add(sys, nonneg)?;
        }
        let lower = numerator.plus(&-&m, &Form::var(sigma));
        let mut upper = lower.negated();
        upper.constant += &m - 1;
        let lower = self.node(
            lower,
            Origin::Quotient {
                index,
                upper: false,
            },
        )?;
        let upper = self.node(upper, Origin::Quotient { index, upper: true })?;
        let one = BigInt::one;
        let below = self.sum(vec![(one(), lower), (one(), neg)])?;
        let above = self.sum(vec![(one(), upper), (one(), pos)])?;
        self.add(sys, below)?;
        self.add(sys, above)
    }

    /// Fourier and Motzkin: every lower bound of `x` with every upper bound.
    fn eliminate(
        &mut self,
        sys: System,
        x: Var,
        gone: &mut Vec<Eliminated>,
    ) -> Result<System, Stop> {
        let (rest, lower, upper) = self.bounds(sys, x);
        gone.push(Eliminated::Bounded(
            x,
            self.forms(lower.iter().chain(&upper)),
        ));
        let mut sys = rest;
        for l in &lower {
            for u in &upper {
                let (a, b) = (self.nodes[*l].form.coeff(x), -self.nodes[*u].form.coeff(x));
                let g = a.gcd(&b);
                let node = self.sum(vec![(b / &g, *l), (a / &g, *u)])?;
                self.add(&mut sys, node)?;
            }
        }
        Ok(sys)
    }

    fn bounds(&self, sys: System, x: Var) -> (System, Vec<NodeId>, Vec<NodeId>) {
        let (mut rest, mut lower, mut upper) = (System::default(), Vec::new(), Vec::new());
        for (terms, (c, n)) in sys.rows {
            let a = self.nodes[n].form.coeff(x);
            if a.is_zero() {
                rest.rows.insert(terms, (c, n));
            } else if a.is_positive() {
                lower.push(n);
            } else {
                upper.push(n);
            }
        }
        (rest, lower, upper)
    }

    fn forms<'a>(&self, nodes: impl Iterator<Item = &'a NodeId>) -> Vec<Form> {
        nodes.map(|n| self.nodes[*n].form.clone()).collect()
    }

    /// Where no elimination is exact and the real shadow has a solution: the dark shadow, then splinters.
    fn inexact(&mut self, mut sys: System, gone: Vec<Eliminated>, x: Var) -> Result<Verdict, Stop> {
        if let Some(v) = self.dark_shadow(sys.clone(), gone.clone(), x)? {
            return Ok(v);
        }
        let (_, lower, upper) = self.bounds(sys.clone(), x);
        let largest = upper.iter().map(|u| -self.nodes[*u].form.coeff(x)).max();
        let largest = largest.unwrap_or_else(BigInt::one);
        let mut cases = Vec::new();
        for l in lower {
            let form = self.nodes[l].form.clone();
            let a = form.coeff(x);
            let last = (&a * &largest - &a - &largest).div_floor(&largest);
            let count = (last + 1u8).to_usize().ok_or(GaveUp::Splits)?;
            for i in 0..count {
                self.splits += 1;
                if self.splits > self.budget.splits {
                    return Err(GaveUp::Splits.into());
                }
                // either form ≤ i (so form = i), or form ≥ i + 1
                let mut split = form.negated();
                split.constant += i;
                let left = self.node(split.clone(), Origin::Assumed)?;
                let mut branch = sys.clone();
                let tree = match self.add(&mut branch, left) {
                    Ok(()) => self.run(branch, gone.clone())?,
                    Err(Stop::Refuted(n)) => Verdict::Refuted(Tree::Contradiction(n)),
                    Err(Stop::GaveUp(g)) => return Err(g.into()),
                };
                let when = match tree {
                    Verdict::Refuted(t) if self.uses(&t, left) => t,
                    done => return Ok(close(done, cases)),
                };
                let mut other = split.negated();
                other.constant -= 1;
                let right = self.node(other, Origin::Assumed)?;
                cases.push((split, left, right, when));
                if let Err(Stop::Refuted(n)) = self.add(&mut sys, right) {
                    return Ok(close(Verdict::Refuted(Tree::Contradiction(n)), cases));
                }
            }
        }
        let mut gone = gone;
        let last = match self.eliminate(sys, x, &mut gone) {
            Ok(sys) => self.run(sys, gone)?,
            Err(Stop::Refuted(n)) => Verdict::Refuted(Tree::Contradiction(n)),
            Err(stop) => return Err(stop),
        };
        Ok(close(last, cases))
    }

    /// A solution in the dark shadow of `x` is one of the whole; `None` if there is none in it.
    fn dark_shadow(
        &mut self,
        sys: System,
        mut gone: Vec<Eliminated>,
        x: Var,
    ) -> Result<Option<Verdict>, Stop> {
        let (mut rest, lower, upper) = self.bounds(sys, x);
        gone.push(Eliminated::Bounded(
            x,
            self.forms(lower.iter().chain(&upper)),
        ));
        for l in &lower {
            for u in &upper {
                let (lf, uf) = (self.nodes[*l].form.clone(), self.nodes[*u].form.clone());
                let (a, b) = (lf.coeff(x), -uf.coeff(x));
                let mut form = lf.times(&b).plus(&a, &uf);
                form.constant -= (a - 1) * (b - 1);
                // an assumption for the search only: its refutation is thrown away
                let node = self.node(form, Origin::Assumed)?;
                match self.add(&mut rest, node) {
                    Err(Stop::Refuted(_)) => return Ok(None),
                    r => r?,
                }
            }
        }
        match self.run(rest, gone)? {
            Verdict::Refuted(_) => Ok(None),
            solved => Ok(Some(solved)),
        }
    }

    /// Does a refutation use this node?
    fn uses(&self, tree: &Tree, node: NodeId) -> bool {
        let mut seen = BTreeSet::new();
        tree.leaves(&mut |n| reach(&self.nodes, n, &mut seen));
        seen.contains(&node)
    }
}

/// All nodes from which `n` was derived, itself included.
pub fn reach(nodes: &[Node], n: NodeId, seen: &mut BTreeSet<NodeId>) {
    let mut todo = vec![n];
    while let Some(n) = todo.pop() {
        if seen.insert(n)
            && let Origin::Sum { parts, .. } = &nodes[n].origin
        {
            todo.extend(parts.iter().map(|p| p.1));
        }
    }
}

impl Tree {
    /// Visits the contradictions.
    pub fn leaves(&self, visit: &mut dyn FnMut(NodeId)) {
        match self {
            Tree::Contradiction(n) => visit(*n),
            Tree::Split {
                when, otherwise, ..
            } => {
                when.leaves(visit);
                otherwise.leaves(visit);
            }
        }
    }
}

/// Puts the finished first branches of a chain of splits around the last verdict.
fn close(last: Verdict, cases: Vec<(Form, NodeId, NodeId, Tree)>) -> Verdict {
    match last {
        Verdict::Solved(p) => Verdict::Solved(p),
        Verdict::Refuted(tree) => Verdict::Refuted(cases.into_iter().rev().fold(
            tree,
            |otherwise, (form, left, right, when)| Tree::Split {
                form,
                left,
                right,
                when: Box::new(when),
                otherwise: Box::new(otherwise),
            },
        )),
    }
}
