//! A device: memory and a module, from launch to launch.

use rustc_hash::FxHashMap;

use super::code::Program;
use super::code::layout::{MAX_SHARED, Places, align_up};
use super::fault::{Fault, FaultKind};
use super::machine::{Machine, Slot};
use super::memory::Global;
use super::observe::{Observer, Stats};
use super::outline::Outline;
use super::rng::{self, Rng};
use super::sched;
use super::thread::volume;
use crate::alg::bits::BitsAlg;
use crate::module::{FuncId, Module, Space, VarId};

/// A grid has at most this many CTAs.
pub const MAX_CTAS: u64 = 1 << 20;
/// A kernel has at most this many bytes of parameters (ISA §5.1.6.1 allows 32,764).
pub const MAX_PARAMS: u64 = 32764;
/// Constant memory has at most this many bytes.
pub const MAX_CONST: u64 = 1 << 26;

/// Bytes of the memory by which a cooperative grid synchronises.
const WORKSPACE: u64 = 256;

/// What a device is told once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Decides everything that is left open.
    pub seed: u64,
    /// A launch may have this many instructions.
    pub step_limit: u64,
    /// From so many bytes on, further CTAs begin seldom.
    pub crowded: u64,
    /// The CTAs that are there may have this many bytes: registers, local and shared memory.
    pub memory_limit: u64,
    /// Whether an aligned barrier asks only the threads of a warp to execute the same instruction, and not all of the CTA
    /// (the named assumption `aligned-per-warp`).
    pub aligned_per_warp: bool,
    /// The number of launches so far; the device counts.
    pub launches: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 0,
            step_limit: 4_000_000_000,
            crowded: 64 << 20,
            memory_limit: 1 << 30,
            aligned_per_warp: false,
            launches: 0,
        }
    }
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The kernel's name.
    pub entry: String,
    /// CTAs.
    pub grid: [u32; 3],
    /// Threads of a CTA.
    pub block: [u32; 3],
    /// CTAs of a cluster; `[1, 1, 1]` without clusters.
    pub cluster: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// For each parameter its bytes.
    pub params: Vec<Vec<u8>>,
    /// Whether it may begin before the launch before it has ended, up to `griddepcontrol.wait`. Launches run one after the
    /// other here, so it makes no difference.
    pub programmatic: bool,
}

/// Memory and a module.
pub struct Device<'m> {
    module: &'m Module,
    options: Options,
    places: Places,
    global: Global,
    constant: Vec<u8>,
    workspace: u64,
    programs: FxHashMap<FuncId, Program<'m>>,
}

impl<'m> Device<'m> {
    /// A device with the variables of a module in its memory.
    pub fn new(module: &'m Module, options: Options) -> Result<Device<'m>, FaultKind> {
        let mut places = Places::default();
        let mut global = Global::default();
        let mut constant = 0u64;
        for (i, x) in module.variables.iter().enumerate() {
            let v = VarId(i as u32);
            match x.space {
                _ if x.external => {}
                Space::Global => {
                    let base = global.allocate(&x.name, x.bytes, x.align, options.seed)?;
                    places.global.insert(v, base);
                }
                Space::Const => {
                    constant = align_up(constant, x.align);
                    places.constant.insert(v, constant);
                    constant = constant.saturating_add(x.bytes);
                    if constant > MAX_CONST {
                        return Err(FaultKind::Limit(format!(
                            "constant memory of more than {MAX_CONST} bytes"
                        )));
                    }
                }
                _ => {}
            }
        }
        let workspace = global.allocate("grid workspace", WORKSPACE, 256, options.seed)?;
        let mut device = Device {
            module,
            options,
            places,
            global,
            constant: vec![0; constant as usize],
            workspace,
            programs: FxHashMap::default(),
        };
        device.initialise();
        Ok(device)
    }

    /// Writes initial values: the bytes that a variable does not give are zero (ISA §5.4.4).
    fn initialise(&mut self) {
        for (i, x) in self.module.variables.iter().enumerate() {
            let v = VarId(i as u32);
            let content = || self.places.initial(&x.init, &x.relocations, x.bytes);
            if let Some(base) = self.places.global.get(&v) {
                let content = content();
                if let Some(to) = self.global.bytes_mut(*base, x.bytes) {
                    to.copy_from_slice(&content);
                }
            } else if let Some(at) = self.places.constant.get(&v) {
                let content = content();
                let at = *at as usize;
                if let Some(to) = self.constant.get_mut(at..at + content.len()) {
                    to.copy_from_slice(&content);
                }
            }
        }
    }

    /// The module.
    pub fn module(&self) -> &'m Module {
        self.module
    }

