//! Counts the lines that a reader of a theorem has to trust, file by file.

use std::io;
use std::path::Path;

use crate::lines;

/// The budget of the kernel.
pub const KERNEL_LIMIT: usize = 5_000;

/// One part of what is trusted.
struct Part {
    title: &'static str,
    folders: &'static [&'static str],
    /// What of `folders` does not count here.
    but: &'static [&'static str],
    suffixes: &'static [&'static str],
    count: fn(&str) -> usize,
    limit: Option<usize>,
}

/// The machine that runs kernels, and the numbers that it computes with. No proof rests on them.
const RUNS: &[&str] = &[
    "ptx/src/machine",
    "ptx/src/layout",
    "ptx/src/alg/bits.rs",
    "ptx/src/alg/ieee",
    "ptx/src/summary.rs",
];

const PARTS: [Part; 4] = [
    Part {
        title: "the kernel: judges every proof",
        folders: &["logic/src"],
        but: &[],
        suffixes: &["rs"],
        count: lines::rust,
        limit: Some(KERNEL_LIMIT),
    },
    Part {
        title: "the PTX path: text to module to kernel term",
        folders: &["ptx/src", "ptx/build.rs"],
        but: RUNS,
        suffixes: &["rs", "lalrpop"],
        count: lines::rust,
        limit: None,
    },
    Part {
        title: "the definitions that statements rest on",
        folders: &["proofs/ptx"],
        but: &[],
        suffixes: &["ptxp"],
        count: lines::script_definitions,
        limit: None,
    },
    Part {
        title: "for runs only, no proof rests on it: the machine, its float arithmetic, layouts",
        folders: RUNS,
        but: &[],
        suffixes: &["rs"],
        count: lines::rust,
        limit: None,
    },
];

/// Prints the table. `false` when a limit is passed.
///
/// # Errors
/// When a file cannot be read.
pub fn run(root: &Path) -> io::Result<bool> {
    let files = crate::files(root)?;
    let mut within = true;
    for part in &PARTS {
        println!("{}", part.title);
        let mut total = 0;
        for path in &files {
            let within = |folders: &[&str]| folders.iter().any(|f| path.starts_with(f));
            let inside = within(part.folders) && !within(part.but);
            let suffix = path.extension().and_then(|e| e.to_str()).unwrap_or("");
            if !inside || !part.suffixes.contains(&suffix) {
                continue;
            }
            let n = (part.count)(&std::fs::read_to_string(root.join(path))?);
            println!("{n:7}  {}", path.display());
            total += n;
        }
        match part.limit {
            Some(limit) => {
                println!("{total:7}  of at most {limit}");
                within &= total <= limit;
            }
            None => println!("{total:7}  in all"),
        }
        println!();
    }
    if !within {
        println!("the kernel is larger than its budget");
    }
    Ok(within)
}
