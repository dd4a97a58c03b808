//! Findings of a scan.

use serde::{Deserialize, Serialize};

use crate::flow::Span;
use crate::knowledge::{Severity, ThreatModel};

/// Position of a file in [`Coverage::files`](crate::coverage::Coverage::files).
pub type FileIndex = u32;

/// Range of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// File.
    pub file: FileIndex,
    /// Bytes.
    pub span: Span,
}

/// A flow from an untrusted input to a dangerous operation: one for each rule and sink, with the nearest source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Position of the rule in [`Knowledge::rules`](crate::knowledge::Knowledge::rules).
    pub rule: usize,
    /// Severity.
    pub severity: Severity,
    /// Threat model of the source.
    pub model: ThreatModel,
    /// Label of the source, such as `http-request`.
    pub source_label: String,
    /// Message with the texts of source and sink.
    pub message: String,
    /// Witness: steps from the source to the sink, both included.
    pub witness: Vec<WitnessStep>,
    /// Other sources that reach the sink, without the nearest one, in order of locations. At most [`MAX_OTHER_SOURCES`].
    pub other_sources: Vec<Location>,
    /// Number of other sources that are not listed.
    pub omitted_sources: usize,
    /// Other sinks of identical copies of the same file.
    pub copies: Vec<Location>,
    /// Fingerprints that findings in the copies would have.
    pub copy_fingerprints: Vec<String>,
    /// Fingerprint that survives moved lines, and no other finding of the scan has.
    pub fingerprint: String,
}

/// Maximum number of other sources that a finding lists.
pub const MAX_OTHER_SOURCES: usize = 10;

impl Finding {
    /// Fingerprints of the finding and of its copies.
    pub fn fingerprints(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.fingerprint.as_str()).chain(self.copy_fingerprints.iter().map(String::as_str))
    }

    /// Location of the source.
    #[must_use]
    pub fn source(&self) -> Location {
        self.witness.first().map_or(Location { file: 0, span: Span::default() }, |step| step.location)
    }

    /// Location of the sink.
    #[must_use]
    pub fn sink(&self) -> Location {
        self.witness.last().map_or(Location { file: 0, span: Span::default() }, |step| step.location)
    }
}

/// A finding that an ignore comment silences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuppressedFinding {
    /// The finding.
    pub finding: Finding,
    /// Reason that the comment gives.
    pub reason: String,
    /// Location of the comment.
    pub comment: Location,
}

/// Severities of the findings that fail a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailOn {
    /// All.
    #[default]
    Any,
    /// This one and those above it.
    AtLeast(Severity),
    /// None.
    Never,
}

impl FailOn {
    /// True if a finding of this severity fails a check.
    #[must_use]
    pub fn includes(self, severity: Severity) -> bool {
        match self {
            FailOn::Any => true,
            FailOn::AtLeast(least) => severity >= least,
            FailOn::Never => false,
        }
    }
}

/// A step of a witness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessStep {
    /// Location.
    pub location: Location,
    /// Reason, such as "argument 1 of `run`", "returned by `read`", "field `cmd`".
    pub reason: String,
}

/// Statistics of a scan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Functions.
    pub functions: u64,
    /// Instructions.
    pub instructions: u64,
    /// Calls.
    pub calls: u64,
    /// Calls with neither a target in the package nor a model.
    pub unresolved_calls: u64,
    /// Nodes of the value-flow graph, both layers.
    pub nodes: u64,
    /// Edges of the value-flow graph, both layers.
    pub edges: u64,
    /// Sources.
    pub sources: u64,
    /// Sinks.
    pub sinks: u64,
    /// Limits that the analysis reached, with the number of times: text, count.
    pub limits: Vec<(String, u64)>,
    /// Seconds of each stage in order: read, parse, lower, link, solve, search, report.
    pub seconds: Vec<(String, f64)>,
}

impl Statistics {
    /// True if the analysis reached a limit of its own, so that flows may be missing although all files were analysed.
    #[must_use]
    pub fn is_approximate(&self) -> bool {
        !self.limits.is_empty()
    }
}
