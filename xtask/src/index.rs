//! The pages of the book that list the library: every theorem, definition and type of `proofs/lib` and
//! `proofs/ptx`, with its statement as the printer of scripts prints it.
//!
//! The pages are written by `cargo xtask index`; a test fails when they are not what would be written now.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use logic::{ConstantInfo, Name, Store};
use ptx::alg::bits::BitsAlg;
use ptx::alg::ieee::Ieee;
use ptx::isa::table;
use tactics::diagnostic::line_col;
use tactics::driver::{FileReport, Kind, Session, on_large_stack, scripts_below};

/// Where the pages are.
const PAGES: &str = "book/src/library";
/// The page that leads to them.
const CONTENTS: &str = "book/src/library.md";
/// The book's table of contents, which lists the pages below the line that names [`CONTENTS`].
const SUMMARY: &str = "book/src/SUMMARY.md";
/// The first line of every page.
const MARK: &str = "<!-- Written by `cargo xtask index`. -->\n";

/// What the scripts are about, as far as somebody has sorted them: a topic, the folder below `proofs/`, and its scripts in the order in which to read them.
const TOPICS: [(&str, &str, &[&str]); 10] = [
    (
        "Logic",
        "lib",
        &[
            "core",
            "logic",
            "logic_more",
            "decidable",
            "classical",
            "simp",
            "relation",
            "wf",
            "option",
        ],
    ),
    (
        "Natural numbers",
        "lib",
        &[
            "nat",
            "nat_more",
            "div",
            "nat_gcd",
            "bits",
            "nat_bits",
            "bits_form",
            "bits_exp",
            "bits_check",
            "omega",
        ],
    ),
    (
        "Integers",
        "lib",
        &["int", "int_order", "int_more", "omega_int"],
    ),
    (
        "Words and bounded numbers",
        "lib",
        &["word", "word_lemmas", "bits_word", "fin", "fin_more"],
    ),
    (
        "Lists and maps",
        "lib",
        &[
            "list",
            "list_more",
            "list_sub",
            "list_set",
            "list_sum",
            "perm",
            "finmap",
        ],
    ),
    (
        "Sums and counting",
        "lib",
        &["sum", "sum_more", "counting", "pigeonhole"],
    ),
    (
        "Algebra and floats",
        "lib",
        &[
            "algebra",
            "ordered_field",
            "frac",
            "floatalg",
            "ideal",
            "softmax",
        ],
    ),
    (
        "What a kernel is, and what is said of it",
        "ptx",
        &[
            "program",
            "isa",
            "float",
            "float_alg",
            "thread",
            "launch",
            "buffer",
            "correct",
            "compose",
        ],
    ),
    (
        "Proving something of a kernel",
        "ptx",
        &[
            "rules", "trace", "straight", "numbers", "regs", "exec", "values", "index", "run",
            "behave", "accesses", "grid", "elements", "faults", "races",
        ],
    ),
    (
        "The machine and its theorem",
        "ptx/machine",
        &[
            "loc",
            "request",
            "log",
            "agent",
            "order",
            "visible",
            "serve",
            "step",
            "plan",
            "certificate",
            "facts",
            "invariant",
            "reflection",
            "determinacy",
            "progress",
            "final",
            "ordered",
            "finite",
            "satisfiable",
            "examples",
        ],
    ),
];

/// The title of what is in none of [`TOPICS`] yet.
const REST: &str = "Further scripts";

/// A topic: its title, the folder of its scripts below `proofs/`, and their names.
struct Topic {
    title: &'static str,
    folder: &'static str,
    scripts: Vec<String>,
}

/// A page: its path below the root, and its text.
type Pages = BTreeMap<PathBuf, String>;

/// Writes the pages, and takes away those of scripts that are no more.
///
/// # Errors
/// When a script does not check or has no topic, or a file cannot be read or written.
pub fn run(root: &Path) -> Result<bool, String> {
    let pages = pages(root)?;
    for old in on_disk(root)? {
        if !pages.contains_key(&old) {
            std::fs::remove_file(root.join(&old)).map_err(|e| failed(&old, &e))?;
        }
    }
    std::fs::create_dir_all(root.join(PAGES)).map_err(|e| failed(Path::new(PAGES), &e))?;
    for (path, text) in &pages {
        std::fs::write(root.join(path), text).map_err(|e| failed(path, &e))?;
    }
    println!("{} pages", pages.len());
    Ok(true)
}

