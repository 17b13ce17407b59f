//! Field notation: `x.f`, `x.1`, `h.mp`.

use logic::{BinderInfo, ConstantInfo, Expr, Name, Node};

use crate::elab::app::{ArgVal, Args};
use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::Span;
use crate::syntax::near::near;

impl<'b> Elab<'b> {
    /// `e.f₁.f₂… args`.
    pub(crate) fn elab_fields(
        &mut self,
        e: Expr,
        fields: &[String],
        args: Args,
        expected: Option<Expr>,
        field_span: Span,
        span: Span,
    ) -> Result<Expr> {
        let Some((first, rest)) = fields.split_first() else {
            return self.elab_fn_args(e, args, expected, span);
        };
        // A head with implicit arguments (`foo.f` where `foo : ∀ {x}, S x`).
        let e = if matches!(self.st.node(e), Node::Const(..)) {
            self.elab_fn_args(e, Args::default(), None, span)?
        } else {
            e
        };
        if rest.is_empty() {
            return self.field_app(e, first, args, expected, field_span, span);
        }
        let e2 = self.field_app(e, first, Args::default(), None, field_span, span)?;
        self.elab_fields(e2, rest, args, expected, field_span, span)
    }

    fn field_app(
        &mut self,
        e: Expr,
        field: &str,
        args: Args,
        expected: Option<Expr>,
        field_span: Span,
        span: Span,
    ) -> Result<Expr> {
        let st = self.st;
        let ety = self.infer_type(e)?;
        let mut ty = self.whnf_core(ety);
        if self.is_mvar_headed(ty) {
            self.synthesize_light()?;
            ty = self.instantiate_mvars(ty);
            ty = self.whnf_core(ty);
        }
        if self.is_mvar_headed(ty) {
            return self.need_more(|el| {
                let es = el.pp(e);
                ElabError::new(
                    field_span,
                    format!("the type of `{es}` is not known, so `.{field}` has no meaning"),
                )
            });
        }
        let mut heads: Vec<Name> = Vec::new();
        loop {
            ty = self.whnf_core(ty);
            // `∀ {x}, S`: instantiate.
            if let Node::Pi(_, _, _, bi) = st.node(ty)
                && bi != BinderInfo::Default
            {
                let e2 = self.elab_fn_args(e, Args::default(), None, span)?;
                if e2 != e {
                    return self.field_app(e2, field, args, expected, field_span, span);
                }
            }
            if let Some(h) = self.head_const(ty) {
                heads.push(h);
                if let Some(r) =
                    self.field_of_head(e, h, field, &args, expected, field_span, span)?
                {
                    return Ok(r);
                }
            } else if matches!(st.node(ty), Node::Pi(..)) {
                let h = st.name("Function");
                heads.push(h);
                if let Some(r) =
                    self.field_of_head(e, h, field, &args, expected, field_span, span)?
                {
                    return Ok(r);
                }
            }
            let next = match self.unfold_definition(ty) {
                Some(n) => Some(n),
                None => self.unfold_const_raw(ty),
            };
            match next {
                Some(n) if n != ty => ty = n,
                _ => break,
            }
        }
        // `T.f` for a type `T`: an unknown name.
        let names_type = matches!(st.node(st.app_fn(e)), Node::Const(c, _)
        if self.env.get(c).is_some_and(|c| {
            let mut t = c.ty();
            while let Node::Pi(_, _, b, _) = st.node(t) {
                t = b;
            }
            matches!(st.node(t), Node::Sort(_))
        }));
        if names_type {
            let head = self
                .head_const(e)
                .map_or_else(String::new, |c| st.name_to_string(c));
            let written = format!("{head}.{field}");
            let id = crate::syntax::ast::Ident {
                name: written.into(),
                span: field_span,
            };
            return Err(self.unknown_name(&id));
        }
        let (es, ts) = (self.pp_short(e), self.pp(ety));
        let mut err = ElabError::new(
            field_span,
            format!("`{es}` has no field or function `{field}`: its type is\n    {ts}"),
        )
        .code("elab.unknown_field");
        let mut cands: Vec<&str> = Vec::new();
        for h in &heads {
            for (last, names) in &self.ext.by_last {
                if names.iter().any(|n| st.name_prefix(*n) == *h) {
                    cands.push(last);
                }
            }
        }
        let hits = near(field, cands);
        if let Some(h) = hits.first() {
            err = err.help(format!("did you mean `.{h}`?"));
        }
        Err(err)
    }

