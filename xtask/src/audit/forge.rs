//! Forged exports: what an auditor must see refused. Each is a true export with one thing changed.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

/// An export in memory.
pub struct Export {
    lines: Vec<String>,
    names: Vec<String>,
    exprs: Vec<Value>,
    known: HashMap<String, u64>,
    declarations: Vec<Declaration>,
}

struct Declaration {
    line: usize,
    kind: String,
    body: Value,
}

/// A forged export.
pub struct Forgery {
    /// What was done.
    pub what: String,
    /// The text of the file.
    pub text: String,
    /// Everything before this line (from 1) is as in the true export.
    pub from: usize,
    /// What the checker must say.
    pub reason: String,
}

impl Export {
    /// Reads an export that was accepted.
    ///
    /// # Errors
    /// A line that is no JSON object.
    pub fn read(text: &str) -> Result<Export, String> {
        let mut export = Export {
            lines: Vec::new(),
            names: vec![String::new()],
            exprs: Vec::new(),
            known: HashMap::new(),
            declarations: Vec::new(),
        };
        for line in text.lines() {
            let value: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
            export.take(line, value)?;
        }
        Ok(export)
    }

    fn take(&mut self, line: &str, value: Value) -> Result<(), String> {
        let mut rest = value.as_object().ok_or("no object")?.clone();
        if let Some(id) = rest.remove("in") {
            let spelled = self.spell(&value);
            self.names.push(spelled);
            self.know("in", rest, &id);
        } else if let Some(id) = rest.remove("il") {
            self.know("il", rest, &id);
        } else if let Some(id) = rest.remove("ie") {
            self.exprs.push(value);
            self.know("ie", rest, &id);
        } else if let Some((kind, body)) = rest.iter().next() {
            self.declarations.push(Declaration {
                line: self.lines.len(),
                kind: kind.clone(),
                body: body.clone(),
            });
        }
        self.lines.push(line.to_owned());
        Ok(())
    }

    fn know(&mut self, key: &str, rest: serde_json::Map<String, Value>, id: &Value) {
        let id = id.as_u64().unwrap_or(0);
        self.known
            .insert(format!("{key}{}", Value::Object(rest)), id);
    }

    fn spell(&self, v: &Value) -> String {
        let pre = v.pointer("/str/pre").or(v.pointer("/num/pre"));
        let pre = pre.and_then(Value::as_u64).unwrap_or(0) as usize;
        let last = match v.pointer("/str/str") {
            Some(s) => s.as_str().unwrap_or("").to_owned(),
            None => v.pointer("/num/i").map_or(String::new(), Value::to_string),
        };
        match self.names.get(pre).map(String::as_str) {
            None | Some("") => last,
            Some(p) => format!("{p}.{last}"),
        }
    }

    fn name_of(&self, d: &Declaration) -> String {
        let id = d.body.get("name").and_then(Value::as_u64).unwrap_or(0);
        self.names.get(id as usize).cloned().unwrap_or_default()
    }

    fn theorems(&self) -> Vec<&Declaration> {
        self.of_kind("thm")
    }

    fn of_kind(&self, kind: &str) -> Vec<&Declaration> {
        self.declarations
            .iter()
            .filter(|d| d.kind == kind)
            .collect()
    }

