//! The rules: theorems marked `@[index]`, read as equations from left to right.
//!
//! The variables of a rule are natural numbers; its hypotheses are conditions. A variable that the left side does not have
//! is found by a hypothesis `e = v` in which all of `e` is known to be a literal.

use egg::{ENodeOrVar, Id, Pattern, PatternAst, RecExpr, Searcher, Subst, Var};
use logic::{Expr, Name, Node as Term};

use super::engine::Engine;
use super::language::Node;
use crate::meta::{Elab, Result};

/// What a rule is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    /// Natural numbers: a pattern of the e-graph.
    Number,
    /// The value of a word that this operation makes.
    Word(Name),
    /// When this test is `true` or `false`.
    Test(Name),
}

/// A theorem `∀ x₁ …, h₁ → … → left = right`.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// Its name, for messages.
    pub name: String,
    /// What it is about.
    pub subject: Subject,
    proof: Expr,
    /// The types of its variables and conditions, and whether it is a variable.
    binders: Vec<(Expr, bool)>,
    /// Its left side.
    pub left: Expr,
    right: Expr,
    /// Read from right to left.
    reversed: bool,
}

/// An instance of a rule that holds.
pub(super) struct Instance {
    /// Its left side.
    pub left: Expr,
    /// Its right side.
    pub right: Expr,
    /// The proof that they are equal.
    pub proof: Expr,
}

/// The attribute of theorems that are rules.
pub(super) const ATTRIBUTE: &str = "index";

/// Reads a proof as a rule. `None` if it is no equation of natural numbers or of tests.
pub(super) fn read(
    el: &mut Elab<'_>,
    name: String,
    proof: Expr,
    reversed: bool,
) -> Result<Option<Rule>> {
    let st = el.st;
    let ty = el.infer_type(proof)?;
    let whole = el.instantiate_mvars(ty);
    let saved = el.save();
    let (holes, _, _) = el.forall_mvar_telescope(whole, None);
    let mut kinds = Vec::new();
    for m in &holes {
        let ty = el.mvar_type(*m);
        kinds.push(!el.is_prop(ty));
    }
    el.restore(&saved);
    let mut ty = whole;
    let mut binders = Vec::new();
    while let Term::Pi(_, t, body, _) = st.node(ty) {
        binders.push((t, *kinds.get(binders.len()).unwrap_or(&false)));
        ty = body;
    }
    let Some((kind, a, b)) = el.match_eq(ty) else {
        return Ok(None);
    };
    let (left, right) = if reversed { (b, a) } else { (a, b) };
    if matches!(st.node(left), Term::BVar(_)) {
        return Ok(None);
    }
    let head = |e: Expr| match st.node(st.app_fn(e)) {
        Term::Const(n, _) => Some(n),
        _ => None,
    };
    let subject = if kind == st.const0("Bool") {
        match head(left) {
            Some(n) => Subject::Test(n),
            None => return Ok(None),
        }
    } else if kind != st.const0("Nat") {
        return Ok(None);
    } else if let Some(args) = el.match_app(left, "Word.val", 2) {
        match head(args[1]) {
            Some(n) => Subject::Word(n),
            None => return Ok(None),
        }
    } else {
        Subject::Number
    };
    Ok(Some(Rule {
        name,
        subject,
        proof,
        binders,
        left,
        right,
        reversed,
    }))
}

/// Reads a theorem.
pub(super) fn of_theorem(el: &mut Elab<'_>, n: Name, reversed: bool) -> Result<Option<Rule>> {
    let proof = el.mk_const(n)?;
    let name = el.st.name_last(n).unwrap_or("rule").to_owned();
    read(el, name, proof, reversed)
}

/// Reads a marked theorem; it is read once for each name and statement.
pub(super) fn of_marked(el: &mut Elab<'_>, n: Name) -> Result<Option<Rule>> {
    let Some(info) = el.env.get(n) else {
        return Ok(None);
    };
    let key = (n, info.ty());
    if let Some(known) = el.cache.index_rules.get(&key) {
        return Ok(known.clone());
    }
    let rule = of_theorem(el, n, false)?;
    el.cache.index_rules.insert(key, rule.clone());
    Ok(rule)
}

