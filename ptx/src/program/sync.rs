//! What the logic calls the instructions by which threads wait for each other or exchange words (`Ptx.SyncKind`).

use logic::{Expr, Store};

use super::data::SCOPES;
use crate::isa::Form;

/// Whether the logic has a kind for a form.
pub(super) fn is_sync(form: &Form) -> bool {
    match form.shape() {
        "bar" | "warpBar" | "shfl" | "vote" | "match" | "elect" | "activemask" => true,
        "redux" => form.word("type") != "f32",
        "fence" => {
            matches!(form.opcode.split('.').next(), Some("membar"))
                || SCOPES.contains(&form.word("scope"))
        }
        _ => false,
    }
}

/// The kind of a form, as a term; `None` if it is none of those that the logic knows.
pub fn sync_kind(store: &Store<'_>, form: &Form) -> Option<Expr> {
    if !is_sync(form) {
        return None;
    }
    let constant = |name: String| store.const0(&format!("Ptx.{name}"));
    let kind = |name: &str, args: &[Expr]| store.apps(constant(format!("SyncKind.{name}")), args);
    let words: Vec<&str> = form.opcode.split('.').collect();
    let has = |w: &str| words.contains(&w);
    let aligned = constant_bool(store, words.first() == Some(&"bar") || has("aligned"));
    Some(match form.shape() {
        "bar" if has("sync") => kind("barSync", &[aligned]),
        "bar" if has("arrive") => kind("barArrive", &[aligned]),
        "bar" => {
            let op = if has("popc") { "popc" } else { form.word("op") };
            kind("barRed", &[constant(format!("BarRed.{op}")), aligned])
        }
        "warpBar" => kind("warpSync", &[]),
        "shfl" => kind(
            "shfl",
            &[constant(format!("ShflMode.{}", form.word("mode")))],
        ),
        "vote" => {
            let mode = if has("ballot") {
                "ballot"
            } else {
                form.word("mode")
            };
            kind("vote", &[constant(format!("VoteMode.{mode}"))])
        }
        "match" => kind("matching", &[constant_bool(store, has("all"))]),
        "redux" => {
            let op = constant(format!("ReduxOp.{}", form.word("op")));
            kind("redux", &[op, constant_bool(store, form.signed())])
        }
        "elect" => kind("elect", &[]),
        "activemask" => kind("activemask", &[]),
        "fence" => {
            let (sem, scope) = match (words[0], form.word("level")) {
                // ISA §9.7.15.4: `membar` is `fence.sc`.
                ("membar", "gl") => ("sc", "gpu"),
                ("membar", level) => ("sc", level),
                _ => (
                    match form.word("sem") {
                        "" | "acq_rel" => "acqRel",
                        sem => sem,
                    },
                    form.word("scope"),
                ),
            };
            let sem = constant(format!("FenceSem.{sem}"));
            kind("fence", &[sem, constant(format!("Scope.{scope}"))])
        }
        _ => return None,
    })
}

fn constant_bool(store: &Store<'_>, b: bool) -> Expr {
    store.const0(if b { "Bool.true" } else { "Bool.false" })
}
