//! The tree below the extraction directory: open directories, created files, and files that wait to be written.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;
use rayon::prelude::*;

use super::directories::{Directories, Obstacle};
use super::file::{CreationPolicy, FileId, FileJob};
use super::options::{ExtractError, ExtractOptions};
use super::outcome::{EntryOutcome, ExtractedEntry};
use super::path::{as_path, folded};
use super::refusal::Refusal;

/// The tree below the extraction directory.
pub(super) struct ExtractTree {
    path: PathBuf,
    options: ExtractOptions,
    pub(super) directories: Directories,
    /// Files and symbolic links created for entries.
    pub(super) created: HashSet<FileId>,
    /// Paths of files with the name of a damaged file, by folded path; none if the path is folded. They make room for entries of
    /// that name.
    pub(super) damaged: HashMap<Box<[u8]>, Option<Box<[u8]>>>,
}

/// Files of a batch that are yet to be written.
#[derive(Default)]
pub(super) struct Pending<'e> {
    pub(super) jobs: Vec<FileJob<'e>>,
    /// Their folded paths.
    pub(super) paths: HashSet<Vec<u8>>,
    /// Folded paths of all entries of the batch; filled only if an entry is damaged.
    pub(super) reserved: HashSet<Vec<u8>>,
}

/// Reason for which an entry was not created.
pub(super) enum Stop {
    /// An obstacle to this entry.
    Obstacle(Obstacle),
    /// A failure to write earlier files.
    Error(ExtractError),
}

impl From<Obstacle> for Stop {
    fn from(obstacle: Obstacle) -> Stop {
        Stop::Obstacle(obstacle)
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Obstacle(refusal.into())
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Obstacle(error.into())
    }
}

impl From<ExtractError> for Stop {
    fn from(error: ExtractError) -> Stop {
        Stop::Error(error)
    }
}

impl ExtractTree {
    /// Opens the extraction directory and creates it if it does not exist.
    pub(super) fn new(directory: &Path, options: ExtractOptions) -> Result<ExtractTree, ExtractError> {
        let directories = Directories::new(directory, options.max_directories)
            .map_err(|source| ExtractError { path: directory.to_path_buf(), source })?;
        Ok(ExtractTree {
            path: directory.to_path_buf(),
            options,
            directories,
            created: HashSet::new(),
            damaged: HashMap::new(),
        })
    }

    /// Rules for files that exist already.
    pub(super) fn policy(&self) -> CreationPolicy<'_> {
        CreationPolicy { created: &self.created, overwrite: self.options.overwrite }
    }

    /// Opens the directory at this path and creates it if it does not exist. Pending files are written first if one of them may
    /// have the name of a directory on the path.
    pub(super) fn directory(
        &mut self,
        path: &[u8],
        mode: u32,
        pending: &mut Pending<'_>,
        results: &mut [ExtractedEntry],
    ) -> Result<Arc<Dir>, Stop> {
        if let Some(directory) = self.directories.find_open(path) {
            return Ok(directory);
        }
        if !pending.jobs.is_empty() {
            let key = folded(path);
            let mut ends = key.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
            if pending.paths.contains(&key) || ends.any(|end| pending.paths.contains(&key[..end])) {
                self.write(pending, results)?;
            }
        }
        Ok(self.directories.make(path, mode)?)
    }

    /// Writes the pending files in parallel and records refusals in order.
    pub(super) fn write(
        &mut self,
        pending: &mut Pending<'_>,
        results: &mut [ExtractedEntry],
    ) -> Result<(), ExtractError> {
        let Pending { jobs, paths, .. } = pending;
        paths.clear();
        if jobs.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.created.try_reserve(jobs.len()) {
            let path = jobs.first().map(|job| results[job.entry].path.clone()).unwrap_or_default();
            for job in jobs.drain(..) {
                results[job.entry] = ExtractedEntry { outcome: EntryOutcome::Nothing, path: Vec::new() };
            }
            return Err(self.failure(&path, error.into()));
        }
        let policy = self.policy();
        let written: Vec<_> = match &jobs[..] {
            [job] => vec![job.write(&policy)],
            jobs => jobs.par_iter().with_min_len(4).map(|job| job.write(&policy)).collect(),
        };
        let mut failure = None;
        for (job, mut written) in jobs.drain(..).zip(written) {
            if matches!(written, Err(Obstacle::Refused(Refusal::DuplicateName))) {
                written = self.write_duplicate(&job, results);
            }
            match written {
                Ok(id) => {
                    self.created.insert(id);
                }
                Err(Obstacle::Refused(refusal)) => results[job.entry] = ExtractedEntry::refused(refusal),
                Err(Obstacle::Failed(source)) => {
                    failure.get_or_insert_with(|| (results[job.entry].path.clone(), source));
                    results[job.entry] = ExtractedEntry { outcome: EntryOutcome::Nothing, path: Vec::new() };
                }
            }
        }
        match failure {
            Some((path, source)) => Err(self.failure(&path, source)),
            None => Ok(()),
        }
    }

    /// The error for a failure at a path of the tree.
    pub(super) fn failure(&self, path: &[u8], source: io::Error) -> ExtractError {
        ExtractError { path: self.path.join(as_path(path)), source }
    }
}
