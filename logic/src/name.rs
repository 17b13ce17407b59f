//! Hierarchical names: `Nat.add`, `foo._3`.

use crate::store::Store;

/// An interned hierarchical name. `Name::ANON` is the empty name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(pub(crate) u32);

impl Name {
    /// The anonymous (empty) name.
    pub const ANON: Name = Name(0);

    /// The dense index of this name in its store.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is the anonymous name.
    pub fn is_anon(self) -> bool {
        self == Name::ANON
    }
}

/// One component of a name, on top of its prefix.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameNode<'b> {
    /// The root.
    Anon,
    /// `prefix.text`.
    Str(Name, &'b str),
    /// `prefix.number` (generated names).
    Num(Name, u64),
}

impl<'b> Store<'b> {
    /// The node behind a name.
    pub fn name_node(&self, n: Name) -> NameNode<'b> {
        self.names.borrow().node(n.index())
    }

    /// `prefix.text`, one component (`text` is not split at dots).
    pub fn name_str(&self, prefix: Name, text: &str) -> Name {
        let text = self.intern_str(text);
        Name(self.names.borrow_mut().intern(NameNode::Str(prefix, text)))
    }

    /// `prefix.number`.
    pub fn name_num(&self, prefix: Name, number: u64) -> Name {
        Name(
            self.names
                .borrow_mut()
                .intern(NameNode::Num(prefix, number)),
        )
    }

    /// A name from its dotted spelling: `"Nat.add"` has two components. The empty string is the anonymous name.
    pub fn name(&self, dotted: &str) -> Name {
        if dotted.is_empty() {
            return Name::ANON;
        }
        dotted
            .split('.')
            .fold(Name::ANON, |p, s| self.name_str(p, s))
    }

    /// `prefix ++ suffix`, component by component.
    pub fn name_append(&self, prefix: Name, suffix: Name) -> Name {
        let mut parts = Vec::new();
        let mut cur = suffix;
        loop {
            match self.name_node(cur) {
                NameNode::Anon => break,
                node @ (NameNode::Str(p, _) | NameNode::Num(p, _)) => {
                    parts.push(node);
                    cur = p;
                }
            }
        }
        parts
            .into_iter()
            .rev()
            .fold(prefix, |acc, node| match node {
                NameNode::Str(_, s) => self.name_str(acc, s),
                NameNode::Num(_, i) => self.name_num(acc, i),
                NameNode::Anon => acc,
            })
    }

    /// The prefix of a name (`Nat` for `Nat.add`); the anonymous name is its own prefix.
    pub fn name_prefix(&self, n: Name) -> Name {
        match self.name_node(n) {
            NameNode::Anon => Name::ANON,
            NameNode::Str(p, _) | NameNode::Num(p, _) => p,
        }
    }

    /// The last component as text, if it is text (`add` for `Nat.add`).
    pub fn name_last(&self, n: Name) -> Option<&'b str> {
        match self.name_node(n) {
            NameNode::Str(_, s) => Some(s),
            _ => None,
        }
    }

    /// The dotted spelling of a name.
    pub fn name_to_string(&self, n: Name) -> String {
        let mut parts = Vec::new();
        let mut cur = n;
        loop {
            match self.name_node(cur) {
                NameNode::Anon => break,
                NameNode::Str(p, s) => {
                    parts.push(s.to_owned());
                    cur = p;
                }
                NameNode::Num(p, i) => {
                    parts.push(i.to_string());
                    cur = p;
                }
            }
        }
        parts.reverse();
        parts.join(".")
    }
}
