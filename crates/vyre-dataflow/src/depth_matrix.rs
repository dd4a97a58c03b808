//! Depth matrices of batches, and their conversion to findings.
//!
//! A batch of starts yields a matrix on the device with a row for each start and an entry for each sink. Starts with equal node
//! and different facts are neighbours; their findings are merged, because the order of findings puts the sink before the start.

use vyre_graph::{CsrView, Role, role_of};
use vyre_runtime::Buffer;

use crate::compaction::EntryFormat;
use crate::finding::Finding;
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

/// Entries of a row of a depth matrix.
#[derive(Clone, Copy)]
pub(crate) enum RowEntries<'r> {
    /// The depth of each sink.
    Depths(&'r [u32]),
    /// The depth and the facts of each sink.
    DepthsAndFacts(&'r [u32]),
    /// Compacted entries, with the number of bits of a column if they are packed.
    Compacted(&'r [u32], EntryFormat, u32),
}

impl RowEntries<'_> {
    /// Number of sinks that are reached, without the column `own`.
    fn count(self, own: Option<usize>) -> usize {
        let (count, has_own) = match self {
            RowEntries::Depths(depths) => {
                (depths.iter().filter(|&&depth| depth != 0).count(), own.is_some_and(|own| depths[own] != 0))
            }
            RowEntries::DepthsAndFacts(words) => {
                let (entries, _) = words.as_chunks::<2>();
                (entries.iter().filter(|entry| entry[0] != 0).count(), own.is_some_and(|own| entries[own][0] != 0))
            }
            RowEntries::Compacted(words, EntryFormat::Packed, column_bits) => {
                let column = |word: &u32| word & ((1 << column_bits) - 1);
                (words.len(), own.is_some_and(|own| words.binary_search_by_key(&(own as u32), column).is_ok()))
            }
            RowEntries::Compacted(words, EntryFormat::Pair, _) => {
                let (entries, _) = words.as_chunks::<2>();
                let has_own = |own: usize| entries.binary_search_by_key(&(own as u32), |entry| entry[0]).is_ok();
                (entries.len(), own.is_some_and(has_own))
            }
        };
        count - usize::from(has_own)
    }

    /// Calls `visit` with the column, the depth and the facts of each sink that is reached, in ascending order of columns. Without
    /// facts of their own, entries have those of the start. A matrix that is not compacted also gives the column `own`.
    fn each(self, start_facts: u32, own: Option<usize>, mut visit: impl FnMut(usize, u32, u32)) {
        match self {
            RowEntries::Depths(depths) => {
                for (column, &depth) in depths.iter().enumerate() {
                    if depth != 0 || own == Some(column) {
                        visit(column, depth, start_facts);
                    }
                }
            }
            RowEntries::DepthsAndFacts(words) => {
                let (entries, _) = words.as_chunks::<2>();
                for (column, &[depth, facts]) in entries.iter().enumerate() {
                    if depth != 0 || own == Some(column) {
                        visit(column, depth, facts);
                    }
                }
            }
            RowEntries::Compacted(words, EntryFormat::Packed, column_bits) => {
                let mask = (1 << column_bits) - 1;
                words.iter().for_each(|&word| visit((word & mask) as usize, word >> column_bits, start_facts));
            }
            RowEntries::Compacted(words, EntryFormat::Pair, _) => {
                let (entries, _) = words.as_chunks::<2>();
                entries.iter().for_each(|&[column, depth]| visit(column as usize, depth, start_facts));
            }
        }
    }
}

/// Conversion of the rows of depth matrices.
#[derive(Clone, Copy)]
pub(crate) struct Conversion<'a> {
    pub(crate) graph: CsrView<'a>,
    pub(crate) starts: &'a Starts,
}

impl Conversion<'_> {
    /// Reports whether no other start has the node of this one.
    pub(crate) fn is_alone(&self, number: usize) -> bool {
        let starts = &self.starts.starts;
        let differs = |other: Option<&Start>| other.is_none_or(|other| other.node != starts[number].node);
        differs(number.checked_sub(1).and_then(|before| starts.get(before))) && differs(starts.get(number + 1))
    }

    /// Calls `visit` with the sink, the depth and the facts of each finding of a start, in ascending order of sinks.
    pub(crate) fn each_found(
        &self,
        number: usize,
        sinks: &[u32],
        entries: RowEntries<'_>,
        mut visit: impl FnMut(u32, u32, u32),
    ) {
        let start = self.starts.starts[number];
        let own = sinks.binary_search(&start.node).ok();
        let finds_itself = role_of(self.graph.node_data[start.node as usize]) == Role::SourceAndSink;
        let mut pending = own.filter(|_| finds_itself);
        entries.each(start.facts, own, |column, depth, facts| {
            if own == Some(column) {
                // A search may stop before it records the facts of its own start.
                if pending.take().is_some() {
                    visit(start.node, 0, facts | start.facts);
                }
                return;
            }
            if pending.is_some_and(|own| own < column) {
                pending = None;
                visit(start.node, 0, start.facts);
            }
            visit(sinks[column], depth, facts);
        });
        if pending.is_some() {
            visit(start.node, 0, start.facts);
        }
    }

    /// Number of findings of a start, for all its positions.
    pub(crate) fn count(&self, number: usize, sinks: &[u32], entries: RowEntries<'_>) -> usize {
        let start = self.starts.starts[number];
        let own = sinks.binary_search(&start.node).ok();
        let finds_itself = role_of(self.graph.node_data[start.node as usize]) == Role::SourceAndSink;
        let others = entries.count(own);
        (others + usize::from(finds_itself)) * self.starts.positions(start).len()
    }

    /// Calls `push` with the findings of a start: by sink, then by position of the source.
    pub(crate) fn each_finding(
        &self,
        number: usize,
        sinks: &[u32],
        entries: RowEntries<'_>,
        mut push: impl FnMut(Finding),
    ) {
        let start = self.starts.starts[number];
        let positions = self.starts.positions(start);
        self.each_found(number, sinks, entries, |sink, depth, facts| {
            for &source_index in positions {
                push(Finding { source: start.node, sink, depth, source_index, facts });
            }
        });
    }
}
