//! Decoder of one LZ4 sequence of any kind and length, valid or not.
//!
//! A *far* match lies so far before the output of its sequence that the whole workgroup copies it word by word. A *near* match may
//! overlap its own output. It is periodic with its offset as the period, so each byte is found among those before the match.

use vyre_ir::build::{Body, Var, select};

use super::decoder::{Decoder, add_length_bytes, word_at};
use crate::compression::block::{Block, Buffers};
use crate::compression::lz4::format::{EXTENDED_LENGTH, Lz4Error, MIN_MATCH_BYTES};

/// Distance of a far match, besides the size of the output of its sequence: two words, so that it reads no word in which that
/// output begins or ends.
const FAR_MATCH_MARGIN_BYTES: u32 = 8;

/// A parsed sequence.
struct Sequence {
    /// Position of its literals in the input.
    literals_at: Var,
    /// Number of literals.
    literals: Var,
    /// Offset of the match: the distance from its output back to its source.
    offset: Var,
    /// Length of the match; 0 if there is none.
    length: Var,
}

/// A match that is copied word by word.
#[derive(Clone, Copy)]
struct FarMatch<'s> {
    offset: &'s Var,
    length: &'s Var,
}

impl Decoder<'_> {
    /// Decodes a stored block.
    pub(super) fn stored(&self, b: &mut Body<'_>, code: &Var) {
        let input = b.let_("input", &self.block.begin);
        let literals = b.let_("literals", &self.block.end - &input);
        b.if_else(
            literals.gt(&self.block.room),
            |b| b.assign(code, Lz4Error::OutputOverflow.code()),
            |b| self.copy_far(b, &input, &literals, None),
        );
    }

    /// Decodes the sequence at `input`, and advances `input` to the next one.
    pub(super) fn decode_single(&self, b: &mut Body<'_>, input: &Var, code: &Var) {
        let token = b.load_byte(&self.buffers.compressed, input);
        let literals_at = b.let_("literals_at", input + 1u32);
        let literals = b.let_("literals", &token >> 4u32);
        let [offset, length] = ["offset", "length"].map(|name| b.let_(name, 0u32));
        let sequence = Sequence { literals_at, literals, offset, length };
        self.parse(b, &token, &sequence, input, code);
        let Sequence { literals_at, literals, offset, length } = &sequence;
        let is_far = offset.ge(literals + length + FAR_MATCH_MARGIN_BYTES).and(offset.le(&self.written & !3u32));
        b.if_else(
            is_far,
            |b| self.copy_far(b, literals_at, literals, Some(FarMatch { offset, length })),
            |b| {
                b.if_else(length, |b| self.copy_near(b, &sequence), |b| self.copy_far(b, literals_at, literals, None));
            },
        );
    }

    /// Parses a sequence, and assigns its error code. The invalid part of a sequence is dropped: all of it, or its match. After an
    /// error, and after the last sequence, which has no match, `next` is at the end of the block or beyond it.
    fn parse(&self, b: &mut Body<'_>, token: &Var, sequence: &Sequence, next: &Var, code: &Var) {
        let Decoder { buffers, block, .. } = self;
        let Block { end, room, .. } = block;
        let Sequence { literals_at, literals, offset, length } = sequence;
        let truncated = |b: &mut Body<'_>| {
            b.assign(code, Lz4Error::CorruptToken.code());
            b.break_();
        };
        b.if_(literals.eq(EXTENDED_LENGTH), |b| add_length_bytes(b, buffers, block, literals, literals_at, truncated));
        let output_error = literals.gt(room - &self.written).select(Lz4Error::OutputOverflow.code(), 0u32);
        let literal_error = literals.gt(end - literals_at).select(Lz4Error::LiteralOverflow.code(), output_error);
        b.assign(code, select(code, code, literal_error));
        b.if_(code, |b| b.assign(literals, 0u32));
        b.assign(next, select(code, end, literals_at + literals));
        b.if_(next.lt(end), |b| {
            let word = word_at(b, &buffers.compressed, next, &self.last_input);
            b.assign(offset, &word & 0xffffu32);
            b.assign(length, token & 15u32);
            b.assign(next, next + 2u32);
            b.assign(code, next.gt(end));
            b.if_(length.eq(EXTENDED_LENGTH).and(code.is_zero()), |b| {
                add_length_bytes(b, buffers, block, length, next, truncated);
            });
            let match_at = b.let_("match_at", &self.written + literals);
            let left = b.let_("left", room - &match_at);
            let is_outside = (offset - 1u32).ge(&match_at);
            let is_too_long = left.lt(MIN_MATCH_BYTES).or(length.gt(&left - MIN_MATCH_BYTES));
            let length_error = is_too_long.select(Lz4Error::MatchOverflow.code(), 0u32);
            let match_error = is_outside.select(Lz4Error::OffsetOutOfBounds.code(), length_error);
            b.assign(code, select(code, code, match_error));
            b.assign(length, select(code, 0u32, length + MIN_MATCH_BYTES));
            b.assign(next, select(code, end, next));
        });
    }

    /// Copies literals and a far match, a word for each invocation at a time.
    fn copy_far(&self, b: &mut Body<'_>, literals_at: &Var, literals: &Var, far_match: Option<FarMatch<'_>>) {
        let Decoder { buffers, block, invocations, last_input, last_output, written, last_word, .. } = self;
        let Buffers { compressed, decompressed, .. } = buffers;
        let before = b.let_("before", written & 3u32);
        let literals_end = b.let_("literals_end", &before + literals);
        let total =
            b.let_("total", far_match.map_or((&literals_end).into(), |FarMatch { length, .. }| &literals_end + length));
        let first = b.let_("first", &block.base + (written >> 2u32));
        // The word after the last one of the output.
        let behind = b.let_("behind", &first + ((&total + 3u32) >> 2u32));
        let last_full = b.let_("last_full", (&first - 1u32).min(last_output));
        let literal_from = b.let_("literal_from", literals_at - &before);
        let match_from = far_match.map(|FarMatch { offset, .. }| b.let_("match_from", (written & !3u32) - offset));
        let kept = b.let_("kept", !(u32::MAX << (&before << 3u32)));
        let distance = b.let_("distance", self.next_word_distance());
        b.for_("iteration", 0u32, &total / (4 * invocations) + 1u32, |b, iteration| {
            let step = b.let_("step", iteration * *invocations + &distance);
            let at = b.let_("at", &step * 4u32);
            let bytes = word_at(b, compressed, &literal_from + &at, last_input);
            if let Some(match_from) = &match_from {
                let of_match = self.output_at(b, match_from + &at, &last_full);
                // Two shifts of at most 16 bits, because one shift cannot clear all 32 bits.
                let bits = b.let_("bits", (literals_end.max(&at) - &at).min(4u32) << 2u32);
                let match_mask = b.let_("match_mask", u32::MAX << &bits << &bits);
                b.assign(&bytes, (&bytes & !&match_mask) | (&of_match & &match_mask));
            }
            let kept = b.let_("kept", select(step.eq(0u32), &kept, 0u32));
            let bytes = b.let_("bytes", (last_word & &kept) | (&bytes & !&kept));
            let target = b.let_("target", &first + &step);
            b.if_(target.lt(&behind).and(target.le(last_output)), |b| {
                b.store(decompressed, &target, &bytes);
                b.assign(last_word, &bytes);
            });
        });
        b.assign(written, written + literals);
        if let Some(FarMatch { length, .. }) = far_match {
            b.assign(written, written + length);
        }
    }

    /// Copies literals and a near match, byte by byte. The source of each byte of the match is reduced modulo the offset, so that it
    /// lies before the match: in a full word, in the word in which the output ends, or in the literals.
    fn copy_near(&self, b: &mut Body<'_>, sequence: &Sequence) {
        let Decoder { buffers, block, invocations, last_output, written, last_word, .. } = self;
        let Buffers { compressed, decompressed, .. } = buffers;
        let Sequence { literals_at, literals, offset, length } = sequence;
        let before = b.let_("before", written & 3u32);
        let first = b.let_("first", &block.base + (written >> 2u32));
        let open_word = b.let_("open_word", decompressed.load(first.min(last_output)));
        // All invocations must load the word in which the output ends before one overwrites it.
        b.barrier();
        let match_at = b.let_("match_at", written + literals);
        let end = b.let_("end", &match_at + length);
        let behind = b.let_("behind", &block.base + ((&end + 3u32) >> 2u32));
        let start = b.let_("start", &match_at - offset);
        let distance = b.let_("distance", self.next_word_distance());
        b.for_("iteration", 0u32, (&end - written + &before) / (4 * invocations) + 1u32, |b, iteration| {
            let step = b.let_("step", iteration * *invocations + &distance);
            let at = b.let_("at", (written & !3u32) + &step * 4u32);
            // Position of the word's first byte of the match within a period.
            let phase = b.let_("phase", (at.max(&match_at) - &match_at) % offset);
            let bytes = b.let_("bytes", 0u32);
            for byte in 0..4u32 {
                let position = b.let_("position", &at + byte);
                let is_copied = b.let_("is_copied", position.ge(&match_at));
                let source = b.let_("source", select(&is_copied, &start + &phase, &position));
                let of_literals = b.load_byte(compressed, literals_at + (&source - written).min(literals));
                let word = b.let_("word", &block.base + (&source >> 2u32));
                let is_full = b.let_("is_full", word.lt(&first));
                let full_word = decompressed.load(select(&is_full, &word, u32::MAX));
                let word = b.let_("word", select(&is_full, full_word, &open_word));
                let of_output = (&word >> ((&source & 3u32) << 3u32)) & 0xffu32;
                let value = select(source.ge(written), &of_literals, of_output);
                b.assign(&bytes, &bytes | (value << (8 * byte)));
                let next = b.let_("next", &phase + &is_copied);
                b.assign(&phase, select(next.eq(offset), 0u32, &next));
            }
            let target = b.let_("target", &first + &step);
            b.if_(target.lt(&behind).and(target.le(last_output)), |b| {
                b.store(decompressed, &target, &bytes);
                b.assign(last_word, &bytes);
            });
        });
        b.assign(written, &end);
    }
}
