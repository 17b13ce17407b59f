//! Rows of the opcode table: a syntax line in the manual's notation, and what it means.

use std::fmt;

use super::types;
use crate::alg::WordAlg;

/// The words that may stand for a variable part of an opcode, `.type = { .u16, .u32 }` in the manual.
pub type Slot = (&'static str, &'static [&'static str]);

/// One instruction form.
pub struct Row<A: WordAlg> {
    /// The manual's syntax line: the opcode with its slots (`{.nc}` is optional), then the operands. An operand of an
    /// `alu` row has a width: a type, a slot, or `wide` (twice the slot `type`): `"mul.wide.type d:wide, a:type, b:type"`.
    pub syntax: &'static str,
    /// The words of the slots.
    pub slots: &'static [Slot],
    /// Section and title in the manual (PTX ISA 9.4).
    pub section: &'static str,
    /// What the instruction does, in a sentence.
    pub says: &'static str,
    /// How it acts.
    pub shape: Shape<A>,
}

/// What kind of thing an instruction does. Every shape is a constructor of `Ptx.Instr` in the logic.
pub enum Shape<A: WordAlg> {
    /// A function of words.
    Alu(fn(&mut A, &Form, &[A::Word]) -> A::Word),
    /// A function of words that uses float operations.
    Float(fn(&mut A, &Form, &[A::Word]) -> A::Word),
    /// Reads a special register.
    Special,
    /// Loads from a kernel parameter.
    LdParam,
    /// Loads from memory.
    Ld,
    /// Stores to memory.
    St,
    /// Goes to a label.
    Bra,
    /// Ends the function: of a kernel, the thread.
    Ret,
    /// Ends the thread.
    Exit,
}

impl<A: WordAlg> Shape<A> {
    /// The name of the shape.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Alu(_) | Shape::Float(_) => "alu",
            Shape::Special => "sreg",
            Shape::LdParam => "ldParam",
            Shape::Ld => "ld",
            Shape::St => "st",
            Shape::Bra => "bra",
            Shape::Ret => "ret",
            Shape::Exit => "exit",
        }
    }
}

/// A row with words chosen for its slots: one opcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The index of the row in the table.
    pub row: usize,
    /// The chosen words, in the order of the opcode; an optional slot that is left out is missing.
    pub words: Vec<(&'static str, &'static str)>,
    /// The opcode as written.
    pub opcode: String,
}

impl Form {
    /// The word chosen for a slot, or `""`.
    pub fn word(&self, slot: &str) -> &'static str {
        self.words
            .iter()
            .find(|(s, _)| *s == slot)
            .map_or("", |(_, w)| w)
    }

    /// The width of the slot `type`; 0 if there is none.
    pub fn width(&self) -> u32 {
        self.width_of("type")
    }

    /// The width of the type in a slot; 0 if there is none.
    pub fn width_of(&self, slot: &str) -> u32 {
        types::width(self.word(slot)).unwrap_or(0)
    }

    /// Whether the type in the slot `type` is signed.
    pub fn signed(&self) -> bool {
        types::is_signed(self.word("type"))
    }
}

/// Operands that an instruction form does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandMismatch {
    /// The opcode.
    pub opcode: String,
    /// The widths that it takes.
    pub wanted: Vec<u32>,
    /// The widths that it was given.
    pub given: Vec<u32>,
}

