//! Syntax lines taken apart: the words of an opcode, in the manual's order or another, and the operands.

use super::row::Slot;
use super::types::{self, Ty};

/// A part of a syntax line's opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Word(&'static str),
    /// A word that may be left out; it is a slot of its own name.
    Maybe(&'static str),
    Slot(Slot),
    Optional(Slot),
}

impl Part {
    /// The word of the table that this word of an opcode is here.
    fn takes(&self, word: &str) -> Option<&'static str> {
        match self {
            Part::Word(w) | Part::Maybe(w) => (*w == word).then_some(*w),
            Part::Slot(s) | Part::Optional(s) => s.1.iter().find(|w| **w == word).copied(),
        }
    }

    fn optional(&self) -> bool {
        matches!(self, Part::Maybe(_) | Part::Optional(_))
    }

    /// The slot that a word stands in here, if it is a choice.
    pub(super) fn slot(&self) -> Option<&'static str> {
        match self {
            Part::Word(_) => None,
            Part::Maybe(w) => Some(w),
            Part::Slot(s) | Part::Optional(s) => Some(s.0),
        }
    }
}

/// What an operand position takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// As a destination a register or `_`; as a source a register, a literal, or the address of a symbol.
    Value,
    /// `[a]`
    Address,
    /// `[a, {…}]`: a tensor map and coordinates.
    Tensor,
    /// A special register.
    Special,
    /// An integer literal.
    Immediate,
    /// A label.
    Label,
    /// The label of a list of branch targets.
    Table,
    /// Whatever the engine behind the row takes.
    Any,
}

/// One operand of an instruction form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Its name in the syntax line.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Its type; none unless it is a value.
    pub ty: Ty,
    /// Whether it is a result: names that begin with `d`, `p` or `q` are.
    pub dest: bool,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether it may be written `!p`: the complement of a predicate.
    pub negatable: bool,
}

/// An operand position of the text, or an operand that the text does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// `d`
    One(Spec),
    /// `d|p`: two results, the second perhaps optional.
    Pair(Spec, Spec),
    /// `{a, b}`
    Vector(Vec<Spec>),
    /// The condition code register `CC.CF`, a word of width 1, which the text does not show.
    Implicit(Spec),
    /// Any further operands.
    Rest,
}

impl Group {
    /// The operands here.
    pub fn specs(&self) -> &[Spec] {
        match self {
            Group::One(s) | Group::Implicit(s) => std::slice::from_ref(s),
            Group::Vector(v) => v,
            Group::Pair(..) | Group::Rest => &[],
        }
    }

    /// Calls `f` with every operand here, in order.
    pub fn each(&self, mut f: impl FnMut(&Spec)) {
        match self {
            Group::Pair(a, b) => {
                f(a);
                f(b);
            }
            other => other.specs().iter().for_each(f),
        }
    }
}

/// What is written at an operand position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Given {
    /// A register.
    Register,
    /// A literal.
    Immediate,
    /// A special register.
    Special,
    /// `_`
    Sink,
    /// The address of a variable or function.
    Symbol,
    /// A label of the code.
    Label,
    /// A label of a table.
    Table,
    /// `[a]`
    Address,
    /// `[a, {…}]`
    Tensor,
    /// `{…}` with so many elements.
    Vector(usize),
    /// `(…)`
    List,
    /// `a|b`
    Pair,
    /// `!a`
    Not,
}

impl Group {
    /// Whether this position takes what is given.
    fn takes(&self, given: Given) -> bool {
        match (self, given) {
            (Group::Pair(..), Given::Pair) => true,
            (Group::Pair(a, b), g) => b.optional && a.takes(g),
            (Group::Vector(v), Given::Vector(n)) => v.len() == n,
            (Group::One(s), g) => s.takes(g),
            (Group::Rest, _) => true,
            (Group::Vector(_) | Group::Implicit(_), _) => false,
        }
    }

    fn optional(&self) -> bool {
        match self {
            Group::One(s) => s.optional,
            Group::Implicit(_) | Group::Rest => true,
            _ => false,
        }
    }

    /// Whether these positions, in order, take what is given, with optional ones left out.
    pub(super) fn all_take(groups: &[Group], given: &[Given]) -> bool {
        match (groups.split_first(), given.split_first()) {
            (None, None) => true,
            (None, Some(_)) => false,
            (Some((Group::Rest, _)), _) => true,
            (Some((g, rest)), Some((x, more))) if g.takes(*x) && Group::all_take(rest, more) => {
                true
            }
            (Some((g, rest)), _) => g.optional() && Group::all_take(rest, given),
        }
    }
}

