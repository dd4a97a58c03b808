//! Adjacency of a graph: the neighbours of each node in one array.

/// Neighbours of each node, with a label for each edge.
#[derive(Debug)]
pub struct Adjacency<L> {
    /// First neighbour of each node, and the end.
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    labels: Vec<L>,
}

impl<L: Copy + Default> Adjacency<L> {
    /// Adjacency of edges: node, neighbour, label. The neighbours of a node keep the order of the edges.
    pub(crate) fn new(nodes: usize, edges: impl Iterator<Item = (u32, u32, L)> + Clone) -> Adjacency<L> {
        let mut offsets = vec![0_u32; nodes + 1];
        for (node, ..) in edges.clone() {
            offsets[node as usize + 1] += 1;
        }
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let count = offsets[nodes] as usize;
        let (mut neighbours, mut labels) = (vec![0_u32; count], vec![L::default(); count]);
        let mut next = offsets.clone();
        for (node, neighbour, label) in edges {
            let position = next[node as usize] as usize;
            next[node as usize] += 1;
            neighbours[position] = neighbour;
            labels[position] = label;
        }
        Adjacency { offsets, neighbours, labels }
    }

    /// Positions of the edges of a node.
    pub(crate) fn range(&self, node: u32) -> std::ops::Range<usize> {
        self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize
    }

    /// Edge at a position: neighbour, label.
    pub(crate) fn edge(&self, position: usize) -> (u32, L) {
        (self.neighbours[position], self.labels[position])
    }

    /// Edges of a node: neighbour, label.
    pub(crate) fn of(&self, node: u32) -> impl Iterator<Item = (u32, L)> + Clone + '_ {
        let range = self.range(node);
        self.neighbours[range.clone()].iter().copied().zip(self.labels[range].iter().copied())
    }

    /// True if a node has no edges.
    pub(crate) fn is_empty(&self, node: u32) -> bool {
        self.range(node).is_empty()
    }

    /// First neighbour of each node and the end, and the neighbours.
    pub(crate) fn into_parts(self) -> (Vec<u32>, Vec<u32>) {
        (self.offsets, self.neighbours)
    }

    /// Nodes that are reached from others.
    pub(crate) fn reach(&self, starts: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut reached = vec![false; self.offsets.len() - 1];
        let mut stack: Vec<u32> = Vec::new();
        for start in starts {
            if !std::mem::replace(&mut reached[start as usize], true) {
                stack.push(start);
            }
        }
        while let Some(node) = stack.pop() {
            for &neighbour in &self.neighbours[self.range(node)] {
                if !std::mem::replace(&mut reached[neighbour as usize], true) {
                    stack.push(neighbour);
                }
            }
        }
        reached
    }
}

/// Items in the order of their nodes, by counting: the items, and the first item of each node and the end. The items of a node keep
/// their order.
pub(crate) fn grouped<T: Copy>(nodes: usize, items: &[T], node_of: impl Fn(&T) -> u32) -> (Vec<T>, Vec<u32>) {
    let mut offsets = vec![0_u32; nodes + 1];
    for item in items {
        offsets[node_of(item) as usize + 1] += 1;
    }
    for node in 0..nodes {
        offsets[node + 1] += offsets[node];
    }
    let mut next = offsets.clone();
    let mut grouped = items.to_vec();
    for item in items {
        let position = &mut next[node_of(item) as usize];
        grouped[*position as usize] = *item;
        *position += 1;
    }
    (grouped, offsets)
}
