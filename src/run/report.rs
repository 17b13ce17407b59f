//! What came of a run: for people and as JSON.

use launch::compare::{Comparison, Difference};
use launch::dtype::Value;
use ptx::machine::{Fault, FaultKind, Stats};
use serde_json::{Value as Json, json};
use tactics::diagnostic::{Diagnostic, line_col};
use tactics::syntax::ast::Span;

use super::Run;
use super::observer::triple;
use crate::diagnostics;
use crate::output::Output;
use crate::source::Text;

/// `3×2×1`, or `3` if there is only one dimension.
fn extent([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        _ => format!("{x}×{y}×{z}"),
    }
}

/// Prints launches, buffers, a fault, and, unless there is `more` to come, the verdict.
pub fn print(run: &Run<'_>, out: &Output, more: bool) {
    out.say(format_args!(
        "{}{}",
        out.strong(&run.ptx.name),
        out.faint(&format!(", seed {}", run.seed))
    ));
    for (l, (entry, stats)) in run.plan.launches.iter().zip(&run.outcome.launches) {
        let cluster = match l.cluster {
            [1, 1, 1] => String::new(),
            c => format!(" in clusters of {}", extent(c)),
        };
        let ctas = match extent(l.grid).as_str() {
            "1" => "1 CTA".to_owned(),
            n => format!("{n} CTAs"),
        };
        out.say(format_args!(
            "  {entry}: {ctas}{cluster} of {} threads, {}",
            extent(l.block),
            out.faint(&numbers(stats))
        ));
    }
    if let Some(fault) = &run.outcome.fault {
        let mut shown = fault_diagnostic(fault, run.ptx);
        shown.help.extend(way_out(fault, run));
        let text = diagnostics::render(out, &run.ptx.name, &run.ptx.text, &shown);
        out.complain(text.trim_end());
    }
    let mut unchanged = Vec::new();
    let buffers = run.plan.buffers.iter();
    for (name, c) in &run.outcome.comparisons {
        let plan = buffers.clone().find(|b| b.name == *name);
        if c.wrong == 0 && plan.is_some_and(|b| b.parts.as_ref().is_some_and(Vec::is_empty)) {
            unchanged.push(name.as_str());
        } else {
            comparison(name, c, out);
        }
    }
    if !unchanged.is_empty() {
        out.say(format_args!(
            "  {} {} unchanged",
            out.good("✓"),
            unchanged.join(", ")
        ));
    }
    if more {
        return;
    }
    let (text, right) = match &run.outcome.fault {
        Some(f) if matches!(f.kind, FaultKind::Launch(_)) => ("cannot run".to_owned(), false),
        Some(_) => ("a fault".to_owned(), false),
        None if run.outcome.is_right() => ("as expected".to_owned(), true),
        None => ("wrong values".to_owned(), false),
    };
    out.say(if right {
        out.good(&text)
    } else {
        out.bad(&text)
    });
}

/// The numbers of a launch in a line.
fn numbers(s: &Stats) -> String {
    let (read, written) = s
        .bytes
        .values()
        .fold((0, 0), |(r, w), (a, b)| (r + a, w + b));
    let mut text = format!("{} instructions", s.instructions);
    let more = [
        (read, "bytes read"),
        (written, "bytes written"),
        (s.async_bytes, "bytes moved asynchronously"),
        (s.barriers, "barriers"),
        (s.abandoned, "copies dropped, into CTAs that had ended"),
    ];
    for (n, what) in more {
        if n > 0 {
            text.push_str(&format!(", {n} {what}"));
        }
    }
    text
}

/// `1 element`, `2 elements`
fn elements(n: u64) -> String {
    match n {
        1 => "1 element".to_owned(),
        n => format!("{n} elements"),
    }
}

fn comparison(name: &str, c: &Comparison, out: &Output) {
    if c.wrong == 0 {
        let worst = match c.worst {
            0.0 => String::new(),
            e => format!(", off by at most {e:.2e}"),
        };
        let facts = out.faint(&format!("  {}{worst}", elements(c.compared)));
        out.say(format_args!("  {} {name}{facts}", out.good("✓")));
        return;
    }
    out.say(format_args!(
        "  {} {name}: {} of {} {} wrong",
        out.bad("✗"),
        c.wrong,
        elements(c.compared),
        if c.wrong == 1 { "is" } else { "are" }
    ));
    let rows: Vec<[String; 4]> = c.first.iter().map(row).collect();
    let titles = ["", "is", "should be", "off by"].map(str::to_owned);
    let all = || std::iter::once(&titles).chain(&rows);
    let widths: [usize; 4] =
        std::array::from_fn(|i| all().map(|r| r[i].chars().count()).max().unwrap_or(0));
    for r in all() {
        let cells: Vec<String> = (0..4).map(|i| format!("{:<1$}", r[i], widths[i])).collect();
        out.say(format!("      {}", cells.join("  ")).trim_end());
    }
    if c.wrong > c.first.len() as u64 {
        out.say(format_args!(
            "      … and {} more",
            c.wrong - c.first.len() as u64
        ));
    }
}

