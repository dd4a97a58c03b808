//! The hand-written side: the CUDA driver through its C interface, on one stream.

mod context;
mod graph;
mod kernel;
mod memory;

pub use context::BareCuda;
pub(super) use graph::BareGraph;
pub(super) use kernel::{BareLaunch, BareModule};
pub(super) use memory::{BareBuffer, PinnedMemory};
