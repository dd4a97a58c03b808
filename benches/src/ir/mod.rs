//! The language: parsing, printing, validating and the wire format, and naga as a peer of the front end.

mod front_end;
mod operation;
mod workload;

pub use front_end::{FrontEnd, Stages};
pub use operation::{Case, Operation};
pub(crate) use workload::parse;
pub use workload::{SIZES, Workload, flat_wgsl, flat_wgsl_functions, node_count};
