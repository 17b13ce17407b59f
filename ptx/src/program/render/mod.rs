//! A kernel's data as PTX text, in the canonical layout: its declarations and scopes; [`instr`] has the instructions.
//!
//! No two kernels with different meanings have the same text: names must be identifiers, and a register, variable, parameter or
//! label must be the only one that its name can mean where it stands.

mod instr;

use super::data::*;
use super::error::Malformed;
use super::translate::{Numbers, carry_register};
use crate::module::scope::{Local, Scopes};
use crate::module::{LabelId, RegisterDecl, VarId};
use crate::text::span::Span;

type Res<T> = Result<T, Malformed>;

fn malformed<T>(wanted: &'static str) -> Res<T> {
    Err(Malformed { wanted })
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

/// The text of a kernel: the variables that it names outside, the functions that it calls, the entry.
///
/// Errors: a register, variable, parameter or label number that the kernel does not have, and names that do not tell them
/// apart.
pub fn render_kernel(k: &Kernel) -> Res<String> {
    let mut inner = k.outer;
    for f in &k.funcs {
        inner = inner.saturating_add(f.vars);
    }
    if inner > k.vars.len() {
        return malformed("as many variables as are declared");
    }
    let mut at = k.outer + (k.vars.len() - inner);
    let mut out = String::new();
    for v in &k.vars[..k.outer] {
        out.push_str(&format!("{};\n", variable(v)?));
    }
    for f in &k.funcs {
        let rets = slots(&f.rets);
        let rets = if rets.is_empty() {
            String::new()
        } else {
            format!("({rets}) ")
        };
        out.push_str(&format!(".func {rets}{}({})\n", f.name, slots(&f.params)));
        Unit {
            kernel: k,
            name: &f.name,
            params: &[],
            formals: [&f.rets, &f.params],
            regs: &f.regs,
            labels: &f.labels,
            body: &f.body,
            blocks: &f.blocks,
            vars: (at, at + f.vars),
        }
        .render(&mut out)?;
        at += f.vars;
    }
    let params: Vec<String> = (k.params.iter())
        .map(|p| format!(".param .{} {}", p.ty.name(), p.name))
        .collect();
    out.push_str(&format!(".entry {}({})\n", k.name, params.join(", ")));
    Unit {
        kernel: k,
        name: &k.name,
        params: &k.params,
        formals: [&[], &[]],
        regs: &k.regs,
        labels: &k.labels,
        body: &k.body,
        blocks: &k.blocks,
        vars: (k.outer, k.outer + (k.vars.len() - inner)),
    }
    .render(&mut out)?;
    Ok(out)
}

fn slots(all: &[Slot]) -> String {
    let all: Vec<String> = all.iter().map(slot).collect();
    all.join(", ")
}

fn count(n: Option<u64>) -> String {
    match n {
        None => String::new(),
        Some(0) => "[]".to_owned(),
        Some(n) => format!("[{n}]"),
    }
}

fn align(n: Option<u64>) -> String {
    n.map_or(String::new(), |a| format!(" .align {a}"))
}

fn slot(s: &Slot) -> String {
    let ty = s.ty.name();
    format!(
        ".param{} .{ty} {}{}",
        align(s.align),
        s.name,
        count(s.count)
    )
}

/// The declaration of a variable.
fn variable(v: &Var) -> Res<String> {
    if v.space == StateSpace::Generic {
        return malformed("a variable in a state space");
    }
    let external = if v.external { ".extern " } else { "" };
    let (space, ty) = (v.space.name(), v.ty.name());
    let (align, count) = (align(v.align), count(v.count));
    Ok(format!("{external}.{space}{align} .{ty} {}{count}", v.name))
}

fn registers(r: &RegDecl) -> String {
    let range = match r.ranged {
        true => format!("<{}>", r.count),
        false => String::new(),
    };
    format!(".reg .{} {}{range}", r.ty.name(), r.pre)
}

/// An entry or a function.
#[derive(Clone, Copy)]
struct Unit<'k> {
    kernel: &'k Kernel,
    name: &'k str,
    params: &'k [Param],
    /// Results and parameters of a function.
    formals: [&'k [Slot]; 2],
    regs: &'k [RegDecl],
    labels: &'k [(String, usize)],
    body: &'k [Line],
    blocks: &'k [Block],
    /// The variables that are declared in it.
    vars: (usize, usize),
}

/// What the names mean at a place of a unit.
struct Scope<'k> {
    unit: Unit<'k>,
    names: Scopes<'k>,
    /// All declarations of registers: those of the unit, then those of each block.
    regs: Vec<&'k RegDecl>,
    declared: Vec<RegisterDecl>,
    /// All variables of calls: the formal ones, then those of each block.
    slots: Vec<&'k Slot>,
    carry: u64,
    /// Whether a label has been written.
    written: Vec<bool>,
}

