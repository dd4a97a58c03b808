//! Records of a CSV text (RFC 4180). A record with line breaks in quoted fields spans several lines.

use super::blocks::{Line, MAX_LINE_BYTES};
use super::error::{ReadError, text_error};
use super::fields::{Dialect, LineError, is_blank, is_blank_or_comment};
use super::text_error::TextErrorKind;

/// Assembler of records from lines.
pub(crate) struct Records {
    /// Delimiter of fields; known after the first record.
    delimiter: Option<u8>,
    /// Lines of an unfinished record.
    text: Vec<u8>,
    /// Number of the first line of that record.
    first_line: u64,
    state: State,
}

/// State of the scanner of quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before a field.
    Before,
    Unquoted,
    Quoted,
    /// After a quote in a quoted field: the end of the field, or the first of two quotes.
    AfterQuote,
}

/// A record. Its quoted fields may have line feeds.
pub(crate) struct Record<'r> {
    pub(crate) text: &'r [u8],
    pub(crate) dialect: Dialect,
    /// Number of its first line.
    pub(crate) line: u64,
}

impl Record<'_> {
    /// A kind, with the line and column of its byte.
    pub(crate) fn error(&self, (at, kind): LineError) -> ReadError {
        let before = &self.text[..at.min(self.text.len())];
        let line = self.line + memchr::memchr_iter(b'\n', before).count() as u64;
        let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let kind = if kind == TextErrorKind::OpenQuote { TextErrorKind::EndlessQuote } else { kind };
        text_error(line, at - start, kind)
    }
}

impl Records {
    pub(crate) fn new() -> Records {
        Records { delimiter: None, text: Vec::new(), first_line: 0, state: State::Before }
    }

    /// Adds a line, and calls `visit` if it ends a record. Blank lines, and comments before the first record, are skipped.
    ///
    /// # Errors
    ///
    /// The record is too long, or what `visit` returns.
    pub(crate) fn line(
        &mut self,
        line: &Line<'_>,
        mut visit: impl FnMut(&Record<'_>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let is_continued = self.state == State::Quoted;
        if !is_continued && (is_blank(line.text) || self.delimiter.is_none() && is_blank_or_comment(line.text)) {
            return Ok(());
        }
        let delimiter = *self.delimiter.get_or_insert_with(|| match Dialect::of_line(line.text) {
            Some(Dialect::Delimited(delimiter)) => delimiter,
            _ => b',',
        });
        let dialect = Dialect::Delimited(delimiter);
        self.state = state_after(line.text, delimiter, if is_continued { State::Quoted } else { State::Before });
        let is_end = self.state != State::Quoted;
        if !is_continued && is_end {
            return visit(&Record { text: line.text, dialect, line: line.number });
        }
        if !is_continued {
            self.first_line = line.number;
            self.text.clear();
        } else {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(line.text);
        if self.text.len() > MAX_LINE_BYTES {
            // The missing quote is most likely in the first line.
            return Err(text_error(self.first_line, 0, TextErrorKind::RecordTooLong { limit: MAX_LINE_BYTES }));
        }
        if is_end { visit(&Record { text: &self.text, dialect, line: self.first_line }) } else { Ok(()) }
    }

    /// Ends the text.
    ///
    /// # Errors
    ///
    /// A record is unfinished. `visit` gets it, since splitting it into fields locates the quote.
    pub(crate) fn end(&self, visit: impl FnOnce(&Record<'_>) -> Result<(), ReadError>) -> Result<(), ReadError> {
        match (self.state, self.delimiter) {
            (State::Quoted, Some(delimiter)) => {
                visit(&Record { text: &self.text, dialect: Dialect::Delimited(delimiter), line: self.first_line })
            }
            _ => Ok(()),
        }
    }
}

/// State after a line. It must agree with [`Fields`](super::fields::Fields).
fn state_after(line: &[u8], delimiter: u8, mut state: State) -> State {
    if state == State::Before && memchr::memchr(b'"', line).is_none() {
        return State::Before;
    }
    for &byte in line {
        state = match (state, byte) {
            (State::Quoted, b'"') => State::AfterQuote,
            (State::Quoted, _) => State::Quoted,
            (State::AfterQuote | State::Before, b'"') => State::Quoted,
            (_, byte) if byte == delimiter => State::Before,
            (State::Before, b' ' | b'\t') => State::Before,
            // Text after a quote is an error, which `Fields` reports.
            (State::Before | State::Unquoted | State::AfterQuote, _) => State::Unquoted,
        };
    }
    state
}
