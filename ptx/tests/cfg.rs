//! Control-flow graphs of small functions, drawn by hand.

use ptx::module::cfg::{Cfg, cfg};
use ptx::module::resolve;
use ptx::text::parse;

fn graph(body: &str) -> Cfg {
    let text = format!(
        ".version 9.5\n.target sm_90a\n.address_size 64\n.entry k() {{ .reg .pred %p<4>; .reg .b32 %r<4>; {body} }}"
    );
    let m = resolve(&parse(&text).expect("parses")).expect("resolves");
    cfg(&m.functions[0])
}

/// The successors of each block.
fn edges(g: &Cfg) -> Vec<Vec<usize>> {
    g.blocks.iter().map(|b| b.successors.clone()).collect()
}

#[test]
fn straight_line() {
    let g = graph("add.u32 %r1, %r2, %r3; ret;");
    assert_eq!(
        (g.blocks.len(), g.blocks[0].end, g.blocks[0].leaves),
        (1, 2, true)
    );
    let g = graph("");
    assert!(g.blocks.is_empty() && g.order.is_empty() && g.loops.is_empty());
    let g = graph("add.u32 %r1, %r2, %r3;");
    assert!(g.blocks[0].leaves, "the end of the code ends the function");
    assert_eq!(g.loop_of(0), None);
}

#[test]
fn branches() {
    let g = graph("@%p1 bra T; add.u32 %r1, %r1, 1; bra.uni E; T: add.u32 %r1, %r1, 2; E: ret;");
    assert_eq!(edges(&g), [vec![2, 1], vec![3], vec![3], vec![]]);
    assert_eq!(g.idom, [Some(0), Some(0), Some(0), Some(0)]);
    assert_eq!(g.blocks[3].predecessors, [1, 2]);
    // Both ways to one place are one edge; a label at the very end is the end of the function.
    let g = graph("@%p1 bra L; L: @!%p2 bra E; add.u32 %r1, %r1, 1; E:");
    assert_eq!(edges(&g), [vec![1], vec![2], vec![]]);
    assert_eq!(
        g.blocks.iter().map(|b| b.leaves).collect::<Vec<_>>(),
        [false, true, true]
    );
    // A guarded end goes on.
    let g = graph("@%p1 ret; @%p2 exit; trap; add.u32 %r1, %r1, 1;");
    assert_eq!(edges(&g), [vec![1], vec![2], vec![], vec![]]);
    assert_eq!(g.idom[3], None, "nobody comes here");
    assert!(!g.dominates(0, 3) && !g.dominates(3, 3) && g.dominates(1, 2) && g.dominates(2, 2));
    // An indirect branch goes to any of its targets.
    let g = graph("ts: .branchtargets A, B; brx.idx %r1, ts; A: exit; B: ret;");
    assert_eq!(edges(&g), [vec![1, 2], vec![], vec![]]);
}

#[test]
fn loops() {
    // One block that is its own loop.
    let g = graph("mov.b32 %r1, 0; L: add.u32 %r1, %r1, 1; @%p1 bra L; ret;");
    assert_eq!(g.loops.len(), 1);
    assert_eq!(
        (
            g.loops[0].header,
            &g.loops[0].blocks[..],
            &g.loops[0].latches[..]
        ),
        (1, &[1][..], &[1][..])
    );
    // Two in one, and one after them; two ways back to the outer header are one loop.
    let g = graph(
        "A: add.u32 %r1, %r1, 1; B: add.u32 %r2, %r2, 1; @%p1 bra B; @%p2 bra A; C: @%p3 bra C; @%p1 bra A;
         D: add.u32 %r3, %r3, 1; @%p2 bra D; ret;",
    );
    let shape: Vec<(usize, usize, Option<usize>, u32)> = g
        .loops
        .iter()
        .map(|l| (l.header, l.blocks.len(), l.parent, l.depth))
        .collect();
    assert_eq!(
        shape,
        [
            (0, 5, None, 1),
            (1, 1, Some(0), 2),
            (3, 1, Some(0), 2),
            (5, 1, None, 1)
        ]
    );
    assert_eq!(g.loops[0].latches, [2, 4]);
    assert_eq!(
        (g.loop_of(1), g.loop_of(2), g.loop_of(6)),
        (Some(1), Some(0), None)
    );
    assert!(g.irreducible.is_empty());
    // Two loops with one header are one.
    let g = graph("H: @%p1 bra H; @%p2 bra H; ret;");
    assert_eq!(g.loops.len(), 1);
    assert_eq!(g.loops[0].latches, [0, 1]);
}

/// A loop with two ways in has no header that dominates it: its edge back is marked, and it is no natural loop.
#[test]
fn irreducible() {
    let g = graph("@%p1 bra B; A: add.u32 %r1, %r1, 1; B: add.u32 %r2, %r2, 1; @%p2 bra A; ret;");
    assert!(g.loops.is_empty());
    assert_eq!(g.irreducible.len(), 1);
    let (from, to) = g.irreducible[0];
    assert!(g.blocks[from].successors.contains(&to) && !g.dominates(to, from));
    // Around it, a natural loop may stand all the same.
    let g = graph(
        "H: @%p1 bra B; A: add.u32 %r1, %r1, 1; B: add.u32 %r2, %r2, 1; @%p2 bra A; @%p3 bra H; ret;",
    );
    assert_eq!((g.loops.len(), g.irreducible.len()), (1, 1));
    assert_eq!(g.loops[0].blocks, [0, 1, 2, 3]);
}

/// The scope of inline assembly opens no new block by itself, and its labels are its own.
#[test]
fn scopes() {
    let scope = "{ .reg .pred p; L: setp.eq.u32 p, %r1, 0; @!p bra L; }";
    let g = graph(&format!(
        "mov.b32 %r1, 0; {scope} add.u32 %r1, %r1, 1; {scope} ret;"
    ));
    assert_eq!(
        edges(&g),
        [vec![1], vec![1, 2], vec![3], vec![3, 4], vec![]]
    );
    assert_eq!(g.loops.iter().map(|l| l.header).collect::<Vec<_>>(), [1, 3]);
}

/// A deep chain of blocks and a long one of nested loops cost no stack.
#[test]
fn size() {
    let n = 20_000;
    let chain: String = (0..n).map(|i| format!("@%p1 bra L{i}; L{i}: ")).collect();
    assert_eq!(graph(&chain).order.len(), n);
    let depth = 300;
    let open: String = (0..depth)
        .map(|i| format!("L{i}: add.u32 %r1, %r1, 1;"))
        .collect();
    let close: String = (0..depth)
        .rev()
        .map(|i| format!("@%p1 bra L{i};"))
        .collect();
    let g = graph(&(open + &close + "ret;"));
    assert_eq!(g.loops.iter().map(|l| l.depth).max(), Some(depth));
}
