//! From the syntax tree to terms: bidirectional, with postponed problems.

pub mod anon;
pub mod app;
pub mod binders;
pub mod by;
pub mod calc;
pub mod command;
pub mod eliminator;
pub mod field;
pub mod instances;
pub mod lets;
pub mod level;
pub mod match_leaf;
pub mod matching;
pub mod notations;
pub mod ops;
pub mod patterns;
pub mod relations;
pub mod scope;
pub mod search;
pub mod structinst;
pub mod synth;
pub mod watch;

use std::rc::Rc;

use logic::subst::with_stack;
use logic::{Expr, Level, Name, Node};

use crate::meta::{Elab, ElabError, MVarId, MVarKind, Pending, PendingKind, Result};
use crate::syntax::ast::{self, Span, Term, TermKind};

impl<'b> Elab<'b> {
    /// Elaborates a term. Parts for which not enough is known yet become pending metavariables.
    pub fn elab_term(&mut self, t: &Term, expected: Option<Expr>) -> Result<Expr> {
        if !self.tick() {
            return Err(self.out_of_steps().at(t.span));
        }
        self.watch_term(t, expected);
        if matches!(
            t.kind,
            TermKind::Num(_) | TermKind::Hole | TermKind::Prop | TermKind::By(_)
        ) {
            return match (self.elab_core(t, expected), expected) {
                (Err(ElabError::Postpone), Some(ty)) => {
                    Ok(self.postpone(ty, PendingKind::Term(Rc::new(t.clone())), t.span))
                }
                (r, _) => r.map_err(|e| e.at(t.span)),
            };
        }
        let saved = self.save();
        match with_stack(|| self.elab_core(t, expected)) {
            Ok(e) => Ok(e),
            Err(ElabError::Postpone) => {
                self.restore(&saved);
                let ty = match expected {
                    Some(ty) => ty,
                    None => {
                        let s = self.mk_fresh_sort();
                        self.mk_fresh_mvar(s)
                    }
                };
                Ok(self.postpone(ty, PendingKind::Term(Rc::new(t.clone())), t.span))
            }
            Err(e) => Err(e.at(t.span)),
        }
    }

    /// The error for a used-up budget.
    pub fn out_of_steps(&self) -> ElabError {
        let (n, what) = match self.out_of_terms {
            true => (self.term_budget() as u64, "new terms"),
            false => (self.max_steps, "steps"),
        };
        ElabError::msg(format!("the elaborator gave up after {n} {what}"))
            .code("elab.steps")
            .help("split the declaration, or raise the limit with `set_option max_steps <n>`")
    }

    /// A metavariable for a problem to be solved later.
    pub fn postpone(&mut self, ty: Expr, kind: PendingKind, span: Span) -> Expr {
        let m = self.new_mvar(self.lctx.clone(), ty, Name::ANON, MVarKind::Opaque);
        self.pending.push_back(Pending {
            mvar: m,
            kind,
            span,
            _bump: std::marker::PhantomData,
        });
        self.st.mvar(m.0)
    }

    /// Says that more must be known; an error when nothing more will be.
    pub(crate) fn need_more<T>(&mut self, err: impl FnOnce(&mut Self) -> ElabError) -> Result<T> {
        if self.may_postpone {
            Err(ElabError::Postpone)
        } else {
            Err(err(self))
        }
    }

    /// Elaborates a term and makes sure that it has the expected type, by a coercion if need be.
    pub fn elab_term_ensuring(&mut self, t: &Term, expected: Option<Expr>) -> Result<Expr> {
        let e = self.elab_term(t, expected)?;
        match expected {
            Some(ty) => self.ensure_type(e, ty, t.span),
            None => Ok(e),
        }
    }

