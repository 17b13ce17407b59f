//! Every real file resolves: each name stands for one thing, each label for a place, and the control-flow graph is one.

mod common;

use std::path::PathBuf;
use std::sync::OnceLock;

use common::{corpus, load};
use ptx::module::cfg::{Cfg, cfg};
use ptx::module::{Function, Module, Operand, Symbol, Table, resolve};
use ptx::text::parse;

/// How many kernels each file has.
const ENTRIES: [(&str, usize); 48] = [
    ("attention_naive.sm_90a.ptx", 1),
    ("dynpar_clc.sm_90a.ptx", 3),
    ("hopper_tma_wgmma.G.ptx", 2),
    ("hopper_tma_wgmma.lineinfo.ptx", 2),
    ("hopper_tma_wgmma.sm_90a.ptx", 2),
    ("matmul_tiled.G.ptx", 4),
    ("matmul_tiled.lineinfo.ptx", 4),
    ("matmul_tiled.sm_90a.ptx", 4),
    ("mma_sync.sm_90a.ptx", 1),
    ("moe_small.sm_90a.ptx", 5),
    ("neg.sm_90a.ptx", 9),
    ("reduce.G.ptx", 6),
    ("reduce.lineinfo.ptx", 6),
    ("reduce.sm_90a.ptx", 6),
    ("scan_hist.sm_90a.ptx", 4),
    ("softmax_layernorm.sm_90a.ptx", 5),
    ("sync_flag.sm_90a.ptx", 11),
    ("transpose_stencil.sm_90a.ptx", 6),
    ("vadd.G.ptx", 4),
    ("vadd.lineinfo.ptx", 4),
    ("vadd.sm_90a.ptx", 4),
    ("warp_ops.sm_90a.ptx", 9),
    ("wmma_gemm.sm_90a.ptx", 1),
    ("cub_reduce.sm_90a.ptx", 7),
    ("cub_scan.sm_90a.ptx", 5),
    ("cub_select.sm_90a.ptx", 3),
    ("pip_cute_wgmma_tma_sm90.sm_90a.ptx", 2),
    ("triton_add.sm_90.ptx", 1),
    ("triton_attn_fwd_ptr_causal.sm_90.ptx", 1),
    ("triton_attn_fwd_tma_causal.sm_90.ptx", 1),
    ("triton_attn_fwd_tma_noncausal.sm_90.ptx", 1),
    ("triton_attn_fwd_tma_ws.sm_90.ptx", 1),
    ("triton_fused_moe_bf16.sm_90.ptx", 1),
    ("triton_grouped_gemm.sm_90.ptx", 1),
    ("triton_histogram.sm_90.ptx", 1),
    ("triton_lastblock_reduce.sm_90.ptx", 1),
    ("triton_layernorm_bwd_lock.sm_90.ptx", 1),
    ("triton_layernorm_fwd.sm_90.ptx", 1),
    ("triton_matmul_fp16.sm_90.ptx", 1),
    ("triton_matmul_fp16_8w.sm_90.ptx", 1),
    ("triton_matmul_fp8.sm_90.ptx", 1),
    ("triton_matmul_persistent_tma.sm_90.ptx", 1),
    ("triton_matmul_persistent_tma_sub.sm_90.ptx", 1),
    ("triton_matmul_tf32_small.sm_90.ptx", 1),
    ("triton_matmul_tma_devdesc.sm_90.ptx", 1),
    ("triton_matmul_tma_hostdesc.sm_90.ptx", 1),
    ("triton_scan_sort.sm_90.ptx", 1),
    ("triton_softmax.sm_90.ptx", 1),
];

/// A file: its name, its text, its module.
type File = (String, String, Module);

fn all() -> &'static [File] {
    static ALL: OnceLock<Vec<File>> = OnceLock::new();
    ALL.get_or_init(|| {
        let file = |path: &PathBuf| {
            let (text, module) = load(path);
            let name = path.file_name().expect("a file").to_string_lossy();
            (name.into_owned(), text, module)
        };
        corpus().iter().map(file).collect()
    })
}

fn kernels(m: &Module) -> usize {
    m.functions
        .iter()
        .filter(|f| f.is_entry && f.has_body)
        .count()
}

#[test]
fn every_file_resolves_and_has_its_kernels() {
    let all = all();
    let found: Vec<(&str, usize)> = all
        .iter()
        .map(|(n, _, m)| (n.as_str(), kernels(m)))
        .collect();
    assert_eq!(found, ENTRIES);
    let different =
        |s: &str| !s.contains(".G.") && !s.contains(".lineinfo.") && s.contains("sm_90a");
    let cuda = &found[..23];
    assert_eq!(
        cuda.iter()
            .filter(|(n, _)| different(n))
            .map(|(_, k)| k)
            .sum::<usize>(),
        71
    );
    for (name, text, m) in all {
        assert_eq!(m.address_size, 64, "{name}");
        for f in &m.functions {
            assert!(
                f.has_body || matches!(f.name.as_str(), "vprintf" | "__assertfail"),
                "{name}: {}",
                f.name
            );
            whole(name, text, m, f);
        }
    }
}

