//! Findings of a search, in order and in bounded memory.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::super::error::GraphError;
use super::super::host_run::HostRun;
use super::super::traversal::Finding;
use super::super::traversal_options::TraversalOptions;
use super::bit_parallel::{Columns, DepthTable, Recorder};
use super::plan::{Plan, Step, count};
use super::queue::QueueSearch;
use super::space::SearchSpace;
use super::starts::Starts;

/// Number of findings of a chunk.
const CHUNK: usize = 1 << 12;

/// Maximum number of findings that are kept until all are counted.
const MAX_HELD: u64 = 1 << 20;

/// Findings of a traversal, in order: sorted by source, node, depth and position of the source.
///
/// Memory is bounded by the limit of the options, however many findings there are. Sources are searched when their findings are needed.
pub struct FindingStream<'h> {
    /// Number of all findings, if it is known.
    total: Option<u64>,
    /// Number of findings that were given.
    given: u64,
    /// Findings that come first.
    held: Vec<Finding>,
    /// Searches of the other findings.
    rest: Option<Rows<'h>>,
    chunk: Vec<Finding>,
}

impl<'h> FindingStream<'h> {
    /// Findings that are all in memory.
    pub(crate) fn of(found: Vec<Finding>) -> FindingStream<'h> {
        FindingStream { total: Some(found.len() as u64), given: 0, held: found, rest: None, chunk: Vec::new() }
    }

    /// Searches on the host. A limit of findings counts them first.
    pub(crate) fn search(
        space: SearchSpace<'h>,
        sources: &[u32],
        run: &'h HostRun,
        options: &TraversalOptions,
    ) -> Result<FindingStream<'h>, GraphError> {
        let spare = options.memory.map(|memory| memory.saturating_sub(QueueSearch::bytes(&space, true)));
        let max_held = spare.map_or(MAX_HELD, |spare| spare / size_of::<Finding>() as u64).min(MAX_HELD);
        let memory = options.memory.map(|memory| memory - max_held * size_of::<Finding>() as u64);
        let mut rows = Rows::new(space, Starts::new(sources), run, memory);
        let mut held = Vec::new();
        rows.extend(&mut held, max_held as usize)?;
        let is_complete = rows.is_complete();
        let mut stream = FindingStream {
            total: is_complete.then_some(held.len() as u64),
            given: 0,
            held,
            rest: (!is_complete).then_some(rows),
            chunk: Vec::new(),
        };
        match options.max_findings {
            Some(limit) if stream.count()? > limit => {
                Err(GraphError::TooManyFindings { found: stream.count()?, limit })
            }
            _ => Ok(stream),
        }
    }

    /// Number of all findings. If they are too many to be kept and not all given yet, sources are searched once more to count them.
    ///
    /// # Errors
    ///
    /// As [`next_chunk`](FindingStream::next_chunk).
    pub fn count(&mut self) -> Result<u64, GraphError> {
        let total = match (self.total, &self.rest) {
            (Some(total), _) => total,
            (None, Some(Rows { plan, memory, .. })) => count(plan.space, plan.starts.clone(), plan.run, *memory)?,
            (None, None) => self.given,
        };
        self.total = Some(total);
        Ok(total)
    }

    /// The next findings; `None` at the end.
    ///
    /// # Errors
    ///
    /// The search is cancelled, or its deadline has passed.
    pub fn next_chunk(&mut self) -> Result<Option<&[Finding]>, GraphError> {
        self.chunk = std::mem::take(&mut self.held);
        if self.chunk.is_empty()
            && let Some(rest) = &mut self.rest
            && !rest.extend(&mut self.chunk, CHUNK)?
        {
            self.rest = None;
        }
        self.given += self.chunk.len() as u64;
        Ok((!self.chunk.is_empty()).then_some(&self.chunk))
    }

    /// All findings.
    ///
    /// # Errors
    ///
    /// As [`next_chunk`](FindingStream::next_chunk).
    pub fn into_vec(mut self) -> Result<Vec<Finding>, GraphError> {
        let mut found = Vec::new();
        if self.given == 0 {
            found = std::mem::take(&mut self.held);
        }
        while let Some(chunk) = self.next_chunk()? {
            found.extend_from_slice(chunk);
        }
        Ok(found)
    }
}

/// Rows of one start, of which some were given.
enum StartRows {
    List { start: usize, rows: Vec<(u32, u32)>, at: usize },
    Table { start: usize, table: Arc<DepthTable>, source: usize, column: usize },
}

