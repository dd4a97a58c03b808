//! Atomic file replacement: a reader or a crash never sees a partial file.

use std::fs::{self, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use tempfile::NamedTempFile;

use crate::output::visible;
use crate::termination::Registration;

/// Replaces a file atomically: writes the contents to a temporary file in the same directory and renames it.
///
/// Follows symbolic links and preserves the permissions of a replaced file. Writes pipes and devices directly. Rejects
/// read-only files.
pub(crate) fn write_file(path: &Path, contents: &[u8]) -> anyhow::Result<()> {
    stream_file(path, |out| Ok(out.write_all(contents)?))
}

/// Replaces a file atomically by streamed contents. If that fails, the file is unchanged.
pub(crate) fn stream_file(
    path: &Path,
    contents: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    write(path, contents).with_context(|| format!("cannot write {}", visible(&path.to_string_lossy())))
}

/// Checks that a file can be written, before work whose result it receives. The file does not change.
pub(crate) fn check_file(path: &Path) -> anyhow::Result<()> {
    try_temporary(path).with_context(|| format!("cannot write {}", visible(&path.to_string_lossy())))
}

/// Creates and removes the temporary file that a write begins with.
fn try_temporary(path: &Path) -> anyhow::Result<()> {
    if let Target::Replaced(path, _) = target(path)? {
        let (_registration, _file) = temporary_beside(&path)?;
    }
    Ok(())
}

/// How a file is written.
enum Target {
    /// A pipe or a device.
    Direct,
    /// A file that is replaced or created, and its old state.
    Replaced(PathBuf, Option<Metadata>),
}

fn target(path: &Path) -> anyhow::Result<Target> {
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => bail!("it is a directory"),
        Ok(old) if !old.is_file() => Ok(Target::Direct),
        Ok(old) if old.permissions().readonly() => bail!("it is read-only"),
        Ok(old) => Ok(Target::Replaced(fs::canonicalize(path)?, Some(old))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok() {
                bail!("it is a dangling symbolic link");
            }
            Ok(Target::Replaced(path.to_owned(), None))
        }
        Err(error) => Err(error.into()),
    }
}

fn write(path: &Path, contents: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    match target(path)? {
        Target::Direct => buffered(fs::OpenOptions::new().write(true).open(path)?, contents),
        Target::Replaced(path, old) => replace(&path, contents, old.as_ref()),
    }
}

fn buffered(out: impl Write, contents: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, out);
    contents(&mut out)?;
    Ok(out.flush()?)
}

/// Creates a temporary file in the directory of another one. It must be dropped before its registration.
fn temporary_beside(path: &Path) -> anyhow::Result<(Registration, NamedTempFile)> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".vyre-");
    // Temporary files are private by default; this one becomes an ordinary file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    if !directory.is_dir() {
        bail!("there is no folder {}", visible(&directory.to_string_lossy()));
    }
    // The error has the name of the temporary file, which nobody knows.
    let create = || builder.tempfile_in(directory).map_err(|error| io::Error::from(error.kind()));
    Ok(Registration::create(create)?)
}

fn replace(
    path: &Path,
    contents: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
    old: Option<&Metadata>,
) -> anyhow::Result<()> {
    let (_registration, mut file) = temporary_beside(path)?;
    buffered(&mut file, contents)?;
    if let Some(old) = old {
        keep_owner(file.as_file(), old);
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Sets the owner of the new file to the owner of the old one. This needs privileges if the owner is another user; without
/// them the file belongs to the current user.
#[cfg(unix)]
fn keep_owner(file: &fs::File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &fs::File, _: &Metadata) {}

/// Reports whether two paths refer to one file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let id = |path| fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
        id(one).is_some_and(|first| Some(first) == id(other))
    }
    #[cfg(not(unix))]
    {
        fs::canonicalize(one).is_ok_and(|first| fs::canonicalize(other).is_ok_and(|second| first == second))
    }
}
