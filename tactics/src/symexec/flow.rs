//! The control flow of a kernel's lines: where alternatives meet again, loops, and which registers are still read.

use std::collections::BTreeSet;

use super::code::{Code, Reg, Shape};

/// A natural loop.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    /// The line at its head.
    pub head: usize,
    /// Its lines.
    pub body: BTreeSet<usize>,
}

/// The control flow of a body. The end of the thread is line `n`, after the last one.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// The lines that may follow a line.
    pub next: Vec<Vec<usize>>,
    /// The line through which every way from a line to the end comes first.
    pub meet: Vec<Option<usize>>,
    /// Loops, by their heads.
    pub loops: Vec<Loop>,
    /// The registers that are read from a line on before they are written.
    pub live: Vec<BTreeSet<Reg>>,
}

impl Flow {
    /// The flow of some lines, after which these registers are read.
    pub fn new(code: &Code, results: &[Reg]) -> Flow {
        let n = code.lines.len();
        let mut next: Vec<Vec<usize>> = Vec::with_capacity(n + 1);
        for (i, l) in code.lines.iter().enumerate() {
            let mut to = match &l.shape {
                Shape::Branch { to, .. } => vec![(*to).min(n)],
                Shape::Ret | Shape::Exit => vec![n],
                _ => vec![i + 1],
            };
            if l.guard.is_some() && !to.contains(&(i + 1)) {
                to.push(i + 1);
            }
            next.push(to);
        }
        next.push(Vec::new());
        let mut back: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
        for (i, to) in next.iter().enumerate() {
            for t in to {
                back[*t].push(i);
            }
        }
        let meet = dominators(n, &back, &next);
        let dom = dominators(0, &next, &back);
        let loops = loops(&next, &back, &dom);
        let live = live(code, &next, results);
        Flow {
            next,
            meet,
            loops,
            live,
        }
    }

    /// The loop with this head.
    pub fn loop_at(&self, head: usize) -> Option<&Loop> {
        self.loops.iter().find(|l| l.head == head)
    }
}

/// Immediate dominators of what can be reached from `root`, in a graph with these edges.
fn dominators(root: usize, next: &[Vec<usize>], back: &[Vec<usize>]) -> Vec<Option<usize>> {
    let n = next.len();
    // postorder numbers
    let mut order = Vec::new();
    let mut number = vec![usize::MAX; n];
    let mut seen = vec![false; n];
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((v, i)) = stack.pop() {
        match next[v].get(i) {
            Some(w) => {
                stack.push((v, i + 1));
                if !seen[*w] {
                    seen[*w] = true;
                    stack.push((*w, 0));
                }
            }
            None => {
                number[v] = order.len();
                order.push(v);
            }
        }
    }
    let mut idom: Vec<Option<usize>> = vec![None; n];
    idom[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for v in order.iter().rev().copied().filter(|v| *v != root) {
            let mut new: Option<usize> = None;
            for p in back[v].iter().copied().filter(|p| idom[*p].is_some()) {
                new = Some(match new {
                    None => p,
                    Some(mut a) => {
                        let mut b = p;
                        while a != b {
                            while number[a] < number[b] {
                                a = idom[a].unwrap_or(root);
                            }
                            while number[b] < number[a] {
                                b = idom[b].unwrap_or(root);
                            }
                        }
                        a
                    }
                });
            }
            if new != idom[v] {
                idom[v] = new;
                changed = true;
            }
        }
    }
    idom[root] = None;
    idom
}

fn dominates(idom: &[Option<usize>], a: usize, b: usize) -> bool {
    let mut v = b;
    loop {
        if v == a {
            return true;
        }
        match idom[v] {
            Some(w) => v = w,
            None => return false,
        }
    }
}

fn loops(next: &[Vec<usize>], back: &[Vec<usize>], dom: &[Option<usize>]) -> Vec<Loop> {
    let mut out: Vec<Loop> = Vec::new();
    for (v, to) in next.iter().enumerate() {
        for head in to.iter().copied() {
            if !dominates(dom, head, v) || (dom[v].is_none() && v != 0) {
                continue;
            }
            let mut body = BTreeSet::from([head]);
            let mut stack = vec![v];
            while let Some(w) = stack.pop() {
                if body.insert(w) {
                    stack.extend(back[w].iter().copied());
                }
            }
            match out.iter_mut().find(|l| l.head == head) {
                Some(l) => l.body.extend(body),
                None => out.push(Loop { head, body }),
            }
        }
    }
    out
}

fn live(code: &Code, next: &[Vec<usize>], results: &[Reg]) -> Vec<BTreeSet<Reg>> {
    let n = code.lines.len();
    let uses: Vec<_> = code.lines.iter().map(|l| l.uses()).collect();
    let mut live: Vec<BTreeSet<Reg>> = vec![BTreeSet::new(); n + 1];
    live[n].extend(results.iter().copied());
    let mut changed = true;
    while changed {
        changed = false;
        for i in (0..n).rev() {
            let mut set = BTreeSet::new();
            for t in &next[i] {
                set.extend(live[*t].iter().copied());
            }
            let (reads, writes) = &uses[i];
            if code.lines[i].guard.is_none() {
                for w in writes {
                    set.remove(w);
                }
            }
            set.extend(reads.iter().copied());
            if set.len() != live[i].len() {
                live[i] = set;
                changed = true;
            }
        }
    }
    live
}
