//! The extractor: entries in order, files of a batch in parallel.

use std::collections::HashMap;
use std::path::Path;

use super::attributes::{DirectoryAttributes, set_directory_attributes};
use super::directories::Obstacle;
use super::file::{FileId, FileJob};
use super::integrity::Integrity;
use super::options::{ExtractError, ExtractOptions};
use super::outcome::{EntryOutcome, ExtractTotals, ExtractedEntry, RefusedEntry};
use super::path::{DestinationPath, PathRules, as_path, folded, split};
use super::refusal::Refusal;
use super::tree::{ExtractTree, Pending, Stop};
use crate::entry::{Entry, EntryKind, EntryPath};
use crate::error::DecompressError;
use crate::receiver::Receiver;

/// Writes entries below a directory, and nowhere else.
///
/// As a [`Receiver`] it collects refusals; [`Extractor::extract`] returns the outcome of each entry instead. Both need
/// [`Extractor::finish`] at the end.
pub struct Extractor {
    tree: ExtractTree,
    /// Attributes of created directories, which are set at the end.
    attributes: Vec<DirectoryAttributes>,
    /// Paths of the files of nested archives that were opened, by their names in the archive.
    /// None for a name that several archives have.
    opened: HashMap<Vec<Vec<u8>>, Option<Vec<u8>>>,
    totals: ExtractTotals,
    refused: Vec<RefusedEntry>,
}

impl Extractor {
    /// Creates an extractor for this directory. The directory is created if it does not exist.
    ///
    /// # Errors
    ///
    /// The directory cannot be created or opened.
    pub fn new(directory: &Path, options: ExtractOptions) -> Result<Extractor, ExtractError> {
        Ok(Extractor {
            tree: ExtractTree::new(directory, options)?,
            attributes: Vec::new(),
            opened: HashMap::new(),
            totals: ExtractTotals::default(),
            refused: Vec::new(),
        })
    }

    /// Writes entries and returns the outcome of each. Nested archives that were opened are written too;
    /// [`Extractor::remove_opened`] removes them.
    ///
    /// # Errors
    ///
    /// The file system failed. Files that exist are complete.
    pub fn extract(&mut self, entries: &[Entry]) -> Result<Vec<ExtractedEntry>, ExtractError> {
        let (mut results, mut pending) = (Vec::new(), Pending::default());
        let reserved = results.try_reserve_exact(entries.len()).and_then(|()| pending.jobs.try_reserve(entries.len()));
        reserved.map_err(|error| self.tree.failure(b"", error.into()))?;
        if let Err(error) = self.extract_to(entries, &mut pending, &mut results) {
            let _ = self.tree.write(&mut pending, &mut results);
            // What exists is counted; what could not be written is no entry without bytes.
            for (entry, result) in entries.iter().zip(&results) {
                if result.outcome != EntryOutcome::Nothing {
                    self.totals.count(result.outcome, entry.bytes.len() as u64);
                }
            }
            return Err(error);
        }
        for (entry, result) in entries.iter().zip(&mut results) {
            if matches!(result.outcome, EntryOutcome::Refused(_) | EntryOutcome::Nothing) {
                result.path.clear();
            }
            self.record_opened(entry, result);
            self.totals.count(result.outcome, entry.bytes.len() as u64);
        }
        Ok(results)
    }

