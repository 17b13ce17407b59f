//! Recursion by a measure (`termination_by`), compiled to `WellFounded.fix`.
//!
//! With `μ` the measure of the arguments `ys`, the function becomes
//! `fix (fun n rec ys (h : μ = n) => body) μ ys rfl`, where each call `f a` in the body is `rec (μ a) p a rfl` with a
//! proof `p` that the measure of `a` is below `n`. On the way to a call, the condition of an `if` becomes a hypothesis,
//! and a match on a variable refines `h`. That `f ys` equals the body as written is proved afterwards, as `f.eq_def`.

use logic::{BinderInfo, ConstantInfo, Expr, Level, Name, Node};
use rustc_hash::FxHashMap;

use crate::decl::branches::Branch;
use crate::meta::whnf::CasesOnInfo;
use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{Span, TacticBlock, Term, TermKind, Termination};
use crate::tactic::util::as_fvar;

/// Where measures live, and their order.
struct Order {
    ty: Expr,
    rel: Expr,
    wf: Expr,
}

/// What the replacement of calls needs to know.
struct Fix<'a> {
    f: Expr,
    /// All arguments of the function, and how many are the same in every call.
    ps: &'a [Expr],
    fixed: usize,
    /// The parts of the measure, in terms of `ps`.
    parts: Vec<Expr>,
    order: Order,
    /// The bound on measures, and the function below it.
    bound: Expr,
    rec: Expr,
    decreasing_by: Option<&'a TacticBlock>,
    span: Span,
    has_f: FxHashMap<Expr, bool>,
}

impl<'b> Elab<'b> {
    /// Compiles a function with arguments `ps` (after the section variables `vars`), the first `fixed` of which are the
    /// same in all calls.
    pub(super) fn recurse_by_measure(
        &mut self,
        f: Expr,
        (vars, ps, fixed): (&[Expr], &[Expr], usize),
        body: Expr,
        res_ty: Expr,
        hint: &Termination,
        span: Span,
    ) -> Result<Expr> {
        let st = self.st;
        let Some(measure) = &hint.measure else {
            return Err(ElabError::new(
                hint.span,
                "`decreasing_by` needs a measure: `termination_by e`",
            )
            .code("decl.recursion"));
        };
        for n in ["WellFounded.fix", "Nat.lt_wf", "Prod.lex_wf"] {
            if self
                .env
                .get(st.name(n))
                .is_none_or(|c| self.is_hidden(c.name()))
            {
                return Err(ElabError::new(
                    hint.span,
                    format!("recursion by a measure needs `{n}`"),
                )
                .code("decl.recursion")
                .help("`import lib.wf`"));
            }
        }
        if fixed == ps.len() {
            return Err(
                ElabError::new(span, "this function calls itself with its own arguments")
                    .code("decl.recursion"),
            );
        }
        let parts = self.measure_parts(measure, hint, ps)?;
        let order = self.order(parts.len())?;
        let ys = &ps[fixed..];
        let mu = self.measure_value(&parts)?;
        let one = st.level_nat(1);
        let eq = |a: Expr, b: Expr| {
            let c = st.constant(st.name("Eq"), &[one]);
            st.apps(c, &[order.ty, a, b])
        };
        let n = self.push_local(st.name("n"), order.ty, BinderInfo::Default);
        let family = |el: &mut Self, n: Expr| {
            let arrow = st.pi(st.name("h"), eq(mu, n), res_ty, BinderInfo::Default);
            el.mk_pi(ys, arrow)
        };
        let at_n = family(self, n);
        let motive = self.mk_lambda(&[n], at_n);
        let m = self.push_local(st.name("m"), order.ty, BinderInfo::Default);
        let at_m = family(self, m);
        let below = st.pi(
            st.name("h"),
            st.apps(order.rel, &[m, n]),
            at_m,
            BinderInfo::Default,
        );
        let rec_ty = self.mk_pi(&[m], below);
        let rec = self.push_local(st.name("f"), rec_ty, BinderInfo::Default);
        let h = self.push_local(st.name("h"), eq(mu, n), BinderInfo::Default);
        self.hide(&[n, m, rec, h]);
        let mut fix = Fix {
            f,
            ps,
            fixed,
            parts,
            order,
            bound: n,
            rec,
            decreasing_by: hint.decreasing_by.as_ref(),
            span,
            has_f: FxHashMap::default(),
        };
        let parts = fix.parts.clone();
        let body = self.fix_calls(&mut fix, body, (h, &parts))?;
        let mut binders = vec![n, rec];
        binders.extend_from_slice(ys);
        binders.push(h);
        let functional = self.mk_lambda_explicit(&binders, body);
        let order = fix.order;
        let value = self.mk_app_opt(
            "WellFounded.fix",
            &[order.ty, order.rel, motive, functional, order.wf, mu].map(Some),
        )?;
        let refl = st.constant(st.name("Eq.refl"), &[one]);
        let value = st.apps(value, ys);
        let value = st.app(value, st.apps(refl, &[order.ty, mu]));
        let value = self.instantiate_mvars(value);
        let mut all = vars.to_vec();
        all.extend_from_slice(ps);
        Ok(self.mk_lambda(&all, value))
    }

