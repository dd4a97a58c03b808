//! Dataflow: reachability of sinks from many sources, against BFS per source, petgraph, GraphBLAS and native code of the engine's own
//! strategies.

mod contender;
mod digest;
mod engine;
mod explained;
mod graphblas;
mod naive;
mod native;
mod petgraph;
mod taint_graph;
mod workload;

pub use contender::{
    Outcome, SourceContender, SourceTimes, compare_sources, engine_contender, loaded_contender, peers,
};
pub use digest::{Digest, Expected, Findings, Found};
pub use engine::{Engine, LOADED_SEARCH_SOURCES, Run};
pub use explained::{Batches, Explained};
pub use graphblas::GraphBlas;
pub use native::{NativeTraversal, native_search};
pub use taint_graph::TaintGraph;
pub use workload::{KnownFindings, TaintWorkload, sources_of};
