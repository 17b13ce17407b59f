//! Names as Lean's parser reads them.

use logic::{Name, NameNode, Store};
use rustc_hash::{FxHashMap, FxHashSet};

/// Words that Lean reads as something else than an identifier.
const KEYWORDS: &[&str] = &[
    "Prop",
    "Sort",
    "Type",
    "abbrev",
    "admit",
    "at",
    "attribute",
    "axiom",
    "builtin_initialize",
    "by",
    "calc",
    "catch",
    "class",
    "coinductive",
    "dbg_trace",
    "declare_syntax_cat",
    "decreasing_by",
    "def",
    "deriving",
    "do",
    "elab",
    "elab_rules",
    "else",
    "end",
    "example",
    "exists",
    "export",
    "extends",
    "finally",
    "for",
    "forall",
    "from",
    "fun",
    "have",
    "haveI",
    "hiding",
    "if",
    "import",
    "in",
    "include",
    "inductive",
    "inferInstanceAs",
    "infix",
    "infixl",
    "infixr",
    "init_quot",
    "initialize",
    "instance",
    "leading_parser",
    "let",
    "letI",
    "let_delayed",
    "let_fun",
    "let_tmp",
    "local",
    "macro",
    "macro_rules",
    "match",
    "matches",
    "meta",
    "mut",
    "mutual",
    "namespace",
    "nat_lit",
    "no_index",
    "nofun",
    "nomatch",
    "noncomputable",
    "nonrec",
    "notation",
    "obtain",
    "omit",
    "opaque",
    "open",
    "partial",
    "postfix",
    "prefix",
    "prelude",
    "private",
    "protected",
    "public",
    "renaming",
    "repeat",
    "return",
    "run_cmd",
    "run_elab",
    "run_meta",
    "scoped",
    "seal",
    "section",
    "set_option",
    "show",
    "sorry",
    "static",
    "structure",
    "suffices",
    "syntax",
    "termination_by",
    "then",
    "theorem",
    "this",
    "throw",
    "trailing_parser",
    "try",
    "unif_hint",
    "universe",
    "unless",
    "unsafe",
    "unseal",
    "using",
    "variable",
    "where",
    "while",
    "with",
];

/// What Lean's commands `inductive` and `structure` define beside the recursor. Constants of ours with these names
/// are written with an underscore behind.
const GENERATED: &[&str] = &["below", "brecOn", "recOn"];

/// Where types of these names exist, Lean's command `inductive` makes further constants from lemmas that it expects
/// beside them. They are written with an underscore, so that it does not.
const TRIGGERS: &[&str] = &["HEq", "PUnit"];

fn starts_identifier(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || is_greek(c)
}

fn is_greek(c: char) -> bool {
    ('α'..='ω').contains(&c) && c != 'λ' || ('Α'..='Ω').contains(&c) && c != 'Π' && c != 'Σ'
}

fn continues_identifier(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '_' | '\'' | '!' | '?')
        || is_greek(c)
        || ('₀'..='₉').contains(&c)
}

/// One component of a name, in quotes if it needs them. `None` if not even quotes help.
pub(super) fn component(s: &str) -> Option<String> {
    let plain = s.starts_with(starts_identifier) && s.chars().all(continues_identifier);
    if plain && !KEYWORDS.contains(&s) && s != "_" {
        return Some(s.to_owned());
    }
    let quotable = !s.is_empty() && !s.contains(['«', '»', '\n', '\r']);
    quotable.then(|| format!("«{s}»"))
}

/// The components of a name.
pub(super) fn components(st: &Store<'_>, n: Name) -> Vec<String> {
    let mut out = Vec::new();
    let mut cur = n;
    loop {
        match st.name_node(cur) {
            NameNode::Anon => break,
            NameNode::Str(p, s) => {
                out.push(s.to_owned());
                cur = p;
            }
            NameNode::Num(p, i) => {
                out.push(i.to_string());
                cur = p;
            }
        }
    }
    out.reverse();
    out
}

fn add_underscore(parts: &mut [String]) {
    if let Some(last) = parts.last_mut() {
        last.push('_');
    }
}

/// How the constants of an export are written.
#[derive(Default)]
pub(super) struct Names {
    written: FxHashMap<Name, String>,
    taken: FxHashSet<String>,
    /// First components, which no local variable may have.
    roots: FxHashSet<String>,
}

impl Names {
    /// Gives constants their spelling, in order. `false` if one cannot be spelled.
    pub fn add(&mut self, st: &Store<'_>, n: Name, is_type: impl Fn(Name) -> bool) -> bool {
        let mut parts = components(st, n);
        let generated = parts
            .last()
            .is_some_and(|l| GENERATED.contains(&l.as_str()));
        if generated && is_type(st.name_prefix(n)) {
            add_underscore(&mut parts);
        }
        if parts
            .first()
            .is_some_and(|root| TRIGGERS.contains(&root.as_str()))
        {
            parts[0].push('_');
        }
        let text = loop {
            let spelled: Option<Vec<String>> = parts.iter().map(|p| component(p)).collect();
            let Some(spelled) = spelled else {
                return false;
            };
            let text = spelled.join(".");
            if self.taken.insert(text.clone()) {
                break text;
            }
            add_underscore(&mut parts);
        };
        if let Some(root) = parts.first() {
            self.roots.insert(root.clone());
        }
        self.written.insert(n, text);
        true
    }

    /// How a constant is written.
    pub fn get(&self, n: Name) -> &str {
        self.written.get(&n).map_or("_unknown", String::as_str)
    }

    /// A new name for a part of a declaration.
    pub fn part_of(&mut self, n: Name) -> String {
        let stem = format!("{}.part", self.get(n));
        let numbered = (1_usize..).map(|i| format!("{stem}_{i}"));
        for name in numbered {
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
        stem
    }

    /// Whether a local variable hides a constant that is written `name`.
    pub fn is_shadowed<'l>(name: &str, mut locals: impl Iterator<Item = &'l String>) -> bool {
        let root = name.split('.').next().unwrap_or(name);
        locals.any(|l| l == root)
    }

    /// Whether `name` would be read as another constant inside a declaration called `within`: as `A.name` within `A.b`.
    pub fn is_hidden(&self, name: &str, within: &str) -> bool {
        let dots = within.match_indices('.').map(|(i, _)| i);
        dots.chain([within.len()])
            .map(|end| format!("{}.{name}", &within[..end]))
            .any(|longer| self.taken.contains(&longer))
    }

    /// A spelling near `wanted` that is no root of a constant and not in `scope`.
    pub fn local(&self, wanted: &str, in_scope: impl Fn(&str) -> bool) -> String {
        let plain = wanted.starts_with(starts_identifier)
            && wanted.chars().all(continues_identifier)
            && !KEYWORDS.contains(&wanted)
            && wanted != "_";
        let mut name = if plain { wanted } else { "x" }.to_owned();
        if self.roots.contains(&name) {
            name.push('_');
        }
        let stem = name.clone();
        let mut i = 0;
        while self.roots.contains(&name) || in_scope(&name) {
            i += 1;
            name = format!("{stem}_{i}");
        }
        name
    }
}
