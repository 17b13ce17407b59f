//! Structure literals `{ a := 1, b := 2 }` and updates `{ s with a := 1 }`.

use logic::{BinderInfo, ConstantInfo, Expr, Name, Node};

use crate::elab::app::Args;
use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{FieldInit, Ident, Span, Term, TermKind};

impl<'b> Elab<'b> {
    pub(crate) fn elab_struct_inst(
        &mut self,
        sources: &[Term],
        fields: &[FieldInit],
        ty: Option<&Term>,
        expected: Option<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let mut srcs = Vec::new();
        for s in sources {
            srcs.push(self.elab_term(s, None)?);
        }
        let target = match ty {
            Some(t) => Some(self.elab_type(t)?),
            None => expected,
        };
        let mut target = target;
        let known = |el: &mut Self, t: Expr| {
            let w = el.whnf(t);
            !el.is_mvar_headed(w)
        };
        if target.is_none_or(|t| !known(self, t))
            && let Some(s) = srcs.first()
        {
            let t = self.infer_type(*s)?;
            if known(self, t) {
                target = Some(t);
            }
        }
        let Some(target) = target.filter(|t| known(self, *t)) else {
            return self.need_more(|_| {
                ElabError::new(span, "the type of this structure literal is not known")
                    .code("elab.struct")
            });
        };
        let fields: Vec<(Ident, Term)> = fields
            .iter()
            .map(|f| {
                let v = f.value.clone().unwrap_or_else(|| Term {
                    kind: TermKind::Ident {
                        id: f.field.clone(),
                        levels: None,
                        explicit: false,
                    },
                    span: f.field.span,
                });
                (f.field.clone(), v)
            })
            .collect();
        self.build_struct(target, &srcs, &fields, span, true)
    }

    fn build_struct(
        &mut self,
        target: Expr,
        srcs: &[Expr],
        fields: &[(Ident, Term)],
        span: Span,
        report_unknown: bool,
    ) -> Result<Expr> {
        let st = self.st;
        let w = self.whnf(target);
        let Some((info, levels, params, _)) = self.get_inductive_app(w) else {
            let t = self.pp(w);
            return Err(
                ElabError::new(span, format!("`{t}` is not a structure")).code("elab.struct")
            );
        };
        let s = info.sig.name;
        let Some(names) = self.ext.structures.get(&s).cloned() else {
            let t = self.pp(w);
            return Err(
                ElabError::new(span, format!("`{t}` is not a structure")).code("elab.struct")
            );
        };
        let ctor = info.ctors[0];
        let parents = self.ext.parents.get(&s).cloned().unwrap_or_default();
        if report_unknown {
            for (f, _) in fields {
                let n = self.ident_name(f);
                if !self.has_field(s, n) {
                    let sn = st.name_to_string(s);
                    let all: Vec<String> = names.iter().map(|n| st.name_to_string(*n)).collect();
                    let mut e = ElabError::new(f.span, format!("`{sn}` has no field `{}`", f.name))
                        .code("elab.struct");
                    if let Some(h) =
                        crate::syntax::near::near(&f.name, all.iter().map(String::as_str)).first()
                    {
                        e = e.help(format!("did you mean `{h}`?"));
                    }
                    return Err(e);
                }
            }
        }
        let mut e = st.apps(st.constant(ctor, levels), &params);
        let mut ty = self.infer_type(e)?;
        let nf = match self.env.get(ctor) {
            Some(ConstantInfo::Constructor(c)) => c.num_fields as usize,
            _ => 0,
        };
        let mut values: Vec<Expr> = Vec::new();
        let mut missing: Vec<String> = Vec::new();
        for i in 0..nf {
            let name = names.get(i).copied().unwrap_or(Name::ANON);
            let wt = self.whnf_core(ty);
            let Node::Pi(_, d, b, bi) = st.node(wt) else {
                return Err(ElabError::new(span, "a constructor with too few fields"));
            };
            let given = fields.iter().find(|(f, _)| self.ident_name(f) == name);
            let parent = parents
                .iter()
                .find(|(_, to)| st.name_last(*to) == st.name_last(name))
                .map(|(p, _)| *p);
            let v = if let Some((_, v)) = given {
                self.elab_term_ensuring(v, Some(d))?
            } else if let Some(p) = parent
                && fields.iter().any(|(f, _)| {
                    let n = self.ident_name(f);
                    self.has_field(p, n)
                })
            {
                let sub: Vec<(Ident, Term)> = fields
                    .iter()
                    .filter(|(f, _)| {
                        let n = self.ident_name(f);
                        self.has_field(p, n)
                    })
                    .cloned()
                    .collect();
                let mut sub_srcs = Vec::new();
                for x in srcs {
                    if let Some(v) = self.source_field(*x, name, span)? {
                        sub_srcs.push(v);
                    } else {
                        sub_srcs.push(*x);
                    }
                }
                self.build_struct(d, &sub_srcs, &sub, span, false)?
            } else if let Some(v) = {
                let mut found = None;
                for x in srcs {
                    if let Some(v) = self.source_field(*x, name, span)? {
                        found = Some(v);
                        break;
                    }
                }
                found
            } {
                self.ensure_type(v, d, span)?
            } else if let Some(f) = self.ext.defaults.get(&st.name_append(s, name)).copied() {
                let f = st.instantiate_level_params(f, &info.sig.univ_params, levels);
                let mut all = params.clone();
                all.extend_from_slice(&values);
                let v = self.beta(f, &all);
                self.ensure_type(v, d, span)?
            } else if parent.is_some() {
                self.build_struct(d, &[], &[], span, false)?
            } else if bi == BinderInfo::InstImplicit {
                let m = self.mk_fresh_mvar(d);
                self.instance_arg(m, span)?;
                m
            } else if bi == BinderInfo::Implicit {
                self.mk_fresh_mvar(d)
            } else {
                missing.push(st.name_to_string(name));
                self.mk_fresh_mvar(d)
            };
            values.push(v);
            e = st.app(e, v);
            ty = st.instantiate1(b, v);
        }
        if !missing.is_empty() {
            let sn = st.name_to_string(s);
            return Err(ElabError::new(
                span,
                format!("missing fields of `{sn}`: {}", missing.join(", ")),
            )
            .code("elab.struct"));
        }
        Ok(e)
    }

    fn has_field(&self, s: Name, f: Name) -> bool {
        self.ext.structures.get(&s).is_some_and(|v| v.contains(&f))
            || self
                .ext
                .parents
                .get(&s)
                .is_some_and(|ps| ps.iter().any(|(p, _)| self.has_field(*p, f)))
    }

    fn source_field(&mut self, x: Expr, name: Name, span: Span) -> Result<Option<Expr>> {
        let ty = self.infer_type(x)?;
        let w = self.whnf(ty);
        let Some(h) = self.head_const(w) else {
            return Ok(None);
        };
        if !self.has_field(h, name) {
            return Ok(None);
        }
        let f = self.st.name_to_string(name);
        Ok(Some(self.elab_fields(
            x,
            &[f],
            Args::default(),
            None,
            span,
            span,
        )?))
    }
}
