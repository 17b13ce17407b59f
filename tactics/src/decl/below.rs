//! `T.below` and `T.brecOn`: what structural recursion is compiled to.
//!
//! `T.below t` is the type of all values of a motive at everything smaller than `t`, as nested `PProd`s;
//! `T.brecOn t F` computes with all of them at hand.

use logic::{BinderInfo, ConstantInfo, Declaration, Expr, Hint, Level, Name, Node, Signature};

use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::Span;

/// The induction hypothesis of a recursive field.
struct RecField {
    ih: Expr,
}

impl<'b> Elab<'b> {
    /// Adds `T.below` and `T.brecOn` for a recursive type that eliminates into all universes.
    pub(crate) fn add_below(&mut self, name: Name, span: Span) -> Result<()> {
        let st = self.st;
        let Some(info) = self.ind_info(name) else {
            return Ok(());
        };
        let ready = ["PProd", "PProd.mk", "PUnit", "PUnit.unit"]
            .iter()
            .all(|n| self.env.get(st.name(n)).is_some());
        let rec = match self.env.get(st.name_str(name, "rec")) {
            Some(ConstantInfo::Recursor(r)) => r.clone(),
            _ => return Ok(()),
        };
        let large = rec.sig.univ_params.len() > info.sig.univ_params.len();
        if !info.is_recursive || !ready || !large || rec.num_motives != 1 {
            return Ok(());
        }
        let v = st.level_param(rec.sig.univ_params[0]);
        let us: Vec<Level> = info
            .sig
            .univ_params
            .iter()
            .map(|n| st.level_param(*n))
            .collect();
        let v1 = self.level_max(st.level_nat(1), v);
        let saved = self.lctx.clone();
        let r = self.below_decls(name, &rec, v, v1, &us);
        self.lctx = saved;
        // A reflexive type's values of the motive may live in a higher universe than `below` has here.
        let ds = match r {
            Ok(ds) => ds,
            Err(_) if info.is_reflexive => return Ok(()),
            Err(e) => return Err(e),
        };
        for d in ds {
            let n = match &d {
                Declaration::Definition { sig, .. } => sig.name,
                _ => name,
            };
            self.add_decl(d, span)?;
            self.ext.reducible.insert(n);
        }
        Ok(())
    }

    fn below_decls(
        &mut self,
        name: Name,
        rec: &logic::RecursorInfo,
        v: Level,
        v1: Level,
        us: &[Level],
    ) -> Result<Vec<Declaration>> {
        let st = self.st;
        let np = rec.num_params as usize;
        let ni = rec.num_indices as usize;
        let nm = rec.num_minors as usize;
        let bad = || ElabError::msg("the recursor has an unexpected shape");
        let (xs, _) = self.open_foralls(rec.sig.ty, None, false);
        if xs.len() != np + 1 + nm + ni + 1 {
            return Err(bad());
        }
        let params = &xs[..np];
        let motive = xs[np];
        let minors = &xs[np + 1..np + 1 + nm];
        let idx = &xs[np + 1 + nm..np + 1 + nm + ni];
        let major = xs[xs.len() - 1];
        for x in params.iter().chain(idx).chain([&motive]) {
            self.set_implicit(*x);
        }
        let mut targets: Vec<Expr> = idx.to_vec();
        targets.push(major);
        // below
        let below_name = st.name_str(name, "below");
        let mut rec_levels = vec![st.level_succ(v1)];
        rec_levels.extend_from_slice(us);
        let rec_c = st.constant(rec.sig.name, &rec_levels);
        let sort_v1 = st.sort(v1);
        let below_motive = self.mk_lambda_explicit(&targets, sort_v1);
        let mut args: Vec<Expr> = params.to_vec();
        args.push(below_motive);
        for m in minors {
            let mt = self.infer_type(*m)?;
            let e = self.with_lctx_saved(|el| -> Result<Expr> {
                let (fs, _) = el.open_foralls(mt, None, false);
                let rf = el.rec_fields(&fs, motive)?;
                let mut parts = Vec::new();
                // The hypotheses of the new recursor have type `Sort v1`.
                let mut binders = Vec::new();
                for f in &fs {
                    match rf.iter().find(|r| r.ih == *f) {
                        Some(r) => {
                            let ih_ty = el.infer_type(r.ih)?;
                            let (new_ih, part) = el.below_component(ih_ty, r, v, v1)?;
                            binders.push(new_ih);
                            parts.push(part);
                        }
                        None => binders.push(*f),
                    }
                }
                let body = el.pprod_types(&parts, v1);
                Ok(el.mk_lambda_explicit(&binders, body))
            })?;
            args.push(e);
        }
        args.extend_from_slice(&targets);
        let below_value = st.apps(rec_c, &args);
        let mut head: Vec<Expr> = params.to_vec();
        head.push(motive);
        head.extend_from_slice(&targets);
        let below_ty = self.mk_pi(&head, sort_v1);
        let below_val = self.mk_lambda(&head, below_value);
        let below = Declaration::Definition {
            sig: Signature {
                name: below_name,
                univ_params: rec.sig.univ_params.clone(),
                ty: below_ty,
            },
            value: below_val,
            hint: Hint::Abbrev,
        };
        // The next declaration mentions it.
        let mut probe = self.env.clone();
        probe
            .add(below.clone())
            .map_err(|e| ElabError::msg(format!("{}", e.display(st))))?;
        let outer = std::mem::replace(&mut self.env, probe);
        let r = self.brec_on(name, rec, v, v1, us, below_name, &xs);
        self.env = outer;
        Ok(vec![below, r?])
    }

