//! Progress and summary of an analysis.

use std::time::Duration;

use crate::cost::CostEstimate;
use crate::explanation::Explanation;
use crate::stages::Stages;

/// Progress of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Number of sources that are complete.
    pub done: u64,
    /// Number of all sources.
    pub total: u64,
    /// Number of findings so far.
    pub findings: u64,
}

/// Callback that receives the progress of analyses.
pub(crate) type ProgressCallback = dyn Fn(Progress) + Send + Sync;

/// Result of an analysis beside its findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Number of findings.
    pub findings: u64,
    /// Decisions of the engine and their reasons.
    pub explanation: Explanation,
    /// Time that the device was busy, if it was measured.
    pub device_time: Option<Duration>,
    /// Time of each stage.
    pub stages: Stages,
    /// Estimate of the cost model for the choice, if the engine made one.
    pub estimate: Option<CostEstimate>,
}
