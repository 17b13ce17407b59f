//! Matrices of a warp on small texts: `mma` in every shape with all types, `wmma` from and to every kind of memory,
//! `ldmatrix`, `stmatrix`, `movmatrix`, and what makes a fault.

mod run;

use ptx::alg::float_op::{Format, Round};
use ptx::alg::ieee::round_f64;
use ptx::layout::fragment::{Fragment, Role};
use ptx::layout::op::MatrixOp;
use ptx::machine::Fault;
use run::{Bench, words};

const HEAD: &str = ".version 8.8\n.target sm_90a\n.address_size 64\n";

/// A small integer, or with another `salt` another one.
fn element(row: u32, col: u32, salt: u32) -> f64 {
    f64::from((row * 5 + col * 3 + salt) % 7)
}

/// Its word in a type.
fn word(ty: &str, x: f64) -> u64 {
    match Format::from_name(ty) {
        Some(format) => round_f64(format, Round::Nearest, x),
        None => x as i64 as u64 & if ty == "s32" { 0xFFFF_FFFF } else { 0xFF },
    }
}

/// The registers of all lanes, one lane after the other.
fn registers(f: &Fragment, ty: &str, x: impl Fn(u32, u32) -> f64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for lane in 0..32 {
        for register in 0..f.registers() {
            let per = f.per_register();
            let packed = (0..per).fold(0, |sum, i| {
                let (row, col) = f.place(lane, register * per + i);
                sum | word(ty, x(row, col)) << (i * f.bits)
            });
            let size = f.register_bits() as usize / 8;
            bytes.extend_from_slice(&packed.to_le_bytes()[..size]);
        }
    }
    bytes
}

/// `mma` on registers that come from and go to memory; its D, as bytes.
fn mma(opcode: &str, types: [&str; 4]) {
    let op = MatrixOp::parse(opcode).expect("known");
    let [d, a, b, c] = [
        op.fragment(Role::C, op.d),
        op.fragment(Role::A, op.c),
        op.fragment(Role::B, op.c),
        op.fragment(Role::C, op.c),
    ];
    let mut text = format!("{HEAD}.visible .entry k(");
    let names = ["d", "a", "b", "c"];
    let params: Vec<String> = names.iter().map(|n| format!(".param .u64 p{n}")).collect();
    text += &format!(
        "{}) {{ .reg .b32 %l; .reg .b64 %at; mov.u32 %l, %laneid;\n",
        params.join(", ")
    );
    let mut loads = String::new();
    let mut stores = String::new();
    for (name, f) in names.iter().zip([d, a, b, c]) {
        let (bits, count) = (f.register_bits(), f.registers());
        text += &format!(".reg .b{bits} %{name}<{count}>; .reg .b64 %base_{name};\n");
        loads += &format!(
            "ld.param.u64 %base_{name}, [p{name}]; mul.wide.u32 %at, %l, {}; add.s64 %base_{name}, %base_{name}, %at;\n",
            count * bits / 8
        );
        for i in 0..count {
            let at = i * bits / 8;
            if *name == "d" {
                stores += &format!("st.global.b{bits} [%base_d+{at}], %d{i};\n");
            } else {
                loads += &format!("ld.global.b{bits} %{name}{i}, [%base_{name}+{at}];\n");
            }
        }
    }
    let vector = |(name, f): (&&str, Fragment)| {
        let all: Vec<String> = (0..f.registers()).map(|i| format!("%{name}{i}")).collect();
        format!("{{{}}}", all.join(", "))
    };
    let operands: Vec<String> = names.iter().zip([d, a, b, c]).map(vector).collect();
    text += &format!("{loads}{opcode} {};\n{stores}ret; }}", operands.join(", "));

    let module = run::module(&text);
    let mut bench = Bench::new(&module, 0);
    let x = |salt| move |row, col| element(row, col, salt);
    let [td, ta, tb, tc] = types;
    let pa = bench.give(&registers(&a, ta, x(1)));
    let pb = bench.give(&registers(&b, tb, x(2)));
    let pc = bench.give(&registers(&c, tc, x(3)));
    let sum = |row, col| {
        let products = (0..op.shape.k).map(|k| element(row, k, 1) * element(k, col, 2));
        products.sum::<f64>() + element(row, col, 3)
    };
    let want = registers(&d, td, sum);
    let pd = bench.room(want.len());
    bench
        .run("k", [1, 1, 1], [32, 1, 1], &[&pd, &pa, &pb, &pc])
        .unwrap_or_else(|f| panic!("{opcode}: {f}"));
    let got = bench.device.read(run::address(&pd), want.len() as u64);
    assert_eq!(got.expect("there"), want, "{opcode}");
}

