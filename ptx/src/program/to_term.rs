//! A kernel's data as a term of type `Ptx.Kernel`, and the opcode table as definitions.

use std::collections::BTreeSet;

use logic::{BinderInfo, Expr, Level, Name, Store};

use super::data::*;
use super::sync::{is_sync, sync_kind};
use crate::alg::term::{TermAlg, TermWord, word_type};
use crate::isa::{self, Form};

/// A definition for the kernel to check: `name : ty := value`, without universe parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The constant's name.
    pub name: Name,
    /// Its type.
    pub ty: Expr,
    /// Its value.
    pub value: Expr,
}

/// The constant for an opcode: `ptx.add.s32`, one component a word, and `ptx.mov.b64.pack2` for a [variant](Form::variant).
pub fn opcode_name(store: &Store<'_>, opcode: &str) -> Name {
    opcode
        .split('.')
        .fold(store.name("ptx"), |n, word| store.name_str(n, word))
}

/// The table in the logic: for every opcode that is a function of words its meaning,
/// `ptx.add.s32 : Word 32 → Word 32 → Word 32`, or `ptx.add.f32 : FloatOps → Word 32 → Word 32 → Word 32`.
pub fn isa_declarations(store: &Store<'_>) -> Vec<Definition> {
    isa::alu_forms()
        .iter()
        .filter_map(|f| isa_declaration(store, f))
        .collect()
}

/// The form whose meaning is the constant `ptx.<name>`: of an opcode in the order of the table, `add.s32`, perhaps with the
/// name of a [variant](Form::variant), `mov.b64.pack2`.
pub(super) fn form_named(name: &str) -> Option<Form> {
    let find = |opcode: &str, variant: &str| {
        isa::forms_of(opcode).into_iter().find(|f| {
            let has_constant = f.signature().is_some() || is_sync(f);
            f.opcode == opcode && has_constant && variant_of(f) == variant
        })
    };
    let with_variant = || {
        let (opcode, variant) = name.rsplit_once('.')?;
        find(opcode, variant)
    };
    find(name, "").or_else(with_variant)
}

/// A barrier or an exchange has one constant, however many results are taken.
fn variant_of(form: &Form) -> String {
    let variant = form.variant().filter(|_| form.signature().is_some());
    variant.unwrap_or_default()
}

/// The name of the constant of a form, below `ptx`.
pub(super) fn constant_of(form: &Form) -> String {
    match variant_of(form) {
        v if v.is_empty() => form.opcode.clone(),
        v => format!("{}.{v}", form.opcode),
    }
}

/// The definition of the constant `ptx.<name>`, see [`form_named`].
pub fn meaning_named(store: &Store<'_>, name: &str) -> Option<Definition> {
    let form = form_named(name)?;
    isa_declaration(store, &form).or_else(|| {
        let kind = sync_kind(store, &form)?;
        Some(Definition {
            name: opcode_name(store, name),
            ty: store.const0("Ptx.SyncKind"),
            value: kind,
        })
    })
}

/// The meanings of the instructions of a kernel, each once.
pub fn kernel_meanings(store: &Store<'_>, k: &Kernel) -> Vec<Definition> {
    let names: BTreeSet<&str> = k
        .body
        .iter()
        .filter_map(|l| match &l.instr {
            Instr::Alu { name, .. } | Instr::Alus { name, .. } | Instr::Sync { name, .. } => {
                Some(name.as_str())
            }
            _ => None,
        })
        .collect();
    names
        .iter()
        .filter_map(|o| meaning_named(store, o))
        .collect()
}

fn isa_declaration(store: &Store<'_>, form: &Form) -> Option<Definition> {
    let (ins, out) = form.signature()?;
    let n = u32::try_from(ins.len()).ok()?;
    // Under `fun F a b …`; a meaning binds nothing itself, so the indices stay.
    let mut alg = TermAlg::new(store, store.bvar(n));
    let args: Vec<TermWord> = ins
        .iter()
        .zip((0..n).rev())
        .map(|(w, i)| TermWord {
            term: store.bvar(i),
            width: *w,
        })
        .collect();
    let mut value = form.apply(&mut alg, &args).ok()?.term;
    let mut ty = word_type(store, out);
    let letters = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for (w, x) in ins.iter().zip(letters).rev() {
        let (name, domain) = (store.name(x), word_type(store, *w));
        value = store.lam(name, domain, value, BinderInfo::Default);
        ty = store.pi(name, domain, ty, BinderInfo::Default);
    }
    if form.uses_floats() {
        let (name, domain) = (store.name("F"), store.const0("FloatOps"));
        value = store.lam(name, domain, value, BinderInfo::Default);
        ty = store.pi(name, domain, ty, BinderInfo::Default);
    }
    Some(Definition {
        name: opcode_name(store, &constant_of(form)),
        ty,
        value,
    })
}

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

    fn kernel(&self, k: &Kernel) -> Expr {
        let st = self.store;
        let (string, nat) = (st.const0("String"), st.const0("Nat"));
        let levels = [Level::ZERO, Level::ZERO];
        let pair_ty = st.apps(st.constant(st.name("Prod"), &levels), &[string, nat]);
        let pair = st.constant(st.name("Prod.mk"), &levels);
        let label = |(name, at): &(String, usize)| {
            st.apps(pair, &[string, nat, st.string(name), self.nat(*at as u64)])
        };
        self.call(
            "Ptx.Kernel.mk",
            &[
                st.string(&k.name),
                self.list_of(st.const0("Ptx.Param"), &k.params, |p| self.param(p)),
                self.list_of(st.const0("Ptx.RegDecl"), &k.regs, |r| self.reg_decl(r)),
                self.list_of(pair_ty, &k.labels, label),
                self.list_of(st.const0("Ptx.Line"), &k.body, |l| self.line(l)),
                self.list(st.const0("Ptx.Block"), &[]),
                self.nat(k.outer as u64),
                self.list_of(st.const0("Ptx.Var"), &k.vars, |v| self.var(v)),
                self.list(st.const0("Ptx.Func"), &[]),
            ],
        )
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
            Instr::Bra { target } => self.call("Ptx.Instr.bra", &[self.nat(*target as u64)]),
            Instr::Ret => self.store.const0("Ptx.Instr.ret"),
            Instr::Exit => self.store.const0("Ptx.Instr.exit"),
        }
    }
}
