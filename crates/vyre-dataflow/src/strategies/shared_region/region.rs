//! The region that most searches share: its nodes, its access nodes, and its graph.

use rayon::prelude::*;
use vyre_graph::{CsrGraph, CsrView, Role, role_of};

use super::table::SWEPT_SINKS;
use crate::node_set::NodeSet;
use crate::preparation::{DROPPED, NodeOrder, prepare};
use crate::sample::SampledSearch;
use crate::strategies::contraction::{ContractedGraph, contract};

/// Maximum number of searches from which the region is found.
pub(crate) const REGION_SEARCHES: usize = 8;

/// A set of nodes that no path leaves.
pub(super) struct Region {
    pub(super) nodes: NodeSet,
    /// Edges of the region: nodes that reach no sink are removed, chains are contracted.
    pub(super) graph: ContractedGraph,
    /// Column of each sink of the region in the depth matrix, ascending. The sinks of `graph` have the same order.
    pub(super) columns: Vec<u32>,
    /// Access nodes that reach a sink: nodes of the region that are starts, or that have an edge from outside. Ascending.
    pub(super) access: Vec<u32>,
    /// For each access node its row of the distance table, and its distance to the node of this row.
    pub(super) records: Vec<[u32; 2]>,
    /// Node of `graph` of each row. Every path from an access node to a sink passes the node of its row.
    pub(super) rows: Vec<u32>,
}

impl Region {
    /// The nodes that at least half of a few complete searches reach. `sinks` are ascending.
    ///
    /// A search that reaches a node reaches its successors too, so no edge leaves the region.
    pub(super) fn new(graph: CsrView<'_>, starts: &[u32], sinks: &[u32]) -> Region {
        let searches = starts.len().min(REGION_SEARCHES);
        let chosen: Vec<u32> =
            (0..searches).map(|search| starts[(2 * search + 1) * starts.len() / (2 * searches)]).collect();
        let reached = |&start: &u32| SampledSearch::new(graph, start, u32::MAX, |_| u64::MAX).nodes;
        let sets: Vec<NodeSet> = chosen.par_iter().map(reached).collect();
        let nodes = match sets.is_empty() {
            true => NodeSet::empty(graph.node_count()),
            false => NodeSet::of_majority(&sets),
        };
        Region::of(graph, nodes, starts, sinks)
    }

    /// The region of these nodes.
    pub(super) fn of(graph: CsrView<'_>, nodes: NodeSet, starts: &[u32], sinks: &[u32]) -> Region {
        let mut numbers = vec![DROPPED; graph.node_count()];
        nodes.iter().zip(0..).for_each(|(node, number)| numbers[node as usize] = number);
        let inner = prepare(inner_graph(graph, &nodes, &numbers).view(), None, true, NodeOrder::Original);
        let contracted = contract(&inner, |_| false);
        let mut row_of = vec![DROPPED; contracted.node_count()];
        let (mut access, mut records, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for node in entered(graph, &nodes, starts) {
            let number = inner.new_ids[numbers[node as usize] as usize];
            // Nodes that reach no sink are removed.
            if number == DROPPED {
                continue;
            }
            let (end, length) = contracted.ends[number as usize];
            let row = &mut row_of[end as usize];
            if *row == DROPPED {
                *row = rows.len() as u32;
                rows.push(end);
            }
            access.push(node);
            records.push([*row, length]);
        }
        let columns = (0..).zip(sinks).filter(|&(_, &sink)| nodes.contains(sink)).map(|(column, _)| column).collect();
        Region { nodes, graph: contracted, columns, access, records, rows }
    }

    /// Size of the distance table in bytes.
    pub(super) fn table_bytes(&self) -> u64 {
        4 * self.rows.len() as u64 * self.columns.len().next_multiple_of(SWEPT_SINKS) as u64
    }
}

/// The nodes of a region, with their numbers as ids, and the edges between them that do not leave sanitizers.
fn inner_graph(graph: CsrView<'_>, nodes: &NodeSet, numbers: &[u32]) -> CsrGraph {
    let mut inner = CsrGraph::default();
    for node in nodes.iter() {
        let word = graph.node_data[node as usize];
        if role_of(word) != Role::Sanitizer {
            inner.targets.extend(graph.neighbours(node).iter().map(|&target| numbers[target as usize]));
        }
        inner.offsets.push(inner.targets.len() as u32);
        inner.node_data.push(word);
    }
    inner
}

/// Nodes of a region that are starts or that have an edge from a node outside, ascending.
fn entered(graph: CsrView<'_>, nodes: &NodeSet, starts: &[u32]) -> Vec<u32> {
    let leaves = |node: u32| !nodes.contains(node) && role_of(graph.node_data[node as usize]) != Role::Sanitizer;
    let targets = |node: u32| if leaves(node) { graph.neighbours(node) } else { &[] };
    let inside = |node: &u32| nodes.contains(*node);
    let all = (0..graph.node_count() as u32).into_par_iter();
    let mut entered: Vec<u32> = all.flat_map_iter(|node| targets(node).iter().copied().filter(inside)).collect();
    entered.extend(starts.iter().copied().filter(inside));
    entered.par_sort_unstable();
    entered.dedup();
    entered
}
