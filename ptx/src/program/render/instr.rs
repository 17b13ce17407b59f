//! Instructions as text.

use std::fmt::Write;

use super::{Res, Scope, malformed};
use crate::isa::{Group, Spec};
use crate::module::LabelId;
use crate::module::scope::Local;
use crate::program::data::*;
use crate::program::meaning::form_named;
use crate::text::span::Span;

impl Scope<'_> {
    pub(super) fn line(&self, line: &Line) -> Res<String> {
        let s = self;
        let mut out = String::new();
        if let Some(g) = line.guard {
            let _ = write!(
                out,
                "@{}{} ",
                if g.neg { "!" } else { "" },
                s.reg(1, g.pred)?
            );
        }
        out.push_str(&s.instr(&line.instr)?);
        Ok(out)
    }

    fn instr(&self, i: &Instr) -> Res<String> {
        let s = self;
        Ok(match i {
            Instr::Alu {
                name,
                ins,
                out,
                dst,
                srcs,
            } => meant(s, name, ins, &[Dst::Reg(*out, *dst)], srcs)?,
            Instr::Alus {
                name,
                ins,
                dsts,
                srcs,
                ..
            }
            | Instr::Sync {
                name,
                ins,
                dsts,
                srcs,
            } => meant(s, name, ins, dsts, srcs)?,
            Instr::Sreg { dst, special } => {
                let (kind, dim) = special.names();
                format!("mov.u32 {}, %{kind}.{dim}", s.reg(32, *dst)?)
            }
            Instr::LdParam {
                ty,
                rw,
                dst,
                param,
                off,
            } => {
                let Some(p) = s.unit.params.get(*param) else {
                    return malformed("the number of a parameter");
                };
                let a = address(&p.name, Lit::Int(false, *off));
                format!("ld.param.{} {}, {a}", ty.name(), s.reg(*rw, *dst)?)
            }
            Instr::Ld {
                access,
                ty,
                rw,
                dsts,
                base,
                off,
            } => {
                let all = dsts
                    .iter()
                    .map(|d| s.reg(*rw, *d))
                    .collect::<Res<Vec<_>>>()?;
                format!(
                    "ld{}{}.{} {}, {}",
                    modifiers(access)?,
                    vector_size(dsts.len())?,
                    ty.name(),
                    vector(&all),
                    based(s, access.space, *base, *off)?
                )
            }
            Instr::St {
                access,
                ty,
                rw,
                srcs,
                base,
                off,
            } => {
                if access.nc {
                    return malformed("a store without `.nc`");
                }
                if *rw != ty.bits() && !srcs.iter().any(|x| matches!(x, Operand::Reg(_))) {
                    return malformed("literals of the type that is stored");
                }
                let all = srcs
                    .iter()
                    .map(|x| plain(s, *rw, *x))
                    .collect::<Res<Vec<_>>>()?;
                format!(
                    "st{}{}.{} {}, {}",
                    modifiers(access)?,
                    vector_size(srcs.len())?,
                    ty.name(),
                    based(s, access.space, *base, *off)?,
                    vector(&all)
                )
            }
            Instr::Atom {
                name,
                access,
                w,
                dst,
                srcs,
                base,
                off,
                ..
            } => {
                let Some(form) = form_named(name) else {
                    return malformed("the meaning of an opcode");
                };
                let mut text = format!("{} ", form.opcode);
                match (form.shape(), dst) {
                    ("red", Dst::Sink(v)) if v == w => {}
                    ("atom", Dst::Sink(v)) if v == w => text.push_str("_, "),
                    ("atom", Dst::Reg(v, n)) if v == w => {
                        let _ = write!(text, "{}, ", s.reg(*v, *n)?);
                    }
                    _ => return malformed("a result of the right width"),
                }
                text.push_str(&based(s, access.space, *base, *off)?);
                for x in srcs {
                    let _ = write!(text, ", {}", plain(s, *w, *x)?);
                }
                text
            }
            Instr::Cvta {
                back,
                space,
                dst,
                src,
            } => {
                if !matches!(space, StateSpace::Shared | StateSpace::Local) {
                    return malformed("a space with a window");
                }
                let (to, space) = (if *back { "to." } else { "" }, space.name());
                let (dst, src) = (s.reg(64, *dst)?, plain(s, 64, *src)?);
                format!("cvta.{to}{space}.u64 {dst}, {src}")
            }
            Instr::GetParam {
                ty,
                rw,
                dst,
                slot,
                off,
            } => {
                let a = s.part(*slot, *ty, *off)?;
                format!("ld.param.{} {}, {a}", ty.name(), s.reg(*rw, *dst)?)
            }
            Instr::PutParam {
                ty,
                rw,
                src,
                slot,
                off,
            } => {
                if *rw != ty.bits() && !matches!(src, Operand::Reg(_)) {
                    return malformed("literals of the type that is stored");
                }
                let a = s.part(*slot, *ty, *off)?;
                format!("st.param.{} {a}, {}", ty.name(), plain(s, *rw, *src)?)
            }
            Instr::Call { f, args, outs } => {
                let Some(callee) = s.unit.kernel.funcs.get(*f) else {
                    return malformed("the number of a function");
                };
                let free = s.names.find(&callee.name, &s.declared, Span::default()) == Ok(None);
                let fits = |given: &[Reg], taken: &[Slot]| {
                    given.len() == taken.len()
                        && (given.iter().zip(taken)).all(|(g, t)| Some(g.width) == t.width())
                };
                if !free || !fits(args, &callee.params) || !fits(outs, &callee.rets) {
                    return malformed("a call with the parameters of the function");
                }
                let list = |all: &[Reg]| {
                    let names: Res<Vec<&str>> =
                        all.iter().map(|r| Ok(s.slot(*r)?.name.as_str())).collect();
                    Ok(format!("({})", names?.join(", ")))
                };
                let mut text = "call ".to_owned();
                if !outs.is_empty() {
                    text.push_str(&format!("{}, ", list(outs)?));
                }
                text.push_str(&callee.name);
                if !args.is_empty() {
                    text.push_str(&format!(", {}", list(args)?));
                }
                text
            }
            Instr::Bra { target } => match s.unit.labels.get(*target) {
                Some((name, _)) if s.means(name, Local::Label(LabelId(*target as u32))) => {
                    format!("bra {name}")
                }
                _ => return malformed("the number of a label"),
            },
            Instr::Ret => "ret".into(),
            Instr::Exit => "exit".into(),
        })
    }

    /// The address of so many bytes of a variable of a call.
    fn part(&self, slot: Reg, ty: MemTy, off: u64) -> Res<String> {
        let s = self.slot(slot)?;
        let end = off
            .checked_mul(8)
            .and_then(|o| o.checked_add(u64::from(ty.bits())));
        if end.is_none_or(|end| end > u64::from(slot.width)) {
            return malformed("bytes inside the variable of a call");
        }
        Ok(address(&s.name, Lit::Int(false, off)))
    }
}

