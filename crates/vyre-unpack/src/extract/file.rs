//! Exclusive creation of files, and atomic replacement by renaming.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_fs_ext::{DirExt as _, FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use super::attributes::system_time;
use super::directories::Obstacle;
use super::path::as_path;
use super::refusal::Refusal;

/// Identity of a file, whatever its name: device and inode number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(super) fn new(metadata: &Metadata) -> FileId {
        FileId { device: metadata.dev(), inode: metadata.ino() }
    }

    /// Number of names (hard links) of the file.
    pub(super) fn names(metadata: &Metadata) -> u64 {
        metadata.nlink()
    }
}

/// Rules for names that are taken.
pub(super) struct CreationPolicy<'m> {
    /// Files created for entries of the archive. They are never replaced.
    pub(super) created: &'m HashSet<FileId>,
    /// True if other files may be replaced.
    pub(super) overwrite: bool,
}

impl CreationPolicy<'_> {
    /// Creates a file or link completely or not at all. If the name belongs to a file that may be replaced, the new one is
    /// created under a temporary name and renamed. The old file is never written to: it may be a link or have other names.
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
                if self.created.contains(&FileId::new(&found)) {
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

/// Creates a file or link under a temporary name and renames it over an existing file.
fn replace<T>(directory: &Dir, name: &Path, mut create: impl FnMut(&Path) -> io::Result<T>) -> io::Result<T> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = PathBuf::from(format!(".vyre-{}-{number}", std::process::id()));
        match create(&temporary) {
            // A leftover of an earlier process.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(created) => {
                return directory.rename(&temporary, directory, name).map(|()| created).inspect_err(|_| {
                    // The error of the rename is the one to report.
                    let _ = directory.remove_file_or_symlink(&temporary);
                });
            }
        }
    }
}

/// A file to write.
pub(super) struct FileJob<'e> {
    /// Index of the entry.
    pub(super) entry: usize,
    /// Its directory.
    pub(super) directory: Arc<Dir>,
    /// Its name in the directory.
    pub(super) name: Vec<u8>,
    /// Its bytes.
    pub(super) bytes: &'e [u8],
    /// Its permission bits.
    pub(super) mode: Option<u32>,
    /// Modification time in seconds since 1970.
    pub(super) modified: Option<i64>,
}

impl FileJob<'_> {
    /// Writes the file. After a failure no file exists.
    pub(super) fn write(&self, policy: &CreationPolicy<'_>) -> Result<FileId, Obstacle> {
        let options = options(self.mode);
        policy.create(&self.directory, &self.name, |name| {
            let file = self.directory.open_with(name, &options)?;
            self.fill(file).inspect_err(|_| {
                // An incomplete file must not keep the name.
                let _ = self.directory.remove_file(name);
            })
        })
    }

    fn fill(&self, mut file: File) -> io::Result<FileId> {
        // In pieces: signals are delivered between system calls.
        self.bytes.chunks(WRITE_BYTES).try_for_each(|piece| file.write_all(piece))?;
        let id = FileId::new(&file.metadata()?);
        if let Some(time) = self.modified.and_then(system_time) {
            // Not all file systems can store the time.
            let _ = file.into_std().set_modified(time);
        }
        Ok(id)
    }
}

/// Maximum number of bytes of a system call that writes.
const WRITE_BYTES: usize = 1 << 20;

/// Options for new files: exclusive creation, without following links.
#[cfg_attr(not(unix), expect(unused_variables, reason = "the system has no permission bits"))]
fn options(mode: Option<u32>) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        // The owner can always read; the umask applies.
        options.mode(mode.map_or(0o666, |mode| mode & 0o777 | 0o400));
    }
    options
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Replaces a file by `new` and returns the files of the directory.
    fn replaced(new: &[u8], end: io::Result<()>) -> (bool, Vec<(String, Vec<u8>)>) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("file"), b"old").expect("written");
        let directory = Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).expect("the folder exists");
        let policy = CreationPolicy { created: &HashSet::new(), overwrite: true };
        let mut end = Some(end);
        let created = policy.create(&directory, b"file", |name| {
            directory.open_with(name, &options(None))?.write_all(new)?;
            end.take().expect("is created once").inspect_err(|_| directory.remove_file(name).expect("the file exists"))
        });
        let mut files = Vec::new();
        for file in fs::read_dir(folder.path()).expect("the folder exists") {
            let file = file.expect("it can be read");
            files.push((file.file_name().into_string().expect("a name"), fs::read(file.path()).expect("its bytes")));
        }
        (created.is_ok(), files)
    }

    #[test]
    fn replacement_is_atomic() {
        assert_eq!(replaced(b"new", Ok(())), (true, vec![("file".to_owned(), b"new".to_vec())]));
        let full = Err(io::ErrorKind::StorageFull.into());
        assert_eq!(replaced(b"ne", full), (false, vec![("file".to_owned(), b"old".to_vec())]));
    }
}
