//! vyre: compute programs with exactly one meaning on every machine.
//!
//! This crate is the facade of the libraries:
//!
//! | Module | Contents |
//! |---|---|
//! | [`ir`] | the language: types, programs, builder, text and wire format, validator |
//! | [`ops`] | the library of ops that programs can call |
//! | [`runtime`] | devices, buffers, pipelines, commands; the reference interpreter, which defines results and checks for races |
//! | [`select`](mod@select) | device selection |
//! | [`kernel`] | the flat form that compiled backends share, with the optimizer |
//! | [`graph`] | graphs on the host: construction, files, generators |
//! | `engine` | multi-source reachability, and archives |
//!
//! # Features
//!
//! | Feature | Adds |
//! |---|---|
//! | `jit` (default) | the CPU backend, which runs programs as machine code on all cores |
//! | `wgpu` | GPUs through Vulkan, Metal and DirectX 12 |
//! | `cuda` | NVIDIA GPUs through the CUDA driver, which is loaded when it is first used |
//! | `graph-files` | files of graphs |
//! | `dataflow` | the dataflow engine, and `graph-files` |
//! | `unpack` | the engine that opens archives |
//! | `full` | all of the above |
//!
//! # Example
//!
//! ```
//! use vyre::ir::build::{ProgramBuilder, call, invocation_id};
//! use vyre::ir::{DataType, validate};
//! use vyre::runtime::{Bindings, CommandList, PipelineOptions, RunOptions};
//!
//! let mut p = ProgramBuilder::new([4, 1, 1]);
//! let input = p.read("input", DataType::U32);
//! let out = p.output("out", DataType::U32);
//! let program = p.entry(|b| {
//!     let i = b.let_("i", invocation_id(0));
//!     b.store(&out, &i, call("primitive.bitwise.popcount", [input.load(&i)]));
//! });
//! let ops = vyre::ops::table();
//! let valid = validate(&program, &ops).expect("breaks no rule");
//!
//! let device = vyre::any_device()?;
//! let (input, out) = (device.create_buffer(16)?, device.create_buffer(16)?);
//! device.write(&input, 0, &[1, 0, 0, 0, 3, 0, 0, 0, 255, 0, 0, 0, 255, 255, 0, 0])?;
//! let pipeline = device.create_pipeline(&valid, &PipelineOptions::default())?;
//! let mut commands = CommandList::new();
//! commands.dispatch(&pipeline, &Bindings::new().with(0, &input).with(1, &out), [1, 1, 1]);
//! device.run(&commands, &RunOptions::default())?;
//! assert_eq!(device.read(&out)?, [1, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0, 0]);
//! # Ok::<(), vyre::runtime::Error>(())
//! ```

pub mod select;

use std::sync::Arc;

/// The language: types, programs, builder, text and binary form, validator.
///
/// ```
/// use vyre::ir::DataType;
///
/// assert_eq!(DataType::U32.min_bytes(), 4);
/// assert_eq!(DataType::U64.min_bytes(), 8);
/// assert_eq!(DataType::Bytes.min_bytes(), 0);
/// ```
///
/// ```
/// use vyre::ir::{BufferAccess, BufferDecl, DataType};
///
/// let buf = BufferDecl::storage("data", 0, BufferAccess::ReadWrite, DataType::U32);
/// assert_eq!(buf.access, BufferAccess::ReadWrite);
/// ```
///
/// ```
/// use vyre::ir::{DataType, OpSignature};
///
/// let sig = OpSignature { inputs: vec![DataType::U32, DataType::U32], output: DataType::U32 };
/// assert_eq!(sig.min_input_bytes(), 8);
/// ```
pub mod ir {
    pub use vyre_ir::*;
}

/// The flat, typed form that compiled backends share: lowering, optimizer, printer and verifier.
pub mod kernel {
    pub use vyre_kernel::*;
}

/// Devices, buffers, pipelines and commands.
pub mod runtime {
    pub use vyre_runtime::*;
}

/// The CPU backend: programs become machine code and run on all cores.
///
/// [`any_device`] returns the CPU with one thread for each core. [`JitOptions`](vyre_jit::JitOptions) sets another number.
///
/// ```
/// use vyre::cpu::{JitDevice, JitOptions};
///
/// let device = JitDevice::new(&JitOptions::default().with_threads(2))?;
/// assert_eq!(device.threads(), 2);
/// # Ok::<(), vyre::runtime::Error>(())
/// ```
#[cfg(feature = "jit")]
pub mod cpu {
    pub use vyre_jit::*;
}

/// The wgpu backend: programs become shaders for Vulkan, Metal or DirectX 12.
///
/// [`any_device`] never returns a GPU in a build with the CPU backend; list the GPUs of the machine here, or use
/// [`select`](mod@select). Translation of a kernel to a shader needs no GPU.
///
/// ```no_run
/// use vyre::gpu::WgpuBackend;
/// use vyre::runtime::{Backend as _, Error};
///
/// match WgpuBackend::default().devices() {
///     Ok(devices) => devices.iter().for_each(|device| println!("{}", device.name())),
///     Err(Error::NoGpuAdapter) => println!("no GPU"),
///     Err(error) => return Err(error),
/// }
/// # Ok::<(), Error>(())
/// ```
#[cfg(feature = "wgpu")]
pub mod gpu {
    pub use vyre_wgpu::*;
}

