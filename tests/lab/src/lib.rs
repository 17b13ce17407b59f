//! A small text notation for declarations, so that tests of the kernel can be read.
//!
//! ```text
//! axiom c.{u} : T        def c : T := v        theorem c : T := v        opaque c : T := v
//! inductive T.{u} (p : A) : Sort u | c : F     inductive A … with B …     quot
//! ```
//! Constructor types are written without the parameters, which are in scope. Terms: `fun (x y : A) => b`, `(x : A) -> B`,
//! `A -> B`, `let x : A := v; b`, `f a b`, `c.{u, v}`, `Prop`, `Type`, `Sort l`, `3`, `"text"`, `proj[S, 0] e`, `#0`.
//! Levels: `0`, `u`, `(max a b)`, `(imax a b)`, `l+1`.
#![forbid(unsafe_code)]

mod mutate;

use logic::{
    BinderInfo, Checker, Declaration, Environment, Expr, Hint, InductiveDecl, InductiveType,
    KernelError, Level, Limits, Name, Signature, Store,
};

pub use mutate::{Mutator, terms};

/// An environment together with its store.
pub struct Lab<'b> {
    /// The store.
    pub st: &'b Store<'b>,
    /// The environment.
    pub env: Environment<'b>,
}

/// Runs a test over a fresh environment, optionally filled by declarations.
pub fn lab(prelude: &str, test: impl FnOnce(&mut Lab<'_>)) {
    lab_with(Limits::default(), prelude, test);
}

/// As `lab`, with limits.
pub fn lab_with(limits: Limits, prelude: &str, test: impl FnOnce(&mut Lab<'_>)) {
    let bump = bumpalo::Bump::new();
    let store = Store::new(&bump);
    let mut lab = Lab {
        st: &store,
        env: Environment::new_with(&store, limits),
    };
    lab.accept(prelude);
    test(&mut lab);
}

impl<'b> Lab<'b> {
    /// A name with dots.
    pub fn name(&self, s: &str) -> Name {
        self.st.name(s)
    }

    /// A term.
    pub fn term(&self, text: &str) -> Expr {
        let mut p = Parser::new(self.st, text);
        let e = p.term();
        assert!(p.at_end(), "rest of `{text}`: {:?}", p.rest());
        e
    }

    /// Declarations, without adding them.
    pub fn parse(&self, text: &str) -> Vec<Declaration> {
        Parser::new(self.st, text).decls()
    }

    /// Adds declarations that must be accepted.
    pub fn accept(&mut self, text: &str) {
        for d in self.parse(text) {
            if let Err(e) = self.env.add(d.clone()) {
                panic!("refused: {}\nin {d:?}", e.display(self.st));
            }
        }
    }

    /// Adds declarations of which all but the last are accepted; returns why the last is refused.
    pub fn reject(&mut self, text: &str) -> KernelError {
        let mut decls = self.parse(text);
        let last = decls.pop().expect("a declaration");
        for d in decls {
            if let Err(e) = self.env.add(d.clone()) {
                panic!("refused too early: {}\nin {d:?}", e.display(self.st));
            }
        }
        let before: Vec<Name> = self.env.constants().map(|c| c.name()).collect();
        let error = match self.env.add(last) {
            Ok(()) => panic!("accepted: {text}"),
            Err(e) => e,
        };
        let after: Vec<Name> = self.env.constants().map(|c| c.name()).collect();
        assert_eq!(before, after, "a refused declaration left something behind");
        error
    }

    /// Whether two closed terms are definitionally equal.
    pub fn eq(&self, a: &str, b: &str) -> bool {
        let (a, b) = (self.term(a), self.term(b));
        let mut c = Checker::new(&self.env, &[]);
        for e in [a, b] {
            if let Err(e) = c.check(e) {
                panic!("ill typed: {}", e.display(self.st));
            }
        }
        match c.is_defeq(a, b) {
            Ok(r) => r,
            Err(e) => panic!("{}", e.display(self.st)),
        }
    }

    /// The weak head normal form of a closed term, as text.
    pub fn whnf(&self, e: &str) -> String {
        let e = self.term(e);
        let r = Checker::new(&self.env, &[]).whnf(e);
        self.st
            .show(r.unwrap_or_else(|e| panic!("{}", e.display(self.st))))
    }

    /// The type of a constant, as text.
    pub fn type_of(&self, c: &str) -> String {
        let c = self.env.get(self.name(c)).expect("the constant exists");
        self.st.show(c.ty())
    }
}

struct Parser<'b> {
    st: &'b Store<'b>,
    tokens: Vec<String>,
    at: usize,
    scope: Vec<String>,
}

fn tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut i = 0;
    let ident = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || c == '.' || c == '✝';
    while i < chars.len() {
        let c = chars[i];
        let two: String = chars[i..chars.len().min(i + 2)].iter().collect();
        if c.is_whitespace() {
            i += 1;
        } else if two == "--" {
            while i < chars.len() && chars[i] != '\n' {
                i += 1;
            }
        } else if ["=>", "->", ":="].contains(&two.as_str()) {
            out.push(two);
            i += 2;
        } else if c == '"' {
            let end = (i + 1..chars.len())
                .find(|j| chars[*j] == '"')
                .expect("closing quote");
            out.push(chars[i..=end].iter().collect());
            i = end + 1;
        } else if ident(c) {
            let start = i;
            while i < chars.len()
                && ident(chars[i])
                && !(chars[i] == '.' && chars.get(i + 1) == Some(&'{'))
            {
                i += 1;
            }
            out.push(chars[start..i].iter().collect());
            if chars.get(i) == Some(&'.') {
                out.push(".{".into());
                i += 2;
            }
        } else {
            out.push(c.to_string());
            i += 1;
        }
    }
    out
}

