//! What must not be, and is said; and programs that would like to bring the machine down.

mod run;

use ptx::machine::{Device, Fault, FaultKind, Launch, Options, Silent};
use ptx::module::Module;

/// A module with one kernel `k` that has one parameter, a pointer to 256 bytes.
fn kernel(body: &str) -> Module {
    with("", body)
}

fn with(before: &str, body: &str) -> Module {
    run::module(&format!(
        ".version 8.5\n.target sm_90a\n.address_size 64\n{before}\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n.reg .pred %p<4>;\n.reg .b16 %h<4>;\n\
         ld.param.u64 %rd1, [p];\n{body}\nret;\n}}\n"
    ))
}

fn options() -> Options {
    Options {
        step_limit: 100_000,
        ..Options::default()
    }
}

fn run_with(module: &Module, options: Options, block: u32) -> Result<Vec<u32>, Box<Fault>> {
    let mut d = run::Bench::with(module, options);
    let p = d.give(&[0; 256]);
    d.run("k", [1, 1, 1], [block, 1, 1], &[&p])?;
    Ok(d.words(&p, 64))
}

/// The fault of a kernel with 64 threads.
fn fault(module: &Module) -> Box<Fault> {
    run_with(module, options(), 64).expect_err("a fault")
}

fn name(body: &str) -> &'static str {
    fault(&kernel(body)).kind.name()
}

#[test]
fn wild_addresses() {
    for (body, wanted) in [
        (
            "mov.u64 %rd2, 0; ld.global.u32 %r1, [%rd2];",
            "out-of-bounds",
        ),
        ("ld.global.u32 %r1, [%rd1+256];", "out-of-bounds"),
        ("ld.global.u64 %rd2, [%rd1+252];", "misaligned"),
        ("ld.global.u32 %r1, [%rd1+-4];", "out-of-bounds"),
        ("st.global.u32 [%rd1+1], %r1;", "misaligned"),
        (
            "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+8];",
            "misaligned",
        ),
        (
            "mov.u64 %rd2, -1; st.global.u8 [%rd2], %r1;",
            "out-of-bounds",
        ),
        (
            "mov.u64 %rd2, -8; atom.global.add.u64 %rd3, [%rd2], %rd1;",
            "out-of-bounds",
        ),
        ("atom.global.add.u32 %r1, [%rd1+2], 1;", "misaligned"),
        ("mov.u64 %rd2, -4; ld.u32 %r1, [%rd2];", "out-of-bounds"),
        ("mov.u32 %r2, 0; ld.shared.u32 %r1, [%r2];", "out-of-bounds"),
        (
            "mov.u32 %r2, -4; st.shared.u32 [%r2], %r1;",
            "out-of-bounds",
        ),
        (
            "mov.u32 %r2, 0x5000400; ld.shared::cluster.u32 %r1, [%r2];",
            "out-of-bounds",
        ),
        (
            "mov.u64 %rd2, 0; st.local.u32 [%rd2], %r1;",
            "out-of-bounds",
        ),
        (
            "mov.u64 %rd2, 8; ld.param.u32 %r1, [%rd2];",
            "out-of-bounds",
        ),
        (
            "cvta.param.u64 %rd2, %rd3; mov.u64 %rd3, p; cvta.param.u64 %rd2, %rd3; st.u32 [%rd2], %r1;",
            "read-only",
        ),
        (
            "mov.u64 %rd2, 0; ld.const.u32 %r1, [%rd2];",
            "out-of-bounds",
        ),
    ] {
        assert_eq!(name(body), wanted, "{body}");
    }
}

#[test]
fn a_fault_says_where() {
    let module = kernel(
        "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 37;\n@%p1 ret;\nst.global.u32 [%rd1+256], %r1;",
    );
    let fault = fault(&module);
    assert_eq!(fault.thread, Some(([0, 0, 0], [37, 0, 0])));
    let site = fault.place.as_ref().expect("a place");
    assert_eq!(site.opcode, "st.global.u32");
    assert_eq!(
        fault.to_string().lines().next(),
        Some(
            "k: 4 bytes at global address 0x2000000200 are out of bounds: at byte 256 of `buffer 1`, which has 256"
        )
    );
}

