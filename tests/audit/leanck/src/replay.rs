//! Reads lean4export NDJSON 3.1.0 and gives its declarations, in order, to the official kernel.
//!
//! Stricter than the format asks: indices are dense and ascending and no node is written twice, since the export
//! promises both.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::BufRead;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::ffi::{self, Kernel, Obj};

/// Why a file was not accepted.
#[derive(Debug)]
pub enum Failure {
    /// The file does not follow the format.
    Malformed(usize, String),
    /// The kernel refused a declaration: kind, name, reason.
    Refused(&'static str, String, String),
    /// The kernel derived something else than what the file says of an inductive type.
    Derived(String, String),
}

/// What a replay did.
#[derive(Default)]
pub struct Summary {
    /// Declarations by kind.
    pub counts: BTreeMap<&'static str, usize>,
    /// Axioms in order: name and type.
    pub axioms: Vec<(String, Obj)>,
    /// Recursors compared with those that the kernel derived.
    pub recursors: usize,
    /// Of these, equal only up to definitional equality.
    pub recursors_defeq: usize,
    /// Nodes read: names, levels, terms.
    pub nodes: [usize; 3],
    /// Time inside the kernel.
    pub kernel: Duration,
    /// The slowest declaration.
    pub slowest: (Duration, String),
}

type Res<T> = Result<T, String>;

/// The reader's tables and the kernel behind them.
pub struct Replay {
    /// The kernel.
    pub kernel: Kernel,
    /// What was done so far.
    pub summary: Summary,
    /// Declarations before this line are added unchecked.
    pub check_from: usize,
    /// Whether a node may be written twice.
    pub lenient: bool,
    /// Whether to name each declaration on standard error before it is checked.
    pub trace: bool,
    names: Vec<(Obj, String)>,
    levels: Vec<Obj>,
    exprs: Vec<Obj>,
    seen: HashMap<String, usize>,
    quots: HashSet<String>,
}

impl Default for Replay {
    fn default() -> Self {
        Replay::new(Kernel::new())
    }
}

impl Replay {
    /// A reader for a kernel.
    pub fn new(kernel: Kernel) -> Self {
        Replay {
            kernel,
            summary: Summary::default(),
            check_from: 0,
            lenient: false,
            trace: false,
            names: vec![(Obj::small(0), String::new())],
            levels: vec![ffi::level_zero(Obj::small(0))],
            exprs: Vec::new(),
            seen: HashMap::new(),
            quots: HashSet::new(),
        }
    }
}

fn index(v: &Value) -> Res<usize> {
    v.as_u64()
        .and_then(|n| usize::try_from(n).ok())
        .ok_or_else(|| format!("{v} is no index"))
}

fn field<'v>(o: &'v Value, key: &str) -> Res<&'v Value> {
    o.get(key).ok_or_else(|| format!("`{key}` is missing"))
}

fn array<'v>(o: &'v Value, key: &str) -> Res<&'v [Value]> {
    field(o, key)?
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| format!("`{key}` is no array"))
}

fn flag(o: &Value, key: &str) -> Res<bool> {
    field(o, key)?
        .as_bool()
        .ok_or_else(|| format!("`{key}` is no boolean"))
}

fn text<'v>(o: &'v Value, key: &str) -> Res<&'v str> {
    field(o, key)?
        .as_str()
        .ok_or_else(|| format!("`{key}` is no string"))
}

fn number(o: &Value, key: &str) -> Res<Obj> {
    Ok(ffi::nat(&index(field(o, key)?)?.to_string()))
}

impl Replay {
    fn name(&self, v: &Value) -> Res<Obj> {
        let i = index(v)?;
        let found = self
            .names
            .get(i)
            .ok_or(format!("name {i} is not defined"))?;
        Ok(found.0)
    }

    fn spelled(&self, v: &Value) -> Res<String> {
        let i = index(v)?;
        let found = self
            .names
            .get(i)
            .ok_or(format!("name {i} is not defined"))?;
        Ok(found.1.clone())
    }

    fn level(&self, v: &Value) -> Res<Obj> {
        let i = index(v)?;
        let found = self.levels.get(i);
        found.copied().ok_or(format!("level {i} is not defined"))
    }

    fn expr(&self, v: &Value) -> Res<Obj> {
        let i = index(v)?;
        let found = self.exprs.get(i);
        found.copied().ok_or(format!("term {i} is not defined"))
    }

