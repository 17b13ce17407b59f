//! The commands that begin with `ptx_`. A new one needs no change here: it arrives as
//! [`CommandKind::PtxOther`](crate::syntax::ast::CommandKind::PtxOther).

use super::{PResult, Parser};
use crate::syntax::ast::{CommandKind, PtxArg, PtxModule, StrLit};
use crate::syntax::token::{Kw, Tok};

impl Parser<'_> {
    pub(super) fn ptx_command(&mut self) -> PResult<CommandKind> {
        let span = self.bump().span;
        match self.slice(span) {
            "ptx_isa" => Ok(CommandKind::PtxIsa(self.ptx_args()?)),
            "ptx_module" => Ok(CommandKind::PtxModule(self.ptx_module()?)),
            _ => Ok(CommandKind::PtxOther {
                word: self.ident_of(span),
                args: self.ptx_args()?,
            }),
        }
    }

    fn ptx_module(&mut self) -> PResult<PtxModule> {
        let name = self.ident("of the module")?;
        self.expect(Tok::Kw(Kw::From), "`from`", "and a file")?;
        let path = self.string("with the file's path")?;
        let sha256 = match self.eat_word("sha256") {
            true => Some(self.string("with the file's hash")?),
            false => None,
        };
        let mut entries = None;
        if self.eat_word("entries") {
            let mut list = Vec::new();
            while self.continues() {
                match self.tok() {
                    Tok::Str => list.push(self.string("")?),
                    Tok::Ident => {
                        let id = self.ident("of an entry point")?;
                        list.push(StrLit {
                            value: id.parts().join("."),
                            span: id.span,
                        });
                    }
                    _ => break,
                }
            }
            if list.is_empty() {
                return Err(self.expected(&["a name", "a string"], "of an entry point"));
            }
            entries = Some(list);
        }
        Ok(PtxModule {
            name,
            path,
            sha256,
            entries,
        })
    }

    fn ptx_args(&mut self) -> PResult<Vec<PtxArg>> {
        let mut args = Vec::new();
        while self.continues() {
            args.push(match self.tok() {
                Tok::Ident => PtxArg::Word(self.ident("")?),
                Tok::Kw(_) => {
                    let span = self.bump().span;
                    PtxArg::Word(self.ident_of(span))
                }
                Tok::Str => PtxArg::Str(self.string("")?),
                Tok::Num => PtxArg::Num(self.num()?),
                Tok::LParen
                    if self.tok_at(1).tok == Tok::Ident && self.tok_at(2).tok == Tok::Assign =>
                {
                    let open = self.bump().span;
                    let name = self.ident("of an argument")?;
                    self.bump();
                    let value = self.bracketed(|p| p.term())?;
                    self.close(Tok::RParen, "`)`", open)?;
                    PtxArg::Assign(name, value)
                }
                Tok::Assign => {
                    self.bump();
                    let value = self.term()?;
                    args.push(PtxArg::Value(value));
                    return Ok(args);
                }
                _ if self.starts_arg() => PtxArg::Term(self.term_prec(super::term::MAX)?),
                _ => break,
            });
        }
        Ok(args)
    }
}
