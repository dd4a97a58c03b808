//! The CPU backend: a just-in-time compiler for kernels, with Cranelift as its code generator.
//!
//! A thread runs whole workgroups. The invocations of a workgroup are iterations of a loop, which is split at barriers and
//! collectives (work-item loops). Uniform control flow and uniform values are executed once per workgroup. Regions between
//! barriers are vectorized where the cost model expects a gain. `docs/cpu.md` describes the backend for its users.
//!
//! | Module | Task |
//! |---|---|
//! | `plan` | region formation, storage assignment |
//! | `vectorize` | divergence analysis, legality and cost of SIMD versions |
//! | `emit` | translation to Cranelift's IR |
//! | `target`, `machine_code`, `code` | compilation to machine code, loading of machine code |
//! | `code_store` | machine code in files |
//! | `job`, `device` | dispatch on a thread pool |

mod bound_check;
mod buffer;
mod code;
mod code_store;
mod context;
mod device;
mod emit;
mod explain;
mod job;
mod machine_code;
mod options;
mod plan;
mod scratch;
mod storage;
mod target;
mod vectorize;
mod work_estimate;

pub use code::Listing;
pub use device::{JitBackend, JitDevice};
pub use options::JitOptions;
pub use vectorize::VectorizationMode;