    /// Writes entries and adds the outcome of each to `results`.
    fn extract_to<'e>(
        &mut self,
        entries: &'e [Entry],
        pending: &mut Pending<'e>,
        results: &mut Vec<ExtractedEntry>,
    ) -> Result<(), ExtractError> {
        if entries.iter().any(|entry| entry.kind == EntryKind::File && Integrity::of(entry) == Integrity::Damaged) {
            let paths =
                entries.iter().filter_map(|entry| DestinationPath::new(&entry.path.names, PathRules::HERE).ok());
            pending.reserved = paths.map(|path| folded(&path.path)).collect();
        }
        for (position, entry) in entries.iter().enumerate() {
            if self.tree.directories.is_full() {
                self.tree.write(pending, results)?;
                self.tree.directories.close();
            }
            let result = self.create(position, entry, pending, results)?;
            results.push(result);
        }
        self.tree.write(pending, results)
    }

    /// Records the file of a nested archive that was opened. An incomplete entry keeps the file of the archive around it.
    fn record_opened(&mut self, entry: &Entry, result: &ExtractedEntry) {
        let names = &entry.path.names;
        match result.outcome {
            EntryOutcome::Opened => {
                let path = result.path.strip_suffix(b"!").unwrap_or(&result.path);
                // The files of several archives of one name all stay.
                let path = if self.opened.contains_key(names) { None } else { Some(path.to_vec()) };
                self.opened.insert(names.clone(), path);
            }
            EntryOutcome::Refused(_) | EntryOutcome::Nothing | EntryOutcome::Damaged => {
                let around = names.split_last().map_or(&[][..], |(_, around)| around);
                for names in [&names[..], around] {
                    if let Some(path) = self.opened.get_mut(names) {
                        *path = None;
                    }
                }
            }
            EntryOutcome::File | EntryOutcome::Directory | EntryOutcome::Symlink | EntryOutcome::Hardlink => {}
        }
    }

    /// Removes the file of a nested archive whose content was extracted completely. The file is kept if any of its entries was
    /// refused or damaged.
    pub fn remove_opened(&mut self, archive: &EntryPath) {
        let Some(path) = self.opened.get_mut(&archive.names).and_then(Option::take) else { return };
        if self.tree.directories.is_full() {
            self.tree.directories.close();
        }
        let (parent, name) = split(&path);
        let Ok(directory) = self.tree.directories.find(parent) else { return };
        let Ok(found) = directory.symlink_metadata(as_path(name)) else { return };
        let id = FileId::new(&found);
        // A file that cannot be removed is harmless.
        if found.is_file() && self.tree.created.contains(&id) && directory.remove_file(as_path(name)).is_ok() {
            // The system may reuse the inode number, unless the file has other names.
            if FileId::names(&found) == 1 {
                self.tree.created.remove(&id);
            }
        }
    }

    /// Sets permissions and times of the created directories and returns the totals.
    ///
    /// # Errors
    ///
    /// The file system failed.
    pub fn finish(mut self) -> Result<ExtractTotals, ExtractError> {
        for DirectoryAttributes { path, mode, modified } in std::mem::take(&mut self.attributes).into_iter().rev() {
            if self.tree.directories.is_full() {
                self.tree.directories.close();
            }
            let set = self.tree.directories.find(&path).map(|directory| {
                // Not all file systems have permissions and times; the files are complete without them.
                let _ = set_directory_attributes(&directory, mode, modified);
            });
            match set {
                // A refusal means that another process replaced the directory.
                Ok(()) | Err(Obstacle::Refused(_)) => {}
                Err(Obstacle::Failed(source)) => return Err(self.tree.failure(&path, source)),
            }
        }
        Ok(self.totals)
    }

    /// Totals so far.
    #[must_use]
    pub fn totals(&self) -> &ExtractTotals {
        &self.totals
    }

    /// Refusals of entries that came through the [`Receiver`], in the order of the entries.
    #[must_use]
    pub fn refused(&self) -> &[RefusedEntry] {
        &self.refused
    }

    /// Creates an entry. Files are only queued.
    fn create<'e>(
        &mut self,
        position: usize,
        entry: &'e Entry,
        pending: &mut Pending<'e>,
        results: &mut [ExtractedEntry],
    ) -> Result<ExtractedEntry, ExtractError> {
        let destination = match DestinationPath::new(&entry.path.names, PathRules::HERE) {
            Ok(destination) => destination,
            Err(refusal) => return Ok(ExtractedEntry::refused(refusal)),
        };
        let path = destination.path.clone();
        self.tree.make_room(&path, pending, results)?;
        let result = match &entry.kind {
            EntryKind::File if destination.is_archive_root() => Err(Refusal::EmptyName.into()),
            EntryKind::File => self.queue_file(position, entry, destination, pending, results),
            EntryKind::Directory => self.create_directory(entry, &destination, pending, results),
            EntryKind::Symlink { target } => self.tree.create_symlink(entry, destination, target, pending, results),
            EntryKind::Hardlink { target } => self.tree.create_hardlink(entry, destination, target, pending, results),
            EntryKind::Special { .. } => Err(Refusal::SpecialFile.into()),
        };
        match result {
            Ok(result) => Ok(result),
            Err(Stop::Obstacle(Obstacle::Refused(refusal))) => Ok(ExtractedEntry::refused(refusal)),
            Err(Stop::Obstacle(Obstacle::Failed(source))) => Err(self.tree.failure(&path, source)),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    /// Queues a file for writing and creates its directory.
    fn queue_file<'e>(
        &mut self,
        position: usize,
        entry: &'e Entry,
        path: DestinationPath,
        pending: &mut Pending<'e>,
        results: &mut [ExtractedEntry],
    ) -> Result<ExtractedEntry, Stop> {
        let mut opened = None;
        if entry.is_opened && entry.problems.is_empty() {
            opened = self.create_opened_directory(path.clone(), pending, results)?;
        }
        let (path, outcome) = match Integrity::of(entry) {
            Integrity::Whole if opened.is_some() => (path, EntryOutcome::Opened),
            Integrity::Whole => (path, EntryOutcome::File),
            Integrity::Damaged => (self.tree.damaged_path(path, pending)?, EntryOutcome::Damaged),
            Integrity::Missing => return Ok(ExtractedEntry { outcome: EntryOutcome::Nothing, path: Vec::new() }),
        };
        let (parent, name) = path.split();
        let directory = self.tree.directory(parent, 0o777, pending, results)?;
        let key = folded(&path.path);
        if pending.paths.contains(&key) {
            self.tree.write(pending, results)?;
        }
        pending.paths.insert(key);
        let name = name.to_vec();
        let (bytes, mode, modified) = (&entry.bytes[..], entry.mode, entry.modified);
        pending.jobs.push(FileJob { entry: position, directory, name, bytes, mode, modified });
        Ok(ExtractedEntry { outcome, path: opened.unwrap_or(path.path) })
    }

    /// Creates the directory for the entries of a nested archive. If it is refused, only the file of the archive is written.
    fn create_opened_directory(
        &mut self,
        path: DestinationPath,
        pending: &mut Pending<'_>,
        results: &mut [ExtractedEntry],
    ) -> Result<Option<Vec<u8>>, Stop> {
        let Ok(path) = path.with_suffix(b"!") else { return Ok(None) };
        match self.tree.directory(&path.path, 0o777, pending, results) {
            Ok(_) => Ok(Some(path.path)),
            Err(Stop::Obstacle(Obstacle::Refused(_))) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// Creates a directory and records its attributes.
    fn create_directory(
        &mut self,
        entry: &Entry,
        path: &DestinationPath,
        pending: &mut Pending<'_>,
        results: &mut [ExtractedEntry],
    ) -> Result<ExtractedEntry, Stop> {
        let mode = entry.mode.map(|mode| mode & 0o777);
        self.tree.directory(&path.path, mode.unwrap_or(0o777), pending, results)?;
        if self.tree.directories.is_made(&path.path) {
            let (path, modified) = (path.path.clone(), entry.modified);
            self.attributes.try_reserve(1).map_err(std::io::Error::from)?;
            self.attributes.push(DirectoryAttributes { path, mode, modified });
        }
        Ok(ExtractedEntry { outcome: EntryOutcome::Directory, path: path.path.clone() })
    }
}

impl Receiver for Extractor {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        let results = self.extract(&entries)?;
        for (entry, result) in entries.into_iter().zip(results) {
            if let EntryOutcome::Refused(refusal) = result.outcome {
                self.refused.push(RefusedEntry { path: entry.path, offset: entry.offset, refusal });
            }
        }
        Ok(())
    }

    fn closed(&mut self, archive: &EntryPath) {
        self.remove_opened(archive);
    }
}
