//! LZ4 streams (LZ4 frame format): a sequence of frames, legacy frames and skippable frames.
//!
//! Independent blocks are decoded in parallel, or on a device. Linked blocks refer to the output before them and are decoded
//! sequentially.

mod block;
mod frame;
pub(super) mod sequences;

use rayon::prelude::*;
use vyre_ops::checksum::ChecksumKind;
use xxhash_rust::xxh32::{Xxh32, xxh32};

use crate::limits::LimitExceeded;
use crate::problem::{Problem, ProblemKind};
use crate::stream::{
    Block, BlockOp, BlockStream, ContentSum, MAX_PARALLEL_OUTPUT, MAX_PARALLEL_UNITS, MAX_STREAM_BLOCKS,
    MIN_PARALLEL_BYTES, Run, StreamFormat, WholeFrame, WholeStream, corrupt, problem, refused, skippable,
};
use crate::summary::HostReason;
use block::{BlockEnd, ERROR_NONE};
use frame::{Frame, FrameBlock, FrameBlocks, has_any_magic};

#[cfg(test)]
pub(super) use block::decode_exactly;

/// Format of LZ4 streams.
pub(super) static FORMAT: StreamFormat = StreamFormat {
    name: "lz4",
    title: "LZ4",
    detect: |start| has_any_magic(start, skippable::skip_all(start)),
    decode,
    find_blocks: Some(find_blocks),
    always_has_checksum: false,
    suffixes: &[(b".lz4", b""), (b".tlz4", b".tar")],
};

/// Finds the independent blocks up to the first problem.
fn find_blocks(input: &[u8]) -> BlockStream {
    let mut blocks = Vec::new();
    let mut frames = Vec::new();
    let mut has_all = true;
    let reached_end = skippable::for_each_frame(input, |at| {
        if !has_any_magic(input, at) {
            return None;
        }
        let frame = Frame::scan(input, at).ok()?;
        if !frame.is_linked() && blocks.len() as u64 + frame.block_count <= MAX_STREAM_BLOCKS {
            let first = blocks.len();
            blocks.extend(frame.blocks(input).map(|FrameBlock { input, is_stored, checksum, expected, .. }| Block {
                op: BlockOp::Lz4,
                input,
                expected,
                is_stored,
                checksum,
                units: 1,
            }));
            let sum = frame.content_checksum.map(|(_, low)| ContentSum { kind: ChecksumKind::Xxh32, low });
            frames.push(WholeFrame { blocks: first..blocks.len(), size: frame.content_size(), sum });
        } else {
            has_all = false;
        }
        Some(frame.end)
    });
    let whole = (has_all && reached_end).then_some(WholeStream { frames, ..WholeStream::default() });
    BlockStream { blocks, whole }
}