    /// Variables that goals do not show.
    fn hide(&mut self, xs: &[Expr]) {
        for x in xs {
            if let Some(x) = as_fvar(self.st, *x) {
                self.locals[x.0 as usize].aux = true;
            }
        }
    }

    /// The parts of a measure: the components of a tuple, each a natural number.
    fn measure_parts(
        &mut self,
        measure: &Term,
        hint: &Termination,
        ps: &[Expr],
    ) -> Result<Vec<Expr>> {
        let st = self.st;
        // `x y => e` names the last arguments.
        let named = ps.len().checked_sub(hint.vars.len()).ok_or_else(|| {
            ElabError::new(hint.span, "more names than the function has arguments")
                .code("decl.recursion")
        })?;
        let mut old = Vec::new();
        for (p, v) in ps[named..].iter().zip(&hint.vars) {
            let name = self.binder_name(v);
            if let Some(x) = as_fvar(st, *p) {
                let d = &mut self.locals[x.0 as usize];
                old.push((x, std::mem::replace(&mut d.user_name, name)));
            }
        }
        let terms: Vec<&Term> = match &measure.kind {
            TermKind::Tuple(ts) => ts.iter().collect(),
            _ => vec![measure],
        };
        let nat = st.const0("Nat");
        let mut parts = Vec::new();
        let mut result = Ok(());
        for t in terms {
            match self.elab_term_synth(t, Some(nat)) {
                Ok(e) => parts.push(e),
                Err(e) => {
                    result = Err(e
                        .note("a measure is a natural number, or a tuple of them")
                        .at(t.span));
                    break;
                }
            }
        }
        for (x, name) in old {
            self.locals[x.0 as usize].user_name = name;
        }
        result.map(|()| parts)
    }

    /// The order of measures with so many parts: `<`, or lexicographic.
    fn order(&mut self, parts: usize) -> Result<Order> {
        let st = self.st;
        let nat = Order {
            ty: st.const0("Nat"),
            rel: st.const0("Nat.lt"),
            wf: st.const0("Nat.lt_wf"),
        };
        if parts <= 1 {
            return Ok(nat);
        }
        let rest = self.order(parts - 1)?;
        let ty = self.mk_app("Prod", &[nat.ty, rest.ty])?;
        let rel = self.mk_app_opt("Prod.Lex", &[nat.ty, rest.ty, nat.rel, rest.rel].map(Some))?;
        let wf = self.mk_app_opt(
            "Prod.lex_wf",
            &[nat.ty, rest.ty, nat.rel, rest.rel, nat.wf, rest.wf].map(Some),
        )?;
        Ok(Order { ty, rel, wf })
    }

