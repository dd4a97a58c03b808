//! Division of a text into blocks of whole lines, which threads parse in parallel.

use std::io::{self, Read};

use super::error::{ReadError, text_error};
use super::text_error::TextErrorKind;

/// Maximum size of a line without its end. A text of one endless line must not exhaust memory.
pub(crate) const MAX_LINE_BYTES: usize = 1 << 20;

/// Size of a block, such that the overhead of a block is negligible.
pub(crate) const BLOCK_BYTES: usize = 8 << 20;

/// Maximum size of a batch, whose blocks are parsed in parallel. Meanwhile the next batch is read.
const BATCH_BYTES: usize = 128 << 20;

/// Consecutive lines of a text. Each ends with a line feed unless it is too long.
pub(crate) struct Block {
    text: Vec<u8>,
    /// Position of the first line that is left.
    start: usize,
    /// Number of the first line that is left, from 1.
    first_line: u64,
}

/// One line of a block.
pub(crate) struct Line<'b> {
    /// The line without its end.
    pub(crate) text: &'b [u8],
    /// Line number, from 1.
    pub(crate) number: u64,
    /// Position of the next line in the block.
    pub(crate) next: usize,
}

impl Block {
    /// The whole block, including lines that were taken.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Position of the first line that is left.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Number of the first line that is left.
    pub(crate) fn first_line(&self) -> u64 {
        self.first_line
    }

    /// Number of lines that are left.
    pub(crate) fn line_count(&self) -> usize {
        memchr::memchr_iter(b'\n', &self.text[self.start..]).count()
    }

    /// The line that begins at `at`; `None` at the end of the block.
    ///
    /// # Errors
    ///
    /// The line is too long.
    pub(crate) fn line(&self, at: usize, number: u64) -> Result<Option<Line<'_>>, ReadError> {
        let rest = &self.text[at..];
        if rest.is_empty() {
            return Ok(None);
        }
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let text = &rest[..end];
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.len() > MAX_LINE_BYTES {
            return Err(text_error(number, MAX_LINE_BYTES, TextErrorKind::LineTooLong { limit: MAX_LINE_BYTES }));
        }
        Ok(Some(Line { text, number, next: (at + end + 1).min(self.text.len()) }))
    }

    /// Calls `visit` with each line that is left.
    ///
    /// # Errors
    ///
    /// The first line that is too long, or what `visit` returns.
    pub(crate) fn for_each_line(
        &self,
        mut visit: impl FnMut(Line<'_>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let (mut at, mut number) = (self.start, self.first_line);
        while let Some(line) = self.line(at, number)? {
            at = line.next;
            number += 1;
            visit(line)?;
        }
        Ok(())
    }

    /// Takes lines from the beginning until `visit` ends that. Returns false if the block has no more lines.
    ///
    /// # Errors
    ///
    /// The first line that is too long, or what `visit` returns.
    pub(crate) fn take_lines(
        &mut self,
        mut visit: impl FnMut(&Line<'_>) -> Result<Taken, ReadError>,
    ) -> Result<bool, ReadError> {
        loop {
            let Some(line) = self.line(self.start, self.first_line)? else { return Ok(false) };
            let taken = visit(&line)?;
            let next = line.next;
            if taken != Taken::AllBefore {
                self.start = next;
                self.first_line += 1;
            }
            if taken != Taken::More {
                return Ok(true);
            }
        }
    }
}

/// Decision about a line at the beginning of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The line is taken, and the next one is visited.
    More,
    /// The line is the last one that is taken.
    Last,
    /// The line is left; all lines before it were taken.
    AllBefore,
}

/// Iterator over the blocks of a text.
pub(crate) struct Blocks<R> {
    input: R,
    block_bytes: usize,
    /// Bytes after the last line of the previous block.
    rest: Vec<u8>,
    first_line: u64,
    end: End,
}

/// State of the input.
enum End {
    Open,
    Reached,
    Failed(io::Error),
}

