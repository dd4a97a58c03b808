//! Read-only memory maps of files.

use std::fmt;
use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Ends the process with a message and an exit code if a mapped file is truncated while it is read. Without this call the system
/// ends it with the signal `SIGBUS`. Only the first call has an effect. The call does nothing on systems without that signal.
pub fn exit_if_a_map_is_truncated(message: impl Into<String>, code: i32) {
    #[cfg(unix)]
    bus_error::install(message.into(), code);
    #[cfg(not(unix))]
    let _ = (message.into(), code);
}

/// Handler of `SIGBUS`.
#[cfg(unix)]
mod bus_error {
    #![expect(unsafe_code, reason = "signal handlers have no safe binding")]

    use std::sync::OnceLock;

    /// The message and the exit code. The handler only reads it.
    static END: OnceLock<(String, i32)> = OnceLock::new();

    /// Installs the handler.
    pub(super) fn install(message: String, code: i32) {
        if END.set((message, code)).is_err() {
            return;
        }
        // SAFETY: The structure is a plain record for which zeros are valid. The handler has the type that the flags state,
        // and it calls only functions that are safe in a handler.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as extern "C" fn(libc::c_int) as usize;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
        }
    }

    extern "C" fn handle(_: libc::c_int) {
        let (message, code) = END.get().map_or(("", 2), |(message, code)| (&**message, *code));
        // SAFETY: `write` and `_exit` are safe in a handler. The slice is valid for its whole length.
        unsafe {
            libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
            libc::_exit(code);
        }
    }
}

/// The bytes of a memory-mapped file. They start at a page boundary. Nothing is read before it is used, and nothing is copied.
///
/// The file must not be changed while it is mapped: a process that truncates or overwrites it changes the bytes, or makes the
/// next access fault; see [`exit_if_a_map_is_truncated`]. Replacing the file by another one of the same name is harmless.
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
