//! Checks scripts and prints what is wrong with them: `cargo run -p tactics --example check -- FILE.ptxp…`.
//! `-v` also lists every declaration.

use std::path::PathBuf;
use std::process::ExitCode;

use bumpalo::Bump;
use logic::Store;
use tactics::driver::{Session, Status, scripts_below};

fn main() -> ExitCode {
    let mut verbose = false;
    let mut paths: Vec<PathBuf> = Vec::new();
    for a in std::env::args().skip(1) {
        if a == "-v" {
            verbose = true;
        } else {
            match scripts_below(&PathBuf::from(&a)) {
                Ok(p) => paths.extend(p),
                Err(e) => {
                    eprintln!("{e}");
                    return ExitCode::from(2);
                }
            }
        }
    }
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut session = Session::new(&store);
    for p in &paths {
        if let Err(e) = session.check_file(p) {
            eprintln!("{e}");
            return ExitCode::from(2);
        }
    }
    let (mut proved, mut other) = (0, 0);
    for r in session.reports() {
        let file = r.path.display().to_string();
        for d in &r.diagnostics {
            print!("{}", d.render(&file, &r.source));
        }
        for d in &r.ptx {
            print!(
                "{}",
                d.diagnostic
                    .render(&d.path.display().to_string(), &d.source)
            );
        }
        for d in &r.decls {
            if d.status == Status::Proved {
                proved += 1;
            } else {
                other += 1;
            }
            if verbose {
                println!(
                    "{:?} {} {} nodes={} steps={} axioms={:?}",
                    d.status,
                    d.kind.word(),
                    d.name,
                    d.nodes,
                    d.steps,
                    d.axioms
                );
            }
        }
    }
    println!(
        "{proved} declarations accepted, {other} not; {} kernel steps",
        session.environment().steps()
    );
    if other == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
