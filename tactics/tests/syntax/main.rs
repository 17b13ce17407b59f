//! The surface syntax: how texts are read, how errors are told, and that nothing makes the parser panic.

mod commands;
mod errors;
mod layout;
mod lexical;
mod robust;
mod show;
mod terms;
