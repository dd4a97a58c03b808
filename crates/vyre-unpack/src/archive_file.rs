//! Extraction of an archive file to a directory in one call.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;

use bytes::Bytes;
use vyre_memory::MappedBytes;

use crate::engine::Unpacker;
use crate::entry::{Entry, EntryPath};
use crate::error::DecompressError;
use crate::extract::{EntryOutcome, ExtractOptions, ExtractTotals, Extractor, RefusedEntry};
use crate::input::read_input;
use crate::options::Options;
use crate::problem::Problem;
use crate::receiver::Receiver;
use crate::summary::Summary;

/// Result of [`unpack_file`]. Damage and refusals are part of it, since the rest of the archive was unpacked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "an archive may be damaged; see `is_complete`"]
pub struct Unpacked {
    /// Statistics, and problems of the archives themselves.
    pub summary: Summary,
    /// Numbers of files, directories and links that were created, and of entries that were not.
    pub totals: ExtractTotals,
    /// Entries with problems, at most [`Unpacked::MAX_LISTED`]. [`Summary::damaged`] counts all of them.
    pub damaged: Vec<DamagedEntry>,
    /// Entries that were refused because they are unsafe, at most [`Unpacked::MAX_LISTED`]. [`ExtractTotals::refused`]
    /// counts all of them.
    pub refused: Vec<RefusedEntry>,
}

/// An entry with problems.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DamagedEntry {
    /// Path of the entry in the archive.
    pub path: EntryPath,
    /// Its problems.
    pub problems: Vec<Problem>,
    /// Path below the directory of the file that holds the decodable bytes, with `/` between names; `None` if there is no
    /// file.
    pub written_to: Option<Vec<u8>>,
}

impl Unpacked {
    /// Maximum number of entries in each list.
    pub const MAX_LISTED: usize = 1_000;

    /// True if every entry was unpacked: nothing is damaged and nothing was refused.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.summary.is_clean() && self.totals.refused == 0 && self.totals.nothing == 0
    }
}

/// Prints the totals in one line, and a line for each listed problem.
impl fmt::Display for Unpacked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unpacked { summary, totals, damaged, refused } = self;
        write!(f, "files: {}, bytes: {}", totals.files, totals.bytes)?;
        write!(f, ", damaged: {}, refused: {}", summary.damaged, totals.refused)?;
        write!(f, ", problems of archives: {}", summary.problem_count)?;
        for entry in damaged {
            for problem in &entry.problems {
                write!(f, "\n{}: {problem}", entry.path.display().escape_debug())?;
            }
        }
        for entry in refused {
            write!(f, "\n{}: refused: {}", entry.path.display().escape_debug(), entry.refusal)?;
        }
        for problem in &summary.problems {
            let path = problem.path.display();
            write!(f, "\n{} archive {}: {}", problem.format, path.escape_debug(), problem.problem)?;
        }
        Ok(())
    }
}

/// Unpacks an archive file, and the archives nested in it, below a directory, which is created if it does not exist. The
/// host decodes, on all cores.
///
/// Nothing outside of the directory is touched, whatever the archive says. Damaged and unsafe entries do not end the call:
/// all others are written, and the result lists them.
///
/// # Errors
///
/// The file cannot be read, the format is unknown, the archive cannot be read at all, a limit on the whole is exhausted, or
/// a file cannot be written. Files that exist then are complete.
pub fn unpack_file(
    archive: &Path,
    directory: &Path,
    options: Options,
    extract_options: ExtractOptions,
) -> Result<Unpacked, DecompressError> {
    let bytes = read(archive).map_err(|source| DecompressError::Read { path: archive.to_owned(), source })?;
    let name = archive.file_name().unwrap_or_default().as_encoded_bytes();
    let mut collector = Collector { directory, extract_options, extractor: None, unpacked: Unpacked::default() };
    let options = options.with_files_beside(archive);
    let outcome = Unpacker::on_host(options).unpack(name, bytes, &mut collector);
    let Collector { extractor, mut unpacked, .. } = collector;
    match (outcome, extractor) {
        (Ok(summary), extractor) => {
            // An archive without entries yields an empty directory.
            let extractor = extractor.map_or_else(|| Extractor::new(directory, extract_options), Ok)?;
            unpacked.summary = summary;
            unpacked.totals = extractor.finish()?;
            Ok(unpacked)
        }
        (Err(error), extractor) => {
            // The error that ended the call matters more than one of the attributes of directories.
            let _ = extractor.map(Extractor::finish);
            Err(error)
        }
    }
}

/// Maps a regular file into memory, and reads any other input.
fn read(path: &Path) -> io::Result<Bytes> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if metadata.is_file() {
        return Ok(Bytes::from_owner(MappedBytes::new(&file)?));
    }
    Ok(read_input(&file, u64::MAX)?.unwrap_or_default())
}

/// Receiver that extracts entries and lists those with problems. It creates the directory with the first entry.
struct Collector<'d> {
    directory: &'d Path,
    extract_options: ExtractOptions,
    extractor: Option<Extractor>,
    unpacked: Unpacked,
}

impl Receiver for Collector<'_> {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        let extractor = match &mut self.extractor {
            Some(extractor) => extractor,
            none => none.insert(Extractor::new(self.directory, self.extract_options)?),
        };
        let extracted = extractor.extract(&entries)?;
        let Unpacked { damaged, refused, .. } = &mut self.unpacked;
        for (entry, extracted) in entries.into_iter().zip(extracted) {
            if let EntryOutcome::Refused(refusal) = extracted.outcome
                && refused.len() < Unpacked::MAX_LISTED
            {
                refused.push(RefusedEntry { path: entry.path.clone(), offset: entry.offset, refusal });
            }
            if !entry.problems.is_empty() && damaged.len() < Unpacked::MAX_LISTED {
                let written_to = Some(extracted.path).filter(|path| !path.is_empty());
                damaged.push(DamagedEntry { path: entry.path, problems: entry.problems, written_to });
            }
        }
        Ok(())
    }

    fn closed(&mut self, archive: &EntryPath) {
        if let Some(extractor) = &mut self.extractor {
            extractor.remove_opened(archive);
        }
    }
}
