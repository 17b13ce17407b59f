//! What `symexec` costs: the whole, from the text of a script to the kernel's verdict (the library has been read), and the kernel
//! alone on the proof that was found.
//!
//! `cargo bench --bench symexec`, `cargo bench --bench symexec -- kernel`.

#[path = "../tactics/tests/straight/mod.rs"]
mod straight;

use std::path::{Path, PathBuf};
use std::time::Duration;

use bumpalo::Bump;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use logic::{Declaration, Signature, Store};
use tactics::driver::{DeclReport, Session, Status};

/// The scripts: name, path, and how many instructions.
fn scripts() -> Vec<(String, PathBuf, usize)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("symexec-bench");
    std::fs::create_dir_all(&dir).expect("a folder");
    let mut all = Vec::new();
    for n in [250, 500, 1000] {
        let path = dir.join(format!("straight{n}.ptxp"));
        let rules = root.join("proofs/ptx/rules.ptxp");
        std::fs::write(path.with_extension("ptx"), straight::program(n)).expect("the PTX");
        std::fs::write(&path, straight::script(n, &rules)).expect("the script");
        all.push((format!("straight-{n}"), path, n));
    }
    let softmax = root.join("tests/accept/symexec/softmax.ptxp");
    all.push(("softmax_rows".to_owned(), softmax, 216));
    all
}

/// Reads and checks a script, of which the last declaration is the trace; its report.
fn trace<'s>(session: &'s mut Session<'_>, path: &Path) -> &'s DeclReport {
    session.check_file(path).expect("a script");
    let report = session.reports().last().expect("a report");
    let trace = report.decls.last().expect("a declaration");
    assert_eq!(trace.status, Status::Proved);
    trace
}

fn symexec(c: &mut Criterion) {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("proofs/ptx/rules.ptxp");
    let mut group = c.benchmark_group("symexec");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(5));
    for (name, path, instructions) in scripts() {
        let bump = Bump::new();
        let store = Store::new(&bump);
        let mut session = Session::new(&store);
        session.check_file(&rules).expect("the library");
        let library = session.snapshot();
        let found = trace(&mut session, &path);
        println!(
            "{name}: {instructions} instructions, {} terms, {} kernel steps",
            found.nodes, found.steps
        );
        let decl = store.name(&found.name);
        let env = session.environment().clone();
        let info = env.get(decl).expect("the trace");
        let again = Declaration::Opaque {
            sig: Signature {
                name: store.name("again"),
                univ_params: info.univ_params().to_vec(),
                ty: info.ty(),
            },
            value: info.value().expect("a proof"),
        };
        group.bench_function(format!("kernel/{name}"), |b| {
            b.iter_batched(
                || env.clone(),
                |mut env| env.add(again.clone()).expect("the kernel accepts it again"),
                BatchSize::PerIteration,
            );
        });
        group.bench_function(format!("whole/{name}"), |b| {
            b.iter(|| {
                session.restore(&library);
                trace(&mut session, &path);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, symexec);
criterion_main!(benches);
