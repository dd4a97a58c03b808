//! Shortest-path tree: a shortest path to each of some nodes.
//!
//! It is a BFS along the edges that shortest paths can contain. A BFS that visits sources and neighbours in ascending order reaches
//! the nodes of a level in the lexicographic order of their smallest paths, so the first edge to a node is that of its path. The
//! tree takes two words for each node, whatever the number and the length of the paths.

use std::collections::VecDeque;

use vyre_graph::CsrView;

use super::error::GraphError;
use super::relaxation::UNREACHED;
use super::shortest_path::ShortestPath;

/// Predecessor of a node that is not in the tree.
const NONE: u32 = u32::MAX;

/// Shortest paths to some nodes, the targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShortestPathTree {
    distances: Vec<u32>,
    /// Predecessor of each node of the tree; that of a source is the source itself.
    before: Vec<u32>,
}

impl ShortestPathTree {
    /// The tree that has all targets, by the distances of all nodes that are not farther.
    pub(crate) fn new(
        graph: CsrView<'_>,
        weights: Option<&[u32]>,
        distances: Vec<u32>,
        sources: &[u32],
        targets: &[u32],
    ) -> ShortestPathTree {
        let before = predecessors(graph, weights, &distances, sources, targets);
        ShortestPathTree { distances, before }
    }

    /// Distance of a target; `None` if no source reaches it. Nodes that are no targets may have none.
    #[must_use]
    pub fn distance(&self, target: u32) -> Option<u32> {
        let is_in_tree = *self.before.get(target as usize)? != NONE;
        is_in_tree.then(|| self.distances[target as usize])
    }

    /// The path to a target; `None` if no source reaches it. Nodes that are no targets may have none.
    #[must_use]
    pub fn path_to(&self, target: u32) -> Option<ShortestPath> {
        let nodes = nodes_to(&self.before, target)?;
        let distances = nodes.iter().map(|&node| self.distances[node as usize]).collect();
        Some(ShortestPath { nodes, distances })
    }
}

/// Predecessors of the nodes on shortest paths, until all targets are reached. The numbers of distances and weights must be right.
pub(crate) fn predecessors(
    graph: CsrView<'_>,
    weights: Option<&[u32]>,
    distances: &[u32],
    sources: &[u32],
    targets: &[u32],
) -> Vec<u32> {
    let mut ends: Vec<u32> = targets.to_vec();
    ends.sort_unstable();
    ends.dedup();
    ends.retain(|&end| distances.get(end as usize).is_some_and(|&distance| distance != UNREACHED));
    let farthest = ends.iter().map(|&end| distances[end as usize]).max().unwrap_or(0);
    let mut starts: Vec<u32> = sources.iter().copied().filter(|&source| (source as usize) < distances.len()).collect();
    starts.sort_unstable();
    starts.dedup();
    let mut before = vec![NONE; distances.len()];
    let mut pending = ends.len();
    for &source in &starts {
        before[source as usize] = source;
        pending -= usize::from(ends.binary_search(&source).is_ok());
    }
    let weight = |edge: usize| weights.map_or(1, |weights| weights[edge]);
    let mut queue = VecDeque::from(starts);
    let mut next = Vec::new();
    while pending > 0
        && let Some(node) = queue.pop_front()
    {
        let here = distances[node as usize];
        next.clear();
        next.extend(graph.edges_of(node).filter_map(|edge| {
            let next = graph.targets[edge];
            let there = distances[next as usize];
            let is_new = before[next as usize] == NONE && there <= farthest;
            (is_new && here.checked_add(weight(edge)) == Some(there)).then_some(next)
        }));
        next.sort_unstable();
        next.dedup();
        for &next in &next {
            before[next as usize] = node;
            pending -= usize::from(ends.binary_search(&next).is_ok());
        }
        queue.extend(&next);
    }
    before
}

/// Nodes of the path to a node, the source first; `None` if the node is not in the tree.
pub(crate) fn nodes_to(before: &[u32], target: u32) -> Option<Vec<u32>> {
    before.get(target as usize).filter(|&&from| from != NONE)?;
    let mut path = vec![target];
    let mut node = target;
    while before[node as usize] != node {
        node = before[node as usize];
        path.push(node);
    }
    path.reverse();
    Some(path)
}

/// Checks that each target has a distance, or that no path leads to it.
pub(crate) fn check_overflow(graph: CsrView<'_>, distances: &[u32], targets: &[u32]) -> Result<(), GraphError> {
    let is_far = |target: &&u32| distances.get(**target as usize) == Some(&UNREACHED);
    let far: Vec<u32> = targets.iter().filter(is_far).copied().collect();
    if far.is_empty() {
        return Ok(());
    }
    let mut is_reached: Vec<bool> = distances.iter().map(|&distance| distance != UNREACHED).collect();
    let mut stack: Vec<u32> = (0..graph.node_count() as u32).filter(|&node| is_reached[node as usize]).collect();
    while let Some(node) = stack.pop() {
        for &next in graph.neighbours(node) {
            if !std::mem::replace(&mut is_reached[next as usize], true) {
                stack.push(next);
            }
        }
    }
    match far.into_iter().filter(|&target| is_reached[target as usize]).min() {
        Some(node) => Err(GraphError::DistanceOverflow { node }),
        None => Ok(()),
    }
}
