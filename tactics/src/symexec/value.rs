//! What values are: words rewritten to numbers by the rules marked `@[symexec]`, whose conditions `omega` proves.

use num_traits::ToPrimitive;

use logic::{Expr, Level, Name, Node};
use rustc_hash::FxHashMap;

use crate::meta::{ElabError, Result};
use crate::tactic::omega;

use super::Exec;
use super::rules::Rewritten;

/// How many equations of the context may be used on the way to one normal form.
const MAX_EQUATIONS: usize = 200;

/// Work that one attempt at a condition may take.
const CONDITION: u64 = 400_000;

use super::reach::Reach;

/// What was found out in the present context.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// Normal forms of terms, with a proof that they are equal, and whether all conditions were met.
    normal: FxHashMap<Expr, (Expr, Option<Expr>, bool)>,
    /// Conditions that were proved, or not.
    pub(super) proved: FxHashMap<Expr, Option<Expr>>,
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

    /// What is known of `b`: its value, and the proof.
    pub fn truth(&self, b: Expr) -> Option<(bool, Expr)> {
        self.facts
            .iter()
            .rev()
            .find(|(x, _, _)| *x == b)
            .map(|(_, v, p)| (*v, *p))
    }

    /// `b` has the value by the proof.
    pub fn assume(&mut self, b: Expr, value: bool, proof: Expr) {
        self.facts.push((b, value, proof));
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
        self.equations = 0;
        let (n, p, _) = logic::subst::with_stack(|| self.normal_go(e))?;
        Ok((n, p))
    }

    fn normal_go(&mut self, e: Expr) -> Result<Rewritten> {
        if let Some(r) = self.known.normal.get(&e) {
            return Ok(*r);
        }
        let st = self.el.st;
        let (f, args) = st.unfold_app(e);
        let head = match st.node(f) {
            Node::Const(n, _) if !args.is_empty() => n,
            _ => return Ok((e, None, true)),
        };
        if head == self.names.of_nat {
            return Ok((self.reduced(e, &args), None, true));
        }
        let mut complete = true;
        let (mut cur, mut proof) = (e, None);
        if let Some((next, step, c)) = self.assumed(head, e)? {
            complete &= c;
            self.equations += 1;
            if self.equations > MAX_EQUATIONS {
                let (from, to) = (self.el.pp_short(e), self.el.pp_short(next));
                return Err(ElabError::msg("the equations of the context lead from term to term without end")
                    .code("symexec.limit")
                    .note(format!("one leads from {from} to {to}"))
                    .help("keep hypotheses out of the way of `symexec` by `clear`, or turn them round: the side that is rewritten is the left one"));
            }
            let rest = self.onward((e, None, cur), (next, step))?;
            complete &= rest.2;
            (cur, proof) = (rest.0, rest.1);
        } else if self.descends(head) {
            // the operands
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
                let rest = self.onward((e, proof, cur), (next, step))?;
                complete &= rest.2;
                (cur, proof) = (rest.0, rest.1);
            } else {
                let (next, step, c) = self.explained(head, f, &new, cur)?;
                complete &= c;
                let ty = self.el.infer_type(e)?;
                proof = self.trans(ty, (e, cur, next), proof, step);
                cur = next;
            }
        }
        let r = (cur, proof, complete);
        self.known.normal.insert(e, r);
        Ok(r)
    }

    /// The normal form of `e`, which is `cur` by a proof, and that is `next` by a step.
    fn onward(
        &mut self,
        (e, proof, cur): (Expr, Option<Expr>, Expr),
        (next, step): (Expr, Option<Expr>),
    ) -> Result<Rewritten> {
        self.count()?;
        let (last, rest, c) = logic::subst::with_stack(|| self.normal_go(next))?;
        let ty = self.el.infer_type(e)?;
        let step = self.trans(ty, (cur, next, last), step, rest);
        Ok((last, self.trans(ty, (e, cur, last), proof, step), c))
    }

    /// An operation without a rule: as the meaning of the instruction says, or on the numbers that its operands are. Only if that
    /// comes to something of which more is known.
    fn explained(&mut self, head: Name, f: Expr, args: &[Expr], e: Expr) -> Result<Rewritten> {
        let mut complete = true;
        let (next, step) = if let Some(u) = self.meaning(head, e) {
            (u, None)
        } else {
            let mut found = None;
            for bounded in [false, true] {
                let Some((n, p)) = self.numbered(f, args, bounded)? else {
                    continue;
                };
                let (next, step, c) = self.rewrite(head, n)?;
                complete &= c;
                if next != n {
                    let ty = self.el.infer_type(e)?;
                    found = Some((next, self.trans(ty, (e, n, next), Some(p), step)));
                    break;
                }
            }
            match found {
                Some(f) => f,
                None => return Ok((e, None, complete)),
            }
        };
        let (last, proof, c) = self.onward((e, None, e), (next, step))?;
        complete &= c;
        let more = match self.el.head_const(last) {
            Some(n) => !self.descends(n) || self.names.tests.contains(&n),
            None => true,
        };
        Ok(if more {
            (last, proof, complete)
        } else {
            (e, None, complete)
        })
    }

    /// A literal below `2 ^ w`.
    fn reduced(&self, e: Expr, args: &[Expr]) -> Expr {
        let st = self.el.st;
        if let [w, n] = args[..]
            && let (Node::Nat(width), Node::Nat(n)) = (st.node(w), st.node(n))
            && let Some(width) = width.to_u64().filter(|width| n.bits() > *width)
        {
            let all = num_bigint::BigUint::from(1u32) << width;
            return st.apps(st.const0("Word.ofNat"), &[w, st.nat(&(n % all))]);
        }
        e
    }

    /// Whether the operands of a term with this head are rewritten.
    fn descends(&self, head: Name) -> bool {
        head == self.names.cond
            || head == self.names.val
            || self.rules.marked(head)
            || self.names.tests.contains(&head)
            || self.is_instruction(head)
    }

    /// Whether a term is a word, the number of one, or a truth value, and so has a normal form.
    fn is_value(&mut self, a: Expr) -> Result<bool> {
        if self.el.head_const(a) == Some(self.names.val) {
            return Ok(true);
        }
        let ty = self.el.infer_type(a)?;
        let ty = self.el.whnf_core(ty);
        let head = self.el.head_const(ty);
        Ok(head == Some(self.names.word) || head == Some(self.names.bool))
    }

    /// `f args = f new` from the proofs for the arguments that differ.
    pub(super) fn congruence(
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
            if let Some((_, params, _)) = self.el.ext.projections.get(&n).copied()
                && n != self.names.val
            {
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
