//! What an axiom's name alone does not say: that the three axioms have Lean's statements, and that the types in these
//! statements are Lean's.

use crate::ffi::{self, Obj};
use crate::replay::Replay;

const IMPLICIT: u8 = 1;
const DEFAULT: u8 = 0;

fn name(dotted: &str) -> Obj {
    dotted.split('.').fold(Obj::small(0), |prefix, part| {
        ffi::name_str(prefix, ffi::string(part))
    })
}

fn var(i: usize) -> Obj {
    ffi::bvar(Obj::small(i))
}

fn prop() -> Obj {
    ffi::sort(ffi::level_zero(Obj::small(0)))
}

fn sort_u() -> Obj {
    ffi::sort(level_u())
}

fn level_u() -> Obj {
    ffi::level_param(name("u"))
}

fn constant(n: &str, levels: &[Obj]) -> Obj {
    ffi::constant(name(n), ffi::list(levels))
}

fn apps(f: Obj, args: &[Obj]) -> Obj {
    args.iter().fold(f, |f, a| ffi::app(f, *a))
}

fn pi(n: &str, ty: Obj, body: Obj, info: u8) -> Obj {
    ffi::pi(name(n), ty, body, info)
}

/// `∀ {a b : Prop}, Iff a b → Eq a b`
fn propext() -> Obj {
    let one = ffi::level_succ(ffi::level_zero(Obj::small(0)));
    let eq = apps(constant("Eq", &[one]), &[prop(), var(2), var(1)]);
    let iff = apps(constant("Iff", &[]), &[var(1), var(0)]);
    pi(
        "a",
        prop(),
        pi("b", prop(), pi("h", iff, eq, DEFAULT), IMPLICIT),
        IMPLICIT,
    )
}

/// `∀ {α : Sort u} {r : α → α → Prop} {a b : α}, r a b → Eq (Quot.mk r a) (Quot.mk r b)`
fn quot_sound() -> Obj {
    let u = level_u();
    let relation = pi("a", var(0), pi("b", var(1), prop(), DEFAULT), DEFAULT);
    let class = |i| apps(constant("Quot.mk", &[u]), &[var(4), var(3), var(i)]);
    let quot = apps(constant("Quot", &[u]), &[var(4), var(3)]);
    let eq = apps(constant("Eq", &[u]), &[quot, class(2), class(1)]);
    let related = apps(var(2), &[var(1), var(0)]);
    let rest = pi("h", related, eq, DEFAULT);
    let rest = pi("a", var(1), pi("b", var(2), rest, IMPLICIT), IMPLICIT);
    pi("α", sort_u(), pi("r", relation, rest, IMPLICIT), IMPLICIT)
}

/// `∀ {α : Sort u}, Nonempty α → α`
fn choice() -> Obj {
    let nonempty = apps(constant("Nonempty", &[level_u()]), &[var(0)]);
    pi("α", sort_u(), pi("h", nonempty, var(1), DEFAULT), IMPLICIT)
}

/// `∀ {a b : Prop}, (a → b) → (b → a) → Iff a b`
fn iff_intro() -> Obj {
    let mp = pi("h", var(1), var(1), DEFAULT);
    let mpr = pi("h", var(1), var(3), DEFAULT);
    let iff = apps(constant("Iff", &[]), &[var(3), var(2)]);
    let rest = pi("mp", mp, pi("mpr", mpr, iff, DEFAULT), DEFAULT);
    pi("a", prop(), pi("b", prop(), rest, IMPLICIT), IMPLICIT)
}

/// `∀ {α : Sort u}, α → Nonempty α`
fn nonempty_intro() -> Obj {
    let nonempty = apps(constant("Nonempty", &[level_u()]), &[var(1)]);
    pi(
        "α",
        sort_u(),
        pi("val", var(0), nonempty, DEFAULT),
        IMPLICIT,
    )
}

/// Whether the axioms of a replay are among the three, say what Lean's say, and speak of Lean's types.
///
/// # Errors
/// The first axiom, or type in an axiom's statement, that is not Lean's.
pub fn check(replay: &Replay) -> Result<(), String> {
    for (axiom, ty) in &replay.summary.axioms {
        let (expected, speaks_of) = match axiom.as_str() {
            "propext" => (propext(), Some(("Iff", iff_intro()))),
            "Quot.sound" => (quot_sound(), None),
            "Classical.choice" => (choice(), Some(("Nonempty", nonempty_intro()))),
            _ => return Err(format!("axiom {axiom} is not one of the three")),
        };
        if !ffi::expr_eqv(*ty, expected) {
            return Err(format!("axiom {axiom} does not say what Lean's says"));
        }
        let Some((of, intro)) = speaks_of else {
            continue;
        };
        match replay.constructors(name(of)).as_deref() {
            Some([only]) if ffi::expr_eqv(*only, intro) => {}
            _ => {
                return Err(format!(
                    "axiom {axiom} speaks of an {of} that is not Lean's"
                ));
            }
        }
    }
    Ok(())
}
