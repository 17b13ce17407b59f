//! Which declarations to export, grouped as they were added and in dependency order.
//!
//! Inductive types come with their constructors and recursors, and the four quotient constants together, because the
//! kernel adds each such group by one declaration.

use std::fmt;
use std::io;

use logic::{
    ConstantInfo, ConstructorInfo, Environment, Expr, InductiveInfo, Name, Node, RecursorInfo,
    Store,
};
use rustc_hash::FxHashMap;

/// Which part of an environment to export.
#[derive(Clone, Copy, Debug)]
pub enum Select<'a> {
    /// Every declaration.
    All,
    /// These constants and everything that they mention, directly or not.
    Closure(&'a [Name]),
}

/// Why an export failed.
#[derive(Debug)]
pub enum ExportError {
    /// A constant that the environment does not hold.
    Unknown(String),
    /// A constant whose term holds a free variable or a metavariable. No checked declaration does.
    NotClosed(String),
    /// Something that Lean's surface syntax cannot say, with the constant in which it occurs.
    Inexpressible(String, &'static str),
    /// Writing failed.
    Io(io::Error),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::Unknown(n) => write!(f, "unknown constant `{n}`"),
            ExportError::NotClosed(n) => write!(f, "`{n}` is not a closed term"),
            ExportError::Inexpressible(n, what) => {
                write!(
                    f,
                    "`{n}` cannot be written in Lean's surface syntax: {what}"
                )
            }
            ExportError::Io(e) => write!(f, "cannot write: {e}"),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<io::Error> for ExportError {
    fn from(e: io::Error) -> Self {
        ExportError::Io(e)
    }
}

/// What one declaration put into the environment.
#[derive(Clone, Debug)]
pub enum Unit<'e> {
    /// An axiom, definition, theorem or opaque constant.
    One(&'e ConstantInfo),
    /// Inductive types defined together.
    Inductive {
        /// The types in order.
        types: Vec<&'e InductiveInfo>,
        /// The constructors, type by type, in order.
        ctors: Vec<&'e ConstructorInfo>,
        /// The recursors in the order of their addition.
        recs: Vec<&'e RecursorInfo>,
    },
    /// `Quot`, `Quot.mk`, `Quot.lift`, `Quot.ind`, in the order of their addition.
    Quot(Vec<&'e ConstantInfo>),
}

impl<'e> Unit<'e> {
    /// The constant after which the unit is called: the first type, `Quot`, or the constant itself.
    pub fn name(&self) -> Name {
        match self {
            Unit::One(c) => c.name(),
            Unit::Inductive { types, .. } => types[0].sig.name,
            Unit::Quot(cs) => cs[0].name(),
        }
    }

    /// All terms of the unit: types, values, rules.
    pub fn terms(&self) -> Vec<Expr> {
        match self {
            Unit::One(c) => {
                let mut out = vec![c.ty()];
                match c {
                    ConstantInfo::Definition { value, .. }
                    | ConstantInfo::Theorem { value, .. }
                    | ConstantInfo::Opaque { value, .. } => out.push(*value),
                    _ => {}
                }
                out
            }
            Unit::Inductive { types, ctors, recs } => {
                let mut out: Vec<Expr> = types.iter().map(|t| t.sig.ty).collect();
                out.extend(ctors.iter().map(|c| c.sig.ty));
                for r in recs {
                    out.push(r.sig.ty);
                    out.extend(r.rules.iter().map(|rule| rule.rhs));
                }
                out
            }
            Unit::Quot(cs) => cs.iter().map(|c| c.ty()).collect(),
        }
    }
}

/// All units of an environment in the order of their addition, and the unit of each constant.
fn group<'e>(env: &'e Environment<'_>) -> (Vec<Unit<'e>>, FxHashMap<Name, usize>) {
    let mut units: Vec<Unit<'e>> = Vec::new();
    let mut home: FxHashMap<Name, usize> = FxHashMap::default();
    let mut quot = None;
    for c in env.constants() {
        let at = match c {
            ConstantInfo::Inductive(t) => {
                let at = t.all.iter().find_map(|n| home.get(n).copied());
                let at = at.unwrap_or_else(|| {
                    units.push(Unit::Inductive {
                        types: Vec::new(),
                        ctors: Vec::new(),
                        recs: Vec::new(),
                    });
                    units.len() - 1
                });
                if let Unit::Inductive { types, .. } = &mut units[at] {
                    types.push(t);
                }
                at
            }
            ConstantInfo::Constructor(k) => {
                let at = home[&k.inductive];
                if let Unit::Inductive { ctors, .. } = &mut units[at] {
                    ctors.push(k);
                }
                at
            }
            ConstantInfo::Recursor(r) => {
                let at = home[&r.all[0]];
                if let Unit::Inductive { recs, .. } = &mut units[at] {
                    recs.push(r);
                }
                at
            }
            ConstantInfo::Quot { .. } => {
                let at = *quot.get_or_insert_with(|| {
                    units.push(Unit::Quot(Vec::new()));
                    units.len() - 1
                });
                if let Unit::Quot(cs) = &mut units[at] {
                    cs.push(c);
                }
                at
            }
            _ => {
                units.push(Unit::One(c));
                units.len() - 1
            }
        };
        home.insert(c.name(), at);
    }
    (units, home)
}

/// The constants that a term node needs: those it names, and those that a literal stands for.
pub fn mentioned<'b>(st: &Store<'b>, node: Node<'b>, mut f: impl FnMut(Name)) {
    match node {
        Node::Const(n, _) | Node::Proj(n, _, _) => f(n),
        Node::Nat(_) => f(st.name("Nat")),
        Node::Str(_) => ["String.ofList", "List", "Char.ofNat", "Nat"]
            .iter()
            .for_each(|n| f(st.name(n))),
        _ => {}
    }
}

/// The subterms of a term, without its own.
pub fn children<'b>(node: Node<'b>, out: &mut Vec<Expr>) {
    match node {
        Node::App(a, b) | Node::Lam(_, a, b, _) | Node::Pi(_, a, b, _) => out.extend([b, a]),
        Node::Let(_, a, b, c) => out.extend([c, b, a]),
        Node::Proj(_, _, e) => out.push(e),
        _ => {}
    }
}

