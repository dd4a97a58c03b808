//! Lines, columns and texts of locations.

use std::cell::OnceCell;

use vyre_ir::source::{Frame, LineIndex, Span as SourceSpan};

use crate::coverage::{Coverage, FileRecord};
use crate::finding::Location;
use crate::flow::Span;

/// Distance in bytes between two counts of UTF-16 units.
const CHECKPOINT: usize = 4096;

/// Files of a report, with an index of lines for each file that is asked for.
pub(super) struct Places<'r> {
    coverage: &'r Coverage,
    indices: Vec<OnceCell<Option<FileLines<'r>>>>,
}

/// Index of a text: lines with columns in characters, and columns in UTF-16 units.
struct FileLines<'r> {
    text: &'r str,
    lines: LineIndex<'r>,
    utf16: OnceCell<Utf16Index>,
}

/// Lines and columns of a location, from 1. The end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) end_line: u32,
    pub(super) end_column: u32,
}

impl<'r> Places<'r> {
    pub(super) fn new(coverage: &'r Coverage) -> Places<'r> {
        Places { coverage, indices: coverage.files.iter().map(|_| OnceCell::new()).collect() }
    }

    /// File of a location. None: the report has no such file.
    pub(super) fn file(&self, location: Location) -> Option<&'r FileRecord> {
        self.coverage.files.get(location.file as usize)
    }

    /// Path of the file of a location.
    pub(super) fn path(&self, location: Location) -> &'r str {
        self.file(location).map_or("", |file| &file.path)
    }

    /// Path with line and column, if the text of the file is known.
    pub(super) fn name(&self, location: Location) -> String {
        let path = self.path(location);
        match self.region(location) {
            Some(Region { line, column, .. }) => format!("{path}:{line}:{column}"),
            None => path.to_owned(),
        }
    }

    /// Lines and columns in characters.
    pub(super) fn region(&self, location: Location) -> Option<Region> {
        let file = self.lines(location)?;
        let Span { start, end } = location.span;
        let (first, last) = (file.lines.location(start), file.lines.location(end.max(start)));
        Some(Region { line: first.line, column: first.column, end_line: last.line, end_column: last.column })
    }

    /// Lines and columns in UTF-16 units.
    pub(super) fn utf16_region(&self, location: Location) -> Option<Region> {
        let file = self.lines(location)?;
        let index = file.utf16.get_or_init(|| Utf16Index::new(file.text));
        let Span { start, end } = location.span;
        let (line, column) = index.position(file.text, start);
        let (end_line, end_column) = index.position(file.text, end.max(start));
        Some(Region { line, column, end_line, end_column })
    }

    /// First line of a location with the part that is marked.
    pub(super) fn frame(&self, location: Location) -> Option<Frame> {
        let Span { start, end } = location.span;
        Some(self.lines(location)?.lines.frame(SourceSpan { start, end: end.max(start) }))
    }

    /// Text of a location.
    pub(super) fn text(&self, location: Location) -> Option<&'r str> {
        let text = self.file(location)?.text.as_deref()?;
        let start = floor_boundary(text, location.span.start as usize);
        let end = floor_boundary(text, location.span.end as usize).max(start);
        text.get(start..end)
    }

    fn lines(&self, location: Location) -> Option<&FileLines<'r>> {
        let cell = self.indices.get(location.file as usize)?;
        let index = cell.get_or_init(|| {
            let text = self.file(location)?.text.as_deref()?;
            Some(FileLines { text, lines: LineIndex::new(text), utf16: OnceCell::new() })
        });
        index.as_ref()
    }
}

/// Index of the lines of a text, with counts of UTF-16 units at fixed distances.
struct Utf16Index {
    line_starts: Vec<usize>,
    /// Number of units that begin before byte `CHECKPOINT * k`.
    checkpoints: Vec<usize>,
}

impl Utf16Index {
    fn new(text: &str) -> Utf16Index {
        let bytes = text.as_bytes();
        let after_break = memchr::memchr_iter(b'\n', bytes).map(|position| position + 1);
        let line_starts = std::iter::once(0).chain(after_break).collect();
        let mut count = 0;
        let mut checkpoints = vec![0];
        for chunk in bytes.chunks(CHECKPOINT) {
            count += units(chunk);
            checkpoints.push(count);
        }
        Utf16Index { line_starts, checkpoints }
    }

    fn units_before(&self, text: &str, offset: usize) -> usize {
        let chunk = offset / CHECKPOINT;
        let before = self.checkpoints.get(chunk).copied().unwrap_or(0);
        before + text.as_bytes().get(chunk * CHECKPOINT..offset).map_or(0, units)
    }

    /// Line and column of an offset, which is clamped to the text.
    fn position(&self, text: &str, offset: u32) -> (u32, u32) {
        let offset = floor_boundary(text, offset as usize);
        let line = self.line_starts.partition_point(|&start| start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let mut column = self.units_before(text, offset) - self.units_before(text, start);
        if line == 1 && text.starts_with('\u{feff}') {
            // A byte order mark is not part of the text.
            column = column.saturating_sub(1);
        }
        (saturate(line), saturate(column + 1))
    }
}

/// Number of UTF-16 units that begin in these bytes of UTF-8.
fn units(bytes: &[u8]) -> usize {
    bytes.iter().map(|&byte| usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0)).sum()
}

pub(super) fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf16_columns_count_units() {
        let text = "ab\n\u{1f600}x\u{e4}y\n";
        let index = Utf16Index::new(text);
        let at = |pattern| index.position(text, u32::try_from(text.find(pattern).expect("present")).expect("small"));
        assert_eq!(at('x'), (2, 3));
        assert_eq!(at('y'), (2, 5));
        assert_eq!(index.position(text, 0), (1, 1));
        assert_eq!(index.position(text, u32::MAX), (3, 1));
    }

    #[test]
    fn utf16_columns_stay_right_across_checkpoints() {
        let text = "\u{1f600}".repeat(3000);
        assert_eq!(Utf16Index::new(&text).position(&text, 8004), (1, 4003));
    }
}
