//! `wgmma.mma_async` in many shapes, types and layouts of shared memory, on tiles laid out by formulas of this file.

mod run;

use ptx::alg::float_op::{Format, Round};
use ptx::alg::ieee::round_f64;
use run::Bench;

/// One product.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// The types of D, A and B.
    types: [&'static str; 3],
    n: u32,
    /// The width of the swizzling pattern of A and B in bytes: 16 (none), 32, 64, 128.
    span: [u32; 2],
    /// Whether A and B lie along K.
    along_k: [bool; 2],
    /// Whether A comes in registers.
    registers: bool,
    /// Steps of 32 bytes along K within the rows of the pattern (where A and B lie along K).
    step: u32,
}

fn bits(ty: &str) -> u32 {
    match ty {
        "e4m3" | "e5m2" | "s8" | "u8" => 8,
        "f16" | "bf16" => 16,
        _ => 32,
    }
}

fn word(ty: &str, x: f64) -> u64 {
    match Format::from_name(ty) {
        Some(format) => round_f64(format, Round::Nearest, x),
        None => x as i64 as u64 & if ty == "s32" { 0xFFFF_FFFF } else { 0xFF },
    }
}

fn element(row: u32, col: u32, salt: u32) -> f64 {
    f64::from((row * 5 + col * 3 + salt) % 5)
}

/// LBO and SBO of a factor with `mn` rows or columns, and the offset of an element's first byte.
fn layout(case: &Case, side: usize, mn: u32, k: u32) -> (u32, u32, impl Fn(u32, u32) -> u32) {
    let (span, along_k, step) = (case.span[side], case.along_k[side], case.step);
    let size = bits(case.types[1 + side]) / 8;
    // Without swizzling: 8 lines of 16 bytes, one such block after the other along lines, then along the other way.
    let blocks = if along_k { mn / 8 } else { k / 8 };
    let (leading, stride) = match (span, along_k) {
        (16, true) => (128 * blocks, 128),
        (16, false) => (128, 128 * blocks),
        (_, true) => (16, span * 8),
        (_, false) => (span * k, span * 8),
    };
    let offset = move |x: u32, y: u32| {
        // `line` is a line of the pattern, `byte` a position along it.
        let (line, byte) = if along_k {
            (x, y * size)
        } else {
            (y, x * size)
        };
        if span == 16 {
            let (unit, block) = (byte / 16, line / 8);
            return block * 128 + unit * 128 * blocks + line % 8 * 16 + byte % 16;
        }
        let byte = if along_k { byte + 32 * step } else { byte };
        let tile = if along_k { 0 } else { byte / span };
        let (unit, rest) = (byte % span / 16, byte % 16);
        // Units move by the number of 128-byte lines.
        let turn = match span {
            128 => line % 8,
            64 => line / 2 % 4,
            _ => line / 4 % 2,
        };
        tile * span * k + line * span + (unit ^ turn) * 16 + rest
    };
    // Blocks without swizzling lie the other way round for matrices along M or N: their LBO goes along K.
    let (leading, stride) = match (span, along_k) {
        (16, false) => (stride.min(leading), stride.max(leading)),
        _ => (leading, stride),
    };
    (leading, stride, offset)
}

fn mode(span: u32) -> u64 {
    match span {
        16 => 0,
        128 => 1,
        64 => 2,
        _ => 3,
    }
}

/// Where B begins in shared memory.
const B: u32 = 32768;

