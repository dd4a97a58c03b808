//! Graph ops on a device against their references in plain Rust.

use std::sync::Arc;
use std::time::Duration;

use crate::measure::time;
use vyre_graph::CsrView;
use vyre_graph::generate::sources;
use vyre_ops::graph::{
    GraphError, GraphOps, PageRankOptions, TraversalOptions, components_on_host, pagerank_on_host, reachable_sinks,
    scc_on_host, shortest_paths_on_host, toposort_on_host,
};

/// An op and its reference.
pub struct OpDuel<'d> {
    /// The op.
    pub name: &'static str,
    run: Box<dyn Fn() -> Duration + 'd>,
    reference: Box<dyn Fn() -> Duration + 'd>,
}

impl OpDuel<'_> {
    /// How long the op takes, with the graph on the device.
    #[must_use]
    pub fn time(&self) -> Duration {
        (self.run)()
    }

    /// How long the reference takes, on one thread.
    #[must_use]
    pub fn time_reference(&self) -> Duration {
        (self.reference)()
    }
}

/// All ops on a graph, after their answers have been compared.
///
/// # Errors
///
/// A failure of the device.
///
/// # Panics
///
/// Where an op gives something else than its reference.
pub fn op_duels<'d>(ops: &'d GraphOps, graph: CsrView<'d>, source_count: usize) -> Result<Vec<OpDuel<'d>>, GraphError> {
    let on_device = Arc::new(ops.load(graph)?);
    let starts = Arc::new(sources(graph, source_count, 0x5EED_0020 + source_count as u64).expect("enough nodes"));
    let ranking = PageRankOptions::default().with_max_iterations(16).with_tolerance(0.0);
    let mut duels = Vec::new();
    macro_rules! duel {
        ($name:literal, $run:expr, $reference:expr) => {{
            let (run, reference) = ($run, $reference);
            assert!(run() == reference(), "{} differs from its reference", $name);
            let run = Box::new(move || time(&run));
            let reference = Box::new(move || time(&reference));
            duels.push(OpDuel { name: $name, run, reference });
        }};
    }
    let (there, from) = (Arc::clone(&on_device), Arc::clone(&starts));
    let from_host = Arc::clone(&starts);
    duel!("graph.bfs", move || there.bfs(&from, &TraversalOptions::default()), move || Ok(reachable_sinks(
        graph,
        &from_host,
        u32::MAX
    )));
    let there = Arc::clone(&on_device);
    duel!("graph.components", move || there.components(), move || Ok(components_on_host(graph)));
    let there = Arc::clone(&on_device);
    duel!("graph.scc", move || there.scc(), move || Ok(scc_on_host(graph)));
    let there = Arc::clone(&on_device);
    duel!("graph.toposort", move || there.toposort(), move || toposort_on_host(graph));
    let (there, from) = (Arc::clone(&on_device), Arc::clone(&starts));
    duel!("graph.shortest_path", move || there.shortest_paths(None, &from[..1]), move || shortest_paths_on_host(
        graph,
        None,
        &starts[..1]
    ));
    let there = on_device;
    duel!("graph.pagerank", move || there.pagerank(&ranking), move || Ok(pagerank_on_host(graph, &ranking)));
    Ok(duels)
}
