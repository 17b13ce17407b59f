//! Compares our kernel with Lean's on declarations that are almost right.
//!
//! ```text
//! LEAN_LIB=… cargo build --release --manifest-path tests/audit/leanck/Cargo.toml
//! cargo run --release -p export-lean --example mutants -- PATH/TO/leanck SEED COUNT
//! ```
//!
//! Mutants (`logic/tests/common/mutate.rs`) of the declarations in `tests/accept/kernel` are checked here and, in a process of
//! its own, by `leanck`. Different verdicts, and different recursors, are printed; the exit code is 1 if there are any. Mutants
//! with a bound variable without binder are left out: Lean's kernel takes some of these for parameters.

#[path = "../../logic/tests/common/mod.rs"]
mod common;
#[path = "../../logic/tests/common/mutate.rs"]
mod mutate;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::{Command, ExitCode};

use common::{PRELUDE, lab_with};
use logic::*;
use mutate::Mutator;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// Writes declarations as they are, checked or not.
struct Raw<'b> {
    st: &'b Store<'b>,
    names: FxHashMap<Name, usize>,
    levels: FxHashMap<Level, usize>,
    terms: FxHashMap<Expr, usize>,
    out: String,
}

impl<'b> Raw<'b> {
    fn new(st: &'b Store<'b>) -> Self {
        let mut raw = Raw {
            st,
            names: FxHashMap::default(),
            levels: FxHashMap::default(),
            terms: FxHashMap::default(),
            out: String::new(),
        };
        raw.line(&json!({"meta": {
            "exporter": {"name": "mutants", "version": "1"}, "format": {"version": "3.1.0"},
            "lean": {"githash": "", "version": "4.35.0"},
        }}));
        raw
    }

    fn line(&mut self, v: &Value) {
        let _ = writeln!(self.out, "{v}");
    }

    fn name(&mut self, n: Name) -> usize {
        if n.is_anon() {
            return 0;
        }
        if let Some(i) = self.names.get(&n) {
            return *i;
        }
        let pre = self.name(self.st.name_prefix(n));
        let id = self.names.len() + 1;
        let line = match self.st.name_node(n) {
            NameNode::Num(_, i) => json!({"in": id, "num": {"pre": pre, "i": i}}),
            _ => json!({"in": id, "str": {"pre": pre, "str": self.st.name_last(n)}}),
        };
        self.line(&line);
        self.names.insert(n, id);
        id
    }

    fn all_names(&mut self, ns: &[Name]) -> Vec<usize> {
        ns.iter().map(|n| self.name(*n)).collect()
    }

    fn level(&mut self, l: Level) -> usize {
        if l == Level::ZERO {
            return 0;
        }
        if let Some(i) = self.levels.get(&l) {
            return *i;
        }
        let mut v = match self.st.level_node(l) {
            LevelNode::Succ(a) => json!({"succ": self.level(a)}),
            LevelNode::Max(a, b) => json!({"max": [self.level(a), self.level(b)]}),
            LevelNode::IMax(a, b) => json!({"imax": [self.level(a), self.level(b)]}),
            LevelNode::Param(n) => json!({"param": self.name(n)}),
            LevelNode::Zero | LevelNode::MVar(_) => unreachable!("no mutant has one"),
        };
        let id = self.levels.len() + 1;
        v["il"] = json!(id);
        self.line(&v);
        self.levels.insert(l, id);
        id
    }

    fn term(&mut self, e: Expr) -> usize {
        if let Some(i) = self.terms.get(&e) {
            return *i;
        }
        let mut v = match self.st.node(e) {
            Node::BVar(i) => json!({"bvar": i}),
            Node::Sort(l) => json!({"sort": self.level(l)}),
            Node::Const(n, ls) => {
                let us: Vec<usize> = ls.iter().map(|l| self.level(*l)).collect();
                json!({"const": {"name": self.name(n), "us": us}})
            }
            Node::App(f, a) => json!({"app": {"fn": self.term(f), "arg": self.term(a)}}),
            Node::Lam(n, t, b, i) => json!({"lam": self.binder(n, t, b, i)}),
            Node::Pi(n, t, b, i) => json!({"forallE": self.binder(n, t, b, i)}),
            Node::Let(n, t, v, b) => json!({"letE": {
                "name": self.name(n), "type": self.term(t), "value": self.term(v),
                "body": self.term(b), "nondep": false,
            }}),
            Node::Proj(n, i, x) => {
                json!({"proj": {"typeName": self.name(n), "idx": i, "struct": self.term(x)}})
            }
            Node::Nat(n) => json!({"natVal": n.to_string()}),
            Node::Str(s) => json!({"strVal": s}),
            Node::FVar(_) | Node::MVar(_) => unreachable!("no mutant has one"),
        };
        let id = self.terms.len();
        v["ie"] = json!(id);
        self.line(&v);
        self.terms.insert(e, id);
        id
    }

