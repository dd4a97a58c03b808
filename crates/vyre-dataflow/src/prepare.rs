//! What is left of a graph when everything that cannot matter is gone.

use vyre_graph::{CsrGraph, CsrView, Role, role_of};

/// Stands for a node that was dropped.
pub(crate) const DROPPED: u32 = u32::MAX;

/// How the nodes that are left are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As they were.
    Kept,
    /// Nodes with more incoming edges first: their rows are read most often, and lie side by side then.
    ByIncoming,
}

/// A graph without edges that lead nowhere. Nodes have new numbers.
pub(crate) struct Prepared {
    /// Edges that facts can go along. No edge leaves a sanitizer.
    pub(crate) forward: CsrGraph,
    /// The same edges turned round, with [`Order::ByIncoming`]: those from the first nodes come first.
    pub(crate) backward: Option<CsrGraph>,
    /// The number of each node in the graph as it was given.
    pub(crate) original: Vec<u32>,
    /// The new number of each node of that graph, or [`DROPPED`].
    pub(crate) place: Vec<u32>,
    /// The sinks, in ascending order of the numbers that they had.
    pub(crate) sinks: Vec<u32>,
}

impl Prepared {
    /// The numbers that the sinks had, ascending.
    pub(crate) fn sink_nodes(&self) -> impl Iterator<Item = u32> {
        self.sinks.iter().map(|&sink| self.original[sink as usize])
    }

    pub(crate) fn node_count(&self) -> usize {
        self.original.len()
    }
}

/// Drops edges that leave sanitizers or are blocked, and with `prune` every node that cannot reach a sink.
pub(crate) fn prepare(graph: CsrView<'_>, passes: Option<&[u32]>, prune: bool, order: Order) -> Prepared {
    let roles: Vec<Role> = graph.node_data.iter().map(|&word| role_of(word)).collect();
    let is_open = |edge: usize| passes.is_none_or(|passes| passes[edge] != 0);
    let open = passes.map(|_| filtered(graph, &roles, is_open));
    let open = open.as_ref().map_or(graph, CsrGraph::view);
    let turned = (prune || order == Order::ByIncoming).then(|| open.transposed());
    let kept = match (&turned, prune) {
        (Some(turned), true) => reaching(turned.view(), &roles),
        _ => vec![true; graph.node_count()],
    };
    let mut original: Vec<u32> = (0..graph.node_count() as u32).filter(|&node| kept[node as usize]).collect();
    if let (Some(turned), Order::ByIncoming) = (&turned, order) {
        by_incoming(turned.view(), &mut original);
    }
    let mut place = vec![DROPPED; graph.node_count()];
    for (new, &node) in (0..).zip(&original) {
        place[node as usize] = new;
    }
    let is_left = |node: u32| roles[node as usize] != Role::Sanitizer;
    let forward = renumbered(open, &original, &place, 0, is_left, |_| true);
    let backward = match (turned, order) {
        // The first nodes have reached most others by then.
        (Some(turned), Order::ByIncoming) => {
            let first = (original.len() / 64) as u32;
            Some(renumbered(turned.view(), &original, &place, first, |_| true, is_left))
        }
        _ => None,
    };
    let is_sink = |node: usize| roles[node].is_sink();
    let sinks = (0..graph.node_count()).filter(|&node| is_sink(node)).map(|node| place[node]).collect();
    Prepared { forward, backward, original, place, sinks }
}

/// A graph with new numbers, without the edges of nodes and to nodes that are not wanted. Of the edges of a node, those to nodes
/// below `first` come first.
fn renumbered(
    graph: CsrView<'_>,
    original: &[u32],
    place: &[u32],
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
                let place = place[target as usize];
                if place < first {
                    if is_entered(target) {
                        targets.push(place);
                    }
                } else if place != DROPPED && is_entered(target) {
                    later.push(place);
                }
            }
            targets.append(&mut later);
        }
        offsets.push(targets.len() as u32);
    }
    let node_data = original.iter().map(|&node| graph.node_data[node as usize]).collect();
    CsrGraph { offsets, targets, node_data }
}

/// The graph without edges that leave sanitizers or are blocked.
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

/// Sorts nodes by the number of their incoming edges, descending, and equal ones by number.
fn by_incoming(backward: CsrView<'_>, nodes: &mut [u32]) {
    // Few nodes have many edges, so counting takes care of almost all.
    const MANY: usize = 4096;
    let degree = |node: u32| backward.edges_of(node).len();
    let mut first = vec![0u32; MANY + 2];
    for &node in nodes.iter() {
        first[MANY - degree(node).min(MANY) + 1] += 1;
    }
    for class in 1..first.len() {
        first[class] += first[class - 1];
    }
    let many = first[1] as usize;
    let mut sorted = vec![0; nodes.len()];
    for &node in nodes.iter() {
        let place = &mut first[MANY - degree(node).min(MANY)];
        sorted[*place as usize] = node;
        *place += 1;
    }
    sorted[..many].sort_by_key(|&node| std::cmp::Reverse(degree(node)));
    nodes.copy_from_slice(&sorted);
}