    /// The measure from its parts.
    fn measure_value(&mut self, parts: &[Expr]) -> Result<Expr> {
        match parts {
            [] => Err(ElabError::msg("a measure has at least one part")),
            [e] => Ok(*e),
            [e, rest @ ..] => {
                let rest = self.measure_value(rest)?;
                self.mk_app("Prod.mk", &[*e, rest])
            }
        }
    }

    /// What has to be proved for a call: `a < c`, or `a < c ∨ a = c ∧ …`.
    fn smaller(&mut self, new: &[Expr], old: &[Expr]) -> Result<Expr> {
        let st = self.st;
        let (Some((a, new)), Some((c, old))) = (new.split_first(), old.split_first()) else {
            return Ok(st.const0("False"));
        };
        let less = st.apps(st.const0("Nat.lt"), &[*a, *c]);
        if new.is_empty() {
            return Ok(less);
        }
        let same = self.mk_eq(*a, *c)?;
        let rest = self.smaller(new, old)?;
        let both = self.mk_and(same, rest);
        Ok(self.mk_or(less, both))
    }

    /// From a proof of [`Self::smaller`] one in the order of measures.
    fn in_order(&mut self, new: &[Expr], old: &[Expr], proof: Expr) -> Result<Expr> {
        let st = self.st;
        if new.len() <= 1 {
            return Ok(proof);
        }
        let nat = self.order(1)?;
        let rest = self.order(new.len() - 1)?;
        let (p, q) = (self.measure_value(new)?, self.measure_value(old)?);
        let mut proof = proof;
        if new.len() > 2 {
            let goal = self.smaller(new, old)?;
            let (Some(or), Some(_)) = (self.match_app(goal, "Or", 2), old.first()) else {
                return Err(ElabError::msg("a lexicographic order is a disjunction"));
            };
            let inner = self.order_rel(&rest, &new[1..], &old[1..])?;
            let same = self.mk_eq(new[0], old[0])?;
            let both = self.mk_and(same, inner);
            let target = self.mk_or(or[0], both);
            let left = st.lam(
                st.name("h"),
                or[0],
                st.apps(st.const0("Or.inl"), &[or[0], both, st.bvar(0)]),
                BinderInfo::Default,
            );
            let right = self.with_lctx_saved(|el| {
                let x = el.push_local(st.name("h"), or[1], BinderInfo::Default);
                let and = st.name("And");
                let deep = el.in_order(&new[1..], &old[1..], st.proj(and, 1, x))?;
                let pair = st.apps(
                    st.const0("And.intro"),
                    &[same, inner, st.proj(and, 0, x), deep],
                );
                let r = st.apps(st.const0("Or.inr"), &[or[0], both, pair]);
                Ok::<Expr, ElabError>(el.mk_lambda(&[x], r))
            })?;
            proof = st.apps(
                st.const0("Or.elim"),
                &[or[0], or[1], target, proof, left, right],
            );
        }
        let iff = self.mk_app_opt(
            "Prod.lex_def",
            &[nat.ty, rest.ty, nat.rel, rest.rel, p, q].map(Some),
        )?;
        let ty = self.infer_type(iff)?;
        let Some(sides) = self.match_app(ty, "Iff", 2) else {
            return Err(ElabError::msg("`Prod.lex_def` is an equivalence"));
        };
        Ok(st.apps(st.const0("Iff.mpr"), &[sides[0], sides[1], iff, proof]))
    }

    fn order_rel(&mut self, order: &Order, new: &[Expr], old: &[Expr]) -> Result<Expr> {
        let (p, q) = (self.measure_value(new)?, self.measure_value(old)?);
        Ok(self.st.apps(order.rel, &[p, q]))
    }

    fn calls(&self, fix: &mut Fix<'_>, e: Expr) -> bool {
        let st = self.st;
        if !st.has_fvar(e) {
            return false;
        }
        if let Some(r) = fix.has_f.get(&e) {
            return *r;
        }
        let f = as_fvar(st, fix.f);
        let r = f.is_some_and(|f| crate::tactic::util::mentions(st, e, &[f]));
        fix.has_f.insert(e, r);
        r
    }

