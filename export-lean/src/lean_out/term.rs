//! Terms in Lean's surface syntax, with nothing left to infer.
//!
//! Every argument and every universe is written. Binders are explicit everywhere, so `@` is needed only before the
//! constants that Lean's own commands make (constructors, recursors, projections, the quotient). A subterm that occurs
//! twice and is not small has a name: a closed one by a definition of its own (`NAME.part_1`), an open one by a `let`
//! below the binder that it depends on.

use logic::subst::with_stack;
use logic::{Expr, Level, LevelNode, Name, Node, Store};
use rustc_hash::{FxHashMap, FxHashSet};

use super::layout::Doc;
use super::names::Names;
use super::size::Sizes;
use crate::select::children;

/// Why a term is not written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// Even with sharing it is larger than the limit.
    TooLarge,
    /// It has no surface syntax.
    Inexpressible(&'static str),
}

/// Nodes that one term may take when written out.
const BUDGET: usize = 20_000;

/// Terms smaller than this are written out each time that they occur.
const SMALL: u64 = 24;

/// Terms of at most this size are written without any `let`.
const PLAIN: u64 = 600;

/// Deeper terms are not written.
const MAX_DEPTH: u32 = 1_500;

/// What the printer knows of all constants.
#[derive(Default)]
pub(super) struct Context {
    /// Spellings.
    pub names: Names,
    /// Constants that take `@`.
    pub explicit: FxHashSet<Name>,
    /// Which universe parameters of a constant are written, where not all are: Lean refuses unused ones.
    pub used_levels: FxHashMap<Name, Vec<bool>>,
    /// Sizes of terms.
    pub sizes: Sizes,
}

/// Writes the terms of one declaration.
pub(super) struct Printer<'c, 'b> {
    st: &'b Store<'b>,
    cx: &'c mut Context,
    /// Spellings of the bound variables, outermost first.
    locals: Vec<String>,
    /// Subterms that a `let` names, with the number of binders in scope there; closed ones count from 0.
    shared: FxHashMap<(Expr, usize), String>,
    /// Spellings in scope that no bound variable has.
    let_names: Vec<String>,
    /// Types of the declaration at hand: Lean wants no universes there.
    pub own_types: FxHashSet<Name>,
    /// The declaration at hand: Lean looks every name up in its namespace first.
    pub within: Name,
    /// Universe parameters of the declaration at hand.
    pub univ_params: Vec<Name>,
    /// Definitions to write before the declaration at hand.
    pub parts: Vec<String>,
    budget: usize,
}

type Res<T> = Result<T, Stop>;

impl<'c, 'b> Printer<'c, 'b> {
    pub fn new(st: &'b Store<'b>, cx: &'c mut Context) -> Self {
        Printer {
            st,
            cx,
            locals: Vec::new(),
            shared: FxHashMap::default(),
            let_names: Vec::new(),
            own_types: FxHashSet::default(),
            within: Name::ANON,
            univ_params: Vec::new(),
            parts: Vec::new(),
            budget: BUDGET,
        }
    }

    /// A closed term.
    pub fn closed(&mut self, e: Expr) -> Res<Doc> {
        self.budget = BUDGET;
        let size = self.cx.sizes.of(self.st, e);
        if size.depth > MAX_DEPTH {
            return Err(Stop::TooLarge);
        }
        self.name_parts(e)?;
        self.with_lets(e)
    }

    /// Makes a definition of each closed subterm of `e` that occurs more than once and is not small. No `let`: Lean's
    /// elaborator computes with numbers only where no local variable occurs.
    fn name_parts(&mut self, e: Expr) -> Res<()> {
        if self.cx.sizes.of(self.st, e).tree <= PLAIN {
            return Ok(());
        }
        for part in self.shared_below(e, true) {
            let key = (part, 0);
            if self.shared.contains_key(&key) {
                continue;
            }
            let value = self.term(part)?;
            let used = level_params(self.st, vec![part]);
            let levels: Vec<Level> = self
                .univ_params
                .iter()
                .filter(|n| used.contains(n))
                .map(|n| self.st.level_param(*n))
                .collect();
            let levels = self.levels(Name::ANON, &levels)?;
            let name = self.cx.names.part_of(self.within);
            let mut text = format!("@[reducible] def {name}{levels} :=");
            Doc::group(vec![Doc::Line, value]).render(2, &mut text);
            text.push('\n');
            self.parts.push(text);
            self.shared.insert(key, format!("{name}{levels}"));
        }
        Ok(())
    }