impl fmt::Display for OperandMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` takes operands of widths {:?}, not {:?}",
            self.opcode, self.wanted, self.given
        )
    }
}

impl std::error::Error for OperandMismatch {}

/// A part of a syntax line's opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'r> {
    Word(&'static str),
    Slot(&'r Slot),
    Optional(&'r Slot),
}

impl<A: WordAlg> Row<A> {
    fn opcode(&self) -> &'static str {
        self.syntax.split(' ').next().unwrap_or_default()
    }

    /// The base of the opcode, before the first dot.
    pub fn base(&self) -> &'static str {
        self.opcode().split(['.', '{']).next().unwrap_or_default()
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let slot = |name: &str| self.slots.iter().find(|(s, _)| *s == name);
        let mut parts = Vec::new();
        // "ld.global{.nc}{.vec}.type": optional parts are in braces, and nothing else has braces.
        for piece in self.opcode().split('{') {
            let (optional, rest) = piece
                .split_once('}')
                .map_or((None, piece), |(o, r)| (Some(o), r));
            if let Some(s) = optional.and_then(|o| slot(&o[1..])) {
                parts.push(Part::Optional(s));
            }
            for word in rest.split('.').filter(|w| !w.is_empty()) {
                parts.push(slot(word).map_or(Part::Word(word), Part::Slot));
            }
        }
        parts
    }

    /// The choice of slots that makes this row the given opcode.
    pub fn matches(&self, row: usize, opcode: &str) -> Option<Form> {
        fn go(
            parts: &[Part<'_>],
            words: &[&str],
            chosen: &mut Vec<(&'static str, &'static str)>,
        ) -> bool {
            let Some((part, parts)) = parts.split_first() else {
                return words.is_empty();
            };
            let (slot, optional) = match part {
                Part::Word(w) => return words.first() == Some(w) && go(parts, &words[1..], chosen),
                Part::Slot(s) => (s, false),
                Part::Optional(s) => (s, true),
            };
            if let Some((word, rest)) = words.split_first()
                && let Some(choice) = slot.1.iter().find(|c| *c == word)
            {
                chosen.push((slot.0, choice));
                if go(parts, rest, chosen) {
                    return true;
                }
                chosen.pop();
            }
            optional && go(parts, words, chosen)
        }
        let words: Vec<&str> = opcode.split('.').collect();
        let mut chosen = Vec::new();
        let found = go(&self.parts(), &words, &mut chosen);
        found.then(|| Form {
            row,
            words: chosen,
            opcode: opcode.to_owned(),
        })
    }

    /// Every opcode of this row, in the order of the slots' words.
    pub fn forms(&self, row: usize) -> Vec<Form> {
        let mut forms = vec![Form {
            row,
            words: Vec::new(),
            opcode: String::new(),
        }];
        let with = |f: &Form, slot: Option<&'static str>, word: &'static str| {
            let mut f = f.clone();
            if !f.opcode.is_empty() {
                f.opcode.push('.');
            }
            f.opcode.push_str(word);
            f.words.extend(slot.map(|s| (s, word)));
            f
        };
        for part in self.parts() {
            forms = match part {
                Part::Word(w) => forms.iter().map(|f| with(f, None, w)).collect(),
                Part::Slot(s) => forms
                    .iter()
                    .flat_map(|f| s.1.iter().map(|w| with(f, Some(s.0), w)))
                    .collect(),
                Part::Optional(s) => forms
                    .iter()
                    .flat_map(|f| {
                        std::iter::once(f.clone()).chain(s.1.iter().map(|w| with(f, Some(s.0), w)))
                    })
                    .collect(),
            };
        }
        forms
    }

    /// The widths of the operands in the syntax line, the destination first; `None` for one without a width.
    pub fn operand_widths(&self, form: &Form) -> Vec<Option<u32>> {
        let Some((_, operands)) = self.syntax.split_once(' ') else {
            return Vec::new();
        };
        let width = |name: &str| match name {
            "wide" => Some(2 * form.width()),
            name if self.slots.iter().any(|(s, _)| *s == name) => types::width(form.word(name)),
            name => types::width(name),
        };
        operands
            .split(", ")
            .map(|o| o.split_once(':').and_then(|(_, name)| width(name)))
            .collect()
    }

    /// The types of the sources in the syntax line, where they are named: `"f32"`, or `"wide"`.
    pub fn source_types(&self, form: &Form) -> Vec<&'static str> {
        let Some((_, operands)) = self.syntax.split_once(' ') else {
            return Vec::new();
        };
        let named = |name| {
            self.slots
                .iter()
                .find(|(s, _)| *s == name)
                .map_or(name, |(s, _)| form.word(s))
        };
        operands
            .split(", ")
            .skip(1)
            .map(|o| o.split_once(':').map_or("", |(_, name)| named(name)))
            .collect()
    }

    /// For an `alu` row: the widths of the sources, and of the result.
    pub fn signature(&self, form: &Form) -> Option<(Vec<u32>, u32)> {
        if !matches!(self.shape, Shape::Alu(_) | Shape::Float(_)) {
            return None;
        }
        let all: Option<Vec<u32>> = self.operand_widths(form).into_iter().collect();
        let all = all?;
        let (out, ins) = all.split_first()?;
        Some((ins.to_vec(), *out))
    }
}
