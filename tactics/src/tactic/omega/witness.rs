//! Existential hypotheses: where nothing else helps, their witnesses get names and what is known of them is read.

use std::collections::VecDeque;

use logic::{BinderInfo, Expr, Node};

use super::reify::Reader;
use crate::meta::{Elab, FVarId};

/// How many hypotheses are opened.
const MAX_OPENED: usize = 32;

/// A hypothesis `∃ x, p x` with names for the witness and what is known of it.
struct Opened {
    /// `Exists.elim`, up to the statement to prove.
    elim: Expr,
    /// The proof of the existential statement.
    proof: Expr,
    witness: FVarId,
    known: FVarId,
}

/// The hypotheses that were opened, outermost first.
pub(super) struct Witnesses(Vec<Opened>);

impl Witnesses {
    /// Opens the existential hypotheses of the context; `None` if that says nothing new to `omega`.
    pub fn open(el: &mut Elab<'_>) -> Option<Witnesses> {
        let locals: Vec<FVarId> = el.lctx.iter().collect();
        let mut todo = VecDeque::new();
        for id in locals {
            let decl = el.local(id);
            if !decl.aux && el.is_prop(decl.ty) {
                todo.push_back((el.mk_fvar(id), decl.ty));
            }
        }
        let mut opened = Vec::new();
        let mut useful = false;
        while let Some((h, ty)) = todo.pop_front()
            && opened.len() < MAX_OPENED
        {
            let ty = el.instantiate_mvars(ty);
            let ty = el.whnf_reducible(ty);
            let (f, args) = el.st.unfold_app(ty);
            let Node::Const(name, levels) = el.st.node(f) else {
                continue;
            };
            match (el.st.name_to_string(name).as_str(), &args[..]) {
                ("And", [p, q]) => {
                    for (side, part) in [("And.left", *p), ("And.right", *q)] {
                        let side = el.st.apps(el.st.const0(side), &[*p, *q, h]);
                        todo.push_back((side, part));
                    }
                }
                ("Exists", [ty, p]) => {
                    let x = match el.st.node(*p) {
                        Node::Lam(x, ..) => x,
                        _ => el.name("x✝"),
                    };
                    let witness = el.new_local(x, *ty, None, BinderInfo::Default);
                    let says = el.beta(*p, &[el.mk_fvar(witness)]);
                    let k = match el.st.node(h) {
                        Node::FVar(id) => el.local(FVarId(id)).user_name,
                        _ => el.name("h✝"),
                    };
                    let known = el.new_local(k, says, None, BinderInfo::Default);
                    el.lctx.push(witness);
                    el.lctx.push(known);
                    let elim = el.st.constant(el.name("Exists.elim"), levels);
                    opened.push(Opened {
                        elim: el.st.apps(elim, &[*ty, *p]),
                        proof: h,
                        witness,
                        known,
                    });
                    useful |= Reader::new(el).prop(says).understood();
                    todo.push_back((el.mk_fvar(known), says));
                }
                _ => {}
            }
        }
        useful.then_some(Witnesses(opened))
    }

    /// The hypotheses that were opened, as terms.
    pub fn hypotheses(&self) -> Vec<Expr> {
        self.0.iter().map(|o| o.proof).collect()
    }

    /// A proof of the target without the names.
    pub fn close(self, el: &mut Elab<'_>, target: Expr, proof: Expr) -> Expr {
        self.0.into_iter().rev().fold(proof, |proof, o| {
            if !el.occurs_fvar(proof, &[o.witness, o.known]) {
                return proof;
            }
            let (x, h) = (el.mk_fvar(o.witness), el.mk_fvar(o.known));
            let f = el.mk_lambda(&[x, h], proof);
            el.st.apps(o.elim, &[target, o.proof, f])
        })
    }
}
