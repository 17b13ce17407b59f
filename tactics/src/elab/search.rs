//! `#search`: constants by name, and by the shape of what they state.
//!
//! A pattern matches a part of a statement as it is written: nothing is unfolded or computed.

use logic::{ConstantInfo, Expr, Name, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Diagnostic;
use crate::meta::{Elab, Result};
use crate::syntax::ast::{Ident, Span, Term, TermKind};

/// How many results are shown.
const SHOWN: usize = 50;

/// One part of a query; all of them have to fit.
enum Query {
    /// A string in the name.
    Text(String),
    /// A name or a part of one; also what speaks of the constant that it names.
    Name(String, Option<Name>),
    /// A pattern.
    Shape(Expr),
}

impl<'b> Elab<'b> {
    pub(super) fn search_command(&mut self, ts: &[Term], span: Span) -> Result<()> {
        let st = self.st;
        self.begin_decl(None);
        let mut queries = Vec::new();
        let mut unknown: Option<Ident> = None;
        for t in ts {
            queries.push(match &t.kind {
                TermKind::Str(s) => Query::Text(s.to_string()),
                TermKind::Ident {
                    id,
                    levels: None,
                    explicit: false,
                } => {
                    let known = self.resolve_const(id).ok();
                    if known.is_none() {
                        unknown.get_or_insert_with(|| id.clone());
                    }
                    Query::Name(id.parts().join("."), known)
                }
                _ => {
                    let e = self.elab_term(t, None)?;
                    self.synthesize(false)?;
                    Query::Shape(self.instantiate_mvars(e))
                }
            });
        }
        // An exact name, then parts of names, then what speaks of it.
        let mut hits: [Vec<Name>; 3] = Default::default();
        for n in self.env.constants().map(ConstantInfo::name) {
            if self.is_hidden(n) {
                continue;
            }
            let name = st.name_to_string(n);
            if is_generated(&name) && !queries.iter().any(|q| asks_for(q, &name)) {
                continue;
            }
            let Some(ty) = self.env.get(n).map(ConstantInfo::ty) else {
                continue;
            };
            let ranks: Option<Vec<usize>> =
                queries.iter().map(|q| self.rank(q, n, &name, ty)).collect();
            if let Some(rank) = ranks.and_then(|r| r.into_iter().max()) {
                hits[rank].push(n);
            }
        }
        let hits = hits.concat();
        let mut lines = Vec::new();
        for n in hits.iter().take(SHOWN) {
            if let Some(ty) = self.env.get(*n).map(ConstantInfo::ty) {
                let t = self.pp(ty);
                lines.push(format!("{} : {t}", crate::print::shown_name(st, *n)));
            }
        }
        if hits.len() > SHOWN {
            lines.push(format!("and {} more", hits.len() - SHOWN));
        }
        let mut answer = Diagnostic::info(span, lines.join("\n"));
        if hits.is_empty() {
            answer.message = "nothing found".to_owned();
            if let Some(id) = unknown {
                answer.help = self.unknown_name(&id).into_diagnostic().help;
            }
        }
        self.messages.push(answer);
        Ok(())
    }

    /// How well a constant fits: 0 is best, `None` not at all.
    fn rank(&self, q: &Query, n: Name, name: &str, ty: Expr) -> Option<usize> {
        match q {
            Query::Text(s) => name.contains(s.as_str()).then_some(1),
            Query::Name(_, Some(c)) if *c == n => Some(0),
            Query::Name(s, _) if name.contains(s.as_str()) => Some(1),
            Query::Name(_, Some(c)) => {
                let c = self.st.constant(*c, &[]);
                self.part_matches(ty, c).then_some(2)
            }
            Query::Name(_, None) => None,
            Query::Shape(p) => self.part_matches(ty, *p).then_some(2),
        }
    }

    /// Whether a part of a term has the shape of a pattern.
    fn part_matches(&self, e: Expr, pattern: Expr) -> bool {
        let st = self.st;
        let mut seen: FxHashSet<Expr> = FxHashSet::default();
        let mut todo = vec![e];
        while let Some(e) = todo.pop() {
            if !seen.insert(e) {
                continue;
            }
            if self.same_shape(pattern, e, &mut FxHashMap::default()) {
                return true;
            }
            match st.node(e) {
                Node::App(f, a) => todo.extend([f, a]),
                Node::Lam(_, t, b, _) | Node::Pi(_, t, b, _) => todo.extend([t, b]),
                Node::Let(_, t, v, b) => todo.extend([t, v, b]),
                Node::Proj(_, _, x) => todo.push(x),
                _ => {}
            }
        }
        false
    }

    /// Whether `e` is the pattern with terms for its metavariables. Universes are not looked at.
    fn same_shape(&self, p: Expr, e: Expr, found: &mut FxHashMap<u32, Expr>) -> bool {
        let st = self.st;
        logic::subst::with_stack(|| match (st.node(p), st.node(e)) {
            (Node::MVar(i), _) => *found.entry(i).or_insert(e) == e,
            (Node::Const(a, _), Node::Const(b, _)) => a == b,
            (Node::Sort(_), Node::Sort(_)) => true,
            (Node::App(f, a), Node::App(g, b)) => {
                self.same_shape(f, g, found) && self.same_shape(a, b, found)
            }
            (Node::Lam(_, t, a, _), Node::Lam(_, u, b, _))
            | (Node::Pi(_, t, a, _), Node::Pi(_, u, b, _)) => {
                self.same_shape(t, u, found) && self.same_shape(a, b, found)
            }
            (Node::Proj(s, i, a), Node::Proj(t, j, b)) => {
                s == t && i == j && self.same_shape(a, b, found)
            }
            _ => p == e,
        })
    }
}

/// Whether a name was made by the elaborator: recursors, equations, parts of other declarations.
fn is_generated(name: &str) -> bool {
    const MADE: &[&str] = &[
        "rec",
        "recOn",
        "casesOn",
        "brecOn",
        "below",
        "noConfusion",
        "noConfusionType",
        "inj",
        "injEq",
        "eq_def",
    ];
    let numbered = |part: &str| {
        ["eq_", "match_"].iter().any(|p| {
            part.strip_prefix(p)
                .is_some_and(|k| !k.is_empty() && k.chars().all(|c| c.is_ascii_digit()))
        })
    };
    name.starts_with('_')
        || name
            .rsplit('.')
            .next()
            .is_some_and(|last| MADE.contains(&last) || numbered(last))
}

/// Whether a query names a generated name itself.
fn asks_for(q: &Query, name: &str) -> bool {
    let last = |s: &str| s.rsplit('.').next().unwrap_or_default().to_owned();
    match q {
        Query::Text(s) | Query::Name(s, _) => {
            name.contains(s.as_str()) && !s.is_empty() && last(name).starts_with(&last(s))
        }
        Query::Shape(_) => false,
    }
}
