//! The one type of message to a user, independent of how it is shown.

use std::fmt::Write as _;

use crate::syntax::ast::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// An answer to `#check`, `#print` and the like.
    Info,
    /// Suspicious, but the declaration stands.
    Warning,
    /// The declaration fails.
    Error,
}

/// A message about a place of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable short code (`elab.type_mismatch`), for tests and for the book.
    pub code: &'static str,
    /// The message: one sentence, terms included.
    pub message: String,
    /// Where; `None` until somebody knows.
    pub span: Option<Span>,
    /// Further places, each with a short text.
    pub labels: Vec<(Span, String)>,
    /// What was found on the way.
    pub notes: Vec<String>,
    /// What would work.
    pub help: Vec<String>,
    /// Goals (hypotheses, then `⊢`), printed.
    pub goals: Vec<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            span: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            goals: Vec::new(),
        }
    }

    /// An answer.
    pub fn info(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Info,
            span: Some(span),
            ..Diagnostic::error("info", message)
        }
    }

    /// A plain rendering: `file:line:col`, the message, the underlined source line, goals, notes, help.
    pub fn render(&self, file: &str, source: &str) -> String {
        let mut out = String::new();
        let kind = match self.severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        match self.span {
            Some(span) => {
                let (line, col) = line_col(source, span.start as usize);
                let _ = writeln!(out, "{file}:{line}:{col}: {kind}: {}", self.message);
                if self.severity != Severity::Info {
                    excerpt(&mut out, source, span, None);
                }
            }
            None => {
                let _ = writeln!(out, "{file}: {kind}: {}", self.message);
            }
        }
        for (span, text) in &self.labels {
            excerpt(&mut out, source, *span, Some(text));
        }
        for g in &self.goals {
            for line in g.lines() {
                let _ = writeln!(out, "    {line}");
            }
            out.push('\n');
        }
        for n in &self.notes {
            let _ = writeln!(out, "  note: {n}");
        }
        for h in &self.help {
            let _ = writeln!(out, "  help: {h}");
        }
        out
    }
}

/// Line and column (both from 1, columns in characters) of a byte offset.
pub fn line_col(source: &str, offset: usize) -> (usize, usize) {
    let offset = floor_char(source, offset);
    let before = &source[..offset];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (line, before[start..].chars().count() + 1)
}

/// The byte offset of a line and column (both from 1, columns in characters); one column behind the end of a line is a
/// place too.
///
/// Errors: how many lines there are; and, if there is the line, how many columns it has.
pub fn offset_of(
    source: &str,
    line: usize,
    column: usize,
) -> Result<usize, (usize, Option<usize>)> {
    let lines = source.split('\n').count();
    let text = line.checked_sub(1).and_then(|n| source.split('\n').nth(n));
    let text = text.ok_or((lines, None))?;
    let columns = text.chars().count() + 1;
    if column == 0 || column > columns {
        return Err((lines, Some(columns)));
    }
    let start = text.as_ptr() as usize - source.as_ptr() as usize;
    let within: usize = text.chars().take(column - 1).map(char::len_utf8).sum();
    Ok(start + within)
}

/// How many characters of a source line are shown.
const MAX_LINE: usize = 160;

fn floor_char(source: &str, offset: usize) -> usize {
    let mut o = offset.min(source.len());
    while !source.is_char_boundary(o) {
        o -= 1;
    }
    o
}

fn excerpt(out: &mut String, source: &str, span: Span, text: Option<&str>) {
    let start = floor_char(source, span.start as usize);
    let (line, col) = line_col(source, start);
    let line_start = source[..start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = source[start..]
        .find('\n')
        .map_or(source.len(), |i| start + i);
    let end = floor_char(source, span.end as usize).clamp(start, line_end);
    let width = source[start..end].chars().count().max(1);
    let gutter = line.to_string();
    // Of a long line only the neighbourhood is shown.
    let line: Vec<char> = source[line_start..line_end].chars().collect();
    let from = if line.len() > MAX_LINE {
        (col - 1).saturating_sub(MAX_LINE / 2)
    } else {
        0
    };
    let to = (from + MAX_LINE).min(line.len());
    let shown: String = line[from..to].iter().collect();
    let (before, after) = (
        if from > 0 { "…" } else { "" },
        if to < line.len() { "…" } else { "" },
    );
    let _ = writeln!(out, "  {gutter} | {before}{shown}{after}");
    let _ = writeln!(
        out,
        "  {} | {}{}{}",
        " ".repeat(gutter.len()),
        " ".repeat(col - 1 - from + before.chars().count()),
        "^".repeat(width.min(MAX_LINE)),
        text.map(|t| format!(" {t}")).unwrap_or_default()
    );
}
