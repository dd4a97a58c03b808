//! zstd streams (RFC 8878): a sequence of frames and skippable frames.
//!
//! Frames of raw and RLE blocks only are decoded here, or on a device, block by block. Others are decoded on a device or by libzstd:
//! whole frames first, and block by block if that fails, in order to keep the output before the damage. Frames that state their size are
//! decoded in parallel.

mod frame;

use std::cell::RefCell;

use rayon::prelude::*;
use vyre_ops::checksum::ChecksumKind;
use xxhash_rust::xxh64::xxh64;
use zstd_safe::{DCtx, InBuffer, OutBuffer, ResetDirective};

use crate::problem::Problem;
use crate::stream::{
    Block, BlockOp, BlockStream, ContentSum, MAX_PARALLEL_OUTPUT, MAX_PARALLEL_UNITS, MAX_STREAM_BLOCKS,
    MIN_PARALLEL_BYTES, Resume, Run, StreamFormat, WholeFrame, WholeStream, corrupt, refused, skippable,
};
use crate::summary::{HostReason, ZstdBlockCounts};
#[cfg(test)]
pub(super) use frame::SCANS;
use frame::{BLOCK_HEADER_BYTES, BlockKind, Frame, FrameBlock, MAGIC, MAX_BLOCK_BYTES, MAX_DAMAGED_WINDOW, has_magic};

/// Format of zstd streams.
pub(super) static FORMAT: StreamFormat = StreamFormat {
    name: "zstd",
    title: "zstd",
    // A file of skippable frames alone is a stream without content.
    detect: |start| {
        let frame = skippable::skip_all(start);
        has_magic(start, frame) || (frame > 0 && frame == start.len())
    },
    decode,
    find_blocks: Some(find_blocks),
    always_has_checksum: false,
    suffixes: &[(b".zst", b""), (b".zstd", b""), (b".tzst", b".tar")],
};

/// Bytes of output for each byte of input that frames of unknown size rarely exceed.
const LIKELY_RATIO: u64 = 64;

thread_local! {
    /// One per thread: allocating one takes longer than decoding a small frame.
    static CONTEXT: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
}

/// Calls `work` with the decoder of this thread; returns none if there is no memory for a decoder.
fn with_context<R>(work: impl FnOnce(&mut DCtx<'static>) -> R) -> Option<R> {
    CONTEXT.with_borrow_mut(|slot| {
        if slot.is_none() {
            *slot = DCtx::try_create();
        }
        slot.as_mut().map(work)
    })
}

/// Finds the blocks of frames without compressed blocks, and the other frames, up to the first problem.
fn find_blocks(input: &[u8]) -> BlockStream {
    let mut blocks = Vec::new();
    let mut whole = WholeStream::default();
    let mut has_all = true;
    let reached_end = skippable::for_each_frame(input, |at| {
        let frame = has_magic(input, at).then(|| Frame::scan(input, at).ok()).flatten()?;
        let first = blocks.len();
        if frame.blocks_by_type.compressed == 0 && first as u64 + frame.blocks_by_type.total() <= MAX_STREAM_BLOCKS {
            blocks.extend(frame.blocks(input).map(|FrameBlock { start, size, end, .. }| Block {
                op: BlockOp::Zstd,
                input: start..end,
                expected: size,
                is_stored: false,
                checksum: None,
                units: 1,
            }));
        } else if frame.blocks_by_type.compressed > 0
            && let Some(room) = frame.device_room()
            && let Ok(end) = &frame.end
            && (blocks.len() as u64) < MAX_STREAM_BLOCKS
        {
            blocks.push(Block {
                op: BlockOp::ZstdFull,
                input: frame.start..*end,
                expected: room,
                is_stored: false,
                checksum: None,
                units: frame.blocks_by_type.total(),
            });
        } else {
            has_all = false;
            return Some(frame.end);
        }
        let sum = frame.content_checksum.map(|(_, low)| ContentSum { kind: ChecksumKind::Xxh64, low });
        whole.frames.push(WholeFrame { blocks: first..blocks.len(), size: frame.content_size(), sum });
        whole.zstd += frame.blocks_by_type;
        Some(frame.end)
    });
    BlockStream { blocks, whole: (has_all && reached_end).then_some(whole) }
}

/// Decodes all frames.
fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let input = run.input;
    let (mut at, mut parallel_from) = (0, 0);
    while at == 0 || at < input.len() {
        run.check_stop(at)?;
        if at >= parallel_from {
            Resume { at, parallel_from } = decode_in_parallel(run, at);
            if at > 0 && at == input.len() {
                break;
            }
        }
        if let Some(end) = skippable::end(input, at) {
            at = end?;
        } else if has_magic(input, at) {
            at = decode_frame(run, Frame::scan(input, at)?)?;
            if !run.problems.is_empty() {
                break;
            }
        } else {
            return Err(run.not_a_start(at, "this is no zstd frame"));
        }
    }
    Ok(())
}

