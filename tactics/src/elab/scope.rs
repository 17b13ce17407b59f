//! What names mean at a place of a script: namespaces, `open`, section variables, universe names, private names.

use std::sync::Arc;

use logic::{Name, NameNode};
use rustc_hash::FxHashMap;

use crate::meta::{Elab, ElabError, FVarId, Result};
use crate::syntax::ast::{self, Span};
use crate::syntax::near::near;

/// An `open`ed namespace.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The namespace.
    pub namespace: Name,
    /// Only these names.
    pub only: Option<Vec<Name>>,
}

/// One frame of `namespace` or `section`.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its label.
    pub label: Option<Name>,
    /// Whether it is a namespace.
    pub is_namespace: bool,
    namespace: Name,
    opened: usize,
    variables: usize,
    universes: usize,
}

/// A notation, and what the names in it mean.
pub type NotationNames = (Arc<ast::NotationDecl>, Vec<(ast::Ident, Name)>);

/// The scope.
#[derive(Clone, Default)]
pub struct Scope {
    /// The current namespace.
    pub namespace: CurrentNamespace,
    /// Opened namespaces.
    pub opened: Vec<Opened>,
    /// Binders of `variable`.
    pub variables: Vec<ast::Binder>,
    /// Names of `universe`.
    pub universes: Vec<Name>,
    /// Universe parameters of the current declaration, in order.
    pub level_params: Vec<Name>,
    /// Private names of this file: what is written ↦ what is declared.
    pub private: FxHashMap<Name, Name>,
    /// Where the current file's private names live.
    pub file_tag: String,
    /// Constants of scripts that are not imported: unknown here.
    pub hidden: Option<std::rc::Rc<rustc_hash::FxHashSet<Name>>>,
    /// What the names in a notation meant where it was declared.
    pub notations: Vec<NotationNames>,
    /// What was not declared because of an error: the script, and where it stands there.
    pub failed: FxHashMap<Name, (String, Span)>,
    /// Open sections and namespaces.
    pub frames: Vec<Frame>,
}

/// Names that need no namespace anywhere, as in Lean.
const EXPORTED: &[(&str, &str)] = &[
    ("Bool", "true"),
    ("Bool", "false"),
    ("Option", "none"),
    ("Option", "some"),
    ("Decidable", "isTrue"),
    ("Decidable", "isFalse"),
    ("Decidable", "decide"),
];

/// A namespace, by default the root.
#[derive(Clone, Copy)]
pub struct CurrentNamespace(pub Name);

impl Default for CurrentNamespace {
    fn default() -> Self {
        CurrentNamespace(Name::ANON)
    }
}

impl Scope {
    /// Opens a section or namespace.
    pub fn push(&mut self, label: Option<Name>, is_namespace: bool, namespace: Name) {
        self.frames.push(Frame {
            label,
            is_namespace,
            namespace: self.namespace.0,
            opened: self.opened.len(),
            variables: self.variables.len(),
            universes: self.universes.len(),
        });
        if is_namespace {
            self.namespace.0 = namespace;
        }
    }

    /// Closes the innermost section or namespace; `None` if there is none.
    pub fn pop(&mut self) -> Option<Frame> {
        let f = self.frames.pop()?;
        self.namespace.0 = f.namespace;
        self.opened.truncate(f.opened);
        self.variables.truncate(f.variables);
        self.universes.truncate(f.universes);
        Some(f)
    }

    /// The innermost frame.
    pub fn innermost(&self) -> Option<&Frame> {
        self.frames.last()
    }
}

/// What a name means: a head, and how many of the parts are left as fields.
#[derive(Clone, Debug)]
pub enum Resolved {
    /// A local variable.
    Local(FVarId, usize),
    /// Constants, the most likely first; each with the number of parts used.
    Consts(Vec<(Name, usize)>),
}

impl<'b> Elab<'b> {
    /// A name from the parts of an identifier.
    pub fn name_of_parts(&self, parts: &[&str]) -> Name {
        parts.iter().fold(Name::ANON, |n, p| self.st.name_str(n, p))
    }

    /// The name an identifier spells.
    pub fn ident_name(&self, id: &ast::Ident) -> Name {
        self.name_of_parts(&id.parts())
    }

    /// What an identifier means here.
    pub fn resolve(&self, id: &ast::Ident) -> Option<Resolved> {
        let parts = id.parts();
        if let Some(first) = parts.first() {
            let n = self.st.name_str(Name::ANON, first);
            if let Some(x) = self.find_local(&self.lctx, n) {
                return Some(Resolved::Local(x, parts.len() - 1));
            }
        }
        // A function that is being defined is a hidden local under its full name.
        for k in (1..=parts.len()).rev() {
            let n = self.name_of_parts(&parts[..k]);
            for (x, full) in self.rec_fns.iter().rev() {
                if self.lctx.contains(*x) && self.names_match(*full, n) {
                    return Some(Resolved::Local(*x, parts.len() - k));
                }
            }
            let found = self.global_candidates(n);
            if !found.is_empty() {
                return Some(Resolved::Consts(
                    found.into_iter().map(|c| (c, parts.len() - k)).collect(),
                ));
            }
        }
        None
    }

