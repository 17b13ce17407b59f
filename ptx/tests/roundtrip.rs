//! Every real file is read and written back byte for byte.

mod common;

use common::corpus;
use ptx::text::lexer::{Token, lex};
use ptx::text::parse;

#[test]
fn print_gives_the_file_back() {
    for path in corpus() {
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        let module = match parse(&text) {
            Ok(m) => m,
            Err(e) => {
                let (line, column) = e.span.line_column(&text);
                panic!("{}:{line}:{column}: {e}", path.display());
            }
        };
        assert!(
            module.print() == text,
            "{} is not printed as it was read",
            path.display()
        );
    }
}

/// The canonical text is a fixed point, and says the same as the original.
#[test]
fn canonical_is_a_fixed_point() {
    for path in corpus() {
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        let first = parse(&text).expect("parses").canonical();
        assert!(
            !first.contains("//"),
            "{}: a comment survived",
            path.display()
        );
        let module = parse(&first).expect("the canonical text parses");
        assert_eq!(module.canonical(), first, "{}", path.display());
        assert_eq!(module.print(), first, "{}", path.display());
        assert!(
            tokens(&first) == tokens(&text),
            "{}: other tokens",
            path.display()
        );
    }
}

/// The tokens of a text; numbers by value, not by spelling.
fn tokens(text: &str) -> Vec<String> {
    let spell = |t: &Token<'_>| match t {
        Token::Int(s) => match s.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).expect("fits").to_string(),
            None => (*s).to_owned(),
        },
        Token::Float(s) => s.to_uppercase(),
        t => format!("{t:?}"),
    };
    lex(text)
        .expect("lexes")
        .0
        .iter()
        .map(|(_, t, _)| spell(t))
        .collect()
}
