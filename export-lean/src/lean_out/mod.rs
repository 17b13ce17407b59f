//! `--lean DIR`: the environment as Lean 4 source for people, one file a script.
//!
//! The files import nothing but each other (`prelude`), so they depend on Lean's parser, elaborator and kernel and on no
//! version of any library. All arguments and universes are written, and binders are explicit: what was inferred in the
//! script is seen here. Script notation and PTX text stand in comments. What differs from the NDJSON export is form:
//!
//! - a numeral `5` is Lean's `OfNat.ofNat Nat 5 _`, and five small declarations beside `Nat` and `Nat.add` serve Lean's
//!   elaborator;
//! - a closed term that occurs more than once in a large declaration is a definition of its own, `NAME.part_1`;
//! - `HEq` and `PUnit` are written `HEq_` and `PUnit_`, since beside types of these names Lean's command `inductive`
//!   makes constants that would clash with ours; a few generated names end in `_` for the same reason;
//! - structures are declared by `structure` if something projects from them, and their projections come with that;
//! - a theorem whose proof would fill hundreds of pages is stated (`NAME.statement`) instead of proved, with a comment;
//!   it is proved in the NDJSON export. No axiom ever stands in for a proof.

mod decl;
mod layout;
mod names;
mod size;
mod term;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use logic::{ConstantInfo, Environment, Name, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use self::decl::Writer;
use self::term::{Context, Stop};
use crate::select::{ExportError, Select, Unit, children, units};

/// One script: its path and the constants that it added.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The path, as the reader knows it: `proofs/lib/nat.ptxp`.
    pub path: String,
    /// The constants that elaborating it added to the environment.
    pub constants: Vec<Name>,
    /// What to show above a declaration: its statement in the script's notation, or a kernel's PTX text.
    pub notes: BTreeMap<Name, String>,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeanWritten {
    /// Lean files.
    pub files: usize,
    /// Declarations in them.
    pub declarations: usize,
    /// Theorems among them, with proof.
    pub proved: usize,
    /// Theorems that are stated only.
    pub stated: usize,
    /// Declarations left out because they mention a theorem that is stated only.
    pub omitted: usize,
    /// Bytes.
    pub bytes: u64,
}

const HEADER: &str = "\
set_option autoImplicit false
set_option linter.all false
set_option genCtorIdx false
set_option genSizeOf false
set_option genInjectivity false
set_option inductive.autoPromoteIndices false
set_option bootstrap.inductiveCheckResultingUniverse false
set_option maxRecDepth 100000
set_option maxHeartbeats 2000000
noncomputable section
";

/// The code generator wants these names to exist when a structure is declared.
const BASE: &str = "
-- Two names that Lean's code generator looks up. Nothing uses them.
inductive lcErased : Type
inductive lcAny : Type
";

/// Numerals need this class; its instance is the number itself.
const NUMERALS: &str = "\
/-- Lean's numerals: `5` is short for `OfNat.ofNat Nat 5 _`, which unfolds to the number. -/
class OfNat.{u} (α : Type u) (n : Nat) where
  ofNat : α

@[default_instance] instance instOfNatNat (n : Nat) : OfNat.{0} Nat n where
  ofNat := n
";

/// Lean's elaborator writes what it knows of sums in this form.
const SUMS: &str = "\
class HAdd.{u, v, w} (α : Type u) (β : Type v) (γ : Type w) where
  hAdd : α → β → γ

class Add.{u} (α : Type u) where
  add : α → α → α

@[default_instance] instance instHAdd.{u} {α : Type u} [Add.{u} α] : HAdd.{u, u, u} α α α where
  hAdd := fun a b => Add.add a b

instance instAddNat : Add.{0} Nat where
  add := Nat.add
";

/// Names that Lean's elaborator needs for itself.
const LEANS_OWN: &[&str] = &[
    "OfNat",
    "instOfNatNat",
    "HAdd",
    "Add",
    "instHAdd",
    "instAddNat",
    "lcErased",
    "lcAny",
];

/// Writes the environment as Lean files into `dir`, with `check.sh`, which lets Lean check them in order, and
/// `Axioms.lean`, which prints the axioms of every theorem.
///
/// # Errors
/// [`ExportError`] when something cannot be said in surface syntax or written to disk.
pub fn write_lean(
    dir: &Path,
    env: &Environment<'_>,
    scripts: &[Script],
) -> Result<LeanWritten, ExportError> {
    let st = env.store();
    let units = units(env, Select::All)?;
    let mut home: FxHashMap<Name, usize> = FxHashMap::default();
    for (i, s) in scripts.iter().enumerate() {
        home.extend(s.constants.iter().map(|n| (*n, i)));
    }
    let structures = structures(env, &units);
    let mut cx = context(env, &units, &structures)?;
    let mut modules: Vec<Module> = modules_of(scripts);
    let mut rest = Module::named("Rest");
    // `init_quot` works only in a file without imports, so the quotient and what it needs come first.
    let mut base = Module::named("Base");
    base.text.push_str(BASE);
    let quot = units.iter().find(|u| matches!(u, Unit::Quot(_)));
    let early = match quot {
        Some(q) => self::units(env, Select::Closure(&[q.name()]))?,
        None => Vec::new(),
    };
    for n in early.iter().flat_map(all_names) {
        home.remove(&n);
    }
    let early: FxHashSet<Name> = early.iter().map(Unit::name).collect();
    let mut written = LeanWritten::default();
    let mut absent: FxHashSet<Name> = FxHashSet::default();
    let mut theorems = Vec::new();
    for u in &units {
        let at = home.get(&u.name()).copied();
        let mut w = Writer {
            st,
            cx: &mut cx,
            structures: &structures,
        };
        let done = one_unit(env, &mut w, u, &absent)?;
        let spelled = cx.names.get(u.name()).to_owned();
        let module = match at {
            _ if early.contains(&u.name()) => &mut base,
            Some(i) => &mut modules[i],
            None => &mut rest,
        };
        module.needs(env, u, &home, at);
        if let Some(note) = at.and_then(|i| scripts[i].notes.get(&u.name())) {
            let note = note.replace("-/", "- /").replace("/-", "/ -");
            let _ = write!(module.text, "\n/-\n{}\n-/", note.trim_end());
        }
        match done {
            Done::Written(text) => {
                written.declarations += 1;
                if matches!(u, Unit::One(ConstantInfo::Theorem { .. })) {
                    written.proved += 1;
                    theorems.push(spelled);
                }
                let _ = write!(module.text, "\n{text}");
                match st.name_to_string(u.name()).as_str() {
                    "Nat" => module.text.push_str(&format!("\n{NUMERALS}")),
                    "Nat.add" => module.text.push_str(&format!("\n{SUMS}")),
                    _ => {}
                }
            }
            Done::Generated => {}
            Done::Stated(text) => {
                written.declarations += 1;
                written.stated += 1;
                absent.insert(u.name());
                let _ = write!(module.text, "\n{text}");
            }
            Done::Omitted(why) => {
                written.omitted += 1;
                absent.extend(all_names(u));
                let _ = writeln!(
                    module.text,
                    "\n-- `{spelled}` {why}; see the NDJSON export."
                );
            }
        }
    }
    modules.push(rest);
    finish(dir, &base, &modules, &theorems, written)
}

fn finish(
    dir: &Path,
    base: &Module,
    modules: &[Module],
    theorems: &[String],
    mut written: LeanWritten,
) -> Result<LeanWritten, ExportError> {
    let mut put = |name: &str, text: &str| -> Result<(), ExportError> {
        let path = dir.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
        written.bytes += text.len() as u64;
        Ok(())
    };
    let mut order = vec!["Base".to_owned()];
    put("Base.lean", &format!("prelude\n\n{HEADER}{}", base.text))?;
    for m in modules.iter().filter(|m| !m.text.is_empty()) {
        let mut text = String::from("prelude\nimport Base\n");
        for i in &m.imports {
            let _ = writeln!(text, "import {}", modules[*i].name.replace('/', "."));
        }
        let _ = write!(text, "\n{}{HEADER}{}", m.about, m.text);
        put(&format!("{}.lean", m.name), &text)?;
        order.push(m.name.clone());
    }
    let mut axioms = String::from("prelude\n");
    for m in &order {
        let _ = writeln!(axioms, "import {}", m.replace('/', "."));
    }
    axioms.push('\n');
    for t in theorems {
        let _ = writeln!(axioms, "#print axioms {t}");
    }
    put("Axioms.lean", &axioms)?;
    let mut script = String::from(
        "#!/bin/sh\n# Checks these files with Lean 4.35; LEAN names the command. The last file prints the axioms.\n\
         set -e\ncd \"$(dirname \"$0\")\"\nexport LEAN_PATH=.\n",
    );
    for m in &order {
        let _ = writeln!(script, "\"${{LEAN:-lean}}\" -o {m}.olean {m}.lean");
    }
    script.push_str("\"${LEAN:-lean}\" Axioms.lean\n");
    put("check.sh", &script)?;
    written.files = order.len() + 1;
    Ok(written)
}

/// A Lean file in the making.
struct Module {
    name: String,
    about: String,
    imports: BTreeSet<usize>,
    text: String,
}

impl Module {
    fn named(name: &str) -> Module {
        Module {
            name: name.to_owned(),
            about: String::new(),
            imports: BTreeSet::new(),
            text: String::new(),
        }
    }

