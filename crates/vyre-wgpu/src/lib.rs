//! Runs vyre programs on GPUs through Vulkan, Metal and DirectX 12, and writes them as shaders.
//!
//! A program is lowered to a [`Kernel`](vyre_kernel::Kernel), which becomes a naga module, which wgpu compiles for what the
//! machine has. [`translate`] gives the same module as WGSL, SPIR-V, MSL, HLSL or GLSL.
//!
//! Buffers stay on the device. A command list is one submission, whatever it holds, up to some ten thousand dispatches.
//! Grids that are larger than what an adapter takes are split, which no program can see. Whatever goes wrong on the way, a
//! device that is lost included, is an [`Error`](vyre_runtime::Error).
//!
//! ```no_run
//! use vyre_runtime::Device as _;
//! use vyre_wgpu::{WgpuDevice, GpuOptions};
//!
//! for device in WgpuDevice::all(&GpuOptions::default())? {
//!     println!("{}, {:?}", device.name(), device.driver());
//! }
//! # Ok::<(), vyre_runtime::Error>(())
//! ```

mod adapter;
mod bind;
mod blocks;
mod buffer;
mod device;
mod emit;
mod encode;
mod failure;
mod opened;
mod pipeline;
mod shader;
mod store;
mod timestamps;
mod transfer;

pub use adapter::WgpuBackend;
pub use device::WgpuDevice;
pub use shader::{Shader, ShaderLanguage, passes, translate};
pub use vyre_runtime::shell::GpuOptions;
