//! The command line of ptxprove: reads arguments, calls the rooms, prints what they say. Nothing is decided here.

mod args;
mod axioms;
mod check;
mod diagnostics;
mod export;
mod goal;
mod output;
mod run;
mod show;
mod source;
mod verdict;
mod watch;

use std::process::ExitCode;

use args::{Args, Command};
use clap::{CommandFactory, Parser};

/// Everything was proved, or is as expected.
pub const PROVED: u8 = 0;
/// Something was not.
pub const NOT_PROVED: u8 = 1;
/// Something could not be read.
pub const CANNOT_READ: u8 = 2;

fn main() -> ExitCode {
    let args = Args::parse();
    let timings = matches!(&args.command, Command::Check(a) if a.timings);
    let out = output::Output::new(args.color, args.quiet, timings);
    let code = match tactics::driver::on_large_stack(|| dispatch(&args.command, &out)) {
        Ok(code) => code,
        Err(e) => {
            out.complain(format_args!("error: cannot start a thread: {e}"));
            CANNOT_READ
        }
    };
    ExitCode::from(out.finish(code))
}

fn dispatch(command: &Command, out: &output::Output) -> u8 {
    match command {
        Command::Check(a) => check::run(a, out),
        Command::Goal(a) => goal::run(a, out),
        Command::Export(a) => export::run(a, out),
        Command::Axioms(a) => axioms::run(a, out),
        Command::Show(a) => show::run(a, out),
        Command::Run(a) => run::run(a, out),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Args::command(), "ptxprove", &mut script);
            out.say(String::from_utf8_lossy(&script).trim_end());
            PROVED
        }
    }
}
