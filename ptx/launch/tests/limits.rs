//! What would take too much memory is refused before it is there.

use std::io::Write;
use std::path::Path;

use launch::{file, plan};
use ptx::module::{Module, resolve};

fn module() -> Module {
    let text = ".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n";
    let ast = ptx::text::parse(text).expect("it parses");
    resolve(&ast).expect("it resolves")
}

/// The message about a file with these buffers; nothing if it is accepted.
fn message(buffers: &str, folder: &Path) -> Option<String> {
    let text = format!("{buffers}\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n");
    let file = file::parse(&text).expect("it is a launch file");
    let planned = plan::plan(&file, &module(), folder);
    planned.err().map(|e| e.message)
}

fn buffer(name: &str, dtype: &str, elements: u64, more: &str) -> String {
    format!("[buffers.{name}]\ndtype = \"{dtype}\"\nshape = [{elements}]\n{more}\n")
}

#[test]
fn all_buffers_together() {
    let here = Path::new(".");
    let half = |name| buffer(name, "f32", 1 << 25, "");
    assert_eq!(message(&(half("a") + &half("b")), here), None);
    let one_more = half("a") + &half("b") + &buffer("c", "u8", 1, "");
    let wanted = "all buffers together have more than 268435456 bytes";
    assert_eq!(message(&one_more, here).as_deref(), Some(wanted));
}

#[test]
fn values_of_expressions() {
    let here = Path::new(".");
    let wanted = ".npy files and expressions give more than 16777216 elements, all together";
    for more in [
        "fill = { expression = \"1\" }",
        "expect = { expression = \"1\" }",
    ] {
        let large = buffer("a", "u8", (1 << 24) + 1, more);
        assert_eq!(message(&large, here).as_deref(), Some(wanted), "{more}");
        let small = buffer("a", "u8", 1000, more);
        assert_eq!(message(&small, here), None, "{more}");
    }
    let part = "expect = { part = [[5, 9]], expression = \"1\" }";
    assert_eq!(message(&buffer("a", "u8", 1 << 25, part), here), None);
}

/// A header that promises more than there may be is refused by itself: the elements are not read.
#[test]
fn npy_header() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, shape) in [("many", "(16777217,)"), ("square", "(65536, 65536)")] {
        let mut text = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}");
        text += &" ".repeat(117 - text.len());
        text.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        bytes.extend_from_slice(text.as_bytes());
        let path = folder.join(format!("{name}.npy"));
        let mut file = std::fs::File::create(&path).expect("it is created");
        file.write_all(&bytes).expect("it is written");
        let fill = format!("fill = {{ npy = \"{name}.npy\" }}");
        let found = message(&buffer("a", "u8", 1000, &fill), folder);
        let found = found.expect("it is refused");
        assert!(
            found.ends_with("it has more than 16777216 elements"),
            "{found}"
        );
    }
}
