//! Bytes on their way to the device and from it.
//!
//! They go through two chunks of memory that the device can reach by itself: while it moves one of them, the host fills or
//! empties the other.

use std::ptr::NonNull;

use vyre_runtime::Error;

use crate::context::{Context, Current, locked};
use crate::driver::{Driver, EventHandle, Failure};

/// The bytes of a chunk.
const CHUNK_BYTES: usize = 8 << 20;

/// The fewest bytes of a piece of something larger.
const LEAST_PIECE: usize = 256 << 10;

/// Where small writes begin within a chunk.
const ALIGNMENT: usize = 64;

/// Memory of the host that the device can reach by itself. It is freed with its context.
pub(crate) struct Pinned {
    start: NonNull<u8>,
}

#[expect(unsafe_code, reason = "the memory comes from a C library")]
// SAFETY: the memory belongs to whoever has this.
unsafe impl Send for Pinned {}

#[expect(unsafe_code, reason = "the memory comes from a C library")]
// SAFETY: what is shared of it is its address.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// Memory with anything in it. A context is that of this thread.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn new(driver: &Driver, bytes: usize) -> Result<Pinned, Failure> {
        let mut start = std::ptr::null_mut();
        // SAFETY: a context is that of this thread; the address is written to a pointer.
        Failure::check(unsafe { (driver.cuMemHostAlloc)(&raw mut start, bytes, 0) })?;
        let start = NonNull::new(start.cast()).ok_or(Failure { status: crate::driver::OUT_OF_MEMORY })?;
        Ok(Pinned { start })
    }

    pub(crate) fn address(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

/// A chunk, and when the device is done with it.
struct Chunk {
    memory: Pinned,
    is_free: EventHandle,
}

impl Chunk {
    fn pair(current: &Current<'_>) -> Result<[Chunk; 2], Error> {
        let (context, driver) = (current.context, current.driver());
        let chunk = || {
            let memory = Pinned::new(driver, CHUNK_BYTES)?;
            Ok(Chunk { memory, is_free: context.events.create(driver, false)? })
        };
        let failed = |failure| context.failed("allocating memory of the host", failure);
        Ok([chunk().map_err(failed)?, chunk().map_err(failed)?])
    }
}

/// The bytes that are moved at a time, so that both sides have something to do.
fn piece(bytes: usize) -> usize {
    (bytes / 4).next_multiple_of(ALIGNMENT).clamp(LEAST_PIECE, CHUNK_BYTES)
}

/// Chunks for what is written.
pub(crate) struct Uploads {
    chunks: [Chunk; 2],
    /// The chunk that is being filled, and how far it is.
    at: usize,
    used: usize,
}

impl Uploads {
    fn new(current: &Current<'_>) -> Result<Uploads, Error> {
        Ok(Uploads { chunks: Chunk::pair(current)?, at: 0, used: 0 })
    }

    #[expect(unsafe_code, reason = "bytes are copied to memory of a C library")]
    fn write(&mut self, current: &Current<'_>, bytes: &[u8], target: u64) -> Result<(), Error> {
        let main = current.context.main;
        let (piece, mut rest, mut target) = (piece(bytes.len()), bytes, target);
        while !rest.is_empty() {
            // Small pieces of something large would keep the host waiting.
            let wanted = rest.len().min(piece).min(CHUNK_BYTES);
            if self.used + wanted > CHUNK_BYTES {
                self.at = 1 - self.at;
                self.used = 0;
                current.wait(self.chunks[self.at].is_free)?;
            }
            let chunk = &self.chunks[self.at];
            let (now, later) = rest.split_at(wanted);
            // SAFETY: the piece fits what is left of the chunk, as was seen above. The device does not read that part: it
            // was waited for when the chunk was begun, and since then has been given what lies before.
            let source = unsafe {
                let place = chunk.memory.address().add(self.used);
                place.copy_from_nonoverlapping(now.as_ptr(), now.len());
                place
            };
            current.upload(main, source.cast_const().cast(), target, now.len())?;
            current.record(chunk.is_free, main)?;
            self.used = (self.used + now.len()).next_multiple_of(ALIGNMENT);
            target += now.len() as u64;
            rest = later;
        }
        Ok(())
    }
}

/// Chunks for what is read.
pub(crate) struct Downloads {
    chunks: [Chunk; 2],
}

impl Downloads {
    fn new(current: &Current<'_>) -> Result<Downloads, Error> {
        Ok(Downloads { chunks: Chunk::pair(current)? })
    }

    /// Hands `length` bytes on, piece by piece.
    #[expect(unsafe_code, reason = "bytes are copied from memory of a C library")]
    fn read(
        &mut self,
        current: &Current<'_>,
        source: u64,
        length: usize,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Error> {
        let (main, piece) = (current.context.main, piece(length));
        let count = length.div_ceil(piece);
        let size = |at: usize| piece.min(length - at * piece);
        let begin = |at: usize| {
            let chunk = &self.chunks[at % 2];
            let start = source + (at * piece) as u64;
            current.download(main, start, chunk.memory.address().cast(), size(at))?;
            current.record(chunk.is_free, main)
        };
        begin(0)?;
        for at in 0..count {
            // The other chunk was emptied in the round before.
            if at + 1 < count {
                begin(at + 1)?;
            }
            let chunk = &self.chunks[at % 2];
            current.wait(chunk.is_free)?;
            // SAFETY: the device has written this many bytes, and is done with the chunk until `begin` has it again.
            take(unsafe { std::slice::from_raw_parts(chunk.memory.address(), size(at)) });
        }
        Ok(())
    }
}

/// Writes bytes to memory of the device. They may still be on their way when this returns; what goes wrong with them is told
/// by a later call.
pub(crate) fn write(context: &Context, bytes: &[u8], target: u64) -> Result<(), Error> {
    if bytes.is_empty() {
        return Ok(());
    }
    let current = context.enter()?;
    let mut place = locked(&context.uploads);
    let mut uploads = match place.take() {
        Some(uploads) => uploads,
        None => Uploads::new(&current)?,
    };
    // After a failure nobody knows what the device does with the chunks, so they are left to it.
    uploads.write(&current, bytes, target)?;
    *place = Some(uploads);
    Ok(())
}

/// Reads memory of the device.
pub(crate) fn read(context: &Context, source: u64, size: u64) -> Result<Vec<u8>, Error> {
    let no_memory = || Error::Backend { message: format!("the host has no memory for {size} bytes") };
    let mut bytes = Vec::new();
    let length = usize::try_from(size).map_err(|_| no_memory())?;
    bytes.try_reserve_exact(length).map_err(|_| no_memory())?;
    read_pieces(context, source, length, &mut |piece| bytes.extend_from_slice(piece))?;
    Ok(bytes)
}

/// Reads memory of the device into memory of the host.
pub(crate) fn read_into(context: &Context, source: u64, target: &mut [u8]) -> Result<(), Error> {
    let mut at = 0;
    read_pieces(context, source, target.len(), &mut |piece| {
        target[at..at + piece.len()].copy_from_slice(piece);
        at += piece.len();
    })
}

fn read_pieces(context: &Context, source: u64, length: usize, take: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
    if length == 0 {
        return Ok(());
    }
    let current = context.enter()?;
    let mut place = locked(&context.downloads);
    let mut downloads = match place.take() {
        Some(downloads) => downloads,
        None => Downloads::new(&current)?,
    };
    // As above.
    downloads.read(&current, source, length, take)?;
    *place = Some(downloads);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_fit_a_chunk() {
        for bytes in [1, 63, 64, 1 << 16, (1 << 20) - 1, 1 << 20, 9_999_999, 32 << 20, 1 << 30] {
            let piece = piece(bytes);
            assert!(
                (LEAST_PIECE..=CHUNK_BYTES).contains(&piece) && piece.is_multiple_of(ALIGNMENT),
                "{bytes}: {piece}"
            );
        }
        assert_eq!(piece(1 << 30), CHUNK_BYTES);
    }
}