fn run(case: Case) {
    let k = 256 / bits(case.types[1]);
    let (m, n) = (64, case.n);
    let mut image = vec![0u8; 2 * B as usize];
    let mut put = |at: u32, ty: &str, x: f64| {
        let size = bits(ty) as usize / 8;
        image[at as usize..][..size].copy_from_slice(&word(ty, x).to_le_bytes()[..size]);
    };
    let (la, sa, a) = layout(&case, 0, m, k);
    let (lb, sb, b) = layout(&case, 1, n, k);
    for y in 0..k {
        (0..m).for_each(|x| put(a(x, y), case.types[1], element(x, y, 1)));
        (0..n).for_each(|x| put(B + b(x, y), case.types[2], element(y, x, 2)));
    }
    let descriptor = |start: u32, along_k: bool, span: u32, leading: u32, stride: u32| {
        let start = if along_k && span > 16 {
            start + 32 * case.step
        } else {
            start
        };
        u64::from(start >> 4)
            | u64::from(leading >> 4) << 16
            | u64::from(stride >> 4) << 32
            | mode(span) << 62
    };
    let [da, db] = [
        descriptor(0, case.along_k[0], case.span[0], la, sa),
        descriptor(B, case.along_k[1], case.span[1], lb, sb),
    ];
    let half = case.types[0] == "f16";
    let count = if half { n / 4 } else { n / 2 };
    let list = |name: &str, count: u32| {
        let all: Vec<String> = (0..count).map(|i| format!("%{name}{i}")).collect();
        format!("{{{}}}", all.join(", "))
    };
    // A of a lane: registers go down the two halves of 16 rows, then right the two halves of K.
    let mut a_words = Vec::new();
    let per = 32 / bits(case.types[1]);
    for t in 0..128u32 {
        for register in 0..4u32 {
            let row = 16 * (t / 32) + t % 32 / 4 + 8 * (register % 2);
            let first = k / 2 * (register / 2) + t % 4 * per;
            let packed = (0..per).fold(0, |sum, i| {
                sum | word(case.types[1], element(row, first + i, 1)) << (i * bits(case.types[1]))
            });
            a_words.push(packed as u32);
        }
    }
    let mut tail = String::from(", 1");
    if !case.types[0].starts_with('s') {
        tail += ", 1, 1";
    }
    if bits(case.types[1]) == 16 {
        let flags = &case.along_k[usize::from(case.registers)..];
        flags
            .iter()
            .for_each(|k| tail += if *k { ", 0" } else { ", 1" });
    }
    let a_operand = if case.registers {
        list("a", 4)
    } else {
        "%da".to_owned()
    };
    let stores: String = (0..count)
        .map(|i| format!("st.global.b32 [%out+{}], %d{i};\n", 4 * i))
        .collect();
    let zeros: String = (0..count).map(|i| format!("mov.b32 %d{i}, 0;\n")).collect();
    let text = format!(
        ".version 8.8\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n\
         .visible .entry k(.param .u64 in, .param .u64 aw, .param .u64 po) {{\n\
         .reg .b32 %d<128>; .reg .b32 %a<4>; .reg .b32 %w<4>; .reg .b32 %t, %i, %s; .reg .pred %p;\n\
         .reg .b64 %in, %aw, %out, %at, %da, %db, %base;\n\
         ld.param.u64 %in, [in]; ld.param.u64 %aw, [aw]; ld.param.u64 %out, [po];\n\
         mov.u32 %t, %tid.x; mul.wide.u32 %at, %t, 16; add.s64 %aw, %aw, %at;\n\
         ld.global.v4.u32 {{%a0, %a1, %a2, %a3}}, [%aw];\n\
         mul.wide.u32 %at, %t, {}; add.s64 %out, %out, %at;\n\
         shl.b32 %i, %t, 4;\n\
         NEXT: cvt.u64.u32 %at, %i; add.u64 %at, %at, %in; ld.global.v4.u32 {{%w0, %w1, %w2, %w3}}, [%at];\n\
         mov.u32 %s, s; add.u32 %s, %s, %i; st.shared.v4.u32 [%s], {{%w0, %w1, %w2, %w3}};\n\
         add.u32 %i, %i, 2048; setp.lt.u32 %p, %i, {}; @%p bra NEXT;\n\
         fence.proxy.async.shared::cta; bar.sync 0;\n\
         mov.u32 %s, s; shr.u32 %s, %s, 4; cvt.u64.u32 %base, %s;\n\
         add.u64 %da, %base, {da}; add.u64 %db, %base, {db};\n\
         {zeros}\
         wgmma.fence.sync.aligned;\n\
         wgmma.mma_async.sync.aligned.m64n{n}k{k}.{} {}, {a_operand}, %db{tail};\n\
         wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n\
         {stores} ret; }}",
        4 * count,
        2 * B,
        case.types.join("."),
        list("d", count),
    );
    let module = run::module(&text);
    let mut bench = Bench::new(&module, u64::from(n));
    let (input, aw) = (bench.give(&image), bench.give(&run::words(&a_words)));
    let out = bench.room(128 * 4 * count as usize);
    bench
        .launch("k", [1, 1, 1], [128, 1, 1], 2 * B, &[&input, &aw, &out])
        .unwrap_or_else(|f| panic!("{case:?}: {f}"));
    let got = bench.words(&out, 128 * count as usize);
    for t in 0..128 {
        for i in 0..n / 2 {
            let row = 16 * (t / 32) + t % 32 / 4 + 8 * (i / 2 % 2);
            let col = 8 * (i / 4) + 2 * (t % 4) + i % 2;
            let sum = (0..k)
                .map(|y| element(row, y, 1) * element(y, col, 2))
                .sum::<f64>();
            let want = word(case.types[0], sum) as u32;
            let have = match half {
                true => got[(t * count + i / 2) as usize] >> (16 * (i % 2)) & 0xFFFF,
                false => got[(t * count + i) as usize],
            };
            assert_eq!(have, want, "{case:?} ({row}, {col})");
        }
    }
}

const TYPES: [[&str; 3]; 10] = [
    ["f32", "f16", "f16"],
    ["f16", "f16", "f16"],
    ["f32", "bf16", "bf16"],
    ["f32", "tf32", "tf32"],
    ["f32", "e4m3", "e4m3"],
    ["f32", "e4m3", "e5m2"],
    ["f16", "e5m2", "e4m3"],
    ["s32", "s8", "s8"],
    ["s32", "u8", "s8"],
    ["s32", "u8", "u8"],
];

#[test]
fn types_and_widths() {
    for types in TYPES {
        for n in [8, 16, 32, 96, 256] {
            run(Case {
                types,
                n,
                span: [128, 128],
                along_k: [true, true],
                registers: n == 32,
                step: 0,
            });
        }
    }
}

#[test]
fn every_width() {
    for n in (8..=256).step_by(8) {
        run(Case {
            types: ["f32", "bf16", "bf16"],
            n,
            span: [64, 32],
            along_k: [true, true],
            registers: false,
            step: 0,
        });
    }
}

#[test]
fn swizzles_along_k() {
    for types in TYPES {
        for span in [16, 32, 64, 128] {
            for step in 0..(span / 32).max(1) {
                run(Case {
                    types,
                    n: 40 / if types[0] == "s32" { 5 } else { 1 },
                    span: [span, span],
                    along_k: [true, true],
                    registers: false,
                    step,
                });
            }
        }
    }
}

#[test]
fn transposed_factors() {
    for types in [TYPES[0], TYPES[1], TYPES[2]] {
        for span in [16, 32, 64, 128] {
            for along_k in [[false, true], [true, false], [false, false]] {
                for registers in [false, true] {
                    run(Case {
                        types,
                        n: 128,
                        span: [span, span],
                        along_k: if registers {
                            [true, along_k[1]]
                        } else {
                            along_k
                        },
                        registers,
                        step: 0,
                    });
                }
            }
        }
    }
}