/// Decodes all frames.
fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let input = run.input;
    let mut at = 0;
    while at == 0 || at < input.len() {
        run.check_stop(at)?;
        if let Some(end) = skippable::end(input, at) {
            at = end?;
        } else if has_any_magic(input, at) {
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

/// Checksum of the content of a frame, computed while the content is in the cache.
struct ContentHash {
    /// None if the frame has no checksum.
    hash: Option<Xxh32>,
    /// Size of the output up to which it is hashed.
    hashed: usize,
}

impl ContentHash {
    /// Hashes the output so far.
    fn update(&mut self, output: &[u8]) {
        if let Some(hash) = &mut self.hash {
            hash.update(output.get(self.hashed..).unwrap_or_default());
            self.hashed = output.len();
        }
    }
}

/// Decodes a frame and returns the offset of the next one.
fn decode_frame(run: &mut Run<'_, '_>, frame: Frame) -> Result<usize, Problem> {
    let input = run.input;
    let start = run.output.len();
    if let Some(size) = frame.content_size() {
        let reserved = run.output.check(size).and_then(|()| match usize::try_from(size.min(frame.max_output)) {
            Ok(size) => run.output.reserve(size),
            Err(_) => Ok(()),
        });
        reserved.map_err(|exceeded| refused(frame.start, exceeded))?;
    } else if let Ok(most) = usize::try_from(frame.max_output.min(MAX_PARALLEL_OUTPUT)) {
        // Blocks are full but for the last one, so the bound is near. If it is beyond the limits, the output grows with its blocks.
        let _: Result<(), LimitExceeded> = run.output.reserve(most);
    }
    let mut blocks = frame.blocks(input);
    let mut content = ContentHash { hash: frame.content_checksum.map(|_| Xxh32::new(0)), hashed: start };
    if frame.is_linked() {
        for block in blocks {
            decode_block(run, &block, None, Some(start))?;
            content.update(run.output.since(0));
            run.blocks.count_without_op(HostReason::LinkedBlocks, 1);
        }
    } else {
        if frame.block_count > 1 && frame.blocks_end - frame.start >= MIN_PARALLEL_BYTES {
            decode_in_parallel(run, &mut blocks, &mut content);
        }
        for block in blocks {
            let result = run.results.of(block.input.start);
            decode_block(run, &block, result, None)?;
            content.update(run.output.since(0));
        }
    }
    content.update(run.output.since(0));
    let end = frame.end.clone()?;
    if let Some(size) = frame.content_size() {
        run.check_size(frame.start, start, size);
    }
    if let (Some((at, expected)), Some(hash)) = (frame.content_checksum, content.hash) {
        let found = hash.digest();
        run.check_sum(at, "XXH32 of the content", u64::from(expected), u64::from(found));
    }
    Ok(end)
}

/// Decodes a block, or takes the output of the device. A block of a linked frame may refer to the output from offset
/// `history`.
fn decode_block(
    run: &mut Run<'_, '_>,
    block: &FrameBlock,
    result: Option<&[u8]>,
    history: Option<usize>,
) -> Result<(), Problem> {
    let at = block.input.start;
    run.check_stop(at)?;
    let bytes = &run.input[block.input.clone()];
    if let Some(expected) = block.checksum {
        let found = xxh32(bytes, 0);
        if found != expected {
            let (expected, found) = (u64::from(expected), u64::from(found));
            return Err(problem(at, ProblemKind::Checksum { what: "XXH32 of the LZ4 block", expected, found }));
        }
    }
    let max_output = block.max_output as usize;
    let start = run.output.len();
    let lowest = history.unwrap_or(start);
    let code = if let Some(output) = result.or(block.is_stored.then_some(bytes)) {
        run.output.append(output).map_err(|exceeded| refused(at, exceeded))?;
        ERROR_NONE
    } else if max_output as u64 <= run.output.left() {
        run.output.reserve(max_output).map_err(|exceeded| refused(at, exceeded))?;
        let filled = run.output.rewrite_from(0, max_output, |all| {
            let BlockEnd { code, produced } = decode_at(all, lowest, start, bytes);
            (start + produced, code)
        });
        filled.map_err(|error| refused(at, error))?
    } else {
        // The limits allow less than the upper bound, but the actual output may fit.
        let lowest = lowest.max(start.saturating_sub(block::WINDOW_BYTES));
        let mut all = run.output.since(lowest).to_vec();
        let start = all.len();
        all.resize(start + max_output, 0);
        let BlockEnd { code, produced } = decode_at(&mut all, 0, start, bytes);
        run.output.append(&all[start..start + produced]).map_err(|exceeded| refused(at, exceeded))?;
        code
    };
    if code != ERROR_NONE {
        return Err(corrupt(at, block::problem_text(code)));
    }
    run.blocks.units += 1;
    run.results.done(at);
    Ok(())
}

/// Decodes a block into `all[start..]`. It may refer to the bytes from `lowest` on.
fn decode_at(all: &mut [u8], lowest: usize, start: usize, bytes: &[u8]) -> BlockEnd {
    match sequences::decode(bytes, all, lowest, start) {
        Some(produced) => BlockEnd { code: ERROR_NONE, produced },
        // The reference decoder tells what is wrong, and keeps the bytes before it.
        None => {
            let (before, output) = all.split_at_mut(start);
            block::decode_after(&before[lowest..], bytes, output)
        }
    }
}

/// Blocks for each thread that are decoded at a time, while the output before them is hashed.
const GROUP_BLOCKS: usize = 8;

/// A block to decode, with the output of the device and the room for the output of the host.
type BlockJob<'i> = (FrameBlock, Option<&'i [u8]>, usize);

/// Decodes a block into its slot. Returns the size of the output; none for a problem.
fn decode_into(input: &[u8], (block, result, _): &BlockJob<'_>, slot: &mut [u8]) -> Option<usize> {
    let bytes = &input[block.input.clone()];
    if block.checksum.is_some_and(|expected| xxh32(bytes, 0) != expected) {
        return None;
    }
    if let Some(stored) = result.or(block.is_stored.then_some(bytes)) {
        slot.copy_from_slice(stored);
        return Some(stored.len());
    }
    let BlockEnd { code, produced } = decode_at(slot, 0, 0, bytes);
    (code == ERROR_NONE).then_some(produced)
}

/// Decodes independent blocks in parallel, up to the first problem.
fn decode_in_parallel(run: &mut Run<'_, '_>, blocks: &mut FrameBlocks<'_>, content: &mut ContentHash) {
    let input = run.input;
    let group_blocks = if content.hash.is_some() { GROUP_BLOCKS * rayon::current_num_threads() } else { usize::MAX };
    while !run.output.is_stopped() {
        let mut jobs: Vec<BlockJob<'_>> = Vec::new();
        let mut total = 0;
        let mut ahead = blocks.clone();
        while (total as u64) < MAX_PARALLEL_OUTPUT
            && jobs.len() < MAX_PARALLEL_UNITS
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
        content.update(run.output.since(0));
        let done = run.output.fill(total, |_, output| {
            let (mut kept, mut done, mut hashed) = (0, 0, 0);
            for group in jobs.chunks(group_blocks) {
                // Blocks with less output than room leave gaps, so each group starts after the output of the preceding one.
                let (before, slots) = output.split_at_mut(kept);
                let decode = || {
                    let mut rest = &mut *slots;
                    let mut own = Vec::with_capacity(group.len());
                    for (_, _, room) in group {
                        let (slot, after) = rest.split_at_mut(*room);
                        own.push(slot);
                        rest = after;
                    }
                    group.par_iter().zip(own).map(|(job, slot)| decode_into(input, job, slot)).collect::<Vec<_>>()
                };
                let hash = || content.hash.iter_mut().for_each(|hash| hash.update(&before[hashed..]));
                let (sizes, ()) = rayon::join(decode, hash);
                hashed = before.len();
                let mut slot = 0;
                let mut end = 0;
                let mut complete = 0;
                for ((_, _, room), size) in group.iter().zip(sizes) {
                    let Some(size) = size else { break };
                    if slot != end {
                        slots.copy_within(slot..slot + size, end);
                    }
                    slot += room;
                    end += size;
                    complete += 1;
                }
                kept += end;
                done += complete;
                if complete < group.len() {
                    break;
                }
            }
            content.hashed += hashed;
            (kept, done)
        });
        let Ok(done) = done else { return };
        content.update(run.output.since(0));
        run.blocks.units += done as u64;
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
