//! Changes of an export: ids, levels, flags, numbers, names, constructors, rules, the order of declarations.

use serde_json::{Value, json};

use super::rng::Rng;

/// An export, line by line.
#[derive(Clone)]
pub struct Base {
    lines: Vec<Value>,
}

impl Base {
    /// Reads an export.
    ///
    /// # Errors
    /// A line that is no JSON.
    pub fn read(text: &str) -> Result<Base, serde_json::Error> {
        let lines = text
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()?;
        Ok(Base { lines })
    }

    /// The export as it was read.
    pub fn text(&self) -> String {
        text(&self.lines)
    }

    /// The export with `max a b` in place of `imax a b` wherever `b` is never 0, which is the same.
    pub fn with_plain_levels(&self) -> String {
        let mut lines = self.lines.clone();
        let mut positive = vec![false];
        for l in lines.iter_mut().filter(|l| l.get("il").is_some()) {
            let is = |v: &Value| v.as_u64().and_then(|i| positive.get(i as usize)) == Some(&true);
            let new = match (l.get("max"), l.get("imax")) {
                (Some(m), _) => is(&m[0]) || is(&m[1]),
                (_, Some(m)) if is(&m[1]) => {
                    let m = m.clone();
                    *l = json!({ "il": l["il"], "max": m });
                    true
                }
                _ => l.get("succ").is_some(),
            };
            positive.push(new);
        }
        text(&lines)
    }

    /// A copy with one to three things changed.
    pub fn mutant(&self, rng: &mut Rng) -> String {
        let mut lines = self.lines.clone();
        for _ in 0..=rng.below(3) {
            change(&mut lines, rng);
        }
        text(&lines)
    }
}

fn text(lines: &[Value]) -> String {
    let mut text = String::new();
    for l in lines {
        text.push_str(&l.to_string());
        text.push('\n');
    }
    text
}

fn is_declaration(v: &Value) -> bool {
    v.get("meta").is_none()
        && v.get("in").is_none()
        && v.get("il").is_none()
        && v.get("ie").is_none()
}

/// How many of a kind of node there are.
fn count(lines: &[Value], key: &str) -> usize {
    lines.iter().filter(|l| l.get(key).is_some()).count()
}

fn change(lines: &mut Vec<Value>, rng: &mut Rng) {
    let names = count(lines, "in") + 1;
    let levels = count(lines, "il") + 1;
    let terms = count(lines, "ie");
    let of = |key: &str| -> Vec<usize> {
        (0..lines.len())
            .filter(|i| lines[*i].get(key).is_some())
            .collect()
    };
    let declarations: Vec<usize> = (1..lines.len())
        .filter(|i| is_declaration(&lines[*i]))
        .collect();
    let (term_lines, level_lines) = (of("ie"), of("il"));
    match rng.below(20) {
        0..=7 if !term_lines.is_empty() => {
            let i = *rng.pick(&term_lines);
            change_term(&mut lines[i], names, levels, rng);
        }
        8 | 9 if !level_lines.is_empty() => {
            let i = *rng.pick(&level_lines);
            change_level(&mut lines[i], names, rng);
        }
        10 if declarations.len() > 1 => {
            let (a, b) = (*rng.pick(&declarations), *rng.pick(&declarations));
            lines.swap(a, b);
        }
        11 if !declarations.is_empty() => {
            let i = *rng.pick(&declarations);
            if rng.once_in(2) {
                lines.remove(i);
            } else {
                let copy = lines[i].clone();
                lines.insert(i + 1, copy);
            }
        }
        12 => {
            let i = *rng.pick(&of("in"));
            let last = lines[i]["in"].as_u64().unwrap_or(0) as usize;
            let inner = if lines[i].get("str").is_some() {
                "str"
            } else {
                "num"
            };
            match rng.below(2) {
                0 => lines[i][inner]["pre"] = json!(rng.below(last)),
                _ => {
                    let other = *rng.pick(&of("in"));
                    if let (Some(s), true) = (lines[other]["str"]["str"].as_str(), inner == "str") {
                        lines[i]["str"]["str"] = json!(s.to_owned());
                    }
                }
            }
        }
        _ if !declarations.is_empty() => {
            let i = *rng.pick(&declarations);
            change_declaration(&mut lines[i], names, levels, terms, rng);
        }
        _ => {}
    }
}

