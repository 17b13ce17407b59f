//! NDJSON: what is written is read back to the same environment, and what is changed on the way is refused by reason.

mod common;

use bumpalo::Bump;
use common::Make;
use export_lean::{Difference, ExportError, Read, ReadError, Select, read_ndjson, write_ndjson};
use logic::{Environment, KernelError, Store};
use std::io::{BufRead, Cursor, Read as _};

fn written(env: &Environment<'_>, select: Select<'_>) -> String {
    let mut out = Vec::new();
    write_ndjson(&mut out, env, select).expect("the environment can be written");
    String::from_utf8(out).expect("UTF-8")
}

fn read(text: &str) -> Result<Read, ReadError> {
    let bump = Bump::new();
    let st = Store::new(&bump);
    read_ndjson(text.as_bytes(), &mut Environment::new(&st))
}

/// The export of the example, for tests that change it.
fn example() -> String {
    let bump = Bump::new();
    let st = Store::new(&bump);
    written(&Make { st: &st }.environment(), Select::All)
}

/// The number that the name with these last components has in an export.
fn number_of(text: &str, name: &str, key: &str) -> u64 {
    let bump = Bump::new();
    let _ = bump;
    let mut names = vec![String::new()];
    for line in text.lines() {
        let v: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if let Some(s) = v.pointer("/str/str") {
            let pre = v.pointer("/str/pre").and_then(|p| p.as_u64()).unwrap_or(0) as usize;
            let s = s.as_str().unwrap_or("");
            names.push(if pre == 0 {
                s.to_owned()
            } else {
                format!("{}.{s}", names[pre])
            });
        }
        for kind in ["thm", "def"] {
            let id = v.pointer(&format!("/{kind}/name")).and_then(|n| n.as_u64());
            if id.is_some_and(|i| names[i as usize] == name) {
                return v
                    .pointer(&format!("/{kind}/{key}"))
                    .and_then(|n| n.as_u64())
                    .expect("a number");
            }
        }
    }
    panic!("no {name}")
}

/// The example with `from` replaced by `to` in the last line that has it, and the number of that line.
fn changed(from: &str, to: &str) -> (String, usize) {
    let text = example();
    let at = text.lines().count()
        - text
            .lines()
            .rev()
            .position(|l| l.contains(from))
            .expect(from);
    let lines: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(i, l)| {
            if i + 1 == at {
                l.replacen(from, to, 1)
            } else {
                l.to_owned()
            }
        })
        .collect();
    (lines.join("\n"), at)
}

#[test]
fn there_and_back() {
    let bump = Bump::new();
    let st = Store::new(&bump);
    let env = Make { st: &st }.environment();
    let text = written(&env, Select::All);
    let mut again = Environment::new(&st);
    let read = read_ndjson(text.as_bytes(), &mut again).expect("accepted");
    assert_eq!(read.declarations, 12);
    assert_eq!(read.recursors, 4);
    assert_eq!(read.axioms, [st.name("propext")]);
    // Same store: equal constants have equal terms.
    assert!(env.constants().eq(again.constants()));
    assert_eq!(written(&again, Select::All), text);
}

#[test]
fn dense_and_nothing_twice() {
    let text = example();
    let mut next = [1_u64, 1, 0];
    let mut bodies = std::collections::BTreeSet::new();
    for line in text.lines().skip(1) {
        let mut v: serde_json::Value = serde_json::from_str(line).expect("JSON");
        for (i, key) in ["in", "il", "ie"].iter().enumerate() {
            if let Some(id) = v.as_object_mut().and_then(|o| o.remove(*key)) {
                assert_eq!(id.as_u64(), Some(next[i]), "{line}");
                next[i] += 1;
            }
        }
        assert!(bodies.insert(v.to_string()), "twice: {line}");
    }
}