/// What a constant means, with its operands: each stands where the form of the opcode says.
fn meant(s: &Scope<'_>, name: &str, ins: &[u32], dsts: &[Dst], srcs: &[Operand]) -> Res<String> {
    let Some(form) = form_named(name) else {
        return malformed("the meaning of an opcode");
    };
    let mut left = Left {
        scope: s,
        wider: form.opcode.starts_with("cvt."),
        symbols: form.opcode.starts_with("mov."),
        dsts,
        srcs,
        ins,
        spare: 0,
    };
    let mut needed = 0;
    for g in &form.operands {
        g.each(|x| needed += usize::from(!x.dest && !x.optional));
    }
    left.spare = srcs.len().saturating_sub(needed);
    let mut all = Vec::new();
    for g in &form.operands {
        match g {
            Group::One(x) if !x.dest && x.optional => {
                if left.spare > 0 {
                    left.spare -= 1;
                    all.push(left.one(x)?);
                }
            }
            Group::One(x) => all.push(left.one(x)?),
            Group::Pair(a, b) if b.optional && left.dsts.len() == 1 => all.push(left.one(a)?),
            Group::Pair(a, b) => all.push(format!("{}|{}", left.one(a)?, left.one(b)?)),
            Group::Vector(v) => {
                let items: Res<Vec<_>> = v.iter().map(|x| left.one(x)).collect();
                all.push(format!("{{{}}}", items?.join(", ")));
            }
            Group::Implicit(x) => left.carry(x)?,
            Group::Rest => return malformed("operands that are words"),
        }
    }
    if !left.dsts.is_empty() || !left.srcs.is_empty() {
        return malformed("no more operands than the opcode takes");
    }
    let space = if all.is_empty() { "" } else { " " };
    Ok(format!("{}{space}{}", form.opcode, all.join(", ")))
}

/// The operands of an instruction that have not been written yet.
struct Left<'a, 'k> {
    scope: &'a Scope<'k>,
    /// Whether registers may be wider than their operands (ISA §9.4.1).
    wider: bool,
    /// Whether an operand may be the address of a variable.
    symbols: bool,
    dsts: &'a [Dst],
    srcs: &'a [Operand],
    ins: &'a [u32],
    /// How many sources are there that might be left out.
    spare: usize,
}

impl Left<'_, '_> {
    fn dst(&mut self) -> Res<Dst> {
        let Some((d, rest)) = self.dsts.split_first() else {
            return malformed("as many results as the opcode has");
        };
        self.dsts = rest;
        Ok(*d)
    }

