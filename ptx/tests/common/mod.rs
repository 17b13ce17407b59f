//! The corpus of real files, for the tests.

use std::path::{Path, PathBuf};

/// The PTX files of `tests/kernels`, in order.
pub fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    let mut files = Vec::new();
    for folder in ["cuda", "triton", "library"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the corpus is in the repository")
        {
            let path = entry.expect("readable").path();
            if path.extension().is_some_and(|e| e == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() >= 44, "the corpus has {} files", files.len());
    files
}
