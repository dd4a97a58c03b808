//! vyre: compute programs with exactly one meaning on every machine.
//!
//! A program is a kernel: every invocation of a grid runs it, on buffers of a device. It is written in a small language, as text
//! or with a builder, and gives the same bytes on a CPU, on GPUs and in the reference interpreter, if it has no data races
//! and does not depend on the order of atomic operations.
//!
//! # First program
//!
//! A [`Session`] compiles programs, creates buffers and runs. Programs bind buffers by name, and results are vectors:
//!
//! ```
//! use vyre::{Grid, Session};
//!
//! let session = Session::new()?; // the CPU, on all cores
//! let program = session.compile_text(
//!     "workgroup_size 64;
//!      buffer input: read u32 @0;
//!      buffer params: uniform u32 @1;
//!      buffer output: read_write u32 @2;
//!      entry {
//!          let i = invocation_id.x;
//!          if i < len(input) { output[i] = input[i] * params[0] + params[1]; }
//!      }",
//! )?;
//! let numbers: Vec<u32> = (0..1_000_000).collect();
//! let input = session.buffer_from(&numbers)?;
//! let params = session.buffer_from(&[3u32, 7])?;
//! let output = session.zeros::<u32>(1_000_000)?;
//! let buffers = [("input", &input), ("params", &params), ("output", &output)];
//! session.run(&program, buffers, Grid::invocations(1_000_000))?;
//! assert_eq!(session.read_range::<u32>(&output, 999_998..1_000_000)?, [3_000_001, 3_000_004]);
//! # Ok::<(), vyre::Error>(())
//! ```
//!
//! - [`language`] has the statements and expressions of programs.
//! - [`Session::compile_file`] loads a file, and [`Session::compile`] a [`Program`](ir::Program) that the
//!   [builder](ir::build) made.
//! - [`Grid`] is the number of invocations, or of workgroups. Invocations beyond a number that is no multiple of the workgroup
//!   size run too, hence `if i < len(input)`.
//! - [`Session::read_vec`] reads a whole buffer, [`Session::read_range`] a part. [`runtime::Element`] lists the types.
//! - [`Session::select`] selects another device: `DeviceRequest::on("cuda")`, or one that checks for races.
//!
//! # A program in Rust
//!
//! The builder's code reads like the text. [`ops`] lists the ops that programs can call.
//!
//! ```
//! use vyre::ir::AtomicOp;
//! use vyre::ir::DataType::U32;
//! use vyre::ir::build::{ProgramBuilder, call, invocation_id};
//! use vyre::{Grid, Session};
//!
//! // A histogram: how many numbers have 0, 1, ... 32 bits that are set.
//! let mut p = ProgramBuilder::new([64, 1, 1]);
//! let numbers = p.read("numbers", U32);
//! let counts = p.output("counts", U32);
//! let program = p.entry(|b| {
//!     let i = b.let_("i", invocation_id(0));
//!     b.if_(i.lt(numbers.len()), |b| {
//!         let ones = b.let_("ones", call("primitive.bitwise.popcount", [numbers.load(&i)]));
//!         b.atomic("before", AtomicOp::Add, &counts, &ones, 1u32);
//!     });
//! });
//!
//! let session = Session::new()?;
//! let program = session.compile(&program)?;
//! let numbers = session.buffer_from(&[0u32, 1, 3, 6, 255])?;
//! let counts = session.zeros::<u32>(33)?;
//! session.run(&program, [("numbers", &numbers), ("counts", &counts)], Grid::invocations(5))?;
//! assert_eq!(session.read_range::<u32>(&counts, 0..4)?, [1, 1, 2, 0]);
//! # Ok::<(), vyre::Error>(())
//! ```
//!
//! # Several programs
//!
//! A [`CommandList`] holds dispatches that run in order, without a round trip to the host. This one computes the prefix sums of
//! a million numbers: in tiles of 256, then over the totals of the tiles, then both are added. Buffers keep their contents
//! between dispatches and between runs.
//!
//! ```
//! use vyre::{CommandList, Grid, Session};
//!
//! let session = Session::new()?;
//! // A load beyond the end of a buffer gives 0, and a store there has no effect.
//! let tiles = session.compile_text(
//!     "workgroup_size 256;
//!      buffer input: read u32 @0;
//!      buffer sums: read_write u32 @1;
//!      buffer totals: read_write u32 @2;
//!      entry {
//!          let sum = scan_inclusive_add(input[invocation_id.x]);
//!          sums[invocation_id.x] = sum;
//!          if local_id.x == 255 { totals[workgroup_id.x] = sum; }
//!      }",
//! )?;
//! let offsets = session.compile_text(
//!     "workgroup_size 256;
//!      buffer totals: read_write u32 @0;
//!      entry {
//!          let before = 0;
//!          for step in 0..(len(totals) + 255) / 256 {
//!              let at = step * 256 + local_id.x;
//!              let total = totals[at];
//!              totals[at] = before + scan_exclusive_add(total);
//!              before = before + reduce_add(total);
//!          }
//!      }",
//! )?;
//! let add = session.compile_text(
//!     "workgroup_size 256;
//!      buffer totals: read u32 @0;
//!      buffer sums: read_write u32 @1;
//!      entry { sums[invocation_id.x] = sums[invocation_id.x] + totals[workgroup_id.x]; }",
//! )?;
//!
//! let count = 1_000_000;
//! let input = session.buffer_from(&vec![2u32; 1_000_000])?;
//! let sums = session.zeros::<u32>(count)?;
//! let totals = session.zeros::<u32>(count.div_ceil(256))?;
//! let mut commands = CommandList::new();
//! let grid = Grid::invocations(count);
//! commands.dispatch_named(&tiles, [("input", &input), ("sums", &sums), ("totals", &totals)], grid)?;
//! commands.dispatch_named(&offsets, [("totals", &totals)], Grid::workgroup())?;
//! commands.dispatch_named(&add, [("totals", &totals), ("sums", &sums)], grid)?;
//! session.run_commands(&commands)?;
//! assert_eq!(session.read_range::<u32>(&sums, 999_998..1_000_000)?, [1_999_998, 2_000_000]);
//! # Ok::<(), vyre::Error>(())
//! ```
//!
//! # Graph algorithms
//!
//! [`GraphOps`](ops::graph::GraphOps) runs graph ops on a device. Its [`algorithms`](ops::graph::GraphOps::algorithms) run Tarjan's,
//! Kahn's and Dijkstra's algorithms and PageRank in plain code on the host instead, which is faster than the ops on a CPU. Results are
//! the same bit by bit.
//!
//! ```
//! use vyre::graph::try_to_csr;
//! use vyre::ops::graph::{GraphOps, UNREACHED};
//!
//! let graph = try_to_csr(4, &[(0, 1), (1, 2), (2, 1), (3, 0)])?;
//! let ops = GraphOps::new(vyre::any_device()?);
//! let graph = ops.algorithms(graph.view(), true)?;
//! assert_eq!(graph.scc()?, [0, 1, 1, 3]);
//! assert_eq!(graph.shortest_paths(None, &[0])?, [0, 1, 2, UNREACHED]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `vyre::graph_algorithms(graph)` runs the same algorithms in plain code on the host, without a device.
//!
//! # Engines
//!
//! `vyre::taint(&graph, &options)` finds which sinks of a graph its sources reach, with names and paths (feature `dataflow`).
//! `vyre::unpack(archive, directory)` unpacks an archive and reports all damage (feature `unpack`).
//! `vyre::scan(path, &options)` finds which untrusted inputs of a JavaScript, TypeScript or Python package reach which dangerous calls
//! (feature `scan`). Each is one call; the modules `engine` and `pyrograph` have the parts.
//!
//! # Errors
//!
//! [`Error`] is the error of all calls above, and `?` converts the errors that its variants hold to it. A program that is not valid
//! gives all its mistakes at once, with the lines of its text. Each violated rule has a number that `docs/validation.md`
//! explains. Wrong bindings are errors before anything runs. Programs themselves cannot fail: accesses out of range and
//! divisions by zero have defined results.
//!
//! # Threads
//!
//! Sessions, devices, buffers, pipelines, command lists, [`GraphOps`](ops::graph::GraphOps), the dataflow engine and the unpacker
//! are `Send + Sync`. Threads share a [`Session`] by reference; compiled programs are shared too. A run waits for its end, so
//! runs from several threads overlap. Concurrent runs that write one buffer are safe, but their order is not defined.
//!
//! # Modules and features
//!
//! | Module | Contents |
//! |---|---|
//! | [`language`] | the text format in one page |
//! | [`ir`] | the language: types, programs, builder, text and wire format, validator |
//! | [`ops`] | the library of ops that programs can call |
//! | [`runtime`] | devices, buffers, pipelines, commands; the reference interpreter, which defines results and checks for races |
//! | [`select`](mod@select) | device selection |
//! | [`kernel`] | the flat form that compiled backends share, with the optimizer |
//! | [`graph`] | graphs on the host: construction, files, generators |
//! | `engine` | multi-source reachability, and archives |
//! | `pyrograph` | the scanner of packages: rules, findings, reports, scores |
//! | [`memory`] | host memory for large data |
//! | `conform` | the conformance suite and certificates of backends |
//!
//! | Feature | Adds |
//! |---|---|
//! | `jit` (default) | the CPU backend, which runs programs as machine code on all cores |
//! | `wgpu` | GPUs through Vulkan, Metal and DirectX 12 |
//! | `cuda` | NVIDIA GPUs through the CUDA driver, which is loaded when it is first used |
//! | `graph-files` | files of graphs |
//! | `dataflow` | `vyre::taint` and the dataflow engine, and `graph-files` |
//! | `tables` | `vyre::tables`: edge tables and result tables in Parquet and Arrow files, and `graph-files` |
//! | `unpack` | `vyre::unpack` and the engine that opens archives |
//! | `scan` | `vyre::scan` and the scanner of packages, `dataflow` and `unpack` |
//! | `conform` | `vyre::conform`: the conformance suite and certificates of backends, `dataflow` and `unpack` |
//! | `full` | all of the above |
//!
//! `docs/` describes the language, the backends and the engines, and `examples/` has complete programs.