/// Why a theorem can never be used as a rule.
pub(crate) fn unusable(el: &mut Elab<'_>, n: Name) -> Option<String> {
    let st = el.st;
    let Some(rule) = of_theorem(el, n, false).ok().flatten() else {
        return Some(
            "it is no equation of natural numbers, of values of words or of tests, or its left side is a variable"
                .to_owned(),
        );
    };
    let count = rule.binders.len();
    let occurs = |e: Expr, depth: usize, i: usize| {
        let k = depth.checked_sub(i + 1);
        k.is_some_and(|k| st.has_loose_bvar(e, k as u32))
    };
    if rule.subject == Subject::Number {
        let nat = st.const0("Nat");
        if rule.binders.iter().any(|(ty, var)| *var && *ty != nat) {
            return Some("it has variables that are no natural numbers".to_owned());
        }
        if !is_pattern(el, rule.left) {
            return Some(
                "its left side is not made of functions of one or two natural numbers".to_owned(),
            );
        }
    }
    let mut found: Vec<bool> = (0..count).map(|i| occurs(rule.left, count, i)).collect();
    for (i, (ty, variable)) in rule.binders.iter().enumerate() {
        if *variable {
            continue;
        }
        let Some((_, e, v)) = el.match_eq(*ty) else {
            continue;
        };
        if let Term::BVar(k) = st.node(v)
            && let Some(at) = i.checked_sub(k as usize + 1)
            && (0..i).all(|j| found[j] || !rule.binders[j].1 || !occurs(e, i, j))
        {
            found[at] = true;
        }
    }
    let missing = (0..count).find(|i| rule.binders[*i].1 && !found[*i])?;
    let name = variable_name(el, n, missing);
    Some(format!(
        "its left side does not say what `{name}` is, and no hypothesis `e = {name}` before its use finds it"
    ))
}

/// Whether a term may occur in the e-graph for some values of its variables.
fn is_pattern(el: &Elab<'_>, e: Expr) -> bool {
    let st = el.st;
    if matches!(st.node(e), Term::BVar(_)) || !st.has_loose_bvars(e) {
        return true;
    }
    let (f, args) = st.unfold_app(e);
    matches!(args.len(), 1 | 2) && !st.has_loose_bvars(f) && args.iter().all(|a| is_pattern(el, *a))
}

/// The name of a binder of a theorem.
fn variable_name(el: &Elab<'_>, n: Name, i: usize) -> String {
    let st = el.st;
    let mut ty = el.env.get(n).map(|info| info.ty());
    for _ in 0..i {
        ty = match ty.map(|t| st.node(t)) {
            Some(Term::Pi(_, _, b, _)) => Some(b),
            _ => None,
        };
    }
    match ty.map(|t| st.node(t)) {
        Some(Term::Pi(name, ..)) => st.name_to_string(name),
        _ => "a variable".to_owned(),
    }
}

impl Engine<'_, '_> {
    /// The pattern of a rule's left side.
    pub fn pattern(&mut self, rule: &Rule) -> Option<Pattern<Node>> {
        let nat = self.el.st.const0("Nat");
        if rule.subject != Subject::Number
            || rule.binders.iter().any(|(ty, var)| *var && *ty != nat)
        {
            return None;
        }
        let mut ast: PatternAst<Node> = RecExpr::default();
        self.pattern_of(rule.left, rule.binders.len() as u32, &mut ast)?;
        Some(Pattern::new(ast))
    }

    fn pattern_of(&mut self, e: Expr, count: u32, ast: &mut PatternAst<Node>) -> Option<Id> {
        let st = self.el.st;
        if let Term::BVar(i) = st.node(e) {
            return Some(ast.add(ENodeOrVar::Var(Var::from_u32(count.checked_sub(i + 1)?))));
        }
        if !st.has_loose_bvars(e) {
            let node = match self.el.nat_lit(e) {
                Some(n) => self.g.analysis.ops.literal(st, &n),
                None => self.g.analysis.ops.atom(e),
            };
            let kids = Box::new([]);
            return Some(ast.add(ENodeOrVar::ENode(Node { op: node, kids })));
        }
        let (f, args) = st.unfold_app(e);
        if args.is_empty() || st.has_loose_bvars(f) {
            return None;
        }
        let mut kids = Vec::new();
        for a in &args {
            kids.push(self.pattern_of(*a, count, ast)?);
        }
        let op = self.g.analysis.ops.function(st, f, args.len());
        Some(ast.add(ENodeOrVar::ENode(Node {
            op,
            kids: kids.into(),
        })))
    }

    /// Where a rule's left side occurs, in an order that depends on nothing but the e-graph.
    pub fn matches(&self, pattern: &Pattern<Node>, limit: usize) -> Vec<(Id, Subst)> {
        let mut found = Vec::new();
        for m in pattern.search_with_limit(&self.g, limit) {
            for s in m.substs {
                found.push((m.eclass, s));
            }
        }
        found
    }

