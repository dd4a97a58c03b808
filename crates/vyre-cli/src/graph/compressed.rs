//! Compressed inputs of graph commands. The library of graphs decompresses gzip while it reads; the unpacking engine knows the other
//! formats.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use vyre::engine::decompress::{Limits, decompressing_reader, detect_format};
use vyre::graph::file::gzip_content;

/// Number of bytes at the start of a file that show its format.
const HEAD_BYTES: u64 = 4096;

/// Names of the formats of compressed streams that the library does not decompress itself.
const STREAMS: [&str; 6] = ["zstd", "lz4", "xz", "bzip2", "lzip", "lzma"];

/// Reports whether a file is compressed in a format that only the engine knows.
pub(super) fn is_compressed(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(is_stream(&path.to_string_lossy(), &head))
}

/// Content of an input, decompressed unless it is gzip, which the library of graphs decompresses.
pub(super) fn decompressed(name: &str, mut input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut head = Vec::new();
    input.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    let is_stream = is_stream(name, &head);
    let input = Cursor::new(head).chain(input);
    if is_stream { decompressing_reader(name, input, limits()) } else { Ok(Box::new(input)) }
}

/// Content of an input, decompressed whatever the format.
pub(super) fn fully_decompressed(name: &str, input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    gzip_content(decompressed(name, input)?)
}

/// Limits of the content. A graph is one entry, so it can be as large as a whole archive.
fn limits() -> Limits {
    let limits = Limits::default();
    limits.with_entry(limits.total)
}

/// Reports whether a file with this name and these first bytes is such a stream. brotli has no signature.
fn is_stream(name: &str, head: &[u8]) -> bool {
    detect_format(head).map_or(name.to_ascii_lowercase().ends_with(".br"), |format| STREAMS.contains(&format))
}
