//! The control-flow graph of a function: basic blocks, dominators, loops.
//!
//! Dominators are those of Cooper, Harvey and Kennedy, *A Simple, Fast Dominance Algorithm* (Rice University, 2001);
//! loops are natural loops: a back edge goes to a block that dominates its source. An edge that goes back in reverse
//! postorder to a block that does not is irreducible, and is listed apart.

use super::data::{Function, Instr, Operand, Table};

/// The control-flow graph of a function. Blocks are numbered in the order of the text; block 0 is where it starts.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Cfg {
    /// The basic blocks.
    pub blocks: Vec<Block>,
    /// The block of each instruction.
    pub block_of: Vec<usize>,
    /// The blocks that can be reached, in reverse postorder.
    pub order: Vec<usize>,
    /// The immediate dominator of each block; its own of block 0, none of blocks that cannot be reached.
    pub idom: Vec<Option<usize>>,
    /// The natural loops, outer ones before those inside; loops with one header are one.
    pub loops: Vec<Loop>,
    /// Edges (from, to) that go back to a block that does not dominate where they come from.
    pub irreducible: Vec<(usize, usize)>,
}

/// A basic block: control enters at its first instruction and leaves after its last one.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Block {
    /// Its first instruction.
    pub first: usize,
    /// The instruction after its last one.
    pub end: usize,
    /// Where control can go: the targets of its last instruction in order, then the next block, each once. Ends of
    /// the function are not listed.
    pub successors: Vec<usize>,
    /// Whether the function (or the thread) can end here, by its last instruction or by the end of the code.
    pub leaves: bool,
    /// Where control can come from, in order.
    pub predecessors: Vec<usize>,
}

/// A natural loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The one block through which it is entered.
    pub header: usize,
    /// The blocks that jump back to the header, in order.
    pub latches: Vec<usize>,
    /// All its blocks, the header among them, in order.
    pub blocks: Vec<usize>,
    /// The smallest loop around it, a position in [`Cfg::loops`].
    pub parent: Option<usize>,
    /// How many loops it is in, itself among them.
    pub depth: u32,
}

/// What an instruction does to control.
struct Transfer {
    targets: Vec<usize>,
    falls_through: bool,
    leaves: bool,
}

/// The graph of a function.
pub fn cfg(f: &Function) -> Cfg {
    let mut g = blocks(f);
    g.order = reverse_postorder(&g.blocks);
    g.idom = dominators(&g);
    loops(&mut g);
    g
}

fn transfer(f: &Function, i: &Instr) -> Option<Transfer> {
    let mut targets = Vec::new();
    let leaves = match i.base() {
        "bra" | "brx" => {
            for x in &i.operands {
                let table: &[_] = match x {
                    Operand::Label(l) => &[*l],
                    Operand::Table(t) => match f.tables.get(t.index()) {
                        Some(Table::Branches(all)) => all,
                        _ => &[],
                    },
                    _ => &[],
                };
                targets.extend(
                    table
                        .iter()
                        .filter_map(|l| f.labels.get(l.index()))
                        .map(|l| l.at),
                );
            }
            false
        }
        "ret" | "exit" | "trap" => true,
        _ => return None,
    };
    Some(Transfer {
        targets,
        falls_through: i.guard.is_some(),
        leaves,
    })
}

fn blocks(f: &Function) -> Cfg {
    let n = f.code.len();
    let transfers: Vec<Option<Transfer>> = f.code.iter().map(|i| transfer(f, i)).collect();
    let mut starts = vec![false; n + 1];
    starts[0] = true;
    for (i, t) in transfers.iter().enumerate() {
        if let Some(t) = t {
            starts[i + 1] = true;
            t.targets
                .iter()
                .filter(|at| **at < n)
                .for_each(|at| starts[*at] = true);
        }
    }
    let mut g = Cfg::default();
    for (i, start) in starts.iter().enumerate().take(n) {
        if *start {
            g.blocks.push(Block {
                first: i,
                ..Block::default()
            });
        }
        if let Some(b) = g.blocks.last_mut() {
            b.end = i + 1;
        }
        g.block_of.push(g.blocks.len() - 1);
    }
    for b in 0..g.blocks.len() {
        let end = g.blocks[b].end;
        let (targets, falls_through, leaves) = match &transfers[end - 1] {
            Some(t) => (&t.targets[..], t.falls_through, t.leaves),
            None => (&[][..], true, false),
        };
        let next = falls_through.then_some(end);
        let mut leaves = leaves;
        let mut successors: Vec<usize> = Vec::new();
        for at in targets.iter().copied().chain(next) {
            match g.block_of.get(at) {
                None => leaves = true,
                Some(to) if successors.contains(to) => {}
                Some(to) => successors.push(*to),
            }
        }
        for to in &successors {
            g.blocks[*to].predecessors.push(b);
        }
        g.blocks[b].successors = successors;
        g.blocks[b].leaves = leaves;
    }
    g
}

