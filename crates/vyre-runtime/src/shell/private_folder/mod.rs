//! Folders whose files no other user can change.
//!
//! Compiled code is executed, so its files are read only if this user or the administrator owns them, nobody else may write
//! them, and the same holds for their folder.
//!
//! A path can name another folder from one call to the next if another user may change one of its parents. So a folder is opened
//! once, and the checks, the reads and the writes use that handle and not its path; a file is opened before it is checked. The
//! standard library opens files by paths only, so Unix uses `rustix`. Systems without Unix permissions keep the cache in the folder of
//! the user.

#[cfg(not(unix))]
#[path = "portable.rs"]
mod handle;
#[cfg(unix)]
#[path = "unix.rs"]
mod handle;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use handle::Handle;

/// Extension of temporary files.
const TEMPORARY: &str = "tmp";
/// Number of names that are tried for a temporary file.
const NAMES: usize = 8;

/// An open folder that no other user can change.
#[derive(Debug)]
pub(super) struct PrivateFolder(Handle);

impl PrivateFolder {
    /// Opens a folder; an error if another user can change it.
    pub(super) fn open(folder: &Path) -> io::Result<PrivateFolder> {
        // The parent of a plain file name is the empty path.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let handle = Handle::open(folder)?;
        match handle.is_private() {
            true => Ok(PrivateFolder(handle)),
            false => Err(io::Error::new(io::ErrorKind::PermissionDenied, "other users may change the folder")),
        }
    }

    /// Opens a folder. Without one, it is created so that only this user can change it, and so are the folders that contain it.
    pub(super) fn create(folder: &Path) -> io::Result<PrivateFolder> {
        if !folder.as_os_str().is_empty() {
            handle::create_folder(folder)?;
        }
        PrivateFolder::open(folder)
    }

    /// Reads a regular file of at most `max_bytes` that no other user can change; `None` for any other file.
    pub(super) fn read(&self, name: &OsStr, max_bytes: u64) -> Option<Vec<u8>> {
        let file = self.file(name)?;
        let metadata = file.metadata().ok()?;
        if metadata.len() > max_bytes || !handle::is_private(&metadata) {
            return None;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
        file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= max_bytes).then_some(bytes)
    }

