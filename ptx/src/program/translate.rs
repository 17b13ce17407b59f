//! From a resolved kernel to its data: its declarations; [`super::instr`] has the instructions. Whatever has no meaning in the
//! logic is refused with its place.
//!
//! What the names stand for is what [`crate::module`] says; the syntax tree beside it says where things are, and whether
//! something is written in a way that the term could not give back.

use super::data::*;
use super::error::{Reason, Unsupported};
use super::fuse::fused;
use crate::module::uses::symbols;
use crate::module::{self, Function, Resolved, Symbol, VarId};
use crate::text::ast::{self, Item, Statement, Tuning};
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
}

/// The data of an entry of this file.
///
/// `.loc` and `.pragma` are left out: they have no meaning. Register declarations are gathered at the front.
///
/// Errors: the first construct that has no meaning; before all others, what does not resolve.
pub fn translate(m: &Resolved<'_>, f: &ast::Function) -> Res<Translation> {
    let e = entry(m, f)?;
    let mut body = Vec::new();
    let mut spans = Vec::new();
    for (text, i) in e.instructions() {
        body.push(e.line(text, i)?);
        spans.push(i.span);
    }
    let kernel = Kernel {
        name: e.function.name.clone(),
        labels: e
            .function
            .labels
            .iter()
            .map(|l| (l.name.clone(), l.at))
            .collect(),
        params: e.params,
        regs: e.regs,
        body,
        outer: e.outer,
        vars: e.vars,
    };
    Ok(Translation { kernel, spans })
}

/// Register declarations with the number of each one's first register among those of its width; `None` from 2^64 on.
pub(super) fn numbered(
    declared: impl Iterator<Item = (RegTy, String, Option<u64>)>,
) -> Option<Vec<RegDecl>> {
    let mut next = rustc_hash::FxHashMap::<u32, u64>::default();
    let one = |(ty, pre, range): (RegTy, String, Option<u64>)| {
        let next = next.entry(ty.bits()).or_insert(0);
        let (first, count) = (*next, range.unwrap_or(1));
        *next = first.checked_add(count)?;
        Some(RegDecl {
            ty,
            pre,
            first,
            count,
            ranged: range.is_some(),
        })
    };
    declared.map(one).collect()
}

/// The number of the condition code register `CC.CF` among the predicates: that after the declared ones.
pub(super) fn carry_register(regs: &[RegDecl]) -> u64 {
    let predicates = regs.iter().filter(|r| r.ty == RegTy::Pred);
    predicates.fold(0, |n, r| n.saturating_add(r.count))
}

/// A kernel of which everything but its instructions has a meaning.
pub(crate) struct Entry<'m> {
    pub(super) text: &'m ast::Function,
    pub(super) function: &'m Function,
    pub(super) params: Vec<Param>,
    pub(super) regs: Vec<RegDecl>,
    pub(super) outer: usize,
    pub(super) vars: Vec<Var>,
    /// The variables of the module that `vars` are.
    pub(super) symbols: Vec<VarId>,
    /// The products that may be fused, each with a sum.
    pub(super) fused: Vec<(&'m module::Instr, &'m module::Instr)>,
}

/// Everything of an entry but its instructions.
///
/// Errors: as for [`translate`], if they are no instruction's.
pub(crate) fn entry<'m>(m: &'m Resolved<'_>, text: &'m ast::Function) -> Res<Entry<'m>> {
    if m.module.address_size != 64 {
        return refuse(Reason::AddressSize(m.module.address_size), text.head);
    }
    let function = m.function(text).map_err(|e| Unsupported {
        reason: Reason::Unresolved(e.reason.clone()),
        span: e.span,
    })?;
    if text.returns.is_some() {
        return refuse(Reason::NoKernel, text.head);
    }
    for t in &text.tuning {
        if let Tuning::Attr(a) = t {
            return refuse(Reason::Directive(a.word.text.clone()), a.word.span);
        }
    }
    let params = text
        .params
        .iter()
        .flatten()
        .map(param)
        .collect::<Res<_>>()?;
    let (mut vars, mut symbols) = outer_variables(m, function)?;
    let outer = vars.len();
    let mut types = Vec::new();
    for s in text.body.iter().flat_map(|b| &b.statements) {
        match s {
            Statement::Decl(d) if d.attrs.first().is_some_and(|a| a.word.text == ".reg") => {
                types.extend(register_types(d)?);
            }
            Statement::Decl(d) => {
                for v in variables(d)? {
                    // Not in a scope of its own, so its name says which it is.
                    let mine = m.module.functions.iter().position(|f| f == function);
                    symbols.extend(m.module.variables.iter().zip(0..).find_map(|(x, i)| {
                        let owner = x.owner.map(module::FuncId::index);
                        (owner == mine && x.name == v.name).then_some(VarId(i))
                    }));
                    vars.push(v);
                }
            }
            Statement::Label(_)
            | Statement::Instr(_)
            | Statement::Loc(_)
            | Statement::Pragma(_) => {}
            Statement::Block(b) => return refuse(Reason::Scope, b.span),
            Statement::Targets(k, _) => return refuse(Reason::Directive(k.text.clone()), k.span),
            Statement::Prototype(p) => {
                return refuse(Reason::Directive(".callprototype".into()), p.name.span);
            }
        }
    }
    let declared = function.declarations.iter().zip(types);
    let Some(regs) = numbered(declared.map(|(d, ty)| (ty, d.name.clone(), d.count))) else {
        return refuse(Reason::Declaration(".reg".into()), text.head);
    };
    let local = vars.iter().any(|v| v.space == StateSpace::Local);
    Ok(Entry {
        text,
        function,
        fused: fused(function, local),
        params,
        regs,
        outer,
        vars,
        symbols,
    })
}

