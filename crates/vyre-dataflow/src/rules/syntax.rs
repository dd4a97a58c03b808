//! Mistakes in TOML itself.

use std::ops::Range;

use toml::de::{DeTable, DeValue, Error};
use vyre_ir::source::{LineIndex, Span};

use super::problem::{RulesProblem, shown};

/// A range of bytes of a text that is short enough for a span.
pub(crate) fn span_of(range: Range<usize>) -> Span {
    let saturate = |position| u32::try_from(position).unwrap_or(u32::MAX);
    Span { start: saturate(range.start), end: saturate(range.end) }
}

/// Mistakes, and where they make everything else unsure.
pub(crate) struct Syntax {
    /// Without those that follow from others: a line has one, and so has a list that does not end, which takes the rest of the
    /// file for its elements.
    pub(crate) problems: Vec<(Span, RulesProblem)>,
    /// The lines with problems, in order.
    lines: Vec<u32>,
    /// The lists and tables that do not end, in order.
    unclosed: Vec<Range<usize>>,
}

impl Syntax {
    pub(crate) fn new(table: &DeTable<'_>, errors: &[Error], index: &LineIndex<'_>) -> Syntax {
        let unclosed = unclosed(table, errors);
        let mut problems: Vec<(Span, RulesProblem)> = Vec::new();
        for error in errors {
            let range = error.span().unwrap_or_default();
            if !is_within(&unclosed, range.start) {
                problems.push((span_of(range), RulesProblem::Syntax { message: shown(error.message(), 200) }));
            }
        }
        problems.extend(unclosed.iter().map(|range| {
            let message = "the list or table that begins here does not end".to_owned();
            (span_of(range.start..range.start + 1), RulesProblem::Syntax { message })
        }));
        problems.sort_by_key(|(span, _)| *span);
        problems.dedup_by_key(|(span, _)| index.location(span.start).line);
        let lines = problems.iter().map(|(span, _)| index.location(span.start).line).collect();
        Syntax { problems, lines, unclosed }
    }

    /// Whether another problem is one whatever the right syntax would be.
    pub(crate) fn leaves_sure(&self, (span, problem): &(Span, RulesProblem), index: &LineIndex<'_>) -> bool {
        self.problems.is_empty()
            || !problem.is_absence()
                && self.lines.binary_search(&index.location(span.start).line).is_err()
                && !is_within(&self.unclosed, span.start as usize)
    }
}

/// Whether a byte is in one of the ranges, which are in order.
fn is_within(ranges: &[Range<usize>], at: usize) -> bool {
    let before = ranges.partition_point(|range| range.start <= at);
    before > 0 && at <= ranges[before - 1].end
}

/// The lists and tables in which the parser met the end of the file, or of what it took for them.
fn unclosed(table: &DeTable<'_>, errors: &[Error]) -> Vec<Range<usize>> {
    let mut ends: Vec<usize> = errors
        .iter()
        .filter(|error| error.message().starts_with("unclosed"))
        .filter_map(|error| error.span().map(|range| range.start))
        .collect();
    if ends.is_empty() {
        return Vec::new();
    }
    ends.sort_unstable();
    let mut unclosed = Vec::new();
    let mut tables = vec![table];
    while let Some(table) = tables.pop() {
        for value in table.iter().map(|(_, value)| value) {
            let range = value.span();
            match value.get_ref() {
                DeValue::Array(_) | DeValue::Table(_) if ends.binary_search(&range.end).is_ok() => unclosed.push(range),
                DeValue::Table(inner) => tables.push(inner),
                DeValue::Array(array) => tables.extend(array.iter().filter_map(|value| value.get_ref().as_table())),
                _ => {}
            }
        }
    }
    unclosed.sort_by_key(|range| range.start);
    unclosed
}
