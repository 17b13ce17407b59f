//! The data of instructions: operands where the form of the opcode has them, addresses, literals.

use super::data::*;
use super::error::{Reason, Unsupported};
use super::meaning::{atomic, constant_of};
use super::operands::{Written, literal};
use super::sync::is_sync;
use super::translate::{Entry, Res, refuse};
use crate::isa::{Form, types};
use crate::module::{self, Base, Formal, Symbol, VarId};
use crate::text::ast;

/// Whether the logic's instructions have a constructor for a form.
pub(crate) fn carried(form: &Form) -> bool {
    let only = |slots: &[&str]| form.words.iter().all(|(s, _)| slots.contains(s));
    let space = form.word("space");
    match form.shape() {
        "sreg" => form.opcode == "mov.u32",
        "alu" => true,
        "window" => {
            form.opcode.starts_with("cvta.")
                && matches!(space, "shared" | "local")
                && form.word("type") == "u64"
        }
        "ldParam" => space == "param" && only(&["space", "type"]),
        "st" if space == "param" => only(&["space", "type"]),
        "ld" | "st" => access(form).is_some(),
        "bra" | "ret" | "call" => only(&["uni"]),
        "exit" => true,
        "atom" | "red" => atomic(form).is_some(),
        _ => is_sync(form),
    }
}

/// The modifiers of a load or store, if the logic has them all.
fn access(form: &Form) -> Option<Access> {
    let only = (form.words.iter())
        .all(|(s, _)| ["sem", "scope", "space", "nc", "vec", "type"].contains(s));
    let space = match form.word("space") {
        "" => StateSpace::Generic,
        s => StateSpace::from_name(s)?,
    };
    let load = form.shape() == "ld";
    let scope = SCOPES.into_iter().find(|s| *s == form.word("scope"));
    let strong = |acquire, release| {
        Some(Sem::Strong {
            acquire,
            release,
            scope: scope?,
        })
    };
    let sem = match form.word("sem") {
        "" if scope.is_none() => Sem::Weak,
        "volatile" if scope.is_none() => Sem::Volatile,
        "relaxed" => strong(false, false)?,
        "acquire" if load => strong(true, false)?,
        "release" if !load => strong(false, true)?,
        _ => return None,
    };
    let nc = form.word("nc") == "nc";
    let meant = !nc || (space, sem) == (StateSpace::Global, Sem::Weak);
    (only && meant && form.word("vec") != "v8").then_some(Access { space, nc, sem })
}

impl<'m> Entry<'m> {
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

    fn instr(&self, text: &ast::Instr, i: &module::Instr) -> Res<Instr> {
        let all: Vec<Written<'_>> = text.operands.iter().zip(&i.operands).collect();
        let form = i.form.as_ref().filter(|f| carried(f));
        if let Some((_, sum)) = self.fused.iter().find(|(p, _)| p.span == i.span) {
            let reason = Reason::MayFuse(i.opcode.clone(), sum.opcode.clone(), sum.span);
            return refuse(reason, text.opcode.span);
        }
        if form.is_some_and(|f| f.word("uni") == "uni") && i.guard.is_some() {
            return refuse(Reason::Uniform(i.opcode.clone()), text.opcode.span);
        }
        match (form.map(|f| (f, f.shape())), &all[..]) {
            (Some((_, "sreg")), [d, s]) => Ok(Instr::Sreg {
                special: special(s)?,
                dst: self.reg_of_width(d, 32)?,
            }),
            (Some((form, "alu")), all) => self.alu(text, form, all),
            (Some((form, "window")), [d, a]) => Ok(Instr::Cvta {
                back: form.opcode.starts_with("cvta.to."),
                space: match form.word("space") {
                    "shared" => StateSpace::Shared,
                    _ => StateSpace::Local,
                },
                dst: self.reg_of_width(d, 64)?,
                src: self.value(a, 64, "u64")?,
            }),
            (Some((form, "ldParam")), [d, a]) => self.ld_param(text, form, d, a),
            (Some((form, "st")), [a, v]) if form.word("space") == "param" => {
                self.put_param(text, form, a, v)
            }
            (Some((_, "call")), all) => self.call(text, all),
            (Some((form, "atom")), [d, a, srcs @ ..]) => self.atom(text, form, Some(d), a, srcs),
            (Some((form, "red")), [a, srcs @ ..]) => self.atom(text, form, None, a, srcs),
            (Some((form, "ld")), [d, a]) => self.load(text, form, d, a),
            (Some((form, "st")), [a, v]) => self.store(text, form, a, v),
            (Some((_, "bra")), [(_, module::Operand::Label(l))]) => {
                Ok(Instr::Bra { target: l.index() })
            }
            (Some((_, "ret")), []) => Ok(Instr::Ret),
            (Some((_, "exit")), []) => Ok(Instr::Exit),
            (Some((form, _)), all) if is_sync(form) => {
                let (dsts, ins, srcs) = self.operands(text, form, all)?;
                Ok(Instr::Sync {
                    name: constant_of(form),
                    ins,
                    dsts,
                    srcs,
                })
            }
            _ => refuse(Reason::Opcode(i.opcode.clone()), text.opcode.span),
        }
    }

