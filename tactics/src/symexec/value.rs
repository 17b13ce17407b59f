//! What values are: words rewritten to numbers by the rules marked `@[symexec]`, whose conditions `omega` proves.

use logic::{Expr, Level, Name, Node};
use rustc_hash::FxHashMap;

use crate::meta::{Elab, Result};
use crate::tactic::omega;

use super::Exec;

/// Work that one attempt at a condition may take.
const CONDITION: u64 = 400_000;

use super::reach::Reach;

/// What was found out in the present context.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// Normal forms of terms, with a proof that they are equal, and whether all conditions were met.
    normal: FxHashMap<Expr, (Expr, Option<Expr>, bool)>,
    /// Conditions that were proved, or not.
    proved: FxHashMap<Expr, Option<Expr>>,
    /// Truth values that are known: the term, the value, and the proof.
    facts: Vec<(Expr, bool, Expr)>,
    /// How far addresses reach from a base without wrapping.
    pub reach: FxHashMap<Expr, Reach>,
}

impl Known {
    /// What still holds when more is assumed.
    pub fn inside(&self) -> Known {
        Known {
            normal: self
                .normal
                .iter()
                .filter(|(_, v)| v.2)
                .map(|(k, v)| (*k, *v))
                .collect(),
            proved: self
                .proved
                .iter()
                .filter(|(_, v)| v.is_some())
                .map(|(k, v)| (*k, *v))
                .collect(),
            facts: self.facts.clone(),
            reach: self.reach.iter().map(|(e, r)| (*e, r.inside())).collect(),
        }
    }

    /// The proof of what is known of `b`.
    pub fn truth(&self, b: Expr) -> Option<Expr> {
        self.facts
            .iter()
            .rev()
            .find(|(x, _, _)| *x == b)
            .map(|(_, _, p)| *p)
    }

    /// `b` has the value by the proof.
    pub fn assume(&mut self, b: Expr, value: bool, proof: Expr) {
        self.facts.push((b, value, proof));
    }
}

/// The rules, by the head of their left side.
#[derive(Default)]
pub(super) struct Rules(FxHashMap<Name, Vec<Name>>);

impl Rules {
    /// The rules that are in scope.
    pub fn new(el: &Elab<'_>) -> Rules {
        let mut all: FxHashMap<Name, Vec<Name>> = FxHashMap::default();
        for n in el.ext.other.get("symexec").into_iter().flatten() {
            let Some(info) = el.env.get(*n).filter(|_| !el.is_hidden(*n)) else {
                continue;
            };
            let mut ty = info.ty();
            while let Node::Pi(_, _, b, _) = el.st.node(ty) {
                ty = b;
            }
            if let Some((_, lhs, _)) = el.match_eq(ty)
                && let Some(head) = el.head_const(lhs)
            {
                all.entry(head).or_default().push(*n);
            }
        }
        Rules(all)
    }
}

impl<'a, 'b> Exec<'a, 'b> {
    /// A proof of `p` by `omega`, if it finds one.
    pub(super) fn arithmetic(&mut self, p: Expr) -> Option<Expr> {
        if let Some(r) = self.known.proved.get(&p) {
            return *r;
        }
        let r = self.attempt(p);
        self.known.proved.insert(p, r);
        r
    }

    fn attempt(&mut self, p: Expr) -> Option<Expr> {
        let goal = self.el.mk_goal(p, Name::ANON);
        let saved = self.el.save();
        let r = crate::tactic::util::with_budget(self.el, CONDITION, |el| omega::omega(el, goal));
        if r.is_err() {
            self.el.restore(&saved);
            return None;
        }
        let e = self.el.mk_mvar(goal);
        Some(self.el.instantiate_mvars(e))
    }

    /// `a = b` as a term, for types in `Type`.
    pub(super) fn eq(&self, ty: Expr, a: Expr, b: Expr) -> Expr {
        let one = self.el.st.level_nat(1);
        let c = self.el.st.constant(self.el.st.name("Eq"), &[one]);
        self.el.st.apps(c, &[ty, a, b])
    }

    /// `Eq.refl a`.
    pub(super) fn refl(&self, ty: Expr, a: Expr) -> Expr {
        let one = self.el.st.level_nat(1);
        let c = self.el.st.constant(self.el.st.name("Eq.refl"), &[one]);
        self.el.st.apps(c, &[ty, a])
    }

