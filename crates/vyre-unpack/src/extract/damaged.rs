//! Names of damaged files.
//!
//! A damaged file never gets the name of its entry. It gets the suffix `.damaged`, and a number if that name is taken. If a later
//! entry has that very name, the damaged file is renamed.

use super::directories::Obstacle;
use super::file::FileId;
use super::options::ExtractError;
use super::outcome::ExtractedEntry;
use super::path::{DestinationPath, as_path, folded, split};
use super::refusal::Refusal;
use super::tree::{ExtractTree, Pending};

/// Suffix of the names of damaged files.
const SUFFIX: &[u8] = b".damaged";
/// Maximum number of names that are tried for a damaged file.
const MAX_NAMES: usize = 100;

impl ExtractTree {
    /// A free path for a damaged file.
    pub(super) fn damaged_path(
        &mut self,
        path: DestinationPath,
        pending: &Pending<'_>,
    ) -> Result<DestinationPath, Obstacle> {
        for number in 0..MAX_NAMES {
            let mut suffix = SUFFIX.to_vec();
            if number > 0 {
                suffix.extend_from_slice(format!(".{number}").as_bytes());
            }
            let path = path.clone().with_suffix(&suffix)?;
            let key = folded(&path.path);
            if pending.paths.contains(&key) || pending.reserved.contains(&key) || !self.is_free(&path.path) {
                continue;
            }
            self.damaged.try_reserve(1).map_err(std::io::Error::from)?;
            let own = (path.path != key).then(|| path.path.clone().into_boxed_slice());
            self.damaged.insert(key.into_boxed_slice(), own);
            return Ok(path);
        }
        Err(Refusal::DuplicateName.into())
    }

    /// True if nothing at this path prevents a file.
    fn is_free(&mut self, path: &[u8]) -> bool {
        let (parent, name) = split(path);
        let Ok(directory) = self.directories.find(parent) else { return true };
        match directory.symlink_metadata(as_path(name)) {
            Ok(found) => self.policy().overwrite && !found.is_dir() && !self.created.contains(&FileId::new(&found)),
            Err(_) => true,
        }
    }

    /// Renames a damaged file that occupies the path of an entry.
    pub(super) fn make_room(
        &mut self,
        path: &[u8],
        pending: &mut Pending<'_>,
        results: &mut [ExtractedEntry],
    ) -> Result<(), ExtractError> {
        if self.damaged.is_empty() {
            return Ok(());
        }
        let Some((key, old)) = self.damaged.remove_entry(&folded(path)[..]) else { return Ok(()) };
        let old = old.unwrap_or(key);
        self.write(pending, results)?;
        let own = old.strip_suffix(SUFFIX).unwrap_or(&old).to_vec();
        let Ok(new) = self.damaged_path(DestinationPath { path: own, archive_root: 0 }, pending) else { return Ok(()) };
        let ((parent, old), (_, new)) = (split(&old), split(&new.path));
        if let Ok(directory) = self.directories.find(parent) {
            // If renaming fails, the damaged file keeps its name and the entry is refused.
            let _ = directory.rename(as_path(old), &directory, as_path(new));
        }
        Ok(())
    }
}