/// The variables of the module that a function's instructions name, in the order of the text.
fn outer_variables(m: &Resolved<'_>, f: &Function) -> Res<(Vec<Var>, Vec<VarId>)> {
    let mut used = std::collections::BTreeSet::new();
    for i in &f.code {
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

fn param(p: &ast::Param) -> Res<Param> {
    let plain = |a: &ast::Attr| a.numbers.is_empty() && a.arguments.is_none();
    if let [space, ty] = &p.attrs[..]
        && space.word.text == ".param"
        && plain(space)
        && plain(ty)
        && let Some(ty) = ty.word.text.strip_prefix('.').and_then(MemTy::from_name)
        && p.var.range.is_none()
        && p.var.dims.is_empty()
        && p.var.init.is_none()
    {
        return Ok(Param {
            name: p.var.name.text.clone(),
            ty,
        });
    }
    refuse(Reason::Parameter(p.var.name.text.clone()), p.var.name.span)
}

/// The type of each register declaration: `.reg` with a type and nothing else.
fn register_types(d: &ast::Decl) -> Res<Vec<RegTy>> {
    let [space, ty] = &d.attrs[..] else {
        let words: Vec<&str> = d.attrs.iter().map(|a| a.word.text.as_str()).collect();
        return refuse(Reason::Declaration(words.join(" ")), d.span);
    };
    let plain = |a: &ast::Attr| a.numbers.is_empty() && a.arguments.is_none();
    if space.word.text != ".reg" || !plain(space) || !plain(ty) {
        return refuse(Reason::Declaration(space.word.text.clone()), d.span);
    }
    match RegTy::from_name(ty.word.text.trim_start_matches('.')) {
        Some(reg_ty) => Ok(vec![reg_ty; d.vars.len()]),
        None => refuse(Reason::RegisterType(ty.word.text.clone()), ty.word.span),
    }
}

/// The variables of a declaration in shared, local or global memory, one by one.
fn variables(d: &ast::Decl) -> Res<Vec<Var>> {
    d.vars.iter().map(|v| variable(d, v)).collect()
}

/// A variable as `.shared .align 4 .b8 name[16]` declares it: without an initial value, with at most one dimension.
fn variable(d: &ast::Decl, v: &ast::Declarator) -> Res<Var> {
    let other = || {
        let words: Vec<&str> = d.attrs.iter().map(|a| a.word.text.as_str()).collect();
        refuse(Reason::Declaration(words.join(" ")), v.name.span)
    };
    if v.range.is_some() || v.init.is_some() {
        return other();
    }
    let count = match &v.dims[..] {
        [] => None,
        [None] => Some(0),
        [Some(n)] if n.value > 0 => Some(n.value),
        _ => return other(),
    };
    let (mut space, mut ty, mut align, mut external) = (None, None, None, false);
    for a in &d.attrs {
        let word = a.word.text.trim_start_matches('.');
        match (word, &a.numbers[..], &a.arguments) {
            ("visible", [], None) => {}
            ("extern", [], None) => external = true,
            ("align", [n], None) if align.is_none() => align = Some(n.value),
            ("shared" | "local" | "global", [], None) => space = StateSpace::from_name(word),
            (ty_name, [], None) if MemTy::from_name(ty_name).is_some() => {
                ty = MemTy::from_name(ty_name);
            }
            _ => return other(),
        }
    }
    let (Some(space), Some(ty)) = (space, ty) else {
        return other();
    };
    // What another module has is not known here; shared memory with the size of the launch is meant.
    let dynamic = external && space == StateSpace::Shared && count == Some(0);
    if (external || count == Some(0)) && !dynamic {
        return other();
    }
    Ok(Var {
        space,
        external,
        align,
        ty,
        name: v.name.text.clone(),
        count,
    })
}
