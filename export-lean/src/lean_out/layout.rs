//! Breaking long terms into lines.
//!
//! A document is text with places where a line may break. A group is printed flat if it fits into the rest of its
//! line; otherwise all its own breaks are taken, and its inner groups decide for themselves.

/// The width that lines keep to where they can.
const WIDTH: usize = 110;

/// From this column on a step further in is one space instead of two. It is never none: Lean wants what belongs to a
/// `let` to be right of it.
const DEEP: usize = 64;

/// A document.
#[derive(Clone, Debug)]
pub(super) enum Doc {
    /// Text without line breaks.
    Text(String),
    /// A space, or a line break followed by the indentation of the group.
    Line,
    /// Parts that are laid out together, one step further in, and the width of all of them on one line.
    Group(Vec<Doc>, usize),
}

impl Doc {
    /// Text.
    pub fn text(s: impl Into<String>) -> Doc {
        Doc::Text(s.into())
    }

    /// A group.
    pub fn group(parts: Vec<Doc>) -> Doc {
        let width = parts.iter().map(Doc::width).sum();
        Doc::Group(parts, width)
    }

    /// The width on one line.
    pub fn width(&self) -> usize {
        match self {
            Doc::Text(s) => s.chars().count(),
            Doc::Line => 1,
            Doc::Group(_, w) => *w,
        }
    }

    /// Whether the document is one word, which needs no parentheses.
    fn is_word(&self) -> bool {
        matches!(self, Doc::Text(s) if !s.contains(' '))
    }

    /// The document as an argument.
    pub fn argument(self) -> Doc {
        if self.is_word() {
            self
        } else {
            self.parenthesized()
        }
    }

    /// The document in parentheses.
    pub fn parenthesized(mut self) -> Doc {
        if matches!(&self, Doc::Text(s) if s.starts_with('(')) {
            return self;
        }
        let mut parts = vec![Doc::text("(")];
        match &mut self {
            Doc::Group(inner, _) => parts.append(inner),
            _ => parts.push(self),
        }
        parts.push(Doc::text(")"));
        Doc::group(parts)
    }

    /// Appends the document to `out`, whose last line has the given indentation.
    pub fn render(&self, indent: usize, out: &mut String) {
        let line_start = out.rfind('\n').map_or(0, |i| i + 1);
        let mut column = out[line_start..].chars().count();
        let mut todo = vec![(self, indent, false)];
        while let Some((doc, indent, flat)) = todo.pop() {
            match doc {
                Doc::Text(s) => {
                    out.push_str(s);
                    column += s.chars().count();
                }
                Doc::Line if flat => {
                    out.push(' ');
                    column += 1;
                }
                Doc::Line => {
                    out.push('\n');
                    out.extend(std::iter::repeat_n(' ', indent));
                    column = indent;
                }
                Doc::Group(parts, width) => {
                    let flat = flat || column + width <= WIDTH;
                    let step = if indent < DEEP { 2 } else { 1 };
                    let inner = if flat { indent } else { indent + step };
                    todo.extend(parts.iter().rev().map(|p| (p, inner, flat)));
                }
            }
        }
    }
}

impl Drop for Doc {
    /// Takes deep documents apart without recursion.
    fn drop(&mut self) {
        let Doc::Group(parts, _) = self else {
            return;
        };
        let mut todo = std::mem::take(parts);
        while let Some(mut doc) = todo.pop() {
            if let Doc::Group(parts, _) = &mut doc {
                todo.append(parts);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_when_it_fits() {
        let app = |f: &str, a: Doc| Doc::group(vec![Doc::text(f), Doc::Line, a.argument()]);
        let inner = app("g", Doc::text("x"));
        let mut out = String::new();
        app("f", inner.clone()).render(0, &mut out);
        assert_eq!(out, "f (g x)");
        let mut out = String::new();
        app(&"f".repeat(WIDTH), inner).render(0, &mut out);
        assert_eq!(out, format!("{}\n  (g x)", "f".repeat(WIDTH)));
    }
}
