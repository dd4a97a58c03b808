//! Records of a CSV text: lines, more than one where a quoted field goes on.

use super::blocks::{Line, MAX_LINE_BYTES};
use super::error::{ReadError, text_error};
use super::fields::{Dialect, LineError, is_blank, is_silent};
use super::text_error::TextErrorKind;

/// Puts lines together to records.
pub(crate) struct Records {
    /// What separates fields, once the first record is known.
    delimiter: Option<u8>,
    /// The lines of a record that goes on.
    text: Vec<u8>,
    /// The number of the first line of that record.
    first_line: u64,
    state: State,
}

/// What a byte is within.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Blanks before a field.
    Before,
    Unquoted,
    Quoted,
    /// Behind a quote of a quoted field: its end, or the first one of two.
    AfterQuote,
}

/// A record, which may have line feeds in quoted fields.
pub(crate) struct Record<'r> {
    pub(crate) text: &'r [u8],
    pub(crate) dialect: Dialect,
    /// The number of its first line.
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

    /// Takes a line, and calls `visit` if it ends a record. Blank lines, and comments before the first record, are none.
    ///
    /// # Errors
    ///
    /// The record is too long, or what `visit` returns.
    pub(crate) fn line(
        &mut self,
        line: &Line<'_>,
        mut visit: impl FnMut(&Record<'_>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let goes_on = self.state == State::Quoted;
        if !goes_on && (is_blank(line.text) || self.delimiter.is_none() && is_silent(line.text)) {
            return Ok(());
        }
        let delimiter = *self.delimiter.get_or_insert_with(|| match Dialect::of_line(line.text) {
            Some(Dialect::Delimited(delimiter)) => delimiter,
            _ => b',',
        });
        let dialect = Dialect::Delimited(delimiter);
        self.state = state_behind(line.text, delimiter, if goes_on { State::Quoted } else { State::Before });
        let is_end = self.state != State::Quoted;
        if !goes_on && is_end {
            return visit(&Record { text: line.text, dialect, line: line.number });
        }
        if !goes_on {
            self.first_line = line.number;
            self.text.clear();
        } else {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(line.text);
        if self.text.len() > MAX_LINE_BYTES {
            // The quote that was forgotten is most likely in the first line.
            return Err(text_error(self.first_line, 0, TextErrorKind::RecordTooLong { limit: MAX_LINE_BYTES }));
        }
        if is_end { visit(&Record { text: &self.text, dialect, line: self.first_line }) } else { Ok(()) }
    }

    /// Ends the text.
    ///
    /// # Errors
    ///
    /// A record goes on. Splitting it into fields finds the quote, so `visit` is called with it.
    pub(crate) fn end(&self, visit: impl FnOnce(&Record<'_>) -> Result<(), ReadError>) -> Result<(), ReadError> {
        match (self.state, self.delimiter) {
            (State::Quoted, Some(delimiter)) => {
                visit(&Record { text: &self.text, dialect: Dialect::Delimited(delimiter), line: self.first_line })
            }
            _ => Ok(()),
        }
    }
}

/// The state behind a line that begins in another. It follows what [`Fields`](super::fields::Fields) does.
fn state_behind(line: &[u8], delimiter: u8, mut state: State) -> State {
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
            // What follows a quote is an error, which the fields tell.
            (State::Before | State::Unquoted | State::AfterQuote, _) => State::Unquoted,
        };
    }
    state
}
