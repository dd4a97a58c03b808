//! Permissions and times of directories and links.

use std::io;
use std::time::{Duration, SystemTime};

use cap_std::fs::Dir;

use super::path::as_path;

/// Permissions and time that an entry states for a directory.
pub(super) struct DirectoryAttributes {
    /// Path of the directory.
    pub(super) path: Vec<u8>,
    pub(super) mode: Option<u32>,
    pub(super) modified: Option<i64>,
}

/// Converts seconds since 1970 to a time, if the system can represent it.
pub(super) fn system_time(seconds: i64) -> Option<SystemTime> {
    let distance = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    }
}

/// Sets the time of a symbolic link itself. Failure is ignored: not all file systems support it.
pub(super) fn set_link_time(directory: &Dir, name: &[u8], modified: Option<i64>) {
    use cap_fs_ext::{DirExt as _, SystemTimeSpec};
    if let Some(time) = modified.and_then(system_time) {
        let time = SystemTimeSpec::Absolute(cap_std::time::SystemTime::from_std(time));
        let _ = directory.set_symlink_times(as_path(name), None, Some(time));
    }
}

/// Sets permissions and time of a directory. The owner keeps full access; the umask applies.
pub(super) fn set_directory_attributes(directory: &Dir, mode: Option<u32>, modified: Option<i64>) -> io::Result<()> {
    use cap_fs_ext::{DirExt as _, SystemTimeSpec};
    #[cfg(unix)]
    if let Some(mode) = mode {
        use cap_std::fs::PermissionsExt as _;
        let mut permissions = directory.dir_metadata()?.permissions();
        let current = permissions.mode() & 0o777;
        // Bits that the umask cleared at creation stay cleared.
        let new = (current & mode) | 0o700;
        if new != current {
            permissions.set_mode(new);
            directory.set_permissions(".", permissions)?;
        }
    }
    #[cfg(not(unix))]
    let _ = mode;
    if let Some(time) = modified.and_then(system_time) {
        let time = SystemTimeSpec::Absolute(cap_std::time::SystemTime::from_std(time));
        directory.set_times(".", None, Some(time))?;
    }
    Ok(())
}
