//! Algorithms of the host beside the references.

use vyre_ops::graph::{
    Finding, FindingStream, GraphError, GraphOnHost, ShortestPath, TraversalOptions, components_on_host,
    pagerank_on_host, reachable_nodes, reachable_sinks, scc_on_host, shortest_path, shortest_paths_on_host,
    toposort_on_host,
};

use super::case::{Disagreement, GraphCase, same};

/// Runs every algorithm of the host on a case and compares with the references.
///
/// # Errors
///
/// Fails at the first algorithm that differs.
pub fn check_host(case: &GraphCase) -> Result<(), Disagreement> {
    let view = case.graph.view();
    let graph = GraphOnHost::new(view).map_err(|error| Disagreement { op: "load", message: error.to_string() })?;
    let options = TraversalOptions::default().with_max_depth(case.max_depth);
    let sinks = reachable_sinks(view, &case.sources, case.max_depth);
    same("sinks on the host", &collect(graph.bfs(&case.sources, &options)), &Ok(sinks.clone()))?;
    same("number of sinks on the host", &graph.count_sinks(&case.sources, &options), &Ok(sinks.len() as u64))?;
    let nodes = reachable_nodes(view, &case.sources, case.max_depth);
    same("nodes on the host", &collect(graph.reachability(&case.sources, &options)), &Ok(nodes.clone()))?;
    same("number of nodes on the host", &graph.count_reachable(&case.sources, &options), &Ok(nodes.len() as u64))?;
    check_limits(&graph, case, &options, &nodes)?;
    same("components on the host", &graph.components(), &Ok(components_on_host(view)))?;
    same("components by Tarjan", &graph.scc(), &Ok(scc_on_host(view)))?;
    same("order on the host", &graph.toposort(), &toposort_on_host(view))?;
    check_paths(&graph, case)?;
    same("PageRank on the host", &graph.pagerank(&case.ranking), &Ok(pagerank_on_host(view, &case.ranking)))
}

fn collect(found: Result<FindingStream<'_>, GraphError>) -> Result<Vec<Finding>, GraphError> {
    found.and_then(FindingStream::into_vec)
}

/// Limits of memory and of findings that just suffice, and that do not.
fn check_limits(
    graph: &GraphOnHost<'_>,
    case: &GraphCase,
    options: &TraversalOptions,
    nodes: &[Finding],
) -> Result<(), Disagreement> {
    if case.sources.is_empty() {
        return Ok(());
    }
    let count = case.graph.node_count() as u64;
    let sufficient = 4 * count.div_ceil(32) + 20 * count;
    let tight = options.clone().with_memory(sufficient).with_max_findings(nodes.len() as u64);
    same("nodes in little memory", &collect(graph.reachability(&case.sources, &tight)), &Ok(nodes.to_vec()))?;
    let limit = sufficient - 1;
    let error = Err(GraphError::MemoryLimit { limit, sufficient });
    same("too little memory", &graph.count_reachable(&case.sources, &options.clone().with_memory(limit)), &error)?;
    if let Some(limit) = (nodes.len() as u64).checked_sub(1) {
        let error = GraphError::TooManyFindings { found: nodes.len() as u64, limit };
        let few = options.clone().with_max_findings(limit);
        same("too many findings", &collect(graph.reachability(&case.sources, &few)), &Err(error))?;
    }
    Ok(())
}

/// Distances of all nodes, and paths to some of them.
fn check_paths(graph: &GraphOnHost<'_>, case: &GraphCase) -> Result<(), Disagreement> {
    let view = case.graph.view();
    for weights in [Some(&case.weights[..]), None] {
        let expected = shortest_paths_on_host(view, weights, &case.sources);
        same("distances on the host", &graph.shortest_paths(weights, &case.sources), &expected)?;
        let Ok(distances) = expected else { continue };
        let targets: Vec<u32> = (0..view.node_count() as u32).step_by(1 + view.node_count() / 16).rev().collect();
        let tree = graph.shortest_paths_to(weights, &case.sources, &targets);
        for target in targets {
            let path = graph.shortest_path_to(weights, &case.sources, target);
            let of_tree = tree.as_ref().map(|tree| tree.path_to(target)).map_err(Clone::clone);
            same("path of a tree on the host", &of_tree, &path)?;
            let nodes = path.as_ref().map(|path| path.as_ref().map(|path: &ShortestPath| path.nodes.clone()));
            let expected = shortest_path(view, weights, &distances, &case.sources, target);
            same("path on the host", &nodes, &Ok(expected))?;
        }
    }
    Ok(())
}
