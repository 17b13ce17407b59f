//! Damaged texts: parser and resolver refuse with a reason and a place inside the text, and never panic.

use ptx::module::cfg::cfg;
use ptx::module::resolve;
use ptx::text::error::{ParseError, ParseErrorKind};
use ptx::text::parse;

const HEAD: &str = ".version 9.5\n.target sm_90a\n.address_size 64\n";

fn refused(text: &str) -> ParseError {
    match parse(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(e) => {
            assert!(!e.help().is_empty() && !e.to_string().is_empty());
            assert!(
                e.span.end as usize <= text.len() && e.span.start <= e.span.end,
                "{e:?}"
            );
            e
        }
    }
}

/// Each kind of error, with the text under its span.
#[test]
fn refusals_say_why_and_where() {
    let body = |s: &str| format!("{HEAD}.entry k() {{ {s} }}");
    let at = |text: &str, kind: ParseErrorKind, under: &str| {
        let e = refused(text);
        assert_eq!(e.kind, kind);
        assert_eq!(&text[e.span.range()], under);
    };
    at(
        &body("add.s32 %r1, #;"),
        ParseErrorKind::UnexpectedCharacter('#'),
        "#",
    );
    at(
        &body("add.s32 %r1, é;"),
        ParseErrorKind::UnexpectedCharacter('é'),
        "é",
    );
    at(
        &body("ret; /* never closed"),
        ParseErrorKind::UnterminatedComment,
        "/*",
    );
    at(
        &body(".pragma \"nounroll;\n"),
        ParseErrorKind::UnterminatedString,
        "\"",
    );
    at(
        &body("mov.u64 %rd1, 18446744073709551616;"),
        ParseErrorKind::IntegerTooLarge,
        "18446744073709551616",
    );
    at(
        &body("mov.u64 %rd1, 0x10000000000000000;"),
        ParseErrorKind::IntegerTooLarge,
        "0x10000000000000000",
    );
    let loc = body(".loc 1 2 3, function_nam $L, inlined_at 1 2 3");
    at(
        &loc,
        ParseErrorKind::UnknownLocAttribute("function_nam".into()),
        "function_nam",
    );
    let found = |text: &str, token: &str| match refused(text).kind {
        ParseErrorKind::UnexpectedToken { found, expected } => {
            assert_eq!(found, token);
            assert!(!expected.is_empty());
            expected
        }
        other => panic!("{other:?}"),
    };
    assert!(found(&body("add.s32 %r1, %r2, %r3\n ret;"), "ret").contains(&"`;`".to_owned()));
    found(&body("add.s32 %r1,, %r2;"), ",");
    found(&body("mov.b32 %r1, 089;"), "89");
    found(&body("bra $L }"), "}");
    found(".reg .b32 %r<5;", ";");
    match refused(&format!("{HEAD}.entry k() {{ ret;")).kind {
        ParseErrorKind::UnexpectedEnd { expected } => {
            assert!(expected.contains(&"`}`".to_owned()), "{expected:?}")
        }
        other => panic!("{other:?}"),
    }
}

/// Depth costs no stack: deep brackets are refused as such, long flat texts are read.
#[test]
fn depth_and_length() {
    for (open, close) in [("{", "}"), ("[", "]"), ("(", ")")] {
        let text = format!(
            "{HEAD}.entry k() {{ x {}1{}; }}",
            open.repeat(300_000),
            close.repeat(300_000)
        );
        assert_eq!(refused(&text).kind, ParseErrorKind::TooDeep);
    }
    assert_eq!(
        refused(&format!("{HEAD}.entry k() {}", "{".repeat(1_000_000))).kind,
        ParseErrorKind::TooDeep
    );
    let nested = format!(
        "{HEAD}.entry k() {}ret;{}",
        "{".repeat(190),
        "}".repeat(190)
    );
    assert_eq!(parse(&nested).expect("190 scopes").print(), nested);
    let long = format!(
        "{HEAD}.entry k() {{ {} x {} 1; }}",
        "ret;".repeat(200_000),
        "1,".repeat(200_000)
    );
    assert_eq!(parse(&long).expect("long").print(), long);
    assert!(matches!(
        refused(&"!".repeat(500_000)).kind,
        ParseErrorKind::UnexpectedToken { .. }
    ));
    refused(&format!(
        "{HEAD}.entry k() {{ x a{}; }}",
        "|b".repeat(100_000)
    ));
    refused(&format!(
        "{HEAD}.entry k() {{ x a{}; }}",
        "+1".repeat(100_000)
    ));
}

