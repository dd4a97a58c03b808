//! Graph ops on the devices of a backend, against their references.
//!
//! [`corpus`] runs the cases of `tests/corpus/ops/graph`, whose answers were written by hand. [`generated`] makes random graphs
//! of many shapes. Every case is compared with the reference in plain Rust, too. [`raw`] runs the programs of searches without the
//! host that runs them otherwise.

pub mod corpus;
pub mod generated;
pub mod raw;
pub mod shapes;
