//! Declarations that no environment holds, as lines of NDJSON after those of an export: what our kernel refuses can so be shown
//! to another.

use std::collections::HashMap;

use export_lean::ndjson_out::Written;
use logic::{
    BinderInfo, Declaration, Expr, Hint, Level, LevelNode, Name, NameNode, Node, Signature, Store,
};
use serde_json::{Value, json};

/// Lines after an export.
pub struct Lines<'b> {
    st: &'b Store<'b>,
    /// The lines so far.
    pub text: String,
    next: [usize; 3],
    names: HashMap<Name, usize>,
    levels: HashMap<Level, usize>,
    terms: HashMap<Expr, usize>,
}

impl<'b> Lines<'b> {
    /// No lines yet, after an export that was written so far.
    pub fn after(written: &Written, st: &'b Store<'b>) -> Lines<'b> {
        Lines {
            st,
            text: String::new(),
            next: [written.names + 1, written.levels + 1, written.terms],
            names: HashMap::from([(Name::ANON, 0)]),
            levels: HashMap::from([(Level::ZERO, 0)]),
            terms: HashMap::new(),
        }
    }

    fn line(&mut self, kind: usize, key: &str, mut body: Value) -> usize {
        let id = self.next[kind];
        self.next[kind] += 1;
        body[key] = json!(id);
        self.say(&body);
        id
    }

    fn say(&mut self, v: &Value) {
        self.text.push_str(&v.to_string());
        self.text.push('\n');
    }

    fn name(&mut self, n: Name) -> usize {
        if let Some(id) = self.names.get(&n) {
            return *id;
        }
        let pre = self.name(self.st.name_prefix(n));
        let body = match self.st.name_node(n) {
            NameNode::Num(_, i) => json!({ "num": { "pre": pre, "i": i } }),
            NameNode::Str(_, s) => json!({ "str": { "pre": pre, "str": s } }),
            NameNode::Anon => return 0,
        };
        let id = self.line(0, "in", body);
        self.names.insert(n, id);
        id
    }

    fn level(&mut self, l: Level) -> usize {
        if let Some(id) = self.levels.get(&l) {
            return *id;
        }
        let body = match self.st.level_node(l) {
            LevelNode::Succ(a) => json!({ "succ": self.level(a) }),
            LevelNode::Max(a, b) => json!({ "max": [self.level(a), self.level(b)] }),
            LevelNode::IMax(a, b) => json!({ "imax": [self.level(a), self.level(b)] }),
            LevelNode::Param(n) => json!({ "param": self.name(n) }),
            LevelNode::Zero | LevelNode::MVar(_) => return 0,
        };
        let id = self.line(1, "il", body);
        self.levels.insert(l, id);
        id
    }

    fn term(&mut self, e: Expr) -> usize {
        if let Some(id) = self.terms.get(&e) {
            return *id;
        }
        let info = |b| match b {
            BinderInfo::Default => "default",
            BinderInfo::Implicit => "implicit",
            BinderInfo::StrictImplicit => "strictImplicit",
            BinderInfo::InstImplicit => "instImplicit",
        };
        let body = match self.st.node(e) {
            Node::BVar(i) => json!({ "bvar": i }),
            Node::Sort(l) => json!({ "sort": self.level(l) }),
            Node::Const(n, ls) => {
                let us: Vec<usize> = ls.iter().map(|l| self.level(*l)).collect();
                json!({ "const": { "name": self.name(n), "us": us } })
            }
            Node::App(f, a) => json!({ "app": { "fn": self.term(f), "arg": self.term(a) } }),
            Node::Lam(n, t, b, i) | Node::Pi(n, t, b, i) => {
                let key = match self.st.node(e) {
                    Node::Lam(..) => "lam",
                    _ => "forallE",
                };
                json!({ key: {
                    "binderInfo": info(i), "body": self.term(b), "name": self.name(n), "type": self.term(t),
                } })
            }
            Node::Let(n, t, v, b) => json!({ "letE": {
                "body": self.term(b), "name": self.name(n), "nondep": false, "type": self.term(t),
                "value": self.term(v),
            } }),
            Node::Proj(n, i, x) => {
                json!({ "proj": { "idx": i, "struct": self.term(x), "typeName": self.name(n) } })
            }
            Node::Nat(n) => json!({ "natVal": n.to_string() }),
            Node::Str(s) => json!({ "strVal": s }),
            // No generator makes these.
            Node::FVar(_) | Node::MVar(_) => json!({ "bvar": 1_000_000 }),
        };
        let id = self.line(2, "ie", body);
        self.terms.insert(e, id);
        id
    }

    fn signature(&mut self, sig: &Signature) -> (usize, Vec<usize>, usize) {
        let params = sig.univ_params.iter().map(|n| self.name(*n)).collect();
        (self.name(sig.name), params, self.term(sig.ty))
    }

    /// A declaration. Of an inductive type no recursors are claimed.
    pub fn declaration(&mut self, d: &Declaration) {
        let line = match d {
            Declaration::Axiom(sig) => {
                let (name, params, ty) = self.signature(sig);
                json!({ "axiom": { "isUnsafe": false, "levelParams": params, "name": name, "type": ty } })
            }
            Declaration::Definition { sig, value, hint } => {
                let (name, params, ty) = self.signature(sig);
                let hints = match hint {
                    Hint::Opaque => json!("opaque"),
                    Hint::Abbrev => json!("abbrev"),
                    Hint::Regular(n) => json!({ "regular": n }),
                };
                json!({ "def": {
                    "all": [name], "hints": hints, "levelParams": params, "name": name, "safety": "safe",
                    "type": ty, "value": self.term(*value),
                } })
            }
            Declaration::Theorem { sig, value } => {
                let (name, params, ty) = self.signature(sig);
                json!({ "thm": {
                    "all": [name], "levelParams": params, "name": name, "type": ty, "value": self.term(*value),
                } })
            }
            Declaration::Opaque { sig, value } => {
                let (name, params, ty) = self.signature(sig);
                json!({ "opaque": {
                    "all": [name], "isUnsafe": false, "levelParams": params, "name": name, "type": ty,
                    "value": self.term(*value),
                } })
            }
            Declaration::Inductive(d) => {
                let params: Vec<usize> = d.univ_params.iter().map(|n| self.name(*n)).collect();
                let all: Vec<usize> = d.types.iter().map(|t| self.name(t.name)).collect();
                let (mut types, mut ctors) = (Vec::new(), Vec::new());
                for t in &d.types {
                    let name = self.name(t.name);
                    let names: Vec<usize> = t.ctors.iter().map(|c| self.name(c.0)).collect();
                    types.push(json!({
                        "all": all, "ctors": names, "isRec": false, "isReflexive": false, "isUnsafe": false,
                        "levelParams": params, "name": name, "numIndices": 0, "numNested": 0,
                        "numParams": d.num_params, "type": self.term(t.ty),
                    }));
                    for (i, (c, ty)) in t.ctors.iter().enumerate() {
                        ctors.push(json!({
                            "cidx": i, "induct": name, "isUnsafe": false, "levelParams": params,
                            "name": self.name(*c), "numFields": 0, "numParams": d.num_params,
                            "type": self.term(*ty),
                        }));
                    }
                }
                json!({ "inductive": { "ctors": ctors, "recs": [], "types": types } })
            }
            Declaration::Quot => return,
        };
        self.say(&line);
    }
}
