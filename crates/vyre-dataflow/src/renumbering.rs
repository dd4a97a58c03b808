//! Renumbering of graphs on all threads.

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
        let Renumbering { original_ids, new_ids } = *self;
        let unit = (original_ids.len() / UNITS).clamp(*UNIT_NODES.start(), *UNIT_NODES.end());
        let neighbours = |node: u32| if sources.contains(node) { graph.neighbours(node) } else { &[] };
        let kept = |node: u32| neighbours(node).iter().filter(|&&target| targets.contains(target));
        let degrees = original_ids.par_iter().with_max_len(unit).map(|&node| kept(node).count() as u32);
        let mut offsets = Vec::with_capacity(original_ids.len() + 1);
        offsets.push(0);
        offsets.par_extend(degrees);
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
        work.into_par_iter().with_max_len(1).for_each_init(Vec::new, |later, (nodes, mut values)| {
            for &node in nodes {
                let mut length = 0;
                if first == 0 {
                    for &target in kept(node) {
                        values[length] = new_ids[target as usize];
                        length += 1;
                    }
                    values = &mut values[length..];
                    continue;
                }
                for &target in kept(node) {
                    let new = new_ids[target as usize];
                    if new < first {
                        values[length] = new;
                        length += 1;
                    } else {
                        later.push(new);
                    }
                }
                let end = length + later.len();
                values[length..end].copy_from_slice(later);
                later.clear();
                values = &mut values[end..];
            }
        });
        let node_data = original_ids.par_iter().map(|&node| graph.node_data[node as usize]).collect();
        CsrGraph { offsets, targets: values, node_data }
    }
}
