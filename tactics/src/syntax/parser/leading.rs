//! What begins a term: names, literals, brackets, and the forms that extend to the right.

use super::term::{ARROW, LEAD, MAX, PROD, binop, bounding};
use super::{PResult, Parser, Pos};
use crate::syntax::ast::{
    BinOp, Binder, BinderKind, CalcStep, Discr, FunBinder, Ident, LetDecl, LetLhs, LetValue, Span, Term, TermKind,
    UnOp,
};
use crate::syntax::error::SyntaxErrorKind;
use crate::syntax::token::{Kw, Tok};

impl Parser<'_> {
    /// A term that is no application and no operation, unless by a prefix; and its precedence.
    pub(super) fn leading(&mut self, min: u32) -> PResult<(Term, u32)> {
        let start = self.span();
        self.check_indent()?;
        let tok = self.tok();
        if min > LEAD && opens_wide(tok) {
            let e = self.expected(&["an argument"], "");
            return Err(Box::new(e.hint("put this in parentheses, or write `<|` before it")));
        }
        let kind = match tok {
            Tok::Ident => return self.name(min),
            Tok::At if self.tok_at(1).tok == Tok::Ident && !self.tok_at(1).space_before => {
                self.bump();
                let id = self.ident("")?;
                TermKind::Ident { id, levels: self.level_args()?, explicit: true }
            }
            Tok::Underscore => {
                self.bump();
                TermKind::Hole
            }
            Tok::SynthHole => {
                let span = self.bump().span;
                let id = self.ident_of(Span::new(span.start + 1, span.end));
                TermKind::SynthHole(if &*id.name == "_" { None } else { Some(id) })
            }
            Tok::Num => TermKind::Num(self.num()?.value),
            Tok::Str => TermKind::Str(self.string("")?.value),
            Tok::Char => TermKind::Char(self.char_lit()?.0),
            Tok::Dot if self.tok_at(1).tok == Tok::Ident && !self.tok_at(1).space_before => {
                self.bump();
                TermKind::DotIdent(self.ident("")?)
            }
            Tok::CDot => {
                let Some(n) = self.cdots else {
                    return Err(self.err_here(SyntaxErrorKind::CDotOutsideParens));
                };
                self.cdots = Some(n + 1);
                let span = self.bump().span;
                let id = Ident { name: self.cdot_name(n + 1), span };
                TermKind::Ident { id, levels: None, explicit: false }
            }
            Tok::LParen => return self.paren(min),
            Tok::LBrace | Tok::LStrict => return self.brace(min),
            Tok::LBracket if min <= ARROW && self.after_close() == Some(Tok::Arrow) => {
                return Ok((self.dependent_arrow()?, ARROW));
            }
            Tok::LBracket => TermKind::List(self.term_list(Tok::RBracket, "`]`")?),
            Tok::LAngle => TermKind::AnonCtor(self.term_list(Tok::RAngle, "`⟩`")?),
            Tok::LQuote => {
                self.bump();
                let p = self.bracketed(|p| p.term())?;
                self.close(Tok::RQuote, "`›`", start)?;
                TermKind::TypeAssumption(Box::new(p))
            }
            Tok::Not => return self.prefix(UnOp::Not, 40, LEAD),
            Tok::Bang => return self.prefix(UnOp::BoolNot, 40, LEAD),
            Tok::Minus if min <= 75 => return self.prefix(UnOp::Neg, 75, 75),
            Tok::Lambda | Tok::Kw(Kw::Fun) => self.fun()?,
            Tok::Kw(Kw::Sorry) => {
                self.bump();
                TermKind::Sorry
            }
            Tok::Kw(Kw::Prop) => {
                self.bump();
                TermKind::Prop
            }
            Tok::Kw(kw @ (Kw::Type | Kw::Sort)) => {
                self.bump();
                let level = if min <= LEAD && self.starts_level() { Some(self.level_atom()?) } else { None };
                let kind = if kw == Kw::Type { TermKind::Type(level) } else { TermKind::Sort(level) };
                return Ok((Term { kind, span: self.since(start) }, LEAD));
            }
            Tok::Forall | Tok::Exists | Tok::Kw(Kw::Forall | Kw::Exists) => return self.quantifier(),
            Tok::Sigma | Tok::PSigma => {
                self.bump();
                let binders = self.quantifier_binders()?;
                self.expect(Tok::Comma, "`,`", "after these binders")?;
                let body = Box::new(self.term()?);
                TermKind::Sigma { binders, body, psigma: tok == Tok::PSigma }
            }
            Tok::Kw(Kw::Let | Kw::Have) => self.let_term()?,
            Tok::Kw(Kw::Show) => {
                self.bump();
                let ty = Box::new(self.term()?);
                TermKind::Show { ty, proof: Box::new(self.from_or_by()?) }
            }
            Tok::Kw(Kw::Suffices) => {
                let (name, ty, proof) = self.here(|p| {
                    p.bump();
                    let name = p.hyp_colon()?;
                    Ok((name, Box::new(p.term()?), Box::new(p.from_or_by()?)))
                })?;
                self.body_follows("suffices")?;
                TermKind::Suffices { name, ty, proof, body: Box::new(self.term()?) }
            }
            Tok::Kw(Kw::Match) => self.match_term()?,
            Tok::Kw(Kw::NoMatch) => {
                self.bump();
                TermKind::Match { motive: None, discrs: self.discrs()?, alts: Vec::new() }
            }
            Tok::Kw(Kw::If) => {
                self.bump();
                let hyp = self.hyp_colon()?;
                let cond = Box::new(self.term()?);
                self.expect(Tok::Kw(Kw::Then), "`then`", "after the condition")?;
                let then = Box::new(self.term()?);
                self.expect(Tok::Kw(Kw::Else), "`else`", "after the first branch")?;
                TermKind::If { hyp, cond, then, els: Box::new(self.term()?) }
            }
            Tok::Kw(Kw::By) => {
                self.bump();
                TermKind::By(self.block("by", start)?)
            }
            Tok::Kw(Kw::Calc) => {
                self.bump();
                TermKind::Calc(self.calc_steps()?)
            }
            Tok::User(word) => return self.user_leading(word, min),
            _ => return Err(self.expected(&["a term"], "")),
        };
        let prec = if opens_wide(tok) { LEAD } else { MAX };
        Ok((Term { kind, span: self.since(start) }, prec))
    }

    /// In a block of tactics, what begins a line as far left as the tactics is no term of the tactic before.
    fn check_indent(&self) -> PResult<()> {
        let token = self.peek();
        match self.pos {
            Some(Pos { col, tactic: true })
                if token.first_of_line && token.col <= col && !matches!(token.tok, Tok::Eof) =>
            {
                let e = self.expected(&["a term"], "");
                Err(Box::new(e.hint("a term that begins a line must be indented more than the tactic it belongs to")))
            }
            _ => Ok(()),
        }
    }

    /// A name; or `not p`.
    fn name(&mut self, min: u32) -> PResult<(Term, u32)> {
        let start = self.span();
        if min <= LEAD && self.is_word("not") {
            let next = self.tok_at(1);
            let operand = matches!(next.tok, Tok::Ident | Tok::LParen | Tok::Forall | Tok::Exists | Tok::Not)
                || matches!(next.tok, Tok::Kw(Kw::Forall | Kw::Exists));
            if operand && next.line == self.peek().line {
                return self.prefix(UnOp::Not, 40, LEAD);
            }
        }
        let id = self.ident("")?;
        let kind = TermKind::Ident { id, levels: self.level_args()?, explicit: false };
        Ok((Term { kind, span: self.since(start) }, MAX))
    }

    fn prefix(&mut self, op: UnOp, operand: u32, prec: u32) -> PResult<(Term, u32)> {
        let op_span = self.bump().span;
        let e = Box::new(self.term_prec(operand)?);
        let span = op_span.to(e.span);
        Ok((Term { kind: TermKind::Unop { op, op_span, e }, span }, prec))
    }

    /// Terms in brackets, the opening one of which comes next.
    fn term_list(&mut self, close: Tok, text: &'static str) -> PResult<Vec<Term>> {
        let open = self.bump().span;
        let list = self.bracketed(|p| if p.is(close) { Ok(Vec::new()) } else { p.terms() })?;
        self.close(close, text, open)?;
        Ok(list)
    }

    /// Terms with commas between.
    pub(super) fn terms(&mut self) -> PResult<Vec<Term>> {
        let mut list = vec![self.term()?];
        while self.eat(Tok::Comma) {
            list.push(self.term()?);
        }
        Ok(list)
    }

    /// `(e)`, `(e : T)`, `(a, b)`, `()`, `(· + 1)`, `(x : T) → U`, `(x : T) × U`
    fn paren(&mut self, min: u32) -> PResult<(Term, u32)> {
        if let Some(after) = self.after_binder() {
            let pi = after == Tok::Arrow && min <= ARROW;
            let sigma = matches!(after, Tok::Times | Tok::PTimes) && min <= PROD;
            if pi {
                return Ok((self.dependent_arrow()?, ARROW));
            }
            if sigma {
                let start = self.span();
                let binders: Vec<Binder> = self.bracketed_binder()?.into_iter().collect();
                self.bump();
                let body = Box::new(self.term_prec(PROD)?);
                let kind = TermKind::Sigma { binders, body, psigma: after == Tok::PTimes };
                return Ok((Term { kind, span: self.since(start) }, PROD));
            }
        }
        let open = self.bump().span;
        if self.is(Tok::Ident) && self.tok_at(1).tok == Tok::Assign {
            let e = self.expected(&["a term"], "in these parentheses");
            return Err(Box::new(e.hint("`(x := e)` may only follow the function it is passed to")));
        }
        let outer = self.cdots.replace(0);
        let inner = self.bracketed(|p| p.in_parens());
        self.cdots = outer;
        let mut term = inner?;
        self.close(Tok::RParen, "`)`", open)?;
        term.span = self.since(open);
        Ok((term, MAX))
    }

    fn in_parens(&mut self) -> PResult<Term> {
        let start = self.span();
        if self.is(Tok::RParen) {
            return Ok(Term { kind: TermKind::Tuple(Vec::new()), span: start });
        }
        let mut term = self.term()?;
        if self.is(Tok::Comma) {
            let mut list = vec![term];
            while self.eat(Tok::Comma) {
                list.push(self.term()?);
            }
            term = Term { kind: TermKind::Tuple(list), span: self.since(start) };
        }
        term = self.close_cdots(term);
        if self.eat(Tok::Colon) && !self.is(Tok::RParen) {
            let ty = Box::new(self.term()?);
            term = Term { kind: TermKind::Ascribe(Box::new(term), ty), span: self.since(start) };
        }
        Ok(term)
    }

    /// Makes the function of the `·` that were seen.
    fn close_cdots(&mut self, body: Term) -> Term {
        let n = self.cdots.replace(0).unwrap_or(0);
        if n == 0 {
            return body;
        }
        let span = body.span;
        let binder = |i| {
            let id = Ident { name: self.cdot_name(i), span };
            let names = vec![crate::syntax::ast::BinderName { name: Some(id), span }];
            FunBinder::Binder(Binder { names, ty: None, default: None, kind: BinderKind::Explicit, span })
        };
        let binders = (1..=n).map(binder).collect();
        Term { kind: TermKind::Lam { binders, body: Box::new(body) }, span }
    }

    /// If a bracket with binders `x y : T` comes next: what follows its closing one.
    pub(super) fn after_binder(&self) -> Option<Tok> {
        let mut n = 1;
        if self.is(Tok::LBrace) && self.tok_at(1).tok == Tok::LBrace {
            n = 2;
        }
        let first = n;
        while matches!(self.tok_at(n).tok, Tok::Ident | Tok::Underscore) {
            n += 1;
        }
        if n > first && self.tok_at(n).tok == Tok::Colon { self.after_close() } else { None }
    }

    /// What follows the partner of the bracket that comes next.
    fn after_close(&self) -> Option<Tok> {
        let close = self.peek().close? as usize;
        self.toks.get(close + 1).map(|t| t.tok)
    }

    /// `(x : T) → U`, `{x : T} → U`
    pub(super) fn dependent_arrow(&mut self) -> PResult<Term> {
        let start = self.span();
        let binders: Vec<Binder> = self.bracketed_binder()?.into_iter().collect();
        self.expect(Tok::Arrow, "`→`", "after this binder")?;
        let body = Box::new(self.term_prec(ARROW)?);
        Ok(Term { kind: TermKind::Pi { binders, body }, span: self.since(start) })
    }

    fn fun(&mut self) -> PResult<TermKind> {
        self.bump();
        if self.is(Tok::Bar) {
            return Ok(TermKind::FunMatch(self.match_alts()?));
        }
        let binders = self.fun_binders()?;
        self.fun_arrow()?;
        Ok(TermKind::Lam { binders, body: Box::new(self.term()?) })
    }

    /// `∀ …, p`, `∃ …, p`, `∀ x < n, p`
    fn quantifier(&mut self) -> PResult<(Term, u32)> {
        let token = self.bump();
        let forall = matches!(token.tok, Tok::Forall | Tok::Kw(Kw::Forall));
        let binders = self.quantifier_binders()?;
        let bound = match bounding(self.tok()) {
            Some(op) => {
                let op_span = self.bump().span;
                Some((op, op_span, self.term_prec(51)?))
            }
            None => None,
        };
        self.expect(Tok::Comma, "`,`", "after these binders")?;
        let body = self.term()?;
        let span = self.since(token.span);
        let make = |binders, body| {
            let body = Box::new(body);
            let kind = if forall { TermKind::Pi { binders, body } } else { TermKind::Exists { binders, body } };
            Term { kind, span }
        };
        let Some((op, op_span, bound)) = bound else { return Ok((make(binders, body), LEAD)) };
        let mut names = binders.into_iter();
        let (Some(binder), None) = (names.next(), names.next()) else {
            let e = self.err_at(SyntaxErrorKind::Unsupported("bounds of several variables at once"), op_span);
            return Err(Box::new(e.hint("write one quantifier for each variable: `∀ x < n, ∀ y < n, …`")));
        };
        let Some(id) = binder.names.first().and_then(|n| n.name.clone()) else {
            return Err(self.err_at(SyntaxErrorKind::Unsupported("bounds of a variable without a name"), op_span));
        };
        let var = Term { span: id.span, kind: TermKind::Ident { id, levels: None, explicit: false } };
        let cond = binop(op, op_span, var, bound);
        let body = if forall {
            Term { kind: TermKind::Arrow(Box::new(cond), Box::new(body)), span }
        } else {
            let mut both = binop(BinOp::And, op_span, cond, body);
            both.span = span;
            both
        };
        self.grow(2)?;
        Ok((make(vec![binder], body), LEAD))
    }

    /// `from e` or `by tacs`
    pub(super) fn from_or_by(&mut self) -> PResult<Term> {
        if self.eat_kw(Kw::From) {
            return self.term();
        }
        if self.is_kw(Kw::By) {
            return self.term_prec(LEAD);
        }
        Err(self.expected(&["`from`", "`by`"], ""))
    }

    /// `;` or a new line before the body of `let` and the like.
    fn body_follows(&mut self, word: &'static str) -> PResult<()> {
        if self.eat(Tok::Semi) || self.peek().first_of_line && !self.at_command() {
            return Ok(());
        }
        let e = self.expected(&["`;`", "a new line"], "");
        Err(Box::new(e.hint(format!("`{word}` is followed by the term that uses it"))))
    }

    fn let_term(&mut self) -> PResult<TermKind> {
        let is_let = self.is_kw(Kw::Let);
        let decl = self.here(|p| {
            p.bump();
            p.let_decl(false)
        })?;
        self.body_follows(if is_let { "let" } else { "have" })?;
        let (decl, body) = (Box::new(decl), Box::new(self.term()?));
        Ok(if is_let { TermKind::Let(decl, body) } else { TermKind::Have(decl, body) })
    }

    /// What follows `let` or `have`. With `goal`, the value may be missing.
    pub(super) fn let_decl(&mut self, goal: bool) -> PResult<LetDecl> {
        let start = self.span();
        let lhs = match self.tok() {
            Tok::Colon | Tok::Assign => LetLhs::Anonymous,
            Tok::LAngle | Tok::LParen => LetLhs::Pattern(self.pattern_atom()?),
            _ => {
                let name = self.binder_name("to bind")?;
                let mut binders = Vec::new();
                while self.starts_fun_binder() && self.continues() {
                    binders.push(self.fun_binder()?);
                }
                LetLhs::Name { name, binders }
            }
        };
        let ty = if self.eat(Tok::Colon) { Some(self.term()?) } else { None };
        let value = if self.eat(Tok::Assign) {
            Some(LetValue::Term(self.term()?))
        } else if self.is(Tok::Bar) && matches!(lhs, LetLhs::Name { .. }) && self.not_left_of_pos() {
            Some(LetValue::Alts(self.match_alts()?))
        } else if goal && ty.is_some() {
            None
        } else {
            let e = self.expected(if ty.is_some() { &["`:=`"] } else { &["`:`", "`:=`"] }, "");
            return Err(if self.is_kw(Kw::From) || self.is_kw(Kw::By) {
                Box::new(e.hint("write `have h : T := e` or `have h : T := by …`"))
            } else {
                e
            });
        };
        Ok(LetDecl { lhs, ty, value, span: self.since(start) })
    }

    /// Scrutinees with commas between.
    pub(super) fn discrs(&mut self) -> PResult<Vec<Discr>> {
        let mut discrs = Vec::new();
        loop {
            discrs.push(Discr { hyp: self.hyp_colon()?, e: self.term()? });
            if !self.eat(Tok::Comma) {
                return Ok(discrs);
            }
        }
    }

    fn match_term(&mut self) -> PResult<TermKind> {
        self.bump();
        let open = self.span();
        let word = self.tok_at(1);
        let named = self.is(Tok::LParen) && word.tok == Tok::Ident && self.tok_at(2).tok == Tok::Assign;
        let motive = if named && self.slice(word.span) == "motive" {
            for _ in 0..3 {
                self.bump();
            }
            let motive = self.bracketed(|p| p.term())?;
            self.close(Tok::RParen, "`)`", open)?;
            Some(Box::new(motive))
        } else {
            None
        };
        let discrs = self.discrs()?;
        self.expect(Tok::Kw(Kw::With), "`with`", "after what is matched")?;
        let alts = self.match_alts()?;
        if alts.is_empty() {
            let e = self.expected(&["`|`"], "and the alternatives of `match`");
            return Err(Box::new(e.hint("for a type without constructors write `nomatch e`")));
        }
        Ok(TermKind::Match { motive, discrs, alts })
    }

    /// The steps of `calc`. The first may stand on its line; later ones begin lines, in one column.
    pub(super) fn calc_steps(&mut self) -> PResult<Vec<CalcStep>> {
        let first = self.here(|p| p.calc_step(true))?;
        let mut steps = vec![first];
        if !self.begins_step() {
            return Ok(steps);
        }
        let outer = self.pos;
        let pos = Pos { col: self.peek().col, tactic: false };
        self.with_pos(Some(pos), |p| {
            while p.begins_step_in(outer) && p.not_left_of_pos() {
                steps.push(p.calc_step(false)?);
            }
            Ok(steps)
        })
    }

    fn begins_step(&self) -> bool {
        self.begins_step_in(self.pos)
    }

    fn begins_step_in(&self, outer: Option<Pos>) -> bool {
        let token = self.peek();
        let term = !matches!(token.tok, Tok::CDot | Tok::Kw(_)) && (self.starts_atom() || token.tok == Tok::Minus);
        token.first_of_line && term && !self.at_command() && outer.is_none_or(|p| token.col > p.col)
    }

    fn calc_step(&mut self, first: bool) -> PResult<CalcStep> {
        let start = self.span();
        let rel = self.term()?;
        let proof = if first && !self.is(Tok::Assign) {
            None
        } else {
            self.expect(Tok::Assign, "`:=`", "and the proof of this step")?;
            Some(self.term()?)
        };
        Ok(CalcStep { rel, proof, span: self.since(start) })
    }
}

/// The forms that extend to the right as far as they can.
pub(super) fn opens_wide(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::Forall
            | Tok::Exists
            | Tok::Sigma
            | Tok::PSigma
            | Tok::Kw(
                Kw::Forall
                    | Kw::Exists
                    | Kw::Let
                    | Kw::Have
                    | Kw::Show
                    | Kw::Suffices
                    | Kw::Match
                    | Kw::NoMatch
                    | Kw::If
                    | Kw::By
                    | Kw::Calc
            )
    )
}
