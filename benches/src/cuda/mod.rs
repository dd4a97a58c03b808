//! What the CUDA backend is measured on: kernels as programs and as CUDA C++ that was written by hand, on one GPU.
//!
//! A [`Workload`] has programs and kernels with the same result, a problem for them at any size, and what the host says that
//! must come out. [`Machine`] is the GPU with both sides: the backend, and [`BareCuda`], the driver without vyre, which runs
//! what nvcc made of `kernels/*.cu`. [`race`] compares results and takes times, [`Overhead`] is what dispatches cost that do
//! next to nothing, [`Transfers`] what copies cost and [`DeviceCopy`] what they are compared with. [`check_on`] runs programs alone, on any device.

mod bare;
mod check;
mod contender;
mod elementwise;
mod error;
mod gather;
mod histogram;
mod machine;
mod overhead;
mod problem;
mod race;
mod scale;
mod scan;
mod small_workgroups;
mod transfer;
mod workload;

pub use bare::BareCuda;
pub use check::check_on;
pub use error::Error;
pub use machine::Machine;
pub use overhead::{DISPATCHES, Overhead, OverheadTimes};
pub use race::{Measured, Race, compare_results, race};
pub use scale::Scale;
pub use transfer::{DeviceCopy, TransferTimes, Transfers};
pub use workload::{Role, Workload, workloads};