    fn names(&self, vs: &[Value]) -> Res<Obj> {
        let all: Vec<Obj> = vs.iter().map(|v| self.name(v)).collect::<Res<_>>()?;
        Ok(ffi::list(&all))
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// The first thing that is malformed or refused.
    pub fn run(&mut self, input: impl BufRead) -> Result<(), Failure> {
        let mut began = false;
        for (i, line) in input.lines().enumerate() {
            let bad = |m: String| Failure::Malformed(i + 1, m);
            let line = line.map_err(|e| bad(e.to_string()))?;
            let value: Value = serde_json::from_str(&line).map_err(|e| bad(e.to_string()))?;
            let item = value.as_object().ok_or_else(|| bad("no object".into()))?;
            if !began {
                let version = value.pointer("/meta/format/version");
                if version.and_then(Value::as_str) != Some("3.1.0") {
                    return Err(bad(
                        "the first line must be the meta line of format 3.1.0".into()
                    ));
                }
                began = true;
            } else if let Some(id) = item.get("in") {
                self.fresh(item, "in", id, self.names.len()).map_err(bad)?;
                self.read_name(&value).map_err(bad)?;
            } else if let Some(id) = item.get("il") {
                self.fresh(item, "il", id, self.levels.len()).map_err(bad)?;
                self.read_level(&value).map_err(bad)?;
            } else if let Some(id) = item.get("ie") {
                self.fresh(item, "ie", id, self.exprs.len()).map_err(bad)?;
                self.read_expr(&value).map_err(bad)?;
            } else {
                self.read_declaration(i + 1, item)?;
            }
        }
        self.summary.nodes = [
            self.names.len() - 1,
            self.levels.len() - 1,
            self.exprs.len(),
        ];
        Ok(())
    }

    /// Dense, ascending, and never the same node again.
    fn fresh(&mut self, item: &Map<String, Value>, key: &str, id: &Value, next: usize) -> Res<()> {
        let id = index(id)?;
        if id != next {
            return Err(format!("index {id} where {next} is next"));
        }
        if self.lenient {
            return Ok(());
        }
        let mut rest = item.clone();
        rest.remove(key);
        let body = format!("{key}{}", Value::Object(rest));
        match self.seen.insert(body, id) {
            Some(old) => Err(format!("node {id} repeats node {old}")),
            None => Ok(()),
        }
    }

    fn read_name(&mut self, v: &Value) -> Res<()> {
        let (inner, is_text) = match (v.get("str"), v.get("num")) {
            (Some(x), None) => (x, true),
            (None, Some(x)) => (x, false),
            _ => return Err("neither `str` nor `num`".into()),
        };
        let prefix = self.name(field(inner, "pre")?)?;
        let mut spelled = self.spelled(field(inner, "pre")?)?;
        if !spelled.is_empty() {
            spelled.push('.');
        }
        let made = if is_text {
            let part = text(inner, "str")?;
            spelled.push_str(part);
            ffi::name_str(prefix, ffi::string(part))
        } else {
            spelled.push_str(&field(inner, "i")?.to_string());
            ffi::name_num(prefix, number(inner, "i")?)
        };
        self.names.push((made, spelled));
        Ok(())
    }

    fn read_level(&mut self, v: &Value) -> Res<()> {
        let two = |key| -> Res<(Obj, Obj)> {
            match array(v, key)? {
                [a, b] => Ok((self.level(a)?, self.level(b)?)),
                _ => Err(format!("`{key}` takes two levels")),
            }
        };
        let made = if let Some(x) = v.get("succ") {
            ffi::level_succ(self.level(x)?)
        } else if v.get("max").is_some() {
            let (a, b) = two("max")?;
            ffi::level_max(a, b)
        } else if v.get("imax").is_some() {
            let (a, b) = two("imax")?;
            ffi::level_imax(a, b)
        } else {
            ffi::level_param(self.name(field(v, "param")?)?)
        };
        self.levels.push(made);
        Ok(())
    }

    fn read_expr(&mut self, v: &Value) -> Res<()> {
        let item = v.as_object().expect("checked by the caller");
        let Some((kind, x)) = item.iter().find(|(k, _)| *k != "ie") else {
            return Err("an empty term".into());
        };
        let made = match kind.as_str() {
            "bvar" => ffi::bvar(number(v, "bvar")?),
            "sort" => ffi::sort(self.level(x)?),
            "const" => {
                let us: Vec<Obj> = array(x, "us")?
                    .iter()
                    .map(|u| self.level(u))
                    .collect::<Res<_>>()?;
                ffi::constant(self.name(field(x, "name")?)?, ffi::list(&us))
            }
            "app" => ffi::app(self.expr(field(x, "fn")?)?, self.expr(field(x, "arg")?)?),
            "lam" | "forallE" => {
                let info = match text(x, "binderInfo")? {
                    "default" => 0,
                    "implicit" => 1,
                    "strictImplicit" => 2,
                    "instImplicit" => 3,
                    other => return Err(format!("binderInfo {other}")),
                };
                let (n, ty) = (self.name(field(x, "name")?)?, self.expr(field(x, "type")?)?);
                let body = self.expr(field(x, "body")?)?;
                if kind == "lam" {
                    ffi::lam(n, ty, body, info)
                } else {
                    ffi::pi(n, ty, body, info)
                }
            }
            "letE" => ffi::let_(
                self.name(field(x, "name")?)?,
                self.expr(field(x, "type")?)?,
                self.expr(field(x, "value")?)?,
                self.expr(field(x, "body")?)?,
                u8::from(flag(x, "nondep")?),
            ),
            "proj" => ffi::proj(
                self.name(field(x, "typeName")?)?,
                number(x, "idx")?,
                self.expr(field(x, "struct")?)?,
            ),
            "natVal" => {
                let digits = text(v, "natVal")?;
                if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(format!("natVal {digits:?} is no number"));
                }
                ffi::lit(ffi::ctor(0, &[ffi::nat(digits)]))
            }
            "strVal" => ffi::lit(ffi::ctor(1, &[ffi::string(text(v, "strVal")?)])),
            "mdata" => self.expr(field(x, "expr")?)?,
            other => return Err(format!("a term of unknown kind `{other}`")),
        };
        self.exprs.push(made);
        Ok(())
    }

