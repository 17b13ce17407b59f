//! Mutants of the declarations under `tests/accept/kernel`: whatever is made of them gets a verdict, the same each time, and
//! what is accepted comes with recursors that have types. `cargo xtask fuzz` compares the verdicts with those of
//! the official kernel.

use lab::*;
use logic::*;

#[test]
fn verdicts() {
    let mut counts = [0, 0];
    for (file, seed) in [
        ("mutual", 1),
        ("nested", 2),
        ("equality", 3),
        ("inductive-form", 4),
    ] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/accept/kernel");
        let text = std::fs::read_to_string(format!("{folder}/{file}.lab")).expect("readable");
        let limits = Limits {
            max_steps: 1_000_000,
            ..Limits::default()
        };
        lab_with(limits, PRELUDE, |l| {
            let originals = l.parse(&text);
            l.accept(&text);
            let mut mutator = Mutator::new(l.st, originals, seed);
            for _ in 0..500 {
                let decl = mutator.mutant();
                let (mut env, mut again) = (l.env.clone(), l.env.clone());
                let verdict = env.add(decl.clone());
                assert_eq!(verdict, again.add(decl), "the same verdict");
                assert_eq!(env.steps(), again.steps());
                counts[usize::from(verdict.is_ok())] += 1;
                let old = l.env.constants().count();
                if verdict.is_err() {
                    assert_eq!(env.constants().count(), old);
                }
                for c in env.constants().skip(old) {
                    well_typed(&env, c);
                }
            }
        });
    }
    // Not all are refused, and not all accepted.
    assert!(counts[0] > 1000 && counts[1] > 100, "{counts:?}");
}

/// A constant's type has a type; so have the rules of a recursor, and the types say that they compute what it promises.
fn well_typed(env: &Environment<'_>, c: &ConstantInfo) {
    let st = env.store();
    let mut checker = Checker::new(env, c.univ_params());
    let name = st.name_to_string(c.name());
    checker
        .check(c.ty())
        .unwrap_or_else(|e| panic!("{name}: {}", e.display(st)));
    let ConstantInfo::Recursor(rec) = c else {
        return;
    };
    let levels: Vec<Level> = rec
        .sig
        .univ_params
        .iter()
        .map(|u| st.level_param(*u))
        .collect();
    for rule in &rec.rules {
        let found = checker
            .check(rule.rhs)
            .unwrap_or_else(|e| panic!("{name}: {}", e.display(st)));
        // fun params motives minors fields => rec params motives minors indices (ctor … fields)
        let shared = (rec.num_params + rec.num_motives + rec.num_minors) as usize;
        let arity = shared + rule.num_fields as usize;
        let mut xs = Vec::new();
        let mut ty = found;
        for _ in 0..arity {
            let Node::Pi(_, dom, body, _) = st.node(ty) else {
                panic!("{name}: a rule takes {arity} arguments")
            };
            xs.push(checker.fresh_fvar(st.instantiate_rev(dom, &xs), None));
            ty = body;
        }
        let ty = st.instantiate_rev(ty, &xs);
        // The minor premise of the constructor ends in `motive indices (ctor … fields)`; apply the recursor to that.
        let (_, args) = st.unfold_app(ty);
        let rec_app = st.apps(st.constant(c.name(), &levels), &xs[..shared]);
        let lhs = st.apps(rec_app, &args);
        let lhs_ty = checker
            .check(lhs)
            .unwrap_or_else(|e| panic!("{name}: {}", e.display(st)));
        assert_eq!(checker.is_defeq(lhs_ty, ty), Ok(true), "{name}");
        assert_eq!(
            checker.is_defeq(lhs, st.apps(rule.rhs, &xs)),
            Ok(true),
            "{name}"
        );
    }
}
