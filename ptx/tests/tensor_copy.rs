//! Tensor copies in kernels: loads, stores and reductions of boxes, for tensor maps in parameters, in constant and global
//! memory, and built by the kernel itself.

#[path = "common/machine.rs"]
mod machine;

use machine::{HEAD, Run, to_u32s, u32s};
use ptx::layout::swizzle::Swizzle;
use ptx::layout::tensormap::{Element, Fill, L2Promotion, TensorMap};

const ROWS: u64 = 20;
const COLUMNS: u64 = 36;

/// The map of a 20×36 matrix of words, boxes of 8×32.
fn map(address: u64, swizzle: Swizzle) -> TensorMap {
    TensorMap {
        element: Element::U32,
        address,
        dims: vec![COLUMNS, ROWS],
        strides: vec![4 * COLUMNS],
        box_dims: vec![32, 8],
        element_strides: vec![1, 1],
        swizzle,
        fill: Fill::Zero,
        l2: L2Promotion::None,
    }
}

fn matrix() -> Vec<u8> {
    u32s((0..(ROWS * COLUMNS) as u32).map(|i| 1000 + i))
}

/// Another matrix, less than the first in some places and greater in others.
fn other(i: u32) -> u32 {
    1700 - i
}

/// A kernel with tensor maps `a` and `b` and coordinates; 32 threads. Thread 0 does `first`, then all do `all`.
fn text(first: &str, all: &str) -> String {
    format!(
        "{HEAD}.const .align 64 .b8 cmap[128];
        .visible .entry k(.param .align 64 .b8 a[128], .param .align 64 .b8 b[128], .param .u32 x, .param .u32 y, .param .u64 out) {{
        .reg .pred %p<10>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
        .shared .align 1024 .b8 s[1024]; .shared .align 8 .b64 bar; .shared .align 128 .b8 object[128];
        mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0;
        mov.b64 %rd0, a; cvta.param.u64 %rd0, %rd0; mov.b64 %rd1, b; cvta.param.u64 %rd1, %rd1;
        ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y]; ld.param.u64 %rd2, [out];
        @%p0 bra A;
        mbarrier.init.shared::cta.b64 [bar], 1; fence.proxy.async.shared::cta;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024;
        {first}
        A: bar.sync 0;
        W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra W;
        {all}
        ret; }}"
    )
}

const LOAD: &str = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%rd0, {%r1, %r2}], [bar];";

/// Every thread writes eight words of shared memory, as they lie there.
const DUMP: &str = "mov.u32 %r3, s; shl.b32 %r4, %r0, 5; add.u32 %r3, %r3, %r4; cvt.u64.u32 %rd3, %r4; add.u64 %rd3, %rd2, %rd3;
    ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3]; st.global.v4.u32 [%rd3], {%r5, %r6, %r7, %r8};
    ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3+16]; st.global.v4.u32 [%rd3+16], {%r5, %r6, %r7, %r8};";

/// A launch: buffers 0 and 1 are the two matrices, 2 is the output.
fn launch(
    text: String,
    swizzle: Swizzle,
    at: [i32; 2],
) -> impl Fn(u64) -> Result<Vec<Vec<u8>>, Box<ptx::machine::Fault>> {
    let second = u32s((0..(ROWS * COLUMNS) as u32).map(other));
    let run = Run::new(text, 32, vec![matrix(), second, vec![0; 1024]]);
    move |seed| {
        run.with(seed, |addresses, pointers| {
            let object = |i: usize| map(addresses[i], swizzle).encode().expect("a map").to_vec();
            vec![
                object(0),
                object(1),
                at[0].to_le_bytes().to_vec(),
                at[1].to_le_bytes().to_vec(),
                pointers[2].clone(),
            ]
        })
    }
}

fn element(row: i64, column: i64) -> u32 {
    let inside = (0..ROWS as i64).contains(&row) && (0..COLUMNS as i64).contains(&column);
    if inside {
        1000 + (row * COLUMNS as i64 + column) as u32
    } else {
        0
    }
}

