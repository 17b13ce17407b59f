//! Binders: `fun`, `∀`, `∃`, arrows and `let`, with names that do not clash.

use logic::{BinderInfo, Expr, Name, Node};

use super::{MAX_DEPTH, Printer, paren, shown_name};
use crate::meta::FVarId;

/// A variable of an `∃`, its type, and whether the body does without it.
type Bound = (String, Expr, bool);

/// Variables of one type, bound together.
struct Group {
    names: Vec<String>,
    ty: Expr,
    bi: BinderInfo,
    text: String,
}

impl Group {
    fn show(&self) -> String {
        let (open, close) = match self.bi {
            BinderInfo::Default => ("(", ")"),
            BinderInfo::Implicit => ("{", "}"),
            BinderInfo::StrictImplicit => ("⦃", "⦄"),
            BinderInfo::InstImplicit => ("[", "]"),
        };
        format!("{open}{} : {}{close}", self.names.join(" "), self.text)
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

    pub(super) fn var(&self, x: FVarId) -> String {
        shown_name(self.el.st, self.el.local(x).user_name)
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
        let is_prop = self.el.is_prop(e);
        let s = self.telescope(e, is_prop, Vec::new());
        paren(24, prec, s)
    }

    /// `∀ (x y : A) {z : B}, …`, or `(x y : A) → {z : B} → …`: binders of one type stand together.
    fn telescope(&mut self, e: Expr, is_prop: bool, mut groups: Vec<Group>) -> String {
        let st = self.el.st;
        if let Node::Pi(n, ty, body, bi) = st.node(e)
            && (st.has_loose_bvar(body, 0) || bi != BinderInfo::Default)
            && self.depth < MAX_DEPTH
            && self.pieces < self.limit
        {
            let joins = |g: &Group| g.ty == ty && g.bi == bi && bi != BinderInfo::InstImplicit;
            if !groups.last().is_some_and(joins) {
                let text = self.term(ty, 0);
                groups.push(Group {
                    names: Vec::new(),
                    ty,
                    bi,
                    text,
                });
            }
            self.depth += 1;
            self.pieces += 1;
            let s = self.opened(n, ty, body, |p, x, b| {
                let v = p.var(x);
                if let Some(g) = groups.last_mut() {
                    g.names.push(v);
                }
                logic::subst::with_stack(|| p.telescope(b, is_prop, groups))
            });
            self.depth -= 1;
            return s;
        }
        let rest = self.term(e, 0);
        if groups.is_empty() {
            return rest;
        }
        let binders: Vec<String> = groups.iter().map(Group::show).collect();
        match is_prop {
            true => format!("∀ {}, {rest}", binders.join(" ")),
            false => format!("{} → {rest}", binders.join(" → ")),
        }
    }

    pub(super) fn exists(&mut self, f: Expr, prec: u32) -> Option<String> {
        if !matches!(self.el.st.node(f), Node::Lam(..)) {
            return None;
        }
        let s = self.exists_vars(f, Vec::new());
        Some(paren(24, prec, s))
    }

    /// `f` is the predicate of an `∃`; `vars` the variables before, their types, and whether nothing is said about them.
    fn exists_vars(&mut self, f: Expr, mut vars: Vec<Bound>) -> String {
        let Node::Lam(n, ty, body, _) = self.el.st.node(f) else {
            return self.exists_body(f, &vars);
        };
        self.opened(n, ty, body, |p, x, b| {
            let unused = !p.el.st.has_loose_bvar(body, 0);
            vars.push((p.var(x), ty, unused));
            match p.el.match_app(b, "Exists", 2) {
                Some(args) if matches!(p.el.st.node(args[1]), Node::Lam(..)) => {
                    p.exists_vars(args[1], vars)
                }
                _ => p.exists_body(b, &vars),
            }
        })
    }

    /// The body, behind the variables. A variable of which the body does not tell the type is written with it:
    /// `∃ n : Nat, i = ↑n`.
    fn exists_body(&mut self, body: Expr, vars: &[Bound]) -> String {
        let body = self.term(body, 0);
        let alone = vars.len() == 1;
        let mut out = String::from("∃");
        for (x, ty, unused) in vars {
            let coerced = body.split('↑').skip(1).any(|rest| {
                rest.strip_prefix(x.as_str())
                    .is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            });
            match coerced || *unused {
                true if alone => out.push_str(&format!(" {x} : {}", self.term(*ty, 0))),
                true => out.push_str(&format!(" ({x} : {})", self.term(*ty, 0))),
                false => out.push_str(&format!(" {x}")),
            }
        }
        format!("{out}, {body}")
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