    #[allow(clippy::too_many_arguments)]
    fn field_of_head(
        &mut self,
        e: Expr,
        h: Name,
        field: &str,
        args: &Args,
        expected: Option<Expr>,
        field_span: Span,
        span: Span,
    ) -> Result<Option<Expr>> {
        let st = self.st;
        if let Ok(i) = field.parse::<usize>() {
            let Some(f) = self.numbered_field(h, i) else {
                if let Some(info) = self.ind_info(h)
                    && info.ctors.len() == 1
                    && info.num_indices == 0
                {
                    let s = st.name_to_string(h);
                    return Err(ElabError::new(
                        field_span,
                        format!("`{s}` has no field number {i}"),
                    ));
                }
                return Ok(None);
            };
            return match f {
                Ok(name) => Ok(Some(self.apply_field(name, h, e, args, expected, span)?)),
                Err(idx) => {
                    let p = st.proj(h, idx, e);
                    Ok(Some(self.elab_fn_args(p, args.clone(), expected, span)?))
                }
            };
        }
        let full = st.name_str(h, field);
        let full = self.scope.private.get(&full).copied().unwrap_or(full);
        if self.env.get(full).is_some() && !self.is_hidden(full) {
            return Ok(Some(self.apply_field(full, h, e, args, expected, span)?));
        }
        // A recursive function under definition.
        if let Some((x, _)) = self.rec_fns.iter().rev().find(|(_, n)| *n == full).copied() {
            let f = self.mk_fvar(x);
            return Ok(Some(self.apply_method(f, h, e, args, expected, span)?));
        }
        // Fields of parents.
        if let Some(parents) = self.ext.parents.get(&h).cloned() {
            for (_, to_parent) in parents {
                let p = self.apply_field(to_parent, h, e, &Args::default(), None, span)?;
                let pty = self.infer_type(p)?;
                let pty = self.whnf_core(pty);
                if let Some(ph) = self.head_const(pty)
                    && let Some(r) =
                        self.field_of_head(p, ph, field, args, expected, field_span, span)?
                {
                    return Ok(Some(r));
                }
            }
        }
        Ok(None)
    }

    /// Field `i` (from 1): its projection function, or its number if there is none.
    fn numbered_field(&self, h: Name, i: usize) -> Option<std::result::Result<Name, u32>> {
        let st = self.st;
        let i = i.checked_sub(1)?;
        let Some(ConstantInfo::Inductive(info)) = self.env.get(h) else {
            return None;
        };
        if info.ctors.len() != 1 || info.num_indices != 0 {
            return None;
        }
        let Some(ConstantInfo::Constructor(c)) = self.env.get(info.ctors[0]) else {
            return None;
        };
        if i >= c.num_fields as usize {
            return None;
        }
        if let Some(fields) = self.ext.structures.get(&h) {
            return Some(Ok(st.name_append(h, *fields.get(i)?)));
        }
        Some(Err(i as u32))
    }

    fn apply_field(
        &mut self,
        f: Name,
        h: Name,
        e: Expr,
        args: &Args,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let f = self.mk_const(f)?;
        self.apply_method(f, h, e, args, expected, span)
    }

    /// Puts `e` at the first explicit argument whose type's head is `h`.
    fn apply_method(
        &mut self,
        f: Expr,
        h: Name,
        e: Expr,
        args: &Args,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let st = self.st;
        let fty = self.infer_type(f)?;
        let mut cur = fty;
        let mut explicit_before = 0;
        let mut found: Option<(usize, Name, bool)> = None;
        let function = st.name("Function");
        loop {
            if !matches!(st.node(cur), Node::Pi(..)) && !st.has_loose_bvars(cur) {
                cur = self.whnf(cur);
            }
            let Node::Pi(n, d, b, bi) = st.node(cur) else {
                break;
            };
            let hit =
                self.binder_head_is(d, h) || (h == function && matches!(st.node(d), Node::Pi(..)));
            let taken = args.named.iter().any(|(m, _, _)| *m == n);
            if hit && !taken && (bi == BinderInfo::Default || args.explicit) {
                found = Some((explicit_before, n, true));
                break;
            }
            if !taken && (bi == BinderInfo::Default || args.explicit) {
                explicit_before += 1;
            }
            cur = b;
        }
        let mut args = args.clone();
        let Some((at, n, _)) = found else {
            let (fs, hs) = (self.pp(f), st.name_to_string(h));
            return Err(ElabError::new(
                span,
                format!(
                    "`{fs}` has no explicit argument of type `{hs} …`, so field notation does not apply"
                ),
            ));
        };
        if at <= args.positional.len() {
            args.positional.insert(at, ArgVal::Expr(e, span));
        } else {
            args.named.push((n, ArgVal::Expr(e, span), span));
        }
        self.elab_fn_args(f, args, expected, span)
    }

    fn binder_head_is(&mut self, d: Expr, h: Name) -> bool {
        let st = self.st;
        let mut d = d;
        for _ in 0..16 {
            match st.node(st.app_fn(d)) {
                Node::Const(c, ls) => {
                    if c == h {
                        return true;
                    }
                    // Unfold abbreviations: `def Pred α := α → Prop`.
                    let (_, a) = st.unfold_app(d);
                    if !self.can_unfold(c) {
                        return false;
                    }
                    match self.const_value(c, ls) {
                        Some(v) => d = self.beta(v, &a),
                        None => return false,
                    }
                }
                _ => return false,
            }
        }
        false
    }
}
