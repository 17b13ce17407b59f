//! Our kernel says of the recorded sample of changed exports what the official kernel said of them.

#[test]
fn our_kernel_agrees_with_the_official_one() -> std::io::Result<()> {
    let done = tactics::driver::on_large_stack(|| xtask::fuzz::sample(&xtask::root()));
    let wrong = done??;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
