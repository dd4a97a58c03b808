//! The graphs that are measured.

use vyre_graph::CsrGraph;
use vyre_graph::generate::{GenerateError, SplitMix64, calls, rmat, roles};

/// A graph that is the same everywhere.
#[derive(Clone, Copy, Debug)]
pub struct GraphWorkload {
    /// What it is called.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    build: fn() -> Result<CsrGraph, GenerateError>,
}

/// The seed of roles.
const ROLES: u64 = 0x5EED_0010;

impl GraphWorkload {
    /// The graphs of the reports.
    pub const ALL: [GraphWorkload; 4] = [
        GraphWorkload { name: "G1", about: "RMAT, scale 16, factor 16", build: || rmat(16, 16, 0x5EED_0001) },
        GraphWorkload { name: "G2", about: "RMAT, scale 20, factor 16", build: || rmat(20, 16, 0x5EED_0002) },
        GraphWorkload {
            name: "G3",
            about: "calls, one program of 1,000,000",
            build: || calls(1_000_000, 1_000_000, 0x5EED_0003),
        },
        GraphWorkload {
            name: "G4",
            about: "calls, programs of 8,192 and a library",
            build: || calls(1_000_000, 8_192, 0x5EED_0004),
        },
    ];

    /// The graph, with roles.
    ///
    /// # Panics
    ///
    /// Never: the sizes above are possible.
    #[must_use]
    pub fn graph(&self) -> CsrGraph {
        let mut graph = (self.build)().expect("the sizes are possible");
        roles(&mut graph, ROLES);
        graph
    }
}

/// The order of a list of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeOrder {
    /// By source and target, as files often are.
    Sorted,
    /// At random.
    Shuffled,
}

impl EdgeOrder {
    /// Both.
    pub const ALL: [EdgeOrder; 2] = [EdgeOrder::Shuffled, EdgeOrder::Sorted];

    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EdgeOrder::Sorted => "sorted",
            EdgeOrder::Shuffled => "shuffled",
        }
    }

    /// The edges of a graph in this order.
    #[must_use]
    pub fn edges(self, graph: &CsrGraph) -> Vec<(u32, u32)> {
        let view = graph.view();
        let nodes = 0..graph.node_count() as u32;
        let mut edges: Vec<(u32, u32)> =
            nodes.flat_map(|node| view.neighbours(node).iter().map(move |&target| (node, target))).collect();
        if self == EdgeOrder::Shuffled {
            SplitMix64::new(0x0e_d6e5).shuffle(&mut edges);
        }
        edges
    }
}