#[test]
fn loads() {
    for swizzle in [
        Swizzle::None,
        Swizzle::B128,
        Swizzle::B128Atom32,
        Swizzle::B128Atom64,
    ] {
        for at in [[0, 0], [4, 12], [-3, 15], [30, -5], [100, 100]] {
            let run = launch(text(LOAD, DUMP), swizzle, at);
            for seed in 0..8 {
                let got = to_u32s(&run(seed).unwrap_or_else(|e| panic!("{e}"))[2]);
                for i in 0..256u64 {
                    let (row, column) = (i / 32, i % 32);
                    // Rows have 128 bytes: the unit of 16 bytes is exchanged by the row.
                    let unit = match swizzle {
                        Swizzle::None => column / 4,
                        Swizzle::B128 => (column / 4) ^ (row % 8),
                        Swizzle::B128Atom32 => (column / 4) ^ (2 * (row % 4)),
                        _ => (column / 4) ^ (4 * (row % 2)),
                    };
                    let there = (32 * row + 4 * unit + column % 4) as usize;
                    let right = element(
                        i64::from(at[1]) + row as i64,
                        i64::from(at[0]) + column as i64,
                    );
                    assert_eq!(
                        got[there],
                        right,
                        "{} {at:?} {row} {column}",
                        swizzle.name()
                    );
                }
            }
        }
    }
}

/// A load of one matrix and a store to the other, at the same coordinates.
fn through(store: &str) -> String {
    text(
        LOAD,
        &format!(
            "bar.sync 0; @%p0 bra E; {store} cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; E:"
        ),
    )
}

/// What is in memory afterwards, from what was there and what is sent.
type Op = fn(u32, u32) -> u32;

#[test]
fn stores_leave_out_what_is_outside() {
    let store = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r2}], [s];";
    let reduce = |op: &str| {
        format!(
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.tile.bulk_group [%rd1, {{%r1, %r2}}], [s];"
        )
    };
    let stores: [(String, Op); 9] = [
        (store.to_owned(), |_, new| new),
        (reduce("add"), |old, new| old + new),
        (reduce("min"), u32::min),
        (reduce("max"), u32::max),
        (
            reduce("inc"),
            |old, new| if old >= new { 0 } else { old + 1 },
        ),
        (reduce("dec"), |old, new| match old {
            0 => new,
            old if old > new => new,
            old => old - 1,
        }),
        (reduce("and"), |old, new| old & new),
        (reduce("or"), |old, new| old | new),
        (reduce("xor").replace(".tile", ""), |old, new| old ^ new),
    ];
    for swizzle in [Swizzle::None, Swizzle::B128] {
        for at in [[0, 0], [4, 12], [8, 15], [35, 19]] {
            for (store, op) in &stores {
                let run = launch(through(store), swizzle, at);
                for seed in 0..6 {
                    let got = run(seed).unwrap_or_else(|e| panic!("{e}"));
                    assert_eq!(got[0], matrix());
                    let inside =
                        |v: i64, from: i32, n: i64| (0..n).contains(&(v - i64::from(from)));
                    let right = (0..(ROWS * COLUMNS) as i64).map(|i| {
                        let (row, column) = (i / COLUMNS as i64, i % COLUMNS as i64);
                        let old = other(i as u32);
                        match inside(row, at[1], 8) && inside(column, at[0], 32) {
                            true => op(old, element(row, column)),
                            false => old,
                        }
                    });
                    assert_eq!(
                        to_u32s(&got[1]),
                        right.collect::<Vec<_>>(),
                        "{store} {at:?}"
                    );
                }
            }
        }
    }
    let run = launch(through(store), Swizzle::None, [-1, 0]);
    let fault = run(0).expect_err("negative").kind.to_string();
    assert!(fault.contains("none may be negative"), "{fault}");
}