/// Rows of all starts, which are searched when their rows are needed.
struct Rows<'h> {
    plan: Plan<'h>,
    /// Columns of shared searches.
    columns: Option<Columns>,
    ready: VecDeque<StartRows>,
    /// Bytes of the searches, if they are limited.
    memory: Option<u64>,
}

impl<'h> Rows<'h> {
    fn new(space: SearchSpace<'h>, starts: Starts, run: &'h HostRun, memory: Option<u64>) -> Rows<'h> {
        Rows { plan: Plan::new(space, starts, run, memory, true), columns: None, ready: VecDeque::new(), memory }
    }

    /// True if all rows were given.
    fn is_complete(&self) -> bool {
        self.ready.is_empty() && self.plan.step().is_none()
    }

    /// Appends findings until there are `length`, and the last row of several equal sources is whole. Returns false at the end.
    fn extend(&mut self, found: &mut Vec<Finding>, length: usize) -> Result<bool, GraphError> {
        while found.len() < length {
            match self.ready.pop_front() {
                Some(rows) => {
                    if let Some(left) = self.append(rows, found, length) {
                        self.ready.push_front(left);
                    }
                }
                None => match self.plan.step() {
                    Some(step) => self.run(step)?,
                    None => return Ok(false),
                },
            }
        }
        Ok(true)
    }

    /// Appends rows of a start. Returns those that are left.
    fn append(&self, rows: StartRows, found: &mut Vec<Finding>, length: usize) -> Option<StartRows> {
        let Rows { plan, columns, .. } = self;
        let mut push = |start: usize, node: u32, depth: u32| {
            let source = plan.starts.nodes()[start];
            for &source_index in plan.starts.positions(start) {
                found.push(Finding { source, node, depth, source_index });
            }
            found.len() >= length
        };
        match rows {
            StartRows::List { start, rows, at } => {
                let full = rows[at..].iter().position(|&(node, depth)| push(start, node, depth));
                full.map(|given| StartRows::List { start, rows, at: at + given + 1 })
            }
            StartRows::Table { start, table, source, column } => {
                let columns = columns.as_ref()?;
                let mut cells = table.row_from(source, column);
                let full = cells.find(|&(column, depth)| push(start, columns.node(column), depth));
                let next = full.map(|(column, _)| column + 1);
                drop(cells);
                next.map(|column| StartRows::Table { start, table, source, column })
            }
        }
    }

    /// Runs searches.
    fn run(&mut self, step: Step) -> Result<(), GraphError> {
        let space = self.plan.space;
        // The closures read the starts while the plan records sizes.
        let starts = std::mem::replace(&mut self.plan.starts, Starts::new(&[]));
        let searched = match &step {
            Step::Queues(range) => self.queues(space, &starts, range),
            Step::Shared(range, width) => self.shared(space, &starts, range, *width),
        };
        self.plan.starts = starts;
        let (Step::Queues(range) | Step::Shared(range, _)) = step;
        if searched? {
            self.plan.finish(&range);
        }
        Ok(())
    }

    fn queues(&mut self, space: SearchSpace<'h>, starts: &Starts, range: &Range<usize>) -> Result<bool, GraphError> {
        let lists = self
            .plan
            .with_queues(range, |scratch, start, checkpoint| scratch.rows(&space, starts.nodes()[start], checkpoint))?;
        let rows = range.clone().zip(lists);
        self.ready.extend(rows.map(|(start, rows)| StartRows::List { start, rows, at: 0 }));
        Ok(true)
    }

    /// Runs shared searches. Returns false if they are too deep.
    fn shared(
        &mut self,
        space: SearchSpace<'h>,
        starts: &Starts,
        range: &Range<usize>,
        width: usize,
    ) -> Result<bool, GraphError> {
        let columns = self.columns.get_or_insert_with(|| Columns::new(&space));
        let found = self.plan.with_bits(range, width, |scratch, part, checkpoint| {
            let mut recorder = Recorder::new(part.len(), columns);
            let is_complete = scratch.search(&space, &starts.nodes()[part], &mut recorder, checkpoint)?;
            Ok(is_complete.then_some(recorder.table))
        })?;
        let Some(tables) = found else { return Ok(false) };
        let tables = tables.into_iter().map(Arc::new);
        for (begin, table) in range.clone().step_by(width).zip(tables) {
            let sources = begin..range.end.min(begin + width);
            self.ready.extend(sources.clone().map(|start| StartRows::Table {
                start,
                table: Arc::clone(&table),
                source: start - begin,
                column: 0,
            }));
        }
        Ok(true)
    }
}
