//! What memory a kernel takes, as the machine lays it out, and what of it the machine does not run.

use super::code::Program;
use super::fault::Site;
use crate::module::Symbol;
use crate::module::uses::symbols;

/// A kernel with all that it may come to, as the machine sees it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Outline {
    /// Bytes of shared memory of a CTA, without the dynamic part.
    pub shared: u64,
    /// Whether dynamic shared memory is used.
    pub dynamic_shared: bool,
    /// Bytes of local memory that the kernel's own frame has.
    pub local: u64,
    /// The instructions that it may come to and that are unsupported, and why. They are faults only where they are reached.
    pub refused: Vec<(Site, String)>,
}

impl Outline {
    /// The outline of a decoded kernel.
    pub(super) fn of(program: &Program<'_>) -> Outline {
        let mut outline = Outline {
            shared: program.places.static_shared,
            refused: program.refused(),
            ..Outline::default()
        };
        let module = program.module;
        for code in program.codes.iter().flatten() {
            let Some(function) = module.functions.get(code.func.index()) else {
                continue;
            };
            if code.func == program.entry {
                outline.local = code.local_bytes;
            }
            for i in &function.code {
                symbols(i, &mut |s| {
                    if let Symbol::Variable(v) = s {
                        let known = module.variables.get(v.index());
                        outline.dynamic_shared |= known.is_some_and(|v| v.dynamic);
                    }
                });
            }
        }
        outline
    }
}
