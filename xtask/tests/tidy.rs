//! The tree is tidy, and the kernel is within its budget.

#[test]
fn the_tree_is_tidy() {
    let found = xtask::tidy::check(&xtask::root()).expect("the tree can be read");
    assert!(found.is_empty(), "untidy:\n{}", found.join("\n"));
}

#[test]
fn the_kernel_is_within_its_budget() {
    assert!(xtask::tcb::run(&xtask::root()).expect("the tree can be read"));
}
