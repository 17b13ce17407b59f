//! Runs a plan with a seed.

use ptx::machine::{Device, Fault, FaultKind, Launch, Observer, Options, Stats};
use ptx::module::Module;

use crate::args::{Later, Packed};
use crate::compare::{Comparison, compare};
use crate::fill;
use crate::plan::{BufferPlan, Plan, Source};

/// How far apart buffers begin, at least: as `cudaMalloc` promises.
const ALIGN: u64 = 256;

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What each launch did, as far as it went.
    pub launches: Vec<(String, Stats)>,
    /// What ended it.
    pub fault: Option<Fault>,
    /// What is to be said of each buffer with an expectation; nothing after a fault.
    pub comparisons: Vec<(String, Comparison)>,
    /// What each buffer holds in the end.
    pub contents: Vec<Vec<u8>>,
}

impl Outcome {
    /// Whether everything is as expected.
    pub fn is_right(&self) -> bool {
        self.fault.is_none() && self.comparisons.iter().all(|(_, c)| c.wrong == 0)
    }
}

/// Runs a plan. What it does depends on the plan, the module and the seed alone.
pub fn run(plan: &Plan, module: &Module, seed: u64, observer: &mut dyn Observer) -> Outcome {
    let mut out = Outcome::default();
    if let Err(fault) = go(plan, module, seed, observer, &mut out) {
        out.fault = Some(*fault);
    }
    out
}

/// A fault outside of a launch.
fn outside(kind: FaultKind) -> Box<Fault> {
    Box::new(Fault {
        kind,
        entry: String::new(),
        thread: None,
        place: None,
    })
}

fn early(text: String) -> Box<Fault> {
    outside(FaultKind::Launch(text))
}

fn go(
    plan: &Plan,
    module: &Module,
    seed: u64,
    observer: &mut dyn Observer,
    out: &mut Outcome,
) -> Result<(), Box<Fault>> {
    let options = Options {
        seed,
        step_limit: plan.limit,
        ..Options::default()
    };
    let mut device = Device::new(module, options).map_err(outside)?;
    let mut addresses = Vec::new();
    for b in &plan.buffers {
        addresses.push(match &b.symbol {
            Some(name) => symbol(&device, name)?,
            None => device
                .allocate(&b.name, b.bytes() as u64, ALIGN)
                .map_err(outside)?,
        });
    }
    let mut before = Vec::new();
    for (i, (b, &address)) in plan.buffers.iter().zip(&addresses).enumerate() {
        let bytes = first_bytes(b, seed, i, &addresses);
        device.write(address, &bytes).map_err(outside)?;
        before.push(bytes);
    }
    let done = launches(plan, &mut device, &addresses, observer, out);
    for (b, &address) in plan.buffers.iter().zip(&addresses) {
        let after = device.read(address, b.bytes() as u64).map_err(outside)?;
        out.contents.push(after.to_vec());
    }
    done?;
    for ((b, before), after) in plan.buffers.iter().zip(&before).zip(&out.contents) {
        if let Some(parts) = &b.parts {
            let c = compare(b.dtype, &b.shape, before, after, parts);
            out.comparisons.push((b.name.clone(), c));
        }
    }
    Ok(())
}

fn launches(
    plan: &Plan,
    device: &mut Device<'_>,
    addresses: &[u64],
    observer: &mut dyn Observer,
    out: &mut Outcome,
) -> Result<(), Box<Fault>> {
    for l in &plan.launches {
        let mut params = Vec::new();
        for p in &l.args {
            params.push(finish(p, plan, device, addresses)?);
        }
        let launch = Launch {
            entry: l.entry.clone(),
            grid: l.grid,
            block: l.block,
            cluster: l.cluster,
            dynamic_shared: l.shared,
            params,
            programmatic: l.programmatic,
        };
        let stats = device.launch(&launch, observer)?;
        out.launches.push((l.entry.clone(), stats));
    }
    Ok(())
}

fn symbol(device: &Device<'_>, name: &str) -> Result<u64, Box<Fault>> {
    let found = device.symbol(name);
    found.ok_or_else(|| early(format!("the variable `{name}` has no address")))
}

/// What a buffer holds at first.
fn first_bytes(b: &BufferPlan, seed: u64, number: usize, addresses: &[u64]) -> Vec<u8> {
    match &b.source {
        Source::Bytes(bytes) => bytes.clone(),
        Source::Unwritten => fill::unwritten(seed, number as u64, b.bytes()),
        Source::Addresses(list) => list
            .iter()
            .flat_map(|(i, offset)| addresses[*i].wrapping_add_signed(*offset).to_le_bytes())
            .collect(),
    }
}

/// The bytes of a parameter, with addresses.
fn finish(
    p: &Packed,
    plan: &Plan,
    device: &Device<'_>,
    addresses: &[u64],
) -> Result<Vec<u8>, Box<Fault>> {
    let mut bytes = p.bytes.clone();
    for (at, later) in &p.later {
        let put: Vec<u8> = match later {
            Later::Buffer(i, offset) => addresses[*i]
                .wrapping_add_signed(*offset)
                .to_le_bytes()
                .to_vec(),
            Later::Symbol(name, offset) => symbol(device, name)?
                .wrapping_add_signed(*offset)
                .to_le_bytes()
                .to_vec(),
            Later::Map(i) => {
                let (buffer, offset, map) = &plan.maps[*i];
                let mut map = map.clone();
                map.address = addresses[*buffer].wrapping_add(*offset);
                let object = map.encode();
                object.map_err(|e| early(e.to_string()))?.to_vec()
            }
        };
        bytes[*at..*at + put.len()].copy_from_slice(&put);
    }
    Ok(bytes)
}
