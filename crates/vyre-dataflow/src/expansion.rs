//! Expansion of the sinks that the starts of a node reach to findings, in pieces.
//!
//! A start stands for all sources with its node and its facts, and each of them has a finding for each sink. A piece has about
//! [`PIECE`] findings, so the memory does not grow with their number.

use rayon::prelude::*;

use crate::error::DataflowError;
use crate::finding::Finding;
use crate::starts::Starts;

/// Number of findings of a piece, unless the sources of one sink have more.
pub(crate) const PIECE: usize = 1 << 20;

/// Number of findings from which threads share the work.
const MIN_PARALLEL: usize = 1 << 13;

/// A sink that a start reaches. The order is that of findings, but for the position of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reached {
    pub(crate) sink: u32,
    pub(crate) depth: u32,
    /// Number of the start.
    pub(crate) start: u32,
    /// Facts that reach the sink.
    pub(crate) facts: u32,
}

/// Calls `emit` with the findings of the starts of one node, piece by piece and in order. `reached` is sorted by this. `memory` is that of
/// a piece.
pub(crate) fn expand(
    starts: &Starts,
    reached: &mut [Reached],
    memory: &mut Vec<Finding>,
    mut emit: impl FnMut(&[Finding]) -> Result<(), DataflowError>,
) -> Result<(), DataflowError> {
    if reached.len() < MIN_PARALLEL {
        reached.sort_unstable()
    } else {
        reached.par_sort_unstable()
    }
    let count = |group: &[Reached]| -> usize {
        let positions = |each: &Reached| starts.positions(starts.starts[each.start as usize]).len();
        group.iter().map(positions).sum()
    };
    let mut piece: Vec<(&[Reached], usize)> = Vec::new();
    let mut total = 0;
    for group in reached.chunk_by(|one, other| (one.sink, one.depth) == (other.sink, other.depth)) {
        let findings = count(group);
        if total > 0 && total + findings > PIECE {
            fill(starts, &piece, total, memory);
            emit(&memory[..total])?;
            piece.clear();
            total = 0;
        }
        piece.push((group, findings));
        total += findings;
    }
    fill(starts, &piece, total, memory);
    emit(&memory[..total])
}

/// Writes the findings of groups with their numbers of findings to the beginning of `memory`, on all threads.
fn fill(starts: &Starts, piece: &[(&[Reached], usize)], total: usize, memory: &mut Vec<Finding>) {
    memory.resize(memory.len().max(total), Finding::NONE);
    let mut rest = &mut memory[..total];
    let mut work = Vec::with_capacity(piece.len());
    for &(group, findings) in piece {
        let (own, others) = rest.split_at_mut(findings);
        work.push((group, own));
        rest = others;
    }
    let fill_group = |(group, findings): (&[Reached], &mut [Finding])| {
        let all = group.iter().flat_map(|&Reached { sink, depth, start, facts }| {
            let start = starts.starts[start as usize];
            let finding = move |&source_index| Finding { source: start.node, sink, depth, source_index, facts };
            starts.positions(start).iter().map(finding)
        });
        findings.iter_mut().zip(all).for_each(|(slot, finding)| *slot = finding);
        if group.len() > 1 {
            findings.sort_unstable();
        }
    };
    if total < MIN_PARALLEL {
        work.into_iter().for_each(fill_group);
    } else {
        work.into_par_iter().for_each(fill_group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One node with two sets of facts, and more sources than a piece has findings.
    #[test]
    fn pieces_are_bounded_and_in_order() {
        let sources = vec![7; PIECE / 2];
        let facts: Vec<u32> = (0..sources.len() as u32).map(|position| 1 + position % 2).collect();
        let starts = Starts::new(&sources, Some(&facts));
        assert_eq!(starts.len(), 2);
        let reached = |sink, depth, start| Reached { sink, depth, start, facts: start + 1 };
        let mut reached = [
            reached(5, 2, 1),
            reached(5, 1, 0),
            reached(3, 1, 1),
            reached(3, 1, 0),
            reached(9, 4, 0),
            reached(9, 4, 1),
        ];
        let (mut pieces, mut previous) = (Vec::new(), None);
        let mut memory = Vec::new();
        let emitted = expand(&starts, &mut reached, &mut memory, |findings| {
            assert!(findings.is_sorted() && previous.as_ref() < findings.first());
            previous = findings.last().copied();
            pieces.push(findings.len());
            Ok(())
        });
        assert_eq!((emitted, pieces), (Ok(()), vec![PIECE, PIECE / 2]));
        assert_eq!(memory.len(), PIECE);
    }

    #[test]
    fn nothing_that_is_reached_gives_no_findings() {
        let starts = Starts::new(&[1], None);
        let mut count = 0;
        let emitted = expand(&starts, &mut [], &mut Vec::new(), |findings| {
            count += findings.len();
            Ok(())
        });
        assert_eq!((emitted, count), (Ok(()), 0));
    }
}
