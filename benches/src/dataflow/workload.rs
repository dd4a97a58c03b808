//! The graphs that are searched, and what is known of their findings.

use vyre_graph::generate::{GenerateError, calls, rmat, roles, sources};
use vyre_graph::{CsrGraph, CsrView};

use super::answer::Truth;
use crate::graph::GraphWorkload;

/// The seeds of roles and of sources.
const ROLES: u64 = 0x5EED_0010;
const SOURCES: u64 = 0x5EED_0020;

/// What a number of sources must find.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// How many sources.
    pub sources: usize,
    /// How many findings.
    pub findings: u64,
    /// The fingerprint of all findings in order, where it is known.
    pub fingerprint: Option<u64>,
}

/// A graph, and what is known of it.
#[derive(Clone, Debug)]
pub struct TaintWorkload {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Whether ways are short, so that the bit-parallel path suits it.
    pub is_shallow: bool,
    size: Option<[usize; 2]>,
    known: &'static [Known],
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Anchor(GraphWorkload),
    Rmat { scale: u32, seed: u64 },
    Calls { nodes: u32, program: u32, seed: u64 },
}

const fn known(sources: usize, findings: u64, fingerprint: u64) -> Known {
    Known { sources, findings, fingerprint: Some(fingerprint) }
}

const G1: [Known; 2] = [known(64, 25_216, 0x7a80_e38d_36f1_bf87), known(1024, 401_092, 0xcc26_cfee_85ba_5eea)];
const G2: [Known; 2] = [known(64, 355_136, 0xeb28_ea63_fa5b_7023), known(1024, 5_659_980, 0xda87_ad68_4ee4_e8a1)];
const G3: [Known; 2] =
    [known(64, 553_636, 0x4559_ef91_8f87_0437), Known { sources: 1024, findings: 8_994_318, fingerprint: None }];
const G4: [Known; 2] = [known(64, 37_435, 0x2487_d47c_3207_2967), known(1024, 596_551, 0x7773_295a_314e_0270)];

impl TaintWorkload {
    /// The graphs of the report.
    #[must_use]
    pub fn all() -> Vec<TaintWorkload> {
        let [first, second, third, fourth] = GraphWorkload::ALL;
        let anchor = |workload: GraphWorkload, is_shallow, size, known| TaintWorkload {
            name: workload.name.to_owned(),
            about: workload.about.to_owned(),
            is_shallow,
            size: Some(size),
            known,
            kind: Kind::Anchor(workload),
        };
        vec![
            anchor(first, true, [65_536, 955_454], &G1),
            anchor(second, true, [1_048_576, 16_085_060], &G2),
            anchor(third, false, [1_000_000, 2_522_070], &G3),
            anchor(fourth, false, [1_000_000, 2_494_385], &G4),
        ]
    }

    /// Small graphs of the same kinds, of which nothing is known.
    #[must_use]
    pub fn small() -> Vec<TaintWorkload> {
        let small = |name: &str, about: &str, is_shallow, kind| TaintWorkload {
            name: name.to_owned(),
            about: about.to_owned(),
            is_shallow,
            size: None,
            known: &[],
            kind,
        };
        vec![
            small("S1", "RMAT, scale 12, factor 16", true, Kind::Rmat { scale: 12, seed: 0x5EED_0001 }),
            small(
                "S4",
                "calls, 50,000 nodes in programs of 8,192",
                false,
                Kind::Calls { nodes: 50_000, program: 8_192, seed: 0x5EED_0004 },
            ),
        ]
    }

    /// The RMAT graph of a scale, all from one seed. That of scale 16 is G1.
    #[must_use]
    pub fn scaled(scale: u32) -> TaintWorkload {
        TaintWorkload {
            name: format!("RMAT {scale}"),
            about: format!("RMAT, scale {scale}, factor 16"),
            is_shallow: true,
            size: None,
            known: if scale == 16 { &G1 } else { &[] },
            kind: Kind::Rmat { scale, seed: 0x5EED_0001 },
        }
    }

    /// The graph, with roles.
    ///
    /// # Errors
    ///
    /// A size that is not possible, or a graph that is not the one that was meant.
    pub fn graph(&self) -> Result<CsrGraph, String> {
        let made = |made: Result<CsrGraph, GenerateError>| {
            let mut graph = made.map_err(|error| error.to_string())?;
            roles(&mut graph, ROLES);
            Ok::<CsrGraph, String>(graph)
        };
        let graph = match self.kind {
            Kind::Anchor(workload) => workload.graph(),
            Kind::Rmat { scale, seed } => made(rmat(scale, 16, seed))?,
            Kind::Calls { nodes, program, seed } => made(calls(nodes, program, seed))?,
        };
        let found = [graph.node_count(), graph.edge_count()];
        match self.size {
            Some(size) if size != found => {
                Err(format!("{}: {found:?} nodes and edges, but there must be {size:?}", self.name))
            }
            _ => Ok(graph),
        }
    }

    /// Compares what was found with what is known. True where all findings are known.
    ///
    /// # Errors
    ///
    /// Other findings.
    pub fn check(&self, sources: usize, truth: &Truth) -> Result<bool, String> {
        let Some(known) = self.known.iter().find(|known| known.sources == sources) else { return Ok(false) };
        let (findings, fingerprint) = (truth.findings(), truth.fingerprint());
        if findings != known.findings || known.fingerprint.is_some_and(|known| known != fingerprint) {
            return Err(format!(
                "{}, {sources} sources: {findings} findings with fingerprint {fingerprint:016x}, but there must be {}, {:016x}",
                self.name,
                known.findings,
                known.fingerprint.unwrap_or_default()
            ));
        }
        Ok(known.fingerprint.is_some())
    }
}

/// So many sources of a graph.
///
/// # Errors
///
/// There are not so many.
pub fn sources_of(graph: CsrView<'_>, count: usize) -> Result<Vec<u32>, String> {
    sources(graph, count, SOURCES + count as u64).map_err(|error| error.to_string())
}
