//! Attributes.

use logic::{ConstantInfo, Name, Node};
use num_traits::ToPrimitive;

use crate::meta::ext::SimpEntry;
use crate::meta::{Elab, ElabError, Result};
use crate::syntax::ast::{Attr, AttrArg, Modifiers};

/// Attributes that mean something to the elaborator or a tactic.
pub const KNOWN: &[&str] = &[
    "simp",
    "instance",
    "decidable",
    "reducible",
    "irreducible",
    "ext",
    "coe",
    "coe_sort",
    "class",
    "elab_as_elim",
    "trans",
    "symm",
    "refl",
    "congr",
    "inline",
    "inherit_doc",
    "protected",
    "match_pattern",
    "bits",
    "index",
    "symexec",
    "omega",
    "ordered",
    "ring",
];

impl<'b> Elab<'b> {
    /// Applies the attributes and the doc comment of a declaration.
    pub(crate) fn apply_attrs(&mut self, n: Name, m: &Modifiers) -> Result<()> {
        if let Some(d) = &m.doc {
            self.ext.docs.insert(n, d.text.clone());
        }
        for a in &m.attrs {
            self.apply_attr(n, a)?;
        }
        Ok(())
    }

    /// Sets or removes one attribute.
    pub fn apply_attr(&mut self, n: Name, a: &Attr) -> Result<()> {
        let word = a.name.name.to_string();
        if !KNOWN.contains(&word.as_str()) {
            let mut e = ElabError::new(a.span, format!("unknown attribute `{word}`"))
                .code("decl.attribute");
            if let Some(h) = crate::syntax::near::near(&word, KNOWN.iter().copied()).first() {
                e = e.help(format!("did you mean `{h}`?"));
            }
            return Err(e);
        }
        if !a.remove {
            self.attr_fits(n, &word).map_err(|e| e.at(a.span))?;
        }
        match word.as_str() {
            "simp" => {
                self.ext.simp.retain(|s| s.name != n);
                if !a.remove {
                    let rev = a.args.iter().any(|x| matches!(x, AttrArg::Rev(_)));
                    let prio = a
                        .args
                        .iter()
                        .find_map(|x| match x {
                            AttrArg::Num(k) => k.value.to_u32(),
                            _ => None,
                        })
                        .unwrap_or(1000);
                    self.ext.simp.push(SimpEntry { name: n, rev, prio });
                }
            }
            "instance" | "decidable" => {
                self.ext.instances.retain(|x| *x != n);
                if !a.remove {
                    self.ext.instances.push(n);
                }
                self.cache.instances.clear();
            }
            "reducible" => {
                self.forget_reductions();
                if a.remove {
                    self.ext.reducible.remove(&n);
                } else {
                    self.ext.reducible.insert(n);
                    self.ext.irreducible.remove(&n);
                }
            }
            "irreducible" => {
                self.forget_reductions();
                if a.remove {
                    self.ext.irreducible.remove(&n);
                } else {
                    self.ext.irreducible.insert(n);
                }
            }
            "class" => {
                self.ext.classes.insert(n);
            }
            "ext" => {
                self.ext.ext.retain(|x| *x != n);
                if !a.remove {
                    self.ext.ext.push(n);
                }
            }
            w => {
                let v = self.ext.other.entry(w.to_owned()).or_default();
                v.retain(|x| *x != n);
                if !a.remove {
                    v.push(n);
                }
            }
        }
        Ok(())
    }

    /// Refuses `simp`, `ext` and `index` on what they would do nothing with.
    fn attr_fits(&mut self, n: Name, word: &str) -> Result<()> {
        let st = self.st;
        let Some(info) = self.env.get(n) else {
            return Ok(());
        };
        let (ty, definition) = (info.ty(), matches!(info, ConstantInfo::Definition { .. }));
        let fact = self.is_prop(ty);
        let name = st.name_to_string(n);
        let refuse = |what: &str, help: &str| {
            Err(
                ElabError::msg(format!("`@[{word}]` does nothing on `{name}`: {what}"))
                    .code("decl.attribute")
                    .help(help),
            )
        };
        match word {
            "simp" if !fact && !definition => refuse(
                "it is neither a theorem nor a definition",
                "it can be put on a theorem `a = b`, `p ↔ q`, `¬p` or `p`, and on a definition to unfold",
            ),
            "ext" => {
                let mut end = ty;
                let mut arguments = 0;
                while let Node::Pi(_, _, b, _) = st.node(end) {
                    end = b;
                    arguments += 1;
                }
                if fact && arguments > 0 && self.match_eq(end).is_some() {
                    return Ok(());
                }
                refuse(
                    "it is no theorem that concludes an equation from others",
                    "it can be put on a theorem such as `theorem S.ext {a b : S} (h : a.x = b.x) (g : a.y = b.y) : a = b`",
                )
            }
            "index" => match crate::tactic::index::unusable(self, n) {
                Some(why) => refuse(
                    &why,
                    "it can be put on a theorem such as `theorem small (x k : Nat) (h : x < k) : x % k = x`",
                ),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Reductions depend on what may be unfolded.
    fn forget_reductions(&mut self) {
        self.cache.whnf.clear();
        self.cache.whnf_core.clear();
        self.cache.defeq.clear();
    }
}
