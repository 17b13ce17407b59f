//! Random statements about four small numbers: `omega` proves those that hold (and the kernel accepts the proofs), and
//! refuses the others. What holds is found by trying all values.

use std::fmt;
use std::path::Path;

use bumpalo::Bump;
use logic::Store;
use tactics::driver::{Session, Status, on_large_stack};

/// How many statements.
const STATEMENTS: usize = 400;

/// The numbers: `x` and `y` are integers from -3 to 3, `m` and `n` natural numbers up to 3.
#[derive(Clone, Copy)]
struct Point {
    integers: [i64; 2],
    naturals: [i64; 2],
}

fn points() -> impl Iterator<Item = Point> {
    (0..7 * 7 * 4 * 4).map(|i| Point {
        integers: [i % 7 - 3, i / 7 % 7 - 3],
        naturals: [i / 49 % 4, i / 196],
    })
}

/// A term with the function that it is. The text is of type `Int` or `Nat`; the value is an integer in any case.
struct Term {
    text: String,
    value: Box<dyn Fn(&Point) -> i64>,
}

/// A proposition with its truth.
struct Prop {
    text: String,
    holds: Box<dyn Fn(&Point) -> bool>,
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn term(text: String, value: impl Fn(&Point) -> i64 + 'static) -> Term {
    let value = Box::new(value);
    Term { text, value }
}

fn prop(text: String, holds: impl Fn(&Point) -> bool + 'static) -> Prop {
    let holds = Box::new(holds);
    Prop { text, holds }
}

/// A small linear congruential generator: the same statements in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn int(&mut self, depth: usize) -> Term {
        match self.below(if depth == 0 { 3 } else { 13 }) {
            k @ (0 | 1) => term(["x", "y"][k].to_owned(), move |p| p.integers[k]),
            2 => {
                let c = self.below(13) as i64 - 6;
                term(format!("({c})"), move |_| c)
            }
            3 => {
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                let value = move |p: &Point| (a.value)(p) + (b.value)(p);
                term(format!("({} + {})", a.text, b.text), value)
            }
            4 => {
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                let value = move |p: &Point| (a.value)(p) - (b.value)(p);
                term(format!("({} - {})", a.text, b.text), value)
            }
            5 => {
                let a = self.int(depth - 1);
                term(format!("(-{a})"), move |p| -(a.value)(p))
            }
            6 => {
                let (c, a) = (self.below(9) as i64 - 4, self.int(depth - 1));
                term(format!("({c} * {a})"), move |p| c * (a.value)(p))
            }
            7 => {
                let (a, c) = (self.int(depth - 1), self.below(9) as i64 - 4);
                let value = move |p: &Point| match c {
                    0 => 0,
                    _ => (a.value)(p).div_euclid(c),
                };
                term(format!("({} / ({c}))", a.text), value)
            }
            8 => {
                let (a, c) = (self.int(depth - 1), self.below(9) as i64 - 4);
                let value = move |p: &Point| match c {
                    0 => (a.value)(p),
                    _ => (a.value)(p).rem_euclid(c),
                };
                term(format!("({} % ({c}))", a.text), value)
            }
            9 => {
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                let value = move |p: &Point| (a.value)(p).min((b.value)(p));
                term(format!("(Int.min {} {})", a.text, b.text), value)
            }
            10 => {
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                let value = move |p: &Point| (a.value)(p).max((b.value)(p));
                term(format!("(Int.max {} {})", a.text, b.text), value)
            }
            _ => {
                let n = self.nat(depth - 1);
                term(format!("(Int.ofNat {n})"), n.value)
            }
        }
    }

    fn nat(&mut self, depth: usize) -> Term {
        match self.below(if depth == 0 { 3 } else { 11 }) {
            k @ (0 | 1) => term(["m", "n"][k].to_owned(), move |p| p.naturals[k]),
            2 => {
                let c = self.below(7) as i64;
                term(c.to_string(), move |_| c)
            }
            3 => {
                let (a, b) = (self.nat(depth - 1), self.nat(depth - 1));
                let value = move |p: &Point| (a.value)(p) + (b.value)(p);
                term(format!("({} + {})", a.text, b.text), value)
            }
            4 | 5 => {
                let (a, b) = (self.nat(depth - 1), self.nat(depth - 1));
                let value = move |p: &Point| ((a.value)(p) - (b.value)(p)).max(0);
                term(format!("({} - {})", a.text, b.text), value)
            }
            6 => {
                let (a, c) = (self.nat(depth - 1), self.below(5) as i64);
                let value = move |p: &Point| (a.value)(p).checked_div(c).unwrap_or(0);
                term(format!("({} / {c})", a.text), value)
            }
            7 => {
                let (a, c) = (self.nat(depth - 1), self.below(5) as i64);
                let value = move |p: &Point| {
                    let v = (a.value)(p);
                    v.checked_rem(c).unwrap_or(v)
                };
                term(format!("({} % {c})", a.text), value)
            }
            8 => {
                let a = self.int(depth - 1);
                term(format!("(Int.natAbs {a})"), move |p| (a.value)(p).abs())
            }
            9 => {
                let a = self.int(depth - 1);
                term(format!("(Int.toNat {a})"), move |p| (a.value)(p).max(0))
            }
            _ => {
                let (a, b) = (self.nat(depth - 1), self.nat(depth - 1));
                let (c, d) = (self.nat(depth - 1), self.nat(depth - 1));
                let text = format!("(if {a} ≤ {b} then {c} else {d})");
                let value = move |p: &Point| match (a.value)(p) <= (b.value)(p) {
                    true => (c.value)(p),
                    false => (d.value)(p),
                };
                term(text, value)
            }
        }
    }

    fn prop(&mut self, depth: usize) -> Prop {
        match self.below(if depth == 0 { 5 } else { 9 }) {
            4 => {
                let (c, a) = ([2, 3, -2][self.below(3)], self.int(2));
                let text = format!("({c} : Int) ∣ {a}");
                prop(text, move |p| (a.value)(p) % c == 0)
            }
            k @ 0..4 => {
                let op = ["≤", "<", "=", "≠"][k];
                let (a, b) = match self.below(2) {
                    0 => (self.int(2), self.int(1)),
                    _ => (self.nat(2), self.nat(1)),
                };
                let text = format!("{a} {op} {b}");
                let holds = move |p: &Point| {
                    let (a, b) = ((a.value)(p), (b.value)(p));
                    [a <= b, a < b, a == b, a != b][k]
                };
                prop(text, holds)
            }
            k => {
                let (a, b) = (self.prop(depth - 1), self.prop(depth - 1));
                let (s, t) = (&a.text, &b.text);
                let text = match k {
                    5 => format!("({s}) ∧ ({t})"),
                    6 => format!("({s}) ∨ ({t})"),
                    7 => format!("({s}) → ({t})"),
                    _ => format!("¬ (({s}) ↔ ({t}))"),
                };
                let holds = move |p: &Point| {
                    let (a, b) = ((a.holds)(p), (b.holds)(p));
                    [a && b, a || b, !a || b, a != b][k - 5]
                };
                prop(text, holds)
            }
        }
    }
}

