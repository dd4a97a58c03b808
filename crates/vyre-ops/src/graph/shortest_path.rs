//! `graph.shortest_path`: multi-source shortest distances by delta-stepping, or by label correction (Bellman-Ford with a frontier of
//! changed nodes) where all edges have the same weight.
//!
//! In label correction, a node whose distance decreases enters the next level, where its edges are relaxed. The final distances are
//! minima over all paths, so they do not depend on the order of relaxations.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use vyre_graph::CsrView;
use vyre_ir::{AtomicOp, DataType, Program};
use vyre_runtime::{Bindings, CommandList};

use super::delta_stepping::{self, Steps};
use super::device::{GraphOnDevice, check_sources};
use super::error::GraphError;
use super::frontier::{self, Frontier};
use super::relaxation::Relaxation;
pub use super::relaxation::UNREACHED;
use super::rounds::{self, Width};
use super::shortest_path_tree::{self, ShortestPathTree};
use crate::op::BUFFER_OP;
use crate::{Op, ProgramVariant};

pub(crate) const OP: Op = Op {
    id: "graph.shortest_path",
    summary: "For each node the sum of weights of a shortest path from the nearest source.",
    canonical: narrow,
    stages: &[
        ProgramVariant { name: "narrow", build: narrow },
        ProgramVariant { name: "wide", build: wide },
        ProgramVariant { name: "bucket_narrow", build: delta_stepping::narrow },
        ProgramVariant { name: "bucket_wide", build: delta_stepping::wide },
    ],
    ..BUFFER_OP
};

fn narrow() -> Program {
    relax(Width::Narrow)
}

fn wide() -> Program {
    relax(Width::Wide)
}

fn relax(width: Width) -> Program {
    let mut p = rounds::builder();
    let relaxation = Relaxation::declare(&mut p);
    let marks = p.read_write("marks", DataType::U32);
    frontier::program(width, p, |b, queue, node, level| {
        relaxation.relax(b, node, |b, target, _| {
            // A node enters a level once.
            let mark = b.atomic("mark", AtomicOp::Exchange, &marks, target, level + 1u32);
            b.if_(mark.ne(level + 1u32), |b| queue.add(b, target));
        });
    })
}

impl GraphOnDevice<'_> {
    /// `graph.shortest_path`: for each node the smallest sum of weights of a path from any of the sources, or [`UNREACHED`].
    /// Without weights every edge counts 1. [`shortest_path`] returns the path itself.
    ///
    /// # Errors
    ///
    /// A source is not a node, the number of weights is wrong, a shortest path is longer than 2^32 - 2, or the device fails.
    pub fn shortest_paths(&self, weights: Option<&[u32]>, sources: &[u32]) -> Result<Vec<u32>, GraphError> {
        let distances = self.distances(weights, sources)?;
        check_overflow(self.host, &distances)?;
        Ok(distances)
    }

    /// A shortest path to `target`, or `None` if no source reaches it. Of several paths it is one with the fewest edges, and of
    /// these the lexicographically smallest one. Distances of other nodes may exceed the range.
    ///
    /// # Errors
    ///
    /// As [`shortest_paths`](GraphOnDevice::shortest_paths), but only a path to the target can be too long.
    pub fn shortest_path_to(&self, weights: Option<&[u32]>, sources: &[u32], target: u32) -> PathResult {
        Ok(self.shortest_paths_to(weights, sources, &[target])?.path_to(target))
    }

    /// Shortest paths to all of these nodes. Of several paths to one of them it is one with the fewest edges, and of these the
    /// lexicographically smallest one. Distances of other nodes may exceed the range.
    ///
    /// # Errors
    ///
    /// As [`shortest_paths`](GraphOnDevice::shortest_paths), but only a path to a target can be too long.
    pub fn shortest_paths_to(
        &self,
        weights: Option<&[u32]>,
        sources: &[u32],
        targets: &[u32],
    ) -> Result<ShortestPathTree, GraphError> {
        let distances = self.distances(weights, sources)?;
        shortest_path_tree::check_overflow(self.host, &distances, targets)?;
        Ok(ShortestPathTree::new(self.host, weights, distances, sources, targets))
    }

    /// Distances without paths that are longer than 2^32 - 2.
    fn distances(&self, weights: Option<&[u32]>, sources: &[u32]) -> Result<Vec<u32>, GraphError> {
        check_sources(self.host, sources)?;
        check_weights(self.host, weights)?;
        let (ops, nodes) = (self.ops, self.host.node_count());
        let mut distances = vec![UNREACHED; nodes];
        let mut starts = Vec::new();
        for &source in sources {
            if std::mem::replace(&mut distances[source as usize], 0) != 0 {
                starts.push(source);
            }
        }
        let distances = ops.upload(&distances)?;
        let weights = weights.unwrap_or_default();
        let weights_on_device = ops.upload(weights)?;
        if let Some(steps) = Steps::new(ops, nodes, weights) {
            delta_stepping::search(ops, &self.edges, [&weights_on_device, &distances], nodes, &starts, steps)?;
            return ops.read(&distances);
        }
        let marks = ops.zeroed(nodes as u64)?;
        let mut frontier = Frontier::new(ops, nodes)?;
        frontier.seed(&starts)?;
        let Frontier { queue, state, .. } = &frontier;
        let bindings = Bindings::in_order([
            &self.edges.offsets,
            &self.edges.targets,
            &weights_on_device,
            &distances,
            &marks,
            queue,
            state,
        ]);
        let (narrow, wide) = (ops.pipeline("shortest_path.narrow", narrow)?, ops.pipeline("shortest_path.wide", wide)?);
        frontier.run(CommandList::new(), [&narrow, &wide], &bindings)?;
        ops.read(&distances)
    }
}