    /// Opens a regular file, also one that another user can change.
    pub(super) fn file(&self, name: &OsStr) -> Option<File> {
        let file = self.0.open_file(name).ok()?;
        file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file)
    }

    /// Replaces a file by one that only this user can read and change. Readers see one complete file.
    pub(super) fn replace(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        let (temporary, mut file) = self.temporary(name)?;
        let written = file.write_all(bytes);
        drop(file);
        written.and_then(|()| self.0.rename(&temporary, name)).inspect_err(|_| {
            // An error here leaves a stray temporary file and nothing else.
            let _ = self.0.remove(&temporary);
        })
    }

    /// Creates a temporary file for a file, with a random part in its name: processes of several containers may have one number.
    fn temporary(&self, name: &OsStr) -> io::Result<(OsString, File)> {
        let mut tries = 0;
        loop {
            let random = RandomState::new().build_hasher().finish();
            let mut temporary = name.to_owned();
            temporary.push(format!(".{random:016x}.{TEMPORARY}"));
            match self.0.create_file(&temporary) {
                Ok(file) => return Ok((temporary, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < NAMES => tries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Deletes a file.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove(name)
    }

    /// Names of all entries.
    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        self.0.names()
    }
}

/// Name of the file for which a temporary file was created; `None` for any other name.
pub(super) fn name_of_temporary(name: &str) -> Option<&str> {
    let (name, random) = name.strip_suffix(TEMPORARY)?.strip_suffix('.')?.rsplit_once('.')?;
    (random.len() == 16 && super::artifact::is_hexadecimal(random)).then_some(name)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the owner may set permissions");
    }

    fn read(path: &Path, max_bytes: u64) -> Option<Vec<u8>> {
        PrivateFolder::open(path.parent()?).ok()?.read(path.file_name()?, max_bytes)
    }

    #[test]
    fn only_private_regular_files_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("within").join("file");
        let within = path.parent().expect("a folder");
        PrivateFolder::create(within).expect("is created");
        assert_eq!(fs::metadata(within).expect("exists").permissions().mode() & 0o777, 0o700);
        fs::write(&path, b"bytes").expect("is written");
        for (folder_mode, mode, is_read) in [
            (0o700, 0o600, true),
            (0o755, 0o644, true),
            (0o700, 0o620, false),
            (0o700, 0o602, false),
            (0o720, 0o600, false),
            (0o702, 0o600, false),
        ] {
            set_mode(within, folder_mode);
            set_mode(&path, mode);
            assert_eq!(read(&path, 5).is_some(), is_read, "{folder_mode:o} {mode:o}");
            assert_eq!(PrivateFolder::create(within).is_ok(), folder_mode & 0o22 == 0, "{folder_mode:o}");
        }
        set_mode(within, 0o700);
        set_mode(&path, 0o600);
        assert_eq!(read(&path, 5).as_deref(), Some(&b"bytes"[..]));
        assert_eq!(read(&path, 4), None, "a file that is too large");
        let link = within.join("link");
        symlink(&path, &link).expect("is created");
        assert_eq!(read(&link, 5), None, "a symbolic link");
        assert_eq!(read(within, 1 << 20), None, "a folder");
        assert!(PrivateFolder::open(&path).is_err(), "a file is no folder");
    }

    #[test]
    fn files_of_another_user_are_not_read() {
        // Only the administrator can give files away.
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, b"bytes").expect("is written");
        set_mode(&path, 0o600);
        assert!(read(&path, 5).is_some());
        std::os::unix::fs::chown(&path, Some(12_345), None).expect("is given away");
        assert!(read(&path, 5).is_none(), "a file of another user");
        std::os::unix::fs::chown(&path, Some(0), None).expect("is taken back");
        std::os::unix::fs::chown(folder.path(), Some(12_345), None).expect("is given away");
        assert!(read(&path, 5).is_none(), "a folder of another user");
    }

    #[test]
    fn an_open_folder_is_used_after_its_path_names_another() {
        let parent = tempfile::tempdir().expect("a folder");
        let [path, moved] = ["cache", "moved"].map(|name| parent.path().join(name));
        let name = OsStr::new("file");
        let folder = PrivateFolder::create(&path).expect("is created");
        folder.replace(name, b"ours").expect("is written");
        fs::rename(&path, &moved).expect("is renamed");
        fs::create_dir(&path).expect("is created");
        fs::write(path.join(name), b"theirs").expect("is written");
        assert_eq!(folder.read(name, 100).as_deref(), Some(&b"ours"[..]));
        folder.replace(name, b"again").expect("is written");
        assert_eq!(fs::read(path.join(name)).expect("exists"), b"theirs", "writes use the open folder");
        assert_eq!(fs::read(moved.join(name)).expect("exists"), b"again");
        assert_eq!(folder.names().expect("is listed"), [name]);
        folder.remove(name).expect("is deleted");
        assert!(path.join(name).exists() && !moved.join(name).exists());
    }

    #[test]
    fn created_files_are_private_and_do_not_replace_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = OsStr::new("file.code");
        let private = PrivateFolder::open(folder.path()).expect("is opened");
        let (temporary, _) = private.temporary(name).expect("is created");
        let path = folder.path().join(&temporary);
        assert_eq!(fs::metadata(path).expect("exists").permissions().mode() & 0o777, 0o600);
        assert!(private.0.create_file(&temporary).is_err(), "an existing file is not replaced");
        assert_ne!(private.temporary(name).expect("is created").0, temporary);
        let temporary = temporary.to_str().expect("is text");
        assert_eq!(name_of_temporary(temporary), Some("file.code"));
        assert_eq!(name_of_temporary(&temporary.replace(".tmp", ".code")), None);
        for other in ["file.code", "file.tmp", "file.code.0123.tmp", "file.code.0123456789abcdeG.tmp", "notes.tmp"] {
            assert_eq!(name_of_temporary(other), None, "{other}");
        }
    }
}
