//! User notations: the table that lexer and parser consult, and the expansion of their right-hand sides.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::{Arg, Fixity, NotationDecl, NotationItem, Span, Term, TermKind};

/// The notations in force. Cheap to clone; what a script exports is what its importers start from.
#[derive(Debug, Clone, Default)]
pub struct Notations {
    decls: Vec<Arc<NotationDecl>>,
    words: Vec<Arc<str>>,
    /// Words by their first character, longest first.
    by_char: BTreeMap<char, Vec<u32>>,
}

impl Notations {
    /// No notation at all.
    pub fn new() -> Notations {
        Notations::default()
    }

    /// All of them, oldest first.
    pub fn decls(&self) -> &[Arc<NotationDecl>] {
        &self.decls
    }

    /// Adds the notations of an imported script.
    pub fn extend(&mut self, other: &Notations) {
        for decl in &other.decls {
            if !self.decls.iter().any(|d| Arc::ptr_eq(d, decl)) {
                self.add(decl.clone());
            }
        }
    }

    /// Whether a notation is found by the same word in the same place.
    pub fn is_taken(&self, items: &[NotationItem]) -> bool {
        let wanted = found_by(items);
        self.decls.iter().any(|d| found_by(&d.items) == wanted)
    }

    /// The words by which more than one notation is found.
    pub fn conflicts(&self) -> Vec<&str> {
        let mut words = Vec::new();
        for (i, d) in self.decls.iter().enumerate() {
            let key = found_by(&d.items);
            if self.decls[..i].iter().any(|e| found_by(&e.items) == key)
                && let Some((_, word)) = key
                && !words.contains(&word)
            {
                words.push(word);
            }
        }
        words
    }

    /// Adds a notation.
    pub fn add(&mut self, decl: Arc<NotationDecl>) {
        for item in &decl.items {
            if let NotationItem::Word(word) = item
                && !self.words.contains(word)
                && !is_builtin(word)
                && let Some(c) = word.chars().next()
            {
                let id = self.words.len() as u32;
                self.words.push(word.clone());
                let list = self.by_char.entry(c).or_default();
                list.push(id);
                list.sort_by_key(|&w| std::cmp::Reverse(self.words[w as usize].len()));
            }
        }
        self.decls.push(decl);
    }

    /// The longest word that `text` begins with, and its length. With `name`, the text begins with a name, and a
    /// word that looks like a name must be all of it.
    pub fn longest_word(&self, text: &str, name: bool) -> Option<(u32, usize)> {
        let list = self.by_char.get(&text.chars().next()?)?;
        list.iter().find_map(|&id| {
            let word: &str = &self.words[id as usize];
            let more = text.strip_prefix(word)?;
            let cut = name
                && word.chars().next_back().is_some_and(is_name_char)
                && more.starts_with(is_name_char);
            (!cut).then_some((id, word.len()))
        })
    }

    /// The newest notation that begins with this word.
    pub fn leading(&self, word: u32) -> Option<&Arc<NotationDecl>> {
        let word = self.words.get(word as usize)?;
        self.decls
            .iter()
            .rev()
            .find(|d| matches!(d.items.first(), Some(NotationItem::Word(w)) if w == word))
    }

    /// The newest notation that begins with a term and then this word.
    pub fn trailing(&self, word: u32) -> Option<&Arc<NotationDecl>> {
        let word = self.words.get(word as usize)?;
        self.decls.iter().rev().find(|d| {
            matches!(d.items.as_slice(), [NotationItem::Place { .. }, NotationItem::Word(w), ..] if w == word)
        })
    }
}

/// The word by which a notation is found, and whether a term comes before it.
fn found_by(items: &[NotationItem]) -> Option<(bool, &str)> {
    match items {
        [NotationItem::Word(w), ..] => Some((false, w)),
        [NotationItem::Place { .. }, NotationItem::Word(w), ..] => Some((true, w)),
        _ => None,
    }
}

/// Why a word cannot be one of a notation, if it would take away the meaning of text that has one without it: names,
/// and signs that can stand side by side.
pub fn hides_text(word: &str) -> Option<&'static str> {
    use super::token::Tok;
    if word.contains(|c: char| c.is_alphabetic() || c == '_') {
        return Some("a word with letters could be read as a name: use signs");
    }
    let (tokens, _) = super::lexer::lex(word, 0, 0, &Notations::new());
    let signs = &tokens[..tokens.len().saturating_sub(1)];
    let inside = |t: Tok| {
        matches!(
            t,
            Tok::LParen
                | Tok::RParen
                | Tok::LBracket
                | Tok::RBracket
                | Tok::LBrace
                | Tok::RBrace
                | Tok::LStrict
                | Tok::RStrict
                | Tok::LAngle
                | Tok::RAngle
                | Tok::LQuote
                | Tok::RQuote
                | Tok::Comma
                | Tok::Semi
                | Tok::Colon
                | Tok::Assign
                | Tok::Dot
                | Tok::FatArrow
                | Tok::Underscore
        )
    };
    let begins = |t: Tok| {
        matches!(
            t,
            Tok::Minus
                | Tok::Not
                | Tok::Bang
                | Tok::UpArrow
                | Tok::Lambda
                | Tok::Forall
                | Tok::Exists
                | Tok::At
                | Tok::CDot
        )
    };
    let many = signs.len() > 1;
    let hides =
        many && (signs.iter().any(|t| inside(t.tok)) || signs[1..].iter().any(|t| begins(t.tok)));
    hides.then_some("its signs can stand side by side with their own meanings")
}

