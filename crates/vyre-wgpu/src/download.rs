//! Large downloads: a pipeline through kept staging buffers.
//!
//! The device copies chunks into staging buffers ahead of the host. Threads copy the pieces of a chunk to the target, and the
//! thread that copies the last piece submits the copy of a later chunk into the same staging buffer.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use vyre_runtime::Error;
use wgpu::{BufferUsages, MapMode};

use crate::handles::GpuHandles;
use crate::mapping::Mapping;
use crate::staging_memory::lock;
use crate::upload::{CHUNK_BYTES, MAX_BUFFERS, PIECE_BYTES, chunk_bytes};

/// Download in progress.
struct Download<'d> {
    gpu: &'d GpuHandles,
    source: &'d wgpu::Buffer,
    /// Pieces of the chunk that threads empty.
    open: Mutex<Option<OpenChunk<'d>>>,
    queue: Mutex<Queue<'d>>,
    /// A copy has been submitted, a buffer has been returned, or a thread has failed.
    changed: Condvar,
    has_failed: AtomicBool,
}

/// Chunk with the pieces that no thread has taken.
struct OpenChunk<'d> {
    chunk: Arc<Chunk>,
    pieces: std::iter::Enumerate<std::slice::ChunksMut<'d, u8>>,
}

/// Chunks that are not open.
struct Queue<'d> {
    /// Targets of chunks whose copy is not submitted.
    targets: std::slice::ChunksMut<'d, u8>,
    /// Offset in the source of the next one.
    offset: u64,
    /// Chunks that the device copies, the oldest first.
    submitted: VecDeque<Submitted<'d>>,
    /// Number of chunks that threads empty.
    open: usize,
    free: Vec<wgpu::Buffer>,
}

/// Chunk that the device copies to a staging buffer.
struct Submitted<'d> {
    staging: wgpu::Buffer,
    mapping: Mapping,
    target: &'d mut [u8],
}

/// Chunk that threads empty.
struct Chunk {
    staging: wgpu::Buffer,
    /// Number of pieces that are not copied.
    unread: AtomicUsize,
}

/// Piece of a target, with its number in the chunk.
type Piece<'d> = (Arc<Chunk>, usize, &'d mut [u8]);

/// Downloads bytes from an offset that is a multiple of 4.
pub(crate) fn download(gpu: &GpuHandles, source: &wgpu::Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
    let mut kept = lock(&gpu.staging.downloads);
    let free = std::mem::take(&mut *kept);
    let (bytes, chunk) = (target.len(), chunk_bytes(target.len()));
    let targets = target.chunks_mut(chunk);
    let download = Download {
        gpu,
        source,
        open: Mutex::new(None),
        queue: Mutex::new(Queue { targets, offset, submitted: VecDeque::new(), open: 0, free }),
        changed: Condvar::new(),
        has_failed: AtomicBool::new(false),
    };
    for _ in 0..MAX_BUFFERS.min(bytes.div_ceil(chunk)) {
        let free = lock(&download.queue).free.pop();
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        // Another buffer is created while the device copies to the first ones.
        let staging = match free {
            Some(staging) => staging,
            None => gpu.buffer(CHUNK_BYTES as u64, usage)?,
        };
        download.submit(&mut lock(&download.queue), staging)?;
    }
    let error = Mutex::new(None);
    gpu.staging.team.run(bytes.div_ceil(PIECE_BYTES), &|| {
        if let Err(failure) = download.read_pieces() {
            download.has_failed.store(true, Ordering::Release);
            drop(lock(&download.queue));
            download.changed.notify_all();
            lock(&error).get_or_insert(failure);
        }
    });
    if let Some(error) = lock(&error).take() {
        return Err(error);
    }
    *kept = download.queue.into_inner().unwrap_or_else(PoisonError::into_inner).free;
    Ok(())
}

impl<'d> Download<'d> {
    fn read_pieces(&self) -> Result<(), Error> {
        while let Some((chunk, number, piece)) = self.next_piece()? {
            let start = (number * PIECE_BYTES) as u64;
            let padded = piece.len().next_multiple_of(4) as u64;
            let view = chunk.staging.get_mapped_range(start..start + padded);
            let view = view.map_err(|error| Error::driver("mapping a buffer", error))?;
            piece.copy_from_slice(&view[..piece.len()]);
            drop(view);
            if chunk.unread.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.close(&chunk)?;
            }
        }
        Ok(())
    }

    /// Takes a piece. Waits for the next chunk if all pieces of the last one are taken.
    fn next_piece(&self) -> Result<Option<Piece<'d>>, Error> {
        let mut open = lock(&self.open);
        loop {
            if self.has_failed.load(Ordering::Acquire) {
                return Ok(None);
            }
            if let Some(OpenChunk { chunk, pieces }) = &mut *open
                && let Some((number, piece)) = pieces.next()
            {
                return Ok(Some((Arc::clone(chunk), number, piece)));
            }
            let Some(Submitted { staging, mapping, target }) = self.oldest() else { return Ok(None) };
            mapping.wait(&self.gpu.device, &self.gpu.health)?;
            let unread = AtomicUsize::new(target.len().div_ceil(PIECE_BYTES));
            let chunk = Arc::new(Chunk { staging, unread });
            *open = Some(OpenChunk { chunk, pieces: target.chunks_mut(PIECE_BYTES).enumerate() });
        }
    }

    /// Takes the chunk that was submitted first. `None` if there are no more, or if a thread has failed.
    fn oldest(&self) -> Option<Submitted<'d>> {
        let mut queue = lock(&self.queue);
        loop {
            if self.has_failed.load(Ordering::Acquire) {
                return None;
            }
            if let Some(submitted) = queue.submitted.pop_front() {
                queue.open += 1;
                return Some(submitted);
            }
            // The thread that empties the last open chunk submits the next one.
            if queue.open == 0 || queue.targets.len() == 0 {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the use of a chunk, and submits another one into its staging buffer.
    fn close(&self, chunk: &Chunk) -> Result<(), Error> {
        chunk.staging.unmap();
        let mut queue = lock(&self.queue);
        queue.open -= 1;
        self.submit(&mut queue, chunk.staging.clone())?;
        drop(queue);
        self.changed.notify_all();
        Ok(())
    }

    /// Submits the copy of the next chunk, if there is one.
    fn submit(&self, queue: &mut Queue<'d>, staging: wgpu::Buffer) -> Result<(), Error> {
        let Some(target) = queue.targets.next() else {
            queue.free.push(staging);
            return Ok(());
        };
        let length = target.len().next_multiple_of(4) as u64;
        let mapping = self.gpu.caught("reading a buffer", || {
            let mut encoder = self.gpu.new_encoder();
            encoder.copy_buffer_to_buffer(self.source, queue.offset, &staging, 0, Some(length));
            let submission = self.gpu.submit(encoder);
            Mapping::request(&staging, length, MapMode::Read, Some(submission))
        })?;
        queue.offset += length;
        queue.submitted.push_back(Submitted { staging, mapping, target });
        Ok(())
    }
}
