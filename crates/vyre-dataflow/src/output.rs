//! Output of an analysis: conversion of depth matrices to ordered findings, progress and explanation.
//!
//! A batch of starts yields a matrix on the device with a row for each start and an entry for each sink. Starts with equal node
//! and different facts are neighbours; their findings are merged, because the order of findings puts the sink before the start.

use std::ops::Range;

use vyre_graph::{CsrView, Role, role_of};
use vyre_ir::spelling::counted;
use vyre_runtime::Buffer;

use crate::emitter::{Emitter, Receiver};
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::explanation::Explanation;
use crate::finding::Finding;
use crate::report::{Progress, ProgressCallback, Summary};
use crate::starts::{Start, Starts};

/// Entry format of a depth matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DepthFormat {
    /// One word: the depth, or 0 for a sink that is not reached.
    Depth,
    /// Two words: the depth, and the facts that reach the sink.
    DepthAndFacts,
}

/// Depths of a batch on the device, row by row.
pub(crate) struct DepthMatrix<'b> {
    pub(crate) depths: &'b Buffer,
    pub(crate) format: DepthFormat,
    /// Original ids of the sinks, ascending: the columns of the matrix.
    pub(crate) sinks: &'b [u32],
}

/// Output of one analysis.
pub(crate) struct Output<'a> {
    executor: &'a Executor,
    graph: CsrView<'a>,
    starts: &'a Starts,
    progress: Option<&'a ProgressCallback>,
    emitter: Emitter<'a>,
    /// Rows of the current node, until all starts of the node are complete.
    pending: Vec<(Start, Vec<u32>)>,
    pub(crate) explanation: Explanation,
    /// Number of sources that are complete.
    done: u64,
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
        Output { executor, graph, starts, progress, emitter, pending: Vec::new(), explanation, done: 0 }
    }

    /// Reports progress to the caller.
    pub(crate) fn report_progress(&self) {
        if let Some(progress) = self.progress {
            progress(Progress { done: self.done, total: self.starts.source_count(), findings: self.emitter.total });
        }
    }

    /// Explains the batches: starts of a batch, and bytes of device memory.
    pub(crate) fn explain_batches(&mut self, starts: usize, bytes: u64) {
        let count = self.starts.len().div_ceil(starts.max(1));
        let mebibytes = bytes.div_ceil(1 << 20);
        let starts = counted(starts, "source");
        self.explanation.push(format!("batches: {count} of up to {starts}, {mebibytes} MiB each"));
    }

    /// Emits the findings of a batch, whose rows are at the beginning of the matrix. The findings of a node are emitted when all
    /// its starts are complete.
    pub(crate) fn emit(&mut self, batch: Range<usize>, matrix: &DepthMatrix<'_>) -> Result<(), DataflowError> {
        let bytes = self.executor.device().read(matrix.depths)?;
        let (words, _) = bytes.as_chunks::<4>();
        let width = match matrix.format {
            DepthFormat::Depth => matrix.sinks.len(),
            DepthFormat::DepthAndFacts => 2 * matrix.sinks.len(),
        };
        for (at, number) in batch.enumerate() {
            let start = self.starts.starts[number];
            let row = words[at * width..(at + 1) * width].iter().map(|word| u32::from_le_bytes(*word)).collect();
            self.pending.push((start, row));
            self.done += self.starts.positions(start).len() as u64;
            let next = self.starts.starts.get(number + 1);
            if next.is_none_or(|next| next.node != start.node) {
                self.emit_node(matrix.sinks, matrix.format)?;
            }
        }
        self.report_progress();
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
                let is_itself = sink == start.node;
                let is_found = match is_itself {
                    true => role_of(self.graph.node_data[sink as usize]) == Role::SourceAndSink,
                    false => depth != 0,
                };
                if is_found {
                    // A search may stop before it records the facts of its own start.
                    let (depth, facts) = if is_itself { (0, facts | start.facts) } else { (depth, facts) };
                    let source = start.node;
                    let finding = |&source_index| Finding { source, sink, depth, source_index, facts };
                    of_sink.extend(self.starts.positions(*start).iter().map(finding));
                }
            }
            if starts.len() > 1 {
                of_sink.sort_unstable();
            }
            of_sink.drain(..).try_for_each(|finding| self.emitter.push(finding))?;
        }
        Ok(())
    }

    /// Emits the remaining findings and returns the summary.
    pub(crate) fn finish(mut self) -> Result<Summary, DataflowError> {
        self.emitter.flush()?;
        self.executor.check_deadline()?;
        let device_time = self.executor.take_device_time();
        Ok(Summary { findings: self.emitter.total, explanation: self.explanation, device_time })
    }
}
