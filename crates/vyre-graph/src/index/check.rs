//! Verification of an index in linear passes, without a transposition.
//!
//! An index that passes is the index of the graph, except with a probability below 2^-32 for the edges
//! ([`edge_product`](super::edge_product)).

use rayon::prelude::*;

use super::edge_product::EdgeProduct;
use super::error::IndexError;
use super::graph_index::{IndexView, in_degree};
use crate::csr::CsrView;
use crate::search::{EDGES_PER_STEP, row_segments};

/// Checks that an index is the index of a valid graph.
///
/// # Errors
///
/// The first violation, the transposed rows before the order.
pub(crate) fn check(graph: CsrView<'_>, index: IndexView<'_>) -> Result<(), IndexError> {
    let rows = CsrView { offsets: index.offsets, targets: index.sources, node_data: graph.node_data };
    rows.validate_structure().map_err(|error| IndexError::Rows { error })?;
    if let Some(position) = first_descent(rows) {
        return Err(IndexError::Descends { position });
    }
    let product = EdgeProduct::new(graph.node_count());
    if product.of_rows(graph) != product.of_transposed_rows(rows) {
        return Err(IndexError::OtherEdges);
    }
    index.order.map_or(Ok(()), |order| check_order(index.offsets, order))
}

/// Position of the first target that is less than the one before it in the same row.
fn first_descent(graph: CsrView<'_>) -> Option<usize> {
    let steps = graph.edge_count().div_ceil(EDGES_PER_STEP);
    (0..steps).into_par_iter().find_map_first(|step| {
        row_segments(graph.offsets, step).find_map(|(row, edges)| {
            // The segment may continue a row.
            let first = edges.start.saturating_sub(1).max(graph.offsets[row as usize] as usize);
            let targets = &graph.targets[first..edges.end];
            if targets.is_sorted() {
                return None;
            }
            targets.windows(2).position(|pair| pair[0] > pair[1]).map(|at| first + at + 1)
        })
    })
}