/// A small deterministic generator (xorshift64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// What the resolver says to a text that parses: whether it is a module. Then its graphs can be drawn.
fn resolves(text: &str, m: &ptx::text::ast::Module) -> bool {
    match resolve(m) {
        Ok(module) => {
            for f in &module.functions {
                let g = cfg(f);
                assert_eq!(g.block_of.len(), f.code.len());
            }
            true
        }
        Err(all) => {
            assert!(!all.is_empty());
            for e in &all {
                assert!(!e.to_string().is_empty() && !e.help().is_empty());
                assert!(
                    e.span.start <= e.span.end && text.get(e.span.range()).is_some(),
                    "{e:?}"
                );
            }
            false
        }
    }
}

/// A text with what the four files do not have: tables of functions, calls, prototypes, strings, recursion.
fn indirect() -> String {
    let text = include_str!("../../tests/kernels/cuda/warp_ops.sm_90a.ptx");
    let mut parts = text.split("// .globl");
    let head = parts.next().unwrap_or_default();
    let indirect = parts
        .find(|p| p.starts_with("\tindirect"))
        .expect("the kernel");
    format!("{head}//{indirect}")
}

/// Puts one word of the text in the place of another: the text still parses more often, but names do not fit.
fn exchanged(text: &mut String, dice: &mut Dice) {
    let words: Vec<(usize, usize)> = text
        .split_inclusive(|c: char| " ,;[]()\t\n{}".contains(c))
        .scan(0, |at, w| {
            let start = *at;
            *at += w.len();
            Some((start, *at - 1))
        })
        .filter(|(a, b)| a < b)
        .collect();
    let (from, to) = (
        words[dice.below(words.len())],
        words[dice.below(words.len())],
    );
    let word = text[from.0..from.1].to_owned();
    text.replace_range(to.0..to.1, &word);
}

/// 4,000 damaged copies of real texts: whatever is still accepted prints back unchanged, the rest is refused in range.
#[test]
fn mutants() {
    let sources = [
        include_str!("../../tests/kernels/cuda/vadd.sm_90a.ptx"),
        include_str!("../../tests/kernels/cuda/dynpar_clc.sm_90a.ptx"),
        include_str!("../../tests/kernels/cuda/neg.sm_90a.ptx"),
        include_str!("../../tests/kernels/triton/triton_add.sm_90.ptx"),
        &indirect(),
    ];
    let inserts = [
        "{",
        "}",
        "[",
        "(",
        ";",
        ",",
        "0x",
        "@",
        "!",
        ".",
        "\"",
        "/*",
        "_",
        "|",
        "é",
        "\0",
        "99999999999999999999",
        "<",
        "-",
        "%",
    ];
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let (mut accepted, mut refusals, mut modules) = (0, 0, 0);
    for round in 0..4000 {
        let mut text = sources[round % sources.len()].to_owned();
        let exchange = dice.below(3) == 0;
        if exchange {
            exchanged(&mut text, &mut dice);
        }
        for _ in usize::from(exchange)..=dice.below(3) {
            let mut i = dice.below(text.len());
            while !text.is_char_boundary(i) {
                i -= 1;
            }
            match dice.below(4) {
                0 => {
                    text.remove(i);
                }
                1 => text.insert_str(i, inserts[dice.below(inserts.len())]),
                2 => text.truncate(i.max(1)),
                _ => {
                    let c = text.remove(i);
                    let mut j = dice.below(text.len());
                    while !text.is_char_boundary(j) {
                        j -= 1;
                    }
                    text.insert(j, c);
                }
            }
        }
        match parse(&text) {
            Ok(m) => {
                accepted += 1;
                assert!(m.print() == text, "round {round}");
                modules += usize::from(resolves(&text, &m));
            }
            Err(_) => {
                refusals += 1;
                refused(&text);
            }
        }
    }
    assert!(
        accepted > 500 && refusals > 1500,
        "{accepted} accepted, {refusals} refused"
    );
    // Most of what still parses lost a name.
    assert!(
        modules > 100 && accepted - modules > 100,
        "{modules} of {accepted} resolve"
    );
}
