//! What the command line accepts.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Proofs about the PTX that really runs.
///
/// Exit code: 0 if everything asked for is proved (or as expected), 1 if something is not, 2 if something cannot be read.
#[derive(Parser)]
#[command(name = "ptxprove", version, propagate_version = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// No progress on standard error.
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Check proofs: scripts (.ptxp), folders of them, or exports (.ndjson, .ndjson.xz)
    Check(CheckArgs),
    /// Show the goals at a place of a script
    Goal(GoalArgs),
    /// Write what was proved for Lean 4: as NDJSON for checkers, or as .lean files for people
    Export(ExportArgs),
    /// List the axioms that a theorem rests on
    Axioms(AxiomsArgs),
    /// Show what is in a PTX file, and which of its instructions have a meaning
    Show(ShowArgs),
    /// Run kernels on this machine, as a launch file says, and compare what comes out
    Run(RunArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// `ptxprove check`
#[derive(clap::Args)]
pub struct CheckArgs {
    /// Scripts, folders of scripts, .ndjson or .ndjson.xz files (`-` reads NDJSON from standard input)
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Let holes (`sorry`) pass; they are still reported by name
    #[arg(long)]
    pub allow_sorry: bool,
    /// List definitions too, not only theorems and kernels
    #[arg(long)]
    pub all: bool,
    /// Print on standard error how long each script took, with what it imports first
    #[arg(long)]
    pub timings: bool,
    /// Check again whenever a file changes, only what the change concerns; Ctrl-C ends
    #[arg(long, conflicts_with = "jobs")]
    pub watch: bool,
    /// How many scripts to check at the same time
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
}

/// `ptxprove goal`
#[derive(clap::Args)]
pub struct GoalArgs {
    /// The place: FILE:LINE:COLUMN, or FILE:LINE for the first thing in the line
    #[arg(value_name = "FILE:LINE:COL")]
    pub place: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `ptxprove export`
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("into").required(true).multiple(true).args(["ndjson", "lean"])))]
pub struct ExportArgs {
    /// Scripts or folders of scripts
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Write NDJSON (lean4export 3.1.0) to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub ndjson: Option<PathBuf>,
    /// Write .lean files into this folder
    #[arg(long, value_name = "DIR")]
    pub lean: Option<PathBuf>,
}

/// `ptxprove axioms`
#[derive(clap::Args)]
pub struct AxiomsArgs {
    /// The full name of the theorem
    pub name: String,
    /// Where to look: scripts or folders of scripts
    #[arg(default_value = "proofs")]
    pub paths: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `ptxprove show`
#[derive(clap::Args)]
pub struct ShowArgs {
    /// The PTX file
    pub file: PathBuf,
    /// Only this entry
    #[arg(long)]
    pub entry: Option<String>,
    /// List every instruction
    #[arg(long)]
    pub instructions: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `ptxprove run`
#[derive(clap::Args)]
pub struct RunArgs {
    /// The PTX file; without it, those that the launch file names
    pub file: Option<PathBuf>,
    /// The launch file: buffers, launches, and what is expected
    #[arg(long, short, value_name = "FILE.toml")]
    pub launch: PathBuf,
    /// Decides everything that PTX leaves open: who runs when, what unwritten memory holds
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Run with this many seeds, one after the other
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub seeds: Option<u32>,
    /// Write what each buffer holds in the end into this folder, as .npy files
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print every step; with a filter, those whose line has all of its words
    #[arg(long, value_name = "FILTER", num_args = 0..=1, default_missing_value = "", require_equals = true, conflicts_with = "json")]
    pub trace: Option<String>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// How many instructions each launch may do, instead of what the launch file says
    #[arg(long, value_name = "STEPS")]
    pub limit: Option<u64>,
}