/// The ids of variables in the names: parameters, then variables, then variables of calls.
fn id(n: usize) -> Local {
    Local::Variable(VarId(n as u32))
}

impl<'k> Unit<'k> {
    fn render(self, out: &mut String) -> Res<()> {
        let mut s = self.scope()?;
        let mut open: Vec<&Block> = Vec::new();
        let mut next = self.blocks.iter().enumerate().peekable();
        out.push_str("{\n");
        for r in self.regs {
            put(out, 1, &format!("{};", registers(r)));
        }
        for v in &self.kernel.vars[self.vars.0..self.vars.1] {
            put(out, 1, &format!("{};", variable(v)?));
        }
        for i in 0..=self.body.len() {
            while let Some(b) = open.pop_if(|b| b.last == i) {
                s.labels(&b.labels, i, open.len() + 2, out);
                put(out, open.len() + 1, "}");
                s.names.leave();
            }
            match open.last() {
                Some(b) => s.labels(&b.labels, i, open.len() + 1, out),
                None => s.labels(&s.outermost(), i, 1, out),
            }
            while let Some((at, b)) = next.next_if(|(_, b)| b.first == i) {
                let end = open.last().map_or(self.body.len(), |b| b.last);
                if b.last <= i || b.last > end {
                    return malformed("scopes one within the other, with something in them");
                }
                put(out, open.len() + 1, "{");
                open.push(b);
                s.enter(at, b)?;
                for r in &b.regs {
                    put(out, open.len() + 1, &format!("{};", registers(r)));
                }
                for x in &b.slots {
                    put(out, open.len() + 1, &format!("{};", slot(x)));
                }
                s.labels(&b.labels, i, open.len() + 1, out);
            }
            if let Some(line) = self.body.get(i) {
                put(out, open.len() + 1, &format!("{};", s.line(line)?));
            }
        }
        if next.next().is_some() || !open.is_empty() || s.written.contains(&false) {
            return malformed("a label or scope inside the body");
        }
        out.push_str("}\n");
        Ok(())
    }

    /// The names outside of all blocks.
    fn scope(self) -> Res<Scope<'k>> {
        let k = self.kernel;
        let mut names = Scopes::default();
        let nowhere = Span::default();
        let declare =
            |names: &mut Scopes<'k>, name: &'k str, meaning, twice| match is_identifier(name) {
                false => malformed("identifiers as names"),
                true => (names.declare(name, meaning, nowhere)).or_else(|_| malformed(twice)),
            };
        let twice = "variables with different names";
        names.enter();
        if !is_identifier(self.name) {
            return malformed("identifiers as names");
        }
        let (first, n) = (k.params.len(), k.vars.len());
        for (i, v) in k.vars[..k.outer].iter().enumerate() {
            declare(&mut names, &v.name, id(first + i), twice)?;
        }
        names.enter();
        for (i, p) in self.params.iter().enumerate() {
            declare(
                &mut names,
                &p.name,
                id(i),
                "parameters with different names",
            )?;
        }
        let formals = self.formals.into_iter().flatten();
        for (i, f) in formals.clone().enumerate() {
            declare(
                &mut names,
                &f.name,
                id(first + n + i),
                "parameters with different names",
            )?;
        }
        for i in self.vars.0..self.vars.1 {
            declare(&mut names, &k.vars[i].name, id(first + i), twice)?;
        }
        let inner = self.blocks.iter().flat_map(|b| &b.regs);
        let regs: Vec<&RegDecl> = self.regs.iter().chain(inner).collect();
        let slots: Vec<&Slot> = formals
            .chain(self.blocks.iter().flat_map(|b| &b.slots))
            .collect();
        if !Numbers::are(regs.iter().copied(), slots.iter().copied()) {
            return malformed("register numbers in the order of the declarations");
        }
        let declared = regs.iter().map(|r| RegisterDecl {
            name: r.pre.clone(),
            ty: r.ty.name().to_owned(),
            bits: r.ty.bits(),
            count: r.ranged.then_some(r.count),
            depth: 0,
            span: nowhere,
        });
        let mut s = Scope {
            unit: self,
            names,
            declared: declared.collect(),
            regs,
            slots,
            carry: carry_register(self.regs, self.blocks),
            written: vec![false; self.labels.len()],
        };
        let labels = s.outermost();
        s.declare(0, self.regs, &labels)?;
        Ok(s)
    }
}

/// A line at a depth.
fn put(out: &mut String, depth: usize, line: &str) {
    out.push_str(&"    ".repeat(depth));
    out.push_str(line);
    out.push('\n');
}

