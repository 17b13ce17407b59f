//! Terms exist once; substitution and abstraction are inverse.
use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use bumpalo::Bump;
use logic::{BinderInfo, Declaration, Environment, KernelError, Name, Node, Signature, Store};
use rustc_hash::FxHasher;

struct Holder<'b> {
    store: &'b Store<'b>,
}

#[test]
fn a_store_can_be_held_by_copyable_reference() {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let h = Holder { store: &store };
    let a = h.store.const0("Nat.add");
    assert_eq!(a, h.store.const0("Nat.add"));
    assert_eq!(h.store.name_to_string(h.store.name("a.b.c")), "a.b.c");
}

#[test]
fn abstraction_undoes_instantiation() {
    let bump = Bump::new();
    let s = Store::new(&bump);
    let (x, y) = (s.fvar(0), s.fvar(1));
    let f = s.const0("f");
    let body = s.lam(
        Name::ANON,
        s.prop(),
        s.apps(f, &[s.bvar(0), s.bvar(1), s.bvar(2)]),
        BinderInfo::Default,
    );
    let opened = s.instantiate_rev(body, &[x, y]);
    let expected = s.lam(
        Name::ANON,
        s.prop(),
        s.apps(f, &[s.bvar(0), y, x]),
        BinderInfo::Default,
    );
    assert_eq!(opened, expected);
    assert_eq!(s.abstract_fvars(opened, &[x, y]), body);
    assert_eq!(s.loose_bvar_range(body), 2);
    assert!(matches!(s.node(x), Node::FVar(0)));
}

/// A hash only says where to look: among many names, some fall on one place of the table, and all stay apart. What is proved
/// of one constant is not proved of another.
#[test]
fn hashes_decide_nothing() {
    let bump = Bump::new();
    let st = Store::new(&bump);
    let names =
        || (0..100_000).map(|i| st.name_num(st.name(if i % 2 == 0 { "a" } else { "b" }), i / 2));
    let first: Vec<Name> = names().collect();
    let distinct: HashSet<Name> = first.iter().copied().collect();
    assert_eq!(distinct.len(), first.len());
    assert!(names().eq(first.iter().copied()));
    // Numbers that collide under the hash function that most tables of this program use.
    const K: u64 = 0xf135_7aea_2e62_a9c5;
    let (a, b) = (st.name("a"), st.name("b"));
    let shift = (a.index() as u64).wrapping_sub(b.index() as u64);
    let (x, y) = (st.name_num(a, 0), st.name_num(b, shift.wrapping_mul(K)));
    let hash = |n: Name| {
        let mut h = FxHasher::default();
        st.name_node(n).hash(&mut h);
        h.finish()
    };
    assert_eq!(hash(x), hash(y), "the names are made to collide");
    let sig = |name, ty| Signature {
        name,
        univ_params: vec![],
        ty,
    };
    let (cx, cy) = (st.constant(x, &[]), st.constant(y, &[]));
    let mut env = Environment::new(&st);
    assert_eq!(env.add(Declaration::Axiom(sig(x, st.prop()))), Ok(()));
    let unknown = env.add(Declaration::Axiom(sig(a, cy)));
    assert_eq!(unknown, Err(KernelError::UnknownConstant(y)));
    assert_eq!(env.add(Declaration::Axiom(sig(y, st.prop()))), Ok(()));
    assert_eq!(env.add(Declaration::Axiom(sig(a, cx))), Ok(()));
    let theorem = Declaration::Theorem {
        sig: sig(b, cy),
        value: st.constant(a, &[]),
    };
    let mismatch = KernelError::DeclarationMismatch {
        name: b,
        expected: cy,
        found: cx,
    };
    assert_eq!(env.add(theorem), Err(mismatch));
}
