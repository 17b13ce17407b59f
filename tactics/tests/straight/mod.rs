//! Straight-line code that loads, computes and stores, and the script that runs `symexec` through it.

use std::fmt::Write;
use std::path::Path;

/// Registers of each kind.
const REGISTERS: usize = 120;

/// An entry of `n` lines that load, compute and store.
pub fn program(n: usize) -> String {
    let mut text = String::from(
        ".version 9.5\n.target sm_90a\n.address_size 64\n\n.visible .entry straight(\n\t.param .u64 straight_param_0\n)\n{\n",
    );
    for kind in [".f32 \t%f", ".b32 \t%r", ".b64 \t%rd"] {
        writeln!(text, "\t.reg {kind}<{REGISTERS}>;").unwrap();
    }
    let mut lines: Vec<String> = [
        "ld.param.u64 \t%rd1, [straight_param_0];",
        "cvta.to.global.u64 \t%rd2, %rd1;",
        "mov.u32 \t%r2, %tid.x;",
        "mul.wide.u32 \t%rd3, %r2, 4;",
        "add.s64 \t%rd4, %rd2, %rd3;",
        "ld.global.f32 \t%f1, [%rd4];",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut offset = 4;
    // numbers that jump about, the same in each run
    let mut seed = 1usize;
    let mut some = |below: usize| {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        5 + (seed >> 8) % below.clamp(1, REGISTERS - 6)
    };
    while lines.len() < n - 1 {
        let k = lines.len();
        let (d, a, b) = (5 + k % (REGISTERS - 6), some(k), some(k));
        lines.push(match k % 10 {
            0 => format!("add.s64 \t%rd{d}, %rd4, {offset};"),
            1 | 5 => {
                offset += 4;
                match k % 10 {
                    1 => format!("ld.global.f32 \t%f{d}, [%rd4+{}];", offset - 4),
                    _ => format!("st.global.f32 \t[%rd4+{}], %f{a};", offset - 4),
                }
            }
            _ => match k % 3 {
                0 => format!("add.rn.f32 \t%f{d}, %f{a}, %f{b};"),
                1 => format!("fma.rn.f32 \t%f{d}, %f{a}, %f{b}, %f1;"),
                _ => format!("add.s32 \t%r{d}, %r{a}, %r{b};"),
            },
        });
    }
    lines.push("ret;".to_owned());
    for l in lines {
        writeln!(text, "\t{l}").unwrap();
    }
    text + "}\n"
}

/// The script that finds the trace of `straight{n}.ptx`; `rules` is the path of `ptx/rules.ptxp`.
pub fn script(n: usize, rules: &Path) -> String {
    format!(
        r#"import "{}"

ptx_module s from "straight{n}.ptx"

open Ptx

def launch (g b A : Nat) (valid : Nat → Prop) (uninit : Agent → Regs) (fill : Loc → Byte) : Launch :=
  Launch.mk s.straight [Arg.mk 64 (Word.ofNat 64 A)] (Dim3.mk g 1 1) (Dim3.mk b 1 1) valid uninit fill

def trace (F : FloatOps) (g b A : Nat) (valid : Nat → Prop) (uninit : Agent → Regs) (fill : Loc → Byte) (m : Mem)
    (cta tid : Dim3) (ρ : Regs) (a : A % 4 = 0) (fits : A + 65536 ≤ 18446744073709551616) (t : tid.x < 1024) :
    Trace ((launch g b A valid uninit fill).sys Assumptions.strict F m) (TState.mk cta tid 0 ρ) := by
  symexec
"#,
        rules.display()
    )
}
