//! A kernel's data as a term of type `Ptx.Kernel`.

use logic::{BinderInfo, Expr, Level, Store};

use super::data::*;
use super::meaning::{form_named, opcode_name};

/// The term of a kernel.
pub fn kernel_term(store: &Store<'_>, k: &Kernel) -> Expr {
    Builder { store }.kernel(k)
}

struct Builder<'s, 'b> {
    store: &'s Store<'b>,
}

impl Builder<'_, '_> {
    fn call(&self, constant: &str, args: &[Expr]) -> Expr {
        self.store.apps(self.store.const0(constant), args)
    }

    fn nat(&self, n: u64) -> Expr {
        self.store.nat_u64(n)
    }

    fn bool(&self, b: bool) -> Expr {
        self.store
            .const0(if b { "Bool.true" } else { "Bool.false" })
    }

    /// A list over a type in `Type`.
    fn list(&self, ty: Expr, items: &[Expr]) -> Expr {
        let constant = |name: &str| self.store.constant(self.store.name(name), &[Level::ZERO]);
        let nil = self.store.app(constant("List.nil"), ty);
        items.iter().rev().fold(nil, |tail, head| {
            self.store.apps(constant("List.cons"), &[ty, *head, tail])
        })
    }

    fn list_of<T>(&self, ty: Expr, items: &[T], each: impl Fn(&T) -> Expr) -> Expr {
        let items: Vec<Expr> = items.iter().map(each).collect();
        self.list(ty, &items)
    }

    fn nats(&self, items: impl IntoIterator<Item = u64>) -> Expr {
        let items: Vec<Expr> = items.into_iter().map(|n| self.nat(n)).collect();
        self.list(self.store.const0("Nat"), &items)
    }

    fn labels(&self, labels: &[(String, usize)]) -> Expr {
        let st = self.store;
        let (string, nat) = (st.const0("String"), st.const0("Nat"));
        let levels = [Level::ZERO, Level::ZERO];
        let pair_ty = st.apps(st.constant(st.name("Prod"), &levels), &[string, nat]);
        let pair = st.constant(st.name("Prod.mk"), &levels);
        self.list_of(pair_ty, labels, |(name, at)| {
            st.apps(pair, &[string, nat, st.string(name), self.nat(*at as u64)])
        })
    }

    fn regs(&self, regs: &[RegDecl]) -> Expr {
        self.list_of(self.store.const0("Ptx.RegDecl"), regs, |r| self.reg_decl(r))
    }

    fn body(&self, body: &[Line]) -> Expr {
        self.list_of(self.store.const0("Ptx.Line"), body, |l| self.line(l))
    }

    fn slots(&self, slots: &[Slot]) -> Expr {
        self.list_of(self.store.const0("Ptx.Slot"), slots, |s| {
            self.call(
                "Ptx.Slot.mk",
                &[
                    self.maybe_nat(s.align),
                    self.mem_ty(s.ty),
                    self.store.string(&s.name),
                    self.maybe_nat(s.count),
                    self.nat(s.num),
                ],
            )
        })
    }

    fn blocks(&self, blocks: &[Block]) -> Expr {
        self.list_of(self.store.const0("Ptx.Block"), blocks, |b| {
            self.call(
                "Ptx.Block.mk",
                &[
                    self.nat(b.first as u64),
                    self.nat(b.last as u64),
                    self.regs(&b.regs),
                    self.slots(&b.slots),
                    self.nats(b.labels.iter().map(|l| *l as u64)),
                ],
            )
        })
    }

    fn func(&self, f: &Func) -> Expr {
        self.call(
            "Ptx.Func.mk",
            &[
                self.store.string(&f.name),
                self.slots(&f.rets),
                self.slots(&f.params),
                self.regs(&f.regs),
                self.labels(&f.labels),
                self.body(&f.body),
                self.blocks(&f.blocks),
                self.nat(f.vars as u64),
            ],
        )
    }

    fn kernel(&self, k: &Kernel) -> Expr {
        let st = self.store;
        self.call(
            "Ptx.Kernel.mk",
            &[
                st.string(&k.name),
                self.list_of(st.const0("Ptx.Param"), &k.params, |p| self.param(p)),
                self.regs(&k.regs),
                self.labels(&k.labels),
                self.body(&k.body),
                self.blocks(&k.blocks),
                self.nat(k.outer as u64),
                self.list_of(st.const0("Ptx.Var"), &k.vars, |v| self.var(v)),
                self.list_of(st.const0("Ptx.Func"), &k.funcs, |f| self.func(f)),
            ],
        )
    }

    fn reg(&self, r: Reg) -> Expr {
        self.call("Ptx.Reg.mk", &[self.width(r.width), self.nat(r.num)])
    }

    fn reg_list(&self, all: &[Reg]) -> Expr {
        self.list_of(self.store.const0("Ptx.Reg"), all, |r| self.reg(*r))
    }

    fn mem_ty(&self, ty: MemTy) -> Expr {
        self.store.const0(&format!("Ptx.MemTy.{}", ty.name()))
    }

    fn param(&self, p: &Param) -> Expr {
        self.call(
            "Ptx.Param.mk",
            &[self.store.string(&p.name), self.mem_ty(p.ty)],
        )
    }

