//! Graph preparation: edge filtering, backward reachability from the sinks (pruning), and renumbering.

use vyre_graph::{CsrGraph, CsrView, Role, role_of};

/// New id of a node that was removed.
pub const DROPPED: u32 = u32::MAX;

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

/// Removes edges that leave sanitizers or have a 0 in `passes`, and with `prune` all nodes that reach no sink.
#[must_use]
pub fn prepare(graph: CsrView<'_>, passes: Option<&[u32]>, prune: bool, order: NodeOrder) -> PreparedGraph {
    let roles: Vec<Role> = graph.node_data.iter().map(|&word| role_of(word)).collect();
    let is_open = |edge: usize| passes.is_none_or(|passes| passes[edge] != 0);
    let open = passes.map(|_| filtered(graph, &roles, is_open));
    let open = open.as_ref().map_or(graph, CsrGraph::view);
    let transposed = (prune || order == NodeOrder::ByInDegree).then(|| open.transposed());
    let kept = match (&transposed, prune) {
        (Some(transposed), true) => reaching_sinks(transposed.view(), &roles),
        _ => vec![true; graph.node_count()],
    };
    let mut original_ids: Vec<u32> = (0..graph.node_count() as u32).filter(|&node| kept[node as usize]).collect();
    if let (Some(transposed), NodeOrder::ByInDegree) = (&transposed, order) {
        sort_by_in_degree(transposed.view(), &mut original_ids);
    }
    let mut new_ids = vec![DROPPED; graph.node_count()];
    for (new, &node) in (0..).zip(&original_ids) {
        new_ids[node as usize] = new;
    }
    let can_leave = |node: u32| roles[node as usize] != Role::Sanitizer;
    let renumbering = Renumbering { original_ids: &original_ids, new_ids: &new_ids };
    let forward = renumbering.apply(open, 0, can_leave, |_| true);
    let backward = match (transposed, order) {
        // After few levels the nodes of highest in-degree carry most bits, so a pull that visits them first ends early.
        (Some(transposed), NodeOrder::ByInDegree) => {
            let first = (original_ids.len() / 64) as u32;
            Some(renumbering.apply(transposed.view(), first, |_| true, can_leave))
        }
        _ => None,
    };
    let is_sink = |node: usize| roles[node].is_sink();
    let sinks = (0..graph.node_count()).filter(|&node| is_sink(node)).map(|node| new_ids[node]).collect();
    PreparedGraph { forward, backward, original_ids, new_ids, sinks }
}

/// Map between original and new ids.
struct Renumbering<'r> {
    original_ids: &'r [u32],
    new_ids: &'r [u32],
}

impl Renumbering<'_> {
    /// Renumbers a graph. Keeps an edge if `keeps_source` and `keeps_target` accept its ends and its target was not removed.
    /// Among the edges of a node, those to new ids below `first` come first.
    fn apply(
        &self,
        graph: CsrView<'_>,
        first: u32,
        keeps_source: impl Fn(u32) -> bool,
        keeps_target: impl Fn(u32) -> bool,
    ) -> CsrGraph {
        let Renumbering { original_ids, new_ids } = *self;
        let mut offsets = Vec::with_capacity(original_ids.len() + 1);
        let mut targets = Vec::with_capacity(graph.edge_count());
        let mut later = Vec::new();
        offsets.push(0);
        for &node in original_ids {
            if keeps_source(node) {
                for &target in graph.neighbours(node) {
                    let new = new_ids[target as usize];
                    if new < first {
                        if keeps_target(target) {
                            targets.push(new);
                        }
                    } else if new != DROPPED && keeps_target(target) {
                        later.push(new);
                    }
                }
                targets.append(&mut later);
            }
            offsets.push(targets.len() as u32);
        }
        let node_data = original_ids.iter().map(|&node| graph.node_data[node as usize]).collect();
        CsrGraph { offsets, targets, node_data }
    }
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
fn reaching_sinks(backward: CsrView<'_>, roles: &[Role]) -> Vec<bool> {
    let mut reaches: Vec<bool> = roles.iter().map(|role| role.is_sink()).collect();
    let mut worklist: Vec<u32> = (0..roles.len() as u32).filter(|&node| reaches[node as usize]).collect();
    while let Some(node) = worklist.pop() {
        for &before in backward.neighbours(node) {
            if !reaches[before as usize] && roles[before as usize] != Role::Sanitizer {
                reaches[before as usize] = true;
                worklist.push(before);
            }
        }
    }
    reaches
}

/// Counting sort of nodes by in-degree, descending; equal degrees keep their order.
fn sort_by_in_degree(backward: CsrView<'_>, nodes: &mut [u32]) {
    // All larger degrees share one class, which is sorted by comparison. Few nodes have such a degree.
    const MAX_COUNTED: usize = 4096;
    let degree = |node: u32| backward.edges_of(node).len();
    let mut first = vec![0u32; MAX_COUNTED + 2];
    for &node in nodes.iter() {
        first[MAX_COUNTED - degree(node).min(MAX_COUNTED) + 1] += 1;
    }
    for class in 1..first.len() {
        first[class] += first[class - 1];
    }
    let uncounted = first[1] as usize;
    let mut sorted = vec![0; nodes.len()];
    for &node in nodes.iter() {
        let at = &mut first[MAX_COUNTED - degree(node).min(MAX_COUNTED)];
        sorted[*at as usize] = node;
        *at += 1;
    }
    sorted[..uncounted].sort_by_key(|&node| std::cmp::Reverse(degree(node)));
    nodes.copy_from_slice(&sorted);
}