    /// `a = c` from `a = b` and `b = c`, of which one may hold by computation.
    pub(super) fn trans(
        &self,
        ty: Expr,
        (a, b, c): (Expr, Expr, Expr),
        p: Option<Expr>,
        q: Option<Expr>,
    ) -> Option<Expr> {
        match (p, q) {
            (None, q) => q,
            (p, None) => p,
            (Some(p), Some(q)) => {
                let one = self.el.st.level_nat(1);
                let t = self.el.st.constant(self.el.st.name("Eq.trans"), &[one]);
                Some(self.el.st.apps(t, &[ty, a, b, c, p, q]))
            }
        }
    }

    /// The normal form of a term, and a proof that it is equal where it differs.
    pub(super) fn normal(&mut self, e: Expr) -> Result<(Expr, Option<Expr>)> {
        let (n, p, _) = logic::subst::with_stack(|| self.normal_go(e))?;
        Ok((n, p))
    }

    fn normal_go(&mut self, e: Expr) -> Result<(Expr, Option<Expr>, bool)> {
        if let Some(r) = self.known.normal.get(&e) {
            return Ok(*r);
        }
        let st = self.el.st;
        let (f, args) = st.unfold_app(e);
        let head = match st.node(f) {
            Node::Const(n, _) if n != self.names.of_nat && !args.is_empty() => n,
            _ => return Ok((e, None, true)),
        };
        let mut complete = true;
        // the operands
        let (mut cur, mut proof) = (e, None);
        if self.descends(head) {
            let mut new = args.clone();
            let mut proofs = vec![None; args.len()];
            for (i, a) in args.iter().enumerate() {
                if self.is_value(*a)? {
                    let (n, p, c) = self.normal_go(*a)?;
                    new[i] = n;
                    proofs[i] = p;
                    complete &= c;
                }
            }
            if new != args {
                proof = self.congruence(f, &args, &new, &proofs)?;
                cur = st.apps(f, &new);
            }
            let (next, step, c) = self.rewrite(head, cur)?;
            complete &= c;
            if next != cur {
                let (last, rest, c) = logic::subst::with_stack(|| self.normal_go(next))?;
                complete &= c;
                let ty = self.el.infer_type(e)?;
                let step = self.trans(ty, (cur, next, last), step, rest);
                proof = self.trans(ty, (e, cur, last), proof, step);
                cur = last;
            }
        }
        let r = (cur, proof, complete);
        self.known.normal.insert(e, r);
        Ok(r)
    }

    /// Whether the operands of a term with this head are rewritten.
    fn descends(&self, head: Name) -> bool {
        let st = self.el.st;
        let mut root = head;
        while !st.name_prefix(root).is_anon() {
            root = st.name_prefix(root);
        }
        root == self.names.ptx || head == self.names.cond || self.rules.0.contains_key(&head)
    }

    /// Whether a term is a word or a truth value, and so has a normal form.
    fn is_value(&mut self, a: Expr) -> Result<bool> {
        let ty = self.el.infer_type(a)?;
        let head = self.el.head_const(ty);
        Ok(head == Some(self.names.word) || head == Some(self.names.bool))
    }

    /// `f args = f new` from the proofs for the arguments that differ.
    fn congruence(
        &mut self,
        f: Expr,
        args: &[Expr],
        new: &[Expr],
        proofs: &[Option<Expr>],
    ) -> Result<Option<Expr>> {
        let st = self.el.st;
        let one = st.level_nat(1);
        let whole = st.apps(f, args);
        let out = self.el.infer_type(whole)?;
        let (mut cur, mut proof) = (args.to_vec(), None);
        for (i, p) in proofs.iter().enumerate() {
            let Some(p) = p else {
                cur[i] = new[i];
                continue;
            };
            let ty = self.el.infer_type(args[i])?;
            let mut body = cur.clone();
            body[i] = st.bvar(0);
            let from = st.apps(f, &cur);
            let lam = st.lam(
                st.name("z"),
                ty,
                st.apps(f, &body),
                logic::BinderInfo::Default,
            );
            cur[i] = new[i];
            let to = st.apps(f, &cur);
            let c = st.constant(st.name("congrArg"), &[one, one]);
            let step = st.apps(c, &[ty, out, args[i], new[i], lam, *p]);
            proof = self.trans(out, (whole, from, to), proof, Some(step));
        }
        Ok(proof)
    }

