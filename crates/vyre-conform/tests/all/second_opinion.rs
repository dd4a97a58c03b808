//! Differential tests of the references of graph ops against petgraph and networkx.

use std::collections::HashMap;

use petgraph::algo::{dijkstra, tarjan_scc, toposort};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::unionfind::UnionFind;
use petgraph::visit::{Bfs, EdgeRef as _};
use vyre_conform::graphs::case::GraphCase;
use vyre_conform::graphs::generated::{Sizes, graph_case};
use vyre_graph::{Role, role_of};
use vyre_ops::graph::{
    GraphError, ONE, PageRankOptions, UNREACHED, components_on_host, pagerank_on_host, reachable_nodes,
    reachable_sinks, scc_on_host, shortest_path, shortest_paths_on_host, toposort_on_host,
};

const CASES: u64 = 300;

type Other = DiGraph<(), u32, u32>;

fn cases() -> impl Iterator<Item = (u64, GraphCase, Other)> {
    (0..CASES).map(|seed| {
        let case = graph_case(seed, Sizes { max_nodes: 400, chain: 2_000 });
        let other = with_edges(&case, |_| true);
        (seed, case, other)
    })
}

/// Converts to a petgraph graph, with the edges of selected nodes.
fn with_edges(case: &GraphCase, is_wanted: impl Fn(u32) -> bool) -> Other {
    let view = case.graph.view();
    let mut other = Other::with_capacity(view.node_count(), view.edge_count());
    (0..view.node_count()).for_each(|_| {
        other.add_node(());
    });
    for node in (0..view.node_count() as u32).filter(|&node| is_wanted(node)) {
        for edge in view.edges_of(node) {
            other.add_edge(
                NodeIndex::new(node as usize),
                NodeIndex::new(view.targets[edge] as usize),
                case.weights[edge],
            );
        }
    }
    other
}

/// By node: the smallest node of its component.
fn smallest(groups: impl IntoIterator<Item = Vec<usize>>, nodes: usize) -> Vec<u32> {
    let mut labels = vec![u32::MAX; nodes];
    for group in groups {
        let smallest = group.iter().min().copied().unwrap_or_default() as u32;
        group.into_iter().for_each(|node| labels[node] = smallest);
    }
    labels
}

#[test]
fn components() {
    for (seed, case, other) in cases() {
        let mut sets = UnionFind::<usize>::new(other.node_count());
        for edge in other.edge_references() {
            sets.union(edge.source().index(), edge.target().index());
        }
        let mut groups: HashMap<usize, Vec<usize>> = HashMap::new();
        for (node, set) in sets.into_labeling().into_iter().enumerate() {
            groups.entry(set).or_default().push(node);
        }
        let labels = smallest(groups.into_values(), case.graph.node_count());
        assert_eq!(components_on_host(case.graph.view()), labels, "seed {seed}, {}", case.name);
    }
}

#[test]
fn strongly_connected_components() {
    for (seed, case, other) in cases() {
        let groups = tarjan_scc(&other).into_iter().map(|group| group.into_iter().map(NodeIndex::index).collect());
        let labels = smallest(groups, case.graph.node_count());
        assert_eq!(scc_on_host(case.graph.view()), labels, "seed {seed}, {}", case.name);
    }
}

#[test]
fn topological_order() {
    let (mut sorted, mut cyclic) = (0, 0);
    for (seed, case, other) in cases() {
        let view = case.graph.view();
        match (toposort_on_host(view), toposort(&other, None)) {
            (Ok(found), Ok(_)) => {
                sorted += 1;
                let mut places = vec![usize::MAX; view.node_count()];
                found.order.iter().enumerate().for_each(|(place, &node)| places[node as usize] = place);
                assert!(places.iter().all(|&place| place != usize::MAX), "seed {seed}: not all nodes");
                for edge in other.edge_references() {
                    let (from, to) = (edge.source().index(), edge.target().index());
                    assert!(places[from] < places[to], "seed {seed}, {}: {from} -> {to}", case.name);
                    assert!(found.levels[from] < found.levels[to], "seed {seed}, {}: {from} -> {to}", case.name);
                }
            }
            (Err(GraphError::Cycle { nodes }), Err(_)) => {
                cyclic += 1;
                assert_eq!(nodes.iter().min(), nodes.first());
                for (position, &node) in nodes.iter().enumerate() {
                    let next = nodes[(position + 1) % nodes.len()];
                    assert!(view.neighbours(node).contains(&next), "seed {seed}: {node} -> {next} of {nodes:?}");
                }
            }
            (found, other) => panic!("seed {seed}, {}: {found:?} and {other:?}", case.name),
        }
    }
    assert!(sorted > 50 && cyclic > 50, "{sorted} sorted, {cyclic} cyclic");
}

