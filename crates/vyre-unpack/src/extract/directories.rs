//! Directories that are open, each reached from its parent and never through a link.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder};

use super::name::{as_path, split};
use super::refusal::Refusal;

/// How many directories stay open. A path can add [`DEEPEST`](super::name::DEEPEST) to them before it is looked at again,
/// which together is less than what systems let a process open: 1024 files on Linux, 256 on others.
const MOST_OPEN: usize = if cfg!(target_os = "linux") { 512 } else { 64 };

/// Why an entry has no place.
#[derive(Debug)]
pub(super) enum Obstacle {
    /// It is refused, which is no failure.
    Refused(Refusal),
    /// The file system failed.
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
            // Some file systems have not all characters.
            io::ErrorKind::InvalidInput => Obstacle::Refused(Refusal::UnsupportedName),
            _ => Obstacle::Failed(error),
        }
    }
}

/// The directory that is extracted to, and those below it.
pub(super) struct Directories {
    root: Arc<Dir>,
    open: HashMap<Box<[u8]>, Arc<Dir>>,
    /// Those that were made, so that their permissions and times are the archive's.
    made: HashSet<Box<[u8]>>,
    /// How many may be made.
    most: u64,
}

impl Directories {
    /// Opens the directory, which is made if it is not there. Below it at most so many are made.
    pub(super) fn new(path: &Path, most: u64) -> io::Result<Directories> {
        std::fs::create_dir_all(path)?;
        let root = Arc::new(Dir::open_ambient_dir(path, ambient_authority())?);
        Ok(Directories { root, open: HashMap::new(), made: HashSet::new(), most })
    }

    /// The directory that is extracted to.
    pub(super) fn root(&self) -> &Dir {
        &self.root
    }

    /// Whether so many are open that they should be closed before the next path.
    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= MOST_OPEN
    }

    /// Closes all but the outermost.
    pub(super) fn close(&mut self) {
        self.open.clear();
    }

    /// Whether this directory was made here.
    pub(super) fn is_made(&self, path: &[u8]) -> bool {
        self.made.contains(path)
    }

    /// The directory with this path if it is open.
    pub(super) fn find_open(&self, path: &[u8]) -> Option<Arc<Dir>> {
        if path.is_empty() { Some(Arc::clone(&self.root)) } else { self.open.get(path).map(Arc::clone) }
    }

    /// Opens the directory with this path, without making one.
    pub(super) fn find(&mut self, path: &[u8]) -> Result<Arc<Dir>, Obstacle> {
        self.reach(path, None)
    }

    /// Opens the directory with this path. It, with these permissions, and those above it are made where they are not there.
    pub(super) fn make(&mut self, path: &[u8], mode: u32) -> Result<Arc<Dir>, Obstacle> {
        self.reach(path, Some(mode))
    }

    fn reach(&mut self, path: &[u8], mode: Option<u32>) -> Result<Arc<Dir>, Obstacle> {
        let mut end = path.len();
        let mut directory = loop {
            if let Some(directory) = self.find_open(&path[..end]) {
                break directory;
            }
            end = split(&path[..end]).0.len();
        };
        while end < path.len() {
            let begin = if end == 0 { 0 } else { end + 1 };
            end = path[begin..].iter().position(|&byte| byte == b'/').map_or(path.len(), |length| begin + length);
            let mode = mode.map(|mode| if end == path.len() { mode } else { 0o777 });
            let is_allowed = (self.made.len() as u64) < self.most;
            let (child, is_new) = enter(&directory, &path[begin..end], mode, is_allowed)?;
            if is_new {
                self.made.insert(path[..end].into());
            }
            directory = Arc::new(child);
            self.open.insert(path[..end].into(), Arc::clone(&directory));
        }
        Ok(directory)
    }
}

/// Opens a directory in another, and makes it if permissions are given and it is not there, where that is allowed. Tells
/// whether it is new.
fn enter(parent: &Dir, name: &[u8], mode: Option<u32>, is_allowed: bool) -> Result<(Dir, bool), Obstacle> {
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

/// Why something could not be opened as a directory.
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
    // Until all is written, the owner must get in.
    builder.mode(mode & 0o777 | 0o700);
    builder
}

#[cfg(not(unix))]
fn builder(_mode: u32) -> DirBuilder {
    DirBuilder::new()
}
