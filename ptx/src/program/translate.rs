//! From a resolved kernel to its data: declarations and scopes; [`super::instr`] has the instructions. Whatever has no meaning in
//! the logic is refused with its place.
//!
//! What the names stand for is what [`crate::module`] says; the syntax tree beside it says where things are, and whether
//! something is written in a way that the term could not give back.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::data::*;
use super::declared::{formal, param, register_types, slot, variable};
use super::error::{Reason, Unsupported};
use super::fuse::fused;
use super::scopes::unwritten;
use super::setting;
use crate::module::uses::{reachable, symbols};
use crate::module::{self, FuncId, Function, Resolved, Symbol, VarId};
use crate::text::ast::{self, FunctionKind, Item, Statement, Tuning};
use crate::text::span::Span;

pub(super) type Res<T> = Result<T, Unsupported>;

pub(super) fn refuse<T>(reason: Reason, span: Span) -> Res<T> {
    Err(Unsupported { reason, span })
}

/// A kernel with the places of its lines in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The data.
    pub kernel: Kernel,
    /// For each line of the body, where it stands.
    pub spans: Vec<Span>,
    /// The same of each function that can be called.
    pub called: Vec<Vec<Span>>,
}

/// The data of an entry of this file.
///
/// `.loc` and `.pragma "nounroll"` are left out: they have no meaning. Declarations are gathered at the front of their scopes.
///
/// Errors: the first construct that has no meaning; before all others, what does not resolve.
pub fn translate(m: &Resolved<'_>, f: &ast::Function) -> Res<Translation> {
    let e = entry(m, f)?;
    let body = e.body()?;
    let spans = e.spans();
    let called = e.called.clone();
    let labels = e.labels();
    let kernel = Kernel {
        name: e.function.name.clone(),
        labels,
        params: e.params,
        regs: e.regs,
        body,
        blocks: e.blocks,
        outer: e.whole.outer,
        vars: e.whole.vars.clone(),
        funcs: e.funcs,
    };
    Ok(Translation {
        kernel,
        spans,
        called,
    })
}

/// The number of the condition code register `CC.CF` among the predicates: that after the declared ones.
pub(super) fn carry_register(regs: &[RegDecl], blocks: &[Block]) -> u64 {
    let inner = blocks.iter().flat_map(|b| &b.regs);
    let predicates = regs.iter().chain(inner).filter(|r| r.ty == RegTy::Pred);
    predicates.fold(0, |n, r| n.saturating_add(r.count))
}

/// What an entry and the functions that it can call have in common.
pub(super) struct Whole {
    /// How many of `vars` are declared outside of functions.
    pub outer: usize,
    pub vars: Vec<Var>,
    /// The variables of the module that `vars` are.
    pub symbols: Vec<VarId>,
    /// The functions, by their positions in [`Kernel::funcs`].
    pub funcs: Vec<FuncId>,
}

/// An entry, or a function that it calls, of which everything but its instructions has a meaning.
pub(crate) struct Entry<'m> {
    text: &'m ast::Function,
    pub(super) function: &'m Function,
    pub(super) whole: Rc<Whole>,
    /// Of an entry.
    pub(super) params: Vec<Param>,
    rets: Vec<Slot>,
    formals: Vec<Slot>,
    pub(super) regs: Vec<RegDecl>,
    pub(super) blocks: Vec<Block>,
    /// Of an entry: what it can call.
    pub(super) funcs: Vec<Func>,
    /// Where the lines of each stand.
    called: Vec<Vec<Span>>,
    /// The number of the first register of each declaration.
    firsts: Vec<u64>,
    /// The variables of calls, as registers.
    pub(super) slots: FxHashMap<VarId, Reg>,
    /// The condition code register.
    pub(super) carry: u64,
    /// The products that may be fused, each with a sum.
    pub(super) fused: Vec<(&'m module::Instr, &'m module::Instr)>,
}

