//! Output of an analysis: ordered findings, progress, explanation and times.

use std::ops::Range;

use rayon::prelude::*;
use vyre_graph::CsrView;
use vyre_ir::spelling::counted;

use crate::depth_matrix::{Conversion, DepthFormat, DepthMatrix};
use crate::emitter::{Emitter, Receiver};
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::explanation::Explanation;
use crate::finding::Finding;
use crate::report::{Progress, ProgressCallback, Summary};
use crate::stages::{Stage, StageClock};
use crate::starts::{Start, Starts};

/// Maximum number of entries of the rows that threads convert to findings before these are emitted.
const MAX_CONVERTED: usize = 1 << 22;

/// Output of one analysis.
pub(crate) struct Output<'a> {
    executor: &'a Executor,
    conversion: Conversion<'a>,
    progress: Option<&'a ProgressCallback>,
    emitter: Emitter<'a>,
    /// Rows of the current node, until all starts of the node are complete.
    pending: Vec<(Start, Vec<u32>)>,
    pub(crate) explanation: Explanation,
    /// Number of sources that are complete.
    done: u64,
    clock: StageClock,
}

impl<'a> Output<'a> {
    pub(crate) fn new(
        executor: &'a Executor,
        graph: CsrView<'a>,
        starts: &'a Starts,
        progress: Option<&'a ProgressCallback>,
        receive: &'a mut Receiver<'a>,
    ) -> Output<'a> {
        let emitter = Emitter::new(receive, executor.run_options.clone());
        let explanation = Explanation::default();
        let clock = StageClock::start(Stage::Choose);
        Output {
            executor,
            conversion: Conversion { graph, starts },
            progress,
            emitter,
            pending: Vec::new(),
            explanation,
            done: 0,
            clock,
        }
    }

    /// Begins a stage.
    pub(crate) fn enter(&mut self, stage: Stage) {
        self.clock.enter(stage);
    }

    /// Reports progress to the caller.
    pub(crate) fn report_progress(&self) {
        if let Some(progress) = self.progress {
            progress(Progress {
                done: self.done,
                total: self.conversion.starts.source_count(),
                findings: self.emitter.total,
            });
        }
    }

    /// Explains the batches: starts of a batch, and bytes of device memory.
    pub(crate) fn explain_batches(&mut self, starts: usize, bytes: u64) {
        let count = self.conversion.starts.len().div_ceil(starts.max(1));
        let mebibytes = bytes.div_ceil(1 << 20);
        let starts = counted(starts, "source");
        self.explanation.push(format!("batches: {count} of up to {starts}, {mebibytes} MiB each"));
    }

    /// Emits the complete findings of the next sources, which are in order.
    pub(crate) fn emit_findings(&mut self, sources: u64, findings: &[Finding]) -> Result<(), DataflowError> {
        self.enter(Stage::Receive);
        self.done += sources;
        self.emitter.extend(findings)
    }

    /// Emits the findings of a batch, whose rows are at the beginning of the matrix. The findings of a node are emitted when all
    /// its starts are complete.
    pub(crate) fn emit(&mut self, batch: Range<usize>, matrix: &DepthMatrix<'_>) -> Result<(), DataflowError> {
        self.enter(Stage::Read);
        let bytes = self.executor.device().read(matrix.depths)?;
        let (words, _) = bytes.as_chunks::<4>();
        let width = match matrix.format {
            DepthFormat::Depth => matrix.sinks.len(),
            DepthFormat::DepthAndFacts => 2 * matrix.sinks.len(),
        };
        let first = batch.start;
        let rows_at_once = (MAX_CONVERTED / width.max(1)).max(1);
        let mut rest = batch;
        while !rest.is_empty() {
            self.enter(Stage::Collect);
            let rows = rest.start..rest.end.min(rest.start + rows_at_once);
            rest.start = rows.end;
            let row = |number: usize| &words[(number - first) * width..][..width];
            let conversion = self.conversion;
            // None for a node with several starts.
            let converted: Vec<Option<Vec<Finding>>> = rows
                .clone()
                .into_par_iter()
                .map(|number| conversion.is_alone(number).then(|| conversion.row_findings(number, matrix, row(number))))
                .collect();
            self.enter(Stage::Receive);
            for (number, findings) in rows.zip(converted) {
                let start = self.conversion.starts.starts[number];
                self.done += self.conversion.starts.positions(start).len() as u64;
                if let Some(findings) = findings {
                    self.emitter.extend(&findings)?;
                    continue;
                }
                self.pending.push((start, row(number).iter().map(|word| u32::from_le_bytes(*word)).collect()));
                let next = self.conversion.starts.starts.get(number + 1);
                if next.is_none_or(|next| next.node != start.node) {
                    self.emit_node(matrix.sinks, matrix.format)?;
                }
            }
        }
        self.report_progress();
        self.enter(Stage::Search);
        Ok(())
    }

    /// Emits the findings of the current node: by sink, then by position of the source.
    fn emit_node(&mut self, sinks: &[u32], format: DepthFormat) -> Result<(), DataflowError> {
        let starts = std::mem::take(&mut self.pending);
        let mut of_sink = Vec::new();
        for (at, &sink) in sinks.iter().enumerate() {
            for (start, row) in &starts {
                let (depth, facts) = match format {
                    DepthFormat::Depth => (row[at], start.facts),
                    DepthFormat::DepthAndFacts => (row[2 * at], row[2 * at + 1]),
                };
                if let Some((depth, facts)) = self.conversion.found(*start, sink, depth, facts) {
                    self.conversion.push_positions(*start, sink, depth, facts, &mut of_sink);
                }
            }
            of_sink.sort_unstable();
            self.emitter.extend(&of_sink)?;
            of_sink.clear();
        }
        Ok(())
    }

    /// Emits the remaining findings and returns the summary.
    pub(crate) fn finish(mut self) -> Result<Summary, DataflowError> {
        self.emitter.flush()?;
        self.executor.check_deadline()?;
        let device_time = self.executor.take_device_time();
        let stages = self.clock.finish();
        Ok(Summary { findings: self.emitter.total, explanation: self.explanation, device_time, stages, estimate: None })
    }
}
