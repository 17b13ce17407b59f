//! Large inductive declarations: decided, or refused with the limit named.

use lab::*;
use logic::{KernelError::*, *};

fn declaration(types: Vec<InductiveType>) -> Declaration {
    Declaration::Inductive(InductiveDecl {
        univ_params: vec![],
        num_params: 0,
        types,
    })
}

/// `inductive name : Type` with these constructors.
fn simple(l: &Lab<'_>, name: &str, ctors: Vec<Expr>) -> InductiveType {
    let numbered = ctors.into_iter().enumerate();
    let ctor = |(i, ty)| (l.name(&format!("{name}.c{i}")), ty);
    InductiveType {
        name: l.name(name),
        ty: l.term("Type"),
        ctors: numbered.map(ctor).collect(),
    }
}

fn arrow(l: &Lab<'_>, a: Expr, b: Expr) -> Expr {
    l.st.pi(Name::ANON, a, b, BinderInfo::Default)
}

/// `inductive T | c : List (List (… T)) → T`.
fn nested(l: &Lab<'_>, depth: usize) -> Declaration {
    let (t, list) = (l.term("T"), l.term("List.{0}"));
    let field = (0..depth).fold(t, |e, _| l.st.app(list, e));
    declaration(vec![simple(l, "T", vec![arrow(l, field, t)])])
}

/// `T0 | c : T1 → T0`, `T1 | c : T2 → T1`, and so on.
fn ring(l: &Lab<'_>, size: usize) -> Declaration {
    let t = |i: usize| l.term(&format!("T{}", i % size));
    let types = (0..size).map(|i| simple(l, &format!("T{i}"), vec![arrow(l, t(i + 1), t(i))]));
    declaration(types.collect())
}

fn enumeration(l: &Lab<'_>, size: usize) -> Declaration {
    declaration(vec![simple(l, "T", vec![l.term("T"); size])])
}

#[test]
fn sizes() {
    lab(PRELUDE, |l| {
        for decl in [nested(l, 200), ring(l, 200), enumeration(l, 500)] {
            assert_eq!(l.env.clone().add(decl), Ok(()));
        }
    });
    let limits = Limits {
        max_terms: 1_000_000,
        ..Limits::default()
    };
    lab_with(limits, PRELUDE, |l| {
        for (decl, limit) in [
            (nested(l, 20_000), OutOfSteps),
            (ring(l, 20_000), TooManyTerms),
            (enumeration(l, 20_000), TooManyTerms),
        ] {
            assert_eq!(l.env.clone().add(decl), Err(limit));
        }
        assert_eq!(l.env.clone().add(nested(l, 300_000)), Err(TooDeep));
    });
}

fn axiom(l: &Lab<'_>, ty: Expr) -> Declaration {
    Declaration::Axiom(Signature {
        name: l.name("ax"),
        univ_params: vec![],
        ty,
    })
}

#[test]
fn work_within_one_step() {
    let prop = |l: &Lab<'_>| l.term("Prop");
    // `x → x` of itself, `n` times: each opens its binders anew.
    let doubled = |l: &Lab<'_>, n: u32| (0..n).fold(prop(l), |x, _| arrow(l, x, x));
    // The same below as many binders, from the variable of the first: it is another term at each depth.
    let shared = |l: &Lab<'_>, n: u32| {
        let x = (0..n).fold(l.st.bvar(n), |x, _| arrow(l, x, x));
        (0..=n).fold(x, |x, _| arrow(l, prop(l), x))
    };
    lab(PRELUDE, |l| {
        for ty in [doubled(l, 300), shared(l, 300)] {
            assert_eq!(l.env.clone().add(axiom(l, ty)), Ok(()));
        }
    });
    let limits = Limits {
        max_terms: 1_000_000,
        ..Limits::default()
    };
    lab_with(limits, PRELUDE, |l| {
        for ty in [doubled(l, 3000), shared(l, 3000), shared(l, 30_000)] {
            assert_eq!(l.env.clone().add(axiom(l, ty)), Err(TooManyTerms));
            // The next one is not the worse for it.
            assert_eq!(l.env.clone().add(axiom(l, prop(l))), Ok(()));
        }
    });
}

#[test]
fn maxima_of_many() {
    lab("", |l| {
        let st = l.st;
        let n = |i| l.name(&format!("u{i}"));
        let param = |i| st.level_param(n(i));
        let part = |i| st.level_imax(param(i), param(i + 1));
        let all = |it: &mut dyn Iterator<Item = u32>| {
            it.fold(Level::ZERO, |m, i| st.level_max(part(i), m))
        };
        let (up, down) = (all(&mut (0..1000)), all(&mut (0..1000).rev()));
        let fewer = all(&mut (1..1000));
        let def = |value| Declaration::Definition {
            sig: Signature {
                name: n(5000),
                univ_params: (0..=1000).map(n).collect(),
                ty: st.sort(st.level_succ(up)),
            },
            value: st.sort(value),
            hint: Hint::Abbrev,
        };
        assert_eq!(l.env.clone().add(def(down)), Ok(()));
        assert!(matches!(
            l.env.clone().add(def(fewer)),
            Err(DeclarationMismatch { .. })
        ));
    });
}

#[test]
fn shared_fields() {
    lab(PRELUDE, |l| {
        // A field with 2^100 leaves, many times.
        let pair = |e| l.st.apps(l.term("Prod.{0, 0}"), &[e, e]);
        let field = (0..100).fold(l.term("Nat"), |e, _| pair(e));
        let t = l.term("T");
        let ctor = (0..5000).fold(t, |e, _| arrow(l, field, e));
        let decl = declaration(vec![simple(l, "T", vec![arrow(l, t, ctor)])]);
        assert_eq!(l.env.clone().add(decl), Ok(()));
        // The type itself below: 101 auxiliary types.
        let field = (0..100).fold(t, |e, _| pair(e));
        let decl = declaration(vec![simple(l, "T", vec![arrow(l, field, t)])]);
        assert_eq!(l.env.clone().add(decl), Ok(()));
    });
}
