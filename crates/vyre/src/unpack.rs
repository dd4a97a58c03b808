//! Extraction of an archive in one call.

use std::path::Path;

use crate::engine::decompress::{ExtractOptions, Options, Unpacked, unpack_file};
use crate::error::Error;

/// Unpacks an archive file, and the archives nested in it, below a directory.
///
/// The content determines the format: zip, tar, gzip, zstd, LZ4, xz, bzip2 or ASAR. The default [`Options`] apply: 16 GiB of
/// output, 500,000 entries, a nesting depth of 16. Existing files are not replaced, and nothing outside of the directory is
/// touched. [`unpack_file`] takes other options; [`Unpacker`](crate::engine::decompress::Unpacker) unpacks in memory, or
/// with a device.
///
/// A damaged or unsafe entry does not end the call. The result lists it, and
/// [`is_complete`](Unpacked::is_complete) is false then.
///
/// ```
/// let directory = std::env::temp_dir().join(format!("vyre-unpack-{}", std::process::id()));
/// let unpacked = vyre::unpack("../../examples/package.zip", &directory)?;
/// assert!(unpacked.is_complete(), "{unpacked}");
/// assert!(directory.join("vendor/greeting.tgz!/package/index.js").exists());
/// # let _ = std::fs::remove_dir_all(&directory);
/// # Ok::<(), vyre::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Unpack`]: the file cannot be read, its format is unknown, a limit on the whole is exhausted, or a file cannot be
/// written. Files that exist then are complete.
pub fn unpack(archive: impl AsRef<Path>, directory: impl AsRef<Path>) -> Result<Unpacked, Error> {
    Ok(unpack_file(archive.as_ref(), directory.as_ref(), Options::default(), ExtractOptions::default())?)
}
