//! Analyses of a loaded graph: the public entry points.

use std::ops::ControlFlow;

use vyre_graph::CsrView;

use crate::analysis::Analysis;
use crate::device_graph::LoadedGraph;
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::finding::Finding;
use crate::options::Options;
use crate::report::{ProgressCallback, Summary};
use crate::witness::witnesses;

/// A valid graph, for any number of analyses.
pub struct Loaded<'g> {
    pub(crate) executor: &'g Executor,
    pub(crate) progress: Option<&'g ProgressCallback>,
    pub(crate) graph: LoadedGraph<'g>,
}

impl<'g> Loaded<'g> {
    /// The graph.
    #[must_use]
    pub fn view(&self) -> CsrView<'g> {
        self.graph.view()
    }

    /// Returns all findings in order.
    ///
    /// # Errors
    ///
    /// Sources or options that do not fit the graph, more findings than [`Options::max_findings`], or a failure of the device.
    pub fn taint(&self, sources: &[u32], options: &Options) -> Result<(Vec<Finding>, Summary), DataflowError> {
        let limit = options.max_findings.unwrap_or(u64::MAX);
        let mut collected = Vec::new();
        let summary = self.stream(sources, options, |findings| {
            if collected.len() as u64 + findings.len() as u64 <= limit {
                collected.extend_from_slice(findings);
            }
            ControlFlow::Continue(())
        })?;
        if summary.findings > limit {
            return Err(DataflowError::TooManyFindings { found: summary.findings, limit });
        }
        Ok((collected, summary))
    }

    /// Passes all findings to `receive`, in chunks and in order. Only one batch of findings is in memory. `receive` can end the
    /// analysis.
    ///
    /// # Errors
    ///
    /// As [`taint`](Loaded::taint), without a limit on findings; [`DataflowError::Stopped`] if `receive` ended the analysis.
    pub fn stream(
        &self,
        sources: &[u32],
        options: &Options,
        mut receive: impl FnMut(&[Finding]) -> ControlFlow<()>,
    ) -> Result<Summary, DataflowError> {
        let analysis = Analysis { executor: self.executor, loaded: &self.graph, progress: self.progress, options };
        analysis.run(sources, &mut receive)
    }

    /// Returns a witness for each finding: a shortest path along which a fact travels from its source to its sink, including both. The
    /// choice among shortest paths is deterministic. `docs/dataflow.md` describes functions of facts that act only together.
    ///
    /// # Errors
    ///
    /// As [`taint`](Loaded::taint); [`DataflowError::NoWitness`] for a finding that this analysis does not have.
    pub fn witnesses(&self, findings: &[Finding], options: &Options) -> Result<Vec<Vec<u32>>, DataflowError> {
        witnesses(self.executor, self.graph.view(), findings, options)
    }
}
