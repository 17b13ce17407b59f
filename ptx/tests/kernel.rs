//! The opcode table as definitions: the kernel accepts every one of them, over the bare types of the word operations.

use bumpalo::Bump;
use logic::{
    BinderInfo, Declaration, Environment, Expr, Hint, InductiveDecl, InductiveType, Level, Name,
    Signature, Store,
};
use ptx::alg::term::{TermAlg, TermWord, word_type};
use ptx::alg::{DotKind, FloatOp, WordAlg};
use ptx::program::isa_declarations;

struct Setup<'b> {
    st: &'b Store<'b>,
    env: Environment<'b>,
}

impl<'b> Setup<'b> {
    fn arrows(&self, from: &[Expr], to: Expr) -> Expr {
        from.iter().rev().fold(to, |to, t| {
            self.st.pi(Name::ANON, *t, to, BinderInfo::Default)
        })
    }

    fn add(&mut self, d: Declaration) {
        if let Err(e) = self.env.add(d) {
            panic!("{}", e.display(self.st));
        }
    }

    fn axiom(&mut self, name: &str, univ_params: &[Name], ty: Expr) {
        let sig = Signature {
            name: self.st.name(name),
            univ_params: univ_params.to_vec(),
            ty,
        };
        self.add(Declaration::Axiom(sig));
    }

    fn inductive(&mut self, name: &str, ctors: &[(&str, Expr)]) {
        let st = self.st;
        let ty = st.sort(st.level_succ(Level::ZERO));
        let ctors = ctors.iter().map(|(c, ty)| (st.name(c), *ty)).collect();
        let types = vec![InductiveType {
            name: st.name(name),
            ty,
            ctors,
        }];
        self.add(Declaration::Inductive(InductiveDecl {
            univ_params: vec![],
            num_params: 0,
            types,
        }));
    }
}

