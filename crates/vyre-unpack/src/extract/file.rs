//! Writing files that were not there before.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use cap_fs_ext::{DirExt as _, FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use super::directories::Obstacle;
use super::name::as_path;
use super::refusal::Refusal;

/// What tells a file from all others, whatever name it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileId {
    device: u64,
    number: u64,
}

impl FileId {
    pub(super) fn new(metadata: &Metadata) -> FileId {
        FileId { device: metadata.dev(), number: metadata.ino() }
    }

    /// How many names the file has.
    pub(super) fn names(metadata: &Metadata) -> u64 {
        metadata.nlink()
    }
}

/// What is known about the files that are there.
pub(super) struct Existing<'m> {
    /// Those that entries of the archive became.
    pub(super) made: &'m HashSet<FileId>,
    /// Whether others may be replaced.
    pub(super) overwrite: bool,
}

impl Existing<'_> {
    /// Makes something with a name, whole or not at all. Where the name is taken by a file that may be replaced, it is made
    /// beside that and then takes its place; the file is never written to, since it may be a link or have other names.
    pub(super) fn create<T>(
        &self,
        directory: &Dir,
        name: &[u8],
        mut create: impl FnMut(&Path) -> io::Result<T>,
    ) -> Result<T, Obstacle> {
        let name = as_path(name);
        match create(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let found = directory.symlink_metadata(&name)?;
                if found.is_dir() {
                    return Err(Refusal::DirectoryInTheWay.into());
                }
                if self.made.contains(&FileId::new(&found)) {
                    return Err(Refusal::DuplicateName.into());
                }
                if !self.overwrite {
                    return Err(Refusal::AlreadyExists.into());
                }
                Ok(replace(directory, &name, create)?)
            }
            result => Ok(result?),
        }
    }
}

/// Makes something under a name that nobody has, and then gives it the name of what it replaces.
fn replace<T>(directory: &Dir, name: &Path, mut create: impl FnMut(&Path) -> io::Result<T>) -> io::Result<T> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let beside = PathBuf::from(format!(".vyre-{}-{number}", std::process::id()));
        match create(&beside) {
            // An earlier process has left it.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(made) => {
                return directory.rename(&beside, directory, name).map(|()| made).inspect_err(|_| {
                    // What matters is that it was not renamed.
                    let _ = directory.remove_file_or_symlink(&beside);
                });
            }
        }
    }
}

/// A file to write.
pub(super) struct FileJob<'e> {
    /// Which entry it is.
    pub(super) entry: usize,
    /// The directory that it is in.
    pub(super) directory: Arc<Dir>,
    /// Its name there.
    pub(super) name: Vec<u8>,
    /// All its bytes.
    pub(super) bytes: &'e [u8],
    /// Its permissions.
    pub(super) mode: Option<u32>,
    /// When it was changed, in seconds since 1970.
    pub(super) modified: Option<i64>,
}

impl FileJob<'_> {
    /// Writes the file. Where that fails, there is none.
    pub(super) fn write(&self, existing: &Existing<'_>) -> Result<FileId, Obstacle> {
        let options = options(self.mode);
        existing.create(&self.directory, &self.name, |name| {
            let file = self.directory.open_with(name, &options)?;
            self.fill(file).inspect_err(|_| {
                // What is there of it is nothing that anybody should take for the file.
                let _ = self.directory.remove_file(name);
            })
        })
    }

    fn fill(&self, mut file: File) -> io::Result<FileId> {
        file.write_all(self.bytes)?;
        let id = FileId::new(&file.metadata()?);
        if let Some(time) = self.modified.and_then(system_time) {
            // Not all file systems have all times; the bytes matter more.
            let _ = file.into_std().set_modified(time);
        }
        Ok(id)
    }
}

/// How new files are opened: they must not be there, and no link is followed.
#[cfg_attr(not(unix), expect(unused_variables, reason = "there are no permissions to give"))]
fn options(mode: Option<u32>) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        // The owner can always read; nobody gets more than the umask lets.
        options.mode(mode.map_or(0o666, |mode| mode & 0o777 | 0o400));
    }
    options
}

/// A time of an archive, if this system has it.
pub(super) fn system_time(seconds: i64) -> Option<SystemTime> {
    let distance = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Writes `new` with the name of a file that is there, and gives what is in the directory then.
    fn replaced(new: &[u8], end: io::Result<()>) -> (bool, Vec<(String, Vec<u8>)>) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("file"), b"old").expect("written");
        let directory = Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).expect("it is there");
        let existing = Existing { made: &HashSet::new(), overwrite: true };
        let mut end = Some(end);
        let made = existing.create(&directory, b"file", |name| {
            directory.open_with(name, &options(None))?.write_all(new)?;
            end.take().expect("is made once").inspect_err(|_| directory.remove_file(name).expect("it is there"))
        });
        let mut files = Vec::new();
        for file in fs::read_dir(folder.path()).expect("it is there") {
            let file = file.expect("it can be read");
            files.push((file.file_name().into_string().expect("a name"), fs::read(file.path()).expect("its bytes")));
        }
        (made.is_ok(), files)
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        assert_eq!(replaced(b"new", Ok(())), (true, vec![("file".to_owned(), b"new".to_vec())]));
        let full = Err(io::ErrorKind::StorageFull.into());
        assert_eq!(replaced(b"ne", full), (false, vec![("file".to_owned(), b"old".to_vec())]));
    }
}
