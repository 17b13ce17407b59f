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
        verdict::with_session(&scripts, out, |s| write(args, out, s))
    });
    match done {
        Ok(code) => code,
        Err(e) => {
            out.end_progress();
            eprintln!("error: {e}");
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
        eprintln!("error: nothing is exported, because not everything is proved");
        return NOT_PROVED;
    }
    if let Some(file) = &args.ndjson
        && let Err(e) = write_ndjson(file, s)
    {
        eprintln!("error: cannot write {}: {e}", file.display());
        return CANNOT_READ;
    }
    if let Some(dir) = &args.lean
        && let Err(e) = write_lean(dir, s)
    {
        eprintln!("error: cannot write {}: {e}", dir.display());
        return CANNOT_READ;
    }
    PROVED
}

fn write_ndjson(file: &Path, s: &Session<'_>) -> Result<(), String> {
    let mut sink: Box<dyn Write> = match file.as_os_str() == "-" {
        true => Box::new(BufWriter::new(std::io::stdout().lock())),
        false => Box::new(BufWriter::new(
            File::create(file).map_err(|e| e.to_string())?,
        )),
    };
    let written = export_lean::write_ndjson(&mut sink, s.environment(), Select::All)
        .map_err(|e| e.to_string())?;
    sink.flush().map_err(|e| e.to_string())?;
    eprintln!("{} declarations written", written.declarations);
    Ok(())
}

fn write_lean(dir: &Path, s: &mut Session<'_>) -> Result<(), String> {
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
    let written = export_lean::write_lean(dir, s.environment(), &scripts).map_err(|e| e.to_string())?;
    eprintln!(
        "{} Lean files, {} declarations written",
        written.files, written.declarations
    );
    Ok(())
}
