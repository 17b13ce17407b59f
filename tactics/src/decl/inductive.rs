//! `inductive`.

use logic::{
    BinderInfo, Declaration, Expr, InductiveDecl, InductiveType, Level, LevelNode, Name, Node,
};

use crate::decl::def::Declared;
use crate::meta::{Elab, ElabError, FVarId, Result};
use crate::syntax::ast::{self, Span};

/// What an inductive type is made of, before universes are fixed.
pub(crate) struct RawInductive {
    pub name: Name,
    pub params: Vec<Expr>,
    /// The type over its parameters.
    pub ty: Expr,
    /// The variable that stands for the type.
    pub this: FVarId,
    /// Constructors: name and type over the parameters.
    pub ctors: Vec<(Name, Expr, Span)>,
    /// The metavariable of the resulting universe, if it is to be inferred.
    pub infer: Option<u32>,
}

impl<'b> Elab<'b> {
    /// Elaborates an inductive type, adds it and its auxiliary declarations.
    pub fn elab_inductive(&mut self, d: &ast::InductiveDecl, keyword: Span) -> Result<Declared> {
        self.begin_decl(d.levels.as_deref());
        let env = self.env.clone();
        let mut name = self.declared_name(&d.name);
        if d.modifiers.private.is_some() {
            name = self.private_name(name);
        }
        self.check_fresh(name, d.name.span)?;
        let r = self.elab_inductive_go(d, name, keyword);
        self.lctx = crate::meta::LCtx::default();
        self.rec_fns.clear();
        match r {
            Ok(()) => {
                self.apply_attrs(name, &d.modifiers)?;
                Ok(Declared {
                    name,
                    kind: "inductive",
                })
            }
            Err(e) => {
                self.env = env;
                Err(match e {
                    ElabError::Postpone => {
                        ElabError::new(d.name.span, "not enough is known about these types")
                    }
                    e => e.at(d.name.span),
                })
            }
        }
    }

    fn elab_inductive_go(&mut self, d: &ast::InductiveDecl, name: Name, _kw: Span) -> Result<()> {
        let st = self.st;
        let start = self.mctx.decls.len() as u32;
        let vars = self.elab_variables()?;
        let own = self.elab_binders(&d.params)?;
        let (ty, infer) = match &d.ty {
            Some(t) => {
                let ty = self.elab_type(t)?;
                (ty, None)
            }
            None => {
                let l = self.mk_fresh_level();
                let LevelNode::MVar(i) = st.level_node(l) else {
                    return Err(ElabError::msg("a universe is missing"));
                };
                (st.sort(l), Some(i))
            }
        };
        self.synthesize(true)?;
        let ty = self.instantiate_mvars(ty);
        let infer = match infer {
            Some(i) => Some(i),
            None => self.result_level_mvar(ty),
        };
        // Section variables that the header mentions are parameters; those of the constructors too.
        let this_ty = self.mk_pi(&own, ty);
        let this = self.new_local(name, this_ty, None, BinderInfo::Default);
        self.locals[this.0 as usize].aux = true;
        self.lctx.push(this);
        self.rec_fns.push((this, name));
        let mut ctors = Vec::new();
        for c in &d.ctors {
            let cn = st.name_append(name, self.ident_name(&c.name));
            let saved = self.lctx.clone();
            let xs = self.elab_binders(&c.binders)?;
            let cty = match &c.ty {
                Some(t) => self.elab_type(t)?,
                None => {
                    let e = self.mk_fvar(this);
                    st.apps(e, &own)
                }
            };
            self.fix_parameters(cty, this, &own);
            self.synthesize(true)?;
            let cty = self.mk_pi(&xs, cty);
            self.lctx = saved;
            self.report_open(cty, start, c.span)?;
            ctors.push((cn, cty, c.span));
            if let Some(doc) = &c.doc {
                self.ext.docs.insert(cn, doc.text.clone());
            }
        }
        let mut terms: Vec<Expr> = ctors.iter().map(|c| c.1).collect();
        terms.push(ty);
        terms.extend(self.local_types(&own));
        let used = self.used_variables(&vars, &terms);
        let mut params = used.clone();
        params.extend_from_slice(&own);
        let raw = RawInductive {
            name,
            params,
            ty,
            this,
            ctors,
            infer,
        };
        self.add_inductive(raw, used.len(), d.name.span)?;
        Ok(())
    }

    /// In constructors the type stands at its own parameters: metavariables in their places become these.
    fn fix_parameters(&mut self, ty: Expr, this: FVarId, params: &[Expr]) {
        let st = self.st;
        let ty = self.instantiate_mvars(ty);
        let head = self.mk_fvar(this);
        let mut found: Vec<Vec<Expr>> = Vec::new();
        st.replace(ty, |x, _| {
            if !st.has_fvar(x) {
                return Some(x);
            }
            if matches!(st.node(x), Node::App(..)) && st.app_fn(x) == head {
                found.push(st.unfold_app(x).1);
            }
            None
        });
        for args in found {
            for (a, p) in args.iter().zip(params) {
                if matches!(st.node(*a), Node::MVar(_)) {
                    self.is_defeq(*a, *p);
                }
            }
        }
    }

