//! A fixed sample for tests without the official kernel: exports, and what it said of many changes of each.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use bumpalo::Bump;
use logic::Store;

use super::judge::{Official, differ, ours};
use super::{Base, Library, Rng, sample_folder};

/// How many exports, and how many changes of each.
const BASES: usize = 8;
const MUTANTS: u64 = 150;

/// Writes the sample: `N.ndjson`, and `N.verdicts` with one letter a mutant, 50 a line.
///
/// # Errors
/// Files cannot be written, the official kernel cannot be run, or ours differs from it.
pub fn record(root: &Path, tools: &crate::audit::Official) -> io::Result<bool> {
    let folder = sample_folder(root);
    std::fs::create_dir_all(&folder)?;
    let mut official = Official::new(tools.leanck.clone());
    let library = Library::read(root)?;
    let bump = Bump::new();
    let store = Store::new(&bump);
    let maker = library.maker(&store)?;
    let case = tools.folder.join("case.ndjson");
    for n in 0..BASES {
        let mut rng = Rng::new(1000 + n as u64);
        let text = match n % 2 {
            0 => maker.made(&mut rng, false).map_err(io::Error::other)?,
            _ => rng.pick(&library.parts).text(),
        };
        std::fs::write(folder.join(format!("{n}.ndjson")), &text)?;
        let base = Base::read(&text)?;
        let mut letters = String::new();
        for i in 0..MUTANTS {
            if i > 0 && i % 50 == 0 {
                letters.push('\n');
            }
            std::fs::write(&case, base.mutant(&mut Rng::new(i)))?;
            letters.push(official.judge(&case)?.letter());
        }
        letters.push('\n');
        std::fs::write(folder.join(format!("{n}.verdicts")), letters)?;
    }
    let wrong = sample(root)?;
    wrong.iter().for_each(|w| println!("{w}"));
    Ok(wrong.is_empty())
}

/// Where our kernel differs from what the official one said of the sample, a line each.
///
/// # Errors
/// The sample cannot be read.
pub fn sample(root: &Path) -> io::Result<Vec<String>> {
    let folder = sample_folder(root);
    let mut wrong = Vec::new();
    for n in 0..BASES {
        let text = std::fs::read_to_string(folder.join(format!("{n}.ndjson")))?;
        let base = Base::read(&text)?;
        let letters = std::fs::read_to_string(folder.join(format!("{n}.verdicts")))?;
        let letters: Vec<char> = letters.chars().filter(|c| !c.is_whitespace()).collect();
        if letters.len() as u64 != MUTANTS {
            return Err(io::Error::other(format!(
                "{n}.verdicts has {} letters",
                letters.len()
            )));
        }
        for (i, theirs) in letters.iter().enumerate() {
            let mine = ours(&base.mutant(&mut Rng::new(i as u64)));
            if differ(mine.letter(), *theirs, true) {
                let mut line = String::new();
                let _ = write!(
                    line,
                    "export {n}, mutant {i}: official {theirs}, ours {}",
                    mine.text()
                );
                wrong.push(line);
            }
        }
    }
    Ok(wrong)
}