/// The units of a selection, each after everything that it mentions.
///
/// # Errors
/// [`ExportError::Unknown`] for a selected or mentioned constant that the environment does not hold.
pub fn units<'e>(
    env: &'e Environment<'_>,
    select: Select<'_>,
) -> Result<Vec<Unit<'e>>, ExportError> {
    let st = env.store();
    let (all, home) = group(env);
    let roots = match select {
        Select::All => return Ok(all),
        Select::Closure(roots) => roots,
    };
    let unknown = |n: Name| ExportError::Unknown(st.name_to_string(n));
    let mut wanted = vec![false; all.len()];
    let mut seen = vec![false; st.term_count()];
    let mut todo: Vec<usize> = Vec::new();
    let want = |n: Name, wanted: &mut Vec<bool>, todo: &mut Vec<usize>| {
        let at = *home.get(&n).ok_or_else(|| unknown(n))?;
        if !std::mem::replace(&mut wanted[at], true) {
            todo.push(at);
        }
        Ok::<(), ExportError>(())
    };
    for n in roots {
        want(*n, &mut wanted, &mut todo)?;
    }
    let mut stack = Vec::new();
    while let Some(at) = todo.pop() {
        if let Unit::Quot(_) = all[at] {
            // The kernel asks for `Eq` before it adds the quotient.
            want(st.name("Eq"), &mut wanted, &mut todo)?;
        }
        stack.extend(all[at].terms());
        while let Some(e) = stack.pop() {
            if std::mem::replace(&mut seen[e.index()], true) {
                continue;
            }
            let node = st.node(e);
            let mut names = Vec::new();
            mentioned(st, node, |n| names.push(n));
            for n in names {
                want(n, &mut wanted, &mut todo)?;
            }
            children(node, &mut stack);
        }
    }
    Ok(all
        .into_iter()
        .zip(wanted)
        .filter_map(|(u, w)| w.then_some(u))
        .collect())
}