    fn binder(&mut self, n: Name, t: Expr, b: Expr, info: BinderInfo) -> Value {
        let info = match info {
            BinderInfo::Default => "default",
            BinderInfo::Implicit => "implicit",
            BinderInfo::StrictImplicit => "strictImplicit",
            BinderInfo::InstImplicit => "instImplicit",
        };
        let (n, t, b) = (self.name(n), self.term(t), self.term(b));
        json!({"name": n, "type": t, "body": b, "binderInfo": info})
    }

    fn signature(&mut self, sig: &Signature) -> Value {
        json!({
            "name": self.name(sig.name), "levelParams": self.all_names(&sig.univ_params),
            "type": self.term(sig.ty), "isUnsafe": false,
        })
    }

    /// A declaration, with what `env` derived from it if it was accepted.
    fn declaration(&mut self, d: &Declaration, env: Option<&Environment<'_>>) {
        let v = match d {
            Declaration::Quot => return,
            Declaration::Axiom(sig) => json!({"axiom": self.signature(sig)}),
            Declaration::Definition { sig, value, .. } => {
                let mut v = self.with_value(sig, *value);
                v["hints"] = json!({"regular": 1});
                v["safety"] = json!("safe");
                json!({"def": v})
            }
            Declaration::Theorem { sig, value } => json!({"thm": self.with_value(sig, *value)}),
            Declaration::Opaque { sig, value } => json!({"opaque": self.with_value(sig, *value)}),
            Declaration::Inductive(d) => json!({"inductive": self.inductive(d, env)}),
        };
        self.line(&v);
    }

    fn with_value(&mut self, sig: &Signature, value: Expr) -> Value {
        let mut v = self.signature(sig);
        v["value"] = json!(self.term(value));
        v["all"] = json!([v["name"]]);
        v
    }

    fn inductive(&mut self, d: &InductiveDecl, env: Option<&Environment<'_>>) -> Value {
        let (mut types, mut ctors, mut recs) = (Vec::new(), Vec::new(), Vec::new());
        for t in &d.types {
            let sig = |name, ty| Signature {
                name,
                univ_params: d.univ_params.clone(),
                ty,
            };
            let names: Vec<Name> = t.ctors.iter().map(|c| c.0).collect();
            let mut v = self.signature(&sig(t.name, t.ty));
            v["ctors"] = json!(self.all_names(&names));
            v["numParams"] = json!(d.num_params);
            v["all"] = json!([]);
            for key in ["numIndices", "numNested"] {
                v[key] = json!(0);
            }
            for key in ["isRec", "isReflexive"] {
                v[key] = json!(false);
            }
            if let Some(ConstantInfo::Inductive(i)) = env.and_then(|e| e.get(t.name)) {
                v["all"] = json!(self.all_names(&i.all));
                v["numIndices"] = json!(i.num_indices);
                v["numNested"] = json!(i.num_nested);
                v["isRec"] = json!(i.is_recursive);
                v["isReflexive"] = json!(i.is_reflexive);
            }
            types.push(v);
            for (name, ty) in &t.ctors {
                let mut v = self.signature(&sig(*name, *ty));
                v["induct"] = json!(self.name(t.name));
                for key in ["cidx", "numParams", "numFields"] {
                    v[key] = json!(0);
                }
                if let Some(ConstantInfo::Constructor(c)) = env.and_then(|e| e.get(*name)) {
                    v["cidx"] = json!(c.cidx);
                    v["numParams"] = json!(c.num_params);
                    v["numFields"] = json!(c.num_fields);
                }
                ctors.push(v);
            }
        }
        let first = d.types.first().map(|t| t.name);
        for c in env.into_iter().flat_map(Environment::constants) {
            let ConstantInfo::Recursor(r) = c else {
                continue;
            };
            if r.all.first().copied() != first {
                continue;
            }
            let mut v = self.signature(&r.sig);
            v["all"] = json!(self.all_names(&r.all));
            v["k"] = json!(r.k);
            v["numParams"] = json!(r.num_params);
            v["numIndices"] = json!(r.num_indices);
            v["numMotives"] = json!(r.num_motives);
            v["numMinors"] = json!(r.num_minors);
            let mut rules = Vec::new();
            for rule in &r.rules {
                let (ctor, rhs) = (self.name(rule.ctor), self.term(rule.rhs));
                rules.push(json!({"ctor": ctor, "nfields": rule.num_fields, "rhs": rhs}));
            }
            v["rules"] = json!(rules);
            recs.push(v);
        }
        json!({"types": types, "ctors": ctors, "recs": recs})
    }
}