#[test]
fn distances_and_ways() {
    let mut overflows = 0;
    for (seed, case, other) in cases() {
        let view = case.graph.view();
        let sums = other.map(|_, ()| (), |_, &weight| u64::from(weight));
        let mut expected = vec![u64::MAX; view.node_count()];
        for &source in &case.sources {
            let reached = dijkstra(&sums, NodeIndex::new(source as usize), None, |edge| *edge.weight());
            for (node, distance) in reached.iter().map(|(node, distance)| (node.index(), *distance)).collect::<Vec<_>>()
            {
                expected[node] = expected[node].min(distance);
            }
        }
        let found = shortest_paths_on_host(view, Some(&case.weights), &case.sources);
        if expected.iter().any(|&distance| distance != u64::MAX && distance >= u64::from(UNREACHED)) {
            assert!(matches!(found, Err(GraphError::DistanceOverflow { .. })), "seed {seed}, {}: {found:?}", case.name);
            overflows += 1;
            continue;
        }
        let found = found.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let expected: Vec<u32> =
            expected.into_iter().map(|distance| u32::try_from(distance).unwrap_or(UNREACHED)).collect();
        assert_eq!(found, expected, "seed {seed}, {}", case.name);
        check_ways(seed, &case, &found);
    }
    assert!(overflows > 5, "{overflows} overflows");
}

/// Every shortest path exists in the graph, starts at a source, and has the reported length.
fn check_ways(seed: u64, case: &GraphCase, distances: &[u32]) {
    let view = case.graph.view();
    for target in (0..view.node_count() as u32).step_by(1 + view.node_count() / 20) {
        let path = shortest_path(view, Some(&case.weights), distances, &case.sources, target);
        assert_eq!(path.is_none(), distances[target as usize] == UNREACHED, "seed {seed}, to {target}");
        let Some(path) = path else { continue };
        assert!(case.sources.contains(&path[0]) && path[path.len() - 1] == target, "seed {seed}: {path:?}");
        let lightest = |pair: &[u32]| {
            let edges = view.edges_of(pair[0]).filter(|&edge| view.targets[edge] == pair[1]);
            edges.map(|edge| case.weights[edge]).min().expect("an edge of the graph")
        };
        let length: u32 = path.windows(2).map(lightest).sum();
        assert_eq!(length, distances[target as usize], "seed {seed}: {path:?}");
    }
}

/// PageRank of petgraph is a variant (teleportation excludes successors), so networkx is the oracle.
/// `fixtures/networkx_pagerank.py` generated its results.
#[test]
fn ranks() {
    let options = PageRankOptions::default().with_max_iterations(2_000).with_tolerance(0.0);
    let fixture = include_str!("../fixtures/networkx_pagerank.txt");
    let lines: Vec<&str> = fixture.lines().filter(|line| !line.starts_with('#')).collect();
    let mut compared = 0;
    for lines in lines.chunks(3) {
        let &[nodes, edges, ranks] = lines else { panic!("three lines a graph: {lines:?}") };
        let nodes = nodes.strip_prefix("graph ").and_then(|nodes| nodes.parse().ok()).expect("a number of nodes");
        let number = |word: &str| word.parse::<u32>().unwrap_or_else(|error| panic!("{word}: {error}"));
        let ends = edges.split_whitespace().map(|edge| edge.split_once('>').expect("an edge"));
        let edges: Vec<(u32, u32)> = ends.map(|(from, to)| (number(from), number(to))).collect();
        let graph = vyre_graph::try_to_csr(nodes, &edges).expect("edges inside");
        let found = pagerank_on_host(graph.view(), &options);
        for (node, rank) in ranks.split_whitespace().enumerate() {
            let (rank, ours): (f64, f64) = (rank.parse().expect("a rank"), found.ranks[node] as f64 / ONE as f64);
            assert!((rank - ours).abs() < 1e-9, "graph {compared}, node {node}: {rank} and {ours}");
        }
        assert_eq!(ranks.split_whitespace().count(), nodes as usize);
        compared += 1;
    }
    assert_eq!(compared, 60);
}

#[test]
fn searches() {
    let mut rows = 0;
    for (seed, case, _) in cases() {
        let view = case.graph.view();
        let role = |node: u32| role_of(view.node_data[node as usize]);
        let other = with_edges(&case, |node| role(node) != Role::Sanitizer);
        let everything = reachable_nodes(view, &case.sources, u32::MAX);
        let sinks = reachable_sinks(view, &case.sources, u32::MAX);
        for (position, &source) in case.sources.iter().enumerate() {
            let mut expected: Vec<u32> = Vec::new();
            let mut search = Bfs::new(&other, NodeIndex::new(source as usize));
            while let Some(node) = search.next(&other) {
                expected.push(node.index() as u32);
            }
            let depths = dijkstra(&other, NodeIndex::new(source as usize), None, |_| 1u32);
            expected.sort_unstable();
            let of_source = |findings: &[vyre_ops::graph::Finding]| -> Vec<(u32, u32)> {
                let own = findings.iter().filter(|finding| finding.source_index as usize == position);
                own.map(|finding| (finding.node, finding.depth)).collect()
            };
            let with_depth = |nodes: Vec<u32>| -> Vec<(u32, u32)> {
                nodes.into_iter().map(|node| (node, depths[&NodeIndex::new(node as usize)])).collect()
            };
            let others = expected.iter().copied().filter(|&node| node != source).collect();
            assert_eq!(of_source(&everything), with_depth(others), "seed {seed}, {}, source {source}", case.name);
            let is_found = |node: &u32| {
                if *node == source { role(source) == Role::SourceAndSink } else { role(*node).is_sink() }
            };
            let reported = expected.iter().copied().filter(is_found).collect();
            assert_eq!(of_source(&sinks), with_depth(reported), "seed {seed}, {}, source {source}", case.name);
            rows += expected.len();
        }
    }
    assert!(rows > 10_000, "{rows} rows");
}