    fn src(&mut self) -> Res<(u32, Operand)> {
        let (Some((x, srcs)), Some((w, ins))) = (self.srcs.split_first(), self.ins.split_first())
        else {
            return malformed("as many operands as the opcode takes");
        };
        (self.srcs, self.ins) = (srcs, ins);
        Ok((*w, *x))
    }

    /// The next operand, which stands at this position.
    fn one(&mut self, x: &Spec) -> Res<String> {
        let s = self.scope;
        if x.dest {
            return match self.dst()? {
                d if d.width() != x.ty.bits => malformed("a result of the right width"),
                Dst::Reg(w, n) => s.reg(w, n),
                Dst::Wide(w, v, n, signed) if self.wider && v > w && signed == x.ty.signed => {
                    s.reg(v, n)
                }
                Dst::Wide(..) => malformed("a register of the width of the result"),
                Dst::Sink(_) => Ok("_".to_owned()),
            };
        }
        match self.src()? {
            (w, _) if w != x.ty.bits => malformed("an operand of the right width"),
            (w, Operand::Other(v, n)) if self.wider && v > w => s.reg(v, n),
            (_, Operand::Compl(n)) if x.negatable => Ok(format!("!{}", s.reg(1, n)?)),
            (w, Operand::Sym(v, off)) if self.symbols => {
                let name =
                    s.symbol(v, |space| w == 64 || w == 32 && space != StateSpace::Global)?;
                Ok(match off {
                    0 => name,
                    off => format!("{name}+{off}"),
                })
            }
            (w, other) => plain(s, w, other),
        }
    }

    /// The condition code register, which is not written.
    fn carry(&mut self, x: &Spec) -> Res<()> {
        let cc = self.scope.carry;
        let is = if x.dest {
            self.dst()? == Dst::Reg(1, cc)
        } else {
            self.src()? == (1, Operand::Reg(cc))
        };
        if is {
            Ok(())
        } else {
            malformed("the condition code register")
        }
    }
}

/// A register of this width or a literal.
fn plain(s: &Scope<'_>, width: u32, x: Operand) -> Res<String> {
    match x {
        Operand::Reg(n) => s.reg(width, n),
        Operand::Imm(l) => Ok(literal(l)),
        _ => malformed("a register or a literal"),
    }
}

/// `.acquire.gpu.global.nc` of an access.
fn modifiers(a: &Access) -> Res<String> {
    let sem = match a.sem {
        Sem::Weak => String::new(),
        Sem::Volatile => ".volatile".to_owned(),
        Sem::Strong {
            acquire,
            release,
            scope,
        } => match (acquire, release) {
            (false, false) => format!(".relaxed.{scope}"),
            (true, false) => format!(".acquire.{scope}"),
            (false, true) => format!(".release.{scope}"),
            (true, true) => return malformed("a load or store that is one of acquire and release"),
        },
    };
    if a.nc && (a.space, a.sem) != (StateSpace::Global, Sem::Weak) {
        return malformed("a weak load of global memory by `.nc`");
    }
    let space = match a.space {
        StateSpace::Generic => String::new(),
        space => format!(".{}", space.name()),
    };
    Ok(format!("{sem}{space}{}", if a.nc { ".nc" } else { "" }))
}

/// `[base+offset]` in a state space.
fn based(s: &Scope<'_>, space: StateSpace, base: Operand, off: Lit) -> Res<String> {
    let narrow = matches!(space, StateSpace::Shared | StateSpace::Local);
    match (base, off) {
        (Operand::Other(32, n), off) if narrow => Ok(address(&s.reg(32, n)?, off)),
        (Operand::Sym(v, at), Lit::Int(false, 0)) => {
            let name = s.symbol(v, |of| of == space)?;
            Ok(address(&name, Lit::Int(false, at)))
        }
        (base, off) => Ok(address(&plain(s, 64, base)?, off)),
    }
}

fn literal(l: Lit) -> String {
    match l {
        Lit::Int(neg, n) => format!("{}{n}", if neg { "-" } else { "" }),
        Lit::F32(bits) => format!("0f{bits:08X}"),
        Lit::F64(bits) => format!("0d{bits:016X}"),
    }
}

fn address(base: &str, off: Lit) -> String {
    match off {
        Lit::Int(_, 0) => format!("[{base}]"),
        off => format!("[{base}+{}]", literal(off)),
    }
}

fn vector_size(n: usize) -> Res<&'static str> {
    match n {
        1 => Ok(""),
        2 => Ok(".v2"),
        4 => Ok(".v4"),
        _ => malformed("one, two or four elements"),
    }
}

fn vector(all: &[String]) -> String {
    match all {
        [one] => one.clone(),
        all => format!("{{{}}}", all.join(", ")),
    }
}
