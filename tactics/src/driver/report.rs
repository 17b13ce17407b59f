//! What is said of a script and of each of its declarations.

use std::path::PathBuf;

use crate::diagnostic::{Diagnostic, Severity};
use crate::syntax::ast::Span;

/// What a declaration is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A proved statement.
    Theorem,
    /// A definition, or `opaque`.
    Definition,
    /// An inductive type or structure.
    Inductive,
    /// An axiom.
    Axiom,
    /// A kernel that a PTX entry became.
    Kernel,
    /// An `example`, or an instance without a name.
    Example,
}

impl Kind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Theorem => "theorem",
            Kind::Definition => "def",
            Kind::Inductive => "inductive",
            Kind::Axiom => "axiom",
            Kind::Kernel => "kernel",
            Kind::Example => "example",
        }
    }
}

/// How it went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Accepted by the kernel.
    Proved,
    /// Accepted by the kernel but for holes (`sorry`).
    Hole,
    /// Not accepted.
    Failed,
}

/// A PTX entry that a statement speaks about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PtxUse {
    /// The entry.
    pub entry: String,
    /// The file, as the script names it.
    pub file: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

/// What is said of a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclReport {
    /// Its full name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// How it went.
    pub status: Status,
    /// Where it stands in the script.
    pub span: Span,
    /// PTX entries that its statement speaks about, also through definitions.
    pub ptx: Vec<PtxUse>,
    /// The optional assumptions that its statement makes; `None` if the statement is not about correctness.
    pub assumptions: Option<Vec<String>>,
    /// The axioms below it, sorted.
    pub axioms: Vec<String>,
    /// Distinct terms in its statement and value.
    pub nodes: usize,
    /// Steps the kernel took for it.
    pub steps: u64,
}

/// A diagnostic about a PTX file that a script names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PtxDiagnostic {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub source: String,
    /// The message; its span is a place of the PTX text.
    pub diagnostic: Diagnostic,
}

/// Anything with a diagnostic.
pub trait Diagnosed {
    /// Whether an error is among the messages.
    fn has_errors(&self) -> bool;
}

/// What is said of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileReport {
    /// The script.
    pub path: PathBuf,
    /// Its text.
    pub source: String,
    /// Messages, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Messages about PTX files that it names.
    pub ptx: Vec<PtxDiagnostic>,
    /// Its declarations, in their order.
    pub decls: Vec<DeclReport>,
}

impl FileReport {
    /// The report of a script of which nothing is said yet.
    pub fn new(path: &std::path::Path, source: String) -> Self {
        FileReport {
            path: path.to_owned(),
            source,
            diagnostics: Vec::new(),
            ptx: Vec::new(),
            decls: Vec::new(),
        }
    }
}

impl Diagnosed for FileReport {
    fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
            || self
                .ptx
                .iter()
                .any(|p| p.diagnostic.severity == Severity::Error)
    }
}