/// A number near another one.
fn near(n: u64, rng: &mut Rng) -> u64 {
    match rng.below(4) {
        0 => n + 1,
        1 => n.saturating_sub(1),
        2 => 0,
        _ => rng.below(8) as u64,
    }
}

fn change_term(line: &mut Value, names: usize, levels: usize, rng: &mut Rng) {
    let id = line["ie"].as_u64().unwrap_or(0) as usize;
    let Some(kind) = line
        .as_object()
        .and_then(|o| o.keys().find(|k| *k != "ie").cloned())
    else {
        return;
    };
    match kind.as_str() {
        "bvar" => line["bvar"] = json!(near(line["bvar"].as_u64().unwrap_or(0), rng)),
        "sort" => line["sort"] = json!(rng.below(levels)),
        "natVal" => {
            let texts = ["0", "1", "2", "4", "1099511627776", "18446744073709551616"];
            line["natVal"] = json!(texts[rng.below(texts.len())]);
        }
        "const" => match rng.below(3) {
            0 => line["const"]["name"] = json!(rng.below(names)),
            1 => {
                if let Some(us) = line["const"]["us"].as_array_mut() {
                    match rng.below(3) {
                        0 => us.push(json!(rng.below(levels))),
                        1 => drop(us.pop()),
                        _ => {
                            let n = us.len();
                            if n > 0 {
                                us[rng.below(n)] = json!(rng.below(levels));
                            }
                        }
                    }
                }
            }
            _ => *line = json!({ "ie": id, "const": { "name": rng.below(names), "us": [] } }),
        },
        "proj" => match rng.below(3) {
            0 => line["proj"]["idx"] = json!(near(line["proj"]["idx"].as_u64().unwrap_or(0), rng)),
            1 => line["proj"]["typeName"] = json!(rng.below(names)),
            _ => line["proj"]["struct"] = json!(rng.below(id)),
        },
        "app" if rng.once_in(8) => {
            let (f, a) = (line["app"]["fn"].clone(), line["app"]["arg"].clone());
            line["app"] = json!({ "fn": a, "arg": f });
        }
        "lam" | "forallE" if rng.once_in(6) => {
            let other = if kind == "lam" { "forallE" } else { "lam" };
            *line = json!({ "ie": id, other: line[&kind].clone() });
        }
        "app" | "lam" | "forallE" | "letE" => {
            let parts: &[&str] = match kind.as_str() {
                "app" => &["fn", "arg"],
                "letE" => &["type", "value", "body"],
                _ => &["type", "body"],
            };
            let part = *rng.pick(parts);
            // A term nearby is likelier to fit.
            let back = if rng.once_in(2) {
                rng.below(id.min(12)) + 1
            } else {
                rng.below(id) + 1
            };
            line[&kind][part] = json!(id.saturating_sub(back));
        }
        _ => {}
    }
}

fn change_level(line: &mut Value, names: usize, rng: &mut Rng) {
    let id = line["il"].as_u64().unwrap_or(1) as usize;
    let (a, b) = (rng.below(id), rng.below(id));
    let new = match rng.below(5) {
        0 => json!({ "succ": a }),
        1 => json!({ "max": [a, b] }),
        2 | 3 => json!({ "imax": [a, b] }),
        _ => json!({ "param": rng.below(names) }),
    };
    *line = new;
    line["il"] = json!(id);
}