    /// Replaces the calls in a term. `at` is a proof that the measure, in the parts given, equals the bound.
    fn fix_calls(&mut self, fix: &mut Fix<'_>, e: Expr, at: (Expr, &[Expr])) -> Result<Expr> {
        if !self.calls(fix, e) {
            return Ok(e);
        }
        if !self.tick() {
            return Err(self.out_of_steps());
        }
        logic::subst::with_stack(|| self.fix_calls_go(fix, e, at))
    }

    fn fix_calls_go(&mut self, fix: &mut Fix<'_>, e: Expr, at: (Expr, &[Expr])) -> Result<Expr> {
        let st = self.st;
        match st.node(e) {
            Node::App(..) => {
                let (h, args) = st.unfold_app(e);
                if h == fix.f {
                    return self.fix_call(fix, &args, at);
                }
                if let Node::Const(c, ls) = st.node(h) {
                    if st.name_to_string(c) == "ite" && args.len() >= 5 {
                        return self.fix_ite(fix, ls, &args, at);
                    }
                    if let Some(info) = self.cases_on_info(c)
                        && args.len() >= info.arity()
                        && let Some(x) = as_fvar(st, args[info.major()])
                        && at.1.iter().any(|p| self.occurs_fvar(*p, &[x]))
                        && args[info.motive() + 1..info.major()]
                            .iter()
                            .all(|i| as_fvar(st, *i).is_some())
                    {
                        return self.fix_cases(fix, (c, ls, info), &args, at);
                    }
                }
                let h = self.fix_calls(fix, h, at)?;
                let mut out = Vec::new();
                for a in args {
                    out.push(self.fix_calls(fix, a, at)?);
                }
                Ok(st.apps(h, &out))
            }
            Node::Lam(n, t, b, bi) | Node::Pi(n, t, b, bi) => {
                let t = self.fix_calls(fix, t, at)?;
                let is_lam = matches!(st.node(e), Node::Lam(..));
                self.with_lctx_saved(|el| {
                    let x = el.push_local(n, t, bi);
                    let b = el.fix_calls(fix, st.instantiate1(b, x), at)?;
                    Ok(match is_lam {
                        true => el.mk_lambda(&[x], b),
                        false => el.mk_pi(&[x], b),
                    })
                })
            }
            Node::Let(n, t, v, b) => {
                let t = self.fix_calls(fix, t, at)?;
                let v = self.fix_calls(fix, v, at)?;
                self.with_lctx_saved(|el| {
                    let x = el.push_let(n, t, v);
                    let b = el.fix_calls(fix, st.instantiate1(b, x), at)?;
                    Ok(el.mk_lambda(&[x], b))
                })
            }
            Node::Proj(s, i, x) => {
                let x = self.fix_calls(fix, x, at)?;
                Ok(st.proj(s, i, x))
            }
            _ => Err(not_applied(fix)),
        }
    }

    /// `if c then a else b` becomes one whose branches know whether `c`.
    fn fix_ite(
        &mut self,
        fix: &mut Fix<'_>,
        ls: &[Level],
        args: &[Expr],
        at: (Expr, &[Expr]),
    ) -> Result<Expr> {
        let st = self.st;
        let c = self.fix_calls(fix, args[1], at)?;
        let inst = self.fix_calls(fix, args[2], at)?;
        let not_c = self.mk_not(c);
        let mut out = vec![args[0], c, inst];
        for (hyp, e) in [(c, args[3]), (not_c, args[4])] {
            let name = self.inaccessible(st.name("h"));
            out.push(self.with_lctx_saved(|el| {
                let x = el.push_local(name, hyp, BinderInfo::Default);
                let e = el.fix_calls(fix, e, at)?;
                Ok::<Expr, ElabError>(el.mk_lambda(&[x], e))
            })?);
        }
        for a in &args[5..] {
            out.push(self.fix_calls(fix, *a, at)?);
        }
        Ok(st.apps(st.constant(st.name("dite"), ls), &out))
    }

