//! `cargo xtask fuzz`: random exports, our kernel's verdicts on them, and the official kernel's.
//!
//! Some of them are declarations made here ([`types`], [`equations`]) or mutants of those in `tests/accept/kernel`; the others are
//! exports, of those made here and of parts of the library, in which something was changed ([`mutate`]). What we accept and the official kernel refuses would be a soundness
//! bug of one of the two, what we refuse and it accepts a gap. Every file on which they differ is kept below the target folder.
//! Equal arguments give equal files.

mod equations;
mod judge;
mod lines;
mod mutate;
mod rng;
mod sample;
mod types;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use export_lean::ndjson_out::Written;
use export_lean::select::{children, mentioned};
use export_lean::{Select, write_ndjson};
use logic::{Declaration, Environment, Expr, Name, Store};
use tactics::driver::Session;

use judge::{Official, differ};
pub use judge::{Verdict, ours};
pub use mutate::Base;
pub use rng::Rng;
pub use sample::{record, sample};

/// What is asked for.
struct Asked {
    count: usize,
    seed: u64,
    official: bool,
    record: bool,
}

fn asked(args: &[String]) -> Result<Asked, String> {
    let mut a = Asked {
        count: 2000,
        seed: 1,
        official: true,
        record: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut number = || {
            let n = args.next().and_then(|n| n.parse().ok());
            n.ok_or(format!("{arg} takes a number"))
        };
        match arg.as_str() {
            "--count" => a.count = number()? as usize,
            "--seed" => a.seed = number()?,
            "--alone" => a.official = false,
            "--record" => a.record = true,
            _ => {
                return Err(format!(
                    "unknown argument `{arg}`; known are --count N, --seed N, --alone (without the official kernel) and \
                     --record (write the sample of tests/fuzz)"
                ));
            }
        }
    }
    Ok(a)
}

/// Runs the command; whether the two never differ.
///
/// # Errors
/// The official kernel cannot be had, or files cannot be written.
pub fn run(root: &Path, args: &[String]) -> io::Result<bool> {
    let asked = asked(args).map_err(io::Error::other)?;
    let tools = match asked.official {
        true => Some(crate::audit::official(root)?),
        false => None,
    };
    let root = root.to_owned();
    let done = tactics::driver::on_large_stack(move || match asked.record {
        true => tools.map_or_else(
            || Err(io::Error::other("--record needs the official kernel")),
            |t| record(&root, &t),
        ),
        false => compare(&root, &asked, tools),
    });
    done?
}

/// How often what was said.
#[derive(Default)]
struct Tally {
    both: BTreeMap<(char, char), usize>,
    differ: usize,
}

/// Files that are made over one environment.
const CHUNK: usize = 50;

fn compare(root: &Path, asked: &Asked, tools: Option<crate::audit::Official>) -> io::Result<bool> {
    let folder = match &tools {
        Some(t) => t.folder.join("fuzz"),
        None => root.join("target/fuzz"),
    };
    std::fs::create_dir_all(&folder)?;
    let mut official = tools.map(|t| Official::new(t.leanck));
    let mut tally = Tally::default();
    let library = Library::read(root)?;
    // Terms stay in their store, so it is a new one now and then.
    for first in (0..asked.count).step_by(CHUNK) {
        let bump = Bump::new();
        let store = Store::new(&bump);
        let maker = library.maker(&store)?;
        let seed = asked.seed.wrapping_mul(0x1_0000_0000);
        let mut rng = Rng::new(seed.wrapping_add(first as u64));
        let lab_bump = Bump::new();
        let lab_store = Store::new(&lab_bump);
        let (mut mutants, env) = library.mutants(&lab_store, &mut rng);
        let last = asked.count.min(first + CHUNK);
        for i in first..last {
            let (text, changed) = match rng.once_in(4) {
                true => (mutant(&mut mutants, &env)?, false),
                false => maker.text(&mut rng).map_err(io::Error::other)?,
            };
            judge((&text, changed), i, &folder, official.as_mut(), &mut tally)?;
        }
        if last.is_multiple_of(1000) {
            eprintln!("{last} of {}: {} differ", asked.count, tally.differ);
        }
    }
    for ((a, b), n) in &tally.both {
        println!("{n:7}  ours: {}, official: {}", word(*a), word(*b));
    }
    println!(
        "{} files, {} to look at, in {}",
        asked.count,
        tally.differ,
        folder.display()
    );
    Ok(tally.differ == 0)
}