/// The statements as a script, and which of them hold: as many as do not.
fn script(random: &mut Random) -> (String, Vec<bool>) {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs/lib");
    let mut text = format!("import \"{}/omega_int.ptxp\"\n", lib.display());
    let bounds =
        "(x y : Int) (m n : Nat) (a : -3 ≤ x ∧ x ≤ 3) (b : -3 ≤ y ∧ y < 4) (c : m ≤ 3) (d : n < 4)";
    let mut truth = Vec::new();
    while truth.len() < STATEMENTS {
        let (h, goal) = (random.prop(1), random.prop(1));
        let holds = points().all(|p| !(h.holds)(&p) || (goal.holds)(&p));
        if truth.iter().filter(|t| **t == holds).count() >= STATEMENTS / 2 {
            continue;
        }
        let (i, h, goal) = (truth.len(), h.text, goal.text);
        text.push_str(&format!(
            "theorem t{i} {bounds} (h : {h}) : {goal} := by omega\n"
        ));
        truth.push(holds);
    }
    (text, truth)
}

#[test]
fn agrees_with_trying_all_values() {
    let run = || {
        let (text, truth) = script(&mut Random(2026));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("omega.ptxp");
        let bump = Bump::new();
        let store = Store::new(&bump);
        let mut session = Session::new(&store);
        session.replace_file(&path, text.clone()).expect("a path");
        session.check_file(&path).expect("the script can be read");
        let report = session
            .reports()
            .iter()
            .find(|r| r.path.ends_with("omega.ptxp") && r.source == text);
        let report = report.expect("the report of the script");
        assert_eq!(report.decls.len(), truth.len());
        let mut bad = String::new();
        for (decl, holds) in report.decls.iter().zip(truth) {
            if (decl.status == Status::Proved) != holds {
                let statement = &report.source[decl.span.start as usize..decl.span.end as usize];
                bad.push_str(&format!("holds: {holds}: {statement}\n"));
            }
        }
        let refused = "`omega` could not prove the goal";
        for d in report.diagnostics.iter().filter(|d| d.message != refused) {
            bad.push_str(&format!("{}\n", d.message));
        }
        bad
    };
    let bad = on_large_stack(run).expect("a thread");
    assert!(bad.is_empty(), "{bad}");
}
