//! The two judges: our kernel in this process, the official one in its own, which may crash.

use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use bumpalo::Bump;
use export_lean::ReadError;
use logic::{Environment, KernelError, Limits, Store};

/// What a judge says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every declaration was accepted.
    Accepted,
    /// A declaration was refused; the reason.
    Refused(String),
    /// A literal was refused, because the file's `Nat`, `Char`, `List` or `String` are not Lean's, where the official kernel goes
    /// by their names; or a bound variable without binder, which the official kernel takes for a parameter in the type of a
    /// constructor.
    Stricter(String),
    /// What the file says of derived constants is not what the kernel derives; the reason.
    Differs(String),
    /// The file does not follow the format; the reason.
    Malformed(String),
    /// A limit was reached: no verdict.
    Limit,
    /// The judge panicked or its process ended.
    Crashed(String),
}

impl Verdict {
    /// One letter.
    pub fn letter(&self) -> char {
        match self {
            Verdict::Accepted => 'a',
            Verdict::Refused(_) => 'r',
            Verdict::Stricter(_) => 's',
            Verdict::Differs(_) => 'd',
            Verdict::Malformed(_) => 'm',
            Verdict::Limit => 'l',
            Verdict::Crashed(_) => 'c',
        }
    }

    /// Letter and reason.
    pub fn text(&self) -> String {
        match self {
            Verdict::Accepted => "accepted".to_owned(),
            Verdict::Refused(why) => format!("refused: {why}"),
            Verdict::Stricter(why) => format!("refused on purpose: {why}"),
            Verdict::Differs(why) => format!("not as derived: {why}"),
            Verdict::Malformed(why) => format!("malformed: {why}"),
            Verdict::Limit => "no verdict: a limit".to_owned(),
            Verdict::Crashed(why) => format!("crashed: {why}"),
        }
    }
}

/// Whether two letters, ours and the official kernel's, call for a look. A limit or a crash of theirs is no verdict.
///
/// In a file that was `changed`, what is said of derived constants may be equal to what is derived in one sense and not in the
/// other: we compare types and rules of recursors as checked terms up to definitional equality, and do not care how universe
/// parameters are called; the driver of the official kernel compares unchecked terms, and names.
pub fn differ(ours: char, theirs: char, changed: bool) -> bool {
    match (ours, theirs) {
        ('c', _) => true,
        (_, 'l' | 'c' | '-') | ('l' | 's', _) => false,
        ('a', 'd') | ('d', 'a') if changed => false,
        (a, b) => (a == 'a') != (b == 'a'),
    }
}

/// Steps that our kernel may take for one declaration of a mutant.
const STEPS: u64 = 2_000_000;

/// Terms that it may make.
const TERMS: u32 = 1_000_000;

/// Limits for our kernel.
pub fn limits() -> Limits {
    Limits {
        max_steps: STEPS,
        max_terms: TERMS,
        ..Limits::default()
    }
}

/// Our kernel's verdict on a file.
pub fn ours(text: &str) -> Verdict {
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let bump = Bump::new();
        let store = Store::new(&bump);
        let mut env = Environment::new_with(&store, limits());
        match export_lean::read_ndjson(text.as_bytes(), &mut env) {
            Ok(_) => Verdict::Accepted,
            Err(ReadError::Refused { rule, .. }) if is_limit(&rule) => Verdict::Limit,
            Err(ReadError::Refused { rule, message, .. })
                if matches!(
                    *rule,
                    KernelError::NatLiteral
                        | KernelError::StringLiteral
                        | KernelError::LooseBVar(_)
                ) =>
            {
                Verdict::Stricter(message)
            }
            Err(e @ ReadError::Refused { .. }) => Verdict::Refused(e.to_string()),
            Err(e @ ReadError::Differs { .. }) => Verdict::Differs(e.to_string()),
            Err(e) => Verdict::Malformed(e.to_string()),
        }
    }));
    judged.unwrap_or_else(|_| Verdict::Crashed("a panic".to_owned()))
}

fn is_limit(rule: &KernelError) -> bool {
    use KernelError::{NatTooBig, OutOfSteps, TooDeep, TooManyTerms};
    matches!(rule, OutOfSteps | TooDeep | NatTooBig | TooManyTerms)
}

/// The official kernel. Its process is started again when it ends, and now and then, since it never frees anything.
pub struct Official {
    program: PathBuf,
    process: Option<Process>,
}

struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    judged: usize,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A process judges this many files.
const FILES: usize = 400;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

impl Official {
    /// The judge that this program is.
    pub fn new(program: PathBuf) -> Official {
        Official {
            program,
            process: None,
        }
    }

    fn start(&self) -> std::io::Result<Process> {
        let mut child = Command::new(&self.program)
            .arg("--batch")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("no pipes"));
        };
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Process {
            child,
            input,
            answers,
            judged: 0,
        })
    }

    /// The verdict on a file.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn judge(&mut self, file: &Path) -> std::io::Result<Verdict> {
        if self.process.as_ref().is_none_or(|p| p.judged >= FILES) {
            self.process = None;
            self.process = Some(self.start()?);
        }
        let Some(p) = &mut self.process else {
            return Err(std::io::Error::other("no process"));
        };
        p.judged += 1;
        let asked = writeln!(p.input, "{}", file.display()).and_then(|()| p.input.flush());
        let answer = match asked {
            Ok(()) => p.answers.recv_timeout(PATIENCE).ok(),
            Err(_) => None,
        };
        Ok(match answer {
            Some(line) => read(&line),
            None => {
                let ended = p.child.try_wait().ok().flatten();
                self.process = None;
                match ended {
                    Some(status) => Verdict::Crashed(status.to_string()),
                    None => Verdict::Limit,
                }
            }
        })
    }
}

fn read(line: &str) -> Verdict {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let limit = [
        "deterministic timeout",
        "deepRecursion",
        "heartbeats",
        "excessiveMemory",
        "refused to evaluate",
    ];
    match word {
        "accepted" => Verdict::Accepted,
        "refused" if limit.iter().any(|l| rest.contains(l)) => Verdict::Limit,
        "refused" if rest.starts_with("derived ") => Verdict::Differs(rest.to_owned()),
        "refused" => Verdict::Refused(rest.to_owned()),
        _ => Verdict::Malformed(rest.to_owned()),
    }
}
