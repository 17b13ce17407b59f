//! Terms and goals for people: infix notation, hidden implicit arguments, short names.
//!
//! What is printed can mostly be read back, but nothing depends on it. Output is bounded in depth and in pieces.

mod binders;
mod goal;
mod ops;

use logic::{BinderInfo, ConstantInfo, Expr, Level, LevelNode, Name, Node, Store};

use crate::meta::{Elab, FVarId, MVarId};

/// Binding strength of an argument of an application.
const MAX: u32 = 1024;
/// How deep a term is printed before `…` stands for the rest.
const MAX_DEPTH: u32 = 80;
/// How many pieces a term may have before `…` stands for the rest.
const MAX_PIECES: u32 = 1500;
/// The same for a term in the middle of a sentence.
const SHORT_PIECES: u32 = 60;

/// A term being printed.
struct Printer<'a, 'b> {
    el: &'a mut Elab<'b>,
    /// Names of the variables that were opened on the way.
    used: Vec<Name>,
    depth: u32,
    pieces: u32,
    /// How many pieces to print.
    limit: u32,
    /// Write implicit arguments and universes, and no notation.
    explicit: bool,
}

impl<'b> Elab<'b> {
    /// A term as a person would write it.
    pub fn pp(&mut self, e: Expr) -> String {
        self.print_term(e, MAX_PIECES, false)
    }

    /// A term, cut short: for the middle of a sentence.
    pub fn pp_short(&mut self, e: Expr) -> String {
        self.print_term(e, SHORT_PIECES, false)
    }

    /// A term with implicit arguments and universes, for two terms that look alike but differ.
    pub fn pp_explicit(&mut self, e: Expr) -> String {
        self.print_term(e, MAX_PIECES, true)
    }

    fn print_term(&mut self, e: Expr, limit: u32, explicit: bool) -> String {
        let e = self.instantiate_mvars(e);
        let used = self.lctx.iter().map(|i| self.local(i).user_name).collect();
        let mut p = Printer {
            el: self,
            used,
            depth: 0,
            pieces: 0,
            limit,
            explicit,
        };
        p.term(e, 0)
    }

    /// A universe level as a person would write it.
    pub fn pp_level(&self, l: Level) -> String {
        level(self, self.instantiate_level(l), false)
    }
}

/// Puts parentheses around a piece of strength `own` where `wanted` asks for more.
fn paren(own: u32, wanted: u32, s: String) -> String {
    if own < wanted { format!("({s})") } else { s }
}

fn is_number(st: &Store<'_>, mut l: Level) -> bool {
    while let LevelNode::Succ(a) = st.level_node(l) {
        l = a;
    }
    l == Level::ZERO
}

fn level(el: &Elab<'_>, l: Level, arg: bool) -> String {
    let st = el.st;
    let (mut base, mut by) = (l, 0u32);
    while let LevelNode::Succ(a) = st.level_node(base) {
        base = a;
        by += 1;
    }
    let text = match st.level_node(base) {
        LevelNode::Zero | LevelNode::Succ(_) => return by.to_string(),
        LevelNode::Param(n) => shown_name(st, n),
        LevelNode::MVar(i) => format!("?u.{i}"),
        LevelNode::Max(a, b) | LevelNode::IMax(a, b) => {
            let f = match st.level_node(base) {
                LevelNode::Max(..) => "max",
                _ => "imax",
            };
            let s = format!("{f} {} {}", level(el, a, true), level(el, b, true));
            if arg || by > 0 { format!("({s})") } else { s }
        }
    };
    match by {
        0 => text,
        _ if arg => format!("({text}+{by})"),
        _ => format!("{text}+{by}"),
    }
}

/// A name as a script would write it: parts that are no identifiers stand in `«»`, so that `«a.b»` is not taken for `a.b`,
/// nor `«1 = 2»` for a statement. Names that no script can write (`h✝`) stay as they are.
pub fn shown_name(st: &Store<'_>, n: Name) -> String {
    let mut parts = Vec::new();
    let mut n = n;
    while !n.is_anon() {
        parts.push(match st.name_last(n) {
            Some(s) => shown_part(s),
            None => {
                let all = st.name_to_string(n);
                all.rsplit('.').next().unwrap_or_default().to_owned()
            }
        });
        n = st.name_prefix(n);
    }
    parts.reverse();
    parts.join(".")
}

