//! Runs vyre programs on NVIDIA GPUs through the CUDA driver, and writes them as PTX.
//!
//! A program is lowered to a [`Kernel`](vyre_kernel::Kernel), which becomes PTX, which the driver assembles for the GPU. The
//! driver is loaded when it is first needed, so this builds and runs where there is none. [`translate`] gives the PTX without
//! any GPU.
//!
//! Buffers stay on the device. Repetitions, and lists that are run again, become CUDA graphs. Runs with a token or a deadline
//! use kernels that look at a word of the device and end when it is set. After a fault of a kernel the context is given up:
//! the error names the program, what buffers held is lost, and the device and its pipelines go on. Grids that are larger than
//! a launch takes are split. Whatever goes wrong is an [`Error`](vyre_runtime::Error).
//!
//! ```no_run
//! use vyre_cuda::{CudaDevice, CudaOptions};
//! use vyre_runtime::Device as _;
//!
//! for device in CudaDevice::all(&CudaOptions::default())? {
//!     println!("{}, {:?}", device.name(), device.driver());
//! }
//! # Ok::<(), vyre_runtime::Error>(())
//! ```

mod adapter;
mod arguments;
mod buffer;
mod cancel;
mod context;
mod device;
mod driver;
mod emit;
mod encode;
mod event;
mod graph;
mod hash;
mod memory;
mod module;
mod moves;
#[cfg(test)]
mod on_gpu;
mod parts;
mod pipeline;
mod programs;
mod ptx;
mod queue;
mod remains;
mod run;
mod segment;
mod stack;
mod staging;
mod store;
mod timestamps;
mod turn;

pub use adapter::CudaBackend;
pub use device::{CudaDevice, CudaOptions};
pub use ptx::{Ptx, PtxParameter, PtxTarget, passes, translate};
