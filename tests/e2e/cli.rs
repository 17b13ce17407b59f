//! The commands, run as a user runs them: exit codes, what goes where, and that equal input gives equal output.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::no_crash::scratch;
use crate::transcript::shell;

const GOOD: &str = "tests/cli/good.ptxp";
const BAD: &str = "tests/cli/bad.ptxp";
const HOLE: &str = "tests/cli/hole.ptxp";
const PTX: &str = "tests/kernels/cuda/vadd.sm_90a.ptx";

fn ptxprove(args: &[&str]) -> Result<Output, Failed> {
    Ok(command(args).output()?)
}

fn command(args: &[&str]) -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_ptxprove"));
    c.args(args).env_remove("NO_COLOR").stdin(Stdio::null());
    c
}

pub fn out(o: &Output) -> String {
    String::from_utf8_lossy(&o.stdout).into_owned()
}

pub fn err(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

pub fn ensure(holds: bool, what: &str, o: &Output) -> Result<(), Failed> {
    match holds {
        true => Ok(()),
        false => {
            let (code, out, err) = (o.status, out(o), err(o));
            Err(format!("{what}\n{code}\nstandard output:\n{out}\nstandard error:\n{err}").into())
        }
    }
}

/// Runs the command; its exit code has to be `code`, and the text has to be in its output.
pub fn expect(args: &[&str], code: i32, text: &str) -> Result<Output, Failed> {
    let o = ptxprove(args)?;
    ensure(
        o.status.code() == Some(code),
        &format!("expected exit code {code}"),
        &o,
    )?;
    let all = format!("{}{}", out(&o), err(&o));
    ensure(all.contains(text), &format!("expected `{text}`"), &o)?;
    Ok(o)
}

fn codes() -> Result<(), Failed> {
    expect(&["check", GOOD], 0, "✓ theorem swap")?;
    expect(&["check", PTX], 2, "`ptxprove show`")?;
    expect(&["check", BAD], 1, "✗ theorem both")?;
    expect(&["check", HOLE], 1, "○ theorem uses")?;
    expect(&["check", "--allow-sorry", HOLE], 0, "has a hole (sorry)")?;
    expect(
        &["check", "tests/cli/missing.ptxp"],
        2,
        "cannot read tests/cli/missing.ptxp",
    )?;
    expect(&["check", "src"], 2, "no scripts (.ptxp) in src")?;
    expect(
        &["check", "missing.ndjson"],
        2,
        "cannot read missing.ndjson",
    )?;
    expect(&["check"], 2, "Usage: ptxprove check")?;
    expect(&["frobnicate"], 2, "unrecognized subcommand")?;
    expect(&["--version"], 0, "ptxprove 0.")?;
    Ok(())
}

/// A verdict on one file does not hide that on another, and the worst one counts.
fn worst_code() -> Result<(), Failed> {
    let o = expect(&["check", GOOD, BAD], 1, "✓ theorem swap")?;
    ensure(
        out(&o).contains("✗ theorem three"),
        "both files are reported",
        &o,
    )?;
    Ok(())
}

/// Errors show the place, the goal and what is known.
fn diagnostics() -> Result<(), Failed> {
    let o = expect(&["check", BAD], 1, "tests/cli/bad.ptxp:4:")?;
    let text = err(&o);
    for part in ["tests/cli/bad.ptxp:8:", "hp : p", "hq : q", "⊢ q"] {
        ensure(
            text.contains(part),
            &format!("expected `{part}` on standard error"),
            &o,
        )?;
    }
    ensure(
        !out(&o).contains("⊢"),
        "goals are on standard error only",
        &o,
    )
}

/// Equal input gives equal output, on any number of threads.
fn deterministic() -> Result<(), Failed> {
    for format in [&["--all"][..], &["--json"]] {
        let run = |jobs: &str| {
            let mut args = vec!["check", "proofs/lib", "proofs/ptx", GOOD, BAD, "-j", jobs];
            args.extend(format);
            ptxprove(&args)
        };
        let first = run("1")?;
        for (what, other) in [("a second run", run("1")?), ("three threads", run("3")?)] {
            if first.stdout != other.stdout || first.stderr != other.stderr {
                let (a, b) = (out(&first) + &err(&first), out(&other) + &err(&other));
                let differ = a.lines().zip(b.lines()).filter(|(x, y)| x != y).take(5);
                let lines: Vec<String> = differ
                    .map(|(x, y)| format!("once:  {x}\nother: {y}\n"))
                    .collect();
                return Err(format!("{what} print something else:\n{}", lines.concat()).into());
            }
        }
    }
    Ok(())
}

fn times_on_stderr() -> Result<(), Failed> {
    let plain = ptxprove(&["check", GOOD])?;
    let timed = ptxprove(&["check", "--timings", GOOD])?;
    ensure(
        plain.stdout == timed.stdout,
        "times are on standard output",
        &timed,
    )?;
    ensure(
        plain.stderr.is_empty(),
        "something is on standard error",
        &plain,
    )?;
    ensure(
        err(&timed).contains(" s  in all\n"),
        "no times on standard error",
        &timed,
    )
}

fn colours() -> Result<(), Failed> {
    let o = ptxprove(&["check", BAD])?;
    let escapes = |o: &Output| o.stdout.contains(&0x1b) || o.stderr.contains(&0x1b);
    ensure(!escapes(&o), "colours without a terminal", &o)?;
    let o = command(&["check", "--color", "always", BAD])
        .env("NO_COLOR", "1")
        .output()?;
    ensure(
        o.stdout.contains(&0x1b) && o.stderr.contains(&0x1b),
        "no colours with --color always",
        &o,
    )?;
    let o = ptxprove(&["--color", "never", "check", BAD])?;
    ensure(!escapes(&o), "colours with --color never", &o)
}

/// A reader that goes away is no error, and the verdict stays.
fn closed_pipe() -> Result<(), Failed> {
    for (args, code) in [
        (&["check", "--all", "proofs/lib"][..], 0),
        (&["show", "--instructions", PTX], 0),
    ] {
        let mut child = command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().ok_or("no output")?;
        BufReader::with_capacity(16, stdout).read_line(&mut line)?;
        let o = child.wait_with_output()?;
        ensure(!err(&o).contains("panicked"), "it panics", &o)?;
        ensure(o.status.code() == Some(code), "the exit code changes", &o)?;
    }
    Ok(())
}

fn json() -> Result<(), Failed> {
    let o = expect(&["check", "--json", BAD, GOOD], 1, "")?;
    let v: Value = serde_json::from_slice(&o.stdout)?;
    ensure(v["verdict"] == "not proved", "the verdict", &o)?;
    ensure(o.stderr.is_empty(), "something is on standard error", &o)?;
    let files = v["files"].as_array().ok_or("no files")?;
    let bad = files
        .iter()
        .find(|f| f["path"] == BAD)
        .ok_or("the script is not there")?;
    ensure(bad["imported"] == false, "imported", &o)?;
    ensure(bad["messages"][0]["place"]["line"] == 4, "the line", &o)?;
    ensure(
        bad["declarations"][0]["status"] == "failed",
        "the status",
        &o,
    )?;
    let good = files
        .iter()
        .find(|f| f["path"] == GOOD)
        .ok_or("the script is not there")?;
    ensure(good["declarations"][1]["name"] == "swap", "the name", &o)?;
    ensure(
        good["declarations"][1]["steps"]
            .as_u64()
            .is_some_and(|n| n > 0),
        "steps",
        &o,
    )?;
    let o = expect(&["axioms", "--json", "swap", GOOD], 0, "")?;
    let v: Value = serde_json::from_slice(&o.stdout)?;
    ensure(v["axioms"] == Value::Array(Vec::new()), "axioms", &o)?;
    let o = ptxprove(&["show", "--json", PTX])?;
    let v: Value = serde_json::from_slice(&o.stdout)?;
    ensure(
        v["entries"][0]["instructions"][0]["line"]
            .as_u64()
            .is_some(),
        "lines of instructions",
        &o,
    )
}

fn axioms() -> Result<(), Failed> {
    expect(&["axioms", "swap", GOOD], 0, "swap rests on no axioms")?;
    expect(
        &["axioms", "funext", "proofs/lib"],
        0,
        "funext rests on Quot.sound",
    )?;
    expect(&["axioms", "uses", HOLE], 0, "uses rests on sorryAx")?;
    expect(&["axioms", "swop", GOOD], 2, "did you mean `swap`")?;
    Ok(())
}

fn show() -> Result<(), Failed> {
    expect(
        &["show", PTX],
        0,
        "entry vadd: 22/22 instructions have a meaning in the logic",
    )?;
    expect(&["show", PTX, "--entry", "vad"], 2, "its entries are ")?;
    expect(&["show", "Cargo.toml"], 2, "Cargo.toml:")?;
    expect(&["show", "missing.ptx"], 2, "cannot read missing.ptx")?;
    Ok(())
}

/// The `.lean` files are the same twice, and hold the statements.
fn export_lean() -> Result<(), Failed> {
    let dir = scratch("lean")?;
    let mut written = Vec::new();
    for name in ["first", "second"] {
        let dir = dir.join(name);
        let _ = std::fs::remove_dir_all(&dir);
        expect(
            &["export", "--lean", &dir.display().to_string(), GOOD],
            0,
            "Lean files",
        )?;
        let mut files = Vec::new();
        let mut todo = vec![dir.clone()];
        while let Some(d) = todo.pop() {
            for path in std::fs::read_dir(&d)?.flatten().map(|e| e.path()) {
                if path.is_dir() {
                    todo.push(path);
                } else {
                    let text = std::fs::read_to_string(&path)?;
                    files.push((path.strip_prefix(&dir)?.to_owned(), text));
                }
            }
        }
        files.sort();
        written.push(files);
    }
    if written[0] != written[1] {
        return Err("a second export differs".into());
    }
    match written[0]
        .iter()
        .any(|(_, text)| text.contains("theorem swap"))
    {
        true => Ok(()),
        false => Err("the theorem is in no file".into()),
    }
}

/// What is exported is accepted when it is read again, the same twice; nothing is exported of what is not proved.
fn export() -> Result<(), Failed> {
    let dir = scratch("export")?;
    let (first, second) = (dir.join("first.ndjson"), dir.join("second.ndjson"));
    for file in [&first, &second] {
        expect(
            &["export", "--ndjson", &file.display().to_string(), GOOD],
            0,
            "declarations written",
        )?;
    }
    let text = std::fs::read_to_string(&first)?;
    if text != std::fs::read_to_string(&second)? {
        return Err("a second export differs".into());
    }
    let piped = ptxprove(&["export", "--ndjson", "-", GOOD])?;
    ensure(out(&piped) == text, "`-` writes something else", &piped)?;
    expect(&["check", &first.display().to_string()], 0, "theorems")?;
    let none = dir.join("none.ndjson");
    for script in [BAD, HOLE] {
        let o = expect(
            &["export", "--ndjson", &none.display().to_string(), script],
            1,
            "nothing is exported",
        )?;
        ensure(!none.exists(), "a file was written", &o)?;
    }
    expect(&["export", GOOD], 2, "--ndjson")?;
    expect(
        &["export", "--ndjson", "/nowhere/x.ndjson", GOOD],
        2,
        "cannot write /nowhere/x.ndjson",
    )?;
    Ok(())
}

fn check_stdin(text: &str) -> Result<Output, Failed> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxprove"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("no input")?;
    // The reader may stop at the first error.
    let _ = stdin.write_all(text.as_bytes());
    drop(stdin);
    Ok(child.wait_with_output()?)
}

