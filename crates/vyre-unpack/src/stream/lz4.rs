//! LZ4 streams: frames one after the other.

use lz4_flex::block::{decompress_into, decompress_into_with_dict};
use rayon::prelude::*;
use xxhash_rust::xxh32::xxh32;

use super::lz4_block::{self, ERROR_NONE};
use super::lz4_frame::{Frame, FrameBlock, FrameBlocks, has_legacy_magic, has_magic};
use super::{MOST_BLOCKS, PARALLEL_FROM, PARALLEL_OUTPUT, Run, corrupt, limit, problem, skippable};
use crate::blocks::{Block, BlockOp};
use crate::problem::{Problem, ProblemKind};
use crate::summary::HostReason;

/// The most blocks that threads work on at a time.
const PARALLEL_BLOCKS: usize = 1 << 16;

/// The blocks that a device can decode, up to the first problem.
pub(super) fn plan(input: &[u8]) -> Vec<Block> {
    let mut blocks = Vec::new();
    skippable::walk(input, |at| {
        if !has_magic(input, at) && !has_legacy_magic(input, at) {
            return None;
        }
        let frame = Frame::scan(input, at).ok()?;
        if !frame.is_linked() && blocks.len() as u64 + frame.block_count <= MOST_BLOCKS {
            blocks.extend(frame.blocks(input).map(|FrameBlock { input, stored, expected, .. }| Block {
                op: BlockOp::Lz4,
                input,
                expected,
                stored,
            }));
        }
        Some(frame.end)
    });
    blocks
}

/// Decodes all frames.
pub(super) fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let input = run.input;
    let mut at = 0;
    while at == 0 || at < input.len() {
        run.check_stop(at)?;
        if let Some(end) = skippable::end(input, at) {
            at = end?;
        } else if has_magic(input, at) || has_legacy_magic(input, at) {
            at = decode_frame(run, Frame::scan(input, at)?)?;
            if !run.problems.is_empty() {
                break;
            }
        } else {
            return Err(run.not_a_start(at, "this is no LZ4 frame"));
        }
    }
    Ok(())
}

/// Decodes a frame, and says where the next one begins.
fn decode_frame(run: &mut Run<'_, '_>, frame: Frame) -> Result<usize, Problem> {
    let input = run.input;
    let start = run.output.len();
    if let Some(size) = frame.content_size() {
        let reserved = run.output.check(size).and_then(|()| match usize::try_from(size.min(frame.room)) {
            Ok(size) => run.output.reserve(size),
            Err(_) => Ok(()),
        });
        reserved.map_err(|exceeded| limit(frame.start, exceeded))?;
    }
    let mut blocks = frame.blocks(input);
    if frame.is_linked() {
        run.results.count(HostReason::LinkedBlocks, frame.block_count);
        for block in blocks {
            decode_block(run, &block, None, Some(start))?;
        }
    } else {
        if frame.block_count > 1 && frame.blocks_end - frame.start >= PARALLEL_FROM {
            decode_in_parallel(run, &mut blocks);
        }
        for block in blocks {
            let result = run.results.of(block.input.start);
            decode_block(run, &block, result, None)?;
        }
    }
    let end = frame.end.clone()?;
    if let Some(size) = frame.content_size() {
        run.check_size(frame.start, start, size);
    }
    if let Some((at, expected)) = frame.content_sum {
        let found = xxh32(run.output.since(start), 0);
        run.check_sum(at, "XXH32 of the content", u64::from(expected), u64::from(found));
    }
    Ok(end)
}

