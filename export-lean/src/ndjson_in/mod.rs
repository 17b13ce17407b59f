//! Reads lean4export NDJSON 3.1.0 into an environment of our kernel.
//!
//! Every declaration goes through [`Environment::add`]. What the file says beyond a declaration (recursors, their
//! rules, counts, flags) is never used: the kernel derives it, and the two are compared, terms up to definitional
//! equality. Malformed input is an error with its line, never a panic.

mod arithmetic;
mod compare;
mod format;
mod tables;

use std::fmt;
use std::io::{self, BufRead, Read as _};

use logic::{
    BinderInfo, Declaration, Environment, Hint, InductiveDecl, InductiveType, KernelError, Name,
    Signature,
};

use self::format::{Hints, Inductive, Info, Kind, Line, Quot, Safety};
use self::tables::Tables;

/// Why a file was not accepted. `line` counts from 1.
#[derive(Debug)]
pub enum ReadError {
    /// Reading failed.
    Io {
        /// The line.
        line: usize,
        /// What the system said.
        error: io::Error,
    },
    /// The line does not follow the format.
    Malformed {
        /// The line.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The line follows the format but asks for something that no checked proof needs (`unsafe`, `partial`), or for
    /// another version of the format.
    Unsupported {
        /// The line.
        line: usize,
        /// What is asked for.
        what: String,
    },
    /// The kernel refuses the declaration.
    Refused {
        /// The line.
        line: usize,
        /// The declaration.
        name: String,
        /// The rule that it breaks.
        rule: Box<KernelError>,
        /// The rule, in words.
        message: String,
    },
    /// The file claims something else than what the kernel derives from an inductive or quotient declaration.
    Differs {
        /// The line.
        line: usize,
        /// The constant.
        name: String,
        /// What differs.
        what: Difference,
    },
}

/// What a file may claim wrongly of a derived constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The declaration makes no such constant.
    NoSuchConstant,
    /// A constant that the declaration makes is missing.
    Missing,
    /// A number: of parameters, indices, motives, minor premises, fields, nested occurrences, or a position.
    Count,
    /// `isRec`, `isReflexive` or `k`.
    Flag,
    /// The number of universe parameters, or, of a type or constructor, their names.
    UniverseParameters,
    /// The type.
    Type,
    /// The number or order of a recursor's rules.
    Rules,
    /// The right-hand side of a recursor's rule.
    Rule,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Difference::NoSuchConstant => "the declaration makes no such constant",
            Difference::Missing => "the file does not list it",
            Difference::Count => "a number differs",
            Difference::Flag => "a flag differs",
            Difference::UniverseParameters => "the universe parameters differ",
            Difference::Type => "the type differs",
            Difference::Rules => "the rules are for other constructors",
            Difference::Rule => "the right-hand side of a rule differs",
        })
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io { line, error } => write!(f, "line {line}: cannot read: {error}"),
            ReadError::Malformed { line, what } => write!(f, "line {line}: malformed: {what}"),
            ReadError::Unsupported { line, what } => write!(f, "line {line}: unsupported: {what}"),
            ReadError::Refused {
                line,
                name,
                message,
                ..
            } => write!(f, "line {line}: `{name}` is refused: {message}"),
            ReadError::Differs { line, name, what } => {
                write!(
                    f,
                    "line {line}: `{name}` is not what the kernel derives: {what}"
                )
            }
        }
    }
}

impl std::error::Error for ReadError {}

/// What a file held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// Declarations added; an inductive type with its constructors and recursors is one.
    pub declarations: usize,
    /// Axioms among them, in order.
    pub axioms: Vec<Name>,
    /// Theorems among them, in order.
    pub theorems: Vec<Name>,
    /// Recursors compared with the derived ones.
    pub recursors: usize,
}

/// The longest line that is read.
const MAX_LINE: u64 = 1 << 24;

/// How much of a file may be blank lines and what lines have beyond [`LONG_LINE`]: a few packed bytes can hold any amount
/// of it, where every short line says something new.
const MAX_LONG: usize = 1 << 28;

/// Beyond this length a line is long.
const LONG_LINE: usize = 1024;

