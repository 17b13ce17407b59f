//! A kernel's data as PTX text, in the canonical layout.
//!
//! No two kernels with different meanings have the same text: names must be identifiers, and a register, parameter or
//! label must be the only one that its name can mean.

use std::fmt::Write;

use super::data::*;
use super::error::Malformed;
use super::to_term::form_named;
use super::translate::{carry_register, numbered};
use crate::isa::{Group, Spec};
use crate::module::scope::{Local, Scopes};
use crate::module::{LabelId, RegisterDecl, VarId};
use crate::text::span::Span;

type Res<T> = Result<T, Malformed>;

fn malformed<T>(wanted: &'static str) -> Res<T> {
    Err(Malformed { wanted })
}

/// A kernel with what its names mean.
struct Scope<'k> {
    kernel: &'k Kernel,
    names: Scopes<'k>,
    declared: Vec<RegisterDecl>,
}

/// Whether this is an identifier (ISA §4.4).
fn is_identifier(s: &str) -> bool {
    let follow = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'$';
    match s.as_bytes() {
        [first, rest @ ..] if first.is_ascii_alphabetic() => rest.iter().all(|c| follow(*c)),
        [b'_' | b'$' | b'%', rest @ ..] => !rest.is_empty() && rest.iter().all(|c| follow(*c)),
        _ => false,
    }
}

/// The names of a kernel, each with one meaning.
fn scope(k: &Kernel) -> Res<Scope<'_>> {
    let mut names = Scopes::default();
    names.enter();
    let (nowhere, mut all) = (Span::default(), vec![k.name.as_str()]);
    if k.outer > k.vars.len() {
        return malformed("as many variables as are declared outside");
    }
    for (i, v) in k.vars.iter().enumerate() {
        if i == k.outer {
            names.enter();
        }
        all.push(&v.name);
        let meaning = Local::Variable(VarId((k.params.len() + i) as u32));
        if names.declare(&v.name, meaning, nowhere).is_err() {
            return malformed("variables with different names");
        }
    }
    if k.vars.len() == k.outer {
        names.enter();
    }
    for (i, p) in k.params.iter().enumerate() {
        all.push(&p.name);
        let meaning = Local::Variable(VarId(i as u32));
        if names.declare(&p.name, meaning, nowhere).is_err() {
            return malformed("parameters with different names");
        }
    }
    let mut declared = Vec::new();
    for (i, r) in k.regs.iter().enumerate() {
        all.push(&r.pre);
        let outcome = match r.ranged {
            true => names.declare_range(&r.pre, i, nowhere),
            false => names.declare(&r.pre, Local::Register(i, 0), nowhere),
        };
        if outcome.is_err() {
            return malformed("registers with different names");
        }
        declared.push(RegisterDecl {
            name: r.pre.clone(),
            ty: r.ty.name().to_owned(),
            bits: r.ty.bits(),
            count: r.ranged.then_some(r.count),
            depth: 0,
            span: nowhere,
        });
    }
    let again = k
        .regs
        .iter()
        .map(|r| (r.ty, r.pre.clone(), r.ranged.then_some(r.count)));
    if numbered(again).as_ref() != Some(&k.regs) {
        return malformed("register numbers in the order of the declarations");
    }
    for (i, (label, _)) in k.labels.iter().enumerate() {
        all.push(label);
        let meaning = Local::Label(LabelId(i as u32));
        if names.declare(label, meaning, nowhere).is_err() {
            return malformed("labels with different names");
        }
    }
    if all.iter().any(|n| !is_identifier(n)) {
        return malformed("identifiers as names");
    }
    Ok(Scope {
        kernel: k,
        names,
        declared,
    })
}

/// The text of a kernel.
///
/// Errors: a register, parameter or label number that the kernel does not have, and names that do not tell them apart.
pub fn render_kernel(k: &Kernel) -> Res<String> {
    let s = &scope(k)?;
    let (outer, inner) = k.vars.split_at(k.outer);
    let mut out = String::new();
    for v in outer {
        out.push_str(&format!("{};\n", variable(v)?));
    }
    let params: Vec<String> = k
        .params
        .iter()
        .map(|p| format!(".param .{} {}", p.ty.name(), p.name))
        .collect();
    let mut put = |s: String| out.push_str(&s);
    put(format!(".entry {}({})\n{{\n", k.name, params.join(", ")));
    for r in &k.regs {
        let range = if r.ranged {
            format!("<{}>", r.count)
        } else {
            String::new()
        };
        put(format!("    .reg .{} {}{range};\n", r.ty.name(), r.pre));
    }
    for v in inner {
        put(format!("    {};\n", variable(v)?));
    }
    for (i, line) in k.body.iter().enumerate() {
        for (name, _) in k.labels.iter().filter(|(_, at)| *at == i) {
            put(format!("    {name}:\n"));
        }
        put(format!("    {};\n", render_line(s, line)?));
    }
    for (name, at) in &k.labels {
        match at.cmp(&k.body.len()) {
            std::cmp::Ordering::Equal => put(format!("    {name}:\n")),
            std::cmp::Ordering::Greater => return malformed("a label inside the body"),
            std::cmp::Ordering::Less => {}
        }
    }
    put("}\n".into());
    Ok(out)
}

