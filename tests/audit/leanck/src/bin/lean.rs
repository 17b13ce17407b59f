//! The `lean` command itself: `libleanshared` exports its `main`.

use std::ffi::{CString, c_char, c_int};

unsafe extern "C" {
    fn lean_main(argc: c_int, argv: *mut *mut c_char) -> c_int;
}

fn main() {
    let args: Vec<CString> = std::env::args()
        .map(|a| CString::new(a).expect("an argument of a process holds no NUL"))
        .collect();
    let mut argv: Vec<*mut c_char> = args.iter().map(|a| a.as_ptr().cast_mut()).collect();
    argv.push(std::ptr::null_mut());
    let argc = c_int::try_from(args.len()).expect("few arguments");
    // SAFETY: `argv` is a null-terminated array of `argc` C strings that outlive the call.
    let code = unsafe { lean_main(argc, argv.as_mut_ptr()) };
    std::process::exit(code);
}
