//! Graphs of the dataflow report, with known findings.

use vyre_graph::generate::{GenerateError, calls, rmat, roles, sources};
use vyre_graph::{CsrGraph, CsrView};

use super::digest::Expected;
use crate::graph::GraphWorkload;

/// Seeds of the roles and of the sources.
const ROLES: u64 = 0x5EED_0010;
const SOURCES: u64 = 0x5EED_0020;

/// Findings of a number of sources that are known.
#[derive(Clone, Copy, Debug)]
pub struct KnownFindings {
    /// Number of sources.
    pub sources: usize,
    /// Number of findings.
    pub findings: u64,
    /// Fingerprint of all findings in order, if it is known.
    pub fingerprint: Option<u64>,
}

/// Graph with its known findings.
#[derive(Clone, Debug)]
pub struct TaintWorkload {
    /// Name in reports.
    pub name: String,
    /// Kind and size.
    pub about: String,
    /// True if paths are short, so that the bit-parallel strategy suits the graph.
    pub is_shallow: bool,
    size: Option<[usize; 2]>,
    known: &'static [KnownFindings],
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Anchor(GraphWorkload),
    Rmat { scale: u32, seed: u64 },
    Calls { nodes: u32, program: u32, seed: u64 },
}

const fn known(sources: usize, findings: u64, fingerprint: u64) -> KnownFindings {
    KnownFindings { sources, findings, fingerprint: Some(fingerprint) }
}

const G1: [KnownFindings; 2] = [known(64, 25_216, 0x7a80_e38d_36f1_bf87), known(1024, 401_092, 0xcc26_cfee_85ba_5eea)];
const G2: [KnownFindings; 2] =
    [known(64, 355_136, 0xeb28_ea63_fa5b_7023), known(1024, 5_659_980, 0xda87_ad68_4ee4_e8a1)];
const G3: [KnownFindings; 2] = [
    known(64, 553_636, 0x4559_ef91_8f87_0437),
    KnownFindings { sources: 1024, findings: 8_994_318, fingerprint: None },
];
const G4: [KnownFindings; 2] = [known(64, 37_435, 0x2487_d47c_3207_2967), known(1024, 596_551, 0x7773_295a_314e_0270)];

impl TaintWorkload {
    /// All graphs of the report.
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

    /// Small graphs of the same kinds, without known findings.
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

    /// R-MAT graph of a scale. All scales have the same seed; scale 16 is G1.
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

    /// Generates the graph, with roles.
    ///
    /// # Errors
    ///
    /// The size is not possible, or the graph has an unexpected size.
    pub fn graph(&self) -> Result<CsrGraph, String> {
        let with_roles = |made: Result<CsrGraph, GenerateError>| {
            let mut graph = made.map_err(|error| error.to_string())?;
            roles(&mut graph, ROLES);
            Ok::<CsrGraph, String>(graph)
        };
        let graph = match self.kind {
            Kind::Anchor(workload) => workload.graph(),
            Kind::Rmat { scale, seed } => with_roles(rmat(scale, 16, seed))?,
            Kind::Calls { nodes, program, seed } => with_roles(calls(nodes, program, seed))?,
        };
        let found = [graph.node_count(), graph.edge_count()];
        match self.size {
            Some(size) if size != found => Err(format!("{}: {found:?} nodes and edges instead of {size:?}", self.name)),
            _ => Ok(graph),
        }
    }

    /// Verifies findings against the known ones. Returns true if the fingerprint of the findings is known.
    ///
    /// # Errors
    ///
    /// The findings are not the known ones.
    pub fn check(&self, sources: usize, expected: &Expected) -> Result<bool, String> {
        let Some(known) = self.known.iter().find(|known| known.sources == sources) else { return Ok(false) };
        let (findings, fingerprint) = (expected.findings(), expected.fingerprint());
        if findings != known.findings || known.fingerprint.is_some_and(|known| known != fingerprint) {
            return Err(format!(
                "{}, {sources} sources: {findings} findings with fingerprint {fingerprint:016x} instead of {}, {:016x}",
                self.name,
                known.findings,
                known.fingerprint.unwrap_or_default()
            ));
        }
        Ok(known.fingerprint.is_some())
    }
}

/// Chooses `count` sources of a graph.
///
/// # Errors
///
/// The graph has fewer sources.
pub fn sources_of(graph: CsrView<'_>, count: usize) -> Result<Vec<u32>, String> {
    sources(graph, count, SOURCES + count as u64).map_err(|error| error.to_string())
}
