//! Goals: hypotheses, one or several of a type on a line, then `⊢` and what is to be shown.

use super::shown_name;
use crate::meta::{Elab, FVarId, MVarId};

impl<'b> Elab<'b> {
    /// A goal as text: `case` line if it has a name, `x y : T` and `h : p` lines, `⊢ goal`.
    pub fn pp_goal(&mut self, m: MVarId) -> String {
        self.with_goal(m, |el| {
            let mut lines = Vec::new();
            let name = el.mvar_decl(m).user_name;
            if !name.is_anon() {
                lines.push(format!("case {}", shown_name(el.st, name)));
            }
            let ids: Vec<FVarId> = el.lctx.iter().filter(|i| !el.local(*i).aux).collect();
            let mut group: Option<(Vec<String>, logic::Expr, String)> = None;
            for id in ids {
                let local = el.local(id);
                let name = shown_name(el.st, local.user_name);
                let ty = el.instantiate_mvars(local.ty);
                if let Some(value) = local.value {
                    lines.extend(group.take().map(line));
                    let (t, v) = (el.pp(ty), el.pp(value));
                    lines.push(format!("{name} : {t} := {v}"));
                    continue;
                }
                let is_proof = el.is_prop(ty);
                match &mut group {
                    Some((names, t, _)) if *t == ty && !is_proof => names.push(name),
                    _ => {
                        lines.extend(group.take().map(line));
                        let text = el.pp(ty);
                        group = Some((vec![name], ty, text));
                    }
                }
            }
            lines.extend(group.take().map(line));
            let ty = el.mvar_type(m);
            let target = el.pp(ty);
            lines.push(format!("⊢ {target}"));
            lines.join("\n")
        })
    }
}

fn line((names, _, ty): (Vec<String>, logic::Expr, String)) -> String {
    format!("{} : {ty}", names.join(" "))
}