/// Every number in a function is a position in its table.
fn whole(name: &str, text: &str, m: &Module, f: &Function) {
    let lines = text.lines().count();
    for l in &f.labels {
        assert!(
            l.at <= f.code.len(),
            "{name}: label {} of {} stands nowhere",
            l.name,
            f.name
        );
    }
    for r in &f.registers {
        let d = &f.declarations[r.declaration];
        assert!(
            r.bits == d.bits && r.index < d.count.unwrap_or(1),
            "{name}: {}",
            r.name
        );
    }
    for t in &f.tables {
        match t {
            Table::Branches(all) => assert!(all.iter().all(|l| l.index() < f.labels.len())),
            Table::Calls(all) => assert!(all.iter().all(|l| l.index() < m.functions.len())),
            Table::Prototype { returns, params } => {
                assert!(returns.iter().chain(params).all(|n| *n > 0))
            }
        }
    }
    for i in &f.code {
        assert!(i.span.line_column(text).0 <= lines);
        assert!(text[i.span.range()].contains(&i.opcode));
        i.operands.iter().for_each(|x| operand(m, f, x));
    }
}

fn operand(m: &Module, f: &Function, x: &Operand) {
    let symbol = |s: &Symbol| match s {
        Symbol::Variable(v) => assert!(v.index() < m.variables.len()),
        Symbol::Function(g) => assert!(g.index() < m.functions.len()),
    };
    match x {
        Operand::Reg(r) => assert!(r.index() < f.registers.len()),
        Operand::Symbol(s, _) => symbol(s),
        Operand::Label(l) => assert!(l.index() < f.labels.len()),
        Operand::Table(t) => assert!(t.index() < f.tables.len()),
        Operand::Vector(all) | Operand::List(all) | Operand::Tensor(_, all) => {
            all.iter().for_each(|x| operand(m, f, x))
        }
        Operand::Pair(a, b) => [a, b].into_iter().for_each(|x| operand(m, f, x)),
        _ => {}
    }
}

