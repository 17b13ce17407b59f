//! Mutual and nested inductive types there and back, and claims about them that are wrong.

use bumpalo::Bump;
use export_lean::{Difference, ReadError, Select, read_ndjson, write_ndjson};
use lab::{Lab, PRELUDE, lab};
use logic::{Environment, Store};
use serde_json::{Value, json};

fn export(l: &Lab<'_>) -> String {
    let mut out = Vec::new();
    write_ndjson(&mut out, &l.env, Select::All).expect("it can be written");
    String::from_utf8(out).expect("UTF-8")
}

fn read(text: &str) -> Result<usize, ReadError> {
    let bump = Bump::new();
    let st = Store::new(&bump);
    Ok(read_ndjson(text.as_bytes(), &mut Environment::new(&st))?.recursors)
}

/// The export of the last inductive declaration of `text`, changed by `edit`.
fn forged(text: &str, edit: impl FnOnce(&mut Value)) -> Result<usize, ReadError> {
    let mut export_text = String::new();
    lab(PRELUDE, |l| {
        l.accept(text);
        export_text = export(l);
    });
    let mut lines: Vec<String> = export_text.lines().map(str::to_owned).collect();
    let last = lines.last_mut().expect("a line");
    let mut v: Value = serde_json::from_str(last).expect("JSON");
    edit(&mut v["inductive"]);
    *last = v.to_string();
    read(&lines.join("\n"))
}

#[test]
fn there_and_back() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/accept/kernel/");
    for (file, recursors) in [("mutual", 29), ("nested", 183)] {
        let text = std::fs::read_to_string(format!("{folder}{file}.lab")).expect("readable");
        lab(PRELUDE, |l| {
            l.accept(&text);
            let mut again = Environment::new(l.st);
            let read = read_ndjson(export(l).as_bytes(), &mut again).expect("accepted");
            assert_eq!(read.recursors, recursors, "{file}");
            assert!(l.env.constants().eq(again.constants()));
        });
    }
}

const TREE: &str =
    "inductive Tree (α : Type) : Type | leaf : α -> Tree α | node : List.{0} (Tree α) -> Tree α";
const EVEN: &str =
    "inductive Even : Nat -> Prop | zero : Even 0 | succ : (n : Nat) -> Odd n -> Even (Nat.succ n)
    with Odd : Nat -> Prop | succ : (n : Nat) -> Even n -> Odd (Nat.succ n)";

