//! Digest of the contents of paths, for caches.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::filter::is_skipped_folder;
use super::name::text_of;
use crate::scan::ScanOptions;

/// Bytes that are read at once.
const BUFFER: usize = 1 << 16;

/// Computes the SHA-256 digest of all that a scan of paths may see: names, kinds, lengths and contents of files, targets of links. Of
/// files in folders that the scan skips, only names and lengths count.
///
/// # Errors
///
/// A file or folder cannot be read.
pub fn digest(paths: &[PathBuf], options: &ScanOptions) -> io::Result<[u8; 32]> {
    let reads_dependencies = options.dependencies || options.with_dependencies;
    let mut hasher = Sha256::new();
    for path in paths {
        // Reports name files by their scanned path if there are several.
        if paths.len() > 1 {
            part(&mut hasher, b"path", text_of(path.as_os_str()).as_bytes());
        }
        let mut buffer = vec![0; BUFFER];
        let metadata = fs::metadata(path)?;
        if !metadata.is_dir() {
            part(&mut hasher, b"file", text_of(path.file_name().unwrap_or_default()).as_bytes());
            content(&mut hasher, path, &mut buffer)?;
            continue;
        }
        let mut waiting: Vec<(PathBuf, bool)> = vec![(PathBuf::new(), false)];
        while let Some((folder, is_skipped)) = waiting.pop() {
            let mut entries: Vec<fs::DirEntry> = fs::read_dir(path.join(&folder))?.collect::<io::Result<_>>()?;
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in entries {
                let inner = folder.join(entry.file_name());
                let name = text_of(inner.as_os_str());
                let metadata = entry.metadata()?;
                if metadata.is_dir() {
                    let is_skipped =
                        is_skipped || is_skipped_folder(&entry.file_name().to_string_lossy(), reads_dependencies);
                    part(&mut hasher, b"folder", name.as_bytes());
                    waiting.push((inner, is_skipped));
                } else if metadata.is_symlink() {
                    part(&mut hasher, b"link", name.as_bytes());
                    let target = fs::read_link(entry.path())?;
                    part(&mut hasher, b"target", text_of(target.as_os_str()).as_bytes());
                } else {
                    part(&mut hasher, if metadata.is_file() { b"file" } else { b"special" }, name.as_bytes());
                    hasher.update(metadata.len().to_le_bytes());
                    if metadata.is_file() && !is_skipped {
                        content(&mut hasher, &entry.path(), &mut buffer)?;
                    }
                }
            }
        }
    }
    Ok(hasher.finalize().into())
}

/// Adds a text with its kind and length, which keep neighbouring parts apart.
fn part(hasher: &mut Sha256, kind: &[u8], text: &[u8]) {
    hasher.update(kind);
    hasher.update((text.len() as u64).to_le_bytes());
    hasher.update(text);
}

/// Adds the content of a file, by its own digest.
fn content(hasher: &mut Sha256, file: &Path, buffer: &mut [u8]) -> io::Result<()> {
    let mut inner = Sha256::new();
    let mut file = File::open(file)?;
    loop {
        match file.read(buffer) {
            Ok(0) => break,
            Ok(length) => inner.update(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    hasher.update(inner.finalize());
    Ok(())
}
