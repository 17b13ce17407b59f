//! Rules: theorems marked `@[symexec]`, and the equations of the context, which say what a word or a truth value is.

use logic::{Expr, Name, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Exec;
use crate::meta::{Elab, Result};

/// How many parts a meaning may have that is looked into.
const SMALL: usize = 120;

/// A rule: a proof of `∀ …, conditions → lhs = rhs`.
#[derive(Clone, Copy)]
struct Rule {
    proof: Expr,
    ty: Expr,
}

/// The rules, by the head of their left side.
#[derive(Default)]
pub(super) struct Rules {
    /// Those of the library and of the user.
    marked: FxHashMap<Name, Vec<Rule>>,
    /// Those of the context.
    assumed: FxHashMap<Name, Vec<Rule>>,
}

impl Rules {
    /// The rules that are in scope.
    pub fn new(el: &mut Elab<'_>) -> Rules {
        let mut rules = Rules::default();
        let marked: Vec<Name> = el
            .ext
            .other
            .get("symexec")
            .into_iter()
            .flatten()
            .copied()
            .collect();
        for n in marked {
            let Some(info) = el.env.get(n).filter(|_| !el.is_hidden(n)) else {
                continue;
            };
            let rule = Rule {
                proof: el.st.constant(n, &[]),
                ty: info.ty(),
            };
            if let Some((_, head)) = sides(el, rule.ty) {
                rules.marked.entry(head).or_default().push(rule);
            }
        }
        let locals: Vec<_> = el.lctx.iter().collect();
        let kinds = [el.st.name("Word"), el.st.name("Bool")];
        let number = el.st.name("Word.ofNat");
        for id in locals {
            let decl = el.local(id);
            if decl.aux {
                continue;
            }
            let ty = el.instantiate_mvars(decl.ty);
            if let Some((kind, head)) = sides(el, ty)
                && kind.is_some_and(|k| kinds.contains(&k))
                && head != number
            {
                let proof = el.mk_fvar(id);
                rules
                    .assumed
                    .entry(head)
                    .or_default()
                    .push(Rule { proof, ty });
            }
        }
        rules
    }

    /// Whether there is one of the library or the user for this head.
    pub fn marked(&self, head: Name) -> bool {
        self.marked.contains_key(&head)
    }
}

/// The heads of the type and of the left side of the equation that a rule states.
fn sides(el: &Elab<'_>, mut ty: Expr) -> Option<(Option<Name>, Name)> {
    while let Node::Pi(_, _, b, _) = el.st.node(ty) {
        ty = b;
    }
    let (kind, lhs, _) = el.match_eq(ty)?;
    Some((el.head_const(kind), el.head_const(lhs)?))
}

/// What rewriting came to: the term, a proof that it is equal unless it is so by definition, and whether all conditions that
/// were tried were met.
pub(super) type Rewritten = (Expr, Option<Expr>, bool);

impl<'a, 'b> Exec<'a, 'b> {
    /// What the context says that a term is.
    pub(super) fn assumed(&mut self, head: Name, e: Expr) -> Result<Option<Rewritten>> {
        let rules = self.rules.assumed.get(&head).cloned().unwrap_or_default();
        self.first_of(&rules, e, &mut true)
    }

    /// One rule at the head of a term.
    pub(super) fn rewrite(&mut self, head: Name, e: Expr) -> Result<Rewritten> {
        let st = self.el.st;
        if head == self.names.cond
            && let (_, args) = st.unfold_app(e)
            && let [ty, b, x, y] = args[..]
            && let Some((value, p)) = self.truth_of(b)?
        {
            let name = if value {
                "Ptx.cond_of_true"
            } else {
                "Ptx.cond_of_false"
            };
            let h = st.apps(st.const0(name), &[ty, b, x, y, p]);
            return Ok((if value { x } else { y }, Some(h), true));
        }
        let rules = self.rules.marked.get(&head).cloned().unwrap_or_default();
        let mut complete = true;
        Ok(self
            .first_of(&rules, e, &mut complete)?
            .unwrap_or((e, None, complete)))
    }

    /// The first of some rules that can be used at the head of a term. `complete` becomes false if a condition was not met.
    fn first_of(
        &mut self,
        rules: &[Rule],
        e: Expr,
        complete: &mut bool,
    ) -> Result<Option<Rewritten>> {
        for rule in rules {
            let (ms, _, eq) = self.el.forall_mvar_telescope(rule.ty, None);
            let Some((_, lhs, rhs)) = self.el.match_eq(eq) else {
                continue;
            };
            if !self.el.is_defeq_reducible(lhs, e) {
                continue;
            }
            let mut holds = true;
            for m in &ms {
                if self.el.is_assigned(*m) {
                    continue;
                }
                let p = self.el.mvar_type(*m);
                let p = self.el.instantiate_mvars(p);
                if !self.el.is_prop(p) || self.el.st.has_mvar(p) {
                    holds = false;
                    break;
                }
                let p = self.tidy(p);
                match self.condition(p) {
                    Some(proof) => self.el.assign(*m, proof),
                    None => {
                        holds = false;
                        *complete = false;
                        break;
                    }
                }
            }
            if !holds {
                continue;
            }
            let rhs = self.el.instantiate_mvars(rhs);
            let rhs = self.tidy(rhs);
            let args: Vec<Expr> = ms.iter().map(|m| self.el.mk_mvar(*m)).collect();
            let proof = self.el.st.apps(rule.proof, &args);
            let proof = self.el.instantiate_mvars(proof);
            return Ok(Some((rhs, Some(proof), *complete)));
        }
        Ok(None)
    }

    /// A proof of a condition: of a truth value by computation, of others by `omega`.
    fn condition(&mut self, p: Expr) -> Option<Expr> {
        let st = self.el.st;
        let yes = st.const0("Bool.true");
        if let Some((_, b, t)) = self.el.match_eq(p)
            && t == yes
        {
            let literal = !st.has_fvar(b) && !st.has_mvar(b);
            return (literal && self.el.whnf(b) == yes).then_some(self.yes);
        }
        match self.arithmetic(p) {
            None if self.bitwise(p) => self.bounded(p),
            proof => proof,
        }
    }

    /// Whether an operation on bits occurs in a proposition, of which `index` knows bounds.
    fn bitwise(&self, e: Expr) -> bool {
        let st = self.el.st;
        let mut seen = FxHashSet::default();
        let mut left = vec![e];
        while let Some(e) = left.pop() {
            let (f, args) = st.unfold_app(e);
            if matches!(st.node(f), Node::Const(n, _) if self.names.bitwise.contains(&n)) {
                return true;
            }
            left.extend(args.into_iter().filter(|a| seen.insert(*a)));
        }
        false
    }

    /// A proof of `p` by `index`, if it finds one.
    pub(super) fn bounded(&mut self, p: Expr) -> Option<Expr> {
        let saved = self.el.save();
        let proof = crate::tactic::index::discharge(self.el, p);
        if proof.is_none() {
            self.el.restore(&saved);
        }
        self.known.proved.insert(p, proof);
        proof
    }

    /// An instruction as its meaning says what it is, also under `Word.toBool`.
    pub(super) fn meaning(&mut self, head: Name, e: Expr) -> Option<Expr> {
        let st = self.el.st;
        if self.is_instruction(head) {
            let value = self.el.const_value(head, &[])?;
            if !self.small(value) {
                return None;
            }
            let u = self.el.unfold_const_raw(e)?;
            return Some(self.el.whnf_core(u));
        }
        let x = self.el.match_app(e, "Word.toBool", 1)?[0];
        let inner = self.el.head_const(x)?;
        let u = self.meaning(inner, x)?;
        Some(st.app(st.const0("Word.toBool"), u))
    }

    /// Whether a meaning is short enough to be looked into: those of `popc` or `brev` copy their operand for each bit.
    fn small(&self, value: Expr) -> bool {
        let mut left = vec![value];
        let mut seen = 0;
        while let Some(e) = left.pop() {
            seen += 1;
            if seen > SMALL {
                return false;
            }
            match self.el.st.node(e) {
                Node::Lam(_, _, b, _) => left.push(b),
                _ => left.extend(self.el.st.unfold_app(e).1),
            }
        }
        true
    }

    /// Whether this is the name of an instruction's meaning.
    pub(super) fn is_instruction(&self, head: Name) -> bool {
        let st = self.el.st;
        let mut root = head;
        while !st.name_prefix(root).is_anon() {
            root = st.name_prefix(root);
        }
        root == self.names.ptx
    }

    /// Words that are not given as numbers become the numbers that they are: `x` becomes `Word.ofNat w x.val`. `bounded`: also
    /// `Word.ofNat w a` becomes `Word.ofNat w (a % 2 ^ w)`.
    pub(super) fn numbered(
        &mut self,
        f: Expr,
        args: &[Expr],
        bounded: bool,
    ) -> Result<Option<(Expr, Expr)>> {
        let st = self.el.st;
        let mut new = args.to_vec();
        let mut proofs = vec![None; args.len()];
        for (i, x) in args.iter().enumerate() {
            let ty = self.el.infer_type(*x)?;
            let ty = self.el.whnf_core(ty);
            let Some(w) = self.el.match_app(ty, "Word", 1).map(|a| a[0]) else {
                continue;
            };
            // predicates stay what they are
            if w == self.num(1) {
                continue;
            }
            let number = self.el.match_app(*x, "Word.ofNat", 2).map(|a| a[1]);
            let (value, proof) = match number {
                None => {
                    let value = st.apps(st.const0("Word.val"), &[w, *x]);
                    (value, self.call("number_of", &[("w", w), ("x", *x)])?)
                }
                Some(a) if bounded && !matches!(st.node(a), Node::Nat(_)) => {
                    let all = st.apps(st.const0("Nat.pow"), &[self.num(2), w]);
                    let value = st.apps(st.const0("Nat.mod"), &[a, self.el.whnf(all)]);
                    (value, self.call("number_below", &[("w", w), ("a", a)])?)
                }
                Some(_) => continue,
            };
            new[i] = st.apps(st.const0("Word.ofNat"), &[w, value]);
            proofs[i] = Some(proof);
        }
        if new == args {
            return Ok(None);
        }
        let whole = st.apps(f, &new);
        let proof = self.congruence(f, args, &new, &proofs)?;
        Ok(proof.map(|p| (whole, p)))
    }
}
