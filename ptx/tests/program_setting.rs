//! What a file says around its instructions: where it could change what they do, the kernel has no meaning.

use ptx::module::Resolved;
use ptx::program::{Reason, translate};
use ptx::text::{ast::Item, parse};

/// The reason and the place for which entry `k` is refused.
fn refused(text: &str) -> Option<(Reason, String)> {
    let m = parse(text).expect("parses");
    let resolved = Resolved::new(&m);
    assert_eq!(resolved.errors, [], "{text}");
    let entry = m.items.iter().find_map(|item| match item {
        Item::Function(f) if f.name.text == "k" => Some(f),
        _ => None,
    });
    let e = translate(&resolved, entry.expect("an entry k")).err()?;
    Some((e.reason, text[e.span.range()].to_owned()))
}

const VERSION: &str = ".version 9.0\n";
const TARGET: &str = ".target sm_90a\n";
const SIZE: &str = ".address_size 64\n";
const ENTRY: &str = ".entry k() { ret; }\n";

fn setting(directive: &str, under: &str) -> Option<(Reason, String)> {
    Some((Reason::Setting(directive.into()), under.into()))
}

#[test]
fn versions_and_machines() {
    let with =
        |version: &str, target: &str| refused(&format!("{version}\n{target}\n{SIZE}{ENTRY}"));
    for target in [
        ".target sm_70",
        ".target sm_90a, debug",
        ".target sm_100f, texmode_independent",
    ] {
        assert_eq!(with(VERSION, target), None, "{target}");
    }
    assert_eq!(with(".version 6.0", TARGET), None);
    assert_eq!(with(".version 10.0", TARGET), None);
    assert_eq!(with(".version 1.3", TARGET), setting(".version 1.3", "1.3"));
    assert_eq!(with(".version 5.0", TARGET), setting(".version 5.0", "5.0"));
    assert_eq!(
        with(VERSION, ".target sm_13"),
        setting(".target sm_13", "sm_13")
    );
    assert_eq!(
        with(VERSION, ".target sm_62"),
        setting(".target sm_62", "sm_62")
    );
    assert_eq!(
        with(VERSION, ".target sm_90, map_f64_to_f32"),
        setting(".target map_f64_to_f32", "map_f64_to_f32")
    );
}

#[test]
fn pragmas() {
    let inside = |p: &str| {
        refused(&format!(
            "{VERSION}{TARGET}{SIZE}.entry k(.param .u64 p) {{ .reg .b64 %rd<2>; .reg .b32 %r<4>; ld.param.u64 %rd1, [p];\n\
             .pragma {p};\nld.global.v4.u32 {{%r0, %r1, %r2, %r3}}, [%rd1]; ret; }}"
        ))
    };
    assert_eq!(inside("\"nounroll\""), None);
    let mask = "\"used_bytes_mask 0xfff\"";
    assert_eq!(inside(mask), setting(&format!(".pragma {mask}"), mask));
    let before = |p: &str| refused(&format!("{VERSION}{TARGET}{SIZE}.pragma {p};\n{ENTRY}"));
    assert_eq!(before("\"nounroll\""), None);
    assert_eq!(before(mask), setting(&format!(".pragma {mask}"), mask));
    let head = |p: &str| {
        refused(&format!(
            "{VERSION}{TARGET}{SIZE}.entry k() .pragma {p}; {{ ret; }}"
        ))
    };
    assert_eq!(head("\"nounroll\""), None);
    assert_eq!(head("\"other\""), setting(".pragma \"other\"", "\"other\""));
}

#[test]
fn other_bodies_and_names() {
    let f = |linkage: &str, more: &str, name: &str| {
        refused(&format!(
            "{VERSION}{TARGET}{SIZE}{linkage} .func f() {{ ret; }}\n{more}\n.entry k() {{ call {name}; ret; }}"
        ))
    };
    assert_eq!(f("", "", "f"), None);
    assert_eq!(f(".visible", "", "f"), None);
    assert_eq!(f(".weak", "", "f"), setting(".weak", ".weak"));
    let alias = ".func g();\n.alias g, f;";
    assert_eq!(f("", alias, "g"), setting(".alias", "f"));
    assert_eq!(f("", alias, "f"), setting(".alias", "f"));
}