/// Blocks that are parsed in parallel, and the error that ended the input after them.
struct Batch {
    blocks: Vec<Block>,
    error: Option<io::Error>,
}

impl<R: Read> Blocks<R> {
    pub(crate) fn new(input: R, block_bytes: usize) -> Blocks<R> {
        let block_bytes = block_bytes.max(1);
        Blocks { input, block_bytes, rest: Vec::new(), first_line: 1, end: End::Open }
    }

    /// Reads the next block; `None` at the end.
    ///
    /// # Errors
    ///
    /// The error of the input, after all lines before it.
    fn next(&mut self) -> io::Result<Option<Block>> {
        let mut text = std::mem::take(&mut self.rest);
        let mut wanted = self.block_bytes;
        while let End::Open = self.end {
            self.fill(&mut text, wanted);
            if memchr::memrchr(b'\n', &text).is_some() || text.len() > MAX_LINE_BYTES + 1 {
                break;
            }
            wanted = 2 * text.len() + self.block_bytes;
        }
        match std::mem::replace(&mut self.end, End::Reached) {
            End::Open => {
                self.end = End::Open;
                self.cut(&mut text);
            }
            End::Reached => {
                if !text.is_empty() && !text.ends_with(b"\n") {
                    text.push(b'\n');
                }
            }
            End::Failed(error) => {
                self.cut(&mut text);
                if !text.ends_with(b"\n") {
                    return Err(error);
                }
                self.rest.clear();
                self.end = End::Failed(error);
            }
        }
        if text.is_empty() {
            return Ok(None);
        }
        let block = Block { text, start: 0, first_line: self.first_line };
        self.first_line += block.line_count() as u64;
        Ok(Some(block))
    }

    /// Moves the bytes after the last whole line to the next block.
    fn cut(&mut self, text: &mut Vec<u8>) {
        if let Some(end) = memchr::memrchr(b'\n', text) {
            self.rest = text[end + 1..].to_vec();
            text.truncate(end + 1);
        }
    }

    /// Reads until the text has `wanted` bytes.
    fn fill(&mut self, text: &mut Vec<u8>, wanted: usize) {
        /// Size of the first allocation: a short input must not take the memory of a whole block.
        const FIRST_BYTES: usize = 1 << 16;
        while text.len() < wanted {
            let step = if text.len() < FIRST_BYTES { FIRST_BYTES } else { wanted };
            let count = wanted.min(text.len() + step) - text.len();
            text.reserve_exact(count);
            match self.input.by_ref().take(count as u64).read_to_end(text) {
                Ok(read) if read < count => self.end = End::Reached,
                Ok(_) => continue,
                Err(error) => self.end = End::Failed(error),
            }
            return;
        }
    }

    fn next_batch(&mut self) -> Batch {
        let count = rayon::current_num_threads().min(BATCH_BYTES / self.block_bytes).max(1);
        let mut batch = Batch { blocks: Vec::new(), error: None };
        while batch.blocks.len() < count {
            match self.next() {
                Ok(Some(block)) => batch.blocks.push(block),
                Ok(None) => break,
                Err(error) => {
                    batch.error = Some(error);
                    break;
                }
            }
        }
        batch
    }
}

/// Calls `handle` with the batches of a text in order. The next batch is read concurrently.
///
/// # Errors
///
/// The first error of `handle` or of the input, in the order of the text.
pub(crate) fn for_each_batch<R: Read + Send>(
    mut blocks: Blocks<R>,
    mut handle: impl FnMut(Vec<Block>) -> Result<(), ReadError> + Send,
) -> Result<(), ReadError> {
    let mut batch = blocks.next_batch();
    while batch.error.is_none() && !batch.blocks.is_empty() {
        let (next, handled) = rayon::join(|| blocks.next_batch(), || handle(batch.blocks));
        handled?;
        batch = next;
    }
    if !batch.blocks.is_empty() {
        handle(batch.blocks)?;
    }
    match batch.error {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}
