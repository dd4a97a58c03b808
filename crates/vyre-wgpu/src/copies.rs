//! Fills and copies of byte ranges.
//!
//! wgpu copies whole words only. Two compute programs, written in the IR, handle ranges that begin or end within a word: they
//! blend the bytes into the words under a mask.

use std::sync::OnceLock;

use vyre_ir::{OpTable, text};
use vyre_runtime::shell::padded_bytes;
use vyre_runtime::{Error, PipelineOptions, RunOptions};
use wgpu::BufferUsages;

use crate::buffer::{STORAGE_USAGES, Storage};
use crate::compile::{CompiledProgram, compile};
use crate::direct::try_write;
use crate::handles::GpuHandles;
use crate::recorder::{PreparedDispatch, Recorder};
use crate::staging::write_words;

/// Workgroup size of the programs below.
const WORKGROUP_INVOCATIONS: u32 = 256;

/// Fills a range.
///
/// | Word of `params` | Value |
/// |---|---|
/// | 0 | first word of the target |
/// | 1 | number of words |
/// | 2 | bits of the first word in the range |
/// | 3 | bits of the last word in the range |
/// | 4 | the byte, four times |
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

/// Copies a range.
///
/// | Word of `params` | Value |
/// |---|---|
/// | 0 to 3 | as in [`FILL`] |
/// | 4 | word of the source in which the first word of the target begins; may be -1 |
/// | 5 | bits before it in that word |
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

/// Compiled programs for unaligned ranges, compiled on first use.
#[derive(Default)]
pub(crate) struct CopyPrograms {
    compiled: OnceLock<Result<Programs, Error>>,
}

struct Programs {
    fill: CompiledProgram,
    copy: CompiledProgram,
}

impl CopyPrograms {
    fn get(&self, gpu: &GpuHandles) -> Result<&Programs, Error> {
        let compiled = self
            .compiled
            .get_or_init(|| Ok(Programs { fill: compile_source(gpu, FILL)?, copy: compile_source(gpu, COPY)? }));
        compiled.as_ref().map_err(Clone::clone)
    }
}

fn compile_source(gpu: &GpuHandles, source: &str) -> Result<CompiledProgram, Error> {
    let parsed = text::parse(source).map_err(Error::lower)?;
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).map_err(|_| Error::lower("a program of the backend is not valid"))?;
    compile(gpu, &valid, &PipelineOptions::default(), true)
}

/// Words that a byte range overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WordRange {
    first: u32,
    count: u32,
    /// Bits of the first word in the range.
    first_mask: u32,
    /// Bits of the last word in the range.
    last_mask: u32,
}

impl WordRange {
    /// The range must not be empty and must lie in a buffer within the limits of a binding.
    fn of(offset: u64, length: u64) -> WordRange {
        let end = offset + length;
        let (first, last) = (offset / 4, (end - 1) / 4);
        WordRange {
            first: first as u32,
            count: (last - first + 1) as u32,
            first_mask: u32::MAX << (offset % 4 * 8),
            last_mask: u32::MAX >> (31 - ((end - 1) % 4 * 8 + 7)),
        }
    }

    fn params(self) -> [u32; 4] {
        [self.first, self.count, self.first_mask, self.last_mask]
    }

    fn grid(self) -> [u32; 3] {
        [self.count.div_ceil(WORKGROUP_INVOCATIONS), 1, 1]
    }
}

/// Byte range of a buffer of a program.
#[derive(Clone, Copy)]
pub(crate) struct ByteRange<'b> {
    pub(crate) storage: &'b Storage,
    /// Size of the buffer as programs see it, without padding.
    pub(crate) buffer_size: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

impl ByteRange<'_> {
    /// True if the range ends at a word boundary or at the end of the buffer, whose padding no program observes.
    fn ends_at_word(self) -> bool {
        self.length.is_multiple_of(4) || self.offset + self.length == self.buffer_size
    }

    /// True if wgpu can write the range directly.
    fn is_aligned(self) -> bool {
        self.offset.is_multiple_of(4) && self.ends_at_word()
    }
}

/// Source of a copy to another buffer.
#[derive(Clone, Copy)]
struct CopySource<'b> {
    buffer: &'b wgpu::Buffer,
    /// Size of its contents, without padding.
    size: u64,
    offset: u64,
}

