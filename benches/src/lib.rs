//! Workloads of the benchmarks, and what is measured on them.
//!
//! `cargo bench -p vyre-benches` runs everything under criterion. The program `ir_report` measures the same in one
//! interleaved run and prints tables, with naga beside vyre; `kernel_report` does so for lowering and optimizing, and
//! `cpu_report` for the CPU backend, with native code beside it. `gpu_report` has the GPU backend and hand-written shaders,
//! `cuda_report` the CUDA backend and hand-written CUDA C++. `graph_report` is about graphs: making, reading and ops, with
//! petgraph and scipy beside them; `dataflow_report` about the dataflow engine, with searches as one would write them, petgraph,
//! GraphBLAS and native code. `decompress_report` is about decompression: on devices beside nvCOMP, on the host beside the
//! libraries that are used there, and `vyre unpack` beside other programs.

mod compare;
pub mod cpu;
pub mod cuda;
pub mod dataflow;
pub mod decompress;
pub mod gpu;
pub mod graph;
mod kernel;
mod measure;
mod workload;

pub use compare::{Stages, time_naga, time_vyre};
pub use kernel::{KernelCase, KernelTimes, KernelWorkload};
pub use measure::{Case, Operation};
pub use workload::{SIZES, Workload, flat_wgsl, flat_wgsl_functions, node_count};
