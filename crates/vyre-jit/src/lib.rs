//! The CPU backend: programs become machine code through Cranelift and run on all cores.
//!
//! A thread runs whole workgroups. Lanes of a workgroup are a loop; where they meet, at barriers and collectives, the loop
//! ends and another one begins, see the plan. Control flow around such places and values that all lanes agree on are
//! done once for the workgroup.

mod buffer;
mod code;
mod context;
mod crowd;
mod device;
mod emit;
mod explain;
mod interchange;
mod job;
mod plan;
mod scratch;
mod vector;
mod work;

pub use code::Listing;
pub use device::{JitBackend, JitDevice, JitOptions};
pub use vector::VectorUse;