impl<'b> Parser<'b> {
    fn new(st: &'b Store<'b>, text: &str) -> Self {
        Parser {
            st,
            tokens: tokens(text),
            at: 0,
            scope: Vec::new(),
        }
    }

    fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    fn rest(&self) -> &[String] {
        &self.tokens[self.at..]
    }

    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", |s| s)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn eat(&mut self, t: &str) -> bool {
        let found = self.peek() == t;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, t: &str) {
        assert!(self.eat(t), "`{t}` expected at {:?}", self.rest());
    }

    fn level(&mut self) -> Level {
        let mut l = match self.next().as_str() {
            "(" => {
                let l = match self.peek().to_owned().as_str() {
                    op @ ("max" | "imax") => {
                        self.next();
                        let (a, b) = (self.level(), self.level());
                        match op {
                            "max" => self.st.level_max(a, b),
                            _ => self.st.level_imax(a, b),
                        }
                    }
                    _ => self.level(),
                };
                self.expect(")");
                l
            }
            t => match t.parse::<u32>() {
                Ok(n) => self.st.level_nat(n),
                Err(_) => self.st.level_param(self.st.name(t)),
            },
        };
        if self.eat("+") {
            for _ in 0..self.next().parse::<u32>().expect("number") {
                l = self.st.level_succ(l);
            }
        }
        l
    }

    fn univ_params(&mut self) -> Vec<Name> {
        let mut out = Vec::new();
        if self.eat(".{") {
            while !self.eat("}") {
                let n = self.next();
                out.push(self.st.name(&n));
                self.eat(",");
            }
        }
        out
    }

    /// `(x y : A)` is next (and not a term in parentheses).
    fn at_binder(&self) -> bool {
        let mut i = self.at;
        if self.tokens.get(i).map(String::as_str) != Some("(") {
            return false;
        }
        i += 1;
        let start = i;
        while self.tokens.get(i).is_some_and(|t| {
            t.chars()
                .next()
                .is_some_and(|c| c.is_alphabetic() || c == '_')
                && t != "fun"
                && t != "let"
        }) {
            i += 1;
        }
        i > start && self.tokens.get(i).map(String::as_str) == Some(":")
    }

    /// The binders of `(x y : A) …`, which stay in scope.
    fn binder(&mut self) -> Vec<(Name, Expr)> {
        self.expect("(");
        let mut names = Vec::new();
        while !self.eat(":") {
            names.push(self.next());
        }
        let at = self.at;
        let mut out = Vec::new();
        for n in names {
            self.at = at; // once for each name, since the scope grows
            let ty = self.term();
            out.push((self.st.name(&n), ty));
            self.scope.push(n);
        }
        self.expect(")");
        out
    }

    fn binders(&mut self) -> Vec<(Name, Expr)> {
        let mut out = Vec::new();
        while self.at_binder() {
            out.extend(self.binder());
        }
        out
    }

    fn leave(&mut self, n: usize) {
        self.scope.truncate(self.scope.len() - n);
    }

    fn pis(&self, bs: &[(Name, Expr)], body: Expr) -> Expr {
        let d = BinderInfo::Default;
        bs.iter()
            .rev()
            .fold(body, |b, (n, t)| self.st.pi(*n, *t, b, d))
    }

    fn term(&mut self) -> Expr {
        let (st, d) = (self.st, BinderInfo::Default);
        if self.eat("fun") {
            let bs = self.binders();
            self.expect("=>");
            let body = self.term();
            self.leave(bs.len());
            return bs.iter().rev().fold(body, |b, (n, t)| st.lam(*n, *t, b, d));
        }
        if self.eat("let") {
            let x = self.next();
            self.expect(":");
            let ty = self.term();
            self.expect(":=");
            let v = self.term();
            self.expect(";");
            self.scope.push(x.clone());
            let body = self.term();
            self.leave(1);
            return st.let_(st.name(&x), ty, v, body);
        }
        if self.at_binder() {
            let bs = self.binders();
            self.expect("->");
            let body = self.term();
            self.leave(bs.len());
            return self.pis(&bs, body);
        }
        let mut e = self.atom().expect("a term");
        while let Some(a) = self.atom() {
            e = st.app(e, a);
        }
        if self.eat("->") {
            self.scope.push("_".into());
            let body = self.term();
            self.leave(1);
            return st.pi(Name::ANON, e, body, d);
        }
        e
    }

    fn atom(&mut self) -> Option<Expr> {
        let st = self.st;
        let t = self.peek().to_owned();
        let c = t.chars().next()?;
        if [
            "axiom",
            "def",
            "abbrev",
            "theorem",
            "opaque",
            "inductive",
            "with",
            "quot",
        ]
        .contains(&t.as_str())
        {
            return None;
        }
        if t == "(" {
            if self.at_binder() {
                return None;
            }
            self.next();
            let e = self.term();
            self.expect(")");
            return Some(e);
        }
        if t == "#" {
            self.next();
            return Some(st.bvar(self.next().parse().expect("index")));
        }
        if c == '"' {
            self.next();
            return Some(st.string(&t[1..t.len() - 1]));
        }
        if c.is_ascii_digit() {
            self.next();
            return Some(st.nat(&t.parse().expect("number")));
        }
        if !(c.is_alphabetic() || c == '_') {
            return None;
        }
        self.next();
        Some(match t.as_str() {
            "Prop" => st.prop(),
            "Type" => st.sort(st.level_nat(1)),
            "Sort" => {
                let l = self.level();
                st.sort(l)
            }
            "proj" => {
                self.expect("[");
                let s = self.next();
                self.expect(",");
                let i = self.next().parse().expect("index");
                self.expect("]");
                let e = self.atom().expect("a term");
                st.proj(st.name(&s), i, e)
            }
            _ => match self.scope.iter().rposition(|x| *x == t) {
                Some(i) => st.bvar((self.scope.len() - 1 - i) as u32),
                None => {
                    let mut ls = Vec::new();
                    if self.eat(".{") {
                        while !self.eat("}") {
                            ls.push(self.level());
                            self.eat(",");
                        }
                    }
                    st.constant(st.name(&t), &ls)
                }
            },
        })
    }

    fn decls(&mut self) -> Vec<Declaration> {
        let mut out = Vec::new();
        while !self.at_end() {
            out.push(self.decl());
        }
        out
    }

    fn inductive(&mut self) -> (Vec<Name>, u32, InductiveType) {
        let st = self.st;
        let name = self.next();
        let name = st.name(&name);
        let univ_params = self.univ_params();
        let params = self.binders();
        self.expect(":");
        let ty = self.term();
        let ty = self.pis(&params, ty);
        let mut ctors = Vec::new();
        while self.eat("|") {
            let c = self.next();
            self.expect(":");
            let t = self.term();
            ctors.push((st.name_append(name, st.name(&c)), self.pis(&params, t)));
        }
        self.leave(params.len());
        let num_params = params.len() as u32;
        (univ_params, num_params, InductiveType { name, ty, ctors })
    }

    fn decl(&mut self) -> Declaration {
        let st = self.st;
        let kind = self.next();
        if kind == "quot" {
            return Declaration::Quot;
        }
        if kind == "inductive" {
            let (univ_params, num_params, t) = self.inductive();
            let mut types = vec![t];
            while self.eat("with") {
                types.push(self.inductive().2);
            }
            return Declaration::Inductive(InductiveDecl {
                univ_params,
                num_params,
                types,
            });
        }
        let name = self.next();
        let name = st.name(&name);
        let univ_params = self.univ_params();
        self.expect(":");
        let ty = self.term();
        let sig = Signature {
            name,
            univ_params,
            ty,
        };
        if kind == "axiom" {
            return Declaration::Axiom(sig);
        }
        self.expect(":=");
        let value = self.term();
        match kind.as_str() {
            "def" => Declaration::Definition {
                sig,
                value,
                hint: Hint::Regular(1),
            },
            "abbrev" => Declaration::Definition {
                sig,
                value,
                hint: Hint::Abbrev,
            },
            "theorem" => Declaration::Theorem { sig, value },
            "opaque" => Declaration::Opaque { sig, value },
            _ => panic!("unknown kind of declaration `{kind}`"),
        }
    }
}

