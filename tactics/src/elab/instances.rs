//! Instance arguments: a small syntax-directed resolution over definitions marked `@[instance]`.
//!
//! A local hypothesis of the right type comes first, then registered instances, the latest first. If none fits,
//! the proposition in `Decidable p` is unfolded by one definition and the search starts again.

use logic::{BinderInfo, Expr, Name, Node};

use crate::meta::{Elab, ElabError, Result};

/// How deep instances may depend on instances.
const MAX_DEPTH: u32 = 48;

impl<'b> Elab<'b> {
    /// Finds a value of an instance type such as `Decidable p`.
    pub fn synth_instance(&mut self, ty: Expr) -> Result<Expr> {
        let ty = self.instantiate_mvars(ty);
        match self.instance_go(ty, 0) {
            Some(e) => Ok(self.instantiate_mvars(e)),
            None => {
                let t = self.pp(ty);
                Err(ElabError::msg(format!("no instance of `{t}` was found"))
                    .code("elab.instance")
                    .help("mark a definition with a result of this form as `@[instance]`, or assume one as `[h : …]`"))
            }
        }
    }

    fn instance_go(&mut self, ty: Expr, depth: u32) -> Option<Expr> {
        let st = self.st;
        if depth > MAX_DEPTH || !self.tick() {
            return None;
        }
        let ty = self.instantiate_mvars(ty);
        let closed = !st.has_mvar(ty) && !st.has_fvar(ty) && !st.has_level_mvar(ty);
        if closed && let Some(Some(e)) = self.cache.instances.get(&ty) {
            return Some(*e);
        }
        let mut w = self.whnf_reducible(ty);
        if !matches!(st.node(w), Node::Pi(..)) {
            let full = self.whnf_core(w);
            if matches!(st.node(full), Node::Pi(..)) {
                w = full;
            }
        }
        if matches!(st.node(w), Node::Pi(..)) {
            return logic::subst::with_stack(|| {
                self.with_lctx_saved(|el| {
                    let (xs, body) = el.open_foralls(w, None, true);
                    let e = el.instance_go(body, depth + 1)?;
                    Some(el.mk_lambda(&xs, e))
                })
            });
        }
        let head = self.head_const(w)?;
        let r = logic::subst::with_stack(|| self.instance_by_head(w, head, depth));
        if closed && r.is_some() {
            self.cache.instances.insert(ty, r);
        }
        r
    }

    fn instance_by_head(&mut self, ty: Expr, head: Name, depth: u32) -> Option<Expr> {
        let st = self.st;
        // Local hypotheses, the innermost first.
        let locals: Vec<_> = self.lctx.iter().rev().collect();
        for x in locals {
            let d = self.local(x);
            if d.aux {
                continue;
            }
            let dt = self.instantiate_mvars(d.ty);
            if !self.may_end_in(dt, head) {
                continue;
            }
            let e = st.fvar(x.0);
            if let Some(r) = self.try_instance(e, dt, ty, depth) {
                return Some(r);
            }
        }
        let candidates: Vec<Name> = self.ext.instances.iter().rev().copied().collect();
        let mut target = ty;
        for _ in 0..12 {
            let key = self.instance_key(target);
            for c in &candidates {
                if !self.instance_fits(*c, head, key) {
                    continue;
                }
                let s = self.save();
                let Ok(f) = self.mk_const(*c) else { continue };
                let Ok(fty) = self.infer_type(f) else {
                    continue;
                };
                if let Some(r) = self.try_instance(f, fty, target, depth) {
                    return Some(r);
                }
                self.restore(&s);
            }
            // Unfold the argument's head once.
            let (f, mut args) = st.unfold_app(target);
            let last = args.pop()?;
            let last = self.instantiate_mvars(last);
            let next = match self.unfold_definition(last) {
                Some(n) => self.whnf_core(n),
                None => {
                    let n = self.whnf_core(last);
                    if n == last {
                        return None;
                    }
                    n
                }
            };
            args.push(next);
            target = st.apps(f, &args);
        }
        None
    }

