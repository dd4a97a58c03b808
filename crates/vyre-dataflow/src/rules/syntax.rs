//! TOML syntax errors, reduced to those that do not follow from others.

use std::ops::Range;

use toml::de::{DeTable, DeValue, Error};
use vyre_ir::source::{LineIndex, Span};

use super::problem::{RulesProblem, shown};

/// Converts a byte range to a span. Positions saturate at the range of a span.
pub(crate) fn span_of(range: Range<usize>) -> Span {
    let saturate = |position| u32::try_from(position).unwrap_or(u32::MAX);
    Span { start: saturate(range.start), end: saturate(range.end) }
}

/// Syntax errors, and the regions of the file in which other problems are unreliable.
pub(crate) struct Syntax {
    /// Syntax errors: at most one for each line, and one for each list or table without an end, whose contents extend over the
    /// rest of the file.
    pub(crate) problems: Vec<(Span, RulesProblem)>,
    /// Sorted lines with syntax errors.
    lines: Vec<u32>,
    /// Sorted ranges of lists and tables without an end.
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

    /// Reports whether a problem does not depend on a syntax error.
    pub(crate) fn is_independent(&self, (span, problem): &(Span, RulesProblem), index: &LineIndex<'_>) -> bool {
        self.problems.is_empty()
            || !problem.is_absence()
                && self.lines.binary_search(&index.location(span.start).line).is_err()
                && !is_within(&self.unclosed, span.start as usize)
    }
}

/// Reports whether a byte is in one of the sorted ranges.
fn is_within(ranges: &[Range<usize>], at: usize) -> bool {
    let before = ranges.partition_point(|range| range.start <= at);
    before > 0 && at <= ranges[before - 1].end
}

/// Lists and tables that the parser reports as unclosed.
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
