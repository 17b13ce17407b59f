//! Which registers a line reads and writes.

use super::code::{Dst, Line, Reg, Shape, Source, SourceKind};

impl Line {
    /// The registers that the line reads (its guard's among them) and the one that it writes.
    pub fn uses(&self) -> (Vec<Reg>, Vec<Reg>) {
        let mut reads = Vec::new();
        let mut writes = Vec::new();
        if let Some((p, _, _)) = self.guard {
            reads.push((1, p));
        }
        let mut read = |s: &Source| match s.kind {
            SourceKind::Reg(i) | SourceKind::Compl(i) => reads.push((s.width, i)),
            SourceKind::Other(w, i) => reads.push((w, i)),
            SourceKind::Imm(_) | SourceKind::Sym(..) => {}
        };
        let mut results = |dsts: &[Dst]| {
            writes.extend(dsts.iter().filter_map(|d| match d {
                Dst::Reg(r) | Dst::Wide(_, r, _) => Some(*r),
                Dst::Sink(_) => None,
            }));
        };
        match &self.shape {
            Shape::Alu { out, dst, srcs, .. } => {
                srcs.iter().for_each(&mut read);
                writes.push((*out, *dst));
            }
            Shape::Several { dsts, srcs, .. } | Shape::Sync { dsts, srcs, .. } => {
                srcs.iter().for_each(&mut read);
                results(dsts);
            }
            Shape::Special { dst, .. } => writes.push((32, *dst)),
            Shape::Param { width, dst, .. } => writes.push((*width, *dst)),
            Shape::Load {
                width, dsts, base, ..
            } => {
                read(base);
                writes.extend(dsts.iter().map(|d| (*width, *d)));
            }
            Shape::Store { srcs, base, .. } => {
                read(base);
                srcs.iter().for_each(&mut read);
            }
            Shape::Atomic {
                dst, srcs, base, ..
            } => {
                read(base);
                srcs.iter().for_each(&mut read);
                results(std::slice::from_ref(dst));
            }
            Shape::Generic { dst, src, .. } => {
                read(src);
                writes.push((64, *dst));
            }
            Shape::GetParam {
                width, dst, slot, ..
            } => {
                reads.push(*slot);
                writes.push((*width, *dst));
            }
            Shape::PutParam {
                src, slot, whole, ..
            } => {
                read(src);
                if !whole {
                    reads.push(*slot);
                }
                writes.push(*slot);
            }
            Shape::Call { args, outs, .. } => {
                reads.extend(args.iter().copied());
                writes.extend(outs.iter().copied());
            }
            Shape::Branch { .. } | Shape::Ret | Shape::Exit | Shape::Unknown(_) => {}
        }
        (reads, writes)
    }
}
