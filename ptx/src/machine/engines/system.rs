//! The functions of the system: `vprintf`, `__assertfail`.

use crate::machine::engine::ThreadId;
use crate::machine::fault::FaultKind;
use crate::machine::machine::Machine;
use crate::machine::memory::Space;

/// Strings that kernels pass have at most this many bytes.
const MAX_STRING: usize = 1 << 16;
/// Printing reads and writes at most this many bytes in a launch.
const MAX_PRINTED: u64 = 64 << 20;

/// Calls a function of the system; the bytes of its results.
pub fn call(
    m: &mut Machine<'_>,
    t: ThreadId,
    name: &str,
    args: &[Vec<u8>],
) -> Result<Vec<Vec<u8>>, FaultKind> {
    let arg = |i: usize| {
        let bytes = args.get(i).map_or(&[][..], |a| &a[..]);
        let mut word = [0; 8];
        let n = bytes.len().min(8);
        word[..n].copy_from_slice(&bytes[..n]);
        u64::from_le_bytes(word)
    };
    match name {
        "vprintf" => {
            let format = string(m, t, arg(0))?;
            let text = super::print::format(m, t, &format, arg(1))?;
            m.observer.print(&text);
            Ok(vec![(text.len() as u32).to_le_bytes().to_vec()])
        }
        "__assertfail" => {
            let text = |b: Vec<u8>| String::from_utf8_lossy(&b).into_owned();
            Err(FaultKind::Assertion {
                message: text(string(m, t, arg(0))?),
                file: text(string(m, t, arg(1))?),
                line: arg(2) as u32,
                function: text(string(m, t, arg(3))?),
            })
        }
        _ => Err(FaultKind::Unsupported(format!(
            "`{name}` is not defined in the module and no function of the system that is known"
        ))),
    }
}

/// The bytes of a string that ends with a zero, at a generic address.
pub fn string(m: &mut Machine<'_>, t: ThreadId, address: u64) -> Result<Vec<u8>, FaultKind> {
    let mut text = Vec::new();
    for at in address.. {
        let mut byte = [0];
        m.load(t, Space::Generic, at, 1, &mut byte)?;
        if byte[0] == 0 || text.len() >= MAX_STRING {
            break;
        }
        text.push(byte[0]);
    }
    printed(m, text.len() + 1)?;
    Ok(text)
}

/// Counts bytes that are read or written for printing.
pub fn printed(m: &mut Machine<'_>, bytes: usize) -> Result<(), FaultKind> {
    m.printed = m.printed.saturating_add(bytes as u64);
    match m.printed <= MAX_PRINTED {
        true => Ok(()),
        false => Err(FaultKind::Limit(format!(
            "more than {MAX_PRINTED} bytes are read and written for printing"
        ))),
    }
}
