//! Graphs: construction and transposition of CSR graphs against petgraph and scipy, graph files, graph ops against their
//! references.

mod csr;
mod ops;
mod peers;
mod reading;
mod scipy;
mod task;
mod workload;

pub use csr::csr_contenders;
pub use ops::{OpContenders, op_contenders};
pub use reading::{READERS, Reader, Reading, read_in_this_process};
pub use scipy::Scipy;
pub use task::Task;
pub use workload::{EdgeOrder, GraphWorkload};
