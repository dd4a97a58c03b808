//! Graphs of known shapes, as lists of edges.

use vyre_graph::generate::SplitMix64;

/// A graph as a list of edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Number of nodes.
    pub nodes: u32,
    /// The edges.
    pub edges: Vec<(u32, u32)>,
}

impl Shape {
    fn new(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Shape {
        Shape { nodes, edges: edges.into_iter().collect() }
    }

    /// Nodes without edges.
    #[must_use]
    pub fn empty(nodes: u32) -> Shape {
        Shape::new(nodes, [])
    }

    /// 0 -> 1 -> 2 -> ...
    #[must_use]
    pub fn chain(nodes: u32) -> Shape {
        Shape::new(nodes, (1..nodes).map(|node| (node - 1, node)))
    }

    /// ... -> 2 -> 1 -> 0
    #[must_use]
    pub fn backward_chain(nodes: u32) -> Shape {
        Shape::new(nodes, (1..nodes).map(|node| (node, node - 1)))
    }

    /// A chain with an edge from its last node to its first.
    #[must_use]
    pub fn cycle(nodes: u32) -> Shape {
        Shape::new(nodes, (0..nodes).map(|node| (node, (node + 1) % nodes)))
    }

    /// A chain in both directions, with an edge over each ten nodes and this number of loops at each node.
    #[must_use]
    pub fn road(nodes: u32, loops: usize) -> Shape {
        let both = (1..nodes).flat_map(|node| [(node - 1, node), (node, node - 1)]);
        let shortcuts = (10..nodes).step_by(10).map(|node| (node - 10, node));
        let loops = (0..nodes).flat_map(|node| std::iter::repeat_n((node, node), loops));
        Shape::new(nodes, both.chain(shortcuts).chain(loops))
    }

    /// Edges from 0 to all others.
    #[must_use]
    pub fn star(nodes: u32) -> Shape {
        Shape::new(nodes, (1..nodes).map(|node| (0, node)))
    }

    /// Chains of two nodes that begin at 0: edges from 0 to the first nodes, and from each of them to one of the last.
    #[must_use]
    pub fn star_of_chains(chains: u32) -> Shape {
        let first = (1..=chains).map(|node| (0, node));
        let last = (1..=chains).map(|node| (node, chains + node));
        Shape::new(2 * chains + 1, first.chain(last))
    }

    /// Edges from all others to 0.
    #[must_use]
    pub fn sink_star(nodes: u32) -> Shape {
        Shape::new(nodes, (1..nodes).map(|node| (node, 0)))
    }

    /// Edges from every node to every other.
    #[must_use]
    pub fn complete(nodes: u32) -> Shape {
        let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
        Shape::new(nodes, pairs.filter(|(from, to)| from != to))
    }

    /// A binary tree, with edges from parents to children.
    #[must_use]
    pub fn tree(nodes: u32) -> Shape {
        Shape::new(nodes, (1..nodes).map(|node| ((node - 1) / 2, node)))
    }

    /// A grid, with edges to the right and down.
    #[must_use]
    pub fn lattice(width: u32, height: u32) -> Shape {
        let right = (0..height).flat_map(|y| (1..width).map(move |x| (y * width + x - 1, y * width + x)));
        let down = (1..height).flat_map(|y| (0..width).map(move |x| ((y - 1) * width + x, y * width + x)));
        Shape::new(width * height, right.chain(down))
    }

    /// A chain of two-node cycles.
    #[must_use]
    pub fn chain_of_pairs(pairs: u32) -> Shape {
        let within = (0..pairs).flat_map(|pair| [(2 * pair, 2 * pair + 1), (2 * pair + 1, 2 * pair)]);
        let between = (1..pairs).map(|pair| (2 * pair - 1, 2 * pair));
        Shape::new(2 * pairs, within.chain(between))
    }

    /// Random edges, with parallel edges and self-loops.
    #[must_use]
    pub fn random(nodes: u32, edges: u32, random: &mut SplitMix64) -> Shape {
        let mut node = || random.below(u64::from(nodes)) as u32;
        let edges: Vec<(u32, u32)> = (0..edges).map(|_| (node(), node())).collect();
        Shape::new(nodes, edges)
    }

    /// Random acyclic edges, from smaller to larger nodes.
    #[must_use]
    pub fn acyclic(nodes: u32, edges: u32, random: &mut SplitMix64) -> Shape {
        let Shape { edges, .. } = Shape::random(nodes, edges, random);
        let upward = edges.into_iter().filter(|(from, to)| from != to).map(|(from, to)| (from.min(to), from.max(to)));
        Shape::new(nodes, upward)
    }

    /// Random edges with skewed degrees: few nodes have most of the edges.
    #[must_use]
    pub fn power_law(nodes: u32, edges: u32, random: &mut SplitMix64) -> Shape {
        let mut node = || {
            let place = random.unit();
            ((place * place * place * f64::from(nodes)) as u32).min(nodes - 1)
        };
        let edges: Vec<(u32, u32)> = (0..edges).map(|_| (node(), node())).collect();
        Shape::new(nodes, edges)
    }

    /// Adds self-loops.
    #[must_use]
    pub fn with_loops(mut self, every: usize) -> Shape {
        self.edges.extend((0..self.nodes).step_by(every.max(1)).map(|node| (node, node)));
        self
    }

    /// Duplicates some edges.
    #[must_use]
    pub fn with_parallel_edges(mut self, every: usize) -> Shape {
        let again: Vec<(u32, u32)> = self.edges.iter().copied().step_by(every.max(1)).collect();
        self.edges.extend(again.iter().flat_map(|&edge| [edge, edge]));
        self
    }

    /// Disjoint union of two graphs.
    #[must_use]
    pub fn beside(mut self, other: Shape) -> Shape {
        let first = self.nodes;
        self.edges.extend(other.edges.into_iter().map(|(from, to)| (from + first, to + first)));
        self.nodes += other.nodes;
        self
    }

    /// Permutes the nodes.
    #[must_use]
    pub fn renumbered(mut self, random: &mut SplitMix64) -> Shape {
        let mut numbers: Vec<u32> = (0..self.nodes).collect();
        random.shuffle(&mut numbers);
        for (from, to) in &mut self.edges {
            (*from, *to) = (numbers[*from as usize], numbers[*to as usize]);
        }
        self
    }
}