mod algorithms;
#[cfg(feature = "conform")]
pub mod conform;
mod error;
pub mod language;
#[cfg(feature = "scan")]
mod scan;
pub mod select;
mod session;
#[cfg(feature = "dataflow")]
mod taint;
#[cfg(feature = "unpack")]
mod unpack;

use std::sync::Arc;

pub use algorithms::graph_algorithms;
pub use error::Error;
#[doc(inline)]
pub use runtime::{Buffer, CommandList, Device, Grid, Pipeline, RunOptions};
#[cfg(feature = "scan")]
pub use scan::scan;
pub use session::Session;
#[cfg(feature = "dataflow")]
pub use taint::{TaintFinding, TaintReport, taint};
#[cfg(feature = "unpack")]
pub use unpack::unpack;

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
    #[doc(inline)]
    pub use vyre_ir::*;
}

/// The flat, typed form that compiled backends share: lowering, optimizer, printer and verifier.
pub mod kernel {
    #[doc(inline)]
    pub use vyre_kernel::*;
}

/// Devices, buffers, pipelines and commands.
pub mod runtime {
    #[doc(inline)]
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
    #[doc(inline)]
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
    #[doc(inline)]
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
    #[doc(inline)]
    pub use vyre_cuda::*;
}

/// The library of ops that programs can call.
pub mod ops {
    #[doc(inline)]
    pub use vyre_ops::*;
}