/// The pages that are not as they would be written now.
///
/// # Errors
/// When a script does not check or has no topic, or a file cannot be read.
pub fn stale(root: &Path) -> Result<Vec<PathBuf>, String> {
    let pages = pages(root)?;
    let same = |path: &PathBuf| {
        let text = std::fs::read_to_string(root.join(path)).ok();
        text.as_ref() == pages.get(path)
    };
    let all: BTreeSet<PathBuf> = pages.keys().cloned().chain(on_disk(root)?).collect();
    Ok(all.into_iter().filter(|p| !same(p)).collect())
}

fn failed(path: &Path, e: &dyn std::fmt::Display) -> String {
    format!("{}: {e}", path.display())
}

/// The pages of scripts that are there.
fn on_disk(root: &Path) -> Result<Vec<PathBuf>, String> {
    let files = crate::files(&root.join("book")).map_err(|e| failed(Path::new("book"), &e))?;
    let paths = files.iter().map(|p| Path::new("book").join(p));
    Ok(paths.filter(|p| p.starts_with(PAGES)).collect())
}

/// All pages, from the scripts as they are.
fn pages(root: &Path) -> Result<Pages, String> {
    let topics = topics(root)?;
    let mut pages = on_large_stack(|| {
        let bump = Bump::new();
        let store = Store::new(&bump);
        let mut session = Session::new(&store);
        let mut pages = Pages::new();
        for (folder, script) in scripts(&topics) {
            let path = root.join(source(folder, script));
            session.check_file(&path).map_err(|e| e.to_string())?;
            let mut reports = session.reports().iter();
            let report = reports.find(|r| r.path == path).cloned();
            let report = report.ok_or(format!("{}: no report", path.display()))?;
            let text = page(&mut session, &report, folder, script)?;
            pages.insert(page_path(folder, script), text);
        }
        Ok::<_, String>(pages)
    })
    .map_err(|e| e.to_string())??;
    let intros: BTreeMap<PathBuf, String> =
        pages.iter().map(|(p, t)| (p.clone(), intro(t))).collect();
    pages.insert(CONTENTS.into(), contents(&topics, &intros));
    let summary =
        std::fs::read_to_string(root.join(SUMMARY)).map_err(|e| failed(Path::new(SUMMARY), &e))?;
    pages.insert(SUMMARY.into(), summary_with_pages(&topics, &summary)?);
    Ok(pages)
}

/// All topics; scripts that nobody has sorted come last.
fn topics(root: &Path) -> Result<Vec<Topic>, String> {
    let sorted = |(title, folder, names): &(&'static str, &'static str, &[&str])| Topic {
        title,
        folder,
        scripts: names.iter().map(|n| (*n).to_owned()).collect(),
    };
    let mut topics: Vec<Topic> = TOPICS.iter().map(sorted).collect();
    let folders: BTreeSet<&'static str> = TOPICS.iter().map(|t| t.1).collect();
    for folder in folders {
        let known: BTreeSet<PathBuf> = scripts(&topics).map(|(f, s)| source(f, s)).collect();
        let below = root.join("proofs").join(folder);
        let all = scripts_below(&below).map_err(|e| e.to_string())?;
        let all = all.iter().filter(|p| p.parent() == Some(&below));
        let rest = all.filter(|p| !known.contains(p.strip_prefix(root).unwrap_or(p)));
        let names = rest.filter_map(|p| Some(p.file_stem()?.to_string_lossy().into_owned()));
        let scripts: Vec<String> = names.collect();
        if !scripts.is_empty() {
            topics.push(Topic {
                title: REST,
                folder,
                scripts,
            });
        }
    }
    Ok(topics)
}

/// All scripts: folder and name.
fn scripts(topics: &[Topic]) -> impl Iterator<Item = (&'static str, &str)> {
    let of = |t: &'_ Topic| t.folder;
    topics
        .iter()
        .flat_map(move |t| t.scripts.iter().map(move |n| (of(t), n.as_str())))
}

fn source(folder: &str, script: &str) -> PathBuf {
    PathBuf::from(format!("proofs/{folder}/{script}.ptxp"))
}

