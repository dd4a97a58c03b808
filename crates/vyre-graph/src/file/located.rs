//! Input with its position in lines, for parsers that read a text byte by byte.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use super::blocks::MAX_LINE_BYTES;
use super::error::ReadError;
use super::listed::Place;
use super::text_error::TextErrorKind;

/// Kind of the error of an item that is too long.
pub(crate) const TOO_LONG: io::ErrorKind = io::ErrorKind::FileTooLarge;

/// Buffered input that counts lines.
pub(crate) struct Located<R> {
    input: BufReader<R>,
    /// Number of bytes after which the input ends with an error of the kind [`TOO_LONG`].
    pub(crate) left: usize,
    next: Rc<Cell<Place>>,
}

impl<R: Read> Located<R> {
    pub(crate) fn new(input: R) -> Located<R> {
        let next = Rc::new(Cell::new(Place { line: 1, at: 0 }));
        Located { input: BufReader::with_capacity(1 << 16, input), left: usize::MAX, next }
    }

    /// Position of the next byte.
    pub(crate) fn place(&self) -> Place {
        self.next.get()
    }

    /// Cell with the position of the next byte.
    pub(crate) fn shared_place(&self) -> Rc<Cell<Place>> {
        Rc::clone(&self.next)
    }

    /// The next byte, which stays in the input; `None` at the end.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    /// Skips the next byte.
    pub(crate) fn skip(&mut self) {
        self.consume(1);
    }

    /// Skips the rest of a line.
    pub(crate) fn skip_line(&mut self) -> Result<(), ReadError> {
        while self.peek()?.is_some_and(|byte| byte != b'\n') {
            self.skip();
        }
        Ok(())
    }

    /// Appends the next byte to a token and skips it.
    ///
    /// # Errors
    ///
    /// The token is too long.
    pub(crate) fn push_to(&mut self, token: &mut Vec<u8>, start: Place) -> Result<(), ReadError> {
        if token.len() == MAX_LINE_BYTES {
            return Err(start.error(TextErrorKind::LineTooLong { limit: MAX_LINE_BYTES }));
        }
        token.extend(self.peek()?);
        self.skip();
        Ok(())
    }
}

/// A token as text.
///
/// # Errors
///
/// It is not UTF-8.
pub(crate) fn text_of(token: Vec<u8>, start: Place) -> Result<String, ReadError> {
    String::from_utf8(token).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        start.error(TextErrorKind::NotUtf8 { byte: error.as_bytes()[at] })
    })
}

impl<R: Read> Read for Located<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Located<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Err(TOO_LONG.into());
        }
        let left = self.left;
        let bytes = self.input.fill_buf()?;
        Ok(&bytes[..bytes.len().min(left)])
    }

    fn consume(&mut self, count: usize) {
        let bytes = &self.input.buffer()[..count.min(self.input.buffer().len())];
        let mut next = self.next.get();
        next.line += memchr::memchr_iter(b'\n', bytes).count() as u64;
        match memchr::memrchr(b'\n', bytes) {
            Some(end) => next.at = bytes.len() - end - 1,
            None => next.at += bytes.len(),
        }
        self.next.set(next);
        self.left -= bytes.len().min(self.left);
        let count = bytes.len();
        self.input.consume(count);
    }
}
