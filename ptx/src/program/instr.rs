//! The data of instructions: operands where the form of the opcode has them, addresses, literals.

use super::data::*;
use super::error::{Reason, Unsupported};
use super::sync::is_sync;
use super::to_term::constant_of;
use super::translate::{Entry, Res, carry_register, refuse};
use crate::isa::{Form, Group, Spec, types};
use crate::module::{self, Base, Formal, Literal, RegId, Symbol};
use crate::text::ast::{self, Statement};

/// Whether the logic's instructions have a constructor for a form, and the text names it as the table does.
pub(crate) fn carried(form: &Form, opcode: &str) -> bool {
    let only = |slots: &[&str]| form.words.iter().all(|(s, _)| slots.contains(s));
    let space = form.word("space");
    form.opcode == opcode
        && match form.shape() {
            "sreg" => opcode == "mov.u32",
            "alu" => true,
            "window" => {
                form.opcode.starts_with("cvta.")
                    && matches!(space, "shared" | "local")
                    && form.word("type") == "u64"
            }
            "ldParam" => space == "param" && only(&["space", "type"]),
            "ld" | "st" => access(form).is_some(),
            "bra" | "ret" | "exit" => form.words.is_empty(),
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
        if let Some((_, sum)) = self.fused.iter().find(|(p, _)| p.span == i.span) {
            let reason = Reason::MayFuse(i.opcode.clone(), sum.opcode.clone(), sum.span);
            return refuse(reason, text.opcode.span);
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

    /// Results, widths of the sources, and sources, in the order of the form. What may be left out is given or is not.
    fn operands(
        &self,
        text: &ast::Instr,
        form: &Form,
        all: &[Written<'_>],
    ) -> Res<(Vec<Dst>, Vec<u32>, Vec<Operand>)> {
        let mut found = Found {
            entry: self,
            form,
            dsts: Vec::new(),
            ins: Vec::new(),
            srcs: Vec::new(),
        };
        let shown = |g: &&Group| !matches!(g, Group::Implicit(_));
        let places = form.operands.iter().filter(shown).count();
        let mut spare = places.saturating_sub(all.len());
        let mut rest = all;
        for g in &form.operands {
            if let Group::Implicit(x) = g {
                found.carry(x);
                continue;
            }
            if matches!(g, Group::One(x) if x.optional) && spare > 0 {
                spare -= 1;
                continue;
            }
            let Some((x, more)) = rest.split_first() else {
                let reason = Reason::OperandCount(form.opcode.clone(), places, all.len());
                return refuse(reason, text.opcode.span);
            };
            rest = more;
            found.group(g, x)?;
        }
        if !rest.is_empty() {
            let reason = Reason::OperandCount(form.opcode.clone(), places, all.len());
            return refuse(reason, text.opcode.span);
        }
        Ok((found.dsts, found.ins, found.srcs))
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
    fn symbol(
        &self,
        symbol: Symbol,
        offset: i64,
        text: &ast::Operand,
        allowed: impl Fn(StateSpace) -> bool,
    ) -> Res<Operand> {
        let at = match symbol {
            Symbol::Variable(v) => self.symbols.iter().position(|s| *s == v),
            Symbol::Function(_) => None,
        };
        let variable = at.filter(|i| allowed(self.vars[*i].space));
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

/// Operands as they are found.
struct Found<'a, 'm> {
    entry: &'a Entry<'m>,
    form: &'a Form,
    dsts: Vec<Dst>,
    ins: Vec<u32>,
    srcs: Vec<Operand>,
}

impl Found<'_, '_> {
    /// The condition code register.
    fn carry(&mut self, x: &Spec) {
        let cc = carry_register(&self.entry.regs);
        if x.dest {
            self.dsts.push(Dst::Reg(1, cc));
        } else {
            self.ins.push(1);
            self.srcs.push(Operand::Reg(cc));
        }
    }

    fn group(&mut self, g: &Group, x: &Written<'_>) -> Res<()> {
        match (g, x) {
            (Group::One(spec), x) => self.one(spec, x),
            (Group::Pair(a, b), (ast::Operand::Pair(s, t), module::Operand::Pair(p, q))) => {
                self.one(a, &(s, p))?;
                self.one(b, &(t, q))
            }
            (Group::Pair(a, b), x) if b.optional => self.one(a, x),
            (Group::Vector(v), (ast::Operand::Vector(texts, _), module::Operand::Vector(all)))
                if v.len() == all.len() =>
            {
                for (spec, x) in v.iter().zip(texts.iter().zip(all)) {
                    self.one(spec, &x)?;
                }
                Ok(())
            }
            _ => refuse(Reason::OperandKind("a register"), x.0.span()),
        }
    }

    fn one(&mut self, spec: &Spec, x: &Written<'_>) -> Res<()> {
        if spec.dest {
            let d = self.dst(spec, x)?;
            self.dsts.push(d);
        } else {
            let v = self.src(spec, x)?;
            self.ins.push(spec.ty.bits);
            self.srcs.push(v);
        }
        Ok(())
    }

    /// Whether registers may be wider than their operands (ISA §9.4.1).
    fn wider(&self) -> bool {
        self.form.opcode.starts_with("cvt.")
    }

    fn dst(&self, spec: &Spec, x: &Written<'_>) -> Res<Dst> {
        let width = spec.ty.bits;
        if matches!(x.1, module::Operand::Sink) {
            return Ok(Dst::Sink(width));
        }
        match self.entry.reg(x)? {
            (w, n) if w == width => Ok(Dst::Reg(w, n)),
            (v, n) if self.wider() && v > width => Ok(Dst::Wide(width, v, n, spec.ty.signed)),
            (v, _) => refuse(Reason::Width(width, v), x.0.span()),
        }
    }

    fn src(&self, spec: &Spec, x: &Written<'_>) -> Res<Operand> {
        let width = spec.ty.bits;
        match x.1 {
            module::Operand::Not(inner) if spec.negatable => match **inner {
                module::Operand::Reg(r) => Ok(Operand::Compl(self.entry.number(r).1)),
                _ => refuse(Reason::OperandKind("a predicate"), x.0.span()),
            },
            module::Operand::Symbol(s, off) if self.form.opcode.starts_with("mov.") => {
                let fits = |space| width == 64 || width == 32 && space != StateSpace::Global;
                self.entry.symbol(*s, *off, x.0, fits)
            }
            module::Operand::Reg(_) => match self.entry.reg(x)? {
                (w, n) if w == width => Ok(Operand::Reg(n)),
                (v, n) if self.wider() && v > width => Ok(Operand::Other(v, n)),
                (v, _) => refuse(Reason::Width(width, v), x.0.span()),
            },
            _ => self.entry.value(x, width, spec.ty.name),
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
