//! Where something stands in a PTX text.

use std::fmt;

/// A half-open range of byte offsets into the text that was parsed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` to `end`.
    pub fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// The same as a range of `usize`, ready to slice the text with.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Line and column (both from 1, columns in characters) of the start of this span in `text`.
    pub fn line_column(self, text: &str) -> (usize, usize) {
        let mut start = (self.start as usize).min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let before = &text[..start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        (line, column)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
