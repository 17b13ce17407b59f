//! The figures of a search, for `index report`.

use std::fmt;

use logic::{Expr, Node as Term, Store};
use rustc_hash::FxHashSet;

use super::engine::Engine;

/// What a search took.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    /// How it ended.
    pub by: &'static str,
    /// Nodes and classes of the e-graph.
    pub nodes: usize,
    /// Classes of the e-graph.
    pub classes: usize,
    /// Rounds of saturation.
    pub rounds: usize,
    /// Conditions and equations that other tactics were asked about.
    pub asked: usize,
    /// How often each rule joined two classes.
    pub fired: Vec<(String, usize)>,
    /// The different terms that the proof consists of.
    pub proof: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "proved by {}: {} nodes in the proof",
            self.by, self.proof
        )?;
        if self.rounds == 0 && self.nodes == 0 {
            return write!(f, "each case is a search of its own");
        }
        writeln!(
            f,
            "e-graph: {} nodes in {} classes after {} rounds",
            self.nodes, self.classes, self.rounds
        )?;
        let rules: Vec<String> = self
            .fired
            .iter()
            .map(|(r, n)| match n {
                1 => r.clone(),
                n => format!("{r} ×{n}"),
            })
            .collect();
        write!(
            f,
            "rules: {}",
            match rules.is_empty() {
                true => "none".to_owned(),
                false => rules.join(", "),
            }
        )?;
        match self.asked {
            0 => Ok(()),
            n => write!(f, "\n`omega` and `bits` were asked {n} times"),
        }
    }
}

/// How many different terms there are in one.
pub(super) fn size(st: &Store<'_>, e: Expr) -> usize {
    let mut seen = FxHashSet::default();
    let mut todo = vec![e];
    while let Some(e) = todo.pop() {
        if !seen.insert(e) {
            continue;
        }
        match st.node(e) {
            Term::App(f, a) => todo.extend([f, a]),
            Term::Lam(_, t, b, _) | Term::Pi(_, t, b, _) => todo.extend([t, b]),
            Term::Let(_, t, v, b) => todo.extend([t, v, b]),
            Term::Proj(_, _, x) => todo.push(x),
            _ => {}
        }
    }
    seen.len()
}

impl Figures {
    /// Of a proof by several searches.
    pub fn of_cases(st: &Store<'_>, proof: Expr) -> Self {
        Figures {
            by: "cases",
            proof: size(st, proof),
            ..Figures::default()
        }
    }
}

impl Engine<'_, '_> {
    /// The figures so far, with those of a proof.
    pub fn figures(&self, by: &'static str, proof: Expr) -> Figures {
        Figures {
            by,
            nodes: self.added,
            classes: self.g.number_of_classes(),
            rounds: self.rounds,
            asked: self.omega_calls + self.bits_calls,
            fired: self.fired.iter().map(|(r, n)| (r.clone(), *n)).collect(),
            proof: size(self.el.st, proof),
        }
    }
}
