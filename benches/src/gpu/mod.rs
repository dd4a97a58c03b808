//! What the GPU backend is measured on: kernels as programs and as WGSL that was written by hand, on one adapter.
//!
//! A [`Workload`] is a program, shaders with the same result, and what the host says that must come out. [`Bench`] has the
//! buffers of both sides, [`Race`] the times of a workload. [`Overhead`] is what dispatches cost that do next to nothing.

mod bare;
mod bench;
mod contender;
pub(crate) mod data;
mod error;
mod grid;
mod overhead;
mod race;
mod statistics;
mod workload;

pub use bare::BareDevice;
pub use bench::Bench;
pub use contender::Checks;
pub use error::Error;
pub use overhead::{DISPATCHES, Overhead, OverheadTimes};
pub use race::{Measured, Race, race};
pub use statistics::{median, median_ratio, ratio_of_minima};
pub use workload::{Role, WORKLOADS, Workload};