    /// `e`, or a coercion of it, of type `ty`.
    pub fn ensure_type(&mut self, e: Expr, ty: Expr, span: Span) -> Result<Expr> {
        let et = self.infer_type(e).map_err(|x| x.at(span))?;
        if self.is_defeq(ty, et) {
            return Ok(e);
        }
        if let Some(r) = self.coerce(e, et, ty)? {
            return Ok(r);
        }
        let (et2, ty2) = (self.instantiate_mvars(et), self.instantiate_mvars(ty));
        // A type that is not known yet may turn out to need a coercion.
        if self.may_postpone
            && (self.is_mvar_headed(et2)
                || self.is_mvar_headed(ty2)
                || self.mentions_pending(et2)
                || self.mentions_pending(ty2))
        {
            return Ok(self.postpone(ty, PendingKind::Coercion(e), span));
        }
        Err(self.type_mismatch(e, et, ty).at(span))
    }

    /// Whether a term mentions something whose elaboration is postponed.
    pub(crate) fn mentions_pending(&mut self, e: Expr) -> bool {
        if !self.st.has_mvar(e) || self.pending.is_empty() {
            return false;
        }
        let ms = self.collect_mvars(e);
        self.pending
            .iter()
            .any(|p| !matches!(p.kind, PendingKind::Tactic(_)) && ms.contains(&p.mvar))
    }

    pub(crate) fn is_mvar_headed(&mut self, e: Expr) -> bool {
        let w = self.whnf_core(e);
        matches!(self.st.node(self.st.app_fn(w)), Node::MVar(_))
    }

    /// Coercions by the heads of the types: `Nat` to `Int`, `Bool` to `Prop`, decidable `Prop` to `Bool`, and functions
    /// marked `@[coe]`.
    pub fn coerce(&mut self, e: Expr, from: Expr, to: Expr) -> Result<Option<Expr>> {
        let st = self.st;
        let from = self.whnf_reducible(from);
        let to = self.whnf_reducible(to);
        if let Node::Sort(l) = st.node(to) {
            let l = self.instantiate_level(l);
            if self.head_const(from) == Some(st.name("Bool"))
                && (l == Level::ZERO || st.level_has_mvar(l))
            {
                if !self.level_defeq(l, Level::ZERO) {
                    return Ok(None);
                }
                let t = st.constant(self.known.bool_true, &[]);
                return Ok(Some(self.mk_eq(e, t)?));
            }
            // A structure with a `@[coe_sort]` projection stands for that type.
            if let Some(h) = self.head_const(from) {
                for f in self.ext.other.get("coe_sort").cloned().unwrap_or_default() {
                    if st.name_prefix(f) == h {
                        return Ok(Some(self.mk_app_n(f, &[e])?));
                    }
                }
            }
            return Ok(None);
        }
        let (Some(f), Some(t)) = (self.head_const(from), self.head_const(to)) else {
            return Ok(None);
        };
        if f == self.known.nat && t == st.name("Int") {
            return Ok(Some(st.app(st.const0("Int.ofNat"), e)));
        }
        if t == st.name("Bool") && self.is_prop(from) {
            return Ok(None);
        }
        for c in self.ext.other.get("coe").cloned().unwrap_or_default() {
            let s = self.save();
            if let Ok(r) = self.mk_app_n(c, &[e])
                && let Ok(rt) = self.infer_type(r)
                && self.is_defeq(to, rt)
            {
                return Ok(Some(r));
            }
            self.restore(&s);
        }
        if t == st.name("Bool")
            && let Node::Sort(l) = st.node(from)
            && l == Level::ZERO
        {
            return Ok(Some(self.mk_app("Decidable.decide", &[e])?));
        }
        Ok(None)
    }

    /// Elaborates a type.
    pub fn elab_type(&mut self, t: &Term) -> Result<Expr> {
        let s = self.mk_fresh_sort();
        let e = self.elab_term(t, Some(s))?;
        self.ensure_is_type(e, t.span)
    }

    pub(crate) fn ensure_is_type(&mut self, e: Expr, span: Span) -> Result<Expr> {
        let st = self.st;
        let et = self.infer_type(e).map_err(|x| x.at(span))?;
        let w = self.whnf(et);
        if matches!(st.node(w), Node::Sort(_)) {
            return Ok(e);
        }
        let s = self.mk_fresh_sort();
        if self.is_defeq(w, s) {
            return Ok(e);
        }
        if let Some(r) = self.coerce(e, et, s)? {
            return Ok(r);
        }
        if self.may_postpone && self.is_mvar_headed(w) {
            return Ok(self.postpone(s, PendingKind::Coercion(e), span));
        }
        let (e, t) = (self.pp(e), self.pp(et));
        Err(ElabError::new(
            span,
            format!("a type was expected, but `{e}` has type `{t}`"),
        )
        .code("elab.not_a_type"))
    }

