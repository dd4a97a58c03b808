//! Files that no other user can change.
//!
//! Compiled code is executed, so its files are read only if this user or the administrator owns them, nobody else may write
//! them, and the same holds for their folder. Systems without Unix permissions keep the cache in the folder of the user.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Reads a regular file of at most `max_bytes` that no other user can change; `None` for any other file.
pub(super) fn read(path: &Path, max_bytes: u64) -> Option<Vec<u8>> {
    // No other user can change the entries of a private folder, so the file that is read is the file that was checked.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::metadata(folder).ok()?;
    let file = fs::symlink_metadata(path).ok()?;
    let is_readable = folder.is_dir() && file.is_file() && file.len() <= max_bytes;
    (is_readable && is_private(&folder) && is_private(&file)).then(|| fs::read(path).ok())?
}

/// Creates a file that only this user can read and change. A file of that name must not exist.
pub(super) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates a folder that only this user can change, and the folders that contain it.
pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// True if this user or the administrator is the owner and nobody else may write.
#[cfg(unix)]
fn is_private(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    let owner = metadata.uid();
    (owner == 0 || owner == rustix::process::geteuid().as_raw()) && metadata.mode() & WRITABLE_BY_OTHERS == 0
}

#[cfg(not(unix))]
fn is_private(_metadata: &fs::Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the owner may set permissions");
    }

    #[test]
    fn only_private_regular_files_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("within").join("file");
        let within = path.parent().expect("a folder");
        create_folder(within).expect("is created");
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
        }
        set_mode(within, 0o700);
        set_mode(&path, 0o600);
        assert_eq!(read(&path, 5).as_deref(), Some(&b"bytes"[..]));
        assert_eq!(read(&path, 4), None, "a file that is too large");
        let link = within.join("link");
        symlink(&path, &link).expect("is created");
        assert_eq!(read(&link, 5), None, "a symbolic link");
        assert_eq!(read(within, 1 << 20), None, "a folder");
    }

    #[test]
    fn created_files_are_private() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        drop(create(&path).expect("is created"));
        assert_eq!(fs::metadata(&path).expect("exists").permissions().mode() & 0o777, 0o600);
        assert!(create(&path).is_err(), "an existing file is not replaced");
    }
}