    /// The node behind a term.
    pub fn node(&self, e: Expr) -> Node<'b> {
        self.st.node(e)
    }

    /// Enters a binder and returns the spelling of its variable.
    pub fn bind(&mut self, n: Name) -> String {
        let wanted = self.st.name_last(n).unwrap_or("x");
        let (locals, lets) = (&self.locals, &self.let_names);
        let in_scope = |s: &str| locals.iter().chain(lets).any(|l| l == s);
        let name = self.cx.names.local(wanted, in_scope);
        self.locals.push(name.clone());
        name
    }

    /// Enters a binder under a given spelling.
    pub fn bind_as(&mut self, name: String) {
        self.locals.push(name);
    }

    /// The spellings of the variables in scope, outermost first.
    pub fn scope(&self) -> Vec<String> {
        self.locals.clone()
    }

    /// Leaves the innermost `n` binders.
    pub fn unbind(&mut self, n: usize) {
        self.locals.truncate(self.locals.len() - n);
    }

    /// A universe list, as after a constant's name.
    pub fn levels(&self, n: Name, ls: &[Level]) -> Res<String> {
        let used = self.cx.used_levels.get(&n);
        let mut out = Vec::new();
        for (i, l) in ls.iter().enumerate() {
            if used.is_none_or(|u| u.get(i).copied().unwrap_or(true)) {
                out.push(self.level(*l, false)?);
            }
        }
        if out.is_empty() {
            return Ok(String::new());
        }
        Ok(format!(".{{{}}}", out.join(", ")))
    }

    fn level(&self, l: Level, atom: bool) -> Res<String> {
        let mut base = l;
        let mut plus = 0_usize;
        while let LevelNode::Succ(inner) = self.st.level_node(base) {
            base = inner;
            plus += 1;
        }
        let text = match self.st.level_node(base) {
            LevelNode::Zero => return Ok(plus.to_string()),
            LevelNode::Param(n) => self.level_param(n),
            LevelNode::Max(a, b) => {
                format!("max {} {}", self.level(a, true)?, self.level(b, true)?)
            }
            LevelNode::IMax(a, b) => {
                format!("imax {} {}", self.level(a, true)?, self.level(b, true)?)
            }
            LevelNode::Succ(_) | LevelNode::MVar(_) => {
                return Err(Stop::Inexpressible("a universe metavariable"));
            }
        };
        let compound = text.contains(' ');
        Ok(match (plus, compound) {
            (0, true) if atom => format!("({text})"),
            (0, _) => text,
            (_, true) if atom => format!("(({text})+{plus})"),
            (_, true) => format!("({text})+{plus}"),
            (_, false) if atom => format!("({text}+{plus})"),
            (_, false) => format!("{text}+{plus}"),
        })
    }

    /// The spelling of a universe parameter.
    pub fn level_param(&self, n: Name) -> String {
        let text = super::names::components(self.st, n).join("_");
        super::names::component(&text).unwrap_or_else(|| "u_".into())
    }

    /// `e`, at the head of a binder's body or of the whole term, with `let`s before it for what it shares.
    fn with_lets(&mut self, e: Expr) -> Res<Doc> {
        if self.cx.sizes.of(self.st, e).tree <= PLAIN {
            return self.term(e);
        }
        let depth = self.locals.len();
        let mut parts = Vec::new();
        let before = self.let_names.len();
        for s in self.shared_below(e, false) {
            let key = self.key(s, depth);
            if self.shared.contains_key(&key) {
                continue;
            }
            let value = self.term(s)?;
            let (locals, lets) = (&self.locals, &self.let_names);
            let in_scope = |x: &str| locals.iter().chain(lets).any(|l| l == x);
            let name = self.cx.names.local("s_", in_scope);
            parts.extend([
                Doc::group(vec![
                    Doc::text(format!("let {name} :=")),
                    Doc::Line,
                    value,
                    Doc::text(";"),
                ]),
                Doc::Line,
            ]);
            self.shared.insert(key, name.clone());
            self.let_names.push(name);
        }
        parts.push(self.term(e)?);
        // The names are in scope in this body only.
        let gone: FxHashSet<String> = self.let_names.drain(before..).collect();
        self.shared.retain(|_, name| !gone.contains(name));
        Ok(Doc::group(parts))
    }

    fn key(&self, e: Expr, depth: usize) -> (Expr, usize) {
        if self.st.has_loose_bvars(e) {
            (e, depth)
        } else {
            (e, 0)
        }
    }

    /// The subterms of `e` that occur more than once, smaller ones first: below all binders the closed ones if `top`,
    /// and outside of further binders all others.
    fn shared_below(&mut self, e: Expr, top: bool) -> Vec<Expr> {
        let mut uses: FxHashMap<Expr, u32> = FxHashMap::default();
        let mut todo = vec![(e, true)];
        let mut below = Vec::new();
        let mut seen: FxHashSet<(Expr, bool)> = FxHashSet::default();
        while let Some((e, here)) = todo.pop() {
            if !seen.insert((e, here)) {
                continue;
            }
            let node = self.st.node(e);
            let body = match node {
                Node::Lam(_, _, b, _) | Node::Pi(_, _, b, _) | Node::Let(_, _, _, b) => Some(b),
                _ => None,
            };
            children(node, &mut below);
            for c in below.drain(..) {
                let inside = Some(c) == body;
                if inside && !top {
                    continue;
                }
                let here = here && !inside;
                if here || !self.st.has_loose_bvars(c) {
                    *uses.entry(c).or_default() += 1;
                }
                todo.push((c, here));
            }
        }
        let (st, sizes) = (self.st, &mut self.cx.sizes);
        let mut out: Vec<Expr> = uses
            .into_iter()
            .filter(|(c, n)| *n >= 2 && *c != e)
            .map(|(c, _)| c)
            .filter(|c| sizes.of(st, *c).tree >= SMALL)
            .collect();
        out.sort_unstable();
        out
    }

    /// A term in the current scope.
    pub fn term(&mut self, e: Expr) -> Res<Doc> {
        with_stack(|| self.term_go(e))
    }

    fn term_go(&mut self, e: Expr) -> Res<Doc> {
        self.budget = self.budget.checked_sub(1).ok_or(Stop::TooLarge)?;
        if let Some(name) = self.shared.get(&self.key(e, self.locals.len())) {
            // What is left of a constructor's arguments may be implicit.
            return Ok(Doc::text(format!("@{name}")));
        }
        match self.st.node(e) {
            Node::BVar(i) => {
                let at = self.locals.len().checked_sub(i as usize + 1);
                let name = at.map(|i| self.locals[i].clone());
                name.map(Doc::Text)
                    .ok_or(Stop::Inexpressible("a loose bound variable"))
            }
            Node::Sort(l) => self.sort(l),
            Node::Const(n, ls) => self.constant(n, ls).map(Doc::Text),
            Node::App(..) => self.application(e),
            Node::Lam(..) => self.function(e),
            Node::Pi(..) => self.pi(e),
            Node::Let(n, t, v, b) => {
                let (t, v) = (self.term(t)?, self.term(v)?);
                let x = self.bind(n);
                let b = self.body(b);
                self.unbind(1);
                Ok(Doc::group(vec![
                    Doc::group(vec![
                        Doc::text(format!("let {x} : ")),
                        t,
                        Doc::text(" :="),
                        Doc::Line,
                        v,
                        Doc::text(";"),
                    ]),
                    Doc::Line,
                    b?,
                ]))
            }
            Node::Proj(_, i, of) => {
                let doc = self.term(of)?;
                let simple = matches!(self.st.node(of), Node::BVar(_) | Node::Proj(..));
                let doc = if simple { doc } else { doc.parenthesized() };
                Ok(Doc::group(vec![doc, Doc::text(format!(".{}", i + 1))]))
            }
            Node::Nat(n) => Ok(Doc::text(format!("({n} : Nat)"))),
            Node::Str(s) => Ok(Doc::Text(literal(s))),
            Node::FVar(_) | Node::MVar(_) => Err(Stop::Inexpressible("a free variable")),
        }
    }

    fn sort(&self, l: Level) -> Res<Doc> {
        if l == Level::ZERO {
            return Ok(Doc::text("Prop"));
        }
        Ok(match self.st.level_node(l) {
            LevelNode::Succ(below) if below == Level::ZERO => Doc::text("Type"),
            LevelNode::Succ(below) => Doc::text(format!("Type {}", self.level(below, true)?)),
            _ => Doc::text(format!("Sort {}", self.level(l, true)?)),
        })
    }

    fn constant(&self, n: Name, ls: &[Level]) -> Res<String> {
        let name = self.cx.names.get(n);
        if self.own_types.contains(&n) {
            return Ok(name.to_owned());
        }
        let mut out = String::new();
        if self.cx.explicit.contains(&n) {
            out.push('@');
        }
        let within = self.cx.names.get(self.within);
        if self.cx.names.is_hidden(name, within) || Names::is_shadowed(name, self.locals.iter()) {
            out.push_str("_root_.");
        }
        out.push_str(name);
        out.push_str(&self.levels(n, ls)?);
        Ok(out)
    }

    fn application(&mut self, e: Expr) -> Res<Doc> {
        // Part of a spine may have a name.
        let mut args = Vec::new();
        let mut head = e;
        while let Node::App(f, a) = self.st.node(head) {
            args.push(a);
            head = f;
            if self.shared.contains_key(&self.key(head, self.locals.len())) {
                break;
            }
        }
        let is_constant = matches!(self.st.node(head), Node::Const(..));
        let head = self.term(head)?;
        let mut parts = vec![if is_constant { head } else { head.argument() }];
        for a in args.into_iter().rev() {
            let doc = match self.st.node(a) {
                // The function says that a number is expected.
                Node::Nat(n) => Doc::text(n.to_string()),
                _ => self.term(a)?.argument(),
            };
            parts.extend([Doc::Line, doc]);
        }
        Ok(Doc::group(parts))
    }

    fn body(&mut self, b: Expr) -> Res<Doc> {
        self.with_lets(b)
    }

    /// `(x : ty)`
    pub fn binder(&mut self, n: Name, ty: Expr) -> Res<Doc> {
        let ty = self.term(ty)?;
        let x = self.bind(n);
        Ok(Doc::group(vec![
            Doc::text(format!("({x} : ")),
            ty,
            Doc::text(")"),
        ]))
    }

    /// `(field : ty)`, with the field's own name, which becomes part of the name of a constant.
    pub fn field(&mut self, n: Name, ty: Expr) -> Res<Doc> {
        let ty = self.term(ty)?;
        let field = self.st.name_last(n).and_then(super::names::component);
        let field = field.ok_or(Stop::Inexpressible("a field's name"))?;
        self.bind_as(field.clone());
        Ok(Doc::group(vec![
            Doc::text(format!("({field} : ")),
            ty,
            Doc::text(")"),
        ]))
    }

    fn function(&mut self, e: Expr) -> Res<Doc> {
        let mut parts = vec![Doc::text("fun")];
        let mut cur = e;
        let mut bound = 0;
        while let Node::Lam(n, t, b, _) = self.st.node(cur) {
            parts.extend([Doc::text(" "), self.binder(n, t)?]);
            bound += 1;
            cur = b;
        }
        parts.extend([Doc::text(" =>"), Doc::Line, self.body(cur)?]);
        self.unbind(bound);
        Ok(Doc::group(parts))
    }

    fn pi(&mut self, e: Expr) -> Res<Doc> {
        let mut parts = Vec::new();
        let mut cur = e;
        let mut bound = 0;
        let mut in_forall = false;
        while let Node::Pi(n, t, b, _) = self.st.node(cur) {
            if mentions_innermost(self.st, b) {
                parts.push(Doc::text(if in_forall { " " } else { "∀ " }));
                parts.push(self.binder(n, t)?);
                in_forall = true;
            } else {
                if in_forall {
                    parts.extend([Doc::text(","), Doc::Line]);
                }
                in_forall = false;
                let ty = self.term(t)?;
                let simple = !matches!(
                    self.st.node(t),
                    Node::Pi(..) | Node::Lam(..) | Node::Let(..)
                );
                parts.push(if simple { ty } else { ty.argument() });
                parts.extend([Doc::text(" →"), Doc::Line]);
                self.bind(n);
            }
            bound += 1;
            cur = b;
        }
        if in_forall {
            parts.extend([Doc::text(","), Doc::Line]);
        }
        parts.push(self.body(cur)?);
        self.unbind(bound);
        Ok(Doc::group(parts))
    }
}