    fn read_declaration(&mut self, line: usize, item: &Map<String, Value>) -> Result<(), Failure> {
        let bad = |m: String| Failure::Malformed(line, m);
        let Some((key, x)) = item.iter().next().filter(|_| item.len() == 1) else {
            return Err(bad("a declaration is an object with one key".into()));
        };
        let kind = match key.as_str() {
            "axiom" => "axiom",
            "def" => "def",
            "thm" => "thm",
            "opaque" => "opaque",
            "inductive" => "inductive",
            "quot" => "quot",
            other => return Err(bad(format!("a declaration of unknown kind `{other}`"))),
        };
        // The kernel makes all four constants of the quotient at once.
        if kind == "quot" && !self.quots.insert(text(x, "kind").map_err(bad)?.to_owned()) {
            return Err(bad("a constant of the quotient twice".into()));
        }
        if kind == "quot" && text(x, "kind").map_err(bad)? != "type" {
            return self.compare_quotient(x).map_err(bad)?;
        }
        let (name, decl) = if kind == "inductive" {
            self.inductive(x).map_err(bad)?
        } else {
            self.simple(kind, x).map_err(bad)?
        };
        if self.trace {
            eprintln!("{kind} {name}");
        }
        let start = Instant::now();
        let verdict = if line >= self.check_from {
            self.kernel.add(decl)
        } else {
            self.kernel.add_unchecked(decl)
        };
        let time = start.elapsed();
        self.summary.kernel += time;
        if time > self.summary.slowest.0 {
            self.summary.slowest = (time, name.clone());
        }
        verdict.map_err(|reason| Failure::Refused(kind, name.clone(), reason))?;
        *self.summary.counts.entry(kind).or_default() += 1;
        match kind {
            "axiom" => {
                let ty = self.expr(&x["type"]).map_err(bad)?;
                self.summary.axioms.push((name, ty));
            }
            "inductive" => self.compare_inductive(x).map_err(bad)??,
            "quot" => self.compare_quotient(x).map_err(bad)??,
            _ => {}
        }
        Ok(())
    }