    fn alu(&self, text: &ast::Instr, form: &Form, all: &[Written<'_>]) -> Res<Instr> {
        let (dsts, ins, srcs) = self.operands(text, form, all)?;
        let out = dsts.iter().map(|d| d.width()).sum();
        let name = constant_of(form);
        if form.signature() != Some((ins.clone(), out)) {
            let (wanted, given) = (form.sources().len(), ins.len());
            let reason = Reason::OperandCount(form.opcode.clone(), wanted, given);
            return refuse(reason, text.opcode.span);
        }
        Ok(match dsts[..] {
            [Dst::Reg(_, dst)] => Instr::Alu {
                name,
                ins,
                out,
                dst,
                srcs,
            },
            _ => Instr::Alus {
                name,
                ins,
                out,
                dsts,
                srcs,
            },
        })
    }

    /// The number of a register that must have this width.
    fn reg_of_width(&self, x: &Written<'_>, wanted: u32) -> Res<u64> {
        match self.reg(x)? {
            (w, n) if w == wanted => Ok(n),
            (w, _) => refuse(Reason::Width(wanted, w), x.0.span()),
        }
    }

    pub(super) fn reg(&self, x: &Written<'_>) -> Res<(u32, u64)> {
        match x.1 {
            module::Operand::Reg(r) => Ok(self.number(*r)),
            _ => refuse(Reason::OperandKind("a register"), x.0.span()),
        }
    }

    /// A register of this width, or a literal of this type.
    pub(super) fn value(&self, x: &Written<'_>, width: u32, ty: &'static str) -> Res<Operand> {
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
        let (v, off) = part(ty, a)?;
        if let Some(slot) = self.slots.get(&v) {
            return Ok(Instr::GetParam {
                ty,
                rw,
                dst,
                slot: self.inside(*slot, ty, off, a)?,
                off,
            });
        }
        let mine = |p: &Formal| *p == Formal::Param(v);
        match self.function.params.iter().position(mine) {
            Some(param) => Ok(Instr::LdParam {
                ty,
                rw,
                dst,
                param,
                off,
            }),
            None => refuse(Reason::OperandKind(A_PARAMETER), a.0.span()),
        }
    }

    /// The variable of a call, if it has these bytes.
    fn inside(&self, slot: Reg, ty: MemTy, off: u64, a: &Written<'_>) -> Res<Reg> {
        let end = off
            .checked_mul(8)
            .and_then(|o| o.checked_add(ty.bits().into()));
        match end.is_some_and(|end| end <= slot.width.into()) {
            true => Ok(slot),
            false => refuse(Reason::Offset("an offset inside the parameter"), a.0.span()),
        }
    }

    fn put_param(
        &self,
        text: &ast::Instr,
        form: &Form,
        a: &Written<'_>,
        v: &Written<'_>,
    ) -> Res<Instr> {
        let ty = mem_ty(text, form)?;
        let (var, off) = part(ty, a)?;
        let Some(slot) = self.slots.get(&var) else {
            return refuse(Reason::OperandKind(A_PARAMETER), a.0.span());
        };
        let slot = self.inside(*slot, ty, off, a)?;
        let mut rw = ty.bits();
        if matches!(v.1, module::Operand::Reg(_)) {
            rw = self.reg(v)?.0;
            at_least(ty.bits(), rw, v)?;
        }
        Ok(Instr::PutParam {
            ty,
            rw,
            src: self.value(v, rw, ty.name())?,
            slot,
            off,
        })
    }

    fn atom(
        &self,
        text: &ast::Instr,
        form: &Form,
        d: Option<&Written<'_>>,
        a: &Written<'_>,
        srcs: &[Written<'_>],
    ) -> Res<Instr> {
        let Some((w, access, ins)) = atomic(form).filter(|x| x.2.len() == srcs.len()) else {
            return refuse(Reason::Opcode(form.opcode.clone()), text.opcode.span);
        };
        let dst = match d {
            Some(d) if !matches!(d.1, module::Operand::Sink) => {
                Dst::Reg(w, self.reg_of_width(d, w)?)
            }
            _ => Dst::Sink(w),
        };
        let (base, off) = self.address(a, access.space)?;
        let ty = form.ty().name;
        let srcs = srcs
            .iter()
            .map(|x| self.value(x, w, ty))
            .collect::<Res<_>>()?;
        Ok(Instr::Atom {
            name: constant_of(form),
            access,
            w,
            ins,
            dst,
            srcs,
            base,
            off,
        })
    }

    /// `call (results), function, (arguments)`; that they fit the function the resolution has checked.
    fn call(&self, text: &ast::Instr, all: &[Written<'_>]) -> Res<Instr> {
        let (mut lists, mut callee) = ([Vec::new(), Vec::new()], None);
        for x in all {
            match x {
                (ast::Operand::List(texts, _), module::Operand::List(list)) => {
                    let list = texts.iter().zip(list).map(|x| self.argument(&x));
                    lists[usize::from(callee.is_some())] = list.collect::<Res<_>>()?;
                }
                (_, module::Operand::Symbol(Symbol::Function(f), 0)) if callee.is_none() => {
                    callee = self.whole.funcs.iter().position(|g| g == f);
                }
                (x, _) => {
                    return refuse(Reason::OperandKind("a function of the module"), x.span());
                }
            }
        }
        let [outs, args] = lists;
        match callee {
            Some(f) => Ok(Instr::Call { f, args, outs }),
            None => refuse(
                Reason::OperandKind("a function of the module"),
                text.opcode.span,
            ),
        }
    }

    fn argument(&self, x: &Written<'_>) -> Res<Reg> {
        let slot = match x.1 {
            module::Operand::Symbol(Symbol::Variable(v), 0) => self.slots.get(v),
            _ => None,
        };
        slot.map_or_else(
            || refuse(Reason::OperandKind("a `.param` variable"), x.0.span()),
            |s| Ok(*s),
        )
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
        let access = self.access(text, form)?;
        let (base, off) = self.address(a, access.space)?;
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
        let access = self.access(text, form)?;
        let (base, off) = self.address(a, access.space)?;
        Ok(Instr::St {
            access,
            ty,
            rw,
            srcs,
            base,
            off,
        })
    }

    fn access(&self, text: &ast::Instr, form: &Form) -> Res<Access> {
        access(form).map_or_else(
            || refuse(Reason::Opcode(form.opcode.clone()), text.opcode.span),
            Ok,
        )
    }

    /// `[base]` or `[base+offset]`: the base a register, a variable of the space or an unsigned number of 32 bits, the
    /// offset a signed number of 32 bits (ISA §6.4.1). In shared and local memory the register may have 32 bits.
    fn address(&self, a: &Written<'_>, space: StateSpace) -> Res<(Operand, Lit)> {
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
                let narrow = matches!(space, StateSpace::Shared | StateSpace::Local);
                let register = match self.number(r) {
                    (64, n) => Operand::Reg(n),
                    (32, n) if narrow => Operand::Other(32, n),
                    (w, _) => return refuse(Reason::Width(64, w), base.span()),
                };
                if let Some(o) = offset
                    && i32::try_from(address.offset).is_err()
                {
                    return refuse(Reason::Offset("a signed number of 32 bits"), o.int.span);
                }
                let off = Lit::Int(address.offset < 0, address.offset.unsigned_abs());
                Ok((register, off))
            }
            (Base::Symbol(symbol), _) => {
                let base = self.symbol(symbol, address.offset, base, |s| s == space)?;
                Ok((base, Lit::Int(false, 0)))
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

    /// The address of a variable in one of the spaces that are allowed here, so many bytes further.
    pub(super) fn symbol(
        &self,
        symbol: Symbol,
        offset: i64,
        text: &ast::Operand,
        allowed: impl Fn(StateSpace) -> bool,
    ) -> Res<Operand> {
        let at = match symbol {
            Symbol::Variable(v) => self.whole.symbols.iter().position(|s| *s == v),
            Symbol::Function(_) => None,
        };
        let variable = at.filter(|i| allowed(self.whole.vars[*i].space));
        let Some(i) = variable else {
            let wanted = "a variable of the state space, or a register";
            return refuse(Reason::OperandKind(wanted), text.span());
        };
        match u64::try_from(offset) {
            Ok(off) => Ok(Operand::Sym(i, off)),
            Err(_) => refuse(
                Reason::Offset("an address from the variable on"),
                text.span(),
            ),
        }
    }
}

const A_PARAMETER: &str = "a parameter with a constant offset";

/// The variable and offset of an access of a parameter. As everywhere, the address is a multiple of the size (ISA §9.7.10.8).
fn part(ty: MemTy, a: &Written<'_>) -> Res<(VarId, u64)> {
    let module::Operand::Address(address) = a.1 else {
        return refuse(Reason::OperandKind("a plain address"), a.0.span());
    };
    match (address.base, u64::try_from(address.offset)) {
        (Base::Symbol(Symbol::Variable(_)), Ok(off)) if off % u64::from(ty.bits() / 8) != 0 => {
            refuse(
                Reason::Offset("a multiple of the size of the type"),
                a.0.span(),
            )
        }
        (Base::Symbol(Symbol::Variable(v)), Ok(off)) => Ok((v, off)),
        _ => refuse(Reason::OperandKind(A_PARAMETER), a.0.span()),
    }
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
