//! Damaged launch files: whatever is read, the answer is a plan or a message.

use std::path::{Path, PathBuf};

use launch::fill::word;
use launch::{file, plan};
use ptx::module::{Module, resolve};

fn module(path: &Path) -> Module {
    let text = std::fs::read_to_string(path).expect("it is there");
    let ast = ptx::text::parse(&text).expect("it parses");
    resolve(&ast).expect("it resolves")
}

/// The launch file with something changed: cut, a line left out, a byte or a number replaced.
fn damage(text: &str, seed: u64) -> String {
    let pick = |n: u64, below: usize| (word(seed, n) % below.max(1) as u64) as usize;
    let lines: Vec<&str> = text.lines().collect();
    let at = pick(1, lines.len());
    let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
    match pick(0, 5) {
        0 => lines.truncate(at),
        1 => {
            lines.remove(at);
        }
        2 => {
            let other = pick(2, lines.len());
            lines.swap(at, other);
        }
        3 => {
            let bytes = br#"0-9"[]{}=.,a+ "#;
            let mut line = lines[at].clone().into_bytes();
            let i = pick(2, line.len());
            if let Some(b) = line.get_mut(i) {
                *b = bytes[pick(3, bytes.len())];
            }
            lines[at] = String::from_utf8_lossy(&line).into_owned();
        }
        _ => {
            let numbers = [
                "-1",
                "0",
                "4294967296",
                "9223372036854775807",
                "1.5",
                "nan",
                "\"a\"",
                "[]",
                "{}",
            ];
            let number = numbers[pick(2, numbers.len())];
            let digits = |c: char| c.is_ascii_digit();
            if let Some(i) = lines[at].find(digits) {
                let rest = lines[at][i..].trim_start_matches(digits).to_owned();
                lines[at] = format!("{}{number}{rest}", &lines[at][..i]);
            }
        }
    }
    lines.join("\n")
}

#[test]
fn no_launch_file_is_too_bad() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let (mut planned, mut refused) = (0, 0);
    for (family, name, kernels) in [
        ("vadd", "vadd", "cuda/vadd.sm_90a.ptx"),
        (
            "hopper",
            "gemm_tma_wgmma",
            "cuda/hopper_tma_wgmma.sm_90a.ptx",
        ),
        ("warp_ops", "fp_mix", "cuda/warp_ops.sm_90a.ptx"),
        ("moe", "align_block", "cuda/moe_small.sm_90a.ptx"),
        (
            "triton",
            "grouped_gemm",
            "triton/triton_grouped_gemm.sm_90.ptx",
        ),
        ("cub", "select", "library/cub_select.sm_90a.ptx"),
    ] {
        let module = module(&root.join("kernels").join(kernels));
        let folder: PathBuf = root.join("run").join(family);
        let text =
            std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("it is there");
        for seed in 0..150 {
            let damaged = damage(&text, seed);
            let found = file::parse(&damaged).and_then(|f| plan::plan(&f, &module, &folder));
            match found {
                Ok(_) => planned += 1,
                Err(e) => {
                    assert!(!e.message.is_empty(), "{damaged}");
                    assert!(e.span.is_none_or(|s| s.end <= damaged.len()), "{damaged}");
                    refused += 1;
                }
            }
        }
    }
    assert!(
        planned > 50 && refused > 300,
        "{planned} planned, {refused} refused"
    );
}
