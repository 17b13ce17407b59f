//! What `index` and `bits` cost, from the text of a statement to the kernel's verdict; the library has been read.
//!
//! `cargo bench --bench index`, `cargo bench --bench index -- swizzle`.

use std::path::Path;
use std::time::Duration;

use bumpalo::Bump;
use criterion::{Criterion, criterion_group, criterion_main};
use logic::Store;
use tactics::driver::{Session, Status};

const HEAD: &str = "import ptx.isa\nimport lib.index\nopen Word\n";

/// A goal of each kind: name, file, tactic.
const GOALS: [(&str, &str, &str); 10] = [
    ("swizzle128_invol", "goals", "bits"),
    ("and_plus_xor", "goals", "bits"),
    ("swizzled_store", "words", "bits"),
    ("swizzle128_row", "goals", "index"),
    ("acc_lin", "goals", "index"),
    ("mod3_magic", "goals", "index"),
    ("square4", "goals", "index"),
    ("stage", "words", "index"),
    ("descriptor", "words", "index"),
    ("fragment_of_c", "words", "index"),
];

/// The text of a theorem of `tests/accept/index`, up to its proof.
fn statement(name: &str, file: &str) -> String {
    let path = format!("tests/accept/index/{file}.ptxp");
    let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    let source = source.expect("the goals");
    let begin = source.find(&format!("\ntheorem {name} "));
    let text = &source[begin.expect("the goal") + 1..];
    text[..text.find(" := by").expect("a proof")].to_owned()
}

/// Checks a script that is not in a file; whether all of it is proved.
fn proved(session: &mut Session<'_>, number: usize, text: &str) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join(format!("proofs/bench-{number}.ptxp"));
    let script = format!("{HEAD}namespace Bench{number}\n{text}\nend Bench{number}\n");
    session.replace_file(&path, script).expect("a path");
    session.check_file(&path).expect("a script");
    let report = session.reports().last().expect("a report");
    report.decls.iter().all(|d| d.status == Status::Proved)
}

fn goals(c: &mut Criterion) {
    let mut group = c.benchmark_group("index");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(2));
    for (name, file, tactic) in GOALS {
        let bump = Bump::new();
        let store = Store::new(&bump);
        let mut session = Session::new(&store);
        let text = format!("{} := by {tactic}", statement(name, file));
        let mut number = 0;
        assert!(proved(&mut session, number, &text), "{name} by {tactic}");
        group.bench_function(format!("{tactic}/{name}"), |b| {
            b.iter(|| {
                number += 1;
                assert!(proved(&mut session, number, &text));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, goals);
criterion_main!(benches);
