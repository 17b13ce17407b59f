//! What the machine knows of the corpus.

mod common;
mod run;

use std::collections::BTreeMap;

use ptx::machine::{Device, Options};

/// Every instruction of every kernel is decoded.
#[test]
fn all_instructions() {
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    for path in common::corpus() {
        let module = run::module(&std::fs::read_to_string(&path).expect("readable"));
        let device = Device::new(&module, Options::default()).expect("fits");
        for f in module.functions.iter().filter(|f| f.is_entry) {
            let entry = device.entry(&f.name).expect("has a body");
            for (_, why) in device.outline(entry).expect("decodes").refused {
                *refused.entry(why).or_default() += 1;
            }
        }
    }
    assert_eq!(refused, BTreeMap::new());
}
