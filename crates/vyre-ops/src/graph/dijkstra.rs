//! Dijkstra's algorithm with a radix heap, which the host runs for `graph.shortest_path`.

use vyre_graph::CsrView;

use super::checkpoint::Checkpoint;
use super::device::check_sources;
use super::error::GraphError;
use super::radix_heap::RadixHeap;
use super::shortest_path::{UNREACHED, check_weights};

/// Distances of a search.
#[derive(Debug)]
pub(crate) struct Settled {
    /// Distance of each node. With targets, distances beyond that of the farthest one may be too large.
    pub(crate) distances: Vec<u32>,
    /// True if a path is longer than distances can express.
    pub(crate) has_overflow: bool,
    /// Number of nodes whose edges were relaxed.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests bound the work by it"))]
    pub(crate) settled: usize,
    /// Number of entries of the heap, over the whole search.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests bound the work by it"))]
    pub(crate) pushes: usize,
}

/// Distances from the nearest source. With targets, the search ends when all nodes within the distance of the farthest one are settled.
pub(crate) fn dijkstra(
    graph: CsrView<'_>,
    weights: Option<&[u32]>,
    sources: &[u32],
    targets: &[u32],
    checkpoint: &mut Checkpoint<'_>,
) -> Result<Settled, GraphError> {
    check_sources(graph, sources)?;
    check_weights(graph, weights)?;
    let mut distances = vec![UNREACHED; graph.node_count()];
    let mut heap = RadixHeap::new();
    for &source in sources {
        if std::mem::replace(&mut distances[source as usize], 0) != 0 {
            heap.push(0, source);
        }
    }
    let mut pending = Pending::new(targets, graph.node_count());
    let (mut has_overflow, mut settled) = (false, 0);
    while let Some((distance, node)) = heap.pop() {
        if distance > distances[node as usize] {
            continue;
        }
        // Nodes at the same distance are settled too: a path with fewer edges can lead through them.
        if pending.end.is_some_and(|end| distance > end) {
            break;
        }
        pending.settle(node, distance);
        checkpoint.step()?;
        settled += 1;
        for edge in graph.edges_of(node) {
            let there = u64::from(distance) + u64::from(weights.map_or(1, |weights| weights[edge]));
            let next = graph.targets[edge];
            match u32::try_from(there) {
                Ok(there) if there < distances[next as usize] => {
                    distances[next as usize] = there;
                    heap.push(there, next);
                }
                Ok(there) => has_overflow |= there == UNREACHED,
                Err(_) => has_overflow = true,
            }
        }
    }
    Ok(Settled { distances, has_overflow, settled, pushes: heap.pushes })
}

/// Targets that are not settled yet.
struct Pending {
    /// True for such nodes. Empty if the search has no targets.
    is_pending: Vec<bool>,
    count: usize,
    /// Distance of the farthest target, when all are settled.
    end: Option<u32>,
}

impl Pending {
    fn new(targets: &[u32], nodes: usize) -> Pending {
        let mut is_pending = vec![false; if targets.is_empty() { 0 } else { nodes }];
        let mut count = 0;
        for &target in targets {
            // A target that is no node is never settled.
            let is_new = is_pending.get_mut(target as usize).is_none_or(|it| !std::mem::replace(it, true));
            count += usize::from(is_new);
        }
        Pending { is_pending, count, end: None }
    }

    /// Takes note of a settled node. Distances must not decrease.
    fn settle(&mut self, node: u32, distance: u32) {
        if self.is_pending.get_mut(node as usize).is_some_and(std::mem::take) {
            self.count -= 1;
            self.end = (self.count == 0).then_some(distance);
        }
    }
}

#[cfg(test)]
mod tests {
    use vyre_graph::try_to_csr;

    use super::*;

    fn search(nodes: u32, weighted: &[(u32, u32, u32)], targets: &[u32]) -> Settled {
        let mut sorted = weighted.to_vec();
        sorted.sort_by_key(|&(from, to, _)| (from, to));
        let edges: Vec<(u32, u32)> = sorted.iter().map(|&(from, to, _)| (from, to)).collect();
        let weights: Vec<u32> = sorted.iter().map(|&(_, _, weight)| weight).collect();
        let graph = try_to_csr(nodes, &edges).expect("edges inside");
        dijkstra(graph.view(), Some(&weights), &[0], targets, &mut Checkpoint::unlimited()).expect("valid arguments")
    }

    /// Label correction relaxes a node of this road once for each shortcut before it.
    #[test]
    fn every_node_of_a_road_with_dear_shortcuts_is_settled_once() {
        let nodes = 20_000;
        let road = (1..nodes).flat_map(|node| [(node - 1, node, 1), (node, node - 1, 1)]);
        let shortcuts = (10..nodes).step_by(10).map(|node| (node - 10, node, 15));
        let edges: Vec<(u32, u32, u32)> = road.chain(shortcuts).collect();
        let Settled { distances, settled, pushes, .. } = search(nodes, &edges, &[]);
        assert!(distances.iter().copied().eq(0..nodes));
        assert_eq!(settled, nodes as usize);
        assert!(pushes <= nodes as usize + nodes as usize / 10, "{pushes}");
    }

    #[test]
    fn a_search_with_a_target_ends_at_its_distance() {
        let edges: Vec<(u32, u32, u32)> = (1..1_000).map(|node| (node - 1, node, 2)).collect();
        let Settled { distances, settled, .. } = search(1_000, &edges, &[20]);
        assert_eq!((distances[20], settled), (40, 21));
        assert_eq!(search(1_000, &edges, &[]).settled, 1_000);
    }

    #[test]
    fn a_search_with_several_targets_ends_at_the_farthest_one() {
        let edges: Vec<(u32, u32, u32)> = (1..1_000).map(|node| (node - 1, node, 2)).collect();
        for targets in [&[5, 20, 3][..], &[20, 5, 20, 0]] {
            assert_eq!(search(1_000, &edges, targets).settled, 21, "{targets:?}");
        }
        // Node 1,000 has no edges.
        assert_eq!(search(1_001, &edges, &[5, 1_000]).settled, 1_000);
        assert_eq!(search(1_000, &edges, &[5, 7_000]).settled, 1_000);
    }

    #[test]
    fn every_node_of_a_grid_enters_the_heap_a_few_times() {
        let side = 60;
        let weight = |from: u32, to: u32| from.wrapping_mul(0x9e37_79b9).wrapping_add(to.wrapping_mul(77)) >> 25;
        let mut edges = Vec::new();
        for node in 0..side * side {
            let right = (node % side + 1 < side).then_some(node + 1);
            let below = (node + side < side * side).then_some(node + side);
            for next in right.into_iter().chain(below) {
                edges.extend([(node, next, weight(node, next)), (next, node, weight(next, node))]);
            }
        }
        let Settled { settled, pushes, .. } = search(side * side, &edges, &[]);
        assert_eq!(settled, (side * side) as usize);
        assert!(pushes <= 2 * settled, "{pushes} entries for {settled} nodes");
    }
}