    fn simple(&self, kind: &str, x: &Value) -> Res<(String, Obj)> {
        let (n, spelled) = (field(x, "name")?, self.spelled(field(x, "name")?)?);
        let name = self.name(n)?;
        let params = self.names(array(x, "levelParams")?)?;
        let ty = self.expr(field(x, "type")?)?;
        let decl = match kind {
            "axiom" => {
                let val = ffi::axiom_val(name, params, ty, u8::from(flag(x, "isUnsafe")?));
                ffi::ctor(0, &[val])
            }
            "def" => {
                let hints = match field(x, "hints")? {
                    Value::String(s) if s == "opaque" => Obj::small(0),
                    Value::String(s) if s == "abbrev" => Obj::small(1),
                    h => {
                        let height = index(field(h, "regular")?)?;
                        let height = u32::try_from(height).map_err(|e| e.to_string())?;
                        ffi::hints_regular(height)
                    }
                };
                if text(x, "safety")? != "safe" {
                    return Err("only safe definitions are audited".into());
                }
                let (value, all) = self.value_and_all(x)?;
                ffi::ctor(
                    1,
                    &[ffi::definition_val(name, params, ty, value, hints, 1, all)],
                )
            }
            "thm" => {
                let (value, all) = self.value_and_all(x)?;
                ffi::ctor(2, &[ffi::theorem_val(name, params, ty, value, all)])
            }
            "opaque" => {
                let (value, all) = self.value_and_all(x)?;
                let is_unsafe = u8::from(flag(x, "isUnsafe")?);
                ffi::ctor(
                    3,
                    &[ffi::opaque_val(name, params, ty, value, is_unsafe, all)],
                )
            }
            _ => Obj::small(4),
        };
        Ok((spelled, decl))
    }

    fn value_and_all(&self, x: &Value) -> Res<(Obj, Obj)> {
        Ok((
            self.expr(field(x, "value")?)?,
            self.names(array(x, "all")?)?,
        ))
    }

    fn inductive(&self, x: &Value) -> Res<(String, Obj)> {
        let (types, ctors) = (array(x, "types")?, array(x, "ctors")?);
        let first = types
            .first()
            .ok_or("an inductive declaration without types")?;
        let mut made = Vec::new();
        for t in types {
            let mut of_t = Vec::new();
            for c in array(t, "ctors")? {
                let found = ctors.iter().find(|d| d.get("name") == Some(c));
                let d = found.ok_or("a constructor is named but not given")?;
                of_t.push(ffi::ctor(
                    0,
                    &[self.name(c)?, self.expr(field(d, "type")?)?],
                ));
            }
            let (n, ty) = (self.name(field(t, "name")?)?, self.expr(field(t, "type")?)?);
            made.push(ffi::ctor(0, &[n, ty, ffi::list(&of_t)]));
        }
        let params = self.names(array(first, "levelParams")?)?;
        let is_unsafe = u8::from(flag(first, "isUnsafe")?);
        let decl = ffi::inductive_decl(
            params,
            number(first, "numParams")?,
            ffi::list(&made),
            is_unsafe,
        );
        Ok((self.spelled(field(first, "name")?)?, decl))
    }

    /// Whether a term of the file and one of the kernel agree; definitional equality is counted.
    fn agree(&mut self, file: Obj, derived: Obj) -> bool {
        if ffi::expr_eqv(file, derived) {
            return true;
        }
        self.summary.recursors_defeq += 1;
        self.kernel.is_def_eq(file, derived)
    }

    /// Everything that the file says about an inductive declaration beyond types and constructors, against what the
    /// kernel derived.
    fn compare_inductive(&mut self, x: &Value) -> Res<Result<(), Failure>> {
        for t in array(x, "types")? {
            // InductiveVal: ConstantVal, numParams, numIndices, all, ctors, numNested; isRec, isUnsafe, isReflexive.
            let name = self.spelled(field(t, "name")?)?;
            let Some(info) = self.kernel.find(self.name(&t["name"])?) else {
                return Ok(Err(Failure::Derived(name, "no such type".into())));
            };
            let val = info.field(0);
            let same = self.same_params(t, val)?
                && val.field(1) == number(t, "numParams")?
                && val.field(2) == number(t, "numIndices")?
                && val.field(3).elements().len() == array(t, "all")?.len()
                && val.field(4).elements().len() == array(t, "ctors")?.len()
                && val.field(5) == number(t, "numNested")?
                && (val.byte(0) != 0) == flag(t, "isRec")?
                && (val.byte(2) != 0) == flag(t, "isReflexive")?;
            if !same {
                return Ok(Err(Failure::Derived(
                    name,
                    "the type's numbers differ".into(),
                )));
            }
        }
        for c in array(x, "ctors")? {
            // ConstructorVal: ConstantVal, induct, cidx, numParams, numFields; isUnsafe.
            let name = self.spelled(field(c, "name")?)?;
            let Some(info) = self.kernel.find(self.name(&c["name"])?) else {
                return Ok(Err(Failure::Derived(name, "no such constructor".into())));
            };
            let val = info.field(0);
            let same = self.same_params(c, val)?
                && val.field(2) == number(c, "cidx")?
                && val.field(3) == number(c, "numParams")?
                && val.field(4) == number(c, "numFields")?;
            if !same {
                return Ok(Err(Failure::Derived(
                    name,
                    "the constructor's numbers differ".into(),
                )));
            }
        }
        let recs = array(x, "recs")?;
        let first = &array(x, "types")?[0];
        let nested = index(field(first, "numNested")?)?;
        if recs.len() != array(x, "types")?.len() + nested {
            let name = self.spelled(field(first, "name")?)?;
            let what = "the number of recursors differs";
            return Ok(Err(Failure::Derived(name, what.into())));
        }
        for r in recs {
            let name = self.spelled(field(r, "name")?)?;
            if let Err(what) = self.compare_recursor(r)? {
                return Ok(Err(Failure::Derived(name, what.to_owned())));
            }
            self.summary.recursors += 1;
        }
        Ok(Ok(()))
    }