/// An export in which something was changed is refused: that is a verdict (1), what cannot be read is not (2).
fn changed_exports() -> Result<(), Failed> {
    let o = ptxprove(&["export", "--ndjson", "-", GOOD])?;
    let text = out(&o);
    let same = check_stdin(&text)?;
    ensure(
        same.status.code() == Some(0),
        "the export itself is refused",
        &same,
    )?;

    // The proof of an earlier theorem in place of a later one's.
    let value = |name: &str| -> Result<String, Failed> {
        let v: Value = serde_json::from_str(declaration(&text, name)?)?;
        Ok(format!("\"value\":{}", v["thm"]["value"]))
    };
    let line = declaration(&text, "swap")?;
    let forged_line = line.replace(&value("swap")?, &value("two")?);
    ensure(line != forged_line, "nothing is swapped", &o)?;
    let forged = text.replace(line, &forged_line);
    let o = check_stdin(&forged)?;
    ensure(
        o.status.code() == Some(1),
        "a swapped proof is not refused",
        &o,
    )?;
    ensure(
        err(&o).contains("`swap` is refused"),
        "the refusal does not name the theorem",
        &o,
    )?;

    let cut = &text[..text.len() / 2];
    let o = check_stdin(cut)?;
    ensure(o.status.code() == Some(2), "half an export is read", &o)?;
    let o = check_stdin("garbage\n")?;
    ensure(o.status.code() == Some(2), "garbage is read", &o)
}

