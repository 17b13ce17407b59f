//! Words as terms of the logic: the algebra that writes definitions.
//!
//! The constants are those of `proofs/lib/word.ptxp`: `Word.add : {w : Nat} → Word w → Word w → Word w` and so on.

use logic::{Expr, Level, Store};
use num_bigint::BigUint;

use super::{DotKind, FloatOp, WordAlg};

/// A term of type `Word width`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TermWord {
    /// The term.
    pub term: Expr,
    /// Its width.
    pub width: u32,
}

/// The algebra of terms.
pub struct TermAlg<'s, 'b> {
    store: &'s Store<'b>,
    floats: Expr,
}

impl<'s, 'b> TermAlg<'s, 'b> {
    /// Terms in `store`, with `floats : FloatOps` for the float operations.
    pub fn new(store: &'s Store<'b>, floats: Expr) -> Self {
        TermAlg { store, floats }
    }

    fn nat(&self, n: u32) -> Expr {
        self.store.nat_u64(u64::from(n))
    }

    fn call(&self, constant: &str, args: &[Expr]) -> Expr {
        self.store.apps(self.store.const0(constant), args)
    }

    fn unary(&self, constant: &str, a: &TermWord) -> TermWord {
        let term = self.call(constant, &[self.nat(a.width), a.term]);
        TermWord {
            term,
            width: a.width,
        }
    }

    fn binary(&self, constant: &str, a: &TermWord, b: &TermWord) -> TermWord {
        let term = self.call(constant, &[self.nat(a.width), a.term, b.term]);
        TermWord {
            term,
            width: a.width,
        }
    }

    fn shift(&self, constant: &str, a: &TermWord, by: &TermWord) -> TermWord {
        let by = self.call("Word.val", &[self.nat(by.width), by.term]);
        let term = self.call(constant, &[self.nat(a.width), a.term, by]);
        TermWord {
            term,
            width: a.width,
        }
    }

    fn compare(&self, constant: &str, a: &TermWord, b: &TermWord) -> Expr {
        self.call(constant, &[self.nat(a.width), a.term, b.term])
    }

    fn resize(&self, constant: &str, a: &TermWord, width: u32) -> TermWord {
        let term = self.call(constant, &[self.nat(a.width), self.nat(width), a.term]);
        TermWord { term, width }
    }
}

/// The term `Word width`, a type.
pub fn word_type(store: &Store<'_>, width: u32) -> Expr {
    store.app(store.const0("Word"), store.nat_u64(u64::from(width)))
}

impl WordAlg for TermAlg<'_, '_> {
    type Word = TermWord;
    type Bool = Expr;

