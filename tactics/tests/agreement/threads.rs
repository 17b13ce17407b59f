//! A thread of the logic and a thread of the machine do the same with the same kernel: several results, the carry, registers of
//! other widths, scopes, calls. The kernel stores words, which are compared for random parameters.

use std::path::Path;

use logic::{Checker, Declaration, Environment, Expr, Hint, Level, Node, Signature, Store};
use num_traits::ToPrimitive;
use ptx::machine::{Device, Launch, Options, Silent};
use ptx::module::{Resolved, resolve};
use ptx::program::data::{Dst, Instr, Kernel, Operand};
use ptx::program::{kernel_meanings, kernel_term, translate};
use ptx::text::parse;
use tactics::driver::{Diagnosed, Session};

const TEXT: &str = include_str!("threads.ptx");
/// How many words the kernel stores.
const WORDS: usize = 13;

/// The parameters of a run.
type Inputs = (u32, u32, u64);

/// The words that the machine's thread stores.
fn on_the_machine((x, y, z): Inputs) -> Vec<u64> {
    let module = resolve(&parse(TEXT).expect("parses")).expect("resolves");
    let mut device = Device::new(&module, Options::default()).expect("a device");
    let size = 8 * WORDS as u64;
    let out = device.allocate("out", size, 256).expect("memory");
    device
        .write(out, &vec![0; size as usize])
        .expect("in bounds");
    let launch = Launch {
        entry: "k".to_owned(),
        grid: [1; 3],
        block: [1; 3],
        cluster: [1; 3],
        dynamic_shared: 0,
        params: vec![
            out.to_le_bytes().to_vec(),
            x.to_le_bytes().to_vec(),
            y.to_le_bytes().to_vec(),
            z.to_le_bytes().to_vec(),
        ],
        programmatic: false,
    };
    device
        .launch(&launch, &mut Silent)
        .unwrap_or_else(|e| panic!("{e}"));
    let bytes = device.read(out, size).expect("in bounds");
    let word = |c: &[u8]| u64::from_le_bytes(c.try_into().expect("8 bytes"));
    bytes.chunks_exact(8).map(word).collect()
}

/// The logic with the definitions of `threads.ptxp` and the meanings of a kernel.
struct Side<'b> {
    store: &'b Store<'b>,
    env: Environment<'b>,
}

impl<'b> Side<'b> {
    fn new(store: &'b Store<'b>, kernel: &Kernel) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/threads.ptxp");
        let mut session = Session::new(store);
        session.check_file(&script).expect("the script is there");
        assert!(session.reports().iter().all(|r| !r.has_errors()));
        let mut env = session.environment().clone();
        for d in kernel_meanings(store, kernel) {
            let sig = Signature {
                name: d.name,
                univ_params: Vec::new(),
                ty: d.ty,
            };
            let (value, hint) = (d.value, Hint::Regular(1));
            if let Err(e) = env.add(Declaration::Definition { sig, value, hint }) {
                panic!("{}", e.display(store));
            }
        }
        Side { store, env }
    }

    /// The words that the thread of the logic stores.
    fn run(&self, kernel: &Kernel, (x, y, z): Inputs) -> Vec<u64> {
        let st = self.store;
        let arg = |width: u64, value: u64| {
            let word = [st.nat_u64(width), st.nat_u64(value)];
            let value = st.apps(st.const0("Word.ofNat"), &word);
            st.apps(st.const0("Ptx.Arg.mk"), &[st.nat_u64(width), value])
        };
        let args = [
            arg(64, 4096),
            arg(32, x.into()),
            arg(32, y.into()),
            arg(64, z),
        ];
        let ty = st.const0("Ptx.Arg");
        let list = |name: &str| st.constant(st.name(name), &[Level::ZERO]);
        let nil = st.app(list("List.nil"), ty);
        let args = args
            .iter()
            .rev()
            .fold(nil, |tail, a| st.apps(list("List.cons"), &[ty, *a, tail]));
        let run = st.apps(st.const0("Threads.run"), &[kernel_term(st, kernel), args]);
        let mut checker = Checker::new(&self.env, &[]);
        let mut whnf = |e: Expr| {
            checker
                .whnf(e)
                .unwrap_or_else(|e| panic!("{}", e.display(st)))
        };
        let (mut all, mut rest) = (Vec::new(), whnf(run));
        loop {
            match st.unfold_app(rest).1[..] {
                [_, head, tail] => {
                    match st.node(whnf(head)) {
                        Node::Nat(n) => all.push(n.to_u64().unwrap_or(u64::MAX)),
                        other => panic!("{other:?}"),
                    }
                    rest = whnf(tail);
                }
                _ => return all,
            }
        }
    }
}