    fn before(&self, line: usize) -> Draft<'_> {
        let mut text = String::new();
        for l in &self.lines[..line] {
            text.push_str(l);
            text.push('\n');
        }
        Draft {
            export: self,
            text,
            from: line + 1,
            names: self.lines[..line]
                .iter()
                .filter(|l| l.starts_with("{\"in\""))
                .count() as u64
                + 1,
            exprs: self.lines[..line]
                .iter()
                .filter(|l| l.starts_with("{\"ie\""))
                .count() as u64,
            fresh: HashMap::new(),
        }
    }

    /// The last theorem with the proof of an earlier one that proves something else.
    pub fn swapped_proof(&self) -> Option<Forgery> {
        let theorems = self.theorems();
        let (last, earlier) = theorems.split_last()?;
        let other = earlier.iter().rev().find(|t| {
            t.body["levelParams"] == last.body["levelParams"] && t.body["type"] != last.body["type"]
        })?;
        let mut body = last.body.clone();
        body["value"] = other.body["value"].clone();
        let mut draft = self.before(last.line);
        draft.line(&json!({"thm": body}));
        let (name, from) = (self.name_of(last), self.name_of(other));
        Some(draft.done(
            format!("the proof of {name} swapped for that of {from}"),
            format!("refused thm {name}: declTypeMismatch"),
        ))
    }

    /// A theorem whose statement is edited, its proof kept: `and` becomes `or`, `<` becomes `≤`, a number the next one.
    /// One forgery for each of the last `count` theorems in which something can be edited.
    pub fn edited_statements(&self, count: usize) -> Vec<Forgery> {
        let mut out = Vec::new();
        for t in self.theorems().into_iter().rev() {
            if out.len() == count {
                break;
            }
            out.extend(self.edited_statement(t));
        }
        out
    }

    fn edited_statement(&self, t: &Declaration) -> Option<Forgery> {
        const SWAPS: [(&str, &str); 6] = [
            ("And", "Or"),
            ("Or", "And"),
            ("Nat.lt", "Nat.le"),
            ("Nat.le", "Nat.lt"),
            ("Nat.add", "Nat.mul"),
            ("Nat.mul", "Nat.add"),
        ];
        let root = t.body["type"].as_u64()?;
        let below = self.below(root);
        for (from, to) in SWAPS {
            let Some(new) = self.names.iter().position(|n| n == to) else {
                continue;
            };
            let is_from = |v: &Value| {
                let name = v.pointer("/const/name").and_then(Value::as_u64);
                name.is_some_and(|n| self.names[n as usize] == from)
            };
            let Some(old) = below.iter().find(|e| is_from(&self.exprs[**e as usize])) else {
                continue;
            };
            let mut draft = self.before(t.line);
            let mut node = self.exprs[*old as usize].clone();
            node["const"]["name"] = json!(new);
            let changed = draft.expr(node);
            let ty = draft.rebuilt(root, *old, changed);
            let mut body = t.body.clone();
            body["type"] = json!(ty);
            draft.line(&json!({"thm": body}));
            let name = self.name_of(t);
            return Some(draft.done(
                format!("in the statement of {name}, `{from}` edited into `{to}`"),
                format!("refused thm {name}: declTypeMismatch"),
            ));
        }
        None
    }

    /// The terms below one, itself included, in ascending order.
    fn below(&self, root: u64) -> Vec<u64> {
        let mut seen = HashSet::new();
        let mut todo = vec![root];
        while let Some(e) = todo.pop() {
            if seen.insert(e) {
                todo.extend(parts(&self.exprs[e as usize]).into_iter().map(|(_, e)| e));
            }
        }
        let mut out: Vec<u64> = seen.into_iter().collect();
        out.sort_unstable();
        out
    }

    /// The last theorem proved by an axiom that says that everything is true.
    pub fn added_axiom(&self) -> Option<Forgery> {
        let t = *self.theorems().last()?;
        let mut draft = self.before(t.line);
        let cheat = draft.universal_axiom("cheat");
        let proof = draft.node(json!({"app": {"arg": t.body["type"], "fn": cheat}}));
        let mut body = t.body.clone();
        body["value"] = json!(proof);
        draft.line(&json!({"thm": body}));
        let name = self.name_of(t);
        Some(draft.done(
            format!("{name} proved by an added axiom `cheat : ∀ p : Prop, p`"),
            "refused axiom cheat is not one of the three".into(),
        ))
    }

    /// An axiom with a permitted name that says that everything is true.
    pub fn disguised_axiom(&self) -> Option<Forgery> {
        let allowed = "propext";
        let at = self
            .of_kind("axiom")
            .into_iter()
            .find(|d| self.name_of(d) == allowed);
        let line = at.map_or(self.lines.len(), |d| d.line);
        let mut draft = self.before(line);
        draft.universal_axiom(allowed);
        Some(draft.done(
            format!("an axiom that is called {allowed} and says `∀ p : Prop, p`"),
            format!("refused axiom {allowed} does not say what Lean's says"),
        ))
    }

    /// The last theorem made an axiom.
    pub fn theorem_as_axiom(&self) -> Option<Forgery> {
        let t = *self.theorems().last()?;
        let mut draft = self.before(t.line);
        draft.line(&json!({"axiom": {
            "isUnsafe": false, "levelParams": t.body["levelParams"], "name": t.body["name"],
            "type": t.body["type"],
        }}));
        let name = self.name_of(t);
        Some(draft.done(
            format!("{name} turned into an axiom"),
            format!("refused axiom {name} is not one of the three"),
        ))
    }

    /// The first inductive type with two constructors: the rules of its recursor exchanged.
    pub fn exchanged_rules(&self) -> Option<Forgery> {
        let inductive = self.of_kind("inductive").into_iter().find(|d| {
            let rules = d.body.pointer("/recs/0/rules").and_then(Value::as_array);
            rules.is_some_and(|r| r.len() == 2 && r[0]["nfields"] == r[1]["nfields"])
        })?;
        let mut body = inductive.body.clone();
        let (a, b) = (
            body.pointer("/recs/0/rules/0/rhs")?.clone(),
            body.pointer("/recs/0/rules/1/rhs")?.clone(),
        );
        body["recs"][0]["rules"][0]["rhs"] = b;
        body["recs"][0]["rules"][1]["rhs"] = a;
        let id = body.pointer("/recs/0/name")?.as_u64()?;
        let name = self.names.get(id as usize)?.clone();
        let mut draft = self.before(inductive.line);
        draft.line(&json!({"inductive": body}));
        Some(draft.done(
            format!("the rules of {name} exchanged"),
            format!("refused derived {name}: a rule differs"),
        ))
    }
}

