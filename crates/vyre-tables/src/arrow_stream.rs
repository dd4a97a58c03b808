//! Edge tables in Arrow files and streams.
//!
//! An Arrow file is a stream behind a signature, with an index at its end that random access needs. Both are read from beginning to end.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{Message, MessageHeader, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use vyre_graph::ReadOptions;

use crate::columns::EdgeColumns;
use crate::edge_text::OpenTable;
use crate::edge_writer::NODES_KEY;
use crate::error::TableError;
use crate::format::{ARROW_MAGIC, CONTINUATION, TableFormat};
use crate::guarded::guarded;
use crate::input::Counted;
use crate::limit::max_bytes;

/// Maximum padding of a signature, in words of 4 bytes.
const MAX_PADDING_WORDS: usize = 32;

/// Opens a file or a stream and chooses its columns.
pub(crate) fn open<'i>(
    mut input: Counted<'i>,
    format: TableFormat,
    options: &ReadOptions,
) -> Result<OpenTable<'i>, TableError> {
    if format == TableFormat::Arrow {
        let mut head = Vec::new();
        (&mut input).take(8).read_to_end(&mut head)?;
        if head.starts_with(b"FEA1") {
            return Err(TableError::damaged(format, "it is version 1 of Feather; only version 2 is supported"));
        }
        if head.len() < 8 || !head.starts_with(ARROW_MAGIC) {
            return Err(TableError::damaged(format, "it does not begin with ARROW1"));
        }
    }
    let stored = input.stored_bytes();
    let mut messages = Messages { input, format };
    let Some((head, _)) = messages.first()? else { return Err(TableError::damaged(format, "it has no schema")) };
    let message = messages.message(&head)?;
    let Some(schema) = message.header_as_schema() else {
        return Err(TableError::damaged(format, "the first message is no schema"));
    };
    if !schema.endianness().equals_to_target_endianness() {
        return Err(TableError::damaged(format, "its numbers have another byte order"));
    }
    let schema = guarded(format, || try_fb_to_schema(schema))?.map_err(|error| TableError::arrow(format, error))?;
    let columns = EdgeColumns::of_schema(&schema, options)?;
    let nodes = schema.metadata().get(NODES_KEY).and_then(|nodes| nodes.parse().ok());
    let projection = columns.indices();
    let batches =
        Batches { messages, schema: Arc::new(schema), projection, dictionaries: HashMap::new(), is_done: false };
    Ok(OpenTable { columns, nodes, stored, batches: Box::new(batches) })
}

/// Head and body of a message.
type HeadAndBody = (Vec<u8>, Vec<u8>);

/// Messages of a stream.
struct Messages<'i> {
    input: Counted<'i>,
    format: TableFormat,
}