fn kernel() -> Kernel {
    let module = parse(TEXT).expect("parses");
    let entry = module.entries().next().expect("an entry");
    match translate(&Resolved::new(&module), entry) {
        Ok(t) => t.kernel,
        Err(e) => panic!("{e}: {}", &TEXT[e.span.range()]),
    }
}

/// Parameters, edges first.
fn inputs() -> Vec<Inputs> {
    let edges = [0, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x8080_FF7F];
    let mut all = Vec::new();
    for x in edges {
        for y in edges {
            all.push((x, y, u64::from(x) << 32 | u64::from(!y)));
        }
    }
    let mut state = 9u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 16
    };
    all.extend((0..16).map(|_| (next() as u32, next() as u32, next() << 32 ^ next())));
    all
}

#[test]
fn threads_agree() {
    let bump = bumpalo::Bump::new();
    let store = Store::new(&bump);
    let kernel = kernel();
    let side = Side::new(&store, &kernel);
    for given in inputs() {
        let (there, here) = (on_the_machine(given), side.run(&kernel, given));
        assert_eq!(here, there, "{given:x?}");
    }
}

/// A kernel with one thing changed does something else for some parameters.
#[test]
fn changed_threads_disagree() {
    let bump = bumpalo::Bump::new();
    let store = Store::new(&bump);
    let kernel = kernel();
    let side = Side::new(&store, &kernel);
    let mut changes: Vec<(String, Kernel)> = Vec::new();
    for (at, line) in kernel.body.iter().enumerate() {
        let mut change = |what: &str, i: Instr| {
            let mut k = kernel.clone();
            k.body[at].instr = i;
            changes.push((format!("line {at}: {what}"), k));
        };
        match line.instr.clone() {
            Instr::Alus {
                dsts,
                name,
                ins,
                out,
                srcs,
            } => {
                let with = |dsts| Instr::Alus {
                    name: name.clone(),
                    ins: ins.clone(),
                    out,
                    dsts,
                    srcs: srcs.clone(),
                };
                if let [a @ Dst::Reg(v, _), b @ Dst::Reg(w, _)] = dsts[..]
                    && v == w
                {
                    change("results exchanged", with(vec![b, a]));
                }
                if let [Dst::Wide(w, v, n, signed)] = dsts[..] {
                    change("another extension", with(vec![Dst::Wide(w, v, n, !signed)]));
                }
                if let Some(at) = srcs.iter().position(|s| matches!(s, Operand::Compl(_))) {
                    let mut srcs = srcs.clone();
                    if let Operand::Compl(n) = srcs[at] {
                        srcs[at] = Operand::Reg(n);
                    }
                    let i = Instr::Alus {
                        dsts,
                        name,
                        ins,
                        out,
                        srcs,
                    };
                    change("no complement", i);
                }
            }
            Instr::Call { f, mut args, outs } => {
                args.swap(0, 1);
                change("arguments exchanged", Instr::Call { f, args, outs });
            }
            Instr::GetParam {
                ty, rw, dst, slot, ..
            } => {
                change(
                    "another byte",
                    Instr::GetParam {
                        ty,
                        rw,
                        dst,
                        slot,
                        off: 1,
                    },
                );
            }
            _ => {}
        }
    }
    for f in 0..kernel.funcs.len() {
        for at in 0..kernel.funcs[f].body.len() {
            if let Instr::PutParam { off, .. } = &kernel.funcs[f].body[at].instr
                && *off > 0
            {
                let mut k = kernel.clone();
                if let Instr::PutParam { off, .. } = &mut k.funcs[f].body[at].instr {
                    *off = 0;
                }
                changes.push((format!("line {at} of function {f}: another place"), k));
            }
        }
    }
    assert!(changes.len() >= 12, "{}", changes.len());
    let right: Vec<(Inputs, Vec<u64>)> = (inputs().into_iter().rev())
        .map(|given| (given, on_the_machine(given)))
        .collect();
    for (what, k) in changes {
        let seen = |(given, words): &(Inputs, Vec<u64>)| side.run(&k, *given) != *words;
        assert!(right.iter().any(seen), "{what}: nothing is seen");
    }
}
