//! What the engine does with a graph before anything else: drops what cannot reach a sink, and gives nodes new numbers.

use vyre_graph::{CsrGraph, CsrView, Role, role_of};

/// Stands for a node that was dropped.
pub(super) const DROPPED: u32 = u32::MAX;

/// How the nodes that are left are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// As they were.
    Kept,
    /// Nodes with more incoming edges first.
    ByIncoming,
}

/// What is left of a graph. Nodes have new numbers.
pub(super) struct Pruned {
    pub(super) nodes: usize,
    /// The edges, turned round with [`Order::ByIncoming`].
    pub(super) edges: CsrGraph,
    /// The new number of each node, or [`DROPPED`].
    pub(super) new_number: Vec<u32>,
    /// The sinks by their new numbers, and by the numbers that they had, ascending.
    pub(super) sinks: Vec<u32>,
    pub(super) sink_nodes: Vec<u32>,
}

pub(super) fn prepare(graph: CsrView<'_>, order: Order) -> Pruned {
    let roles: Vec<Role> = graph.node_data.iter().map(|&word| role_of(word)).collect();
    let turned = graph.transposed();
    let kept = reaching(turned.view(), &roles);
    let mut original: Vec<u32> = (0..graph.node_count() as u32).filter(|&node| kept[node as usize]).collect();
    if order == Order::ByIncoming {
        original.sort_by_key(|&node| std::cmp::Reverse(turned.view().edges_of(node).len()));
    }
    let mut new_number = vec![DROPPED; graph.node_count()];
    for (new, &node) in (0..).zip(&original) {
        new_number[node as usize] = new;
    }
    let is_left = |node: u32| roles[node as usize] != Role::Sanitizer;
    let edges = match order {
        Order::Kept => renumbered(graph, &original, &new_number, 0, is_left, |_| true),
        Order::ByIncoming => {
            let first = (original.len() / 64) as u32;
            renumbered(turned.view(), &original, &new_number, first, |_| true, is_left)
        }
    };
    let sink_nodes: Vec<u32> = (0..).zip(&roles).filter(|(_, role)| role.is_sink()).map(|(node, _)| node).collect();
    let sinks = sink_nodes.iter().map(|&node| new_number[node as usize]).collect();
    Pruned { nodes: original.len(), edges, new_number, sinks, sink_nodes }
}

/// Which nodes can reach a sink; sinks can.
fn reaching(backward: CsrView<'_>, roles: &[Role]) -> Vec<bool> {
    let mut reaches: Vec<bool> = roles.iter().map(|role| role.is_sink()).collect();
    let mut waiting: Vec<u32> = (0..roles.len() as u32).filter(|&node| reaches[node as usize]).collect();
    while let Some(node) = waiting.pop() {
        for &before in backward.neighbours(node) {
            if !reaches[before as usize] && roles[before as usize] != Role::Sanitizer {
                reaches[before as usize] = true;
                waiting.push(before);
            }
        }
    }
    reaches
}

/// A graph with new numbers, without edges of nodes and to nodes that are not wanted. Of the edges of a node, those to nodes
/// below `first` come first.
fn renumbered(
    graph: CsrView<'_>,
    original: &[u32],
    new_number: &[u32],
    first: u32,
    is_left: impl Fn(u32) -> bool,
    is_entered: impl Fn(u32) -> bool,
) -> CsrGraph {
    let mut offsets = Vec::with_capacity(original.len() + 1);
    let mut targets = Vec::with_capacity(graph.edge_count());
    let mut later = Vec::new();
    offsets.push(0);
    for &node in original {
        if is_left(node) {
            for &target in graph.neighbours(node) {
                let new = new_number[target as usize];
                if new != DROPPED && is_entered(target) {
                    if new < first { targets.push(new) } else { later.push(new) }
                }
            }
            targets.append(&mut later);
        }
        offsets.push(targets.len() as u32);
    }
    CsrGraph { offsets, targets, node_data: vec![0; original.len()] }
}
