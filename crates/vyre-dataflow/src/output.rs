//! Output of an analysis: ordered findings, progress, explanation and times.

use std::ops::Range;

use rayon::prelude::*;
use vyre_graph::CsrView;
use vyre_ir::spelling::counted;

use crate::compaction::Compaction;
use crate::depth_matrix::{Conversion, DepthFormat, DepthMatrix, RowEntries};
use crate::emitter::{Emitter, Receiver};
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::expansion::{PIECE, Reached, expand};
use crate::explanation::Explanation;
use crate::finding::Finding;
use crate::report::{Progress, ProgressCallback, Summary};
use crate::stages::{Stage, StageClock};
use crate::starts::Starts;

/// Maximum number of entries of the rows that threads convert to findings before these are emitted.
const MAX_CONVERTED: usize = 1 << 21;

/// Output of one analysis.
pub(crate) struct Output<'a> {
    executor: &'a Executor,
    conversion: Conversion<'a>,
    progress: Option<&'a ProgressCallback>,
    emitter: Emitter<'a>,
    /// Sinks that the starts of the current node reach, until all its starts are complete.
    pending: Vec<Reached>,
    /// Memory of converted findings.
    findings: Vec<Finding>,
    /// Memory of compacted entries.
    entries: Vec<u32>,
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
            findings: Vec::new(),
            entries: Vec::new(),
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

    /// Explains the pruning of a graph: the numbers of nodes and edges that remain, or None without pruning.
    pub(crate) fn explain_pruning(&mut self, kept: Option<[usize; 2]>, graph: CsrView<'_>, sinks: usize) {
        self.explanation.push(match kept {
            Some([nodes, edges]) => format!(
                "pruning: {nodes} of {} and {edges} of {} can reach one of {}; the others are removed",
                counted(graph.node_count(), "node"),
                counted(graph.edge_count(), "edge"),
                counted(sinks, "sink")
            ),
            None => "pruning: none".to_owned(),
        });
    }

    /// Emits the findings of the next starts, which have the same node and reach the same sinks at the same depths, ascending. Each finding
    /// has the facts of its start.
    pub(crate) fn emit_reached(&mut self, numbers: Range<usize>, found: &[(u32, u32)]) -> Result<(), DataflowError> {
        let starts = self.conversion.starts;
        let sources: usize = numbers.clone().map(|number| starts.positions(starts.starts[number]).len()).sum();
        self.done += sources as u64;
        // No more sinks at a time than a piece has findings, as if each start were one source.
        for found in found.chunks((PIECE / numbers.len().max(1)).max(1)) {
            let of_sink = |&(sink, depth): &(u32, u32)| {
                let reached = move |number: usize| {
                    let facts = starts.starts[number].facts;
                    Reached { sink, depth, start: number as u32, facts }
                };
                numbers.clone().map(reached)
            };
            self.pending.extend(found.iter().flat_map(of_sink));
            self.emit_pending()?;
        }
        Ok(())
    }

    /// Emits the findings of all that is pending.
    fn emit_pending(&mut self) -> Result<(), DataflowError> {
        self.enter(Stage::Receive);
        let emitter = &mut self.emitter;
        let emit = |findings: &[Finding]| emitter.extend(findings);
        expand(self.conversion.starts, &mut self.pending, &mut self.findings, emit)?;
        self.pending.clear();
        Ok(())
    }

    /// Emits the findings of a batch, whose rows are at the beginning of the matrix. The findings of a node are emitted when all
    /// its starts are complete.
    pub(crate) fn emit(&mut self, batch: Range<usize>, matrix: &DepthMatrix<'_>) -> Result<(), DataflowError> {
        self.enter(Stage::Read);
        let (first, rows) = (batch.start, batch.len());
        if self.executor.uses_gpu_programs && matrix.format == DepthFormat::Depth {
            let compaction = Compaction::new(self.executor, matrix.depths, rows, matrix.sinks.len())?;
            let mut words = std::mem::take(&mut self.entries);
            let mut rest = 0..rows;
            while !rest.is_empty() {
                self.enter(Stage::Read);
                let limit = compaction.positions[rest.start].saturating_add(MAX_CONVERTED as u32);
                let fitting = compaction.positions[..=rows].partition_point(|&position| position <= limit) - 1;
                let piece = rest.start..fitting.max(rest.start + 1);
                rest.start = piece.end;
                compaction.read_into(&piece, &mut words)?;
                let (positions, format) = (&compaction.positions[piece.start..=piece.end], compaction.format);
                let entries = |at: usize| {
                    let range = (positions[at] - positions[0]) as usize..(positions[at + 1] - positions[0]) as usize;
                    let words = &words[range.start * format.words()..range.end * format.words()];
                    RowEntries::Compacted(words, format, compaction.column_bits)
                };
                self.convert(first + piece.start..first + piece.end, matrix.sinks, entries)?;
            }
            self.entries = words;
        } else {
            let words = self.executor.read(matrix.depths)?;
            let width = match matrix.format {
                DepthFormat::Depth => matrix.sinks.len(),
                DepthFormat::DepthAndFacts => 2 * matrix.sinks.len(),
            };
            let rows_at_once = (MAX_CONVERTED / width.max(1)).max(1);
            for begin in (0..rows).step_by(rows_at_once) {
                let piece = begin..rows.min(begin + rows_at_once);
                let entries = |at: usize| {
                    let words = &words[(begin + at) * width..][..width];
                    match matrix.format {
                        DepthFormat::Depth => RowEntries::Depths(words),
                        DepthFormat::DepthAndFacts => RowEntries::DepthsAndFacts(words),
                    }
                };
                self.convert(first + piece.start..first + piece.end, matrix.sinks, entries)?;
            }
        }
        self.report_progress();
        self.enter(Stage::Search);
        Ok(())
    }

    /// Converts the entries of these starts to findings and emits them. `entries` gives those of a start by its position in `numbers`.
    fn convert<'r>(
        &mut self,
        numbers: Range<usize>,
        sinks: &[u32],
        entries: impl Fn(usize) -> RowEntries<'r> + Sync,
    ) -> Result<(), DataflowError> {
        self.enter(Stage::Collect);
        let conversion = self.conversion;
        let entries = |number: usize| entries(number - numbers.start);
        let positions = |number: usize| conversion.starts.positions(conversion.starts.starts[number]).len() as u64;
        self.done += numbers.clone().map(positions).sum::<u64>();
        if !numbers.clone().all(|number| conversion.is_alone(number)) {
            return numbers.clone().try_for_each(|number| self.convert_one(number, sinks, entries(number)));
        }
        let counts: Vec<usize> =
            numbers.clone().into_par_iter().map(|number| conversion.count(number, sinks, entries(number))).collect();
        let mut begin = 0;
        while begin < counts.len() {
            let mut end = begin + 1;
            let mut total = counts[begin];
            while end < counts.len() && total + counts[end] <= MAX_CONVERTED {
                total += counts[end];
                end += 1;
            }
            let piece = numbers.start + begin..numbers.start + end;
            if total > MAX_CONVERTED {
                // A start of many sources.
                self.convert_one(piece.start, sinks, entries(piece.start))?;
            } else {
                self.convert_piece(piece, &counts[begin..end], sinks, entries)?;
            }
            begin = end;
        }
        Ok(())
    }

    /// Converts the entries of these starts, of which each has the number of findings in `counts`, on all threads.
    fn convert_piece<'r>(
        &mut self,
        numbers: Range<usize>,
        counts: &[usize],
        sinks: &[u32],
        entries: impl Fn(usize) -> RowEntries<'r> + Sync,
    ) -> Result<(), DataflowError> {
        self.enter(Stage::Collect);
        let conversion = self.conversion;
        let total = counts.iter().sum();
        let mut findings = std::mem::take(&mut self.findings);
        let missing = total - findings.len().min(total);
        findings.par_extend(rayon::iter::repeat_n(Finding::NONE, missing));
        let mut rest = &mut findings[..total];
        let mut work = Vec::with_capacity(counts.len());
        for (number, &count) in numbers.zip(counts) {
            let (own, others) = rest.split_at_mut(count);
            work.push((number, own));
            rest = others;
        }
        work.into_par_iter().for_each(|(number, findings)| {
            let mut slots = findings.iter_mut();
            conversion.each_finding(number, sinks, entries(number), |finding| {
                slots.next().into_iter().for_each(|slot| *slot = finding);
            });
        });
        self.enter(Stage::Receive);
        self.emitter.extend(&findings[..total])?;
        self.findings = findings;
        Ok(())
    }

    /// Converts the entries of a start. Several starts can have its node, and the order of findings puts the sink before the start. The
    /// findings are emitted when all starts of the node are complete.
    fn convert_one(&mut self, number: usize, sinks: &[u32], entries: RowEntries<'_>) -> Result<(), DataflowError> {
        self.enter(Stage::Collect);
        let starts = &self.conversion.starts.starts;
        let pending = &mut self.pending;
        self.conversion.each_found(number, sinks, entries, |sink, depth, facts| {
            pending.push(Reached { sink, depth, start: number as u32, facts });
        });
        if starts.get(number + 1).is_none_or(|next| next.node != starts[number].node) {
            self.emit_pending()?;
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
