//! What is wrong with a launch file.

use std::fmt;
use std::ops::Range;

/// An error in a launch file, or in what it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError {
    /// What is wrong: one sentence.
    pub message: String,
    /// Where, in bytes of the launch file.
    pub span: Option<Range<usize>>,
    /// What is there: parameters, entries, fields.
    pub help: Vec<String>,
    /// A word that nothing is called, and what things are called, for a near match.
    pub unknown: Option<(String, Vec<String>)>,
}

impl LaunchError {
    /// An error without a place.
    pub fn new(message: impl Into<String>) -> Self {
        LaunchError {
            message: message.into(),
            span: None,
            help: Vec::new(),
            unknown: None,
        }
    }

    /// The same at a place, unless it has one.
    pub fn at(mut self, span: Range<usize>) -> Self {
        self.span.get_or_insert(span);
        self
    }

    /// The same with a help line.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// The same about a word that nothing is called.
    pub fn unknown(mut self, word: &str, known: impl IntoIterator<Item = String>) -> Self {
        self.unknown = Some((word.to_owned(), known.into_iter().collect()));
        self
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LaunchError {}
