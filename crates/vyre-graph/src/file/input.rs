//! Inputs: files and streams, decompressed transparently.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use super::format::DETECTION_BYTES;
use super::progress::Progress;

/// Input of a reader: a file or a stream.
pub struct Input<'i> {
    pub(crate) source: Source<'i>,
}

pub(crate) enum Source<'i> {
    Path(PathBuf),
    Reader {
        reader: Box<dyn Read + Send + 'i>,
        /// Name of the file that the stream is the content of.
        name: Option<PathBuf>,
    },
}

/// Extensions of the names of compressed files.
const COMPRESSED_EXTENSIONS: [&str; 10] = ["gz", "bz2", "bzip2", "xz", "zst", "zstd", "lz4", "lz", "lzma", "br"];

/// The name of a file without the extension of a compressed one.
#[must_use]
pub fn uncompressed_name(path: &Path) -> &Path {
    let is_compressed =
        |extension: &OsStr| COMPRESSED_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known));
    match (path.extension(), path.file_stem()) {
        (Some(extension), Some(stem)) if is_compressed(extension) => Path::new(stem),
        _ => path,
    }
}

impl<'i> Input<'i> {
    /// The file with this name.
    #[must_use]
    pub fn path(path: impl Into<PathBuf>) -> Input<'i> {
        Input { source: Source::Path(path.into()) }
    }

    /// The standard input.
    #[must_use]
    pub fn stdin() -> Input<'i> {
        Input::reader(io::stdin())
    }

    /// A stream, which is read once from beginning to end.
    #[must_use]
    pub fn reader(reader: impl Read + Send + 'i) -> Input<'i> {
        Input { source: Source::Reader { reader: Box::new(reader), name: None } }
    }

    /// A stream with the content of the file with this name, whose extension selects the format if nothing else does. A reader that
    /// decompresses a file can be such a stream.
    #[must_use]
    pub fn named_reader(reader: impl Read + Send + 'i, name: impl Into<PathBuf>) -> Input<'i> {
        Input { source: Source::Reader { reader: Box::new(reader), name: Some(name.into()) } }
    }
}

impl<'i> From<&'i [u8]> for Input<'i> {
    fn from(bytes: &'i [u8]) -> Input<'i> {
        Input::reader(bytes)
    }
}

impl<'i> From<&Path> for Input<'i> {
    fn from(path: &Path) -> Input<'i> {
        Input::path(path)
    }
}

impl fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Path(path) => write!(f, "Input::path({path:?})"),
            Source::Reader { name, .. } => write!(f, "Input::reader({name:?})"),
        }
    }
}

/// The content of an input, which is decompressed if it is gzip. Content that is out of proportion to the input is an error.
///
/// # Errors
///
/// None here: errors of the input and of gzip are those of the reader.
pub fn gzip_content<'i>(input: impl Read + Send + 'i) -> io::Result<Box<dyn Read + Send + 'i>> {
    Ok(Box::new(Stream::open(input, &())?.bytes()))
}

/// Reader that reports its progress.
struct CountedReader<'p, R> {
    input: R,
    progress: &'p dyn Progress,
}

impl<R: Read> Read for CountedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.progress.advance(count as u64);
        Ok(count)
    }
}

/// Bytes of content for each byte of a compressed input, beyond those that every input may have.
const MAX_RATIO: u64 = 250;

/// Bytes of content that every compressed input may have.
const RATIO_EXEMPT_BYTES: u64 = 16 << 20;

/// Content of a compressed input, whose size is compared with that of the input.
struct Limited<R> {
    content: R,
    read: u64,
    /// Number of bytes of the compressed input so far.
    compressed: Arc<AtomicU64>,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.content.read(buffer)?;
        self.read += count as u64;
        let compressed = self.compressed.load(Ordering::Relaxed);
        if self.read > compressed.saturating_mul(MAX_RATIO).max(RATIO_EXEMPT_BYTES) {
            let what = format!("the content is more than {MAX_RATIO} times as large as the compressed file");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(count)
    }
}

/// Reader that counts its bytes.
struct Measured<R> {
    input: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Measured<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Reads the first bytes of an input, and returns the error that ends them.
fn read_head(input: &mut impl Read, head: &mut Vec<u8>) -> Option<io::Error> {
    input.take(DETECTION_BYTES as u64).read_to_end(head).err()
}

/// The rest of an input. It begins with the error that the first bytes ended with, so that errors in these bytes are reported first.
struct Rest<R> {
    failure: Option<io::Error>,
    input: R,
}

impl<R: Read> Read for Rest<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => self.input.read(buffer),
        }
    }
}

/// A decompressed input with its first bytes.
pub(crate) struct Stream<'i> {
    head: Vec<u8>,
    rest: Box<dyn Read + Send + 'i>,
    is_compressed: bool,
}

impl<'i> Stream<'i> {
    /// Reads the first bytes of an input, and decompresses it if it is gzip.
    pub(crate) fn open(input: impl Read + Send + 'i, progress: &'i dyn Progress) -> io::Result<Stream<'i>> {
        const GZIP: [u8; 3] = [0x1f, 0x8b, 8];
        let mut counted = CountedReader { input, progress };
        let mut head = Vec::new();
        let mut failure = read_head(&mut counted, &mut head);
        if !head.starts_with(&GZIP) {
            return Ok(Stream { head, rest: Box::new(Rest { failure, input: counted }), is_compressed: false });
        }
        let compressed = Cursor::new(head).chain(Rest { failure, input: counted });
        let bytes = Arc::new(AtomicU64::new(0));
        let compressed = Measured { input: compressed, bytes: bytes.clone() };
        let content = MultiGzDecoder::new(BufReader::with_capacity(1 << 16, compressed));
        let mut rest = Limited { content, read: 0, compressed: bytes };
        let mut head = Vec::new();
        failure = read_head(&mut rest, &mut head);
        Ok(Stream { head, rest: Box::new(Rest { failure, input: rest }), is_compressed: true })
    }

    /// First bytes of the input.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Reports whether the input was compressed.
    pub(crate) fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    /// The whole input.
    pub(crate) fn bytes(self) -> impl Read + Send + 'i {
        Cursor::new(self.head).chain(self.rest)
    }

    /// The whole input without a byte order mark.
    pub(crate) fn text(mut self) -> impl Read + Send + 'i {
        if self.head.starts_with(b"\xef\xbb\xbf") {
            self.head.drain(..3);
        }
        self.bytes()
    }
}
