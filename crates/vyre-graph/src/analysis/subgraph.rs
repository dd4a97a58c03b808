//! Graphs within graphs: around some nodes, or between sources and sinks.

use crate::csr::{CsrGraph, CsrView};

/// Direction in which edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From their beginning to their end.
    Forward,
    /// From their end to their beginning.
    Backward,
    /// In both directions.
    Both,
}

/// Some nodes of a graph, and all edges between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgraph {
    /// Nodes, numbered anew in the old order, and edges.
    pub csr: CsrGraph,
    /// Weight of each edge, if the graph has weights.
    pub weights: Option<Vec<u32>>,
    /// Old number of each node.
    pub nodes: Vec<u32>,
}

/// Marks the nodes within `depth` edges of some nodes.
#[must_use]
pub fn neighbourhood(graph: CsrView<'_>, starts: &[u32], depth: u32, direction: Direction) -> Vec<bool> {
    let transposed = (direction != Direction::Forward).then(|| graph.transposed());
    let mut is_near = vec![false; graph.node_count()];
    let mut level: Vec<u32> = Vec::new();
    let mut add = |node: u32, level: &mut Vec<u32>| {
        if !std::mem::replace(&mut is_near[node as usize], true) {
            level.push(node);
        }
    };
    for &start in starts {
        add(start, &mut level);
    }
    for _ in 0..depth {
        if level.is_empty() {
            break;
        }
        let mut next = Vec::new();
        for &node in &level {
            if direction != Direction::Backward {
                graph.neighbours(node).iter().for_each(|&target| add(target, &mut next));
            }
            if let Some(backward) = &transposed {
                backward.view().neighbours(node).iter().for_each(|&target| add(target, &mut next));
            }
        }
        level = next;
    }
    is_near
}

/// Marks the nodes on a path from a source to a sink, both included.
#[must_use]
pub fn between(graph: CsrView<'_>, sources: &[u32], sinks: &[u32]) -> Vec<bool> {
    let forward = neighbourhood(graph, sources, u32::MAX, Direction::Forward);
    let backward = neighbourhood(graph, sinks, u32::MAX, Direction::Backward);
    forward.into_iter().zip(backward).map(|(forward, backward)| forward && backward).collect()
}

/// The marked nodes and all edges between them.
#[must_use]
pub fn induced(graph: CsrView<'_>, weights: Option<&[u32]>, is_kept: &[bool]) -> Subgraph {
    let nodes: Vec<u32> = (0..).zip(is_kept).filter(|(_, is_kept)| **is_kept).map(|(node, _)| node).collect();
    let mut numbers = vec![u32::MAX; graph.node_count()];
    for (number, &node) in (0..).zip(&nodes) {
        numbers[node as usize] = number;
    }
    let mut offsets = Vec::with_capacity(nodes.len() + 1);
    offsets.push(0);
    let (mut targets, mut kept) = (Vec::new(), Vec::new());
    for &node in &nodes {
        for edge in graph.offsets[node as usize] as usize..graph.offsets[node as usize + 1] as usize {
            let number = numbers[graph.targets[edge] as usize];
            if number != u32::MAX {
                targets.push(number);
                kept.extend(weights.map(|weights| weights[edge]));
            }
        }
        offsets.push(targets.len() as u32);
    }
    let node_data = nodes.iter().map(|&node| graph.node_data[node as usize]).collect();
    Subgraph { csr: CsrGraph { offsets, targets, node_data }, weights: weights.map(|_| kept), nodes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::to_csr;

    #[test]
    fn neighbourhoods_have_depths_and_directions() {
        let graph = to_csr(6, &[(0, 1), (1, 2), (2, 3), (4, 1), (3, 5)]);
        let marked = |marks: Vec<bool>| (0..6).filter(|&node| marks[node]).collect::<Vec<usize>>();
        let near = |depth, direction| marked(neighbourhood(graph.view(), &[1], depth, direction));
        assert_eq!(near(0, Direction::Both), [1]);
        assert_eq!(near(1, Direction::Forward), [1, 2]);
        assert_eq!(near(1, Direction::Backward), [0, 1, 4]);
        assert_eq!(near(2, Direction::Both), [0, 1, 2, 3, 4]);
        assert_eq!(near(u32::MAX, Direction::Forward), [1, 2, 3, 5]);
        assert_eq!(marked(between(graph.view(), &[0, 4], &[3])), [0, 1, 2, 3, 4]);
        assert_eq!(marked(between(graph.view(), &[5], &[0])), [0usize; 0]);
    }

    #[test]
    fn edges_between_kept_nodes_stay() {
        let graph = to_csr(4, &[(0, 1), (1, 3), (3, 0), (3, 3), (2, 1)]);
        let found = induced(graph.view(), Some(&[1, 2, 5, 3, 4]), &[true, false, true, true]);
        assert_eq!(found.nodes, [0, 2, 3]);
        assert_eq!((found.csr.offsets, found.csr.targets), (vec![0, 0, 0, 2], vec![0, 2]));
        assert_eq!(found.weights.map(|weights| weights.len()), Some(2));
        assert_eq!(found.csr.node_data.len(), 3);
    }
}
