//! Small programs: calls, windows, reductions at barriers, output, traces.

mod run;

use ptx::machine::{Launch, Observer, Options, StepInfo};
use ptx::module::Module;
use run::{Bench, words};

fn with(before: &str, body: &str) -> Module {
    run::module(&format!(
        ".version 8.5\n.target sm_90a\n.address_size 64\n{before}\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n.reg .pred %p<4>;\n.reg .b16 %h<4>;\n\
         ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n\
         {body}\nst.global.u32 [%rd2], %r2;\nret;\n}}\n"
    ))
}

/// What 64 threads leave in `%r2`.
fn results(module: &Module, seed: u64) -> Vec<u32> {
    let mut d = Bench::new(module, seed);
    let p = d.give(&words(&[0; 64]));
    d.run("k", [1, 1, 1], [64, 1, 1], &[&p]).expect("runs");
    d.words(&p, 64)
}

#[test]
fn reductions_at_barriers() {
    let module = with(
        "",
        "setp.lt.u32 %p1, %r1, 40;\nbar.red.popc.u32 %r3, 0, %p1;\nbar.red.popc.u32 %r4, 0, !%p1;\n\
         bar.red.and.pred %p2, 1, 64, %p1;\nselp.u32 %r5, 100, 0, %p2;\nbar.red.or.pred %p3, 2, %p1;\n\
         selp.u32 %r6, 1000, 0, %p3;\nshl.b32 %r4, %r4, 16;\nadd.u32 %r2, %r3, %r4;\nadd.u32 %r2, %r2, %r5;\nadd.u32 %r2, %r2, %r6;",
    );
    for seed in 0..4 {
        assert_eq!(results(&module, seed), [40 + (24 << 16) + 1000; 64]);
    }
}

#[test]
fn calls_by_registers_and_by_variables() {
    let functions = ".func (.reg .u32 %out) sum(.reg .u32 %a, .reg .u32 %b) { add.u32 %out, %a, %b; ret; }\n\
        .func (.param .b64 r) pair(.param .b32 x) { .reg .b32 %r<3>; .reg .b64 %rd<2>; ld.param.u32 %r1, [x];\n\
        mul.lo.u32 %r2, %r1, %r1; mov.b64 %rd1, {%r1, %r2}; st.param.b64 [r], %rd1; ret; }";
    let module = with(
        functions,
        "{ .param .b32 a; .param .b64 b; st.param.b32 [a], %r1; call (b), pair, (a); ld.param.b64 %rd3, [b]; }\n\
         mov.b64 {%r3, %r4}, %rd3;\ncall (%r2), sum, (%r3, %r4);",
    );
    let want: Vec<u32> = (0..64).map(|i| i + i * i).collect();
    assert_eq!(results(&module, 5), want);
}

#[test]
fn windows() {
    let module = with(
        ".const .align 4 .u32 c[2] = {7, 9};\n.global .align 8 .u64 where = generic(c);",
        ".shared .align 4 .b8 s[256];\n.local .align 4 .b8 l[8];\nmov.u64 %rd3, s;\ncvta.shared.u64 %rd4, %rd3;\n\
         mul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd4, %rd4, %rd5;\nst.u32 [%rd4], %r1;\nbar.sync 0;\n\
         cvta.to.shared.u64 %rd4, %rd4;\nld.shared.u32 %r3, [%rd4];\nmov.u64 %rd6, l;\ncvta.local.u64 %rd6, %rd6;\n\
         st.u32 [%rd6+4], %r3;\nld.local.u32 %r4, [l+4];\nld.global.u64 %rd7, [where];\nld.u32 %r5, [%rd7+4];\n\
         isspacep.shared %p1, %rd6;\nisspacep.local %p2, %rd6;\nisspacep.const %p3, %rd7;\nselp.u32 %r6, 1, 0, %p1;\n\
         selp.u32 %r7, 10, 0, %p2;\nselp.u32 %r8, 100, 0, %p3;\nadd.u32 %r2, %r4, %r5;\nadd.u32 %r2, %r2, %r6;\n\
         add.u32 %r2, %r2, %r7;\nadd.u32 %r2, %r2, %r8;",
    );
    let want: Vec<u32> = (0..64).map(|i| i + 9 + 110).collect();
    assert_eq!(results(&module, 1), want);
}

