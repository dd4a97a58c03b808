//! Tests of the `vyre` command through the real binary.

mod browser;
mod check;
mod color;
#[cfg(feature = "jit")]
mod conform;
mod convert;
#[cfg(feature = "cuda")]
mod cuda;
mod devices;
mod explain;
mod fmt;
mod golden;
#[cfg(feature = "wgpu")]
mod gpu;
mod graph;
mod harness;
mod help_examples;
mod json;
mod lower;
mod man;
mod ops;
mod run;
mod scan;
mod streams;
#[cfg(any(feature = "jit", feature = "wgpu"))]
mod time_limits;
mod unpack;
mod widths;
