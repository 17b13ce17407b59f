//! A term of type `Ptx.Kernel` back to data: strictly the shape that [`super::to_term`] builds, nothing reduced.
//!
//! What it returns depends on the term alone, so text rendered from it says what the logic will reason about. Every
//! part of the term is looked at: widths and types that the data does not keep must be those that the rest implies.

use logic::{Expr, Node, Store};
use num_traits::ToPrimitive;

use super::data::*;
use super::error::Malformed;
use super::meaning::{atomic, constant_of, form_named};
use super::sync::is_sync;
use crate::isa::Form;

type Res<T> = Result<T, Malformed>;

fn malformed<T>(wanted: &'static str) -> Res<T> {
    Err(Malformed { wanted })
}

/// The data of a kernel term.
pub fn kernel_of_term(store: &Store<'_>, e: Expr) -> Res<Kernel> {
    Reader { store }.kernel(e)
}

struct Reader<'s, 'b> {
    store: &'s Store<'b>,
}

impl<'b> Reader<'_, 'b> {
    /// The constant at the head and its arguments.
    fn head(&self, e: Expr) -> Res<(String, Vec<Expr>)> {
        let (f, args) = self.store.unfold_app(e);
        match self.store.node(f) {
            Node::Const(n, _) => Ok((self.store.name_to_string(n), args)),
            _ => malformed("a constructor"),
        }
    }

    /// The arguments of this constant, exactly N.
    fn args<const N: usize>(
        &self,
        e: Expr,
        constant: &str,
        wanted: &'static str,
    ) -> Res<[Expr; N]> {
        match self.head(e)? {
            (name, args) if name == constant => args.try_into().or_else(|_| malformed(wanted)),
            _ => malformed(wanted),
        }
    }

    fn nat(&self, e: Expr) -> Res<u64> {
        match self.store.node(e) {
            Node::Nat(n) => n
                .to_u64()
                .map_or_else(|| malformed("a number below 2^64"), Ok),
            _ => malformed("a number"),
        }
    }

    fn width(&self, e: Expr) -> Res<u32> {
        u32::try_from(self.nat(e)?).or_else(|_| malformed("a width"))
    }

    fn index(&self, e: Expr) -> Res<usize> {
        usize::try_from(self.nat(e)?).or_else(|_| malformed("an index"))
    }

    fn string(&self, e: Expr) -> Res<String> {
        match self.store.node(e) {
            Node::Str(s) => Ok(s.to_owned()),
            _ => malformed("a string"),
        }
    }

    fn bool(&self, e: Expr) -> Res<bool> {
        match self.head(e)? {
            (name, args) if args.is_empty() && name == "Bool.true" => Ok(true),
            (name, args) if args.is_empty() && name == "Bool.false" => Ok(false),
            _ => malformed("`Bool.true` or `Bool.false`"),
        }
    }

    /// A constant without arguments below a namespace: `b32` for `Ptx.MemTy.b32`.
    fn constant(&self, e: Expr, namespace: &str, wanted: &'static str) -> Res<String> {
        let (name, args) = self.head(e)?;
        match name.strip_prefix(namespace) {
            Some(last) if args.is_empty() => Ok(last.to_owned()),
            _ => malformed(wanted),
        }
    }

    /// The elements of a list whose element type is `ty`.
    fn list(&self, mut e: Expr, ty: Expr) -> Res<Vec<Expr>> {
        let mut items = Vec::new();
        loop {
            let (name, args) = self.head(e)?;
            match (name.as_str(), &args[..]) {
                ("List.nil", [t]) if *t == ty => return Ok(items),
                ("List.cons", [t, head, tail]) if *t == ty => {
                    items.push(*head);
                    e = *tail;
                }
                _ => return malformed("a list"),
            }
        }
    }

    fn list_of<T>(&self, e: Expr, ty: &str, each: impl Fn(Expr) -> Res<T>) -> Res<Vec<T>> {
        self.list(e, self.store.const0(ty))?
            .into_iter()
            .map(each)
            .collect()
    }

    fn kernel(&self, e: Expr) -> Res<Kernel> {
        let [name, params, regs, labels, body, blocks, outer, vars, funcs] =
            self.args(e, "Ptx.Kernel.mk", "`Ptx.Kernel.mk`")?;
        Ok(Kernel {
            name: self.string(name)?,
            params: self.list_of(params, "Ptx.Param", |p| self.param(p))?,
            regs: self.regs(regs)?,
            labels: self.labels(labels)?,
            body: self.body(body)?,
            blocks: self.blocks(blocks)?,
            outer: self.index(outer)?,
            vars: self.list_of(vars, "Ptx.Var", |v| self.var(v))?,
            funcs: self.list_of(funcs, "Ptx.Func", |f| self.func(f))?,
        })
    }

    fn labels(&self, labels: Expr) -> Res<Vec<(String, usize)>> {
        let (string, nat) = (self.store.const0("String"), self.store.const0("Nat"));
        let zero = logic::Level::ZERO;
        let pair = self.store.apps(
            self.store.constant(self.store.name("Prod"), &[zero, zero]),
            &[string, nat],
        );
        let label = |e| {
            let [a, b, name, at] = self.args(e, "Prod.mk", "a label with its place")?;
            if (a, b) != (string, nat) {
                return malformed("a label with its place");
            }
            Ok((self.string(name)?, self.index(at)?))
        };
        self.list(labels, pair)?.into_iter().map(label).collect()
    }

    fn regs(&self, e: Expr) -> Res<Vec<RegDecl>> {
        self.list_of(e, "Ptx.RegDecl", |r| self.reg_decl(r))
    }

    fn body(&self, e: Expr) -> Res<Vec<Line>> {
        self.list_of(e, "Ptx.Line", |l| self.line(l))
    }

    fn slots(&self, e: Expr) -> Res<Vec<Slot>> {
        self.list_of(e, "Ptx.Slot", |s| {
            let [align, ty, name, count, num] = self.args(s, "Ptx.Slot.mk", "`Ptx.Slot.mk`")?;
            Ok(Slot {
                align: self.maybe_nat(align)?,
                ty: self.mem_ty(ty)?,
                name: self.string(name)?,
                count: self.maybe_nat(count)?,
                num: self.nat(num)?,
            })
        })
    }

    fn blocks(&self, e: Expr) -> Res<Vec<Block>> {
        self.list_of(e, "Ptx.Block", |b| {
            let [first, last, regs, slots, labels] =
                self.args(b, "Ptx.Block.mk", "`Ptx.Block.mk`")?;
            Ok(Block {
                first: self.index(first)?,
                last: self.index(last)?,
                regs: self.regs(regs)?,
                slots: self.slots(slots)?,
                labels: self.list_of(labels, "Nat", |l| self.index(l))?,
            })
        })
    }

    fn func(&self, e: Expr) -> Res<Func> {
        let [name, rets, params, regs, labels, body, blocks, vars] =
            self.args(e, "Ptx.Func.mk", "`Ptx.Func.mk`")?;
        Ok(Func {
            name: self.string(name)?,
            rets: self.slots(rets)?,
            params: self.slots(params)?,
            regs: self.regs(regs)?,
            labels: self.labels(labels)?,
            body: self.body(body)?,
            blocks: self.blocks(blocks)?,
            vars: self.index(vars)?,
        })
    }

    fn reg(&self, e: Expr) -> Res<Reg> {
        let [width, num] = self.args(e, "Ptx.Reg.mk", "`Ptx.Reg.mk`")?;
        Ok(Reg {
            width: self.width(width)?,
            num: self.nat(num)?,
        })
    }

    fn mem_ty(&self, e: Expr) -> Res<MemTy> {
        let name = self.constant(e, "Ptx.MemTy.", "a type in memory")?;
        MemTy::from_name(&name).map_or_else(|| malformed("a type in memory"), Ok)
    }

    fn space(&self, e: Expr) -> Res<StateSpace> {
        let name = self.constant(e, "Ptx.StateSpace.", "a state space")?;
        StateSpace::from_name(&name).map_or_else(|| malformed("a state space"), Ok)
    }

    /// `none` or `some n`.
    fn maybe_nat(&self, e: Expr) -> Res<Option<u64>> {
        let nat = self.store.const0("Nat");
        let (name, args) = self.head(e)?;
        match (name.as_str(), &args[..]) {
            ("Option.none", [t]) if *t == nat => Ok(None),
            ("Option.some", [t, n]) if *t == nat => Ok(Some(self.nat(*n)?)),
            _ => malformed("a number or none"),
        }
    }

    fn var(&self, e: Expr) -> Res<Var> {
        let [space, external, align, ty, name, count] =
            self.args(e, "Ptx.Var.mk", "`Ptx.Var.mk`")?;
        Ok(Var {
            space: self.space(space)?,
            external: self.bool(external)?,
            align: self.maybe_nat(align)?,
            ty: self.mem_ty(ty)?,
            name: self.string(name)?,
            count: self.maybe_nat(count)?,
        })
    }

    fn param(&self, e: Expr) -> Res<Param> {
        let [name, ty] = self.args(e, "Ptx.Param.mk", "`Ptx.Param.mk`")?;
        Ok(Param {
            name: self.string(name)?,
            ty: self.mem_ty(ty)?,
        })
    }

    fn reg_decl(&self, e: Expr) -> Res<RegDecl> {
        let [ty, pre, first, count, ranged] = self.args(e, "Ptx.RegDecl.mk", "`Ptx.RegDecl.mk`")?;
        let name = self.constant(ty, "Ptx.RegTy.", "a register type")?;
        Ok(RegDecl {
            ty: RegTy::from_name(&name).map_or_else(|| malformed("a register type"), Ok)?,
            pre: self.string(pre)?,
            first: self.nat(first)?,
            count: self.nat(count)?,
            ranged: self.bool(ranged)?,
        })
    }

    fn line(&self, e: Expr) -> Res<Line> {
        let [guard, instr] = self.args(e, "Ptx.Line.mk", "`Ptx.Line.mk`")?;
        let guard_ty = self.store.const0("Ptx.Guard");
        let (name, args) = self.head(guard)?;
        let guard = match (name.as_str(), &args[..]) {
            ("Option.none", [t]) if *t == guard_ty => None,
            ("Option.some", [t, g]) if *t == guard_ty => {
                let [pred, neg] = self.args(*g, "Ptx.Guard.mk", "`Ptx.Guard.mk`")?;
                Some(Guard {
                    pred: self.nat(pred)?,
                    neg: self.bool(neg)?,
                })
            }
            _ => return malformed("a guard or none"),
        };
        Ok(Line {
            guard,
            instr: self.instr(instr)?,
        })
    }

    fn lit(&self, e: Expr) -> Res<Lit> {
        let (name, args) = self.head(e)?;
        match (name.as_str(), &args[..]) {
            ("Ptx.Lit.int", [neg, n]) => Ok(Lit::Int(self.bool(*neg)?, self.nat(*n)?)),
            ("Ptx.Lit.f32", [bits]) => Ok(Lit::F32(self.width(*bits)?)),
            ("Ptx.Lit.f64", [bits]) => Ok(Lit::F64(self.nat(*bits)?)),
            _ => malformed("a literal"),
        }
    }

    fn operand(&self, e: Expr, width: u32) -> Res<Operand> {
        let (name, args) = self.head(e)?;
        match (name.as_str(), &args[..]) {
            ("Ptx.Operand.reg", [w, n]) if self.width(*w)? == width => {
                Ok(Operand::Reg(self.nat(*n)?))
            }
            ("Ptx.Operand.imm", [w, l]) if self.width(*w)? == width => {
                Ok(Operand::Imm(self.lit(*l)?))
            }
            ("Ptx.Operand.other", [w, v, n])
                if self.width(*w)? == width && self.width(*v)? != width =>
            {
                Ok(Operand::Other(self.width(*v)?, self.nat(*n)?))
            }
            ("Ptx.Operand.compl", [w, n]) if self.width(*w)? == width && width == 1 => {
                Ok(Operand::Compl(self.nat(*n)?))
            }
            ("Ptx.Operand.sym", [w, v, off]) if self.width(*w)? == width => {
                Ok(Operand::Sym(self.index(*v)?, self.nat(*off)?))
            }
            _ => malformed("an operand of the right width"),
        }
    }

    fn widths(&self, e: Expr) -> Res<Vec<u32>> {
        self.list_of(e, "Nat", |w| self.width(w))
    }

    fn operands(&self, mut e: Expr, ins: &[u32]) -> Res<Vec<Operand>> {
        let mut srcs = Vec::new();
        for (i, width) in ins.iter().enumerate() {
            let [w, ws, x, rest] = self.args(
                e,
                "Ptx.Operands.cons",
                "as many operands as the opcode takes",
            )?;
            if self.width(w)? != *width || self.widths(ws)? != ins[i + 1..] {
                return malformed("operands of the right widths");
            }
            srcs.push(self.operand(x, *width)?);
            e = rest;
        }
        let [] = self.args(
            e,
            "Ptx.Operands.nil",
            "no more operands than the opcode takes",
        )?;
        Ok(srcs)
    }

    fn access(&self, e: Expr) -> Res<Access> {
        let [space, nc, sem] = self.args(e, "Ptx.Access.mk", "`Ptx.Access.mk`")?;
        Ok(Access {
            space: self.space(space)?,
            nc: self.bool(nc)?,
            sem: self.sem(sem)?,
        })
    }

    fn sem(&self, e: Expr) -> Res<Sem> {
        let (name, args) = self.head(e)?;
        match (name.as_str(), &args[..]) {
            ("Ptx.Sem.weak", []) => Ok(Sem::Weak),
            ("Ptx.Sem.volatile", []) => Ok(Sem::Volatile),
            ("Ptx.Sem.strong", [acquire, release, scope]) => {
                let name = self.constant(*scope, "Ptx.Scope.", "a scope")?;
                let Some(scope) = SCOPES.into_iter().find(|s| *s == name) else {
                    return malformed("a scope");
                };
                Ok(Sem::Strong {
                    acquire: self.bool(*acquire)?,
                    release: self.bool(*release)?,
                    scope,
                })
            }
            _ => malformed("how strong an access is"),
        }
    }

    fn dst(&self, e: Expr) -> Res<Dst> {
        let (name, args) = self.head(e)?;
        match (name.as_str(), &args[..]) {
            ("Ptx.Dst.reg", [w, n]) => Ok(Dst::Reg(self.width(*w)?, self.nat(*n)?)),
            ("Ptx.Dst.wide", [w, v, n, signed]) => Ok(Dst::Wide(
                self.width(*w)?,
                self.width(*v)?,
                self.nat(*n)?,
                self.bool(*signed)?,
            )),
            ("Ptx.Dst.sink", [w]) => Ok(Dst::Sink(self.width(*w)?)),
            _ => malformed("where a result goes"),
        }
    }

    /// The form whose constant this meaning is; whether it takes the float operations, if it is a function of words.
    fn meaning(&self, constant: Expr, takes_floats: Option<bool>) -> Res<Form> {
        let name = self.constant(constant, "ptx.", "the meaning of an opcode")?;
        let means = |f: &Form| {
            f.signature().is_some() == takes_floats.is_some()
                && takes_floats.is_none_or(|floats| f.uses_floats() == floats)
        };
        form_named(&name)
            .filter(means)
            .map_or_else(|| malformed("the meaning of an opcode"), Ok)
    }

    /// A function of words: its form, its operand widths and that of its result, which must be those of the form.
    fn function(&self, ins: Expr, out: Expr, f: Expr) -> Res<(Form, Vec<u32>, u32)> {
        let (constant, takes_floats) = match self.store.node(f) {
            Node::Lam(_, ty, body, _) if ty == self.store.const0("FloatOps") => (body, false),
            _ => (f, true),
        };
        let form = self.meaning(constant, Some(takes_floats))?;
        let signature = (self.widths(ins)?, self.width(out)?);
        if form.signature().as_ref() != Some(&signature) {
            return malformed("the operand widths of the opcode");
        }
        Ok((form, signature.0, signature.1))
    }

    fn special(&self, e: Expr) -> Res<Special> {
        let wanted = "a special register";
        let (name, args) = self.head(e)?;
        let (Some(kind), [dim]) = (name.strip_prefix("Ptx.Special."), &args[..]) else {
            return malformed(wanted);
        };
        let dim = self.constant(*dim, "Ptx.Dim.", wanted)?;
        Special::from_names(kind, &dim).map_or_else(|| malformed(wanted), Ok)
    }

    fn instr(&self, e: Expr) -> Res<Instr> {
        let (name, args) = self.head(e)?;
        match (name.as_str(), &args[..]) {
            ("Ptx.Instr.alu", [ins, out, f, dst, srcs]) => {
                let (form, ins, out) = self.function(*ins, *out, *f)?;
                Ok(Instr::Alu {
                    name: constant_of(&form),
                    srcs: self.operands(*srcs, &ins)?,
                    ins,
                    out,
                    dst: self.nat(*dst)?,
                })
            }
            ("Ptx.Instr.alus", [ins, out, f, dsts, srcs]) => {
                let (form, ins, out) = self.function(*ins, *out, *f)?;
                Ok(Instr::Alus {
                    name: constant_of(&form),
                    srcs: self.operands(*srcs, &ins)?,
                    ins,
                    out,
                    dsts: self.list_of(*dsts, "Ptx.Dst", |d| self.dst(d))?,
                })
            }
            ("Ptx.Instr.atom", [access, w, ins, f, dst, srcs, base, off]) => {
                let form = self.meaning(*f, None)?;
                let ins = self.widths(*ins)?;
                let given = (self.width(*w)?, self.access(*access)?, ins.clone());
                if atomic(&form).as_ref() != Some(&given) {
                    return malformed("the access and the operand widths of the opcode");
                }
                Ok(Instr::Atom {
                    name: constant_of(&form),
                    access: given.1,
                    w: given.0,
                    srcs: self.operands(*srcs, &ins)?,
                    ins,
                    dst: self.dst(*dst)?,
                    base: self.operand(*base, 64)?,
                    off: self.lit(*off)?,
                })
            }
            ("Ptx.Instr.cvta", [back, space, dst, src]) => Ok(Instr::Cvta {
                back: self.bool(*back)?,
                space: self.space(*space)?,
                dst: self.nat(*dst)?,
                src: self.operand(*src, 64)?,
            }),
            ("Ptx.Instr.sync", [kind, ins, dsts, srcs]) => {
                let form = self.meaning(*kind, None)?;
                let ins = self.widths(*ins)?;
                if !is_sync(&form) {
                    return malformed("the meaning of an opcode");
                }
                Ok(Instr::Sync {
                    name: constant_of(&form),
                    srcs: self.operands(*srcs, &ins)?,
                    ins,
                    dsts: self.list_of(*dsts, "Ptx.Dst", |d| self.dst(d))?,
                })
            }
            ("Ptx.Instr.sreg", [dst, s]) => Ok(Instr::Sreg {
                dst: self.nat(*dst)?,
                special: self.special(*s)?,
            }),
            ("Ptx.Instr.ldParam", [ty, rw, dst, param, off]) => Ok(Instr::LdParam {
                ty: self.mem_ty(*ty)?,
                rw: self.width(*rw)?,
                dst: self.nat(*dst)?,
                param: self.index(*param)?,
                off: self.nat(*off)?,
            }),
            ("Ptx.Instr.ld", [access, ty, rw, dsts, base, off]) => Ok(Instr::Ld {
                access: self.access(*access)?,
                ty: self.mem_ty(*ty)?,
                rw: self.width(*rw)?,
                dsts: self.list_of(*dsts, "Nat", |d| self.nat(d))?,
                base: self.operand(*base, 64)?,
                off: self.lit(*off)?,
            }),
            ("Ptx.Instr.st", [access, ty, rw, srcs, base, off]) => {
                let width = self.width(*rw)?;
                let operand_ty = self.store.app(self.store.const0("Ptx.Operand"), *rw);
                let srcs = self.list(*srcs, operand_ty)?;
                Ok(Instr::St {
                    access: self.access(*access)?,
                    ty: self.mem_ty(*ty)?,
                    rw: width,
                    srcs: srcs
                        .into_iter()
                        .map(|x| self.operand(x, width))
                        .collect::<Res<_>>()?,
                    base: self.operand(*base, 64)?,
                    off: self.lit(*off)?,
                })
            }
            ("Ptx.Instr.getParam", [ty, rw, dst, slot, off]) => Ok(Instr::GetParam {
                ty: self.mem_ty(*ty)?,
                rw: self.width(*rw)?,
                dst: self.nat(*dst)?,
                slot: self.reg(*slot)?,
                off: self.nat(*off)?,
            }),
            ("Ptx.Instr.putParam", [ty, rw, src, slot, off]) => {
                let rw = self.width(*rw)?;
                Ok(Instr::PutParam {
                    ty: self.mem_ty(*ty)?,
                    rw,
                    src: self.operand(*src, rw)?,
                    slot: self.reg(*slot)?,
                    off: self.nat(*off)?,
                })
            }
            ("Ptx.Instr.call", [f, args, outs]) => Ok(Instr::Call {
                f: self.index(*f)?,
                args: self.list_of(*args, "Ptx.Reg", |r| self.reg(r))?,
                outs: self.list_of(*outs, "Ptx.Reg", |r| self.reg(r))?,
            }),
            ("Ptx.Instr.bra", [target]) => Ok(Instr::Bra {
                target: self.index(*target)?,
            }),
            ("Ptx.Instr.ret", []) => Ok(Instr::Ret),
            ("Ptx.Instr.exit", []) => Ok(Instr::Exit),
            _ => malformed("an instruction"),
        }
    }
}
