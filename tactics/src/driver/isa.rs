//! The meanings of instructions as constants, declared when something first speaks of them.
//!
//! The opcode table has thousands of forms, of which a proof needs a few. `ptx_isa` says that from here on they may be
//! spoken of; the constant `ptx.<opcode>` is declared before the first command that names it, and before a kernel that uses
//! it. It belongs to the script of `ptx_isa`, so that what a script sees does not depend on who came first.

use ::ptx::program::{Definition, meaning_named};
use logic::{ConstantInfo, Hint, Name};

use super::ptx::definition;
use super::{FileId, Session};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::Command;

/// What the definitions are made of.
const NEEDED: [&str; 2] = ["Word.concat", "FloatOps"];

/// Why a meaning is not there.
pub(super) enum NoMeaning {
    /// A constant of this name says something else.
    Fake(Name),
    /// The kernel refused it.
    Refused(Name, String),
}

impl Session<'_> {
    /// `ptx_isa`: the meanings belong to this script.
    pub(super) fn ptx_isa(&mut self, file: FileId, command: &Command) {
        let st = self.el.st;
        let missing = NEEDED
            .iter()
            .find(|n| self.el.env.get(st.name(n)).is_none());
        let mut error = |text: String, help: &str| {
            let mut d = Diagnostic::error("ptx.isa", text);
            d.span = Some(command.span);
            d.help.push(help.to_owned());
            self.el.messages.push(d);
        };
        if let Some(name) = missing {
            error(
                format!(
                    "the meanings of instructions speak of `{name}`, which is not declared here"
                ),
                "import lib.word and ptx.float first",
            );
        } else if let Some(other) = self.isa {
            let path = self.files[other].path.display();
            error(
                format!("the meanings of instructions belong to {path}"),
                "import that script instead",
            );
        } else {
            self.isa = Some(file);
        }
    }

    /// Whether a script may speak of the meanings of instructions; of whom they are.
    fn isa_of(&self, file: FileId) -> Option<FileId> {
        self.isa
            .filter(|isa| self.files[file].visible.contains(isa))
    }

    /// Declares the meanings that a command names. What cannot be declared is unknown to the command.
    pub(super) fn demand_named(&mut self, file: FileId, text: &str) {
        if self.isa_of(file).is_none() {
            return;
        }
        for name in names_in(text) {
            // `ptx.add.s32.eq_1`: the longest part that is a name in the table.
            let mut name = name;
            while !name.is_empty() {
                if let Some(d) = meaning_named(self.el.st, name) {
                    let _ = self.demand(file, d);
                    break;
                }
                name = name.rsplit_once('.').map_or("", |(head, _)| head);
            }
        }
    }

    /// Declares a meaning unless it is there.
    ///
    /// Errors: something else is there, or the kernel refuses it. If this script may not speak of meanings, nothing happens.
    pub(super) fn demand(&mut self, file: FileId, d: Definition) -> Result<(), NoMeaning> {
        let st = self.el.st;
        match self.el.env.get(d.name) {
            Some(ConstantInfo::Definition { sig, value, .. })
                if sig.univ_params.is_empty()
                    && st.canon(sig.ty) == st.canon(d.ty)
                    && st.canon(*value) == st.canon(d.value) =>
            {
                return Ok(());
            }
            Some(_) => return Err(NoMeaning::Fake(d.name)),
            None => {}
        }
        let Some(isa) = self.isa_of(file) else {
            return Ok(());
        };
        let decl = definition(d.name, d.ty, d.value, Hint::Regular(1));
        if let Err(e) = self.el.env.add(decl) {
            return Err(NoMeaning::Refused(d.name, e.display(st).to_string()));
        }
        self.owner.insert(d.name, isa);
        self.files[isa].constants.push(d.name);
        Ok(())
    }
}

/// What follows `ptx.` in the names of a text.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '\'';
    text.match_indices("ptx.")
        .filter(move |(at, _)| !text[..*at].ends_with(part))
        .map(move |(at, word)| {
            let rest = &text[at + word.len()..];
            let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
            rest[..end].trim_end_matches('.')
        })
}

#[cfg(test)]
mod tests {
    use super::names_in;

    #[test]
    fn names() {
        let text = "ptx.add.s32 (ptx.mul.wide.s32.eq_1), xptx.add Ptx.x «ptx.not.b32» see `ptx.or.b64`. ptx.";
        let found: Vec<&str> = names_in(text).collect();
        assert_eq!(
            found,
            ["add.s32", "mul.wide.s32.eq_1", "not.b32", "or.b64", ""]
        );
    }
}