fn reverse_postorder(blocks: &[Block]) -> Vec<usize> {
    let mut seen = vec![false; blocks.len()];
    let (mut order, mut open) = (Vec::new(), Vec::new());
    if !blocks.is_empty() {
        seen[0] = true;
        open.push((0, 0));
    }
    while let Some((b, next)) = open.last_mut() {
        match blocks[*b].successors.get(*next) {
            Some(to) => {
                *next += 1;
                if !seen[*to] {
                    seen[*to] = true;
                    open.push((*to, 0));
                }
            }
            None => {
                order.push(*b);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The position of each block in the order; `usize::MAX` for those that cannot be reached.
fn positions(g: &Cfg) -> Vec<usize> {
    let mut at = vec![usize::MAX; g.blocks.len()];
    for (i, b) in g.order.iter().enumerate() {
        at[*b] = i;
    }
    at
}

fn dominators(g: &Cfg) -> Vec<Option<usize>> {
    let at = positions(g);
    let mut idom: Vec<Option<usize>> = vec![None; g.blocks.len()];
    if let Some(first) = idom.first_mut() {
        *first = Some(0);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for b in g.order.iter().skip(1) {
            let mut new = None;
            for p in &g.blocks[*b].predecessors {
                if idom[*p].is_some() {
                    new = Some(new.map_or(*p, |q| intersect(&idom, &at, *p, q)));
                }
            }
            if idom[*b] != new {
                idom[*b] = new;
                changed = true;
            }
        }
    }
    idom
}

/// The nearest block that dominates both.
fn intersect(idom: &[Option<usize>], at: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let later = if at[a] > at[b] { &mut a } else { &mut b };
        *later = idom[*later].unwrap_or(0);
    }
    a
}

impl Cfg {
    /// Whether every path from the start to `b` goes through `a`. Blocks that cannot be reached are dominated by none.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        let mut at = b;
        loop {
            match self.idom.get(at).copied().flatten() {
                None => return false,
                Some(_) if at == a => return true,
                Some(up) if up == at => return false,
                Some(up) => at = up,
            }
        }
    }

    /// The innermost loop of a block, a position in [`Cfg::loops`].
    pub fn loop_of(&self, block: usize) -> Option<usize> {
        let inside = |l: &&(usize, &Loop)| l.1.blocks.binary_search(&block).is_ok();
        let all: Vec<(usize, &Loop)> = self.loops.iter().enumerate().collect();
        all.iter()
            .filter(inside)
            .max_by_key(|l| l.1.depth)
            .map(|l| l.0)
    }
}

fn loops(g: &mut Cfg) {
    let at = positions(g);
    // Latches by header, headers in reverse postorder: an outer header comes before those inside.
    let mut latches: Vec<Vec<usize>> = vec![Vec::new(); g.blocks.len()];
    for from in &g.order {
        for to in &g.blocks[*from].successors {
            if at[*to] <= at[*from] {
                if g.dominates(*to, *from) {
                    latches[*to].push(*from);
                } else {
                    g.irreducible.push((*from, *to));
                }
            }
        }
    }
    g.irreducible.sort_unstable();
    for header in g.order.clone() {
        if latches[header].is_empty() {
            continue;
        }
        let mut latches = std::mem::take(&mut latches[header]);
        latches.sort_unstable();
        let blocks = body(g, &at, header, &latches);
        let parent = (0..g.loops.len())
            .rev()
            .find(|l| g.loops[*l].blocks.binary_search(&header).is_ok());
        let depth = parent.map_or(1, |p| g.loops[p].depth + 1);
        g.loops.push(Loop {
            header,
            latches,
            blocks,
            parent,
            depth,
        });
    }
}

/// The blocks from which a latch is reached without the header, and the header.
fn body(g: &Cfg, at: &[usize], header: usize, latches: &[usize]) -> Vec<usize> {
    let mut inside = vec![false; g.blocks.len()];
    inside[header] = true;
    let mut open = latches.to_vec();
    while let Some(b) = open.pop() {
        if !inside[b] {
            inside[b] = true;
            let reached = |p: &&usize| at[**p] != usize::MAX;
            open.extend(g.blocks[b].predecessors.iter().filter(reached));
        }
    }
    (0..g.blocks.len()).filter(|b| inside[*b]).collect()
}