/// Lean's basic types, and functions on them by recursors.
pub const PRELUDE: &str = r#"
inductive False : Prop
inductive True : Prop | intro : True
inductive Eq.{u} (α : Sort u) (a : α) : α -> Prop | refl : Eq.{u} α a a
inductive And (a b : Prop) : Prop | intro : a -> b -> And a b
inductive Or (a b : Prop) : Prop | inl : a -> Or a b | inr : b -> Or a b
inductive Exists.{u} (α : Sort u) (p : α -> Prop) : Prop | intro : (w : α) -> p w -> Exists.{u} α p
inductive Bool : Type | false : Bool | true : Bool
inductive Nat : Type | zero : Nat | succ : Nat -> Nat
inductive List.{u} (α : Sort (u+1)) : Sort (u+1) | nil : List.{u} α | cons : α -> List.{u} α -> List.{u} α
inductive Prod.{u, v} (α : Sort (u+1)) (β : Sort (v+1)) : Sort ((max u v)+1) | mk : α -> β -> Prod.{u, v} α β
inductive PUnit.{u} : Sort u | unit : PUnit.{u}
inductive Decidable (p : Prop) : Type | isFalse : (p -> False) -> Decidable p | isTrue : p -> Decidable p
inductive Acc.{u} (α : Sort u) (r : α -> α -> Prop) : α -> Prop
  | intro : (x : α) -> ((y : α) -> r y x -> Acc.{u} α r y) -> Acc.{u} α r x
