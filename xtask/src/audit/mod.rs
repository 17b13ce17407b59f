//! audit
pub fn run(_: &std::path::Path) -> std::io::Result<bool> {
    Ok(true)
}
