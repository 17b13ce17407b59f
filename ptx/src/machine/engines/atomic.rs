//! `atom` and `red` (ISA §9.7.15.5–6): in one interleaving of threads they are simply done at once, whatever their scope.

use crate::alg::bits::Bits;
use crate::isa::{Form, Meaning, forms_of};
use crate::machine::code::decode::{Decoder, form_of, space_word};
use crate::machine::code::operand::Refusal;
use crate::machine::code::{Addr, Dst, Src};
use crate::machine::engine::{Action, Step, ThreadId};
use crate::machine::fault::FaultKind;
use crate::machine::machine::{Alg, Machine, Place};
use crate::machine::memory::Space;
use crate::module::{Instr, Operand};

struct Atomic {
    form: Form,
    meaning: Meaning<Alg>,
    /// Of an opcode without a state space: the same with `.shared`, which for `add.f32` means something else.
    in_shared: Option<(Form, Meaning<Alg>)>,
    space: Space,
    addr: Addr,
    bytes: usize,
    sources: Vec<Src>,
    dst: Option<Dst>,
}

impl std::fmt::Debug for Atomic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.form.opcode)
    }
}

/// The action of `atom…` and `red…`.
pub fn decode(d: &mut Decoder<'_>, instr: &Instr) -> Result<Box<dyn Action>, Refusal> {
    let form = form_of(instr)?;
    let meaning = form.meaning::<Alg>().ok_or("it has no meaning here")?;
    let words = d.words(form, &instr.operands)?;
    let address = instr
        .operands
        .iter()
        .find(|o| matches!(o, Operand::Address(_)))
        .ok_or("an address is wanted")?;
    let names: Vec<&str> = form.opcode.split('.').collect();
    let (addr, space) = d.address_in(address, &names)?;
    let in_shared = match form.opcode.split_once('.') {
        Some((base, rest)) if space_word(&names) == Space::Generic => {
            let forms = forms_of(&format!("{base}.shared.{rest}"));
            let mut forms = forms.into_iter();
            forms.find_map(|f| f.meaning::<Alg>().map(|m| (f, m)))
        }
        _ => None,
    };
    let hinted = usize::from(!form.word("hint").is_empty());
    let mut sources = words.sources;
    sources.truncate(sources.len().saturating_sub(hinted));
    Ok(Box::new(Atomic {
        meaning,
        in_shared,
        space,
        addr,
        bytes: form.width().div_ceil(8) as usize,
        sources,
        dst: words.dests.first().map(|d| d.0),
        form: form.clone(),
    }))
}

impl Action for Atomic {
    fn step(&self, m: &mut Machine<'_>, t: ThreadId) -> Result<Step, FaultKind> {
        let width = self.form.width();
        let at = m.address(t, self.addr)?;
        let bytes = self.bytes;
        let place = m.locate(t, self.space, at, bytes as u64, bytes as u64)?;
        let mut word = [0; 16];
        let buffer = word.get_mut(..bytes).ok_or_else(|| {
            FaultKind::Unsupported(format!("an atomic operation on {bytes} bytes"))
        })?;
        buffer.copy_from_slice(m.bytes(t, place, bytes)?);
        let old = Bits::new(width, u128::from_le_bytes(word));
        let mut args = [old; 4];
        for (arg, src) in args[1..].iter_mut().zip(&self.sources) {
            *arg = Bits::new(src.width, m.get_wide(t, *src)?);
        }
        let count = (1 + self.sources.len()).min(4);
        let (form, meaning) = match (place, &self.in_shared) {
            (Place::Shared(..), Some((form, meaning))) => (form, *meaning),
            _ => (&self.form, self.meaning),
        };
        let new = meaning(&mut m.alg, form, &args[..count]);
        m.bytes_mut(t, place, bytes)?
            .copy_from_slice(&new.value().to_le_bytes()[..bytes]);
        let moved = &mut m.moved[place.index()];
        moved.0 += bytes as u64;
        moved.1 += bytes as u64;
        if let Some(dst) = self.dst {
            m.set(t, dst, old.value())?;
        }
        Ok(Step::Next)
    }
}
