//! Notation: infix operators, logical connectives, lists, pairs, `if`.

use logic::{Expr, Name, Node};

use super::{MAX, Printer, paren};

/// Strengths: of the whole, of the left and of the right operand. On the left of `↔` stands nothing that extends to the
/// right as far as it can: `(∀ x, p x) ↔ q`.
struct Infix(&'static str, u32, u32, u32);

/// The strength of `-x`: less than that of `x <<< n`, which would take `-` in.
const NEG: u32 = 74;

/// Operators whose function is one constant, whatever the type.
fn fixed(name: &str) -> Option<Infix> {
    Some(match name {
        "Eq" => Infix("=", 50, 51, 51),
        "Ne" => Infix("≠", 50, 51, 51),
        "HEq" => Infix("≍", 50, 51, 51),
        "Iff" => Infix("↔", 20, 25, 21),
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
        // `x ^ y <<< z` is `x ^ (y <<< z)`.
        "shiftLeft" => Infix("<<<", 75, 76, 76),
        "shiftRight" => Infix(">>>", 75, 76, 76),
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
                // `!b = c` is `!(b = c)`.
                return Some(paren(40, prec, format!("!{b}")));
            }
            ("Int.negSucc", [n]) => {
                if let Node::Nat(k) = st.node(*n) {
                    return Some(paren(NEG, prec, format!("-{}", k + 1u32)));
                }
            }
            ("Prod.mk", [a, b]) => {
                let a = self.term(*a, 0);
                let b = self.term(*b, 0);
                return Some(format!("({a}, {b})"));
            }
            ("ite" | "dite", _) if args.len() == 5 => {
                return self.conditional(name == "dite", args, prec);
            }
            ("Nat.lt", [a, b]) => return Some(self.infix(&Infix("<", 50, 51, 51), *a, *b, prec)),
            ("List.cons", [a, l]) => return Some(self.list(*a, *l, prec)),
            ("List.nil", _) => return Some("[]".to_owned()),
            _ => {}
        }
        if let [a] = explicit
            && st.name_last(n) == Some("neg")
            && self.of_type(n)
        {
            let a = match self.term(*a, 75) {
                // `--` begins a comment.
                a if a.starts_with('-') => format!("({a})"),
                a => a,
            };
            return Some(paren(NEG, prec, format!("-{a}")));
        }
        let [a, b] = explicit else { return None };
        if let Some(op) = fixed(&name) {
            return Some(self.infix(&op, *a, *b, prec));
        }
        let op = by_type(st.name_last(n)?)?;
        self.of_type(n).then(|| self.infix(&op, *a, *b, prec))
    }

    /// Whether a constant is in the namespace of a type.
    fn of_type(&self, n: Name) -> bool {
        let owner = self.el.env.get(self.el.st.name_prefix(n));
        matches!(owner, Some(logic::ConstantInfo::Inductive(_)))
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

    /// `if c then a else b`, and `if h : c then a else b` for `dite` with two functions.
    fn conditional(&mut self, dependent: bool, args: &[Expr], prec: u32) -> Option<String> {
        let st = self.el.st;
        let (t, e) = (args[3], args[4]);
        if !dependent {
            let (c, t, e) = (self.term(args[1], 0), self.term(t, 0), self.term(e, 0));
            return Some(paren(1, prec, format!("if {c} then {t} else {e}")));
        }
        let (Node::Lam(n, then_ty, then, _), Node::Lam(m, else_ty, els, _)) =
            (st.node(t), st.node(e))
        else {
            return None;
        };
        let c = self.term(args[1], 0);
        // One name for both hypotheses.
        let named = |n: &Name| !matches!(st.name_to_string(*n).as_str(), "" | "_");
        let h = [n, m].into_iter().find(named).unwrap_or(st.name("h"));
        let mut branch =
            |ty: Expr, body: Expr| self.opened(h, ty, body, |p, x, b| (p.var(x), p.term(b, 0)));
        let (h, t) = branch(then_ty, then);
        let (_, e) = branch(else_ty, els);
        Some(paren(1, prec, format!("if {h} : {c} then {t} else {e}")))
    }
}
