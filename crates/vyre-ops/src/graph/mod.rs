//! Graph ops: traversals, components, topological order, shortest paths and PageRank of directed graphs.
//!
//! A graph is a [`CsrView`](vyre_graph::CsrView), usually of a [`CsrGraph`](vyre_graph::CsrGraph). [`GraphOps`] runs ops on a
//! device: [`GraphOps::load`] validates a graph and uploads it, and the methods of [`GraphOnDevice`] are the ops. Each op consists
//! of programs of the IR, so its result is the same on every backend. Each has a host reference that shares no code with these
//! programs.
//!
//! ```
//! use std::sync::Arc;
//!
//! use vyre_graph::{Role, try_to_csr};
//! use vyre_ops::graph::{Finding, GraphOps, TraversalOptions};
//! use vyre_runtime::ReferenceDevice;
//!
//! // 0 -> 1 -> 3 and 0 -> 2 -> 3
//! let mut graph = try_to_csr(4, &[(0, 1), (0, 2), (1, 3), (2, 3)])?;
//! graph.node_data[1] = Role::Sanitizer.word();
//! graph.node_data[3] = Role::Sink.word();
//!
//! let ops = GraphOps::new(Arc::new(ReferenceDevice::new()));
//! let graph = ops.load(graph.view())?;
//! let findings = graph.bfs(&[0, 1], &TraversalOptions::default())?;
//! assert_eq!(findings, [Finding { source: 0, node: 3, depth: 2, source_index: 0 }]);
//! assert_eq!(graph.components()?, [0, 0, 0, 0]);
//! assert_eq!(graph.toposort()?.order, [0, 1, 2, 3]);
//! # Ok::<(), vyre_ops::graph::GraphError>(())
//! ```
//!
//! | Op | Algorithm | On a device | Host reference |
//! |---|---|---|---|
//! | `graph.bfs` | one BFS for each source | [`GraphOnDevice::bfs`] | [`reachable_sinks`] |
//! | `graph.reachability` | one BFS for each source | [`GraphOnDevice::reachability`] | [`reachable_nodes`] |
//! | `graph.components` | hooking and pointer jumping | [`GraphOnDevice::components`] | [`components_on_host`] |
//! | `graph.scc` | trimming, then forward-backward colouring | [`GraphOnDevice::scc`] | [`scc_on_host`] |
//! | `graph.toposort` | Kahn's algorithm by levels | [`GraphOnDevice::toposort`] | [`toposort_on_host`] |
//! | `graph.shortest_path` | delta-stepping; Bellman-Ford with a frontier for equal weights | [`GraphOnDevice::shortest_paths`] | [`shortest_paths_on_host`] |
//! | `graph.pagerank` | power iteration in fixed point | [`GraphOnDevice::pagerank`] | [`pagerank_on_host`] |
//!
//! [`GraphOnHost`] has an algorithm in plain code for each of them, with equal results. [`GraphAlgorithms`] runs these or the ops.
//!
//! `docs/graph.md` describes the buffers of each program.

mod algorithms;
mod batch_plan;
mod buckets;
mod checkpoint;
mod delta_stepping;
mod device;
mod dijkstra;
mod edge_partition;
mod error;
mod frontier;
mod host;
mod host_run;
mod radix_heap;
mod relaxation;
mod rounds;
mod search;
mod shortest_path_tree;
mod traversal;
mod traversal_options;
mod union_find;
mod weighted_pagerank;
mod word_pair;

crate::family::op_family! {
    bfs: reachable_sinks;
    reachability: reachable_nodes;
    components: components_on_host;
    scc: scc_on_host;
    toposort: TopologicalOrder, toposort_on_host;
    shortest_path: PathResult, ShortestPath, UNREACHED, shortest_path, shortest_paths_on_host;
    pagerank: ONE, PageRank, PageRankOptions, pagerank_on_host;
}

pub use algorithms::GraphAlgorithms;
pub use device::{GraphOnDevice, GraphOps, Progress};
pub use error::GraphError;
pub use host::GraphOnHost;
pub use search::FindingStream;
pub use shortest_path_tree::ShortestPathTree;
pub use traversal::Finding;
pub use traversal_options::TraversalOptions;
