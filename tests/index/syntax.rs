//! Statements of index goals: read from a script, and written again.
//!
//! `theorem name (x y : Nat) (w : Word 32) (h : x < 8) : left = right := by index`, where both sides are made of literals,
//! variables, `.val`, arithmetic and bit operations on numbers, `ofNat` and meanings of instructions.

use std::fmt;

/// A binary operation on natural numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

impl Op {
    /// All of them.
    pub const ALL: [Op; 10] = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Div,
        Op::Mod,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Shl,
        Op::Shr,
    ];

    /// How it is written, and how tightly it binds.
    fn sign(self) -> (&'static str, u32) {
        match self {
            Op::Or => ("|||", 55),
            Op::Xor => ("^^^", 58),
            Op::And => ("&&&", 60),
            Op::Add => ("+", 65),
            Op::Sub => ("-", 65),
            Op::Mul => ("*", 70),
            Op::Div => ("/", 70),
            Op::Mod => ("%", 70),
            Op::Shl => ("<<<", 75),
            Op::Shr => (">>>", 75),
        }
    }
}

/// A term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// A literal.
    Num(u128),
    /// A variable.
    Var(String),
    /// The value of a word.
    Val(Box<Term>),
    /// An operation on numbers.
    Op(Op, Box<Term>, Box<Term>),
    /// `ofNat w n`, or an instruction's meaning.
    Call(String, Vec<Term>),
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Num(n) => write!(f, "{n}"),
            Term::Var(x) => write!(f, "{x}"),
            Term::Val(a) => match &**a {
                Term::Var(x) => write!(f, "{x}.val"),
                a => write!(f, "{a}.val"),
            },
            Term::Op(op, a, b) => write!(f, "({a} {} {b})", op.sign().0),
            Term::Call(name, arguments) => {
                write!(f, "({name}")?;
                for a in arguments {
                    write!(f, " {a}")?;
                }
                write!(f, ")")
            }
        }
    }
}

/// How a hypothesis compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Lt,
    Le,
    Eq,
}

/// A hypothesis: its name, and what it says.
pub type Hypothesis = (String, Relation, Term, Term);

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    /// Its name.
    pub name: String,
    /// The line on which it begins.
    pub line: usize,
    /// Its variables: numbers, or words with their width.
    pub variables: Vec<(String, Option<u32>)>,
    /// Its hypotheses.
    pub hypotheses: Vec<Hypothesis>,
    /// The left side.
    pub left: Term,
    /// The right side.
    pub right: Term,
}

impl fmt::Display for Goal {
    /// The statement on one line, without a proof.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "theorem {}", self.name)?;
        for (x, width) in &self.variables {
            match width {
                None => write!(f, " ({x} : Nat)")?,
                Some(w) => write!(f, " ({x} : Word {w})")?,
            }
        }
        for (h, relation, a, b) in &self.hypotheses {
            let sign = match relation {
                Relation::Lt => "<",
                Relation::Le => "≤",
                Relation::Eq => "=",
            };
            write!(f, " ({h} : {a} {sign} {b})")?;
        }
        write!(f, " : {} = {}", self.left, self.right)
    }
}

/// All statements of a script.
///
/// Errors: what cannot be read, with its line.
pub fn goals(source: &str) -> Result<Vec<Goal>, String> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(found) = source[at..].find("\ntheorem ") {
        let begin = at + found + 1;
        let line = source[..begin].matches('\n').count() + 1;
        let text = &source[begin..];
        let end = text
            .find(" := by")
            .ok_or(format!("line {line}: no proof"))?;
        let goal = Parser::new(&text[..end])
            .and_then(|mut p| p.goal(line))
            .map_err(|e| format!("line {line}: {e}"))?;
        all.push(goal);
        at = begin + end;
    }
    Ok(all)
}

struct Parser {
    tokens: Vec<String>,
    at: usize,
}

/// Signs, longest first.
const SIGNS: [&str; 16] = [
    "&&&", "|||", "^^^", "<<<", ">>>", ".val", "(", ")", "+", "-", "*", "/", "%", "<", "≤", "=",
];