/// The line that declares a theorem in an export.
fn declaration<'t>(text: &'t str, name: &str) -> Result<&'t str, Failed> {
    let index = text
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        .find(|v| v["str"]["str"] == name && v["str"]["pre"] == 0)
        .and_then(|v| v["in"].as_u64())
        .ok_or("the name is not there")?;
    text.lines()
        .find(|l| {
            l.contains("\"thm\"")
                && serde_json::from_str::<Value>(l).is_ok_and(|v| v["thm"]["name"] == index)
        })
        .ok_or_else(|| "the theorem is not there".into())
}

/// The completion script of each shell names the commands, and is accepted by the shell if it is installed.
fn completions() -> Result<(), Failed> {
    for shell_name in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let o = expect(&["completions", shell_name], 0, "axioms")?;
        ensure(
            out(&o).contains("export") && out(&o).contains("json"),
            "commands or options are missing",
            &o,
        )?;
    }
    let (code, text) = shell("ptxprove completions bash | bash -n")?;
    match code {
        0 => Ok(()),
        _ => Err(format!("bash does not accept its completion script: {text}").into()),
    }
}

/// Scripts are found in folders, each once, however it is named; links round in a circle do no harm.
fn folders() -> Result<(), Failed> {
    let dir = scratch("folders")?;
    std::fs::create_dir_all(dir.join("inner"))?;
    std::fs::write(
        dir.join("inner/a.ptxp"),
        "theorem here (p : Prop) (h : p) : p := h\n",
    )?;
    std::fs::write(
        dir.join("b.ptxp"),
        "import \"inner/a.ptxp\"\ntheorem there (p : Prop) (h : p) : p := here p h\n",
    )?;
    #[cfg(unix)]
    {
        let link = dir.join("loop");
        if link.is_symlink() {
            std::fs::remove_file(&link)?;
        }
        std::os::unix::fs::symlink(&dir, link)?;
    }
    let (folder, file) = (
        dir.display().to_string(),
        dir.join("inner/../b.ptxp").display().to_string(),
    );
    let o = expect(
        &["check", &folder, &file, &folder],
        0,
        "2 scripts: 2 theorems proved",
    )?;
    ensure(
        out(&o).matches("theorem here").count() == 1,
        "a theorem is listed twice",
        &o,
    )
}

