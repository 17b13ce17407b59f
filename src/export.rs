//! `ptxprove export`: what was proved, for Lean 4.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use export_lean::{Script, Select};
use tactics::driver::{Diagnosed, Session, Status};

use crate::args::ExportArgs;
use crate::output::Output;
use crate::{CANNOT_READ, NOT_PROVED, PROVED, diagnostics, verdict};

/// Runs the command; the exit code.
pub fn run(args: &ExportArgs, out: &Output) -> u8 {
    let done = verdict::scripts(&args.paths).and_then(|scripts| {
        verdict::with_session(&scripts, out, |s, mut unreadable| match unreadable.pop() {
            Some(e) => Err(e),
            None => Ok(write(args, out, s)),
        })
    });
    match done {
        Ok(code) => code,
        Err(e) => {
            out.complain(format_args!("error: {e}"));
            CANNOT_READ
        }
    }
}

fn write(args: &ExportArgs, out: &Output, s: &mut Session<'_>) -> u8 {
    let bad = s
        .reports()
        .iter()
        .any(|r| r.has_errors() || r.decls.iter().any(|d| d.status != Status::Proved));
    if bad {
        for r in s.reports() {
            diagnostics::print(out, r);
        }
        out.complain(format_args!(
            "error: nothing is exported, because not everything is proved"
        ));
        return NOT_PROVED;
    }
    if let Some(file) = &args.ndjson
        && let Err(e) = write_ndjson(file, out, s)
    {
        out.complain(format_args!("error: cannot write {}: {e}", file.display()));
        return CANNOT_READ;
    }
    if let Some(dir) = &args.lean
        && let Err(e) = write_lean(dir, out, s)
    {
        out.complain(format_args!("error: cannot write {}: {e}", dir.display()));
        return CANNOT_READ;
    }
    PROVED
}

fn write_ndjson(file: &Path, out: &Output, s: &Session<'_>) -> Result<(), String> {
    if file.as_os_str() == "-" {
        return out.bytes(|sink| ndjson_to(sink, out, s));
    }
    ndjson_to(&mut File::create(file).map_err(|e| e.to_string())?, out, s)
}

fn ndjson_to(sink: &mut dyn Write, out: &Output, s: &Session<'_>) -> Result<(), String> {
    let mut sink = BufWriter::new(sink);
    let written = export_lean::write_ndjson(&mut sink, s.environment(), Select::All)
        .map_err(|e| e.to_string())?;
    sink.flush().map_err(|e| e.to_string())?;
    out.complain(format_args!(
        "{} declarations written",
        written.declarations
    ));
    Ok(())
}

fn write_lean(dir: &Path, out: &Output, s: &mut Session<'_>) -> Result<(), String> {
    let mut scripts: Vec<Script> = s
        .scripts()
        .map(|(path, constants)| Script {
            path: path.display().to_string(),
            constants: constants.to_vec(),
            notes: BTreeMap::new(),
        })
        .collect();
    for script in &mut scripts {
        for n in &script.constants {
            if let Some(note) = s.note_of(*n) {
                script.notes.insert(*n, note);
            }
        }
    }
    let written =
        export_lean::write_lean(dir, s.environment(), &scripts).map_err(|e| e.to_string())?;
    out.complain(format_args!(
        "{} Lean files, {} declarations written",
        written.files, written.declarations
    ));
    Ok(())
}
