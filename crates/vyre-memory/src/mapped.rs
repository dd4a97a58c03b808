//! Read-only memory maps of files.

use std::fmt;
use std::fs::File;
use std::io;

use memmap2::Mmap;

/// The bytes of a memory-mapped file. They start at a page boundary. Nothing is read before it is used, and nothing is copied.
///
/// The file must not be changed while it is mapped: a process that truncates or overwrites it changes the bytes, or makes the
/// next access fault. Replacing the file by another one of the same name is harmless.
pub struct MappedBytes {
    map: Mmap,
}

impl MappedBytes {
    /// Maps a whole file.
    ///
    /// # Errors
    ///
    /// The file cannot be mapped: it is a pipe or a terminal, for example.
    pub fn new(file: &File) -> io::Result<MappedBytes> {
        // SAFETY: The map is only read, as bytes, of which all are valid. The documentation of `MappedBytes` requires that
        // the file does not change meanwhile; no system can guarantee it.
        #[expect(unsafe_code, reason = "files are mapped into memory")]
        let map = unsafe { Mmap::map(file)? };
        Ok(MappedBytes { map })
    }
}

impl AsRef<[u8]> for MappedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

impl fmt::Debug for MappedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappedBytes").field("length", &self.map.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_file_is_its_bytes() {
        let mut file = tempfile::tempfile().expect("a file");
        assert_eq!(MappedBytes::new(&file).expect("an empty map").as_ref(), b"");
        file.write_all(b"bytes").expect("is written");
        assert_eq!(MappedBytes::new(&file).expect("a map").as_ref(), b"bytes");
    }
}