    /// As [`Elab::elab_term`], but says `Postpone` instead of making a pending metavariable.
    pub(crate) fn elab_postponable(&mut self, t: &Term, expected: Option<Expr>) -> Result<Expr> {
        with_stack(|| self.elab_core(t, expected)).map_err(|e| e.at(t.span))
    }

    fn elab_core(&mut self, t: &Term, expected: Option<Expr>) -> Result<Expr> {
        let st = self.st;
        // `∀ {x}, p` and instance binders are introduced silently.
        if let Some(ty) = expected
            && self.wants_implicit_lambda(t)
        {
            let w = self.whnf_reducible(ty);
            if let Node::Pi(n, dom, body, bi) = st.node(w)
                && matches!(
                    bi,
                    logic::BinderInfo::Implicit | logic::BinderInfo::InstImplicit
                )
            {
                return self.with_lctx_saved(|el| {
                    let name = el.inaccessible(n);
                    let x = el.push_local(name, dom, bi);
                    let b = el.elab_term_ensuring(t, Some(st.instantiate1(body, x)))?;
                    Ok(el.mk_lambda(&[x], b))
                });
            }
        }
        match &t.kind {
            TermKind::Ident { .. } | TermKind::App { .. } | TermKind::DotIdent(_) => {
                self.elab_app(t, expected)
            }
            TermKind::Proj { .. } | TermKind::Field { .. } => self.elab_app(t, expected),
            TermKind::Hole => {
                let ty = self.expected_or_fresh(expected);
                let m = self.mk_fresh_mvar(ty);
                self.note_hole(m, t.span);
                Ok(m)
            }
            TermKind::SynthHole(id) => {
                let ty = self.expected_or_fresh(expected);
                if let Some(id) = id {
                    let name = st.name_str(Name::ANON, &id.name);
                    if let Some(m) = self.named_holes.iter().find(|(n, _)| *n == name) {
                        return Ok(st.mvar(m.1.0));
                    }
                    let m = self.mk_goal(ty, name);
                    self.named_holes.push((name, m));
                    return Ok(st.mvar(m.0));
                }
                let m = self.mk_goal(ty, Name::ANON);
                self.synth_holes.push(m);
                Ok(st.mvar(m.0))
            }
            TermKind::Num(n) => self.elab_num(n, expected, t.span),
            TermKind::Str(s) => Ok(st.string(s)),
            TermKind::Char(c) => {
                let n = st.nat_u64(u64::from(u32::from(*c)));
                self.mk_app("Char.ofNat", &[n])
            }
            TermKind::Prop => Ok(st.prop()),
            TermKind::Type(l) => {
                let l = match l {
                    Some(l) => self.elab_level(l)?,
                    None => Level::ZERO,
                };
                Ok(st.sort(st.level_succ(l)))
            }
            TermKind::Sort(l) => {
                let l = match l {
                    Some(l) => self.elab_level(l)?,
                    None => Level::ZERO,
                };
                Ok(st.sort(l))
            }
            TermKind::Lam { binders, body } => self.elab_lambda(binders, body, expected, t.span),
            TermKind::FunMatch(alts) => self.elab_fun_match(alts, expected, t.span),
            TermKind::Pi { binders, body } => self.elab_pi(binders, body),
            TermKind::Arrow(a, b) => self.elab_arrow(a, b),
            TermKind::Exists { binders, body } => {
                self.elab_binder_notation("Exists", binders, body)
            }
            TermKind::Sigma {
                binders,
                body,
                psigma,
            } => self.elab_binder_notation(if *psigma { "PSigma" } else { "Sigma" }, binders, body),
            TermKind::Subtype { name, ty, pred } => self.elab_subtype(name, ty.as_deref(), pred),
            TermKind::Let(d, b) => self.elab_let(d, b, expected, t.span),
            TermKind::Have(d, b) => self.elab_have(d, b, expected, t.span),
            TermKind::Show { ty, proof } => {
                let ty = self.elab_type(ty)?;
                if let Some(x) = expected {
                    self.is_defeq(x, ty);
                }
                self.elab_term_ensuring(proof, Some(ty))
            }
            TermKind::Suffices {
                name,
                ty,
                proof,
                body,
            } => self.elab_suffices(name.as_ref(), ty, proof, body, expected),
            TermKind::Match {
                motive,
                discrs,
                alts,
            } => self.elab_match(motive.as_deref(), discrs, alts, expected, t.span),
            TermKind::If {
                hyp,
                cond,
                then,
                els,
            } => self.elab_if(hyp.as_ref(), cond, then, els, expected),
            TermKind::Ascribe(e, ty) => {
                let ty = self.elab_type(ty)?;
                self.elab_term_ensuring(e, Some(ty))
            }
            TermKind::AnonCtor(args) => self.elab_anon_ctor(args, expected, t.span),
            TermKind::Tuple(args) => self.elab_tuple(args, expected, t.span),
            TermKind::List(args) => self.elab_list(args, expected),
            TermKind::StructInst {
                sources,
                fields,
                ty,
            } => self.elab_struct_inst(sources, fields, ty.as_deref(), expected, t.span),
            TermKind::Binop { .. } | TermKind::Unop { .. } => self.elab_operator(t, expected),
            TermKind::UserOp {
                notation,
                expansion,
            } => {
                self.check_notation(notation, t.span)?;
                self.elab_term(expansion, expected)
            }
            TermKind::Subst { eq, e } => self.elab_subst(eq, e, expected, t.span),
            TermKind::TypeAssumption(p) => {
                let ty = self.elab_type(p)?;
                self.synthesize(true)?;
                let ty = self.instantiate_mvars(ty);
                for x in self.lctx.clone().iter().rev() {
                    let d = self.local(x);
                    if !d.aux && self.is_defeq(d.ty, ty) {
                        return Ok(st.fvar(x.0));
                    }
                }
                let p = self.pp(ty);
                Err(ElabError::new(
                    t.span,
                    format!("no hypothesis of type `{p}`"),
                ))
            }
            TermKind::By(block) => {
                let ty = self.expected_or_fresh(expected);
                Ok(self.postpone(ty, PendingKind::Tactic(Rc::new(block.clone())), t.span))
            }
            TermKind::Calc(steps) => self.elab_calc(steps, expected, t.span),
            TermKind::Sorry => {
                let ty = self.expected_or_fresh(expected);
                self.mk_sorry(ty, t.span)
            }
            TermKind::Error => {
                Err(ElabError::new(t.span, "this part could not be read").code("reported"))
            }
        }
    }

