//! Device layer: the public backend and its devices.

mod backend;
mod cuda_device;
mod open_gpu;

pub use backend::CudaBackend;
pub use cuda_device::CudaDevice;
