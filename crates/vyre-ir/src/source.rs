//! Locations in source text: spans, lines and columns, and code frames.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// A range of bytes in a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span from the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }
}

/// Line and column, counted from 1. Columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Index of the lines of a text. A lookup takes logarithmic time.
#[derive(Debug)]
pub struct LineIndex<'s> {
    source: &'s str,
    line_starts: Vec<usize>,
    /// Number of characters that begin before byte `CHECKPOINT * k`.
    checkpoints: Vec<usize>,
}

/// Distance in bytes between two character counts.
const CHECKPOINT: usize = 256;

/// Maximum width of a line in a frame, in columns of a terminal.
const FRAME_COLUMNS: usize = 120;

/// Maximum number of bytes of a line in a frame for each column. Characters that take columns stay below it; many
/// characters without width would not.
const COLUMN_BYTES: usize = 4;

fn begins_character(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

impl<'s> LineIndex<'s> {
    /// Creates an index of `source`.
    #[must_use]
    pub fn new(source: &'s str) -> LineIndex<'s> {
        let bytes = source.as_bytes();
        let after_newline = |(position, &byte): (usize, &u8)| (byte == b'\n').then_some(position + 1);
        let line_starts = std::iter::once(0).chain(bytes.iter().enumerate().filter_map(after_newline)).collect();
        let mut count = 0;
        let mut checkpoints = vec![0];
        for chunk in bytes.chunks(CHECKPOINT) {
            count += chunk.iter().filter(|&&byte| begins_character(byte)).count();
            checkpoints.push(count);
        }
        LineIndex { source, line_starts, checkpoints }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let chunk = offset / CHECKPOINT;
        let rest = &self.source.as_bytes()[chunk * CHECKPOINT..offset];
        self.checkpoints[chunk] + rest.iter().filter(|&&byte| begins_character(byte)).count()
    }

    /// Line that contains `offset`, counted from 0.
    fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset) - 1
    }

    /// Line and column of a byte offset, which is clamped to the end.
    #[must_use]
    pub fn location(&self, offset: u32) -> Location {
        let offset = (offset as usize).min(self.source.len());
        let line = self.line_of(offset);
        let mut column = self.characters_before(offset) - self.characters_before(self.line_starts[line]);
        if line == 0 && self.source.starts_with('\u{feff}') {
            // A byte order mark is not part of the text.
            column = column.saturating_sub(1);
        }
        Location { line: saturate(line + 1), column: saturate(column + 1) }
    }

    /// Start and text of the line that contains `offset`, without its line break.
    fn line_text(&self, offset: usize) -> (usize, &'s str) {
        let line = self.line_of(offset);
        let start = self.line_starts[line];
        let end = self.line_starts.get(line + 1).copied().unwrap_or(self.source.len());
        let text = &self.source[start..end];
        let text = text.strip_suffix('\n').unwrap_or(text);
        (start, text.strip_suffix('\r').unwrap_or(text))
    }

    /// Line of a span, with a line below that marks the span.
    ///
    /// A long line is cut to a window around the span, with `...` at the cuts.
    #[must_use]
    pub fn frame(&self, span: Span) -> Frame {
        let start = floor_boundary(self.source, span.start as usize);
        let (line_start, text) = self.line_text(start);
        let end = (span.end as usize).saturating_sub(line_start);
        Frame::of_line(self.location(span.start).line, text, start - line_start, end)
    }
}

/// A line of source with a marked part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The number of the line.
    pub line: u32,
    /// Text of the line, or the window around the span.
    pub text: String,
    /// Width of the text before the marked part, in columns of a terminal.
    pub padding: usize,
    /// Width of the marked part in columns, at least 1.
    pub width: usize,
}

impl Frame {
    /// Marks the bytes from `start` to `end` of a line, which has no line break. Offsets are clamped to the line.
    ///
    /// A wide character takes two columns and a combining character none. The text between the offsets is shown with
    /// at most half a window of text before it.
    pub(crate) fn of_line(line: u32, text: &str, start: usize, end: usize) -> Frame {
        let start = floor_boundary(text, start);
        let end = floor_boundary(text, end).max(start);
        let lead = fitting_bytes(text[..start].chars().rev(), FRAME_COLUMNS / 2);
        let shown_start = start - lead;
        let shown_end = shown_start + fitting_bytes(text[shown_start..].chars(), FRAME_COLUMNS);

        let mut shown = String::new();
        if shown_start > 0 {
            shown.push_str("...");
        }
        shown.extend(text[shown_start..start].chars().map(displayed));
        let padding = shown.width();
        let marked_start = shown.len();
        shown.extend(text[start..end.min(shown_end)].chars().map(displayed));
        let width = shown[marked_start..].width().max(1);
        shown.extend(text[end.min(shown_end)..shown_end].chars().map(displayed));
        if shown_end < text.len() {
            shown.push_str("...");
        }
        Frame { line, text: shown, padding, width }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Frame { line, text, padding, width } = self;
        let gutter = line.to_string().len();
        writeln!(f, "{:gutter$} |", "")?;
        writeln!(f, "{line} | {text}")?;
        write!(f, "{:gutter$} | {:padding$}{}", "", "", "^".repeat(*width))
    }
}