/// The CUDA backend: programs become PTX for NVIDIA GPUs.
///
/// The driver is loaded when devices are first listed, so a build needs no CUDA and runs on machines without it.
/// [`any_device`] never returns a GPU in a build with the CPU backend; list the GPUs of the machine here, or use
/// [`select`](mod@select). Translation of a kernel to PTX needs no GPU.
///
/// ```no_run
/// use vyre::cuda::CudaBackend;
/// use vyre::runtime::{Backend as _, Error};
///
/// match CudaBackend::default().devices() {
///     Ok(devices) => devices.iter().for_each(|device| println!("{}", device.name())),
///     Err(Error::NoGpuAdapter) => println!("no GPU"),
///     Err(error) => return Err(error),
/// }
/// # Ok::<(), Error>(())
/// ```
#[cfg(feature = "cuda")]
pub mod cuda {
    pub use vyre_cuda::*;
}

/// The library of ops that programs can call.
pub mod ops {
    pub use vyre_ops::*;
}

/// Graphs on the host, which [`ops::graph`] works on: construction, files, generators.
pub mod graph {
    pub use vyre_graph::*;
}

/// Engines over the op library: multi-source reachability (feature `dataflow`), and archives (feature `unpack`).
#[cfg(any(feature = "dataflow", feature = "unpack"))]
pub mod engine {
    /// Multi-source reachability from sources to sinks.
    #[cfg(feature = "dataflow")]
    pub mod dataflow {
        pub use vyre_dataflow::*;
    }

    /// Archives and compressed streams.
    #[cfg(feature = "unpack")]
    pub mod decompress {
        pub use vyre_unpack::*;
    }
}

/// Host memory for large data: zeroed arrays in huge pages and memory-mapped files.
pub mod memory {
    pub use vyre_memory::*;
}

/// The backends of this build, in the order in which [`select`](mod@select) tries them: the CPU, CUDA, wgpu, the reference
/// interpreter.
#[must_use]
pub fn backends() -> Vec<Box<dyn runtime::Backend>> {
    vec![
        #[cfg(feature = "jit")]
        Box::new(cpu::JitBackend),
        #[cfg(feature = "cuda")]
        Box::new(cuda::CudaBackend::default()),
        #[cfg(feature = "wgpu")]
        Box::new(gpu::WgpuBackend::default()),
        Box::new(runtime::ReferenceBackend),
    ]
}

/// The device that [`select`](mod@select) chooses by default: the CPU. In a build without the CPU backend,
/// a GPU if the build has the feature `cuda` or `wgpu` and the machine has one, otherwise the reference interpreter.
///
/// For a particular GPU, or a device that checks for races, use [`select::select`].
///
/// # Errors
///
/// The error of the last backend, if no backend has a device.
pub fn any_device() -> Result<Arc<dyn runtime::Device>, runtime::Error> {
    match select::select(&select::DeviceRequest::default()) {
        Ok(selected) => Ok(selected.device),
        Err(select::SelectError::NoneSuitable { rejected }) => {
            let error = rejected.into_iter().rev().find_map(|rejected| match rejected.reason {
                select::RejectReason::Backend(error) => Some(error),
                _ => None,
            });
            Err(error.unwrap_or(runtime::Error::NoGpuAdapter))
        }
        Err(_) => Err(runtime::Error::NoGpuAdapter),
    }
}

/// The code of the README, as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The code of the page about the CPU backend.
#[cfg(all(doctest, feature = "jit"))]
#[doc = include_str!("../../../docs/cpu.md")]
struct CpuPage;

/// The code of the page about graphs.
#[cfg(all(doctest, feature = "graph-files"))]
#[doc = include_str!("../../../docs/graph.md")]
struct GraphPage;

/// The code of the page about the dataflow engine.
#[cfg(all(doctest, feature = "dataflow"))]
#[doc = include_str!("../../../docs/dataflow.md")]
struct DataflowPage;

/// The code of the page about compression.
#[cfg(all(doctest, feature = "unpack"))]
#[doc = include_str!("../../../docs/compression.md")]
struct CompressionPage;

/// The code of the page about the wgpu backend.
#[cfg(all(doctest, feature = "wgpu"))]
#[doc = include_str!("../../../docs/gpu.md")]
struct GpuPage;

/// The code of the page about the CUDA backend.
#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../../../docs/cuda.md")]
struct CudaPage;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backends_are_ordered_cpu_gpus_reference() {
        let names: Vec<&str> = backends().iter().map(|backend| backend.name()).collect();
        let features = [
            ("cpu", cfg!(feature = "jit")),
            ("cuda", cfg!(feature = "cuda")),
            ("wgpu", cfg!(feature = "wgpu")),
            ("reference", true),
        ];
        let expected: Vec<&str> =
            features.iter().filter(|(_, is_enabled)| *is_enabled).map(|(name, _)| *name).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn any_device_is_the_cpu_in_a_build_with_the_cpu_backend() {
        let device = any_device().expect("every machine has one");
        if cfg!(feature = "jit") {
            assert!(device.name().starts_with("CPU"), "{}", device.name());
        } else if !cfg!(any(feature = "cuda", feature = "wgpu")) {
            assert!(device.limits().can_check_races, "{}", device.name());
        }
    }
}
