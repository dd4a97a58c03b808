//! The optimizer: named passes and the pipeline that runs them.
//!
//! A pass takes a valid kernel and produces an equivalent valid kernel. No pass depends on another pass; the standard
//! order is the most profitable one. The table of the passes is in `pass`; `cargo fmt` does not find modules that a
//! macro declares, so format a pass with `rustfmt crates/vyre-kernel/src/opt/*.rs`.
//!
//! A value is computed once, so a condition that is proved at its definition holds at all uses. Code motion must not
//! execute an operation earlier if only its position makes it safe: an access without a guard, a division or a shift.

mod batches;
mod effects;
mod interval;
mod pass;
mod pipeline;
mod replace;
mod simplify;

/// Declares the modules of the passes.
macro_rules! declare_modules {
    ($($module:ident,)+) => {
        $(mod $module;)+
    };
}

pass::pass_table!(declare_modules);

pub use pass::Pass;
pub use pipeline::{PassError, PassPipeline, PassRun, UnknownPass, passes};