/// Decodes a block, or takes the bytes that a device made of it. A block of a linked frame may refer to the output from
/// `history` on.
fn decode_block(
    run: &mut Run<'_, '_>,
    block: &FrameBlock,
    result: Option<&[u8]>,
    history: Option<usize>,
) -> Result<(), Problem> {
    let at = block.input.start;
    run.check_stop(at)?;
    let bytes = &run.input[block.input.clone()];
    if let Some(expected) = block.sum {
        let found = xxh32(bytes, 0);
        if found != expected {
            let (expected, found) = (u64::from(expected), u64::from(found));
            return Err(problem(at, ProblemKind::Checksum { what: "XXH32 of the LZ4 block", expected, found }));
        }
    }
    let room = block.room as usize;
    let history_of =
        |before: &[u8]| history.map_or(before.len(), |start| start.max(before.len().saturating_sub(lz4_block::WINDOW)));
    let code = if let Some(output) = result.or(block.stored.then_some(bytes)) {
        run.output.append(output).map_err(|exceeded| limit(at, exceeded))?;
        ERROR_NONE
    } else if room as u64 <= run.output.left() {
        run.output.reserve(room).map_err(|exceeded| limit(at, exceeded))?;
        run.output.fill(room, |before, output| {
            let (code, produced) = decode_after(&before[history_of(before)..], bytes, output);
            (produced, code)
        })
    } else {
        // The limits allow less than the block may have, but it may well have less.
        let mut output = vec![0; room];
        let before = run.output.since(0);
        let (code, produced) = decode_after(&before[history_of(before)..], bytes, &mut output);
        run.output.append(&output[..produced]).map_err(|exceeded| limit(at, exceeded))?;
        code
    };
    if code != ERROR_NONE {
        return Err(corrupt(at, lz4_block::what(code)));
    }
    run.units += 1;
    run.results.done(at);
    Ok(())
}

/// Decodes a block after this history, and gives the error code and the number of bytes before the error.
fn decode_after(history: &[u8], bytes: &[u8], output: &mut [u8]) -> (u32, usize) {
    let fast = if history.is_empty() {
        decompress_into(bytes, output)
    } else {
        decompress_into_with_dict(bytes, output, history)
    };
    match fast {
        Ok(produced) => (ERROR_NONE, produced),
        // It refuses blocks that end with a match, which the rules allow.
        Err(_) => lz4_block::decode_after(history, bytes, output),
    }
}

/// Decodes independent blocks by several threads, as far as nothing is wrong with them.
fn decode_in_parallel(run: &mut Run<'_, '_>, blocks: &mut FrameBlocks<'_>) {
    let input = run.input;
    while !run.output.is_stopped() {
        let mut jobs = Vec::new();
        let mut total = 0;
        let mut ahead = blocks.clone();
        while (total as u64) < PARALLEL_OUTPUT
            && jobs.len() < PARALLEL_BLOCKS
            && let Some(block) = ahead.next()
        {
            let result = run.results.of(block.input.start);
            let room = result.map_or(block.expected as usize, <[u8]>::len);
            total += room;
            jobs.push((block, result, room));
        }
        if jobs.is_empty() || run.output.reserve(total).is_err() {
            return;
        }
        let done = run.output.fill(total, |_, output| {
            let mut rest = &mut output[..];
            let mut places = Vec::with_capacity(jobs.len());
            for (_, _, room) in &jobs {
                let (place, after) = rest.split_at_mut(*room);
                places.push(place);
                rest = after;
            }
            let sizes = jobs.par_iter().zip(places).map(|((block, result, _), place)| {
                let bytes = &input[block.input.clone()];
                if block.sum.is_some_and(|expected| xxh32(bytes, 0) != expected) {
                    return None;
                }
                if let Some(stored) = result.or(block.stored.then_some(bytes)) {
                    place.copy_from_slice(stored);
                    return Some(stored.len());
                }
                let (code, produced) = decode_after(&[], bytes, place);
                (code == ERROR_NONE).then_some(produced)
            });
            let sizes: Vec<_> = sizes.collect();
            let (mut kept, mut place, mut done) = (0, 0, 0);
            for ((_, _, room), size) in jobs.iter().zip(sizes) {
                let Some(size) = size else { break };
                if place != kept {
                    output.copy_within(place..place + size, kept);
                }
                place += room;
                kept += size;
                done += 1;
            }
            (kept, done)
        });
        run.units += done as u64;
        if let Some((block, _, _)) = jobs[..done].last() {
            run.results.done(block.input.start);
        }
        let all = done == jobs.len();
        if done > 0 {
            blocks.nth(done - 1);
        }
        if !all {
            return;
        }
    }
}
