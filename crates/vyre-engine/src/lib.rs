//! Engines: what stands between the op library and applications.
//!
//! [`dataflow`] answers which sources of a graph reach which sinks.
//! [`decompress`] opens archives.

pub mod dataflow;
pub mod decompress;
