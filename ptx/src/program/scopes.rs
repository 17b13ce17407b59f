//! What a scope declares is written before it is read, each time that the scope is entered.
//!
//! Else what is read would be nobody knows what (ISA §5.4 gives it no value); in the logic it would be what it was when the
//! scope was left. So such a kernel is refused. Control comes into a scope only at its top, for its labels are its own.

use rustc_hash::FxHashMap;

use super::data::*;

/// A byte of a register.
type Byte = (Reg, u32);

/// What has been written since the scope was entered.
type Written = rustc_hash::FxHashSet<Byte>;

/// The first line of a body, if there is one, that reads what the scope around it declares and may not have written.
pub(super) fn unwritten(
    body: &[Line],
    labels: &[(String, usize)],
    blocks: &[Block],
) -> Option<usize> {
    blocks.iter().find_map(|b| first_unwritten(body, labels, b))
}

fn first_unwritten(body: &[Line], labels: &[(String, usize)], b: &Block) -> Option<usize> {
    // What is written for certain at each label that control is known to come to; until nothing changes.
    let mut known: FxHashMap<usize, Written> = FxHashMap::default();
    loop {
        let (next, found) = pass(body, labels, b, &known);
        if next == known {
            return found;
        }
        known = next;
    }
}

/// Goes through a scope with what is known at its labels: what is known then, and the first line that reads too early.
fn pass(
    body: &[Line],
    labels: &[(String, usize)],
    b: &Block,
    known: &FxHashMap<usize, Written>,
) -> (FxHashMap<usize, Written>, Option<usize>) {
    let owns = |r: &Reg| {
        let declared = b.regs.iter().any(|d| {
            d.ty.bits() == r.width && r.num.checked_sub(d.first).is_some_and(|i| i < d.count)
        });
        declared || (b.slots.iter()).any(|s| s.width() == Some(r.width) && s.num == r.num)
    };
    let mut next = known.clone();
    let mut found = None;
    // None where control does not come to.
    let mut written = Some(Written::default());
    for (at, line) in body.iter().enumerate().take(b.last).skip(b.first) {
        for (l, _) in labels.iter().enumerate().filter(|(_, x)| x.1 == at) {
            written = both(written, known.get(&l).cloned());
        }
        let Some(now) = &mut written else {
            continue;
        };
        let (reads, writes) = accesses(line);
        if reads.iter().any(|x| owns(&x.0) && !now.contains(x)) {
            found = found.or(Some(at));
        }
        if let Instr::Bra { target } = line.instr {
            let here = both(next.remove(&target), Some(now.clone()));
            next.extend(here.map(|w| (target, w)));
        }
        if line.guard.is_none() {
            now.extend(writes);
            if matches!(line.instr, Instr::Bra { .. } | Instr::Ret | Instr::Exit) {
                written = None;
            }
        }
    }
    (next, found)
}

/// What is written on both ways.
fn both(a: Option<Written>, b: Option<Written>) -> Option<Written> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.intersection(&b).copied().collect()),
        (a, b) => a.or(b),
    }
}

/// The bytes from `off` on; a predicate counts as one.
fn bytes(r: Reg, off: u64, n: u32) -> impl Iterator<Item = Byte> {
    (0..n).map(move |k| (r, u32::try_from(off).unwrap_or(u32::MAX).saturating_add(k)))
}

fn whole(width: u32, num: u64) -> impl Iterator<Item = Byte> {
    bytes(Reg { width, num }, 0, width.div_ceil(8))
}

/// What a line reads and writes.
fn accesses(line: &Line) -> (Vec<Byte>, Vec<Byte>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let mut read = |w: u32, x: &Operand| match x {
        Operand::Reg(n) => reads.extend(whole(w, *n)),
        Operand::Other(v, n) => reads.extend(whole(*v, *n)),
        Operand::Compl(n) => reads.extend(whole(w, *n)),
        Operand::Imm(_) | Operand::Sym(..) => {}
    };
    if let Some(g) = line.guard {
        read(1, &Operand::Reg(g.pred));
    }
    let mut write = |d: &Dst| match d {
        Dst::Reg(w, n) | Dst::Wide(_, w, n, _) => writes.extend(whole(*w, *n)),
        Dst::Sink(_) => {}
    };
    match &line.instr {
        Instr::Alu {
            ins,
            out,
            dst,
            srcs,
            ..
        } => {
            ins.iter().zip(srcs).for_each(|(w, x)| read(*w, x));
            write(&Dst::Reg(*out, *dst));
        }
        Instr::Alus {
            ins, dsts, srcs, ..
        }
        | Instr::Sync {
            ins, dsts, srcs, ..
        } => {
            ins.iter().zip(srcs).for_each(|(w, x)| read(*w, x));
            dsts.iter().for_each(write);
        }
        Instr::Sreg { dst, .. } => write(&Dst::Reg(32, *dst)),
        Instr::LdParam { rw, dst, .. } => write(&Dst::Reg(*rw, *dst)),
        Instr::Ld { rw, dsts, base, .. } => {
            read(64, base);
            dsts.iter().for_each(|d| write(&Dst::Reg(*rw, *d)));
        }
        Instr::St { rw, srcs, base, .. } => {
            read(64, base);
            srcs.iter().for_each(|x| read(*rw, x));
        }
        Instr::Atom {
            ins,
            dst,
            srcs,
            base,
            ..
        } => {
            read(64, base);
            ins.iter().zip(srcs).for_each(|(w, x)| read(*w, x));
            write(dst);
        }
        Instr::Cvta { dst, src, .. } => {
            read(64, src);
            write(&Dst::Reg(64, *dst));
        }
        Instr::GetParam {
            ty,
            rw,
            dst,
            slot,
            off,
        } => {
            reads.extend(bytes(*slot, *off, ty.bits() / 8));
            write(&Dst::Reg(*rw, *dst));
        }
        Instr::PutParam {
            ty,
            rw,
            src,
            slot,
            off,
        } => {
            read(*rw, src);
            writes.extend(bytes(*slot, *off, ty.bits() / 8));
        }
        Instr::Call { args, outs, .. } => {
            reads.extend(args.iter().flat_map(|r| whole(r.width, r.num)));
            outs.iter().for_each(|r| write(&Dst::Reg(r.width, r.num)));
        }
        Instr::Bra { .. } | Instr::Ret | Instr::Exit => {}
    }
    (reads, writes)
}
