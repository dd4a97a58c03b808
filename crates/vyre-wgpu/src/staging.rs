//! Transfers between the host and buffers, through staging memory.

use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use vyre_runtime::Error;
use vyre_runtime::shell::padded_bytes;
use wgpu::{BufferUsages, PollType};

use crate::handles::GpuHandles;

/// Number of bytes in flight at a time.
const CHUNK_BYTES: usize = 1 << 26;

/// Writes bytes to a buffer from an offset that is a multiple of 4. The last word is padded with zeros.
///
/// wgpu copies the bytes into host memory until a submission completes, so the function waits after each chunk.
pub(crate) fn write_words(gpu: &GpuHandles, target: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
    let mut at = offset;
    for chunk in bytes.chunks(CHUNK_BYTES) {
        let whole = chunk.len() / 4 * 4;
        let (words, rest) = chunk.split_at(whole);
        gpu.caught("writing a buffer", || {
            if !words.is_empty() {
                gpu.queue.write_buffer(target, at, words);
            }
            if !rest.is_empty() {
                let mut last = [0; 4];
                last[..rest.len()].copy_from_slice(rest);
                gpu.queue.write_buffer(target, at + whole as u64, &last);
            }
            let staged = gpu.staged.fetch_add(chunk.len() as u64, Ordering::Relaxed) + chunk.len() as u64;
            if staged >= CHUNK_BYTES as u64 {
                gpu.staged.store(0, Ordering::Relaxed);
                let submission = gpu.queue.submit([]);
                let _ = gpu.device.poll(PollType::Wait { submission_index: Some(submission), timeout: None });
            }
        })?;
        at += chunk.len() as u64;
    }
    Ok(())
}

/// Reads the beginning of a buffer.
pub(crate) fn read(gpu: &GpuHandles, source: &wgpu::Buffer, size: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let length = usize::try_from(size).map_err(|_| Error::out_of_host_memory(size))?;
    bytes.try_reserve_exact(length).map_err(|_| Error::out_of_host_memory(size))?;
    read_chunks(gpu, source, 0, size, &mut |chunk| bytes.extend_from_slice(chunk))?;
    Ok(bytes)
}

/// Reads a range of a buffer into existing memory.
pub(crate) fn read_at(gpu: &GpuHandles, source: &wgpu::Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
    // Copies begin at whole words, so up to three bytes before the range are read and skipped.
    let mut skipped = (offset % 4) as usize;
    let start = offset - skipped as u64;
    let mut at = 0;
    read_chunks(gpu, source, start, offset + target.len() as u64, &mut |chunk| {
        let chunk = &chunk[std::mem::take(&mut skipped)..];
        target[at..at + chunk.len()].copy_from_slice(chunk);
        at += chunk.len();
    })
}

/// Passes the bytes from `start`, a multiple of 4, to `end` to `take`, chunk by chunk.
fn read_chunks(
    gpu: &GpuHandles,
    source: &wgpu::Buffer,
    start: u64,
    end: u64,
    take: &mut dyn FnMut(&[u8]),
) -> Result<(), Error> {
    let staged = (CHUNK_BYTES as u64).min(padded_bytes(end - start));
    let staging = gpu.buffer(staged, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
    let mut at = start;
    while at < end {
        let count = (end - at).min(staged);
        gpu.caught("reading a buffer", || {
            let mut encoder = gpu.new_encoder();
            encoder.copy_buffer_to_buffer(source, at, &staging, 0, Some(count.next_multiple_of(4)));
            gpu.queue.submit([encoder.finish()]);
        })?;
        with_mapped(gpu, &staging, |mapped| take(&mapped[..count as usize]))?;
        at += count;
    }
    Ok(())
}

/// Maps a staging buffer after all submitted work, and calls `look` with its bytes.
pub(crate) fn with_mapped(gpu: &GpuHandles, buffer: &wgpu::Buffer, look: impl FnOnce(&[u8])) -> Result<(), Error> {
    let (sender, receiver) = mpsc::channel();
    gpu.caught("mapping a buffer", || {
        buffer.slice(..).map_async(wgpu::MapMode::Read, move |outcome| {
            // The receiver is gone only if this call has returned.
            let _ = sender.send(outcome);
        });
    })?;
    loop {
        let polled = gpu.device.poll(PollType::wait_indefinitely());
        match receiver.recv_timeout(Duration::from_millis(1)) {
            Ok(Ok(())) => break,
            Ok(Err(error)) => {
                gpu.health.check()?;
                return Err(Error::driver("mapping a buffer", error));
            }
            Err(_) => {
                gpu.health.check()?;
                polled.map_err(|error| Error::driver("waiting for the device", error))?;
            }
        }
    }
    let view = buffer.slice(..).get_mapped_range().map_err(|error| Error::driver("mapping a buffer", error))?;
    look(&view);
    drop(view);
    buffer.unmap();
    Ok(())
}
