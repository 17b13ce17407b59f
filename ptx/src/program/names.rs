//! The names of a kernel: registers, parameters, labels.

use rustc_hash::FxHashMap;

use super::data::{RegDecl, RegTy};
use super::error::{Reason, Unsupported};
use crate::text::ast::{self, Word};
use crate::text::span::Span;

/// What the names of a kernel stand for.
#[derive(Default)]
pub struct Names {
    /// The register declarations, in order.
    pub regs: Vec<RegDecl>,
    /// Names of single registers, and prefixes of ranges, to declarations.
    single: FxHashMap<String, usize>,
    ranges: FxHashMap<String, usize>,
    /// Registers so far, by width.
    counts: FxHashMap<u32, u64>,
    params: FxHashMap<String, usize>,
    labels: FxHashMap<String, usize>,
}

fn unsupported<T>(reason: Reason, span: Span) -> Result<T, Unsupported> {
    Err(Unsupported { reason, span })
}

impl Names {
    /// Adds a register declaration (`.reg` with a type and nothing else).
    pub fn declare(&mut self, d: &ast::Decl) -> Result<(), Unsupported> {
        let [space, ty] = &d.attrs[..] else {
            let words: Vec<&str> = d.attrs.iter().map(|a| a.word.text.as_str()).collect();
            return unsupported(Reason::Declaration(words.join(" ")), d.span);
        };
        if space.word.text != ".reg" {
            return unsupported(Reason::Declaration(space.word.text.clone()), d.span);
        }
        let Some(reg_ty) = RegTy::from_name(ty.word.text.trim_start_matches('.')) else {
            return unsupported(Reason::RegisterType(ty.word.text.clone()), ty.word.span);
        };
        if [space, ty]
            .iter()
            .any(|a| !a.numbers.is_empty() || a.arguments.is_some())
        {
            return unsupported(Reason::Declaration(space.word.text.clone()), d.span);
        }
        for var in &d.vars {
            let span = var.name.span;
            if !var.dims.is_empty() || var.init.is_some() {
                return unsupported(Reason::Declaration(var.name.text.clone()), span);
            }
            let range = var.range.as_ref().map(|n| n.value);
            if !self.add(reg_ty, &var.name.text, range) {
                return unsupported(Reason::AmbiguousName(var.name.text.clone()), span);
            }
        }
        Ok(())
    }

    /// Adds `.reg .ty pre<range>` or `.reg .ty pre`; whether the name is new (and the numbers below 2^64).
    pub fn add(&mut self, ty: RegTy, pre: &str, range: Option<u64>) -> bool {
        let (count, ranged) = (range.unwrap_or(1), range.is_some());
        let next = self.counts.entry(ty.bits()).or_insert(0);
        let first = *next;
        let Some(sum) = first.checked_add(count) else {
            return false;
        };
        *next = sum;
        let map = if ranged {
            &mut self.ranges
        } else {
            &mut self.single
        };
        let new = map.insert(pre.to_owned(), self.regs.len()).is_none();
        self.regs.push(RegDecl {
            ty,
            pre: pre.to_owned(),
            first,
            count,
            ranged,
        });
        new
    }

    /// Adds a parameter; whether its name is new.
    pub fn add_param(&mut self, name: &str) -> bool {
        let position = self.params.len();
        self.params.insert(name.to_owned(), position).is_none()
    }

    /// Adds a label with its position in the list of labels.
    pub fn label(&mut self, name: &Word, position: usize) -> Result<(), Unsupported> {
        match self.labels.insert(name.text.clone(), position) {
            None => Ok(()),
            Some(_) => unsupported(Reason::AmbiguousName(name.text.clone()), name.span),
        }
    }

    /// The position of a label.
    pub fn find_label(&self, name: &Word) -> Result<usize, Unsupported> {
        self.labels
            .get(&name.text)
            .copied()
            .ok_or_else(|| unknown(name))
    }

    /// The position of a parameter.
    pub fn find_param(&self, name: &Word) -> Result<usize, Unsupported> {
        self.params
            .get(&name.text)
            .copied()
            .ok_or_else(|| unknown(name))
    }

    /// A register's width and number.
    pub fn find_reg(&self, name: &Word) -> Result<(u32, u64), Unsupported> {
        match self.registers(&name.text)[..] {
            [one] => Ok(one),
            [] => Err(unknown(name)),
            _ => unsupported(Reason::AmbiguousName(name.text.clone()), name.span),
        }
    }

    /// The registers that a name can mean: one, unless the declarations are at odds. In a range `%r<5>` the names are
    /// `%r0` to `%r4`, without leading zeros (ISA §5.4.6).
    pub fn registers(&self, text: &str) -> Vec<(u32, u64)> {
        let at = |d: usize, i: u64| (self.regs[d].ty.bits(), self.regs[d].first + i);
        let mut found: Vec<(u32, u64)> = self
            .single
            .get(text)
            .map(|d| at(*d, 0))
            .into_iter()
            .collect();
        let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
        for cut in text.len() - digits..text.len() {
            let (pre, number) = text.split_at(cut);
            if number.len() > 1 && number.starts_with('0') {
                continue;
            }
            if let (Some(d), Ok(i)) = (self.ranges.get(pre), number.parse::<u64>())
                && i < self.regs[*d].count
            {
                found.push(at(*d, i));
            }
        }
        found
    }
}

fn unknown(name: &Word) -> Unsupported {
    Unsupported {
        reason: Reason::UnknownName(name.text.clone()),
        span: name.span,
    }
}
