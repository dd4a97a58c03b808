//! Benchmarks of the vyre libraries against named peers.
//!
//! | Program | Measures | Peers |
//! |---|---|---|
//! | `ir_report` | parsing, printing, validating, the wire format | naga |
//! | `kernel_report` | lowering and every pass | the smallest program of the same kind (growth) |
//! | `cpu_report` | the CPU backend: run time, compile time, pipeline cache, memory | native Rust |
//! | `gpu_report` | the wgpu backend | hand-written WGSL |
//! | `cuda_report` | the CUDA backend | hand-written CUDA C++ |
//! | `histogram_report` | a histogram with atomics on workgroup memory, on every backend | atomics on storage, native Rust |
//! | `graph_report` | construction and reading of graphs, graph ops | petgraph, scipy, references in plain Rust |
//! | `dataflow_report` | the dataflow engine | BFS per source, petgraph, GraphBLAS, native Rust |
//! | `decompress_report` | decompression on devices and on the host | nvCOMP, C libraries, command line programs |
//! | `scan_report` | scans of npm packages | Semgrep |
//!
//! All of them use the [`harness`]; `transfer_report`, which measures transfers, is a package of its own (`benches/transfers`). `cargo bench -p vyre-benches` runs the operations of `ir_report` under criterion, which
//! compares two states of the code. `RESULTS.md` is the index of recorded figures.

pub mod cpu;
pub mod cuda;
mod data;
pub mod dataflow;
pub mod decompress;
pub mod device;
mod error;
pub mod gpu;
pub mod graph;
pub mod harness;
pub mod histogram;
pub mod ir;
pub mod kernel;
pub mod scan;

pub use data::Difference;
pub use error::Error;
