//! The end-to-end tests: every script of `tests/accept`, `tests/reject` and `tests/no-crash`, every block of the book, and
//! the commands as a user runs them. One test a file; `cargo test --test e2e -- vadd` runs those whose name has `vadd`.

mod book;
mod cli;
mod messages;
mod no_crash;
mod reference;
mod scripts;
mod transcript;
mod twins;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// The root of the repository. The tests run in it, so that paths in messages are relative.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder with an extension, sorted, as paths relative to the root.
pub fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![root().join(folder)];
    while let Some(dir) = todo.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else {
            continue;
        };
        for path in entries.flatten().map(|e| e.path()) {
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(
                    path.strip_prefix(root())
                        .map(Path::to_owned)
                        .unwrap_or(path),
                );
            }
        }
    }
    found.sort();
    found
}

fn main() -> ExitCode {
    let args = Arguments::from_args();
    if let Err(e) = std::env::set_current_dir(root()) {
        eprintln!("cannot go to {}: {e}", root().display());
        return ExitCode::FAILURE;
    }
    // Transcripts write below it; it may be elsewhere than Cargo's.
    if let Err(e) = std::fs::create_dir_all("target") {
        eprintln!("cannot make the folder target: {e}");
        return ExitCode::FAILURE;
    }
    let mut trials: Vec<Trial> = Vec::new();
    trials.extend(scripts::trials());
    trials.extend(twins::trials());
    trials.extend(no_crash::trials());
    trials.extend(book::trials());
    trials.push(reference::trial());
    trials.extend(cli::trials());
    trials.extend(messages::trials());
    trials.extend(watch::trials());
    libtest_mimic::run(&args, trials).exit_code()
}