/// The subterms of a term, each with the path to its number.
fn parts(e: &Value) -> Vec<(String, u64)> {
    const PATHS: [(&str, &[&str]); 6] = [
        ("app", &["fn", "arg"]),
        ("lam", &["type", "body"]),
        ("forallE", &["type", "body"]),
        ("letE", &["type", "value", "body"]),
        ("proj", &["struct"]),
        ("mdata", &["expr"]),
    ];
    let mut out = Vec::new();
    for (kind, keys) in PATHS {
        for key in keys {
            let path = format!("/{kind}/{key}");
            if let Some(id) = e.pointer(&path).and_then(Value::as_u64) {
                out.push((path, id));
            }
        }
    }
    out
}

/// A forged export being written.
struct Draft<'e> {
    export: &'e Export,
    text: String,
    from: usize,
    names: u64,
    exprs: u64,
    fresh: HashMap<String, u64>,
}

impl Draft<'_> {
    fn line(&mut self, v: &Value) {
        let _ = writeln!(self.text, "{v}");
    }

    fn done(self, what: String, reason: String) -> Forgery {
        Forgery {
            what,
            text: self.text,
            from: self.from,
            reason,
        }
    }

    /// The number of a name or term, an old one if it was written before.
    fn numbered(&mut self, key: &str, body: Value) -> u64 {
        let spelled = format!("{key}{body}");
        let limit = if key == "in" { self.names } else { self.exprs };
        let old = self
            .export
            .known
            .get(&spelled)
            .copied()
            .filter(|id| *id < limit);
        if let Some(id) = old.or_else(|| self.fresh.get(&spelled).copied()) {
            return id;
        }
        let next = if key == "in" {
            &mut self.names
        } else {
            &mut self.exprs
        };
        let id = *next;
        *next += 1;
        self.fresh.insert(spelled, id);
        let mut line = body;
        line[key] = json!(id);
        self.line(&line);
        id
    }

    fn node(&mut self, body: Value) -> u64 {
        self.numbered("ie", body)
    }

    /// A copy of an old term, changed.
    fn expr(&mut self, mut e: Value) -> u64 {
        if let Some(o) = e.as_object_mut() {
            o.remove("ie");
        }
        self.node(e)
    }

    /// `root` with `old` replaced by `new`.
    fn rebuilt(&mut self, root: u64, old: u64, new: u64) -> u64 {
        let mut map: HashMap<u64, u64> = HashMap::from([(old, new)]);
        // Parts have smaller numbers than what they are part of.
        for e in self.export.below(root) {
            if e == old {
                continue;
            }
            let mut node = self.export.exprs[e as usize].clone();
            let mut changed = false;
            for (path, part) in parts(&node) {
                if let (Some(m), Some(slot)) = (map.get(&part), node.pointer_mut(&path)) {
                    changed |= *m != part;
                    *slot = json!(m);
                }
            }
            if changed {
                let id = self.expr(node);
                map.insert(e, id);
            }
        }
        map.get(&root).copied().unwrap_or(root)
    }

    /// Declares `axiom name : ∀ p : Prop, p` and gives the constant.
    fn universal_axiom(&mut self, name: &str) -> u64 {
        let name = self.numbered("in", json!({"str": {"pre": 0, "str": name}}));
        let p = self.numbered("in", json!({"str": {"pre": 0, "str": "p"}}));
        let prop = self.node(json!({"sort": 0}));
        let var = self.node(json!({"bvar": 0}));
        let all = self.node(json!({"forallE": {
            "binderInfo": "default", "body": var, "name": p, "type": prop,
        }}));
        self.line(&json!({"axiom": {
            "isUnsafe": false, "levelParams": [], "name": name, "type": all,
        }}));
        self.node(json!({"const": {"name": name, "us": []}}))
    }
}
