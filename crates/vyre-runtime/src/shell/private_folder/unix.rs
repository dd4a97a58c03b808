//! An open folder of Unix. Its files are opened relative to it.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, open, openat, renameat, unlinkat};

/// An open folder.
#[derive(Debug)]
pub(super) struct Handle(File);

impl Handle {
    pub(super) fn open(folder: &Path) -> io::Result<Handle> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Handle(open(folder, flags, Mode::empty())?.into()))
    }

    /// True if no other user can change the entries.
    pub(super) fn is_private(&self) -> bool {
        self.0.metadata().is_ok_and(|metadata| is_private(&metadata))
    }

    /// Opens an entry that is no symbolic link, for reading. Opening a pipe does not wait.
    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::empty())?.into())
    }

    /// Creates a file that only this user can read and change. An entry of that name must not exist.
    pub(super) fn create_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }
}

/// Creates a folder that only this user can change, and the folders that contain it.
pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// True if this user or the administrator is the owner and nobody else may write.
pub(super) fn is_private(metadata: &Metadata) -> bool {
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    let owner = metadata.uid();
    (owner == 0 || owner == rustix::process::geteuid().as_raw()) && metadata.mode() & WRITABLE_BY_OTHERS == 0
}
