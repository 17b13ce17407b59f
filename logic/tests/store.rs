//! Terms exist once; substitution and abstraction are inverse.
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

/// Names with one hash are two names, of two constants.
#[test]
fn hashes_decide_nothing() {
    let bump = Bump::new();
    let st = Store::new(&bump);
    let (a, b) = (st.name("a"), st.name("b"));
    // The multiplier of the hash function: what the prefix adds, the number takes away.
    const K: u64 = 0xf135_7aea_2e62_a9c5;
    let shift = (a.index() as u64).wrapping_sub(b.index() as u64);
    let (x, y) = (st.name_num(a, 0), st.name_num(b, shift.wrapping_mul(K)));
    let hash = |n: Name| {
        let mut h = FxHasher::default();
        st.name_node(n).hash(&mut h);
        h.finish()
    };
    assert_eq!(hash(x), hash(y), "the names are made to collide");
    assert_ne!(x, y);
    assert_ne!(st.constant(x, &[]), st.constant(y, &[]));
    // `axiom x : Prop`, `axiom y : x`: what is proved of one is not proved of the other.
    let mut env = Environment::new(&st);
    let sig = |name, ty| Signature {
        name,
        univ_params: vec![],
        ty,
    };
    let (cx, cy) = (st.constant(x, &[]), st.constant(y, &[]));
    assert_eq!(env.add(Declaration::Axiom(sig(x, st.prop()))), Ok(()));
    assert_eq!(
        env.add(Declaration::Axiom(sig(a, cy))),
        Err(KernelError::UnknownConstant(y))
    );
    assert_eq!(env.add(Declaration::Axiom(sig(y, st.prop()))), Ok(()));
    assert_eq!(env.add(Declaration::Axiom(sig(a, cx))), Ok(()));
    let theorem = Declaration::Theorem {
        sig: sig(b, cy),
        value: st.constant(a, &[]),
    };
    assert_eq!(
        env.add(theorem),
        Err(KernelError::DeclarationMismatch {
            name: b,
            expected: cy,
            found: cx
        })
    );
}