#[test]
fn mma_of_all_shapes_and_types() {
    for (shape, types) in [
        ("m16n8k8", ["f16", "f16", "f16", "f16"]),
        ("m16n8k8", ["f32", "f16", "f16", "f32"]),
        ("m16n8k8", ["f32", "bf16", "bf16", "f32"]),
        ("m16n8k16", ["f16", "f16", "f16", "f16"]),
        ("m16n8k16", ["f32", "f16", "f16", "f32"]),
        ("m16n8k16", ["f32", "bf16", "bf16", "f32"]),
        ("m16n8k4", ["f32", "tf32", "tf32", "f32"]),
        ("m16n8k8", ["f32", "tf32", "tf32", "f32"]),
        ("m16n8k16", ["f32", "e4m3", "e4m3", "f32"]),
        ("m16n8k16", ["f16", "e5m2", "e5m2", "f16"]),
        ("m16n8k32", ["f32", "e4m3", "e5m2", "f32"]),
        ("m16n8k32", ["f32", "e5m2", "e4m3", "f32"]),
        ("m8n8k4", ["f64", "f64", "f64", "f64"]),
        ("m16n8k4", ["f64", "f64", "f64", "f64"]),
        ("m16n8k8", ["f64", "f64", "f64", "f64"]),
        ("m16n8k16", ["f64", "f64", "f64", "f64"]),
        ("m8n8k16", ["s32", "s8", "u8", "s32"]),
        ("m16n8k16", ["s32", "u8", "u8", "s32"]),
        ("m16n8k32", ["s32", "s8", "s8", "s32"]),
    ] {
        let opcode = format!("mma.sync.aligned.{shape}.row.col.{}", types.join("."));
        mma(&opcode, types);
    }
    mma(
        "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32",
        ["s32", "u8", "s8", "s32"],
    );
}

/// A product of f16 matrices by `wmma`: A and B in global memory, or copied to shared memory first and read there.
fn wmma(shape: &str, [la, lb, lc]: [&str; 3], strides: [u32; 3], place: &str) {
    let s = ptx::layout::fragment::Shape::parse(shape).expect("a shape");
    let extent = |layout: &str, [rows, cols]: [u32; 2]| match layout {
        "row" => [rows, cols],
        _ => [cols, rows],
    };
    let sizes = [[s.m, s.k], [s.k, s.n], [s.m, s.n]];
    // A matrix in memory: lines `stride` elements apart.
    let memory = |layout: &str,
                  stride: u32,
                  size: [u32; 2],
                  bytes: usize,
                  x: &dyn Fn(u32, u32) -> Vec<u8>| {
        let [lines, _] = extent(layout, size);
        let mut all = vec![0xEE; (lines * stride) as usize * bytes];
        for row in 0..size[0] {
            for col in 0..size[1] {
                let (line, at) = if layout == "row" {
                    (row, col)
                } else {
                    (col, row)
                };
                let i = (line * stride + at) as usize * bytes;
                all[i..i + bytes].copy_from_slice(&x(row, col));
            }
        }
        all
    };
    let half =
        |salt| move |row, col| word("f16", element(row, col, salt)).to_le_bytes()[..2].to_vec();
    let single = |x: f64| (x as f32).to_bits().to_le_bytes().to_vec();
    let a = memory(la, strides[0], sizes[0], 2, &half(1));
    let b = memory(lb, strides[1], sizes[1], 2, &half(2));
    let c = memory(lc, strides[2], sizes[2], 4, &|r, c| {
        single(element(r, c, 3))
    });
    let want = memory(lc, strides[2], sizes[2], 4, &|row, col| {
        let products = (0..s.k).map(|k| element(row, k, 1) * element(k, col, 2));
        single(products.sum::<f64>() + element(row, col, 3))
    });
    let eight = |x: &str| {
        let all: Vec<String> = (0..8).map(|i| format!("%{x}{i}")).collect();
        format!("{{{}}}", all.join(", "))
    };
    // From shared memory: lane 0 copies A there, byte by byte.
    let (space, copy, address) = match place {
        "global" => (".global", String::new(), "%ra"),
        "generic" => ("", String::new(), "%ra"),
        _ => (
            ".shared",
            format!(
                "mov.u32 %i, 0; setp.ne.u32 %p, %l, 0; @%p bra ON;\n\
                 NEXT: cvt.u64.u32 %at, %i; add.u64 %at, %at, %ra; ld.global.u8 %h, [%at];\n\
                 mov.u32 %s, sa; add.u32 %s, %s, %i; st.shared.u8 [%s], %h; add.u32 %i, %i, 1;\n\
                 setp.lt.u32 %p, %i, {}; @%p bra NEXT;\n\
                 ON: bar.sync 0; mov.u32 %s, sa;",
                a.len()
            ),
            "%s",
        ),
    };
    let [a8, b8, c8] = ["a", "b", "c"].map(eight);
    let [sa, sb, sc] = strides;
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc) {{\n\
         .reg .b32 %a<8>; .reg .b32 %b<8>; .reg .f32 %c<8>; .reg .b32 %i, %l, %s; .reg .b16 %h; .reg .pred %p;\n\
         .reg .b64 %ra, %rb, %rc, %at; .shared .align 32 .b8 sa[4096];\n\
         mov.u32 %l, %laneid; ld.param.u64 %ra, [pa]; ld.param.u64 %rb, [pb]; ld.param.u64 %rc, [pc];\n\
         {copy}\n\
         wmma.load.a.sync.aligned.{la}.{shape}{space}.f16 {a8}, [{address}], {sa};\n\
         wmma.load.b.sync.aligned.{lb}.{shape}.global.f16 {b8}, [%rb], {sb};\n\
         wmma.load.c.sync.aligned.{lc}.{shape}.global.f32 {c8}, [%rc], {sc};\n\
         wmma.mma.sync.aligned.{la}.{lb}.{shape}.f32.f32 {c8}, {a8}, {b8}, {c8};\n\
         wmma.store.d.sync.aligned.{lc}.{shape}.global.f32 [%rc], {c8}, {sc};\n\
         ret; }}"
    );
    let module = run::module(&text);
    let mut bench = Bench::new(&module, 0);
    let (pa, pb, pc) = (bench.give(&a), bench.give(&b), bench.give(&c));
    bench
        .run("k", [1, 1, 1], [32, 1, 1], &[&pa, &pb, &pc])
        .unwrap_or_else(|f| panic!("{shape} {la} {lb} {lc} {place}: {f}"));
    let got = bench.device.read(run::address(&pc), want.len() as u64);
    assert_eq!(got.expect("there"), want, "{shape} {la} {lb} {lc} {place}");
}

