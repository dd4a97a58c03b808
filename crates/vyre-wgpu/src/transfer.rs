//! Bytes on their way to the device, from it and on it.
//!
//! Devices move whole words. What begins or ends within a word goes through two small programs, written in the language that
//! everything else here is written in.

use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use vyre_ir::{OpTable, text};
use vyre_runtime::shell::padded_bytes;
use vyre_runtime::{Error, PipelineOptions};
use wgpu::{BufferUsages, CommandEncoder, PollType};

use crate::buffer::Storage;
use crate::encode::Dispatches;
use crate::opened::Opened;
use crate::pipeline::{Compiled, compile};

/// How buffers of programs may be used.
pub(crate) const STORAGE_USAGES: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

/// The bytes that are on their way at a time.
const CHUNK_BYTES: usize = 1 << 26;

/// The lanes of a workgroup of the programs below.
const LANES: u32 = 256;

/// Blends bytes into the words of a range. `params` are the first word, how many there are, the bits of the first and of the
/// last one that are in the range, and the bytes.
const FILL: &str = "
workgroup_size 256;
buffer target: read_write u32 @0;
buffer params: uniform u32 @1;
entry {
    let i = invocation_id.x;
    let words = params[1];
    if i < words {
        let at = params[0] + i;
        let mask = select(i == 0, params[2], 0xffffffff) & select(i == words - 1, params[3], 0xffffffff);
        target[at] = (target[at] & ~mask) | (params[4] & mask);
    }
}";

/// The same with bytes from another buffer. The last two of `params` are the word of the source that the first word of the
/// target begins in, which may lie before its start, and how many bits are before it there.
const COPY: &str = "
workgroup_size 256;
buffer target: read_write u32 @0;
buffer params: uniform u32 @1;
buffer source: read u32 @2;
entry {
    let i = invocation_id.x;
    let words = params[1];
    if i < words {
        let at = params[0] + i;
        let mask = select(i == 0, params[2], 0xffffffff) & select(i == words - 1, params[3], 0xffffffff);
        let low = source[params[4] + i];
        let high = source[params[4] + i + 1];
        let shift = params[5];
        let moved = select(shift == 0, low, (low >> shift) | (high << (32 - shift)));
        target[at] = (target[at] & ~mask) | (moved & mask);
    }
}";

/// Moves bytes that are no whole words.
pub(crate) struct ByteMover {
    fill: Compiled,
    copy: Compiled,
}

impl ByteMover {
    fn new(opened: &Opened) -> Result<ByteMover, Error> {
        Ok(ByteMover { fill: built(opened, FILL)?, copy: built(opened, COPY)? })
    }

    /// The programs of a device, which are compiled when they are first needed.
    fn of(opened: &Opened) -> Result<Arc<ByteMover>, Error> {
        opened.byte_mover.get_or_init(|| ByteMover::new(opened).map(Arc::new)).clone()
    }
}

fn built(opened: &Opened, source: &str) -> Result<Compiled, Error> {
    let parsed = text::parse(source).map_err(Error::lower)?;
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).map_err(|_| Error::lower("a program of the device is not valid"))?;
    compile(opened, &valid, &PipelineOptions::default(), true)
}

/// The words that a range of bytes lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Words {
    first: u32,
    count: u32,
    /// The bits of the first and of the last word that are in the range.
    first_mask: u32,
    last_mask: u32,
}

impl Words {
    /// The range must not be empty, and lie in a buffer that a device can bind.
    fn of(offset: u64, length: u64) -> Words {
        let end = offset + length;
        let (first, last) = (offset / 4, (end - 1) / 4);
        Words {
            first: first as u32,
            count: (last - first + 1) as u32,
            first_mask: u32::MAX << (offset % 4 * 8),
            last_mask: u32::MAX >> (31 - ((end - 1) % 4 * 8 + 7)),
        }
    }

    fn params(self) -> [u32; 4] {
        [self.first, self.count, self.first_mask, self.last_mask]
    }
}

/// Whether a range can be moved as it is: what lies behind the end of a buffer belongs to nobody.
fn is_whole_words(offset: u64, length: u64, size: u64) -> bool {
    offset.is_multiple_of(4) && (length.is_multiple_of(4) || offset + length == size)
}

