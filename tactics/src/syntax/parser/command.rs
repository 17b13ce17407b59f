//! The loop over commands, with recovery, and the small commands. Declarations are in [`decl`](super::decl).

use super::leading::opens_wide;
use super::{PResult, Parser, Pos};
use crate::syntax::ast::{
    Attr, AttrArg, Command, CommandKind, DocComment, Ident, Import, Modifiers, OpenDecl,
    OptionValue, Span,
};
use crate::syntax::error::{SyntaxError, SyntaxErrorKind};
use crate::syntax::near::near;
use crate::syntax::token::{Kw, Tok};

/// The `#` commands.
const HASH_COMMANDS: [&str; 5] = ["#check", "#eval", "#print", "#axioms", "#search"];
/// The commands that begin with `ptx_`, for near matches.
const PTX_COMMANDS: [&str; 2] = ["ptx_isa", "ptx_module"];

impl Parser<'_> {
    pub(super) fn commands(&mut self) -> Vec<Command> {
        let mut list = Vec::new();
        while !self.is(Tok::Eof) {
            let command = self.command();
            if matches!(command.kind, CommandKind::Import(_)) && !only_imports(&list) {
                let e = SyntaxError::new(SyntaxErrorKind::LateImport, command.span);
                self.errors.push(e);
            }
            list.push(command);
        }
        list
    }

    /// The next command; at least one token is consumed.
    fn command(&mut self) -> Command {
        let first = self.peek();
        let began = self.i;
        self.cdots = None;
        self.height = 0;
        self.last_block = None;
        self.awaited = None;
        let pos = Pos {
            col: first.col,
            tactic: false,
        };
        let mut name = None;
        let mut keyword = first.span;
        let result = self.with_pos(Some(pos), |p| p.command_kind(&mut name, &mut keyword));
        let kind = match self.note(result) {
            Some(kind) => {
                self.check_end(first.col);
                kind
            }
            None => {
                if self.i == began {
                    self.bump();
                }
                self.skip_command();
                CommandKind::Error { name }
            }
        };
        Command {
            kind,
            span: self.since(first.span),
            keyword,
        }
    }

    /// After a complete command the next one must begin, or a line that is for the loop to judge.
    fn check_end(&mut self, col: u32) {
        let next = self.peek();
        if self.at_command() || self.command_follows_doc() || next.first_of_line && next.col <= col
        {
            return;
        }
        let found = self.found();
        let mut e = match self.last_block {
            _ if next.tok == Tok::Unknown => *self.expected(&[], ""),
            Some(block) if next.first_of_line && self.starts_tactic() => {
                let kind = SyntaxErrorKind::TacticColumn {
                    found: next.col + 1,
                    block: block + 1,
                };
                SyntaxError::new(kind, next.span).hint("tactics of one block begin in one column")
            }
            _ => SyntaxError::new(SyntaxErrorKind::AfterCommand(found), next.span),
        };
        match next.tok {
            Tok::Kw(Kw::By) => {
                e = e.hint("perhaps `:=` is missing before it, or `<|` or parentheses around it")
            }
            Tok::Eq => e = e.hint("definitions are written with `:=`"),
            Tok::CDot => e = SyntaxError::new(SyntaxErrorKind::CDotOutsideParens, next.span),
            Tok::Unknown if self.text_is("$") => e = e.hint("write `<|`"),
            Tok::Unknown => {}
            tok if opens_wide(tok) => {
                e = e.hint("put this in parentheses, or write `<|` before it")
            }
            Tok::RParen | Tok::RBracket | Tok::RBrace | Tok::RAngle => {
                e = e.hint("this bracket closes nothing")
            }
            _ if e.hint.is_none() && self.last_block.is_some() => {
                e = e.hint("tactics are separated by `;` or by a line break");
            }
            _ => {}
        }
        self.errors.push(e);
        self.skip_command();
    }

    /// Skips to what begins a command.
    fn skip_command(&mut self) {
        while !self.at_command() && !self.command_follows_doc() {
            self.bump();
        }
    }

    /// A doc comment comes next, and a command after it.
    pub(super) fn command_follows_doc(&self) -> bool {
        let next = self.tok_at(1);
        self.is(Tok::Doc)
            && match next.tok {
                Tok::Kw(kw) => kw.is_command(),
                Tok::AtBracket | Tok::Hash => true,
                Tok::Ident => self.slice(next.span).starts_with("ptx_"),
                _ => false,
            }
    }

    fn command_kind(
        &mut self,
        name: &mut Option<Ident>,
        keyword: &mut Span,
    ) -> PResult<CommandKind> {
        let start = self.span();
        let modifiers = self.modifiers()?;
        *keyword = self.span();
        let tok = self.tok();
        let takes_modifiers = matches!(
            tok,
            Tok::Kw(
                Kw::Def
                    | Kw::Theorem
                    | Kw::Lemma
                    | Kw::Example
                    | Kw::Abbrev
                    | Kw::Axiom
                    | Kw::Opaque
                    | Kw::Inductive
                    | Kw::Structure
            )
        );
        let is_command = self.at_command() && tok != Tok::Eof || tok == Tok::Hash;
        if !takes_modifiers && is_command {
            self.check_modifiers(&modifiers, start)?;
        }
        match tok {
            Tok::Kw(kw) if kw.is_command() => self.keyword_command(kw, modifiers, name),
            Tok::Hash => self.hash_command(),
            Tok::Ident if self.slice(self.span()).starts_with("ptx_") => self.ptx_command(),
            _ => Err(self.not_a_command()),
        }
    }

    /// Complains of modifiers before a command that takes none. Doc comments are harmless before notations and
    /// our own commands.
    fn check_modifiers(&self, modifiers: &Modifiers, start: Span) -> PResult<()> {
        let doc_fits = matches!(
            self.tok(),
            Tok::Ident
                | Tok::Kw(
                    Kw::Notation | Kw::Infix | Kw::Infixl | Kw::Infixr | Kw::Prefix | Kw::Postfix
                )
        );
        let what = if !modifiers.attrs.is_empty() {
            "attributes"
        } else if modifiers.private.is_some() {
            "`private`"
        } else if modifiers.doc.is_some() && !doc_fits {
            "a doc comment"
        } else {
            return Ok(());
        };
        let e = self.err_at(SyntaxErrorKind::Misplaced(what), self.since(start));
        Err(if what == "a doc comment" {
            Box::new(e.hint("an ordinary comment is `/- … -/`"))
        } else {
            e
        })
    }

    fn keyword_command(
        &mut self,
        kw: Kw,
        modifiers: Modifiers,
        name: &mut Option<Ident>,
    ) -> PResult<CommandKind> {
        if matches!(
            kw,
            Kw::Notation | Kw::Infix | Kw::Infixl | Kw::Infixr | Kw::Prefix | Kw::Postfix
        ) {
            return self.notation();
        }
        let keyword = self.bump().span;
        Ok(match kw {
            Kw::Import => CommandKind::Import(if self.is(Tok::Str) {
                Import::Path(self.string("")?)
            } else {
                Import::Module(self.ident("of a module, or a path in quotes,")?)
            }),
            Kw::Namespace => CommandKind::Namespace(self.ident("of a namespace")?),
            Kw::Section => CommandKind::Section(self.opt_ident(keyword)?),
            Kw::End => CommandKind::End(self.opt_ident(keyword)?),
            Kw::Variable => {
                let binders = self.decl_binders()?;
                if binders.is_empty() {
                    return Err(self.expected(&["a binder such as `(x : T)`"], "after `variable`"));
                }
                CommandKind::Variable(binders)
            }
            Kw::InitQuot => CommandKind::InitQuot,
            Kw::Universe => {
                let names = self.idents()?;
                if names.is_empty() {
                    return Err(self.expected(&["a name"], "of a universe"));
                }
                CommandKind::Universe(names)
            }
            Kw::Open => CommandKind::Open(self.open()?),
            Kw::Mutual => self.mutual(keyword)?,
            Kw::Attribute => {
                let open = self.expect(Tok::LBracket, "`[`", "and the attributes")?;
                let attrs = self.attr_list(open)?;
                let names = self.idents()?;
                if names.is_empty() {
                    return Err(self.expected(&["a name"], "of what gets the attribute"));
                }
                CommandKind::Attribute { attrs, names }
            }
            Kw::SetOption => {
                let name = self.ident("of an option")?;
                let value = match self.tok() {
                    Tok::Num => OptionValue::Num(self.num()?),
                    Tok::Str => OptionValue::Str(self.string("")?),
                    _ => {
                        OptionValue::Word(self.ident("or number or string as the option's value")?)
                    }
                };
                CommandKind::SetOption { name, value }
            }
            _ => return self.declaration(kw, modifiers, name),
        })
    }

    /// A name on the line of the keyword.
    fn opt_ident(&mut self, keyword: Span) -> PResult<Option<Ident>> {
        let same_line =
            self.i > 0 && self.toks[self.i - 1].span == keyword && !self.peek().first_of_line;
        if same_line && self.is(Tok::Ident) {
            Ok(Some(self.ident("")?))
        } else {
            Ok(None)
        }
    }

    fn open(&mut self) -> PResult<Vec<OpenDecl>> {
        let mut list = Vec::new();
        while self.continues() && self.is(Tok::Ident) {
            if self.is_word("in") && !list.is_empty() {
                let e = self.err_here(SyntaxErrorKind::Unsupported("`open … in` prefixes"));
                return Err(Box::new(e.hint("open it in a `section`")));
            }
            let namespace = self.ident("of a namespace")?;
            let mut only = None;
            if self.is(Tok::LParen) {
                let open = self.bump().span;
                only = Some(self.bracketed(|p| p.idents())?);
                self.close(Tok::RParen, "`)`", open)?;
            }
            list.push(OpenDecl { namespace, only });
        }
        if list.is_empty() {
            return Err(self.expected(&["a name"], "of a namespace"));
        }
        Ok(list)
    }

    fn mutual(&mut self, keyword: Span) -> PResult<CommandKind> {
        let mut list = Vec::new();
        loop {
            if self.eat_kw(Kw::End) {
                return Ok(CommandKind::Mutual(list));
            }
            if self.is(Tok::Eof) {
                let kind = SyntaxErrorKind::Unclosed {
                    open: keyword,
                    close: "`end`",
                    found: self.found(),
                };
                return Err(self.err_here(kind));
            }
            if self.is_kw(Kw::Mutual) {
                return Err(self.err_here(SyntaxErrorKind::Unsupported("nested `mutual` blocks")));
            }
            list.push(self.command());
        }
    }

    fn hash_command(&mut self) -> PResult<CommandKind> {
        let span = self.span();
        let word = self.slice(span);
        if !HASH_COMMANDS.contains(&word) {
            return Err(self.not_a_command());
        }
        self.bump();
        Ok(match word {
            "#check" => CommandKind::Check(self.term()?),
            "#eval" => CommandKind::Eval(self.term()?),
            "#search" => CommandKind::Search(self.terms()?),
            "#axioms" => CommandKind::Axioms(self.ident("of a theorem")?),
            _ if self.is_word("axioms") && self.tok_at(1).tok == Tok::Ident => {
                self.bump();
                CommandKind::Axioms(self.ident("of a theorem")?)
            }
            _ => CommandKind::Print(self.ident("of a constant")?),
        })
    }

    fn not_a_command(&self) -> Box<SyntaxError> {
        if matches!(self.tok(), Tok::Unknown) {
            return self.expected(&[], "");
        }
        let e = self.err_here(SyntaxErrorKind::NotACommand(self.found()));
        if self.is(Tok::Doc) {
            return Box::new(
                e.hint("a doc comment comes before the attributes of its declaration"),
            );
        }
        let word = self.slice(self.span());
        let lean = match word {
            "instance" | "class" | "deriving" => {
                Some("there are no type classes: mark a definition with `@[instance]`")
            }
            "macro" | "syntax" | "macro_rules" | "elab" => {
                Some("only `notation`, `infixl`, … extend the syntax")
            }
            "noncomputable" | "protected" | "partial" | "unsafe" | "scoped" | "local" => {
                Some("of the modifiers there is only `private`")
            }
            _ => None,
        };
        if let Some(hint) = lean {
            return Box::new(e.hint(hint));
        }
        let words = Kw::ALL.iter().filter(|k| k.is_command()).map(|k| k.text());
        match near(word, words.chain(HASH_COMMANDS).chain(PTX_COMMANDS)).as_slice() {
            [] => e,
            close => Box::new(e.hint(format!("did you mean `{}`?", close.join("`, `")))),
        }
    }

    // What precedes a declaration.

    fn modifiers(&mut self) -> PResult<Modifiers> {
        let mut modifiers = Modifiers {
            doc: self.opt_doc(),
            ..Modifiers::default()
        };
        loop {
            if self.is(Tok::AtBracket) {
                let open = self.bump().span;
                modifiers.attrs.append(&mut self.attr_list(open)?);
            } else if self.is_kw(Kw::Private) && modifiers.private.is_none() {
                modifiers.private = Some(self.bump().span);
            } else {
                return Ok(modifiers);
            }
        }
    }

    /// A doc comment, if it comes next.
    pub(super) fn opt_doc(&mut self) -> Option<DocComment> {
        if !self.is(Tok::Doc) {
            return None;
        }
        let span = self.bump().span;
        let text = self.slice(span);
        let text = text.strip_prefix("/--").unwrap_or(text);
        let text = text.strip_suffix("-/").unwrap_or(text);
        Some(DocComment {
            text: text.trim().to_string(),
            span,
        })
    }

    /// Attributes up to the `]` that closes `open`.
    fn attr_list(&mut self, open: Span) -> PResult<Vec<Attr>> {
        let attrs = self.bracketed(|p| {
            let mut attrs = vec![p.attr()?];
            while p.eat(Tok::Comma) {
                attrs.push(p.attr()?);
            }
            Ok(attrs)
        })?;
        self.close(Tok::RBracket, "`]`", open)?;
        Ok(attrs)
    }

    fn attr(&mut self) -> PResult<Attr> {
        let start = self.span();
        let remove = self.eat(Tok::Minus);
        let name = self.ident("of an attribute")?;
        let mut args = Vec::new();
        loop {
            args.push(match self.tok() {
                Tok::Ident => AttrArg::Ident(self.ident("")?),
                Tok::Num => AttrArg::Num(self.num()?),
                Tok::Str => AttrArg::Str(self.string("")?),
                Tok::LeftArrow => AttrArg::Rev(self.bump().span),
                Tok::LParen
                    if self.tok_at(1).tok == Tok::Ident && self.tok_at(2).tok == Tok::Assign =>
                {
                    let open = self.bump().span;
                    let name = self.ident("of an argument")?;
                    self.bump();
                    let value = self.term()?;
                    self.close(Tok::RParen, "`)`", open)?;
                    AttrArg::Assign(name, value)
                }
                Tok::LParen => AttrArg::Term(self.term_prec(super::term::MAX)?),
                _ => {
                    return Ok(Attr {
                        name,
                        remove,
                        args,
                        span: self.since(start),
                    });
                }
            });
        }
    }
}

fn only_imports(list: &[Command]) -> bool {
    list.iter()
        .all(|c| matches!(c.kind, CommandKind::Import(_)))
}
