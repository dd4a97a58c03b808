//! Graph preparation: edge filtering, backward reachability from the sinks (pruning), and renumbering.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

use rayon::prelude::*;
use vyre_graph::{CsrGraph, CsrView, Role, ValidGraph, role_of};

use crate::node_set::NodeSet;
pub use crate::renumbering::DROPPED;
use crate::renumbering::Renumbering;

/// Order of the new node ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeOrder {
    /// Ascending original ids.
    Original,
    /// Descending in-degree. The frontiers of nodes with many incoming edges are read most often and are adjacent in memory.
    ByInDegree,
}

/// A graph without edges that no fact traverses. Nodes have new ids.
#[derive(Clone, Debug)]
pub struct PreparedGraph {
    /// Edges that facts can traverse. No edge leaves a sanitizer.
    pub forward: CsrGraph,
    /// Transposed graph, with [`NodeOrder::ByInDegree`] only. The edges of a node from the first 1/64 of the nodes come first.
    pub backward: Option<CsrGraph>,
    /// Original id of each node.
    pub original_ids: Vec<u32>,
    /// New id of each node of the original graph, or [`DROPPED`].
    pub new_ids: Vec<u32>,
    /// New ids of the sinks, in ascending order of their original ids.
    pub sinks: Vec<u32>,
}

impl PreparedGraph {
    /// Original ids of the sinks, ascending.
    #[must_use]
    pub fn original_sinks(&self) -> Vec<u32> {
        self.sinks.iter().map(|&sink| self.original_ids[sink as usize]).collect()
    }

    /// Number of nodes that remain.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.original_ids.len()
    }
}

/// Removes edges that leave sanitizers or have a 0 in `passes`, and with `prune` all nodes that reach no sink. Uses all threads.
///
/// # Panics
///
/// If the graph is not valid; see [`CsrView::validate`].
#[must_use]
pub fn prepare(graph: CsrView<'_>, passes: Option<&[u32]>, prune: bool, order: NodeOrder) -> PreparedGraph {
    let valid = ValidGraph::new(graph).unwrap_or_else(|error| panic!("{error}"));
    prepare_valid(valid, passes, prune, order)
}

/// Prepares a valid graph like [`prepare`]. An index of the graph saves the transposition and the sorting of nodes.
#[must_use]
pub fn prepare_valid(valid: ValidGraph<'_>, passes: Option<&[u32]>, prune: bool, order: NodeOrder) -> PreparedGraph {
    let graph = valid.csr();
    let roles: Vec<Role> = graph.node_data.par_iter().map(|&word| role_of(word)).collect();
    let is_open = |edge: usize| passes.is_none_or(|passes| passes[edge] != 0);
    let open = passes.map(|_| filtered(graph, &roles, is_open));
    let open = open.as_ref().map_or(graph, CsrGraph::view);
    // The index of the graph is of no use for the edges that pass.
    let (known_rows, known_order) = if passes.is_none() { (valid.transposed(), valid.order()) } else { (None, None) };
    let needs_transposed = prune || order == NodeOrder::ByInDegree;
    let computed = (needs_transposed && known_rows.is_none()).then(|| open.transposed());
    let transposed = known_rows.filter(|_| needs_transposed).or(computed.as_ref().map(CsrGraph::view));
    let kept = match (transposed, prune) {
        (Some(transposed), true) => Some(reaching_sinks(transposed, &roles)),
        _ => None,
    };
    let is_kept = |node: usize| kept.as_ref().is_none_or(|kept| kept[node]);
    let original_ids: Vec<u32> = match (known_order, order) {
        (Some(nodes), NodeOrder::ByInDegree) => {
            nodes.par_iter().copied().filter(|&node| is_kept(node as usize)).collect()
        }
        _ => {
            let nodes = (0..graph.node_count() as u32).into_par_iter();
            let mut nodes: Vec<u32> = nodes.filter(|&node| is_kept(node as usize)).collect();
            if let (Some(transposed), NodeOrder::ByInDegree) = (transposed, order) {
                sort_by_in_degree(transposed, &mut nodes);
            }
            nodes
        }
    };
    let new_ids = inverted(&original_ids, graph.node_count());
    let can_leave = |node: usize| roles[node] != Role::Sanitizer;
    let all = NodeSet::new(graph.node_count(), is_kept);
    let left = NodeSet::new(graph.node_count(), |node| is_kept(node) && can_leave(node));
    let renumbering = Renumbering { original_ids: &original_ids, new_ids: &new_ids };
    let forward = renumbering.apply(open, 0, &left, &all);
    let backward = match (transposed, order) {
        // After few levels the nodes of highest in-degree carry most bits, so a pull that visits them first ends early.
        (Some(transposed), NodeOrder::ByInDegree) => {
            let first = (original_ids.len() / 64) as u32;
            Some(renumbering.apply(transposed, first, &all, &left))
        }
        _ => None,
    };
    let is_sink = |&node: &usize| roles[node].is_sink();
    let sinks = (0..graph.node_count()).into_par_iter().filter(is_sink).map(|node| new_ids[node]).collect();
    PreparedGraph { forward, backward, original_ids, new_ids, sinks }
}

/// New id of each of `nodes` nodes, from the original ids in the new order.
fn inverted(original_ids: &[u32], nodes: usize) -> Vec<u32> {
    // Every edge looks an id up at a random address, so huge pages save most of the address translations.
    let new_ids: Vec<AtomicU32> =
        vyre_memory::zeros::<u32>(nodes).into_iter().map(|_| AtomicU32::new(DROPPED)).collect();
    original_ids.par_iter().enumerate().for_each(|(new, &node)| new_ids[node as usize].store(new as u32, Relaxed));
    new_ids.into_iter().map(AtomicU32::into_inner).collect()
}