    /// Whether `∀ {x}, …` as expected type should be introduced before elaborating this term.
    fn wants_implicit_lambda(&self, t: &Term) -> bool {
        match &t.kind {
            TermKind::Ident { explicit, .. } => !explicit,
            TermKind::App { fun, .. } => {
                !matches!(fun.kind, TermKind::Ident { explicit: true, .. })
            }
            TermKind::Lam { binders, .. } => !matches!(
                binders.first(),
                Some(ast::FunBinder::Binder(b)) if b.kind != ast::BinderKind::Explicit
            ),
            TermKind::Hole | TermKind::SynthHole(_) | TermKind::UserOp { .. } => false,
            _ => true,
        }
    }

    pub(crate) fn expected_or_fresh(&mut self, expected: Option<Expr>) -> Expr {
        match expected {
            Some(t) => t,
            None => {
                let s = self.mk_fresh_sort();
                self.mk_fresh_mvar(s)
            }
        }
    }

    fn note_hole(&mut self, m: Expr, span: Span) {
        if let Node::MVar(i) = self.st.node(m) {
            self.holes.push((MVarId(i), span));
        }
    }

    /// `sorryAx ty`: a hole, reported by name. The constant is declared on first use.
    pub fn mk_sorry(&mut self, ty: Expr, span: Span) -> Result<Expr> {
        let st = self.st;
        let n = st.name("sorryAx");
        if self.env.get(n).is_none() {
            let u = st.name("u");
            let alpha = st.name("α");
            let ty = st.pi(
                alpha,
                st.sort(st.level_param(u)),
                st.bvar(0),
                logic::BinderInfo::Default,
            );
            let d = logic::Declaration::Axiom(logic::Signature {
                name: n,
                univ_params: vec![u],
                ty,
            });
            if self.env.add(d).is_err() {
                return Err(ElabError::new(span, "`sorry` is not available here"));
            }
            self.register_name(n);
        }
        self.used_sorry = true;
        let l = self.level_of(ty)?;
        Ok(st.app(st.constant(n, &[l]), ty))
    }

