//! Simplification of subterms, with the proofs that the whole follows.

use logic::{BinderInfo, Expr, Name, Node};

use crate::meta::{Elab, Result};

use super::engine::Simp;
use super::eval::is_value;
use super::result::{
    Simplified, congr, congr_arg, congr_fun, eq_true, of_eq_false, of_eq_true, proof_or_refl, trans,
};

impl Simp {
    /// Simplifies the subterms of a term.
    pub(super) fn congruence<'b>(&mut self, el: &mut Elab<'b>, e: Expr) -> Result<Simplified> {
        let st = el.st;
        match st.node(e) {
            Node::App(..) => {
                let (f, args) = st.unfold_app(e);
                if let Node::Const(n, _) = st.node(f) {
                    match &*st.name_to_string(n) {
                        "ite" if args.len() >= 5 => return self.if_then_else(el, e, &args, false),
                        "dite" if args.len() >= 5 => return self.if_then_else(el, e, &args, true),
                        _ => {}
                    }
                }
                self.application(el, e, f, &args)
            }
            Node::Lam(n, t, b, bi) => self.lambda(el, e, (n, t, b, bi)),
            Node::Pi(n, t, b, bi) => self.pi(el, e, (n, t, b, bi)),
            Node::Proj(s, i, x) => self.projection(el, e, s, i, x),
            _ => Ok(Simplified::same(e)),
        }
    }

    fn application<'b>(
        &mut self,
        el: &mut Elab<'b>,
        e: Expr,
        f: Expr,
        args: &[Expr],
    ) -> Result<Simplified> {
        let st = el.st;
        let head = match st.node(f) {
            Node::Proj(..) | Node::Lam(..) => self.simplify(el, f)?,
            // `f a` with a rule `f = fun x => …`.
            Node::FVar(_) | Node::Const(..) if self.rules.has_candidates(st, f) => {
                self.simplify(el, f)?
            }
            _ => Simplified::same(f),
        };
        // `old` and `new` are the function applied to the arguments so far.
        let (mut old, mut new) = (f, head.expr);
        let mut proof = head.proof;
        let mut fty = el.infer_type(f)?;
        let cases = el.head_const(f).and_then(|n| el.cases_on_info(n));
        // The scrutinee of a match is a value now: one branch is left, and the others do not matter.
        let mut chosen = false;
        for (i, a) in args.iter().enumerate() {
            if !matches!(st.node(fty), Node::Pi(..)) {
                fty = el.whnf(fty);
            }
            let Node::Pi(_, dom, body, bi) = st.node(fty) else {
                return Ok(Simplified::same(e));
            };
            let dependent = el.bvar_occurs(body, 0);
            let r = if chosen || skip_argument(el, dom, bi, *a) {
                Simplified::same(*a)
            } else if dependent {
                let r = self.simplify(el, *a)?;
                if r.expr != *a && r.proof.is_some() {
                    // Types of later arguments mention this one: rewrite it in the whole term, proofs along with it.
                    let rest = &args[i + 1..];
                    match dependent_step(el, (old, new, proof), *a, r, fty, rest, e)? {
                        Some(step) => {
                            return self.after_step(el, e, step);
                        }
                        None => Simplified::same(*a),
                    }
                } else {
                    // Changed by computation only: the types of later arguments stay equal.
                    r
                }
            } else {
                self.simplify(el, *a)?
            };
            chosen |= cases.is_some_and(|c| i == c.major()) && is_value(el, r.expr);
            proof = congr_step(el, (old, new, proof), *a, &r)?;
            old = st.app(old, *a);
            new = st.app(new, r.expr);
            fty = st.instantiate1(body, *a);
        }
        Ok(Simplified { expr: new, proof })
    }

    fn after_step<'b>(
        &mut self,
        el: &mut Elab<'b>,
        e: Expr,
        step: Simplified,
    ) -> Result<Simplified> {
        let more = self.congruence(el, step.expr)?;
        trans(el, e, step, more)
    }

    fn projection<'b>(
        &mut self,
        el: &mut Elab<'b>,
        e: Expr,
        s: Name,
        i: u32,
        x: Expr,
    ) -> Result<Simplified> {
        let st = el.st;
        let r = self.simplify(el, x)?;
        if r.expr == x {
            return Ok(Simplified::same(e));
        }
        let new = st.proj(s, i, r.expr);
        let Some(h) = r.proof else {
            return Ok(Simplified::same(new));
        };
        // `fun y => y.i`, if its type does not depend on `y`.
        let ty = el.infer_type(x)?;
        let f = st.lam(
            st.name("y"),
            ty,
            st.proj(s, i, st.bvar(0)),
            BinderInfo::Default,
        );
        let fty = el.infer_type(f)?;
        match st.node(fty) {
            Node::Pi(_, _, b, _) if !el.bvar_occurs(b, 0) => {
                let p = congr_arg(el, f, x, r.expr, h)?;
                Ok(Simplified {
                    expr: new,
                    proof: Some(p),
                })
            }
            _ => Ok(Simplified::same(e)),
        }
    }

    fn lambda<'b>(
        &mut self,
        el: &mut Elab<'b>,
        e: Expr,
        (n, t, b, bi): (Name, Expr, Expr, BinderInfo),
    ) -> Result<Simplified> {
        let st = el.st;
        el.with_lctx_saved(|el| {
            let x = el.push_local(n, t, bi);
            let body = st.instantiate1(b, x);
            let r = self.below_binder(el, (x, t), body)?;
            if r.expr == body {
                return Ok(Simplified::same(e));
            }
            let new = el.mk_lambda(&[x], r.expr);
            let Some(h) = r.proof else {
                return Ok(Simplified::same(new));
            };
            let la = el.level_of(t)?;
            let bty = el.infer_type(body)?;
            let lb = el.level_of(bty)?;
            let family = el.mk_lambda(&[x], bty);
            let h = el.mk_lambda(&[x], h);
            let c = st.constant(st.name("funext"), &[la, lb]);
            Ok(Simplified {
                expr: new,
                proof: Some(st.apps(c, &[t, family, e, new, h])),
            })
        })
    }

    fn pi<'b>(
        &mut self,
        el: &mut Elab<'b>,
        e: Expr,
        (n, t, b, bi): (Name, Expr, Expr, BinderInfo),
    ) -> Result<Simplified> {
        let st = el.st;
        if !el.is_prop(e) {
            return Ok(Simplified::same(e));
        }
        if !st.has_loose_bvars(b) && el.is_prop(t) {
            return self.implication(el, e, (n, t, b, bi));
        }
        el.with_lctx_saved(|el| {
            let x = el.push_local(n, t, bi);
            let body = st.instantiate1(b, x);
            let r = self.below_binder(el, (x, t), body)?;
            if r.expr == st.const0("True") {
                let p = of_eq_true(el, body, r.proof);
                let p = el.mk_lambda(&[x], p);
                return Ok(eq_true(el, e, p));
            }
            if r.expr == body {
                return Ok(Simplified::same(e));
            }
            let new = el.mk_pi(&[x], r.expr);
            let Some(h) = r.proof else {
                return Ok(Simplified::same(new));
            };
            let la = el.level_of(t)?;
            let p = el.mk_lambda(&[x], body);
            let q = el.mk_lambda(&[x], r.expr);
            let h = el.mk_lambda(&[x], h);
            let c = st.constant(st.name("forall_congr"), &[la]);
            Ok(Simplified {
                expr: new,
                proof: Some(st.apps(c, &[t, p, q, h])),
            })
        })
    }

    /// `p → q`.
    fn implication<'b>(
        &mut self,
        el: &mut Elab<'b>,
        e: Expr,
        (n, p, q, bi): (Name, Expr, Expr, BinderInfo),
    ) -> Result<Simplified> {
        let st = el.st;
        let (truth, falsity) = (st.const0("True"), st.const0("False"));
        let rp = self.simplify(el, p)?;
        let (rq, assumed) = if self.contextual && rp.expr != truth && rp.expr != falsity {
            self.assuming(el, n, rp.expr, q)?
        } else {
            (self.simplify(el, q)?, None)
        };
        let lam = |ty: Expr, body: Expr| st.lam(n, ty, body, BinderInfo::Default);
        if rq.expr == truth {
            let h = of_eq_true(el, q, rq.proof);
            let h = match assumed {
                None => lam(p, h),
                Some(x) => {
                    let h = el.mk_lambda(&[x], h);
                    weaken(el, (n, p), rp.proof, h)?
                }
            };
            return Ok(eq_true(el, e, h));
        }
        if rp.expr == falsity {
            let not_p = of_eq_false(el, p, rp.proof);
            let absurd = st.app(not_p, st.bvar(0));
            let h = st.constant(st.name("False.elim"), &[logic::Level::ZERO]);
            let h = st.apps(h, &[q, absurd]);
            return Ok(eq_true(el, e, lam(p, h)));
        }
        let new = st.pi(n, rp.expr, rq.expr, bi);
        let step = match (rp.proof, rq.proof) {
            (None, None) => Simplified::same(new),
            _ => {
                let hp = proof_or_refl(el, &rp)?;
                let hq = proof_or_refl(el, &rq)?;
                let (c, hq) = match assumed {
                    None => {
                        let levels = [logic::Level::ZERO, logic::Level::ZERO];
                        (st.constant(st.name("implies_congr"), &levels), hq)
                    }
                    Some(x) => (st.const0("implies_congr_ctx"), el.mk_lambda(&[x], hq)),
                };
                Simplified {
                    expr: new,
                    proof: Some(st.apps(c, &[p, rp.expr, q, rq.expr, hp, hq])),
                }
            }
        };
        if rp.expr == truth {
            // `True → q` is `q`.
            let to = lam(new, st.app(st.bvar(0), st.const0("True.intro")));
            let from = st.lam(
                st.name("h"),
                rq.expr,
                st.lam(n, truth, st.bvar(1), BinderInfo::Default),
                BinderInfo::Default,
            );
            let iff = st.apps(st.const0("Iff.intro"), &[new, rq.expr, to, from]);
            let h = st.apps(st.const0("propext"), &[new, rq.expr, iff]);
            let last = Simplified {
                expr: rq.expr,
                proof: Some(h),
            };
            return trans(el, e, step, last);
        }
        if rp.expr == rq.expr && !self.definitional {
            // `q → q`.
            let identity = eq_true(el, new, lam(rp.expr, st.bvar(0)));
            return trans(el, e, step, identity);
        }
        if new == e {
            return Ok(Simplified::same(e));
        }
        Ok(step)
    }

    /// Simplifies `q` with the help of a proof of `p`; that proof, if what is found rests on it.
    fn assuming<'b>(
        &mut self,
        el: &mut Elab<'b>,
        n: Name,
        p: Expr,
        q: Expr,
    ) -> Result<(Simplified, Option<Expr>)> {
        el.with_lctx_saved(|el| {
            let x = el.push_local(n, p, BinderInfo::Default);
            let r = self.below_binder(el, (x, p), q)?;
            let rests = |e: Expr| {
                super::super::util::as_fvar(el.st, x)
                    .is_some_and(|x| super::super::util::mentions(el.st, e, &[x]))
            };
            if rests(r.expr) {
                return Ok((Simplified::same(q), None));
            }
            Ok((r, r.proof.filter(|h| rests(*h)).map(|_| x)))
        })
    }

    /// `if c then a else b`: a decided condition chooses; otherwise condition and branches are simplified.
    fn if_then_else<'b>(
        &mut self,
        el: &mut Elab<'b>,
        e: Expr,
        args: &[Expr],
        dependent: bool,
    ) -> Result<Simplified> {
        let st = el.st;
        let (f, _) = st.unfold_app(e);
        let (ty, c, inst, a, b) = (args[0], args[1], args[2], args[3], args[4]);
        let rest = &args[5..];
        let rc = self.simplify(el, c)?;
        let whole = st.apps(f, &args[..5]);
        let decided = if rc.expr == st.const0("True") {
            Some((true, of_eq_true(el, c, rc.proof)))
        } else if rc.expr == st.const0("False") {
            Some((false, of_eq_false(el, c, rc.proof)))
        } else {
            None
        };
        if let Some((truth, h)) = decided
            && !self.definitional
        {
            let lemma = match (dependent, truth) {
                (false, true) => "if_pos",
                (false, false) => "if_neg",
                (true, true) => "dif_pos",
                (true, false) => "dif_neg",
            };
            let branch = if truth { a } else { b };
            let taken = if dependent {
                el.head_beta(st.app(branch, h))
            } else {
                branch
            };
            let given = [c, inst, h, ty, a, b].map(Some);
            let proof = el.mk_app_opt(lemma, &given)?;
            let mut step = Simplified {
                expr: taken,
                proof: Some(proof),
            };
            let mut old = whole;
            for r in rest {
                let p = proof_or_refl(el, &step)?;
                let p = congr_fun(el, old, step.expr, *r, p)?;
                old = st.app(old, *r);
                step = Simplified {
                    expr: st.app(step.expr, *r),
                    proof: Some(p),
                };
            }
            let more = self.simplify(el, step.expr)?;
            return trans(el, e, step, more);
        }
        if dependent || !rest.is_empty() {
            return self.branches(el, e, f, args, 3);
        }
        // The condition changes its form: a new instance, if one exists.
        let changed = rc.expr != c && rc.proof.is_some() && !self.definitional;
        let has_lemma = el.env.get(st.name("ite_congr_cond")).is_some();
        if changed && has_lemma {
            let dec = st.app(st.const0("Decidable"), rc.expr);
            if let Ok(new_inst) = el.synth_instance(dec)
                && let Some(h) = rc.proof
            {
                let proof = el.mk_app_opt(
                    "ite_congr_cond",
                    &[
                        Some(ty),
                        Some(c),
                        Some(rc.expr),
                        Some(inst),
                        Some(new_inst),
                        Some(a),
                        Some(b),
                        Some(h),
                    ],
                );
                if let Ok(proof) = proof {
                    let new = st.apps(f, &[ty, rc.expr, new_inst, a, b]);
                    let step = Simplified {
                        expr: new,
                        proof: Some(proof),
                    };
                    let more = self.branches(el, new, f, &[ty, rc.expr, new_inst, a, b], 3)?;
                    return trans(el, e, step, more);
                }
            }
        }
        self.branches(el, e, f, args, 3)
    }

    /// Simplifies the arguments from position `from` on, none of which later ones depend on.
    fn branches<'b>(
        &mut self,
        el: &mut Elab<'b>,
        e: Expr,
        f: Expr,
        args: &[Expr],
        from: usize,
    ) -> Result<Simplified> {
        let st = el.st;
        let mut old = st.apps(f, &args[..from]);
        let mut new = old;
        let mut proof = None;
        for a in &args[from..] {
            let r = self.simplify(el, *a)?;
            proof = congr_step(el, (old, new, proof), *a, &r)?;
            old = st.app(old, *a);
            new = st.app(new, r.expr);
        }
        if new == e {
            return Ok(Simplified::same(e));
        }
        Ok(Simplified { expr: new, proof })
    }
}