    /// Imports the homes of everything that a unit mentions.
    fn needs(
        &mut self,
        env: &Environment<'_>,
        u: &Unit<'_>,
        home: &FxHashMap<Name, usize>,
        at: Option<usize>,
    ) {
        for n in mentions(env, u.terms()) {
            if let Some(i) = home.get(&n).filter(|i| Some(**i) != at) {
                self.imports.insert(*i);
            }
        }
    }
}

/// One module a script, named after its path below the folder that all scripts share, or below `proofs`:
/// `proofs/lib/nat.ptxp` becomes `Lib/Nat`.
fn modules_of(scripts: &[Script]) -> Vec<Module> {
    let split = |s: &Script| -> Vec<String> {
        let path = s.path.replace('\\', "/");
        let stem = path.strip_suffix(".ptxp").unwrap_or(&path);
        let parts = stem.split('/').filter(|p| !matches!(*p, "" | "." | ".."));
        parts.map(str::to_owned).collect()
    };
    let paths: Vec<Vec<String>> = scripts.iter().map(split).collect();
    let shared = |first: &[String]| {
        let folders = first.len().saturating_sub(1);
        let agree = |n: &usize| paths.iter().all(|p| p.len() > *n && p[..*n] == first[..*n]);
        (0..=folders).rev().find(agree).unwrap_or(0)
    };
    let common = paths.first().map_or(0, |p| shared(p));
    let mut taken = BTreeSet::from(["Base".to_owned(), "Rest".to_owned(), "Axioms".to_owned()]);
    let mut out = Vec::new();
    for parts in &paths {
        let below = parts
            .iter()
            .rposition(|p| p == "proofs")
            .map_or(common, |i| i + 1);
        let relative = &parts[below.min(parts.len())..];
        let mut name = relative
            .iter()
            .map(|p| capitalised(p))
            .collect::<Vec<_>>()
            .join("/");
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        out.push(Module {
            about: format!("/-! From `{}.ptxp`. -/\n\n", relative.join("/")),
            ..Module::named(&name)
        });
    }
    out
}

/// A word in the form of a module name: `store_at` becomes `StoreAt`.
fn capitalised(word: &str) -> String {
    let parts = word.split(|c: char| !c.is_ascii_alphanumeric());
    let mut out = String::new();
    for p in parts {
        let mut chars = p.chars();
        if let Some(first) = chars.next() {
            out.extend(first.to_uppercase());
            out.push_str(chars.as_str());
        }
    }
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert(0, 'M');
    }
    out
}

