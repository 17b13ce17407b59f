//! Kernels as data, as terms, and as text again.
//!
//! ```text
//!   text ── parse ──▶ syntax tree ── resolve, translate ──▶ data ── to_term ──▶ term of type Ptx.Kernel
//!                          │                                               │
//!                       normal ──▶ canonical text  ═══ must be equal ═══  render (from the term alone)
//! ```
//!
//! Every load of a module goes round this loop ([`module_declarations`]), so a wrong translation cannot pass.

pub mod data;
mod declared;
pub mod error;
mod from_term;
mod fuse;
mod instr;
mod meaning;
mod normal;
mod operands;
mod render;
mod scopes;
mod setting;
mod sync;
mod to_term;
mod translate;

use logic::{Expr, Name, Store};

pub use error::{Malformed, Reason, RenderMismatch, Unsupported};
pub use from_term::kernel_of_term;
pub(crate) use instr::carried;
pub use meaning::{Definition, isa_declarations, kernel_meanings, meaning_named, opcode_name};
pub use normal::normal_text;
pub use render::render_kernel;
pub use to_term::kernel_term;
pub(crate) use translate::{Entry, entry};
pub use translate::{Translation, translate};

use crate::module::Resolved;
use crate::text::ast::{Function, Module};
use crate::text::span::Span;

/// A kernel of a module, ready for the logic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelDeclaration {
    /// `prefix.name : Ptx.Kernel`.
    pub definition: Definition,
    /// The kernel's data and the places of its lines.
    pub translation: Translation,
    /// Where the entry's head stands.
    pub span: Span,
}

/// The kernels of a module.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ModuleDeclarations {
    /// Those that have a meaning, in the order of the text.
    pub kernels: Vec<KernelDeclaration>,
    /// Those that have none, by name, with the first construct in the way.
    pub unsupported: Vec<(String, Unsupported)>,
}

/// The definitions `prefix.<entry> : Ptx.Kernel` for the entries of a module.
///
/// Errors: the text rendered from a term is not the text that was read (a mistake in this crate, never of the user).
pub fn module_declarations(
    store: &Store<'_>,
    m: &Module,
    prefix: Name,
) -> Result<ModuleDeclarations, RenderMismatch> {
    let mut all = ModuleDeclarations::default();
    let resolved = Resolved::new(m);
    for f in m.entries() {
        match translate(&resolved, f) {
            Err(e) => all.unsupported.push((f.name.text.clone(), e)),
            Ok(translation) => {
                let value = kernel_term(store, &translation.kernel);
                check_render(store, value, m, f)?;
                let name = store.name_str(prefix, &f.name.text);
                let definition = Definition {
                    name,
                    ty: store.const0("Ptx.Kernel"),
                    value,
                };
                all.kernels.push(KernelDeclaration {
                    definition,
                    translation,
                    span: f.head,
                });
            }
        }
    }
    Ok(all)
}

/// PTX text, in canonical form, from a kernel term alone: names, labels, opcodes and types are the term's.
///
/// Errors: the term is no closed value of type `Ptx.Kernel` in constructor form.
pub fn render(store: &Store<'_>, term: Expr) -> Result<String, Malformed> {
    render_kernel(&kernel_of_term(store, term)?)
}

/// Checks that a kernel term says what the text says, of an entry of the module.
pub fn check_render(
    store: &Store<'_>,
    term: Expr,
    m: &Module,
    read: &Function,
) -> Result<(), RenderMismatch> {
    let kernel = kernel_of_term(store, term).map_err(RenderMismatch::Malformed)?;
    let rendered = render_kernel(&kernel).map_err(RenderMismatch::Malformed)?;
    let outer: Vec<&str> = (kernel.vars.iter().take(kernel.outer))
        .map(|v| v.name.as_str())
        .collect();
    let called: Vec<&str> = kernel.funcs.iter().map(|f| f.name.as_str()).collect();
    let read_text = normal_text(m, read, &outer, &called);
    if rendered == read_text {
        return Ok(());
    }
    let (mut a, mut b) = (read_text.lines(), rendered.lines());
    let mut line = 0;
    loop {
        line += 1;
        let (x, y) = (a.next(), b.next());
        if x != y || x.is_none() {
            return Err(RenderMismatch::Line {
                entry: read.name.text.clone(),
                line,
                read: x.unwrap_or_default().to_owned(),
                rendered: y.unwrap_or_default().to_owned(),
            });
        }
    }
}
