//! Weakly connected components on the host: concurrent union-find with path halving (Anderson, Woll, 1991).
//!
//! The parent of a node is a smaller node of its component or the node itself, so the last root of a component is its smallest node
//! in whatever order threads process edges.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;
use vyre_graph::CsrView;

use super::error::GraphError;
use super::host_run::HostRun;

/// Number of edges of a unit of parallel work, unless one node has more.
const UNIT_EDGES: usize = 1 << 14;

/// Smallest node of the component of each node.
pub(crate) fn components(graph: CsrView<'_>, run: &HostRun) -> Result<Vec<u32>, GraphError> {
    let parents: Vec<AtomicU32> = (0..graph.node_count() as u32).map(AtomicU32::new).collect();
    let units = graph.edge_count().div_ceil(UNIT_EDGES);
    // The nodes whose first edge lies in a unit.
    let first_node = |unit: usize| graph.offsets.partition_point(|&offset| (offset as usize) < unit * UNIT_EDGES);
    (0..units).into_par_iter().try_for_each(|unit| {
        run.checkpoint().check()?;
        for node in first_node(unit)..first_node(unit + 1).min(graph.node_count()) {
            let mut root = node as u32;
            for &target in graph.neighbours(node as u32) {
                root = join(&parents, root, target);
            }
        }
        Ok::<(), GraphError>(())
    })?;
    let labels = (0..parents.len() as u32).into_par_iter().with_min_len(1 << 12).map(|node| find_root(&parents, node));
    Ok(labels.collect())
}

/// Joins the trees of two nodes. Returns an ancestor of both.
fn join(parents: &[AtomicU32], mut one: u32, mut other: u32) -> u32 {
    loop {
        (one, other) = (find_root(parents, one), find_root(parents, other));
        if one == other {
            return one;
        }
        let (low, high) = (one.min(other), one.max(other));
        match parents[high as usize].compare_exchange(high, low, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return low,
            // Another thread has hooked the root: continue from its new parent.
            Err(parent) => (one, other) = (parent, low),
        }
    }
}

/// Root of the tree of a node. Each node on the path gets its grandparent as parent. A stale parent is an ancestor too, so the atomics
/// need no ordering.
fn find_root(parents: &[AtomicU32], mut node: u32) -> u32 {
    let mut parent = parents[node as usize].load(Ordering::Relaxed);
    while parent != node {
        let grandparent = parents[parent as usize].load(Ordering::Relaxed);
        if grandparent != parent {
            parents[node as usize].store(grandparent, Ordering::Relaxed);
        }
        (node, parent) = (parent, grandparent);
    }
    node
}