impl Parser {
    fn new(text: &str) -> Result<Parser, String> {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start();
        while let Some(c) = rest.chars().next() {
            let length = if c.is_alphanumeric() || c == '_' {
                let part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || c == '.';
                rest.find(|c| !part(c)).unwrap_or(rest.len())
            } else if c == ':' {
                1
            } else {
                let sign = SIGNS.iter().find(|s| rest.starts_with(**s));
                sign.ok_or(format!("what is `{c}`?"))?.len()
            };
            let (token, after) = rest.split_at(length);
            match token.strip_suffix(".val") {
                Some(x) if !x.is_empty() => {
                    tokens.extend([x.to_owned(), ".val".to_owned()]);
                }
                _ => tokens.push(token.to_owned()),
            }
            rest = after.trim_start();
        }
        Ok(Parser { tokens, at: 0 })
    }

    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", |t| t)
    }

    fn next(&mut self) -> String {
        let token = self.peek().to_owned();
        self.at += 1;
        token
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.next() {
            found if found == token => Ok(()),
            found => Err(format!("`{found}` where `{token}` should be")),
        }
    }

    fn goal(&mut self, line: usize) -> Result<Goal, String> {
        self.expect("theorem")?;
        let name = self.next();
        let (mut variables, mut hypotheses) = (Vec::new(), Vec::new());
        while self.peek() == "(" {
            self.next();
            let mut names = Vec::new();
            while self.peek() != ":" {
                names.push(self.next());
            }
            self.next();
            match self.peek() {
                "Nat" => {
                    self.next();
                    variables.extend(names.into_iter().map(|x| (x, None)));
                }
                "Word" => {
                    self.next();
                    let width = self.next().parse().map_err(|_| "no width")?;
                    variables.extend(names.into_iter().map(|x| (x, Some(width))));
                }
                _ => {
                    let a = self.term(0)?;
                    let relation = match self.next().as_str() {
                        "<" => Relation::Lt,
                        "≤" => Relation::Le,
                        "=" => Relation::Eq,
                        other => return Err(format!("`{other}` between terms")),
                    };
                    let h = names.pop().ok_or("a hypothesis without a name")?;
                    hypotheses.push((h, relation, a, self.term(0)?));
                }
            }
            self.expect(")")?;
        }
        self.expect(":")?;
        let left = self.term(0)?;
        self.expect("=")?;
        let right = self.term(0)?;
        match self.peek() {
            "" => Ok(Goal {
                name,
                line,
                variables,
                hypotheses,
                left,
                right,
            }),
            rest => Err(format!("`{rest}` behind the statement")),
        }
    }

    fn term(&mut self, level: u32) -> Result<Term, String> {
        let mut a = self.applied()?;
        loop {
            let op = Op::ALL.into_iter().find(|op| op.sign().0 == self.peek());
            match op.map(|op| (op, op.sign().1)) {
                Some((op, binds)) if binds > level => {
                    self.next();
                    a = Term::Op(op, Box::new(a), Box::new(self.term(binds)?));
                }
                _ => return Ok(a),
            }
        }
    }

    fn applied(&mut self) -> Result<Term, String> {
        let a = self.atom()?;
        match a {
            Term::Var(f) if f == "ofNat" || f.starts_with("ptx.") => {
                let mut arguments = Vec::new();
                while self.peek() == "(" || self.peek().starts_with(char::is_alphanumeric) {
                    arguments.push(self.atom()?);
                }
                Ok(Term::Call(f, arguments))
            }
            a => Ok(a),
        }
    }

    fn atom(&mut self) -> Result<Term, String> {
        let token = self.next();
        let mut a = if token == "(" {
            let a = self.term(0)?;
            self.expect(")")?;
            a
        } else if token.starts_with(|c: char| c.is_ascii_digit()) {
            Term::Num(token.parse().map_err(|_| format!("`{token}`"))?)
        } else if token.starts_with(char::is_alphabetic) {
            Term::Var(token)
        } else {
            return Err(format!("`{token}` where a term should be"));
        };
        while self.peek() == ".val" {
            self.next();
            a = Term::Val(Box::new(a));
        }
        Ok(a)
    }
}
