//! `ptxprove show FILE.ptx`: what is in a PTX file, and what of it can be run and proved.

use std::collections::BTreeMap;

use ptx::module::Error;
use ptx::summary::{EntrySummary, Summary, VariableSummary, summary};
use serde_json::{Value, json};
use tactics::diagnostic::line_col;

use crate::args::ShowArgs;
use crate::output::Output;
use crate::source::Text;
use crate::{CANNOT_READ, NOT_PROVED, PROVED};

/// Runs the command; the exit code: 1 if an entry that is shown cannot be used in a proof.
pub fn run(args: &ShowArgs, out: &Output) -> u8 {
    let read = Text::read(&args.file).and_then(|t| Ok((t.parse(out)?, t)));
    let (module, ptx) = match read {
        Ok((module, ptx)) => (module, ptx),
        Err(message) => {
            out.complain(message.trim_end());
            return CANNOT_READ;
        }
    };
    let mut s = summary(&module);
    if let Some(wanted) = &args.entry {
        let names: Vec<String> = s.entries.iter().map(|e| e.name.clone()).collect();
        s.entries.retain(|e| e.name == *wanted);
        if s.entries.is_empty() {
            out.complain(format_args!("error: {} has no entry `{wanted}`", ptx.name));
            out.complain(format_args!("help: its entries are {}", names.join(", ")));
            return CANNOT_READ;
        }
    }
    if args.json {
        out.say(format_args!("{:#}", to_json(&s, &ptx.text)));
    } else {
        for e in s.errors.iter().take(MAX_ERRORS) {
            out.complain(ptx.unresolved(out, e).trim_end());
        }
        if let Some(more) = s.errors.len().checked_sub(MAX_ERRORS).filter(|n| *n > 0) {
            out.complain(format_args!("… and {more} more errors"));
        }
        print(&s, &ptx.text, args, out);
    }
    match s.entries.iter().all(|e| e.unsupported.is_none()) {
        true => PROVED,
        false => NOT_PROVED,
    }
}

/// So many errors of a file are told.
const MAX_ERRORS: usize = 10;

fn print(s: &Summary, text: &str, args: &ShowArgs, out: &Output) {
    out.say(format_args!(
        "PTX {}, target {}",
        s.version,
        s.target.join(", ")
    ));
    for e in &s.entries {
        print_entry(e, text, args, out);
    }
    if !s.functions.is_empty() {
        out.say(format_args!("device functions: {}", s.functions.join(", ")));
    }
    if !s.external.is_empty() {
        out.say(format_args!(
            "external functions: {}",
            s.external.join(", ")
        ));
    }
    for v in &s.variables {
        let space = format!("{:?}", v.space).to_lowercase();
        out.say(format_args!("{space} variable {} : {}", v.name, ty(v)));
    }
}

fn print_entry(e: &EntrySummary, text: &str, args: &ShowArgs, out: &Output) {
    let total = e.instructions.len();
    let mark = match e.unsupported.is_none() {
        true => out.good("✓"),
        false => out.bad("✗"),
    };
    out.say(format_args!(
        "{mark} {} {}: {}/{total} instructions have a meaning in the logic",
        out.strong("entry"),
        e.name,
        e.supported()
    ));
    for p in &e.params {
        out.say(format_args!("    parameter {} : {}", p.name, ty(p)));
    }
    let regs: Vec<String> = e
        .registers
        .iter()
        .map(|(t, n)| format!("{n} {t}"))
        .collect();
    out.say(format_args!("    registers: {}", regs.join(", ")));
    print_memory(e, out);
    let extents = [
        ("block required", e.required_block),
        ("block at most", e.max_block),
        ("cluster required", e.required_cluster),
    ];
    for (what, [x, y, z]) in extents.iter().filter_map(|(w, x)| Some((w, (*x)?))) {
        out.say(format_args!("    {what}: {x}×{y}×{z}"));
    }
    if !e.calls.is_empty() {
        out.say(format_args!("    calls: {}", e.calls.join(", ")));
    }
    for l in &e.loops {
        let (line, _) = line_col(text, l.span.start as usize);
        let indent = "  ".repeat(l.depth.saturating_sub(1) as usize);
        let label = l.label.as_deref().unwrap_or_default();
        let (n, s) = (l.instructions, plural(l.instructions));
        out.say(format_args!(
            "    {indent}loop at line {line}: {label}, {n} instruction{s}"
        ));
    }
    if e.irreducible > 0 {
        let (n, s) = (e.irreducible, plural(e.irreducible));
        out.say(format_args!("    {n} jump{s} into the middle of a loop"));
    }
    if args.instructions {
        for i in &e.instructions {
            let (line, _) = line_col(text, i.span.start as usize);
            let status = match &i.status {
                Ok(shape) => out.faint(shape),
                Err(_) if i.known => out.bad("not in the logic"),
                Err(_) => out.bad("unknown"),
            };
            out.say(format_args!("    {line:>6}  {:<28} {status}", i.opcode));
        }
    } else {
        out.say(format_args!("    opcodes: {}", bases(e)));
        print_missing(e, out);
    }
    if let Some((site, why)) = e.refused().first() {
        let (line, column) = line_col(text, site.span.start as usize);
        out.say(format_args!(
            "    cannot be run: line {line}, column {column}: {why}"
        ));
    }
    if let Some(u) = &e.unsupported {
        let (line, column) = line_col(text, u.span.start as usize);
        out.say(format_args!(
            "    not usable in a proof: line {line}, column {column}: {u}"
        ));
        if let Some((what, span)) = u.other_place() {
            let (line, column) = line_col(text, span.start as usize);
            out.say(format_args!("      {what}: line {line}, column {column}"));
        }
    }
}