/// Natural numbers, truth values, and the operations on words with their types only.
fn setup<'b>(st: &'b Store<'b>) -> Setup<'b> {
    let mut s = Setup {
        st,
        env: Environment::new(st),
    };
    let type0 = st.sort(st.level_succ(Level::ZERO));
    let (nat, bool_) = (st.const0("Nat"), st.const0("Bool"));
    s.inductive(
        "Nat",
        &[("Nat.zero", nat), ("Nat.succ", s.arrows(&[nat], nat))],
    );
    s.inductive("Bool", &[("Bool.false", bool_), ("Bool.true", bool_)]);
    s.axiom("Bool.not", &[], s.arrows(&[bool_], bool_));
    let u = st.name("u");
    let sort = st.sort(st.level_param(u));
    // cond : {α : Sort u} → Bool → α → α → α
    let cond = st.pi(
        st.name("α"),
        sort,
        s.arrows(&[bool_, st.bvar(1), st.bvar(2)], st.bvar(3)),
        BinderInfo::Implicit,
    );
    s.axiom("cond", &[u], cond);
    s.axiom("Word", &[], s.arrows(&[nat], type0));
    let word = |e: Expr| st.app(st.const0("Word"), e);
    // Under `(w : Nat)`, then one binder more for each argument.
    let over_width = |body: Expr| st.pi(st.name("w"), nat, body, BinderInfo::Implicit);
    let w = |depth: u32| word(st.bvar(depth));
    s.axiom("Word.val", &[], over_width(s.arrows(&[w(0)], nat)));
    s.axiom("Word.ofNat", &[], over_width(s.arrows(&[nat], w(1))));
    for name in ["add", "sub", "mul", "udiv", "urem", "and", "or", "xor"] {
        s.axiom(
            &format!("Word.{name}"),
            &[],
            over_width(s.arrows(&[w(0), w(1)], w(2))),
        );
    }
    for name in ["neg", "not"] {
        s.axiom(
            &format!("Word.{name}"),
            &[],
            over_width(s.arrows(&[w(0)], w(1))),
        );
    }
    for name in ["shl", "lshr", "ashr"] {
        s.axiom(
            &format!("Word.{name}"),
            &[],
            over_width(s.arrows(&[w(0), nat], w(2))),
        );
    }
    for name in ["ult", "ule", "slt", "sle", "beq"] {
        s.axiom(
            &format!("Word.{name}"),
            &[],
            over_width(s.arrows(&[w(0), w(1)], bool_)),
        );
    }
    for name in ["zext", "sext", "trunc"] {
        s.axiom(
            &format!("Word.{name}"),
            &[],
            over_width(s.arrows(&[nat, w(1)], w(1))),
        );
    }
    s.axiom(
        "Word.extract",
        &[],
        over_width(s.arrows(&[nat, nat, w(2)], w(1))),
    );
    // concat : {w v : Nat} → Word w → Word v → Word (w + v), with addition by recursion on the second number.
    let motive = st.lam(Name::ANON, nat, nat, BinderInfo::Default);
    let step = st.lam(
        Name::ANON,
        nat,
        st.lam(
            Name::ANON,
            nat,
            st.app(st.const0("Nat.succ"), st.bvar(0)),
            BinderInfo::Default,
        ),
        BinderInfo::Default,
    );
    let rec = st.constant(st.name("Nat.rec"), &[st.level_succ(Level::ZERO)]);
    let sum = st.apps(rec, &[motive, st.bvar(1), step, st.bvar(0)]);
    let sum = st.lam(Name::ANON, nat, sum, BinderInfo::Default);
    let value = st.lam(Name::ANON, nat, sum, BinderInfo::Default);
    s.add(Declaration::Definition {
        sig: Signature {
            name: st.name("Nat.add"),
            univ_params: vec![],
            ty: s.arrows(&[nat, nat], nat),
        },
        value,
        hint: Hint::Regular(1),
    });
    let sum = st.apps(st.const0("Nat.add"), &[st.bvar(3), st.bvar(2)]);
    s.axiom(
        "Word.concat",
        &[],
        over_width(over_width(s.arrows(&[w(1), w(1)], word(sum)))),
    );
    let one = word(st.nat_u64(1));
    s.axiom("Word.ofBool", &[], s.arrows(&[bool_], one));
    s.axiom("Word.toBool", &[], s.arrows(&[one], bool_));
    s.axiom("FloatOps", &[], type0);
    for op in FloatOp::all() {
        let mut from = vec![st.const0("FloatOps")];
        from.extend(
            op.operands()
                .iter()
                .map(|w| word(st.nat_u64(u64::from(*w)))),
        );
        s.axiom(
            &format!("FloatOps.{}", op.field()),
            &[],
            s.arrows(&from, word(st.nat_u64(u64::from(op.result())))),
        );
    }
    s
}

#[test]
fn the_kernel_accepts_the_table() {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut s = setup(&store);
    let all = isa_declarations(&store);
    assert!(all.len() > 1000, "{}", all.len());
    for d in &all {
        let sig = Signature {
            name: d.name,
            univ_params: vec![],
            ty: d.ty,
        };
        s.add(Declaration::Definition {
            sig,
            value: d.value,
            hint: Hint::Regular(1),
        });
    }
    let again: Vec<_> = isa_declarations(&store);
    assert_eq!(all, again);
}

