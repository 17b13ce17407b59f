//! Where output goes and how it looks: colours, progress.

use std::io::IsTerminal;

use crate::args::Color;

/// How to print.
pub struct Output {
    color_out: bool,
    color_err: bool,
    progress: bool,
}

impl Output {
    /// Decides from the arguments, the environment and the terminal.
    pub fn new(color: Color, quiet: bool) -> Self {
        let wanted = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        };
        Output {
            color_out: wanted(std::io::stdout().is_terminal()),
            color_err: wanted(std::io::stderr().is_terminal()),
            progress: !quiet && std::io::stderr().is_terminal(),
        }
    }

    /// Whether diagnostics have colours.
    pub fn color_err(&self) -> bool {
        self.color_err
    }

    /// Text in green, if standard output has colours.
    pub fn good(&self, s: &str) -> String {
        self.paint("32", s)
    }

    /// Text in red, if standard output has colours.
    pub fn bad(&self, s: &str) -> String {
        self.paint("31", s)
    }

    /// Text in bold, if standard output has colours.
    pub fn strong(&self, s: &str) -> String {
        self.paint("1", s)
    }

    /// Text in grey, if standard output has colours.
    pub fn faint(&self, s: &str) -> String {
        self.paint("2", s)
    }

    fn paint(&self, code: &str, s: &str) -> String {
        match self.color_out {
            true => format!("\x1b[{code}m{s}\x1b[0m"),
            false => s.to_owned(),
        }
    }

    /// Says on standard error what is being done, on a line that the next such message replaces.
    pub fn progress(&self, s: &str) {
        if self.progress {
            eprint!("\r\x1b[K{s}");
        }
    }

    /// Removes the progress line.
    pub fn end_progress(&self) {
        if self.progress {
            eprint!("\r\x1b[K");
        }
    }
}
