//! The pages about the library are those that the scripts give.

#[test]
fn the_pages_about_the_library_are_fresh() {
    let stale = xtask::index::stale(&xtask::root()).expect("the library checks");
    assert!(
        stale.is_empty(),
        "run `cargo xtask index`: stale are {stale:?}"
    );
}