/// Three definitions in full.
#[test]
fn definitions_as_documented() {
    let bump = Bump::new();
    let st = Store::new(&bump);
    let all = isa_declarations(&st);
    let find = |name: &str| {
        *all.iter()
            .find(|d| st.name_to_string(d.name) == name)
            .expect("in the table")
    };
    let word = |w: u64| st.app(st.const0("Word"), st.nat_u64(w));
    let fun = |names: &[(&str, Expr)], body: Expr| {
        names.iter().rev().fold(body, |b, (n, t)| {
            st.lam(st.name(n), *t, b, BinderInfo::Default)
        })
    };
    let (w32, n32) = (word(32), st.nat_u64(32));
    let (a, b) = (st.bvar(1), st.bvar(0));
    let sum = st.apps(st.const0("Word.add"), &[n32, a, b]);
    assert_eq!(
        find("ptx.add.s32").value,
        fun(&[("a", w32), ("b", w32)], sum)
    );
    let wide = |x| st.apps(st.const0("Word.sext"), &[n32, st.nat_u64(64), x]);
    let product = st.apps(st.const0("Word.mul"), &[st.nat_u64(64), wide(a), wide(b)]);
    assert_eq!(
        find("ptx.mul.wide.s32").value,
        fun(&[("a", w32), ("b", w32)], product)
    );
    let float = st.apps(st.const0("FloatOps.add_rn_f32"), &[st.bvar(2), a, b]);
    assert_eq!(
        find("ptx.add.f32").value,
        fun(
            &[("F", st.const0("FloatOps")), ("a", w32), ("b", w32)],
            float
        )
    );
}

/// Lists and pairs as in the library, and the fields of dot products.
fn dots(s: &mut Setup<'_>) {
    let st = s.st;
    let (u, v) = (st.name("u"), st.name("v"));
    let (lu, lv) = (st.level_param(u), st.level_param(v));
    let types = |l| st.sort(st.level_succ(l));
    let over = |l, body| st.pi(Name::ANON, types(l), body, BinderInfo::Default);
    let list = st.constant(st.name("List"), &[lu]);
    let pair = st.constant(st.name("Prod"), &[lu, lv]);
    let of = |i: u32| st.app(list, st.bvar(i));
    s.axiom("List", &[u], over(lu, types(lu)));
    s.axiom("List.nil", &[u], over(lu, of(0)));
    let cons = s.arrows(&[st.bvar(0), of(1)], of(2));
    s.axiom("List.cons", &[u], over(lu, cons));
    s.axiom(
        "Prod",
        &[u, v],
        over(lu, over(lv, types(st.level_max(lu, lv)))),
    );
    let product = st.apps(pair, &[st.bvar(3), st.bvar(2)]);
    let mk = s.arrows(&[st.bvar(1), st.bvar(1)], product);
    s.axiom("Prod.mk", &[u, v], over(lu, over(lv, mk)));
    for kind in DotKind::ALL {
        let zero = &[Level::ZERO; 2];
        let factors = [word_type(st, kind.a.width()), word_type(st, kind.b.width())];
        let pairs = st.apps(st.constant(st.name("Prod"), zero), &factors);
        let list = st.app(st.constant(st.name("List"), &zero[1..]), pairs);
        let acc = word_type(st, kind.acc.width());
        let ty = s.arrows(&[st.const0("FloatOps"), list, acc], acc);
        s.axiom(&format!("FloatOps.{}", kind.field()), &[], ty);
    }
}

/// Dot products of two pairs are terms of the type of their accumulator.
#[test]
fn the_kernel_accepts_dot_products() {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut s = setup(&store);
    dots(&mut s);
    let st = &store;
    for kind in DotKind::ALL {
        let [a, b, c] = [kind.a.width(), kind.b.width(), kind.acc.width()];
        // fun (F : FloatOps) (a) (b) (c) => dot [(a, b), (a, b)] c
        let word = |i: u32, width| TermWord {
            term: st.bvar(i),
            width,
        };
        let pair = (word(2, a), word(1, b));
        let dot = TermAlg::new(st, st.bvar(3)).dot(kind, &[pair, pair], &word(0, c));
        assert_eq!(dot.width, c);
        let domains = [
            st.const0("FloatOps"),
            word_type(st, a),
            word_type(st, b),
            word_type(st, c),
        ];
        let value = domains.iter().rev().fold(dot.term, |body, t| {
            st.lam(Name::ANON, *t, body, BinderInfo::Default)
        });
        let sig = Signature {
            name: st.name(&format!("test.{kind}")),
            univ_params: vec![],
            ty: s.arrows(&domains, word_type(st, c)),
        };
        let hint = Hint::Regular(1);
        s.add(Declaration::Definition { sig, value, hint });
    }
}