const LACKS: &str = "mentions what is not proved or defined in these files";

/// What became of a unit.
enum Done {
    Written(String),
    /// Lean's command `structure` makes it.
    Generated,
    Stated(String),
    /// Neither, and why.
    Omitted(&'static str),
}

fn one_unit(
    env: &Environment<'_>,
    w: &mut Writer<'_, '_>,
    u: &Unit<'_>,
    absent: &FxHashSet<Name>,
) -> Result<Done, ExportError> {
    let written = |text: Result<String, Stop>| match text {
        Ok(text) => Ok(Done::Written(text)),
        Err(Stop::TooLarge) => Ok(Done::Omitted("is too large to be written here")),
        Err(Stop::Inexpressible(what)) => {
            let name = env.store().name_to_string(u.name());
            Err(ExportError::Inexpressible(name, what))
        }
    };
    let lacks = |terms: Vec<logic::Expr>| {
        !absent.is_empty() && mentions(env, terms).iter().any(|n| absent.contains(n))
    };
    match u {
        Unit::Quot(_) => Ok(Done::Written("init_quot\n".to_owned())),
        Unit::Inductive { types, ctors, .. } => {
            if lacks(u.terms()) {
                return Ok(Done::Omitted(LACKS));
            }
            written(w.inductive(types, ctors))
        }
        Unit::One(c) => {
            let projects = decl::projection_of(env, c);
            if projects.is_some_and(|(s, _)| w.structures.contains(&s)) {
                return Ok(Done::Generated);
            }
            let ConstantInfo::Theorem { sig, value } = c else {
                if lacks(u.terms()) {
                    return Ok(Done::Omitted(LACKS));
                }
                return written(w.one(c));
            };
            if lacks(vec![sig.ty]) {
                return Ok(Done::Omitted(LACKS));
            }
            let why = if lacks(vec![*value]) {
                LACKS
            } else {
                match w.one(c) {
                    Err(Stop::TooLarge) => "is too large to be written here",
                    other => return written(other),
                }
            };
            let nodes = size::shared_size(env.store(), *value);
            let name = w.cx.names.get(sig.name).to_owned();
            Ok(match written(w.statement(sig))? {
                Done::Written(statement) => Done::Stated(format!(
                    "-- `{name}` is proved in the NDJSON export. Its proof ({nodes} nodes) {why}.\n{statement}"
                )),
                other => other,
            })
        }
    }
}

fn all_names(u: &Unit<'_>) -> Vec<Name> {
    match u {
        Unit::One(c) => vec![c.name()],
        Unit::Quot(cs) => cs.iter().map(|c| c.name()).collect(),
        Unit::Inductive { types, ctors, recs } => {
            let mut out: Vec<Name> = types.iter().map(|t| t.sig.name).collect();
            out.extend(ctors.iter().map(|c| c.sig.name));
            out.extend(recs.iter().map(|r| r.sig.name));
            out
        }
    }
}

/// The constants that occur in terms, in a fixed order.
fn mentions(env: &Environment<'_>, terms: Vec<logic::Expr>) -> BTreeSet<Name> {
    let st = env.store();
    let mut out = BTreeSet::new();
    let mut seen = FxHashSet::default();
    let mut stack = terms;
    while let Some(e) = stack.pop() {
        if !seen.insert(e) {
            continue;
        }
        let node = st.node(e);
        crate::select::mentioned(st, node, |n| {
            out.insert(n);
        });
        children(node, &mut stack);
    }
    out
}

/// The inductive types that are written with Lean's command `structure`: those that something projects from.
fn structures(env: &Environment<'_>, units: &[Unit<'_>]) -> FxHashSet<Name> {
    let st = env.store();
    let mut out = FxHashSet::default();
    let mut seen = vec![false; st.term_count()];
    let mut stack = Vec::new();
    for u in units {
        stack.extend(u.terms());
        while let Some(e) = stack.pop() {
            if std::mem::replace(&mut seen[e.index()], true) {
                continue;
            }
            let node = st.node(e);
            if let Node::Proj(s, _, _) = node {
                out.insert(s);
            }
            children(node, &mut stack);
        }
    }
    out
}