impl Messages<'_> {
    fn damaged(&self, what: &str) -> TableError {
        TableError::damaged(self.format, what)
    }

    /// Reads exactly this many bytes. Memory grows with the input, not with what a damaged length says.
    fn bytes(&mut self, count: u64) -> Result<Vec<u8>, TableError> {
        let mut bytes = Vec::new();
        (&mut self.input).take(count).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == count { Ok(bytes) } else { Err(self.damaged("it ends within a message")) }
    }

    /// The first message. The signature of a file is padded with zeros to a multiple of 8 bytes that the writer chose.
    fn first(&mut self) -> Result<Option<HeadAndBody>, TableError> {
        let mut word = self.word()?;
        let mut words = 0;
        while self.format == TableFormat::Arrow && word == [0; 4] && words < MAX_PADDING_WORDS {
            word = self.word()?;
            words += 1;
        }
        self.behind(word)
    }

    /// The next message and its body. None: the end.
    fn next(&mut self) -> Result<Option<HeadAndBody>, TableError> {
        let word = self.word()?;
        self.behind(word)
    }

    /// Four bytes, or fewer at the end.
    fn word(&mut self) -> Result<Vec<u8>, TableError> {
        let mut word = Vec::new();
        (&mut self.input).take(4).read_to_end(&mut word)?;
        Ok(word)
    }

    /// The message that begins with these bytes.
    fn behind(&mut self, mut word: Vec<u8>) -> Result<Option<HeadAndBody>, TableError> {
        if word == CONTINUATION {
            word = self.bytes(4)?;
        } else if word.is_empty() && self.format == TableFormat::ArrowStream {
            return Ok(None);
        }
        let Ok(length) = <[u8; 4]>::try_from(&*word) else { return Err(self.damaged("it ends before its end mark")) };
        let length = u32::from_le_bytes(length);
        if length == 0 {
            return self.end().map(|()| None);
        }
        let head = self.bytes(u64::from(length))?;
        let Ok(body) = u64::try_from(self.message(&head)?.bodyLength()) else {
            return Err(self.damaged("a message has a negative length"));
        };
        let body = self.bytes(body)?;
        Ok(Some((head, body)))
    }

    /// Checks what follows the end mark. Of a file it is the index, which is not needed but shows that the file is whole.
    fn end(&mut self) -> Result<(), TableError> {
        if self.format != TableFormat::Arrow {
            return Ok(());
        }
        let mut last = Vec::new();
        let mut piece = [0; 1 << 12];
        loop {
            let count = self.input.read(&mut piece)?;
            if count == 0 {
                break;
            }
            last.extend_from_slice(&piece[..count]);
            last.drain(..last.len().saturating_sub(ARROW_MAGIC.len()));
        }
        if last == ARROW_MAGIC { Ok(()) } else { Err(self.damaged("it does not end with ARROW1")) }
    }

    fn message<'h>(&self, head: &'h [u8]) -> Result<Message<'h>, TableError> {
        root_as_message(head).map_err(|error| TableError::damaged(self.format, error))
    }
}

/// The record batches of a stream.
struct Batches<'i> {
    messages: Messages<'i>,
    schema: SchemaRef,
    projection: Vec<usize>,
    dictionaries: HashMap<i64, ArrayRef>,
    is_done: bool,
}

impl Batches<'_> {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, TableError> {
        while let Some((head, body)) = self.messages.next()? {
            let message = self.messages.message(&head)?;
            let (version, body) = (message.version(), Buffer::from_vec(body));
            let format = self.messages.format;
            let failed = |error: ArrowError| TableError::arrow(format, error);
            match message.header_type() {
                MessageHeader::RecordBatch => {
                    let Some(batch) = message.header_as_record_batch() else { continue };
                    self.check(batch, &body)?;
                    let (schema, projection) = (self.schema.clone(), Some(&*self.projection));
                    let dictionaries = &self.dictionaries;
                    let read = || read_record_batch(&body, batch, schema, dictionaries, projection, &version);
                    return guarded(format, read)?.map(Some).map_err(failed);
                }
                MessageHeader::DictionaryBatch => {
                    let Some(batch) = message.header_as_dictionary_batch() else { continue };
                    if let Some(data) = batch.data() {
                        self.check(data, &body)?;
                    }
                    let (schema, dictionaries) = (&self.schema, &mut self.dictionaries);
                    let read = || read_dictionary(&body, batch, schema, dictionaries, &version);
                    guarded(format, read)?.map_err(failed)?;
                }
                MessageHeader::NONE => {}
                _ => return Err(self.messages.damaged("a message is no part of a table")),
            }
        }
        Ok(None)
    }

    /// Checks the places of all buffers, and the sizes that compressed ones claim, before memory is allocated for them.
    fn check(&self, batch: arrow_ipc::RecordBatch<'_>, body: &Buffer) -> Result<(), TableError> {
        let is_compressed = batch.compression().is_some();
        for buffer in batch.buffers().into_iter().flatten() {
            let place = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
            let bytes = place.and_then(|(start, length)| body.get(start..start.checked_add(length)?));
            let Some(bytes) = bytes else { return Err(self.messages.damaged("a buffer is outside its message")) };
            // The length of the content is -1 for a buffer that is not compressed after all.
            if let Some(length) = bytes.first_chunk::<8>().filter(|_| is_compressed)
                && let Ok(length) = u64::try_from(i64::from_le_bytes(*length))
                && length > max_bytes(bytes.len() as u64)
            {
                return Err(TableError::Bomb { limit: max_bytes(bytes.len() as u64) });
            }
        }
        Ok(())
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<RecordBatch, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let next = self.next_batch();
        self.is_done = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}
