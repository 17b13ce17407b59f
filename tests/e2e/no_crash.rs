//! Garbage and extremes: whatever is read, the answer is a verdict (exit code 0, 1 or 2) within the time limit, never a
//! crash. The files of `tests/no-crash`, and large inputs that are made here.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};

use crate::files;

/// How long one input may take, on a slow and busy machine.
const LIMIT: Duration = Duration::from_secs(240);

/// The folder for files that tests write.
pub fn scratch(name: &str) -> Result<PathBuf, Failed> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

/// Runs the command on a file; an error if it does not answer.
fn answers(args: &[&str], name: &str) -> Result<(), Failed> {
    let log = scratch("no-crash")?.join(format!("{}.log", name.replace(['/', ' '], "-")));
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxprove"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&log)?)
        .spawn()?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Err(format!("no answer within {} s", LIMIT.as_secs()).into());
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let said = std::fs::read_to_string(&log).unwrap_or_default();
    match status.code() {
        Some(0..=2) if !said.contains("panicked") => Ok(()),
        Some(code) => Err(format!("exit code {code}\n{said}").into()),
        None => Err(format!("ended by a signal: {status}\n{said}").into()),
    }
}

fn command(path: &str) -> &'static str {
    if path.ends_with(".ptx") {
        "show"
    } else {
        "check"
    }
}

/// A name, the file's extension, and what is in it.
type Made = (&'static str, &'static str, fn() -> Vec<u8>);

/// Text between many repetitions of two others.
fn nested(before: &str, open: &str, inner: &str, close: &str, n: usize) -> Vec<u8> {
    format!("{before}{}{inner}{}\n", open.repeat(n), close.repeat(n)).into_bytes()
}

const NAT: &str = "inductive Nat where | zero : Nat | succ (n : Nat) : Nat\n";

const MADE: &[Made] = &[
    ("empty", "ptxp", Vec::new),
    ("nul-bytes", "ptxp", || vec![0; 4096]),
    ("not-utf8", "ptxp", || vec![0xff; 4096]),
    ("parentheses", "ptxp", || {
        nested("def a : Prop := ", "(", "a", ")", 100_000)
    }),
    ("open-parentheses", "ptxp", || {
        nested("def a : Prop := ", "(", "", "", 100_000)
    }),
    ("open-comments", "ptxp", || {
        nested("", "/-", "", "", 100_000)
    }),
    ("negations", "ptxp", || {
        nested(
            "def Not (p : Prop) : Prop := p\ntheorem a : ",
            "¬ ",
            "p",
            "",
            50_000,
        )
    }),
    ("arrows", "ptxp", || {
        nested("theorem a (p : Prop) : ", "p → ", "p", "", 20_000)
    }),
    ("lambdas", "ptxp", || {
        nested("def a := ", "fun (x : Prop) => ", "x", "", 10_000)
    }),
    ("successors", "ptxp", || {
        nested(
            &format!("{NAT}def a : Nat := "),
            "Nat.succ (",
            "Nat.zero",
            ")",
            10_000,
        )
    }),
    ("bullets", "ptxp", || {
        nested("theorem a : Prop := by ", "· ", "exact a", "", 20_000)
    }),
    ("long-name", "ptxp", || {
        nested("def ", "a.", "a : Prop := a", "", 50_000)
    }),
    ("large-universe", "ptxp", || {
        b"def a := Sort 4294967295\ndef b := Sort 99999999999999999999\n".to_vec()
    }),
    ("large-power", "ptxp", || {
        b"import \"PROOFS/lib/nat.ptxp\"\ntheorem a : 2 ^ 99999999999 = 0 := rfl\n".to_vec()
    }),
    ("large-difference", "ptxp", || {
        b"import \"PROOFS/lib/nat.ptxp\"\ntheorem a : 99999999999999999999 + 1 = 99999999999999999999 := rfl\n".to_vec()
    }),
    ("ackermann", "ptxp", || {
        format!("{NAT}def it (f : Nat → Nat) : Nat → Nat\n  | Nat.zero => f (Nat.succ Nat.zero)\n  | Nat.succ n => f (it f n)\n\
                 def ack : Nat → Nat → Nat\n  | Nat.zero => Nat.succ\n  | Nat.succ m => it (ack m)\n\
                 def four := Nat.succ (Nat.succ (Nat.succ (Nat.succ Nat.zero)))\n\
                 inductive Eq {{α : Type}} (a : α) : α → Prop where | refl : Eq a a\n\
                 theorem a : Eq (ack four four) four := Eq.refl\n").into_bytes()
    }),
    ("rewriting-in-a-circle", "ptxp", || {
        b"import \"PROOFS/lib/nat.ptxp\"\ntheorem a (x y : Nat) (h : x = y) (k : y = x) : x = 0 := by simp [h, k]\n".to_vec()
    }),
    ("imports-itself", "ptxp", || {
        b"import \"imports-itself.ptxp\"\ndef a : Prop := a\n".to_vec()
    }),
    ("empty", "ndjson", Vec::new),
    ("not-json", "ndjson", || b"{\n}\n[[[[\n".to_vec()),
    ("deep-json", "ndjson", || nested("", "[", "", "]", 200_000)),
    ("index-out-of-range", "ndjson", || {
        b"{\"meta\":{\"exporter\":{\"name\":\"x\",\"version\":\"3.1.0\"},\"format\":{\"version\":\"3.1.0\"}}}\n{\"ie\":0,\"app\":{\"fn\":7,\"arg\":8}}\n".to_vec()
    }),
    ("empty", "ptx", Vec::new),
    ("not-utf8", "ptx", || vec![0xfe; 1000]),
    ("braces", "ptx", || {
        nested(
            ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry a()\n{\n",
            "{",
            "",
            "}",
            50_000,
        )
    }),
    ("huge-register-range", "ptx", || {
        b".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry a()\n{\n.reg .b32 %r<4294967295>;\nret;\n}\n".to_vec()
    }),
    ("huge-literal", "ptx", || {
        b".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry a()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 99999999999999999999999999;\nret;\n}\n".to_vec()
    }),
];

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = MADE
        .iter()
        .map(|(name, extension, make)| {
            let file = format!("{name}.{extension}");
            Trial::test(format!("no-crash: {file}"), move || {
                let path = scratch("no-crash")?.join(&file);
                let proofs = crate::root().join("proofs");
                let mut text = make();
                if let Ok(s) = std::str::from_utf8(&text) {
                    text = s
                        .replace("PROOFS", &proofs.display().to_string())
                        .into_bytes();
                }
                std::fs::write(&path, text)?;
                let path = path.display().to_string();
                answers(&[command(&path), &path], &file)
            })
        })
        .collect();
    for extension in ["ptxp", "ndjson", "ptx"] {
        for path in files("tests/no-crash", extension) {
            let path = path.display().to_string();
            trials.push(Trial::test(path.clone(), move || {
                answers(&[command(&path), &path], &path)
            }));
        }
    }
    trials
}