#[test]
fn wmma_of_all_shapes_and_layouts() {
    for shape in ["m16n16k16", "m8n32k16", "m32n8k16"] {
        for la in ["row", "col"] {
            for lb in ["row", "col"] {
                for lc in ["row", "col"] {
                    wmma(shape, [la, lb, lc], [48, 64, 40], "global");
                }
            }
        }
        wmma(shape, ["row", "col", "row"], [32, 32, 32], "generic");
        wmma(shape, ["row", "row", "row"], [16, 32, 32], "shared");
    }
}

/// A kernel of one warp with matrices in shared memory: lane `l` has the address of row `l` in `%r1`, rows are 8 elements
/// of 16 bits that count up from row to row; what is in `%r4`–`%r7` is stored.
fn text(body: &str) -> String {
    format!(
        "{HEAD}.visible .entry k(.param .u64 out) {{ .reg .b32 %r<20>; .reg .b64 %rd<4>; .reg .pred %p;\n\
         .shared .align 16 .b8 s[512];\n\
         ld.param.u64 %rd0, [out]; mov.u32 %r0, %laneid; mul.wide.u32 %rd1, %r0, 16; add.s64 %rd0, %rd0, %rd1;\n\
         mov.u32 %r1, s; shl.b32 %r2, %r0, 4; add.u32 %r1, %r1, %r2;\n\
         mad.lo.u32 %r3, %r0, 0x00080008, 0x00010000; add.u32 %r4, %r3, 0x00020002; add.u32 %r5, %r4, 0x00020002;\n\
         add.u32 %r6, %r5, 0x00020002; st.shared.v4.u32 [%r1], {{%r3, %r4, %r5, %r6}}; bar.sync 0;\n\
         mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0;\n\
         {body}\n\
         st.global.v4.u32 [%rd0], {{%r4, %r5, %r6, %r7}}; END: ret; }}"
    )
}

fn outcome(body: &str) -> Result<Vec<u32>, Box<Fault>> {
    let module = run::module(&text(body));
    let mut bench = Bench::new(&module, 0);
    let out = bench.give(&words(&[0; 128]));
    bench.run("k", [1, 1, 1], [32, 1, 1], &[&out])?;
    Ok(bench.words(&out, 128))
}

/// Every lane's four registers should be these.
fn check(body: &str, want: impl Fn(u32, u32) -> u32) {
    let got = outcome(body).unwrap_or_else(|f| panic!("{body}: {f}"));
    let want: Vec<u32> = (0..128).map(|i| want(i / 4, i % 4)).collect();
    assert_eq!(got, want, "{body}");
}

/// The element at a row and column of matrix `m`: they count up.
fn at(m: u32, row: u32, col: u32) -> u32 {
    m * 64 + row * 8 + col
}

