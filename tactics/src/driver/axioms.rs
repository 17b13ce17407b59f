//! The three axioms that may be declared, with Lean's own statements.
//!
//! `propext`, `Quot.sound` and `Classical.choice` mention `Iff`, `Eq`, `Nonempty` and `Quot`; an axiom is let through only
//! if those are Lean's too, for otherwise the same words could say something false.

use logic::{BinderInfo, ConstantInfo, Environment, Expr, Level, Name, Node, QuotKind, Store};

/// The axioms that may be declared.
pub const ALLOWED: [&str; 3] = ["Classical.choice", "Quot.sound", "propext"];

/// Whether an axiom that was declared is one of the three, statement and all. The error says what is wrong.
pub fn check(env: &Environment<'_>, name: Name) -> Result<(), String> {
    let st = env.store();
    let text = st.name_to_string(name);
    let Some(info) = env.get(name) else {
        return Ok(());
    };
    let expected = match text.as_str() {
        "propext" => propext(st),
        "Quot.sound" => quot_sound(st, info),
        "Classical.choice" => choice(st, info),
        _ => {
            return Err(format!(
                "`{text}` is an axiom, and no axioms are allowed but propext, Quot.sound and Classical.choice"
            ));
        }
    };
    if !alike(st, info.ty(), expected) {
        return Err(format!(
            "the axiom `{text}` does not state what Lean's states"
        ));
    }
    match text.as_str() {
        "propext" | "Quot.sound" if !env.eq_is_leans() => {
            Err(format!("`{text}` needs `Eq` to be Lean's inductive type"))
        }
        "propext" if !iff_is_leans(env) => {
            Err("`propext` needs `Iff` to be Lean's structure".to_owned())
        }
        "Quot.sound" if !quot_is_the_kernels(env) => {
            Err("`Quot.sound` needs `Quot` to be the kernel's quotients (`init_quot`)".to_owned())
        }
        "Classical.choice" if !nonempty_is_leans(env) => {
            Err("`Classical.choice` needs `Nonempty` to be Lean's inductive type".to_owned())
        }
        _ => Ok(()),
    }
}

fn pi(st: &Store<'_>, a: Expr, b: Expr) -> Expr {
    st.pi(Name::ANON, a, b, BinderInfo::Default)
}

/// Equal but for the names and the kinds of binders.
fn alike(st: &Store<'_>, a: Expr, b: Expr) -> bool {
    match (st.node(a), st.node(b)) {
        (Node::Pi(_, s, x, _), Node::Pi(_, t, y, _)) => alike(st, s, t) && alike(st, x, y),
        (Node::Lam(_, s, x, _), Node::Lam(_, t, y, _)) => alike(st, s, t) && alike(st, x, y),
        (Node::App(f, x), Node::App(g, y)) => alike(st, f, g) && alike(st, x, y),
        _ => a == b,
    }
}

/// `∀ {a b : Prop}, (a ↔ b) → a = b`
fn propext(st: &Store<'_>) -> Expr {
    let one = st.level_succ(Level::ZERO);
    let eq = st.constant(st.name("Eq"), &[one]);
    let iff = st.apps(st.const0("Iff"), &[st.bvar(1), st.bvar(0)]);
    let conclusion = st.apps(eq, &[st.prop(), st.bvar(2), st.bvar(1)]);
    pi(st, st.prop(), pi(st, st.prop(), pi(st, iff, conclusion)))
}

fn universe(info: &ConstantInfo) -> Name {
    info.univ_params().first().copied().unwrap_or(Name::ANON)
}

/// `∀ {α : Sort u} {r : α → α → Prop} {a b : α}, r a b → Quot.mk r a = Quot.mk r b`
fn quot_sound(st: &Store<'_>, info: &ConstantInfo) -> Expr {
    let u = st.level_param(universe(info));
    let v = |i| st.bvar(i);
    let relation = pi(st, v(0), pi(st, v(1), st.prop()));
    let quot = st.apps(st.constant(st.name("Quot"), &[u]), &[v(4), v(3)]);
    let mk = |a| st.apps(st.constant(st.name("Quot.mk"), &[u]), &[v(4), v(3), a]);
    let eq = st.apps(
        st.constant(st.name("Eq"), &[u]),
        &[quot, mk(v(2)), mk(v(1))],
    );
    let hypothesis = st.apps(v(2), &[v(1), v(0)]);
    let tail = pi(st, v(1), pi(st, v(2), pi(st, hypothesis, eq)));
    pi(st, st.sort(u), pi(st, relation, tail))
}

/// `{α : Sort u} → Nonempty α → α`
fn choice(st: &Store<'_>, info: &ConstantInfo) -> Expr {
    let u = st.level_param(universe(info));
    let nonempty = st.app(st.constant(st.name("Nonempty"), &[u]), st.bvar(0));
    pi(st, st.sort(u), pi(st, nonempty, st.bvar(1)))
}

/// Whether the only constructor of inductive type `ty` is `ctor`, with a type like the one that `expected` makes.
fn single(env: &Environment<'_>, ty: &str, ctor: &str, expected: impl Fn(Name) -> Expr) -> bool {
    let st = env.store();
    let (Some(ConstantInfo::Inductive(i)), Some(c)) =
        (env.get(st.name(ty)), env.get(st.name(ctor)))
    else {
        return false;
    };
    i.ctors == [st.name(ctor)] && alike(st, c.ty(), expected(universe(c)))
}

/// Whether `Quot` and `Quot.mk` are the kernel's.
fn quot_is_the_kernels(env: &Environment<'_>) -> bool {
    let is = |name: &str, wanted: QuotKind| matches!(env.get(env.store().name(name)), Some(ConstantInfo::Quot { kind, .. }) if *kind == wanted);
    is("Quot", QuotKind::Type) && is("Quot.mk", QuotKind::Mk)
}

/// `structure Iff (a b : Prop) : Prop where intro :: mp : a → b, mpr : b → a`
fn iff_is_leans(env: &Environment<'_>) -> bool {
    let st = env.store();
    let v = |i| st.bvar(i);
    single(env, "Iff", "Iff.intro", |_| {
        let result = st.apps(st.const0("Iff"), &[v(3), v(2)]);
        let back = pi(st, pi(st, v(1), v(3)), result);
        let forth = pi(st, pi(st, v(1), v(1)), back);
        pi(st, st.prop(), pi(st, st.prop(), forth))
    })
}

/// `inductive Nonempty (α : Sort u) : Prop | intro (val : α) : Nonempty α`
fn nonempty_is_leans(env: &Environment<'_>) -> bool {
    let st = env.store();
    single(env, "Nonempty", "Nonempty.intro", |u| {
        let u = st.level_param(u);
        let result = st.app(st.constant(st.name("Nonempty"), &[u]), st.bvar(1));
        pi(st, st.sort(u), pi(st, st.bvar(0), result))
    })
}