/// Removes edges that leave sanitizers or are not open.
fn filtered(graph: CsrView<'_>, roles: &[Role], is_open: impl Fn(usize) -> bool) -> CsrGraph {
    let mut offsets = vec![0];
    let mut targets = Vec::new();
    for node in 0..graph.node_count() as u32 {
        if roles[node as usize] != Role::Sanitizer {
            targets.extend(graph.edges_of(node).filter(|&edge| is_open(edge)).map(|edge| graph.targets[edge]));
        }
        offsets.push(targets.len() as u32);
    }
    CsrGraph { offsets, targets, node_data: graph.node_data.to_vec() }
}

/// Backward reachability: for each node, true if it reaches a sink. Sinks do.
///
/// The order of visits does not matter, so threads search with stacks of their own and share the rest of long searches in rounds.
/// Levels would be a round for each level of a deep graph.
fn reaching_sinks(backward: CsrView<'_>, roles: &[Role]) -> Vec<bool> {
    // Minimum number of nodes of a round that several threads share.
    const MIN_SHARED: usize = 1 << 11;
    // Number of nodes after which a thread shares the rest of its stack.
    const MAX_VISITS: usize = 1 << 13;
    let reaches: Vec<AtomicBool> = roles.par_iter().map(|role| AtomicBool::new(role.is_sink())).collect();
    let mut found: Vec<u32> =
        (0..roles.len() as u32).into_par_iter().filter(|&node| roles[node as usize].is_sink()).collect();
    let search = |nodes: &[u32]| {
        let mut stack = nodes.to_vec();
        for _ in 0..MAX_VISITS {
            let Some(node) = stack.pop() else { break };
            for &before in backward.neighbours(node) {
                let at = before as usize;
                let is_new =
                    !reaches[at].load(Relaxed) && roles[at] != Role::Sanitizer && !reaches[at].swap(true, Relaxed);
                if is_new {
                    stack.push(before);
                }
            }
        }
        stack
    };
    while !found.is_empty() {
        found = match found.len() < MIN_SHARED {
            true => search(&found),
            false => {
                let parts: Vec<Vec<u32>> = found.par_chunks(MIN_SHARED / 16).map(search).collect();
                parts.concat()
            }
        };
    }
    reaches.into_iter().map(AtomicBool::into_inner).collect()
}

/// Counting sort of nodes by in-degree, descending; equal degrees keep their order.
fn sort_by_in_degree(backward: CsrView<'_>, nodes: &mut [u32]) {
    // All larger degrees share one class, which is sorted by comparison. Few nodes have such a degree.
    const MAX_COUNTED: usize = 4096;
    // Minimum number of nodes of a unit of parallel work, which has a counter for each class.
    const MIN_UNIT: usize = 1 << 16;
    let degree = |node: u32| backward.edges_of(node).len();
    let class = |node: u32| MAX_COUNTED - degree(node).min(MAX_COUNTED);
    let unit = nodes.len().div_ceil(rayon::current_num_threads()).max(MIN_UNIT);
    let count = |nodes: &[u32]| {
        let mut counts = vec![0u32; MAX_COUNTED + 1];
        nodes.iter().for_each(|&node| counts[class(node)] += 1);
        counts
    };
    let mut positions: Vec<Vec<u32>> = nodes.par_chunks(unit).map(count).collect();
    let uncounted: u32 = positions.iter().map(|counts| counts[0]).sum();
    let mut next = 0;
    for class in 0..=MAX_COUNTED {
        for counts in &mut positions {
            let count = std::mem::replace(&mut counts[class], next);
            next += count;
        }
    }
    let sorted: Vec<AtomicU32> = (0..nodes.len()).into_par_iter().map(|_| AtomicU32::new(0)).collect();
    nodes.par_chunks(unit).zip(positions).for_each(|(nodes, mut positions)| {
        for &node in nodes {
            let position = &mut positions[class(node)];
            sorted[*position as usize].store(node, Relaxed);
            *position += 1;
        }
    });
    nodes.par_iter_mut().zip(sorted).for_each(|(node, sorted)| *node = sorted.into_inner());
    nodes[..uncounted as usize].sort_by_key(|&node| std::cmp::Reverse(degree(node)));
}

#[cfg(test)]
mod tests {
    use vyre_graph::GraphIndex;
    use vyre_graph::generate::{SplitMix64, rmat};

    use super::*;

    /// An index saves work, and changes nothing.
    #[test]
    fn a_graph_with_an_index_is_prepared_like_one_without() {
        let mut random = SplitMix64::new(5);
        let mut graph = rmat(8, 6, 1).expect("the graph is small");
        for word in &mut graph.node_data {
            *word = [Role::Normal, Role::Normal, Role::Sink, Role::Sanitizer][random.below(4) as usize].word();
        }
        let index = GraphIndex::new(graph.view());
        let indexed = ValidGraph::with_index(graph.view(), index.view()).expect("the index fits");
        let plain = ValidGraph::new(graph.view()).expect("the graph is valid");
        let passes: Vec<u32> = (0..graph.edge_count()).map(|_| random.below(2) as u32).collect();
        for passes in [None, Some(&passes[..])] {
            for prune in [false, true] {
                for order in [NodeOrder::Original, NodeOrder::ByInDegree] {
                    let (one, other) =
                        (prepare_valid(indexed, passes, prune, order), prepare_valid(plain, passes, prune, order));
                    assert_eq!((&one.forward, &one.backward), (&other.forward, &other.backward));
                    assert_eq!((&one.original_ids, &one.sinks), (&other.original_ids, &other.sinks));
                }
            }
        }
    }
}