fn row(d: &Difference) -> [String; 4] {
    let index: Vec<String> = d.index.iter().map(u64::to_string).collect();
    [
        format!("[{}]", index.join(", ")),
        d.got.to_string(),
        d.wanted.to_string(),
        match (d.got, d.wanted) {
            (Value::Int(a), Value::Int(b)) => a.abs_diff(b).to_string(),
            _ => format!("{:.3e}", d.error()),
        },
    ]
}

/// A fault as a message about the PTX text.
fn fault_diagnostic(fault: &Fault, ptx: &Text) -> Diagnostic {
    let text = fault.kind.to_string();
    let mut lines = text.lines();
    let mut d = Diagnostic::error(fault.kind.name(), lines.next().unwrap_or_default());
    d.notes.extend(lines.map(|l| l.trim().to_owned()));
    if let Some(site) = &fault.place {
        d.span = Some(Span::new(site.span.start, site.span.end));
        if let Some((file, line, column)) = &site.loc {
            d.notes
                .push(format!("compiled from {file}:{line}:{column}"));
        }
    }
    if let Some((cta, thread)) = fault.thread {
        d.notes.push(format!(
            "in {}, CTA {}, thread {}",
            fault.entry,
            triple(cta),
            triple(thread)
        ));
    }
    if let FaultKind::Stuck(waiting) = &fault.kind {
        for place in waiting.iter().filter_map(|w| w.place.as_ref()) {
            let (line, _) = line_col(&ptx.text, place.span.start as usize);
            let label = format!("line {line}: `{}` in {}", place.opcode, place.function);
            if !d.notes.contains(&label) {
                d.notes.push(label);
            }
        }
    }
    d
}

/// What to try after a fault that the launch file may be the reason of.
fn way_out(fault: &Fault, run: &Run<'_>) -> Option<String> {
    match &fault.kind {
        FaultKind::StepLimit(_) => {
            Some("if it only needs longer: `limit` in the launch file, or `--limit`".to_owned())
        }
        FaultKind::OutOfBounds { space, .. }
            if space.starts_with("shared") && run.module.variables.iter().any(|v| v.dynamic) =>
        {
            let launch = run.plan.launches.iter().find(|l| l.entry == fault.entry)?;
            Some(format!(
                "its dynamic shared memory has {} bytes: `shared` in the launch file",
                launch.shared
            ))
        }
        _ => None,
    }
}

/// A run as a JSON object.
pub fn json(run: &Run<'_>) -> Json {
    let launches: Vec<Json> = run
        .outcome
        .launches
        .iter()
        .map(|(entry, s)| {
            let bytes: serde_json::Map<String, Json> = s
                .bytes
                .iter()
                .map(|(space, (r, w))| (space.to_string(), json!({ "read": r, "written": w })))
                .collect();
            json!({
                "entry": entry, "ctas": s.ctas, "threads": s.threads, "instructions": s.instructions,
                "by_opcode": s.by_opcode, "bytes": bytes, "async_bytes": s.async_bytes,
                "barriers": s.barriers, "turns": s.turns, "abandoned": s.abandoned,
            })
        })
        .collect();
    let buffers: Vec<Json> = run
        .outcome
        .comparisons
        .iter()
        .map(|(name, c)| {
            let first: Vec<Json> = c
                .first
                .iter()
                .map(|d| json!({ "index": d.index, "is": value(d.got), "should_be": value(d.wanted) }))
                .collect();
            json!({
                "name": name, "compared": c.compared, "wrong": c.wrong, "first": first,
                "largest_error": c.worst,
            })
        })
        .collect();
    json!({
        "ptx": run.ptx.name, "seed": run.seed, "launches": launches, "buffers": buffers,
        "printed": run.printed, "fault": run.outcome.fault.as_ref().map(|f| fault_json(f, run.ptx)),
    })
}

/// A number where JSON has it, a text otherwise.
fn value(v: Value) -> Json {
    match v {
        Value::Int(n) => i64::try_from(n).map_or_else(|_| json!(n.to_string()), |n| json!(n)),
        Value::Real(x) if x.is_finite() => json!(x),
        v => json!(v.to_string()),
    }
}

fn fault_json(f: &Fault, ptx: &Text) -> Json {
    let place = f.place.as_ref().map(|s| {
        let (line, column) = line_col(&ptx.text, s.span.start as usize);
        let loc = s.loc.as_ref();
        let source = loc.map(|(file, l, c)| json!({ "file": file, "line": l, "column": c }));
        json!({ "line": line, "column": column, "opcode": s.opcode, "function": s.function, "source": source })
    });
    json!({
        "kind": f.kind.name(), "message": f.kind.to_string(), "entry": f.entry,
        "cta": f.thread.map(|t| t.0), "thread": f.thread.map(|t| t.1), "place": place,
    })
}