/// `add.f32` flushes subnormal numbers in global memory, not in shared memory (ISA §9.7.15.5–6): where a generic address
/// points decides, not how the opcode is written.
#[test]
fn generic_atomics_keep_subnormal_numbers_in_shared_memory() {
    for (address, want) in [
        ("cvta.shared.u64 %rd4, %rd3;", 4),
        ("mov.u64 %rd4, %rd2;", 0),
    ] {
        let module = with(
            "",
            &format!(
                ".shared .align 4 .b8 s[256];\n.reg .f32 %f<3>;\nmov.u64 %rd3, s;\nmul.wide.u32 %rd5, %r1, 4;\n\
                 add.u64 %rd3, %rd3, %rd5;\n{address}\nst.u32 [%rd4], 1;\nmov.b32 %f1, 1;\n\
                 atom.add.f32 %f2, [%rd4], %f1;\nred.relaxed.gpu.add.f32 [%rd4], %f1;\n\
                 atom.cas.b32 %r3, [%rd4], 3, 4;\nld.u32 %r2, [%rd4];"
            ),
        );
        assert_eq!(results(&module, 3), [want; 64], "{address}");
    }
}

/// A register wider than its operand: low bits in, sign or zeros out (ISA §9.4.1).
#[test]
fn wider_registers() {
    let module = with(
        "",
        "st.global.u8 [%rd2], -2;\nld.global.s8 %rd3, [%rd2];\ncvt.u32.u64 %r3, %rd3;\nld.global.u8 %r4, [%rd2];\n\
         mov.u32 %r5, 0x12345;\ncvt.s16.s8 %r6, %r5;\nshr.u64 %rd4, %rd3, 60;\ncvt.u32.u64 %r7, %rd4;\n\
         add.u32 %r2, %r3, %r4;\nadd.u32 %r2, %r2, %r6;\nadd.u32 %r2, %r2, %r7;",
    );
    // -2 + 254 + 0x45 + 15
    assert_eq!(results(&module, 0), [252 + 0x45 + 15; 64]);
}

#[test]
fn unwritten_registers_and_memory_depend_on_the_seed() {
    let module = with(
        "",
        ".shared .b32 s[4];\nld.shared.u32 %r3, [s+8];\nadd.u32 %r2, %r3, %r9;",
    );
    assert_ne!(results(&module, 0), results(&module, 1));
    assert_eq!(results(&module, 1), results(&module, 1));
}

#[derive(Default)]
struct Notes {
    printed: String,
    steps: Vec<String>,
    trace: bool,
}

impl Observer for Notes {
    fn wants_steps(&self) -> bool {
        self.trace
    }
    fn step(&mut self, step: &StepInfo<'_>) {
        let registers: Vec<String> = step
            .registers
            .iter()
            .map(|(n, v)| format!("{n}={v:x}"))
            .collect();
        let active = if step.active { "" } else { " (not)" };
        self.steps.push(format!(
            "{}{active} {}",
            step.site.opcode,
            registers.join(" ")
        ));
    }
    fn print(&mut self, text: &str) {
        self.printed.push_str(text);
    }
}

fn watch(module: &Module, trace: bool) -> Notes {
    let mut d = Bench::with(module, Options::default());
    let p = d.give(&words(&[0; 64]));
    let mut notes = Notes {
        trace,
        ..Notes::default()
    };
    let launch = Launch {
        entry: "k".to_owned(),
        grid: [1, 1, 1],
        block: [1, 1, 1],
        cluster: [1, 1, 1],
        dynamic_shared: 0,
        params: vec![p],
        programmatic: false,
    };
    d.device.launch(&launch, &mut notes).expect("runs");
    notes
}

