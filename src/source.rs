//! A file that a command reads; of a PTX file, what is said about its text.

use std::path::Path;

use ptx::text::{ast, span};
use tactics::diagnostic::Diagnostic;
use tactics::syntax::ast::Span;

use crate::diagnostics;
use crate::output::Output;

/// A text with its name.
pub struct Text {
    pub name: String,
    pub text: String,
}

impl Text {
    /// Reads a file.
    ///
    /// Errors: a message.
    pub fn read(path: &Path) -> Result<Text, String> {
        let name = path.display().to_string();
        let bytes = tactics::driver::read_file(path);
        let bytes = bytes.map_err(|e| format!("error: cannot read {name}: {e}"))?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Text { name, text }),
            Err(_) => Err(format!("error: cannot read {name}: it is not UTF-8 text")),
        }
    }

    /// A message about a place.
    pub fn message(
        &self,
        out: &Output,
        code: &'static str,
        span: span::Span,
        (message, help): (String, String),
    ) -> String {
        let mut d = Diagnostic::error(code, message);
        d.span = Some(Span::new(span.start, span.end));
        d.help.push(help);
        diagnostics::render(out, &self.name, &self.text, &d)
    }

    /// The syntax tree.
    ///
    /// Errors: a message.
    pub fn parse(&self, out: &Output) -> Result<ast::Module, String> {
        ptx::text::parse(&self.text).map_err(|e| {
            let said = (e.to_string(), e.help());
            self.message(out, "ptx.syntax", e.span, said)
        })
    }

    /// A message about what does not resolve.
    pub fn unresolved(&self, out: &Output, e: &ptx::module::Error) -> String {
        self.message(out, "ptx.resolve", e.span, (e.to_string(), e.help()))
    }
}