/// Fills a range with a byte.
pub(crate) fn fill(
    opened: &Opened,
    dispatches: &mut Dispatches<'_>,
    target: &Storage,
    size: u64,
    (offset, length): (u64, u64),
    byte: u8,
) -> Result<(), Error> {
    if length == 0 {
        return Ok(());
    }
    if byte == 0 && is_whole_words(offset, length, size) {
        dispatches.encoder().clear_buffer(&target.buffer, offset, Some(length.next_multiple_of(4)));
        return Ok(());
    }
    let words = Words::of(offset, length);
    let mover = ByteMover::of(opened)?;
    let mut params = words.params().to_vec();
    params.push(u32::from_le_bytes([byte; 4]));
    let params = small_buffer(opened, &params);
    dispatches.dispatch_moved(&mover.fill, &[&target.buffer, &params], grid(words))
}

/// Copies a range of a buffer to another one, or within one.
pub(crate) fn copy(
    opened: &Opened,
    dispatches: &mut Dispatches<'_>,
    (source, source_size, source_offset): (&Storage, u64, u64),
    (target, target_size, target_offset): (&Storage, u64, u64),
    length: u64,
) -> Result<(), Error> {
    if length == 0 {
        return Ok(());
    }
    if source.id != target.id {
        let sizes = (source_size, target_size);
        return copy_apart(opened, dispatches, (&source.buffer, source_offset), target, sizes, target_offset, length);
    }
    // Buffers cannot be copied within themselves, so the words go elsewhere first.
    let first = source_offset / 4 * 4;
    let bytes = (source_offset + length - first).next_multiple_of(4);
    let between = dispatches.between(padded_bytes(bytes))?;
    dispatches.encoder().copy_buffer_to_buffer(&source.buffer, first, &between, 0, Some(bytes));
    let from = (&between, source_offset - first);
    copy_apart(opened, dispatches, from, target, (bytes, target_size), target_offset, length)
}

fn copy_apart(
    opened: &Opened,
    dispatches: &mut Dispatches<'_>,
    (source, source_offset): (&wgpu::Buffer, u64),
    target: &Storage,
    (source_size, target_size): (u64, u64),
    target_offset: u64,
    length: u64,
) -> Result<(), Error> {
    let is_plain = length.is_multiple_of(4) || target_offset + length == target_size;
    let fits = source_offset + length.next_multiple_of(4) <= padded_bytes(source_size);
    if source_offset.is_multiple_of(4) && target_offset.is_multiple_of(4) && is_plain && fits {
        let bytes = Some(length.next_multiple_of(4));
        dispatches.encoder().copy_buffer_to_buffer(source, source_offset, &target.buffer, target_offset, bytes);
        return Ok(());
    }
    let words = Words::of(target_offset, length);
    // Where the first word of the target begins in the source: up to three bytes before the range, so maybe before the start.
    let begins = source_offset + 4 - target_offset % 4;
    let mut params = words.params().to_vec();
    params.extend([(begins / 4).wrapping_sub(1) as u32, (begins % 4 * 8) as u32]);
    let params = small_buffer(opened, &params);
    let mover = ByteMover::of(opened)?;
    dispatches.dispatch_moved(&mover.copy, &[&target.buffer, &params, source], grid(words))
}

fn grid(words: Words) -> [u32; 3] {
    [words.count.div_ceil(LANES), 1, 1]
}

fn small_buffer(opened: &Opened, words: &[u32]) -> wgpu::Buffer {
    let mut contents: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    contents.resize(contents.len().next_multiple_of(16), 0);
    let size = contents.len() as u64;
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
    let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    let buffer = opened.device.create_buffer(&descriptor);
    opened.queue.write_buffer(&buffer, 0, &contents);
    buffer
}

/// Writes bytes to a buffer, in pieces that wait for each other, so that no more than a few of them are on their way.
pub(crate) fn write(opened: &Opened, target: &Storage, size: u64, offset: u64, bytes: &[u8]) -> Result<(), Error> {
    if bytes.is_empty() {
        return Ok(());
    }
    if is_whole_words(offset, bytes.len() as u64, size) {
        return write_words(opened, &target.buffer, offset, bytes);
    }
    let between = opened.buffer(padded_bytes(bytes.len() as u64), STORAGE_USAGES)?;
    write_words(opened, &between, 0, bytes)?;
    Dispatches::submitted(opened, |dispatches| {
        let sizes = (bytes.len() as u64, size);
        copy_apart(opened, dispatches, (&between, 0), target, sizes, offset, bytes.len() as u64)
    })
}