/// Number of bytes of the first characters that fit into `columns` and into the bytes for them.
fn fitting_bytes(characters: impl Iterator<Item = char>, columns: usize) -> usize {
    let (mut used, mut bytes) = (0, 0);
    let fits = |c: &char| {
        used += displayed(*c).width().unwrap_or(0);
        bytes += c.len_utf8();
        used <= columns && bytes <= COLUMN_BYTES * columns
    };
    characters.take_while(fits).map(char::len_utf8).sum()
}

/// Replaces control characters and invisible characters, which would garble a frame or hide text.
fn displayed(c: char) -> char {
    match c {
        '\t' => ' ',
        c if is_deceptive(c) => '\u{fffd}',
        c => c,
    }
}

/// Escapes a name or message for a terminal: control characters, characters without width and characters that change
/// the direction of text become escapes. Truncates texts of more than 1,000 characters.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    visible_prefix(text, 1000)
}

/// Escapes the first `limit` characters of a text for a terminal, as [`visible`] does; `...` replaces the rest.
#[must_use]
pub fn visible_prefix(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit && !text.contains(is_deceptive) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::new();
    let mut rest = text.chars();
    for c in rest.by_ref().take(limit) {
        if is_deceptive(c) {
            escaped.extend(c.escape_default());
        } else {
            escaped.push(c);
        }
    }
    if rest.next().is_some() {
        escaped.push_str("...");
    }
    Cow::Owned(escaped)
}

/// True for characters that a terminal does not show: control characters, and characters that change the direction of
/// the text or have no width.
#[must_use]
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The text of a parsed program and the spans of its parts.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// The text, shared with the diagnostics of the program.
    pub(crate) text: Arc<str>,
    /// The span of each statement and expression, by ordinal.
    pub(crate) spans: Vec<Span>,
    /// The span of each buffer declaration.
    pub(crate) buffers: Vec<Span>,
    /// The span of each number of the workgroup size.
    pub(crate) workgroup_size: [Span; 3],
    /// The span of the declaration that holds them.
    pub(crate) workgroup_size_declaration: Span,
    /// The span of the word `entry`.
    pub(crate) entry: Span,
}

impl SourceMap {
    /// The text that the program was parsed from.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The span of the statement or expression with this ordinal in a [`Traversal`](crate::Traversal).
    #[must_use]
    pub fn span(&self, ordinal: u32) -> Option<Span> {
        self.spans.get(ordinal as usize).copied()
    }

    /// The span of a buffer declaration.
    #[must_use]
    pub fn buffer(&self, position: usize) -> Option<Span> {
        self.buffers.get(position).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let source = "let a;\n// \u{e4}\u{f6}\u{fc} x\n";
        let index = LineIndex::new(source);
        let offset = source.find('x').unwrap_or_default();
        assert_eq!(index.location(u32::try_from(offset).unwrap_or_default()), Location { line: 2, column: 8 });
        assert_eq!(index.location(0), Location { line: 1, column: 1 });
        assert_eq!(index.location(u32::MAX), Location { line: 3, column: 1 });
    }

    #[test]
    fn frames_of_long_lines_show_a_window() {
        let source = format!("{}bad{}", "a".repeat(1000), "b".repeat(1000));
        let frame = LineIndex::new(&source).frame(Span { start: 1000, end: 1003 });
        assert!(frame.text.starts_with("...") && frame.text.ends_with("..."));
        assert_eq!(&frame.text[frame.padding..frame.padding + frame.width], "bad");
    }

    #[test]
    fn columns_stay_right_across_checkpoints() {
        let source = "\u{e9}".repeat(1000);
        let index = LineIndex::new(&source);
        assert_eq!(index.location(1800).column, 901);
    }
}