/// The declaration of a variable.
fn variable(v: &Var) -> Res<String> {
    if v.space == StateSpace::Generic {
        return malformed("a variable in a state space");
    }
    let external = if v.external { ".extern " } else { "" };
    let align = v.align.map_or(String::new(), |a| format!(" .align {a}"));
    let count = match v.count {
        None => String::new(),
        Some(0) => "[]".to_owned(),
        Some(n) => format!("[{n}]"),
    };
    let (space, ty) = (v.space.name(), v.ty.name());
    Ok(format!("{external}.{space}{align} .{ty} {}{count}", v.name))
}

fn render_line(s: &Scope<'_>, line: &Line) -> Res<String> {
    let mut out = String::new();
    if let Some(g) = line.guard {
        let _ = write!(
            out,
            "@{}{} ",
            if g.neg { "!" } else { "" },
            reg(s, 1, g.pred)?
        );
    }
    out.push_str(&render_instr(s, &line.instr)?);
    Ok(out)
}

fn render_instr(s: &Scope<'_>, i: &Instr) -> Res<String> {
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
            format!("mov.u32 {}, %{kind}.{dim}", reg(s, 32, *dst)?)
        }
        Instr::LdParam {
            ty,
            rw,
            dst,
            param,
            off,
        } => {
            let Some(p) = s.kernel.params.get(*param) else {
                return malformed("the number of a parameter");
            };
            let a = address(&p.name, Lit::Int(false, *off));
            format!("ld.param.{} {}, {a}", ty.name(), reg(s, *rw, *dst)?)
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
                .map(|d| reg(s, *rw, *d))
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
            let (dst, src) = (reg(s, 64, *dst)?, plain(s, 64, *src)?);
            format!("cvta.{to}{space}.u64 {dst}, {src}")
        }
        Instr::Bra { target } => match s.kernel.labels.get(*target) {
            Some((name, _)) => format!("bra {name}"),
            None => return malformed("the number of a label"),
        },
        Instr::Ret => "ret".into(),
        Instr::Exit => "exit".into(),
    })
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
                Dst::Reg(w, n) => reg(s, w, n),
                Dst::Wide(w, v, n, signed) if self.wider && v > w && signed == x.ty.signed => {
                    reg(s, v, n)
                }
                Dst::Wide(..) => malformed("a register of the width of the result"),
                Dst::Sink(_) => Ok("_".to_owned()),
            };
        }
        match self.src()? {
            (w, _) if w != x.ty.bits => malformed("an operand of the right width"),
            (w, Operand::Other(v, n)) if self.wider && v > w => reg(s, v, n),
            (_, Operand::Compl(n)) if x.negatable => Ok(format!("!{}", reg(s, 1, n)?)),
            (w, Operand::Sym(v, off)) if self.symbols => {
                let name = symbol(s, v, |space| {
                    w == 64 || w == 32 && space != StateSpace::Global
                })?;
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
        let cc = carry_register(&self.scope.kernel.regs);
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
        Operand::Reg(n) => reg(s, width, n),
        Operand::Imm(l) => Ok(literal(l)),
        _ => malformed("a register or a literal"),
    }
}

/// The name of a variable in one of the spaces that are allowed here.
fn symbol(s: &Scope<'_>, v: usize, allowed: impl Fn(StateSpace) -> bool) -> Res<String> {
    match s.kernel.vars.get(v) {
        Some(var) if allowed(var.space) => {
            let meant = Local::Variable(VarId((s.kernel.params.len() + v) as u32));
            if s.names.find(&var.name, &s.declared, Span::default()) != Ok(Some(meant)) {
                return malformed("a variable that its name tells from the others");
            }
            Ok(var.name.clone())
        }
        _ => malformed("the number of a variable of the right space"),
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
        (Operand::Other(32, n), off) if narrow => Ok(address(&reg(s, 32, n)?, off)),
        (Operand::Sym(v, at), Lit::Int(false, 0)) => {
            let name = symbol(s, v, |of| of == space)?;
            Ok(address(&name, Lit::Int(false, at)))
        }
        (base, off) => Ok(address(&plain(s, 64, base)?, off)),
    }
}

/// The name of a register of this width, which means no other register.
fn reg(s: &Scope<'_>, width: u32, number: u64) -> Res<String> {
    let holds = |r: &RegDecl| {
        r.ty.bits() == width && number.checked_sub(r.first).is_some_and(|i| i < r.count)
    };
    let regs = &s.kernel.regs;
    let Some((at, r)) = regs.iter().enumerate().find(|(_, r)| holds(r)) else {
        return malformed("the number of a declared register");
    };
    let name = if r.ranged {
        format!("{}{}", r.pre, number - r.first)
    } else {
        r.pre.clone()
    };
    let meant = Local::Register(at, number - r.first);
    if s.names.find(&name, &s.declared, Span::default()) != Ok(Some(meant)) {
        return malformed("a register that its name tells from the others");
    }
    Ok(name)
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