fn print_memory(e: &EntrySummary, out: &Output) {
    match &e.outline {
        Ok(m) => {
            let dynamic = match (m.shared, m.dynamic_shared) {
                (0, false) => None,
                (0, true) => Some("dynamic".to_owned()),
                (n, false) => Some(format!("{n} bytes")),
                (n, true) => Some(format!("{n} bytes and dynamic")),
            };
            if let Some(shared) = dynamic {
                out.say(format_args!("    shared memory: {shared}"));
            }
            if m.local > 0 {
                out.say(format_args!("    local memory: {} bytes", m.local));
            }
        }
        Err(why) => out.say(format_args!("    cannot be run: {why}")),
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// The type of a variable with its size, where the type alone does not say it.
fn ty(v: &VariableSummary) -> String {
    let element = ptx::isa::types::width(&v.element).map_or(1, |bits| u64::from(bits / 8).max(1));
    match v.dynamic {
        true => format!("{}[], aligned to {}", v.element, v.align),
        false if v.bytes == element => v.element.clone(),
        false => format!(
            "{}[{}], aligned to {}",
            v.element,
            v.bytes / element,
            v.align
        ),
    }
}

/// How often each opcode stands in the text, without its modifiers, the most frequent first.
fn bases(e: &EntrySummary) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (opcode, n) in &e.opcodes {
        let base = opcode.split('.').next().unwrap_or_default();
        *counts.entry(base).or_default() += n;
    }
    let mut all: Vec<(&str, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(base, n)| (std::cmp::Reverse(*n), *base));
    let all: Vec<String> = all.iter().map(|(base, n)| format!("{n} {base}")).collect();
    all.join(", ")
}

/// The opcodes without a meaning in the logic, and how often each occurs.
fn print_missing(e: &EntrySummary, out: &Output) {
    let mut missing: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    for i in e.instructions.iter().filter(|i| i.status.is_err()) {
        *missing.entry((&i.opcode, i.known)).or_default() += 1;
    }
    for ((opcode, known), n) in missing {
        let what = if known {
            "not in the logic:"
        } else {
            "unknown:"
        };
        out.say(format_args!("    {} {opcode} ({n}×)", out.bad(what)));
    }
}

fn to_json(s: &Summary, text: &str) -> Value {
    let error = |e: &Error| {
        let (line, column) = line_col(text, e.span.start as usize);
        json!({ "line": line, "column": column, "message": e.to_string(), "help": e.help() })
    };
    json!({
        "version": s.version, "target": s.target,
        "entries": s.entries.iter().map(|e| entry_json(e, text)).collect::<Vec<_>>(),
        "functions": s.functions, "external": s.external,
        "variables": s.variables.iter().map(variable_json).collect::<Vec<_>>(),
        "errors": s.errors.iter().map(error).collect::<Vec<_>>(),
    })
}

fn variable_json(v: &VariableSummary) -> Value {
    json!({
        "name": v.name, "space": format!("{:?}", v.space).to_lowercase(), "type": v.element,
        "bytes": v.bytes, "align": v.align, "dynamic": v.dynamic,
    })
}

fn entry_json(e: &EntrySummary, text: &str) -> Value {
    let line = |at: u32| line_col(text, at as usize).0;
    let instruction = |i: &ptx::summary::InstrSummary| {
        let (line, column) = line_col(text, i.span.start as usize);
        let (shape, reason) = match &i.status {
            Ok(shape) => (Some(*shape), None),
            Err(u) => (None, Some(u.to_string())),
        };
        json!({
            "opcode": i.opcode, "line": line, "column": column, "known": i.known, "shape": shape,
            "unsupported": reason,
        })
    };
    let a_loop = |l: &ptx::summary::LoopSummary| {
        json!({
            "line": line(l.span.start), "label": l.label, "depth": l.depth,
            "instructions": l.instructions,
        })
    };
    let refused = |(site, why): &(ptx::machine::Site, String)| {
        json!({
            "function": site.function, "opcode": site.opcode, "line": line(site.span.start),
            "reason": why,
        })
    };
    let memory = match &e.outline {
        Ok(m) => {
            json!({ "shared": m.shared, "dynamic_shared": m.dynamic_shared, "local": m.local })
        }
        Err(why) => json!({ "error": why }),
    };
    json!({
        "name": e.name, "line": line(e.span.start),
        "parameters": e.params.iter().map(variable_json).collect::<Vec<_>>(),
        "registers": e.registers, "memory": memory,
        "required_block": e.required_block, "max_block": e.max_block,
        "required_cluster": e.required_cluster, "calls": e.calls,
        "loops": e.loops.iter().map(a_loop).collect::<Vec<_>>(),
        "irreducible": e.irreducible, "opcodes": e.opcodes,
        "instructions": e.instructions.iter().map(instruction).collect::<Vec<_>>(),
        "not_run": e.refused().iter().map(refused).collect::<Vec<_>>(),
        "unsupported": e.unsupported.as_ref().map(ToString::to_string),
    })
}