    /// One rule at the head of a term.
    fn rewrite(&mut self, head: Name, e: Expr) -> Result<(Expr, Option<Expr>, bool)> {
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
        let rules = self.rules.0.get(&head).cloned().unwrap_or_default();
        let mut complete = true;
        for rule in rules {
            let ty = match self.el.env.get(rule) {
                Some(info) => info.ty(),
                None => continue,
            };
            let (ms, _, eq) = self.el.forall_mvar_telescope(ty, None);
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
                if !self.el.is_prop(p) || self.el.st.has_mvar(p) {
                    holds = false;
                    break;
                }
                match self.arithmetic(p) {
                    Some(proof) => self.el.assign(*m, proof),
                    None => {
                        holds = false;
                        complete = false;
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
            let proof = st.apps(st.constant(rule, &[]), &args);
            let proof = self.el.instantiate_mvars(proof);
            return Ok((rhs, Some(proof), complete));
        }
        Ok((e, None, complete))
    }

    /// Sums and products of literals, and projections of what is given by its fields, computed.
    pub(super) fn tidy(&mut self, e: Expr) -> Expr {
        let st = self.el.st;
        if self.el.st.has_loose_bvars(e) {
            return e;
        }
        if let Some(r) = self.tidied.get(&e) {
            return *r;
        }
        let (f, args) = st.unfold_app(e);
        let mut r = e;
        if !args.is_empty()
            && let Node::Const(n, _) = st.node(f)
        {
            let new: Vec<Expr> = args.iter().map(|a| self.tidy(*a)).collect();
            r = st.apps(f, &new);
            let literal = |x: &Expr| matches!(st.node(*x), Node::Nat(_));
            if let Some((_, params, _)) = self.el.ext.projections.get(&n).copied() {
                if let Some(x) = new.get(params).copied() {
                    let w = self.el.whnf(x);
                    if let Some(logic::ConstantInfo::Constructor(_)) =
                        self.el.head_const(w).and_then(|c| self.el.const_info(c))
                    {
                        let whole =
                            st.apps(f, &[&new[..params], &[w], &new[params + 1..]].concat());
                        let v = self.el.whnf_core(whole);
                        let v = self
                            .el
                            .unfold_const_raw(whole)
                            .map_or(v, |u| self.el.whnf_core(u));
                        r = self.tidy(v);
                    }
                }
            } else if self.el.nat_ops.contains_key(&n) && new.iter().all(literal) {
                r = self.el.whnf(r);
            }
        }
        self.tidied.insert(e, r);
        r
    }

    /// The number that a word is, and the proof `x = Word.ofNat w e`.
    pub(super) fn number(&mut self, width: u32, x: Expr) -> Result<(Expr, Expr)> {
        let st = self.el.st;
        let w = st.nat_u64(u64::from(width));
        let ty = st.app(st.const0("Word"), w);
        let (n, p) = self.normal(x)?;
        if let Some(a) = self.el.match_app(n, "Word.ofNat", 2) {
            let p = match p {
                Some(p) => p,
                None => self.refl(ty, n),
            };
            return Ok((a[1], p));
        }
        let e = st.apps(st.const0("Word.val"), &[w, n]);
        let to = st.apps(st.const0("Word.ofNat"), &[w, e]);
        let q = self.call("number_of", &[("w", w), ("x", n)])?;
        let p = self.trans(ty, (x, n, to), p, Some(q)).unwrap_or(q);
        Ok((e, p))
    }

    /// `true` or `false`, if a truth value can be decided, with the proof.
    pub(super) fn truth_of(&mut self, b: Expr) -> Result<Option<(bool, Expr)>> {
        if let Some((_, v, p)) = self.known.facts.iter().rev().find(|(x, _, _)| *x == b) {
            return Ok(Some((*v, *p)));
        }
        let st = self.el.st;
        let bool_ty = st.const0("Bool");
        let (f, args) = st.unfold_app(b);
        let Node::Const(n, _) = st.node(f) else {
            return Ok(None);
        };
        let name = st.name_to_string(n);
        Ok(match (name.as_str(), &args[..]) {
            ("Bool.true", _) => Some((true, self.refl(bool_ty, b))),
            ("Bool.false", _) => Some((false, self.refl(bool_ty, b))),
            ("Nat.ble", [x, y]) | ("Nat.blt", [x, y]) => {
                let strict = name == "Nat.blt";
                let ops = if strict {
                    ["Nat.lt", "Nat.le"]
                } else {
                    ["Nat.le", "Nat.lt"]
                };
                let yes = st.apps(st.const0(ops[0]), &[*x, *y]);
                let no = st.apps(st.const0(ops[1]), &[*y, *x]);
                let lemmas = if strict {
                    ["blt_true", "blt_false"]
                } else {
                    ["ble_true", "ble_false"]
                };
                self.either((yes, lemmas[0]), (no, lemmas[1]), *x, *y)?
            }
            ("Nat.beq", [x, y]) => {
                let nat = st.const0("Nat");
                let yes = self.eq(nat, *x, *y);
                let no = self.el.mk_not(yes);
                self.either((yes, "beq_of_eq"), (no, "beq_of_ne"), *x, *y)?
            }
            ("Bool.not", [x]) => match self.truth_of(*x)? {
                None => None,
                Some((v, p)) => {
                    let name = if v { "not_true" } else { "not_false" };
                    Some((!v, self.call(name, &[("a", *x), ("h", p)])?))
                }
            },
            ("Bool.and", [x, y]) | ("Bool.or", [x, y]) => {
                let and = name == "Bool.and";
                // the value that decides
                let (a, b) = (self.truth_of(*x)?, self.truth_of(*y)?);
                match (a, b) {
                    (Some((v, p)), _) if v != and => {
                        let l = if and {
                            "and_false_left"
                        } else {
                            "or_true_left"
                        };
                        Some((v, self.call(l, &[("a", *x), ("b", *y), ("h", p)])?))
                    }
                    (_, Some((v, p))) if v != and => {
                        let l = if and {
                            "and_false_right"
                        } else {
                            "or_true_right"
                        };
                        Some((v, self.call(l, &[("a", *x), ("b", *y), ("h", p)])?))
                    }
                    (Some((_, p)), Some((_, q))) => {
                        let l = if and { "and_true" } else { "or_false" };
                        Some((
                            and,
                            self.call(l, &[("a", *x), ("b", *y), ("h", p), ("k", q)])?,
                        ))
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }

    fn either(
        &mut self,
        yes: (Expr, &'static str),
        no: (Expr, &'static str),
        x: Expr,
        y: Expr,
    ) -> Result<Option<(bool, Expr)>> {
        for (value, (p, lemma)) in [(true, yes), (false, no)] {
            if let Some(h) = self.arithmetic(p) {
                return Ok(Some((
                    value,
                    self.call(lemma, &[("a", x), ("b", y), ("h", h)])?,
                )));
            }
        }
        Ok(None)
    }

    /// What a truth value says: a proposition, and the lemma that derives it from `b = value`.
    pub(super) fn meaning_of(
        &mut self,
        b: Expr,
        value: bool,
        h: Expr,
    ) -> Result<Option<(Expr, Expr)>> {
        let st = self.el.st;
        let (f, args) = st.unfold_app(b);
        let Node::Const(n, _) = st.node(f) else {
            return Ok(None);
        };
        let name = st.name_to_string(n);
        let (p, lemma, x, y) = match (name.as_str(), &args[..], value) {
            ("Nat.ble", [x, y], true) => (
                st.apps(st.const0("Nat.le"), &[*x, *y]),
                "of_ble_true",
                *x,
                *y,
            ),
            ("Nat.ble", [x, y], false) => (
                st.apps(st.const0("Nat.lt"), &[*y, *x]),
                "of_ble_false",
                *x,
                *y,
            ),
            ("Nat.blt", [x, y], true) => (
                st.apps(st.const0("Nat.lt"), &[*x, *y]),
                "of_blt_true",
                *x,
                *y,
            ),
            ("Nat.blt", [x, y], false) => (
                st.apps(st.const0("Nat.le"), &[*y, *x]),
                "of_blt_false",
                *x,
                *y,
            ),
            ("Nat.beq", [x, y], _) => {
                let e = self.eq(st.const0("Nat"), *x, *y);
                match value {
                    true => (e, "of_beq_true", *x, *y),
                    false => (self.el.mk_not(e), "of_beq_false", *x, *y),
                }
            }
            ("Bool.not", [x], _) => {
                let l = if value { "of_not_true" } else { "of_not_false" };
                let h = self.call(l, &[("a", *x), ("h", h)])?;
                return self.meaning_of(*x, !value, h);
            }
            _ => return Ok(None),
        };
        let proof = self.call(lemma, &[("a", x), ("b", y), ("h", h)])?;
        Ok(Some((p, proof)))
    }

    /// A level for lists and options of types in `Type`.
    pub(super) fn list_of(&self, ty: Expr, items: &[Expr]) -> Expr {
        let st = self.el.st;
        let nil = st.constant(st.name("List.nil"), &[Level::ZERO]);
        let cons = st.constant(st.name("List.cons"), &[Level::ZERO]);
        items
            .iter()
            .rev()
            .fold(st.app(nil, ty), |rest, x| st.apps(cons, &[ty, *x, rest]))
    }
}
