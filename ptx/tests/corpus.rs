//! Every real file resolves: each name stands for one thing, each label for a place.

mod common;

use common::corpus;
use ptx::module::{Module, resolve};
use ptx::text::parse;

fn load(path: &std::path::Path) -> Module {
    let text = std::fs::read_to_string(path).expect("UTF-8");
    let ast = parse(&text).expect("parses");
    match resolve(&ast) {
        Ok(m) => m,
        Err(all) => {
            let lines: Vec<String> = all
                .iter()
                .take(20)
                .map(|e| {
                    let (line, column) = e.span.line_column(&text);
                    format!("{}:{line}:{column}: {e}; {}", path.display(), e.help())
                })
                .collect();
            panic!("{} errors\n{}", all.len(), lines.join("\n"));
        }
    }
}

#[test]
fn resolves() {
    for path in corpus() {
        let m = load(&path);
        for f in &m.functions {
            for l in &f.labels {
                assert!(
                    l.at <= f.code.len(),
                    "{}: label {} of {} stands nowhere",
                    path.display(),
                    l.name,
                    f.name
                );
            }
        }
    }
}
