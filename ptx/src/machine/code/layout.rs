//! Where variables are: addresses of those of the module, offsets of those of a CTA, a frame or a launch.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::fault::FaultKind;
use super::super::memory::{CODE_WINDOW, CONST_WINDOW, SHARED_BASE};
use crate::module::uses::symbols;
use crate::module::{Formal, FuncId, Function, Module, Relocation, Space, Symbol, VarId};

/// Shared memory of a CTA has at most this many bytes, dynamic ones included.
pub const MAX_SHARED: u64 = 1 << 20;

/// Where the variables of a module are, for launches of one of its kernels.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Addresses of global variables.
    pub global: FxHashMap<VarId, u64>,
    /// Offsets of constant variables.
    pub constant: FxHashMap<VarId, u64>,
    /// Offsets of shared variables in the CTA's shared memory.
    pub shared: FxHashMap<VarId, u64>,
    /// Bytes of shared memory without the dynamic part.
    pub static_shared: u64,
    /// Where the dynamic part begins.
    pub dynamic_shared: u64,
    /// Offsets of the kernel's parameters, in the order of the parameters.
    pub kernel_params: Vec<(VarId, u64, u64)>,
    /// Offsets of local and parameter variables in the frames of their functions.
    pub frame: FxHashMap<VarId, u64>,
}

/// The smallest multiple of `align` from `at` on, or the largest number if there is none.
pub fn align_up(at: u64, align: u64) -> u64 {
    at.checked_next_multiple_of(align.max(1))
        .unwrap_or(u64::MAX)
}

impl Places {
    /// Lays out what a kernel has of its own: shared variables, parameters, frames.
    pub fn for_entry(
        &self,
        module: &Module,
        entry: FuncId,
        functions: &BTreeSet<FuncId>,
    ) -> Result<Places, FaultKind> {
        let mut places = self.clone();
        let mut used = BTreeSet::new();
        for id in functions {
            let code = module.functions.get(id.index()).map(|f| &f.code[..]);
            for instr in code.unwrap_or_default() {
                symbols(instr, &mut |s| {
                    if let Symbol::Variable(v) = s {
                        used.insert(v);
                    }
                });
            }
        }
        places.lay_out_shared(module, &used)?;
        if let Some(kernel) = module.functions.get(entry.index()) {
            places.lay_out_params(module, kernel);
        }
        for id in functions {
            places.lay_out_frame(module, *id, *id == entry);
        }
        Ok(places)
    }

    fn lay_out_shared(&mut self, module: &Module, used: &BTreeSet<VarId>) -> Result<(), FaultKind> {
        let vars = || {
            used.iter()
                .filter_map(|v| Some((*v, module.variables.get(v.index())?)))
                .filter(|(_, x)| x.space == Space::Shared)
        };
        let mut at = SHARED_BASE;
        for (v, x) in vars().filter(|(_, x)| !x.dynamic) {
            at = align_up(at, x.align);
            self.shared.insert(v, at - SHARED_BASE);
            at = at.saturating_add(x.bytes);
            if at > MAX_SHARED {
                return Err(FaultKind::Limit(format!(
                    "the variables in .shared have more than {MAX_SHARED} bytes"
                )));
            }
        }
        self.static_shared = at - SHARED_BASE;
        let align = vars()
            .filter(|(_, x)| x.dynamic)
            .map(|(_, x)| x.align)
            .max();
        self.dynamic_shared = align_up(at, align.unwrap_or(1).min(MAX_SHARED)) - SHARED_BASE;
        for (v, _) in vars().filter(|(_, x)| x.dynamic) {
            self.shared.insert(v, self.dynamic_shared);
        }
        Ok(())
    }

    fn lay_out_params(&mut self, module: &Module, kernel: &Function) {
        let mut at = 0;
        for p in &kernel.params {
            let Formal::Param(v) = p else { continue };
            let Some(x) = module.variables.get(v.index()) else {
                continue;
            };
            at = align_up(at, x.align);
            self.kernel_params.push((*v, at, x.bytes));
            at = at.saturating_add(x.bytes);
        }
    }

    /// Offsets of the local and parameter variables that belong to a function.
    fn lay_out_frame(&mut self, module: &Module, func: FuncId, is_entry: bool) {
        let (mut local, mut param) = (0u64, 0u64);
        for (i, x) in module.variables.iter().enumerate() {
            let v = VarId(i as u32);
            let kernel_param = is_entry && self.kernel_params.iter().any(|p| p.0 == v);
            if x.owner != Some(func) || kernel_param {
                continue;
            }
            let at = match x.space {
                Space::Local => &mut local,
                Space::Param => &mut param,
                _ => continue,
            };
            *at = align_up(*at, x.align);
            self.frame.insert(v, *at);
            *at = at.saturating_add(x.bytes);
        }
    }

    /// Bytes of local and of parameter variables in a function's frame.
    pub fn frame_bytes(&self, module: &Module, func: FuncId) -> (u64, u64) {
        let (mut local, mut param) = (0, 0);
        for (v, at) in &self.frame {
            let Some(x) = module.variables.get(v.index()) else {
                continue;
            };
            if x.owner == Some(func) {
                let end = at.saturating_add(x.bytes);
                match x.space {
                    Space::Local => local = end.max(local),
                    _ => param = end.max(param),
                }
            }
        }
        (align_up(local, 64), align_up(param, 64))
    }

    /// The bytes of a variable's initial value, addresses included.
    pub fn initial(&self, init: &[u8], relocations: &[Relocation], bytes: u64) -> Vec<u8> {
        let mut content = init.to_vec();
        content.resize(bytes as usize, 0);
        for r in relocations {
            let address = match r.symbol {
                Symbol::Function(f) => function_address(f),
                Symbol::Variable(v) => match (self.global.get(&v), self.constant.get(&v)) {
                    (Some(a), _) => *a,
                    (_, Some(c)) if r.generic => CONST_WINDOW + c,
                    (_, Some(c)) => *c,
                    (None, None) => 0,
                },
            };
            let sum = address.wrapping_add(r.addend as u64);
            let word = sum.checked_shr(r.shift).unwrap_or(0).to_le_bytes();
            let n = r.bytes.min(8) as usize;
            if let Some(to) = content.get_mut(r.at as usize..r.at as usize + n) {
                to.copy_from_slice(&word[..n]);
            }
        }
        content
    }
}

/// The address of a function.
pub fn function_address(f: FuncId) -> u64 {
    CODE_WINDOW + 16 * (u64::from(f.0) + 1)
}

/// The function at an address.
pub fn function_at(address: u64) -> Option<FuncId> {
    let offset = address.checked_sub(CODE_WINDOW)?;
    let index = (offset / 16).checked_sub(1)?;
    (offset % 16 == 0 && index <= u64::from(u32::MAX)).then_some(FuncId(index as u32))
}
