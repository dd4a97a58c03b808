//! wgpu backend: runs vyre programs on GPUs through Vulkan, Metal and DirectX 12, and translates them to shaders.
//!
//! A program is lowered to a [`Kernel`](vyre_kernel::Kernel), which becomes a naga module, which wgpu compiles for the adapter.
//! [`translate`] writes the module as WGSL, SPIR-V, MSL, HLSL or GLSL.
//!
//! Buffers stay on the device. A command list is one submission, up to 16,384 commands. Grids that exceed the limits of a
//! dispatch are split, which programs cannot observe. All failures, device loss included, are
//! [`Error`](vyre_runtime::Error) values.
//!
//! The modules form layers, and each uses only those above it:
//!
//! | Layer | Modules | Contents |
//! |---|---|---|
//! | shader | `emit`, `shader` | kernels to naga modules and shader text |
//! | adapter | `adapter`, `health` | adapters, limits, error scopes |
//! | handles | `bind_groups`, `buffer`, `dispatch_blocks`, `pipeline_store`, `handles` | device, queue and their caches |
//! | transfer | `direct`, `staging`, `timestamps` | host memory to and from buffers |
//! | compile | `compile` | programs to compute pipelines |
//! | submit | `recorder`, `copies`, `run` | command lists to submissions |
//! | device | `device`, `backend` | the public backend and device |
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
mod backend;
mod bind_groups;
mod buffer;
mod compile;
mod copies;
mod device;
mod direct;
mod dispatch_blocks;
mod download;
mod emit;
mod handles;
mod health;
mod mapping;
mod pipeline_store;
mod recorder;
mod run;
mod shader;
mod staging;
mod staging_memory;
mod timestamps;
mod upload;

pub use backend::WgpuBackend;
pub use device::WgpuDevice;
pub use shader::{Shader, ShaderLanguage, passes, translate};
pub use vyre_runtime::shell::GpuOptions;
