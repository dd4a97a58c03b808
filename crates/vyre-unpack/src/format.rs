//! What bytes are, by what they begin with.

use super::archive::{ArchiveFormat, is_tar_header};
use super::stream::StreamFormat;

/// An archive, or a compressed stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Archive(ArchiveFormat),
    Stream(StreamFormat),
}

impl Format {
    /// What the bytes are, if they are anything known.
    pub(crate) fn detect(bytes: &[u8]) -> Option<Format> {
        // The local header of an entry, the end of an archive without any, or the mark of one that was cut into parts once.
        let is_zip = |start: &[u8]| start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06");
        let is_split_zip = |start: &[u8]| {
            (start.starts_with(b"PK\x07\x08") || start.starts_with(b"PK00")) && start[4..].starts_with(b"PK\x03\x04")
        };
        if is_zip(bytes) || is_split_zip(bytes) {
            return Some(Format::Archive(ArchiveFormat::Zip));
        }
        if let Some(stream) = StreamFormat::detect(bytes) {
            return Some(Format::Stream(stream));
        }
        if ArchiveFormat::is_asar(bytes) {
            return Some(Format::Archive(ArchiveFormat::Asar));
        }
        is_tar_header(bytes).then_some(Format::Archive(ArchiveFormat::Tar))
    }

    /// What the outermost bytes are, which somebody takes for an archive.
    pub(crate) fn detect_outermost(bytes: &[u8]) -> Option<Format> {
        Format::detect(bytes).or_else(|| ArchiveFormat::guess(bytes).map(Format::Archive))
    }

    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Archive(format) => format.name(),
            Format::Stream(format) => format.name(),
        }
    }
}