/// Spellings and marks of all constants.
fn context(
    env: &Environment<'_>,
    units: &[Unit<'_>],
    structures: &FxHashSet<Name>,
) -> Result<Context, ExportError> {
    let st = env.store();
    let mut cx = Context::default();
    for needed in LEANS_OWN {
        if env.get(st.name(needed)).is_some() {
            let what = "Lean's elaborator needs this name for something else";
            return Err(ExportError::Inexpressible((*needed).into(), what));
        }
    }
    let is_type = |n: Name| matches!(env.get(n), Some(ConstantInfo::Inductive(_)));
    for c in env.constants() {
        let projects = decl::projection_of(env, c).is_some_and(|(s, _)| structures.contains(&s));
        if !cx.names.add(st, c.name(), |n| !projects && is_type(n)) {
            let name = st.name_to_string(c.name());
            return Err(ExportError::Inexpressible(name, "its name"));
        }
        if projects || decl::takes_at(c) {
            cx.explicit.insert(c.name());
        }
    }
    for u in units {
        let Unit::One(c) = u else { continue };
        if c.univ_params().is_empty() {
            continue;
        }
        let used = term::level_params(st, u.terms());
        let mask: Vec<bool> = c.univ_params().iter().map(|n| used.contains(n)).collect();
        if mask.contains(&false) {
            cx.used_levels.insert(c.name(), mask);
        }
    }
    Ok(cx)
}
