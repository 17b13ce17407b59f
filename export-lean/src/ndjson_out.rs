//! Writes lean4export NDJSON 3.1.0, the format of the official kernel's and other checkers' input.
//!
//! Indices are dense and ascending, every name, level and term is written once, before its first use, and equal
//! environments give equal bytes. Terms are walked with a stack of our own, so depth is no limit.

use std::io::{self, Write};

use logic::{
    BinderInfo, ConstantInfo, Environment, Expr, Hint, Level, LevelNode, Name, NameNode, Node,
    QuotKind, Signature, Store,
};
use serde_json::{Value, json};

use crate::select::{ExportError, Select, Unit, children, units};

/// The version of Lean whose kernel the export is made for, and its commit.
const LEAN: (&str, &str) = ("4.35.0", "eb6cafb7290e8bd5f2937522d8d804f58f02bafc");

/// What an export holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Declarations; an inductive type with its constructors and recursors is one.
    pub declarations: usize,
    /// Names.
    pub names: usize,
    /// Levels, `0` not counted.
    pub levels: usize,
    /// Terms.
    pub terms: usize,
    /// Bytes.
    pub bytes: u64,
}

/// Writes the selected part of an environment.
///
/// # Errors
/// [`ExportError`] when a selected constant does not exist or the output cannot be written.
pub fn write_ndjson(
    out: &mut dyn Write,
    env: &Environment<'_>,
    select: Select<'_>,
) -> Result<Written, ExportError> {
    let units = units(env, select)?;
    let mut w = Writer {
        st: env.store(),
        out: Counting { out, bytes: 0 },
        names: Ids::new(1),
        levels: Ids::new(1),
        terms: Ids::new(0),
    };
    w.names.assign(Name::ANON.index(), 0);
    w.levels.assign(Level::ZERO.index(), 0);
    w.line(&json!({"meta": {
        "exporter": {"name": "ptxprove", "version": env!("CARGO_PKG_VERSION")},
        "format": {"version": "3.1.0"},
        "lean": {"githash": LEAN.1, "version": LEAN.0},
    }}))?;
    for u in &units {
        w.unit(u)?;
    }
    w.out.flush()?;
    Ok(Written {
        declarations: units.len(),
        names: w.names.next as usize - 1,
        levels: w.levels.next as usize - 1,
        terms: w.terms.next as usize,
        bytes: w.out.bytes,
    })
}

/// Counts what passes through.
struct Counting<'w> {
    out: &'w mut dyn Write,
    bytes: u64,
}

impl Write for Counting<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.out.write(buf)?;
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Dense numbers in the order of first use, for things that have an index in the store.
struct Ids {
    of: Vec<u32>,
    next: u32,
}

impl Ids {
    const NONE: u32 = u32::MAX;

    fn new(next: u32) -> Ids {
        Ids {
            of: Vec::new(),
            next,
        }
    }

    fn get(&self, index: usize) -> Option<u32> {
        self.of.get(index).copied().filter(|i| *i != Ids::NONE)
    }

    fn assign(&mut self, index: usize, id: u32) {
        if self.of.len() <= index {
            self.of.resize(index + 1, Ids::NONE);
        }
        self.of[index] = id;
    }

    fn fresh(&mut self, index: usize) -> u32 {
        let id = self.next;
        self.next += 1;
        self.assign(index, id);
        id
    }
}

struct Writer<'w, 'b> {
    st: &'b Store<'b>,
    out: Counting<'w>,
    names: Ids,
    levels: Ids,
    terms: Ids,
}

type Res<T> = Result<T, ExportError>;

fn info(bi: BinderInfo) -> &'static str {
    match bi {
        BinderInfo::Default => "default",
        BinderInfo::Implicit => "implicit",
        BinderInfo::StrictImplicit => "strictImplicit",
        BinderInfo::InstImplicit => "instImplicit",
    }
}

/// A JSON string.
fn quoted(s: &str) -> Value {
    Value::String(s.to_owned())
}

impl Writer<'_, '_> {
    fn line(&mut self, v: &Value) -> Res<()> {
        writeln!(self.out, "{v}")?;
        Ok(())
    }