    fn elab_num(
        &mut self,
        n: &num_bigint::BigUint,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let st = self.st;
        let nat = st.constant(self.known.nat, &[]);
        let Some(ty) = expected else {
            return Ok(st.nat(n));
        };
        let w = self.whnf_reducible(ty);
        match st.node(st.app_fn(w)) {
            Node::MVar(_) => {
                if self.may_postpone {
                    return Err(ElabError::Postpone);
                }
                if self.is_defeq(ty, nat) {
                    Ok(st.nat(n))
                } else {
                    let t = self.pp(w);
                    Err(ElabError::new(
                        span,
                        format!("a numeral cannot have type `{t}`"),
                    ))
                }
            }
            Node::Const(c, _) if c == self.known.nat => Ok(st.nat(n)),
            _ => self.mk_numeral(n, w, span),
        }
    }

    /// The numeral `n` at a type other than `Nat`: `H.ofNat n`.
    pub(crate) fn mk_numeral(
        &mut self,
        n: &num_bigint::BigUint,
        ty: Expr,
        span: Span,
    ) -> Result<Expr> {
        let st = self.st;
        let w = self.whnf_reducible(ty);
        let lit = st.nat(n);
        let mut cur = w;
        // The head may have to be unfolded: `def Addr := Nat`.
        for _ in 0..8 {
            match self.head_const(cur) {
                Some(h) if h == self.known.nat => return Ok(lit),
                Some(h) => {
                    let of_nat = st.name_str(h, "ofNat");
                    if self.env.get(of_nat).is_some() {
                        return self.apply_of_nat(of_nat, lit, w, span);
                    }
                }
                None => break,
            }
            match self.unfold_definition(cur) {
                Some(next) => cur = self.whnf_core(next),
                None => break,
            }
        }
        let t = self.pp(w);
        Err(
            ElabError::new(span, format!("a numeral cannot have type `{t}`"))
                .code("elab.numeral")
                .help("numerals belong to `Nat`, or to a type `T` with a function `T.ofNat`"),
        )
    }

    fn apply_of_nat(&mut self, f: Name, lit: Expr, ty: Expr, span: Span) -> Result<Expr> {
        let st = self.st;
        let fc = self.mk_const(f)?;
        let fty = self.infer_type(fc)?;
        // The last explicit argument is the number; what comes before is found by the type.
        let (ms, bis, res) = self.forall_mvar_telescope(fty, None);
        let explicit: Vec<usize> = (0..ms.len())
            .filter(|i| bis[*i] == logic::BinderInfo::Default)
            .collect();
        if !self.is_defeq(res, ty) {
            let t = self.pp(ty);
            return Err(ElabError::new(
                span,
                format!("a numeral cannot have type `{t}`"),
            ));
        }
        let mut done = false;
        for i in explicit.iter().rev() {
            let m = ms[*i];
            let mt = self.mvar_type(m);
            let is_nat = {
                let w = self.whnf(mt);
                self.head_const(w) == Some(self.known.nat)
            };
            if !self.is_assigned(m) && is_nat && !done {
                self.assign(m, lit);
                done = true;
            }
        }
        for (m, bi) in ms.iter().zip(&bis) {
            if *bi == logic::BinderInfo::InstImplicit && !self.is_assigned(*m) {
                let t = self.mvar_type(*m);
                let i = self.synth_instance(t)?;
                self.assign(*m, i);
            }
        }
        let args: Vec<Expr> = ms.iter().map(|m| st.mvar(m.0)).collect();
        let e = st.apps(fc, &args);
        Ok(self.instantiate_mvars(e))
    }
}
