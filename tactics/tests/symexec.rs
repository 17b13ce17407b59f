//! What `symexec` costs: straight-line code of 250, 500 and 1,000 instructions and a whole kernel, in terms and in steps of the
//! kernel (about a microsecond each). The cost of an instruction is bounded, and does not grow with the code.

mod straight;

use std::path::{Path, PathBuf};

use bumpalo::Bump;
use logic::Store;
use tactics::driver::{Session, Status, on_large_stack};

/// Terms and kernel steps of the trace of straight-line code.
fn cost(dir: &Path, n: usize) -> (usize, u64) {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs/ptx/rules.ptxp");
    std::fs::write(dir.join(format!("straight{n}.ptx")), straight::program(n)).unwrap();
    let path = dir.join(format!("straight{n}.ptxp"));
    std::fs::write(&path, straight::script(n, &rules)).unwrap();
    cost_of(&path)
}

/// Terms and kernel steps of the declaration `trace` of a script.
fn cost_of(path: &Path) -> (usize, u64) {
    on_large_stack(|| {
        let bump = Bump::new();
        let store = Store::new(&bump);
        let mut session = Session::new(&store);
        session.check_file(path).unwrap();
        let report = session.reports().last().unwrap();
        for d in &report.diagnostics {
            print!("{}", d.render("straight", &report.source));
        }
        let trace = report
            .decls
            .iter()
            .find(|d| d.name.ends_with("trace"))
            .unwrap();
        assert_eq!(trace.status, Status::Proved);
        (trace.nodes, trace.steps)
    })
    .unwrap()
}

/// What an instruction may cost.
const NODES: usize = 5_000;
const STEPS: u64 = 1_000;

fn assert_bounds(what: &str, n: usize, (nodes, steps): (usize, u64)) {
    let (a, b) = (nodes / n, steps / n as u64);
    println!("{what}: {a} nodes and {b} steps an instruction");
    assert!(a <= NODES, "{what}: {nodes} nodes for {n} instructions");
    assert!(b <= STEPS, "{what}: {steps} steps for {n} instructions");
}

#[test]
fn straight_line_code_costs_the_same_for_each_instruction() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("symexec");
    std::fs::create_dir_all(&dir).unwrap();
    let costs = [250, 500, 1000].map(|n| cost(&dir, n));
    for (n, c) in [250, 500, 1000].into_iter().zip(costs) {
        assert_bounds(&format!("{n} instructions"), n, c);
    }
    // linear: the second half of 1,000 instructions costs what twice the second half of 500 costs, or at most a tenth more
    let [(a, s), (b, t), (c, u)] = costs;
    assert!(
        10 * (c - b) <= 22 * (b - a) && 10 * (u - t) <= 22 * (t - s),
        "the cost of an instruction grows"
    );
}

#[test]
fn a_kernel_with_loops_and_exchanges_costs_no_more() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let kernel = root.join("tests/kernels/cuda/softmax_layernorm.sm_90a.ptx");
    let text = std::fs::read_to_string(kernel).unwrap();
    let begin = text.find("softmax_rows(").unwrap();
    let body = &text[begin..begin + text[begin..].find("\n}").unwrap()];
    let instructions = body
        .lines()
        .map(str::trim)
        .filter(|l| l.ends_with(';') && !l.starts_with('.'))
        .count();
    let script = root.join("tests/accept/symexec/softmax.ptxp");
    assert_bounds("softmax_rows", instructions, cost_of(&script));
}