    /// New global memory, full of garbage; its address.
    pub fn allocate(&mut self, name: &str, bytes: u64, align: u64) -> Result<u64, FaultKind> {
        self.global.allocate(name, bytes, align, self.options.seed)
    }

    /// Bytes of global memory, or of constant memory by its generic addresses.
    pub fn read(&self, address: u64, bytes: u64) -> Result<&[u8], FaultKind> {
        let found = match super::memory::Space::of_generic(address) {
            (super::memory::Space::Const, at) => at
                .checked_add(bytes)
                .and_then(|end| self.constant.get(at as usize..end as usize)),
            _ => self.global.bytes(address, bytes),
        };
        found.ok_or_else(|| self.outside(address, bytes))
    }

    /// Writes global memory, or constant memory by its generic addresses.
    pub fn write(&mut self, address: u64, content: &[u8]) -> Result<(), FaultKind> {
        let bytes = content.len() as u64;
        let outside = self.outside(address, bytes);
        let found = match super::memory::Space::of_generic(address) {
            (super::memory::Space::Const, at) => at
                .checked_add(bytes)
                .and_then(|end| self.constant.get_mut(at as usize..end as usize)),
            _ => self.global.bytes_mut(address, bytes),
        };
        found.ok_or(outside)?.copy_from_slice(content);
        Ok(())
    }

    fn outside(&self, address: u64, bytes: u64) -> FaultKind {
        FaultKind::OutOfBounds {
            space: "global",
            address,
            bytes,
            near: self.global.near(address),
        }
    }