/// Everything of an entry but its own instructions.
///
/// Errors: as for [`translate`], if they are not of the entry's instructions.
pub(crate) fn entry<'m>(m: &'m Resolved<'_>, text: &'m ast::Function) -> Res<Entry<'m>> {
    if m.module.address_size != 64 {
        return refuse(Reason::AddressSize(m.module.address_size), text.head);
    }
    setting::check(m)?;
    let function = resolved(m, text)?;
    if text.returns.is_some() {
        return refuse(Reason::NoKernel, text.head);
    }
    let at = m.module.functions.iter().position(|f| f == function);
    let id = FuncId(at.unwrap_or_default() as u32);
    let mut called = Vec::new();
    let recursive = |f: &FuncId| {
        let calls = |g: &FuncId| {
            let mut found = false;
            for i in &m.module.functions[g.index()].code {
                symbols(i, &mut |s| found |= s == Symbol::Function(*f));
            }
            found
        };
        reachable(&m.module, *f).iter().any(calls)
    };
    for f in reachable(&m.module, id).into_iter().filter(|f| *f != id) {
        if recursive(&f) {
            let g = &m.module.functions[f.index()];
            return refuse(Reason::Recursion(g.name.clone()), g.span);
        }
        let text = definition(m, f, function)?;
        setting::called(m, text)?;
        called.push((f, text));
    }
    let (mut vars, mut ids) = outer_variables(m, &called, function)?;
    let outer = vars.len();
    let mut counts = Vec::new();
    for (owner, text) in std::iter::once(&(id, text)).chain(&called) {
        let before = vars.len();
        for (v, var) in inner_variables(m, *owner, text)? {
            if var.space == StateSpace::Local && *owner != id {
                // Each call has its own.
                return refuse(Reason::LocalOfFunction(var.name), text.head);
            }
            ids.push(v);
            vars.push(var);
        }
        counts.push(vars.len() - before);
    }
    let whole = Rc::new(Whole {
        outer,
        vars,
        symbols: ids,
        funcs: called.iter().map(|(f, _)| *f).collect(),
    });
    let mut e = unit(m, id, text, &whole)?;
    for ((f, text), vars) in called.into_iter().zip(counts.into_iter().skip(1)) {
        let unit = unit(m, f, text, &whole)?;
        e.called.push(unit.spans());
        e.funcs.push(Func {
            name: unit.function.name.clone(),
            body: unit.body()?,
            labels: unit.labels(),
            rets: unit.rets,
            params: unit.formals,
            regs: unit.regs,
            blocks: unit.blocks,
            vars,
        });
    }
    Ok(e)
}

fn resolved<'m>(m: &'m Resolved<'_>, text: &ast::Function) -> Res<&'m Function> {
    m.function(text).map_err(|e| Unsupported {
        reason: Reason::Unresolved(e.reason.clone()),
        span: e.span,
    })
}

/// The text of a function that is called.
fn definition<'m>(m: &'m Resolved<'_>, f: FuncId, caller: &Function) -> Res<&'m ast::Function> {
    let function = &m.module.functions[f.index()];
    let text = m.text.items.iter().find_map(|item| match item {
        Item::Function(t) if t.kind == FunctionKind::Func && t.head == function.span => Some(t),
        _ => None,
    });
    match text {
        Some(t) if t.body.is_some() => Ok(t),
        _ => {
            let names = |i: &&module::Instr| {
                let mut found = false;
                symbols(i, &mut |s| found |= s == Symbol::Function(f));
                found
            };
            let place = caller
                .code
                .iter()
                .find(names)
                .map_or(caller.span, |i| i.span);
            refuse(Reason::NoBody(function.name.clone()), place)
        }
    }
}