fn word(letter: char) -> &'static str {
    match letter {
        'a' => "accepted",
        'r' => "refused",
        's' => "refused on purpose (literals of other types, bound variables without binder)",
        'u' => "refused, but for levels under imax accepted",
        'd' => "not as derived",
        'm' => "malformed",
        'l' => "a limit",
        'c' => "crashed",
        _ => "not asked",
    }
}

fn judge(
    (text, changed): (&str, bool),
    i: usize,
    folder: &Path,
    official: Option<&mut Official>,
    tally: &mut Tally,
) -> io::Result<()> {
    let mine = ours(text);
    let file = folder.join("case.ndjson");
    let (mut theirs, mut letter) = (None, '-');
    if let Some(o) = official {
        std::fs::write(&file, text)?;
        let verdict = o.judge(&file)?;
        letter = verdict.letter();
        // Lean's kernel does not see all equalities of levels under `imax`. Is it that?
        if (mine.letter(), letter) == ('a', 'r') {
            std::fs::write(&file, Base::read(text)?.with_plain_levels())?;
            if o.judge(&file)? == Verdict::Accepted {
                letter = 'u';
            }
        }
        theirs = Some(verdict);
    }
    *tally.both.entry((mine.letter(), letter)).or_default() += 1;
    if letter != 'u' && differ(mine.letter(), letter, changed) {
        tally.differ += 1;
        let kept = folder.join(format!("{}{letter}-{i}.ndjson", mine.letter()));
        std::fs::write(&kept, text)?;
        let theirs = theirs.map_or("not asked".to_owned(), |t| t.text());
        println!(
            "{}\n  ours     {}\n  official {theirs}",
            kept.display(),
            mine.text()
        );
    }
    Ok(())
}

/// Exports of parts of the library.
pub(crate) struct Library {
    /// What declarations that are made here are made of.
    prelude: String,
    /// What is changed.
    parts: Vec<Base>,
    /// Declarations in the notation of `lab`, which changed ones are made of.
    corpus: Vec<String>,
}

/// An export of more declarations than this is not used.
const MOST: usize = 40;

/// Every so manyth constant of the library is the head of a part.
const EVERY: usize = 5;

impl Library {
    /// Reads the library.
    ///
    /// # Errors
    /// It cannot be read.
    fn read(root: &Path) -> io::Result<Library> {
        let bump = Bump::new();
        let store = Store::new(&bump);
        let mut session = Session::new(&store);
        let script = root.join("proofs/lib/list.ptxp");
        let read = session.check_file(&script);
        read.map_err(|e| io::Error::other(e.to_string()))?;
        let env = session.environment();
        let families = types::library(&store);
        let beside = BESIDE.iter().map(|n| store.name(n));
        let names: Vec<Name> = families.iter().map(|f| f.name).chain(beside).collect();
        let (prelude, _) = export(env, &names)?;
        let mut parts = Vec::new();
        for c in env.constants().step_by(EVERY) {
            let (text, written) = export(env, &[c.name()])?;
            if written.declarations <= MOST {
                parts.push(Base::read(&text)?);
            }
        }
        // Not `universes`: Lean does not see all equalities there.
        let mut corpus = Vec::new();
        for file in ["mutual", "nested", "equality", "inductive-form"] {
            let path = root.join(format!("tests/accept/kernel/{file}.lab"));
            corpus.push(format!(
                "{}\n{}",
                lab::PRELUDE,
                std::fs::read_to_string(path)?
            ));
        }
        Ok(Library {
            prelude,
            parts,
            corpus,
        })
    }

    /// Makes declarations in a store.
    ///
    /// # Errors
    /// The library is not accepted.
    fn maker<'l, 'b>(&'l self, store: &'b Store<'b>) -> io::Result<Maker<'l, 'b>> {
        let mut env = Environment::new_with(store, judge::limits());
        let read = export_lean::read_ndjson(self.prelude.as_bytes(), &mut env);
        read.map_err(|e| io::Error::other(e.to_string()))?;
        Ok(Maker { library: self, env })
    }

    /// Mutants of a part of the corpus, in a store; and what they may mention.
    fn mutants<'b>(
        &self,
        store: &'b Store<'b>,
        rng: &mut Rng,
    ) -> (lab::Mutator<'b>, Environment<'b>) {
        let mut lab = lab::Lab {
            st: store,
            env: Environment::new_with(store, judge::limits()),
        };
        let text = rng.pick(&self.corpus);
        lab.accept(text);
        let originals = lab.parse(text);
        (lab::Mutator::new(store, originals, rng.bits()), lab.env)
    }
}

