//! What is said during a run: progress, what kernels print, and steps.

use indicatif::ProgressBar;
use ptx::machine::{Observer, StepInfo};
use tactics::syntax::LineIndex;

use crate::args::RunArgs;
use crate::output::{Output, printable};
use crate::source::Text;

/// Listens to the machine for a user.
pub struct Watcher<'a> {
    out: &'a Output,
    ptx: &'a Text,
    lines: LineIndex,
    bar: ProgressBar,
    /// Words that a line of the trace has to have, if there is a trace.
    trace: Option<Vec<String>>,
    /// Whether what is printed is kept for later.
    silent: bool,
    printed: String,
}

impl<'a> Watcher<'a> {
    pub fn new(out: &'a Output, args: &RunArgs, ptx: &'a Text) -> Self {
        Watcher {
            out,
            ptx,
            lines: LineIndex::new(&ptx.text),
            bar: out.bar(),
            trace: args.trace.as_deref().map(words),
            silent: args.json,
            printed: String::new(),
        }
    }

    /// Ends the progress bar; what was printed.
    pub fn finish(self) -> String {
        self.bar.finish_and_clear();
        self.printed
    }
}

/// The words of a filter: `cta (1,0,0)` and `thread (1,0,0)` are one word each.
fn words(filter: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in filter.split_whitespace() {
        match all.last_mut() {
            Some(last) if word.starts_with('(') && matches!(last.as_str(), "cta" | "thread") => {
                last.push(' ');
                last.push_str(word);
            }
            _ => all.push(word.to_owned()),
        }
    }
    all
}

/// `(1,0,0)`: where a CTA or a thread is.
pub fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}

impl Observer for Watcher<'_> {
    fn wants_steps(&self) -> bool {
        self.trace.is_some()
    }

    fn step(&mut self, step: &StepInfo<'_>) {
        let Some(words) = &self.trace else { return };
        let site = step.site;
        let text = self
            .ptx
            .text
            .get(site.span.start as usize..site.span.end as usize);
        let text = text.unwrap_or(&site.opcode);
        let text: Vec<&str> = text.split_whitespace().collect();
        let registers: Vec<String> = step
            .registers
            .iter()
            .map(|(name, word)| format!("{name} = {word:#x}"))
            .collect();
        let line = self.lines.line(site.span.start) + 1;
        let line = format!(
            "cta {} thread {} line {line}: {}{}{}",
            triple(step.cta),
            triple(step.thread),
            text.join(" "),
            if step.active { "" } else { "  (not done)" },
            if registers.is_empty() {
                String::new()
            } else {
                format!("  {}", registers.join(", "))
            }
        );
        if words.iter().all(|w| line.contains(w.as_str())) {
            self.bar.suspend(|| self.out.say(printable(&line)));
        }
    }

    fn progress(&mut self, done: u64, all: u64, instructions: u64) {
        self.bar.set_length(all);
        self.bar.set_position(done);
        self.bar.set_message(format!("{instructions} instructions"));
    }

    fn print(&mut self, text: &str) {
        self.printed.push_str(text);
        if !self.silent {
            let text = printable(text);
            self.bar
                .suspend(|| self.out.say(text.strip_suffix('\n').unwrap_or(&text)));
        }
    }
}