#[test]
fn every_opcode_is_in_the_table() {
    let mut unknown = std::collections::BTreeSet::new();
    for (_, _, m) in all() {
        let code = m.functions.iter().flat_map(|f| &f.code);
        unknown.extend(code.filter(|i| i.form.is_none()).map(|i| i.opcode.as_str()));
    }
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// The graph says where control goes, and dominators and loops are what their definitions say.
#[test]
fn graphs() {
    let (mut loops, mut functions) = (0, 0);
    for (name, _, m) in all() {
        for f in m.functions.iter().filter(|f| f.has_body) {
            let g = cfg(f);
            let at = format!("{name}: {}", f.name);
            blocks(&g, f, &at);
            dominators(&g, &at);
            natural_loops(&g, &at);
            assert!(g.irreducible.is_empty(), "{at}");
            loops += g.loops.len();
            functions += 1;
        }
    }
    assert!(
        functions > 160 && loops > 190,
        "{functions} functions, {loops} loops"
    );
}

fn blocks(g: &Cfg, f: &Function, at: &str) {
    assert_eq!(g.block_of.len(), f.code.len());
    let mut next = 0;
    for (b, block) in g.blocks.iter().enumerate() {
        assert_eq!(block.first, next, "{at}: blocks leave nothing out");
        assert!(
            block.first < block.end && g.block_of[block.first..block.end].iter().all(|x| *x == b)
        );
        for to in &block.successors {
            assert!(g.blocks[*to].predecessors.contains(&b), "{at}");
        }
        for from in &block.predecessors {
            assert!(g.blocks[*from].successors.contains(&b), "{at}");
        }
        let ends = |i: &ptx::module::Instr| {
            matches!(
                i.opcode.split('.').next(),
                Some("bra" | "brx" | "ret" | "exit" | "trap")
            )
        };
        assert!(
            f.code[block.first..block.end - 1].iter().all(|i| !ends(i)),
            "{at}: an end inside a block"
        );
        next = block.end;
    }
    assert_eq!(next, f.code.len());
}

/// The blocks that are reached from the start without going through one.
fn reached(g: &Cfg, without: Option<usize>) -> Vec<bool> {
    let mut seen = vec![false; g.blocks.len()];
    let mut open = vec![0];
    while let Some(b) = open.pop() {
        if Some(b) != without && !std::mem::replace(&mut seen[b], true) {
            open.extend(&g.blocks[b].successors);
        }
    }
    seen
}

fn dominators(g: &Cfg, at: &str) {
    let all = reached(g, None);
    let mut ordered = vec![false; g.blocks.len()];
    g.order.iter().for_each(|b| ordered[*b] = true);
    assert_eq!(ordered, all, "{at}");
    for a in (0..g.blocks.len()).filter(|a| all[*a]) {
        let without = reached(g, Some(a));
        for b in 0..g.blocks.len() {
            assert_eq!(
                g.dominates(a, b),
                all[b] && !without[b],
                "{at}: {a} and {b}"
            );
        }
    }
}

fn natural_loops(g: &Cfg, at: &str) {
    for (i, l) in g.loops.iter().enumerate() {
        assert!(l.blocks.iter().all(|b| g.dominates(l.header, *b)), "{at}");
        assert!(
            !l.latches.is_empty()
                && l.latches
                    .iter()
                    .all(|b| g.blocks[*b].successors.contains(&l.header))
        );
        assert!(l.latches.iter().all(|b| l.blocks.contains(b)));
        for b in l.blocks.iter().filter(|b| **b != l.header) {
            assert!(
                g.blocks[*b]
                    .predecessors
                    .iter()
                    .all(|p| l.blocks.contains(p)),
                "{at}: a second way in"
            );
        }
        let around: Vec<usize> = (0..g.loops.len())
            .filter(|o| *o != i && g.loops[*o].blocks.contains(&l.header))
            .collect();
        assert_eq!(l.depth as usize, around.len() + 1, "{at}");
        let smallest = around
            .iter()
            .copied()
            .min_by_key(|o| g.loops[*o].blocks.len());
        assert_eq!(l.parent, smallest, "{at}");
        let inside = |o: &usize| l.blocks.iter().all(|b| g.loops[*o].blocks.contains(b));
        assert!(around.iter().all(inside), "{at}: loops cross");
    }
}

/// Loops by the compiler's own comments in Triton's files: `$L__BB0_2:  // =>This Loop Header: Depth=1`.
fn commented(text: &str) -> Vec<(String, u32)> {
    let mut label = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some((name, _)) = line.split_once(':')
            && name.starts_with("$L__")
        {
            label = name.to_owned();
        }
        if let Some((_, rest)) = line.split_once("Loop Header: Depth=")
            && line.contains("This")
        {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            found.push((label.clone(), digits.parse().expect("a number")));
        }
    }
    found
}

#[test]
fn loops_are_those_that_the_compiler_names() {
    let mut total = 0;
    for (name, text, m) in all() {
        if !name.starts_with("triton") {
            continue;
        }
        let mut ours = Vec::new();
        for f in &m.functions {
            let g = cfg(f);
            for l in &g.loops {
                let first = g.blocks[l.header].first;
                // Those inside inline assembly the compiler does not see: the wait loops of mbarriers.
                let label = f
                    .labels
                    .iter()
                    .find(|x| x.at == first && x.name.starts_with("$L__"));
                ours.extend(label.map(|x| (x.name.clone(), l.depth)));
            }
        }
        let theirs = commented(text);
        ours.sort();
        let mut sorted = theirs.clone();
        sorted.sort();
        assert_eq!(ours, sorted, "{name}");
        total += theirs.len();
    }
    assert_eq!(total, 25);
}

/// Loops of our own sources, counted by hand. `matmul_naive` has one in the source; the compiler unrolled it by four and
/// put the rest in a second one. The inner loops of `matmul_tiled` are unrolled whole.
#[test]
fn loops_of_the_tiled_matmul() {
    let find = |file: &str, name: &str| {
        let (_, _, m) = all()
            .iter()
            .find(|(n, _, _)| n == file)
            .expect("in the corpus");
        let f = m
            .functions
            .iter()
            .find(|f| f.name == name)
            .expect("the kernel");
        cfg(f).loops.iter().map(|l| l.depth).collect::<Vec<_>>()
    };
    assert_eq!(find("matmul_tiled.sm_90a.ptx", "matmul_naive"), [1, 1]);
    assert_eq!(find("matmul_tiled.sm_90a.ptx", "matmul_tiled"), [1]);
    assert_eq!(
        find("matmul_tiled.sm_90a.ptx", "matmul_regblock"),
        [1, 2, 2]
    );
    assert_eq!(find("matmul_tiled.G.ptx", "matmul_tiled"), [1, 2]);
    let rb = "_Z2rbILi64ELi64ELi8ELi4ELi4EEvPKfS1_Pfiii";
    assert_eq!(
        find("matmul_tiled.G.ptx", rb),
        [1, 2, 2, 2, 3, 3, 3, 4, 1, 2]
    );
}