/// One part of a name, in `«»` if it is no identifier or looks like another one.
pub(crate) fn shown_part(part: &str) -> String {
    match needs_quotes(part) {
        true => format!("«{part}»"),
        false => part.to_owned(),
    }
}

fn needs_quotes(part: &str) -> bool {
    use crate::syntax::lexer::single_token;
    use crate::syntax::token::Tok;
    // The elaborator marks variables that a script cannot name.
    let (word, made) = match part.split_once('✝') {
        Some((word, mark))
            if mark
                .chars()
                .all(|c| c.is_ascii_digit() || "✝_¹²³⁴⁵⁶⁷⁸⁹⁰".contains(c)) =>
        {
            (word, true)
        }
        _ => (part, false),
    };
    if made && (word.is_empty() || word == "_") {
        return false;
    }
    single_token(word) != Some(Tok::Ident) || word.contains('.') || mixes_alphabets(word)
}

/// Whether a word with Latin letters also has letters of another alphabet that look like Latin ones: `Νot` with a Greek Nu.
fn mixes_alphabets(word: &str) -> bool {
    let latin = |c: char| c.is_ascii_alphabetic();
    let twin = |c: char| "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲϳ".contains(c);
    word.contains(latin) && word.contains(twin)
}

impl<'b> Printer<'_, 'b> {
    /// Prints `e`; parentheses if its outermost form binds less than `prec`.
    fn term(&mut self, e: Expr, prec: u32) -> String {
        if self.depth >= MAX_DEPTH || self.pieces >= self.limit {
            return "…".to_owned();
        }
        self.depth += 1;
        self.pieces += 1;
        let s = logic::subst::with_stack(|| self.form(e, prec));
        self.depth -= 1;
        s
    }

    fn form(&mut self, e: Expr, prec: u32) -> String {
        let st = self.el.st;
        match st.node(e) {
            Node::BVar(i) => format!("#{i}"),
            Node::FVar(i) => self.var(FVarId(i)),
            Node::MVar(i) => self.hole(MVarId(i)),
            Node::Sort(l) => self.sort(l, prec),
            Node::Const(n, ls) if self.explicit && !ls.is_empty() => {
                let ls: Vec<String> = ls.iter().map(|l| self.el.pp_level(*l)).collect();
                format!("{}.{{{}}}", shown_name(st, n), ls.join(", "))
            }
            Node::Const(n, _) => shown_name(st, n),
            Node::Nat(n) => n.to_string(),
            Node::Str(s) => format!("{s:?}"),
            Node::Proj(s, i, x) => {
                let x = self.operand(x);
                let fields = self.el.ext.structures.get(&s);
                match fields.and_then(|f| f.get(i as usize)) {
                    Some(f) => format!("{x}.{}", shown_name(st, *f)),
                    None => format!("{x}.{}", i + 1),
                }
            }
            Node::App(..) => self.application(e, prec),
            Node::Lam(..) => self.lambda(e, prec),
            Node::Pi(..) => self.pi(e, prec),
            Node::Let(n, ty, v, b) => self.let_(n, ty, v, b, prec),
        }
    }

    /// What stands before `.field`: `.` after a numeral would be a decimal point, and after `↑x` it would belong to `x`.
    fn operand(&mut self, x: Expr) -> String {
        let s = self.term(x, MAX);
        match s.starts_with(|c: char| c.is_ascii_digit() || c == '↑') {
            true => format!("({s})"),
            false => s,
        }
    }

    fn hole(&mut self, m: MVarId) -> String {
        let name = self.el.mvar_decl(m).user_name;
        if name.is_anon() {
            format!("?m.{}", m.0)
        } else {
            format!("?{}", shown_name(self.el.st, name))
        }
    }

    fn sort(&mut self, l: Level, prec: u32) -> String {
        let st = self.el.st;
        let l = self.el.instantiate_level(l);
        let l = match self.el.level_simp(l) {
            simple if is_number(st, simple) => simple,
            // The order of a `max` stays as it is.
            _ => l,
        };
        match st.level_node(l) {
            LevelNode::Zero => "Prop".to_owned(),
            LevelNode::Succ(a) if a == Level::ZERO => "Type".to_owned(),
            LevelNode::Succ(a) => paren(MAX - 1, prec, format!("Type {}", level(self.el, a, true))),
            _ => paren(MAX - 1, prec, format!("Sort {}", level(self.el, l, true))),
        }
    }

    /// Which arguments of a function with this head are written: `true` for explicit ones.
    fn explicit_mask(&mut self, head: Expr, n: usize) -> Vec<bool> {
        let st = self.el.st;
        let Ok(mut ty) = self.el.infer_type(head) else {
            return vec![true; n];
        };
        let mut mask = Vec::with_capacity(n);
        while mask.len() < n {
            if !matches!(st.node(ty), Node::Pi(..)) {
                if st.has_loose_bvars(ty) {
                    break;
                }
                let w = self.el.whnf(ty);
                if w == ty {
                    break;
                }
                ty = w;
                continue;
            }
            if let Node::Pi(_, _, body, bi) = st.node(ty) {
                mask.push(bi == BinderInfo::Default);
                ty = body;
            }
        }
        mask.resize(n, true);
        mask
    }

    fn application(&mut self, e: Expr, prec: u32) -> String {
        let st = self.el.st;
        let (head, args) = st.unfold_app(e);
        if let Node::Lam(..) = st.node(head) {
            let f = self.term(head, MAX);
            return self.spine(f, &args, prec);
        }
        if self.explicit {
            let f = self.term(head, MAX);
            return self.spine(format!("@{f}"), &args, prec);
        }
        let mask = self.explicit_mask(head, args.len());
        let explicit: Vec<Expr> = args
            .iter()
            .zip(&mask)
            .filter(|(_, m)| **m)
            .map(|(a, _)| *a)
            .collect();
        if let Node::Const(n, _) = st.node(head) {
            if let Some(s) = self.notation(n, &args, &explicit, prec) {
                return s;
            }
            if let Some((_, params, _)) = self.el.ext.projections.get(&n).copied()
                && args.len() > params
            {
                return self.dotted(n, args[params], &args[params + 1..], prec);
            }
            if let Some((x, rest)) = args.split_first()
                && self.is_accessor(n)
            {
                return self.dotted(n, *x, rest, prec);
            }
        }
        let f = self.term(head, MAX);
        self.spine(f, &explicit, prec)
    }

    /// `x.field args`.
    fn dotted(&mut self, field: Name, x: Expr, args: &[Expr], prec: u32) -> String {
        let x = self.operand(x);
        let field = shown_part(self.el.st.name_last(field).unwrap_or("_"));
        self.spine(format!("{x}.{field}"), args, prec)
    }

    /// Whether `S.f` is defined as a field of a field of … its argument, an `S`: a field that lies deeper.
    fn is_accessor(&self, n: Name) -> bool {
        let st = self.el.st;
        let Some(ConstantInfo::Definition { value, .. }) = self.el.env.get(n) else {
            return false;
        };
        let Node::Lam(_, ty, mut body, _) = st.node(*value) else {
            return false;
        };
        let mut fields = 0;
        while let Node::App(f, x) = st.node(body)
            && let Node::Const(p, _) = st.node(f)
            && matches!(self.el.ext.projections.get(&p), Some((_, 0, _)))
        {
            body = x;
            fields += 1;
        }
        fields > 0
            && matches!(st.node(body), Node::BVar(0))
            && matches!(st.node(ty), Node::Const(s, _) if st.name_prefix(n) == s)
    }

    fn spine(&mut self, mut f: String, args: &[Expr], prec: u32) -> String {
        if args.is_empty() {
            return f;
        }
        for a in args {
            f.push(' ');
            f.push_str(&self.term(*a, MAX));
        }
        paren(MAX - 1, prec, f)
    }
}
