//! Where output goes and how it looks: colours, progress, and what happens when nobody reads it.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use crate::args::Color;

/// How to print.
pub struct Output {
    color_out: bool,
    color_err: bool,
    progress: bool,
    timings: bool,
    /// Why nothing more can be written to standard output.
    failed: Mutex<Option<std::io::Error>>,
}

impl Output {
    /// Decides from the arguments, the environment and the terminal.
    pub fn new(color: Color, quiet: bool, timings: bool) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let wanted = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !dumb && !no_color,
        };
        Output {
            color_out: wanted(std::io::stdout().is_terminal()),
            color_err: wanted(std::io::stderr().is_terminal()),
            progress: !quiet && !dumb && std::io::stderr().is_terminal(),
            timings,
            failed: Mutex::new(None),
        }
    }

    /// Whether diagnostics have colours.
    pub fn color_err(&self) -> bool {
        self.color_err
    }

    /// Writes a line to standard output. After a failure nothing more is written; [`Output::finish`] tells.
    pub fn say(&self, text: impl fmt::Display) {
        let Ok(mut failed) = self.failed.lock() else {
            return;
        };
        if failed.is_none() {
            *failed = writeln!(std::io::stdout(), "{text}").err();
        }
    }

    /// Writes to standard output as a file; `Ok` if its reader went away.
    pub fn bytes(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut sink = Sink { gone: false };
        match write(&mut sink) {
            Err(_) if sink.gone => Ok(()),
            result => result,
        }
    }

    /// Writes a line to standard error, if it can be written to.
    pub fn complain(&self, text: impl fmt::Display) {
        self.end_progress();
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// The exit code: `code`, unless the output was lost. That its reader closed the pipe (`| head`) loses nothing.
    pub fn finish(&self, code: u8) -> u8 {
        let failed = self.failed.lock().ok().and_then(|mut f| f.take());
        match failed.or_else(|| std::io::stdout().flush().err()) {
            Some(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                self.complain(format_args!("error: cannot write to standard output: {e}"));
                crate::CANNOT_READ
            }
            _ => code,
        }
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
        match self.color_out && !s.is_empty() {
            true => format!("\x1b[{code}m{s}\x1b[0m"),
            false => s.to_owned(),
        }
    }

    /// Says on standard error what is being done, on a line that the next such message replaces.
    pub fn progress(&self, s: impl fmt::Display) {
        if self.progress {
            let _ = write!(std::io::stderr(), "\r\x1b[K{s}");
        }
    }

    /// A progress bar on standard error, if there is to be one.
    pub fn bar(&self) -> ProgressBar {
        if !self.progress {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} CTAs, {msg}") {
            bar.set_style(style);
        }
        bar
    }

    /// Says on standard error how long something took since `start`, if times are wanted.
    pub fn time(&self, start: Instant, what: impl fmt::Display) {
        if self.timings {
            let seconds = start.elapsed().as_secs_f64();
            self.complain(format_args!("{seconds:9.3} s  {what}"));
        }
    }

    /// Removes the progress line.
    pub fn end_progress(&self) {
        if self.progress {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// A text without control characters, which could make a terminal show something else than what is there. The bytes keep
/// their places.
pub fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let harmless = !c.is_control() || matches!(c, '\n' | '\t' | '\r');
            let shown = if harmless { c } else { '?' };
            std::iter::repeat_n(shown, if harmless { 1 } else { c.len_utf8() })
        })
        .collect()
}

/// Standard output, which remembers whether its reader went away.
struct Sink {
    gone: bool,
}

impl Write for Sink {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        let result = std::io::stdout().write(buf);
        self.gone |= matches!(&result, Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe);
        result
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stdout().flush()
    }
}
