//! Table of container formats.
//!
//! A format is one file or directory here with a static `FORMAT`, one line in the table, and a fuzz target of its name with a
//! corpus. Detection, decoding, file name suffixes and messages follow from the table.

mod codec;
mod deflate64;
mod foreign;
mod ppmd;
#[cfg(test)]
mod tests;

pub(crate) use asar::{names_beside, omit_beside, read_beside};
pub(crate) use brotli::is_named as is_named_brotli;
pub(crate) use foreign::foreign_format;

/// Bytes at the start of a file in which archives behind other bytes are searched. Zip archives are found by the end of the file.
pub(crate) const HIDDEN_START_BYTES: usize = sevenz::SEARCHED_BYTES;

use crate::archive::{ArchiveFormat, report_names};
use crate::device_image::DeviceImage;
use crate::error::DecompressError;
use crate::limits::Budget;
use crate::problem::Problem;
use crate::stream::StreamFormat;
use crate::work::Container;

/// Declares the module of each format and the table of all formats.
macro_rules! formats {
    ($($kind:ident $module:ident,)*) => {
        $(mod $module;)*

        /// All container formats.
        static FORMATS: &[Format] = &[$(Format::$kind(&$module::FORMAT)),*];
    };
}

formats! {
    Archive zip,
    Archive tar,
    Stream gzip,
    Stream zstd,
    Stream lz4,
    Stream xz,
    Stream bzip2,
    Archive asar,
    Archive ar,
    Archive cpio,
    Stream lzip,
    Stream lzma,
    Archive sevenz,
    Archive rpm,
    Archive cab,
    Archive squashfs,
    Archive iso,
    Archive cfb,
    Stream brotli,
}

/// A container format.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    Archive(&'static ArchiveFormat),
    Stream(&'static StreamFormat),
}

impl Format {
    /// The format of these bytes by their signature.
    ///
    /// Signatures of different formats exclude each other, except those that are only a checksum over a header (tar). These
    /// come after the others, and archives behind other bytes come last.
    pub(crate) fn detect(bytes: &[u8]) -> Option<Format> {
        let matches = |format: &&Format| match format {
            Format::Archive(format) => (format.detect)(bytes),
            Format::Stream(format) => (format.detect)(bytes),
        };
        let find = |is_weak| FORMATS.iter().find(|format| format.is_weak() == is_weak && matches(format));
        let is_hidden = |format: &&Format| match format {
            Format::Archive(format) => (format.detect_hidden)(bytes),
            Format::Stream(_) => false,
        };
        find(false).or_else(|| find(true)).or_else(|| FORMATS.iter().find(is_hidden)).copied()
    }

    /// The format of a nested file. brotli has no signature and is recognised by the name.
    pub(crate) fn detect_named(name: &[u8], bytes: &[u8]) -> Option<Format> {
        Format::detect(bytes).or_else(|| Format::detect_brotli(name, bytes, true))
    }

    /// The format brotli, if the name says so and the bytes may be such a stream.
    fn detect_brotli(name: &[u8], bytes: &[u8], is_nested: bool) -> Option<Format> {
        let is_brotli = brotli::is_named(name) && foreign_format(bytes).is_none() && brotli::starts(bytes, is_nested);
        is_brotli.then_some(Format::Stream(&brotli::FORMAT))
    }

    /// The format of the outermost bytes. A damaged or prefixed archive is recognised too: the caller states that there is one.
    pub(crate) fn detect_outermost(name: &[u8], bytes: &[u8]) -> Option<Format> {
        let matches = |format: &&Format| match format {
            Format::Archive(format) => (format.detect_damaged)(bytes),
            Format::Stream(_) => false,
        };
        let known = Format::detect(bytes).or_else(|| FORMATS.iter().find(matches).copied());
        known.or_else(|| Format::detect_brotli(name, bytes, false))
    }

    /// True if the signature is a checksum, which other bytes may match by chance.
    fn is_weak(self) -> bool {
        match self {
            Format::Archive(format) => format.has_weak_signature,
            Format::Stream(_) => false,
        }
    }

    /// Name of the format in reports: `zip`, `lz4`, ...
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Archive(format) => format.name,
            Format::Stream(format) => format.name,
        }
    }

    /// Name of the format in prose: `zip`, `LZ4`, ...
    fn title(self) -> &'static str {
        match self {
            Format::Archive(format) => format.title,
            Format::Stream(format) => format.title,
        }
    }

    /// Opens bytes of this format. Archives are listed; nothing is decoded.
    ///
    /// # Errors
    ///
    /// The problem that prevents the archive from being listed at all.
    pub(crate) fn open(self, bytes: &[u8], budget: &Budget) -> Result<Container, Problem> {
        match self {
            Format::Archive(format) => {
                let mut listing = (format.list)(bytes, budget)?;
                let refused = listing.refused.map_or(Ok(()), Err).and_then(|()| report_names(&mut listing));
                refused.map_err(|refused| Problem::new(0, refused.into()))?;
                Ok(Container::Archive(format, Box::new(listing)))
            }
            Format::Stream(format) => Ok(Container::Stream(format)),
        }
    }
}

/// Reads what the list of an archive on a device depends on, if the format allows it and nothing about the archive is unusual. Returns false
/// if it may depend on any of its bytes.
///
/// # Errors
///
/// The device fails.
pub(crate) fn read_headers(format: &ArchiveFormat, image: &mut DeviceImage<'_>) -> Result<bool, DecompressError> {
    match format.name {
        "zip" => zip::read_headers(image),
        "tar" => tar::read_headers(image),
        _ => Ok(false),
    }
}

/// Names of all container formats.
pub fn format_names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.name())
}

/// Name of the container format of these bytes, by their signature.
#[must_use]
pub fn detect_format(bytes: &[u8]) -> Option<&'static str> {
    Format::detect(bytes).map(Format::name)
}

/// Titles of all formats as an enumeration: `zip, tar, ... or ASAR`.
pub(crate) fn enumerate_titles() -> String {
    let titles: Vec<&str> = FORMATS.iter().map(|format| format.title()).collect();
    match titles.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => titles.concat(),
    }
}

/// Suffixes of file names of compressed streams, each with its replacement for the content.
pub(crate) fn stream_suffixes() -> impl Iterator<Item = (&'static [u8], &'static [u8])> {
    let streams = FORMATS.iter().filter_map(|format| match format {
        Format::Stream(format) => Some(format.suffixes),
        Format::Archive(_) => None,
    });
    streams.flatten().copied()
}