    /// Whether a claim has as many universe parameters as the constant. What else it names has to exist.
    fn same_params(&self, claim: &Value, val: Obj) -> Res<bool> {
        let params = array(claim, "levelParams")?;
        self.names(params)?;
        for key in ["all", "ctors"] {
            if let Some(Value::Array(names)) = claim.get(key) {
                self.names(names)?;
            }
        }
        Ok(params.len() == val.field(0).field(1).elements().len())
    }

    fn compare_recursor(&mut self, r: &Value) -> Res<Result<(), &'static str>> {
        // RecursorVal: ConstantVal (name, levelParams, type), all, numParams, numIndices, numMotives, numMinors,
        // rules (ctor, nfields, rhs); k, isUnsafe.
        let Some(info) = self.kernel.find(self.name(field(r, "name")?)?) else {
            return Ok(Err("no such recursor"));
        };
        let val = info.field(0);
        for (i, key) in [
            (2, "numParams"),
            (3, "numIndices"),
            (4, "numMotives"),
            (5, "numMinors"),
        ] {
            if val.field(i) != number(r, key)? {
                return Ok(Err("the recursor's numbers differ"));
            }
        }
        if (val.byte(0) != 0) != flag(r, "k")? {
            return Ok(Err("the K flag differs"));
        }
        let mine = val.field(0).field(1).elements();
        let theirs = array(r, "levelParams")?;
        self.names(theirs)?;
        self.names(array(r, "all")?)?;
        if mine.len() != theirs.len() {
            return Ok(Err("the number of universe parameters differs"));
        }
        if !self.agree(self.expr(field(r, "type")?)?, val.field(0).field(2)) {
            return Ok(Err("the recursor's type differs"));
        }
        let (rules, derived) = (array(r, "rules")?, val.field(6).elements());
        if rules.len() != derived.len() {
            return Ok(Err("the number of rules differs"));
        }
        for (rule, d) in rules.iter().zip(derived) {
            if !ffi::name_eq(d.field(0), self.name(field(rule, "ctor")?)?) {
                return Ok(Err("a rule is for another constructor"));
            }
            if d.field(1) != number(rule, "nfields")? {
                return Ok(Err("a rule's number of fields differs"));
            }
            if !self.agree(self.expr(field(rule, "rhs")?)?, d.field(2)) {
                return Ok(Err("a rule differs"));
            }
        }
        Ok(Ok(()))
    }

    fn compare_quotient(&mut self, x: &Value) -> Res<Result<(), Failure>> {
        let name = self.spelled(field(x, "name")?)?;
        let Some(info) = self.kernel.find(self.name(&x["name"])?) else {
            return Ok(Err(Failure::Derived(
                name,
                "no such constant of the quotient".into(),
            )));
        };
        let derived = info.field(0).field(0).field(2);
        if !self.agree(self.expr(field(x, "type")?)?, derived) {
            return Ok(Err(Failure::Derived(name, "the type differs".into())));
        }
        Ok(Ok(()))
    }

    /// The constructors' types of an inductive type, if it is one.
    pub fn constructors(&self, type_name: Obj) -> Option<Vec<Obj>> {
        const INDUCTIVE_INFO: u8 = 5;
        let info = self.kernel.find(type_name)?;
        if info.tag() != INDUCTIVE_INFO {
            return None;
        }
        let ctors = info.field(0).field(4).elements();
        ctors.into_iter().map(|c| self.type_of(c)).collect()
    }

    /// The type of a constant.
    pub fn type_of(&self, name: Obj) -> Option<Obj> {
        let info = self.kernel.find(name)?;
        Some(info.field(0).field(0).field(2))
    }
}
