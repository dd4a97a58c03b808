//! Output of a writer that demands to own a sendable stream.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// A buffer whose bytes another handle takes.
#[derive(Clone, Default)]
pub(crate) struct SharedOutput(Arc<Mutex<Vec<u8>>>);

impl SharedOutput {
    /// Writes all bytes so far to a stream.
    pub(crate) fn drain(&self, out: &mut dyn Write) -> io::Result<()> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        out.write_all(&bytes)
    }
}

impl Write for SharedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
