//! Creation of symbolic links and hard links.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;

use super::attributes::set_link_time;
use super::directories::Obstacle;
use super::file::FileId;
use super::outcome::{EntryOutcome, ExtractedEntry};
use super::path::{DestinationPath, PathRules, as_path};
use super::refusal::Refusal;
use super::symlink;
use super::tree::{ExtractTree, Pending, Stop};
use crate::entry::Entry;

impl ExtractTree {
    /// Creates a symbolic link that stays in the tree.
    pub(super) fn create_symlink(
        &mut self,
        entry: &Entry,
        path: DestinationPath,
        target: &[u8],
        pending: &mut Pending<'_>,
        results: &mut [ExtractedEntry],
    ) -> Result<ExtractedEntry, Stop> {
        if path.is_archive_root() {
            return Err(Refusal::EmptyName.into());
        }
        if !entry.problems.is_empty() {
            // A damaged target must not be used.
            return Ok(ExtractedEntry { outcome: EntryOutcome::Nothing, path: Vec::new() });
        }
        self.write(pending, results)?;
        let (parent, name) = path.split();
        let directory = self.directory(parent, 0o777, pending, results)?;
        symlink::check(self.directories.root(), &self.created, &path, target)?;
        let create = |name: &Path| symlink_contents(&directory, target, name);
        self.policy().create(&directory, name, create).map_err(refuse_unsupported)?;
        let found = directory.symlink_metadata(as_path(name))?;
        self.created.insert(FileId::new(&found));
        set_link_time(&directory, name, entry.modified);
        Ok(ExtractedEntry { outcome: EntryOutcome::Symlink, path: path.path })
    }

    /// Creates a hard link to a file that was extracted from the same archive.
    pub(super) fn create_hardlink(
        &mut self,
        entry: &Entry,
        path: DestinationPath,
        target: &[u8],
        pending: &mut Pending<'_>,
        results: &mut [ExtractedEntry],
    ) -> Result<ExtractedEntry, Stop> {
        if path.is_archive_root() {
            return Err(Refusal::EmptyName.into());
        }
        self.write(pending, results)?;
        // The target is the name of an entry of the same archive, so its destination path is that of the entry.
        let around = entry.path.names.split_last().map_or(&[][..], |(_, around)| around);
        let names: Vec<Vec<u8>> = around.iter().cloned().chain([target.to_vec()]).collect();
        let source = DestinationPath::new(&names, PathRules::HERE).map_err(|_| Refusal::HardlinkTarget)?;
        if source.is_archive_root() {
            return Err(Refusal::HardlinkTarget.into());
        }
        let (source_parent, source_name) = source.split();
        let found = self.directories.find(source_parent).and_then(|directory| {
            let found = directory.symlink_metadata(as_path(source_name))?;
            Ok((directory, found))
        });
        let (source_directory, found) = match found {
            Ok(found) => found,
            Err(Obstacle::Failed(error)) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            Err(_) => return Err(Refusal::HardlinkTarget.into()),
        };
        // A symbolic link resolves differently in another directory, so it must not get a second name.
        if !found.is_file() || !self.created.contains(&FileId::new(&found)) {
            return Err(Refusal::HardlinkTarget.into());
        }
        let (parent, name) = path.split();
        let directory = self.directory(parent, 0o777, pending, results)?;
        let source_name = as_path(source_name);
        let create = |name: &Path| source_directory.hard_link(&source_name, &directory, name);
        self.policy().create(&directory, name, create).map_err(refuse_unsupported)?;
        Ok(ExtractedEntry { outcome: EntryOutcome::Hardlink, path: path.path })
    }
}

/// Turns the error of a file system without links into a refusal.
fn refuse_unsupported(obstacle: Obstacle) -> Obstacle {
    match obstacle {
        Obstacle::Failed(error)
            if matches!(
                error.kind(),
                io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied | io::ErrorKind::TooManyLinks
            ) =>
        {
            Obstacle::Refused(Refusal::UnsupportedLink)
        }
        other => other,
    }
}

#[cfg(unix)]
fn symlink_contents(directory: &Dir, target: &[u8], name: &Path) -> io::Result<()> {
    directory.symlink_contents(as_path(target), name)
}

#[cfg(not(unix))]
fn symlink_contents(_: &Dir, _: &[u8], _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