def Nat.add : Nat -> Nat -> Nat := fun (n m : Nat) =>
  Nat.rec.{1} (fun (_ : Nat) => Nat) n (fun (_ ih : Nat) => Nat.succ ih) m
def Nat.pred : Nat -> Nat := fun (n : Nat) => Nat.rec.{1} (fun (_ : Nat) => Nat) Nat.zero (fun (k _ : Nat) => k) n
def Nat.sub : Nat -> Nat -> Nat := fun (n m : Nat) =>
  Nat.rec.{1} (fun (_ : Nat) => Nat) n (fun (_ ih : Nat) => Nat.pred ih) m
def Nat.mul : Nat -> Nat -> Nat := fun (n m : Nat) =>
  Nat.rec.{1} (fun (_ : Nat) => Nat) Nat.zero (fun (_ ih : Nat) => Nat.add ih n) m
def Nat.pow : Nat -> Nat -> Nat := fun (n m : Nat) =>
  Nat.rec.{1} (fun (_ : Nat) => Nat) (Nat.succ Nat.zero) (fun (_ ih : Nat) => Nat.mul ih n) m
def Nat.beq : Nat -> Nat -> Bool := fun (n : Nat) => Nat.rec.{1} (fun (_ : Nat) => Nat -> Bool)
  (fun (m : Nat) => Nat.rec.{1} (fun (_ : Nat) => Bool) Bool.true (fun (_ : Nat) (_ : Bool) => Bool.false) m)
  (fun (_ : Nat) (ih : Nat -> Bool) (m : Nat) =>
    Nat.rec.{1} (fun (_ : Nat) => Bool) Bool.false (fun (k : Nat) (_ : Bool) => ih k) m) n
def Nat.ble : Nat -> Nat -> Bool := fun (n : Nat) => Nat.rec.{1} (fun (_ : Nat) => Nat -> Bool)
  (fun (_ : Nat) => Bool.true)
  (fun (_ : Nat) (ih : Nat -> Bool) (m : Nat) =>
    Nat.rec.{1} (fun (_ : Nat) => Bool) Bool.false (fun (k : Nat) (_ : Bool) => ih k) m) n
"#;