/// A changed declaration with what it rests on.
fn mutant(mutants: &mut lab::Mutator<'_>, env: &Environment<'_>) -> io::Result<String> {
    let st = env.store();
    let (d, name) = loop {
        let d = mutants.mutant();
        let name = match &d {
            Declaration::Inductive(d) => d.types[0].name,
            Declaration::Axiom(sig)
            | Declaration::Definition { sig, .. }
            | Declaration::Theorem { sig, .. }
            | Declaration::Opaque { sig, .. } => sig.name,
            Declaration::Quot => continue,
        };
        // Lean's kernel takes some bound variables without binder, in types of constructors, for parameters.
        if !lab::terms(&d).iter().any(|e| st.has_loose_bvars(*e)) {
            break (d, name);
        }
    };
    let mut after = env.clone();
    if after.add(d.clone()).is_ok() {
        return Ok(export(&after, &[name])?.0);
    }
    let there: Vec<Name> = lab::terms(&d)
        .into_iter()
        .flat_map(|e| constants(st, e))
        .filter(|n| env.get(*n).is_some())
        .collect();
    let (mut text, written) = export(env, &there)?;
    let mut lines = lines::Lines::after(&written, st);
    lines.declaration(&d);
    text.push_str(&lines.text);
    Ok(text)
}

/// An export of some constants and what they rest on.
fn export(env: &Environment<'_>, names: &[Name]) -> io::Result<(String, Written)> {
    let mut bytes = Vec::new();
    let written = write_ndjson(&mut bytes, env, Select::Closure(names));
    let written = written.map_err(|e| io::Error::other(e.to_string()))?;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), written))
}

/// The constants in a term.
fn constants(st: &Store<'_>, e: Expr) -> Vec<Name> {
    let (mut found, mut seen, mut todo) = (Vec::new(), HashSet::new(), vec![e]);
    while let Some(e) = todo.pop() {
        if seen.insert(e) {
            mentioned(st, st.node(e), |n| found.push(n));
            children(st.node(e), &mut todo);
        }
    }
    found
}

/// Makes files.
struct Maker<'l, 'b> {
    library: &'l Library,
    env: Environment<'b>,
}

impl<'b> Maker<'_, 'b> {
    /// One file, and whether it is one in which something was changed.
    fn text(&self, rng: &mut Rng) -> Result<(String, bool), String> {
        Ok(match rng.below(3) {
            0 => (self.made(rng, true)?, false),
            1 => {
                let text = self.made(rng, false)?;
                let base = Base::read(&text).map_err(|e| e.to_string())?;
                (base.mutant(rng), true)
            }
            _ => (rng.pick(&self.library.parts).mutant(rng), true),
        })
    }

    /// Declarations made here: those that our kernel accepts and, if `all`, at last one that it does not.
    fn made(&self, rng: &mut Rng, all: bool) -> Result<String, String> {
        let st = self.env.store();
        let mut env = self.env.clone();
        let mut new: Vec<Name> = Vec::new();
        let mut refused = None;
        let mut families = types::library(st);
        for i in 0..1 + rng.below(4) {
            let (d, more, name) = if rng.once_in(3) {
                let name = st.name(&format!("t{i}"));
                (equations::Terms { st, rng }.theorem(name), Vec::new(), name)
            } else {
                let mut types = types::Types {
                    st,
                    rng,
                    families: families.clone(),
                };
                let (d, more) = types.declaration(&format!("T{i}_"));
                let name = more.first().map_or(Name::ANON, |f| f.name);
                (d, more, name)
            };
            match env.add(d.clone()) {
                Ok(()) => {
                    new.push(name);
                    families.extend(more);
                }
                Err(_) => {
                    refused = Some(d);
                    if all {
                        break;
                    }
                }
            }
        }
        if new.is_empty() {
            new.push(st.name("List"));
        }
        // What a refused declaration mentions has to be there.
        if all {
            new.extend(
                families
                    .iter()
                    .map(|f| f.name)
                    .chain(BESIDE.iter().map(|n| st.name(n))),
            );
        }
        let (mut text, written) = export(&env, &new).map_err(|e| e.to_string())?;
        if let Some(d) = refused.filter(|_| all) {
            let mut lines = lines::Lines::after(&written, st);
            lines.declaration(&d);
            text.push_str(&lines.text);
        }
        Ok(text)
    }
}

/// What terms made here mention beside the families.
const BESIDE: [&str; 12] = [
    "Nat.add", "Nat.sub", "Nat.mul", "Nat.pow", "Nat.beq", "Nat.ble", "Eq", "True", "False",
    "Bool", "Nat", "Prod",
];

/// The sample's folder.
fn sample_folder(root: &Path) -> PathBuf {
    root.join("tests/fuzz")
}
