//! From a resolved kernel to its data. Whatever has no meaning in the logic is refused with its place.
//!
//! What the names stand for is what [`crate::module`] says; the syntax tree beside it says where things are, and whether
//! something is written in a way that the term could not give back.

use super::data::*;
use super::error::{Reason, Unsupported};
use crate::isa::{Form, types};
use crate::module::{self, Base, Formal, Function, Literal, RegId, Resolved, Symbol};
use crate::text::ast::{self, Statement, Tuning};
use crate::text::span::Span;

type Res<T> = Result<T, Unsupported>;

fn refuse<T>(reason: Reason, span: Span) -> Res<T> {
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

/// A kernel of which everything but its instructions has a meaning.
pub(crate) struct Entry<'m> {
    text: &'m ast::Function,
    function: &'m Function,
    params: Vec<Param>,
    regs: Vec<RegDecl>,
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
    let mut types = Vec::new();
    for s in text.body.iter().flat_map(|b| &b.statements) {
        match s {
            Statement::Decl(d) => types.extend(register_types(d)?),
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
    Ok(Entry {
        text,
        function,
        params,
        regs,
    })
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

/// Whether the logic's instructions have a constructor for a form, and the text names it as the table does.
pub(crate) fn carried(form: &Form, opcode: &str) -> bool {
    let only = |slots: &[&str]| form.words.iter().all(|(s, _)| slots.contains(s));
    form.opcode == opcode
        && match form.shape() {
            "sreg" => opcode == "mov.u32",
            "alu" => form.is_plain(),
            "ldParam" => form.word("space") == "param" && only(&["space", "type"]),
            "ld" | "st" => {
                form.word("space") == "global"
                    && form.word("vec") != "v8"
                    && only(&["space", "nc", "vec", "type"])
            }
            "bra" | "ret" | "exit" => form.words.is_empty(),
            _ => false,
        }
}

impl<'m> Entry<'m> {
    /// The instructions, as they are written and as they are resolved.
    pub fn instructions(&self) -> impl Iterator<Item = (&'m ast::Instr, &'m module::Instr)> {
        let written = self.text.body.iter().flat_map(|b| &b.statements);
        let written = written.filter_map(|s| match s {
            Statement::Instr(i) => Some(i),
            _ => None,
        });
        written.zip(&self.function.code)
    }

    /// The data of one instruction.
    pub fn line(&self, text: &ast::Instr, i: &module::Instr) -> Res<Line> {
        let guard = i.guard.map(|g| Guard {
            pred: self.number(g.pred).1,
            neg: g.negated,
        });
        Ok(Line {
            guard,
            instr: self.instr(text, i)?,
        })
    }

    /// The width and number of a register.
    fn number(&self, r: RegId) -> (u32, u64) {
        let known = self.function.registers.get(r.index());
        known.map_or((0, 0), |r| {
            let first = self.regs.get(r.declaration).map_or(0, |d| d.first);
            (r.bits, first.saturating_add(r.index))
        })
    }

    fn instr(&self, text: &ast::Instr, i: &module::Instr) -> Res<Instr> {
        let all: Vec<Written<'_>> = text.operands.iter().zip(&i.operands).collect();
        let form = i.form.as_ref().filter(|f| carried(f, &i.opcode));
        if form.is_some_and(Form::may_fuse) {
            return refuse(Reason::MayFuse(i.opcode.clone()), text.opcode.span);
        }
        match (form.map(|f| (f, f.shape())), &all[..]) {
            (Some((_, "sreg")), [d, s]) => Ok(Instr::Sreg {
                special: special(s)?,
                dst: self.reg_of_width(d, 32)?,
            }),
            (Some((form, "alu")), [d, srcs @ ..]) => self.alu(form, d, srcs),
            (Some((form, "ldParam")), [d, a]) => self.ld_param(text, form, d, a),
            (Some((form, "ld")), [d, a]) => self.load(text, form, d, a),
            (Some((form, "st")), [a, v]) => self.store(text, form, a, v),
            (Some((_, "bra")), [(_, module::Operand::Label(l))]) => {
                Ok(Instr::Bra { target: l.index() })
            }
            (Some((_, "ret")), []) => Ok(Instr::Ret),
            (Some((_, "exit")), []) => Ok(Instr::Exit),
            _ => refuse(Reason::Opcode(i.opcode.clone()), text.opcode.span),
        }
    }

    fn alu(&self, form: &Form, d: &Written<'_>, srcs: &[Written<'_>]) -> Res<Instr> {
        let ins: Vec<u32> = form.sources().iter().map(|t| t.bits).collect();
        let out = form.dests().iter().map(|t| t.bits).sum();
        let dst = self.reg_of_width(d, out)?;
        let typed = srcs.iter().zip(form.sources());
        let srcs = typed
            .map(|(x, t)| self.value(x, t.bits, t.name))
            .collect::<Res<_>>()?;
        Ok(Instr::Alu {
            opcode: form.opcode.clone(),
            ins,
            out,
            dst,
            srcs,
        })
    }

    /// The number of a register that must have this width.
    fn reg_of_width(&self, x: &Written<'_>, wanted: u32) -> Res<u64> {
        match self.reg(x)? {
            (w, n) if w == wanted => Ok(n),
            (w, _) => refuse(Reason::Width(wanted, w), x.0.span()),
        }
    }

    fn reg(&self, x: &Written<'_>) -> Res<(u32, u64)> {
        match x.1 {
            module::Operand::Reg(r) => Ok(self.number(*r)),
            _ => refuse(Reason::OperandKind("a register"), x.0.span()),
        }
    }

    /// A register of this width, or a literal of this type.
    fn value(&self, x: &Written<'_>, width: u32, ty: &'static str) -> Res<Operand> {
        match x.1 {
            module::Operand::Imm(l) => Ok(Operand::Imm(literal(x.0, *l, width, ty)?)),
            _ => Ok(Operand::Reg(self.reg_of_width(x, width)?)),
        }
    }

    fn ld_param(
        &self,
        text: &ast::Instr,
        form: &Form,
        d: &Written<'_>,
        a: &Written<'_>,
    ) -> Res<Instr> {
        let ty = mem_ty(text, form)?;
        let (rw, dst) = self.reg(d)?;
        at_least(ty.bits(), rw, d)?;
        let module::Operand::Address(address) = a.1 else {
            return refuse(Reason::OperandKind("a plain address"), a.0.span());
        };
        let param = match address.base {
            Base::Symbol(Symbol::Variable(v)) => {
                let mine = |p: &Formal| *p == Formal::Param(v);
                self.function.params.iter().position(mine)
            }
            _ => None,
        };
        match (param, u64::try_from(address.offset)) {
            // As everywhere, the address is a multiple of the size (ISA §9.7.10.8).
            (Some(_), Ok(off)) if off % u64::from(ty.bits() / 8) != 0 => refuse(
                Reason::Offset("a multiple of the size of the type"),
                a.0.span(),
            ),
            (Some(param), Ok(off)) => Ok(Instr::LdParam {
                ty,
                rw,
                dst,
                param,
                off,
            }),
            _ => refuse(
                Reason::OperandKind("a parameter with a constant offset"),
                a.0.span(),
            ),
        }
    }

    fn load(&self, text: &ast::Instr, form: &Form, d: &Written<'_>, a: &Written<'_>) -> Res<Instr> {
        let ty = mem_ty(text, form)?;
        let all = elements(d, text, form, ty)?;
        let (rw, _) = self.reg(&all[0])?;
        at_least(ty.bits(), rw, &all[0])?;
        let dsts = all
            .iter()
            .map(|x| self.reg_of_width(x, rw))
            .collect::<Res<_>>()?;
        let (base, off) = self.address(a)?;
        let access = Access {
            nc: form.word("nc") == "nc",
        };
        Ok(Instr::Ld {
            access,
            ty,
            rw,
            dsts,
            base,
            off,
        })
    }

    fn store(
        &self,
        text: &ast::Instr,
        form: &Form,
        a: &Written<'_>,
        v: &Written<'_>,
    ) -> Res<Instr> {
        let ty = mem_ty(text, form)?;
        let all = elements(v, text, form, ty)?;
        let mut rw = ty.bits();
        let is_register = |x: &&Written<'_>| matches!(x.1, module::Operand::Reg(_));
        if let Some(x) = all.iter().find(is_register) {
            rw = self.reg(x)?.0;
            at_least(ty.bits(), rw, x)?;
        }
        // A float literal fills its type exactly; in a wider register it would not be extended as a number.
        let name = if rw == ty.bits() {
            ty.name()
        } else {
            wider(ty)
        };
        let srcs = all
            .iter()
            .map(|x| self.value(x, rw, name))
            .collect::<Res<_>>()?;
        let (base, off) = self.address(a)?;
        Ok(Instr::St {
            access: Access { nc: false },
            ty,
            rw,
            srcs,
            base,
            off,
        })
    }

    /// `[base]` or `[base+offset]`: the base a 64-bit register or an unsigned number of 32 bits, the offset a signed number
    /// of 32 bits (ISA §6.4.1).
    fn address(&self, a: &Written<'_>) -> Res<(Operand, Lit)> {
        let (ast::Operand::Address(inside, _), module::Operand::Address(address)) = a else {
            return refuse(Reason::OperandKind("a plain address"), a.0.span());
        };
        let (base, offset) = match &inside[..] {
            [ast::Operand::Offset(base, o)] => (base.as_ref(), Some(o)),
            [base] => (base, None),
            _ => return refuse(Reason::OperandKind("a plain address"), a.0.span()),
        };
        match (address.base, base) {
            (Base::Reg(r), _) => {
                let (w, n) = self.number(r);
                if w != 64 {
                    return refuse(Reason::Width(64, w), base.span());
                }
                if let Some(o) = offset
                    && i32::try_from(address.offset).is_err()
                {
                    return refuse(Reason::Offset("a signed number of 32 bits"), o.int.span);
                }
                let off = Lit::Int(address.offset < 0, address.offset.unsigned_abs());
                Ok((Operand::Reg(n), off))
            }
            // `[16+4]` stays as it is written: nobody writes it.
            (Base::Zero, ast::Operand::Int(_, n)) => match u32::try_from(address.offset) {
                Ok(at) if offset.is_none_or(|o| o.value() == 0) => {
                    Ok((Operand::Imm(Lit::Int(false, at.into())), Lit::Int(false, 0)))
                }
                _ => refuse(Reason::Offset("an unsigned number of 32 bits"), n.span),
            },
            _ => refuse(Reason::OperandKind("a register"), base.span()),
        }
    }
}

/// An operand as it is written, and what it is.
type Written<'a> = (&'a ast::Operand, &'a module::Operand);

/// The special register of an operand.
fn special(x: &Written<'_>) -> Res<Special> {
    let found = match x.1 {
        module::Operand::Special(name) => name
            .split_once('.')
            .and_then(|(kind, dim)| Special::from_names(kind, dim)),
        _ => None,
    };
    found.map_or_else(
        || {
            refuse(
                Reason::OperandKind("%tid, %ntid, %ctaid or %nctaid"),
                x.0.span(),
            )
        },
        Ok,
    )
}

/// A literal: an integer for integer and bit types, 0 or ±1 for predicates (any other integer would be *true*, which is
/// not its low bit: ISA §4.5.3), exact float bits for float and bit types.
fn literal(written: &ast::Operand, l: Literal, width: u32, ty: &'static str) -> Res<Lit> {
    let float = ty.starts_with('f');
    let found = match (written, l) {
        (ast::Operand::Int(sign, _), Literal::Int(n)) if !float && (width > 1 || n.abs() <= 1) => {
            let negative = *sign == ast::Sign::Minus;
            let size = u64::try_from(n.unsigned_abs()).ok();
            size.map(|size| Lit::Int(negative, size))
        }
        (ast::Operand::Float(ast::Sign::Plus, x), l)
            if x.bits.is_some() && (float || (ty.starts_with('b') && width > 1)) =>
        {
            match l {
                Literal::F32(bits) if width == 32 => Some(Lit::F32(bits)),
                Literal::F64(bits) if width == 64 => Some(Lit::F64(bits)),
                _ => None,
            }
        }
        _ => None,
    };
    found.map_or_else(|| refuse(Reason::Literal(ty), written.span()), Ok)
}

fn mem_ty(i: &ast::Instr, form: &Form) -> Res<MemTy> {
    MemTy::from_name(form.word("type")).ok_or_else(|| Unsupported {
        reason: Reason::Opcode(i.opcode.text.clone()),
        span: i.opcode.span,
    })
}

/// A register may be wider than the type of an access (ISA §9.4.1).
fn at_least(bits: u32, rw: u32, x: &Written<'_>) -> Res<()> {
    if rw < bits {
        refuse(Reason::Width(bits, rw), x.0.span())
    } else {
        Ok(())
    }
}

/// The elements of an access, `.v2` or `.v4` or one: `%r1`, `{%r1}` or `{%r1, %r2}`.
fn elements<'i>(x: &Written<'i>, i: &ast::Instr, form: &Form, ty: MemTy) -> Res<Vec<Written<'i>>> {
    let wanted = match form.word("vec") {
        "v2" => 2,
        "v4" => 4,
        _ => 1,
    };
    let all: Vec<Written<'i>> = match x {
        (ast::Operand::Vector(texts, _), module::Operand::Vector(all)) => {
            texts.iter().zip(all).collect()
        }
        one => vec![*one],
    };
    if all.len() != wanted {
        return refuse(
            Reason::OperandCount(i.opcode.text.clone(), wanted, all.len()),
            x.0.span(),
        );
    }
    if ty.bits() as usize / 8 * wanted > 16 {
        return refuse(Reason::AccessTooWide, i.opcode.span);
    }
    Ok(all)
}

/// The type that literals beside wider registers are read at.
fn wider(ty: MemTy) -> &'static str {
    if types::is_signed(ty.name()) {
        "s64"
    } else {
        "u64"
    }
}
