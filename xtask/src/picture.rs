//! The picture of a terminal in the README: what `ptxprove check` prints about a real kernel, as SVG.
//!
//! The text is the command's own; long lines are cut. The same output gives the same bytes.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// The script that is checked.
const SCRIPT: &str = "proofs/kernels/vadd/correct.ptxp";
/// Where the picture goes.
const PICTURE: &str = "book/src/img/check.svg";
/// Characters in a line.
const WIDTH: usize = 110;
/// Lines that are shown, the last ones of the output.
const LINES: usize = 12;

/// A stretch of text in one style.
struct Run {
    text: String,
    style: &'static str,
}

fn style(code: &str) -> &'static str {
    match code {
        "1" => "b",
        "2" => "f",
        "31" => "r",
        "32" => "g",
        _ => "",
    }
}

/// The stretches of a line with terminal colours.
fn runs(line: &str) -> Vec<Run> {
    let mut out = Vec::new();
    let mut now = "";
    let mut left = WIDTH;
    for (i, part) in line.split("\x1b[").enumerate() {
        let text = match part.split_once('m') {
            Some((code, text)) if i > 0 => {
                now = style(code);
                text
            }
            _ => part,
        };
        let mut text: String = text.to_owned();
        if text.chars().count() > left {
            text = text
                .chars()
                .take(left.saturating_sub(1))
                .collect::<String>()
                + "…";
        }
        left = left.saturating_sub(text.chars().count());
        if !text.is_empty() {
            out.push(Run { text, style: now });
        }
    }
    out
}

fn escape(s: &str) -> String {
    s.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn svg(lines: &[Vec<Run>]) -> String {
    let (w, h) = (WIDTH * 8 + 40, lines.len() * 20 + 30);
    let mut s = String::new();
    let _ = writeln!(
        s,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
         aria-label=\"ptxprove checks a proof\">"
    );
    s.push_str(
        "<style>\n\
         .p{fill:#f6f8fa;stroke:#d0d7de}text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}\n\
         .g{fill:#1a7f37}.r{fill:#cf222e}.f{fill:#6e7781}.b{font-weight:bold}\n\
         @media (prefers-color-scheme:dark){.p{fill:#161b22;stroke:#30363d}text{fill:#e6edf3}.g{fill:#3fb950}\
         .r{fill:#f85149}.f{fill:#8b949e}}\n</style>\n",
    );
    let _ = writeln!(
        s,
        "<rect class=\"p\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>",
        w - 1,
        h - 1
    );
    for (i, line) in lines.iter().enumerate() {
        let _ = write!(
            s,
            "<text x=\"20\" y=\"{}\" xml:space=\"preserve\">",
            i * 20 + 28
        );
        for r in line {
            match r.style {
                "" => s.push_str(&escape(&r.text)),
                style => {
                    let _ = write!(s, "<tspan class=\"{style}\">{}</tspan>", escape(&r.text));
                }
            }
        }
        s.push_str("</text>\n");
    }
    s.push_str("</svg>\n");
    s
}

/// Runs the command (a built `ptxprove`, if one is named) and writes the picture; whether the script was accepted.
pub fn run(root: &Path, binary: Option<&str>) -> Result<bool, String> {
    let mut command = Command::new(binary.unwrap_or("cargo"));
    if binary.is_none() {
        command.args(["run", "--quiet", "--"]);
    }
    let output = command
        .args(["check", "--color", "always", SCRIPT])
        .current_dir(root)
        .output()
        .map_err(|e| format!("cannot run the command: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    write(root, &text)?;
    Ok(output.status.success())
}

/// Writes the picture of an output.
fn write(root: &Path, text: &str) -> Result<(), String> {
    let all: Vec<&str> = text.lines().collect();
    let shown = &all[all.len().saturating_sub(LINES)..];
    let mut lines = vec![runs(&format!("\x1b[1m$ ptxprove check {SCRIPT}\x1b[0m"))];
    if shown.len() < all.len() {
        lines.push(runs("\x1b[2m  …\x1b[0m"));
    }
    lines.extend(shown.iter().map(|l| runs(l)));
    std::fs::write(root.join(PICTURE), svg(&lines))
        .map_err(|e| format!("cannot write {PICTURE}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_and_escapes() {
        let line = runs("  \x1b[32m✓\x1b[0m theorem a<b  \x1b[2m3 nodes\x1b[0m");
        let svg = svg(&[line]);
        assert!(svg.contains("  <tspan class=\"g\">✓</tspan> theorem a&lt;b  <tspan class=\"f\">3 nodes</tspan></text>"));
    }

    #[test]
    fn long_lines_are_cut() {
        let line = runs(&"x".repeat(WIDTH + 10));
        let text: String = line.iter().map(|r| r.text.as_str()).collect();
        assert_eq!(text.chars().count(), WIDTH);
        assert!(text.ends_with('…'));
    }
}
