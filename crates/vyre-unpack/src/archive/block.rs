//! Blocks: parts of an archive that are decoded as a whole, once, and hold the bytes of one or more members.
//!
//! Solid archives compress many members together (7z, cab). The first member of a block that is read decodes the block; the
//! others are slices of the result. The bytes are freed after the last member.
//!
//! A decoder must not use the thread pool: a thread that waits for a job inside the decoder could run another member of the
//! block and wait for itself.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::buffer::Buffer;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};
use crate::stream::{Step, StepEnd};

/// Space of the first step of a streaming decoder, in bytes.
const MIN_STEP_BYTES: usize = 64 << 10;
/// Maximum space of a step, in bytes. Cancellation is checked between steps.
const MAX_STEP_BYTES: usize = 4 << 20;

/// Decodes a block of the archive into the output.
type DecodeBlock = dyn Fn(&[u8], &mut BlockOutput<'_>) -> Result<(), Problem> + Send + Sync;

/// A part of an archive that is decoded as a whole.
pub(crate) struct Block {
    /// Compressed size in bytes.
    input: u64,
    decode: Box<DecodeBlock>,
    decoded: OnceLock<DecodedBlock>,
    /// Bytes that members have taken. They may overlap.
    taken: AtomicU64,
}

/// The bytes of a block, up to its first problem.
#[derive(Debug)]
pub(super) struct DecodedBlock {
    pub(super) bytes: Bytes,
    pub(super) problem: Option<Problem>,
}

/// The bytes of a member in a block.
#[derive(Clone, Debug)]
pub(crate) struct BlockSlice {
    pub(crate) block: Arc<Block>,
    pub(crate) range: Range<u64>,
    /// CRC-32 of the bytes, if the archive states it.
    pub(crate) crc32: Option<u32>,
}

impl PartialEq for BlockSlice {
    fn eq(&self, other: &BlockSlice) -> bool {
        Arc::ptr_eq(&self.block, &other.block) && self.range == other.range && self.crc32 == other.crc32
    }
}

impl Eq for BlockSlice {}

impl BlockSlice {
    /// Number of bytes that the archive states.
    pub(crate) fn len(&self) -> u64 {
        self.range.end.saturating_sub(self.range.start)
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").field("input", &self.input).finish_non_exhaustive()
    }
}

impl Block {
    /// A block of `input` compressed bytes.
    pub(crate) fn new(
        input: u64,
        decode: impl Fn(&[u8], &mut BlockOutput<'_>) -> Result<(), Problem> + Send + Sync + 'static,
    ) -> Arc<Block> {
        Arc::new(Block { input, decode: Box::new(decode), decoded: OnceLock::new(), taken: AtomicU64::new(0) })
    }

    /// A block that is the concatenation of parts of the archive.
    pub(crate) fn of_parts(parts: Vec<Range<usize>>) -> Arc<Block> {
        let input = parts.iter().map(|part| part.len() as u64).sum();
        Block::new(input, move |archive, output| {
            for part in &parts {
                let bytes = archive.get(part.clone()).unwrap_or_default();
                output.append(bytes).map_err(|kind| Problem::new(part.start as u64, kind))?;
            }
            Ok(())
        })
    }

    /// A block that is decoded already. The budget must hold a reservation of its size.
    pub(crate) fn decoded(bytes: Bytes, problem: Option<Problem>) -> Arc<Block> {
        let decoded = OnceLock::from(DecodedBlock { bytes, problem });
        Arc::new(Block { input: 0, decode: Box::new(|_, _| Ok(())), decoded, taken: AtomicU64::new(0) })
    }

    /// Counts `bytes` of a member. The block has reserved its own size; overlapping members reserve the rest here.
    pub(super) fn take(&self, bytes: u64, budget: &Budget) -> Result<(), ProblemKind> {
        let reserved = self.decoded.get().map_or(0, |decoded| decoded.bytes.len() as u64);
        let before = self.taken.fetch_add(bytes, Ordering::Relaxed);
        let more = before.saturating_add(bytes).saturating_sub(reserved).min(bytes);
        if more > 0 { budget.reserve_output(more, more).map_err(ProblemKind::Limit) } else { Ok(()) }
    }

    /// The decoded block.
    pub(super) fn get(&self, archive: &[u8], budget: &Budget) -> &DecodedBlock {
        self.decoded.get_or_init(|| {
            let mut output = BlockOutput::new(budget, self.input);
            let problem = (self.decode)(archive, &mut output).err();
            DecodedBlock { bytes: output.finish(), problem }
        })
    }
}

/// Output buffer of a block. Bytes are reserved from the budget before they are allocated.
pub(crate) struct BlockOutput<'b> {
    buffer: Buffer,
    reserved: u64,
    input: u64,
    budget: &'b Budget,
}

impl<'b> BlockOutput<'b> {
    /// An empty output for `input` compressed bytes.
    pub(crate) fn new(budget: &'b Budget, input: u64) -> BlockOutput<'b> {
        BlockOutput { buffer: Buffer::new(budget.memory()), reserved: 0, input, budget }
    }

    /// An output for an intermediate result of this block.
    pub(crate) fn intermediate(&self) -> BlockOutput<'b> {
        BlockOutput::new(self.budget, self.input)
    }

    /// The bytes so far.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.bytes()
    }

    /// The bytes so far, to be changed in place.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.buffer.bytes_mut()
    }

    /// Appends zeroed bytes and returns them. Fails if a limit or the system forbids it.
    pub(crate) fn room(&mut self, more: usize) -> Result<&mut [u8], ProblemKind> {
        let start = self.buffer.len();
        let end = start.saturating_add(more);
        let needed = end as u64;
        if needed > self.reserved {
            self.budget.check_output(self.input, needed).map_err(ProblemKind::Limit)?;
            self.budget.reserve_output(self.input, needed - self.reserved).map_err(ProblemKind::Limit)?;
            self.reserved = needed;
        }
        // Twice the size, so that many small parts are not copied for each part.
        self.buffer.reserve(end, end.saturating_mul(2))?;
        self.buffer.resize(end);
        Ok(self.buffer.bytes_mut().get_mut(start..).unwrap_or_default())
    }

    /// Truncates the output to `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.buffer.resize(length.min(self.buffer.len()));
    }

    /// Appends bytes.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), ProblemKind> {
        self.room(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// Runs a streaming decoder on `input` until it ends, or until it has produced `size` bytes, if a size is stated. Returns
    /// the number of bytes of input that it consumed.
    pub(crate) fn run(
        &mut self,
        input: &[u8],
        size: Option<u64>,
        what: &'static str,
        mut step: impl FnMut(&[u8], &mut [u8]) -> Step,
    ) -> Result<usize, ProblemKind> {
        self.run_with_output(input, size, what, |input, output, produced| step(input, &mut output[produced..]))
    }

    /// As [`BlockOutput::run`], for a decoder that reads its own output. A step gets all of it, the number of bytes so far, and the room
    /// after them.
    pub(crate) fn run_with_output(
        &mut self,
        input: &[u8],
        size: Option<u64>,
        what: &'static str,
        mut step: impl FnMut(&[u8], &mut [u8], usize) -> Step,
    ) -> Result<usize, ProblemKind> {
        let start = self.buffer.len();
        let mut next = 0;
        loop {
            if self.budget.is_stopped() {
                return Err(ProblemKind::Truncated { what: "work" });
            }
            let length = self.buffer.len();
            let produced = length - start;
            let left = size.map_or(u64::MAX, |size| size.saturating_sub(produced as u64));
            if left == 0 {
                return Ok(next);
            }
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(MAX_STEP_BYTES);
            let allowed = self.budget.max_output_with(self.input, self.reserved).saturating_sub(length as u64);
            // One byte more than the limits allow makes the limit the problem.
            let allowed = usize::try_from(allowed).unwrap_or(usize::MAX).max(1);
            self.room(produced.max(MIN_STEP_BYTES).min(most).min(allowed))?;
            let done = step(&input[next..], &mut self.buffer.bytes_mut()[start..], produced);
            self.truncate(length + done.produced);
            next += done.consumed;
            match done.end {
                StepEnd::Finished => return Ok(next),
                StepEnd::Failed(kind) => return Err(kind),
                StepEnd::More if done.consumed == 0 && done.produced == 0 => {
                    return Err(ProblemKind::Truncated { what });
                }
                StepEnd::More => {}
            }
        }
    }

    /// Returns the bytes of an intermediate result. They count as decoded and discarded.
    pub(crate) fn discard(self) -> Bytes {
        self.budget.discard_output(self.buffer.len() as u64);
        self.budget.release_output(self.reserved);
        self.buffer.finish()
    }

    /// Returns the bytes and releases the rest of the reservation.
    fn finish(self) -> Bytes {
        self.budget.release_output(self.reserved - self.buffer.len() as u64);
        self.buffer.finish()
    }
}