    fn width(&self, a: &TermWord) -> u32 {
        a.width
    }
    fn lit(&mut self, width: u32, value: u128) -> TermWord {
        let term = self.call(
            "Word.ofNat",
            &[self.nat(width), self.store.nat(&BigUint::from(value))],
        );
        TermWord { term, width }
    }
    fn add(&mut self, a: &TermWord, b: &TermWord) -> TermWord {
        self.binary("Word.add", a, b)
    }
    fn sub(&mut self, a: &TermWord, b: &TermWord) -> TermWord {
        self.binary("Word.sub", a, b)
    }
    fn mul(&mut self, a: &TermWord, b: &TermWord) -> TermWord {
        self.binary("Word.mul", a, b)
    }
    fn udiv(&mut self, a: &TermWord, b: &TermWord) -> TermWord {
        self.binary("Word.udiv", a, b)
    }
    fn urem(&mut self, a: &TermWord, b: &TermWord) -> TermWord {
        self.binary("Word.urem", a, b)
    }
    fn neg(&mut self, a: &TermWord) -> TermWord {
        self.unary("Word.neg", a)
    }
    fn and(&mut self, a: &TermWord, b: &TermWord) -> TermWord {
        self.binary("Word.and", a, b)
    }
    fn or(&mut self, a: &TermWord, b: &TermWord) -> TermWord {
        self.binary("Word.or", a, b)
    }
    fn xor(&mut self, a: &TermWord, b: &TermWord) -> TermWord {
        self.binary("Word.xor", a, b)
    }
    fn not(&mut self, a: &TermWord) -> TermWord {
        self.unary("Word.not", a)
    }
    fn shl(&mut self, a: &TermWord, by: &TermWord) -> TermWord {
        self.shift("Word.shl", a, by)
    }
    fn lshr(&mut self, a: &TermWord, by: &TermWord) -> TermWord {
        self.shift("Word.lshr", a, by)
    }
    fn ashr(&mut self, a: &TermWord, by: &TermWord) -> TermWord {
        self.shift("Word.ashr", a, by)
    }
    fn eq(&mut self, a: &TermWord, b: &TermWord) -> Expr {
        self.compare("Word.beq", a, b)
    }
    fn ult(&mut self, a: &TermWord, b: &TermWord) -> Expr {
        self.compare("Word.ult", a, b)
    }
    fn ule(&mut self, a: &TermWord, b: &TermWord) -> Expr {
        self.compare("Word.ule", a, b)
    }
    fn slt(&mut self, a: &TermWord, b: &TermWord) -> Expr {
        self.compare("Word.slt", a, b)
    }
    fn sle(&mut self, a: &TermWord, b: &TermWord) -> Expr {
        self.compare("Word.sle", a, b)
    }
    fn bool_not(&mut self, a: &Expr) -> Expr {
        self.call("Bool.not", &[*a])
    }
    fn ite(&mut self, c: &Expr, a: &TermWord, b: &TermWord) -> TermWord {
        // `cond.{u} {α : Sort u}`, here at `Word w : Sort 1`.
        let cond = self.store.constant(
            self.store.name("cond"),
            &[self.store.level_succ(Level::ZERO)],
        );
        let term = self
            .store
            .apps(cond, &[word_type(self.store, a.width), *c, a.term, b.term]);
        TermWord {
            term,
            width: a.width,
        }
    }
    fn of_bool(&mut self, a: &Expr) -> TermWord {
        TermWord {
            term: self.call("Word.ofBool", &[*a]),
            width: 1,
        }
    }
    fn to_bool(&mut self, a: &TermWord) -> Expr {
        self.call("Word.toBool", &[a.term])
    }
    fn zext(&mut self, a: &TermWord, width: u32) -> TermWord {
        self.resize("Word.zext", a, width)
    }
    fn sext(&mut self, a: &TermWord, width: u32) -> TermWord {
        self.resize("Word.sext", a, width)
    }
    fn trunc(&mut self, a: &TermWord, width: u32) -> TermWord {
        self.resize("Word.trunc", a, width)
    }
    fn extract(&mut self, a: &TermWord, lo: u32, len: u32) -> TermWord {
        let term = self.call(
            "Word.extract",
            &[self.nat(a.width), self.nat(lo), self.nat(len), a.term],
        );
        TermWord { term, width: len }
    }
    fn concat(&mut self, hi: &TermWord, lo: &TermWord) -> TermWord {
        let term = self.call(
            "Word.concat",
            &[self.nat(hi.width), self.nat(lo.width), hi.term, lo.term],
        );
        TermWord {
            term,
            width: hi.width + lo.width,
        }
    }
    fn float(&mut self, op: FloatOp, args: &[&TermWord]) -> TermWord {
        let field = self.call(&format!("FloatOps.{}", op.field()), &[self.floats]);
        let args: Vec<Expr> = args.iter().map(|a| a.term).collect();
        TermWord {
            term: self.store.apps(field, &args),
            width: op.result(),
        }
    }
    fn dot(&mut self, kind: DotKind, pairs: &[(TermWord, TermWord)], acc: &TermWord) -> TermWord {
        let st = self.store;
        // `List.{0} (Prod.{0, 0} (Word a) (Word b))`, from its end.
        let at = |name: &str, levels: &[Level]| st.constant(st.name(name), levels);
        let (a, b) = (kind.a.width(), kind.b.width());
        let types = [word_type(st, a), word_type(st, b)];
        let pair = st.apps(at("Prod", &[Level::ZERO; 2]), &types);
        let nil = st.app(at("List.nil", &[Level::ZERO]), pair);
        let cons = st.app(at("List.cons", &[Level::ZERO]), pair);
        let mk = st.apps(at("Prod.mk", &[Level::ZERO; 2]), &types);
        let list = pairs.iter().rev().fold(nil, |tail, (x, y)| {
            st.apps(cons, &[st.apps(mk, &[x.term, y.term]), tail])
        });
        let term = self.call(
            &format!("FloatOps.{}", kind.field()),
            &[self.floats, list, acc.term],
        );
        TermWord {
            term,
            width: kind.acc.width(),
        }
    }
}