    fn names_match(&self, full: Name, written: Name) -> bool {
        let mut ns = self.scope.namespace.0;
        loop {
            if self.st.name_append(ns, written) == full {
                return true;
            }
            if ns.is_anon() {
                return false;
            }
            ns = self.st.name_prefix(ns);
        }
    }

    /// The constants that a dotted name can mean, by namespaces, then `open`s and the root.
    pub fn global_candidates(&self, n: Name) -> Vec<Name> {
        let st = self.st;
        let mut out: Vec<Name> = Vec::new();
        let known = |c: Name| {
            if let Some(p) = self.scope.private.get(&c) {
                return Some(*p);
            }
            (self.env.get(c).is_some() && !self.is_hidden(c)).then_some(c)
        };
        if let Some((Some("_root_"), rest)) = self.split_first(n) {
            return known(rest).into_iter().collect();
        }
        let mut ns = self.scope.namespace.0;
        while !ns.is_anon() {
            if let Some(c) = known(st.name_append(ns, n)) {
                return vec![c];
            }
            ns = st.name_prefix(ns);
        }
        for o in self.scope.opened.iter().rev() {
            let allowed = match &o.only {
                None => true,
                Some(names) => self
                    .split_first(n)
                    .and_then(|(f, _)| f)
                    .is_some_and(|f| names.contains(&st.name_str(Name::ANON, f))),
            };
            if allowed
                && let Some(c) = known(st.name_append(o.namespace, n))
                && !out.contains(&c)
            {
                out.push(c);
            }
        }
        if let Some(c) = known(n)
            && !out.contains(&c)
        {
            out.push(c);
        }
        if out.is_empty() {
            let home = EXPORTED.iter().find(|(_, name)| st.name(name) == n);
            out.extend(home.and_then(|(ns, name)| known(st.name(&format!("{ns}.{name}")))));
        }
        out
    }

    /// Whether a constant belongs to a script that is not imported.
    pub fn is_hidden(&self, n: Name) -> bool {
        self.scope.hidden.as_ref().is_some_and(|h| h.contains(&n))
    }

    fn split_first(&self, n: Name) -> Option<(Option<&'b str>, Name)> {
        let mut parts = Vec::new();
        let mut cur = n;
        loop {
            match self.st.name_node(cur) {
                NameNode::Anon => break,
                NameNode::Str(p, s) => {
                    parts.push(s);
                    cur = p;
                }
                NameNode::Num(..) => return None,
            }
        }
        parts.reverse();
        let rest = parts
            .iter()
            .skip(1)
            .fold(Name::ANON, |n, p| self.st.name_str(n, p));
        Some((parts.first().copied(), rest))
    }

    /// The one constant that an identifier means, for commands, attributes and tactics.
    pub fn resolve_const(&self, id: &ast::Ident) -> Result<Name> {
        let n = self.ident_name(id);
        match self.global_candidates(n)[..] {
            [] => Err(self.unknown_name(id)),
            [c] => Ok(c),
            ref cs => Err(self.ambiguous_name(id, cs)),
        }
    }

    /// An error for a name that an `open` gives a second meaning.
    pub(crate) fn ambiguous_name(&self, id: &ast::Ident, meanings: &[Name]) -> ElabError {
        let list: Vec<String> = meanings
            .iter()
            .map(|c| {
                let full = self.st.name_to_string(*c);
                match id.parts().join(".").starts_with(&full) {
                    true => format!("`_root_.{full}`"),
                    false => format!("`{full}`"),
                }
            })
            .collect();
        ElabError::new(id.span, format!("ambiguous name `{}`", id.name))
            .code("elab.ambiguous_name")
            .help(format!("write {}", list.join(" or ")))
    }

    /// The namespace that an identifier means.
    pub fn resolve_namespace(&self, id: &ast::Ident) -> Result<Name> {
        let st = self.st;
        let n = self.ident_name(id);
        let mut ns = self.scope.namespace.0;
        loop {
            let c = st.name_append(ns, n);
            if self.ext.namespaces.contains(&c) {
                return Ok(c);
            }
            if ns.is_anon() {
                break;
            }
            ns = st.name_prefix(ns);
        }
        for o in self.scope.opened.iter().rev() {
            let c = st.name_append(o.namespace, n);
            if self.ext.namespaces.contains(&c) {
                return Ok(c);
            }
        }
        Err(
            ElabError::new(id.span, format!("unknown namespace `{}`", id.name))
                .code("elab.unknown_namespace"),
        )
    }

