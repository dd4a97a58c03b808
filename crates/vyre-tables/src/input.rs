//! Inputs of tables: files and streams.

use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vyre_memory::scratch_directory;

/// Input of a table.
pub struct TableInput<'i>(Source<'i>);

enum Source<'i> {
    File(File),
    Reader(Box<dyn Read + Send + 'i>),
}

impl<'i> TableInput<'i> {
    /// A regular file.
    #[must_use]
    pub fn file(file: File) -> TableInput<'i> {
        TableInput(Source::File(file))
    }

    /// A stream, which is read once from beginning to end. A Parquet table is copied to a temporary file, since its description is at its
    /// end.
    #[must_use]
    pub fn reader(reader: impl Read + Send + 'i) -> TableInput<'i> {
        TableInput(Source::Reader(Box::new(reader)))
    }

    /// The input as a file.
    pub(crate) fn into_file(self) -> io::Result<File> {
        match self.0 {
            Source::File(file) => Ok(file),
            Source::Reader(mut reader) => {
                let mut file = tempfile::tempfile_in(scratch_directory())?;
                io::copy(&mut reader, &mut file)?;
                file.rewind()?;
                Ok(file)
            }
        }
    }

    /// The input as a stream, with the number of bytes that were read from it.
    pub(crate) fn into_stream(self) -> Counted<'i> {
        let input = match self.0 {
            Source::File(file) => Box::new(io::BufReader::with_capacity(1 << 16, file)),
            Source::Reader(reader) => reader,
        };
        Counted { input, bytes: Arc::default() }
    }
}

/// A stream that counts its bytes.
pub(crate) struct Counted<'i> {
    input: Box<dyn Read + Send + 'i>,
    bytes: Arc<AtomicU64>,
}

impl Counted<'_> {
    /// Number of bytes that were read, which is updated.
    pub(crate) fn stored_bytes(&self) -> Arc<AtomicU64> {
        self.bytes.clone()
    }
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
