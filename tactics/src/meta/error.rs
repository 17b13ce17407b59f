//! How elaboration and tactics fail.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::Span;

/// Why a step of elaboration did not succeed.
#[derive(Clone, Debug)]
pub enum ElabError {
    /// Not enough is known yet; try again when more metavariables are assigned.
    Postpone,
    /// A message for the user.
    Fail(Box<Diagnostic>),
}

/// What a tactic fails with.
pub type TacticError = ElabError;

/// Results of elaboration.
pub type Result<T> = std::result::Result<T, ElabError>;

impl ElabError {
    /// An error at a place.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        let mut d = Diagnostic::error("elab", message);
        d.span = Some(span);
        ElabError::Fail(Box::new(d))
    }

    /// An error without a place; the framework fills in the place of the tactic or term it runs.
    pub fn msg(message: impl Into<String>) -> Self {
        ElabError::Fail(Box::new(Diagnostic::error("elab", message)))
    }

    fn map(mut self, f: impl FnOnce(&mut Diagnostic)) -> Self {
        if let ElabError::Fail(d) = &mut self {
            f(d);
        }
        self
    }

    /// Sets the stable code.
    pub fn code(self, code: &'static str) -> Self {
        self.map(|d| d.code = code)
    }

    /// Adds a note.
    pub fn note(self, s: impl Into<String>) -> Self {
        self.map(|d| d.notes.push(s.into()))
    }

    /// Adds a hint at what would work.
    pub fn help(self, s: impl Into<String>) -> Self {
        self.map(|d| d.help.push(s.into()))
    }

    /// Points at a further place.
    pub fn label(self, span: Span, s: impl Into<String>) -> Self {
        self.map(|d| d.labels.push((span, s.into())))
    }

    /// Adds a printed goal.
    pub fn goal_text(self, s: impl Into<String>) -> Self {
        self.map(|d| d.goals.push(s.into()))
    }

    /// Fills in the place if there is none yet.
    pub fn at(self, span: Span) -> Self {
        self.map(|d| {
            if d.span.is_none() {
                d.span = Some(span);
            }
        })
    }

    /// The message, for tests and for tactics that try several ways.
    pub fn message(&self) -> &str {
        match self {
            ElabError::Postpone => "not enough is known about this term's type",
            ElabError::Fail(d) => &d.message,
        }
    }

    /// Whether it is the error with a stable code.
    pub fn has_code(&self, code: &str) -> bool {
        matches!(self, ElabError::Fail(d) if d.code == code)
    }

    /// As a diagnostic.
    pub fn into_diagnostic(self) -> Diagnostic {
        match self {
            ElabError::Postpone => {
                Diagnostic::error("elab.stuck", "not enough is known about this term's type")
            }
            ElabError::Fail(d) => *d,
        }
    }
}