fn change_declaration(line: &mut Value, names: usize, levels: usize, terms: usize, rng: &mut Rng) {
    let Some(kind) = line.as_object().and_then(|o| o.keys().next().cloned()) else {
        return;
    };
    let _ = levels;
    if kind != "inductive" {
        let d = &mut line[&kind];
        match rng.below(6) {
            0 => d["name"] = json!(rng.below(names)),
            1 => d["type"] = json!(rng.below(terms)),
            2 if d.get("value").is_some() => d["value"] = json!(rng.below(terms)),
            3 => change_params(d, names, rng),
            4 if d.get("hints").is_some() => {
                d["hints"] = match rng.below(3) {
                    0 => json!("opaque"),
                    1 => json!("abbrev"),
                    _ => json!({ "regular": rng.below(5) }),
                };
            }
            _ if kind == "def" => {
                let mut d = d.clone();
                if let Some(o) = d.as_object_mut() {
                    o.remove("hints");
                    o.remove("safety");
                }
                *line = json!({ "thm": d });
            }
            _ => {}
        }
        return;
    }
    let part = *rng.pick(&["types", "ctors", "recs", "recs"]);
    let Some(items) = line["inductive"][part]
        .as_array_mut()
        .filter(|v| !v.is_empty())
    else {
        return;
    };
    match rng.below(8) {
        0 => {
            let i = rng.below(items.len());
            items.remove(i);
            return;
        }
        1 => {
            let (i, j) = (rng.below(items.len()), rng.below(items.len()));
            items.swap(i, j);
            return;
        }
        _ => {}
    }
    let i = rng.below(items.len());
    let d = &mut items[i];
    match rng.below(10) {
        0 | 1 => d["type"] = json!(rng.below(terms)),
        2 => d["name"] = json!(rng.below(names)),
        3 => change_params(d, names, rng),
        4 | 5 => {
            let numbers: Vec<String> = numbers(d);
            if !numbers.is_empty() {
                let key = rng.pick(&numbers).clone();
                d[&key] = json!(near(d[&key].as_u64().unwrap_or(0), rng));
            }
        }
        6 => {
            for key in ["isRec", "isReflexive", "k"] {
                if let (Some(flag), true) = (d.get(key).and_then(Value::as_bool), rng.once_in(2)) {
                    d[key] = json!(!flag);
                }
            }
        }
        _ if part == "recs" => {
            if let Some(rules) = d["rules"].as_array_mut().filter(|r| !r.is_empty()) {
                let (i, j) = (rng.below(rules.len()), rng.below(rules.len()));
                match rng.below(4) {
                    0 => rules.swap(i, j),
                    1 => rules[i]["rhs"] = json!(rng.below(terms)),
                    2 => {
                        rules[i]["nfields"] =
                            json!(near(rules[i]["nfields"].as_u64().unwrap_or(0), rng))
                    }
                    _ => drop(rules.remove(i)),
                }
            }
        }
        _ => {
            for key in ["ctors", "all"] {
                if let Some(list) = d
                    .get_mut(key)
                    .and_then(Value::as_array_mut)
                    .filter(|l| !l.is_empty())
                {
                    let (i, j) = (rng.below(list.len()), rng.below(list.len()));
                    match rng.below(3) {
                        0 => list.swap(i, j),
                        1 => list[i] = json!(rng.below(names)),
                        _ => drop(list.remove(i)),
                    }
                    return;
                }
            }
        }
    }
}

/// The keys of a constant that count something.
fn numbers(d: &Value) -> Vec<String> {
    let keys = d.as_object().into_iter().flat_map(|o| o.keys());
    keys.filter(|k| k.starts_with("num") || *k == "cidx")
        .cloned()
        .collect()
}

fn change_params(d: &mut Value, names: usize, rng: &mut Rng) {
    if let Some(params) = d["levelParams"].as_array_mut() {
        match rng.below(3) {
            0 => params.push(json!(rng.below(names))),
            1 => drop(params.pop()),
            _ => {
                let n = params.len();
                if n > 0 {
                    params[rng.below(n)] = json!(rng.below(names));
                }
            }
        }
    }
}
