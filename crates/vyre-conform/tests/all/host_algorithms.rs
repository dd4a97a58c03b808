//! Algorithms of the host on several numbers of threads, on random graphs and on graphs that are hard for other methods.

use vyre_conform::generated::Seeds;
use vyre_conform::graphs::generated::{Sizes, graph_case};
use vyre_conform::graphs::host::check_host;
use vyre_conform::graphs::shapes::Shape;
use vyre_graph::generate::{SplitMix64, rmat, roles};
use vyre_graph::{CsrGraph, Role, try_to_csr};
use vyre_ops::graph::{
    FindingStream, GraphError, GraphOnHost, TraversalOptions, reachable_nodes, reachable_sinks, shortest_path,
    shortest_paths_on_host,
};

/// Runs a function on a pool of so many threads.
fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start").install(run)
}

#[test]
fn random_graphs_on_one_to_four_threads() {
    for seed in Seeds::from_environment(200).iter() {
        let case = graph_case(seed, Sizes::SMALL);
        let checked = on_threads(1 + (seed % 4) as usize, || check_host(&case));
        checked.unwrap_or_else(|disagreement| panic!("seed {seed}, {}: {disagreement}", case.name));
    }
}

/// Many sources that reach most of the graph, some of them twice.
fn many_sources() -> (CsrGraph, Vec<u32>) {
    let mut graph = rmat(10, 8, 5).expect("a graph");
    roles(&mut graph, 6);
    let mut random = SplitMix64::new(7);
    let sources = (0..300).map(|_| random.below(graph.node_count() as u64) as u32).collect();
    (graph, sources)
}

#[test]
fn shared_searches_find_what_single_ones_find() {
    let (graph, sources) = many_sources();
    let view = graph.view();
    for (threads, depth) in [(1, u32::MAX), (2, 2), (3, u32::MAX), (4, 0)] {
        let options = TraversalOptions::default().with_max_depth(depth);
        on_threads(threads, || {
            let host = GraphOnHost::new(view).expect("a valid graph");
            let sinks = host.bfs(&sources, &options).and_then(FindingStream::into_vec);
            assert_eq!(sinks, Ok(reachable_sinks(view, &sources, depth)));
            let nodes = reachable_nodes(view, &sources, depth);
            assert_eq!(host.count_reachable(&sources, &options), Ok(nodes.len() as u64));
            assert_eq!(host.reachability(&sources, &options).and_then(FindingStream::into_vec), Ok(nodes));
        });
    }
}

/// The rows of a tight limit are not in memory at once: chunks are short, and their order is that of all findings.
#[test]
fn rows_are_streamed_under_a_memory_limit() {
    let (graph, sources) = many_sources();
    let nodes = graph.node_count() as u64;
    let options = TraversalOptions::default().with_memory(4 * nodes.div_ceil(32) + 20 * nodes);
    let host = GraphOnHost::new(graph.view()).expect("a valid graph");
    let mut stream = host.reachability(&sources, &options).expect("the limit suffices");
    let (mut found, mut largest) = (Vec::new(), 0);
    let count = stream.count().expect("no deadline");
    while let Some(chunk) = stream.next_chunk().expect("no deadline") {
        largest = largest.max(chunk.len());
        found.extend_from_slice(chunk);
    }
    assert_eq!(found, reachable_nodes(graph.view(), &sources, u32::MAX));
    assert_eq!(count, found.len() as u64);
    assert!(largest < found.len() / 10, "{largest} of {}", found.len());
}

/// The first sources are in a dense part, so later ones are tried together, although they begin a long chain.
#[test]
fn deep_searches_after_shallow_ones_are_complete() {
    let dense = Shape::complete(40);
    let mut edges = dense.edges.clone();
    let length = 1_000;
    edges.extend((dense.nodes..dense.nodes + length - 1).map(|node| (node, node + 1)));
    edges.extend((0..40).map(|node| (dense.nodes + length - 1, node)));
    let mut graph = try_to_csr(dense.nodes + length, &edges).expect("edges inside");
    graph.node_data[3] = Role::Sink.word();
    let sources: Vec<u32> = (0..120).collect();
    for threads in [1, 2] {
        on_threads(threads, || {
            let host = GraphOnHost::new(graph.view()).expect("a valid graph");
            let options = TraversalOptions::default();
            let found = host.reachability(&sources, &options).and_then(FindingStream::into_vec);
            assert_eq!(found, Ok(reachable_nodes(graph.view(), &sources, u32::MAX)));
            let found = host.bfs(&sources, &options).and_then(FindingStream::into_vec);
            assert_eq!(found, Ok(reachable_sinks(graph.view(), &sources, u32::MAX)));
        });
    }
}

#[test]
fn two_node_cycles_in_a_chain_are_components() {
    let shape = Shape::chain_of_pairs(20_000);
    let graph = try_to_csr(shape.nodes, &shape.edges).expect("edges inside");
    let labels = GraphOnHost::new(graph.view()).and_then(|host| host.scc()).expect("no deadline");
    assert!(labels.iter().copied().eq((0..shape.nodes).map(|node| node & !1)));
}

/// Sums of weights at the limit of distances and beyond it.
#[test]
fn distances_overflow_only_where_they_are_asked_for() {
    let graph = try_to_csr(4, &[(0, 1), (0, 2), (2, 3)]).expect("edges inside");
    let host = GraphOnHost::new(graph.view()).expect("a valid graph");
    let weights = [0, u32::MAX - 1, 1];
    let overflow = GraphError::DistanceOverflow { node: 3 };
    assert_eq!(host.shortest_paths(Some(&weights), &[0]), Err(overflow.clone()));
    assert_eq!(shortest_paths_on_host(graph.view(), Some(&weights), &[0]), Err(overflow.clone()));
    let path = host.shortest_path_to(Some(&weights), &[0], 2).expect("the target is near").expect("a path");
    assert_eq!((path.nodes, path.distances), (vec![0, 2], vec![0, u32::MAX - 1]));
    assert_eq!(host.shortest_path_to(Some(&weights), &[0], 3), Err(overflow));
    assert_eq!(host.shortest_path_to(Some(&weights), &[1], 3), Ok(None));
}

/// Edges of weight 0 lead to the target at its own distance: the path with the fewest edges is the one of the complete search.
#[test]
fn an_early_end_keeps_the_path_with_the_fewest_edges() {
    // 0 -> 1 -> 2 -> 4 of weights 1, 0, 0 and 0 -> 3 -> 4 of weights 1, 0.
    let edges = [(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)];
    let graph = try_to_csr(5, &edges).expect("edges inside");
    let weights = [1, 1, 0, 0, 0];
    let host = GraphOnHost::new(graph.view()).expect("a valid graph");
    let path = host.shortest_path_to(Some(&weights), &[0], 4).expect("runs").expect("a path");
    assert_eq!(path.nodes, [0, 3, 4]);
    let distances = host.shortest_paths(Some(&weights), &[0]).expect("runs");
    assert_eq!(shortest_path(graph.view(), Some(&weights), &distances, &[0], 4), Some(path.nodes));
}
