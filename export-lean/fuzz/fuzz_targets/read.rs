//! Whatever the bytes are, reading them as NDJSON ends with a verdict: `cargo fuzz run read` in `export-lean`, with the exports
//! of `tests/fuzz` as a corpus.
#![no_main]

use bumpalo::Bump;
use libfuzzer_sys::fuzz_target;
use logic::{Environment, Limits, Store};

fuzz_target!(|bytes: &[u8]| {
    let bump = Bump::new();
    let store = Store::new(&bump);
    let limits = Limits {
        max_steps: 1_000_000,
        max_depth: 10_000,
        max_nat_bits: 1 << 16,
        max_terms: 1_000_000,
    };
    let mut env = Environment::new_with(&store, limits);
    let _ = export_lean::read_ndjson(bytes, &mut env);
});
