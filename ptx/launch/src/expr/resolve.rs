//! Text to expression: what names stand for.

use lalrpop_util::ParseError;

use super::grammar::ExprParser;
use super::lexer::{Token, lex};
use super::{Expr, FUNCTIONS, Folding, Tree};
use crate::dtype::{self, DType};
use crate::error::LaunchError;

/// The longest text of an expression, so that no text can exhaust the stack.
const LONGEST: usize = 2_000;

/// Names of the indices of an element, the first dimension first.
pub const INDICES: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// What names can stand for.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// How many indices there are.
    pub dimensions: usize,
    /// Buffers: their names and numbers of dimensions.
    pub buffers: &'a [(String, usize)],
}

/// Reads an expression.
///
/// Errors: a syntax error, or a name that stands for nothing.
pub fn parse(text: &str, scope: &Scope<'_>) -> Result<Expr, LaunchError> {
    if text.len() > LONGEST {
        return Err(LaunchError::new(format!(
            "this expression has more than {LONGEST} bytes"
        )));
    }
    let wrong = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        let shown: String = rest.chars().take(20).collect();
        match shown.is_empty() {
            true => "this expression ends too early".to_owned(),
            false => format!("this expression makes no sense from `{shown}` on"),
        }
    };
    let tokens = lex(text).map_err(|at| LaunchError::new(wrong(at)))?;
    let tree = ExprParser::new().parse(tokens).map_err(|e| {
        LaunchError::new(wrong(match e {
            ParseError::UnrecognizedToken { token, .. } | ParseError::ExtraToken { token } => {
                start(&token)
            }
            ParseError::InvalidToken { location } => location,
            ParseError::UnrecognizedEof { .. } | ParseError::User { .. } => text.len(),
        }))
    })?;
    let mut names: Vec<&str> = INDICES.into_iter().take(scope.dimensions).collect();
    resolve(&tree, scope, &mut names)
}

fn start(token: &(usize, Token<'_>, usize)) -> usize {
    token.0
}

fn resolve<'s>(
    tree: &Tree<'s>,
    scope: &Scope<'_>,
    names: &mut Vec<&'s str>,
) -> Result<Expr, LaunchError> {
    let mut one = |t: &Tree<'s>| resolve(t, scope, names);
    Ok(match tree {
        Tree::Int(n) => Expr::Int(*n),
        Tree::Real(x) => Expr::Real(*x),
        Tree::Name(n, _) => return name(n, scope, names),
        Tree::Element(n, indices, _) => {
            let buffer = scope.buffers.iter().position(|(b, _)| b == n);
            let known = || scope.buffers.iter().map(|(b, _)| b.clone());
            let buffer = buffer.ok_or_else(|| {
                LaunchError::new(format!("there is no buffer `{n}`")).unknown(n, known())
            })?;
            let (wanted, found) = (scope.buffers[buffer].1, indices.len());
            if wanted != found {
                return Err(LaunchError::new(format!(
                    "the buffer `{n}` has {}, and here {}",
                    match wanted {
                        1 => "1 dimension".to_owned(),
                        n => format!("{n} dimensions"),
                    },
                    match found {
                        1 => "is 1 index".to_owned(),
                        n => format!("are {n} indices"),
                    }
                )));
            }
            let indices: Result<_, _> = indices.iter().map(one).collect();
            Expr::Element(buffer, indices?)
        }
        Tree::Call(n, args, _) => {
            let args: Result<Vec<Expr>, _> = args.iter().map(one).collect();
            return call(n, args?);
        }
        Tree::Unary(op, a) => Expr::Unary(*op, Box::new(one(a)?)),
        Tree::Binary(op, ab) => Expr::Binary(*op, Box::new((one(&ab.0)?, one(&ab.1)?))),
        Tree::If(abc) => Expr::If(Box::new((one(&abc.0)?, one(&abc.1)?, one(&abc.2)?))),
        Tree::Fold(f) => {
            let folding = match f.fold {
                "sum" => Folding::Sum,
                "min" => Folding::Min,
                "max" => Folding::Max,
                other => {
                    return Err(LaunchError::new(format!(
                        "`{other}` is not over a range; `sum`, `min` and `max` are"
                    )));
                }
            };
            let (from, to) = (one(&f.from)?, one(&f.to)?);
            names.push(f.variable);
            let slot = names.len() - 1;
            let body = resolve(&f.body, scope, names);
            names.pop();
            Expr::Fold(folding, slot, Box::new((from, to, body?)))
        }
    })
}

/// A name that stands alone; the innermost variable of that name.
fn name(n: &str, scope: &Scope<'_>, names: &[&str]) -> Result<Expr, LaunchError> {
    if let Some(slot) = names.iter().rposition(|known| *known == n) {
        return Ok(Expr::Variable(slot));
    }
    match n {
        "pi" => return Ok(Expr::Real(std::f64::consts::PI)),
        "inf" => return Ok(Expr::Real(f64::INFINITY)),
        "nan" => return Ok(Expr::Real(f64::NAN)),
        _ => {}
    }
    let indices = INDICES[..scope.dimensions.min(INDICES.len())].join(", ");
    let e = LaunchError::new(format!("`{n}` stands for nothing here"));
    Err(match scope.buffers.iter().any(|(b, _)| b == n) {
        true => e.help(format!("an element of the buffer is `{n}[{indices}]`")),
        false => e.help(format!("the indices of an element are {indices}")),
    })
}

fn call(n: &str, mut args: Vec<Expr>) -> Result<Expr, LaunchError> {
    let count = |wanted: usize| match args.len() == wanted || wanted == 0 {
        true => Ok(()),
        false => Err(LaunchError::new(format!(
            "`{n}` takes {wanted} arguments, and here are {}",
            args.len()
        ))),
    };
    if let Some((_, f, arity)) = FUNCTIONS.into_iter().find(|f| f.0 == n) {
        count(arity)?;
        return Ok(Expr::Call(f, args));
    }
    if let Some(d) = DType::of_name(n) {
        count(1)?;
        let arg = args.pop().unwrap_or(Expr::Int(0));
        return Ok(Expr::Cast(d, Box::new(arg)));
    }
    let functions = FUNCTIONS.into_iter().map(|f| f.0.to_owned());
    let types = dtype::ALL.into_iter().map(|d| d.name().to_owned());
    let e = LaunchError::new(format!("there is no function `{n}`"));
    Err(e.unknown(n, functions.chain(types).chain(["sum".to_owned()])))
}