/// The variables of the module that instructions name, in the order of the text.
fn outer_variables(
    m: &Resolved<'_>,
    called: &[(FuncId, &ast::Function)],
    entry: &Function,
) -> Res<(Vec<Var>, Vec<VarId>)> {
    let mut used = std::collections::BTreeSet::new();
    let functions = called.iter().map(|(f, _)| &m.module.functions[f.index()]);
    for i in functions.chain([entry]).flat_map(|f| &f.code) {
        symbols(i, &mut |symbol| {
            if let Symbol::Variable(v) = symbol
                && (m.module.variables.get(v.index())).is_some_and(|x| x.owner.is_none())
            {
                used.insert(v);
            }
        });
    }
    let (mut vars, mut ids) = (Vec::new(), Vec::new());
    for v in used {
        let span = m.module.variables[v.index()].span;
        let declared = m.text.items.iter().find_map(|item| match item {
            Item::Variable(d) => {
                let at = d.vars.iter().position(|x| x.name.span == span)?;
                Some((d, at))
            }
            _ => None,
        });
        if let Some((d, at)) = declared {
            vars.push(variable(d, &d.vars[at])?);
            ids.push(v);
        }
    }
    Ok((vars, ids))
}

/// Whether a declaration is of registers, or of variables of calls.
fn is_of(d: &ast::Decl, space: &str) -> bool {
    d.attrs.iter().any(|a| a.word.text == space)
}

/// The variables that a function itself declares in memory.
fn inner_variables(m: &Resolved<'_>, f: FuncId, text: &ast::Function) -> Res<Vec<(VarId, Var)>> {
    let mut all = Vec::new();
    for s in text.body.iter().flat_map(|b| &b.statements) {
        if let Statement::Decl(d) = s
            && !is_of(d, ".reg")
            && !is_of(d, ".param")
        {
            for v in &d.vars {
                let id = own(m, f, v.name.span);
                all.extend(id.map(|id| Ok((id, variable(d, v)?))));
            }
        }
    }
    all.into_iter().collect()
}

/// The variable of a function that is declared here.
fn own(m: &Resolved<'_>, f: FuncId, span: Span) -> Option<VarId> {
    let all = m.module.variables.iter().zip(0..);
    let mut mine = all.filter(|(v, _)| v.owner == Some(f) && v.span == span);
    mine.next().map(|(_, i)| VarId(i))
}

/// The scopes of a body as they are read; the body itself is the first.
struct Reading<'t> {
    scopes: Vec<ReadScope<'t>>,
    instructions: usize,
    labels: usize,
    declarations: usize,
}

#[derive(Default)]
struct ReadScope<'t> {
    first: usize,
    last: usize,
    /// With the position among the function's declarations.
    regs: Vec<(usize, RegTy, &'t ast::Declarator)>,
    slots: Vec<(&'t ast::Decl, &'t ast::Declarator)>,
    labels: Vec<usize>,
}

impl<'t> Reading<'t> {
    fn scope(&mut self, b: &'t ast::Block) -> Res<()> {
        let at = self.scopes.len();
        let is_label = |s: &&Statement| matches!(s, Statement::Label(_));
        let labels = b.statements.iter().filter(is_label).count();
        self.scopes.push(ReadScope {
            first: self.instructions,
            labels: (self.labels..self.labels + labels).collect(),
            ..ReadScope::default()
        });
        self.labels += labels;
        for s in &b.statements {
            match s {
                Statement::Decl(d) if is_of(d, ".reg") => {
                    for (ty, v) in register_types(d)?.into_iter().zip(&d.vars) {
                        self.scopes[at].regs.push((self.declarations, ty, v));
                        self.declarations += 1;
                    }
                }
                Statement::Decl(d) if at > 0 && is_of(d, ".param") => {
                    self.scopes[at].slots.extend(d.vars.iter().map(|v| (d, v)));
                }
                Statement::Decl(d) if at > 0 || is_of(d, ".param") => {
                    let words: Vec<&str> = d.attrs.iter().map(|a| a.word.text.as_str()).collect();
                    return refuse(Reason::Declaration(words.join(" ")), d.span);
                }
                Statement::Block(inner) => {
                    let before = self.instructions;
                    self.scope(inner)?;
                    if self.instructions == before {
                        return refuse(Reason::Scope, inner.span);
                    }
                }
                Statement::Instr(_) => self.instructions += 1,
                Statement::Pragma(words) => setting::pragma(words)?,
                Statement::Decl(_) | Statement::Label(_) | Statement::Loc(_) => {}
                Statement::Targets(k, _) => {
                    return refuse(Reason::Directive(k.text.clone()), k.span);
                }
                Statement::Prototype(p) => {
                    return refuse(Reason::Directive(".callprototype".into()), p.name.span);
                }
            }
        }
        self.scopes[at].last = self.instructions;
        Ok(())
    }
}