fn page_name(folder: &str, script: &str) -> String {
    match folder.rsplit('/').next() {
        Some("lib") | None => format!("{script}.md"),
        Some(last) => format!("{last}-{script}.md"),
    }
}

/// The name by which a script is imported.
fn module(folder: &str, script: &str) -> String {
    format!("{}.{script}", folder.replace('/', "."))
}

fn page_path(folder: &str, script: &str) -> PathBuf {
    Path::new(PAGES).join(page_name(folder, script))
}

/// The page of a script.
fn page(
    session: &mut Session<'_>,
    report: &FileReport,
    folder: &str,
    script: &str,
) -> Result<String, String> {
    let path = source(folder, script);
    let link = format!("../../../{}", path.display());
    if tactics::driver::Diagnosed::has_errors(report) {
        return Err(format!("{}: has errors", path.display()));
    }
    let mut comments = comments(&report.source).into_iter();
    let (_, about) = match head(&report.source) {
        Some(text) => (0, text),
        None => comments.next().unwrap_or_default(),
    };
    let mut out = format!(
        "{MARK}\n# {}\n\n{about}\n\nSource: [{1}]({link})\n",
        module(folder, script),
        path.display()
    );
    if report.decls.is_empty() {
        opcode_table(&mut out);
    }
    let mut comments = comments.peekable();
    for (at, entry) in entries(session, report) {
        while let Some((_, text)) = comments.next_if(|(offset, _)| *offset < at) {
            let text = text.trim_start_matches('#').trim();
            let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
            let _ = write!(out, "\n## {title}\n");
            if !rest.trim().is_empty() {
                let _ = write!(out, "\n{}\n", rest.trim());
            }
        }
        let (line, _) = line_col(&report.source, at);
        let target = match at {
            0 => link.clone(),
            _ => format!("{link}#L{line}"),
        };
        let Entry {
            kind,
            name,
            doc,
            statement,
            parts,
        } = entry;
        let _ = write!(out, "\n- {kind} [`{name}`]({target}): `{statement}`\n");
        if let Some(doc) = doc {
            let _ = write!(out, "\n  {}\n", doc.trim().replace('\n', "\n  "));
        }
        for part in parts {
            let _ = writeln!(out, "  - `{part}`");
        }
    }
    Ok(out)
}

/// The rows of the opcode table that compute; the script of `ptx_isa` declares nothing else.
fn opcode_table(out: &mut String) {
    for row in table::<BitsAlg<Ieee>>() {
        if row.shape.name() != "alu" {
            continue;
        }
        let _ = write!(
            out,
            "\n- `{}` (§{}): {}\n",
            row.syntax, row.section, row.says
        );
        for (slot, words) in row.slots {
            let _ = writeln!(out, "  - `.{slot}`: `{}`", words.join("` `"));
        }
    }
}

/// What a page says of a declaration.
struct Entry {
    kind: &'static str,
    name: String,
    doc: Option<String>,
    statement: String,
    /// Constructors of a type, fields of a structure.
    parts: Vec<String>,
}

/// The declarations of a script, each with its offset in the text.
fn entries(session: &mut Session<'_>, report: &FileReport) -> Vec<(usize, Entry)> {
    let st = session.environment().store();
    let all = report.decls.iter();
    let named = all.map(|d| (d.span.start as usize, d.kind, st.name(&d.name)));
    let named: Vec<(usize, Kind, Name)> = named.collect();
    let entry = |(at, kind, name): (usize, Kind, Name)| {
        let statement = session.note_of(name)?;
        let parts = parts(session, name);
        let kind = match (kind, parts.1) {
            (Kind::Inductive, true) => "structure",
            (kind, _) => kind.word(),
        };
        let doc = session.doc_of(name).map(str::to_owned);
        let name = st.name_to_string(name);
        Some((
            at,
            Entry {
                kind,
                name,
                doc,
                statement,
                parts: parts.0,
            },
        ))
    };
    named.into_iter().filter_map(entry).collect()
}