#[test]
fn barriers() {
    for (body, wanted) in [
        // Half of each warp goes to the one, half to the other.
        (
            "mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\n\
             bar.sync 0; bra B;\nA: bar.sync 0;\nB:",
            "divergent-barrier",
        ),
        ("bar.sync 16;", "barrier"),
        ("bar.sync 0, 33;", "barrier"),
        ("bar.sync 0, 96;", "barrier"),
        ("bar.arrive 0, 64; bar.arrive 0, 64;", "barrier"),
        (
            "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 64;",
            "stuck",
        ),
        (
            "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 32; @!%p1 bar.sync 1;",
            "barrier",
        ),
        (
            "mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\n\
             barrier.cluster.arrive.aligned; bra B;\nA: barrier.cluster.arrive.aligned;\n\
             B: barrier.cluster.wait;",
            "divergent-barrier",
        ),
        (
            "mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, 0;\nbarrier.cluster.arrive;\n\
             @%p1 bra A;\nbarrier.cluster.wait.aligned; bra B;\nA: barrier.cluster.wait.aligned;\nB:",
            "divergent-barrier",
        ),
        // Whole warps may be in different places at the barrier of a cluster, and come again.
        (
            "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\n\
             barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; bra B;\n\
             A: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n\
             B: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
            "",
        ),
        // Without `.aligned`, threads may, too.
        (
            "mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\n\
             barrier.cluster.arrive; barrier.cluster.wait; bra B;\nA: barrier.cluster.arrive; barrier.cluster.wait;\nB:",
            "",
        ),
        ("barrier.cluster.wait;", "barrier"),
        ("barrier.cluster.arrive; barrier.cluster.arrive;", "barrier"),
    ] {
        let got = run_with(&kernel(body), options(), 64).map_err(|f| f.kind.name());
        assert_eq!(got.err().unwrap_or(""), wanted, "{body}");
    }
    // The manual's reading for unaligned barriers: any site will do.
    let apart = "mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\n\
                 barrier.sync 0; bra B;\nA: barrier.sync 0;\nB:";
    run_with(&kernel(apart), options(), 64).expect("runs");
    // Whole warps in different places: only with the named assumption.
    let warps = kernel(
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync 0; bra B;\nA: bar.sync 0;\nB:",
    );
    assert_eq!(fault(&warps).kind.name(), "divergent-barrier");
    let lenient = Options {
        aligned_per_warp: true,
        ..options()
    };
    run_with(&warps, lenient, 64).expect("runs");
}

#[test]
fn stuck_says_who_waits() {
    let module = kernel(
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1, 64;\n@!%p1 bar.sync 2, 64;",
    );
    let FaultKind::Stuck(waiting) = fault(&module).kind else {
        panic!("not stuck");
    };
    let text: Vec<String> = waiting.iter().map(ToString::to_string).collect();
    assert_eq!(text.len(), 2, "{text:?}");
    assert!(
        text[0]
            .starts_with("cta (0,0,0) thread (0,0,0) and 31 more at `bar.sync` in k: barrier 1: ")
    );
    assert!(
        text[1]
            .starts_with("cta (0,0,0) thread (32,0,0) and 31 more at `bar.sync` in k: barrier 2: ")
    );
}

#[test]
fn without_end() {
    assert_eq!(name("A: bra A;"), "step-limit");
    assert_eq!(name("A: nanosleep.u32 1; bra A;"), "step-limit");
    assert_eq!(
        name("A: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra A;"),
        "step-limit"
    );
    let recursive = |frame: &str| {
        with(
            &format!(".func f() {{ .reg .b64 %rd<2>; {frame} call f; ret; }}"),
            "call f;",
        )
    };
    let alone = |m: &Module| run_with(m, options(), 1).expect_err("a fault").kind.name();
    assert_eq!(alone(&recursive("")), "limit");
    let deep = ".local .align 16 .b8 x[4096]; mov.u64 %rd1, x;";
    assert_eq!(alone(&recursive(deep)), "limit");
}