pub(crate) fn check_weights(graph: CsrView<'_>, weights: Option<&[u32]>) -> Result<(), GraphError> {
    match weights {
        Some(weights) if weights.len() != graph.edge_count() => {
            Err(GraphError::Weights { found: weights.len(), edges: graph.edge_count() })
        }
        _ => Ok(()),
    }
}

/// Checks that no reached node has an edge to an unreached one, which only an overflow of the distance can cause.
pub(crate) fn check_overflow(graph: CsrView<'_>, distances: &[u32]) -> Result<(), GraphError> {
    let mut too_far = None;
    for node in 0..graph.node_count() as u32 {
        if distances[node as usize] != UNREACHED {
            let beyond =
                graph.neighbours(node).iter().copied().filter(|&target| distances[target as usize] == UNREACHED);
            too_far = too_far.into_iter().chain(beyond).min();
        }
    }
    match too_far {
        Some(node) => Err(GraphError::DistanceOverflow { node }),
        None => Ok(()),
    }
}

/// A shortest path to a node, `None` if no source reaches it, or an error.
pub type PathResult = Result<Option<ShortestPath>, GraphError>;

/// A shortest path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShortestPath {
    /// Nodes of the path, the source first.
    pub nodes: Vec<u32>,
    /// Distance of each node of the path.
    pub distances: Vec<u32>,
}

/// Nodes of a shortest path to `target`, the source first; `None` if there is no path. Of several paths it is one with the fewest
/// edges, and of these the lexicographically smallest one.
///
/// `distances` are the result of [`GraphOnDevice::shortest_paths`] for the same graph, weights and sources. If the number of
/// distances or weights is wrong, there is no path. Sources that are not nodes are ignored.
#[must_use]
pub fn shortest_path(
    graph: CsrView<'_>,
    weights: Option<&[u32]>,
    distances: &[u32],
    sources: &[u32],
    target: u32,
) -> Option<Vec<u32>> {
    let is_complete = distances.len() == graph.node_count();
    if !is_complete || weights.is_some_and(|weights| weights.len() != graph.edge_count()) {
        return None;
    }
    let before = shortest_path_tree::predecessors(graph, weights, distances, sources, &[target]);
    shortest_path_tree::nodes_to(&before, target)
}

/// Host reference of `graph.shortest_path`: Dijkstra's algorithm with 64-bit sums.
///
/// # Errors
///
/// As [`GraphOnDevice::shortest_paths`].
pub fn shortest_paths_on_host(
    graph: CsrView<'_>,
    weights: Option<&[u32]>,
    sources: &[u32],
) -> Result<Vec<u32>, GraphError> {
    check_sources(graph, sources)?;
    check_weights(graph, weights)?;
    let mut distances = vec![u64::MAX; graph.node_count()];
    let mut heap = BinaryHeap::new();
    for &source in sources {
        distances[source as usize] = 0;
        heap.push(Reverse((0u64, source)));
    }
    while let Some(Reverse((distance, node))) = heap.pop() {
        if distance > distances[node as usize] {
            continue;
        }
        for edge in graph.edges_of(node) {
            let next = graph.targets[edge];
            let there = distance + u64::from(weights.map_or(1, |weights| weights[edge]));
            if there < distances[next as usize] {
                distances[next as usize] = there;
                heap.push(Reverse((there, next)));
            }
        }
    }
    let too_far = |&distance: &u64| distance != u64::MAX && distance >= u64::from(UNREACHED);
    if let Some(node) = smallest_beyond(graph, &distances, too_far) {
        return Err(GraphError::DistanceOverflow { node });
    }
    Ok(distances.into_iter().map(|distance| u32::try_from(distance).unwrap_or(UNREACHED)).collect())
}

/// Smallest node beyond the limit that has an edge from a node within it.
fn smallest_beyond(graph: CsrView<'_>, distances: &[u64], is_too_far: impl Fn(&u64) -> bool) -> Option<u32> {
    let within = (0..graph.node_count() as u32).filter(|&node| {
        let distance = &distances[node as usize];
        *distance != u64::MAX && !is_too_far(distance)
    });
    let beyond = within.flat_map(|node| graph.neighbours(node)).copied();
    beyond.filter(|&target| is_too_far(&distances[target as usize])).min()
}
