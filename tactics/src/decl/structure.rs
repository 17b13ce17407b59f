//! `structure`: an inductive type with one constructor, projections, parents, default values.

use logic::{BinderInfo, ConstantInfo, Expr, Name};

use crate::decl::def::Declared;
use crate::decl::inductive::RawInductive;
use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{self, Span};

impl<'b> Elab<'b> {
    /// Elaborates a structure, adds it, its projections and auxiliary declarations.
    pub fn elab_structure(&mut self, d: &ast::StructureDecl, _keyword: Span) -> Result<Declared> {
        self.begin_decl(d.levels.as_deref());
        let env = self.env.clone();
        let mut name = self.declared_name(&d.name);
        if d.modifiers.private.is_some() {
            name = self.private_name(name);
        }
        self.check_fresh(name, d.name.span)?;
        let r = self.elab_structure_go(d, name);
        self.lctx = crate::meta::LCtx::default();
        self.rec_fns.clear();
        match r {
            Ok(()) => {
                self.apply_attrs(name, &d.modifiers)?;
                Ok(Declared {
                    name,
                    kind: "structure",
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

    fn elab_structure_go(&mut self, d: &ast::StructureDecl, name: Name) -> Result<()> {
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
                let i = match st.level_node(l) {
                    logic::LevelNode::MVar(i) => i,
                    _ => return Err(ElabError::msg("a universe is missing")),
                };
                (st.sort(l), Some(i))
            }
        };
        self.synthesize(true)?;
        let ty = self.instantiate_mvars(ty);
        let infer = infer.or_else(|| self.result_level_mvar(ty));
        let this_ty = self.mk_pi(&own, ty);
        let this = self.new_local(name, this_ty, None, BinderInfo::Default);
        self.locals[this.0 as usize].aux = true;
        let mut fields: Vec<Expr> = Vec::new();
        let mut names: Vec<Name> = Vec::new();
        let mut lets: Vec<Expr> = Vec::new();
        let mut parents: Vec<(Name, Name)> = Vec::new();
        let mut defaults: Vec<(Name, Expr, usize)> = Vec::new();
        for p in &d.extends {
            let pty = self.elab_type(p)?;
            self.synthesize(true)?;
            let pty = self.instantiate_mvars(pty);
            let Some((info, _, _, _)) = self.get_inductive_app(pty) else {
                let t = self.pp(pty);
                return Err(ElabError::new(p.span, format!("`{t}` is not a structure")));
            };
            let pn = info.sig.name;
            if !self.ext.structures.contains_key(&pn) {
                let t = self.pp(pty);
                return Err(ElabError::new(p.span, format!("`{t}` is not a structure")));
            }
            let short = st.name_last(pn).unwrap_or("parent");
            let field = st.name_str(Name::ANON, &format!("to{short}"));
            let x = self.push_local(field, pty, BinderInfo::Default);
            fields.push(x);
            names.push(field);
            parents.push((pn, st.name_append(name, field)));
            self.open_parent_fields(x, pn, &mut lets)?;
        }
        for f in &d.fields {
            for n in &f.field.names {
                let Some(id) = &n.name else {
                    return Err(ElabError::new(n.span, "a field needs a name"));
                };
                let fname = self.ident_name(id);
                if names.contains(&fname) {
                    return Err(ElabError::new(
                        n.span,
                        format!("the field `{}` is there already", id.name),
                    ));
                }
                let saved = self.lctx.clone();
                let bs = self.elab_binders(&f.binders)?;
                let fty = match &f.field.ty {
                    Some(t) => self.elab_type(t)?,
                    None => {
                        return Err(ElabError::new(n.span, "a field needs a type"));
                    }
                };
                self.synthesize(true)?;
                let fty = self.mk_pi(&bs, fty);
                self.lctx = saved;
                self.report_open(fty, start, f.span)?;
                let fty = self.zeta_abstract(&lets, fty);
                if let Some(v) = &f.field.default {
                    let v = self.with_lctx_saved(|el| {
                        let v = if bs.is_empty() {
                            el.elab_term_ensuring(v, Some(fty))?
                        } else {
                            let xs = el.elab_binders(&f.binders)?;
                            let t = el.instantiate_forall(fty, &xs, fty)?;
                            let v = el.elab_term_ensuring(v, Some(t))?;
                            el.mk_lambda(&xs, v)
                        };
                        el.synthesize(true)?;
                        Ok(v)
                    })?;
                    let v = self.zeta_abstract(&lets, v);
                    defaults.push((fname, v, fields.len()));
                }
                let bi = self.binder_info(&f.field);
                let x = self.push_local(fname, fty, bi);
                fields.push(x);
                names.push(fname);
                if let Some(doc) = &f.doc {
                    self.ext
                        .docs
                        .insert(st.name_append(name, fname), doc.text.clone());
                }
            }
        }
        let mut terms = self.local_types(&fields);
        terms.push(ty);
        terms.extend(self.local_types(&own));
        let used = self.used_variables(&vars, &terms);
        let mut params = used.clone();
        params.extend_from_slice(&own);
        let head = self.mk_fvar(this);
        let result = st.apps(head, &own);
        let cty = self.mk_pi(&fields, result);
        let ctor = match &d.ctor {
            Some(c) => self.ident_name(c),
            None => st.name("mk"),
        };
        let ctor = st.name_append(name, ctor);
        let raw = RawInductive {
            name,
            params: params.clone(),
            ty,
            this,
            ctors: vec![(ctor, cty, d.name.span)],
            infer,
        };
        self.add_inductive(raw, used.len(), d.name.span)?;
        for decl in crate::constructions::structure_projections(&self.env, name) {
            self.add_decl(decl, d.name.span)?;
        }
        let np = match self.env.get(name) {
            Some(ConstantInfo::Inductive(i)) => i.num_params as usize,
            _ => params.len(),
        };
        for (i, f) in names.iter().enumerate() {
            let pn = st.name_append(name, *f);
            if self.env.get(pn).is_some() {
                self.ext.projections.insert(pn, (name, np, i as u32));
            }
        }
        for (f, v, before) in defaults {
            let mut xs = params.clone();
            xs.extend_from_slice(&fields[..before]);
            let v = self.mk_lambda(&xs, v);
            let v = self.generalize_levels(&[v])[0];
            self.ext.defaults.insert(st.name_append(name, f), v);
        }
        self.ext.structures.insert(name, names);
        if !parents.is_empty() {
            self.ext.parents.insert(name, parents);
        }
        Ok(())
    }

    /// Makes the fields of a parent available by name while the other fields are elaborated.
    fn open_parent_fields(&mut self, x: Expr, parent: Name, lets: &mut Vec<Expr>) -> Result<()> {
        let st = self.st;
        let names = self
            .ext
            .structures
            .get(&parent)
            .cloned()
            .unwrap_or_default();
        let grand = self.ext.parents.get(&parent).cloned().unwrap_or_default();
        for f in names {
            let pf = st.name_append(parent, f);
            if self.env.get(pf).is_none() {
                continue;
            }
            let v = self.mk_app_n(pf, &[x])?;
            let ty = self.infer_type(v)?;
            let y = self.push_let(f, ty, v);
            lets.push(y);
            if let Some((g, _)) = grand.iter().find(|(_, to)| *to == pf) {
                self.open_parent_fields(v, *g, lets)?;
            }
        }
        Ok(())
    }
}
