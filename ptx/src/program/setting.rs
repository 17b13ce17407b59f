//! What a file says around its instructions: the machine that they are for, what the compiler is told, who else may define a name.
//! None of it is in a kernel's term, so whatever could change a meaning is refused.

use super::error::Reason;
use super::translate::{Res, refuse};
use crate::module::Resolved;
use crate::text::ast::{self, Item, Word};

/// The first version of PTX with the memory model that the meanings are of (ISA §8).
const FIRST_VERSION: u64 = 6;

/// The first machine with that memory model, `sm_70`; older ones also flush subnormal numbers or round otherwise.
const FIRST_MACHINE: u64 = 70;

/// `.version`, `.target` and the pragmas of the file (ISA §11.1).
pub(super) fn check(m: &Resolved<'_>) -> Res<()> {
    for item in &m.text.items {
        match item {
            Item::Version(v) => {
                let major = v.text.split('.').next().and_then(|n| n.parse().ok());
                if major.is_none_or(|n: u64| n < FIRST_VERSION) {
                    return refuse(Reason::Setting(format!(".version {}", v.text)), v.span);
                }
            }
            Item::Target(words) => words.iter().try_for_each(target)?,
            Item::Pragma(words) => pragma(words)?,
            _ => {}
        }
    }
    Ok(())
}

/// A machine, or something that changes no meaning. (`map_f64_to_f32` does.)
fn target(w: &Word) -> Res<()> {
    let known = ["debug", "texmode_unified", "texmode_independent"];
    let machine = w
        .text
        .strip_prefix("sm_")
        .map(|n| n.trim_end_matches(['a', 'f']));
    match machine.and_then(|n| n.parse::<u64>().ok()) {
        Some(n) if n >= FIRST_MACHINE => Ok(()),
        None if known.contains(&w.text.as_str()) => Ok(()),
        _ => refuse(Reason::Setting(format!(".target {}", w.text)), w.span),
    }
}

/// Advice on unrolling. (`used_bytes_mask` says that bytes of a load have no value.)
pub(super) fn pragma(words: &[Word]) -> Res<()> {
    match words.iter().find(|w| w.text != "\"nounroll\"") {
        Some(w) => refuse(Reason::Setting(format!(".pragma {}", w.text)), w.span),
        None => Ok(()),
    }
}

/// A function that is called has the body that is read here: it is not `.weak`, and has no other name.
pub(super) fn called(m: &Resolved<'_>, f: &ast::Function) -> Res<()> {
    if let Some(a) = f.attrs.iter().find(|a| a.word.text == ".weak") {
        return refuse(Reason::Setting(".weak".to_owned()), a.word.span);
    }
    let alias = m.text.items.iter().find_map(|item| match item {
        Item::Alias(words) => words.iter().find(|w| w.text == f.name.text),
        _ => None,
    });
    match alias {
        Some(w) => refuse(Reason::Setting(".alias".to_owned()), w.span),
        None => Ok(()),
    }
}
