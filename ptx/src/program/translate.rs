//! From the syntax tree of a kernel to its data. Whatever has no meaning is refused with its place.

use super::data::*;
use super::error::{Reason, Unsupported};
use super::names::Names;
use crate::isa::{self, Form, types};
use crate::text::ast::{self, Function, Module, Sign, Statement, Tuning};
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

/// The data of an entry.
///
/// `.loc` and `.pragma` are left out: they have no meaning. Register declarations are gathered at the front.
///
/// Errors: the first construct that has no meaning.
pub fn translate(f: &Function) -> Res<Translation> {
    let Prepared {
        names,
        params,
        labels,
    } = prepare(f)?;
    let mut kernel = Kernel {
        name: f.name.text.clone(),
        params,
        regs: Vec::new(),
        labels,
        body: Vec::new(),
    };
    let mut spans = Vec::new();
    for s in f.body.iter().flat_map(|b| &b.statements) {
        if let Statement::Instr(i) = s {
            kernel.body.push(line(&names, i)?);
            spans.push(i.span);
        }
    }
    kernel.regs = names.regs;
    Ok(Translation { kernel, spans })
}

/// The data of an entry of this module, whose addresses must have 64 bits.
///
/// Errors: as for [`translate`].
pub fn translate_in(m: &Module, f: &Function) -> Res<Translation> {
    match m.address_size() {
        64 => translate(f),
        n => refuse(Reason::AddressSize(n), f.head),
    }
}

/// The names of an entry, its parameters, and its labels with the lines they stand before.
pub(super) struct Prepared {
    pub names: Names,
    params: Vec<Param>,
    labels: Vec<(String, usize)>,
}

