//! Measurement of graph algorithms: plain code on the host, and ops on a device.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use vyre_graph::generate::{GenerateError, SplitMix64, rmat};
use vyre_graph::{CsrGraph, try_to_csr};
use vyre_ops::graph::{GraphError, GraphOnHost, GraphOps, PageRankOptions, TraversalOptions};
use vyre_runtime::Device;

use crate::cost::AlgorithmSpeed;
use crate::error::DataflowError;

/// Number of runs of a measurement, after one that compiles; the fastest counts.
const RUNS: usize = 2;
/// Number of sources of a shared search on the host.
const SHARED_SOURCES: usize = 64;
/// Number of iterations of PageRank.
const ITERATIONS: u32 = 8;
const SEED: u64 = 0x5EED_0002;

/// Reason why a constant has no measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeasureError {
    /// An analysis failed.
    Analysis(DataflowError),
    /// A graph algorithm failed.
    Algorithm(GraphError),
}

impl From<DataflowError> for MeasureError {
    fn from(error: DataflowError) -> MeasureError {
        MeasureError::Analysis(error)
    }
}

impl From<GraphError> for MeasureError {
    fn from(error: GraphError) -> MeasureError {
        MeasureError::Algorithm(error)
    }
}

impl fmt::Display for MeasureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeasureError::Analysis(error) => error.fmt(f),
            MeasureError::Algorithm(error) => error.fmt(f),
        }
    }
}

impl Error for MeasureError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            MeasureError::Analysis(error) => Some(error),
            MeasureError::Algorithm(error) => Some(error),
        }
    }
}

/// Graphs on which algorithms are measured.
pub(crate) struct AlgorithmGraphs {
    graph: CsrGraph,
    /// The same edges from smaller to larger nodes.
    acyclic: CsrGraph,
    weights: Vec<u32>,
}

impl AlgorithmGraphs {
    /// Generates graphs of so many nodes, as an exponent of 2.
    pub(crate) fn new(scale: u32) -> Result<AlgorithmGraphs, GenerateError> {
        let graph = rmat(scale, 8, SEED)?;
        let nodes = graph.node_count() as u32;
        let edges = (0..nodes).flat_map(|node| graph.view().neighbours(node).iter().map(move |&target| (node, target)));
        let ascending: Vec<(u32, u32)> =
            edges.filter(|(one, other)| one != other).map(|(one, other)| (one.min(other), one.max(other))).collect();
        // It does not fail, since the edges are those of a graph with so many nodes. A cycle would end the calibration.
        let acyclic = try_to_csr(nodes, &ascending).unwrap_or_else(|_| graph.clone());
        let mut random = SplitMix64::new(SEED);
        let weights = (0..graph.edge_count()).map(|_| random.below(1000) as u32).collect();
        Ok(AlgorithmGraphs { graph, acyclic, weights })
    }

    fn steps(&self) -> f64 {
        (self.graph.edge_count() + 2 * self.graph.node_count()) as f64
    }

    /// Nodes with edges, from which searches begin.
    fn sources(&self, count: usize) -> Vec<u32> {
        let view = self.graph.view();
        let with_edges: Vec<u32> =
            (0..view.node_count() as u32).filter(|&node| !view.neighbours(node).is_empty()).collect();
        let stride = (with_edges.len() / count.max(1)).max(1);
        with_edges.into_iter().step_by(stride).take(count).collect()
    }

    fn ranking() -> PageRankOptions {
        PageRankOptions::default().with_max_iterations(ITERATIONS).with_tolerance(0.0)
    }
}

/// Measures the algorithms of the host on all threads.
pub(crate) fn measure_on_host(graphs: &AlgorithmGraphs) -> Result<AlgorithmSpeed, MeasureError> {
    let graph = GraphOnHost::new(graphs.graph.view())?;
    let acyclic = GraphOnHost::new(graphs.acyclic.view())?;
    let sources = graphs.sources(SHARED_SOURCES);
    let first = graphs.sources(1);
    let options = TraversalOptions::default();
    let steps = graphs.steps();
    Ok(AlgorithmSpeed::new([
        fastest(|| graph.count_reachable(&sources, &options).map(drop))? / steps,
        fastest(|| graph.components().map(drop))? / steps,
        fastest(|| graph.scc().map(drop))? / steps,
        fastest(|| acyclic.toposort().map(drop))? / steps,
        fastest(|| graph.shortest_paths(Some(&graphs.weights), &first).map(drop))? / steps,
        fastest(|| graph.pagerank(&AlgorithmGraphs::ranking()).map(drop))? / (steps * f64::from(ITERATIONS)),
    ]))
}

/// Measures the ops on a device. So many searches run, of which `lanes` at a time.
pub(crate) fn measure_ops(
    device: Arc<dyn Device>,
    graphs: &AlgorithmGraphs,
    searches: usize,
    lanes: f64,
) -> Result<AlgorithmSpeed, MeasureError> {
    let ops = GraphOps::new(device);
    let graph = ops.load(graphs.graph.view())?;
    let acyclic = ops.load(graphs.acyclic.view())?;
    let sources = graphs.sources(searches);
    let first = graphs.sources(1);
    // Short searches, since their number of steps is what counts.
    let options = TraversalOptions::default().with_max_depth(2);
    let host = GraphOnHost::new(graphs.graph.view())?;
    let reached = host.count_reachable(&sources, &options)? + sources.len() as u64;
    let steps = graphs.steps();
    let searched = (reached as f64 * steps / graphs.graph.node_count() as f64).max(1.0);
    Ok(AlgorithmSpeed::new([
        fastest(|| graph.bfs(&sources, &options).map(drop))? * lanes.min(sources.len() as f64).max(1.0) / searched,
        fastest(|| graph.components().map(drop))? / steps,
        fastest(|| graph.scc().map(drop))? / steps,
        fastest(|| acyclic.toposort().map(drop))? / steps,
        fastest(|| graph.shortest_paths(Some(&graphs.weights), &first).map(drop))? / steps,
        fastest(|| graph.pagerank(&AlgorithmGraphs::ranking()).map(drop))? / (steps * f64::from(ITERATIONS)),
    ]))
}

/// Nanoseconds of the fastest of some runs.
fn fastest(mut run: impl FnMut() -> Result<(), GraphError>) -> Result<f64, GraphError> {
    run()?;
    let mut fastest = Duration::MAX;
    for _ in 0..RUNS {
        let begin = Instant::now();
        run()?;
        fastest = fastest.min(begin.elapsed());
    }
    Ok(fastest.as_secs_f64() * 1e9)
}
