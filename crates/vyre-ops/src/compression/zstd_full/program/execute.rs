//! Execution of a batch of sequences by all invocations.
//!
//! Each invocation locates the output of one sequence by prefix sums. Sequences are then executed in *rounds*: a round is as many of
//! the next sequences as have *far* matches, whose sources end before the word in which the output of the round begins. A word of
//! their output has bytes of one sequence, or of one and the next, because matches have at least three bytes. An invocation finds
//! the sequence of its word by binary search. A sequence whose match is *near*, so that it may overlap the output of its round, is a
//! round of its own.
//!
//! | Words of the batch | Content, for each sequence |
//! |---|---|
//! | first quarter | number of literals; then the end of its output |
//! | second | length of the match; then the beginning of its output |
//! | third | offset of the match |
//! | fourth | distance from the output of the literals to the literals |
//!
//! Positions of output count from the beginning of the batch.

use vyre_ir::ReduceOp;
use vyre_ir::build::{Body, Var, broadcast, reduce, scan_inclusive, select};

use super::Decoder;
use super::sequences::BlockState;
use crate::compression::words::{bytes_within, mask_from};
use crate::compression::zstd_full::format::ZstdFullError;

/// A sequence of the batch with its place in the output.
struct Placed {
    /// Distance from the output of the literals to the literals.
    distance: Var,
    /// End of the output of the literals.
    match_at: Var,
    offset: Var,
    /// End of the output of the match.
    end: Var,
}