impl Spec {
    fn takes(&self, given: Given) -> bool {
        use Given as G;
        match self.kind {
            Kind::Value if self.dest => matches!(given, G::Register | G::Sink),
            Kind::Value if given == G::Not => self.negatable,
            Kind::Value => matches!(given, G::Register | G::Immediate | G::Symbol),
            Kind::Address => given == G::Address,
            Kind::Tensor => given == G::Tensor,
            Kind::Special => given == G::Special,
            Kind::Immediate => given == G::Immediate,
            Kind::Label => given == G::Label,
            Kind::Table => given == G::Table,
            Kind::Any => true,
        }
    }
}

/// A row's syntax line, taken apart.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) base: &'static str,
    /// The words of the opcode after its base.
    pub(super) parts: Vec<Part>,
    groups: Vec<Template>,
}

/// An operand position whose types are still names of slots.
#[derive(Clone, Debug)]
enum Template {
    One(Open),
    Pair(Open, Open),
    Vector(Vec<Open>),
    Implicit(Open),
    Rest,
}

/// A [`Spec`] whose type is still a name.
#[derive(Clone, Copy, Debug)]
struct Open {
    spec: Spec,
    ty: &'static str,
}

/// Words that keep their order: an opcode with two types, two state spaces or two layouts means their positions.
fn order_class(word: &str) -> Option<usize> {
    match word {
        "row" | "col" => Some(0),
        "global" | "local" | "const" | "param" | "shared" | "shared::cta" | "shared::cluster" => {
            Some(1)
        }
        "u4" | "s4" | "b1" | "b1024" => Some(2),
        _ => types::width(word).map(|_| 2),
    }
}

impl Line {
    /// Takes a syntax line apart.
    pub(super) fn new(syntax: &'static str, slots: &'static [Slot]) -> Line {
        let (opcode, operands) = syntax.split_once(' ').unwrap_or((syntax, ""));
        let slot = |name: &str| slots.iter().find(|(s, _)| *s == name).copied();
        let mut parts = Vec::new();
        // "ld.global{.nc}{.vec}.type": optional parts are in braces, and nothing else has braces.
        for piece in opcode.split('{') {
            let (optional, rest) = piece
                .split_once('}')
                .map_or((None, piece), |(o, r)| (Some(o), r));
            if let Some(o) = optional {
                parts.push(slot(&o[1..]).map_or(Part::Maybe(&o[1..]), Part::Optional));
            }
            for word in rest.split('.').filter(|w| !w.is_empty()) {
                parts.push(slot(word).map_or(Part::Word(word), Part::Slot));
            }
        }
        let base = match parts.remove(0) {
            Part::Word(w) => w,
            _ => "",
        };
        let mut groups: Vec<Template> =
            positions(operands).into_iter().map(Template::new).collect();
        for i in 1..groups.len() {
            let after_result = groups[i - 1].is_dest();
            if let Template::Implicit(o) = &mut groups[i] {
                o.spec.dest = after_result;
            }
        }
        Line {
            base,
            parts,
            groups,
        }
    }

    /// The word that each part stands for in an opcode (without its base), if the row matches: in the order of the row,
    /// or in another where types, state spaces and layouts keep theirs and a type at the end stays there.
    pub(super) fn assign(&self, words: &[&str]) -> Option<Vec<Option<&'static str>>> {
        let mut chosen = vec![None; self.parts.len()];
        if in_order(&self.parts, words, &mut chosen) {
            return Some(chosen);
        }
        let known = |w: &str| self.parts.iter().any(|p| p.takes(w).is_some());
        if words.len() > self.parts.len() || !words.iter().all(|w| known(w)) {
            return None;
        }
        let mut search = Search {
            parts: &self.parts,
            words,
            used: vec![false; words.len()],
            chosen: vec![None; self.parts.len()],
        };
        search.from(0, [0; 3]).then_some(search.chosen)
    }

    /// The operands, for the words chosen for the slots.
    pub(super) fn groups(&self, words: &[(&'static str, &'static str)]) -> Vec<Group> {
        let main = words.iter().find(|(s, _)| *s == "type");
        let main = main.map_or(Ty::default(), |(_, w)| Ty::new(w));
        let close = |o: &Open| {
            let ty = match o.ty {
                "wide" => main.wide(),
                "half" => main.half(),
                "quarter" => main.half().half(),
                name => {
                    let word = words.iter().find(|(s, _)| *s == name);
                    Ty::new(word.map_or(name, |(_, w)| w))
                }
            };
            Spec { ty, ..o.spec }
        };
        let group = |t: &Template| match t {
            Template::One(o) => Group::One(close(o)),
            Template::Pair(a, b) => Group::Pair(close(a), close(b)),
            Template::Vector(v) => Group::Vector(v.iter().map(close).collect()),
            Template::Implicit(o) => Group::Implicit(close(o)),
            Template::Rest => Group::Rest,
        };
        self.groups.iter().map(group).collect()
    }
}