#[test]
fn a_closure_holds_what_is_mentioned() {
    let bump = Bump::new();
    let st = Store::new(&bump);
    let env = Make { st: &st }.environment();
    let text = written(&env, Select::Closure(&[st.name("two_and_two")]));
    let mut small = Environment::new(&st);
    read_ndjson(text.as_bytes(), &mut small).expect("accepted");
    let names: Vec<String> = small
        .constants()
        .map(|c| st.name_to_string(c.name()))
        .collect();
    assert_eq!(
        names,
        [
            "Nat",
            "Nat.zero",
            "Nat.succ",
            "Nat.rec",
            "Eq",
            "Eq.refl",
            "Eq.rec",
            "Nat.add",
            "two_and_two"
        ]
    );
    let missing = write_ndjson(
        &mut Vec::new(),
        &env,
        Select::Closure(&[st.name("no.such")]),
    );
    assert!(matches!(missing, Err(ExportError::Unknown(n)) if n == "no.such"));
}

#[test]
fn a_swapped_proof_is_refused() {
    let text = example();
    let (mine, other) = (
        number_of(&text, "all", "value"),
        number_of(&text, "two_and_two", "value"),
    );
    let line = text
        .lines()
        .find(|l| l.contains("\"thm\"") && l.contains(&format!("\"value\":{mine}}}")));
    let line = line.expect("the theorem");
    let forged = line.replace(
        &format!("\"value\":{mine}}}"),
        &format!("\"value\":{other}}}"),
    );
    match read(&text.replace(line, &forged)) {
        Err(ReadError::Refused { name, rule, .. }) => {
            assert_eq!(name, "all");
            assert!(
                matches!(*rule, KernelError::DeclarationMismatch { .. }),
                "{rule:?}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn claims_about_derived_constants_are_compared() {
    let cases = [
        ("\"k\":true", "\"k\":false", "Eq.rec", Difference::Flag),
        ("\"isRec\":true", "\"isRec\":false", "Nat", Difference::Flag),
        (
            "\"numMotives\":1",
            "\"numMotives\":2",
            "Iff.rec",
            Difference::Count,
        ),
        (
            "\"numIndices\":1",
            "\"numIndices\":0",
            "Eq.rec",
            Difference::Count,
        ),
        ("\"cidx\":1", "\"cidx\":3", "Nat.succ", Difference::Count),
        (
            "\"nfields\":2",
            "\"nfields\":1",
            "Iff.rec",
            Difference::Count,
        ),
        (
            "\"kind\":\"lift\"",
            "\"kind\":\"ind\"",
            "Quot.lift",
            Difference::NoSuchConstant,
        ),
    ];
    for (from, to, of, what) in cases {
        let (text, at) = changed(from, to);
        match read(&text) {
            Err(ReadError::Differs {
                line,
                name,
                what: w,
            }) => {
                assert_eq!((line, name.as_str(), w), (at, of, what), "{from} → {to}");
            }
            other => panic!("{from} → {to}: {other:?}"),
        }
    }
}

#[test]
fn rules_and_recursors_are_compared() {
    let text = example();
    let nat = text
        .lines()
        .find(|l| l.contains("\"inductive\""))
        .expect("Nat");
    let mut v: serde_json::Value = serde_json::from_str(nat).expect("JSON");
    let rules = v.pointer_mut("/inductive/recs/0/rules").expect("rules");
    let (a, b) = (rules[0]["rhs"].clone(), rules[1]["rhs"].clone());
    rules[0]["rhs"] = b;
    rules[1]["rhs"] = a;
    let forged = text.replace(nat, &v.to_string());
    assert!(
        matches!(read(&forged), Err(ReadError::Differs { name, what: Difference::Rule, .. }) if name == "Nat.rec")
    );
    v["inductive"]["recs"] = serde_json::json!([]);
    let forged = text.replace(nat, &v.to_string());
    assert!(
        matches!(read(&forged), Err(ReadError::Differs { name, what: Difference::Missing, .. }) if name == "Nat")
    );
}

#[test]
fn malformed_lines_are_named() {
    let meta = example().lines().next().expect("a meta line").to_owned();
    let cases = [
        ("", 1, "no meta line"),
        (
            "{\"in\":1,\"str\":{\"pre\":0,\"str\":\"a\"}}",
            1,
            "the first line is no meta line",
        ),
        ("META\nMETA", 2, "a second meta line"),
        ("META\nnonsense", 2, "expected ident at line 1 column 2"),
        (
            "META\n{\"in\":2,\"str\":{\"pre\":0,\"str\":\"a\"}}",
            2,
            "name 2 where 1 is next",
        ),
        (
            "META\n{\"in\":1,\"str\":{\"pre\":7,\"str\":\"a\"}}",
            2,
            "name 7 is not defined",
        ),
        (
            "META\n{\"in\":1}",
            2,
            "not exactly one thing, with its index if it has one",
        ),
        ("META\n{\"il\":1,\"succ\":3}", 2, "level 3 is not defined"),
        (
            "META\n{\"il\":1,\"succ\":0,\"param\":0}",
            2,
            "not exactly one thing, with its index if it has one",
        ),
        ("META\n{\"ie\":0,\"sort\":9}", 2, "level 9 is not defined"),
        (
            "META\n{\"ie\":0,\"bvar\":4294967295}",
            2,
            "a bound variable beyond all binders",
        ),
        (
            "META\n{\"ie\":0,\"natVal\":\"-1\"}",
            2,
            "`natVal` is no decimal number",
        ),
        (
            "META\n{\"ie\":0,\"il\":1,\"sort\":0}",
            2,
            "not exactly one thing, with its index if it has one",
        ),
        (
            "META\n{\"ie\":0,\"app\":{\"fn\":0,\"arg\":0}}",
            2,
            "term 0 is not defined",
        ),
        (
            "META\n{}",
            2,
            "not exactly one thing, with its index if it has one",
        ),
        (
            "META\n{\"ie\":0,\"sort\":0,\"thm\":{\"name\":0,\"levelParams\":[],\"type\":0,\"value\":0,\"all\":[]}}",
            2,
            "not exactly one thing, with its index if it has one",
        ),
        (
            "META\n{\"in\":1,\"str\":{\"pre\":0,\"str\":\"a\"}}\n{\"in\":1,\"str\":{\"pre\":0,\"str\":\"b\"}}",
            3,
            "name 1 where 2 is next",
        ),
        (
            "META\n{\"ie\":0,\"sort\":0,\"extra\":1}",
            2,
            "unknown field `extra`",
        ),
        (
            "META\n{\"ie\":0,\"ie\":0,\"sort\":0}",
            2,
            "duplicate field `ie`",
        ),
        (
            "META\n{\"ie\":0,\"sort\":0}\n{\"ie\":1,\"letE\":{\"name\":0,\"type\":0,\"value\":0,\"body\":0,\"nondep\":false,\"x\":0}}",
            3,
            "unknown field `x`",
        ),
        (
            "META\n{\"inductive\":{\"types\":[],\"ctors\":[],\"recs\":[]}}",
            2,
            "an inductive declaration without types",
        ),
    ];
    for (text, at, why) in cases {
        match read(&text.replace("META", &meta)) {
            Err(ReadError::Malformed { line, what }) => {
                assert!(
                    line == at && what.starts_with(why),
                    "{text}: {line}: {what}"
                )
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn lines_and_numbers_have_limits() {
    let meta = example().lines().next().expect("a meta line").to_owned();
    let digits = "1".repeat(1_000_000);
    let term = |digits: &str| format!("{meta}\n{{\"ie\":0,\"natVal\":\"{digits}\"}}");
    assert!(read(&term(&digits)).is_ok());
    let malformed = |text: &str, why: &str| match read(text) {
        Err(ReadError::Malformed { line: 2, what }) => assert_eq!(what, why),
        other => panic!("{other:?}"),
    };
    let why = "long numbers have more than 1000000 digits in all";
    malformed(&term(&(digits.clone() + "1")), why);
    let second = term(&digits) + &format!("\n{{\"ie\":1,\"natVal\":\"{}\"}}", &digits[..1001]);
    match read(&second) {
        Err(ReadError::Malformed { line: 3, what }) => assert_eq!(what, why),
        other => panic!("{other:?}"),
    }
    let long = format!("{meta}\n{}", " ".repeat((1 << 24) + 1));
    malformed(&long, "longer than 16777216 bytes");
}

#[test]
fn a_file_of_long_lines_has_limits() {
    let meta = example().lines().next().expect("a meta line").to_owned() + "\n";
    let blank = " ".repeat((1 << 24) - 1) + "\n";
    let data =
        r#"{"mdata":{"data":["#.to_owned() + &"{},".repeat(5_000_000) + r#"0],"expr":0}}"# + "\n";
    let name = |i: usize| {
        format!(
            r#"{{"in":{i},"str":{{"pre":0,"str":"{i}{}"}}}}"#,
            "a".repeat(1 << 23)
        ) + "\n"
    };
    let whole = |lines: &mut dyn Iterator<Item = String>| {
        let bump = Bump::new();
        let st = Store::new(&bump);
        let mut input: Box<dyn BufRead> = Box::new(Cursor::new(meta.clone()));
        for line in lines {
            input = Box::new(input.chain(Cursor::new(line)));
        }
        match read_ndjson(input, &mut Environment::new(&st)) {
            Err(ReadError::Malformed { line, what }) => (line, what),
            other => panic!("{other:?}"),
        }
    };
    let too_long = "more than 268435456 bytes in blank and in long lines".to_owned();
    assert_eq!(
        whole(&mut (0..17).map(|_| blank.clone())),
        (18, too_long.clone())
    );
    assert_eq!(whole(&mut (1..40).map(name)), (34, too_long));
    // What the format lets anyone say is not kept, however much it is.
    let (line, _) = whole(&mut [data].into_iter());
    assert_eq!(line, 2);
}

#[test]
fn unsupported_lines_are_named() {
    let (text, at) = changed("\"safety\":\"safe\"", "\"safety\":\"partial\"");
    assert!(matches!(read(&text), Err(ReadError::Unsupported { line, .. }) if line == at));
    let (text, at) = changed("\"isUnsafe\":false", "\"isUnsafe\":true");
    assert!(matches!(read(&text), Err(ReadError::Unsupported { line, .. }) if line == at));
    let text = example().replacen("3.1.0", "2.0.0", 1);
    assert!(
        matches!(read(&text), Err(ReadError::Unsupported { line: 1, what }) if what == "format version 2.0.0")
    );
}

#[test]
fn no_cut_line_crashes_the_reader() {
    let text = example();
    let lines: Vec<&str> = text.lines().collect();
    let mut refused = 0;
    for i in 1..lines.len() {
        for cut in (1..lines[i].len())
            .step_by(7)
            .filter(|c| lines[i].is_char_boundary(*c))
        {
            let mut changed = lines.clone();
            changed[i] = &lines[i][..cut];
            let what = read(&changed.join("\n"));
            assert!(matches!(what, Err(ReadError::Malformed { line, .. }) if line == i + 1));
            refused += 1;
        }
        // A missing line leaves a gap in the indices, or something undefined.
        if ["{\"in\":", "{\"il\":", "{\"ie\":"]
            .iter()
            .any(|p| lines[i].starts_with(p))
        {
            let mut changed = lines.clone();
            changed.remove(i);
            let what = read(&changed.join("\n"));
            assert!(
                matches!(what, Err(ReadError::Malformed { .. })),
                "{}: {what:?}",
                lines[i]
            );
        }
    }
    assert!(refused > 500);
}