    fn name(&mut self, n: Name) -> Res<u32> {
        let mut chain = Vec::new();
        let mut cur = n;
        while self.names.get(cur.index()).is_none() {
            chain.push(cur);
            cur = self.st.name_prefix(cur);
        }
        for n in chain.into_iter().rev() {
            let pre = self.names.get(self.st.name_prefix(n).index());
            let pre = pre.expect("prefixes first");
            let id = self.names.fresh(n.index());
            match self.st.name_node(n) {
                NameNode::Str(_, s) => {
                    writeln!(
                        self.out,
                        r#"{{"in":{id},"str":{{"pre":{pre},"str":{}}}}}"#,
                        quoted(s)
                    )?;
                }
                NameNode::Num(_, i) => {
                    writeln!(self.out, r#"{{"in":{id},"num":{{"i":{i},"pre":{pre}}}}}"#)?;
                }
                NameNode::Anon => {}
            }
        }
        Ok(self.names.get(n.index()).expect("just assigned"))
    }

    fn name_list(&mut self, ns: &[Name]) -> Res<Vec<u32>> {
        ns.iter().map(|n| self.name(*n)).collect()
    }

    fn level(&mut self, l: Level) -> Res<u32> {
        let mut stack = vec![(l, false)];
        while let Some((l, parts_done)) = stack.pop() {
            if self.levels.get(l.index()).is_some() {
                continue;
            }
            if !parts_done {
                stack.push((l, true));
                match self.st.level_node(l) {
                    LevelNode::Succ(a) => stack.push((a, false)),
                    LevelNode::Max(a, b) | LevelNode::IMax(a, b) => {
                        stack.extend([(b, false), (a, false)]);
                    }
                    _ => {}
                }
                continue;
            }
            let known = |w: &Self, l: Level| w.levels.get(l.index()).expect("parts first");
            let text = match self.st.level_node(l) {
                LevelNode::Succ(a) => format!(r#""succ":{}"#, known(self, a)),
                LevelNode::Max(a, b) => {
                    format!(r#""max":[{},{}]"#, known(self, a), known(self, b))
                }
                LevelNode::IMax(a, b) => {
                    format!(r#""imax":[{},{}]"#, known(self, a), known(self, b))
                }
                LevelNode::Param(n) => format!(r#""param":{}"#, self.name(n)?),
                LevelNode::Zero | LevelNode::MVar(_) => {
                    return Err(ExportError::NotClosed("a universe level".into()));
                }
            };
            let id = self.levels.fresh(l.index());
            writeln!(self.out, r#"{{"il":{id},{text}}}"#)?;
        }
        Ok(self.levels.get(l.index()).expect("just written"))
    }

    fn expr(&mut self, e: Expr) -> Res<u32> {
        let mut stack = vec![(e, false)];
        let mut below = Vec::new();
        while let Some((e, parts_done)) = stack.pop() {
            if self.terms.get(e.index()).is_some() {
                continue;
            }
            if parts_done {
                self.node(e)?;
                continue;
            }
            stack.push((e, true));
            children(self.st.node(e), &mut below);
            stack.extend(below.drain(..).map(|e| (e, false)));
        }
        Ok(self.terms.get(e.index()).expect("just written"))
    }

    /// Writes one term whose subterms are written.
    fn node(&mut self, e: Expr) -> Res<()> {
        let known = |w: &Self, e: Expr| w.terms.get(e.index()).expect("subterms first");
        let text = match self.st.node(e) {
            Node::BVar(i) => format!(r#""bvar":{i}"#),
            Node::Sort(l) => format!(r#""sort":{}"#, self.level(l)?),
            Node::Const(n, ls) => {
                let n = self.name(n)?;
                let us: Vec<u32> = ls.iter().map(|l| self.level(*l)).collect::<Res<_>>()?;
                format!(r#""const":{{"name":{n},"us":{}}}"#, json!(us))
            }
            Node::App(f, a) => {
                format!(
                    r#""app":{{"arg":{},"fn":{}}}"#,
                    known(self, a),
                    known(self, f)
                )
            }
            node @ (Node::Lam(n, t, b, bi) | Node::Pi(n, t, b, bi)) => {
                let key = match node {
                    Node::Lam(..) => "lam",
                    _ => "forallE",
                };
                let n = self.name(n)?;
                format!(
                    r#""{key}":{{"binderInfo":"{}","body":{},"name":{n},"type":{}}}"#,
                    info(bi),
                    known(self, b),
                    known(self, t)
                )
            }
            Node::Let(n, t, v, b) => {
                let n = self.name(n)?;
                format!(
                    r#""letE":{{"body":{},"name":{n},"nondep":false,"type":{},"value":{}}}"#,
                    known(self, b),
                    known(self, t),
                    known(self, v)
                )
            }
            Node::Proj(n, i, e) => {
                let n = self.name(n)?;
                format!(
                    r#""proj":{{"idx":{i},"struct":{},"typeName":{n}}}"#,
                    known(self, e)
                )
            }
            Node::Nat(n) => format!(r#""natVal":"{n}""#),
            Node::Str(s) => format!(r#""strVal":{}"#, quoted(s)),
            Node::FVar(_) | Node::MVar(_) => {
                return Err(ExportError::NotClosed("a term".into()));
            }
        };
        let id = self.terms.fresh(e.index());
        writeln!(self.out, r#"{{"ie":{id},{text}}}"#)?;
        Ok(())
    }

    /// Name, universe parameters and type, as JSON numbers.
    fn signature(&mut self, sig: &Signature) -> Res<(u32, Vec<u32>, u32)> {
        Ok((
            self.name(sig.name)?,
            self.name_list(&sig.univ_params)?,
            self.expr(sig.ty)?,
        ))
    }

    fn unit(&mut self, u: &Unit<'_>) -> Res<()> {
        match u {
            Unit::One(c) => self.one(c),
            Unit::Quot(cs) => cs.iter().try_for_each(|c| self.one(c)),
            Unit::Inductive { types, ctors, recs } => {
                let mut ts = Vec::new();
                for t in types {
                    let (name, params, ty) = self.signature(&t.sig)?;
                    ts.push(json!({
                        "all": self.name_list(&t.all)?, "ctors": self.name_list(&t.ctors)?,
                        "isRec": t.is_recursive, "isReflexive": t.is_reflexive, "isUnsafe": false,
                        "levelParams": params, "name": name, "numIndices": t.num_indices,
                        "numNested": t.num_nested, "numParams": t.num_params, "type": ty,
                    }));
                }
                let mut cs = Vec::new();
                for c in ctors {
                    let (name, params, ty) = self.signature(&c.sig)?;
                    cs.push(json!({
                        "cidx": c.cidx, "induct": self.name(c.inductive)?, "isUnsafe": false,
                        "levelParams": params, "name": name, "numFields": c.num_fields,
                        "numParams": c.num_params, "type": ty,
                    }));
                }
                let mut rs = Vec::new();
                for r in recs {
                    let (name, params, ty) = self.signature(&r.sig)?;
                    let mut rules = Vec::new();
                    for rule in &r.rules {
                        rules.push(json!({
                            "ctor": self.name(rule.ctor)?, "nfields": rule.num_fields,
                            "rhs": self.expr(rule.rhs)?,
                        }));
                    }
                    rs.push(json!({
                        "all": self.name_list(&r.all)?, "isUnsafe": false, "k": r.k,
                        "levelParams": params, "name": name, "numIndices": r.num_indices,
                        "numMinors": r.num_minors, "numMotives": r.num_motives,
                        "numParams": r.num_params, "rules": rules, "type": ty,
                    }));
                }
                self.line(&json!({"inductive": {"ctors": cs, "recs": rs, "types": ts}}))
            }
        }
    }

    fn one(&mut self, c: &ConstantInfo) -> Res<()> {
        let (name, params, ty) = self.signature(c.sig())?;
        let item = match c {
            ConstantInfo::Axiom { .. } => json!({"axiom": {
                "isUnsafe": false, "levelParams": params, "name": name, "type": ty,
            }}),
            ConstantInfo::Definition { value, hint, .. } => {
                let hints = match hint {
                    Hint::Opaque => json!("opaque"),
                    Hint::Abbrev => json!("abbrev"),
                    Hint::Regular(h) => json!({"regular": h}),
                };
                json!({"def": {
                    "all": [name], "hints": hints, "levelParams": params, "name": name,
                    "safety": "safe", "type": ty, "value": self.expr(*value)?,
                }})
            }
            ConstantInfo::Theorem { value, .. } => json!({"thm": {
                "all": [name], "levelParams": params, "name": name, "type": ty,
                "value": self.expr(*value)?,
            }}),
            ConstantInfo::Opaque { value, .. } => json!({"opaque": {
                "all": [name], "isUnsafe": false, "levelParams": params, "name": name, "type": ty,
                "value": self.expr(*value)?,
            }}),
            ConstantInfo::Quot { kind, .. } => {
                let kind = match kind {
                    QuotKind::Type => "type",
                    QuotKind::Mk => "ctor",
                    QuotKind::Lift => "lift",
                    QuotKind::Ind => "ind",
                };
                json!({"quot": {
                    "kind": kind, "levelParams": params, "name": name, "type": ty,
                }})
            }
            ConstantInfo::Inductive(_)
            | ConstantInfo::Constructor(_)
            | ConstantInfo::Recursor(_) => {
                unreachable!("these are written with their inductive declaration")
            }
        };
        self.line(&item)
    }
}
