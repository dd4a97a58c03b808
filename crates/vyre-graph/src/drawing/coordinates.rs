//! Horizontal coordinates: each layer in turn is placed as near as possible to its neighbours (isotonic regression by pooling adjacent
//! violators, Ayer et al., 1955).

use super::NodeBox;
use super::order::Layers;

/// Number of sweeps over all layers.
const SWEEPS: usize = 12;

/// Space between boxes.
const NODE_GAP: i64 = 28;
/// Space between an edge and its neighbour.
const EDGE_GAP: i64 = 16;
/// Space to the right of a box for an edge from the node to itself.
pub(super) const LOOP_WIDTH: i64 = 34;
/// Weight of points of edges beside that of nodes. It keeps long edges straight.
const EDGE_WEIGHT: i64 = 8;

/// Horizontal center of each item. Boxes and edges of a layer do not overlap.
pub(super) fn centers(layers: &Layers, nodes: &[NodeBox]) -> Vec<i64> {
    let mut centers = vec![0; layers.above.len()];
    for row in &layers.rows {
        let mut at = 0;
        for pair in row.windows(2) {
            at += separation(pair[0], pair[1], nodes);
            centers[pair[1] as usize] = at;
        }
        // Rows are centered, which is where rows without neighbours stay.
        row.iter().for_each(|&item| centers[item as usize] -= at / 2);
    }
    let count = layers.rows.len();
    for sweep in 0..SWEEPS {
        for step in 0..count {
            let (above, below) = match sweep {
                // The last sweeps balance both sides.
                _ if sweep + 2 >= SWEEPS => (true, true),
                _ => (sweep % 2 == 0, sweep % 2 == 1),
            };
            let row = &layers.rows[if sweep % 2 == 0 { step } else { count - 1 - step }];
            place(row, nodes, &mut centers, |item| {
                let upper = layers.above[item as usize].iter().filter(|_| above);
                upper.chain(layers.below[item as usize].iter().filter(|_| below)).copied()
            });
        }
    }
    align_isolated_nodes(layers, nodes, &mut centers);
    centers
}

/// Moves rows of nodes without edges to the left side of the drawing.
fn align_isolated_nodes(layers: &Layers, nodes: &[NodeBox], centers: &mut [i64]) {
    let left_of =
        |item: u32, centers: &[i64]| centers[item as usize] - nodes.get(item as usize).map_or(0, |node| node.width / 2);
    let is_isolated = |row: &&Vec<u32>| {
        row.iter().all(|&item| layers.above[item as usize].is_empty() && layers.below[item as usize].is_empty())
    };
    let others = layers.rows.iter().filter(|row| !is_isolated(row)).flatten();
    let left = others.map(|&item| left_of(item, centers)).min().unwrap_or(0);
    for row in layers.rows.iter().filter(is_isolated) {
        let shift = row.first().map_or(0, |&item| left - left_of(item, centers));
        row.iter().for_each(|&item| centers[item as usize] += shift);
    }
}

/// Places the items of a layer: the sum of the weighted squares of their distances to the mean of their neighbours is minimal, up to
/// rounding.
fn place<N: Iterator<Item = u32>>(row: &[u32], nodes: &[NodeBox], centers: &mut [i64], neighbours: impl Fn(u32) -> N) {
    // Positions minus the space that the items before need must not decrease. A block is items that have one such position.
    struct Block {
        sum: i128,
        weight: i128,
        items: usize,
    }
    let mut blocks: Vec<Block> = Vec::with_capacity(row.len());
    let mut offsets = Vec::with_capacity(row.len());
    let mut offset = 0;
    for (index, &item) in row.iter().enumerate() {
        if let Some(before) = index.checked_sub(1) {
            offset += separation(row[before], item, nodes);
        }
        offsets.push(offset);
        let (mut sum, mut count) = (0, 0);
        for neighbour in neighbours(item) {
            sum += centers[neighbour as usize];
            count += 1;
        }
        let (desired, weight) = match count {
            0 => (centers[item as usize], 1),
            count if (item as usize) < nodes.len() => (sum.div_euclid(count), count),
            count => (sum.div_euclid(count), EDGE_WEIGHT),
        };
        let mut block =
            Block { sum: i128::from(desired - offset) * i128::from(weight), weight: weight.into(), items: 1 };
        while let Some(before) = blocks.pop_if(|before| before.sum * block.weight > block.sum * before.weight) {
            block.sum += before.sum;
            block.weight += before.weight;
            block.items += before.items;
        }
        blocks.push(block);
    }
    let positions = blocks.iter().flat_map(|block| {
        let position = block.sum.div_euclid(block.weight) as i64;
        std::iter::repeat_n(position, block.items)
    });
    for ((&item, offset), position) in row.iter().zip(offsets).zip(positions) {
        centers[item as usize] = position + offset;
    }
}

/// Minimum distance of the centers of two adjacent items.
fn separation(left: u32, right: u32, nodes: &[NodeBox]) -> i64 {
    let node = |item: u32| nodes.get(item as usize);
    let right_half = node(left).map_or(0, |node| node.width / 2 + if node.has_loop { LOOP_WIDTH } else { 0 });
    let left_half = node(right).map_or(0, |node| node.width / 2);
    let gap = if node(left).is_some() && node(right).is_some() { NODE_GAP } else { EDGE_GAP };
    right_half + gap + left_half
}