#[test]
fn what_goes_wrong() {
    let right = launch(text(LOAD, DUMP), Swizzle::B128, [4, 8])(0).expect("right");
    // Another swizzle than the reader's gives other words.
    let wrong = launch(text(LOAD, DUMP), Swizzle::None, [4, 8])(0).expect("runs");
    assert_ne!(right[2], wrong[2]);
    // Without a wait they are not there yet, for some seed.
    let text_without = text(LOAD, DUMP).replace("@!%p1 bra W;", "");
    let early = launch(text_without, Swizzle::B128, [4, 8]);
    assert!((0..60).any(|seed| early(seed).is_ok_and(|b| b != right)));
    for (load, all, wanted) in [
        (
            LOAD.replace("2d", "1d").replace("{%r1, %r2}", "{%r1}"),
            DUMP,
            "2 dimensions",
        ),
        (LOAD.replace("[s]", "[s+64]"), DUMP, "multiple of 128"),
        (LOAD.replace("%rd0,", "%rd0+32,"), DUMP, "multiple of 64"),
        // A box has its 1024 bytes, whatever of it is outside of the tensor.
        (LOAD.replace("[s]", "[s+128]"), DUMP, "is touched"),
        (LOAD.replace("[s]", "[s+1152]"), DUMP, "out of bounds"),
    ] {
        let run = launch(text(&load, all), Swizzle::B128, [4, 8]);
        let fault = run(0).expect_err(&load).kind.to_string();
        assert!(fault.contains(wanted), "{load}: {fault}");
    }
    let short = text(LOAD, DUMP).replace("[bar], 1024;", "[bar], 1008;");
    let fault = launch(short, Swizzle::B128, [4, 8])(0).expect_err("stuck");
    assert_eq!(fault.kind.name(), "stuck");
    // A map that is none.
    let zero = text(&LOAD.replace("%rd0,", "%rd5,"), DUMP).replace(
        "ld.param.u32 %r1",
        "mov.u64 %rd5, cmap; cvta.const.u64 %rd5, %rd5; ld.param.u32 %r1",
    );
    let fault = launch(zero, Swizzle::B128, [4, 8])(0).expect_err("zeros");
    assert!(
        fault
            .kind
            .to_string()
            .contains("dimension 0 has the size 0"),
        "{}",
        fault.kind
    );
}

/// The kernel builds a map in shared memory from zeros, copies it to global memory, and loads by it.
#[test]
fn maps_built_by_the_kernel() {
    let build = "mov.u32 %r3, object; shl.b32 %r4, %r0, 2; add.u32 %r4, %r3, %r4; mov.u32 %r5, 0;
        st.shared.u32 [%r4], %r5; bar.warp.sync -1;
        cvt.u64.u32 %rd7, %r3;
        @%p0 bra B;
        ld.param.u64 %rd6, [m];
        tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%rd7], %rd6;
        tensormap.replace.tile.rank.shared::cta.b1024.b32 [%rd7], 0x1;
        tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd7], 0x0, 32;
        tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd7], 0x1, 8;
        tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%rd7], 0x0, 36;
        tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%rd7], 0x1, 20;
        tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%rd7], 0x0, 144;
        tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%rd7], 0x0, 1;
        tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%rd7], 0x1, 1;
        tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%rd7], 0x2;
        tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%rd7], 0x0;
        tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%rd7], 0x3;
        tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%rd7], 0x0;
        B: bar.warp.sync -1;
        ld.param.u64 %rd0, [scratch];
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd0], [%rd7], 128;
        fence.proxy.tensormap::generic.acquire.gpu [%rd0], 128;
        @%p0 bra A;";
    let text = text(LOAD, DUMP)
        .replace(
            ".param .u64 out)",
            ".param .u64 out, .param .u64 m, .param .u64 scratch)",
        )
        .replacen("@%p0 bra A;", build, 1);
    let run = Run::new(text, 32, vec![matrix(), vec![0; 128], vec![0; 1024]]);
    let right = launch(self::text(LOAD, DUMP), Swizzle::B128, [4, 8])(0).expect("right");
    for seed in 0..8 {
        let got = run
            .with(seed, |_, pointers| {
                vec![
                    vec![0; 128],
                    vec![0; 128],
                    4u32.to_le_bytes().to_vec(),
                    8u32.to_le_bytes().to_vec(),
                    pointers[2].clone(),
                    pointers[0].clone(),
                    pointers[1].clone(),
                ]
            })
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(got[2], right[2]);
        let object: [u8; 128] = got[1].clone().try_into().expect("128 bytes");
        assert_eq!(TensorMap::decode(&object).map(|m| m.dims), Ok(vec![36, 20]));
    }
}