/// Everything of an entry but its instructions; refuses every statement that is no instruction and has a meaning.
pub(super) fn prepare(f: &Function) -> Res<Prepared> {
    if f.returns.is_some() {
        return refuse(Reason::NoKernel, f.head);
    }
    for t in &f.tuning {
        if let Tuning::Attr(a) = t {
            return refuse(Reason::Directive(a.word.text.clone()), a.word.span);
        }
    }
    let params: Vec<Param> = f.params.iter().flatten().map(param).collect::<Res<_>>()?;
    let mut names = Names::default();
    for p in f.params.iter().flatten() {
        if !names.add_param(&p.var.name.text) {
            return refuse(
                Reason::AmbiguousName(p.var.name.text.clone()),
                p.var.name.span,
            );
        }
    }
    let (mut labels, mut lines) = (Vec::new(), 0);
    for s in f.body.iter().flat_map(|b| &b.statements) {
        match s {
            Statement::Decl(d) => names.declare(d)?,
            Statement::Label(w) => {
                names.label(w, labels.len())?;
                labels.push((w.text.clone(), lines));
            }
            Statement::Instr(_) => lines += 1,
            Statement::Loc(_) | Statement::Pragma(_) => {}
            Statement::Block(b) => return refuse(Reason::Scope, b.span),
            Statement::Targets(k, _) => return refuse(Reason::Directive(k.text.clone()), k.span),
            Statement::Prototype(p) => {
                return refuse(Reason::Directive(".callprototype".into()), p.name.span);
            }
        }
    }
    Ok(Prepared {
        names,
        params,
        labels,
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

/// The data of one instruction.
pub(super) fn line(names: &Names, i: &ast::Instr) -> Res<Line> {
    let guard = match &i.guard {
        None => None,
        Some(g) => match names.find_reg(&g.pred)? {
            (1, pred) => Some(Guard {
                pred,
                neg: g.negated,
            }),
            (w, _) => return refuse(Reason::Width(1, w), g.pred.span),
        },
    };
    Ok(Line {
        guard,
        instr: instr(names, i)?,
    })
}

fn instr(names: &Names, i: &ast::Instr) -> Res<Instr> {
    let opcode = &i.opcode.text;
    let forms = isa::forms_of(opcode);
    if let Some(special) = special(i)
        && opcode == "mov.u32"
    {
        return Ok(Instr::Sreg {
            dst: reg_of_width(names, &i.operands[0], 32)?,
            special,
        });
    }
    let Some(form) = forms.into_iter().find(|f| carried(f, opcode)) else {
        return refuse(Reason::Opcode(opcode.clone()), i.opcode.span);
    };
    if form.may_fuse() {
        return refuse(Reason::MayFuse(opcode.clone()), i.opcode.span);
    }
    match form.shape() {
        "alu" => alu(names, i, &form),
        "ldParam" => ld_param(names, i, &form),
        "ld" => load(names, i, &form),
        "st" => store(names, i, &form),
        "bra" => match operands::<1>(i)? {
            [ast::Operand::Name(l)] => Ok(Instr::Bra {
                target: names.find_label(l)?,
            }),
            [other] => refuse(Reason::OperandKind("a label"), other.span()),
        },
        shape => {
            operands::<0>(i)?;
            match shape {
                "ret" => Ok(Instr::Ret),
                "exit" => Ok(Instr::Exit),
                _ => refuse(Reason::Opcode(opcode.clone()), i.opcode.span),
            }
        }
    }
}

/// Whether the logic's instructions have a constructor for a form, and the text names it as the table does.
pub(super) fn carried(form: &Form, opcode: &str) -> bool {
    let only = |slots: &[&str]| form.words.iter().all(|(s, _)| slots.contains(s));
    form.opcode == opcode
        && match form.shape() {
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

/// Exactly N operands.
fn operands<const N: usize>(i: &ast::Instr) -> Res<[&ast::Operand; N]> {
    let all: Vec<&ast::Operand> = i.operands.iter().collect();
    let n = all.len();
    all.try_into()
        .or_else(|_| refuse(Reason::OperandCount(i.opcode.text.clone(), N, n), i.span))
}

/// The special register that a two-operand instruction reads.
pub(super) fn special(i: &ast::Instr) -> Option<Special> {
    let [_, ast::Operand::Name(w)] = &i.operands[..] else {
        return None;
    };
    let (kind, dim) = w.text.strip_prefix('%')?.split_once('.')?;
    Special::from_names(kind, dim)
}

fn alu(names: &Names, i: &ast::Instr, form: &Form) -> Res<Instr> {
    let Some((ins, out)) = form.signature() else {
        return refuse(Reason::Opcode(i.opcode.text.clone()), i.opcode.span);
    };
    if i.operands.len() != ins.len() + 1 {
        let reason = Reason::OperandCount(i.opcode.text.clone(), ins.len() + 1, i.operands.len());
        return refuse(reason, i.span);
    }
    let dst = reg_of_width(names, &i.operands[0], out)?;
    let source = |((x, w), ty): ((&ast::Operand, &u32), &'static str)| value(names, x, *w, ty);
    let srcs = i.operands[1..]
        .iter()
        .zip(&ins)
        .zip(form.sources().iter().map(|t| t.name))
        .map(source)
        .collect::<Res<_>>()?;
    Ok(Instr::Alu {
        opcode: i.opcode.text.clone(),
        ins,
        out,
        dst,
        srcs,
    })
}

/// The number of a register that must have this width.
fn reg_of_width(names: &Names, x: &ast::Operand, wanted: u32) -> Res<u64> {
    match reg(names, x)? {
        (w, n) if w == wanted => Ok(n),
        (w, _) => refuse(Reason::Width(wanted, w), x.span()),
    }
}

fn reg(names: &Names, x: &ast::Operand) -> Res<(u32, u64)> {
    match x {
        ast::Operand::Name(w) => names.find_reg(w),
        other => refuse(Reason::OperandKind("a register"), other.span()),
    }
}

/// A register of this width, or a literal of this type.
fn value(names: &Names, x: &ast::Operand, width: u32, ty: &'static str) -> Res<Operand> {
    if let ast::Operand::Int(..) | ast::Operand::Float(..) = x {
        return Ok(Operand::Imm(literal(x, width, ty)?));
    }
    Ok(Operand::Reg(reg_of_width(names, x, width)?))
}

/// A literal: an integer for integer and bit types, 0 or ±1 for predicates (any other integer would be *true*, which is
/// not its low bit: ISA §4.5.3), exact float bits for float and bit types.
fn literal(x: &ast::Operand, width: u32, ty: &'static str) -> Res<Lit> {
    let float = ty.starts_with('f');
    match x {
        ast::Operand::Int(s, n) if !float && (width > 1 || n.value <= 1) => {
            Ok(Lit::Int(*s == Sign::Minus, n.value))
        }
        ast::Operand::Float(Sign::Plus, x) if float || (ty.starts_with('b') && width > 1) => {
            match x.bits {
                Some((32, bits)) if width == 32 => Ok(Lit::F32(bits as u32)),
                Some((64, bits)) if width == 64 => Ok(Lit::F64(bits)),
                _ => refuse(Reason::Literal(ty), x.span),
            }
        }
        other => refuse(Reason::Literal(ty), other.span()),
    }
}

fn mem_ty(i: &ast::Instr, form: &Form) -> Res<MemTy> {
    MemTy::from_name(form.word("type")).ok_or_else(|| Unsupported {
        reason: Reason::Opcode(i.opcode.text.clone()),
        span: i.opcode.span,
    })
}

/// `[base]` or `[base+offset]`: the base and the offset, a signed 32-bit number (ISA §6.4.1).
fn address(x: &ast::Operand) -> Res<(&ast::Operand, Lit)> {
    let plain = |x| Ok((x, Lit::Int(false, 0)));
    match x {
        ast::Operand::Address(inside, _) => match &inside[..] {
            [ast::Operand::Offset(base, o)] => match (base.as_ref(), o.value()) {
                (base, 0) => plain(base),
                (_, v) if i32::try_from(v).is_err() => {
                    refuse(Reason::Offset("a signed number of 32 bits"), o.int.span)
                }
                (base, v) => Ok((base, Lit::Int(v < 0, o.int.value))),
            },
            [base] => plain(base),
            _ => refuse(Reason::OperandKind("a plain address"), x.span()),
        },
        other => refuse(Reason::OperandKind("an address"), other.span()),
    }
}

fn ld_param(names: &Names, i: &ast::Instr, form: &Form) -> Res<Instr> {
    let [d, a] = operands::<2>(i)?;
    let ty = mem_ty(i, form)?;
    let (rw, dst) = reg(names, d)?;
    at_least(ty.bits(), rw, d)?;
    match address(a)? {
        // As everywhere, the address is a multiple of the size (ISA §9.7.10.8).
        (ast::Operand::Name(_), Lit::Int(false, off)) if off % u64::from(ty.bits() / 8) != 0 => {
            refuse(
                Reason::Offset("a multiple of the size of the type"),
                a.span(),
            )
        }
        (ast::Operand::Name(p), Lit::Int(false, off)) => Ok(Instr::LdParam {
            ty,
            rw,
            dst,
            param: names.find_param(p)?,
            off,
        }),
        _ => refuse(
            Reason::OperandKind("a parameter with a constant offset"),
            a.span(),
        ),
    }
}

/// A register may be wider than the type of an access (ISA §9.4.1).
fn at_least(bits: u32, rw: u32, x: &ast::Operand) -> Res<()> {
    if rw < bits {
        refuse(Reason::Width(bits, rw), x.span())
    } else {
        Ok(())
    }
}

/// The elements of an access, `.v2` or `.v4` or one: `%r1`, `{%r1}` or `{%r1, %r2}`.
fn elements<'i>(
    x: &'i ast::Operand,
    i: &ast::Instr,
    form: &Form,
    ty: MemTy,
) -> Res<Vec<&'i ast::Operand>> {
    let wanted = match form.word("vec") {
        "v2" => 2,
        "v4" => 4,
        _ => 1,
    };
    let all: Vec<&ast::Operand> = match x {
        ast::Operand::Vector(all, _) => all.iter().collect(),
        one => vec![one],
    };
    if all.len() != wanted {
        return refuse(
            Reason::OperandCount(i.opcode.text.clone(), wanted, all.len()),
            x.span(),
        );
    }
    if ty.bits() as usize / 8 * wanted > 16 {
        return refuse(Reason::AccessTooWide, i.opcode.span);
    }
    Ok(all)
}

/// The base of an address: a 64-bit register or an unsigned number of 32 bits (ISA §6.4.1).
fn base(names: &Names, x: &ast::Operand) -> Res<Operand> {
    match x {
        ast::Operand::Int(s, n) if *s == Sign::Minus || u32::try_from(n.value).is_err() => {
            refuse(Reason::Offset("an unsigned number of 32 bits"), n.span)
        }
        ast::Operand::Int(..) => Ok(Operand::Imm(literal(x, 64, "b64")?)),
        x => Ok(Operand::Reg(reg_of_width(names, x, 64)?)),
    }
}

fn load(names: &Names, i: &ast::Instr, form: &Form) -> Res<Instr> {
    let [d, a] = operands::<2>(i)?;
    let ty = mem_ty(i, form)?;
    let all = elements(d, i, form, ty)?;
    let (rw, _) = reg(names, all[0])?;
    at_least(ty.bits(), rw, all[0])?;
    let dsts = all
        .iter()
        .map(|x| reg_of_width(names, x, rw))
        .collect::<Res<_>>()?;
    let (b, off) = address(a)?;
    let access = Access {
        nc: form.word("nc") == "nc",
    };
    Ok(Instr::Ld {
        access,
        ty,
        rw,
        dsts,
        base: base(names, b)?,
        off,
    })
}

fn store(names: &Names, i: &ast::Instr, form: &Form) -> Res<Instr> {
    let [a, v] = operands::<2>(i)?;
    let ty = mem_ty(i, form)?;
    let all = elements(v, i, form, ty)?;
    let mut rw = ty.bits();
    if let Some(x) = all.iter().find(|x| matches!(x, ast::Operand::Name(_))) {
        rw = reg(names, x)?.0;
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
        .map(|x| value(names, x, rw, name))
        .collect::<Res<_>>()?;
    let (b, off) = address(a)?;
    Ok(Instr::St {
        access: Access { nc: false },
        ty,
        rw,
        srcs,
        base: base(names, b)?,
        off,
    })
}

/// The type that literals beside wider registers are read at.
fn wider(ty: MemTy) -> &'static str {
    if types::is_signed(ty.name()) {
        "s64"
    } else {
        "u64"
    }
}
