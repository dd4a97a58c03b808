//! Graph ops: searches, components, orders, distances and ranks of directed graphs.
//!
//! A graph is a [`CsrView`](vyre_graph::CsrView), usually of a [`CsrGraph`](vyre_graph::CsrGraph). [`GraphOps`] runs ops on a
//! device: [`GraphOps::load`] checks a graph and brings it there, and the methods of [`GraphOnDevice`] are the ops. Each op is
//! made of programs of the language, so it gives the same answer on every backend, and each has a reference in plain Rust that
//! shares no code with these programs.
//!
//! ```
//! use std::sync::Arc;
//!
//! use vyre_graph::{Role, try_to_csr};
//! use vyre_ops::graph::{Finding, GraphOps, Traversal};
//! use vyre_runtime::ReferenceDevice;
//!
//! // 0 -> 1 -> 3 and 0 -> 2 -> 3
//! let mut graph = try_to_csr(4, &[(0, 1), (0, 2), (1, 3), (2, 3)])?;
//! graph.node_data[1] = Role::Sanitizer.word();
//! graph.node_data[3] = Role::Sink.word();
//!
//! let ops = GraphOps::new(Arc::new(ReferenceDevice::new()));
//! let graph = ops.load(graph.view())?;
//! let findings = graph.bfs(&[0, 1], &Traversal::default())?;
//! assert_eq!(findings, [Finding { source: 0, node: 3, depth: 2, source_index: 0 }]);
//! assert_eq!(graph.components()?, [0, 0, 0, 0]);
//! assert_eq!(graph.toposort()?.order, [0, 1, 2, 3]);
//! # Ok::<(), vyre_ops::graph::GraphError>(())
//! ```
//!
//! | Op | On a device | In plain Rust |
//! |---|---|---|
//! | `graph.bfs` | [`GraphOnDevice::bfs`] | [`reachable_sinks`] |
//! | `graph.reachability` | [`GraphOnDevice::reachability`] | [`reachable_nodes`] |
//! | `graph.components` | [`GraphOnDevice::components`] | [`components_on_host`] |
//! | `graph.scc` | [`GraphOnDevice::scc`] | [`scc_on_host`] |
//! | `graph.toposort` | [`GraphOnDevice::toposort`] | [`toposort_on_host`] |
//! | `graph.shortest_path` | [`GraphOnDevice::shortest_paths`] | [`shortest_paths_on_host`] |
//! | `graph.pagerank` | [`GraphOnDevice::pagerank`] | [`pagerank_on_host`] |
//!
//! The buffers of each program are described in `docs/graph.md`.

mod batches;
pub(crate) mod bfs;
pub(crate) mod components;
mod error;
mod levels;
pub(crate) mod pagerank;
pub(crate) mod reachability;
mod resident;
pub(crate) mod scc;
pub(crate) mod shortest_path;
mod slices;
pub(crate) mod toposort;
mod traversal;
mod wide_words;

pub use bfs::reachable_sinks;
pub use components::components_on_host;
pub use error::GraphError;
pub use pagerank::{ONE, PageRank, PageRankOptions, pagerank_on_host};
pub use reachability::reachable_nodes;
pub use resident::{GraphOnDevice, GraphOps, Progress};
pub use scc::scc_on_host;
pub use shortest_path::{UNREACHED, shortest_path, shortest_paths_on_host};
pub use toposort::{TopologicalOrder, toposort_on_host};
pub use traversal::{Finding, Traversal};
