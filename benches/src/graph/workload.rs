//! Generated graphs of the reports.

use vyre_graph::CsrGraph;
use vyre_graph::generate::{GenerateError, SplitMix64, calls, rmat, roles};

/// Generated graph, equal on every machine.
#[derive(Clone, Copy, Debug)]
pub struct GraphWorkload {
    /// Name in reports.
    pub name: &'static str,
    /// Kind and size.
    pub about: &'static str,
    build: fn() -> Result<CsrGraph, GenerateError>,
}

/// Seed of the roles.
const ROLES: u64 = 0x5EED_0010;

impl GraphWorkload {
    /// All graphs of the reports.
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

    /// Generates the graph, with roles.
    ///
    /// # Panics
    ///
    /// Never: the sizes of [`GraphWorkload::ALL`] are possible.
    #[must_use]
    pub fn graph(&self) -> CsrGraph {
        let mut graph = (self.build)().expect("the sizes are possible");
        roles(&mut graph, ROLES);
        graph
    }
}

/// Order of a list of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeOrder {
    /// Sorted by source and target, as files often are.
    Sorted,
    /// Shuffled with a fixed seed.
    Shuffled,
}

impl EdgeOrder {
    /// Both orders, in the order of the report.
    pub const ALL: [EdgeOrder; 2] = [EdgeOrder::Shuffled, EdgeOrder::Sorted];

    /// Name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EdgeOrder::Sorted => "sorted",
            EdgeOrder::Shuffled => "shuffled",
        }
    }

    /// Edges of a graph in this order.
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
