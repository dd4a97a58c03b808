//! Engines: what stands between the op library and applications.
//!
//! [`dataflow`] answers which sources of a graph reach which sinks.

pub mod dataflow;