/// Decodes a frame and returns the offset of the next one.
fn decode_frame(run: &mut Run<'_, '_>, frame: Frame) -> Result<usize, Problem> {
    let start = run.output.len();
    if let Some(size) = frame.content_size() {
        run.output.check(size).map_err(|exceeded| refused(frame.start, exceeded))?;
    }
    if frame.blocks_by_type.compressed == 0 {
        decode_simple_blocks(run, &frame)?;
    } else {
        if let Ok(end) = frame.end {
            if take_from_device(run, &frame) {
                return Ok(end);
            }
            if decode_whole(run, &frame, end) {
                count_on_host(run, &frame, frame.blocks_by_type);
                return Ok(end);
            }
        }
        decode_block_by_block(run, &frame)?;
    }
    let end = frame.end.clone()?;
    if let Some(size) = frame.content_size() {
        run.check_size(frame.start, start, size);
    }
    if let Some((at, expected)) = frame.content_checksum {
        // The frame stores the lower 32 bits.
        let found = xxh64(run.output.since(start), 0) as u32;
        run.check_sum(at, "XXH64 of the content", u64::from(expected), u64::from(found));
    }
    Ok(end)
}

/// Counts blocks of a frame with compressed blocks, which depend on each other, as decoded by the host.
fn count_on_host(run: &mut Run<'_, '_>, frame: &Frame, blocks: ZstdBlockCounts) {
    run.blocks.units += blocks.total();
    run.blocks.zstd += blocks;
    if frame.device_room().is_some() {
        run.results.count_on_host(frame.start, blocks.total(), HostReason::DeviceMemory);
        return;
    }
    run.blocks.count_without_op(HostReason::CompressedZstdBlock, blocks.compressed);
    run.blocks.count_without_op(HostReason::LinkedBlocks, blocks.raw + blocks.rle);
}

/// Takes a frame with compressed blocks from the device. Returns false if the device did not decode it, or if the content has another size or
/// checksum or is beyond a limit: the host gives the verdict.
fn take_from_device(run: &mut Run<'_, '_>, frame: &Frame) -> bool {
    let Some(found) = run.results.find(frame.start) else { return false };
    let has_size = frame.content_size().is_none_or(|size| size == found.bytes.len() as u64);
    // The frame stores the lower 32 bits.
    let has_sum = frame.content_checksum.is_none_or(|(_, sum)| sum == xxh64(found.bytes, 0) as u32);
    if !has_size || !has_sum || run.output.append(found.bytes).is_err() {
        run.results.reject(frame.start);
        return false;
    }
    run.blocks.units += frame.blocks_by_type.total();
    run.blocks.zstd += frame.blocks_by_type;
    run.results.done(frame.start);
    true
}

/// Decodes a frame without compressed blocks, or takes the output of the device.
fn decode_simple_blocks(run: &mut Run<'_, '_>, frame: &Frame) -> Result<(), Problem> {
    let input = run.input;
    for FrameBlock { start, kind, size, end, .. } in frame.blocks(input) {
        run.check_stop(start)?;
        let payload = &input[start + BLOCK_HEADER_BYTES..end];
        let appended = match (run.results.of(start), kind, payload) {
            (Some(result), _, _) => run.output.append(result),
            (None, BlockKind::Rle, &[byte]) => run.output.append_repeated(byte, size as usize),
            (None, _, payload) => run.output.append(payload),
        };
        appended.map_err(|error| refused(start, error))?;
        run.blocks.units += 1;
        run.blocks.zstd += kind.counted();
        run.results.done(start);
    }
    Ok(())
}

/// Decodes a frame that ends at `end` with one call of libzstd, which verifies size and checksum. Returns false if that fails or
/// if the limits do not cover the upper bound of the output.
fn decode_whole(run: &mut Run<'_, '_>, frame: &Frame, end: usize) -> bool {
    let likely = (end - frame.start) as u64 * LIKELY_RATIO + MAX_BLOCK_BYTES;
    let size = frame.content_size().unwrap_or(likely);
    let Ok(room) = usize::try_from(size.min(frame.max_output)) else { return false };
    if run.output.reserve(room).is_err() {
        return false;
    }
    let bytes = &run.input[frame.start..end];
    let filled = run.output.fill(room, |_, output| match with_context(|context| context.decompress(output, bytes)) {
        Some(Ok(produced)) => (produced, true),
        Some(Err(_)) | None => (0, false),
    });
    filled.unwrap_or(false)
}