/// Reads a whole file into `env`. What was read before an error stays in `env`.
///
/// # Errors
/// [`ReadError`], for the first line that is not accepted.
pub fn read_ndjson(mut input: impl BufRead, env: &mut Environment<'_>) -> Result<Read, ReadError> {
    let mut reader = Reader {
        tables: Tables::new(env.store()),
        env,
        read: Read::default(),
        quots: Vec::new(),
    };
    let mut began = false;
    let mut text = Vec::new();
    let mut long = 0;
    for line in 1.. {
        text.clear();
        let read = (&mut input).take(MAX_LINE + 1).read_until(b'\n', &mut text);
        if read.map_err(|error| ReadError::Io { line, error })? == 0 {
            break;
        }
        if text.len() as u64 > MAX_LINE {
            let what = format!("longer than {MAX_LINE} bytes");
            return Err(ReadError::Malformed { line, what });
        }
        let blank = text.trim_ascii().is_empty();
        long += if blank {
            text.len()
        } else {
            text.len().saturating_sub(LONG_LINE)
        };
        if long > MAX_LONG {
            let what = format!("more than {MAX_LONG} bytes in blank and in long lines");
            return Err(ReadError::Malformed { line, what });
        }
        if blank {
            continue;
        }
        let parsed = serde_json::from_slice(&text).map_err(|e| ReadError::Malformed {
            line,
            what: e.to_string(),
        })?;
        reader.line(parsed, &mut began).map_err(|e| e.at(line))?;
    }
    if !began {
        return Err(ReadError::Malformed {
            line: 1,
            what: "no meta line".into(),
        });
    }
    Ok(reader.read)
}

/// A [`ReadError`] before its line is known.
enum Fault {
    Malformed(String),
    Unsupported(String),
    Refused(String, KernelError, String),
    Differs(String, Difference),
}

impl Fault {
    fn at(self, line: usize) -> ReadError {
        match self {
            Fault::Malformed(what) => ReadError::Malformed { line, what },
            Fault::Unsupported(what) => ReadError::Unsupported { line, what },
            Fault::Refused(name, rule, message) => ReadError::Refused {
                line,
                name,
                rule: Box::new(rule),
                message,
            },
            Fault::Differs(name, what) => ReadError::Differs { line, name, what },
        }
    }
}

impl From<String> for Fault {
    fn from(what: String) -> Self {
        Fault::Malformed(what)
    }
}

type Res<T> = Result<T, Fault>;

struct Reader<'e, 'b> {
    tables: Tables<'b>,
    env: &'e mut Environment<'b>,
    read: Read,
    /// The quotient constants that the file has named.
    quots: Vec<Name>,
}

fn binder(info: Info) -> BinderInfo {
    match info {
        Info::Default => BinderInfo::Default,
        Info::Implicit => BinderInfo::Implicit,
        Info::StrictImplicit => BinderInfo::StrictImplicit,
        Info::InstImplicit => BinderInfo::InstImplicit,
    }
}

