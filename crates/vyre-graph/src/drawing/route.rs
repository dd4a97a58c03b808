//! Vertical coordinates, and the points of edges.

use super::coordinates::LOOP_WIDTH;
use super::layers::Layering;
use super::order::Layers;
use super::{EdgeLine, NodeBox};

/// Space around a drawing.
const MARGIN: i64 = 16;
/// Space between layers.
const LAYER_GAP: i64 = 52;

/// Sets the places of boxes and returns the lines of edges, and the width and height of the drawing. Between layers there are only
/// edges; within a layer edges are vertical, so no edge crosses a box.
pub(super) fn route(
    layering: &Layering,
    layers: &Layers,
    centers: &[i64],
    nodes: &mut [NodeBox],
) -> (Vec<EdgeLine>, i64, i64) {
    let left = (0..centers.len()).map(|item| centers[item] - nodes.get(item).map_or(0, |node| node.width / 2)).min();
    let shift = MARGIN - left.unwrap_or(0);
    let mut bands: Vec<(i64, i64)> = Vec::with_capacity(layers.rows.len());
    let mut top = MARGIN;
    for row in &layers.rows {
        let height = row.iter().filter_map(|&item| nodes.get(item as usize)).map(|node| node.height).max().unwrap_or(0);
        bands.push((top, top + height));
        top += height + LAYER_GAP;
    }
    for (node, &center) in nodes.iter_mut().zip(centers) {
        let (upper, lower) = bands[node.layer as usize];
        node.left = center + shift - node.width / 2;
        node.top = upper + (lower - upper - node.height) / 2;
    }
    let ports = Ports::new(layers, centers, nodes);
    let lines = (0..).zip(&layering.edges).map(|(index, edge)| {
        let (upper, lower) = (&nodes[edge.upper as usize], &nodes[edge.lower as usize]);
        let (begin, end) = (ports.lower_side[index], ports.upper_side[index]);
        let mut points = vec![(begin, upper.top + upper.height), (begin, bands[upper.layer as usize].1)];
        let passed = &layers.chains[index][1..layers.chains[index].len() - 1];
        for (&item, &(top, bottom)) in passed.iter().zip(&bands[upper.layer as usize + 1..]) {
            let x = centers[item as usize] + shift;
            points.extend([(x, top), (x, bottom)]);
        }
        points.extend([(end, bands[lower.layer as usize].0), (end, lower.top)]);
        let [source, target] = if edge.is_reversed { [edge.lower, edge.upper] } else { [edge.upper, edge.lower] };
        EdgeLine { source, target, is_reversed: edge.is_reversed, points }
    });
    let mut lines: Vec<EdgeLine> = lines.collect();
    lines.sort_by_key(|line| (line.source, line.target));
    let of_nodes = nodes.iter().map(|node| node.left + node.width + if node.has_loop { LOOP_WIDTH } else { 0 });
    let right = of_nodes.chain(centers.iter().map(|center| center + shift)).max().unwrap_or(0);
    let bottom = bands.last().map_or(0, |&(_, bottom)| bottom);
    (lines, right + MARGIN, bottom + MARGIN)
}

/// Horizontal positions at which edges leave and enter boxes, in the order of the neighbours, so that edges of a box do not cross there.
struct Ports {
    /// By edge, at the lower side of its upper node.
    lower_side: Vec<i64>,
    /// By edge, at the upper side of its lower node.
    upper_side: Vec<i64>,
}

impl Ports {
    fn new(layers: &Layers, centers: &[i64], nodes: &[NodeBox]) -> Ports {
        let mut leaving = vec![Vec::new(); nodes.len()];
        let mut entering = leaving.clone();
        for (edge, chain) in layers.chains.iter().enumerate() {
            let last = chain.len() - 1;
            leaving[chain[0] as usize].push((centers[chain[1] as usize], edge));
            entering[chain[last] as usize].push((centers[chain[last - 1] as usize], edge));
        }
        let spread = |sides: Vec<Vec<(i64, usize)>>| {
            let mut ports = vec![0; layers.chains.len()];
            for (node, mut edges) in nodes.iter().zip(sides) {
                edges.sort_unstable();
                let count = edges.len() as i64;
                for (index, (_, edge)) in (1..).zip(edges) {
                    ports[edge] = node.left + node.width * index / (count + 1);
                }
            }
            ports
        };
        Ports { lower_side: spread(leaving), upper_side: spread(entering) }
    }
}
