//! A launch file that has been checked against a module: everything that can be wrong with it is found here, before
//! anything runs.

mod buffers;
mod maps;

use std::path::{Path, PathBuf};

use ptx::layout::tensormap::TensorMap;
use ptx::module::Module;

use crate::args::{self, Names, Packed};
use crate::compare::Part;
use crate::dtype::DType;
use crate::error::LaunchError;
use crate::file::{File, Launch};

/// How many instructions a launch may do if the file does not say.
pub const LIMIT: u64 = 2_000_000_000;

/// The most launches of a file.
const MOST_LAUNCHES: usize = 65_536;

/// A launch file, checked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many instructions each launch may do.
    pub limit: u64,
    /// The buffers, in the order of the file.
    pub buffers: Vec<BufferPlan>,
    /// The tensor maps: of which buffer, from which offset on, and how; the address is put in later.
    pub maps: Vec<(usize, u64, TensorMap)>,
    /// The launches, in order.
    pub launches: Vec<LaunchPlan>,
}

/// A buffer.
#[derive(Clone, Debug)]
pub struct BufferPlan {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub dtype: DType,
    /// Its shape.
    pub shape: Vec<u64>,
    /// What it holds at first.
    pub source: Source,
    /// The variable of the module that it is.
    pub symbol: Option<String>,
    /// What it holds in the end; `None` for anything. What no part has is unchanged.
    pub parts: Option<Vec<Part>>,
}

impl BufferPlan {
    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.shape.iter().product::<u64>() as usize * self.dtype.bytes()
    }
}

/// What a buffer holds at first.
#[derive(Clone, Debug)]
pub enum Source {
    /// What the seed of the run makes of it.
    Unwritten,
    /// These bytes.
    Bytes(Vec<u8>),
    /// The addresses of buffers, and offsets.
    Addresses(Vec<(usize, i64)>),
}

/// A launch.
#[derive(Clone, Debug)]
pub struct LaunchPlan {
    /// The entry.
    pub entry: String,
    /// CTAs.
    pub grid: [u32; 3],
    /// Threads of a CTA.
    pub block: [u32; 3],
    /// CTAs of a cluster.
    pub cluster: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Parameters.
    pub args: Vec<Packed>,
    /// Whether it may begin before the launch before it has ended.
    pub programmatic: bool,
}

/// Where the PTX file is that a launch file names.
pub fn ptx_of(file: &File, folder: &Path) -> Option<PathBuf> {
    file.ptx.as_ref().map(|p| folder.join(p.get_ref()))
}

/// Checks a launch file against a module. `folder` is where its paths start.
///
/// Errors: whatever is wrong with it first.
pub fn plan(file: &File, module: &Module, folder: &Path) -> Result<Plan, LaunchError> {
    let (buffers, map_names, maps) = buffers::plan(file, module, folder)?;
    let buffer_names: Vec<String> = buffers.iter().map(|b| b.name.clone()).collect();
    let names = Names {
        buffers: &buffer_names,
        maps: &map_names,
        module,
    };
    let mut launches = Vec::new();
    if file.launches.is_empty() {
        return Err(LaunchError::new("nothing is launched")
            .help("a launch is a table [[launch]] with `entry`, `grid`, `block` and `args`"));
    }
    for l in &file.launches {
        let one = launch(l.get_ref(), names, l.span())?;
        let repeat = l.get_ref().repeat as usize;
        if repeat == 0 {
            return Err(LaunchError::new("`repeat` is at least 1").at(l.span()));
        }
        if repeat > MOST_LAUNCHES.saturating_sub(launches.len()) {
            let text = format!("more than {MOST_LAUNCHES} launches");
            return Err(LaunchError::new(text).at(l.span()));
        }
        for _ in 0..l.get_ref().repeat {
            launches.push(one.clone());
        }
    }
    Ok(Plan {
        limit: file.limit.unwrap_or(LIMIT),
        buffers,
        maps,
        launches,
    })
}

/// The greatest number of CTAs or threads in the dimensions, by the CUDA C++ Programming Guide, "Compute Capabilities".
const GRID: [u32; 3] = [2_147_483_647, 65_535, 65_535];
const BLOCK: [u32; 3] = [1024, 1024, 64];
const THREADS: u64 = 1024;
const SHARED: u32 = 227 * 1024;

fn launch(
    l: &Launch,
    names: Names<'_>,
    span: std::ops::Range<usize>,
) -> Result<LaunchPlan, LaunchError> {
    let module = names.module;
    let wanted = l.entry.get_ref();
    let entries = || module.functions.iter().filter(|f| f.is_entry && f.has_body);
    let function = entries().find(|f| f.name == *wanted).ok_or_else(|| {
        let all: Vec<String> = entries().map(|f| f.name.clone()).collect();
        let e = LaunchError::new(format!("there is no entry `{wanted}`")).at(l.entry.span());
        let e = e.unknown(wanted, all.iter().cloned());
        match all.is_empty() {
            true => e.help("the PTX file has no entries"),
            false => e.help(format!("the entries are {}", all.join(", "))),
        }
    })?;
    let wrong = |text: String| Err(LaunchError::new(text).at(span.clone()));
    for (what, sizes, most) in [("grid", l.grid.0, GRID), ("block", l.block.0, BLOCK)] {
        for ((size, most), axis) in sizes.into_iter().zip(most).zip(["x", "y", "z"]) {
            if size > most {
                return wrong(format!("the {what} has {size} in {axis}, more than {most}"));
            }
        }
    }
    let threads: u64 = l.block.0.iter().map(|&n| u64::from(n)).product();
    if threads > THREADS {
        return wrong(format!("a block of {threads} threads, more than {THREADS}"));
    }
    if l.shared > SHARED {
        return wrong(format!(
            "{} bytes of dynamic shared memory, more than {SHARED}",
            l.shared
        ));
    }
    let shown = |s: [u32; 3]| format!("{}×{}×{}", s[0], s[1], s[2]);
    if let Some(required) = function.required_block
        && required != l.block.0
    {
        let (r, b) = (shown(required), shown(l.block.0));
        return wrong(format!(
            "`{wanted}` asks for a block of {r} threads (.reqntid), not {b}"
        ));
    }
    if let Some(most) = function.max_block {
        let all: u64 = most.iter().map(|&n| u64::from(n)).product();
        if threads > all {
            return wrong(format!(
                "`{wanted}` is for at most {all} threads in a block (.maxntid), not {threads}"
            ));
        }
    }
    let cluster = l.cluster.map(|c| c.0);
    if let Some(c) = cluster.or(function.required_cluster)
        && (0..3).any(|i| !l.grid.0[i].is_multiple_of(c[i].max(1)))
    {
        let (g, c) = (shown(l.grid.0), shown(c));
        return wrong(format!(
            "a grid of {g} CTAs cannot be divided into clusters of {c}"
        ));
    }
    if let (Some(required), Some(c)) = (function.required_cluster, cluster)
        && required != c
    {
        let (r, c) = (shown(required), shown(c));
        return wrong(format!(
            "`{wanted}` asks for clusters of {r} CTAs (.reqnctapercluster), not {c}"
        ));
    }
    Ok(LaunchPlan {
        entry: wanted.clone(),
        grid: l.grid.0,
        block: l.block.0,
        cluster: cluster.or(function.required_cluster).unwrap_or([1; 3]),
        shared: l.shared,
        args: args::pack(&l.args, function, names, span.clone())?,
        programmatic: l.programmatic,
    })
}