impl<'b> Reader<'_, 'b> {
    fn line(&mut self, line: Line, began: &mut bool) -> Res<()> {
        let ids = [line.name_id, line.level_id, line.term_id];
        let ids = ids.iter().flatten().count();
        if ids > 1 || line.keys() != ids + 1 {
            return Err(Fault::Malformed(
                "not exactly one thing, with its index if it has one".into(),
            ));
        }
        if let Some(meta) = &line.meta {
            let version = &meta.format.version;
            if *began {
                return Err(Fault::Malformed("a second meta line".into()));
            }
            if version.split('.').next() != Some("3") {
                return Err(Fault::Unsupported(format!("format version {version}")));
            }
            *began = true;
            return Ok(());
        }
        if !*began {
            return Err(Fault::Malformed("the first line is no meta line".into()));
        }
        match (line.name_id, line.level_id, line.term_id) {
            (Some(id), None, None) => self.name(id, line),
            (None, Some(id), None) => self.level(id, line),
            (None, None, Some(id)) => self.term(id, line),
            (None, None, None) => self.declaration(line),
            _ => Err(Fault::Malformed("more than one index".into())),
        }
    }

    fn name(&mut self, id: u64, line: Line) -> Res<()> {
        let (t, st) = (&self.tables, self.env.store());
        let name = match (line.text_name, line.number_name) {
            (Some(x), None) => st.name_str(t.name(x.pre)?, &x.text),
            (None, Some(x)) => st.name_num(t.name(x.pre)?, x.i),
            _ => return Err(Fault::Malformed("a name is either `str` or `num`".into())),
        };
        Ok(self.tables.names.put(id, name)?)
    }

    fn level(&mut self, id: u64, line: Line) -> Res<()> {
        let (t, st) = (&self.tables, self.env.store());
        let level = match (line.succ, line.max, line.imax, line.param) {
            (Some(a), None, None, None) => st.level_succ(t.level(a)?),
            (None, Some((a, b)), None, None) => st.level_max(t.level(a)?, t.level(b)?),
            (None, None, Some((a, b)), None) => st.level_imax(t.level(a)?, t.level(b)?),
            (None, None, None, Some(n)) => st.level_param(t.name(n)?),
            _ => return Err(Fault::Malformed("not exactly one kind of level".into())),
        };
        Ok(self.tables.levels.put(id, level)?)
    }

    fn term(&mut self, id: u64, line: Line) -> Res<()> {
        let (t, st) = (&self.tables, self.env.store());
        let mut kinds = Vec::new();
        if let Some(i) = line.bvar {
            let i = u32::try_from(i).ok().filter(|i| *i < u32::MAX);
            kinds.push(st.bvar(i.ok_or("a bound variable beyond all binders".to_owned())?));
        }
        if let Some(l) = line.sort {
            kinds.push(st.sort(t.level(l)?));
        }
        if let Some(c) = line.constant {
            let us = c.us.iter().map(|u| t.level(*u));
            kinds.push(st.constant(t.name(c.name)?, &us.collect::<Result<Vec<_>, _>>()?));
        }
        if let Some(a) = line.app {
            kinds.push(st.app(t.term(a.function)?, t.term(a.arg)?));
        }
        if let Some(b) = line.lam {
            let (n, ty, body) = (t.name(b.name)?, t.term(b.ty)?, t.term(b.body)?);
            kinds.push(st.lam(n, ty, body, binder(b.info)));
        }
        if let Some(b) = line.pi {
            let (n, ty, body) = (t.name(b.name)?, t.term(b.ty)?, t.term(b.body)?);
            kinds.push(st.pi(n, ty, body, binder(b.info)));
        }
        if let Some(l) = line.let_ {
            let (n, ty) = (t.name(l.name)?, t.term(l.ty)?);
            kinds.push(st.let_(n, ty, t.term(l.value)?, t.term(l.body)?));
        }
        if let Some(p) = line.proj {
            let i = u32::try_from(p.idx).map_err(|e| format!("`idx`: {e}"))?;
            kinds.push(st.proj(t.name(p.type_name)?, i, t.term(p.of)?));
        }
        if let Some(digits) = line.nat {
            kinds.push(st.nat(&t.natural(&digits)?));
        }
        if let Some(text) = line.string {
            kinds.push(st.string(&text));
        }
        if let Some(m) = line.mdata {
            kinds.push(t.term(m.expr)?);
        }
        match kinds[..] {
            [term] => Ok(self.tables.terms.put(id, term)?),
            _ => Err(Fault::Malformed("not exactly one kind of term".into())),
        }
    }

    fn signature(&self, name: u64, params: &[u64], ty: u64) -> Res<Signature> {
        Ok(Signature {
            name: self.tables.name(name)?,
            univ_params: self.tables.all_names(params)?,
            ty: self.tables.term(ty)?,
        })
    }

    fn declaration(&mut self, line: Line) -> Res<()> {
        if let Some(a) = line.axiom {
            self.safe(!a.is_unsafe)?;
            let sig = self.signature(a.name, &a.level_params, a.ty)?;
            let name = sig.name;
            self.add(name, Declaration::Axiom(sig))?;
            self.read.axioms.push(name);
            return Ok(());
        }
        if let Some(d) = line.def {
            self.safe(d.safety == Safety::Safe)?;
            let sig = self.signature(d.name, &d.level_params, d.ty)?;
            let value = self.tables.term(d.value)?;
            let hint = match d.hints {
                Hints::Opaque => Hint::Opaque,
                Hints::Abbrev => Hint::Abbrev,
                Hints::Regular(h) => Hint::Regular(h),
            };
            return self.add(sig.name, Declaration::Definition { sig, value, hint });
        }
        if let Some(d) = line.thm {
            let sig = self.signature(d.name, &d.level_params, d.ty)?;
            let value = self.tables.term(d.value)?;
            let name = sig.name;
            self.add(name, Declaration::Theorem { sig, value })?;
            self.read.theorems.push(name);
            arithmetic::derive(self.env, name);
            return Ok(());
        }
        if let Some(d) = line.opaque {
            self.safe(!d.is_unsafe)?;
            let sig = self.signature(d.name, &d.level_params, d.ty)?;
            let value = self.tables.term(d.value)?;
            return self.add(sig.name, Declaration::Opaque { sig, value });
        }
        match (line.quot, line.inductive) {
            (Some(q), _) => self.quot(&q),
            (_, Some(i)) => self.inductive(&i),
            _ => Err(Fault::Malformed(
                "not exactly one thing, with its index if it has one".into(),
            )),
        }
    }

    fn safe(&self, safe: bool) -> Res<()> {
        if safe {
            Ok(())
        } else {
            let what = "an unsafe or partial declaration";
            Err(Fault::Unsupported(what.into()))
        }
    }

    fn add(&mut self, name: Name, decl: Declaration) -> Res<()> {
        let st = self.env.store();
        self.env.add(decl).map_err(|rule| {
            let message = rule.display(st).to_string();
            Fault::Refused(st.name_to_string(name), rule, message)
        })?;
        self.read.declarations += 1;
        Ok(())
    }

    /// All four constants come from one declaration, made at the first of their lines.
    fn quot(&mut self, q: &Quot) -> Res<()> {
        let sig = self.signature(q.name, &q.level_params, q.ty)?;
        if self.quots.is_empty() || self.quots.contains(&sig.name) {
            self.add(sig.name, Declaration::Quot)?;
        }
        self.quots.push(sig.name);
        let kind = match q.kind {
            Kind::Type => logic::QuotKind::Type,
            Kind::Ctor => logic::QuotKind::Mk,
            Kind::Lift => logic::QuotKind::Lift,
            Kind::Ind => logic::QuotKind::Ind,
        };
        compare::quot(self.env, &sig, kind).map_err(|what| self.differs(sig.name, what))
    }

    fn inductive(&mut self, x: &Inductive) -> Res<()> {
        let first = x.types.first();
        let first = first.ok_or("an inductive declaration without types".to_owned())?;
        let mut types = Vec::new();
        for t in &x.types {
            self.safe(!t.is_unsafe)?;
            let mut ctors = Vec::new();
            for c in &t.ctors {
                let mut found = x.ctors.iter().filter(|k| k.name == *c);
                let (Some(k), None) = (found.next(), found.next()) else {
                    return Err(Fault::Malformed("a constructor is not given once".into()));
                };
                self.safe(!k.is_unsafe)?;
                ctors.push((self.tables.name(*c)?, self.tables.term(k.ty)?));
            }
            types.push(InductiveType {
                name: self.tables.name(t.name)?,
                ty: self.tables.term(t.ty)?,
                ctors,
            });
        }
        if x.recs.iter().any(|r| r.is_unsafe) {
            self.safe(false)?;
        }
        let claimed = compare::claims(&self.tables, x)?;
        let (name, univ_params) = (types[0].name, self.tables.all_names(&first.level_params)?);
        self.add(
            name,
            Declaration::Inductive(InductiveDecl {
                univ_params,
                num_params: first.num_params,
                types,
            }),
        )?;
        self.read.recursors += x.recs.len();
        compare::inductive(self.env, &claimed).map_err(|(n, what)| self.differs(n, what))
    }

    fn differs(&self, name: Name, what: Difference) -> Fault {
        Fault::Differs(self.env.store().name_to_string(name), what)
    }
}
