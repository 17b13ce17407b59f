//! From an opcode to its form: the table compiled once, and indexed by the base of the opcode.

use std::fmt;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::row::{Form, Row};
use super::syntax::{Given, Group, Line, Part};
use super::{Any, table};

struct Index {
    lines: Vec<Line>,
    by_base: FxHashMap<&'static str, Vec<usize>>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let lines: Vec<Line> = table::<Any>()
        .map(|row: &Row<Any>| Line::new(row.syntax, row.slots))
        .collect();
    let mut by_base: FxHashMap<&'static str, Vec<usize>> = FxHashMap::default();
    for (i, line) in lines.iter().enumerate() {
        by_base.entry(line.base).or_default().push(i);
    }
    Index { lines, by_base }
});

impl Line {
    fn form(&self, row: usize, chosen: &[Option<&'static str>]) -> Form {
        let (mut words, mut opcode) = (Vec::new(), self.base.to_owned());
        for (part, word) in self.parts.iter().zip(chosen) {
            if let Some(w) = word {
                opcode.push('.');
                opcode.push_str(w);
                words.extend(part.slot().map(|s| (s, *w)));
            }
        }
        let operands = self.groups(&words);
        Form::new(row, words, opcode, operands)
    }
}

/// The rows that an opcode matches, with their slots filled. Rows with the same opcodes differ in their operands:
/// [`form_for`] chooses.
pub fn forms_of(opcode: &str) -> Vec<Form> {
    let words: Vec<&str> = opcode.split('.').collect();
    let Some((base, words)) = words.split_first() else {
        return Vec::new();
    };
    let rows = INDEX.by_base.get(base).map_or(&[][..], Vec::as_slice);
    let matching = |i: &usize| {
        let line = &INDEX.lines[*i];
        line.assign(words).map(|chosen| line.form(*i, &chosen))
    };
    rows.iter().filter_map(matching).collect()
}

/// Why an instruction has no form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoForm {
    /// The table has no such opcode.
    Opcode,
    /// The opcode is known, but takes other operands: the syntax lines that it has.
    Operands(Vec<&'static str>),
}

impl fmt::Display for NoForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoForm::Opcode => write!(f, "the opcode is not in the table"),
            NoForm::Operands(lines) => write!(
                f,
                "the operands are not those of `{}`",
                lines.join("` or `")
            ),
        }
    }
}

impl std::error::Error for NoForm {}

/// The one form of an opcode that takes these operands.
///
/// This is where instructions with the same opcode are told apart: `mov.u32 %r1, %tid.x` from `mov.u32 %r1, %r2`,
/// `mov.b64 {%r1, %r2}, %rd1` from `mov.b64 %rd1, {%r1, %r2}`, `setp.lt.s32 %p1|%p2, …` from `setp.lt.s32 %p1, …`.
///
/// Errors: no row has this opcode, or none of those that have it takes these operands.
pub fn form_for(opcode: &str, given: &[Given]) -> Result<Form, NoForm> {
    let forms = forms_of(opcode);
    if forms.is_empty() {
        return Err(NoForm::Opcode);
    }
    match choose(&forms, given) {
        Some(f) => Ok(f.clone()),
        None => Err(NoForm::Operands(forms.iter().map(Form::syntax).collect())),
    }
}

/// The first of these forms that takes these operands.
pub fn choose<'f>(forms: &'f [Form], given: &[Given]) -> Option<&'f Form> {
    forms.iter().find(|f| Group::all_take(&f.operands, given))
}

/// Every form of a row, in the order of the slots' words.
pub fn forms_of_row(row: usize) -> Vec<Form> {
    let Some(line) = INDEX.lines.get(row) else {
        return Vec::new();
    };
    let mut all: Vec<Vec<Option<&'static str>>> = vec![Vec::new()];
    for part in &line.parts {
        let choices: Vec<Option<&'static str>> = match part {
            Part::Word(w) => vec![Some(*w)],
            Part::Maybe(w) => vec![None, Some(*w)],
            Part::Slot(s) => s.1.iter().copied().map(Some).collect(),
            Part::Optional(s) => std::iter::once(None)
                .chain(s.1.iter().copied().map(Some))
                .collect(),
        };
        all = all
            .iter()
            .flat_map(|chosen| {
                choices.iter().map(move |c| {
                    let mut chosen = chosen.clone();
                    chosen.push(*c);
                    chosen
                })
            })
            .collect();
    }
    all.iter().map(|chosen| line.form(row, chosen)).collect()
}