    #[allow(clippy::too_many_arguments)]
    fn brec_on(
        &mut self,
        name: Name,
        rec: &logic::RecursorInfo,
        v: Level,
        v1: Level,
        us: &[Level],
        below_name: Name,
        xs: &[Expr],
    ) -> Result<Declaration> {
        let st = self.st;
        let np = rec.num_params as usize;
        let ni = rec.num_indices as usize;
        let nm = rec.num_minors as usize;
        let params = &xs[..np];
        let motive = xs[np];
        let minors = &xs[np + 1..np + 1 + nm];
        let idx = &xs[np + 1 + nm..np + 1 + nm + ni];
        let major = xs[xs.len() - 1];
        let mut targets: Vec<Expr> = idx.to_vec();
        targets.push(major);
        let mut levels = vec![v];
        levels.extend_from_slice(us);
        let below_c = st.apps(st.constant(below_name, &levels), params);
        let below_c = st.app(below_c, motive);
        let below_at = |ts: &[Expr]| st.apps(below_c, ts);
        // F : ∀ idx t, below t → motive idx t
        let f_ty = {
            let b = below_at(&targets);
            let m = st.apps(motive, &targets);
            let arrow = st.pi(st.name("f"), b, m, BinderInfo::Default);
            self.mk_pi(&targets, arrow)
        };
        let f = self.push_local(st.name("F_1"), f_ty, BinderInfo::Default);
        let pprod = st.constant(st.name("PProd"), &[v, v1]);
        let pair_at = |ts: &[Expr]| st.apps(pprod, &[st.apps(motive, ts), below_at(ts)]);
        let pair_motive = {
            let b = pair_at(&targets);
            self.mk_lambda_explicit(&targets, b)
        };
        let mut rec_levels = vec![v1];
        rec_levels.extend_from_slice(us);
        let mut args: Vec<Expr> = params.to_vec();
        args.push(pair_motive);
        for m in minors {
            let mt = self.infer_type(*m)?;
            let e = self.with_lctx_saved(|el| -> Result<Expr> {
                let (fs, res) = el.open_foralls(mt, None, false);
                let rf = el.rec_fields(&fs, motive)?;
                let (_, ts) = st.unfold_app(res);
                let mut binders = Vec::new();
                let mut parts = Vec::new();
                for x in &fs {
                    match rf.iter().find(|r| r.ih == *x) {
                        Some(r) => {
                            // ih : ∀ ys, motive … becomes ∀ ys, PProd (motive …) (below …)
                            let ih_ty = el.infer_type(r.ih)?;
                            let new_ty = el.with_lctx_saved(|el| {
                                let (ys, t) = el.open_foralls(ih_ty, None, false);
                                let (_, ts) = st.unfold_app(t);
                                let p = pair_at(&ts);
                                el.mk_pi(&ys, p)
                            });
                            let n = el.user_name_of(r.ih);
                            let y = el.push_local(n, new_ty, BinderInfo::Default);
                            binders.push(y);
                            parts.push((y, new_ty));
                        }
                        None => binders.push(*x),
                    }
                }
                let below_ty = below_at(&ts);
                let b = el.pprod_values(&parts, v1);
                let fv = st.app(st.apps(f, &ts), b);
                let mk = st.constant(st.name("PProd.mk"), &[v, v1]);
                let body = st.apps(mk, &[st.apps(motive, &ts), below_ty, fv, b]);
                Ok(el.mk_lambda_explicit(&binders, body))
            })?;
            args.push(e);
        }
        args.extend_from_slice(&targets);
        let rec_app = st.apps(st.constant(rec.sig.name, &rec_levels), &args);
        let value = st.proj(st.name("PProd"), 0, rec_app);
        let mut head: Vec<Expr> = params.to_vec();
        head.push(motive);
        head.extend_from_slice(&targets);
        head.push(f);
        let ty = st.apps(motive, &targets);
        let ty = self.mk_pi(&head, ty);
        let value = self.mk_lambda(&head, value);
        Ok(Declaration::Definition {
            sig: Signature {
                name: st.name_str(name, "brecOn"),
                univ_params: rec.sig.univ_params.clone(),
                ty,
            },
            value,
            hint: Hint::Abbrev,
        })
    }

