//! The goals at a place of a script: its imports and what stands before the place are checked, what comes after is not.

use std::fmt;
use std::path::Path;

use super::{FileReport, LoadError, Session, load};
use crate::diagnostic::{line_col, offset_of};
pub use crate::elab::watch::When;

/// The goals at a place, and what was said on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoalsAt {
    /// Which goals they are.
    pub when: When,
    /// The tactic or term, as written.
    pub text: String,
    /// Its first line, from 1.
    pub line: usize,
    /// Its column in that line, in characters from 1.
    pub column: usize,
    /// The goals: hypotheses, then `⊢`, printed.
    pub goals: Vec<String>,
}

/// Why there are no goals to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GoalError {
    /// The script cannot be read.
    Load(LoadError),
    /// There is no such place: the script has fewer lines, or the line fewer columns.
    NoSuchPlace {
        /// How many lines there are.
        lines: usize,
        /// How many columns the line has, if there is one.
        columns: Option<usize>,
    },
    /// No tactic and no term is there, or elaboration did not come there.
    Nothing,
}

impl fmt::Display for GoalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GoalError::Load(e) => e.fmt(f),
            GoalError::NoSuchPlace {
                lines,
                columns: None,
            } => write!(f, "the script has only {lines} lines"),
            GoalError::NoSuchPlace {
                columns: Some(n), ..
            } => write!(f, "the line has only {n} columns"),
            GoalError::Nothing => f.write_str("no tactic and no term was elaborated at this place"),
        }
    }
}

impl Session<'_> {
    /// The goals at a line and column (from 1, columns in characters) of a script that this session has not read yet.
    /// At a tactic they are those before it, in the blank space behind one those after it; at a term that is in no tactic, what is
    /// expected of it. The last of [`Session::reports`] is that of the script up to the declaration at the place.
    pub fn goals_at(
        &mut self,
        path: &Path,
        line: usize,
        column: usize,
    ) -> Result<GoalsAt, GoalError> {
        let path = load::normalize(path);
        let source = self.source(&path).map_err(GoalError::Load)?;
        let at = offset_of(&source, line, column)
            .map_err(|(lines, columns)| GoalError::NoSuchPlace { lines, columns })?;
        let at = settle(&source, at) as u32;
        let mut report = FileReport::new(&path, source);
        let found = self.run_until(&path, at, &mut report);
        let goals = found.map(|g| {
            let (start, end) = (g.span.start as usize, g.span.end as usize);
            let (line, column) = line_col(&report.source, start);
            GoalsAt {
                when: g.when,
                text: report.source.get(start..end).unwrap_or_default().to_owned(),
                line,
                column,
                goals: g.goals,
            }
        });
        self.reports.push(report);
        goals.ok_or(GoalError::Nothing)
    }
}

/// A place in blank space belongs to what stands before it in its line, otherwise to what comes next, and at the end of a
/// paragraph to what stands before.
fn settle(source: &str, at: usize) -> usize {
    let blank = source[at..].chars().next().is_none_or(char::is_whitespace);
    if !blank {
        return at;
    }
    let before = source[..at].trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
    if !before.is_empty() && !before.ends_with('\n') {
        return before.len();
    }
    let rest = &source[at..];
    let next = at + (rest.len() - rest.trim_start().len());
    let indented = source[..next].ends_with([' ', '\t']);
    match indented && next < source.len() {
        true => next,
        false => source[..at].trim_end().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::settle;

    #[test]
    fn blank_space_belongs_to_its_line_or_to_what_comes_next() {
        let s = "theorem t : p := by\n  intro h  \n\n  exact h\n\n\ntheorem u";
        let intro = s.find("intro").unwrap();
        let exact = s.find("exact").unwrap();
        assert_eq!(settle(s, intro), intro);
        assert_eq!(settle(s, intro - 1), intro, "indentation");
        assert_eq!(settle(s, intro + 7), intro + 7, "just behind");
        assert_eq!(settle(s, intro + 9), intro + 7, "at the end of the line");
        assert_eq!(settle(s, intro + 10), exact, "an empty line inside");
        assert_eq!(settle(s, exact + 8), exact + 7, "an empty line at the end");
        assert_eq!(settle(s, s.len()), s.len());
    }
}
