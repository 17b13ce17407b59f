//! The e-graph with what turns it back into terms and proofs.
//!
//! A node that is added keeps its number for good, and each number stands for one term. A union joins two such terms under a
//! name of its own (`div_small#17`), and the side table has, under that number, the proof that they are equal: it was there
//! before the union was made.

use std::collections::BTreeMap;
use std::rc::Rc;

use egg::{EGraph, Id};
use logic::Expr;
use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};

use super::analysis::Known;
use super::language::{Kind, Node};
use super::refute::Samples;
use super::replay::Chain;
use super::rules::Rule;
use super::simplest::Best;
use super::words::Alias;
use crate::meta::Elab;

/// An entry of the side table: two equal terms and the proof.
#[derive(Clone, Copy, Debug)]
pub(super) struct Justified {
    /// The first term.
    pub left: Expr,
    /// The second term.
    pub right: Expr,
    /// The proof that they are equal.
    pub proof: Expr,
}

/// The state of one search.
pub(super) struct Engine<'e, 'b> {
    /// The elaborator, in the context of the goal.
    pub el: &'e mut Elab<'b>,
    /// The e-graph.
    pub g: EGraph<Node, Known>,
    /// The side table.
    pub table: Vec<Justified>,
    /// How often each rule has fired.
    pub fired: BTreeMap<String, usize>,
    /// How many nodes were added.
    pub added: usize,
    /// How many rounds there were.
    pub rounds: usize,
    /// The hypotheses in the form in which the e-graph has their terms: statement and proof.
    pub hypotheses: Vec<(Expr, Expr)>,
    /// Lower bounds that hypotheses give, with proofs.
    pub lowest: Vec<(Id, BigUint, Expr)>,
    /// Conditions that were proved.
    pub conditions: FxHashMap<Expr, Expr>,
    /// Conditions that `omega` does not prove.
    pub hopeless: FxHashSet<Expr>,
    /// Conditions that fail where the hypotheses hold.
    pub refuted: FxHashSet<Expr>,
    /// Whether conditions are worth a search: once nothing else is new.
    pub patient: bool,
    /// How often `omega` was asked.
    pub omega_calls: usize,
    /// How often `bits` was asked.
    pub bits_calls: usize,
    /// Equations that `bits` was asked about.
    pub no_bits: FxHashSet<Expr>,
    /// The values of words that operations make.
    pub aliases: Vec<Alias>,
    /// Their numbers, by the operation of their nodes.
    pub names: FxHashMap<u32, usize>,
    /// The rules about words and tests.
    pub word_rules: Rc<Vec<Rule>>,
    /// Values of the atoms for which the hypotheses hold.
    pub samples: Samples,
    /// The simplest terms.
    pub best: Best,
    pub(super) chains: FxHashMap<(Id, Id), Chain>,
    pub(super) terms: Vec<Option<Expr>>,
    pub(super) bounds: Vec<Option<Expr>>,
}

impl<'e, 'b> Engine<'e, 'b> {
    /// Nothing in it yet.
    pub fn new(el: &'e mut Elab<'b>) -> Self {
        let g = EGraph::new(Known::default())
            .with_explanations_enabled()
            .without_explanation_length_optimization();
        Engine {
            el,
            g,
            table: Vec::new(),
            fired: BTreeMap::new(),
            added: 0,
            rounds: 0,
            hypotheses: Vec::new(),
            lowest: Vec::new(),
            conditions: FxHashMap::default(),
            hopeless: FxHashSet::default(),
            refuted: FxHashSet::default(),
            patient: false,
            omega_calls: 0,
            bits_calls: 0,
            no_bits: FxHashSet::default(),
            aliases: Vec::new(),
            names: FxHashMap::default(),
            word_rules: Rc::new(Vec::new()),
            samples: Samples::default(),
            best: Best::default(),
            chains: FxHashMap::default(),
            terms: Vec::new(),
            bounds: Vec::new(),
        }
    }

    /// Adds a node; its number stands for the very term, whatever else is in its class.
    pub fn node(&mut self, op: u32, kids: &[Id]) -> Id {
        let id = self.g.add_uncanonical(Node {
            op,
            kids: kids.into(),
        });
        self.added = self.added.max(usize::from(id) + 1);
        id
    }

    /// Adds a literal.
    pub fn literal(&mut self, n: &BigUint) -> Id {
        let op = self.g.analysis.ops.literal(self.el.st, n);
        self.node(op, &[])
    }

    /// Adds a known operation.
    pub fn apply(&mut self, kind: Kind, kids: &[Id]) -> Id {
        let op = self.g.analysis.ops.known(self.el.st, kind);
        self.node(op, kids)
    }

    /// The term that a number stands for.
    pub fn term(&mut self, id: Id) -> Expr {
        let k = usize::from(id);
        if let Some(Some(e)) = self.terms.get(k) {
            return *e;
        }
        let node = self.g.id_to_node(id).clone();
        let args: Vec<Expr> = node.kids.iter().map(|x| self.term(*x)).collect();
        let head = self.g.analysis.ops.get(node.op).head;
        let e = self.el.st.apps(head, &args);
        if self.terms.len() <= k {
            self.terms.resize(k + 1, None);
        }
        self.terms[k] = Some(e);
        e
    }

    /// The value of a class, if it is a literal.
    pub fn value(&self, id: Id) -> Option<BigUint> {
        self.g[id].data.value.clone()
    }

    /// Whether a class is a literal.
    pub fn is_known(&self, id: Id) -> bool {
        self.g[id].data.value.is_some()
    }

    /// What the operation of a node computes.
    pub fn kind(&self, node: &Node) -> Kind {
        self.g.analysis.ops.get(node.op).kind
    }

    /// `name args`.
    pub fn call(&self, name: &str, args: &[Expr]) -> Expr {
        self.el.st.apps(self.el.st.const0(name), args)
    }

    /// `Eq.refl b : f = b` for `f` that computes to the truth value `true`.
    pub fn computed(&self) -> Expr {
        let st = self.el.st;
        let refl = st.constant(st.name("Eq.refl"), &[st.level_nat(1)]);
        st.apps(refl, &[st.const0("Bool"), st.const0("Bool.true")])
    }

    /// `Eq.refl a`, of natural numbers.
    pub fn refl(&self, a: Expr) -> Expr {
        let st = self.el.st;
        let refl = st.constant(st.name("Eq.refl"), &[st.level_nat(1)]);
        st.apps(refl, &[st.const0("Nat"), a])
    }

    /// `a = b`, of natural numbers.
    pub fn equation(&self, a: Expr, b: Expr) -> Expr {
        super::equation(self.el.st, a, b)
    }

    /// Joins two terms that are proved equal. `false` if they were in one class before.
    pub fn join(&mut self, rule: &str, left: Id, right: Id, proof: Expr) -> bool {
        if self.g.find(left) == self.g.find(right) {
            return false;
        }
        let (l, r) = (self.term(left), self.term(right));
        let name = format!("{rule}#{}", self.table.len());
        self.table.push(Justified {
            left: l,
            right: r,
            proof,
        });
        *self.fired.entry(rule.to_owned()).or_default() += 1;
        self.g.union_trusted(left, right, name)
    }
}