    fn set_implicit(&mut self, x: Expr) {
        if let Node::FVar(i) = self.st.node(x) {
            self.locals[i as usize].bi = BinderInfo::Implicit;
        }
    }

    pub(crate) fn user_name_of(&self, x: Expr) -> Name {
        match self.st.node(x) {
            Node::FVar(i) => self.local(crate::meta::FVarId(i)).user_name,
            _ => self.st.name("x"),
        }
    }

    /// The induction hypotheses among the arguments of a minor premise, with their fields.
    fn rec_fields(&mut self, fs: &[Expr], motive: Expr) -> Result<Vec<RecField>> {
        let st = self.st;
        let mut out = Vec::new();
        for f in fs {
            let ty = self.infer_type(*f)?;
            let mut cur = ty;
            while let Node::Pi(_, _, b, _) = st.node(cur) {
                cur = b;
            }
            if st.app_fn(cur) != motive {
                continue;
            }
            out.push(RecField { ih: *f });
        }
        Ok(out)
    }

    /// For `below`: the hypothesis of type `∀ ys, Sort v1`, and `∀ ys, PProd (motive (f ys)) (ih ys)`.
    fn below_component(
        &mut self,
        ih_ty: Expr,
        r: &RecField,
        v: Level,
        v1: Level,
    ) -> Result<(Expr, Expr)> {
        let st = self.st;
        let sort = st.sort(v1);
        let new_ty = self.with_lctx_saved(|el| {
            let (ys, _) = el.open_foralls(ih_ty, None, false);
            el.mk_pi(&ys, sort)
        });
        let n = self.user_name_of(r.ih);
        let y = self.push_local(n, new_ty, BinderInfo::Default);
        let part = self.with_lctx_saved(|el| {
            let (ys, m) = el.open_foralls(ih_ty, None, false);
            let p = st.constant(st.name("PProd"), &[v, v1]);
            let e = st.apps(p, &[m, st.apps(y, &ys)]);
            el.mk_pi(&ys, e)
        });
        Ok((y, part))
    }

    fn pprod_types(&mut self, parts: &[Expr], v1: Level) -> Expr {
        let st = self.st;
        let Some((last, rest)) = parts.split_last() else {
            return st.constant(st.name("PUnit"), &[v1]);
        };
        let p = st.constant(st.name("PProd"), &[v1, v1]);
        rest.iter()
            .rev()
            .fold(*last, |acc, x| st.apps(p, &[*x, acc]))
    }

    fn pprod_values(&mut self, parts: &[(Expr, Expr)], v1: Level) -> Expr {
        let st = self.st;
        let Some(((last, lty), rest)) = parts.split_last() else {
            return st.constant(st.name("PUnit.unit"), &[v1]);
        };
        let p = st.constant(st.name("PProd"), &[v1, v1]);
        let mk = st.constant(st.name("PProd.mk"), &[v1, v1]);
        let (e, _) = rest
            .iter()
            .rev()
            .fold((*last, *lty), |(acc, aty), (x, xty)| {
                (st.apps(mk, &[*xty, aty, *x, acc]), st.apps(p, &[*xty, aty]))
            });
        e
    }
}
