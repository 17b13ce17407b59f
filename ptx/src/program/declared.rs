//! The data of declarations.

use super::data::*;
use super::error::Reason;
use super::translate::{Res, refuse};
use crate::text::ast::{Attr, Decl, Declarator, Param as TextParam};

fn plain(a: &Attr) -> bool {
    a.numbers.is_empty() && a.arguments.is_none()
}

/// A parameter of an entry: a plain value.
pub(super) fn param(p: &TextParam) -> Res<Param> {
    if let [space, ty] = &p.attrs[..]
        && space.word.text == ".param"
        && plain(space)
        && plain(ty)
        && let Some(ty) = ty.word.text.strip_prefix('.').and_then(MemTy::from_name)
        && p.var.range.is_none()
        && p.var.dims.is_empty()
        && p.var.init.is_none()
    {
        return Ok(Param {
            name: p.var.name.text.clone(),
            ty,
        });
    }
    refuse(Reason::Parameter(p.var.name.text.clone()), p.var.name.span)
}

/// A parameter or result of a function.
pub(super) fn formal(p: &TextParam) -> Res<Slot> {
    slot_of(&p.attrs, &p.var)
}

/// A variable of a call.
pub(super) fn slot(d: &Decl, v: &Declarator) -> Res<Slot> {
    slot_of(&d.attrs, v)
}

fn slot_of(attrs: &[Attr], v: &Declarator) -> Res<Slot> {
    let other = || refuse(Reason::Parameter(v.name.text.clone()), v.name.span);
    let Some(words) = Words::new(attrs) else {
        return other();
    };
    let count = match &v.dims[..] {
        [] => None,
        [Some(n)] if n.value > 0 => Some(n.value),
        _ => return other(),
    };
    match words {
        Words {
            space: Some("param"),
            external: false,
            align,
            ty: Some(ty),
        } if v.range.is_none() && v.init.is_none() => Ok(Slot {
            align,
            ty,
            name: v.name.text.clone(),
            count,
            num: 0,
        }),
        _ => other(),
    }
}

/// The type of each register declaration: `.reg` with a type and nothing else.
pub(super) fn register_types(d: &Decl) -> Res<Vec<RegTy>> {
    let [space, ty] = &d.attrs[..] else {
        return refuse(Reason::Declaration(words_of(d)), d.span);
    };
    if space.word.text != ".reg" || !plain(space) || !plain(ty) {
        return refuse(Reason::Declaration(words_of(d)), d.span);
    }
    match RegTy::from_name(ty.word.text.trim_start_matches('.')) {
        Some(reg_ty) => Ok(vec![reg_ty; d.vars.len()]),
        None => refuse(Reason::RegisterType(ty.word.text.clone()), ty.word.span),
    }
}

pub(super) fn words_of(d: &Decl) -> String {
    let words: Vec<&str> = d.attrs.iter().map(|a| a.word.text.as_str()).collect();
    words.join(" ")
}

/// The words of a declaration that the logic knows.
struct Words<'t> {
    space: Option<&'t str>,
    external: bool,
    align: Option<u64>,
    ty: Option<MemTy>,
}

impl<'t> Words<'t> {
    /// `None` if there are others.
    fn new(attrs: &'t [Attr]) -> Option<Self> {
        let (mut space, mut ty, mut align, mut external) = (None, None, None, false);
        for a in attrs {
            let word = a.word.text.trim_start_matches('.');
            match (word, &a.numbers[..], &a.arguments) {
                ("visible", [], None) => {}
                ("extern", [], None) => external = true,
                ("align", [n], None) if align.is_none() => align = Some(n.value),
                ("shared" | "local" | "global" | "param", [], None) => space = Some(word),
                (word, [], None) => ty = Some(MemTy::from_name(word)?),
                _ => return None,
            }
        }
        Some(Words {
            space,
            external,
            align,
            ty,
        })
    }
}

/// A variable as `.shared .align 4 .b8 name[16]` declares it: without an initial value, with at most one dimension.
pub(super) fn variable(d: &Decl, v: &Declarator) -> Res<Var> {
    let other = || refuse(Reason::Declaration(words_of(d)), v.name.span);
    let Some(Words {
        space,
        external,
        align,
        ty: Some(ty),
    }) = Words::new(&d.attrs)
    else {
        return other();
    };
    let count = match &v.dims[..] {
        [] => None,
        [None] => Some(0),
        [Some(n)] if n.value > 0 => Some(n.value),
        _ => return other(),
    };
    let Some(space) = space.and_then(StateSpace::from_name) else {
        return other();
    };
    // What another module has is not known here; shared memory with the size of the launch is meant.
    let dynamic = external && space == StateSpace::Shared && count == Some(0);
    if v.range.is_some() || v.init.is_some() || (external || count == Some(0)) && !dynamic {
        return other();
    }
    Ok(Var {
        space,
        external,
        align,
        ty,
        name: v.name.text.clone(),
        count,
    })
}