#[test]
fn too_much() {
    let module = kernel("");
    let mut d = Device::new(&module, options()).expect("fits");
    let p = d
        .allocate("p", 256, 16)
        .expect("fits")
        .to_le_bytes()
        .to_vec();
    let mut launch = |grid, block, cluster, dynamic_shared, params: Vec<Vec<u8>>| {
        let launch = Launch {
            entry: "k".to_owned(),
            grid,
            block,
            cluster,
            dynamic_shared,
            params,
            programmatic: false,
        };
        d.launch(&launch, &mut Silent).map_err(|f| f.kind)
    };
    let one = [1, 1, 1];
    let max = [u32::MAX; 3];
    let p = || vec![p.clone()];
    for bad in [
        launch(max, one, one, 0, p()),
        launch([0, 1, 1], one, one, 0, p()),
        launch(one, max, one, 0, p()),
        launch(one, [1025, 1, 1], one, 0, p()),
        launch(one, [0, 1, 1], one, 0, p()),
        launch(one, one, max, 0, p()),
        launch(one, one, [0, 1, 1], 0, p()),
        launch([3, 1, 1], one, [2, 1, 1], 0, p()),
        launch([32, 1, 1], one, [32, 1, 1], 0, p()),
        launch(one, one, one, u32::MAX, p()),
        launch(one, one, one, 0, vec![]),
        launch(one, one, one, 0, vec![vec![0; 4]]),
    ] {
        assert!(matches!(bad, Err(FaultKind::Launch(_))), "{bad:?}");
    }
    launch(one, one, one, 0, p()).expect("runs");
    assert_eq!(
        d.allocate("much", u64::MAX, 16)
            .expect_err("too much")
            .name(),
        "limit"
    );
    assert_eq!(
        d.allocate("odd", 16, 768)
            .expect_err("no power of two")
            .name(),
        "limit"
    );
    assert_eq!(
        d.read(0, u64::MAX).expect_err("nothing there").name(),
        "out-of-bounds"
    );
    assert_eq!(
        d.write(u64::MAX, &[0]).expect_err("nothing there").name(),
        "out-of-bounds"
    );
}

#[test]
fn giant_variables() {
    let limit = |module: &Module| match Device::new(module, options()) {
        Err(kind) => kind.name(),
        Ok(_) => fault(module).kind.name(),
    };
    let huge = "0xffffffffff";
    assert_eq!(
        limit(&with(&format!(".global .b8 x[{huge}];"), "")),
        "limit"
    );
    assert_eq!(limit(&with(&format!(".const .b8 x[{huge}];"), "")), "limit");
    assert_eq!(
        limit(&kernel(&format!(".shared .b8 x[{huge}]; mov.u64 %rd2, x;"))),
        "limit"
    );
    assert_eq!(
        limit(&kernel(&format!(
            ".local .b8 x[{huge}]; .local .b8 y[{huge}]; mov.u64 %rd2, x; mov.u64 %rd2, y;"
        ))),
        "limit"
    );
    assert_eq!(
        limit(&kernel(&format!(".param .b8 x[{huge}]; mov.u64 %rd2, x;"))),
        "limit"
    );
}

#[test]
fn what_is_not_known_is_a_fault_where_it_is_reached() {
    let module = kernel(
        "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 99;\n@%p1 bra A;\ntex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r1}];\nA:",
    );
    run_with(&module, options(), 64).expect("runs");
    run_with(&module, options(), 100).expect_err("reached");
    let device = Device::new(&module, options()).expect("fits");
    let entry = device.entry("k").expect("is there");
    let list = device.outline(entry).expect("decodes").refused;
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].0.opcode, "tex.1d.v4.f32.s32");
    assert_eq!(device.entry("x").expect_err("no kernel").name(), "launch");
    let outside = with(".extern .func g();", "call g;");
    assert_eq!(fault(&outside).kind.name(), "unsupported");
}

#[test]
fn jumps_to_nowhere() {
    let table = "mov.u32 %r1, %tid.x;\nt: .branchtargets A, B;\nbrx.idx %r1, t;\nA: ret;\nB: ret;";
    let module = kernel(table);
    run_with(&module, options(), 2).expect("runs");
    assert_eq!(fault(&module).kind.name(), "undefined");
    let call = "mov.u64 %rd2, 0x1234;\nq: .callprototype _ ();\ncall %rd2, q;";
    assert_eq!(name(call), "trap");
    // A prototype has the sizes of the results and parameters of the function that is called.
    let through = |result: u32, argument: u32| {
        let f = ".func (.param .b32 r) f(.param .b64 x) { .reg .b32 %r<2>; mov.u32 %r1, 3; st.param.b32 [r], %r1; ret; }";
        let body = format!(
            "mov.u64 %rd2, f;\n{{ .param .b{argument} a; .param .b{result} b; st.param.b32 [a], %r1;\n\
             q: .callprototype (.param .b{result} _) _ (.param .b{argument} _);\ncall (b), %rd2, (a), q; }}"
        );
        run_with(&with(f, &body), options(), 1)
    };
    through(32, 64).expect("runs");
    for (result, argument) in [(32, 32), (64, 64)] {
        let fault = through(result, argument).expect_err("a fault").kind;
        assert_eq!(fault.name(), "undefined");
        assert!(fault.to_string().contains("prototype"), "{fault}");
    }
    assert_eq!(name("trap;"), "trap");
    assert_eq!(
        name("mov.u64 %rd2, -1; mapa.u64 %rd2, %rd2, 1;"),
        "undefined"
    );
}

