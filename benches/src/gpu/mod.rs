//! The wgpu backend: workloads as programs and as hand-written WGSL, on one adapter.
//!
//! A [`Workload`] is a program, shaders with the same result, and the expected result. A [`Session`] has the device and the buffers
//! of both sides. [`compare_workload`] measures a workload, [`Overhead`] the overhead of dispatches.

mod bare;
mod checks;
mod comparison;
mod contender;
mod grid;
mod overhead;
mod session;
mod workload;

pub use bare::BareDevice;
pub use checks::Checks;
pub use comparison::{ShaderTimes, WorkloadTimes, compare_workload};
pub use overhead::{DISPATCHES, Overhead, OverheadTimes};
pub use session::Session;
pub use workload::{WORKLOADS, Workload};
