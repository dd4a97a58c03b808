//! Cache of directory handles. Each directory is opened relative to the handle of its parent and never through a symbolic link,
//! which excludes races between check and use (TOCTOU).

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder};

use super::path::{as_path, split};
use super::refusal::Refusal;

/// Number of open directories from which the cache is cleared before the next path. One path adds up to
/// [`MAX_DEPTH`](super::path::MAX_DEPTH); the sum stays below the limit of a process: 1024 files on Linux, 256 elsewhere.
const MAX_OPEN: usize = if cfg!(target_os = "linux") { 512 } else { 64 };

/// Reason for which an entry cannot be created.
#[derive(Debug)]
pub(super) enum Obstacle {
    /// The entry is refused; extraction continues.
    Refused(Refusal),
    /// The file system failed; extraction ends.
    Failed(io::Error),
}

impl From<Refusal> for Obstacle {
    fn from(refusal: Refusal) -> Obstacle {
        Obstacle::Refused(refusal)
    }
}

impl From<io::Error> for Obstacle {
    fn from(error: io::Error) -> Obstacle {
        match error.kind() {
            io::ErrorKind::InvalidFilename => Obstacle::Refused(Refusal::NameTooLong),
            // Some file systems do not support all characters.
            io::ErrorKind::InvalidInput => Obstacle::Refused(Refusal::UnsupportedName),
            _ => Obstacle::Failed(error),
        }
    }
}

/// The extraction directory and the directories below it.
pub(super) struct Directories {
    root: Arc<Dir>,
    open: HashMap<Box<[u8]>, Arc<Dir>>,
    /// Paths of the directories that were created. Only these get permissions and times of entries.
    made: HashSet<Box<[u8]>>,
    /// Maximum number of directories that are created.
    max_made: u64,
}

impl Directories {
    /// Opens the extraction directory and creates it if it does not exist. Below it, at most `max_made` directories are created.
    pub(super) fn new(path: &Path, max_made: u64) -> io::Result<Directories> {
        std::fs::create_dir_all(path)?;
        let root = Arc::new(Dir::open_ambient_dir(path, ambient_authority())?);
        Ok(Directories { root, open: HashMap::new(), made: HashSet::new(), max_made })
    }

    /// The extraction directory.
    pub(super) fn root(&self) -> &Dir {
        &self.root
    }

    /// True if [`Directories::close`] must be called before the next path.
    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= MAX_OPEN
    }

    /// Closes all directories except the extraction directory.
    pub(super) fn close(&mut self) {
        self.open.clear();
    }

    /// True if this directory was created by the extraction.
    pub(super) fn is_made(&self, path: &[u8]) -> bool {
        self.made.contains(path)
    }

    /// The directory at this path, if it is open.
    pub(super) fn find_open(&self, path: &[u8]) -> Option<Arc<Dir>> {
        if path.is_empty() { Some(Arc::clone(&self.root)) } else { self.open.get(path).map(Arc::clone) }
    }

    /// Opens the directory at this path without creating it.
    pub(super) fn find(&mut self, path: &[u8]) -> Result<Arc<Dir>, Obstacle> {
        self.open_path(path, None)
    }

    /// Opens the directory at this path and creates missing directories on the path. The last one gets these permissions.
    pub(super) fn make(&mut self, path: &[u8], mode: u32) -> Result<Arc<Dir>, Obstacle> {
        self.open_path(path, Some(mode))
    }

    /// Opens a path from its longest open prefix. A mode creates missing directories.
    fn open_path(&mut self, path: &[u8], mode: Option<u32>) -> Result<Arc<Dir>, Obstacle> {
        let mut end = path.len();
        let mut directory = loop {
            if let Some(directory) = self.find_open(&path[..end]) {
                break directory;
            }
            end = split(&path[..end]).0.len();
        };
        while end < path.len() {
            let start = if end == 0 { 0 } else { end + 1 };
            end = path[start..].iter().position(|&byte| byte == b'/').map_or(path.len(), |length| start + length);
            let mode = mode.map(|mode| if end == path.len() { mode } else { 0o777 });
            let is_allowed = (self.made.len() as u64) < self.max_made;
            let (child, is_new) = open_child(&directory, &path[start..end], mode, is_allowed)?;
            if is_new {
                self.made.try_reserve(1).map_err(io::Error::from)?;
                self.made.insert(path[..end].into());
            }
            directory = Arc::new(child);
            self.open.insert(path[..end].into(), Arc::clone(&directory));
        }
        Ok(directory)
    }
}

/// Opens a child directory. A mode creates it if it does not exist and another directory is allowed. Returns true if it is new.
fn open_child(parent: &Dir, name: &[u8], mode: Option<u32>, is_allowed: bool) -> Result<(Dir, bool), Obstacle> {
    let name = as_path(name);
    let is_new = match (parent.open_dir_nofollow(&name), mode) {
        (Ok(directory), _) => return Ok((directory, false)),
        (Err(error), Some(mode)) if error.kind() == io::ErrorKind::NotFound => {
            if !is_allowed {
                return Err(Refusal::TooManyDirectories.into());
            }
            match parent.create_dir_with(&name, &builder(mode)) {
                Ok(()) => true,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
                Err(error) => return Err(error.into()),
            }
        }
        (Err(error), None) if error.kind() == io::ErrorKind::NotFound => return Err(error.into()),
        (Err(error), _) => return Err(obstacle(parent, &name, error)),
    };
    parent.open_dir_nofollow(&name).map(|directory| (directory, is_new)).map_err(|error| obstacle(parent, &name, error))
}

/// Reason for which a name could not be opened as a directory.
fn obstacle(parent: &Dir, name: &Path, error: io::Error) -> Obstacle {
    match parent.symlink_metadata(name) {
        Ok(found) if found.is_symlink() => Refusal::ThroughLink.into(),
        Ok(found) if !found.is_dir() => Refusal::FileInTheWay.into(),
        _ => error.into(),
    }
}

#[cfg(unix)]
fn builder(mode: u32) -> DirBuilder {
    use cap_std::fs::DirBuilderExt as _;
    let mut builder = DirBuilder::new();
    // The owner needs access until extraction is finished.
    builder.mode(mode & 0o777 | 0o700);
    builder
}

#[cfg(not(unix))]
fn builder(_mode: u32) -> DirBuilder {
    DirBuilder::new()
}
