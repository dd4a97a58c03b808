//! Table of the passes.
//!
//! A new pass is one file in this directory with a constant `PASS`, and one line in the table below. The standard order
//! of the passes is in `pipeline`.

use crate::kernel::Kernel;

/// Calls the macro `$declare` with the modules of all passes.
macro_rules! pass_table {
    ($declare:ident) => {
        $declare! {
            promote,
            fold,
            unroll,
            cse,
            licm,
            bounds,
            strength,
            dead_code,
        }
    };
}
pub(super) use pass_table;

/// A pass of the optimizer.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Name that selects the pass.
    pub name: &'static str,
    /// Description in one sentence.
    pub summary: &'static str,
    /// Transforms a kernel and returns true if the kernel has changed.
    pub(super) run: fn(&mut Kernel) -> bool,
}
