//! `cargo xtask tcb | tidy | audit`.

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask COMMAND

  tcb      count the trusted lines by file; fails when the kernel passes its budget
  tidy     check the habits of the house over all files
  audit    export everything under proofs/ and let real Lean check it again";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let root = xtask::root();
    let done = match args.first().map(String::as_str) {
        Some("tcb") => xtask::tcb::run(&root),
        Some("tidy") => xtask::tidy::run(&root),
        Some("audit") => xtask::audit::run(&root),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}