impl<'k> Scope<'k> {
    /// The labels that no block has.
    fn outermost(&self) -> Vec<usize> {
        let inner = |i: &usize| self.unit.blocks.iter().any(|b| b.labels.contains(i));
        (0..self.unit.labels.len()).filter(|i| !inner(i)).collect()
    }

    /// Declares registers, the first of which is number `at` of all declarations, and labels.
    fn declare(&mut self, at: usize, regs: &'k [RegDecl], labels: &[usize]) -> Res<()> {
        let nowhere = Span::default();
        for (i, r) in (at..).zip(regs) {
            if !is_identifier(&r.pre) {
                return malformed("identifiers as names");
            }
            let outcome = match r.ranged {
                true => self.names.declare_range(&r.pre, i, nowhere),
                false => self.names.declare(&r.pre, Local::Register(i, 0), nowhere),
            };
            if outcome.is_err() {
                return malformed("registers with different names");
            }
        }
        for i in labels {
            let Some((label, _)) = self.unit.labels.get(*i) else {
                return malformed("the number of a label");
            };
            if !is_identifier(label) {
                return malformed("identifiers as names");
            }
            let meaning = Local::Label(LabelId(*i as u32));
            if self.names.declare(label, meaning, nowhere).is_err() {
                return malformed("labels with different names");
            }
        }
        Ok(())
    }

    /// Opens a block.
    fn enter(&mut self, at: usize, b: &'k Block) -> Res<()> {
        self.names.enter();
        let before = &self.unit.blocks[..at];
        let regs = self.unit.regs.len() + before.iter().map(|b| b.regs.len()).sum::<usize>();
        self.declare(regs, &b.regs, &b.labels)?;
        let formals: usize = self.unit.formals.iter().map(|f| f.len()).sum();
        let first = formals + before.iter().map(|b| b.slots.len()).sum::<usize>();
        for (i, x) in (first..).zip(&b.slots) {
            if !is_identifier(&x.name) {
                return malformed("identifiers as names");
            }
            let meaning = self.slot_id(i);
            if (self.names.declare(&x.name, meaning, Span::default())).is_err() {
                return malformed("variables with different names");
            }
        }
        Ok(())
    }

    fn slot_id(&self, i: usize) -> Local {
        id(self.unit.kernel.params.len() + self.unit.kernel.vars.len() + i)
    }

    /// Writes those of these labels that stand before line `at`.
    fn labels(&mut self, labels: &[usize], at: usize, depth: usize, out: &mut String) {
        for i in labels {
            if let (Some((name, place)), Some(written)) =
                (self.unit.labels.get(*i), self.written.get_mut(*i))
                && *place == at
                && !*written
            {
                *written = true;
                put(out, depth, &format!("{name}:"));
            }
        }
    }

    /// Whether a name means this and nothing else here.
    fn means(&self, name: &str, meaning: Local) -> bool {
        self.names.find(name, &self.declared, Span::default()) == Ok(Some(meaning))
    }

    /// The name of a register of this width, which means no other register.
    fn reg(&self, width: u32, number: u64) -> Res<String> {
        let holds = |r: &&RegDecl| {
            r.ty.bits() == width && number.checked_sub(r.first).is_some_and(|i| i < r.count)
        };
        let Some((at, r)) = self.regs.iter().enumerate().find(|(_, r)| holds(r)) else {
            return malformed("the number of a declared register");
        };
        let name = match r.ranged {
            true => format!("{}{}", r.pre, number - r.first),
            false => r.pre.clone(),
        };
        if !self.means(&name, Local::Register(at, number - r.first)) {
            return malformed("a register that its name tells from the others");
        }
        Ok(name)
    }

    /// The name of a variable in one of the spaces that are allowed here.
    fn symbol(&self, v: usize, allowed: impl Fn(StateSpace) -> bool) -> Res<String> {
        let k = self.unit.kernel;
        match k.vars.get(v) {
            Some(var) if allowed(var.space) => {
                match self.means(&var.name, id(k.params.len() + v)) {
                    true => Ok(var.name.clone()),
                    false => malformed("a variable that its name tells from the others"),
                }
            }
            _ => malformed("the number of a variable of the right space"),
        }
    }

    /// The variable of a call that is this register.
    fn slot(&self, r: Reg) -> Res<&'k Slot> {
        let is = |s: &&&Slot| s.width() == Some(r.width) && s.num == r.num;
        let Some((i, s)) = self.slots.iter().enumerate().find(|(_, s)| is(s)) else {
            return malformed("a variable of a call");
        };
        match self.means(&s.name, self.slot_id(i)) {
            true => Ok(s),
            false => malformed("a variable that its name tells from the others"),
        }
    }
}
