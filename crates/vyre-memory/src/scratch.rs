//! Buffers in unnamed temporary files, for data that are too many for memory.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use memmap2::MmapMut;

/// Directory of temporary files of any size: `TMPDIR` if it is set, else `/var/tmp` if it exists, else that of the system.
/// `/tmp` is often kept in memory.
#[must_use]
pub fn scratch_directory() -> PathBuf {
    let usual = Path::new("/var/tmp");
    if std::env::var_os("TMPDIR").is_none() && usual.is_dir() { usual.to_owned() } else { std::env::temp_dir() }
}

/// A buffer in an unnamed temporary file that is mapped into memory. The system writes its pages to disk when it needs memory,
/// and deletes the file with the buffer, also when the process is killed.
///
/// The disk space is allocated before the file is mapped. A full disk is therefore an error and no signal.
pub struct ScratchFile {
    file: File,
    map: Option<MmapMut>,
}

impl ScratchFile {
    /// Creates an empty buffer in a directory.
    ///
    /// # Errors
    ///
    /// The directory does not exist or cannot be written to.
    pub fn new(directory: &Path) -> io::Result<ScratchFile> {
        Ok(ScratchFile { file: tempfile::tempfile_in(directory)?, map: None })
    }

    /// Changes the size. New bytes are zero.
    ///
    /// # Errors
    ///
    /// There is no disk space or no address space. The buffer is empty or unchanged then.
    pub fn resize(&mut self, bytes: usize) -> io::Result<()> {
        let length = self.bytes().len();
        if bytes == length {
            return Ok(());
        }
        if bytes > length {
            allocate(&self.file, length as u64, bytes as u64)?;
        }
        // Some systems do not change the size of a mapped file.
        self.map = None;
        self.file.set_len(bytes as u64)?;
        if bytes > 0 {
            // SAFETY: The file has no name, so that no other process changes it. All its bytes are allocated.
            #[expect(unsafe_code, reason = "files are mapped into memory")]
            let map = unsafe { MmapMut::map_mut(&self.file)? };
            self.map = Some(map);
        }
        Ok(())
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    /// The bytes.
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.map.as_deref_mut().unwrap_or_default()
    }

    /// The first `bytes` bytes, read-only. The disk space of the others is released.
    #[must_use]
    pub fn freeze(self, bytes: usize) -> ScratchBytes {
        let length = bytes.min(self.bytes().len());
        // A file that stays larger is harmless. The map of what is cut off is never touched.
        let _ = self.file.set_len(length as u64);
        ScratchBytes { map: self.map, length }
    }
}

/// Read-only bytes of a [`ScratchFile`]. They need no open file.
pub struct ScratchBytes {
    map: Option<MmapMut>,
    length: usize,
}

impl AsRef<[u8]> for ScratchBytes {
    fn as_ref(&self) -> &[u8] {
        self.map.as_deref().and_then(|bytes| bytes.get(..self.length)).unwrap_or_default()
    }
}

impl fmt::Debug for ScratchBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScratchBytes").field("length", &self.length).finish_non_exhaustive()
    }
}

impl fmt::Debug for ScratchFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScratchFile").field("length", &self.bytes().len()).finish_non_exhaustive()
    }
}

/// Allocates disk space for the bytes from `start` to `end`.
fn allocate(file: &File, start: u64, end: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if allocate_at_once(file, start, end)? {
        return Ok(());
    }
    write_zeros(file, start, end)
}

/// Allocates disk space with one system call. Returns false if the file system has no such call.
#[cfg(target_os = "linux")]
fn allocate_at_once(file: &File, start: u64, end: u64) -> io::Result<bool> {
    use std::os::fd::AsRawFd as _;
    let too_large = |_| io::Error::from(io::ErrorKind::FileTooLarge);
    let offset = libc::off64_t::try_from(start).map_err(too_large)?;
    let length = libc::off64_t::try_from(end - start).map_err(too_large)?;
    loop {
        // SAFETY: The descriptor belongs to an open file, and the call touches no memory.
        #[expect(unsafe_code, reason = "the standard library does not allocate disk space")]
        let status = unsafe { libc::fallocate64(file.as_raw_fd(), 0, offset, length) };
        if status == 0 {
            return Ok(true);
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            Some(libc::EOPNOTSUPP | libc::ENOSYS) => return Ok(false),
            _ => return Err(error),
        }
    }
}

/// Writes zeros.
fn write_zeros(mut file: &File, start: u64, end: u64) -> io::Result<()> {
    use std::io::{Read as _, Seek as _};
    file.seek(io::SeekFrom::Start(start))?;
    io::copy(&mut io::repeat(0).take(end - start), &mut file).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_grows_and_shrinks() {
        let mut buffer = ScratchFile::new(&scratch_directory()).expect("a file");
        assert_eq!(buffer.bytes(), b"");
        buffer.resize(10_000).expect("there is space");
        assert!(buffer.bytes().iter().all(|&byte| byte == 0));
        buffer.bytes_mut()[9_999] = 7;
        buffer.resize(2 << 20).expect("there is space");
        assert_eq!((buffer.bytes().len(), buffer.bytes()[9_999], buffer.bytes()[10_000]), (2 << 20, 7, 0));
        buffer.resize(9_000).expect("it shrinks");
        buffer.resize(10_000).expect("it grows");
        assert_eq!(buffer.bytes()[9_999], 0);
        buffer.bytes_mut()[..3].copy_from_slice(b"abc");
        assert_eq!(buffer.freeze(3).as_ref(), b"abc");
        assert_eq!(ScratchFile::new(&scratch_directory()).expect("a file").freeze(9).as_ref(), b"");
    }

    #[test]
    fn zeros_are_written_where_the_file_system_allocates_nothing() {
        let file = tempfile::tempfile().expect("a file");
        write_zeros(&file, 3, 70_000).expect("there is space");
        assert_eq!(file.metadata().expect("it exists").len(), 70_000);
    }

    /// No disk has 2^62 bytes.
    #[test]
    fn refused_space_is_an_error() {
        let mut buffer = ScratchFile::new(&scratch_directory()).expect("a file");
        buffer.resize(1).expect("there is space");
        assert!(buffer.resize(1 << 62).is_err());
        assert!(buffer.bytes().len() <= 1);
        assert!(ScratchFile::new(Path::new("/no/such/directory")).is_err());
    }
}