/// The universe parameters that occur in terms.
pub(super) fn level_params(st: &Store<'_>, terms: Vec<Expr>) -> FxHashSet<Name> {
    let mut out = FxHashSet::default();
    let mut levels = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = terms;
    while let Some(e) = stack.pop() {
        if !st.has_level_param(e) || !seen.insert(e) {
            continue;
        }
        match st.node(e) {
            Node::Sort(l) => levels.push(l),
            Node::Const(_, ls) => levels.extend_from_slice(ls),
            node => children(node, &mut stack),
        }
    }
    while let Some(l) = levels.pop() {
        match st.level_node(l) {
            LevelNode::Succ(a) => levels.push(a),
            LevelNode::Max(a, b) | LevelNode::IMax(a, b) => levels.extend([a, b]),
            LevelNode::Param(n) => {
                out.insert(n);
            }
            _ => {}
        }
    }
    out
}

/// Whether bound variable 0 occurs.
pub(super) fn mentions_innermost(st: &Store<'_>, e: Expr) -> bool {
    let mut seen: FxHashSet<(Expr, u32)> = FxHashSet::default();
    let mut todo = vec![(e, 0)];
    while let Some((e, depth)) = todo.pop() {
        if st.loose_bvar_range(e) <= depth || !seen.insert((e, depth)) {
            continue;
        }
        match st.node(e) {
            Node::BVar(i) if i == depth => return true,
            Node::App(f, a) => todo.extend([(f, depth), (a, depth)]),
            Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => {
                todo.extend([(t, depth), (b, depth + 1)]);
            }
            Node::Let(_, t, v, b) => todo.extend([(t, depth), (v, depth), (b, depth + 1)]),
            Node::Proj(_, _, e) => todo.push((e, depth)),
            _ => {}
        }
    }
    false
}

/// A string literal.
fn literal(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if (c as u32) < 32 || c as u32 == 127 => {
                out.push_str(&format!("\\x{:02x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
