//! Notation: infix operators, logical connectives, lists, pairs, `if`.

use logic::{Expr, Name, Node};

use super::{MAX, Printer, paren};

/// Strengths: of the whole, of the left and of the right operand.
struct Infix(&'static str, u32, u32, u32);

/// Operators whose function is one constant, whatever the type.
fn fixed(name: &str) -> Option<Infix> {
    Some(match name {
        "Eq" => Infix("=", 50, 51, 51),
        "Ne" => Infix("≠", 50, 51, 51),
        "HEq" => Infix("≍", 50, 51, 51),
        "Iff" => Infix("↔", 20, 21, 21),
        "And" => Infix("∧", 35, 36, 35),
        "Or" => Infix("∨", 30, 31, 30),
        "Prod" => Infix("×", 35, 36, 35),
        "List.cons" => Infix("::", 67, 68, 67),
        "Function.comp" => Infix("∘", 90, 91, 90),
        "Bool.and" => Infix("&&", 35, 35, 36),
        "Bool.or" => Infix("||", 30, 30, 31),
        _ => return None,
    })
}

/// Operators that the head of a type resolves: `T.add` for `+`.
fn by_type(last: &str) -> Option<Infix> {
    Some(match last {
        "add" => Infix("+", 65, 65, 66),
        "sub" => Infix("-", 65, 65, 66),
        "mul" => Infix("*", 70, 70, 71),
        "div" => Infix("/", 70, 70, 71),
        "mod" => Infix("%", 70, 70, 71),
        "pow" => Infix("^", 75, 76, 75),
        "lt" => Infix("<", 50, 51, 51),
        "le" => Infix("≤", 50, 51, 51),
        "land" => Infix("&&&", 60, 60, 61),
        "lor" => Infix("|||", 55, 55, 56),
        "xor" => Infix("^^^", 58, 58, 59),
        "shiftLeft" => Infix("<<<", 75, 75, 76),
        "shiftRight" => Infix(">>>", 75, 75, 76),
        "append" => Infix("++", 65, 65, 66),
        "dvd" => Infix("∣", 50, 51, 51),
        _ => return None,
    })
}

impl<'b> Printer<'_, 'b> {
    /// The notation for a constant applied to these arguments, if it has one.
    pub(super) fn notation(
        &mut self,
        n: Name,
        args: &[Expr],
        explicit: &[Expr],
        prec: u32,
    ) -> Option<String> {
        let st = self.el.st;
        let name = st.name_to_string(n);
        match (name.as_str(), explicit) {
            ("Not", [p]) => {
                if let Some((_, a, b)) = self.el.match_eq(*p) {
                    return Some(self.infix(&Infix("≠", 50, 51, 51), a, b, prec));
                }
                let p = self.term(*p, 40);
                return Some(paren(40, prec, format!("¬{p}")));
            }
            ("Int.ofNat", [n]) => {
                if let Node::Nat(k) = st.node(*n) {
                    return Some(k.to_string());
                }
                let n = self.term(*n, MAX);
                return Some(format!("↑{n}"));
            }
            ("Exists", [f]) => return self.exists(*f, prec),
            ("Bool.not", [b]) => {
                let b = self.term(*b, MAX);
                return Some(paren(MAX - 1, prec, format!("!{b}")));
            }
            ("Prod.mk", [a, b]) => {
                let a = self.term(*a, 0);
                let b = self.term(*b, 0);
                return Some(format!("({a}, {b})"));
            }
            ("ite" | "dite", _) if args.len() == 5 => return self.conditional(args, prec),
            ("Nat.lt", [a, b]) => return Some(self.infix(&Infix("<", 50, 51, 51), *a, *b, prec)),
            ("List.cons", [a, l]) => return Some(self.list(*a, *l, prec)),
            ("List.nil", _) => return Some("[]".to_owned()),
            _ => {}
        }
        let [a, b] = explicit else { return None };
        if let Some(op) = fixed(&name) {
            return Some(self.infix(&op, *a, *b, prec));
        }
        let op = by_type(st.name_last(n)?)?;
        let owner = self.el.env.get(st.name_prefix(n))?;
        matches!(owner, logic::ConstantInfo::Inductive(_)).then(|| self.infix(&op, *a, *b, prec))
    }

    fn infix(&mut self, op: &Infix, a: Expr, b: Expr, prec: u32) -> String {
        let Infix(symbol, own, left, right) = op;
        let a = self.term(a, *left);
        let b = self.term(b, *right);
        paren(*own, prec, format!("{a} {symbol} {b}"))
    }

    /// `[a, b, c]` if the list ends in `[]`, otherwise `a :: rest`.
    fn list(&mut self, first: Expr, rest: Expr, prec: u32) -> String {
        let st = self.el.st;
        let mut items = vec![first];
        let mut cur = rest;
        loop {
            let (head, args) = st.unfold_app(cur);
            let Node::Const(n, _) = st.node(head) else {
                break;
            };
            match (st.name_to_string(n).as_str(), &args[..]) {
                ("List.nil", _) => {
                    let items: Vec<String> = items.iter().map(|x| self.term(*x, 0)).collect();
                    return format!("[{}]", items.join(", "));
                }
                ("List.cons", [_, x, l]) => {
                    items.push(*x);
                    cur = *l;
                }
                _ => break,
            }
        }
        self.infix(&Infix("::", 67, 68, 67), first, rest, prec)
    }

    /// `if c then a else b`; the hypothesis of `dite` is shown by its name.
    fn conditional(&mut self, args: &[Expr], prec: u32) -> Option<String> {
        let st = self.el.st;
        let c = self.term(args[1], 0);
        let mut name = String::new();
        let branch = |p: &mut Self, e: Expr, name: &mut String| match st.node(e) {
            Node::Lam(n, ty, body, _) if st.name_to_string(n) != "_" => {
                p.opened(n, ty, body, |p, x, b| {
                    if st.has_fvar(b) && p.el.occurs_fvar(b, &[x]) {
                        *name = format!("{} : ", st.name_to_string(p.el.local(x).user_name));
                    }
                    p.term(b, 0)
                })
            }
            Node::Lam(n, ty, body, _) => p.opened(n, ty, body, |p, _, b| p.term(b, 0)),
            _ => p.term(e, 0),
        };
        let t = branch(self, args[3], &mut name);
        let e = branch(self, args[4], &mut name);
        Some(paren(1, prec, format!("if {name}{c} then {t} else {e}")))
    }
}
