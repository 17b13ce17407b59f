//! What is in a file, and what of it can be run and proved: for `ptxprove show`.

use std::collections::BTreeMap;

use crate::machine::{Device, Options, Outline, Site};
use crate::module::cfg::cfg;
use crate::module::uses::reachable;
use crate::module::{self, Formal, FuncId, Function, Module, Resolved, Space};
use crate::program::{Entry, Reason, Unsupported, carried, entry};
use crate::text::ast;
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
    /// Device functions with a body.
    pub functions: Vec<String>,
    /// Functions that another module or the system has.
    pub external: Vec<String>,
    /// Module-level variables.
    pub variables: Vec<VariableSummary>,
    /// What does not resolve.
    pub errors: Vec<module::Error>,
}

/// A variable in outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableSummary {
    /// Its name.
    pub name: String,
    /// Where it lives.
    pub space: Space,
    /// The type of its elements.
    pub element: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its alignment in bytes.
    pub align: u64,
    /// Whether its size comes with the launch.
    pub dynamic: bool,
}

/// A kernel in outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntrySummary {
    /// Its name.
    pub name: String,
    /// Where its head stands.
    pub span: Span,
    /// Its parameters.
    pub params: Vec<VariableSummary>,
    /// Declared registers: type and how many, in order of the first declaration of the type.
    pub registers: Vec<(String, u64)>,
    /// Its memory, and the instructions of it and of what it calls that the machine does not run; or why the machine has no
    /// room for it.
    pub outline: Result<Outline, String>,
    /// `.reqntid`
    pub required_block: Option<[u32; 3]>,
    /// `.maxntid`
    pub max_block: Option<[u32; 3]>,
    /// `.reqnctapercluster`
    pub required_cluster: Option<[u32; 3]>,
    /// Its loops, outer ones before those inside.
    pub loops: Vec<LoopSummary>,
    /// Jumps back into the middle of what would be a loop.
    pub irreducible: usize,
    /// The functions that it can call.
    pub calls: Vec<String>,
    /// Its opcodes, and how often each stands in the text, by name.
    pub opcodes: BTreeMap<String, usize>,
    /// Its instructions, in order.
    pub instructions: Vec<InstrSummary>,
    /// The first construct that keeps the kernel out of the logic.
    pub unsupported: Option<Unsupported>,
}

/// A loop in outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopSummary {
    /// The label before its first instruction.
    pub label: Option<String>,
    /// Its first instruction.
    pub span: Span,
    /// How many loops it is in, itself among them.
    pub depth: u32,
    /// How many instructions it has.
    pub instructions: usize,
}

/// An instruction in outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstrSummary {
    /// Its opcode.
    pub opcode: String,
    /// Where it stands.
    pub span: Span,
    /// Whether the opcode table knows it.
    pub known: bool,
    /// What kind of thing it does, if it has a meaning in the logic, or why it has none.
    pub status: Result<&'static str, Unsupported>,
}

impl EntrySummary {
    /// The instructions of it and of what it calls that the machine does not run, and why.
    pub fn refused(&self) -> &[(Site, String)] {
        self.outline.as_ref().map_or(&[], |o| &o.refused)
    }

    /// How many instructions have a meaning in the logic.
    pub fn supported(&self) -> usize {
        let meant = |i: &&InstrSummary| i.status.is_ok();
        self.instructions.iter().filter(meant).count()
    }
}

/// The outline of a module.
pub fn summary(m: &ast::Module) -> Summary {
    let resolved = Resolved::new(m);
    let module = &resolved.module;
    let device = Device::new(module, Options::default()).map_err(|e| e.to_string());
    let names = |wanted: fn(&Function) -> bool| {
        let all = module.functions.iter().filter(|f| wanted(f));
        all.map(|f| f.name.clone()).collect()
    };
    Summary {
        version: module.version.clone(),
        target: module.target.clone(),
        entries: m
            .entries()
            .filter_map(|f| entry_summary(&resolved, &device, f))
            .collect(),
        functions: names(|f| !f.is_entry && f.has_body),
        external: names(|f| !f.has_body),
        variables: module
            .variables
            .iter()
            .filter(|v| v.owner.is_none())
            .map(variable)
            .collect(),
        errors: resolved.errors.clone(),
    }
}