#[test]
fn registers_run_out() {
    let group = |n: u32| format!("setmaxnreg.inc.sync.aligned.u32 {n};");
    let module = kernel(&group(240));
    run_with(&module, options(), 256).expect("runs");
    // Three warpgroups of 168 registers: nobody gives any back.
    let FaultKind::Stuck(waiting) = run_with(&module, options(), 384).expect_err("stuck").kind
    else {
        panic!("not stuck");
    };
    assert!(
        waiting.iter().all(|w| w.what == "240 registers a thread"),
        "{waiting:?}"
    );
    let fair = kernel(
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 128;\n@%p1 bra A;\nsetmaxnreg.inc.sync.aligned.u32 232; bra B;\n\
         A: setmaxnreg.dec.sync.aligned.u32 40;\nB:",
    );
    run_with(&fair, options(), 384).expect("runs");
    assert_eq!(name("setmaxnreg.inc.sync.aligned.u32 20;"), "unsupported");
}

/// Memory that nobody has written is filled too: so much of it that this would be the work is refused.
#[test]
fn memory_to_begin_with() {
    let large = ".local .b8 x[500000]; mov.u64 %rd2, x; st.local.u8 [%rd2], %h1;";
    let call = "L: call f; bra L;";
    let before = ".func f { .local .b8 x[500000]; .reg .b64 %rd<2>; mov.u64 %rd1, x; ret; }";
    for (module, grid) in [(kernel(large), 1 << 20), (with(before, call), 1)] {
        let mut d = run::Bench::with(&module, options());
        let p = d.give(&[0; 256]);
        let fault = d.run("k", [grid, 1, 1], [64, 1, 1], &[&p]);
        let fault = fault.expect_err("a fault");
        assert_eq!(fault.kind.name(), "limit");
        let text = fault.to_string();
        assert!(
            text.contains("8 for each of the 100000 instructions"),
            "{text}"
        );
    }
}

/// Threads take memory even if they have no registers, and callers take some.
#[test]
fn many_threads_and_calls() {
    let small = Options {
        step_limit: 10_000_000,
        memory_limit: 16 << 20,
        ..Options::default()
    };
    let deep = with(".func f;\n.func f { call f; ret; }", "call f;");
    let wide = kernel("L: bra L;");
    for (module, grid) in [(&deep, 1), (&wide, 1 << 10)] {
        let mut d = run::Bench::with(module, small.clone());
        let p = d.give(&[0; 256]);
        let fault = d.run("k", [grid, 1, 1], [1024, 1, 1], &[&p]);
        let text = fault.expect_err("a fault").to_string();
        assert!(text.contains("need more than 16777216 bytes"), "{text}");
    }
}

/// Printing without end runs into a limit before the output fills the memory.
#[test]
fn printing_without_end() {
    let before = ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n\
                  .global .align 8 .b8 s[8] = {37, 52, 48, 57, 54, 117, 0, 0};";
    let body = "L: {\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 r;\nmov.u64 %rd2, s;\n\
                cvta.global.u64 %rd2, %rd2;\nst.param.b64 [p0], %rd2;\nst.param.b64 [p1], %rd2;\n\
                call.uni (r), vprintf, (p0, p1);\n}\nbra L;";
    let many = Options {
        step_limit: 1_000_000_000,
        ..Options::default()
    };
    let fault = run_with(&with(before, body), many, 1).expect_err("a fault");
    let text = fault.to_string();
    assert!(text.contains("more than 67108864 bytes"), "{text}");
}
