//! CUDA backend: runs vyre programs on NVIDIA GPUs through the CUDA driver, and translates them to PTX.
//!
//! A program is lowered to a [`Kernel`](vyre_kernel::Kernel), which is translated to PTX, which the driver assembles for the
//! GPU. The driver is loaded on first use, so this crate builds and runs on machines without one. [`translate`] produces PTX
//! without a GPU.
//!
//! Buffers stay on the device. Repetitions and repeated command lists become CUDA graphs. Runs with a token or a deadline use
//! kernels that poll a word of device memory and end when it is set. A kernel fault makes the context unusable: the error
//! names the program, the contents of buffers are lost, and the device and its pipelines stay usable. Grids that exceed the
//! limits of a launch are split. All failures are [`Error`](vyre_runtime::Error) values.
//!
//! The modules form layers, and each uses only those above it:
//!
//! | Layer | Contents |
//! |---|---|
//! | `ptx`, `emit`, `translate` | kernels to PTX text |
//! | `driver` | the loaded driver, contexts and other handles |
//! | `transfer` | buffers and copies |
//! | `compile` | PTX to loaded kernels, and their arguments |
//! | `submit` | command lists to streams and graphs |
//! | `device` | the public backend and device |
//!
//! ```no_run
//! use vyre_cuda::{CudaDevice, GpuOptions};
//! use vyre_runtime::Device as _;
//!
//! for device in CudaDevice::all(&GpuOptions::default())? {
//!     println!("{}, {:?}", device.name(), device.driver());
//! }
//! # Ok::<(), vyre_runtime::Error>(())
//! ```

mod compile;
mod device;
mod driver;
mod emit;
#[cfg(test)]
mod on_gpu;
mod ptx;
mod submit;
mod sync;
mod transfer;
mod translate;

pub use device::{CudaBackend, CudaDevice};
pub use ptx::{Ptx, PtxParameter, PtxTarget};
pub use translate::{passes, translate};
pub use vyre_runtime::shell::GpuOptions;
