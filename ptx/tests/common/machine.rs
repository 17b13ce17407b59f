//! Running small PTX texts on the machine.

#![allow(dead_code, reason = "not every test uses all of it")]

use ptx::machine::{Device, Fault, Launch, Options, Silent};
use ptx::module::{Module, resolve};
use ptx::text::parse;

/// The head of a module.
pub const HEAD: &str = ".version 8.6\n.target sm_90a\n.address_size 64\n";

/// A resolved module.
pub fn module(text: &str) -> Module {
    let ast = parse(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    resolve(&ast).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// A kernel `k` of the given body, whose parameters `p0`, `p1`, … are pointers that are loaded to `%p0`, `%p1`, … as
/// `%rd0`, `%rd1`, …; registers `%rd0`–`%rd19`, `%r0`–`%r19`, `%p0`–`%p9`, `%f0`–`%f9` are there, and thread index in `%r0`.
pub fn kernel(params: usize, shared: &str, body: &str) -> String {
    let formals: Vec<String> = (0..params).map(|i| format!(".param .u64 p{i}")).collect();
    let loads: String = (0..params)
        .map(|i| format!("ld.param.u64 %rd{i}, [p{i}];\n"))
        .collect();
    format!(
        "{HEAD}.visible .entry k({}) {{\n.reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<20>; .reg .b64 %rd<20>; \
         .reg .f32 %f<10>;\n{shared}\n{loads}mov.u32 %r0, %tid.x;\n{body}\nret;\n}}\n",
        formals.join(", ")
    )
}

/// A launch of `k`.
#[derive(Clone)]
pub struct Run {
    pub text: String,
    pub grid: u32,
    pub block: u32,
    pub cluster: u32,
    /// For each pointer parameter what is in the buffer before.
    pub buffers: Vec<Vec<u8>>,
}

impl Run {
    /// One CTA.
    pub fn new(text: String, block: u32, buffers: Vec<Vec<u8>>) -> Run {
        Run {
            text,
            grid: 1,
            block,
            cluster: 1,
            buffers,
        }
    }

    /// The buffers after a launch with a seed.
    pub fn seed(&self, seed: u64) -> Result<Vec<Vec<u8>>, Box<Fault>> {
        self.with(seed, |_, given| given.to_vec())
    }

    /// As [`Run::seed`], with parameters made from the addresses of the buffers.
    pub fn with(
        &self,
        seed: u64,
        params: impl Fn(&[u64], &[Vec<u8>]) -> Vec<Vec<u8>>,
    ) -> Result<Vec<Vec<u8>>, Box<Fault>> {
        let module = module(&self.text);
        let options = Options {
            seed,
            step_limit: 20_000_000,
            ..Options::default()
        };
        let mut device = Device::new(&module, options).expect("a device");
        let mut addresses = Vec::new();
        for (i, content) in self.buffers.iter().enumerate() {
            let address = device
                .allocate(&format!("b{i}"), content.len() as u64, 256)
                .expect("memory");
            device.write(address, content).expect("in bounds");
            addresses.push(address);
        }
        let pointers: Vec<Vec<u8>> = addresses.iter().map(|a| a.to_le_bytes().to_vec()).collect();
        let launch = Launch {
            entry: "k".to_owned(),
            grid: [self.grid, 1, 1],
            block: [self.block, 1, 1],
            cluster: [self.cluster, 1, 1],
            dynamic_shared: 0,
            params: params(&addresses, &pointers),
            programmatic: false,
        };
        device.launch(&launch, &mut Silent)?;
        let read = addresses.iter().zip(&self.buffers);
        Ok(read
            .map(|(a, b)| device.read(*a, b.len() as u64).expect("in bounds").to_vec())
            .collect())
    }

    /// The buffers, which must be the same for many seeds.
    pub fn always(&self) -> Vec<Vec<u8>> {
        let first = self.seed(0).unwrap_or_else(|e| panic!("{e}"));
        for seed in 1..20 {
            let again = self
                .seed(seed)
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert!(again == first, "seed {seed} gives something else");
        }
        first
    }

    /// Whether some seed gives other buffers than these, or a fault.
    pub fn breaks(&self, right: &[Vec<u8>]) -> bool {
        (0..60).any(|seed| self.seed(seed).map_or(true, |b| b != right))
    }

    /// The fault that every seed gives: its name and text.
    pub fn faults(&self) -> (&'static str, String) {
        let mut found = None;
        for seed in 0..6 {
            let fault = self.seed(seed).expect_err("a fault");
            found = Some((fault.kind.name(), fault.kind.to_string()));
        }
        found.expect("seeds")
    }
}

/// Words as bytes.
pub fn u32s(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Bytes as words.
pub fn to_u32s(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect()
}