#[test]
fn a_trace() {
    let module = with(
        "",
        "add.u32 %r2, %r1, 5;\nsetp.eq.u32 %p1, %r2, 5;\n@!%p1 add.u32 %r2, %r2, 1;",
    );
    let steps = watch(&module, true).steps;
    assert!(
        steps[0].starts_with("ld.param.u64 %rd1=20000"),
        "{}",
        steps[0]
    );
    assert_eq!(
        steps[4..7],
        [
            "add.u32 %r2=5 %r1=0",
            "setp.eq.u32 %p1=1 %r2=5",
            "add.u32 (not) %r2=5"
        ]
    );
    assert_eq!(steps.last().map(String::as_str), Some("ret "));
}

/// The text that a format and arguments of four or eight bytes print; strings are `text`.
fn printed(format: &str, args: &[Arg]) -> String {
    let mut body = String::from(
        ".local .align 8 .b8 args[128];\nmov.u64 %rd3, fmt;\ncvta.global.u64 %rd3, %rd3;\nmov.u64 %rd4, args;\ncvta.local.u64 %rd4, %rd4;\n",
    );
    let mut at = 0u32;
    for arg in args {
        match arg {
            Arg::Word(w) => {
                body += &format!("mov.u32 %r3, {w};\nst.local.u32 [args+{at}], %r3;\n");
                at += 4;
            }
            Arg::Long(l) => {
                at = at.next_multiple_of(8);
                body += &format!("mov.u64 %rd5, {l};\nst.local.u64 [args+{at}], %rd5;\n");
                at += 8;
            }
            Arg::Text => {
                at = at.next_multiple_of(8);
                body += &format!(
                    "mov.u64 %rd5, text;\ncvta.global.u64 %rd5, %rd5;\nst.local.u64 [args+{at}], %rd5;\n"
                );
                at += 8;
            }
        }
    }
    body += "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd3; st.param.b64 [b], %rd4;\n\
             call.uni (r), vprintf, (a, b); ld.param.b32 %r2, [r]; }";
    let string = |s: &str| {
        s.bytes()
            .map(|b| b.to_string())
            .chain(["0".to_owned()])
            .collect::<Vec<_>>()
            .join(", ")
    };
    let before = format!(
        ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n.global .b8 fmt[{}] = {{{}}};\n.global .b8 text[5] = {{{}}};",
        format.len() + 1,
        string(format),
        string("warp")
    );
    watch(&with(&before, &body), false).printed
}

enum Arg {
    Word(i64),
    Long(i64),
    Text,
}

fn double(x: f64) -> Arg {
    Arg::Long(x.to_bits() as i64)
}