    /// The head constant of the last argument: `Eq` and the type's head for `Decidable (@Eq T a b)`.
    fn instance_key(&mut self, ty: Expr) -> (Option<Name>, Option<Name>) {
        let st = self.st;
        let (_, args) = st.unfold_app(ty);
        let Some(p) = args.last().copied() else {
            return (None, None);
        };
        let p = self.instantiate_mvars(p);
        if matches!(st.node(p), Node::Pi(..)) {
            return (Some(st.name("→")), None);
        }
        let h = self.head_const(p);
        let second = match self.match_eq(p) {
            Some((t, _, _)) => {
                let t = self.whnf_reducible(t);
                self.head_const(t)
            }
            None => None,
        };
        (h, second)
    }

    fn instance_fits(&mut self, c: Name, head: Name, key: (Option<Name>, Option<Name>)) -> bool {
        let (h, k) = match self.cache.instance_keys.get(&c).copied() {
            Some(k) => k,
            None => {
                let Some(info) = self.env.get(c) else {
                    return false;
                };
                let ty = info.ty();
                let k = self.with_lctx_saved(|el| {
                    let (_, body) = el.open_foralls(ty, None, true);
                    let w = el.whnf_reducible(body);
                    let h = el.head_const(w);
                    (h, el.instance_key(w))
                });
                self.cache.instance_keys.insert(c, k);
                k
            }
        };
        if h != Some(head) {
            return false;
        }
        let ok = |a: Option<Name>, b: Option<Name>| a.is_none() || b.is_none() || a == b;
        ok(k.0, key.0) && ok(k.1, key.1)
    }

    fn may_end_in(&self, ty: Expr, head: Name) -> bool {
        let st = self.st;
        let mut cur = ty;
        for _ in 0..64 {
            match st.node(cur) {
                Node::Pi(_, _, b, _) => cur = b,
                _ => break,
            }
        }
        match st.node(st.app_fn(cur)) {
            Node::Const(n, ls) => {
                n == head
                    || (self.ext.reducible.contains(&n)
                        || matches!(
                            self.env.get(n),
                            Some(logic::ConstantInfo::Definition {
                                hint: logic::Hint::Abbrev,
                                ..
                            })
                        ))
                        && self.const_value(n, ls).is_some_and(|v| {
                            let mut v = v;
                            while let Node::Lam(_, _, b, _) | Node::Pi(_, _, b, _) = st.node(v) {
                                v = b;
                            }
                            matches!(st.node(st.app_fn(v)), Node::Const(m, _) if m == head)
                        })
            }
            _ => false,
        }
    }

    fn try_instance(&mut self, f: Expr, fty: Expr, target: Expr, depth: u32) -> Option<Expr> {
        let st = self.st;
        let s = self.save();
        let (ms, bis, res) = self.forall_mvar_telescope(fty, None);
        let t = crate::meta::Transparency::Default;
        // The heads agree already; arguments are unified at full strength since propositions may be written differently.
        if !self.with_transparency(t, |el| el.is_defeq(res, target)) {
            self.restore(&s);
            return None;
        }
        for (m, bi) in ms.iter().zip(&bis) {
            if self.is_assigned(*m) {
                continue;
            }
            if *bi != BinderInfo::InstImplicit {
                continue;
            }
            let mt = self.mvar_type(*m);
            match self.instance_go(mt, depth + 1) {
                Some(v) => {
                    let mt = self.mvar_type(*m);
                    let Ok(vt) = self.infer_type(v) else {
                        self.restore(&s);
                        return None;
                    };
                    if !self.is_defeq(mt, vt) {
                        self.restore(&s);
                        return None;
                    }
                    if !self.is_assigned(*m) {
                        self.assign(*m, v);
                    }
                }
                None => {
                    self.restore(&s);
                    return None;
                }
            }
        }
        let args: Vec<Expr> = ms.iter().map(|m| st.mvar(m.0)).collect();
        let e = self.instantiate_mvars(st.apps(f, &args));
        let open = ms.iter().any(|m| !self.is_assigned(*m));
        if open {
            self.restore(&s);
            return None;
        }
        Some(e)
    }
}