fn in_order(parts: &[Part], words: &[&str], chosen: &mut [Option<&'static str>]) -> bool {
    let Some((part, rest)) = parts.split_first() else {
        return words.is_empty();
    };
    let (here, later) = chosen.split_at_mut(1);
    if let Some((word, more)) = words.split_first()
        && let Some(w) = part.takes(word)
    {
        here[0] = Some(w);
        if in_order(rest, more, later) {
            return true;
        }
        here[0] = None;
    }
    part.optional() && in_order(rest, words, later)
}

/// The search for words in another order than the row's.
struct Search<'w> {
    parts: &'w [Part],
    words: &'w [&'w str],
    used: Vec<bool>,
    chosen: Vec<Option<&'static str>>,
}

impl Search<'_> {
    /// Fills the parts from `k` on; `next` is, for each class of words that keep their order, the first that may be used.
    fn from(&mut self, k: usize, next: [usize; 3]) -> bool {
        let Some(part) = self.parts.get(k) else {
            let last = self.chosen.iter().rev().flatten().next();
            let stays =
                last.is_none_or(|w| order_class(w) != Some(2) || self.words.last() == Some(w));
            return stays && self.used.iter().all(|u| *u);
        };
        for i in 0..self.words.len() {
            let class = order_class(self.words[i]);
            if self.used[i] || class.is_some_and(|c| i < next[c]) {
                continue;
            }
            let Some(w) = part.takes(self.words[i]) else {
                continue;
            };
            let mut after = next;
            if let Some(c) = class {
                after[c] = i + 1;
            }
            self.used[i] = true;
            self.chosen[k] = Some(w);
            if self.from(k + 1, after) {
                return true;
            }
            self.used[i] = false;
            self.chosen[k] = None;
        }
        part.optional() && self.from(k + 1, next)
    }
}

/// The operand positions of a syntax line, split at the commas outside of brackets; `{, b}` is one by itself.
fn positions(operands: &'static str) -> Vec<&'static str> {
    let (mut all, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (i, c) in operands.char_indices() {
        match c {
            '{' if depth == 0 && operands[i..].starts_with("{,") => {
                all.push(&operands[start..i]);
                (start, depth) = (i, 1);
            }
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                all.push(&operands[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    all.push(&operands[start..]);
    all.into_iter()
        .map(str::trim)
        .filter(|o| !o.is_empty())
        .collect()
}

impl Template {
    fn is_dest(&self) -> bool {
        match self {
            Template::One(o) | Template::Pair(o, _) | Template::Implicit(o) => o.spec.dest,
            Template::Vector(v) => v.iter().all(|o| o.spec.dest),
            Template::Rest => false,
        }
    }

    fn new(text: &'static str) -> Template {
        if text == "..." {
            return Template::Rest;
        }
        if let Some(inner) = text.strip_prefix("{,").and_then(|t| t.strip_suffix('}')) {
            return match Template::new(inner.trim()) {
                Template::One(mut o) => {
                    o.spec.optional = true;
                    Template::One(o)
                }
                other => other,
            };
        }
        if let Some(inner) = text.strip_prefix('<').and_then(|t| t.strip_suffix('>')) {
            let mut o = Open::new(inner);
            (o.spec.kind, o.ty) = (Kind::Value, "pred");
            return Template::Implicit(o);
        }
        if let Some((a, b)) = text.split_once("{|") {
            let mut b = Open::new(b.trim_end_matches('}'));
            b.spec.optional = true;
            return Template::Pair(Open::new(a), b);
        }
        if let Some((a, b)) = text.split_once('|') {
            return Template::Pair(Open::new(a), Open::new(b));
        }
        if let Some(inner) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
            return Template::Vector(inner.split(", ").map(Open::new).collect());
        }
        Template::One(Open::new(text))
    }
}

impl Open {
    fn new(text: &'static str) -> Open {
        let (negatable, text) = text
            .strip_prefix("{!}")
            .map_or((false, text), |rest| (true, rest));
        let (name, ty) = text.split_once(':').unwrap_or((text, ""));
        let kind = match ty {
            _ if text.starts_with('[') && text.contains(',') => Kind::Tensor,
            _ if text.starts_with('[') => Kind::Address,
            "" => Kind::Any,
            "sreg" => Kind::Special,
            "imm" => Kind::Immediate,
            "label" => Kind::Label,
            "table" => Kind::Table,
            _ => Kind::Value,
        };
        let spec = Spec {
            name,
            kind,
            ty: Ty::default(),
            dest: name.starts_with(['d', 'p', 'q']),
            optional: false,
            negatable,
        };
        Open {
            spec,
            ty: if kind == Kind::Value { ty } else { "" },
        }
    }
}
