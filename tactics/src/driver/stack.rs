//! Room for deep recursion: sessions run on a thread whose stack is larger than the usual one.
//!
//! Depth is limited by count everywhere, so that a verdict does not depend on the stack; this is the room that those
//! limits need. The pages are only taken when they are used.

/// Bytes of stack.
const STACK: usize = 1 << 30;

/// Runs `f` on a thread with a large stack; a panic of `f` is passed on.
///
/// Errors: no such thread can be started.
pub fn on_large_stack<R: Send>(f: impl FnOnce() -> R + Send) -> std::io::Result<R> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, f)?;
        match thread.join() {
            Ok(r) => Ok(r),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
