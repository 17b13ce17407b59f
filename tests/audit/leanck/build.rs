//! Links against the Lean shared libraries; `LEAN_LIB` names the folder in which they lie.

fn main() {
    println!("cargo:rerun-if-env-changed=LEAN_LIB");
    let dir = std::env::var("LEAN_LIB").expect("LEAN_LIB names the folder of libleanshared.so");
    println!("cargo:rustc-link-search=native={dir}");
    for lib in ["leanshared", "leanshared_1", "leanshared_2", "Init_shared"] {
        println!("cargo:rustc-link-lib=dylib={lib}");
    }
    println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
}