/// One of these is mutated, by the seed.
const FILES: [&str; 4] = ["mutual", "nested", "equality", "inductive-form"];

/// Mutants in NDJSON, and our verdict on each: why it is refused, or nothing.
fn make(seed: u64, count: usize) -> (String, BTreeMap<String, Option<String>>) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/accept/kernel");
    let file = FILES[seed as usize % FILES.len()];
    let text = std::fs::read_to_string(format!("{folder}/{file}.lab")).expect("readable");
    let limits = Limits {
        max_steps: 2_000_000,
        ..Limits::default()
    };
    let (mut out, mut verdicts) = (String::new(), BTreeMap::new());
    lab_with(limits, "", |l| {
        let st = l.st;
        let mut raw = Raw::new(st);
        let originals = l.parse(&format!("{PRELUDE}\n{text}"));
        for d in &originals {
            let accepted = l.env.add(d.clone()).is_ok();
            raw.declaration(d, accepted.then_some(&l.env));
        }
        let mut mutator = Mutator::new(st, originals, seed);
        for _ in 0..count {
            let d = mutator.mutant();
            if mutate::terms(&d).iter().any(|e| st.has_loose_bvars(*e)) {
                continue;
            }
            let mut env = l.env.clone();
            let verdict = env.add(d.clone());
            raw.declaration(&d, verdict.is_ok().then_some(&env));
            let name = match &d {
                Declaration::Inductive(d) => d.types[0].name,
                Declaration::Axiom(sig)
                | Declaration::Definition { sig, .. }
                | Declaration::Theorem { sig, .. }
                | Declaration::Opaque { sig, .. } => sig.name,
                Declaration::Quot => continue,
            };
            let refused = verdict.err().map(|e| e.display(st).to_string());
            verdicts.insert(st.name_to_string(name), refused);
        }
        out = raw.out;
    });
    (out, verdicts)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let [_, leanck, seed, count] = &args[..] else {
        eprintln!("usage: mutants LEANCK SEED COUNT");
        return ExitCode::from(2);
    };
    let (Ok(seed), Ok(count)) = (seed.parse(), count.parse()) else {
        eprintln!("SEED and COUNT are numbers");
        return ExitCode::from(2);
    };
    let (text, ours) = make(seed, count);
    let file = std::env::temp_dir().join(format!("mutants-{}-{seed}.ndjson", std::process::id()));
    let said = std::fs::write(&file, text)
        .and_then(|()| Command::new(leanck).arg(&file).arg("each").output());
    let _ = std::fs::remove_file(&file);
    let said = match said {
        Ok(o) if o.status.success() => String::from_utf8_lossy(&o.stdout).into_owned(),
        Ok(o) => {
            eprintln!(
                "{leanck}: {}\n{}",
                o.status,
                String::from_utf8_lossy(&o.stdout)
            );
            return ExitCode::from(2);
        }
        Err(e) => {
            eprintln!("{leanck}: {e}");
            return ExitCode::from(2);
        }
    };
    let mut refused = BTreeMap::new();
    let mut different = 0;
    for line in said.lines() {
        let mut words = line.splitn(3, ' ');
        let (kind, name) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let why = words.next().unwrap_or("").to_owned();
        match kind {
            "refused" => drop(refused.insert(name.to_owned(), why)),
            // Of a mutant that we refuse, nothing is derived; that Lean accepts it is seen below.
            _ if ours.get(name).is_some_and(Option::is_some) => {}
            _ => {
                different += 1;
                println!("{line}");
            }
        }
    }
    let mut accepted = 0;
    for (name, ours) in &ours {
        accepted += usize::from(ours.is_none());
        match (ours, refused.get(name)) {
            (None, Some(why)) => println!("{name}: accepted here, refused by Lean: {why}"),
            (Some(why), None) => println!("{name}: accepted by Lean, refused here: {why}"),
            _ => continue,
        }
        different += 1;
    }
    println!(
        "{} mutants, {accepted} accepted, {different} differences",
        ours.len()
    );
    ExitCode::from(u8::from(different > 0))
}
