//! Order of the nodes of each layer by barycenters, and the number of crossings.

use super::layers::Layering;

/// Number of sweeps down and up. More of them rarely change the order.
const SWEEPS: usize = 12;

/// Layers of items. An item below the number of nodes is that node; the others are the points where edges pass layers.
pub(super) struct Layers {
    /// Items of each layer, from the left.
    pub(super) rows: Vec<Vec<u32>>,
    /// Items of each edge, from the upper node to the lower one.
    pub(super) chains: Vec<Vec<u32>>,
    /// Neighbours of each item in the layer above.
    pub(super) above: Vec<Vec<u32>>,
    /// Neighbours of each item in the layer below.
    pub(super) below: Vec<Vec<u32>>,
}

impl Layers {
    /// Splits edges at the layers that they pass. Items of a layer are in the order in which a depth-first search reaches them.
    pub(super) fn new(layering: &Layering) -> Layers {
        let mut item_layers = layering.layers.clone();
        let mut chains = Vec::with_capacity(layering.edges.len());
        for edge in &layering.edges {
            let mut chain = vec![edge.upper];
            for layer in layering.layer(edge.upper) + 1..layering.layer(edge.lower) {
                chain.push(item_layers.len() as u32);
                item_layers.push(layer as u32);
            }
            chain.push(edge.lower);
            chains.push(chain);
        }
        let mut above = vec![Vec::new(); item_layers.len()];
        let mut below = above.clone();
        for pair in chains.iter().flat_map(|chain: &Vec<u32>| chain.windows(2)) {
            below[pair[0] as usize].push(pair[1]);
            above[pair[1] as usize].push(pair[0]);
        }
        let mut rows = vec![Vec::new(); layering.count];
        let mut is_placed = vec![false; item_layers.len()];
        let mut roots: Vec<u32> =
            (0..item_layers.len() as u32).filter(|&item| above[item as usize].is_empty()).collect();
        roots.sort_by_key(|&item| item_layers[item as usize]);
        for root in roots {
            let mut stack = vec![root];
            while let Some(item) = stack.pop() {
                if !std::mem::replace(&mut is_placed[item as usize], true) {
                    rows[item_layers[item as usize] as usize].push(item);
                    stack.extend(below[item as usize].iter().rev());
                }
            }
        }
        Layers { rows, chains, above, below }
    }

    /// Orders the items of each layer by the mean position of their neighbours, down and up in turn, and keeps the order with the
    /// fewest crossings.
    pub(super) fn reduce_crossings(&mut self) {
        let mut positions = vec![0u32; self.above.len()];
        for row in &self.rows {
            set_positions(row, &mut positions);
        }
        let mut fewest = self.crossings(&positions);
        let mut best = self.rows.clone();
        for sweep in 0..SWEEPS {
            if fewest == 0 {
                break;
            }
            let (neighbours, is_down) = if sweep % 2 == 0 { (&self.above, true) } else { (&self.below, false) };
            let count = self.rows.len();
            for step in 0..count {
                let row = &mut self.rows[if is_down { step } else { count - 1 - step }];
                row.sort_by_cached_key(|&item| barycenter(item, &neighbours[item as usize], &positions));
                set_positions(row, &mut positions);
            }
            let crossings = self.crossings(&positions);
            if crossings < fewest {
                fewest = crossings;
                best.clone_from(&self.rows);
            }
        }
        self.rows = best;
    }

    /// Number of pairs of edges that cross between adjacent layers.
    pub(super) fn crossings(&self, positions: &[u32]) -> u64 {
        let lower_ends = |row: &Vec<u32>| {
            let mut ends = Vec::new();
            for &item in row {
                let first = ends.len();
                ends.extend(self.below[item as usize].iter().map(|&lower| positions[lower as usize]));
                ends[first..].sort_unstable();
            }
            ends
        };
        self.rows.iter().map(|row| inversions(&lower_ends(row))).sum()
    }
}

/// Mean position of the neighbours in units of 2^-16; without neighbours the position of the item itself.
fn barycenter(item: u32, neighbours: &[u32], positions: &[u32]) -> u64 {
    let sum: u64 = neighbours.iter().map(|&neighbour| u64::from(positions[neighbour as usize])).sum();
    match neighbours.len() as u64 {
        0 => u64::from(positions[item as usize]) << 16,
        count => (sum << 16) / count,
    }
}

fn set_positions(row: &[u32], positions: &mut [u32]) {
    for (position, &item) in (0..).zip(row) {
        positions[item as usize] = position;
    }
}

/// Number of pairs in descending order, by a Fenwick tree.
fn inversions(numbers: &[u32]) -> u64 {
    let size = numbers.iter().max().map_or(0, |&largest| largest as usize + 1);
    let mut tree = vec![0u64; size + 1];
    let mut pairs = 0;
    for (seen, &number) in (0u64..).zip(numbers) {
        let mut up_to = 0;
        let mut at = number as usize + 1;
        while at > 0 {
            up_to += tree[at];
            at &= at - 1;
        }
        pairs += seen - up_to;
        let mut at = number as usize + 1;
        while at <= size {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_pairs_in_descending_order() {
        let numbers = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5];
        let pairs = (0..numbers.len()).flat_map(|left| (left + 1..numbers.len()).map(move |right| (left, right)));
        let expected = pairs.filter(|&(left, right)| numbers[left] > numbers[right]).count();
        assert_eq!(inversions(&numbers), expected as u64);
        assert_eq!(inversions(&[]), 0);
    }

    #[test]
    fn a_twisted_ladder_is_untwisted() {
        // Four edges that all cross in the order of numbers.
        let edges = [(0, 7), (1, 6), (2, 5), (3, 4)];
        let mut layers = Layers::new(&Layering::new(8, &edges, |_| false));
        layers.rows[1].sort_unstable();
        layers.reduce_crossings();
        assert_eq!(layers.rows, [[0, 1, 2, 3], [7, 6, 5, 4]]);
    }
}