impl Decoder<'_> {
    /// Executes the sequences of the batch up to the first invalid one, whose error code is assigned.
    pub(super) fn execute(&self, b: &mut Body<'_>, state: &BlockState, decoded: &Var) {
        let Decoder { memory, invocation, invocations, written, code, .. } = self;
        let BlockState { literals, used, block_left } = state;
        let batch = &memory.batch;
        let field = |number: u32| batch.load(invocation + number * *invocations);
        let is_decoded = b.let_("is_decoded", invocation.lt(decoded));
        let [own_literals, length, offset] =
            [0, 1, 2].map(|number| b.let_("field", select(&is_decoded, field(number), 0u32)));
        let size = b.let_("size", &own_literals + &length);
        let used_end = b.let_("used_end", scan_inclusive(ReduceOp::Add, &own_literals));
        let end = b.let_("end", scan_inclusive(ReduceOp::Add, &size));
        let begin = b.let_("begin", &end - size);
        let match_at = b.let_("match_at", &end - &length);

        let left = self.left(b);
        let is_outside = (&offset - 1u32).ge(written + &match_at);
        let offset_error = is_outside.select(ZstdFullError::OffsetOutOfBounds.code(), 0u32);
        let room_error = select(end.gt(left), ZstdFullError::OutputOverflow.code(), offset_error);
        let block_error = select(end.gt(block_left), ZstdFullError::CorruptBlock.code(), room_error);
        let has_too_few = used_end.gt(&literals.count - used);
        let error = select(has_too_few, ZstdFullError::CorruptSequences.code(), block_error);
        let error = b.let_("error", select(is_decoded, error, 0u32));
        let valid = b.let_("valid", reduce(ReduceOp::Min, select(&error, invocation, decoded)));
        b.assign(code, broadcast(error, &valid));
        let total = b.let_("total", broadcast(&end, &valid - 1u32));
        let total_used = b.let_("total_used", broadcast(&used_end, &valid - 1u32));

        let distance = b.let_("distance", used + used_end - &own_literals - &begin);
        let is_valid = b.let_("is_valid", invocation.lt(&valid));
        b.store(batch, invocation, select(&is_valid, &end, u32::MAX));
        b.store(batch, invocation + *invocations, &match_at);
        b.store(batch, invocation + 2 * *invocations, &offset);
        b.store(batch, invocation + 3 * *invocations, &distance);
        b.barrier();

        let own = Placed { distance, match_at, offset, end };
        let next = b.let_("next", 0u32);
        b.for_("round", 0u32, &valid, |b, _| {
            let from = b.let_("from", written + broadcast(&begin, &next));
            let first_word = b.let_("first_word", &from & !3u32);
            let source_end = written + &own.end - &own.offset;
            let is_near = source_end.gt(&first_word).and(invocation.ge(&next)).and(&is_valid);
            let behind = b.let_("behind", reduce(ReduceOp::Min, select(is_near, invocation, &valid)));
            let is_far = b.let_("is_far", behind.gt(&next));
            b.if_(is_far.is_zero(), |b| b.assign(&behind, &next + 1u32));
            let to = b.let_("to", written + broadcast(&own.end, &behind - 1u32));
            b.if_else(
                &is_far,
                |b| self.copy_far(b, (&from, &to), &behind),
                |b| {
                    let Placed { distance, match_at, offset, end } = &own;
                    let [distance, match_at, offset, end] =
                        [distance, match_at, offset, end].map(|value| b.let_("of_sequence", broadcast(value, &next)));
                    self.copy_near(b, (&from, &to), &Placed { distance, match_at, offset, end });
                },
            );
            b.assign(&next, &behind);
            b.barrier();
            b.if_(next.ge(&valid), |b| b.break_());
        });
        b.assign(written, written + &total);
        b.assign(used, used + total_used);
        b.assign(block_left, block_left - total);
    }

    /// Copies the output of sequences with far matches, up to `behind`.
    fn copy_far(&self, b: &mut Body<'_>, (from, to): (&Var, &Var), behind: &Var) {
        let Decoder { memory, invocations, written, last_word, scratch, block, .. } = self;
        let base = &block.base;
        let batch = &memory.batch;
        let decompressed = &self.buffers.decompressed;
        // The sources of matches are before the word in which the output of the round begins.
        let last_source = b.let_("last_source", base + (from >> 2u32) - 1u32);
        let bytes_of = |b: &mut Body<'_>, sequence: &Var, at: &Var| {
            let match_at = b.let_("match_at", written + batch.load(sequence + *invocations));
            let offset = b.let_("offset", batch.load(sequence + 2 * *invocations));
            let distance = b.let_("distance", batch.load(sequence + 3 * *invocations) - written + 4u32);
            let of_literals = bytes_within(b, scratch, at + distance, (base, last_word));
            let of_match = bytes_within(b, decompressed, at + 4u32 - offset, (base, &last_source));
            let mask = mask_from(b, match_at, at);
            b.let_("bytes", (of_literals & !&mask) | (of_match & mask))
        };
        self.output().store(b, from, to, |b, at| {
            let position = b.let_("position", at.max(from) - written);
            let sequence = b.let_("sequence", 0u32);
            let mut step = *invocations / 2;
            while step > 0 {
                let is_after = batch.load(&sequence + (step - 1)).le(&position);
                b.assign(&sequence, &sequence + is_after * step);
                step /= 2;
            }
            let bytes = bytes_of(b, &sequence, at);
            let end = b.let_("end", written + batch.load(&sequence));
            b.assign(&sequence, &sequence + 1u32);
            b.if_(end.lt(at + 4u32).and(sequence.lt(behind)), |b| {
                let of_next = bytes_of(b, &sequence, at);
                let mask = mask_from(b, end, at);
                b.assign(&bytes, (&bytes & !&mask) | (of_next & mask));
            });
            bytes
        });
    }

    /// Copies the output of a sequence with a near match. The match is periodic with its offset as the period, so each byte is found
    /// among those before it: in a word before the output, in the word in which that begins, or in the literals.
    fn copy_near(&self, b: &mut Body<'_>, (from, to): (&Var, &Var), sequence: &Placed) {
        let Decoder { written, scratch, block, .. } = self;
        let decompressed = &self.buffers.decompressed;
        let Placed { distance, match_at, offset, .. } = sequence;
        let open_word = b.let_("open_word", &block.base + (from >> 2u32));
        let open_bytes = b.let_("open_bytes", decompressed.load(&open_word));
        // All invocations must load the word in which the output ends before one overwrites it.
        b.barrier();
        let match_at = b.let_("match_at", written + match_at);
        let source = b.let_("source", &match_at - offset);
        let literals = b.let_("literals", distance - written);
        self.output().store(b, from, to, |b, at| {
            // Position of the word's first byte of the match within a period.
            let phase = b.let_("phase", (at.max(&match_at) - &match_at) % offset);
            let bytes = b.let_("bytes", 0u32);
            for byte in 0..4u32 {
                let position = b.let_("position", at + byte);
                let is_copied = b.let_("is_copied", position.ge(&match_at));
                let from_match = b.let_("from_match", select(&is_copied, &source + &phase, &position));
                let is_literal = b.let_("is_literal", from_match.ge(from));
                let literal = b.let_("literal", &literals + &from_match);
                let literal_word = scratch.load(&block.base + (&literal >> 2u32));
                let output_word = b.let_("output_word", &block.base + (&from_match >> 2u32));
                // Words from the open one on are not loaded, because other invocations store them.
                let is_full = b.let_("is_full", output_word.lt(&open_word));
                let loaded = decompressed.load(select(&is_full, output_word, u32::MAX));
                let output = select(is_full, loaded, &open_bytes);
                let word = select(&is_literal, literal_word, output);
                let place = select(&is_literal, &literal, &from_match);
                let value = (word >> ((place & 3u32) << 3u32)) & 0xffu32;
                b.assign(&bytes, &bytes | (value << (8 * byte)));
                let next = b.let_("next", &phase + &is_copied);
                b.assign(&phase, select(next.eq(offset), 0u32, &next));
            }
            bytes
        });
    }
}
