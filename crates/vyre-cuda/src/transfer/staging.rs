//! Staging: double-buffered uploads and downloads through pinned host memory.
//!
//! Each direction has two pinned chunks. While the device copies one of them, the host fills or empties the other.

use std::sync::Mutex;

use vyre_runtime::Error;

use super::pinned::Pinned;
use crate::driver::context::{Context, Current};
use crate::driver::event::create_event;
use crate::driver::library::{EventHandle, Failure};
use crate::sync::lock;

/// Bytes of a chunk.
const CHUNK_BYTES: usize = 8 << 20;

/// Minimum bytes of a piece of a larger transfer.
const MIN_PIECE_BYTES: usize = 256 << 10;

/// Alignment of small uploads within a chunk, in bytes.
const ALIGNMENT: usize = 64;

/// Staging pools of a device, created on first use.
#[derive(Default)]
pub(crate) struct Staging {
    uploads: Mutex<Option<Uploads>>,
    downloads: Mutex<Option<Downloads>>,
}

/// Pinned chunk, and the event that completes when the device has finished with it.
struct Chunk {
    memory: Pinned,
    free: EventHandle,
}

impl Chunk {
    fn pair(current: &Current<'_>) -> Result<[Chunk; 2], Error> {
        let (context, driver) = (current.context, current.driver());
        let chunk = || {
            let memory = Pinned::new(driver, CHUNK_BYTES)?;
            Ok(Chunk { memory, free: create_event(driver, false)? })
        };
        let failed = |failure: Failure| match failure.is_out_of_memory() {
            true => Error::out_of_host_memory(CHUNK_BYTES as u64),
            false => context.failed("cuMemHostAlloc", failure),
        };
        Ok([chunk().map_err(failed)?, chunk().map_err(failed)?])
    }
}

/// Bytes of a piece: small enough that host and device work at the same time.
fn piece(bytes: usize) -> usize {
    (bytes / 4).next_multiple_of(ALIGNMENT).clamp(MIN_PIECE_BYTES, CHUNK_BYTES)
}

/// Upload direction of the staging pools.
struct Uploads {
    chunks: [Chunk; 2],
    /// Index of the chunk that is being filled.
    at: usize,
    /// Bytes of that chunk in use.
    used: usize,
}

impl Uploads {
    fn new(current: &Current<'_>) -> Result<Uploads, Error> {
        Ok(Uploads { chunks: Chunk::pair(current)?, at: 0, used: 0 })
    }

    #[expect(unsafe_code, reason = "bytes are copied to memory of a C library")]
    fn write(&mut self, current: &Current<'_>, bytes: &[u8], target: u64) -> Result<(), Error> {
        let main = current.context.streams.main;
        let (piece, mut rest, mut target) = (piece(bytes.len()), bytes, target);
        while !rest.is_empty() {
            // A piece that fills the rest of a chunk would make the host wait for a small copy.
            let wanted = rest.len().min(piece).min(CHUNK_BYTES);
            if self.used + wanted > CHUNK_BYTES {
                self.at = 1 - self.at;
                self.used = 0;
                current.wait(self.chunks[self.at].free)?;
            }
            let chunk = &self.chunks[self.at];
            let (now, later) = rest.split_at(wanted);
            // SAFETY: the piece fits the rest of the chunk, as checked above. The device does not read that part: the host
            // waited for the device before it started the chunk, and has submitted only earlier parts since.
            let source = unsafe {
                let start = chunk.memory.address().add(self.used);
                start.copy_from_nonoverlapping(now.as_ptr(), now.len());
                start
            };
            current.upload(main, source.cast_const().cast(), target, now.len())?;
            current.record(chunk.free, main)?;
            self.used = (self.used + now.len()).next_multiple_of(ALIGNMENT);
            target += now.len() as u64;
            rest = later;
        }
        Ok(())
    }
}

/// Download direction of the staging pools.
struct Downloads {
    chunks: [Chunk; 2],
}

impl Downloads {
    fn new(current: &Current<'_>) -> Result<Downloads, Error> {
        Ok(Downloads { chunks: Chunk::pair(current)? })
    }

    /// Passes `length` bytes to `take`, piece by piece.
    #[expect(unsafe_code, reason = "bytes are copied from memory of a C library")]
    fn read(
        &mut self,
        current: &Current<'_>,
        source: u64,
        length: usize,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Error> {
        let (main, piece) = (current.context.streams.main, piece(length));
        let count = length.div_ceil(piece);
        let size = |at: usize| piece.min(length - at * piece);
        let begin = |at: usize| {
            let chunk = &self.chunks[at % 2];
            let start = source + (at * piece) as u64;
            current.download(main, start, chunk.memory.address().cast(), size(at))?;
            current.record(chunk.free, main)
        };
        begin(0)?;
        for at in 0..count {
            // The previous iteration emptied the other chunk.
            if at + 1 < count {
                begin(at + 1)?;
            }
            let chunk = &self.chunks[at % 2];
            current.wait(chunk.free)?;
            // SAFETY: the device has written this many bytes and does not access the chunk until the next `begin` on it.
            take(unsafe { std::slice::from_raw_parts(chunk.memory.address(), size(at)) });
        }
        Ok(())
    }
}

impl Staging {
    /// Uploads bytes to device memory. The device may still copy them when this returns; a later call reports errors of the
    /// copy.
    pub(crate) fn write(&self, context: &Context, bytes: &[u8], target: u64) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        let current = context.enter()?;
        let mut slot = lock(&self.uploads);
        let mut uploads = match slot.take() {
            Some(uploads) => uploads,
            None => Uploads::new(&current)?,
        };
        // After a failure the device may still access the chunks, so they are not used again.
        uploads.write(&current, bytes, target)?;
        *slot = Some(uploads);
        Ok(())
    }

    /// Downloads device memory.
    pub(crate) fn read(&self, context: &Context, source: u64, size: u64) -> Result<Vec<u8>, Error> {
        let no_memory = || Error::out_of_host_memory(size);
        let mut bytes = Vec::new();
        let length = usize::try_from(size).map_err(|_| no_memory())?;
        bytes.try_reserve_exact(length).map_err(|_| no_memory())?;
        self.read_pieces(context, source, length, &mut |piece| bytes.extend_from_slice(piece))?;
        Ok(bytes)
    }

    /// Downloads device memory into a slice.
    pub(crate) fn read_into(&self, context: &Context, source: u64, target: &mut [u8]) -> Result<(), Error> {
        let mut at = 0;
        self.read_pieces(context, source, target.len(), &mut |piece| {
            target[at..at + piece.len()].copy_from_slice(piece);
            at += piece.len();
        })
    }

    fn read_pieces(
        &self,
        context: &Context,
        source: u64,
        length: usize,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Error> {
        if length == 0 {
            return Ok(());
        }
        let current = context.enter()?;
        let mut slot = lock(&self.downloads);
        let mut downloads = match slot.take() {
            Some(downloads) => downloads,
            None => Downloads::new(&current)?,
        };
        // As in `write`: after a failure the chunks are not used again.
        downloads.read(&current, source, length, take)?;
        *slot = Some(downloads);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_fit_a_chunk() {
        for bytes in [1, 63, 64, 1 << 16, (1 << 20) - 1, 1 << 20, 9_999_999, 32 << 20, 1 << 30] {
            let piece = piece(bytes);
            assert!(
                (MIN_PIECE_BYTES..=CHUNK_BYTES).contains(&piece) && piece.is_multiple_of(ALIGNMENT),
                "{bytes}: {piece}"
            );
        }
        assert_eq!(piece(1 << 30), CHUNK_BYTES);
    }
}
