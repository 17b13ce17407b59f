//! `ptxprove show FILE.ptx`: what is in a PTX file, and what of it has a meaning.

use std::collections::BTreeMap;

use ptx::program::{EntrySummary, Summary, summary};
use serde_json::{Value, json};
use tactics::diagnostic::{Diagnostic, line_col};
use tactics::syntax::ast::Span;

use crate::args::ShowArgs;
use crate::output::Output;
use crate::{CANNOT_READ, NOT_PROVED, PROVED, diagnostics};

/// Runs the command; the exit code: 1 if an entry that is shown is not supported in full.
pub fn run(args: &ShowArgs, out: &Output) -> u8 {
    let name = args.file.display().to_string();
    let bytes = tactics::driver::read_file(&args.file).map_err(|e| e.to_string());
    let text =
        bytes.and_then(|b| String::from_utf8(b).map_err(|_| "it is not UTF-8 text".to_owned()));
    let text = match text {
        Ok(t) => t,
        Err(e) => {
            out.complain(format_args!("error: cannot read {name}: {e}"));
            return CANNOT_READ;
        }
    };
    let module = match ptx::text::parse(&text) {
        Ok(m) => m,
        Err(e) => {
            let mut d = Diagnostic::error("ptx.syntax", e.to_string());
            d.span = Some(Span::new(e.span.start, e.span.end));
            d.help.push(e.help().to_owned());
            out.complain(diagnostics::render(out, &name, &text, &d).trim_end());
            return CANNOT_READ;
        }
    };
    let mut s = summary(&module);
    if let Some(wanted) = &args.entry {
        let names: Vec<String> = s.entries.iter().map(|e| e.name.clone()).collect();
        s.entries.retain(|e| e.name == *wanted);
        if s.entries.is_empty() {
            out.complain(format_args!("error: {name} has no entry `{wanted}`"));
            out.complain(format_args!("help: its entries are {}", names.join(", ")));
            return CANNOT_READ;
        }
    }
    if args.json {
        out.say(format_args!("{:#}", to_json(&s, &text)));
    } else {
        print(&s, &text, args, out);
    }
    match s.entries.iter().all(|e| e.unsupported.is_none()) {
        true => PROVED,
        false => NOT_PROVED,
    }
}

fn print(s: &Summary, text: &str, args: &ShowArgs, out: &Output) {
    out.say(format_args!(
        "PTX {}, target {}",
        s.version,
        s.target.join(", ")
    ));
    for e in &s.entries {
        let total = e.instructions.len();
        let mark = match e.unsupported.is_none() {
            true => out.good("✓"),
            false => out.bad("✗"),
        };
        out.say(format_args!(
            "{mark} {} {}: {}/{total} instructions have a meaning",
            out.strong("entry"),
            e.name,
            e.supported()
        ));
        for (n, ty) in &e.params {
            out.say(format_args!("    parameter {n} : {ty}"));
        }
        let regs: Vec<String> = e
            .registers
            .iter()
            .map(|(t, n)| format!("{n} {t}"))
            .collect();
        out.say(format_args!("    registers: {}", regs.join(", ")));
        if args.instructions {
            for i in &e.instructions {
                let (line, _) = line_col(text, i.span.start as usize);
                let status = match &i.status {
                    Ok(shape) => out.faint(shape),
                    Err(_) => out.bad("unsupported"),
                };
                out.say(format_args!("    {line:>6}  {:<28} {status}", i.opcode));
            }
        } else {
            print_missing(e, out);
        }
        if let Some(u) = &e.unsupported {
            let (line, column) = line_col(text, u.span.start as usize);
            out.say(format_args!(
                "    not usable in a proof: line {line}, column {column}: {u}"
            ));
        }
    }
    if !s.functions.is_empty() {
        out.say(format_args!("device functions: {}", s.functions.join(", ")));
    }
    if !s.variables.is_empty() {
        out.say(format_args!("module variables: {}", s.variables.join(", ")));
    }
}

/// The opcodes without a meaning, and how often each occurs.
fn print_missing(e: &EntrySummary, out: &Output) {
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    for i in e.instructions.iter().filter(|i| i.status.is_err()) {
        *missing.entry(&i.opcode).or_default() += 1;
    }
    for (opcode, n) in missing {
        out.say(format_args!(
            "    {} {opcode} ({n}×)",
            out.bad("unsupported")
        ));
    }
}

fn to_json(s: &Summary, text: &str) -> Value {
    let entries: Vec<Value> = s
        .entries
        .iter()
        .map(|e| {
            let instructions: Vec<Value> = e
                .instructions
                .iter()
                .map(|i| {
                    let (line, column) = line_col(text, i.span.start as usize);
                    let (shape, reason) = match &i.status {
                        Ok(shape) => (Some(*shape), None),
                        Err(u) => (None, Some(u.to_string())),
                    };
                    json!({ "opcode": i.opcode, "line": line, "column": column, "shape": shape, "unsupported": reason })
                })
                .collect();
            json!({
                "name": e.name, "parameters": e.params, "registers": e.registers, "instructions": instructions,
                "unsupported": e.unsupported.as_ref().map(ToString::to_string),
            })
        })
        .collect();
    json!({
        "version": s.version, "target": s.target, "entries": entries,
        "functions": s.functions, "variables": s.variables,
    })
}