/// A script sees only what it imports, whatever else is checked; and what two scripts do to each other does not depend on
/// the number of threads.
fn apart() -> Result<(), Failed> {
    let dir = scratch("apart")?;
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text);
    write("a.ptxp", "theorem here (p : Prop) (h : p) : p := h\n")?;
    write(
        "b.ptxp",
        "theorem there (p : Prop) (h : p) : p := here p h\n",
    )?;
    let folder = dir.display().to_string();
    let o = expect(&["check", &folder], 1, "unknown name `here`")?;
    ensure(
        out(&o).contains("✓ theorem here"),
        "the first script is accepted",
        &o,
    )?;
    write("b.ptxp", "theorem here (p q : Prop) (h : q) : q := h\n")?;
    let one = expect(&["check", &folder], 1, "`here` is declared already")?;
    let two = expect(
        &["check", &folder, "-j", "2"],
        1,
        "`here` is declared already",
    )?;
    ensure(
        one.stdout == two.stdout && one.stderr == two.stderr,
        "two threads print something else",
        &two,
    )
}

/// Optional assumptions are printed, also those that a definition hides.
fn assumptions() -> Result<(), Failed> {
    let o = expect(
        &["check", "tests/cli/assumptions.ptxp"],
        0,
        "✓ theorem hidden",
    )?;
    let lines: Vec<String> = out(&o).lines().map(str::to_owned).collect();
    let below = |name: &str| {
        let i = lines.iter().position(|l| l.contains(name))?;
        lines[i + 1..]
            .iter()
            .find_map(|l| l.trim().strip_prefix("assumptions: ").map(str::to_owned))
    };
    let hidden = below("theorem hidden").unwrap_or_default();
    ensure(
        hidden.split(", ").count() == 7,
        "the seven switches are not printed",
        &o,
    )?;
    ensure(
        below("theorem hyp").as_deref() == Some("unknown"),
        "a restricted variable is not unknown",
        &o,
    )
}

