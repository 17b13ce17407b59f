//! What a line of code is: neither blank nor comment, and no test.

/// Lines of Rust: not blank, no comment, not in a `#[cfg(test)]` item at the end of a file.
pub fn rust(text: &str) -> usize {
    let mut count = 0;
    let mut depth = 0_usize;
    let mut in_test = false;
    for line in text.lines() {
        if in_test {
            // A test module ends at the brace in the first column.
            in_test = line != "}";
            continue;
        }
        if line == "#[cfg(test)]" {
            in_test = true;
            continue;
        }
        if has_code(line, &mut depth, "//", ("/*", "*/")) {
            count += 1;
        }
    }
    count
}

/// The words that begin a declaration of a script at the left margin.
const DECLARATIONS: [&str; 9] = [
    "def",
    "abbrev",
    "inductive",
    "structure",
    "opaque",
    "axiom",
    "theorem",
    "lemma",
    "example",
];

/// Lines of a script that define: comments, blank lines and whole theorems are left out.
pub fn script_definitions(text: &str) -> usize {
    let mut count = 0;
    let mut depth = 0_usize;
    let mut proving = false;
    for line in text.lines() {
        let outside = depth == 0;
        let code = has_code(line, &mut depth, "--", ("/-", "-/"));
        let first = line.split(|c: char| !c.is_alphanumeric()).next();
        if outside && first.is_some_and(|w| DECLARATIONS.contains(&w)) {
            proving = matches!(first, Some("theorem" | "lemma" | "example"));
        } else if outside && first.is_some_and(|w| !w.is_empty()) {
            proving = false;
        }
        if code && !proving {
            count += 1;
        }
    }
    count
}

/// Whether something of a line is outside comments; `depth` is how many block comments are open.
fn has_code(line: &str, depth: &mut usize, rest: &str, (open, close): (&str, &str)) -> bool {
    let mut code = false;
    let mut at = line;
    while !at.is_empty() {
        if at.starts_with(open) {
            *depth += 1;
            at = &at[open.len()..];
        } else if *depth > 0 && at.starts_with(close) {
            *depth -= 1;
            at = &at[close.len()..];
        } else if *depth == 0 && at.starts_with(rest) {
            break;
        } else {
            let c = at.chars().next().map_or(1, char::len_utf8);
            code |= *depth == 0 && !at[..c].trim().is_empty();
            at = &at[c..];
        }
    }
    code
}

/// The text of a script without its comments, line by line.
pub fn script_without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    for line in text.lines() {
        let mut at = line;
        while !at.is_empty() {
            if at.starts_with("/-") {
                depth += 1;
                at = &at[2..];
            } else if depth > 0 && at.starts_with("-/") {
                depth -= 1;
                at = &at[2..];
            } else if depth == 0 && at.starts_with("--") {
                break;
            } else {
                let c = at.chars().next().map_or(1, char::len_utf8);
                if depth == 0 {
                    out.push_str(&at[..c]);
                }
                at = &at[c..];
            }
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_lines_without_comments_and_tests() {
        let text = "//! doc\n\nfn f() {\n    // why\n    g(); /* a\n  b */\n}\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
        assert_eq!(rust(text), 3);
        assert_eq!(rust("#[cfg(test)]\nmod t {\n}\nfn f() {}\n"), 1);
    }

    #[test]
    fn definitions_without_theorems() {
        let text = "/-! about -/\ndef a : Nat :=\n  -- one\n  1\n\ntheorem t : a = 1 := by\n  rfl\nstructure S where\n  x : Nat\n";
        assert_eq!(script_definitions(text), 4);
    }
}