    fn reg_decl(&self, r: &RegDecl) -> Expr {
        self.call(
            "Ptx.RegDecl.mk",
            &[
                self.store.const0(&format!("Ptx.RegTy.{}", r.ty.name())),
                self.store.string(&r.pre),
                self.nat(r.first),
                self.nat(r.count),
                self.bool(r.ranged),
            ],
        )
    }

    fn line(&self, l: &Line) -> Expr {
        let guard_ty = self.store.const0("Ptx.Guard");
        let constant = |name: &str| self.store.constant(self.store.name(name), &[Level::ZERO]);
        let guard = match l.guard {
            None => self.store.app(constant("Option.none"), guard_ty),
            Some(g) => {
                let g = self.call("Ptx.Guard.mk", &[self.nat(g.pred), self.bool(g.neg)]);
                self.store.apps(constant("Option.some"), &[guard_ty, g])
            }
        };
        self.call("Ptx.Line.mk", &[guard, self.instr(&l.instr)])
    }

    fn lit(&self, l: Lit) -> Expr {
        match l {
            Lit::Int(neg, n) => self.call("Ptx.Lit.int", &[self.bool(neg), self.nat(n)]),
            Lit::F32(bits) => self.call("Ptx.Lit.f32", &[self.nat(u64::from(bits))]),
            Lit::F64(bits) => self.call("Ptx.Lit.f64", &[self.nat(bits)]),
        }
    }

    fn operand(&self, width: u32, x: Operand) -> Expr {
        let w = self.nat(u64::from(width));
        match x {
            Operand::Reg(n) => self.call("Ptx.Operand.reg", &[w, self.nat(n)]),
            Operand::Imm(l) => self.call("Ptx.Operand.imm", &[w, self.lit(l)]),
            Operand::Other(v, n) => {
                self.call("Ptx.Operand.other", &[w, self.width(v), self.nat(n)])
            }
            Operand::Compl(n) => self.call("Ptx.Operand.compl", &[w, self.nat(n)]),
            Operand::Sym(v, off) => {
                self.call("Ptx.Operand.sym", &[w, self.nat(v as u64), self.nat(off)])
            }
        }
    }

    fn width(&self, w: u32) -> Expr {
        self.nat(u64::from(w))
    }

    fn dst(&self, d: Dst) -> Expr {
        match d {
            Dst::Reg(w, n) => self.call("Ptx.Dst.reg", &[self.width(w), self.nat(n)]),
            Dst::Wide(w, v, n, signed) => self.call(
                "Ptx.Dst.wide",
                &[self.width(w), self.width(v), self.nat(n), self.bool(signed)],
            ),
            Dst::Sink(w) => self.call("Ptx.Dst.sink", &[self.width(w)]),
        }
    }

    fn dsts(&self, dsts: &[Dst]) -> Expr {
        self.list_of(self.store.const0("Ptx.Dst"), dsts, |d| self.dst(*d))
    }

    fn space(&self, s: StateSpace) -> Expr {
        self.store.const0(&format!("Ptx.StateSpace.{}", s.name()))
    }

    /// `none` or `some n`.
    fn maybe_nat(&self, n: Option<u64>) -> Expr {
        let constant = |name: &str| self.store.constant(self.store.name(name), &[Level::ZERO]);
        let nat = self.store.const0("Nat");
        match n {
            None => self.store.app(constant("Option.none"), nat),
            Some(n) => self
                .store
                .apps(constant("Option.some"), &[nat, self.nat(n)]),
        }
    }

    fn var(&self, v: &Var) -> Expr {
        self.call(
            "Ptx.Var.mk",
            &[
                self.space(v.space),
                self.bool(v.external),
                self.maybe_nat(v.align),
                self.mem_ty(v.ty),
                self.store.string(&v.name),
                self.maybe_nat(v.count),
            ],
        )
    }

    fn sem(&self, s: Sem) -> Expr {
        match s {
            Sem::Weak => self.store.const0("Ptx.Sem.weak"),
            Sem::Volatile => self.store.const0("Ptx.Sem.volatile"),
            Sem::Strong {
                acquire,
                release,
                scope,
            } => self.call(
                "Ptx.Sem.strong",
                &[
                    self.bool(acquire),
                    self.bool(release),
                    self.store.const0(&format!("Ptx.Scope.{scope}")),
                ],
            ),
        }
    }

    fn widths(&self, ins: &[u32]) -> Expr {
        self.nats(ins.iter().map(|w| u64::from(*w)))
    }

    fn operands(&self, ins: &[u32], srcs: &[Operand]) -> Expr {
        let mut all = self.store.const0("Ptx.Operands.nil");
        for i in (0..ins.len().min(srcs.len())).rev() {
            let (w, ws) = (self.nat(u64::from(ins[i])), self.widths(&ins[i + 1..]));
            all = self.call(
                "Ptx.Operands.cons",
                &[w, ws, self.operand(ins[i], srcs[i]), all],
            );
        }
        all
    }