    /// The classes that a match puts in for the variables of a rule.
    pub fn arguments(&self, rule: &Rule, subst: &Subst) -> Vec<Id> {
        let found = (0..rule.binders.len()).filter_map(|i| subst.get(Var::from_u32(i as u32)));
        found.map(|id| self.g.find(*id)).collect()
    }

    /// The instance of a rule at a place, if its conditions hold.
    pub fn instance(&mut self, rule: &Rule, subst: &Subst) -> Option<Instance> {
        let mut args: Vec<Option<Expr>> = Vec::new();
        for i in 0..rule.binders.len() {
            let id = subst.get(Var::from_u32(i as u32)).copied();
            args.push(match id {
                None => None,
                Some(id) => {
                    let id = match self.value(id) {
                        Some(n) => self.literal(&n),
                        None => self.g.find(id),
                    };
                    Some(self.term(id))
                }
            });
        }
        self.filled_in(rule, args)
    }

    /// The instance of a rule about a term that it fits, if its conditions hold.
    pub fn instance_at(&mut self, rule: &Rule, e: Expr) -> Option<Instance> {
        let mut args = vec![None; rule.binders.len()];
        let (pattern, term) = match rule.subject {
            // the width is that of the word
            Subject::Word(_) => {
                let p = self.el.match_app(rule.left, "Word.val", 2)?;
                let t = self.el.match_app(e, "Word.val", 2)?;
                (p[1], t[1])
            }
            _ => (rule.left, e),
        };
        self.fits(pattern, term, &mut args).then_some(())?;
        self.filled_in(rule, args)
    }

    /// Matches a term; the variables that occur are filled in.
    fn fits(&mut self, pattern: Expr, e: Expr, args: &mut [Option<Expr>]) -> bool {
        let st = self.el.st;
        match st.node(pattern) {
            Term::BVar(i) => {
                let Some(at) = args.len().checked_sub(i as usize + 1) else {
                    return false;
                };
                match args[at] {
                    None => {
                        args[at] = Some(e);
                        true
                    }
                    Some(old) => self.same_number(old, e),
                }
            }
            Term::App(f, a) if st.has_loose_bvars(pattern) => match st.node(e) {
                Term::App(g, b) => self.fits(f, g, args) && self.fits(a, b, args),
                _ => false,
            },
            _ => self.same_number(pattern, e),
        }
    }

    fn same_number(&mut self, a: Expr, b: Expr) -> bool {
        if a == b {
            return true;
        }
        match (self.evaluated(a), self.evaluated(b)) {
            (Some(x), Some(y)) => x == y,
            _ => false,
        }
    }

    /// An instance once its conditions are proved.
    fn filled_in(&mut self, rule: &Rule, mut args: Vec<Option<Expr>>) -> Option<Instance> {
        let st = self.el.st;
        for (i, (ty, variable)) in rule.binders.iter().enumerate() {
            if *variable {
                continue;
            }
            // `e = v` finds `v`
            if let Some((_, e, v)) = self.el.match_eq(*ty)
                && let Term::BVar(k) = st.node(v)
                && let Some(at) = i.checked_sub(k as usize + 1)
                && args[at].is_none()
            {
                let e = self.filled(e, &args[..i])?;
                let n = self.evaluated(e)?;
                let n = st.nat(&n);
                args[at] = Some(n);
                args[i] = Some(self.refl(n));
                continue;
            }
            let condition = self.filled(*ty, &args[..i])?;
            args[i] = Some(self.discharge(condition)?);
        }
        let left = self.filled(rule.left, &args)?;
        let right = self.filled(rule.right, &args)?;
        let args: Option<Vec<Expr>> = args.into_iter().collect();
        let proof = st.apps(rule.proof, &args?);
        let proof = match rule.reversed {
            false => proof,
            true => self.symm(right, left, proof),
        };
        Some(Instance { left, right, proof })
    }

    /// A part of a rule with its variables filled in. `None` if one is not known that occurs.
    fn filled(&self, e: Expr, args: &[Option<Expr>]) -> Option<Expr> {
        let st = self.el.st;
        let missing = st.const0("False");
        let all: Vec<Expr> = args.iter().map(|a| a.unwrap_or(missing)).collect();
        let n = args.len() as u32;
        let unknown =
            (0..n).any(|k| args[(n - 1 - k) as usize].is_none() && st.has_loose_bvar(e, k));
        (!unknown).then(|| st.instantiate_rev(e, &all))
    }
}
