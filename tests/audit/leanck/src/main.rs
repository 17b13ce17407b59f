//! `leanck FILE.ndjson [LINE]`: the official Lean 4 kernel's verdict on an export.
//!
//! `leanck --batch` reads the paths of files from standard input and prints a line for each as soon as it has a verdict;
//! there nodes may be written twice, and axioms may be any.
//!
//! With LINE, declarations before that line are believed (they were accepted in another file that begins the same).
//! The variable `LEANCK_TRACE` makes it name each declaration on standard error before it is checked.
//! Prints `accepted` with counts (exit 0), `refused …` with the declaration and the reason (exit 1), or
//! `malformed …` with the line (exit 2).

mod ffi;
mod replay;
mod vocabulary;

use std::fs::File;
use std::io::BufReader;

use replay::{Failure, Replay};

fn main() {
    if std::env::args().skip(1).eq(["--batch"]) {
        ffi::with_lean(batch);
    }
    let mut args = std::env::args().skip(1);
    let (path, from) = (args.next(), args.next().map_or(Ok(0), |n| n.parse()));
    let (Some(path), Ok(from), None) = (path, from, args.next()) else {
        eprintln!("usage: leanck FILE.ndjson [LINE] | leanck --batch");
        std::process::exit(2);
    };
    ffi::with_lean(move || judge(&path, from));
}

/// One line for each file that is named on standard input.
fn batch() -> i32 {
    let empty = ffi::Kernel::new();
    for path in std::io::stdin().lines().map_while(Result::ok) {
        let mut replay = Replay::new(empty.clone());
        replay.lenient = true;
        let verdict = match File::open(&path) {
            Ok(f) => replay.run(BufReader::new(f)),
            Err(e) => Err(Failure::Malformed(0, e.to_string())),
        };
        let text = match verdict {
            Ok(()) => "accepted".to_owned(),
            Err(Failure::Malformed(line, what)) => format!("malformed line {line}: {what}"),
            Err(Failure::Refused(kind, name, reason)) => {
                format!("refused {kind} {name}: {reason}")
            }
            Err(Failure::Derived(name, what)) => format!("refused derived {name}: {what}"),
        };
        println!("{}", text.replace(['\n', '\r'], " "));
    }
    0
}

fn judge(path: &str, check_from: usize) -> i32 {
    let file = match File::open(path) {
        Ok(f) => f,
        Err(e) => {
            println!("malformed {path}: {e}");
            return 2;
        }
    };
    let mut replay = Replay::default();
    replay.check_from = check_from;
    replay.trace = std::env::var_os("LEANCK_TRACE").is_some();
    match replay.run(BufReader::with_capacity(1 << 20, file)) {
        Err(Failure::Malformed(line, what)) => {
            println!("malformed line {line}: {what}");
            2
        }
        Err(Failure::Refused(kind, name, reason)) => {
            println!("refused {kind} {name}: {reason}");
            1
        }
        Err(Failure::Derived(name, what)) => {
            println!("refused derived {name}: {what}");
            1
        }
        Ok(()) => match vocabulary::check(&replay) {
            Err(what) => {
                println!("refused {what}");
                1
            }
            Ok(()) => {
                print_summary(&replay);
                0
            }
        },
    }
}

fn print_summary(replay: &Replay) {
    let s = &replay.summary;
    let counts: Vec<String> = s.counts.iter().map(|(k, n)| format!("{n} {k}")).collect();
    println!(
        "accepted {} declarations: {}",
        s.counts.values().sum::<usize>(),
        counts.join(", ")
    );
    let axioms: Vec<&str> = s.axioms.iter().map(|(n, _)| n.as_str()).collect();
    println!(
        "axioms {}",
        if axioms.is_empty() {
            "none".into()
        } else {
            axioms.join(" ")
        }
    );
    println!(
        "recursors {} as derived, {} terms compared up to definitional equality",
        s.recursors, s.recursors_defeq
    );
    println!(
        "nodes {} names, {} levels, {} terms",
        s.nodes[0], s.nodes[1], s.nodes[2]
    );
    println!(
        "kernel {:.3} s, slowest {} {:.3} s",
        s.kernel.as_secs_f64(),
        s.slowest.1,
        s.slowest.0.as_secs_f64()
    );
}