    fn access(&self, a: Access) -> Expr {
        self.call(
            "Ptx.Access.mk",
            &[self.space(a.space), self.bool(a.nc), self.sem(a.sem)],
        )
    }

    /// The constant of a name.
    fn named(&self, name: &str) -> Expr {
        self.store.constant(opcode_name(self.store, name), &[])
    }

    /// The meaning of this name as a function of the float operations.
    fn meaning(&self, name: &str) -> Expr {
        let constant = self.named(name);
        if form_named(name).is_some_and(|f| f.uses_floats()) {
            return constant;
        }
        self.store.lam(
            self.store.name("F"),
            self.store.const0("FloatOps"),
            constant,
            BinderInfo::Default,
        )
    }

    fn special(&self, s: Special) -> Expr {
        let (kind, dim) = s.names();
        self.call(
            &format!("Ptx.Special.{kind}"),
            &[self.store.const0(&format!("Ptx.Dim.{dim}"))],
        )
    }

    fn instr(&self, i: &Instr) -> Expr {
        let width = |w: &u32| self.nat(u64::from(*w));
        match i {
            Instr::Alu {
                name,
                ins,
                out,
                dst,
                srcs,
            } => self.call(
                "Ptx.Instr.alu",
                &[
                    self.widths(ins),
                    width(out),
                    self.meaning(name),
                    self.nat(*dst),
                    self.operands(ins, srcs),
                ],
            ),
            Instr::Alus {
                name,
                ins,
                out,
                dsts,
                srcs,
            } => self.call(
                "Ptx.Instr.alus",
                &[
                    self.widths(ins),
                    width(out),
                    self.meaning(name),
                    self.dsts(dsts),
                    self.operands(ins, srcs),
                ],
            ),
            Instr::Atom {
                name,
                access,
                w,
                ins,
                dst,
                srcs,
                base,
                off,
            } => self.call(
                "Ptx.Instr.atom",
                &[
                    self.access(*access),
                    width(w),
                    self.widths(ins),
                    self.named(name),
                    self.dst(*dst),
                    self.operands(ins, srcs),
                    self.operand(64, *base),
                    self.lit(*off),
                ],
            ),
            Instr::Cvta {
                back,
                space,
                dst,
                src,
            } => self.call(
                "Ptx.Instr.cvta",
                &[
                    self.bool(*back),
                    self.space(*space),
                    self.nat(*dst),
                    self.operand(64, *src),
                ],
            ),
            Instr::Sync {
                name,
                ins,
                dsts,
                srcs,
            } => self.call(
                "Ptx.Instr.sync",
                &[
                    self.named(name),
                    self.widths(ins),
                    self.dsts(dsts),
                    self.operands(ins, srcs),
                ],
            ),
            Instr::Sreg { dst, special } => {
                self.call("Ptx.Instr.sreg", &[self.nat(*dst), self.special(*special)])
            }
            Instr::LdParam {
                ty,
                rw,
                dst,
                param,
                off,
            } => self.call(
                "Ptx.Instr.ldParam",
                &[
                    self.mem_ty(*ty),
                    width(rw),
                    self.nat(*dst),
                    self.nat(*param as u64),
                    self.nat(*off),
                ],
            ),
            Instr::Ld {
                access,
                ty,
                rw,
                dsts,
                base,
                off,
            } => self.call(
                "Ptx.Instr.ld",
                &[
                    self.access(*access),
                    self.mem_ty(*ty),
                    width(rw),
                    self.nats(dsts.iter().copied()),
                    self.operand(64, *base),
                    self.lit(*off),
                ],
            ),
            Instr::St {
                access,
                ty,
                rw,
                srcs,
                base,
                off,
            } => {
                let operand_ty = self.call("Ptx.Operand", &[width(rw)]);
                self.call(
                    "Ptx.Instr.st",
                    &[
                        self.access(*access),
                        self.mem_ty(*ty),
                        width(rw),
                        self.list_of(operand_ty, srcs, |x| self.operand(*rw, *x)),
                        self.operand(64, *base),
                        self.lit(*off),
                    ],
                )
            }
            Instr::GetParam {
                ty,
                rw,
                dst,
                slot,
                off,
            } => self.call(
                "Ptx.Instr.getParam",
                &[
                    self.mem_ty(*ty),
                    width(rw),
                    self.nat(*dst),
                    self.reg(*slot),
                    self.nat(*off),
                ],
            ),
            Instr::PutParam {
                ty,
                rw,
                src,
                slot,
                off,
            } => self.call(
                "Ptx.Instr.putParam",
                &[
                    self.mem_ty(*ty),
                    width(rw),
                    self.operand(*rw, *src),
                    self.reg(*slot),
                    self.nat(*off),
                ],
            ),
            Instr::Call { f, args, outs } => self.call(
                "Ptx.Instr.call",
                &[
                    self.nat(*f as u64),
                    self.reg_list(args),
                    self.reg_list(outs),
                ],
            ),
            Instr::Bra { target } => self.call("Ptx.Instr.bra", &[self.nat(*target as u64)]),
            Instr::Ret => self.store.const0("Ptx.Instr.ret"),
            Instr::Exit => self.store.const0("Ptx.Instr.exit"),
        }
    }
}
