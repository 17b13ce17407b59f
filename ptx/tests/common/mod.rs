//! The corpus of real files, for the tests.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::{Path, PathBuf};

use ptx::module::{Module, resolve};
use ptx::text::parse;

/// The PTX files of `tests/kernels`: those of `cuda`, `library`, `triton`, each in order.
pub fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    let mut files = Vec::new();
    for folder in ["cuda", "library", "triton"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the corpus is in the repository")
        {
            let path = entry.expect("readable").path();
            if path.extension().is_some_and(|e| e == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// A file's text and module.
pub fn load(path: &Path) -> (String, Module) {
    let text = std::fs::read_to_string(path).expect("UTF-8");
    let ast = match parse(&text) {
        Ok(m) => m,
        Err(e) => {
            let (line, column) = e.span.line_column(&text);
            panic!("{}:{line}:{column}: {e}", path.display());
        }
    };
    match resolve(&ast) {
        Ok(m) => (text, m),
        Err(all) => {
            let line = |e: &ptx::module::Error| {
                let (line, column) = e.span.line_column(&text);
                format!("{}:{line}:{column}: {e}; {}", path.display(), e.help())
            };
            let lines: Vec<String> = all.iter().take(20).map(line).collect();
            panic!("{} errors\n{}", all.len(), lines.join("\n"));
        }
    }
}