/// What C's `printf` prints.
#[test]
fn printf() {
    use Arg::{Long, Text, Word};
    for (format, args, want) in [
        ("neg %d %d\n", vec![Word(3), Word(-7)], "neg 3 -7\n"),
        (
            "%i|%5d|%-5d|%05d|%+d|% d",
            vec![Word(1), Word(42), Word(42), Word(-42), Word(42), Word(42)],
            "1|   42|42   |-0042|+42| 42",
        ),
        (
            "%u %x %X %o",
            vec![Word(-1), Word(255), Word(255), Word(8)],
            "4294967295 ff FF 10",
        ),
        (
            "%#x %#X %#o %#x",
            vec![Word(255), Word(255), Word(8), Word(0)],
            "0xff 0XFF 010 0",
        ),
        (
            "%lld %llu %lx %ld",
            vec![Long(-5), Long(-1), Long(0x1234_5678_9abc), Long(i64::MIN)],
            "-5 18446744073709551615 123456789abc -9223372036854775808",
        ),
        (
            "%hd %hhd %hu %hhu",
            vec![Word(0x1_8000), Word(0x180), Word(-1), Word(-1)],
            "-32768 -128 65535 255",
        ),
        (
            "%.3d|%8.3d|%-8.3d|%.0d|%08.3d",
            vec![Word(5), Word(-5), Word(5), Word(0), Word(5)],
            "005|    -005|005     ||     005",
        ),
        (
            "%c%c|%3c|%-3c|",
            vec![Word(72), Word(105), Word(33), Word(63)],
            "Hi|  !|?  |",
        ),
        (
            "%s|%6s|%-6s|%.2s|",
            vec![Text, Text, Text, Text],
            "warp|  warp|warp  |wa|",
        ),
        ("%p", vec![Long(0xdead)], "0xdead"),
        ("%%|%5.1f%%", vec![double(99.95)], "%|100.0%"),
        (
            "%f %F %.0f %#.0f %.2f",
            vec![
                double(1.5),
                double(-0.0),
                double(2.5),
                double(2.5),
                double(-1.005),
            ],
            "1.500000 -0.000000 2 2. -1.00",
        ),
        (
            "%e %E %.0e %#.0e %.2e",
            vec![
                double(12345.678),
                double(0.0),
                double(5e-9),
                double(5e-9),
                double(1e100),
            ],
            "1.234568e+04 0.000000E+00 5e-09 5.e-09 1.00e+100",
        ),
        (
            "%g %g %g %g %G",
            vec![
                double(100000.0),
                double(1e6),
                double(1e-4),
                double(1e-5),
                double(1e-10),
            ],
            "100000 1e+06 0.0001 1e-05 1E-10",
        ),
        (
            "%#g %.3g %.10g %g",
            vec![double(1.0), double(1234.5), double(0.1), double(0.0)],
            "1.00000 1.23e+03 0.1 0",
        ),
        (
            "%a %a %.2a %A %.0a",
            vec![
                double(1.0),
                double(-0.15625),
                double(1.999),
                double(10.0),
                double(1.5),
            ],
            "0x1p+0 -0x1.4p-3 0x2.00p+0 0X1.4P+3 0x2p+0",
        ),
        (
            "%f %5.1f %-6f| %06f %G",
            vec![
                double(f64::INFINITY),
                double(f64::NEG_INFINITY),
                double(f64::NAN),
                double(f64::INFINITY),
                double(f64::INFINITY),
            ],
            "inf  -inf nan   |    inf INF",
        ),
        (
            "%08.2f|%-8.2f|%+.1f|% .1f",
            vec![double(-3.1377), double(2.5), double(1.0), double(1.0)],
            "-0003.14|2.50    |+1.0| 1.0",
        ),
        (
            "%*d|%-*d|%.*f",
            vec![Word(5), Word(7), Word(4), Word(7), Word(2), double(1.0)],
            "    7|7   |1.00",
        ),
        (
            "%d %lld %d %f",
            vec![Word(1), Long(2), Word(3), double(4.0)],
            "1 2 3 4.000000",
        ),
        ("100%", vec![], "100%"),
        ("%y", vec![], "%y"),
    ] {
        assert_eq!(printed(format, &args), want, "{format}");
    }
}

/// The kernel of the corpus that prints, fails an assertion and traps.
#[test]
fn output_assertions_traps() {
    let module = run::corpus("cuda/warp_ops.sm_90a.ptx");
    let run = |x: &[i32], n: u32| {
        let mut d = Bench::new(&module, 0);
        let data: Vec<u32> = x.iter().map(|x| *x as u32).collect();
        let p = d.give(&words(&data)).to_vec();
        let mut notes = Notes::default();
        let launch = Launch {
            entry: "dbg".to_owned(),
            grid: [1, 1, 1],
            block: [x.len() as u32, 1, 1],
            cluster: [1, 1, 1],
            dynamic_shared: 0,
            params: vec![p, n.to_le_bytes().to_vec()],
            programmatic: false,
        };
        let run = d.device.launch(&launch, &mut notes);
        (
            run.map(|_| ()).map_err(|f| f.kind.to_string()),
            notes.printed,
        )
    };
    assert_eq!(run(&[1, -7], 2), (Ok(()), "neg 1 -7\n".to_owned()));
    let (failed, _) = run(&[1, 2], 1);
    let failed = failed.expect_err("an assertion");
    assert!(failed.starts_with("assertion `i<n` failed at "), "{failed}");
    let (trapped, _) = run(&[12345], 1);
    assert_eq!(trapped, Err("trap: the kernel executed `trap`".to_owned()));
}
