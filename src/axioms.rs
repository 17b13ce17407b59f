//! `ptxprove axioms NAME`: what a theorem rests on.

use serde_json::json;
use tactics::driver::Session;
use tactics::syntax::near::near;

use crate::args::AxiomsArgs;
use crate::output::Output;
use crate::{CANNOT_READ, PROVED, verdict};

/// Runs the command; the exit code.
pub fn run(args: &AxiomsArgs, out: &Output) -> u8 {
    let found = verdict::scripts(&args.paths).and_then(|scripts| {
        verdict::with_session(&scripts, out, |s, mut unreadable| {
            if let Some(e) = unreadable.pop() {
                return Err(e);
            }
            let name = s.environment().store().name(&args.name);
            let near = near_names(s, &args.name);
            Ok((s.axioms_of(name), near))
        })
    });
    match found {
        Err(e) => {
            out.complain(format_args!("error: {e}"));
            CANNOT_READ
        }
        Ok((None, near)) => {
            out.complain(format_args!("error: there is no `{}`", args.name));
            if !near.is_empty() {
                out.complain(format_args!("help: did you mean {}?", near.join(", ")));
            }
            CANNOT_READ
        }
        Ok((Some(axioms), _)) => {
            if args.json {
                out.say(format_args!(
                    "{:#}",
                    json!({ "name": args.name, "axioms": axioms })
                ));
            } else if axioms.is_empty() {
                out.say(format_args!("{} rests on no axioms", args.name));
            } else {
                out.say(format_args!("{} rests on {}", args.name, axioms.join(", ")));
            }
            PROVED
        }
    }
}

/// Names like a misspelt one.
fn near_names(s: &Session<'_>, name: &str) -> Vec<String> {
    let env = s.environment();
    let names: Vec<String> = env
        .constants()
        .map(|c| env.store().name_to_string(c.name()))
        .collect();
    near(name, names.iter().map(String::as_str))
        .into_iter()
        .map(|n| format!("`{n}`"))
        .collect()
}