/// `fun x : p => h x'` with the proof `x'` of what `p` was simplified to.
fn weaken<'b>(
    el: &mut Elab<'b>,
    (n, p): (Name, Expr),
    simplified: Option<Expr>,
    h: Expr,
) -> Result<Expr> {
    el.with_lctx_saved(|el| {
        let x = el.push_local(n, p, BinderInfo::Default);
        let y = match simplified {
            None => x,
            Some(s) => el.mk_eq_mp(s, x)?,
        };
        let body = el.head_beta(el.st.app(h, y));
        Ok(el.mk_lambda(&[x], body))
    })
}

/// Arguments that are left alone: types, instances and proofs.
fn skip_argument<'b>(el: &mut Elab<'b>, dom: Expr, bi: BinderInfo, a: Expr) -> bool {
    let st = el.st;
    if bi == BinderInfo::InstImplicit {
        return true;
    }
    let is_class = el
        .head_const(dom)
        .is_some_and(|n| el.ext.classes.contains(&n));
    if is_class {
        return true;
    }
    match st.node(dom) {
        Node::Sort(l) if l != logic::Level::ZERO => return true,
        Node::Sort(_) => return false,
        _ => {}
    }
    // The type of the argument itself, since `dom` may be a variable of the function's type.
    match el.infer_type(a) {
        Ok(t) => {
            if let Node::Sort(l) = st.node(t) {
                return l != logic::Level::ZERO;
            }
            el.is_prop(t)
        }
        Err(_) => true,
    }
}

