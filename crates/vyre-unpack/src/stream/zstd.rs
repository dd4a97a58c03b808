//! zstd streams: frames one after the other (RFC 8878).

use std::cell::RefCell;

use rayon::prelude::*;
use xxhash_rust::xxh64::xxh64;
use zstd_safe::{DCtx, InBuffer, OutBuffer, ResetDirective};

use super::zstd_frame::{BLOCK_HEADER, BlockKind, Frame, FrameBlock, MAGIC, has_magic};
use super::{MOST_BLOCKS, PARALLEL_FROM, PARALLEL_OUTPUT, Run, corrupt, limit, skippable};
use crate::blocks::{Block, BlockOp};
use crate::problem::Problem;
use crate::summary::HostReason;

/// The largest window for which the part of a damaged frame before the damage is decoded, as a power of two.
const WINDOW_MOST: u32 = 27;
/// Frames that do not say their size have no more output for each byte of input, but for rare cases.
const LIKELY_RATIO: u64 = 64;
/// The most output of a block.
const BLOCK_MOST: usize = 128 << 10;

thread_local! {
    /// One for each thread: making one takes longer than a small frame.
    static CONTEXT: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
}

/// Lets `work` have the decoder of this thread. There is none if there is no memory for it.
fn with_context<R>(work: impl FnOnce(&mut DCtx<'static>) -> R) -> Option<R> {
    CONTEXT.with_borrow_mut(|slot| {
        if slot.is_none() {
            *slot = DCtx::try_create();
        }
        slot.as_mut().map(work)
    })
}

/// The blocks that a device can decode, up to the first problem: those of frames without compressed blocks.
pub(super) fn plan(input: &[u8]) -> Vec<Block> {
    let mut blocks = Vec::new();
    skippable::walk(input, |at| {
        let frame = has_magic(input, at).then(|| Frame::scan(input, at).ok()).flatten()?;
        if frame.compressed == 0 && blocks.len() as u64 + frame.block_count <= MOST_BLOCKS {
            blocks.extend(frame.blocks(input).map(|FrameBlock { start, size, end, .. }| Block {
                op: BlockOp::Zstd,
                input: start..end,
                expected: size,
                stored: false,
            }));
        }
        Some(frame.end)
    });
    blocks
}

/// Decodes all frames.
pub(super) fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let input = run.input;
    let (mut at, mut parallel_from) = (0, 0);
    while at == 0 || at < input.len() {
        run.check_stop(at)?;
        if at >= parallel_from {
            (at, parallel_from) = decode_in_parallel(run, at);
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

/// Decodes a frame, and says where the next one begins.
fn decode_frame(run: &mut Run<'_, '_>, frame: Frame) -> Result<usize, Problem> {
    let start = run.output.len();
    if let Some(size) = frame.content_size() {
        run.output.check(size).map_err(|exceeded| limit(frame.start, exceeded))?;
    }
    if frame.compressed == 0 {
        decode_simple_blocks(run, &frame)?;
    } else {
        count_on_host(run, &frame);
        if let Ok(end) = frame.end
            && decode_whole(run, &frame, end)
        {
            run.units += frame.block_count;
            return Ok(end);
        }
        decode_block_by_block(run, &frame)?;
    }
    let end = frame.end.clone()?;
    if let Some(size) = frame.content_size() {
        run.check_size(frame.start, start, size);
    }
    if let Some((at, expected)) = frame.content_sum {
        // The frame has the lower half of it.
        let found = xxh64(run.output.since(start), 0) as u32;
        run.check_sum(at, "XXH64 of the content", u64::from(expected), u64::from(found));
    }
    Ok(end)
}

/// Counts the blocks of a frame that the host decodes, because some are compressed and these refer to all before them.
fn count_on_host(run: &mut Run<'_, '_>, frame: &Frame) {
    run.results.count(HostReason::CompressedZstdBlock, frame.compressed);
    run.results.count(HostReason::LinkedBlocks, frame.block_count - frame.compressed);
}

/// Decodes a frame without compressed blocks, or takes what a device made of them.
fn decode_simple_blocks(run: &mut Run<'_, '_>, frame: &Frame) -> Result<(), Problem> {
    let input = run.input;
    for FrameBlock { start, kind, size, end, .. } in frame.blocks(input) {
        run.check_stop(start)?;
        let payload = &input[start + BLOCK_HEADER..end];
        let appended = match (run.results.of(start), kind, payload) {
            (Some(result), _, _) => run.output.append(result),
            (None, BlockKind::Repeated, &[byte]) => run.output.append_repeated(byte, size as usize),
            (None, _, payload) => run.output.append(payload),
        };
        appended.map_err(|exceeded| limit(start, exceeded))?;
        run.units += 1;
        run.results.done(start);
    }
    Ok(())
}

/// Decodes a frame that ends at `end` in one go, if nothing is wrong with it and its output fits the limits for sure. The
/// decoder checks the size and the checksum.
fn decode_whole(run: &mut Run<'_, '_>, frame: &Frame, end: usize) -> bool {
    let likely = (end - frame.start) as u64 * LIKELY_RATIO + BLOCK_MOST as u64;
    let size = frame.content_size().unwrap_or(likely);
    let Ok(room) = usize::try_from(size.min(frame.room)) else { return false };
    if run.output.reserve(room).is_err() {
        return false;
    }
    let bytes = &run.input[frame.start..end];
    run.output.fill(room, |_, output| match with_context(|context| context.decompress(output, bytes)) {
        Some(Ok(produced)) => (produced, true),
        Some(Err(_)) | None => (0, false),
    })
}

/// Decodes the blocks of a frame one after the other, up to the damage. Sizes and checksums of the whole are not looked at.
fn decode_block_by_block(run: &mut Run<'_, '_>, frame: &Frame) -> Result<(), Problem> {
    let input = run.input;
    // No block refers to what is beyond the start of the frame.
    let window = frame.window().min(frame.room).max(1 << 10).next_power_of_two();
    if window > 1 << WINDOW_MOST {
        return Err(corrupt(frame.start, "the zstd frame is damaged"));
    }
    // The same frame without content size and checksum.
    let mut header = [0; 6];
    header[..4].copy_from_slice(&MAGIC.to_le_bytes());
    header[5] = (window.trailing_zeros() as u8 - 10) << 3;
    let mut room = vec![0; BLOCK_MOST];
    let whole = with_context(|context| {
        let started = context.reset(ResetDirective::SessionOnly).is_ok() && feed(context, &header, &mut room).is_ok();
        for FrameBlock { start, end, .. } in frame.blocks(input) {
            run.check_stop(start)?;
            let produced = match feed(context, &input[start..end], &mut room) {
                Ok(produced) if started => produced,
                _ => return Err(corrupt(start, "the zstd block is damaged")),
            };
            run.output.append(&room[..produced]).map_err(|exceeded| limit(start, exceeded))?;
            run.units += 1;
        }
        Ok(())
    });
    with_context(|context| context.reset(ResetDirective::SessionOnly).is_ok());
    whole.unwrap_or_else(|| Err(corrupt(frame.start, "the zstd frame is damaged")))
}

/// Gives bytes to a decoder, which puts output of one block at most into the room.
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

/// Decodes frames whose sizes are known from `at` on by several threads, as far as nothing is wrong with them. It says where the
/// next frame begins, and from where on there may be frames that are worth another try.
fn decode_in_parallel(run: &mut Run<'_, '_>, mut at: usize) -> (usize, usize) {
    let input = run.input;
    while input.len() - at >= PARALLEL_FROM && !run.output.is_stopped() {
        let mut frames = Vec::new();
        let (mut next, mut total) = (at, 0);
        while (total as u64) < PARALLEL_OUTPUT {
            if let Some(Ok(end)) = skippable::end(input, next) {
                next = end;
                continue;
            }
            let frame = has_magic(input, next).then(|| Frame::scan(input, next).ok()).flatten();
            let Some(frame) = frame.filter(|frame| frame.compressed > 0) else { break };
            let (Some(size), Ok(end)) = (frame.content_size().filter(|&size| size <= frame.room), &frame.end) else {
                break;
            };
            let (Ok(size), end) = (usize::try_from(size), *end) else { break };
            next = end;
            total += size;
            frames.push((frame, end, size));
        }
        if frames.len() < 2 || next - at < PARALLEL_FROM || run.output.reserve(total).is_err() {
            return (at, next);
        }
        let done = run.output.fill(total, |_, output| {
            let mut rest = output;
            let mut jobs = Vec::with_capacity(frames.len());
            for (frame, end, size) in &frames {
                let (place, after) = rest.split_at_mut(*size);
                jobs.push((&input[frame.start..*end], place));
                rest = after;
            }
            let first_failure = jobs.into_par_iter().position_first(|(bytes, place)| {
                let size = place.len();
                let produced = with_context(|context| context.decompress(place, bytes));
                !matches!(produced, Some(Ok(produced)) if produced == size)
            });
            let done = first_failure.unwrap_or(frames.len());
            (frames[..done].iter().map(|(_, _, size)| size).sum(), done)
        });
        for (frame, end, _) in &frames[..done] {
            run.units += frame.block_count;
            count_on_host(run, frame);
            at = *end;
        }
        if done < frames.len() {
            return (at, next);
        }
    }
    (at, at)
}