/// The constructors of an inductive type, or the fields of a structure, with their types; and whether it is a structure.
fn parts(session: &mut Session<'_>, name: Name) -> (Vec<String>, bool) {
    let st = session.environment().store();
    let Some(ConstantInfo::Inductive(i)) = session.environment().get(name) else {
        return (Vec::new(), false);
    };
    let ctors = i.ctors.clone();
    let fields = session.elaborator().ext.structures.get(&name).cloned();
    let names: Vec<Name> = match &fields {
        Some(fields) => {
            let field = |f: &Name| st.name_str(name, &st.name_to_string(*f));
            fields.iter().map(field).collect()
        }
        None => ctors.to_vec(),
    };
    let typed = |n: Name| {
        Some(format!(
            "{} : {}",
            st.name_to_string(n),
            session.note_of(n)?
        ))
    };
    (
        names.into_iter().filter_map(typed).collect(),
        fields.is_some(),
    )
}

/// What the lines `-- …` say that a script begins with, if it begins with such.
fn head(text: &str) -> Option<String> {
    let lines = text.lines().map_while(|l| l.strip_prefix("-- "));
    let lines: Vec<&str> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The comments about a script and its parts (`/-! … -/`), each with its offset.
fn comments(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(i) = text[from..].find("/-!") {
        let start = from + i + 3;
        let end = text[start..].find("-/").map_or(text.len(), |n| start + n);
        found.push((start, text[start..end].trim().to_owned()));
        from = end;
    }
    found
}

/// The first sentence of a page: of what stands below its title.
fn intro(page: &str) -> String {
    let about = page
        .split("\n\n")
        .nth(2)
        .unwrap_or_default()
        .replace('\n', " ");
    let end = about.find(". ").map_or(about.len(), |i| i + 1);
    about[..end].trim_end_matches([':', '.']).to_owned()
}

/// The page that leads to the others.
fn contents(topics: &[Topic], intros: &BTreeMap<PathBuf, String>) -> String {
    let mut out = format!(
        "{MARK}\n# The library\n\nWhat is defined and proved in `proofs/lib` and `proofs/ptx`, one page for each script. Names \
         are Lean's where Lean has the same thing.\n`#search` finds a theorem by its shape \
         ([Questions](language.md#questions)).\n"
    );
    for t in topics {
        let _ = write!(out, "\n## {}\n\n", t.title);
        for n in &t.scripts {
            let about = intros
                .get(&page_path(t.folder, n))
                .map_or("", String::as_str);
            let (module, page) = (module(t.folder, n), page_name(t.folder, n));
            let _ = writeln!(out, "- [`{module}`](library/{page}): {about}");
        }
    }
    out
}

/// The table of contents, with the pages below the line of the page that leads to them.
fn summary_with_pages(topics: &[Topic], summary: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut found = false;
    for line in summary.lines().filter(|l| !l.contains("](library/")) {
        out.push_str(line);
        out.push('\n');
        if line.ends_with("(library.md)") {
            found = true;
            for (folder, n) in scripts(topics) {
                let (module, page) = (module(folder, n), page_name(folder, n));
                let _ = writeln!(out, "  - [{module}](library/{page})");
            }
        }
    }
    match found {
        true => Ok(out),
        false => Err(format!("{SUMMARY}: no line for library.md")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_with_offsets() {
        let text = "/-!\nAbout.\n-/\ndef a := 1\n/-! ### Part -/\n";
        let found = comments(text);
        assert_eq!(
            found,
            [(3, "About.".to_owned()), (28, "### Part".to_owned())]
        );
    }

    #[test]
    fn a_script_may_begin_with_lines() {
        assert_eq!(
            head("-- One.\n-- Two.\n\n-- Three.\n"),
            Some("One.\nTwo.".to_owned())
        );
        assert_eq!(head("/-! One. -/\n"), None);
    }

    #[test]
    fn pages_stand_below_their_chapter() {
        let topics = [Topic {
            title: "T",
            folder: "ptx/machine",
            scripts: vec!["log".to_owned()],
        }];
        let once = summary_with_pages(
            &topics,
            "- [A](a.md)\n- [The library](library.md)\n- [B](b.md)\n",
        );
        let once = once.expect("the line is there");
        let pages = "(library.md)\n  - [ptx.machine.log](library/machine-log.md)\n- [B](b.md)\n";
        assert!(once.ends_with(pages));
        assert_eq!(summary_with_pages(&topics, &once).as_ref(), Ok(&once));
        assert!(summary_with_pages(&topics, "- [A](a.md)\n").is_err());
    }
}
