//! Excerpts of a text: the lines around locations, and of long lines the parts around locations.

use std::collections::BTreeSet;
use std::iter;
use std::ops::Range;

use serde::Serialize;

use crate::flow::Span;
use crate::lines::LineIndex;
use crate::report::places::floor_boundary;

/// Maximum number of bytes of a line that is written as a whole.
const MAX_LINE: usize = 2000;

/// Bytes of a long line before and after the ends of a location.
const LINE_CONTEXT: usize = 300;

/// Lines of a text, in pieces of consecutive lines.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Excerpt<'t> {
    /// Number of lines of the whole text.
    pub(super) lines: usize,
    pub(super) chunks: Vec<Chunk<'t>>,
}

/// Number of the first line, from 1, and consecutive lines.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Chunk<'t>(pub(super) usize, pub(super) Vec<Line<'t>>);

/// A line without its line end.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Line<'t> {
    Whole(&'t str),
    /// A long line: its length in UTF-16 units, and parts with their offsets.
    Parts {
        length: usize,
        parts: Vec<(usize, &'t str)>,
    },
}

/// Which lines of a text an excerpt has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All lines.
    Whole,
    /// Lines of locations with this number of lines before and after them.
    Around(usize),
}

impl<'t> Excerpt<'t> {
    /// Excerpt of a text with locations. Of a location of many lines the first and the last count.
    pub(super) fn new(text: &'t str, spans: &BTreeSet<Span>, extent: Extent) -> Excerpt<'t> {
        let index = LineIndex::new(text);
        let ends: BTreeSet<usize> =
            spans.iter().flat_map(|span| [span.start, span.end]).map(|at| floor_boundary(text, at as usize)).collect();
        let ranges = match extent {
            Extent::Whole => iter::once(1..index.len() + 1).collect(),
            Extent::Around(context) => line_ranges(&index, &ends, context),
        };
        let chunk =
            |range: Range<usize>| Chunk(range.start, range.map(|number| line(text, &index, number, &ends)).collect());
        Excerpt { lines: index.len(), chunks: ranges.into_iter().map(chunk).collect() }
    }

    /// Number of bytes of the lines.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |line: &Line<'_>| match line {
            Line::Whole(text) => text.len(),
            Line::Parts { parts, .. } => parts.iter().map(|(_, text)| text.len()).sum(),
        };
        self.chunks.iter().flat_map(|Chunk(_, lines)| lines).map(bytes).sum()
    }
}

/// Ranges of lines around offsets, in order and apart from each other.
fn line_ranges(index: &LineIndex<'_>, ends: &BTreeSet<usize>, context: usize) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for &end in ends {
        let line = index.line(end);
        let range = line.saturating_sub(context).max(1)..(line + context).min(index.len()) + 1;
        match ranges.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => ranges.push(range),
        }
    }
    ranges
}

fn line<'t>(text: &'t str, index: &LineIndex<'t>, number: usize, ends: &BTreeSet<usize>) -> Line<'t> {
    let whole = index.text(number);
    // A byte order mark is no character of the first line.
    let content = if number == 1 { whole.strip_prefix('\u{feff}').unwrap_or(whole) } else { whole };
    if content.len() <= MAX_LINE {
        return Line::Whole(content);
    }
    let start = index.range(number).start + whole.len() - content.len();
    let end = start + content.len();
    let beginning = start..floor_boundary(text, start + LINE_CONTEXT);
    let mut parts: Vec<Range<usize>> = iter::once(beginning).collect();
    for &at in ends.range(start..=end) {
        let from = floor_boundary(text, at.saturating_sub(LINE_CONTEXT)).max(start);
        let to = floor_boundary(text, at + LINE_CONTEXT).min(end);
        match parts.last_mut() {
            Some(last) if from <= last.end => last.end = last.end.max(to),
            _ => parts.push(from..to),
        }
    }
    let (mut offset, mut position) = (0, start);
    let parts = parts
        .into_iter()
        .map(|range| {
            offset += utf16_length(&text[position..range.start]);
            position = range.start;
            (offset, &text[range])
        })
        .collect();
    Line::Parts { length: utf16_length(content), parts }
}

fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(of: &[(usize, usize)]) -> BTreeSet<Span> {
        let number = |offset: usize| u32::try_from(offset).expect("texts are short");
        of.iter().map(|&(start, end)| Span::new(number(start), number(end))).collect()
    }

    #[test]
    fn lines_around_locations_are_kept() {
        let text: String = (1..=100).map(|line| format!("{line:02}\n")).collect();
        // Lines 10 and 12 are near each other, 50 is apart.
        let marked = spans(&[(27, 28), (33, 34), (147, 149)]);
        let excerpt = Excerpt::new(&text, &marked, Extent::Around(2));
        let ranges: Vec<(usize, usize)> =
            excerpt.chunks.iter().map(|Chunk(first, lines)| (*first, lines.len())).collect();
        assert_eq!((excerpt.lines, ranges), (101, vec![(8, 7), (48, 5)]));
        assert_eq!(excerpt.chunks[0].1[0], Line::Whole("08"));
        assert_eq!(Excerpt::new(&text, &marked, Extent::Whole).chunks[0].1.len(), 101);
        assert_eq!(Excerpt::new(&text, &marked, Extent::Around(0)).bytes(), 6);
    }

    #[test]
    fn long_lines_are_cut_around_locations() {
        let text = format!("\u{feff}{}x{}", "\u{1f600}".repeat(2000), "y".repeat(5000));
        let x = 3 + 8000;
        let excerpt = Excerpt::new(&text, &spans(&[(x, x + 1)]), Extent::Around(0));
        let Line::Parts { length, parts } = &excerpt.chunks[0].1[0] else { panic!("the line is long") };
        assert_eq!(*length, 4000 + 1 + 5000);
        let offsets: Vec<usize> = parts.iter().map(|(offset, _)| *offset).collect();
        assert_eq!(offsets, [0, 4000 - 150]);
        assert!(parts[1].1.contains("\u{1f600}xy"), "{}", parts[1].1);
    }

    #[test]
    fn locations_beyond_the_text_do_no_harm() {
        for text in ["", "a", "\u{feff}", "\u{e4}\r\n\u{2028}"] {
            let marked = spans(&[(0, 1), (1, 2), (u32::MAX as usize - 1, u32::MAX as usize)]);
            for extent in [Extent::Whole, Extent::Around(0), Extent::Around(9)] {
                assert!(!Excerpt::new(text, &marked, extent).chunks.is_empty());
            }
        }
    }
}
