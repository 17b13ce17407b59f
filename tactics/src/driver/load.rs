//! Finding scripts: the files below a folder, and what `import` names.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::syntax::ast::{Ident, Import};

/// Why a file or folder cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read {}: {}", self.path.display(), self.reason)
    }
}

impl LoadError {
    pub(super) fn new(path: &Path, reason: impl fmt::Display) -> Self {
        LoadError {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 1 << 28;

/// What a file holds. Some files have no end (`/dev/zero`), so no more is read than a script or a PTX file may have.
pub fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path)?
        .take(MAX_FILE + 1)
        .read_to_end(&mut bytes)?;
    match read as u64 > MAX_FILE {
        true => Err(std::io::Error::other(format!(
            "it has more than {MAX_FILE} bytes"
        ))),
        false => Ok(bytes),
    }
}

/// The extension of scripts.
const EXTENSION: &str = "ptxp";

/// All scripts below a folder, sorted by path; for a file, the file itself.
pub fn scripts_below(path: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let meta = std::fs::metadata(path).map_err(|e| LoadError::new(path, e))?;
    if !meta.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut todo = vec![path.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).map_err(|e| LoadError::new(&dir, e))? {
            let entry = entry.map_err(|e| LoadError::new(&dir, e))?;
            let kind = entry.file_type().map_err(|e| LoadError::new(&dir, e))?;
            let path = entry.path();
            // A link to a folder could lead round in a circle.
            if kind.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == EXTENSION) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A path without `.` and `..`, as text would have it.
pub(super) fn normalize(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for c in path.components() {
        match c {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            c => out.push(c),
        }
    }
    out
}

/// A path from the root, without `.` and `..`, whether it exists or not.
pub(super) fn absolute(path: &Path) -> std::io::Result<PathBuf> {
    Ok(normalize(&std::path::absolute(path)?))
}

/// The file that an import names. A path is relative to the importing script's folder; `lib.nat` is `lib/nat.ptxp` in
/// that folder or the nearest one above it that has it.
pub fn resolve(from: &Path, import: &Import) -> Result<PathBuf, String> {
    let dir = from.parent().unwrap_or(Path::new(""));
    match import {
        Import::Path(s) => Ok(normalize(&dir.join(&*s.value))),
        Import::Module(id) => {
            let relative = module_file(id);
            // The folder of a script without one is the current folder.
            let here = if dir.as_os_str().is_empty() {
                Path::new(".")
            } else {
                dir
            };
            let absolute = absolute(here).map_err(|e| e.to_string())?;
            let mut above = dir.to_owned();
            for ancestor in absolute.ancestors() {
                if ancestor.join(&relative).is_file() {
                    return Ok(normalize(&above.join(&relative)));
                }
                above.push("..");
            }
            Err(format!(
                "no file {} in {} or a folder above it",
                relative.display(),
                shown(dir)
            ))
        }
    }
}

fn shown(dir: &Path) -> String {
    match dir.as_os_str().is_empty() {
        true => "this folder".to_owned(),
        false => dir.display().to_string(),
    }
}

fn module_file(id: &Ident) -> PathBuf {
    let mut p = PathBuf::new();
    for part in id.parts() {
        p.push(part);
    }
    p.set_extension(EXTENSION);
    p
}
