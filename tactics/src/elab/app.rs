//! Applications: heads, implicit and named arguments, propagation of the expected type.

use logic::{BinderInfo, Expr, Level, Name, Node};

use crate::elab::scope::Resolved;
use crate::meta::{Elab, ElabError, MVarId, Result};
use crate::syntax::ast::{self, Span, Term, TermKind};

/// An argument: written, or already elaborated.
#[derive(Clone)]
pub(crate) enum ArgVal {
    Ast(Term),
    Expr(Expr, Span),
}

impl ArgVal {
    pub(crate) fn span(&self) -> Span {
        match self {
            ArgVal::Ast(t) => t.span,
            ArgVal::Expr(_, s) => *s,
        }
    }
}

/// The arguments of an application.
#[derive(Clone, Default)]
pub(crate) struct Args {
    pub positional: Vec<ArgVal>,
    pub named: Vec<(Name, ArgVal, Span)>,
    pub explicit: bool,
}

impl<'b> Elab<'b> {
    /// Elaborates an identifier, a field access or an application.
    pub(crate) fn elab_app(&mut self, t: &Term, expected: Option<Expr>) -> Result<Expr> {
        let mut head = t;
        let mut arg_lists: Vec<&[ast::Arg]> = Vec::new();
        while let TermKind::App { fun, args } = &head.kind {
            arg_lists.push(args);
            head = fun;
        }
        let mut args = Args::default();
        for list in arg_lists.into_iter().rev() {
            for a in list {
                match &a.name {
                    Some(n) => {
                        let name = self.st.name_str(Name::ANON, &n.name);
                        args.named
                            .push((name, ArgVal::Ast(a.value.clone()), n.span));
                    }
                    None => args.positional.push(ArgVal::Ast(a.value.clone())),
                }
            }
        }
        self.elab_head(head, args, expected, t.span)
    }

    fn elab_head(
        &mut self,
        head: &Term,
        mut args: Args,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        match &head.kind {
            TermKind::Ident {
                id,
                levels,
                explicit,
            } => {
                args.explicit = *explicit;
                let levels = match levels {
                    Some(ls) => {
                        let mut out = Vec::new();
                        for l in ls {
                            out.push(self.elab_level(l)?);
                        }
                        Some(out)
                    }
                    None => None,
                };
                match self.resolve(id) {
                    Some(Resolved::Local(x, fields)) => {
                        let parts = id.parts();
                        let e = self.mk_fvar(x);
                        let fields: Vec<String> = parts[parts.len() - fields..]
                            .iter()
                            .map(|s| (*s).to_owned())
                            .collect();
                        self.elab_fields(e, &fields, args, expected, id.span, span)
                    }
                    Some(Resolved::Consts(cands)) => {
                        self.elab_overloaded(&cands, id, levels.as_deref(), args, expected, span)
                    }
                    None => Err(self.unknown_name(id)),
                }
            }
            TermKind::DotIdent(id) => {
                let f = self.resolve_dot_ident(id, expected)?;
                self.elab_fn_args(f, args, expected, span)
            }
            TermKind::Field { e, field } => {
                let fields: Vec<String> = field.parts().iter().map(|s| (*s).to_owned()).collect();
                let e = self.elab_term(e, None)?;
                self.elab_fields(e, &fields, args, expected, field.span, span)
            }
            TermKind::Proj {
                e,
                index,
                index_span,
            } => {
                let e = self.elab_term(e, None)?;
                let fields = [index.to_string()];
                self.elab_fields(e, &fields, args, expected, *index_span, span)
            }
            TermKind::UserOp {
                notation,
                expansion,
            } if !args.positional.is_empty() => {
                self.check_notation(notation, head.span)?;
                self.elab_head(expansion, args, expected, span)
            }
            _ => {
                let f = self.elab_term(head, None)?;
                self.elab_fn_args(f, args, expected, span)
            }
        }
    }