/// Numbers for registers and variables of calls, in the order in which they are asked for: for each width the next one.
#[derive(Default)]
pub(super) struct Numbers(FxHashMap<u32, u64>);

impl Numbers {
    /// The first of so many; `None` from 2^64 on.
    pub fn take(&mut self, width: u32, count: u64) -> Option<u64> {
        let next = self.0.entry(width).or_insert(0);
        let first = *next;
        *next = first.checked_add(count)?;
        Some(first)
    }

    /// Whether all of these are as they would be numbered: first the registers, then the variables of calls.
    pub fn are<'x>(
        regs: impl Iterator<Item = &'x RegDecl>,
        slots: impl Iterator<Item = &'x Slot>,
    ) -> bool {
        let mut numbers = Numbers::default();
        let mut regs = regs;
        let mut slots = slots;
        regs.all(|r| numbers.take(r.ty.bits(), r.count) == Some(r.first))
            && slots.all(|s| s.width().and_then(|w| numbers.take(w, 1)) == Some(s.num))
    }
}

/// Everything of an entry or function but its instructions.
fn unit<'m>(
    m: &'m Resolved<'_>,
    id: FuncId,
    text: &'m ast::Function,
    whole: &Rc<Whole>,
) -> Res<Entry<'m>> {
    let function = resolved(m, text)?;
    for t in &text.tuning {
        match t {
            Tuning::Attr(a) => return refuse(Reason::Directive(a.word.text.clone()), a.word.span),
            Tuning::Pragma(words) => setting::pragma(words)?,
        }
    }
    let mut reading = Reading {
        scopes: Vec::new(),
        instructions: 0,
        labels: 0,
        declarations: 0,
    };
    if let Some(b) = &text.body {
        reading.scope(b)?;
    }
    let (mut numbers, mut firsts) = (Numbers::default(), vec![0; function.declarations.len()]);
    let mut all_regs = Vec::new();
    for scope in &reading.scopes {
        let mut regs = Vec::new();
        for (at, ty, v) in &scope.regs {
            let range = v.range.as_ref().map(|n| n.value);
            let count = range.unwrap_or(1);
            let Some(first) = numbers.take(ty.bits(), count) else {
                return refuse(Reason::Declaration(".reg".into()), v.name.span);
            };
            if let Some(f) = firsts.get_mut(*at) {
                *f = first;
            }
            regs.push(RegDecl {
                ty: *ty,
                pre: v.name.text.clone(),
                first,
                count,
                ranged: range.is_some(),
            });
        }
        all_regs.push(regs);
    }
    let mut slots = FxHashMap::default();
    let mut number = |span: Span, mut s: Slot| {
        let width = s.width();
        match width.and_then(|w| Some((w, numbers.take(w, 1)?))) {
            Some((width, num)) => {
                s.num = num;
                slots.extend(own(m, id, span).map(|v| (v, Reg { width, num })));
                Ok(s)
            }
            None => refuse(Reason::Parameter(s.name.clone()), span),
        }
    };
    let (mut params, mut rets, mut formals) = (Vec::new(), Vec::new(), Vec::new());
    if text.kind == FunctionKind::Entry {
        params = (text.params.iter().flatten())
            .map(param)
            .collect::<Res<_>>()?;
    } else {
        for (list, to) in [(&text.returns, &mut rets), (&text.params, &mut formals)] {
            for p in list.iter().flatten() {
                to.push(number(p.var.name.span, formal(p)?)?);
            }
        }
    }
    let mut blocks = Vec::new();
    for (scope, regs) in reading.scopes.iter().zip(&all_regs).skip(1) {
        let mut mine = Vec::new();
        for (d, v) in &scope.slots {
            mine.push(number(v.name.span, slot(d, v)?)?);
        }
        blocks.push(Block {
            first: scope.first,
            last: scope.last,
            regs: regs.clone(),
            slots: mine,
            labels: scope.labels.clone(),
        });
    }
    let regs = all_regs.into_iter().next().unwrap_or_default();
    let carry = carry_register(&regs, &blocks);
    if let (Some(i), true) = (carries(function), calls(function)) {
        // It is not kept across calls (ISA §9.7.2).
        return refuse(Reason::CarryAndCalls, i.span);
    }
    let local = whole.vars.iter().any(|v| v.space == StateSpace::Local);
    Ok(Entry {
        text,
        function,
        whole: whole.clone(),
        params,
        rets,
        formals,
        regs,
        blocks,
        funcs: Vec::new(),
        called: Vec::new(),
        firsts,
        slots,
        carry,
        fused: fused(function, local),
    })
}

