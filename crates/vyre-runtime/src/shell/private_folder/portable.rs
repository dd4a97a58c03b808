//! A folder of a system without Unix permissions, by its path.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Path of a folder.
#[derive(Debug)]
pub(super) struct Handle(PathBuf);

impl Handle {
    pub(super) fn open(folder: &Path) -> io::Result<Handle> {
        match fs::metadata(folder)?.is_dir() {
            true => Ok(Handle(folder.to_owned())),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// True: the folder of the user is private.
    pub(super) fn is_private(&self) -> bool {
        self.0.is_dir()
    }

    /// Opens an entry that is no symbolic link, for reading.
    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let path = self.0.join(name);
        match fs::symlink_metadata(&path)?.is_file() {
            true => File::open(path),
            false => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Creates a file. An entry of that name must not exist.
    pub(super) fn create_file(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.0.join(name))
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name())).collect()
    }
}

/// Creates a folder and the folders that contain it.
pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

pub(super) fn is_private(_metadata: &Metadata) -> bool {
    true
}