    fn elab_overloaded(
        &mut self,
        cands: &[(Name, usize)],
        id: &ast::Ident,
        levels: Option<&[Level]>,
        args: Args,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let parts = id.parts();
        let run = |el: &mut Self, (c, rest): (Name, usize)| -> Result<Expr> {
            let fields: Vec<String> = parts[parts.len() - rest..]
                .iter()
                .map(|s| (*s).to_owned())
                .collect();
            let f = match levels {
                Some(ls) => {
                    el.const_type(c, ls).map_err(|e| e.at(id.span))?;
                    el.st.constant(c, ls)
                }
                None => el.mk_const(c)?,
            };
            let e = el.elab_fields(f, &fields, args.clone(), expected, id.span, span)?;
            match expected {
                Some(ty) if cands.len() > 1 => el.ensure_type(e, ty, span),
                _ => Ok(e),
            }
        };
        if let [c] = cands {
            return run(self, *c);
        }
        // Only one of the meanings may fit.
        let (holes, named) = (self.holes.len(), self.named_holes.clone());
        let old = std::mem::replace(&mut self.may_postpone, true);
        let mut fits = Vec::new();
        let mut first_err = None;
        for c in cands {
            let s = self.save();
            match run(self, *c) {
                Ok(_) => fits.push(*c),
                Err(e) => first_err = first_err.or(Some(e)),
            }
            self.restore(&s);
            self.holes.truncate(holes);
            self.named_holes.clone_from(&named);
        }
        let r = match fits[..] {
            [c] => run(self, c),
            [] => Err(first_err.unwrap_or_else(|| self.unknown_name(id))),
            _ => {
                let fits: Vec<Name> = fits.iter().map(|(c, _)| *c).collect();
                Err(self.ambiguous_name(id, &fits))
            }
        };
        self.may_postpone = old;
        r
    }

    /// `.c` in the namespace of the expected type's head.
    pub(crate) fn resolve_dot_ident(
        &mut self,
        id: &ast::Ident,
        expected: Option<Expr>,
    ) -> Result<Expr> {
        let st = self.st;
        let Some(mut ty) = expected else {
            return self.need_more(|_| {
                ElabError::new(
                    id.span,
                    format!("the type of `.{}` is not known here", id.name),
                )
            });
        };
        loop {
            ty = self.whnf_core(ty);
            while let Node::Pi(_, _, b, _) = st.node(ty) {
                ty = b;
                if !st.has_loose_bvars(ty) {
                    ty = self.whnf_core(ty);
                }
            }
            match st.node(st.app_fn(ty)) {
                Node::MVar(_) => {
                    return self.need_more(|_| {
                        ElabError::new(
                            id.span,
                            format!("the type of `.{}` is not known here", id.name),
                        )
                    });
                }
                Node::Const(h, _) => {
                    let n = st.name_append(h, self.ident_name(id));
                    if self.env.get(n).is_some() {
                        return self.mk_const(n);
                    }
                }
                _ => {}
            }
            if st.has_loose_bvars(ty) {
                break;
            }
            match self.unfold_definition(ty) {
                Some(next) => ty = next,
                None => break,
            }
        }
        let t = self.pp(ty);
        Err(ElabError::new(
            id.span,
            format!("`.{}` is nothing known for type `{t}`", id.name),
        )
        .code("elab.unknown_name"))
    }

    /// `f` applied to arguments.
    pub(crate) fn elab_fn_args(
        &mut self,
        f: Expr,
        args: Args,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let mut args = args;
        // Without minor premises the motive is given explicitly.
        if let Node::Const(n, _) = self.st.node(f)
            && let Some(logic::ConstantInfo::Recursor(r)) = self.env.get(n)
            && r.num_minors == 0
            && r.num_params == 0
            && !args.positional.is_empty()
            && args.named.is_empty()
        {
            args.explicit = true;
        }
        let motive = self.st.name("motive");
        if !args.explicit
            && self.is_eliminator(f)
            && (expected.is_some() || args.named.iter().any(|(n, _, _)| *n == motive))
        {
            return self.elab_eliminator(f, args, expected, span);
        }
        // The expected type may suggest the wrong arguments: then they are elaborated without it.
        if expected.is_none() || args.explicit || args.positional.is_empty() {
            return self.elab_fn_args_once(f, args, expected, span, &mut false);
        }
        let saved = self.save();
        let mut guided = true;
        let r = self.elab_fn_args_once(f, args.clone(), expected, span, &mut guided);
        match r {
            Err(ElabError::Fail(d)) if guided && d.code == "elab.type_mismatch.arg" => {
                self.restore(&saved);
                let r = self.elab_fn_args_once(f, args, expected, span, &mut false);
                match r {
                    Ok(e) => Ok(e),
                    Err(ElabError::Postpone) => Err(ElabError::Postpone),
                    Err(_) => {
                        let mut d = d;
                        d.code = "elab.type_mismatch";
                        Err(ElabError::Fail(d))
                    }
                }
            }
            Err(ElabError::Fail(mut d)) if d.code == "elab.type_mismatch.arg" => {
                d.code = "elab.type_mismatch";
                Err(ElabError::Fail(d))
            }
            r => r,
        }
    }

