//! Lines, columns and texts of locations.

use std::cell::OnceCell;

use vyre_ir::source::{Frame, LineIndex as FrameIndex, Span as SourceSpan};

use crate::coverage::{Coverage, FileRecord};
use crate::finding::Location;
use crate::flow::Span;
use crate::lines::{LineIndex, Position};

/// Files of a report, with an index of lines for each file that is asked for.
pub(super) struct Places<'r> {
    coverage: &'r Coverage,
    indices: Vec<OnceCell<Option<FileLines<'r>>>>,
}

/// Text with the index of its lines.
struct FileLines<'r> {
    text: &'r str,
    lines: LineIndex<'r>,
}

/// Bytes of a line before and after the start of a span that a frame is made of. Frames show fewer.
const WINDOW: usize = 2048;

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

    /// Name as seen from another folder. `folder` leads to the scanned path, with `/` at its end.
    pub(super) fn name_from(&self, folder: &str, location: Location) -> String {
        format!("{folder}{}", self.name(location))
    }

    /// Lines and columns in characters.
    pub(super) fn region(&self, location: Location) -> Option<Region> {
        self.region_by(location, LineIndex::position)
    }

    /// Lines and columns in UTF-16 units.
    pub(super) fn utf16_region(&self, location: Location) -> Option<Region> {
        self.region_by(location, LineIndex::utf16_position)
    }

    fn region_by(&self, location: Location, position: impl Fn(&LineIndex<'r>, usize) -> Position) -> Option<Region> {
        let file = self.lines(location)?;
        let at = |offset: u32| {
            let Position { line, column } = position(&file.lines, floor_boundary(file.text, offset as usize));
            // A byte order mark is not part of the text.
            let mark = usize::from(line == 1 && column > 1 && file.text.starts_with('\u{feff}'));
            (saturate(line), saturate(column - mark))
        };
        let Span { start, end } = location.span;
        let ((line, column), (end_line, end_column)) = (at(start), at(end.max(start)));
        Some(Region { line, column, end_line, end_column })
    }

    /// First line of a location with the part that is marked.
    pub(super) fn frame(&self, location: Location) -> Option<Frame> {
        let file = self.lines(location)?;
        let start = floor_boundary(file.text, location.span.start as usize);
        let end = floor_boundary(file.text, location.span.end as usize).max(start);
        let line = file.lines.line(start);
        let line_start = file.lines.range(line).start;
        let line_end = line_start + file.lines.text(line).len();
        let from = floor_boundary(file.text, start.saturating_sub(WINDOW)).max(line_start);
        let to = floor_boundary(file.text, start + WINDOW).min(line_end).max(from);
        let offset = |offset: usize| saturate(offset.clamp(from, to) - from);
        let window = FrameIndex::new(file.text.get(from..to)?);
        let mut frame = window.frame(SourceSpan { start: offset(start), end: offset(end) });
        frame.line = saturate(line);
        Some(frame)
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
            Some(FileLines { text, lines: LineIndex::new(text) })
        });
        index.as_ref()
    }
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
    use std::sync::Arc;

    use super::*;
    use crate::coverage::FileOutcome;

    #[test]
    fn columns_count_characters_or_units() {
        let text = "\u{feff}ab\n\u{1f600}x\u{e4}y\n";
        let file = FileRecord {
            path: "a.js".to_owned(),
            bytes: 0,
            lines: 0,
            outcome: FileOutcome::Scanned,
            text: Some(Arc::from(text)),
            language: None,
            link: None,
            is_archived: false,
        };
        let coverage = Coverage { files: vec![file], ..Coverage::default() };
        let places = Places::new(&coverage);
        let at = |part: &str| {
            let start = u32::try_from(text.find(part).expect("present")).expect("small");
            Location { file: 0, span: Span::new(start, start + 1) }
        };
        let columns = |region: Option<Region>| region.map(|region| (region.line, region.column, region.end_column));
        assert_eq!(columns(places.region(at("b"))), Some((1, 2, 3)));
        assert_eq!(columns(places.region(at("x"))), Some((2, 2, 3)));
        assert_eq!(columns(places.utf16_region(at("x"))), Some((2, 3, 4)));
        assert_eq!(columns(places.utf16_region(at("b"))), Some((1, 2, 3)));
        assert_eq!(places.name(at("y")), "a.js:2:4");
    }
}
