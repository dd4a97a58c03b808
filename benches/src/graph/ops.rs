//! Graph ops on a device against their references in plain Rust.

use std::sync::Arc;

use vyre_graph::CsrView;
use vyre_graph::generate::sources;
use vyre_ops::graph::{
    GraphError, GraphOps, PageRankOptions, TraversalOptions, components_on_host, pagerank_on_host, reachable_sinks,
    scc_on_host, shortest_paths_on_host, toposort_on_host,
};

use crate::harness::{Contender, Role, time};

/// Op on a device and its reference on one thread.
pub struct OpContenders<'d> {
    /// Op id.
    pub name: &'static str,
    /// The op with the graph on the device, then the reference.
    pub contenders: Vec<Contender<'d>>,
}

/// All ops on a graph, after their results have been verified against the references.
///
/// # Errors
///
/// The device fails.
///
/// # Panics
///
/// The result of an op is not that of its reference.
pub fn op_contenders<'d>(
    ops: &'d GraphOps,
    graph: CsrView<'d>,
    source_count: usize,
) -> Result<Vec<OpContenders<'d>>, GraphError> {
    let loaded = Arc::new(ops.load(graph)?);
    let starts = Arc::new(sources(graph, source_count, 0x5EED_0020 + source_count as u64).expect("enough nodes"));
    let ranking = PageRankOptions::default().with_max_iterations(16).with_tolerance(0.0);
    let mut all = Vec::new();
    let (device, from) = (Arc::clone(&loaded), Arc::clone(&starts));
    let run = move || device.bfs(&from, &TraversalOptions::default());
    let from = Arc::clone(&starts);
    all.push(pair("graph.bfs", run, move || Ok(reachable_sinks(graph, &from, u32::MAX))));
    let device = Arc::clone(&loaded);
    all.push(pair("graph.components", move || device.components(), move || Ok(components_on_host(graph))));
    let device = Arc::clone(&loaded);
    all.push(pair("graph.scc", move || device.scc(), move || Ok(scc_on_host(graph))));
    let device = Arc::clone(&loaded);
    all.push(pair("graph.toposort", move || device.toposort(), move || toposort_on_host(graph)));
    let (device, from) = (Arc::clone(&loaded), Arc::clone(&starts));
    let run = move || device.shortest_paths(None, &from[..1]);
    all.push(pair("graph.shortest_path", run, move || shortest_paths_on_host(graph, None, &starts[..1])));
    let reference = move || Ok(pagerank_on_host(graph, &ranking));
    all.push(pair("graph.pagerank", move || loaded.pagerank(&ranking), reference));
    Ok(all)
}

fn pair<'d, T: PartialEq>(
    name: &'static str,
    run: impl Fn() -> Result<T, GraphError> + 'd,
    reference: impl Fn() -> Result<T, GraphError> + 'd,
) -> OpContenders<'d> {
    assert!(run() == reference(), "{name} differs from its reference");
    let contenders = vec![
        Contender::new("CPU backend", Role::Ours, move |_| Ok(time(&run))),
        Contender::new("reference", Role::Peer, move |_| Ok(time(&reference))),
    ];
    OpContenders { name, contenders }
}