/// Boxes of 256 words in tensors of every rank, loaded and stored back elsewhere.
#[test]
fn every_rank() {
    // Sizes and boxes, dimension 0 first; the coordinates of the load go over an edge.
    let shapes: [(&[u64], &[u32], &[i32]); 4] = [
        (&[400], &[256], &[200]),
        (&[36, 5, 4], &[32, 4, 2], &[8, -1, 3]),
        (&[36, 5, 4, 3], &[16, 4, 2, 2], &[4, 2, 1, -1]),
        (&[36, 5, 4, 3, 2], &[16, 2, 2, 2, 2], &[24, 1, 1, 1, 1]),
    ];
    for (dims, boxes, at) in shapes {
        let rank = dims.len();
        let list: Vec<String> = at.iter().map(i32::to_string).collect();
        let load = LOAD
            .replace("2d", &format!("{rank}d"))
            .replace("{%r1, %r2}", &format!("{{{}}}", list.join(", ")));
        let count: u64 = dims.iter().product();
        let content = u32s((0..count as u32).map(|i| 7 * i + 1));
        let run = Run::new(text(&load, DUMP), 32, vec![content.clone(), vec![0; 1024]]);
        let words = to_u32s(&content);
        for seed in 0..4 {
            let got = run
                .with(seed, |addresses, pointers| {
                    let mut strides = Vec::new();
                    let mut stride = 4;
                    for dim in &dims[..rank - 1] {
                        stride *= dim;
                        strides.push(stride);
                    }
                    let map = TensorMap {
                        dims: dims.to_vec(),
                        strides,
                        box_dims: boxes.to_vec(),
                        element_strides: vec![1; rank],
                        ..map(addresses[0], Swizzle::None)
                    };
                    let object = map.encode().expect("a map").to_vec();
                    vec![
                        object.clone(),
                        object,
                        vec![0; 4],
                        vec![0; 4],
                        pointers[1].clone(),
                    ]
                })
                .unwrap_or_else(|e| panic!("{e}"));
            let right = (0..256u64).map(|n| {
                let (mut rest, mut place, mut stride, mut inside) = (n, 0, 1, true);
                for i in 0..rank {
                    let x = i64::from(at[i]) + (rest % u64::from(boxes[i])) as i64;
                    rest /= u64::from(boxes[i]);
                    inside &= (0..dims[i] as i64).contains(&x);
                    place += x * stride;
                    stride *= dims[i] as i64;
                }
                if inside { words[place as usize] } else { 0 }
            });
            assert_eq!(to_u32s(&got[1]), right.collect::<Vec<_>>(), "rank {rank}");
        }
    }
}

/// A map in constant memory.
#[test]
fn maps_in_constant_memory() {
    use ptx::machine::{Device, Launch, Options, Silent};
    let load = LOAD.replace("%rd0,", "%rd5,");
    let text = text(&load, DUMP).replace(
        "ld.param.u32 %r1",
        "mov.u64 %rd5, cmap; cvta.const.u64 %rd5, %rd5; ld.param.u32 %r1",
    );
    let module = machine::module(&text);
    let mut device = Device::new(&module, Options::default()).expect("a device");
    let from = device
        .allocate("matrix", 4 * ROWS * COLUMNS, 256)
        .expect("memory");
    let to = device.allocate("out", 1024, 256).expect("memory");
    device.write(from, &matrix()).expect("in bounds");
    let object = map(from, Swizzle::B128).encode().expect("a map");
    let symbol = device.symbol("cmap").expect("a variable");
    device.write(symbol, &object).expect("in bounds");
    let params = vec![
        vec![0; 128],
        vec![0; 128],
        4u32.to_le_bytes().to_vec(),
        8u32.to_le_bytes().to_vec(),
        to.to_le_bytes().to_vec(),
    ];
    let launch = Launch {
        entry: "k".to_owned(),
        grid: [1, 1, 1],
        block: [32, 1, 1],
        cluster: [1, 1, 1],
        dynamic_shared: 0,
        params,
        programmatic: false,
    };
    device
        .launch(&launch, &mut Silent)
        .unwrap_or_else(|e| panic!("{e}"));
    let right = self::launch(self::text(LOAD, DUMP), Swizzle::B128, [4, 8])(0).expect("right");
    assert_eq!(device.read(to, 1024).expect("in bounds"), right[2]);
}