/// What a file is named or holds cannot make the terminal do something.
fn control_characters() -> Result<(), Failed> {
    let dir = scratch("control")?;
    let script = dir.join("a.ptxp");
    std::fs::write(
        &script,
        "theorem «a\u{1b}[2Jb» (p : Prop) (h : p) : p := h\ntheorem «x.y» : Prop := \u{1b}[31m\n",
    )?;
    let o = ptxprove(&["check", &script.display().to_string()])?;
    let all = format!("{}{}", out(&o), err(&o));
    ensure(
        !all.contains('\u{1b}'),
        "an escape sequence comes through",
        &o,
    )?;
    ensure(all.contains("«x.y»"), "a name is not told from a path", &o)
}

/// Axioms of an export are listed, others than the three on a line of their own; one under a name of the three must say
/// what Lean's says.
fn exported_axioms() -> Result<(), Failed> {
    let o = ptxprove(&["export", "--ndjson", "-", GOOD])?;
    let text = out(&o);
    let renamed = text.replace("\"str\":\"propext\"", "\"str\":\"propaxt\"");
    ensure(renamed != text, "there is no propext", &o)?;
    let o = check_stdin(&renamed)?;
    ensure(
        o.status.code() == Some(0) && out(&o).contains("      other axioms: propaxt\n"),
        "an axiom of another name is not listed",
        &o,
    )?;
    // The statement of an earlier theorem as that of `propext`, at the end.
    let lines: Vec<&str> = text.lines().collect();
    let axiom = |l: &str| l.starts_with("{\"axiom\"");
    let statement = |l: &str| l.starts_with("{\"thm\"") && l.contains("\"levelParams\":[]");
    let at = lines.iter().position(|l| axiom(l)).ok_or("no axiom")?;
    let mut forged: Value = serde_json::from_str(lines[at])?;
    let theorem = lines[..at].iter().find(|l| statement(l));
    let theorem = theorem.ok_or("no theorem")?;
    forged["axiom"]["type"] = serde_json::from_str::<Value>(theorem)?["thm"]["type"].clone();
    forged["axiom"]["levelParams"] = Value::Array(Vec::new());
    let o = check_stdin(&format!("{}\n{forged}\n", lines[..at].join("\n")))?;
    ensure(
        o.status.code() == Some(1) && err(&o).contains("does not state what Lean's states"),
        "an axiom under a permitted name passes",
        &o,
    )
}

