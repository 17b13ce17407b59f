//! A kernel's data as PTX text, in the canonical layout.
//!
//! No two kernels with different meanings have the same text: names must be identifiers, and a register, parameter or
//! label must be the only one that its name can mean.

use std::fmt::Write;

use super::data::*;
use super::error::Malformed;
use super::translate::numbered;
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
    let mut out = String::new();
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
            opcode,
            ins,
            out,
            dst,
            srcs,
        } => {
            let mut text = format!("{opcode} {}", reg(s, *out, *dst)?);
            for (w, x) in ins.iter().zip(srcs) {
                let _ = write!(text, ", {}", operand(s, *w, *x)?);
            }
            text
        }
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
            let nc = if access.nc { ".nc" } else { "" };
            let all = dsts
                .iter()
                .map(|d| reg(s, *rw, *d))
                .collect::<Res<Vec<_>>>()?;
            let a = address(&operand(s, 64, *base)?, *off);
            format!(
                "ld.global{nc}{}.{} {}, {a}",
                vector_size(dsts.len())?,
                ty.name(),
                vector(&all)
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
                .map(|x| operand(s, *rw, *x))
                .collect::<Res<Vec<_>>>()?;
            let a = address(&operand(s, 64, *base)?, *off);
            format!(
                "st.global{}.{} {a}, {}",
                vector_size(srcs.len())?,
                ty.name(),
                vector(&all)
            )
        }
        Instr::Bra { target } => match s.kernel.labels.get(*target) {
            Some((name, _)) => format!("bra {name}"),
            None => return malformed("the number of a label"),
        },
        Instr::Ret => "ret".into(),
        Instr::Exit => "exit".into(),
    })
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

fn operand(s: &Scope<'_>, width: u32, x: Operand) -> Res<String> {
    match x {
        Operand::Reg(n) => reg(s, width, n),
        Operand::Imm(l) => Ok(literal(l)),
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