/// Rewrites one argument `a` of an application where the types of later arguments depend on it: proofs among these are
/// carried along. `None` if other arguments depend on it.
fn dependent_step<'b>(
    el: &mut Elab<'b>,
    (old, new, proof): (Expr, Expr, Option<Expr>),
    a: Expr,
    r: Simplified,
    fty: Expr,
    rest: &[Expr],
    e: Expr,
) -> Result<Option<Simplified>> {
    let st = el.st;
    let Some(h) = r.proof else {
        return Ok(None);
    };
    if proof.is_some() || old != new {
        // Earlier arguments have changed: finish with those first.
        let mut acc = Simplified { expr: new, proof };
        let mut o = old;
        for x in std::iter::once(&a).chain(rest) {
            let p = match acc.proof {
                Some(p) => Some(congr_fun(el, o, acc.expr, *x, p)?),
                None => None,
            };
            o = st.app(o, *x);
            acc = Simplified {
                expr: st.app(acc.expr, *x),
                proof: p,
            };
        }
        return Ok((acc.expr != e).then_some(acc));
    }
    let (ta, la) = super::result::type_and_level(el, a)?;
    el.with_lctx_saved(|el| {
        let x = el.push_local(st.name("x"), ta, BinderInfo::Default);
        let eq = st.constant(st.name("Eq"), &[la]);
        let hx = el.push_local(st.name("h"), st.apps(eq, &[ta, a, x]), BinderInfo::Default);
        let mut term = st.app(new, x);
        let mut ty = match st.node(fty) {
            Node::Pi(_, _, b, _) => st.instantiate1(b, x),
            _ => return Ok(None),
        };
        for p in rest {
            if !matches!(st.node(ty), Node::Pi(..)) {
                ty = el.whnf(ty);
            }
            let Node::Pi(_, dom, body, _) = st.node(ty) else {
                return Ok(None);
            };
            let arg = if el.occurs_fvar(dom, &fvar_ids(el, &[x, hx])) {
                if !el.is_prop(dom) {
                    return Ok(None);
                }
                // The proof, transported along `h : a = x`.
                let l0 = logic::Level::ZERO;
                let hy = st.name("h");
                let body = st.abstract_fvars(dom, &[x]);
                let eq_ty = st.apps(eq, &[ta, a, st.bvar(0)]);
                if el.occurs_fvar(dom, &fvar_ids(el, &[hx])) {
                    return Ok(None);
                }
                let inner = st.lam(hy, eq_ty, st.lift(body, 0, 1), BinderInfo::Default);
                let motive = st.lam(st.name("x"), ta, inner, BinderInfo::Default);
                let rec = st.constant(st.name("Eq.rec"), &[l0, la]);
                st.apps(rec, &[ta, a, motive, *p, x, hx])
            } else {
                *p
            };
            term = st.app(term, arg);
            ty = st.instantiate1(body, arg);
        }
        // `fun x (h : a = x) => e = term`, at `a` true by `rfl`.
        let (te, le) = super::result::type_and_level(el, e)?;
        let term_ty = el.infer_type(term)?;
        if !el.is_defeq(te, term_ty) {
            return Ok(None);
        }
        let eq_e = st.constant(st.name("Eq"), &[le]);
        let statement = st.apps(eq_e, &[te, e, term]);
        let motive = el.mk_lambda(&[x, hx], statement);
        let refl = st.apps(st.constant(st.name("Eq.refl"), &[le]), &[te, e]);
        let rec = st.constant(st.name("Eq.rec"), &[logic::Level::ZERO, la]);
        let proof = st.apps(rec, &[ta, a, motive, refl, r.expr, h]);
        let term_fn = el.mk_lambda(&[x, hx], term);
        let expr = el.beta(term_fn, &[r.expr, h]);
        Ok(Some(Simplified {
            expr,
            proof: Some(proof),
        }))
    })
}

fn fvar_ids<'b>(el: &Elab<'b>, xs: &[Expr]) -> Vec<crate::meta::FVarId> {
    xs.iter()
        .filter_map(|x| match el.st.node(*x) {
            Node::FVar(i) => Some(crate::meta::FVarId(i)),
            _ => None,
        })
        .collect()
}

/// The proof that `old a` is `new r`, from those that `old` is `new` and `a` is `r`; `None` where both sides are the same.
fn congr_step<'b>(
    el: &mut Elab<'b>,
    (old, new, proof): (Expr, Expr, Option<Expr>),
    a: Expr,
    r: &Simplified,
) -> Result<Option<Expr>> {
    match (proof, r.proof) {
        (None, None) => Ok(None),
        (None, Some(h)) => congr_arg(el, new, a, r.expr, h).map(Some),
        (Some(h), None) => congr_fun(el, old, new, a, h).map(Some),
        (Some(hf), Some(ha)) => congr(el, (old, new, hf), (a, r.expr, ha)).map(Some),
    }
}
