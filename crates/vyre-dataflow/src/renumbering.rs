//! Renumbering of graphs on all threads.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;
use vyre_graph::{CsrGraph, CsrView};

use crate::node_set::NodeSet;

/// New id of a node that was removed.
pub const DROPPED: u32 = u32::MAX;

/// Minimum and maximum number of nodes of a unit of parallel work. Units are small, because few nodes can have most edges. Rayon
/// would leave a unit for each thread.
const UNIT_NODES: std::ops::RangeInclusive<usize> = 64..=4096;
/// Number of units that a large graph has.
const UNITS: usize = 4096;

/// Map between original and new ids.
pub(crate) struct Renumbering<'r> {
    pub(crate) original_ids: &'r [u32],
    pub(crate) new_ids: &'r [u32],
}

impl Renumbering<'_> {
    /// Renumbers a graph. Keeps an edge if `sources` contains its source and `targets` its target. `targets` contains no node
    /// that was removed. Among the edges of a node, those to new ids below `first` come first.
    pub(crate) fn apply(&self, graph: CsrView<'_>, first: u32, sources: &NodeSet, targets: &NodeSet) -> CsrGraph {
        let original_ids = self.original_ids;
        let unit = (original_ids.len() / UNITS).clamp(*UNIT_NODES.start(), *UNIT_NODES.end());
        let neighbours = |node: u32| if sources.contains(node) { graph.neighbours(node) } else { &[] };
        let kept = |node: u32| neighbours(node).iter().filter(|&&target| targets.contains(target));
        let mut offsets = self.counted(unit, |node| kept(node).count() as u32);
        let mut end = 0;
        for offset in &mut offsets {
            end += *offset;
            *offset = end;
        }
        let mut values = vyre_memory::zeros::<u32>(end as usize);
        let units = original_ids.chunks(unit).zip(offsets.chunks(unit));
        let mut rest = &mut values[..];
        let mut work = Vec::with_capacity(original_ids.len().div_ceil(unit));
        for ((nodes, begins), number) in units.zip(1..) {
            let end = offsets[(number * unit).min(original_ids.len())];
            let (values, others) = rest.split_at_mut((end - begins[0]) as usize);
            work.push((nodes, values));
            rest = others;
        }
        work.into_par_iter().with_max_len(1).for_each_init(Vec::new, |row, (nodes, mut values)| {
            for &node in nodes {
                self.gather(neighbours(node), targets, row);
                let (own, others) = values.split_at_mut(row.len());
                partition(row, first, own);
                values = others;
            }
        });
        let node_data = original_ids.par_iter().map(|&node| graph.node_data[node as usize]).collect();
        CsrGraph { offsets, targets: values, node_data }
    }

    /// Replaces `row` by the new ids of those nodes that `targets` contains. Ids are loaded in a loop without branches, so that the
    /// processor waits for many of these random accesses at once.
    fn gather(&self, nodes: &[u32], targets: &NodeSet, row: &mut Vec<u32>) {
        row.resize(nodes.len(), 0);
        let mut length = 0;
        for &node in nodes {
            row[length] = node;
            length += usize::from(targets.contains(node));
        }
        row.truncate(length);
        row.iter_mut().for_each(|id| *id = self.new_ids[*id as usize]);
    }

    /// Number of kept edges of each node, after a 0. Nodes are counted in the order of their original ids, so that the edges are read
    /// in the order of memory.
    fn counted(&self, unit: usize, count: impl Fn(u32) -> u32 + Sync) -> Vec<u32> {
        let counts: Vec<AtomicU32> =
            vyre_memory::zeros::<u32>(self.original_ids.len() + 1).into_iter().map(AtomicU32::new).collect();
        self.new_ids.par_iter().enumerate().with_max_len(unit).for_each(|(node, &new)| {
            if new != DROPPED {
                counts[new as usize + 1].store(count(node as u32), Relaxed);
            }
        });
        counts.into_iter().map(AtomicU32::into_inner).collect()
    }
}

/// Copies ids such that those below `first` come first. Both parts keep their order. The loop has no branch that depends on an id.
fn partition(ids: &[u32], first: u32, output: &mut [u32]) {
    if first == 0 {
        output.copy_from_slice(ids);
        return;
    }
    let mut before = 0;
    let mut after = ids.iter().filter(|&&id| id < first).count();
    for &id in ids {
        let is_first = id < first;
        output[if is_first { before } else { after }] = id;
        before += usize::from(is_first);
        after += usize::from(!is_first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_keep_the_order_of_both_parts() {
        for (ids, first, expected) in [
            (&[][..], 3, &[][..]),
            (&[5, 1, 4, 0, 1, 3], 0, &[5, 1, 4, 0, 1, 3]),
            (&[5, 1, 4, 0, 1, 3], 3, &[1, 0, 1, 5, 4, 3]),
            (&[5, 1, 4], 9, &[5, 1, 4]),
            (&[5, 1, 4], 1, &[5, 1, 4]),
        ] {
            let mut output = vec![7; ids.len()];
            partition(ids, first, &mut output);
            assert_eq!(output, expected, "{first}");
        }
    }

    /// Nodes 1 and 3 are removed, edges to node 4 too.
    #[test]
    fn removed_nodes_and_edges_leave_the_others_in_order() {
        let graph = vyre_graph::to_csr(6, &[(0, 5), (0, 1), (0, 4), (0, 2), (0, 5), (1, 2), (2, 0), (2, 4), (5, 2)]);
        let original_ids = [5, 0, 4, 2];
        let new_ids = [1, DROPPED, 3, DROPPED, 2, 0];
        let renumbering = Renumbering { original_ids: &original_ids, new_ids: &new_ids };
        let targets = NodeSet::new(6, |node| [0, 2, 5].contains(&node));
        let sources = NodeSet::new(6, |node| node != 5);
        let plain = renumbering.apply(graph.view(), 0, &sources, &targets);
        assert_eq!((&plain.offsets[..], &plain.targets[..]), (&[0, 0, 3, 3, 4][..], &[0, 3, 0, 1][..]));
        let partitioned = renumbering.apply(graph.view(), 1, &sources, &targets);
        assert_eq!((&partitioned.offsets, &partitioned.targets[..]), (&plain.offsets, &[0, 0, 3, 1][..]));
    }
}