/// True for a word that is a token already.
pub fn is_builtin(word: &str) -> bool {
    use super::token::Tok;
    !matches!(
        super::lexer::single_token(word),
        None | Some(Tok::Ident | Tok::Unknown)
    )
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// The most nodes that the right-hand side of a notation may have.
pub const MAX_RHS: usize = 256;

/// The term that a use of `decl` stands for, and how much deeper than its arguments it is. Nodes from the
/// declaration get the span of the use. The declaration must have passed [`check_rhs`].
pub fn expand(decl: &NotationDecl, args: Vec<Term>, span: Span) -> Option<(Term, u32)> {
    let names = place_names(decl);
    if decl.fixity == Fixity::Mixfix {
        let mut subst = Subst {
            names,
            args: args.into_iter().map(Some).collect(),
            span,
            fuel: MAX_RHS,
            depth: 0,
        };
        let term = subst.term(&decl.rhs, 1)?;
        return Some((term, subst.depth));
    }
    let mut subst = Subst {
        names: Vec::new(),
        args: Vec::new(),
        span,
        fuel: MAX_RHS,
        depth: 0,
    };
    let fun = Box::new(subst.term(&decl.rhs, 2)?);
    let args = args
        .into_iter()
        .map(|value| Arg {
            name: None,
            span: value.span,
            value,
        })
        .collect();
    Some((
        Term {
            kind: TermKind::App { fun, args },
            span,
        },
        subst.depth,
    ))
}

/// Checks that the right-hand side of a notation is small, uses no form with binders (so that expansion cannot
/// capture a variable), and uses no place twice (so that nested uses cannot grow exponentially).
pub fn check_rhs(decl: &NotationDecl) -> Result<(), String> {
    let names = place_names(decl);
    let dummy = |_: &&str| {
        Some(Term {
            kind: TermKind::Hole,
            span: Span::default(),
        })
    };
    let args = names.iter().map(dummy).collect();
    let mut subst = Subst {
        names,
        args,
        span: Span::default(),
        fuel: MAX_RHS,
        depth: 0,
    };
    if subst.term(&decl.rhs, 1).is_some() {
        Ok(())
    } else if subst.fuel == 0 {
        Err(format!("its right-hand side has more than {MAX_RHS} nodes"))
    } else {
        Err("its right-hand side may use each place once, and only names, literals, applications, operators, \
             arrows, tuples, lists and projections"
            .to_string())
    }
}

fn place_names(decl: &NotationDecl) -> Vec<&str> {
    let mut names = Vec::new();
    for item in &decl.items {
        if let NotationItem::Place { name, .. } = item {
            names.push(&**name);
        }
    }
    names
}

/// A running expansion.
struct Subst<'d> {
    names: Vec<&'d str>,
    args: Vec<Option<Term>>,
    span: Span,
    fuel: usize,
    depth: u32,
}

impl Subst<'_> {
    fn boxed(&mut self, t: &Term, depth: u32) -> Option<Box<Term>> {
        self.term(t, depth).map(Box::new)
    }

    fn all(&mut self, ts: &[Term], depth: u32) -> Option<Vec<Term>> {
        ts.iter().map(|t| self.term(t, depth)).collect()
    }

    fn term(&mut self, t: &Term, depth: u32) -> Option<Term> {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            return None;
        }
        self.depth = self.depth.max(depth);
        let (d, span) = (depth + 1, self.span);
        let kind = match &t.kind {
            TermKind::Ident {
                id,
                levels: None,
                explicit: false,
            } => {
                if let Some(i) = self.names.iter().position(|n| *n == &*id.name) {
                    return self.args.get_mut(i)?.take();
                }
                t.kind.clone()
            }
            TermKind::Ident { .. }
            | TermKind::DotIdent(_)
            | TermKind::Hole
            | TermKind::Num(_)
            | TermKind::Str(_)
            | TermKind::Char(_)
            | TermKind::Prop
            | TermKind::Type(_)
            | TermKind::Sort(_) => t.kind.clone(),
            TermKind::App { fun, args } => {
                let fun = self.boxed(fun, d)?;
                let arg = |a: &Arg| {
                    Some(Arg {
                        name: a.name.clone(),
                        value: self.term(&a.value, d)?,
                        span,
                    })
                };
                TermKind::App {
                    fun,
                    args: args.iter().map(arg).collect::<Option<_>>()?,
                }
            }
            TermKind::Proj { e, index, .. } => TermKind::Proj {
                e: self.boxed(e, d)?,
                index: *index,
                index_span: span,
            },
            TermKind::Field { e, field } => TermKind::Field {
                e: self.boxed(e, d)?,
                field: field.clone(),
            },
            TermKind::Arrow(a, b) => TermKind::Arrow(self.boxed(a, d)?, self.boxed(b, d)?),
            TermKind::Ascribe(e, ty) => TermKind::Ascribe(self.boxed(e, d)?, self.boxed(ty, d)?),
            TermKind::AnonCtor(ts) => TermKind::AnonCtor(self.all(ts, d)?),
            TermKind::Tuple(ts) => TermKind::Tuple(self.all(ts, d)?),
            TermKind::List(ts) => TermKind::List(self.all(ts, d)?),
            TermKind::Binop { op, lhs, rhs, .. } => {
                let (lhs, rhs) = (self.boxed(lhs, d)?, self.boxed(rhs, d)?);
                TermKind::Binop {
                    op: *op,
                    op_span: span,
                    lhs,
                    rhs,
                }
            }
            TermKind::Unop { op, e, .. } => TermKind::Unop {
                op: *op,
                op_span: span,
                e: self.boxed(e, d)?,
            },
            TermKind::UserOp {
                notation,
                expansion,
            } => TermKind::UserOp {
                notation: notation.clone(),
                expansion: self.boxed(expansion, d)?,
            },
            _ => return None,
        };
        Some(Term { kind, span })
    }
}