    /// The generic address of a variable of the module in `.global` or `.const`.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        let index = self
            .module
            .variables
            .iter()
            .position(|v| v.name == name && matches!(v.space, Space::Global | Space::Const))?;
        let v = VarId(index as u32);
        let constant = |at: &u64| at + super::memory::CONST_WINDOW;
        (self.places.global.get(&v).copied()).or_else(|| self.places.constant.get(&v).map(constant))
    }

    /// The memory that a kernel takes, and what of it is unsupported.
    ///
    /// Errors: it has more variables than the machine has room for.
    pub fn outline(&self, entry: FuncId) -> Result<Outline, FaultKind> {
        let program = Program::decode(self.module, entry, &self.places)?;
        Ok(Outline::of(&program))
    }

    /// A kernel by its name.
    ///
    /// Errors: there is none.
    pub fn entry(&self, name: &str) -> Result<FuncId, FaultKind> {
        let mut functions = self.module.functions.iter();
        let found = functions.position(|f| f.is_entry && f.has_body && f.name == name);
        found
            .map(|i| FuncId(i as u32))
            .ok_or_else(|| FaultKind::Launch(format!("the module has no kernel `{name}`")))
    }

    /// Runs a kernel to its end.
    pub fn launch(
        &mut self,
        launch: &Launch,
        observer: &mut dyn Observer,
    ) -> Result<Stats, Box<Fault>> {
        let refuse = |kind| {
            Box::new(Fault {
                kind,
                entry: launch.entry.clone(),
                thread: None,
                place: None,
            })
        };
        let (entry, params) = self.check(launch).map_err(refuse)?;
        if !self.programs.contains_key(&entry) {
            let program = Program::decode(self.module, entry, &self.places).map_err(refuse)?;
            self.programs.insert(entry, program);
        }
        let Some(program) = self.programs.get(&entry) else {
            return Err(refuse(FaultKind::Launch("the kernel is gone".to_owned())));
        };
        let shared = program.places.dynamic_shared + u64::from(launch.dynamic_shared);
        if shared > MAX_SHARED {
            return Err(refuse(FaultKind::Launch(format!(
                "{shared} bytes of shared memory; at most {MAX_SHARED}"
            ))));
        }
        self.options.launches += 1;
        if let Some(workspace) = self.global.bytes_mut(self.workspace, WORKSPACE) {
            workspace.fill(0);
        }
        let clusters = sched::clusters(launch.grid, launch.cluster);
        let counts = |code: &Option<_>| {
            code.as_ref()
                .map_or_else(Vec::new, |c: &super::code::Code| vec![(0, 0); c.ins.len()])
        };
        let mut machine = Machine {
            program,
            launch,
            options: &self.options,
            global: &mut self.global,
            constant: &self.constant,
            params,
            ctas: (0..volume(launch.grid)).map(|_| Slot::Waiting).collect(),
            waiting: (0..clusters.len() as u32).collect(),
            clusters,
            agents: Vec::new(),
            rng: Rng::new(rng::mix(
                self.options.seed ^ rng::mix(self.options.launches),
            )),
            alg: BitsAlg::default(),
            traced: observer.wants_steps(),
            observer,
            stats: Stats::default(),
            moved: [(0, 0); 6],
            counts: program.codes.iter().map(counts).collect(),
            steps: 0,
            workspace: self.workspace,
            runnable: Vec::new(),
            events: 0,
            quiet: 0,
            resident: 0,
            filled: 0,
            printed: 0,
            finished: 0,
            live_ctas: 0,
        };
        machine.run()?;
        Ok(machine.finish_stats())
    }

    /// Whether a launch fits its kernel; the kernel and its parameters' bytes.
    fn check(&self, launch: &Launch) -> Result<(FuncId, Vec<u8>), FaultKind> {
        let bad = |what: String| Err(FaultKind::Launch(what));
        let entry = self.entry(&launch.entry)?;
        let function = &self.module.functions[entry.index()];
        let (threads, ctas) = (volume(launch.block), volume(launch.grid));
        if threads == 0 || threads > 1024 {
            return bad(format!(
                "{threads} threads in a CTA: 1 to 1024 are possible"
            ));
        }
        if ctas == 0 || ctas > MAX_CTAS {
            return bad(format!("{ctas} CTAs: 1 to {MAX_CTAS} are possible here"));
        }
        let size = volume(launch.cluster);
        let divides = (0..3)
            .all(|i| launch.cluster[i] > 0 && launch.grid[i].is_multiple_of(launch.cluster[i]));
        if !divides || size > 16 {
            return bad(format!(
                "a grid of {:?} CTAs has no clusters of {:?} (at most 16 CTAs each)",
                launch.grid, launch.cluster
            ));
        }
        if let Some(required) = function.required_block
            && volume(required) != threads
        {
            return bad(format!("the kernel requires CTAs of {required:?} threads"));
        }
        if let Some(most) = function.max_block
            && volume(most) < threads
        {
            return bad(format!(
                "the kernel allows CTAs of at most {most:?} threads"
            ));
        }
        if let Some(required) = function.required_cluster
            && required != launch.cluster
        {
            return bad(format!("the kernel requires clusters of {required:?} CTAs"));
        }
        Ok((entry, self.parameters(function, launch)?))
    }

    /// The bytes of the kernel's parameters.
    fn parameters(
        &self,
        function: &crate::module::Function,
        launch: &Launch,
    ) -> Result<Vec<u8>, FaultKind> {
        if function.params.len() != launch.params.len() {
            return Err(FaultKind::Launch(format!(
                "the kernel has {} parameters, the launch gives {}",
                function.params.len(),
                launch.params.len()
            )));
        }
        let mut bytes = Vec::new();
        for (i, (formal, given)) in function.params.iter().zip(&launch.params).enumerate() {
            let crate::module::Formal::Param(v) = formal else {
                return Err(FaultKind::Launch(format!("parameter {i} is a register")));
            };
            let Some(x) = self.module.variables.get(v.index()) else {
                continue;
            };
            if x.bytes != given.len() as u64 {
                return Err(FaultKind::Launch(format!(
                    "parameter {i} (`{}`) has {} bytes, the launch gives {}",
                    x.name,
                    x.bytes,
                    given.len()
                )));
            }
            let at = align_up(bytes.len() as u64, x.align);
            if at.saturating_add(x.bytes) > MAX_PARAMS {
                return Err(FaultKind::Launch(format!(
                    "more than {MAX_PARAMS} bytes of parameters"
                )));
            }
            bytes.resize(at as usize, 0);
            bytes.extend_from_slice(given);
        }
        Ok(bytes)
    }
}