/// What is special in some of the files.
#[test]
fn traps_of_real_files() {
    let all = all();
    let get = |file: &str| {
        &all.iter()
            .find(|(n, _, _)| n == file)
            .expect("in the corpus")
            .2
    };
    let m = get("warp_ops.sm_90a.ptx");
    let table = m
        .variables
        .iter()
        .find(|v| v.name == "table")
        .expect("a table of functions");
    let callees: Vec<&str> = table
        .relocations
        .iter()
        .map(|r| match r.symbol {
            Symbol::Function(f) => m.functions[f.index()].name.as_str(),
            Symbol::Variable(_) => "",
        })
        .collect();
    assert_eq!(callees, ["_Z2f1f", "_Z2f2f"]);
    assert_eq!(
        (
            table.bytes,
            table.align,
            table.init.len(),
            table.relocations[1].at
        ),
        (16, 8, 16, 8)
    );
    let text = m
        .variables
        .iter()
        .find(|v| v.name == "$str")
        .expect("a string");
    assert_eq!((text.init.as_slice(), text.bytes), (&b"i<n"[..], 4));
    let f = |name: &str| {
        m.functions
            .iter()
            .find(|f| f.name == name)
            .expect("a function")
    };
    assert!(f("_Z4fibri").code.iter().any(|i| {
        i.operands.iter().any(|x| matches!(x, Operand::Symbol(Symbol::Function(g), 0) if m.functions[g.index()].name == "_Z4fibri"))
    }));
    let call = f("indirect")
        .code
        .iter()
        .find(|i| i.opcode == "call")
        .expect("an indirect call");
    assert!(matches!(call.operands[1], Operand::Reg(_)));
    let Operand::Table(t) = call.operands[3] else {
        panic!("{call:?}")
    };
    assert_eq!(
        f("indirect").tables[t.index()],
        Table::Prototype {
            returns: vec![4],
            params: vec![4]
        }
    );
    // Two scopes of one name: the wait loops of a pipeline.
    let m = get("hopper_tma_wgmma.sm_90a.ptx");
    let f = m
        .functions
        .iter()
        .find(|f| f.name == "gemm_tma_wgmma")
        .expect("the kernel");
    let repeated = f.labels.iter().filter(|l| l.name == "L").count();
    assert_eq!(repeated, 8);
    let smem = m
        .variables
        .iter()
        .find(|v| v.name == "smem")
        .expect("dynamic shared memory");
    assert!(smem.dynamic && !smem.external && smem.align == 1024 && smem.bytes == 0);
    let m = get("matmul_tiled.lineinfo.ptx");
    assert!(
        m.functions
            .iter()
            .filter(|f| f.is_entry)
            .all(|f| f.code.iter().all(|i| i.loc.is_some()))
    );
    assert!(!m.files.is_empty());
    let m = get("sync_flag.sm_90a.ptx");
    let f = m
        .functions
        .iter()
        .find(|f| f.name == "cluster_dsmem")
        .expect("the kernel");
    assert_eq!(f.required_cluster, Some([2, 1, 1]));
    let m = get("triton_softmax.sm_90.ptx");
    assert_eq!(m.functions[0].required_block, Some([256, 1, 1]));
}

/// The canonical text of a file resolves to the same module, but for the places.
#[test]
fn canonical_text_resolves_to_the_same() {
    for path in corpus() {
        let (text, mut first) = load(&path);
        let canonical = parse(&text).expect("parses").canonical();
        let mut again = resolve(&parse(&canonical).expect("parses")).expect("resolves");
        for m in [&mut first, &mut again] {
            m.variables
                .iter_mut()
                .for_each(|v| v.span = Default::default());
            for f in &mut m.functions {
                f.span = Default::default();
                f.declarations
                    .iter_mut()
                    .for_each(|d| d.span = Default::default());
                f.directives
                    .iter_mut()
                    .for_each(|d| d.span = Default::default());
                f.code.iter_mut().for_each(|i| i.span = Default::default());
            }
        }
        assert!(first == again, "{}", path.display());
    }
}

/// Every opcode of every real file has its row in the table, but for those that this list admits.
#[test]
fn opcodes_are_known() {
    let mut unknown = std::collections::BTreeSet::new();
    for path in corpus() {
        for f in &load(&path).1.functions {
            let missing = f.code.iter().filter(|i| i.form.is_none());
            unknown.extend(missing.map(|i| i.opcode.clone()));
        }
    }
    let unknown: Vec<String> = unknown.into_iter().collect();
    assert_eq!(unknown, [""; 0]);
}
