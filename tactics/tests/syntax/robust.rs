//! Whatever the text, the parser returns, and its places are inside the text.

use tactics::syntax::ast::{Command, CommandKind};
use tactics::syntax::{LineIndex, parse};

/// xorshift64*, so that every run sees the same mutants.
struct Random(u64);

impl Random {
    fn next(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % bound.max(1)
    }
}

const SEEDS: [&str; 3] = [
    "import lib.nat\nopen Nat (add)\nuniverse u\n/-- A list. -/\n@[simp, foo 3]\ninductive L.{v} (α : Type v) : Type v where\n  | nil : L α\n  | cons (x : α) (xs : L α) : L α\nstructure S (α : Type u) extends A where\n  mk ::\n  x y : α := 0\n  f (a : Nat) : Nat := a + 1\nmutual\ndef f : Nat → Nat\n  | 0 => 1\n  | n+1 => g n\ndef g (n : Nat) : Nat := f n\ntermination_by n => n\nend\n#check {x : Nat // x < 1}\n#print axioms f\n",
    "theorem t {a b : Nat} (h : a = b ∧ ∃ x < 3, x ≠ a) : b ≤ a ^ 2 + 1 := by\n  obtain ⟨h, x, rfl | -⟩ := h\n  have k : a = b := by\n    simp only [*, ← h, -foo] at h ⊢\n    exact h.1.symm\n  cases k with\n  | refl => first | simp | omega\n  | foo x y =>\n    induction x generalizing y with\n    | zero => exact match y with | 0 => rfl | n+1 => (· + 1) n\n    | succ n ih => rw [ih, f (n := 2)] at k; done\n  · calc a = b := h\n      _ = c := by simp\n  . refine ⟨?_, fun x => x |>.f y <| z⟩ <;> try (left; right)\n  exact { s with\n    a := \"s\\n\"\n    b := 'c' }\n",
    "notation:65 a:66 \" ⊕ \" b:65 => add a b\ninfixl:70 \" ⊗ \" => mul\nprefix:max \"√\" => sqrt\nnotation \"‖\" x \"‖\" => norm x\nptx_module m from \"k.ptx\" entries a b\nptx_isa\ndef d := ‖a ⊕ √ b‖ ⊗ c /- n /- o -/ -/\nexample : (x : Nat) → {y : Nat} → Nat × Nat := by\n  symexec m (fuel := 3) using inv with ⟨x, y⟩ => done\n  let z := 1\n  exact let x := 5\n        have h : x = 5 := rfl\n        show _ from h ▸ ‹p› -- end\ndef e := if h : c then [a, (b, 0x1F)] else fun | .some x, _ => @f.{u+1, max 1 v} ?a\n",
];

/// Bits of text that matter to the parser.
const BITS: [&str; 48] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "⟨",
    "⟩",
    "(|",
    "|)",
    "‹",
    "›",
    "by",
    "\n",
    "\n  ",
    "\n    ",
    "|",
    "=>",
    ":=",
    ":",
    ",",
    ";",
    "·",
    ".",
    ".1",
    "fun",
    "match",
    "with",
    "def",
    "theorem",
    "end",
    "mutual",
    "notation \"a\" x => x\n",
    "infixl:9 \"z\" => f\n",
    "/-",
    "-/",
    "--",
    "\"",
    "'",
    "α",
    "\u{1d49c}",
    "\0",
    "⊕",
    "‖",
    "∀",
    "let",
    "calc",
    "@[",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.next(4) {
        let at = random.next(chars.len());
        match random.next(5) {
            0 if !chars.is_empty() => {
                let end = (at + 1 + random.next(12)).min(chars.len());
                chars.drain(at..end);
            }
            1 => {
                let bit = BITS[random.next(BITS.len())];
                chars.splice(at..at, bit.chars());
            }
            2 => {
                let end = (at + random.next(60)).min(chars.len());
                let piece: Vec<char> = chars[at..end].to_vec();
                let to = random.next(chars.len());
                chars.splice(to..to, piece);
            }
            3 if !chars.is_empty() => {
                let other = random.next(chars.len());
                chars.swap(at, other);
            }
            _ => chars.truncate(chars.len() - random.next(chars.len()) / 4),
        }
    }
    chars.into_iter().collect()
}

fn check(text: &str) {
    let script = parse(text);
    let index = LineIndex::new(text);
    for e in &script.errors {
        assert!(text.get(e.span.range()).is_some(), "{e:?} in {text}");
        assert!(!e.to_string().is_empty());
        index.line_col(text, e.span.start);
    }
    let mut last = 0;
    for c in &script.commands {
        assert!(
            text.get(c.span.range()).is_some() && text.get(c.keyword.range()).is_some(),
            "{text}"
        );
        assert!(c.span.start >= last, "{text}");
        last = c.span.end;
    }
    if script.errors.is_empty() {
        assert!(
            !script.commands.iter().any(has_error),
            "an error nobody was told of: {text}"
        );
    }
}

fn has_error(c: &Command) -> bool {
    match &c.kind {
        CommandKind::Error { .. } => true,
        CommandKind::Mutual(list) => list.iter().any(has_error),
        kind => format!("{kind:?}").contains("kind: Error"),
    }
}

#[test]
fn seeds_are_good() {
    for seed in SEEDS {
        assert_eq!(parse(seed).errors, [], "{seed}");
    }
}

#[test]
fn mutants_do_not_panic() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for i in 0..3000 {
        let text = mutate(SEEDS[i % SEEDS.len()], &mut random);
        check(&text);
    }
}

#[test]
fn every_prefix_is_survived() {
    for seed in SEEDS {
        for (at, _) in seed.char_indices() {
            check(&seed[..at]);
        }
    }
}

#[test]
fn soup_is_survived() {
    let mut random = Random(42);
    for _ in 0..500 {
        let n = random.next(200);
        let text: String = (0..n)
            .map(|_| format!("{} ", BITS[random.next(BITS.len())]))
            .collect();
        check(&text);
    }
}
