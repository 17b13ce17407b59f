//! The algebra that records: running a meaning over [`TapeAlg`] writes down the micro-operations that it does.
//!
//! This works because a meaning is written for every algebra, terms among them, and so cannot look at a word: all its
//! choices are `ite`. Operations on constants are done at once; a part taken out of a `concat` is the part put in.

use rustc_hash::FxHashMap;

use super::Slot;
use super::frame::Slots;
use super::op::{Op, Sized, Wide, WideOp};
use crate::alg::bits::{Bits, BitsAlg, Ieee};
use crate::alg::dot::DotKind;
use crate::alg::{FloatOp, WordAlg};

/// A word while recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    /// A known word.
    Const(Bits),
    /// A word in a slot.
    In(Sized),
}

/// A truth value while recording: a word of width 1.
pub type Flag = Word;

/// The algebra that records.
pub struct TapeAlg<'s> {
    slots: &'s mut Slots,
    ops: Vec<Op>,
    parts: FxHashMap<Slot, (Word, Word)>,
}

fn width(a: &Word) -> u32 {
    match a {
        Word::Const(c) => c.width(),
        Word::In(s) => s.width,
    }
}

/// The concrete algebra for constants; float operations are never done here.
fn bits() -> BitsAlg<Ieee> {
    BitsAlg(Ieee)
}

impl<'s> TapeAlg<'s> {
    /// An empty tape.
    pub fn new(slots: &'s mut Slots) -> Self {
        TapeAlg {
            slots,
            ops: Vec::new(),
            parts: FxHashMap::default(),
        }
    }

    /// What was recorded.
    pub fn finish(self) -> Vec<Op> {
        self.ops
    }

    /// Where a word is.
    pub fn place(&mut self, a: &Word) -> Sized {
        match a {
            Word::In(s) => *s,
            Word::Const(c) => Sized {
                slot: self.slots.constant(c.width(), c.value()),
                width: c.width(),
            },
        }
    }

    /// The constant in a slot, if it holds one.
    pub fn known(&self, slot: Slot) -> Option<u128> {
        self.slots.known.get(&slot).copied()
    }

    fn slot(&mut self, a: &Word) -> Slot {
        self.place(a).slot
    }

    fn temp(&mut self, width: u32) -> Sized {
        Sized {
            slot: self.slots.temp(width),
            width,
        }
    }

    fn wide(&mut self, op: WideOp, to: u32, args: &[&Word]) -> Word {
        let args = args.iter().map(|a| self.place(a)).collect();
        let d = self.temp(to);
        self.ops.push(Op::Wide(Box::new(Wide { op, d, args })));
        Word::In(d)
    }

    fn unary(
        &mut self,
        a: &Word,
        known: impl FnOnce(&mut BitsAlg<Ieee>, &Bits) -> Bits,
        wide: WideOp,
        narrow: impl FnOnce(u8, Slot, Slot) -> Op,
    ) -> Word {
        if let Word::Const(x) = a {
            return Word::Const(known(&mut bits(), x));
        }
        let w = width(a);
        if w > 64 {
            return self.wide(wide, w, &[a]);
        }
        let a = self.slot(a);
        let d = self.temp(w);
        self.ops.push(narrow(w as u8, d.slot, a));
        Word::In(d)
    }

    /// An operation on two words with a result of width `to`.
    fn binary(
        &mut self,
        (a, b, to): (&Word, &Word, u32),
        known: impl FnOnce(&mut BitsAlg<Ieee>, &Bits, &Bits) -> Bits,
        wide: WideOp,
        narrow: impl FnOnce(u8, Slot, Slot, Slot) -> Op,
    ) -> Word {
        if let (Word::Const(x), Word::Const(y)) = (a, b) {
            return Word::Const(known(&mut bits(), x, y));
        }
        if width(a) > 64 || width(b) > 64 || to > 64 {
            return self.wide(wide, to, &[a, b]);
        }
        let w = width(a) as u8;
        let (a, b) = (self.slot(a), self.slot(b));
        let d = self.temp(to);
        self.ops.push(narrow(w, d.slot, a, b));
        Word::In(d)
    }
}

/// A method of two words of one width.
macro_rules! binary {
    ($($name:ident $op:ident { $($w:ident)? };)*) => {$(
        fn $name(&mut self, a: &Word, b: &Word) -> Word {
            let to = width(a);
            self.binary((a, b, to), |k, x, y| k.$name(x, y), WideOp::$op, |_w, d, a, b| Op::$op { $($w: _w,)? d, a, b })
        }
    )*};
}

/// A comparison.
macro_rules! compare {
    ($($name:ident $op:ident { $($w:ident)? };)*) => {$(
        fn $name(&mut self, a: &Word, b: &Word) -> Flag {
            self.binary(
                (a, b, 1),
                |k, x, y| Bits::new(1, u128::from(k.$name(x, y))),
                WideOp::$op,
                |_w, d, a, b| Op::$op { $($w: _w,)? d, a, b },
            )
        }
    )*};
}