#[test]
fn wrong_claims() {
    let refused = |text: &str, of: &str, what: Difference, edit: &dyn Fn(&mut Value)| {
        assert!(forged(text, |_| {}).is_ok());
        match forged(text, edit) {
            Err(ReadError::Differs { name, what: w, .. }) => {
                assert_eq!((name.as_str(), w), (of, what));
            }
            other => panic!("{of}: {other:?}"),
        }
    };
    let swap_rules = |at: usize| {
        move |v: &mut Value| {
            let rules = &mut v["recs"][at]["rules"];
            let first = rules[0]["rhs"].take();
            rules[0]["rhs"] = rules[1]["rhs"].take();
            rules[1]["rhs"] = first;
        }
    };
    refused(TREE, "Tree.rec", Difference::Rule, &swap_rules(0));
    refused(TREE, "Tree.rec_1", Difference::Rule, &swap_rules(1));
    refused(EVEN, "Even.rec", Difference::Rule, &swap_rules(0));
    // Rules that are compared with themselves only would not notice.
    refused(TREE, "Tree.rec_1", Difference::Rules, &|v| {
        v["recs"][1]["rules"] = v["recs"][0]["rules"].clone();
    });
    refused(TREE, "Tree.rec", Difference::Flag, &|v| {
        v["recs"][0]["k"] = json!(true);
    });
    refused(EVEN, "Odd.rec", Difference::Flag, &|v| {
        v["recs"][1]["k"] = json!(true);
    });
    let of_another = |key: &'static str| {
        move |v: &mut Value| v[key][0]["levelParams"] = json!([v["types"][0]["name"]])
    };
    const BOX: &str = "inductive Box.{v} (α : Sort v) : Sort (max 1 v) | mk : α -> Box.{v} α";
    let what = Difference::UniverseParameters;
    refused(BOX, "Box.mk", what, &of_another("ctors"));
    refused(TREE, "Tree", Difference::Count, &|v| {
        v["types"][0]["numNested"] = json!(0);
    });
    refused(TREE, "Tree", Difference::Flag, &|v| {
        v["types"][0]["isReflexive"] = json!(true);
    });
    refused(EVEN, "Even.rec", Difference::Count, &|v| {
        v["recs"][0]["numMotives"] = json!(1);
    });
    refused(EVEN, "Even", Difference::Missing, &|v| {
        v["types"][0]["all"] = json!([v["types"][0]["name"]]);
    });
    // A recursor too few, one twice, one twice in place of another, one of another declaration.
    for at in 0..2 {
        for (text, of) in [(TREE, "Tree"), (EVEN, "Even")] {
            let recs = |v: &mut Value, f: &dyn Fn(&mut Vec<Value>)| {
                f(v["recs"].as_array_mut().expect("recursors"));
            };
            refused(text, of, Difference::Missing, &|v| {
                recs(v, &|r| drop(r.remove(at)));
            });
            refused(text, of, Difference::Missing, &|v| {
                recs(v, &|r| r.push(r[at].clone()));
            });
            refused(text, of, Difference::Missing, &|v| {
                recs(v, &|r| r[at] = r[1 - at].clone());
            });
        }
    }
    let mut unit = Value::Null;
    let text = "inductive A : Type | mk : A inductive B : Type | mk : B";
    lab(PRELUDE, |l| {
        l.accept(text);
        let text = export(l);
        let last_but_one = text
            .lines()
            .rev()
            .filter(|l| l.contains("\"inductive\""))
            .nth(1);
        let line = last_but_one.expect("the line of `A`");
        unit = serde_json::from_str::<Value>(line).expect("JSON")["inductive"].take();
    });
    refused(text, "A.rec", Difference::Missing, &|v| {
        v["recs"] = unit["recs"].clone();
    });
    refused(text, "B", Difference::Missing, &|v| {
        let ctors = v["ctors"].as_array_mut().expect("constructors");
        ctors.push(unit["ctors"][0].clone());
    });
}

/// One number, flag or word of an export changed: there is a verdict, and most are refusals.
#[test]
fn changed_tokens_get_a_verdict() {
    let mut text = String::new();
    lab(PRELUDE, |l| {
        l.accept(TREE);
        l.accept(EVEN);
        text = export(l);
    });
    let mut state = 1_u64;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % n
    };
    let breaks: Vec<usize> = text
        .char_indices()
        .filter(|(_, c)| "{}[]:,\"\n".contains(*c))
        .map(|(i, _)| i + 1)
        .collect();
    let words = [
        "0",
        "1",
        "2",
        "7",
        "40",
        "-1",
        "4294967296",
        "18446744073709551616",
        "true",
        "false",
        "null",
        "\"\"",
        "\"name\"",
        "[]",
        "{}",
        "",
        "abbrev",
        "1e9",
        "0.5",
    ];
    let mut verdicts = [0; 3];
    for _ in 0..3000 {
        let at = below(breaks.len() - 1);
        let (from, to) = (breaks[at], breaks[at + 1] - 1);
        let changed = format!(
            "{}{}{}",
            &text[..from],
            words[below(words.len())],
            &text[to..]
        );
        verdicts[match read(&changed) {
            Ok(_) => 0,
            Err(ReadError::Refused { .. } | ReadError::Differs { .. }) => 1,
            Err(_) => 2,
        }] += 1;
    }
    assert!(verdicts.iter().all(|n| *n > 50), "{verdicts:?}");
}
