//! Words: the value of a word that an operation makes is a number, by a rule about that operation.
//!
//! `(Word.add a b).val` becomes a node of its own, equal to `(a.val + b.val) % 2 ^ w` by `Index.val_add`. Definitions, the
//! meanings of PTX instructions among them, are unfolded until an operation comes out that there are rules for.

use egg::Id;
use logic::{Expr, Name, Node as Term};

use super::engine::Engine;
use super::rules::{Rule, Subject};
use crate::tactic::util::{ATTEMPT, with_budget};

/// No definition is unfolded deeper.
const MAX_UNFOLD: usize = 64;

/// How many words that operations make one search looks into.
const MAX_WORDS: usize = 600;

/// The value of a word that an operation makes.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    /// Its node.
    pub id: Id,
    /// `Word.val w x`, with the operation at the head of `x`.
    pub value: Expr,
    /// A number that it is equal to.
    pub meaning: Option<Id>,
    /// Rules whose conditions did not hold yet, by number.
    waiting: Vec<usize>,
}

impl Engine<'_, '_> {
    fn head_name(&self, e: Expr) -> Option<Name> {
        match self.el.st.node(self.el.st.app_fn(e)) {
            Term::Const(n, _) => Some(n),
            _ => None,
        }
    }

    /// The node of the value of a word, if an operation makes it.
    pub fn word_value(&mut self, e: Expr, w: Expr, x: Expr) -> Option<Id> {
        let st = self.el.st;
        if !st.has_fvar(x) && !st.has_mvar(x) {
            let v = with_budget(self.el, ATTEMPT, |el| el.whnf(e));
            let n = self.el.nat_lit(v)?;
            let op = self.g.analysis.ops.alias(e);
            let id = self.node(op, &[]);
            if !self.names.contains_key(&op) {
                self.names.insert(op, self.aliases.len());
                let lit = self.literal(&n);
                let v = self.term(lit);
                self.aliases.push(Alias {
                    id,
                    value: e,
                    meaning: Some(lit),
                    waiting: Vec::new(),
                });
                let proof = self.refl(v);
                self.join("compute", id, lit, proof);
            }
            return Some(id);
        }
        if self.aliases.len() >= MAX_WORDS {
            return None;
        }
        let mut cur = x;
        for _ in 0..MAX_UNFOLD {
            let name = self.head_name(cur);
            if let Some(args) = self.el.match_app(cur, "Word.mk", 3) {
                return Some(self.reify(args[1]));
            }
            if let Some(chosen) = self.chosen(cur) {
                cur = chosen;
                continue;
            }
            if let Some(name) = name {
                let rules: Vec<usize> = (0..self.word_rules.len())
                    .filter(|i| self.word_rules[*i].subject == Subject::Word(name))
                    .collect();
                if !rules.is_empty() {
                    return Some(self.alias(e, w, x, cur, rules));
                }
            }
            let next = self.el.whnf_core(cur);
            let next = if next != cur {
                Some(next)
            } else {
                self.el.unfold_definition(cur)
            };
            cur = self.el.instantiate_mvars(next?);
        }
        None
    }

    /// What a choice by a test that is computed comes to.
    fn chosen(&mut self, e: Expr) -> Option<Expr> {
        let args = self.el.match_app(e, "cond", 4)?;
        if self.el.st.has_fvar(args[1]) || self.el.st.has_mvar(args[1]) {
            return None;
        }
        let test = with_budget(self.el, ATTEMPT, |el| el.whnf(args[1]));
        if test == self.el.st.const0("Bool.true") {
            Some(args[2])
        } else if test == self.el.st.const0("Bool.false") {
            Some(args[3])
        } else {
            None
        }
    }

    fn alias(&mut self, e: Expr, w: Expr, x: Expr, unfolded: Expr, rules: Vec<usize>) -> Id {
        let op = self.g.analysis.ops.alias(e);
        let id = self.node(op, &[]);
        if self.names.contains_key(&op) {
            return id;
        }
        self.property(id, "Word.val", &[w, x]);
        self.names.insert(op, self.aliases.len());
        self.aliases.push(Alias {
            id,
            value: self.call("Word.val", &[w, unfolded]),
            meaning: None,
            waiting: rules,
        });
        let k = self.aliases.len() - 1;
        self.define(k);
        id
    }

    /// Applies the rules about the operation of a word; the number of unions made.
    fn define(&mut self, k: usize) -> usize {
        let rules = std::rc::Rc::clone(&self.word_rules);
        let mut waiting = Vec::new();
        let mut new = 0;
        for i in self.aliases[k].waiting.clone() {
            let (id, value) = (self.aliases[k].id, self.aliases[k].value);
            if !self.g.clean {
                self.g.rebuild();
            }
            let instance = logic::subst::with_stack(|| self.instance_at(&rules[i], value));
            let Some(instance) = instance else {
                waiting.push(i);
                continue;
            };
            let right = logic::subst::with_stack(|| self.reify(instance.right));
            self.aliases[k].meaning.get_or_insert(right);
            new += usize::from(self.join(&rules[i].name, id, right, instance.proof));
        }
        self.aliases[k].waiting = waiting;
        new
    }

    /// Tries again the rules about words whose conditions did not hold.
    pub fn define_words(&mut self) -> usize {
        (0..self.aliases.len())
            .map(|k| match self.aliases[k].waiting.is_empty() {
                true => 0,
                false => self.define(k),
            })
            .sum()
    }

    /// A proof of `test = value`, by a rule about the test or the definitions in it.
    pub fn test(&mut self, test: Expr, value: Expr) -> Option<Expr> {
        let rules = std::rc::Rc::clone(&self.word_rules);
        let mut cur = test;
        for _ in 0..MAX_UNFOLD {
            let name = self.head_name(cur)?;
            let about: Vec<&Rule> = rules
                .iter()
                .filter(|r| r.subject == Subject::Test(name))
                .collect();
            for r in &about {
                if let Some(i) = self.instance_at(r, cur)
                    && i.right == value
                {
                    return Some(i.proof);
                }
            }
            if !about.is_empty() {
                return None;
            }
            let next = self.el.unfold_definition(cur)?;
            cur = self.el.instantiate_mvars(next);
        }
        None
    }
}
