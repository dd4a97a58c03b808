//! Decodes independent blocks on a device with the compression ops, and reads their output into host memory.
//!
//! The blocks of a stream are uploaded as one piece of the stream. If one stream has most of the output, its content is verified while the
//! device decodes the rest of it, and the memory that the device was read into is the content: nothing is copied.

use std::ops::Range;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use vyre_ops::Op;
use vyre_ops::compression::{CompressionOps, DeviceBatch, DeviceOutput, Status};
use vyre_runtime::{Device, Error, RunOptions};

use crate::error::DecompressError;
use crate::readback::ReadbackPool;
use crate::stream::{Block, BlockOp, BlockResult, BlockStream};
use crate::stream_check::StreamCheck;

/// Size of a descriptor in bytes. Each block has one in a buffer.
const DESCRIPTOR_BYTES: u64 = 20;

/// Maximum size of a buffer. Byte offsets are 32-bit words; half of their range leaves room for alignment.
const MAX_BUFFER_BYTES: u64 = 1 << 31;

/// Bytes of output of the first part of a stream that is verified meanwhile. Each part has twice the bytes of the one before it.
const FIRST_PART_BYTES: u64 = 16 << 20;

/// Bytes of output of later parts.
const MAX_PART_BYTES: u64 = 64 << 20;

impl BlockOp {
    /// The op.
    pub(crate) fn op(self) -> &'static Op {
        let id = match self {
            BlockOp::Lz4 => "compression.lz4",
            BlockOp::Zstd => "compression.zstd",
            BlockOp::ZstdFull => "compression.zstd_full",
            BlockOp::Deflate => "compression.deflate",
        };
        vyre_ops::find(id).expect("is in the library")
    }
}

/// A stream whose blocks the device decodes.
#[derive(Clone, Copy)]
pub(crate) struct StreamJob<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) plan: &'a BlockStream,
}

/// Results of streams.
#[derive(Debug, Default)]
pub(crate) struct DecodedBlocks {
    /// The result of each block, for each stream.
    pub(crate) results: Vec<Vec<BlockResult>>,
    /// The content of a stream, if all of it was decoded and verified.
    pub(crate) whole: Option<(usize, Bytes)>,
    pub(crate) dispatches: u64,
    pub(crate) device_time: Duration,
}

/// Consecutive blocks of a stream.
#[derive(Clone, Debug)]
struct Segment {
    stream: usize,
    blocks: Range<usize>,
}

/// Segments that the device decodes together.
#[derive(Debug, Default)]
struct Part {
    segments: Vec<Segment>,
    blocks: u64,
    input: u64,
    /// Bytes of output, each block aligned to 4.
    output: u64,
}

/// Decodes blocks on a device.
pub(crate) struct BlockDecoder {
    ops: CompressionOps,
    pool: Arc<ReadbackPool>,
}

impl BlockDecoder {
    pub(crate) fn new(device: Arc<dyn Device>) -> BlockDecoder {
        BlockDecoder { ops: CompressionOps::new(device), pool: Arc::default() }
    }

    pub(crate) fn with_run_options(self, options: RunOptions) -> BlockDecoder {
        BlockDecoder { ops: self.ops.with_run_options(options), ..self }
    }

    /// The ops.
    pub(crate) fn ops(&self) -> &CompressionOps {
        &self.ops
    }

    /// True if an earlier call left memory for so many bytes of output.
    pub(crate) fn has_memory(&self, bytes: u64) -> bool {
        self.pool.has(bytes)
    }

    /// Maximum size of a buffer of the device.
    pub(crate) fn max_buffer_bytes(&self) -> u64 {
        self.ops.device().limits().buffer_bytes.min(MAX_BUFFER_BYTES)
    }

