//! Depth matrices of batches, and their conversion to findings.
//!
//! A batch of starts yields a matrix on the device with a row for each start and an entry for each sink. Starts with equal node
//! and different facts are neighbours; their findings are merged, because the order of findings puts the sink before the start.

use vyre_graph::{CsrView, Role, role_of};
use vyre_runtime::Buffer;

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

    /// Findings of a start that is the only one of its node: by sink, then by position of the source.
    pub(crate) fn row_findings(&self, number: usize, matrix: &DepthMatrix<'_>, row: &[[u8; 4]]) -> Vec<Finding> {
        let start = self.starts.starts[number];
        let mut findings = Vec::new();
        let mut push = |sink: u32, depth: u32, facts: u32| {
            if let Some((depth, facts)) = self.found(start, sink, depth, facts) {
                self.push_positions(start, sink, depth, facts, &mut findings);
            }
        };
        match matrix.format {
            DepthFormat::Depth => {
                for (&sink, depth) in matrix.sinks.iter().zip(row) {
                    push(sink, u32::from_le_bytes(*depth), start.facts);
                }
            }
            DepthFormat::DepthAndFacts => {
                let (entries, _) = row.as_chunks::<2>();
                for (&sink, [depth, facts]) in matrix.sinks.iter().zip(entries) {
                    push(sink, u32::from_le_bytes(*depth), u32::from_le_bytes(*facts));
                }
            }
        }
        findings
    }

    /// Depth and facts of a finding, if the entry of a matrix is one.
    pub(crate) fn found(&self, start: Start, sink: u32, depth: u32, facts: u32) -> Option<(u32, u32)> {
        if sink != start.node {
            return (depth != 0).then_some((depth, facts));
        }
        // A search may stop before it records the facts of its own start.
        let is_found = role_of(self.graph.node_data[sink as usize]) == Role::SourceAndSink;
        is_found.then_some((0, facts | start.facts))
    }

    /// Appends a finding for each position of a start.
    pub(crate) fn push_positions(&self, start: Start, sink: u32, depth: u32, facts: u32, findings: &mut Vec<Finding>) {
        let finding = |&source_index| Finding { source: start.node, sink, depth, source_index, facts };
        findings.extend(self.starts.positions(start).iter().map(finding));
    }
}