#[test]
fn ldmatrix() {
    let plain =
        |lane: u32, m| at(m, lane / 4, lane % 4 * 2) | at(m, lane / 4, lane % 4 * 2 + 1) << 16;
    let trans =
        |lane: u32, m| at(m, lane % 4 * 2, lane / 4) | at(m, lane % 4 * 2 + 1, lane / 4) << 16;
    let op = |rest: &str| format!("ldmatrix.sync.aligned.m8n8.{rest};");
    check(&op("x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r1]"), plain);
    check(
        &op("x4.trans.shared::cta.b16 {%r4, %r5, %r6, %r7}, [%r1]"),
        trans,
    );
    let first = |n: u32, f: fn(u32, u32) -> u32| move |lane, m| if m < n { f(lane, m) } else { 0 };
    check(&op("x2.shared.b16 {%r4, %r5}, [%r1]"), first(2, plain));
    check(
        &op("x2.trans.shared.b16 {%r4, %r5}, [%r1]"),
        first(2, trans),
    );
    check(&op("x1.shared.b16 {%r4}, [%r1]"), first(1, plain));
    // Only the lanes of the matrices give addresses.
    let some = "setp.ge.u32 %p, %r0, 8; @%p mov.u32 %r1, 3;";
    check(
        &format!("{some} {}", op("x1.shared.b16 {%r4}, [%r1]")),
        first(1, plain),
    );
    // Generic addresses.
    let generic = "cvt.u64.u32 %rd2, %r1; cvta.shared.u64 %rd2, %rd2;";
    check(
        &format!("{generic} {}", op("x4.b16 {%r4, %r5, %r6, %r7}, [%rd2]")),
        plain,
    );
}

#[test]
fn stmatrix_and_movmatrix() {
    // What was loaded is stored transposed, and loaded transposed again.
    let load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r1];";
    let back =
        "bar.sync 0; ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r4, %r5, %r6, %r7}, [%r1];";
    let plain =
        |lane: u32, m| at(m, lane / 4, lane % 4 * 2) | at(m, lane / 4, lane % 4 * 2 + 1) << 16;
    let trans =
        |lane: u32, m| at(m, lane % 4 * 2, lane / 4) | at(m, lane % 4 * 2 + 1, lane / 4) << 16;
    let store =
        "bar.sync 0; stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r1], {%r4, %r5, %r6, %r7};";
    check(&format!("{load} {store} {back}"), plain);
    let store = "bar.sync 0; stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1], {%r4, %r5, %r6, %r7};";
    check(&format!("{load} {store} {back}"), trans);
    // The rows as they lie after a transposed store: row by row the columns from before.
    let store = "bar.sync 0; stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r1], {%r4, %r5, %r6, %r7}; bar.sync 0;";
    let read = "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1];";
    check(&format!("{load} {store} {read}"), |row, word| {
        let (m, row) = (row / 8, row % 8);
        at(m, 2 * word, row) | at(m, 2 * word + 1, row) << 16
    });
    let turn = "movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r4; mov.u32 %r4, 0; mov.u32 %r6, 0; mov.u32 %r7, 0;";
    check(&format!("{load} {turn}"), |lane, m| {
        if m == 1 { trans(lane, 0) } else { 0 }
    });
}

#[test]
fn faults() {
    let refused = |body: &str, kind: &str, reason: &str| {
        let fault = outcome(body).expect_err(body);
        let says = fault.to_string();
        assert_eq!(fault.kind.name(), kind, "{says}");
        assert!(says.contains(reason), "{says}");
    };
    let load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r1];";
    let store = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1], {%r4, %r5, %r6, %r7};";
    for op in [load, store] {
        refused(&format!("add.u32 %r1, %r1, 8; {op}"), "misaligned", "16");
        refused(
            &format!("add.u32 %r1, %r1, 16; {op}"),
            "out-of-bounds",
            "shared",
        );
        let leave = "setp.eq.u32 %p, %r0, 5; @%p bra END;";
        refused(&format!("{leave} {op}"), "divergent", "31 threads");
    }
    let global = "ldmatrix.sync.aligned.m8n8.x4.b16 {%r4, %r5, %r6, %r7}, [%rd0];";
    refused(global, "undefined", "must be in shared memory");
    let wmma = |set: &str, stride: u32| {
        format!(
            "{set} .reg .b32 %a<8>; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 \
             {{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}}, [%rd0], {stride};"
        )
    };
    refused(&wmma("", 16), "divergent", "different addresses");
    let same = "ld.param.u64 %rd0, [out];";
    assert!(outcome(&wmma(same, 16)).is_ok());
    refused(&wmma(same, 8), "undefined", "a stride of 8");
    refused(&wmma(same, 20), "misaligned", "32");
    refused(&wmma(same, 32), "out-of-bounds", "buffer 1");
}
