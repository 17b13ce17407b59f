//! Byte offsets to lines and columns.

use super::ast::Span;

/// The line starts of a text, to turn byte offsets into places that people read.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<u32>,
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineCol {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub col: u32,
}

impl LineIndex {
    /// The index of `text`.
    pub fn new(text: &str) -> LineIndex {
        let mut starts = vec![0];
        starts.extend(
            text.bytes()
                .enumerate()
                .filter(|&(_, b)| b == b'\n')
                .map(|(i, _)| i as u32 + 1),
        );
        LineIndex { starts }
    }

    /// The line (from 0) that holds the byte at `offset`.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32 - 1
    }

    /// Where the line (from 0) begins; the last line's start if there is no such line.
    pub fn line_start(&self, line: u32) -> u32 {
        let last = self.starts.len() - 1;
        self.starts[(line as usize).min(last)]
    }

    /// The number of lines; a text that ends in a newline has an empty last line.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Line and column of a byte offset in `text`, which must be the text that was indexed. An offset past the end
    /// or inside a character counts as the next boundary before it.
    pub fn line_col(&self, text: &str, offset: u32) -> LineCol {
        let line = self.line(offset);
        let start = self.line_start(line) as usize;
        let mut end = (offset as usize).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let col = text.get(start..end).map_or(0, |s| s.chars().count()) as u32;
        LineCol {
            line: line + 1,
            col: col + 1,
        }
    }

    /// The bytes of a line (from 0) without its line break.
    pub fn line_span(&self, text: &str, line: u32) -> Span {
        let start = self.line_start(line);
        let rest = text.get(start as usize..).unwrap_or("");
        let len = rest.find(['\n', '\r']).unwrap_or(rest.len());
        Span::new(start, start + len as u32)
    }
}