fn variable(v: &module::Variable) -> VariableSummary {
    VariableSummary {
        name: v.name.clone(),
        space: v.space,
        element: v.element.clone(),
        bytes: v.bytes,
        align: v.align,
        dynamic: v.dynamic,
    }
}

fn entry_summary(
    resolved: &Resolved<'_>,
    device: &Result<Device<'_>, String>,
    text: &ast::Function,
) -> Option<EntrySummary> {
    let m = &resolved.module;
    let same = |f: &Function| f.span == text.head && f.name == text.name.text;
    let index = m.functions.iter().position(same)?;
    let (f, id) = (&m.functions[index], FuncId(index as u32));
    let outline = match device {
        Ok(d) => d.outline(id).map_err(|e| e.to_string()),
        Err(e) => Err(e.clone()),
    };
    let called = reachable(m, id);
    let called = called.iter().filter(|g| **g != id);
    let (instructions, unsupported) = instructions(resolved, text, f);
    let mut opcodes = BTreeMap::new();
    for i in &f.code {
        *opcodes.entry(i.opcode.clone()).or_default() += 1;
    }
    let (loops, irreducible) = loops(f);
    Some(EntrySummary {
        name: f.name.clone(),
        span: f.span,
        params: f.params.iter().filter_map(|p| param(m, p)).collect(),
        registers: registers(f),
        outline,
        required_block: f.required_block,
        max_block: f.max_block,
        required_cluster: f.required_cluster,
        loops,
        irreducible,
        calls: called
            .filter_map(|g| m.functions.get(g.index()))
            .map(|g| g.name.clone())
            .collect(),
        opcodes,
        instructions,
        unsupported,
    })
}

fn param(m: &Module, p: &Formal) -> Option<VariableSummary> {
    match p {
        Formal::Param(v) => m.variables.get(v.index()).map(variable),
        Formal::Reg(_) => None,
    }
}

fn registers(f: &Function) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = Vec::new();
    for d in &f.declarations {
        let n = d.count.unwrap_or(1);
        match all.iter_mut().find(|(ty, _)| *ty == d.ty) {
            Some((_, total)) => *total = total.saturating_add(n),
            None => all.push((d.ty.clone(), n)),
        }
    }
    all
}

fn loops(f: &Function) -> (Vec<LoopSummary>, usize) {
    let g = cfg(f);
    let one = |l: &module::cfg::Loop| {
        let first = g.blocks[l.header].first;
        LoopSummary {
            label: f
                .labels
                .iter()
                .find(|x| x.at == first)
                .map(|x| x.name.clone()),
            span: f.code[first].span,
            depth: l.depth,
            instructions: l
                .blocks
                .iter()
                .map(|b| g.blocks[*b].end - g.blocks[*b].first)
                .sum(),
        }
    };
    (g.loops.iter().map(one).collect(), g.irreducible.len())
}

/// Each instruction with its meaning in the logic, and what keeps the kernel out of it.
fn instructions(
    resolved: &Resolved<'_>,
    text: &ast::Function,
    f: &Function,
) -> (Vec<InstrSummary>, Option<Unsupported>) {
    let outline = |i: &module::Instr, status| InstrSummary {
        opcode: i.opcode.clone(),
        span: i.span,
        known: i.form.is_some(),
        status,
    };
    match entry(resolved, text) {
        Ok(e) => {
            let all = meanings(&e);
            let first = all.iter().find_map(|(_, s)| s.clone().err());
            (all.into_iter().map(|(i, s)| outline(i, s)).collect(), first)
        }
        // Something else keeps the kernel out: then the opcode table alone decides.
        Err(first) => {
            let all = f.code.iter().map(|i| outline(i, by_form(i)));
            (all.collect(), Some(first))
        }
    }
}

fn meanings<'m>(e: &Entry<'m>) -> Vec<(&'m module::Instr, Result<&'static str, Unsupported>)> {
    let status = |(text, i): (&'m ast::Instr, &'m module::Instr)| {
        let shape = i.form.as_ref().map_or("", |f| f.shape());
        (i, e.line(text, i).map(|_| shape))
    };
    e.instructions().map(status).collect()
}

fn by_form(i: &module::Instr) -> Result<&'static str, Unsupported> {
    match i.form.as_ref().filter(|f| carried(f)) {
        Some(f) => Ok(f.shape()),
        None => Err(Unsupported {
            reason: Reason::Opcode(i.opcode.clone()),
            span: i.span,
        }),
    }
}
