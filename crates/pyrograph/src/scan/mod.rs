//! Scans: options, control, errors and result.

mod analysed;
mod analysis;
mod blocked;
mod call_graph;
mod capabilities;
mod capability_paths;
mod constants;
mod control;
mod copies;
mod copy_key;
mod crossing;
mod ending;
mod error;
mod explain;
mod findings;
mod ignore;
mod install;
mod install_files;
mod kept;
mod libraries;
mod linking;
mod lowering;
mod merge;
mod missing;
mod own;
mod packages;
mod pages;
mod pipeline;
mod position;
mod scripts;
mod sources;
mod unmatched;
mod warnings;
mod watch;

pub use call_graph::{CallGraph, CallGraphFunction, CallGraphRange, call_graph};
pub use control::{ProgressReceiver, ScanControl, ScanProgress, ScanStage};
pub use error::ScanError;
pub use explain::explain_missing;
pub use libraries::{LibraryMember, LibraryUse};
pub use pipeline::scan;
pub use position::{FilePosition, PositionError};

use std::sync::Arc;
use std::time::Duration;

use crate::baseline::comparison::{BaselineState, Comparison};
use crate::capability::Capability;
use crate::coverage::Coverage;
use crate::finding::{FailOn, Finding, Statistics, SuppressedFinding};
use crate::knowledge::{Knowledge, ThreatModel};

/// Options of a scan.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScanOptions {
    /// Rules and models. None: the built-in ones.
    pub knowledge: Option<Arc<Knowledge>>,
    /// Threat models. Empty: from `package.json`, or both.
    pub models: Vec<ThreatModel>,
    /// Patterns of paths to scan. Empty: all.
    pub include: Vec<String>,
    /// Patterns of paths to skip.
    pub exclude: Vec<String>,
    /// Scans folders of dependencies too: `node_modules`, `site-packages`.
    pub dependencies: bool,
    /// Reads folders of dependencies for the targets of calls. What begins in them is no finding.
    pub with_dependencies: bool,
    /// Threads. None: one for each core. The findings do not depend on it.
    pub jobs: Option<usize>,
    /// Time limit of the whole scan.
    pub time_limit: Option<Duration>,
    /// Time limit of a file.
    pub file_time_limit: Duration,
    /// Work that the stages of the analysis may do, in percent of the usual work.
    pub effort: u32,
    /// Memory limit in bytes: an estimate of the memory of texts, flow modules and graphs.
    pub memory: u64,
    /// Length of the longest file that is analysed.
    pub max_file_bytes: u64,
    /// Honours ignore comments (`// vyre-ignore RULE: reason`) outside of archives and of folders of dependencies.
    pub ignore_comments: bool,
    /// Lists the capabilities of the code in the report.
    pub capabilities: bool,
}

impl Default for ScanOptions {
    fn default() -> ScanOptions {
        ScanOptions {
            knowledge: None,
            models: Vec::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            dependencies: false,
            with_dependencies: false,
            jobs: None,
            time_limit: None,
            file_time_limit: Duration::from_secs(30),
            effort: 100,
            memory: 8 << 30,
            max_file_bytes: 64 << 20,
            ignore_comments: true,
            capabilities: false,
        }
    }
}

/// Result of a scan.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ScanReport {
    /// Rules and models of the scan.
    pub knowledge: Arc<Knowledge>,
    /// Threat models of the scan.
    pub models: Vec<ThreatModel>,
    /// Requests and messages are sources whatever the threat models are.
    pub has_requests: bool,
    /// Findings in order of sink, rule and source.
    pub findings: Vec<Finding>,
    /// Files: scanned, skipped, failed.
    pub coverage: Coverage,
    /// Findings that ignore comments silence, in the same order.
    pub suppressed: Vec<SuppressedFinding>,
    /// Comparison with an earlier scan. None: there is no baseline.
    pub baseline: Option<Comparison>,
    /// Warnings, such as "express is imported, but no entry of its model matches".
    pub warnings: Vec<String>,
    /// Reasons why there can be no findings, such as code without sources.
    pub notes: Vec<String>,
    /// Folder that the paths of the report are relative to, as seen from the current folder, with `/` at its end. Empty: the current
    /// folder, an archive, or a folder elsewhere.
    pub folder: String,
    /// Packages that the code imports and the input does not contain.
    pub libraries: Vec<LibraryUse>,
    /// Project configuration of the scan: its path and what it sets. None: there is none.
    pub configuration: Option<String>,
    /// Digest of the paths, options and rules that decide which findings a scan can have. None: it is not known.
    pub selection: Option<String>,
    /// Capabilities of the code, if the options ask for them.
    pub capabilities: Vec<Capability>,
    /// Statistics.
    pub statistics: Statistics,
}

impl ScanReport {
    /// State of a finding. None: there is no baseline.
    #[must_use]
    pub fn state(&self, finding: &Finding) -> Option<BaselineState> {
        self.baseline.as_ref().map(|baseline| baseline.state(&finding.fingerprint))
    }

    /// True if a finding fails a check: its severity is one of those, and it is new if there is a baseline.
    #[must_use]
    pub fn fails(&self, finding: &Finding, fail_on: FailOn) -> bool {
        self.state(finding) != Some(BaselineState::Unchanged) && fail_on.includes(finding.severity)
    }
}