    /// Decodes streams with one dispatch for each op, or several if the buffers of the device are too small or one stream has most of
    /// the output.
    pub(crate) fn decode(&self, streams: &[StreamJob<'_>]) -> Result<DecodedBlocks, DecompressError> {
        let output_of = |stream: &StreamJob<'_>| stream.plan.blocks.iter().map(room).sum::<u64>();
        let total: u64 = streams.iter().map(output_of).sum();
        let most = streams.iter().position(|stream| output_of(stream) * 2 > total);
        let check = most.and_then(|most| StreamCheck::new(streams[most].input, streams[most].plan));
        let first = if check.is_some() { FIRST_PART_BYTES } else { u64::MAX };
        let parts = self.parts(streams, first);

        let empty = BlockResult { error: BlockResult::NOT_DECODED, bytes: Bytes::new() };
        let mut decoded = DecodedBlocks {
            results: streams.iter().map(|stream| vec![empty.clone(); stream.plan.blocks.len()]).collect(),
            ..DecodedBlocks::default()
        };
        let bytes: u64 = parts.iter().map(|part| part.output).sum();
        let mut memory = match self.pool.take(&**self.ops.device(), bytes.max(1)) {
            // The host needs less memory for one stream after the other.
            Err(error) if is_refusal(&error) => return Ok(decoded),
            memory => memory?,
        };
        let (sender, receiver) = mpsc::channel::<(Vec<Status>, &[u8])>();
        let mut statuses: Vec<Option<Vec<Status>>> = Vec::new();
        let (run, verified) = thread::scope(|scope| {
            // Without a thread the stream is verified when it is assembled.
            let checker = check.and_then(|mut check| {
                let work = move || {
                    while let Ok((statuses, output)) = receiver.recv() {
                        check.add(&statuses, output);
                    }
                    check.finish()
                };
                thread::Builder::new().spawn_scoped(scope, work).ok()
            });
            let mut rest = &mut memory[..];
            let mut run = || -> Result<(), DecompressError> {
                for part in &parts {
                    let (target, after) = std::mem::take(&mut rest).split_at_mut(part.output as usize);
                    rest = after;
                    let Some(done) = self.decode_part(streams, part, target, &mut decoded)? else {
                        statuses.push(None);
                        continue;
                    };
                    let target = &*target;
                    let (mut block, mut at) = (0, 0);
                    for segment in &part.segments {
                        let count = segment.blocks.len();
                        if Some(segment.stream) == most {
                            // The thread has ended if it cannot be reached, and verifies nothing then.
                            let _ = sender.send((done[block..block + count].to_vec(), &target[at..]));
                        }
                        at += rooms(streams, segment) as usize;
                        block += count;
                    }
                    statuses.push(Some(done));
                }
                Ok(())
            };
            let run = run();
            drop(sender);
            (run, checker.and_then(|checker| checker.join().ok().flatten()))
        });
        if let Err(error) = run {
            self.pool.put_back(Some(memory));
            return Err(error);
        }

        let memory = self.pool.share(memory);
        let mut at = 0;
        for (part, statuses) in parts.iter().zip(statuses) {
            let mut place = at;
            at += part.output as usize;
            let Some(statuses) = statuses else { continue };
            let mut statuses = statuses.into_iter();
            for segment in &part.segments {
                // A content must not keep much more memory than its own.
                if let Some(size) = verified.filter(|size| size.saturating_mul(2) >= memory.len())
                    && Some(segment.stream) == most
                    && segment.blocks.start == 0
                {
                    decoded.whole = Some((segment.stream, memory.slice(place..place + size)));
                }
                let blocks = &streams[segment.stream].plan.blocks;
                for (number, Status { code: error, size }) in segment.blocks.clone().zip(&mut statuses) {
                    let end = place + size as usize;
                    if end <= at {
                        let bytes = memory.slice(place..end);
                        decoded.results[segment.stream][number] = BlockResult { error, bytes };
                    }
                    place += room(&blocks[number]) as usize;
                }
            }
        }
        Ok(decoded)
    }

    /// Divides the blocks of streams into parts for the device, without blocks that are too large for it.
    fn parts(&self, streams: &[StreamJob<'_>], first: u64) -> Vec<Part> {
        let max_bytes = self.max_buffer_bytes();
        let max_blocks = (max_bytes / DESCRIPTOR_BYTES).max(1);
        let (mut parts, mut part) = (Vec::new(), Part::default());
        let mut wanted = first;
        for (stream, StreamJob { plan, .. }) in streams.iter().enumerate() {
            // The segment, the offset of its first block, and the input of the part without it.
            let mut open: Option<(Segment, usize, u64)> = None;
            for (number, block) in plan.blocks.iter().enumerate() {
                let output = room(block);
                if !block.is_for_device() || output.max(aligned(block.input.len())) > max_bytes {
                    part.segments.extend(open.take().map(|(segment, ..)| segment));
                    continue;
                }
                let input_with = |open: &Option<(Segment, usize, u64)>, part: &Part| {
                    let (start, before) =
                        open.as_ref().map_or((block.input.start, part.input), |open| (open.1, open.2));
                    before + aligned(block.input.end - start)
                };
                let exceeds = part.blocks >= max_blocks
                    || input_with(&open, &part) > max_bytes
                    || part.output + output > max_bytes
                    || part.output >= wanted;
                if part.blocks > 0 && exceeds {
                    part.segments.extend(open.take().map(|(segment, ..)| segment));
                    parts.push(std::mem::take(&mut part));
                    wanted = wanted.saturating_mul(2).min(MAX_PART_BYTES.max(first));
                }
                let input = input_with(&open, &part);
                let before = part.input;
                let (segment, ..) =
                    open.get_or_insert((Segment { stream, blocks: number..number }, block.input.start, before));
                segment.blocks.end = number + 1;
                part.blocks += 1;
                part.input = input;
                part.output += output;
            }
            part.segments.extend(open.map(|(segment, ..)| segment));
        }
        if part.blocks > 0 {
            parts.push(part);
        }
        parts
    }

    /// Decodes a part and reads its output into `target`. Returns the statuses of its blocks; none if it does not fit the device.
    fn decode_part(
        &self,
        streams: &[StreamJob<'_>],
        part: &Part,
        target: &mut [u8],
        decoded: &mut DecodedBlocks,
    ) -> Result<Option<Vec<Status>>, DecompressError> {
        let mut batch = DeviceBatch::new();
        let mut fits = true;
        for Segment { stream, blocks } in &part.segments {
            let StreamJob { input, plan } = streams[*stream];
            let blocks = &plan.blocks[blocks.clone()];
            let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { continue };
            let start = first.input.start;
            let at = batch.push_input(&input[start..last.input.end]);
            for Block { op, input, expected, is_stored, .. } in blocks {
                let place = |offset: usize| u32::try_from(offset - start).ok()?.checked_add(at?);
                let pushed = place(input.start)
                    .zip(place(input.end))
                    .and_then(|(start, end)| batch.push_block(op.op(), start..end, *expected, *is_stored));
                fits &= pushed.is_some();
            }
        }
        let done = match fits.then(|| self.ops.decode_on_device(&batch)) {
            // Other processes use the memory of the device too, and the host can decode these blocks.
            None => return Ok(None),
            Some(Err(error)) if is_refusal(&error) => return Ok(None),
            Some(done) => done?,
        };
        let DeviceOutput { output, statuses, dispatches, device_time, .. } = done;
        match self.ops.device().read_at(&output, 0, target) {
            Err(error) if is_refusal(&error) => return Ok(None),
            read => read?,
        }
        decoded.dispatches += dispatches;
        decoded.device_time += device_time;
        Ok(Some(statuses))
    }
}

/// True if a device or the system has no memory for a request. The host can do the work then.
pub(crate) fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::ResourceExceeded { .. } | Error::OutOfMemory { .. })
}

/// A number of bytes aligned to 4.
fn aligned(bytes: usize) -> u64 {
    bytes.next_multiple_of(4) as u64
}

/// Bytes of output that a block may have, aligned to 4.
fn room(block: &Block) -> u64 {
    u64::from(block.expected).next_multiple_of(4)
}

/// Bytes of output that the blocks of a segment may have, each aligned to 4.
fn rooms(streams: &[StreamJob<'_>], segment: &Segment) -> u64 {
    streams[segment.stream].plan.blocks[segment.blocks.clone()].iter().map(room).sum()
}
