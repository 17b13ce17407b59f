//! The book, the README and `tests/cli/run.md`: every script in them is checked, every transcript is run, every link leads somewhere.
//!
//! A block ` ```ptxp ` is a script. `import=lib.nat` after the language imports something first; `continue` puts the earlier
//! blocks of the chapter before it. A line that ends in `-- error: text` must have an error that says so; there must be no
//! others, and the next block that continues leaves a block with errors out. A block of any language with `from=FILE` is a
//! quotation: its text stands in that file. A block ` ```text goal ` is what an error of the script above it shows. A block ` ```console ` is a transcript;
//! other languages are not run, and only those listed here may be used.

use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};

use crate::scripts::{Found, check, list};
use crate::{files, transcript};

/// Languages of blocks that are only read.
const SHOWN: [&str; 4] = ["text", "ptx", "lean", "sh"];

/// A block of a page between lines of backticks.
pub struct Block {
    /// The line on which it begins.
    pub line: usize,
    /// What stands after the backticks.
    pub info: String,
    /// Its lines.
    pub text: String,
}

/// The blocks of a page.
pub fn blocks(source: &str) -> Vec<Block> {
    let mut all = Vec::new();
    let mut open: Option<Block> = None;
    for (i, line) in source.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block {
                    line: i + 1,
                    info: info.to_owned(),
                    text: String::new(),
                });
            }
            (Some(_), Some(_)) => all.extend(open.take()),
            (Some(b), None) => {
                b.text.push_str(line);
                b.text.push('\n');
            }
            (None, None) => {}
        }
    }
    all
}

/// Where a script of a chapter would be.
fn script_path(chapter: &Path, line: usize) -> PathBuf {
    let stem = chapter.file_stem().unwrap_or_default().to_string_lossy();
    PathBuf::from(format!("proofs/{stem}-{line}.ptxp"))
}

/// Checks a script of a chapter; `before` is what stands above it there.
fn script(chapter: &Path, block: &Block, before: &str) -> Result<(), Failed> {
    let path = script_path(chapter, block.line);
    let above = before.matches('\n').count();
    let text = format!("{before}{}", block.text);
    let found = check(&path, &[(path.clone(), text.clone())])?;
    for (i, line) in text.lines().enumerate() {
        let Some((_, says)) = line.split_once("-- error: ") else {
            continue;
        };
        if !found
            .iter()
            .any(|f| f.file == path && f.line == i + 1 && f.text.contains(says))
        {
            let text = format!(
                "line {} has no such error; found:\n{}",
                i + 1 - above,
                list(&found)
            );
            return Err(text.into());
        }
    }
    let expected = |line: usize| {
        line > 0
            && text
                .lines()
                .nth(line - 1)
                .is_some_and(|l| l.contains("-- error: "))
    };
    match found.iter().find(|f| f.file != path || !expected(f.line)) {
        None => Ok(()),
        Some(f) => Err(format!("{} lines stand above it\nnot expected: {f}", above).into()),
    }
}

/// Whether an error of a script shows this goal, line by line.
fn goal(chapter: &Path, shown: &str, above: &(usize, String)) -> Result<(), Failed> {
    let path = script_path(chapter, above.0);
    let found = check(&path, &[(path.clone(), above.1.clone())])?;
    let lines = |s: &str| -> Vec<String> { s.lines().map(|l| l.trim().to_owned()).collect() };
    let wanted = lines(shown);
    let shows = |f: &Found| lines(&f.text).windows(wanted.len()).any(|w| w == wanted);
    match found.iter().any(shows) {
        true => Ok(()),
        false => Err(format!("no error shows this; found:\n{}", list(&found)).into()),
    }
}

/// Whether a text stands in a file.
fn quotation(file: &str, text: &str) -> Result<(), Failed> {
    match std::fs::read_to_string(file)?.contains(text) {
        true => Ok(()),
        false => Err(format!("this does not stand in {file}").into()),
    }
}

/// The places of a page that a link can name: its headings in small letters, spaces as `-`, without signs.
fn anchors(source: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut shown = false;
    for line in source.lines() {
        shown ^= line.starts_with("```");
        let Some(heading) = line.strip_prefix('#').filter(|_| !shown) else {
            continue;
        };
        let kept = heading.trim_start_matches('#').trim().chars();
        let id: String = kept
            .filter(|c| c.is_alphanumeric() || "_- ".contains(*c))
            .map(|c| {
                if c == ' ' {
                    '-'
                } else {
                    c.to_ascii_lowercase()
                }
            })
            .collect();
        all.push(id);
    }
    all
}

fn links(file: &Path, source: &str) -> Result<(), Failed> {
    let dir = file.parent().unwrap_or(Path::new(""));
    let mut rest = source;
    while let Some(i) = rest.find("](") {
        rest = &rest[i + 2..];
        let Some(end) = rest.find(')') else { break };
        let target = &rest[..end];
        if target.starts_with("http") {
            continue;
        }
        let (page, place) = target.split_once('#').unwrap_or((target, ""));
        let path = dir.join(page);
        if !page.is_empty() && !path.exists() {
            return Err(format!("a link to {page}, which does not exist").into());
        }
        let there = match page.is_empty() {
            true => source.to_owned(),
            false if page.ends_with(".md") => std::fs::read_to_string(path)?,
            false => continue,
        };
        if !place.is_empty() && !anchors(&there).iter().any(|a| a == place) {
            return Err(format!("a link to {target}, where there is no such heading").into());
        }
    }
    Ok(())
}

pub fn trials() -> Vec<Trial> {
    let mut chapters = files("book/src", "md");
    chapters.push(PathBuf::from("README.md"));
    chapters.push(PathBuf::from("tests/cli/run.md"));
    let mut trials = Vec::new();
    for chapter in chapters {
        let source = std::fs::read_to_string(&chapter).unwrap_or_default();
        let name = chapter.display().to_string();
        let mut before = String::new();
        let mut last = (0, String::new());
        for block in blocks(&source) {
            let title = format!("{name}:{}", block.line);
            let chapter = chapter.clone();
            let mut words = block.info.split_whitespace();
            if let Some(file) = words.clone().find_map(|w| w.strip_prefix("from=")) {
                let file = file.to_owned();
                trials.push(Trial::test(title, move || quotation(&file, &block.text)));
                continue;
            }
            match words.next() {
                Some("ptxp") => {
                    let mut above = String::new();
                    for w in words {
                        if let Some(module) = w.strip_prefix("import=") {
                            above.push_str(&format!("import {module}\n"));
                        } else if w == "continue" {
                            above.push_str(&before);
                        }
                    }
                    let all = format!("{above}{}", block.text);
                    last = (block.line, all.clone());
                    if !block.text.contains("-- error: ") {
                        before = all;
                    }
                    trials.push(Trial::test(title, move || script(&chapter, &block, &above)));
                }
                Some("text") if words.clone().any(|w| w == "goal") => {
                    let above = last.clone();
                    trials.push(Trial::test(title, move || {
                        goal(&chapter, &block.text, &above)
                    }));
                }
                Some("console") => {
                    trials.push(Trial::test(title, move || {
                        transcript::check(&chapter, &block.text)
                    }));
                }
                Some(other) if SHOWN.contains(&other) => {}
                other => {
                    let text = format!("a block of language {other:?}");
                    trials.push(Trial::test(title, move || Err(text.into())));
                }
            }
        }
        trials.push(Trial::test(format!("{name}: links"), move || {
            links(&chapter, &source)
        }));
    }
    trials
}
