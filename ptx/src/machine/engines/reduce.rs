//! What asynchronous reductions do to an element: the meanings of `red` and of ordinary instructions.

use crate::alg::bits::Bits;
use crate::isa::{self, Form, Meaning};
use crate::machine::fault::FaultKind;
use crate::machine::machine::Alg;

/// A reduction operation on elements of a type.
#[derive(Clone)]
pub struct Reduction {
    form: Form,
    meaning: Meaning<Alg>,
    bytes: usize,
}

impl std::fmt::Debug for Reduction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.form.opcode)
    }
}

impl Reduction {
    /// The reduction with the names that opcodes give to the operation and the type.
    pub fn new(op: &str, ty: &str) -> Option<Reduction> {
        // ISA §9.7.10.28.4.2, the table of operations and element types.
        let opcode = match (op, ty) {
            ("add", "u32" | "s32" | "u64" | "f16" | "bf16") => format!("add.{ty}"),
            ("add", "f32" | "f64") => format!("add.rn.{ty}"),
            ("min" | "max", "u32" | "s32" | "u64" | "s64" | "f16" | "bf16") => {
                format!("{op}.{ty}")
            }
            ("inc" | "dec", "u32") => format!("red.global.{op}.u32"),
            ("and" | "or" | "xor", "b32" | "b64") => format!("{op}.{ty}"),
            // Elements of a tensor have no bit types.
            ("and" | "or" | "xor", "u32" | "s32") => format!("{op}.b32"),
            ("and" | "or" | "xor", "u64" | "s64") => format!("{op}.b64"),
            _ => return None,
        };
        let digits = ty.trim_start_matches(|c: char| !c.is_ascii_digit());
        let bits: u32 = digits.parse().ok()?;
        let mut forms = isa::forms_of(&opcode).into_iter();
        forms.find_map(|form| {
            let meaning = form.meaning::<Alg>()?;
            Some(Reduction {
                form,
                meaning,
                bytes: bits as usize / 8,
            })
        })
    }

    /// Combines elements into others, all in memory.
    pub fn combine(&self, alg: &mut Alg, into: &mut [u8], from: &[u8]) -> Result<(), FaultKind> {
        if !into.len().is_multiple_of(self.bytes) || into.len() != from.len() {
            return Err(FaultKind::Async(format!(
                "{} bytes are no elements of {} bytes",
                from.len(),
                self.bytes
            )));
        }
        let word = |bytes: &[u8]| {
            let value = bytes.iter().rev().fold(0, |w, b| w << 8 | u128::from(*b));
            Bits::new(8 * bytes.len() as u32, value)
        };
        let elements = into.chunks_exact_mut(self.bytes);
        for (old, new) in elements.zip(from.chunks_exact(self.bytes)) {
            let result = (self.meaning)(alg, &self.form, &[word(old), word(new)]);
            old.copy_from_slice(&result.value().to_le_bytes()[..self.bytes]);
        }
        Ok(())
    }
}
