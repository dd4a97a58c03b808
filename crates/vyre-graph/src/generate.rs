//! Deterministic generators of benchmark graphs.
//!
//! [`rmat`] generates R-MAT graphs (Chakrabarti, Zhan, Faloutsos, 2004), which resemble social networks: few hubs, short paths.
//! [`calls`] generates graphs that resemble call graphs: long paths, few edges for each node. [`roles`] and [`sources`] choose
//! sinks, sanitizers and start nodes. The generator of random numbers is SplitMix64 (Steele, Lea, Flood, 2014). [`calls`] uses
//! floating-point powers, whose last bit depends on the math library of the platform; the recorded fingerprints are those of
//! x86-64 Linux.

use std::fmt;

use crate::construct::try_to_csr;
use crate::csr::{CsrGraph, CsrView};
use crate::error::counted;
use crate::role::{Role, role_of};

/// The pseudo-random number generator SplitMix64.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Creates a generator with a seed.
    #[must_use]
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// Next number.
    pub fn next_word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Number below `bound`, by multiplication.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_word()) * u128::from(bound)) >> 64) as u64
    }

    /// Number from 0 to 1, without 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Shuffles items (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// Invalid parameters of a generator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GenerateError {
    /// The scale exceeds 31.
    Scale {
        /// The scale.
        scale: u32,
    },
    /// The number of edges, before parallel ones are removed, exceeds `u32`.
    Edges {
        /// Number of edges.
        edges: u64,
    },
    /// The number of nodes of a program is 0.
    EmptyPrograms,
    /// The number of sources exceeds the number of eligible nodes.
    Sources {
        /// Number of sources.
        wanted: usize,
        /// Number of normal nodes with an edge.
        found: usize,
    },
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::Scale { scale } => {
                write!(f, "a graph of scale {scale} has 2^{scale} nodes; scales are 0 to 31")
            }
            GenerateError::Edges { edges } => {
                write!(f, "{edges} edges are more than a graph can have ({}); use a smaller scale or factor", u32::MAX)
            }
            GenerateError::EmptyPrograms => write!(f, "programs have at least one node"),
            GenerateError::Sources { wanted, found } => {
                let wanted = counted(*wanted as u64, "source was", "sources were");
                let found = counted(*found as u64, "normal node has", "normal nodes have");
                write!(f, "{wanted} asked for, but only {found} an edge")
            }
        }
    }
}

impl std::error::Error for GenerateError {}

/// Generates an R-MAT graph of 2^`scale` nodes. Each edge descends recursively into a quadrant of the adjacency matrix, with the
/// probabilities 0.57, 0.19, 0.19 and 0.05. Nodes are renumbered at random, and parallel edges and self-loops are removed.
/// `edge_factor` is the number of edges for each node before that.
///
/// # Errors
///
/// The number of nodes or edges is too large.
pub fn rmat(scale: u32, edge_factor: u32, seed: u64) -> Result<CsrGraph, GenerateError> {
    if scale > 31 {
        return Err(GenerateError::Scale { scale });
    }
    let nodes = 1u32 << scale;
    let count = u64::from(nodes) * u64::from(edge_factor);
    if u32::try_from(count).is_err() {
        return Err(GenerateError::Edges { edges: count });
    }
    let mut random = SplitMix64::new(seed);
    let mut ids: Vec<u32> = (0..nodes).collect();
    random.shuffle(&mut ids);
    let mut edges = Vec::new();
    for _ in 0..count {
        let (mut row, mut column) = (0usize, 0usize);
        for _ in 0..scale {
            let quarter = random.unit();
            row = row << 1 | usize::from(quarter >= 0.76);
            column = column << 1 | usize::from(quarter >= 0.95 || (0.57..0.76).contains(&quarter));
        }
        if ids[row] != ids[column] {
            edges.push((ids[row], ids[column]));
        }
    }
    Ok(simple_graph(nodes, edges))
}

