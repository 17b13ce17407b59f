//! `cargo xtask tcb | tidy | index | audit | fuzz | picture`.

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask COMMAND

  tcb      count the trusted lines by file; fails when the kernel passes its budget
  tidy     check the habits of the house over all files
  index    write the book's pages about the library from the scripts
  audit    export everything under proofs/ (or the paths given) and let real Lean check it again
  fuzz     let our kernel and the official one judge random exports: [--count N] [--seed N] [--alone]
  picture  draw the README's picture of a terminal from what `cargo run` (or the binary given) prints";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let root = xtask::root();
    let done = match args.first().map(String::as_str) {
        Some("tcb") => xtask::tcb::run(&root),
        Some("tidy") => xtask::tidy::run(&root),
        Some("picture") => xtask::picture::run(&root, args.get(1).map(String::as_str))
            .map_err(std::io::Error::other),
        Some("index") => xtask::index::run(&root).map_err(std::io::Error::other),
        Some("fuzz") => xtask::fuzz::run(&root, &args[1..]),
        Some("audit") => xtask::audit::run(&root, &args[1..]),
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
