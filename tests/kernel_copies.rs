//! The PTX files beside the proofs are the compiler's own: byte for byte those of `tests/kernels`.

use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder whose name ends in `.ptx`, in order.
fn ptx_files(dir: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap_or_else(|e| panic!("cannot list {}: {e}", dir.display()))
        .map(|e| e.expect("a directory entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            ptx_files(&path, into);
        } else if path.extension().is_some_and(|e| e == "ptx") {
            into.push(path);
        }
    }
}

#[test]
fn proved_kernels_are_what_the_compiler_emitted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut proved, mut emitted) = (Vec::new(), Vec::new());
    ptx_files(&root.join("proofs/kernels"), &mut proved);
    ptx_files(&root.join("tests/kernels"), &mut emitted);
    assert!(!proved.is_empty(), "no kernel stands beside a proof");
    for copy in proved {
        let name = copy.file_name();
        let originals: Vec<&PathBuf> = emitted.iter().filter(|p| p.file_name() == name).collect();
        assert_eq!(
            originals.len(),
            1,
            "{} has {} originals in tests/kernels",
            copy.display(),
            originals.len()
        );
        let same =
            fs::read(&copy).expect("the copy") == fs::read(originals[0]).expect("the original");
        assert!(
            same,
            "{} differs from {}",
            copy.display(),
            originals[0].display()
        );
    }
}