/// The first instruction that reads or writes the condition code register.
fn carries(f: &Function) -> Option<&module::Instr> {
    let implicit = |g: &crate::isa::Group| matches!(g, crate::isa::Group::Implicit(_));
    (f.code.iter()).find(|i| {
        i.form
            .as_ref()
            .is_some_and(|f| f.operands.iter().any(implicit))
    })
}

fn calls(f: &Function) -> bool {
    f.code.iter().any(|i| i.base() == "call")
}

impl<'m> Entry<'m> {
    /// The instructions, as they are written and as they are resolved.
    pub fn instructions(&self) -> impl Iterator<Item = (&'m ast::Instr, &'m module::Instr)> {
        let mut written = Vec::new();
        if let Some(b) = &self.text.body {
            instructions(b, &mut written);
        }
        written.into_iter().zip(&self.function.code)
    }

    /// Where they stand.
    fn spans(&self) -> Vec<Span> {
        self.instructions().map(|(_, i)| i.span).collect()
    }

    /// The data of all instructions.
    fn body(&self) -> Res<Vec<Line>> {
        let body = self.instructions().map(|(t, i)| self.line(t, i));
        let body: Vec<Line> = body.collect::<Res<_>>()?;
        match unwritten(&body, &self.labels(), &self.blocks) {
            None => Ok(body),
            Some(at) => {
                let place = self
                    .function
                    .code
                    .get(at)
                    .map_or(self.text.head, |i| i.span);
                refuse(Reason::Unwritten, place)
            }
        }
    }

    /// The labels of all scopes.
    fn labels(&self) -> Vec<(String, usize)> {
        let all = self.function.labels.iter();
        all.map(|l| (l.name.clone(), l.at)).collect()
    }

    /// The width and number of a register.
    pub(super) fn number(&self, r: module::RegId) -> (u32, u64) {
        let known = self.function.registers.get(r.index());
        known.map_or((0, 0), |r| {
            let first = self.firsts.get(r.declaration).copied().unwrap_or(0);
            (r.bits, first.saturating_add(r.index))
        })
    }
}

fn instructions<'m>(b: &'m ast::Block, all: &mut Vec<&'m ast::Instr>) {
    for s in &b.statements {
        match s {
            Statement::Instr(i) => all.push(i),
            Statement::Block(inner) => instructions(inner, all),
            _ => {}
        }
    }
}