/// Decodes the blocks of a frame one at a time, up to the damage. The caller verifies size and checksum.
fn decode_block_by_block(run: &mut Run<'_, '_>, frame: &Frame) -> Result<(), Problem> {
    let input = run.input;
    // No block refers to bytes before the frame.
    let window = frame.window().min(frame.max_output).max(1 << 10).next_power_of_two();
    if window > MAX_DAMAGED_WINDOW {
        return Err(corrupt(frame.start, "the zstd frame is damaged"));
    }
    // A header without content size and checksum: libzstd then emits the output of each block.
    let mut header = [0; 6];
    header[..4].copy_from_slice(&MAGIC.to_le_bytes());
    header[5] = (window.trailing_zeros() as u8 - 10) << 3;
    let mut room = vec![0; MAX_BLOCK_BYTES as usize];
    let whole = with_context(|context| {
        let started = context.reset(ResetDirective::SessionOnly).is_ok() && feed(context, &header, &mut room).is_ok();
        for FrameBlock { start, kind, end, .. } in frame.blocks(input) {
            run.check_stop(start)?;
            let produced = match feed(context, &input[start..end], &mut room) {
                Ok(produced) if started => produced,
                _ => return Err(corrupt(start, "the zstd block is damaged")),
            };
            run.output.append(&room[..produced]).map_err(|error| refused(start, error))?;
            count_on_host(run, frame, kind.counted());
        }
        Ok(())
    });
    with_context(|context| context.reset(ResetDirective::SessionOnly).is_ok());
    whole.unwrap_or_else(|| Err(corrupt(frame.start, "the zstd frame is damaged")))
}

/// Feeds bytes to a decoder and returns the number of bytes of output, at most one block.
fn feed(context: &mut DCtx<'_>, bytes: &[u8], room: &mut [u8]) -> Result<usize, ()> {
    let mut input = InBuffer::around(bytes);
    let mut output = OutBuffer::around(room);
    loop {
        let before = (input.pos(), output.pos());
        context.decompress_stream(&mut output, &mut input).map_err(drop)?;
        if (input.pos(), output.pos()) == before {
            break;
        }
    }
    if input.pos() == bytes.len() { Ok(output.pos()) } else { Err(()) }
}

/// Decodes frames that state their size in parallel from `at`, up to the first problem.
fn decode_in_parallel(run: &mut Run<'_, '_>, mut at: usize) -> Resume {
    let input = run.input;
    while input.len() - at >= MIN_PARALLEL_BYTES && !run.output.is_stopped() {
        let mut frames = Vec::new();
        let (mut next, mut total) = (at, 0);
        while (total as u64) < MAX_PARALLEL_OUTPUT && frames.len() < MAX_PARALLEL_UNITS {
            if let Some(Ok(end)) = skippable::end(input, next) {
                next = end;
                continue;
            }
            let is_for_host = has_magic(input, next) && run.results.find(next).is_none();
            let frame = is_for_host.then(|| Frame::scan(input, next).ok()).flatten();
            let Some(frame) = frame.filter(|frame| frame.blocks_by_type.compressed > 0) else { break };
            let (Some(size), Ok(end)) = (frame.content_size().filter(|&size| size <= frame.max_output), &frame.end)
            else {
                break;
            };
            let (Ok(size), end) = (usize::try_from(size), *end) else { break };
            next = end;
            total += size;
            frames.push((frame, end, size));
        }
        if frames.len() < 2 || next - at < MIN_PARALLEL_BYTES || run.output.reserve(total).is_err() {
            return Resume { at, parallel_from: next };
        }
        let done = run.output.fill(total, |_, output| {
            let mut rest = output;
            let mut jobs = Vec::with_capacity(frames.len());
            for (frame, end, size) in &frames {
                let (slot, after) = rest.split_at_mut(*size);
                jobs.push((&input[frame.start..*end], slot));
                rest = after;
            }
            let first_failure = jobs.into_par_iter().position_first(|(bytes, slot)| {
                let size = slot.len();
                let produced = with_context(|context| context.decompress(slot, bytes));
                !matches!(produced, Some(Ok(produced)) if produced == size)
            });
            let done = first_failure.unwrap_or(frames.len());
            (frames[..done].iter().map(|(_, _, size)| size).sum(), done)
        });
        let Ok(done) = done else { return Resume { at, parallel_from: next } };
        for (frame, end, _) in &frames[..done] {
            count_on_host(run, frame, frame.blocks_by_type);
            at = *end;
        }
        if done < frames.len() {
            return Resume { at, parallel_from: next };
        }
    }
    Resume { at, parallel_from: at }
}
