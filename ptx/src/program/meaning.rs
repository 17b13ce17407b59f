//! The opcode table as definitions: the constants that kernel terms carry.

use std::collections::BTreeSet;

use logic::{BinderInfo, Expr, Name, Store};

use super::data::{Access, Instr, Kernel, SCOPES, Sem, StateSpace};
use super::sync::{is_sync, sync_kind};
use crate::alg::term::{TermAlg, TermWord, word_type};
use crate::isa::{self, Form, Group, Kind};

/// A definition for the kernel to check: `name : ty := value`, without universe parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The constant's name.
    pub name: Name,
    /// Its type.
    pub ty: Expr,
    /// Its value.
    pub value: Expr,
}

/// The constant for an opcode: `ptx.add.s32`, one component a word, and `ptx.mov.b64.pack2` for a [variant](Form::variant).
pub fn opcode_name(store: &Store<'_>, opcode: &str) -> Name {
    opcode
        .split('.')
        .fold(store.name("ptx"), |n, word| store.name_str(n, word))
}

/// The table in the logic: for every opcode that is a function of words its meaning,
/// `ptx.add.s32 : Word 32 → Word 32 → Word 32`, or `ptx.add.f32 : FloatOps → Word 32 → Word 32 → Word 32`.
pub fn isa_declarations(store: &Store<'_>) -> Vec<Definition> {
    isa::alu_forms()
        .iter()
        .filter_map(|f| isa_declaration(store, f))
        .collect()
}

/// The form whose meaning is the constant `ptx.<name>`: of an opcode in the order of the table, `add.s32`, perhaps with the
/// name of a [variant](Form::variant), `mov.b64.pack2`.
pub(super) fn form_named(name: &str) -> Option<Form> {
    let find = |opcode: &str, variant: &str| {
        isa::forms_of(opcode).into_iter().find(|f| {
            let has_constant = f.signature().is_some() || is_sync(f) || atomic(f).is_some();
            f.opcode == opcode && has_constant && variant_of(f) == variant
        })
    };
    let with_variant = || {
        let (opcode, variant) = name.rsplit_once('.')?;
        find(opcode, variant)
    };
    find(name, "").or_else(with_variant)
}

/// A barrier or an exchange has one constant, however many results are taken.
fn variant_of(form: &Form) -> String {
    let variant = form.variant().filter(|_| form.signature().is_some());
    variant.unwrap_or_default()
}

/// The name of the constant of a form, below `ptx`.
pub(super) fn constant_of(form: &Form) -> String {
    match variant_of(form) {
        v if v.is_empty() => form.opcode.clone(),
        v => format!("{}.{v}", form.opcode),
    }
}

/// The definition of the constant `ptx.<name>`, see [`form_named`].
pub fn meaning_named(store: &Store<'_>, name: &str) -> Option<Definition> {
    let form = form_named(name)?;
    isa_declaration(store, &form).or_else(|| {
        let kind = sync_kind(store, &form)?;
        Some(Definition {
            name: opcode_name(store, name),
            ty: store.const0("Ptx.SyncKind"),
            value: kind,
        })
    })
}

/// The meanings of the instructions of a kernel, each once.
pub fn kernel_meanings(store: &Store<'_>, k: &Kernel) -> Vec<Definition> {
    let names: BTreeSet<&str> = (k.body.iter())
        .chain(k.funcs.iter().flat_map(|f| &f.body))
        .filter_map(|l| match &l.instr {
            Instr::Alu { name, .. }
            | Instr::Alus { name, .. }
            | Instr::Atom { name, .. }
            | Instr::Sync { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    names
        .iter()
        .filter_map(|o| meaning_named(store, o))
        .collect()
}

fn isa_declaration(store: &Store<'_>, form: &Form) -> Option<Definition> {
    let (ins, out) = match atomic(form) {
        Some((w, _, ins)) => (std::iter::once(w).chain(ins).collect(), w),
        None => form.signature()?,
    };
    let n = u32::try_from(ins.len()).ok()?;
    // Under `fun F a b …`; a meaning binds nothing itself, so the indices stay.
    let mut alg = TermAlg::new(store, store.bvar(n));
    let args: Vec<TermWord> = ins
        .iter()
        .zip((0..n).rev())
        .map(|(w, i)| TermWord {
            term: store.bvar(i),
            width: *w,
        })
        .collect();
    let meaning = form.meaning::<TermAlg<'_, '_>>()?;
    let mut value = meaning(&mut alg, form, &args).term;
    let mut ty = word_type(store, out);
    let letters = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for (w, x) in ins.iter().zip(letters).rev() {
        let (name, domain) = (store.name(x), word_type(store, *w));
        value = store.lam(name, domain, value, BinderInfo::Default);
        ty = store.pi(name, domain, ty, BinderInfo::Default);
    }
    if form.uses_floats() || atomic(form).is_some() {
        let (name, domain) = (store.name("F"), store.const0("FloatOps"));
        value = store.lam(name, domain, value, BinderInfo::Default);
        ty = store.pi(name, domain, ty, BinderInfo::Default);
    }
    Some(Definition {
        name: opcode_name(store, &constant_of(form)),
        ty,
        value,
    })
}

/// Of an atomic operation on one word: its width, its access, and the widths of its operands.
pub(super) fn atomic(form: &Form) -> Option<(u32, Access, Vec<u32>)> {
    if !matches!(form.shape(), "atom" | "red") || !form.word("hint").is_empty() {
        return None;
    }
    // Packed types are atomic element by element, not as a word (ISA §8.2.5).
    if matches!(form.ty().name, "f16x2" | "bf16x2") {
        return None;
    }
    let space = match form.word("space") {
        "" => StateSpace::Generic,
        s => StateSpace::from_name(s)?,
    };
    let (acquire, release) = match form.word("sem") {
        "acquire" => (true, false),
        "release" => (false, true),
        "acq_rel" => (true, true),
        _ => (false, false),
    };
    // Relaxed, of the device, unless something else is said (ISA §9.7.15.5).
    let scope = match form.word("scope") {
        "" => "gpu",
        word => SCOPES.into_iter().find(|s| *s == word)?,
    };
    let access = Access {
        space,
        nc: false,
        sem: Sem::Strong {
            acquire,
            release,
            scope,
        },
    };
    let mut ins = Vec::new();
    for g in &form.operands {
        match g {
            Group::One(x) if x.optional => {}
            Group::One(x) if x.dest || x.kind == Kind::Address => {}
            Group::One(x) if x.ty.bits == form.width() => ins.push(x.ty.bits),
            _ => return None,
        }
    }
    matches!(form.width(), 16 | 32 | 64).then_some((form.width(), access, ins))
}