/// Graphs on the host, which [`ops::graph`] works on: construction, files, generators.
pub mod graph {
    #[doc(inline)]
    pub use vyre_graph::*;
}

/// Dependency graphs of lock files and SBOMs, and the packages that advisories name.
#[cfg(feature = "packages")]
pub mod packages {
    #[doc(inline)]
    pub use vyre_packages::*;
}

/// Edge tables and result tables in Parquet and Arrow files.
#[cfg(feature = "tables")]
pub mod tables {
    #[doc(inline)]
    pub use vyre_tables::*;
}

/// Engines over the op library: multi-source reachability (feature `dataflow`), and archives (feature `unpack`).
#[cfg(any(feature = "dataflow", feature = "unpack"))]
pub mod engine {
    /// Multi-source reachability from sources to sinks.
    #[cfg(feature = "dataflow")]
    pub mod dataflow {
        #[doc(inline)]
        pub use vyre_dataflow::*;
    }

    /// Archives and compressed streams.
    #[cfg(feature = "unpack")]
    pub mod decompress {
        #[doc(inline)]
        pub use vyre_unpack::*;
    }
}

/// The scanner of packages: which untrusted inputs reach which dangerous calls, along which steps.
///
/// [`scan`](crate::scan()) is one call. [`report`](::pyrograph::report) writes text, JSON and SARIF.
#[cfg(feature = "scan")]
pub mod pyrograph {
    #[doc(inline)]
    pub use ::pyrograph::*;
}

/// Host memory for large data: zeroed arrays in huge pages and memory-mapped files.
pub mod memory {
    #[doc(inline)]
    pub use vyre_memory::*;
}

/// The backends of this build, in the order in which [`select`](mod@select) tries them: the CPU, CUDA, wgpu, the reference
/// interpreter.
#[must_use]
pub fn backends() -> Vec<Box<dyn runtime::Backend>> {
    backends_with(&runtime::shell::GpuOptions::default())
}

/// The backends of this build, in the order of [`backends`], with these options of GPU backends. The CPU backend uses the cache
/// folder too.
#[must_use]
#[cfg_attr(
    not(any(feature = "jit", feature = "wgpu", feature = "cuda")),
    expect(unused_variables, reason = "a build without compiled backends has no use for their options")
)]
pub fn backends_with(options: &runtime::shell::GpuOptions) -> Vec<Box<dyn runtime::Backend>> {
    vec![
        #[cfg(feature = "jit")]
        Box::new(select::cpu_backend(options.cache_folder.as_deref(), None)),
        #[cfg(feature = "cuda")]
        Box::new(cuda::CudaBackend::new(options.clone())),
        #[cfg(feature = "wgpu")]
        Box::new(gpu::WgpuBackend::new(options.clone())),
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

/// The code of the page about running programs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/running.md")]
struct RunningPage;

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

/// The code of the page about archives.
#[cfg(all(doctest, feature = "unpack"))]
#[doc = include_str!("../../../docs/unpack.md")]
struct UnpackPage;

/// The code of the page about scans.
#[cfg(all(doctest, feature = "scan"))]
#[doc = include_str!("../../../docs/scan.md")]
struct ScanPage;

/// The code of the page about the wgpu backend.
#[cfg(all(doctest, feature = "wgpu"))]
#[doc = include_str!("../../../docs/gpu.md")]
struct GpuPage;

/// The code of the page about the CUDA backend.
#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../../../docs/cuda.md")]
struct CudaPage;

/// The code of the tutorial about ops.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/tutorial/op.md")]
struct OpPage;

/// The code of the tutorial about backends.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/tutorial/backend.md")]
struct BackendPage;

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