    /// An error for a name that means nothing, with near matches.
    pub fn unknown_name(&self, id: &ast::Ident) -> ElabError {
        if let Some(e) = self.failed_name(id) {
            return e;
        }
        let mut e = ElabError::new(id.span, format!("unknown name `{}`", id.name))
            .code("elab.unknown_name");
        let parts = id.parts();
        if parts.first().is_some_and(|x| self.is_section_variable(x)) {
            return e.help(format!(
                "a proof sees the section variables that its statement mentions: make `{}` an argument of the theorem",
                parts[0]
            ));
        }
        let last = parts.last().copied().unwrap_or_default();
        let mut hints: Vec<String> = Vec::new();
        if let Some(same) = self.ext.by_last.get(last) {
            hints.extend(
                same.iter()
                    .filter(|n| !self.is_hidden(**n))
                    .take(4)
                    .map(|n| self.st.name_to_string(*n)),
            );
        }
        let locals: Vec<String> = self
            .lctx
            .iter()
            .filter(|x| !self.local(*x).aux)
            .map(|x| self.st.name_to_string(self.local(x).user_name))
            .filter(|s| !s.contains('✝'))
            .collect();
        for s in near(last, locals.iter().map(String::as_str)) {
            hints.push(s.to_owned());
        }
        if hints.len() < 4 {
            for s in near(last, self.ext.by_last.keys().map(String::as_str)) {
                for n in self.ext.by_last[s]
                    .iter()
                    .filter(|n| !self.is_hidden(**n))
                    .take(2)
                {
                    let full = self.st.name_to_string(*n);
                    if !hints.contains(&full) && hints.len() < 5 {
                        hints.push(full);
                    }
                }
            }
        }
        hints.dedup();
        if !hints.is_empty() {
            let list: Vec<String> = hints.iter().map(|h| format!("`{h}`")).collect();
            e = e.help(format!("did you mean {}?", list.join(", ")));
        }
        e
    }

    /// Whether a `variable` command names this.
    fn is_section_variable(&self, x: &str) -> bool {
        self.scope.variables.iter().any(|b| {
            b.names
                .iter()
                .any(|n| n.name.as_ref().is_some_and(|id| *id.name == *x))
        })
    }

    /// An error for a name whose declaration has failed: that was reported there.
    fn failed_name(&self, id: &ast::Ident) -> Option<ElabError> {
        let st = self.st;
        let written = self.ident_name(id);
        let mut spaces = vec![Name::ANON];
        spaces.extend(self.scope.opened.iter().map(|o| o.namespace));
        let mut ns = self.scope.namespace.0;
        while !ns.is_anon() {
            spaces.push(ns);
            ns = st.name_prefix(ns);
        }
        for ns in spaces.into_iter().rev() {
            // A constructor or an equation fails with what it belongs to.
            let mut n = st.name_append(ns, written);
            while !n.is_anon() {
                if let Some((file, span)) = self.scope.failed.get(&n) {
                    let name = st.name_to_string(n);
                    let here = *file == self.scope.file_tag;
                    let place = if here {
                        "above".to_owned()
                    } else {
                        format!("in {file}")
                    };
                    let e = ElabError::new(
                        id.span,
                        format!(
                            "this is not checked: the declaration of `{name}` has failed {place}"
                        ),
                    )
                    .code("elab.depends");
                    return Some(if here {
                        e.label(*span, "declared here")
                    } else {
                        e
                    });
                }
                n = st.name_prefix(n);
            }
        }
        None
    }

    /// The name of a new declaration here.
    pub fn declared_name(&self, id: &ast::Ident) -> Name {
        let n = self.ident_name(id);
        if let Some((Some("_root_"), rest)) = self.split_first(n) {
            return rest;
        }
        self.st.name_append(self.scope.namespace.0, n)
    }

    /// Registers a declared constant for name resolution and near matches.
    pub fn register_name(&mut self, n: Name) {
        let st = self.st;
        let mut p = st.name_prefix(n);
        while !p.is_anon() {
            if !self.ext.namespaces.insert(p) {
                break;
            }
            p = st.name_prefix(p);
        }
        if let Some(last) = st.name_last(n) {
            self.ext.by_last.entry(last.to_owned()).or_default().push(n);
        }
    }

    /// An error about a place if the error has none yet.
    pub fn at<T>(&self, span: Span, r: Result<T>) -> Result<T> {
        r.map_err(|e| e.at(span))
    }
}
