//! Names of files whose name a later entry of the archive has too.
//!
//! Installers write the later entry over the earlier one. Here the later one gets the name, and the earlier one the suffix
//! `.duplicate`, with a number if that name is taken. A symbolic link keeps its name, because the check of other links may
//! depend on it; then the later file gets the suffix.

use super::directories::Obstacle;
use super::file::{FileId, FileJob};
use super::outcome::ExtractedEntry;
use super::path::{MAX_COMPONENT_BYTES, as_path};
use super::refusal::Refusal;
use super::tree::ExtractTree;

/// Suffix of the names of earlier files.
const SUFFIX: &str = ".duplicate";
/// Maximum number of names that are tried.
const MAX_NAMES: usize = 1000;

impl ExtractTree {
    /// Writes a file whose name belongs to an entry of the same archive.
    pub(super) fn write_duplicate(
        &self,
        job: &FileJob<'_>,
        results: &mut [ExtractedEntry],
    ) -> Result<FileId, Obstacle> {
        let own = as_path(&job.name);
        let found = job.directory.symlink_metadata(&own)?;
        let other = free_name(job)?;
        let path = results[job.entry].path.clone();
        let other_path = path.strip_suffix(&job.name[..]).map(|parent| [parent, &other].concat());
        if !found.is_file() {
            let job = FileJob { name: other, directory: job.directory.clone(), ..*job };
            let id = job.write(&self.policy())?;
            results[job.entry].path = other_path.unwrap_or(path);
            return Ok(id);
        }
        job.directory.rename(&own, &job.directory, as_path(&other))?;
        let id = job.write(&self.policy())?;
        // An earlier entry of the same batch still has the old path.
        if let Some(other_path) = other_path {
            for result in results[..job.entry].iter_mut().filter(|result| result.path == path) {
                result.path.clone_from(&other_path);
            }
        }
        Ok(id)
    }
}

/// A free name for the earlier file.
fn free_name(job: &FileJob<'_>) -> Result<Vec<u8>, Obstacle> {
    for number in 0..MAX_NAMES {
        let suffix = if number == 0 { SUFFIX.to_owned() } else { format!("{SUFFIX}.{number}") };
        let name = [&job.name[..], suffix.as_bytes()].concat();
        if name.len() > MAX_COMPONENT_BYTES {
            return Err(Refusal::NameTooLong.into());
        }
        if job.directory.symlink_metadata(as_path(&name)).is_err() {
            return Ok(name);
        }
    }
    Err(Refusal::DuplicateName.into())
}
