//! What is in a module: for `ptxprove show`.

use super::error::Unsupported;
use super::translate::{line, prepare, translate_in};
use crate::isa;
use crate::text::ast::{
    Block, Decl, Function, FunctionKind, Instr, Item, Module, Statement, type_name,
};
use crate::text::span::Span;

/// A module in outline.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Summary {
    /// `.version`
    pub version: String,
    /// `.target`
    pub target: Vec<String>,
    /// The kernels with a body.
    pub entries: Vec<EntrySummary>,
    /// The names of device functions with a body.
    pub functions: Vec<String>,
    /// The names of module-level variables.
    pub variables: Vec<String>,
}

/// A kernel in outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntrySummary {
    /// Its name.
    pub name: String,
    /// Where its head stands.
    pub span: Span,
    /// Names and types of the parameters.
    pub params: Vec<(String, String)>,
    /// Declared registers: type and how many, in order of the first declaration of the type.
    pub registers: Vec<(String, u64)>,
    /// Its instructions, in order.
    pub instructions: Vec<InstrSummary>,
    /// The first construct that keeps the kernel out of the logic.
    pub unsupported: Option<Unsupported>,
}

/// An instruction in outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstrSummary {
    /// Its opcode.
    pub opcode: String,
    /// Where it stands.
    pub span: Span,
    /// The shape of its meaning (a constructor of `Ptx.Instr`), or why it has none.
    pub status: Result<&'static str, Unsupported>,
}

impl EntrySummary {
    /// How many instructions have a meaning.
    pub fn supported(&self) -> usize {
        self.instructions
            .iter()
            .filter(|i| i.status.is_ok())
            .count()
    }
}

/// The outline of a module.
pub fn summary(m: &Module) -> Summary {
    let mut s = Summary::default();
    for item in &m.items {
        match item {
            Item::Version(w) => s.version = w.text.clone(),
            Item::Target(ws) => s.target.extend(ws.iter().map(|w| w.text.clone())),
            Item::Variable(d) => s
                .variables
                .extend(d.vars.iter().map(|v| v.name.text.clone())),
            Item::Function(f) if f.body.is_some() => match f.kind {
                FunctionKind::Entry => s.entries.push(entry(m, f)),
                FunctionKind::Func => s.functions.push(f.name.text.clone()),
            },
            _ => {}
        }
    }
    s
}

fn entry(m: &Module, f: &Function) -> EntrySummary {
    let name = |p: &crate::text::ast::Param| {
        (
            p.var.name.text.clone(),
            type_name(&p.attrs).unwrap_or_default().to_owned(),
        )
    };
    let mut walk = Walk::default();
    if let Some(b) = &f.body {
        walk.block(b);
    }
    let names = prepare(f);
    let status = |i: &Instr| match &names {
        Ok(p) => line(&p.names, i).map(|_| shape(i)),
        // Something else keeps the kernel out: then the opcode table alone decides.
        Err(_) => match shape(i) {
            "" => Err(Unsupported {
                reason: super::error::Reason::Opcode(i.opcode.text.clone()),
                span: i.opcode.span,
            }),
            shape => Ok(shape),
        },
    };
    let instruction = |i: &&Instr| InstrSummary {
        opcode: i.opcode.text.clone(),
        span: i.span,
        status: status(i),
    };
    EntrySummary {
        name: f.name.text.clone(),
        span: f.head,
        params: f.params.iter().flatten().map(name).collect(),
        registers: walk.registers,
        instructions: walk.instrs.iter().map(instruction).collect(),
        unsupported: translate_in(m, f).err(),
    }
}

/// The shape of an opcode's row; `""` if it has none that the logic knows.
fn shape(i: &Instr) -> &'static str {
    let opcode = &i.opcode.text;
    if opcode == "mov.u32" && super::translate::special(i).is_some() {
        return "sreg";
    }
    let forms = isa::forms_of(opcode);
    let carried = |f: &&isa::Form| super::translate::carried(f, opcode);
    forms.iter().find(carried).map_or("", |f| f.shape())
}

#[derive(Default)]
struct Walk<'m> {
    instrs: Vec<&'m Instr>,
    registers: Vec<(String, u64)>,
}

impl<'m> Walk<'m> {
    /// Scopes nest at most as deep as the lexer allows.
    fn block(&mut self, b: &'m Block) {
        for s in &b.statements {
            match s {
                Statement::Instr(i) => self.instrs.push(i),
                Statement::Block(b) => self.block(b),
                Statement::Decl(d) => self.decl(d),
                _ => {}
            }
        }
    }

    fn decl(&mut self, d: &Decl) {
        let Some(ty) = type_name(&d.attrs) else {
            return;
        };
        if crate::text::ast::space(&d.attrs) != Some("reg") {
            return;
        }
        for v in &d.vars {
            let n = v.range.as_ref().map_or(1, |r| r.value);
            match self.registers.iter_mut().find(|(t, _)| t == ty) {
                Some((_, total)) => *total = total.saturating_add(n),
                None => self.registers.push((ty.to_owned(), n)),
            }
        }
    }
}