    /// A match on a variable of the measure: each branch knows the measure of its pattern.
    fn fix_cases(
        &mut self,
        fix: &mut Fix<'_>,
        (c, ls, info): (Name, &[Level], CasesOnInfo),
        args: &[Expr],
        at: (Expr, &[Expr]),
    ) -> Result<Expr> {
        let st = self.st;
        let one = st.level_nat(1);
        let (order_ty, bound) = (fix.order.ty, fix.bound);
        let replaced = &args[info.motive() + 1..=info.major()];
        let measured = |el: &mut Self, ts: &[Expr]| -> Result<(Vec<Expr>, Expr)> {
            let parts: Vec<Expr> =
                at.1.iter()
                    .map(|p| el.subst_all(*p, replaced, ts))
                    .collect();
            let mu = el.measure_value(&parts)?;
            let eq = st.constant(st.name("Eq"), &[one]);
            Ok((parts, st.apps(eq, &[order_ty, mu, bound])))
        };
        let old = args[info.motive()];
        let motive = self.with_lctx_saved(|el| -> Result<Expr> {
            let (xs, cur) = el.open_motive(old, info)?;
            let (_, eq) = measured(el, &xs)?;
            let arrow = st.pi(st.name("h"), eq, cur, BinderInfo::Default);
            Ok(el.mk_lambda_explicit(&xs, arrow))
        })?;
        let ctors = match self.env.get(info.ind) {
            Some(ConstantInfo::Inductive(i)) => i.ctors.clone(),
            _ => Vec::new(),
        };
        let params = &args[..info.num_params];
        let major_ty = self.infer_type(args[info.major()])?;
        let levels: Vec<Level> = match self.get_inductive_app(major_ty) {
            Some((_, levels, _, _)) => levels.to_vec(),
            None => return Err(ElabError::msg("a match is on a value of an inductive type")),
        };
        let mut out: Vec<Expr> = params.to_vec();
        out.push(motive);
        out.extend_from_slice(replaced);
        for (k, ctor) in ctors.iter().enumerate() {
            let minor = args[info.first_minor() + k];
            let branch = self.with_lctx_saved(|el| -> Result<Expr> {
                let Branch {
                    fields,
                    body,
                    at: ts,
                } = el.open_branch(minor, *ctor, (&levels, params), info)?;
                let (parts, eq) = measured(el, &ts)?;
                let h = el.push_local(st.name("h"), eq, BinderInfo::Default);
                el.hide(&[h]);
                let body = el.fix_calls(fix, body, (h, &parts))?;
                let mut bs = fields;
                bs.push(h);
                Ok(el.mk_lambda_explicit(&bs, body))
            })?;
            out.push(branch);
        }
        out.push(at.0);
        for a in &args[info.arity()..] {
            out.push(self.fix_calls(fix, *a, at)?);
        }
        Ok(st.apps(st.constant(c, ls), &out))
    }

