//! Developer tasks: counting what is trusted, keeping the tree tidy, the book's pages about the library, and the audit by real
//! Lean.
#![forbid(unsafe_code)]

pub mod audit;
pub mod fuzz;
pub mod index;
pub mod lines;
pub mod picture;
pub mod tcb;
pub mod tidy;

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// All files below a folder, sorted, as paths relative to `root`, without build products and hidden folders
/// (`.ci` and `.cargo` are the project's own).
pub fn files(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    let mut todo = vec![root.to_path_buf()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let hidden = name.starts_with('.') && name != ".ci" && name != ".cargo";
            if hidden || name == "target" || name == "book-build" {
                continue;
            }
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                todo.push(path);
            } else if let Ok(relative) = path.strip_prefix(root) {
                out.push(relative.to_path_buf());
            }
        }
    }
    out.sort();
    Ok(out)
}