    /// `guided` says whether the expected type is used for the arguments, and afterwards whether it was.
    pub(crate) fn elab_fn_args_once(
        &mut self,
        f: Expr,
        args: Args,
        expected: Option<Expr>,
        span: Span,
        guided: &mut bool,
    ) -> Result<Expr> {
        let use_expected = std::mem::replace(guided, false);
        let st = self.st;
        let Args {
            positional,
            mut named,
            explicit,
        } = args;
        let mut fty = self.infer_type(f)?;
        let mut out: Vec<Expr> = Vec::new();
        let mut insts: Vec<(Expr, Span)> = Vec::new();
        let mut next = 0;
        let mut propagated = false;
        // Explicit arguments that are skipped because a later one was named become binders.
        let mut eta: Vec<Expr> = Vec::new();
        let saved_lctx = self.lctx.clone();
        loop {
            fty = self.whnf_core(fty);
            if !matches!(st.node(fty), Node::Pi(..)) {
                fty = self.instantiate_mvars(fty);
                fty = self.whnf_core(fty);
            }
            let more = next < positional.len() || !named.is_empty();
            let (n, dom, body, bi) = match st.node(fty) {
                Node::Pi(n, d, b, bi) => (n, d, b, bi),
                _ => {
                    if !more {
                        break;
                    }
                    let w = self.whnf(fty);
                    match st.node(w) {
                        Node::Pi(n, d, b, bi) => (n, d, b, bi),
                        _ => {
                            fty = self.expect_function(f, &out, w, span)?;
                            continue;
                        }
                    }
                }
            };
            // A named argument takes its binder.
            if let Some(i) = named.iter().position(|(m, _, _)| *m == n) {
                let (_, v, _) = named.remove(i);
                let a = self.elab_arg(&v, dom)?;
                out.push(a);
                fty = self.instantiate_beta(body, &[a]);
                continue;
            }
            let implicit = !explicit && bi != BinderInfo::Default;
            if implicit {
                if !more {
                    // Trailing strict-implicit binders stay; so do implicit ones if a function with such a binder is expected.
                    if bi == BinderInfo::StrictImplicit {
                        break;
                    }
                    if let Some(x) = expected {
                        let w = self.whnf_reducible(x);
                        if matches!(st.node(w), Node::Pi(_, _, _, b) if b != BinderInfo::Default) {
                            break;
                        }
                    }
                }
                let m = self.mk_fresh_mvar(dom);
                if bi == BinderInfo::InstImplicit {
                    insts.push((m, span));
                } else if let Node::MVar(i) = st.node(m) {
                    self.implicit_args.push((MVarId(i), n, st.app_fn(f), span));
                }
                out.push(m);
                fty = st.instantiate1(body, m);
                continue;
            }
            if next < positional.len() {
                if !propagated && !explicit {
                    propagated = true;
                    if let Some(x) = expected
                        && eta.is_empty()
                        && use_expected
                    {
                        let mark = self.mctx.trail.len();
                        self.propagate_expected(x, fty, positional.len() - next, &named);
                        *guided = self.mctx.trail.len() > mark;
                        fty = self.instantiate_mvars(fty);
                        if let Node::Pi(_, d, b, _) = st.node(fty) {
                            let a = self.elab_arg(&positional[next], d)?;
                            next += 1;
                            out.push(a);
                            fty = self.instantiate_beta(b, &[a]);
                            continue;
                        }
                    }
                }
                let a = self.elab_arg(&positional[next], dom)?;
                next += 1;
                out.push(a);
                fty = self.instantiate_beta(body, &[a]);
                continue;
            }
            if !named.is_empty() {
                if !self.named_later(body, &named) {
                    break;
                }
                let x = self.push_local(n, dom, BinderInfo::Default);
                eta.push(x);
                out.push(x);
                fty = st.instantiate1(body, x);
                continue;
            }
            break;
        }
        if let Some((n, _, s)) = named.first() {
            let fs = self.pp(f);
            return Err(ElabError::new(
                *s,
                format!("`{fs}` has no argument named `{}`", st.name_to_string(*n)),
            ));
        }
        let mut e = st.apps(f, &out);
        if let Some(x) = expected {
            let rty = if eta.is_empty() {
                fty
            } else {
                self.mk_pi(&eta, fty)
            };
            let rty = self.instantiate_mvars(rty);
            // Only a hint: coercions and errors are the caller's business.
            if !matches!(st.node(rty), Node::MVar(_)) || insts.is_empty() {
                self.is_defeq(x, rty);
            }
        }
        for (m, s) in insts {
            self.instance_arg(m, s)?;
        }
        if !eta.is_empty() {
            e = self.mk_lambda(&eta, e);
            self.lctx = saved_lctx;
        }
        Ok(e)
    }