impl WordAlg for TapeAlg<'_> {
    type Word = Word;
    type Bool = Flag;

    fn width(&self, a: &Word) -> u32 {
        width(a)
    }
    fn lit(&mut self, width: u32, value: u128) -> Word {
        Word::Const(Bits::new(width, value))
    }

    binary! {
        add Add { w };
        sub Sub { w };
        mul Mul { w };
        udiv Udiv {};
        urem Urem {};
        and And {};
        or Or {};
        xor Xor {};
        shl Shl { w };
        lshr Lshr { w };
        ashr Ashr { w };
    }
    compare! {
        eq Eq {};
        ult Ult {};
        ule Ule {};
        slt Slt { w };
        sle Sle { w };
    }

    fn neg(&mut self, a: &Word) -> Word {
        self.unary(
            a,
            |k, x| k.neg(x),
            WideOp::Neg,
            |w, d, a| Op::Neg { w, d, a },
        )
    }
    fn not(&mut self, a: &Word) -> Word {
        self.unary(
            a,
            |k, x| k.not(x),
            WideOp::Not,
            |w, d, a| Op::Not { w, d, a },
        )
    }
    fn bool_not(&mut self, a: &Flag) -> Flag {
        self.not(a)
    }
    fn ite(&mut self, c: &Flag, a: &Word, b: &Word) -> Word {
        if let Word::Const(c) = c {
            return if c.value() != 0 { *a } else { *b };
        }
        if a == b {
            return *a;
        }
        let w = width(a);
        if w > 64 {
            return self.wide(WideOp::Ite, w, &[c, a, b]);
        }
        let (c, a, b) = (self.slot(c), self.slot(a), self.slot(b));
        let d = self.temp(w);
        self.ops.push(Op::Ite { d: d.slot, c, a, b });
        Word::In(d)
    }
    fn of_bool(&mut self, a: &Flag) -> Word {
        *a
    }
    fn to_bool(&mut self, a: &Word) -> Flag {
        *a
    }

    fn zext(&mut self, a: &Word, to: u32) -> Word {
        match a {
            Word::Const(x) => Word::Const(bits().zext(x, to)),
            _ if to > 64 => self.wide(WideOp::Zext, to, &[a]),
            Word::In(s) => Word::In(Sized {
                slot: s.slot,
                width: to,
            }),
        }
    }
    fn sext(&mut self, a: &Word, to: u32) -> Word {
        match a {
            Word::Const(x) => Word::Const(bits().sext(x, to)),
            Word::In(s) if s.width == to => *a,
            _ if to > 64 => self.wide(WideOp::Sext, to, &[a]),
            Word::In(s) => {
                let d = self.temp(to);
                self.ops.push(Op::Sext {
                    w: s.width as u8,
                    to: to as u8,
                    d: d.slot,
                    a: s.slot,
                });
                Word::In(d)
            }
        }
    }
    fn trunc(&mut self, a: &Word, to: u32) -> Word {
        self.extract(a, 0, to)
    }
    fn extract(&mut self, a: &Word, lo: u32, len: u32) -> Word {
        if lo == 0 && len == width(a) {
            return *a;
        }
        if let Word::Const(x) = a {
            return Word::Const(bits().extract(x, lo, len));
        }
        let from = self.place(a);
        if let Some((high, low)) = self.parts.get(&from.slot).copied() {
            let below = width(&low);
            if lo + len <= below {
                return self.extract(&low, lo, len);
            }
            if lo >= below && lo + len <= below + width(&high) {
                return self.extract(&high, lo - below, len);
            }
        }
        if from.width > 64 {
            return self.wide(WideOp::Extract(lo), len, &[a]);
        }
        let d = self.temp(len);
        self.ops.push(Op::Extract {
            lo: lo.min(64) as u8,
            len: len as u8,
            d: d.slot,
            a: from.slot,
        });
        Word::In(d)
    }
    fn concat(&mut self, hi: &Word, lo: &Word) -> Word {
        let below = width(lo) as u8;
        let whole = self.binary(
            (hi, lo, width(hi) + width(lo)),
            |k, x, y| k.concat(x, y),
            WideOp::Concat,
            |_, d, a, b| Op::Concat { w: below, d, a, b },
        );
        if let Word::In(s) = whole {
            self.parts.insert(s.slot, (*hi, *lo));
        }
        whole
    }

    fn dot(&mut self, kind: DotKind, pairs: &[(Word, Word)], acc: &Word) -> Word {
        let pairs = pairs.iter().flat_map(|(a, b)| [a, b]);
        let args: Vec<&Word> = pairs.chain([acc]).collect();
        self.wide(WideOp::Dot(kind), kind.acc.width(), &args)
    }
    fn float(&mut self, op: FloatOp, args: &[&Word]) -> Word {
        let places: Vec<Sized> = args.iter().map(|a| self.place(a)).collect();
        let to = op.result();
        if to > 64 || places.len() > 3 || places.iter().any(|p| p.width > 64) {
            return self.wide(WideOp::Float(op), to, args);
        }
        let d = self.temp(to);
        let slot = |i: usize| places.get(i).or(places.first()).map_or(0, |p| p.slot);
        self.ops.push(Op::Float {
            op,
            d: d.slot,
            a: [slot(0), slot(1), slot(2)],
        });
        Word::In(d)
    }
}

/// Leaves out what does not lead to one of the results.
pub fn prune(ops: Vec<Op>, results: impl IntoIterator<Item = Slot>) -> Vec<Op> {
    let mut needed: Vec<Slot> = results.into_iter().collect();
    let mut kept = Vec::new();
    for op in ops.into_iter().rev() {
        let (d, args) = op.slots();
        // Every temporary is written once, so whoever needs it comes later.
        if needed.contains(&d) {
            needed.extend(args);
            kept.push(op);
        }
    }
    kept.reverse();
    kept
}