/// Records a fill.
pub(crate) fn fill(
    recorder: &mut Recorder<'_>,
    programs: &CopyPrograms,
    target: ByteRange<'_>,
    byte: u8,
) -> Result<(), Error> {
    if target.length == 0 {
        return Ok(());
    }
    let buffer = &target.storage.buffer;
    if byte == 0 && target.is_aligned() {
        recorder.encoder().clear_buffer(buffer, target.offset, Some(target.length.next_multiple_of(4)));
        return Ok(());
    }
    let gpu = recorder.gpu;
    let words = WordRange::of(target.offset, target.length);
    let program = &programs.get(gpu)?.fill;
    let mut params = words.params().to_vec();
    params.push(u32::from_le_bytes([byte; 4]));
    let params = parameter_buffer(gpu, &params);
    let mut dispatch = PreparedDispatch::uncached(gpu, program, &[buffer, &params], words.grid());
    recorder.dispatch(program, &mut dispatch)
}

/// Records a copy between two buffers, or within one. Both ranges have the same length.
pub(crate) fn copy(
    recorder: &mut Recorder<'_>,
    programs: &CopyPrograms,
    source: ByteRange<'_>,
    target: ByteRange<'_>,
) -> Result<(), Error> {
    if target.length == 0 {
        return Ok(());
    }
    let buffer = &source.storage.buffer;
    if source.storage.id != target.storage.id {
        let source = CopySource { buffer, size: source.buffer_size, offset: source.offset };
        return copy_between(recorder, programs, source, target);
    }
    // wgpu cannot copy within a buffer, so the words go through intermediate memory.
    let first = source.offset / 4 * 4;
    let bytes = (source.offset + source.length - first).next_multiple_of(4);
    let scratch = recorder.scratch(padded_bytes(bytes))?;
    recorder.encoder().copy_buffer_to_buffer(buffer, first, &scratch, 0, Some(bytes));
    let source = CopySource { buffer: &scratch, size: bytes, offset: source.offset - first };
    copy_between(recorder, programs, source, target)
}

fn copy_between(
    recorder: &mut Recorder<'_>,
    programs: &CopyPrograms,
    source: CopySource<'_>,
    target: ByteRange<'_>,
) -> Result<(), Error> {
    let gpu = recorder.gpu;
    let buffer = &target.storage.buffer;
    let fits = source.offset + target.length.next_multiple_of(4) <= padded_bytes(source.size);
    if source.offset.is_multiple_of(4) && target.is_aligned() && fits {
        let bytes = Some(target.length.next_multiple_of(4));
        recorder.encoder().copy_buffer_to_buffer(source.buffer, source.offset, buffer, target.offset, bytes);
        return Ok(());
    }
    let words = WordRange::of(target.offset, target.length);
    // Byte of the source at which the first word of the target begins, plus 4: the word may begin before the source.
    let begin = source.offset + 4 - target.offset % 4;
    let mut params = words.params().to_vec();
    params.extend([(begin / 4).wrapping_sub(1) as u32, (begin % 4 * 8) as u32]);
    let params = parameter_buffer(gpu, &params);
    let program = &programs.get(gpu)?.copy;
    let mut dispatch = PreparedDispatch::uncached(gpu, program, &[buffer, &params, source.buffer], words.grid());
    recorder.dispatch(program, &mut dispatch)
}

fn parameter_buffer(gpu: &GpuHandles, words: &[u32]) -> wgpu::Buffer {
    let mut contents: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    contents.resize(contents.len().next_multiple_of(16), 0);
    let size = contents.len() as u64;
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
    let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    let buffer = gpu.device.create_buffer(&descriptor);
    gpu.queue.write_buffer(&buffer, 0, &contents);
    buffer
}

/// Writes bytes to a range of the same length.
pub(crate) fn write(
    gpu: &GpuHandles,
    programs: &CopyPrograms,
    target: ByteRange<'_>,
    bytes: &[u8],
) -> Result<(), Error> {
    if bytes.is_empty() {
        return Ok(());
    }
    if try_write(gpu, &target.storage.buffer, target.offset, bytes)? {
        return Ok(());
    }
    if target.is_aligned() {
        return write_words(gpu, &target.storage.buffer, target.offset, bytes);
    }
    let staging = gpu.buffer(padded_bytes(bytes.len() as u64), STORAGE_USAGES)?;
    write_words(gpu, &staging, 0, bytes)?;
    let options = RunOptions::default();
    gpu.caught("submitting a copy", || {
        let mut recorder = Recorder::new(gpu, &options);
        let source = CopySource { buffer: &staging, size: bytes.len() as u64, offset: 0 };
        copy_between(&mut recorder, programs, source, target)?;
        recorder.submit();
        Ok(())
    })?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_select_the_bytes_of_a_range() {
        for offset in 0..9_u64 {
            for length in 1..12_u64 {
                let words = WordRange::of(offset, length);
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
