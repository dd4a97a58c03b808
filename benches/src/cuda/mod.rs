//! The CUDA backend: workloads as programs and as hand-written CUDA C++, on one GPU.
//!
//! A [`Workload`] has programs and kernels with the same result, a problem at any size, and the expected result. A [`Session`] is a
//! GPU with both sides: the backend, and [`BareCuda`], the driver without vyre, which runs the kernels that nvcc compiled from
//! `kernels/*.cu`. [`compare_workload`] verifies and measures, [`Overhead`] measures dispatches, [`Transfers`] copies, and
//! [`DeviceCopy`] the bandwidth that workloads are compared with. [`verify_on`] runs programs alone, on any device.

mod bare;
mod comparison;
mod contender;
mod elementwise;
mod gather;
mod histogram;
mod overhead;
mod problem;
mod registry;
mod scale;
mod scan;
mod session;
mod small_workgroups;
mod transfer;
mod verify;
mod workload;

pub use bare::BareCuda;
pub use comparison::{WorkloadTimes, compare_workload, verify_workload};
pub use overhead::{DISPATCHES, Overhead, OverheadTimes};
pub use registry::workloads;
pub use scale::Scale;
pub use session::Session;
pub use transfer::{DeviceCopy, TransferTimes, Transfers};
pub use verify::verify_on;
pub use workload::Workload;