    fn named_later(&self, body: Expr, named: &[(Name, ArgVal, Span)]) -> bool {
        let mut cur = body;
        while let Node::Pi(n, _, b, _) = self.st.node(cur) {
            if named.iter().any(|(m, _, _)| *m == n) {
                return true;
            }
            cur = b;
        }
        false
    }

    fn expect_function(&mut self, f: Expr, out: &[Expr], ty: Expr, span: Span) -> Result<Expr> {
        let st = self.st;
        let w = self.instantiate_mvars(ty);
        if matches!(st.node(st.app_fn(w)), Node::MVar(_)) {
            if self.may_postpone {
                self.synthesize_light()?;
                let w = self.instantiate_mvars(w);
                if !self.is_mvar_headed(w) {
                    return Ok(w);
                }
                return Err(ElabError::Postpone);
            }
            // `?f a`: the type becomes a function type.
            let dom_s = self.mk_fresh_sort();
            let dom = self.mk_fresh_mvar(dom_s);
            let x = self.name("a");
            let saved = self.lctx.clone();
            let v = self.push_local(x, dom, BinderInfo::Default);
            let cod_s = self.mk_fresh_sort();
            let cod = self.mk_fresh_mvar(cod_s);
            let pi = self.mk_pi(&[v], cod);
            self.lctx = saved;
            if self.is_defeq(w, pi) {
                return Ok(self.instantiate_mvars(pi));
            }
        }
        let e = st.apps(f, out);
        let (es, ts) = (self.pp(e), self.pp(w));
        Err(ElabError::new(
            span,
            format!("`{es}` is applied to an argument, but is no function: it has type\n    {ts}"),
        )
        .code("elab.function_expected"))
    }

    pub(crate) fn elab_arg(&mut self, a: &ArgVal, ty: Expr) -> Result<Expr> {
        let (e, s) = match a {
            ArgVal::Ast(t) => (self.elab_term(t, Some(ty))?, t.span),
            ArgVal::Expr(e, s) => (*e, *s),
        };
        self.ensure_type(e, ty, s).map_err(|e| match e {
            ElabError::Fail(mut d) if d.code == "elab.type_mismatch" => {
                d.code = "elab.type_mismatch.arg";
                ElabError::Fail(d)
            }
            e => e,
        })
    }

    /// Unifies the expected type with the type that the application will have, if that type does not depend on the explicit
    /// arguments.
    fn propagate_expected(
        &mut self,
        expected: Expr,
        fty: Expr,
        explicit_left: usize,
        named: &[(Name, ArgVal, Span)],
    ) {
        let st = self.st;
        let x = self.instantiate_mvars(expected);
        if matches!(st.node(x), Node::MVar(_)) {
            return;
        }
        let mut cur = fty;
        let mut left = explicit_left;
        let mut later_named = named.len();
        while left > 0 || later_named > 0 {
            match st.node(cur) {
                Node::Pi(n, _, b, bi) => {
                    if named.iter().any(|(m, _, _)| *m == n) {
                        later_named = later_named.saturating_sub(1);
                    } else if bi == BinderInfo::Default {
                        if left == 0 {
                            return;
                        }
                        left -= 1;
                    }
                    cur = b;
                }
                _ => return,
            }
        }
        while let Node::Pi(_, _, b, bi) = st.node(cur) {
            if bi == BinderInfo::Default {
                break;
            }
            cur = b;
        }
        if st.has_loose_bvars(cur) {
            // The result depends on the arguments: only what does not is compared.
            let w = self.whnf_core(x);
            let (h, outs) = st.unfold_app(cur);
            let (xh, xs) = st.unfold_app(w);
            if let (Node::Const(a, _), Node::Const(b, _)) = (st.node(h), st.node(xh))
                && a == b
                && outs.len() == xs.len()
            {
                for (o, x) in outs.iter().zip(&xs) {
                    if !st.has_loose_bvars(*o) && st.has_mvar(*o) {
                        self.is_defeq(*x, *o);
                    }
                }
            }
            return;
        }
        let cur = self.instantiate_mvars(cur);
        // A result that is just a metavariable may still need a coercion.
        if matches!(st.node(cur), Node::MVar(_)) && self.coercible_target(x) {
            return;
        }
        self.is_defeq(x, cur);
    }

    fn coercible_target(&mut self, ty: Expr) -> bool {
        let w = self.whnf_reducible(ty);
        match self.st.node(w) {
            Node::Sort(_) => false,
            _ => self.head_const(w) == Some(self.name("Int")),
        }
    }
}
