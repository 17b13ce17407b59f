//! Runs kernels of the corpus in tests.

#![allow(dead_code)] // every test takes what it needs

use ptx::machine::{Device, Fault, Launch, Options, Silent, Stats};
use ptx::module::{Module, resolve};

/// A resolved file of the corpus.
pub fn corpus(path: &str) -> Module {
    module(&text(path))
}

/// The text of a file of the corpus.
pub fn text(path: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    std::fs::read_to_string(root.join(path)).expect("the corpus is in the repository")
}

/// A resolved text.
pub fn module(text: &str) -> Module {
    let ast = ptx::text::parse(text).expect("parses");
    resolve(&ast).expect("resolves")
}

/// A device with short ways to say things.
pub struct Bench<'m> {
    /// The device.
    pub device: Device<'m>,
    buffers: u32,
}

impl<'m> Bench<'m> {
    pub fn new(module: &'m Module, seed: u64) -> Self {
        Bench::with(
            module,
            Options {
                seed,
                ..Options::default()
            },
        )
    }

    pub fn with(module: &'m Module, options: Options) -> Self {
        Bench {
            device: Device::new(module, options).expect("fits"),
            buffers: 0,
        }
    }

    /// A buffer with contents; its address as a parameter.
    pub fn give(&mut self, bytes: &[u8]) -> Vec<u8> {
        let at = self.room(bytes.len());
        self.device.write(address(&at), bytes).expect("fits");
        at
    }

    /// A buffer.
    pub fn room(&mut self, bytes: usize) -> Vec<u8> {
        self.buffers += 1;
        let name = format!("buffer {}", self.buffers);
        let at = self.device.allocate(&name, bytes as u64, 16).expect("fits");
        at.to_le_bytes().to_vec()
    }

    pub fn run(
        &mut self,
        entry: &str,
        grid: [u32; 3],
        block: [u32; 3],
        params: &[&[u8]],
    ) -> Result<Stats, Box<Fault>> {
        self.launch(entry, grid, block, 0, params)
    }

    pub fn launch(
        &mut self,
        entry: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: u32,
        params: &[&[u8]],
    ) -> Result<Stats, Box<Fault>> {
        let launch = Launch {
            entry: entry.to_owned(),
            grid,
            block,
            cluster: [1, 1, 1],
            dynamic_shared,
            params: params.iter().map(|p| p.to_vec()).collect(),
            programmatic: false,
        };
        self.device.launch(&launch, &mut Silent)
    }

    /// The first words of a buffer.
    pub fn words(&self, at: &[u8], n: usize) -> Vec<u32> {
        let bytes = self.device.read(address(at), 4 * n as u64).expect("there");
        let word = |b: &[u8]| u32::from_le_bytes(b.try_into().expect("four bytes"));
        bytes.chunks(4).map(word).collect()
    }

    /// The first floats of a buffer.
    pub fn floats(&self, at: &[u8], n: usize) -> Vec<f32> {
        self.words(at, n).into_iter().map(f32::from_bits).collect()
    }
}

/// The address in a parameter.
pub fn address(at: &[u8]) -> u64 {
    u64::from_le_bytes(at.try_into().expect("eight bytes"))
}

pub fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

pub fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Small integers: their products and sums are exact.
fn matrix(n: usize, salt: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7 + salt) % 13) as f32 - 6.0).collect()
}

/// A matrix product by a kernel with parameters A, B, C, M, N, K and a tile of the output for each CTA.
pub fn matmul(
    module: &Module,
    entry: &str,
    seed: u64,
    [m, n, k]: [usize; 3],
    [bx, by]: [u32; 2],
) -> Vec<f32> {
    let mut d = Bench::new(module, seed);
    let (a, b) = (
        d.give(&f32s(&matrix(m * k, 1))),
        d.give(&f32s(&matrix(k * n, 2))),
    );
    let c = d.room(4 * m * n);
    let sizes = [m, n, k].map(|x| (x as u32).to_le_bytes());
    let grid = [(n as u32).div_ceil(bx), (m as u32).div_ceil(by), 1];
    d.run(
        entry,
        grid,
        [bx, by, 1],
        &[&a, &b, &c, &sizes[0], &sizes[1], &sizes[2]],
    )
    .expect("runs");
    d.floats(&c, m * n)
}

/// The factors of [`matmul_reference`], as bytes.
pub fn matrices([m, n, k]: [usize; 3]) -> (Vec<u8>, Vec<u8>) {
    (f32s(&matrix(m * k, 1)), f32s(&matrix(k * n, 2)))
}

pub fn matmul_reference([m, n, k]: [usize; 3]) -> Vec<f32> {
    let (a, b) = (matrix(m * k, 1), matrix(k * n, 2));
    let mut c = vec![0.0; m * n];
    for i in 0..m {
        for j in 0..n {
            c[i * n + j] = (0..k).map(|x| a[i * k + x] * b[x * n + j]).sum();
        }
    }
    c
}