/// Writes whole words; bytes that are missing at the end are zero.
fn write_words(opened: &Opened, target: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
    let mut at = offset;
    for chunk in bytes.chunks(CHUNK_BYTES) {
        let whole = chunk.len() / 4 * 4;
        let (words, rest) = chunk.split_at(whole);
        opened.caught("writing a buffer", || {
            if !words.is_empty() {
                opened.queue.write_buffer(target, at, words);
            }
            if !rest.is_empty() {
                let mut last = [0; 4];
                last[..rest.len()].copy_from_slice(rest);
                opened.queue.write_buffer(target, at + whole as u64, &last);
            }
            // What is written lies in memory of the host until it has been submitted and is done.
            let staged = opened.staged.fetch_add(chunk.len() as u64, Ordering::Relaxed) + chunk.len() as u64;
            if staged >= CHUNK_BYTES as u64 {
                opened.staged.store(0, Ordering::Relaxed);
                let submission = opened.queue.submit([]);
                let _ = opened.device.poll(PollType::Wait { submission_index: Some(submission), timeout: None });
            }
        })?;
        at += chunk.len() as u64;
    }
    Ok(())
}

/// Reads the start of a buffer.
pub(crate) fn read(opened: &Opened, source: &wgpu::Buffer, size: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let length = usize::try_from(size).map_err(|_| Error::out_of_host_memory(size))?;
    bytes.try_reserve_exact(length).map_err(|_| Error::out_of_host_memory(size))?;
    read_pieces(opened, source, size, &mut |piece| bytes.extend_from_slice(piece))?;
    Ok(bytes)
}

/// The beginning of a buffer.
pub(crate) fn read_into(opened: &Opened, source: &wgpu::Buffer, target: &mut [u8]) -> Result<(), Error> {
    let mut at = 0;
    read_pieces(opened, source, target.len() as u64, &mut |piece| {
        target[at..at + piece.len()].copy_from_slice(piece);
        at += piece.len();
    })
}

fn read_pieces(opened: &Opened, source: &wgpu::Buffer, size: u64, take: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
    let staged = (CHUNK_BYTES as u64).min(padded_bytes(size));
    let staging = opened.buffer(staged, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
    let mut at = 0;
    while at < size {
        let count = (size - at).min(staged);
        opened.caught("reading a buffer", || {
            let mut encoder = new_encoder(opened);
            encoder.copy_buffer_to_buffer(source, at, &staging, 0, Some(count.next_multiple_of(4)));
            opened.queue.submit([encoder.finish()]);
        })?;
        with_mapped(opened, &staging, |mapped| take(&mapped[..count as usize]))?;
        at += count;
    }
    Ok(())
}

pub(crate) fn new_encoder(opened: &Opened) -> CommandEncoder {
    opened.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
}

/// Gives the contents of a buffer that the host may read to `look`, once everything that was submitted is done.
pub(crate) fn with_mapped(opened: &Opened, buffer: &wgpu::Buffer, look: impl FnOnce(&[u8])) -> Result<(), Error> {
    let (sender, receiver) = mpsc::channel();
    opened.caught("mapping a buffer", || {
        buffer.slice(..).map_async(wgpu::MapMode::Read, move |outcome| {
            // Nobody waits any more if this cannot be sent.
            let _ = sender.send(outcome);
        });
    })?;
    loop {
        let polled = opened.device.poll(PollType::wait_indefinitely());
        match receiver.recv_timeout(Duration::from_millis(1)) {
            Ok(Ok(())) => break,
            Ok(Err(error)) => {
                opened.health.check()?;
                return Err(Error::driver("mapping a buffer", error));
            }
            Err(_) => {
                opened.health.check()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_select_the_bytes_of_a_range() {
        for offset in 0..9_u64 {
            for length in 1..12_u64 {
                let words = Words::of(offset, length);
                let is_in = |byte: u64| (offset..offset + length).contains(&byte);
                for word in 0..8_u64 {
                    let at = word.wrapping_sub(u64::from(words.first));
                    let mut mask = if at < u64::from(words.count) { u32::MAX } else { 0 };
                    mask &= if at == 0 { words.first_mask } else { u32::MAX };
                    mask &= if at.wrapping_add(1) == u64::from(words.count) { words.last_mask } else { u32::MAX };
                    let expected = (0..4).filter(|byte| is_in(word * 4 + byte)).fold(0, |m, b| m | 0xff << (b * 8));
                    assert_eq!(mask, expected, "{offset}, {length}, word {word}");
                }
            }
        }
    }
}
