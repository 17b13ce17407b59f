//! Terms and levels as text, for error messages: complete for small terms, cut with `…` for large ones.

use crate::expr::{Expr, Node};
use crate::level::{Level, LevelNode};
use crate::name::Name;
use crate::store::Store;

/// Nesting beyond which a term is cut.
const MAX_DEPTH: u32 = 24;
/// Length beyond which a term is cut.
const MAX_LEN: usize = 4000;

impl<'b> Store<'b> {
    /// A term as text. Free variables print as `x!id`, the checker's own as `x✝k` (binder number `k` from outside),
    /// metavariables as `?id`.
    pub fn show(&self, e: Expr) -> String {
        let mut out = String::new();
        self.show_go(e, &mut Vec::new(), 0, false, &mut out);
        out
    }

    /// A level as text.
    pub fn show_level(&self, l: Level) -> String {
        let mut out = String::new();
        self.level_go(l, 0, &mut out);
        out
    }

    fn level_go(&self, l: Level, depth: u32, out: &mut String) {
        if depth > MAX_DEPTH || out.len() > MAX_LEN {
            return out.push('…');
        }
        let (mut base, mut offset) = (l, 0u64);
        while let LevelNode::Succ(a) = self.level_node(base) {
            base = a;
            offset += 1;
        }
        match self.level_node(base) {
            LevelNode::Zero => return out.push_str(&offset.to_string()),
            LevelNode::Param(n) => out.push_str(&self.name_to_string(n)),
            LevelNode::MVar(i) => out.push_str(&format!("?u{i}")),
            LevelNode::Max(a, b) => self.level_pair("max", a, b, depth, out),
            LevelNode::IMax(a, b) => self.level_pair("imax", a, b, depth, out),
            LevelNode::Succ(_) => {}
        }
        if offset > 0 {
            out.push_str(&format!("+{offset}"));
        }
    }

    fn level_pair(&self, op: &str, a: Level, b: Level, depth: u32, out: &mut String) {
        out.push('(');
        out.push_str(op);
        for x in [a, b] {
            out.push(' ');
            self.level_go(x, depth + 1, out);
        }
        out.push(')');
    }

    fn binder_name(&self, n: Name, names: &[String]) -> String {
        let base = match n.is_anon() {
            true => format!("x{}", names.len()),
            false => self.name_to_string(n),
        };
        match names.contains(&base) {
            true => format!("{base}_{}", names.len()),
            false => base,
        }
    }

    fn show_go(&self, e: Expr, names: &mut Vec<String>, depth: u32, atom: bool, out: &mut String) {
        if depth > MAX_DEPTH || out.len() > MAX_LEN {
            return out.push('…');
        }
        let node = self.node(e);
        let compound = match node {
            Node::App(..) | Node::Lam(..) | Node::Pi(..) | Node::Let(..) => true,
            Node::Sort(l) => !matches!(self.level_node(l), LevelNode::Zero),
            _ => false,
        };
        let paren = atom && compound;
        if paren {
            out.push('(');
        }
        match node {
            Node::BVar(i) => match names.len().checked_sub(1 + i as usize) {
                Some(k) => out.push_str(&names[k]),
                None => out.push_str(&format!("#{}", i as usize - names.len())),
            },
            Node::FVar(i) => match self.scoped_depth(i) {
                Some(depth) => out.push_str(&format!("x✝{depth}")),
                None => out.push_str(&format!("x!{i}")),
            },
            Node::MVar(i) => out.push_str(&format!("?{i}")),
            Node::Sort(l) => match self.level_node(l) {
                LevelNode::Zero => out.push_str("Prop"),
                _ => {
                    out.push_str("Sort ");
                    out.push_str(&self.show_level(l));
                }
            },
            Node::Const(n, ls) => {
                out.push_str(&self.name_to_string(n));
                if !ls.is_empty() {
                    let ls: Vec<String> = ls.iter().map(|l| self.show_level(*l)).collect();
                    out.push_str(&format!(".{{{}}}", ls.join(", ")));
                }
            }
            Node::App(..) => {
                let (f, args) = self.unfold_app(e);
                self.show_go(f, names, depth + 1, true, out);
                for a in args {
                    out.push(' ');
                    self.show_go(a, names, depth + 1, true, out);
                    if out.len() > MAX_LEN {
                        break;
                    }
                }
            }
            Node::Lam(n, t, b, _) | Node::Pi(n, t, b, _) => {
                let lam = matches!(node, Node::Lam(..));
                let arrow = !lam && !self.has_loose_bvar(b, 0);
                let x = self.binder_name(n, names);
                if arrow {
                    let atom = !matches!(self.node(t), Node::App(..) | Node::Sort(_));
                    self.show_go(t, names, depth + 1, atom, out);
                    out.push_str(" → ");
                } else {
                    out.push_str(if lam { "fun (" } else { "(" });
                    out.push_str(&x);
                    out.push_str(" : ");
                    self.show_go(t, names, depth + 1, false, out);
                    out.push_str(if lam { ") => " } else { ") → " });
                }
                names.push(x);
                self.show_go(b, names, depth + 1, false, out);
                names.pop();
            }
            Node::Let(n, t, v, b) => {
                let x = self.binder_name(n, names);
                out.push_str(&format!("let {x} : "));
                self.show_go(t, names, depth + 1, false, out);
                out.push_str(" := ");
                self.show_go(v, names, depth + 1, false, out);
                out.push_str("; ");
                names.push(x);
                self.show_go(b, names, depth + 1, false, out);
                names.pop();
            }
            Node::Proj(_, i, x) => {
                self.show_go(x, names, depth + 1, true, out);
                out.push_str(&format!(".{}", u64::from(i) + 1));
            }
            Node::Nat(n) if n.bits() > 256 => {
                out.push_str(&format!("<number of {} bits>", n.bits()))
            }
            Node::Nat(n) => out.push_str(&n.to_string()),
            Node::Str(s) => out.push_str(&format!("{s:?}")),
        }
        if paren {
            out.push(')');
        }
    }
}
