//! Terms exist once; substitution and abstraction are inverse.
use bumpalo::Bump;
use logic::{BinderInfo, Name, Node, Store};

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