/// A packed export; what is no such thing cannot be read.
fn packed_exports() -> Result<(), Failed> {
    expect(
        &["check", "tests/cli/tree.ndjson.xz"],
        0,
        "✓ 21 declarations",
    )?;
    let dir = scratch("packed")?;
    let bytes = std::fs::read("tests/cli/tree.ndjson.xz")?;
    for (name, bytes, why) in [
        ("cut.ndjson.xz", &bytes[..bytes.len() / 2], "cannot read"),
        ("plain.ndjson.xz", &b"{}\n"[..], "line 1: cannot read"),
    ] {
        let file = dir.join(name);
        std::fs::write(&file, bytes)?;
        expect(&["check", &file.display().to_string()], 2, why)?;
    }
    Ok(())
}

type Case = (&'static str, fn() -> Result<(), Failed>);

/// What a script imports is reported before it, whatever the alphabet says.
fn causes_first() -> Result<(), Failed> {
    let dir = scratch("causes-first")?;
    std::fs::write(
        dir.join("a.ptxp"),
        "import \"b.ptxp\"\ntheorem user : cause = cause := rfl\n",
    )?;
    std::fs::write(dir.join("b.ptxp"), "def cause : Nowhere := 0\n")?;
    for jobs in ["1", "2"] {
        let o = command(&["check", ".", "-j", jobs])
            .current_dir(&dir)
            .output()?;
        ensure(o.status.code() == Some(1), "expected exit code 1", &o)?;
        let text = err(&o);
        let first = text.find("Nowhere").zip(text.find("`cause`"));
        ensure(
            first.is_some_and(|(a, b)| a < b),
            "expected the cause first",
            &o,
        )?;
    }
    Ok(())
}

/// A script named without a folder finds its imports; an entry without a meaning is named, not dropped.
fn current_folder() -> Result<(), Failed> {
    let folder = Path::new("proofs/lib");
    let o = command(&["check", "omega.ptxp"])
        .current_dir(folder)
        .output()?;
    ensure(o.status.code() == Some(0), "expected exit code 0", &o)?;
    let dir = scratch("current-folder")?;
    let root = std::env::current_dir()?;
    let isa = root.join("proofs/ptx/isa.ptxp");
    let ptx = root.join("tests/kernels/cuda/hopper_tma_wgmma.sm_90a.ptx");
    let script = format!("import {isa:?}\nptx_module m from {ptx:?}\n");
    std::fs::write(dir.join("s.ptxp"), script)?;
    let o = command(&["check", "s.ptxp"]).current_dir(&dir).output()?;
    ensure(o.status.code() == Some(0), "expected exit code 0", &o)?;
    let named = err(&o).contains("becomes no constant");
    ensure(named, "expected the entries without a meaning", &o)
}

pub fn trials() -> Vec<Trial> {
    let all: [Case; 22] = [
        ("causes first", causes_first),
        ("current folder", current_folder),
        ("exit codes", codes),
        ("the worst exit code", worst_code),
        ("diagnostics", diagnostics),
        ("equal output", deterministic),
        ("times", times_on_stderr),
        ("colours", colours),
        ("closed pipe", closed_pipe),
        ("json", json),
        ("axioms", axioms),
        ("show", show),
        ("export", export),
        ("export for readers", export_lean),
        ("changed exports", changed_exports),
        ("completions", completions),
        ("folders", folders),
        ("scripts apart", apart),
        ("assumptions", assumptions),
        ("control characters", control_characters),
        ("exported axioms", exported_axioms),
        ("packed exports", packed_exports),
    ];
    all.into_iter()
        .map(|(name, f)| Trial::test(format!("cli: {name}"), f))
        .collect()
}
