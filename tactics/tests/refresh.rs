//! A session that keeps what a change does not concern says the same of every script as one that reads everything anew.

use std::path::{Path, PathBuf};

use bumpalo::Bump;
use logic::Store;
use tactics::driver::{FileReport, LoadError, Session};

/// What the scripts hold, by turns: right, wrong, with other imports, with names that clash, that hide, that come and go.
const TEXTS: [&[&str]; 4] = [
    &[
        "import \"LIB/core.ptxp\"\ntheorem base : 1 = 1 := rfl\n",
        "import \"LIB/core.ptxp\"\ntheorem base : 2 = 2 := rfl\n",
        "import \"LIB/core.ptxp\"\ntheorem base : 1 = 2 := rfl\n",
        "import \"LIB/core.ptxp\"\n@[simp] theorem zero (n : Nat) : n + 0 = n := rfl\n",
    ],
    &[
        "import \"a.ptxp\"\ntheorem first : 1 = 1 := base\n",
        "import \"a.ptxp\"\ntheorem first (n : Nat) : n + 0 = n := by simp\n",
        "import \"LIB/core.ptxp\"\ntheorem first : 1 = 1 := base\n",
        "import \"c.ptxp\"\ntheorem first : 1 = 1 := rfl\n",
    ],
    &[
        "import \"a.ptxp\"\nimport \"b.ptxp\"\ntheorem second : 1 = 1 := first\n",
        "import \"LIB/core.ptxp\"\ntheorem second : 1 = 1 := rfl\ntheorem second : 1 = 1 := rfl\n",
        "import \"missing.ptxp\"\ntheorem second : True := True.intro\n",
        "import \"LIB/core.ptxp\"\naxiom wrong : False\ntheorem second : 1 = 2 := wrong.elim\n",
    ],
    &[
        "import \"c.ptxp\"\ntheorem third : 1 = 1 := second\n",
        "import \"LIB/core.ptxp\"\ntheorem first : 3 = 3 := rfl\n",
        "import \"b.ptxp\"\ntheorem third : 1 = 1 := sorry\n",
        "import \"LIB/core.ptxp\"\nptx_module m from \"missing.ptx\"\n",
    ],
];

const NAMES: [&str; 4] = ["a.ptxp", "b.ptxp", "c.ptxp", "d.ptxp"];

fn lib() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("../proofs/lib").display().to_string()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("refresh")
}

fn put(session: &mut Session<'_>, file: usize, version: usize) -> Result<(), LoadError> {
    let text = TEXTS[file][version].replace("LIB", &lib());
    session.replace_file(&folder().join(NAMES[file]), text)
}

/// The reports by path.
fn sorted(session: &Session<'_>) -> Vec<FileReport> {
    let mut reports = session.reports().to_vec();
    reports.sort_by(|a, b| a.path.cmp(&b.path));
    reports
}

#[test]
fn the_same_as_from_the_start() -> Result<(), LoadError> {
    let roots: Vec<PathBuf> = NAMES.iter().map(|n| folder().join(n)).collect();
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut kept = Session::new(&store);
    kept.remember_states();
    let mut version = [0; 4];
    for (file, v) in version.iter().enumerate() {
        put(&mut kept, file, *v)?;
    }
    assert_eq!(kept.refresh(&roots).run.len(), 5, "everything is run once");
    // A fixed walk through the versions (a linear congruence), one script at a time.
    let mut state: u32 = 1;
    for step in 0..120 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (file, v) = ((state >> 24) as usize % 4, (state >> 16) as usize % 4);
        version[file] = v;
        put(&mut kept, file, v)?;
        // Now and then a script is not asked for.
        let roots = if step % 7 == 6 {
            &roots[..3]
        } else {
            &roots[..]
        };
        let done = kept.refresh(roots);
        assert!(
            !done.run.iter().any(|p| p.ends_with("core.ptxp")),
            "the library is run again"
        );

        let bump = Bump::new();
        let store = Store::new(&bump);
        let mut fresh = Session::new(&store);
        for (file, v) in version.iter().enumerate() {
            put(&mut fresh, file, *v)?;
        }
        let again = fresh.refresh(roots);
        let told =
            |errors: &[LoadError]| errors.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(told(&done.unreadable), told(&again.unreadable));
        for (k, f) in sorted(&kept).iter().zip(&sorted(&fresh)) {
            assert_eq!(k, f, "step {step}: versions {version:?}");
        }
        assert_eq!(kept.reports().len(), fresh.reports().len(), "step {step}");
    }
    Ok(())
}

#[test]
fn only_what_a_change_concerns_is_run() -> Result<(), LoadError> {
    let roots: Vec<PathBuf> = NAMES.iter().map(|n| folder().join(n)).collect();
    let bump = Bump::new();
    let store = Store::new(&bump);
    let mut session = Session::new(&store);
    session.remember_states();
    for file in 0..4 {
        put(&mut session, file, 0)?;
    }
    session.refresh(&roots);
    let names = |run: Vec<PathBuf>| -> Vec<String> {
        let name = |p: &PathBuf| {
            p.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        run.iter().map(name).collect()
    };
    put(&mut session, 3, 2)?;
    assert_eq!(names(session.refresh(&roots).run), ["d.ptxp"]);
    assert!(session.refresh(&roots).run.is_empty(), "nothing changed");
    put(&mut session, 1, 1)?;
    assert_eq!(
        names(session.refresh(&roots).run),
        ["b.ptxp", "c.ptxp", "d.ptxp"]
    );
    put(&mut session, 0, 1)?;
    assert_eq!(names(session.refresh(&roots).run), NAMES);
    Ok(())
}