    /// `f a` as `rec (μ a) p a rfl`.
    fn fix_call(
        &mut self,
        fix: &mut Fix<'_>,
        args: &[Expr],
        (h, parts): (Expr, &[Expr]),
    ) -> Result<Expr> {
        let st = self.st;
        let n = fix.ps.len();
        if args.len() < n {
            return Err(not_applied(fix));
        }
        let mut given = Vec::new();
        for a in args {
            given.push(self.fix_calls(fix, *a, (h, parts))?);
        }
        let new: Vec<Expr> = fix
            .parts
            .clone()
            .iter()
            .map(|p| {
                let p = self.subst_all(*p, fix.ps, &given[..n]);
                self.head_beta(p)
            })
            .collect();
        let goal = self.smaller(&new, parts)?;
        let proof = self.prove_smaller(fix, goal, args)?;
        let proof = self.in_order(&new, parts, proof)?;
        let (mu, old) = (self.measure_value(&new)?, self.measure_value(parts)?);
        // The proof speaks of the measure; the bound is equal to it.
        let one = st.level_nat(1);
        let eq = st.constant(st.name("Eq"), &[one]);
        let motive = st.lam(
            st.name("z"),
            fix.order.ty,
            st.lam(
                st.name("h"),
                st.apps(eq, &[fix.order.ty, old, st.bvar(0)]),
                st.apps(fix.order.rel, &[mu, st.bvar(1)]),
                BinderInfo::Default,
            ),
            BinderInfo::Default,
        );
        let eq_rec = st.constant(st.name("Eq.rec"), &[Level::ZERO, one]);
        let below = st.apps(eq_rec, &[fix.order.ty, old, motive, proof, fix.bound, h]);
        let refl = st.constant(st.name("Eq.refl"), &[one]);
        let e = st.apps(fix.rec, &[mu, below]);
        let e = st.apps(e, &given[fix.fixed..n]);
        let e = st.app(e, st.apps(refl, &[fix.order.ty, mu]));
        Ok(st.apps(e, &given[n..]))
    }

    /// Proves that a call gets smaller: by the tactics given, or else by arithmetic or a hypothesis.
    fn prove_smaller(&mut self, fix: &Fix<'_>, goal: Expr, args: &[Expr]) -> Result<Expr> {
        let m = self.mk_goal(goal, Name::ANON);
        if let Some(block) = fix.decreasing_by {
            let lctx = self.lctx.clone();
            let r = self.run_block_closed(m, block);
            self.lctx = lctx;
            r?;
        } else {
            let saved = self.save();
            if !crate::tactic::omega::omega(self, m).is_ok_and(|gs| gs.is_empty()) {
                self.restore(&saved);
                if !crate::tactic::basic::try_assumption(self, m) {
                    let call = self.pp(self.st.apps(fix.f, args));
                    let e = ElabError::new(
                        fix.span,
                        format!("cannot show that the measure gets smaller in the call `{call}`"),
                    )
                    .code("decl.recursion")
                    .help("prove it with `decreasing_by tacs` below `termination_by`, or make what it follows from known before the call: `if h : p then … else …`, `have h : p := …`");
                    return Err(crate::tactic::util::on_goal(self, e, m));
                }
            }
        }
        let e = self.mk_mvar(m);
        Ok(self.instantiate_mvars(e))
    }

    /// `f a = F μ (…) a rfl` for `lhs = f a` with a function `f` by a measure: what `WellFounded.fix_eq` says of it.
    pub(crate) fn fix_unfolding(&mut self, lhs: Expr) -> Result<Expr> {
        let st = self.st;
        let (f, args) = st.unfold_app(lhs);
        let value = match st.node(f) {
            Node::Const(n, ls) => self.const_value(n, ls),
            _ => None,
        };
        let Some(value) = value else {
            return Err(ElabError::msg("not a call of a function"));
        };
        let value = self.beta(value, &args);
        let (_, parts) = st.unfold_app(value);
        let Some((fixed, rest)) = parts.split_at_checked(6) else {
            return Err(ElabError::msg("not a function by a measure"));
        };
        let fixed: Vec<Option<Expr>> = fixed.iter().copied().map(Some).collect();
        let eq = self.mk_app_opt("WellFounded.fix_eq", &fixed)?;
        let ty = self.infer_type(eq)?;
        let Some((ty, a, b)) = self.match_eq(ty) else {
            return Err(ElabError::msg("`WellFounded.fix_eq` is an equation"));
        };
        let apply = st.lam(
            st.name("g"),
            ty,
            st.apps(st.bvar(0), rest),
            BinderInfo::Default,
        );
        crate::tactic::simp::result::congr_arg(self, apply, a, b, eq)
    }
}

fn not_applied(fix: &Fix<'_>) -> ElabError {
    ElabError::new(fix.span, "a call is not fully applied").code("decl.recursion")
}
