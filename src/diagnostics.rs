//! Diagnostics on a terminal, by miette: excerpts of scripts and of PTX, underlined.

use std::fmt;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode, SourceSpan,
};
use tactics::diagnostic::{Diagnostic, Severity, line_col};
use tactics::driver::FileReport;

use crate::output::{Output, printable};

/// A diagnostic with the text that it is about.
struct Shown<'a> {
    diagnostic: &'a Diagnostic,
    source: NamedSource<String>,
    help: Option<String>,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Shown<'_> {}

impl miette::Diagnostic for Shown<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.diagnostic.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Info => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let main = self.diagnostic.span.map(|s| (s, None));
        let others = self
            .diagnostic
            .labels
            .iter()
            .map(|(s, t)| (*s, Some(t.clone())));
        Some(Box::new(main.into_iter().chain(others).map(
            |(span, text)| {
                let at = SourceSpan::from(span.start as usize..span.end.max(span.start) as usize);
                LabeledSpan::new_with_span(text, at)
            },
        )))
    }
}

/// What is printed below the excerpt: goals, then notes.
fn below(d: &Diagnostic) -> String {
    let mut text = String::new();
    for (i, goal) in d.goals.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        for line in goal.lines() {
            text.push_str(&format!("    {line}\n"));
        }
    }
    for note in &d.notes {
        for (i, line) in note.lines().enumerate() {
            let start = if i == 0 { "  note: " } else { "        " };
            text.push_str(&format!("{start}{line}\n"));
        }
    }
    text
}

/// The diagnostic without control characters.
fn shown(d: &Diagnostic) -> Diagnostic {
    let mut d = d.clone();
    d.message = printable(&d.message);
    let labels = d.labels.iter_mut().map(|(_, text)| text);
    for text in labels
        .chain(&mut d.notes)
        .chain(&mut d.help)
        .chain(&mut d.goals)
    {
        *text = printable(text);
    }
    d
}

/// Lines longer than this are not shown: nobody could read them.
const LONGEST_LINE: usize = 10_000;

/// Renders one diagnostic about a text.
pub fn render(out: &Output, name: &str, source: &str, d: &Diagnostic) -> String {
    let source = printable(source);
    let source = source.as_str();
    let d = &shown(d);
    if source.lines().any(|l| l.len() > LONGEST_LINE) {
        let mut short = d.clone();
        let (line, column) = line_col(source, d.span.map_or(0, |s| s.start as usize));
        short.span = None;
        short.labels.clear();
        return short.render(&format!("{name}:{line}:{column}"), source);
    }
    let theme = match out.color_err() {
        true => GraphicalTheme::unicode(),
        false => GraphicalTheme::unicode_nocolor(),
    };
    let shown = Shown {
        diagnostic: d,
        source: NamedSource::new(name, source.to_owned()),
        help: (!d.help.is_empty()).then(|| d.help.join("\n")),
    };
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(110);
    match handler.render_report(&mut text, &shown) {
        Ok(()) => text + &below(d),
        Err(_) => d.render(name, source),
    }
}

/// Prints the diagnostics of a script, and those of the PTX files that it names, on standard error.
pub fn print(out: &Output, report: &FileReport) {
    let name = report.path.display().to_string();
    for d in &report.diagnostics {
        match d.severity {
            Severity::Info => out.complain(
                shown(d)
                    .render(&name, &printable(&report.source))
                    .trim_end(),
            ),
            // What it rests on has failed, and that was shown.
            _ if d.code == "elab.depends" => {
                let (line, column) =
                    line_col(&report.source, d.span.map_or(0, |s| s.start as usize));
                let text = printable(&d.message);
                out.complain(format_args!("{name}:{line}:{column}: {}: {text}", d.code));
            }
            _ => out.complain(render(out, &name, &report.source, d).trim_end()),
        }
    }
    for p in &report.ptx {
        let name = p.path.display().to_string();
        out.complain(render(out, &name, &p.source, &p.diagnostic).trim_end());
    }
}