/// Checks that in-degrees do not increase and that nodes of equal in-degree ascend. Then all elements differ, so that an order of
/// the right length has each node once.
fn check_order(offsets: &[u32], order: &[u32]) -> Result<(), IndexError> {
    let nodes = offsets.len() - 1;
    if order.len() != nodes {
        return Err(IndexError::OrderLength { found: order.len(), nodes });
    }
    let is_wrong = |&position: &usize| {
        let node = order[position];
        if node as usize >= nodes {
            return true;
        }
        let Some(before) = position.checked_sub(1).map(|before| order[before]) else { return false };
        if before as usize >= nodes {
            return true;
        }
        let (degree, degree_before) = (in_degree(offsets, node), in_degree(offsets, before));
        degree > degree_before || degree == degree_before && node <= before
    };
    match (0..nodes).into_par_iter().with_min_len(1 << 12).find_first(is_wrong) {
        Some(position) => Err(IndexError::Order { position, value: order[position] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::to_csr;
    use crate::generate::SplitMix64;
    use crate::index::graph_index::GraphIndex;

    fn error_of(graph: CsrView<'_>, index: &GraphIndex) -> Option<IndexError> {
        check(graph, index.view()).err()
    }

    /// More edges than a step has, rows across steps, parallel edges, self-loops, nodes without edges.
    #[test]
    fn indexes_of_random_graphs_are_correct() {
        let mut random = SplitMix64::new(7);
        for (nodes, count) in [(0u32, 0usize), (1, 0), (1, 3), (3, 40), (50, 60), (5_000, 90_000), (3, 70_000)] {
            let mut node = || random.below(u64::from(nodes.max(1))) as u32;
            let edges: Vec<(u32, u32)> = (0..count).map(|_| (node(), node())).collect();
            let graph = to_csr(nodes, &edges);
            let index = GraphIndex::new(graph.view());
            assert_eq!(error_of(graph.view(), &index), None, "{nodes} nodes, {count} edges");
            let degree = |node: u32| graph.targets.iter().filter(|&&target| target == node).count();
            if nodes <= 50 {
                let mut expected: Vec<u32> = (0..nodes).collect();
                expected.sort_by_key(|&node| std::cmp::Reverse(degree(node)));
                assert_eq!(index.order, Some(expected));
            }
        }
    }

    /// Each change leaves valid rows with the same degrees, ascending where they must be.
    #[test]
    fn other_edges_are_found() {
        let mut random = SplitMix64::new(8);
        let mut changes = 0;
        for _ in 0..300 {
            let nodes = 2 + random.below(30) as u32;
            let mut node = || random.below(u64::from(nodes)) as u32;
            let edges: Vec<(u32, u32)> = (0..60).map(|_| (node(), node())).collect();
            let graph = to_csr(nodes, &edges);
            let mut index = GraphIndex::new(graph.view());
            let (one, other) = (random.below(60) as usize, random.below(60) as usize);
            if random.below(2) == 0 {
                index.sources.swap(one, other);
            } else {
                index.sources[one] = random.below(u64::from(nodes)) as u32;
            }
            let rows: Vec<_> =
                (0..nodes as usize).map(|n| index.offsets[n] as usize..index.offsets[n + 1] as usize).collect();
            rows.into_iter().for_each(|row| index.sources[row].sort_unstable());
            if index == GraphIndex::new(graph.view()) {
                continue;
            }
            assert_eq!(error_of(graph.view(), &index), Some(IndexError::OtherEdges));
            changes += 1;
        }
        assert!(changes > 100, "{changes} changes");
    }

    #[test]
    fn every_invariant_is_checked() {
        let graph = to_csr(4, &[(0, 3), (1, 3), (2, 1), (2, 0)]);
        let index = GraphIndex::new(graph.view());
        assert_eq!((&index.offsets[..], &index.sources[..]), (&[0, 1, 2, 2, 4][..], &[2, 2, 0, 1][..]));
        assert_eq!(index.order.as_deref(), Some(&[3, 0, 1, 2][..]));
        let changed = |change: fn(&mut GraphIndex)| {
            let mut changed = index.clone();
            change(&mut changed);
            error_of(graph.view(), &changed).map(|error| error.to_string()).unwrap_or_default()
        };
        let order = |position: usize, value: u32| {
            format!(
                "element {position} of the order of the nodes is {value}, but the nodes must be ordered by descending in-degree and \
                 ascending number"
            )
        };
        for (change, expected) in [
            (
                (|index| index.offsets[4] = 5) as fn(&mut GraphIndex),
                "the transposed graph is not valid: offsets[4], the last one, is 5, but must be 4, the length of `targets`".to_owned(),
            ),
            (|index| index.sources[1] = 4, "the transposed graph is not valid: targets[1] is 4, but nodes are 0 to 3".to_owned()),
            (
                |index| index.sources.swap(2, 3),
                "source 3 of the transposed graph is less than the one before it, but sources of a node are ascending".to_owned(),
            ),
            (|index| index.offsets[1] = 0, "the transposed graph has other edges than the graph".to_owned()),
            (|index| index.sources[0] = 3, "the transposed graph has other edges than the graph".to_owned()),
            (|index| index.order = None, String::new()),
            (
                |index| index.order = Some(vec![3, 0, 1]),
                "the order of the nodes has 3 elements, but must have 4".to_owned(),
            ),
            (|index| index.order = Some(vec![3, 0, 1, 4]), order(3, 4)),
            (|index| index.order = Some(vec![3, 0, 0, 2]), order(2, 0)),
            (|index| index.order = Some(vec![3, 1, 0, 2]), order(2, 0)),
            (|index| index.order = Some(vec![0, 3, 1, 2]), order(1, 3)),
            (|index| index.order = Some(vec![u32::MAX, 0, 1, 2]), order(0, u32::MAX)),
        ] {
            assert_eq!(changed(change), expected);
        }
    }
}
