//! Transfers between the host and buffers, through staging memory.

use std::sync::atomic::Ordering;

use vyre_memory::try_zeroed_bytes;
use vyre_runtime::Error;
use wgpu::{BufferUsages, MapMode, PollType};

use crate::direct::try_read;
use crate::download::download;
use crate::handles::GpuHandles;
use crate::mapping::Mapping;
use crate::staging_memory::lock;
use crate::upload::upload;

/// Maximum bytes of a small transfer.
const SMALL_BYTES: usize = 256 << 10;

/// Maximum bytes of small uploads that wgpu holds at a time.
const MAX_PENDING_BYTES: u64 = 1 << 26;

/// Writes bytes to a buffer from an offset that is a multiple of 4. The last word is padded with zeros.
pub(crate) fn write_words(gpu: &GpuHandles, target: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
    if bytes.len() > SMALL_BYTES {
        return upload(gpu, target, offset, bytes);
    }
    let whole = bytes.len() / 4 * 4;
    let (words, rest) = bytes.split_at(whole);
    gpu.caught("writing a buffer", || {
        let mappings = gpu.exclude_mappings();
        if !words.is_empty() {
            gpu.queue.write_buffer(target, offset, words);
        }
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            gpu.queue.write_buffer(target, offset + whole as u64, &last);
        }
        drop(mappings);
        // wgpu holds a copy of the bytes until a submission completes, so a limit of them is waited for.
        let (pending, length) = (&gpu.staging.small_uploads, bytes.len() as u64);
        if pending.fetch_add(length, Ordering::Relaxed) + length >= MAX_PENDING_BYTES {
            pending.store(0, Ordering::Relaxed);
            let submission = gpu.submit(gpu.new_encoder());
            let _ = gpu.device.poll(PollType::Wait { submission_index: Some(submission), timeout: None });
        }
    })
}

/// Reads the beginning of a buffer.
pub(crate) fn read(gpu: &GpuHandles, source: &wgpu::Buffer, size: u64) -> Result<Vec<u8>, Error> {
    let no_memory = || Error::out_of_host_memory(size);
    let length = usize::try_from(size).map_err(|_| no_memory())?;
    let mut bytes = try_zeroed_bytes(length).ok_or_else(no_memory)?;
    read_at(gpu, source, 0, &mut bytes)?;
    Ok(bytes)
}

/// Reads a range of a buffer into existing memory.
pub(crate) fn read_at(gpu: &GpuHandles, source: &wgpu::Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
    if try_read(gpu, source, offset, target)? {
        return Ok(());
    }
    if target.len() <= SMALL_BYTES {
        return read_small(gpu, source, offset, target);
    }
    // Copies begin at whole words.
    let before = (offset.next_multiple_of(4) - offset) as usize;
    let (start, rest) = target.split_at_mut(before);
    read_small(gpu, source, offset, start)?;
    download(gpu, source, offset + before as u64, rest)
}

/// Reads at most [`SMALL_BYTES`].
fn read_small(gpu: &GpuHandles, source: &wgpu::Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
    if target.is_empty() {
        return Ok(());
    }
    // Copies begin at whole words, so up to three bytes before the range are read and skipped.
    let skipped = (offset % 4) as usize;
    let bytes = (skipped + target.len()).next_multiple_of(4) as u64;
    let mut kept = lock(&gpu.staging.small_download);
    let staging = match kept.take() {
        Some(staging) => staging,
        None => gpu.buffer(SMALL_BYTES as u64 + 8, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?,
    };
    let mapping = gpu.caught("reading a buffer", || {
        let mut encoder = gpu.new_encoder();
        encoder.copy_buffer_to_buffer(source, offset - skipped as u64, &staging, 0, Some(bytes));
        let submission = gpu.submit(encoder);
        Mapping::request(&staging, bytes, MapMode::Read, Some(submission))
    })?;
    look(gpu, &staging, mapping, bytes, |mapped| target.copy_from_slice(&mapped[skipped..][..target.len()]))?;
    *kept = Some(staging);
    Ok(())
}

/// Maps a staging buffer after all submitted work, and calls `look` with its bytes.
pub(crate) fn with_mapped(gpu: &GpuHandles, buffer: &wgpu::Buffer, access: impl FnOnce(&[u8])) -> Result<(), Error> {
    let mapping = gpu.caught("mapping a buffer", || Mapping::request(buffer, buffer.size(), MapMode::Read, None))?;
    look(gpu, buffer, mapping, buffer.size(), access)
}

/// Waits for a mapping, calls `access` with the bytes, and unmaps the buffer.
fn look(
    gpu: &GpuHandles,
    buffer: &wgpu::Buffer,
    mapping: Mapping,
    bytes: u64,
    access: impl FnOnce(&[u8]),
) -> Result<(), Error> {
    mapping.wait(&gpu.device, &gpu.health)?;
    let view = buffer.get_mapped_range(..bytes).map_err(|error| Error::driver("mapping a buffer", error))?;
    access(&view);
    drop(view);
    buffer.unmap();
    Ok(())
}
