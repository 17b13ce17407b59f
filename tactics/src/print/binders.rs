//! Binders: `fun`, `∀`, `∃`, arrows and `let`, with names that do not clash.

use logic::{BinderInfo, Expr, Name, Node};

use super::{MAX_DEPTH, Printer, paren};
use crate::meta::FVarId;

/// What stands around a variable of this kind.
fn brackets(bi: BinderInfo) -> (&'static str, &'static str) {
    match bi {
        BinderInfo::Default => ("(", ")"),
        BinderInfo::Implicit => ("{", "}"),
        BinderInfo::StrictImplicit => ("⦃", "⦄"),
        BinderInfo::InstImplicit => ("[", "]"),
    }
}

/// What ends a group of variables.
fn end_of(group: &Option<(BinderInfo, String)>) -> String {
    match group {
        Some((bi, ty)) => format!(" : {ty}{}", brackets(*bi).1),
        None => String::new(),
    }
}

impl<'b> Printer<'_, 'b> {
    /// Opens a binder with a variable whose name is not in use, and runs `f` on the variable and the body.
    pub(super) fn opened<R>(
        &mut self,
        n: Name,
        ty: Expr,
        body: Expr,
        f: impl FnOnce(&mut Self, FVarId, Expr) -> R,
    ) -> R {
        let st = self.el.st;
        let name = self.unused(n);
        let x = self.el.new_local(name, ty, None, BinderInfo::Default);
        let body = st.instantiate1(body, st.fvar(x.0));
        self.used.push(name);
        let lctx = self.el.lctx.clone();
        self.el.lctx.push(x);
        let r = f(self, x, body);
        self.el.lctx = lctx;
        self.used.pop();
        r
    }

    /// A name for a variable: its own, or with a number if that is taken.
    fn unused(&self, n: Name) -> Name {
        let st = self.el.st;
        let base = match st.name_to_string(n) {
            s if s.is_empty() || s == "_" => "x".to_owned(),
            s => s,
        };
        let mut name = st.name_str(Name::ANON, &base);
        let mut i = 1;
        while self.used.contains(&name) {
            name = st.name_str(Name::ANON, &format!("{base}_{i}"));
            i += 1;
        }
        name
    }

    fn var(&self, x: FVarId) -> String {
        self.el.st.name_to_string(self.el.local(x).user_name)
    }

    pub(super) fn lambda(&mut self, e: Expr, prec: u32) -> String {
        let s = self.lambda_vars(e, String::from("fun"));
        paren(1, prec, s)
    }

    fn lambda_vars(&mut self, e: Expr, mut out: String) -> String {
        let st = self.el.st;
        let Node::Lam(n, ty, body, _) = st.node(e) else {
            let body = self.term(e, 0);
            return format!("{out} => {body}");
        };
        if !st.has_loose_bvar(body, 0) {
            out.push_str(" _");
            return self.opened(n, ty, body, |p, _, b| p.lambda_vars(b, out));
        }
        self.opened(n, ty, body, |p, x, b| {
            out.push(' ');
            out.push_str(&p.var(x));
            p.lambda_vars(b, out)
        })
    }

    pub(super) fn pi(&mut self, e: Expr, prec: u32) -> String {
        let st = self.el.st;
        let Node::Pi(n, ty, body, bi) = st.node(e) else {
            return self.term(e, prec);
        };
        let dependent = st.has_loose_bvar(body, 0);
        if !dependent && bi == BinderInfo::Default {
            let a = self.term(ty, 26);
            let b = self.opened(n, ty, body, |p, _, b| p.term(b, 25));
            return paren(25, prec, format!("{a} → {b}"));
        }
        if self.el.is_prop(e) {
            let s = self.foralls(e, String::from("∀"), None);
            return paren(24, prec, s);
        }
        let t = self.term(ty, 0);
        let (open, close) = brackets(bi);
        let s = self.opened(n, ty, body, |p, x, b| {
            let v = p.var(x);
            let rest = p.term(b, 0);
            format!("{open}{v} : {t}{close} → {rest}")
        });
        paren(24, prec, s)
    }

    /// The variables that a statement begins with, those of one type together, and then what is said of them. `group` is the
    /// one that is being written: its kind, and its type.
    fn foralls(&mut self, e: Expr, mut out: String, group: Option<(BinderInfo, String)>) -> String {
        let st = self.el.st;
        if let Node::Pi(n, ty, body, bi) = st.node(e)
            && (st.has_loose_bvar(body, 0) || bi != BinderInfo::Default)
            && self.depth < MAX_DEPTH
            && self.pieces < self.limit
        {
            let t = self.term(ty, 0);
            self.depth += 1;
            self.pieces += 1;
            let s = self.opened(n, ty, body, |p, x, b| {
                let same = group.as_ref().is_some_and(|(k, u)| *k == bi && *u == t);
                if !same {
                    out.push_str(&end_of(&group));
                    out.push(' ');
                    out.push_str(brackets(bi).0);
                } else {
                    out.push(' ');
                }
                out.push_str(&p.var(x));
                logic::subst::with_stack(|| p.foralls(b, out, Some((bi, t))))
            });
            self.depth -= 1;
            return s;
        }
        let rest = self.term(e, 0);
        format!("{out}{}, {rest}", end_of(&group))
    }

    pub(super) fn exists(&mut self, f: Expr, prec: u32) -> Option<String> {
        let Node::Lam(n, ty, body, _) = self.el.st.node(f) else {
            return None;
        };
        let s = self.opened(n, ty, body, |p, x, b| {
            let v = p.var(x);
            let rest = p.term(b, 0);
            format!("∃ {v}, {rest}")
        });
        Some(paren(24, prec, s))
    }

    pub(super) fn let_(&mut self, n: Name, ty: Expr, v: Expr, body: Expr, prec: u32) -> String {
        let value = self.term(v, 0);
        let s = self.opened(n, ty, body, |p, x, b| {
            let v = p.var(x);
            let rest = p.term(b, 0);
            format!("let {v} := {value}; {rest}")
        });
        paren(1, prec, s)
    }
}
