//! Large uploads: a pipeline through kept staging buffers.
//!
//! The bytes are divided into chunks, one for each use of a staging buffer, and a chunk into pieces, which threads copy. The
//! thread that copies the last piece of a chunk submits its copy on the device, while the others fill the next chunk.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use vyre_runtime::Error;
use wgpu::{BufferUsages, MapMode};

use crate::handles::GpuHandles;
use crate::mapping::Mapping;
use crate::staging_memory::{UploadBuffer, lock};

/// Bytes of a staging buffer.
pub(crate) const CHUNK_BYTES: usize = 8 << 20;

/// Bytes that a thread copies at a time.
pub(crate) const PIECE_BYTES: usize = 512 << 10;

/// Maximum number of staging buffers of a direction.
pub(crate) const MAX_BUFFERS: usize = 4;

/// Bytes of a chunk of a transfer: small enough that host and device work at the same time.
pub(crate) fn chunk_bytes(bytes: usize) -> usize {
    (bytes / 8).next_multiple_of(PIECE_BYTES).clamp(2 * PIECE_BYTES, CHUNK_BYTES)
}

/// Upload in progress.
struct Upload<'u> {
    gpu: &'u GpuHandles,
    target: &'u wgpu::Buffer,
    feed: Mutex<Feed<'u>>,
    /// Staging buffers that can be filled, now or later.
    free: Mutex<VecDeque<UploadBuffer>>,
    /// A staging buffer has been submitted, or a thread has failed.
    returned: Condvar,
    has_failed: AtomicBool,
}

/// Bytes that no thread has taken.
struct Feed<'u> {
    chunks: std::slice::Chunks<'u, u8>,
    /// Offset in the target of the next chunk.
    offset: u64,
    open: Option<(Arc<Chunk>, std::iter::Enumerate<std::slice::Chunks<'u, u8>>)>,
    /// Number of staging buffers.
    buffers: usize,
}

/// Chunk that threads fill.
struct Chunk {
    staging: wgpu::Buffer,
    offset: u64,
    /// Bytes, rounded up to whole words.
    length: u64,
    /// Number of pieces that are not filled.
    unfilled: AtomicUsize,
}

/// Piece of a chunk, with its number.
type Piece<'u> = (Arc<Chunk>, usize, &'u [u8]);

/// Uploads bytes to an offset that is a multiple of 4. The last word is padded with zeros. The device may still copy when this
/// returns.
pub(crate) fn upload(gpu: &GpuHandles, target: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
    let mut kept = lock(&gpu.staging.uploads);
    let free = std::mem::take(&mut *kept);
    let feed = Feed { chunks: bytes.chunks(chunk_bytes(bytes.len())), offset, open: None, buffers: free.len() };
    let upload = Upload {
        gpu,
        target,
        feed: Mutex::new(feed),
        free: Mutex::new(free),
        returned: Condvar::new(),
        has_failed: AtomicBool::new(false),
    };
    let error = Mutex::new(None);
    gpu.staging.team.run(bytes.len().div_ceil(PIECE_BYTES), &|| {
        if let Err(failure) = upload.fill_pieces() {
            upload.has_failed.store(true, Ordering::Release);
            // A thread that tests the flag and waits must not miss the notification.
            drop(lock(&upload.free));
            upload.returned.notify_all();
            lock(&error).get_or_insert(failure);
        }
    });
    if let Some(error) = lock(&error).take() {
        return Err(error);
    }
    *kept = upload.free.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(())
}

impl<'u> Upload<'u> {
    fn fill_pieces(&self) -> Result<(), Error> {
        while let Some((chunk, number, piece)) = self.next_piece()? {
            let start = (number * PIECE_BYTES) as u64;
            let padded = piece.len().next_multiple_of(4);
            let view = chunk.staging.get_mapped_range_mut(start..start + padded as u64);
            let mut view = view.map_err(|error| Error::driver("mapping a buffer", error))?;
            view.slice(..piece.len()).copy_from_slice(piece);
            view.slice(piece.len()..).fill(0);
            drop(view);
            if chunk.unfilled.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.submit(&chunk)?;
            }
        }
        Ok(())
    }

    /// Takes a piece. Opens the next chunk if all pieces of the last one are taken.
    fn next_piece(&self) -> Result<Option<Piece<'u>>, Error> {
        let mut feed = lock(&self.feed);
        loop {
            if self.has_failed.load(Ordering::Acquire) {
                return Ok(None);
            }
            if let Some((chunk, pieces)) = &mut feed.open
                && let Some((number, piece)) = pieces.next()
            {
                return Ok(Some((Arc::clone(chunk), number, piece)));
            }
            let Some(bytes) = feed.chunks.next() else { return Ok(None) };
            let Some(staging) = self.staging_buffer(&mut feed.buffers)? else { return Ok(None) };
            let length = bytes.len().next_multiple_of(4) as u64;
            let unfilled = AtomicUsize::new(bytes.len().div_ceil(PIECE_BYTES));
            let chunk = Chunk { staging, offset: feed.offset, length, unfilled };
            feed.offset += length;
            feed.open = Some((Arc::new(chunk), bytes.chunks(PIECE_BYTES).enumerate()));
        }
    }

    /// Takes a mapped staging buffer. Creates one if all are in use, up to the maximum. `None` if another thread has failed.
    fn staging_buffer(&self, buffers: &mut usize) -> Result<Option<wgpu::Buffer>, Error> {
        let GpuHandles { device, health, .. } = self.gpu;
        let mut free = lock(&self.free);
        loop {
            if self.has_failed.load(Ordering::Acquire) {
                return Ok(None);
            }
            let may_create = *buffers < MAX_BUFFERS;
            if let Some(UploadBuffer { buffer, mapping }) = free.pop_front() {
                let Some(mapping) = mapping else { return Ok(Some(buffer)) };
                if !may_create {
                    drop(free);
                    mapping.wait(device, health)?;
                    return Ok(Some(buffer));
                }
                if mapping.is_complete(device, health)? {
                    return Ok(Some(buffer));
                }
                free.push_front(UploadBuffer { buffer, mapping: Some(mapping) });
            }
            if may_create {
                *buffers += 1;
                let usage = BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC;
                return self.gpu.mapped_buffer(CHUNK_BYTES as u64, usage).map(Some);
            }
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Submits the copy of a chunk that is filled.
    fn submit(&self, chunk: &Chunk) -> Result<(), Error> {
        let mapping = self.gpu.caught("writing a buffer", || {
            chunk.staging.unmap();
            let mut encoder = self.gpu.new_encoder();
            encoder.copy_buffer_to_buffer(&chunk.staging, 0, self.target, chunk.offset, Some(chunk.length));
            let submission = self.gpu.submit(encoder);
            Mapping::request(&chunk.staging, CHUNK_BYTES as u64, MapMode::Write, Some(submission))
        })?;
        lock(&self.free).push_back(UploadBuffer { buffer: chunk.staging.clone(), mapping: Some(mapping) });
        self.returned.notify_all();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_whole_pieces() {
        for bytes in [1, 300_000, 1 << 20, 9_999_999, 64 << 20, 1 << 30] {
            let chunk = chunk_bytes(bytes);
            assert!(chunk.is_multiple_of(PIECE_BYTES) && chunk <= CHUNK_BYTES, "{bytes}: {chunk}");
        }
        assert_eq!(chunk_bytes(1 << 30), CHUNK_BYTES);
    }
}