    /// The metavariable `?u` of a type that ends in `Sort ?u` or `Sort (?u+1)`.
    pub(crate) fn result_level_mvar(&mut self, ty: Expr) -> Option<u32> {
        let st = self.st;
        let mut cur = ty;
        while let Node::Pi(_, _, b, _) = st.node(cur) {
            cur = b;
        }
        match st.node(cur) {
            Node::Sort(l) => {
                let l = self.instantiate_level(l);
                match st.level_node(l) {
                    LevelNode::MVar(i) => Some(i),
                    LevelNode::Succ(a) => match st.level_node(a) {
                        LevelNode::MVar(i) => Some(i),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Fixes universes, closes over parameters, adds the type and its auxiliary declarations. `hidden` parameters (section
    /// variables) are not written where the type mentions itself.
    pub(crate) fn add_inductive(
        &mut self,
        raw: RawInductive,
        hidden: usize,
        span: Span,
    ) -> Result<()> {
        let st = self.st;
        self.solve_level_constraints(true);
        if let Some(i) = raw.infer
            && self.mctx.levels[i as usize].is_none()
        {
            self.infer_result_level(&raw, i)?;
        }
        let this = self.mk_fvar(raw.this);
        let ty = self.mk_pi(&raw.params, raw.ty);
        let mut group = vec![ty];
        for (_, c, _) in &raw.ctors {
            let c = self.mk_pi_implicit(&raw.params, *c);
            group.push(c);
        }
        let mut group = self.generalize_levels(&group);
        let params = self.occurring_levels(&group);
        let levels: Vec<Level> = params.iter().map(|n| st.level_param(*n)).collect();
        let c = st.constant(raw.name, &levels);
        // Under its constructors' binders the type is applied to the section variables by de Bruijn index, so replace before
        // abstraction is not possible any more: do it on the open terms.
        let hidden_params: Vec<Expr> = raw.params[..hidden].to_vec();
        let head = st.apps(c, &hidden_params);
        for (k, (_, cty, _)) in raw.ctors.iter().enumerate() {
            let open = self.instantiate_mvars(*cty);
            let open = st.replace(open, |x, _| {
                if !st.has_fvar(x) {
                    return Some(x);
                }
                (x == this).then_some(head)
            });
            let closed = self.mk_pi_implicit(&raw.params, open);
            group[k + 1] = self.instantiate_mvars(closed);
        }
        for t in &mut group {
            *t = st.map_levels(*t, |l| self.level_simp(l));
        }
        let mut num_params = raw.params.len();
        while self.promotable(raw.name, num_params, group[0], &group[1..]) {
            num_params += 1;
        }
        let decl = InductiveDecl {
            univ_params: params,
            num_params: num_params as u32,
            types: vec![InductiveType {
                name: raw.name,
                ty: group[0],
                ctors: raw
                    .ctors
                    .iter()
                    .zip(&group[1..])
                    .map(|((n, _, _), t)| (*n, *t))
                    .collect(),
            }],
        };
        self.add_decl(Declaration::Inductive(decl), span)?;
        for (n, _, _) in &raw.ctors {
            self.register_name(*n);
        }
        self.register_name(st.name_str(raw.name, "rec"));
        for d in crate::constructions::after_inductive(&self.env, raw.name) {
            self.add_decl(d, span)?;
        }
        for s in ["casesOn", "recOn", "noConfusionType", "noConfusion"] {
            let n = st.name_str(raw.name, s);
            if self.env.get(n).is_some() {
                self.ext.reducible.insert(n);
            }
        }
        self.add_below(raw.name, span)?;
        Ok(())
    }

    /// `∀ {params}, e`: parameters of constructors are implicit.
    fn mk_pi_implicit(&mut self, params: &[Expr], e: Expr) -> Expr {
        let st = self.st;
        let mut r = self.mk_pi(params, e);
        let mut parts = Vec::new();
        for _ in params {
            match st.node(r) {
                Node::Pi(n, t, b, bi) => {
                    parts.push((n, t, bi));
                    r = b;
                }
                _ => break,
            }
        }
        for (n, t, bi) in parts.into_iter().rev() {
            let bi = if bi == BinderInfo::InstImplicit {
                bi
            } else {
                BinderInfo::Implicit
            };
            r = st.pi(n, t, r, bi);
        }
        r
    }

    /// The least universe that holds all fields: at least `Type`.
    fn infer_result_level(&mut self, raw: &RawInductive, i: u32) -> Result<()> {
        let st = self.st;
        let mut acc = st.level_nat(1);
        let types: Vec<Expr> = raw.ctors.iter().map(|c| c.1).collect();
        let succ = {
            // `Type ?u` or `Sort ?u`?
            let mut cur = raw.ty;
            while let Node::Pi(_, _, b, _) = st.node(cur) {
                cur = b;
            }
            matches!(st.node(cur), Node::Sort(l)
                if matches!(st.level_node(self.instantiate_level(l)), LevelNode::Succ(_)))
        };
        let me = st.level_mvar(i);
        for t in types {
            let mut levels = Vec::new();
            self.with_lctx_saved(|el| -> Result<()> {
                let (xs, _) = el.open_foralls(t, None, false);
                for x in xs {
                    let ty = el.infer_type(x)?;
                    levels.push(el.level_of(ty)?);
                }
                Ok(())
            })?;
            for l in levels {
                let l = self.instantiate_level(l);
                let l = self.level_without(l, me);
                acc = self.level_max(acc, l);
            }
        }
        let acc = self.level_simp(acc);
        let value = if succ { self.level_minus_one(acc) } else { acc };
        let mut vars = Vec::new();
        self.level_mvars(value, &mut vars);
        if vars.contains(&i) {
            return Err(ElabError::msg(
                "the universe of this type cannot be inferred: give it",
            ));
        }
        self.assign_level(i, value);
        Ok(())
    }

    /// A level with `?u` (and `?u + 1`) taken to be zero.
    fn level_without(&self, l: Level, me: Level) -> Level {
        let st = self.st;
        match st.level_node(l) {
            _ if l == me => Level::ZERO,
            LevelNode::Succ(a) if a == me => Level::ZERO,
            LevelNode::Succ(a) => st.level_succ(self.level_without(a, me)),
            LevelNode::Max(a, b) => {
                self.level_max(self.level_without(a, me), self.level_without(b, me))
            }
            LevelNode::IMax(a, b) => {
                // The recursive field `A → T`: what counts is `A`.
                let b = self.level_without(b, me);
                let a = self.level_without(a, me);
                if b == Level::ZERO {
                    a
                } else {
                    self.level_imax(a, b)
                }
            }
            _ => l,
        }
    }

    fn level_minus_one(&self, l: Level) -> Level {
        let st = self.st;
        match st.level_node(l) {
            LevelNode::Succ(a) => a,
            LevelNode::Max(a, b) => {
                self.level_max(self.level_minus_one(a), self.level_minus_one(b))
            }
            _ => l,
        }
    }

    /// Whether the first index is the same variable everywhere and can be a parameter.
    fn promotable(&mut self, name: Name, np: usize, ty: Expr, ctors: &[Expr]) -> bool {
        let st = self.st;
        let mut cur = ty;
        for _ in 0..np {
            match st.node(cur) {
                Node::Pi(_, _, b, _) => cur = b,
                _ => return false,
            }
        }
        if !matches!(st.node(cur), Node::Pi(..)) || ctors.is_empty() {
            return false;
        }
        let Node::Pi(_, index_ty, _, _) = st.node(cur) else {
            return false;
        };
        for c in ctors {
            let mut cur = *c;
            for _ in 0..np {
                match st.node(cur) {
                    Node::Pi(_, _, b, _) => cur = b,
                    _ => return false,
                }
            }
            let Node::Pi(_, dom, body, _) = st.node(cur) else {
                return false;
            };
            if dom != index_ty {
                return false;
            }
            // Within `body`, every occurrence of the type has this variable at position `np`.
            let ok = self.occurrences_fixed(name, np, body);
            if !ok {
                return false;
            }
        }
        true
    }

    fn occurrences_fixed(&self, name: Name, np: usize, body: Expr) -> bool {
        let st = self.st;
        let mut ok = true;
        let mut total = 0u32;
        st.replace(body, |x, depth| {
            match st.node(x) {
                Node::App(..) => {
                    let (f, args) = st.unfold_app(x);
                    if let Node::Const(n, _) = st.node(f)
                        && n == name
                    {
                        if args.len() <= np {
                            // A prefix of a longer application, or too few arguments: judged at the whole.
                            return None;
                        }
                        if args.len() > np && st.node(args[np]) != Node::BVar(depth) {
                            ok = false;
                        }
                        for a in &args {
                            if self.mentions_const(*a, name) {
                                ok = false;
                            }
                        }
                        return Some(x);
                    }
                    None
                }
                Node::Const(n, _) if n == name => {
                    total += 1;
                    None
                }
                _ => None,
            }
        });
        ok && total == 0
    }

    /// Whether a constant occurs in a term.
    pub fn mentions_const(&self, e: Expr, name: Name) -> bool {
        let st = self.st;
        let mut found = false;
        st.replace(e, |x, _| {
            if found {
                return Some(x);
            }
            if let Node::Const(n, _) = st.node(x)
                && n == name
            {
                found = true;
            }
            None
        });
        found
    }
}
