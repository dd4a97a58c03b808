//! Code generator of Cranelift for this machine, and its optimization level.

use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use vyre_kernel::{BlockId, Kernel};
use vyre_runtime::Error;

/// Optimization level of the code generator. Compile time grows faster than the kernel, so large kernels get a lower level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptimizationLevel {
    /// Optimizations and the backtracking register allocator.
    Full,
    /// Optimizations and the single-pass register allocator.
    FastAllocation,
    /// No optimizations, single-pass register allocator.
    None,
}

impl OptimizationLevel {
    pub(crate) fn for_function(function: &Function, kernel: &Kernel) -> OptimizationLevel {
        // The backtracking allocator is slow for deeply nested loops, which only generated programs have.
        const MAX_DEPTH: u32 = 16;
        match function.dfg.num_insts() {
            0..=9_000 if depth(kernel, kernel.entry) <= MAX_DEPTH => OptimizationLevel::Full,
            0..=50_000 => OptimizationLevel::FastAllocation,
            _ => OptimizationLevel::None,
        }
    }
}

/// Nesting depth of a block. The language limits it.
fn depth(kernel: &Kernel, block: BlockId) -> u32 {
    let inner = kernel.blocks[block].statements.iter().flat_map(|statement| statement.blocks());
    inner.map(|inner| 1 + depth(kernel, inner)).max().unwrap_or(0)
}

/// Error of Cranelift.
pub(crate) fn failure(cause: impl std::fmt::Display) -> Error {
    Error::compile("Cranelift", cause.to_string())
}

/// Code generator for this machine.
pub(crate) fn target(level: OptimizationLevel) -> Result<OwnedTargetIsa, Error> {
    let mut flags = settings::builder();
    let mut set = |name: &str, value: &str| flags.set(name, value).map_err(failure);
    set("opt_level", if level == OptimizationLevel::None { "none" } else { "speed" })?;
    set("regalloc_algorithm", if level == OptimizationLevel::Full { "backtracking" } else { "single_pass" })?;
    set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" })?;
    // A frame larger than the guard page of the stack must not skip it.
    set("enable_probestack", "true")?;
    set("probestack_strategy", "inline")?;
    set("is_pic", "false")?;
    set("use_colocated_libcalls", "false")?;
    let isa = cranelift_native::builder().map_err(failure)?;
    isa.finish(settings::Flags::new(flags)).map_err(failure)
}
