//! Nearest targets against all pairs, on random graphs.

use std::sync::Arc;

use vyre_runtime::ReferenceDevice;

use super::*;
use crate::knowledge::RuleMask;
use crate::limits::Effort;
use crate::search::compact::{CompactGraph, backward_edges};
use crate::value_flow::layers::layers;
use crate::value_flow::summaries::summarize;
use crate::value_flow::{Edge, EdgeKind};

/// Shortest distance from a target in layer 1 to a start in a layer.
fn distance(graph: &CompactGraph, mask: RuleMask, targets: &[u32], start: u32) -> Option<u32> {
    let mut reached: Vec<u32> = targets.to_vec();
    let mut depth = 0;
    loop {
        if reached.contains(&start) {
            return Some(depth);
        }
        let before = reached.len();
        let next = graph.layered.edges.iter().filter(|edge| edge.2 & mask == mask && reached.contains(&edge.0));
        let next: Vec<u32> = next.map(|edge| edge.1).collect();
        reached.extend(next);
        reached.sort_unstable();
        reached.dedup();
        if reached.len() == before {
            return None;
        }
        depth += 1;
    }
}

#[test]
fn nearest_targets_are_those_of_plain_searches() {
    let engine = Dataflow::new(Arc::new(ReferenceDevice::new()));
    let mut state = 1_u64;
    let mut below = |limit: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % limit
    };
    let mut found = 0;
    for _ in 0..30 {
        let nodes = 3 + below(12);
        let mut edges = Vec::new();
        for _ in 0..nodes * 2 {
            let kind = match below(6) {
                0 => EdgeKind::Call(below(3)),
                1 => EdgeKind::Return(below(3)),
                2 => EdgeKind::Heap,
                _ => EdgeKind::Intra,
            };
            edges.push(Edge { from: below(nodes), to: below(nodes), kind, mask: 1 + u64::from(below(3)) });
        }
        edges.sort_unstable();
        let summaries = summarize(nodes as usize, &edges, Effort(100), &|| false);
        let layered = layers(nodes, &edges, &summaries);
        let graph = CompactGraph {
            originals: (0..nodes).collect(),
            numbers: (0..nodes).collect(),
            backward: backward_edges(&layered),
            edges,
            summaries,
            layered,
            is_complete: true,
        };
        let starts: Vec<u32> = (0..nodes).filter(|node| node % 3 == 0).collect();
        let groups = [vec![1, 2], vec![below(nodes)], vec![]];
        let subgraph = Subgraph::new(&graph, 1, &starts, &groups.concat());
        let nearest = Nearest::new(&subgraph, &engine, nodes, &starts, &groups).expect("a search");
        let mut expected = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            // A target of several groups is in the first one.
            let own: Vec<u32> =
                group.iter().copied().filter(|target| !groups[..number].concat().contains(target)).collect();
            for start in starts.iter().flat_map(|&start| [start, start + nodes]) {
                expected.extend(distance(&graph, 1, &own, start).map(|depth| (number as u32, start, depth)));
            }
        }
        let mut actual: Vec<(u32, u32, u32)> = (nearest.findings.iter())
            .map(|finding| {
                let target = subgraph.number(finding.sink).expect("a node of the subgraph");
                (nearest.roots[&target] - subgraph.originals.len() as u32, finding.source, finding.depth)
            })
            .collect();
        expected.sort_unstable();
        actual.sort_unstable();
        assert_eq!(actual, expected);
        let paths = nearest.paths(&engine, &nearest.findings).expect("paths");
        for (finding, path) in nearest.findings.iter().zip(&paths) {
            assert_eq!((path[0], path[path.len() - 1]), (finding.sink, finding.source));
            assert_eq!(path.len() as u32, finding.depth + 1);
            for pair in path.windows(2) {
                let is_edge =
                    |edge: &&(u32, u32, RuleMask, _)| (edge.0, edge.1) == (pair[0], pair[1]) && edge.2 & 1 == 1;
                assert!(graph.layered.edges.iter().any(|edge| is_edge(&edge)), "{path:?}");
            }
        }
        found += actual.len();
    }
    assert!(found > 100, "{found} pairs");
}