/// Generates a call graph: programs of `program` nodes each, whose nodes mostly call nodes shortly after them, and a library in the
/// last twentieth of the nodes that all programs call.
///
/// # Errors
///
/// The number of edges is too large, or programs have no nodes.
pub fn calls(nodes: u32, program: u32, seed: u64) -> Result<CsrGraph, GenerateError> {
    if program == 0 {
        return Err(GenerateError::EmptyPrograms);
    }
    let (count, program) = (i64::from(nodes), i64::from(program));
    let mut random = SplitMix64::new(seed);
    let mut library: Vec<u32> = (nodes - nodes / 20..nodes).collect();
    random.shuffle(&mut library);
    let mut edges = Vec::new();
    for node in 0..count {
        if random.unit() < 0.5 && node + 1 < count {
            edges.push((node as u32, node as u32 + 1));
        }
        let degree = ((1.0 / (1.0 - random.unit()).powf(1.0 / 1.5)) as u64).min(200);
        if random.unit() < 0.10 {
            continue;
        }
        for _ in 0..degree {
            let kind = random.unit();
            let target = if kind < 0.96 {
                let distance = 1 + random.below(64) as i64;
                if random.unit() < 0.08 { node - distance } else { node + distance }
            } else if kind < 0.99 {
                node + random.below(8193) as i64 - 4096
            } else {
                let rank = (library.len() as f64).powf(random.unit()) as usize;
                // The first functions are called most often. A graph of fewer than 20 nodes has no library.
                match library.get(rank.saturating_sub(1).min(library.len().saturating_sub(1))) {
                    Some(&function) => i64::from(function),
                    None => continue,
                }
            };
            let is_inside = (0..count).contains(&target) && target != node;
            if is_inside && (kind >= 0.99 || target / program == node / program) {
                edges.push((node as u32, target as u32));
            }
        }
        if u32::try_from(edges.len()).is_err() {
            return Err(GenerateError::Edges { edges: edges.len() as u64 });
        }
    }
    Ok(simple_graph(nodes, edges))
}

/// Constructs the graph of these edges, sorted and without duplicates.
fn simple_graph(nodes: u32, mut edges: Vec<(u32, u32)>) -> CsrGraph {
    use rayon::prelude::*;
    edges.par_sort_unstable();
    edges.dedup();
    try_to_csr(nodes, &edges).expect("the generators stay inside, and there were few enough before")
}

/// Makes a random hundredth of the nodes sinks and another hundredth sanitizers. All other nodes become normal.
pub fn roles(graph: &mut CsrGraph, seed: u64) {
    let nodes = graph.node_count();
    graph.node_data.fill(0);
    let mut random = SplitMix64::new(seed);
    for role in [Role::Sink, Role::Sanitizer] {
        let mut left = nodes / 100;
        while left > 0 {
            let word = &mut graph.node_data[random.below(nodes as u64) as usize];
            if *word == 0 {
                *word = role.word();
                left -= 1;
            }
        }
    }
}

/// Chooses `count` distinct normal nodes with an edge at random, in ascending order.
///
/// # Errors
///
/// There are fewer such nodes.
pub fn sources(graph: CsrView<'_>, count: usize, seed: u64) -> Result<Vec<u32>, GenerateError> {
    let is_eligible =
        |node: usize| role_of(graph.node_data[node]) == Role::Normal && !graph.neighbours(node as u32).is_empty();
    let found = (0..graph.node_count()).filter(|&node| is_eligible(node)).count();
    if count > found {
        return Err(GenerateError::Sources { wanted: count, found });
    }
    let mut random = SplitMix64::new(seed);
    let mut taken = vec![false; graph.node_count()];
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count {
        let node = random.below(graph.node_count() as u64) as usize;
        if is_eligible(node) && !std::mem::replace(&mut taken[node], true) {
            chosen.push(node as u32);
        }
    }
    chosen.sort_unstable();
    Ok(chosen)
}
